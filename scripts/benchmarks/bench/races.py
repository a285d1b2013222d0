"""Races: contestants answer in turns within one run, so that whatever disturbs the machine disturbs
all of them.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from .first_answer import ONE
from .record import NS, Claim, Row, Spread

Rounds = NDArray[np.float64]
"""One value per round."""


class Contestant(NamedTuple):
    """One way to answer a query."""

    who: str
    """Whose code: irbmodels, pin, mujoco ..."""
    how: str
    run: Callable[[], object]
    states: int
    """Answered by one run."""
    layout: str = ""
    precision: str = "double"


class Effort(NamedTuple):
    """How much work a run is."""

    rounds: int
    """Turns of every contestant; the median counts."""
    fresh: int
    """Processes that are started for each first answer."""
    turn: float
    """Shortest turn [s]: a contestant that is faster answers several times."""
    batch: int
    """States of an array that fits into the second-level cache."""
    large: int
    """States of an array that does not."""
    slow: int
    """States for contestants that loop in Python."""
    quick: bool

    def with_rounds(self, rounds: int) -> Effort:
        """Return the same work in another number of rounds, and processes in proportion."""
        fresh = max(1, round(self.fresh * rounds / self.rounds))
        return self._replace(rounds=rounds, fresh=fresh)


FULL = Effort(rounds=25, fresh=5, turn=5e-3, batch=4096, large=100_000, slow=500, quick=False)
QUICK = Effort(rounds=2, fresh=1, turn=1e-5, batch=64, large=2000, slow=2, quick=True)


class Results:
    """What a run has found so far."""

    def __init__(self, effort: Effort, progress: Progress) -> None:
        """Start empty."""
        self.effort, self.progress = effort, progress
        self.task = progress.add_task("")
        self.rows: list[Row] = []
        self.claims: list[Claim] = []
        self.notes: list[str] = []

    def race(self, group: str, contestants: Sequence[Contestant]) -> dict[str, Rounds]:
        """Let contestants answer in turns.

        Return, and keep, the nanoseconds per state of each round by ``how``.
        """
        times = race(
            contestants,
            self.effort,
            lambda done: self.tell(f"{group}, {done}"),
        )
        for each, ns in zip(contestants, times, strict=True):
            where = 1 if each.layout == ONE else each.states, each.layout, each.precision
            self.rows.append(Row(group, each.who, each.how, NS, Spread.of(ns), *where))
        return {each.how: ns for each, ns in zip(contestants, times, strict=True)}

    def number(
        self, group: str, name: str, values: Any, unit: str, better: str = "lower", **where: Any
    ) -> None:
        """Keep another quantity, of one value or one per round."""
        who = where.pop("who", "")
        self.rows.append(Row(group, who, name, unit, Spread.of(values), **where, better=better))

    def tell(self, text: str) -> None:
        """Show what is being measured."""
        self.progress.update(self.task, description=text)

    def steps(self, steps: Sequence[tuple[str, Callable[[Results], None]]]) -> None:
        """Run one measurement after the other, and show how far it is."""
        self.progress.update(self.task, total=len(steps))
        for name, step in steps:
            self.progress.update(self.task, description=name)
            step(self)
            self.progress.advance(self.task)

    def faster(self, what: str, against: str, ours: Rounds, theirs: Rounds, bound: float) -> None:
        """Claim that theirs takes at least ``bound`` times as long as ours, in the median."""
        mine, other = float(np.median(ours)), float(np.median(theirs))
        self.claims.append(Claim(what, against, mine, other, other / mine, bound, True, "x"))

    def not_slower(
        self, what: str, against: str, ours: Rounds, theirs: Rounds, bound: float
    ) -> None:
        """Claim that ours takes at most ``bound`` times as long as theirs, in the median."""
        mine, other = float(np.median(ours)), float(np.median(theirs))
        self.claims.append(Claim(what, against, mine, other, mine / other, bound, False, "x"))

    def within(self, what: str, values: Any, bound: float, unit: str) -> None:
        """Claim that a number, or its median, is at most ``bound``."""
        self.claims.append(
            Claim(what, "", None, None, float(np.median(values)), bound, False, unit)
        )


def race(
    contestants: Sequence[Contestant],
    effort: Effort,
    tell: Callable[[str], object] = lambda done: None,
) -> list[Rounds]:
    """Return the time of each contestant in each round [ns per state].

    Everybody has a turn in every round.
    """
    turns = [_turn(contestant.run, effort.turn) for contestant in contestants]
    times = np.empty((len(contestants), effort.rounds))
    collecting = gc.isenabled()
    gc.disable()  # a pause would hit whoever is at it
    try:
        for number in range(effort.rounds):
            tell(f"round {number + 1} of {effort.rounds}")
            for kept, contestant, turn in zip(times, contestants, turns, strict=True):
                kept[number] = 1e9 * _seconds(contestant.run, turn) / (turn * contestant.states)
    finally:
        if collecting:
            gc.enable()
    return list(times)


def calls(
    function: Callable[..., object], *arguments: Any, number: int = 2000
) -> Callable[[], None]:
    """Return a run of ``number`` calls with the same arguments, and as little as possible around
    them.
    """

    def run() -> None:
        for _ in repeat(None, number):
            function(*arguments)

    return run


def _turn(run: Callable[[], object], shortest: float) -> int:
    """How many runs make a turn; the first two runs compile, load and warm up."""
    run()
    return max(1, round(shortest / max(min(_seconds(run, 1) for _ in range(2)), 1e-9)))


def _seconds(run: Callable[[], object], number: int) -> float:
    start = time.perf_counter()
    for _ in repeat(None, number):
        run()
    return time.perf_counter() - start
