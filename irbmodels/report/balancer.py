"""Table of what a spring or balancer does over the range of its axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingData
from ..model.springs import PullingElement, Spring
from ..model.types import Array
from ..robot.robot import Robot
from ..tables.schema import SpringRow
from ..tables.spring_rows import line_of_pivots, spring_of
from .text_table import TextTable

STEPS = 8  # between the ends of the range, beside 0


def balancer_record(robot: Robot, part: str, row: SpringRow) -> dict[str, Any]:
    """Return length, force and torque of a spring, and gravity of the bodies, over its axis.

    All other axes are at 0; gravity of axis 2 does not depend on an axis 3 that holds the upper arm
    against the base. What is unknown is None. Of a linear axis ``_rad`` means m, and ``_N_m`` N.

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
    line, element = line_of_pivots(row, axes), spring_of(row, axes, linear)
    bodies = _weight(robot, place, q)
    spring = None if element is None else element.torque(q)
    return {
        "part": part,
        "axis": place + 1,
        "kind": row.kind,
        "q_rad": q,
        "length_m": None if line is None else line.distance(q),
        "force_N": element.force(q) if isinstance(element, PullingElement) else None,
        "spring_N_m": spring,
        "bodies_N_m": bodies,
        "motor_N_m": None if spring is None or bodies is None else bodies + spring,
    }


def balancer_table(record: dict[str, Any], robot: Robot) -> TextTable:
    """Return a record as a table, in mm and degrees; columns of what is unknown are left out."""
    slides = bool(robot.limits.linear[record["axis"] - 1])
    shown = 1000.0 * record["q_rad"] if slides else np.degrees(record["q_rad"])
    unit, length = "N" if slides else "N m", record["length_m"]
    columns: dict[str, tuple[Array | None, int]] = {
        "mm" if slides else "deg": (shown, 1),
        "length mm": (None if length is None else 1000.0 * length, 1),
        "force N": (record["force_N"], 0),
        f"it takes {unit}": (record["spring_N_m"], 0),
        f"bodies {unit}": (record["bodies_N_m"], 0),
        f"motor {unit}": (record["motor_N_m"], 0),
    }
    known = {name: (values, n) for name, (values, n) in columns.items() if values is not None}
    part, axis = record["part"].replace("_", " "), record["axis"]
    return TextTable(
        f"axis {axis} {next(iter(known))}",
        *list(known)[1:],
        rows=[
            tuple(f"{round(values[i], n) + 0.0:.{n}f}" for values, n in known.values())
            for i in range(shown.size)
        ],
        title=f"{robot.name}: {part} of axis {axis} ({record['kind']})",
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
