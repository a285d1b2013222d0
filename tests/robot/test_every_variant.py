"""What every shipped variant must do, apart from dynamics: poses of ABB's drawing, all postures of a
pose back, files of which the doctor and other parsers say nothing new.
"""

import shutil
import subprocess

import arm_facts
import numpy as np
import oracles
import pytest
import shipped

import irbmodels as irb
from irbmodels.exchange.doctor import examine

LENGTHS = {  # d1, a1, a2, a3, d4, d6 [mm]
    **arm_facts.LENGTHS,
    **{
        name: tuple(1000.0 * length for length in oracles.DIMENSIONS[name])
        for name in oracles.SIX_AXIS
    },
}
WITH_BARS = (*oracles.PARALLELOGRAM, *arm_facts.BARS)
QUARTER = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # tool0: z ahead, x down


def drawing_pose(name, q):
    """Return the pose of tool0 from turns of a drawing: axis 2 leans the lower arm ahead, axis 3
    turns the upper arm down, against the lower arm or, with bars, against the floor.
    """
    d1, a1, a2, a3, d4, d6 = np.array(LENGTHS[name]) / 1000.0
    z, y, x = (lambda angle, axis=axis: oracles.rotation(axis, angle)[:3, :3] for axis in (2, 1, 0))
    upper = q[2] if name in WITH_BARS else q[1] + q[2]
    arm = np.array([a1, 0, d1]) + y(q[1]) @ [0, 0, a2] + y(upper) @ [d4, 0, a3]
    turn = z(q[0]) @ y(upper) @ x(q[3]) @ y(q[4]) @ x(q[5])
    pose = np.eye(4)
    pose[:3, :3] = turn @ QUARTER
    pose[:3, 3] = z(q[0]) @ arm + turn @ [d6, 0, 0]
    return pose


def postures(robot, count, seed=7):
    """Return postures inside all ranges, away from their ends."""
    rng, (low, high) = np.random.default_rng(seed), robot.limits.envelope()
    middle, half = 0.5 * (low + high), 0.45 * (high - low)
    inside = []
    while len(inside) < count:
        q = middle + half * rng.uniform(-1.0, 1.0, robot.n)
        if robot.in_range(q):
            inside.append(q)
    return np.array(inside)


@shipped.of_variants(LENGTHS)
def test_poses_are_those_of_the_drawing(name):
    """Position and orientation of tool0, to rounding; the URDF beside the tables has them too."""
    robot, other = irb.load(name), irb.from_urdf(irb.urdf_path(name))
    for q in postures(robot, 5):
        expected = drawing_pose(name, q)
        np.testing.assert_allclose(robot.pose(q, "tool0").homogeneous, expected, atol=1e-12)
        np.testing.assert_allclose(other.pose(q, "tool0").homogeneous, expected, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in shipped.ALL if "910" in name])
def test_poses_of_the_910_are_those_of_the_drawing(name):
    """Two arms in a plane and a stroke downwards."""
    robot = irb.load(name)
    inner, height = {"3_45": 0.2, "3_55": 0.3, "3_65": 0.4}[name[-4:]], 0.22
    for q in postures(robot, 5):
        both = q[0] + q[1]
        x, y = (inner * f(q[0]) + 0.25 * f(both) for f in (np.cos, np.sin))
        expected = [x, y, height + q[2]]
        np.testing.assert_allclose(robot.pose(q, "tool0").translation, expected, atol=1e-12)


@shipped.of_variants(name for name in shipped.ALL if "14000" not in name)
def test_postures_come_back_from_their_poses(name):
    """The posture is among the solutions, in range, and each solution has the pose."""
    robot = irb.load(name)
    for q in postures(robot, 4):
        pose = robot.pose(q)
        solutions = robot.inverse_kinematics(pose, turns=True, in_range=True)
        near = min(np.abs(one.q - q).max() for one in solutions)
        assert near < 1e-7, robot.to_controller(q)
        for one in solutions:
            assert robot.in_range(one.q)
            np.testing.assert_allclose(robot.pose(one.q).homogeneous, pose.homogeneous, atol=1e-9)


@shipped.of_variants(shipped.ALL)
def test_the_doctor_finds_what_is_unknown_and_nothing_else(name):
    """Notes on carriers; without masses also that, and efforts of 0; speeds of 0."""
    findings = [one for one in examine(irb.urdf_path(name)) if one.severity != "note"]
    expected = {"zero velocity"} if np.isinf(irb.load(name).limits.velocity).any() else set()
    if name in shipped.MASSES_UNKNOWN:
        expected |= {"zero effort", "moves without mass"}
    assert {one.what for one in findings} == expected


@pytest.mark.skipif(shutil.which("check_urdf") is None, reason="check_urdf is not installed")
@shipped.of_variants(shipped.ALL)
def test_check_urdf_reads_the_file(name):
    """ROS's parser builds the tree from base_link to tool0."""
    done = subprocess.run(
        ["check_urdf", irb.urdf_path(name)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "tool0" in done.stdout
