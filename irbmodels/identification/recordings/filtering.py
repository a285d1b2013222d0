"""Zero-phase filters for positions, speeds and accelerations, each with its bandwidth.

All take a cutoff [Hz]: the frequency at which the position is down by 3 dB (to 0.707), whatever the
filter. None of them shifts in time. Torques stay raw unless asked for: a filter makes their noise
dependent from sample to sample, and an estimate that does not know it is far too sure of itself (95
% intervals that hold 32 %, measured); filter torques only together with a covariance that accounts
for it, such as :func:`with_autocorrelation`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...checks import as_instance, numbers, positive
from ...errors import InputError
from ...model.types import Array, Mask
from ...trajectory.rate_consistency import GAP
from .recording import UNEQUAL, Finding, Flag, Recording

Filter = Callable[[Array, Array], tuple[Array, Array, Array]]
"""Positions ``(N, n)`` at even times to positions, first and second derivative, per sample.

At the places of the second argument, in samples, ``(M,)``: all samples, but for filters that can
answer in between.
"""

_BRIDGED = 5  # samples in a row that are missing or outliers and may be filled in before filtering
_HALF = np.sqrt(0.5)
# usual steps, and periods of the cutoff: through shorter gaps a spline goes that a filter can
# evaluate anywhere
_LOST, _QUARTER = 4.5, 0.25
_EVEN = 1e-3  # of a step: stamps that wander less are even
# steps: a logger that is late catches up within a few; stamps that wander by more lack samples
_LATE = 5.0


@dataclass(frozen=True, eq=False)
class Filtered:
    """A recording with filtered positions and the speeds and accelerations from them."""

    recording: Recording
    """``q``, ``v``, ``a`` are new; the samples near ends and holes are flagged ``EDGE``."""
    bandwidth: tuple[float, float, float]
    """Frequency [Hz] up to which q, v, a have 0.707 or more of what they should have."""
    edge: float
    """Time at each end of a stretch that is flagged [s]."""


def savitzky_golay(
    recording: Recording, cutoff: float, order: int = 3, torque: bool = False
) -> Filtered:
    """Filter by a polynomial over a sliding window [Savitzky, Golay 1964].

    S002 uses it too, without printing window and order.

    Args:
        recording: At a steady rate; see :func:`resample`.
        cutoff: [Hz]; the window is the one whose bandwidth is nearest.
        order: Of the polynomial, 2 or more; the window is longer by the order.
        torque: True to filter torques too.

    Raises:
        InputError: if the rate is not steady, the cutoff is not below half of it, or no stretch is
            long enough.
    """
    from scipy.signal import savgol_coeffs

    _check_input(recording, cutoff)
    if not (isinstance(order, int) and 2 <= order <= 9):
        raise InputError(
            f"the order of the polynomial is a whole number from 2 to 9, not {order!r}"
        )
    ratio = cutoff * recording.step
    # odd
    sizes = np.arange(order + 1 + order % 2, max(int(2.0 * (order + 2) / ratio), order + 5) | 1, 2)
    size = _window(sizes, ratio, lambda window: _half_power(savgol_coeffs(window, order), 0))
    kernels = [savgol_coeffs(size, order, deriv=k, use="dot") for k in range(3)]

    def apply(x: Array, _: Array) -> tuple[Array, Array, Array]:
        from scipy.signal import savgol_filter

        q, v, a = (savgol_filter(x, size, order, deriv=k, axis=0, mode="interp") for k in range(3))
        return q, v, a

    bandwidth = [_half_power(kernel, k) for k, kernel in enumerate(kernels)]
    what = f"Savitzky-Golay, order {order}, window {size} samples"
    return _filtered(recording, apply, what, bandwidth, size // 2, size, torque)


def butterworth(
    recording: Recording, cutoff: float, order: int = 4, torque: bool = False, late: float = 0.0
) -> Filtered:
    """Filter forwards and backwards by a Butterworth filter.

    Derivatives of the quintic spline through the filtered samples, at the times of the log, however
    unequal: only positions go through a cubic spline to even times for the filter. Where stamps
    wander about even times, those are taken on which positions are smoother.

    Args:
        recording: At any times.
        cutoff: [Hz], of both passes together.
        order: Of one pass.
        torque: True to filter torques too.
        late: Time by which torques are logged later than positions [s]: motion is that of ``t -
            late``.

    Raises:
        InputError: if the cutoff is not below half the rate, or no stretch is long enough.
    """
    _check_input(recording, cutoff, steady=False)
    if not abs(late) < np.inf:
        raise InputError(f"a delay of torques is a time [s], not {late!r}")
    if not (isinstance(order, int) and 1 <= order <= 10):
        raise InputError(
            f"the order of a Butterworth filter is a whole number from 1 to 10, not {order!r}"
        )
    ratio = cutoff * recording.step

    def apply(x: Array, at: Array) -> tuple[Array, Array, Array]:
        from scipy.interpolate import make_interp_spline

        smooth = low_pass(x, ratio, 1.0, order)
        k = np.arange(len(x), dtype=float)
        spline = make_interp_spline(k, smooth, k=5)
        between = len(at) != len(k) or np.any(at != k)
        q = spline(at) if between else smooth
        return q, spline.derivative(1)(at), spline.derivative(2)(at)

    edge = int(np.ceil(0.5 * order / ratio))
    what = f"Butterworth, order {order}, forwards and backwards"
    widths = [
        _spline_half_power(
            lambda f: 1.0 / (1.0 + (_warp(f) / _bent(ratio, order)) ** (2 * order)), k
        )
        for k in range(3)
    ]
    return _filtered(recording, apply, what, widths, edge, 6 * (order + 1), torque, late)


def smoothing_spline(recording: Recording, cutoff: float, torque: bool = False) -> Filtered:
    """Filter by the cubic smoothing spline [Reinsch 1967].

    Away from the ends it is the filter ``1 / (1 + lambda w^4)``; the cutoff chooses ``lambda``.

    Args:
        recording: At a steady rate.
        cutoff: [Hz].
        torque: True to filter torques too.

    Raises:
        InputError: if the rate is not steady, the cutoff is not below half of it, or no stretch is
            long enough.
    """
    _check_input(recording, cutoff)
    ratio = cutoff * recording.step
    bend = _bending(ratio)

    def apply(x: Array, _: Array) -> tuple[Array, Array, Array]:
        from scipy.interpolate import make_smoothing_spline

        k, columns = np.arange(len(x), dtype=float), []
        for column in x.T:
            spline = make_smoothing_spline(k, column, lam=bend)
            columns.append([spline(k), spline.derivative(1)(k), spline.derivative(2)(k)])
        q, v, a = np.moveaxis(np.array(columns), 0, 2)
        return q, v, a

    widths = [_spline_half_power(lambda f: 1.0 / (1.0 + bend * _stiff(f)), k, 3) for k in range(3)]
    what = f"smoothing spline, lambda {bend:.4g} samples^3"
    return _filtered(recording, apply, what, widths, int(np.ceil(0.6 / ratio)), 5, torque)


def low_pass(values: Array, cutoff: float, rate: float, order: int = 4) -> Array:
    """Filter by a Butterworth filter forwards and backwards, together -3 dB at ``cutoff`` [Hz].

    Raises:
        InputError: if there are no samples along the first axis, or cutoff or rate are no
            frequencies.
    """
    from scipy.signal import butter, sosfiltfilt

    values, cutoff, rate = (
        numbers(values, "samples to filter"),
        positive(cutoff, "a cutoff [Hz]"),
        positive(rate, "a rate [Hz]"),
    )
    if not values.size:
        raise InputError(f"a filter needs samples along the first axis, got shape {values.shape}")
    values = np.atleast_1d(values)
    bent = np.arctan(_bent(cutoff / rate, order)) / np.pi
    sections = butter(order, min(bent, 0.4999), fs=1.0, output="sos")
    pad = min(int(np.ceil(3.0 * order * rate / cutoff)), len(values) - 1)
    return np.asarray(sosfiltfilt(sections, values, axis=0, padlen=pad), dtype=float)


def _warp(f: Array) -> Array:
    """Frequency of the analog filter at one of the digital [per sample]."""
    return np.tan(np.pi * np.minimum(f, 0.499999))


def _bent(ratio: float, order: int) -> float:
    """Analog cutoff of one pass for a cutoff of both: ``1 / (1 + x^(2 order)) = 0.707``."""
    return float(_warp(np.asarray(ratio)) / (np.sqrt(2.0) - 1.0) ** (0.5 / order))


def _stiff(f: Array) -> Array:
    """Bending energy of the cubic spline through a unit sine, at frequencies [per sample]."""
    c = np.cos(2.0 * np.pi * f)
    return np.asarray(4.0 * (1.0 - c) ** 2 * 3.0 / (2.0 + c), dtype=float)


def _bending(ratio: float) -> float:
    return float((np.sqrt(2.0) - 1.0) / _stiff(np.asarray(ratio)))


def _half_power(kernel: Array, k: int) -> float:
    """Bandwidth [per sample] of a kernel of the k-th derivative: gain 0.707 of the ideal one."""
    from scipy.signal import freqz

    f = np.linspace(0.0, 0.5, 20001)[1:]
    response = np.abs(freqz(kernel, worN=2.0 * np.pi * f)[1]) / (2.0 * np.pi * f) ** k
    low = np.flatnonzero(response < _HALF)
    return float(f[low[0]]) if low.size else 0.5


def _spline_half_power(gain: Callable[[Array], Array], k: int, degree: int = 5) -> float:
    """Bandwidth of the k-th derivative at the knots of the spline through samples with a gain."""
    f = _frequencies()
    low = np.flatnonzero(gain(f) * np.abs(_spline_derivative(k, degree)) < _HALF)
    return float(f[low[0]]) if low.size else 0.5


@cache
def _frequencies() -> Array:
    """Grid below half the rate [per sample]."""
    return np.linspace(0.0, 0.5, 20001)[1:-1]


@cache
def _spline_derivative(k: int, degree: int) -> Array:
    """Gain of the derivative of the spline through samples of a sine: of B-splines at the knots."""
    f = _frequencies()
    if k == 0:
        return np.ones_like(f)
    w = 2.0 * np.pi * f
    from scipy.interpolate import BSpline

    half = (degree + 1) // 2
    spline = BSpline.basis_element(np.arange(degree + 2.0) - half, extrapolate=False)
    knots = np.arange(1 - half, half, dtype=float)
    value, rate = spline(knots), spline.derivative(k)(knots)
    wave = np.exp(-1j * np.outer(w, knots))
    return np.asarray(np.abs((wave @ rate) / (wave @ value)) / w**k, dtype=float)


def _window(sizes: NDArray[np.intp], ratio: float, bandwidth: Callable[[int], float]) -> int:
    """Shortest window whose bandwidth [per sample] is nearest to ``ratio``.

    It falls as the window grows.
    """
    known = cache(lambda i: bandwidth(int(sizes[i])))

    def first_at_most(value: float) -> int:
        return bisect_left(range(len(sizes)), -value, key=lambda i: -known(i))

    below = min(first_at_most(ratio), len(sizes) - 1)
    above = first_at_most(known(max(below - 1, 0)))
    return int(sizes[above if known(above) - ratio <= ratio - known(below) else below])


def _check_input(recording: Recording, cutoff: float, steady: bool = True) -> None:
    rate = 1.0 / as_instance(recording, Recording, "what is filtered is a Recording").step
    if not (isinstance(cutoff, int | float | np.number) and 0.0 < cutoff < 0.5 * rate):
        raise InputError(
            f"a cutoff [Hz] is positive and below half the rate of {rate:.5g} Hz, not {cutoff!r}"
        )
    part = recording.unsteady_segment() if steady else None
    if part is not None:
        raise InputError(
            f"this filter needs a steady rate; near t = {recording.t[part.start]:.6g} s it wanders:"
            f" resample(recording, {rate:.0f})"
        )


def _filtered(
    recording: Recording,
    apply: Filter,
    what: str,
    ratios: Sequence[float],
    edge: int,
    fewest: int,
    torque: bool,
    late: float | None = None,
) -> Filtered:
    """Filter the segments in which no axis lacks a position for longer than a few samples.

    Args:
        recording: Any.
        apply: The filter.
        what: Its name and numbers.
        ratios: Its bandwidths [per sample].
        edge: Samples at each end that are flagged.
        fewest: Samples that it needs.
        torque: True to filter torques too.
        late: Delay of torques [s], of a filter that answers at any time; None: it does not.
    """
    filled, bridged, lost = _bridge_gaps(recording)
    q, v, a = (np.full(recording.q.shape, np.nan) for _ in range(3))
    tau = None if recording.tau is None else recording.tau.copy()
    edges, short, clocks = np.zeros(len(recording), dtype=bool), 0, []
    gap = GAP if late is None else max(GAP, min(_LOST, _QUARTER / (ratios[0] or 1.0)))
    for part in recording.segments(lost, gap):
        t = recording.t[part]
        clock = _Clock.of(t, filled[part], recording.step, any_time=late is not None)
        if clock.count < max(fewest, 2 * edge + 1):
            short += len(t)
            continue
        clocks.append(clock)
        at, step = clock.at, clock.step
        x = clock.even(filled[part])
        moved = at if not late else at - late / step
        q[part], v[part], a[part] = (x / step**k for k, x in enumerate(apply(x, moved)))
        edges[part] = (at < edge - _EVEN) | (at > clock.count - 1 - edge + _EVEN)
        if torque and tau is not None:
            whole = np.isfinite(tau[part]).all(axis=0)
            tau[part, whole] = apply(clock.even(tau[part][:, whole]), at)[0]
            tau[part, ~whole] = np.nan
    if not np.isfinite(q).any():
        raise InputError(
            f"no stretch of this recording has the {max(fewest, 2 * edge + 1)} samples without a"
            " gap that the filter needs; log longer, raise the cutoff, or bridge single lost"
            " samples by resample()"
        )
    q_band, v_band, a_band = (ratio / recording.step for ratio in ratios)
    findings = [
        Finding(
            f"{what}: q, v, a are right to {q_band:.3g}, {v_band:.3g}, {a_band:.3g} Hz (-3 dB)"
        ),
        Finding(
            f"{int(edges.sum())} samples near ends and holes flagged EDGE, {edge} at each",
            samples=int(edges.sum()),
        ),
    ]
    if late is not None:
        findings[:0] = _clock_findings(recording, clocks, late)
    if bridged.any():
        message = f"{int(bridged.sum())} positions replaced by straight lines before filtering"
        findings.append(Finding(message, "flagged INTERPOLATED"))
    if lost.any() or short:
        count = int(lost.sum()) + short
        message = f"{count} samples are in holes, or in stretches too short to filter"
        findings.append(Finding(message, "NO_POSITION"))
    flags = recording.flags & ~np.uint16(Flag.NO_SPEED | Flag.NO_POSITION)
    result = recording.changed(q=q, v=v, a=a, tau=tau, flags=flags)
    result = result.with_flag(bridged, Flag.INTERPOLATED).with_flag(edges, Flag.EDGE, *findings)
    return Filtered(result, (q_band, v_band, a_band), edge * recording.step)


@dataclass(frozen=True, eq=False)
class _Clock:
    """Even times of a segment."""

    t: Array
    """Stamps [s], shape ``(N,)``."""
    at: Array
    """Places of the samples on the even times, in steps, shape ``(N,)``."""
    step: float
    """[s]."""
    count: int
    """Of the even times."""
    jitter: float
    """By which stamps wander about even times that were taken in their place [s]."""

    @staticmethod
    def of(t: Array, q: Array, usual: float, *, any_time: bool) -> _Clock:
        """Take the samples as even, unless positions are smoother at the stamps."""
        own = np.arange(len(t), dtype=float)
        step = (t[-1] - t[0]) / max(len(t) - 1, 1) or 1.0
        wander = float(np.abs(t - t[0] - step * own).max())
        even = wander < _EVEN * step or (
            wander < _LATE * step and _smoother(own, (t - t[0]) / step, q)
        )
        if not any_time or even:
            return _Clock(t, own, step, len(t), wander if any_time else 0.0)
        count = int(np.ceil((t[-1] - t[0]) / usual * (1.0 - 1e-9))) + 1
        step = (t[-1] - t[0]) / (count - 1)
        return _Clock(t, (t - t[0]) / step, step, count, 0.0)

    @property
    def unequal(self) -> bool:
        """True if samples lie between the even times."""
        return bool((self.at != np.round(self.at)).any())

    def even(self, x: Array) -> Array:
        """Return samples ``(N, n)`` at the even times, by a cubic spline."""
        if len(self.at) == self.count and not self.unequal:
            return x
        from scipy.interpolate import make_interp_spline

        return np.asarray(make_interp_spline(self.at, x, k=3)(np.arange(self.count)), dtype=float)


def _smoother(one: Array, other: Array, q: Array) -> bool:
    """True if positions are at least as smooth over one time as over the other.

    Residual of a sample to the line through its neighbours, as median over the moving ones.
    """

    def left(t: Array) -> Array:
        share = (t[1:-1] - t[:-2]) / (t[2:] - t[:-2])
        rest = np.abs(q[1:-1] - q[:-2] - share[:, None] * (q[2:] - q[:-2]))
        return np.asarray(np.where(moving, rest, 0.0).sum(axis=0), dtype=float)

    if len(q) < 3:
        return True
    change = np.abs(q[2:] - q[:-2])
    moving = change > np.median(change, axis=0)
    return bool(np.log((left(one) + 1e-300) / (left(other) + 1e-300)).sum() <= 0.0)


def _clock_findings(recording: Recording, clocks: Sequence[_Clock], late: float) -> list[Finding]:
    """Return findings on unequal steps, on stamps that jitter, and on a delay."""
    findings = []
    if any(clock.unequal for clock in clocks):
        message = f"{recording.sampling}: positions are filtered at even times"
        findings.append(Finding(message, "motion is that of the times of the log, torques stay"))
    jitter = max((clock.jitter for clock in clocks), default=0.0)
    if jitter > UNEQUAL * recording.step:
        message = f"stamps wander by {1e3 * jitter:.2g} ms about even times"
        findings.append(Finding(message, "positions are smoother at these, which are taken"))
    if late:
        message = f"torques are taken as logged {1e3 * late:.3g} ms later than positions"
        findings.append(Finding(message, "motion is that of so much earlier"))
    return findings


def _bridge_gaps(recording: Recording) -> tuple[Array, Mask, Mask]:
    """Return positions with short gaps bridged, the bridged ones, and lost samples ``(N,)``."""
    bad = recording.has(Flag.NO_POSITION | Flag.POSITION_OUTLIER)
    filled, bridged = recording.q.copy(), np.zeros(bad.shape, dtype=bool)
    for axis in range(recording.n):
        for part in _runs(bad[:, axis]):
            before, after = part.start - 1, part.stop
            near = before >= 0 and after < len(recording)
            if (
                near
                and recording.t[after] - recording.t[before] < (_BRIDGED + 1.5) * recording.step
            ):
                ends = [before, after]
                filled[part, axis] = np.interp(
                    recording.t[part], recording.t[ends], recording.q[ends, axis]
                )
                bridged[part, axis] = True
    return filled, bridged, np.asarray((bad & ~bridged).any(axis=1), dtype=bool)


def _runs(mask: Mask) -> list[slice]:
    ends = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [slice(int(start), int(stop)) for start, stop in zip(ends[::2], ends[1::2], strict=True)]
