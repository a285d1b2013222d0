"""Small motions about rest: linear model, eigenfrequencies, frequency response."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_choice, as_instance
from ...errors import InputError
from ...model.types import Array, ComplexArray
from .linear import LinearModel, as_frequencies, solve
from .model import FlexibleModel

MotorState = Literal["free", "held"]
Source = Literal["torque", "wrench"]
_ROUNDING = 1e-13  # of the largest eigenvalue: what is left of 0


class SmallMotion(NamedTuple):
    """``H x'' + D x' + K x = f`` of ``x = (q, theta)``, ``(..., n + m, n + m)`` each."""

    H: Array
    D: Array
    K: Array
    stiffness: Array
    """Of each spring, shape ``(..., m)``; 0 in its dead zone."""


def small_motion(arm: FlexibleModel, q: Array) -> SmallMotion:
    """Inertia, damping and tangent stiffness about rest, gravity's gradient included."""
    n, elastic, rest = arm.n, arm.elastic, np.zeros_like(q)
    mass = arm.robot.mass_matrix(q)
    slope = arm.robot.inverse_dynamics_derivatives(q, rest, rest, friction=False).q
    deflection = (arm.equilibrium(q).theta - q)[..., elastic]
    motors = np.arange(elastic.size)
    to_deflection = np.zeros((elastic.size, n + elastic.size))
    to_deflection[motors, elastic], to_deflection[motors, n + motors] = -1.0, 1.0
    stiffness = arm.springs.slope(deflection)
    K = to_deflection.T @ (stiffness[..., None] * to_deflection)
    # the gradient of a gradient: symmetric but for rounding
    K[..., :n, :n] += 0.5 * (slope + np.swapaxes(slope, -1, -2))
    D = to_deflection.T @ (arm.springs.damping[:, None] * to_deflection)
    D[:n, :n] += np.diag(arm.bearing)
    viscous = arm.viscous
    if arm.friction_law is not None:
        slope = arm.friction_law.derivative(np.zeros(n))
        viscous = viscous + (arm.drive_axes.T * slope) @ arm.drive_axes
    D += arm.motor_positions.T @ viscous @ arm.motor_positions
    return SmallMotion(arm.inertia(mass), np.broadcast_to(D, K.shape), K, stiffness)


def linearized(arm: FlexibleModel, q: Array) -> LinearModel:
    """See :meth:`FlexibleRobot.linearized`."""
    H, D, K, _ = small_motion(arm, q)
    size, n = len(H), arm.n
    to_motors = arm.motor_positions
    inner = np.linalg.solve(H, np.hstack([-K, -D, to_motors.T]))
    A = np.block([[np.zeros((size, size)), np.eye(size)], [inner[:, : 2 * size]]])
    B = np.vstack([np.zeros((size, n)), inner[:, 2 * size :]])
    positions = np.vstack([np.eye(n, size), to_motors])
    return LinearModel(A, B, np.hstack([positions, np.zeros_like(positions)]), np.zeros((2 * n, n)))


def frequencies(arm: FlexibleModel, q: Array, motors: MotorState) -> Array:
    """See :meth:`FlexibleRobot.frequencies`."""
    H, _, K, stiffness = small_motion(arm, q)
    m, held = arm.elastic.size, _checked("motors", motors, MotorState) == "held"
    if held:
        H, K = (X[..., arm.elastic[:, None], arm.elastic] for X in (H, K))
    is_finite = np.asarray(np.isfinite(H + K).all(axis=(-2, -1), keepdims=True))
    H, K = (np.where(is_finite, X, np.eye(H.shape[-1])) for X in (H, K))
    root = np.linalg.cholesky(H)
    half = np.linalg.solve(root, K)
    squares = np.linalg.eigvalsh(np.linalg.solve(root, np.swapaxes(half, -1, -2)))
    elastic = squares[..., squares.shape[-1] - m :]  # below them: the arm moves as a whole
    floating = np.abs(elastic) <= _ROUNDING * squares[..., -1:]
    if not held:  # an axis in its dead zone floats
        floating |= np.arange(m) < np.count_nonzero(stiffness == 0.0, axis=-1)[..., None]
    elastic = np.where(floating, 0.0, elastic)
    return np.sqrt(np.where((elastic >= 0.0) & is_finite[..., 0], elastic, np.nan)) / (2.0 * np.pi)


def frequency_response(
    arm: FlexibleModel, q: Array, frequency: ArrayLike, to: str, source: Source, motors: MotorState
) -> ComplexArray:
    """See :meth:`FlexibleRobot.frequency_response`."""
    H, D, K, _ = small_motion(arm, q)
    n, size = arm.n, len(H)
    links = np.eye(n, size)
    by_torque = _checked("source", source, Source) == "torque"
    right = arm.motor_positions.T if by_torque else links.T @ arm.robot.jacobian(q).T
    out = {"links": links, "motors": arm.motor_positions}.get(
        as_instance(to, str, "what answers is links, motors or a frame")
    )
    if out is None:
        out = arm.robot.jacobian(q, to) @ links
    if _checked("motors", motors, MotorState) == "held":
        if by_torque:
            raise InputError(
                "held motors excite nothing: ask for source='wrench', or motors='free'"
            )
        kept = arm.elastic
        H, D, K = (X[np.ix_(kept, kept)] for X in (H, D, K))
        right, out = right[kept], out[:, kept]
    s = 2j * np.pi * as_frequencies(frequency)[..., None, None]
    return out @ solve(s * s * H + s * D + K, right)


def _checked(kind: str, value: str, known: object) -> str:
    names = get_args(known)
    return as_choice(as_instance(value, str, f"{kind} is one of {', '.join(names)}"), names, kind)
