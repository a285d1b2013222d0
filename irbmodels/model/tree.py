"""A URDF as Pinocchio's tree without mimic reduction, with the coupling of its joints.

Pinocchio's own mimic models refuse or miscompute half of the algorithms
(docs/background/errata.md); on the unreduced tree with a constant map every one of them is exact.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from typing import NamedTuple, cast
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..errors import UnknownName, UrdfError
from .coupling import AxisCoupling, coupling_of
from .inertia import Inertial
from .types import Array
from .urdf import check_numbers, parse_urdf

_MOUNTING = "mounting"  # frame of type OP_FRAME, which no link of the same name can be taken for
UNLIMITED = 1e9  # [rad] stands for "no limit" where URDF and Pinocchio want a number


@dataclass(frozen=True, eq=False)
class Tree:
    """A ``pin.Model`` that is never changed, its coupling, and one ``pin.Data`` per thread."""

    model: pin.Model
    coupling: AxisCoupling
    frames: dict[str, int]
    """Frame number by link name, ``tcp`` included."""
    _local: threading.local = field(default_factory=threading.local, repr=False, compare=False)

    @property
    def data(self) -> pin.Data:
        """Work space of this thread; its content is overwritten by the next query."""
        try:
            return self._local.data
        except AttributeError:
            self._local.data = self.model.createData()
            return self._local.data

    @property
    def flange(self) -> int:
        """Number of the frame that tools are mounted on: ``tool0``, or else the URDF's ``tcp``."""
        return (
            self.frames["tool0"]
            if "tool0" in self.frames
            else self.model.getFrameId(_MOUNTING, pin.FrameType.OP_FRAME)
        )

    def __getstate__(self) -> dict[str, object]:
        """Leave the work spaces behind when pickled."""
        return {"model": self.model, "coupling": self.coupling, "frames": self.frames}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Start with empty work spaces."""
        for name, value in (state | {"_local": threading.local()}).items():
            object.__setattr__(self, name, value)

    def frame(self, name: str) -> int:
        """Return the number of a frame.

        Raises:
            UnknownName: with the nearest name; Pinocchio itself would return a wrong number in
                silence.
        """
        try:
            return self.frames[name]
        except (KeyError, TypeError):  # TypeError: lists and arrays name nothing
            raise UnknownName("frame", name, self.frames) from None

    def with_model(self, model: pin.Model) -> Tree:
        """Return the tree with another ``pin.Model`` of the same joints and frames."""
        return Tree(model, self.coupling, self.frames)

    def with_axes(self, axes_from_q: Array) -> Tree:
        """Return the tree for other axis positions ``q``, where its own are ``axes_from_q @ q``."""
        return Tree(self.model, self.coupling.then(axes_from_q), self.frames)


class Frame(NamedTuple):
    """A frame of a tree, or a point fixed to it."""

    tree: Tree
    number: int
    """Of the frame in ``tree.model.frames``."""
    point: Array | None = None
    """[m], in axes of the frame; None for its origin."""


def body_names(model: pin.Model) -> tuple[str, ...]:
    """Return the link that each moving joint carries, in the order of joints 1 .. njoints - 1."""
    names = {
        frame.parentJoint: frame.name
        for frame in model.frames
        if frame.type == pin.FrameType.BODY
        and model.frames[frame.parentFrame].type == pin.FrameType.JOINT
    }
    return tuple(names[joint] for joint in range(1, model.njoints))


def kinematics_key(tree: Tree) -> str:
    """Return a hash of names, order, places and axes of the joints, rounded to 1e-6 m and rad.

    Bodies, limits, shapes and frames have no part in it.
    """
    model, lines = tree.model, [repr(tree.coupling.axes)]
    for joint in range(1, model.njoints):
        axis = model.joints[joint].createData().S
        above = model.names[model.parents[joint]]
        pose = model.jointPlacements[joint].homogeneous[:3]
        lines += [above, model.names[joint], _rounded(axis), _rounded(pose)]
    lines += [_rounded(tree.coupling.G), _rounded(tree.coupling.q0)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _rounded(values: ArrayLike) -> str:
    return repr((np.round(np.asarray(values, dtype=float), 6) + 0.0).ravel().tolist())


def beyond_flange(tree: Tree) -> list[Inertial] | None:
    """Return the bodies that a URDF fixes to the frame where tools are mounted, in its axes.

    None if one of them moves.

    A body of the link ``tool0`` itself counts; where there is no such link, the one that tools are
    mounted on does not.
    """
    frames, flange = tree.model.frames, tree.model.frames[tree.flange]
    beyond = {tree.flange}
    if (
        flange.type == pin.FrameType.BODY
        and frames[flange.parentFrame].type == pin.FrameType.FIXED_JOINT
    ):
        beyond.add(flange.parentFrame)  # Pinocchio keeps the body of a fixed link at its joint
    elif flange.type == pin.FrameType.OP_FRAME:
        beyond.add(flange.parentFrame)
    for number, frame in enumerate(frames):
        if number not in beyond and frame.parentFrame in beyond and frame.parentFrame != number:
            if frame.type == pin.FrameType.JOINT:
                return None
            beyond.add(number)
    bodies = []
    for frame in (frames[number] for number in beyond):
        if frame.inertia.mass and frame.type == pin.FrameType.FIXED_JOINT:
            placement, body = flange.placement.actInv(frame.placement), frame.inertia
            bodies.append(
                Inertial.of(body.mass, body.lever, body.inertia).moved(
                    placement.rotation, placement.translation
                )
            )
    return bodies


def tree_from_urdf(text: str) -> Tree:
    """Build the tree of a URDF text.

    ``continuous`` joints become revolute ones without limits (Pinocchio would use two numbers for
    each). A frame ``tcp`` is added on ``tool0``, or else on the last link, where the URDF has none.

    Raises:
        UrdfError: if the text is no URDF, has a number that is none, floating or planar joints, or
            a wrong mimic.
    """
    return tree_of_robot(parse_urdf(text))


def tree_of_robot(robot: ElementTree.Element) -> Tree:
    """Build the tree of the root element of a URDF, which is changed; else :func:`tree_from_urdf`.

    Raises:
        UrdfError: as that does.
    """
    check_numbers(robot)
    for joint in robot.iterfind("joint"):
        kind, name, axis = joint.get("type"), joint.get("name"), joint.find("axis")
        if (
            axis is not None
            and kind != "fixed"
            and not any(word.strip("+-0.") for word in axis.get("xyz", "1 0 0").split())
        ):
            raise UrdfError(f"joint {name!r} has no axis: {axis.get('xyz')!r} points nowhere")
        if kind not in ("revolute", "continuous", "prismatic", "fixed"):
            raise UrdfError(
                f"joint {name!r} is {kind!r}; only revolute, continuous, prismatic and fixed joints"
                " are supported"
            )
        if kind == "continuous":
            joint.set("type", "revolute")
            limit = joint.find("limit")
            if limit is None:
                limit = ElementTree.SubElement(joint, "limit", {"effort": "0", "velocity": "0"})
            limit.set("lower", str(-UNLIMITED))
            limit.set("upper", str(UNLIMITED))
    # shapes move nothing, and the reader of a wrong one writes to stderr
    for link in robot.iterfind("link"):
        for shape in [*link.iterfind("visual"), *link.iterfind("collision")]:
            link.remove(shape)
    try:
        model = pin.buildModelFromXML(ElementTree.tostring(robot, encoding="unicode"))
    except (ValueError, RuntimeError) as err:
        raise UrdfError(f"Pinocchio cannot read this URDF: {' '.join(str(err).split())}") from err
    joints = [model.names[i] for i in range(1, model.njoints)]
    if not joints:
        raise UrdfError("no joint of this URDF moves")
    if model.nq != model.njoints - 1:
        raise UrdfError("every moving joint must have exactly one coordinate")
    _add_tcp(model)
    model.gravity = pin.Motion(np.array([0.0, 0.0, -9.81]), np.zeros(3))
    frames = {
        frame.name: i for i, frame in enumerate(model.frames) if frame.type == pin.FrameType.BODY
    }
    return Tree(model, coupling_of(robot, joints), frames)


def _add_tcp(model: pin.Model) -> None:
    """Add the frame ``tcp``, and one to mount tools on, where the URDF has none.

    A tool moves the one, not the other.
    """
    bodies = {
        frame.name: i for i, frame in enumerate(model.frames) if frame.type == pin.FrameType.BODY
    }
    number = bodies.get("tcp", bodies.get("tool0", max(bodies.values())))
    below = model.frames[number]
    if "tool0" not in bodies:
        model.addFrame(
            pin.Frame(_MOUNTING, below.parentJoint, number, below.placement, pin.FrameType.OP_FRAME)
        )
    if "tcp" not in bodies:
        model.addFrame(
            pin.Frame("tcp", below.parentJoint, number, below.placement, pin.FrameType.BODY)
        )


def copy_of(model: pin.Model) -> pin.Model:
    """Return a copy of a ``pin.Model``; the original is shared and never changed."""
    return cast(pin.Model, model.copy())
