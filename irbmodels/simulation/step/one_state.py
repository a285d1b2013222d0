"""Steps of one state by machine code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...model.friction import Stribeck
from ...model.types import Array
from ...robot.robot import Robot
from ..mechanics import Stops, viscous_slope
from .guess import first_guess
from .kernel import ROUNDS, step_kernel
from .program import SOLVED, UNSOLVED
from .ranges import Ranges

Step = tuple[Array, Array, Array, Array]
"""Position, speed, and torques of friction and stops."""


class OneState:
    """Steps of one length, of one robot."""

    def __init__(self, robot: Robot, law: Stribeck, stops: Stops, dt: float) -> None:
        """Take what :func:`.kernel.step_kernel` takes; compile nothing yet."""
        self._kernel = step_kernel(robot, law, stops, dt, impulses=True)
        self._law, self._dt, self._ranges = law, dt, Ranges.of(stops)

    def advance(
        self,
        q: Array,
        v: Array,
        count: int,
        applied: Callable[[Array, Array], Array],
        solve: Callable[[int, Array, Array], Step],
    ) -> Step:
        """Return the state after some steps, and the sums of torques over them.

        Args:
            q: Position.
            v: Speed.
            count: Number of steps.
            applied: Motor torques and external ones by position and speed.
            solve: A step that machine code does not solve, by number, position and speed.
        """
        n, run = len(q), self._kernel.run_state
        now = np.concatenate([q, v, first_guess(v, self._ranges), [SOLVED]])
        after, impulses, torques = np.empty_like(now), np.empty((2, n)), np.zeros((2, n))
        for i in range(count):
            q, v = now[:n], now[n : 2 * n]
            tau, slope = applied(q, v), viscous_slope(self._law, v)
            for _ in range(1 + ROUNDS):
                run(now, tau, after, *impulses)
                now, after = after, now
                if now[-1] != UNSOLVED:
                    break
            if now[-1] == SOLVED:
                torques += impulses / self._dt
                torques[0] += slope * now[n : 2 * n] + self._law.dFc
                continue
            # positions and speeds are as before the step
            end = solve(i, now[:n].copy(), now[n : 2 * n].copy())
            torques += end[2:]
            now[:] = np.concatenate([*end[:2], first_guess(end[1], self._ranges), [SOLVED]])
        return now[:n].copy(), now[n : 2 * n].copy(), torques[0], torques[1]
