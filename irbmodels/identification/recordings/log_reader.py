"""From the columns of a log, whoever wrote it, to a recording in SI units on the arm side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...checks import as_instance
from ...errors import InputError, MissingData, MotionError
from ...model.types import Array
from ...robot.robot import Robot
from .plausibility import check_recording
from .recording import QUANTITIES, Finding, Flag, Recording
from .table_files import Table, close_to, is_number, read_table

_TURN, _MM = np.pi / 180.0, 1e-3
_UNITS: dict[str, dict[str, tuple[float, bool | None]]] = {
    "q": {"deg": (_TURN, False), "rad": (1.0, False), "mm": (_MM, True), "m": (1.0, True)},
    "v": {"deg_s": (_TURN, False), "rad_s": (1.0, False), "mm_s": (_MM, True), "m_s": (1.0, True)},
    "a": {
        "deg_s2": (_TURN, False),
        "rad_s2": (1.0, False),
        "mm_s2": (_MM, True),
        "m_s2": (1.0, True),
    },
    "tau": {"Nm": (1.0, False), "N": (1.0, True)},
}
"""Factor to SI, and whether the axis is linear."""
_OWN = re.compile(r"(q|v|a|tau)(m?)([1-9])_(\w+)")
_TIMES = {"t": 1.0, "t_s": 1.0, "t_ms": 1e-3, "t_us": 1e-6}
_EGM = re.compile(r"feedback[._]joints(?:[._]joints)?[._\[]*(\d)\]?", re.IGNORECASE)
_EGM_TIME = {"header.tm": 1e-3, "header_tm": 1e-3}
_EGM_CLOCK = re.compile(r"(feedback[._]time[._])(u?)sec", re.IGNORECASE)
_SIGNAL = re.compile(
    r"(?:.*\b)?(4000|4001|4002|position|speed|torque)\b.*?\bROB_?1\b\D*([1-6])\D*", re.IGNORECASE
)
_SIGNAL_OF = {
    "4000": "q",
    "4001": "v",
    "4002": "tau",
    "position": "q",
    "speed": "v",
    "torque": "tau",
}
_SIGNAL_TIME = re.compile(r"time(?:\s*[\[(]?s[\])]?)?", re.IGNORECASE)


class Column(NamedTuple):
    """Meaning of a column of a file."""

    quantity: str
    axis: int
    """From 0."""
    factor: float
    motor: bool
    name: str
    """In the file."""


def read_recording(
    path: str | Path, robot: Robot, columns: Mapping[str, str] | None = None
) -> Recording:
    """Read a CSV or Parquet log: positions, and speeds, accelerations, torques if present.

    Names that are understood, and their units (docs/measurements.md): the own form ``t, q1_deg ..,
    v1_deg_s .., tau1_Nm ..`` and the same in ``rad``, ``m``, ``t_ms``; ``qm1_rad, vm1_rad_s,
    taum1_Nm`` of motors, brought to the arm side with ``robot.motors``; names of EGM's messages
    (``feedBack.joints.0``); and ABB's test signals (``4002 ROB_1 2``). Every other column of
    numbers is kept in ``more`` under its own name.

    Args:
        path: The file.
        robot: Robot of the log.
        columns: Names of the own form, and those that stand for them in this file: ``{"tau1_Nm":
            "torque A1"}``.

    Returns:
        The recording, with findings on what is suspicious and flags on what is missing. Speeds or
        torques of some axes only leave NaN on the others.

    Raises:
        FileError: if the file cannot be read.
        MotionError: with file, row, column and advice, if a column that is needed is missing or
            holds words, times do not grow, or a unit is surely another one.
        InputError: if ``columns`` names what is no name of the own form.
        MissingData: if values are of a motor whose gear ratio is unknown.
    """
    as_instance(robot, Robot, "a log is one of an irbmodels.Robot")
    as_instance(
        columns or {},
        Mapping,
        "columns map names of the own form to those in the file, {'tau1_Nm': 'torque A1'}",
    )
    table = read_table(path)
    linear = tuple(bool(flag) for flag in robot.limits.linear)
    time, axis_columns = _interpret_names(table, linear, dict(columns or {}))
    used = {column.name for column in axis_columns} | set(time)
    for name in sorted(used & table.words.keys()):
        row, cell = table.words[name]
        raise MotionError(
            f"{table.path}: row {row}, column {name!r}: {cell!r} is not a number;"
            f" {_cell_advice(cell, name, name in time)}"
        )
    t = _times(table, time)
    if len(t) == 1:
        raise MotionError(
            f"{table.path}: row {table.first} is the only one; a log needs two rows or more"
        )
    values = _values(table, axis_columns, robot)
    findings = _missing_axes(values, axis_columns)
    more: dict[str, Array] = {}
    flags: Any = None
    synthetic = False
    for name, column in table.columns.items():
        if name == "synthetic":
            synthetic = bool((column == 1.0).any())
        elif re.fullmatch(r"flags[1-9]", name) and int(name[5:]) <= robot.n:
            flags = np.zeros((len(t), robot.n), np.uint16) if flags is None else flags
            flags[:, int(name[5:]) - 1] = column.astype(np.uint16)
        elif name not in used:
            more[name] = column
    findings += [
        Finding(f"is no column of numbers ({cell!r}) and is left out", "", row, name)
        for name, (row, cell) in table.words.items()
    ]
    findings += [
        Finding(
            "is kept under its own name, and not understood",
            f"columns={{{ours!r}: {name!r}}} if it is that, unit included",
            None,
            name,
        )
        for name in more
        if (ours := _probable_name(name, linear, {column[:2] for column in axis_columns}))
    ]
    findings += [
        Finding(
            f"is of an axis that {robot.name} has not; kept under its own name",
            "is the log of another robot?",
            None,
            name,
        )
        for name in more
        if _axis(name) > robot.n
    ]
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
    return check_recording(
        recording,
        robot,
        table.first,
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


def _interpret_names(
    table: Table, linear: Sequence[bool], columns: dict[str, str]
) -> tuple[dict[str, float], list[Column]]:
    """Return the columns of time with their factors, and those of the axes."""
    for ours, theirs in columns.items():
        if ours not in _TIMES and _own_column(ours, ours, linear) is None:
            raise InputError(
                f"{ours!r} is no name of a column, such as t, t_ms, q1_deg, v2_rad_s, tau3_Nm,"
                " qm1_rad"
            )
        if theirs not in table.names:
            raise MotionError(
                f"{table.path}: row 1: column {theirs!r} for {ours!r} is"
                f" missing{close_to(theirs, table.names)}"
            )
    named = {theirs: ours for ours, theirs in columns.items()}
    time, axis_columns = {}, []
    base = 0 if any((hit := _EGM.fullmatch(name)) and hit[1] == "0" for name in table.names) else 1
    for name in table.names:
        ours = named.get(name, name)
        if ours in _TIMES:
            time[name] = _TIMES[ours]
        elif column := _own_column(ours, name, linear):
            axis_columns.append(column)
        elif hit := _EGM.fullmatch(name):
            axis_columns.append(_controller_column("q", int(hit[1]) - base, name, linear))
        elif (hit := _SIGNAL.fullmatch(name)) and int(hit[2]) <= len(linear):
            axis_columns.append(
                _controller_column(_SIGNAL_OF[hit[1].lower()], int(hit[2]) - 1, name, linear)
            )
    axis_columns = [column for column in axis_columns if 0 <= column.axis < len(linear)]
    for i, column in enumerate(axis_columns):
        for other in axis_columns[:i]:
            if column[:2] == other[:2]:
                what = f"{column.quantity} of axis {column.axis + 1}"
                raise MotionError(
                    f"{table.path}: row 1: columns {other.name!r} and {column.name!r} are both"
                    f" {what}; keep one"
                )
    for axis in range(len(linear)):
        if not any(column[:2] == ("q", axis) for column in axis_columns):
            ours = f"q{axis + 1}_{'mm' if linear[axis] else 'deg'}"
            shown = ", ".join(table.names)[:200]
            strange = [
                name
                for name in table.names
                if name not in time and name not in {column.name for column in axis_columns}
            ]
            raise MotionError(
                f"{table.path}: row 1: column {ours!r} is missing{close_to(ours, strange)}"
                f" (columns: {shown}); name it, or say columns={{{ours!r}: 'its name here'}}"
            )
    if len(time) > 1:
        raise MotionError(
            f"{table.path}: row 1: columns {' and '.join(map(repr, time))} are both times; keep one"
        )
    return time or _foreign_time(table), axis_columns


def _own_column(ours: str, name: str, linear: Sequence[bool]) -> Column | None:
    """Return what a name of the own form says, or None."""
    hit = _OWN.fullmatch(ours)
    if hit is None or hit[4] not in _UNITS[hit[1]] or int(hit[3]) > len(linear):
        return None
    factor, straight = _UNITS[hit[1]][hit[4]]
    if straight != (linear[int(hit[3]) - 1] and not hit[2]):  # motors turn
        return None
    return Column(hit[1], int(hit[3]) - 1, factor, bool(hit[2]), name)


def _controller_column(quantity: str, axis: int, name: str, linear: Sequence[bool]) -> Column:
    """Return a column in the controller's units."""
    factor = (
        1.0 if quantity == "tau" else _MM if 0 <= axis < len(linear) and linear[axis] else _TURN
    )
    return Column(quantity, axis, factor, False, name)


def _foreign_time(table: Table) -> dict[str, float]:
    clock = {
        name: 1e-6 if hit[2] else 1.0 for name in table.names if (hit := _EGM_CLOCK.fullmatch(name))
    }
    if len(clock) == 2:
        return clock
    for name in table.names:
        if name in _EGM_TIME:
            return {name: _EGM_TIME[name]}
        if _SIGNAL_TIME.fullmatch(name):
            return {name: 1.0}
    shown = ", ".join(table.names)[:200]
    raise MotionError(
        f"{table.path}: row 1: column 't' [s] is missing (columns: {shown}); say columns={{'t_ms':"
        " 'its name here'}"
    )


def _times(table: Table, time: Mapping[str, float]) -> Array:
    """Return the times [s], from the first on where a clock counts from far away."""
    parts = [table.columns[name] * factor for name, factor in time.items()]
    if len(parts) == 2:
        whole = max(parts, key=lambda part: np.nanmax(np.abs(part)))
        # seconds since 1970 would cost digits
        parts = [part - (part[0] if part is whole else 0.0) for part in parts]
    t: Array = np.sum(parts, axis=0)
    name = next(iter(time))
    if not np.isfinite(t).all():
        row = table.first + int(np.flatnonzero(~np.isfinite(t))[0])
        raise MotionError(
            f"{table.path}: row {row}, column {name!r}: there is no time; remove the row"
        )
    back = np.flatnonzero(np.diff(t) <= 0.0)
    if back.size:
        i = int(back[0]) + 1
        same = all(
            values[i] == values[i - 1] or np.isnan(values[i]) for values in table.columns.values()
        )
        advice = (
            "are two logs in one file? cut it there"
            if t[i] < t[i - 1]
            else (
                "the row stands there twice: remove one" if same else "write times with more digits"
            )
        )
        raise MotionError(
            f"{table.path}: row {table.first + i}, column {name!r}: {t[i]:.10g} s does not come"
            f" after {t[i - 1]:.10g} s; {advice}"
        )
    return t


def _values(table: Table, axis_columns: Sequence[Column], robot: Robot) -> dict[str, Array]:
    """Return the quantities on the arm side; NaN for axes that the file does not have."""
    rows = len(next(iter(table.columns.values())))
    values = {}
    for quantity in QUANTITIES:
        columns = [column for column in axis_columns if column.quantity == quantity]
        if not columns:
            continue
        arm, motor = np.full((rows, robot.n), np.nan), np.full((rows, robot.n), np.nan)
        for column in columns:
            (motor if column.motor else arm)[:, column.axis] = (
                column.factor * table.columns[column.name]
            )
        if any(column.motor for column in columns):
            for column in (
                column for column in columns if column.motor and not robot.motors.known[column.axis]
            ):
                raise MissingData(
                    f"{table.path}: column {column.name!r} is of motor {column.axis + 1}, whose"
                    f" gear ratio is unknown for {robot.name}: give arm-side values, or the ratio"
                    " in drives.yaml"
                )
            turn = {"q": robot.motors.axis_position, "tau": robot.motors.axis_torque}.get(
                quantity, robot.motors.axis_velocity
            )
            arm = np.where(np.isnan(arm), turn(motor), arm)
        values[quantity] = arm
    return values


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


def _axis(name: str) -> int:
    """Return the axis, from 1, that a column was written for, of whatever robot; 0 if for none.

    EGM's are taken as from 0.
    """
    if own := _OWN.fullmatch(name):
        return int(own[3])
    if egm := _EGM.fullmatch(name):
        return int(egm[1]) + 1
    return int(signal[2]) if (signal := _SIGNAL.fullmatch(name)) else 0


def _probable_name(name: str, linear: Sequence[bool], have: set[tuple[str, int]]) -> str:
    """Return the name that a column was meant to have: ``tau1_Nm`` for ``tau1``; else empty."""
    hit = re.fullmatch(r"(q|v|a|tau|torque)_?([1-9])(?:_\w*)?", name, re.IGNORECASE)
    if hit is None or int(hit[2]) > len(linear):
        return ""
    quantity = {"torque": "tau"}.get(hit[1].lower(), hit[1].lower())
    units = [
        unit
        for unit, (_, straight) in _UNITS[quantity].items()
        if straight == linear[int(hit[2]) - 1]
    ]
    return f"{quantity}{hit[2]}_{units[0]}" if (quantity, int(hit[2]) - 1) not in have else ""
