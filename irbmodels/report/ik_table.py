"""Solutions of the inverse kinematics for a terminal, in the controller's units."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

from ..errors import InputError
from ..kinematics.inverse.solutions import Solutions
from ..robot.robot import Robot
from .text_table import TextTable

_LENGTH_TOLERANCE = 1e-3  # of a quaternion typed with four digits


def pose_from(text: str) -> pin.SE3:
    """Return the pose that ``x,y,z,q1,q2,q3,q4`` means: mm, and a quaternion with the scalar first.

    Raises:
        InputError: if it is not seven finite numbers, or the quaternion has not length 1.
    """
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 7 or not all(math.isfinite(number) for number in numbers):
        raise InputError(
            f"--pose {text!r}: a pose is x,y,z in mm and a quaternion q1,q2,q3,q4, scalar first:"
            " seven numbers"
        )
    length = math.sqrt(sum(number * number for number in numbers[3:]))
    if abs(length - 1.0) > _LENGTH_TOLERANCE:
        raise InputError(
            f"--pose {text!r}: the quaternion has length {length:.6g}, not 1; the scalar q1 comes"
            " first"
        )
    w, x, y, z = (number / length for number in numbers[3:])
    return pin.SE3(pin.Quaternion(w, x, y, z).toRotationMatrix(), np.array(numbers[:3]) / 1000.0)


def solutions_table(robot: Robot, solutions: Solutions) -> TextTable:
    """Return a row per posture: axis positions, configuration, singularities, ranges, distance."""
    heads, rows, violations = solutions.table()
    title = f"{robot.name}: {len(solutions)} solutions"
    return TextTable(*heads, rows=rows, title=title, notes=violations)
