"""How fast a move goes: a trapezoid of speed, from rest to rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...model.types import Array

_MOST = 20_000  # samples of one move
STILL = 1e-9  # [m, rad] per unit of path: what only rounding moves


class Law(NamedTuple):
    """A trapezoid of speed over a length, from rest to rest."""

    length: float
    top: float
    """Speed that would be reached."""
    rate: float
    """Acceleration."""

    @property
    def reached(self) -> float:
        """Highest speed that is reached."""
        return min(self.top, math.sqrt(self.length * self.rate))

    @property
    def duration(self) -> float:
        """Time that it takes [s]."""
        return self.length / self.reached + self.reached / self.rate

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Return distance, speed and acceleration at times ``(N,)``."""
        end, up = self.duration, self.reached / self.rate
        left = end - t
        s = np.where(
            t < up,
            0.5 * self.rate * t**2,
            np.where(
                left < up, self.length - 0.5 * self.rate * left**2, self.reached * (t - 0.5 * up)
            ),
        )
        speed = np.minimum(np.minimum(self.rate * t, self.rate * left), self.reached)
        rate = np.where(t < up, self.rate, np.where(left <= up, -self.rate, 0.0))
        return np.clip(s, 0.0, self.length), np.maximum(speed, 0.0), rate

    def slower(self, factor: float) -> Law:
        """Return the law that reaches a speed smaller by a factor, in the same time from rest."""
        return Law(
            self.length,
            self.top / factor,
            self.rate / (factor if self.reached == self.top else factor**2),
        )

    def times(self, step: float) -> Array:
        """Return times from 0 on, ``step`` [s] apart or more, and the end."""
        step = max(step, self.duration / _MOST)
        return np.append(np.arange(0.0, self.duration - 1e-3 * step, step), self.duration)


def law_of(
    length: float,
    ramp: float,
    bounds: tuple[tuple[Array, float], ...],
    slopes: Array,
    rated: Array | None,
    duration: float | None = None,
) -> tuple[Law, int | None]:
    """Return the law over a length, and the axis (1-based) whose rated speed slows it.

    Args:
        length: Of the path, in its own unit.
        ramp: Time from rest to the top speed [s].
        bounds: Pairs of rates per unit of length ``(K, 3)`` and what their size times the speed
            must not exceed.
        slopes: Axis positions per unit of length ``(K, n)``.
        rated: Rated axis speeds ``(n,)``; None where they do not slow the move.
        duration: Time that the move takes [s], whatever ``bounds`` say; a ramp longer than half of
            it is half of it.
    """
    tops = [math.inf]
    for rates, limit in bounds:
        fastest = float(np.linalg.norm(rates, axis=1).max())
        if fastest > STILL:
            tops.append(limit / fastest)
    if duration is not None:
        ramp = min(ramp, 0.5 * duration)
        tops = [length / (duration - ramp)]
    top, slowed = min(tops), None
    if rated is not None:
        steepest = np.abs(slopes).max(axis=0, initial=0.0) / rated
        if top * steepest.max() > 1.0 + 1e-9:
            top, slowed = 1.0 / float(steepest.max()), int(np.argmax(steepest)) + 1
    if not math.isfinite(top):
        top = length / ramp
    return Law(length, top, top / ramp), slowed
