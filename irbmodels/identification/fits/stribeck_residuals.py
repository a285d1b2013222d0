"""Residuals of the torque equations as functions of Stribeck speeds, from folded samples.

Only where an axis is slow does its torque depend on ``v_St``; everything faster is linear, and is
kept as triangular factors, whatever its length. Of the slow samples too all columns are linear but
``exp(-(v / v_St)^2) sgn(v)`` and its derivative: these two are projected on the others at each
``v_St``, and leave a triangular factor with a row per column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Accumulator, Equations, update_factor
from .regression import residual_noise
from .torque_equations import TorqueEquations

ColumnIndices = NDArray[np.intp]

# singular value of unit columns of one axis that rounding leaves of 0; others have 1e-4 and more
DEPENDENT = 1e-11


def friction_columns(rows: TorqueEquations, axes: Sequence[int] | None = None) -> ColumnIndices:
    """Columns of Fv, Fc, Fs - Fc of each moving axis, shape ``(size, 3)``; -1 where there are none.

    Args:
        rows: Equations.
        axes: Axes with Fs - Fc, 0-based; default all.
    """
    base = rows.base
    first = rows.robot.parameter_vector().size - 3 * rows.robot.n
    columns = [[first + 3 * axis + k for k in range(3)] for axis in base.axes]
    indices = np.array(
        [[base.columns.index(c) if c in base.columns else -1 for c in three] for three in columns]
    )
    if axes is not None:
        indices[~np.isin(base.axes, axes), 2] = -1
    return indices


class Split(Accumulator):
    """Factors of the fast samples of each axis, and the slow ones as rows ``[Y y]``."""

    def __init__(self, size: int, names: Sequence[str], units: Sequence[str]) -> None:
        super().__init__(size, names, units)
        self.slow: list[list[tuple[ColumnIndices, Array]]] = [[] for _ in range(size)]
        """Per axis the columns that are not zero, and their rows."""

    def merge(self, other: Accumulator) -> Split:
        """Return what both hold together."""
        assert isinstance(other, Split)
        both, fast = Split(self.size, self.names, self.units), super().merge(other)
        both.samples, both.counts, both.factors = fast.samples, fast.counts, fast.factors
        both.slow = [mine + theirs for mine, theirs in zip(self.slow, other.slow, strict=True)]
        return both

    def slow_rows(self, i: int) -> Array:
        """Return the slow samples of one axis, ``(N, p + 1)``, and forget them."""
        parts, self.slow[i] = self.slow[i], []
        rows = np.zeros((sum(len(part) for _, part in parts), self.p + 1))
        end = 0
        for columns, part in parts:
            rows[end : end + len(part), columns] = part
            end += len(part)
        return rows


def add_split(
    total: Split,
    pieces: Iterable[Motion],
    rows: TorqueEquations,
    places: ColumnIndices,
    reach: Array,
) -> Split:
    """Add samples; an axis is slow where its speed is below its ``reach`` ``(size,)``."""
    for Y, y in rows(pieces):
        is_slow = np.abs(Y[:, np.arange(rows.size), places[:, 0]]) < reach
        for i, slow in enumerate(is_slow.T):
            seen = ~np.isnan(y[:, i])
            block, slow = np.column_stack([Y[:, i], y[:, i]])[seen], slow[seen]
            total.factors[i] = update_factor(total.factors[i], block[~slow])
            columns = np.flatnonzero(block.any(axis=0))
            total.slow[i].append((columns, block[np.ix_(slow, columns)]))
        total.samples += len(y)
        total.counts += (~np.isnan(y)).sum(axis=0)
    return total


class _AxisFactor:
    """Triangular factor of the equations of one axis, as a function of its Stribeck speed."""

    def __init__(self, fast: Array, slow: Array, place: ColumnIndices) -> None:
        """Fold all columns but that of Fs - Fc, the only one that varies.

        Args:
            fast: Triangular factor of fast samples, ``(p + 1, p + 1)``.
            slow: Slow samples, ``(N, p + 1)``.
            place: Columns of Fv, Fc, Fs - Fc.
        """
        viscous, coulomb, self.drop = place.tolist()
        linear = np.any(fast[:, :-1], axis=0) | np.any(slow[:, :-1], axis=0)
        linear[self.drop] = False
        self.linear = np.flatnonzero(linear)
        self.speed, self.sign = slow[:, viscous].copy(), slow[:, coulomb].copy()
        self.fast, self.slow = fast[:, self.linear], slow[:, self.linear]
        size = self.linear.size
        self.factor = update_factor(update_factor(np.zeros((size, size)), self.fast), self.slow)
        length = np.linalg.norm(self.factor, axis=0)
        _, values, directions = np.linalg.svd(self.factor / length)
        kept = values > DEPENDENT * values[0]
        # [fast, slow] @ inverse has orthonormal columns; those of one axis may be dependent
        self.inverse = directions[kept].T / values[kept] / length[:, None]
        self.right = self._projected(fast[:, -1:], slow[:, -1:])
        self._at = np.nan, np.zeros((0, 0))

    def _projected(self, fast: Array, slow: Array) -> tuple[Array, Array, Array]:
        """Coordinates of columns in the linear ones, and what is left of them."""
        shares = self.inverse @ (self.inverse.T @ (self.fast.T @ fast + self.slow.T @ slow))
        return shares, fast - self.fast @ shares, slow - self.slow @ shares

    def at(self, log_speed: float) -> Array:
        """Factor of the linear columns, that of Fs - Fc, its slope by the logarithm, and torques.

        Shape ``(size + 3, size + 3)``.
        """
        if self._at[0] != log_speed:  # residuals and their Jacobian are asked for one by one
            ratio = np.square(self.speed / np.exp(log_speed))
            falling = np.exp(-ratio) * self.sign
            slow = np.column_stack([falling, 2.0 * ratio * falling])
            parts = self._projected(np.zeros((len(self.fast), 2)), slow), self.right
            shares, above, below = (np.hstack(pair) for pair in zip(*parts, strict=True))
            size = self.linear.size
            whole = np.zeros((size + 3, size + 3))
            whole[:size, :size], whole[:size, size:] = self.factor, self.factor @ shares
            whole[size:, size:] = update_factor(update_factor(np.zeros((3, 3)), above), below)
            self._at = log_speed, whole
        return self._at[1]


class Residuals:
    """Residuals of ``x = [beta, log v_St]`` and their Jacobian, up to a rotation for each ``x``."""

    def __init__(self, split: Split, places: ColumnIndices) -> None:
        """Fold what does not vary; the rows of ``split`` are used up."""
        self.split, self.p = split, split.p
        self.own = np.where(places[:, 2] >= 0, self.p - 1 + np.cumsum(places[:, 2] >= 0), -1)
        self.axes = [
            _AxisFactor(split.factors[i], split.slow_rows(i), place) if place[2] >= 0 else None
            for i, place in enumerate(places)
        ]

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.p + int((self.own >= 0).sum())

    def of_axis(self, i: int, x: Array) -> tuple[Array, Array]:
        """Jacobian of one axis in N m, and what it must explain of the torques."""
        axis, own = self.axes[i], self.own[i]
        if axis is None:
            factor = self.split.factors[i]
            return np.pad(factor[:, :-1], ((0, 0), (0, self.size - self.p))), factor[:, -1]
        whole, linear = axis.at(x[own]), axis.linear.size
        jacobian = np.zeros((len(whole), self.size))
        jacobian[:, axis.linear], jacobian[:, axis.drop] = whole[:, :linear], whole[:, linear]
        jacobian[:, own] = x[axis.drop] * whole[:, linear + 1]
        return jacobian, whole[:, -1]

    def residual(self, noise: Array, x: Array) -> Array:
        """Residuals over their noise."""
        parts = []
        for i, deviation in enumerate(noise):
            jacobian, right = self.of_axis(i, x)
            parts.append((jacobian[:, : self.p] @ x[: self.p] - right) / deviation)
        return np.concatenate(parts)

    def jacobian(self, noise: Array, x: Array) -> Array:
        """Their derivatives by ``x``."""
        return np.concatenate(
            [self.of_axis(i, x)[0] / deviation for i, deviation in enumerate(noise)]
        )

    def noise(self, x: Array) -> Array:
        """Standard deviation of the residuals of each axis [N m, N]."""
        squares = [
            np.square(jacobian[:, : self.p] @ x[: self.p] - right).sum()
            for jacobian, right in (self.of_axis(i, x) for i in range(len(self.axes)))
        ]
        return residual_noise(np.array(squares), self.split.counts, x.size)

    def accumulated(self, x: Array, equations: Equations) -> Accumulator:
        """Return the factors of equations linearized at ``x = [beta, v_St]``.

        Without columns of speeds where these equations have none.
        """
        total = Accumulator(len(self.axes), equations.names, equations.units)
        total.samples, total.counts = self.split.samples, self.split.counts
        logs = np.append(x[: self.p], np.log(x[self.p :]))
        for i in range(total.size):
            jacobian, right = self.of_axis(i, logs)
            if total.p > self.p:
                right = right + jacobian[:, self.p :].sum(axis=1)
                jacobian[:, self.p :] /= x[self.p :]
            total.factors[i] = update_factor(total.factors[i], jacobian[:, : total.p], right)
        return total
