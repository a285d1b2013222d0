"""Residuals: a test of whiteness, and their covariance by an autoregressive model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model.types import Array

_ORDERS = 40  # the highest that is tried
_SAMPLES_PER_ORDER = 20


class Whiteness(NamedTuple):
    """Autocorrelation of a residual, and the test of Ljung and Box (1978) that it is white."""

    autocorrelation: Array
    """At lags 1, 2 .., shape ``(lags,)``."""
    bound: float
    """Bound +- of that of white noise at 99 of 100 lags."""
    p: float
    """Probability of white noise to be as coloured as this, or more."""

    @property
    def white(self) -> bool:
        """True if whiteness is not rejected at 1 %."""
        return self.p > 0.01


def autocorrelation(residual: Array, lags: int) -> Array:
    """Autocorrelation at lags 0 .. ``lags``.

    Biased (a positive semidefinite sequence), not normalised.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    size = next_fast_len(2 * residual.size, real=True)
    return np.asarray(
        irfft(np.abs(rfft(residual, size)) ** 2, size)[: lags + 1] / residual.size, dtype=float
    )


def whiteness(residual: Array, lags: int = 25) -> Whiteness:
    """Test a residual ``(N,)`` at lags 1 to ``lags``."""
    from scipy.special import chdtrc, ndtri

    count = residual.size
    r = autocorrelation(residual, lags)
    r = r[1:] / max(r[0], np.finfo(float).tiny)
    total = count * (count + 2.0) * float((r**2 / (count - np.arange(1, lags + 1))).sum())
    return Whiteness(r, float(ndtri(0.995)) / np.sqrt(count), float(chdtrc(lags, total)))


class NoiseModel(NamedTuple):
    """Autoregressive model of a residual: ``e_k + a_1 e_{k-1} + .. = w_k`` with white ``w``."""

    coefficients: Array
    """``1, a_1, .., a_order``."""
    variance: float
    """Of ``w``."""

    def filtered(self, rows: Array) -> Array:
        """Rows ``(N, p)`` whose square is ``rows' R rows``, but for the ends.

        R is the covariance of the residual.
        """
        from scipy.signal import lfilter

        return np.asarray(
            np.sqrt(self.variance) * lfilter([1.0], self.coefficients, rows, axis=0), dtype=float
        )


def noise_model(residual: Array) -> NoiseModel:
    """Model a residual ``(N,)`` by Yule and Walker's equations, its order by Schwarz's BIC."""
    count = residual.size
    highest = min(_ORDERS, count // _SAMPLES_PER_ORDER)
    r = autocorrelation(residual, highest)
    a, variance = np.ones(1), float(r[0])
    best, lowest = NoiseModel(a, variance), count * np.log(variance) if variance > 0.0 else -np.inf
    for order in range(1, highest + 1):
        if not variance > 1e-14 * r[0]:  # nothing is left but rounding
            break
        reflection = -float(a @ r[order:0:-1]) / variance
        a = np.append(a, 0.0) + reflection * np.append(a, 0.0)[::-1]
        variance *= 1.0 - reflection**2
        criterion = count * np.log(variance) + order * np.log(count)
        if criterion < lowest:
            best, lowest = NoiseModel(a, variance), criterion
    return best
