"""The small picture that a robot is in a notebook."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import irbmodels as irb

LINK = """<link name="{name}"><visual><origin xyz="{xyz}" rpy="1.5707963267948966 0 0"/>
<geometry>{shape}</geometry><material name="{name}"><color rgba="{colour} 1"/></material>
</visual></link>"""
JOINT = """<joint name="j_{name}" type="revolute"><parent link="base"/><child link="{name}"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>"""
COLOURS = {"base": "1 0 0", "up": "0 1 0", "right": "0 0 1", "far": "0 0 0"}


def polygons(robot: irb.Robot) -> dict[str, np.ndarray]:
    """Return the corners of each outline by its colour, in the order that they are drawn in."""
    svg = ElementTree.fromstring(re.search("<svg.*</svg>", robot._repr_html_(), re.S)[0])
    return {
        part.get("fill"): np.array([row.split(",") for row in part.get("points").split()], float)
        for part in svg
    }


def cell(folder, shape='<box size=".2 .2 .2"/>') -> irb.Robot:
    """Return four bodies of one shape: at the origin, above it, to the right, behind it."""
    places = {"base": "0 0 0", "up": "0 0 1", "right": ".7 .7 0", "far": "-1 1 0"}
    links = [
        LINK.format(name=name, xyz=xyz, shape=shape, colour=COLOURS[name])
        for name, xyz in places.items()
    ]
    joints = [JOINT.format(name=name) for name in places if name != "base"]
    path = folder / "cell.urdf"
    path.write_text(f"<robot name='cell'>{''.join(links + joints)}</robot>")
    return irb.from_urdf(path)


def test_up_is_up_and_near_is_in_front(tmp_path):
    """Bodies stand where someone sees them who looks from the front right, and cover others."""
    robot = cell(tmp_path)
    drawn = polygons(robot)
    base, up, right, far = (
        drawn[f"rgb({red}00% {green}00% {blue}00%)".replace("000%", "0%")].mean(axis=0)
        for red, green, blue in (colour.split() for colour in COLOURS.values())
    )
    assert up[1] < base[1] - 900.0  # [mm]; y of SVG points down
    assert abs(up[0] - base[0]) < 1.0
    assert right[0] > base[0] + 900.0
    assert far[1] < base[1] - 300.0
    assert next(iter(drawn)) == "rgb(0% 0% 0%)"
    hung = polygons(robot.mounted(np.diag([1.0, -1.0, -1.0])))
    assert hung["rgb(0% 100% 0%)"].mean() > hung["rgb(100% 0% 0%)"].mean()


@pytest.mark.parametrize(
    ("shape", "length"),
    [('<sphere radius=".2"/>', 0.0), ('<cylinder radius=".2" length="1"/>', 1.0)],
)
def test_round_bodies_have_their_size(tmp_path, shape, length):
    """A sphere is a disc; a cylinder, turned to lie along y, has its shadow from every side."""
    corners = polygons(cell(tmp_path, shape))["rgb(100% 0% 0%)"]
    azimuth, above = np.radians([43.0, 16.0])  # of the viewer
    along_y = np.array([np.sin(azimuth), np.cos(azimuth) * np.sin(above)])  # of right and up
    shadow = 1000.0 * (length * along_y + 0.4 * (np.sqrt(1.0 - along_y**2) if length else 1.0))
    # rounded to 1 mm; 24 corners to a circle of 400 mm lack up to 3.4 mm on either side
    np.testing.assert_allclose(np.ptp(corners, axis=0), shadow, atol=8.0)


@pytest.mark.parametrize("name", ["irb2400", "irb460", "irb930", "irb14000_left"])
def test_a_robot_is_light_in_a_notebook(name):
    """A hundredth of its page (1.5 MB); every visual body with a colour of its own is drawn."""
    robot = irb.load(name, tool="spindle" if name == "irb2400" else None)
    text = robot._repr_html_()
    assert len(text) < 20_000
    assert text.count("<polygon") >= robot.n
    assert "irb.Actor(robot)" in text
