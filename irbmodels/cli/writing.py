"""Commands that write for other programs: export, tables, equations, codegen."""

from __future__ import annotations

from pathlib import Path

import click

from ..report.text_table import counted
from ..tables.description import COUPLINGS
from .commands import Commands
from .completion import (
    EQUATION_FORMATS,
    FORMATS,
    MESHES,
    QUERIES,
    TABLE_FORMATS,
    Names,
    frame_names,
)
from .json_output import json_option, print_json
from .shared import (
    any_robot,
    any_robot_argument,
    check_outputs,
    coupling_of,
    err,
    folder_option,
    mounted_option,
    output_option,
    overlay_option,
    parameters_option,
    print_or_write,
    refuse_unproven,
    report_written,
    robot_argument,
    tool_option,
    verify_file,
)

app = Commands()


@app.command(
    examples=("irbmodels export irb2400 --to mjcf -o mujoco --verify",),
)
@any_robot_argument
@click.option(
    "--to",
    type=Names(FORMATS),
    required=True,
    help="URDF, MJCF (MuJoCo), SDF (Gazebo, Drake) or a ROS 2 description package.",
)
@folder_option
@tool_option
@parameters_option
@mounted_option
@click.option(
    "--coupling", type=Names(COUPLINGS), help="Tree of the arm; default what serves the tool best."
)
@click.option("--meshes", type=Names(MESHES), default="relative", help="Mesh paths of a URDF.")
@click.option(
    "--carrier-kg", type=float, help="Mass of each massless carrier or bar [kg]; default by format."
)
@click.option(
    "--verify",
    is_flag=True,
    help="Load the file again in its installed tools, and compare; exit code 1 unless all agree.",
)
@overlay_option
@json_option
def export(
    robot: str,
    to: str,
    output: Path,
    tool: str | None,
    parameters: str | None,
    mounted: str | None,
    coupling: str | None,
    meshes: str,
    carrier_kg: float | None,
    verify: bool,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Write a robot, its tool and its meshes for another program.

    Into a folder that stands on its own.
    """
    from ..exchange.write import Options
    from ..exchange.write import export as write
    from ..report.records import verdicts_record

    arm = any_robot(robot, tool, overlay, parameters, mounted=mounted)
    written = write(arm, to, output, Options(coupling_of(coupling), meshes, carrier_kg))
    more = len(written) - 1
    others = f" and {counted(more, 'file')} beside it" if more else ""
    err.print(f"wrote {written[0]}{others}")
    verdicts = verify_file(arm, to, written[0], as_json) if verify else []
    if as_json:
        tools = verdicts_record(verdicts) if verify else None
        print_json(arm, {"format": to, "files": written, "tools": tools})
    if verify:
        refuse_unproven(verdicts)


@app.command(
    examples=("irbmodels tables irb2400 --as csv -o tables",),
)
@robot_argument
@click.option(
    "fmt",
    "--as",
    type=Names(TABLE_FORMATS),
    required=True,
    help="Format; of MATLAB a rigidBodyTree script.",
)
@folder_option
@tool_option
@parameters_option
@overlay_option
def tables(
    robot: str,
    fmt: str,
    output: Path,
    tool: str | None,
    parameters: str | None,
    overlay: tuple[Path, ...],
) -> None:
    """Write DH rows, limits, inertials and friction with sources.

    For papers and other programs.
    """
    from ..exchange.write.tables import write_tables
    from ..robot.robot import load

    arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    report_written(*write_tables(arm, fmt, output))


@app.command(
    examples=("irbmodels equations irb930 --what gravity --as latex",),
)
@any_robot_argument
@click.option(
    "--what",
    type=Names(QUERIES),
    metavar="QUERY",
    required=True,
    help=f"{', '.join(QUERIES[:-1])} or {QUERIES[-1]}.",
)
@click.option("fmt", "--as", type=Names(EQUATION_FORMATS), default="latex", help="Format.")
@click.option(
    "--frame",
    help="Frame of pose and jacobian: tcp (default), tool0, link_3 ...",
    shell_complete=frame_names,
)
@tool_option
@parameters_option
@output_option
@overlay_option
def equations(
    robot: str,
    what: str,
    fmt: str,
    frame: str | None,
    tool: str | None,
    parameters: str | None,
    output: Path | None,
    overlay: tuple[Path, ...],
) -> None:
    """Write a robot's equations with named constants.

    To be read, pasted into a paper, or run.
    """
    from ..exchange.equations.equations import equations_text

    check_outputs((robot, tool, parameters, *(overlay or ())), output=output)
    print_or_write(
        equations_text(any_robot(robot, tool, overlay, parameters), what, fmt, frame), output
    )


@app.command(
    examples=("irbmodels codegen irb2400 --what inverse_dynamics,pose -o c",),
)
@any_robot_argument
@click.option(
    "--what",
    type=Names(QUERIES),
    metavar="QUERY[,QUERY]",
    multiple=True,
    required=True,
    help="Queries as of irbmodels equations, comma separated; may be repeated.",
)
@folder_option
@tool_option
@parameters_option
@click.option(
    "--frame",
    default="tcp",
    help="Frame of pose, jacobian and hessian: tcp, tool0, link_3 ...",
    shell_complete=frame_names,
)
@click.option("--no-friction", is_flag=True, help="Leave friction out of the dynamics.")
@click.option("--single", is_flag=True, help="Compute in float instead of double.")
@click.option("--name", help="What names of files and functions begin with; default the robot's.")
@overlay_option
def codegen(
    robot: str,
    what: tuple[str, ...],
    output: Path,
    tool: str | None,
    parameters: str | None,
    frame: str,
    no_friction: bool,
    single: bool,
    name: str | None,
    overlay: tuple[Path, ...],
) -> None:
    """Write queries as C99 for a real-time controller.

    Header, source, and a self-test to compile; without dependencies.
    """
    from ..exchange.c.codegen import write_c

    arm = any_robot(robot, tool, overlay, parameters)
    queries = [word.strip() for words in what for word in words.split(",")]
    report_written(
        *write_c(
            arm, output, queries, frame=frame, friction=not no_friction, single=single, name=name
        )
    )
