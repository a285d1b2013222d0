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
from .signals import AxisReference, Measured, axes_of, weighed


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
        state: What was measured.
        reference: Where the axes should be; its acceleration is not used.
        model: Not asked; here because every law is called alike.
        gains: Gains and torque limit.
        memory: What the last sample left; first ``PidMemory.empty(n)``.
        period: Time since the last sample [s].

    Returns:
        Torques [N m, N], shape ``(n,)``, and the memory for the next sample.

    Raises:
        InputError: if an argument is of another type or shape, not finite, or a limit not positive.
    """
    here, goal = axes_of(state, reference)
    as_instance(gains, PidGains, "gains of a PID are PidGains(kp, ki, kd, limit)")
    limit = per_axis(gains.limit, here.q.size, "the torque limit of a PID")
    if not (limit > 0.0).all():
        raise InputError(f"the torque limit of a PID is positive, got {limit.tolist()}")
    error, rate = goal.q - here.q, goal.v - here.v
    old = finite(
        as_instance(memory, PidMemory, "the memory of a PID is a PidMemory").integral,
        error.shape,
        "integral of a PID",
    )
    grown = old + number(period, "period [s]", 0.0) * weighed(gains.ki, error, "ki")
    direct = weighed(gains.kp, error, "kp") + weighed(gains.kd, rate, "kd")
    wanted = direct + grown
    winding = (np.abs(wanted) > limit) & (wanted * error > 0.0)
    integral = np.where(winding, old, grown)
    return np.clip(direct + integral, -limit, limit), PidMemory(integral)
