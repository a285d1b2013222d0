"""JSON on the command line: with ``--json`` a command prints one object, and nothing else there.

Numbers are those of the Python API in SI units, in full precision; a name ends in its unit. Of a
linear axis ``_rad`` means m, and ``_N_m`` N (``robot.linear_axes``), as ``--q-deg`` means mm. Every
key is always there; what is unknown, or not finite, is null. What each command prints is in
``schemas/COMMAND.yaml``.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..version import __version__

if TYPE_CHECKING:
    import pinocchio as pin

    from ..robot.robot import Robot

# a list of numbers, each on a line of its own; a text has no line feeds
_NUMBERS = re.compile(r"\[\n[\s\d.,e+-]*(?:null[\s\d.,e+-]*)*\]")

json_option = click.option(
    "as_json",
    "--json",
    is_flag=True,
    help="Print one JSON object in SI units (its form: irbmodels schema).",
)


def print_json(robot: Robot | None, results: Mapping[str, object]) -> None:
    """Print a command's name, the version, its robot where it has one, and its results.

    Args:
        robot: The robot that was computed, with its load and place; None where there is none.
        results: By name with unit: numbers, texts, arrays, named tuples, mappings.
    """
    words = click.get_current_context().command_path.split()[1:]
    about = {} if robot is None else {"robot": _robot_record(robot)}
    write_json({"command": " ".join(words), "version": __version__, **about, **results})


def write_json(record: Mapping[str, object]) -> None:
    """Write one object to the standard output."""
    text = json.dumps(_plain(record), indent=2, allow_nan=False)
    rows = _NUMBERS.sub(lambda found: f"[{' '.join(found[0][1:-1].split())}]", text)
    sys.stdout.write(f"{rows}\n")


def pose_record(pose: pin.SE3) -> dict[str, object]:
    """Return position [m] and quaternion (scalar first) of a pose."""
    from ..model.rotations import quaternion

    return {"position_m": pose.translation, "quaternion_wxyz": quaternion(pose.rotation)}


def _robot_record(robot: Robot) -> dict[str, object]:
    return {
        "name": robot.name,
        "axes": robot.axes,
        "linear_axes": [i for i, slides in enumerate(robot.limits.linear, 1) if slides],
        "parameters": robot.parameters,
        "tool": None if robot.tool is None else robot.tool.name,
        "payload_kg": None if robot.payload is None else robot.payload.mass,
        "world_from_base": pose_record(robot.world_from_base),
    }


def _plain(value: Any) -> Any:
    """Return a value as one that JSON has; None of a number that is not finite."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if hasattr(value, "tolist"):  # an array or number of NumPy
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value
