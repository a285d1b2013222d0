"""Springs of an MJCF: stiffness of joints and tendons, bias of motors, spatial tendons of coils."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from ...model import axis_springs
from ...model.rotations import rotation
from ...model.springs import CoilSpring, PullingElement, Spring, TorqueOffset, TorsionSpring
from ...model.types import Array
from ...model.urdf_bodies import numbers
from ...robot.robot import Robot
from .elements import add
from .mjcf_joints import Chain
from .springs import note_on_unknown

Element = ElementTree.Element

_FITTED = 181  # positions that a linear spring is fitted to, one per degree of half a turn


class Expressed(NamedTuple):
    """A spring of the robot, and what stands for it in the file."""

    spring: Spring
    in_file: Spring | None
    """None where MJCF has no such spring."""
    error: float = 0.0
    """Largest difference of both torques on the range of the axis [N m]."""


def expressed(robot: Robot, chain: Chain) -> list[Expressed]:
    """Return the springs of a robot as MJCF has them.

    A gas is a linear spring, of the force and stiffness that fit its torque best on the range of
    its axis. A coil without stiffness is none there, nor is a pulling element of an axis that
    several joints turn, or a joint with an offset: it is not between two bodies of the file.
    """
    return [_expressed(spring, robot, chain) for spring in robot.springs]


def _expressed(spring: Spring, robot: Robot, chain: Chain) -> Expressed:
    if not isinstance(spring, PullingElement):
        return Expressed(spring, spring)
    terms = chain.coefficients(np.eye(len(chain.main))[spring.axis - 1])
    if len(terms) != 1 or chain.shift(terms.items()):
        return Expressed(spring, None)
    if isinstance(spring, CoilSpring):
        return Expressed(spring, spring if spring.k > 0.0 else None)
    lower, upper = (float(ends[spring.axis - 1]) for ends in robot.limits.envelope())
    q = np.linspace(lower, upper, _FITTED)
    given = (spring.axis, spring.before, spring.after, spring.length)
    unit = CoilSpring(*given, F0=1.0, k=1.0)
    force, stiffness = np.linalg.lstsq(unit.unit_torques(q), spring.torque(q))[0].tolist()
    coil = CoilSpring(*given, F0=force, k=stiffness)
    return Expressed(spring, coil, float(np.abs(coil.torque(q) - spring.torque(q)).max()))


def notes(robot: Robot, chain: Chain) -> Iterator[str]:
    """Yield comments on springs that are not in the file, or not as they are."""
    for spring, in_file, error in expressed(robot, chain):
        if in_file is None:
            yield f"LEFT OUT, MJCF has no such spring: {spring}."
        elif in_file is not spring:
            yield (
                f"AS A LINEAR SPRING, whose torque differs by at most {error:.3g} N m on the range"
                f" of its axis: {spring}."
            )
    if line := note_on_unknown(robot):
        yield line


def add_springs(robot: Robot, chain: Chain, root: Element, names: tuple[str, ...]) -> None:
    """Add the springs that MJCF can express; motors, joints and tendons are there already."""
    kept = [one.in_file for one in expressed(robot, chain) if one.in_file is not None]
    if not kept:
        return
    motors = {str(tag.get("name")): tag for tag in root.iter("motor")}
    tags = {str(tag.get("name")): tag for kind in ("joint", "fixed") for tag in root.iter(kind)}
    for axis, name in enumerate(names, 1):
        own = [spring for spring in kept if spring.axis == axis]
        motor = motors[name]
        where = str(motor.get("joint") or motor.get("tendon"))
        _add_bias(motor, sum(one.offset for one in own if isinstance(one, TorqueOffset)))
        terms = chain.coefficients(np.eye(robot.n)[axis - 1])
        shift = chain.shift(terms.items())
        _add_torsion(tags[where], [one for one in own if isinstance(one, TorsionSpring)], shift)
        for number, coil in enumerate((one for one in own if isinstance(one, CoilSpring)), 1):
            _add_coil(root, tags[where], coil, f"{name}_spring_{number}", robot.name)
    home = root.find("keyframe/key")
    if home is not None:
        q = np.clip(np.zeros(robot.n), *robot.limits.envelope())
        bare = robot.with_springs(None).gravity(q)
        home.set("ctrl", numbers(bare + axis_springs.torque(kept, q)))


def _add_bias(motor: Element, offset: float) -> None:
    """Make the motor bear a torque besides: its force is the control less the offset."""
    if offset:
        motor.tag = "general"
        motor.attrib |= {"gainprm": "1", "biastype": "affine", "biasprm": numbers((-offset, 0, 0))}
        if bound := motor.get("forcerange"):
            motor.set("forcerange", numbers([float(end) - offset for end in bound.split()]))


def _add_torsion(tag: Element, springs: list[TorsionSpring], shift: float) -> None:
    """Add springs of one axis as one; their sum is one about the mean of their rests."""
    stiffness = sum(spring.k for spring in springs)
    if stiffness:
        rest = sum(spring.k * spring.rest for spring in springs) / stiffness + shift
        tag.set("stiffness", repr(stiffness))
        tag.set(*("springref", repr(rest)) if tag.tag == "joint" else ("springlength", _ends(rest)))


def _add_coil(root: Element, joint: Element, coil: CoilSpring, name: str, robot: str) -> None:
    """Add a tendon between sites on the bodies on both sides of a hinge."""
    parents = {child: parent for parent in root.iter() for child in parent}
    body = parents[joint]
    axis = np.array([float(x) for x in str(joint.get("axis")).split()])
    first = np.eye(3)[np.argmin(np.abs(axis))]
    first = np.cross(axis, np.cross(first, axis))
    first /= np.linalg.norm(first)
    plane = np.stack([first, np.cross(axis, first)], axis=1)  # the axis turns column 0 to column 1
    position, turn = _placement(body)
    before, after = position + turn @ plane @ coil.before, plane @ coil.after
    add(parents[body], "site", name=f"{name}_before", pos=numbers(before))
    add(body, "site", name=f"{name}_after", pos=numbers(after))
    tendon = root.find("tendon")
    if tendon is None:
        tendon = ElementTree.Element("tendon")
        actuators = root.find("actuator")
        root.insert(len(root) if actuators is None else list(root).index(actuators), tendon)
    spatial = add(
        tendon,
        "spatial",
        name=name,
        **{"class": robot},
        stiffness=repr(coil.k),
        springlength=_ends(coil.length - coil.F0 / coil.k),
    )
    for end in ("before", "after"):
        add(spatial, "site", site=f"{name}_{end}")


def _placement(body: Element) -> tuple[Array, Array]:
    """Position and rotation of a body in its parent."""
    position, quaternion = (
        np.array([float(x) for x in str(body.get(key, unmoved)).split()])
        for key, unmoved in (("pos", "0 0 0"), ("quat", "1 0 0 0"))
    )
    return position, rotation(quaternion)


def _ends(length: float) -> str:
    """Return a length as both ends of its dead zone; -1 twice would stand for the length at 0."""
    return numbers((length, math.nextafter(length, 0.0) if length == -1.0 else length))
