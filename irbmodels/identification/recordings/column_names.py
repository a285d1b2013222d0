"""Columns of a log by their names: own form, EGM, test signals, ROS's joint states, words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...checks import as_instance, number, short_repr
from ...errors import InputError, MotionError
from ...tables.reader import read
from .header_words import UNITS, Header, header_meaning
from .table import Table
from .table_files import close_to

_OWN_UNITS = {
    "q": ("deg", "rad", "mm", "m"),
    "v": ("deg_s", "rad_s", "mm_s", "m_s"),
    "a": ("deg_s2", "rad_s2", "mm_s2", "m_s2"),
    "tau": ("Nm", "N"),
}
_OWN = re.compile(r"(q|v|a|tau)(m?)([1-9]\d?)_(\w+)")
_FURTHER = re.compile(r"(?:current([1-9]\d?)_A|temp([1-9]\d?)_degC)")
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
JOINT_STATE = {"position": "q", "velocity": "v", "effort": "tau"}
"""Quantities of ``sensor_msgs/JointState``, in SI units of the joints that are named."""


@dataclass(frozen=True)
class ColumnSource:
    """Column of a file that stands for one of the own form: ``scale * column + offset``.

    Both are in the unit of the own form's name.
    """

    column: str
    scale: float = 1.0
    offset: float = 0.0


Columns = Mapping[str, str | ColumnSource | Mapping[str, object]]
"""Names of the own form, and what stands for them in a file."""


class Column(NamedTuple):
    """Meaning of a column of a file: ``factor * (scale * column + offset)`` in SI units."""

    quantity: str
    axis: int
    """From 0."""
    factor: float
    motor: bool
    name: str
    """In the file."""
    scale: float = 1.0
    offset: float = 0.0


class Meanings(NamedTuple):
    """Meanings of the columns of a file."""

    time: dict[str, float]
    """Columns of time with their factors to seconds; empty where the rate is given."""
    axes: list[Column]
    further: dict[str, ColumnSource]
    """Columns of the recording that no axis's quantity is, such as ``current1_A``."""
    problems: dict[str, Header]
    """Columns whose units are not understood."""


def column_sources(columns: Columns | str | Path | None) -> dict[str, ColumnSource]:
    """Return columns that a user names, from a mapping or the YAML file of one.

    Raises:
        FileError: if the file cannot be read.
        TableError: if it is no such mapping.
        InputError: if the mapping given in code is none.
    """
    if isinstance(columns, str | Path):
        given: Mapping[str, object] = read(Path(columns), dict[str, str | ColumnSource])
    else:
        given = as_instance(
            columns or {},
            Mapping,
            "columns map names of the own form to those in the file, {'tau1_Nm': 'torque A1'}",
        )
    return {ours: _source(ours, source) for ours, source in given.items()}


def _source(ours: str, source: object) -> ColumnSource:
    if isinstance(source, str):
        return ColumnSource(source)
    if isinstance(source, Mapping) and "column" in source and set(source) <= set(_KEYS):
        source = ColumnSource(**source)
    if not isinstance(source, ColumnSource) or not isinstance(source.column, str):
        raise InputError(
            f"column {ours!r} is the name of one in the file, or {{'column': name, 'scale': factor,"
            f" 'offset': number}}, not {short_repr(source)}"
        )
    scale, offset = (number(getattr(source, key), f"{key} of {ours!r}") for key in _KEYS[1:])
    return ColumnSource(source.column, scale, offset)


_KEYS = ("column", "scale", "offset")


def interpret_columns(
    table: Table,
    joints: Sequence[str],
    linear: Sequence[bool],
    columns: Mapping[str, ColumnSource],
    timed: bool = False,
    numbers: Sequence[int] = (),
) -> Meanings:
    """Return what the columns of a file are.

    Args:
        table: The file.
        joints: Names of the robot's axes.
        linear: Per axis whether it is linear.
        columns: Those that the user names.
        timed: Whether the file has no times, since its rate is known.
        numbers: Of the axes in the controller, which counts joints of EGM and axes of test signals;
            default 1 and on.

    Raises:
        MotionError: if a column that is needed is missing, or two are the same.
        InputError: if ``columns`` names what is no name of the own form.
    """
    for ours, source in columns.items():
        if ours not in _TIMES and own_column(ours, ours, linear) is None and not _further(ours):
            raise InputError(
                f"{ours!r} is no name of a column, such as t, t_ms, q1_deg, v2_rad_s, tau3_Nm,"
                " qm1_rad, current1_A, temp1_degC"
            )
        if source.column not in table.names:
            raise MotionError(
                f"{table.path}: row 1: column {source.column!r} for {ours!r} is"
                f" missing{close_to(source.column, table.names)}"
            )
    named = {source.column for source in columns.values()}
    pairs = [(ours, source) for ours, source in columns.items()]
    pairs += [(name, ColumnSource(name)) for name in table.names if name not in named]
    time, axis_columns, further = {}, [], {}
    axes = {number: axis for axis, number in enumerate(numbers or range(1, len(linear) + 1))}
    base = 0 if any((hit := _EGM.fullmatch(name)) and hit[1] == "0" for name in table.names) else 1
    for ours, source in pairs:
        if ours in _TIMES:
            time[source.column] = _TIMES[ours] * source.scale
        elif column := own_column(ours, source.column, linear):
            axis_columns.append(column._replace(scale=source.scale, offset=source.offset))
        elif hit := _EGM.fullmatch(ours):
            axis = axes.get(int(hit[1]) - base + 1, -1)
            axis_columns.append(_controller_column("q", axis, ours, linear))
        elif (hit := _SIGNAL.fullmatch(ours)) and int(hit[2]) in axes:
            axis_columns.append(
                _controller_column(_SIGNAL_OF[hit[1].lower()], axes[int(hit[2])], ours, linear)
            )
        elif column := _joint_column(ours, joints):
            axis_columns.append(column)
        elif _further(ours) and ours != source.column:
            further[ours] = source
    taken = {column.name for column in axis_columns} | named
    said = {
        name: meaning
        for name in table.names
        if name not in taken and (meaning := header_meaning(name))
    }
    mapped = {column[:2] for column in axis_columns if column.name in named}
    in_words, problems = _columns_in_words(said, linear)
    axis_columns += [column for column in in_words if column[:2] not in mapped]
    axis_columns = [column for column in axis_columns if 0 <= column.axis < len(linear)]
    _refuse_repeated(table, axis_columns)
    _refuse_missing(table, joints, linear, time, axis_columns, problems)
    if len(time) > 1:
        raise MotionError(
            f"{table.path}: row 1: columns {' and '.join(map(repr, time))} are both times; keep one"
        )
    if timed and time:
        raise MotionError(
            f"{table.path}: row 1: column {next(iter(time))!r} has the times; a rate (--rate) is"
            " for logs without them"
        )
    return Meanings(
        time if time or timed else _foreign_time(table, said), axis_columns, further, problems
    )


def _columns_in_words(
    said: Mapping[str, Header], linear: Sequence[bool]
) -> tuple[list[Column], dict[str, Header]]:
    """Return columns by headers in words, and those whose units are not understood."""
    axes = {name: meaning for name, meaning in said.items() if meaning.quantity != "t"}
    base = min((meaning.axis for meaning in axes.values()), default=1)
    columns, problems = [], {}
    for name, meaning in axes.items():
        axis, problem = meaning.axis - min(base, 1), meaning.problem
        if not problem and axis < len(linear) and meaning.linear != linear[axis]:
            wrong, right = ("linear", "rotary") if meaning.linear else ("rotary", "linear")
            problem = f"its unit is one of a {wrong} axis, and axis {axis + 1} is {right}"
        if problem:
            problems[name] = meaning._replace(problem=problem)
        else:
            columns.append(Column(meaning.quantity, axis, meaning.factor, False, name))
    return columns, problems


def _refuse_repeated(table: Table, columns: Sequence[Column]) -> None:
    for i, column in enumerate(columns):
        for other in columns[:i]:
            if column[:2] == other[:2]:
                what = f"{column.quantity} of axis {column.axis + 1}"
                raise MotionError(
                    f"{table.path}: row 1: columns {other.name!r} and {column.name!r} are both"
                    f" {what}; keep one"
                )


def _refuse_missing(
    table: Table,
    joints: Sequence[str],
    linear: Sequence[bool],
    time: Mapping[str, float],
    columns: Sequence[Column],
    problems: Mapping[str, Header],
) -> None:
    """Refuse a file without a position of some axis."""
    for axis in range(len(linear)):
        if not any(column[:2] == ("q", axis) for column in columns):
            ours = f"q{axis + 1}_{'mm' if linear[axis] else 'deg'}"
            shown = ", ".join(table.names)[:200]
            known = {*time, *(column.name for column in columns)}
            strange = [name for name in table.names if name not in known]
            for name in strange:
                if name in problems and problems[name].quantity == "q":
                    raise MotionError(
                        f"{table.path}: row 1: column {name!r}: {problems[name].problem}"
                    )
            joint = f" of joint {joints[axis]!r}" if joints[axis] != f"joint_{axis + 1}" else ""
            raise MotionError(
                f"{table.path}: row 1: column {ours!r}{joint} is missing"
                f"{close_to(ours, strange)} (columns: {shown}); name it, or say"
                f" {naming(ours)}"
            )


def naming(ours: str) -> str:
    """Return how a user says which column of a file is one of the own form."""
    return f"columns={{{ours!r}: 'its name here'}} (--column {ours}='its name here')"


def own_column(ours: str, name: str, linear: Sequence[bool]) -> Column | None:
    """Return what a name of the own form says, or None."""
    hit = _OWN.fullmatch(ours)
    if hit is None or hit[4] not in _OWN_UNITS[hit[1]] or int(hit[3]) > len(linear):
        return None
    factor, straight = UNITS[hit[1]][hit[4].lower().replace("_", "/")]
    if straight != (linear[int(hit[3]) - 1] and not hit[2]):  # motors turn
        return None
    return Column(hit[1], int(hit[3]) - 1, factor, bool(hit[2]), name)


def _further(name: str) -> bool:
    return _FURTHER.fullmatch(name) is not None


def _controller_column(quantity: str, axis: int, name: str, linear: Sequence[bool]) -> Column:
    """Return a column in the controller's units."""
    factor = (
        1.0
        if quantity == "tau"
        else 1e-3
        if 0 <= axis < len(linear) and linear[axis]
        else np.pi / 180.0
    )
    return Column(quantity, axis, factor, False, name)


def _joint_column(name: str, joints: Sequence[str]) -> Column | None:
    """Return ``position_JOINT``, ``/joint_states/JOINT/effort`` and the like, in SI units."""
    kind, _, joint = name.partition("_")
    last = ("", *re.split(r"[/.]", name))[-2:]
    for quantity, which in ((kind, joint), last, last[::-1]):
        if quantity in JOINT_STATE and which in joints:
            return Column(JOINT_STATE[quantity], joints.index(which), 1.0, False, name)
    return None


def _foreign_time(table: Table, said: Mapping[str, Header]) -> dict[str, float]:
    clock = {
        name: 1e-6 if hit[2] else 1.0 for name in table.names if (hit := _EGM_CLOCK.fullmatch(name))
    }
    if len(clock) == 2:
        return clock
    for name in table.names:
        if name in _EGM_TIME:
            return {name: _EGM_TIME[name]}
    times = {name: meaning for name, meaning in said.items() if meaning.quantity == "t"}
    for name, meaning in times.items():
        if meaning.problem:
            raise MotionError(f"{table.path}: row 1: column {name!r}: {meaning.problem}")
    if len(times) > 1:
        raise MotionError(
            f"{table.path}: row 1: columns {' and '.join(map(repr, times))} are both times; say"
            f" which, such as columns={{'t': {next(iter(times))!r}}}"
        )
    if times:
        return {name: meaning.factor for name, meaning in times.items()}
    shown = ", ".join(table.names)[:200]
    raise MotionError(
        f"{table.path}: row 1: column 't' [s] is missing (columns: {shown}); say"
        f" {naming('t_ms')}, or the rate of a log without times: rate=250.0 (--rate 250)"
    )


def axis_number(name: str) -> int:
    """Return the axis, from 1, that a column was written for, of whatever robot; 0 if for none.

    EGM's are taken as from 0.
    """
    if own := _OWN.fullmatch(name):
        return int(own[3])
    if egm := _EGM.fullmatch(name):
        return int(egm[1]) + 1
    if further := _FURTHER.fullmatch(name):
        return int(further[1] or further[2])
    return int(signal[2]) if (signal := _SIGNAL.fullmatch(name)) else 0


def probable_name(name: str, linear: Sequence[bool], have: set[tuple[str, int]]) -> str:
    """Return the name that a column was meant to have: ``tau1_Nm`` for ``tau1``; else empty."""
    hit = re.fullmatch(r"temp(?:erature)?_?([1-9])(?:_\w*)?", name, re.IGNORECASE)
    if hit is not None and int(hit[1]) <= len(linear):
        return "" if _further(name) else f"temp{hit[1]}_degC"
    hit = re.fullmatch(r"(q|v|a|tau|torque)_?([1-9])(?:_\w*)?", name, re.IGNORECASE)
    if hit is None or int(hit[2]) > len(linear):
        return ""
    quantity = {"torque": "tau"}.get(hit[1].lower(), hit[1].lower())
    rotary, straight = {"q": ("deg", "mm"), "v": ("deg_s", "mm_s"), "a": ("deg_s2", "mm_s2")}.get(
        quantity, ("Nm", "N")
    )
    unit = straight if linear[int(hit[2]) - 1] else rotary
    return f"{quantity}{hit[2]}_{unit}" if (quantity, int(hit[2]) - 1) not in have else ""
