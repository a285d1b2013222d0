"""Velocities and accelerations link by link, from the base to the tool, for one state.

The recursion is that of S004 eq. 30-33 and of its lines after eq. 44, corrected
(docs/background/errata.md), in modified DH frames. Axis positions go in: a parallelogram's joint
variables follow from them by the table's ``A``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .dh import DHTable
from .types import Array


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
    links = []
    axes = zip(
        [*steps, tip], [*(dh.A @ v), 0.0], [*(dh.A @ a), 0.0], [*dh.prismatic, False], strict=True
    )
    for step, rate, gain, slides in axes:
        R, p = step[:3, :3].T, step[:3, 3]
        dV = R @ (dV + np.cross(dw, p) + np.cross(w, np.cross(w, p)))
        V = R @ (V + np.cross(w, p))
        w, dw = R @ w, R @ dw
        along, faster = np.array([0.0, 0.0, rate]), np.array([0.0, 0.0, gain])
        if slides:
            V, dV = V + along, dV + faster + 2.0 * np.cross(w, along)
        else:
            dw = dw + np.cross(w, along) + faster
            w = w + along
        links.append((w, V, dw, dV))
    return LinkMotion(*(np.array(rows) for rows in zip(*links, strict=True)))
