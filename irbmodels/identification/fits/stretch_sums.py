"""Sums of products of equations and of candidate columns beside them, stretch by stretch.

A stretch is a run of consecutive samples. What least squares with any choice of candidates leaves
on one stretch, fitted to all the others, follows from these sums: cross-validation needs no further
pass through the samples. Products of columns square the condition, which a choice between models
can afford; estimates themselves come from triangular factors (:mod:`.accumulator`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array
from ...trajectory import Motion
from .streaming import Samples

# of unit columns: keeps sums without excitation solvable, below the information of any log
RIDGE = 1e-13
ROUNDING = 1e-13  # of the squared torques: what differences of their sums keep


class CandidateBlocks(Protocol):
    """Equations with candidate columns."""

    @property
    def columns(self) -> tuple[NDArray[np.intp], ...]:
        """Per equation the columns that it has: of the parameters, then candidates, ``(L,)``."""

    @property
    def width(self) -> int:
        """Number of parameters and candidates together."""

    def __call__(self, pieces: Iterable[Motion]) -> Iterable[tuple[list[Array], Array]]:
        """Yield per equation the columns it has, ``(N, L)``, and ``y`` ``(N, size)``."""


@dataclass(frozen=True, eq=False)
class Projected:
    """Products of what columns have beyond those that are always there, stretch by stretch.

    The last row and column are of the torques.
    """

    fitted: Array
    """Summed over all other stretches, ``(stretches, k + 1, k + 1)``."""
    left_out: Array
    """On the stretch, at the same coefficients; same shape."""
    whole: Array
    """Summed over all stretches, at coefficients of all, ``(k + 1, k + 1)``."""
    shares: Array
    """Coefficients of the first columns in the later ones and in torques, ``(always, k + 1)``."""
    turned: Array
    """Later columns less their shares, per stretch left out."""

    def at(self, sums: Array) -> Projected:
        """Return the same models, looked at on other sums, such as those of one equation."""
        return replace(self, left_out=np.swapaxes(self.turned, 1, 2) @ sums @ self.turned)


@dataclass(eq=False)
class StretchSums:
    """Products ``[Y C y]' [Y C y]`` per stretch and equation."""

    columns: tuple[NDArray[np.intp], ...]
    width: int
    products: list[Array]
    """Per equation, shape ``(stretches, L + 1, L + 1)``."""
    counts: Array
    """Equations, shape ``(stretches, size)``."""

    def weighted(self, weights: Array, chosen: NDArray[np.intp]) -> Array:
        """Return the sums over equations of chosen columns and the torques.

        Args:
            weights: Of the equations, shape ``(size,)``.
            chosen: Columns of parameters and candidates, shape ``(k,)``.

        Returns:
            Shape ``(stretches, k + 1, k + 1)``.
        """
        total = np.zeros((len(self.counts), chosen.size + 1, chosen.size + 1))
        for weight, columns, products in zip(weights, self.columns, self.products, strict=True):
            if weight == 0.0:
                continue
            place = np.full(self.width, -1)
            place[columns] = np.arange(columns.size)
            there = np.flatnonzero(place[chosen] >= 0)
            own = np.append(place[chosen[there]], columns.size)
            at = np.append(there, chosen.size)
            total[:, at[:, None], at] += weight * products[:, own[:, None], own]
        return total


def sum_stretches(samples: Samples, rows: CandidateBlocks, stretches: int) -> StretchSums:
    """Return the sums over stretches of equally many samples, in one pass.

    Args:
        samples: Samples in memory.
        rows: Equations with candidates.
        stretches: Number of stretches.
    """
    lengths = [sum(len(piece.t) for piece in samples.read(log)) for log in samples.logs]
    total, start = max(1, sum(lengths)), 0
    ends = -(-np.arange(1, stretches + 1) * total // stretches)
    sizes = [len(columns) + 1 for columns in rows.columns]
    products = [np.zeros((stretches, size, size)) for size in sizes]
    counts = np.zeros((stretches, len(sizes)))
    for log in samples.logs:
        for blocks, y in rows(samples.read(log)):
            edges = np.clip(ends - start, 0, len(y))
            start += len(y)
            for number in np.flatnonzero(np.diff(edges, prepend=0)).tolist():
                part = slice(edges[number - 1] if number else 0, edges[number])
                for i, block in enumerate(blocks):
                    seen, right = ~np.isnan(y[part, i]), y[part, i]
                    left = block[part]
                    if not seen.all():
                        left, right = left[seen], right[seen]
                    # many columns are zero: of bodies before the axis, and of friction at speeds
                    # far below its own
                    used = np.flatnonzero(np.append(left.any(axis=0), True))
                    own = np.empty((len(left), used.size))
                    np.take(left, used[:-1], axis=1, out=own[:, :-1])
                    own[:, -1] = right
                    products[i][number][used[:, None], used] += own.T @ own
                    counts[number, i] += len(left)
    return StretchSums(rows.columns, rows.width, products, counts)


def project(sums: Array, always: int) -> Projected:
    """Take out of later columns and torques what least squares finds in the first ones.

    Args:
        sums: Weighted, shape ``(stretches, k + 1, k + 1)``.
        always: Number of first columns, those that every model has.
    """
    total = sums.sum(axis=0)
    train = np.concatenate([total - sums, total[None]])
    size = np.sqrt(np.maximum(np.diagonal(total), np.finfo(float).tiny))[:always]
    unit = train[:, :always, :always] / (size[:, None] * size) + RIDGE * np.eye(always)
    shares = np.linalg.solve(unit, train[:, :always, always:] / size[:, None]) / size[:, None]
    later = sums.shape[1] - always
    rest = np.broadcast_to(np.eye(later), (len(train), later, later))
    turned = np.concatenate([-shares, rest], axis=1)
    fitted = np.swapaxes(turned, 1, 2) @ train @ turned
    left_out = np.swapaxes(turned[:-1], 1, 2) @ sums @ turned[:-1]
    return Projected(fitted[:-1], left_out, fitted[-1], shares[-1], turned[:-1])


def coefficients(fitted: Array, models: NDArray[np.intp]) -> Array:
    """Return the coefficients of models by least squares, ``(stretches, models, terms)``.

    Args:
        fitted: Products of candidates and torques, shape ``(stretches, k + 1, k + 1)``.
        models: Columns of each model, as many in each, shape ``(models, terms)``.
    """
    square = fitted[:, models[:, :, None], models[:, None, :]]
    own = np.sqrt(np.maximum(fitted[:, models, models], np.finfo(float).tiny))
    unit = square / (own[..., :, None] * own[..., None, :]) + RIDGE * np.eye(models.shape[1])
    right = (fitted[:, models, -1] / own)[..., None]
    return np.asarray(np.linalg.solve(unit, right)[..., 0] / own)


def left_out_squares(sums: Projected, models: NDArray[np.intp]) -> Array:
    """Return the squares that models leave on stretches which they were not fitted to.

    Args:
        sums: Of candidate columns and torques.
        models: Columns of each model, as many in each, shape ``(models, terms)``.

    Returns:
        Shape ``(stretches, models)``.
    """
    shares = coefficients(sums.fitted, models)
    square = sums.left_out[:, models[:, :, None], models[:, None, :]]
    cross = np.einsum("fmk,fmk->fm", shares, sums.left_out[:, models, -1])
    both = np.einsum("fmk,fmkl,fml->fm", shares, square, shares)
    return np.asarray(sums.left_out[:, -1, -1][:, None] - 2.0 * cross + both)
