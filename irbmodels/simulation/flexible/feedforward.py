"""Feed-forward of elastic joints: inverse dynamics and its time derivatives, in Taylor arithmetic.

A quantity that moves is an array of its Taylor coefficients in time, the order first. Each body
enters by its second moments in a 4 by 4 matrix [Uicker 1965]: with its pose T and ``P`` = integral
of ``p p'`` over it, ``(T'' - G) P T'`` holds all that moves it, force and moment alike, and the
torque of a joint is its product with the joint's twist.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...model.mechanism import Mechanism
from ...model.springs import CoilSpring, GasSpring, PullingElement, Spring
from ...model.types import Array
from .model import FlexibleModel


class Feedforward(NamedTuple):
    """Motion and torques of the motors in axis coordinates, shape ``(..., n)`` each."""

    torque: Array
    """Torques [N m, N]."""
    theta: Array
    """Positions [rad, m]."""
    theta_dot: Array
    """Speeds."""
    theta_ddot: Array
    """Accelerations."""


def feedforward(arm: FlexibleModel, motion: Array) -> Feedforward:
    """See :meth:`FlexibleRobot.feedforward`; derivatives of q from the 0th, ``(order, ..., n)``."""
    q = np.stack([derivative / math.factorial(k) for k, derivative in enumerate(motion)])
    links = link_torques(arm.mechanism, q)
    links += arm.bearing * time_derivative(q)[: len(links)]
    theta = q[: len(links)].copy()
    theta[..., arm.elastic] += _deflection(arm, links[..., arm.elastic])
    position, speed, acceleration = theta[0], theta[1], 2.0 * theta[2]
    torque = acceleration @ arm.rotor_inertia + speed @ arm.viscous + links[0]
    torque = torque + arm.friction_torque(q[0], speed)
    return Feedforward(torque, position, speed, acceleration)


def _deflection(arm: FlexibleModel, load: Array) -> Array:
    """Deflection where springs and dampers together carry ``load``, as coefficients of time.

    From the spring alone on, each pass takes the damper's torque from the one before; it costs the
    highest coefficient, which stays as it was.
    """
    deflection = arm.springs.deflection_series(load)
    for known in range(len(load) - 1, 0, -1) if arm.springs.damping.any() else ():
        rest = load[:known] - arm.springs.damping * time_derivative(deflection)[:known]
        deflection[:known] = arm.springs.deflection_series(rest)
    return deflection


def link_torques(mechanism: Mechanism, q: Array) -> Array:
    """Taylor coefficients of the links' torques, two less than of q ``(order, ..., n)``."""
    order, leading = len(q), q.shape[1:-1]
    poses: list[Array] = []
    twists: list[Array] = []
    efforts: list[Array] = []
    gravity = np.zeros((4, 4))
    gravity[:3, 3] = mechanism.gravity
    for joint in mechanism.joints:
        variable = q @ joint.row
        variable[0] += joint.offset
        fixed = np.eye(4)
        fixed[:3, :3], fixed[:3, 3] = joint.rotation, joint.position
        below = fixed if joint.parent < 0 else poses[joint.parent] @ fixed
        motion, generator = np.zeros((order, *leading, 4, 4)), np.zeros((4, 4))
        motion[0] = np.eye(4)
        if joint.prismatic:
            motion[..., 2, 3] = variable
            generator[2, 3] = 1.0
        else:
            cos, sin = _cos_sin(variable)
            rotation = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
            motion[..., :2, :2] = rotation
            generator[0, 1], generator[1, 0] = -1.0, 1.0
        pose = below @ motion if joint.parent < 0 else product(below, motion)
        poses.append(pose)
        acceleration = time_derivative(time_derivative(pose))
        acceleration[0] -= gravity
        efforts.append(
            product(acceleration @ _second_moments(joint.body), np.swapaxes(pose, -1, -2))
        )
        twists.append(product(pose[: order - 2] @ generator, _inverse(pose[: order - 2])))
    result = np.zeros((order - 2, *leading, mechanism.n))
    for i in reversed(range(len(poses))):
        joint = mechanism.joints[i]
        power = product(twists[i], np.swapaxes(efforts[i], -1, -2))
        result += np.trace(power, axis1=-2, axis2=-1)[..., None] * joint.row
        if joint.parent >= 0:
            efforts[joint.parent] = efforts[joint.parent] + efforts[i]
    for spring in mechanism.springs:
        position = q[: order - 2, ..., spring.axis - 1]
        result[..., spring.axis - 1] += _spring_torque(spring, position)
    return result


def _spring_torque(spring: Spring, q: Array) -> Array:
    """Coefficients of the torque that holds a spring, from those of its axis ``(order, ...)``."""
    if not isinstance(spring, PullingElement):  # linear in q
        series = spring.stiffness(q[0]) * q
        series[0] = spring.torque(q[0])
        return series
    both, of_cos, of_sin = spring.cosine_rule
    cos, sin = _cos_sin(q)
    square = -of_cos * cos - of_sin * sin
    square[0] += both
    lever = _times(0.5 * (of_cos * sin - of_sin * cos), _power(square, -0.5))
    stroke = _power(square, 0.5)
    stroke[0] -= spring.length
    if isinstance(spring, CoilSpring):
        force = spring.k * stroke
        force[0] += spring.F0
    elif isinstance(spring, GasSpring):
        left = -stroke / spring.column
        left[0] += 1.0
        force = spring.F0 * _power(left, -spring.exponent)
    else:
        raise NotImplementedError(f"no Taylor series of the force of a {type(spring).__name__}")
    return _times(force, lever)


def _times(a: Array, b: Array) -> Array:
    """Coefficients of the product of two numbers."""
    return product(a[..., None, None], b[..., None, None])[..., 0, 0]


def _power(x: Array, exponent: float) -> Array:
    """Coefficients of a power of a positive number, by ``x y' = exponent x' y``."""
    result = np.zeros_like(x)
    result[0] = x[0] ** exponent
    for k in range(1, len(x)):
        for i in range(1, k + 1):
            result[k] += (exponent * i - (k - i)) / k * x[i] * result[k - i]
        result[k] /= x[0]
    return result


def product(a: Array, b: Array) -> Array:
    """Coefficients ``c_k = a_k b_0 + .. + a_0 b_k`` of a matrix product, as many as both have."""
    order = min(len(a), len(b))
    padded = np.concatenate([a[:order], np.zeros_like(a[:1])])
    # k - i; the last of padded is 0, as are those before the first
    indices = np.subtract.outer(np.arange(order), np.arange(order))
    result: Array = (padded[np.maximum(indices, -1)] @ b[:order]).sum(axis=1)
    return result


def time_derivative(a: Array) -> Array:
    """Coefficients of the time derivative; one less."""
    return np.arange(1, len(a)).reshape(-1, *[1] * (a.ndim - 1)) * a[1:]


def _cos_sin(angle: Array) -> tuple[Array, Array]:
    """Coefficients of cosine and sine, by ``sin' = cos angle'`` and ``cos' = -sin angle'``."""
    cos, sin = np.zeros_like(angle), np.zeros_like(angle)
    cos[0], sin[0] = np.cos(angle[0]), np.sin(angle[0])
    for k in range(1, len(angle)):
        for i in range(1, k + 1):
            share = i / k * angle[i]
            sin[k] += share * cos[k - i]
            cos[k] -= share * sin[k - i]
    return cos, sin


def _inverse(pose: Array) -> Array:
    """Coefficients of the inverse of a pose."""
    transposed = np.swapaxes(pose[..., :3, :3], -1, -2)
    result = np.zeros_like(pose)
    result[..., :3, :3] = transposed
    result[..., :3, 3:] = -product(transposed, pose[..., :3, 3:])
    result[0, ..., 3, 3] = 1.0
    return result


def _second_moments(body: Array) -> Array:
    """``P`` of a body from its ten inertials: integral of ``p p'`` with ``p = (x, y, z, 1)``."""
    m, x, y, z, xx, xy, yy, xz, yz, zz = body
    half = 0.5 * (xx + yy + zz)
    return np.array(
        [[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, m]]
    )
