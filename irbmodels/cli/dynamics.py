"""Commands on dynamics: torque, friction, check."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .commands import Commands
from .json_output import json_option, print_json
from .shared import (
    PATH,
    REST_HELP,
    any_robot,
    any_robot_argument,
    check_outputs,
    err,
    file_progress,
    mounted_option,
    output_option,
    overlay_option,
    parameters_option,
    payload_option,
    print_tables,
    read_motion,
    refuse_unproven,
    report_written,
    robot_argument,
    tool_option,
    verify_file,
)

if TYPE_CHECKING:
    from ..robot.robot import Robot
    from ..trajectory.torque_prediction import Prediction

app = Commands()


@app.command(
    examples=(
        "irbmodels torque irb2400 motion.csv --tool spindle -o torque.csv",
        "irbmodels torque irb2400 motion.csv --payload 3,0,0,50 --figure torque.png",
    ),
)
@any_robot_argument
@click.argument(
    "motion",
    type=PATH,
    help="CSV with t, q1_deg ..; optional v1_deg_s .., a1_deg_s2 .., tau1_Nm ..",
)
@tool_option
@payload_option
@mounted_option
@parameters_option
@output_option
@click.option(
    "--figure",
    type=PATH,
    help="Figure to write (png, pdf, svg): torque, position, speed per axis.",
)
@click.option(
    "--window",
    type=float,
    help="Length [s] of the filter that derives missing speeds; default 0.08.",
)
@click.option("--rest", type=float, help=REST_HELP)
@overlay_option
@json_option
def torque(
    robot: str,
    motion: Path,
    tool: str | None,
    payload: str | None,
    mounted: str | None,
    parameters: str | None,
    output: Path | None,
    figure: Path | None,
    window: float | None,
    rest: float | None,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Predict axis torques along a motion, split by cause.

    Measured torques are compared with them.

    Speeds and accelerations that the file does not have come from a Savitzky-Golay filter: a cubic
    over --window seconds, symmetric in time; what moves less than --rest per window stands still.
    Files may be larger than memory.
    """
    from ..report import figures
    from ..report.records import prediction_record
    from ..report.tables import prediction_tables
    from ..trajectory.differentiation import REST
    from ..trajectory.torque_prediction import predict

    rest = REST if rest is None else rest
    check_outputs((robot, motion, tool, parameters, *(overlay or ())), output=output, figure=figure)
    arm = any_robot(robot, tool, overlay, parameters, payload, mounted)
    file = read_motion(motion, arm)
    if figure is not None:
        figures.check_format(figure)
    if window is not None and not file.derived:
        err.print("--window is ignored: the file has speeds and accelerations")
    with file_progress() as bar:
        task = bar.add_task(motion.name, total=file.size)
        prediction = predict(file, output, window, rest, lambda size: bar.advance(task, size))
    if figure is not None:
        figures.save(figures.torque_figure(prediction, arm), figure)
    if as_json:
        print_json(arm, prediction_record(prediction, arm))
    else:
        print_tables(*prediction_tables(prediction, arm))
    _print_remarks(prediction, arm, rest, file.missing)
    report_written(output, figure)


@app.command(
    examples=("irbmodels friction irb2400 --save friction.png",),
)
@robot_argument
@click.option("--save", type=PATH, help="Figure to write (png, pdf, svg).")
@overlay_option
@json_option
def friction(
    robot: str,
    save: Path | None,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Print the friction of each axis, and draw it over speed.

    Shaded is what was measured.
    """
    from ..report import figures
    from ..report.records import friction_record
    from ..report.tables import friction_table
    from ..robot.robot import load
    from ..tables.description import describe
    from ..tables.overlays import with_overlays

    arm = load(robot, overlays=overlay or ())
    if save is not None:
        figures.check_format(save)
    figure = figures.friction_figure(arm)
    if as_json:
        print_json(arm, friction_record(arm))
    else:
        print_tables(friction_table(with_overlays(describe(robot), overlay or ())))
    if save is not None:
        figures.save(figure, save)
        report_written(save)


@app.command(
    examples=("irbmodels check irb1600",),
)
@any_robot_argument
@tool_option
@payload_option
@parameters_option
@click.option(
    "--figure",
    type=PATH,
    help="Figure to write: the TCP along S001's motion, three ways.",
)
@overlay_option
@json_option
def check(
    robot: str,
    tool: str | None,
    payload: str | None,
    parameters: str | None,
    figure: Path | None,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Compare a robot with two derivations and installed engines.

    Exit code 1 if one differs. A robot from a file has no tables to derive from: it is compared
    with the engines alone, and the exit code is 1 too if there is none.
    """
    from ..exchange.verify.check import check as run
    from ..exchange.verify.check import reference_motion, tcp_paths
    from ..exchange.write import export
    from ..report import figures
    from ..report.records import agreements_record, verdicts_record
    from ..report.tables import agreement_table, left_out_springs

    arm = any_robot(robot, tool, overlay, parameters, payload)
    if arm.description is None:
        if figure is not None:
            raise InputError(f"--figure compares with the DH table, and {robot} has none")
        with TemporaryDirectory() as folder:
            verdicts = verify_file(arm, "urdf", export(arm, "urdf", folder)[0], as_json)
        if as_json:
            print_json(arm, {"agreements": None, "tools": verdicts_record(verdicts)})
        refuse_unproven(verdicts)
        return
    if figure is not None:
        figures.check_format(figure)
    agreements = run(arm)
    if as_json:
        print_json(arm, {"agreements": agreements_record(agreements), "tools": None})
    else:
        print_tables(agreement_table(agreements, arm))
    absent = [one.against for one in agreements if not one.compared]
    if absent:
        err.print(f"not compared: {', '.join(absent)}")
    for line in left_out_springs(arm):
        err.print(line)
    if figure is not None:
        motion = reference_motion(arm)
        figures.save(figures.tcp_figure(tcp_paths(arm, motion), motion, arm), figure)
        report_written(figure)
    if not all(agreement.holds for agreement in agreements):
        raise click.exceptions.Exit(1)


def _print_remarks(
    prediction: Prediction, robot: Robot, rest: float, missing: tuple[str, ...]
) -> None:
    import numpy as np

    from ..report.tables import notes

    err.print(f"{prediction.rows} rows, {prediction.duration:.6g} s of motion")
    if prediction.window is not None:
        err.print(
            f"missing {' and '.join(missing)} are derived by a cubic over"
            f" {1e3 * prediction.window:.4g} ms"
        )
        if "speeds" in missing:
            err.print(f"an axis that moves less than {rest:g} deg or mm within it stands still")
    for line in notes(robot):
        err.print(line)
    if prediction.first_out_of_range is not None:
        t, violation = prediction.first_out_of_range
        err.print(
            f"{prediction.out_of_range} rows are outside the range of an axis, first at t = {t:.6g}"
            f" s: {violation}"
        )
    assumed = prediction.over_effort & robot.limits.effort_assumed
    for flags, reason in (
        (prediction.over_speed, "moved faster than its speed limit"),
        (
            prediction.extrapolated,
            "moved faster than its friction was measured; friction there is extrapolated",
        ),
        (assumed, "exceeds its effort bound (assumed: no torque limit of this robot is published)"),
        (prediction.over_effort & ~assumed, "exceeds its effort bound"),
    ):
        if flags.any():
            err.print(f"axis {', '.join(str(i + 1) for i in np.flatnonzero(flags))}: {reason}")
