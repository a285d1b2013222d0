"""External torques from the momentum [De Luca & Mattone 2003], and a threshold for collisions.

Neither acceleration nor a force sensor is needed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, finite, number, numbers
from ..errors import InputError
from ..model.friction import Stribeck
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory import Motion
from ..trajectory.motion import checked_motion
from .signals import Measured, apply_gain, checked_model, checked_state, friction_torque


class ObserverMemory(NamedTuple):
    """State of the observer between samples, shape ``(n,)`` each."""

    integral: Array
    """Momentum that the model and the residual explain [kg m^2/s, kg m/s]."""
    residual: Array
    rate: Array
    """``C' v - g - F`` at the last sample [N m, N]."""

    @staticmethod
    def at(state: Measured, model: Robot, *, friction: Stribeck | bool = False) -> ObserverMemory:
        """Return the memory of an observer that starts in a state without an external torque."""
        rest = np.zeros(checked_model(model).n)
        return ObserverMemory(
            momentum(state, model), rest, momentum_rate(state, rest, model, friction=friction)
        )


class Collision(NamedTuple):
    """Time and axis at which the residual first was beyond its threshold."""

    time: float
    """[s]"""
    axis: int
    """1-based, the one that is farthest beyond."""
    residual: Array
    """[N m, N], shape ``(n,)``, at that time."""


def momentum(state: Measured, model: Robot) -> Array:
    """Generalised momentum ``p = M v``, shape ``(n,)``."""
    q, v, _ = checked_state(state, checked_model(model).n)
    p: Array = model.mass_matrix(q) @ v
    return p


def momentum_rate(
    state: Measured, tau: Array, model: Robot, *, friction: Stribeck | bool = False
) -> Array:
    """Return the model's ``p' = tau + C' v - g - F(v)``, which lacks the external torque.

    ``C' v`` and not ``C v``: ``p' = M v' + M' v`` with ``M' = C + C'``.
    """
    (q, v, _), torque = checked_state(state, checked_model(model).n), finite(tau, (model.n,), "tau")
    rate: Array = torque + model.coriolis(q, v).T @ v - model.gravity(q)
    return rate - friction_torque(model, q, v, friction)


def momentum_observer(
    state: Measured,
    tau: ArrayLike,
    model: Robot,
    gain: ArrayLike,
    memory: ObserverMemory,
    period: float,
    *,
    friction: Stribeck | bool = False,
) -> tuple[Array, ObserverMemory]:
    """Residual ``r = K (p - int (tau + C' v - g - F + r) dt)``, so that ``r' = K (tau_ext - r)``.

    In samples it is the backward Euler rule, so no gain is too high: ``r_k = (r_{k-1} + K T
    tau_ext) / (1 + K T)``.

    Args:
        state: Measured state.
        tau: Torques that acted since the last sample [N m, N], shape ``(n,)``.
        model: The observer's model.
        gain: ``K`` [1/s], a number or ``(n,)``: the residual's time constant is ``1/K``.
        memory: Memory of the last sample; first ``ObserverMemory.at(state, model)``.
        period: Time since the last sample [s].
        friction: Friction to be compensated, True for the model's, or a law; else it is part of the
            residual.

    Returns:
        External torques [N m, N], shape ``(n,)``, and the memory for the next sample.

    Raises:
        InputError: if an argument is of another type or shape, not finite, or the period not
            positive.
        MissingData: if friction is asked of a model that has no data.
    """
    n = np.ones(checked_model(model).n)
    torque, step = finite(tau, n.shape, "tau"), number(period, "period [s]", 0.0)
    as_instance(memory, ObserverMemory, "the memory of an observer is an ObserverMemory")
    integral, last = (
        finite(getattr(memory, x), n.shape, f"{x} of the memory") for x in ("integral", "rate")
    )
    rate = momentum_rate(state, np.zeros(model.n), model, friction=friction)
    predicted = integral + step * (torque + 0.5 * (last + rate))
    residual = apply_gain(gain, momentum(state, model) - predicted, "gain [1/s]") / (
        n + step * apply_gain(gain, n, "gain [1/s]")
    )
    return residual, ObserverMemory(predicted + step * residual, residual, rate)


def residuals(
    motion: Motion, model: Robot, gain: ArrayLike, *, friction: Stribeck | bool = False
) -> Array:
    """Residuals along a motion with speeds and torques, from a run or a log, shape ``(N, n)``.

    The first is zero. The torque of a sample acts from it until the next.

    Raises:
        InputError: if speeds or torques are missing.
        MissingData: if friction is asked of a model that has no data.
    """
    motion = checked_motion(
        motion, "a momentum observer", ("v", "tau"), checked_model(model).n, model.name
    )
    assert motion.v is not None  # checked_motion sees to it
    assert motion.tau is not None
    memory = ObserverMemory.at(Measured(motion.q[0], motion.v[0]), model, friction=friction)
    result = np.zeros_like(motion.q)
    for k in range(1, len(motion.t)):
        period = float(motion.t[k] - motion.t[k - 1])
        state = Measured(motion.q[k], motion.v[k])
        result[k], memory = momentum_observer(
            state, motion.tau[k - 1], model, gain, memory, period, friction=friction
        )
    return result


def collision(t: ArrayLike, residual: ArrayLike, threshold: ArrayLike) -> Collision | None:
    """Return the first sample of residuals ``(N, n)`` beyond a threshold, a number or ``(n,)``.

    Times ``t`` are ``(N,)``.

    Raises:
        InputError: if a threshold is not positive, or the shapes do not go together.
    """
    time, values = finite(t, None, "t"), finite(residual, None, "residual")
    limit = numbers(threshold, "threshold")
    fitting = values.ndim == 2 and time.shape == values.shape[:1]
    if not fitting or limit.shape not in ((), values.shape[1:]):
        raise InputError(
            f"times {time.shape}, residuals {values.shape} and threshold {limit.shape} do not go"
            " together"
        )
    if not (limit > 0.0).all() or math.isnan(float(limit.sum())):
        raise InputError(f"a threshold is positive [N m, N], got {limit.tolist()}")
    relative = np.abs(values) / limit
    beyond = (relative > 1.0).any(axis=1)
    if not beyond.any():
        return None
    first = int(np.argmax(beyond))
    return Collision(float(time[first]), int(np.argmax(relative[first])) + 1, values[first])
