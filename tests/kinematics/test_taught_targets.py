"""Targets of other people's programs, and postures of controllers and programs for poses."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import yaml

import irbmodels as irb
from irbmodels.rapid import RobTarget, read_value

DATA = Path(__file__).parents[1] / "data" / "taught_targets.yaml"
PROGRAMS = yaml.safe_load(DATA.read_text(encoding="utf-8"))
# 0.005 mm, half the last digit of a position, seen from 1 m
ROUNDED = 3e-4  # [deg]
# Susta79/RF210001@7372104, README.md: axis positions, x, y, z [mm], and turns about x, y and z of
# the base, one after the other [deg]; with y at 90 deg, where x and z are one, its second row has
# the sign of z wrong: the table's other robot has +90 there
POSES_4600 = (
    ([0] * 6, (1490.50, 0.0, 1765.00), (0.0, 90.0, 0.0)),
    ([90, 0, 0, 0, 0, 0], (0.0, 1490.50, 1765.00), (0.0, 90.0, 90.0)),
    ([45] * 6, (734.88, 794.99, -21.32), (-144.74, -30.00, 125.26)),
    ([-45] * 6, (-547.50, 607.60, 2559.89), (35.26, -30.00, -144.74)),
)


def placed(numbers):
    """A pose from its text: position [mm] and quaternion, scalar first."""
    position, (w, x, y, z) = numbers
    turn = pin.Quaternion(w, x, y, z).normalized().toRotationMatrix()
    return pin.SE3(turn, np.array(position) / 1000.0)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program["ref"].partition("@")[0])
def test_one_posture_has_the_configuration_that_was_taught(program):
    """Within the ranges, turns of axes 4 and 6 included; a controller's own answer is the same."""
    arm = irb.load(program["robot"]).mounted(placed(((0, 0, 0), program.get("base", (1, 0, 0, 0)))))
    robots = {"tool0": arm} | {
        name: arm.with_tool(irb.Tool(name, placed(tcp), irb.payload(0.1)))
        for name, tcp in program.get("tools", {}).items()
    }
    for position, rotation, configuration, *more in program["targets"]:
        tool, wobj, joints = (*more, *("tool0", "wobj0", None)[len(more) :])
        pose = placed((position, rotation))
        if wobj != "wobj0":
            at = program["wobjs"][wobj]
            pose = placed(at[:2]) * placed(at[2:]) * pose
        found = robots[tool].inverse_kinematics(
            pose, configuration=configuration, in_range=True, reference="world"
        )
        assert len(found) == 1, position
        (shown,) = arm.to_controller(found.q)
        for axis, known in enumerate(joints or ()):
            assert known is None or shown[axis] == pytest.approx(known, abs=ROUNDED), position


@pytest.mark.parametrize(
    "target",
    [
        "[[519.69,-203.82,1877.79],[0.984154,-0.0602298,0.166544,0.00876886],[1,-1,-1,1],",
        "[[962.62,-193.45,1287.19],[0.573207,-0.113406,0.811295,-0.0193108],[1,-1,-1,0],",
    ],
)
def test_a_target_at_the_end_of_axis_3_says_by_how_little_it_is_beyond(target):
    """Two of the program for the IRB 6700-205/2.80, where an operator jogged to the end: 70 deg plus
    what their rounding leaves.
    """
    program = next(program for program in PROGRAMS if program["robot"] == "irb6700_205_280")
    robot, at = irb.load("irb6700_205_280"), program["wobjs"]["wobjMDF"]
    tool = irb.Tool("tool", placed(program["tools"]["USR_toolPinza"]), irb.payload(0.1))
    value = read_value(target + "[9E9,9E9,9E9,9E9,9E9,9E9]]", RobTarget)
    asked = {"configuration": value.robconf.values}
    pose = placed(at[:2]) * value.pose()
    (only,) = robot.with_tool(tool).inverse_kinematics(pose, **asked)
    beyond = robot.to_controller(only.q)[2] - 70.0
    assert 0.0 < beyond < 0.005
    none = robot.with_tool(tool).inverse_kinematics(pose, in_range=True, **asked)
    assert none.note == (
        f"none of 1 solutions is in range; the nearest has q3 = {70.0 + beyond:.4f} not in -180 .. 70"
        " deg"
    )


def test_programs_are_many():
    """Eight programs of six arms, 80 targets, and 34 configurations of cf4, cf6 and cfx."""
    rows = [row for program in PROGRAMS for row in program["targets"]]
    assert len({program["robot"] for program in PROGRAMS}) == 6
    assert (len(PROGRAMS), len(rows)) == (8, 80)
    assert len({tuple(row[2][1:]) for row in rows}) == 34


def test_postures_of_an_irb_1410_in_robotstudio():
    """An arm with bars: the nearest answer for each pose is the posture that is printed there, to
    the rounding of its digits; of a straight wrist the sum of axes 4 and 6.
    """
    robot = irb.load("irb1410")
    rows = yaml.safe_load((DATA.parent / "irb1410_poses.yaml").read_text(encoding="utf-8"))
    for number, (shown, position, rotation) in enumerate(rows, start=1):
        pose, q = placed((position, rotation)), robot.from_controller(shown)
        if number == 7:
            q[0] = np.radians(-133.73)
        off = robot.inverse_kinematics(pose, near=q, in_range=True)[0].q - q
        if number == 18:
            off[3] = off[5] = off[3] + off[5]
        assert np.degrees(np.abs(off)).max() < 0.0051, number
        away = pose.actInv(robot.pose(q))
        assert 1000.0 * np.linalg.norm(away.translation) < 0.3, number  # 0.01 deg at 1.4 m
    assert len(rows) == 20


@pytest.mark.parametrize(("shown", "position", "turns"), POSES_4600)
def test_poses_of_an_irb_4600_in_a_public_table(shown, position, turns):
    """IRB 4600-20/2.50, whose wrist is shorter than its sisters': each digit."""
    robot = irb.load("irb4600_20_250")
    pose = robot.pose(robot.from_controller(shown))
    np.testing.assert_allclose(1000.0 * pose.translation, position, atol=0.0051)
    expected = pin.rpy.rpyToMatrix(np.radians(turns))
    assert np.degrees(np.linalg.norm(pin.log3(expected.T @ pose.rotation))) < 0.01


def test_an_answer_of_another_program_for_an_irb_120():
    """visose/Robots@0dc8ad4, tests/Robots.Tests/ABBTests.cs (MIT): a plane that its own inverse
    kinematics turns into a MoveAbsJ of four decimals, wrist flipped.
    """
    robot = irb.load("irb120")
    pose = placed(((300.0, 200.0, 610.0), (0.5, 0.5, 0.5, 0.5)))
    found = robot.to_controller(robot.inverse_kinematics(pose, in_range=True).q)
    theirs = [41.257, -0.5638, 4.3298, 85.7179, -41.3979, 5.7002]
    assert np.abs(found - theirs).max(axis=1).min() < 6e-5
