"""Modules with other values or more declarations; the rest of the text stays to the character."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..checks import as_instance
from ..errors import InputError, short_repr
from .module import Declaration, Module, checked_module
from .parser import read
from .values import RECORDS

_COMMENTS = re.compile(r'"(?>[^"\n]|"")*+"|(![^\r\n]*)')


def with_values(module: Module, values: Mapping[str, Any]) -> Module:
    """Return the module with other values, whose declarations are written in ABB's layout.

    The rest stays to the character.

    A comment inside a declaration that changes is put before it.

    Raises:
        UnknownName: if a name is not declared.
        InputError: if a value has another type.
    """
    text = checked_module(module).text
    as_instance(values, Mapping, "values are a mapping from names to values")
    changed = [(module.declaration(name), value) for name, value in values.items()]
    for old, value in sorted(changed, key=lambda pair: pair[0].span, reverse=True):
        new = Declaration(
            old.storage, old.type, old.name, _checked(old, value), old.size, old.scope
        )
        start, end = old.span
        # blanks, or what stands on the same line
        before = text[text.rfind("\n", 0, start) + 1 : start]
        indent = before[: len(before) - len(before.lstrip())]
        lost = [
            comment + _newline(module) + indent
            for comment in _COMMENTS.findall(text[start:end])
            if comment
        ]
        text = f"{text[:start]}{''.join(lost)}{new}{text[end:]}"
    return _read_again(module, text)


def with_declarations(module: Module, *added: Declaration) -> Module:
    """Return the module with more declarations, after the last one, or else at the top.

    Raises:
        RapidError: if a name exists already or is none.
        InputError: if a value has another type.
    """
    text, place = (
        checked_module(module).text,
        module.declarations[-1].span[1] if module.declarations else module.head,
    )
    line = (
        text[text.rfind("\n", 0, module.declarations[-1].span[0]) + 1 :]
        if module.declarations
        else "    "
    )
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    for declaration in added:
        as_instance(declaration, Declaration, "a declaration is a rapid.Declaration")
        _checked(declaration, declaration.value)
    lines = [f"{_newline(module)}{indent}{declaration}" for declaration in added]
    return _read_again(module, text[:place] + "".join(lines) + text[place:])


def _newline(module: Module) -> str:
    return "\r\n" if "\r\n" in module.text else "\n"


def _read_again(module: Module, text: str) -> Module:
    return replace(read(text, module.file, module.uses), encoding=module.encoding)


def _checked(declaration: Declaration, value: Any) -> Any:
    """Return the value, if it may be that of a declaration.

    What is in arrays and in other types is checked by reading it.
    """
    kind = RECORDS.get(declaration.type.lower())
    if kind is not None and not declaration.size and not isinstance(value, kind):
        raise InputError(f"{declaration.name} is a {kind.rapid}, not {short_repr(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{declaration.name} needs a finite number, not {short_repr(value)}")
    return value
