"""RAPID modules: their declarations as values, everything else word for word; ``write(read(text)) == text``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, InputError, UnknownName
from ..files import replacing
from .text import literal
from .value_builder import Expression
from .values import RECORDS

if TYPE_CHECKING:
    from .program.arguments import Move

_COMMENTS = re.compile(r'"(?>[^"\n]|"")*+"|(![^\r\n]*)')
Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Declaration:
    """One datum of a module: ``CONST robtarget p10:=[...];``."""

    storage: str
    """CONST, PERS or VAR."""
    type: str
    name: str
    value: Any = None
    """A value of :mod:`irbmodels.rapid`, a number, bool or str; a tuple for an array; None where none is given."""
    size: tuple[int, ...] = ()
    """Of an array, ``{2,3}``."""
    scope: str = ""
    """LOCAL, TASK or nothing."""
    line: int = 0
    """1-based, where the module was read; 0 for one made in code."""
    span: tuple[int, int] = field(default=(0, 0), repr=False)
    """Where its text stands in the module."""

    def __str__(self) -> str:
        """Return the text in ABB's layout."""
        words = " ".join(word for word in (self.scope, self.storage, self.type, self.name) if word)
        size = f"{{{','.join(map(str, self.size))}}}" if self.size else ""
        if self.value is None:
            return f"{words}{size};"
        return f"{words}{size}:={self.value.text if isinstance(self.value, Expression) else literal(self.value)};"


@dataclass(frozen=True, eq=False, repr=False)
class Module:
    """A RAPID module that was read; ``module["p10"]`` is a value. Immutable: ``with_...`` return another."""

    name: str
    attributes: tuple[str, ...]
    declarations: tuple[Declaration, ...]
    records: Mapping[str, Fields]
    """RECORDs that the module makes or uses: type and name of each component, by the record's name in lower case."""
    aliases: Mapping[str, str]
    """ALIASes, the same: types by other names, in lower case."""
    text: str
    head: int
    """Where the text of the module's name and attributes ends."""
    file: str = ""
    encoding: str = "utf-8"
    uses: tuple[Module, ...] = ()
    notes: tuple[str, ...] = ()
    """Remarks by line: quaternions that are not of unit length."""

    def __repr__(self) -> str:
        """Say how much is in it."""
        return f"<RAPID module {self.name}: {len(self.declarations)} declarations>"

    def __getitem__(self, name: str) -> Any:
        """Return a value by its name, in any case.

        Raises:
            UnknownName: if there is no such declaration.
        """
        return self.declaration(name).value

    def __iter__(self) -> Iterator[Declaration]:
        """Go through the declarations in the order of the text."""
        return iter(self.declarations)

    def declaration(self, name: str) -> Declaration:
        """Return a declaration by its name, in any case.

        Raises:
            UnknownName: if there is none.
        """
        for found in self.declarations:
            if found.name.lower() == str(name).lower():
                return found
        raise UnknownName("declaration", str(name), [declaration.name for declaration in self.declarations])

    def of_type(self, kind: str) -> dict[str, Any]:
        """Return all values of a type by name, those of its aliases too; of arrays, each element as ``name{1,2}``.

        Initial values of constants and sums (``VAR zonedata z:=z60;``) are computed where the text tells them.
        """
        from .constants import Constants

        constants, found = Constants(self), dict[str, Any]()
        for declaration in self.declarations:
            named = declaration.type.lower(), constants.builder("").resolved(declaration.type)
            if kind.lower() in named and declaration.value is not None:
                found.update(_elements(declaration.name, declaration.size, constants.computed(declaration)))
        return found

    def moves(self, routine: str | None = None) -> tuple[Move, ...]:
        """Return the moves of all routines, or of one by its name, in the order of the text.

        Raises:
            RapidError: if an instruction breaks the language, or has an argument of another type; with line and column.
            UnknownName: if there is no such routine.
        """
        from .program.moves import moves_of

        return moves_of(self, routine)

    def sequence(self, routine: str | None = None) -> tuple[Move, ...]:
        """Return the moves of a program in the order in which it makes them.

        Procedures of the module that are called without arguments are followed, loops with known bounds are unrolled, ``WHILE
        TRUE`` goes round twice, and of an IF or TEST of constants the branch that holds is taken. What depends on the run stands
        there as an instruction with :attr:`Move.unknown`: a call that is not followed; an IF, TEST or loop, of which the first
        branch that may hold is taken, or one round.

        Args:
            routine: Where it starts; default ``main``, or the only procedure that no other calls.

        Raises:
            RapidError: if an instruction breaks the language, a procedure calls itself, or there are more than 20 000 steps.
            UnknownName: if there is no such routine.
            InputError: if none is named, there is no ``main``, and several could be meant.
        """
        from .program.sequence import sequence_of

        return sequence_of(self, routine)

    def with_values(self, values: Mapping[str, Any]) -> Module:
        """Return the module with other values, whose declarations are written in ABB's layout; the rest stays to the character.

        A comment inside a declaration that changes is put before it.

        Raises:
            UnknownName: if a name is not declared.
            InputError: if a value has another type.
        """
        text = self.text
        changed = [(self.declaration(name), value) for name, value in values.items()]
        for old, value in sorted(changed, key=lambda pair: pair[0].span, reverse=True):
            new = Declaration(old.storage, old.type, old.name, _of_type(old, value), old.size, old.scope)
            start, end = old.span
            before = text[text.rfind("\n", 0, start) + 1 : start]  # blanks, or what stands on the same line
            indent = before[: len(before) - len(before.lstrip())]
            lost = [comment + self._newline + indent for comment in _COMMENTS.findall(text[start:end]) if comment]
            text = f"{text[:start]}{''.join(lost)}{new}{text[end:]}"
        return self._again(text)

    def with_declarations(self, *added: Declaration) -> Module:
        """Return the module with more declarations, after the last one, or else at the top.

        Raises:
            RapidError: if a name exists already or is none, or a value has another type.
        """
        text, place = self.text, self.declarations[-1].span[1] if self.declarations else self.head
        line = text[text.rfind("\n", 0, self.declarations[-1].span[0]) + 1 :] if self.declarations else "    "
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        for declaration in added:
            _of_type(declaration, declaration.value)
        lines = [f"{self._newline}{indent}{declaration}" for declaration in added]
        return self._again(text[:place] + "".join(lines) + text[place:])

    def save(self, path: str | Path) -> None:
        """Write the module to a file, in the encoding it was read in.

        Raises:
            FileError: if the file cannot be written.
        """
        with replacing(path) as temporary:
            try:
                temporary.write_bytes(self.text.encode(self.encoding))
            except UnicodeEncodeError as err:
                raise FileError(f"cannot write {path}: {err.object[err.start]!r} is no character of {self.encoding}") from None

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def _again(self, text: str) -> Module:
        from .parser import read

        return replace(read(text, self.file, self.uses), encoding=self.encoding)


def _elements(name: str, size: tuple[int, ...], value: Any) -> Iterator[tuple[str, Any]]:
    if not size or isinstance(value, Expression):
        yield name, value
        return
    for index in product(*(range(1, count + 1) for count in size)):
        element = value
        for i in index:
            element = element[i - 1]
        yield f"{name}{{{','.join(map(str, index))}}}", element


def _of_type(declaration: Declaration, value: Any) -> Any:
    """Return the value, if it may be that of a declaration; what is in arrays and in other types is checked by reading it."""
    kind = RECORDS.get(declaration.type.lower())
    if kind is not None and not declaration.size and not isinstance(value, kind):
        raise InputError(f"{declaration.name} is a {kind.rapid}, not {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{declaration.name} needs a finite number, not {value!r}")
    return value
