"""Work objects, tools and base frames of a cell, composed as ABB's reference manual defines them.

uframe: user frame in the world, or in the wrist (tool0) where the robot holds the object; oframe:
object frame in the user frame; a target: TCP in the object frame; tframe: TCP in the wrist, or in
the world where the tool is stationary; the base frame: base in the world. Every matrix is written
here from positions and quaternions.
"""

import numpy as np
import pinocchio as pin
import pytest

import irbmodels as irb
from irbmodels import rapid

# nine decimals of a quaternion are 2e-9 rad, on up to 3 m
ROUNDED = 1e-8
Q = np.array([0.3, 0.2, -0.4, 0.5, 0.7, -0.6])


def matrix(numbers):
    """Homogeneous matrix of x, y, z [mm] and q1 .. q4, scalar first: v + 2 w (u x v) + 2 u x u x v."""
    place, (w, *u) = np.array(numbers[:3]), np.divide(numbers[3:], np.linalg.norm(numbers[3:]))
    cross = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    result = np.eye(4)
    result[:3, :3] += 2.0 * w * cross + 2.0 * cross @ cross
    result[:3, 3] = place / 1000.0
    return result


def frame(numbers):
    """Text of a pose, its quaternion of length 1."""
    unit = np.divide(numbers[3:], np.linalg.norm(numbers[3:]))
    return f"[[{','.join(map(str, numbers[:3]))}],[{','.join(f'{x:.15f}' for x in unit)}]]"


def wobj(held, user, part, unit=""):
    moves = "FALSE" if unit else "TRUE"
    text = f'[{"TRUE" if held else "FALSE"},{moves},"{unit}",{frame(user)},{frame(part)}]'
    return rapid.read_value(text, rapid.WobjData)


def tool(held, tcp):
    load = "[1,[0,0,50],[1,0,0,0],0,0,0]"
    text = f"[{'TRUE' if held else 'FALSE'},{frame(tcp)},{load}]"
    return rapid.read_value(text, rapid.ToolData)


def target(pose, external=(9e9,) * 6):
    """Robtarget at a homogeneous matrix."""
    value = rapid.Pose.of(pin.SE3(pose))
    axes = ",".join("9E9" if x > 1e8 else str(x) for x in external)
    text = f"[{value.trans},{value.rot},[0,0,0,0],[{axes}]]"
    return rapid.read_value(text, rapid.RobTarget)


BASE = (1200, -700, 2500, 0.1, 0.7, -0.5, 0.5)
USER, PART = (900, 100, 1400, 0.8, 0.3, -0.4, 0.3), (50, -100, 20, 0.9, 0.1, 0.3, -0.3)
TCP = (10, -30, 180, 0.9, -0.2, 0.3, 0.1)


def test_a_held_tool_at_a_fixed_object():
    """world_from_base base_from_tool0 tframe = uframe oframe target."""
    robot = irb.load("irb2400").mounted(matrix(BASE))
    tool0 = matrix(BASE) @ irb.load("irb2400").pose(Q, "tool0").homogeneous
    inside = np.linalg.inv(matrix(USER) @ matrix(PART)) @ tool0 @ matrix(TCP)
    data, there = tool(True, TCP), wobj(False, USER, PART)
    found = rapid.tool0_pose(target(inside), data, there)
    np.testing.assert_allclose(found.homogeneous, tool0, rtol=0, atol=ROUNDED)
    q = robot.inverse_kinematics(found, reference="world", near=Q)[0].q
    np.testing.assert_allclose(q, Q, rtol=0, atol=1e-7)
    mounted = robot.with_tool(irb.Tool("t", data.tframe.se3(), irb.payload(1.0)))
    pose = target(inside).pose(there)
    q = mounted.inverse_kinematics(pose, reference="world", near=Q)[0].q
    np.testing.assert_allclose(q, Q, rtol=0, atol=1e-7)


def test_a_held_object_at_a_stationary_tool():
    """world_from_base base_from_tool0 uframe oframe target = tframe."""
    robot = irb.load("irb2400").mounted(matrix(BASE))
    tool0 = matrix(BASE) @ irb.load("irb2400").pose(Q, "tool0").homogeneous
    stands = (1500, -300, 1100, 0.6, 0.3, 0.7, -0.2)
    inside = np.linalg.inv(tool0 @ matrix(USER) @ matrix(PART)) @ matrix(stands)
    found = rapid.tool0_pose(target(inside), tool(False, stands), wobj(True, USER, PART))
    np.testing.assert_allclose(found.homogeneous, tool0, rtol=0, atol=ROUNDED)
    q = robot.inverse_kinematics(found, reference="world", near=Q)[0].q
    np.testing.assert_allclose(q, Q, rtol=0, atol=1e-7)


def test_an_object_on_a_unit_that_stands_in_the_cell():
    """The user frame is the unit's last link in the world; its uframe is not used."""
    floor = irb.from_urdf(irb.urdf_path("positioner"))
    stands = (800, 900, 300, 0.7, 0.1, -0.2, 0.6)
    table = matrix(stands) @ floor.pose(np.radians([15.0, -35.0])).homogeneous
    units = {"stn1": floor.mounted(matrix(stands))}
    there = wobj(False, (9, 9, 9, 1, 0, 0, 0), PART, "STN1")
    tool0 = matrix(BASE) @ irb.load("irb2400").pose(Q, "tool0").homogeneous
    inside = np.linalg.inv(table @ matrix(PART)) @ tool0 @ matrix(TCP)
    goal = target(inside, (15, -35, 9e9, 9e9, 9e9, 9e9))
    found = rapid.tool0_pose(goal, tool(True, TCP), there, units)
    np.testing.assert_allclose(found.homogeneous, tool0, rtol=0, atol=ROUNDED)
    assert str(goal.moved(goal.pose(there, units), there, units)) == str(goal)
    turned = target(inside, (25, -35, 9e9, 9e9, 9e9, 9e9))
    moved = rapid.tool0_pose(turned, tool(True, TCP), there, units).homogeneous
    assert abs(moved - tool0).max() > 0.05
    with pytest.raises(irb.InputError, match="holds neither tool nor work object"):
        rapid.tool0_pose(goal, tool(False, TCP), there, units)
