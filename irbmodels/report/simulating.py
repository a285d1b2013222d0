"""A simulation in tables: what each axis did, and the events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..robot.robot import Robot
from .text_table import TextTable

_SHOWN = 40  # events that are listed


def run_table(record: Mapping[str, Any], robot: Robot) -> TextTable:
    """Return a row per axis of the summary of a run, in the controller's units."""
    followed = record["axes"][0]["largest_error_rad"] is not None
    rows = []
    for row, linear in zip(record["axes"], robot.limits.linear.tolist(), strict=True):
        factor = 1000.0 if linear else float(np.degrees(1.0))
        shown = [row["start_rad"], row["end_rad"], row["largest_speed_rad_s"]]
        error = [row["largest_error_rad"]] if followed else []
        rows.append(
            (
                str(row["axis"]),
                *(f"{_cleaned(factor * value):.4g}" for value in (*shown, *error)),
                "mm" if linear else "deg",
                f"{_cleaned(row['largest_torque_N_m']):.4g}",
                "N" if linear else "N m",
                *(str(row[kind]) for kind in ("slips", "sticks", "hits_its_stop", "saturates")),
            )
        )
    heads = ("axis", "start", "end", "speed up to", *(["error up to"] if followed else []), "unit")
    heads += ("torque up to", "unit of it", "slips", "sticks", "meets its stop", "saturates")
    title = f"{robot.name}: {record['duration_s']:g} s, {record['samples']} samples"
    return TextTable(*heads, rows=rows, title=title)


def _cleaned(value: float) -> float:
    """Return a value with its rounding below 1e-9 left out, and no minus sign before a zero."""
    return round(value, 9) + 0.0


def run_lines(record: Mapping[str, Any], robot: Robot) -> list[str]:
    """Return events, energy, and the largest error of an axis or the TCP, a line each."""
    events = record["events"]
    lines = [f"t = {one['t_s']:.6f} s: axis {one['axis']} {one['kind']}" for one in events[:_SHOWN]]
    if len(events) > _SHOWN:
        lines.append(f"and {len(events) - _SHOWN} more events")
    if record["work_J"] is not None:
        lines.append(
            f"work of the motors {record['work_J']:.4g} J, lost to friction and stops"
            f" {record['lost_J']:.4g} J"
        )
    factors = np.where(robot.limits.linear, 1000.0, np.degrees(1.0))
    errors = [row["largest_error_rad"] for row in record["axes"]]
    if None not in errors:
        shown = factors * errors
        axis = int(np.argmax(shown))
        unit = "mm" if robot.limits.linear[axis] else "deg"
        lines.append(f"largest error from the motion: {shown[axis]:.4g} {unit} of axis {axis + 1}")
    if record["largest_tcp_error_m"] is not None:
        lines.append(f"largest error of the TCP {1000.0 * record['largest_tcp_error_m']:.4g} mm")
    if record["stopped"]:
        lines.append(f"stopped: {record['stopped']}")
    return lines
