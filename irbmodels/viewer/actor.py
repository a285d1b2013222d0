"""Robots of a scene, and the check of what they show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_instance, finite, is_rotation
from ..errors import InputError
from ..model.types import Array
from ..robot.robot import Robot, load
from ..trajectory import Motion
from ..trajectory.motion_files import MotionFile

LAYERS = (
    *("handle", "frames", "axes", "com", "ellipsoids", "boxes", "trace", "hulls", "torques"),
    *("range", "singular"),
)
"""Layers that a page can show besides the robots."""


@dataclass(frozen=True, eq=False)
class Actor:
    """A robot in a scene.

    Several make a cell, or show a measured beside a simulated motion. As the last expression of a
    notebook's cell it shows itself, with a player where it has a motion.
    """

    _repr_html_: ClassVar[Callable[[Actor], str]]

    robot: Robot
    q: ArrayLike | None = None
    """Posture [rad, m], shape ``(n,)``; default all zero."""
    motion: Motion | MotionFile | None = None
    """Motion to play, or the opened file of one.

    Torques are predicted where it has speeds and accelerations.
    """
    pose: ArrayLike | pin.SE3 | None = None
    """Pose of the base in the scene, ``(4, 4)``; default where the robot is mounted."""
    opacity: float = 1.0
    """1 solid .. 0 invisible."""
    name: str | None = None
    """Title; default names of robot, tool and motion file, as ``irb2400_16 with spindle: part``."""


_ARMS = {
    "irb14000_left": (0, -130, 30, 0, 40, 0, 135),
    "irb14000_right": (0, -130, 30, 0, 40, 0, -135),
}
"""Arms of one robot, each where it is out of the other's way [deg]: their home in RobotStudio."""


def other_arms(robot: Robot) -> list[Actor]:
    """Return the arms that stand on the same base as a robot, each at its home."""
    if robot.description is None or robot.name not in _ARMS:
        return []
    others = {load(name): shown for name, shown in _ARMS.items() if name != robot.name}
    base = robot.world_from_base
    return [Actor(one.mounted(base), one.from_controller(q)) for one, q in others.items()]


class SceneActor(NamedTuple):
    """An actor whose posture, motion and pose are arrays that fit its robot."""

    robot: Robot
    q: Array
    motion: Motion | None
    pose: Array
    opacity: float
    name: str


def check_actor(actor: Actor) -> SceneActor:
    """Return an actor as arrays that fit its robot.

    Raises:
        InputError: if a field does not fit.
    """
    robot = as_instance(
        actor.robot,
        Robot,
        "the robot of an irbmodels.Actor is one that irbmodels.load or from_urdf returns",
    )
    name = as_instance(actor.name, str | None, "the name of an irbmodels.Actor is a text")
    if not isinstance(actor.opacity, int | float) or not 0.0 <= actor.opacity <= 1.0:
        raise InputError(f"opacity is a number from 0 to 1, not {actor.opacity!r}")
    q = np.zeros(robot.n) if actor.q is None else finite(actor.q, (robot.n,), "q")
    title = robot.name if robot.tool is None else f"{robot.name} with {robot.tool.name}"
    if isinstance(actor.motion, MotionFile):
        title += f": {actor.motion.path.stem}"
    motion = None if actor.motion is None else _check_motion(robot, actor.motion)
    place = robot.world_from_base if actor.pose is None else actor.pose
    return SceneActor(robot, q, motion, _check_pose(place), actor.opacity, name or title)


def _check_pose(value: ArrayLike | pin.SE3) -> Array:
    pose = finite(getattr(value, "homogeneous", value), (4, 4), "pose of an actor")
    if not is_rotation(pose[:3, :3]) or (pose[3] != [0.0, 0.0, 0.0, 1.0]).any():
        raise InputError(
            "the pose of an actor has a rotation, a translation and a last row 0 0 0 1"
        )
    return pose


def _check_motion(robot: Robot, motion: Motion | MotionFile) -> Motion:
    """Return a motion as arrays of one length; only speeds and torques may have gaps (NaN)."""
    if isinstance(motion, MotionFile):
        motion = motion.read()
    if not isinstance(motion, Motion):
        raise InputError(
            f"a motion is an irbmodels.Motion or what irbmodels.open_motion returns, not {motion!r}"
        )
    rows = np.shape(motion.t)
    if len(rows) != 1 or not rows[0]:
        raise InputError(
            f"a motion has at least one sample, and times in one row; its t has the shape {rows}"
        )
    t = finite(motion.t, rows, "t of a motion")
    q = finite(motion.q, (*rows, robot.n), f"q of a motion of {robot.name}")
    if (np.diff(t) <= 0.0).any():
        raise InputError("t of a motion does not grow")
    rest = [None if x is None else np.asarray(x, dtype=float) for x in motion[2:]]
    for name, x in zip(Motion._fields[2:], rest, strict=True):
        if x is not None and x.shape != q.shape:
            raise InputError(
                f"{name} of a motion of {robot.name} has the shape {x.shape}, its q {q.shape}"
            )
    return Motion(t, q, *rest)
