"""Joint moves with times, passed on one cubic spline: a motion written as a program."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from ...model.types import Array, IntArray
from ...robot.robot import Robot
from ...trajectory import Motion
from ...trajectory.rounding import displacement, hold_resting_axes, snap


class MoveTiming(NamedTuple):
    """One move in time."""

    line: int
    instruction: str
    start: float
    """[s]"""
    end: float
    speed: float
    """Programmed speed of the TCP [m/s]; of a move with ``\\T`` the highest that it reaches."""
    share: float
    """Share of it that the move reaches before it brakes.

    Less than 1 where reorientation, axes or a short way slow it.
    """
    slowed_by: int | None
    """Axis (1-based) whose rated speed slows the move."""


class JointSegment(NamedTuple):
    """A joint move in a given time."""

    start: Array
    end: Array
    seconds: float
    line: int
    instruction: str


def run_segments(
    robot: Robot,
    segments: Sequence[JointSegment],
    start: float,
    step: float,
    slow: bool,
    first: int,
) -> tuple[Motion, IntArray, list[MoveTiming]]:
    """Return the motion from rest to rest, the line of each sample, and the times of the moves.

    Positions between the points are a cubic spline, whose speeds and accelerations are continuous.
    Where a point repeats the one before, the arm waits: the spline ends there at rest, and another
    one begins after the wait.

    Args:
        robot: That moves.
        segments: Each starts where the one before it ends.
        start: Time of the first point [s].
        step: Time between samples [s].
        slow: Stretch all times by one factor where an axis would exceed its rated speed.
        first: First sample that is wanted: 1 where the one at the start belongs to the move before.
    """
    knots = np.append(0.0, np.cumsum([segment.seconds for segment in segments]))
    t = np.append(np.arange(0.0, knots[-1] - 1e-3 * step, step), knots[-1])[first:]
    points = np.array([segments[0].start, *(segment.end for segment in segments)])
    q, v, a = _interpolate(knots, points, t)
    shares = np.abs(v).max(axis=0) / robot.limits.velocity
    stretch = max(1.0, float(shares.max())) if slow else 1.0
    slowed_by = int(np.argmax(shares)) + 1 if stretch > 1.0 else None
    v, a = v / stretch, a / stretch**2
    # a sample at a point ends a move
    index = np.maximum(np.searchsorted(knots + 1e-3 * step, t) - 1, 0)
    speeds = tcp_speed(robot, q, v)
    timings = []
    for (line, name), group in groupby(range(len(segments)), key=lambda k: segments[k][3:]):
        members = list(group)
        begin, end = (start + stretch * knots[[members[0], members[-1] + 1]]).tolist()
        inside = (index >= members[0]) & (index <= members[-1])
        most = float(speeds[inside].max(initial=0.0))
        timings.append(MoveTiming(line, name, begin, end, most, 1.0, slowed_by))
    lines = np.array([segment.line for segment in segments])[index]
    return Motion(start + stretch * t, q, v, a), lines, timings


def tcp_speed(robot: Robot, q: Array, v: Array) -> Array:
    """Return the speed of the TCP [m/s] in states ``(N, n)``."""
    velocity = np.einsum("kij,kj->ki", np.asarray(robot.jacobian(q)), v)[:, :3]
    return np.asarray(np.linalg.norm(velocity, axis=1))


def _interpolate(knots: Array, points: Array, t: Array) -> Array:
    """Return ``q``, ``v``, ``a`` ``(3, N, n)`` at times ``t``, through ``(K, n)`` at ``knots``."""
    from scipy.interpolate import CubicSpline  # few need it

    points = hold_resting_axes(points)
    waits = np.flatnonzero((displacement(points[:-1], points[1:]) == 0.0).all(axis=1))
    rests = np.unique([0, *waits, *(waits + 1), len(knots) - 1])
    time = snap(t, knots[rests], knots[-1])
    states = np.zeros((3, len(t), points.shape[1]))
    index = np.clip(np.searchsorted(knots[rests], time, side="right") - 1, 0, len(rests) - 2)
    for i, (first, last) in enumerate(pairwise(rests)):
        part, inside = slice(first, last + 1), index == i
        spline = CubicSpline(knots[part], hold_resting_axes(points[part]), bc_type="clamped")
        states[:, inside] = [spline(time[inside], order) for order in range(3)]
    states[1, np.isin(time, knots[rests])] = 0.0
    return states
