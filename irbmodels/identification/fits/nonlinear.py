"""Speeds of friction laws with all that is linear, which is eliminated from the search.

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
from ...model.friction import VISCOUS
from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Accumulator, Blocks
from .regression import Fit, floor_noise, least_squares, weighted_least_squares
from .streaming import Samples
from .stribeck_residuals import (
    SPEED_OF,
    Residuals,
    SpeedTerm,
    Split,
    add_split,
    friction_columns,
    speed_terms,
    unit_torque,
)
from .torque_equations import TorqueEquations

REACH = 6.0  # of v_St: beyond it exp(-(v / v_St)^2) is below 3e-16
NEEDS_FRICTION = (
    "a fit of Stribeck speeds needs friction among the base parameters: base_parameters(...,"
    " friction=True)"
)
WIDEST = 5.0  # times the first guess: how far v_St may grow, and v_d grow or shrink
AT_END = 1e-3  # relative: a speed as near to an end of its reach has come to it


@dataclass(frozen=True, eq=False)
class SpeedEquations:
    """Torque equations linearized at ``x``: base parameters, then speeds of friction laws.

    And changes of their viscous friction with temperature, where those are estimated; these are at
    the values that the law of the robot has.
    """

    linear: TorqueEquations
    x: Array
    """Where they touch, ``(p,)``: base parameters, ``v_St`` and ``v_d`` [rad/s, m/s], ``per_K``."""
    terms: tuple[SpeedTerm, ...]
    """Terms with a fitted speed or change with temperature, in the order of these."""

    @property
    def names(self) -> tuple[str, ...]:
        """The sums of parameters, and the speeds."""
        return (*self.linear.names, *(term.name for term in self.terms))

    @property
    def units(self) -> tuple[str, ...]:
        """Of the same."""
        linear = self.linear.robot.limits.linear
        return (
            *self.linear.units,
            *(
                "1/K" if term.kind not in SPEED_OF else "m/s" if linear[term.axis] else "rad/s"
                for term in self.terms
            ),
        )

    @property
    def size(self) -> int:
        """Number of axes that move."""
        return self.linear.size

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield ``Y`` ``(N, size, p)`` and the right-hand side ``(N, size)`` [N m, N]."""
        p, law = len(self.linear.names), self.linear.robot.friction_model
        assert law is not None
        viscous = friction_columns(self.linear, VISCOUS)
        for Y, y, (_, v, temperature) in self.linear.with_states(pieces):
            whole = np.concatenate([Y, np.zeros((*y.shape, self.x.size - p))], axis=-1)
            right, factor = y.copy(), law.viscous_factor(temperature)
            for k, (axis, kind, i, column) in enumerate(self.terms, start=p):
                if kind in SPEED_OF:
                    unit, slope = unit_torque(kind, v[:, axis], self.x[k], factor[:, axis])
                    slope = self.x[column] * slope / self.x[k]
                    whole[:, i, column], whole[:, i, k] = unit, slope
                    right[:, i] += slope * self.x[k]
                else:  # after all speeds; the drive may load several axes
                    columns = [place for place in viscous[i].tolist() if place >= 0]
                    warmer = temperature[:, axis] - (law.reference_temperature or 0.0)
                    slopes = warmer[:, None] * (whole[:, :, columns] @ self.x[columns])
                    whole[:, :, k] = slopes
                    right += slopes * self.x[k]
            yield whole, right

    def without_speeds(self, total: Accumulator) -> Accumulator:
        """Return the factors of the torque equations at these speeds from those of these ones."""
        p = len(self.linear.names)
        matrix = np.delete(np.eye(self.x.size + 1), np.s_[p:-1], axis=1)
        matrix[p:-1, -1] = -self.x[p:]
        return total.change_columns(matrix, self.linear.names, self.linear.units)


class Linearized(NamedTuple):
    """Fit of speeds of friction laws, and the equations linearized there."""

    fit: Fit
    equations: SpeedEquations
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
            or samples do not determine it.
    """
    linearized = linearize(samples, rows, passes, axes)
    if linearized is None:
        raise InputError(NEEDS_FRICTION)
    return linearized.fit


def linearize(
    samples: Samples, rows: TorqueEquations, passes: int = 2, axes: Sequence[int] | None = None
) -> Linearized | None:
    """Return what :func:`stribeck_fit` does, and the equations linearized there, folded.

    Degressive speeds ``v_d`` of all drives that have one are fitted too. One that samples do not
    tell stays as it is: it runs to an end of its reach, or makes Coulomb or viscous friction
    negative.

    Returns:
        None if no speed is left to fit.
    """
    law, places = rows.robot.friction_model, friction_columns(rows)[:, :2]
    falling = [term for term in speed_terms(rows, "Fs-Fc") if axes is None or term.axis + 1 in axes]
    terms = [*falling, *speed_terms(rows, "Fd")]
    if (
        law is None
        or (places[[term.equation for term in terms]] < 0).any()
        or (axes is not None and len(falling) < len(axes))
    ):
        raise InputError(NEEDS_FRICTION)
    widest = (1.0 - AT_END) * WIDEST
    while terms:
        guess = np.array([getattr(law, SPEED_OF[term.kind])[term.axis] for term in terms])
        linearized, speeds = _linearized(samples, rows, terms, guess, passes)
        friction = linearized.fit.beta[places]
        determined = [
            term.kind == "Fs-Fc"
            or (1.0 / widest < ratio < widest and bool((friction[term.equation] >= 0.0).all()))
            for term, ratio in zip(terms, (speeds / guess).tolist(), strict=True)
        ]
        if all(determined):
            if (speeds > widest * guess).any():
                problem = (
                    f"Stribeck speeds {speeds.tolist()} are {WIDEST:g} times the guess"
                    f" {guess.tolist()} or more"
                )
                raise InputError(f"{problem}: too few samples are slow, or the guess is far off")
            return linearized
        terms = [term for term, one in zip(terms, determined, strict=True) if one]
    return None


def _linearized(
    samples: Samples,
    rows: TorqueEquations,
    terms: Sequence[SpeedTerm],
    guess: Array,
    passes: int,
) -> tuple[Linearized, Array]:
    """Fit some speeds; return them too as the search found them."""
    reach = np.zeros(rows.size)
    for term, speed in zip(terms, guess.tolist(), strict=True):
        reach[term.equation] = np.inf if term.kind == "Fd" else REACH * WIDEST * speed
    model = Residuals(
        samples.fold(
            partial(add_split, rows=rows, reach=reach),
            Split(rows.size, rows.names, rows.units),
        ),
        terms,
    )
    linear = model.accumulated(np.append(np.zeros(len(rows.names)), guess), rows)
    fit = weighted_least_squares(linear)
    x, noise = np.append(fit.beta, np.log(guess)), floor_noise(linear, fit.noise)
    for _ in range(passes):
        logs = _search(model, noise, x[fit.beta.size :], guess)
        x = np.append(model.eliminated(noise, logs)[2], logs)
        noise = floor_noise(linear, model.noise(x))
    speeds = np.exp(x[fit.beta.size :])
    near = SpeedEquations(rows, np.append(x[: fit.beta.size], speeds), tuple(terms))
    fit = least_squares(model.accumulated(near.x, near), 1.0 / np.square(noise), noise)
    # the last step may pass 0 where samples do not tell a speed
    step_is_small = bool((fit.beta[len(rows.names) :] > 0.0).all())
    final = replace(near, x=fit.beta) if step_is_small else near
    return Linearized(fit, final, model.accumulated(final.x, final)), speeds


def _search(model: Residuals, noise: Array, log_speeds: Array, guess: Array) -> Array:
    """Return the logarithms of the speeds that leave least, between the ends of their reach."""
    from scipy.optimize import least_squares

    reach = np.log(WIDEST)
    slowest = np.array([-np.inf if term.kind == "Fs-Fc" else -reach for term in model.terms])
    solution = least_squares(
        lambda x: model.eliminated(noise, x)[0],
        log_speeds,
        lambda x: model.eliminated(noise, x)[1],
        bounds=(np.log(guess) + slowest, np.log(guess) + reach),
        method="dogbox",
        x_scale="jac",
        xtol=1e-10,
        ftol=1e-12,
        gtol=1e-12,
    )
    return np.asarray(solution.x, dtype=float)
