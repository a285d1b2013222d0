"""Result of a path check as plain values, for JSON."""

from __future__ import annotations

import math
from typing import Any

from ...robot.robot import Robot
from ...tasks.path_check import PathCheck
from ...tasks.path_check.cycle import Power
from ..plain import plain_values
from .tables import conclusion, load_shares, remarks

_POWER = ("peak_power_W", "braking_power_W", "driven_energy_J", "regenerated_energy_J")
_DISTANCES = {"wrist_rad": "wrist", "elbow_rad": "elbow", "shoulder_m": "shoulder"}


def check_record(check: PathCheck, robot: Robot) -> dict[str, Any]:
    """Return a path check as dictionaries, lists, texts and numbers in SI units.

    Names end in their unit; of a linear axis ``_rad`` means m, and ``_N_m`` N. A number that is
    unknown is None.
    """
    moves = () if check.program is None else check.program.timings
    near = {name: check.singularities.get(kind) for name, kind in _DISTANCES.items()}
    record = {
        "kept": check.kept,
        "conclusion": conclusion(check),
        "samples": check.rows,
        "duration_s": check.duration,
        "axes": [_axis(check, i, robot) for i in range(robot.n if check.rows else 0)],
        "all_axes": dict(zip(_POWER, check.cycle.together, strict=True)),
        "loads": [
            {"load": name, "shares": [{**row._asdict(), "share": row.share} for row in shares]}
            for name, shares in load_shares(check, robot)
        ],
        "singularities": {
            name: math.nan if one is None else one.value[0] for name, one in near.items()
        },
        "moves": [
            {
                "line": one.line,
                "instruction": one.instruction,
                "start_s": one.start,
                "end_s": one.end,
                "speed_m_s": one.speed,
                "share": one.share,
                "slowed_by": one.slowed_by,
            }
            for one in moves
        ],
        "violations": [
            {
                **{name: getattr(one, name) for name in ("kind", "line", "axis", "quantity")},
                "start_s": one.start,
                "end_s": one.end,
                **{name: getattr(one, name) for name in ("value", "lower", "upper", "unit")},
                "assumed": one.assumed,
                "text": one.what,
            }
            for one in check.findings
        ],
        "violations_not_listed": check.more,
        "remarks": remarks(check, robot),
    }
    plain: dict[str, Any] = plain_values(record)
    return plain


def _axis(check: PathCheck, i: int, robot: Robot) -> dict[str, Any]:
    cycle, acceleration = check.cycle, check.acceleration
    power = Power(*(part[i] for part in cycle.axes))
    return {
        "axis": i + 1,
        "margin_rad": check.margin.value[i],
        "range_share": check.used.value[i],
        "speed_share": check.speed.value[i],
        "acceleration_share": None if acceleration is None else acceleration.value[i],
        "torque_share": check.torque.value[i],
        **{f"{kind}_limit_assumed": axes[i] for kind, axes in robot.limits.assumed.items()},
        "peak_torque_N_m": check.peaks[4, i],
        "moving_share": cycle.moving[i],
        **dict(zip(_POWER, power, strict=True)),
        "mean_power_W": cycle.mean[i],
        "friction_power_W": None if check.friction_share is None else cycle.friction_power[i],
        "rms_torque_N_m": cycle.rms_torque[i],
        "equivalent_torque_N_m": cycle.equivalent_torque[i],
        "rated_torque_N_m": None if check.rated_torque is None else check.rated_torque[i],
    }
