"""Laws in axis positions: speeds (S004 Fig. 9), PD with gravity (Fig. 11), computed torque.

``e = q_d - q`` throughout. Each law is a function of the measured state, the reference, and the
controller's own model, which need not be the robot that is moved. An argument of another type,
shape or number of axes, or not finite, is refused with an InputError. Friction of a measured speed
is left out unless asked for: near rest its sign is noise.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..checks import as_instance, finite
from ..model.friction import Stribeck
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory.trajectory import posture
from .signals import (
    AxisReference,
    Gains,
    Measured,
    apply_gain,
    checked_axes,
    checked_model,
    checked_reference,
    checked_state,
    friction_torque,
)


def axis_speed(state: Measured, reference: AxisReference, gain: ArrayLike) -> Array:
    """Axis speeds ``v_d + gain e``, so that ``e' = -gain e`` (S004, kinematic control of joints).

    S004 prints ``q_d' + lambda q''``, which feeds no position back: the two dots stand for the
    tilde of the error.

    Args:
        state: Measured state; its speed is not used.
        reference: Desired motion of the axes.
        gain: ``lambda`` [1/s].

    Returns:
        Speeds [rad/s, m/s], shape ``(n,)``, for drives that follow them; :func:`speed_servo` turns
        them into torques.
    """
    position = posture(
        as_instance(state, Measured, "the state is Measured(q, v)").q, what="measured q"
    )
    goal = checked_reference(reference, position.size)
    speed: Array = goal.v + apply_gain(gain, goal.q - position, "gain [1/s]")
    return speed


def speed_servo(
    state: Measured,
    speed: ArrayLike,
    model: Robot,
    gain: ArrayLike,
    *,
    friction: Stribeck | bool = False,
) -> Array:
    """Torques [N m, N] of the drive below a kinematic law, so that ``v' = gain (speed - v)``."""
    measured = checked_state(state, checked_model(model).n)
    a = apply_gain(gain, finite(speed, (model.n,), "speed") - measured.v, "gain [1/s]")
    return model_torque(measured, a, model, friction)


def pd_gravity(state: Measured, reference: AxisReference, model: Robot, gains: Gains) -> Array:
    """Torques ``kp e + kd e' + g(q)`` (S004, dynamic control in joint space).

    At rest it brings any posture to any other, with every positive gain: the energy ``1/2 v' M v +
    1/2 e' kp e`` falls by ``v' kd v``. It is no tracking law, as S004 has it: along a motion the
    torque ``M a + C v`` is missing, and an error stays.

    Args:
        state: Measured state.
        reference: Desired motion of the axes; its acceleration is not used.
        model: The controller's model.
        gains: [N m/rad, N m s/rad; N/m, N s/m for a linear axis].
    """
    measured, goal = checked_axes(state, reference, model)
    return _feedback(measured, goal, gains) + model.gravity(measured.q)


def computed_torque(
    state: Measured,
    reference: AxisReference,
    model: Robot,
    gains: Gains,
    *,
    friction: Stribeck | bool = False,
) -> Array:
    """Torques ``M (a_d + kd e' + kp e) + C v + g``.

    They make the error ``e'' + kd e' + kp e = 0`` where the model is right.

    Args:
        state: Measured state.
        reference: Desired motion of the axes.
        model: The controller's model.
        gains: [1/s^2, 1/s], such as ``Gains.of(frequency)``.
        friction: Friction at the measured speed to be added: True for the model's, or a law.

    Raises:
        MissingData: if friction is asked of a model that has no data.
    """
    measured, goal = checked_axes(state, reference, model)
    return model_torque(measured, goal.a + _feedback(measured, goal, gains), model, friction)


def feed_forward(
    state: Measured,
    reference: AxisReference,
    model: Robot,
    gains: Gains,
    *,
    friction: Stribeck | bool = True,
) -> Array:
    """Torques of the reference, ``M(q_d) a_d + C v_d + g + F(v_d)``, and ``kp e + kd e'``.

    The model is evaluated along the reference only, so that its torques can be computed beforehand,
    and the friction has the sign of a speed without noise.

    Args:
        state: Measured state.
        reference: Desired motion of the axes.
        model: The controller's model.
        gains: As for :func:`pd_gravity`.
        friction: Friction at the desired speed to be added: True for the model's, or a law; False
            for none.

    Raises:
        MissingData: if friction is asked of a model that has no data.
    """
    measured, goal = checked_axes(state, reference, model)
    planned = model_torque(Measured(goal.q, goal.v), goal.a, model, friction)
    return planned + _feedback(measured, goal, gains)


def model_torque(state: Measured, a: Array, model: Robot, friction: Stribeck | bool) -> Array:
    """Torques ``M a + C v + g + F(v)`` of the model for an acceleration of the measured arm."""
    # an array of one state, which may be far beyond the limits of an axis
    rows = state.q[None], state.v[None], a[None]
    tau: Array = model.inverse_dynamics(*rows, friction=False)[0]
    return tau + friction_torque(model, state.q, state.v, friction)


def _feedback(state: Measured, reference: AxisReference, gains: Gains) -> Array:
    as_instance(gains, Gains, "gains are Gains(kp, kd)")
    position = apply_gain(gains.kp, reference.q - state.q, "kp")
    return position + apply_gain(gains.kd, reference.v - state.v, "kd")
