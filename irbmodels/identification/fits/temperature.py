"""Friction that changes with the temperature of its drive: what samples tell of it, and its fit.

Gauss-Newton over ``per_K`` and all that is linear; between its steps speeds of friction laws are
searched for at the temperatures of the samples (:mod:`.nonlinear`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array, Mask
from .nonlinear import Linearized, SpeedEquations, linearize
from .regression import weighted_least_squares
from .streaming import Samples, accumulate
from .stribeck_residuals import NONLINEAR, SpeedTerm, friction_columns
from .torque_equations import TorqueEquations

# [K] sensors of drives show 1 K and less; viscous friction changes by 1 to 5 % per kelvin
SPAN = 2.0
# shares of the samples that are colder and warmer than what counts: one bad cell is no range
ENDS = (0.02, 0.98)
STEPS = 20  # of Gauss-Newton; 4 to 6 are usual
CLOSE = 1e-3  # standard deviations, of the last step


class DriveTemperatures(NamedTuple):
    """Temperatures of drives over samples [deg C], shape ``(n,)`` each.

    NaN where a sample has none.
    """

    low: Array
    high: Array
    middle: Array
    """Mean."""
    some: Mask
    """True if some samples have one."""

    @property
    def vary(self) -> Mask:
        """True for drives whose temperature is known and varies enough to look for its effect."""
        return np.asarray(self.high - self.low >= SPAN, dtype=bool)


def drive_temperatures(samples: Samples) -> DriveTemperatures:
    """Return the temperatures of drives over samples in memory."""
    pieces = [piece for log in samples.logs for piece in samples.read(log)]
    parts = (piece.temperature for piece in pieces)
    values = np.concatenate(
        [
            np.full(np.shape(piece.q), np.nan) if part is None else part
            for piece, part in zip(pieces, parts, strict=True)
        ]
    )
    low, high = np.quantile(values, ENDS, axis=0)
    return DriveTemperatures(low, high, values.mean(axis=0), np.isfinite(values).any(axis=0))


def with_values(
    rows: TorqueEquations, terms: Sequence[SpeedTerm], values: Array
) -> TorqueEquations:
    """Return equations of the robot whose law has other speeds and changes with temperature."""
    law = rows.robot.friction_model
    assert law is not None
    changed: dict[str, Any] = {name: getattr(law, name).copy() for name in NONLINEAR.values()}
    for term, value in zip(terms, values.tolist(), strict=True):
        changed[NONLINEAR[term.kind]][term.axis] = value
    return replace(rows, robot=rows.robot.with_friction(replace(law, **changed)))


def fit_temperature(
    samples: Samples, rows: TorqueEquations, axes: Sequence[int], speeds_known: bool = False
) -> Linearized:
    """Fit the change of viscous friction of drives with temperature, and the speeds of all laws.

    Args:
        samples: With temperatures of these drives.
        rows: Equations with friction among the base parameters, of a law that has a reference
            temperature; its ``per_K`` and speeds are the first guess.
        axes: Axes of the drives, 0-based.
        speeds_known: True for speeds that stay as they are.

    Raises:
        InputError: if samples cannot separate the parameters, or the search does not come to an
            end.
    """
    viscous = friction_columns(rows, ["Fv"])[:, 0]
    warm = [
        SpeedTerm(axis, "Fv", i, int(viscous[i]))
        for i, axis in enumerate(rows.base.axes)
        if axis in axes
    ]
    law = rows.robot.friction_model
    assert law is not None
    values, known = law.per_K[[term.axis for term in warm]], False
    beta = weighted_least_squares(accumulate(samples, rows)).beta
    speeds: tuple[SpeedTerm, ...] = ()
    of_speeds = np.zeros(0)
    for _ in range(STEPS):
        if (
            known and not speeds_known
        ):  # roughly, so that a speed does not stand for a change with temperature
            linearized = linearize(samples, rows)
            if linearized is not None:
                speeds = linearized.equations.terms
                beta, of_speeds = np.split(linearized.equations.x, [rows.base.rank])
                rows = with_values(rows, speeds, of_speeds)
        terms = (*speeds, *warm)
        equations = SpeedEquations(rows, np.concatenate([beta, of_speeds, values]), terms)
        total = accumulate(samples, equations)
        fit = weighted_least_squares(total)
        new, deviation = fit.beta[-len(warm) :], fit.deviation[-len(warm) :]
        if known and (np.abs(new - values) <= CLOSE * deviation).all():
            return Linearized(fit, equations, total)
        beta, values, known = fit.beta[: rows.base.rank], new, True
        rows = with_values(rows, warm, values)
    raise InputError(
        f"no change of viscous friction with temperature is found for {_names(warm)}: samples do"
        " not tell it; take friction stribeck, or leave columns of temperature out"
    )


def _names(terms: Sequence[SpeedTerm]) -> str:
    return ", ".join(term.name for term in terms)
