"""Covariance where the noise of neighbouring samples is alike, as a filter of the torques leaves it.

A filter that cuts at ``f`` of a log at rate ``r`` leaves some ``2 f / r`` of its samples independent. Least squares that count
all of them are too sure: of their intervals for 95 % as few as a third hold the truth. Better do not filter torques: filter
positions, and let the fit average the noise. Where it has been done, the covariance here accounts for it:

- :func:`with_filter` for a known filter of white noise, exactly;
- :func:`with_autocorrelation` for noise of any colour that ends after ``L`` samples [Newey & West 1987], less surely.

Both need a second pass through the samples, along each log on its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import finite
from ...errors import InputError
from ...trajectory import Motion
from .accumulator import Accumulator, Rows
from .regression import Fit, inverted, sandwich
from .streaming import Samples

Array = NDArray[np.float64]


def with_filter(fit: Fit, samples: Samples, rows: Rows, taps: ArrayLike) -> Fit:
    """Return the same fit with the covariance, noise and degrees of freedom of white noise that went through a filter.

    ``A^-1 (H Y)' W^2 (H Y) A^-1``: what the filter makes of the regressor says how much noise it lets through to each estimate.

    Args:
        fit: What :func:`weighted` or :func:`least_squares` returned, from filtered torques.
        samples: The samples of the fit.
        rows: What made its equations.
        taps: Response of the filter to a single 1, as a list of samples; of a zero-phase filter both sides. It must pass what
            does not vary: its sum is 1.

    Raises:
        InputError: if the taps are no such response, or leave fewer independent samples than there are parameters.
    """
    _check(fit, rows)
    response = finite(taps, (np.size(taps),), "taps")
    if not abs(response.sum() - 1.0) < 1e-3:
        raise InputError(f"taps of a filter that keeps a constant sum up to 1, not {response.sum():g}")
    share = float(np.square(response).sum())
    degrees = share * fit.samples * fit.noise.size - fit.beta.size
    if degrees <= 0.0:
        raise InputError(
            f"this filter leaves {share * fit.samples:.0f} independent samples, too few for {fit.beta.size} parameters"
        )
    passed = samples.reduce(partial(_passed, rows=rows, response=response))
    noise = fit.noise * np.sqrt(fit.degrees / degrees)
    inverse = inverted(fit.factor[:-1, :-1], fit.names)
    return replace(fit, covariance=sandwich(inverse, passed, np.square(fit.weights * noise)), noise=noise, degrees=degrees)


def with_autocorrelation(fit: Fit, samples: Samples, rows: Rows, lags: int) -> Fit:
    """Return the same fit with a covariance that holds for noise which ``lags`` samples remember, of any colour and size.

    ``A^-1 (sum over lags of (1 - |l| / L) sum_k s_k s_{k+l}') A^-1`` with ``s_k = Y_k' W e_k`` [Newey & West 1987, eq. 5].

    Args:
        fit: What :func:`weighted` or :func:`least_squares` returned.
        samples: The samples of the fit.
        rows: What made its equations.
        lags: ``L`` >= 1; after a filter one period of its cut-off, ``rate / cutoff``. 1 takes the samples as independent.

    Raises:
        InputError: if ``lags`` is no positive number.
    """
    _check(fit, rows)
    if not isinstance(lags, int) or lags < 1:
        raise InputError(f"lags is a positive number of samples, not {lags!r}")
    meat = samples.reduce(partial(_scores, fit=fit, rows=rows, lags=lags)).total
    half = inverted(fit.factor[:-1, :-1], fit.names)
    bread = half @ half.T
    growth = fit.samples * fit.noise.size / fit.degrees  # of residuals, which the fit has made smaller than the noise
    return replace(fit, covariance=growth * bread @ meat @ bread)


def _check(fit: Fit, rows: Rows) -> None:
    if fit.names != rows.names:
        raise InputError(f"the fit has {len(fit.names)} parameters, which are not the {len(rows.names)} of these equations")


@dataclass(frozen=True, eq=False)
class _Scores:
    """Weighted sum of ``s_k s_{k+l}'``, shape ``(p, p)``."""

    total: Array

    def merge(self, other: _Scores) -> _Scores:
        return _Scores(self.total + other.total)


def _scores(pieces: Iterable[Motion], fit: Fit, rows: Rows, lags: int) -> _Scores:
    """Sum over moving sums: ``sum S_t S_t'`` of ``S_t = s_t + .. + s_{t+L-1}`` has the weights ``L - |l|``, ends included."""
    p = fit.beta.size
    total, last = np.zeros((p, p)), np.zeros((lags, p))
    for Y, y in rows(pieces):
        scores = np.einsum("nip,ni->np", Y, (y - Y @ fit.beta) * fit.weights)
        last = _add(total, last, scores, lags)
    _add(total, last, np.zeros((lags - 1, p)), lags)
    return _Scores(total / lags)


def _add(total: Array, last: Array, scores: Array, lags: int) -> Array:
    """Add the moving sums that end in ``scores``; return the scores that the next ones need."""
    known = np.concatenate([last, scores])
    running = known.cumsum(axis=0)
    sums = running[lags:] - running[: running.shape[0] - lags]
    total += sums.T @ sums
    return known[known.shape[0] - lags :]


def _passed(pieces: Iterable[Motion], rows: Rows, response: Array) -> Accumulator:
    """Fold the filtered regressors of one log, which is preceded and followed by zeros; they need no right-hand side."""
    from scipy.signal import fftconvolve

    total, more = Accumulator(rows.size, rows.names, rows.units), response.size - 1
    tail = np.zeros((more, rows.size, total.p))
    for Y, _ in rows(pieces):
        whole = fftconvolve(Y, response[:, None, None], axes=0)
        whole[:more] += tail
        ready, tail = whole[: len(Y)], whole[len(Y) :]
        total.add(ready, np.zeros(ready.shape[:2]))
    return total.add(tail, np.zeros(tail.shape[:2]))
