"""Stribeck speeds together with all that is linear: Levenberg-Marquardt over ``beta`` and ``v_St``.

Only where an axis is slow does its torque depend on ``v_St``; everything faster is linear, and is kept as triangular factors,
whatever its length. The Jacobian is analytic.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..trajectory import Motion
from .accumulator import Accumulator, folded
from .regression import Fit, audible, inverted, weighted
from .streaming import Samples, accumulated
from .torques import TorqueRows

Array = NDArray[np.float64]

REACH = 6.0  # of v_St: beyond it exp(-(v / v_St)^2) is below 3e-16
WIDEST = 5.0  # times the first guess: how far v_St may grow


@dataclass(frozen=True, eq=False)
class _Split:
    """Factors of the fast samples of each axis, and the slow ones as rows ``[Y y]``."""

    fast: Accumulator
    slow: tuple[Array, ...]

    def merge(self, other: _Split) -> _Split:
        slow = (np.concatenate(pair) for pair in zip(self.slow, other.slow, strict=True))
        return _Split(self.fast.merge(other.fast), tuple(slow))


def stribeck_fit(samples: Samples, rows: TorqueRows, passes: int = 2) -> Fit:
    """Fit base parameters and the Stribeck speed of each moving axis, axes weighted by the inverse of their noise.

    Args:
        samples: Samples, slow and fast; memory grows with the slow ones, below 30 times the guess of ``v_St``.
        rows: Equations with friction among the base parameters; the first guess of ``v_St`` is that of the robot.
        passes: How often the weights are taken anew.

    Returns:
        The fit; ``v_St`` of each moving axis [rad/s, m/s] comes after the base parameters.

    Raises:
        InputError: if friction is not among the base parameters, a Stribeck speed leaves its reach, or samples do not tell it.
    """
    law = rows.robot.friction_model
    bodies = rows.robot.parameter_vector().size - 3 * rows.robot.n
    columns = [[bodies + 3 * axis + k for k in range(3)] for axis in rows.base.axes]
    if law is None or not {column for three in columns for column in three} <= set(rows.base.columns):
        raise InputError("a fit of Stribeck speeds needs friction among the base parameters: base_parameters(..., friction=True)")
    places = np.array([[rows.base.columns.index(column) for column in three] for three in columns])
    guess = law.v_St[list(rows.base.axes)]
    linear = accumulated(samples, rows)
    split = samples.reduce(partial(_split, rows=rows, viscous=places[:, 0], reach=REACH * WIDEST * guess))
    fit = weighted(linear)
    x, noise = np.append(fit.beta, np.log(guess)), audible(linear, fit.noise)
    for _ in range(passes):
        x = _levenberg_marquardt(_Residuals(split, places, noise), x)
        noise = audible(linear, _noise(_Residuals(split, places, np.ones_like(noise)), x, linear.samples))
    speeds = np.exp(x[fit.beta.size :])
    if (speeds > WIDEST * guess).any():
        told = f"Stribeck speeds {speeds.tolist()} are more than {WIDEST:g} times the guess {guess.tolist()}"
        raise InputError(f"{told}: too few samples are slow, or the guess is far off")
    return _fit(_Residuals(split, places, noise), x, linear, noise, rows)


@dataclass(frozen=True, eq=False)
class _Residuals:
    """Weighted residuals of ``x = [beta, log v_St]``, and their Jacobian."""

    split: _Split
    places: Array
    """Columns of Fv, Fc, Fs - Fc of each axis, shape ``(size, 3)``."""
    noise: Array

    def of_axis(self, i: int, x: Array) -> tuple[Array, Array]:
        """Residuals of one axis in N m and their Jacobian."""
        p = x.size - len(self.places)
        viscous, coulomb, drop = (int(k) for k in self.places[i])
        slow, factor = self.split.slow[i], self.split.fast.factors[i]
        ratio = np.square(slow[:, viscous] / np.exp(x[p + i]))
        Y = slow[:, :p].copy()
        Y[:, drop] = np.exp(-ratio) * slow[:, coulomb]
        jacobian = np.zeros((len(slow) + len(factor), x.size))
        jacobian[: len(slow), :p], jacobian[len(slow) :, :p] = Y, factor[:, :p]
        jacobian[: len(slow), p + i] = x[drop] * Y[:, drop] * 2.0 * ratio
        right = np.concatenate([slow[:, p], factor[:, p]])
        return jacobian[:, :p] @ x[:p] - right, jacobian

    def residual(self, x: Array) -> Array:
        return np.concatenate([self.of_axis(i, x)[0] / self.noise[i] for i in range(len(self.places))])

    def jacobian(self, x: Array) -> Array:
        return np.concatenate([self.of_axis(i, x)[1] / self.noise[i] for i in range(len(self.places))])


def _levenberg_marquardt(model: _Residuals, x: Array) -> Array:
    from scipy.optimize import least_squares

    found = least_squares(model.residual, x, model.jacobian, method="lm", x_scale="jac", xtol=1e-13, ftol=1e-13, gtol=1e-13)
    return np.asarray(found.x, dtype=float)


def _noise(model: _Residuals, x: Array, samples: int) -> Array:
    squares = np.array([np.square(model.of_axis(i, x)[0]).sum() for i in range(len(model.places))])
    return np.asarray(np.sqrt(squares / (samples - x.size / len(model.places))), dtype=float)


def _fit(model: _Residuals, x: Array, linear: Accumulator, noise: Array, rows: TorqueRows) -> Fit:
    p = linear.p
    values = np.append(x[:p], np.exp(x[p:]))
    jacobian = model.jacobian(x)
    jacobian[:, p:] /= values[p:]
    whole = folded(np.zeros((x.size + 1,) * 2), np.column_stack([jacobian, jacobian @ values - model.residual(x)]))
    axes = rows.base.axes
    names = (*rows.names, *(f"v_St_{axis + 1}" for axis in axes))
    units = (*rows.units, *("m/s" if rows.robot.limits.linear[axis] else "rad/s" for axis in axes))
    degrees = linear.samples * linear.size - x.size
    inverse = inverted(whole[:-1, :-1], names)
    return Fit(names, units, values, inverse @ inverse.T, noise, 1.0 / np.square(noise), linear.samples, degrees, whole)


def _split(pieces: Iterable[Motion], rows: TorqueRows, viscous: Array, reach: Array) -> _Split:
    fast = Accumulator(rows.size, rows.names, rows.units)
    slow: list[list[Array]] = [[np.zeros((0, fast.p + 1))] for _ in range(rows.size)]
    for Y, y in rows(pieces):
        is_slow = np.abs(Y[:, np.arange(rows.size), viscous]) < reach
        fast.add(Y, y, ~is_slow)
        for i, kept in enumerate(slow):
            kept.append(np.column_stack([Y[is_slow[:, i], i], y[is_slow[:, i], i]]))
    return _Split(fast, tuple(np.concatenate(kept) for kept in slow))
