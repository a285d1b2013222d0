"""Small motions about rest: linear model, eigenfrequencies, frequency response."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance
from ...errors import InputError, UnknownName
from ...model.types import Array, ComplexArray
from .linear import LinearModel, frequencies_of, solved
from .model import FlexibleModel

Hold = Literal["free", "held"]
Source = Literal["torque", "wrench"]
_ROUNDING = 1e-13  # of the largest eigenvalue: what is left of 0


class Small(NamedTuple):
    """``H x'' + D x' + K x = f`` of ``x = (q, theta of the elastic axes)``, shape ``(..., n + m, n + m)`` each."""

    H: Array
    D: Array
    K: Array
    stiffness: Array
    """Of each spring, shape ``(..., m)``; 0 in its dead zone."""


def small(arm: FlexibleModel, q: Array) -> Small:
    """Return inertia, damping and tangent stiffness about rest.

    Gravity's gradient is part of the stiffness.
    """
    n, elastic, rest = arm.n, arm.elastic, np.zeros_like(q)
    mass = arm.robot.mass_matrix(q)
    slope = arm.robot.inverse_dynamics_derivatives(q, rest, rest, friction=False).q
    apart = (arm.equilibrium(q).theta - q)[..., elastic]
    size = n + elastic.size
    spread = np.zeros((elastic.size, size))  # how far each motor is ahead of its link
    spread[np.arange(elastic.size), elastic] = -1.0
    spread[np.arange(elastic.size), n + np.arange(elastic.size)] = 1.0
    stiffness = arm.springs.slope(apart)
    K = spread.T @ (stiffness[..., None] * spread)
    # the gradient of a gradient: symmetric but for rounding
    K[..., :n, :n] += 0.5 * (slope + np.swapaxes(slope, -1, -2))
    D = spread.T @ (arm.springs.damping[:, None] * spread)
    D[:n, :n] += np.diag(arm.bearing)
    rubbing = (
        arm.viscous if arm.friction_law is None else arm.viscous + np.diag(arm.friction_law.Fv)
    )
    D += arm.motor_positions.T @ rubbing @ arm.motor_positions
    return Small(arm.inertia(mass), np.broadcast_to(D, K.shape), K, stiffness)


def linearized(arm: FlexibleModel, q: Array) -> LinearModel:
    """See :meth:`FlexibleRobot.linearized`."""
    H, D, K, _ = small(arm, q)
    size, n = len(H), arm.n
    turning = arm.motor_positions
    inner = np.linalg.solve(H, np.hstack([-K, -D, turning.T]))
    A = np.block([[np.zeros((size, size)), np.eye(size)], [inner[:, : 2 * size]]])
    B = np.vstack([np.zeros((size, n)), inner[:, 2 * size :]])
    positions = np.vstack([np.eye(n, size), turning])
    return LinearModel(A, B, np.hstack([positions, np.zeros_like(positions)]), np.zeros((2 * n, n)))


def frequencies(arm: FlexibleModel, q: Array, motors: Hold) -> Array:
    """See :meth:`FlexibleRobot.frequencies`."""
    H, _, K, stiffness = small(arm, q)
    m, held = arm.elastic.size, _checked("motors", motors, Hold) == "held"
    if held:
        H, K = (X[..., arm.elastic[:, None], arm.elastic] for X in (H, K))
    sound = np.asarray(np.isfinite(H + K).all(axis=(-2, -1), keepdims=True))
    H, K = (np.where(sound, X, np.eye(H.shape[-1])) for X in (H, K))
    root = np.linalg.cholesky(H)
    half = np.linalg.solve(root, K)
    squares = np.linalg.eigvalsh(np.linalg.solve(root, np.swapaxes(half, -1, -2)))
    swinging = squares[..., squares.shape[-1] - m :]  # below them: the arm moves as a whole
    loose = np.abs(swinging) <= _ROUNDING * squares[..., -1:]
    if not held:  # and so does, from its motor, what floats in a dead zone
        loose |= np.arange(m) < np.count_nonzero(stiffness == 0.0, axis=-1)[..., None]
    swinging = np.where(loose, 0.0, swinging)
    return np.sqrt(np.where((swinging >= 0.0) & sound[..., 0], swinging, np.nan)) / (2.0 * np.pi)


def frequency_response(
    arm: FlexibleModel, q: Array, frequency: ArrayLike, to: str, source: Source, motors: Hold
) -> ComplexArray:
    """See :meth:`FlexibleRobot.frequency_response`."""
    H, D, K, _ = small(arm, q)
    n, size = arm.n, len(H)
    links = np.eye(n, size)
    by_torque = _checked("source", source, Source) == "torque"
    right = arm.motor_positions.T if by_torque else links.T @ arm.robot.jacobian(q).T
    out = {"links": links, "motors": arm.motor_positions}.get(
        as_instance(to, str, "what answers is links, motors or a frame")
    )
    if out is None:
        out = arm.robot.jacobian(q, to) @ links
    if _checked("motors", motors, Hold) == "held":
        if by_torque:
            raise InputError(
                "held motors excite nothing: ask for source='wrench', or motors='free'"
            )
        kept = arm.elastic
        H, D, K = (X[np.ix_(kept, kept)] for X in (H, D, K))
        right, out = right[kept], out[:, kept]
    s = 2j * np.pi * frequencies_of(frequency)[..., None, None]
    return out @ solved(s * s * H + s * D + K, right)


def _checked(kind: str, value: str, known: object) -> str:
    if as_instance(value, str, f"{kind} is one of {', '.join(get_args(known))}") not in get_args(
        known
    ):
        raise UnknownName(kind, value, get_args(known))
    return value
