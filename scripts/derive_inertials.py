"""Write urdf/<family>/inertials.yaml from published.yaml and the CAD in scripts/cad, by rules that
stand here in the open.

    python scripts/derive_inertials.py            writes the four files
    python scripts/derive_inertials.py --check    exit code 1 if a committed file differs

irb2400  obal2025_printed  Tab. 3 as printed (links 2, 3, 4, 6 are impossible).
         obal2025          Tab. 3 with the impossible parts replaced: products of links 2 and 4,
         whole tensors of links 3
                           and 6, from the CAD of jia2018 at Tab. 3's masses. Base: what is left of
                           380 kg, shape of jia2018.
         jia2018           CoM of jia2018, tensors at Tab. 3's masses.
all      cad               parametric CAD of ours, castings at one density that closes the robot to
its mass; bars weighed. irb2400, irb1400
         cad_lumped        cad for an open chain, where bars cannot be: on links 2 and 3, gravity
         exact, M11 and M23 not.
irb1400  stretched         the bodies of the 2400's obal2025, stretched to the 1400's dimensions,
closed to its mass. irb1600  cad_scaled        the published CAD, one density so that the robot has
its catalogue mass; for the 1.45 m arm the
                           lower arm is stretched first.
irb930   cad_scaled        the published CAD: quill of solid steel, the rest one density that closes
to the robot's mass.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from irbmodels.cad.builds import Weighed, weighed
from irbmodels.model.inertia import Inertial
from irbmodels.model.provenance import Source
from irbmodels.tables.description import Description, data_folder, describe
from irbmodels.tables.reader import SCHEMA, Table, read
from irbmodels.tables.schema import BodyRow

Bodies = dict[str, Inertial]


@dataclass(frozen=True, kw_only=True)
class PublishedBody(BodyRow):
    """A body as its source gives it; ``origin_mm`` is where the source's own link frame stands at
    home.
    """

    origin_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class PublishedSet:
    """Bodies in their own MDH frames (link), or in base axes at q = 0 (home)."""

    frame: Literal["link", "home"]
    bodies: dict[str, PublishedBody]


@dataclass(frozen=True)
class Published(Table):
    """published.yaml."""

    sources: dict[str, Source]
    sets: dict[str, PublishedSet]


@dataclass(frozen=True)
class DerivedSet:
    """One set to be written: rows with the source of mass, CoM and tensor."""

    about: str
    rows: dict[str, tuple[Inertial, str]]
    impossible: tuple[str, ...] = ()
    variants: dict[str, dict[str, tuple[Inertial, str]]] | None = None
    serial: str | None = None


def published(robot: Description) -> dict[str, Bodies]:
    """Return the published sets of a family, every body in its own link frame, in SI units."""
    home = robot.dh("modified").frames(np.zeros(len(robot.axes)))
    frames = {"base_link": np.eye(4)} | {
        f"link_{i}": frame for i, frame in enumerate(home[:-1], start=1)
    }
    result: dict[str, Bodies] = {}
    for name, entry in read(robot.folder / "published.yaml", Published).sets.items():
        result[name] = {}
        for link, row in entry.bodies.items():
            body = row.inertial()
            if entry.frame == "home":
                turn, place = frames[link][:3, :3].T, frames[link][:3, 3]
                body = body.moved(turn, turn @ (np.array(row.origin_mm) / 1000.0 - place))
            result[name][link] = body
    return result


def at_mass(body: Inertial, mass: float) -> Inertial:
    """Return the same shape at another density."""
    return body.stretched((1.0, 1.0, 1.0), density=mass / body.mass)


def closed(bodies: Bodies, mass: float, keep: tuple[str, ...] = ()) -> Bodies:
    """Return the bodies at one density such that they sum to ``mass``.

    Those in ``keep`` stay as they are.
    """
    kept = sum(bodies[link].mass for link in keep)
    density = (mass - kept) / (sum(body.mass for body in bodies.values()) - kept)
    return {
        link: body if link in keep else at_mass(body, density * body.mass)
        for link, body in bodies.items()
    }


def own_cad(*robots: Description) -> tuple[dict[str, Source], DerivedSet]:
    """Return the set of our own CAD of a family, with its sources.

    Where the robot's mass is assumed, its links' are too.
    """
    masses = {robot.name: weighed(robot) for robot in robots}
    first, *others = masses.values()
    factors = ", ".join(dict.fromkeys(f"{one.castings:.3f}" for one in masses.values()))
    ratings, known = robots[0].limits.ratings, robots[0].limits.sources
    how = (
        f"mean densities in scripts/cad/body.py; those of castings times {factors} close the robot"
        f" to {ratings.mass_kg:g} kg"
    )
    sources = {
        "cad": Source("scripts/cad, shapes from the lengths in kinematics.yaml", "derived", how=how)
    }
    named = "cad"
    if known[ratings.source_of("mass_kg")].grade == "assumed":
        whole = f"robot mass of limits.yaml, {ratings.mass_kg:g} kg"
        sources["cad_mass"] = Source(whole, "assumed", how="shared out as cad says")
        named = "{mass_kg: cad_mass, com_mm: cad, inertia_kg_m2: cad}"
    different = {
        robot.name: one
        for robot, one in zip(robots[1:], others, strict=True)
        if not _same(one, first)
    }
    variants = {name: _all(one.bodies, named) for name, one in different.items()}
    about = "parametric CAD of ours at the robot's mass"
    return sources, DerivedSet(about, _all(first.bodies, named), variants=variants or None)


def _same(one: Weighed, other: Weighed) -> bool:
    return _rows(_all(one.bodies, "cad"), 0) == _rows(_all(other.bodies, "cad"), 0)


def lumped(robot: Description, own: DerivedSet) -> DerivedSet:
    """Return bodies for an open chain that pulls on the axes in every posture as the linkage does.

    With C the crank's pin, the rod is at C(q3) + r(q2) from the shoulder. Gravity asks for masses
    and first moments: both masses stand on link 2 at the shoulder, and what lies out of the
    linkage's plane, which turns neither way; in the plane the rod's r turns with link 2, C and the
    crank with link 3. Second moments go along. What no open chain has is a mass at C that the end
    of link 2 does not carry: M11 and M23 are not right, every other entry of M is.
    """
    assert robot.kinematics.parallelogram is not None
    bodies = {link: body for link, (body, _) in own.rows.items()}
    crank, rod = bodies["link_crank"], bodies["link_rod"]
    pin = np.array([0.0, -robot.kinematics.parallelogram.crank_mm / 1000.0, 0.0])
    z = np.array([0.0, 0.0, 1.0])
    out = crank.mass * crank.com[2] * z
    deep = second_moments(crank)[2, 2] * np.outer(z, z)
    turning = crank.mass * crank.com - out + rod.mass * pin
    twisted = rod.mass * rod.com[2] * (np.outer(pin, z) + np.outer(z, pin))
    driven = second_moments(crank) - deep + rod.mass * np.outer(pin, pin) + twisted
    lower = with_moments(
        bodies["link_2"],
        crank.mass + rod.mass,
        rod.mass * rod.com + out,
        second_moments(rod) + deep,
    )
    upper = with_moments(bodies["link_3"], 0.0, turning, driven)
    kept = {link: body for link, body in bodies.items() if link not in ("link_crank", "link_rod")}
    about = "cad for an open chain: crank and rod on links 2 and 3; gravity exact, M11 and M23 not"
    return DerivedSet(about, _all(kept | {"link_2": lower, "link_3": upper}, own.rows["link_2"][1]))


def second_moments(body: Inertial) -> np.ndarray:
    """Return ``int r r' dm`` about the origin of the body's frame [kg m^2]."""
    return np.asarray(body.covariance() + body.mass * np.outer(body.com, body.com))


def with_moments(body: Inertial, mass: float, first: np.ndarray, second: np.ndarray) -> Inertial:
    """Return a body with mass, first and second moments about the origin of its frame added."""
    total = body.mass + mass
    com = (body.mass * body.com + first) / total
    covariance = second_moments(body) + second - total * np.outer(com, com)
    return Inertial.of(total, com, np.trace(covariance) * np.eye(3) - covariance)


def irb2400() -> tuple[dict[str, Source], dict[str, DerivedSet]]:
    """Tab. 3 as printed, repaired, and the CAD of S001 at its masses."""
    robot = describe("irb2400_16")
    sets = published(robot)
    printed, cad = sets["obal2025"], sets["jia2018"]
    scaled = {link: at_mass(cad[link], printed[link].mass) for link in printed}
    left = robot.limits.ratings.mass_kg - sum(body.mass for body in printed.values())
    base = {
        "base_link": (
            at_mass(cad["base_link"], left),
            "{mass_kg: rest, com_mm: jia2018, inertia_kg_m2: cad_at_mass}",
        )
    }

    # Tab. 3 itself has five decimals
    rounded = {link: np.round(body.tensor, 8) for link, body in scaled.items()}

    def products_from(link: str) -> Inertial:
        return printed[link]._replace(
            tensor=np.where(np.eye(3, dtype=bool), printed[link].tensor, rounded[link])
        )

    repaired = {
        "link_1": (printed["link_1"], "obal2025"),
        "link_2": (
            products_from("link_2"),
            "{mass_kg: obal2025, com_mm: obal2025, inertia_kg_m2: products}",
        ),
        "link_3": (
            printed["link_3"]._replace(tensor=rounded["link_3"]),
            "{mass_kg: obal2025, com_mm: obal2025, inertia_kg_m2: cad_at_mass}",
        ),
        "link_4": (
            products_from("link_4"),
            "{mass_kg: obal2025, com_mm: obal2025, inertia_kg_m2: products}",
        ),
        "link_5": (printed["link_5"], "obal2025"),
        "link_6": (
            printed["link_6"]._replace(tensor=rounded["link_6"]),
            "{mass_kg: obal2025, com_mm: obal2025, inertia_kg_m2: cad_at_mass}",
        ),
    }
    jia = {
        link: (body, "{mass_kg: obal2025, com_mm: jia2018, inertia_kg_m2: cad_at_mass}")
        for link, body in scaled.items()
    }
    sources = dict(read(robot.folder / "published.yaml", Published).sources)
    sources["rest"] = Source(
        "catalogue mass (limits.yaml) less the six moving links of Tab. 3", "derived"
    )
    sources["cad_at_mass"] = Source(
        "tensor of jia2018, moved to the link frame, times the ratio of the masses", "derived"
    )
    ours, own = own_cad(robot)
    sources |= ours
    sources["products"] = Source(
        "diagonal of obal2025, products of jia2018 times the ratio of the masses", "derived"
    )
    return sources, {
        "obal2025": DerivedSet(
            "Tab. 3 of S000, its impossible tensor entries replaced from the CAD of S001",
            base | repaired,
        ),
        "obal2025_printed": DerivedSet(
            "Tab. 3 of S000 exactly as printed: for checking the paper, not for dynamics",
            base | {link: (body, "obal2025") for link, body in printed.items()},
            impossible=("link_2", "link_3", "link_4", "link_6"),
        ),
        "jia2018": DerivedSet("the CAD of S001 at the masses of Tab. 3", base | jia),
        "cad": replace(own, serial="cad_lumped"),
        "cad_lumped": lumped(robot, own),
    }


def irb1400() -> tuple[dict[str, Source], dict[str, DerivedSet]]:
    """The 2400's bodies, stretched along the link axes in the ratio of the dimensions."""
    small, large = describe("irb1400"), describe("irb2400_16")
    d1, a1, a2, a3, d4, d6 = (
        new / old for new, old in zip(_dimensions(small), _dimensions(large), strict=True)
    )
    factors = {
        "base_link": (d1, d1, d1),
        "link_1": (a1, d1, d1),
        "link_2": (a2, a3, a3),
        "link_3": (a3, d4, a3),
        "link_4": (a3, a3, d4),
        "link_5": (d6, d6, d6),
        "link_6": (d6, d6, d6),
    }
    bodies = {
        link: row.inertial().stretched(factors[link])
        for link, row in large.inertials.sets["obal2025"].links.items()
    }
    bodies = closed(bodies, small.limits.ratings.mass_kg)
    how = (
        "axis by axis in the ratio of the dimensions (column, arms), then one density that closes"
        " to the robot's mass"
    )
    ours, own = own_cad(small)
    sources = ours | {
        "stretched": Source("urdf/irb2400/inertials.yaml, set obal2025", "assumed", how=how)
    }
    return sources, {
        "cad": replace(own, serial="cad_lumped"),
        "cad_lumped": lumped(small, own),
        "stretched": DerivedSet(
            "no inertial of the 1400 is published: the 2400's shapes", _all(bodies, "stretched")
        ),
    }


def irb1600() -> tuple[dict[str, Source], dict[str, DerivedSet]]:
    """The published CAD at the catalogue mass; the long lower arm is the short one stretched."""
    short, long = describe("irb1600_6_120"), describe("irb1600_6_145")
    bodies = published(short)["cad_wr"]
    stretch = _dimensions(long)[2] / _dimensions(short)[2]
    longer = bodies | {"link_2": bodies["link_2"].stretched((stretch, 1.0, 1.0))}
    mass = short.limits.ratings.mass_kg
    ours, own = own_cad(short, long, describe("irb1600_10_120"), describe("irb1600_10_145"))
    sources = ours | {
        "cad_scaled": Source(
            "published.yaml, set cad_wr",
            "derived",
            how="moved to the MDH frames, one density that closes to 250 kg",
        ),
        "lower_arm": Source(
            "published.yaml, set cad_wr",
            "assumed",
            how="lower arm stretched from 475 to 700 mm, then closed to 250 kg",
        ),
    }
    rows = _all(closed(longer, mass), "lower_arm")
    variants = {"irb1600_6_145": rows, "irb1600_10_145": rows}
    about = "ABB CAD as solid steel weighs 757 kg; scaled to the catalogue mass"
    scaled = DerivedSet(about, _all(closed(bodies, mass), "cad_scaled"), variants=variants)
    return sources, {"cad": own, "cad_scaled": scaled}


def irb930() -> tuple[dict[str, Source], dict[str, DerivedSet]]:
    """The published CAD: a steel quill, shared by the sliding and the turning joint, on arms of one
    density.
    """
    whole, short = describe("irb930_12_105"), describe("irb930_12_085")
    bodies = published(whole)["cad_wr"]
    half = at_mass(bodies["link_3"], bodies["link_3"].mass / 2.0)
    flip = np.diag([1.0, -1.0, -1.0])  # frame 4 is frame 3 turned by 180 deg about x
    bodies |= {"link_3": half, "link_4": half.moved(flip, np.zeros(3))}
    keep = ("link_3", "link_4")
    stretch = short.kinematics.joints["joint_2"].a_mm / whole.kinematics.joints["joint_2"].a_mm
    shorter = bodies | {"link_1": bodies["link_1"].stretched((stretch, 1.0, 1.0))}
    mass = whole.limits.ratings.mass_kg
    split = (
        "quill of solid steel, halved between link_3 and link_4; base and arms at one density that"
        " closes to 60 kg"
    )
    ours, own = own_cad(whole, describe("irb930_22_105"), short)
    sources = ours | {
        "cad_scaled": Source("published.yaml, set cad_wr", "assumed", how=split),
        "inner_arm": Source(
            "published.yaml, set cad_wr",
            "assumed",
            how=f"inner arm stretched from 560 to 360 mm; {split}",
        ),
    }
    rows = _all(closed(shorter, mass, keep), "inner_arm")
    about = (
        "ABB CAD as solid steel weighs 401 kg, arms and covers filled; scaled to an assumed mass"
    )
    scaled = DerivedSet(
        about, _all(closed(bodies, mass, keep), "cad_scaled"), variants={"irb930_12_085": rows}
    )
    return sources, {"cad": own, "cad_scaled": scaled}


def _all(bodies: Bodies, source: str) -> dict[str, tuple[Inertial, str]]:
    return {link: (body, source) for link, body in bodies.items()}


def _dimensions(robot: Description) -> tuple[float, ...]:
    """Return d1, a1, a2, a3, d4, d6 of a six-axis arm [mm]."""
    rows = list(robot.kinematics.joints.values())
    return (
        rows[0].d_mm,
        rows[1].a_mm,
        rows[2].a_mm,
        rows[3].a_mm,
        rows[3].d_mm,
        robot.kinematics.tool0.d_mm,
    )


def text(sources: dict[str, Source], sets: dict[str, DerivedSet], default: str) -> str:
    """Return the table as YAML."""
    lines = ["# Written by scripts/derive_inertials.py; a test regenerates it. Do not edit.",
             "# Every body in its own link frame (MDH; base_link: the base); tensor about the centre of mass, products as -int.",
             f"schema: {SCHEMA}", f"default: {default}", "sources:"]  # fmt: skip
    for name, source in sources.items():
        lines += [
            f"  {name}:",
            f'    ref: "{source.ref}"',
            f"    licence: {source.licence}",
            f"    grade: {source.grade}",
        ]
        lines += [f'    how: "{source.how}"'] if source.how else []
    lines.append("sets:")
    for name, entry in sets.items():
        lines += [f"  {name}:", f'    about: "{entry.about}"']
        lines += [f"    serial: {entry.serial}"] if entry.serial else []
        lines += [f"    impossible: [{', '.join(entry.impossible)}]"] if entry.impossible else []
        lines += ["    links:", *_rows(entry.rows, 6)]
        if entry.variants:
            lines.append("    variants:")
            for variant, rows in entry.variants.items():
                lines += [f"      {variant}:", "        links:", *_rows(rows, 10)]
    return "\n".join(lines) + "\n"


def _rows(rows: dict[str, tuple[Inertial, str]], indent: int) -> list[str]:
    return [" " * indent + f"{link}: {_row(body, source)}" for link, (body, source) in rows.items()]


def _row(body: Inertial, source: str) -> str:
    tensor = body.tensor
    entries = zip(
        ["xx", "yy", "zz", "xy", "xz", "yz"], (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2), strict=True
    )
    inertia = ", ".join(f"{name}: {_number(tensor[i, j])}" for name, i, j in entries)
    com = ", ".join(_number(1000.0 * value, digits=9) for value in body.com)
    return (
        f"{{mass_kg: {_number(body.mass)}, com_mm: [{com}], inertia_kg_m2: {{{inertia}}}, source:"
        f" {source}}}"
    )


def _number(value: float, digits: int = 9) -> str:
    """Return the number with ``digits`` digits, as YAML 1.1 reads a float (1.0e-05, not 1e-05)."""
    short = f"{0.0 if abs(value) < 1e-15 else value:.{digits}g}"
    return short.replace("e", ".0e") if "e" in short and "." not in short else short


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    stale = []
    for recipe in (irb2400, irb1400, irb1600, irb930):  # the 1400 reads what the 2400 wrote
        path: Path = data_folder() / recipe.__name__ / "inertials.yaml"
        sources, sets = recipe()
        wanted = text(sources, sets, default=next(iter(sets)))
        if arguments.check:
            stale += (
                [path] if not path.exists() or path.read_text(encoding="utf-8") != wanted else []
            )
        else:
            path.write_text(wanted, encoding="utf-8")
            print(f"{path.relative_to(data_folder().parent)}: {', '.join(sets)}")
    for path in stale:
        print(f"{path.name} of {path.parent.name} is not what this script writes")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
