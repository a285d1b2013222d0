"""A finding about a URDF: a fault or a remark, with its severity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from .xml import Tag, shown

Severity = Literal["error", "warning", "note"]

Rule = tuple[bool, Severity, str, str, str]
"""Condition, severity, kind, value and reason of a finding."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Finding(NamedTuple):
    """A fault of a URDF, or a remark."""

    severity: Severity
    place: str
    """``robot``, ``link`` or ``joint``."""
    name: str
    """Name of that robot, link or joint, empty where it has none."""
    what: str
    """Kind of finding, the same few words in every file."""
    value: str
    """Value in the file."""
    reason: str
    """Why it is wrong, or which tools do not accept it."""
    line: int
    """Line of the file, from 1."""

    def __str__(self) -> str:
        """Return one line."""
        value = f" ({self.value})" if self.value else ""
        return (
            f"{self.severity}: line {self.line}: {self.place} {shown(self.name)}:"
            f" {self.what}{value}: {self.reason}"
        )


def finding_at(
    severity: Severity, owner: Tag, what: str, value: str, reason: str, at: Tag | None = None
) -> Finding:
    """Return a finding about a tag, at the line of another where the fault is there."""
    return Finding(
        severity, owner.name, owner.get("name") or "", what, value, reason, (at or owner).line
    )


def first_finding(owner: Tag, at: Tag | None, rules: Iterable[Rule]) -> Iterator[Finding]:
    """Yield the finding of the first rule whose condition holds."""
    for holds, severity, what, value, reason in rules:
        if holds:
            yield finding_at(severity, owner, what, value, reason, at)
            return
