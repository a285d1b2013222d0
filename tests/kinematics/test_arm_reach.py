"""Arms made from data sheets: poses of their lengths, reach, points of ABB's working ranges."""

import arm_facts
import numpy as np
import pytest
from grouped import together

import irbmodels as irb
from irbmodels import cli

DRAWN = (*arm_facts.LENGTHS, *arm_facts.SCARA_ARMS)
# ABB product manual IRB 120, 3HAC035728-001, p. 46: x and z of the wrist centre [mm], axes 2 and 3
# [deg]; at D and H it prints z = 270, and axis 2, in whose height they lie, is at 290. z of E is
# 91.88 by the drawing's own lengths: the print has cut off what it rounds elsewhere (C: 300.15, G:
# 445.40, D: 290.27 and H: 289.73 beside 290)
DRAWN_120 = {
    "A": (302, 630, 0, 0),
    "B": (0, 870, 0, -77),
    "C": (169, 300, 0, 70),
    "D": (580, 290, 90, -77),
    "E": (545, 91, 110, -77),
    "F": (-440, -50, -110, -110),
    "G": (-67, 445, -110, 70),
    "H": (-580, 290, -90, -77),
    "J": (-545, 91, -110, -77),
}


def test_every_arm_is_here():
    """All that is shipped, but those whose lengths the oracles have, the offset wrist, seven axes,
    and palletizers, which have tests of their own.
    """
    tested_apart = ("irb2400", "irb1400", "irb1600", "irb930", "crb15000", "irb14000")
    families = (*tested_apart, *arm_facts.PALLETIZERS)
    assert {name for name in irb.robots() if irb.describe(name).family not in families} == set(
        DRAWN
    )


@together("name", arm_facts.LENGTHS)
def test_poses_are_those_of_the_lengths(name):
    """Joint by joint from lengths typed apart, within all ranges."""
    q = arm_facts.positions(name, 100)
    np.testing.assert_allclose(irb.load(name).pose(q), arm_facts.poses(name, q), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", arm_facts.SCARA_ARMS)
def test_a_scara_reaches_where_its_arms_do(name):
    """Two arms in a plane; the tool points down and turns against axis 4."""
    robot, (a1, a2) = irb.load(name), np.array(arm_facts.SCARA_ARMS[name]) / 1000.0
    q = np.random.default_rng(0).uniform(robot.limits.lower, robot.limits.upper, (100, 4))
    T, both = robot.pose(q), q[:, 0] + q[:, 1]
    xy = np.stack(
        [a1 * np.cos(q[:, 0]) + a2 * np.cos(both), a1 * np.sin(q[:, 0]) + a2 * np.sin(both)], 1
    )
    np.testing.assert_allclose(T[:, :2, 3], xy, atol=1e-12)
    np.testing.assert_allclose(np.diff(T[:, 2, 3]), np.diff(q[:, 2]), atol=1e-12)
    yaw = both - q[:, 3]
    np.testing.assert_allclose(T[:, :2, 0], np.stack([np.cos(yaw), np.sin(yaw)], 1), atol=1e-12)
    np.testing.assert_allclose(T[:, :3, 2], np.tile([0.0, 0.0, -1.0], (100, 1)), atol=1e-12)


@together("name", DRAWN)
def test_reach(name):
    """Of the model's working range: that of a search over typed lengths to 0.1 mm, and the stated
    one to 6 mm, which rounding explains.
    """
    robot = irb.load(name)
    reach = 1000.0 * robot.workspace().extremes().reach
    assert reach == pytest.approx(arm_facts.REACH[name], abs=0.1)
    assert abs(reach - robot.description.limits.ratings.reach_mm) < 6.0


def test_reach_is_printed_beside_the_stated_one(capsys):
    """The difference with its sign; of a TCP, and of the wrist of a CRB 15000, nothing is stated."""
    assert cli.main(["workspace", "irb4400_60_196"]) == 0
    cells = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["stated", "reach", "1960.0"] in cells
    assert ["beyond", "it", "-5.3"] in cells
    for other in (["irb120", "--wrist-deg", "0,30,0"], ["crb15000_5_95"]):
        assert cli.main(["workspace", *other]) == 0
        assert "stated reach" not in capsys.readouterr().out


@together("point", DRAWN_120)
def test_points_of_the_working_range_of_the_irb_120(point):
    """Nine of ABB's drawing, which rounds to whole mm, one cut off: at its posture, and at the
    posture that the inverse kinematics finds there.
    """
    robot = irb.load("irb120")
    x, z, q2, q3 = DRAWN_120[point]
    q = robot.from_controller([0, q2, q3, 0, 40, 0])
    wrist = 1000.0 * robot.pose(q, "link_5").translation
    if point == "E":
        wrist[2] = np.floor(wrist[2])
    np.testing.assert_allclose(wrist, [x, 0.0, z], rtol=0, atol=0.5)
    back = robot.inverse_kinematics(robot.pose(q), in_range=True)
    assert np.abs(back.q - q).max(axis=1).min() < 1e-9


def test_sizes_of_the_working_range_of_the_irb_120():
    """Height of the range and turning radius as ABB prints them."""
    ahead, behind, top, bottom, reach = 1000.0 * np.array(irb.load("irb120").workspace().extremes())
    assert [ahead, behind, top, reach] == pytest.approx([580.0, -580.0, 870.0, 580.0], abs=0.5)
    assert top - bottom == pytest.approx(982.0, abs=0.5)


def test_sizes_of_the_working_range_of_the_irb_6700():
    """IRB 6700-235/2.65 [ABB 3HAC080365-001, as public notes have it]."""
    ahead, _, top, bottom, _ = 1000.0 * np.array(irb.load("irb6700_235_265").workspace().extremes())
    assert [ahead, top, bottom] == pytest.approx([2650.0, 3114.0, -320.0], abs=0.5)
