"""What commands share: how arguments are spelled, read and answered."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from ..description import COUPLINGS, Coupling, fixtures, urdf_path
from ..errors import InputError, UnknownName
from ..files import replacing
from ..robot import Robot, from_urdf, load

app = typer.Typer(
    help="ABB's IRB 2400, 1400, 1600 and 930: sourced tables, URDF, and dynamics in the controller's own axes.",
    add_completion=False,
    rich_markup_mode=None,
)
_WIDTH = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 200  # a pipe or file has no width of its own
out = Console(width=_WIDTH, markup=False, highlight=False)
err = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)

RobotName = Annotated[str, typer.Argument(help="Variant or alias (see: irbmodels list), or a folder with the same tables.")]
ToolName = Annotated[str | None, typer.Option("--tool", help="Tool by name (spindle), or path of a tool table.")]
Parameters = Annotated[
    str | None, typer.Option("--parameters", help="Set of inertials (see: irbmodels info NAME), or a .yaml file.")
]
AxesDeg = Annotated[
    str | None,
    typer.Option("--q-deg", help="Axis positions as the controller shows them, comma separated: degrees, mm for a linear axis."),
]
Overlays = Annotated[
    list[Path] | None, typer.Option("--overlay", help="File that changes single numbers of the tables; may be repeated.")
]
Modules = Annotated[
    list[Path] | None,
    typer.Option("--with", metavar="FILE", help="Another RAPID module, whose records and data the module uses; may be repeated."),
]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="File to write.")]


def put(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file as a whole."""
    if output is None:
        sys.stdout.write(text)
        return
    with replacing(output) as temporary:
        temporary.write_text(text, encoding="utf-8")
    err.print(f"wrote {output}")


def coupling_of(name: str | None) -> Coupling | None:
    """Return the coupling of that name."""
    if name is not None and name not in COUPLINGS:
        raise UnknownName("coupling", name, COUPLINGS)
    return name


def any_robot(name: str, tool: str | None = None, overlay: Sequence[Path] | None = None) -> Robot:
    """Return a robot from tables, or from a URDF file."""
    if not name.lower().endswith(".urdf") and name not in fixtures():
        return load(name, tool=tool, overlays=overlay or ())
    if overlay:
        raise InputError(f"{name} has no tables for an overlay to change")
    robot = from_urdf(urdf_path(name) if name in fixtures() else name)
    return robot if tool is None else robot.with_tool(tool)


def angles(text: str, option: str, count: int) -> list[float]:
    """Return radians for that many angles in degrees."""
    try:
        values = [math.radians(float(word)) for word in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        raise InputError(f"{option} {text!r} is not a comma separated list of {count} angles")
    return values


def axes(robot: Robot, text: str | None) -> Any:
    """Return axis positions [rad, m] of what ``--q-deg`` says; home if nothing."""
    if text is None:
        return robot.from_controller([0.0] * robot.n)
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"--q-deg {text!r} is not a comma separated list of numbers") from None
    return robot.from_controller(values)


def show(*tables: Any) -> None:
    """Print tables."""
    for table in tables:
        out.print(table)


def say(*lines: str) -> None:
    """Print lines: between words they wrap on a terminal, and not at all in a pipe, where other programs read them."""
    for line in lines:
        out.print(line, soft_wrap=_WIDTH is not None)


def file_progress() -> Progress:
    """Return a bar for the bytes of a file, where a terminal shows it."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
