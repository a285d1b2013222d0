"""Compare the records of two runs of benchmark.py: the ratio B / A of every quantity of both.

    python scripts/benchmarks/compare.py A.json B.json [--group TEXT ...] [--threshold FACTOR]
    [--markdown]

A ratio is within noise where the middle halves of the rounds of both runs overlap. What one run
alone measured is listed below the tables. Where machines, versions or settings differ, lines on top
say so: then ratios say more about these than about the code. Pinocchio's own rows, whose code is
the same in both, tell how much the machine itself differed, and how far two runs of one code are
apart.

Exit code: 0; 1 if something became worse by more than the threshold, and not within noise; 2 if a
file is no record.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bench.comparison import (
    Pair,
    differences,
    drift,
    mean_ratio,
    only_in,
    pairs_of,
    worse_than,
)
from bench.record import Record, Row, grouped, read_record
from bench.sheets import WIDTH, markdown
from rich import box
from rich.console import Console, Group
from rich.table import Table

import irbmodels as irb

BUSY = 0.5  # load before a run, per core, that others needed


def comparison(
    before: Record, after: Record, paths: Sequence[Path], groups: Sequence[str], style: box.Box
) -> tuple[Group, list[Pair]]:
    """Return everything to print, and what was compared."""
    pairs = [pair for pair in pairs_of(before, after) if _chosen(pair.before, groups)]
    parts: list[Any] = [
        _name(letter, path, record)
        for letter, path, record in zip("AB", paths, (before, after), strict=True)
    ]
    lines = differences(before, after)
    parts += [*lines, *([] if lines else ["same machine, versions and settings"]), ""]
    by_group = grouped([pair.before for pair in pairs])
    for group, rows in by_group.items():
        keys = {row.key for row in rows}
        mine = [pair for pair in pairs if pair.before.key in keys]
        parts += [_table(group, mine, style), ""]
    parts += _summary(pairs)
    for letter, one, other in (("A", before, after), ("B", after, before)):
        alone = [row for row in only_in(one, other) if _chosen(row, groups)]
        parts += [f"only in {letter}: {len(alone)}"] if alone else []
        parts += [
            f"  {group}: {'; '.join(map(_cell, rows))}" for group, rows in grouped(alone).items()
        ]
    return Group(*parts), pairs


def _chosen(row: Row, groups: Sequence[str]) -> bool:
    return not groups or any(text in row.group for text in groups)


def _name(letter: str, path: Path, record: Record) -> str:
    """Return the line of a run: file, date, code, machine, and what makes its times worth little."""
    commit = record.code.get("commit")
    parts = [f"{letter}: {path}", record.date, f"commit {commit[:10]}" if commit else "no commit"]
    parts += ["changed since"] if record.code.get("changed") else []
    parts.append(f"{record.machine.get('processor')} ({record.machine.get('llvm')})")
    parts.append(f"{record.run.get('rounds')} rounds")
    load, cores = record.run.get("load before"), record.machine.get("cores")
    if load and cores and load > BUSY * cores:
        parts.append(f"BUSY: load {load:.1f} before, on {cores} cores")
    parts += ["QUICK: no times to compare"] if record.run.get("quick") else []
    return ", ".join(parts)


def _table(group: str, pairs: Sequence[Pair], style: box.Box) -> Table:
    table = Table(box=style)
    mean = mean_ratio(pairs)
    heads = [group, "", "unit", "A", "B", "B / A", ""]
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number in (0, 1, 2, 6) else "right")
    for pair in pairs:
        a, b = pair.before, pair.after
        values = _number(a.value.median), _number(b.value.median)
        table.add_row(a.who, _cell(a), a.unit, *values, _ratio(pair.ratio), pair.verdict)
    if len(pairs) > 1 and len({pair.before.who for pair in pairs}) == 1:
        table.add_row("", "geometric mean", "", "", "", _ratio(mean), "")
    return table


def _cell(row: Row) -> str:
    parts = [row.name, row.layout, "float32" if row.precision == "single" else ""]
    parts += [f"N = {row.states}"] if row.states and row.states > 1 else []
    return ", ".join(part for part in parts if part)


def _summary(pairs: Sequence[Pair]) -> list[str]:
    counts = Counter(pair.verdict for pair in pairs)
    words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    lines = [f"{len(pairs)} quantities of both: {words}" if pairs else "no quantity is in both"]
    if ratios := drift(pairs):
        least, middle, most = map(_ratio, (ratios[0], float(np.median(ratios)), ratios[-1]))
        lines.append(
            f"Pinocchio's own rows, whose code is the same: B / A is {middle} in the median of"
            f" {len(ratios)}, from {least} to {most}"
        )
    return lines


def _number(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def _ratio(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else ""


def main() -> int:
    """Compare, print, and judge by a threshold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path, metavar="A.json", help="record of the first run")
    parser.add_argument("after", type=Path, metavar="B.json", help="record of the second run")
    parser.add_argument(
        "--group",
        action="append",
        default=[],
        metavar="TEXT",
        help="groups whose title contains this; can be given again",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        metavar="FACTOR",
        help="exit code 1 if something of ours became worse by more than this, such as 1.03",
    )
    parser.add_argument("--markdown", action="store_true", help="tables for a page")
    arguments = parser.parse_args()
    threshold = arguments.threshold
    if threshold is not None and not (math.isfinite(threshold) and threshold >= 1.0):
        parser.error(f"--threshold is a factor of at least 1, not {threshold:g}")
    paths = arguments.before, arguments.after
    try:
        before, after = map(read_record, paths)
    except irb.IrbError as err:
        print(f"error: {err}", file=sys.stderr)
        return 2
    style = box.MARKDOWN if arguments.markdown else box.SIMPLE_HEAD
    shown, pairs = comparison(before, after, paths, arguments.group, style)
    if arguments.markdown:
        print(markdown(shown))
    else:
        piped = None if sys.stdout.isatty() else WIDTH
        Console(width=piped, markup=False, highlight=False).print(shown)
    worse = [] if threshold is None else worse_than(threshold, pairs)
    for pair in worse:
        row = pair.before
        print(
            f"worse by more than {threshold:g}: {row.group}: {_cell(row)}: {pair.factor:.3g}",
            file=sys.stderr,
        )
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
