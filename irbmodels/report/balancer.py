"""Table of what a spring or balancer does over the range of its axis."""

from __future__ import annotations

import numpy as np

from ..errors import MissingData
from ..model.springs import PullingElement, Spring
from ..model.types import Array
from ..robot.robot import Robot
from ..tables.schema import SpringRow
from ..tables.spring_rows import line_of_pivots, spring_of
from .text_table import TextTable

STEPS = 8  # between the ends of the range, beside 0


def balancer_table(robot: Robot, part: str, row: SpringRow) -> TextTable:
    """Return length, force and torque of a spring, and gravity of the bodies, over its axis.

    All other axes are at 0; gravity of axis 2 does not depend on an axis 3 that holds the upper arm
    against the base. Columns of what is unknown are left out.

    Args:
        robot: With tables.
        part: Name of the spring.
        row: Its row, perhaps with more numbers than the tables'.
    """
    assert robot.description is not None
    axes, linear = robot.description.axes, robot.limits.linear.tolist()
    place = axes.index(row.axis)
    lower, upper = (float(end[place]) for end in robot.limits.envelope())
    q = np.unique([*np.linspace(lower, upper, STEPS + 1), *([0.0] if lower < 0 < upper else [])])
    shown = q * 1000.0 if linear[place] else np.degrees(q)
    columns: dict[str, tuple[Array, int]] = {f"{'mm' if linear[place] else 'deg'}": (shown, 1)}
    line, element = line_of_pivots(row, axes), spring_of(row, axes, linear)
    if line is not None:
        columns["length mm"] = 1000.0 * line.distance(q), 1
    if isinstance(element, PullingElement):
        columns["force N"] = element.force(q), 0
    unit = "N" if linear[place] else "N m"
    bodies = _weight(robot, place, q)
    if element is not None:
        columns[f"it takes {unit}"] = element.torque(q), 0
    if bodies is not None:
        columns[f"bodies {unit}"] = bodies, 0
    if element is not None and bodies is not None:
        columns[f"motor {unit}"] = bodies + element.torque(q), 0
    return TextTable(
        f"axis {place + 1} {next(iter(columns))}",
        *list(columns)[1:],
        rows=[
            tuple(
                f"{round(values[i], digits) + 0.0:.{digits}f}"
                for values, digits in columns.values()
            )
            for i in range(q.size)
        ],
        title=f"{robot.name}: {part.replace('_', ' ')} of axis {place + 1} ({row.kind})",
    )


def _weight(robot: Robot, place: int, q: Array) -> Array | None:
    """Return gravity of the bodies at positions of one axis, None where no masses are known."""
    states = np.zeros((q.size, robot.n))
    states[:, place] = q
    none: tuple[Spring, ...] = ()
    try:
        return np.asarray(robot.with_springs(none).gravity(states)[:, place])
    except MissingData:
        return None
