"""Verdict on a set of parameters, values only: accuracy of its predictions, coverage of its logs, uncertainty of its sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ...model.types import Array
from ...trajectory import Motion
from ...trajectory.torque_prediction import Accuracy
from .residuals import Dependence, Whiteness

State = Literal["determined", "poor", "open"]


class Predicted(NamedTuple):
    """Stretch of a log with the torques of the axes that count: measured, predicted by a set and by the one before [N m, N]."""

    motion: Motion
    tau: Array
    """Measured, ``(N, size)``."""
    model: Array
    before: Array


class Sum(NamedTuple):
    """Base parameter, a sum of parameters that torques depend on, with its estimate."""

    name: str
    unit: str
    estimate: float
    deviation: float
    low: float
    """Ends of the 95 % interval."""
    high: float
    previous: float
    """NaN where there was none."""
    state: State
    """``determined``: to 10 %; ``poor``: its interval leaves 0 out, hardly; ``open``: it may as well be 0."""

    @property
    def moved(self) -> bool:
        """Whether its interval leaves the previous value out.

        One that nobody knew has not moved.
        """
        return bool(self.previous < self.low or self.previous > self.high)


class Coverage(NamedTuple):
    """Positions, speeds and accelerations that the logs cover, per axis that counts, shape ``(size,)`` each, SI."""

    low: Array
    high: Array
    span: Array
    """Share of the range, of what the range is one of."""
    speed: Array
    """Largest."""
    speed_share: Array
    acceleration: Array
    slow: Array
    """Share of the samples below twice the Stribeck speed; NaN without one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Verdict:
    """Accuracy, coverage and uncertainty of a set of parameters, and the reasons against it."""

    robot: str
    axes: tuple[int, ...]
    """That count, 0-based; arrays ``(size,)`` are in their order."""
    units: tuple[str, ...]
    """Of their torques."""
    held_out: Accuracy
    estimation: Accuracy | None
    before: Accuracy | None
    """Of the previous set, on what is held out."""
    whiteness: Whiteness
    """Of the residuals on what is held out, as is the dependence."""
    dependence: Dependence
    coverage: Coverage
    condition: float | None
    """Of the weighted regressor with unit columns; None without a fit."""
    sums: tuple[Sum, ...]
    silent: tuple[str, ...]
    """Parameters on which no torque of these axes depends."""
    bodies: tuple[str, ...] | None
    """Links of the set that no body can be; None without a fit."""
    impossible: dict[str, str]
    """Links of the robot's own set, the prior of a fit, that no body can be, with the reason."""
    driving: tuple[str, ...]
    """Parameters of friction and rotors that are negative, so that they would drive the axis."""
    distance: float | None
    """By how many standard deviations, per sum, the set is off the unconstrained fit."""
    flagged: dict[str, float]
    """Share of the samples with each flag on an axis that counts."""
    samples: int
    held_samples: int
    logs: tuple[Predicted, ...]
    """What is held out."""
    told: tuple[str, ...]
    """Which friction and rotors a fit had; without one, whether friction is unknown."""
    reasons: tuple[str, ...] = ()

    @property
    def trustworthy(self) -> bool:
        """True if there is no reason against the set."""
        return not self.reasons

    def residual(self) -> Array:
        """Measured less predicted torques of what is held out, ``(N, size)``."""
        return np.concatenate([part.tau - part.model for part in self.logs])

    def state(self, quantity: str) -> Array:
        """``q``, ``v`` or ``a`` of what is held out, ``(N, n)``."""
        return np.concatenate([np.asarray(getattr(part.motion, quantity)) for part in self.logs])
