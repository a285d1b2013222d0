"""Flags that a log does not bring along: outliers, saturation, rest. Nothing is replaced."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance, finite
from ...errors import InputError
from ...model.types import Array, Mask
from .plausibility import span
from .recording import Finding, Flag, Recording

_SPIKE = 1.4826  # of a median absolute deviation is a standard deviation, of normal noise
_FEWEST = 5  # samples that have surroundings
_SIGN = 5.0  # deviations of a speed: below them its sign is a guess
_PLATEAU = 5  # equal samples in a row at the largest torque: a limit


def flag_outliers(recording: Recording, window: float = 0.1, threshold: float = 6.0) -> Recording:
    """Flag outliers of positions and torques by a filter [Hampel 1974] robust to slopes and steps.

    An outlier is far both from the median of its surroundings, which follows a step such as
    friction at a reversal, and from the median of what pairs of neighbours say of it, which follows
    a slope. The noise is the median of the latter distances.

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
    finest = float(steps[steps > 0.0].min()) if steps.any() else 0.0
    # an axis at rest has no noise but its resolution
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
    """Median of what pairs of neighbours say of each sample.

    Right on a straight line, at the ends too.
    """
    reach, last, here = max(samples // 2, 2), len(x) - 1, np.arange(len(x))
    estimates = np.empty((reach, len(x)))
    for k in range(1, reach + 1):
        left, right = here - k, here + k
        estimates[k - 1] = 0.5 * (x[np.maximum(left, 0)] + x[np.minimum(right, last)])
        for alone, side in ((left < 0, k), (right > last, -k)):
            one, two = (np.clip(here[alone] + i * side, 0, last) for i in (1, 2))
            estimates[k - 1, alone] = 2.0 * x[one] - x[two]
    return np.asarray(np.median(estimates, axis=0), dtype=float)


def flag_saturation(recording: Recording, limit: ArrayLike | None = None) -> Recording:
    """Flag torques at their limit.

    Args:
        recording: With torques.
        limit: Limits [N m, N], shape ``(n,)``: a torque within 0.1 % of it. Default: the largest or
            smallest torque of an axis is a limit if it stands there for five samples in a row, to
            the last digit.

    Raises:
        InputError: if there are no torques, or limits are not positive.
    """
    _check_type(recording)
    if recording.tau is None:
        raise InputError("this recording has no torques that could saturate")
    tau = recording.tau
    if limit is None:
        mask = _plateaus(tau, np.nanmax(tau, axis=0, initial=-np.inf)) | _plateaus(
            tau, np.nanmin(tau, axis=0, initial=np.inf)
        )
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


def _plateaus(tau: Array, extreme: Array) -> Mask:
    at = (tau == extreme) & (span(tau) > 0.0)
    run = np.ones((_PLATEAU, 1))
    from scipy.ndimage import binary_opening

    return np.asarray(binary_opening(at, run.astype(bool)), dtype=bool)


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


def flag_uncertain_sign(filtered: Recording, raw: Recording, bandwidth: float) -> Recording:
    """Flag samples with an uncertain sign of speed, and so of dry friction, as at rest.

    The noise of a speed follows from that of its position, which is what the filter took away:
    white noise of deviation ``s`` at a rate ``r`` leaves ``2 pi f s sqrt(2 f / (3 r))`` of speed
    below ``f``.

    Args:
        filtered: Positions and speeds.
        raw: The same log before the filter.
        bandwidth: Of the filter, ``f`` [Hz].
    """
    if filtered.v is None:
        return filtered
    taken = raw.q - filtered.q
    share = 2.0 * bandwidth * filtered.step
    spread = (
        1.4826
        * np.nanmedian(np.abs(taken - np.nanmedian(taken, axis=0)), axis=0)
        / np.sqrt(max(1.0 - share, share))
    )
    noise = 2.0 * np.pi * bandwidth * spread * np.sqrt(share / 3.0)
    return filtered.with_flag(np.abs(filtered.v) < _SIGN * noise, Flag.AT_REST)
