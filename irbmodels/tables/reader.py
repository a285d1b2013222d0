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
from stat import S_ISREG
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import yaml

from ..errors import FileError, TableError, UnknownName, short_repr
from ..files import read_text
from ..model.provenance import Source

T = TypeVar("T")

LARGEST = 2_000_000  # bytes of a file; those of the shipped robots have 30 000 at most
MOST_NODES = 200_000  # of its entries where aliases are written out, which grow exponentially
DEEPEST = 50  # levels of lists and mappings in each other; the robots' have 8, and PyYAML recurses
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

    @property
    def cited(self) -> tuple[str, ...]:
        """Names of its sources."""
        return (self.source,) if isinstance(self.source, str) else tuple(self.source.values())

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
                problem = f"key on line {key_node.start_mark.line + 1} reads as {key!r}; quote it"
                if type(key) in (int, float):
                    problem += ", or write decimals with a point"
                raise TableError(self.file, key_node.value, problem)
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
    except (OSError, ValueError) as err:  # ValueError: a name that no file can have
        raise FileError(f"{path}: {getattr(err, 'strerror', None) or err}") from err
    if not S_ISREG(stat.st_mode):
        raise FileError(f"{path}: is a folder, a device or a pipe, not a file")
    return cast(T, _read(path, cast(Hashable, shape), (stat.st_mtime_ns, stat.st_size)))


@lru_cache(maxsize=256)
def _read(path: Path, shape: Any, stamp: tuple[int, int]) -> object:
    if stamp[1] > LARGEST:
        raise TableError(path, "", f"has {stamp[1]} bytes; a table has at most {LARGEST}")
    loader = None
    text = read_text(path)
    try:
        _check_extent(text, path)
        loader = _StrictLoader(text)
        loader.file = path
        node = loader.get_single_node()
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


def _check_extent(text: str, path: Path) -> None:
    """Check the depth of a text and its entries, aliases written out, before nodes are made.

    Raises:
        TableError: if there is too much of it.
    """
    anchored: dict[str, int] = {}
    entries, anchors = [0], [""]  # of every collection that surrounds the place
    for event in yaml.parse(text, Loader=_StrictLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            if len(entries) > DEEPEST:
                raise TableError(path, "", f"nests deeper than {DEEPEST} levels")
            entries.append(1)
            anchors.append(event.anchor or "")
            continue
        if isinstance(event, yaml.AliasEvent):
            many, anchor = anchored.get(event.anchor or "", 1), ""
        elif isinstance(event, yaml.ScalarEvent):
            many, anchor = 1, event.anchor or ""
        elif isinstance(event, yaml.CollectionEndEvent):
            many, anchor = entries.pop(), anchors.pop()
        else:
            continue
        anchored |= {anchor: many} if anchor else {}
        entries[-1] += many
        if entries[-1] > MOST_NODES:
            raise TableError(path, "", f"its aliases stand for more than {MOST_NODES} entries")


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
        raise TableError(file, "schema", f"{short_repr(stated)} is not the number {SCHEMA}")


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
            problem = f"{short_repr(value)} is not one of {', '.join(map(str, arguments))}"
            raise TableError(file, key, problem)
        return value
    if origin is dict:
        _need(isinstance(value, Mapping), value, "a mapping", file, key)
        return {
            name: _convert(item, arguments[1], file, f"{key}.{name}".lstrip("."))
            for name, item in value.items()
        }
    if origin is tuple:
        long = arguments[-1] is Ellipsis
        entries = "texts" if arguments[0] is str else "numbers"
        wanted = f"a list of {'' if long else f'{len(arguments)} '}{entries}"
        fits = isinstance(value, list) and (long or len(value) == len(arguments))
        _need(fits, value, wanted, file, key)
        return tuple(_convert(item, arguments[0], file, key) for item in value)
    if shape is float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            problem = f"{short_repr(value)} is not a finite number{_hint(value)}"
            raise TableError(file, key, problem)
        return float(value)
    _need(isinstance(value, shape), value, "a text" if shape is str else "an integer", file, key)
    return value


def _need(fits: bool, value: Any, wanted: str, file: Path, key: str) -> None:
    if not fits:
        shown = "nothing" if value is None else short_repr(value)
        hint = "; quote it" if wanted == "a text" and not isinstance(value, list | dict) else ""
        raise TableError(
            file, key, f"{shown} should be {wanted}{hint if value is not None else ''}"
        )


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the largest float
        return False


def _hint(value: Any) -> str:
    """Return what a text that stands for a number should have been."""
    if not isinstance(value, str):
        return ""
    if re.fullmatch(r"[-+]?[\d.]+[eE][-+]?\d+", value):
        return " (YAML 1.1 wants 1.0e-6, not 1e-6)"
    if re.fullmatch(r"[-+]?\d+(\.\d*)?", value):
        return "; numbers have no quotes"
    if re.match(r"[-+]?\d+(\.\d*)?\s*[a-zA-Z\u00b0%/]", value):
        return "; its unit is the end of the key, and stands nowhere else"
    return ""


def _fits(value: Any, shape: Any) -> bool:
    origin = get_origin(shape)
    of_mapping, of_list = origin is dict or is_dataclass(shape), origin is tuple
    return isinstance(value, Mapping) == of_mapping and isinstance(value, list) == of_list


def _convert_dataclass(value: Any, shape: type, file: Path, key: str) -> Any:
    _need(isinstance(value, Mapping), value, "a mapping", file, key)
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
        check_known("source", item.cited, sources, file, f"{key}.source")
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
