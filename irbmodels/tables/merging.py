"""Tables with overlays merged into them, kept in a folder of temporary files."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ..errors import TableError, UnknownName
from ..files import read_text
from ..model.friction import FURTHER
from .description import BARS, LEVEL_BARS, Description, mesh_folder
from .friction_rows import FIELDS
from .writing import ROWS, Tables, tables_of, write_tables

_MEASURED = "measured_to_rad_s"
_TEMPERATURE = "reference_temperature_degC"
_OF_BODY = {"mass_kg", "com_mm", "inertia_kg_m2"}


@lru_cache(maxsize=64)
def merged(
    description: Description, files: tuple[Path, ...], state: tuple[tuple[str, int, int], ...]
) -> Description:
    """Return a robot whose tables are those of a description with overlays merged into them.

    Args:
        description: The robot.
        files: Overlays, the last one on top, each checked.
        state: Stamps of overlays and tables, by which the result is cached.

    Raises:
        TableError: if what is merged breaks the format.
    """
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
    meshes = mesh_folder(description.folder)
    try:
        (folder / "meshes").symlink_to(meshes)
    except OSError:  # Windows lets few users make links; the shipped meshes are found without one
        if meshes.parent == description.folder:
            shutil.copytree(meshes, folder / "meshes")
    result = Description(description.name, folder, (*description.overlays, *names))
    try:
        _ = result.kinematics, result.limits, result.inertials, result.friction, result.drives
        _ = result.springs
    except TableError as err:  # the reader named the merged file, which no user has written
        raise TableError(
            " + ".join(map(str, files)), f"{err.file.stem}.{err.key}", err.problem
        ) from None
    return result


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
                            before = rows.get(row, {})
                            if key == "friction":
                                before = _without_terms(before, values)
                            rows[row] = _changed(before, values, prefix, file, f"{at}.{row}")
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
                _keep_temperature(base, rest, kept, file, f"{key}.sets.{name}")
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


def _without_terms(row: dict[str, Any], values: object) -> dict[str, Any]:
    """Return a row of friction as an overlay changes it: Fs, Fc and Fv are a law of their own.

    Terms beside them were fitted together with other numbers, and do not stay.
    """
    if not isinstance(values, Mapping) or not any(
        set(values) >= {FIELDS[name][linear] for name in ("Fs", "Fc", "Fv")} for linear in (0, 1)
    ):
        return row
    gone = {field for name in FURTHER for field in FIELDS[name]}
    kept = {name: value for name, value in row.items() if name not in gone}
    if isinstance(source := kept.get("source"), Mapping):
        kept["source"] = {name: ref for name, ref in source.items() if name not in gone}
    return kept


def _keep_temperature(
    base: Mapping[str, Any], rest: Mapping[str, Any], kept: set[str], file: Path, key: str
) -> None:
    """Refuse another reference temperature for axes that keep numbers of the one before.

    Raises:
        TableError: if one of them depends on it.
    """
    before, after = (part.get(_TEMPERATURE) for part in (base, rest))
    warm = sorted(axis for axis in kept if base.get("axes", {}).get(axis, {}).get("Fv_per_K"))
    if warm and after is not None and after != before:
        raise TableError(
            file,
            f"{key}.{_TEMPERATURE}",
            f"{after:g} is not the {before:g} that Fv_per_K of {warm[0]} holds at, which stays",
        )


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
        set(rows.get(link, ())) >= _OF_BODY
        for link in start.get("links", {})
        if link not in (*BARS, *LEVEL_BARS)
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
