"""Overlays: tables read strictly that change numbers of a robot's tables, with their sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import TableError
from ..model.provenance import Level, Source
from .description import Description, aliases
from .reader import Table, read

NOT_STATED = ""  # tool of a file that does not state it


@dataclass(frozen=True, kw_only=True)
class UncertaintyRow:
    """Uncertainty of an identified set, [SI]; rows of ``sums`` in their order."""

    axes: tuple[int, ...]
    """Axes that were identified, from 1."""
    degrees: float
    """Of freedom of the covariance."""
    noise: tuple[float, ...]
    """Standard deviation of the residuals of these axes [N m, N]."""
    correlation_time_s: tuple[float, ...]
    """Of these residuals."""
    gravity_m_s2: tuple[float, float, float]
    """While the logs were taken, in axes of the base."""
    covariance_factor: tuple[tuple[float, ...], ...]
    """Rows of a lower triangular ``L``; the covariance of the sums is ``L L'``."""
    held: tuple[float, ...] | None = None
    """Positions of all axes where others than ``axes`` stood [rad, m]."""


@dataclass(frozen=True)
class Identified:
    """Record of the identification of a set (docs/howto/identify.md).

    No model uses it; a poor or a wrong set warns when it is loaded.
    """

    level: Level
    reasons: tuple[str, ...] = ()
    """Limitations that keep it from being good."""
    sums: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Of parameters, estimated from torques: value and standard deviation [SI].

    Before bodies were made of them.
    """
    uncertainty: UncertaintyRow | None = None


@dataclass(frozen=True)
class Overlay(Table):
    """An overlay file: parts of tables, in the tables' own keys.

    A row may hold only the numbers that change.
    """

    about: str
    sources: dict[str, Source]
    robot: str | tuple[str, ...] | None = None
    """Variants that the numbers are of; without it any robot is taken, with a warning."""
    of: dict[str, Any] = field(default_factory=dict)
    """Only a set of a robot without tables has it, and is none of these tables."""
    tool: str | None = NOT_STATED
    """Tool that the numbers were identified with; null: none was mounted."""
    kinematics: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    inertials: dict[str, Any] = field(default_factory=dict)
    friction: dict[str, Any] = field(default_factory=dict)
    drives: dict[str, Any] = field(default_factory=dict)
    springs: dict[str, Any] = field(default_factory=dict)
    identified: Identified | None = None


def with_set(
    description: Description, overlays: Sequence[str | Path], parameters: str | Path | None
) -> tuple[Description, str | None]:
    """Return a robot with overlays, and the name of its set of inertials.

    A set may be the path of a file that holds one.

    The file is an overlay, on top of the others, with inertials and what belongs to the same robot:
    friction, rotors, springs.

    Raises:
        FileError: if the file cannot be read.
        TableError: if it is of another robot, breaks the format, names no default set of inertials,
            or holds more than a set.
    """
    if not is_file(parameters):
        return with_overlays(description, overlays), None if parameters is None else str(parameters)
    file = Path(str(parameters)).resolve()
    table = overlay_for(description, file)
    for key in ("kinematics", "limits"):
        if getattr(table, key):
            raise TableError(
                file, key, "is no part of a set of parameters; lay such a file on as an overlay"
            )
    name = table.inertials.get("default")
    if not isinstance(name, str) or name not in (table.inertials.get("sets") or {}):
        raise TableError(
            file,
            "inertials.default",
            f"{name!r} is no set of this file; name the one that is to be used",
        )
    return with_overlays(description, [*overlays, file]), name


def is_file(parameters: str | Path | None) -> bool:
    """Return whether parameters are a file, and not the name of a set."""
    return isinstance(parameters, Path) or (
        isinstance(parameters, str) and parameters.lower().endswith((".yaml", ".yml"))
    )


def overlay_for(description: Description, file: Path) -> Overlay:
    """Read an overlay whose numbers are those of a robot.

    Raises:
        FileError: if it cannot be read.
        TableError: if it breaks the format, or names other robots.
    """
    table = read(file, Overlay)
    named = (table.robot,) if isinstance(table.robot, str) else table.robot
    if named is not None and description.name not in [aliases().get(name, name) for name in named]:
        known = ", ".join(named) or "no robot"
        both = f"where they hold for both, write robot: [{', '.join([*named, description.name])}]"
        raise TableError(
            file,
            "robot",
            f"the numbers are those of {known}, not of {description.name}"
            + ("" if table.of else f"; {both}"),
        )
    if table.of:
        raise TableError(
            file, "of", f"the numbers are those of {table.of.get('file')}, a robot without tables"
        )
    return table


def overlay_warnings(description: Description, file: Path) -> Iterator[str]:
    """Yield the warnings about an overlay, one line each.

    It names no robot, or was not identified well.
    """
    table = overlay_for(description, file)
    if table.robot is None:
        name = description.name
        yield (
            f"{file} does not say whose numbers it holds; where they are those of {name}, add the"
            f" line: robot: {name}"
        )
    yield from identification_warnings(table.identified, file)


def identification_warnings(record: Identified | None, file: Path) -> Iterator[str]:
    """Yield the warnings about a set that was not identified well."""
    if record is not None and record.level in ("poor", "wrong"):
        reasons = "; ".join(record.reasons) or "no reason is given"
        yield f"the set of {file} is {record.level}: {reasons}"


def with_overlays(description: Description, paths: Sequence[str | Path]) -> Description:
    """Return a robot with overlays stacked on its tables, the last one on top.

    Numbers that an overlay does not name stay, with their sources; a set of inertials or friction
    that it names anew starts from the default one. What is merged is checked like any table.

    Raises:
        FileError: if an overlay cannot be read.
        TableError: if it is of another robot, it breaks the format, or the result does.
    """
    if not paths:
        return description
    from .merging import merged  # with the writers of tables, which few need

    files = [Path(path).resolve() for path in paths]
    for file in files:
        overlay_for(description, file)  # checks keys and sources; errors name file and key
    stats = [(file, file.stat()) for file in [*files, *sorted(description.folder.glob("*.yaml"))]]
    state = tuple((str(file), stat.st_mtime_ns, stat.st_size) for file, stat in stats)
    result = merged(description, tuple(files), state)
    if not result.folder.is_dir():  # somebody has cleaned up the folder of temporary files
        merged.cache_clear()
        result = merged(description, tuple(files), state)
    return result
