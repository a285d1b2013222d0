"""From the columns of a log, whoever wrote it, to a recording in SI units on the arm side."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...checks import as_instance, positive
from ...errors import InputError, MissingData, MotionError
from ...model.motors import Motors
from ...model.types import Array
from ...robot.robot import Robot
from .bag_files import is_bag, read_bag
from .column_names import (
    Column,
    Columns,
    axis_number,
    column_sources,
    interpret_columns,
    probable_name,
)
from .drives import Drives, read_drives, torques_from_currents
from .plausibility import check_recording
from .recording import QUANTITIES, Finding, Flag, Recording
from .sample_times import in_order, times_of
from .table import Table
from .table_files import read_table
from .temperatures import implausible_temperature
from .text_tables import is_number


def read_recording(
    path: str | Path,
    robot: Robot,
    columns: Columns | str | Path | None = None,
    rate: float | None = None,
    drives: Drives | str | Path | None = None,
    topic: str | None = None,
) -> Recording:
    """Read a log: positions, and speeds, accelerations, torques if present.

    Logs are text (CSV), Parquet, HDF5 or MATLAB files, logs of abb_motion_program_exec (.bin), or
    bags of ROS 2 (.db3, .mcap, or their folder) with joint states. Long tables become wide ones.

    Names that are understood, and their units (docs/howto/measurements.md): the own form ``t,
    q1_deg .., v1_deg_s .., tau1_Nm ..`` and the same in ``rad``, ``m``, ``t_ms``; ``qm1_rad,
    vm1_rad_s, taum1_Nm`` of motors, brought to the arm side with ``robot.motors``; names of EGM's
    messages (``feedBack.joints.0``); ABB's test signals (``4002 ROB_1 2``); ROS's joint states by
    the names of the robot's axes (``effort_elbow_joint``); and words with a unit (``Torque J1
    (Nm)``). Every other column of numbers is kept in ``extra`` under its own name: ``current1_A``
    and ``temp1_degC`` are those of axis 1, its motor's current and the temperature of its drive, of
    which viscous friction may depend.

    Args:
        path: The file.
        robot: Robot of the log.
        columns: Names of the own form, and those that stand for them in this file: ``{"tau1_Nm":
            "torque A1"}``, or ``{"tau1_Nm": {"column": "torque A1", "scale": -257.2, "offset":
            0.0}}`` for ``scale * column + offset`` in the unit of our name. Or a YAML file with
            such a mapping.
        rate: Samples per second [Hz] of a log without a column of time.
        drives: Gear ratios for columns of motors, in place of ``robot.motors``, and gains that make
            torques of columns ``current1_A ..``; or a YAML file of them.
        topic: Of a bag with several topics of joint states.

    Returns:
        The recording, with findings on what is suspicious and flags on what is missing. Speeds or
        torques of some axes only leave NaN on the others.

    Raises:
        FileError: if the file cannot be read.
        MotionError: with file, row, column and advice, if a column that is needed is missing or
            holds words, times do not grow, or a unit is surely another one.
        InputError: if ``columns`` names what is no name of the own form, or a file without topics
            is given one.
        TableError: if the file of columns breaks the format.
        MissingData: if values are of a motor whose gear ratio is unknown.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
        >>> from irbmodels.identification.recordings import read_recording
        >>> from irbmodels.trajectory import move
        >>> irb.write_motion("log.csv", move(0.0 * q, q, duration=1.0).sample(250.0), robot)
        >>> log = read_recording("log.csv", robot)
        >>> log.q.shape
        (251, 6)
    """
    as_instance(robot, Robot, "a log is one of an irbmodels.Robot")
    sources = column_sources(columns)
    if rate is not None:
        positive(rate, "the rate of a log [Hz]")
    if topic is not None and not is_bag(path):
        raise InputError(f"{path}: is no bag, and has no topic {topic!r}")
    table = read_bag(path, robot.axes, topic) if is_bag(path) else read_table(path)
    linear = tuple(bool(flag) for flag in robot.limits.linear)
    if isinstance(drives, str | Path):
        drives = read_drives(drives, robot.axes, linear)
    time, axis_columns, further, problems = interpret_columns(
        table, robot.axes, linear, sources, rate is not None, robot.rapid_axes
    )
    used = {column.name for column in axis_columns} | set(time)
    used |= {source.column for source in further.values()}
    for name in sorted(used & table.words.keys()):
        row, cell = table.words[name]
        raise MotionError(
            f"{table.path}: row {row}, column {name!r}: {cell!r} is not a number;"
            f" {_cell_advice(cell, name, name in time)}"
        )
    findings: list[Finding] = []
    if rate is None:
        positions = [column.name for column in axis_columns if column.quantity == "q"]
        table, t, findings = in_order(table, times_of(table, time), next(iter(time)), positions)
    else:
        t = np.arange(len(table.rows)) / rate
    if len(t) == 1:
        raise MotionError(
            f"{table.path}: row {table.rows[0]} is the only one; a log needs two rows or more"
        )
    values = _values(table, axis_columns, robot, drives)
    findings += _missing_axes(values, axis_columns)
    more = {
        ours: source.scale * table.columns[source.column] + source.offset
        for ours, source in further.items()
    }
    flags: Any = None
    synthetic = False
    for name, column in table.columns.items():
        if name == "synthetic":
            synthetic = bool((column == 1.0).any())
        elif re.fullmatch(r"flags[1-9]\d?", name) and int(name[5:]) <= robot.n:
            flags = np.zeros((len(t), robot.n), np.uint16) if flags is None else flags
            flags[:, int(name[5:]) - 1] = column.astype(np.uint16)
        elif name not in used:
            more[name] = column
    findings += [
        Finding(f"is no column of numbers ({cell!r}) and is left out", "", row, name)
        for name, (row, cell) in table.words.items()
    ]
    findings += [
        Finding("is kept under its own name, and not understood", header.problem, None, name)
        for name, header in problems.items()
    ]
    findings += [
        Finding(
            "is kept under its own name, and not understood",
            f"columns={{{ours!r}: {name!r}}} (--column {ours}={shlex.quote(name)}) if it is that,"
            " unit included",
            None,
            name,
        )
        for name in more
        if (ours := probable_name(name, linear, {column[:2] for column in axis_columns}))
    ]
    findings += [
        Finding(
            f"is of an axis that {robot.name} has not; kept under its own name",
            "is the log of another robot?",
            None,
            name,
        )
        for name in more
        if axis_number(name) > robot.n
    ]
    if (hot := implausible_temperature(more)) is not None:
        i, ours, why = hot
        name = further[ours].column if ours in further else ours
        raise MotionError(f"{table.path}: row {table.rows[i]}, column {name!r}: {why}")
    recording = Recording(
        t,
        **values,
        extra=more,
        linear=linear,
        flags=flags,
        findings=tuple(findings),
        source=str(path),
        synthetic=synthetic,
    )
    if drives is not None and drives.make_torques(recording):
        recording = torques_from_currents(recording, drives)
    return check_recording(
        recording,
        robot,
        table.rows,
        {(column.quantity, column.axis): column.name for column in axis_columns},
    )


def _cell_advice(cell: str, column: str, time: bool) -> str:
    """Return what should stand in a cell that holds no number."""
    if "," in cell and is_number(cell.replace(",", ".", 1)):
        return "write a decimal point"
    if is_number(cell):
        return "the column is one of text: write it as numbers"
    if cell.strip() == column:
        return "are two logs in one file? cut it there"
    return (
        "a time is a number of seconds"
        if time
        else "leave the cell empty if it is unknown; a row of units must go"
    )


def _values(
    table: Table, axis_columns: Sequence[Column], robot: Robot, drives: Drives | None
) -> dict[str, Array]:
    """Return the quantities on the arm side; NaN for axes that the file does not have."""
    rows = len(table.rows)
    values = {}
    for quantity in QUANTITIES:
        columns = [column for column in axis_columns if column.quantity == quantity]
        if not columns:
            continue
        arm, motor = np.full((rows, robot.n), np.nan), np.full((rows, robot.n), np.nan)
        for column in columns:
            (motor if column.motor else arm)[:, column.axis] = column.factor * (
                column.scale * table.columns[column.name] + column.offset
            )
        if any(column.motor for column in columns):
            motors = _motors(table, columns, robot, drives)
            turn = {"q": motors.axis_position, "tau": motors.axis_torque}.get(
                quantity, motors.axis_velocity
            )
            arm = np.where(np.isnan(arm), turn(motor), arm)
        values[quantity] = arm
    return values


def _motors(table: Table, columns: Sequence[Column], robot: Robot, drives: Drives | None) -> Motors:
    """Return the motors of a robot, whose gears are known where the log has columns of motors."""
    if drives is not None:
        motors = drives.motors
    else:
        described = robot.description is not None
        motors = robot.motors if described else Motors(np.full(robot.n, np.nan))
    for column in columns:
        if column.motor and not motors.known[column.axis]:
            raise MissingData(
                f"{table.path}: column {column.name!r} is of motor {column.axis + 1}, whose gear"
                f" ratio is unknown for {robot.name}: give arm-side values, or the ratio in a file"
                f" of drives (--drives): 'axes: {{{robot.axes[column.axis]}: {{gear_ratio: 100}}}}'"
            )
    return motors


def _missing_axes(values: Mapping[str, Array], axis_columns: Sequence[Column]) -> list[Finding]:
    """Name the axes of which a quantity is not in the file at all."""
    findings = []
    for quantity, array in values.items():
        lost = [
            str(i + 1)
            for i in range(array.shape[1])
            if not any(column[:2] == (quantity, i) for column in axis_columns)
        ]
        if lost:
            flag = Flag.NO_TORQUE if quantity == "tau" else Flag.NO_SPEED
            findings.append(
                Finding(
                    f"{quantity} of axes {', '.join(lost)} is not in the file",
                    f"flagged {flag.name}",
                )
            )
    return findings
