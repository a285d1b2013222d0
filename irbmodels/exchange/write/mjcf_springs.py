"""Springs of an MJCF: stiffness of joints and tendons, bias of motors, tendons of coils and gas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike

from ...model.rotations import rotation
from ...model.springs import CoilSpring, PullingElement, Spring, TorqueOffset, TorsionSpring
from ...model.types import Array
from ...model.urdf_bodies import numbers
from ...robot.robot import Robot
from .elements import add
from .mjcf_joints import Chain
from .springs import note_on_unknown

Element = ElementTree.Element

_FITTED = 181  # positions that a cubic law is fitted to, one per degree of half a turn
_DEGREE = 3  # of the force of a tendon by its length, the highest that MuJoCo has; since 3.7


class Tendon(NamedTuple):
    """Spatial tendon between the pivots of an element."""

    element: PullingElement
    rest: float
    """Length without force [m]."""
    stiffness: tuple[float, ...]
    """Of the pull by ``x`` beyond it, ``k1 x + k2 x^2 + k3 x^3`` [N/m, N/m^2, N/m^3]."""

    @property
    def axis(self) -> int:
        """Axis that it loads, 1-based."""
        return self.element.axis

    def torque(self, q: ArrayLike) -> Array:
        """Torque that holds it at axis positions ``(...)`` [N m]."""
        x = self.element.distance(q) - self.rest
        pull = np.polynomial.polynomial.polyval(x, (0.0, *self.stiffness))
        return np.asarray(pull * _lever(self.element, q))


class Expressed(NamedTuple):
    """A spring of the robot, and what stands for it in the file."""

    spring: Spring
    in_file: Spring | Tendon | None
    """None where MJCF has no such spring."""
    error: float = 0.0
    """Largest difference of both torques on the range of the axis [N m]."""


def expressed(robot: Robot, chain: Chain) -> list[Expressed]:
    """Return the springs of a robot as MJCF has them.

    The force of a gas is a cubic of its length, the one that fits its torque best on the range of
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
        tendon = Tendon(spring, spring.length - spring.F0 / (spring.k or 1.0), (spring.k,))
        return Expressed(spring, tendon if spring.k > 0.0 else None)
    lower, upper = (float(ends[spring.axis - 1]) for ends in robot.limits.envelope())
    q = np.linspace(lower, upper, _FITTED)
    powers = np.vander(spring.distance(q) - spring.length, _DEGREE + 1, increasing=True)
    columns = powers * _lever(spring, q)[:, None]
    force = Polynomial(np.linalg.lstsq(columns, spring.torque(q))[0])
    roots = force.roots()  # a cubic has one that is real
    root = float(roots[np.argmin(np.abs(roots.imag))].real)
    slopes = [force.deriv(n)(root) / math.factorial(n) for n in range(1, _DEGREE + 1)]
    tendon = Tendon(spring, spring.length + root, tuple(map(float, slopes)))
    return Expressed(spring, tendon, float(np.abs(tendon.torque(q) - spring.torque(q)).max()))


def _lever(element: PullingElement, q: ArrayLike) -> Array:
    """Return the change of the length of an element with its axis ``(...)`` [m]."""
    pivots = (element.axis, element.before, element.after)
    return CoilSpring(*pivots, length=0.0, F0=1.0, k=0.0).torque(q)


def notes(robot: Robot, chain: Chain) -> Iterator[str]:
    """Yield comments on springs that are not in the file, or not as they are."""
    for spring, in_file, error in expressed(robot, chain):
        if in_file is None:
            yield f"LEFT OUT, MJCF has no such spring: {spring}."
        elif isinstance(in_file, Tendon) and in_file.stiffness[1:]:
            yield (
                "AS A TENDON OF CUBIC FORCE, which MuJoCo has since 3.7, whose torque differs by at"
                f" most {error:.3g} N m on the range of its axis: {spring}."
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
        for number, tendon in enumerate((one for one in own if isinstance(one, Tendon)), 1):
            _add_tendon(root, tags[where], tendon, f"{name}_spring_{number}", robot.name)
    home = root.find("keyframe/key")
    if home is not None:
        q = np.clip(np.zeros(robot.n), *robot.limits.envelope())
        held = robot.with_springs(None).gravity(q)
        for one in kept:
            held[one.axis - 1] += one.torque(q[one.axis - 1])
        home.set("ctrl", numbers(held))


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


def _add_tendon(root: Element, joint: Element, made: Tendon, name: str, robot: str) -> None:
    """Add a tendon between sites on the bodies on both sides of a hinge."""
    parents = {child: parent for parent in root.iter() for child in parent}
    body = parents[joint]
    axis = np.array([float(x) for x in str(joint.get("axis")).split()])
    first = np.eye(3)[np.argmin(np.abs(axis))]
    first = np.cross(axis, np.cross(first, axis))
    first /= np.linalg.norm(first)
    plane = np.stack([first, np.cross(axis, first)], axis=1)  # the axis turns column 0 to column 1
    position, turn = _placement(body)
    before, after = position + turn @ plane @ made.element.before, plane @ made.element.after
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
        stiffness=numbers(made.stiffness),
        springlength=_ends(made.rest),
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
