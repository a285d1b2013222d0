"""Pieces of a log in which an axis has a constant speed: the longest pieces of straight line in its positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ..recordings.recording import Flag, Recording

SHORTEST = 8  # samples of a stretch
FINEST = 1e-9  # [rad, m] below which nothing is told apart
_TRIM = 0.05  # of a stretch, at each end: the fit of a line takes a little of the ramps with it
_NOISE = 6.0  # standard deviations of the positions that still are a straight line


@dataclass(frozen=True)
class Stretch:
    """A piece of a log in which the axis has a constant speed."""

    start: int
    stop: int
    speed: float
    """[rad/s, m/s], with its sign."""
    travel: float
    """[rad, m]"""


def stretches(recording: Recording, axis: int, tolerance: float | None = None) -> list[Stretch]:
    """Find the pieces of constant speed of an axis, rest included.

    Args:
        recording: Of positions; samples without one end a piece.
        axis: 1-based.
        tolerance: How far a position may lie from a straight line [rad, m]; default six standard
            deviations of the noise, which second differences tell, or the log's resolution.

    Raises:
        InputError: if there is no such axis, or the tolerance is not positive.
    """
    if not (isinstance(axis, int) and 1 <= axis <= recording.n):
        raise InputError(f"axis is a number from 1 to {recording.n}, not {axis!r}")
    q = recording.q[:, axis - 1]
    allowed = position_noise(q) if tolerance is None else float(tolerance)
    if not 0.0 < allowed < np.inf:
        raise InputError(f"tolerance is a positive length [rad, m], not {tolerance!r}")
    found: list[Stretch] = []
    for part in recording.stretches(
        recording.has(Flag.NO_POSITION | Flag.POSITION_OUTLIER)[:, axis - 1]
    ):
        found += _pieces(recording.t[part], q[part], allowed, part.start)
    return found


def _pieces(t: Array, q: Array, allowed: float, first: int) -> list[Stretch]:
    """Straight pieces of samples without a hole: from left to right as far as each goes, then the longest grow over others."""
    rough, start = [], 0
    while len(t) - start >= SHORTEST:
        stop = _longest(t, q, start, len(t), allowed)
        if stop - start >= SHORTEST:
            rough.append(slice(start, stop))
        start = max(stop - 1, start + 1)
    taken, found = np.zeros(len(t), dtype=bool), []
    for piece in sorted(rough, key=lambda piece: piece.start - piece.stop):
        cut = int(_TRIM * (piece.stop - piece.start)) + 1
        core = slice(piece.start + cut, piece.stop - cut)
        if core.stop - core.start < SHORTEST - 2 or taken[core].any():
            continue
        slope, _ = _line(t[core], q[core])
        off = np.abs(q - q[core].mean() - slope * (t - t[core].mean())) > allowed
        low, high = (
            np.flatnonzero(off[: core.start] | taken[: core.start]),
            np.flatnonzero(off[core.stop :] | taken[core.stop :]),
        )
        grown = slice(
            int(low[-1]) + 1 if low.size else 0, core.stop + int(high[0]) if high.size else len(t)
        )
        taken[grown] = True
        cut = int(_TRIM * (grown.stop - grown.start)) + 1
        inner = slice(grown.start + cut, grown.stop - cut)
        slope, _ = _line(t[inner], q[inner])
        found.append(
            Stretch(
                first + inner.start,
                first + inner.stop,
                slope,
                slope * float(t[inner][-1] - t[inner][0]),
            )
        )
    return sorted(found, key=lambda stretch: stretch.start)


def position_noise(q: Array) -> float:
    """How far a position may lie from a line, for its noise and its resolution."""
    good = q[np.isfinite(q)]
    if good.size < SHORTEST:
        return FINEST
    bent = np.diff(good, 2)
    spread = 1.4826 * float(np.median(np.abs(bent - np.median(bent)))) / np.sqrt(6.0)
    steps = np.abs(np.diff(good))
    rough = _NOISE * spread
    # a resolution coarser than a step of the motion repeats values
    if np.mean(steps == 0.0) > 0.02:
        fine = steps[steps > FINEST]
        rough = max(rough, 1.01 * float(fine.min())) if fine.size else rough
    return float(max(rough, FINEST))


def _line(t: Array, q: Array) -> tuple[float, Array]:
    """Slope of the straight line through samples, and what is left of them."""
    x = t - t.mean()
    slope = float(x @ q / (x @ x))
    return slope, q - q.mean() - slope * x


def _longest(t: Array, q: Array, start: int, end: int, allowed: float) -> int:
    """End of the longest straight piece from ``start`` on: doubling, then halving."""

    def straight(stop: int) -> bool:
        return bool(np.abs(_line(t[start:stop], q[start:stop])[1]).max() <= allowed)

    good, step = start + 2, SHORTEST
    while good + step <= end and straight(good + step):
        good, step = good + step, 2 * step
    bad = min(good + step, end) + 1
    if good < end and bad == end + 1 and straight(end):
        return end
    while bad - good > 1:
        middle = (good + bad) // 2
        if middle <= end and straight(middle):
            good = middle
        else:
            bad = middle
    return good
