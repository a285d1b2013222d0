"""A Jacobian of one posture with its singular values and distances from singularities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import MissingData
from ..kinematics.singularities import (
    NEAR,
    NEAR_ANGLE,
    NEAR_AXIS,
    Singularities,
    near_singularities,
)
from ..robot.robot import Robot
from .text_table import TextTable

_ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")


def jacobian_record(
    robot: Robot, q: ArrayLike, frame: str = "tcp", axes: Any = "base", length: float = 1.0
) -> dict[str, Any]:
    """Return the Jacobian of a frame and what it tells, in SI units.

    Args:
        robot: With its tool.
        q: Axis positions [rad, m], shape ``(n,)``.
        frame: Any name of ``robot.frames``.
        axes: ``base``, ``world`` or ``local`` (those of the frame).
        length: Characteristic length [m], by which linear rows are divided for the singular values.

    Returns:
        ``jacobian`` ``(6, n)``, linear rows first; ``singular_values``, ``condition`` and
        ``smallest_singular_value`` of it with linear rows divided by the length; its
        ``manipulability``; ``determinant`` and the distances of the ``wrist`` [rad], ``elbow``
        [rad] and ``shoulder`` [m] singularity, which are NaN where an arm has none of that kind
        alone and infinite where it has none at all; ``near``: kinds that are near.
    """
    measures = robot.measures(q, frame, length)
    unknown = np.float64(np.nan)
    try:
        distances = robot.singularities(q)
    except MissingData:  # an arm without a closed form
        distances = Singularities(*[np.asarray(unknown)] * 4)
    return {
        "robot": robot.name,
        "tool": None if robot.tool is None else robot.tool.name,
        "frame": frame,
        "axes": axes,
        "position": robot.states.one(q),
        "jacobian": robot.jacobian(q, frame, axes=axes),
        "length": length,
        "singular_values": measures.singular_values,
        "condition": measures.condition,
        "smallest_singular_value": measures.smallest,
        "manipulability": measures.manipulability,
        **{name: float(value) for name, value in distances._asdict().items()},
        "near": list(near_singularities(distances)),
    }


def jacobian_tables(record: dict[str, Any], robot: Robot) -> list[TextTable]:
    """Return the Jacobian as a table, and its measures and distances as another."""
    linear = robot.limits.linear
    units = ["m/s" if flag else "rad/s" for flag in linear]
    rows = [
        (name, "m/s" if k < 3 else "rad/s", *(f"{x:.6f}" for x in np.round(values, 6) + 0.0))
        for k, (name, values) in enumerate(zip(_ROWS, record["jacobian"], strict=True))
    ]
    heads = [f"axis {i + 1} [per {unit}]" for i, unit in enumerate(units)]
    shown = ", ".join(f"{x:g}" for x in robot.to_controller(record["position"]))
    title = f"Jacobian of {record['frame']} of {robot.name} in {record['axes']} axes at ({shown})"
    jacobian = TextTable("row", "unit", *heads, rows=rows, title=title, keys=2, right=heads)
    values = ", ".join(f"{x:.4g}" for x in record["singular_values"])
    scale = f"linear rows divided by {record['length']:g} m"
    measures = [
        (f"singular values, {scale}", values, ""),
        ("smallest of them", f"{record['smallest_singular_value']:.6g}", f"near below {NEAR:g}"),
        ("condition number", f"{record['condition']:.6g}", ""),
        ("manipulability, product of those of J", f"{record['manipulability']:.6g}", ""),
        ("determinant at the TCP", _number(record["determinant"]), ""),
        (
            "wrist singularity away [deg]",
            _number(np.degrees(record["wrist"])),
            f"near within {np.degrees(NEAR_ANGLE):g}",
        ),
        (
            "elbow singularity away [deg]",
            _number(np.degrees(record["elbow"])),
            f"near within {np.degrees(NEAR_ANGLE):g}",
        ),
        (
            "shoulder singularity away [mm]",
            _number(1e3 * record["shoulder"]),
            f"near within {1e3 * NEAR_AXIS:g}",
        ),
    ]
    return [jacobian, TextTable("measure", "value", "bound", rows=measures, title="Singularities")]


def jacobian_conclusion(record: dict[str, Any]) -> str:
    """Return in one line which singularity is near."""
    smallest = record["smallest_singular_value"]
    if record["near"]:
        return f"near the {' and the '.join(record['near'])} singularity"
    if smallest < NEAR:
        return f"nearly singular: the smallest singular value is {smallest:.3g}"
    return "no singularity is near"


def _number(value: float) -> str:
    """Return a number, or in words why there is none."""
    if np.isnan(value):
        return "no closed form"
    return "none" if np.isinf(value) else f"{value + 0.0:.6g}"
