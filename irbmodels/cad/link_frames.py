"""Frames of the links of a robot at home."""

from __future__ import annotations

import numpy as np

from ..model.types import Array
from ..tables.description import BARS, Description


def link_frames(robot: Description) -> dict[str, Array]:
    """Return the pose of every link's frame in the base at home, ``(4, 4)`` [m]."""
    home = robot.dh("modified").frames(np.zeros(len(robot.axes)))
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
