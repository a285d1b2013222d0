"""Base regressor stacked over a motion, its condition and information, and their exact gradients.

Gradients run backwards: from the criterion to the entries of the regressor, and from those, by
CasADi's reverse mode on the expressions of the compiled layer, to positions, speeds and
accelerations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...checks import as_choice
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot

ROWS = 64  # multiplied at a time
NEAR = 1e-6  # of the pivots, below which Cholesky is not exact
ZERO = 1e-14  # singular value of unit columns that rounding leaves of 0; logarithms stop there

MappedFunction = Callable[[int], Callable[..., list[Array]]]
"""A function of as many states as are asked for."""


class Gradient(NamedTuple):
    """A number, and its derivatives by the entries of a stacked regressor."""

    value: float
    gradient: Array


class BaseRegressor:
    """``Y`` of a robot's base parameters over many states, one row per moving axis and state."""

    def __init__(self, robot: Robot, base: BaseParameters) -> None:
        """Write the expressions.

        Raises:
            MissingExtra: without casadi.
        """
        self.size, self.rank = len(base.axes), base.rank
        self._stacked, self._backwards = _functions(robot, tuple(base.axes), tuple(base.columns))

    def stacked(self, q: Array, v: Array, a: Array) -> Array:
        """Regressors of states ``(N, n)`` one below the other, shape ``(N axes, rank)``."""
        (Y,) = self._stacked(len(q))(q.T, v.T, a.T)
        return Y.reshape(self.size, len(q), self.rank).swapaxes(0, 1).reshape(-1, self.rank)

    def backwards(self, q: Array, v: Array, a: Array, weights: Array) -> list[Array]:
        """Derivatives of ``sum(weights * stacked(q, v, a))`` by q, v, a, shape ``(N, n)`` each."""
        side = weights.reshape(len(q), self.size, self.rank).swapaxes(0, 1).reshape(self.size, -1)
        return [columns.T for columns in self._backwards(len(q))(q.T, v.T, a.T, side)]


@lru_cache(maxsize=8)
def _functions(
    robot: Robot, axes: tuple[int, ...], columns: tuple[int, ...]
) -> tuple[MappedFunction, MappedFunction]:
    """Base regressor of many states, and the derivatives of its weighted sum by q, v and a."""
    regressor = robot.symbolic("regressor")
    import casadi as ca

    state = [ca.SX.sym(name, robot.n) for name in ("q", "v", "a")]
    Y = regressor(*state)[list(axes), list(columns)]
    weights = ca.SX.sym("weights", *Y.shape)
    back = [ca.gradient(ca.dot(weights, Y), x) for x in state]
    return map_function(ca.Function("Y", state, ca.cse([Y]))), map_function(
        ca.Function("back", [*state, weights], ca.cse(back))
    )


def map_function(function: Any) -> MappedFunction:
    """Return a ``casadi.Function`` for any number of states, side by side as columns.

    The function of each number of states is made once.
    """

    @cache
    def of_count(count: int) -> Callable[..., list[Array]]:
        mapped = function.map(count)
        return lambda *states: [result.full() for result in mapped.call(list(states))]

    return of_count


def _factors(Y: Array) -> tuple[Array, Array, Array, Array]:
    """Lengths of columns, unit columns, singular values (largest first), right vectors."""
    lengths = np.maximum(np.linalg.norm(Y, axis=0), np.finfo(float).tiny)
    units = Y / lengths
    _, values, rows = np.linalg.svd(_triangle(units))
    return lengths, units, np.maximum(values, ZERO), rows.T


def _triangle(units: Array) -> Array:
    """Triangular factor by Cholesky twice [Yamamoto et al. 2015, CholeskyQR2].

    It is as exact as Householder's. In products of a few rows each, for which BLAS starts no
    threads: those take up to a hundred times as long for matrices of this size while other
    processes run. Nearly dependent columns are left to LAPACK.
    """
    factor: Array = np.eye(units.shape[1])
    try:
        for _ in range(2):
            parts = _parts(_by_rows(units, np.asarray(np.linalg.inv(factor))))
            squares = np.sum([part.T @ part for part in parts], axis=0)
            factor = np.linalg.cholesky(squares).T @ factor
    except np.linalg.LinAlgError:
        factor = np.zeros((1, 1))
    size = np.abs(np.diag(factor))
    return factor if size.min() > NEAR * size.max() else np.asarray(np.linalg.qr(units, mode="r"))


def _parts(Y: Array) -> list[Array]:
    return [Y[start : start + ROWS] for start in range(0, len(Y), ROWS)]


def _by_rows(Y: Array, matrix: Array) -> Array:
    return np.concatenate([part @ matrix for part in _parts(Y)])


def singular_values(Y: Array) -> Array:
    """Singular values of a stacked regressor with unit columns, largest first, ``(rank,)``."""
    return _factors(Y)[2]


def condition(Y: Array) -> float:
    """Condition number of a stacked regressor with columns of unit length.

    Infinite where it has lost a parameter.
    """
    values = singular_values(Y)
    return float(values[0] / values[-1]) if values[-1] > ZERO else np.inf


def log_det(Y: Array, samples: int) -> float:
    """Logarithm of the determinant of ``Y'Y / samples``: the information of a sample.

    Units are those of the parameters.
    """
    return -float(Y.shape[1]) * (log_det_gradient(Y, 1.0).value + math.log(samples))


def log_condition_gradient(Y: Array, power: float) -> Gradient:
    """Logarithm of the condition number, smooth where singular values meet.

    ``log(|Z|_2p |Z^+|_2p)`` with Schatten norms of the unit columns ``Z``: above the logarithm of
    the condition number by less than ``log(rank) / p``.
    """
    lengths, units, values, directions = _factors(Y)
    logs = 2.0 * power * np.log(values)
    high, low = np.exp(logs - logs[0]), np.exp(logs[-1] - logs)
    value = (logs[0] - logs[-1] + np.log(high.sum() * low.sum())) / (2.0 * power)
    shares = (high / high.sum() - low / low.sum()) / values**2
    of_units = _by_rows(units, directions * shares @ directions.T)
    return Gradient(float(value), (of_units - units * (units * of_units).sum(axis=0)) / lengths)


def log_det_gradient(Y: Array, power: float) -> Gradient:
    """Negative logarithm of the determinant of ``Y'Y``, per parameter.

    It is smooth by itself and needs no power.
    """
    lengths, units, values, directions = _factors(Y)
    gradient = _by_rows(units, directions / values**2 @ directions.T)
    return Gradient(
        float(-2.0 * np.log(values * lengths).mean()), gradient * (-2.0 / lengths.size) / lengths
    )


class Criterion(NamedTuple):
    """Criterion that an excitation minimises."""

    exact: Callable[[Array], float]
    """Of a stacked regressor."""
    smooth: Callable[[Array, float], Gradient]
    """The same for a search, nearer to it the higher the power."""


CRITERIA = {
    "condition": Criterion(condition, log_condition_gradient),
    "logdet": Criterion(lambda Y: log_det_gradient(Y, 1.0).value, log_det_gradient),
}
"""Condition number with unit columns, or determinant of the information (D-optimal), by name."""


def criterion_of(name: str) -> Criterion:
    """Return a criterion by its name.

    Raises:
        UnknownName: if there is none of that name.
    """
    return CRITERIA[as_choice(name, CRITERIA, "criterion")]
