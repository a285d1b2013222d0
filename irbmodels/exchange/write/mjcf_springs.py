"""Springs of an MJCF: stiffness of joints and tendons, bias of motors, spatial tendons of coils."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np

from ...model.rotations import rotation
from ...model.springs import CoilSpring, PullingElement, Spring, TorqueOffset, TorsionSpring
from ...model.types import Array
from ...model.urdf_bodies import numbers
from ...robot.robot import Robot
from .elements import add
from .mjcf_joints import Chain

Element = ElementTree.Element


def left_out(robot: Robot, chain: Chain) -> list[Spring]:
    """Return the springs that MJCF cannot express.

    Gas is no linear spring, nor is a coil without stiffness; one of an axis that several joints
    turn, or a joint with an offset, is none between two bodies of the file.
    """
    return [spring for spring in robot.springs if not _is_kept(spring, chain)]


def _is_kept(spring: Spring, chain: Chain) -> bool:
    if isinstance(spring, PullingElement):
        terms = chain.coefficients(np.eye(len(chain.main))[spring.axis - 1])
        hinge = len(terms) == 1 and not chain.shift(terms.items())
        return isinstance(spring, CoilSpring) and spring.k > 0.0 and hinge
    return True


def add_springs(robot: Robot, chain: Chain, root: Element, names: tuple[str, ...]) -> None:
    """Add the springs that MJCF can express; motors, joints and tendons are there already."""
    kept = [spring for spring in robot.springs if _is_kept(spring, chain)]
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
        home.set("ctrl", numbers(robot.with_springs(kept).gravity(q)))


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
