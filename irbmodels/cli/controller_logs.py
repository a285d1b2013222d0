"""Command on logs that a controller writes: logger."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import InputError
from .commands import Commands
from .shared import (
    PATH,
    any_robot,
    any_robot_argument,
    check_outputs,
    err,
    read_motion,
    report_written,
)

app = Commands()

# [s]: identification looks for outliers in windows of 0.1 s, which hold three samples
_SLOWEST = 0.04


@app.command(
    examples=("irbmodels logger irb2400 --motion motion.csv -o Logger.mod --task T_ROB1",),
)
@any_robot_argument
@click.option("--motion", type=PATH, required=True, help="CSV or Parquet with t, q1_deg ..")
@click.option("-o", "--output", type=PATH, required=True, help="RAPID module to write, .mod.")
@click.option("--rate", type=float, default=10.0, help="Targets per second [Hz]; default 10.")
@click.option("--name", help="Of the module; default that of the file to write.")
@click.option("--tooldata", default="tool0", help="The controller's tooldata; default tool0.")
@click.option("--unit", default="ROB_1", help="Mechanical unit; default ROB_1.")
@click.option("--file", "log_file", default="", help="Log in HOME:; default NAME.csv.")
@click.option(
    "--sample",
    type=float,
    default=0.0,
    help="Time between samples [s]; default 0.1, with --task 0.01.",
)
@click.option(
    "--task",
    default="",
    help=(
        "Task that moves, such as T_ROB1: a second module NAMELog.mod then logs from a task of its"
        " own (option 623-1 Multitasking)."
    ),
)
def logger(
    robot: str,
    motion: Path,
    output: Path,
    rate: float,
    name: str | None,
    tooldata: str,
    unit: str,
    log_file: str,
    sample: float,
    task: str,
) -> None:
    """Write a RAPID module that runs a motion and logs it.

    Positions, speeds and torques go to a file on the controller, which is read without a mapping.
    irbmodels identify and validate need 25 samples per second, as with --task. No such module has
    run on a controller by us.
    """
    from ..files import write_text
    from ..trajectory import RapidLog, log_task, rapid_module
    from ..trajectory.rapid_module import at_rate

    module = output.stem if name is None else name
    second = output.with_name(f"{module}Log.mod") if task else None
    check_outputs((robot, motion), module=output, **({"log task": second} if second else {}))
    if output.suffix.lower() != ".mod":
        raise InputError(f"{output}: a RAPID module ends in .mod")
    arm = any_robot(robot)
    log = RapidLog(file=log_file, unit=unit, sample=sample, task=task)
    targets = at_rate(read_motion(motion, arm).read(), rate)
    write_text(output, rapid_module(targets, arm, module, tooldata, log))
    if second is not None:
        write_text(second, log_task(arm, module, log))
    report_written(output, second)
    seconds = targets.t[-1] - targets.t[0]
    err.print(
        f"{len(targets.t)} targets, {seconds:.4g} s, a sample every {log.sample:g} s. Not run on a"
        " controller by us: check the cell in manual mode, and test signals 4001 and 4002"
    )
    if log.sample > _SLOWEST:
        err.print(
            f"irbmodels identify and validate need a sample every {_SLOWEST:g} s or faster: log"
            " from a task of its own (--task T_ROB1)"
        )
