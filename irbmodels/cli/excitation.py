"""Command excite: a motion from which parameters are identified."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .commands import Commands
from .json_output import json_option, print_json
from .shared import (
    PATH,
    accelerations,
    any_robot,
    any_robot_argument,
    axis_numbers,
    axis_positions,
    box_from,
    check_outputs,
    err,
    mounted_option,
    need_parquet,
    overlay_option,
    parameters_option,
    payload_option,
    print_tables,
    report_written,
    tool_option,
)

if TYPE_CHECKING:
    from ..identification.excitation.search import Step

app = Commands()


@app.command(
    examples=(
        "irbmodels excite irb2400 --tool spindle -o excite.csv --rapid Excite.mod",
        "irbmodels excite irb930 --moves 3 --no-collision --figure excite.png",
    ),
)
@any_robot_argument
@click.option(
    "-o",
    "--output",
    type=PATH,
    help="Motion to write, CSV or Parquet, for torque, view and logger.",
)
@click.option(
    "--rapid", "module", type=PATH, help="RAPID module to write, .mod, that runs the motion."
)
@click.option(
    "--figure",
    type=PATH,
    help="Figure to write (png, pdf, svg): the motion beside a random one of its kind.",
)
@click.option("--duration", default=5.0, help="Time of the motion [s].")
@click.option("--harmonics", type=int, help="Of the Fourier series that is searched; default 5.")
@click.option(
    "--moves",
    type=int,
    help="Search so many 1-3-5 moves from posture to posture instead of a Fourier series.",
)
@click.option(
    "--criterion",
    type=click.Choice(("condition", "logdet")),
    default="condition",
    help="Small condition number of the regressor, or large determinant.",
)
@click.option("--axes", help="Axes that move, comma separated; default all. Others stand.")
@click.option(
    "--posture-deg",
    help="Posture to move about, and of axes that stand, as --q-deg; default mid-range.",
)
@click.option(
    "--acceleration",
    help="Limits per axis, comma separated: deg/s^2, mm/s^2 for a linear axis; default none.",
)
@click.option("--box", help="x0,x1,y0,y1,z0,z1 in mm, in the base: TCP and tool must stay inside.")
@click.option("--no-collision", is_flag=True, help="Do not keep the robot from touching itself.")
@click.option("--starts", default=3, help="Random motions that the search starts from.")
@click.option("--iterations", default=60, help="Most iterations in each of a start's three steps.")
@click.option("--seed", default=0, help="Of the random starts: the same seed, the same motion.")
@click.option("--rate", default=250.0, help="Samples per second of the motion file [Hz].")
@click.option("--targets", default=10.0, help="Targets per second of the RAPID module [Hz].")
@click.option("--tooldata", default="tool0", help="The controller's tooldata.")
@tool_option
@payload_option
@mounted_option
@parameters_option
@overlay_option
@json_option
def excite(
    robot: str,
    output: Path | None,
    module: Path | None,
    figure: Path | None,
    duration: float,
    harmonics: int | None,
    moves: int | None,
    criterion: str,
    axes: str | None,
    posture_deg: str | None,
    acceleration: str | None,
    box: str | None,
    no_collision: bool,
    starts: int,
    iterations: int,
    seed: int,
    rate: float,
    targets: float,
    tooldata: str,
    tool: str | None,
    payload: str | None,
    mounted: str | None,
    parameters: str | None,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Search a motion that determines parameters best.

    It keeps ranges, speeds and torques, and does not touch itself; the smaller the condition number
    of its regressor, the better a log of it tells masses, centres and inertias apart.

    irbmodels logger makes a module of the file that logs as well, and irbmodels identify reads the
    log.
    """
    from ..files import write_text
    from ..identification.excitation import (
        Bounds,
        Fourier,
        Freudenstein,
        excitation_figure,
        optimal_excitation,
        random_excitation,
    )
    from ..report.excitation import excitation_lines, excitation_record, excitation_tables
    from ..report.figures import check_format, save
    from ..robot.base_parameters import base_parameters
    from ..trajectory.motion_files import write_motion

    check_outputs((robot, tool, parameters, *overlay), motion=output, module=module, figure=figure)
    need_parquet(output)
    if figure is not None:
        check_format(figure)
    if module is not None and module.suffix.lower() != ".mod":
        raise InputError(f"{module}: a RAPID module ends in .mod")
    if harmonics is not None and moves is not None:
        raise InputError("--harmonics and --moves name two kinds of motion; give one of them")
    for option, value in (("--rate", rate), ("--targets", targets)):
        if not 0.0 < value < math.inf:  # before the search
            raise InputError(f"{option} {value:g}: samples per second are positive and finite")
    arm = any_robot(robot, tool, overlay, parameters, payload, mounted)
    posture = (
        None
        if posture_deg is None
        else axis_positions(arm, posture_deg, "--posture-deg", noted=False)
    )
    limits = None if acceleration is None else accelerations(arm, acceleration)
    room = None if box is None else box_from(box)
    moved = axis_numbers(axes)
    series = Fourier(5 if harmonics is None else harmonics, duration)
    family = series if moves is None else Freudenstein(moves, duration)
    base = base_parameters(arm, moved, held=posture)
    about: dict[str, Any] = {"base": base, "posture": posture}
    with _search_progress(starts) as progress:
        found = optimal_excitation(
            arm,
            family,
            criterion=criterion,
            bounds=Bounds(acceleration=limits, box=room, collision=not no_collision),
            starts=starts,
            iterations=iterations,
            seed=seed,
            progress=progress,
            **about,
        )
    if module is not None:
        text = found.rapid(module.stem, tooldata, targets)
    if output is not None:
        write_motion(output, found.sample(rate), arm)
    if module is not None:
        write_text(module, text)
    if figure is not None:
        drawn = random_excitation(arm, family, bounds=Bounds(collision=False), seed=seed, **about)
        save(excitation_figure([found, drawn]), figure)
    if as_json:
        print_json(arm, excitation_record(found))
    else:
        print_tables(*excitation_tables(found))
    for line in excitation_lines(found):
        err.print(line)
    report_written(output, module, figure)


@contextmanager
def _search_progress(starts: int) -> Iterator[Callable[[Step], object]]:
    """Show start, iteration and condition number of a search while it runs, on a terminal."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        row = bar.add_task("searching", total=None)

        def report(step: Step) -> None:
            bar.update(
                row,
                description=(
                    f"start {step.start + 1} of {starts}, iteration {step.iteration}, condition"
                    f" number {step.condition:.4g}"
                ),
            )

        yield report
