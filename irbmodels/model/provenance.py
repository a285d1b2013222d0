"""Where numbers come from, and how good they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Grade = Literal["measured", "identified", "published", "derived", "assumed"]


@dataclass(frozen=True)
class Source:
    """Where numbers come from: a pinned reference, its licence, how good it is, and how they were taken from it."""

    ref: str
    grade: Grade
    licence: str = "facts only"
    how: str = ""
