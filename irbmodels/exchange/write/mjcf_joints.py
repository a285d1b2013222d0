"""A URDF prepared for MuJoCo: joints of carriers merged, bars with mass.

A carrier is a link between two hinges about one line, there because URDF's ``<mimic>`` has one
source; here the two are one joint whose angle is a sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from ...errors import InputError
from ...model.coupling import AxisCoupling
from ...model.inertia import Inertial
from ...model.shapes import LOOKS, link_of, placement_of, shapes_of
from ...model.tree import tree_from_urdf
from ...model.types import Array
from ...model.urdf import parse_urdf
from ...model.urdf_bodies import INERTIA_ENTRIES
from ...robot.robot import Robot
from ...tables.description import Description
from . import Options

Element = ElementTree.Element

# [kg] of a bar without data; lighter ones get lost in the solver's tolerance. The links give what
# it weighs
BAR = 0.01
GYRATION = 1e-3  # [m^2] square of the radius of gyration of such a bar, as in the URDF
CARRIER = 1e-5  # [kg] a link without shapes that weighs no more stands for no body
ROUNDING = 1e-12  # of coefficients of a coupling


class Joint(NamedTuple):
    """A joint of a URDF."""

    name: str
    kind: str
    parent: str
    placement: Array
    """Pose of the child in the parent at 0, ``(4, 4)``."""
    axis: Array


@dataclass(frozen=True)
class Chain:
    """A URDF, with every pair of hinges about one line as one hinge."""

    document: Element
    """Of the robot without tool."""
    joints: dict[str, Joint]
    """By child link, in the order of the document."""
    rows: dict[str, Array]
    """By moving joint: its coordinate is ``row @ q + offset``."""
    offsets: dict[str, float]
    bodies: dict[str, Inertial]
    """By link, in its own axes."""
    main: tuple[str, ...]
    """Joints that the axes move, one per axis; the others follow."""
    root: str
    note: str
    tool: Element | None = None
    """The same URDF with the tool."""

    @property
    def followers(self) -> list[str]:
        """Moving joints that are not free."""
        return [name for name in self.rows if name not in self.main]

    def coefficients(self, row: Array) -> dict[str, float]:
        """Return the coefficients of the main joints whose sum is ``row @ q``."""
        matrix = np.array([self.rows[name] for name in self.main])
        solution = np.linalg.solve(matrix.T, row)
        return {
            name: float(c) for name, c in zip(self.main, solution, strict=True) if abs(c) > ROUNDING
        }

    def shift(self, place: Iterable[tuple[str, float]]) -> float:
        """Return the value of a sum of joint coordinates where all axes are at 0."""
        return sum(c * self.offsets[name] for name, c in place)


def chain_of(robot: Robot, options: Options) -> Chain:
    """Return the chain of a robot, without its tool.

    Raises:
        InputError: if an option does not go with the robot.
    """
    described = robot.description
    if described is None:
        if options.coupling is not None or options.carrier_kg is not None:
            raise InputError(
                f"{robot.name} comes from a URDF, whose mimics and masses stay: no coupling, no"
                " carriers to choose"
            )
        text = robot.urdf()
        note, coupling = "Inertials: those of its URDF.", tree_from_urdf(text).coupling
        return _merged(parse_urdf(text), coupling, robot, note, None)
    kind, tool = options.coupling or described.couplings[0], None
    text = described.urdf(kind, robot.parameters)
    chosen = described.inertials.sets[str(robot.parameters)]
    lumped = chosen.serial if kind == "serial" else None
    note = f"Inertials: set {lumped or robot.parameters}" + (
        f", the open chain of {robot.parameters}." if lumped else "."
    )
    coupling = tree_from_urdf(text).coupling
    if kind == "serial":
        coupling = coupling.then(described.dh("modified").A)
    if robot.tool is not None and robot.tool.path is not None:
        tool = parse_urdf(described.urdf(kind, robot.parameters, robot.tool.path))
    chain = _merged(parse_urdf(text), coupling, robot, note, tool)
    bars = set(described.bars) & set(chain.joints) - set(chosen.links)
    if not bars:
        return chain
    mass = BAR if options.carrier_kg is None else options.carrier_kg
    if not mass > 0.0:
        raise InputError(f"MuJoCo refuses bars of {mass:g} kg; coupling='serial' leaves them out")
    return _with_bar_masses(chain, described, bars, mass)


def _merged(
    document: Element, coupling: AxisCoupling, robot: Robot, note: str, tool: Element | None
) -> Chain:
    """Merge the two hinges around each carrier, which turn about one line: their angles add."""
    joints = {link_of(tag, "child"): _joint(tag) for tag in document.iterfind("joint")}
    rows = dict(zip(coupling.joints, coupling.G, strict=True))
    offsets = dict(zip(coupling.joints, coupling.q0.tolist(), strict=True))
    bodies = {str(tag.get("name")): _inertial(tag) for tag in document.iterfind("link")}
    (root,) = (link for link in bodies if link not in joints)
    shaped = {shape.link for what in LOOKS for shape in shapes_of(document, robot.folder, what)}
    for link in list(joints):
        above = joints[link]
        below = [child for child, joint in joints.items() if joint.parent == link]
        weighs = bodies[link].mass > CARRIER or np.abs(bodies[link].tensor).max() > CARRIER
        if (
            above.name not in rows
            or link in shaped
            or weighs
            or len(below) != 1
            or above.name in coupling.axes
        ):
            continue
        joint = joints[below[0]]
        turned, moved = joint.placement[:3, :3], joint.placement[:3, 3]
        same_line = (
            np.allclose(turned @ joint.axis, above.axis, atol=ROUNDING)
            and not np.cross(above.axis, moved).any()
        )
        # it follows the joint it carries
        own = joint.name in coupling.axes and rows[above.name][coupling.axes.index(joint.name)]
        if own or not same_line or {above.kind, joint.kind} - {"revolute", "continuous"}:
            continue
        joints[below[0]] = joint._replace(
            parent=above.parent, placement=above.placement @ joint.placement
        )
        rows[joint.name] = rows[joint.name] + rows.pop(above.name)
        offsets[joint.name] += offsets.pop(above.name)
        if robot.description is None:  # the carriers of tables weigh nothing
            bodies[above.parent] = _with_point(
                bodies[above.parent], bodies[link].mass, above.placement[:3, 3]
            )
        del joints[link]
    return Chain(document, joints, rows, offsets, bodies, coupling.axes, root, note, tool)


def _with_bar_masses(chain: Chain, robot: Description, bars: set[str], mass: float) -> Chain:
    """Move mass from the links around them to bars without data.

    The arm moves as if the bars weighed nothing, exactly: the centre of each is a point of a link
    that stays or turns otherwise, and a link turns as it does.
    """
    bodies, tensor = dict(chain.bodies), mass * GYRATION * np.eye(3)
    for bar, centre, holder, point, turner in _centres(chain, robot):
        if bar in bars:
            bodies[bar] = Inertial.of(mass, centre, tensor)
            bodies[holder] = _with_point(bodies[holder], -mass, point)
            bodies[turner] = bodies[turner]._replace(tensor=bodies[turner].tensor - tensor)
    note = (
        f"{chain.note} {' and '.join(sorted(bars))} weigh nothing in this set: each has {mass:g} kg"
        " here, which the links around it give, so that the arm moves as if it had not."
    )
    return replace(chain, bodies=bodies, note=note)


def _centres(chain: Chain, robot: Description) -> list[tuple[str, Array, str, Array, str]]:
    """Return bars, where their mass is put, a link that has this point, and one that turns alike.

    The crank's centre is on axis 2, where a point of link_1 is; the rod's is its upper pin, one
    of link_3. Of the linkage that keeps level the plate's is on axis 3, a point of link_2, the
    lower rod's its pin on link_1, and the upper rod's its pin on link_level.
    """
    tables = robot.kinematics
    assert tables.parallelogram is not None
    level, crank = tables.level, tables.parallelogram.crank_mm / 1000.0
    elbow, on_base = np.array([tables.joints["joint_3"].a_mm / 1000.0, 0.0, 0.0]), np.zeros(3)
    pin = np.array([0.0, -crank, 0.0] if level is None else [-crank, 0.0, 0.0])
    stands = {name: joint.placement[:3, 3] for name, joint in chain.joints.items()}
    centres = [
        ("link_crank", on_base, "link_1", stands["link_crank"], "link_3"),
        ("link_rod", elbow, "link_3", pin, "link_2"),
    ]
    if level is None:
        return centres
    ahead, up = (number / 1000.0 for number in level.upper_pin_mm)
    fore = np.array([level.a_mm / 1000.0, 0.0, 0.0])
    return [
        *centres,
        ("link_carrier", on_base, "link_2", stands["link_carrier"], "link_level"),
        ("link_lower_rod", on_base, "link_1", stands["link_lower_rod"], "link_2"),
        ("link_upper_rod", fore, "link_level", np.array([ahead, -up, 0.0]), "link_3"),
    ]


def _with_point(body: Inertial, mass: float, point: Array) -> Inertial:
    """Return a body with a point mass more, or less."""
    if mass == 0.0:
        return body
    total, apart = body.mass + mass, point - body.com
    centre = body.com + apart * (mass / total)
    spread = body.mass * mass / total * (apart @ apart * np.eye(3) - np.outer(apart, apart))
    return Inertial.of(total, centre, body.tensor + spread)


def _joint(tag: Element) -> Joint:
    axis = tag.find("axis")
    xyz = "1 0 0" if axis is None else axis.get("xyz", "1 0 0")
    direction = np.array(xyz.split(), dtype=float)
    direction = direction / (np.linalg.norm(direction) or 1.0)
    origin, parent = placement_of(tag.find("origin")), link_of(tag, "parent")
    return Joint(str(tag.get("name")), str(tag.get("type")), parent, origin, direction)


def _inertial(link: Element) -> Inertial:
    """Return a link's inertial in its own axes."""
    tag, tensor = link.find("inertial"), np.zeros((3, 3))
    if tag is None:
        return Inertial.of(0.0, np.zeros(3), tensor)
    mass, inertia = tag.find("mass"), tag.find("inertia")
    for key, (i, j) in INERTIA_ENTRIES.items() if inertia is not None else ():
        tensor[i, j] = tensor[j, i] = float(inertia.get(key, "0")) if inertia is not None else 0.0
    pose = placement_of(tag.find("origin"))
    kilograms = float("0" if mass is None else mass.get("value", "0"))
    return Inertial.of(kilograms, np.zeros(3), tensor).moved(pose[:3, :3], pose[:3, 3])
