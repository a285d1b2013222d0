"""What instructions may do when it is not known whether they run: move the arm, assign data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..options import QUIET
from .data import Frame, Program
from .moves import hidden_names
from .routines import CHANGING, Instruction, Routine, words

Called = tuple[int, Routine]
"""A routine, and the number of its module."""
_QUIET = frozenset(("declaration", "assign", "write", "note"))


def written(item: Instruction, frame: Frame) -> set[str]:
    """Return names in an instruction's arguments that it may write to."""
    return _names_in(item, frame.scope.module.text)


def _names_in(item: Instruction, text: str) -> set[str]:
    found = [word for word in words(text, *item.span) if word.text[0] not in '"']
    return {
        word.lower
        for before, word in pairwise(found)
        if word.text[0].isalpha() and before.text not in ("\\", ".")
    }


class Effects:
    """Effects of a program's instructions, each looked at once."""

    def __init__(self, program: Program) -> None:
        """Keep the program; routines are looked at on demand."""
        self.program = program
        self._read: dict[tuple[int, tuple[int, int]], tuple[frozenset[str], list[Called]]] = {}
        self._assigned: dict[int, set[tuple[int | None, str]]] = {}
        self._moving: dict[int, bool] = {}

    def writes(self, items: Sequence[Instruction], frame: Frame) -> set[tuple[int | None, str]]:
        """Return what instructions, and the routines that they call, may assign.

        Each is a name in lower case as a module means it: None for the names of the frame.
        """
        names = set[tuple[int | None, str]]()
        for item in items:
            assigned, called = self._effects(item, frame.number)
            names |= {(None, name) for name in assigned}
            for one in called:
                names |= self._assigned_by(one)
        return names

    def _effects(self, item: Instruction, number: int) -> tuple[frozenset[str], list[Called]]:
        """Return names that an instruction may assign itself, and the routines that it calls."""
        key = number, item.span
        if key not in self._read:
            given = _names_in(item, self.program.modules[number].text)
            assigned = set[str]()
            if item.kind == "assign":
                assigned.add(item.name.lower())
            if item.kind in ("write", "call", "other") or item.name.lower() in CHANGING:
                assigned |= given
            found = (self.program.routine(number, name) for name in {*given, item.name.lower()})
            self._read[key] = frozenset(assigned), [one for one in found if one is not None]
        return self._read[key]

    def _reached(self, first: Called) -> Iterator[Called]:
        """Yield a routine, and all that it calls directly or indirectly, each once."""
        waiting, seen = [first], {id(first[1])}
        while waiting:
            number, routine = waiting.pop()
            yield number, routine
            for item in routine.instructions:
                for one in self._effects(item, number)[1]:
                    if id(one[1]) not in seen:
                        seen.add(id(one[1]))
                        waiting.append(one)

    def _assigned_by(self, called: Called) -> set[tuple[int | None, str]]:
        """Return data of modules that a routine, and those that it calls, may assign."""
        names = self._assigned.get(id(called[1]))
        if names is None:
            names = self._assigned[id(called[1])] = set()
            for number, routine in self._reached(called):
                hidden = hidden_names(self.program.modules[number], routine)
                for item in routine.instructions:
                    own = self._effects(item, number)[0] - hidden
                    names |= {(number, name) for name in own}
        return names

    def matters(self, item: Instruction, frame: Frame) -> bool:
        """Return whether an instruction moves the arm or changes moves, or may do so."""
        if item.kind != "call":
            # the value of a function says what its RETURN does
            return item.kind not in _QUIET and (
                item.kind != "leave" or frame.routine.kind != "func"
            )
        found = self.program.routine(frame.number, item.name.lower())
        if found is None:
            return item.name.lower() not in QUIET
        if id(found[1]) not in self._moving:
            self._moving[id(found[1])] = any(
                self._moves(one, number)
                for number, routine in self._reached(found)
                if routine.kind != "func"
                for one in routine.instructions
            )
        return self._moving[id(found[1])]

    def _moves(self, item: Instruction, number: int) -> bool:
        """Return whether an instruction of a routine that is called moves the arm itself."""
        name = item.name.lower()
        if item.kind == "call":
            return name not in QUIET and self.program.routine(number, name) is None
        return item.kind not in _QUIET and (item.kind != "leave" or name.startswith("exit"))
