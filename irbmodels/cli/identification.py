"""Commands on identification: identify, validate."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .commands import Commands
from .completion import FRICTION, METHODS, Names, set_names
from .json_output import json_option, print_json
from .logs import (
    bandwidth_option,
    delay_option,
    delays,
    drives_option,
    logs_argument,
    notes_on,
    read_logs,
    reading_options,
    refuse_twice,
    with_drives,
)
from .shared import (
    PATH,
    any_robot,
    any_robot_argument,
    axis_numbers,
    check_outputs,
    err,
    overlay_option,
    print_tables,
    report_option,
    report_written,
    tool_option,
)

if TYPE_CHECKING:
    from ..identification.validation import Identification, Verdict
    from ..robot.robot import Robot

app = Commands()

set_option = click.option(
    "--parameters",
    help="Set of inertials by name, or the path of a .yaml file with one.",
    shell_complete=set_names,
)
axes_option = click.option(
    "--axes", help="Axes that move and count, comma separated; default all. Others must stand."
)

_SHORT = "the cutoff is --bandwidth"
_CUT = "of each log the last quarter is held out unless --held-out names others"


@app.command(
    examples=(
        "irbmodels identify log.csv other_log.csv --robot irb2400 --tool spindle -o set.yaml"
        " --report identified.html",
    ),
)
@any_robot_argument
@logs_argument
@tool_option
@click.option(
    "--held-out",
    type=PATH,
    multiple=True,
    help="Log for the verdict alone; may be repeated. Default: the last quarter of every log.",
)
@axes_option
@reading_options
@drives_option
@bandwidth_option
@delay_option
@click.option(
    "--method",
    type=Names(METHODS),
    metavar="METHOD",
    default="consistent",
    help="consistent (bodies that can exist), huber (outliers), wls (weighted) or ls.",
)
@click.option(
    "--friction",
    type=Names(FRICTION),
    metavar="TERMS",
    default="auto",
    help=(
        "auto (terms that logs ask for, with temp1_degC .. a change with temperature), stribeck (of"
        " these Fs - Fc alone), own (the robot's), coulomb (Coulomb and viscous)."
    ),
)
@click.option(
    "--rotors/--no-rotors",
    default=None,
    help="Whether rotor inertias are parameters. Default: if logs determine one of them.",
)
@click.option(
    "--spring",
    "springs",
    multiple=True,
    metavar="AXIS=KIND",
    help=(
        "Spring of an axis that is fitted whatever it gains: offset, torsion, coil or gas, such as"
        " 2=gas; may be repeated. Default: springs that logs ask for."
    ),
)
@click.option("--no-springs", is_flag=True, help="No springs but those of the robot, as they are.")
@click.option("-o", "--output", type=PATH, help="Set of parameters to write, .yaml.")
@click.option(
    "--urdf",
    type=PATH,
    help="URDF to write with the identified bodies, and friction as far as it can state it.",
)
@report_option
@set_option
@click.option(
    "--seed", type=int, default=0, help="Of the random states that find the base parameters."
)
@overlay_option
@json_option
def identify(
    robot: str,
    logs: tuple[Path, ...],
    tool: str | None,
    held_out: tuple[Path, ...],
    axes: str | None,
    bandwidth: float | None,
    delay: str | None,
    method: str,
    friction: str,
    rotors: bool | None,
    springs: tuple[str, ...],
    no_springs: bool,
    output: Path | None,
    urdf: Path | None,
    report: Path | None,
    parameters: str | None,
    seed: int,
    overlay: tuple[Path, ...],
    drives: Path | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Identify inertials, rotors and friction from logs.

    Exit code 1, with reasons, if their level is poor or wrong.

    A poor or wrong set is written all the same, and warns when it is loaded.
    """
    from ..identification.validation import (
        NotIdentifiable,
        prepare_logs,
        split_recording,
    )
    from ..identification.validation import identify as fitted
    from ..identification.validation.pipeline import check_method
    from ..report.identification import unidentified_record, verdict_record

    everything = [*logs, *(held_out or ())]
    refuse_twice(everything)
    inputs = (*everything, robot, tool, parameters, drives, *overlay)
    check_outputs(inputs, set=output, URDF=urdf, report=report)
    if output is not None and output.suffix != ".yaml":
        raise InputError(
            f"a set of parameters is a .yaml file, not {str(output)!r}; --urdf writes a URDF"
        )
    if method not in METHODS:
        raise InputError(f"--method {method!r} is none of {', '.join(METHODS)}")
    check_method(method)
    if friction not in FRICTION:
        raise InputError(f"--friction {friction!r} is none of {', '.join(FRICTION)}")
    known, arm = with_drives(any_robot(robot, tool, overlay, parameters), drives)
    late = delays(delay, arm)
    raw = read_logs(logs, arm, known, **reading)
    if held_out:
        estimation, others = raw, read_logs(held_out, arm, known, **reading)
    else:
        estimation, others = (list(parts) for parts in zip(*map(split_recording, raw), strict=True))
    try:
        prepared = prepare_logs(
            arm, estimation, others, axes=axis_numbers(axes), bandwidth=bandwidth, late=late
        )
    except InputError as error:
        raise InputError(f"{error} ({_SHORT if held_out else f'{_SHORT}; {_CUT}'})") from None
    ready = prepared.estimation, prepared.held_out
    notes = notes_on(prepared)
    names = ", ".join(path.name for path in logs)
    try:
        result = fitted(
            arm,
            *ready,
            axes=axis_numbers(axes),
            method=method,
            friction=friction,
            rotors=rotors,
            springs=asked_springs(springs, no_springs),
            seed=seed,
            drives=known if known is not None and known.make_torques(raw[0]) else None,
        )
    except NotIdentifiable as error:
        for note in notes:
            err.print(note)
        err.print(f"level wrong: {error}; no set is written")
        if as_json:
            print_json(arm, {"logs": list(logs), **unidentified_record(str(error))})
        raise click.exceptions.Exit(1) from None
    if not result.verdict.negative_parameters:
        _write(arm, result, f"irbmodels identify {names}", output, urdf)
    if as_json:
        print_json(arm, {"logs": list(logs), **verdict_record(result.verdict)})
    _finish(result.verdict, names, notes, report, as_json)


@app.command(
    examples=("irbmodels validate log.csv --robot irb2400 --tool spindle",),
)
@any_robot_argument
@logs_argument
@tool_option
@set_option
@axes_option
@reading_options
@drives_option
@bandwidth_option
@delay_option
@report_option
@overlay_option
@json_option
def validate(
    robot: str,
    logs: tuple[Path, ...],
    tool: str | None,
    parameters: str | None,
    axes: str | None,
    bandwidth: float | None,
    delay: str | None,
    report: Path | None,
    overlay: tuple[Path, ...],
    drives: Path | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Measure how well a set of parameters predicts logs.

    Exit code 1, with reasons, if its level is poor or wrong there.
    """
    from ..identification.validation import prepare_logs
    from ..identification.validation.evaluation import evaluate
    from ..report.identification import verdict_record

    refuse_twice(logs)
    check_outputs((*logs, robot, tool, parameters, drives, *overlay), report=report)
    own = any_robot(robot, tool, overlay, parameters)
    late = delays(delay, own)
    known, coupled = with_drives(own, drives)
    arm = coupled if parameters is None else own  # a set was identified with its own drives
    try:
        prepared = prepare_logs(
            arm,
            read_logs(logs, arm, known, **reading),
            axes=axis_numbers(axes),
            bandwidth=bandwidth,
            # the set tells a delay better than a fit to these logs alone: evaluate names it
            late=0.0 if late is None else late,
        )
    except InputError as error:
        raise InputError(f"{error} ({_SHORT})") from None
    judged = evaluate(arm, prepared.estimation, axes=axis_numbers(axes))
    if as_json:
        print_json(arm, {"logs": list(logs), **verdict_record(judged)})
    names = ", ".join(path.name for path in logs)
    _finish(judged, names, notes_on(prepared), report, as_json)


def _finish(
    judged: Verdict, names: str, notes: Sequence[str], report: Path | None, as_json: bool
) -> None:
    from ..report.identification import headline, remarks, verdict_tables, write_report

    if not as_json:
        print_tables(*verdict_tables(judged))
    for line in (*notes, *remarks(judged)):
        err.print(line)
    if report is not None:
        write_report(report, judged, names, notes)
        report_written(report)
    for reason in judged.reasons:
        err.print(f"- {reason}")
    err.print(f"{names}: {headline(judged)}")
    if judged.level in ("poor", "wrong"):
        raise click.exceptions.Exit(1)


def _write(
    arm: Robot, result: Identification, ref: str, output: Path | None, urdf: Path | None
) -> None:
    """Write the set that was identified, and the URDF of the robot with it."""
    from tempfile import TemporaryDirectory

    from ..exchange.write.urdf import annotated_urdf
    from ..files import write_text
    from ..identification.validation import write_parameter_set

    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the verdict has it in detail
        if output is not None or urdf is not None:
            path = output or Path(folder) / "set.yaml"
            write_parameter_set(path, result.parameters, result.verdict, ref)
        if urdf is not None:
            write_text(urdf, annotated_urdf(arm.with_parameters(path), f"Written by {ref}."))
    report_written(output, urdf)


def asked_springs(texts: Sequence[str], none: bool) -> Any:
    """Return the springs that are asked for by axis, or whether any are looked for."""
    if none and texts:
        raise InputError("--no-springs and --spring exclude each other")
    asked: dict[int, str] = {}
    for text in texts:
        axis, equals, kind = text.partition("=")
        if not (equals and axis.strip().isdecimal()) or int(axis) in asked:
            raise InputError(
                f"--spring {text!r} is no axis with a kind, each axis once, such as 2=gas"
            )
        asked[int(axis)] = kind.strip()
    return asked or not none
