"""Commands on kinematics: pose, jacobian, workspace, ik, rapid."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from ..errors import InputError
from .commands import Commands
from .completion import frame_names, tool_names
from .json_output import json_option, pose_record, print_json
from .shared import (
    PATH,
    angles,
    any_robot,
    any_robot_argument,
    axis_positions,
    err,
    mechanical_units,
    mounted_option,
    note_range,
    overlay_option,
    payload_option,
    pose_from,
    print_lines,
    print_tables,
    q_deg_option,
    report_written,
    robot_parameter,
    tool_option,
    unit_option,
    with_option,
)

app = Commands()
_FRAMES = click.Choice(("base", "world"))


def _at_most_one(
    context: click.Context, parameter: click.Parameter, words: tuple[str, ...]
) -> str | None:
    """Return the word of an argument that may be left out.

    Raises:
        UsageError: if there are several.
    """
    if len(words) > 1:
        raise click.UsageError(f"Got unexpected extra argument ({words[1]}).")
    return words[0] if words else None


@app.command(
    examples=(
        "irbmodels pose irb2400 --q-deg 0,20,10,0,30,0 --tool spindle",
        "irbmodels pose irb2400 --frame link_3 --json",
    ),
)
@any_robot_argument
@q_deg_option
@click.option(
    "--frame",
    default="tcp",
    help="Frame whose pose is wanted: tcp, tool0, flange, link_3 ...",
    shell_complete=frame_names,
)
@tool_option
@payload_option
@mounted_option
@click.option(
    "--reference", type=_FRAMES, default="base", help="Frame that the pose is in: base or world."
)
@overlay_option
@json_option
def pose(
    robot: str,
    q_deg: str | None,
    frame: str,
    tool: str | None,
    payload: str | None,
    mounted: str | None,
    reference: Any,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Print the pose of a frame in the base or the world.

    Position, quaternion q1..q4 (scalar first), and matrix.
    """
    from ..report.pose import pose_text

    arm = any_robot(robot, tool, overlay, payload=payload, mounted=mounted)
    q = axis_positions(arm, q_deg)
    if as_json:
        found: Any = arm.pose(q, frame, reference=reference)
        about = {"frame": frame, "reference": reference, "q_rad": q, **pose_record(found)}
        print_json(arm, {**about, "matrix": found.homogeneous, "violations": arm.violations(q)})
    else:
        print_lines(pose_text(arm, q, frame, reference))
    for violation in arm.overload:
        err.print(f"note: {violation}")


@app.command(
    examples=("irbmodels jacobian irb2400 --q-deg 0,20,10,0,2,0",),
)
@any_robot_argument
@q_deg_option
@click.option(
    "--frame",
    default="tcp",
    help="Frame whose velocity is meant: tcp, tool0, flange, link_3 ...",
    shell_complete=frame_names,
)
@click.option(
    "--axes",
    type=click.Choice(("base", "world", "local")),
    default="base",
    help="Axes in which the velocity is expressed: base, world, or those of the frame (local).",
)
@click.option(
    "--length",
    default=1000.0,
    help="Length [mm] at which 1 m/s counts as much as 1 rad/s in singular values.",
)
@tool_option
@payload_option
@mounted_option
@overlay_option
@json_option
def jacobian(
    robot: str,
    q_deg: str | None,
    frame: str,
    axes: Any,
    length: float,
    tool: str | None,
    payload: str | None,
    mounted: str | None,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Print the Jacobian and distances to singularities.

    Linear rows come first, as in [v; w] = J q'. Below it are singular values, condition number and
    manipulability, and the distances from the wrist, the elbow and the shoulder singularity.
    """
    from ..report.jacobian import jacobian_conclusion, jacobian_record, jacobian_tables

    arm = any_robot(robot, tool, overlay, payload=payload, mounted=mounted)
    q = axis_positions(arm, q_deg)
    record = jacobian_record(arm, q, frame, axes, length / 1000.0)
    if as_json:
        print_json(arm, record)
    else:
        print_tables(*jacobian_tables(record, arm))
    err.print(jacobian_conclusion(record))
    for violation in arm.overload:
        err.print(f"note: {violation}")


@app.command(
    examples=(
        "irbmodels workspace irb2400",
        "irbmodels workspace irb2400 --wrist-deg 0,30,0 -o workspace.svg",
    ),
)
@any_robot_argument
@click.option("-o", "--output", type=PATH, help="Drawing to write (svg, png, pdf).")
@click.option(
    "--wrist-deg",
    help="Axes 4 to 6, comma separated: the working range of the TCP with these held.",
)
@tool_option
@mounted_option
@click.option(
    "--reference",
    type=_FRAMES,
    default="base",
    help="Frame of heights (of a SCARA x and y): base or world, there with axis 1 at 0.",
)
@overlay_option
@json_option
def workspace(
    robot: str,
    output: Path | None,
    wrist_deg: str | None,
    tool: str | None,
    mounted: str | None,
    reference: Any,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Print or draw what an arm reaches in its plane.

    Exact arcs, corners, extremes, area, volume, singular postures.
    """
    from ..report import figures
    from ..report import workspace_drawing as drawings

    arm = any_robot(robot, tool, overlay, mounted=mounted)
    wrist = None if wrist_deg is None else angles(wrist_deg, "--wrist-deg", 3 if arm.n == 6 else 1)
    if wrist is not None:
        note_range(arm, [0.0] * (arm.n - len(wrist)) + wrist, arm.n - len(wrist))
    if as_json:
        record = drawings.workspace_record(arm, wrist, reference)
        print_json(arm, {"wrist_rad": wrist, "reference": reference, **record})
    elif output is None:
        print_tables(*drawings.workspace_tables(arm, wrist, reference))
    if output is not None:
        figures.check_format(output)
        figures.save(drawings.workspace_figure(arm, wrist, reference), output)
        report_written(output)


@app.command(
    examples=(
        "irbmodels ik irb2400 --pose 1200,0,1000,0,0,1,0 --in-range",
        "irbmodels ik irb2400 --pose 1200,0,1000,0,0,1,0 --near 0,20,10,0,30,0",
    ),
)
@any_robot_argument
@click.option(
    "--pose",
    help="TCP: x,y,z,q1,q2,q3,q4 in mm, and the quaternion with the scalar first.",
)
@click.option(
    "--target",
    help=(
        "The same as a robtarget: [[x,y,z],[q1,q2,q3,q4],[cf1,cf4,cf6,cfx],[9E9,...]]; * as"
        " programmed."
    ),
)
@tool_option
@click.option(
    "--near",
    help="Seed, as --q-deg: solutions are sorted by distance to it, and keep its free axes.",
)
@click.option("--in-range", is_flag=True, help="Only what keeps every range, the coupled one too.")
@click.option("--turns", is_flag=True, help="List every full turn that is in range.")
@click.option("configuration", "--conf", help="Only what has this configuration: cf1,cf4,cf6,cfx.")
@click.option("--axis-7", type=float, help="Axis 7 of an arm of seven axes [deg].")
@mounted_option
@click.option(
    "--reference",
    type=_FRAMES,
    help="Frame that the TCP is in; default base for --pose, and world, as wobj0, for --target.",
)
@overlay_option
@json_option
def ik(
    robot: str,
    pose: str | None,
    target: str | None,
    tool: str | None,
    near: str | None,
    in_range: bool,
    turns: bool,
    configuration: str | None,
    axis_7: float | None,
    mounted: str | None,
    reference: Any,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Print every posture that brings the TCP to a pose.

    With ABB's configuration data; exit code 1 if there is none.
    """
    from ..kinematics.inverse.solver import as_target
    from ..report.ik_table import solutions_record, solutions_table

    arm = any_robot(robot, tool, overlay, mounted=mounted)
    seed = None if near is None else axis_positions(arm, near, "--near")
    wanted: Any = None if configuration is None else configuration.split(",")
    if (pose is None) == (target is None):
        raise InputError("ik takes one of --pose and --target")
    goal: Any = pose_from(pose, "--pose") if pose is not None else as_target(target)
    if target is not None and goal.rot.note:
        err.print(f"note: {goal.rot.note}")
    solutions: Any = arm.inverse_kinematics(
        goal,
        in_range=in_range,
        near=seed,
        turns=turns,
        configuration=wanted,
        axis_7=None if axis_7 is None else math.radians(axis_7),
        reference=reference,
    )
    if as_json:
        pose_wanted = goal if target is None else goal.pose()
        frame = reference or ("base" if target is None else "world")
        asked = {"target": pose_record(pose_wanted), "reference": frame}
        print_json(arm, {**asked, **solutions_record(arm, solutions)})
    if not solutions:
        err.print(str(solutions))
        raise click.exceptions.Exit(1)
    if not as_json:
        print_tables(solutions_table(arm, solutions))


@app.command(
    examples=(
        "irbmodels rapid program.mod",
        "irbmodels rapid program.mod --robot irb2400",
    ),
)
@robot_parameter(
    "Robot whose postures at each target are listed.",
    nargs=-1,  # at most one: FILE comes last
    metavar="[ROBOT]",
    callback=_at_most_one,
)
@click.argument(
    "file",
    type=PATH,
    help="RAPID module (.mod, .modx, .sys, .sysx, .prg) or program (.pgf).",
)
@click.option(
    "--tool",
    help="A tooldata of the module, or a tool as of irbmodels pose; default tool0.",
    shell_complete=tool_names,
)
@click.option("--wobj", help="The wobjdata of the module that targets are in; default wobj0.")
@mounted_option
@unit_option
@with_option
@json_option
def rapid(
    robot: str | None,
    file: Path,
    tool: str | None,
    wobj: str | None,
    mounted: str | None,
    unit: tuple[str, ...],
    others: tuple[Path, ...],
    as_json: bool,
) -> None:
    """List the declarations of a RAPID module, or its targets.

    With --robot every posture at its targets, * as programmed.
    """
    from ..rapid import read_program
    from ..tasks.rapid_targets import (
        declaration_lines,
        find_tool,
        posture_lines,
        target_postures,
        targets_record,
    )

    module = read_program(file, others or ())
    if robot is None:
        if tool or wobj or mounted or unit:
            raise InputError(
                "--tool, --wobj, --mounted and --unit say how a robot reaches targets; they need"
                " --robot"
            )
        arm, targets = None, None
    else:
        arm = any_robot(robot, mounted=mounted)
        arm = arm if tool is None else arm.with_tool(find_tool(module, tool))
        targets = target_postures(module, arm, wobj, mechanical_units(unit))
    for note in module.notes:
        err.print(f"note: {note}")
    if as_json:
        print_json(arm, targets_record(module, arm, targets))
    elif arm is None or targets is None:
        print_lines(*declaration_lines(module))
    else:
        print_lines(*posture_lines(targets, arm))
