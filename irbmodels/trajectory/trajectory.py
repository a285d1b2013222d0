"""Base class of trajectories: a duration, the state at any time, and samples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_list, finite, numbers, per_axis, positive
from ..errors import InputError
from ..model.types import Array
from .motion import Motion
from .rounding import ROUNDING, sample_times, snap

_MOST = 1e8  # samples; more do not fit into memory


class State(NamedTuple):
    """A trajectory at some times: the leading axes are those of ``t``.

    SI units, arrays ``(..., n)``.
    """

    q: Array
    v: Array
    a: Array
    jerk: Array | None = None
    """None where the acceleration jumps, as of a time-optimal timing."""


class Trajectory(ABC):
    """Axis positions as a function of time between 0 and :attr:`duration` [s]."""

    duration: float
    n: int
    """Number of axes."""

    def __repr__(self) -> str:
        """Return kind, axes and duration."""
        return f"<{type(self).__name__.lstrip('_')} of {self.n} axes: {self.duration:.6g} s>"

    def at(self, t: ArrayLike) -> State:
        """Return position, speed, acceleration and jerk.

        Where one of them jumps, it is the later value.

        A time that is off an end, or a joint of a chain, by rounding only is that of the end: a
        motion that rests there has a speed of exactly 0.

        Raises:
            InputError: if a time is not finite, or is before 0 or after the end.
        """
        time = numbers(t, "t")
        slack = ROUNDING * self.duration
        off = ~((time >= -slack) & (time <= self.duration + slack))
        if off.any():
            raise InputError(
                f"t = {float(time[off].flat[0]):g} s is not within the trajectory: 0 .."
                f" {self.duration:g} s"
            )
        states = self._at(
            snap(np.clip(time, 0.0, self.duration).ravel(), self._rest_times, self.duration)
        )
        q, v, a = (part.reshape(*time.shape, self.n) for part in states[:3])
        return State(
            q, v, a, None if states.jerk is None else states.jerk.reshape(*time.shape, self.n)
        )

    def sample(self, rate: float) -> Motion:
        """Return samples at ``rate`` [Hz] from 0 on, and one at the end.

        The last may be nearer to the one before.

        Raises:
            InputError: if the rate is not positive and finite, or gives more than a hundred million
                samples.
        """
        frequency = positive(rate, "a rate [Hz]")
        if self.duration * frequency > _MOST:
            raise InputError(
                f"{frequency:g} Hz for {self.duration:g} s are more than {_MOST:g} samples"
            )
        t = sample_times(self.duration, frequency)
        state = self.at(t)
        return Motion(t, state.q, state.v, state.a)

    @property
    def _rest_times(self) -> Array:
        """Times at which the motion may rest, ascending: both ends, and where parts meet."""
        return np.array([0.0, self.duration])

    @abstractmethod
    def _at(self, t: Array) -> State:
        """Return the state at times ``(N,)`` that are known to be within the trajectory."""


class Chain(Trajectory):
    """Trajectories one after another; each starts where the one before it ends."""

    def __init__(self, parts: Sequence[Trajectory]) -> None:
        """Check that the parts meet.

        Raises:
            InputError: if there are none, or one does not start at the position and speed where the
                one before it ends.
        """
        self.parts = tuple(as_list(parts, Trajectory, "a chain needs a list of trajectories"))
        if not self.parts:
            raise InputError("a chain needs a list of trajectories, and this one is empty")
        for i, (first, second) in enumerate(pairwise(self.parts)):
            end, start = first.at(first.duration), second.at(0.0)
            for what, old, new in (("position", end.q, start.q), ("speed", end.v, start.v)):
                if old.shape != new.shape or np.abs(old - new).max() > ROUNDING * max(
                    1.0, float(np.abs(old).max())
                ):
                    raise InputError(
                        f"{what} jumps from part {i + 1} to part {i + 2}: {old.tolist()}, then"
                        f" {new.tolist()}"
                    )
        self.n = self.parts[0].n
        each = [part._leaves if isinstance(part, Chain) else (part,) for part in self.parts]
        self._leaves: tuple[Trajectory, ...] = tuple(leaf for leaves in each for leaf in leaves)
        self._starts = np.append(0.0, np.cumsum([leaf.duration for leaf in self._leaves]))
        self._firsts = np.cumsum([len(leaves) for leaves in each[:-1]], dtype=int)
        self.duration = float(self._starts[-1])

    @property
    def joints(self) -> tuple[float, ...]:
        """Times [s] at which one part ends and the next begins."""
        return tuple(self._starts[self._firsts].tolist())

    @property
    def _rest_times(self) -> Array:
        return self._starts

    def _at(self, t: Array) -> State:
        number = np.searchsorted(self._starts[1:-1], t, side="right")
        states = [np.empty((t.size, self.n)) for _ in State._fields]
        jerk_known = True
        for i in np.unique(number):
            here = number == i
            leaf = self._leaves[i]
            since = np.clip(t[here] - self._starts[i], 0.0, leaf.duration)
            state = leaf.at(np.where(t[here] == self._starts[i + 1], leaf.duration, since))
            jerk_known = jerk_known and state.jerk is not None
            for whole, part in zip(states, state, strict=True):
                if part is not None:
                    whole[here] = part
        q, v, a, jerk = states
        return State(q, v, a, jerk if jerk_known else None)


def posture(q: ArrayLike, n: int | None = None, what: str = "a posture") -> Array:
    """Return axis positions as a finite array ``(n,)``.

    Raises:
        InputError: if they are anything else.
    """
    values = numbers(q, what)
    if values.ndim != 1 or values.size == 0:
        raise InputError(f"{what} needs shape (n,), got {values.shape}")
    return finite(values, (values.size if n is None else n,), what)


def bounds(value: ArrayLike, n: int, what: str) -> Array:
    """Return one positive bound per axis ``(n,)``, from one for all or one each.

    Infinite ones bound nothing.

    Raises:
        InputError: if one is not positive.
    """
    array = per_axis(value, n, what)
    if not (array > 0.0).all():
        raise InputError(f"{what} must be positive: {array.tolist()}")
    return array
