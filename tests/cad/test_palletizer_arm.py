"""The drawing of palletizers: links meet where pins hold them, and none runs into another."""

from itertools import combinations

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.cad.builds import bodies
from irbmodels.cad.link_frames import link_frames
from irbmodels.robot.collision import Collider, adjacent, random_postures

NAMES = ("irb260_30_150", "irb460_110_240", "irb660_180_315", "irb760_450_320")
HELD = (
    ("base_link", "link_1"), ("link_1", "link_2"), ("link_2", "link_3"), ("link_3", "link_level"),
    ("link_level", "link_4"), ("link_1", "link_crank"), ("link_crank", "link_rod"),
    ("link_rod", "link_3"), ("link_1", "link_lower_rod"), ("link_lower_rod", "link_carrier"),
    ("link_carrier", "link_upper_rod"), ("link_upper_rod", "link_level"),
    ("link_carrier", "link_3"),
)  # fmt: skip


def drawn(name):
    """Solids of the links of an arm at home [mm]."""
    result = {}
    for link, body in bodies(irb.describe(name)).items():
        first, *others = body.drawn().values()
        for other in others:
            first = first + other
        result[link] = first
    return result


@pytest.mark.parametrize("name", NAMES)
def test_links_meet_at_pins_and_nowhere_else(name):
    """Held ones are 10 mm apart at most; of the others no two share any room at home."""
    links = drawn(name)
    assert set(links) == set(irb.describe(name).links)
    for one, other in HELD:
        assert links[one].min_gap(links[other], 50.0) < 10.0, (one, other)
    for one, other in combinations(links, 2):
        if (one, other) not in HELD and (other, one) not in HELD:
            assert (links[one] ^ links[other]).volume() < 1.0, (one, other)


@pytest.mark.parametrize("name", NAMES)
def test_frames_of_the_drawing_are_those_of_the_tree(name):
    """At home, of every link and bar: the meshes are drawn where the URDF has them."""
    robot = irb.load(name)
    frames = link_frames(robot.description)
    assert set(frames) == set(robot.description.links)
    for link, frame in frames.items():
        pose = robot.pose(np.zeros(4), link).homogeneous
        np.testing.assert_allclose(frame, pose, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_flange_is_at_tool0(name):
    """Its face looks down there; the foot stands on the floor."""
    links, tool0 = drawn(name), irb.load(name).pose(np.zeros(4)).translation * 1e3
    box = np.reshape(links["link_4"].bounding_box(), (2, 3))
    assert box[0, 2] == pytest.approx(tool0[2], abs=1e-6)
    np.testing.assert_allclose(box.mean(axis=0)[:2], tool0[:2], atol=0.1)
    assert links["base_link"].bounding_box()[2] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_no_posture_above_the_floor_collides(name):
    """Over all ranges; what is below the floor the drawing does not bound."""
    robot = irb.load(name)
    collider = Collider(robot, ignored=adjacent(robot))
    for q in random_postures(robot.limits, 400, seed=8):
        if robot.pose(q).translation[2] > 0.0:
            assert not collider.touches(q), (np.degrees(q), collider.contacts(q))
