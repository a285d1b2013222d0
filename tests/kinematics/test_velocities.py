"""Velocities and accelerations link by link against Pinocchio's, and from the tool back to the
axes.
"""

from __future__ import annotations

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.kinematics.axis_rates import axis_rates
from irbmodels.model.dh import DHTable
from irbmodels.model.dh_motion import link_motion

EXACT = 2e-12  # [m/s, rad/s^2] recursions over seven frames on accelerations up to 200


@together("tool", [None, "spindle"])
@together("name", oracles.NAMES)
def test_every_link_moves_as_pinocchio_says(name, tool):
    """Velocity and classical acceleration of each MDH frame and of the TCP, in its own axes,
    coupled axis 3 included.
    """
    robot = irb.load(name, tool=tool)
    model, (G, q0) = robot.model, robot.coupling
    data = model.createData()
    frames = [*(f"link_{i}" for i in range(1, robot.n + 1)), "tcp"]
    for q, v, a in oracles.states(name, 20):
        actual = robot.link_motion(q, v, a)
        pin.forwardKinematics(model, data, G @ q + q0, G @ v, G @ a)
        pin.updateFramePlacements(model, data)
        for i, frame in enumerate(frames):
            number = model.getFrameId(frame, pin.FrameType.BODY)
            velocity = pin.getFrameVelocity(model, data, number, pin.ReferenceFrame.LOCAL)
            acceleration = pin.getFrameClassicalAcceleration(
                model, data, number, pin.ReferenceFrame.LOCAL
            )
            np.testing.assert_allclose(actual.linear[i], velocity.linear, rtol=0, atol=EXACT)
            np.testing.assert_allclose(actual.angular[i], velocity.angular, rtol=0, atol=EXACT)
            np.testing.assert_allclose(
                actual.linear_acceleration[i], acceleration.linear, rtol=0, atol=20 * EXACT
            )
            np.testing.assert_allclose(
                actual.angular_acceleration[i], acceleration.angular, rtol=0, atol=20 * EXACT
            )
        assert actual.linear.shape == (robot.n + 1, 3)


def test_a_slide_on_a_turning_link_is_pushed_aside():
    """Revolute, prismatic at a right angle to it, revolute: the table's own poses, differentiated
    twice (Coriolis included).
    """
    right, zero = np.pi / 2, np.zeros(3)
    table = DHTable(
        "modified",
        alpha=np.array([0.0, right, -right]),
        a=np.array([0.0, 0.3, 0.2]),
        d=np.array([0.4, 0.1, 0.0]),
        theta=np.array([0.0, 0.3, 0.2]),
        prismatic=np.array([False, True, False]),
        A=np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 1]]),
        tool0=oracles.shift(0.1, 0.2, 0.3),
    )
    q, v, a, h = (
        np.array([0.4, 0.2, -0.7]),
        np.array([0.9, 0.6, -1.1]),
        np.array([0.5, -1.3, 2.0]),
        1e-4,
    )
    actual = link_motion(table, q, v, a)
    frames = {t: table.frames(q + v * t + a * t * t / 2.0) for t in (-h, 0.0, h)}
    for i in range(4):
        before, now, after = (frames[t][i] for t in (-h, 0.0, h))
        turn = now[:3, :3]
        np.testing.assert_allclose(
            turn @ actual.linear[i], (after - before)[:3, 3] / (2 * h), rtol=0, atol=1e-6
        )
        curve = (after - 2.0 * now + before)[:3, 3] / h**2
        np.testing.assert_allclose(turn @ actual.linear_acceleration[i], curve, rtol=0, atol=1e-6)
    assert np.abs(actual.linear_acceleration[1]).max() > 1.0
    np.testing.assert_array_equal(actual.linear[0], zero)


def test_the_way_to_tool0_needs_no_tool():
    """Without a TCP the last row is that of tool0."""
    robot = irb.load("irb2400", tool="spindle")
    q, v, a = oracles.states("irb2400_16", 1)[0]
    actual = link_motion(robot.dh(), q, v, a)
    turn = robot.pose(q, "tool0").rotation
    np.testing.assert_allclose(
        turn @ actual.linear[-1], robot.jacobian(q, "tool0")[:3] @ v, rtol=0, atol=EXACT
    )
    bare = irb.load("irb2400").link_motion(q, v, a)
    np.testing.assert_array_equal(bare.linear_acceleration[-1], actual.linear_acceleration[-1])


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_axes_come_back_from_the_tool(name):
    """Inverse of velocity and acceleration, for one state and for arrays of them."""
    robot = irb.load(name, tool="spindle")
    states = oracles.states(name, 24)
    q, v, a = states[:, 0], states[:, 1], states[:, 2]
    J = np.array([robot.jacobian(one) for one in q])
    twists = np.einsum("nij,nj->ni", J, v)
    drift = np.array(
        [robot.jacobian_rate(one, rate) @ rate for one, rate in zip(q, v, strict=True)]
    )
    pushes = np.einsum("nij,nj->ni", J, a) + drift
    np.testing.assert_allclose(robot.inverse_velocity(q, twists), v, rtol=0, atol=1e-8)
    np.testing.assert_allclose(robot.inverse_acceleration(q, v, pushes), a, rtol=0, atol=1e-7)
    for one, rate, gain, twist, push in zip(q, v, a, twists, pushes, strict=True):
        np.testing.assert_allclose(robot.inverse_velocity(one, twist), rate, rtol=0, atol=1e-8)
        np.testing.assert_allclose(
            robot.inverse_acceleration(one, rate, push), gain, rtol=0, atol=1e-7
        )
    tool0 = robot.jacobian(q[0], "tool0") @ v[0]
    np.testing.assert_allclose(
        robot.inverse_velocity(q[0], tool0, "tool0"), v[0], rtol=0, atol=1e-8
    )


def test_one_posture_and_many_velocities_go_together():
    """Leading axes are broadcast; shapes that do not go together are told."""
    robot = irb.load("irb2400")
    q = robot.from_controller([10, 20, 30, 40, 50, 60])
    twists = np.random.default_rng(0).normal(size=(5, 6))
    actual = robot.inverse_velocity(q, twists)
    np.testing.assert_allclose(actual @ robot.jacobian(q).T, twists, rtol=0, atol=1e-10)
    with pytest.raises(irb.InputError, match="do not go together"):
        robot.inverse_velocity(np.tile(q, (4, 1)), twists)
    for wrong in (np.zeros(5), [0, 0, 0, 0, 0, np.nan]):
        with pytest.raises(irb.InputError, match="twist needs six finite numbers"):
            robot.inverse_velocity(q, wrong)


def test_what_has_no_solution_is_nan_in_an_array():
    """Singular or a NaN sample: NaN there, the others exact."""
    robot = irb.load("irb2400")
    q = np.tile(robot.from_controller([10, 20, 30, 40, 50, 60]), (3, 1))
    q[1, 4] = 0.0
    v = np.ones((3, 6))
    twists = np.einsum("nij,nj->ni", np.array([robot.jacobian(one) for one in q]), v)
    twists[1] = np.linalg.svd(robot.jacobian(q[1]))[0][:, -1]
    actual = robot.inverse_velocity(q, twists)
    assert np.isnan(actual[1]).all()
    np.testing.assert_allclose(actual[[0, 2]], 1.0, rtol=0, atol=1e-9)
    with pytest.raises(irb.InputError, match="has lost that direction"):
        robot.inverse_velocity(q[1], twists[1])


def test_of_many_solutions_the_smallest_is_taken():
    """At q5 = 0 axes 4 and 6 turn about one line: they share what it needs."""
    robot = irb.load("irb2400")
    q = robot.from_controller([10, 20, 30, 40, 0, 60])
    J = robot.jacobian(q)
    actual = robot.inverse_velocity(q, J[:, 3])
    np.testing.assert_allclose(actual, [0, 0, 0, 0.5, 0, 0.5], rtol=0, atol=1e-12)
    rates, possible = axis_rates(np.diag([1.0, 1, 1, 1, 1, 0]), np.ones(6))
    assert not possible
    assert np.isnan(rates).all()
    assert axis_rates(np.diag([1.0, 1, 1, 1, 1, 0]), np.array([1.0, 2, 3, 4, 5, 1e-9]))[1]


def test_states_are_checked():
    """One state only, of the right shape, finite."""
    robot = irb.load("irb930")
    for bad in (np.zeros((2, 4)), np.zeros(6), [np.nan, 0, 0, 0]):
        with pytest.raises(irb.InputError, match="irb930_12_105"):
            robot.link_motion(bad, np.zeros(4), np.zeros(4))
    with pytest.raises(irb.MissingData, match="no DH table"):
        irb.from_urdf(irb.urdf_path("irb1600", "serial")).link_motion(
            np.zeros(6), np.zeros(6), np.zeros(6)
        )
