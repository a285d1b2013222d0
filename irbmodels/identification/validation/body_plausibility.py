"""Findings on identified bodies that can exist, and are unlikely to be those of this robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...model.inertia import Inertial
from ...model.tree import body_names
from ...robot.robot import Robot

# of the prior's mass, up or down: data sheets and drawings are nearer
OTHER_MASS = 1.5
# rated mass: data sheets round to 5 or 10 kg, and do not say whether cables and oil count
HEAVIEST = 1.1
# half length of a box in units of its radius of gyration
HALF_BOX = np.sqrt(3.0)
SUSPECTS = (
    "bodies that are unlikely: has an axis a spring or balancer that the robot does not have, or"
    " the arm another tool or load?"
)


def implausible_bodies(bodies: Mapping[str, Inertial], prior: Robot) -> tuple[str, ...]:
    """Return what is unlikely about identified bodies, a line each; none if nothing is.

    A mass is unlikely that is half as large again as that of the prior, or as little of it. A
    centre of mass is where it lies outside of the uniform box that has the prior's inertia: all of
    the prior's mass in the side of such a box would not move it there. A spring or balancer that
    the robot does not have shows so: its torque is nearly that of a first moment.

    Args:
        bodies: Identified ones, in axes of their links, without tool and payload.
        prior: The robot whose bodies are known beforehand.
    """
    bare = prior.with_load().model
    known = {
        link: Inertial.of(body.mass, body.lever, body.inertia)
        for link, body in zip(body_names(bare), list(bare.inertias)[1:], strict=True)
    }
    findings = [
        f"{link}: {'; '.join(found)}"
        for link, body in bodies.items()
        if known[link].mass > 0.0 and not known[link].impossibilities()
        if (found := list(_findings(body, known[link])))
    ]
    rated = None if prior.description is None else prior.description.limits.ratings.mass_kg
    total = sum((known | dict(bodies))[link].mass for link in known)
    if rated is not None and total > HEAVIEST * rated:
        findings.append(
            f"the moving links weigh {total:.4g} kg together, more than the whole robot"
            f" ({rated:.4g} kg)"
        )
    if findings:
        findings.append(SUSPECTS)
    return tuple(findings)


def _findings(body: Inertial, known: Inertial) -> Iterator[str]:
    if not 1.0 / OTHER_MASS <= body.mass / known.mass <= OTHER_MASS:
        yield f"{body.mass:.3g} kg, prior {known.mass:.3g} kg"
    moments = 0.5 * np.trace(known.tensor) * np.eye(3) - known.tensor
    squares, axes = np.linalg.eigh(moments / known.mass)
    moved = axes.T @ (np.asarray(body.com) - np.asarray(known.com))
    if (np.abs(moved) > HALF_BOX * np.sqrt(np.maximum(squares, 0.0))).any():
        yield (
            f"centre of mass {1000.0 * np.linalg.norm(moved):.0f} mm from the prior's, outside of a"
            " box with the prior's inertia"
        )
