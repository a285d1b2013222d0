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
        ``jacobian`` ``(6, n)``, linear rows first; ``singular_values`` and ``condition`` of it with
        linear rows divided by the length; its ``manipulability``; the ``determinant`` at the TCP
        and the distances ``wrist_rad``, ``elbow_rad`` and ``shoulder_m`` from singularities: NaN
        where no closed form has them, infinite where an arm has none; kinds that are ``near``.
    """
    measures = robot.measures(q, frame, length)
    try:
        distances = robot.singularities(q)
    except MissingData:  # an arm without a closed form
        distances = Singularities(*[np.asarray(np.nan)] * 4)
    return {
        "frame": frame,
        "axes": axes,
        "q_rad": robot.states.one(q),
        "jacobian": robot.jacobian(q, frame, axes=axes),
        "length_m": length,
        "singular_values": measures.singular_values,
        "condition": measures.condition,
        "manipulability": measures.manipulability,
        "determinant": distances.determinant,
        "wrist_rad": distances.wrist,
        "elbow_rad": distances.elbow,
        "shoulder_m": distances.shoulder,
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
    shown = ", ".join(f"{x:g}" for x in robot.to_controller(record["q_rad"]))
    title = f"Jacobian of {record['frame']} of {robot.name} in {record['axes']} axes at ({shown})"
    jacobian = TextTable("row", "unit", *heads, rows=rows, title=title, keys=2, right=heads)
    values = ", ".join(f"{x:.4g}" for x in record["singular_values"])
    scale = f"linear rows divided by {record['length_m']:g} m"
    measures = [
        (f"singular values, {scale}", values, ""),
        ("smallest of them", f"{record['singular_values'][-1]:.6g}", f"near below {NEAR:g}"),
        ("condition number", f"{record['condition']:.6g}", ""),
        ("manipulability, product of those of J", f"{record['manipulability']:.6g}", ""),
        ("determinant at the TCP", _number(record["determinant"]), ""),
        (
            "wrist singularity away [deg]",
            _number(np.degrees(record["wrist_rad"])),
            f"near within {np.degrees(NEAR_ANGLE):g}",
        ),
        (
            "elbow singularity away [deg]",
            _number(np.degrees(record["elbow_rad"])),
            f"near within {np.degrees(NEAR_ANGLE):g}",
        ),
        (
            "shoulder singularity away [mm]",
            _number(1e3 * record["shoulder_m"]),
            f"near within {1e3 * NEAR_AXIS:g}",
        ),
    ]
    return [jacobian, TextTable("measure", "value", "bound", rows=measures, title="Singularities")]


def jacobian_conclusion(record: dict[str, Any]) -> str:
    """Return in one line which singularity is near."""
    smallest = record["singular_values"][-1]
    if record["near"]:
        return f"near the {' and the '.join(record['near'])} singularity"
    if smallest < NEAR:
        return f"nearly singular: the smallest singular value is {smallest:.3g}"
    return "no singularity is near"


def _number(value: Any) -> str:
    """Return a number, or in words why there is none."""
    if np.isnan(value):
        return "no closed form"
    return "none" if np.isinf(value) else f"{value + 0.0:.6g}"
