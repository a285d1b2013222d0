"""Commands that show robots in 3D: view, demo."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import click

from ..errors import InputError
from .commands import Commands
from .completion import LAYERS, Names
from .json_output import json_option, print_json
from .shared import (
    PATH,
    any_robot,
    axis_positions,
    check_outputs,
    err,
    mounted_option,
    numbers,
    out,
    overlay_option,
    payload_option,
    print_tables,
    q_deg_option,
    report_written,
    robot_parameter,
    tool_option,
)

app = Commands()


@app.command(
    examples=(
        "irbmodels view irb2400 --q-deg 0,20,10,0,30,0 --layer com",
        "irbmodels view irb2400 --tool spindle --motion motion.csv --save motion.html",
    ),
)
@robot_parameter("Variant, alias, folder of tables, any .urdf, .sdf or MJCF file, or positioner.")
@q_deg_option
@tool_option
@payload_option
@mounted_option
@click.option(
    "--motion",
    type=PATH,
    multiple=True,
    help="CSV to play, with its torques; given again: shown translucent beside it.",
)
@click.option(
    "--also",
    multiple=True,
    metavar="ROBOT[@X,Y,Z[,R,P,Y]]",
    help="Another robot or .urdf, at mm and degrees; may be repeated.",
)
@click.option(
    "--layer",
    type=Names(LAYERS),
    metavar="LAYER",
    multiple=True,
    help=f"Show besides: {', '.join(LAYERS)}; may be repeated.",
)
@click.option(
    "--save",
    type=PATH,
    help="Write one self-contained HTML page instead of a live view.",
)
@click.option("--png", type=PATH, help="Write a picture instead, drawn by Chromium.")
@click.option("--port", type=int, help="First port to try for the live view; default 7000.")
@click.option(
    "--host",
    metavar="IPV4",
    help="Serve the live view to a network too: an address of this machine, or 0.0.0.0 for all.",
)
@overlay_option
def view(
    robot: str,
    q_deg: str | None,
    tool: str | None,
    payload: str | None,
    mounted: str | None,
    motion: tuple[Path, ...],
    also: tuple[str, ...],
    layer: tuple[str, ...],
    save: Path | None,
    png: Path | None,
    port: int | None,
    host: str | None,
    overlay: tuple[Path, ...],
) -> None:
    """Show robots in 3D, a slider per axis.

    Live in a browser until Ctrl-C, as one HTML page, or as a picture. The live view answers this
    machine alone (see --host), at an address with a secret that it prints: without it nobody sees
    anything. From another machine, over SSH: run there the "ssh -L" line that it prints where there
    is no browser, and open the same address.
    """
    from ..trajectory.motion_files import open_motion

    parent = os.getppid()
    from ..viewer import NO_SCREEN, Actor, Viewer, save_page, save_picture
    from ..viewer.actor import other_arms

    check_outputs((robot, tool, *(motion or ()), *(overlay or ())), page=save, picture=png)
    arm = any_robot(robot, tool, overlay, payload=payload, mounted=mounted)
    q = axis_positions(arm, q_deg)
    for violation in arm.overload:
        err.print(f"note: {violation}")
    if motion and q_deg is not None:
        raise InputError("--q-deg and --motion both say where the robot is; give one of them")
    actors = [
        Actor(arm, motion=open_motion(path, arm), opacity=0.4 if k else 1.0)
        for k, path in enumerate(motion or ())
    ]
    others = [_actor(text) for text in also or ()]
    named = {other.robot.name for other in others}
    arms = [other for other in other_arms(arm) if other.robot.name not in named]
    actors = [*(actors or [Actor(arm, q)]), *arms, *others]
    for path, save_file in ((png, save_picture), (save, save_page)):
        if path is not None:
            save_file(path, *actors, layers=layer or ())
            report_written(path)
    if save is not None or png is not None:
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is closed below
    with Viewer(*actors, layers=layer or (), port=port, host=host) as viewer:
        out.print(f"showing {viewer.names} at {viewer.url}", soft_wrap=True)
        seen = viewer.open()
        if viewer.warning:
            err.print(viewer.warning)
        elif not seen:
            err.print(f"{NO_SCREEN}: {viewer.tunnel} (or save a page: --save page.html)")
        err.print("Ctrl-C ends it")
        # killed, a shell or editor would leave it behind on its port; nohup asks for that
        nohup = hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        viewer.server.wait(None if nohup else parent)


@app.command(
    examples=("irbmodels demo -o demo",),
)
@click.option(
    "folder",
    "-o",
    "--output",
    type=PATH,
    default=Path("demo"),
    help="Folder to write into.",
)
@json_option
def demo(
    folder: Path,
    as_json: bool,
) -> None:
    """Move the IRB 2400 with the spindle.

    Motion, torques, a figure and a page with the 3D animation.
    """
    from ..report.records import prediction_record
    from ..report.tables import prediction_tables
    from .demo import demo as run

    result = run(folder)
    if as_json:
        print_json(result.robot, prediction_record(result.prediction, result.robot))
    else:
        print_tables(*prediction_tables(result.prediction, result.robot))
    for what, path in result.files.items():
        err.print(f"{what + ':':17}{path}")


def _actor(text: str) -> Any:
    """Return the actor that NAME@x,y,z,roll,pitch,yaw means, in mm and degrees."""
    from ..viewer import Actor
    from ..viewer.scene import pose_from

    name, at, position = text.rpartition("@")
    values = numbers(position)
    if at and len(values) not in (3, 6):
        raise InputError(
            f"--also {text!r}: after @ come x,y,z in mm, or x,y,z,roll,pitch,yaw with degrees"
        )
    return Actor(any_robot(name).mounted(pose_from(values)) if at else any_robot(text))
