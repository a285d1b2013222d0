"""Laws in axis positions: speeds (S004 Fig. 9), PD with gravity (Fig. 11), computed torque, feed-forward.

``e = q_d - q`` throughout. Each law is a function of what was measured, what is wanted, and the
controller's own model, which need not be the robot that is moved. What is of another type, shape or
number of axes, or not finite, is refused with an InputError. Friction of a measured speed is left
out unless asked for: near rest its sign is noise.
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
    axes_of,
    friction_torque,
    model_of,
    reference_of,
    state_of,
    weighed,
)


def axis_speed(state: Measured, reference: AxisReference, gain: ArrayLike) -> Array:
    """Axis speeds ``v_d + gain e`` that close the position error as ``e' = -gain e`` (S004, kinematic control in joint space).

    S004 prints ``q_d' + lambda q''``, which feeds no position back: the two dots stand for the
    tilde of the error.

    Args:
        state: What was measured; its speed is not used.
        reference: Where the axes should be.
        gain: ``lambda`` [1/s].

    Returns:
        Speeds [rad/s, m/s], shape ``(n,)``, for drives that follow them; :func:`speed_servo` turns
        them into torques.
    """
    position = posture(
        as_instance(state, Measured, "the state is Measured(q, v)").q, what="measured q"
    )
    goal = reference_of(reference, position.size)
    speed: Array = goal.v + weighed(gain, goal.q - position, "gain [1/s]")
    return speed


def speed_servo(
    state: Measured,
    speed: ArrayLike,
    model: Robot,
    gain: ArrayLike,
    *,
    friction: Stribeck | bool = False,
) -> Array:
    """Torques [N m, N] that bring the axes to a speed, as ``v' = gain (speed - v)``: the drive below a kinematic law."""
    here = state_of(state, model_of(model).n)
    wanted = weighed(gain, finite(speed, (model.n,), "speed") - here.v, "gain [1/s]")
    return torque(here, wanted, model, friction)


def pd_gravity(state: Measured, reference: AxisReference, model: Robot, gains: Gains) -> Array:
    """Torques ``kp e + kd e' + g(q)`` (S004, dynamic control in joint space).

    At rest it brings any posture to any other, with every positive gain: the energy ``1/2 v' M v +
    1/2 e' kp e`` falls by ``v' kd v``. It is no tracking law, as S004 has it: along a motion the
    torque ``M a + C v`` is missing, and an error stays.

    Args:
        state: What was measured.
        reference: Where the axes should be; its acceleration is not used.
        model: The controller's model.
        gains: [N m/rad, N m s/rad; N/m, N s/m for a linear axis].
    """
    here, goal = axes_of(state, reference, model)
    return _feedback(here, goal, gains) + model.gravity(here.q)


def computed_torque(
    state: Measured,
    reference: AxisReference,
    model: Robot,
    gains: Gains,
    *,
    friction: Stribeck | bool = False,
) -> Array:
    """Torques ``M (a_d + kd e' + kp e) + C v + g``, which make the error ``e'' + kd e' + kp e = 0`` where the model is right.

    Args:
        state: What was measured.
        reference: Where the axes should be.
        model: The controller's model.
        gains: [1/s^2, 1/s], such as ``Gains.of(frequency)``.
        friction: Friction at the measured speed to be added: True for the model's, or a law.

    Raises:
        MissingData: if friction is asked of a model that has no data.
    """
    here, goal = axes_of(state, reference, model)
    return torque(here, goal.a + _feedback(here, goal, gains), model, friction)


def feed_forward(
    state: Measured,
    reference: AxisReference,
    model: Robot,
    gains: Gains,
    *,
    friction: Stribeck | bool = True,
) -> Array:
    """Torques of the reference itself, ``M(q_d) a_d + C v_d + g + F(v_d)``, with ``kp e + kd e'`` for what they miss.

    The model is asked along the reference only, so that its torques can be computed beforehand, and
    the friction has the sign of a speed without noise.

    Args:
        state: What was measured.
        reference: Where the axes should be.
        model: The controller's model.
        gains: As for :func:`pd_gravity`.
        friction: Friction at the wanted speed to be added: True for the model's, or a law; False
            for none.

    Raises:
        MissingData: if friction is asked of a model that has no data.
    """
    here, goal = axes_of(state, reference, model)
    planned = torque(Measured(goal.q, goal.v), goal.a, model, friction)
    return planned + _feedback(here, goal, gains)


def torque(state: Measured, a: Array, model: Robot, friction: Stribeck | bool) -> Array:
    """Torques ``M a + C v + g + F(v)`` that give the measured arm an acceleration, as far as the model is right."""
    # an array: what a law commands may be far beyond what an axis can do
    rows = state.q[None], state.v[None], a[None]
    wanted: Array = model.inverse_dynamics(*rows, friction=False)[0]
    return wanted + friction_torque(model, state.v, friction)


def _feedback(state: Measured, reference: AxisReference, gains: Gains) -> Array:
    as_instance(gains, Gains, "gains are Gains(kp, kd)")
    position = weighed(gains.kp, reference.q - state.q, "kp")
    return position + weighed(gains.kd, reference.v - state.v, "kd")
