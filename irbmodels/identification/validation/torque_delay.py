"""Delay of logged torques against positions, per axis, with its standard deviation.

Torques logged ``d`` late are ``tau(t) = Y(t - d) beta``, to first order ``Y beta - d (Y beta)'``:
linear in ``beta`` and, with the slope of the torque that a first fit predicts, in ``d``. The
covariance accounts for the memory of the residuals. Near reversals friction has not the sign of the
speed, which looks like a delay: these torques are left out. So does friction of another shape than
that of the model: further shapes are in the fit, and by what they change a delay its deviation
grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ..fits.accumulator import Accumulator
from ..fits.regression import invert_factor, weighted_least_squares
from ..recordings.recording import Recording
from .evaluation import usable_segments
from .plain_fit import KnownRows, PlainEquations, identifiable, stretches

MOST = 4000  # samples of the fit; more cost time, and make an estimate of a clock no better
FEWEST = 12  # samples of a stretch, for the slope of its torques
LARGEST = 0.05  # [s] of a delay that a controller has; longer ones are something else
REVERSAL = 0.03  # [s] before and after a reversal, in which torques are left out
SLOW = 0.05  # of the RMS speed: slower, a gear deforms before it slides
SURE = 3.0  # standard deviations from which a delay is corrected
CERTAIN = 0.999  # level at which a parameter of the slope is not 0
UNLIKE = 0.01  # probability of as different delays of axes that have one
MEMORY = 0.5  # [s] of the residuals: what a model lacks lasts as long as a motion takes


class TorqueDelay(NamedTuple):
    """Time by which torques are logged later than positions."""

    axes: tuple[int, ...]
    """Axes of the estimate, 0-based."""
    seconds: Array
    """Delay of each axis on its own [s], shape ``(size,)``."""
    deviation: Array
    """Standard deviations [s]."""
    common: float
    """Weighted mean [s]."""
    common_deviation: float
    """Its standard deviation [s]."""
    p: float
    """Probability that axes of one delay differ by as much."""

    @property
    def one_clock(self) -> bool:
        """True if all axes may have the common delay."""
        return self.p >= UNLIKE

    def late(self, n: int) -> Array:
        """Return what is to be corrected of each of ``n`` axes [s]; 0 where it is not sure."""
        if self.one_clock:
            sure = abs(self.common) > SURE * self.common_deviation and abs(self.common) < LARGEST
            return np.full(n, self.common if sure else 0.0)
        known = np.abs(self.seconds) > SURE * self.deviation
        result = np.zeros(n)
        result[list(self.axes)] = np.where(
            known & (np.abs(self.seconds) < LARGEST), self.seconds, 0.0
        )
        return result

    def __str__(self) -> str:
        """Return the estimates in words."""
        each = ", ".join(
            f"{1e3 * d:.1f} +- {1e3 * s:.1f}"
            for d, s in zip(self.seconds, self.deviation, strict=True)
        )
        one = f"{1e3 * self.common:.2f} +- {1e3 * self.common_deviation:.2f} ms"
        return f"torques are logged later than positions by {one}, of the axes by {each} ms"

    @staticmethod
    def of(axes: Sequence[int], seconds: Array, deviation: Array) -> TorqueDelay:
        """Return the mean of the delays of all axes."""
        from scipy.special import chdtrc

        weights, degrees = 1.0 / np.square(deviation), max(len(axes) - 1, 1)
        common = float(weights @ seconds / weights.sum())
        spread = float(weights @ np.square(seconds - common))
        p = float(chdtrc(degrees, spread)) if len(axes) > 1 else 1.0
        # axes that differ by more than their deviations make their mean less sure
        sure = np.sqrt(max(1.0, spread / degrees) / weights.sum())
        return TorqueDelay(tuple(axes), seconds, deviation, common, float(sure), p)

    def later(self, by: Array) -> TorqueDelay:
        """Return the delay of logs of which ``by`` ``(n,)`` [s] was corrected before."""
        return TorqueDelay.of(self.axes, self.seconds + by[list(self.axes)], self.deviation)


def estimate_torque_delay(
    equations: PlainEquations, recordings: Sequence[Recording]
) -> TorqueDelay:
    """Estimate the delay of torques of prepared logs.

    Args:
        equations: Of the robot, for the axes that move.
        recordings: Prepared logs; the estimate is of the delays that remain in them.

    Raises:
        InputError: if samples are too few.
    """
    moving = list(equations.base.axes)
    motions = stretches(usable_segments(recordings, moving), MOST, FEWEST)
    if not motions:
        raise InputError("no stretch of the logs is long enough for a delay of torques")
    speeds = np.concatenate([np.asarray(motion.v) for motion in motions])
    rms = np.sqrt(np.square(speeds).mean(axis=0)) + 1e-12
    blocks = []
    for motion in motions:
        Y, y = equations.rows(motion)
        v, a = (np.asarray(x)[:, moving] for x in (motion.v, motion.a))
        unclear = (np.abs(v) < REVERSAL * np.abs(a)) | (np.abs(v) < SLOW * rms[moving])
        whole = np.concatenate([Y, equations.shapes(np.asarray(motion.v), rms)], axis=2)
        blocks.append((whole, np.where(unclear, np.nan, y)))
    rank, times = equations.base.rank, [np.asarray(motion.t) for motion in motions]
    # friction decides when an axis reverses, not its clock
    smooth = [k for k in range(rank) if k not in equations.jumps]
    total = KnownRows(blocks).accumulated()
    plain, rich = (
        _delays(total.select(range(columns)), blocks, times, smooth) for columns in (rank, total.p)
    )
    return TorqueDelay.of(moving, rich[0], np.hypot(rich[1], rich[0] - plain[0]))


def _delays(
    total: Accumulator,
    blocks: Sequence[tuple[Array, Array]],
    times: Sequence[Array],
    smooth: Sequence[int],
) -> tuple[Array, Array]:
    """Return delays [s] and their standard deviations for one set of columns.

    Args:
        total: Factors of the columns, which are the first ones of the blocks.
        blocks: Equations of each stretch.
        times: Of their samples [s].
        smooth: Columns whose torques are late with the others.
    """
    whole, kept = identifiable(total)
    first = weighted_least_squares(whole)
    # a slope of noise would find itself in the torques
    beta = np.isin(kept, smooth) * first.significant(CERTAIN) * first.beta
    size, late = total.size, []
    for (Y, y), t in zip(blocks, times, strict=True):
        own, columns = np.take(Y, kept, axis=2), np.zeros((len(t), size, size))
        columns[:, range(size), range(size)] = -_slope(own @ beta, t)
        late.append((np.concatenate([own, columns], axis=2), y))
    fit = weighted_least_squares(KnownRows(late).accumulated())
    half = invert_factor(fit.factor[:-1, :-1], fit.names)
    share = (half @ half.T)[-size:]
    # what each sample adds to a delay; sums of them wander as far as the delay is uncertain
    parts = []
    for Y, y in late:
        rest = np.nan_to_num(y - Y @ fit.beta) * fit.weights
        parts.append(np.einsum("nip,ni->np", Y, rest) @ share.T)
    lags = max(1, round(MEMORY / float(np.median(np.diff(times[0])))))
    variance = sum((long_run_variance(part, lags) for part in parts), np.zeros(size))
    equations = fit.degrees + fit.beta.size
    return fit.beta[-size:], np.sqrt(variance * equations / fit.degrees)


def long_run_variance(x: Array, lags: int) -> Array:
    """Return the variance of the sum of each column [Newey & West 1987], ``(size,)``."""
    total = np.square(x).sum(axis=0)
    for lag in range(1, min(lags, len(x) - 1) + 1):
        pairs = np.einsum("ni,ni->i", x[lag:], x[:-lag])
        total += 2.0 * (1.0 - lag / (lags + 1.0)) * pairs
    return np.asarray(np.maximum(total, np.square(x).sum(axis=0)), dtype=float)


def _slope(torque: Array, t: Array) -> Array:
    """Return the rate of torques ``(N, size)`` [N m/s, N/s] without those that jump."""
    from scipy.interpolate import make_interp_spline

    return np.asarray(make_interp_spline(t, torque, k=5).derivative()(t), dtype=float)
