"""Commands on kinematics: pose, workspace, ik, rapid."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError
from .shared import (
    AnyRobot,
    AxesDeg,
    Modules,
    Overlays,
    Payload,
    ToolName,
    Units,
    angles,
    any_robot,
    axis_positions,
    err,
    mechanical_units,
    print_lines,
    print_tables,
    report_written,
)

app = typer.Typer()


@app.command()
def pose(
    robot: AnyRobot,
    q_deg: AxesDeg = None,
    frame: Annotated[
        str, typer.Option(help="Frame whose pose is wanted: tcp, tool0, flange, link_3 ...")
    ] = "tcp",
    tool: ToolName = None,
    payload: Payload = None,
    overlay: Overlays = None,
) -> None:
    """Print the pose of a frame in the base.

    Position, quaternion q1..q4 (scalar first), and matrix.
    """
    from ..report.pose import pose_text

    arm = any_robot(robot, tool, overlay, payload=payload)
    q = axis_positions(arm, q_deg)
    print_lines(pose_text(arm, q, frame))
    for violation in arm.violations(q):
        err.print(f"note: {violation}")


@app.command()
def workspace(
    robot: AnyRobot,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Drawing to write (svg, png, pdf).")
    ] = None,
    wrist_deg: Annotated[
        str | None,
        typer.Option(
            "--wrist-deg",
            help="Axes 4 to 6, comma separated: the working range of the TCP with these held.",
        ),
    ] = None,
    tool: ToolName = None,
    overlay: Overlays = None,
) -> None:
    """Print or draw what an arm reaches in its plane.

    Exact arcs, corners, extremes, area, volume, singular postures.
    """
    from ..report import figures
    from ..report import workspace_drawing as drawings

    arm = any_robot(robot, tool, overlay)
    wrist = None if wrist_deg is None else angles(wrist_deg, "--wrist-deg", 3 if arm.n == 6 else 1)
    if output is None:
        print_tables(*drawings.workspace_tables(arm, wrist))
        return
    figures.check_format(output)
    figures.save(drawings.workspace_figure(arm, wrist), output)
    report_written(output)


@app.command()
def ik(
    robot: AnyRobot,
    pose: Annotated[
        str | None,
        typer.Option(
            "--pose",
            help=(
                "TCP in the base: x,y,z,q1,q2,q3,q4 in mm, and the quaternion with the scalar"
                " first."
            ),
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            help=(
                "The same as a robtarget: [[x,y,z],[q1,q2,q3,q4],[cf1,cf4,cf6,cfx],[9E9,...]]; * as"
                " programmed."
            ),
        ),
    ] = None,
    tool: ToolName = None,
    near: Annotated[
        str | None,
        typer.Option(
            help="Seed, as --q-deg: solutions are sorted by distance to it, and keep its free axes."
        ),
    ] = None,
    in_range: Annotated[
        bool, typer.Option("--in-range", help="Only what keeps every range, the coupled one too.")
    ] = False,
    turns: Annotated[
        bool, typer.Option("--turns", help="List every full turn that is in range.")
    ] = False,
    configuration: Annotated[
        str | None,
        typer.Option("--conf", help="Only what has this configuration: cf1,cf4,cf6,cfx."),
    ] = None,
    overlay: Overlays = None,
) -> None:
    """Print every posture that brings the TCP to a pose.

    With ABB's configuration data; exit code 1 if there is none.
    """
    from ..kinematics.inverse.solver import as_target
    from ..report.ik_table import pose_from, solutions_table

    arm = any_robot(robot, tool, overlay)
    seed = None if near is None else axis_positions(arm, near, "--near")
    wanted: Any = None if configuration is None else configuration.split(",")
    if (pose is None) == (target is None):
        raise InputError("ik takes one of --pose and --target")
    goal: Any = pose_from(pose) if pose is not None else as_target(target)
    if target is not None and goal.rot.note:
        err.print(f"note: {goal.rot.note}")
    solutions: Any = arm.inverse_kinematics(
        goal, in_range=in_range, near=seed, turns=turns, configuration=wanted
    )
    if not solutions:
        err.print(str(solutions))
        raise typer.Exit(1)
    print_tables(solutions_table(arm, solutions))


@app.command()
def rapid(
    file: Annotated[
        Path,
        typer.Argument(help="RAPID module (.mod, .modx, .sys, .sysx, .prg) or program (.pgf)."),
    ],
    robot: Annotated[
        str | None, typer.Option(help="Robot whose postures at each target are listed.")
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option(
            help="A tooldata of the module, a shipped tool, or a tool table; default tool0."
        ),
    ] = None,
    wobj: Annotated[
        str | None,
        typer.Option(help="The wobjdata of the module that targets are in; default wobj0."),
    ] = None,
    unit: Units = None,
    others: Modules = None,
) -> None:
    """List the declarations of a RAPID module, or its targets.

    With --robot every posture at its targets, * as programmed.
    """
    from ..rapid import read_program
    from ..tasks.rapid_targets import declaration_lines, find_tool, posture_lines

    module = read_program(file, others or ())
    if robot is None:
        if tool or wobj or unit:
            raise InputError(
                "--tool, --wobj and --unit say how a robot reaches targets; they need --robot"
            )
        lines = declaration_lines(module)
    else:
        arm = any_robot(robot)
        arm = arm if tool is None else arm.with_tool(find_tool(module, tool))
        lines = posture_lines(module, arm, wobj, mechanical_units(unit))
    for note in module.notes:
        err.print(f"note: {note}")
    print_lines(*lines)
