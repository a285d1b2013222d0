"""Moves of a program in execution order: calls followed, loops unrolled, branches chosen.

An IF, a loop or a call that depends on the run stands in the sequence itself, as an instruction
whose :attr:`Move.unknown` says what is assumed instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
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
from .blocks import TOO_MANY, run_block
from .data import Frame, Program
from .effects import Effects, written
from .flow import Flow, Left
from .moves import first_routine, routines_of
from .routines import CHANGING, Block, Instruction, Routine, words
from .run_values import dimension, position
from .settings import WAIT

# instructions and rounds of loops; a program that takes more is checked part by part
_MAX_STEPS = 20_000
# of these in ways that the run chooses; beyond, procedures and loops are driven no second time
_MAX_DOUBTFUL = 5_000
_MAX_DEPTH = 40
"""Routines within one another; deeper ones have no end."""
_POSITIONS = frozenset(("crobt", "cjointt", "cpos"))


@refusing_depth
def sequence_of(module: Module, routine: str | None = None) -> tuple[Move, ...]:
    """Return the moves of a program in execution order.

    Procedures are followed, loops with known bounds are unrolled, ``WHILE TRUE`` goes round twice,
    and of an IF or TEST of constants the branch that holds is taken. What depends on the run stands
    there as an instruction with :attr:`Move.unknown`: a call that is not followed; a loop, of which
    the first round is driven; an IF or TEST, of which each branch that may hold is driven from the
    state before it. :attr:`Move.after` then says after which instructions a move may come.

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
    with suppress(Left):
        run.run(run.frame(0, first_routine(run.program.module, run.routines, routine), ()))
    return tuple(run.moves)


class _Interpreter:
    """Collects the moves of a program as it would run."""

    def __init__(self, module: Module) -> None:
        self.program = Program(module)
        self.routines = routines_of(module)[1]
        self.moves: list[Move] = []
        self.steps = 0
        self.doubtful = 0
        self.driven: set[int] = set()
        """Procedures that were driven, by identity."""
        self.assignments = 0
        self.effects = Effects(self.program)
        self.flow = Flow(self.program.journal)
        self.silent = False
        self.noting = False
        """Whether waits are listed while nothing else is."""

    def frame(self, number: int, routine: Routine, callers: tuple[tuple[int, int], ...]) -> Frame:
        """Return the names of a routine that is about to run, without parameters."""
        frame = self.program.frame(number, routine)
        frame.callers = (*callers, (id(routine), self.flow.doubts))
        frame.function = self._function
        return frame

    def run(self, frame: Frame) -> Any:
        """Run a routine; return the value of a function."""
        frame.declare()
        return self.flow.run_routine(
            lambda: self.items(frame.routine.instructions, 0, frame), frame
        )

    def items(self, items: Sequence[Instruction], depth: int, frame: Frame) -> None:
        """Run instructions of the same blocks up to a depth."""

        def block_of(item: Instruction) -> Block | None:
            return item.inside[depth][0] if len(item.inside) > depth else None

        for block, grouped in groupby(items, key=block_of):
            if block is None:
                for item in grouped:
                    self._item(item, frame)
            elif "handler" in block.word:
                kinds = ("move", "other", "setting")
                listed = [frame.scope.move(item) for item in grouped if item.kind in kinds]
                self.moves += [] if self.silent else listed
            else:
                run_block(self, block, list(grouped), depth + 1, frame)

    def _item(self, item: Instruction, frame: Frame) -> None:
        if item.kind == "assign":
            self._assign(item, frame)
        elif item.kind == "write":
            frame.forget(written(item, frame), self._changed(item, frame))
        elif item.kind != "declaration":
            self.step(item.span[0], frame)
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
        programmed, state = move, self.flow.state
        if item.kind == "setting":
            with suppress(Unknown):
                given = frame.scope.arguments(item.span, frame)
                move = state.settings.apply(move, *given)
        elif move.is_motion:
            move = state.settings.moved(move)
        self._list(replace(move, inside=(), module=self._other_module(frame)))
        searches = item.name.lower().startswith("search")  # and writes the point that it found
        if item.kind == "other" or searches:
            frame.forget(written(item, frame), self._changed(item, frame))
        if move.is_motion:
            state.stand = None if programmed.unknown or searches else programmed
        elif item.name.lower() == "goto":
            state.stand = None
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
        """Leave the routine, or with EXIT the program."""
        ends = item.name.lower().startswith("exit")
        doubtful = self.flow.doubts > (0 if ends else frame.callers[-1][1])
        if doubtful and frame.routine.kind != "func":
            reason = "whether it is reached depends on the run; the moves after it are driven"
            self.note(item.name, item.span[0], frame, reason)
        if ends:
            self.flow.ends += 1
        else:
            result = self._returned(item, frame)
            frame.outcomes.append(self.flow.now(frame.scope_of_run, result))
        raise Left

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
            self.note(item.name, item.span[0], frame, reason, item)
            frame.forget(written(item, frame), self._changed(item, frame))
            self.flow.state.stand = None
            return
        number, called = found
        if reason := self._not_followed(called, item, frame):
            self.note(item.name, item.span[0], frame, reason, item)
            frame.forget(self.effects.writes([item], frame), self._changed(item, frame))
            self.flow.state.stand = None
            return
        self.driven.add(id(called))
        inner = self.frame(number, called, frame.callers)
        try:
            given = self._bound(item, frame, inner)
        except Unknown as reason:
            if self.effects.matters(item, frame):
                text = f"{reason}, and is not followed"
                self.note(item.name, item.span[0], frame, text, item)
            frame.forget(written(item, frame), self._changed(item, frame))
            return
        try:
            self.run(inner)
        finally:
            copy_back(given, frame, inner, self._changed(item, frame))

    def _not_followed(self, called: Routine, item: Instruction, frame: Frame) -> str:
        """Return why a call is not followed; empty if it is.

        Raises:
            RapidError: if the procedure calls itself without end.
        """
        runs = [doubts for one, doubts in frame.callers if one == id(called)]
        endless = len(runs) > _MAX_DEPTH
        if endless and not self.flow.doubts:
            reason = f"{called.name} calls itself: its moves have no end"
            raise RapidError(*frame.scope.line_column(item.span[0]), reason, self._file(frame))
        if endless or (runs and self.flow.doubts > runs[0]):
            return f"{called.name} calls itself if the run wants it, and is not followed"
        if self.doubtful > _MAX_DOUBTFUL and id(called) in self.driven:
            return f"it is driven above, and {TOO_MANY}"
        return ""

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
            return position(self.flow.state.stand, evaluator, node)
        if word.lower() == "dim":
            return dimension(frame, evaluator, node)
        found = self.program.routine(frame.number, word.lower())
        if found is None or found[1].kind != "func":
            raise Unknown(f"{word!s}() is not evaluated")
        if len(frame.callers) > _MAX_DEPTH:
            raise Unknown(f"{word!s}() calls itself too often")
        if not self.step(frame.routine.span[0], frame):
            raise Unknown(f"{word!s}() is {TOO_MANY}")
        inner = self.frame(*found, frame.callers)
        given = bind(evaluator, *arguments_of(node), inner)
        result = self.run(inner)
        copy_back(given, frame, inner, f"is changed by {word!s}()")
        if result is None:
            raise Unknown(f"{word!s}() returns nothing")
        if reason := reason_in(result):
            raise Unknown(reason)
        return cast("tuple[str, Any]", result)

    @contextmanager
    def quiet(self, really: bool = True, noting: bool = False) -> Iterator[None]:
        """List no moves within, but with ``noting`` waits."""
        before = self.silent, self.noting
        self.silent, self.noting = (
            self.silent or really,
            noting and (self.noting or not self.silent),
        )
        try:
            yield
        finally:
            self.silent, self.noting = before

    def step(self, start: int, frame: Frame, quiet: bool = False) -> bool:
        """Count a step; return False if there are too many to follow.

        Those of loops without moves, and of ways that the run chooses, may be left out.
        """
        if quiet:
            self.assignments += 1
            return self.assignments <= _MAX_STEPS
        if self.flow.doubts:
            self.doubtful += 1
            return self.doubtful <= _MAX_DOUBTFUL
        self.steps += 1
        if self.steps > _MAX_STEPS:
            reason = f"the program takes more than {_MAX_STEPS} steps; check a part of it"
            raise RapidError(*frame.scope.line_column(start), reason, self._file(frame))
        return True

    def _file(self, frame: Frame) -> str:
        return self.program.modules[frame.number].file

    def note(
        self, word: str, start: int, frame: Frame, reason: str, item: Instruction | None = None
    ) -> None:
        """List an instruction that depends on the run, with the reason."""
        line, column = frame.scope.line_column(start)
        text = word if item is None else frame.scope.module.text[slice(*item.span)]
        module = self._other_module(frame)
        self._list(
            Move(word, line, column, frame.routine.name, text, unknown=reason, module=module)
        )

    def _list(self, move: Move) -> None:
        """Add an instruction to the sequence."""
        if self.silent and not (self.noting and move.effect == WAIT):
            return
        number, state = len(self.moves), self.flow.state
        after = tuple(number - last for last in state.last) or (1,)
        self.moves.append(move if after == (1,) else replace(move, after=after))
        state.last = (number,)
