"""Write the tables of docs/howto/exchange.md: every exported file, loaded again in every tool that it is
for.

    python scripts/exchange_table.py            writes the page
    python scripts/exchange_table.py --check    exit code 1 if the page says anything else

Needs the tools themselves (the dev extra has them).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from rich.progress import track

import irbmodels as irb
from irbmodels.exchange.verify.exports import verify
from irbmodels.exchange.write import FORMATS
from irbmodels.report.tables import verdict_cells
from irbmodels.tables.description import Coupling

PAGE = Path(__file__).resolve().parent.parent / "docs" / "howto" / "exchange.md"
BEGIN, END = "<!-- tables: scripts/exchange_table.py -->", "<!-- end of tables -->"
CASES: tuple[tuple[str, str | None], ...] = (
    ("irb2400", "spindle"),
    ("irb1400", None),
    ("irb1600_6_145", None),
    ("irb930", None),
)
HEAD = (
    "file",
    "tool",
    "TCP pose within",
    "torque within",
    "mass",
    "ranges",
    "what it does not keep",
)


def rows(name: str, tool: str | None) -> list[tuple[str, ...]]:
    """Return the verdicts on one robot as text."""
    robot, result = irb.load(name, tool=tool), []
    assert robot.description is not None
    for to in FORMATS:
        couplings: tuple[Coupling | None, ...] = (
            (None, "serial") if to == "urdf" and len(robot.description.couplings) > 1 else (None,)
        )
        for coupling in couplings:
            with tempfile.TemporaryDirectory() as folder:
                file = irb.export(robot, to, folder, irb.Options(coupling))[0]
                for verdict in verify(robot, to, file):
                    label, *cells = verdict_cells(verdict)
                    result.append((f"{label}, serial" if coupling else label, *cells))
    return result


def tables() -> str:
    """Return the tables as Markdown."""
    lines = []
    for name, tool in track(CASES, description="tools", disable=not sys.stderr.isatty()):
        lines += [
            f"### `{name}`{f' with the {tool}' if tool else ''}",
            "",
            f"| {' | '.join(HEAD)} |",
            "|---" * len(HEAD) + "|",
        ]
        lines += [f"| {' | '.join(row)} |" for row in rows(name, tool)]
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    wanted = f"{before}{BEGIN}\n\n{tables()}{END}{after}"
    if arguments.check:
        if text != wanted:
            print("docs/howto/exchange.md is not what this script writes")
        return int(text != wanted)
    PAGE.write_text(wanted, encoding="utf-8")
    print("wrote docs/howto/exchange.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
