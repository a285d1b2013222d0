"""Moves of a program in execution order: calls followed, loops unrolled, branches chosen.

An IF, a loop or a call that depends on the run stands in the sequence itself, as an instruction
whose :attr:`Move.unknown` says what is assumed instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, islice
from typing import Any, cast

from ...errors import RapidError
from ..expressions import (
    ExpressionEvaluator,
    Unknown,
    Unset,
    arguments_of,
    reason_in,
)
from ..module import Module, checked_module
from ..options import QUIET
from ..text import refusing_depth
from .arguments import Move
from .binding import Given, bind, called_name, copy_back
from .data import Datum, Frame, Program
from .effects import Effects, written
from .moves import first_routine, routines_of
from .routines import CHANGING, Block, Instruction, Routine, words
from .run_values import counter_values, dimension, position
from .settings import Settings

# instructions and rounds of loops; a program that takes more is checked part by part
_MAX_STEPS = 20_000
_MAX_DEPTH = 40
"""Routines within one another; deeper ones have no end."""
_POSITIONS = frozenset(("crobt", "cjointt", "cpos"))


class _RoutineLeft(Exception):
    """A routine is left before its end, with the value of a function."""

    def __init__(self, value: Any = None) -> None:
        super().__init__()
        self.value = value


class _ProgramEnded(Exception):
    """The program ends here, or never goes on."""


@refusing_depth
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
        run.run(run.frame(0, first_routine(run.program.module, run.routines, routine), ()))
    return tuple(run.moves)


class _Interpreter:
    """Collects the moves of a program as it would run."""

    def __init__(self, module: Module) -> None:
        self.program = Program(module)
        self.routines = routines_of(module)[1]
        self.moves: list[Move] = []
        self.steps = 0
        self.assignments = 0
        self.uncertain_calls = 0
        """Number of calls on the stack that depend on the run."""
        self.effects = Effects(self.program)
        self.settings = Settings.initial()
        self.last: Move | None = None
        """The last move; None if it is not known where it ends."""

    def frame(self, number: int, routine: Routine, callers: tuple[int, ...]) -> Frame:
        """Return the names of a routine that is about to run, without parameters."""
        frame = self.program.frame(number, routine)
        frame.callers, frame.function = (*callers, id(routine)), self._function
        return frame

    def run(self, frame: Frame) -> Any:
        """Run a routine; return the value of a function."""
        frame.declare()
        try:
            self._items(frame.routine.instructions, 0, frame)
        except _RoutineLeft as left:
            return left.value
        return None

    def _items(self, items: Sequence[Instruction], depth: int, frame: Frame) -> None:
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
                    if item.kind in ("move", "other", "setting", "note")
                ]
            else:
                run = {"IF": self._if, "TEST": self._if, "FOR": self._for, "WHILE": self._while}
                run[block.word](block, group, depth + 1, frame)

    def _item(self, item: Instruction, frame: Frame) -> None:
        if item.kind == "assign":
            self._assign(item, frame)
        elif item.kind == "write":
            frame.forget(written(item, frame), self._changed(item, frame))
        elif item.kind != "declaration":
            self._step(item.span[0], frame)
            if item.kind == "leave":
                self._leave(item, frame)
            elif item.kind == "call":
                self._call(item, frame)
            else:
                self._move(item, frame)

    def _move(self, item: Instruction, frame: Frame) -> None:
        try:
            move = frame.scope.move(item, frame)
        except RapidError as err:  # an index beyond the array, or a target that was not taught
            move = frame.scope.move(item)
            move = replace(move, unknown=move.unknown or err.reason, target=None, via=None)
        programmed = move
        if item.kind == "setting":
            with suppress(Unknown):
                given = frame.scope.arguments(item.span, frame)
                certain = frame.certain and not self.uncertain_calls
                move = self.settings.apply(move, *given, certain)
        elif move.is_motion:
            move = self.settings.moved(move)
        self.moves.append(replace(move, inside=(), module=self._other_module(frame)))
        searches = item.name.lower().startswith("search")  # and writes the point that it found
        if item.kind == "other" or searches:
            frame.forget(written(item, frame), self._changed(item, frame))
        if move.is_motion:
            unknown = programmed.unknown or searches or not frame.certain
            self.last = None if unknown else programmed
        elif item.name.lower() == "goto":
            reason = self._changed(item, frame)
            frame.forget({*frame.routine.assigned} & {*frame.own}, reason)
            frame.forget(self.effects.writes(frame.routine.instructions, frame), reason)

    def _assign(self, item: Instruction, frame: Frame) -> None:
        self.assignments += 1
        name = item.name
        if name.lower() in CHANGING:  # Incr n;
            name = next(islice(words(frame.scope.module.text, *item.span), 1, None)).text
        reason = f"{name} {self._changed(item, frame)}"
        if self.assignments > _MAX_STEPS:
            frame.forget([name], self._changed(item, frame))
            return
        with suppress(Unknown):
            frame.assign(item.span, reason)

    def _changed(self, item: Instruction, frame: Frame) -> str:
        line = frame.scope.line_column(item.span[0])[0]
        where = f" of {self._other_module(frame)}" if frame.number else ""
        return f"is changed on line {line}{where}: what it is then depends on the run"

    def _other_module(self, frame: Frame) -> str:
        """Return the name of the module where a routine stands; empty for that of the program."""
        return self.program.modules[frame.number].name if frame.number else ""

    def _leave(self, item: Instruction, frame: Frame) -> None:
        ends = item.name.lower().startswith("exit")
        if not frame.certain or (ends and self.uncertain_calls):
            if frame.routine.kind == "func":
                frame.unknown = f"what {frame.routine.name}() returns depends on the run"
                return
            reason = "whether it is reached depends on the run; the moves after it are driven"
            self._add_unknown(item.name, item.span[0], frame, reason)
        elif ends:
            raise _ProgramEnded
        else:
            raise _RoutineLeft(self._returned(item, frame))

    def _returned(self, item: Instruction, frame: Frame) -> Any:
        if frame.routine.kind != "func" or item.name.lower() != "return":
            return None
        start = item.span[0] + len(item.name)
        try:
            evaluator, node = frame.scope.parsed((start, item.span[1] - 1), frame)
            kind = evaluator.builder.resolve(frame.routine.type)
            return kind, frame.value_of(evaluator, node, kind, ())
        except Unknown as reason:
            return "", Unset(str(reason))

    # --- calls

    def _call(self, item: Instruction, frame: Frame) -> None:
        found = self.program.routine(frame.number, called_name(item, frame))
        if found is None and item.name.lower() in QUIET:
            frame.forget(written(item, frame), self._changed(item, frame))
            return
        if found is None or found[1].kind != "proc":
            reason = "it is no procedure of this module, and not followed"
            self._add_unknown(item.name, item.span[0], frame, reason, item)
            frame.forget(written(item, frame), self._changed(item, frame))
            self.last = None
            return
        number, called = found
        if id(called) in frame.callers and (not frame.certain or self.uncertain_calls):
            reason = f"{called.name} calls itself if the run wants it, and is not followed"
            self._add_unknown(item.name, item.span[0], frame, reason, item)
            return
        if frame.callers.count(id(called)) > _MAX_DEPTH:
            reason = f"{called.name} calls itself: its moves have no end"
            raise RapidError(*frame.scope.line_column(item.span[0]), reason, self._file(frame))
        inner = self.frame(number, called, frame.callers)
        try:
            given = self._bound(item, frame, inner)
        except Unknown as reason:
            if self.effects.matters(item, frame):
                text = f"{reason}, and is not followed"
                self._add_unknown(item.name, item.span[0], frame, text, item)
            frame.forget(written(item, frame), self._changed(item, frame))
            return
        self.uncertain_calls += not frame.certain
        try:
            self.run(inner)
        finally:
            self.uncertain_calls -= not frame.certain
            copy_back(given, frame, inner, self._changed(item, frame))

    def _bound(self, item: Instruction, frame: Frame, inner: Frame) -> Given:
        """Give a procedure its arguments; return those that it may assign."""
        if item.name == "%":
            return bind(ExpressionEvaluator(frame, frame.scope.builder), [], {}, inner)
        evaluator, tree = frame.scope.arguments(item.span, frame)
        return bind(evaluator, *arguments_of(tree), inner)

    def _function(self, frame: Frame, evaluator: ExpressionEvaluator, node: Any) -> tuple[str, Any]:
        """Return type and value of a call of one of the program's functions."""
        word = node.children[0]
        if word.lower() in _POSITIONS:
            frame.program.outside = str(word)  # a measured position decides nothing
            return position(self.last, evaluator, node)
        if word.lower() == "dim":
            return dimension(frame, evaluator, node)
        found = self.program.routine(frame.number, word.lower())
        if found is None or found[1].kind != "func":
            raise Unknown(f"{word!s}() is not evaluated")
        if len(frame.callers) > _MAX_DEPTH:
            raise Unknown(f"{word!s}() calls itself too often")
        self._step(frame.routine.span[0], frame)
        inner = self.frame(*found, frame.callers)
        given = bind(evaluator, *arguments_of(node), inner)
        result = self.run(inner)
        copy_back(given, frame, inner, f"is changed by {word!s}()")
        if result is None:
            raise Unknown(inner.unknown or f"{word!s}() returns nothing")
        if reason := inner.unknown or reason_in(result[1]):
            raise Unknown(reason)
        return cast("tuple[str, Any]", result)

    def _forget(self, items: Sequence[Instruction], frame: Frame, block: Block) -> None:
        """Note that what a block may assign, or return, depends on the run from here on."""
        if frame.routine.kind == "func" and any(item.kind == "leave" for item in items):
            frame.unknown = f"what {frame.routine.name}() returns depends on the run"
        line = frame.scope.line_column(block.start)[0]
        names = self.effects.writes(items, frame)
        frame.forget(
            names,
            f"is changed in the {block.word} of line {line}: what it is then depends on the run",
        )
        if any(self.effects.matters(item, frame) for item in items):
            self.last = None

    def _if(self, block: Block, items: list[Instruction], depth: int, frame: Frame) -> None:
        scope, branches = frame.scope, [item.inside[depth - 1][1] for item in items]
        for branch, head in enumerate(block.expressions):
            inner = [item for item, number in zip(items, branches, strict=True) if number == branch]
            try:
                if head is None:
                    holds = True
                elif block.word == "TEST":
                    holds = frame.is_case(block.subject, head)
                else:
                    holds = frame.holds(head)
            except Unknown as reason:
                if any(self.effects.matters(item, frame) for item in items):
                    moving = [item for item in inner if self.effects.matters(item, frame)]
                    others = [
                        item
                        for item, number in zip(items, branches, strict=True)
                        if number > branch and self.effects.matters(item, frame)
                    ]
                    lines = sorted({scope.line_column(item.span[0])[0] for item in others})
                    rest = f", {_lines(lines)} not" if lines else ""
                    kind = "CASE" if block.word == "TEST" else "branch"
                    taken = f"a {kind} without moves is assumed"
                    if moving:
                        line = scope.line_column(moving[0].span[0])[0]
                        taken = f"its {kind} with line {line} is driven"
                    self._add_unknown(block.word, block.start, frame, f"{reason}; {taken}{rest}")
                    self._uncertain(inner, depth, frame)
                self._forget(items, frame, block)
                return
            if holds:
                self._items(inner, depth, frame)
                return

    def _uncertain(self, items: Sequence[Instruction], depth: int, frame: Frame) -> None:
        """Run instructions of which the run tells whether they are reached."""
        certain, frame.certain = frame.certain, False
        try:
            self._items(items, depth, frame)
        finally:
            frame.certain = certain

    def _for(self, block: Block, items: list[Instruction], depth: int, frame: Frame) -> None:
        text = self.program.modules[frame.number].text
        counter = text[slice(*block.subject)].lower()
        before = frame.own.get(counter)
        try:
            values = counter_values([frame.number_at(head) for head in block.expressions if head])
        except Unknown as reason:
            self._once(block, items, depth, frame, reason)
            return
        quiet = not any(self.effects.matters(item, frame) for item in items)
        try:
            for value in values:
                if quiet and self.assignments > _MAX_STEPS:
                    self._forget(items, frame, block)
                    return
                self._step(block.start, frame, quiet)
                frame.own[counter] = Datum("num", (), value, decides=True)
                self._items(items, depth, frame)
        finally:
            if before is None:
                frame.own.pop(counter, None)
            else:
                frame.own[counter] = before

    def _while(self, block: Block, items: list[Instruction], depth: int, frame: Frame) -> None:
        head = next((head for head in block.expressions[:1] if head), None)
        quiet = not any(self.effects.matters(item, frame) for item in items)
        try:
            if head is None or not frame.holds(head):
                return
            if not self._is_endless(head, frame):
                while frame.holds(head):
                    if quiet and self.assignments > _MAX_STEPS:
                        self._forget(items, frame, block)
                        return
                    self._step(block.start, frame, quiet)
                    self._items(items, depth, frame)
                return
        except Unknown as reason:
            self._once(block, items, depth, frame, reason)
            return
        begin = len(self.moves)
        for _ in range(2):  # the second time from its own end; a third is as the second
            self._items(items, depth, frame)
        unknown = any(move.unknown for move in self.moves[begin:])
        if frame.certain and not self.uncertain_calls and not unknown:
            raise _ProgramEnded
        self._forget(items, frame, block)

    def _is_endless(self, head: tuple[int, int], frame: Frame) -> bool:
        """Return whether a condition is made of constants only: nothing in the loop changes it."""
        names = {word.lower for word in words(self.program.modules[frame.number].text, *head)}
        for name in names:
            owner = self.program.owner(frame.number, name)
            if name in frame.own and self._storage(frame, name) != "CONST":
                return False
            if owner is not None and name not in frame.own:
                declared = self.program.modules[owner].declaration(name)
                if declared.storage != "CONST":
                    return False
        return True

    @staticmethod
    def _storage(frame: Frame, name: str) -> str:
        declared = frame.scope.local.get(name)
        return "" if declared is None else str(declared.storage)

    def _once(
        self,
        block: Block,
        items: list[Instruction],
        depth: int,
        frame: Frame,
        reason: Unknown,
    ) -> None:
        """Run a loop once whose bounds depend on the run."""
        self._forget(items, frame, block)
        if any(self.effects.matters(item, frame) for item in items):
            self._add_unknown(block.word, block.start, frame, f"{reason}; it is driven once")
            self._uncertain(items, depth, frame)
            self._forget(items, frame, block)

    def _step(self, start: int, frame: Frame, quiet: bool = False) -> None:
        if quiet:  # without moves
            self.assignments += 1
            return
        self.steps += 1
        if self.steps > _MAX_STEPS:
            reason = f"the program takes more than {_MAX_STEPS} steps; check a part of it"
            raise RapidError(*frame.scope.line_column(start), reason, self._file(frame))

    def _file(self, frame: Frame) -> str:
        return self.program.modules[frame.number].file

    def _add_unknown(
        self, word: str, start: int, frame: Frame, reason: str, item: Instruction | None = None
    ) -> None:
        """Add an instruction that depends on the run, with the reason."""
        line, column = frame.scope.line_column(start)
        text = word if item is None else frame.scope.module.text[slice(*item.span)]
        module = self._other_module(frame)
        self.moves.append(
            Move(word, line, column, frame.routine.name, text, unknown=reason, module=module)
        )


def _lines(lines: list[int]) -> str:
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
