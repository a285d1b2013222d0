"""Bounds that samples of a path are checked against."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...checks import as_instance, finite
from ...errors import InputError
from ...kinematics.singularities import NEAR_ANGLE, NEAR_AXIS
from ...model.types import Array
from ...robot.collision import collides, contacts
from ...robot.robot import Robot
from ...robot.tool_extent import ToolExtent
from .samples import Samples
from .violations import Criterion, Finding, bounds_criterion


class Box(NamedTuple):
    """A box in the world [m], as a world zone, that TCP and tool must not leave."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


def box_corners(box: Box) -> tuple[Array, Array]:
    """Return the lower and the upper corner of a box as arrays ``(3,)`` [m].

    Raises:
        InputError: if it is no box of finite numbers, or is empty.
    """
    corners = as_instance(box, Box, "a box is Box(lower, upper)")
    low, high = (finite(corner, (3,), "a corner of the box [m]") for corner in corners)
    if not (low < high).all():
        raise InputError(f"the box is empty: {low.tolist()} .. {high.tolist()} m")
    return low, high


def axis_criteria(
    robot: Robot, samples: Samples, acceleration: Array | None
) -> Iterator[Criterion]:
    """Yield ranges, speeds, torques and, with limits ``(n,)``, accelerations, axis by axis."""
    limits, tau = robot.limits, samples.parts.total
    low, high, fastest, strongest = limits.lower, limits.upper, limits.velocity, limits.effort
    names, values = limits.names(), samples.q @ limits.A.T
    for i, linear in enumerate(limits.linear.tolist()):
        length, force = ("m", "N") if linear else ("rad", "N m")
        rows = [
            ("range", names[i], values, low[i], high[i], length, limits.range_assumed[i]),
            ("speed", f"v{i + 1}", samples.v, -fastest[i], fastest[i], f"{length}/s",
             limits.velocity_assumed[i]),
            ("torque", f"tau{i + 1}", tau, -strongest[i], strongest[i], force,
             limits.effort_assumed[i]),
        ]  # fmt: skip
        if acceleration is not None:
            bound, unit = acceleration[i], f"{length}/s^2"
            rows.insert(2, ("acceleration", f"a{i + 1}", samples.a, -bound, bound, unit, False))
        for kind, quantity, columns, lower, upper, unit, assumed in rows:
            bounds = float(lower), float(upper)
            criterion = bounds_criterion(kind, i + 1, quantity, columns[:, i], bounds, unit)
            yield criterion._replace(assumed=bool(assumed))
    for k in range(limits.n, len(names)):  # of sums
        axis = int(limits.row_axes[k])
        bounds, unit = (float(low[k]), float(high[k])), "m" if limits.linear[axis] else "rad"
        criterion = bounds_criterion("range", axis + 1, names[k], values[:, k], bounds, unit)
        yield criterion._replace(assumed=bool(limits.range_assumed[k]))


def box_criteria(tool: ToolExtent, box: Box, samples: Samples) -> Iterator[Criterion]:
    """Yield the bounds of the box for the TCP, and for the tool where it has shapes."""
    extents = {"TCP": (samples.tcp, samples.tcp)}
    if tool.name != "TCP":
        extents["tool"] = tool.ends(samples.q, samples.tcp)
    for i, name in enumerate("xyz"):
        bounds = float(box.lower[i]), float(box.upper[i])
        for what, (low, high) in extents.items():
            below, above = bounds[0] - low[:, i], high[:, i] - bounds[1]
            value, excess = (
                np.where(below >= above, low[:, i], high[:, i]),
                np.maximum(below, above),
            )
            yield Criterion("box", None, f"{what} {name}", value, excess, *bounds, "m")


def collision_criterion(robot: Robot, q: Array) -> Criterion:
    """Return the criterion of no self-collision: 1 where postures ``(N, n)`` collide, else 0."""
    touching = np.asarray(collides(robot, q), dtype=float)
    return Criterion("collision", None, "contact", touching, touching, math.nan, math.nan, "")


def singularity_criteria(samples: Samples) -> Iterator[Criterion]:
    """Yield the distances from singularities, which exceed where they are near."""
    for kind, value, near, unit in (
        ("wrist", samples.wrist, NEAR_ANGLE, "rad"),
        ("elbow", samples.elbow, NEAR_ANGLE, "rad"),
        ("shoulder", samples.shoulder, NEAR_AXIS, "m"),
    ):
        yield Criterion(kind, None, kind, value, near - np.abs(value), -near, near, unit)


def name_links(robot: Robot, finding: Finding) -> Finding:
    """Return a collision with the names of the links that touch; any other finding as it is."""
    if finding.kind != "collision" or finding.q is None:
        return finding
    pairs = contacts(robot, finding.q)
    return finding._replace(text="; ".join(f"{a} touches {b}" for a, b in pairs))


def describe_singularity(finding: Finding) -> Finding:
    """Return a nearness to a singularity with its distance in words."""
    distance = abs(finding.value)
    length, angle = f"{1000.0 * distance:.2f} mm", f"{math.degrees(distance):.3f} deg"
    away = length if finding.unit == "m" else angle
    return finding._replace(text=f"{away} from the {finding.kind} singularity")
