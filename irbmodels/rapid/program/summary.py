"""Counts of a program's moves: those whose target is known, and causes of the others by line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...checks import as_list
from .arguments import Move

_SHOWN = 5  # causes that a summary's text shows; the path check's notes list them all


@dataclass(frozen=True)
class MoveSummary:
    """How many moves of a program are resolved, and why the others are not."""

    resolved: int
    """Moves with target, speed and zone."""
    unresolved: tuple[Move, ...]
    """Moves without, each with the reason in ``unknown``."""
    others: tuple[Move, ...]
    """Other instructions that depend on the run: branches, calls, displacements."""

    @property
    def total(self) -> int:
        """Number of moves."""
        return self.resolved + len(self.unresolved)

    @property
    def causes(self) -> dict[str, tuple[str, ...]]:
        """Lines of the unresolved moves by cause, the most frequent cause first."""
        lines: dict[str, list[str]] = {}
        for move in self.unresolved:
            where = f"{move.line} of {move.module}" if move.module else f"{move.line}"
            lines.setdefault(move.unknown, []).append(where)
        ordered = sorted(lines.items(), key=lambda cause: -len(cause[1]))
        return {cause: tuple(dict.fromkeys(where)) for cause, where in ordered}

    def __str__(self) -> str:
        """Return the counts, and the most frequent causes with their lines."""
        text = f"{self.resolved} of {self.total} moves resolved"
        causes = list(self.causes.items())
        for cause, lines in causes[:_SHOWN]:
            text += f"; line{'s' if len(lines) > 1 else ''} {', '.join(lines)}: {cause}"
        rest = len(causes) - _SHOWN
        return text + (f"; and {rest} more causes" if rest > 0 else "")


def summary_of(moves: Iterable[Move]) -> MoveSummary:
    """Return how many of a program's moves are resolved, and why the others are not.

    Args:
        moves: As :func:`sequence_of` or :func:`moves_of` lists them; one that runs several times
            counts each time.

    Raises:
        InputError: if they are none.
    """
    given = as_list(moves, Move, "moves are those that irbmodels.rapid.sequence_of(module) lists")
    known = [move for move in given if move.is_motion and move.target and not move.unknown]
    unresolved = [move for move in given if move.is_motion and move.unknown]
    others = [move for move in given if move.unknown and not move.is_motion]
    return MoveSummary(len(known), tuple(unresolved), tuple(others))
