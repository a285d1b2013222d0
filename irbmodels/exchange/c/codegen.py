"""A robot's queries as C99 for real-time controllers: header, source, and a self-test."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ...checks import as_instance, as_path
from ...compiled.program import Program
from ...compiled.queries import OF_FRAMES, QUERIES, mechanism_for, program_for
from ...errors import FileError, InputError, MissingData, UnknownName, warn
from ...model.mechanism import Mechanism
from ...model.types import Array
from ...robot.queries import reference
from ...robot.robot import Robot
from ..constants import FRICTION, SPRINGS, Constant, explain, joint_motion, link_name, split_name
from ..text import identifier
from ..write.meshes import write_files
from ..write.urdf import file_name
from .elementary import helpers_text, preamble
from .notes import ABOUT, CONSTANTS, Options, header_notes
from .selftest import Case, selftest_text
from .writer import (
    DOUBLE,
    SINGLE,
    Dialect,
    comment,
    function_text,
    prototype,
)

WITH_FRICTION = ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives")


class Function(NamedTuple):
    """One query of the export."""

    query: str
    name: str
    mechanism: Mechanism
    program: Program
    constants: dict[str, str]
    """Names in C of the mechanism's constants."""
    reference: Callable[..., tuple[Array, ...]]
    """Its answers from Pinocchio, one array per output."""


def write_c(
    robot: Robot,
    folder: str | Path,
    what: Sequence[str] = ("inverse_dynamics",),
    *,
    frame: str = "tcp",
    friction: bool = True,
    single: bool = False,
    name: str | None = None,
) -> list[Path]:
    """Write queries as C99: ``NAME.h``, ``NAME.c`` and ``NAME_selftest.c``, which need no library.

    Args:
        robot: Any robot; tool, payload, gravity and rotors are in the numbers.
        folder: Folder to write into; it is made. Files of the same name are replaced, others stay.
        what: Queries: ``inverse_dynamics``, ``pose`` ...; docs/howto/c_export.md lists them.
        frame: Frame of ``pose``, ``jacobian``, ``pose_and_jacobian`` and ``hessian``.
        friction: Whether dynamics include friction, where the robot has it.
        single: Compute in ``float``.
        name: Prefix of the names of files and functions; default the robot's name.

    Returns:
        Header, source, self-test.

    Raises:
        UnknownName: if there is no such query or frame.
        InputError: if an argument cannot be used.
        MissingData: if the friction of a robot without friction data is asked for.
        FileError: if a file cannot be written.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> [file.name for file in irb.write_c(robot, "arm", ["pose"])]
        ['irb2400_16.h', 'irb2400_16.c', 'irb2400_16_selftest.c']
    """
    as_path(folder, "the folder of C files")
    as_instance(robot, Robot, "what is written as C is an irbmodels.Robot")
    if not str(folder):
        raise InputError("C files need a folder to be written into")
    target = Path(folder).expanduser()
    if target.exists() and not target.is_dir():
        raise FileError(f"cannot write into {target}: it is a file, not a folder")
    return write_files(
        target, c_files(robot, what, frame=frame, friction=friction, single=single, name=name)
    )


def c_files(
    robot: Robot,
    what: Sequence[str] = ("inverse_dynamics",),
    *,
    frame: str = "tcp",
    friction: bool = True,
    single: bool = False,
    name: str | None = None,
) -> dict[str, str]:
    """Return the texts of :func:`write_c` by file name."""
    prefix = _prefix(robot, name)
    dialect = SINGLE if single else DOUBLE
    functions = _functions(robot, what, prefix, frame, friction)
    cases = [Case(one.name, one.program, one.reference) for one in functions]
    queries = [function.query for function in functions]
    notes = header_notes(robot, Options(queries, frame, friction, single, name))
    return {
        f"{prefix}.h": _header(prefix, functions, dialect, notes, frame),
        f"{prefix}.c": _source(robot, prefix, functions, dialect, frame),
        f"{prefix}_selftest.c": selftest_text(robot, prefix, cases, dialect),
    }


def _prefix(robot: Robot, name: str | None) -> str:
    if name is not None:
        if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name):
            raise InputError(
                f"{name!r} cannot begin the name of a C function: letters, digits and _ can, a"
                " letter first"
            )
        return name
    return identifier(file_name(robot))


def _functions(
    robot: Robot, what: Sequence[str], prefix: str, frame: str, friction: bool
) -> list[Function]:
    """Return the queries as programs, each with its constants and reference."""
    if isinstance(what, str):
        raise InputError(f"queries are a list of names: what=[{what!r}]")
    for query in what:
        if query not in QUERIES:
            raise UnknownName("query", query, QUERIES)
    if not what:
        raise InputError(f"name at least one query of {', '.join(QUERIES)}")
    if "friction" in what and not friction:
        raise InputError("friction cannot be asked for and left out at once")
    if "friction" in what and robot.friction_model is None:
        raise MissingData(f"{robot.name} has no friction data")
    model = robot.evaluate.models[friction]
    of_frame = robot.find_frame(frame)
    functions = []
    endings = {"regressor": "_whole"} | dict.fromkeys(
        OF_FRAMES, f"_{re.sub(r'[^A-Za-z0-9_]', '_', frame)}"
    )
    for query in dict.fromkeys(what):
        source = of_frame if query in OF_FRAMES else model
        mechanism = mechanism_for(query, source)
        functions.append(
            Function(
                query,
                f"{prefix}_{query}",
                mechanism,
                program_for(query, mechanism),
                {name: f"{name}{endings.get(query, '')}" for name in mechanism.free},
                reference(query, source),
            )
        )
    if friction and robot.friction_model is None and any(query in WITH_FRICTION for query in what):
        warn(f"{robot.name} has no friction data: friction adds nothing")
    return functions


def _header(
    prefix: str, functions: list[Function], dialect: Dialect, notes: list[str], frame: str
) -> str:
    guard = f"{prefix.upper()}_H"
    test = f"Self-test: cc -std=c99 -O2 {prefix}.c {prefix}_selftest.c -o selftest && ./selftest"
    lines = [comment(*notes, test), f"#ifndef {guard}", f"#define {guard}"]
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for function in functions:
        about, program = ABOUT[function.query].replace("{frame}", frame), function.program
        lines += [
            comment(about, f"{program.count()} operations.")
            + f"{prototype(program, function.name, dialect)};",
            "",
        ]
    return (
        "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */"]) + "\n"
    )


def _source(
    robot: Robot, prefix: str, functions: list[Function], dialect: Dialect, frame: str
) -> str:
    parts = [
        comment(f"{prefix}.h says what is computed, for which robot, and in which units."),
        f'#include "{prefix}.h"\n\n#include <float.h>\n#include <stdint.h>\n',
        preamble(dialect),
        _constants(robot, functions, dialect, frame),
        helpers_text([function.program for function in functions], dialect),
    ]
    parts += [
        function_text(function.program, function.name, function.constants, dialect)
        for function in functions
    ]
    return "\n".join(part for part in parts if part)


def _constants(robot: Robot, functions: list[Function], dialect: Dialect, frame: str) -> str:
    """Return the constants that the functions use, by mechanism and joint."""
    groups: dict[str, dict[str, Constant]] = {}
    labels: set[str] = set()
    for function in functions:
        for name in function.mechanism.free:
            label = function.constants[name]
            if name in function.program.constants and label not in labels:
                labels.add(label)
                constant = explain(name, function.mechanism, robot, frame)
                groups.setdefault(_title(name, function), {})[label] = constant
    lines = [comment(CONSTANTS)] if groups else []
    width = max(map(len, labels), default=0)
    for title, constants in groups.items():
        lines.append(f"/* {title} */")
        for label, constant in constants.items():
            value = dialect.number(constant.value)
            text = f"{dialect.constant}{dialect.real} {label:{width}} = {value};"
            lines.append(f"{text:{width + 52}} /* [{constant.unit}] {constant.meaning} */")
        lines.append("")
    return "\n".join(lines)


def _title(name: str, function: Function) -> str:
    """Return the part of the model that a constant belongs to."""
    kind, number, _ = split_name(name)
    suffix = function.constants[name].removeprefix(name).removeprefix("_")
    prefix = "regressor, " if function.query == "regressor" else f"{suffix}, " if suffix else ""
    if kind in FRICTION:
        return f"{prefix}friction of the axes' drives"
    if kind.startswith(SPRINGS):
        return f"{prefix}springs"
    if kind in ("IA", "RA", "RI"):
        return f"{prefix}{'rotors' if kind == 'IA' else 'drives'}"
    if number in ("E", "", "0"):
        return f"{prefix}{'frame' if number == 'E' else 'base'}"
    joint = function.mechanism.joints[int(number) - 1]
    moves, by = joint_motion(joint)
    return f"{prefix}joint {number}, {moves} by {by}, on {link_name(joint.parent)}"
