"""Base regressor stacked over a motion, its condition and information, and their exact gradients.

Gradients run backwards: from the criterion to the entries of the regressor, and from those, by
CasADi's reverse mode on the expressions of the compiled layer, to positions, speeds and
accelerations. Values come from the robot itself, which has machine code for many states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...checks import as_choice
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ..fits.accumulator import update_factor

ROWS = 64  # multiplied at a time
ZERO = 1e-14  # singular value of unit columns that rounding leaves of 0; logarithms stop there


class Gradient(NamedTuple):
    """A number, and its derivatives by the entries of a stacked regressor."""

    value: float
    gradient: Array


class StateFunction:
    """Expressions of one state, evaluated at many.

    Without the conversions of a ``casadi.Function`` that is called, which take most of its time.
    """

    def __init__(self, inputs: Sequence[Any], output: Any) -> None:
        """Take column vectors of ``casadi.SX``, and a matrix that depends on them."""
        import casadi as ca

        self.shape: tuple[int, int] = output.shape
        self._function = ca.Function(
            "states", [ca.vertcat(*inputs)], [ca.densify(ca.cse(ca.vec(output)))]
        )

    def __call__(self, *inputs: Array) -> Array:
        """Return the outputs ``(N, rows, columns)`` at inputs ``(N, size)`` each."""
        states = np.hstack(inputs)
        state, output = np.empty(states.shape[1]), np.empty(self.shape[0] * self.shape[1])
        buffer, evaluate = self._function.buffer()  # of this call alone: there may be threads
        buffer.set_arg(0, state.data)  # type: ignore[call-arg]  # CasADi's stubs want a size
        buffer.set_res(0, output.data)  # type: ignore[call-arg]
        outputs = np.empty((len(states), output.size))
        for row, result in zip(states, outputs, strict=True):
            state[:] = row
            evaluate()
            result[:] = output
        return outputs.reshape(len(states), *self.shape[::-1]).swapaxes(1, 2)  # column by column


class BaseRegressor:
    """``Y`` of a robot's base parameters over many states, one row per moving axis and state."""

    def __init__(self, robot: Robot, base: BaseParameters) -> None:
        """Write the expressions.

        Raises:
            MissingExtra: without casadi.
        """
        # a copy: kernels of a used robot, which are there from the start, differ in the last bit
        self._robot, self._base = replace(robot), base
        self._gradient = _weighted_gradient(robot, tuple(base.axes), tuple(base.columns))

    def stacked(self, q: Array, v: Array, a: Array) -> Array:
        """Regressors of states ``(N, n)`` one below the other, shape ``(N axes, rank)``."""
        Y = self._base.reduced(self._robot.regressor(q, v, a))
        return np.reshape(Y, (-1, self._base.rank))

    def backwards(self, q: Array, v: Array, a: Array, weights: Array) -> list[Array]:
        """Derivatives of ``sum(weights * stacked(q, v, a))`` by q, v, a, shape ``(N, n)`` each."""
        columns = self._gradient(q, v, a, weights.reshape(len(q), -1))
        return list(columns.transpose(2, 0, 1))


@lru_cache(maxsize=8)
def _weighted_gradient(
    robot: Robot, axes: tuple[int, ...], columns: tuple[int, ...]
) -> StateFunction:
    """Derivatives of the weighted sum of a base regressor, by rows, by q, v and a: ``(n, 3)``."""
    regressor = robot.symbolic("regressor")
    import casadi as ca

    state = [ca.SX.sym(name, robot.n) for name in ("q", "v", "a")]
    Y = regressor(*state)[list(axes), list(columns)].T
    weights = ca.SX.sym("weights", Y.numel())
    total = ca.dot(weights, ca.vec(Y))
    return StateFunction([*state, weights], ca.horzcat(*(ca.gradient(total, x) for x in state)))


def _factors(Y: Array) -> tuple[Array, Array, Array, Array]:
    """Lengths of columns, unit columns, singular values (largest first), right vectors."""
    lengths = np.maximum(np.linalg.norm(Y, axis=0), np.finfo(float).tiny)
    units = Y / lengths
    _, values, rows = np.linalg.svd(update_factor(np.zeros((len(lengths),) * 2), units))
    return lengths, units, np.maximum(values, ZERO), rows.T


def _by_rows(Y: Array, matrix: Array) -> Array:
    """Product in parts so small that BLAS starts no threads.

    While other processes run, these take up to a hundred times as long for matrices of this size.
    """
    parts = (Y[start : start + ROWS] for start in range(0, len(Y), ROWS))
    return np.concatenate([part @ matrix for part in parts])


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
