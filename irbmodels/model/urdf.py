"""A URDF as text and as XML elements."""

from __future__ import annotations

import math
from xml.etree import ElementTree

from ..errors import UrdfError, short_repr


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


# elements of links and joints, their attributes, the numbers in each, and whether it must be there
_READ = (
    ("link", "inertial/mass", ("value",), 1, True),
    ("link", "inertial/inertia", ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), 1, True),
    ("link", "inertial/origin", ("xyz", "rpy"), 3, False),
    ("joint", "origin", ("xyz", "rpy"), 3, False),
    ("joint", "axis", ("xyz",), 3, False),
    ("joint", "limit", ("lower", "upper", "effort", "velocity"), 1, False),
)


def check_numbers(robot: ElementTree.Element) -> None:
    """Check the numbers that dynamics need.

    Pinocchio's reader leaves a body out in silence if one of its numbers is wrong.

    Raises:
        UrdfError: with link or joint, element and attribute.
    """
    for owner, place, keys, count, needed in _READ:
        for part in robot.iterfind(owner):
            for element in part.iterfind(place):
                for key in keys:
                    value = element.get(key)
                    if (value is None and needed) or not (
                        value is None or _holds_numbers(value, count)
                    ):
                        wanted = f"{count} finite numbers" if count > 1 else "a finite number"
                        given = "is missing" if value is None else f"is {short_repr(value, 40)}"
                        what = (
                            f"{owner} {short_repr(part.get('name'), 40)}: {key} of <{element.tag}>"
                            f" {given}"
                        )
                        raise UrdfError(f"{what}; it needs {wanted}")
    for link in robot.iterfind("link"):
        for inertial in link.iterfind("inertial"):
            for tag in ("mass", "inertia"):
                if inertial.find(tag) is None:
                    raise UrdfError(
                        f"link {short_repr(link.get('name'), 40)}: <inertial> has no <{tag}>; it"
                        " needs both"
                    )


def _holds_numbers(text: str, count: int) -> bool:
    words = text.split()
    try:
        return len(words) == count and all(
            "_" not in word and math.isfinite(float(word)) for word in words
        )
    except ValueError:
        return False
