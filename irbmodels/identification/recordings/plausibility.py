"""Plausibility of a log: lost samples, units, ranges, constant signals, too little motion.

A unit that is surely wrong is refused; everything else is flagged or found, and stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...errors import MotionError
from ...model.types import Array
from ...robot.robot import Robot
from ...trajectory.rate_consistency import DEG_PER_RAD, GAP, ratio
from .recording import QUANTITIES, Finding, Recording
from .table import Rows
from .temperatures import TEMPERATURE
from .unit_checks import LITTLE, Name, refuse_impossible, refuse_units, travel_text

# share of the rows in which an axis moves and its torque repeats itself to the last digit
_HELD = 0.5
# of the effort: with all axes below it, torques are perhaps, or surely, in another unit
_WEAK, _NOTHING = 0.01, 0.002


def check_recording(
    recording: Recording,
    robot: Robot,
    rows: Rows,
    names: Mapping[tuple[str, int], str] | None = None,
) -> Recording:
    """Return a recording with findings on times, units, dead signals and motion.

    Args:
        recording: As it was read.
        robot: Robot of the log.
        rows: Their numbers in the file.
        names: Columns of the file by quantity and axis from 0.

    Raises:
        MotionError: if a unit is surely another one, or a position jumps; names file, column, and
            where there is one the row.
    """
    columns = dict(names or {})

    def name(quantity: str, axis: int) -> str:
        return columns.get((quantity, axis), f"{quantity}{axis + 1}")

    refuse_units(recording, robot, rows, name)
    inconsistent_speeds = list(_inconsistent_speeds(recording, name))
    refuse_impossible(recording, robot, rows, name)
    return recording.with_findings(
        *_lost_samples(recording, rows),
        *_missing_values(recording, rows, name, columns),
        *_missing_temperatures(recording, rows),
        *_constant_signals(recording, name),
        *_out_of_range(recording, robot, rows),
        *_possible_radians(recording, name),
        *inconsistent_speeds,
        *_small_motions(recording),
        *_repeated_torques(recording, name),
        *_small_torques(recording, robot, name),
    )


def _lost_samples(recording: Recording, rows: Rows) -> Iterator[Finding]:
    steps, usual = np.diff(recording.t), recording.step
    gaps = np.flatnonzero(steps > GAP * usual)
    if gaps.size:
        i = int(gaps[np.argmax(steps[gaps])])
        lost = int(np.round(steps[gaps] / usual - 1.0).sum())
        yield Finding(
            f"time jumps at {gaps.size} places, here by {steps[i]:.4g} s instead of {usual:.4g} s:"
            f" some {lost} samples are lost",
            "butterworth() goes through short gaps, other filters work on each side alone",
            int(rows[i + 1]),
            "t",
            lost,
        )


def _missing_values(
    recording: Recording, rows: Rows, name: Name, columns: Mapping[tuple[str, int], str]
) -> Iterator[Finding]:
    """Find rows without a number, and columns of the file without any.

    Raises:
        MotionError: if there is no position of an axis at all.
    """
    count = len(recording)
    for quantity in QUANTITIES:
        values = getattr(recording, quantity)
        for axis in range(recording.n if values is not None else 0):
            holes = np.flatnonzero(~np.isfinite(values[:, axis]))
            row, column = int(rows[0]), name(quantity, axis)
            if 0 < holes.size < count:
                message = f"no number here, and in {holes.size} rows of {count} in all"
                advice, row = "flagged", int(rows[holes[0]])
            elif holes.size == count and (quantity, axis) in columns:
                message = f"no number in any of {count} rows"
                advice = "flagged; was the signal logged?"
                if quantity == "q":
                    raise MotionError(
                        f"{recording.source}: row {row}, column {column!r}: {message}; a log"
                        " needs every position"
                    )
            else:
                continue
            yield Finding(message, advice, row, column, holes.size)


def _missing_temperatures(recording: Recording, rows: Rows) -> Iterator[Finding]:
    for name, values in recording.extra.items():
        holes = np.flatnonzero(~np.isfinite(values))
        if not TEMPERATURE.fullmatch(name) or not holes.size:
            continue
        message = f"no number here, and in {holes.size} rows of {len(values)} in all"
        advice = "taken on straight lines between the others"
        if holes.size == len(values):
            advice = "the drive is taken as one of unknown temperature"
        yield Finding(message, advice, int(rows[holes[0]]), name, holes.size)


def _constant_signals(recording: Recording, name: Name) -> Iterator[Finding]:
    travel = span(recording.q)
    for quantity in ("q", "v", "tau"):
        values = getattr(recording, quantity)
        for axis in np.flatnonzero(span(values) == 0.0).tolist() if values is not None else ():
            value = f"{values[np.isfinite(values[:, axis]), axis][0]:.6g}"
            message = f"is {value} in SI units throughout"
            if quantity == "q" and not (recording.v is not None and span(recording.v)[axis] > 0.0):
                advice = "the axis is held, or its signal is dead"
            elif quantity == "q" or travel[axis] > 0.0:
                message, advice = f"{message}, although the axis moves", "its signal is dead"
            else:
                continue
            yield Finding(message, advice, None, name(quantity, axis))


def _out_of_range(recording: Recording, robot: Robot, rows: Rows) -> Iterator[Finding]:
    limits = robot.limits
    slack = np.where(recording.linear, 1e-3, LITTLE)
    position = recording.q @ limits.A.T
    excess = np.maximum(limits.lower - position, position - limits.upper)
    for k, (axis, name) in enumerate(zip(limits.row_axes, limits.names(), strict=True)):
        outside = np.flatnonzero(excess[:, k] > slack[axis])  # NaN is in range
        if outside.size:
            largest = travel_text(float(excess[outside, k].max()), recording.linear[axis])
            yield Finding(
                f"{name} leaves its range here and in {outside.size} rows in all, by {largest} at"
                " most",
                "is its sign or zero another, or is it another axis?",
                int(rows[outside[0]]),
                "",
                outside.size,
            )


def _possible_radians(recording: Recording, name: Name) -> Iterator[Finding]:
    rotary = ~np.array(recording.linear)
    column = name("q", int(np.argmax(rotary)))
    if rotary.any() and "rad" not in column:
        largest = float(np.nanmax(np.abs(recording.q[:, rotary]), initial=0.0)) * DEG_PER_RAD
        if 0.0 < largest < 2.0 * np.pi:
            yield Finding(
                f"no rotary axis is farther than {largest:.3g} deg from zero",
                "if these are radians, name the columns q1_rad ..",
                None,
                column,
            )


def _inconsistent_speeds(recording: Recording, name: Name) -> Iterator[Finding]:
    """Find speeds that are not the derivative of the positions.

    Raises:
        MotionError: if they differ by the factor between degrees and radians, of a linear axis
            millimetres and metres.
    """
    if recording.v is None:
        return
    for axis, linear in enumerate(recording.linear):
        good = np.isfinite(recording.q[:, axis]) & np.isfinite(recording.v[:, axis])
        dt = np.diff(recording.t[good])
        dt = np.where(dt < GAP * recording.step, dt, 0.0)  # gaps do not count
        fit = ratio(recording.q[good, axis], recording.v[good, axis], dt)
        if fit is None:
            continue
        column = name("v", axis)
        if unit_factor := fit.unit_factor(linear):
            units = ("millimetres", "metres") if linear else ("degrees", "radians")
            position_unit, speed_unit = units if unit_factor > 1.0 else units[::-1]
            raise MotionError(
                f"{recording.source}: column {column!r}: positions change {fit.factor:.4g} times"
                f" as fast as it says: they are {position_unit} in one, {speed_unit} in the other;"
                " name columns with their unit: q1_deg, q1_rad, v1_deg_s, v1_rad_s"
            )
        if fit.inconsistent:
            yield Finding(
                f"is not the speed of its position: that changes {fit.factor:.3g} times as fast"
                f" (correlation {fit.correlation:.2f})",
                "is it of another axis, of the motor, or of another sign?",
                None,
                column,
            )


def _small_motions(recording: Recording) -> Iterator[Finding]:
    travel = span(recording.q)
    small = (travel > 0.0) & (travel < np.where(recording.linear, 1e-3, LITTLE))
    for axis in np.flatnonzero(small).tolist():
        yield Finding(
            f"axis {axis + 1} moves within {travel_text(travel[axis], recording.linear[axis], 3)}"
            " only",
            "too little to identify anything of it; move it farther",
        )


def _small_torques(recording: Recording, robot: Robot, name: Name) -> Iterator[Finding]:
    """Find torques so small that they are perhaps in another unit.

    Raises:
        MotionError: if they surely are.
    """
    if recording.tau is None or not (span(recording.q) > 0.0).any():
        return
    shares = np.nanmax(np.abs(recording.tau), axis=0, initial=0.0) / robot.limits.effort
    if 0.0 < shares.max() < _WEAK:
        axis = int(np.argmax(shares))
        message = f"no torque is above {100.0 * shares[axis]:.2g} % of the effort of its axis"
        advice, column = "are these of the motors (taum1_Nm ..), or in kN m?", name("tau", axis)
        if shares[axis] < _NOTHING:
            raise MotionError(
                f"{recording.source}: column {column!r}: {message}, and the robot moves; {advice}"
            )
        yield Finding(message, advice, None, column)


def _repeated_torques(recording: Recording, name: Name) -> Iterator[Finding]:
    """Find torques sampled at a lower rate: equal numbers in a row while the axis moves."""
    for axis, tau in enumerate(recording.tau.T if recording.tau is not None else ()):
        same = np.diff(tau)[np.diff(recording.q[:, axis]) != 0.0] == 0.0
        share = float(same.mean()) if same.size else 0.0
        if _HELD < share < 1.0:
            yield Finding(
                f"repeats itself in {share:.0%} of the rows in which the axis moves",
                "is it logged at a slower rate, or coarsely? log it at the rate of the positions",
                None,
                name("tau", axis),
            )


def span(values: Array) -> Array:
    """Largest less smallest value of each column; NaN where there is none."""
    there = np.isfinite(values)
    low, high = (
        np.where(there, values, np.inf).min(axis=0),
        np.where(there, values, -np.inf).max(axis=0),
    )
    return np.where(there.any(axis=0), high - low, np.nan)
