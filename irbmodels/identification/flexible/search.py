"""The search for the parameters of a flexible joint: residuals, derivatives, and where it ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.types import Array
from ...simulation.flexible import OneAxis
from . import model as law
from .model import LOGARITHMIC, Explained
from .samples import OneAxisData

TOLD = 1e-7  # smallest singular value of unit columns: below it one parameter stands for another
# where a search that only compares starts ends: relative changes of cost and parameters
ROUGH = 1e-6
# where the last search ends; it converges quadratically, so that rounding is reached
PRECISE = 1e-12
_FAR = 14.0  # of a logarithm: how far a search may go from its start, a million times


class Problem:
    """Residuals and derivatives over ``x``: the estimated parameters, and the entries of the gain if there are more numbers."""

    def __init__(
        self, data: OneAxisData, start: OneAxis, names: tuple[str, ...], weights: Array
    ) -> None:
        self.data, self.names, self.weights = data, names, weights
        self._known = law.values_of(start)
        self.scale = law.scale_of(law.model_of(start, data.outputs))
        self._inputs, self._measured = law.inputs_of(data), data.measured
        self._other = law.disturbances(data, len(data.outputs))
        self._last: tuple[bytes, Explained | None] | None = None

    @property
    def first(self) -> Array:
        """Parameters of the start; friction that is searched starts above 0, where its bound is."""
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
        given = zip(self.names, x[: len(self.names)], strict=True)
        found = {
            name: float(np.exp(value) if name in LOGARITHMIC else value) for name, value in given
        }
        return law.axis_of(self._known | found, self.data.gear_ratio)

    def gain(self, x: Array) -> Array:
        """Gain of the predictor in balanced states, shape ``(3, outputs)``."""
        return x[len(self.names) :].reshape(3, -1)

    def __call__(self, x: Array) -> Explained | None:
        """What the model says; None where its predictor is unstable."""
        asked = x.tobytes() + self.weights.tobytes()
        if self._last is None or self._last[0] != asked:
            self._last = asked, self._explained(x)
        return self._last[1]

    def _explained(self, x: Array) -> Explained | None:
        axis, outputs = self.axis(x), self.data.outputs
        model = law.model_of(axis, outputs)
        system = law.sampled(
            model, law.slopes_of(axis, model, outputs, self.names), self.data, self.scale
        )
        inputs = self._inputs
        if x.size > len(self.names):
            system, inputs = (
                law.with_gain(system, self.gain(x)),
                np.hstack([inputs, self._measured]),
            )
        if not law.stable(system):
            return None
        return law.explained(system, inputs, self._measured, self._other, self.weights)

    def residual(self, x: Array) -> Array:
        """All residuals in units of the weights.

        Infinite where the predictor is unstable, so that a search steps back.
        """
        told = self(x)
        return np.full(self._measured.size, np.inf) if told is None else told.residual.ravel()

    def jacobian(self, x: Array) -> Array:
        """Their derivatives, shape ``(N outputs, x.size)``."""
        told = self(x)
        assert told is not None  # the search asks only where the residual is finite
        return told.slopes.reshape(x.size, -1).T


def search(problem: Problem, x: Array, end: float) -> tuple[Array, float]:
    """Return where the sum of squares is least, from ``x`` on, and that sum.

    Friction stays 0 or above.
    """
    from scipy.optimize import least_squares

    lower, upper = np.full(x.size, -np.inf), np.full(x.size, np.inf)
    for i, name in enumerate(problem.names):
        lower[i], upper[i] = (x[i] - _FAR, x[i] + _FAR) if name in LOGARITHMIC else (0.0, np.inf)
    options: dict[str, Any] = {"xtol": end, "ftol": end, "gtol": end, "max_nfev": 100}
    with np.errstate(over="ignore", invalid="ignore"):
        found = least_squares(
            problem.residual, x, problem.jacobian, bounds=(lower, upper), x_scale="jac", **options
        )
    cost: float = 2.0 * float(found.cost)
    return np.asarray(found.x, dtype=float), cost


def degrees_of(problem: Problem, x: Array) -> float:
    """Independent equations of each output: samples less its share of everything that was found."""
    outputs = len(problem.data.outputs)
    columns = law.disturbances(problem.data, outputs).shape[2] + 3
    return float(len(problem.data) - (x.size + columns) / outputs)


def noise_of(problem: Problem, x: Array) -> Array:
    """Standard deviation of the residual of each output, in its unit."""
    residual = problem.residual(x).reshape(len(problem.data), -1) / problem.weights
    return np.asarray(
        np.sqrt(np.square(residual).sum(axis=0) / degrees_of(problem, x)), dtype=float
    )


def without(columns: Array, others: Array) -> Array:
    """Return ``others`` less what ``columns`` explain; columns that say nothing explain nothing."""
    size = np.linalg.norm(columns, axis=0)
    if not (size > 0.0).any():
        return others
    U, singular, _ = np.linalg.svd(columns[:, size > 0.0] / size[size > 0.0], full_matrices=False)
    U = U[:, singular > TOLD * singular[0]]
    return np.asarray(others - U @ (U.T @ others), dtype=float)
