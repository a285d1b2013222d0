"""The check as CSV, a row per sample, in the controller's degrees and millimetres.

Shares in percent.

Positions, speeds and accelerations have the names of a motion file: :func:`irbmodels.open_motion`
reads the table as a motion.
"""

from __future__ import annotations

from typing import TextIO

import numpy as np

from ...dynamics.equations_of_motion import TorqueParts
from ...model.types import IntArray
from ...robot.robot import Robot
from ...trajectory import Motion
from ...trajectory.motion_files import columns_and_factors
from .samples import Samples


def write_header(stream: TextIO, robot: Robot, acceleration: bool) -> None:
    """Write the names of the columns."""
    straight = robot.limits.linear.tolist()
    axes = list(enumerate(straight, start=1))
    names = [
        "t",
        "line",
        *(name for quantity in "qva" for name in columns_and_factors(quantity, straight)[0]),
    ]
    names += [f"margin{i}_{'mm' if linear else 'deg'}" for i, linear in axes]
    for share in ("speed", *(["acceleration"] if acceleration else []), "torque"):
        names += [f"{share}{i}_percent" for i, _ in axes]
    names += [
        f"tau{i}_{part}_{'N' if linear else 'Nm'}"
        for i, linear in axes
        for part in TorqueParts._fields
    ]
    names += ["wrist_deg", "elbow_deg", "shoulder_mm", "smallest_singular_value", "manipulability"]
    names += [f"tcp_{axis}_mm" for axis in "xyz"]
    stream.write(",".join(names) + "\n")


def write_rows(
    stream: TextIO, robot: Robot, motion: Motion, samples: Samples, lines: IntArray | None
) -> None:
    """Write some samples; ``line`` is 0 for a motion made in code."""
    t, straight = motion.t, robot.limits.linear.tolist()
    shares = [
        samples.speed,
        *([] if samples.acceleration is None else [samples.acceleration]),
        samples.torque,
    ]
    blocks = [
        (np.zeros(len(t)) if lines is None else lines)[:, None],
        *(
            getattr(motion, quantity) / columns_and_factors(quantity, straight)[1]
            for quantity in "qva"
        ),
        np.where(robot.limits.linear, 1000.0 * samples.margin, np.degrees(samples.margin)),
        *(100.0 * share for share in shares),
        np.stack(samples.parts, axis=2).reshape(len(t), -1),
        np.degrees(samples.wrist)[:, None],
        np.degrees(samples.elbow)[:, None],
        1000.0 * samples.shoulder[:, None],
        samples.smallest[:, None],
        samples.manipulability[:, None],
        1000.0 * samples.tcp,
    ]
    np.savetxt(stream, np.hstack([t[:, None], *blocks]), delimiter=",", fmt="%.9g")
