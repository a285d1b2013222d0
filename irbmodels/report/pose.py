"""A pose for a terminal, in the controller's units."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..kinematics.frames import Reference
from ..model.rotations import quaternion
from ..model.types import Array
from ..robot.robot import Robot


def pose_text(robot: Robot, q: ArrayLike, frame: str, reference: Reference = "base") -> str:
    """Return the pose of a frame: position [mm], quaternion q1..q4 (scalar first), matrix [m]."""
    pose = robot.pose(q, frame, reference=reference)
    assert isinstance(pose, pin.SE3)  # one posture
    units = ["mm" if linear else "deg" for linear in robot.limits.linear]
    shown = (f"{value:g} {unit}" for value, unit in zip(robot.to_controller(q), units, strict=True))

    def row(values: Array, width: int, digits: int) -> str:
        rounded = np.round(values, digits) + 0.0  # no minus sign before a zero
        return "  ".join(f"{value:{width}.{digits}f}" for value in rounded)

    return "\n".join(
        (
            f"{robot.name} {frame} in {reference} at {', '.join(shown)}",
            f"position [mm]       {row(1000.0 * pose.translation, 10, 4)}",
            f"quaternion q1..q4   {row(quaternion(pose.rotation), 10, 7)}",
            "matrix [m]",
            *(f"  {row(values, 11, 7)}" for values in pose.homogeneous),
        )
    )
