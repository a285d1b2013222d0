"""Inputs of control laws: measured state, references and gains."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, finite, numbers, positive, short_repr
from ..dynamics import equations_of_motion as dynamics
from ..errors import InputError, MissingData
from ..model.friction import Stribeck
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory.trajectory import posture


class Measured(NamedTuple):
    """Measured state of the arm."""

    q: Array
    """Axis positions [rad, m], shape ``(n,)``."""
    v: Array
    """Axis speeds [rad/s, m/s]."""
    wrench: Array | None = None
    """External wrench on the robot at the TCP, force [N] first, base axes, shape ``(6,)``.

    None without a sensor.
    """


class AxisReference(NamedTuple):
    """Desired position, speed and acceleration of the axes at one time, shape ``(n,)`` each."""

    q: Array
    v: Array
    a: Array


class TcpReference(NamedTuple):
    """Desired pose, twist and acceleration of the TCP at one time, in the base."""

    pose: Array
    """Shape ``(4, 4)``."""
    twist: Array
    """Velocity [m/s], then angular velocity [rad/s], shape ``(6,)``."""
    acceleration: Array
    """Its time derivative [m/s^2, rad/s^2], shape ``(6,)``."""


class Gains(NamedTuple):
    """Gains of position and speed.

    One number, one per axis (or task row) ``(n,)``, or a matrix ``(n, n)``.
    """

    kp: ArrayLike
    kd: ArrayLike

    @staticmethod
    def of(frequency: float, damping: float = 1.0) -> Gains:
        """Return the gains [1/s^2, 1/s] of ``e'' + kd e' + kp e = 0``.

        Args:
            frequency: Natural frequency [rad/s].
            damping: Damping ratio.

        Raises:
            InputError: if one is not positive.
        """
        w = positive(frequency, "the natural frequency of gains [rad/s]")
        return Gains(w * w, 2.0 * positive(damping, "the damping ratio of gains") * w)


def checked_state(state: Measured, n: int | None = None) -> Measured:
    """Return a measured state of ``n`` axes, or of as many as it has, as finite arrays.

    Raises:
        InputError: if it is none.
    """
    q, v, wrench = as_instance(state, Measured, "the state is Measured(q, v)")
    position = posture(q, n, "measured q")
    load = None if wrench is None else finite(wrench, (6,), "measured wrench (force, moment)")
    return Measured(position, finite(v, position.shape, "measured v"), load)


def checked_axes(
    state: Measured, reference: AxisReference, model: Robot | None = None
) -> tuple[Measured, AxisReference]:
    """Return a measured state and a reference of as many axes, as finite arrays.

    Args:
        state: Measured state.
        reference: Reference of the axes.
        model: Model of as many axes, where a law has one.

    Raises:
        InputError: if one is something else, or they do not go together, or the reference looks
            like degrees.
    """
    measured = checked_state(state, None if model is None else checked_model(model).n)
    return measured, checked_reference(reference, measured.q.size, model)


def checked_reference(
    reference: AxisReference, n: int, robot: Robot | None = None
) -> AxisReference:
    """Return a reference of ``n`` axes as finite arrays.

    Raises:
        InputError: if it is none, or far beyond the ranges of a robot that is given.
    """
    what = "the reference of this law is an AxisReference(q, v, a)"
    parts = zip("qva", as_instance(reference, AxisReference, what), strict=True)
    goal = AxisReference(*(finite(value, (n,), f"reference {name}") for name, value in parts))
    return goal if robot is None else goal._replace(q=robot.states.one(goal.q))


def checked_model(model: Robot) -> Robot:
    """Return the controller's model.

    Raises:
        InputError: if it is no robot.
    """
    return as_instance(model, Robot, "the model is an irbmodels.Robot, as irbmodels.load makes it")


def apply_gain(gain: ArrayLike, error: Array, what: str) -> Array:
    """Return a gain times an error ``(n,)``.

    Raises:
        InputError: if the gain is no number, ``(n,)`` or ``(n, n)``, is negative or not finite.
    """
    factor = numbers(gain, what)
    n = error.size
    if factor.shape not in ((), (n,), (n, n)) or not np.isfinite(factor).all():
        raise InputError(
            f"{what} needs a finite number, or shape ({n},) or ({n}, {n}), got {factor.tolist()}"
        )
    least = np.linalg.eigvalsh(factor + factor.T)[0] if factor.ndim == 2 else factor.min()
    if least < (-1e-9 * np.abs(factor).max() if factor.ndim == 2 else 0.0):
        raise InputError(f"{what} must not be negative, or the error grows: {factor.tolist()}")
    return factor @ error if factor.ndim == 2 else factor * error


def friction_torque(model: Robot, q: Array, v: Array, friction: Stribeck | bool) -> Array | float:
    """Friction of the model's drives that a law compensates, along the axes, shape ``(n,)``.

    Args:
        model: The controller's model.
        q: Positions, for the load of a friction law that depends on it.
        v: Speeds.
        friction: True for the model's law, another one, or False for none.

    Raises:
        MissingData: if True and nobody has published friction of this robot.
    """
    if not isinstance(friction, bool | Stribeck):
        raise InputError(
            "friction is True (the model's), False (none) or an irbmodels.Stribeck, not"
            f" {short_repr(friction)}"
        )
    if friction is False:
        return 0.0
    law = model.friction_model if friction is True else friction
    if law is None:
        raise MissingData(
            f"{model.name} has no friction data: friction=False, or an irbmodels.Stribeck of"
            " your own"
        )
    if law.Fc.shape != v.shape:
        raise InputError(
            f"the friction law is one of {law.Fc.size} axes, {model.name} has {v.size}"
        )
    if not (model.dynamic_model.has_coupled_drives or law.needs_load):
        return law.torque(v)
    return dynamics.friction(replace(model.dynamic_model, friction=law), q, v)
