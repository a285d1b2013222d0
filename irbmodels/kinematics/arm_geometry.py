"""Geometry of the arms whose postures can be solved: six axes with any wrist, palletizer, SCARA.

:mod:`.normal_form` reads them off a tree. Angles are taken absolute, so that it makes no difference
whether a parallelogram or a motor on the lower arm drives axis 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..model.mechanism import Mechanism
from ..model.types import Array
from .chain import poses_and_jacobian

# sine, and [m]: no calibration moves axes by 1.7 deg or 30 mm; an arm that is further off is
# another one
CALIBRATED = 0.03


@dataclass(frozen=True, eq=False)
class AxisMap:
    """``q = H x + h``: axis positions from the absolute angles (and slide) ``x`` of a normal form.

    ``H`` and its inverse hold whole numbers, so that a full turn of an angle is a full turn of an
    axis.
    """

    H: Array
    h: Array

    @cached_property
    def inverse(self) -> Array:
        """Inverse of ``H``."""
        return np.asarray(np.linalg.inv(self.H))

    def angles(self, q: Array) -> Array:
        """Return ``x`` for axis positions ``(..., n)``."""
        x: Array = (q - self.h) @ self.inverse.T
        return x

    def positions(self, x: Array) -> Array:
        """Return axis positions ``(..., n)`` for ``x``."""
        q: Array = x @ self.H.T + self.h
        return q


@dataclass(frozen=True, eq=False, kw_only=True)
class _Arm:
    """Parts of both normal forms."""

    axis_map: AxisMap
    """From the absolute angles ``x``."""
    arm_from_base: Array
    """Rotation, ``(3, 3)``."""
    origin: Array
    """Of the arm's frame in the base [m]."""
    wrist: Array
    """Wrist centre in the frame of the TCP [m]; of a SCARA a point of its last rotary axis."""
    E: Array
    lower_arm_length: float
    """Axis 2 to axis 3 [m]; of a SCARA its first arm."""
    forearm_length: float
    """Axis 3 to the wrist centre [m]; of a SCARA its second arm."""

    @property
    def origin_in_arm(self) -> Array:
        """Origin of the arm's frame, from the base's, in its own axes [m]."""
        return np.asarray(self.arm_from_base @ self.origin)

    @property
    def rapid_axes(self) -> tuple[int, ...]:
        """Numbers of the axes in RAPID, rax_1 and on."""
        return tuple(range(1, len(self.axis_map.h) + 1))


@dataclass(frozen=True, eq=False, kw_only=True)
class SixAxis(_Arm):
    """Six axes: 1 at right angles to the parallel 2 and 3, wrist axes square through one point.

    In the arm's frame z is axis 1, axis 2 points along y, and the origin stands on axis 1 at its
    height. With ``x``: axis 1, lower arm and forearm against the vertical, wrist, there is

    ``wrist = Rz(x1) (a1 + l sin x2 + f sin x3, d, l cos x2 + f cos x3)``, and
    ``R = Rz(x1) Ry(x3) C' Rz(x4) Ry(x5) Rz(x6) E'``, ``l`` and ``f`` the lengths of lower arm and
    forearm. The forearm's frame is rotated by ``Rz(x1) Ry(x3)``, its z from axis 3 to the wrist
    centre (or beside it by ``d``).
    """

    C: Array
    a1: float
    """Axis 1 to axis 2 [m]."""
    d: float
    """Wrist centre beside the plane of axis 1 [m]."""
    wrist_sign: float
    """1 where ``sin x5 > 0`` means a positive axis 5, else -1."""
    coupled: bool
    """True if axis 3 is absolute: driven through a parallelogram."""
    elbow_foot: tuple[float, float]
    """Foot of the perpendicular from axis 3 on axis 4, x and z in the forearm's frame [m].

    For drawings.
    """
    slots = 8

    def elbow_angle(self, x: Array) -> Array:
        """Return the angle of the forearm against the lower arm [rad], shape ``(...)``."""
        return np.asarray(x[..., 2] - x[..., 1])

    def wrist_radius(self, x: Array) -> Array:
        """Return how far the wrist centre is ahead of axis 1 [m], shape ``(...)``."""
        radius: Array = (
            self.a1
            + self.lower_arm_length * np.sin(x[..., 1])
            + self.forearm_length * np.sin(x[..., 2])
        )
        return radius

    def tcp_from_elbow(self, x: Array) -> Array:
        """Return the TCP from axis 3 in the forearm's frame [m], ``(..., 3)``, for ``x``."""
        c, s = np.cos(x[..., 3:]), np.sin(x[..., 3:])
        u, v, w = -self.E.T @ self.wrist
        u, v = c[..., 2] * u - s[..., 2] * v, s[..., 2] * u + c[..., 2] * v
        u, w = c[..., 1] * u + s[..., 1] * w, c[..., 1] * w - s[..., 1] * u
        u, v = c[..., 0] * u - s[..., 0] * v, s[..., 0] * u + c[..., 0] * v
        wrist = np.array([0.0, self.d, self.forearm_length])
        return np.asarray(np.stack([u, v, w], axis=-1) @ self.C + wrist)

    def in_plane(self, x: Array) -> Array:
        """Return the TCP in the arm's plane: ahead, beside it, above the base [m], ``(..., 3)``."""
        ahead, beside, along = np.moveaxis(self.tcp_from_elbow(x), -1, 0)
        c, s = np.cos(x[..., 1:3]), np.sin(x[..., 1:3])
        u = self.a1 + self.lower_arm_length * s[..., 0] + ahead * c[..., 1] + along * s[..., 1]
        w = self.lower_arm_length * c[..., 0] - ahead * s[..., 1] + along * c[..., 1]
        return np.stack([u, beside, w + self.origin_in_arm[2]], axis=-1)


@dataclass(frozen=True, eq=False, kw_only=True)
class OffsetWrist(SixAxis):
    """Six axes whose wrist axes miss one point, by design or as a calibration has found.

    The other fields are those of the regular arm next to it: axes 1 to 3 of a :class:`SixAxis`,
    axes 4 and 5 that meet at right angles in the wrist centre, and axis 6 square to axis 5 beside
    it. In link 5's frame, whose y is axis 5 and whose z is parallel to axis 6, the wrist centre is
    at ``offset`` from the nearest point of axis 6; ``wrist`` is that point in the frame of the TCP.
    """

    chain: Mechanism
    """The arm itself, from which a calibrated arm's regular one differs."""
    offset: tuple[float, float]
    """Wrist centre from axis 6, x and y in link 5's frame [m]."""
    regular: bool
    """True if the regular arm is the arm itself."""
    slots = 16

    def tcp_from_elbow(self, x: Array) -> Array:
        """Return the regular arm's TCP from axis 3 in the forearm's frame [m], ``(..., 3)``."""
        (u, v), c, s = self.offset, np.cos(x[..., 3:5]), np.sin(x[..., 3:5])
        ahead = c[..., 1] * u
        from_axis_6 = [c[..., 0] * ahead - s[..., 0] * v, s[..., 0] * ahead + c[..., 0] * v]
        center = np.stack([*from_axis_6, -s[..., 1] * u], axis=-1)
        return np.asarray(super().tcp_from_elbow(x) - center @ self.C)

    def in_plane(self, x: Array) -> Array:
        """Return the arm's own TCP in its plane, as of :class:`SixAxis`."""
        if self.regular:
            return super().in_plane(x)
        q = self.axis_map.positions(x)
        poses, _ = poses_and_jacobian(self.chain, q.reshape(-1, 6))
        tcp = (poses[:, :3, 3].reshape(*q.shape[:-1], 3) - self.origin) @ self.arm_from_base.T
        c, s = np.cos(x[..., 0]), np.sin(x[..., 0])
        ahead = c * tcp[..., 0] + s * tcp[..., 1]
        beside = c * tcp[..., 1] - s * tcp[..., 0]
        return np.stack([ahead, beside, tcp[..., 2] + self.origin_in_arm[2]], axis=-1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Palletizer(_Arm):
    """Palletizer: axes 1 and 4 parallel, 2 and 3 at right angles to them, linkages keep 4 upright.

    In the arm's frame z is axis 1, axis 2 points along y, and the origin stands on axis 1 at its
    height. With ``x``: axis 1, lower and upper arm against the vertical, and the tool about z,
    there is ``point = Rz(x1) (a1 + a4 + l sin x2 + f sin x3, d, height + l cos x2 + f cos x3)``, on
    axis 4 at the height of the TCP, and ``R = Rz(x4) E``. ``wrist`` is that point in the frame of
    the TCP; the forearm ends at the passive axis.
    """

    a1: float
    """Axis 1 to axis 2 [m]."""
    a4: float
    """Passive axis to axis 4, ahead [m]."""
    d: float
    """Axis 4 beside the plane of axis 1 [m]."""
    height: float
    """TCP above the passive axis [m]."""
    slots = 4

    @property
    def rapid_axes(self) -> tuple[int, ...]:
        """Numbers of the axes in RAPID: the last is axis 6, as 4 and 5 are locked there.

        Controller parameters of an IRB 760 and of an IRB 460 have it so (docs/howto/rapid.md).
        """
        return 1, 2, 3, 6

    def elbow_angle(self, x: Array) -> Array:
        """Return the angle of the upper arm against the lower arm [rad], shape ``(...)``."""
        return np.asarray(x[..., 2] - x[..., 1])

    def wrist_radius(self, x: Array) -> Array:
        """Return how far axis 4 is ahead of axis 1 [m], shape ``(...)``."""
        along = self.lower_arm_length * np.sin(x[..., 1]) + self.forearm_length * np.sin(x[..., 2])
        radius: Array = self.a1 + self.a4 + along
        return radius

    def tcp_from_axis(self, turned: Array) -> Array:
        """Return the TCP from axis 4, ahead of and beside the arm [m], shape ``(..., 2)``.

        Args:
            turned: Angle of the tool against the arm's plane, ``x4 - x1`` [rad], shape ``(...)``.
        """
        u, v, _ = -self.E @ self.wrist
        c, s = np.cos(turned), np.sin(turned)
        return np.stack([c * u - s * v, self.d + s * u + c * v], axis=-1)

    def in_plane(self, x: Array) -> Array:
        """Return the TCP in the arm's plane: ahead, beside it, above the base [m], ``(..., 3)``."""
        ahead, beside = np.moveaxis(self.tcp_from_axis(x[..., 3] - x[..., 0]), -1, 0)
        up = self.lower_arm_length * np.cos(x[..., 1]) + self.forearm_length * np.cos(x[..., 2])
        level = self.origin_in_arm[2] + self.height
        return np.stack([self.wrist_radius(x) + ahead, beside, level + up], axis=-1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scara(_Arm):
    """Three parallel rotary axes and one that slides along them, anywhere in the chain.

    In the arm's frame z is the first axis, and the TCP is at ``z = height + x4``: ``x`` are the
    absolute angles of both arms and of the tool about z, and the slide. ``E`` is the rotation of
    the TCP frame in the arm's at ``x3 = 0``.
    """

    height: float
    slots = 2

    def elbow_angle(self, x: Array) -> Array:
        """Return the angle of the second arm against the first [rad], shape ``(...)``."""
        return np.asarray(x[..., 1] - x[..., 0])

    def tcp_from_elbow(self, angle: Array) -> Array:
        """Return the TCP from the second arm's axis, in its frame [m], shape ``(..., 2)``.

        Args:
            angle: Of the tool against the second arm [rad], shape ``(...)``.
        """
        u, v, _ = -self.E @ self.wrist
        c, s = np.cos(angle), np.sin(angle)
        return np.stack([self.forearm_length + c * u - s * v, s * u + c * v], axis=-1)

    def in_plane(self, x: Array) -> Array:
        """Return the TCP ahead of and beside the first arm, above the base [m], ``(..., 3)``."""
        ahead, beside = np.moveaxis(self.tcp_from_elbow(x[..., 2] - x[..., 1]), -1, 0)
        elbow = self.elbow_angle(x)
        c, s = np.cos(elbow), np.sin(elbow)
        up = self.origin_in_arm[2] + self.height + x[..., 3]
        return np.stack(
            [self.lower_arm_length + c * ahead - s * beside, s * ahead + c * beside, up], axis=-1
        )


Arm = SixAxis | Palletizer | Scara
"""Normal forms."""
