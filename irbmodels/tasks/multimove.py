"""Programs of a controller's tasks (MultiMove): their files, and where tasks wait for each other.

Source of what must agree: ABB, Application manual MultiMove, 3HAC021272-001 Rev H, pp. 57 and 80.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from ..rapid import Move
from ..robot.robot import Robot
from .path_check import MoveTiming, PathCheck

_WAITING = re.compile(
    r"\s*(WaitSyncTask|SyncMoveOn|SyncMoveOff)\s+(?:\\\s*\w+\s*(?::=\s*[^,\\;]*)?,?\s*)*(\w+)",
    re.IGNORECASE,
)
_ID = re.compile(r"\\\s*ID\s*:=\s*(\w+)", re.IGNORECASE)


class SyncPoint(NamedTuple):
    r"""One instruction at which a task waits for others, or a move that has an ``\ID``."""

    instruction: str
    ident: str
    """Name of the syncident, or ID of the move; empty of a move without one."""
    section: str
    """Syncident of the ``SyncMoveOn`` that it stands behind; empty if behind none."""
    line: int
    start: float
    """Of a move, in the time of its task alone [s]; NaN of others, and of moves not driven."""
    end: float

    @property
    def is_move(self) -> bool:
        """True for a move."""
        return _WAITING.match(f"{self.instruction} x") is None

    @property
    def duration(self) -> float:
        """Time of the move [s]."""
        return self.end - self.start


class TaskCheck(NamedTuple):
    """The checked program of one task."""

    name: str
    """``T_ROB1`` ..."""
    robot: Robot
    check: PathCheck
    points: tuple[SyncPoint, ...]


def sync_points(moves: Iterable[Move], timings: Sequence[MoveTiming]) -> tuple[SyncPoint, ...]:
    """Return where a task waits for others, in the order of its program.

    Args:
        moves: As ``irbmodels.rapid.sequence_of(module)`` lists them.
        timings: Of the moves that are driven, as a program's motion has them.
    """
    points, section, left = list[SyncPoint](), "", list(timings)
    for move in moves:
        waiting = _WAITING.match(move.text)
        if waiting:
            word, ident = waiting.groups()
            point = SyncPoint(word, ident, section, move.line, math.nan, math.nan)
            points.append(point)
            section = {"syncmoveon": ident, "syncmoveoff": ""}.get(word.lower(), section)
        elif move.is_motion:
            index = next((k for k, time in enumerate(left) if time.line == move.line), None)
            start = end = math.nan
            if index is not None:
                start, end = left[index].start, left[index].end
                left = left[index + 1 :]
            found = _ID.search(move.text)
            if section or found:
                ident = found[1] if found else ""
                points.append(SyncPoint(move.instruction, ident, section, move.line, start, end))
    return tuple(points)


def sync_problems(tasks: Mapping[str, Sequence[SyncPoint]]) -> tuple[str, ...]:
    """Return what keeps tasks from meeting, with task and line; empty if nothing does."""
    problems = [line for name, points in tasks.items() for line in _own_problems(name, points)]
    for name, points in tasks.items():
        elsewhere = {_key(point) for other, own in tasks.items() if other != name for point in own}
        problems += [
            f"{name} line {point.line}: {point.instruction} {point.ident} waits for no other task"
            for point in points
            if not point.is_move and _key(point) not in elsewhere
        ]
    for (one, first), (other, second) in combinations(tasks.items(), 2):
        problems += _pair_problems(one, first, other, second)
    return tuple(dict.fromkeys(problems))


def joint_moves(
    tasks: Mapping[str, Sequence[SyncPoint]],
) -> Iterator[tuple[str, str, dict[str, SyncPoint]]]:
    """Yield section, ID and the moves by task that are executed together, in their order.

    A section that is run several times is one for each time.
    """
    runs = {name: _sections(points) for name, points in tasks.items()}
    for key in dict.fromkeys(key for own in runs.values() for key in own):
        sections = {name: own[key] for name, own in runs.items() if key in own}
        for ident in dict.fromkeys(move.ident for own in sections.values() for move in own):
            rows = {
                name: next(move for move in own if move.ident == ident)
                for name, own in sections.items()
                if any(move.ident == ident for move in own)
            }
            if ident:
                yield key[0], ident, rows


def _key(point: SyncPoint) -> tuple[str, str]:
    return point.instruction.lower(), point.ident.lower()


def _own_problems(name: str, points: Sequence[SyncPoint]) -> Iterator[str]:
    """Yield what a task breaks by itself: every move of a section has an ID of its own."""
    for point in points:
        where = f"{name} line {point.line}: {point.instruction}"
        if point.is_move and point.section and not point.ident:
            yield f"{where} after SyncMoveOn {point.section} has no \\ID"
        elif point.is_move and not point.section:
            yield f"{where} has \\ID:={point.ident}, and no SyncMoveOn stands before it"
    for (section, _), moves in _sections(points).items():
        lines: dict[str, int] = {}
        for move in moves:
            if move.ident and lines.setdefault(move.ident, move.line) != move.line:
                yield (
                    f"{name} line {move.line}: \\ID:={move.ident} is that of line"
                    f" {lines[move.ident]}, too, after SyncMoveOn {section}"
                )


def _pair_problems(
    one: str, first: Sequence[SyncPoint], other: str, second: Sequence[SyncPoint]
) -> Iterator[str]:
    """Yield what two tasks do not agree in: the order of their points, the moves of a section."""
    common = {_key(point) for point in first} & {_key(point) for point in second}
    orders = [
        [point for point in points if not point.is_move and _key(point) in common]
        for points in (first, second)
    ]
    for a, b in zip(*orders, strict=False):
        if _key(a) != _key(b):
            yield (
                f"{one} line {a.line} waits at {a.instruction} {a.ident}, and {other} line {b.line}"
                f" at {b.instruction} {b.ident}: neither goes on"
            )
            break
    mine, theirs = _sections(first), _sections(second)
    for key in mine.keys() & theirs.keys():
        ids = [[move.ident for move in own[key]] for own in (mine, theirs)]
        if ids[0] != ids[1]:
            shown = [", ".join(part) or "none" for part in ids]
            yield (
                f"SyncMoveOn {key[0]}: moves of {one} have the IDs {shown[0]}, those of {other}"
                f" {shown[1]}"
            )


def _sections(points: Sequence[SyncPoint]) -> dict[tuple[str, int], list[SyncPoint]]:
    """Return the moves of each section, by its syncident and how often it was run before."""
    sections: dict[tuple[str, int], list[SyncPoint]] = {}
    runs: dict[str, int] = {}
    for point in points:
        if point.instruction.lower() == "syncmoveon":
            runs[point.ident] = runs.get(point.ident, -1) + 1
            sections[point.ident, runs[point.ident]] = []
        elif point.is_move and point.section:
            sections[point.section, runs[point.section]].append(point)
    return sections
