"""What is watched along a path."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...model.types import Array
from ...robot.collision import collides, contacts
from ...robot.robot import Robot
from ...robot.tool_extent import ToolExtent
from ...trajectory import Motion
from .samples import Samples
from .violations import Finding, Watch, outside

NEAR = math.radians(5.0)
"""[rad] of a wrist or an elbow: speeds of the axes there are over ten times the tool's."""
NEAR_AXIS = 0.05
"""[m] of the wrist centre from axis 1."""


class Box(NamedTuple):
    """A box in base axes [m] that TCP and tool must not leave."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


def axis_watches(
    robot: Robot, motion: Motion, samples: Samples, limit: Array | None
) -> Iterable[Watch]:
    """Return what watches ranges, speeds, torques and, with limits, accelerations."""
    limits, names = robot.limits, robot.limits.names()
    values = motion.q @ limits.A.T
    assert motion.v is not None
    assert motion.a is not None
    for i, linear in enumerate(limits.linear.tolist()):
        length, force = ("m", "N") if linear else ("rad", "N m")
        one = outside(
            "range", i + 1, names[i], values[:, i], (limits.lower[i], limits.upper[i]), length
        )
        yield one._replace(assumed=bool(limits.range_assumed[i]))
        bounds = -limits.velocity[i], limits.velocity[i]
        one = outside("speed", i + 1, f"v{i + 1}", motion.v[:, i], bounds, f"{length}/s")
        yield one._replace(assumed=bool(limits.velocity_assumed[i]))
        if limit is not None:
            yield outside(
                "acceleration",
                i + 1,
                f"a{i + 1}",
                motion.a[:, i],
                (-limit[i], limit[i]),
                f"{length}/s^2",
            )
        one = outside(
            "torque",
            i + 1,
            f"tau{i + 1}",
            samples.parts.total[:, i],
            (-limits.effort[i], limits.effort[i]),
            force,
        )
        yield one._replace(assumed=bool(limits.effort_assumed[i]))


def box_watches(tool: ToolExtent, box: Box, q: Array, tcp: Array) -> Iterable[Watch]:
    """Return what watches that TCP and tool stay in the box."""
    low, high = tool.ends(q, tcp)
    for i, name in enumerate("xyz"):
        bounds = float(box.lower[i]), float(box.upper[i])
        for what, below, above in (("TCP", tcp[:, i], tcp[:, i]), ("tool", low[:, i], high[:, i])):
            if what == "TCP" or tool.name != "TCP":
                lower, upper = bounds[0] - below, above - bounds[1]
                value, excess = np.where(lower >= upper, below, above), np.maximum(lower, upper)
                yield Watch("box", None, f"{what} {name}", value, excess, *bounds, "m")


def collision_watch(robot: Robot, q: Array) -> Watch:
    """Return what watches that the robot does not touch itself."""
    touching = np.asarray(collides(robot, q), dtype=float)
    return Watch("collision", None, "contact", touching, touching, math.nan, math.nan, "")


def near_watches(samples: Samples) -> Iterable[Watch]:
    """Return what watches how near singularities are; 0 is as far as counts as near."""
    for kind, value, near, unit in (
        ("wrist", samples.wrist, NEAR, "rad"),
        ("elbow", samples.elbow, NEAR, "rad"),
        ("shoulder", samples.shoulder, NEAR_AXIS, "m"),
    ):
        yield Watch(kind, None, kind, value, near - np.abs(value), -near, near, unit)


def told(robot: Robot, one: Finding) -> Finding:
    """Name the links of a collision."""
    if one.kind != "collision" or one.q is None:
        return one
    pairs = contacts(robot, one.q)
    return one._replace(text="; ".join(f"{a} touches {b}" for a, b in pairs))


def near_told(one: Finding) -> Finding:
    """Say how near which singularity is."""
    away = (
        f"{1000.0 * abs(one.value):.2f} mm"
        if one.unit == "m"
        else f"{math.degrees(abs(one.value)):.3f} deg"
    )
    return one._replace(text=f"{away} from the {one.kind} singularity")
