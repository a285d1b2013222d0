"""A URDF as text and as XML elements."""

from __future__ import annotations

from xml.etree import ElementTree

from ..errors import UrdfError


def parse_urdf(text: str) -> ElementTree.Element:
    """Return the root element of a URDF text.

    Raises:
        UrdfError: if it is not XML, or not a robot.
    """
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as err:
        raise UrdfError(f"not XML: {err}") from err
    if robot.tag != "robot":
        raise UrdfError(f"the root element is <{robot.tag}>, not <robot>")
    return robot
