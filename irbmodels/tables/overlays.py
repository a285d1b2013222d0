"""Own robots: tables written to a folder, and overlays that change numbers with their sources."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ..errors import TableError, UnknownName
from ..files import read_text
from ..model.provenance import Source
from .description import BARS, Description, aliases, mesh_folder
from .reader import Table, read
from .writing import ROWS, Tables, tables_of, write_tables

NOT_STATED = ""  # tool of a file that does not state it

_MEASURED = "measured_to_rad_s"
_OF_BODY = {"mass_kg", "com_mm", "inertia_kg_m2"}


@dataclass(frozen=True)
class Identified:
    """Record of the identification of a set (docs/identify.md).

    No model uses it; what is not trustworthy warns when it is loaded.
    """

    trustworthy: bool
    reasons: tuple[str, ...] = ()
    """Reasons why it is not."""
    sums: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Of parameters, estimated from torques: value and standard deviation [SI].

    Before bodies were made of them.
    """


@dataclass(frozen=True)
class Overlay(Table):
    """An overlay file: parts of tables, in the tables' own keys.

    A row may hold only the numbers that change.
    """

    about: str
    sources: dict[str, Source]
    robot: str | tuple[str, ...] | None = None
    """Variants that the numbers are of; without it any robot is taken, with a warning."""
    tool: str | None = NOT_STATED
    """Tool that the numbers were identified with; null: none was mounted."""
    kinematics: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    inertials: dict[str, Any] = field(default_factory=dict)
    friction: dict[str, Any] = field(default_factory=dict)
    drives: dict[str, Any] = field(default_factory=dict)
    identified: Identified | None = None


def with_set(
    description: Description, overlays: Sequence[str | Path], parameters: str | Path | None
) -> tuple[Description, str | None]:
    """Return a robot with overlays, and the name of its set of inertials.

    A set may be the path of a file that holds one.

    The file is an overlay, on top of the others, with inertials and what belongs to the same robot:
    friction, rotors.

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
            file, "robot", f"the numbers are those of {known}, not of {description.name}; {both}"
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
    if table.identified is not None and not table.identified.trustworthy:
        yield (
            f"{file} is not trustworthy:"
            f" {'; '.join(table.identified.reasons) or 'no reason is given'}"
        )


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
    files = [Path(path).resolve() for path in paths]
    for file in files:
        overlay_for(description, file)  # checks keys and sources; errors name file and key
    stats = [(file, file.stat()) for file in [*files, *sorted(description.folder.glob("*.yaml"))]]
    state = tuple((str(file), stat.st_mtime_ns, stat.st_size) for file, stat in stats)
    merged = _merged(description, tuple(files), state)
    if not merged.folder.is_dir():  # somebody has cleaned up the folder of temporary files
        _merged.cache_clear()
        merged = _merged(description, tuple(files), state)
    return merged


@lru_cache(maxsize=64)
def _merged(
    description: Description, files: tuple[Path, ...], state: tuple[tuple[str, int, int], ...]
) -> Description:
    del state  # part of the key only
    tables = tables_of(description)
    stems = [file.stem for file in files]
    names = [
        stem if stems.count(stem) == 1 else f"{stem}_{number}"
        for number, stem in enumerate(stems, start=1)
    ]
    for file, name in zip(files, names, strict=True):
        _apply(tables, yaml.safe_load(read_text(file)), file, f"{name}.")
    kept = tempfile.mkdtemp(prefix="irbmodels-")
    atexit.register(_remove, kept, os.getpid())
    folder = Path(kept) / description.family
    write_tables(folder, tables, "Merged from tables and overlays.")
    (folder / "meshes").symlink_to(mesh_folder(description.folder))
    merged = Description(description.name, folder, (*description.overlays, *names))
    try:
        _ = merged.kinematics, merged.limits, merged.inertials, merged.friction, merged.drives
    except TableError as err:  # the reader named the merged file, which no user has written
        raise TableError(
            " + ".join(map(str, files)), f"{err.file.stem}.{err.key}", err.problem
        ) from None
    return merged


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # a forked child ends without taking its parent's tables along
        shutil.rmtree(folder, ignore_errors=True)


def _apply(tables: Tables, overlay: dict[str, Any], file: Path, prefix: str) -> None:
    for key, path in ROWS.items():
        part = overlay.get(key)
        if not part:
            continue
        table = tables[key]
        table["sources"] |= {prefix + name: source for name, source in overlay["sources"].items()}
        for name in part:
            if name not in ("default", "tool0", "parallelogram", "ratings", "handling", path[0]):
                known = sorted({path[0], "default" if "*" in path else path[0]})
                raise TableError(file, f"{key}.{name}", str(UnknownName("key", name, known)))
        for single in ("tool0", "parallelogram", "ratings", "handling"):
            if single in part:
                table[single] = _changed(
                    table.get(single, {}), part[single], prefix, file, f"{key}.{single}"
                )
        if "*" in path:
            start = _fresh(table)
            table |= {"default": part["default"]} if "default" in part else {}
            for name, entry in _mapping(part.get("sets", {}), file, f"{key}.sets").items():
                _mapping(entry, file, f"{key}.sets.{name}")
                alone = key == "inertials" and _stands_alone(entry, start)
                base = table["sets"].get(name) or (
                    {} if alone else yaml.safe_load(yaml.safe_dump(start))
                )
                for group in (path[2], "rotors"):
                    if group in entry:
                        at, rows = f"{key}.sets.{name}.{group}", base.setdefault(group, {})
                        for row, values in _mapping(entry[group], file, at).items():
                            rows[row] = _changed(
                                rows.get(row, {}), values, prefix, file, f"{at}.{row}"
                            )
                kept = set(base.get(path[2], {})) - set(entry.get(path[2], {}))
                rest = {
                    other: value
                    for other, value in entry.items()
                    if other not in (path[2], "rotors")
                }
                if bounds := [
                    part[_MEASURED] for part in (base, rest) if part.get(_MEASURED) and kept
                ]:
                    rest[_MEASURED] = min(bounds)  # some axes keep what was measured before
                # what stands for a set is another's once its bodies have changed
                base.pop("serial", None)
                table["sets"][name] = base | rest
                table.setdefault("default", name)
        else:
            for row, values in _mapping(part.get(path[0], {}), file, f"{key}.{path[0]}").items():
                rows = table[path[0]]
                rows[row] = _changed(
                    rows.get(row, {}), values, prefix, file, f"{key}.{path[0]}.{row}"
                )


def _mapping(value: object, file: Path, key: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TableError(file, key, f"{value!r} should be a mapping")
    return value


def _fresh(table: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the default set, to be changed under a new name.

    An empty one where there is none.
    """
    default = table["sets"].get(table.get("default"), {})
    return {name: value for name, value in default.items() if name not in ("impossible", "serial")}


def _stands_alone(entry: Mapping[str, Any], start: Mapping[str, Any]) -> bool:
    """Return whether a set of inertials has all numbers of every link but bars.

    It then starts from no other, which may have bars.
    """
    links = entry.get("links", {})
    rows = (
        {link: row for link, row in links.items() if isinstance(row, Mapping)}
        if isinstance(links, Mapping)
        else {}
    )
    return all(
        set(rows.get(link, ())) >= _OF_BODY for link in start.get("links", {}) if link not in BARS
    )


def _changed(
    row: dict[str, Any], values: object, prefix: str, file: Path, key: str
) -> dict[str, Any]:
    """Return a row with some of its numbers replaced, each number with its own source."""
    values = _mapping(values, file, key)
    if "source" not in values:
        raise TableError(file, key, "the row names no source")
    numbers = {name: value for name, value in values.items() if name != "source"}
    named = (
        values["source"]
        if isinstance(values["source"], Mapping)
        else dict.fromkeys(_sourced(numbers), values["source"])
    )
    before = row.get("source", {})
    kept = before if isinstance(before, Mapping) else dict.fromkeys(_sourced(row), before)
    sources = {name: source for name, source in kept.items() if name not in numbers}
    sources |= {name: prefix + str(source) for name, source in named.items()}
    return {
        **{name: value for name, value in row.items() if name != "source"},
        **numbers,
        "source": sources,
    }


def _sourced(row: Mapping[str, Any]) -> list[str]:
    """Return the fields of a row that hold numbers, as tables.py counts them."""
    return [name for name, value in row.items() if name != "source" and not isinstance(value, str)]
