"""JSON on the command line: with ``--json`` a command prints one object, and nothing else there.

Numbers are those of the Python API in SI units, in full precision; a name ends in its unit. Of a
linear axis ``_rad`` means m, and ``_N_m`` N (``robot.linear_axes``), as ``--q-deg`` means mm. Every
key is always there; what is unknown, or not finite, is null. What each command prints is in
``schemas/COMMAND.yaml``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from ..report.plain import plain_values
from .shared import write_out

if TYPE_CHECKING:
    import pinocchio as pin

    from ..robot.robot import Robot

# a list of numbers, each on a line of its own; a text has no line feeds
_NUMBERS = re.compile(r"\[\n[\s\d.,e+-]*(?:(?:null|true|false)[\s\d.,e+-]*)*\]")

json_option = click.option(
    "as_json",
    "--json",
    is_flag=True,
    help="Print one JSON object in SI units (its form: irbmodels schema).",
)


def print_json(robot: Robot | None, results: Mapping[str, object]) -> None:
    """Print a command's name, the version, its robot where it has one, and its results.

    It is printed as the command ends, since an error until then is printed alone.

    Args:
        robot: The robot that was computed, with its load and place; None where there is none.
        results: By name with unit: numbers, texts, arrays, named tuples, mappings.
    """
    from ..version import __version__

    context = click.get_current_context()
    words = context.command_path.split()[1:]
    about = {} if robot is None else {"robot": robot_record(robot)}
    record = {"command": " ".join(words), "version": __version__, **about, **results}
    context.ensure_object(dict).update(record)


def write_json(record: Mapping[str, object]) -> None:
    """Write one object to the standard output, now."""
    text = json.dumps(plain_values(record), indent=2, allow_nan=False)
    rows = _NUMBERS.sub(lambda found: f"[{' '.join(found[0][1:-1].split())}]", text)
    write_out(f"{rows}\n")


def pose_record(pose: pin.SE3) -> dict[str, object]:
    """Return position [m] and quaternion (scalar first) of a pose."""
    from ..model.rotations import quaternion

    return {"position_m": pose.translation, "quaternion_wxyz": quaternion(pose.rotation)}


def robot_record(robot: Robot) -> dict[str, object]:
    """Return which robot it is, with its load and place."""
    return {
        "name": robot.name,
        "axes": robot.axes,
        "linear_axes": [i for i, slides in enumerate(robot.limits.linear, 1) if slides],
        "parameters": robot.parameters,
        "tool": None if robot.tool is None else robot.tool.name,
        "payload_kg": None if robot.payload is None else robot.payload.mass,
        "world_from_base": pose_record(robot.world_from_base),
    }
