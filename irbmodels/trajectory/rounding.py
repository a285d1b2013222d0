"""Rounding of times and positions at a rest, where friction takes any speed for a motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..model.types import Array

# share of the duration that a time may lie outside, and of a position that two ends may differ
ROUNDING = 1e-9
# share of a duration, or of a position [rad, m], that only rounding leaves: some thousand times
# that of one sum
EXACT = 1e-12


def snap(values: Array, marks: ArrayLike, scale: float) -> Array:
    """Return values with those that are off a mark by rounding only put on it.

    Args:
        values: Times or distances, any shape.
        marks: Times at which motions begin, end or meet, ascending, two or more.
        scale: Length of all that rounding is a share of, such as the duration.
    """
    sorted_marks = np.asarray(marks, dtype=float)
    after = np.clip(np.searchsorted(sorted_marks, values), 1, len(sorted_marks) - 1)
    for mark in (sorted_marks[after - 1], sorted_marks[after]):
        values = np.where(np.abs(values - mark) <= EXACT * scale, mark, values)
    return values


def displacement(start: Array, end: Array) -> Array:
    """Return ``end - start`` [rad, m], exactly 0 for an axis that only rounding moves."""
    stroke = end - start
    return np.where(np.abs(stroke) <= EXACT * np.maximum(1.0, np.abs(start)), 0.0, stroke)


def hold_resting_axes(postures: Array) -> Array:
    """Return postures ``(K, n)`` in which an axis that only rounding moves keeps its position."""
    return np.where((displacement(postures[0], postures) == 0.0).all(axis=0), postures[0], postures)


def sample_times(duration: float, rate: float) -> Array:
    """Return times from 0 on at ``rate`` [Hz], and the end, maybe nearer to the one before."""
    t: Array = np.arange(int(np.floor(duration * rate * (1.0 + ROUNDING))) + 1) / rate
    if duration - t[-1] > ROUNDING * duration:
        t = np.append(t, duration)
    t[-1] = duration
    return t
