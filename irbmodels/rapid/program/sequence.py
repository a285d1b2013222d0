"""Moves of a program in execution order: calls followed, loops unrolled, branches chosen.

An IF, a loop or a call that depends on the run stands in the sequence itself, as an instruction
whose :attr:`Move.unknown` says what is assumed instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
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
    """Return the moves of a program in execution order.

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


@dataclass(frozen=True)
class _Frame:
    """Routine that runs: its names, the routines that called it, and whether it certainly runs."""

    scope: Scope
    callers: tuple[str, ...]
    certain: bool = True


class _Interpreter:
    """Collects the moves of a program as it would run."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.builder, self.routines = routines_of(module)
        self.by_name = {one.name.lower(): one for one in self.routines}
        self.moves: list[Move] = []
        self.steps = 0
        self.uncertain_calls = 0
        """Number of calls on the stack that depend on the run."""
        self.scopes: dict[str, Scope] = {}

    def first(self, name: str | None) -> Routine:
        """Return the routine of that name, ``main``, or the only procedure that none calls."""
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
            self._items(routine.instructions, 0, _Frame(self.scopes[lower], (*callers, lower)))

    def _items(self, items: Sequence[Instruction], depth: int, frame: _Frame) -> None:
        """Run instructions of the same blocks up to a depth; ``certain`` if they run at all."""

        def block_of(item: Instruction) -> Block | None:
            return item.inside[depth][0] if len(item.inside) > depth else None

        for block, grouped in groupby(items, key=block_of):
            group = list(grouped)
            if block is None:
                for item in group:
                    self._item(item, frame)
            elif "handler" in block.word:
                self.moves += [
                    frame.scope.move(item)
                    for item in group
                    if item.kind in ("move", "other", "setting")
                ]
            elif any(self._matters(item) for item in group):
                run = {"IF": self._if, "TEST": self._if, "FOR": self._for, "WHILE": self._while}
                run[block.word](block, group, depth + 1, frame)

    def _item(self, item: Instruction, frame: _Frame) -> None:
        self._step(item.span[0], frame.scope)
        if item.kind == "leave":
            ends = item.name.lower().startswith("exit")
            if not frame.certain or (ends and self.uncertain_calls):
                reason = "whether it is reached depends on the run; the moves after it are driven"
                self._add_unknown(item.name, item.span[0], frame.scope, reason)
            else:
                raise _ProgramEnded if ends else _RoutineLeft
        elif item.kind == "call":
            self._call(item, frame)
        elif item.kind != "declaration":
            self.moves.append(replace(frame.scope.move(item), inside=()))

    def _call(self, item: Instruction, frame: _Frame) -> None:
        scope, called = frame.scope, self.by_name.get(item.name.lower())
        text = self.module.text[slice(*item.span)].strip().rstrip("; \t\r\n").lower()
        if called is None or called.kind != "proc":
            reason = "it is no procedure of this module, and not followed"
            self._add_unknown(item.name, item.span[0], scope, reason, item)
        elif called.name.lower() in frame.callers:
            reason = f"{called.name} calls itself: its moves have no end"
            raise RapidError(*scope.line_column(item.span[0]), reason, self.module.file)
        elif text == item.name.lower():
            self.uncertain_calls += not frame.certain
            self.run(called, frame.callers)
            self.uncertain_calls -= not frame.certain
        elif any(self._matters(one) for one in called.instructions):
            reason = "a call with arguments is not followed"
            self._add_unknown(item.name, item.span[0], scope, reason, item)

    def _matters(self, item: Instruction) -> bool:
        """Return whether an instruction moves the arm or changes moves, or may do so."""
        called = self.by_name.get(item.name.lower()) if item.kind == "call" else None
        if called is not None and all(one.kind == "declaration" for one in called.instructions):
            return False
        return item.kind != "declaration"

    def _if(self, block: Block, items: list[Instruction], depth: int, frame: _Frame) -> None:
        scope, branches = frame.scope, [item.inside[depth - 1][1] for item in items]
        for branch, head in enumerate(block.expressions):
            inner = [item for item, number in zip(items, branches, strict=True) if number == branch]
            try:
                if head is None:
                    holds = True
                elif block.word == "TEST":
                    holds = scope.is_case(block.subject, head)
                else:
                    holds = scope.truth(head)
            except Unknown as reason:
                others = (i for i, number in zip(items, branches, strict=True) if number > branch)
                lines = sorted({scope.line_column(item.span[0])[0] for item in others})
                rest = f", {_lines(lines)} not" if lines else ""
                kind = "CASE" if block.word == "TEST" else "branch"
                taken = f"a {kind} without moves is assumed"
                if inner:
                    taken = (
                        f"its {kind} with line {scope.line_column(inner[0].span[0])[0]} is driven"
                    )
                self._add_unknown(block.word, block.start, scope, f"{reason}; {taken}{rest}")
                self._items(inner, depth, replace(frame, certain=False))
                return
            if holds:
                self._items(inner, depth, frame)
                return

    def _for(self, block: Block, items: list[Instruction], depth: int, frame: _Frame) -> None:
        scope, counter = frame.scope, self.module.text[slice(*block.subject)].lower()
        try:
            values = _counter_values([scope.number(head) for head in block.expressions if head])
        except Unknown as reason:
            self._once(block, items, depth, frame, reason)
            return
        before = dict(scope.counters)
        try:
            for value in values:
                self._step(block.start, scope)
                scope.counters[counter] = value
                self._items(items, depth, frame)
        finally:
            scope.counters = before

    def _while(self, block: Block, items: list[Instruction], depth: int, frame: _Frame) -> None:
        try:
            holds = any(frame.scope.truth(head) for head in block.expressions[:1] if head)
        except Unknown as reason:
            self._once(block, items, depth, frame, reason)
            return
        if not holds:
            return
        begin = len(self.moves)
        for _ in range(2):  # the second time from its own end; a third is as the second
            self._items(items, depth, frame)
        unknown = any(move.unknown for move in self.moves[begin:])
        if frame.certain and not self.uncertain_calls and not unknown:
            raise _ProgramEnded

    def _once(
        self,
        block: Block,
        items: list[Instruction],
        depth: int,
        frame: _Frame,
        reason: Unknown,
    ) -> None:
        """Run a loop once whose bounds depend on the run."""
        self._add_unknown(block.word, block.start, frame.scope, f"{reason}; it is driven once")
        self._items(items, depth, replace(frame, certain=False))

    def _step(self, start: int, scope: Scope) -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            reason = f"the program takes more than {_MAX_STEPS} steps; check a part of it"
            raise RapidError(*scope.line_column(start), reason, self.module.file)

    def _add_unknown(
        self, word: str, start: int, scope: Scope, reason: str, item: Instruction | None = None
    ) -> None:
        """Add an instruction that depends on the run, with the reason."""
        line, column = scope.line_column(start)
        text = word if item is None else self.module.text[slice(*item.span)]
        self.moves.append(Move(word, line, column, scope.routine.name, text, unknown=reason))


def _counter_values(heads: list[float]) -> Iterator[float]:
    """Return the values of a counter FROM, TO and maybe STEP.

    Without STEP it counts up or down by 1 (ABB 3HAC16581-1, FOR).
    """
    first, last, *steps = heads
    step = steps[0] if steps else math.copysign(1.0, last - first)
    if step == 0.0:
        raise Unknown("its STEP is 0")
    rounds = (last - first) / step
    return (first + k * step for k in range(int(rounds + 1e-9) + 1 if rounds >= 0.0 else 0))


def _lines(lines: list[int]) -> str:
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
