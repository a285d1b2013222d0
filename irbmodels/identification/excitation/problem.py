"""Excitation by one family of motions of one robot, as functions of the parameters.

Samples, criterion and limits; those of a search are fewer than those of the verification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...trajectory.fourier import Maps
from .bounds import LinearConstraints, MotionLimits
from .parametrizations import Family
from .regressor import BaseRegressor, Gradient, criterion_of

PER_CYCLE = 20  # samples of the search per cycle; ten times as many are verified
FINER = 10
SCAN = 12  # steps in which the first limit on the way is looked for
CLOSE = 1e-6  # of the scale, the tolerance of a first limit
ROUNDING = 1e-9  # of a share
SCALES = (1.0, 0.98, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1)  # of a motion that may touch


@dataclass(eq=False)
class ExcitationProblem:
    """One family of motions of one robot under its limits."""

    family: Family
    base: BaseParameters
    """Parameters to be identified; their axes move."""
    regressor: BaseRegressor
    limits: MotionLimits
    posture: Array
    """Centre of random motions, and position of the other axes [rad, m], ``(n,)``."""

    def __post_init__(self) -> None:
        """Lay out the samples, and check the posture.

        Raises:
            InputError: if the posture itself does not keep the limits.
        """
        count = PER_CYCLE * self.family.cycles
        self.rate = FINER * count / self.family.duration
        """Of the verified samples [Hz]."""
        self.coarse: Maps = self.family.maps(
            (np.arange(count) + 0.5) * (self.family.duration / count)
        )
        self.times: Array = np.arange(FINER * count + 1) / self.rate
        self.times[-1] = self.family.duration
        self.fine: Maps = self.family.maps(self.times)
        self.centre = self.family.at_rest(self.posture)
        rest = np.zeros((1, self.posture.size))
        largest = {
            kind: float(np.nan_to_num(shares, nan=np.inf).max())
            for kind, shares in self.limits.largest_shares(self.posture[None], rest, rest).items()
        }
        worst = max(largest, key=lambda kind: largest[kind])
        advice = "give another posture to move about, inside all limits"
        where = f"at {self.posture.round(4).tolist()}"
        if largest[worst] >= self.limits.bounds.share:
            raise InputError(
                f"standing {where} already takes {largest[worst]:.0%} of a {worst} limit; {advice}"
            )
        if not self.limits.is_clear(self.posture[None]):
            raise InputError(f"{where} the robot touches itself; {advice}")

    # --- motions

    def states(self, x: Array, maps: Maps) -> tuple[Array, Array, Array]:
        """Return the states ``(N, n)`` of parameters ``(size, n)``."""
        return maps.q @ x, maps.v @ x, maps.a @ x

    def random_direction(self, rng: np.random.Generator) -> Array:
        """Return parameters N(0, 1) of the axes that move, 0 of the others."""
        x = np.zeros_like(self.centre)
        x[:, list(self.base.axes)] = self.family.random(rng, len(self.base.axes))
        return x

    def random_start(self, rng: np.random.Generator) -> Array:
        """Return a random motion up to the first limit, all axes using theirs alike."""
        direction = self.random_direction(rng)
        changes = [np.abs(change) for _, change in self._linear_shares(direction, self.coarse)]
        n = direction.shape[1]  # bounds of sums come after the ranges of axes; scaling keeps them
        far = np.max([change[:, :n].max(axis=0) for change in changes], axis=0)
        return self.scale_to_limits(direction / np.where(far > 0.0, far, 1.0), self.coarse)

    def _linear_shares(self, direction: Array, maps: Maps) -> list[tuple[Array, Array]]:
        """Shares that are linear in the parameters: at rest ``(1, n)``, added ``(N, n)``."""
        q, v, a = self.states(self.centre + direction, maps)
        rest = self.limits.shares(self.posture[None], 0.0 * v[:1], 0.0 * a[:1])
        moving = self.limits.shares(q, v, a)
        return [
            (one.values, other.values - one.values)
            for one, other in zip(rest, moving, strict=True)
            if other.kind in ("range", "speed", "acceleration")
        ]

    def scale_to_limits(self, direction: Array, maps: Maps, most: float = np.inf) -> Array:
        """Return the motion in a direction up to the first limit, or to ``most`` of the direction.

        Every axis that moves has a speed limit.
        """
        allowed = self.limits.bounds.share
        for rest, change in self._linear_shares(direction, maps):
            with np.errstate(divide="ignore"):
                scales = (allowed - np.sign(change) * rest) / np.abs(change)
            most = min(most, float(scales.min()))
        low, high = 0.0, most
        for high in np.linspace(0.0, most, SCAN + 1)[1:].tolist():
            if not self._within_limits(direction, high, maps):
                break
            low = high
        while high - low > CLOSE * most:
            middle = 0.5 * (low + high)
            if self._within_limits(direction, middle, maps):
                low = middle
            else:
                high = middle
        return np.asarray(self.centre + low * direction)

    def _within_limits(self, direction: Array, scale: float, maps: Maps) -> bool:
        shares = self.limits.largest_shares(*self.states(self.centre + scale * direction, maps))
        largest = max(float(values.max()) for values in shares.values())
        return largest <= self.limits.bounds.share + ROUNDING

    def shrink_to_limits(self, x: Array) -> Array | None:
        """Return a motion nearer to the posture that keeps all limits in the verified samples.

        None where all of them touch.
        """
        direction = self.scale_to_limits(x - self.centre, self.fine, most=1.0) - self.centre
        for scale in SCALES:
            nearer = np.asarray(self.centre + scale * direction)
            if self._within_limits(direction, scale, self.fine) and self.limits.is_clear(
                self.fine.q @ nearer
            ):
                return nearer
        return None

    # --- search

    def value(self, x: Array, criterion: str) -> float:
        """Criterion over the verified samples."""
        return criterion_of(criterion).exact(self.regressor.stacked(*self.states(x, self.fine)))

    def objective(self, x: Array, smooth: Callable[[Array], Gradient]) -> tuple[float, Array]:
        """Smooth criterion over the search's samples, and its derivatives, ``(size, n)``."""
        states = self.states(x, self.coarse)
        value, gradient = smooth(self.regressor.stacked(*states))
        back = self.regressor.backwards(*states, gradient)
        parts = [rows.T @ by for rows, by in zip(self.coarse[:3], back, strict=True)]
        return value, np.asarray(sum(parts))

    def constraints(self, x: Array, obstacles: Sequence[LinearConstraints] = ()) -> Array:
        """Margin to every limit, and to every obstacle; negative if exceeded."""
        shares = self.limits.shares(*self.states(x, self.coarse))
        room = [self.limits.bounds.share - one.smooth_maximum()[0] for one in shares]
        beyond = [
            (self.family.maps(one.times).q @ x * one.normals).sum(axis=1) + one.offsets
            for one in obstacles
        ]
        return np.concatenate([*room, *beyond])

    def constraint_jacobian(self, x: Array, obstacles: Sequence[LinearConstraints] = ()) -> Array:
        """Derivatives of :meth:`constraints` by the parameters, shape ``(K, size, n)``."""
        shares = self.limits.shares(*self.states(x, self.coarse))
        room = [-one.parameter_gradient(one.smooth_maximum()[1], self.coarse[:3]) for one in shares]
        beyond = [
            self.family.maps(one.times).q[:, :, None] * one.normals[:, None, :] for one in obstacles
        ]
        return np.concatenate([*room, *beyond])
