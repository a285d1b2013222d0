"""An SDF model (Gazebo, Drake) as URDF: trees of revolute, prismatic and fixed joints."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin

from ...errors import UrdfError
from ...model.inertia import Inertial
from ...model.joint_drives import JointFriction, JointRotor
from ...model.mesh_paths import mesh_candidates
from ...model.model import JointBound
from ...model.tree import UNLIMITED
from ...model.types import Array
from ...model.urdf_bodies import INERTIA_ENTRIES
from ..urdf_parts import UrdfBuilder

MASSLESS = "{https://irbmodels.org/sdf}massless"
"""Attribute of a link without mass, whose ``<mass>``, which SDF demands, is not read."""
DRAKE_MIMIC = "{http://drake.mit.edu}mimic"
"""Drake's own tag of a mimic joint, with the attributes of URDF's; Drake ignores SDF's."""
WORLD = "//world"
"""Name of the world; a link of the model may be called ``world``."""
KINDS = ("revolute", "continuous", "prismatic", "fixed")
PRIMITIVES = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}
"""Sizes of SDF's primitive shapes."""


class Converted(NamedTuple):
    """A model of another format as URDF, with data that URDF cannot express."""

    urdf: str
    gravity: Array | None
    """[m/s^2] in axes of the world, shape ``(3,)``; None where the file does not say."""
    rotors: list[JointRotor]
    friction: list[JointFriction]
    """Friction that several joints share."""
    left_out: list[str]
    """Joints, tendons and actuators with springs or damping that is no multiple of speed."""
    world_from_base: pin.SE3
    """Pose of the root link in the world [m]."""
    sums: list[JointBound]
    """Ranges of sums of axes."""


def sdf_to_urdf(text: str, folder: Path) -> Converted:
    """Return the one model of an SDF text as URDF.

    Args:
        text: The SDF; ``<include>`` and nested models are refused.
        folder: Folder of the file; relative mesh paths start there.

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
        joint_of, root = self._parents()
        robot = UrdfBuilder(str(self.tag.get("name")))
        if root not in self.parts:
            robot.link("world")
        for name in self.links:
            robot.link(name, self._body(name))
        for child, joint in joint_of.items():
            self._joint(robot, joint, child)
        for name in self.links:
            self._shapes(robot, name)
        for name, part in self.parts.items():
            if part.tag == "frame":
                body = self._body_of(name)
                robot.frame(name, body, self._relative(body, name))
        base = self._relative(WORLD, root) if root in self.parts else pin.SE3.Identity()
        return Converted(robot.text(), gravity, [], [], self._springs(), base, [])

    def _parents(self) -> tuple[dict[str, str], str]:
        """Return the joint above each link but the root, and the root: a link, or the world."""
        joint_of: dict[str, str] = {}
        for name in self.joints:
            kind, child = self.parts[name].get("type"), self._end(name, "child")
            if kind not in KINDS:
                raise UrdfError(
                    f"joint {name!r} is {kind!r}; only {', '.join(KINDS)} joints are read"
                )
            if child == WORLD:
                raise UrdfError(f"joint {name!r} carries the world; turn it round")
            if child in joint_of:
                raise UrdfError(
                    f"the joints {joint_of[child]!r} and {name!r} both carry {child!r}: the model"
                    " is no tree"
                )
            joint_of[child] = name
        anchors = [child for child, name in joint_of.items() if self._end(name, "parent") == WORLD]
        roots = [name for name in self.links if name not in joint_of]
        roots += [WORLD] if anchors else []
        if len(roots) != 1:
            raise UrdfError(
                "the model is no tree with one root (roots:"
                f" {', '.join(roots).replace(WORLD, 'world') or 'none'})"
            )
        if len(anchors) == 1 and self.parts[joint_of[anchors[0]]].get("type") == "fixed":
            del joint_of[anchors[0]]  # the robot's base, which needs no world
            return joint_of, anchors[0]
        return joint_of, roots[0]

    def _end(self, joint: str, end: str) -> str:
        """Return the ``parent`` or ``child`` link of a joint."""
        part = self.parts[joint]
        name = _text(part, end) or _text(part, f"{end}/link")
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
        above = part.get("attached_to", "__model__")
        above = _text(part, "child") if part.tag == "joint" else above
        return self._body_of(above, (*passed, name))

    def _part(self, name: str) -> Element:
        if name not in self.parts:
            raise UrdfError(f"nothing in the model is called {name!r}")
        return self.parts[name]

    def _reference(self, name: str) -> tuple[str, pin.SE3]:
        """Return the frame that a pose is given in, and the pose; the model's is in the world."""
        if name == "__model__":
            return WORLD, _pose(self.tag)
        part = self._part(name)
        default = {"link": "", "joint": _text(part, "child"), "frame": part.get("attached_to")}
        return _relative_to(part) or default[part.tag] or "__model__", _pose(part)

    def _chain(self, name: str) -> dict[str, pin.SE3]:
        """Return the pose of a frame in itself and in every frame from there to the world."""
        chain = {name: pin.SE3.Identity()}
        above = name
        while above != WORLD:
            below = chain[above]
            above, pose = self._reference(above)
            if above in chain:
                raise UrdfError(f"poses go in a circle: {' -> '.join([*chain, above])}")
            chain[above] = pose * below
        return chain

    def _relative(self, base: str, name: str) -> pin.SE3:
        """Return the pose of a frame in another.

        Through the nearest frame that both are given in, so that little rounds.
        """
        ours, theirs = self._chain(name), self._chain(base)
        common = next(above for above in ours if above in theirs)
        return ours[common] if common == base else theirs[common].actInv(ours[common])

    def _joint(self, robot: UrdfBuilder, name: str, child: str) -> None:
        joint = self.parts[name]
        kind, parent = str(joint.get("type")), self._end(name, "parent")
        origin, link = self._relative(parent, name), self._relative(name, child)
        parent = "world" if parent == WORLD else parent
        if kind == "fixed":
            robot.joint(name, kind, parent, child, origin * link)
            return
        tag = joint.find("axis")
        if tag is None:
            raise UrdfError(f"joint {name!r} has no <axis>")
        limits = self._limits(tag)
        if kind == "revolute" and limits[0] <= -UNLIMITED and limits[1] >= UNLIMITED:
            kind = "continuous"
        moved = child
        if not link.isIdentity(1e-15):  # in URDF the link's frame is the joint's
            moved = f"{name}_moved"
            robot.link(moved)
            robot.joint(f"{moved}-{child}", "fixed", moved, child, link)
        axis, mimic = self._axis(tag, name), self._mimic(joint)
        damping, friction = (_number(tag.find(f"dynamics/{x}")) for x in ("damping", "friction"))
        robot.joint(name, kind, parent, moved, origin, axis, limits, mimic, (damping, friction))

    def _axis(self, tag: Element, name: str) -> Array:
        xyz = tag.find("xyz")
        axis = np.array([0.0, 0.0, 1.0]) if xyz is None else _numbers(xyz, 3)
        frame = None if xyz is None else xyz.get("expressed_in")
        if _text(tag, "use_parent_model_frame") in ("1", "true"):
            frame = "__model__"
        return self._relative(name, frame).rotation @ axis if frame else axis

    def _limits(self, tag: Element) -> tuple[float, float, float, float]:
        """Return lower, upper, velocity and effort."""

        def limit(key: str, default: float) -> float:
            text = _text(tag, f"limit/{key}")
            try:
                value = float(text) if text else default
            except ValueError:
                raise UrdfError(f"limit <{key}> {text!r} is no number") from None
            unknown = math.copysign(UNLIMITED, default) if default else 0.0
            return value if abs(value) < UNLIMITED else unknown

        # SDF writes -1 for unknown
        velocity, effort = (max(limit(key, 0.0), 0.0) for key in ("velocity", "effort"))
        return limit("lower", -UNLIMITED), limit("upper", UNLIMITED), velocity, effort

    def _mimic(self, joint: Element) -> tuple[str, float, float] | None:
        mimic, drake = joint.find("axis/mimic"), joint.find(DRAKE_MIMIC)
        if mimic is None:
            return None if drake is None else _drake_mimic(drake)
        values = (mimic.find(key) for key in ("multiplier", "offset", "reference"))
        multiplier, offset, reference = map(_number, values)
        return str(mimic.get("joint")), multiplier, offset - multiplier * reference

    def _springs(self) -> list[str]:
        key = "axis/dynamics/spring_stiffness"
        return [name for name in self.joints if _number(self.parts[name].find(key))]

    def _body(self, name: str) -> Inertial | None:
        link = self.parts[name]
        if link.get(MASSLESS) == "true":
            return None
        tag = link.find("inertial")
        if tag is None:
            return Inertial.of(1.0, np.zeros(3), np.eye(3))  # SDF's default
        if tag.get("auto") == "true":
            raise UrdfError(
                f"link {name!r} leaves its mass to be computed from shapes, which is not done here"
            )
        tensor = np.zeros((3, 3))
        for key, (row, column) in INERTIA_ENTRIES.items():
            value = _number(tag.find(f"inertia/{key}"), float(row == column))
            tensor[row, column] = tensor[column, row] = value
        pose = _pose(tag)
        body = Inertial.of(_number(tag.find("mass"), 1.0), np.zeros(3), tensor)
        return body.moved(pose.rotation, pose.translation)

    def _shapes(self, robot: UrdfBuilder, name: str) -> None:
        for what in ("visual", "collision"):
            for shape in self.parts[name].iterfind(what):
                frame, diffuse = _relative_to(shape), shape.find("material/diffuse")
                origin = self._relative(name, frame or name) * _pose(shape)
                colour = None if diffuse is None else _colour(diffuse)
                for kind, sizes in self._sizes(shape):
                    robot.shape(name, what, kind, sizes, origin, colour)

    def _sizes(self, shape: Element) -> Iterator[tuple[str, dict[str, str]]]:
        for kind, keys in PRIMITIVES.items():
            tag = shape.find(f"geometry/{kind}")
            if tag is not None:
                yield kind, {key: _text(tag, key) for key in keys}
        mesh = shape.find("geometry/mesh")
        if mesh is not None:
            uri, scale = _text(mesh, "uri"), _text(mesh, "scale")
            path = next(filter(os.path.isfile, mesh_candidates(uri, self.folder)), None)
            filename = uri if path is None else Path(os.path.abspath(path)).as_posix()
            yield "mesh", {"filename": filename} | ({"scale": scale} if scale else {})


def _drake_mimic(tag: Element) -> tuple[str, float, float]:
    try:
        multiplier, offset = float(tag.get("multiplier", "1")), float(tag.get("offset", "0"))
    except ValueError:
        raise UrdfError(
            f"<drake:mimic> {tag.get('multiplier')!r}, {tag.get('offset')!r} should be two numbers"
        ) from None
    return str(tag.get("joint")), multiplier, offset


def _text(tag: Element, path: str) -> str:
    return (tag.findtext(path) or "").strip()


def _relative_to(part: Element) -> str | None:
    tag = part.find("pose")
    return None if tag is None else tag.get("relative_to")


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


def _pose(part: Element) -> pin.SE3:
    tag = part.find("pose")
    if tag is None or not (tag.text or "").strip():
        return pin.SE3.Identity()
    if tag.get("rotation_format") == "quat_xyzw":
        values = _numbers(tag, 7)
        return pin.SE3(pin.Quaternion(values[3:]).normalized().matrix(), values[:3])
    values = _numbers(tag, 6)
    rpy = np.radians(values[3:]) if tag.get("degrees") == "true" else values[3:]
    return pin.SE3(pin.rpy.rpyToMatrix(rpy), values[:3])
