"""RAPID modules: declarations as values, all other text verbatim; ``write(read(text)) == text``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..checks import as_instance
from ..errors import FileError, UnknownName
from ..files import replacing
from .text import literal
from .value_builder import Expression

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Declaration:
    """One datum of a module: ``CONST robtarget p10:=[...];``."""

    storage: str
    """CONST, PERS or VAR."""
    type: str
    name: str
    value: Any = None
    """A value of :mod:`irbmodels.rapid`, a number, bool or str; a tuple for an array.

    None where none is given.
    """
    size: tuple[int, ...] = ()
    """Of an array, ``{2,3}``."""
    scope: str = ""
    """LOCAL, TASK or nothing."""
    line: int = 0
    """1-based, where the module was read; 0 for one made in code."""
    span: tuple[int, int] = field(default=(0, 0), repr=False)
    """Start and end of its text in the module."""

    def __str__(self) -> str:
        """Return the text in ABB's layout."""
        words = " ".join(word for word in (self.scope, self.storage, self.type, self.name) if word)
        size = f"{{{','.join(map(str, self.size))}}}" if self.size else ""
        if self.value is None:
            return f"{words}{size};"
        value = self.value.text if isinstance(self.value, Expression) else literal(self.value)
        return f"{words}{size}:={value};"


@dataclass(frozen=True, eq=False, repr=False)
class Module:
    """A RAPID module that was read; ``module["p10"]`` is a value.

    Immutable: :mod:`.editing` makes another of it.
    """

    name: str
    attributes: tuple[str, ...]
    declarations: tuple[Declaration, ...]
    records: Mapping[str, Fields]
    """RECORDs by name in lower case: type and name of each component."""
    aliases: Mapping[str, str]
    """ALIASes: types by alias, in lower case."""
    text: str
    head: int
    """End of the module's name and attributes in the text."""
    file: str = ""
    encoding: str = "utf-8"
    uses: tuple[Module, ...] = ()
    notes: tuple[str, ...] = ()
    """Remarks by line: quaternions that are not of unit length."""

    def __repr__(self) -> str:
        """Return name and number of declarations."""
        return f"<RAPID module {self.name}: {len(self.declarations)} declarations>"

    def __getitem__(self, name: str) -> Any:
        """Return a value by its name, in any case.

        Raises:
            UnknownName: if there is no such declaration.
        """
        return self.declaration(name).value

    def __iter__(self) -> Iterator[Declaration]:
        """Iterate over declarations in the order of the text."""
        return iter(self.declarations)

    def declaration(self, name: str) -> Declaration:
        """Return a declaration by its name, in any case.

        Raises:
            UnknownName: if there is none.
        """
        found = self.by_name.get(str(name).lower())
        if found is None:
            names = [declaration.name for declaration in self.declarations]
            raise UnknownName("declaration", str(name), names)
        return found

    @cached_property
    def by_name(self) -> Mapping[str, Declaration]:
        """Declarations by name in lower case."""
        return {declaration.name.lower(): declaration for declaration in self.declarations}

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line_column(self, position: int) -> tuple[int, int]:
        """Return line and column, 1-based, of a position in the text."""
        line = bisect_right(self._line_starts, position)
        return line, position - self._line_starts[line - 1] + 1

    def save(self, path: str | Path) -> None:
        """Write the module to a file, in the encoding it was read in.

        Raises:
            FileError: if the file cannot be written.
        """
        with replacing(path) as temporary:
            try:
                temporary.write_bytes(self.text.encode(self.encoding))
            except UnicodeEncodeError as err:
                raise FileError(
                    f"cannot write {path}: {err.object[err.start]!r} is no character of"
                    f" {self.encoding}"
                ) from None


def checked_module(value: Module) -> Module:
    """Return a module.

    Raises:
        InputError: if it is none; a module's text is none yet.
    """
    return as_instance(value, Module, "a module is what irbmodels.rapid.read returns")
