"""Bandwidth of the filter of positions, from logs: spectrum, condition and held-out error.

Positions hold no motion above the frequency at which their spectrum reaches its floor, and torques
nothing above what their rate carries. Below, a wider filter lets more of the motion through, and
more noise into accelerations; which is better shows in torques of stretches that a fit has not
seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ..fits.accumulator import Accumulator
from ..fits.regression import weighted_least_squares
from ..recordings.recording import Recording
from .plain_fit import KnownRows, PlainEquations, identifiable, thinned
from .preparation import BANDWIDTH, filter_marked

CARRIED = 0.4  # of the rate of torques or positions: a filter needs something above it
FLOOR = 2.0  # times the noise of a spectrum: where it comes that near, there is nothing but noise
NOISY = 0.75  # of half the rate: above it a spectrum is its noise
RESOLVED = 4.0  # [s] of the log in one spectrum
RATIO = 1.5  # between two bandwidths that are tried
LOWEST = 2.0  # [Hz]: an arm moves slower, and edges of a filter take 2 s of each log there
FOLDS = 8  # stretches, each held out once
MOST = 2000  # samples that are compared
BETTER = 0.005  # of the error: less is no reason to leave a bandwidth
WORSE = 2.0  # times the condition number: more, and the filter takes the excitation off


class Bandwidth(NamedTuple):
    """Bandwidth of the filter of positions, and why."""

    hertz: float
    reason: str


def select_bandwidth(equations: PlainEquations, marked: Sequence[Recording]) -> Bandwidth:
    """Return the bandwidth whose fit predicts held-out stretches of the logs best.

    10 Hz, or what logs carry, unless another one is better by more than a standard error over the
    stretches.

    Args:
        equations: Of the robot, for the axes that move.
        marked: Logs with flags (:func:`.mark`), as logged.
    """
    moving = list(equations.base.axes)
    carried = CARRIED * min(_torque_rate(log, moving) for log in marked)
    start = hertz = min(BANDWIDTH, carried)
    # noise of positions above their spectrum does no harm by itself, but what is there is noise
    limit = min(carried, max(start, min(spectral_limit(log, moving) for log in marked)))
    what = "torques carry no more" if start < BANDWIDTH else "usual"
    tried: dict[float, KnownRows | None] = {}

    def rows(f: float) -> KnownRows | None:
        if f not in tried:
            try:
                ready = [filter_marked(log, f) for log in marked]
                tried[f] = thinned(equations, ready, MOST, FOLDS)
            except InputError:
                tried[f] = None
        return tried[f]

    if rows(hertz) is None:
        return Bandwidth(hertz, f"{what}; too few samples to try others")
    for ratio in (1.0 / RATIO, RATIO):
        before = hertz
        while LOWEST <= hertz * ratio <= limit and _is_better(rows(hertz * ratio), rows(hertz)):
            hertz *= ratio
        if hertz != before:
            break
    others = ", ".join(f"{f:.3g}" for f in sorted(tried) if f != hertz)
    if hertz != start:
        return Bandwidth(hertz, f"predicts held-out stretches better than {others} Hz")
    worse = f"; {others} Hz predict held-out stretches no better" if others else ""
    return Bandwidth(hertz, what + worse)


def spectral_limit(recording: Recording, axes: Sequence[int]) -> float:
    """Return the frequency [Hz] above which positions of these axes (0-based) are noise."""
    from scipy.signal import welch

    part = max(recording.segments(), key=lambda part: part.stop - part.start)
    t, q = recording.t[part], recording.q[part][:, list(axes)]
    good = np.isfinite(q).all(axis=1)
    if good.sum() < 64:
        return np.inf
    rate = (len(t) - 1) / (t[-1] - t[0])
    even = np.linspace(t[0], t[-1], len(t))
    x = np.stack([np.interp(even, t[good], column[good]) for column in q.T], axis=1)
    length = int(min(len(t), RESOLVED * rate))
    f, power = welch(x, rate, ("kaiser", 14.0), length, detrend="linear", axis=0)
    noise = np.median(power[f > NOISY * f[-1]], axis=0)
    limits = [
        f[peak + np.argmax(column[peak:] < FLOOR * level)]
        for column, level in zip(power.T, noise, strict=True)
        if column[peak := int(np.argmax(column))] > FLOOR * level and level > 0.0
    ]
    return float(max(limits, default=np.inf))


def _torque_rate(recording: Recording, axes: Sequence[int]) -> float:
    """Return the rate [Hz] at which torques change while all axes move."""
    tau, q = np.asarray(recording.tau)[:, list(axes)], recording.q[:, list(axes)]
    moved = (np.diff(q, axis=0) != 0.0).all(axis=1)
    changes = np.diff(tau, axis=0)[moved] != 0.0
    share = float(changes.mean(axis=0).max()) if moved.any() else 1.0
    return max(share, 0.02) / recording.step


def _is_better(other: KnownRows | None, present: KnownRows | None) -> bool:
    """True if held-out errors are lower by more than a standard error, on the same torques."""
    if other is None or present is None:
        return False
    try:
        (trial, worse), (known, usual) = map(_held_out, other.on_the_same(present))
    except InputError:
        return False
    gain = (known - trial).mean(axis=1)
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    return bool(gain.mean() > max(error, BETTER) and worse < WORSE * usual)


def _held_out(rows: KnownRows) -> tuple[Array, float]:
    """Return logarithms of the RMSE of each fold and axis, ``(folds, size)``, and the condition."""
    folds = [KnownRows([block]).accumulated() for block in rows.blocks]
    # sums of the first folds, and of the last ones: what is left without one is two of them
    first, last = (list(accumulate(part, Accumulator.merge)) for part in (folds, folds[::-1]))
    whole, kept = identifiable(first[-1])
    result = []
    for k, fold in enumerate(folds):
        others = [*first[k - 1 : k], *last[len(folds) - 2 - k : len(folds) - 1 - k]]
        rest = others[0].merge(others[1]) if len(others) > 1 else others[0]
        if len(kept) < rest.p:
            fold, rest = fold.select(kept), rest.select(kept)
        squares = fold.residual_squares(weighted_least_squares(rest).beta)
        result.append(0.5 * np.log((squares + 1e-30) / np.maximum(fold.counts, 1.0)))
    return np.array(result), weighted_least_squares(whole).condition
