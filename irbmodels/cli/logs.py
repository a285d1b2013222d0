"""Logs on the command line: options on how they are read, and their reading."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .shared import PATH, err, numbers

if TYPE_CHECKING:
    from ..identification.fits import Samples
    from ..identification.recordings import Drives, Recording
    from ..identification.validation import PreparedLogs
    from ..robot.robot import Robot

logs_argument = click.argument(
    "logs",
    nargs=-1,
    required=True,
    type=PATH,
    help=(
        "Text (CSV), Parquet, HDF5 (.h5), MATLAB (.mat) or ROS 2 bags (.db3, .mcap) with positions"
        " and torques, temperatures of drives (temp1_degC) where they are known"
        " (docs/howto/identify.md)."
    ),
)
bandwidth_option = click.option(
    "--bandwidth",
    type=float,
    help="Of the filter of positions [Hz]; default: as the logs show. Torques are not filtered.",
)
delay_option = click.option(
    "--delay",
    help=(
        "Time by which torques are logged later than positions [ms], one or one per axis, comma"
        " separated; default: estimated, and corrected where sure."
    ),
)

drives_option = click.option(
    "--drives",
    type=PATH,
    help=(
        "File of drives: gear ratios of columns of motors (qm1_rad, taum1_Nm), gains of currents,"
        " coupled wrists, rotors (docs/howto/identify.md)."
    ),
)

_reading = (
    click.option(
        "--columns",
        type=PATH,
        help="YAML file that maps names to columns of the logs: `tau1_Nm: torque A1`.",
    ),
    click.option(
        "--column",
        multiple=True,
        metavar="NAME=COLUMN",
        help="One of them, tau1_Nm='torque A1'; may be repeated.",
    ),
    click.option("--rate", type=float, help="Samples per second of logs without times [Hz]."),
    click.option("--topic", help="Of bags with several topics of sensor_msgs/JointState."),
)


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of :func:`.read_recording` to a command, which passes them to `read_logs`."""
    for option in reversed(_reading):
        command = option(command)
    return command


def delays(text: str | None, robot: Robot) -> list[float] | None:
    """Return the delays of ``--delay`` [s], one per axis; None where it is not given."""
    if text is None:
        return None
    values = numbers(text)
    if len(values) not in (1, robot.n) or not all(map(math.isfinite, values)):
        raise InputError(
            f"--delay {text!r} is not one delay in ms, or {robot.n} of them, comma separated, for"
            f" axes 1 to {robot.n} of {robot.name}"
        )
    return [1e-3 * value for value in values] * (robot.n // len(values))


def read_drives_file(file: Path | None, robot: Robot) -> Drives | None:
    """Return the drives of ``--drives``."""
    from ..identification.recordings import read_drives

    return None if file is None else read_drives(file, robot.axes, robot.limits.linear.tolist())


def with_drives(robot: Robot, file: Path | None) -> tuple[Drives | None, Robot]:
    """Return the drives of ``--drives``, and the robot with their couplings and rotors."""
    import numpy as np

    drives = read_drives_file(file, robot)
    if drives is None:
        return None, robot
    if not np.isnan(drives.rotor).all():
        robot = robot.with_rotors(drives.motors.reflected(np.nan_to_num(drives.rotor)))
    D = drives.motors.drive_axes
    return drives, robot if np.array_equal(D, np.eye(robot.n)) else robot.with_drives(D)


def read_logs(
    paths: Sequence[Path],
    robot: Robot,
    drives: Drives | None,
    columns: Path | None,
    column: Sequence[str],
    rate: float | None,
    topic: str | None,
) -> list[Recording]:
    """Return logs read by the options of :func:`reading_options` and ``--drives``."""
    from ..identification.recordings import column_sources, read_recording

    sources = {**column_sources(columns), **column_sources(_columns(column))}
    return [read_recording(path, robot, sources, rate, drives, topic) for path in paths]


def read_pair(
    logs: Sequence[Path], loaded: Sequence[Path], robot: Robot, **reading: Any
) -> tuple[list[Recording], list[Recording]]:
    """Return the logs without a payload, and those with it, as read, torques as logged.

    Args:
        logs: Those without it.
        loaded: Those with it.
        robot: Their robot.
        reading: Options of :func:`reading_options`.
    """
    refuse_twice([*logs, *loaded])
    return read_logs(logs, robot, None, **reading), read_logs(loaded, robot, None, **reading)


def usable_pair(prepared: PreparedLogs, robot: Robot) -> tuple[Samples, Samples]:
    """Return the usable samples of logs without and with a payload; findings go to stderr."""
    from ..identification.fits import Samples
    from ..identification.validation import usable_segments

    for note in notes_on(prepared):
        err.print(note)
    before, after = (
        Samples.of(*usable_segments(part, range(robot.n)))
        for part in (prepared.estimation, prepared.held_out)
    )
    return before, after


def _columns(texts: Sequence[str]) -> dict[str, str]:
    """Return the columns that ``--column NAME=COLUMN`` names."""
    columns: dict[str, str] = {}
    for text in texts:
        ours, _, theirs = text.partition("=")
        if not ours or not theirs:
            raise InputError(f"--column {text!r} is not NAME=COLUMN, such as tau1_Nm='torque A1'")
        if ours in columns:
            raise InputError(f"--column names {ours} twice")
        columns[ours] = theirs
    return columns


def notes_on(prepared: PreparedLogs) -> list[str]:
    """Return findings in logs and changes made to them, each line once."""
    lines = (
        f"{Path(recording.source).name}: {finding}"
        for recording in (*prepared.estimation, *prepared.held_out)
        for finding in recording.findings
    )
    return list(dict.fromkeys([*lines, *map(str, prepared.findings)]))


def refuse_twice(logs: Sequence[Path]) -> None:
    """Refuse logs given twice: samples count once, and held-out ones are not in the fit."""
    files = [path.resolve() for path in logs]
    for number, path in enumerate(logs):
        if files[number] in files[:number]:
            raise InputError(f"{path} is given twice; a log counts once, for the fit or held out")
