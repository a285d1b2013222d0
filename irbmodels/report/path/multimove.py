"""Table and record of what the tasks of a controller do together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ...tasks.multimove import SyncPoint, TaskCheck, joint_moves
from ..text_table import TextTable

_WORDS = {word.lower(): word for word in ("WaitSyncTask", "SyncMoveOn", "SyncMoveOff")}


def sync_table(tasks: Sequence[TaskCheck]) -> TextTable:
    """Return the points where tasks wait, and the moves that they make together.

    Each with its line and, of a move, the time that it takes in its task alone.
    """
    heads = ("waits at", "ID", *(task.name for task in tasks), "slowest")
    rows = [
        (where, ident, *(_cell(rows.get(task.name)) for task in tasks), _slowest(rows))
        for where, ident, rows in _rows(tasks)
    ]
    title = "tasks together: line, instruction, and the time of a move in its task alone"
    return TextTable(*heads, rows=rows, title=title, keys=2)


def sync_record(tasks: Sequence[TaskCheck], problems: Sequence[str]) -> dict[str, Any]:
    """Return the same as plain values, with what keeps tasks from meeting."""
    points = [
        {
            "waits_at": where,
            "id": ident or None,
            "slowest": _slowest(rows) or None,
            "tasks": {
                name: {
                    "instruction": point.instruction,
                    "line": point.line,
                    "duration_s": point.duration if math.isfinite(point.duration) else None,
                }
                for name, point in rows.items()
            },
        }
        for where, ident, rows in _rows(tasks)
    ]
    return {"points": points, "problems": list(problems)}


def _rows(tasks: Sequence[TaskCheck]) -> Iterator[tuple[str, str, dict[str, SyncPoint]]]:
    """Yield syncidents and their waiting instructions, after SyncMoveOn its moves by ID."""
    waiting: dict[tuple[str, str], dict[str, SyncPoint]] = {}
    for task in tasks:
        for point in task.points:
            if not point.is_move:
                key = point.ident, _WORDS[point.instruction.lower()]
                waiting.setdefault(key, {}).setdefault(task.name, point)
    moves = list(joint_moves({task.name: task.points for task in tasks}))
    for (ident, instruction), rows in waiting.items():
        yield ident, "", rows
        if instruction == "SyncMoveOn":
            yield from (move for move in moves if move[0] == ident)


def _cell(point: SyncPoint | None) -> str:
    if point is None:
        return "-"
    time = f", {point.duration:.3f} s" if math.isfinite(point.duration) else ""
    return f"{point.line}: {point.instruction}{time}"


def _slowest(rows: dict[str, SyncPoint]) -> str:
    known = {name: one.duration for name, one in rows.items() if math.isfinite(one.duration)}
    return max(known, key=lambda name: known[name]) if known else ""
