"""Denavit-Hartenberg tables in both conventions, with coupled axes (S003 eq. 2.24-2.25)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import states
from ..errors import InputError
from .rotations import rotation_x, rotation_z, translation
from .types import Array, Mask

Convention = Literal["standard", "modified"]


def modified_row(alpha: float, a: float, theta: float, d: float) -> Array:
    """Return ``Rx(alpha) Tx(a) Rz(theta) Tz(d)``, shape ``(4, 4)``: a row of the modified table."""
    pose: Array = rotation_x(alpha) @ translation(a, 0, 0) @ rotation_z(theta)
    return pose @ translation(0, 0, d)


_BASE = np.eye(4)
_BASE.setflags(write=False)


class DHTable(NamedTuple):
    """One row per joint from base to flange; [m], [rad], arrays of shape ``(m,)``.

    There is one per axis, and of a palletizer the passive one that keeps axis 4 upright.

    modified (Craig): ``T_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)``; standard: ``T_i = Rz(theta) Tz(d)
    Tx(a) Rx(alpha)``. ``theta`` (``d`` where ``prismatic``) holds the offset; the joint adds its
    part of ``A q`` to it.
    """

    convention: Convention
    alpha: Array
    a: Array
    d: Array
    theta: Array
    prismatic: Mask
    A: Array
    """``(m, n)``: joint variables = ``A q`` + offsets.

    -1 at (3, 2) where a parallelogram drives axis 3; a permutation where axes are not numbered
    along the chain.
    """
    tool0: Array
    """Pose of tool0 in the last frame, ``(4, 4)``."""
    base: Array = _BASE
    """Pose in the base of the frame that the first row starts from, ``(4, 4)``."""

    @property
    def offsets(self) -> Array:
        """Joint variables at ``q = 0``: theta0, and d where prismatic."""
        return np.where(self.prismatic, self.d, self.theta)

    def joint_variables(self, q: ArrayLike) -> Array:
        """Return ``A q + theta0`` for axis positions ``q`` of the controller [rad, m]."""
        return states(q, self.A.shape[1], "axis positions") @ self.A.T + self.offsets

    def axis_positions(self, variables: ArrayLike) -> Array:
        """Return the ``q`` of joint variables: the inverse of :meth:`joint_variables`."""
        turned = states(variables, len(self.A), "joint variables") - self.offsets
        # as many independent rows as axes: the last of them of a palletizer, whose passive joint
        # turns by -q3
        rows = [0, 1, *range(len(self.A) - self.A.shape[1] + 2, len(self.A))]
        return turned[..., rows] @ np.linalg.inv(self.A[rows]).T

    def frames(self, q: ArrayLike) -> list[Array]:
        """Poses of frames 1..n and tool0 in the base, each ``(4, 4)``: the plain matrix product."""
        pose, result = self.base, []
        variables = self.joint_variables(q)
        angles = np.where(self.prismatic, self.theta, variables)
        distances = np.where(self.prismatic, variables, self.d)
        for alpha, a, theta, d in zip(self.alpha, self.a, angles, distances, strict=True):
            if self.convention == "modified":
                pose = pose @ modified_row(alpha, a, theta, d)
            else:
                pose = pose @ rotation_z(theta) @ translation(a, 0, d) @ rotation_x(alpha)
            result.append(pose)
        return [*result, pose @ self.tool0]

    def as_standard(self) -> DHTable:
        """Return the standard (classic) table of the same arm, with tool0 folded into the last row.

        Row i takes alpha and a of the modified row i + 1. An offset of 180 deg is passed on outward
        through ``Rz(180) Rx(alpha) = Rx(-alpha) Rz(180)``, which gives Table 2.1 of S003 and the
        usual tables of ABB's arms.

        Raises:
            InputError: if the first modified row or tool0 does not fit a standard table.
        """
        first = rotation_x(self.alpha[0]) @ translation(self.a[0], 0, 0)
        if not np.allclose(first, np.eye(4)) or not np.allclose(self.tool0[:3, :3], np.eye(3)):
            raise InputError(
                "the table starts or ends with a transform that a standard row cannot hold"
            )
        alpha, a = np.append(self.alpha[1:], 0.0), np.append(self.a[1:], self.tool0[0, 3])
        d, theta = self.d.copy(), self.theta.copy()
        d[-1] += self.tool0[2, 3]
        for i in range(len(d) - 1):
            if np.isclose(abs(theta[i]), np.pi) and not self.prismatic[i] and a[i] == 0.0:
                theta[i], alpha[i], theta[i + 1] = 0.0, -alpha[i], theta[i + 1] + np.pi
        return DHTable("standard", alpha, a, d, theta, self.prismatic, self.A, np.eye(4), self.base)
