"""Strict reading of YAML tables: repeated or unknown keys, wrong types, unsourced rows are errors.

A table becomes the frozen dataclass that describes it. The unit of a number is the suffix of its
key (``a_mm``, ``range_deg``, ``mass_kg``), so a key without its unit is an unknown key.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import yaml

from ..errors import FileError, TableError, UnknownName
from ..files import read_text
from ..model.provenance import Source

T = TypeVar("T")

LARGEST = 2_000_000  # bytes of a file; those of the shipped robots have 30 000 at most
MOST_NODES = 200_000  # of its entries where aliases are written out, which grow exponentially
SCHEMA = 1
"""Layout of the files that this version writes and reads."""


@dataclass(frozen=True)
class Table:
    """A whole file."""

    schema: int = field(default=SCHEMA, kw_only=True)


@dataclass(frozen=True, kw_only=True)
class Row:
    """Numbers with their source: one name for all of them, or one name per field."""

    source: str | dict[str, str]

    def source_of(self, name: str) -> str:
        """Return the name of the source of the field ``name``."""
        return self.source if isinstance(self.source, str) else self.source[name]


class _StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Refuses what YAML 1.1 lets pass: repeated keys, ``off:`` as a key, ``1e-6`` read as text."""

    file: Path

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build a mapping whose keys are distinct texts."""
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise TableError(
                    self.file,
                    key_node.value,
                    f"key on line {key_node.start_mark.line + 1} reads as {key!r}; quote it",
                )
            if key in seen:
                raise TableError(
                    self.file, key, f"key is repeated on line {key_node.start_mark.line + 1}"
                )
            seen.add(key)
        result: dict[Hashable, Any] = super().construct_mapping(node, deep=deep)
        return result


def _plain_number(loader: _StrictLoader, node: yaml.ScalarNode) -> int | float:
    """Read a plain decimal number: YAML 1.1 would take 010 for 8, 1:30 for 90 and 0x10 for 16."""
    text = str(node.value)
    if text.lower().lstrip("+-") in (".inf", ".nan"):
        return float(text.replace(".", ""))  # refused below, where the key is known
    try:
        if not re.fullmatch(r"[-+]?(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][-+]?[0-9]+)?", text):
            raise ValueError
        return int(text) if re.fullmatch(r"[-+]?[0-9]+", text) else float(text)
    except ValueError:
        where = f"line {node.start_mark.line + 1}"
        raise TableError(
            loader.file, where, f"{text!r} is not a plain decimal number (quote it if it is text)"
        ) from None


for _tag in ("int", "float"):
    _StrictLoader.add_constructor(f"tag:yaml.org,2002:{_tag}", _plain_number)


def read(path: Path, shape: type[T]) -> T:
    """Read the YAML table ``path`` as the dataclass ``shape``.

    Raises:
        FileError: if the file cannot be read.
        TableError: if it breaks the format; names file, key and value.
    """
    try:
        stat = path.stat()
    except OSError as err:
        raise FileError(f"{path}: {err.strerror or err}") from err
    return cast(T, _read(path, cast(Hashable, shape), (stat.st_mtime_ns, stat.st_size)))


@lru_cache(maxsize=256)
def _read(path: Path, shape: Any, stamp: tuple[int, int]) -> object:
    if stamp[1] > LARGEST:
        raise TableError(path, "", f"has {stamp[1]} bytes; a table has at most {LARGEST}")
    loader = None
    try:
        loader = _StrictLoader(read_text(path))
        loader.file = path
        node = loader.get_single_node()
        if node is not None and _size(node, {}) > MOST_NODES:
            raise TableError(path, "", f"its aliases stand for more than {MOST_NODES} entries")
        data = None if node is None else loader.construct_document(node)
    except yaml.YAMLError as err:
        raise TableError(path, "", _syntax(err)) from err
    finally:
        if loader is not None:
            loader.dispose()
    if data is None:
        raise TableError(path, "", "the file is empty")
    table = _convert(data, shape, path, "")
    _check_sources(table, getattr(table, "sources", {}), path, "")
    return table


def _size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Return the number of entries below a node, aliases written out."""
    if id(node) not in sizes:
        sizes[id(node)] = 1  # of an alias to what surrounds it
        children = [
            child
            for item in (node.value if isinstance(node, yaml.CollectionNode) else ())
            for child in (item if isinstance(item, tuple) else (item,))
        ]
        sizes[id(node)] += sum(_size(child, sizes) for child in children)
    return sizes[id(node)]


def check_schema(content: Mapping[str, object], file: Path) -> None:
    """Check that a file has the layout that this version reads; one that states none has it.

    Raises:
        TableError: if it states another one.
    """
    stated = content.get("schema", SCHEMA)
    if type(stated) is int and stated > SCHEMA:
        raise TableError(
            file,
            "",
            f"was written for schema {stated}; this irbmodels reads {SCHEMA}: update irbmodels",
        )
    if type(stated) is not int or stated != SCHEMA:
        raise TableError(file, "schema", f"{stated!r} is not {SCHEMA}")


def check_known(
    kind: str, names: Iterable[str], known: Collection[str], file: Path, key: str
) -> None:
    """Check that every name of a kind is one of the known ones.

    Raises:
        TableError: with the first that is not, and the nearest known one.
    """
    for name in names:
        if name not in known:
            raise TableError(file, key, str(UnknownName(kind, name, known)))


def _syntax(err: yaml.YAMLError) -> str:
    """Return the syntax error and its position in one line."""
    text = " ".join(str(err).replace(' in "<unicode string>",', " at").split())
    return text.replace("found character that", "found a tab or another character that")


@cache
def _hints(shape: type) -> dict[str, Any]:
    return get_type_hints(shape)


def _convert(value: Any, shape: Any, file: Path, key: str) -> Any:
    """Return ``value`` as ``shape``.

    That is a dataclass, number, text, choice, tuple, mapping or an optional one of them.
    """
    origin, arguments = get_origin(shape), get_args(shape)
    if shape is Any:
        return value
    if is_dataclass(shape):
        return _convert_dataclass(value, shape, file, key)  # type: ignore[arg-type]
    if origin in (Union, types.UnionType):
        options = [option for option in arguments if option is not type(None)]
        if value is None and len(options) < len(arguments):
            return None
        return _convert(value, next((o for o in options if _fits(value, o)), options[0]), file, key)
    if origin is Literal:
        if value not in arguments:
            raise TableError(file, key, f"{value!r} is not one of {', '.join(map(str, arguments))}")
        return value
    if origin is dict:
        if not isinstance(value, Mapping):
            raise TableError(file, key, f"{value!r} should be a mapping")
        return {
            name: _convert(item, arguments[1], file, f"{key}.{name}".lstrip("."))
            for name, item in value.items()
        }
    if origin is tuple:
        if not isinstance(value, list) or (
            arguments[-1] is not Ellipsis and len(value) != len(arguments)
        ):
            long = arguments[-1] is Ellipsis
            many = "" if long else f"{len(arguments)} "
            entries = "texts" if arguments[0] is str else "numbers"
            raise TableError(file, key, f"{value!r} should be a list of {many}{entries}")
        return tuple(_convert(item, arguments[0], file, key) for item in value)
    if shape is float:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            hint = (
                " (YAML 1.1 wants 1.0e-6, not 1e-6)"
                if isinstance(value, str) and "e" in value.lower()
                else ""
            )
            raise TableError(file, key, f"{value!r} is not a finite number{hint}")
        return float(value)
    if not isinstance(value, shape):
        raise TableError(file, key, f"{value!r} should be a {shape.__name__}")
    return value


def _fits(value: Any, shape: Any) -> bool:
    origin = get_origin(shape)
    of_mapping, of_list = origin is dict or is_dataclass(shape), origin is tuple
    return isinstance(value, Mapping) == of_mapping and isinstance(value, list) == of_list


def _convert_dataclass(value: Any, shape: type, file: Path, key: str) -> Any:
    if not isinstance(value, Mapping):
        raise TableError(file, key, f"{value!r} should be a mapping")
    known, hints = {f.name: f for f in fields(shape)}, _hints(shape)
    if issubclass(shape, Table):
        check_schema(value, file)
    check_known("key", value, known, file, key)
    for name, f in known.items():
        if name not in value and f.default is MISSING and f.default_factory is MISSING:
            reason = "the row names no source" if name == "source" else f"key {name!r} is missing"
            raise TableError(file, key, reason)
    return shape(
        **{
            name: _convert(item, hints[name], file, f"{key}.{name}".lstrip("."))
            for name, item in value.items()
        }
    )


def _check_sources(item: Any, sources: Mapping[str, Source], file: Path, key: str) -> None:
    """Check that every row below ``item`` names a source of this table for each of its numbers."""
    if isinstance(item, Row):
        numbers = {
            f.name: f.default
            for f in fields(item)
            if f.name != "source" and _has_number(getattr(item, f.name))
        }
        named = dict.fromkeys(numbers, item.source) if isinstance(item.source, str) else item.source
        for name, default in numbers.items():
            if name not in named and getattr(item, name) != default:
                raise TableError(file, f"{key}.source", f"{name!r} has no source")
        # that of a row of texts too
        cited = [item.source] if isinstance(item.source, str) else item.source.values()
        check_known("source", cited, sources, file, f"{key}.source")
        for name in named:
            if name not in numbers:
                raise TableError(
                    file,
                    f"{key}.source",
                    f"{name!r} has a source and no number (numbers: {', '.join(numbers)})",
                )
    entries: Mapping[str, Any] = item if isinstance(item, Mapping) else {}
    if is_dataclass(item):
        entries = {f.name: getattr(item, f.name) for f in fields(item)}
    for name, entry in entries.items():
        _check_sources(entry, sources, file, f"{key}.{name}".lstrip("."))


def _has_number(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(item, float) for item in value.values())
    if is_dataclass(value) or isinstance(value, str) or value is None:
        return is_dataclass(value) and not isinstance(value, Row)
    return True
