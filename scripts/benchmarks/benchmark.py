"""Time this project beside its peers in one run, on one thread, and print medians and ratios.

Nothing here is a test.

    python scripts/benchmarks/benchmark.py [--json FILE] [--figure PICTURE] [--markdown PAGE]
    [--quick] [--large]

Needs the extras ``fast``; of Pinocchio, MuJoCo, Drake, PyBullet, roboticstoolbox and
py-opw-kinematics it takes what is installed. Ours includes the parallelogram and friction;
Pinocchio's loops run on the serial tree, the bare ones without either, those "that give the same"
with what it takes to give exactly the kernel's results, copied out. Every pair is compared before
it is timed. The viewer's frame rate is that of Chromium's software renderer (no GPU), where
Chromium is installed.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path

from bench import around, claims, costs, identification, machine, peers, sheets, simulation
from bench.arm import Arm
from bench.figure import draw
from bench.races import FULL, QUICK, Results
from rich.console import Console
from rich.progress import Progress

import irbmodels as irb
from irbmodels.files import replacing
from irbmodels.report.figures import save

BEGIN, END = "<!-- tables: scripts/benchmarks/benchmark.py -->", "<!-- end of tables -->"


def measured(quick: bool, console: Console, large: bool = False) -> Results:
    """Run everything.

    A quick run leaves out what starts other processes again and again, or compiles for long.
    """
    arm = Arm()
    steps = [
        *claims.measurements(arm),
        ("limits", partial(machine.limits, arm)),
        *peers.measurements(arm),
    ]
    steps += around.measurements(arm)[:1] if quick else around.measurements(arm)
    steps += [*simulation.measurements(arm), *identification.measurements(large)]
    steps += (
        [("memory", costs.memory), ("starting", costs.starting)] if quick else costs.measurements()
    )
    with Progress(console=console, transient=True) as progress:
        results = Results(QUICK if quick else FULL, progress)
        results.steps(steps)
    return results


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
    parser.add_argument("--json", type=Path, help="file to write")
    parser.add_argument("--figure", type=Path, help="picture to write")
    parser.add_argument(
        "--markdown", type=Path, help="page whose tables to replace, such as docs/speed.md"
    )
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
    arguments = parser.parse_args()
    try:
        results = measured(arguments.quick, Console(stderr=True), arguments.large)
    except irb.IrbError as err:
        print(err, file=sys.stderr)
        return 2
    here = machine.described()
    print(sheets.text(here, results))
    if arguments.json:
        with replacing(arguments.json) as temporary:
            temporary.write_text(
                json.dumps(sheets.as_json(here, results), indent=2), encoding="utf-8"
            )
    if arguments.figure:
        save(draw(here, results), arguments.figure)
    if arguments.markdown:
        paste(arguments.markdown, sheets.text(here, results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
