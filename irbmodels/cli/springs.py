"""Command on springs and balancers."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from .commands import Commands
from .json_output import json_option, print_json
from .shared import (
    check_outputs,
    err,
    output_option,
    overlay_option,
    print_tables,
    report_written,
    robot_argument,
)

app = Commands()


@app.command(
    examples=(
        "irbmodels balancer irb7600",
        "irbmodels balancer irb7600 --set F0_N=25000 --set k_N_m=20000 -o own.yaml",
    ),
)
@robot_argument
@click.option("--part", help="Name of the spring, for a robot with several (irbmodels info).")
@click.option(
    "numbers",
    "--set",
    multiple=True,
    metavar="NAME=NUMBER",
    help=(
        "Number of the spring, named as in its tables: F0_N=25000 at length_mm, by default the"
        " distance of the pivots at 0 of the axis; coils k_N_m, gas column_mm and exponent;"
        " pivots before_mm=X,Y. Forces that pull are positive. May be repeated."
    ),
)
@output_option
@overlay_option
@json_option
def balancer(
    robot: str,
    part: str | None,
    numbers: tuple[str, ...],
    output: Path | None,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Print what a balancer bears; complete it for --overlay.

    Length, force and torque of a spring or balancer of the tables over the range of its axis,
    beside gravity of the bodies without load. -o writes an overlay with the numbers of --set, which
    every other command takes.
    """
    from ..files import write_text
    from ..report.balancer import balancer_record, balancer_table
    from ..robot.robot import load
    from ..tables.description import Description, describe
    from ..tables.own_springs import completing_command, overlay_text, part_of, row_with
    from ..tables.spring_rows import unknown_numbers

    check_outputs(overlay, overlay=output)
    arm = load(robot, overlays=overlay)
    tables = cast(Description, arm.description)
    name = part_of(tables, part)
    row = row_with(tables, name, numbers)
    record = balancer_record(arm, name, row)
    unknown = unknown_numbers(row, tables.linear[tables.axes.index(row.axis)])
    if as_json:
        print_json(arm, {**record, "unknown": unknown})
    else:
        print_tables(balancer_table(record, arm))
    if unknown:
        err.print(
            f"unknown: {', '.join(unknown)}; give them: {completing_command(tables, name, unknown)}"
        )
    if output is not None:
        write_text(output, overlay_text(describe(robot), name, row))
        report_written(output)
