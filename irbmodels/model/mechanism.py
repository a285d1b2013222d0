"""A model reduced to joints along z, base inertials, and constants with a name each.

Numbers that are exactly 0, 1 or -1 belong to the structure, and fold away; all others are named
constants. Models of the same structure share every program, whatever their lengths, masses, tools,
friction and springs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pinocchio as pin

from .friction import CONSTANTS
from .model import Model
from .springs import Spring
from .tree import Tree
from .types import Array

ROUNDING = 1e-14  # what cosines of right angles, and sums that cancel, leave of 0 and 1
INERTIALS = ("M", "MX", "MY", "MZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ")
"""Parameters of a body about its joint's origin [kg, kg m, kg m^2], in Pinocchio's order.

Names as in Khalil & Dombre.
"""


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint about, or along, the z axis of its own frame, and the body that it carries."""

    parent: int
    """Number of the joint it stands on; -1 for the base."""
    prismatic: bool
    rotation: Array
    """``parent_from_joint`` at zero, ``(3, 3)``."""
    position: Array
    """Its origin in the parent's frame [m], ``(3,)``."""
    row: Array
    """Its row of the coupling ``G``, ``(n,)``."""
    offset: float
    """Its entry of ``q0`` [rad, m]."""
    body: Array
    """Its inertials, ``(10,)``, in the order of :data:`INERTIALS`."""
    size: Array = field(default_factory=lambda: np.zeros(3))
    """Largest mass, first and second moment among the summands of its inertials.

    Their rounding is relative to it.
    """
    tree_rotation: Array = field(default_factory=lambda: np.eye(3))
    """Rotation from its frame to the tree's own there, whose axis may be another than z."""


@dataclass(frozen=True, eq=False)
class FixedFrame:
    """A frame fixed to a joint's body, or to the base (-1)."""

    joint: int
    rotation: Array
    position: Array


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Mechanism that the programs of :mod:`.symbolic` are written for."""

    n: int
    """Number of axes."""
    joints: tuple[Joint, ...]
    gravity: Array
    """In base axes [m/s^2], ``(3,)``."""
    rotors: Array
    """Inertia that rotors add to the mass matrix, ``(n, n)``."""
    friction: dict[str, Array] | None = None
    """Constants of the drives' friction by name: those of :meth:`Stribeck.constants`."""
    frame: FixedFrame | None = None
    ground: Array = field(default_factory=lambda: np.zeros(10))
    """Inertials that do not move; they count in potential energy only."""
    drive_axes: Array | None = None
    """Turns of the drives per turn of the axes, ``(n, n)``.

    None where nothing needs them: the regressor does, and friction of coupled drives.
    """
    springs: tuple[Spring, ...] = ()
    """Springs, balancers and torque offsets; their kinds and axes belong to the structure."""

    @property
    def needs_load(self) -> bool:
        """True if friction depends on the static torques at the drives."""
        return self.friction is not None and "MU" in self.friction

    @property
    def friction_kinds(self) -> tuple[str, ...]:
        """Names of the linear parameters of friction, in the order of the regressor's columns."""
        return tuple(name for name in CONSTANTS.values() if name in (self.friction or {}))

    @cached_property
    def constants(self) -> dict[str, float]:
        """Every number by its name; those without influence on the structure included."""
        named = dict(zip(("gx", "gy", "gz"), self.gravity.tolist(), strict=True))
        for number, joint in enumerate(self.joints, 1):
            named |= _pose_entries(str(number), joint.rotation, joint.position)
            named |= {
                f"{name}{number}": value
                for name, value in zip(INERTIALS, joint.body.tolist(), strict=True)
            }
            named |= {
                f"G{number}_{axis}": value for axis, value in enumerate(joint.row.tolist(), 1)
            }
            named[f"q0_{number}"] = joint.offset
            named |= _entries(f"RT{number}_", joint.tree_rotation)
        named |= _square("IA", self.rotors)
        named |= {
            f"{name}0": value
            for name, value in zip(INERTIALS[:4], self.ground.tolist(), strict=False)
        }
        if self.drive_axes is not None:
            named |= _square("RA", self.drive_axes)
            if self.needs_load:
                named |= _square("RI", np.asarray(np.linalg.inv(self.drive_axes)))
        for name, row in (self.friction or {}).items():
            named |= {f"{name}{axis}": value for axis, value in enumerate(row.tolist(), 1)}
        for number, spring in enumerate(self.springs, 1):
            named |= {f"{name}{number}": value for name, value in spring.constants().items()}
        if self.frame is not None:
            named |= _pose_entries("E", self.frame.rotation, self.frame.position)
        return named

    @cached_property
    def free(self) -> dict[str, float]:
        """Constants that are no part of the structure, in the order in which kernels take them."""
        return {name: value for name, value in self.constants.items() if not _folds(name, value)}

    @cached_property
    def values(self) -> Array:
        """Values of :attr:`free`."""
        values = np.array(list(self.free.values()))
        values.setflags(write=False)
        return values

    @cached_property
    def key(self) -> str:
        """Hash of the structure, as hexadecimal digits: equal for models that share programs."""
        import hashlib
        import json

        fixed = {name: value for name, value in self.constants.items() if name not in self.free}
        frame = None if self.frame is None else self.frame.joint
        joints = [(joint.parent, joint.prismatic) for joint in self.joints]
        springs = [(type(spring).__name__, spring.axis) for spring in self.springs]
        structure = json.dumps(
            [self.n, joints, frame, self.friction is not None, springs, fixed, list(self.free)]
        )
        return hashlib.sha256(structure.encode()).hexdigest()[:20]


def mechanism_of(model: Model, friction: bool = False) -> Mechanism:
    """Reduce a model for its dynamics.

    Massless carriers are merged, massless bodies dropped, inertials regrouped to base parameters.

    Raises:
        MissingData: if the masses are unknown.
    """
    model.need_masses()
    return _snap(regroup(_prune(_merge_carriers(_prune(_mechanism(model, friction))))))


def unreduced_mechanism_of(model: Model, friction: bool = True) -> Mechanism:
    """Return every joint of a model without inertials, for the regressor.

    Its columns are the bodies' own parameters. Friction that depends on the load keeps them.
    """
    whole = _mechanism(model, friction)
    joints = whole.joints
    if not whole.needs_load:
        joints = tuple(replace(joint, body=np.zeros(10)) for joint in joints)
    rotors = np.zeros_like(whole.rotors)
    return _snap(replace(whole, joints=joints, rotors=rotors, drive_axes=model.drive_axes))


def _mechanism(model: Model, friction: bool) -> Mechanism:
    joints, rotations = _joints_of(model.tree)
    rotated = tuple(
        replace(joint, tree_rotation=R) for joint, R in zip(joints, rotations, strict=True)
    )
    law = model.friction.constants() if friction and model.friction is not None else None
    return Mechanism(
        model.n,
        rotated,
        np.array(model.tree.model.gravity.linear),
        np.array(model.rotor_inertia),
        law,
        drive_axes=model.drive_axes if law and model.has_coupled_drives else None,
        springs=model.springs,
    )


def chain_of(tree: Tree, frame: int, point: Array | None = None) -> Mechanism:
    """Reduce a tree to the joints between base and a frame or a point of it, without inertials."""
    joints, old_from_new = _joints_of(tree)
    pin_frame = tree.model.frames[frame]
    carrier, placement = pin_frame.parentJoint - 1, pin_frame.placement
    rotation, position = np.array(placement.rotation), np.array(placement.translation)
    if point is not None:
        position = placement.act(point)
    if carrier >= 0:
        rotation = old_from_new[carrier].T @ rotation
        position = old_from_new[carrier].T @ position
    n = tree.coupling.G.shape[1]
    light = tuple(replace(joint, body=np.zeros(10)) for joint in joints)
    bare = Mechanism(
        n, light, np.zeros(3), np.zeros((n, n)), None, FixedFrame(carrier, rotation, position)
    )
    return _snap(_prune(_merge_carriers(_prune(bare))))


def _joints_of(tree: Tree) -> tuple[list[Joint], list[Array]]:
    """Read the joints of a tree.

    The second list has the rotations ``old_from_new`` that put each axis on z.
    """
    model, coupling = tree.model, tree.coupling
    data = model.createData()
    pin.computeJointJacobians(model, data, pin.neutral(model))
    joints: list[Joint] = []
    old_from_new: list[Array] = []
    for number in range(1, model.njoints):
        column = np.reshape(
            pin.getJointJacobian(model, data, number, pin.ReferenceFrame.LOCAL), (6, -1)
        )
        motion = column[:, model.joints[number].idx_v]
        prismatic = bool(np.linalg.norm(motion[3:]) < 0.5)
        to_z = _z_to(motion[:3] if prismatic else motion[3:])
        parent = int(model.parents[number]) - 1
        placement = model.jointPlacements[number]
        rotation, position = placement.rotation @ to_z, np.array(placement.translation)
        if parent >= 0:
            rotation = old_from_new[parent].T @ rotation
            position = old_from_new[parent].T @ position
        body = model.inertias[number].se3Action(pin.SE3(to_z.T, np.zeros(3))).toDynamicParameters()
        row, offset = np.array(coupling.G[number - 1]), float(coupling.q0[number - 1])
        joints.append(Joint(parent, prismatic, rotation, position, row, offset, body))
        old_from_new.append(to_z)
    return joints, old_from_new


def _z_to(axis: Array) -> Array:
    """Return a rotation whose third column is ``axis``.

    A permutation where the axis is x, y or z.
    """
    largest = int(np.argmax(np.abs(axis)))
    first = np.roll(np.eye(3), -1, axis=0)[largest]  # x for z, y for x, z for y
    third = axis / np.linalg.norm(axis)
    second = pin.skew(third) @ first
    second /= np.linalg.norm(second)
    return np.stack([pin.skew(second) @ third, second, third], axis=1)


def _merge_carriers(mechanism: Mechanism) -> Mechanism:
    """Merge joints with massless carriers that turn about the same line: their angles add."""
    joints = list(mechanism.joints)
    for number, carrier in enumerate(joints):
        above = [i for i, joint in enumerate(joints) if joint.parent == number]
        if carrier.body.any() or carrier.prismatic or not all(_same_line(joints[i]) for i in above):
            continue
        for i in above:
            joint = joints[i]
            joints[i] = replace(
                joint,
                parent=carrier.parent,
                rotation=carrier.rotation @ joint.rotation,
                position=carrier.position + carrier.rotation @ joint.position,
                row=carrier.row + joint.row,
                offset=carrier.offset + joint.offset,
            )
    return replace(mechanism, joints=tuple(joints))


def _same_line(joint: Joint) -> bool:
    # a cosine would hide 1e-7 rad
    tilted = joint.rotation[2, 2] < 0.0 or np.any(np.abs(joint.rotation[:2, 2]) > ROUNDING)
    return not (joint.prismatic or tilted or np.any(np.abs(joint.position[:2]) > ROUNDING))


def _prune(mechanism: Mechanism) -> Mechanism:
    """Drop the joints that carry neither mass nor the frame."""
    joints = mechanism.joints
    needed = set()
    for number in reversed(range(len(joints))):
        carries_frame = mechanism.frame is not None and mechanism.frame.joint == number
        if carries_frame or joints[number].body.any() or number in needed:
            needed |= {number, joints[number].parent}
    kept = [number for number in range(len(joints)) if number in needed]
    renumbered = {number: i for i, number in enumerate(kept)} | {-1: -1}
    frame = mechanism.frame
    if frame is not None:
        frame = replace(frame, joint=renumbered[frame.joint])
    rest = tuple(
        replace(joints[number], parent=renumbered[joints[number].parent]) for number in kept
    )
    return replace(mechanism, joints=rest, frame=frame)


def regroup(mechanism: Mechanism) -> Mechanism:
    """Regroup inertials to the joint below, from the tips inwards: torques stay the same.

    A body that turns about z moves no differently if a mass point or thin rod on that axis is fixed
    to the link below: M, MZ and YY (of XX = YY) go. A body that slides turns with the link below:
    its whole tensor goes [Gautier & Khalil 1990].
    """
    joints = [replace(joint, tree_rotation=np.eye(3)) for joint in mechanism.joints]
    ground = mechanism.ground
    for number in reversed(range(len(joints))):
        joint = joints[number]
        shared = np.zeros(10)
        if joint.prismatic:
            shared[4:] = joint.body[4:]
        else:
            m, mz, yy = joint.body[[0, 3, 6]]
            shared[[0, 3, 4, 6]] = m, mz, yy, yy
        size = np.maximum(joint.size, _size(joint.body))
        joints[number] = replace(joint, body=joint.body - shared, size=size)
        moved = moved_inertials(shared, joint.rotation, joint.position)
        if joint.parent >= 0:
            below = joints[joint.parent]
            grown = np.maximum(_size(below.body), _size(moved))
            joints[joint.parent] = replace(
                below, body=below.body + moved, size=np.maximum(below.size, grown)
            )
        else:
            ground = ground + moved
    return replace(mechanism, joints=tuple(joints), ground=ground)


def moved_inertials(body: Array, rotation: Array, position: Array) -> Array:
    """Return inertials ``(10,)`` about another origin in its axes, by ``new_from_old``."""
    m, first, tensor = body[0], rotation @ body[1:4], rotation @ _tensor(body[4:]) @ rotation.T
    product = np.outer(position, first + 0.5 * m * position)
    tensor = tensor + 2.0 * np.trace(product) * np.eye(3) - product - product.T
    return np.concatenate(
        [[m], first + m * position, tensor[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]]
    )


def _tensor(six: Array) -> Array:
    xx, xy, yy, xz, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _snap(mechanism: Mechanism) -> Mechanism:
    """Make numbers near 0 and 1 exact; of inertials relative to their summands."""
    joints = []
    for joint in mechanism.joints:
        body = joint.body.copy()
        sizes = np.maximum(joint.size, _size(joint.body))
        for part, largest in zip(PARTS, sizes, strict=True):
            body[part] = np.where(np.abs(body[part]) <= ROUNDING * largest, 0.0, body[part])
        joints.append(
            replace(
                joint,
                rotation=_snap_values(joint.rotation),
                position=_snap_values(joint.position),
                tree_rotation=_snap_values(joint.tree_rotation),
                row=_snap_values(joint.row),
                offset=float(_snap_values(np.array(joint.offset))),
                body=body,
            )
        )
    frame = mechanism.frame
    if frame is not None:
        frame = replace(
            frame, rotation=_snap_values(frame.rotation), position=_snap_values(frame.position)
        )
    return replace(
        mechanism, joints=tuple(joints), gravity=_snap_values(mechanism.gravity), frame=frame
    )


PARTS = (slice(0, 1), slice(1, 4), slice(4, 10))


def _size(body: Array) -> Array:
    """Largest mass, first and second moment of ten inertials, ``(3,)``."""
    return np.array([np.abs(body[part]).max() for part in PARTS])


def _snap_values(values: Array) -> Array:
    whole = np.round(values)
    near = (np.abs(whole) <= 1.0) & (np.abs(values - whole) <= ROUNDING)
    return np.where(near, whole, values) + 0.0


def _folds(name: str, value: float) -> bool:
    """Return whether a number is structure: 0 anywhere, 1 and -1 in rotations and the coupling."""
    return value == 0.0 or (abs(value) == 1.0 and name[0] in "RG")


def _pose_entries(name: str, rotation: Array, position: Array) -> dict[str, float]:
    shift = {f"p{name}{axis}": value for axis, value in zip("xyz", position.tolist(), strict=True)}
    return _entries(f"R{name}_", rotation) | shift


def _entries(name: str, matrix: Array, between: str = "") -> dict[str, float]:
    return {
        f"{name}{i}{between}{j}": value
        for i, row in enumerate(matrix.tolist(), 1)
        for j, value in enumerate(row, 1)
    }


def _square(name: str, matrix: Array) -> dict[str, float]:
    """Name the entries of an ``(n, n)`` matrix.

    Without the line between, 1, 11 and 11, 1 would be one name.
    """
    return _entries(name, matrix, "_")
