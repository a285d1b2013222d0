"""Weighted least squares on stretches of logs, with deviations by the jackknife over these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model.types import Array

STRETCHES = 10  # that the jackknife leaves out in turn
RANK = 1e-10  # of the largest eigenvalue of normal equations: below it nothing is determined
CERTAIN = 100.0 * RANK  # reciprocal condition, above which all is


class Estimate(NamedTuple):
    """Least squares, and how sure they are."""

    value: Array
    deviation: Array
    cost: float
    """Sum of squared residuals on stretches that the fit has not seen."""


class StretchSums(NamedTuple):
    """Normal equations of weighted rows, one matrix per stretch of the logs."""

    grams: Array

    @staticmethod
    def of(
        columns: Array, rest: Array, weights: Array | None = None, count: int = STRETCHES
    ) -> StretchSums:
        """Return them for ``count`` stretches, axes weighted by default by :func:`axis_weights`."""
        if weights is None:
            weights = axis_weights(columns, rest)
        seen = np.isfinite(rest)
        known = np.where(seen, rest, 0.0)
        rows = np.concatenate([columns, known[:, :, None]], axis=2) * seen[:, :, None]
        rows = rows * weights[:, None]
        parts = [part.reshape(-1, part.shape[2]) for part in np.array_split(rows, count)]
        return StretchSums(np.array([part.T @ part for part in parts]))

    def estimate(self, *, jackknife: bool = True) -> Estimate:
        """Return least squares, with deviations by the jackknife."""
        total = self.grams.sum(axis=0)
        value = solve(total)
        if not jackknife:
            return Estimate(value, np.full(value.shape, np.nan), float("nan"))
        parts, cost = [], 0.0
        for gram in self.grams:
            parts.append(solve(total - gram))
            x = np.append(parts[-1], -1.0)
            cost += float(x @ gram @ x)
        return Estimate(value, _jackknife(np.array(parts)), max(cost, 0.0))


def axis_weights(columns: Array, rest: Array) -> Array:
    """Return the inverse RMS of what columns leave of each axis, ``(n,)``; 0 without a torque."""
    size = spread(rest)
    known = size > 0.0
    start = StretchSums.of(columns, rest, np.where(known, 1.0 / np.where(known, size, 1.0), 0.0))
    left = rms(rest - columns @ start.estimate(jackknife=False).value)
    return np.where(known, 1.0 / np.where(known, np.maximum(left, 1e-6 * size), 1.0), 0.0)


def _jackknife(parts: Array) -> Array:
    """Return deviations of an estimate from those without one stretch each, ``(stretches, p)``."""
    count = len(parts)
    squares = np.square(parts - parts.mean(axis=0)).sum(axis=0)
    return np.asarray(np.sqrt((count - 1) / count * squares))


def solve(gram: Array) -> Array:
    """Solve normal equations ``(p + 1, p + 1)``; parameters that they do not determine are 0."""
    return solve_normal(gram[:-1, :-1], gram[:-1, -1])


def solve_normal(gram: Array, sides: Array) -> Array:
    """Solve ``gram x = sides`` for one side ``(p,)`` or several ``(p, k)``.

    Parameters that ``gram`` ``(p, p)`` does not determine are 0.
    """
    from scipy.linalg.lapack import dpocon, dpotrf, dpotrs

    if not gram.size:
        return np.zeros(sides.shape)
    length = np.sqrt(np.maximum(np.diag(gram), 0.0))
    length[length == 0.0] = 1.0
    matrix = gram / length[:, None] / length
    scaled = (sides.T / length).T
    factor, singular = dpotrf(matrix)
    # far from singular none of its eigenvalues is left out, and its inverse takes ten times as long
    if not singular and dpocon(factor, np.abs(matrix).sum(axis=0).max())[0] > CERTAIN:
        result = dpotrs(factor, scaled)[0]
    else:
        result = np.linalg.pinv(matrix, rcond=RANK, hermitian=True) @ scaled
    return np.asarray((result.T / length).T)


class Eliminated(NamedTuple):
    """Normal equations with some columns eliminated: of all stretches, then without one of each."""

    sums: StretchSums
    taken: list[int]
    inner: list[Array]
    """``A^+ B``: ``A`` of the columns taken, ``B`` theirs with all columns and the right side."""

    @staticmethod
    def of(sums: StretchSums, taken: list[int]) -> Eliminated:
        """Eliminate the columns ``taken``."""
        total = sums.grams.sum(axis=0)
        inner = []
        for gram in (total, *(total - one for one in sums.grams)):
            inner.append(solve_normal(gram[np.ix_(taken, taken)], gram[taken]))
        return Eliminated(sums, taken, inner)

    def length(self, column: int) -> float:
        """Return the norm of what a column has that the columns taken have not; 0 of rounding."""
        gram = self.sums.grams.sum(axis=0)
        square = gram[column, column] - gram[column, self.taken] @ self.inner[0][:, column]
        return float(np.sqrt(square)) if square > RANK * gram[column, column] else 0.0

    def estimate(self, own: list[int]) -> Estimate:
        """Return least squares of the columns ``own`` beside those taken."""
        total, values, cost = self.sums.grams.sum(axis=0), [], 0.0
        for k, inner in enumerate(self.inner):
            gram = total - self.sums.grams[k - 1] if k else total
            small = (
                gram[np.ix_(own, [*own, -1])]
                - gram[np.ix_(own, self.taken)] @ (inner[:, [*own, -1]])
            )
            values.append(solve(np.vstack([small, np.zeros(len(own) + 1)])))
            if k:
                known = inner[:, -1] - inner[:, own] @ values[-1]
                x = np.concatenate([known, values[-1], [-1.0]])
                at = [*self.taken, *own, -1]
                cost += float(x @ self.sums.grams[k - 1][np.ix_(at, at)] @ x)
        return Estimate(values[0], _jackknife(np.array(values[1:])), max(cost, 0.0))


def rms(x: Array) -> Array:
    """Return the RMS of each column without its NaN."""
    seen = np.isfinite(x)
    total = np.where(seen, np.square(np.where(seen, x, 0.0)), 0.0).sum(axis=0)
    return np.asarray(np.sqrt(total / np.maximum(seen.sum(axis=0), 1)))


def spread(x: Array) -> Array:
    """Return the standard deviation of each column without its NaN."""
    seen = np.isfinite(x)
    mean = np.where(seen, x, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    return rms(x - mean)
