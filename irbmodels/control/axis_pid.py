"""PID of each axis on its own, without a model, with anti-windup."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, as_int, finite, number, per_axis
from ..errors import InputError
from ..model.types import Array
from ..robot.robot import Robot
from .signals import AxisReference, Measured, apply_gain, checked_axes


class PidGains(NamedTuple):
    """Gains per axis, one number or ``(n,)`` each, and the torque limit of the drive."""

    kp: ArrayLike
    """[N m/rad, N/m]."""
    ki: ArrayLike
    """[N m/(rad s), N/(m s)]."""
    kd: ArrayLike
    """[N m s/rad, N s/m]."""
    limit: ArrayLike = math.inf
    """[N m, N]; such as ``robot.limits.effort``."""


class PidMemory(NamedTuple):
    """Integral of a PID between samples."""

    integral: Array
    """Torque of the integral part [N m, N], shape ``(n,)``."""

    @staticmethod
    def empty(n: int) -> PidMemory:
        """Return the memory of ``n`` axes before the first sample."""
        return PidMemory(np.zeros(as_int(n, "the number of axes of a memory", 1)))


def pid(
    state: Measured,
    reference: AxisReference,
    model: Robot,
    gains: PidGains,
    memory: PidMemory,
    period: float,
) -> tuple[Array, PidMemory]:
    """Torques ``kp e + ki int e + kd e'`` of each axis, within the limit.

    Anti-windup: an axis whose torque is at the limit stops integrating an error that pushes further
    into it, and goes on integrating one that leads out. Without a model, gravity and every other
    axis are disturbances; a constant one is integrated away, and around one posture with inertia
    ``m`` the error obeys ``m e''' + kd e'' + kp e' + ki e = 0``.

    Args:
        state: Measured state.
        reference: Desired motion of the axes; its acceleration is not used.
        model: Not used; every law has the same arguments.
        gains: Gains and torque limit.
        memory: Memory of the last sample; first ``PidMemory.empty(n)``.
        period: Time since the last sample [s].

    Returns:
        Torques [N m, N], shape ``(n,)``, and the memory for the next sample.

    Raises:
        InputError: if an argument is of another type or shape, not finite, or a limit not positive.
    """
    measured, goal = checked_axes(state, reference)
    as_instance(gains, PidGains, "gains of a PID are PidGains(kp, ki, kd, limit)")
    limit = per_axis(gains.limit, measured.q.size, "the torque limit of a PID")
    if not (limit > 0.0).all():
        raise InputError(f"the torque limit of a PID is positive, got {limit.tolist()}")
    error = goal.q - measured.q
    as_instance(memory, PidMemory, "the memory of a PID is a PidMemory")
    last = finite(memory.integral, error.shape, "integral of a PID")
    integral = last + number(period, "period [s]", 0.0) * apply_gain(gains.ki, error, "ki")
    damping = apply_gain(gains.kd, goal.v - measured.v, "kd")
    direct = apply_gain(gains.kp, error, "kp") + damping
    demand = direct + integral
    winding = (np.abs(demand) > limit) & (demand * error > 0.0)
    integral = np.where(winding, last, integral)
    return np.clip(direct + integral, -limit, limit), PidMemory(integral)
