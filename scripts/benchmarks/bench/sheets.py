"""Records as tables, which can be pasted as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console, Group
from rich.table import Table

from .first_answers import COLD, COLD_PROCESSOR, DISK, DISK_RATIO, WARM
from .record import NS, Claim, Record, Row, grouped

WIDTH = 240  # of a line of text, which no table reaches: rich would break names
BASELINES = (
    "loop over",
    "loop that gives the same",
    "pin.rnea",
    "forwardKinematics",
    "inverse: all solutions",
    "kernel, 1 thread",
)
"""How the contestant begins that the others of a query are compared with.

The first that took part.
"""
WAITS = {
    COLD: ("cold [s]", 1.0),
    COLD_PROCESSOR: ("of a processor [s]", 1.0),
    DISK: ("from disk [ms]", 1e3),
    DISK_RATIO: ("/ import pinocchio", 1.0),
    WARM: ("warm [ns/state]", 1.0),
}
"""Columns of the table of first answers, and factors of their units."""


def name_of(record: Record) -> list[str]:
    """Return two lines: the machine, and the versions of what was measured."""
    machine = record.machine
    versions = ", ".join(f"{name} {number}" for name, number in record.versions.items() if number)
    first = (
        f"{machine['processor']} ({machine['llvm']}), {machine['cores']} cores,"
        f" {machine['memory [GB]']} GB, {machine['system']}; {record.date}"
    )
    return [first, versions]


def everything(record: Record) -> Group:
    """Return all tables."""
    parts: list[Any] = [*name_of(record), ""]
    if record.claims:
        parts += [claims_table(record.claims), ""]
    groups = grouped(record.rows)
    waits = [row for group in WAITS for row in groups.pop(group, [])]
    if waits:
        parts += [waits_table(waits), ""]
    for group, rows in groups.items():
        table = race_table if all(row.unit == NS for row in rows) else numbers_table
        parts += [table(group, rows), ""]
    return Group(*parts, *record.notes)


def claims_table(claims: Sequence[Claim]) -> Table:
    """What must show, and whether it does."""
    table = _table("what must show", "against", "ns per state", "theirs", "reached", "bound", "")
    for claim in claims:
        bound = f"{'at least' if claim.at_least else 'at most'} {claim.bound:.4g} {claim.unit}"
        reached = f"{claim.reached:.3g} {claim.unit}"
        verdict = "PASS" if claim.holds else "below" if claim.at_least else "above"
        table.add_row(
            claim.what, claim.against, _ns(claim.ours), _ns(claim.theirs), reached, bound, verdict
        )
    return table


def waits_table(rows: Sequence[Row]) -> Table:
    """Each query's first answer, cold and from disk, and what it takes when warm."""
    table = _table("query", "asked for", *(head for head, _ in WAITS.values()))
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        form = row.layout + (", float32" if row.precision == "single" else "")
        value = row.value.median * WAITS[row.group][1]
        cells.setdefault((row.name, form), {})[row.group] = _ns(value)
    for names, values in sorted(cells.items(), key=lambda cell: _first(cell[0][0], rows)):
        table.add_row(*names, *(values.get(group, "") for group in WAITS))
    return table


def race_table(group: str, rows: Sequence[Row]) -> Table:
    """One query's contestants, fastest first, with their ratio to Pinocchio's loop."""
    base = baseline(rows)
    speed = "" if base is None else f"speed / {base.name}"
    table = _table(group, "how", "ns per state", "quartiles", speed)
    for row in sorted(rows, key=lambda row: row.value.median):
        ratio = "" if base is None else f"{base.value.median / row.value.median:.3g} x"
        table.add_row(row.who, row.name, _ns(row.value.median), _quartiles(row), ratio)
    return table


def numbers_table(group: str, rows: Sequence[Row]) -> Table:
    """Other numbers, each named with its unit."""
    table = _table(group, "unit", "median", "quartiles")
    for row in rows:
        unit, name = "" if row.unit == "1" else row.unit, row.name
        if group == "memory":
            name = f"{name}, N = {row.states}, {row.layout}"
        table.add_row(name, unit, f"{row.value.median:.4g}", _quartiles(row))
    return table


def baseline(rows: Sequence[Row]) -> Row | None:
    """Return the contestant that the others are compared with."""
    matching = (row for start in BASELINES for row in rows if row.name.startswith(start))
    return next(matching, None)


def text(record: Record) -> str:
    """Return all tables as text that is Markdown, whatever the width of the terminal."""
    return markdown(everything(record))


def markdown(content: Any) -> str:
    """Return what rich can print as lines of text without marks or colours."""
    console = Console(width=WIDTH, color_system=None, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(content)
    lines = "\n".join(line.strip() for line in captured.get().splitlines())
    return re.sub("\n{3,}", "\n\n", lines) + "\n"


def _table(*head: str) -> Table:
    table = Table(box=box.MARKDOWN)
    for number, name in enumerate(head):
        table.add_column(name, justify="left" if number < 2 else "right", overflow="fold")
    return table


def _first(name: str, rows: Sequence[Row]) -> int:
    """Place of a query: that of its first row."""
    return next(place for place, row in enumerate(rows) if row.name == name)


def _quartiles(row: Row) -> str:
    value = row.value
    return "" if value.rounds == 1 else f"{_ns(value.lower)} to {_ns(value.upper)}"


def _ns(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if value < 1000.0 else f"{value:,.0f}"
