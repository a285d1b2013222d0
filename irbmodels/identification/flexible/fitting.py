"""Fit the two masses of one elastic axis to torque and speed of its motor: S003 section 3.3.2, Table 3.1.

The model is that of three states with the sign of its A23 corrected; as S003 prints it, it is unstable whatever its parameters.
Its numbers are those of :class:`irbmodels.simulation.flexible.OneAxis`: S003's k and Ja are the arm-side ones times
``r = 1 / gear ratio``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from ...errors import InputError, UnknownName
from ...simulation.flexible import OneAxis
from . import model as law
from .model import LOGARITHMIC, PARAMETERS, Array
from .noise import Whiteness, colour, whiteness
from .samples import OneAxisData
from .search import PRECISE, ROUGH, TOLD, Problem, degrees_of, noise_of, search, without
from .starts import starts as starts_of

if TYPE_CHECKING:
    from .check import ResonanceCheck

Method = Literal["output-error", "prediction-error"]

USUAL = ("Jm", "Ja", "k", "fm")
"""What S003 estimates; it takes the friction of the link as 0."""
_SAME = 0.01  # relative difference of the parameters of one minimum
_BRAKED = -0.1  # correlation; friction makes it positive, the chance of few samples may make it a little negative


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
    """Of log Jm, log Ja, log k, and of fm, d, fa themselves, shape ``(p, p)``; residuals may be coloured."""
    method: Method
    gain: Array
    """K of the predictor ``x+ = A x + B u + K e`` in units of the states S003 has, shape ``(3, outputs)``; 0 for output error."""
    noise: Array
    """Standard deviation of the residual of each output, shape ``(outputs,)``."""
    residual: Array
    """Measured less simulated (output error) or predicted (prediction error), shape ``(N, outputs)``."""
    data: OneAxisData
    """What it was estimated from."""
    agreeing: tuple[int, int]
    """How many starts ended at this minimum, and how many there were."""
    statements: tuple[str, ...]
    """What these samples do not tell, and what to beware of."""

    @property
    def values(self) -> Array:
        """Estimates in SI units, shape ``(p,)``."""
        known = law.values_of(self.axis)
        return np.array([known[name] for name in self.names])

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each estimate."""
        return tuple(PARAMETERS[name] for name in self.names)

    @property
    def deviation(self) -> Array:
        """Standard deviation of each estimate, in its unit, shape ``(p,)``."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)) * self._unit, dtype=float)

    @property
    def correlation(self) -> Array:
        """Of the estimates, shape ``(p, p)``."""
        size = np.sqrt(np.diagonal(self.covariance))
        return np.asarray(self.covariance / np.outer(size, size), dtype=float)

    def intervals(self, level: float = 0.95) -> Array:
        """Lower and upper end of the confidence interval of each estimate, shape ``(p, 2)``; positive where it must be.

        Raises:
            InputError: if the level is not between 0 and 1.
        """
        from scipy.special import ndtri

        if not 0.0 < level < 1.0:
            raise InputError(f"a confidence level lies between 0 and 1, got {level!r}")
        half = float(ndtri(0.5 + 0.5 * level)) * np.sqrt(np.diagonal(self.covariance))
        ends = []
        for name, value, wide in zip(self.names, self.values, half, strict=True):
            by_factor = value * np.exp([-wide, wide])
            ends.append(by_factor if name in LOGARITHMIC else value + np.array([-wide, wide]))
        return np.array(ends)

    @property
    def antiresonance(self) -> Value:
        """Undamped frequency at which the motor stands still [Hz]."""
        return self._frequency(self.axis.antiresonance, {"k": 0.5, "Ja": -0.5})

    @property
    def resonance(self) -> Value:
        """Undamped frequency at which motor and link swing against each other [Hz]."""
        link = 1.0 / self.axis.inertia
        share = link / (link + 1.0 / self.axis.drive.reflected_inertia)
        return self._frequency(self.axis.resonance, {"k": 0.5, "Ja": -0.5 * share, "Jm": -0.5 * (1.0 - share)})

    def simulated(self, data: OneAxisData | None = None) -> Array:
        """Outputs of the model under the torque of ``data`` (default: the estimation data), shape ``(N, outputs)``.

        Of the measurements it sees only what fixes the start and the offsets.
        """
        chosen = self._of(data)
        return law.simulated(law.model_of(self.axis, chosen.outputs), chosen, chosen.measured)

    def percentage(self, data: OneAxisData | None = None) -> Array:
        """Fit of the simulated outputs [%], shape ``(outputs,)``: 100 is perfect, 0 is a constant."""
        chosen = self._of(data)
        return law.percentages(self.simulated(chosen), chosen.measured)

    def whiteness(self, output: int = 0, lags: int = 25) -> Whiteness:
        """Test the residual of an output, by its number from 0. After a high-pass no residual of an exact model is white."""
        return whiteness(self.residual[:, output], lags)

    def check(self, data: OneAxisData | None = None, segment: float | None = None) -> ResonanceCheck:
        """Compare with the frequency response that the samples have without any model; see :mod:`.flexible_check`."""
        from .check import resonance_check

        return resonance_check(self, self._of(data), segment)

    def report(self) -> str:
        """Return estimates, resonances and statements, one per line."""
        kind = "synthetic data" if self.data.synthetic else "data"
        fit = ", ".join(f"{name} {value:.2f} %" for name, value in zip(self.data.outputs, self.percentage(), strict=True))
        lines = [f"{self.method} fit of {len(self.data)} samples ({kind}); simulated: {fit}"]
        rows = zip(self.names, self.values, self.deviation, self.units, strict=True)
        lines += [f"{name:3s} {value:11.5g} +- {sd:.2g} {unit}" for name, value, sd, unit in rows]
        for name in ("antiresonance", "resonance"):
            value, sd = getattr(self, name)
            lines.append(f"{name} {value:.3f} +- {sd:.2g} Hz")
        return "\n".join([*lines, *(f"beware: {line}" for line in self.statements)])

    def __repr__(self) -> str:
        """Say what was found."""
        found = ", ".join(f"{name}={value:.5g}" for name, value in zip(self.names, self.values, strict=True))
        return f"<FlexibleFit, {self.method}: {found}>"

    @property
    def _unit(self) -> Array:
        return np.array([x if name in LOGARITHMIC else 1.0 for name, x in zip(self.names, self.values, strict=True)])

    def _frequency(self, value: float, slopes: dict[str, float]) -> Value:
        """Delta method: ``slopes`` are those of the logarithm of the frequency over the logarithms of parameters."""
        gradient = np.array([slopes.get(name, 0.0) for name in self.names])
        return Value(value, value * float(np.sqrt(gradient @ self.covariance @ gradient)))

    def _of(self, data: OneAxisData | None) -> OneAxisData:
        chosen = self.data if data is None else data
        if not isinstance(chosen, OneAxisData) or chosen.gear_ratio != self.axis.drive.gear_ratio:
            raise InputError(f"a fit is compared with OneAxisData of gear ratio {self.axis.drive.gear_ratio:g}, not {chosen!r}")
        return chosen


def flexible_fit(
    data: OneAxisData,
    initial: OneAxis | None = None,
    *,
    estimate: Sequence[str] = USUAL,
    method: Method = "output-error",
    starts: int = 4,
    passes: int = 2,
) -> FlexibleFit:
    """Fit the model with three states to torque and speed of the motor, and to a sensor on the arm if ``data`` have one.

    Output error takes all noise as added to the measurements. Prediction error, as S003's ``pem``, also estimates the gain K of
    a Kalman filter in innovations form, 3 numbers per output: better where torques disturb the arm that nobody measured, and
    right where a controller feeds noise back. Several outputs are weighted by the inverse of their noise.

    Args:
        data: Samples of one axis.
        initial: Where to start; it also has the parameters that are not estimated (default: 0 friction of gear and link).
        estimate: Names of ``Jm, Ja, k, fm, d, fa``; d is the damping of the gear, fa the friction of the link.
        method: ``output-error`` or ``prediction-error``.
        starts: How many models that resemble the measured frequency response to start from, without ``initial``.
        passes: How often the weights of several outputs are taken anew.

    Raises:
        UnknownName: if there is no such parameter or method.
        InputError: if ``initial`` has another gear ratio or is missing where it is needed, or the samples do not tell the
            parameters apart; the message names them.
    """
    names = _checked(data, initial, estimate, method, starts, passes)
    together = float(np.corrcoef(data.torque, data.speed)[0, 1])
    if together < _BRAKED and method == "output-error":
        told = f"torque and speed have opposite signs (correlation {together:.2f}), as no motor has that moves an arm"
        raise InputError(f"{told}; turn one round, or use prediction-error where a controller brakes what something else moves")
    weights = 1.0 / data.measured.std(axis=0)
    tries = [initial] if initial is not None else starts_of(data, starts)
    if not tries:
        raise InputError("no two-mass model resembles these samples: give initial, or samples that excite the resonance")
    problems = [Problem(data, start, names, weights) for start in tries]
    found = [(*search(problem, problem.first, ROUGH), problem) for problem in problems]
    x, _, problem = min(found, key=lambda one: one[1])
    searched = [i for i, name in enumerate(names) if name in LOGARITHMIC]
    agreeing = sum(bool(np.abs(other[searched] - x[searched]).max(initial=0.0) < _SAME) for other, _, _ in found)
    if method == "prediction-error":
        x = np.append(x, np.zeros(3 * len(data.outputs)))
    for _ in range(passes if len(data.outputs) > 1 else 1):
        if len(data.outputs) > 1:
            problem.weights = 1.0 / np.maximum(noise_of(problem, x), 1e-9 / weights)
        x, _ = search(problem, x, PRECISE)
    return _finished(problem, x, names, method, (agreeing, len(tries)))


def _checked(
    data: OneAxisData, initial: OneAxis | None, estimate: Sequence[str], method: str, starts: int, passes: int
) -> tuple[str, ...]:
    if not isinstance(data, OneAxisData):
        raise InputError(f"flexible_fit takes OneAxisData, not {type(data).__name__}")
    for name in estimate:
        if name not in PARAMETERS:
            raise UnknownName("parameter", name, PARAMETERS)
    names = tuple(name for name in PARAMETERS if name in estimate)
    if not names or len(names) != len(tuple(estimate)):
        raise InputError(f"estimate needs different names of parameters, at least one, got {tuple(estimate)}")
    if method not in get_args(Method):
        raise UnknownName("method", method, get_args(Method))
    for what, number in (("starts", starts), ("passes", passes)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InputError(f"{what} is a positive whole number, not {number!r}")
    if initial is None and not set(USUAL) <= set(names):
        missing = ", ".join(name for name in USUAL if name not in names)
        raise InputError(f"{missing} would not be estimated: give initial, an OneAxis that has it")
    if initial is not None and (not isinstance(initial, OneAxis) or initial.drive.gear_ratio != data.gear_ratio):
        raise InputError(f"initial is an OneAxis with the gear ratio of the data, {data.gear_ratio:g}, not {initial!r}")
    return names


def _finished(problem: Problem, x: Array, names: tuple[str, ...], method: Method, agreeing: tuple[int, int]) -> FlexibleFit:
    from .check import statements

    data, p = problem.data, len(names)
    told = problem(x)
    assert told is not None
    slopes = told.slopes.reshape(x.size, -1).T
    if x.size > p:  # the gain is found beside the parameters: what it explains says nothing about them
        slopes = without(slopes[:, p:], slopes[:, :p])
    size = np.linalg.norm(slopes, axis=0)
    silent = [name for name, length in zip(names, size, strict=True) if not length > 0.0]
    if silent:
        raise InputError(f"these samples say nothing about {', '.join(silent)}")
    U, singular, Vt = np.linalg.svd(slopes / size, full_matrices=False)
    if singular[-1] < TOLD:
        mixed = ", ".join(name for name, part in zip(names, Vt[-1], strict=True) if abs(part) > 0.1)
        raise InputError(f"these samples do not tell apart: {mixed}; excite the resonance, or estimate fewer parameters")
    degrees = degrees_of(problem, x)
    half = (Vt.T / singular).T / size  # covariance of independent residuals with variance 1 is half' half
    residual = told.residual / problem.weights
    covariance = np.zeros((p, p))
    outputs = len(data.outputs)
    for o in range(outputs):
        weighted = U.reshape(len(data), outputs, p)[:, o] * problem.weights[o]
        shaped = colour(residual[:, o]).shaped(weighted) @ half
        covariance += shaped.T @ shaped * len(data) / degrees
    gain = problem.gain(x) if x.size > p else np.zeros((3, outputs))
    fit = FlexibleFit(
        *(problem.axis(x), names, covariance, method, gain * problem.scale[:, None], noise_of(problem, x)),
        *(residual, data, agreeing, ()),
    )
    object.__setattr__(fit, "statements", statements(fit))
    return fit
