"""A tool path through the wrist singularity, crossed by a rule that costs orientation only.

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
from ..model.rotations import from_zyz
from ..model.types import Array, Mask
from .arm_geometry import Arm, OffsetWrist, SixAxis
from .planar_boundary import TwoLinks

ZONE = math.radians(5.0)  # [rad]
_ALIKE = 1e-6  # [m, rad] within which the start must be on the first pose
_FREE = ((-math.pi, math.pi), (-math.pi, math.pi))


class Crossing(NamedTuple):
    """Axis positions along a path, and the tool's orientation error."""

    q: Array
    """Shape ``(N, 6)`` [rad], continuous."""
    orientation_error: Array
    """Angle between wanted and actual orientation [rad], shape ``(N,)``.

    0 to rounding outside the zone.
    """
    inside: Mask
    """True for samples inside the zone."""


def cross_wrist(arm: Arm, poses: Array, start: Array, zone: float = ZONE) -> Crossing:
    """Return axis positions along poses of the TCP, through the wrist singularity.

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
        raise MissingData("an arm of four axes has no wrist to cross")
    if isinstance(arm, OffsetWrist):
        raise MissingData("the wrist is not spherical: q5 = 0 is no singularity to cross")
    path = _Path(
        arm,
        (poses[:, :3, 3] - arm.origin) @ arm.arm_from_base.T,
        arm.arm_from_base @ poses[:, :3, :3],
    )
    x = np.empty((len(poses), 6))
    begin = arm.axis_map.angles(start)
    x[0] = path.posture(0, begin)
    if np.abs(np.sin((x[0] - begin) / 2.0)).max() > _ALIKE:
        q = np.degrees(arm.axis_map.positions(x[0])).round(3).tolist()
        raise InputError(f"the start is not on the first pose, which has axis positions {q} deg")
    x[0] = begin
    inside = np.zeros(len(poses), dtype=bool)
    i = 1
    while i < len(poses):
        x[i] = path.posture(i, x[i - 1])
        last = i
        while last < len(poses) - 1 and path.is_near(last, x[i - 1], zone):
            last += 1
        if last > i:  # samples i .. last - 1 are in the zone
            before = x[i - 1, 3:]
            wrists = [path.posture(last, x[i - 1], sign)[3:] for sign in (1.0, -1.0)]
            after = min(wrists, key=lambda wrist: float(np.abs(wrist - before)[[0, 2]].max()))
            for k in range(i, last):
                wrist = before + (after - before) * (k - i + 1) / (last - i + 1)
                tcp = arm.tcp_from_elbow(np.concatenate([x[k - 1, :3], wrist]))
                x[k] = [*_main_angles(arm, path.positions[k], tcp, x[k - 1]), *wrist]
            inside[i:last] = True
            x[last] = path.posture(last, np.concatenate([x[last - 1, :3], after]))
        i = last + 1
    actual = _forearm(x) @ arm.C.T @ from_zyz(x[:, 3:]) @ arm.E.T
    half_sine = np.linalg.norm(actual - path.rotations, axis=(1, 2)) / math.sqrt(8.0)
    error = 2.0 * np.arcsin(np.clip(half_sine, 0.0, 1.0))
    return Crossing(arm.axis_map.positions(x), error, inside)


class _Path(NamedTuple):
    """Poses of the TCP in the arm's frame."""

    arm: SixAxis
    positions: Array
    rotations: Array

    def posture(self, number: int, near: Array, sign: float | None = None) -> Array:
        """Return the angles of a pose nearest to ``near``.

        The wrist bends to the side of ``near`` unless another is given.
        """
        arm, rotation = self.arm, self.rotations[number]
        center = self.positions[number] + rotation @ arm.wrist
        wrist = np.array([0.0, arm.d, arm.forearm_length])
        x = np.concatenate([_main_angles(arm, center, wrist, near), near[3:]])
        W = arm.C @ _forearm(x).T @ rotation @ arm.E
        s = sign or math.copysign(1.0, math.sin(near[4]))
        across = math.hypot(W[0, 2], W[1, 2])
        x5 = s * math.atan2(across, W[2, 2])
        if across < 1e-12:  # axes 4 and 6 are one line: axis 4 stays
            x4, ahead = float(near[3]), math.copysign(1.0, W[2, 2])
            x6 = ahead * (math.atan2(ahead * W[1, 0], ahead * W[0, 0]) - x4)
        else:
            x4, x6 = math.atan2(s * W[1, 2], s * W[0, 2]), math.atan2(s * W[2, 1], -s * W[2, 0])
        x[3:] = _unwrap(np.array([x4, x5, x6]), near[3:])
        return x

    def is_near(self, number: int, near: Array, zone: float) -> bool:
        """Return whether axis 5 is within the zone about axes 4 and 6 in one line."""
        x5 = float(self.posture(number, near)[4])
        return abs(x5 - math.pi * round(x5 / math.pi)) < zone


def _main_angles(arm: SixAxis, point: Array, tcp: Array, near: Array) -> Array:
    """Return the first three angles that put the TCP on a point, nearest to ``near``.

    Args:
        arm: Geometry of the arm.
        point: In the arm's frame [m].
        tcp: From axis 3, in the forearm's frame [m].
        near: Absolute angles.
    """
    radius, beside = math.hypot(point[0], point[1]), float(tcp[1])
    offset = math.atan2(tcp[0], tcp[2])
    links = TwoLinks((arm.a1, 0.0), arm.lower_arm_length, math.hypot(tcp[0], tcp[2]), _FREE)
    candidates = []
    for side in (1.0, -1.0) if radius >= abs(beside) else ():
        ahead = side * math.sqrt(radius**2 - beside**2)
        x1 = math.atan2(point[1], point[0]) - math.atan2(beside, ahead)
        for t1, t2 in np.stack(links.solve(np.array([ahead, point[2]])), axis=-1):
            if math.isfinite(t1):
                angles = np.array([x1, math.pi / 2 - t1, math.pi / 2 - offset - t1 - t2])
                candidates.append(_unwrap(angles, near[:3]))
    if not candidates:
        position = np.round(1e3 * (arm.arm_from_base.T @ point + arm.origin), 3).tolist()
        raise InputError(f"{position} mm is out of reach")
    return min(candidates, key=lambda angles: float(np.abs(angles - near[:3]).max()))


def _unwrap(angles: Array, near: Array) -> Array:
    """Add full turns to angles until each is next to that of ``near``."""
    return np.asarray(angles + math.tau * np.round((near - angles) / math.tau))


def _forearm(x: Array) -> Array:
    """Return the rotations ``arm_from_forearm`` of absolute angles ``(..., 6)``."""
    return from_zyz(np.stack([x[..., 0], x[..., 2], np.zeros_like(x[..., 0])], axis=-1))
