"""Lengths of the arm up to the wrist centre, from the Jacobian and its derivative at home.

In the arm's frame z is axis 1, y lies along axis 3, and the origin stands on axis 1 at the height
of axis 2. With absolute angles ``x1`` of the arm about z, and ``x2``, ``x3`` of lower arm and
forearm from z towards x, the wrist centre is

``Rz(x1) (a1 + l2 sin x2 + l3 sin x3, d, l2 cos x2 + l3 cos x3)``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
import pinocchio as pin

from ...errors import MissingData
from ...model.types import Array
from ...robot.robot import Robot

STRAIGHT = 1e-9  # rounding of an axis of length 1


@dataclass(frozen=True, eq=False)
class ArmLines:
    """Lengths of the arm, and its ranges in absolute angles."""

    base_from_arm: Array
    """Rotation ``(3, 3)``."""
    origin: Array
    """Of the arm's frame in the base [m]."""
    wrist: Array
    """Wrist centre in the frame of the TCP [m]."""
    axis_6: Array
    """Direction of axis 6 in the frame of the TCP."""
    a1: float
    d: float
    lower_arm_length: float
    forearm_length: float
    lower_arm_at_home: float
    """``x2`` at home [rad]."""
    forearm_at_home: float
    """``x3`` at home [rad]."""
    lower_arm_sign: float
    """1 where a positive axis 2 turns the lower arm about +y, else -1."""
    range_between_arms: bool
    """True if the range of axis 3 is that of the angle between the arms ``x3 - x2``."""
    sums_between_arms: tuple[bool, ...]
    """The same of each bound of a sum; else it is one of ``x3``."""
    wrist_at_home: float
    """Angle from axis 4 to axis 6 about axis 5 where ``q5 = 0`` [rad]."""


def arm_lines(robot: Robot) -> ArmLines:
    """Return the lengths of a robot.

    Raises:
        MissingData: if it is no six-axis arm with a spherical wrist, or its ranges couple axes in
            another way than axis 2 with 3.
    """
    home = np.zeros(robot.n)
    if robot.n != 6:
        raise MissingData(
            f"{robot.name} has {robot.n} axes: a free angle is solved for six with a spherical"
            " wrist"
        )
    tcp = cast(pin.SE3, robot.pose(home))
    if np.isnan(robot.singularities(home).wrist):
        raise MissingData(
            f"the wrist of {robot.name} is not spherical: a free angle is solved for six axes"
            " with a spherical wrist"
        )
    J = robot.jacobian(home)
    turning = J[3:].T
    feet = tcp.translation + np.cross(turning, J[:3].T)
    across = np.eye(3) - turning[3:, :, None] * turning[3:, None, :]
    centre = np.linalg.solve(across.sum(axis=0), (across @ feet[3:, :, None]).sum(axis=0)[:, 0])
    wrist = tcp.rotation.T @ (centre - tcp.translation)
    J, H = robot.jacobian(home, point=wrist), robot.hessian(home, point=wrist)
    size = np.linalg.norm(turning, axis=1)
    A = robot.limits.A.copy()
    factors = A[[2, *range(6, len(A))], 1]  # of q2 in the range of axis 3, and in sums with it
    A[2, 1] = 0.0
    sums = np.delete(A[6:], 1, axis=1)
    plain = np.abs(np.delete(size, 1) - 1.0).max() < STRAIGHT and np.abs(J[:3, 3:]).max() < STRAIGHT
    if not plain or (A[:6] != np.eye(6)).any() or (sums != np.eye(5)[1]).any():
        raise MissingData(
            f"{robot.name} couples axes other than 2 and 3: its free angle is not solved"
        )
    z, y = turning[0], turning[2]
    x = np.cross(y, z)
    upper = -H[:3, 2, 2]  # a point on a circle is pulled towards its centre
    # driven from the shoulder, the forearm keeps its direction while axis 2 turns
    carried = size[1] < 0.5
    lower = -H[:3, 1, 1] - (0.0 if carried else upper)
    sense = float(np.sign(J[:3, 1] @ np.cross(y, lower) if carried else turning[1] @ y))
    ratios = np.abs(factors * sense - (0.0 if carried else 1.0))  # of x2 in these
    if np.minimum(ratios, np.abs(ratios - 1.0)).max() > STRAIGHT:
        raise MissingData(
            f"{robot.name} couples axes 2 and 3 by a ratio other than 1: its free angle is not"
            " solved"
        )
    shoulder, foot = centre - upper - lower, centre + np.cross(z, J[:3, 0])
    d = float(y @ (centre - foot))
    return ArmLines(
        base_from_arm=np.stack([x, y, z], axis=1),
        origin=foot + z * (z @ (shoulder - foot)),
        wrist=wrist,
        axis_6=tcp.rotation.T @ turning[5],
        a1=float(x @ (shoulder - foot)),
        d=d if abs(d) > 1e-12 else 0.0,
        lower_arm_length=math.hypot(x @ lower, z @ lower),
        forearm_length=math.hypot(x @ upper, z @ upper),
        lower_arm_at_home=math.atan2(x @ lower, z @ lower),
        forearm_at_home=math.atan2(x @ upper, z @ upper),
        lower_arm_sign=sense,
        range_between_arms=bool(ratios[0] > 0.5),
        sums_between_arms=tuple((ratios[1:] > 0.5).tolist()),
        wrist_at_home=math.atan2(
            np.cross(turning[3], turning[5]) @ turning[4], turning[3] @ turning[5]
        ),
    )
