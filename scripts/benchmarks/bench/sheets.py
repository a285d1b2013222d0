"""Results as tables, which can be pasted as Markdown, and as JSON."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Console, Group
from rich.table import Table

from .races import Claim, Results, Timing

WIDTH = 240  # of a line of text, which no table reaches: rich would break names
BASELINES = (
    "loop over",
    "loop that gives the same",
    "pin.rnea",
    "forwardKinematics",
    "kernel, 1 thread",
)
"""How the contestant begins that the others of a query are compared with.

The first that took part.
"""


def name_of(machine: dict[str, Any]) -> list[str]:
    """Return two lines: the machine, and the versions of what was measured."""
    versions = ", ".join(
        f"{name} {number}" for name, number in machine["versions"].items() if number
    )
    first = (
        f"{machine['processor']} ({machine['llvm']}), {machine['cores']} cores,"
        f" {machine['system']}, Python {machine['python']}"
    )
    return [first, versions]


def everything(machine: dict[str, Any], results: Results) -> Group:
    """Return all tables."""
    parts: list[Any] = [*name_of(machine), "", claims_table(results.claims), ""]
    for query, timings in groupby(results.timings, key=lambda timing: timing.query):
        parts += [timings_table(query, list(timings)), ""]
    for title, numbers in results.numbers.items():
        parts += [numbers_table(title, numbers), ""]
    return Group(*parts, *results.notes)


def claims_table(claims: list[Claim]) -> Table:
    """What must show, and whether it does."""
    table = _table("what must show", "against", "ns per state", "theirs", "reached", "bound", "")
    for claim in claims:
        bound = f"{'at least' if claim.at_least else 'at most'} {claim.bound:g} {claim.unit}"
        reached = f"{claim.reached:.3g} {claim.unit}"
        verdict = "PASS" if claim.holds else "below" if claim.at_least else "above"
        table.add_row(
            claim.what, claim.against, _ns(claim.ours), _ns(claim.theirs), reached, bound, verdict
        )
    return table


def timings_table(query: str, timings: list[Timing]) -> Table:
    """One query's contestants, fastest first, with their ratio to Pinocchio's loop."""
    base = baseline(timings)
    table = _table(query, "how", "ns per state", "" if base is None else f"speed / {base.how}")
    for timing in sorted(timings, key=lambda timing: timing.ns):
        ratio = "" if base is None else f"{base.ns / timing.ns:.3g} x"
        table.add_row(timing.who, timing.how, _ns(timing.ns), ratio)
    return table


def numbers_table(title: str, numbers: dict[str, float]) -> Table:
    """Other numbers, each named with its unit."""
    table = _table(title, "")
    for name, value in numbers.items():
        table.add_row(name, f"{value:.4g}")
    return table


def baseline(timings: list[Timing]) -> Timing | None:
    """Return the contestant that the others are compared with."""
    matching = (timing for start in BASELINES for timing in timings if timing.how.startswith(start))
    return next(matching, None)


def as_json(machine: dict[str, Any], results: Results) -> dict[str, Any]:
    """Return everything as what JSON can hold."""
    return {
        "machine": machine,
        "quick": results.effort.quick,
        "claims": [claim._asdict() | {"holds": claim.holds} for claim in results.claims],
        "timings": [timing._asdict() for timing in results.timings],
        "numbers": results.numbers,
        "notes": results.notes,
    }


def text(machine: dict[str, Any], results: Results) -> str:
    """Return all tables as text that is Markdown, whatever the width of the terminal."""
    console = Console(width=WIDTH, color_system=None, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(everything(machine, results))
    lines = "\n".join(line.strip() for line in captured.get().splitlines())
    return re.sub("\n{3,}", "\n\n", lines) + "\n"


def _table(*head: str) -> Table:
    table = Table(box=box.MARKDOWN)
    for number, name in enumerate(head):
        table.add_column(name, justify="left" if number < 2 else "right", overflow="fold")
    return table


def _ns(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if value < 1000.0 else f"{value:,.0f}"
