"""Commands on tables and URDFs: list, info, urdf, new, doctor."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, cast

import typer

from ..model.mesh_paths import with_mesh_paths
from ..report.text_table import counted
from ..robot.robot import load
from ..tables.description import Description, describe
from ..tables.overlays import with_set
from ..tables.writing import new_robot
from .shared import (
    Output,
    Overlays,
    Parameters,
    RobotName,
    ToolName,
    check_outputs,
    coupling_of,
    err,
    out,
    print_or_write,
    print_tables,
)

app = typer.Typer()


@app.command("list")
def list_robots() -> None:
    """List the robots, their ratings and the grades of their numbers."""
    from ..report.tables import robots_table

    print_tables(robots_table())


@app.command()
def info(robot: RobotName, overlay: Overlays = None) -> None:
    """Print every number of a robot, with its source and grade."""
    from ..report.tables import info_tables

    arm = load(robot, overlays=overlay or ())
    print_tables(*info_tables(cast(Description, arm.description)))


@app.command()
def urdf(
    robot: RobotName,
    coupling: Annotated[
        str | None,
        typer.Option(
            help=(
                "parallelogram (joint_3 is the controller's axis 3, bars are mimic joints) or"
                " serial (open chain)."
            )
        ),
    ] = None,
    tool: ToolName = None,
    parameters: Parameters = None,
    meshes: Annotated[
        str | None,
        typer.Option(
            help=(
                "Mesh paths: relative, absolute or package://NAME; default absolute for -o outside"
                " the data."
            )
        ),
    ] = None,
    output: Output = None,
    overlay: Overlays = None,
) -> None:
    """Write the URDF of a robot, to a file or to the terminal."""
    check_outputs((tool, parameters, *(overlay or ())), output=output)
    description, chosen = with_set(describe(robot), overlay or (), parameters)
    text = description.urdf(coupling_of(coupling), chosen, tool)
    if coupling == "serial" and (
        other := description.inertials.sets[description.parameter_set(chosen)].serial
    ):
        err.print(f"note: bars with mass have no place on an open chain; it holds the set {other}")
    # warns of a set that no bodies can have
    load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    target = description.folder if output is None else output.resolve().parent
    style = meshes or ("relative" if target == description.folder else "absolute")
    text = with_mesh_paths(text, style, description.folder, target)
    print_or_write(text, output)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the new robot.")],
    like: Annotated[
        str, typer.Option(help="Shipped robot of the same build, whose tables are copied.")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder to make; default ./NAME.")
    ] = None,
) -> None:
    """Write tables for a robot of your own, to be filled in."""
    folder = new_robot(name, like, output or Path(name))
    shown = folder if folder.is_absolute() else f"./{folder}"
    err.print(
        f"wrote {folder}; every number is a copy until you replace it. Next: irbmodels info {shown}"
    )


@app.command()
def doctor(
    file: Annotated[Path, typer.Argument(help="Any URDF.")],
    repair: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.urdf",
            help="Copy to write with the nearest possible tensors; put it beside FILE for meshes.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Find what is wrong with a URDF.

    Impossible bodies, limits, joints that make no tree, lost meshes.

    Exit code 0 if there is nothing but notes, 1 if there are errors or warnings, 2 if the file
    cannot be read as a URDF.
    """
    from ..exchange.doctor import SEVERITIES, examine
    from ..exchange.doctor import repair as write_repaired

    findings = examine(file)
    repairs = [] if repair is None else write_repaired(file, repair)
    text = "\n".join(map(str, findings))
    if as_json:
        report = {
            "findings": [finding._asdict() for finding in findings],
            "repairs": [
                {
                    "link": one.link,
                    "moved_kg_m2": one.moved,
                    "relative": one.relative if math.isfinite(one.relative) else None,
                }
                for one in repairs
            ],
        }
        text = json.dumps(report, indent=2)
    if text:
        sys.stdout.write(f"{text.encode(out.encoding, 'backslashreplace').decode(out.encoding)}\n")
    for one in repairs:
        err.print(f"repaired {one}")
    if repair is not None:
        err.print(f"wrote {repair}{'' if repairs else ', the same file: no tensor was impossible'}")
    counts = Counter(finding.severity for finding in findings)
    err.print(", ".join(counted(counts[severity], severity) for severity in SEVERITIES))
    if len(findings) > counts["note"]:
        raise typer.Exit(1)
