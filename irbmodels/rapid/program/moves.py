"""Move instructions as values: target, speed, zone, tool and work object, in the order of the text.

A value that depends on the run (a target that is assigned, a counter, a function) is not guessed:
:attr:`Move.unknown` says why. A malformed instruction is refused with line and column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ...errors import InputError, RapidError, UnknownName
from ..constants import Constants
from ..expressions import ExpressionEvaluator, Names, Unknown
from ..grammar import parse
from ..module import Module, checked_module
from ..parser import declaration_of, parse_module
from ..text import refusing_depth
from ..value_builder import Builder
from .arguments import Arguments, Move
from .routines import Instruction, Routine, routine_of
from .settings import EFFECTS


@refusing_depth
def moves_of(module: Module, routine: str | None = None) -> tuple[Move, ...]:
    """Return the moves of a module's routines, or of one, in the order of the text.

    Raises:
        RapidError: if an instruction breaks the language, or has an argument of another type; with
            line and column.
        UnknownName: if there is no such routine.
        InputError: if ``module`` is none.

    Example:
        >>> from irbmodels import rapid
        >>> home = "CONST jointtarget jHome:=[[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]];"
        >>> main = "PROC main() MoveAbsJ jHome,v200,fine,tool0; ENDPROC"
        >>> module = rapid.read(f"MODULE Part {home} {main} ENDMODULE")
        >>> [move.instruction for move in rapid.moves_of(module)]
        ['MoveAbsJ']
    """
    builder, routines = routines_of(checked_module(module))
    moves: list[Move] = []
    for one in routines if routine is None else [routine_named(routines, routine)]:
        scope = Scope(module, builder, one, routines)
        kinds = ("move", "other", "setting", "note")
        moves += [scope.move(item) for item in one.instructions if item.kind in kinds]
    return tuple(moves)


@lru_cache(maxsize=256)  # more than the modules of a program, which are asked for in turn
def routines_of(module: Module) -> tuple[Builder, list[Routine]]:
    """Return the builder of a module's values, and its routines.

    Raises:
        RapidError: if the bracket of a routine's parameters is not closed.
    """
    builder, _, items = parse_module(module.text, module.file, module.uses)
    routines = []
    for item in (item for item in items if item.data == "routine"):
        token = item.children[-1]
        routine = routine_of(module.text, (token.start_pos, token.end_pos))
        routine.local = len(item.children) > 1  # LOCAL PROC ...
        routines.append(routine)
    return builder, routines


def routine_named(routines: Sequence[Routine], name: str) -> Routine:
    """Return a routine by its name, in any case.

    Raises:
        UnknownName: if there is none.
    """
    for routine in routines:
        if routine.name.lower() == str(name).lower():
            return routine
    raise UnknownName("routine", name, [routine.name for routine in routines])


def first_routine(module: Module, routines: Sequence[Routine], name: str | None) -> Routine:
    """Return the routine of that name, ``main``, or the only procedure that none calls.

    Raises:
        UnknownName: if there is none of that name.
        InputError: if none is named, there is no ``main``, and several could be meant.
    """
    if name is not None:
        return routine_named(routines, name)
    for one in routines:
        if one.name.lower() == "main":
            return one
    procedures = [one for one in routines if one.kind == "proc"]
    called = {
        item.name.lower()
        for one in procedures
        for item in one.instructions
        if item.kind == "call" and item.name != one.name
    }
    roots = [one for one in procedures if one.name.lower() not in called]
    if len(roots) != 1:
        names = ", ".join(one.name for one in roots or procedures) or "none"
        raise InputError(
            f"{module.name} has no procedure main; say at which routine to start ({names})"
        )
    return roots[0]


class Scope:
    """Names of one routine and their values."""

    def __init__(
        self, module: Module, builder: Builder, routine: Routine, routines: Sequence[Routine]
    ) -> None:
        """Collect declarations of the routine, and names that routines assign."""
        self.module, self.builder, self.routine = module, builder, routine
        self.constants = Constants(module)
        self.absent: frozenset[str] = frozenset()
        """Optional parameters of the routine, in lower case, that it was not given."""
        self.given: frozenset[str] = frozenset()
        self.counters: dict[str, float] = {}
        """Values of counters of running loops, by name in lower case."""
        self._read: dict[tuple[int, int], tuple[Builder, Any]] = {}
        self.local: dict[str, Any] = {}
        for item in routine.instructions:
            if item.kind == "declaration":
                inner, tree = self._tree(item.span, "text")
                datum = declaration_of(inner, tree.children[0])
                line, _ = self.line_column(item.span[0])
                self.local[datum.name.lower()] = replace(datum, line=line)
        self.assigned: dict[str, str] = {}
        """Line of the first assignment, by name in lower case."""
        for other in routines:
            hidden = set() if other is routine else hidden_names(module, other)
            for name, position in other.assigned.items():
                if name not in hidden:
                    self.assigned.setdefault(name, f"line {self.line_column(position)[0]}")
        own = {datum.name.lower() for datum in module if datum.scope == "LOCAL"}
        for used in module.uses:
            local = own | {datum.name.lower() for datum in used if datum.scope == "LOCAL"}
            for other in routines_of(used)[1]:
                hidden = local | hidden_names(used, other)
                for name, position in other.assigned.items():
                    if name not in hidden:
                        line, _ = used.line_column(position)
                        self.assigned.setdefault(name, f"line {line} of {used.name}")

    def move(self, item: Instruction, names: Names | None = None) -> Move:
        """Return one instruction, its arguments as the names are; by default, as the text tells."""
        line, column = self.line_column(item.span[0])
        inside = tuple(
            f"{block.word} of line {self.line_column(block.start)[0]}" for block, _ in item.inside
        )
        text = self.module.text[slice(*item.span)]
        move = Move(item.name, line, column, self.routine.name, text, inside)
        unknown = {
            "setting": "it may change where or how the moves after it go",
            "other": "where it ends depends on the run, or is not in its arguments",
        }
        if item.kind == "note":
            return replace(move, effect=EFFECTS[item.name.lower()])
        if item.kind in unknown:
            return replace(move, unknown=f"{item.name} is not evaluated; {unknown[item.kind]}")
        builder, tree = self._parsed(item.span, "instruction")
        return Arguments(names or self, builder).of(move, tree)

    def parsed(self, span: tuple[int, int], names: Names) -> tuple[ExpressionEvaluator, Any]:
        """Return an evaluator, and the node of an expression in the text.

        Raises:
            Unknown: if the grammar does not hold it.
        """
        try:  # the grammar holds what moves are made of, not all that a condition may be
            builder, tree = self._parsed(span, "condition")
        except RapidError as err:
            raise Unknown(err.reason) from None
        return ExpressionEvaluator(names, builder), tree.children[0]

    def arguments(self, span: tuple[int, int], names: Names) -> tuple[ExpressionEvaluator, Any]:
        """Return an evaluator, and the tree of an instruction; errors as :meth:`parsed`."""
        try:
            builder, tree = self._parsed(span, "instruction")
        except RapidError as err:
            raise Unknown(err.reason) from None
        return ExpressionEvaluator(names, builder), tree

    def _parsed(self, span: tuple[int, int], what: str) -> tuple[Builder, Any]:
        if span not in self._read:  # a loop comes here again and again
            self._read[span] = self._tree(span, what)
        return self._read[span]

    def _tree(self, span: tuple[int, int], what: str) -> tuple[Builder, Any]:
        """Return a builder of values in a part of the text, and the part's tree."""
        text, origin = self.module.text[slice(*span)], self.line_column(span[0])
        inner = Builder(text, self.builder.file, origin)
        inner.records, inner.aliases, inner.constants = (
            self.builder.records,
            self.builder.aliases,
            self.builder.constants,
        )
        return inner, parse(text, what, self.module.file, origin)

    def line_column(self, position: int) -> tuple[int, int]:
        """Return line and column of a position in the module's text."""
        return self.module.line_column(position)

    def call(self, evaluator: ExpressionEvaluator, node: Any) -> tuple[str, Any]:
        """Refuse a call: its value depends on the run."""
        raise Unknown(f"{node.children[0]!s}() is not evaluated")

    def datum(self, name: Any) -> tuple[str, Any]:
        """Return type and value of a name.

        Raises:
            Unknown: if it depends on the run.
        """
        lower = name.lower()
        if lower in self.counters:
            return "num", self.counters[lower]
        if lower in self.routine.local_names:
            what, position = self.routine.local_names[lower]
            line, _ = self.line_column(position)
            raise Unknown(f"{name} is {what} on line {line}: its value depends on the run")
        if lower in self.assigned:
            raise Unknown(
                f"{name} is changed on {self.assigned[lower]}: what it is then depends on the run"
            )
        return (
            self.constants.value(self.local[lower], self)
            if lower in self.local
            else self.constants.datum(name)
        )


def hidden_names(module: Module, routine: Routine) -> set[str]:
    """Return names, in lower case, that a routine declares itself."""
    return {
        *routine.local_names,
        *(
            _name_of(module.text, item)
            for item in routine.instructions
            if item.kind == "declaration"
        ),
    }


def _name_of(text: str, item: Instruction) -> str:
    """Return the name that a declaration in a routine declares, in lower case."""
    return (
        text[slice(*item.span)].split(":=")[0].split("{")[0].rstrip("; \t\r\n").split()[-1].lower()
    )
