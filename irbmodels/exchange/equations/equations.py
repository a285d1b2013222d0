"""A robot's equations as text that can be read, pasted into a paper, or run: SymPy, LaTeX or MATLAB."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from ...compiled.program import Program, program_of
from ...compiled.queries import OF_FRAMES, QUERIES
from ...errors import InputError, MissingData, UnknownName, require
from ...model.mechanism import (
    INERTIALS,
    Joint,
    Mechanism,
    chain_of,
    mechanism_of,
    unreduced_mechanism_of,
)
from ...model.rotations import rotation_x, rotation_z
from ...robot.robot import Robot
from .readable import WIDTH, Latex, Matlab, Name, Sympy, plain, printed

EQUATION_FORMATS = ("sympy", "latex", "matlab")
ROWS = 45  # of constants on a page
_OUTPUTS = {
    "T": "pose of {frame} in the base [m]",
    "J": "Jacobian at the origin of {frame}, in base axes, linear rows first",
    "H": "derivative of the Jacobian J(i, j) with respect to q(k)",
    "M": "mass matrix, rotors included",
    "C": "Coriolis matrix of Christoffel symbols",
    "c": "Coriolis and centrifugal torques C v [N m]",
    "g": "torques that hold the robot still [N m]",
    "f": "friction torques [N m]",
    "Y": "regressor, whose product with the parameters is the torque",
    "kinetic": "kinetic energy [J]",
    "potential": "potential energy [J]",
    "dtau_dq": "derivative of the torques with respect to q",
    "dtau_dv": "derivative of the torques with respect to v",
}
_INPUTS = {
    "q": "axis positions as the controller shows them",
    "v": "axis speeds",
    "a": "axis accelerations",
    "tau": "axis torques",
}
_REGROUPED = (
    "They are base parameters (Gautier and Khalil 1990): what of a body could as well be fixed to"
    " the one below is counted there."
)
_INERTIALS = {
    "M": ("kg", "mass of"),
    **{f"M{x.upper()}": ("kg m", f"first moment along {x} of") for x in "xyz"},
    **{f"{x.upper()}{x.upper()}": ("kg m^2", f"moment of inertia about {x} of") for x in "xyz"},
    **{
        f"{x.upper()}{y.upper()}": ("kg m^2", f"entry {x}{y} of the inertia tensor of")
        for x, y in ("xy", "xz", "yz")
    },
}
_FRICTION = {
    "FC": ("{force}", "Coulomb friction Fc"),
    "FD": ("{force}", "static less Coulomb friction, Fs - Fc,"),
    "KS": ("s^2/{rate}^2", "1/v_St^2"),
    "FV": ("{force} s/{rate}", "viscous friction Fv"),
}


class Constant(NamedTuple):
    """A named number of the equations."""

    name: str
    value: float
    unit: str
    meaning: str


class Heading(NamedTuple):
    """What stands above the equations."""

    name: str
    """An identifier."""
    notes: list[str]
    """Sentences; what is mathematics in them stands between backticks."""
    constants: list[Constant]


def equations_text(robot: Robot, what: str, fmt: str = "latex", frame: str | None = None) -> str:
    """Return a query of a robot as equations with named constants, whose values stand above.

    Args:
        robot: Any robot; its tool and payload are inside the last link.
        what: ``pose``, ``jacobian``, ``mass_matrix``, ``coriolis``, ``gravity`` or another query
            that can be compiled.
        fmt: ``sympy`` (a module that needs nothing else), ``latex`` (for amsmath) or ``matlab`` (a
            function; Octave too).
        frame: Frame of ``pose``, ``jacobian`` and ``hessian``; default ``tcp``.

    Raises:
        UnknownName: if there is no such query, format or frame.
        InputError: if a frame is given for a query that has none.
        MissingData: if friction is asked for that the robot does not have.
        MissingExtra: if CasADi is not installed.
    """
    require("casadi", "fast")
    if fmt not in EQUATION_FORMATS:
        raise UnknownName("format of equations", fmt, EQUATION_FORMATS)
    if what not in QUERIES:
        raise UnknownName("query", what, QUERIES)
    if frame is not None and what not in OF_FRAMES:
        raise InputError(f"{what} is not a query of a frame; leave the frame {frame!r} out")
    if what == "friction" and robot.friction_model is None:
        raise MissingData(f"{robot.name} has no friction data")
    mechanism = _mechanism(robot, what, frame or "tcp")
    program = _program(what, mechanism)
    constants = [_explained(name, mechanism, robot, frame or "tcp") for name in program.constants]
    name = re.sub(r"\W", "_", f"{robot.name}_{what}", flags=re.ASCII)
    heading = Heading(
        name if re.match("[A-Za-z]", name) else f"robot_{name}",
        _notes(robot, program, mechanism, frame or "tcp"),
        constants,
    )
    return "\n".join(_WRITERS[fmt](program, heading)) + "\n"


def _mechanism(robot: Robot, what: str, frame: str) -> Mechanism:
    if what in OF_FRAMES:
        return chain_of(*robot.find_frame(frame))
    return (
        unreduced_mechanism_of(robot.dynamic_model)
        if what == "regressor"
        else mechanism_of(robot.dynamic_model, friction=True)
    )


def _program(what: str, mechanism: Mechanism) -> Program:
    from .simplified import PaperDynamics

    dynamics = PaperDynamics(mechanism)
    inputs = {name: getattr(dynamics, name) for name in QUERIES[what].inputs}
    return program_of(what, inputs, dynamics.constants, QUERIES[what].outputs(dynamics))


# --- what is said above the equations
# ----------------------------------------------------------------------------------


def _notes(robot: Robot, program: Program, mechanism: Mechanism, frame: str) -> list[str]:
    tool = f" with tool {robot.tool.name}" if robot.tool else ""
    carried = f", payload {robot.payload.mass:g} kg" if robot.payload else ""
    outputs = "; ".join(
        f"`{output.name}` {(_INPUTS | _OUTPUTS)[output.name]}" for output in program.outputs
    )
    notes = [
        f"{robot.name}{tool}{carried}: {outputs.format(frame=frame)}.",
        _inputs(robot, program),
    ]
    bodies = {
        name for name in program.constants if re.fullmatch(rf"({'|'.join(INERTIALS)})\d+", name)
    }
    if bodies:
        notes.append(
            f"Set of inertials: {robot.parameters or 'of the file'}; about the joint's origin, in"
            " its axes."
        )
    if bodies and program.name != "regressor":
        notes.append(_REGROUPED)
    if "FV1" in program.constants:
        notes.append(
            "Friction is inside: `(Fc + (Fs - Fc) exp(-(v/v_St)^2)) sgn(v) + Fv v` per axis."
        )
    if mechanism.joints and "q" in dict(program.inputs):
        joints = "; ".join(
            _joint(number, joint) for number, joint in enumerate(mechanism.joints, 1)
        )
        frames = (
            " Their frames are those of the modified DH table (Craig)."
            if _is_dh(robot, mechanism)
            else ""
        )
        notes.append(f"Joints, each along its z: {joints}.{frames}")
    return [" ".join(note.split()) for note in notes]


def _inputs(robot: Robot, program: Program) -> str:
    linear = [f"`q{i}`" for i in (np.flatnonzero(robot.limits.linear) + 1).tolist()]
    unit = f"[rad; {', '.join(linear)}: m]" if linear else "[rad]"
    told = ", ".join(
        f"`{name}` {_INPUTS[name]}{f' {unit}' if name == 'q' else ''}" for name, _ in program.inputs
    )
    return f"SI units; {told}."


def _joint(number: int, joint: Joint) -> str:
    """Say on what a joint stands, and how it moves."""
    terms = [
        (k, f"q{i + 1}")
        for i, k in sorted(enumerate(joint.row.tolist()), key=lambda item: item[1] < 0)
        if k
    ]
    text = " ".join(
        f"{'-' if k < 0 else '+'} {'' if abs(k) == 1 else f'{abs(k):.6g} '}{q}" for k, q in terms
    )
    text = text.removeprefix("+ ") + (
        f" {'-' if joint.offset < 0 else '+'} {abs(joint.offset):.6g}" if joint.offset else ""
    )
    return (
        f"{number} on {_below(joint.parent)} {'slides' if joint.prismatic else 'turns'} by"
        f" `{text or '0'}`"
    )


def _below(parent: int) -> str:
    return "the base" if parent < 0 else f"joint {parent + 1}"


def _is_dh(robot: Robot, mechanism: Mechanism) -> bool:
    """Whether the joints' frames are those of the robot's table, so that places are its a and d."""
    joints = mechanism.joints
    is_chain = [joint.parent for joint in joints] == list(range(-1, len(joints) - 1))
    if robot.description is None or not joints or len(joints) > robot.n or not is_chain:
        return False
    table = robot.dh()
    for joint, alpha, a, d, theta in zip(
        joints, table.alpha, table.a, table.d, table.theta, strict=False
    ):
        turn = (rotation_x(alpha) @ rotation_z(theta))[:3, :3]
        if not (
            np.allclose(joint.rotation, turn)
            and np.allclose(joint.position, [a, -d * np.sin(alpha), d * np.cos(alpha)])
        ):
            return False
    return True


def _explained(name: str, mechanism: Mechanism, robot: Robot, frame: str) -> Constant:
    """Return a constant with its unit and meaning."""
    value = mechanism.free[name]
    if match := re.fullmatch(r"g([xyz])", name):
        return Constant(name, value, "m/s^2", f"gravity along {match[1]} of the base")
    if match := re.fullmatch(r"p(\d+|E)([xyz])", name):
        what, below = _placed(match[1], mechanism, frame)
        return Constant(
            name,
            value,
            "m",
            f"{what} from {below} along its {match[2]}{_dh(match[1], match[2], mechanism, robot)}",
        )
    if match := re.fullmatch(r"R(\d+|E)_(\d)(\d)", name):
        what, below = _placed(match[1], mechanism, frame)
        return Constant(
            name,
            value,
            "1",
            f"{'xyz'[int(match[2]) - 1]} in {below} of {what}'s {'xyz'[int(match[3]) - 1]} axis",
        )
    letters, *numbers = re.findall(r"[A-Z]+|q0|\d+", name)
    if letters in _INERTIALS:
        unit, meaning = _INERTIALS[letters]
        return Constant(
            name,
            value,
            unit,
            f"{meaning} {f'body {numbers[0]}' if numbers[0] != '0' else 'what does not move'}",
        )
    if letters in _FRICTION:
        force, rate = ("N", "m") if robot.limits.linear[int(numbers[0]) - 1] else ("N m", "rad")
        unit, meaning = _FRICTION[letters]
        return Constant(
            name, value, unit.format(force=force, rate=rate), f"{meaning} of axis {numbers[0]}"
        )
    if letters in ("G", "q0"):
        joint = mechanism.joints[int(numbers[0]) - 1]
        if letters == "G":
            return Constant(name, value, "1", f"how far axis {numbers[1]} moves joint {numbers[0]}")
        return Constant(
            name,
            value,
            "m" if joint.prismatic else "rad",
            f"position of joint {numbers[0]} at q = 0",
        )
    meaning = {
        "IA": "what rotors add to the mass matrix, entry",
        "RA": "turns of the rotors per turn of the axes, entry",
        "RT": f"rotation from the frame of joint {numbers[0]} to that of its body, entry",
    }[letters]
    return Constant(name, value, "kg m^2" if letters == "IA" else "1", f"{meaning} {numbers[-1]}")


def _placed(number: str, mechanism: Mechanism, frame: str) -> tuple[str, str]:
    """Say what is placed, and on what."""
    if number == "E" and mechanism.frame is not None:
        return frame, _below(mechanism.frame.joint)
    return f"joint {number}", _below(mechanism.joints[int(number) - 1].parent)


def _dh(number: str, axis: str, mechanism: Mechanism, robot: Robot) -> str:
    if number == "E" or not _is_dh(robot, mechanism):
        return ""
    alpha, row = robot.dh().alpha[int(number) - 1], f"of DH row {number}"
    factor = {"x": 1.0, "y": -np.sin(alpha), "z": np.cos(alpha)}[axis]
    return (
        f", {'a' if axis == 'x' else 'd'} {row}"
        if abs(factor - 1.0) < 1e-12
        else f", {factor:.6g} d {row}"
    )


# --- formats
# -----------------------------------------------------------------------------------------------------------


def _sympy(program: Program, heading: Heading) -> Iterator[str]:
    notation, names = Sympy(), [constant.name for constant in heading.constants]
    equations = notation.equations(program)
    called = set(re.findall(r"(?<![\w.])[A-Za-z]\w*(?=\(|\.zeros)", "\n".join(equations)))
    yield from _comments("# ", heading)
    yield f"from sympy import {', '.join(sorted(called | {'symbols'}))}"
    yield ""
    for name, length in program.inputs:
        components = [notation.name(Name("input", name, (i,))) for i in range(1, length + 1)]
        yield (
            f"{', '.join(components)}{',' * (length == 1)} = {name} ="
            f' symbols("{name}1:{length + 1}", real=True)'
        )
    for row in wrap(" ".join(names), WIDTH // 2):
        yield f'{", ".join(row.split())} = symbols("{row}", real=True)'
    yield from [
        "CONSTANTS = {",
        *(f"    {x.name}: {plain(x.value)},  # [{x.unit}] {x.meaning}" for x in heading.constants),
        "}",
    ]
    yield from ["", *equations]


def _matlab(program: Program, heading: Heading) -> Iterator[str]:
    outputs = ", ".join(output.name for output in program.outputs)
    outputs = f"[{outputs}]" if len(program.outputs) > 1 else outputs
    yield f"function {outputs} = {heading.name}({', '.join(dict(program.inputs))})"
    yield from _comments("% ", heading)
    yield from (f"{x.name} = {plain(x.value)}; % [{x.unit}] {x.meaning}" for x in heading.constants)
    notation = Matlab()
    for name, length in program.inputs:
        yield " ".join(
            f"{notation.name(Name('input', name, (i,)))} = {name}({i});"
            for i in range(1, length + 1)
        )
    yield from [*notation.equations(program), "end"]


def _latex(program: Program, heading: Heading) -> Iterator[str]:
    yield r"% Needs \usepackage{amsmath}; \allowdisplaybreaks lets long ones run over pages."
    for note in heading.notes:
        yield rf"\noindent {_latex_text(note)}\par"
    for start in range(0, len(heading.constants), ROWS):
        yield from [r"\begin{center}\footnotesize", r"\begin{tabular}{lrll}"]
        for x in heading.constants[start : start + ROWS]:
            yield (
                rf"${Latex.constant(x.name)}$ & ${printed(x.value)}$ & {_latex_text(x.unit)} &"
                rf" {_latex_text(x.meaning)} \\"
            )
        yield from [r"\end{tabular}", r"\end{center}"]
    yield from Latex().equations(program)


def _comments(mark: str, heading: Heading) -> Iterator[str]:
    for note in heading.notes:
        # formulas are not broken
        held = re.sub("`.*?`", lambda match: match[0].strip("`").replace(" ", "\0"), note)
        yield from (
            line.replace("\0", " ")
            for line in wrap(held, WIDTH, initial_indent=mark, subsequent_indent=f"{mark}  ")
        )


def _latex_text(note: str) -> str:
    """Return a note with its mathematics set as such, and everything else as it stands."""
    parts = note.split("`")
    parts[::2] = [re.sub(r"(?<=[a-zA-Z])\^\d|[\\^~&%$#_{}]", _escaped, part) for part in parts[::2]]
    parts[1::2] = [
        re.sub(r"([a-z])([0-9]+)", r"\1_{\2}", f"${Latex.words.get(part, part)}$")
        for part in parts[1::2]
    ]
    return "".join(parts)


def _escaped(match: re.Match[str]) -> str:
    special = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
    return f"$^{match[0][1:]}$" if len(match[0]) == 2 else special.get(match[0], f"\\{match[0]}")


_WRITERS = {"sympy": _sympy, "matlab": _matlab, "latex": _latex}
