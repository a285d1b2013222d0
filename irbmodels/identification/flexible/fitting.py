"""Fit the two masses of one elastic axis to torque and speed of its motor: S003 section 3.3.2, Table 3.1.

The model is that of three states with the sign of its A23 corrected; as S003 prints it, it is
unstable whatever its parameters. Its numbers are those of
:class:`irbmodels.simulation.flexible.OneAxis`: S003's k and Ja are the arm-side ones times ``r = 1
/ gear ratio``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from ...errors import InputError, UnknownName
from ...model.types import Array
from ...simulation.flexible import OneAxis
from .check import statements
from .fit import FlexibleFit, Method
from .model import LOGARITHMIC, PARAMETERS
from .noise import colour
from .samples import OneAxisData
from .search import PRECISE, ROUGH, TOLD, Problem, degrees_of, noise_of, search, without
from .starts import starts as starts_of

USUAL = ("Jm", "Ja", "k", "fm")
"""What S003 estimates; it takes the friction of the link as 0."""
_SAME = 0.01  # relative difference of the parameters of one minimum
# correlation; friction makes it positive, the chance of few samples may make it a little negative
_BRAKED = -0.1


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

    Output error takes all noise as added to the measurements. Prediction error, as S003's ``pem``,
    also estimates the gain K of a Kalman filter in innovations form, 3 numbers per output: better
    where torques disturb the arm that nobody measured, and right where a controller feeds noise
    back. Several outputs are weighted by the inverse of their noise.

    Args:
        data: Samples of one axis.
        initial: Where to start; it also has the parameters that are not estimated (default: 0
            friction of gear and link).
        estimate: Names of ``Jm, Ja, k, fm, d, fa``; d is the damping of the gear, fa the friction
            of the link.
        method: ``output-error`` or ``prediction-error``.
        starts: How many models that resemble the measured frequency response to start from, without
            ``initial``.
        passes: How often the weights of several outputs are taken anew.

    Raises:
        UnknownName: if there is no such parameter or method.
        InputError: if ``initial`` has another gear ratio or is missing where it is needed, or the
            samples do not tell the parameters apart; the message names them.
    """
    names = _checked(data, initial, estimate, method, starts, passes)
    together = float(np.corrcoef(data.torque, data.speed)[0, 1])
    if together < _BRAKED and method == "output-error":
        told = (
            f"torque and speed have opposite signs (correlation {together:.2f}), as no motor has"
            " that moves an arm"
        )
        raise InputError(
            f"{told}; turn one round, or use prediction-error where a controller brakes what"
            " something else moves"
        )
    weights = 1.0 / data.measured.std(axis=0)
    tries = [initial] if initial is not None else starts_of(data, starts)
    if not tries:
        raise InputError(
            "no two-mass model resembles these samples: give initial, or samples that excite the"
            " resonance"
        )
    problems = [Problem(data, start, names, weights) for start in tries]
    found = [(*search(problem, problem.first, ROUGH), problem) for problem in problems]
    x, _, problem = min(found, key=lambda one: one[1])
    searched = [i for i, name in enumerate(names) if name in LOGARITHMIC]
    agreeing = sum(
        bool(np.abs(other[searched] - x[searched]).max(initial=0.0) < _SAME)
        for other, _, _ in found
    )
    if method == "prediction-error":
        x = np.append(x, np.zeros(3 * len(data.outputs)))
    for _ in range(passes if len(data.outputs) > 1 else 1):
        if len(data.outputs) > 1:
            problem.weights = 1.0 / np.maximum(noise_of(problem, x), 1e-9 / weights)
        x, _ = search(problem, x, PRECISE)
    return _finished(problem, x, names, method, (agreeing, len(tries)))


def _checked(
    data: OneAxisData,
    initial: OneAxis | None,
    estimate: Sequence[str],
    method: str,
    starts: int,
    passes: int,
) -> tuple[str, ...]:
    if not isinstance(data, OneAxisData):
        raise InputError(f"flexible_fit takes OneAxisData, not {type(data).__name__}")
    for name in estimate:
        if name not in PARAMETERS:
            raise UnknownName("parameter", name, PARAMETERS)
    names = tuple(name for name in PARAMETERS if name in estimate)
    if not names or len(names) != len(tuple(estimate)):
        raise InputError(
            f"estimate needs different names of parameters, at least one, got {tuple(estimate)}"
        )
    if method not in get_args(Method):
        raise UnknownName("method", method, get_args(Method))
    for what, number in (("starts", starts), ("passes", passes)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InputError(f"{what} is a positive whole number, not {number!r}")
    if initial is None and not set(USUAL) <= set(names):
        missing = ", ".join(name for name in USUAL if name not in names)
        raise InputError(f"{missing} would not be estimated: give initial, an OneAxis that has it")
    if initial is not None and (
        not isinstance(initial, OneAxis) or initial.drive.gear_ratio != data.gear_ratio
    ):
        raise InputError(
            f"initial is an OneAxis with the gear ratio of the data, {data.gear_ratio:g}, not"
            f" {initial!r}"
        )
    return names


def _finished(
    problem: Problem, x: Array, names: tuple[str, ...], method: Method, agreeing: tuple[int, int]
) -> FlexibleFit:
    data, p = problem.data, len(names)
    told = problem(x)
    assert told is not None
    slopes = told.slopes.reshape(x.size, -1).T
    # the gain is found beside the parameters: what it explains says nothing about them
    if x.size > p:
        slopes = without(slopes[:, p:], slopes[:, :p])
    size = np.linalg.norm(slopes, axis=0)
    silent = [name for name, length in zip(names, size, strict=True) if not length > 0.0]
    if silent:
        raise InputError(f"these samples say nothing about {', '.join(silent)}")
    U, singular, Vt = np.linalg.svd(slopes / size, full_matrices=False)
    if singular[-1] < TOLD:
        mixed = ", ".join(name for name, part in zip(names, Vt[-1], strict=True) if abs(part) > 0.1)
        raise InputError(
            f"these samples do not tell apart: {mixed}; excite the resonance, or estimate fewer"
            " parameters"
        )
    degrees = degrees_of(problem, x)
    # covariance of independent residuals with variance 1 is half' half
    half = (Vt.T / singular).T / size
    residual = told.residual / problem.weights
    covariance = np.zeros((p, p))
    outputs = len(data.outputs)
    for o in range(outputs):
        weighted = U.reshape(len(data), outputs, p)[:, o] * problem.weights[o]
        shaped = colour(residual[:, o]).shaped(weighted) @ half
        covariance += shaped.T @ shaped * len(data) / degrees
    gain = problem.gain(x) if x.size > p else np.zeros((3, outputs))
    fit = FlexibleFit(
        *(
            problem.axis(x),
            names,
            covariance,
            method,
            gain * problem.scale[:, None],
            noise_of(problem, x),
        ),
        *(residual, data, agreeing, ()),
    )
    return replace(fit, statements=statements(fit))
