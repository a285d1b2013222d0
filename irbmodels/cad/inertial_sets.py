"""inertials.yaml of a family, from published.yaml and the CAD, by rules that stand in the open.

A family without published bodies has the sets of :mod:`.inertials` alone; where its lengths are
those of a family with a recipe, as of IRB 52 and 1600, by the same densities. One with a recipe has
those below, any other those of :mod:`.scaled_sets` besides:

crb15000
    cad_scaled: the published CAD of the -5, one density so that it has its catalogue mass; of the
    -10 and -12 the drawing at theirs.
irb2400
    obal2025: Tab. 3 with the impossible parts replaced: products of links 2 and 4, whole tensors of
    links 3 and 6, from the CAD of jia2018 at Tab. 3's masses. Base: what is left of 380 kg, shape
    of jia2018. obal2025_printed: Tab. 3 as printed (links 2, 3, 4, 6 are impossible). jia2018: CoM
    of jia2018, tensors at Tab. 3's masses.
irb1400
    stretched: the bodies of the 2400's obal2025, stretched to the 1400's dimensions, closed to its
    mass.
irb1600
    cad_scaled: the published CAD, one density so that the robot has its catalogue mass; for the
    1.45 m arm the lower arm is stretched first.
irb4400
    hiqp: the published CAD, lower arm and parallel arm at their masses by ABB's manual, the rest at
    one density that closes to the robot's mass. The balancing cylinder is part of link_1 and its
    piston of link_2, both as they are at home. The tube of the L30 gains what the drawn one does.
    hiqp_lumped: hiqp for an open chain.
irb930
    cad_scaled: the published CAD: quill of solid steel, the rest one density that closes to the
    robot's mass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ..model.inertia import Inertial
from ..model.provenance import Source
from ..tables.description import Description, describe
from ..tables.description import robots as names
from ..tables.reader import read
from .body import at_mass, total
from .builds import is_serial, robot_mass
from .inertial_table import DerivedSet, SourcedBodies, sourced, table_text
from .inertials import (
    Derived,
    drawn_sets,
    exactness,
    on_open_chain,
    second_moments,
    with_moments,
)
from .lengths import Lengths
from .link_frames import link_frames
from .output import Files
from .published import Bodies, Published, published
from .scaled_sets import scaled_sets


def inertials_file(robots: Sequence[Description]) -> Files:
    """Return inertials.yaml of a family.

    Raises:
        InputError: if the CAD cannot draw a variant.
        TableError: if published.yaml breaks the format.
    """
    folder = robots[0].folder
    has_published = (folder / "published.yaml").is_file()
    recipe = RECIPES.get(folder.name) if has_published else None
    drawing = drawn_sets(robots, one_density=recipe is not None or _has_known_twin(robots))
    if has_published:
        drawing = (recipe or scaled_sets)(robots, drawing)
    return {Path("inertials.yaml"): table_text(*drawing)}


def _has_known_twin(robots: Sequence[Description]) -> bool:
    """Return whether an arm of the same lengths is of a family with a recipe.

    An arm that is sold under two names has one split of its mass.
    """
    own = {Lengths.read(robot) for robot in robots if is_serial(robot)}
    recipes = (robot for robot in map(describe, names()) if robot.family in RECIPES)
    return any(is_serial(robot) and Lengths.read(robot) in own for robot in recipes)


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


def irb2400(robots: Sequence[Description], drawing: Derived) -> Derived:
    """Tab. 3 as printed, repaired, and the CAD of S001 at its masses."""
    robot = robots[0]
    sets = published(robot)
    printed, cad = sets["obal2025"], sets["jia2018"]
    scaled = {link: at_mass(cad[link], printed[link].mass) for link in printed}
    left = robot_mass(robot) - sum(body.mass for body in printed.values())
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
    ours, drawn = drawing
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
        **drawn,
    }


def irb1400(robots: Sequence[Description], drawing: Derived) -> Derived:
    """The 2400's bodies, stretched along the link axes in the ratio of the dimensions."""
    small, large = robots[0], describe("irb2400_16")
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
    bodies = closed(bodies, robot_mass(small))
    how = (
        "axis by axis in the ratio of the dimensions (column, arms), then one density that closes"
        " to the robot's mass"
    )
    ours, drawn = drawing
    sources = ours | {
        "stretched": Source("urdf/irb2400/inertials.yaml, set obal2025", "assumed", how=how)
    }
    return sources, {
        **drawn,
        "stretched": DerivedSet(
            "no inertial of the 1400 is published: the 2400's shapes", sourced(bodies, "stretched")
        ),
    }


def crb15000(robots: Sequence[Description], drawing: Derived) -> Derived:
    """The published CAD at the catalogue mass."""
    robot = robots[0]
    bodies, mass = published(robot)["joiint"], robot_mass(robot)
    drawn_mass = sum(body.mass for body in bodies.values())
    ours, drawn = drawing
    sources = ours | {
        "cad_scaled": Source(
            "published.yaml, set joiint",
            "derived",
            how=f"one density that closes to {mass:g} kg",
        ),
    }
    about = (
        f"ABB CAD of the -5 at the density of water weighs {drawn_mass:.2f} kg; scaled to the"
        " robot's mass; -10 and -12 as in cad"
    )
    rows, others = sourced(closed(bodies, mass), "cad_scaled"), drawn["cad"].variants
    return sources, {"cad_scaled": DerivedSet(about, rows, variants=others)} | drawn


def irb1600(robots: Sequence[Description], drawing: Derived) -> Derived:
    """The published CAD at the catalogue mass; the long lower arm is the short one stretched."""
    short, long = _named(robots, "irb1600_6_120"), _named(robots, "irb1600_6_145")
    bodies = published(short)["cad_wr"]
    stretch = _dimensions(long)[2] / _dimensions(short)[2]
    longer = bodies | {"link_2": bodies["link_2"].stretched((stretch, 1.0, 1.0))}
    mass = robot_mass(short)
    ours, drawn = drawing
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
    rows = sourced(closed(longer, mass), "lower_arm")
    variants = {"irb1600_6_145": rows, "irb1600_10_145": rows}
    about = "ABB CAD as solid steel weighs 757 kg; scaled to the catalogue mass"
    scaled = DerivedSet(about, sourced(closed(bodies, mass), "cad_scaled"), variants=variants)
    return sources, drawn | {"cad_scaled": scaled}


def irb930(robots: Sequence[Description], drawing: Derived) -> Derived:
    """The published CAD: arms of one density, and a steel quill that two joints share."""
    whole, short = _named(robots, "irb930_12_105"), _named(robots, "irb930_12_085")
    bodies = published(whole)["cad_wr"]
    half = at_mass(bodies["link_3"], bodies["link_3"].mass / 2.0)
    flip = np.diag([1.0, -1.0, -1.0])  # frame 4 is frame 3 turned by 180 deg about x
    bodies |= {"link_3": half, "link_4": half.moved(flip, np.zeros(3))}
    keep = ("link_3", "link_4")
    stretch = short.kinematics.joints["joint_2"].a_mm / whole.kinematics.joints["joint_2"].a_mm
    shorter = bodies | {"link_1": bodies["link_1"].stretched((stretch, 1.0, 1.0))}
    mass = robot_mass(whole)
    split = (
        "quill of solid steel, halved between link_3 and link_4; base and arms at one density that"
        " closes to 60 kg"
    )
    ours, drawn = drawing
    sources = ours | {
        "cad_scaled": Source("published.yaml, set cad_wr", "assumed", how=split),
        "inner_arm": Source(
            "published.yaml, set cad_wr",
            "assumed",
            how=f"inner arm stretched from 560 to 360 mm; {split}",
        ),
    }
    rows = sourced(closed(shorter, mass, keep), "inner_arm")
    about = (
        "ABB CAD as solid steel weighs 401 kg, arms and covers filled; scaled to an assumed mass"
    )
    scaled = DerivedSet(
        about, sourced(closed(bodies, mass, keep), "cad_scaled"), variants={"irb930_12_085": rows}
    )
    return sources, drawn | {"cad_scaled": scaled}


PART_MASSES = {"link_2": 68.0, "link_crank": 115.0}
"""Lower arm, and parallel arm with counterweight, of IRB 4400/60 and L30 [kg]."""


def irb4400(robots: Sequence[Description], drawing: Derived) -> Derived:
    """The published CAD with all bars and the balancer, at ABB's masses of two parts."""
    robot, long = _named(robots, "irb4400_60_196"), _named(robots, "irb4400_l30_243")
    bodies, mass, frames = published(robot)["hiqp"], robot_mass(robot), link_frames(robot)
    bodies |= {link: at_mass(bodies[link], kg) for link, kg in PART_MASSES.items()}
    bodies = closed(bodies, mass, tuple(PART_MASSES))
    for part, link in (("balancing_cylinder", "link_1"), ("piston", "link_2")):
        turn, place = frames[link][:3, :3].T, frames[link][:3, 3]
        bodies[link] = total([bodies[link], bodies.pop(part).moved(turn, -turn @ place)])
    manual = "ABB product manual 3HAC022032-001 Rev E p.162, 169"
    ours, drawn = drawing
    cad = drawn["cad"]
    (tube, _), (long_tube, _) = cad.rows["link_4"], cad.variants[long.name]["link_4"]
    lengthened = with_moments(
        bodies["link_4"],
        long_tube.mass - tube.mass,
        long_tube.mass * long_tube.com - tube.mass * tube.com,
        second_moments(long_tube) - second_moments(tube),
    )
    longer = closed(bodies | {"link_4": lengthened}, robot_mass(long), tuple(PART_MASSES))
    sources = ours | {
        "hiqp": Source(
            "published.yaml, set hiqp",
            "derived",
            how=f"one density that closes to {mass:g} kg, but for the parts of ABB's manual",
        ),
        "parts": Source(
            f"{manual}: lower arm 68 kg, parallel arm with counterweight 115 kg",
            "derived",
            how="published.yaml, set hiqp, at these masses; the piston is on the lower arm",
        ),
        "long_tube": Source(
            "published.yaml, set hiqp",
            "assumed",
            how=(
                "tube of the 4400/60 with the moments that the drawn tube gains by 500 mm; it and"
                f" all but the parts of ABB's manual at one density that closes to {mass:g} kg"
            ),
        ),
    }

    def rows(links: Bodies, source: str) -> SourcedBodies:
        kept = {name: links[name] for name in PART_MASSES}
        return sourced(links, source) | sourced(kept, "parts")

    own, others = rows(bodies, "hiqp"), rows(longer, "long_tube")
    about = (
        "public CAD of the 4400/60 with bars, counterweight and balancer, at ABB's masses of two"
        " parts"
    )
    hiqp = DerivedSet(about, own, variants={long.name: others}, serial="hiqp_lumped")
    hiqp_lumped = DerivedSet(
        f"hiqp for an open chain: crank and rod on links 2 and 3; {exactness(robot)}",
        on_open_chain(own, robot),
        variants={long.name: on_open_chain(others, long)},
    )
    return sources, {"hiqp": hiqp, "hiqp_lumped": hiqp_lumped, **drawn}


def _named(robots: Sequence[Description], name: str) -> Description:
    return next(robot for robot in robots if robot.name == name)


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


RECIPES: Mapping[str, Callable[[Sequence[Description], Derived], Derived]] = {
    "irb2400": irb2400,
    "irb1400": irb1400,
    "crb15000": crb15000,
    "irb1600": irb1600,
    "irb4400": irb4400,
    "irb930": irb930,
}
"""Sets of the families whose published.yaml says more than the CAD, from variants and drawn sets.

Their drawings, and those of arms of the same lengths, keep one density: the published bodies say
where the mass is.
"""
