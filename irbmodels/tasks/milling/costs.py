"""Costs of a cut for the choice of a free angle (:mod:`irbmodels.tasks.free_angle`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite, positive
from ...errors import InputError
from ...model.types import Array
from ...robot.robot import Robot
from ..free_angle import Cost
from .cutting import CuttingForce
from .loads import checked_force, deflected, process_wrench, stiffness_of

SIX = 6  # axes of an arm with a free angle
ALONG_X = (1.0, 0.0, 0.0)


def torque_cost(force: CuttingForce, feed: ArrayLike = ALONG_X) -> Cost:
    """Cost of postures: the largest share of an effort limit that gravity and a cut take together.

    1 at the limit.

    Args:
        force: In the frame of the cut.
        feed: Direction of the feed in the frames of the path's poses, before the free turn about
            their z; default their x.
    """
    checked_force(force)
    direction = _direction(feed)

    def share(robot: Robot, q: Array, phi: Array) -> Array:
        wrench = process_wrench(robot, q, _in_base(robot, q, phi, direction), force)
        needed = robot.gravity(q) - np.einsum("...ij,...i->...j", robot.jacobian(q), wrench)
        worst: Array = (np.abs(needed) / robot.limits.effort).max(axis=-1)
        return worst

    return Cost.of(share, "torque of the cut")


def deflection_cost(
    force: CuttingForce, stiffness: ArrayLike, allowed: float, feed: ArrayLike = ALONG_X
) -> Cost:
    """Cost of postures: how far the TCP gives way under a cut, over what is ``allowed`` [m].

    Args:
        force: In the frame of the cut.
        stiffness: Of each axis, arm side [N m/rad], shape ``(n,)``.
        allowed: Deflection [m] that costs 1.
        feed: As for :func:`torque_cost`.
    """
    checked_force(force)
    direction, k = _direction(feed), stiffness_of(stiffness, SIX)
    positive(allowed, "the allowed deflection [m]")

    def moved(robot: Robot, q: Array, phi: Array) -> Array:
        wrench = process_wrench(robot, q, _in_base(robot, q, phi, direction), force)
        away: Array = np.linalg.norm(deflected(robot.jacobian(q), wrench, k)[..., :3], axis=-1)
        return away / allowed

    return Cost.of(moved, "deflection by the cut")


def _in_base(robot: Robot, q: Array, phi: Array, direction: Array) -> Array:
    """Return a direction of the path's poses in base axes ``(K, 3)``, tools turned by ``phi``."""
    c, s = np.cos(phi), np.sin(phi)
    x, y, z = direction
    back = np.stack([c * x + s * y, c * y - s * x, np.broadcast_to(z, phi.shape)], axis=-1)
    turned: Array = np.einsum("kij,kj->ki", robot.pose(q)[:, :3, :3], back)
    return turned


def _direction(feed: ArrayLike) -> Array:
    direction = finite(feed, (3,), "feed")
    if not direction.any():
        raise InputError("the feed needs a direction, got 0, 0, 0")
    return direction
