"""A tool path through the wrist singularity: which rule the axes follow there, and what the tool loses by it.

The rule (RAPID's SingArea with Wrist is described alike): as long as axis 5 is farther than
``zone`` from 0 every pose is met exactly. Within the zone axes 4, 5 and 6 run straight from where
they entered to where they leave, and axes 1 to 3 keep the TCP exactly on its path. Of the two
postures of the wrist behind the zone the one with less motion of axes 4 and 6 is taken: as a rule
axis 5 passes through 0 and axes 4 and 6 hardly move, where the exact path would turn them by up to
half a turn. What is lost is orientation only, and at most about the zone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..errors import InputError, MissingData
from ..model.rotations import about_y, rotation_z
from ..model.types import Array, Mask
from .arm_geometry import Scara, SixAxis
from .planar_boundary import TwoLinks

ZONE = math.radians(5.0)  # [rad]
_ALIKE = 1e-6  # [m, rad] within which the start must be on the first pose
_FREE = ((-math.pi, math.pi), (-math.pi, math.pi))


class Crossing(NamedTuple):
    """Axis positions along a path, and how far the tool is turned from it."""

    q: Array
    """Shape ``(N, 6)`` [rad], continuous."""
    turned: Array
    """Angle between wanted and actual orientation [rad], shape ``(N,)``.

    0 to rounding outside the zone.
    """
    inside: Mask
    """Which samples are inside the zone."""


def cross_wrist(arm: SixAxis | Scara, poses: Array, start: Array, zone: float = ZONE) -> Crossing:
    """Return axis positions along poses of the TCP, the wrist singularity crossed by the rule above.

    Args:
        arm: Shape of the arm, for the TCP.
        poses: Wanted poses of the TCP in the base, ``(N, 4, 4)``, so dense that neighbors have
            neighboring postures.
        start: Axis positions on the first pose; elbow and shoulder stay as they are there.
        zone: How near to the singularity axis 5 may come before the rule applies [rad].

    Raises:
        InputError: if ``start`` is not on the first pose, or a pose is out of reach.
        MissingData: for an arm without a wrist.
    """
    if not isinstance(arm, SixAxis):
        raise MissingData("a SCARA has no wrist to cross")
    places = (poses[:, :3, 3] - arm.origin) @ arm.arm_from_base.T
    turns = arm.arm_from_base @ poses[:, :3, :3]
    x = np.empty((len(poses), 6))
    begin = arm.axis_map.angles(start)
    x[0] = _posture(arm, places[0], turns[0], begin)
    if np.abs(np.sin((x[0] - begin) / 2.0)).max() > _ALIKE:
        found = np.degrees(arm.axis_map.positions(x[0])).round(3).tolist()
        raise InputError(
            f"the start is not on the first pose, which has axis positions {found} deg"
        )
    x[0] = begin
    inside = np.zeros(len(poses), dtype=bool)
    i = 1
    while i < len(poses):
        x[i] = _posture(arm, places[i], turns[i], x[i - 1])
        last = i
        while (
            last < len(poses) - 1
            and abs(_bend(_posture(arm, places[last], turns[last], x[i - 1]))) < zone
        ):
            last += 1
        if last > i:  # samples i .. last - 1 are in the zone
            one, other = (
                _posture(arm, places[last], turns[last], x[i - 1], sign) for sign in (1.0, -1.0)
            )
            before = x[i - 1, 3:]
            after = min(
                (one, other), key=lambda found: float(np.abs(found[[3, 5]] - before[[0, 2]]).max())
            )[3:]
            for k in range(i, last):
                wrist = before + (after - before) * (k - i + 1) / (last - i + 1)
                tip = arm.tcp_from_elbow(np.concatenate([x[k - 1, :3], wrist]))
                x[k] = [*_main_angles(arm, places[k], tip, x[k - 1]), *wrist]
            inside[i:last] = True
            x[last] = _posture(
                arm, places[last], turns[last], np.concatenate([x[last - 1, :3], after])
            )
        i = last + 1
    actual = np.array([_forearm(row) @ arm.C.T @ _wrist(row) @ arm.E.T for row in x])
    turned = 2.0 * np.arcsin(
        np.clip(np.linalg.norm(actual - turns, axis=(1, 2)) / math.sqrt(8.0), 0.0, 1.0)
    )
    return Crossing(arm.axis_map.positions(x), turned, inside)


def _posture(
    arm: SixAxis, place: Array, turn: Array, like: Array, sign: float | None = None
) -> Array:
    """Return the angles of a pose nearest to ``like``, the wrist bent to its side unless another is given."""
    center = place + turn @ arm.wrist
    x = np.concatenate(
        [_main_angles(arm, center, np.array([0.0, arm.d, arm.forearm_length]), like), like[3:]]
    )
    W = arm.C @ _forearm(x).T @ turn @ arm.E
    s = sign or math.copysign(1.0, math.sin(like[4]))
    across = math.hypot(W[0, 2], W[1, 2])
    x5 = s * math.atan2(across, W[2, 2])
    if across < 1e-12:  # axes 4 and 6 are one line: axis 4 stays
        x4, ahead = float(like[3]), math.copysign(1.0, W[2, 2])
        x6 = ahead * (math.atan2(ahead * W[1, 0], ahead * W[0, 0]) - x4)
    else:
        x4, x6 = math.atan2(s * W[1, 2], s * W[0, 2]), math.atan2(s * W[2, 1], -s * W[2, 0])
    x[3:] = [
        _unwound(angle, near) for angle, near in zip((x4, x5, x6), like[3:].tolist(), strict=True)
    ]
    return x


def _main_angles(arm: SixAxis, point: Array, tip: Array, like: Array) -> list[float]:
    """Return the first three angles that put ``tip`` [m, in the forearm's frame from axis 3] on ``point``, near ``like``."""
    radius, beside = math.hypot(point[0], point[1]), float(tip[1])
    lean = math.atan2(tip[0], tip[2])
    found = []
    for side in (1.0, -1.0) if radius >= abs(beside) else ():
        ahead = side * math.sqrt(radius**2 - beside**2)
        x1 = math.atan2(point[1], point[0]) - math.atan2(beside, ahead)
        links = TwoLinks((arm.a1, 0.0), arm.lower_arm_length, math.hypot(tip[0], tip[2]), _FREE)
        for t1, t2 in zip(
            *(angles.tolist() for angles in links.solve(np.array([ahead, point[2]]))), strict=True
        ):
            if math.isfinite(t1):
                angles = x1, math.pi / 2 - t1, math.pi / 2 - lean - t1 - t2
                found.append(
                    [
                        _unwound(angle, near)
                        for angle, near in zip(angles, like[:3].tolist(), strict=True)
                    ]
                )
    if not found:
        place = np.round(1e3 * (arm.arm_from_base.T @ point + arm.origin), 3).tolist()
        raise InputError(f"{place} mm is out of reach")
    return min(found, key=lambda one: float(np.abs(np.array(one) - like[:3]).max()))


def _unwound(angle: float, near: float) -> float:
    """Add whole turns to an angle until it is next to another."""
    return angle + math.tau * round((near - angle) / math.tau)


def _bend(x: Array) -> float:
    """Return how far axis 5 is from having axes 4 and 6 in one line [rad]."""
    return float(x[4]) - math.pi * round(float(x[4]) / math.pi)


def _forearm(x: Array) -> Array:
    turned: Array = rotation_z(float(x[0]))[:3, :3] @ about_y(float(x[2]))
    return turned


def _wrist(x: Array) -> Array:
    turned: Array = (
        rotation_z(float(x[3]))[:3, :3] @ about_y(float(x[4])) @ rotation_z(float(x[5]))[:3, :3]
    )
    return turned
