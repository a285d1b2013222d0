"""A tool path through the wrist singularity: which rule the axes follow there, and what the tool loses by it.

The rule (RAPID's SingArea with Wrist is described alike): as long as axis 5 is farther than ``zone`` from 0 every pose is met
exactly. Within the zone axes 4, 5 and 6 run straight from where they entered to where they leave, and axes 1 to 3 keep the TCP
exactly on its path. Of the two postures of the wrist behind the zone the one with less motion of axes 4 and 6 is taken: as a rule
axis 5 passes through 0 and axes 4 and 6 hardly move, where the exact path would turn them by up to half a turn. What is lost is
orientation only, and at most about the zone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arms import SphericalArm
from .errors import InputError
from .outline import TwoLinks
from .workspace import in_forearm

Array = NDArray[np.float64]

ZONE = math.radians(5.0)  # [rad]
_ALIKE = 1e-6  # [m, rad] within which the start must be on the first pose
_FLANGE_FROM_TOOL0 = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]).T
_FREE = ((-math.pi, math.pi), (-math.pi, math.pi))


class Crossing(NamedTuple):
    """Axis positions along a path, and how far the tool is turned from it."""

    q: Array
    """Shape ``(N, 6)`` [rad], continuous."""
    turned: Array
    """Angle between wanted and actual orientation [rad], shape ``(N,)``; 0 to rounding outside the zone."""
    inside: NDArray[np.bool_]
    """Which samples are inside the zone."""


def cross_wrist(arm: SphericalArm, tool0_from_tcp: Array, poses: Array, start: Array, zone: float = ZONE) -> Crossing:
    """Return axis positions along poses of the TCP, the wrist singularity crossed by the rule above.

    Args:
        arm: Shape of the arm.
        tool0_from_tcp: Pose of the TCP in tool0, ``(4, 4)``.
        poses: Wanted poses of the TCP in the base, ``(N, 4, 4)``, so dense that neighbors have neighboring postures.
        start: Axis positions on the first pose; elbow and shoulder stay as they are there.
        zone: How near to 0 axis 5 may come before the rule applies [rad].

    Raises:
        InputError: if ``start`` is not on the first pose, or a pose is out of reach.
    """
    tool0 = poses @ np.linalg.inv(tool0_from_tcp)
    q = np.empty((len(poses), 6))
    q[0] = _posture(arm, tool0[0], start)
    if np.abs(np.sin((q[0] - start) / 2.0)).max() > _ALIKE:
        raise InputError(f"the start is not on the first pose, which has axis positions {np.degrees(q[0]).round(3).tolist()} deg")
    q[0] = start
    inside = np.zeros(len(poses), dtype=bool)
    i = 1
    while i < len(poses):
        q[i] = _posture(arm, tool0[i], q[i - 1])
        last = i
        while last < len(poses) - 1 and abs(_posture(arm, tool0[last], q[i - 1])[4]) < zone:
            last += 1
        if last > i:  # samples i .. last - 1 are in the zone
            one, other = (_posture(arm, tool0[last], q[i - 1], sign) for sign in (1.0, -1.0))
            before = q[i - 1, 3:]
            after = min((one, other), key=lambda found: float(np.abs(found[[3, 5]] - before[[0, 2]]).max()))[3:]
            for k in range(i, last):
                wrist = before + (after - before) * (k - i + 1) / (last - i + 1)
                tip = in_forearm(arm, tool0_from_tcp[:3, 3], *wrist.tolist())
                q[k] = [*_main_axes(arm, poses[k, :3, 3], tip, q[k - 1]), *wrist]
            inside[i:last] = True
            q[last] = _posture(arm, tool0[last], np.concatenate([q[last - 1, :3], after]))
        i = last + 1
    actual = np.array([_forearm(arm, row) @ _wrist(row) for row in q])
    wanted = tool0[:, :3, :3] @ _FLANGE_FROM_TOOL0.T
    turned = 2.0 * np.arcsin(np.clip(np.linalg.norm(actual - wanted, axis=(1, 2)) / math.sqrt(8.0), 0.0, 1.0))
    return Crossing(q, turned, inside)


def _posture(arm: SphericalArm, tool0: Array, like: Array, sign: float | None = None) -> Array:
    """Return the posture of a pose of tool0 nearest to ``like``, axis 5 with its sign unless another is given."""
    center = tool0[:3, 3] - arm.d6 * tool0[:3, 2]
    q = np.concatenate([_main_axes(arm, center, np.array([arm.d4, 0.0, arm.a3]), like), like[3:]])
    W = _forearm(arm, q).T @ tool0[:3, :3] @ _FLANGE_FROM_TOOL0.T
    s = sign or math.copysign(1.0, like[4])
    across = math.hypot(W[1, 0], W[2, 0])
    q5 = s * math.atan2(across, W[0, 0])
    if across < 1e-12:  # axes 4 and 6 are one line: axis 4 stays
        forward = math.copysign(1.0, W[0, 0])
        q4 = float(like[3])
        q6 = forward * (math.atan2(W[2, 1], W[1, 1]) - q4)
    else:
        q4, q6 = math.atan2(s * W[1, 0], -s * W[2, 0]), math.atan2(s * W[0, 1], s * W[0, 2])
    q[3:] = _unwound(q4, like[3]), q5, _unwound(q6, like[5])
    return q


def _main_axes(arm: SphericalArm, point: Array, tip: Array, like: Array) -> list[float]:
    """Return axes 1 to 3 that put ``tip`` [m, in the upper arm's axes from axis 3] on ``point``, nearest to ``like``."""
    radius, beside = math.hypot(point[0], point[1]), float(tip[1])
    rise = math.atan2(tip[2], tip[0])
    found = []
    for side in (1.0, -1.0) if radius >= abs(beside) else ():
        ahead = side * math.sqrt(radius**2 - beside**2)
        q1 = math.atan2(point[1], point[0]) - math.atan2(beside, ahead)
        links = TwoLinks((arm.a1, arm.d1), arm.a2, math.hypot(tip[0], tip[2]), _FREE)
        for t1, t2 in zip(*(angles.tolist() for angles in links.solve(np.array([ahead, point[2]]))), strict=True):
            if math.isfinite(t1):
                q2, r3 = _unwound(math.pi / 2 - t1, like[1]), _unwound(rise - math.pi / 2 - t2, float(arm.arm_to_arm(like)))
                found.append([_unwound(q1, like[0]), q2, r3 + q2 if arm.coupled else r3])
    if not found:
        raise InputError(f"{np.round(1e3 * point, 3).tolist()} mm is out of reach")
    return min(found, key=lambda one: float(np.abs(np.array(one) - like[:3]).max()))


def _unwound(angle: float, near: float) -> float:
    """Add whole turns to an angle until it is next to another."""
    return angle + math.tau * round((near - angle) / math.tau)


def _forearm(arm: SphericalArm, q: Array) -> Array:
    lean = float(q[1] + arm.arm_to_arm(q))
    c1, s1, c, s = math.cos(q[0]), math.sin(q[0]), math.cos(lean), math.sin(lean)
    return np.array([[c1 * c, -s1, c1 * s], [s1 * c, c1, s1 * s], [-s, 0.0, c]])


def _wrist(q: Array) -> Array:
    c4, s4, c5, s5, c6, s6 = (f(angle) for angle in q[3:] for f in (math.cos, math.sin))
    across = [s4 * s5, c4 * c6 - s4 * c5 * s6, -c4 * s6 - s4 * c5 * c6]
    return np.array([[c5, s5 * s6, s5 * c6], across, [-c4 * s5, s4 * c6 + c4 * c5 * s6, -s4 * s6 + c4 * c5 * c6]])
