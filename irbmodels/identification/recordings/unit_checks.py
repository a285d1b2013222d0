"""Refusal of steps, positions, speeds, jumps and torques that are surely in another unit.

Each is refused with file, column, where there is one the row, and advice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ...errors import MotionError
from ...model.types import Array
from ...robot.robot import Robot
from .recording import Recording
from .table import Rows

Name = Callable[[str, int], str]
"""From a quantity and an axis from 0 to the name of their column."""

LITTLE = np.radians(1.0)  # travel too small to compare with a speed; 1 mm of a linear axis
# times the largest limit: no position of the robot; of the speed limit and the effort: nothing that
# lasts
_FAR = 3.0
_FAST = 100.0  # times the speed limit
# [s] usual step: beyond these a file counts in other units; a drive samples at 16 kHz
_COARSE, _FINE = 0.25, 2e-5
_AROUND = 5  # samples on each side of a jump that stays


def refuse_units(recording: Recording, robot: Robot, rows: Rows, name: Name) -> None:
    """Refuse times, positions and speeds beyond any of the robot's.

    Args:
        recording: As it was read.
        robot: Robot of the log.
        rows: Their numbers in the file.
        name: Of the columns in the file.

    Raises:
        MotionError: with file, column, row, advice.
    """
    _refuse_steps(recording)
    _refuse_far(recording, robot, rows, name)


def refuse_impossible(recording: Recording, robot: Robot, rows: Rows, name: Name) -> None:
    """Refuse impossible mean speeds, jumps and torques; arguments as above.

    Raises:
        MotionError: with file, column, for a jump its row, advice.
    """
    _refuse_fast(recording, robot, name)
    _refuse_jumps(recording, robot, rows, name)
    _refuse_strong(recording, robot, name)


def travel_text(travel: float, linear: bool, digits: int = 4) -> str:
    """Return a travel [rad, m] in deg or mm."""
    return f"{1e3 * travel:.{digits}g} mm" if linear else f"{np.degrees(travel):.{digits}g} deg"


def _refuse_steps(recording: Recording) -> None:
    if recording.step > _COARSE:
        raise MotionError(
            f"{recording.source}: column 't': the usual step is {recording.step:.4g} s; if it"
            " counts milli- or microseconds, name it t_ms or t_us, or say columns={'t_ms': 't'}"
        )
    if recording.step < _FINE:
        raise MotionError(
            f"{recording.source}: the usual step of the times is {recording.step:.4g} s; if they"
            " are seconds, name their column t"
        )


def _refuse_far(recording: Recording, robot: Robot, rows: Rows, name: Name) -> None:
    limits = robot.limits
    bounds = {"q": _FAR * limits.largest(), "v": _FAST * limits.velocity}
    for quantity, bound in bounds.items():
        values = getattr(recording, quantity)
        if values is None:
            continue
        far = np.argwhere(np.abs(values) > bound)
        if len(far):
            i, axis = (int(k) for k in far[0])
            column = name(quantity, axis)
            what = (
                f"{_FAR:g} times the largest position"
                if quantity == "q"
                else f"{_FAST:g} times the speed limit"
            )
            advice = (
                "are these degrees? name it .._deg"
                if "rad" in column
                else (
                    "are these millimetres? name it .._mm"
                    if column.endswith(("_m", "_m_s"))
                    else "is it of the motor? name it qm.., vm..; or in counts?"
                )
            )
            raise MotionError(
                f"{recording.source}: row {rows[i]}, column {column!r}: {values[i, axis]:.4g} in"
                f" SI units is more than {what} of {robot.name}; {advice}"
            )


def _refuse_fast(recording: Recording, robot: Robot, name: Name) -> None:
    """Refuse positions that on average change faster than the axis can."""
    for axis, (_, t, q) in enumerate(_known(recording)):
        ways = np.sort(np.abs(np.diff(q)))
        # spikes do not count
        mean = float(ways[: -len(ways) // 100].sum() / (t[-1] - t[0])) if len(q) > 1 else 0.0
        if mean > _FAR * robot.limits.velocity[axis]:
            raise MotionError(
                f"{recording.source}: column {name('q', axis)!r}: changes at {mean:.4g} [rad/s,"
                f" m/s] on average, more than {_FAR:g} times the speed limit; is it in degrees"
                " (name it .._deg), or the time in another unit?"
            )


def _refuse_jumps(recording: Recording, robot: Robot, rows: Rows, name: Name) -> None:
    """Refuse positions that change at once and for good, faster than the axis can.

    A spike goes back.
    """
    for axis, (known, t, q) in enumerate(_known(recording)):
        ways, linear = np.abs(np.diff(q)), recording.linear[axis]
        most = _FAR * robot.limits.velocity[axis] * np.maximum(np.diff(t), recording.step)
        for i in np.flatnonzero(ways > np.maximum(most, 1e-3 if linear else LITTLE)).tolist():
            before, after = q[max(i - _AROUND + 1, 0) : i + 1], q[i + 1 : i + 1 + _AROUND]
            size = float(np.median(after) - np.median(before))
            alone = ways[i] > 2.0 * np.delete(
                ways[max(i - _AROUND, 0) : i + _AROUND], min(i, _AROUND)
            ).max(initial=0.0)
            if alone and min(len(before), len(after)) == _AROUND and abs(size) > 0.5 * ways[i]:
                raise MotionError(
                    f"{recording.source}: row {rows[known[i + 1]]}, column"
                    f" {name('q', axis)!r}: jumps by {travel_text(size, linear)} within"
                    f" {t[i + 1] - t[i]:.4g} s and stays there, {_FAR:g} times the speed limit or"
                    " faster; unwrap whole turns, or cut the log there"
                )


def _known(recording: Recording) -> Iterator[tuple[NDArray[np.intp], Array, Array]]:
    """Yield rows, times and values of the positions that are numbers, for each axis."""
    for q in recording.q.T:
        rows = np.flatnonzero(np.isfinite(q))
        yield rows, recording.t[rows], q[rows]


def _refuse_strong(recording: Recording, robot: Robot, name: Name) -> None:
    """Refuse torques of which half are beyond what the axis can do."""
    for axis, tau in enumerate(recording.tau.T if recording.tau is not None else ()):
        size, most = np.abs(tau[np.isfinite(tau)]), _FAR * robot.limits.effort[axis]
        if size.size and np.median(size) > most:
            unit, wrong = ("N", "mN") if recording.linear[axis] else ("N m", "N mm")
            raise MotionError(
                f"{recording.source}: column {name('tau', axis)!r}: half of it is above"
                f" {np.median(size):.4g} {unit}, more than {_FAR:g} times the effort of axis"
                f" {axis + 1} of {robot.name}; is it in {wrong}, or of another axis?"
            )
