"""Draw figures and tables of the papers again: S000 Figs 5, 8-12 and Tab. 6, S002 Figs 4-7 and Tab.
3.

What the authors measured is not public. Where a figure needs data, they come from a simulated
robot, with noise, and the picture says "synthetic". Every figure comes with its numbers as JSON,
and every run writes the same bytes. docs/background/papers.md says what is the same as in the papers and what
is not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from redrawn import s000, s002
from redrawn.sheet import Sheet
from rich.console import Console
from rich.progress import track

SHEETS: dict[str, Callable[[], Sheet]] = {
    "s000_fig5": s000.fig5,
    "s000_fig8": s000.fig8,
    "s000_fig9": s000.fig9,
    "s000_fig10": s000.fig10,
    "s000_fig11": s000.fig11,
    "s000_fig12": s000.fig12,
    "s000_tab6": s000.tab6,
    "s002_fig4": s002.fig4,
    "s002_fig5": s002.fig5,
    "s002_fig6": s002.fig6,
    "s002_fig7": s002.fig7,
    "s002_tab3": s002.tab3,
}


def main(arguments: list[str] | None = None) -> int:
    """Draw what is asked for."""
    listed = "\n".join(
        f"  {name:12}{(draw.__doc__ or '').splitlines()[0]}" for name, draw in SHEETS.items()
    )
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"figures:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="OUT",
        help="folder for the files; made if not there",
    )
    parser.add_argument(
        "--figure",
        nargs="+",
        choices=SHEETS,
        metavar="NAME",
        default=list(SHEETS),
        help="default: all",
    )
    given = parser.parse_args(arguments)
    given.output.mkdir(parents=True, exist_ok=True)
    console, tables = Console(stderr=True), []
    for name in track(given.figure, "drawing", console=console):
        sheet = SHEETS[name]()
        for file in sheet.write(given.output, f"papers_{name}"):
            console.print(str(file), soft_wrap=True)
        if sheet.table:
            tables.append(f"{name}\n\n{sheet.table}\n")
    print("\n".join(tables), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
