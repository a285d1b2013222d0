"""An SDF model as URDF text: what Gazebo calls a model, as far as it is a tree of links that turn or slide."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from ...errors import UrdfError
from ...model.friction import JointFriction
from ...model.inertia import Inertial
from ...model.mesh_paths import mesh_candidates
from ...model.tree import UNLIMITED
from ...model.types import Array
from ..urdf_parts import UrdfParts, inverse, pose_of

MASSLESS = "{https://irbmodels.org/sdf}massless"
"""Attribute of a link that weighs nothing, where SDF wants a number: what it says it weighs is left out."""
DRAKE_MIMIC = "{http://drake.mit.edu}mimic"
"""Drake's own tag of a joint that follows, with the attributes of URDF's; it passes over SDF's."""
WORLD = "//world"
"""What is outside of the model; a link may be called world."""
KINDS = ("revolute", "continuous", "prismatic", "fixed")


class Rotor(NamedTuple):
    """A rotor inertia on the arm side [kg m^2, kg], and the joints that turn it, with its turns per turn of theirs."""

    inertia: float
    turned_by: dict[str, float]


class Converted(NamedTuple):
    """A model of another format as URDF, with what URDF has no place for."""

    urdf: str
    gravity: Array | None
    """[m/s^2] in the axes of the root link, shape ``(3,)``; None where the file does not say."""
    rotors: list[Rotor]
    friction: list[JointFriction]
    """Of what several joints turn."""
    left_out: list[str]
    """Joints, tendons and actuators with springs or damping that is no multiple of speed."""


def sdf_to_urdf(text: str, folder: Path) -> Converted:
    """Return the one model of an SDF text as URDF.

    Args:
        text: The SDF; ``<include>`` and nested models are refused.
        folder: Where it stands; relative mesh paths start there.

    Raises:
        UrdfError: if it is no SDF, or its model is no tree of revolute, prismatic and fixed joints.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as err:
        raise UrdfError(f"not XML: {err}") from err
    if root.tag != "sdf":
        raise UrdfError(f"the root element is <{root.tag}>, not <sdf>")
    models = [*root.iterfind("model"), *root.iterfind("world/model")]
    included = next(root.iter("include"), None)
    if included is not None:
        raise UrdfError(f"includes {included.findtext('uri')!r}; give that model's own file")
    if len(models) != 1:
        raise UrdfError(f"holds {len(models)} models; only a file with one is read")
    gravity = root.find("world/gravity")
    return _Model(models[0], folder).converted(None if gravity is None else _numbers(gravity, 3))


class _Model:
    def __init__(self, model: Element, folder: Path) -> None:
        self.tag, self.folder = model, folder
        if model.find("model") is not None:
            raise UrdfError("has models within a model, which are not read")
        self.parts: dict[str, Element] = {}
        for kind in ("link", "joint", "frame"):
            for part in model.iterfind(kind):
                name = str(part.get("name"))
                if name in self.parts:
                    raise UrdfError(f"two parts of the model are called {name!r}")
                self.parts[name] = part
        self.links = [str(link.get("name")) for link in model.iterfind("link")]
        self.joints = [str(joint.get("name")) for joint in model.iterfind("joint")]
        if not self.links:
            raise UrdfError("the model has no link")

    def converted(self, gravity: Array | None) -> Converted:
        parent_of, root = self._parents()
        robot = UrdfParts(str(self.tag.get("name")))
        if root not in self.parts:
            robot.link("world")
        for name in self.links:
            robot.link(name, self._body(name))
        for child, joint in parent_of.items():
            self._joint(robot, joint, child)
        for name in self.links:
            self._shapes(robot, name)
        for name, part in self.parts.items():
            if part.tag == "frame":
                body = self._body_of(name)
                robot.frame(name, body, self._relative(body, name))
        base = self._relative(WORLD, root) if root in self.parts else np.eye(4)
        return Converted(
            robot.text(),
            None if gravity is None else base[:3, :3].T @ gravity,
            [],
            [],
            self._springs(),
        )

    def _parents(self) -> tuple[dict[str, str], str]:
        """Return the joint that carries each link but the root, and the root: a link, or ``world``."""
        parent_of: dict[str, str] = {}
        for name in self.joints:
            joint = self.parts[name]
            kind = joint.get("type")
            if kind not in KINDS:
                raise UrdfError(
                    f"joint {name!r} is {kind!r}; only {', '.join(KINDS)} joints are read"
                )
            child = self._end(joint, "child")
            if child == WORLD:
                raise UrdfError(f"joint {name!r} carries the world; turn it round")
            if child in parent_of:
                raise UrdfError(
                    f"the joints {parent_of[child]!r} and {name!r} both carry {child!r}: the model"
                    " is no tree"
                )
            parent_of[child] = name
        anchors = [
            child
            for child, joint in parent_of.items()
            if self._end(self.parts[joint], "parent") == WORLD
        ]
        roots = [name for name in self.links if name not in parent_of] + (
            [WORLD] if anchors else []
        )
        if len(roots) != 1:
            raise UrdfError(
                "the model is no tree with one root (roots:"
                f" {', '.join(roots).replace(WORLD, 'world') or 'none'})"
            )
        if len(anchors) == 1 and self.parts[parent_of[anchors[0]]].get("type") == "fixed":
            del parent_of[anchors[0]]  # the robot's base, which needs no world
            return parent_of, anchors[0]
        return parent_of, roots[0]

    def _end(self, joint: Element, end: str) -> str:
        tag = joint.find(end)
        name = (
            "" if tag is None else (tag.text or "").strip() or (tag.findtext("link") or "").strip()
        )
        return WORLD if name == "world" and name not in self.parts else self._body_of(name)

    def _body_of(self, name: str, passed: tuple[str, ...] = ()) -> str:
        """Return the link that a link, joint or frame belongs to."""
        if name in passed:
            raise UrdfError(f"frames go in a circle: {' -> '.join([*passed, name])}")
        if name in ("", "__model__"):
            return self.tag.get("canonical_link") or self.links[0]
        part = self._part(name)
        if part.tag == "link":
            return name
        above = (
            (part.findtext("child") or "").strip()
            if part.tag == "joint"
            else part.get("attached_to", "__model__")
        )
        return self._body_of(above, (*passed, name))

    def _part(self, name: str) -> Element:
        if name not in self.parts:
            raise UrdfError(f"nothing in the model is called {name!r}")
        return self.parts[name]

    def _step(self, name: str) -> tuple[str, Array]:
        """Return the frame that a pose is given in, and the pose.

        The model's own is given in the world.
        """
        if name == "__model__":
            return WORLD, _pose(self.tag)
        part = self._part(name)
        above = {"link": "__model__", "joint": (part.findtext("child") or "").strip()}.get(
            part.tag, part.get("attached_to", "")
        )
        tag = part.find("pose")
        given = None if tag is None else tag.get("relative_to")
        return given or above or "__model__", _pose(part)

    def _chain(self, name: str) -> list[tuple[str, Array]]:
        """Return the frames from ``name`` to the world, each with the pose of ``name`` in it."""
        chain = [(name, np.eye(4))]
        while chain[-1][0] != WORLD:
            above, pose = self._step(chain[-1][0])
            if above in [name for name, _ in chain]:
                raise UrdfError(
                    f"poses go in a circle: {' -> '.join([*(name for name, _ in chain), above])}"
                )
            chain.append((above, pose @ chain[-1][1]))
        return chain

    def _relative(self, base: str, name: str) -> Array:
        """Return the pose of a frame in another.

        Through the nearest frame that both are given in, so that little rounds.
        """
        ours, theirs = self._chain(name), dict(self._chain(base))
        common, pose = next((above, pose) for above, pose in ours if above in theirs)
        return pose if common == base else inverse(theirs[common]) @ pose

    def _joint(self, robot: UrdfParts, name: str, child: str) -> None:
        joint = self.parts[name]
        kind, parent = str(joint.get("type")), self._end(joint, "parent")
        origin, link = self._relative(parent, name), self._relative(name, child)
        parent = "world" if parent == WORLD else parent
        if kind == "fixed":
            robot.joint(name, kind, parent, child, origin @ link)
            return
        tag = joint.find("axis")
        if tag is None:
            raise UrdfError(f"joint {name!r} has no <axis>")
        low, high, velocity, effort = self._limits(tag)
        if low <= -UNLIMITED and high >= UNLIMITED and kind == "revolute":
            kind = "continuous"
        moved = child
        # in URDF the link's frame is the joint's
        if not np.allclose(link, np.eye(4), rtol=0.0, atol=1e-15):
            moved = f"{name}_moved"
            robot.link(moved)
            robot.joint(f"{moved}-{child}", "fixed", moved, child, link)
        limits = (low, high, velocity, effort)
        robot.joint(
            name,
            kind,
            parent,
            moved,
            origin,
            self._axis(tag, name),
            limits,
            self._mimic(joint),
            self._dynamics(tag),
        )

    def _axis(self, tag: Element, name: str) -> Array:
        xyz = tag.find("xyz")
        axis = np.array([0.0, 0.0, 1.0]) if xyz is None else _numbers(xyz, 3)
        given = None if xyz is None else xyz.get("expressed_in")
        if (tag.findtext("use_parent_model_frame") or "").strip() in ("1", "true"):
            given = "__model__"
        return self._relative(name, given)[:3, :3] @ axis if given else axis

    def _limits(self, tag: Element) -> tuple[float, float, float, float]:
        def number(key: str, unknown: float) -> float:
            child = tag.find(f"limit/{key}")
            text = "" if child is None else (child.text or "").strip()
            try:
                value = float(text) if text else unknown
            except ValueError:
                raise UrdfError(f"limit <{key}> {text!r} is no number") from None
            return (
                value
                if abs(value) < UNLIMITED
                else math.copysign(UNLIMITED, unknown)
                if unknown
                else 0.0
            )

        # SDF writes -1 for unknown
        velocity, effort = (max(number(key, 0.0), 0.0) for key in ("velocity", "effort"))
        return number("lower", -UNLIMITED), number("upper", UNLIMITED), velocity, effort

    def _mimic(self, joint: Element) -> tuple[str, float, float] | None:
        mimic, drake = joint.find("axis/mimic"), joint.find(DRAKE_MIMIC)
        if mimic is None:
            return None if drake is None else _drake_mimic(drake)
        values = (mimic.find(key) for key in ("multiplier", "offset", "reference"))
        multiplier, offset, reference = map(_number, values)
        return str(mimic.get("joint")), multiplier, offset - multiplier * reference

    def _dynamics(self, tag: Element) -> tuple[float, float]:
        damping, friction = (
            _number(tag.find(f"dynamics/{key}")) for key in ("damping", "friction")
        )
        return damping, friction

    def _springs(self) -> list[str]:
        return [
            name
            for name in self.joints
            if _number(self.parts[name].find("axis/dynamics/spring_stiffness"))
        ]

    def _body(self, name: str) -> Inertial | None:
        link = self.parts[name]
        if link.get(MASSLESS) == "true":
            return None
        tag = link.find("inertial")
        if tag is None:
            return Inertial.of(1.0, np.zeros(3), np.eye(3))  # what SDF says then
        if tag.get("auto") == "true":
            raise UrdfError(
                f"link {name!r} leaves its mass to be computed from shapes, which is not done here"
            )
        mass = tag.find("mass")
        at = {
            "ixx": (0, 0),
            "iyy": (1, 1),
            "izz": (2, 2),
            "ixy": (0, 1),
            "ixz": (0, 2),
            "iyz": (1, 2),
        }
        tensor = np.zeros((3, 3))
        for key, (row, column) in at.items():
            child = tag.find(f"inertia/{key}")
            value = _number(child, float(row == column))
            tensor[row, column] = tensor[column, row] = value
        pose = _pose(tag)
        body = Inertial.of(_number(mass, 1.0), np.zeros(3), tensor)
        return body.moved(pose[:3, :3], pose[:3, 3])

    def _shapes(self, robot: UrdfParts, name: str) -> None:
        for what in ("visual", "collision"):
            for shape in self.parts[name].iterfind(what):
                tag = shape.find("pose")
                given = None if tag is None else tag.get("relative_to")
                origin = (self._relative(name, given) if given else np.eye(4)) @ _pose(shape)
                diffuse = shape.find("material/diffuse")
                for kind, sizes in self._sizes(shape):
                    robot.shape(
                        name,
                        what,
                        kind,
                        sizes,
                        origin,
                        None if diffuse is None else _colour(diffuse),
                    )

    def _sizes(self, shape: Element) -> Iterator[tuple[str, dict[str, str]]]:
        keys = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}
        for kind, wanted in keys.items():
            if shape.find(f"geometry/{kind}") is not None:
                yield (
                    kind,
                    {
                        key: (shape.findtext(f"geometry/{kind}/{key}") or "").strip()
                        for key in wanted
                    },
                )
        mesh = shape.find("geometry/mesh")
        if mesh is not None:
            uri = (mesh.findtext("uri") or "").strip()
            found = next(
                (path for path in mesh_candidates(uri, self.folder) if Path(path).is_file()), None
            )
            named = {"filename": uri if found is None else Path(os.path.abspath(found)).as_posix()}
            scale = mesh.findtext("scale")
            yield "mesh", named if scale is None else {**named, "scale": scale.strip()}


def _drake_mimic(tag: Element) -> tuple[str, float, float]:
    try:
        return (
            str(tag.get("joint")),
            float(tag.get("multiplier", "1")),
            float(tag.get("offset", "0")),
        )
    except ValueError:
        raise UrdfError(
            f"<drake:mimic> {tag.get('multiplier')!r}, {tag.get('offset')!r} should be two numbers"
        ) from None


def _numbers(tag: Element, count: int) -> Array:
    text = (tag.text or "").strip()
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.zeros(0)
    if values.size != count or not np.isfinite(values).all():
        raise UrdfError(f"<{tag.tag}> {text!r} should be {count} number{'s' if count > 1 else ''}")
    return values


def _number(tag: Element | None, default: float = 0.0) -> float:
    return default if tag is None else float(_numbers(tag, 1)[0])


def _colour(tag: Element) -> Array:
    return _numbers(tag, 3 if len((tag.text or "").split()) == 3 else 4) if tag.text else np.ones(4)


def _pose(part: Element) -> Array:
    tag = part.find("pose")
    if tag is None or not (tag.text or "").strip():
        return np.eye(4)
    if tag.get("rotation_format") == "quat_xyzw":
        values = _numbers(tag, 7)
        x, y, z, w = values[3:] / np.linalg.norm(values[3:])
        pose = np.eye(4)
        pose[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        pose[:3, 3] = values[:3]
        return pose
    values = _numbers(tag, 6)
    return pose_of(
        values[:3], np.radians(values[3:]) if tag.get("degrees") == "true" else values[3:]
    )
