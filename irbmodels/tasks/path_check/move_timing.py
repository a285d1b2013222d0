"""Speed of a move along its path: a trapezoid, from rest to rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...model.types import Array

_MOST = 20_000  # samples of one move
STILL = 1e-9  # [m, rad] per unit of path: what only rounding moves


class SpeedProfile(NamedTuple):
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
        """Time from rest to rest [s]."""
        return self.length / self.reached + self.reached / self.rate

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Return distance, speed and acceleration at times ``(N,)``."""
        ramp, left = self.reached / self.rate, self.duration - t
        s = np.select(
            [t < ramp, left < ramp],
            [0.5 * self.rate * t**2, self.length - 0.5 * self.rate * left**2],
            self.reached * (t - 0.5 * ramp),
        )
        speed = np.minimum(self.rate * np.minimum(t, left), self.reached)
        rate = np.select([t < ramp, left <= ramp], [self.rate, -self.rate], 0.0)
        return np.clip(s, 0.0, self.length), np.maximum(speed, 0.0), rate

    def slower(self, factor: float) -> SpeedProfile:
        """Return the profile with a top speed smaller by a factor, reached in the same time."""
        rate = self.rate / (factor if self.reached == self.top else factor**2)
        return SpeedProfile(self.length, self.top / factor, rate)

    def times(self, step: float) -> Array:
        """Return times from 0 on, ``step`` [s] apart or more, and the end."""
        step = max(step, self.duration / _MOST)
        return np.append(np.arange(0.0, self.duration - 1e-3 * step, step), self.duration)


def speed_profile(
    length: float,
    ramp: float,
    bounds: tuple[tuple[Array, float], ...],
    slopes: Array,
    rated: Array | None,
    duration: float | None = None,
) -> tuple[SpeedProfile, int | None]:
    """Return the profile over a length, and the axis (1-based) whose rated speed slows it.

    Args:
        length: Of the path, in its own unit.
        ramp: Time from rest to the top speed [s].
        bounds: Pairs of rates per unit of length ``(K, 3)`` and the bound of their size times the
            speed.
        slopes: Axis positions per unit of length ``(K, n)``.
        rated: Rated axis speeds ``(n,)``; None where they do not slow the move.
        duration: Time that the move takes [s], whatever ``bounds`` say; a ramp longer than half of
            it is half of it.
    """
    if duration is None:
        fastest = [(float(np.linalg.norm(rates, axis=1).max()), limit) for rates, limit in bounds]
        top = min((limit / rate for rate, limit in fastest if rate > STILL), default=math.inf)
    else:
        ramp = min(ramp, 0.5 * duration)
        top = length / (duration - ramp)
    slowed_by = None
    if rated is not None:
        steepest = np.abs(slopes).max(axis=0, initial=0.0) / rated
        if top * steepest.max() > 1.0 + 1e-9:
            top, slowed_by = 1.0 / float(steepest.max()), int(np.argmax(steepest)) + 1
    if not math.isfinite(top):
        top = length / ramp
    return SpeedProfile(length, top, top / ramp), slowed_by
