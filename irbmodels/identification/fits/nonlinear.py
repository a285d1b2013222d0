"""Stribeck speeds together with all that is linear: Levenberg-Marquardt over ``beta`` and ``v_St``.

One pass through the samples folds them (:mod:`.stribeck_residuals`); the search needs no other. The
Jacobian is analytic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Accumulator, Blocks
from .regression import Fit, floor_noise, least_squares, weighted_least_squares
from .streaming import Samples
from .stribeck_residuals import Residuals, Split, add_split, friction_columns
from .torque_equations import TorqueEquations

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

    def without_speeds(self, total: Accumulator) -> Accumulator:
        """Return the factors of the torque equations at these speeds from those of these ones."""
        p = len(self.linear.names)
        matrix = np.delete(np.eye(self.x.size + 1), np.s_[p:-1], axis=1)
        matrix[p:-1, -1] = -self.x[p:]
        return total.change_columns(matrix, self.linear.names, self.linear.units)


class Linearized(NamedTuple):
    """Fit of Stribeck speeds, and the equations linearized there."""

    fit: Fit
    equations: StribeckEquations
    total: Accumulator
    """Of the samples in these equations."""


def stribeck_fit(
    samples: Samples, rows: TorqueEquations, passes: int = 2, axes: Sequence[int] | None = None
) -> Fit:
    """Fit base parameters and Stribeck speeds, axes weighted by the inverse of their noise.

    Args:
        samples: Samples, slow and fast, read once; memory grows with the slow ones, below 30 times
            the guess of ``v_St``.
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
    return linearize(samples, rows, passes, axes).fit


def linearize(
    samples: Samples, rows: TorqueEquations, passes: int = 2, axes: Sequence[int] | None = None
) -> Linearized:
    """Return what :func:`stribeck_fit` does, and the equations linearized there, folded."""
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
    model = Residuals(
        samples.fold(
            partial(add_split, rows=rows, places=places, reach=reach),
            Split(rows.size, rows.names, rows.units),
        ),
        places,
    )
    linear = model.accumulated(np.append(np.zeros(len(rows.names)), guess), rows)
    fit = weighted_least_squares(linear)
    x, noise = np.append(fit.beta, np.log(guess)), floor_noise(linear, fit.noise)
    for _ in range(passes):
        x = _levenberg_marquardt(model, noise, x)
        noise = floor_noise(linear, model.noise(x))
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
    fit = least_squares(model.accumulated(near.x, near), 1.0 / np.square(noise), noise)
    final = replace(near, x=fit.beta)
    return Linearized(fit, final, model.accumulated(final.x, final))


def _levenberg_marquardt(model: Residuals, noise: Array, x: Array) -> Array:
    from scipy.optimize import least_squares

    solution = least_squares(
        partial(model.residual, noise),
        x,
        partial(model.jacobian, noise),
        method="lm",
        x_scale="jac",
        xtol=1e-13,
        ftol=1e-13,
        gtol=1e-13,
    )
    return np.asarray(solution.x, dtype=float)
