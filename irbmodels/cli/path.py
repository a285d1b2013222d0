"""Command path: checks a program or a motion before the robot runs it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .commands import Commands
from .completion import tool_names
from .json_output import json_option
from .shared import (
    PATH,
    REST_HELP,
    accelerations,
    any_robot,
    any_robot_argument,
    axis_positions,
    box_from,
    check_outputs,
    exact_numbers,
    file_progress,
    mechanical_units,
    mounted_option,
    overlay_option,
    payload_option,
    read_motion,
    report_option,
    report_written,
    unit_option,
    with_option,
)
from .tasks import FIRST, Result, outputs_of, print_results, read_task_options

if TYPE_CHECKING:
    from ..model.tool import Tool
    from ..rapid import Module, Move
    from ..robot.robot import Robot
    from ..tasks.path_check import Cut, ProgramMotion

app = Commands()


@app.command(
    examples=(
        "irbmodels path program.mod --robot irb2400 --report path.html",
        "irbmodels path motion.csv --robot irb2400 --tool spindle --box 0,1500,-1000,1000,200,2000",
    ),
)
@any_robot_argument
@click.argument(
    "file",
    type=PATH,
    help=(
        "RAPID module (.mod, .modx, .sys, .sysx, .prg), program (.pgf) or folder of a task, or"
        " motion CSV."
    ),
)
@click.option(
    "--tool",
    shell_complete=tool_names,
    help=(
        "A tooldata of the module, or a tool as of irbmodels pose; default the module's, if its"
        " moves have one."
    ),
)
@payload_option
@mounted_option
@click.option(
    "--wobj", help="The wobjdata of the module for moves whose own is not declared in it."
)
@with_option
@unit_option
@click.option(
    "--routine",
    help="Where the program starts; default main, or the only procedure that no other calls.",
)
@click.option("--start-deg", help="Axis positions before the first move; default its target.")
@click.option(
    "--ramp",
    type=float,
    help="Time [s] from rest to the speed of a move: assumed; default 0.2.",
)
@click.option("--step", type=float, help="Time [s] between samples of a program; default 0.01.")
@click.option(
    "--keep-speed",
    is_flag=True,
    help="Keep programmed speeds where an axis is too slow for them, and report it.",
)
@click.option(
    "--acceleration",
    help="Limits per axis, comma separated: deg/s^2, mm/s^2 for a linear axis; default none.",
)
@click.option(
    "--rated-torque",
    help=(
        "Continuous torques of the axes at the arm, N m, comma separated (N of a linear axis): RMS"
        " torques are held against them; default none."
    ),
)
@click.option("--box", help="x0,x1,y0,y1,z0,z1 in mm, in the world: TCP and tool must stay inside.")
@click.option("--collision", is_flag=True, help="Look for collisions with itself in every sample.")
@click.option(
    "--cut",
    help=(
        "Force of a cut on the tool, N: feed,across,axial (docs/howto/machining.md); negative"
        " against it."
    ),
)
@click.option("--cut-lines", help="Lines, or rows, in which the tool cuts: 12,20-25; default all.")
@click.option(
    "--stiffness",
    help="Stiffness per axis, N m/rad at the arm, comma separated: how far the TCP gives way.",
)
@json_option
@click.option(
    "tasks",
    "--task",
    multiple=True,
    metavar="NAME=ROBOT:FILE[@X,Y,Z,Q1,Q2,Q3,Q4]",
    help=(
        "Another task of the controller (MultiMove), its robot and program, and the pose of its"
        " base as --mounted has it; FILE is T_ROB1 then. --unit, --ramp, --step, --keep-speed,"
        " --box and --collision are for all tasks, other options for T_ROB1. Reports get the"
        " name of their task behind. May be repeated."
    ),
)
@report_option
@click.option(
    "--figure",
    type=PATH,
    help="Figure to write (png, pdf, svg): speed, torque and power per axis, with limits.",
)
@click.option(
    "-o",
    "--output",
    type=PATH,
    help=(
        "CSV to write, a row per sample: t, line, q1_deg .. as a motion file has them,"
        " margins, shares, torques, TCP."
    ),
)
@click.option(
    "--window",
    type=float,
    help="Length [s] of the filter that derives missing speeds of a CSV; default 0.08.",
)
@click.option("--rest", type=float, help=REST_HELP)
@overlay_option
def path(
    robot: str,
    file: Path,
    tool: str | None,
    payload: str | None,
    mounted: str | None,
    wobj: str | None,
    others: tuple[Path, ...],
    unit: tuple[str, ...],
    routine: str | None,
    start_deg: str | None,
    ramp: float | None,
    step: float | None,
    keep_speed: bool,
    acceleration: str | None,
    rated_torque: str | None,
    box: str | None,
    collision: bool,
    cut: str | None,
    cut_lines: str | None,
    stiffness: str | None,
    as_json: bool,
    tasks: tuple[str, ...],
    report: Path | None,
    figure: Path | None,
    output: Path | None,
    window: float | None,
    rest: float | None,
    overlay: tuple[Path, ...],
) -> None:
    r"""Check a program or a motion before it runs.

    Ranges, speeds, torques, singularities, a box, collision.

    Exit code 0: everything was evaluated, and keeps every checked bound; 1: a bound is not kept, a
    target is out of reach, something was not evaluated, or nothing moves; 2: bad input. A program
    is timed simply: every point is stopped at, and each move takes --ramp from rest to its speed,
    or the time of its \T. The first path of a robot that has more than a thousand samples compiles
    kernels, about a minute; they are kept.
    """
    from ..rapid import holds_rapid, summary_of
    from ..rapid.program.files import read_task
    from ..tasks.multimove import TaskCheck, sync_points
    from ..tasks.path_check import check_path
    from ..tasks.path_check.program_motion import RAMP, STEP
    from ..trajectory.differentiation import REST

    check_outputs(
        (file, robot, tool, *(others or ()), *(overlay or ())),
        report=report,
        figure=figure,
        table=output,
    )
    if figure is not None:
        from ..report.figures import check_format

        check_format(figure)
    options = read_task_options(tasks or (), file)
    bounds = None if box is None else box_from(box)
    program: ProgramMotion | None = None
    moves: tuple[Move, ...] = ()
    timing = RAMP if ramp is None else ramp, STEP if step is None else step, not keep_speed
    if file.is_dir() or holds_rapid(file):
        if window is not None or rest is not None:
            raise InputError(
                f"--window and --rest derive speeds of a motion; {file} is a RAPID module"
            )
        module = read_task(file, others or ())
        robot_with = partial(any_robot, robot, overlay=overlay, payload=payload, mounted=mounted)
        arm, program, moves = _program(
            module, robot_with, tool, wobj, unit, routine, start_deg, timing
        )
        source: Any = program
    else:
        if (
            wobj
            or others
            or unit
            or routine
            or start_deg
            or keep_speed
            or tasks
            or ramp is not None
            or step is not None
        ):
            names = (
                "--wobj, --with, --unit, --task, --routine, --start-deg, --ramp, --step and"
                " --keep-speed"
            )
            raise InputError(
                f"{names} are for RAPID modules, which begin with MODULE; {file} is a motion"
            )
        arm = any_robot(robot, tool, overlay, payload=payload, mounted=mounted)
        source = read_motion(file, arm)
    limits = None if acceleration is None else accelerations(arm, acceleration)
    rated = None if rated_torque is None else exact_numbers(rated_torque, "--rated-torque", arm.n)
    milled = _cut(arm, cut, cut_lines, stiffness)
    with file_progress() as bar:
        row = bar.add_task(file.name, total=file.stat().st_size)
        check = check_path(
            arm, source, acceleration=limits, rated_torque=rated, box=bounds, collision=collision,
            cut=milled, output=output, window=window,
            rest=REST if rest is None else rest,
            advance=lambda size: bar.advance(row, size),
        )  # fmt: skip
    first = TaskCheck(FIRST, arm, check, sync_points(moves, program.timings if program else ()))
    results = [Result(first, file, summary_of(moves) if program else None, report, figure)]
    for option in options:
        arm, program, moves = _program(
            read_task(option.file), option.load, None, None, unit, None, None, timing
        )
        check = check_path(arm, program, box=bounds, collision=collision)
        task = TaskCheck(option.name, arm, check, sync_points(moves, program.timings))
        pages = outputs_of(option, report=report, figure=figure)
        results.append(Result(task, option.file, summary_of(moves), *pages))
    report_written(output)
    if not print_results(results, as_json, bounds):
        raise click.exceptions.Exit(1)


def _program(
    module: Module,
    robot_with: Callable[[Tool | None], Robot],
    tool: str | None,
    wobj: str | None,
    unit: tuple[str, ...],
    routine: str | None,
    start_deg: str | None,
    timing: tuple[float, float, bool],
) -> tuple[Robot, ProgramMotion, tuple[Move, ...]]:
    """Return the robot with the program's tool, the program's motion, and its moves."""
    from ..rapid import LoadData, sequence_of
    from ..rapid.constants import visible_value, visible_values
    from ..tasks.path_check import programmed_motion
    from ..tasks.rapid_targets import find_tool

    moves = sequence_of(module, routine)
    own = {name.lower() for name in visible_values(module, "tooldata")}
    stand_in = tool is not None
    if tool is None:
        named = {move.tool_name.lower() for move in moves if move.tool is not None} & own
        tool = named.pop() if len(named) == 1 else None
    arm = robot_with(None if tool is None else find_tool(module, tool))
    frame = None if wobj is None else visible_value(module, "wobjdata", wobj)
    undeclared = {
        move.wobj_name: frame for move in moves if move.wobj is None and frame is not None
    }
    units = mechanical_units(unit)
    begin = None if start_deg is None else axis_positions(arm, start_deg, "--start-deg")
    ramp, step, slow = timing
    motion = programmed_motion(
        arm,
        moves,
        start=begin,
        ramp=ramp,
        step=step,
        slow=slow,
        wobjs=undeclared,
        units=units,
        loads={
            name: value
            for name, value in visible_values(module, "loaddata").items()
            if isinstance(value, LoadData)
        },
        stand_in=stand_in,
    )
    return arm, motion, moves


def _cut(robot: Robot, force: str | None, lines: str | None, stiffness: str | None) -> Cut | None:
    import numpy as np

    from ..tasks.milling import CuttingForce
    from ..tasks.path_check import Cut

    if force is None:
        if lines or stiffness:
            raise InputError(
                "--cut-lines and --stiffness are for a cut; give its force by --cut"
                " FEED,ACROSS,AXIAL"
            )
        return None
    springs = (
        None if stiffness is None else np.array(exact_numbers(stiffness, "--stiffness", robot.n))
    )
    try:
        where = None if lines is None else tuple(_lines(word) for word in lines.split(","))
    except ValueError:
        raise InputError(
            f"--cut-lines {lines!r} is not a comma separated list of line numbers, and ranges as"
            " 10-20"
        ) from None
    feed, across, axial = exact_numbers(force, "--cut", 3)
    return Cut(CuttingForce(feed, across, axial), springs, where)


def _lines(word: str) -> int | range:
    first, dash, last = word.partition("-")
    if not dash:
        return int(word)
    lines = range(int(first), int(last) + 1)
    if not lines:
        raise ValueError(word)
    return lines
