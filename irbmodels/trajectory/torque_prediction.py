"""Torque along a motion file by cause, compared with the measured one (S000 eq. 75-77)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..checks import as_instance
from ..dynamics.equations_of_motion import TorqueParts
from ..model.limits import Violation
from ..model.presliding import friction_direction
from ..model.types import Array, Mask
from ..robot.robot import Robot
from . import Motion
from .differentiation import REST, check_filter, filter_length
from .motion_files import MotionFile, table_stream

_TRACE = 4096  # samples kept for the figure


class Accuracy(NamedTuple):
    """Errors per axis: eq. 75 [N m, N], 76, mean absolute measured torque, eq. 77 [%]."""

    mae: Array
    rmse: Array
    average: Array
    rmse_over_average: Array


class Trace(NamedTuple):
    """An even selection of the samples, at most a few thousand."""

    motion: Motion
    parts: TorqueParts


@dataclass(frozen=True, eq=False)
class Prediction:
    """Torques of a motion, and the bounds that it does not keep."""

    rows: int
    duration: float
    """[s]"""
    largest: TorqueParts
    """Largest absolute value of every part, per axis."""
    rms: TorqueParts
    """Root mean square of every part, per axis."""
    accuracy: Accuracy | None
    """None where the file has no measured torques."""
    out_of_range: int
    """Rows in which an axis is outside its range, the coupled one included."""
    first_out_of_range: tuple[float, Violation] | None
    """Time of the first such row [s], and the violated range."""
    extrapolated: Mask
    """True per axis if its drive moved faster than its friction was ever measured."""
    over_speed: Mask
    """True per axis if it moved faster than its speed limit."""
    window: float | None
    """Length of the derivative filter [s]; None where the file has speeds and accelerations."""
    over_effort: Mask
    """True per axis if the torque exceeds its (assumed) bound."""
    trace: Trace

    def __repr__(self) -> str:
        """Return duration, largest torques and violations in one line."""
        largest = ", ".join(f"{value:.4g}" for value in self.largest.total)
        parts = [f"largest torques {largest} N m (N of a linear axis)"]
        if self.accuracy is not None:
            errors = ", ".join(f"{value:.3g}" for value in self.accuracy.rmse)
            parts.append(f"off the measured ones by {errors} (root mean square)")
        if self.first_out_of_range is not None:
            first = self.first_out_of_range[0]
            parts.append(f"{self.out_of_range} rows out of range, first at t = {first:.4g} s")
        over = {
            "speed limit": self.over_speed,
            "assumed torque limit": self.over_effort,
            "speeds at which friction was measured": self.extrapolated,
        }
        for what, axes in over.items():
            numbers = ", ".join(str(i + 1) for i in np.flatnonzero(axes))
            parts += [f"over the {what}: axis {numbers}"] if numbers else []
        return f"<Prediction of {self.rows} rows, {self.duration:.4g} s: {'; '.join(parts)}>"


def predict(
    file: MotionFile,
    output: str | Path | None = None,
    window: float | None = None,
    rest: float = REST,
    advance: Callable[[int], object] = lambda _: None,
) -> Prediction:
    """Compute the torque of every row of a motion file, in pieces of bounded memory.

    Friction follows the motion: after a reversal it turns round as the law's presliding says.

    Args:
        file: An opened motion file.
        output: CSV to write: ``t``, then inertia, Coriolis, gravity, friction and total per axis,
            and the measured torque.
        window: Length of the derivative filter [s], where the file has no speeds or accelerations;
            default 80 ms.
        rest: Move within the window [deg, mm] that counts as standing still; default 0.005.
        advance: Called with the number of bytes read.

    Raises:
        MotionError: if a row is wrong; nothing is written then.
        FileError: if the output cannot be written.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
        >>> from irbmodels.trajectory import move
        >>> irb.write_motion("motion.csv", move(0.0 * q, q, duration=1.0).sample(100.0), robot)
        >>> irb.predict(irb.open_motion("motion.csv", robot)).largest.total.round(0)
        array([  0., 241., 292.,   1.,  27.,   0.])
    """
    what = "what is predicted is a motion file, as irbmodels.open_motion(path, robot) opens it"
    as_instance(file, MotionFile, what)
    check_filter(window, rest, advance)
    robot = file.robot
    totals, trace = _Totals(robot), _Decimator(_TRACE)
    direction = friction_direction(robot.friction_model, robot.drive_axes)
    with table_stream(output, file.path) as stream:
        if stream is not None:
            stream.write(",".join(_header(file)) + "\n")
        for motion in file.motions(window, rest, advance):
            assert motion.v is not None  # motions() derives what the file lacks
            assert motion.a is not None
            parts = robot.torque_parts(motion.q, motion.v, motion.a)
            if direction is not None:
                late = direction.torque_change(motion.q, motion.v)
                parts = parts._replace(friction=parts.friction + late, total=parts.total + late)
            totals.add(motion, motion.v, parts)
            trace.add(motion, parts)
            if stream is not None:
                columns = [*parts, *([] if motion.tau is None else [motion.tau])]
                torques = np.stack(columns, axis=2).reshape(len(motion.t), -1)
                rows = np.column_stack([motion.t, torques])
                np.savetxt(stream, rows, delimiter=",", fmt="%.9g")
    measured_to = robot.friction_model.measured_to if robot.friction_model else None
    return Prediction(
        rows=totals.rows,
        duration=totals.duration,
        largest=TorqueParts(*totals.largest),
        rms=TorqueParts(*np.sqrt(totals.squares / totals.rows)),
        accuracy=totals.accuracy(),
        out_of_range=totals.out_of_range,
        first_out_of_range=totals.first_out_of_range,
        over_speed=totals.fastest > robot.limits.velocity * (1.0 + 1e-9),
        window=totals.window(window) if file.derived else None,
        extrapolated=totals.fastest_drive > (np.inf if measured_to is None else measured_to),
        over_effort=totals.largest[-1] > robot.limits.effort,
        trace=trace.result(),
    )


def _header(file: MotionFile) -> list[str]:
    units = ["N" if linear else "Nm" for linear in file.robot.limits.linear]
    words = [*TorqueParts._fields, *(["measured"] if "tau" in file.columns else [])]
    return ["t", *(f"tau{i + 1}_{word}_{unit}" for i, unit in enumerate(units) for word in words)]


class _Totals:
    """Running sums over the pieces of a file."""

    def __init__(self, robot: Robot) -> None:
        n, self.limits, self.drive_axes = robot.n, robot.limits, robot.drive_axes
        self.rows, self.out_of_range, self.start, self.duration = 0, 0, np.nan, 0.0
        self.largest, self.squares = np.zeros((5, n)), np.zeros((5, n))
        self.first_out_of_range: tuple[float, Violation] | None = None
        self.fastest, self.fastest_drive = np.zeros(n), np.zeros(n)
        self.error, self.error_squared, self.measured = np.zeros(n), np.zeros(n), np.zeros(n)
        self.has_measured = False

    def add(self, motion: Motion, v: Array, parts: TorqueParts) -> None:
        self.start = motion.t[0] if self.rows == 0 else self.start
        self.duration = float(motion.t[-1] - self.start)
        self.rows += len(motion.t)
        outside = np.flatnonzero(~self.limits.in_range(motion.q))
        if len(outside) and self.first_out_of_range is None:
            first = self.limits.violations(motion.q[outside[0]])[0]
            self.first_out_of_range = float(motion.t[outside[0]]), first
        self.out_of_range += len(outside)
        values = np.stack(parts)
        self.largest = np.maximum(self.largest, np.abs(values).max(axis=1))
        self.squares += np.square(values).sum(axis=1)
        self.fastest = np.maximum(self.fastest, np.abs(v).max(axis=0))
        of_drives = np.abs(v @ self.drive_axes.T).max(axis=0)
        self.fastest_drive = np.maximum(self.fastest_drive, of_drives)
        if motion.tau is not None:
            self.has_measured = True
            difference = parts.total - motion.tau
            self.error += np.abs(difference).sum(axis=0)
            self.error_squared += np.square(difference).sum(axis=0)
            self.measured += np.abs(motion.tau).sum(axis=0)

    def window(self, window: float | None) -> float:
        """Return the length of the derivative filter [s] at the mean time step."""
        step = self.duration / max(self.rows - 1, 1)
        return min(filter_length(window, step), self.rows) * step

    def accuracy(self) -> Accuracy | None:
        if not self.has_measured:
            return None
        rmse, average = np.sqrt(self.error_squared / self.rows), self.measured / self.rows
        unknown = np.full_like(rmse, np.nan)
        share = 100.0 * np.divide(rmse, average, out=unknown, where=average > 0.0)
        return Accuracy(self.error / self.rows, rmse, average, share)


class _Decimator:
    """Every k-th sample, k doubling as the file grows, so that at most ``size`` are kept."""

    def __init__(self, size: int) -> None:
        self.size, self.step, self.seen = size, 1, 0
        self.kept: list[Trace] = []

    def add(self, motion: Motion, parts: TorqueParts) -> None:
        self.kept.append(_decimate(Trace(motion, parts), -self.seen % self.step, self.step))
        self.seen += len(motion.t)
        while sum(len(piece.motion.t) for piece in self.kept) > self.size:
            self.kept, self.step = [_decimate(self.result(), 0, 2)], 2 * self.step

    def result(self) -> Trace:
        motion = Motion.joined([piece.motion for piece in self.kept])
        columns = zip(*(piece.parts for piece in self.kept), strict=True)
        return Trace(motion, TorqueParts(*map(np.concatenate, columns)))


def _decimate(trace: Trace, start: int, step: int) -> Trace:
    parts = TorqueParts(*(x[start::step] for x in trace.parts))
    return Trace(trace.motion.slice(start, step=step), parts)
