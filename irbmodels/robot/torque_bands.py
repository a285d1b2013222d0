"""Bands of the torques that an identified set gives, by the covariance of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingData
from ..model import spring_geometry
from ..model.friction import KINDS, Stribeck
from ..model.types import Array
from .base import RobotBase
from .base_parameters import parameter_names
from .uncertainty import ParameterUncertainty

BLOCK = 512  # states whose regressors are held at a time
# relative step of a central difference: truncation 1e-8 of the derivative, rounding 1e-11
STEP = 1e-4
STILL = 0.01  # [rad, m] by which axes that stood still may be elsewhere (recordings, "stands")


class TorqueBand(NamedTuple):
    """Confidence band of axis torques [N m, N], shape ``(..., n)`` each; NaN where unknown."""

    lower: Array
    upper: Array


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
        states: ``q``, ``v``, ``a``, checked, shape ``(N, n)`` each; and temperatures of the drives
            [deg C], where they are not those of the reference of the friction law.
        level: Confidence.
        noise: True for the band of a measurement.
        regressor: Of the robot, of such states; default :meth:`regressor` of the robot.

    Raises:
        MissingData: if torques of the robot depend on parameters that were not identified.
    """
    slopes = TorqueSlopes(robot, uncertainty, regressor)
    rows, half = list(uncertainty.axes), np.full(states[0].shape, np.nan)
    for start in range(0, len(states[0]), BLOCK):
        block = [state[start : start + BLOCK] for state in states]
        spread = slopes.times(uncertainty.factor, rows, *block)
        half[start : start + BLOCK, rows] = uncertainty.half_width(spread, level, noise)
    if uncertainty.held is not None:
        others = np.setdiff1d(np.arange(robot.n), rows)
        q, v, a = (state[:, others] for state in states[:3])
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
        curved = uncertainty.names[len(self._columns) :]
        of_friction = [name for name in curved if _kind(name) in _OF_FRICTION]
        self._friction = _FrictionSlopes(robot, of_friction)
        self._springs = _SpringSlopes(robot, curved[len(of_friction) :])
        self._regressor = regressor or partial(robot.evaluate.regressor, robot.dynamic_model)

    def __call__(self, q: Array, v: Array, a: Array, *temperature: Array) -> Array:
        """Return the derivatives at states ``(N, n)``, shape ``(N, n, p)``."""
        columns = self._regressor(q, v, a, *temperature)[..., self._columns]
        linear = np.where(self._columns < 0, 0.0, columns)
        return np.concatenate([linear, self._friction(v, *temperature), self._springs(q)], axis=-1)

    def times(
        self, factor: Array, rows: Sequence[int], q: Array, v: Array, a: Array, *temperature: Array
    ) -> Array:
        """Return the derivatives on axes ``rows`` times a matrix ``(p, k)``, ``(N, rows, k)``.

        The matrix is spread over the regressor's columns, so that none of these are copied.
        """
        regressor = self._regressor(q, v, a, *temperature)
        known = np.flatnonzero(self._columns >= 0)
        every = np.zeros((regressor.shape[-1], factor.shape[1]))
        every[self._columns[known]] = factor[known]
        curved = np.concatenate([self._friction(v, *temperature), self._springs(q)], axis=-1)
        if len(rows) < q.shape[1]:
            regressor, curved = regressor[:, rows], curved[:, rows]
        # as matrices: a stack of small products takes twice the time
        result = regressor.reshape(-1, len(every)) @ every
        if curved.size:
            result += curved.reshape(len(result), -1) @ factor[len(self._columns) :]
        return np.asarray(result.reshape(len(q), len(rows), -1))


def _columns(robot: RobotBase, uncertainty: ParameterUncertainty) -> NDArray[np.int_]:
    """Return the columns of the regressor that the leading names are of.

    -1 for a term of friction that bodies and bounds of a set have made 0 on every axis.

    Raises:
        MissingData: if the regressor lacks one, or gravity is not along that of the logs.
    """
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


_OF_FRICTION = ("v_St", "v_d", "per_K")
_CURVED = (*_OF_FRICTION, *spring_geometry.KINDS)
"""Parameters in which friction or springs are not linear."""


def _kind(name: str) -> str:
    return name.rsplit("_", 1)[0]


class _FrictionSlopes:
    """Derivatives of the torques by parameters in which friction is not linear."""

    def __init__(self, robot: RobotBase, names: Sequence[str]) -> None:
        """Make the laws a step to either side: each number belongs to one drive alone."""
        self._turns, self._count = robot.dynamic_model.drive_axes, len(names)
        self._laws: list[tuple[Stribeck, Stribeck, Array, list[int], list[int]]] = []
        for kind in _OF_FRICTION:
            places = [k for k, name in enumerate(names) if _kind(name) == kind]
            if not places:
                continue
            law = robot.friction_model
            assert law is not None  # columns of friction were found
            law = replace(law, mu=np.zeros(robot.n))  # what depends on the load depends on no speed
            own = getattr(law, kind)
            above, below = (
                replace(law, **{kind: own + step}) for step in (STEP * own, -STEP * own)
            )
            drives = [int(names[k].rsplit("_", 1)[1]) - 1 for k in places]
            self._laws.append((above, below, 2.0 * STEP * own[drives], drives, places))

    def __call__(self, v: Array, *temperature: Array) -> Array:
        """Return the derivatives at speeds ``(N, n)``, shape ``(N, n, names)``."""
        slopes = np.zeros((*v.shape, self._count))
        w = v @ self._turns.T
        for above, below, width, drives, places in self._laws:
            change = above.torque(w) - below.torque(w)
            for degrees in temperature:
                change = (
                    change + above.viscous_change(w, degrees) - below.viscous_change(w, degrees)
                )
            of_drive = change[:, drives] / width
            slopes[..., places] = of_drive[:, None] * self._turns[drives].T
        return slopes


class _SpringSlopes:
    """Derivatives of the torques by the geometry of springs."""

    def __init__(self, robot: RobotBase, names: Sequence[str]) -> None:
        """Find the elements."""
        self.count, self.springs = len(names), []
        place = {name: k for k, name in enumerate(names)}
        for spring in robot.springs:
            fitted = {
                kind: place.pop(name)
                for kind in spring_geometry.kinds_of(spring)
                if (name := f"{kind}_{spring.axis}") in place
            }
            if fitted:
                self.springs.append((spring, fitted))
        if place:
            raise MissingData(
                f"the covariance of {robot.name} holds {', '.join(place)} of springs that its model"
                " in use does not have"
            )

    def __call__(self, q: Array) -> Array:
        """Return the derivatives at positions ``(N, n)``, shape ``(N, n, names)``."""
        slopes = np.zeros((*q.shape, self.count))
        for spring, columns in self.springs:
            axis = spring.axis - 1
            own = spring_geometry.slopes(spring, q[:, axis], list(columns))
            slopes[:, axis, list(columns.values())] = own
        return slopes
