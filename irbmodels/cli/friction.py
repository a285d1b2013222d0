"""Commands on friction tests of single axes: friction-plan, friction-fit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .commands import Commands
from .json_output import json_option, print_json
from .logs import (
    drives_option,
    logs_argument,
    read_drives_file,
    read_logs,
    reading_options,
    refuse_twice,
)
from .shared import (
    PATH,
    any_robot,
    any_robot_argument,
    axis_positions,
    check_outputs,
    err,
    mounted_option,
    need_parquet,
    overlay_option,
    payload_option,
    print_tables,
    report_written,
    tool_option,
)

if TYPE_CHECKING:
    from ..robot.robot import Robot

app = Commands()


@app.command(
    "friction-plan",
    examples=(
        "irbmodels friction-plan irb2400 --tool spindle --axis 2 --rapid Friction2.mod",
        "irbmodels friction-plan irb2400 --axis 1 --count 12 -o strokes.csv",
    ),
)
@any_robot_argument
@click.option("--axis", type=int, required=True, help="Axis that is tested, 1-based.")
@click.option(
    "--slowest",
    type=float,
    help="Slowest speed [deg/s, mm/s]; default 0.0057, which is 1e-4 rad/s (0.1 of a linear axis).",
)
@click.option(
    "--fastest",
    type=float,
    help=(
        "Fastest speed [deg/s, mm/s]; default 28.6, 0.5 rad/s as S000, or less where the limit or"
        " half the range of the axis wants it."
    ),
)
@click.option("--count", default=30, help="Number of speeds, in a geometric series.")
@click.option("--steady", default=1.5, help="Shortest time at constant speed [s].")
@click.option("--pause", default=0.5, help="Rest before each stroke [s].")
@click.option(
    "--posture-deg",
    help=("Middle of the strokes, as --q-deg of pose; default where gravity on the axis is least."),
)
@tool_option
@payload_option
@mounted_option
@click.option(
    "-o", "--output", type=PATH, help="Motion to write, CSV or Parquet with speeds, accelerations."
)
@click.option("--rate", default=250.0, help="Samples per second of the motion [Hz].")
@click.option(
    "--rapid",
    "module",
    type=PATH,
    help="RAPID module to write, .mod: runs the strokes and logs the axis by test signals.",
)
@click.option("--tooldata", default="tool0", help="The controller's tooldata.")
@click.option("--unit", default="ROB_1", help="Mechanical unit.")
@overlay_option
@json_option
def friction_plan(
    robot: str,
    axis: int,
    slowest: float | None,
    fastest: float | None,
    count: int,
    steady: float,
    pause: float,
    posture_deg: str | None,
    tool: str | None,
    payload: str | None,
    mounted: str | None,
    output: Path | None,
    rate: float,
    module: Path | None,
    tooldata: str,
    unit: str,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Plan strokes at constant speeds that show friction.

    One axis moves at each speed, both ways over the same place, so that gravity cancels (S000
    section 7). irbmodels friction-fit makes the law from the log.
    """
    from ..files import write_text
    from ..identification.friction import friction_module, grid_within
    from ..identification.friction import friction_plan as planned
    from ..report.friction import plan_notes, plan_record, plan_table
    from ..report.tables import notes
    from ..trajectory.motion_files import write_motion

    check_outputs((robot, tool, *overlay), motion=output, module=module)
    need_parquet(output)
    if module is not None and module.suffix.lower() != ".mod":
        raise InputError(f"{module}: a RAPID module ends in .mod")
    arm = any_robot(robot, tool, overlay, payload=payload, mounted=mounted)
    ends = {
        name: _speed(value, arm, axis)
        for name, value in (("slowest", slowest), ("fastest", fastest))
        if value is not None
    }
    speeds = grid_within(arm, axis, count=count, steady=steady, **ends)
    middle = (
        None
        if posture_deg is None
        else axis_positions(arm, posture_deg, "--posture-deg", noted=False)
    )
    plan = planned(arm, axis, speeds, posture=middle, steady=steady, pause=pause)
    if module is not None:
        text = friction_module(plan, module.stem, tool=tooldata, unit=unit)
    if output is not None:
        write_motion(output, plan.motion(rate), arm)
    if module is not None:
        write_text(module, text)
    if as_json:
        print_json(arm, plan_record(plan))
    else:
        print_tables(plan_table(plan))
    for line in (*plan_notes(plan), *notes(arm)):
        err.print(line)
    report_written(output, module)
    if module is not None:
        err.print(
            f"it logs to HOME:friction_axis{axis}.csv every 0.1 s, and has not run on a controller"
            " by us; then: irbmodels friction-fit friction_axis"
            f"{axis}.csv --robot {robot} -o friction.yaml"
        )


@app.command(
    "friction-fit",
    examples=("irbmodels friction-fit friction_axis2.csv --robot irb2400 -o friction.yaml",),
)
@any_robot_argument
@logs_argument
@click.option(
    "-o",
    "--output",
    type=PATH,
    help="Overlay to write, .yaml, with the friction of these axes: for --overlay.",
)
@click.option("--name", default="measured", help="Of the set of friction in the overlay.")
@click.option("--ref", help="What was measured: robot, serial number, date; default the logs.")
@click.option(
    "--figure",
    type=PATH,
    help="Figure of the law to write (png, pdf, svg); of several logs its name gets _axis2 ..",
)
@reading_options
@drives_option
@json_option
def friction_fit(
    robot: str,
    logs: tuple[Path, ...],
    output: Path | None,
    name: str,
    ref: str | None,
    figure: Path | None,
    drives: Path | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Fit Stribeck friction to logs of friction-plan.

    A log per axis: the one that moves in it. Exit code 1 if a log does not tell all of Fs, Fc, Fv
    and v_St; then no overlay is written. Other commands take it: --overlay friction.yaml.
    """
    from ..files import write_text
    from ..identification.friction import (
        fit_friction,
        friction_overlay,
        friction_points,
        moved_axis,
    )
    from ..report.figures import check_format, save
    from ..report.friction import fit_record, fit_table

    refuse_twice(logs)
    check_outputs((*logs, robot, drives), overlay=output, figure=figure)
    if output is not None and output.suffix != ".yaml":
        raise InputError(f"an overlay is a .yaml file, not {str(output)!r}")
    if figure is not None:
        check_format(figure)
    arm = any_robot(robot)
    recordings = read_logs(logs, arm, read_drives_file(drives, arm), **reading)
    fits = [fit_friction(friction_points(one, moved_axis(one))) for one in recordings]
    if as_json:
        print_json(arm, fit_record(fits))
    else:
        print_tables(fit_table(fits))
    for path, fit in zip(logs, fits, strict=True):
        for finding in fit.findings:
            err.print(f"{path.name}: {finding}")
    if figure is not None:
        for fit in fits:
            own = f"{figure.stem}_axis{fit.points.axis}"
            target = figure if len(fits) == 1 else figure.with_stem(own)
            save(fit.figure(), target)
            report_written(target)
    if any(not math.isfinite(value) for fit in fits for value in fit.deviation):
        raise click.exceptions.Exit(1)
    if output is not None:
        how = "one axis at constant speeds, both ways (S000 section 7), by irbmodels friction-fit"
        source = ref or ", ".join(path.name for path in logs)
        write_text(output, friction_overlay(fits, arm.name, name, source, how))
        report_written(output)


def _speed(value: float, robot: Robot, axis: int) -> float:
    """Return a speed [rad/s, m/s] of an option in deg/s, or mm/s of a linear axis."""
    linear = 1 <= axis <= robot.n and bool(robot.limits.linear[axis - 1])
    return value / 1000.0 if linear else math.radians(value)
