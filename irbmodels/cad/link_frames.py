"""Frames of the links of a robot in the posture that it is drawn in."""

from __future__ import annotations

import numpy as np

from ..model.types import Array
from ..tables.description import BARS, Description
from ..tables.forms import FORMS


def turned(robot: Description) -> tuple[float, ...]:
    """Return the angles of the joints at 0 of the controller, from the drawn posture [deg].

    That of a six-axis arm is lower arm up, forearm level, as at 0 of ABB's arms. Arms whose frames
    are others than those of conventions.md are drawn at 0.
    """
    rows = robot.kinematics.joints.values()
    for joints, _ in FORMS.values():
        if [form.alpha for form in joints] == [row.alpha_deg for row in rows]:
            return tuple(
                row.theta0_deg - form.theta0 if row.type == "revolute" else 0.0
                for row, form in zip(rows, joints, strict=True)
            )
    return (0.0,) * len(rows)


def link_frames(robot: Description) -> dict[str, Array]:
    """Return the pose of every link's frame in the base, as drawn, ``(4, 4)`` [m]."""
    table = robot.dh("modified")
    home = table.frames(np.linalg.inv(table.A) @ -np.radians(turned(robot)))
    result = {"base_link": np.eye(4)} | {
        f"link_{i}": frame for i, frame in enumerate(home[:-1], start=1)
    }
    if robot.kinematics.parallelogram is not None:
        crank, rod = (result[link].copy() for link in ("link_3", "link_2"))
        crank[:3, 3] = result["link_2"][:3, 3]
        rod[:3, 3] = (crank @ [0.0, -robot.kinematics.parallelogram.crank_mm / 1000.0, 0.0, 1.0])[
            :3
        ]
        result |= dict(zip(BARS, (crank, rod), strict=True))
    return result
