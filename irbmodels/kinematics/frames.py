"""Poses, Jacobians and their derivatives of frames and of points fixed to them, for one state."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pinocchio as pin

from ..checks import as_choice
from ..model.tree import Tree
from ..model.types import SE3, Array

Reference = Literal["base", "world"]
REFERENCES = ("base", "world")


def in_world(reference: Reference) -> bool:
    """Return whether coordinates are in the world that a robot is mounted in, not in its base.

    Raises:
        UnknownName: if it is neither.
    """
    return as_choice(reference, REFERENCES, "reference") == "world"


def pose(tree: Tree, frame: int, q: Array, point: Array | None = None) -> SE3:
    """Return the pose of a frame in the base.

    With ``point`` [m, in frame axes] its origin is that point.
    """
    model, data, coupling = tree.model, tree.data, tree.coupling
    pin.forwardKinematics(model, data, coupling.position(q))
    placement = pin.updateFramePlacement(model, data, frame)
    result: SE3 = (
        placement.copy()
        if point is None
        else pin.SE3(placement.rotation.copy(), placement.act(point))
    )
    return result


def homogeneous(tree: Tree, frame: int, q: Array, point: Array | None = None) -> Array:
    """Return the same as a matrix, shape ``(4, 4)``."""
    matrix: Array = pose(tree, frame, q, point).homogeneous
    return matrix


def jacobian(
    tree: Tree, frame: int, q: Array, point: Array | None = None, local: bool = False
) -> Array:
    """Return the ``(6, n)`` Jacobian at a frame's origin or a ``point`` of it, linear rows first.

    In base axes, or in the frame's own axes where ``local``.
    """
    J: Array = tree_jacobian(tree, frame, q, point, local).dot(tree.coupling.G)
    return J


def tree_jacobian(
    tree: Tree, frame: int, q: Array, point: Array | None = None, local: bool = False
) -> Array:
    """Return the same with one column per joint of the tree."""
    model, data = tree.model, tree.data
    reference = pin.ReferenceFrame.LOCAL if local else pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J: Array = pin.computeFrameJacobian(model, data, tree.coupling.position(q), frame, reference)
    if J.ndim == 1:  # eigenpy drops the axis of a single column
        J = J[:, None]
    if point is not None:
        arm = point if local else data.oMf[frame].rotation @ point
        J[:3] += np.cross(J[3:], arm, axisa=0).T
    return J


def hessian(tree: Tree, frame: int, q: Array, point: Array | None = None) -> Array:
    """Derivative of the base-axes Jacobian, ``H[i, j, k] = d J_ij / d q_k``, shape ``(6, n, n)``.

    From the columns alone: a column turns with every joint before it, ``w_k x J_j``; a joint after
    it moves the point it acts on, ``w_j x v_k``.
    """
    G = tree.coupling.G
    J = tree_jacobian(tree, frame, q, point)
    linear, angular = J[:3].T, J[3:].T  # one row per joint of the tree
    # k <= j: a tree numbers its joints outward
    before = np.tril(np.ones((len(G), len(G)), dtype=bool))
    turned = np.cross(angular[None, :, :], linear[:, None, :])  # [j, k] = w_k x v_j
    carried = np.cross(angular[:, None, :], linear[None, :, :])  # [j, k] = w_j x v_k
    swung = np.cross(angular[None, :, :], angular[:, None, :])  # [j, k] = w_k x w_j
    H = np.concatenate(
        [np.where(before[..., None], turned, carried), np.where(before[..., None], swung, 0.0)],
        axis=2,
    )
    result: Array = np.einsum("jki,ja,kb->iab", H, G, G)
    return result


def jacobian_rate(
    tree: Tree, frame: int, q: Array, v: Array, point: Array | None = None, local: bool = False
) -> Array:
    """Return the time derivative of the Jacobian along a motion, ``(6, n)``, in the same axes."""
    rate: Array = hessian(tree, frame, q, point) @ v
    if not local:
        return rate
    J = jacobian(tree, frame, q, point)
    back = pose(tree, frame, q).rotation.T
    spin = J[3:] @ v
    # d(R' J)/dt = R' (dJ/dt - w x J)
    return np.concatenate(
        [back @ (rate[k : k + 3] - np.cross(spin, J[k : k + 3], axisb=0).T) for k in (0, 3)]
    )
