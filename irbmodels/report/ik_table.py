"""Solutions of the inverse kinematics: a table in the controller's units, a record in SI units."""

from __future__ import annotations

from ..kinematics.inverse.solutions import Solutions
from ..robot.robot import Robot
from .text_table import TextTable


def solutions_table(robot: Robot, solutions: Solutions) -> TextTable:
    """Return a row per posture: axis positions, configuration, singularities, ranges, distance."""
    heads, rows, violations = solutions.table()
    title = f"{robot.name}: {len(solutions)} solutions"
    return TextTable(*heads, rows=rows, title=title, notes=violations)


def solutions_record(robot: Robot, solutions: Solutions) -> dict[str, object]:
    """Return the same for programs, in SI units; an arm of seven axes has no confdata."""
    rows = [
        {
            "q_rad": one.q,
            "configuration": None if robot.n == 7 else one.configuration,
            "singularities": [name for name, on in one.flags._asdict().items() if on],
            "in_range": one.in_range,
            "violations": robot.limits.violations(one.q),
            "distance_s": one.distance,
            "programmed": one.programmed,
        }
        for one in solutions
    ]
    return {"solutions": rows, "note": solutions.note, "missing_m": solutions.missing}
