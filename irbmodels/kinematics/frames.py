"""Poses and Jacobians of frames, and of points fixed to them, for one state of a tree."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..model.tree import Tree
from ..model.types import Array


def pose(tree: Tree, frame: int, q: Array, point: Array | None = None) -> pin.SE3:
    """Return the pose of a frame in the base.

    With ``point`` [m, in frame axes] its origin is that point.
    """
    model, data, coupling = tree.model, tree.data, tree.coupling
    pin.forwardKinematics(model, data, coupling.position(q))
    placement = pin.updateFramePlacement(model, data, frame)
    if point is None:
        return placement.copy()
    return pin.SE3(placement.rotation.copy(), placement.act(point))


def homogeneous(tree: Tree, frame: int, q: Array, point: Array | None = None) -> Array:
    """Return the same as a matrix, shape ``(4, 4)``."""
    matrix: Array = pose(tree, frame, q, point).homogeneous
    return matrix


def jacobian(
    tree: Tree, frame: int, q: Array, point: Array | None = None, local: bool = False
) -> Array:
    """Return the ``(6, n)`` Jacobian at the frame's origin or at ``point`` of it, linear rows first.

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
