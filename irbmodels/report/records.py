"""Results as records for programs: SI units, names that end in their unit, unknown is None or NaN.

Of a linear axis ``_rad`` means m, and ``_N_m`` N.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..robot.robot import Robot
from ..tables.friction_rows import FIELDS, friction_row
from .tables import left_out_springs, notes

if TYPE_CHECKING:
    from ..exchange.verify.check import Agreement
    from ..exchange.verify.exports import Verdict
    from ..trajectory.torque_prediction import Prediction

_ERRORS = ("mae_N_m", "rmse_N_m", "average_N_m", "rmse_over_average_percent")


def info_record(robot: Robot) -> dict[str, Any]:
    """Return all tables of a robot, in the units of their sources, and what its wrist carries."""
    return {
        "tables": robot.tables(),
        "loads": [{**one._asdict(), "share": one.share} for one in robot.load_shares],
        "notes": left_out_springs(robot),
    }


def friction_record(robot: Robot) -> dict[str, Any]:
    """Return the friction law per axis of a robot that has one."""
    law = robot.friction_model
    assert law is not None  # its figure asks for one
    rows = [friction_row(law, i, False) for i in range(robot.n)]
    names = [fields[0] for fields in FIELDS.values()]
    return {
        "axes": [
            {"axis": i, **{name: row.get(name) for name in names}} for i, row in enumerate(rows, 1)
        ],
        "measured_to_rad_s": law.measured_to,
        "reference_temperature_degC": law.reference_temperature,
    }


def prediction_record(prediction: Prediction, robot: Robot) -> dict[str, Any]:
    """Return torques of a motion per axis by cause, their accuracy, and what is out of bounds."""
    limits, accuracy = robot.limits, prediction.accuracy
    axes = [
        {
            "axis": i + 1,
            "largest": _parts(prediction.largest, i),
            "rms": _parts(prediction.rms, i),
            "errors": None
            if accuracy is None
            else {name: column[i] for name, column in zip(_ERRORS, accuracy, strict=True)},
            "over_speed": prediction.over_speed[i],
            "over_effort": prediction.over_effort[i],
            "effort_assumed": limits.effort_assumed[i],
            "friction_extrapolated": prediction.extrapolated[i],
        }
        for i in range(robot.n)
    ]
    first = prediction.first_out_of_range
    return {
        "rows": prediction.rows,
        "duration_s": prediction.duration,
        "window_s": prediction.window,
        "axes": axes,
        "out_of_range_rows": prediction.out_of_range,
        "first_out_of_range": None if first is None else {"t_s": first[0], **first[1]._asdict()},
        "notes": notes(robot),
    }


def agreements_record(agreements: Sequence[Agreement]) -> list[dict[str, Any]]:
    """Return how near a robot comes to other derivations and engines."""
    return [{**one._asdict(), "compared": one.compared, "agrees": one.holds} for one in agreements]


def verdicts_record(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return how near each tool comes to a robot with a file of it."""
    return [
        {
            "format": one.format,
            "tool": one.tool,
            "outcome": one.outcome,
            "pose_m": one.pose,
            "torque_relative": one.torque,
            "mass_kg": one.mass,
            "ranges_rad": one.ranges,
            "tolerance": one.tolerance,
            "loses": one.loses,
        }
        for one in verdicts
    ]


def _parts(parts: Any, axis: int) -> dict[str, Any]:
    return {f"{name}_N_m": column[axis] for name, column in parts._asdict().items()}
