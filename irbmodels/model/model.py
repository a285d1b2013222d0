"""Data of the equations of motion: the tree as loaded, its friction, springs, rotors and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ..errors import MissingData
from .friction import Stribeck
from .inertia import Inertial
from .limits import Limits
from .springs import Spring
from .tool import Tool
from .tree import UNLIMITED, Tree, copy_of
from .types import Array

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
    """A robot as the equations of motion need it; arrays in axis order."""

    tree: Tree
    """With tool, payload and gravity in place."""
    limits: Limits
    friction: Stribeck | None
    rotors: Array
    """Rotor inertias on the arm side [kg m^2, kg], shape ``(n,)``.

    They belong to the drives, not to the tree.
    """
    drive_axes: Array
    """``D``: turns of drive i per turn of each axis, in turns of axis i, shape ``(n, n)``.

    Identity where no wrist is coupled. Friction and rotors are the drives': at speeds ``w = D v``
    and static torques ``D^-T g`` friction brakes the axes with ``D' f``.
    """
    linkage: Linkage | None = None
    """Dimensions of the parallelogram, where the arm has one."""
    springs: tuple[Spring, ...] = ()
    """Springs, balancers and torque offsets of the axes."""
    has_masses: bool = True
    """False where the masses of the arm's bodies are unknown: it has kinematics, no dynamics."""

    def __post_init__(self) -> None:
        """Make the shared arrays read-only."""
        self.rotors.setflags(write=False)
        self.drive_axes.setflags(write=False)

    def need_masses(self) -> None:
        """Refuse dynamics of an arm whose masses are unknown.

        Raises:
            MissingData: if they are.
        """
        if not self.has_masses:
            raise MissingData(
                f"no masses of {self.tree.model.name} are known, so it has no dynamics; give a set"
                " of inertials: parameters=FILE, or inertials.yaml beside its tables; or mass_kg in"
                " its data sheet, and write its folder anew"
            )

    @cached_property
    def rotor_inertia(self) -> Array:
        """Inertia that the rotors add to the mass matrix, shape ``(n, n)``."""
        return np.asarray((self.drive_axes.T * self.rotors) @ self.drive_axes)

    @cached_property
    def has_coupled_drives(self) -> bool:
        """True if a drive turns with more than its own axis."""
        return not np.array_equal(self.drive_axes, np.eye(len(self.drive_axes)))

    @cached_property
    def has_axis_friction(self) -> bool:
        """True if friction of each axis follows from its own speed alone."""
        return not (self.has_coupled_drives or (self.friction and self.friction.needs_load))

    @cached_property
    def loads_per_torque(self) -> Array:
        """``D^-T``: static torques at the drives per those at the axes, shape ``(n, n)``."""
        result = np.asarray(np.linalg.inv(self.drive_axes).T)
        result.setflags(write=False)
        return result

    @cached_property
    def has_rotors(self) -> bool:
        """True if any rotor inertia is in use."""
        return bool(self.rotors.any())

    @property
    def n(self) -> int:
        """Number of axes."""
        return int(self.tree.coupling.G.shape[1])


def loaded(bare: Tree, tool: Tool | None, payload: Inertial | None, gravity: Array) -> Tree:
    """Return the tree with a tool on tool0, a payload on the TCP, and gravity in base axes."""
    model = copy_of(bare.model)
    model.gravity = pin.Motion(np.asarray(gravity, dtype=float), np.zeros(3))
    tcp, flange = model.frames[bare.frame("tcp")], model.frames[bare.flange]
    if tool is not None:
        tcp.parentJoint, tcp.placement = flange.parentJoint, flange.placement * tool.tcp
        _attach(model, flange, tool.load)
    if payload is not None:
        _attach(model, tcp, payload)
    return bare.with_model(model)


def load_on_flange(tool: Tool | None, payload: Inertial | None) -> Inertial | None:
    """Return tool and payload as one body in the axes of tool0; None without mass."""
    bodies = [] if tool is None else [tool.load]
    if payload is not None:
        bodies.append(
            payload if tool is None else payload.moved(tool.tcp.rotation, tool.tcp.translation)
        )
    mass = sum(body.mass for body in bodies)
    if not mass:
        return None
    com = np.sum([body.mass * body.com for body in bodies], axis=0) / mass
    tensor = np.zeros((3, 3))
    for body in bodies:
        arm = body.com - com
        tensor += body.tensor + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Inertial.of(mass, com, tensor)


def _attach(model: pin.Model, frame: pin.Frame, body: Inertial) -> None:
    """Add a body, given in the axes of ``frame``, to the joint that carries the frame."""
    added = pin.Inertia(body.mass, np.array(body.com), np.array(body.tensor))
    model.inertias[frame.parentJoint] += frame.placement.act(added)


class JointBound(NamedTuple):
    """Range of a sum of axes."""

    lower: float
    """[rad, m]."""
    upper: float
    terms: dict[str, float]
    """Factor by axis, -1 or 1."""


def limits_of_tree(tree: Tree, sums: Sequence[JointBound] = ()) -> Limits:
    """Read the limits that a URDF gives; those of a joint that follows an axis bound that axis.

    A range without width, a speed or an effort of 0 stand for unknown in URDFs:
    they bound nothing.

    Args:
        tree: Of the URDF.
        sums: Bounds that a URDF cannot state.
    """
    model, coupling = tree.model, tree.coupling
    joints = [model.getJointId(name) for name in coupling.axes]
    n, known = len(joints), np.zeros(len(joints), dtype=bool)
    lower, upper = np.full(n, -UNLIMITED), np.full(n, UNLIMITED)
    ranges = zip(
        model.lowerPositionLimit.tolist(),
        model.upperPositionLimit.tolist(),
        coupling.G,
        coupling.q0.tolist(),
        strict=True,
    )
    for low, high, row, offset in ranges:
        axis = int(np.argmax(np.abs(row)))
        low, high = (
            np.copysign(np.inf, end) if abs(end) >= UNLIMITED else end for end in (low, high)
        )
        if low < high and row[axis]:
            ends = sorted(((low - offset) / row[axis], (high - offset) / row[axis]))
            lower[axis], upper[axis] = max(lower[axis], ends[0]), min(upper[axis], ends[1])
    index = [model.joints[joint].idx_v for joint in joints]
    velocity = np.array(model.velocityLimit)[index]
    effort = np.array(
        model.effortLimit if hasattr(model, "effortLimit") else model.upperEffortLimit
    )[index]
    A = np.eye(n)
    for low, high, terms in sums:
        row = np.array([terms.get(axis, 0.0) for axis in coupling.axes])
        axis = int(np.flatnonzero(row)[-1])
        row, (low, high) = row * row[axis], sorted((low * row[axis], high * row[axis]))
        if lower[axis] <= -UNLIMITED and upper[axis] >= UNLIMITED:
            A[axis], lower[axis], upper[axis] = row, low, high
        else:
            A, lower, upper = np.vstack([A, row]), np.append(lower, low), np.append(upper, high)
    return Limits(
        lower=lower,
        upper=upper,
        velocity=np.where(velocity > 0.0, velocity, np.inf),
        effort=np.where(effort > 0.0, effort, np.inf),
        A=A,
        linear=np.array(
            [model.joints[joint].shortname().startswith("JointModelP") for joint in joints],
            dtype=bool,
        ),
        range_assumed=np.zeros(len(A), dtype=bool),
        velocity_assumed=known,
        effort_assumed=known.copy(),
    )
