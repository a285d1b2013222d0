"""Logs of open clients of ABB controllers: abb_motion_program_exec, abb_robot_client, ABBRobotEGM.

The first writes a file on the controller (``robot/HOME/motion_program_logger.mod`` of
github.com/rpiRobotics/abb_motion_program_exec at aca577d): float32, little-endian; version 10011,
length and text of a time stamp, length and text of the names ``timestamp,cmdnum,J1,..``, rows. Its
joints are those of ``CJointT``, in degrees. The others write none: what is saved of their
``EGMRobotState`` (joint angles in degrees, a clock of seconds and microseconds) is known by the
names of its fields.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np

from ...errors import FileError, MotionError
from .table import Table
from .text_tables import no_rows

_VERSION = 10011.0
_LONGEST = 4096  # letters of a header
_STATE = frozenset(
    ("joint_angles_planned", "clock", "rapid_running", "motors_on", "move_index", "cartesian")
)
"""Further fields of EGMRobotState, of which one tells that ``joint_angles`` is of it."""
_INDEXED = re.compile(r"(joint_angles|clock)\[(\d)\]")


def is_program_log(file: Path) -> bool:
    """Return whether the name of a file is that of a log of abb_motion_program_exec."""
    return file.suffix.lower() == ".bin"


def read_program_log(file: Path) -> Table:
    """Read a log that abb_motion_program_exec has written on the controller.

    Raises:
        FileError: if it cannot be read.
        MotionError: if it is none, or has no rows.
    """
    try:
        content = file.read_bytes()
    except OSError as err:
        raise FileError(f"{file}: {err.strerror or err}") from None
    if len(content) < 12 or np.frombuffer(content[:4], "<f4")[0] != _VERSION:
        raise MotionError(f"{file}: is no log of abb_motion_program_exec, version 10011")
    place, texts = 4, []
    for _ in range(2):
        length = struct.unpack("<f", content[place : place + 4].ljust(4, b"\xff"))[0]  # or NaN
        count = int(length) if 0.0 <= length <= _LONGEST else _LONGEST
        if len(content) < place + 4 + count:
            raise MotionError(f"{file}: the header of the log is damaged")
        texts.append(content[place + 4 : place + 4 + count].decode("ascii", "replace"))
        place += 4 + count
    if not texts[1].isprintable():
        raise MotionError(f"{file}: the header of the log is damaged")
    names = texts[1].split(",")
    rows = (len(content) - place) // (4 * len(names))  # a row that is cut off does not count
    if not rows:
        raise no_rows(file)
    values = np.frombuffer(content, "<f4", rows * len(names), place).reshape(rows, -1)
    values = np.where(np.isfinite(values), values, np.nan).astype(float)
    columns = dict(zip(names, values.T, strict=True))
    return Table(file, names, columns, {}, 1 + np.arange(rows))


def with_client_names(table: Table) -> Table:
    """Return a table with names of columns that are understood, where it is one of a client."""
    names = set(table.names)
    renamed: dict[str, str] = {}
    if {"timestamp", "cmdnum", "J1"} <= names:
        renamed = {f"J{i}": f"feedBack.joints.{i}" for i in range(1, 8)} | {"timestamp": "t"}
    elif any(re.sub(r"\[\d+\]$", "", name) in _STATE for name in names):
        clock = {"1": "sec", "2": "usec"}
        for name in names:
            hit = _INDEXED.fullmatch(name)
            if hit and hit[1] == "joint_angles":
                renamed[name] = f"feedBack.joints.{hit[2]}"
            elif hit and hit[2] in clock and not any("time" in other for other in names):
                renamed[name] = f"feedBack.time.{clock[hit[2]]}"
    if not renamed:
        return table
    columns = {renamed.get(name, name): values for name, values in table.columns.items()}
    return table._replace(names=[renamed.get(name, name) for name in table.names], columns=columns)
