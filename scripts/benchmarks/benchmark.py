"""Time this project beside its peers in one run, on one thread, and print medians and ratios.

Nothing here is a test.

    python scripts/benchmarks/benchmark.py [--json RECORD] [--figure PICTURE] [--markdown PAGE]
    [--only STEP ...] [--rounds N] [--quick] [--large] [--read RECORD]

Needs the extras ``fast``; of Pinocchio, MuJoCo, Drake, PyBullet, roboticstoolbox and
py-opw-kinematics it takes what is installed. Ours includes the parallelogram and friction;
Pinocchio's loops run on the serial tree, the bare ones without either, those "that give the same"
with what it takes to give exactly the kernel's results, copied out. Every pair is compared before
it is timed. The viewer's frame rate is that of Chromium's software renderer (no GPU), where
Chromium is installed. ``compare.py`` compares the records of two runs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from bench import (
    around,
    claims,
    costs,
    first_answers,
    identification,
    machine,
    peak,
    peers,
    sheets,
    simulation,
)
from bench.arm import SEED, Arm
from bench.figure import draw
from bench.races import FULL, QUICK, Effort, Results
from bench.record import Record, read_record
from rich.console import Console
from rich.progress import Progress

import irbmodels as irb
from irbmodels.errors import UnknownName
from irbmodels.files import check_writable, replacing
from irbmodels.report.figures import save

BEGIN, END = "<!-- tables: scripts/benchmarks/benchmark.py -->", "<!-- end of tables -->"
Steps = list[tuple[str, Callable[[Results], None]]]


def steps(arm: Arm, quick: bool = False, large: bool = False) -> Steps:
    """Return everything that can be measured, by name.

    A quick run leaves out what starts other processes again and again, or compiles for long.
    """
    limits = ("limits", partial(peak.limits, arm))
    beside = around.measurements(arm)
    return [
        *claims.measurements(arm),
        limits,
        *first_answers.measurements(arm),
        *peers.measurements(arm),
        *(beside[:1] if quick else beside),
        *simulation.measurements(arm),
        *identification.measurements(large),
        *costs.measurements(),
    ]


def measured(
    effort: Effort, console: Console, only: Sequence[str] = (), large: bool = False
) -> Record:
    """Run everything, or the named steps.

    Raises:
        UnknownName: if there is no step of a name.
    """
    date, surroundings = datetime.now(UTC).isoformat(timespec="seconds"), machine.surroundings()
    chosen = steps(Arm(), effort.quick, large)
    names = [name for name, _ in chosen]
    for name in only:
        if name not in names:
            raise UnknownName("step", name, names)
    start = time.perf_counter()
    with Progress(console=console, transient=True) as progress:
        results = Results(effort, progress)
        results.steps([step for step in chosen if not only or step[0] in only])
    run = effort._asdict() | surroundings
    run |= {"seed": SEED, "steps": list(only) or names}
    run |= {"seconds": round(time.perf_counter() - start, 1)}
    here = machine.machine(), machine.versions(), machine.code()
    return Record(date, *here, run, results.rows, results.claims, results.notes)


def paste(page: Path, text: str) -> None:
    """Replace what is between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    with replacing(page) as temporary:
        temporary.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def main() -> int:
    """Measure, print, and write what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="RECORD", help="record to write")
    parser.add_argument("--figure", type=Path, metavar="PICTURE", help="picture to write")
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="PAGE",
        help="page whose tables to replace, such as docs/background/speed.md",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="STEP",
        help="measure this step, such as 'first answers'; can be given again",
    )
    parser.add_argument("--rounds", type=int, help=f"turns of every contestant ({FULL.rounds})")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="few states and rounds: whether it runs, not how fast it is",
    )
    parser.add_argument(
        "--large",
        action="store_true",
        help="also ten million samples in files: minutes, and 2 GB of disk",
    )
    parser.add_argument(
        "--read", type=Path, metavar="RECORD", help="measure nothing: print, draw or paste a record"
    )
    arguments = parser.parse_args()
    if arguments.rounds is not None and arguments.rounds < 1:
        parser.error("--rounds is at least 1")
    if arguments.only and (arguments.figure or arguments.markdown):
        parser.error("--only goes with --json alone: page and picture are of whole runs")
    try:
        for path in (arguments.json, arguments.figure, arguments.markdown):
            if path:
                check_writable(path)  # before minutes of work
        if arguments.read:
            record = read_record(arguments.read)
        else:
            effort = QUICK if arguments.quick else FULL
            if arguments.rounds:
                effort = effort.with_rounds(arguments.rounds)
            console = Console(stderr=True)
            record = measured(effort, console, arguments.only, arguments.large)
        print(sheets.text(record))
        if arguments.json:
            record.write(arguments.json)
        if arguments.figure:
            save(draw(record), arguments.figure)
        if arguments.markdown:
            paste(arguments.markdown, sheets.text(record))
    except irb.IrbError as err:
        print(f"error: {err}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
