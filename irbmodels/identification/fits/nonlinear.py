"""Stribeck speeds together with all that is linear: Levenberg-Marquardt over ``beta`` and ``v_St``.

Only where an axis is slow does its torque depend on ``v_St``; everything faster is linear, and is
kept as triangular factors, whatever its length. The Jacobian is analytic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Accumulator, Blocks
from .regression import Fit, floor_noise, least_squares, weighted_least_squares
from .streaming import Samples, accumulate
from .torque_equations import TorqueEquations

ColumnIndices = NDArray[np.intp]

REACH = 6.0  # of v_St: beyond it exp(-(v / v_St)^2) is below 3e-16
WIDEST = 5.0  # times the first guess: how far v_St may grow


@dataclass(frozen=True, eq=False)
class StribeckEquations:
    """Torque equations linearized at ``x``: base parameters, then ``v_St`` of some axes."""

    linear: TorqueEquations
    x: Array
    """Where they touch: base parameters, then Stribeck speeds [rad/s, m/s], shape ``(p,)``."""
    axes: tuple[int, ...]
    """Axes with a fitted Stribeck speed, 0-based."""

    @property
    def names(self) -> tuple[str, ...]:
        """The sums of parameters, and the speeds."""
        return (*self.linear.names, *(f"v_St_{axis + 1}" for axis in self.axes))

    @property
    def units(self) -> tuple[str, ...]:
        """Of the same."""
        linear = self.linear.robot.limits.linear
        return (*self.linear.units, *("m/s" if linear[axis] else "rad/s" for axis in self.axes))

    @property
    def size(self) -> int:
        """Number of axes that move."""
        return self.linear.size

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield ``Y`` ``(N, size, p)`` and the right-hand side ``(N, size)`` [N m, N]."""
        places, p = friction_columns(self.linear, self.axes), len(self.linear.names)
        for Y, y in self.linear(pieces):
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


def stribeck_fit(
    samples: Samples, rows: TorqueEquations, passes: int = 2, axes: Sequence[int] | None = None
) -> Fit:
    """Fit base parameters and Stribeck speeds, axes weighted by the inverse of their noise.

    Args:
        samples: Samples, slow and fast; memory grows with the slow ones, below 30 times the guess
            of ``v_St``.
        rows: Equations with friction among the base parameters; the first guess of ``v_St`` is that
            of the robot.
        passes: Number of updates of the weights.
        axes: Axes whose ``v_St`` is fitted, 1-based; default all whose Fs - Fc is a base parameter.
            Others keep the robot's.

    Returns:
        The fit; ``v_St`` [rad/s, m/s] of each axis that has one comes after the base parameters.

    Raises:
        InputError: if friction is not among the base parameters, a Stribeck speed leaves its reach,
            or samples do not tell it.
    """
    law, asked = rows.robot.friction_model, None if axes is None else [axis - 1 for axis in axes]
    places = np.full((rows.size, 3), -1) if law is None else friction_columns(rows, asked)
    falls = places[:, 2] >= 0
    if (
        law is None
        or not falls.any()
        or (places[falls] < 0).any()
        or (asked is not None and falls.sum() < len(asked))
    ):
        raise InputError(
            "a fit of Stribeck speeds needs friction among the base parameters:"
            " base_parameters(..., friction=True)"
        )
    guess = law.v_St[list(rows.base.axes)][falls]
    reach = np.zeros(rows.size)
    reach[falls] = REACH * WIDEST * guess
    linear = accumulate(samples, rows)
    split = samples.reduce(partial(_split, rows=rows, places=places, reach=reach))
    fit = weighted_least_squares(linear)
    x, noise = np.append(fit.beta, np.log(guess)), floor_noise(linear, fit.noise)
    for _ in range(passes):
        x = _levenberg_marquardt(_Residuals(split, places, noise), x)
        noise = floor_noise(
            linear, _noise(_Residuals(split, places, np.ones_like(noise)), x, linear.samples)
        )
    speeds = np.exp(x[fit.beta.size :])
    if (speeds > WIDEST * guess).any():
        problem = (
            f"Stribeck speeds {speeds.tolist()} are more than {WIDEST:g} times the guess"
            f" {guess.tolist()}"
        )
        raise InputError(f"{problem}: too few samples are slow, or the guess is far off")
    near = StribeckEquations(
        rows, np.append(x[: fit.beta.size], speeds), tuple(np.array(rows.base.axes)[falls].tolist())
    )
    return least_squares(accumulate(samples, near), 1.0 / np.square(noise), noise)


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
    places: ColumnIndices
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
        return np.concatenate(
            [self.of_axis(i, x)[0] / self.noise[i] for i in range(len(self.places))]
        )

    def jacobian(self, x: Array) -> Array:
        return np.concatenate(
            [self.of_axis(i, x)[1] / self.noise[i] for i in range(len(self.places))]
        )


def _levenberg_marquardt(model: _Residuals, x: Array) -> Array:
    from scipy.optimize import least_squares

    solution = least_squares(
        model.residual,
        x,
        model.jacobian,
        method="lm",
        x_scale="jac",
        xtol=1e-13,
        ftol=1e-13,
        gtol=1e-13,
    )
    return np.asarray(solution.x, dtype=float)


def _noise(model: _Residuals, x: Array, samples: int) -> Array:
    squares = np.array([np.square(model.of_axis(i, x)[0]).sum() for i in range(len(model.places))])
    return np.asarray(np.sqrt(squares / (samples - x.size / len(model.places))), dtype=float)


def _split(
    pieces: Iterable[Motion], rows: TorqueEquations, places: ColumnIndices, reach: Array
) -> _Split:
    fast = Accumulator(rows.size, rows.names, rows.units)
    slow: list[list[Array]] = [[np.zeros((0, fast.p + 1))] for _ in range(rows.size)]
    for Y, y in rows(pieces):
        is_slow = np.abs(Y[:, np.arange(rows.size), places[:, 0]]) < reach
        fast.add(Y, y, (~is_slow).astype(float))
        for i, kept in enumerate(slow):
            kept.append(np.column_stack([Y[is_slow[:, i], i], y[is_slow[:, i], i]]))
    return _Split(fast, tuple(np.concatenate(kept) for kept in slow))
