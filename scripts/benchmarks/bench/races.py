"""Races: contestants answer in turns within one run, so that whatever disturbs the machine disturbs
all of them.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from rich.progress import Progress


class Contestant(NamedTuple):
    """One way to answer a query."""

    who: str
    """Whose code: irbmodels, pin, mujoco ..."""
    how: str
    run: Callable[[], object]
    states: int
    """Answered by one run."""


class Timing(NamedTuple):
    """Median time of a contestant."""

    query: str
    who: str
    how: str
    ns: float
    """Per state."""


class Claim(NamedTuple):
    """Something that must hold, and what was measured."""

    what: str
    against: str
    ours: float | None
    """Nanoseconds per state, where the claim is a ratio."""
    theirs: float | None
    reached: float
    bound: float
    at_least: bool
    unit: str

    @property
    def holds(self) -> bool:
        """Whether the bound is kept."""
        return self.reached >= self.bound if self.at_least else self.reached <= self.bound


class Effort(NamedTuple):
    """How much work a run is."""

    rounds: int
    """Turns of every contestant; the median counts."""
    turn: float
    """Shortest turn [s]: a contestant that is faster answers several times."""
    batch: int
    """States of an array that fits into the second-level cache."""
    large: int
    """States of an array that does not."""
    slow: int
    """States for contestants that loop in Python."""
    quick: bool


FULL = Effort(rounds=25, turn=5e-3, batch=4096, large=100_000, slow=500, quick=False)
QUICK = Effort(rounds=2, turn=1e-5, batch=64, large=2000, slow=2, quick=True)


class Results:
    """What a run has found so far."""

    def __init__(self, effort: Effort, progress: Progress) -> None:
        """Start empty."""
        self.effort, self.progress = effort, progress
        self.timings: list[Timing] = []
        self.claims: list[Claim] = []
        self.numbers: dict[str, dict[str, float]] = {}
        """Other numbers by table, each named with its unit."""
        self.notes: list[str] = []

    def race(self, query: str, contestants: Sequence[Contestant]) -> dict[str, float]:
        """Let contestants answer in turns.

        Return, and keep, the median nanoseconds per state by ``how``.
        """
        medians = race(
            contestants,
            self.effort,
            lambda done: self.progress.update(self.task, description=f"{query}, {done}"),
        )
        timings = [
            Timing(query, each.who, each.how, ns)
            for each, ns in zip(contestants, medians, strict=True)
        ]
        self.timings += timings
        return {timing.how: timing.ns for timing in timings}

    def steps(self, steps: Sequence[tuple[str, Callable[[Results], None]]]) -> None:
        """Run one measurement after the other, and show how far it is."""
        self.task = self.progress.add_task("", total=len(steps))
        for name, step in steps:
            self.progress.update(self.task, description=name)
            step(self)
            self.progress.advance(self.task)

    def faster(self, what: str, against: str, ours: float, theirs: float, bound: float) -> None:
        """Claim that theirs takes at least ``bound`` times as long as ours."""
        self.claims.append(Claim(what, against, ours, theirs, theirs / ours, bound, True, "x"))

    def not_slower(self, what: str, against: str, ours: float, theirs: float, bound: float) -> None:
        """Claim that ours takes at most ``bound`` times as long as theirs."""
        self.claims.append(Claim(what, against, ours, theirs, ours / theirs, bound, False, "x"))

    def within(self, what: str, reached: float, bound: float, unit: str) -> None:
        """Claim that a number is at most ``bound``."""
        self.claims.append(Claim(what, "", None, None, reached, bound, False, unit))


def race(
    contestants: Sequence[Contestant],
    effort: Effort,
    tell: Callable[[str], object] = lambda done: None,
) -> list[float]:
    """Return the median time of each contestant [ns per state].

    Everybody has a turn in every round.
    """
    turns = [_turn(contestant.run, effort.turn) for contestant in contestants]
    times: list[list[float]] = [[] for _ in contestants]
    collecting = gc.isenabled()
    gc.disable()  # a pause would hit whoever is at it
    try:
        for number in range(effort.rounds):
            tell(f"round {number + 1} of {effort.rounds}")
            for contestant, turn, kept in zip(contestants, turns, times, strict=True):
                kept.append(1e9 * _seconds(contestant.run, turn) / (turn * contestant.states))
    finally:
        if collecting:
            gc.enable()
    return [statistics.median(kept) for kept in times]


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
