"""Arms of seven turning axes as ABB numbers them, and their arm angle.

From base to flange the axes are 1, 2, 7, 3, 4, 5, 6: axis 7 is the one that a pose leaves free. A
jointtarget has it in ``eax_a``; a robtarget has there the arm angle, by which RobotStudio states
how far the elbow is turned about the line from shoulder to wrist.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..errors import MissingData
from ..model.mechanism import Mechanism, chain_of
from ..model.rotations import rotation_z
from ..model.tree import Tree
from ..model.types import Array

NUMBERS = (1, 2, 7, 3, 4, 5, 6)
"""ABB's numbers of the axes from base to flange."""
BESIDE = 1e-3  # [m] a shoulder nearer to the plane between the arms belongs to neither


@dataclass(frozen=True, eq=False, kw_only=True)
class SevenAxis:
    """Seven turning joints in a chain, each moved by one axis."""

    chain: Mechanism
    """Up to the TCP."""
    order: tuple[int, ...]
    """For each joint of the chain the place of its axis in ``q``."""

    @property
    def rapid_axes(self) -> tuple[int, ...]:
        """ABB's numbers of the axes, in the order of ``q``."""
        return tuple(number for _, number in sorted(zip(self.order, NUMBERS, strict=True)))

    @property
    def axis_7(self) -> int:
        """Place of axis 7 in ``q``."""
        return self.order[2]

    def others(self, axis_7: float) -> Mechanism:
        """Return the chain of the other six axes, with axis 7 at an angle [rad]."""
        joints = list(self.chain.joints)
        still, following = joints[2:4]
        turn = still.rotation @ rotation_z(float(still.row.sum()) * axis_7 + still.offset)[:3, :3]
        joints[2:4] = [
            replace(
                following,
                rotation=turn @ following.rotation,
                position=still.position + turn @ following.position,
            )
        ]
        joints = [replace(joint, row=np.delete(joint.row, self.axis_7)) for joint in joints]
        return replace(self.chain, n=6, joints=tuple(joints))

    def arm_angle(self, q: Array) -> float:
        """Return the arm angle of a posture ``(7,)`` [rad], within half a turn.

        With ``e`` from the shoulder (foot on axis 1 of its perpendicular to axis 2) to the wrist
        (foot on axis 6 of that to axis 5), ``h`` along axis 3 and a reference direction ``r`` it is
        ``atan2(-r . (e x (e x h)), r . (e x h))`` (rpiRobotics/yumi-ik@2bd424d3,
        unit_tests/confirm_SEW_angle_definitions.m), which meets RobotStudio's 20 values there to
        their printed digit. ``r`` points level along y to the plane between the arms: with it
        comes what RobotStudio teaches at the home of both arms, 101.964427132 deg on the left.

        Raises:
            MissingData: if the shoulder is in that plane: RobotStudio's direction is not known.
        """
        origins, axes = _lines(self.chain, q)
        shoulder = _foot(origins[0], axes[0], origins[1], axes[1])
        wrist = _foot(origins[6], axes[6], origins[5], axes[5])
        if abs(shoulder[1]) < BESIDE:
            raise MissingData(
                "the arm angle counts from a direction that is known for the arms of an IRB 14000,"
                " to the left and right of the base: this shoulder is between them"
            )
        r = np.array([0.0, -np.sign(shoulder[1]), 0.0])
        e = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
        across = np.cross(e, axes[3])
        return float(np.arctan2(-r @ np.cross(e, across), r @ across))


@dataclass(frozen=True, eq=False)
class HeldAxis:
    """A seven-axis arm whose axis 7 stands still."""

    arm: SevenAxis
    position: float
    """Of axis 7 [rad]."""
    slots = 16


def seven_axis_of(tree: Tree, frame: int, name: str) -> SevenAxis:
    """Read an arm of seven axes off a tree.

    Raises:
        MissingData: if it is none.
    """
    chain = chain_of(tree, frame)
    rows = np.array([joint.row for joint in chain.joints]).reshape(len(chain.joints), chain.n)
    turning = not any(joint.prismatic for joint in chain.joints)
    if rows.shape != (7, 7) or not turning or np.count_nonzero(rows) != 7:
        raise MissingData(f"{name} is no arm of seven turning axes")
    return SevenAxis(chain=chain, order=tuple(np.argmax(np.abs(rows), axis=1).tolist()))


def _lines(chain: Mechanism, q: Array) -> tuple[list[Array], list[Array]]:
    """Return a point [m] and the direction of every axis in the base."""
    rotation, position = np.eye(3), np.zeros(3)
    origins, axes = [], []
    for joint in chain.joints:
        position = position + rotation @ joint.position
        rotation = rotation @ joint.rotation
        rotation = rotation @ rotation_z(float(joint.row @ q) + joint.offset)[:3, :3]
        origins.append(position)
        axes.append(rotation[:, 2] * np.sign(joint.row.sum()))
    return origins, axes


def _foot(point: Array, along: Array, other: Array, across: Array) -> Array:
    """Return the point of a line that is nearest to another line, not parallel to it."""
    normal = np.cross(along, across)
    distance = np.cross(other - point, across) @ normal / (normal @ normal)
    return np.asarray(point + distance * along)
