"""Adaptive control after Slotine and Li [1987]: the arm's base parameters are learnt while it follows its reference."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, finite, number
from ..errors import InputError
from ..model.types import Array
from ..robot.base_parameters import BaseParameters
from ..robot.robot import Robot
from .signals import AxisReference, Measured, axes_of, model_of, weighed


class AdaptiveGains(NamedTuple):
    """Gains of :func:`adaptive`: a number, one per axis, or a matrix.

    The last one number or one per base parameter.
    """

    slope: ArrayLike
    """``Lambda`` [1/s]: on ``s = 0`` the error decays as ``e' = -Lambda e``."""
    kd: ArrayLike
    """[N m s/rad, N s/m]."""
    adaptation: ArrayLike
    """``Gamma``, ``(rank,)``: how fast each base parameter moves, [its unit squared per joule]."""


class AdaptiveMemory(NamedTuple):
    """What the law has learnt."""

    parameters: Array
    """Base parameters, shape ``(rank,)``, in the units of ``BaseParameters.units``."""

    @staticmethod
    def of(base: BaseParameters, robot: Robot) -> AdaptiveMemory:
        """Return the memory of a law that starts with what a robot's model says."""
        return AdaptiveMemory(_base_of(base).values(model_of(robot).parameter_vector()))


class AdaptiveStep(NamedTuple):
    """Torque of the law, the rate at which it learns, and the error that drives it."""

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
    """Torques ``Y(q, v, v_r, a_r) beta + kd s``, and what was learnt since the last sample: ``beta' = Gamma Y' s``.

    ``v_r = v_d + Lambda e``, ``a_r = a_d + Lambda e'``, ``s = v_r - v``. With the true parameters
    ``b`` the energy ``1/2 s' M s + 1/2 (b - beta)' Gamma^-1 (b - beta)`` falls by ``s' kd s``, so
    the error goes to zero; the parameters become right only if the motion shows them all.

    Args:
        state: What was measured.
        reference: Where the axes should be.
        model: The controller's model: only its lengths and gravity are used, not its masses.
        gains: Gains.
        base: The base parameters of the model, of all axes
            (:func:`irbmodels.robot.base_parameters.base_parameters`).
        memory: What the last sample left; first ``AdaptiveMemory.of(base, model)``, or zeros.
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
    here, goal = axes_of(state, reference, model)
    as_instance(
        gains, AdaptiveGains, "gains of adaptive control are AdaptiveGains(slope, kd, adaptation)"
    )
    as_instance(memory, AdaptiveMemory, "the memory of adaptive control is an AdaptiveMemory")
    if len(_base_of(base).axes) != model.n:
        raise InputError(
            f"adaptive control needs base parameters of all {model.n} axes, these are of"
            f" {len(base.axes)}"
        )
    beta = finite(memory.parameters, (base.rank,), "base parameters")
    error, rate = goal.q - here.q, goal.v - here.v
    v_r = goal.v + weighed(gains.slope, error, "slope [1/s]")
    a_r = goal.a + weighed(gains.slope, rate, "slope [1/s]")
    s = v_r - here.v
    Y = base.reduced(tracking_regressor(model, here.q, here.v, v_r, a_r))
    learnt = weighed(gains.adaptation, Y.T @ s, "adaptation")
    return AdaptiveStep(Y @ beta + weighed(gains.kd, s, "kd"), learnt, s)


def tracking_regressor(
    model: Robot, q: ArrayLike, v: ArrayLike, v_r: ArrayLike, a_r: ArrayLike
) -> Array:
    """Matrix whose product with ``parameter_vector()`` is ``M a_r + C(q, v) v_r + g + F(v)``, shape ``(n, p)``.

    The product ``C(q, v) w`` of the Christoffel symbols is symmetric in ``v`` and ``w``; with
    ``c(v) = C(q, v) v`` it is ``(c(v + w) - c(v - w)) / 4``, so the robot's own regressor gives it.
    Friction is that of ``v``.
    """
    rest = np.zeros(model_of(model).n)
    position, speed, wanted = (
        finite(x, rest.shape, name) for x, name in ((q, "q"), (v, "v"), (v_r, "v_r"))
    )
    wanted_rate = finite(a_r, rest.shape, "a_r")
    speeds, rates = (
        np.array([speed + wanted, speed - wanted, rest]),
        np.array([rest, rest, wanted_rate]),
    )
    fast, slow, still = model.regressor(np.tile(position, (3, 1)), speeds, rates)
    Y: Array = still + 0.25 * (fast - slow)
    if model.friction_model is not None:
        Y[:, -3 * model.n :] = model.friction_model.regressor(speed)
    return Y


def _base_of(base: BaseParameters) -> BaseParameters:
    return as_instance(
        base,
        BaseParameters,
        "base parameters are those of irbmodels.robot.base_parameters.base_parameters(robot)",
    )
