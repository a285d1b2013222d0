"""One thing that is wrong with a URDF, and how bad it is."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .xml import Tag, shown

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Finding(NamedTuple):
    """One thing that is wrong, or worth knowing."""

    severity: Severity
    place: str
    """What kind of thing has it: ``robot``, ``link`` or ``joint``."""
    name: str
    """Name of that robot, link or joint, empty where it has none."""
    what: str
    """Kind of finding, the same few words in every file."""
    value: str
    """What stands in the file."""
    reason: str
    """Why it is wrong, or who stumbles over it."""
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
