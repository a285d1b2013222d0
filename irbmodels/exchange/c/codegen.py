"""A robot's queries as C99 for real-time controllers: a header, a source, and a self-test with answers of Pinocchio."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...checks import as_instance, as_path
from ...compiled.program import Program
from ...compiled.queries import OF_FRAMES, QUERIES, program_for
from ...dynamics import derivatives
from ...dynamics import equations_of_motion as dynamics
from ...errors import FileError, InputError, MissingData, UnknownName, require, warn
from ...kinematics import frames as kinematics
from ...model.mechanism import Mechanism, chain_of, mechanism_of, unreduced_mechanism_of
from ...model.model import Model
from ...model.types import Array
from ...robot.robot import Robot
from ..write.meshes import write_files
from ..write.tables import tables
from ..write.urdf import file_name
from .selftest import Case, selftest_text
from .writer import (
    DOUBLE,
    SINGLE,
    Dialect,
    comment,
    function_text,
    helpers_text,
    preamble,
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
        what: Queries: ``inverse_dynamics``, ``pose`` ...; docs/c_export.md lists them.
        frame: Frame of ``pose``, ``jacobian``, ``pose_and_jacobian`` and ``hessian``.
        friction: Whether dynamics include friction, where the robot has it.
        single: Compute in ``float``.
        name: What names of files and functions begin with; default the robot's name.

    Returns:
        Header, source, self-test.

    Raises:
        UnknownName: if there is no such query or frame.
        InputError: if an argument cannot be used.
        MissingData: if the friction of a robot without friction data is asked for.
        MissingExtra: if casadi is not installed.
        FileError: if a file cannot be written.
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
    """Return what :func:`write_c` writes, by file name."""
    require("casadi", "fast")
    prefix = _prefix(robot, name)
    dialect = SINGLE if single else DOUBLE
    functions = _functions(robot, what, prefix, frame, friction)
    cases = [Case(one.name, one.program, one.reference) for one in functions]
    told = list(_told(robot, functions, frame, friction, single, name))
    return {
        f"{prefix}.h": _header(prefix, functions, dialect, told, frame),
        f"{prefix}.c": _source(robot, prefix, functions, dialect),
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
    plain = re.sub(r"\W", "_", file_name(robot), flags=re.ASCII)
    return plain if re.match("[A-Za-z]", plain) else f"robot_{plain.lstrip('_')}"


def _functions(
    robot: Robot, what: Sequence[str], prefix: str, frame: str, friction: bool
) -> list[Function]:
    """Return the queries as programs, each with the constants and the reference that belong to it."""
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
    if friction and robot.friction_model is None and any(query in WITH_FRICTION for query in what):
        warn(f"{robot.name} has no friction data: friction adds nothing")
    model = robot.dynamic_model if friction else replace(robot.dynamic_model, friction=None)
    tree, number, _ = robot.find_frame(frame)
    answers = _answers(model) | {
        "pose": lambda q: (kinematics.pose(tree, number, q).homogeneous,),
        "jacobian": lambda q: (kinematics.jacobian(tree, number, q),),
        "pose_and_jacobian": lambda q: (
            kinematics.pose(tree, number, q).homogeneous,
            kinematics.jacobian(tree, number, q),
        ),
        "hessian": lambda q: (kinematics.hessian(tree, number, q),),
    }
    functions = []
    for query in dict.fromkeys(what):
        if query in OF_FRAMES:
            mechanism, ending = chain_of(tree, number), f"_{re.sub(r'[^A-Za-z0-9_]', '_', frame)}"
        elif query == "regressor":
            mechanism, ending = unreduced_mechanism_of(model), "_whole"
        else:
            mechanism, ending = mechanism_of(model, friction), ""
        names = {constant: f"{constant}{ending}" for constant in mechanism.free}
        functions.append(
            Function(
                query,
                f"{prefix}_{query}",
                mechanism,
                program_for(query, mechanism),
                names,
                answers[query],
            )
        )
    return functions


def _answers(model: Model) -> dict[str, Callable[..., tuple[Array, ...]]]:
    """Return the queries of a model as Pinocchio answers them, state by state."""

    def rubbing(v: Array) -> Array:
        return np.zeros(model.n) if model.friction is None else model.friction.torque(v)

    def coriolis_torque(q: Array, v: Array) -> Array:
        return dynamics.inverse_dynamics(model, q, v, np.zeros(model.n)) - dynamics.gravity(
            model, q
        )

    return {
        "inverse_dynamics": lambda q, v, a: (
            dynamics.inverse_dynamics(model, q, v, a) + rubbing(v),
        ),
        "forward_dynamics": lambda q, v, tau: (
            dynamics.forward_dynamics(model, q, v, tau - rubbing(v)),
        ),
        "mass_matrix": lambda q: (dynamics.mass_matrix(model, q),),
        "coriolis": lambda q, v: (dynamics.coriolis(model, q, v),),
        "coriolis_torque": lambda q, v: (coriolis_torque(q, v),),
        "gravity": lambda q: (dynamics.gravity(model, q),),
        "friction": lambda v: (rubbing(v),),
        "energy": lambda q, v: tuple(np.array(part) for part in dynamics.energy(model, q, v)),
        "regressor": lambda q, v, a: (dynamics.regressor(model, q, v, a),),
        "inverse_dynamics_derivatives": lambda q, v, a: derivatives.inverse_dynamics(
            model, q, v, a, True
        ),
    }


# --- what the files say
# ------------------------------------------------------------------------------------------------

ABOUT = {
    "inverse_dynamics": (
        "Axis torques tau of a motion, friction included: M a + C v + g + friction."
    ),
    "forward_dynamics": "Axis accelerations a under axis torques tau, less friction.",
    "mass_matrix": "Mass matrix M [kg m^2], rotors included.",
    "coriolis": "Matrix C of the Christoffel symbols [N m s]: dM/dt = C + C'.",
    "coriolis_torque": "Torques C v [N m].",
    "gravity": "Axis torques g that hold the robot still [N m].",
    "friction": "Torques of friction f [N m].",
    "energy": "Energies [J]; the potential one is 0 for a mass at the base's origin.",
    "regressor": (
        "Matrix Y whose product with the parameters is the torque, friction included. Columns: per"
        " body of the tree [m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the link's"
        " origin, then the rotors, then where friction is known Fv, Fc, Fs - Fc per axis."
    ),
    "inverse_dynamics_derivatives": (
        "Derivatives of the torques with respect to q, v and a, friction included."
    ),
    "pose": "Homogeneous matrix T of the frame {frame} in the base [m].",
    "jacobian": (
        "Jacobian J of the frame {frame} in base axes: linear velocity of its origin (rows 0 to 2),"
        " angular velocity."
    ),
    "pose_and_jacobian": (
        "Homogeneous matrix T of the frame {frame} in the base [m], and its Jacobian J, linear rows"
        " first."
    ),
    "hessian": "Derivative of the Jacobian of the frame {frame}: H[i][j][k] = dJ[i][j] / dq[k].",
}


def _told(
    robot: Robot,
    functions: list[Function],
    frame: str,
    friction: bool,
    single: bool,
    name: str | None,
) -> Iterator[str]:
    """Say which robot it is and what its numbers mean, in lines of any length."""
    queries = [function.query for function in functions]
    words = ["irbmodels codegen", robot.name]
    words += [] if robot.tool is None else ["--tool", robot.tool.name]
    words += [] if robot.parameters is None else ["--parameters", robot.parameters]
    words += ["--what", ",".join(queries)]
    words += ["--frame", frame] if frame != "tcp" else []
    words += [] if friction else ["--no-friction"]
    words += ["--single"] if single else []
    words += [] if name is None else ["--name", name]
    yield f"Written by: {' '.join(words)}"
    yield (
        "Change the numbers in the source if you must, but let the robot's tables write these files"
        " again where you can."
    )
    yield ""
    above = robot.description.overlays if robot.description is not None else ()
    yield f"Robot: {robot.name}{' with ' + ', '.join(above) if above else ''}"
    if robot.description is None:
        yield "Inertials: those of its file; sources and grades are not said there"
    else:
        found = next(table for table in tables(robot, ["inertials"]) if table.name == "inertials")
        bodies = [row for row in found.rows if not str(row[0]).startswith(("tool ", "payload"))]
        yield (
            f"Inertials: set {robot.parameters}"
            f" ({', '.join(sorted({str(row[-1]) for row in bodies}))})"
        )
    yield (
        "Tool: none"
        if robot.tool is None
        else f"Tool: {robot.tool.name}, {robot.tool.load.mass:g} kg ({robot.tool.grade})"
    )
    if robot.payload is not None:
        yield f"Payload: {robot.payload.mass:g} kg"
    law = robot.friction_model
    if not friction:
        yield "Friction: left out"
    elif law is None:
        yield "Friction: no data, adds nothing"
    else:
        far = f", extrapolated beyond {law.measured_to:g} rad/s" if law.measured_to else ""
        yield (
            "Friction: included, (Fc + (Fs - Fc) exp(-(v/v_St)^2)) sgn(v) + Fv v with sgn(0) ="
            f" 0{far}"
        )
    yield (
        f"Rotors: {', '.join(f'{value:g}' for value in robot.rotors.tolist())} kg m^2"
        if robot.rotors.any()
        else "Rotors: none"
    )
    yield (
        f"Gravity: {', '.join(f'{value:g}' for value in robot.gravity_vector.tolist())} m/s^2 in"
        " base axes"
    )
    yield ""
    linear = [str(i + 1) for i, slides in enumerate(robot.limits.linear) if slides]
    other = f"; of axis {', '.join(linear)} m, m/s, m/s^2, N" if linear else ""
    yield f"Axes: {', '.join(robot.axes)}, in this order in every array of {robot.n}."
    yield (
        "q: axis positions as the controller shows them, but in SI units. q [rad], v [rad/s], a"
        f" [rad/s^2], tau [N m]{other}."
    )
    yield (
        "Torques are those on the arm side of the gearboxes. Arrays of more than one dimension are"
        " row by row."
    )
    far = "4 pi" if single else "1e4 rad"
    yield (
        f"Sine and cosine are good to 2.5 units in the last place for angles up to {far}. NaN in,"
        " NaN out."
    )
    yield (
        "Functions need no library, allocate nothing, keep nothing, run through without a loop or a"
        " choice, and may run in many threads at once. An output may be the same array as an input."
    )
    yield ""


def _header(
    prefix: str, functions: list[Function], dialect: Dialect, told: list[str], frame: str
) -> str:
    guard = f"{prefix.upper()}_H"
    test = f"Self-test: cc -std=c99 -O2 {prefix}.c {prefix}_selftest.c -o selftest && ./selftest"
    lines = [comment(*told, test), f"#ifndef {guard}", f"#define {guard}"]
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


def _source(robot: Robot, prefix: str, functions: list[Function], dialect: Dialect) -> str:
    parts = [
        comment(f"{prefix}.h says what is computed, for which robot, and in which units."),
        f'#include "{prefix}.h"\n\n#include <float.h>\n#include <stdint.h>\n',
        preamble(dialect),
        _constants(robot, functions, dialect),
        helpers_text([function.program for function in functions], dialect),
    ]
    parts += [
        function_text(function.program, function.name, function.constants, dialect)
        for function in functions
    ]
    return "\n".join(part for part in parts if part)


# --- constants
# -------------------------------------------------------------------------------------------------------

MEANINGS = {  # of a constant's name without numbers; of two units the second is a linear axis's
    "M": "[kg] mass",
    "MX": "[kg m] mass times x of its center",
    "MY": "[kg m] mass times y",
    "MZ": "[kg m] mass times z",
    "XX": "[kg m^2] entries of the tensor about the origin",
    **dict.fromkeys(("XY", "XZ", "YY", "YZ", "ZZ"), "[kg m^2]"),
    **dict.fromkeys(("px", "pEx"), "[m] origin in the frame below"),
    **dict.fromkeys(("py", "pz", "pEy", "pEz"), "[m]"),
    **dict.fromkeys(("R", "RE"), "entry of frame_below_from_frame"),
    "RT": "entry of tree_from_frame",
    "G": "how an axis moves the joint",
    "q": "[rad, m] what the joint adds to that",
    **dict.fromkeys(("gx", "gy", "gz"), "[m/s^2] gravity in base axes"),
    "IA": "[kg m^2, kg] what rotors add to M",
    "RA": "how an axis turns a rotor",
    "FC": "[N m, N] Coulomb friction Fc",
    "FD": "[N m, N] Fs - Fc",
    "KS": "[s^2/rad^2, s^2/m^2] 1 / v_St^2",
    "FV": "[N m s/rad, N s/m] viscous friction Fv",
}


def _meaning(constant: str, robot: Robot) -> str:
    text, kind = MEANINGS[_kind(constant)], _kind(constant)
    if kind in ("FC", "FD", "KS", "FV"):
        slides = robot.limits.linear[int(constant[2:]) - 1]
        return re.sub(r"\[(.*), (.*)\]", r"[\2]" if slides else r"[\1]", text)
    return text


def _constants(robot: Robot, functions: list[Function], dialect: Dialect) -> str:
    """Return the constants that the functions use, by mechanism and joint."""
    values: dict[str, tuple[str, float]] = {}
    titles: dict[str, str] = {}
    for function in functions:
        used = set(function.program.constants)
        for constant, value in function.mechanism.free.items():
            if constant in used:
                label = function.constants[constant]
                values.setdefault(label, (constant, value))
                titles.setdefault(label, _title(constant, function, robot))
    lines = [comment(CONSTANTS)] if values else []
    width = max(map(len, values), default=0)
    for title in dict.fromkeys(titles.values()):
        lines.append(f"/* {title} */")
        for label, (constant, value) in values.items():
            if titles[label] == title:
                text = (
                    f"{dialect.constant}{dialect.real} {label:{width}} = {dialect.number(value)};"
                )
                lines.append(f"{text:{width + 52}} /* {_meaning(constant, robot)} */")
        lines.append("")
    return "\n".join(lines)


CONSTANTS = (
    "Names as in Khalil & Dombre: a number behind a name is the joint's. Joints turn about, or"
    " slide along, the z axis of their frame. Inertials of the dynamics are a base set: what fixed"
    " to a joint's axis changes no torque is counted to the joint below, so they are not those of"
    " one body alone, and some are negative. 0, 1 and -1 are structure and have no name."
)


def _kind(constant: str) -> str:
    """Return a constant's name without the numbers of joint, axis, row and column: px for p4x, FC for FC2."""
    return re.sub(r"[\d_]", "", constant)


def _title(constant: str, function: Function, robot: Robot) -> str:
    """Say what a constant belongs to."""
    group = {"regressor": "regressor, "}.get(function.query, "")
    kind, digits = _kind(constant), re.search(r"\d+", constant)
    if kind in ("FC", "FD", "KS", "FV"):
        return f"{group}friction of the axes"
    if kind in ("IA", "RA"):
        return f"{group}rotors"
    if (
        digits is None
        or (int(digits[0]) == 0 and kind != "q")
        or kind in ("pEx", "pEy", "pEz", "RE")
    ):
        return (
            f"{function.constants[constant].partition('_')[2]}, frame"
            if "E" in kind
            else f"{group}base"
        )
    number = int(re.sub(r"^q0_", "", constant)) if kind == "q" else int(digits[0])
    joint = function.mechanism.joints[number - 1]
    below = f"on joint {joint.parent + 1}" if joint.parent >= 0 else "on the base"
    group = (
        f"{function.constants[constant].removeprefix(constant + '_')}, "
        if function.query in OF_FRAMES
        else group
    )
    return (
        f"{group}joint {number}, {'slides' if joint.prismatic else 'turns'} by"
        f" {_angle(joint.row, joint.offset)}, {below}"
    )


def _angle(row: Array, offset: float) -> str:
    terms = [(factor, f"q{axis}") for axis, factor in enumerate(row.tolist(), 1) if factor]
    terms.sort(key=lambda term: term[0] < 0)  # q3 - q2
    parts = (
        f"{'-' if factor < 0 else '+'} {'' if abs(factor) == 1 else f'{abs(factor):g} '}{name}"
        for factor, name in terms
    )
    text = " ".join(parts)
    text = text.removeprefix("+ ") + (
        f" {'-' if offset < 0 else '+'} {abs(offset):g}" if offset else ""
    )
    return text or "0"
