"""Load beyond a force sensor, bias and mounting angle, from readings in several poses.

In the axes of the sensor at its nominal angle the load's wrench is ``Y beta``; a sensor turned by
``phi`` about its own z reads ``B(phi)' Y beta + bias``. For a given angle that is linear, so only
the angle is searched: everywhere, then by Gauss-Newton. Readings as ``robot.sensor`` gives them:
what the load exerts ON the sensor, force [N] first, then moment [N m].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ...checks import finite, is_rotation
from ...errors import InputError
from ...model.types import Array
from ...robot.base_parameters import OF_BODY, UNITS_OF_BODY
from ...robot.robot import Robot
from .accumulator import Accumulator
from .payload import Load, identifiable_columns, load_from_fit
from .pseudo import frame_change
from .regression import Fit, floor_noise, least_squares

STARTS = 8  # of the angle, round the circle; 4 found all of 150 noisy sets, 1 lost 8
STEPS = 50
SETTLED = 1e-10  # [rad]
_BIAS = tuple(f"{kind}{axis} bias" for kind in "FM" for axis in "xyz")


@dataclass(frozen=True, eq=False)
class SensorFit:
    """Load, bias and mounting angle from the readings of a force sensor."""

    load: Load
    """Everything beyond the sensor, in the axes of tool0."""
    bias: Array
    """Readings without load [N, N m], shape ``(6,)``, in its own axes.

    NaN where the poses do not determine it.
    """
    bias_deviation: Array
    angle: float
    """By which it is turned about its own z against the nominal pose [rad]."""
    angle_deviation: float
    noise: Array
    """Standard deviation of force [N] and moment [N m] readings, shape ``(2,)``."""


def load_from_sensor(
    robot: Robot,
    q: ArrayLike,
    readings: ArrayLike,
    *,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tool0_from_sensor: ArrayLike | None = None,
    angle: float | None = None,
) -> SensorFit:
    """Identify load, bias and mounting angle.

    Still poses determine mass, centre of mass, bias and angle; four of them at least, pointing into
    different directions. The inertia needs motion.

    Args:
        robot: Lengths and gravity; what it carries does not count.
        q: Axis positions [rad, m], shape ``(N, n)``.
        readings: Forces [N] and moments [N m] in sensor axes, shape ``(N, 6)``.
        v: Axis speeds; default at rest.
        a: Axis accelerations; default none.
        tool0_from_sensor: Nominal pose of the sensor in tool0, ``(4, 4)``; default tool0 itself.
        angle: Mounting angle about the sensor's z [rad], where it is known; None finds it.

    Raises:
        InputError: if a shape is wrong, or the poses do not determine the mass.
    """
    count = np.shape(q)[0] if np.ndim(q) == 2 else 0
    still = np.zeros((count, robot.n))
    states = [
        finite(still if x is None else x, (count, robot.n), name)
        for x, name in ((q, "q"), (v, "v"), (a, "a"))
    ]
    read = finite(readings, (count, 6), "readings")
    pose = (
        np.eye(4)
        if tool0_from_sensor is None
        else finite(tool0_from_sensor, (4, 4), "tool0_from_sensor")
    )
    if not is_rotation(pose[:3, :3]):
        raise InputError("tool0_from_sensor needs a rotation in its upper left 3 by 3 numbers")
    problem = _Problem(_regressors(robot, states, pose), read, angle is None)
    weights = np.ones(6)
    phi = problem.searched(weights) if angle is None else float(angle)
    for _ in range(3):  # first with equal weights, then in units of the noise of forces and moments
        phi, fit, place, noise = problem.solved(phi, weights)
        weights = 1.0 / np.square(noise)
    nominal = load_from_fit("sensor", fit, place[:10])
    to_tool0 = frame_change(pose)
    spread = to_tool0 @ np.nan_to_num(nominal.covariance) @ to_tool0.T
    parameters = to_tool0 @ np.nan_to_num(nominal.parameters)
    mixed = (np.abs(to_tool0[:, np.isnan(nominal.parameters)]) > 0.0).any(axis=1)
    parameters[mixed] = np.nan
    spread[mixed], spread[:, mixed] = np.nan, np.nan
    known = place[10:16] >= 0
    bias = np.where(known, fit.beta[place[10:16]], np.nan)
    deviation = np.where(known, fit.deviation[place[10:16]], np.nan)
    turned = (
        0.0 if angle is not None else float(fit.deviation[place[16]]) if place[16] >= 0 else np.nan
    )
    wrapped = float(np.remainder(phi + np.pi, 2.0 * np.pi) - np.pi) if angle is None else phi
    return SensorFit(
        Load("tool0", parameters, spread), bias, deviation, wrapped, turned, noise[[0, 3]]
    )


@dataclass(frozen=True, eq=False)
class _Problem:
    """Readings ``(N, 6)`` and the regressors ``(N, 6, 10)`` that give them at the nominal angle."""

    Y: Array
    readings: Array
    free: bool
    """True if the angle is estimated."""

    def equations(self, phi: float, slope: Array | None = None) -> Accumulator:
        """Return equations in load and bias, and with a slope ``(N, 6)`` in the angle."""
        count = len(self.Y)
        left = [_turned(self.Y, phi), np.broadcast_to(np.eye(6), (count, 6, 6))]
        left += [] if slope is None else [slope[..., None]]
        named = zip(
            (*OF_BODY, *_BIAS, "angle"),
            (*UNITS_OF_BODY, *["N"] * 3, *["N m"] * 3, "rad"),
            strict=True,
        )
        names, units = zip(*list(named)[: 16 + (slope is not None)], strict=True)
        return Accumulator(6, names, units).add(np.concatenate(left, axis=2), self.readings)

    def searched(self, weights: Array) -> float:
        """Return the angle on a grid round the circle whose readings fit best."""

        def misfit(phi: float) -> float:
            total = self.equations(phi)
            kept, _ = identifiable_columns(total.combined_factor()[:-1, :-1])
            part = total.select(kept)
            return float(weights @ part.residual_squares(least_squares(part, weights).beta))

        return float(min(np.arange(STARTS) * (2.0 * np.pi / STARTS), key=misfit))

    def solved(self, phi: float, weights: Array) -> tuple[float, Fit, NDArray[np.int_], Array]:
        """Return angle, fit, parameter indices and noise of forces and moments, by Gauss-Newton."""
        load = np.zeros(10)
        for _ in range(STEPS):
            slope = (
                _turned(self.Y, phi + 0.5 * np.pi, flat=True) @ load
                if self.free and load.any()
                else None
            )
            total = self.equations(phi, slope)
            kept, place = identifiable_columns(total.combined_factor(weights)[:-1, :-1])
            part = total.select(kept)
            fit = least_squares(part, weights)
            pooled = part.residual_squares(fit.beta).reshape(2, 3).sum(axis=1) / (
                3 * part.samples - part.p / 2
            )
            noise = floor_noise(part, np.repeat(np.sqrt(pooled), 3))
            load = np.zeros(10)
            load[[k for k in kept if k < 10]] = fit.beta[[i for i, k in enumerate(kept) if k < 10]]
            if slope is None and self.free:
                continue
            step = float(fit.beta[place[16]]) if self.free and place[16] >= 0 else 0.0
            phi += step
            if abs(step) < SETTLED:
                return phi, least_squares(part, weights, noise), place, noise
        raise InputError(
            "the mounting angle does not settle: give it as angle=, or take poses of other"
            " directions"
        )


def _regressors(robot: Robot, states: list[Array], tool0_from_sensor: Array) -> Array:
    """Return the wrenches on the sensor by the ten load parameters, in its axes, ``(N, 6, 10)``."""
    tree = robot.dynamic_model.tree
    tool0 = tree.model.frames[tree.flange]
    place = tool0.placement * pin.SE3(tool0_from_sensor)
    result = np.empty((len(states[0]), 6, 10))
    for k, (q, v, a) in enumerate(zip(*states, strict=True)):
        pin.rnea(
            tree.model,
            tree.data,
            tree.coupling.position(q),
            tree.coupling.velocity(v),
            tree.coupling.velocity(a),
        )
        speed, rate = (
            place.actInv(tree.data.v[tool0.parentJoint]),
            place.actInv(tree.data.a_gf[tool0.parentJoint]),
        )
        result[k] = -pin.bodyRegressor(speed, rate)
    return result


def _turned(Y: Array, phi: float, flat: bool = False) -> Array:
    """Return readings of a sensor turned by ``phi`` about z; ``flat``: without the part along z."""
    turn = np.array(
        [
            [np.cos(phi), np.sin(phi), 0.0],
            [-np.sin(phi), np.cos(phi), 0.0],
            [0.0, 0.0, 0.0 if flat else 1.0],
        ]
    )
    return np.concatenate([turn @ Y[:, :3], turn @ Y[:, 3:]], axis=1)
