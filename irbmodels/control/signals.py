"""What goes into a control law: what was measured, what is wanted, and gains."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..checks import finite
from ..errors import InputError, MissingData
from ..friction import Stribeck
from ..robot import Robot

Array = NDArray[np.float64]


class Measured(NamedTuple):
    """State of the arm as the controller knows it."""

    q: Array
    """Axis positions [rad, m], shape ``(n,)``."""
    v: Array
    """Axis speeds [rad/s, m/s]."""
    wrench: Array | None = None
    """What the world exerts on the robot at the TCP, force [N] first, base axes, shape ``(6,)``; None without a sensor."""


class AxisReference(NamedTuple):
    """Where the axes should be at one time, shape ``(n,)`` each."""

    q: Array
    v: Array
    a: Array


class TcpReference(NamedTuple):
    """Where the TCP should be at one time, in the base."""

    pose: Array
    """Shape ``(4, 4)``."""
    twist: Array
    """Velocity [m/s], then angular velocity [rad/s], shape ``(6,)``."""
    acceleration: Array
    """Its time derivative [m/s^2, rad/s^2], shape ``(6,)``."""


class Gains(NamedTuple):
    """Gains of position and speed: one number, one per axis (or task row) ``(n,)``, or a matrix ``(n, n)``."""

    kp: ArrayLike
    kd: ArrayLike

    @staticmethod
    def of(frequency: float, damping: float = 1.0) -> Gains:
        """Return the gains [1/s^2, 1/s] of ``e'' + kd e' + kp e = 0`` with a natural frequency [rad/s] and a damping ratio.

        Raises:
            InputError: if one is not positive.
        """
        if not (math.isfinite(frequency) and frequency > 0.0 and math.isfinite(damping) and damping > 0.0):
            raise InputError(f"gains need a positive frequency [rad/s] and damping ratio, got {frequency!r}, {damping!r}")
        return Gains(frequency**2, 2.0 * damping * frequency)


def weighed(gain: ArrayLike, error: Array, what: str) -> Array:
    """Return a gain times an error ``(n,)``.

    Raises:
        InputError: if the gain is no number, ``(n,)`` or ``(n, n)``, is negative or not finite.
    """
    weight = np.asarray(gain, dtype=float)
    n = error.size
    if weight.shape not in ((), (n,), (n, n)) or not np.isfinite(weight).all():
        raise InputError(f"{what} needs a finite number, or shape ({n},) or ({n}, {n}), got {weight.tolist()}")
    if (weight < 0.0).any() if weight.ndim < 2 else np.linalg.eigvalsh(weight + weight.T)[0] < -1e-9 * np.abs(weight).max():
        raise InputError(f"{what} must not be negative, or the error grows: {weight.tolist()}")
    return weight @ error if weight.ndim == 2 else weight * error


def friction_torque(model: Robot, v: Array, friction: Stribeck | bool) -> Array | float:
    """Friction that a law compensates: of the model's own data (True), of another law, or none (False).

    Raises:
        MissingData: if True and nobody has published friction of this robot.
    """
    if friction is False:
        return 0.0
    law = model.friction_model if friction is True else friction
    if law is None:
        raise MissingData(f"{model.name} has no friction data: friction=False, or an irbmodels.Stribeck of your own")
    return law.torque(v)


def homogeneous(pose: pin.SE3 | ArrayLike) -> Array:
    """Return a pose as a matrix ``(4, 4)``."""
    return finite(pose.homogeneous if isinstance(pose, pin.SE3) else pose, (4, 4), "pose")
