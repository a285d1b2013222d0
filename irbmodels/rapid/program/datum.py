"""Values of data while a program runs, and the journal of what changes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..expressions import Partial, Unset, reason_in
from ..records import Value


@dataclass
class Datum:
    """One datum: its type, and its value now."""

    type: str
    size: tuple[int, ...]
    value: Any
    """An :class:`Unset` if it depends on the run."""
    decides: bool = False
    """Whether a condition is decided by it: a constant, or assigned by this run from such."""
    shared: bool = False
    """Whether it is a PERS."""
    constant: bool = False
    """Whether it is a CONST, which nothing can change."""
    name: str = ""


Values = dict[int, tuple[Datum, Any, bool]]
"""Data by identity, each with a value and whether a condition is decided by it."""


class Journal:
    """What is written to data, so that a branch can be taken back: scopes within one another."""

    def __init__(self) -> None:
        """Begin with no scope: what is written stays."""
        self._scopes: list[Values] = []
        """What data were before they were first written to in a scope, the outermost first."""

    def write(self, datum: Datum, value: Any, decides: bool) -> None:
        """Give a datum a value."""
        if self._scopes:
            self._scopes[-1].setdefault(id(datum), (datum, datum.value, datum.decides))
        datum.value, datum.decides = value, decides

    def begin(self) -> int:
        """Begin a scope; return its number."""
        self._scopes.append({})
        return len(self._scopes) - 1

    def written(self, scope: int) -> Values:
        """Return what is written since a scope began, with the values now."""
        return {
            key: (datum, datum.value, datum.decides)
            for each in self._scopes[scope:]
            for key, (datum, _, _) in each.items()
        }

    def undo(self) -> None:
        """End the innermost scope: all data are as they were before it."""
        for datum, value, decides in self._scopes.pop().values():
            datum.value, datum.decides = value, decides

    def keep(self, gone: Iterable[Datum]) -> None:
        """End the innermost scope, what was written stays; ``gone`` are data that end with it."""
        ended = self._scopes.pop()
        for datum in gone:
            ended.pop(id(datum), None)
        if self._scopes:
            self._scopes[-1].update(
                (key, before) for key, before in ended.items() if key not in self._scopes[-1]
            )

    def join(self, outcomes: Sequence[Values], reason: str) -> None:
        """Write what several outcomes agree in; where they differ, the run tells the value."""
        for key in dict.fromkeys(key for each in outcomes for key in each):
            datum = next(each[key][0] for each in outcomes if key in each)
            present = datum, datum.value, datum.decides
            given = [each.get(key, present) for each in outcomes]
            value = given[0][1]
            for _, other, _ in given[1:]:
                value = joined(value, other, Unset(f"{datum.name} {reason}"))
            self.write(datum, value, all(decides for _, _, decides in given))


def joined(one: Any, other: Any, unset: Unset) -> Any:
    """Return what two values agree in, by element and component; ``unset`` where they do not."""
    if one is other or one == other or (isinstance(one, Unset) and isinstance(other, Unset)):
        return one
    records = [value for value in (one, other) if isinstance(value, Value | Partial)]
    arrays = isinstance(one, tuple) and isinstance(other, tuple) and not records
    if not (arrays or len(records) == 2) or len(tuple(one)) != len(tuple(other)):
        return unset
    parts = [joined(a, b, unset) for a, b in zip(one, other, strict=True)]
    if arrays:
        return tuple(parts)
    return Partial(parts) if any(map(reason_in, parts)) else one
