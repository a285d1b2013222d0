"""Newton's method on the axes of a chain, for many poses at once."""

from __future__ import annotations

import numpy as np

from ...model.mechanism import Mechanism
from ...model.types import Array, IntArray, Mask
from ..chain import poses_and_jacobian
from .closed_form import wrap_angle

STEPS = 60
LONGEST = 0.5  # [rad] of a step
PATIENCE, NEAR = 12, 1e-3  # steps after which it is given up unless so near [m, rad]
STEP = 1e-3  # [rad] for second differences
CLOSED = 1e-11  # [m, rad] largest error of a posture
CLOSE = 0.02  # least singular value, at 1 m, of a posture that has a second one close by
SAME = 1e-6  # [rad] between two postures that are one
MERGING = 1e-6  # least singular value, at 1 m, of a posture that is two in one
ENOUGH = 1e-14  # [m, rad] some roundings of a pose
LEAST = 1e-14  # damping where the Jacobian has lost a direction: above what rounding leaves of it


def newton(chain: Mechanism, poses: Array, q: Array) -> tuple[Array, Array, Array]:
    """Return postures of poses ``(K, 4, 4)`` of the chain's frame, from postures ``(K, 6)`` nearby.

    Damped by the squared error, so that it goes on where the Jacobian has lost a direction (and
    there halves the distance with every step only).

    Returns:
        The best posture ``(K, 6)``, its error [m, rad] ``(K,)``, and the least singular value of
        the Jacobian there at a length of 1 m, ``(K,)``.
    """
    q = q.copy()
    best, least = q.copy(), np.full(len(q), np.inf)
    active = np.arange(len(q))
    for number in range(STEPS):
        error, J = _error_and_jacobian(chain, poses[active], q[active])
        size = np.abs(error).max(axis=1)
        better = size < least[active]
        rows = active[better]
        best[rows], least[rows] = q[rows], size[better]
        on = (size > ENOUGH) & ((size < NEAR) | (number < PATIENCE))
        active, error, J, size = active[on], error[on], J[on], size[on]
        if not len(active):
            break
        transposed = np.swapaxes(J, 1, 2)
        damping = np.minimum(size * size, 1e-3) + LEAST
        step = transposed @ np.linalg.solve(
            J @ transposed + damping[:, None, None] * np.eye(6), error[..., None]
        )
        length = np.abs(step).max(axis=1, keepdims=True)
        q[active] = (
            q[active] + (step * np.minimum(1.0, LONGEST / np.maximum(length, 1e-300)))[..., 0]
        )
    smallest = np.linalg.svd(poses_and_jacobian(chain, best)[1], compute_uv=False)[:, -1]
    return best, np.asarray(least), np.asarray(smallest)


def polished(
    chain: Mechanism, poses: Array, pose: IntArray, q: Array
) -> tuple[IntArray, Array, Array]:
    """Return the postures next to others ``(K, 6)``, and those that are close to these.

    Args:
        chain: Of the arm.
        poses: Of the chain's frame, ``(N, 4, 4)``.
        pose: Numbers of the others' poses, ``(K,)``.
        q: The others.

    Returns:
        Numbers of poses, postures, and the least singular value at 1 m of each; some are the same.
    """
    pose, q, smallest = _closed(chain, poses, pose, q)
    close = smallest < CLOSE
    more = _closed(chain, poses, pose[close], partners(chain, q[close]))
    return (
        np.concatenate([pose, more[0]]),
        np.concatenate([q, more[1]]),
        np.concatenate([smallest, more[2]]),
    )


def first_of_each(pose: IntArray, q: Array) -> Mask:
    """Return which postures ``(K, 6)``, sorted by their poses, are no copy of one before them."""
    first = np.ones(len(pose), dtype=bool)
    for shift in range(1, len(pose)):
        together = pose[shift:] == pose[:-shift]
        if not together.any():
            break
        near = np.abs(wrap_angle(q[shift:] - q[:-shift])).max(axis=1) < SAME
        first[shift:] &= ~(together & near)
    return first


def _closed(
    chain: Mechanism, poses: Array, pose: IntArray, q: Array
) -> tuple[IntArray, Array, Array]:
    q, error, smallest = newton(chain, poses[pose], q)
    good = error < CLOSED
    return pose[good], q[good], smallest[good]


def partners(chain: Mechanism, q: Array) -> Array:
    """Return where postures ``(K, 6)`` near a singularity have a second one of the same pose.

    Along the direction in which the tool hardly moves, its way is a parabola: twice as far as the
    vertex it is back.
    """
    poses, J = poses_and_jacobian(chain, q)
    left, sizes, right = np.linalg.svd(J)
    along, slope = right[:, -1], sizes[:, -1]
    ways = [_error_and_jacobian(chain, poses, q + h * along)[0] for h in (STEP, -STEP)]
    bend = -np.einsum("ki,ki->k", left[:, :, -1], ways[0] + ways[1]) / STEP**2
    distance = -2.0 * slope / np.where(bend == 0.0, np.inf, bend)
    return np.asarray(q + np.clip(distance, -LONGEST, LONGEST)[:, None] * along)


def _error_and_jacobian(chain: Mechanism, poses: Array, q: Array) -> tuple[Array, Array]:
    """Return the twist ``(K, 6)`` that is missing to poses, linear first, and the Jacobian."""
    reached, J = poses_and_jacobian(chain, q)
    off = poses[:, :3, :3] @ np.swapaxes(reached[:, :3, :3], 1, 2)
    turn = [off[:, 2, 1] - off[:, 1, 2], off[:, 0, 2] - off[:, 2, 0], off[:, 1, 0] - off[:, 0, 1]]
    sine = 0.5 * np.stack(turn, axis=1)
    # beyond a right angle a sine falls again
    obtuse = np.trace(off, axis1=1, axis2=2) < 1.0
    length = np.maximum(np.linalg.norm(sine, axis=1), 1e-12)
    sine = sine * np.where(obtuse, 1.5 / length, 1.0)[:, None]
    return np.concatenate([poses[:, :3, 3] - reached[:, :3, 3], sine], axis=1), J
