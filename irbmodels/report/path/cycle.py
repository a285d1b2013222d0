"""Table of power, energy and duty per axis over the cycle of a path."""

from __future__ import annotations

import math

from ...robot.robot import Robot
from ...tasks.path_check import PathCheck
from ..text_table import TextTable


def cycle_table(check: PathCheck, robot: Robot) -> TextTable:
    """Return power, energy, duty and root mean square torque of each axis and of all together."""
    heads, rows = cycle_rows(check, robot)
    title = f"power, energy and duty over the cycle of {check.cycle.duration:.4g} s, at the arm"
    return TextTable(*heads, rows=rows, title=title)


def cycle_rows(check: PathCheck, robot: Robot) -> tuple[list[str], list[list[str]]]:
    """Return the heads, and the cells of each axis and of all together."""
    cycle, rated = check.cycle, check.rated_torque
    heads = ["axis", "moving %", "peak W", "braking W", "mean W", "driven J", "regenerated J"]
    heads += ["friction W", "RMS torque", "equivalent torque"]
    heads += [] if rated is None else ["RMS / rated %", "(RMS / rated)^2"]
    columns = (cycle.axes.peak, cycle.axes.braking, cycle.mean, cycle.axes.driven)
    rows = []
    for i, linear in enumerate(robot.limits.linear.tolist()):
        unit = "N" if linear else "N m"
        rms, equal = (float(x[i]) for x in (cycle.rms_torque, cycle.equivalent_torque))
        still = math.isnan(equal) and math.isfinite(rms)
        row = [str(i + 1), _text(100.0 * cycle.moving[i], 0)]
        row += [_text(float(column[i])) for column in (*columns, cycle.axes.regenerated)]
        row.append("unknown" if check.friction_share is None else _text(cycle.friction_power[i]))
        row += [_text(rms, unit=unit), "stands still" if still else _text(equal, unit=unit)]
        if rated is not None:
            share = rms / float(rated[i])
            row += [_text(100.0 * share), _text(share**2, 3)]
        rows.append(row)
    total = cycle.together
    sums = (total.peak, total.braking, cycle.mean.sum(), total.driven, total.regenerated)
    friction = "unknown" if check.friction_share is None else _text(cycle.friction_power.sum())
    row = ["all", "", *(_text(float(value)) for value in sums), friction]
    return heads, [*rows, [*row, *[""] * (len(heads) - len(row))]]


def _text(value: float, digits: int = 1, unit: str = "") -> str:
    if not math.isfinite(value):
        return "unknown"
    return f"{round(value, digits) + 0.0:.{digits}f} {unit}".rstrip()  # no -0
