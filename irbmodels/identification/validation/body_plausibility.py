"""Findings on identified bodies that can exist, and are unlikely to be those of this robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...model.hulls import Hull
from ...model.inertia import Inertial
from ...model.tree import body_names
from ...robot.body_hulls import body_hulls
from ...robot.robot import Robot

# of the prior's mass, up or down: data sheets and drawings are nearer
OTHER_MASS = 1.5
# [kg/m^3] of the hull. Of 442 bodies in published URDFs and in the tables, stand-ins left out, 3
# are below (brackets of heads and sensors); the lightest link of an arm has 215 (Panda)
LIGHTEST_HULL = 100.0
# steel (7850), and half as much again for gears that are drawn in the neighbour: the steel flanges
# of the tables have up to 9100
HEAVIEST_HULL = 1.5 * 7850.0
# of the hull's diagonal, beyond it: cables, covers and gears that are not drawn. Links of the
# tables that are no copies reach 0, fingers of a Panda 0.05
BEYOND_HULL = 0.1
# rated mass: data sheets round to 5 or 10 kg, and do not say whether cables and oil count
HEAVIEST = 1.1
# half length of a box in units of its radius of gyration
HALF_BOX = np.sqrt(3.0)


def implausible_bodies(
    bodies: Mapping[str, Inertial], prior: Robot, hidden: Sequence[int] | None = None
) -> tuple[str, ...]:
    """Return what is unlikely about identified bodies, a line each; none if nothing is.

    A mass is unlikely that is half as large again as that of the prior, or as little of it; or
    whose density in the convex hull of the link's shapes is no machine's. A centre of mass is where
    it lies outside of that hull by more than a tenth of its diagonal. Where a link has no shapes,
    or such that exclude the prior's body as well, the uniform box that has the prior's inertia
    stands in: all of the prior's mass in the side of such a box would not move the centre out of
    it. A spring or balancer that the robot does not have shows so: its torque is nearly that of a
    first moment.

    Links whose meshes cannot be read have a line of their own, the last one.

    Args:
        bodies: Identified ones, in axes of their links, without tool and payload.
        prior: The robot whose bodies are known beforehand.
        hidden: Axes, 0-based, whose springs cannot be told from weight; default: not looked for.
    """
    bare = prior.with_load().model
    known = {
        link: Inertial.of(body.mass, body.lever, body.inertia)
        for link, body in zip(body_names(bare), list(bare.inertias)[1:], strict=True)
    }
    hulls, lost = body_hulls(prior)
    findings = [
        f"{link}: {'; '.join(found)}"
        for link, body in bodies.items()
        if (found := list(_findings(body, known[link], hulls.get(link))))
    ]
    rated = None if prior.description is None else prior.description.limits.ratings.mass_kg
    total = sum((known | dict(bodies))[link].mass for link in known)
    if rated is not None and total > HEAVIEST * rated:
        findings.append(
            f"the moving links weigh {total:.4g} kg together, more than the whole robot"
            f" ({rated:.4g} kg)"
        )
    if findings:
        findings.append(_suspects(hidden))
    unread = [link for link in lost if link in bodies]
    if unread:
        findings.append(
            f"not compared with shapes that cannot be read: {', '.join(unread)} ({lost[unread[0]]})"
        )
    return tuple(findings)


def _suspects(hidden: Sequence[int] | None) -> str:
    spring = "an axis a spring or balancer that the robot does not have"
    if hidden:
        axes = ", ".join(str(axis + 1) for axis in hidden)
        spring = f"axis {axes} a spring or balancer that the robot does not have"
    elif hidden is not None:
        spring = "an axis a balancer whose torque is that of a weight"
    return f"bodies that are unlikely: has {spring}, or the arm another tool or load?"


def _findings(body: Inertial, known: Inertial, hull: Hull | None) -> Iterator[str]:
    is_known = known.mass > 0.0 and not known.impossibilities()
    if is_known and not 1.0 / OTHER_MASS <= body.mass / known.mass <= OTHER_MASS:
        yield f"{body.mass:.3g} kg, prior {known.mass:.3g} kg"
    # shapes that exclude the body of the prior are not those of the link
    if hull is not None and not (is_known and _excludes(hull, known)):
        if (density := body.mass / hull.volume) < LIGHTEST_HULL or density > HEAVIEST_HULL:
            yield (
                f"{body.mass:.3g} kg in a hull of {1e3 * hull.volume:.3g} l, {density:.3g} kg/m^3,"
                f" where machines have {LIGHTEST_HULL:g} to {HEAVIEST_HULL:g}"
            )
        if (outside := hull.outside(body.com)) > BEYOND_HULL * hull.size:
            yield f"centre of mass {1e3 * outside:.0f} mm outside of the hull of its shapes"
    elif is_known:
        yield from _outside_box(body, known)


def _excludes(hull: Hull, body: Inertial) -> bool:
    """Return whether a hull is too light, too heavy, or elsewhere for a body."""
    density = body.mass / hull.volume
    is_elsewhere = hull.outside(body.com) > BEYOND_HULL * hull.size
    return is_elsewhere or not LIGHTEST_HULL <= density <= HEAVIEST_HULL


def _outside_box(body: Inertial, known: Inertial) -> Iterator[str]:
    moments = 0.5 * np.trace(known.tensor) * np.eye(3) - known.tensor
    squares, axes = np.linalg.eigh(moments / known.mass)
    moved = axes.T @ (np.asarray(body.com) - np.asarray(known.com))
    if (np.abs(moved) > HALF_BOX * np.sqrt(np.maximum(squares, 0.0))).any():
        yield (
            f"centre of mass {1000.0 * np.linalg.norm(moved):.0f} mm from the prior's, outside of a"
            " box with the prior's inertia"
        )
