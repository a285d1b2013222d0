"""Command move: a motion through waypoints, timed by a law or as fast as limits allow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .commands import Commands
from .json_output import json_option, print_json
from .shared import (
    PATH,
    accelerations,
    any_robot,
    any_robot_argument,
    axis_positions,
    check_outputs,
    err,
    exact_numbers,
    mounted_option,
    need_parquet,
    overlay_option,
    payload_option,
    pose_from,
    print_tables,
    report_written,
    tool_option,
)

if TYPE_CHECKING:
    from ..robot.robot import Robot
    from ..tasks.waypoints import Waypoint

app = Commands()

TIME_LAWS = {"1-3-5": "freudenstein"} | {
    name: name.replace("-", "_")
    for name in ("cubic", "quintic", "septic", "cycloidal", "trapezoid", "s-curve")
}
"""Names in ``irbmodels.trajectory.LAWS`` by those of the option."""
_LAWS = (*TIME_LAWS, "jerk-limited", "fastest")


@app.command(
    examples=(
        "irbmodels move irb2400 --via 0,0,0,0,30,0 --via 40,25,20,30,45,60 -o motion.csv",
        "irbmodels move irb2400 --law fastest --via 0,0,0,0,30,0 --via 40,25,20,30,45,60"
        " --via 0,40,30,0,50,0",
        "irbmodels move irb2400 --tool spindle --via 0,0,0,0,30,0"
        " --via line:949,200,1124,0.258819,0,-0.965926,0"
        " --via line:1049,200,1024,0.258819,0,-0.965926,0 --zone 20 --tcp-speed 200",
    ),
)
@any_robot_argument
@click.option(
    "--via",
    multiple=True,
    required=True,
    metavar="Q|KIND:POSE",
    help=(
        "Waypoint: axis positions as --q-deg of pose has them, pose:X,Y,Z,Q1,Q2,Q3,Q4 (mm,"
        " quaternion with the scalar first, in the base), line: with such a pose, or"
        " arc:X,Y,Z/POSE through a point. The first is the start. Repeated."
    ),
)
@click.option(
    "--law",
    type=click.Choice(_LAWS),
    metavar="LAW",
    default="1-3-5",
    help=(
        f"Time law ({', '.join(TIME_LAWS)}) from rest to rest, at each posture; jerk-limited, the"
        " shortest under bounds of acceleration and jerk; or fastest, through all postures under"
        " torques and speeds."
    ),
)
@click.option(
    "--duration", type=float, help="Of each part by a time law [s]; default as limits allow."
)
@click.option("--speed", default=100.0, help="Of the robot's axis speeds that may be used [%].")
@click.option("--torque", default=100.0, help="Of the robot's efforts that may be used [%].")
@click.option(
    "--acceleration",
    help="Limits per axis, comma separated: deg/s^2, mm/s^2 for a linear axis; default none.",
)
@click.option("--jerk", help="The same of jerks: deg/s^3, mm/s^3; default none.")
@click.option("--tcp-speed", type=float, help="Largest speed on lines and arcs [mm/s].")
@click.option(
    "--zone",
    default=0.0,
    help="Distance from corners of lines and arcs where rounding begins [mm]; 0 stops there.",
)
@click.option(
    "-o",
    "--output",
    type=PATH,
    help="Motion to write, CSV or Parquet, for torque, path, view and logger.",
)
@click.option("--rate", default=250.0, help="Samples per second of the file [Hz].")
@tool_option
@payload_option
@mounted_option
@overlay_option
@json_option
def move(
    robot: str,
    via: tuple[str, ...],
    law: str,
    duration: float | None,
    speed: float,
    torque: float,
    acceleration: str | None,
    jerk: str | None,
    tcp_speed: float | None,
    zone: float,
    output: Path | None,
    rate: float,
    tool: str | None,
    payload: str | None,
    mounted: str | None,
    overlay: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Move through postures, lines and arcs by a time law.

    Without --duration a motion is as short as speeds and torques allow, and accelerations where
    they are given. Poses are reached in the posture next to the one before. It prints which limit
    binds. A Fourier series is what irbmodels excite makes.
    """
    from ..report.moving import motion_lines, motion_record, motion_table
    from ..tasks.waypoints import Timing, move_through
    from ..trajectory import limit_shares
    from ..trajectory.motion_files import write_motion

    check_outputs((robot, tool, *overlay), motion=output)
    need_parquet(output)
    arm = any_robot(robot, tool, overlay, payload=payload, mounted=mounted)
    for option, share in (("--speed", speed), ("--torque", torque)):
        if not 0.0 < share <= 100.0:
            raise InputError(f"{option} {share:g}: a share is above 0 and at most 100 %")
    own = duration is None
    if not own and ((speed, torque) != (100.0, 100.0) or jerk is not None):
        raise InputError("--duration says how long each part is; no --speed, --torque or --jerk")
    if law == "jerk-limited" and torque != 100.0:
        raise InputError("--torque is for time laws and fastest; jerk-limited knows no torques")
    gains = None if acceleration is None else accelerations(arm, acceleration)
    jerks = None if jerk is None else accelerations(arm, jerk, "--jerk")
    timing = Timing(
        law=TIME_LAWS.get(law, law),
        duration=duration,
        velocity=0.01 * speed * arm.limits.velocity if own else None,
        acceleration=gains if own else None,
        jerk=jerks if own else None,
        torque=0.01 * torque * arm.limits.effort if own and law != "jerk-limited" else None,
        tcp_speed=None if tcp_speed is None else tcp_speed / 1000.0,
    )
    planned = move_through(arm, _waypoints(arm, via), timing, zone / 1000.0)
    shares = limit_shares(
        planned.trajectory,
        arm,
        acceleration=gains,
        torque=arm.dynamic_model.has_masses,
        friction=arm.friction_model is not None,
    )
    if output is not None:
        write_motion(output, planned.trajectory.sample(rate), arm)
    if as_json:
        print_json(arm, motion_record(planned, shares, arm, law))
    else:
        print_tables(motion_table(planned, shares, arm))
    for line in motion_lines(planned, shares, arm):
        err.print(line)
    report_written(output)


def _waypoints(robot: Robot, texts: Sequence[str]) -> list[Waypoint]:
    import numpy as np

    from ..tasks.waypoints import Waypoint

    found = []
    for text in texts:
        kind, colon, rest = text.partition(":")
        option = f"--via {kind}" if colon else "--via"
        if not colon:
            found.append(Waypoint("posture", axis_positions(robot, text, option, noted=False)))
        elif kind == "pose":
            found.append(Waypoint("pose", pose_from(rest, option)))
        elif kind == "line":
            found.append(Waypoint("line", pose_from(rest, option)))
        elif kind == "arc":
            point, _, end = rest.partition("/")
            middle = np.array(exact_numbers(point, option, 3)) / 1000.0
            found.append(Waypoint("arc", pose_from(end, option), middle))
        else:
            raise InputError(
                f"--via {text!r}: a waypoint is axis positions, pose:POSE, line:POSE or"
                " arc:X,Y,Z/POSE"
            )
    return found
