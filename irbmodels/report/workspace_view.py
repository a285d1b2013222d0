"""Plane of a working range as it is shown: in the base, or where the robot is mounted."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kinematics.arm_geometry import Scara
from ..kinematics.frames import Reference, in_world
from ..kinematics.planar_boundary import Arc
from ..kinematics.workspace import Extremes, Workspace
from ..model.types import Array
from ..robot.robot import Robot

_UPRIGHT = 1e-9  # by which a cosine may miss 1
_NO_VIEW = "ask for the working range in the base"


class View(NamedTuple):
    """Plane of a working range as it is shown: ``turn @ point + shift`` [m]."""

    turn: Array
    """Orthogonal, shape ``(2, 2)``."""
    shift: Array
    level: float = 0.0
    """Height of the base of a SCARA [m], seen from above."""
    upward: float = 1.0
    """1 where its axis 1 points up, -1 where it hangs."""
    where: str = ""
    """Origin of the coordinates, for a title."""

    def points(self, points: ArrayLike) -> Array:
        """Return points of the arm's plane ``(..., 2)`` as they are shown."""
        return np.asarray(np.asarray(points) @ self.turn.T + self.shift)

    def height(self, height: float) -> float:
        """Return a height above the base of a SCARA as it is shown [m]."""
        return self.level + self.upward * height

    def arc(self, arc: Arc) -> Arc:
        """Return an arc of the plane as it is shown."""
        x, y = self.points(arc.center).tolist()
        side = float(np.round(np.linalg.det(self.turn)))
        angle = math.atan2(self.turn[1, 0], self.turn[0, 0])
        return arc._replace(
            center=(x, y), start=side * arc.start + angle, end=side * arc.end + angle
        )


def view_of(robot: Robot, space: Workspace, reference: Reference = "base") -> View:
    """Return how the plane of a working range is shown.

    In the base as it is. In the world the plane with axis 1 at 0, from the base ahead and from the
    world's origin up; of a SCARA x and y of the world.

    Raises:
        InputError: if that plane is not vertical in the world, or a SCARA's not level.
    """
    if not in_world(reference):
        return View(np.eye(2), np.zeros(2))
    arm, base = space.arm, robot.world_from_base.homogeneous
    foot = base[:3, :3] @ arm.arm_from_base.T @ (arm.origin_in_arm * [1.0, 1.0, 0.0]) + base[:3, 3]
    x, y, z = (base[:3, :3] @ arm.arm_from_base.T).T  # axes of the arm in the world
    if isinstance(arm, Scara):
        if abs(z[2]) < 1.0 - _UPRIGHT:
            raise InputError(f"axis 1 of {robot.name} leans in the world: {_NO_VIEW}")
        turn = np.array([x[:2], y[:2]]).T
        return View(turn, foot[:2], float(foot[2]), float(z[2]), ", in the world")
    up = np.array([x[2], z[2]])
    if np.linalg.norm(up) < 1.0 - _UPRIGHT:
        raise InputError(
            f"the plane of {robot.name} with axis 1 at 0 leans in the world: {_NO_VIEW}"
        )
    ahead = np.array([up[1], -up[0]])
    forward = ahead[0] if abs(ahead[0]) > _UPRIGHT else ahead[1]
    turn = np.array([math.copysign(1.0, forward) * ahead, up])
    shift = np.array([0.0, foot[2]])
    return View(turn, shift, where=", x from the base, z in the world")


def shown_extremes(space: Workspace, view: View) -> Extremes:
    """Return the extremes of a working range as it is shown; the reach is that of the arm."""
    points = np.array(
        [point for loop in space.outlines for arc in loop for point in view.arc(arc).extremes()]
    )
    (right, top), (left, bottom) = points.max(axis=0).tolist(), points.min(axis=0).tolist()
    return Extremes(right, left, top, bottom, space.extremes().reach)
