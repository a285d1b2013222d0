"""Arguments that commands share: their spelling, parsing and output."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import click
from rich.console import Console

from ..errors import InputError, UnknownName, require
from .completion import robot_names, set_names, tool_names

if TYPE_CHECKING:
    import pinocchio as pin
    from numpy.typing import ArrayLike
    from rich.progress import Progress

    from ..exchange.verify.exports import Verdict
    from ..model.inertia import Inertial
    from ..model.tool import Tool
    from ..robot.robot import Robot
    from ..tables.description import Coupling
    from ..tasks.path_check import Box
    from ..trajectory.motion_files import MotionFile


for _name in ("stdout", "stderr"):
    if getattr(sys, _name) is None:  # closed by whoever started the program
        setattr(sys, _name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
_NAMED = 8  # ignored columns, at most
_BETWEEN = re.compile(r"\s*,\s*|\s+")  # numbers of a list
_LENGTH_TOLERANCE = 1e-3  # of a quaternion typed with four digits
# a pipe or file has no width of its own
_WIDTH = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 200


def discard(stream: TextIO) -> None:
    """Drop what a stream holds and gets, for a full disk or a pipe that nobody reads."""
    with suppress(OSError, ValueError):  # ValueError: a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_out(text: str = "") -> None:
    """Write a text to the standard output, now."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()  # a full disk shows itself here
    except BrokenPipeError:
        discard(sys.stdout)


class _Console(Console):
    """A console behind which a pipe may be closed: the exit code stays that of the command."""

    def on_broken_pipe(self) -> None:
        """Drop what nobody reads, as behind ``| head``; Rich would end with exit code 1."""
        discard(cast(TextIO, self.file))


out = _Console(width=_WIDTH, markup=False, highlight=False)
err = _Console(stderr=True, markup=False, highlight=False, soft_wrap=True)

PATH = click.Path(path_type=Path)
MODEL = "Variant, alias, folder of tables, or any .urdf, .sdf or MJCF file."


def robot_parameter(
    about: str = MODEL, **settings: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the decorator that adds ROBOT, the first argument, and ``--robot ROBOT`` instead."""
    argument = click.argument("robot", help=about, shell_complete=robot_names, **settings)
    option = click.option(
        "robot_option",  # its value is the first argument, see Command.parse_args
        "--robot",
        metavar="ROBOT",
        expose_value=False,
        help="ROBOT, where it does not come first.",
        shell_complete=robot_names,
    )
    return lambda command: argument(option(command))


robot_argument = robot_parameter(
    "Variant or alias (see: irbmodels list), or a folder with the same tables."
)
any_robot_argument = robot_parameter()
tool_option = click.option(
    "--tool",
    help=(
        "Tool by name (spindle), path of a tool table, the text of a RAPID tooldata, or one of a"
        " RAPID file: weld.mod:tGun."
    ),
    shell_complete=tool_names,
)
parameters_option = click.option(
    "--parameters",
    help="Set of inertials (see: irbmodels info NAME), or a .yaml file.",
    shell_complete=set_names,
)
payload_option = click.option(
    "--payload",
    metavar="MASS[,X,Y,Z]|LOADDATA",
    help=(
        "Load beyond the tool: kg, and its center of mass in the TCP frame in mm, a point mass; or"
        " the text of a RAPID loaddata, which has moments of inertia, too."
    ),
)
mounted_option = click.option(
    "--mounted",
    metavar="X,Y,Z,Q1,Q2,Q3,Q4",
    help=(
        "Pose of the base in the world: mm, and the quaternion with the scalar first; default the"
        " world's own. 0,0,2500,0,1,0,0 hangs from a ceiling."
    ),
)
q_deg_option = click.option(
    "--q-deg",
    help=(
        "Axis positions as the controller shows them, comma separated: degrees, mm for a linear"
        " axis."
    ),
)
overlay_option = click.option(
    "--overlay",
    type=PATH,
    multiple=True,
    help=(
        "File that changes single numbers of the tables, such as a balancer's (irbmodels balancer"
        " ROBOT -o FILE writes one); may be repeated."
    ),
)
with_option = click.option(
    "others",
    "--with",
    type=PATH,
    multiple=True,
    metavar="FILE",
    help="Another RAPID module, whose records and data the module uses; may be repeated.",
)
unit_option = click.option(
    "--unit",
    multiple=True,
    metavar="NAME=ROBOT[@X,Y,Z,Q1,Q2,Q3,Q4]",
    help=(
        "Mechanical unit that moves a wobjdata, as a robot or .urdf, and the pose of its base in"
        " the world as --mounted has it; may be repeated."
    ),
)
REST_HELP = "Move [deg, mm] within the window that is noise: the axis stands still; default 0.005."
report_option = click.option(
    "--report",
    type=PATH,
    help="HTML page to write, with tables and figures; stands on its own.",
)
output_option = click.option("-o", "--output", type=PATH, help="File to write.")
folder_option = click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    help="Folder to write into; it is made.",
)


def print_or_write(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file as a whole."""
    from ..files import write_text

    if output is None:
        write_out(text)
    else:
        write_text(output, text)
        report_written(output)


def report_written(*paths: Path | None) -> None:
    """Print the names of files that were written."""
    for path in paths:
        if path is not None:
            err.print(f"wrote {path}")


def check_outputs(inputs: Iterable[Path | str | None], **outputs: Path | None) -> None:
    """Check that outputs can be written, before the work that makes them.

    Args:
        inputs: Files that the command reads, a tool with its file as ``weld.mod:tGun``; names
            that are no files count nothing.
        outputs: Files to write by what they are.

    Raises:
        InputError: if two outputs are the same file, or one is an input.
        FileError: if one is a folder or a device, or lies in no folder.
    """
    from ..files import check_writable

    given = [str(source) for source in inputs if source]
    names = [*given, *(name.rpartition(":")[0] for name in given)]
    sources = [Path(name) for name in names if Path(name).is_file()]
    targets: dict[Path, str] = {}
    for name, path in outputs.items():
        if path is None:
            continue
        target = check_writable(path)
        if target in targets:
            raise InputError(f"{path} cannot be both the {targets[target]} and the {name}")
        if target.exists() and any(target.samefile(source) for source in sources):
            raise InputError(f"{path} is an input of this command; write to another file")
        targets[target] = name


def need_parquet(path: Path | None) -> None:
    """Name the extra that a Parquet file to write needs, before the work that makes it.

    Raises:
        MissingExtra: without pyarrow.
    """
    if path is not None and path.suffix.lower() == ".parquet":
        require("pyarrow", "logs")


def mechanical_units(texts: Sequence[str] | None) -> dict[str, Robot]:
    """Return the mechanical units that ``--unit NAME=ROBOT[@pose]`` names, where they stand."""
    units: dict[str, Robot] = {}
    for text in texts or ():
        name, _, unit = text.partition("=")
        robot, at, pose = unit.rpartition("@")
        if not at or not numbers(pose):  # a path may have an @ as well
            robot, pose = unit, ""
        if not name or not robot:
            raise InputError(
                f"--unit {text!r} is not NAME=ROBOT, such as STN1=positioner, or NAME=ROBOT@pose"
            )
        if name in units:
            raise InputError(f"--unit {text!r}: there is a unit {name} already")
        arm = any_robot(robot)
        units[name] = arm.mounted(pose_from(pose, f"--unit {name}")) if pose else arm
    return units


def coupling_of(name: str | None) -> Coupling | None:
    """Return the coupling of that name."""
    from ..tables.description import COUPLINGS

    if name is not None and name not in COUPLINGS:
        raise UnknownName("coupling", name, COUPLINGS)
    return name


def any_robot(
    name: str,
    tool: str | Tool | None = None,
    overlay: Sequence[Path] | None = None,
    parameters: str | None = None,
    payload: str | None = None,
    mounted: str | None = None,
) -> Robot:
    """Return a robot from tables, or from a URDF, SDF or MJCF file, loaded and mounted."""
    from ..robot.robot import load
    from ..tables.description import MODEL_FILES, fixtures, urdf_path
    from ..tables.overlays import is_file

    base = None if mounted is None else pose_from(mounted, "--mounted")
    if name not in fixtures() and Path(name).suffix.lower() not in MODEL_FILES:
        robot = load(name, tool=tool, parameters=parameters, overlays=overlay or ())
    else:
        if overlay:
            raise InputError(f"{name} has no tables; --overlay is for robots that do")
        if parameters is not None and not is_file(parameters):
            raise InputError(
                f"{name} has no sets by name; --parameters {parameters!r} should be a .yaml file"
                " that irbmodels identify wrote for it"
            )
        from ..exchange.read.from_file import from_file

        robot = from_file(urdf_path(name) if name in fixtures() else name, parameters)
        robot = robot if tool is None else robot.with_tool(tool)
    robot = with_payload(robot, payload)
    return robot if base is None else robot.mounted(base)


def with_payload(robot: Robot, text: str | None) -> Robot:
    """Return a robot with the payload of an option's text; None is none."""
    return robot if text is None else robot.with_payload(_payload(text))


def _payload(text: str) -> Inertial:
    """Return the load that a text means, in the TCP frame.

    ``MASS`` or ``MASS,x,y,z`` [kg, mm] is a point mass; ``[mass,[x,y,z],[1,0,0,0],0,0,0]``, with
    its declaration or without, is a loaddata.
    """
    from ..model.tool import payload as point_mass

    if text.lstrip().startswith("[") or ":=" in text:
        from ..rapid import LoadData, body_of, read_value

        return body_of(read_value(text, LoadData))
    mass, *com = numbers(text) or [math.nan]
    if math.isnan(mass) or len(com) not in (0, 3):
        raise InputError(
            f"--payload {text!r} is not MASS in kg, MASS,x,y,z with the center of mass in the TCP"
            " frame in mm, or a loaddata"
        )
    return point_mass(mass, [x / 1000.0 for x in com] or (0.0, 0.0, 0.0))


def pose_from(text: str, option: str) -> pin.SE3:
    """Return the pose that ``x,y,z,q1,q2,q3,q4`` means: mm, and a quaternion with the scalar first.

    Raises:
        InputError: if it is not seven finite numbers, or the quaternion has not length 1.
    """
    import numpy as np
    import pinocchio as pin

    values = numbers(text)
    if len(values) != 7 or not all(map(math.isfinite, values)):
        raise InputError(
            f"{option} {text!r}: a pose is x,y,z in mm and a quaternion q1,q2,q3,q4, scalar first:"
            " seven numbers"
        )
    length = math.hypot(*values[3:])
    if abs(length - 1.0) > _LENGTH_TOLERANCE:
        raise InputError(
            f"{option} {text!r}: the quaternion has length {length:.6g}, not 1; the scalar q1 comes"
            " first"
        )
    w, x, y, z = (value / length for value in values[3:])
    return pin.SE3(pin.Quaternion(w, x, y, z).toRotationMatrix(), np.array(values[:3]) / 1000.0)


def numbers(text: str) -> list[float]:
    """Return numbers with commas or blanks between them, or an empty list if one is none."""
    try:
        return [float(word) for word in _BETWEEN.split(text.strip())]
    except ValueError:
        return []


def angles(text: str, option: str, count: int) -> list[float]:
    """Return that many angles [rad] of an option that gives them in degrees."""
    values = [math.radians(value) for value in numbers(text)]
    if len(values) != count or not all(map(math.isfinite, values)):
        raise InputError(f"{option} {text!r} is not a comma separated list of {count} angles")
    return values


def axis_positions(
    robot: Robot, text: str | None, option: str = "--q-deg", *, noted: bool = True
) -> Any:
    """Return axis positions [rad, m] of an option in degrees and mm; all zero without it.

    Args:
        robot: Robot that they are of.
        text: Text of the option.
        option: Its name.
        noted: Whether bounds that are not kept are printed; False where they are refused anyway.
    """
    shown = [0.0] * robot.n if text is None else _per_axis(robot, text, option)
    q = robot.from_controller(shown)
    if noted:
        note_range(robot, q)
    return q


def note_range(robot: Robot, q: ArrayLike, after: int = 0) -> None:
    """Print the bounds that a posture does not keep, of axes behind a number of them."""
    for violation in robot.limits.violations(q):
        if (violation.axis or 0) > after:
            err.print(f"note: {violation}")


def axis_speeds(robot: Robot, text: str, option: str) -> list[float]:
    """Return axis speeds [rad/s, m/s] of an option in degrees and mm per second."""
    return _in_si(robot, _per_axis(robot, text, option))


def _in_si(robot: Robot, values: Iterable[float]) -> list[float]:
    """Return numbers in degrees and mm in radians and metres."""
    return [
        value / 1000.0 if linear else math.radians(value)
        for value, linear in zip(values, robot.limits.linear.tolist(), strict=True)
    ]


def _per_axis(robot: Robot, text: str, option: str) -> list[float]:
    """Return one number per axis of an option."""
    values = numbers(text)
    if not values:
        raise InputError(f"{option} {text!r} is not a comma separated list of numbers")
    if len(values) != robot.n:
        wanted = (
            f"{robot.n} numbers, for axes 1 to {robot.n} of {robot.name}"
            if robot.n > 1
            else f"1 number for {robot.name}"
        )
        raise InputError(f"{option} {text!r} needs {wanted}; got {len(values)}")
    return values


def axis_numbers(text: str | None) -> list[int] | None:
    """Return the numbers of ``--axes``; None where it is not given."""
    try:
        return None if text is None else [int(word) for word in _BETWEEN.split(text.strip())]
    except ValueError:
        raise InputError(
            f"--axes {text!r} is not a comma separated list of axis numbers, such as 1,2,3"
        ) from None


def exact_numbers(text: str, option: str, count: int) -> list[float]:
    """Return that many comma separated numbers of an option."""
    values = numbers(text)
    if len(values) != count:
        raise InputError(f"{option} {text!r} is not a comma separated list of {count} numbers")
    return values


def accelerations(robot: Robot, text: str, option: str = "--acceleration") -> list[float]:
    """Return limits per axis of an option in degrees and mm [rad, m, per s^2 or s^3]."""
    values = exact_numbers(text, option, robot.n)
    if not all(0.0 < value < math.inf for value in values):
        raise InputError(f"{option} {text!r}: limits are positive and finite")
    return _in_si(robot, values)


def box_from(text: str) -> Box:
    """Return the box of ``--box`` [m]."""
    from ..tasks.path_check import Box

    x0, x1, y0, y1, z0, z1 = (value / 1000.0 for value in exact_numbers(text, "--box", 6))
    return Box((x0, y0, z0), (x1, y1, z1))


def read_motion(path: Path, robot: Robot) -> MotionFile:
    """Open a motion file, and print in one line which columns are ignored."""
    from ..trajectory.motion_files import open_motion

    file = open_motion(path, robot)
    hinted = sorted(file.ignored.items(), key=lambda column: not column[1])  # those that have one
    names = [f"{name} (did you mean {meant}?)" if meant else name for name, meant in hinted]
    if names:
        more = f" ... and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        columns = "column" if len(names) == 1 else "columns"
        err.print(f"ignored {columns}: {', '.join(names[:_NAMED])}{more}")
    return file


def print_tables(*tables: Any) -> None:
    """Print tables."""
    for table in tables:
        out.print(table)


def verify_file(robot: Robot, to: str, file: Path, as_json: bool) -> list[Verdict]:
    """Return how near each installed tool comes to a robot with a file of it; print a table."""
    from ..exchange.verify.exports import verify
    from ..report.tables import verdict_summary, verdict_table

    verdicts = verify(robot, to, file)
    if not as_json:
        print_tables(verdict_table(verdicts, robot))
    err.print(verdict_summary(verdicts))
    return verdicts


def refuse_unproven(verdicts: list[Verdict]) -> None:
    """End with exit code 1 unless all tools agree, and there is one."""
    from ..exchange.verify.exports import proven

    if not proven(verdicts):
        raise click.exceptions.Exit(1)


def print_lines(*lines: str) -> None:
    """Print lines; a terminal wraps them between words, a pipe not at all."""
    for line in lines:
        out.print(line, soft_wrap=_WIDTH is not None)


def file_progress() -> Progress:
    """Return a progress bar for the bytes of a file, shown on a terminal only."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    name = TextColumn("{task.description}")
    columns = (name, BarColumn(), DownloadColumn(), TimeRemainingColumn())
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
