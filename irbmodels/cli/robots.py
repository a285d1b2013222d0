"""Commands on tables and URDFs: list, info, urdf, new, doctor."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import cast

import click

from ..report.text_table import counted
from ..tables.description import COUPLINGS
from .commands import Commands
from .completion import MESHES, Names, robot_names
from .json_output import json_option, print_json
from .shared import (
    PATH,
    check_outputs,
    coupling_of,
    err,
    out,
    output_option,
    overlay_option,
    parameters_option,
    payload_option,
    print_or_write,
    print_tables,
    robot_argument,
    tool_option,
    with_payload,
    write_out,
)

app = Commands()


@app.command(
    "list",
    examples=(
        "irbmodels list",
        "irbmodels list --families",
    ),
)
@click.option("--families", is_flag=True, help="One row per family, with what is unknown of it.")
@json_option
def list_robots(families: bool, as_json: bool) -> None:
    """List the robots, their ratings and grades of their numbers."""
    from ..report import robot_list

    if as_json:
        print_json(None, robot_list.list_record(families))
    else:
        print_tables(robot_list.families_table() if families else robot_list.robots_table())


@app.command(
    examples=(
        "irbmodels info irb2400",
        "irbmodels info irb2400 --tool spindle --payload 3,0,0,50",
    ),
)
@robot_argument
@tool_option
@payload_option
@overlay_option
@json_option
def info(
    robot: str,
    tool: str | None,
    payload: str | None,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Print every number of a robot, with its source and grade.

    With a tool or a payload also the share of the wrist's limits that they take.
    """
    from ..report.load_check import load_check_table
    from ..report.records import info_record
    from ..report.tables import info_tables, left_out_springs
    from ..robot.robot import load
    from ..tables.description import Description

    arm = with_payload(load(robot, tool=tool, overlays=overlay or ()), payload)
    if as_json:
        print_json(arm, info_record(arm))
    else:
        print_tables(*info_tables(cast(Description, arm.description)))
        if arm.load_shares:
            print_tables(load_check_table([(arm.name, arm.load_shares)]))
    for line in left_out_springs(arm):
        err.print(line)


@app.command(
    examples=(
        "irbmodels urdf irb2400 -o irb2400.urdf",
        "irbmodels urdf irb2400 --coupling serial --tool spindle -o serial.urdf",
    ),
)
@robot_argument
@click.option(
    "--coupling",
    type=Names(COUPLINGS),
    help=(
        "parallelogram (joint_3 is the controller's axis 3, bars are mimic joints) or"
        " serial (open chain)."
    ),
)
@tool_option
@parameters_option
@click.option(
    "--meshes",
    type=Names(MESHES),
    metavar="STYLE",
    help=(
        "Mesh paths: relative, absolute or package://NAME; default absolute for -o outside"
        " the data."
    ),
)
@output_option
@overlay_option
def urdf(
    robot: str,
    coupling: str | None,
    tool: str | None,
    parameters: str | None,
    meshes: str | None,
    output: Path | None,
    overlay: tuple[Path, ...],
) -> None:
    """Write the URDF of a robot, to a file or to the terminal."""
    from ..exchange.write.urdf import with_load
    from ..model.mesh_paths import with_mesh_paths
    from ..robot.robot import load
    from ..tables.description import describe
    from ..tables.overlays import with_set

    check_outputs((tool, parameters, *(overlay or ())), output=output)
    description, chosen = with_set(describe(robot), overlay or (), parameters)
    # warns of a set that no bodies can have
    arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    table = None if arm.tool is None else arm.tool.path
    text = description.urdf(coupling_of(coupling), chosen, table)
    if arm.tool is not None and table is None:
        text = with_load(text, arm)
    if coupling == "serial" and (
        other := description.inertials.sets[description.parameter_set(chosen)].serial
    ):
        err.print(f"note: bars with mass have no place on an open chain; it holds the set {other}")
    target = description.folder if output is None else output.resolve().parent
    style = meshes or ("relative" if target == description.folder else "absolute")
    text = with_mesh_paths(text, style, description.folder, target)
    print_or_write(text, output)


@app.command(
    examples=(
        "irbmodels new my_arm --like irb2400",
        "irbmodels new my_arm --datasheet irb120 -o my_arm_2",
    ),
)
@click.argument("name", help="Name of the new robot.")
@click.option(
    "--like",
    help="Shipped robot of the same build, whose tables are copied.",
    shell_complete=robot_names,
)
@click.option(
    "--datasheet",
    help=(
        "Data sheet that the folder is made from: a YAML file (docs/howto/own_robot.md), or"
        " the family of one that comes along, such as irb120 (irbmodels list --families)."
    ),
)
@click.option("-o", "--output", type=PATH, help="Folder to make; default ./NAME.")
@json_option
def new(
    name: str,
    like: str | None,
    datasheet: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Write the folder of a robot of your own.

    A data sheet states lengths, ranges, speeds, payload, reach and mass with their sources.
    Kinematics, limits, meshes, inertials at the catalogue mass, URDF, SRDF and a README follow.
    Like a shipped robot means its tables, every number marked as a copy, to be filled in.
    """
    from ..cad.new_robot import new_robot
    from ..tables.datasheet import datasheet_path, read_datasheet

    folder = output or Path(name)
    new_robot(name, like, folder, datasheet=datasheet)
    shown = folder if folder.is_absolute() else f"./{folder}"
    arms = () if datasheet is None else read_datasheet(datasheet_path(datasheet), name)[1]
    if as_json:
        about = [
            {
                "name": arm.name,
                "reach_m": arm.reach / 1000.0,
                "stated_reach_m": arm.ratings.reach_mm and arm.ratings.reach_mm / 1000.0,
                "mass_kg": arm.ratings.mass_kg,
            }
            for arm in arms
        ]
        print_json(None, {"folder": folder, "arms": about})
    if datasheet is None:
        err.print(f"wrote {folder}; every number is a copy until you replace it")
        err.print(f"Next: irbmodels info {shown}")
        return
    for arm in arms:
        stated = arm.ratings.reach_mm or 0.0
        err.print(
            f"{arm.name}: lengths give a reach of {arm.reach:.1f} mm, stated are {stated:g} mm"
            + ("" if arm.ratings.mass_kg else "; mass unknown: no inertials, no dynamics")
        )
    shown = f"{shown}/{arms[0].name}" if len(arms) > 1 else shown
    err.print(f"wrote {folder}. Next: irbmodels view {shown}")


@app.command(
    examples=(
        "irbmodels doctor robot.urdf",
        "irbmodels doctor robot.urdf --repair repaired.urdf",
    ),
)
@click.argument("file", type=PATH, help="Any URDF.")
@click.option(
    "--repair",
    type=PATH,
    metavar="OUT.urdf",
    help="Copy to write with the nearest possible tensors; put it beside FILE for meshes.",
)
@json_option
def doctor(
    file: Path,
    repair: Path | None,
    as_json: bool,
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
        changes = [
            {"link": one.link, "moved_kg_m2": one.moved, "relative": one.relative}
            for one in repairs
        ]
        print_json(None, {"file": file, "findings": findings, "repairs": changes})
    elif text:
        write_out(f"{text.encode(out.encoding, 'backslashreplace').decode(out.encoding)}\n")
    for one in repairs:
        err.print(f"repaired {one}")
    if repair is not None:
        err.print(f"wrote {repair}{'' if repairs else ', the same file: no tensor was impossible'}")
    counts = Counter(finding.severity for finding in findings)
    err.print(", ".join(counted(counts[severity], severity) for severity in SEVERITIES))
    if len(findings) > counts["note"]:
        raise click.exceptions.Exit(1)
