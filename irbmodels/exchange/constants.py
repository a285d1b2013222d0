"""Named constants of a mechanism, with units and meanings."""

from __future__ import annotations

import re
from typing import NamedTuple, cast

import numpy as np

from ..model.friction import Stribeck
from ..model.mechanism import Joint, Mechanism
from ..model.rotations import rotation_x, rotation_z
from ..robot.robot import Robot
from .text import linear_form

_NAME = re.compile(r"(g|p|q0|R(?=E|\d)|[A-Z]+)_?(E|\d*)_?(\w*)")
_MEANINGS = {
    "g": ("m/s^2", "gravity along {rest} of the base"),
    "p": ("m", "{frame} from {below} along its {rest}{dh}"),
    "R": ("1", "{row} in {below} of {frame}'s {column} axis"),
    "M": ("kg", "mass of {body}"),
    **{f"M{x.upper()}": ("kg m", f"first moment along {x} of {{body}}") for x in "xyz"},
    **{
        f"{x.upper()}{x.upper()}": ("kg m^2", f"moment of inertia about {x} of {{body}}")
        for x in "xyz"
    },
    **{
        pair.upper(): ("kg m^2", f"entry {pair} of the inertia tensor of {{body}}")
        for pair in ("xy", "xz", "yz")
    },
    "FC": ("{force}", "Coulomb friction Fc of axis {number}"),
    "FD": ("{force}", "static less Coulomb friction, Fs - Fc, of axis {number}"),
    "KS": ("s^2/{length}^2", "1/v_St^2 of axis {number}"),
    "FV": ("{force} s/{length}", "viscous friction Fv of axis {number}"),
    "FG": ("{force}", "level Fd of the degressive friction of axis {number}"),
    "VG": ("{length}/s", "speed v_d at which that of axis {number} has half its level"),
    "AC": ("{force}", "half difference dFc of Coulomb friction by direction of axis {number}"),
    "AV": ("{force} s/{length}", "half difference dFv of viscous friction of axis {number}"),
    "MU": ("1", "Coulomb friction per static torque at the drive of axis {number}"),
    "G": ("1", "motion of joint {number} per motion of axis {rest}"),
    "q0": ("{length}", "position of joint {number} at q = 0"),
    "IA": ("kg m^2", "rotor inertia in the mass matrix, entry {number},{rest}"),
    "RA": ("1", "turns of drive {number} per turn of axis {rest}"),
    "RI": ("1", "turns of axis {number} per turn of drive {rest}"),
    "UO": ("{force}", "torque offset of axis {axis}"),
    "UK": ("{stiffness}", "stiffness of {spring}"),
    "UQ": ("{length}", "position of rest of {spring}"),
    "UA": ("m^2", "distances of the pivots of {spring} from its axis, sum of their squares"),
    "UC": ("m^2", "factor of cos q{axis} in the squared length of {spring}, subtracted"),
    "US": ("m^2", "factor of sin q{axis} in the squared length of {spring}, subtracted"),
    "UL": ("m", "length of {spring} at which its force is F0"),
    "UF": ("N", "force F0 of {spring}, positive where it pulls"),
    "UG": ("1/m", "one by the length of the gas of {spring}"),
    "UE": ("1", "exponent of the gas of {spring}, less 1"),
    "RT": ("1", "rotation from the frame of joint {number} to that of its body, entry {rest}"),
}
FRICTION = ("FC", "FD", "KS", "FV", "FG", "VG", "AC", "AV", "MU")
SPRINGS = "U"
"""First letter of the constants of springs; their numbers are those of ``robot.springs``."""


class Constant(NamedTuple):
    """A named number of the equations."""

    name: str
    value: float
    unit: str
    meaning: str


def split_name(name: str) -> tuple[str, str, str]:
    """Return kind, number and rest of a constant's name: ``p``, ``4``, ``x`` of ``p4x``.

    The number is that of a joint, body or axis, ``E`` for the frame; the rest is an axis or an
    entry of a matrix.
    """
    match = _NAME.fullmatch(name)
    assert match is not None, name
    kind, number, rest = match.groups()
    return kind, number, rest


def explain(name: str, mechanism: Mechanism, robot: Robot, frame: str) -> Constant:
    """Return a constant of a mechanism with its unit and meaning.

    Args:
        name: One of ``mechanism.free``.
        mechanism: Mechanism of the robot.
        robot: Robot, whose DH table names lengths.
        frame: Name of the mechanism's frame, where it has one.
    """
    kind, number, rest = split_name(name)
    fields = {"number": number, "rest": rest, "force": "N m", "length": "rad"}
    fields["body"] = f"body {number}" if number != "0" else "what does not move"
    if kind in ("p", "R"):
        if number == "E" and mechanism.frame is not None:
            fields |= {"frame": frame, "below": link_name(mechanism.frame.joint), "dh": ""}
        else:
            parent = mechanism.joints[int(number) - 1].parent
            fields |= {"frame": f"joint {number}", "below": link_name(parent)}
            fields["dh"] = _dh_entry(int(number), rest, mechanism, robot) if kind == "p" else ""
    if kind == "R":
        fields |= {"row": "xyz"[int(rest[0]) - 1], "column": "xyz"[int(rest[1]) - 1]}
    if kind.startswith(SPRINGS):
        spring = mechanism.springs[int(number) - 1]
        slides = robot.limits.linear[spring.axis - 1]
        fields |= {"spring": f"spring {number} (axis {spring.axis})", "axis": str(spring.axis)}
        for item in spring.coefficients:
            if item.field == "k":
                fields["stiffness"] = item.unit_linear if slides else item.unit
        if slides:
            fields |= {"force": "N", "length": "m"}
    if (kind in FRICTION and robot.limits.linear[int(number) - 1]) or (
        kind == "q0" and mechanism.joints[int(number) - 1].prismatic
    ):
        fields |= {"force": "N", "length": "m"}
    unit, meaning = (text.format(**fields) for text in _MEANINGS[kind])
    return Constant(name, mechanism.free[name], unit, meaning)


def friction_text(robot: Robot, quote: str = "") -> str:
    """Return the friction law of a robot that has one, in words, formulas between quotes."""
    law = cast(Stribeck, robot.friction_model)
    if not robot.dynamic_model.has_coupled_drives:
        return f"{quote}{law.formula('v', 'g')}{quote} per axis"
    formulas = {"f": law.formula("w", "u"), "w": "w = D v", "u": "D' u = g", "torque": "D' f"}
    f, w, u, torque = (f"{quote}{text}{quote}" for text in formulas.values())
    load = f" and static torques u, {u}" if law.needs_load else ""
    return f"{f} of each drive at speeds {w}{load}; of the axes {torque}"


def link_name(joint: int) -> str:
    """Return ``joint 1`` for 0, ``the base`` for -1."""
    return "the base" if joint < 0 else f"joint {joint + 1}"


def joint_motion(joint: Joint) -> tuple[str, str]:
    """Return ``turns`` or ``slides``, and by which sum of axis positions."""
    axes = ((f"q{axis}", factor) for axis, factor in enumerate(joint.row.tolist(), 1))
    return "slides" if joint.prismatic else "turns", linear_form(axes, joint.offset)


def has_dh_frames(robot: Robot, mechanism: Mechanism) -> bool:
    """Return whether the joints' frames are those of the robot's modified DH table."""
    joints = mechanism.joints
    is_chain = [joint.parent for joint in joints] == list(range(-1, len(joints) - 1))
    if robot.description is None or not joints or not is_chain:
        return False
    table = robot.dh()
    if len(joints) > len(table.alpha):
        return False
    rows = zip(joints, table.alpha, table.a, table.d, table.theta, strict=False)
    return all(
        np.allclose(joint.rotation, (rotation_x(alpha) @ rotation_z(theta))[:3, :3])
        and np.allclose(joint.position, [a, -d * np.sin(alpha), d * np.cos(alpha)])
        for joint, alpha, a, d, theta in rows
    )


def _dh_entry(number: int, axis: str, mechanism: Mechanism, robot: Robot) -> str:
    if not has_dh_frames(robot, mechanism):
        return ""
    alpha = robot.dh().alpha[number - 1]
    factor = {"x": 1.0, "y": -np.sin(alpha), "z": np.cos(alpha)}[axis]
    scale = "" if abs(factor - 1.0) < 1e-12 else f"{factor:.6g} "
    return f", {scale}{'a' if axis == 'x' else 'd'} of DH row {number}"
