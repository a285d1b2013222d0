"""Commands on logs without and with a payload: gains, payload."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import InputError
from .commands import Commands
from .completion import frame_names
from .json_output import json_option, print_json
from .logs import (
    bandwidth_option,
    delay_option,
    delays,
    read_drives_file,
    read_pair,
    reading_options,
    usable_pair,
)
from .shared import (
    PATH,
    any_robot,
    any_robot_argument,
    check_outputs,
    err,
    numbers,
    overlay_option,
    print_tables,
    report_written,
    tool_option,
)

app = Commands()

_options = (
    any_robot_argument,
    click.argument(
        "logs",
        nargs=-1,
        required=True,
        type=PATH,
        help="Logs without the payload, CSV or Parquet (docs/howto/identify.md).",
    ),
    click.option(
        "--loaded", type=PATH, multiple=True, required=True, help="Log with it; may be repeated."
    ),
    click.option(
        "--frame",
        default="tool0",
        help="Frame of the payload: tool0 (the flange) or tcp.",
        shell_complete=frame_names,
    ),
    tool_option,
    reading_options,
    bandwidth_option,
    delay_option,
    overlay_option,
    json_option,
)


def pair_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add logs without and with a payload to a command, and the options to read both."""
    for option in reversed(_options):
        command = option(command)
    return command


@app.command(
    examples=(
        "irbmodels gains bare.csv --loaded loaded.csv --robot arm.urdf --payload 3 --frame tcp"
        " -o drives.yaml",
    ),
)
@pair_options
@click.option(
    "--payload",
    required=True,
    metavar="MASS[,X,Y,Z]",
    help="Known payload: kg, and its center of mass in the frame in mm, if that is known.",
)
@click.option(
    "--mass-deviation", type=float, default=0.0, help="Standard deviation of the mass [kg]."
)
@click.option("--drives", type=PATH, help="File of drives whose ratios and rotors are kept.")
@click.option("-o", "--output", type=PATH, help="File of drives to write, .yaml.")
def gains(
    logs: tuple[Path, ...],
    loaded: tuple[Path, ...],
    payload: str,
    mass_deviation: float,
    frame: str,
    robot: str,
    tool: str | None,
    bandwidth: float | None,
    delay: str | None,
    drives: Path | None,
    output: Path | None,
    overlay: tuple[Path, ...],
    as_json: bool,
    **reading: Any,
) -> None:
    """Identify gains of drives (N m per A) with a known payload.

    Logs, without and with it, have motor currents: columns current1_A ...

    An axis that hardly feels the payload, such as a vertical first one, has a large deviation.
    """
    import numpy as np

    from ..identification.fits import identify_gains, known_load
    from ..identification.recordings import write_drives
    from ..identification.validation import prepare_current_logs
    from ..report.loads import gain_table, gains_record, load_table

    check_outputs((*logs, *loaded, tool, drives, *overlay), drives=output)
    if output is not None and output.suffix != ".yaml":
        raise InputError(f"a file of drives is a .yaml file, not {str(output)!r}")
    mass, *com = numbers(payload) or [float("nan")]
    if len(com) not in (0, 3):
        raise InputError(
            f"--payload {payload!r} is not MASS in kg, or MASS,x,y,z with the center of mass in"
            f" {frame} in mm"
        )
    known = known_load(
        mass,
        [0.001 * x for x in com] or None,
        mass_deviation=mass_deviation,
        frame=frame,
    )
    arm = any_robot(robot, tool, overlay)
    late = delays(delay, arm)
    others = read_drives_file(drives, arm)
    if others is not None:
        arm = arm.with_drives(others.motors.drive_axes)
    prepared = prepare_current_logs(
        arm,
        *read_pair(logs, loaded, arm, **reading),
        known,
        drives=others,
        bandwidth=bandwidth,
        late=late,
    )
    before, after = usable_pair(prepared, arm)
    found = identify_gains(before, after, arm, known)
    if as_json:
        print_json(arm, gains_record(found))
    else:
        print_tables(gain_table(found, arm), load_table(found.load))
    undetermined = np.flatnonzero(np.isnan(found.gain)) + 1
    if undetermined.size:
        err.print(
            f"no gain is determined for axis {', '.join(map(str, undetermined))}: more motion,"
            " or a payload farther out"
        )
    if output is not None:
        about = f"irbmodels gains {', '.join(path.name for path in (*logs, *loaded))}"
        linear = arm.limits.linear.tolist()
        write_drives(output, found.drives(others), arm.axes, linear, about, arm.name)
        report_written(output)


@app.command(
    examples=("irbmodels payload bare.csv --loaded loaded.csv --robot arm.urdf --frame tcp",),
)
@pair_options
@click.option(
    "--drives",
    type=PATH,
    help="File of drives whose gains make torques of currents; their deviations count.",
)
def payload(
    logs: tuple[Path, ...],
    loaded: tuple[Path, ...],
    frame: str,
    robot: str,
    tool: str | None,
    bandwidth: float | None,
    delay: str | None,
    drives: Path | None,
    overlay: tuple[Path, ...],
    as_json: bool,
    **reading: Any,
) -> None:
    """Identify a payload from logs without and with it.

    Bodies and friction of the arm are estimated from the same logs: those of a set do not count.
    """
    import numpy as np

    from ..identification.fits import load_from_two_logs
    from ..identification.recordings import torques_from_currents
    from ..identification.validation import prepare_logs
    from ..report.loads import load_record, load_table

    check_outputs((*logs, *loaded, tool, drives, *overlay))
    arm = any_robot(robot, tool, overlay)
    late = delays(delay, arm)
    known = read_drives_file(drives, arm)
    unloaded, others = read_pair(logs, loaded, arm, **reading)
    if known is not None:
        arm = arm.with_drives(known.motors.drive_axes)
        if np.isfinite(known.gain).any():
            unloaded, others = (
                [torques_from_currents(log, known) for log in part] for part in (unloaded, others)
            )
    prepared = prepare_logs(arm, unloaded, others, bandwidth=bandwidth, late=late)
    before, after = usable_pair(prepared, arm)
    load = load_from_two_logs(before, after, arm, frame, known)
    if as_json:
        print_json(arm, load_record(load))
    else:
        print_tables(load_table(load))
