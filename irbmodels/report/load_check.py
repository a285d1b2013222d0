"""Table of tool and payload beside what the wrist is rated for."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..model.load_limits import LoadShare
from .text_table import TextTable


def load_check_table(loads: Sequence[tuple[str, Sequence[LoadShare]]]) -> TextTable:
    """Return loads by name, with mass, static torques and inertia of the wrist and their limits.

    The meaning of each: :meth:`irbmodels.model.load_limits.LoadLimits.shares`.
    """
    heads, rows = load_rows(loads)
    limits = [row.limit for _, shares in loads for row in shares if row.axis is not None]
    known = any(map(math.isfinite, limits))
    missing = "" if known else "; no load diagram of the wrist is known"
    title = f"tool and payload on the flange, of their limits (* assumed){missing}"
    return TextTable(*heads, rows=rows, title=title)


def load_rows(
    loads: Sequence[tuple[str, Sequence[LoadShare]]],
) -> tuple[list[str], list[list[str]]]:
    """Return the heads, and the cells of each load: ``6.36 of 8.58 (74 %)``."""
    columns = [f"{row.quantity} {row.unit.replace('^', '')}" for row in loads[0][1]]
    return ["tool and payload", *columns], [
        [name, *(_cell(row) for row in shares)] for name, shares in loads
    ]


def _cell(row: LoadShare) -> str:
    if not math.isfinite(row.limit):
        return f"{row.value:.4g}, no limit known"
    return f"{row.value:.4g} of {row.limit:g}{'*' * row.assumed} ({100.0 * row.share:.0f} %)"
