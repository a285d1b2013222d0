"""Assumed effort bounds in limits.yaml by one rule, since no torque limit is published.

Bound of an axis = largest gravity torque inside the ranges, with the rated payload 100 mm before
and 100 mm beside the flange centre
+ largest inertia of the axis times its speed limit reached in 0.25 s
+ friction at the speed limit, where it is known; rounded up to two digits.
Rows that several variants share take the largest of them; an axis whose speed is unknown has none.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..errors import PhysicsWarning
from ..files import read_text
from ..model.tool import payload
from ..model.types import Array
from ..robot.robot import load
from ..tables.description import Description
from ..tables.reader import read
from ..tables.schema import AxisRow, LimitRows, LimitsTable
from .output import Files

RISE_TIME = 0.25  # [s] to the speed limit
PAYLOAD_AT = (0.1, 0.0, 0.1)  # [m] in tool0
STATES = 2000
RULE = "rule"
"""Source that a row of limits.yaml names for an effort by this rule."""
RULE_SOURCE = {
    "ref": "no torque limit of this robot is published",
    "grade": "assumed",
    "how": (
        "bound, not a data sheet value: largest gravity torque inside the ranges, with the rated"
        " payload 100 mm before and 100 mm beside the flange centre, plus the largest inertia of"
        " the axis times its speed limit reached in 0.25 s, plus friction at the speed limit where"
        " known; rounded up to two digits (irbmodels/cad/efforts.py)"
    ),
}


def limits_file(robots: Sequence[Description]) -> Files:
    """Return limits.yaml of a family with the bounds in place; all else stays to the character.

    Raises:
        TableError: if a table breaks the format.
    """
    path = robots[0].folder / "limits.yaml"
    return {Path(path.name): _rewritten(read_text(path), efforts(robots))}


def bounds(description: Description) -> Array:
    """Return the bound of every axis [N m, N], not rounded; infinite where its speed is unknown."""
    ratings = description.limits.ratings
    robot = load(description.folder / description.name)
    with warnings.catch_warnings():
        # a load to scale torques by: a wrist may be rated for less of it
        warnings.simplefilter("ignore", PhysicsWarning)
        robot = robot.with_payload(payload(ratings.payload_kg, PAYLOAD_AT))
    limits, rng = robot.limits, np.random.default_rng(0)
    _, inverse, lower, upper = limits.axis_ranges
    q = limits.moved_inside(rng.uniform(lower, upper, (STATES, robot.n)) @ inverse.T)
    gravity = np.abs(robot.gravity(q)).max(axis=0)
    inertia = robot.mass_matrix(q).diagonal(axis1=1, axis2=2).max(axis=0)
    known = np.where(np.isfinite(limits.velocity), limits.velocity, 0.0)
    friction = robot.friction(known) if robot.friction_model else np.zeros(robot.n)
    bound: Array = gravity + inertia * limits.velocity / RISE_TIME + friction
    return bound


def rounded_up(value: float, digits: int = 2) -> float:
    """Return the next larger number with ``digits`` digits."""
    scale = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return float(f"{math.ceil(value / scale) * scale:.{digits}g}")


def efforts(robots: Sequence[Description]) -> dict[tuple[str, str], float]:
    """Return the bound of every row of a family that follows the rule, by (variant or '', axis)."""
    table = read(robots[0].folder / "limits.yaml", LimitsTable)
    largest: dict[tuple[str, str], float] = {}
    for robot in robots:
        own = table.variants.get(robot.name, LimitRows()).axes
        rows = {axis: (table.axes | own)[axis] for axis in robot.axes}
        ruled = [number for number, row in enumerate(rows.values()) if follows_rule(row)]
        if not robot.inertials.sets[robot.inertials.default].links:
            continue  # its masses are unknown
        bound = bounds(robot) if ruled else np.zeros(len(rows))
        for number in ruled:
            axis = robot.axes[number]
            place = (robot.name if axis in own else "", axis)
            largest[place] = max(largest.get(place, 0.0), rounded_up(float(bound[number])))
    return largest


def follows_rule(row: AxisRow) -> bool:
    """Return whether the effort of an axis is one by the rule."""
    stated = [name for name in ("effort_N", "effort_N_m") if getattr(row, name) is not None]
    return any(row.source_of(name) == RULE for name in stated)


def _rewritten(text: str, largest: dict[tuple[str, str], float]) -> str:
    lines, variant, below = text.splitlines(), "", False
    for i, line in enumerate(lines):
        below = below or line.startswith("variants:")
        if below and (match := re.match(r"  (\w+):", line)):
            variant = match[1]
        if (match := re.match(r"\s+(axis_\d+): \{", line)) and (variant, match[1]) in largest:
            lines[i] = re.sub(
                r"(effort_N(?:_m)?: )[\d.]+", rf"\g<1>{largest[variant, match[1]]:g}", line
            )
    return "\n".join(lines) + "\n"
