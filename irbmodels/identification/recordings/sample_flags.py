"""Flags that a log does not bring along: outliers, saturation, rest. Nothing is replaced."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance, finite
from ...errors import InputError
from ...model.types import Array, Mask
from .recording import Finding, Flag, Recording

_SPIKE = 1.4826  # of a median absolute deviation is a standard deviation, of normal noise
_FEWEST = 5  # samples that have surroundings
_RARE = 0.01  # of the steps may be smaller than the resolution: sums and conversions leave some
_SIGN = 5.0  # deviations of a speed: below them its sign is a guess
_BLOCK = 4096  # samples whose estimates stay in the second-level cache
_NETWORK = 64  # numbers that a network sorts faster than NumPy
_PLATEAU = 5  # equal samples in a row at the largest torque: a limit


def flag_outliers(recording: Recording, window: float = 0.1, threshold: float = 6.0) -> Recording:
    """Flag outliers of positions and torques by a filter [Hampel 1974] robust to slopes and steps.

    An outlier is far both from the median of its surroundings, which follows a step such as
    friction at a reversal, and from the median of its estimates by pairs of neighbours, which
    follows a slope. The noise is the median of the latter distances.

    Args:
        recording: Any.
        window: Length of the surroundings [s].
        threshold: In standard deviations of the noise there; at least as many steps of the
            log's resolution.

    Raises:
        InputError: if the window holds less than three samples, or an argument is not positive.
    """
    _check_type(recording)
    if len(recording) < 3:
        few = f"{len(recording)} sample{'' if len(recording) == 1 else 's'}"
        raise InputError(f"outliers need a log of three samples or more to stand out of, not {few}")
    samples = _samples(recording, window)
    if not (3 <= samples < 1_000_000 and 0.0 < threshold < np.inf):
        raise InputError(
            f"outliers need a window of three samples and a positive threshold, not {window!r} s,"
            f" {threshold!r} for {len(recording)} samples {recording.step:.4g} s apart"
        )
    result = recording
    for quantity, flag in (("q", Flag.POSITION_OUTLIER), ("tau", Flag.TORQUE_OUTLIER)):
        values = getattr(recording, quantity)
        mask = np.zeros(recording.q.shape, dtype=bool)
        for axis in range(recording.n if values is not None else 0):
            for part in recording.segments(~np.isfinite(values[:, axis])):
                mask[part, axis] = _outlying(values[part, axis], samples, threshold)
        count = int(mask.sum())
        if count:
            what = (
                f"{count} outliers of {quantity}, {threshold:g} standard deviations or more from"
                " what is around them"
            )
            result = result.with_flag(mask, flag, Finding(what, "flagged", samples=count))
    return result


def _check_type(recording: Recording) -> Recording:
    return as_instance(recording, Recording, "what is looked through is a Recording")


def _samples(recording: Recording, window: float) -> int:
    """Odd number of samples in a window [s].

    0 where a single sample has no step, or the window is none.
    """
    count = 0.5 * window / recording.step
    return 2 * int(count) + 1 if 0.0 <= count < np.inf else 0


def _outlying(x: Array, samples: int, threshold: float) -> Mask:
    """Mask of the values of one axis that lie far off."""
    if len(x) < _FEWEST:
        return np.zeros(len(x), dtype=bool)
    rough = np.abs(x - _between_neighbours(x, samples))
    off = np.minimum(np.abs(x - _medians(x, samples)), rough)
    steps = np.abs(np.diff(x))
    moved = steps[steps > 1e-9 * np.abs(x).max()]  # less is rounding
    # an axis at rest has no noise but its resolution, and hardly ever steps of less than that
    finest = float(np.quantile(moved, _RARE, method="lower")) if moved.size else 0.0
    bound = threshold * np.maximum(_SPIKE * _medians(rough, samples), finest)
    return np.asarray((off > bound) & (off > 1e-9 * np.abs(x)), dtype=bool)


def _medians(x: Array, samples: int) -> Array:
    """Median of the surroundings of each sample.

    Near the ends those of the nearest sample that has them on both sides.
    """
    from scipy.ndimage import median_filter

    half = samples // 2
    if len(x) <= samples:
        return np.full(len(x), np.median(x))
    return np.asarray(
        median_filter(x, samples)[np.clip(np.arange(len(x)), half, len(x) - 1 - half)], dtype=float
    )


def _between_neighbours(x: Array, samples: int) -> Array:
    """Median of the estimates of each sample by pairs of neighbours.

    Right on a straight line, at the ends too.
    """
    reach, last = max(samples // 2, 2), len(x) - 1
    result = np.empty(len(x))
    for start in range(0, len(x), _BLOCK):
        stop = min(start + _BLOCK, len(x))
        estimates = np.empty((reach, stop - start))
        for k, estimate in enumerate(estimates, start=1):
            low, high = max(start, k), min(stop, len(x) - k)
            if low < high:
                both = x[low - k : high - k] + x[low + k : high + k]
                np.multiply(both, 0.5, out=estimate[low - start : high - start])
            for low, high, side in (
                (start, min(k, stop), k),
                (max(start, len(x) - k), stop, -k),
            ):
                here = np.arange(low, high)
                one, two = (np.clip(here + i * side, 0, last) for i in (1, 2))
                estimate[here - start] = 2.0 * x[one] - x[two]
        result[start:stop] = _median_of_rows(estimates)
    return result


def _median_of_rows(rows: Array) -> Array:
    """Median of each column; the rows are used up.

    By a sorting network, whose steps take whole rows: ten times as fast as sorting few numbers
    column by column.
    """
    if len(rows) > _NETWORK:
        return np.asarray(np.median(rows, axis=0), dtype=float)
    lines, spare = list(rows), np.empty(rows.shape[1])
    for i, j in _comparators(len(rows)):
        np.minimum(lines[i], lines[j], out=spare)
        np.maximum(lines[i], lines[j], out=lines[j])
        lines[i], spare = spare, lines[i]
    middle = len(rows) // 2
    return np.asarray(
        lines[middle] if len(rows) % 2 else 0.5 * (lines[middle - 1] + lines[middle]), dtype=float
    )


@cache
def _comparators(count: int) -> list[tuple[int, int]]:
    """Pairs of places to compare and exchange in their order [Batcher; Knuth vol. 3, 5.2.2 M]."""
    first = 1 << max((count - 1).bit_length() - 1, 0)
    pairs, p = [], first
    while p:
        q, r, d = first, 0, p
        while True:
            pairs += [(i, i + d) for i in range(count - d) if i & p == r]
            if q == p:
                break
            d, q, r = q - p, q // 2, p
        p //= 2
    return pairs


def flag_saturation(recording: Recording, limit: ArrayLike | None = None) -> Recording:
    """Flag torques at their limit.

    Args:
        recording: With torques.
        limit: Limits [N m, N], shape ``(n,)``: a torque within 0.1 % of it. Default: the largest or
            smallest torque of an axis is a limit if it stands there for five samples in a row, to
            the last digit, and not as often elsewhere.

    Raises:
        InputError: if there are no torques, or limits are not positive.
    """
    _check_type(recording)
    if recording.tau is None:
        raise InputError("this recording has no torques that could saturate")
    tau = recording.tau
    if limit is None:
        ends = tau == np.nanmax(tau, axis=0, initial=-np.inf)
        ends |= tau == np.nanmin(tau, axis=0, initial=np.inf)
        flat = _plateaus(tau)
        mask = flat & ends
        # coarse torques, and those of a slower clock, stand anywhere
        mask &= mask.sum(axis=0) >= (flat & ~ends).sum(axis=0)
    else:
        bound = finite(limit, (recording.n,), "limits of torque")
        if not (bound > 0.0).all():
            raise InputError(f"limits of torque are positive, not {bound.tolist()}")
        mask = np.abs(tau) >= 0.999 * bound
    count = int(mask.sum())
    finding = Finding(
        f"{count} torques stand at a limit",
        "flagged SATURATED: the motion asked for more",
        samples=count,
    )
    return recording.with_flag(mask, Flag.SATURATED, finding) if count else recording


def _plateaus(tau: Array) -> Mask:
    """Mask of torques that are the same for some samples in a row, of axes where they vary."""
    columns = []
    for column in tau.T:
        starts = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
        lengths = np.diff(np.append(starts, len(column)))
        columns.append(np.repeat((lengths >= _PLATEAU) & (len(starts) > 1), lengths))
    return np.column_stack(columns)


def flag_rest(recording: Recording, rest: float = 0.005, window: float = 0.08) -> Recording:
    """Flag samples at which an axis moves less than ``rest`` [deg, mm] within ``window`` [s].

    Raises:
        InputError: if an argument is not positive.
    """
    from scipy.ndimage import maximum_filter1d, minimum_filter1d

    _check_type(recording)
    if not (0.0 < rest < np.inf and 0.0 < window < np.inf):
        raise InputError(f"rest and window are positive, not {rest!r}, {window!r}")
    size = max(_samples(recording, window), 1)
    still = np.zeros(recording.q.shape, dtype=bool)
    for part in recording.segments():
        q = recording.q[part]
        still[part] = maximum_filter1d(q, size, axis=0) - minimum_filter1d(
            q, size, axis=0
        ) < rest * np.where(recording.linear, 1e-3, np.radians(1.0))
    return recording.with_flag(still, Flag.AT_REST)


def speed_noise(filtered: Recording, raw: Recording, bandwidth: float) -> Array:
    """Return the noise of each axis' speed [rad/s, m/s] after a filter, shape ``(n,)``.

    It follows from that of the position, which is what the filter took away: white noise of
    deviation ``s`` at a rate ``r`` leaves ``2 pi f s sqrt(2 f / (3 r))`` of speed below ``f``.

    Args:
        filtered: Positions.
        raw: The same log before the filter.
        bandwidth: Of the filter, ``f`` [Hz].
    """
    taken = raw.q - filtered.q
    share = 2.0 * bandwidth * filtered.step
    spread = _SPIKE * np.nanmedian(np.abs(taken - np.nanmedian(taken, axis=0)), axis=0)
    spread = spread / np.sqrt(max(1.0 - share, share))
    return np.asarray(2.0 * np.pi * bandwidth * spread * np.sqrt(share / 3.0), dtype=float)


def flag_uncertain_sign(filtered: Recording, noise: ArrayLike) -> Recording:
    """Flag samples with an uncertain sign of speed, and so of dry friction, as at rest.

    Args:
        filtered: Positions and speeds.
        noise: Deviation of the speeds [rad/s, m/s], shape ``(n,)``.
    """
    if filtered.v is None:
        return filtered
    return filtered.with_flag(np.abs(filtered.v) < _SIGN * np.asarray(noise), Flag.AT_REST)
