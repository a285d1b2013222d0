"""Joint moves with times: flown through on one cubic spline, as samples of a motion that was written as a program."""

from __future__ import annotations

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
    """ProgramMotion speed of the TCP [m/s]; of a move with ``\\T`` the highest that it reaches."""
    share: float
    """How much of it the move reaches before it brakes.

    Less than 1 where reorientation, axes or a short way slow it.
    """
    slowed_by: int | None
    """Axis (1-based) whose rated speed slows the move."""


class Strokes:
    """Points of axis positions that wait to be gone through, each a time after the one before it."""

    def __init__(self, robot: Robot) -> None:
        """Begin without any."""
        self.robot = robot
        self._clear()

    def _clear(self) -> None:
        self._q: list[Array] = []
        self._seconds: list[float] = []
        self._moves: list[tuple[int, str]] = []

    @property
    def waiting(self) -> int:
        """How many moves wait."""
        return len(self._moves)

    def add(self, begin: Array, end: Array, seconds: float, line: int, instruction: str) -> None:
        """Take one more move.

        The first goes from ``begin``, each other from the end of the one before.
        """
        if not self._q:
            self._q.append(begin)
        self._q.append(end)
        self._seconds.append(seconds)
        self._moves.append((line, instruction))

    def carry_out(
        self, start: float, step: float, slow: bool, first: int
    ) -> tuple[Motion, IntArray, list[MoveTiming]]:
        """Return the motion from rest to rest, the line of each sample, and the times of the moves.

        Positions between the points are a cubic spline, whose speeds and accelerations are
        continuous. Where a point repeats the one before, the arm waits: the spline ends there at
        rest, and another one begins after the wait.

        Args:
            start: Time of the first point [s].
            step: Time between samples [s].
            slow: Stretch all times by one factor where an axis would exceed its rated speed.
            first: First sample that is wanted: 1 where the one at the start belongs to the move
                before.
        """
        knots = np.append(0.0, np.cumsum(self._seconds))
        t = np.append(np.arange(0.0, knots[-1] - 1e-3 * step, step), knots[-1])[first:]
        q, v, a = _course(knots, np.array(self._q), t)
        shares = np.abs(v).max(axis=0) / self.robot.limits.velocity
        stretch = max(1.0, float(shares.max())) if slow else 1.0
        slowed = int(np.argmax(shares)) + 1 if stretch > 1.0 else None
        v, a = v / stretch, a / stretch**2
        # a sample at a point ends a move
        stroke = np.maximum(np.searchsorted(knots + 1e-3 * step, t) - 1, 0)
        speeds = np.linalg.norm(
            np.einsum("kij,kj->ki", np.asarray(self.robot.jacobian(q)), v)[:, :3], axis=1
        )
        timings = []
        for (line, instruction), group in groupby(
            range(len(self._moves)), key=self._moves.__getitem__
        ):
            moves = list(group)
            here = (stroke >= moves[0]) & (stroke <= moves[-1])
            begin, end = (start + stretch * float(knots[k]) for k in (moves[0], moves[-1] + 1))
            timings.append(
                MoveTiming(
                    line, instruction, begin, end, float(speeds[here].max(initial=0.0)), 1.0, slowed
                )
            )
        lines = np.array([line for line, _ in self._moves])[stroke]
        self._clear()
        return Motion(start + stretch * t, q, v, a), lines, timings


def _course(knots: Array, q: Array, t: Array) -> tuple[Array, Array, Array]:
    """Return positions, speeds and accelerations ``(N, n)`` at times ``t`` on the way through points ``q`` at times ``knots``."""
    from scipy.interpolate import CubicSpline  # few need it

    q = hold_resting_axes(q)
    waits = np.flatnonzero((displacement(q[:-1], q[1:]) == 0.0).all(axis=1))
    rests = np.unique([0, *waits, *(waits + 1), len(knots) - 1])
    time, found = snap(t, knots[rests], knots[-1]), np.zeros((3, len(t), q.shape[1]))
    number = np.clip(np.searchsorted(knots[rests], time, side="right") - 1, 0, len(rests) - 2)
    for i, (first, last) in enumerate(pairwise(rests)):
        part, here = slice(first, last + 1), number == i
        spline = CubicSpline(knots[part], hold_resting_axes(q[part]), bc_type="clamped")
        found[:, here] = [spline(time[here], order) for order in range(3)]
    found[1, np.isin(time, knots[rests])] = 0.0
    return found[0], found[1], found[2]
