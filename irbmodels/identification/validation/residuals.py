"""Tests of residuals: whiteness, and dependence on the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array

# samples that the test for whiteness looks back; 80 ms at 250 Hz, the length of what a filter
# leaves
LAGS = 20
# stretches of a quantity in which residuals are averaged: enough for a curve, with 5 % of the
# samples in each
BINS = 20
FEWEST = 50  # samples per bin
CONSTANT = 1e-6  # [rad, m, ..] a quantity that spans less is held, and nothing can depend on it


class Whiteness(NamedTuple):
    """Memory of the residuals of each axis."""

    autocorrelation: Array
    """Autocorrelation at lags 1, 2 .., shape ``(lags, size)``."""
    bound: Array
    """By which that of white noise stays 95 % of the time, shape ``(lags, size)``."""
    statistic: Array
    """``N (N + 2) sum r_l^2 / N_l`` [Ljung & Box 1978], ``N_l`` pairs at lag ``l``, ``(size,)``."""
    p: Array
    """Probability that white noise has as much."""
    correlation_length: Array
    """Samples per independent one: ``1 + 2 sum r_l`` up to the first ``r_l`` below the bound."""


class Dependence(NamedTuple):
    """Dependence of residuals on q, v and a of each axis."""

    explained: Array
    """Share of variance explained by bin means (adjusted correlation ratio): ``(size, 3, n)``."""
    p: Array
    """p-value of an F test on the independent samples, ``(size, 3, n)``."""

    @property
    def tests(self) -> int:
        """Number of tests on quantities that vary."""
        return int(np.isfinite(self.p).sum())


class BinnedMean(NamedTuple):
    """Mean residual over a quantity."""

    at: Array
    """Mean of the quantity in each bin."""
    mean: Array
    error: Array
    """Standard deviation of the mean, the memory of the residuals accounted for."""


def whiteness_test(stretches: Sequence[Array], lags: int = LAGS) -> Whiteness:
    """Test residuals for whiteness.

    Args:
        stretches: Residuals in the order of time, ``(N_k, size)`` each, NaN in holes of an axis;
            pairs are taken inside each.
        lags: Number of lags.
    """
    from scipy.special import chdtrc

    size, gap = stretches[0].shape[1], np.full((lags, stretches[0].shape[1]), np.nan)
    joined = np.concatenate([rows for part in stretches for rows in (part, gap)]).T.copy()
    seen = ~np.isnan(joined)
    count = seen.sum(axis=1).astype(float)
    # zeros in holes, so that pairs across them count nothing; an axis after the other
    centred = np.where(seen, joined - _mean(joined)[:, None], 0.0)
    variance = np.einsum("in,in->i", centred, centred)
    correlations, pairs, known = np.zeros((lags, size)), np.zeros((lags, size)), seen.astype(float)
    for lag in range(1, lags + 1):
        products = np.einsum("in,in->i", centred[:, lag:], centred[:, :-lag])
        correlations[lag - 1] = np.divide(
            products, variance, out=np.zeros(size), where=variance > 0.0
        )
        pairs[lag - 1] = np.einsum("in,in->i", known[:, lag:], known[:, :-lag])
    statistic = (
        count * (count + 2.0) * (np.square(correlations) / np.maximum(pairs, 1.0)).sum(axis=0)
    )
    bound = 1.96 * np.sqrt(pairs) / np.maximum(count, 1.0)
    lasting = np.cumprod(correlations > bound, axis=0)
    memory = 1.0 + 2.0 * (correlations * lasting).sum(axis=0)
    return Whiteness(
        correlations, bound, statistic, np.asarray(chdtrc(lags, statistic), dtype=float), memory
    )


def state_dependence(
    stretches: Sequence[Array], states: Sequence[Array], lags: int = LAGS
) -> Dependence:
    """Return how residuals depend on states such as q, v, a; NaN on what is held.

    Args:
        stretches: Residuals as of :func:`whiteness`, N samples in all.
        states: Of all samples, ``(N, n)`` each.
        lags: Number of lags of the autocorrelation of the rest.
    """
    from scipy.special import fdtrc

    residual, ends = np.concatenate(stretches), np.cumsum([len(part) for part in stretches])[:-1]
    size, count = residual.shape[1], (~np.isnan(residual)).sum(axis=0)
    shape = (size, len(states), states[0].shape[1])
    share, p = np.full(shape, np.nan), np.full(shape, np.nan)
    centred = residual - _mean(residual.T)
    total = np.nansum(np.square(centred), axis=0)
    for kind, state in enumerate(states):
        for axis, column in enumerate(state.T):
            if np.ptp(column) < CONSTANT:
                continue
            indices, bins = _bin_indices(column)
            means, counts = _bin_means(indices, bins, centred)
            between = (counts * np.square(means)).sum(axis=0)
            noise = (total - between) / np.maximum(count - bins, 1.0)
            memory = whiteness_test(
                np.split(centred - means[indices], ends), lags
            ).correlation_length
            explained = np.divide(
                between - (bins - 1) * noise, total, out=np.zeros(size), where=total > 0.0
            )
            ratio = np.divide(
                between / (bins - 1) / memory, noise, out=np.zeros(size), where=noise > 0.0
            )
            share[:, kind, axis] = np.maximum(explained, 0.0)
            p[:, kind, axis] = fdtrc(bins - 1, np.maximum(count / memory - bins, 1.0), ratio)
    return Dependence(share, p)


def binned_mean(residual: Array, column: Array, memory: float) -> BinnedMean:
    """Return the mean of one axis' residual ``(N,)``, NaN in holes, over a quantity ``(N,)``."""
    seen = ~np.isnan(residual)
    residual, column = residual[seen], column[seen]
    indices, bins = _bin_indices(column)
    at, counts = _bin_means(indices, bins, column[:, None])
    mean, _ = _bin_means(indices, bins, residual[:, None])
    square, _ = _bin_means(indices, bins, np.square(residual - mean[indices, 0])[:, None])
    return BinnedMean(at[:, 0], mean[:, 0], np.sqrt(square[:, 0] * memory / counts[:, 0]))


def _bin_indices(column: Array) -> tuple[NDArray[np.intp], int]:
    """Return the bin of each sample, bins having as many samples as each other."""
    bins = int(np.clip(len(column) // FEWEST, 2, BINS))
    edges = np.unique(np.quantile(column, np.linspace(0.0, 1.0, bins + 1))[1:-1])
    used, indices = np.unique(np.searchsorted(edges, column, side="right"), return_inverse=True)
    if len(used) < 2:  # most samples are equal
        return (column > column.min()).astype(np.intp), 2
    return indices, len(used)


def _bin_means(indices: NDArray[np.intp], bins: int, values: Array) -> tuple[Array, Array]:
    """Return means in bins ``(bins, k)``, and how many samples each has; NaN is none."""
    seen = ~np.isnan(values)
    counts = np.stack(
        [np.bincount(indices, weights=column, minlength=bins) for column in seen.T], axis=1
    )
    sums = np.stack(
        [
            np.bincount(indices, weights=column, minlength=bins)
            for column in np.where(seen, values, 0.0).T
        ],
        axis=1,
    )
    return sums / np.maximum(counts, 1.0), np.asarray(counts, dtype=float)


def _mean(rows: Array) -> Array:
    """Mean of each row without its NaN; 0 where it has nothing else."""
    seen = ~np.isnan(rows)
    total = np.where(seen, rows, 0.0).sum(axis=1)
    return np.asarray(total / np.maximum(seen.sum(axis=1), 1), dtype=float)
