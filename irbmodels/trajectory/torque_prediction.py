"""Torque along a motion file, split by cause and compared with what was measured (S000 eq. 75-77)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..checks import as_callable, as_instance, as_path, number, positive
from ..dynamics.equations_of_motion import TorqueParts
from ..errors import InputError
from ..files import replacing
from ..model.limits import Limits, Violation
from ..model.types import Array, Mask
from . import Motion
from .differentiation import REST, samples_of
from .motion_files import MotionFile

_TRACE = 4096  # samples kept for the figure


class Accuracy(NamedTuple):
    """Model against measurement, per axis: eq. 75 [N m, N], 76, the mean absolute measured torque, and eq. 77 [%]."""

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
    """What a motion needs."""

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
    """Time of the first such row [s], and what is out of range in it."""
    extrapolated: Mask
    """Per axis whether it moved faster than its friction was ever measured."""
    over_speed: Mask
    """Per axis whether it moved faster than its speed limit."""
    window: float | None
    """Length of the filter that derived speeds or accelerations [s].

    None where the file has both.
    """
    over_effort: Mask
    """Per axis whether the torque exceeds its (assumed) bound."""
    trace: Trace

    def __repr__(self) -> str:
        """Say how long the motion is, what it needs at most, and what it does not keep."""
        largest = ", ".join(f"{value:.4g}" for value in self.largest.total)
        said = [f"largest torques {largest} N m (N of a linear axis)"]
        if self.accuracy is not None:
            errors = ", ".join(f"{value:.3g}" for value in self.accuracy.rmse)
            said.append(f"off the measured ones by {errors} (root mean square)")
        if self.first_out_of_range is not None:
            said.append(
                f"{self.out_of_range} rows out of range, first at t ="
                f" {self.first_out_of_range[0]:.4g} s"
            )
        for what, axes in (
            ("speed limit", self.over_speed),
            ("assumed torque limit", self.over_effort),
            ("speeds at which friction was measured", self.extrapolated),
        ):
            if axes.any():
                said.append(
                    f"over the {what}: axis {', '.join(str(i + 1) for i in np.flatnonzero(axes))}"
                )
        return f"<Prediction of {self.rows} rows, {self.duration:.4g} s: {'; '.join(said)}>"


def predict(
    file: MotionFile,
    output: str | Path | None = None,
    window: float | None = None,
    rest: float = REST,
    advance: Callable[[int], object] = lambda _: None,
) -> Prediction:
    """Compute the torque of every row of a motion file, in pieces of bounded memory.

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
    """
    as_instance(
        file,
        MotionFile,
        "what is predicted is a motion file, as irbmodels.open_motion(path, robot) opens it",
    )
    if window is not None:
        positive(window, "window, the length of the derivative filter [s],")
    number(rest, "rest [deg, mm]", 0.0)
    as_callable(advance, "advance is a function of a number of bytes")
    robot, n = file.robot, file.robot.n
    if (
        output is not None
        and as_path(output, "the file to write").exists()
        and Path(output).samefile(file.path)
    ):
        raise InputError(f"{output} is the motion itself; write the torques to another file")
    totals = _Totals(n)
    trace = _Thinned(_TRACE)
    with ExitStack() as stack:
        stream = None
        if output is not None:
            stream = stack.enter_context(
                stack.enter_context(replacing(output)).open("w", encoding="utf-8")
            )
            stream.write(",".join(_header(file)) + "\n")
        for motion in file.motions(window, rest, advance):
            assert motion.v is not None  # what the file lacks, motions() derives
            assert motion.a is not None
            parts = robot.torque_parts(motion.q, motion.v, motion.a)
            totals.add(motion, motion.v, parts, robot.limits)
            trace.add(motion, parts)
            if stream is not None:
                columns = np.stack(
                    parts if motion.tau is None else [*parts, motion.tau], axis=2
                ).reshape(len(motion.t), -1)
                np.savetxt(
                    stream, np.hstack([motion.t[:, None], columns]), delimiter=",", fmt="%.9g"
                )
        if stream is not None:
            stream.close()  # before it is moved into place
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
        window=_window(window, totals) if file.derived else None,
        extrapolated=totals.fastest > (np.inf if measured_to is None else measured_to),
        over_effort=totals.largest[-1] > robot.limits.effort,
        trace=trace.result(),
    )


def _window(window: float | None, totals: _Totals) -> float:
    step = totals.duration / max(totals.rows - 1, 1)
    return min(samples_of(window, step), totals.rows) * step


def _header(file: MotionFile) -> list[str]:
    units = ["N" if linear else "Nm" for linear in file.robot.limits.linear]
    words = [*TorqueParts._fields, *(["measured"] if "tau" in file.columns else [])]
    return ["t", *(f"tau{i + 1}_{word}_{unit}" for i, unit in enumerate(units) for word in words)]


class _Totals:
    """Running sums over the pieces of a file."""

    def __init__(self, n: int) -> None:
        self.rows, self.out_of_range, self.start, self.duration = 0, 0, np.nan, 0.0
        self.largest, self.squares = np.zeros((5, n)), np.zeros((5, n))
        self.first_out_of_range: tuple[float, Violation] | None = None
        self.fastest = np.zeros(n)
        self.error, self.error_squared, self.measured = np.zeros(n), np.zeros(n), np.zeros(n)
        self.has_measured = False

    def add(self, motion: Motion, v: Array, parts: TorqueParts, limits: Limits) -> None:
        self.start = motion.t[0] if self.rows == 0 else self.start
        self.duration = float(motion.t[-1] - self.start)
        self.rows += len(motion.t)
        outside = np.flatnonzero(~limits.in_range(motion.q))
        if len(outside) and self.first_out_of_range is None:
            self.first_out_of_range = (
                float(motion.t[outside[0]]),
                limits.violations(motion.q[outside[0]])[0],
            )
        self.out_of_range += len(outside)
        values = np.stack(parts)
        self.largest = np.maximum(self.largest, np.abs(values).max(axis=1))
        self.squares += np.square(values).sum(axis=1)
        self.fastest = np.maximum(self.fastest, np.abs(v).max(axis=0))
        if motion.tau is not None:
            self.has_measured = True
            difference = parts.total - motion.tau
            self.error += np.abs(difference).sum(axis=0)
            self.error_squared += np.square(difference).sum(axis=0)
            self.measured += np.abs(motion.tau).sum(axis=0)

    def accuracy(self) -> Accuracy | None:
        if not self.has_measured:
            return None
        rmse, average = np.sqrt(self.error_squared / self.rows), self.measured / self.rows
        share = 100.0 * np.divide(
            rmse, average, out=np.full_like(rmse, np.nan), where=average > 0.0
        )
        return Accuracy(self.error / self.rows, rmse, average, share)


class _Thinned:
    """Every k-th sample, k doubling as the file grows, so that at most ``size`` are kept."""

    def __init__(self, size: int) -> None:
        self.size, self.step, self.seen = size, 1, 0
        self.kept: list[Trace] = []

    def add(self, motion: Motion, parts: TorqueParts) -> None:
        self.kept.append(_every(Trace(motion, parts), start=-self.seen % self.step, step=self.step))
        self.seen += len(motion.t)
        while sum(len(piece.motion.t) for piece in self.kept) > self.size:
            self.kept, self.step = [_every(self.result(), start=0, step=2)], 2 * self.step

    def result(self) -> Trace:
        motion = Motion.joined([piece.motion for piece in self.kept])
        return Trace(
            motion,
            TorqueParts(
                *(
                    np.concatenate(field)
                    for field in zip(*(p.parts for p in self.kept), strict=True)
                )
            ),
        )


def _every(trace: Trace, start: int, step: int) -> Trace:
    return Trace(
        trace.motion.each(lambda x: x[start::step]),
        TorqueParts(*(x[start::step] for x in trace.parts)),
    )
