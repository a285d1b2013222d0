"""PID of each axis on its own, without a model, with anti-windup."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..robot import Robot
from .signals import AxisReference, Measured, weighed

Array = NDArray[np.float64]


class PidGains(NamedTuple):
    """Gains per axis: one number or ``(n,)`` each, and the largest torque that the drive gives."""

    kp: ArrayLike
    """[N m/rad, N/m]."""
    ki: ArrayLike
    """[N m/(rad s), N/(m s)]."""
    kd: ArrayLike
    """[N m s/rad, N s/m]."""
    limit: ArrayLike = math.inf
    """[N m, N]; such as ``robot.limits.effort``."""


class PidMemory(NamedTuple):
    """What a PID remembers from one sample to the next."""

    integral: Array
    """Torque of the integral part [N m, N], shape ``(n,)``."""

    @staticmethod
    def empty(n: int) -> PidMemory:
        """Return the memory of ``n`` axes before the first sample."""
        return PidMemory(np.zeros(n))


def pid(
    state: Measured, reference: AxisReference, model: Robot, gains: PidGains, memory: PidMemory, period: float
) -> tuple[Array, PidMemory]:
    """Torques ``kp e + ki int e + kd e'`` of each axis, within the limit.

    Anti-windup: an axis whose torque is at the limit stops integrating an error that pushes further into it, and goes on
    integrating one that leads out. Without a model, gravity and every other axis are disturbances; a constant one is integrated
    away, and around one posture with inertia ``m`` the error obeys ``m e''' + kd e'' + kp e' + ki e = 0``.

    Args:
        state: What was measured.
        reference: Where the axes should be; its acceleration is not used.
        model: Not asked; here because every law is called alike.
        gains: Gains and torque limit.
        memory: What the last sample left; first ``PidMemory.empty(n)``.
        period: Time since the last sample [s].

    Returns:
        Torques [N m, N], shape ``(n,)``, and the memory for the next sample.
    """
    limit = np.asarray(gains.limit, dtype=float)
    if not (limit > 0.0).all():
        raise InputError(f"the torque limit of a PID is positive, got {limit.tolist()}")
    error = reference.q - state.q
    grown = memory.integral + period * weighed(gains.ki, error, "ki")
    direct = weighed(gains.kp, error, "kp") + weighed(gains.kd, reference.v - state.v, "kd")
    wanted = direct + grown
    winding = (np.abs(wanted) > limit) & (wanted * error > 0.0)
    integral = np.where(winding, memory.integral, grown)
    return np.clip(direct + integral, -limit, limit), PidMemory(integral)
