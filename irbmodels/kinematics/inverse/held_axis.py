"""Postures of a seven-axis arm at a position of its axis 7."""

from __future__ import annotations

import numpy as np

from ...model.types import Array, Mask
from ..chain import poses_and_jacobian
from ..seven_axis import HeldAxis
from .closed_form import (
    INSIDE,
    MERGED,
    VALID,
    WRIST,
    Bounds,
    BranchArrays,
    add_full_turns,
    in_slots,
    wrap_angle,
)
from .general_chain import postures_of_chain
from .newton import MERGING, first_of_each

BLOCK = 512  # poses at a time
IN_LINE = 1e-8  # [rad, m/rad] between the columns of axes 4 and 6 that are one line


def held_axis(arm: HeldAxis, poses: Array, near: Array, bounds: Bounds) -> BranchArrays:
    """Solve for poses ``(N, 4, 4)`` of the TCP.

    Slots are filled from the first on: axis 5 positive before negative, then by axes 1 and 2. Where
    axes 4 and 6 are in line, axis 4 is kept as in ``near`` ``(7,)``. What is ``missing`` is inf
    where there is no posture.
    """
    parts = [
        _solve_block(arm, poses[k : k + BLOCK], near, bounds) for k in range(0, len(poses), BLOCK)
    ] or [_solve_block(arm, poses, near, bounds)]
    q, bits, missing = zip(*parts, strict=True)
    return BranchArrays(np.concatenate(q), np.concatenate(bits), np.concatenate(missing))


def _solve_block(arm: HeldAxis, poses: Array, near: Array, bounds: Bounds) -> BranchArrays:
    known: Mask = np.asarray(np.isfinite(poses).all(axis=(1, 2)))
    chain, axis_7 = arm.arm.others(arm.position), arm.arm.axis_7
    pose, q, smallest = postures_of_chain(chain, np.where(known[:, None, None], poses, np.eye(4)))
    _, J = poses_and_jacobian(chain, q)
    same = np.abs(J[:, :, 3] - J[:, :, 5]).max(axis=1) < IN_LINE
    opposite = np.abs(J[:, :, 3] + J[:, :, 5]).max(axis=1) < IN_LINE
    in_line = same | opposite
    turned = q[:, 3] - np.delete(near, axis_7)[3]
    q[:, 5] += np.where(same, turned, np.where(opposite, -turned, 0.0))
    q[:, 3] -= np.where(in_line, turned, 0.0)
    q = wrap_angle(q)
    order = np.lexsort((q[:, 1], q[:, 0], q[:, 4] < 0.0, pose))
    order = order[first_of_each(pose[order], q[order]) & known[pose[order]]]
    pose, q, in_line = pose[order], q[order], in_line[order]
    q, inside = add_full_turns(np.insert(q, axis_7, arm.position, axis=1), bounds)
    merged = (smallest[order] < MERGING) & ~in_line
    bits = VALID + INSIDE * inside + WRIST * in_line + MERGED * merged
    result = in_slots(arm.slots, pose, q, bits, known)
    result.missing[np.setdiff1d(np.flatnonzero(known), pose)] = np.inf
    return result
