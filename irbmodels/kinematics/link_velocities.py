"""Velocities and accelerations link by link, and back from the tool to the axes, for one state.

The recursion is that of S004 eq. 30-33 and of its lines after eq. 44, corrected (docs/errata.md),
in modified DH frames; the way back is S003 eq. 2.66-2.69. Axis positions go in: a parallelogram's
joint variables follow from them by the table's ``A``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.dh import DHTable
from ..model.types import Array, Mask

_RANK = 1e-10  # share of the largest singular value below which a direction counts as lost
_MET = 1e-8  # [m/s, rad/s] or share of the wanted velocity within which it is met


class LinkMotion(NamedTuple):
    """Motion of every link frame and of the TCP in its own axes, shape ``(n + 1, 3)`` each.

    The last row is the TCP's.
    """

    angular: Array
    """Angular velocity [rad/s]."""
    linear: Array
    """Velocity of the frame's origin [m/s]."""
    angular_acceleration: Array
    """[rad/s^2]."""
    linear_acceleration: Array
    """Acceleration of the frame's origin [m/s^2], without gravity."""


def link_motion(
    dh: DHTable, q: Array, v: Array, a: Array, tool0_from_tcp: Array | None = None
) -> LinkMotion:
    """Propagate velocity and acceleration from the base to the TCP.

    Args:
        dh: Modified DH table.
        q: Axis positions [rad, m], shape ``(n,)``.
        v: Axis speeds.
        a: Axis accelerations.
        tool0_from_tcp: Pose of the TCP in tool0, ``(4, 4)``; default tool0 itself.
    """
    tip = dh.tool0 if tool0_from_tcp is None else dh.tool0 @ tool0_from_tcp
    poses = dh.frames(q)
    steps = [
        np.linalg.inv(inner) @ outer
        for inner, outer in zip([np.eye(4), *poses[:-2]], poses[:-1], strict=True)
    ]
    w, V, dw, dV = np.zeros((4, 3))
    found = []
    axes = zip(
        [*steps, tip], [*(dh.A @ v), 0.0], [*(dh.A @ a), 0.0], [*dh.prismatic, False], strict=True
    )
    for step, rate, gain, slides in axes:
        turn, place = step[:3, :3].T, step[:3, 3]
        dV = turn @ (dV + np.cross(dw, place) + np.cross(w, np.cross(w, place)))
        V = turn @ (V + np.cross(w, place))
        w, dw = turn @ w, turn @ dw
        along, faster = np.array([0.0, 0.0, rate]), np.array([0.0, 0.0, gain])
        if slides:
            V, dV = V + along, dV + faster + 2.0 * np.cross(w, along)
        else:
            dw = dw + np.cross(w, along) + faster
            w = w + along
        found.append((w, V, dw, dV))
    return LinkMotion(*(np.array(rows) for rows in zip(*found, strict=True)))


def singular_values(matrices: Array) -> tuple[Array, Array, Array]:
    """Singular value decompositions of matrices ``(..., m, n)``, with values NaN of those that are not finite."""
    sound = np.asarray(np.isfinite(matrices).all(axis=(-2, -1), keepdims=True))
    left, values, right = np.linalg.svd(np.where(sound, matrices, 0.0), full_matrices=False)
    return left, np.where(sound[..., 0], values, np.nan), right


def axis_rates(J: Array, wanted: Array) -> tuple[Array, Mask]:
    """Solve ``J x = wanted`` (S003 eq. 2.68), and say where that is possible.

    Where J has lost a direction, or the arm has fewer than six axes, there is a solution only for
    what lies in the range of J: the smallest one is returned.

    Args:
        J: Jacobians ``(..., 6, n)``.
        wanted: Velocities of the tool ``(..., 6)``, or accelerations less ``dJ/dt v`` (eq. 2.69).

    Returns:
        Rates ``(..., n)``, NaN where there is no solution, and whether there is one ``(...)``.
    """
    left, values, right = singular_values(J)
    kept = values > _RANK * values[..., :1]
    gains = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    x = np.swapaxes(right, -1, -2) @ (
        gains[..., None] * (np.swapaxes(left, -1, -2) @ wanted[..., None])
    )
    missed = np.linalg.norm((J @ x)[..., 0] - wanted, axis=-1)
    possible: Mask = missed <= _MET * np.maximum(1.0, np.linalg.norm(wanted, axis=-1))
    return np.where(possible[..., None], x[..., 0], np.nan), possible
