"""Covariance for autocorrelated noise, as a filter of the torques leaves it.

A filter that cuts at ``f`` of a log at rate ``r`` leaves some ``2 f / r`` of its samples
independent. Least squares that count all of them are too sure: of their intervals for 95 % as few
as a third hold the truth. Better do not filter torques: filter positions, and let the fit average
the noise. Where it has been done, the covariance here accounts for it:

- :func:`with_filter` for a known filter of white noise, exactly;
- :func:`with_autocorrelation` for noise of any colour, estimated from the residuals.

Both take the noise of an axis as of one size and colour along the logs, and need further passes
through the samples, along each log on its own. A masked torque counts as 0 in sums over pairs of
samples, as one beyond the ends of a log does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite
from ...errors import InputError
from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Accumulator, Equations, without_masked
from .regression import Fit, invert_factor, sandwich_covariance
from .streaming import Samples

ROUNDS = 2  # a third one widens intervals by less than 1 %
# samples at most, and the share of its largest value, at which a response ends
LONG, NEGLIGIBLE = 4096, 1e-6
FLOOR = 1e-9  # of the noise is white: no filter of a log cuts deeper


def with_filter(fit: Fit, samples: Samples, rows: Equations, taps: ArrayLike) -> Fit:
    """Return the fit with covariance, noise and degrees of freedom of filtered white noise.

    ``A^-1 (H Y)' W^2 (H Y) A^-1``: what the filter makes of the regressor says how much noise it
    lets through to each estimate.

    Args:
        fit: From :func:`weighted_least_squares` or :func:`least_squares`, of filtered torques.
        samples: The samples of the fit.
        rows: Equations of the fit.
        taps: Response of the filter to a single 1, as a list of samples; of a zero-phase filter
            both sides. It must pass what does not vary: its sum is 1.

    Raises:
        InputError: if the taps are no such response, or leave fewer independent samples than there
            are parameters.
    """
    _check(fit, rows)
    response = finite(taps, (np.size(taps),), "taps")
    if not abs(response.sum() - 1.0) < 1e-3:
        raise InputError(
            f"taps of a filter that keeps a constant sum up to 1, not {response.sum():g}"
        )
    share = float(np.square(response).sum())
    degrees = share * float(fit.counts.sum()) - fit.beta.size
    if degrees <= 0.0:
        raise InputError(
            f"this filter leaves {share * fit.samples:.0f} independent samples, too few for"
            f" {fit.beta.size} parameters"
        )
    passed = samples.reduce(
        partial(_passed, rows=rows, response=np.outer(response, np.ones(rows.size)))
    )
    noise = fit.noise * np.sqrt(fit.degrees / degrees)
    inverse = invert_factor(fit.factor[:-1, :-1], fit.names)
    return replace(
        fit,
        covariance=sandwich_covariance(inverse, passed, np.square(fit.weights * noise)),
        noise=noise,
        degrees=degrees,
    )


def with_autocorrelation(fit: Fit, samples: Samples, rows: Equations, lags: int) -> Fit:
    """Return the fit with covariance, noise and degrees of freedom of coloured noise per axis.

    The residuals of an axis, each predicted from the ``lags`` before it, say what filter makes them
    of white noise; its effect is that of :func:`with_filter` (spectra by autoregression [Andrews &
    Monahan 1992; den Haan & Levin 1997]). The fit has taken out of the residuals what noise looks
    like motion, just where the spectrum counts: autocovariances get back those of ``Y d`` with
    ``d`` of the covariance that was found, in a second round. Four passes through the samples.

    Args:
        fit: From :func:`weighted_least_squares` or :func:`least_squares`.
        samples: The samples of the fit.
        rows: Equations of the fit.
        lags: Memory of the noise in samples; after a filter one period of its cut-off, ``rate
            / cutoff``. More of them make the degrees of freedom fewer, ``samples / lags`` [Berk
            1974].

    Raises:
        InputError: if ``lags`` is no positive number, or not below that of the samples.
    """
    _check(fit, rows)
    if not isinstance(lags, int) or lags < 1:
        raise InputError(f"lags is a positive number of samples, not {lags!r}")
    if lags >= fit.samples:
        raise InputError(f"{fit.samples} samples are too few for a memory of {lags} samples")
    inverse, covariance = (
        invert_factor(fit.factor[:-1, :-1], fit.names),
        np.zeros_like(fit.covariance),
    )
    counts = np.maximum(fit.counts, 1.0)
    for _ in range(ROUNDS):
        lagged = samples.reduce(
            partial(_lagged, beta=fit.beta, covariance=covariance, rows=rows, lags=lags)
        ).total
        response, innovation = _whitener(lagged / counts)
        passed = samples.reduce(partial(_passed, rows=rows, response=response))
        covariance = sandwich_covariance(inverse, passed, np.square(fit.weights) * innovation)
    return replace(
        fit,
        covariance=covariance,
        noise=np.sqrt(lagged[0] / counts),
        degrees=float(fit.counts.mean()) / lags,
    )


def _check(fit: Fit, rows: Equations) -> None:
    if fit.names != rows.names:
        raise InputError(
            f"the fit has {len(fit.names)} parameters, which are not the {len(rows.names)} of these"
            " equations"
        )


@dataclass(frozen=True, eq=False)
class _Lagged:
    """Sums of products of what lies ``l`` samples apart, shape ``(lags + 1, size)``."""

    total: Array

    def merge(self, other: _Lagged) -> _Lagged:
        return _Lagged(self.total + other.total)


def _lagged(
    pieces: Iterable[Motion], beta: Array, covariance: Array, rows: Equations, lags: int
) -> _Lagged:
    """Sum ``e_t e_{t+l} + Y_t covariance Y_{t+l}'`` over one log, which is preceded by zeros."""
    doubted = bool(covariance.any())  # in the first round it is 0
    total = np.zeros((lags + 1, rows.size))
    last = np.zeros((lags, rows.size, 1 + doubted * beta.size))
    for Y, y in starmap(without_masked, rows(pieces)):
        ahead, here = ((y - Y @ beta)[..., None],) * 2
        if doubted:
            here = np.concatenate([here, Y], axis=2)
            ahead = np.concatenate([ahead, Y @ covariance], axis=2)
        known = np.concatenate([last, here])
        for i, filled in enumerate(np.asarray(known.any(axis=0))):
            one, other = (np.ascontiguousarray(part[:, i, filled]) for part in (ahead, known))
            for lag in range(lags + 1):
                start = lags - lag
                total[lag, i] += np.einsum("np,np->", one, other[start : start + len(one)])
        last = known[len(known) - lags :]
    return _Lagged(total)


def _whitener(lagged: Array) -> tuple[Array, Array]:
    """Return per axis the response ``(K, size)`` that colours white noise so, and its variance.

    Yule and Walker's equations: noise is what the lags before predict of it, and an innovation,
    which is white.
    """
    from scipy.linalg import solve_toeplitz
    from scipy.signal import lfilter

    size = lagged.shape[1]
    response, innovation = np.zeros((LONG, size)), np.zeros(size)
    for i, (first, *others) in enumerate(lagged.T):
        power = first * (1.0 + FLOOR)
        weights = solve_toeplitz([power or 1.0, *others[:-1]], others)
        response[:, i] = lfilter([1.0], [1.0, *-weights], np.eye(1, LONG)[0])
        innovation[i] = power - weights @ others
    heard = np.abs(response) > NEGLIGIBLE * np.abs(response).max(axis=0)
    return response[: 1 + int(np.flatnonzero(heard.any(axis=1))[-1])], innovation


def _passed(pieces: Iterable[Motion], rows: Equations, response: Array) -> Accumulator:
    """Fold the regressors of one log, those of each axis filtered.

    Before and after it are zeros, and no right-hand side.
    """
    from scipy.signal import fftconvolve

    total, more = Accumulator(rows.size, rows.names, rows.units), len(response) - 1
    tail = np.zeros((more, rows.size, total.p))
    for Y, _ in starmap(without_masked, rows(pieces)):
        whole = fftconvolve(Y, response[:, :, None], axes=0)
        whole[:more] += tail
        ready, tail = whole[: len(Y)], whole[len(Y) :]
        total.add(ready, np.zeros(ready.shape[:2]))
    return total.add(tail, np.zeros(tail.shape[:2]))
