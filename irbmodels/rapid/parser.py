"""Reading RAPID: a module, a file, or the text of one value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

from ..errors import InputError, RapidError, short_repr
from ..files import read_bytes
from .expressions import ExpressionEvaluator, Unknown
from .grammar import RESERVED, parse, subtrees, tokens
from .literals import parse_literal
from .module import Declaration, Module, checked_module
from .records import Value
from .text import refusing_depth
from .value_builder import Builder, Expression
from .values import RECORDS

V = TypeVar("V", bound=Value)

_ATTRIBUTES = ("sysmodule", "noview", "nostepin", "viewonly", "readonly")
_LARGEST = 10_000_000
"""Characters of a module, and bytes of its file: a hundred thousand targets.

Reading takes about 4 s and 150 MB for each million characters of declarations (measured).
"""
_MOST_MODULES = 100
"""Of a file: each is read with blanks in the place of the others."""
_END = re.compile(r"^[ \t]*ENDMODULE\b", re.IGNORECASE | re.MULTILINE)
_NEXT = re.compile(r"\s*(?:![^\n]*\n\s*)*MODULE\b", re.IGNORECASE)
_VISIBLE = re.compile(r"[^\r\n]")
_LONGEST_SIZE = 200  # characters of the size of an array
_ROUTINE_NAME = re.compile(r"(?:PROC|TRAP|FUNC\s+\w+)\s+(\w+)", re.IGNORECASE)


@refusing_depth
def read(text: str, file: str = "", uses: Sequence[Module] = ()) -> Module:
    """Read the text of a RAPID module.

    Routines, comments and layout are kept word for word. Nothing is guessed: what breaks the
    language, or does not fit its type, is refused. An initial value that has to be computed becomes
    an :class:`Expression`.

    Args:
        text: The module, from MODULE (or a ``%%%`` header) to ENDMODULE.
        file: What an error calls it.
        uses: Modules whose records and constants this one uses.

    Raises:
        RapidError: with line, column, reason, and what would be right.
        MissingExtra: without lark.

    Example:
        >>> from irbmodels import rapid
        >>> module = rapid.read("MODULE Part CONST num nSpeed:=250; ENDMODULE")
        >>> rapid.values_of(module, "num")
        {'nSpeed': 250.0}
    """
    if not isinstance(text, str):
        raise InputError(f"the text of a module is a str, not {text!r}; read_file reads a file")
    _refuse_large(len(text), "characters", file)
    builder, head, items = parse_module(text, file, uses)
    attributes = [word for part in head[1:] for word in part.children]
    declarations = tuple(
        declaration_of(builder, item) for item in items if item.data == "declaration"
    )
    return Module(
        str(head[0]),
        tuple(map(str, attributes)),
        declarations,
        builder.records,
        builder.aliases,
        text,
        int(getattr(head[-1], "meta", head[-1]).end_pos),
        file,
        uses=tuple(uses),
        notes=tuple(builder.notes),
    )


def read_file(path: str | Path, uses: Sequence[Module] = (), part: int = 0) -> Module:
    """Read a RAPID module from a file, in UTF-8, or else in ISO 8859-1 as older controllers write.

    Args:
        path: The file.
        uses: Modules whose records and constants this one uses.
        part: Which one, from 0, of a file of several modules, as programs of S4 (``.prg``) are. Its
            text has blanks in the place of the others, so that lines are those of the file.

    Raises:
        FileError: if the file cannot be read.
        RapidError: as :func:`read`.
        MissingExtra: without lark.
    """
    text, encoding = _text_of(path)
    spans = _module_spans(text)
    if len(spans) > 1:
        start, end = spans[part]
        before, after = (_VISIBLE.sub(" ", other) for other in (text[:start], text[end:]))
        text = before + text[start:end] + after
    return replace(read(text, str(path), uses), encoding=encoding)


def modules_in(path: str | Path) -> int:
    """Number of modules in the text of a file, at least 1.

    Raises:
        FileError: if the file cannot be read.
        RapidError: if it is too large, or has too many.
    """
    count = len(_module_spans(_text_of(path)[0]))
    if count > _MOST_MODULES:
        reason = f"it has {count} modules, at most {_MOST_MODULES} are read: split the file"
        raise RapidError(1, 1, reason, str(path))
    return count


def _text_of(path: str | Path) -> tuple[str, str]:
    """Return the text of a file, and its encoding."""
    size = 0
    with suppress(OSError, ValueError, TypeError):  # read_bytes says what is wrong
        size = Path(path).stat().st_size
    _refuse_large(size, "bytes", str(path))
    data = read_bytes(path)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _module_spans(text: str) -> list[tuple[int, int]]:
    """Return where each module of a text begins and ends; what follows none belongs to the last."""
    ends = [match.end() for match in _END.finditer(text) if _NEXT.match(text, match.end())]
    return list(zip([0, *ends], [*ends, len(text)], strict=True))


def _refuse_large(count: int, unit: str, file: str) -> None:
    if count > _LARGEST:
        reason = f"it has {count} {unit}, at most {_LARGEST} are read: split the module"
        raise RapidError(1, 1, reason, file)


def write(module: Module) -> str:
    """Return the text of a module, as it was read but for changes by ``with_...``.

    Raises:
        InputError: if ``module`` is none.
    """
    return checked_module(module).text


@refusing_depth
def read_value(text: str, kind: type[V]) -> V:
    """Read a value, ``[[0,0,0],[1,0,0,0]]``, or a declaration, ``PERS pose p:=[[0,0,0],...];``.

    Args:
        text: The value; nothing but comments may stand around it.
        kind: Its type: :class:`RobTarget`, :class:`ToolData`, or another record type of ABB's.

    Raises:
        RapidError: if the text is no value of this type; with line, column and reason.
        InputError: if ``text`` is no text or ``kind`` no record type.
        MissingExtra: for a declaration without lark.

    Example:
        >>> from irbmodels import rapid
        >>> text = "[[600,500,225.3],[1,0,0,0],[1,1,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]"
        >>> rapid.read_value(text, rapid.RobTarget).trans
        <pos [600,500,225.3]>
    """
    if not any(kind is one for one in RECORDS.values()):
        raise InputError(
            f"a value is read as a record type such as rapid.RobTarget, not {short_repr(kind)}"
        )
    name = kind.rapid
    if not isinstance(text, str):
        raise InputError(f"the text of a {name} is a str, not {short_repr(text)}")
    builder, node = Builder(text), _value_node(text)
    if getattr(node, "data", "") == "declaration":
        declaration = declaration_of(builder, node)
        if declaration.type.lower() != name or declaration.size or declaration.value is None:
            raise builder.fail(node, f"{declaration.name} is no single {name} with a value")
        value = declaration.value
    else:
        value = builder.value(name, (), node, name)
    if isinstance(value, Expression):
        raise builder.fail(
            node, f"{value.text!r} has to be computed; a {name} of numbers is wanted"
        )
    return cast(V, value)


def _value_node(text: str) -> Any:
    """Return the node of a value or declaration; all but literals need lark."""
    try:
        return parse_literal(text)
    except RapidError:
        if find_spec("lark") is None and ":=" not in text:
            raise
        return parse(text, "text").children[0]  # its errors are clearer


def parse_module(
    text: str, file: str, uses: Sequence[Module]
) -> tuple[Builder, list[Any], list[Any]]:
    """Return the builder of a module's values, nodes of its name and attributes, and of its items.

    Raises:
        RapidError: if the text breaks the grammar, or a name or type is wrong.
    """
    tree = parse(text, "module", file)
    builder = Builder(text, file)
    for module in uses:
        builder.records.update(module.records)
        builder.aliases.update(module.aliases)
        builder.constants.update(
            {datum.name.lower(): datum.value for datum in module if _is_shared(datum)}
        )
    head = [*tokens(tree, "NAME"), *subtrees(tree, "attributes")]
    for word in (word for part in head[1:] for word in part.children):
        if word.lower() not in _ATTRIBUTES:
            raise builder.fail(
                word,
                f"{word!s} is no attribute of a module; those are {', '.join(_ATTRIBUTES).upper()}",
            )
    items = subtrees(tree, "declaration", "record", "alias", "routine")
    _add_names(builder, head[0], items)
    return builder, head, items


def _add_names(builder: Builder, module: Any, items: Sequence[Any]) -> None:
    """Add the module's types and constants, and refuse reserved or repeated names."""
    lines: dict[str, int] = {}
    _refuse_reserved(builder, str(module), module)
    for item in items:
        names = tokens(item, "NAME")
        if item.data == "routine":
            node = item.children[-1]
            match = _ROUTINE_NAME.match(node)
            if match is None:
                raise builder.fail(node, f"{node.split()[0]} has no name")
            name = match[1]
        else:
            node = names[0] if item.data == "record" else names[1]
            name = str(node)
        _refuse_reserved(builder, name, node)
        key = name.lower()
        if key in lines:
            raise builder.fail(node, f"{name} is declared twice, first on line {lines[key]}")
        lines[key] = node.line
        if item.data == "record":
            fields = zip(names[1::2], names[2::2], strict=True)
            builder.records[key] = tuple((kind.lower(), str(field)) for kind, field in fields)
        elif item.data == "alias":
            builder.aliases[key] = names[0].lower()
        elif item.data == "declaration" and _storage(item) == "CONST":
            builder.constants[key] = item.children[-1]
    _refuse_circles(builder, [item for item in items if item.data == "record"])
    for item in items:  # types may be declared after they are used
        types = {"alias": slice(1), "record": slice(1, None, 2)}.get(item.data, slice(0))
        for kind in tokens(item, "NAME")[types]:
            builder.kind(kind)


def _refuse_circles(builder: Builder, records: Sequence[Any]) -> None:
    """Refuse a record that has itself as a component, or as one of a component."""
    nodes = {str(tokens(record, "NAME")[0]).lower(): record for record in records}
    parts = {name: [builder.resolve(kind) for kind, _ in builder.records[name]] for name in nodes}
    try:
        TopologicalSorter(parts).prepare()
    except CycleError as err:
        name = err.args[1][0]
        raise builder.fail(nodes[name], f"RECORD {name} has a component of its own type") from None


def _is_shared(datum: Declaration) -> bool:
    return datum.storage == "CONST" and datum.scope != "LOCAL"


def _refuse_reserved(builder: Builder, name: str, node: Any) -> None:
    if name.lower() in RESERVED:
        raise builder.fail(node, f"{name} is a word of RAPID and cannot be a name")


def _storage(item: Any) -> str:
    return str(tokens(item, "STORAGE")[0]).upper()


class _Constants:
    """Constants while a module is read, for the sizes of its arrays."""

    absent: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.pending: set[str] = set()

    def number(self, node: Any) -> float | None:
        """Return the value of an expression of constants; None if it cannot be computed."""
        if len(self.builder.source(node)) >= _LONGEST_SIZE:
            return None
        try:
            return ExpressionEvaluator(self, self.builder).number(node)
        except (Unknown, RapidError):
            return None

    def call(self, evaluator: ExpressionEvaluator, node: Any) -> tuple[str, Any]:
        """Refuse a call: a declaration holds none."""
        raise Unknown(f"{node.children[0]!s}() is not evaluated")

    def datum(self, name: Any) -> tuple[str, Any]:
        """Return type and value of a constant, but of no expression of another module."""
        node = self.builder.constants.get(name.lower())
        if node is None or isinstance(node, Expression) or name.lower() in self.pending:
            raise Unknown(f"{name} is no constant that is known here")
        self.pending.add(name.lower())
        try:
            if not isinstance(node, float):  # each is computed once
                node = ExpressionEvaluator(self, self.builder).number(node)
                self.builder.constants[name.lower()] = node
            return "num", node
        finally:
            self.pending.discard(name.lower())


def declaration_of(builder: Builder, item: Any) -> Declaration:
    """Return a declaration with its value checked."""
    kind, name = tokens(item, "NAME")
    typed, storage = builder.kind(kind), _storage(item)
    scope = "".join(tokens(item, "LOCAL", "TASK")).upper()
    if scope == "TASK" and storage == "CONST":
        raise builder.fail(item, "TASK goes with VAR and PERS, not with CONST")
    size: tuple[int, ...] = ()
    for part in subtrees(item, "size"):
        size = builder.size(part, _Constants(builder).number)
    value = None
    if tokens(item, "ASSIGN"):
        value = builder.value(typed, size, item.children[-1], str(name))
    elif storage == "CONST":
        raise builder.fail(item, f"{name!s} is a CONST without a value; it needs :=")
    span = item.meta.start_pos, item.meta.end_pos
    return Declaration(storage, str(kind), str(name), value, size, scope, item.meta.line, span)
