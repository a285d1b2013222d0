"""Verdict on a set of parameters: levels, accuracy, coverage of the logs, uncertainty."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from ...model.provenance import Level
from ...model.springs import Spring
from ...model.types import Array
from ...trajectory import Motion
from ...trajectory.torque_prediction import Accuracy
from ..fits.friction_selection import FrictionChoice
from ..fits.spring_selection import SpringChoice
from .mistakes import Mistake, Visible
from .residuals import Dependence, Whiteness

LEVELS: tuple[Level, ...] = get_args(Level)
Significance = Literal["significant", "weak", "insignificant"]


class PredictedTorques(NamedTuple):
    """Torques [N m, N] of the evaluated axes along a segment of a log, shape ``(N, size)`` each."""

    motion: Motion
    measured: Array
    """NaN where a torque is left out."""
    predicted: Array
    previous: Array
    """Predicted by the previous set."""
    half_width: Array | None = None
    """Of the 95 % band of a measurement about ``predicted``; None without a covariance."""


class BaseParameterEstimate(NamedTuple):
    """Estimate of a base parameter or a Stribeck speed, with its uncertainty."""

    name: str
    unit: str
    estimate: float
    deviation: float
    low: float
    """Lower end of the 95 % confidence interval."""
    high: float
    """Upper end."""
    previous: float
    """Value in the previous set; NaN if unknown."""
    significance: Significance
    """``significant``: deviation up to 10 %; ``weak``: up to 50 %; else ``insignificant``."""

    @property
    def changed(self) -> bool:
        """True if the interval excludes the previous value; False if that is unknown."""
        return bool(self.previous < self.low or self.previous > self.high)


class Limitation(NamedTuple):
    """Finding that holds a level down."""

    message: str
    level: Level
    """The best level with it."""
    axis: int | None = None
    """0-based; None concerns the whole set."""
    gain: float = 0.0
    """Unexplained share of the axis' torque that would go with it."""


class Coverage(NamedTuple):
    """Coverage of the logs [SI] per evaluated axis, shape ``(size,)`` each."""

    low: Array
    high: Array
    span: Array
    """Covered share of the range of positions; NaN where no range is known."""
    speed: Array
    """Largest."""
    speed_share: Array
    """Of the rated speed; NaN where none is known."""
    acceleration: Array
    """Largest."""
    slow: Array
    """Share of the usable torques below twice the Stribeck speed; NaN if there is none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Verdict:
    """Levels of a set of parameters, with the accuracy, coverage and uncertainty behind them."""

    robot: str
    axes: tuple[int, ...]
    """Evaluated axes, 0-based; arrays ``(size,)`` are in their order."""
    units: tuple[str, ...]
    """Of their torques."""
    held_out: Accuracy
    estimation: Accuracy | None
    """On the samples of the fit."""
    previous: Accuracy | None
    """Of the previous set, on held-out samples."""
    whiteness: Whiteness
    """Of the residuals on held-out samples."""
    dependence: Dependence
    """Of the same residuals on the state."""
    coverage: Coverage
    condition: float | None
    """Of the weighted regressor with columns of unit length; None without a fit."""
    estimates: tuple[BaseParameterEstimate, ...]
    unidentifiable: tuple[str, ...]
    """Parameters of bodies that have no influence on the torques of these axes."""
    impossible_bodies: tuple[str, ...] | None
    """Links with physically impossible parameters; None without a fit."""
    impossible_in_prior: dict[str, str]
    """Links with physically impossible parameters in the robot's own set, with the reason."""
    negative_parameters: tuple[str, ...]
    """Negative parameters of friction and rotors."""
    distance: float | None
    """Standard deviations per base parameter between the set and the unconstrained fit."""
    flagged: dict[str, float]
    """Share of the samples with each flag on an evaluated axis."""
    samples: int
    held_samples: int
    logs: tuple[PredictedTorques, ...]
    """Held-out samples."""
    notes: tuple[str, ...]
    """Terms of friction and rotors in the fit; without a fit, a missing friction law."""
    friction: tuple[FrictionChoice, ...] = ()
    """Per axis what was tried of its friction law, and what was chosen; none without a choice."""
    springs: tuple[SpringChoice, ...] = ()
    """Per axis that may have a spring what was tried, and what was chosen."""
    sprung: tuple[Spring, ...] = ()
    """Springs that were found, with estimated coefficients and geometry."""
    unexplained: Array
    """Share of the torque that is unexplained beyond noise (:func:`.unexplained_share`)."""
    mistakes: tuple[Mistake, ...] = ()
    """Mistakes in the logs, or in the set, that explain residuals."""
    visible: Visible | None = None
    """Smallest mistakes that the logs would show, of all axes; None where others hide them."""
    limitations: tuple[Limitation, ...] = ()
    """Findings that hold the levels down (:func:`.limitations_of`), the worst first."""

    @property
    def levels(self) -> tuple[Level, ...]:
        """Level of each evaluated axis, in their order."""
        return tuple(
            _worst(one.level for one in self.limitations if one.axis == axis) for axis in self.axes
        )

    @property
    def level(self) -> Level:
        """Level of the set: that of its worst axis, and of what concerns it whole."""
        return _worst(one.level for one in self.limitations)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Limitations that keep the set from being good, in the order of severity and gain."""
        return self._messages(("usable", "poor", "wrong"))

    @property
    def improvements(self) -> tuple[str, ...]:
        """Limitations that keep a good set from being a reference, in the order of gain."""
        return self._messages(("good",))

    def _messages(self, levels: tuple[Level, ...]) -> tuple[str, ...]:
        messages = (one.message for one in self.limitations if one.level in levels)
        return tuple(dict.fromkeys(messages))

    @property
    def inside(self) -> Array | None:
        """Share of the held-out torques within the 95 % band, ``(size,)``; None without a band.

        NaN on an axis that has none.
        """
        if any(part.half_width is None for part in self.logs):
            return None
        residual = self.residual()
        half = np.concatenate([np.asarray(part.half_width) for part in self.logs])
        known = np.isfinite(residual) & np.isfinite(half)
        within = (known & (np.abs(residual) <= half)).sum(axis=0)
        count = known.sum(axis=0)
        return np.where(count > 0, within / np.maximum(count, 1), np.nan)

    def residual(self) -> Array:
        """Measured less predicted torques on held-out samples, ``(N, size)``.

        NaN where a torque is left out.
        """
        return np.concatenate([part.measured - part.predicted for part in self.logs])

    def state(self, quantity: str) -> Array:
        """``q``, ``v`` or ``a`` of held-out samples, ``(N, n)``."""
        return np.concatenate([np.asarray(getattr(part.motion, quantity)) for part in self.logs])


def _worst(levels: Iterable[Level]) -> Level:
    return max(levels, key=LEVELS.index, default="reference")
