"""What goes into a control law: what was measured, what is wanted, and gains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_instance, as_pose, finite, numbers, positive, short_repr
from ..errors import InputError, MissingData
from ..model.friction import Stribeck
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory.trajectory import posture


class Measured(NamedTuple):
    """State of the arm as the controller knows it."""

    q: Array
    """Axis positions [rad, m], shape ``(n,)``."""
    v: Array
    """Axis speeds [rad/s, m/s]."""
    wrench: Array | None = None
    """What the world exerts on the robot at the TCP, force [N] first, base axes, shape ``(6,)``.

    None without a sensor.
    """


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
        w, ratio = (
            positive(frequency, "the natural frequency of gains [rad/s]"),
            positive(damping, "the damping ratio of gains"),
        )
        return Gains(w * w, 2.0 * ratio * w)


def state_of(state: Measured, n: int | None = None) -> Measured:
    """Return a measured state of ``n`` axes, or of as many as it has, as finite arrays.

    Raises:
        InputError: if it is none.
    """
    q, v, wrench = as_instance(state, Measured, "the state is Measured(q, v)")
    position = posture(q, n, "measured q")
    load = None if wrench is None else finite(wrench, (6,), "measured wrench (force, moment)")
    return Measured(position, finite(v, position.shape, "measured v"), load)


def axes_of(
    state: Measured, reference: AxisReference, model: Robot | None = None
) -> tuple[Measured, AxisReference]:
    """Return a measured state and a reference of as many axes, those of the model where a law has one, as finite arrays.

    Raises:
        InputError: if one is something else, or they do not go together, or the reference looks
            like degrees.
    """
    here = state_of(state, None if model is None else model_of(model).n)
    return here, reference_of(reference, here.q.size, model)


def reference_of(reference: AxisReference, n: int, robot: Robot | None = None) -> AxisReference:
    """Return a reference of ``n`` axes as finite arrays.

    Raises:
        InputError: if it is none, or far beyond the ranges of a robot that is given.
    """
    given = as_instance(
        reference, AxisReference, "the reference of this law is an AxisReference(q, v, a)"
    )
    goal = AxisReference(
        *(finite(x, (n,), f"reference {name}") for name, x in zip("qva", given, strict=True))
    )
    return goal if robot is None else goal._replace(q=robot.states.one(goal.q))


def model_of(model: Robot) -> Robot:
    """Return the controller's model.

    Raises:
        InputError: if it is no robot.
    """
    return as_instance(model, Robot, "the model is an irbmodels.Robot, as irbmodels.load makes it")


def weighed(gain: ArrayLike, error: Array, what: str) -> Array:
    """Return a gain times an error ``(n,)``.

    Raises:
        InputError: if the gain is no number, ``(n,)`` or ``(n, n)``, is negative or not finite.
    """
    weight = numbers(gain, what)
    n = error.size
    if weight.shape not in ((), (n,), (n, n)) or not np.isfinite(weight).all():
        raise InputError(
            f"{what} needs a finite number, or shape ({n},) or ({n}, {n}), got {weight.tolist()}"
        )
    if (
        (weight < 0.0).any()
        if weight.ndim < 2
        else np.linalg.eigvalsh(weight + weight.T)[0] < -1e-9 * np.abs(weight).max()
    ):
        raise InputError(f"{what} must not be negative, or the error grows: {weight.tolist()}")
    return weight @ error if weight.ndim == 2 else weight * error


def friction_torque(model: Robot, v: Array, friction: Stribeck | bool) -> Array | float:
    """Friction that a law compensates: of the model's own data (True), of another law, or none (False).

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
    return law.torque(v)


def homogeneous(pose: pin.SE3 | ArrayLike) -> Array:
    """Return a pose as a matrix ``(4, 4)``.

    Raises:
        InputError: if it is none.
    """
    return as_pose(pose, "a pose")
