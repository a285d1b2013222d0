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

from ...errors import InputError
from ...trajectory import Motion
from .accumulator import Accumulator, Blocks
from .regression import Fit, audible, least_squares, weighted
from .streaming import Samples, accumulated
from .torques import TorqueRows

Array = NDArray[np.float64]
Places = NDArray[np.intp]

REACH = 6.0  # of v_St: beyond it exp(-(v / v_St)^2) is below 3e-16
WIDEST = 5.0  # times the first guess: how far v_St may grow


@dataclass(frozen=True, eq=False)
class StribeckRows:
    """Equations of the torques and of the Stribeck speeds, linear near given values: ``beta``, then ``v_St`` of axes that have it."""

    rows: TorqueRows
    x: Array
    """Where they touch: base parameters, then Stribeck speeds [rad/s, m/s], shape ``(p,)``."""

    @property
    def names(self) -> tuple[str, ...]:
        """The sums of parameters, and the speeds."""
        return (*self.rows.names, *(f"v_St_{axis + 1}" for axis in self._axes))

    @property
    def units(self) -> tuple[str, ...]:
        """Of the same."""
        linear = self.rows.robot.limits.linear
        return (*self.rows.units, *("m/s" if linear[axis] else "rad/s" for axis in self._axes))

    @property
    def size(self) -> int:
        """Number of axes that move."""
        return self.rows.size

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield ``Y`` ``(N, size, p)`` and the torques that ``beta`` and ``v_St`` have to explain ``(N, size)``."""
        places, p = places_of(self.rows), len(self.rows.names)
        for Y, y in self.rows(pieces):
            whole = np.concatenate([Y, np.zeros((*y.shape, self.x.size - p))], axis=-1)
            right = y.copy()
            for k, i in enumerate(np.flatnonzero(places[:, 2] >= 0)):
                viscous, coulomb, drop = places[i]
                ratio = np.square(Y[:, i, viscous] / self.x[p + k])
                falling = np.exp(-ratio) * Y[:, i, coulomb]
                slope = self.x[drop] * falling * 2.0 * ratio / self.x[p + k]
                whole[:, i, drop], whole[:, i, p + k] = falling, slope
                right[:, i] += slope * self.x[p + k]
            yield whole, right

    @property
    def _axes(self) -> list[int]:
        return [self.rows.base.axes[i] for i in np.flatnonzero(places_of(self.rows)[:, 2] >= 0)]


def places_of(rows: TorqueRows) -> Places:
    """Columns of Fv, Fc, Fs - Fc of each moving axis, shape ``(size, 3)``; -1 of an axis without them."""
    base = rows.base
    first = rows.robot.parameter_vector().size - 3 * rows.robot.n
    columns = [[first + 3 * axis + k for k in range(3)] for axis in base.axes]
    return np.array([[base.columns.index(c) if c in base.columns else -1 for c in three] for three in columns])


def stribeck_fit(samples: Samples, rows: TorqueRows, passes: int = 2) -> Fit:
    """Fit base parameters and Stribeck speeds, axes weighted by the inverse of their noise.

    Args:
        samples: Samples, slow and fast; memory grows with the slow ones, below 30 times the guess of ``v_St``.
        rows: Equations with friction among the base parameters; the first guess of ``v_St`` is that of the robot. An axis whose
            Fs - Fc is no base parameter has no Stribeck speed.
        passes: How often the weights are taken anew.

    Returns:
        The fit; ``v_St`` [rad/s, m/s] of each axis that has one comes after the base parameters.

    Raises:
        InputError: if friction is not among the base parameters, a Stribeck speed leaves its reach, or samples do not tell it.
    """
    law, places = rows.robot.friction_model, places_of(rows) if rows.robot.friction_model else np.full((1, 3), -1)
    if law is None or (places[:, :2] < 0).any() or not (places[:, 2] >= 0).any():
        raise InputError("a fit of Stribeck speeds needs friction among the base parameters: base_parameters(..., friction=True)")
    falls = places[:, 2] >= 0
    guess = law.v_St[list(rows.base.axes)][falls]
    reach = np.zeros(rows.size)
    reach[falls] = REACH * WIDEST * guess
    linear = accumulated(samples, rows)
    split = samples.reduce(partial(_split, rows=rows, viscous=places[:, 0], reach=reach))
    fit = weighted(linear)
    x, noise = np.append(fit.beta, np.log(guess)), audible(linear, fit.noise)
    for _ in range(passes):
        x = _levenberg_marquardt(_Residuals(split, places, noise), x)
        noise = audible(linear, _noise(_Residuals(split, places, np.ones_like(noise)), x, linear.samples))
    speeds = np.exp(x[fit.beta.size :])
    if (speeds > WIDEST * guess).any():
        told = f"Stribeck speeds {speeds.tolist()} are more than {WIDEST:g} times the guess {guess.tolist()}"
        raise InputError(f"{told}: too few samples are slow, or the guess is far off")
    near = StribeckRows(rows, np.append(x[: fit.beta.size], speeds))
    return least_squares(accumulated(samples, near), 1.0 / np.square(noise), noise)


@dataclass(frozen=True, eq=False)
class _Split:
    """Factors of the fast samples of each axis, and the slow ones as rows ``[Y y]``."""

    fast: Accumulator
    slow: tuple[Array, ...]

    def merge(self, other: _Split) -> _Split:
        slow = (np.concatenate(pair) for pair in zip(self.slow, other.slow, strict=True))
        return _Split(self.fast.merge(other.fast), tuple(slow))


@dataclass(frozen=True, eq=False)
class _Residuals:
    """Weighted residuals of ``x = [beta, log v_St]``, and their Jacobian."""

    split: _Split
    places: Places
    """As of :func:`places_of`."""
    noise: Array

    def of_axis(self, i: int, x: Array) -> tuple[Array, Array]:
        """Residuals of one axis in N m and their Jacobian."""
        p = self.split.fast.p
        viscous, coulomb, drop = (int(k) for k in self.places[i])
        slow, factor = self.split.slow[i], self.split.fast.factors[i]
        jacobian = np.zeros((len(slow) + len(factor), x.size))
        jacobian[: len(slow), :p], jacobian[len(slow) :, :p] = slow[:, :p], factor[:, :p]
        if drop >= 0:
            own = p + int((self.places[:i, 2] >= 0).sum())
            ratio = np.square(slow[:, viscous] / np.exp(x[own]))
            jacobian[: len(slow), drop] = np.exp(-ratio) * slow[:, coulomb]
            jacobian[: len(slow), own] = x[drop] * jacobian[: len(slow), drop] * 2.0 * ratio
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


def _split(pieces: Iterable[Motion], rows: TorqueRows, viscous: Array, reach: Array) -> _Split:
    fast = Accumulator(rows.size, rows.names, rows.units)
    slow: list[list[Array]] = [[np.zeros((0, fast.p + 1))] for _ in range(rows.size)]
    for Y, y in rows(pieces):
        is_slow = np.abs(Y[:, np.arange(rows.size), viscous]) < reach
        fast.add(Y, y, ~is_slow)
        for i, kept in enumerate(slow):
            kept.append(np.column_stack([Y[is_slow[:, i], i], y[is_slow[:, i], i]]))
    return _Split(fast, tuple(np.concatenate(kept) for kept in slow))
