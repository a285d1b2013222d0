"""What a format has no place for: warnings, comments in its files, and a table of springs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...model.model import GRAVITY
from ...robot.robot import Robot
from ...tables.spring_rows import spring_rows
from ...tables.writing import table_text

_HEADER = (
    "Springs that act on the axes beside the bodies. A motor bears dU/dq of each, q its axis as the"
    " controller shows it. Pivots are in the plane of the axis, from the axis, first coordinate"
    " turned towards the second; after_mm where it is at q = 0. L is their distance, s = L -"
    " length_mm, F > 0 pulls them together, torque F dL/dq. coil: F = F0_N + k_N_m s. gas: F = F0_N"
    " (1 - s / column_mm)^-exponent. torsion: k (q - rest). offset: constant."
)


def note_on_springs(robot: Robot) -> str | None:
    """Return the line that a file without springs has; None for a robot that has none."""
    if not robot.springs:
        return note_on_unknown(robot)
    parts = "; ".join(str(spring) for spring in robot.springs)
    return (
        f"Springs are left out, and gravity is that of the bodies alone: {parts}. *_springs.yaml"
        " has their numbers"
    )


def notes_on_losses(robot: Robot, to: str) -> Iterator[str]:
    """Yield lines on rotors, gravity and mounting of a robot that a format leaves out."""
    if to != "mjcf" and robot.rotors.any():
        values = ", ".join(f"{value:.4g}" for value in robot.rotors)
        yield f"Rotor inertias are left out, on the arm side [kg m^2, kg]: {values}"
    pulled = not np.array_equal(robot.gravity_in_world, GRAVITY)
    gravity = f"gravity of {robot.gravity_in_world.round(6).tolist()} m/s^2"
    mounted = not robot.world_from_base.isIdentity(0.0)
    if to in ("urdf", "ros2") and pulled:
        yield f"Left out, as a URDF has none: {gravity}"
    if to == "sdf" and (pulled or mounted):
        parts = [gravity] * pulled + ["the mounting"] * mounted
        yield f"Left out of model.sdf, and in world.sdf: {' and '.join(parts)}"


def note_on_unknown(robot: Robot) -> str | None:
    """Return a line on springs that the model itself is without; None where there are none."""
    if not robot.unknown_springs or robot.description is None:
        return None
    rows = robot.description.springs.elements
    parts = (
        f"{name.replace('_', ' ')} of {rows[name].axis.replace('_', ' ')}, of which"
        f" {', '.join(unknown)} are unknown"
        for name, unknown in robot.unknown_springs.items()
    )
    return f"No torque holds the {'; the '.join(parts)}"


def spring_files(robot: Robot, name: str) -> dict[str, str]:
    """Return the table of the springs in use, by its file; nothing for a robot without.

    It has the form of springs.yaml of the robot's own tables (docs/background/conventions.md).
    """
    if not robot.springs:
        return {}
    axes = robot.axes if robot.description is None else robot.description.axes
    rows = spring_rows(robot.springs, axes, robot.limits.linear.tolist())
    source = {"ref": f"springs of the model {robot.name} of irbmodels", "grade": "assumed"}
    source["how"] = "as in the model, whose own sources are in irbmodels info"
    elements = {part: {**row, "source": "model"} for part, row in rows.items()}
    table = {"sources": {"model": source}, "elements": elements}
    return {f"{name}_springs.yaml": table_text(table, _HEADER)}
