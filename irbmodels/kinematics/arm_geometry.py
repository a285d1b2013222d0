"""The arms that have closed forms, and the few numbers these need: six axes with a spherical wrist, and the SCARA.

Both are read off any tree whose joints stand in one chain: what matters are the lines of the axes,
not the link frames. Angles are taken absolute, so that it makes no difference whether a
parallelogram or a motor on the lower arm drives axis 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import MissingData
from ..model.mechanism import Mechanism, chain_of
from ..model.rotations import about_y, rotation_z
from ..model.tree import Tree
from ..model.types import Array

TIGHT = 1e-9  # [rad, m] how far axes may be from parallel, at right angles, or from one point
# sine, and [m]: no calibration moves axes by 1.7 deg or 30 mm; an arm that is further off is
# another one
NEARLY = 0.03


class AxisMap(NamedTuple):
    """``q = H x + h``: axis positions from the absolute angles (and slide) ``x`` of a normal form.

    ``H`` and its inverse hold whole numbers, so that a full turn of an angle is a full turn of an
    axis.
    """

    H: Array
    h: Array

    def angles(self, q: Array) -> Array:
        """Return ``x`` for axis positions ``(..., n)``."""
        result: Array = (q - self.h) @ np.linalg.inv(self.H).T
        return result

    def positions(self, x: Array) -> Array:
        """Return axis positions ``(..., n)`` for ``x``."""
        result: Array = x @ self.H.T + self.h
        return result


@dataclass(frozen=True, eq=False)
class SixAxis:
    """Axis 1 at right angles to the parallel axes 2 and 3, wrist axes at right angles through one point.

    In the arm's frame z is axis 1, axis 2 points along y, and the origin stands on axis 1 at its
    height. There

    ``wrist = Rz(x1) (a1 + long sin x2 + short sin x3, d, long cos x2 + short cos x3)``, and
    ``R = Rz(x1) Ry(x3) C' Rz(x4) Ry(x5) Rz(x6) E'``. The forearm's frame is the one turned by
    ``Rz(x1) Ry(x3)``, its z from axis 3 to the wrist centre (or beside it by ``d``).
    """

    axis_map: AxisMap
    """From ``x``: axis 1, lower arm and forearm against the vertical, wrist."""
    arm_from_base: Array
    """Rotation ``arm_from_base``, ``(3, 3)``."""
    origin: Array
    """Of the arm's frame in the base [m]."""
    wrist: Array
    """Wrist centre in the frame of the TCP [m]."""
    C: Array
    E: Array
    a1: float
    """Axis 1 to axis 2 [m]."""
    d: float
    """Wrist centre beside the plane of axis 1 [m]."""
    lower_arm_length: float
    """Axis 2 to axis 3 [m]."""
    forearm_length: float
    """Axis 3 to the wrist centre [m]."""
    wrist_sign: float
    """1 where ``sin x5 > 0`` means a positive axis 5, else -1."""
    coupled: bool
    """Whether axis 3 is absolute: driven through a parallelogram."""
    elbow_foot: tuple[float, float]
    """Foot of the perpendicular from axis 3 on axis 4, x and z in the forearm's frame [m].

    For drawings.
    """
    slots = 8

    def tcp_from_elbow(self, x: Array) -> Array:
        """Return the TCP from axis 3 in the forearm's frame [m], for absolute angles ``(..., 6)``, shape ``(..., 3)``."""
        c, s = np.cos(x[..., 3:]), np.sin(x[..., 3:])
        u, v, w = -self.E.T @ self.wrist
        u, v = c[..., 2] * u - s[..., 2] * v, s[..., 2] * u + c[..., 2] * v
        u, w = c[..., 1] * u + s[..., 1] * w, c[..., 1] * w - s[..., 1] * u
        u, v = c[..., 0] * u - s[..., 0] * v, s[..., 0] * u + c[..., 0] * v
        place: Array = np.stack([u, v, w], axis=-1) @ self.C + np.array(
            [0.0, self.d, self.forearm_length]
        )
        return place

    def in_plane(self, x: Array) -> Array:
        """Return the TCP in the arm's plane: ahead, beside it and above the base [m], shape ``(..., 3)``."""
        ahead, beside, along = np.moveaxis(self.tcp_from_elbow(x), -1, 0)
        c, s = np.cos(x[..., 1:3]), np.sin(x[..., 1:3])
        u = self.a1 + self.lower_arm_length * s[..., 0] + ahead * c[..., 1] + along * s[..., 1]
        w = self.lower_arm_length * c[..., 0] - ahead * s[..., 1] + along * c[..., 1]
        return np.stack([u, beside, w + self.origin_in_arm[2]], axis=-1)

    @property
    def origin_in_arm(self) -> Array:
        """Origin of the arm's frame, from the base's, in its own axes [m]."""
        place: Array = self.arm_from_base @ self.origin
        return place


@dataclass(frozen=True, eq=False)
class Scara:
    """Three parallel axes that turn and one that slides along them, anywhere in the chain.

    In the arm's frame z is the first axis, and the TCP is at ``z = height + x4``: ``x`` are the
    absolute angles of both arms and of the tool about z, and the slide.
    """

    axis_map: AxisMap
    arm_from_base: Array
    origin: Array
    wrist: Array
    """A point of the last turning axis in the frame of the TCP [m]."""
    E: Array
    """Rotation of the TCP frame in the arm's at ``x3 = 0``."""
    height: float
    lower_arm_length: float
    forearm_length: float
    slots = 2

    def tcp_from_elbow(self, angle: Array) -> Array:
        """Return the TCP in the second arm's axes, from where that begins [m], with the tool turned ``(...)`` against it."""
        u, v, _ = -self.E @ self.wrist
        c, s = np.cos(angle), np.sin(angle)
        return np.stack([self.forearm_length + c * u - s * v, s * u + c * v], axis=-1)

    def in_plane(self, x: Array) -> Array:
        """Return the TCP in axes that turn with the first arm: ahead, beside and above the base [m], shape ``(..., 3)``."""
        ahead, beside = np.moveaxis(self.tcp_from_elbow(x[..., 2] - x[..., 1]), -1, 0)
        c, s = np.cos(x[..., 1] - x[..., 0]), np.sin(x[..., 1] - x[..., 0])
        up = self.origin_in_arm[2] + self.height + x[..., 3]
        return np.stack(
            [self.lower_arm_length + c * ahead - s * beside, s * ahead + c * beside, up], axis=-1
        )

    @property
    def origin_in_arm(self) -> Array:
        """Origin of the arm's frame, from the base's, in its own axes [m]."""
        place: Array = self.arm_from_base @ self.origin
        return place


class CrookedError(ValueError):
    """Axes that are not square, parallel or in one point, of an arm that has the right ones."""


def arm_of(tree: Tree, frame: int, name: str) -> SixAxis | Scara:
    """Read the normal form of a frame's chain.

    Raises:
        MissingData: if the arm has another shape; the message says in what.
    """
    try:
        return _shape(chain_of(tree, frame))
    except ValueError as err:
        advice = "closed forms are for six axes with a spherical wrist, and for the SCARA"
        raise MissingData(
            f"{name} has no closed-form inverse kinematics: {err} ({advice})"
        ) from None


def without_closed_form(tree: Tree, name: str) -> tuple[str, ...]:
    """Return a line that says what an arm cannot answer whose axes are nearly as closed forms want them; none for any other."""
    try:
        _shape(chain_of(tree, tree.flange))
    except CrookedError as err:
        refused = (
            "no inverse kinematics, configuration data, singularities, working range or path check"
            " of robtargets"
        )
        return (f"{name}: {err}: {refused}; poses, Jacobians and dynamics are exact",)
    except ValueError:  # another kind of arm
        pass
    return ()


def _shape(chain: Mechanism) -> SixAxis | Scara:
    joints = chain.joints
    slides = [joint.prismatic for joint in joints]
    kinds = f"{slides.count(False)} turning and {slides.count(True)} sliding joints move its TCP"
    if len(joints) != chain.n:
        raise ValueError(f"{kinds}, and it has {chain.n} axes")
    if sorted(slides) == [False, False, False, True]:
        return _scara(chain)
    if slides != [False] * 6:
        raise ValueError(kinds)
    return _six_axis(chain)


def _six_axis(chain: Mechanism) -> SixAxis:
    turns, places = _at_zero(chain)
    axes = [turn[:, 2] for turn in turns]
    _refuse_largest(
        _right_angle(axes, 1, 2),
        _parallel(axes, 2, 3),
        _right_angle(axes, 4, 5),
        _right_angle(axes, 5, 6),
    )
    same = 1.0 if axes[1] @ axes[2] > 0.0 else -1.0
    arm = np.stack([np.cross(axes[1], axes[0]), axes[1], axes[0]])  # arm_from_base
    centre = _meeting(axes[3:], places[3:])
    second, third, wrist = (arm @ (place - places[0]) for place in (places[1], places[2], centre))
    lower, upper = third - second, wrist - third
    long, short = float(np.hypot(lower[0], lower[2])), float(np.hypot(upper[0], upper[2]))
    if min(long, short) < TIGHT:
        raise ValueError(
            "its wrist centre is on axis 3" if short < TIGHT else "its axes 2 and 3 are one line"
        )
    p2, p3 = np.arctan2(lower[0], lower[2]), np.arctan2(upper[0], upper[2])
    p4, p5, p6 = _wrist_offsets(chain.joints[4].rotation, chain.joints[5].rotation)
    tip = chain.frame
    assert tip is not None
    # joint angles = T x + c, with x2 = p2 + theta2 and x3 = p3 + theta2 +- theta3
    T, c = np.eye(6), np.array([0.0, -p2, same * (p2 - p3), -p4, -p5, -p6])
    T[2, 1:3] = -same, same
    axis_map = _axis_map(chain, T, c)
    foot = centre + axes[3] * (axes[3] @ (places[2] - centre))
    knee = about_y(-p3) @ arm @ (foot - places[2])
    positive = np.cos(p5) > 0.0
    return SixAxis(
        axis_map=axis_map,
        arm_from_base=arm,
        origin=places[0] + axes[0] * second[2],
        wrist=tip.rotation.T @ (turns[5].T @ (centre - places[5]) - tip.position),
        C=(about_y(-p3) @ arm @ turns[3]).T,
        E=tip.rotation.T,
        a1=float(second[0]),
        d=float(wrist[1]) if abs(wrist[1]) > 1e-14 else 0.0,
        lower_arm_length=long,
        forearm_length=short,
        wrist_sign=float(axis_map.H[4, 4]) * (1.0 if positive else -1.0),
        coupled=bool(chain.joints[2].row[1]),
        elbow_foot=(float(knee[0]), float(knee[2])),
    )


def _scara(chain: Mechanism) -> Scara:
    turns, places = _at_zero(chain)
    axes = [turn[:, 2] for turn in turns]
    slide = next(i for i, joint in enumerate(chain.joints) if joint.prismatic)
    one, two, three = (i for i in range(4) if i != slide)
    _refuse_largest(*(_parallel(axes, one + 1, i + 1) for i in range(4) if i != one))
    signs = [1.0 if axis @ axes[one] > 0.0 else -1.0 for axis in axes]
    arm = turns[one].T
    tip = chain.frame
    assert tip is not None
    last = (turns[3] @ tip.rotation, places[3] + turns[3] @ tip.position)  # the TCP at zero
    first, second, third, end = (
        arm @ (place - places[one]) for place in (places[one], places[two], places[three], last[1])
    )
    lower, upper = second - first, third - second
    long, short = float(np.hypot(*lower[:2])), float(np.hypot(*upper[:2]))
    if min(long, short) < TIGHT:
        raise ValueError("two of its axes are one line")
    p1, p2 = np.arctan2(lower[1], lower[0]), np.arctan2(upper[1], upper[0])
    T, c = np.zeros((4, 4)), np.zeros(4)
    T[one, 0], c[one] = 1.0, -p1
    T[two, :2], c[two] = (-signs[two], signs[two]), signs[two] * (p1 - p2)
    T[three, 1:3], c[three] = (-signs[three], signs[three]), signs[three] * p2
    T[slide, 3] = signs[slide]
    wrist = last[0].T @ (places[three] - last[1])
    return Scara(
        _axis_map(chain, T, c), arm, places[one], wrist, arm @ last[0], float(end[2]), long, short
    )


def _at_zero(chain: Mechanism) -> tuple[list[Array], list[Array]]:
    """Orientations and origins of the joint frames in the base where all joints are at zero."""
    turns, places = [], []
    turn, place = np.eye(3), np.zeros(3)
    for number, joint in enumerate(chain.joints):
        # chain_of keeps what carries the frame, and nothing beside it
        assert joint.parent == number - 1
        turn, place = turn @ joint.rotation, place + turn @ joint.position
        turns.append(turn)
        places.append(place)
    return turns, places


def _axis_map(chain: Mechanism, T: Array, c: Array) -> AxisMap:
    """Solve ``joints = G q + q0 = T x + c`` for q."""
    G, q0 = (
        np.stack([joint.row for joint in chain.joints]),
        np.array([joint.offset for joint in chain.joints]),
    )
    if abs(np.linalg.det(G)) < TIGHT:
        raise ValueError("its axes do not move its joints one by one")
    back = np.linalg.inv(G)
    H = back @ T
    whole, inverse = np.round(H), np.linalg.inv(H)
    if np.abs(H - whole).max() > TIGHT or np.abs(inverse - np.round(inverse)).max() > TIGHT:
        raise ValueError(
            "an axis turns its joint by a ratio that is no whole number, so full turns differ"
        )
    return AxisMap(whole, back @ (c - q0))


def _right_angle(axes: list[Array], i: int, j: int) -> tuple[float, str]:
    off = abs(float(axes[i - 1] @ axes[j - 1]))
    return (
        off,
        f"axes {i} and {j} are {np.degrees(np.arcsin(min(off, 1.0))):.3g} deg off a right angle",
    )


def _parallel(axes: list[Array], i: int, j: int) -> tuple[float, str]:
    off = float(np.linalg.norm(np.cross(axes[i - 1], axes[j - 1])))
    return off, f"axes {i} and {j} are {np.degrees(np.arcsin(min(off, 1.0))):.3g} deg off parallel"


def _refuse_largest(*deviations: tuple[float, str]) -> None:
    """Stop at the largest deviation; of equal ones, which rounding tells apart, at the first."""
    _refuse(*max(deviations, key=lambda deviation: round(deviation[0], 9)))


def _refuse(off: float, problem: str) -> None:
    """Stop at what is off by a sine, or by metres: as a calibrated specimen is, or as another kind of arm."""
    if off > TIGHT:
        raise CrookedError(problem) if off < NEARLY else ValueError(problem)


def _meeting(axes: list[Array], places: list[Array]) -> Array:
    """Return the point where the wrist's axes meet: nearest to all of them."""
    across = [np.eye(3) - np.outer(axis, axis) for axis in axes]
    point = np.linalg.solve(
        sum(across, np.zeros((3, 3))),
        sum((P @ p for P, p in zip(across, places, strict=True)), np.zeros(3)),
    )
    off = max(
        float(np.linalg.norm(P @ (point - place))) for P, place in zip(across, places, strict=True)
    )
    _refuse(
        off, f"its wrist is not spherical: axes 4, 5 and 6 miss one point by {1000.0 * off:.3g} mm"
    )
    return np.asarray(point, dtype=float)


def _wrist_offsets(fourth: Array, fifth: Array) -> tuple[float, float, float]:
    """Return p4, p5, p6 with ``fourth Rz(t) fifth = Rz(p4) Ry(t + p5) Rz(p6)``.

    Both turn z to a right angle.
    """
    p4 = float(np.arctan2(-fourth[0, 2], fourth[1, 2]))
    rest = rotation_z(-p4)[:3, :3] @ fourth @ fifth
    p5 = float(np.arctan2(rest[0, 2], rest[2, 2]))
    last = about_y(-p5) @ rest
    return p4, p5, float(np.arctan2(last[1, 0], last[0, 0]))
