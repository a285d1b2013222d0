"""Solutions of the inverse kinematics for a terminal, in the controller's units."""

from __future__ import annotations

from ..kinematics.inverse.solutions import Solutions
from ..robot.robot import Robot
from .text_table import TextTable


def solutions_table(robot: Robot, solutions: Solutions) -> TextTable:
    """Return a row per posture: axis positions, configuration, singularities, ranges, distance."""
    heads, rows, violations = solutions.table()
    title = f"{robot.name}: {len(solutions)} solutions"
    return TextTable(*heads, rows=rows, title=title, notes=violations)
