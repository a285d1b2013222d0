"""The moves of a program in the order in which it makes them: calls followed, loops unrolled, branches chosen.

What depends on the run is not guessed in silence: an IF, a loop or a call that cannot be told
stands in the sequence itself, as an instruction with :attr:`Move.unknown`, and what is assumed
instead is said there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby

from ...errors import InputError, RapidError
from ..expressions import Unknown
from ..module import Module, checked_module
from .arguments import Move
from .moves import Scope, routine_named, routines_of
from .routines import Block, Instruction, Routine

# instructions and rounds of loops; a program that takes more is checked part by part
_MAX_STEPS = 20_000


class _RoutineLeft(Exception):
    """A routine is left before its end."""


class _ProgramEnded(Exception):
    """The program ends here, or never goes on."""


def sequence_of(module: Module, routine: str | None = None) -> tuple[Move, ...]:
    """Return the moves of a program in the order in which it makes them.

    Procedures of the module that are called without arguments are followed, loops with known bounds
    are unrolled, ``WHILE TRUE`` goes round twice, and of an IF or TEST of constants the branch that
    holds is taken. What depends on the run stands there as an instruction with
    :attr:`Move.unknown`: a call that is not followed; an IF, TEST or loop, of which the first
    branch that may hold is taken, or one round.

    Args:
        module: With the routines.
        routine: Where it starts; default ``main``, or the only procedure that no other calls.

    Raises:
        RapidError: if an instruction breaks the language, a procedure calls itself, or there are
            more than 20 000 steps.
        UnknownName: if there is no such routine.
        InputError: if none is named, there is no ``main``, and several could be meant; if
            ``module`` is none.
    """
    run = _Interpreter(checked_module(module))
    with suppress(_ProgramEnded):
        run.run(run.first(routine), ())
    return tuple(run.moves)


class _Interpreter:
    """A program that is being gone through."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.builder, self.routines = routines_of(module)
        self.by_name = {one.name.lower(): one for one in self.routines}
        self.moves: list[Move] = []
        self.steps = 0
        self.uncertain_calls = 0
        """How many of the calls that are being followed depend on the run."""
        self.scopes: dict[str, Scope] = {}

    def first(self, name: str | None) -> Routine:
        """Return where to start: the routine of that name, ``main``, or the only procedure that no other calls."""
        if name is not None:
            return routine_named(self.routines, name)
        if "main" in self.by_name:
            return self.by_name["main"]
        procedures = [one for one in self.routines if one.kind == "proc"]
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
                f"{self.module.name} has no procedure main; say at which routine to start ({names})"
            )
        return roots[0]

    def run(self, routine: Routine, callers: tuple[str, ...]) -> None:
        lower = routine.name.lower()
        if lower not in self.scopes:
            self.scopes[lower] = scope = Scope(self.module, self.builder, routine, self.routines)
            scope.absent = frozenset(routine.optional)  # calls with arguments are not followed
        with suppress(_RoutineLeft):
            self._items(routine.instructions, 0, self.scopes[lower], (*callers, lower), True)

    def _items(
        self,
        items: Sequence[Instruction],
        depth: int,
        scope: Scope,
        callers: tuple[str, ...],
        certain: bool,
    ) -> None:
        """Go through instructions that stand in the same blocks up to a depth; ``certain``: whether they run at all is known."""
        for block, group in _grouped(items, depth):
            if block is None:
                for item in group:
                    self._item(item, scope, callers, certain)
            elif "handler" in block.word:
                self.moves += [
                    scope.move(item) for item in group if item.kind in ("move", "other", "setting")
                ]
            elif any(self._matters(item) for item in group):
                what = {"IF": self._if, "TEST": self._if, "FOR": self._for, "WHILE": self._while}[
                    block.word
                ]
                what(block, group, depth, scope, callers, certain)

    def _item(
        self, item: Instruction, scope: Scope, callers: tuple[str, ...], certain: bool
    ) -> None:
        self._step(item.span[0], scope)
        if item.kind == "leave":
            ends = item.name.lower().startswith("exit")
            if not certain or (ends and self.uncertain_calls):
                self._add_unknown(
                    item.name,
                    item.span[0],
                    scope,
                    "whether it is reached depends on the run; the moves after it are driven",
                )
            elif ends:
                raise _ProgramEnded
            else:
                raise _RoutineLeft
        elif item.kind == "call":
            self._call(item, scope, callers, certain)
        elif item.kind != "declaration":
            self.moves.append(replace(scope.move(item), inside=()))

    def _call(
        self, item: Instruction, scope: Scope, callers: tuple[str, ...], certain: bool
    ) -> None:
        called = self.by_name.get(item.name.lower())
        if called is None or called.kind != "proc":
            self._add_unknown(
                item.name,
                item.span[0],
                scope,
                "it is no procedure of this module, and not followed",
                item,
            )
        elif called.name.lower() in callers:
            line, column = scope.place(item.span[0])
            raise RapidError(
                line, column, f"{called.name} calls itself: its moves have no end", self.module.file
            )
        elif (
            self.module.text[slice(*item.span)].strip().rstrip("; \t\r\n").lower()
            != item.name.lower()
        ):
            if any(self._matters(one) for one in called.instructions):
                self._add_unknown(
                    item.name, item.span[0], scope, "a call with arguments is not followed", item
                )
        else:
            self.uncertain_calls += not certain
            self.run(called, callers)
            self.uncertain_calls -= not certain

    def _matters(self, item: Instruction) -> bool:
        """Whether an instruction moves the arm, changes what moves, or may do so."""
        called = self.by_name.get(item.name.lower()) if item.kind == "call" else None
        if called is not None and all(one.kind == "declaration" for one in called.instructions):
            return False
        return item.kind != "declaration"

    # --- blocks
    # ----------------------------------------------------------------------------------------------------

    def _if(
        self,
        block: Block,
        items: list[Instruction],
        depth: int,
        scope: Scope,
        callers: tuple[str, ...],
        certain: bool,
    ) -> None:  # and TEST
        for branch, head in enumerate(block.expressions):
            inner = [item for item in items if item.inside[depth][1] == branch]
            try:
                if head is None:
                    holds = True
                elif block.word == "TEST":
                    holds = scope.is_case(block.subject, head)
                else:
                    holds = scope.truth(head)
            except Unknown as reason:
                others = [item for item in items if item.inside[depth][1] > branch]
                lines = sorted({scope.place(item.span[0])[0] for item in others})
                rest = f", {_lines(lines)} not" if lines else ""
                chosen = "CASE" if block.word == "TEST" else "branch"
                where = scope.place(inner[0].span[0])[0] if inner else 0
                taken = (
                    f"its {chosen} with line {where} is driven"
                    if inner
                    else f"a {chosen} without moves is assumed"
                )
                self._add_unknown(block.word, block.start, scope, f"{reason}; {taken}{rest}")
                self._items(inner, depth + 1, scope, callers, False)
                return
            if holds:
                self._items(inner, depth + 1, scope, callers, certain)
                return

    def _for(
        self,
        block: Block,
        items: list[Instruction],
        depth: int,
        scope: Scope,
        callers: tuple[str, ...],
        certain: bool,
    ) -> None:
        counter = self.module.text[slice(*block.subject)].lower()
        try:
            values = _counter_values(
                [scope.number(head) for head in block.expressions if head is not None]
            )
        except Unknown as reason:
            self._add_unknown(block.word, block.start, scope, f"{reason}; it is driven once")
            self._items(items, depth + 1, scope, callers, False)
            return
        before = dict(scope.counters)
        try:
            for value in values:
                self._step(block.start, scope)
                scope.counters[counter] = value
                self._items(items, depth + 1, scope, callers, certain)
        finally:
            scope.counters = before

    def _while(
        self,
        block: Block,
        items: list[Instruction],
        depth: int,
        scope: Scope,
        callers: tuple[str, ...],
        certain: bool,
    ) -> None:
        try:
            holds = (
                bool(block.expressions)
                and block.expressions[0] is not None
                and scope.truth(block.expressions[0])
            )
        except Unknown as reason:
            self._add_unknown(block.word, block.start, scope, f"{reason}; it is driven once")
            self._items(items, depth + 1, scope, callers, False)
            return
        if not holds:
            return
        begin = len(self.moves)
        for _ in range(2):  # the second time from its own end; a third is as the second
            self._items(items, depth + 1, scope, callers, certain)
        if (
            certain
            and not self.uncertain_calls
            and not any(move.unknown for move in self.moves[begin:])
        ):
            raise _ProgramEnded

    def _step(self, start: int, scope: Scope) -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            line, column = scope.place(start)
            raise RapidError(
                line,
                column,
                f"the program takes more than {_MAX_STEPS} steps; check a part of it",
                self.module.file,
            )

    def _add_unknown(
        self, word: str, start: int, scope: Scope, reason: str, item: Instruction | None = None
    ) -> None:
        """Put an instruction into the sequence that cannot be told from the text, and why."""
        line, column = scope.place(start)
        text = word if item is None else self.module.text[slice(*item.span)]
        self.moves.append(Move(word, line, column, scope.routine.name, text, unknown=reason))


def _grouped(
    items: Sequence[Instruction], depth: int
) -> Iterator[tuple[Block | None, list[Instruction]]]:
    def key(item: Instruction) -> Block | None:
        return item.inside[depth][0] if len(item.inside) > depth else None

    for block, group in groupby(items, key=key):
        yield block, list(group)


def _counter_values(heads: list[float]) -> Iterator[float]:
    """Return the values of a counter FROM, TO and maybe STEP.

    Without STEP it counts up or down by 1 (ABB 3HAC16581-1, FOR).
    """
    first, last, *given = heads
    step = given[0] if given else 1.0 if last >= first else -1.0
    if step == 0.0:
        raise Unknown("its STEP is 0")
    return (
        (first + k * step for k in range(int((last - first) / step + 1e-9) + 1))
        if (last - first) / step >= 0.0
        else iter(())
    )


def _lines(lines: list[int]) -> str:
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
