"""Result of a path check as plain values, for JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...robot.robot import Robot
from ...tasks.path_check import PathCheck
from ...tasks.path_check.cycle import Power
from .tables import conclusion, load_shares, remarks


def check_record(check: PathCheck, robot: Robot) -> dict[str, Any]:
    """Return a path check as dictionaries, lists, texts and numbers in SI units.

    A number that is unknown is None.
    """
    cycle = check.cycle
    axes = [
        {
            "axis": i + 1,
            "margin": check.margin.value[i],
            "range_share": check.used.value[i],
            "speed_share": check.speed.value[i],
            "acceleration_share": None
            if check.acceleration is None
            else check.acceleration.value[i],
            "torque_share": check.torque.value[i],
            "peak_torque": check.peaks[4, i],
            "moving_share": cycle.moving[i],
            **_power(Power(*(part[i] for part in cycle.axes))),
            "mean_power": cycle.mean[i],
            "friction_power": None if check.friction_share is None else cycle.friction_power[i],
            "rms_torque": cycle.rms_torque[i],
            "equivalent_torque": cycle.equivalent_torque[i],
            "rated_torque": None if check.rated_torque is None else check.rated_torque[i],
        }
        for i in range(robot.n if check.rows else 0)
    ]
    moves = () if check.program is None else check.program.timings
    findings = [
        {
            **{name: getattr(one, name) for name in ("kind", "line", "axis", "quantity")},
            **{name: getattr(one, name) for name in ("start", "end", "value", "lower", "upper")},
            "unit": one.unit,
            "assumed": one.assumed,
            "text": one.what,
        }
        for one in check.findings
    ]
    record = {
        "robot": robot.name,
        "tool": None if robot.tool is None else robot.tool.name,
        "kept": check.kept,
        "conclusion": conclusion(check),
        "samples": check.rows,
        "duration": check.duration,
        "axes": axes,
        "all_axes": _power(cycle.together),
        "loads": [
            {"load": name, "shares": [{**row._asdict(), "share": row.share} for row in shares]}
            for name, shares in load_shares(check, robot)
        ],
        "singularities": {name: one.value[0] for name, one in check.singularities.items()},
        "moves": [one._asdict() for one in moves],
        "violations": findings,
        "violations_not_listed": check.more,
        "remarks": remarks(check, robot),
    }
    plain: dict[str, Any] = _plain(record)
    return plain


def _power(power: Power) -> dict[str, Any]:
    names = "peak_power", "braking_power", "driven_energy", "regenerated_energy"
    return dict(zip(names, power, strict=True))


def _plain(value: Any) -> Any:
    """Return a value of numpy as one that JSON has; None of a number that is not finite."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
