"""Bodies and friction written into a URDF, whose other elements and comments stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike

from .inertia import Inertial
from .urdf import parse_urdf

INERTIA_ENTRIES = {f"i{'xyz'[i]}{'xyz'[j]}": (i, j) for i in range(3) for j in range(i, 3)}
"""Attributes of ``<inertia>`` with their places in the tensor."""


def numbers(values: ArrayLike) -> str:
    """Return numbers with a blank between them and all their digits.

    A minus before a zero is dropped.
    """
    return " ".join(repr(float(value) + 0.0) for value in np.ravel(np.asarray(values, dtype=float)))


def inertial_element(body: Inertial | None) -> Element:
    """Return ``<inertial>`` of a body in its link's axes; None is an explicit mass of 0."""
    tag = Element("inertial")
    if body is not None:
        SubElement(tag, "origin", {"xyz": numbers(body.com), "rpy": "0 0 0"})
    mass, tensor = (0.0, np.zeros((3, 3))) if body is None else (body.mass, body.tensor)
    SubElement(tag, "mass", {"value": numbers(mass)})
    SubElement(tag, "inertia", {key: numbers(tensor[at]) for key, at in INERTIA_ENTRIES.items()})
    return tag


def parse_with_comments(text: str) -> Element:
    """Return the root element of a URDF text, comments included.

    Raises:
        UrdfError: if it is not XML, or not a robot.
    """
    parse_urdf(text)
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    return ElementTree.fromstring(text, parser)


def urdf_text(root: Element) -> str:
    """Return a URDF as text, indented."""
    ElementTree.indent(root)
    return f'<?xml version="1.0" ?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def with_bodies(
    text: str, bodies: Mapping[str, Inertial], friction: Mapping[str, tuple[float, float]] | None
) -> str:
    """Return a URDF with other bodies.

    Args:
        text: The URDF.
        bodies: By the link that a moving joint carries, in its axes, with all that is fixed to it:
            the links fixed to it weigh nothing then.
        friction: Viscous and Coulomb friction of joints in ``<dynamics>``; others have none. None
            leaves what is there.
    """
    root = parse_with_comments(text)
    links = {str(link.get("name")): link for link in root.iterfind("link")}
    joints = list(root.iterfind("joint"))
    for name, body in bodies.items():
        _set_body(links[name], body)
        for fixed in _fixed_to(name, joints):
            if links[fixed].find("inertial") is not None:
                _set_body(links[fixed], None)
    for joint in joints if friction is not None else ():
        for tag in joint.findall("dynamics"):
            joint.remove(tag)
        damping, dry = (friction or {}).get(str(joint.get("name")), (0.0, 0.0))
        if damping or dry:
            SubElement(joint, "dynamics", damping=numbers(damping), friction=numbers(dry))
    return urdf_text(root)


def _set_body(link: Element, body: Inertial | None) -> None:
    for tag in link.findall("inertial"):
        link.remove(tag)
    link.insert(0, inertial_element(body))


def _fixed_to(link: str, joints: Iterable[Element]) -> list[str]:
    """Return the links that fixed joints attach to a link, one after the other."""
    fixed = [link]
    pairs = [
        (parent.get("link"), str(child.get("link")))
        for joint in joints
        if joint.get("type") == "fixed"
        and (parent := joint.find("parent")) is not None
        and (child := joint.find("child")) is not None
    ]
    for above in fixed:  # which grows
        fixed += [child for parent, child in pairs if parent == above]
    return fixed[1:]
