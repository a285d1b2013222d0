"""Command simulate: a robot under torques, or under a control law along a motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .commands import Commands
from .completion import set_names
from .json_output import json_option, print_json
from .shared import (
    PATH,
    any_robot,
    any_robot_argument,
    axis_positions,
    axis_speeds,
    check_outputs,
    err,
    mounted_option,
    need_parquet,
    numbers,
    overlay_option,
    parameters_option,
    payload_option,
    print_tables,
    q_deg_option,
    read_motion,
    report_written,
    tool_option,
)

if TYPE_CHECKING:
    from ..robot.robot import Robot
    from ..simulation import Run

app = Commands()

LAWS = ("feed-forward", "computed-torque", "pd-gravity", "pid", "task-inverse-dynamics")
_OF_LAW = {"frequency": 20.0, "period": 4.0, "delay": 0.0, "model": None, "saturate": False}
"""Options of laws, by name, with their defaults."""


@app.command(
    examples=(
        "irbmodels simulate irb2400 --tool spindle --q-deg 0,20,10,0,30,0 --duration 0.5"
        " -o fall.csv --figure fall.png",
        "irbmodels simulate irb2400 --q-deg 0,20,10,0,30,0 --torque held --push 6=20",
        "irbmodels simulate irb2400 --tool spindle --motion motion.csv --figure tracked.png",
    ),
)
@any_robot_argument
@q_deg_option
@click.option("--speed-deg", help="Axis speeds at the start, comma separated [deg/s, mm/s].")
@click.option(
    "--torque",
    default="zero",
    metavar="zero|held|MOTION",
    help=(
        "Torques of the motors: zero; held, which is gravity at the start; or those of a motion"
        " file (tau1_Nm ..), each until the next, from its first posture."
    ),
)
@click.option(
    "--push",
    multiple=True,
    metavar="AXIS=TORQUE",
    help="Constant torque on an axis besides [N m, N], such as 6=20; may be repeated.",
)
@click.option(
    "--motion", type=PATH, help="Motion, CSV or Parquet, that --law follows from its first posture."
)
@click.option(
    "--law",
    type=click.Choice(LAWS),
    metavar="LAW",
    default=LAWS[0],
    help=f"Control law: {', '.join(LAWS[:-1])} or {LAWS[-1]} (docs/howto/control).",
)
@click.option(
    "--frequency", default=20.0, help="Natural frequency of the errors under the law [rad/s]."
)
@click.option("--period", default=4.0, help="Time between samples of the law [ms].")
@click.option("--delay", default=0.0, help="From reading encoders until the torque acts [ms].")
@click.option(
    "--model",
    help="Set of inertials, or .yaml file, of the law's own model; default the arm's.",
    shell_complete=set_names,
)
@click.option("--saturate", is_flag=True, help="Torques of the law stay within the efforts.")
@click.option("--duration", type=float, help="[s]; default 1, or the time of the motion.")
@click.option("--every", default=10.0, help="Time between samples of a run under torques [ms].")
@click.option("--no-friction", is_flag=True, help="Without the friction of the robot.")
@click.option("--no-stops", is_flag=True, help="Without mechanical stops at the ends of ranges.")
@tool_option
@payload_option
@mounted_option
@parameters_option
@overlay_option
@click.option(
    "-o",
    "--output",
    type=PATH,
    help=(
        "Motion to write, .csv with positions, speeds, accelerations, torques; or .parquet with"
        " all columns and the events."
    ),
)
@click.option("--figure", type=PATH, help="Figure to write (png, pdf, svg), with the events.")
@json_option
def simulate(
    robot: str,
    q_deg: str | None,
    speed_deg: str | None,
    torque: str,
    push: tuple[str, ...],
    motion: Path | None,
    duration: float | None,
    every: float,
    no_friction: bool,
    no_stops: bool,
    tool: str | None,
    payload: str | None,
    mounted: str | None,
    parameters: str | None,
    overlay: tuple[Path, ...],
    output: Path | None,
    figure: Path | None,
    as_json: bool,
    law: str,
    **of_law: Any,
) -> None:
    """Simulate a robot under torques, or a law along a motion.

    Friction holds an axis exactly as long as its torque is within the static one; stops are hard.
    Axes that slip and stick, stops that are met and torques that saturate are events.
    """
    from ..report.figures import check_format, save
    from ..report.simulating import run_lines, run_table
    from ..simulation.summary import run_summary
    from ..trajectory.motion_files import is_parquet, write_motion

    source = None if torque in ("zero", "held") else Path(torque)
    check_outputs((robot, tool, parameters, *overlay, motion, source), run=output, figure=figure)
    need_parquet(output)
    if figure is not None:
        check_format(figure)
    arm = any_robot(robot, tool, overlay, parameters, payload, mounted)
    settings: dict[str, Any] = {"friction": not no_friction, "stops": not no_stops}
    if motion is None:
        if law != LAWS[0] or of_law != _OF_LAW:
            raise InputError(
                "--law, --frequency, --period, --delay, --model and --saturate are for a law that"
                " follows a motion: --motion FILE"
            )
        run = _under_torques(
            arm, q_deg, speed_deg, torque, source, _pushes(push, arm),
            1.0 if duration is None else duration, every, settings,
        )  # fmt: skip
        columns = ["q", "v", "tau"]
    else:
        if q_deg or speed_deg or push or torque != "zero" or every != 10.0:
            raise InputError(
                "--q-deg, --speed-deg, --torque, --push and --every are for a run under torques; a"
                " law follows --motion from its first posture"
            )
        model = of_law.pop("model")
        own = arm if model is None else any_robot(robot, tool, overlay, model, payload, mounted)
        run = _under_law(arm, own, read_motion(motion, arm).read(), law, duration, of_law, settings)
        columns = ["tcp_error" if "tcp_error" in run.columns else "error", "v", "tau"]
    record = run_summary(run)
    if output is not None:
        if is_parquet(output):
            run.save(output)
        else:
            write_motion(output, run.motion, arm)
    if figure is not None:
        save(run.plot(columns), figure)
    if as_json:
        print_json(arm, {"law": None if motion is None else law, **record})
    else:
        print_tables(run_table(record, arm))
    for line in run_lines(record, arm):
        err.print(line)
    report_written(output, figure)


def _under_torques(
    robot: Robot,
    q_deg: str | None,
    speed_deg: str | None,
    torque: str,
    source: Path | None,
    push: Any,
    duration: float,
    every: float,
    settings: dict[str, Any],
) -> Run:
    """Return a run under constant torques, or those of a motion file."""
    from ..simulation import simulate

    noted = not settings["stops"]  # with stops such a start is refused
    if source is None:
        q = axis_positions(robot, q_deg, noted=noted)
        drive: Any = push + (robot.gravity(q) if torque == "held" else 0.0)
    else:
        drive = read_motion(source, robot).read()
        if drive.tau is None:
            raise InputError(f"{source} has no torques: columns tau1_Nm ..")
        q = drive.q[0] if q_deg is None else axis_positions(robot, q_deg, noted=noted)
        drive = drive._replace(t=drive.t - drive.t[0], tau=drive.tau + push)
    v = None if speed_deg is None else axis_speeds(robot, speed_deg, "--speed-deg")
    with _run_progress(robot) as progress:
        return simulate(
            robot, q, v, duration=duration, torque=drive, every=every / 1000.0,
            progress=progress, **settings,
        )  # fmt: skip


def _under_law(
    robot: Robot,
    model: Robot,
    motion: Any,
    law: str,
    duration: float | None,
    of_law: dict[str, Any],
    settings: dict[str, Any],
) -> Run:
    """Return a run of a law along a motion."""
    from ..control import follow_motion

    return follow_motion(
        robot,
        motion,
        law,
        frequency=of_law["frequency"],
        model=model,
        duration=duration,
        period=of_law["period"] / 1000.0,
        delay=of_law["delay"] / 1000.0,
        saturation=robot.limits.effort if of_law["saturate"] else None,
        **settings,
    )


def _pushes(texts: Sequence[str], robot: Robot) -> Any:
    """Return the torques of ``--push`` [N m, N], shape ``(n,)``."""
    import numpy as np

    torques = np.zeros(robot.n)
    for text in texts:
        axis, equals, value = text.partition("=")
        torque = numbers(value)
        if not (equals and axis.isdecimal() and 1 <= int(axis) <= robot.n and len(torque) == 1):
            raise InputError(
                f"--push {text!r} is no axis from 1 to {robot.n} with its torque, such as 6=20"
            )
        torques[int(axis) - 1] += torque[0]
    return torques


@contextmanager
def _run_progress(robot: Robot) -> Iterator[Callable[[float, float], object]]:
    """Show a bar over the time of a simulation, on a terminal only."""
    from rich.progress import Progress

    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        row = bar.add_task(f"simulating {robot.name}", total=None)
        yield lambda t, end: bar.update(row, completed=t, total=end)
