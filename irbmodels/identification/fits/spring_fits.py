"""Least squares of springs of one axis on sums over stretches, geometry included.

All of it works on products of columns (:mod:`.stretch_sums`): no search reads a sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.springs import CoilSpring, GasSpring, Spring, TorsionSpring
from ...model.types import Array
from .friction_selection import ALPHA, APART
from .spring_candidates import COUNT, Family, Place, SpringCandidates
from .stretch_sums import ROUNDING, Projected, StretchSums, coefficients, project
from .stribeck_residuals import friction_columns

EXPLAINED = 1e-6  # share of a stiffness that rounding leaves where weight explains all of it
STARTS = 5  # shapes of the grid from which a search goes on
ROUNDS = 12  # of Gauss-Newton; four or five are usual
STEP = 1e-5  # of differences by the shape


class Fitted(NamedTuple):
    """An element with estimated coefficients and geometry."""

    spring: Spring
    columns: tuple[Array, ...]
    """One matrix for all stretches, or as the stretches of each fit give the geometry."""


class AxisFits:
    """Springs of one axis beside everything else, springs of other axes included."""

    def __init__(
        self,
        sums: StretchSums,
        rows: SpringCandidates,
        weights: Array,
        axis: int,
        others: Mapping[int, Spring],
    ) -> None:
        """Take out of all columns what everything else explains.

        Args:
            sums: Of ``rows``.
            rows: Equations with polynomials of positions.
            weights: Of the equations, shape ``(size,)``.
            axis: The axis, 0-based.
            others: Springs of other axes, with the geometry that they have.
        """
        base = rows.rows.base
        self.sums, self.i, self.axis = sums, base.axes.index(axis), axis
        self.place: Place = rows.places[self.i]
        # Coulomb friction by direction is a constant while the axis moves, as an offset is
        own = friction_columns(rows.rows, ["dFc"])[self.i]
        own = own[own >= 0]
        units = np.eye(rows.width + 1)
        first = [units[:, np.setdiff1d(np.arange(base.rank), own)]]
        for other, spring in others.items():
            at = base.axes.index(other)
            first.append(units[:, rows.of_axis(at)] @ rows.places[at].columns(spring))
        self.plain, self.count = own.size, rows.count
        last = [units[:, own], units[:, rows.of_axis(self.i)], units[:, -1:]]
        matrix = np.hstack([*first, *last])

        def products(shares: Array) -> Array:
            whole = sums.weighted(shares, np.arange(rows.width, dtype=np.intp))
            return np.asarray(matrix.T @ whole @ matrix)

        always = sum(part.shape[1] for part in first)
        whole, alone = products(weights), products(np.eye(len(weights))[self.i])
        self.parts: Projected = project(whole, always)
        self.on_axis = self.parts.at(alone)
        """The same fits, looked at on the equation of the axis."""
        self.squares = whole.sum(axis=0)[always:, always:]
        """Products of candidates and torques before anything is taken out of them."""
        self.axis_squares = float(alone[:, -1, -1].sum())

    @cached_property
    def none(self) -> Array:
        """Columns without an element."""
        return self._padded(np.zeros((self.count, 0)), plain=True)

    @cached_property
    def identifiable(self) -> bool:
        """True if samples tell a torsion spring from everything else."""
        return (
            self.without_geometry(Family("torsion", (), ((),)), sure=False, real=False) is not None
        )

    def polynomial(self, degree: int) -> Array:
        """Return a polynomial of the position, as far as samples tell it from everything else."""
        from scipy.linalg import eigh

        columns = self._padded(np.eye(self.count)[:, : degree + 1], plain=False)
        whole = columns.T @ self.squares[:-1, :-1] @ columns
        whole = whole + ROUNDING * np.trace(whole) * np.eye(degree + 1)
        shares, vectors = eigh(columns.T @ self.parts.whole[:-1, :-1] @ columns, whole)
        return np.hstack([self.none, columns @ vectors[:, shares > APART**2]])

    def best(self, family: Family, *, sure: bool = True) -> Fitted | None:
        """Return the element of a family that leaves least.

        None if it cannot exist, if samples do not tell its torque from everything else or leave its
        geometry at an end of its range, or, with ``sure``, tell none of its coefficients from 0.
        """
        if family.kind in ("offset", "torsion"):
            return self.without_geometry(family, sure=sure)
        whole = self.parts.whole
        cost = np.array([self._cost(family, np.array(shape), whole) for shape in family.grid])
        starts = [k for k in np.argsort(cost)[:STARTS].tolist() if np.isfinite(cost[k])]
        shapes = [self._searched(family, np.array(family.grid[k]), whole) for k in starts]
        if not shapes:
            return None
        shape = min(shapes, key=lambda one: self._cost(family, one, whole))
        if any(x in ends for x, ends in zip(shape.tolist(), family.bounds, strict=True)):
            return None
        columns = self._columns(family, shape)
        values = self.coefficients(whole, columns)[self.plain :]
        if self._apart(columns[:, self.plain :] @ values[:, None]) <= APART**2:
            return None
        if sure and not self._sure(columns)[self.plain :].any():
            return None
        spring = _with_values(self.place.element(family, shape), values, self.place)
        folds = [self._searched(family, shape, fitted) for fitted in self.parts.fitted]
        return Fitted(spring, tuple(self._columns(family, one) for one in folds))

    def without_geometry(self, family: Family, *, sure: bool, real: bool = True) -> Fitted | None:
        """Return an offset or a torsion spring; with ``real`` one that can exist."""
        spring = self.place.element(family, ())
        columns = self._padded(self.place.columns(spring), plain=False)
        if self._apart(columns) <= APART**2:
            return None
        values = self.coefficients(self.parts.whole, columns)
        if sure and not self._sure(columns)[0]:
            return None
        if isinstance(spring, TorsionSpring):
            if real and values[0] <= 0.0:
                return None
            spring = TorsionSpring(self.axis + 1, values[0], -values[1] / (values[0] or 1.0))
        else:
            spring = spring.with_values(values)
        return Fitted(spring, (columns,))

    def losses(self, models: Sequence[Sequence[Array]]) -> tuple[Array, Array]:
        """Return what models leave on stretches that their fit has not seen.

        Args:
            models: Columns of each model, one matrix for all stretches or one for each.

        Returns:
            Weighted squares per sample, ``(models, stretches)``, and the RMSE of the axis
            [N m, N], ``(models,)``.
        """
        counts = self.sums.counts
        floor = ROUNDING * self.squares[-1, -1] / len(counts)
        losses, rmse = [], []
        for model in models:
            squares, on_axis = np.zeros(len(counts)), ROUNDING * self.axis_squares
            for k, fitted in enumerate(self.parts.fitted):
                columns = model[k] if len(model) > 1 else model[0]
                x = np.append(-columns @ self.coefficients(fitted, columns), 1.0)
                squares[k] = x @ self.parts.left_out[k] @ x
                on_axis += x @ self.on_axis.left_out[k] @ x
            losses.append((squares + floor) * len(counts) / counts.sum())
            rmse.append(np.sqrt(max(on_axis, 0.0) / max(counts[:, self.i].sum(), 1.0)))
        return np.array(losses), np.array(rmse)

    @staticmethod
    def coefficients(fitted: Array, columns: Array) -> Array:
        """Return the coefficients of columns by least squares, ``(c,)``."""
        if not columns.shape[1]:
            return np.zeros(0)
        whole = np.zeros((fitted.shape[0], columns.shape[1] + 1))
        whole[:-1, :-1], whole[-1, -1] = columns, 1.0
        models = np.arange(columns.shape[1])[None]
        return np.asarray(coefficients((whole.T @ fitted @ whole)[None], models)[0, 0])

    def _padded(self, columns: Array, plain: bool) -> Array:
        """Return columns of polynomials as those of the axis; with ``plain`` Coulomb's, too."""
        own = columns[: self.count]  # offsets and torsion springs have no more than two
        before = np.eye(self.plain + self.count)[:, : self.plain * plain]
        return np.hstack([before, np.vstack([np.zeros((self.plain, own.shape[1])), own])])

    def _apart(self, columns: Array) -> float:
        """Return the least share of the squares of columns that nothing else explains."""
        from scipy.linalg import eigh

        whole = columns.T @ self.squares[:-1, :-1] @ columns
        size = np.sqrt(np.maximum(np.diagonal(whole), np.finfo(float).tiny))
        rest = columns.T @ self.parts.whole[:-1, :-1] @ columns
        unit = whole / np.outer(size, size) + ROUNDING * np.eye(len(size))
        return float(eigh(rest / np.outer(size, size), unit, eigvals_only=True)[0])

    def _columns(self, family: Family, shape: Array) -> Array:
        """Return the columns of an element, without a stiffness that weight explains wholly."""
        own = self.place.columns(self.place.element(family, shape))
        columns = self._padded(own, plain=True)
        if own.shape[1] == 2 and self._apart(columns[:, self.plain :]) <= EXPLAINED:
            return columns[:, :-1]
        return columns

    def _cost(self, family: Family, shape: Array, fitted: Array) -> float:
        """Squares that an element leaves; infinite if it cannot exist."""
        columns = self._columns(family, shape)
        values = self.coefficients(fitted, columns)
        element = _with_values(self.place.element(family, shape), values[self.plain :], self.place)
        if _problem(element, self.place, family):
            return np.inf
        x = np.append(-columns @ values, 1.0)
        return float(x @ fitted @ x)

    def _searched(self, family: Family, shape: Array, fitted: Array) -> Array:
        """Return the shape that leaves least near one, by Gauss-Newton's steps."""
        low, high = np.reshape(family.bounds, (-1, 2)).T
        cost = self._cost(family, shape, fitted)
        for _ in range(ROUNDS):
            columns = self._columns(family, shape)
            values = self.coefficients(fitted, columns)
            slopes = np.zeros((len(columns), shape.size))
            for k, step in enumerate(STEP * np.eye(shape.size)):
                above, below = (
                    self._padded(
                        self.place.columns(self.place.element(family, shape + sign * step)), True
                    )[:, : values.size]
                    for sign in (1.0, -1.0)
                )
                slopes[:, k] = (above - below) @ values / (2.0 * STEP)
            move = self.coefficients(fitted, np.hstack([columns, slopes]))[values.size :]
            for share in (1.0, 0.3, 0.1):
                other = np.clip(shape + share * move, low, high)
                less = self._cost(family, other, fitted)
                if less < cost:
                    break
            else:
                return shape
            small = cost - less <= 1e-9 * cost
            shape, cost = other, less
            if small:
                return shape
        return shape

    def _sure(self, columns: Array) -> NDArray[np.bool_]:
        """True for coefficients that are surely not zero, over fits with a stretch left out."""
        from scipy.special import stdtrit

        count = len(self.sums.counts)
        left_out = np.array([self.coefficients(one, columns) for one in self.parts.fitted])
        spread = np.square(left_out - left_out.mean(axis=0)).sum(axis=0)
        deviations = np.sqrt((count - 1) / count * spread)
        # as many tests as there are functions of the position [Bonferroni]
        sure = float(stdtrit(count - 1, 1.0 - ALPHA / (2.0 * COUNT)))
        whole = self.coefficients(self.parts.whole, columns)
        return np.asarray(np.abs(whole) > sure * deviations, dtype=bool)


def _with_values(element: Spring, values: Array, place: Place) -> Spring:
    """Return an element with leading coefficients.

    A stiffness behind them, that weight explains wholly, is the least with which the coil pulls.
    """
    if values.size == element.values.size:
        return element.with_values(values)
    assert isinstance(element, CoilSpring)
    shortest, _ = element.lengths(*place.allowed)
    k = max(0.0, -float(values[0])) / shortest if shortest > 0.0 else 0.0
    return element.with_values(np.array([values[0] + k * element.length, k]))


def _problem(element: Spring, place: Place, family: Family) -> str:
    """Return why an element cannot exist on the range of its axis; empty if it may."""
    if isinstance(element, GasSpring) and (element.F0 < 0.0) != family.pushes:
        return "its force has the other sign"
    if isinstance(element, CoilSpring | GasSpring):
        return element.problem(*place.allowed)
    return ""
