"""What instructions may do when it is not known whether they run: move the arm, assign data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..options import QUIET
from .data import Frame, Program
from .moves import hidden_names
from .routines import CHANGING, Instruction, words


def written(item: Instruction, frame: Frame) -> set[str]:
    """Return names in an instruction's arguments that it may write to."""
    text = frame.scope.module.text
    found = [word for word in words(text, *item.span) if word.text[0] not in '"']
    return {
        word.lower
        for before, word in pairwise(found)
        if word.text[0].isalpha() and before.text not in ("\\", ".")
    }


class Effects:
    """Effects of a program's instructions."""

    def __init__(self, program: Program) -> None:
        """Keep the program; routines are looked at on demand."""
        self.program = program
        self._moving: dict[int, bool] = {}

    def writes(
        self, items: Sequence[Instruction], frame: Frame, seen: frozenset[int] = frozenset()
    ) -> set[tuple[int | None, str]]:
        """Return what instructions, and the routines that they call, may assign.

        Each is a name in lower case as a module means it: None for the names of the frame.
        """
        names = set[tuple[int | None, str]]()
        for item in items:
            given = written(item, frame)
            if item.kind == "assign":
                names.add((None, item.name.lower()))
            if item.kind in ("write", "call", "other") or item.name.lower() in CHANGING:
                names |= {(None, name) for name in given}
            for name in {*given, item.name.lower()}:
                found = self.program.routine(frame.number, name)
                if found is None or id(found[1]) in seen:
                    continue
                number, called = found
                inner = self.program.frame(number, called)
                hidden = hidden_names(self.program.modules[number], called)
                for where, below in self.writes(called.instructions, inner, seen | {id(called)}):
                    if where is not None:
                        names.add((where, below))
                    elif below not in hidden:
                        names.add((number, below))
        return names

    def matters(self, item: Instruction, frame: Frame, seen: frozenset[int] = frozenset()) -> bool:
        """Return whether an instruction moves the arm or changes moves, or may do so."""
        if item.kind != "call":
            quiet = {"declaration", "assign", "write", "note"}
            if frame.routine.kind == "func":  # its value says so
                quiet.add("leave")
            return item.kind not in quiet
        found = self.program.routine(frame.number, item.name.lower())
        if found is None:
            return item.name.lower() not in QUIET
        number, called = found
        if id(called) in seen:
            return False
        if id(called) not in self._moving or seen:
            inner = self.program.frame(number, called)
            matters = any(
                self.matters(one, inner, seen | {id(called)})
                for one in called.instructions
                if one.kind != "leave" or one.name.lower().startswith("exit")
            )
            if seen:
                return matters
            self._moving[id(called)] = matters
        return self._moving[id(called)]
