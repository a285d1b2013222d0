"""Everything the laws of motion need: the tree as loaded, its friction, rotors and limits. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from .friction import Stribeck
from .inertia import Inertial
from .limits import Limits
from .tool import Tool
from .tree import Tree, copy_of

Array = NDArray[np.float64]

GRAVITY = np.array([0.0, 0.0, -9.81])  # [m/s^2] in base axes, robot on the floor
GRAVITY.setflags(write=False)


class Linkage(NamedTuple):
    """The parallelogram between shoulder and elbow, in the frames of link_2 and link_3."""

    long: float
    """Length of lower arm and rod [m]: the elbow is at ``(long, 0, 0)`` of link_2."""
    crank: float
    """Length of crank and lever [m]: the rod's upper pin is at ``(0, -crank, 0)`` of link_3."""


@dataclass(frozen=True, eq=False)
class Model:
    """A robot ready to be computed with; arrays in axis order."""

    tree: Tree
    """With tool, payload and gravity in place."""
    limits: Limits
    friction: Stribeck | None
    rotors: Array
    """Rotor inertias on the arm side [kg m^2, kg], shape ``(n,)``; they belong to axis coordinates, not to the tree."""
    rotor_axes: Array
    """Row i: how the axes turn rotor i, in turns of axis i, shape ``(n, n)``; identity where no wrist is coupled."""
    linkage: Linkage | None = None
    """Dimensions of the parallelogram, where the arm has one."""

    def __post_init__(self) -> None:
        """Make the shared arrays read-only."""
        self.rotors.setflags(write=False)
        self.rotor_axes.setflags(write=False)

    @cached_property
    def rotor_inertia(self) -> Array:
        """What the rotors add to the mass matrix, shape ``(n, n)``."""
        result: Array = (self.rotor_axes.T * self.rotors) @ self.rotor_axes
        return result

    @cached_property
    def has_rotors(self) -> bool:
        """Whether any rotor inertia is in use."""
        return bool(self.rotors.any())

    @property
    def n(self) -> int:
        """Number of axes."""
        return int(self.tree.coupling.G.shape[1])


def loaded(bare: Tree, tool: Tool | None, payload: Inertial | None, gravity: Array) -> Tree:
    """Return the tree with a tool on tool0, a payload on the TCP, and gravity in base axes [m/s^2]."""
    model = copy_of(bare.model)
    model.gravity = pin.Motion(np.asarray(gravity, dtype=float), np.zeros(3))
    tcp = model.frames[bare.frame("tcp")]
    if tool is not None:
        tool0 = model.frames[bare.flange]
        tcp.placement = tool0.placement * tool.tcp
        _attach(model, tool0, tool.load)
    if payload is not None:
        _attach(model, tcp, payload)
    return bare.with_model(model)


def _attach(model: pin.Model, frame: pin.Frame, body: Inertial) -> None:
    """Add a body, given in the axes of ``frame``, to the joint that carries the frame."""
    added = pin.Inertia(body.mass, np.array(body.com), np.array(body.tensor))
    model.inertias[frame.parentJoint] += frame.placement.act(added)


def limits_of_tree(tree: Tree) -> Limits:
    """Read the limits that a URDF gives for the joints that carry the axis positions; nothing is coupled."""
    model = tree.model
    joints = [model.getJointId(name) for name in tree.coupling.axes]
    index = [model.joints[joint].idx_q for joint in joints]
    n, known = len(joints), np.zeros(len(joints), dtype=bool)
    return Limits(
        lower=np.array(model.lowerPositionLimit)[index],
        upper=np.array(model.upperPositionLimit)[index],
        velocity=np.array(model.velocityLimit)[index],
        effort=np.array(model.effortLimit)[index] if hasattr(model, "effortLimit") else np.array(model.upperEffortLimit)[index],
        A=np.eye(n),
        linear=np.array([model.joints[joint].shortname().startswith("JointModelP") for joint in joints], dtype=bool),
        range_assumed=known,
        velocity_assumed=known.copy(),
        effort_assumed=known.copy(),
    )
