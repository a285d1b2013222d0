"""Poses and Jacobians against the plain product of the MDH matrices and against derivatives of the
pose.
"""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from grouped import together

import irbmodels as irb

EXACT = 1e-12  # [m, -] products of a dozen matrices with entries up to 2
STEP = 1e-6  # central difference: error about STEP^2 + 1e-16 / STEP = 1e-10


def spin_of(slope: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Return the angular velocity of ``dR/dq R'``."""
    skew = slope @ turn.T
    return (
        np.array([skew[2, 1] - skew[1, 2], skew[0, 2] - skew[2, 0], skew[1, 0] - skew[0, 1]]) / 2.0
    )


def differenced(
    robot: irb.Robot, q: np.ndarray, frame: str, point: np.ndarray | None
) -> np.ndarray:
    """Return the Jacobian in base axes from central differences of the pose."""
    columns = []
    for step in STEP * np.eye(q.size):
        ahead, behind = (robot.pose(q + sign * step, frame, point).homogeneous for sign in (1, -1))
        slope = (ahead - behind) / (2.0 * STEP)
        columns.append(np.r_[slope[:3, 3], spin_of(slope[:3, :3], robot.pose(q, frame).rotation)])
    return np.array(columns).T


@together("name", oracles.NAMES)
def test_tool0_is_the_product_of_the_mdh_matrices(name):
    """The URDF that xacro builds gives the tool pose of the typed MDH rows."""
    robot, arm = irb.load(name), oracles.arm(name)
    for q, _, _ in oracles.states(name, 20):
        np.testing.assert_allclose(
            robot.pose(q, "tool0").homogeneous, oracles.tip_pose(arm, q), rtol=0, atol=EXACT
        )


@pytest.mark.parametrize("name", oracles.NAMES)
def test_every_link_frame_is_an_mdh_frame(name):
    """link_1 .. link_n are the MDH frames, on whichever tree dynamics run."""
    arm = oracles.arm(name)
    for coupling in irb.describe(name).couplings:
        robot = irb.load(name, coupling=coupling, parameters=oracles.open_chain(name))
        for q, _, _ in oracles.states(name, 3, seed=1):
            for number, expected in enumerate(oracles.poses(arm, q)[: robot.n], start=1):
                np.testing.assert_allclose(
                    robot.pose(q, f"link_{number}").homogeneous, expected, rtol=0, atol=EXACT
                )


@pytest.mark.parametrize("name", oracles.SIX_AXIS)
def test_pose_is_the_closed_formula_in_controller_axes(name):
    """All signs are plus in ABB's convention: Rz, Ry, Ry, Rx, Ry, Rx outward from the floor."""
    robot = irb.load(name)
    d1, a1, a2, a3, d4, d6 = oracles.DIMENSIONS[name]
    turn, shift = oracles.rotation, oracles.shift
    for q, _, _ in oracles.states(name, 10, seed=2):
        r3 = q[2] - q[1] if name in oracles.PARALLELOGRAM else q[2]
        expected = (
            turn(2, q[0])
            @ shift(a1, 0, d1)
            @ turn(1, q[1])
            @ shift(0, 0, a2)
            @ turn(1, r3)
            @ shift(d4, 0, a3)
        )
        expected = (
            expected
            @ turn(0, q[3])
            @ turn(1, q[4])
            @ shift(d6, 0, 0)
            @ turn(0, q[5])
            @ turn(1, np.pi / 2)
        )
        np.testing.assert_allclose(robot.pose(q, "tool0").homogeneous, expected, rtol=0, atol=EXACT)


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_upper_arm_keeps_its_direction_while_axis_2_moves(name):
    """The parallelogram makes axis 3 the absolute angle of the upper arm."""
    robot = irb.load(name)
    for q2 in (-0.9, 0.3, 1.1):
        turned = robot.pose([0.4, q2, 0.5, 0, 0, 0], "link_3").rotation
        np.testing.assert_allclose(
            turned, robot.pose([0.4, 0.0, 0.5, 0, 0, 0], "link_3").rotation, atol=EXACT
        )


@together("name", oracles.NAMES)
def test_flange_has_x_where_tool0_has_z(name):
    """Frames flange and tool0 share their origin; tool0 is flange turned by 90 deg about y
    (REP-199).
    """
    robot = irb.load(name)
    quarter = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    for q, _, _ in oracles.states(name, 3, seed=3):
        flange, tool0 = robot.pose(q, "flange"), robot.pose(q, "tool0")
        np.testing.assert_allclose(flange.translation, tool0.translation, atol=EXACT)
        np.testing.assert_allclose(flange.rotation.T @ tool0.rotation, quarter, atol=EXACT)


@together("name", oracles.NAMES)
def test_base_frames_stand_on_the_floor(name):
    """Frames base and base_link are the base frame of the controller, at every position of the
    axes.
    """
    for frame in ("base", "base_link"):
        np.testing.assert_array_equal(
            irb.load(name).pose(oracles.states(name, 1)[0, 0], frame).homogeneous, np.eye(4)
        )


def test_scara_goes_up_with_axis_3_and_turns_its_tool_about_down():
    """Axis 3 counts up in metres, tool0 looks down, and axis 4 turns about tool0's z."""
    robot = irb.load("irb930")
    low, high = (robot.pose([0.2, 0.3, z, 0.4]) for z in (-0.25, -0.05))
    np.testing.assert_allclose(high.translation - low.translation, [0, 0, 0.2], atol=EXACT)
    np.testing.assert_allclose(low.rotation[:, 2], [0, 0, -1], atol=EXACT)
    np.testing.assert_allclose(
        robot.jacobian([0.2, 0.3, -0.1, 0.4])[:, 3], [0, 0, 0, 0, 0, -1], atol=EXACT
    )
    assert high.translation[2] == pytest.approx(0.272 + 0.1235 + 0.1687 - 0.05)


@together("name", oracles.NAMES)
def test_jacobian_is_the_geometric_one(name):
    """Columns are z x (p - o) and z (S000 eq. 33), at the TCP of a tool that is turned and set off."""
    arm = oracles.arm(name)
    arm = arm._replace(tip=arm.tip @ oracles.SPINDLE_TCP)
    robot = irb.load(name, tool="spindle")
    for q, _, _ in oracles.states(name, 10, seed=4):
        frames = oracles.poses(arm, q)
        expected = oracles.jacobian(arm, frames, arm.wrist, (frames[arm.wrist] @ arm.tip)[:3, 3])
        np.testing.assert_allclose(robot.jacobian(q), expected, rtol=0, atol=EXACT)


@together("name", oracles.NAMES)
def test_jacobian_is_the_complex_step_derivative_of_the_mdh_product(name):
    """Position and orientation of tool0 move as the Jacobian says, to machine precision."""
    robot, arm = irb.load(name), oracles.arm(name)
    for q, _, _ in oracles.states(name, 5, seed=5):
        turn = oracles.tip_pose(arm, q)[:3, :3]
        slopes = [
            oracles.tip_pose(arm, q + step).imag / oracles.STEP
            for step in 1j * oracles.STEP * np.eye(q.size)
        ]
        expected = np.array(
            [np.r_[slope[:3, 3], spin_of(slope[:3, :3], turn)] for slope in slopes]
        ).T
        np.testing.assert_allclose(robot.jacobian(q), expected, rtol=0, atol=EXACT)


@pytest.mark.parametrize("point", [None, (0.1, -0.2, 0.3)], ids=["origin", "point"])
@pytest.mark.parametrize("name", ["irb2400_16", "irb1400", "irb1600_6_145", "irb930_12_085"])
def test_jacobian_of_every_frame_is_the_slope_of_its_pose(name, point):
    """Every frame, the bars included, moves as its Jacobian says: in base axes and in its own, at
    its origin or at a point.
    """
    robot = irb.load(name)
    (q, _, _) = oracles.states(name, 1, seed=6)[0]
    offset = None if point is None else np.array(point)
    for frame in robot.frames:
        expected = differenced(robot, q, frame, offset)
        np.testing.assert_allclose(
            robot.jacobian(q, frame, offset), expected, rtol=0, atol=1e-8, err_msg=frame
        )
        local = np.kron(np.eye(2), robot.pose(q, frame).rotation.T) @ expected
        np.testing.assert_allclose(
            robot.jacobian(q, frame, offset, axes="local"), local, rtol=0, atol=1e-8, err_msg=frame
        )


def test_first_query_with_a_point_is_right():
    """A Jacobian at a point needs no pose to have been asked for before: nothing is left over from
    an earlier query.
    """
    q, point = oracles.states("irb2400_16", 1)[0, 0], np.array([0.1, -0.2, 0.3])
    robot = irb.load("irb2400")
    fresh = robot.jacobian(q, "link_4", point)
    np.testing.assert_allclose(fresh, differenced(robot, q, "link_4", point), rtol=0, atol=1e-8)


def test_point_becomes_the_origin_of_the_pose():
    """A point is given in the axes of its frame, and the orientation stays the frame's."""
    robot, q = irb.load("irb1600"), oracles.states("irb1600_6_120", 1)[0, 0]
    frame, pose = robot.pose(q, "link_3"), robot.pose(q, "link_3", [0.1, 0.2, 0.3])
    np.testing.assert_allclose(
        pose.translation, frame.rotation @ [0.1, 0.2, 0.3] + frame.translation, atol=EXACT
    )
    np.testing.assert_array_equal(pose.rotation, frame.rotation)


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_bars_close_the_loop(name):
    """The rod's far end stays on the lug of the upper arm, and bar and arm stay parallel: the
    four-bar is a parallelogram.
    """
    robot, crank, lower_arm = irb.load(name), oracles.CRANK[name], oracles.DIMENSIONS[name][2]
    for q, _, _ in oracles.states(name, 20, seed=7):
        end = robot.pose(q, "link_rod", [lower_arm, 0, 0])
        np.testing.assert_allclose(
            end.translation, robot.pose(q, "link_3", [0, -crank, 0]).translation, atol=EXACT
        )
        np.testing.assert_allclose(end.rotation, robot.pose(q, "link_2").rotation, atol=EXACT)
        np.testing.assert_allclose(
            robot.pose(q, "link_crank").rotation, robot.pose(q, "link_3").rotation, atol=EXACT
        )


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_crank_turns_with_axis_3_on_the_shoulder(name):
    """The crank stands on axis 2 and turns by q3 alone; its pin is one crank length behind the
    shoulder at home.
    """
    robot = irb.load(name)
    d1, a1 = oracles.DIMENSIONS[name][:2]
    pin = robot.pose(np.zeros(6), "link_rod").translation
    np.testing.assert_allclose(pin, [a1 - oracles.CRANK[name], 0, d1], atol=EXACT)
    J = robot.jacobian(oracles.states(name, 1)[0, 0], "link_crank")
    assert np.abs(J[3:, [1, 3, 4, 5]]).max() < EXACT
    assert np.linalg.norm(J[3:, 2]) == pytest.approx(1.0)


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_determinant_is_the_product_of_elbow_wrist_and_shoulder(name):
    """The determinant is -a2 s5 (a3 s(q3-q2) + d4 c(q3-q2)) (a1 + a2 s2 + a3 s3 + d4 c3), for any
    tool (ERRATA note B).
    """
    robot = irb.load(name, tool="spindle")
    _, a1, a2, a3, d4, _ = oracles.DIMENSIONS[name]
    for q, _, _ in oracles.states(name, 10, seed=8):
        r3, s2, s3, c3 = q[2] - q[1], np.sin(q[1]), np.sin(q[2]), np.cos(q[2])
        elbow, shoulder = a3 * np.sin(r3) + d4 * np.cos(r3), a1 + a2 * s2 + a3 * s3 + d4 * c3
        expected = -a2 * np.sin(q[4]) * elbow * shoulder
        # product of six numbers below 2
        assert np.linalg.det(robot.jacobian(q)) == pytest.approx(expected, abs=1e-12)


def test_arrays_give_the_poses_and_jacobians_of_single_states():
    """Leading axes come back in front: (2, 3, n) gives (2, 3, 4, 4) and (2, 3, 6, n)."""
    robot, q = irb.load("irb2400"), oracles.states("irb2400_16", 6)[:, 0].reshape(2, 3, 6)
    poses, jacobians = (
        robot.pose(q, "link_rod", [0.1, 0, 0]),
        robot.jacobian(q, "link_rod", [0.1, 0, 0], "local"),
    )
    assert poses.shape == (2, 3, 4, 4)
    assert jacobians.shape == (2, 3, 6, 6)
    for i, j in np.ndindex(2, 3):
        np.testing.assert_array_equal(
            poses[i, j], robot.pose(q[i, j], "link_rod", [0.1, 0, 0]).homogeneous
        )
        np.testing.assert_array_equal(
            jacobians[i, j], robot.jacobian(q[i, j], "link_rod", [0.1, 0, 0], "local")
        )


def test_answers_stay_when_the_next_question_is_asked():
    """Poses and Jacobians are copies: nothing that Pinocchio overwrites leaves the package."""
    robot, (first, second) = irb.load("irb2400"), oracles.states("irb2400_16", 2)[:, 0]
    for ask in (
        lambda q: robot.pose(q).translation,
        lambda q: robot.pose(q).rotation,
        robot.jacobian,
    ):
        answer = ask(first)
        before = answer.copy()
        ask(second)
        np.testing.assert_array_equal(answer, before)
