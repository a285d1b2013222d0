"""State of a program that runs, and the ways through an instruction that the run chooses from.

Each way is run from the state before it; the program goes on with what all of them agree in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..expressions import Unset
from .arguments import Move
from .data import Frame
from .datum import Journal, Values, joined
from .settings import Settings


class Left(Exception):
    """The instructions after this one are not reached: a RETURN, an EXIT, a loop without end."""


@dataclass
class State:
    """What later moves depend on, beside data."""

    settings: Settings
    stand: Move | None = None
    """The last move; None if it is not known where the robot stands."""
    last: tuple[int, ...] = ()
    """Numbers in the sequence of the instructions that may come right before the next one."""

    def copy(self) -> State:
        """Return a state that changes apart from this one."""
        return replace(self, settings=self.settings.copy())

    def joined(self, other: State, where: str) -> State:
        """Return what two states agree in; ``where`` names the instruction that they come from."""
        return State(
            self.settings.joined(other.settings, where),
            self.stand if _place(self.stand) == _place(other.stand) else None,
            tuple(dict.fromkeys((*self.last, *other.last))),
        )


def _place(stand: Move | None) -> tuple[Any, ...]:
    """Return what tells where a robot stands after a move."""
    return () if stand is None else (stand.target, stand.zone, stand.tool_name, stand.wobj_name)


class Outcome(NamedTuple):
    """The state at the end of one way, as far as it differs from that before it."""

    data: Values
    state: State
    result: Any = None
    """Of a function."""


class Flow:
    """The state of a run, and its ways."""

    def __init__(self, journal: Journal) -> None:
        """Begin with the state of a controller that starts a program."""
        self.journal = journal
        self.state = State(Settings.initial())
        self.doubts = 0
        """How many instructions left to the run whether the present one is reached."""
        self.ends = 0
        """How many ways ended the program, or never go on."""

    def now(self, scope: int, result: Any = None) -> Outcome:
        """Return the present state, with the data written since a scope of the journal began."""
        return Outcome(self.journal.written(scope), self.state.copy(), result)

    def attempt(self, way: Callable[[], None]) -> Outcome | None:
        """Run one way, and come back to the state before it.

        Return the state at its end; None if that is not reached.
        """
        before, doubts, ends = self.state, self.doubts, self.ends
        self.state, self.doubts = before.copy(), doubts + 1
        scope = self.journal.begin()
        try:
            way()
            return self.now(scope)
        except Left:
            return None
        finally:
            self.journal.undo()
            self.state, self.doubts = before, doubts + (self.ends > ends)

    def choose(self, ways: Sequence[Callable[[], None]], where: str) -> None:
        """Run ways of which the run takes one; go on with what they agree in.

        Raises:
            Left: if none of them goes on.
        """
        outcomes = [self.attempt(way) for way in ways]
        going = [one for one in outcomes if one is not None]
        self.doubts += len(going) < len(outcomes)
        if not going:
            raise Left
        self.go_on(going, where)

    def go_on(self, outcomes: Sequence[Outcome], where: str) -> Any:
        """Go on with what outcomes agree in; return what their results agree in."""
        self.journal.join([one.data for one in outcomes], changed_in(where))
        first, *others = outcomes
        state, result = first.state, first.result
        unset = Unset(f"what {where} returns depends on the run")
        for other in others:
            state = state.joined(other.state, where)
            result = joined(result, other.result, unset)
        self.state = state
        return result

    def run_routine(self, way: Callable[[], None], frame: Frame) -> Any:
        """Run a routine, each RETURN of which adds to ``frame.outcomes``; return what it returns.

        Raises:
            Left: if the program ends in it.
        """
        doubts, ends = self.doubts, self.ends
        frame.scope_of_run = self.journal.begin()
        try:
            way()
            if frame.outcomes:
                frame.outcomes.append(self.now(frame.scope_of_run))
        except Left:
            if not frame.outcomes:
                self.journal.keep(frame.own.values())
                raise
        except BaseException:
            self.journal.keep(frame.own.values())
            raise
        self.doubts = doubts + (self.ends > ends)
        result = None
        if frame.outcomes:
            self.journal.undo()
            self.journal.begin()
            result = self.go_on(frame.outcomes, f"{frame.routine.name}()")
        self.journal.keep(frame.own.values())
        return result


def changed_in(where: str) -> str:
    """Return why a datum is not known after an instruction of which the run takes one way."""
    return f"is changed in {where}: what it is then depends on the run"
