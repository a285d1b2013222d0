"""Who is in a scene."""

from __future__ import annotations

from dataclasses import dataclass

import pinocchio as pin
from numpy.typing import ArrayLike

from ..robot.robot import Robot
from ..trajectory import Motion
from ..trajectory.motion_files import MotionFile

LAYERS = ("frames", "axes", "com", "ellipsoids", "boxes", "trace", "hulls", "torques")
"""What can be shown besides the robots."""


@dataclass(frozen=True, eq=False)
class Actor:
    """A robot in a scene.

    Several make a cell, or show a measured beside a simulated motion.
    """

    robot: Robot
    q: ArrayLike | None = None
    """Posture [rad, m], shape ``(n,)``; default all zero."""
    motion: Motion | MotionFile | None = None
    """Motion to play, or the opened file of one.

    Torques are predicted where it has speeds and accelerations.
    """
    place: ArrayLike | pin.SE3 | None = None
    """Pose of the base in the scene, ``(4, 4)``; default the origin."""
    opacity: float = 1.0
    """1 solid .. 0 invisible."""
    name: str | None = None
    """Title; default the robot's name."""
