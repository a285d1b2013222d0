"""Least squares of the parameters of a flexible joint: residuals, derivatives, search."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.types import Array
from ...simulation.flexible import OneAxis
from . import model as linear_model
from .model import LOGARITHMIC, Prediction
from .samples import OneAxisData

RANK_TOLERANCE = (
    1e-7  # smallest singular value of unit columns, below which parameters are inseparable
)
# tolerance of a search that only compares starts: relative changes of cost and parameters
COARSE = 1e-6
# tolerance of the last search; it converges quadratically, so that rounding is reached
FINE = 1e-12
_FAR = 14.0  # of a logarithm: bound of a search about its start, a factor of a million


class Problem:
    """Residuals and derivatives over ``x``: estimated parameters, then entries of any gain."""

    def __init__(
        self, data: OneAxisData, start: OneAxis, names: tuple[str, ...], weights: Array
    ) -> None:
        self.data, self.names, self.weights = data, names, weights
        self._known = linear_model.parameters_of(start)
        self.scale = linear_model.state_scale(linear_model.output_model(start, data.outputs))
        self._inputs, self._measured = linear_model.inputs_of(data), data.measured
        self._other = linear_model.offset_columns(data, len(data.outputs))
        self._last: tuple[bytes, Prediction | None] | None = None

    @property
    def initial(self) -> Array:
        """Initial ``x``; friction starts above 0, which is its bound."""
        least = 1e-3 * np.sqrt(self._known["k"] * self._known["Ja"])
        least_of = {"fm": least / self.data.gear_ratio**2, "d": least, "fa": least}
        values = [max(self._known[name], least_of.get(name, 0.0)) for name in self.names]
        return np.array(
            [
                np.log(x) if name in LOGARITHMIC else x
                for name, x in zip(self.names, values, strict=True)
            ]
        )

    def axis(self, x: Array) -> OneAxis:
        """Return the model."""
        values = zip(self.names, x[: len(self.names)], strict=True)
        estimated = {
            name: float(np.exp(value) if name in LOGARITHMIC else value) for name, value in values
        }
        return linear_model.axis_of(self._known | estimated, self.data.gear_ratio)

    def gain(self, x: Array) -> Array:
        """Gain of the predictor in balanced states, shape ``(3, outputs)``."""
        return x[len(self.names) :].reshape(3, -1)

    def __call__(self, x: Array) -> Prediction | None:
        """Prediction of the model; None where its predictor is unstable."""
        key = x.tobytes() + self.weights.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, self._predict(x)
        return self._last[1]

    def _predict(self, x: Array) -> Prediction | None:
        axis, outputs = self.axis(x), self.data.outputs
        model = linear_model.output_model(axis, outputs)
        system = linear_model.discretize(
            model,
            linear_model.model_derivatives(axis, model, outputs, self.names),
            self.data,
            self.scale,
        )
        inputs = self._inputs
        if x.size > len(self.names):
            system = linear_model.with_predictor_gain(system, self.gain(x))
            inputs = np.hstack([inputs, self._measured])
        if not linear_model.is_stable(system):
            return None
        return linear_model.predict(system, inputs, self._measured, self._other, self.weights)

    def residual(self, x: Array) -> Array:
        """All residuals in units of the weights.

        Infinite where the predictor is unstable, so that a search steps back.
        """
        prediction = self(x)
        if prediction is None:
            return np.full(self._measured.size, np.inf)
        return prediction.residual.ravel()

    def jacobian(self, x: Array) -> Array:
        """Their derivatives, shape ``(N outputs, x.size)``."""
        prediction = self(x)
        assert prediction is not None  # evaluated only where the residual is finite
        return prediction.slopes.reshape(x.size, -1).T


def search(problem: Problem, x: Array, tolerance: float) -> tuple[Array, float]:
    """Minimise the sum of squares from ``x`` on; return its place and that sum.

    Friction stays 0 or above.
    """
    from scipy.optimize import least_squares

    lower, upper = np.full(x.size, -np.inf), np.full(x.size, np.inf)
    for i, name in enumerate(problem.names):
        lower[i], upper[i] = (x[i] - _FAR, x[i] + _FAR) if name in LOGARITHMIC else (0.0, np.inf)
    options: dict[str, Any] = {
        **dict.fromkeys(("xtol", "ftol", "gtol"), tolerance),
        "max_nfev": 100,
    }
    with np.errstate(over="ignore", invalid="ignore"):
        solution = least_squares(
            problem.residual, x, problem.jacobian, bounds=(lower, upper), x_scale="jac", **options
        )
    return np.asarray(solution.x, dtype=float), 2.0 * float(solution.cost)


def degrees_of_freedom(problem: Problem, x: Array) -> float:
    """Degrees of freedom of each output: samples less its share of all estimates."""
    outputs = len(problem.data.outputs)
    columns = linear_model.offset_columns(problem.data, outputs).shape[2] + 3
    return float(len(problem.data) - (x.size + columns) / outputs)


def noise_deviation(problem: Problem, x: Array) -> Array:
    """Standard deviation of the residual of each output, in its unit."""
    residual = problem.residual(x).reshape(len(problem.data), -1) / problem.weights
    return np.asarray(
        np.sqrt(np.square(residual).sum(axis=0) / degrees_of_freedom(problem, x)), dtype=float
    )


def project_out(columns: Array, others: Array) -> Array:
    """Return ``others`` projected on the complement of ``columns``, of which some may be 0."""
    size = np.linalg.norm(columns, axis=0)
    if not (size > 0.0).any():
        return others
    U, singular, _ = np.linalg.svd(columns[:, size > 0.0] / size[size > 0.0], full_matrices=False)
    U = U[:, singular > RANK_TOLERANCE * singular[0]]
    return np.asarray(others - U @ (U.T @ others), dtype=float)
