"""Plausibility of a log: lost samples, units, ranges, constant signals, too little motion.

A unit that is surely wrong is refused; everything else is flagged or found, and stays.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import MotionError
from ...model.types import Array
from ...robot.robot import Robot
from ...trajectory.rate_consistency import DEG_PER_RAD, GAP, ratio
from .recording import QUANTITIES, Finding, Recording
from .unit_checks import LITTLE, Name, refuse_impossible, refuse_units

# share of the rows in which an axis moves and its torque repeats itself to the last digit
_HELD = 0.5
# of the effort: with all axes below it, torques are perhaps, or surely, in another unit
_WEAK, _NOTHING = 0.01, 0.002


def check_recording(
    recording: Recording,
    robot: Robot,
    first: int = 0,
    names: Mapping[tuple[str, int], str] | None = None,
) -> Recording:
    """Return a recording with findings on times, units, dead signals and motion.

    Args:
        recording: As it was read.
        robot: Robot of the log.
        first: Number of its first row in the file.
        names: Columns of the file by quantity and axis from 0.

    Raises:
        MotionError: if a unit is surely another one, or a position jumps; names file, column, and
            where there is one the row.
    """
    said = dict(names or {})

    def name(quantity: str, axis: int) -> str:
        return said.get((quantity, axis), f"{quantity}{axis + 1}")

    refuse_units(recording, robot, first, name)
    inconsistent = _unlike(recording, name)
    refuse_impossible(recording, robot, first, name)
    findings = [
        *_lost(recording, first),
        *_missing(recording, first, name, said),
        *_dead(recording, name),
    ]
    findings += [*_outside(recording, robot, first), *_radians(recording, name), *inconsistent]
    return recording.with_findings(
        *findings, *_motion(recording), *_held(recording, name), *_weak(recording, robot, name)
    )


def _lost(recording: Recording, first: int) -> list[Finding]:
    """Jumps of time."""
    steps, usual = np.diff(recording.t), recording.step
    gaps = np.flatnonzero(steps > GAP * usual)
    if not gaps.size:
        return []
    i = int(gaps[np.argmax(steps[gaps])])
    lost = int(np.round(steps[gaps] / usual - 1.0).sum())
    what = (
        f"time jumps at {gaps.size} places, here by {steps[i]:.4g} s instead of {usual:.4g} s: some"
        f" {lost} samples are lost"
    )
    return [
        Finding(
            what,
            "filters work on each side alone; resample() marks what it puts there",
            first + i + 1,
            "t",
            lost,
        )
    ]


def _missing(
    recording: Recording, first: int, name: Name, said: Mapping[tuple[str, int], str]
) -> list[Finding]:
    """Rows without a number, and columns without any.

    Raises:
        MotionError: if there is no position of an axis at all.
    """
    findings = []
    for quantity in QUANTITIES:
        values = getattr(recording, quantity)
        for axis in range(recording.n if values is not None else 0):
            holes = np.flatnonzero(~np.isfinite(values[:, axis]))
            if holes.size == len(recording) and (quantity, axis) in said:
                column, what = said[quantity, axis], f"no number in any of {len(recording)} rows"
                if quantity == "q":
                    raise MotionError(
                        f"{recording.source}: row {first}, column {column!r}: {what}; a log needs"
                        " every position"
                    )
                findings.append(
                    Finding(what, "flagged; was the signal logged?", first, column, holes.size)
                )
            if 0 < holes.size < len(recording):
                what = f"no number here, and in {holes.size} rows of {len(recording)} in all"
                column = name(quantity, axis)
                findings.append(Finding(what, "flagged", first + int(holes[0]), column, holes.size))
    return findings


def _dead(recording: Recording, name: Name) -> list[Finding]:
    """Signals that never change."""
    findings, q = [], recording.q
    travel = span(q)
    for quantity in ("q", "v", "tau"):
        values = getattr(recording, quantity)
        for axis in np.flatnonzero(span(values) == 0.0).tolist() if values is not None else ():
            column = name(quantity, axis)
            value = f"{values[np.isfinite(values[:, axis]), axis][0]:.6g}"
            if quantity == "q" and not (recording.v is not None and span(recording.v)[axis] > 0.0):
                findings.append(
                    Finding(
                        f"is {value} in SI units throughout",
                        "the axis is held, or its signal is dead",
                        None,
                        column,
                    )
                )
            elif quantity == "q" or travel[axis] > 0.0:
                findings.append(
                    Finding(
                        f"is {value} in SI units throughout, although the axis moves",
                        "its signal is dead",
                        None,
                        column,
                    )
                )
    return findings


def _outside(recording: Recording, robot: Robot, first: int) -> list[Finding]:
    """Positions that the axes cannot take."""
    limits, findings = robot.limits, []
    slack = np.where(recording.linear, 1e-3, LITTLE)
    beyond = recording.q @ limits.A.T
    # NaN is beyond nothing
    beyond = np.maximum(limits.lower - slack - beyond, beyond - limits.upper - slack)
    for axis, name in enumerate(limits.names()):
        rows = np.flatnonzero(beyond[:, axis] > 0.0)
        if rows.size:
            most = float(beyond[rows, axis].max() + slack[axis])
            shown = (
                f"{1e3 * most:.4g} mm" if recording.linear[axis] else f"{np.degrees(most):.4g} deg"
            )
            what = (
                f"{name} leaves its range here and in {rows.size} rows in all, by {shown} at most"
            )
            findings.append(
                Finding(
                    what,
                    "is its sign or zero another, or is it another axis?",
                    first + int(rows[0]),
                    "",
                    rows.size,
                )
            )
    return findings


def _radians(recording: Recording, name: Name) -> list[Finding]:
    """Degrees so small that they are perhaps radians."""
    rotary = ~np.array(recording.linear)
    column = name("q", int(np.argmax(rotary)))
    if not rotary.any() or "rad" in column:
        return []
    largest = float(np.nanmax(np.abs(recording.q[:, rotary]), initial=0.0)) * DEG_PER_RAD
    if not 0.0 < largest < 2.0 * np.pi:
        return []
    what = f"no rotary axis is farther than {largest:.3g} deg from zero"
    return [Finding(what, "if these are radians, name the columns q1_rad ..", None, column)]


def _unlike(recording: Recording, name: Name) -> list[Finding]:
    """Speeds that are not those of the positions.

    Raises:
        MotionError: if they are by the factor between degrees and radians, of a linear axis
            millimetres and metres.
    """
    findings: list[Finding] = []
    if recording.v is None:
        return findings
    for axis in range(recording.n):
        good = np.isfinite(recording.q[:, axis]) & np.isfinite(recording.v[:, axis])
        t, q, v = recording.t[good], recording.q[good, axis], recording.v[good, axis]
        dt = np.diff(t)  # where samples are lost, nobody knows the way between
        if (held := ratio(q, v, np.where(dt < GAP * recording.step, dt, 0.0))) is None:
            continue
        column = name("v", axis)
        if unit_factor := held.unit_factor(recording.linear[axis]):
            small, large = (
                ("millimetres", "metres") if recording.linear[axis] else ("degrees", "radians")
            )
            units = (small, large) if unit_factor > 1.0 else (large, small)
            raise MotionError(
                f"{recording.source}: column {column!r}: positions change {held.factor:.4g} times"
                f" as fast as it says: they are {units[0]} in one, {units[1]} in the other; name"
                " columns with their unit: q1_deg, q1_rad, v1_deg_s, v1_rad_s"
            )
        if held.inconsistent:
            what = f"is not the speed of its position: that changes {held.factor:.3g} times as fast"
            what += f" (correlation {held.correlation:.2f})"
            findings.append(
                Finding(
                    what, "is it of another axis, of the motor, or of another sign?", None, column
                )
            )
    return findings


def _motion(recording: Recording) -> list[Finding]:
    """Axes that move too little."""
    travel, findings = span(recording.q), []
    for axis in np.flatnonzero(
        (travel > 0.0) & (travel < np.where(recording.linear, 1e-3, LITTLE))
    ):
        shown = (
            f"{1e3 * travel[axis]:.3g} mm"
            if recording.linear[axis]
            else f"{np.degrees(travel[axis]):.3g} deg"
        )
        findings.append(
            Finding(
                f"axis {axis + 1} moves within {shown} only",
                "too little to identify anything of it; move it farther",
            )
        )
    return findings


def _weak(recording: Recording, robot: Robot, name: Name) -> list[Finding]:
    """Torques so small that they are perhaps in another unit.

    Raises:
        MotionError: if they surely are.
    """
    if recording.tau is None or not (span(recording.q) > 0.0).any():
        return []
    shares = np.nanmax(np.abs(recording.tau), axis=0, initial=0.0) / robot.limits.effort
    if not 0.0 < shares.max() < _WEAK:
        return []
    axis = int(np.argmax(shares))
    what = f"no torque is above {100.0 * shares[axis]:.2g} % of the effort of its axis"
    advice, column = "are these of the motors (taum1_Nm ..), or in kN m?", name("tau", axis)
    if shares[axis] < _NOTHING:
        raise MotionError(
            f"{recording.source}: column {column!r}: {what}, and the robot moves; {advice}"
        )
    return [Finding(what, advice, None, column)]


def _held(recording: Recording, name: Name) -> list[Finding]:
    """Torques of a slower clock: the same number again and again while the axis moves."""
    findings = []
    for axis, tau in enumerate(recording.tau.T if recording.tau is not None else ()):
        same = np.diff(tau)[np.diff(recording.q[:, axis]) != 0.0] == 0.0
        share = float(same.mean()) if same.size else 0.0
        if _HELD < share < 1.0:
            what = f"repeats itself in {share:.0%} of the rows in which the axis moves"
            findings.append(
                Finding(
                    what,
                    "is it logged at a slower rate, or coarsely? log it at the rate of the"
                    " positions",
                    None,
                    name("tau", axis),
                )
            )
    return findings


def span(values: Array) -> Array:
    """Largest less smallest value of each column; NaN where there is none."""
    there = np.isfinite(values)
    low, high = (
        np.where(there, values, np.inf).min(axis=0),
        np.where(there, values, -np.inf).max(axis=0),
    )
    return np.where(there.any(axis=0), high - low, np.nan)
