"""What is suspicious in a log as it was read: lost samples, units, dead signals, too little motion.

A unit that is surely wrong is refused; everything else is flagged or found, and stays.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...errors import MotionError
from ...robot import Robot
from .recording import GAP, QUANTITIES, Finding, Recording

Array = NDArray[np.float64]

_FAR = 3.0  # times the largest limit: no position of the robot
_FAST = 100.0  # times the speed limit
_COARSE = 0.25  # [s] usual step: such a file counts in milliseconds
_LITTLE = np.radians(1.0)  # travel of a moving axis that tells hardly anything; 1 mm of a linear one
_TURN = np.degrees(1.0)
_MIXED = 0.1  # how near a ratio of speeds must be to 57.3 to be a mix-up of units
_UNLIKE = 0.2  # of the speed: what noise and delay do not explain


def checked(recording: Recording, robot: Robot, first: int = 0, names: Mapping[tuple[str, int], str] | None = None) -> Recording:
    """Return a recording with findings on times, units, dead signals and motion.

    Args:
        recording: As it was read.
        robot: Whose it is.
        first: Number of its first row in the file.
        names: Columns of the file by quantity and axis from 0.

    Raises:
        MotionError: if a unit is surely another one; names file, row and column.
    """
    said = dict(names or {})

    def name(quantity: str, axis: int) -> str:
        return said.get((quantity, axis), f"{quantity}{axis + 1}")

    _refuse_coarse(recording)
    _refuse_far(recording, robot, first, name)
    findings = [*_lost(recording, first), *_missing(recording, first, name), *_dead(recording, name)]
    findings += [*_radians(recording, name), *_unlike(recording, name), *_motion(recording)]
    return recording.told(*findings)


def _refuse_coarse(recording: Recording) -> None:
    if recording.step > _COARSE:
        raise MotionError(
            f"{recording.source}: column 't': the usual step is {recording.step:.4g} s; if it counts milliseconds, name it t_ms,"
            " or say columns={'t_ms': 't'}"
        )


def _refuse_far(recording: Recording, robot: Robot, first: int, name: object) -> None:
    limits = robot.limits
    bounds = {"q": _FAR * limits.largest(), "v": _FAST * limits.velocity}
    for quantity, bound in bounds.items():
        values = getattr(recording, quantity)
        if values is None:
            continue
        far = np.argwhere(np.abs(values) > bound)
        if len(far):
            i, axis = (int(k) for k in far[0])
            column = name(quantity, axis)  # type: ignore[operator]
            what = f"{_FAR:g} times the largest position" if quantity == "q" else f"{_FAST:g} times the speed limit"
            advice = (
                "are these degrees? name it .._deg"
                if "rad" in column
                else "is it of the motor? name it qm.., vm..; or in counts?"
            )
            raise MotionError(
                f"{recording.source}: row {first + i}, column {column!r}: {values[i, axis]:.4g} in SI units is more than {what}"
                f" of {robot.name}; {advice}"
            )


def _lost(recording: Recording, first: int) -> list[Finding]:
    """Jumps of time."""
    steps, usual = np.diff(recording.t), recording.step
    gaps = np.flatnonzero(steps > GAP * usual)
    if not gaps.size:
        return []
    i = int(gaps[np.argmax(steps[gaps])])
    lost = int(np.round(steps[gaps] / usual - 1.0).sum())
    what = f"time jumps at {gaps.size} places, here by {steps[i]:.4g} s instead of {usual:.4g} s: some {lost} samples are lost"
    return [Finding(what, "filters work on each side alone; resampled() marks what it puts there", first + i + 1, "t", lost)]


def _missing(recording: Recording, first: int, name: object) -> list[Finding]:
    findings = []
    for quantity in QUANTITIES:
        values = getattr(recording, quantity)
        for axis in range(recording.n if values is not None else 0):
            holes = np.flatnonzero(~np.isfinite(values[:, axis]))
            if 0 < holes.size < len(recording):
                what = f"no number here, and in {holes.size} rows of {len(recording)} in all"
                column = name(quantity, axis)  # type: ignore[operator]
                findings.append(Finding(what, "flagged", first + int(holes[0]), column, holes.size))
    return findings


def _dead(recording: Recording, name: object) -> list[Finding]:
    """Signals that never change."""
    findings, q = [], recording.q
    travel = span(q)
    for quantity in ("q", "v", "tau"):
        values = getattr(recording, quantity)
        for axis in np.flatnonzero(span(values) == 0.0) if values is not None else ():
            column = name(quantity, axis)  # type: ignore[operator]
            value = f"{values[np.isfinite(values[:, axis]), axis][0]:.6g}"
            if quantity == "q" and not (recording.v is not None and span(recording.v)[axis] > 0.0):
                findings.append(
                    Finding(f"is {value} in SI units throughout", "the axis is held, or its signal is dead", None, column)
                )
            elif quantity == "q" or travel[axis] > 0.0:
                findings.append(
                    Finding(f"is {value} in SI units throughout, although the axis moves", "its signal is dead", None, column)
                )
    return findings


def _radians(recording: Recording, name: object) -> list[Finding]:
    """Degrees so small that they are perhaps radians."""
    rotary = ~np.array(recording.linear)
    if not rotary.any() or "_deg" not in name("q", int(np.argmax(rotary))):  # type: ignore[operator]
        return []
    largest = float(np.nanmax(np.abs(recording.q[:, rotary]), initial=0.0)) * _TURN
    if not 0.0 < largest < 2.0 * np.pi:
        return []
    what = f"no rotary axis is farther than {largest:.3g} deg from zero"
    return [Finding(what, "if these are radians, name the columns q1_rad ..", None, name("q", int(np.argmax(rotary))))]  # type: ignore[operator]


def _unlike(recording: Recording, name: object) -> list[Finding]:
    """Speeds that are not those of the positions.

    Raises:
        MotionError: if they are by the factor between degrees and radians.
    """
    findings: list[Finding] = []
    if recording.v is None:
        return findings
    for axis in range(recording.n):
        good = np.isfinite(recording.q[:, axis]) & np.isfinite(recording.v[:, axis])
        t, q, v = recording.t[good], recording.q[good, axis], recording.v[good, axis]
        if len(t) < 3 or not v.any():
            continue
        gone = np.append(0.0, np.cumsum(0.5 * np.diff(t) * (v[1:] + v[:-1])))
        left, right = q - q.mean(), gone - gone.mean()
        if left @ left < 1e-12 * len(t) or right @ right == 0.0:
            continue
        ratio, fit = float(left @ right / (right @ right)), abs(float(left @ right)) / np.sqrt((left @ left) * (right @ right))
        column = name("v", axis)  # type: ignore[operator]
        for factor, told in (
            (_TURN, "are degrees in one, radians in the other"),
            (1.0 / _TURN, "are radians in one, degrees in the other"),
        ):
            if fit > 0.9 and abs(abs(ratio) / factor - 1.0) < _MIXED:
                raise MotionError(
                    f"{recording.source}: column {column!r}: positions change {ratio:.4g} times as fast as it says: they {told};"
                    " name columns with their unit: q1_deg, q1_rad, v1_deg_s, v1_rad_s"
                )
        if fit < 0.9 or abs(ratio - 1.0) > _UNLIKE:
            what = f"is not the speed of its position: that changes {ratio:.3g} times as fast (correlation {fit:.2f})"
            findings.append(Finding(what, "is it of another axis, of the motor, or of another sign?", None, column))
    return findings


def _motion(recording: Recording) -> list[Finding]:
    """Axes that move too little."""
    travel, findings = span(recording.q), []
    for axis in np.flatnonzero((travel > 0.0) & (travel < np.where(recording.linear, 1e-3, _LITTLE))):
        shown = f"{1e3 * travel[axis]:.3g} mm" if recording.linear[axis] else f"{np.degrees(travel[axis]):.3g} deg"
        findings.append(
            Finding(f"axis {axis + 1} moves within {shown} only", "too little to identify anything of it; move it farther")
        )
    return findings


def span(values: Array) -> Array:
    """Largest less smallest value of each column; NaN where there is none."""
    there = np.isfinite(values)
    low, high = np.where(there, values, np.inf).min(axis=0), np.where(there, values, -np.inf).max(axis=0)
    return np.where(there.any(axis=0), high - low, np.nan)
