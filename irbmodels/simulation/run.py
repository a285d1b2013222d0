"""Results of a simulation: named columns with units, events and settings, in one Parquet file.

The file has the columns of a motion file in the controller's units (``t``, ``q1_deg ..``,
``v1_deg_s ..``, ``a1_deg_s2 ..``, ``tau1_Nm ..``; a linear axis has ``q3_mm`` and ``tau3_N``),
further columns in the same manner, and the unit of each in its field's metadata; events and notes
are JSON in the metadata of the schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_int
from ..errors import FileError, InputError, IrbError, MotionError, TableError, UnknownName, require
from ..files import replacing
from ..model.inertia import Inertial
from ..model.types import Array
from ..robot.robot import Robot
from ..tables.reader import SCHEMA, check_schema
from ..trajectory import Motion
from ..version import __version__

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


STANDARD = {"q": "rad", "v": "rad/s", "a": "rad/s^2", "tau": "N m"}
"""Columns of every run, with the unit of a rotary axis."""
# the same quantity of a linear axis
_LINEAR = {"rad": "m", "rad/s": "m/s", "rad/s^2": "m/s^2", "N m": "N"}
_FILE_UNITS = {
    "rad": ("deg", radians(1.0)),
    "rad/s": ("deg_s", radians(1.0)),
    "rad/s^2": ("deg_s2", radians(1.0)),
    "N m": ("Nm", 1.0),
    "m": ("mm", 1e-3),
    "m/s": ("mm_s", 1e-3),
    "m/s^2": ("mm_s2", 1e-3),
    "1": ("", 1.0),
}
"""Suffix in a file, and factor to SI, of the units that have another name there."""
_KEY = b"irbmodels"
# Okabe-Ito, per axis
_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
_MARKERS = {"sticks": "o", "slips": "^", "hits its stop": "X", "leaves its stop": "d"}
_MAX_MARKERS = 200  # of one kind and axis; more would cover the curve, and none is drawn
_TITLES = {"q": "position", "v": "speed", "a": "acceleration", "tau": "torque"}
_UNITS = {"deg_s": "deg/s", "deg_s2": "deg/s²", "mm_s": "mm/s", "mm_s2": "mm/s²", "Nm": "N m"}
"""Units of a figure whose suffix in a file has another spelling."""


class Event(NamedTuple):
    """Something that happened between two samples."""

    t: float
    """[s]"""
    axis: int
    """1-based, as on the controller; of a stop the axis whose range it bounds; 0 for none."""
    kind: str
    """``sticks``, ``slips``, ``hits its stop``, ``leaves its stop``, or another kind."""


class SimulationError(IrbError, RuntimeError):
    """A simulation that cannot go on: time, problem, and everything computed until then."""

    def __init__(self, t: float, problem: str, run: Run | None = None) -> None:
        """Name the time [s] and the problem; keep the samples so far."""
        self.t, self.problem, self.run = t, problem, run
        super().__init__(f"at t = {t:.9g} s: {problem}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the arguments, not the message, so that another process can raise it."""
        return type(self), (self.t, self.problem, self.run)


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Samples of a simulation in SI units.

    ``run["friction"]`` is any column, ``run.q`` one of those that all runs have.
    """

    t: Array
    """Times [s], shape ``(N,)``."""
    columns: Mapping[str, Array]
    """Arrays ``(N,)`` or ``(N, k)``; at least ``q``."""
    units: Mapping[str, str]
    """SI unit of each column, of a rotary axis.

    In columns of n axes a linear one has m instead of rad, N instead of N m.
    """
    linear: tuple[bool, ...]
    """True per linear axis."""
    events: tuple[Event, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Robot, parameters, tool, friction, version and settings: plain data, as JSON has it."""
    end: Mapping[str, Any] | None = None
    """State at the end, for a simulation that goes on from there; plain data."""

    def __post_init__(self) -> None:
        """Check shapes and keep read-only arrays.

        Raises:
            InputError: if a column is no numbers, has another length than ``t``, or no unit.
        """
        arrays = {}
        for name, values in {"t": self.t, **self.columns}.items():
            try:
                arrays[name] = np.array(values, dtype=float)
            except (TypeError, ValueError) as err:
                raise InputError(
                    f"column {name!r} of a run is not an array of numbers: {err}"
                ) from None
        for name, array in arrays.items():
            array.setflags(write=False)
            if (
                array.ndim not in (1, 2)
                or len(array) != arrays["t"].size
                or (name == "t" and array.ndim != 1)
            ):
                raise InputError(
                    f"column {name!r} of a run of {arrays['t'].size} samples has shape"
                    f" {array.shape}"
                )
            if name != "t" and name not in self.units:
                raise InputError(
                    f"column {name!r} of a run needs a unit, such as 'rad' or 'N m'; '1' is none"
                )
        object.__setattr__(self, "t", arrays.pop("t"))
        object.__setattr__(self, "columns", arrays)
        object.__setattr__(self, "units", {name: self.units[name] for name in arrays})

    def __getitem__(self, name: str) -> Array:
        """Return a column.

        Raises:
            UnknownName: if there is no such column.
        """
        if name not in self.columns:
            raise UnknownName("column of this run", name, self.columns)
        return self.columns[name]

    @property
    def q(self) -> Array:
        """Axis positions [rad, m], shape ``(N, n)``."""
        return self["q"]

    @property
    def v(self) -> Array:
        """Axis speeds [rad/s, m/s], shape ``(N, n)``."""
        return self["v"]

    @property
    def a(self) -> Array:
        """Axis accelerations [rad/s^2, m/s^2], shape ``(N, n)``."""
        return self["a"]

    @property
    def tau(self) -> Array:
        """Motor torques at the axes [N m, N], arm side, shape ``(N, n)``."""
        return self["tau"]

    @property
    def motion(self) -> Motion:
        """The columns of a motion file; what the run lacks is None."""
        return Motion(self.t, self.q, *(self.columns.get(name) for name in ("v", "a", "tau")))

    def of_axis(self, axis: int, kind: str = "") -> list[Event]:
        """Return the events of an axis, 1-based, or of none (0); with ``kind`` only such.

        Raises:
            InputError: if the run has no such axis.
        """
        as_int(axis, "an axis of this run", 0, len(self.linear))
        return [event for event in self.events if event.axis == axis and kind in ("", event.kind)]

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.t)

    def __repr__(self) -> str:
        """Say what it holds."""
        span = f"{self.t[0]:g} .. {self.t[-1]:g} s" if len(self) else "nothing"
        stopped = f", stopped: {self.notes['stopped']}" if "stopped" in self.notes else ""
        return (
            f"<Run of {self.notes.get('robot', '?')}: {span}, {', '.join(self.columns)},"
            f" {len(self.events)} events{stopped}>"
        )

    def plot(self, columns: Sequence[str] = ("q", "v", "tau")) -> Figure:
        """Draw columns one above the other in degrees and millimetres, events on the first.

        Raises:
            UnknownName: if the run has no such column.
            InputError: if there is no column or no sample.
        """
        # imported here: a third of a second that most users never need
        from matplotlib.figure import Figure

        if not columns or not len(self):
            raise InputError("a figure needs at least one column and one sample")
        figure = Figure(figsize=(9.0, 1.2 + 2.2 * len(columns)), layout="constrained")
        panels = figure.subplots(len(columns), 1, sharex=True, squeeze=False)[:, 0]
        for panel, name in zip(panels, columns, strict=True):
            _plot_column(self, name, panel)
        _plot_events(self, columns[0], panels[0])
        panels[-1].set_xlabel("time [s]")
        tool = f" with {self.notes['tool']}" if self.notes.get("tool") else ""
        figure.suptitle(f"{self.notes.get('robot', '')}{tool}", fontsize="medium")
        legend: dict[str, Artist] = {}
        for panel in panels:
            for artist, label in zip(*panel.get_legend_handles_labels(), strict=True):
                legend.setdefault(label, artist)
        artists, labels = list(legend.values()), list(legend)
        figure.legend(
            artists, labels, loc="outside lower center", ncols=6, frameon=False, fontsize="small"
        )
        return figure

    def save(self, path: str | Path) -> None:
        """Write everything to one Parquet file, whole or not at all.

        Raises:
            MissingExtra: without pyarrow.
            FileError: if the file cannot be written.
            InputError: if the ending is not .parquet, or a note is nothing that JSON can hold.
        """
        if Path(path).suffix.lower() != ".parquet":
            raise InputError(
                f"{path}: a run is one Parquet file, name it .parquet; write_motion(path,"
                " run.motion, robot) writes CSV"
            )
        require("pyarrow", "logs")
        import pyarrow as pa
        from pyarrow import parquet

        fields, arrays = [pa.field("t", pa.float64(), metadata={b"unit": b"s"})], [pa.array(self.t)]
        for name in self.columns:
            for label, unit, component in self.components(name):
                fields.append(pa.field(label, pa.float64(), metadata={b"unit": unit.encode()}))
                arrays.append(pa.array(component))
        metadata = {
            "schema": SCHEMA,
            "columns": {
                name: [self.units[name], *values.shape[1:]] for name, values in self.columns.items()
            },
            "linear": [bool(flag) for flag in self.linear],
            "events": [list(event) for event in self.events],
            "notes": dict(self.notes),
            "end": self.end,
        }
        try:
            text = json.dumps(metadata)
        except TypeError as err:
            raise InputError(f"notes of a run are plain data, as JSON has it: {err}") from None
        table = pa.Table.from_arrays(
            arrays, schema=pa.schema(fields, metadata={_KEY: text.encode()})
        )
        with replacing(path) as temporary:
            parquet.write_table(table, temporary)

    @staticmethod
    def load(path: str | Path) -> Run:
        """Read what :meth:`save` wrote.

        Numbers come back to the last digit but one (degrees are in the file).

        Raises:
            MissingExtra: without pyarrow.
            FileError: if the file cannot be read.
            MotionError: if it is no run, or one that a newer version wrote.
        """
        require("pyarrow", "logs")
        import pyarrow as pa
        from pyarrow import parquet

        try:
            table = parquet.read_table(path)
        except OSError as err:
            raise FileError(
                f"{path}:"
                f" {err.strerror or 'there is no such file' if not Path(path).exists() else err}"
            ) from None
        except pa.ArrowException as err:
            raise MotionError(f"{path} is no Parquet file: {err}") from None
        stored = table.schema.metadata or {}
        if _KEY not in stored:
            raise MotionError(
                f"{path} is no run of irbmodels: its metadata say nothing of events and notes"
            )
        try:
            metadata = json.loads(stored[_KEY])
            check_schema(metadata, Path(path))
            linear, columns, units = tuple(metadata["linear"]), {}, {}
            for name, (unit, *width) in metadata["columns"].items():
                units[name] = unit
                parts = [
                    np.asarray(table[label]) * factor
                    for label, _, factor in _labels(name, unit, linear, *width)
                ]
                columns[name] = np.stack(parts, axis=1) if width else parts[0]
            events = tuple(Event(*event) for event in metadata["events"])
            notes, end = dict(metadata["notes"]), metadata["end"]
            return Run(np.asarray(table["t"]), columns, units, linear, events, notes, end)
        except TableError as err:
            raise MotionError(str(err)) from None
        # anything that another program has written there
        except (ValueError, LookupError, TypeError, AttributeError) as err:
            raise MotionError(f"{path} is no run of irbmodels, or a damaged one: {err!r}") from None

    def components(self, name: str) -> list[tuple[str, str, Array]]:
        """Name and unit in a file, and values in that unit, of every component of a column."""
        values = np.atleast_2d(self[name].T)
        labels = _labels(name, self.units[name], self.linear, *self[name].shape[1:])
        return [
            (label, unit, component / factor)
            for (label, unit, factor), component in zip(labels, values, strict=True)
        ]


def run_of(
    robot: Robot,
    motion: Motion,
    more: Mapping[str, tuple[ArrayLike, str]] | None = None,
    events: Sequence[Event] = (),
    notes: Mapping[str, Any] | None = None,
    end: Mapping[str, Any] | None = None,
) -> Run:
    """Return a run whose notes describe its robot.

    Args:
        robot: The simulated robot.
        motion: Samples of t, q and as many of v, a, tau as are known.
        more: Further columns: values ``(N,)`` or ``(N, k)``, and their SI unit.
        events: Events, in the order of time.
        notes: Settings; added to the notes of the robot.
        end: State from which a later simulation can go on.
    """
    columns = {
        name: values
        for name, values in zip(STANDARD, motion[1:5], strict=True)
        if values is not None
    }
    units = {name: STANDARD[name] for name in columns}
    for name, (values, unit) in (more or {}).items():
        columns[name], units[name] = np.asarray(values, dtype=float), unit
    all_notes = {**robot_notes(robot), "version": __version__, **(notes or {})}
    linear = tuple(bool(flag) for flag in robot.limits.linear)
    return Run(motion.t, columns, units, linear, tuple(events), all_notes, end)


def robot_notes(robot: Robot) -> dict[str, Any]:
    """Return the notes on a robot as plain data, with every number of tool and payload."""
    tool = robot.tool
    return {
        "robot": robot.name,
        "parameters": robot.parameters,
        "tool": tool.name if tool else None,
        "tool_tcp": tool.tcp.homogeneous.tolist() if tool else None,
        **_inertial_notes("tool", tool.load if tool else None),
        **_inertial_notes("payload", robot.payload),
        "gravity": robot.gravity_vector.tolist(),
        "rotors": robot.rotors.tolist(),
    }


def _inertial_notes(name: str, load: Inertial | None) -> dict[str, Any]:
    return {
        f"{name}_kg": load and load.mass,
        f"{name}_com_m": load and load.com.tolist(),
        f"{name}_inertia_kg_m2": load and load.tensor.tolist(),
    }


def _plot_column(run: Run, name: str, panel: Axes) -> None:
    """Draw each component of a column in the unit that it has in a file."""
    components = run.components(name)
    for i, (_, _, component) in enumerate(components):
        label = f"axis {i + 1}" if len(components) > 1 else None
        panel.plot(run.t, component, color=_COLORS[i % len(_COLORS)], lw=1.2, label=label)
    units = dict.fromkeys(_UNITS.get(unit, unit) for _, unit, _ in components)
    panel.set_ylabel(f"{_TITLES.get(name, name.replace('_', ' '))} [{', '.join(units)}]")
    panel.grid(alpha=0.25, lw=0.5)


def _plot_events(run: Run, name: str, panel: Axes) -> None:
    """Mark when axes stick, slip, and meet or leave a stop, on the curves of a column."""
    components = run.components(name)
    for kind, marker in _MARKERS.items():
        for i, (_, _, component) in enumerate(components):
            times = np.array([event.t for event in run.of_axis(i + 1, kind)])
            if not 0 < len(times) <= _MAX_MARKERS:
                continue
            heights, color = np.interp(times, run.t, component), _COLORS[i % len(_COLORS)]
            fill = "none" if kind == "slips" else color
            panel.plot(
                times, heights, color=color, marker=marker, ms=5, ls="none", mfc=fill, label=kind
            )


def _labels(
    name: str, unit: str, linear: Sequence[bool], width: int | None = None
) -> list[tuple[str, str, float]]:
    def label(number: str, si: str) -> tuple[str, str, float]:
        suffix, factor = _FILE_UNITS.get(
            si, (re.sub(r"[^A-Za-z0-9]+", "_", si.replace(" ", "").replace("^", "")), 1.0)
        )
        return "_".join(part for part in (f"{name}{number}", suffix) if part), suffix or "1", factor

    if width is None:
        return [label("", unit)]
    is_linear = linear if width == len(linear) else [False] * width
    return [
        label(str(i + 1), _LINEAR.get(unit, unit) if flag else unit)
        for i, flag in enumerate(is_linear)
    ]
