"""Segments of a log in which an axis has a constant speed: straight lines in its positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...checks import as_int, positive
from ...model.types import Array
from ..recordings.recording import Flag, Recording

SHORTEST = 8  # samples of a segment
FINEST = 1e-9  # [rad, m], the smallest resolution
_TRIM = 0.05  # of a segment, at each end: the fit of a line takes a little of the ramps with it
_NOISE = 6.0  # standard deviations of the positions that still are a straight line


@dataclass(frozen=True)
class Segment:
    """Samples in which the axis has a constant speed."""

    start: int
    stop: int
    speed: float
    """[rad/s, m/s], with its sign."""
    travel: float
    """[rad, m]"""

    @property
    def size(self) -> int:
        """Number of samples."""
        return self.stop - self.start


def constant_speed_segments(
    recording: Recording, axis: int, tolerance: float | None = None
) -> list[Segment]:
    """Find the segments of constant speed of an axis, rest included.

    Args:
        recording: Of positions; samples without one end a segment.
        axis: 1-based.
        tolerance: Largest distance of a position from a straight line [rad, m]; default six
            standard deviations of the noise, estimated by second differences, or the log's
            resolution.

    Raises:
        InputError: if there is no such axis, or the tolerance is not positive.
    """
    q = recording.q[:, as_int(axis, "an axis of a log", 1, recording.n) - 1]
    allowed = position_noise(q) if tolerance is None else positive(tolerance, "tolerance [rad, m]")
    missing = recording.has(Flag.NO_POSITION | Flag.POSITION_OUTLIER)[:, axis - 1]
    return [
        segment
        for part in recording.segments(missing)
        for segment in _segments(recording.t[part], q[part], allowed, part.start)
    ]


def _segments(t: Array, q: Array, allowed: float, first: int) -> list[Segment]:
    """Straight segments of samples without a gap.

    From left to right as far as each goes; then the longest grow over others.
    """
    rough, start = [], 0
    while len(t) - start >= SHORTEST:
        stop = _longest_line(t, q, start, len(t), allowed)
        if stop - start >= SHORTEST:
            rough.append((start, stop))
        start = max(stop - 1, start + 1)
    taken, segments = np.zeros(len(t), dtype=bool), []
    for start, stop in sorted(rough, key=lambda ends: ends[0] - ends[1]):
        core = _trimmed(start, stop)
        if core.stop - core.start < SHORTEST - 2 or taken[core].any():
            continue
        slope, _ = _fit_line(t[core], q[core])
        off = np.abs(q - q[core].mean() - slope * (t - t[core].mean())) > allowed
        blocked = np.flatnonzero(off | taken)
        low, high = blocked[blocked < core.start], blocked[blocked >= core.stop]
        start = int(low[-1]) + 1 if low.size else 0
        stop = int(high[0]) if high.size else len(t)
        taken[start:stop] = True
        inner = _trimmed(start, stop)
        slope, _ = _fit_line(t[inner], q[inner])
        travel = slope * float(t[inner][-1] - t[inner][0])
        segments.append(Segment(first + inner.start, first + inner.stop, slope, travel))
    return sorted(segments, key=lambda segment: segment.start)


def _trimmed(start: int, stop: int) -> slice:
    cut = int(_TRIM * (stop - start)) + 1
    return slice(start + cut, stop - cut)


def position_noise(q: Array) -> float:
    """Largest distance of a position from a line that noise and resolution explain."""
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


def _fit_line(t: Array, q: Array) -> tuple[float, Array]:
    """Slope of the straight line through samples, and the residuals."""
    x = t - t.mean()
    slope = float(x @ q / (x @ x))
    return slope, q - q.mean() - slope * x


def _longest_line(t: Array, q: Array, start: int, end: int, allowed: float) -> int:
    """End of the longest straight line from ``start`` on: doubling, then halving."""

    def straight(stop: int) -> bool:
        return bool(np.abs(_fit_line(t[start:stop], q[start:stop])[1]).max() <= allowed)

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
