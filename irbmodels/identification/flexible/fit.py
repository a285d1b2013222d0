"""Fit of one elastic axis: estimates with covariance, resonances, simulation, validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ...simulation.flexible import OneAxis
from . import model as linear_model
from .model import LOGARITHMIC, PARAMETERS
from .noise import Whiteness, whiteness
from .samples import OneAxisData

Method = Literal["output-error", "prediction-error"]


class Value(NamedTuple):
    """A number and its standard deviation."""

    value: float
    deviation: float


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleFit:
    """A fitted two-mass model and how sure it is. Made by :func:`flexible_fit`."""

    axis: OneAxis
    """The model; its inertia belongs to the posture of the experiment."""
    names: tuple[str, ...]
    """Of the estimated parameters: Jm, fm on the motor side; Ja, k, d, fa on the arm side."""
    covariance: Array
    """Of log Jm, log Ja, log k, and of fm, d, fa themselves, shape ``(p, p)``.

    Residuals may be coloured.
    """
    method: Method
    gain: Array
    """K of the predictor ``x+ = A x + B u + K e`` in the units of S003's states, ``(3, outputs)``.

    0 for output error.
    """
    noise: Array
    """Standard deviation of the residual of each output, shape ``(outputs,)``."""
    residual: Array
    """Measured less simulated (output error) or predicted (prediction error), ``(N, outputs)``."""
    data: OneAxisData
    """Samples that it was estimated from."""
    agreeing: tuple[int, int]
    """Number of starts that ended at this minimum, and of all starts."""
    findings: tuple[str, ...]
    """Warnings: parameters that these samples determine badly or not at all."""

    @property
    def values(self) -> Array:
        """Estimates in SI units, shape ``(p,)``."""
        known = linear_model.parameters_of(self.axis)
        return np.array([known[name] for name in self.names])

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each estimate."""
        return tuple(PARAMETERS[name] for name in self.names)

    @property
    def deviation(self) -> Array:
        """Standard deviation of each estimate, in its unit, shape ``(p,)``."""
        unit = np.where(np.isin(self.names, LOGARITHMIC), self.values, 1.0)
        return np.asarray(np.sqrt(np.diagonal(self.covariance)) * unit, dtype=float)

    @property
    def correlation(self) -> Array:
        """Of the estimates, shape ``(p, p)``."""
        size = np.sqrt(np.diagonal(self.covariance))
        return np.asarray(self.covariance / np.outer(size, size), dtype=float)

    def intervals(self, level: float = 0.95) -> Array:
        """Lower and upper end of the confidence interval of each estimate, shape ``(p, 2)``.

        Positive where it must be.

        Raises:
            InputError: if the level is not between 0 and 1.
        """
        from scipy.special import ndtri

        if not 0.0 < level < 1.0:
            raise InputError(f"a confidence level lies between 0 and 1, got {level!r}")
        half = float(ndtri(0.5 + 0.5 * level)) * np.sqrt(np.diagonal(self.covariance))
        ends = half[:, None] * [-1.0, 1.0]
        logarithmic = np.isin(self.names, LOGARITHMIC)[:, None]
        values = self.values[:, None]
        return np.asarray(np.where(logarithmic, values * np.exp(ends), values + ends))

    @property
    def antiresonance(self) -> Value:
        """Undamped frequency at which the motor stands still [Hz]."""
        return self._frequency(self.axis.antiresonance, {"k": 0.5, "Ja": -0.5})

    @property
    def resonance(self) -> Value:
        """Undamped frequency at which motor and link swing against each other [Hz]."""
        link = 1.0 / self.axis.inertia
        share = link / (link + 1.0 / self.axis.drive.reflected_inertia)
        return self._frequency(
            self.axis.resonance, {"k": 0.5, "Ja": -0.5 * share, "Jm": -0.5 * (1.0 - share)}
        )

    def simulated(self, data: OneAxisData | None = None) -> Array:
        """Outputs of the model under the torque of ``data``, shape ``(N, outputs)``.

        Default is the estimation data. The measurements fix only initial state and offsets.
        """
        chosen = self._checked(data)
        return linear_model.simulate(
            linear_model.output_model(self.axis, chosen.outputs), chosen, chosen.measured
        )

    def percentage(self, data: OneAxisData | None = None) -> Array:
        """Fit of the simulated outputs [%], ``(outputs,)``: 100 is perfect, 0 is a constant."""
        chosen = self._checked(data)
        return linear_model.fit_percentages(self.simulated(chosen), chosen.measured)

    def whiteness(self, output: int = 0, lags: int = 25) -> Whiteness:
        """Test the residual of an output, by its number from 0.

        After a high-pass no residual of an exact model is white.
        """
        return whiteness(self.residual[:, output], lags)

    def report(self) -> str:
        """Return estimates, resonances and findings, one per line."""
        kind = "synthetic data" if self.data.synthetic else "data"
        fit = ", ".join(
            f"{name} {value:.2f} %"
            for name, value in zip(self.data.outputs, self.percentage(), strict=True)
        )
        lines = [f"{self.method} fit of {len(self.data)} samples ({kind}); simulated: {fit}"]
        rows = zip(self.names, self.values, self.deviation, self.units, strict=True)
        lines += [f"{name:3s} {value:11.5g} +- {sd:.2g} {unit}" for name, value, sd, unit in rows]
        for name in ("antiresonance", "resonance"):
            value, sd = getattr(self, name)
            lines.append(f"{name} {value:.3f} +- {sd:.2g} Hz")
        return "\n".join([*lines, *(f"beware: {line}" for line in self.findings)])

    def __repr__(self) -> str:
        """Return method and estimates in one line."""
        estimates = ", ".join(
            f"{name}={value:.5g}" for name, value in zip(self.names, self.values, strict=True)
        )
        return f"<FlexibleFit, {self.method}: {estimates}>"

    def _frequency(self, value: float, slopes: dict[str, float]) -> Value:
        """Delta method with ``slopes`` of the logarithm of the frequency by those of parameters."""
        gradient = np.array([slopes.get(name, 0.0) for name in self.names])
        return Value(value, value * float(np.sqrt(gradient @ self.covariance @ gradient)))

    def _checked(self, data: OneAxisData | None) -> OneAxisData:
        chosen = self.data if data is None else data
        if not isinstance(chosen, OneAxisData) or chosen.gear_ratio != self.axis.drive.gear_ratio:
            raise InputError(
                f"a fit is compared with OneAxisData of gear ratio {self.axis.drive.gear_ratio:g},"
                f" not {chosen!r}"
            )
        return chosen
