"""Frames of the links of a robot in the posture that it is drawn in."""

from __future__ import annotations

import numpy as np

from ..model.types import Array
from ..tables.description import BARS, LEVEL_BARS, Description
from ..tables.forms import FORMS


def turned(robot: Description) -> tuple[float, ...]:
    """Return the angles of the joints at 0 of the controller, from the drawn posture [deg].

    That of a six-axis arm is lower arm up, forearm level, as at 0 of ABB's arms. Seven-axis arms,
    and those whose frames are others than those of conventions.md, are drawn at 0.
    """
    rows = robot.kinematics.joints.values()
    for build, (joints, _) in FORMS.items():
        if build != "seven_axis" and [form.alpha for form in joints] == [
            row.alpha_deg for row in rows
        ]:
            return tuple(
                row.theta0_deg - form.theta0 if row.type == "revolute" else 0.0
                for row, form in zip(rows, joints, strict=True)
            )
    return (0.0,) * len(rows)


def link_frames(robot: Description) -> dict[str, Array]:
    """Return the pose of every link's frame in the base, as drawn, ``(4, 4)`` [m]."""
    table = robot.dh("modified")
    driven = [joint != "joint_level" for joint in robot.chain]
    home = table.frames(np.linalg.inv(table.A[driven]) @ -np.radians(turned(robot)))
    names = (joint.replace("joint", "link") for joint in robot.chain)
    result = {"base_link": np.eye(4)} | dict(zip(names, home, strict=False))
    level = robot.kinematics.level
    if robot.kinematics.parallelogram is not None:
        crank, rod = (result[link].copy() for link in ("link_3", "link_2"))
        crank[:3, 3] = result["link_2"][:3, 3]
        back = -robot.kinematics.parallelogram.crank_mm / 1000.0
        rod[:3, 3] = (crank @ ([0.0, back, 0.0, 1.0] if level is None else [back, 0.0, 0.0, 1.0]))[
            :3
        ]
        result |= dict(zip(BARS, (crank, rod), strict=True))
    if level is not None:
        plate, lower, upper = (result[link].copy() for link in ("link_3", "link_2", "link_3"))
        for bar, (ahead, up) in ((lower, level.lower_pin_mm), (upper, level.upper_pin_mm)):
            bar[:3, 3] += np.array([ahead, 0.0, up]) / 1000.0
        result |= dict(zip(LEVEL_BARS, (plate, lower, upper), strict=True))
    return result
