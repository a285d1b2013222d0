"""Sufficient statistics of linear least squares: one small matrix per axis for logs of any length.

Every row ``y = Y beta + noise`` is folded into the factor R of ``[Y y]`` of its axis [Golub & Van
Loan, Matrix Computations, ch. 5]. Factors of two logs fold into one, in any grouping; solving,
weighing the axes and the noise of each of them need the factors only, never the samples again.

A right-hand side of NaN is masked: the axis has no equation at that sample, the others have theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite
from ...errors import InputError
from ...model.types import Array
from ...trajectory import Motion

Blocks = Iterator[tuple[Array, Array]]

BLOCK = (
    # samples at a time: the regressor of 84 columns on 6 axes is 2 MB, and LAPACK starts no threads
    # for a matrix so small
    512
)
_PANEL = 8  # columns that LAPACK takes together; more are slower below 100 columns


class Equations(Protocol):
    """Linear equations of the pieces of one log."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters ``beta``, in the order of the columns."""

    @property
    def units(self) -> tuple[str, ...]:
        """Of the parameters."""

    @property
    def size(self) -> int:
        """Equations per sample."""

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield ``Y`` ``(N, size, p)`` and ``y`` ``(N, size)`` in cache-sized blocks.

        NaN in ``y`` stands for no equation.
        """


class Accumulator:
    """Triangular factor of ``[Y y]`` per equation of a sample, and how many samples it holds."""

    def __init__(self, size: int, names: Sequence[str], units: Sequence[str]) -> None:
        """Start empty, for ``size`` equations per sample in the named parameters."""
        self.size, self.names, self.units, self.samples = size, tuple(names), tuple(units), 0
        self.counts = np.zeros(size)
        """Equations of each axis, masked ones left out, shape ``(size,)``."""
        self.factors = np.zeros((size, self.p + 1, self.p + 1))

    @property
    def p(self) -> int:
        """Number of parameters."""
        return len(self.names)

    def add(self, Y: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Accumulator:
        """Fold samples in.

        Args:
            Y: Regressors, shape ``(N, size, p)``.
            y: Right-hand sides, shape ``(N, size)``; NaN where there is no equation.
            weights: Of each equation, 1 / variance up to a factor, shape ``(N, size)``; default 1.

        Returns:
            Itself.

        Raises:
            InputError: if a shape is wrong, a number is not finite, or a weight is negative.
        """
        left = np.asarray(Y, dtype=float)
        count = left.shape[0] if left.ndim == 3 else -1
        if left.shape != (count, self.size, self.p):
            raise InputError(f"regressors need shape (N, {self.size}, {self.p}), got {left.shape}")
        right = np.asarray(y, dtype=float)
        if right.shape != (count, self.size):
            raise InputError(
                f"the right-hand side of {count} samples needs shape ({count}, {self.size}), got"
                f" {right.shape}"
            )
        if np.isinf(right).any() or not np.isfinite(left).all():
            raise InputError(
                "a regression takes finite numbers only, and NaN on the right where an axis has no"
                " equation"
            )
        roots = None if weights is None else np.sqrt(positive_weights(weights, right.shape))
        masked = np.isnan(right)
        for i in range(self.size):
            block, last = left[:, i], right[:, i]
            if roots is not None:
                block, last = roots[:, i, None] * block, roots[:, i] * last
            if masked[:, i].any():
                block, last = block[~masked[:, i]], last[~masked[:, i]]
            self.factors[i] = update_factor(self.factors[i], block, last)
        self.samples += count
        self.counts += count - masked.sum(axis=0)
        return self

    def merge(self, other: Accumulator) -> Accumulator:
        """Return what both hold together; associative, and commutative up to rounding."""
        if (self.size, self.names) != (other.size, other.names):
            raise InputError("only sums of the same equations in the same parameters merge")
        both = Accumulator(self.size, self.names, self.units)
        both.samples, both.counts = self.samples + other.samples, self.counts + other.counts
        both.factors[:] = [
            update_factor(mine, theirs)
            for mine, theirs in zip(self.factors, other.factors, strict=True)
        ]
        return both

    def select(self, columns: Sequence[int]) -> Accumulator:
        """Return the same without the other parameters, as if these were 0."""
        return self.change_columns(
            np.eye(self.p + 1)[:, [*columns, self.p]],
            [self.names[i] for i in columns],
            [self.units[i] for i in columns],
        )

    def change_columns(
        self, matrix: Array, names: Sequence[str], units: Sequence[str]
    ) -> Accumulator:
        """Return the factors of ``[Y y] matrix``: equations that are sums of these ones' columns.

        Args:
            matrix: Shape ``(p + 1, len(names) + 1)``; its last column gives the right-hand side.
            names: Of the new parameters.
            units: Of the same.
        """
        changed = Accumulator(self.size, names, units)
        changed.samples, changed.counts = self.samples, self.counts.copy()
        changed.factors[:] = [
            update_factor(np.zeros((changed.p + 1,) * 2), full @ matrix) for full in self.factors
        ]
        return changed

    def residual_squares(self, beta: Array) -> Array:
        """Sum of squared residuals per equation, shape ``(size,)``."""
        return np.asarray(np.square(self.factors @ np.append(-beta, 1.0)).sum(axis=1), dtype=float)

    def combined_factor(self, weights: ArrayLike | None = None) -> Array:
        """Return one factor ``(p + 1, p + 1)`` of all equations, weighted ``(size,)``."""
        roots = (
            np.ones(self.size)
            if weights is None
            else np.sqrt(positive_weights(weights, (self.size,)))
        )
        whole = np.zeros((self.p + 1, self.p + 1))
        for root, factor in zip(roots, self.factors, strict=True):
            whole = update_factor(whole, root * factor)
        return whole


def update_factor(factor: Array, block: Array, right: Array | None = None) -> Array:
    """Triangular factor of ``factor`` (triangular, ``(k, k)``) on top of a block of rows.

    Columns of zeros cost nothing.

    Args:
        factor: Of the rows so far.
        block: Finite, shape ``(N, k)``, or ``(N, k - 1)`` with ``right``.
        right: Last column ``(N,)``, where it lies elsewhere.
    """
    from scipy.linalg.lapack import dtpqrt

    filled = np.einsum("nk,nk->k", block, block) > 0.0  # one pass without a copy
    if right is not None:
        filled = np.append(filled, True)
    used = (factor.any(axis=0) | filled).nonzero()[0]
    inner, width = (used[:, None], used), used.size - (right is not None)
    top = np.asfortranarray(factor[inner])
    for start in range(0, len(block) if used.size else 0, BLOCK):
        part = block[start : start + BLOCK]
        below = np.empty((len(part), used.size), order="F")
        below[:, :width] = part[:, used[:width]]
        if right is not None:
            below[:, width] = right[start : start + BLOCK]
        # what lies below the diagonal of top stays zero
        top = dtpqrt(0, min(_PANEL, used.size), top, below, overwrite_a=1, overwrite_b=1)[0]
    result = np.zeros_like(factor)
    result[inner] = top
    return result


def without_masked(Y: Array, y: Array) -> tuple[Array, Array]:
    """Return equations with zeros in place of those that are masked."""
    masked = np.isnan(y)
    if not masked.any():
        return Y, y
    return np.where(masked[..., None], 0.0, Y), np.where(masked, 0.0, y)


def positive_weights(weights: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Return weights of one shape.

    Raises:
        InputError: if one is negative or not finite.
    """
    values = finite(weights, shape, "weights")
    if (values < 0.0).any():
        raise InputError("weights must not be negative")
    return values
