"""What a robot needs to move."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..description import describe
from ..errors import InputError
from ..logs import REST, open_motion
from ..overlays import with_overlays
from ..prediction import Prediction, predict
from ..robot import Robot, load
from .shared import Output, Overlays, Parameters, RobotName, ToolName, app, err, file_progress, show


@app.command()
def torque(
    robot: RobotName,
    motion: Annotated[Path, typer.Argument(help="CSV with t, q1_deg ..; optional v1_deg_s .., a1_deg_s2 .., tau1_Nm ..")],
    tool: ToolName = None,
    parameters: Parameters = None,
    output: Output = None,
    figure: Annotated[
        Path | None, typer.Option(help="Figure to write (png, pdf, svg): torque, position, speed per axis.")
    ] = None,
    window: Annotated[
        float | None, typer.Option(help="Length [s] of the filter that derives missing speeds; default 0.08.")
    ] = None,
    rest: Annotated[float, typer.Option(help="Move [deg, mm] within the window that is noise: the axis stands still.")] = REST,
    overlay: Overlays = None,
) -> None:
    """Predict axis torques along a motion, split by cause, and compare them with measured ones.

    Speeds and accelerations that the file does not have come from a Savitzky-Golay filter: a cubic over --window seconds,
    symmetric in time; what moves less than --rest per window stands still. Files may be larger than memory.
    """
    from .. import figures
    from ..report import prediction_tables

    arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    file = open_motion(motion, arm)
    if figure is not None:
        figures.check_format(figure)
        if figure == output:
            raise InputError(f"{figure} cannot be both the output and the figure")
    for name, meant in file.ignored.items():
        err.print(f"ignored column: {name}{f' (did you mean {meant}?)' if meant else ''}")
    if window is not None and not file.derived:
        err.print("--window is ignored: the file has speeds and accelerations")
    with file_progress() as bar:
        task = bar.add_task(motion.name, total=file.size)
        prediction = predict(file, output, window, rest, lambda size: bar.advance(task, size))
    if figure is not None:
        figures.save(figures.torque_figure(prediction, arm), figure)
    show(*prediction_tables(prediction, arm))
    _say_what_to_mind(prediction, arm, rest, file.missing)
    for path in (output, figure):
        if path is not None:
            err.print(f"wrote {path}")


@app.command()
def friction(
    robot: RobotName,
    save: Annotated[Path | None, typer.Option("--save", help="Figure to write (png, pdf, svg).")] = None,
    overlay: Overlays = None,
) -> None:
    """Print the friction of each axis, and draw it over speed; shaded is what was measured."""
    from .. import figures
    from ..report import friction_table

    arm = load(robot, overlays=overlay or ())
    if save is not None:
        figures.check_format(save)
    figure = figures.friction_figure(arm)
    show(friction_table(with_overlays(describe(robot), overlay or ())))
    if save is not None:
        figures.save(figure, save)
        err.print(f"wrote {save}")


@app.command()
def check(
    robot: RobotName,
    tool: ToolName = None,
    parameters: Parameters = None,
    figure: Annotated[Path | None, typer.Option(help="Figure to write: the TCP along S001's motion, three ways.")] = None,
    overlay: Overlays = None,
) -> None:
    """Compare a robot's answers with two independent derivations and with every installed engine; exit code 1 if one differs."""
    from .. import figures
    from ..check import check as run
    from ..check import reference_motion, tcp_paths
    from ..report import agreement_table

    arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    if figure is not None:
        figures.check_format(figure)
    found = run(arm)
    show(agreement_table(found, arm))
    if figure is not None:
        motion = reference_motion(arm)
        figures.save(figures.tcp_figure(tcp_paths(arm, motion), motion, arm), figure)
        err.print(f"wrote {figure}")
    if not all(agreement.holds for agreement in found):
        raise typer.Exit(1)


def _say_what_to_mind(prediction: Prediction, robot: Robot, rest: float, missing: tuple[str, ...]) -> None:
    from ..report import notes

    err.print(f"{prediction.rows} rows, {prediction.duration:.6g} s of motion")
    if prediction.window is not None:
        err.print(f"missing {' and '.join(missing)} are derived by a cubic over {1e3 * prediction.window:.4g} ms")
        if "speeds" in missing:
            err.print(f"an axis that moves less than {rest:g} deg or mm within it stands still")
    for line in notes(robot):
        err.print(line)
    if prediction.first_out_of_range is not None:
        t, violation = prediction.first_out_of_range
        err.print(f"{prediction.out_of_range} rows are outside the range of an axis, first at t = {t:.6g} s: {violation}")
    assumed = prediction.over_effort & robot.limits.effort_assumed
    for flags, words in (
        (prediction.over_speed, "moved faster than its speed limit"),
        (prediction.extrapolated, "moved faster than its friction was measured; friction there is extrapolated"),
        (assumed, "exceeds its effort bound (assumed: no torque limit of this robot is published)"),
        (prediction.over_effort & ~assumed, "exceeds its effort bound"),
    ):
        if flags.any():
            err.print(f"axis {', '.join(str(i + 1) for i, flag in enumerate(flags) if flag)}: {words}")
