"""Commands that write for other programs: export, tables, equations, codegen."""

from __future__ import annotations

from typing import Annotated

import typer

from ..report.text_table import counted
from ..robot.robot import load
from .shared import (
    AnyRobot,
    Folder,
    Output,
    Overlays,
    Parameters,
    RobotName,
    ToolName,
    any_robot,
    check_outputs,
    coupling_of,
    err,
    print_or_write,
    report_written,
    verify_file,
)

app = typer.Typer()


@app.command()
def export(
    robot: AnyRobot,
    to: Annotated[
        str,
        typer.Option(
            help="urdf, mjcf (MuJoCo), sdf (Gazebo, Drake) or ros2 (a description package)."
        ),
    ],
    output: Folder,
    tool: ToolName = None,
    parameters: Parameters = None,
    coupling: Annotated[
        str | None, typer.Option(help="parallelogram or serial; default what serves the tool best.")
    ] = None,
    meshes: Annotated[
        str, typer.Option(help="Mesh paths: relative, absolute or package.")
    ] = "relative",
    carrier_kg: Annotated[
        float | None,
        typer.Option(help="Mass of each massless carrier or bar [kg]; default by format."),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help=(
                "Load the file again in its installed tools, and compare; exit code 1 unless all"
                " agree."
            ),
        ),
    ] = False,
    overlay: Overlays = None,
) -> None:
    """Write a robot, its tool and its meshes for another program.

    Into a folder that stands on its own.
    """
    from ..exchange.write import Options
    from ..exchange.write import export as write

    arm = any_robot(robot, tool, overlay, parameters)
    written = write(arm, to, output, Options(coupling_of(coupling), meshes, carrier_kg))
    more = len(written) - 1
    others = f" and {counted(more, 'file')} beside it" if more else ""
    err.print(f"wrote {written[0]}{others}")
    if verify:
        verify_file(arm, to, written[0])


@app.command()
def tables(
    robot: RobotName,
    fmt: Annotated[
        str, typer.Option("--as", help="csv, json, latex, or matlab (a rigidBodyTree script).")
    ],
    output: Folder,
    tool: ToolName = None,
    parameters: Parameters = None,
    overlay: Overlays = None,
) -> None:
    """Write DH rows, limits, inertials and friction with sources.

    For papers and other programs.
    """
    from ..exchange.write.tables import write_tables

    arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    report_written(*write_tables(arm, fmt, output))


@app.command()
def equations(
    robot: AnyRobot,
    what: Annotated[
        str,
        typer.Option(
            help="pose, jacobian, mass_matrix, coriolis, gravity, inverse_dynamics, energy ..."
        ),
    ],
    fmt: Annotated[str, typer.Option("--as", help="sympy, latex or matlab.")] = "latex",
    frame: Annotated[
        str | None,
        typer.Option(help="Frame of pose and jacobian: tcp (default), tool0, link_3 ..."),
    ] = None,
    tool: ToolName = None,
    parameters: Parameters = None,
    output: Output = None,
    overlay: Overlays = None,
) -> None:
    """Write a robot's equations with named constants.

    To be read, pasted into a paper, or run.
    """
    from ..exchange.equations.equations import equations_text

    check_outputs((robot, tool, parameters, *(overlay or ())), output=output)
    print_or_write(
        equations_text(any_robot(robot, tool, overlay, parameters), what, fmt, frame), output
    )


@app.command()
def codegen(
    robot: AnyRobot,
    what: Annotated[
        list[str],
        typer.Option(
            help=(
                "inverse_dynamics, forward_dynamics, pose, jacobian ..., comma separated; may be"
                " repeated."
            )
        ),
    ],
    output: Folder,
    tool: ToolName = None,
    parameters: Parameters = None,
    frame: Annotated[
        str, typer.Option(help="Frame of pose, jacobian and hessian: tcp, tool0, link_3 ...")
    ] = "tcp",
    no_friction: Annotated[
        bool, typer.Option("--no-friction", help="Leave friction out of the dynamics.")
    ] = False,
    single: Annotated[
        bool, typer.Option("--single", help="Compute in float instead of double.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(help="What names of files and functions begin with; default the robot's."),
    ] = None,
    overlay: Overlays = None,
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
