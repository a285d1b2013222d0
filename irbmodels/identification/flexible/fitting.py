"""Fit of the two masses of one elastic axis to torque and speed (S003 3.3.2, Table 3.1).

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

from ...checks import as_choice, as_instance, as_int
from ...errors import InputError
from ...model.types import Array
from ...simulation.flexible import OneAxis
from .check import findings_of
from .fit import FlexibleFit, Method
from .model import LOGARITHMIC, PARAMETERS
from .noise import noise_model
from .samples import OneAxisData
from .search import (
    COARSE,
    FINE,
    RANK_TOLERANCE,
    Problem,
    degrees_of_freedom,
    noise_deviation,
    project_out,
    search,
)
from .starts import starts as starts_of

USUAL = ("Jm", "Ja", "k", "fm")
"""Estimates of S003, which takes the friction of the link as 0."""
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
    """Fit the model with three states to torque and speed of the motor.

    And to a sensor on the arm if ``data`` have one.

    Output error takes all noise as added to the measurements. Prediction error, as S003's ``pem``,
    also estimates the gain K of a Kalman filter in innovations form, 3 numbers per output: better
    where torques disturb the arm that nobody measured, and right where a controller feeds noise
    back. Several outputs are weighted by the inverse of their noise.

    Args:
        data: Samples of one axis.
        initial: Initial model, which also has the parameters that are not estimated (default: 0
            friction of gear and link).
        estimate: Names of ``Jm, Ja, k, fm, d, fa``; d is the damping of the gear, fa the friction
            of the link.
        method: ``output-error`` or ``prediction-error``.
        starts: Number of initial models that resemble the measured frequency response, without
            ``initial``.
        passes: Number of updates of the weights of several outputs.

    Raises:
        UnknownName: if there is no such parameter or method.
        InputError: if ``initial`` has another gear ratio or is missing where it is needed, or the
            samples do not determine the parameters; the message names them.
    """
    names = _checked(data, initial, estimate, method, starts, passes)
    correlation = float(np.corrcoef(data.torque, data.speed)[0, 1])
    if correlation < _BRAKED and method == "output-error":
        raise InputError(
            f"torque and speed have opposite signs (correlation {correlation:.2f}), as no motor has"
            " that moves an arm; turn one round, or use prediction-error where a controller brakes"
            " what something else moves"
        )
    weights = 1.0 / data.measured.std(axis=0)
    models = [initial] if initial is not None else starts_of(data, starts)
    if not models:
        raise InputError(
            "no two-mass model resembles these samples: give initial, or samples that excite the"
            " resonance"
        )
    problems = [Problem(data, start, names, weights) for start in models]
    solutions = [(*search(problem, problem.initial, COARSE), problem) for problem in problems]
    x, _, problem = min(solutions, key=lambda one: one[1])
    compared = np.flatnonzero(np.isin(names, LOGARITHMIC))
    agreeing = sum(
        bool(np.abs(other[compared] - x[compared]).max(initial=0.0) < _SAME)
        for other, _, _ in solutions
    )
    if method == "prediction-error":
        x = np.append(x, np.zeros(3 * len(data.outputs)))
    for _ in range(passes if len(data.outputs) > 1 else 1):
        if len(data.outputs) > 1:
            problem.weights = 1.0 / np.maximum(noise_deviation(problem, x), 1e-9 / weights)
        x, _ = search(problem, x, FINE)
    return _fit_at(problem, x, names, method, (agreeing, len(models)))


def _checked(
    data: OneAxisData,
    initial: OneAxis | None,
    estimate: Sequence[str],
    method: str,
    starts: int,
    passes: int,
) -> tuple[str, ...]:
    as_instance(data, OneAxisData, "flexible_fit takes OneAxisData")
    for name in estimate:
        as_choice(name, PARAMETERS, "parameter")
    names = tuple(name for name in PARAMETERS if name in estimate)
    if not names or len(names) != len(tuple(estimate)):
        raise InputError(
            f"estimate needs different names of parameters, at least one, got {tuple(estimate)}"
        )
    as_choice(method, get_args(Method), "method")
    as_int(starts, "starts", 1)
    as_int(passes, "passes", 1)
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


def _fit_at(
    problem: Problem, x: Array, names: tuple[str, ...], method: Method, agreeing: tuple[int, int]
) -> FlexibleFit:
    data, p = problem.data, len(names)
    prediction = problem(x)
    assert prediction is not None
    slopes = prediction.slopes.reshape(x.size, -1).T
    # the gain is estimated beside the parameters
    if x.size > p:
        slopes = project_out(slopes[:, p:], slopes[:, :p])
    size = np.linalg.norm(slopes, axis=0)
    undetermined = [name for name, length in zip(names, size, strict=True) if not length > 0.0]
    if undetermined:
        raise InputError(f"these samples do not depend on {', '.join(undetermined)}")
    U, singular, Vt = np.linalg.svd(slopes / size, full_matrices=False)
    if singular[-1] < RANK_TOLERANCE:
        mixed = ", ".join(name for name, part in zip(names, Vt[-1], strict=True) if abs(part) > 0.1)
        raise InputError(
            f"these samples cannot separate: {mixed}; excite the resonance, or estimate fewer"
            " parameters"
        )
    degrees = degrees_of_freedom(problem, x)
    # covariance of independent residuals with variance 1 is half' half
    half = (Vt.T / singular).T / size
    residual = prediction.residual / problem.weights
    covariance = np.zeros((p, p))
    outputs = len(data.outputs)
    weighted = U.reshape(len(data), outputs, p) * problem.weights[:, None]
    for o in range(outputs):
        filtered = noise_model(residual[:, o]).filtered(weighted[:, o]) @ half
        covariance += filtered.T @ filtered * len(data) / degrees
    gain = problem.gain(x) if x.size > p else np.zeros((3, outputs))
    fit = FlexibleFit(
        axis=problem.axis(x),
        names=names,
        covariance=covariance,
        method=method,
        gain=gain * problem.scale[:, None],
        noise=noise_deviation(problem, x),
        residual=residual,
        data=data,
        agreeing=agreeing,
        findings=(),
    )
    return replace(fit, findings=findings_of(fit))
