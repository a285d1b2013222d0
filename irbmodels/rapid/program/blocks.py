"""IF, TEST, FOR and WHILE: what is known of them is followed, of the rest every way is driven.

An IF or TEST that depends on the run is driven branch by branch, each from the state before it. A
loop that does is driven for its first round; later rounds are run without listing their moves, from
a state in which all that it assigns is unknown, for what they may leave behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import groupby
from typing import Protocol

from ..expressions import Unknown
from .data import Frame
from .datum import Datum
from .effects import Effects
from .flow import Flow, Left, changed_in
from .routines import Block, Instruction, words
from .run_values import counter_values

TOO_MANY = "not followed again: too many steps depend on the run"


class Run(Protocol):
    """What runs the instructions in a block."""

    effects: Effects
    flow: Flow
    silent: bool
    """Whether moves are not listed."""

    def items(self, items: Sequence[Instruction], depth: int, frame: Frame) -> None:
        """Run instructions of the same blocks up to a depth."""

    def quiet(self, really: bool = True, noting: bool = False) -> AbstractContextManager[None]:
        """List no moves within, but with ``noting`` waits."""

    def step(self, start: int, frame: Frame, quiet: bool = False) -> bool:
        """Count a round of a loop; return False if it is not followed any more."""

    def note(self, word: str, start: int, frame: Frame, reason: str) -> None:
        """List an instruction that depends on the run."""


def run_block(run: Run, block: Block, items: list[Instruction], depth: int, frame: Frame) -> None:
    """Run the instructions of a block; ``depth`` is that of the blocks within it."""
    if block.word in ("IF", "TEST"):
        _run_branches(run, block, items, depth, frame)
    elif block.word == "FOR":
        _run_for(run, block, items, depth, frame)
    else:
        _run_while(run, block, items, depth, frame)


def _run_branches(
    run: Run, block: Block, items: list[Instruction], depth: int, frame: Frame
) -> None:
    branches = {
        number: list(group)
        for number, group in groupby(items, key=lambda item: item.inside[depth - 1][1])
    }
    ways, reason = list[list[Instruction]](), ""
    for number, head in enumerate(block.expressions):
        inner, holds = branches.get(number, []), True
        try:
            if not _holds(block, head, frame):
                continue
        except Unknown as unknown:
            holds, reason = False, reason or str(unknown)
        if holds and not reason:
            run.items(inner, depth, frame)
            return
        ways.append(inner)
        if holds:
            break
    else:
        ways.append([])  # none of the conditions holds
    if not reason:
        return
    with run.quiet(not _note_branches(run, block, ways, frame, reason), noting=True):
        run.flow.choose(
            [partial(run.items, way, depth, frame) for way in ways], _where(block, frame)
        )


def _holds(block: Block, head: tuple[int, int] | None, frame: Frame) -> bool:
    """Return whether a branch is taken if those before it are not."""
    if head is None:
        return True
    return frame.is_case(block.subject, head) if block.word == "TEST" else frame.holds(head)


def _note_branches(
    run: Run, block: Block, ways: list[list[Instruction]], frame: Frame, reason: str
) -> bool:
    """List an IF or TEST of which the run tells the branch, with the lines of those with moves.

    Return whether there are any.
    """
    first = (next((item for item in way if run.effects.matters(item, frame)), None) for way in ways)
    lines = [frame.scope.line_column(item.span[0])[0] for item in first if item is not None]
    if not lines:
        return False
    kind = "CASE" if block.word == "TEST" else "branch"
    shown = f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
    quiet = "; others have no moves" if len(lines) < len(ways) else ""
    taken = f"each {kind} is driven from here ({shown}{quiet})"
    run.note(block.word, block.start, frame, f"{reason}; {taken}")
    return True


def _run_for(run: Run, block: Block, items: list[Instruction], depth: int, frame: Frame) -> None:
    counter = frame.scope.module.text[slice(*block.subject)].lower()
    quiet = not any(run.effects.matters(item, frame) for item in items)
    before = frame.own.get(counter)

    def round_with(value: float | None) -> None:
        if value is None:
            frame.own.pop(counter, None)  # the counter depends on the run
        else:
            frame.own[counter] = Datum("num", (), value, decides=True)
        run.items(items, depth, frame)

    try:
        heads = [head for head in block.expressions if head]
        start = None
        try:
            start = frame.number_at(heads[0]) if heads else None
            values = counter_values([frame.number_at(head) for head in heads])
        except Unknown as reason:
            ways = partial(round_with, start), partial(round_with, None)
            _run_undecided(run, block, items, frame, str(reason), *ways)
            return
        for number, value in enumerate(values):
            if not run.step(block.start, frame, quiet) and number > 0:
                _stop(run, block, items, frame, quiet)
                return
            round_with(value)
    finally:
        if before is None:
            frame.own.pop(counter, None)
        else:
            frame.own[counter] = before


def _run_while(run: Run, block: Block, items: list[Instruction], depth: int, frame: Frame) -> None:
    head = next((head for head in block.expressions[:1] if head), None)
    quiet = not any(run.effects.matters(item, frame) for item in items)
    way = partial(run.items, items, depth, frame)
    try:
        if head is None or not frame.holds(head):
            return
        if not _is_endless(head, frame):
            number = 0
            while frame.holds(head):
                if not run.step(block.start, frame, quiet) and number > 0:
                    _stop(run, block, items, frame, quiet)
                    return
                way()
                number += 1
            return
    except Unknown as reason:
        _run_undecided(run, block, items, frame, str(reason), way, way)
        return
    for _ in range(0 if run.silent else 2):  # the second time from its own end
        way()
    if frame.outcomes or run.silent:  # a later round may return, too
        _run_later_rounds(run, block, items, frame, way)
    if not any(item.name.lower() == "goto" for item in items):
        run.flow.ends += 1
        raise Left
    _forget(run, items, frame, block)


def _run_undecided(
    run: Run,
    block: Block,
    items: list[Instruction],
    frame: Frame,
    reason: str,
    first_round: Callable[[], None],
    later_round: Callable[[], None],
) -> None:
    """Run a loop of which the run tells how often it goes round, if at all."""
    matters = any(run.effects.matters(item, frame) for item in items)
    if matters:
        run.note(block.word, block.start, frame, f"{reason}; its first round is driven")
    if not run.silent:
        with run.quiet(not matters, noting=True):
            run.flow.choose([first_round, lambda: None], _where(block, frame))
    _run_later_rounds(run, block, items, frame, later_round)


def _run_later_rounds(
    run: Run, block: Block, items: list[Instruction], frame: Frame, way: Callable[[], None]
) -> None:
    """Leave the state that any number of further rounds may leave, and list none of their moves."""
    _forget(run, items, frame, block)
    with run.quiet():
        before = None
        while run.flow.state.settings != before:
            before = run.flow.state.settings
            run.flow.choose([lambda: None, way], _where(block, frame))
    _forget(run, items, frame, block)


def _stop(run: Run, block: Block, items: list[Instruction], frame: Frame, quiet: bool) -> None:
    """Leave out the further rounds of a loop."""
    if not quiet:
        run.note(block.word, block.start, frame, f"its further rounds are {TOO_MANY}")
    _forget(run, items, frame, block)


def _forget(run: Run, items: Sequence[Instruction], frame: Frame, block: Block) -> None:
    """Note that what a block may assign depends on the run from here on."""
    frame.forget(run.effects.writes(items, frame), changed_in(_where(block, frame)))
    if any(run.effects.matters(item, frame) for item in items):
        run.flow.state.stand = None


def _is_endless(head: tuple[int, int], frame: Frame) -> bool:
    """Return whether a condition is made of constants only: nothing in the loop changes it."""
    program, number = frame.program, frame.number
    for name in {word.lower for word in words(frame.scope.module.text, *head)}:
        if name in frame.own:
            declared = frame.scope.local.get(name)
        else:
            owner = program.owner(number, name)
            if owner is None:
                continue
            declared = program.modules[owner].declaration(name)
        if declared is None or declared.storage != "CONST":
            return False
    return True


def _where(block: Block, frame: Frame) -> str:
    """Return a block with its line: ``the IF of line 4``."""
    return f"the {block.word} of line {frame.scope.line_column(block.start)[0]}"
