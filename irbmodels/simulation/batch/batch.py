"""States of one robot, advanced together by machine code of :mod:`.step_program`."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import numpy as np

from ...compiled.kernels import Kernel
from ...model.friction import Stribeck
from ...model.mechanism import mechanism_of
from ...model.types import Array, IntArray
from ...robot.robot import Robot
from ..plant import MAX_MOVE, Plant, State
from ..run import SimulationError
from ..stiction import STILL
from .guess import first_guess
from .ranges import UNSUPPORTED, Ranges
from .step_program import BEYOND, FAILED, SOLVED, UNSOLVED, Law, equations_of, step_program

ROUNDS = 12
"""Of one step; what is not solved by then goes to the plant, whose pivoting ends for certain."""


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
        ranges = self._ranges = Ranges.of(self._plant.stops)
        self._state = np.full((3 * n + 1, count), float(SOLVED))
        self._state[: 3 * n] = np.concatenate([q, v, first_guess(v, ranges)])
        self._next = np.empty_like(self._state)
        self._failures = 0
        self.failed: IntArray = np.full(count, -1)
        """Number of the step in which each state failed; -1 where none did, ``(N,)``."""
        self._unsupported = UNSUPPORTED in ranges.other
        self._run = _kernel(self._plant, ranges).run_columns

    @property
    def q(self) -> Array:
        """Positions, ``(n, N)``."""
        return self._state[: self._n]

    @property
    def v(self) -> Array:
        """Speeds, ``(n, N)``; exactly zero where an axis sticks."""
        return self._state[self._n : 2 * self._n]

    def advance(self, tau: Array, number: int) -> None:
        """Advance all states by one step under motor torques ``(n, N)``.

        Those that fail stay as they are.

        Args:
            tau: Motor torques [N m, N], C-contiguous.
            number: Of the step.
        """
        self._run(self._state, tau, self._next)
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
            self._run(part, tau.take(left, axis=1), result)
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
        q, v, none = column[:n].copy(), column[n : 2 * n].copy(), np.zeros(n)
        guess = (STILL - np.sign(v)).astype(np.int8)
        try:
            end = self._plant.advance(
                State(0.0, q, v, none, none, none, none, guess), tau, self._step
            )
        except SimulationError:
            column[-1] = FAILED
            return
        next_guess = first_guess(end.v[:, None], self._ranges)[:, 0]
        column[:] = np.concatenate([end.q, end.v, next_guess, [SOLVED]])


def _kernel(plant: Plant, ranges: Ranges) -> Kernel:
    mechanism, law, stops = mechanism_of(plant.robot.dynamic_model), plant.law, plant.stops
    structure = Law(bool(law.Fs.any() or law.Fc.any()), bool(law.Fv.any()))
    values = mechanism.free | {"dt": plant.step, "max_speed": MAX_MOVE / plant.step}
    arrays = {
        "Fc": law.Fc, "drop": law.Fs - law.Fc, "exponent": -1.0 / np.square(law.v_St),
        "Fv": law.Fv, "lower": stops.lower, "upper": stops.upper,
    }  # fmt: skip
    for name, array in arrays.items():
        values |= {f"{name}{i}": value for i, value in enumerate(array.tolist(), 1)}
    return Kernel(
        "simulation step",
        f"{mechanism.key} {ranges} {structure} {_sources()}",
        lambda: step_program(ranges, structure, equations_of(mechanism)),
        values,
    )


@cache
def _sources() -> str:
    """Return a hash of the code that writes the program."""
    folder = Path(__file__).parent
    others = [folder.parent / name for name in ("mechanics.py", "stiction.py")]
    paths = [*sorted(folder.glob("*.py")), *others]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
