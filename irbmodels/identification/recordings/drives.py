"""Drives of a robot for its logs: gear ratios, torque per current, coupled motors, rotors.

A file of them is YAML, one row per axis that is known (docs/howto/identify.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import ArrayLike

from ...checks import as_instance, numbers
from ...errors import FileError, InputError, MissingData, MotionError, TableError
from ...files import replacing
from ...model.motors import Motors
from ...model.types import Array
from ...tables.reader import SCHEMA, Table, read
from .recording import Finding, Recording


@dataclass(frozen=True, kw_only=True)
class AxisDrive:
    """Row of one axis in a file of drives; of a linear axis in N and m."""

    gear_ratio: float | None = None
    """Turns of the motor per turn of its axis; of a linear one angle per way [rad/m].

    Negative where it turns the other way.
    """
    turned_by: dict[str, float] = field(default_factory=dict)
    """Turns of this motor per turn of other axes, where a wrist couples them."""
    gain_N_m_A: float | None = None
    """Axis torque per motor current: torque constant times gear ratio."""
    gain_N_A: float | None = None
    """The same of a linear axis."""
    torque_constant_N_m_A: float | None = None
    """Motor torque per motor current, on the motor side; instead of a gain, with the gear ratio."""
    gain_deviation_percent: float = 0.0
    """Standard deviation of the gain, or of the torque constant."""
    rotor_inertia_kg_m2: float | None = None
    """On the motor side."""


@dataclass(frozen=True)
class DrivesFile(Table):
    """File of drives."""

    axes: dict[str, AxisDrive]
    robot: str | None = None
    about: str = ""
    gain_correlation: tuple[tuple[float, ...], ...] | None = None
    """Rows of the lower triangle between the gains of the rows, in their order; None: no one is."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Drives:
    """Drives of ``n`` axes; NaN where a number is unknown."""

    ratio: Array
    """Turns of each motor per turn of each axis, shape ``(n, n)``."""
    gain: Array
    """Axis torque per motor current [N m/A, N/A], shape ``(n,)``."""
    gain_deviation: Array
    """Relative standard deviation of the gains, shape ``(n,)``; 0 where they are exact."""
    rotor: Array
    """Rotor inertia on the motor side [kg m^2], shape ``(n,)``."""
    gain_correlation: Array = None  # type: ignore[assignment]
    """Between the errors of the gains, shape ``(n, n)``; default none.

    Gains determined with one payload share the error of its mass.
    """

    def __post_init__(self) -> None:
        """Keep read-only copies.

        Raises:
            InputError: if a shape is wrong, a gain is 0, or a deviation or an inertia negative.
        """
        n = np.shape(self.gain)[0] if np.ndim(self.gain) == 1 else 0
        if self.gain_correlation is None:
            object.__setattr__(self, "gain_correlation", np.eye(n))
        for item in fields(self):
            array = numbers(getattr(self, item.name), f"{item.name} of drives")
            shape = (n, n) if item.name in ("ratio", "gain_correlation") else (n,)
            if array.shape != shape or not n:
                raise InputError(f"{item.name} of drives needs shape {shape}, got {array.shape}")
            array.setflags(write=False)
            object.__setattr__(self, item.name, array)
        if (self.gain == 0.0).any():
            raise InputError("a gain of 0 would turn every current into no torque: leave it out")
        if not ((self.gain_deviation >= 0.0) & (self.gain_deviation < 1.0)).all():
            raise InputError(
                "standard deviations of gains are shares of them, from 0 up to 1, got"
                f" {self.gain_deviation.tolist()}"
            )
        correlation = self.gain_correlation
        if (
            np.abs(np.diagonal(correlation) - 1.0).max() > 1e-6
            or np.abs(correlation - correlation.T).max() > 1e-6
            or np.linalg.eigvalsh(correlation)[0] < -1e-3
        ):
            raise InputError("the correlation of gains is symmetric, its diagonal 1, and positive")
        if (self.rotor < 0.0).any():
            raise InputError(f"rotor inertias must not be negative: {self.rotor.tolist()}")

    @property
    def n(self) -> int:
        """Number of axes."""
        return int(self.gain.size)

    @property
    def motors(self) -> Motors:
        """Map between axes and motors, of the gear ratios."""
        return Motors(self.ratio)

    @property
    def gain_covariance(self) -> Array:
        """Of the gains, relative, shape ``(n, n)``."""
        return np.outer(self.gain_deviation, self.gain_deviation) * self.gain_correlation

    def torques(self, current: ArrayLike) -> Array:
        """Return axis torques [N m, N] of motor currents [A], shape ``(..., n)``.

        Couplings of a wrist are those of the gear ratios; NaN where a gain is unknown.
        """
        at_drives: Array = self.gain * np.asarray(current, dtype=float)
        turns = self.motors.drive_axes
        # a product with the identity would spread what is unknown
        return at_drives if np.array_equal(turns, np.eye(self.n)) else at_drives @ turns

    def make_torques(self, recording: Recording) -> bool:
        """Return whether the gains of all axes are known, and the log has all currents."""
        names = [f"current{i + 1}_A" for i in range(recording.n)]
        return bool(np.isfinite(self.gain).all()) and all(name in recording.extra for name in names)

    def with_gains(self, gain: Array, covariance: Array) -> Drives:
        """Return the drives with other gains ``(n,)`` and their relative covariance ``(n, n)``."""
        deviation = np.sqrt(np.diagonal(covariance))
        scale = np.where(deviation > 0.0, deviation, 1.0)
        correlation = covariance / np.outer(scale, scale)
        correlation[np.diag_indices(gain.size)] = 1.0
        return replace(self, gain=gain, gain_deviation=deviation, gain_correlation=correlation)

    @staticmethod
    def unknown(n: int) -> Drives:
        """Return drives of which nothing is known."""
        nan = np.full(n, np.nan)
        return Drives(ratio=np.diag(nan), gain=nan, gain_deviation=np.zeros(n), rotor=nan)


def read_drives(path: str | Path, axes: Sequence[str], linear: Sequence[bool]) -> Drives:
    """Read a file of drives.

    Args:
        path: The file, as :func:`write_drives` writes it.
        axes: Names of the robot's axes (``robot.axes``), which name the rows; ``axis_1`` .. are
            taken as well.
        linear: Per axis whether it is linear (``robot.limits.linear``).

    Raises:
        FileError: if it cannot be read.
        TableError: if it breaks the format, or names an axis that the robot has not.
    """
    file, n = Path(path), len(axes)
    table = read(file, DrivesFile)
    places = {f"axis_{i + 1}": i for i in range(n)} | {name: i for i, name in enumerate(axes)}

    def place(name: str, key: str) -> int:
        if name not in places:
            raise TableError(file, key, f"{name!r} is no axis of this robot: {', '.join(axes)}")
        return places[name]

    empty = Drives.unknown(n)
    columns = {item.name: np.array(getattr(empty, item.name)) for item in fields(empty)}
    seen: dict[int, str] = {}
    for name, row in table.axes.items():
        i = place(name, "axes")
        if i in seen:
            raise TableError(file, f"axes.{name}", f"is the axis of row {seen[i]!r} too")
        seen[i] = name
        wrong, right = ("gain_N_m_A", "gain_N_A") if linear[i] else ("gain_N_A", "gain_N_m_A")
        if getattr(row, wrong) is not None:
            kind = "linear" if linear[i] else "rotary"
            raise TableError(file, f"axes.{name}.{wrong}", f"the axis is {kind}: {right}")
        gain = getattr(row, right)
        if row.torque_constant_N_m_A is not None:
            if gain is not None or row.gear_ratio is None:
                reason = (
                    f"makes {right}: leave that out" if gain is not None else "needs the gear_ratio"
                )
                raise TableError(file, f"axes.{name}.torque_constant_N_m_A", reason)
            gain = row.torque_constant_N_m_A * row.gear_ratio
        if row.gear_ratio == 0.0 or gain == 0.0:
            raise TableError(file, f"axes.{name}", "a gear ratio or a gain is never 0")
        if row.turned_by and row.gear_ratio is None:
            raise TableError(file, f"axes.{name}", "turned_by needs the gear_ratio of the motor")
        if not 0.0 <= row.gain_deviation_percent < 100.0:
            raise TableError(
                file,
                f"axes.{name}.gain_deviation_percent",
                f"lies from 0 up to 100, not {row.gain_deviation_percent:g}",
            )
        if row.rotor_inertia_kg_m2 is not None and row.rotor_inertia_kg_m2 < 0.0:
            raise TableError(file, f"axes.{name}.rotor_inertia_kg_m2", "is negative")
        for key, value in (
            ("gain", gain),
            ("gain_deviation", 0.01 * row.gain_deviation_percent),
            ("rotor", row.rotor_inertia_kg_m2),
        ):
            if value is not None:
                columns[key][i] = value
        if row.gear_ratio is not None:
            columns["ratio"][i] = 0.0
            columns["ratio"][i, i] = row.gear_ratio
            for other, turns in row.turned_by.items():
                j = place(other, f"axes.{name}.turned_by")
                if j == i:
                    raise TableError(
                        file, f"axes.{name}.turned_by", "names the axis itself: that is gear_ratio"
                    )
                columns["ratio"][i, j] = turns
    if table.gain_correlation is not None:
        count, triangle = len(table.axes), table.gain_correlation
        if [len(line) for line in triangle] != list(range(1, count + 1)):
            raise TableError(file, "gain_correlation", f"needs rows of 1 to {count} numbers")
        order = list(seen)
        for row_at, line in zip(order, triangle, strict=True):
            for column_at, value in zip(order, line, strict=False):
                columns["gain_correlation"][row_at, column_at] = value
                columns["gain_correlation"][column_at, row_at] = value
    known = np.isfinite(np.diagonal(columns["ratio"]))
    # an unknown motor has a row of NaN (Motors)
    columns["ratio"][~known] = np.nan
    try:
        return Drives(**columns)
    except InputError as error:
        raise TableError(file, "axes", str(error)) from None


def write_drives(
    path: str | Path,
    drives: Drives,
    axes: Sequence[str],
    linear: Sequence[bool],
    about: str = "",
    robot: str | None = None,
) -> Path:
    """Write a file of drives, whole or not at all.

    Args:
        path: File to write, with the suffix .yaml.
        drives: What is known.
        axes: Names of the rows (``robot.axes``).
        linear: Per axis whether it is linear.
        about: Origin of the numbers.
        robot: Name of the robot.

    Raises:
        InputError: if it is no .yaml file, or the names are those of other axes.
        FileError: if it cannot be written.
    """
    file = Path(path)
    if file.suffix != ".yaml":
        raise InputError(f"a file of drives is a .yaml file, not {file.name!r}")
    if len(axes) != as_instance(drives, Drives, "drives come from read_drives").n:
        raise InputError(f"drives of {drives.n} axes are not those of {', '.join(axes)}")
    rows: dict[str, dict[str, object]] = {}
    for i, name in enumerate(axes):
        unit = "gain_N_A" if linear[i] else "gain_N_m_A"
        row: dict[str, object] = {}
        if np.isfinite(drives.ratio[i, i]):
            row["gear_ratio"] = float(drives.ratio[i, i])
            others = [j for j in np.flatnonzero(drives.ratio[i]).tolist() if j != i]
            if others:
                row["turned_by"] = {axes[j]: float(drives.ratio[i, j]) for j in others}
        if np.isfinite(drives.gain[i]):
            row[unit] = float(f"{drives.gain[i]:.8g}")
            if drives.gain_deviation[i]:
                row["gain_deviation_percent"] = float(f"{100.0 * drives.gain_deviation[i]:.4g}")
        if np.isfinite(drives.rotor[i]):
            row["rotor_inertia_kg_m2"] = float(drives.rotor[i])
        if row:
            rows[name] = row
    content: dict[str, object] = {"schema": SCHEMA, "robot": robot, "about": about, "axes": rows}
    if not np.array_equal(drives.gain_correlation, np.eye(drives.n)):
        places = [i for i, name in enumerate(axes) if name in rows]
        content["gain_correlation"] = [
            [float(f"{drives.gain_correlation[i, j]:.4f}") for j in places[: k + 1]]
            for k, i in enumerate(places)
        ]
    text = yaml.safe_dump(
        {key: value for key, value in content.items() if value not in (None, "")},
        sort_keys=False,
        default_flow_style=None,
        width=200,
        allow_unicode=True,
    )
    try:
        with replacing(file) as temporary:
            temporary.write_text(text, encoding="utf-8")
    except OSError as err:
        raise FileError(f"{file}: {err.strerror or err}") from err
    return file


def torques_from_currents(recording: Recording, drives: Drives | None = None) -> Recording:
    """Return a log whose torques are its currents ``current1_A`` .. times gains.

    Args:
        recording: As it was read; torques that it has are replaced.
        drives: With gains; None leaves currents [A] in place of torques, to identify gains from.

    Raises:
        MotionError: if the log lacks the currents of an axis.
        MissingData: if a gain is unknown.
        InputError: if the drives are those of another number of axes.
    """
    names = [f"current{i + 1}_A" for i in range(recording.n)]
    lost = [name for name in names if name not in recording.extra]
    if lost:
        raise MotionError(
            f"{recording.source}: no currents: columns {', '.join(lost)} are missing;"
            f" --column {lost[0]}='its name there' says which they are"
        )
    current = np.stack([recording.extra[name] for name in names], axis=1)
    if drives is None:
        return recording.changed(tau=current).with_findings(Finding("torques are currents [A]"))
    if drives.n != recording.n:
        raise InputError(
            f"{recording.source}: the log has {recording.n} axes, the drives {drives.n}"
        )
    unknown = np.flatnonzero(~np.isfinite(drives.gain))
    if unknown.size:
        raise MissingData(
            f"the gain of axis {unknown[0] + 1} is unknown: state gain_N_m_A in the file of drives,"
            " or identify it with a known payload (irbmodels gains)"
        )
    replaced = "" if recording.tau is None else "; the log's own torques are not used"
    return recording.changed(tau=drives.torques(current)).with_findings(
        Finding(f"torques are currents times gains of the drives{replaced}")
    )
