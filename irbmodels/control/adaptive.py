"""Adaptive control after Slotine and Li [1987]: base parameters are learnt along the reference."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, finite, number
from ..dynamics.equations_of_motion import friction_columns
from ..errors import InputError
from ..model.types import Array
from ..robot.base_parameters import BaseParameters
from ..robot.robot import Robot
from .signals import AxisReference, Measured, apply_gain, checked_axes, checked_model


class AdaptiveGains(NamedTuple):
    """Gains of :func:`adaptive`: a number, one per axis (or base parameter), or a matrix."""

    slope: ArrayLike
    """``Lambda`` [1/s]: on ``s = 0`` the error decays as ``e' = -Lambda e``."""
    kd: ArrayLike
    """[N m s/rad, N s/m]."""
    adaptation: ArrayLike
    """``Gamma``, ``(rank,)``: learning rates of base parameters [their units squared per joule]."""


class AdaptiveMemory(NamedTuple):
    """Base parameters that the law has learnt."""

    parameters: Array
    """Base parameters, shape ``(rank,)``, in the units of ``BaseParameters.units``."""

    @staticmethod
    def of(base: BaseParameters, robot: Robot) -> AdaptiveMemory:
        """Return the memory of a law that starts with the parameters of a robot's model."""
        return AdaptiveMemory(_checked_base(base).values(checked_model(robot).parameter_vector()))


class AdaptiveStep(NamedTuple):
    """Torque of the law, its learning rate, and the error that drives it."""

    tau: Array
    rate: Array
    """Of the base parameters, per second, shape ``(rank,)``."""
    s: Array
    """``e' + Lambda e`` [rad/s, m/s], shape ``(n,)``."""


def adaptive(
    state: Measured,
    reference: AxisReference,
    model: Robot,
    gains: AdaptiveGains,
    base: BaseParameters,
    memory: AdaptiveMemory,
    period: float,
) -> tuple[Array, AdaptiveMemory]:
    """Torques ``Y(q, v, v_r, a_r) beta + kd s`` with parameters learnt as ``beta' = Gamma Y' s``.

    ``v_r = v_d + Lambda e``, ``a_r = a_d + Lambda e'``, ``s = v_r - v``. With the true parameters
    ``b`` the energy ``1/2 s' M s + 1/2 (b - beta)' Gamma^-1 (b - beta)`` falls by ``s' kd s``, so
    the error goes to zero; the parameters become right only if the motion shows them all.

    Args:
        state: Measured state.
        reference: Desired motion of the axes.
        model: The controller's model: only its lengths and gravity are used, not its masses.
        gains: Gains.
        base: Base parameters of the model, of all axes
            (:func:`irbmodels.robot.base_parameters.base_parameters`).
        memory: Memory of the last sample; first ``AdaptiveMemory.of(base, model)``, or zeros.
        period: Time since the last sample [s].

    Returns:
        Torques [N m, N], shape ``(n,)``, and the memory for the next sample.
    """
    step = adaptive_step(state, reference, model, gains, base, memory)
    return step.tau, AdaptiveMemory(
        memory.parameters + number(period, "period [s]", 0.0) * step.rate
    )


def adaptive_step(
    state: Measured,
    reference: AxisReference,
    model: Robot,
    gains: AdaptiveGains,
    base: BaseParameters,
    memory: AdaptiveMemory,
) -> AdaptiveStep:
    """Return torque and learning rate of :func:`adaptive`, before any step in time.

    Raises:
        InputError: if an argument is of another type or shape or not finite, or the parameters are
            not those of all axes.
    """
    measured, goal = checked_axes(state, reference, model)
    as_instance(
        gains, AdaptiveGains, "gains of adaptive control are AdaptiveGains(slope, kd, adaptation)"
    )
    as_instance(memory, AdaptiveMemory, "the memory of adaptive control is an AdaptiveMemory")
    if len(_checked_base(base).axes) != model.n:
        raise InputError(
            f"adaptive control needs base parameters of all {model.n} axes, these are of"
            f" {len(base.axes)}"
        )
    beta = finite(memory.parameters, (base.rank,), "base parameters")
    v_r = goal.v + apply_gain(gains.slope, goal.q - measured.q, "slope [1/s]")
    a_r = goal.a + apply_gain(gains.slope, goal.v - measured.v, "slope [1/s]")
    s = v_r - measured.v
    Y = base.reduced(tracking_regressor(model, measured.q, measured.v, v_r, a_r))
    rate = apply_gain(gains.adaptation, Y.T @ s, "adaptation")
    return AdaptiveStep(Y @ beta + apply_gain(gains.kd, s, "kd"), rate, s)


def tracking_regressor(
    model: Robot, q: ArrayLike, v: ArrayLike, v_r: ArrayLike, a_r: ArrayLike
) -> Array:
    """Regressor of ``M a_r + C(q, v) v_r + g + F(v)`` by ``parameter_vector()``, ``(n, p)``.

    The product ``C(q, v) w`` of the Christoffel symbols is symmetric in ``v`` and ``w``; with
    ``c(v) = C(q, v) v`` it is ``(c(v + w) - c(v - w)) / 4``, so the robot's own regressor gives it.
    Friction is that of ``v``.
    """
    rest = np.zeros(checked_model(model).n)
    arguments = {"q": q, "v": v, "v_r": v_r, "a_r": a_r}
    position, speed, other, acceleration = (
        finite(value, rest.shape, name) for name, value in arguments.items()
    )
    speeds = np.array([speed + other, speed - other, rest, speed])
    accelerations = np.array([rest, rest, acceleration, rest])
    fast, slow, still, moving = model.regressor(np.tile(position, (4, 1)), speeds, accelerations)
    Y: Array = still + 0.25 * (fast - slow)
    friction = friction_columns(model.dynamic_model)
    Y[:, friction] = moving[:, friction]
    return Y


def _checked_base(base: BaseParameters) -> BaseParameters:
    return as_instance(
        base,
        BaseParameters,
        "base parameters are those of irbmodels.robot.base_parameters.base_parameters(robot)",
    )
