"""Springs of a robot beside a file whose format has none: comments, and a table of numbers."""

from __future__ import annotations

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
