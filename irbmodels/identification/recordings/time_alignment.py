"""One clock for all signals: delays between signals, logs merged, samples at a steady rate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import as_instance, numbers, short_repr
from ...errors import InputError
from ...model.types import Array, Mask
from ...trajectory.rate_consistency import GAP
from .recording import QUANTITIES, Finding, Flag, Recording

_FEWEST = 16  # samples in common, below which no delay is estimated
_DOUBT = 0.98  # of the best correlation: another delay that fits as well
_MOST = 1e8  # samples; more do not fit into memory
_BRIDGED = 3.0  # steps over which a value between samples is still a guess


class Delay(NamedTuple):
    """Delay of a signal against another."""

    seconds: float
    deviation: float
    """Standard deviation [s], from the residual noise; white noise assumed."""
    correlation: float
    """Of the signals, one of them moved by the delay."""


def estimate_delay(
    signal: ArrayLike, reference: ArrayLike, step: float, most: float = 0.5
) -> Delay:
    """Estimate the delay of ``signal``: peak of the cross-correlation, then least squares.

    Both are sampled at the same steady times. The mean of each is taken off; a factor between them
    does no harm. The estimate is far finer than a sample where the signals move: its deviation says
    how fine.

    Args:
        signal: Shape ``(N,)``, or ``(N, k)`` for k signals with one delay; torques, positions.
        reference: Same shape; a model's prediction, or the same signal by another clock.
        step: Time between samples [s].
        most: Largest delay, either way [s].

    Raises:
        InputError: if shapes differ, a number is not finite, there are too few samples, a signal
            does not move, or another delay within ``most`` fits as well (the motion repeats
            itself).
    """
    late, early = (np.atleast_1d(numbers(x, "a signal")) for x in (signal, reference))
    late, early = (x[:, None] if x.ndim == 1 else x for x in (late, early))
    if (
        late.ndim != 2
        or late.shape != early.shape
        or not (np.isfinite(late).all() and np.isfinite(early).all())
    ):
        raise InputError(
            f"a delay needs two signals of one shape without holes, got {late.shape} and"
            f" {early.shape}"
        )
    if not (0.0 < step < np.inf and step <= most < np.inf):
        raise InputError(
            f"step and most are times [s], most not below step, got {step!r} and {most!r}"
        )
    reach = round(most / step)
    if len(late) - 2 * reach < _FEWEST:
        raise InputError(
            f"{len(late)} samples are too few for delays up to {most:g} s ({reach} samples); give a"
            " smaller 'most'"
        )
    moving = (np.ptp(late, axis=0) > 0.0) & (np.ptp(early, axis=0) > 0.0)
    if not moving.any():
        raise InputError("a delay needs a signal that moves: one of these is constant")
    late, early = late[:, moving], early[:, moving]
    late = (late - late.mean(axis=0)) / late.std(axis=0)
    shifts = np.arange(-reach, reach + 1)
    curve = np.array([_correlation(late, early, int(shift), reach) for shift in shifts])
    best = int(np.argmax(np.abs(curve)))
    sign, curve = np.sign(curve[best]), np.abs(curve)
    if best in (0, len(curve) - 1):
        raise InputError(f"the delay is {most:g} s or more: give a larger 'most'")
    peaks = np.flatnonzero((curve[1:-1] >= curve[:-2]) & (curve[1:-1] > curve[2:])) + 1
    rival = [
        int(i)
        for i in peaks
        if i != best and abs(int(i) - best) > 1 and curve[i] > _DOUBT * curve[best]
    ]
    if rival:
        raise InputError(
            f"delays of {shifts[best] * step:.4g} s and {shifts[rival[0]] * step:.4g} s fit equally"
            " well: the motion repeats itself; give a smaller 'most', or a motion that does not"
        )
    return _refined(late * sign, early, int(shifts[best]), reach, step)


def _correlation(late: Array, early: Array, shift: int, reach: int) -> float:
    left = late[reach : len(late) - reach]
    right = early[reach - shift : len(early) - reach - shift]
    left, right = left - left.mean(axis=0), right - right.mean(axis=0)
    size = np.sqrt((left * left).sum() * (right * right).sum())
    return float((left * right).sum() / size) if size > 0.0 else 0.0


def _refined(late: Array, early: Array, shift: int, reach: int, step: float) -> Delay:
    """Fit ``late(k) = gain early(k - x) + offset`` by Gauss-Newton, ``early`` as a spline."""
    from scipy.interpolate import make_interp_spline

    k = np.arange(reach, len(late) - reach, dtype=float)
    curve = make_interp_spline(np.arange(len(early), dtype=float), early, k=5)
    slope, left, x = curve.derivative(), late[reach : len(late) - reach], float(shift)
    for _ in range(20):
        right, rate = curve(k - x), slope(k - x)
        centred = right - right.mean(axis=0)
        gain = (centred * left).sum(axis=0) / (centred * centred).sum(axis=0)
        rest = left - left.mean(axis=0) - gain * centred
        tangent = -gain * (rate - rate.mean(axis=0))
        tangent = tangent - centred * (
            (tangent * centred).sum(axis=0) / (centred * centred).sum(axis=0)
        )
        size = float((tangent * tangent).sum())
        change = float((tangent * rest).sum()) / size
        x = float(np.clip(x + change, shift - 1.0, shift + 1.0))
        if abs(change) < 1e-10:
            break
    noise = float((rest * rest).sum()) / max(rest.size - 3 * rest.shape[1], 1)
    total = float(((left - left.mean(axis=0)) ** 2).sum())
    return Delay(
        x * step,
        float(np.sqrt(noise / size)) * step,
        float(np.sqrt(max(1.0 - (rest * rest).sum() / total, 0.0))),
    )


def _checked(recording: Recording) -> Recording:
    return as_instance(recording, Recording, "a log is a Recording")


def shift_signal(recording: Recording, seconds: float, quantity: str = "tau") -> Recording:
    """Return the recording with one quantity advanced by ``seconds`` against the others.

    Torques logged 4 ms late: ``shift_signal(recording, 0.004)``. Values between samples are
    straight lines; where there is none, the ends of the log, they are missing and flagged.

    Raises:
        InputError: if the recording does not have the quantity.
    """
    _checked(recording)
    values = getattr(recording, quantity, None) if quantity in QUANTITIES else None
    if values is None or not np.isfinite(seconds):
        raise InputError(
            f"this recording has no {quantity!r} that could be shifted by {seconds!r} s"
        )
    moved = _between(recording.t, values, recording.t + seconds, GAP * recording.step)
    what = f"{quantity} shifted by {1e3 * seconds:.4g} ms, by straight lines between samples"
    return recording.changed(**{quantity: moved}).with_findings(Finding(what))


def merge_recordings(
    recording: Recording, other: Recording, most: float = 0.5
) -> tuple[Recording, Delay]:
    """Return the first log with what only the other has, by one clock.

    The delay is estimated from the positions of both.

    Args:
        recording: Gives the times.
        other: Of the same motion, by another clock: such as torques by test signals beside
            positions by EGM.
        most: Largest delay of the other clock, either way, once both count from their first
            samples' common time [s].

    Raises:
        InputError: as :func:`delay`, or if the logs are of different arms or do not overlap.
    """
    if _checked(recording).n != _checked(other).n:
        raise InputError(f"logs of {recording.n} and {other.n} axes are not of one robot")
    step = recording.step
    low, high = max(recording.t[0], other.t[0]), min(recording.t[-1], other.t[-1])
    if high - low < _FEWEST * step:
        raise InputError("the logs have no time in common; let both clocks start at the same event")
    t = np.arange(low, high, step)
    one, two = (_between(log.t, log.q, t, np.inf) for log in (recording, other))
    good = np.isfinite(one).all(axis=0) & np.isfinite(two).all(axis=0)
    if not good.any():
        raise InputError(
            "no axis has positions throughout in both logs; resample them, or cut off what is"
            " missing"
        )
    lag = estimate_delay(two[:, good], one[:, good], step, most)
    at, hole = recording.t + lag.seconds, GAP * other.step
    new = {
        name: _between(other.t, getattr(other, name), at, hole)
        for name in QUANTITIES
        if _only(name, recording, other)
    }
    more = {
        name: _between(other.t, values, at, hole)
        for name, values in other.extra.items()
        if name not in recording.extra
    }
    flags = recording.flags | _neighbours(other.flags, other.t, at)
    taken = ", ".join([*new, *more]) or "nothing"
    what = f"{taken} from {other.source or 'another log'}, which is {1e3 * lag.seconds:.5g} ms late"
    synthetic = recording.synthetic or other.synthetic
    result = recording.changed(
        **new, extra={**recording.extra, **more}, flags=flags, synthetic=synthetic
    )
    return result.with_findings(
        Finding(what, f"standard deviation {1e3 * lag.deviation:.2g} ms")
    ), lag


def _only(name: str, recording: Recording, other: Recording) -> bool:
    return getattr(recording, name) is None and getattr(other, name) is not None


def resample(recording: Recording, rate: float) -> Recording:
    """Return the recording at a steady rate [Hz], from its first sample on.

    Straight lines between samples of v, a, tau and more.

    Positions run through cubic splines. What lies where a sample was lost is flagged
    ``INTERPOLATED``, and in a gap longer than three steps missing. A lower rate first takes off
    what it could not tell from something slower: a zero-phase Butterworth filter at 0.8 of half the
    rate, on positions and torques; the findings say so.

    Raises:
        InputError: if the rate is not positive, leaves less than two samples, or gives more than a
            hundred million.
    """
    span = float(_checked(recording).t[-1] - recording.t[0])
    if not (isinstance(rate, int | float | np.number) and 1.0 <= span * rate <= _MOST):
        raise InputError(
            f"a rate is a positive number [Hz] that leaves 2 to {_MOST:g} samples, not"
            f" {short_repr(rate)}"
        )
    source, findings = recording, []
    if rate * recording.step < 0.9:
        source, cutoff = _slow(recording, 0.4 * rate), 0.4 * rate
        findings.append(
            Finding(
                f"positions and torques low-passed at {cutoff:.4g} Hz before the rate was lowered"
                f" to {rate:g} Hz"
            )
        )
    t = recording.t[0] + np.arange(int(span * rate * (1.0 + 1e-12)) + 1) / rate
    made, hole = _made(recording.t, t, recording.step), _BRIDGED * recording.step
    arrays: dict[str, Array] = {
        name: _between(source.t, x, t, hole)
        for name in QUANTITIES[1:]
        if (x := getattr(source, name)) is not None
    }
    more = {name: _between(source.t, values, t, hole) for name, values in source.extra.items()}
    q = _smooth(source, t, hole)
    flags = _neighbours(recording.flags, recording.t, t) & ~np.uint16(
        Flag.NO_POSITION | Flag.NO_SPEED | Flag.NO_TORQUE
    )
    flags[made] |= np.uint16(Flag.INTERPOLATED)
    count = int(made.sum())
    findings.append(
        Finding(
            f"resampled to {rate:g} Hz from {recording.sampling}",
            f"{count} samples flagged INTERPOLATED" * (count > 0),
        )
    )
    return recording.changed(t=t, q=q, **arrays, extra=more, flags=flags).with_findings(*findings)


def _slow(recording: Recording, cutoff: float) -> Recording:
    from .filtering import low_pass

    parts = {
        name: getattr(recording, name).copy()
        for name in ("q", "tau")
        if getattr(recording, name) is not None
    }
    for part in recording.segments():
        for values in parts.values():
            for column in values.T:
                if np.isfinite(column[part]).all():
                    column[part] = low_pass(column[part], cutoff, 1.0 / recording.step)
    return recording.changed(**parts)


def _smooth(recording: Recording, t: Array, hole: float) -> Array:
    """Interpolate positions by a cubic spline per segment, and linearly over short gaps."""
    from scipy.interpolate import make_interp_spline

    result = _between(recording.t, recording.q, t, hole)
    for axis in range(recording.n):
        for part in recording.segments(recording.has(Flag.NO_POSITION)[:, axis]):
            inside = (t >= recording.t[part][0]) & (t <= recording.t[part][-1])
            if part.stop - part.start > 3 and inside.any():
                result[inside, axis] = make_interp_spline(
                    recording.t[part], recording.q[part, axis], k=3
                )(t[inside])
    return result


def _between(t: Array, values: Array, at: Array, hole: float) -> Array:
    """Straight lines between samples that have a number.

    NaN beyond the ends, and in holes longer than ``hole`` [s].
    """
    table = values if values.ndim == 2 else values[:, None]
    result = np.full((len(at), table.shape[1]), np.nan)
    slack = 1e-6 * float(np.median(np.diff(t))) if len(t) > 1 else 0.0
    for j, column in enumerate(table.T):
        good = np.flatnonzero(np.isfinite(column))
        if good.size < 2:
            continue
        known = t[good]
        right = np.clip(np.searchsorted(known, at), 1, good.size - 1)
        width = known[right] - known[right - 1]
        measured = (np.abs(at - known[right]) <= slack) | (np.abs(at - known[right - 1]) <= slack)
        within = (at >= known[0] - slack) & (at <= known[-1] + slack)
        inside = within & (measured | (width <= hole * (1.0 + 1e-9)))
        result[inside, j] = np.interp(at[inside], known, column[good])
    return result if values.ndim == 2 else result[:, 0]


def _made(t: Array, at: Array, step: float) -> Mask:
    """For each of ``at`` whether it lies where a sample is lost, or beyond the ends."""
    right = np.clip(np.searchsorted(t, at), 1, len(t) - 1)
    slack = 1e-6 * step
    measured = (np.abs(at - t[right - 1]) <= slack) | (np.abs(at - t[right]) <= slack)
    outside = (at < t[0] - slack) | (at > t[-1] + slack)
    return np.asarray(~measured & ((t[right] - t[right - 1] > GAP * step) | outside), dtype=bool)


def _neighbours(flags: NDArray[np.uint16], t: Array, at: Array) -> NDArray[np.uint16]:
    """Flags of the samples on both sides; of the only one where a time is that of a sample."""
    right = np.clip(np.searchsorted(t, at), 1, len(t) - 1)
    left = right - 1
    slack = 1e-6 * np.median(np.diff(t))
    first, second = np.abs(at - t[left]) > slack, np.abs(at - t[right]) > slack
    both = np.where(first[:, None], flags[right], 0) | np.where(second[:, None], flags[left], 0)
    return np.asarray(both, dtype=np.uint16)
