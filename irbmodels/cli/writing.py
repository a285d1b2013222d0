"""Robots, their numbers and their equations for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from ..robot import load
from .shared import Output, Overlays, Parameters, RobotName, ToolName, any_robot, app, coupling_of, err, put, show


@app.command()
def export(
    robot: Annotated[str, typer.Argument(help="Variant, alias, folder of tables, or any .urdf, .sdf or MJCF file.")],
    to: Annotated[str, typer.Option(help="urdf, mjcf (MuJoCo), sdf (Gazebo, Drake) or ros2 (a description package).")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into; it is made.")],
    tool: ToolName = None,
    parameters: Parameters = None,
    coupling: Annotated[str | None, typer.Option(help="parallelogram or serial; default what serves the tool best.")] = None,
    meshes: Annotated[str, typer.Option(help="Mesh paths: relative, absolute or package.")] = "relative",
    carrier_kg: Annotated[
        float | None, typer.Option(help="Mass of each massless carrier or bar [kg]; default by format.")
    ] = None,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Load the file again in every tool it is for, and compare; exit code 1 if one differs."),
    ] = False,
    overlay: Overlays = None,
) -> None:
    """Write a robot, its tool and its meshes for another tool, in a folder that stands on its own."""
    from ..export import Options
    from ..export import export as write
    from ..reading import from_file

    if Path(robot).suffix.lower() in (".urdf", ".sdf", ".xml", ".mjcf"):
        if parameters or overlay:
            raise InputError(f"{robot} has no tables; --parameters and --overlay are for robots that do")
        arm = from_file(robot).with_tool(tool) if tool else from_file(robot)
    else:
        arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    written = write(arm, to, output, Options(coupling_of(coupling), meshes, carrier_kg))
    others = f" and {len(written) - 1} files beside it" if len(written) > 1 else ""
    err.print(f"wrote {written[0]}{others}")
    if verify:
        from ..export.verify import verify as compare
        from ..report import verdict_table

        verdicts = compare(arm, to, written[0])
        show(verdict_table(verdicts, arm))
        if not all(verdict.holds for verdict in verdicts):
            raise typer.Exit(1)


@app.command()
def tables(
    robot: RobotName,
    fmt: Annotated[str, typer.Option("--as", help="csv, json, latex, or matlab (a rigidBodyTree script).")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into; it is made.")],
    tool: ToolName = None,
    parameters: Parameters = None,
    overlay: Overlays = None,
) -> None:
    """Write DH rows, limits, inertials and friction, each number with its source, for papers and other programs."""
    from ..export.tables import write_tables

    arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    for path in write_tables(arm, fmt, output):
        err.print(f"wrote {path}")


@app.command()
def equations(
    robot: Annotated[str, typer.Argument(help="Variant, alias, folder of tables, or any .urdf file.")],
    what: Annotated[str, typer.Option(help="pose, jacobian, mass_matrix, coriolis, gravity, inverse_dynamics, energy ...")],
    fmt: Annotated[str, typer.Option("--as", help="sympy, latex or matlab.")] = "latex",
    frame: Annotated[str | None, typer.Option(help="Frame of pose and jacobian: tcp (default), tool0, link_3 ...")] = None,
    tool: ToolName = None,
    parameters: Parameters = None,
    output: Output = None,
    overlay: Overlays = None,
) -> None:
    """Write a robot's equations with named constants, to be read, pasted into a paper, or run."""
    from ..equations import equations_text

    if robot.lower().endswith(".urdf") and parameters:
        raise InputError(f"{robot} has no tables; --parameters is for robots that do")
    arm = any_robot(robot, tool, overlay)
    text = equations_text(arm if parameters is None else arm.with_parameters(parameters), what, fmt, frame)
    put(text, output)


@app.command()
def codegen(
    robot: Annotated[str, typer.Argument(help="Variant, alias, folder of tables, or any .urdf file.")],
    what: Annotated[
        list[str],
        typer.Option(help="inverse_dynamics, forward_dynamics, pose, jacobian ..., comma separated; may be repeated."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into; it is made.")],
    tool: ToolName = None,
    parameters: Parameters = None,
    frame: Annotated[str, typer.Option(help="Frame of pose, jacobian and hessian: tcp, tool0, link_3 ...")] = "tcp",
    no_friction: Annotated[bool, typer.Option("--no-friction", help="Leave friction out of the dynamics.")] = False,
    single: Annotated[bool, typer.Option("--single", help="Compute in float instead of double.")] = False,
    name: Annotated[str | None, typer.Option(help="What names of files and functions begin with; default the robot's.")] = None,
    overlay: Overlays = None,
) -> None:
    """Write queries as C99 without dependencies for a real-time controller: header, source, and a self-test to compile."""
    from ..codegen import write_c

    arm = any_robot(robot, tool, overlay)
    arm = arm if parameters is None else arm.with_parameters(parameters)
    queries = [word.strip() for words in what for word in words.split(",")]
    for path in write_c(arm, output, queries, frame=frame, friction=not no_friction, single=single, name=name):
        err.print(f"wrote {path}")
