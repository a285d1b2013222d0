"""Bags of ROS 2 (SQLite and MCAP): the samples of a topic of ``sensor_msgs/JointState``."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError, MotionError, require
from ...model.types import Array
from .column_names import JOINT_STATE
from .table import Table
from .table_files import close_to

SUFFIXES = (".db3", ".mcap")
_TYPE = "sensor_msgs/msg/JointState"


def is_bag(path: str | Path) -> bool:
    """Return whether a path is that of a bag: a file, or the folder with its metadata.yaml."""
    file = Path(path)
    return file.suffix.lower() in SUFFIXES or (file / "metadata.yaml").is_file()


def read_bag(path: str | Path, joints: Sequence[str], topic: str | None = None) -> Table:
    """Read the joint states of a bag as columns ``t``, ``position_JOINT``, ``effort_JOINT`` ...

    Times are those of the messages' headers, or else those at which they were written to the bag
    where all headers have zero. Messages with none of the robot's joints are left out.

    Args:
        path: File or folder of the bag.
        joints: Names of the robot's axes.
        topic: The topic; needed where several are joint states.

    Raises:
        FileError: if there is no such file.
        MotionError: if it is no bag, or has no such topic.
        MissingExtra: without rosbags.
    """
    require("rosbags", "logs")
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    file = Path(path)
    if not file.exists():
        raise FileError(f"{file}: no such file")
    with _refusing(file):
        reader = AnyReader([file], default_typestore=get_typestore(Stores.ROS2_HUMBLE))
        reader.open()
    with closing(reader):
        chosen = _connections(file, reader.connections, topic)
        with _refusing(file):
            rows: list[tuple[int, Any]] = [
                (stamp, reader.deserialize(raw, connection.msgtype))
                for connection, stamp, raw in reader.messages(connections=chosen)
            ]
    name = chosen[0].topic
    if not rows:
        raise MotionError(f"{file}: {name} has no message")
    # others publish on the same topic; of a robot with other names all are shown
    own = [(stamp, message) for stamp, message in rows if not {*message.name}.isdisjoint(joints)]
    kept = own or rows
    columns = {"t": _times(kept)}
    for joint in dict.fromkeys(joint for _, message in kept for joint in message.name):
        for quantity in JOINT_STATE:
            values = np.array([_value(message, joint, quantity) for _, message in kept])
            if np.isfinite(values).any():
                columns[f"{quantity}_{joint}"] = np.where(np.isfinite(values), values, np.nan)
    return Table(file, list(columns), columns, {}, 1 + np.arange(len(kept)))


@contextmanager
def _refusing(file: Path) -> Iterator[None]:
    """Turn errors of rosbags on a damaged bag into a :class:`MotionError`.

    Errors are those of rosbags, of what it reads with, and the built-in ones that it does not
    expect itself: it takes sizes and types of records as they are.
    """
    from rosbags.highlevel import AnyReaderError
    from rosbags.rosbag2 import ReaderError
    from rosbags.typesys import TypesysError

    damage: list[type[Exception]] = [AnyReaderError, ReaderError, TypesysError, *_BUILT_IN]
    damage += [getattr(sys.modules[name], error) for name, error in _USED if name in sys.modules]
    try:
        yield
    except tuple(damage) as err:
        reason = " ".join(str(err).split()) or type(err).__name__
        raise MotionError(f"{file}: cannot be read as a bag: {reason}") from None


_BUILT_IN = (
    OSError,
    EOFError,
    MemoryError,
    struct.error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,  # of lz4
    TypeError,
    ValueError,
)
# rosbags imports some of them, by version and Python's
_USED = (
    ("apsw", "Error"),
    ("sqlite3", "Error"),
    ("backports.zstd", "ZstdError"),
    ("compression.zstd", "ZstdError"),
)


def _connections(file: Path, connections: Sequence[Any], topic: str | None) -> list[Any]:
    """Return the connections of the topic that is read."""
    states = sorted({one.topic for one in connections if one.msgtype == _TYPE})
    there = ", ".join(sorted({f"{one.topic} ({one.msgtype})" for one in connections}))
    if topic is not None and topic not in states:
        raise MotionError(
            f"{file}: {topic!r} is no topic of {_TYPE}{close_to(topic, states)}; the bag has"
            f" {there or 'none'}"
        )
    if not states:
        raise MotionError(f"{file}: has no topic of {_TYPE}, but {there or 'none at all'}")
    if topic is None and len(states) > 1:
        raise MotionError(
            f"{file}: has several topics of {_TYPE}: {', '.join(states)}; name one:"
            f" topic={states[0]!r} (--topic {states[0]})"
        )
    return [one for one in connections if one.topic == (topic or states[0])]


def _times(rows: Sequence[tuple[int, Any]]) -> Array:
    """Return the times [s] after the first; seconds since 1970 would lose digits."""
    stamps = [message.header.stamp for _, message in rows]
    ns = [10**9 * stamp.sec + stamp.nanosec for stamp in stamps]
    if not any(ns):
        ns = [stamp for stamp, _ in rows]
    return np.array([one - ns[0] for one in ns]) * 1e-9


def _value(message: Any, joint: str, quantity: str) -> float:
    """Return a number of a joint; NaN where the message has none."""
    values, names = getattr(message, quantity), list(message.name)
    known = joint in names and len(values) == len(names)
    return float(values[names.index(joint)]) if known else np.nan
