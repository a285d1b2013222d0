"""XML elements with their text, for SDF and MJCF."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement


def add(parent: Element, tag: str, **attributes: str) -> Element:
    """Add an element and return it."""
    return SubElement(parent, tag, attributes)


def add_text(parent: Element, tag: str, text: str, **attributes: str) -> None:
    """Add an element with a text."""
    SubElement(parent, tag, attributes).text = text


def serialised(root: Element) -> str:
    """Return an element as indented text."""
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"
