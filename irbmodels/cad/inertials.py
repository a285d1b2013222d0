"""Inertial sets of the CAD: links at the robot's mass, and bars lumped onto an open chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..model.inertia import Inertial
from ..model.provenance import Source
from ..model.types import Array
from ..tables.description import Description
from .builds import is_serial, mass_split, robot_mass, weighed
from .inertial_table import DerivedSet, SourcedBodies, rows_text, sourced
from .split_table import class_row, parallelogram_row

Derived = tuple[dict[str, Source], dict[str, DerivedSet]]
"""Sources and sets of a table, the default set first."""


def drawn_sets(robots: Sequence[Description], one_density: bool = False) -> Derived:
    """Return the set ``cad`` of a family, and ``cad_lumped`` where there is a parallelogram.

    ``cad`` is the CAD at the mass of each variant, shared out by :mod:`.mass_split`. Where the mass
    of the robot is assumed, its links' are too. Variants whose mass is unknown have no bodies;
    where it is so of all, the set is named ``unknown``.

    Args:
        robots: Variants of the family.
        one_density: True for castings of one density from base to flange.
    """
    known = [robot for robot in robots if robot.limits.ratings.mass_kg is not None]
    unknown = tuple(robot.name for robot in robots if robot not in known)
    if not known:
        return {}, {"unknown": DerivedSet("the mass of the robot was not found", {})}
    masses = {
        robot.name: weighed(robot, None if one_density else mass_split(robot)) for robot in known
    }
    first, *others = masses.values()
    ratings, graded = known[0].limits.ratings, known[0].limits.sources
    how = _how(known[0], [one.castings for one in masses.values()], one_density)
    sources = {
        "cad": Source(
            "irbmodels/cad, shapes from the lengths in kinematics.yaml", "derived", how=how
        )
    }
    named = "cad"
    if graded[ratings.source_of("mass_kg")].grade == "assumed":
        whole = f"robot mass of limits.yaml, {ratings.mass_kg:g} kg"
        sources["cad_mass"] = Source(whole, "assumed", how="shared out as cad says")
        named = "{mass_kg: cad_mass, com_mm: cad, inertia_kg_m2: cad}"
    rows = sourced(first.bodies, named)
    different = {
        robot.name: one
        for robot, one in zip(known[1:], others, strict=True)
        if rows_text(sourced(one.bodies, named), 0) != rows_text(rows, 0)
    }
    variants = {name: sourced(one.bodies, named) for name, one in different.items()}
    about = "parametric CAD of ours at the robot's mass"
    if not one_density and is_serial(known[0]):
        about += f"; {class_row(robot_mass(known[0])).errors()}"
    if robots[0].kinematics.parallelogram is not None:
        about += f"; {parallelogram_row().errors()}"
    own = DerivedSet(about, rows, variants=variants, unknown=unknown)
    linkage = robots[0].kinematics.parallelogram
    if linkage is None or "serial" not in robots[0].couplings:
        return sources, {"cad": own}
    chain = DerivedSet(
        f"cad for an open chain: crank and rod on links 2 and 3; {exactness(robots[0])}",
        on_open_chain(rows, robots[0]),
        variants={name: on_open_chain(other, robots[0]) for name, other in variants.items()},
        unknown=unknown,
    )
    return sources, {"cad": replace(own, serial="cad_lumped"), "cad_lumped": chain}


def _how(robot: Description, castings: Sequence[float], one_density: bool) -> str:
    """Return how the links of a family share the mass of the robot; factors of all variants."""
    factors = ", ".join(dict.fromkeys(f"{factor:.3f}" for factor in castings))
    mass, split = robot_mass(robot), None if one_density else mass_split(robot)
    if split is None:
        return (
            f"mean densities in irbmodels/cad/body.py; those of castings times {factors} close the"
            f" robot to {mass:g} kg"
        )
    origin = f"the share of {', '.join(class_row(mass).bases)}"
    if robot.limits.base is not None:
        origin = "as in limits.yaml"
    corrected = ", ".join(f"{value:.2f}" for value in split.corrections.values())
    besides = f"; links 1 to 6 are corrected by {corrected}" if corrected else ""
    return (
        f"base {split.base:.4g} kg ({100.0 * split.base / mass:.1f} %), {origin}; mean densities in"
        f" irbmodels/cad/body.py, those of castings times {factors}, close moving links to the rest"
        f" of {mass:g} kg{besides}"
    )


def exactness(robot: Description) -> str:
    """Return what bodies on an open chain in place of the linkage keep, in words."""
    inexact = "M11 and M23" if robot.limits.crank is None else "M11, M23 and M33"
    return f"gravity exact, {inexact} not"


def on_open_chain(rows: SourcedBodies, robot: Description) -> SourcedBodies:
    """Return bodies for an open chain that pulls on the axes in every posture as the linkage does.

    :func:`lumped` leaves the mass of a counterweight on link_2 and puts its first moment on link_3,
    which no body so light has. Mass on axis 3 may be of either link: link_2 then gives link_3 as
    many kilograms there as a body can, and the tensor of link_3 is the nearest possible. Gravity is
    the same, what axis 3 accelerates more.
    """
    linkage, elbow = robot.kinematics.parallelogram, robot.kinematics.joints["joint_3"].a_mm
    assert linkage is not None
    chain = lumped(rows, linkage.crank_mm / 1000.0)
    (lower, source), (upper, _) = chain["link_2"], chain["link_3"]
    if not upper.impossibilities():
        return chain
    end = np.array([elbow / 1000.0, 0.0, 0.0])

    def left(mass: float) -> Inertial:
        return with_moments(lower, -mass, -mass * end, -mass * np.outer(end, end))

    given = 0.0
    while not left(given + 1.0).impossibilities():
        given += 1.0
    fuller = with_moments(upper, given, np.zeros(3), np.zeros((3, 3))).nearest_possible()
    return chain | sourced({"link_2": left(given), "link_3": fuller}, source)


def lumped(rows: SourcedBodies, crank_length: float) -> SourcedBodies:
    """Return bodies for an open chain that pulls on the axes in every posture as the linkage does.

    With C the crank's pin, ``crank_length`` [m] from the shoulder, the rod is at C(q3) + r(q2).
    Gravity asks for masses and first moments: both masses stand on link 2 at the shoulder, and what
    lies out of the linkage's plane, which turns neither way; in the plane the rod's r turns with
    link 2, C and the crank with link 3. Second moments go along. What no open chain has is a mass
    at C that the end of link 2 does not carry: M11 and M23 are not right, every other entry of M
    is.
    """
    bodies = {link: body for link, (body, _) in rows.items()}
    crank, rod = bodies["link_crank"], bodies["link_rod"]
    pin = np.array([0.0, -crank_length, 0.0])
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
    return sourced(kept | {"link_2": lower, "link_3": upper}, rows["link_2"][1])


def second_moments(body: Inertial) -> Array:
    """Return ``int r r' dm`` about the origin of the body's frame [kg m^2]."""
    return np.asarray(body.covariance() + body.mass * np.outer(body.com, body.com))


def with_moments(body: Inertial, mass: float, first: Array, second: Array) -> Inertial:
    """Return a body with mass, first and second moments about the origin of its frame added."""
    total = body.mass + mass
    com = (body.mass * body.com + first) / total
    covariance = second_moments(body) + second - total * np.outer(com, com)
    return Inertial.of(total, com, np.trace(covariance) * np.eye(3) - covariance)
