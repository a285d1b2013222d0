"""The shapes of arm that have closed forms: six axes with a spherical wrist, and the SCARA; read off their DH tables."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .dh import DHTable
from .errors import MissingData

Array = NDArray[np.float64]

_RIGHT = math.pi / 2
_SAME = 1e-9  # [m, rad] table rows are typed in mm and degrees


class SphericalArm(NamedTuple):
    """Six axes whose last three meet in the wrist center, as in the one formula of docs/conventions.md; lengths in [m].

    ``Rz(q1) Tr(a1, 0, d1) Ry(q2) Tr(0, 0, a2) Ry(r3) Tr(d4, 0, a3)`` leads to the wrist center, where ``r3`` is ``q3 - q2`` of
    a parallelogram arm (``coupled``), else ``q3``; then come ``Rx(q4) Ry(q5) Tr(d6, 0, 0) Rx(q6)``.
    """

    d1: float
    a1: float
    a2: float
    a3: float
    d4: float
    d6: float
    coupled: bool

    @property
    def forearm(self) -> float:
        """Distance of the wrist center from axis 3 [m] (b3 of S003)."""
        return math.hypot(self.a3, self.d4)

    @property
    def rise(self) -> float:
        """Angle of the wrist center above the horizontal through axis 3, at home [rad]."""
        return math.atan2(self.a3, self.d4)

    @property
    def stretched(self) -> float:
        """The ``r3`` at which the forearm continues the lower arm [rad]; half a turn further it is folded."""
        return self.rise - _RIGHT

    def arm_to_arm(self, q: Array) -> Array:
        """Return ``r3`` of axis positions ``(..., 6)``, shape ``(...)``."""
        return q[..., 2] - q[..., 1] if self.coupled else q[..., 2]


class Scara(NamedTuple):
    """Two parallel arms of lengths ``a1`` and ``a2`` [m], a vertical axis 3, and axis 4 about the tool's z, down."""

    a1: float
    a2: float
    height: float
    """Of tool0 above the base at ``q3 = 0`` [m]."""


def arm_of(dh: DHTable, name: str = "this robot") -> SphericalArm | Scara:
    """Return the shape of an arm from its modified DH table.

    Raises:
        MissingData: if it has neither shape; then there are no closed forms, only numerical measures.
    """
    tool0 = dh.tool0
    straight = np.allclose(tool0[:3, :3], np.eye(3), rtol=0.0, atol=_SAME) and not np.any(np.abs(tool0[:2, 3]) > _SAME)
    A = dh.A.copy()
    if dh.convention == "modified" and straight and len(dh.a) == 6 and not dh.prismatic.any():
        lengths = [*dh.d[[1, 2, 4, 5]], *dh.a[[0, 4, 5]]]
        turns = [0.0, -_RIGHT, 0.0, -_RIGHT, _RIGHT, _RIGHT], [0.0, -_RIGHT, 0.0, 0.0, math.pi, 0.0]
        coupled = A[2, 1] == -1.0
        A[2, 1] += coupled
        if _zero(lengths) and _zero(dh.alpha - turns[0]) and _zero(dh.theta - turns[1]) and _zero(A - np.eye(6)):
            a1, a2, a3 = (float(a) for a in dh.a[1:4])
            return SphericalArm(float(dh.d[0]), a1, a2, a3, float(dh.d[3]), float(tool0[2, 3]), bool(coupled))
    if dh.convention == "modified" and straight and dh.prismatic.tolist() == [False, False, True, False]:
        turned = [*dh.alpha[:3], dh.alpha[3] - math.pi, *dh.theta, dh.a[0], dh.a[3]]
        if _zero(turned) and _zero(A - np.eye(4)):
            return Scara(float(dh.a[1]), float(dh.a[2]), float(dh.d.sum() - tool0[2, 3]))
    raise MissingData(f"{name} is neither an arm with a spherical wrist nor a SCARA of the kind in docs/conventions.md")


def _zero(values: object) -> bool:
    return bool(np.all(np.abs(np.asarray(values, dtype=float)) <= _SAME))
