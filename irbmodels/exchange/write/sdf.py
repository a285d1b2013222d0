"""A robot as a model folder for Gazebo and Drake: SDF 1.11, the parallelogram by ``<mimic>``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from xml.etree.ElementTree import Comment, Element, SubElement
from xml.sax.saxutils import escape

import numpy as np
import pinocchio as pin

from ...errors import InputError, UnknownName
from ...model.coupling import AxisCoupling
from ...model.inertia import Inertial, is_possible, moments_of
from ...model.joint_drives import friction_of_urdf
from ...model.shapes import link_of
from ...model.tree import UNLIMITED, Tree, tree_from_urdf
from ...model.types import Array
from ...model.urdf import parse_urdf
from ...model.urdf_bodies import INERTIA_ENTRIES, numbers
from ...robot.robot import Robot
from ..read.sdf import MASSLESS, PRIMITIVES
from ..text import free_name
from . import CARRIER_KG, MESHES, Options
from .elements import add_text, serialised
from .meshes import gathered_meshes, refuse_to_replace, write_files
from .springs import note_on_springs, notes_on_losses, spring_files
from .urdf import urdf_of

VERSION = "1.11"  # first with <mimic>
CARRIER_KG_M2 = 1e-3 * CARRIER_KG
NAMESPACES = {"xmlns:drake": "http://drake.mit.edu", "xmlns:irb": MASSLESS[1:].partition("}")[0]}


def write(robot: Robot, folder: Path, options: Options) -> list[Path]:
    """Write ``model.sdf``, ``model.config``, ``meshes/``, and ``world.sdf`` with its gravity.

    The model stands in ``world.sdf`` where the robot is mounted.
    Links that move are links; those that a URDF fixes to them (``tool0``, ``flange``, ``tcp``) are
    frames, and their bodies and shapes, the tool's and the payload included, belong to the link
    that carries them.

    Raises:
        InputError: if an option does not go with the robot, or a body is impossible: readers of SDF
            refuse such.
        MissingData: if masses are unknown: a link without a mass has 1 kg in SDF.
        FileError: if a mesh is not there, or a file cannot be written.
    """
    robot.dynamic_model.need_masses()
    if options.meshes not in MESHES:
        raise UnknownName("style of mesh paths", options.meshes, MESHES)
    kg = CARRIER_KG if options.carrier_kg is None else options.carrier_kg
    if not (math.isfinite(kg) and kg > 0.0):
        raise InputError(
            f"readers of SDF refuse bodies without mass: carrier_kg={kg!r} should be above 0"
        )
    name = folder.resolve().name
    tables = robot.description is not None
    bare = urdf_of(robot, options._replace(carrier_kg=0.0 if tables else None))
    prefix = {
        "relative": "",
        "package": f"model://{name}/",
        "absolute": f"{folder.resolve().as_posix()}/",
    }[options.meshes]
    text, meshes = gathered_meshes(bare, robot.folder, prefix)
    model = _Model(text, robot.name, kg).element()
    losses = notes_on_losses(robot, "sdf")
    for note in (note_on_springs(robot), *losses, _note_on_sums(robot)):
        if note:
            model.append(Comment(f" {note} "))
    files = {
        "model.sdf": _document(model),
        "model.config": _config(robot, text),
        "world.sdf": _document(_world(model, robot)),
    } | spring_files(robot, "model")
    named = {"model.config": f"<name>{escape(robot.name)}</name>"}
    refuse_to_replace(folder, {**meshes, **files}, named)
    copied = write_files(folder, meshes)  # before the model, which names them
    return [*write_files(folder, files), *copied]


def _note_on_sums(robot: Robot) -> str:
    """Return the bounds of sums of axes, which SDF cannot state; empty where there are none."""
    limits = robot.limits
    rows = zip(limits.names(), np.degrees(limits.lower), np.degrees(limits.upper), strict=True)
    bounds = [f"{name} within {low:.6g} .. {high:.6g} deg" for name, low, high in rows]
    bounds = bounds[robot.n :]
    return f"Beside the ranges of joints, which SDF cannot state: {', '.join(bounds)}" * bool(
        bounds
    )


class _Model:
    """The SDF of a URDF text."""

    def __init__(self, text: str, name: str, carrier_kg: float) -> None:
        self.urdf, self.tree = parse_urdf(text), tree_from_urdf(text)
        self.name, self.carrier_kg = name, carrier_kg
        self.friction = friction_of_urdf(self.urdf)
        self.joints = {str(link_of(joint, "child")): joint for joint in self.urdf.iterfind("joint")}
        links = [str(link.get("name")) for link in self.urdf.iterfind("link")]
        self.root = next(link for link in links if link not in self.joints)
        self.bodies = [
            link for link in links if link == self.root or self.joints[link].get("type") != "fixed"
        ]
        self.fixed = [link for link in links if link not in self.bodies]
        self.colours = {
            str(tag.get("name")): tag.find("color") for tag in self.urdf.iterfind("material")
        }
        self.taken = {link: link for link in links}
        if "world" in self.taken:  # SDF keeps this name for itself
            self.taken["world"] = free_name("world_link", links, "_joint")

    def element(self) -> Element:
        model = Element("model", {"name": self.name, "canonical_link": self.taken[self.root]})
        add_text(model, "self_collide", "false")
        anchor = SubElement(
            model,
            "joint",
            {"name": free_name("world_joint", self.taken.values(), "_joint"), "type": "fixed"},
        )
        add_text(anchor, "parent", "world")
        add_text(anchor, "child", self.taken[self.root])
        named = {
            str(joint.get("name")): free_name(str(joint.get("name")), self.taken.values(), "_joint")
            for joint in self.joints.values()
        }
        for link in self.bodies:
            if link != self.root:
                self._joint(model, link, named)
            self._link(model, link, named)
        for link in self.fixed:
            frame = SubElement(
                model, "frame", {"name": self.taken[link], "attached_to": self._parent(link)}
            )
            add_text(frame, "pose", _pose(self.joints[link].find("origin")))
        self._filter(model)
        return model

    def _parent(self, link: str) -> str:
        return self.taken[link_of(self.joints[link], "parent")]

    def _joint(self, model: Element, link: str, named: dict[str, str]) -> None:
        joint = self.joints[link]
        kind = str(joint.get("type"))
        tag = SubElement(model, "joint", {"name": named[str(joint.get("name"))], "type": kind})
        parent = self._parent(link)
        add_text(tag, "pose", _pose(joint.find("origin")), relative_to=parent)
        add_text(tag, "parent", parent)
        add_text(tag, "child", self.taken[link])
        axis, given = SubElement(tag, "axis"), joint.find("axis")
        add_text(axis, "xyz", numbers(_floats(given, "xyz", "1 0 0")))
        limit, bounds = SubElement(axis, "limit"), joint.find("limit")
        for key in ("lower", "upper", "effort", "velocity"):
            value = float(_floats(bounds, key, "0")[0])
            known = (
                kind != "continuous" and abs(value) < UNLIMITED
                if key in ("lower", "upper")
                else value != 0.0
            )
            if known:
                add_text(limit, key, numbers(value))
        for part in self.friction:
            if str(joint.get("name")) in part.turned_by:
                dynamics = SubElement(axis, "dynamics")
                add_text(dynamics, "damping", numbers(part.damping))
                add_text(dynamics, "friction", numbers(part.coulomb))
        mimic = _source(self.tree.coupling, str(joint.get("name")))
        if mimic is not None:
            source, multiplier, offset = mimic
            follows = SubElement(axis, "mimic", {"joint": named[source]})
            for key, value in (("multiplier", multiplier), ("offset", offset), ("reference", 0.0)):
                add_text(follows, key, numbers(value))
            factors = {"multiplier": numbers(multiplier), "offset": numbers(offset)}
            # Drake ignores the one above
            SubElement(tag, "drake:mimic", {"joint": named[source], **factors})

    def _link(self, model: Element, link: str, named: dict[str, str]) -> None:
        body = _body(self.tree, None if link == self.root else str(self.joints[link].get("name")))
        massless = {} if body.mass else {"irb:massless": "true"}
        tag = SubElement(model, "link", {"name": self.taken[link], **massless})
        if link != self.root:
            add_text(
                tag, "pose", "0 0 0 0 0 0", relative_to=named[str(self.joints[link].get("name"))]
            )
        if body.mass and not is_possible(moments_of(body.tensor)):
            problem = (body.impossibilities() or ["it has no extent"])[0]
            raise InputError(
                f"{self.name} cannot become SDF, whose readers refuse impossible bodies: {link}:"
                f" {problem}"
            )
        if not body.mass:
            body = Inertial.of(
                self.carrier_kg,
                np.zeros(3),
                CARRIER_KG_M2 * self.carrier_kg / CARRIER_KG * np.eye(3),
            )
        inertial = SubElement(tag, "inertial")
        add_text(inertial, "pose", f"{numbers(body.com)} 0 0 0")
        add_text(inertial, "mass", numbers(body.mass))
        tensor = SubElement(inertial, "inertia")
        for key, at in INERTIA_ENTRIES.items():
            add_text(tensor, key, numbers(body.tensor[at]))
        for carried in (link, *self._carried(link)):
            for what in ("visual", "collision"):
                self._shapes(tag, link, carried, what)

    def _carried(self, link: str) -> Iterator[str]:
        """Yield the links that are fixed to a link."""
        for other in self.fixed:
            if link_of(self.joints[other], "parent") == link:
                yield other
                yield from self._carried(other)

    def _shapes(self, tag: Element, link: str, carried: str, what: str) -> None:
        owner = next(item for item in self.urdf.iterfind("link") if item.get("name") == carried)
        for number, shape in enumerate(owner.iterfind(what)):
            given = shape.find("geometry/*")
            if given is None:
                continue
            own = SubElement(tag, what, {"name": f"{self.taken[carried]}_{what}_{number}"})
            add_text(
                own,
                "pose",
                _pose(shape.find("origin")),
                **({} if carried == link else {"relative_to": self.taken[carried]}),
            )
            geometry = SubElement(SubElement(own, "geometry"), given.tag)
            if given.tag == "mesh":
                add_text(geometry, "uri", str(given.get("filename")))
                if given.get("scale"):
                    add_text(geometry, "scale", numbers(_floats(given, "scale", "", 3)))
            for key in PRIMITIVES.get(given.tag, ()):
                add_text(geometry, key, numbers(_floats(given, key, "", 3 if key == "size" else 1)))
            colour = self._colour(shape.find("material"))
            if what == "visual" and colour is not None:
                material = SubElement(own, "material")
                for key, factor in (("ambient", 1.0), ("diffuse", 1.0), ("specular", 0.1)):
                    add_text(material, key, numbers([*(factor * colour[:3]), colour[3]]))

    def _colour(self, material: Element | None) -> Array | None:
        if material is None:
            return None
        own = material.find("color")
        own = self.colours.get(str(material.get("name"))) if own is None else own
        return None if own is None else _floats(own, "rgba", "", 4)

    def _filter(self, model: Element) -> None:
        """Exclude self-collisions for Drake, which reads no ``<self_collide>``."""
        group = SubElement(model, "drake:collision_filter_group", {"name": "robot"})
        for link in self.bodies:
            add_text(group, "drake:member", self.taken[link])
        add_text(group, "drake:ignored_collision_filter_group", "robot")


def _source(coupling: AxisCoupling, joint: str) -> tuple[str, float, float] | None:
    """Return the axis that a mimic joint depends on, factor and offset; None for an axis."""
    if joint in coupling.axes:
        return None
    row = coupling.joints.index(joint)
    axis = int(np.argmax(np.abs(coupling.G[row])))
    return coupling.axes[axis], float(coupling.G[row, axis]), float(coupling.q0[row])


def _body(tree: Tree, joint: str | None) -> Inertial:
    """Return the rigid body below a joint, None for the base, in the joint's frame."""
    inertia: pin.Inertia = tree.model.inertias[0 if joint is None else tree.model.getJointId(joint)]
    return Inertial.of(inertia.mass, inertia.lever, inertia.inertia)


def _world(model: Element, robot: Robot) -> Element:
    placed, base = deepcopy(model), robot.world_from_base
    if not base.isIdentity(0.0):
        pose = Element("pose")
        pose.text = numbers([*base.translation, *pin.rpy.matrixToRpy(base.rotation)])
        placed.insert(0, pose)
    world = Element("world", {"name": "default"})
    add_text(world, "gravity", numbers(robot.gravity_in_world))
    sun = SubElement(world, "light", {"name": "sun", "type": "directional"})
    add_text(sun, "cast_shadows", "true")
    add_text(sun, "pose", "0 0 10 0 0 0")
    add_text(sun, "diffuse", "0.9 0.9 0.9 1")
    add_text(sun, "direction", "-0.5 0.3 -0.9")
    world.append(placed)
    return world


def _document(content: Element) -> str:
    root = Element("sdf", {"version": VERSION, **NAMESPACES})
    root.append(content)
    return f'<?xml version="1.0"?>\n{serialised(root)}'


def _config(robot: Robot, text: str) -> str:
    root = Element("model")
    add_text(root, "name", robot.name)
    add_text(root, "version", "1.0")
    add_text(root, "sdf", "model.sdf", version=VERSION)
    author = SubElement(root, "author")
    add_text(author, "name", "irbmodels")
    comment = re.search(r"<!--\s*(Inertials: .*?)\s*-->", text, re.DOTALL)
    description = comment[1] if comment else f"{robot.name}, from a file of another format"
    add_text(root, "description", description)
    return f'<?xml version="1.0"?>\n{serialised(root)}'


def _pose(origin: Element | None) -> str:
    return (
        f"{numbers(_floats(origin, 'xyz', '0 0 0', 3))}"
        f" {numbers(_floats(origin, 'rpy', '0 0 0', 3))}"
    )


def _floats(tag: Element | None, key: str, default: str, count: int = 0) -> Array:
    text = default if tag is None else tag.get(key, default)
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.zeros(0)
    if not values.size or (count and values.size != count) or not np.isfinite(values).all():
        raise InputError(f"{key}={text!r} of the URDF should be {count or 'finite'} numbers")
    return values
