"""Newton-Euler recursion for open chains of revolute and prismatic joints: S004 eq. 44-48.

Outward the motion of :func:`irbmodels.model.dh_motion.link_motion`, inward what each
joint must pass on. S004 does not say how gravity comes in: the base is accelerated against it
(docs/background/errata.md, 4-19 to 4-23).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite
from ...errors import InputError
from ...model.dh_motion import link_motion
from ...model.types import Array
from ..oracles import Chain


class JointLoads(NamedTuple):
    """Loads of link i - 1 on link i, at frame i's origin and in its axes, and axis torques."""

    force: Array
    """``f`` [N], shape ``(n, 3)`` (eq. 45)."""
    moment: Array
    """``n`` [N m], shape ``(n, 3)`` (eq. 46)."""
    tau: Array
    """Axis torques ``A' tau`` without friction [N m, N], ``(n,)`` (eq. 47, 48), rotors included."""


def joint_loads(chain: Chain, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> JointLoads:
    """Compute forces and moments in the joints, and axis torques, of one state.

    Args:
        chain: The arm as numbers (:func:`irbmodels.exchange.verify.check.chain_of`).
        q: Axis positions [rad, m], shape ``(n,)``.
        v: Axis speeds.
        a: Axis accelerations.

    Raises:
        InputError: if a shape is wrong, a number is not finite, or the arm has bars with mass: it
            is no open chain.
    """
    if chain.bars:
        raise InputError(
            "bars with mass make a closed loop; this recursion is for open chains"
            " (coupling='serial')"
        )
    table, n = chain.table, len(chain.bodies)
    position, speed = finite(q, (n,), "axis positions"), finite(v, (n,), "axis speeds")
    acceleration = finite(a, (n,), "axis accelerations")
    motion, poses = link_motion(table, position, speed, acceleration), table.frames(position)
    forces, moments, tau = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)
    for i in reversed(range(n)):
        w, dw = motion.angular[i], motion.angular_acceleration[i]
        # the base accelerates against gravity
        origin = motion.linear_acceleration[i] - poses[i][:3, :3].T @ chain.gravity
        for body in chain.bodies[i]:
            com = origin + np.cross(dw, body.com) + np.cross(w, np.cross(w, body.com))
            force = body.mass * com
            forces[i] += force
            moments[i] += (
                body.tensor @ dw + np.cross(w, body.tensor @ w) + np.cross(body.com, force)
            )
        if i + 1 < n:
            step = np.linalg.inv(poses[i]) @ poses[i + 1]
            outboard = step[:3, :3] @ forces[i + 1]
            forces[i] += outboard
            moments[i] += step[:3, :3] @ moments[i + 1] + np.cross(step[:3, 3], outboard)
        tau[i] = forces[i, 2] if table.prismatic[i] else moments[i, 2]
    rotors = chain.drive_axes.T @ (chain.rotors * (chain.drive_axes @ acceleration))
    return JointLoads(forces, moments, table.A.T @ tau + rotors)
