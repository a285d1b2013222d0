"""A URDF put together link by link: what a reader of another format hands to Pinocchio.

Numbers keep all their digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UrdfError
from ..model.inertia import Inertial
from ..model.types import Array


def numbers(values: ArrayLike) -> str:
    """Return numbers with a blank between them and all their digits.

    A minus before a zero is dropped.
    """
    return " ".join(repr(float(value) + 0.0) for value in np.ravel(np.asarray(values, dtype=float)))


def pose_of(xyz: ArrayLike, rpy: ArrayLike) -> Array:
    """Return the pose ``(4, 4)`` of a position [m] and ``Rz(yaw) Ry(pitch) Rx(roll)`` [rad], as URDF and SDF mean it."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    result = np.eye(4)
    result[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    result[:3, 3] = xyz
    return result


def rpy_of(rotation: ArrayLike) -> Array:
    """Return roll, pitch, yaw [rad] of a rotation ``(3, 3)``.

    Near a pitch of 90 deg roll and yaw are badly defined one by one; the one found first is taken
    out before the next is looked for, so that together they give the rotation to its last digits
    there too.
    """
    turn = np.asarray(rotation, dtype=float)
    yaw = math.atan2(turn[1, 0], turn[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    rest = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ turn
    return np.array([math.atan2(-rest[1, 2], rest[1, 1]), math.atan2(-rest[2, 0], rest[0, 0]), yaw])


def inverse(pose: Array) -> Array:
    """Return the inverse of a pose ``(4, 4)``."""
    result = np.eye(4)
    result[:3, :3] = pose[:3, :3].T
    result[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return result


class UrdfParts:
    """A URDF in the making."""

    def __init__(self, name: str) -> None:
        """Start without links."""
        self.root = Element("robot", {"name": name})
        self.links: dict[str, Element] = {}
        self._joints: set[str] = set()

    def text(self) -> str:
        """Return the URDF."""
        ElementTree.indent(self.root)
        return ElementTree.tostring(self.root, encoding="unicode") + "\n"

    def link(self, name: str, body: Inertial | None = None) -> None:
        """Add a link, with its body in its own axes.

        Raises:
            UrdfError: if there is one of that name.
        """
        if name in self.links:
            raise UrdfError(f"two links are called {name!r}")
        self.links[name] = SubElement(self.root, "link", {"name": name})
        if body is not None and body.mass:
            tag = SubElement(self.links[name], "inertial")
            SubElement(tag, "origin", {"xyz": numbers(body.com), "rpy": "0 0 0"})
            SubElement(tag, "mass", {"value": numbers(body.mass)})
            tensor = body.tensor
            products = {
                "ixx": (0, 0),
                "ixy": (0, 1),
                "ixz": (0, 2),
                "iyy": (1, 1),
                "iyz": (1, 2),
                "izz": (2, 2),
            }
            SubElement(
                tag, "inertia", {key: numbers(tensor[place]) for key, place in products.items()}
            )

    def joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        origin: Array,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        limits: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        mimic: tuple[str, float, float] | None = None,
        dynamics: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Add a joint between two links.

        Args:
            name: Of the joint; a fixed one gets another where this is taken.
            kind: ``revolute``, ``continuous``, ``prismatic`` or ``fixed``.
            parent: Link that carries it.
            child: Link that it moves.
            origin: Pose of the joint in the parent, ``(4, 4)``.
            axis: In the axes of the joint; any length but 0.
            limits: Lower, upper, velocity, effort in SI units; 0 where unknown.
            mimic: Source, multiplier and offset.
            dynamics: Viscous and Coulomb friction in SI units.

        Raises:
            UrdfError: if two moving joints have one name.
        """
        while name in self._joints:
            if kind != "fixed":
                raise UrdfError(f"two joints are called {name!r}")
            name += "_"
        self._joints.add(name)
        tag = SubElement(self.root, "joint", {"name": name, "type": kind})
        SubElement(
            tag, "origin", {"xyz": numbers(origin[:3, 3]), "rpy": numbers(rpy_of(origin[:3, :3]))}
        )
        SubElement(tag, "parent", {"link": parent})
        SubElement(tag, "child", {"link": child})
        if kind == "fixed":
            return
        SubElement(tag, "axis", {"xyz": numbers(axis)})
        bounds = dict(
            zip(("lower", "upper", "velocity", "effort"), map(numbers, limits), strict=True)
        )
        SubElement(
            tag,
            "limit",
            bounds
            if kind != "continuous"
            else {key: bounds[key] for key in ("velocity", "effort")},
        )
        if any(dynamics):
            SubElement(
                tag,
                "dynamics",
                dict(zip(("damping", "friction"), map(numbers, dynamics), strict=True)),
            )
        if mimic is not None:
            source, multiplier, offset = mimic
            SubElement(
                tag,
                "mimic",
                {"joint": source, "multiplier": numbers(multiplier), "offset": numbers(offset)},
            )

    def frame(self, name: str, parent: str, origin: Array) -> None:
        """Add a link without mass, fixed to another; a name that is taken is left alone."""
        if name not in self.links:
            self.link(name)
            self.joint(f"{parent}-{name}", "fixed", parent, name, origin)

    def shape(
        self,
        link: str,
        what: str,
        kind: str,
        sizes: dict[str, str],
        origin: Array,
        colour: ArrayLike | None = None,
    ) -> None:
        """Add a ``visual`` or ``collision`` shape: ``box``, ``cylinder``, ``sphere`` or ``mesh`` with URDF's attributes."""
        tag = SubElement(self.links[link], what)
        SubElement(
            tag, "origin", {"xyz": numbers(origin[:3, 3]), "rpy": numbers(rpy_of(origin[:3, :3]))}
        )
        SubElement(SubElement(tag, "geometry"), kind, sizes)
        if colour is not None and what == "visual":
            SubElement(
                SubElement(tag, "material", {"name": ""}), "color", {"rgba": numbers(colour)}
            )
