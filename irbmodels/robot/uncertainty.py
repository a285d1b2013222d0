"""Uncertainty of an identified set of parameters, and bands of the torques that it gives.

Torques are ``Y beta`` in base parameters; their covariance is ``Y C Y'``, that of a measurement
adds the variance of the residuals. Tool, payload and gravity are known beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations_of_motion import friction
from ..errors import InputError, MissingData, TableError
from ..model.friction import KINDS
from ..model.model import GRAVITY, Model
from ..model.types import Array
from ..tables.overlays import Identified

if TYPE_CHECKING:
    from .base import RobotBase

BLOCK = 512  # states whose regressors are held at a time
# relative step of a central difference: truncation 1e-8 of the derivative, rounding 1e-11
STEP = 1e-4
STILL = 0.01  # [rad, m] by which axes that stood still may be elsewhere (recordings, "stands")


class TorqueBand(NamedTuple):
    """Confidence band of axis torques [N m, N], shape ``(..., n)`` each; NaN where unknown."""

    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class ParameterUncertainty:
    """Covariance of the base parameters of a set, and the noise of the torques it came from."""

    names: tuple[str, ...]
    """Base parameters, each begins with its own column of the regressor (``mx_2 + 0.7 m_3``).

    Behind them parameters in which friction is not linear, such as ``v_St_3``.
    """
    factor: Array
    """Lower triangular ``L`` of the covariance ``L L'`` [SI], shape ``(p, p)``."""
    degrees: float
    """Of freedom of the covariance (Student's t)."""
    axes: tuple[int, ...]
    """Axes that were identified, 0-based."""
    noise: Array
    """Standard deviation of the residuals of these axes [N m, N], shape ``(size,)``."""
    correlation_time: Array
    """Of the residuals [s]: one sample of white noise, shape ``(size,)``."""
    gravity: Array = field(default_factory=lambda: GRAVITY)
    """While it was identified [m/s^2], in axes of the base."""
    held: Array | None = None
    """Positions of the axes that were not identified [rad, m], ``(n,)``; None if all were."""

    @classmethod
    def of(cls, covariance: Array, **others: Any) -> ParameterUncertainty:
        """Return the uncertainty of a covariance ``(p, p)``, which may be singular."""
        size = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
        scale = np.where(size > 0.0, size, 1.0)
        values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
        root = scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
        upper: Array = np.asarray(np.linalg.qr(root.T, mode="r"), dtype=float)
        return cls(factor=upper.T, **others)

    @property
    def covariance(self) -> Array:
        """Of the parameters in the order of ``names``, shape ``(p, p)``."""
        return self.factor @ self.factor.T

    def half_width(self, slopes: Array, level: float, noise: bool) -> Array:
        """Return half the band of torques ``(..., size)`` with these derivatives.

        Args:
            slopes: Of the torques by the parameters, shape ``(..., size, p)``.
            level: Confidence.
            noise: True for the band of a measurement.

        Raises:
            InputError: if the level does not lie between 0 and 1.
        """
        from scipy.special import stdtrit

        if not 0.0 < level < 1.0:
            raise InputError(f"a confidence level lies between 0 and 1, got {level!r}")
        variance = np.square(slopes @ self.factor).sum(axis=-1)
        if noise:
            variance = variance + np.square(self.noise)
        return np.asarray(stdtrit(self.degrees, 0.5 + 0.5 * level) * np.sqrt(variance), dtype=float)


def uncertainty_of_record(record: Identified | None, file: Path) -> ParameterUncertainty | None:
    """Return the uncertainty that a file of a set states, None if it states none.

    Raises:
        TableError: if its numbers do not fit together.
    """
    row = None if record is None else record.uncertainty
    if record is None or row is None:
        return None
    p, size = len(record.sums), len(row.axes)
    for name, fits, right in (
        (
            "covariance_factor",
            [len(line) for line in row.covariance_factor] == list(range(1, p + 1)),
            f"rows of 1 to {p} numbers, one per sum",
        ),
        ("noise", len(row.noise) == size, f"{size} numbers, one per axis of axes"),
        (
            "correlation_time_s",
            len(row.correlation_time_s) == size,
            f"{size} numbers, one per axis of axes",
        ),
        ("degrees", row.degrees > 0.0, "a positive number"),
        (
            "axes",
            bool(row.axes) and all(a < b for a, b in zip((0, *row.axes), row.axes, strict=False)),
            "numbers of axes from 1, growing",
        ),
    ):
        if not fits:
            raise TableError(file, f"identified.uncertainty.{name}", f"needs {right}")
    factor = np.zeros((p, p))
    factor[np.tril_indices(p)] = [number for line in row.covariance_factor for number in line]
    return ParameterUncertainty(
        names=tuple(record.sums),
        factor=factor,
        degrees=row.degrees,
        axes=tuple(axis - 1 for axis in row.axes),
        noise=np.array(row.noise),
        correlation_time=np.array(row.correlation_time_s),
        gravity=np.array(row.gravity_m_s2),
        held=None if row.held is None else np.array(row.held),
    )


def record_of_uncertainty(uncertainty: ParameterUncertainty) -> dict[str, Any]:
    """Return the key ``identified.uncertainty`` of a file of a set, for its sums in their order."""
    held = uncertainty.held
    return {
        "axes": [axis + 1 for axis in uncertainty.axes],
        "degrees": _rounded(uncertainty.degrees),
        "noise": [_rounded(value) for value in uncertainty.noise],
        "correlation_time_s": [_rounded(value) for value in uncertainty.correlation_time],
        "gravity_m_s2": uncertainty.gravity.tolist(),
        "covariance_factor": [
            [_rounded(value) for value in row[: i + 1]] for i, row in enumerate(uncertainty.factor)
        ],
    } | ({} if held is None else {"held": held.tolist()})


def _rounded(value: float) -> float:
    """Return a number with the digits that a file keeps: bands are right to a thousandth."""
    return float(f"{value:.6g}")


def band_half_width(
    robot: RobotBase,
    uncertainty: ParameterUncertainty,
    states: Sequence[Array],
    level: float,
    noise: bool,
    regressor: Callable[..., Array] | None = None,
) -> Array:
    """Return half the band of a robot's torques, shape ``(N, n)``.

    NaN on axes that were not identified, and at states where such an axis is not where it stood.

    Args:
        robot: With the set that the uncertainty is of.
        uncertainty: Of the robot's set.
        states: ``q``, ``v``, ``a``, checked, shape ``(N, n)`` each.
        level: Confidence.
        noise: True for the band of a measurement.
        regressor: Of the robot, of ``q``, ``v``, ``a``; default :meth:`regressor` of the robot.

    Raises:
        MissingData: if torques of the robot depend on parameters that were not identified.
    """
    slopes = TorqueSlopes(robot, uncertainty, regressor)
    rows, half = list(uncertainty.axes), np.full(states[0].shape, np.nan)
    for start in range(0, len(states[0]), BLOCK):
        block = [state[start : start + BLOCK] for state in states]
        whole = slopes(*block)[:, rows]
        half[start : start + BLOCK, rows] = uncertainty.half_width(whole, level, noise)
    if uncertainty.held is not None:
        others = np.setdiff1d(np.arange(robot.n), rows)
        q, v, a = (state[:, others] for state in states)
        moved = (np.abs(q - uncertainty.held[others]) > STILL) | (v != 0.0) | (a != 0.0)
        half[moved.any(axis=1)] = np.nan
    return half


class TorqueSlopes:
    """Derivatives of a robot's torques by the parameters of an uncertainty."""

    def __init__(
        self,
        robot: RobotBase,
        uncertainty: ParameterUncertainty,
        regressor: Callable[..., Array] | None = None,
    ) -> None:
        """Find the columns; arguments and errors as of :func:`band_half_width`."""
        self._columns = _columns(robot, uncertainty)
        self._friction = _FrictionSlopes(robot, uncertainty.names[len(self._columns) :])
        self._regressor = regressor or partial(robot.evaluate.regressor, robot.dynamic_model)

    def __call__(self, q: Array, v: Array, a: Array) -> Array:
        """Return the derivatives at states ``(N, n)``, shape ``(N, n, p)``."""
        linear = np.where(self._columns < 0, 0.0, self._regressor(q, v, a)[..., self._columns])
        return np.concatenate([linear, self._friction(v)], axis=-1)


def _columns(robot: RobotBase, uncertainty: ParameterUncertainty) -> NDArray[np.int_]:
    """Return the columns of the regressor that the leading names are of.

    -1 for a term of friction that bodies and bounds of a set have made 0 on every axis.

    Raises:
        MissingData: if the regressor lacks one, or gravity is not along that of the logs.
    """
    from .base_parameters import parameter_names

    gravity = robot.dynamic_model.tree.model.gravity.linear
    if np.linalg.norm(np.cross(gravity, uncertainty.gravity)) > 1e-6 * (
        np.linalg.norm(gravity) * np.linalg.norm(uncertainty.gravity)
    ):
        raise MissingData(
            f"the set of {robot.name} was identified under gravity along"
            f" {np.round(uncertainty.gravity, 3).tolist()} m/s^2 in base axes; mounted otherwise"
            " its torques depend on parameters that those logs do not tell"
        )
    places = {name: i for i, name in enumerate(parameter_names(robot))}
    heads = [name.split(" ", 1)[0] for name in uncertainty.names]
    linear = [name for name in heads if _kind(name) not in _CURVED]
    lost = [name for name in linear if name not in places and _kind(name) not in list(KINDS)[3:]]
    if lost:
        raise MissingData(
            f"the covariance of {robot.name} holds {', '.join(lost)}, which its model in use does"
            " not have: is its friction law or its coupling another one?"
        )
    return np.array([places.get(name, -1) for name in linear])


_CURVED = ("v_St", "v_d")
"""Parameters in which friction is not linear."""


def _kind(name: str) -> str:
    return name.rsplit("_", 1)[0]


class _FrictionSlopes:
    """Derivatives of the torques by parameters in which friction is not linear."""

    def __init__(self, robot: RobotBase, names: Sequence[str]) -> None:
        """Make the laws a step to either side."""
        self.models: list[tuple[Model, Model, float]] = []
        for name in names:
            kind, axis = _kind(name), int(name.rsplit("_", 1)[1]) - 1
            law = robot.friction_model
            assert law is not None  # columns of friction were found
            law = replace(law, mu=np.zeros(robot.n))  # what depends on the load depends on no speed
            own = getattr(law, kind)
            step = STEP * own * (np.arange(robot.n) == axis)
            above, below = (
                replace(robot.dynamic_model, friction=replace(law, **{kind: own + change}))
                for change in (step, -step)
            )
            self.models.append((above, below, float(2.0 * step[axis])))

    def __call__(self, v: Array) -> Array:
        """Return the derivatives at speeds ``(N, n)``, shape ``(N, n, names)``."""
        slopes = np.zeros((*v.shape, len(self.models)))
        for k, (above, below, width) in enumerate(self.models):
            upper, lower = friction(above, None, v), friction(below, None, v)
            slopes[..., k] = (upper - lower) / width
        return slopes
