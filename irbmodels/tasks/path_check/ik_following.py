"""Axis positions along a Cartesian path, each next to the one before it, and where that cannot be."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...model.types import Array, Mask
from ...robot.robot import Robot
from ...trajectory.cartesian_path import PosePath
from .move_timing import STILL

_STEP, _TURN = 0.005, math.radians(1.0)  # [m], [rad] between samples of a path
_FEWEST, _MOST = 40, 2000
JUMP = math.radians(20.0)
"""An axis that turns more between two samples of a path, 5 mm or 1 degree apart, passes a singularity or changes posture."""


class Jump(NamedTuple):
    """Where an axis turns far within hardly any path."""

    s: float
    """[m]"""
    axis: int
    """Index."""
    angle: float
    """[rad]"""
    within: float
    """[m] of path."""


class Followed(NamedTuple):
    """A Cartesian path in axis positions."""

    s: Array
    """``(K,)`` [m]"""
    q: Array
    """``(K, n)``; fewer than asked where the path leaves the reach."""
    missing: float
    """How far beyond reach the next pose would have been [m]; 0 if the path is whole."""
    jumps: tuple[Jump, ...]

    def smooth(self, s: Array) -> Mask:
        """Whether distances ``(N,)`` are off every jump.

        At one, rates are those of no real motion.
        """
        passed = np.zeros(s.shape, dtype=bool)
        for jump in self.jumps:
            passed |= np.abs(s - jump.s) <= 1.5 * jump.within
        return ~passed


def follow(robot: Robot, path: PosePath, start: Array) -> Followed:
    """Return postures along a path of the robot's TCP, from the posture ``start`` that is on its first pose."""
    turn = float(np.linalg.norm(path.twists(0.0)[3:])) * path.length
    count = min(max(math.ceil(path.length / _STEP), math.ceil(turn / _TURN), _FEWEST), _MOST)
    s = np.linspace(0.0, path.length, count + 1)
    poses = path.poses(s)
    found: Any = robot.inverse_kinematics(poses)
    chosen, missing = [start], 0.0
    for k in range(1, len(s)):
        q = _nearest(robot, poses[k], found, k, chosen[-1])
        if q is None:
            missing = max(float(found.missing[k]), np.finfo(float).tiny)
            break
        chosen.append(q)
    q = np.array(chosen)
    return Followed(s[: len(q)], q, missing, tuple(_jumps(robot, s, q)))


def at(robot: Robot, followed: Followed, poses: Array, s: Array) -> Array:
    """Return the postures at other distances ``s`` ``(N,)`` of a path that was followed, on its poses ``(N, 4, 4)``."""
    found: Any = robot.inverse_kinematics(poses)
    rough = np.stack([np.interp(s, followed.s, column) for column in followed.q.T], axis=1)
    near = [_nearest(robot, pose, found, k, rough[k]) for k, pose in enumerate(poses)]
    return np.array([rough[k] if q is None else q for k, q in enumerate(near)])


def rates(robot: Robot, path: PosePath, s: Array, q: Array) -> tuple[Array, Array]:
    """Return ``dq/ds`` and ``d2q/ds2`` ``(N, n)`` on a path.

    Differences where the Jacobian has lost the direction.

    An axis that moves by rounding only has a rate of exactly 0: friction would take its sign.
    """
    along = path.at(s)
    rate = robot.inverse_velocity(q, along.twists)
    lost = ~np.isfinite(rate).all(axis=1)
    if lost.any() and len(s) > 1:
        rate[lost] = np.gradient(q, s, axis=0)[lost]
    rate[np.abs(rate) <= STILL] = 0.0
    gain = robot.inverse_acceleration(q, rate, along.accelerations)
    lost = ~np.isfinite(gain).all(axis=1)
    if lost.any() and len(s) > 1:
        gain[lost] = np.gradient(rate, s, axis=0)[lost]
    return np.nan_to_num(rate), np.nan_to_num(gain)


def _nearest(robot: Robot, pose: Array, found: Any, k: int, q: Array) -> Array | None:
    """Return the solution next to a posture, in the full turns next to it.

    None where the pose is out of reach.
    """
    valid = found.valid[k]
    if not valid.any():
        return None
    if any(np.any(flag[k][valid]) for flag in found.flags):  # an axis is free: it stays where it is
        one: Any = robot.inverse_kinematics(pin.SE3(pose), near=q)
        candidates = one.q
    else:
        candidates = found.q[k][valid]
    turns = np.where(robot.limits.linear, 0.0, np.round((q - candidates) / math.tau))
    candidates = candidates + math.tau * turns
    best = int(np.argmin(np.abs(candidates - q).max(axis=1)))
    return np.asarray(candidates[best])


def _jumps(robot: Robot, s: Array, q: Array) -> list[Jump]:
    step = np.where(robot.limits.linear, 0.0, np.abs(np.diff(q, axis=0)))
    return [
        Jump(float(s[k + 1]), int(np.argmax(step[k])), float(step[k].max()), float(s[k + 1] - s[k]))
        for k in np.flatnonzero(step.max(axis=1, initial=0.0) > JUMP)
    ]
