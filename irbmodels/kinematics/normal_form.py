"""Normal form of an arm, read off any tree whose joints stand in one chain.

What matters are the lines of the axes, not the link frames.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import MissingData
from ..model.mechanism import Mechanism, chain_of
from ..model.rotations import rotation_y, rotation_z
from ..model.tree import Tree
from ..model.types import Array
from .arm_geometry import CALIBRATED, Arm, AxisMap, OffsetWrist, Palletizer, Scara, SixAxis

EXACT = 1e-9  # [rad, m] how far axes may be from parallel, at right angles, or from one point


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
    if prismatic == [False] * 7:
        raise ValueError(f"{kinds}, a pose leaves one free: give axis_7")
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
