"""States of one robot, advanced together by machine code of :mod:`..step`."""

from __future__ import annotations

import numpy as np

from ...model.friction import Stribeck
from ...model.types import Array, IntArray
from ...robot.robot import Robot
from ..plant import Plant, guess_of
from ..run import SimulationError
from ..step.guess import first_guess
from ..step.kernel import ROUNDS, step_kernel
from ..step.program import BEYOND, FAILED, SOLVED, UNSOLVED
from ..step.ranges import UNSUPPORTED, Ranges


class Batch:
    """States of one robot."""

    def __init__(
        self,
        robot: Robot,
        q: Array,
        v: Array,
        step: float,
        friction: Stribeck | bool = True,
        stops: bool = True,
    ) -> None:
        """Take positions and speeds, ``(n, N)``.

        Raises:
            MissingExtra: without llvmlite.
        """
        n, count = q.shape
        self._n, self._step = n, step
        self._plant = Plant(robot, friction=friction, stops=stops, step=step)
        self._drives = self._plant.coordinates
        q, v = (self._drives.drives(x.T).T for x in (q, v))
        ranges = self._ranges = Ranges.of(self._plant.stops)
        self._state = np.full((3 * n + 1, count), float(SOLVED))
        self._state[: 3 * n] = np.concatenate([q, v, first_guess(v, ranges)])
        self._next = np.empty_like(self._state)
        self._failures = 0
        self.failed: IntArray = np.full(count, -1)
        """Number of the step in which each state failed; -1 where none did, ``(N,)``."""
        self._unsupported = UNSUPPORTED in ranges.other
        self._run = step_kernel(robot, self._plant.law, self._plant.stops, step).run_columns

    @property
    def q(self) -> Array:
        """Positions of the axes, ``(n, N)``."""
        return self._drives.axes(self._state[: self._n].T).T

    @property
    def v(self) -> Array:
        """Speeds of the axes, ``(n, N)``; exactly zero where all drives of one stick."""
        return self._drives.axes(self._state[self._n : 2 * self._n].T).T

    def advance(self, tau: Array, number: int) -> None:
        """Advance all states by one step under motor torques ``(n, N)``.

        Those that fail stay as they are.

        Args:
            tau: Motor torques [N m, N], C-contiguous.
            number: Of the step.
        """
        if self._drives.coupled:
            tau = np.ascontiguousarray(self._drives.drive_torque(tau.T).T)
        done = self._run(self._state, tau, self._next)
        assert done
        self._state, self._next = self._next, self._state
        status = self._state[-1]
        if np.count_nonzero(status) == self._failures:
            return
        left = np.flatnonzero(status == UNSOLVED)
        for _ in range(ROUNDS):
            if not left.size:
                break
            part = self._state.take(left, axis=1)
            result = np.empty_like(part)
            done = self._run(part, tau.take(left, axis=1), result)
            assert done
            self._state[:, left] = result
            left = left[result[-1] == UNSOLVED]
        beyond = np.flatnonzero(status == BEYOND) if self._unsupported else left
        for s in {*left.tolist(), *beyond.tolist()}:
            self._advance_by_plant(s, tau[:, s])
        self.failed[(status == FAILED) & (self.failed < 0)] = number
        self._failures = int(np.count_nonzero(self.failed >= 0))

    def _advance_by_plant(self, s: int, tau: Array) -> None:
        """Advance one state by the plant, which solves for all stops."""
        n, column = self._n, self._state[:, s]
        q, v = column[:n].copy(), column[n : 2 * n].copy()
        try:
            q, v, *_ = self._plant.solve_step(0.0, q, v, tau, self._step, None, guess_of(v))
        except SimulationError:
            column[-1] = FAILED
            return
        column[:] = np.concatenate([q, v, first_guess(v, self._ranges), [SOLVED]])
