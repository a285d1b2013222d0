"""Geometry of the arms whose postures can be solved: six axes with any wrist, palletizer, SCARA.

They are read off any tree whose joints stand in one chain: what matters are the lines of the axes,
not the link frames. Angles are taken absolute, so that it makes no difference whether a
parallelogram or a motor on the lower arm drives axis 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import MissingData
from ..model.mechanism import Mechanism, chain_of
from ..model.rotations import rotation_y, rotation_z
from ..model.tree import Tree
from ..model.types import Array
from .chain import poses_and_jacobian

EXACT = 1e-9  # [rad, m] how far axes may be from parallel, at right angles, or from one point
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

        Controller parameters of an IRB 760 and of an IRB 460 have it so (docs/rapid.md).
        """
        return 1, 2, 3, 6

    def elbow_angle(self, x: Array) -> Array:
        """Return the angle of the upper arm against the lower arm [rad], shape ``(...)``."""
        return np.asarray(x[..., 2] - x[..., 1])

    def wrist_radius(self, x: Array) -> Array:
        """Return how far axis 4 is ahead of axis 1 [m], shape ``(...)``."""
        along = self.lower_arm_length * np.sin(x[..., 1]) + self.forearm_length * np.sin(x[..., 2])
        return np.asarray(self.a1 + self.a4 + along)

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


def arm_of(tree: Tree, frame: int, name: str) -> Arm:
    """Read the normal form of a frame's chain.

    Raises:
        MissingData: if the arm has another shape; the message names the difference.
    """
    try:
        return _normal_form(chain_of(tree, frame))
    except ValueError as err:
        advice = "it is for six axes of which 4 and 5 meet, palletizers, and the SCARA"
        raise MissingData(f"{name} has no inverse kinematics: {err} ({advice})") from None


def _normal_form(chain: Mechanism) -> Arm:
    prismatic = [joint.prismatic for joint in chain.joints]
    kinds = (
        f"{prismatic.count(False)} turning and {prismatic.count(True)} sliding joints move its TCP"
    )
    if chain.n == 4 and prismatic == [False] * 5:
        return _palletizer(chain)
    if len(prismatic) != chain.n:
        raise ValueError(f"{kinds}, and it has {chain.n} axes")
    if sorted(prismatic) == [False, False, False, True]:
        return _scara(chain)
    if prismatic != [False] * 6:
        raise ValueError(kinds)
    return _six_axis(chain)


def _six_axis(chain: Mechanism) -> SixAxis:
    rotations, positions = _at_zero(chain)
    axes = [rotation[:, 2] for rotation in rotations]
    tilt = _largest(
        _off_square(axes, 1, 2),
        _off_parallel(axes, 2, 3),
        _off_square(axes, 4, 5),
        _off_square(axes, 5, 6),
    )
    center, miss = _meeting_point(axes[3:], positions[3:])
    spherical = max(tilt, miss) <= EXACT
    if not spherical:
        center, meeting = _meeting_point(axes[3:5], positions[3:5])
        if meeting > CALIBRATED:
            raise ValueError(
                f"its axes 4, 5 and 6 miss one point by {1000.0 * miss:.3g} mm, and axes 4 and 5"
                f" each other by {2000.0 * meeting:.3g} mm"
            )
    tcp = chain.frame
    assert tcp is not None
    bends = [joint.rotation for joint in chain.joints]
    tcp_rotation, tcp_position = tcp.rotation, tcp.position
    if tilt > EXACT:
        squared = _squared(rotations)
        axes = [rotation[:, 2] for rotation in squared]
        bends = [one.T @ other for one, other in zip([np.eye(3), *squared], squared, strict=False)]
        turn = squared[5].T @ rotations[5]
        rotations, tcp_rotation, tcp_position = squared, turn @ tcp_rotation, turn @ tcp_position
    same = 1.0 if axes[1] @ axes[2] > 0.0 else -1.0
    arm_from_base = np.stack([np.cross(axes[1], axes[0]), axes[1], axes[0]])
    second, third, wrist = (
        arm_from_base @ (point - positions[0]) for point in (positions[1], positions[2], center)
    )
    lower, fore = third - second, wrist - third
    lower_arm_length, forearm_length = (float(np.hypot(v[0], v[2])) for v in (lower, fore))
    if min(lower_arm_length, forearm_length) < EXACT:
        on_axis_3 = forearm_length < EXACT
        raise ValueError(
            "its wrist centre is on axis 3" if on_axis_3 else "its axes 2 and 3 are one line"
        )
    p2, p3 = np.arctan2(lower[0], lower[2]), np.arctan2(fore[0], fore[2])
    p4, p5, p6 = _wrist_offsets(bends[4], bends[5])
    # joint angles = T x + c, with x2 = p2 + theta2 and x3 = p3 + theta2 +- theta3
    T, c = np.eye(6), np.array([0.0, -p2, same * (p2 - p3), -p4, -p5, -p6])
    T[2, 1:3] = -same, same
    axis_map = _axis_map(chain, T, c)
    forearm_from_base = rotation_y(-p3)[:3, :3] @ arm_from_base
    foot = center + axes[3] * (axes[3] @ (positions[2] - center))
    elbow_foot = forearm_from_base @ (foot - positions[2])
    from_joint_6 = rotations[5].T @ (center - positions[5])
    along = np.array([0.0, 0.0, from_joint_6[2]])
    shape: dict[str, Any] = {
        "axis_map": axis_map,
        "arm_from_base": arm_from_base,
        "origin": positions[0] + axes[0] * second[2],
        "wrist": tcp_rotation.T @ ((from_joint_6 if spherical else along) - tcp_position),
        "C": (forearm_from_base @ rotations[3]).T,
        "E": tcp_rotation.T,
        "a1": float(second[0]),
        "d": float(wrist[1]) if abs(wrist[1]) > 1e-14 else 0.0,
        "lower_arm_length": lower_arm_length,
        "forearm_length": forearm_length,
        "wrist_sign": float(axis_map.H[4, 4]) * (1.0 if np.cos(p5) > 0.0 else -1.0),
        "coupled": bool(chain.joints[2].row[1]),
        "elbow_foot": (float(elbow_foot[0]), float(elbow_foot[2])),
    }
    if spherical:
        return SixAxis(**shape)
    u, v, _ = (rotation_z(p6)[:3, :3] @ from_joint_6).tolist()
    return OffsetWrist(**shape, chain=chain, offset=(u, v), regular=max(tilt, meeting) <= EXACT)


def _palletizer(chain: Mechanism) -> Palletizer:
    rotations, positions = _at_zero(chain)
    axes = [rotation[:, 2] for rotation in rotations]
    parallel = [_off_parallel(axes, 2, i) for i in (3, 4)]
    _largest(_off_square(axes, 1, 2), *parallel, _off_parallel(axes, 1, 5), allowed=EXACT)
    same = [1.0 if axis @ axes[1] > 0.0 else -1.0 for axis in axes]
    links = [(same[i], chain.joints[i]) for i in (1, 2, 3)]
    turned = np.sum([sign * np.append(joint.row, joint.offset) for sign, joint in links], axis=0)
    if np.abs(turned).max() > EXACT:
        raise ValueError("no linkage keeps its last axis parallel to the first")
    arm_from_base = np.stack([np.cross(axes[1], axes[0]), axes[1], axes[0]])
    tcp = chain.frame
    assert tcp is not None
    base_from_tcp = rotations[4] @ tcp.rotation  # at zero
    tcp_position = positions[4] + rotations[4] @ tcp.position
    second, third, passive, last, end = (
        arm_from_base @ (point - positions[0]) for point in (*positions[1:], tcp_position)
    )
    lower, fore = third - second, passive - third
    lower_arm_length, forearm_length = (float(np.hypot(v[0], v[2])) for v in (lower, fore))
    if min(lower_arm_length, forearm_length) < EXACT:
        raise ValueError("two of its axes are one line")
    p2, p3 = np.arctan2(lower[0], lower[2]), np.arctan2(fore[0], fore[2])
    # joint angles = T x + c; the passive joint follows from those of axes 2 and 3
    upright = 1.0 if axes[4] @ axes[0] > 0.0 else -1.0
    T, c = np.eye(4), np.array([0.0, -p2, same[2] * (p2 - p3), 0.0])
    T[2, 1:3] = -same[2], same[2]
    T[3, [0, 3]] = -upright, upright
    moving = replace(chain, joints=(*chain.joints[:3], chain.joints[4]))
    on_axis = np.array([last[0], last[1], end[2]])
    return Palletizer(
        axis_map=_axis_map(moving, T, c),
        arm_from_base=arm_from_base,
        origin=positions[0] + axes[0] * second[2],
        wrist=base_from_tcp.T @ (arm_from_base.T @ on_axis + positions[0] - tcp_position),
        E=arm_from_base @ base_from_tcp,
        lower_arm_length=lower_arm_length,
        forearm_length=forearm_length,
        a1=float(second[0]),
        a4=float(last[0] - passive[0]),
        d=float(last[1]) if abs(last[1]) > 1e-14 else 0.0,
        height=float(end[2] - passive[2]),
    )


def _scara(chain: Mechanism) -> Scara:
    rotations, positions = _at_zero(chain)
    axes = [rotation[:, 2] for rotation in rotations]
    slide = next(i for i, joint in enumerate(chain.joints) if joint.prismatic)
    one, two, three = (i for i in range(4) if i != slide)
    tilt = [_off_parallel(axes, one + 1, i + 1) for i in range(4) if i != one]
    _largest(*tilt, allowed=EXACT)
    signs = [1.0 if axis @ axes[one] > 0.0 else -1.0 for axis in axes]
    arm_from_base, tcp = rotations[one].T, chain.frame
    assert tcp is not None
    base_from_tcp = rotations[3] @ tcp.rotation  # at zero
    tcp_position = positions[3] + rotations[3] @ tcp.position
    first, second, third, end = (
        arm_from_base @ (point - positions[one])
        for point in (positions[one], positions[two], positions[three], tcp_position)
    )
    lower, fore = second - first, third - second
    lower_arm_length, forearm_length = (float(np.hypot(*v[:2])) for v in (lower, fore))
    if min(lower_arm_length, forearm_length) < EXACT:
        raise ValueError("two of its axes are one line")
    p1, p2 = np.arctan2(lower[1], lower[0]), np.arctan2(fore[1], fore[0])
    T, c = np.zeros((4, 4)), np.zeros(4)
    T[one, 0], c[one] = 1.0, -p1
    T[two, :2], c[two] = (-signs[two], signs[two]), signs[two] * (p1 - p2)
    T[three, 1:3], c[three] = (-signs[three], signs[three]), signs[three] * p2
    T[slide, 3] = signs[slide]
    return Scara(
        axis_map=_axis_map(chain, T, c),
        arm_from_base=arm_from_base,
        origin=positions[one],
        wrist=base_from_tcp.T @ (positions[three] - tcp_position),
        E=arm_from_base @ base_from_tcp,
        height=float(end[2]),
        lower_arm_length=lower_arm_length,
        forearm_length=forearm_length,
    )


def _at_zero(chain: Mechanism) -> tuple[list[Array], list[Array]]:
    """Return rotations and origins of the joint frames in the base where all joints are at zero."""
    rotations, positions = [np.eye(3)], [np.zeros(3)]
    for number, joint in enumerate(chain.joints):
        # chain_of keeps what carries the frame, and nothing beside it
        assert joint.parent == number - 1
        positions.append(positions[-1] + rotations[-1] @ joint.position)
        rotations.append(rotations[-1] @ joint.rotation)
    return rotations[1:], positions[1:]


def _axis_map(chain: Mechanism, T: Array, c: Array) -> AxisMap:
    """Solve ``joints = G q + q0 = T x + c`` for q."""
    G = np.stack([joint.row for joint in chain.joints])
    q0 = np.array([joint.offset for joint in chain.joints])
    if abs(np.linalg.det(G)) < EXACT:
        raise ValueError("its axes do not move its joints one by one")
    G_inverse = np.linalg.inv(G)
    H = G_inverse @ T
    if any(np.abs(M - np.round(M)).max() > EXACT for M in (H, np.linalg.inv(H))):
        raise ValueError(
            "an axis turns its joint by a ratio that is no whole number, so full turns differ"
        )
    return AxisMap(np.round(H), G_inverse @ (c - q0))


def _off_square(axes: list[Array], i: int, j: int) -> tuple[float, str]:
    sine = abs(float(axes[i - 1] @ axes[j - 1]))
    return sine, f"axes {i} and {j} are {_degrees(sine)} deg off a right angle"


def _off_parallel(axes: list[Array], i: int, j: int) -> tuple[float, str]:
    sine = float(np.linalg.norm(np.cross(axes[i - 1], axes[j - 1])))
    return sine, f"axes {i} and {j} are {_degrees(sine)} deg off parallel"


def _degrees(sine: float) -> str:
    return f"{np.degrees(np.arcsin(min(sine, 1.0))):.3g}"


def _largest(*deviations: tuple[float, str], allowed: float = CALIBRATED) -> float:
    """Return the sine of the largest deviation; refuse what is another kind of arm.

    Of equal ones, which rounding tells apart, the first is named.
    """
    off, problem = max(deviations, key=lambda deviation: round(deviation[0], 9))
    if off > allowed:
        raise ValueError(problem)
    return off


def _meeting_point(axes: list[Array], positions: list[Array]) -> tuple[Array, float]:
    """Return the point next to lines, and its largest distance from one of them [m]."""
    across = np.stack([np.eye(3) - np.outer(axis, axis) for axis in axes])
    feet = np.einsum("kij,kj->ki", across, np.stack(positions))
    point = np.linalg.solve(across.sum(axis=0), feet.sum(axis=0))
    off = float(np.linalg.norm(across @ point - feet, axis=1).max())
    return np.asarray(point, dtype=float), off


def _squared(rotations: list[Array]) -> list[Array]:
    """Return joint frames at zero whose axes are at right angles, and 2 and 3 parallel.

    Each is turned the shortest way.
    """
    axes = [rotation[:, 2] for rotation in rotations]
    axes[1] = _across(axes[1], axes[0])
    axes[2] = axes[1] if axes[1] @ axes[2] > 0.0 else -axes[1]
    axes[4] = _across(axes[4], axes[3])
    axes[5] = _across(axes[5], axes[4])
    squared = []
    for rotation, axis in zip(rotations, axes, strict=True):
        first = _across(rotation[:, 0], axis)
        squared.append(np.stack([first, np.cross(axis, first), axis], axis=1))
    return squared


def _across(vector: Array, axis: Array) -> Array:
    """Return the direction of a vector's part at right angles to an axis."""
    part = vector - axis * (axis @ vector)
    return np.asarray(part / np.linalg.norm(part))


def _wrist_offsets(fourth: Array, fifth: Array) -> tuple[float, float, float]:
    """Return p4, p5, p6 with ``fourth Rz(t) fifth = Rz(p4) Ry(t + p5) Rz(p6)``.

    Both rotate z by a right angle.
    """
    p4 = float(np.arctan2(-fourth[0, 2], fourth[1, 2]))
    rest = rotation_z(-p4)[:3, :3] @ fourth @ fifth
    p5 = float(np.arctan2(rest[0, 2], rest[2, 2]))
    last = rotation_y(-p5)[:3, :3] @ rest
    return p4, p5, float(np.arctan2(last[1, 0], last[0, 0]))
