"""Sources of numbers, their grades, and levels of identified sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Grade = Literal["measured", "identified", "published", "derived", "assumed"]
Level = Literal["reference", "good", "usable", "poor", "wrong"]
"""Level of an identified set (docs/howto/identify.md), the best first."""


@dataclass(frozen=True)
class Source:
    """Source of numbers: a pinned reference, its licence, its grade, and how it was used."""

    ref: str
    grade: Grade
    licence: str = "facts only"
    how: str = ""
