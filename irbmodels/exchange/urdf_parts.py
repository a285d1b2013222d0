"""Elements of a URDF, and a URDF built link by link; numbers keep all their digits."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import pinocchio as pin
from numpy.typing import ArrayLike

from ..errors import UrdfError
from ..model.inertia import Inertial
from ..model.urdf_bodies import inertial_element, numbers
from .text import free_name


def set_origin(tag: Element, pose: pin.SE3) -> None:
    """Set, or add, the ``<origin>`` of a joint or shape."""
    origin = tag.find("origin")
    if origin is None:
        origin = SubElement(tag, "origin")
    origin.set("xyz", numbers(pose.translation))
    origin.set("rpy", numbers(pin.rpy.matrixToRpy(pose.rotation)))


class UrdfBuilder:
    """Builds a URDF link by link."""

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
            self.links[name].append(inertial_element(body))

    def joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        origin: pin.SE3,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        limits: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        mimic: tuple[str, float, float] | None = None,
        dynamics: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Add a joint between two links.

        Args:
            name: Name of the joint; a fixed one gets another where this is taken.
            kind: ``revolute``, ``continuous``, ``prismatic`` or ``fixed``.
            parent: Parent link.
            child: Child link.
            origin: Pose of the joint in the parent.
            axis: In the axes of the joint; any length but 0.
            limits: Lower, upper, velocity, effort in SI units; 0 where unknown.
            mimic: Source, multiplier and offset.
            dynamics: Viscous and Coulomb friction in SI units.

        Raises:
            UrdfError: if two moving joints have one name.
        """
        if kind == "fixed":
            name = free_name(name, self._joints)
        elif name in self._joints:
            raise UrdfError(f"two joints are called {name!r}")
        self._joints.add(name)
        tag = SubElement(self.root, "joint", {"name": name, "type": kind})
        set_origin(tag, origin)
        SubElement(tag, "parent", {"link": parent})
        SubElement(tag, "child", {"link": child})
        if kind == "fixed":
            return
        SubElement(tag, "axis", {"xyz": numbers(axis)})
        keys = ("lower", "upper", "velocity", "effort")
        bounds = dict(zip(keys, map(numbers, limits), strict=True))
        if kind == "continuous":
            del bounds["lower"], bounds["upper"]
        SubElement(tag, "limit", bounds)
        if any(dynamics):
            damping, friction = map(numbers, dynamics)
            SubElement(tag, "dynamics", {"damping": damping, "friction": friction})
        if mimic is not None:
            source, *factors = mimic
            multiplier, offset = map(numbers, factors)
            attributes = {"joint": source, "multiplier": multiplier, "offset": offset}
            SubElement(tag, "mimic", attributes)

    def frame(self, name: str, parent: str, origin: pin.SE3) -> None:
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
        origin: pin.SE3,
        colour: ArrayLike | None = None,
    ) -> None:
        """Add a ``visual`` or ``collision`` shape with URDF's attributes of its kind."""
        tag = SubElement(self.links[link], what)
        set_origin(tag, origin)
        SubElement(SubElement(tag, "geometry"), kind, sizes)
        if colour is not None and what == "visual":
            material = SubElement(tag, "material", {"name": ""})
            SubElement(material, "color", {"rgba": numbers(colour)})
