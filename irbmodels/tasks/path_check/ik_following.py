"""Axis positions along a Cartesian path, each next to the one before it."""

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
"""Step of an axis between samples, 5 mm or 1 degree apart, that passes a singularity."""


class Jump(NamedTuple):
    """A large step of an axis within hardly any path."""

    s: float
    """[m]"""
    axis: int
    """Index."""
    angle: float
    """[rad]"""
    within: float
    """[m] of path."""


class JointPath(NamedTuple):
    """A Cartesian path in axis positions."""

    s: Array
    """``(K,)`` [m]"""
    q: Array
    """``(K, n)``; fewer than asked where the path leaves the reach."""
    missing: float
    """Distance of the next pose beyond reach [m]; 0 if the path is whole."""
    jumps: tuple[Jump, ...]

    def off_jumps(self, s: Array) -> Mask:
        """Return whether distances ``(N,)`` are off every jump; at one, rates are meaningless."""
        near = [np.abs(s - jump.s) <= 1.5 * jump.within for jump in self.jumps]
        return ~np.any(near, axis=0) if near else np.ones(s.shape, dtype=bool)


def ik_along_path(robot: Robot, path: PosePath, start: Array) -> JointPath:
    """Return postures along a path of the TCP, from the posture ``start`` on its first pose."""
    turn = float(np.linalg.norm(path.twists(0.0)[3:])) * path.length
    count = min(max(math.ceil(path.length / _STEP), math.ceil(turn / _TURN), _FEWEST), _MOST)
    s = np.linspace(0.0, path.length, count + 1)
    poses = path.poses(s)
    solutions: Any = robot.inverse_kinematics(poses)
    postures, missing = [start], 0.0
    for k in range(1, len(s)):
        q = _nearest(robot, poses[k], solutions, k, postures[-1])
        if q is None:
            missing = max(float(solutions.missing[k]), np.finfo(float).tiny)
            break
        postures.append(q)
    s, q = s[: len(postures)], np.array(postures)
    return JointPath(s, q, missing, tuple(_jumps(robot, s, q)))


def postures_at(robot: Robot, joint_path: JointPath, poses: Array, s: Array) -> Array:
    """Return the postures at distances ``s`` ``(N,)`` of a path, on its poses ``(N, 4, 4)``."""
    solutions: Any = robot.inverse_kinematics(poses)
    q = np.stack([np.interp(s, joint_path.s, column) for column in joint_path.q.T], axis=1)
    for k, pose in enumerate(poses):
        nearest = _nearest(robot, pose, solutions, k, q[k])
        q[k] = q[k] if nearest is None else nearest
    return q


def path_derivatives(robot: Robot, path: PosePath, s: Array, q: Array) -> tuple[Array, Array]:
    """Return ``dq/ds`` and ``d2q/ds2`` ``(N, n)`` on a path.

    Finite differences where the Jacobian is singular. An axis that moves by rounding only has a
    rate of exactly 0: friction would take its sign.
    """
    along = path.at(s)
    slope = _filled(robot.inverse_velocity(q, along.twists), q, s)
    slope[np.abs(slope) <= STILL] = 0.0
    curvature = _filled(robot.inverse_acceleration(q, slope, along.accelerations), slope, s)
    return np.nan_to_num(slope), np.nan_to_num(curvature)


def _filled(derivative: Array, values: Array, s: Array) -> Array:
    """Return a derivative with differences of the values where it is not finite."""
    lost = ~np.isfinite(derivative).all(axis=1)
    if lost.any() and len(s) > 1:
        derivative[lost] = np.gradient(values, s, axis=0)[lost]
    return derivative


def _nearest(robot: Robot, pose: Array, solutions: Any, k: int, q: Array) -> Array | None:
    """Return the solution next to a posture, in the nearest full turns; None out of reach."""
    valid = solutions.valid[k]
    if not valid.any():
        return None
    if any(np.any(flag[k][valid]) for flag in solutions.flags):
        # an axis is free: it stays where it is
        near: Any = robot.inverse_kinematics(pin.SE3(pose), near=q)
        candidates = near.q
    else:
        candidates = solutions.q[k][valid]
    turns = np.where(robot.limits.linear, 0.0, np.round((q - candidates) / math.tau))
    candidates = candidates + math.tau * turns
    return np.asarray(candidates[np.abs(candidates - q).max(axis=1).argmin()])


def _jumps(robot: Robot, s: Array, q: Array) -> list[Jump]:
    step = np.where(robot.limits.linear, 0.0, np.abs(np.diff(q, axis=0)))
    return [
        Jump(float(s[k + 1]), int(np.argmax(step[k])), float(step[k].max()), float(s[k + 1] - s[k]))
        for k in np.flatnonzero(step.max(axis=1, initial=0.0) > JUMP)
    ]
