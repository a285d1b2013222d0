"""A robot's equations as text to read, to paste into a paper or to run: SymPy, LaTeX, MATLAB."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...compiled.program import Program
from ...compiled.queries import OF_FRAMES, QUERIES, mechanism_for, program_from
from ...errors import InputError, MissingData, UnknownName, require
from ...model.mechanism import INERTIALS, Mechanism
from ...robot.robot import Robot
from ..constants import (
    explain,
    friction_text,
    has_dh_frames,
    joint_motion,
    link_name,
    split_name,
)
from ..text import identifier

EQUATION_FORMATS = ("sympy", "latex", "matlab")
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
        MissingExtra: if SymPy is not installed.

    Example:
        >>> import irbmodels as irb
        >>> print(irb.equations_text(irb.load("irb930"), "gravity", "sympy").splitlines()[0])
        # irb930_12_105: g torques that hold the robot still [N m].
    """
    require("sympy", "equations")
    if fmt not in EQUATION_FORMATS:
        raise UnknownName("format of equations", fmt, EQUATION_FORMATS)
    if what not in QUERIES:
        raise UnknownName("query", what, QUERIES)
    if frame is not None and what not in OF_FRAMES:
        raise InputError(f"{what} is not a query of a frame; leave the frame {frame!r} out")
    if what == "friction" and robot.friction_model is None:
        raise MissingData(f"{robot.name} has no friction data")
    from .pages import PAGES
    from .simplified import SimplifiedDynamics

    frame = frame or "tcp"
    source = robot.find_frame(frame) if what in OF_FRAMES else robot.dynamic_model
    mechanism = mechanism_for(what, source)
    program = program_from(what, SimplifiedDynamics(mechanism))
    constants = [explain(name, mechanism, robot, frame) for name in program.constants]
    name = identifier(f"{robot.name}_{what}")
    notes = [" ".join(note.split()) for note in _notes(robot, program, mechanism, frame)]
    return "\n".join(PAGES[fmt](program, name, notes, constants)) + "\n"


def _notes(robot: Robot, program: Program, mechanism: Mechanism, frame: str) -> Iterator[str]:
    """Yield sentences about the equations, mathematics between backticks."""
    tool = f" with tool {robot.tool.name}" if robot.tool else ""
    payload = f", payload {robot.payload.mass:g} kg" if robot.payload else ""
    outputs = "; ".join(f"`{name}` {(_INPUTS | _OUTPUTS)[name]}" for name, *_ in program.outputs)
    yield f"{robot.name}{tool}{payload}: {outputs.format(frame=frame)}."
    linear = [f"`q{axis}`" for axis in (np.flatnonzero(robot.limits.linear) + 1).tolist()]
    unit = f" [rad; {', '.join(linear)}: m]" if linear else " [rad]"
    inputs = [
        f"`{name}` {_INPUTS[name]}{unit if name == 'q' else ''}" for name, _ in program.inputs
    ]
    yield f"SI units; {', '.join(inputs)}."
    if any(kind in INERTIALS and number for kind, number, _ in map(split_name, program.constants)):
        yield (
            f"Set of inertials: {robot.parameters or 'of the file'}; about the joint's origin, in"
            " its axes."
        )
        if program.name != "regressor":
            yield _REGROUPED
    if "FV1" in program.constants:
        yield f"Friction is inside: {friction_text(robot, '`')}."
    if mechanism.joints and "q" in dict(program.inputs):
        joints = []
        for number, joint in enumerate(mechanism.joints, 1):
            moves, by = joint_motion(joint)
            joints.append(f"{number} on {link_name(joint.parent)} {moves} by `{by}`")
        dh = " Their frames are those of the modified DH table (Craig)."
        yield (
            f"Joints, each along its z: {'; '.join(joints)}."
            f"{dh if has_dh_frames(robot, mechanism) else ''}"
        )
