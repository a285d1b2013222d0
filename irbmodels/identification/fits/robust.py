"""Robust least squares: Huber's estimate by iterated reweighting.

A residual beyond ``k`` times the noise counts as if it were ``k`` times the noise. The noise of
each axis is Huber's proposal 2 [Huber, Robust Statistics, 1981, sec. 6.7 and 7.6]: that for which
the clipped residuals are as large as those of a Gaussian.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Accumulator, Equations
from .regression import Fit, floor_noise, invert_factor, least_squares, sandwich_covariance
from .streaming import Samples, accumulate

TUNING = 1.345  # 95 % as efficient as least squares where the noise is Gaussian [Huber 1981]
CONVERGED = 1e-6  # of a standard deviation by which no estimate moves any more
PASSES = 50


@dataclass(frozen=True, eq=False)
class _Pass:
    """Sums of one pass: weighted factors, clipped squares, number of inliers."""

    weighted: Accumulator
    clipped: Array
    inside: Array

    def merge(self, other: _Pass) -> _Pass:
        return _Pass(
            self.weighted.merge(other.weighted),
            self.clipped + other.clipped,
            self.inside + other.inside,
        )


def huber(samples: Samples, rows: Equations, k: float = TUNING) -> Fit:
    """Fit by Huber's loss, each axis in units of its own noise.

    The covariance is the asymptotic one of an M-estimate, ``A^-1 B A^-1`` [Huber 1981, sec. 7.6],
    noise taken as white.

    Args:
        samples: Samples, which are read again in each pass.
        rows: Their equations.
        k: Residuals beyond ``k`` standard deviations count as outliers.

    Raises:
        InputError: if ``k`` is not positive, or the passes do not converge.
    """
    if not k > 0.0:
        raise InputError(f"k is a positive number of standard deviations, got {k!r}")
    plain = accumulate(samples, rows)
    fit, degrees = least_squares(plain), plain.counts * (1.0 - plain.p / plain.counts.sum())
    noise, expected = floor_noise(plain, fit.noise), _expected(k)
    empty = Accumulator(rows.size, rows.names, rows.units)
    for _ in range(PASSES):
        sums = samples.fold(
            partial(_pass, rows=rows, beta=fit.beta, noise=noise, k=k),
            _Pass(empty, np.zeros(rows.size), np.zeros(rows.size)),
        )
        seen = degrees > 0.0
        share = np.divide(sums.clipped, degrees * expected, out=np.ones(rows.size), where=seen)
        noise = floor_noise(plain, noise * np.sqrt(share))
        after = least_squares(sums.weighted, 1.0 / np.square(noise))
        moved = np.abs(after.beta - fit.beta)
        fit = after
        if (moved <= CONVERGED * fit.deviation).all():
            squares = np.divide(sums.clipped, degrees, out=np.zeros(rows.size), where=seen)
            return _with_spread(fit, plain, squares, sums.inside, noise)
    raise InputError(
        f"Huber's estimate does not settle in {PASSES} passes: are most samples outliers?"
    )


def _with_spread(fit: Fit, plain: Accumulator, squares: Array, inside: Array, noise: Array) -> Fit:
    """Set noise and covariance: ``A`` from the share of inliers, ``B`` from clipped squares."""
    weights = 1.0 / np.square(noise)
    factor = plain.combined_factor(weights * inside / np.maximum(plain.counts, 1.0))
    half = invert_factor(factor[:-1, :-1], fit.names)
    return replace(fit, noise=noise, covariance=sandwich_covariance(half, plain, weights * squares))


def _pass(
    sums: _Pass, pieces: Iterable[Motion], rows: Equations, beta: Array, noise: Array, k: float
) -> _Pass:
    for Y, y in rows(pieces):
        size = np.abs(y - Y @ beta) / noise  # NaN where masked
        sums.weighted.add(Y, y, k / np.fmax(size, k))
        sums.clipped[:] += np.nansum(np.square(np.minimum(size, k)), axis=0)
        sums.inside[:] += (size < k).sum(axis=0)
    return sums


def _expected(k: float) -> float:
    """Mean square of a Gaussian clipped at ``k``."""
    from scipy.special import erf

    inside, density = erf(k / np.sqrt(2.0)), np.exp(-0.5 * k * k) / np.sqrt(2.0 * np.pi)
    return float(inside - 2.0 * k * density + k * k * (1.0 - inside))
