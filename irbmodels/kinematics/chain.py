"""Poses and Jacobians of a chain of turning joints, for arrays of postures."""

from __future__ import annotations

import numpy as np

from ..model.mechanism import Mechanism
from ..model.types import Array


def poses_and_jacobian(chain: Mechanism, q: Array) -> tuple[Array, Array]:
    """Return poses ``(K, 4, 4)`` of the chain's frame in the base, and its Jacobian there.

    Linear rows [m/rad] first, ``(K, 6, n)``, for axis positions ``(K, n)``.
    """
    assert chain.frame is not None
    rotation, position = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    axes, origins = [], []
    for joint in chain.joints:
        position = position + rotation @ joint.position
        rotation = rotation @ joint.rotation
        angle = q @ joint.row + joint.offset
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        x, y = rotation[..., 0], rotation[..., 1]
        rotation = np.stack([c * x + s * y, c * y - s * x, rotation[..., 2]], axis=-1)
        axes.append(rotation[..., 2])
        origins.append(position)
    position = position + rotation @ chain.frame.position
    turns = np.stack(axes, axis=-1)
    arms = position[..., None] - np.stack(origins, axis=-1)
    J = np.concatenate([np.cross(turns, arms, axis=1), turns], axis=1)
    poses = np.zeros((len(q), 4, 4))
    poses[:, :3, :3], poses[:, :3, 3] = rotation @ chain.frame.rotation, position
    poses[:, 3, 3] = 1.0
    return poses, J @ np.stack([joint.row for joint in chain.joints])
