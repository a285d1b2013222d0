"""The check as CSV, a row per sample, in degrees and millimetres, shares in percent.

Positions, speeds and accelerations have the names of a motion file: :func:`irbmodels.open_motion`
reads the table as a motion.
"""

from __future__ import annotations

from typing import TextIO

import numpy as np

from ...dynamics.equations_of_motion import TorqueParts
from ...robot.robot import Robot
from ...trajectory.motion_files import columns_and_factors
from .samples import Samples


def write_header(stream: TextIO, robot: Robot, acceleration: bool) -> None:
    """Write the names of the columns."""
    linear = robot.limits.linear.tolist()
    axes = [(i, *(("mm", "N") if flag else ("deg", "Nm"))) for i, flag in enumerate(linear, 1)]
    shares = ["speed", *(["acceleration"] if acceleration else []), "torque"]
    names = [
        *("t", "line"),
        *(name for quantity in "qva" for name in columns_and_factors(quantity, linear)[0]),
        *(f"margin{i}_{length}" for i, length, _ in axes),
        *(f"{share}{i}_percent" for share in shares for i, *_ in axes),
        *(f"tau{i}_{part}_{force}" for i, _, force in axes for part in TorqueParts._fields),
        *(f"power{i}_W" for i, *_ in axes),
        *("wrist_deg", "elbow_deg", "shoulder_mm", "smallest_singular_value", "manipulability"),
        *(f"tcp_{axis}_mm" for axis in "xyz"),
    ]
    stream.write(",".join(names) + "\n")


def write_rows(stream: TextIO, robot: Robot, samples: Samples) -> None:
    """Write some samples; ``line`` is 0 for a motion made in code."""
    linear = robot.limits.linear
    shares = samples.speed, samples.acceleration, samples.torque
    states = zip("qva", (samples.q, samples.v, samples.a), strict=True)
    columns = [
        samples.t,
        samples.lines,
        *(values / columns_and_factors(name, linear.tolist())[1] for name, values in states),
        np.where(linear, 1000.0 * samples.margin, np.degrees(samples.margin)),
        *(100.0 * share for share in shares if share is not None),
        np.stack(samples.parts, axis=2).reshape(len(samples.t), -1),
        samples.power,
        np.degrees(samples.wrist),
        np.degrees(samples.elbow),
        1000.0 * samples.shoulder,
        samples.smallest,
        samples.manipulability,
        1000.0 * samples.tcp,
    ]
    np.savetxt(stream, np.column_stack(columns), delimiter=",", fmt="%.9g")
