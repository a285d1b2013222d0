"""Laws in poses of the TCP: each error equation in continuous time, and what S004 prints
instead.
"""

import numpy as np
import oracles
import pinocchio as pin
import pytest
from closed_loop import closed, integrated, linear
from scipy.spatial.transform import Rotation

import irbmodels as irb
from irbmodels.control import (
    Gains,
    Measured,
    TcpReference,
    follow,
    task_inverse_dynamics,
    task_rows,
    tcp_along,
    tcp_error,
    tcp_hold,
    tcp_of,
    tcp_speed,
)
from irbmodels.trajectory import line, move

SCARA, SIX = irb.load("irb930"), irb.load("irb2400")
START, END = np.array([0.3, -0.8, -0.1, 0.5]), np.array([-0.4, -1.4, -0.25, 1.0])
OFF = np.array([0.03, -0.05, 0.02, 0.1])
POSE = SCARA.from_controller([20.0, -60.0, -100.0, 30.0])
POSTURE = SIX.from_controller([20.0, 10.0, 15.0, 30.0, 45.0, -60.0])
PROVEN = 1e-8  # of what is asked; DOP853 at 1e-10 leaves 1e-9
KEPT = [0, 1, 2, 5]


def test_scara_has_the_error_equation_of_eq_49_corrected():
    """With J'(q, v) v the error in x, y, z and the turn is the solution of e'' + kd e' + kp e = 0
    to 1e-8, along a motion.
    """
    goal = tcp_of(follow(move(START, END, duration=0.8)), SCARA)
    gains, q, v = Gains.of(9.0, 0.8), START + OFF, np.array([0.3, -0.2, 0.1, -0.4])
    sol = closed(
        SCARA,
        lambda t, q, v: task_inverse_dynamics(Measured(q, v), goal(t), SCARA, gains),
        q,
        v,
        0.4,
    )
    e0 = tcp_error(SCARA.pose(q), goal(0.0).pose)[KEPT]
    rate = (goal(0.0).twist - SCARA.jacobian(q) @ v)[KEPT]
    for t in np.linspace(0.0, 0.4, 9):
        error = tcp_error(SCARA.pose(sol(t)[:4]), goal(t).pose)
        np.testing.assert_allclose(
            error[KEPT], linear(81.0, 14.4, e0, rate, t), rtol=0, atol=PROVEN
        )
        np.testing.assert_allclose(error[[3, 4]], 0.0, atol=1e-12)


def eq_49_printed(q, v, goal, q_d, v_d, gains):
    """S004's torque as printed: J' at the reference."""
    J = SCARA.jacobian(q)[KEPT]
    error = tcp_error(SCARA.pose(q), goal.pose)[KEPT]
    rate = (goal.twist - SCARA.jacobian(q) @ v)[KEPT]
    drift = (SCARA.jacobian_rate(q_d, v_d) @ v_d)[KEPT]
    a = np.linalg.solve(J, goal.acceleration[KEPT] - drift + gains.kd * rate + gains.kp * error)
    return SCARA.mass_matrix(q) @ a + SCARA.coriolis(q, v) @ v + SCARA.gravity(q)


def test_eq_49_as_printed_has_another_error_equation():
    """With J'(q_d) q_d' the left side of the error equation is not 0 but J'(q_d) q_d' - J'(q, v) v;
    it is where q is q_d.
    """
    axes = follow(move(START, END, duration=1.0))
    goal, (q_d, v_d, _) = tcp_of(axes, SCARA)(0.4), axes(0.4)
    gains = Gains.of(9.0)

    def left(q, v, tau):
        a = SCARA.forward_dynamics(q, v, tau, friction=False)
        acceleration = goal.acceleration - SCARA.jacobian(q) @ a - SCARA.jacobian_rate(q, v) @ v
        rate = goal.twist - SCARA.jacobian(q) @ v
        return (acceleration + gains.kd * rate + gains.kp * tcp_error(SCARA.pose(q), goal.pose))[
            KEPT
        ]

    q, v = q_d + 0.3 * OFF, v_d + OFF
    printed = left(q, v, eq_49_printed(q, v, goal, q_d, v_d, gains))
    expected = (SCARA.jacobian_rate(q_d, v_d) @ v_d - SCARA.jacobian_rate(q, v) @ v)[KEPT]
    np.testing.assert_allclose(printed, expected, rtol=0, atol=1e-11)
    assert np.abs(printed).max() > 0.01
    right = left(q, v, task_inverse_dynamics(Measured(q, v), goal, SCARA, gains))
    np.testing.assert_allclose(right, 0.0, atol=1e-11)
    np.testing.assert_allclose(
        left(q_d, v_d, eq_49_printed(q_d, v_d, goal, q_d, v_d, gains)), 0.0, atol=1e-11
    )


def test_six_axes_have_the_error_equation_in_position_and_about_one_axis():
    """An IRB 2400 on a line of the TCP: position, and the angle about a fixed axis, decay as e'' +
    kd e' + kp e = 0 says.
    """
    here = SIX.pose(POSTURE).homogeneous
    there = here.copy()
    there[:3, 3] += [-0.1, 0.15, 0.1]
    goal = tcp_along(line(here, there), 1.0)
    gains = Gains.of(8.0)
    turned = here.copy()
    axis = np.array([1.0, -2.0, 2.0]) / 3.0
    turned[:3, :3] = Rotation.from_rotvec(-0.4 * axis).as_matrix() @ here[:3, :3]
    turned[:3, 3] -= [0.02, 0.03, -0.01]
    q = SIX.inverse_kinematics(turned, near=POSTURE)[0].q
    sol = closed(
        SIX,
        lambda t, q, v: task_inverse_dynamics(Measured(q, v), goal(t), SIX, gains),
        q,
        np.zeros(6),
        0.4,
    )
    e0 = np.r_[0.02, 0.03, -0.01, 0.4 * axis]
    for t in (0.0, 0.1, 0.25, 0.4):
        error = tcp_error(SIX.pose(sol(t)[:6]), goal(t).pose)
        np.testing.assert_allclose(
            error, linear(64.0, 16.0, e0, np.zeros(6), t), rtol=0, atol=PROVEN
        )


def test_orientation_of_six_axes_loses_its_energy():
    """In any orientation w_d' - w' + kd (w_d - w) + kp theta u = 0, and the slope of theta^2 / 2 is
    theta u (w_d - w).
    """
    rng = np.random.default_rng(5)
    gains = Gains.of(7.0)
    for _ in range(5):
        q, v = POSTURE + 0.1 * rng.normal(size=6), 0.5 * rng.normal(size=6)
        turn = pin.exp3(rng.normal(size=3)) @ SIX.pose(q).rotation
        pose = pin.SE3(turn, SIX.pose(q).translation + 0.05 * rng.normal(size=3)).homogeneous
        goal = TcpReference(pose, 0.3 * rng.normal(size=6), rng.normal(size=6))
        tau = task_inverse_dynamics(Measured(q, v), goal, SIX, gains)
        a = SIX.forward_dynamics(q, v, tau, friction=False)
        rate = goal.twist - SIX.jacobian(q) @ v
        second = goal.acceleration - SIX.jacobian(q) @ a - SIX.jacobian_rate(q, v) @ v
        error = tcp_error(SIX.pose(q), pose)
        np.testing.assert_allclose(second + 14.0 * rate + 49.0 * error, 0.0, atol=1e-9)
        h = 1e-6  # of theta^2 / 2 along both motions: its slope is theta u (w_d - w)
        squares = []
        for dt in (-h, h):
            wanted = pin.exp3(goal.twist[3:] * dt) @ pose[:3, :3]
            moved = pin.exp3((SIX.jacobian(q) @ v)[3:] * dt) @ SIX.pose(q).rotation
            squares.append(0.5 * np.sum(Rotation.from_matrix(wanted @ moved.T).as_rotvec() ** 2))
        assert (squares[1] - squares[0]) / (2 * h) == pytest.approx(error[3:] @ rate[3:], abs=1e-8)


def test_tcp_speed_closes_the_error():
    """Drives that follow J^-1 (twist_d + r e) let the error decay as e^(-r t): SCARA and six axes
    (S004 Fig. 10, corrected).
    """
    along = tcp_of(follow(move(START, END, duration=1.0)), SCARA)
    for robot, goal, q in (
        (SCARA, along, START + OFF),
        (SIX, tcp_hold(SIX.pose(POSTURE + 0.1)), POSTURE),
    ):
        rest = np.zeros(robot.n)
        sol = integrated(
            lambda t, q, robot=robot, goal=goal, rest=rest: tcp_speed(
                Measured(q, rest), goal(t), robot, 4.0
            ),
            q,
            0.5,
        )
        e0 = tcp_error(robot.pose(q), goal(0.0).pose)
        for t in (0.1, 0.3, 0.5):
            error = tcp_error(robot.pose(sol(t)), goal(t).pose)
            np.testing.assert_allclose(error, e0 * np.exp(-4.0 * t), rtol=0, atol=PROVEN)


def test_tcp_speed_takes_a_gain_per_row():
    goal, gain = tcp_hold(SCARA.pose(POSE)), np.array([2.0, 4.0, 6.0, 8.0])
    v = tcp_speed(Measured(POSE + OFF, np.zeros(4)), goal(0.0), SCARA, gain)
    error = tcp_error(SCARA.pose(POSE + OFF), SCARA.pose(POSE))[KEPT]
    np.testing.assert_allclose(
        (SCARA.jacobian(POSE + OFF) @ v)[KEPT], gain * error, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, 3.0, np.pi - 1e-9, np.pi])
def test_error_is_the_rotation_vector_up_to_half_a_turn(angle):
    """The turn is angle times axis in base axes, from the smallest to exactly 180 deg."""
    axis = np.array([2.0, -3.0, 6.0]) / 7.0
    first = Rotation.from_rotvec([0.3, -1.2, 2.0]).as_matrix()
    here, there = np.eye(4), np.eye(4)
    here[:3, :3], there[:3, :3] = first, Rotation.from_rotvec(angle * axis).as_matrix() @ first
    here[:3, 3], there[:3, 3] = [1.0, 2.0, 3.0], [1.5, 1.0, 3.25]
    error = tcp_error(here, there)
    np.testing.assert_allclose(error[:3], [0.5, -1.0, 0.25], atol=1e-15)
    # at exactly 180 deg both axes are right
    sign = 1.0 if angle < np.pi else np.sign(error[3:] @ axis)
    np.testing.assert_allclose(error[3:], sign * angle * axis, rtol=0, atol=1e-12)
    assert np.abs(tcp_error(pin.SE3(here), pin.SE3(there)) - error).max() == 0.0


def test_half_a_turn_of_a_scara_is_closed():
    """A goal 180 deg away about z is reached: there the error that uses the sines of the turn would
    be zero.
    """
    goal = tcp_hold(SCARA.pose(POSE + np.array([0.0, 0.0, 0.0, np.pi])))
    gains = Gains.of(20.0)
    sol = closed(
        SCARA,
        lambda t, q, v: task_inverse_dynamics(Measured(q, v), goal(t), SCARA, gains),
        POSE,
        np.zeros(4),
        1.0,
    )
    assert np.abs(tcp_error(SCARA.pose(sol(1.0)[:4]), goal(1.0).pose)).max() < 1e-6


def test_damped_law_stays_bounded_where_the_exact_one_refuses():
    """At a stretched SCARA and at q5 = 0 the exact inverse is refused, and the damped one gives
    bounded rates.
    """
    for robot, q in (
        (SCARA, np.array([0.2, 0.0, -0.1, 0.0])),
        (SIX, SIX.from_controller([0.0, 10.0, 10.0, 0.0, 0.0, 0.0])),
    ):
        pose = robot.pose(q).homogeneous
        pose[:3, 3] -= 0.05 * pose[:3, 3]
        goal, state = tcp_hold(pose)(0.0), Measured(q, np.zeros(robot.n))
        for law in (tcp_speed, task_inverse_dynamics):
            gain = 1.0 if law is tcp_speed else Gains.of(1.0)
            with pytest.raises(irb.InputError, match=r"singular here.*near=0\.05"):
                law(state, goal, robot, gain)
        error = tcp_error(robot.pose(q), pose)
        for near in (0.2, 0.05):
            v = tcp_speed(state, goal, robot, 1.0, near=near)
            np.testing.assert_allclose(
                v, robot.damped_velocity(q, error, near=near).v, rtol=0, atol=1e-12
            )
        tau = task_inverse_dynamics(state, goal, robot, Gains(1.0, 0.0), near=0.05)
        np.testing.assert_allclose(
            tau, robot.mass_matrix(q) @ v + robot.gravity(q), rtol=0, atol=1e-9
        )


def test_damping_changes_nothing_away_from_singularities():
    goal = tcp_hold(SCARA.pose(POSE))(0.0)
    state = Measured(POSE + OFF, np.zeros(4))
    exact, damped = (
        task_inverse_dynamics(state, goal, SCARA, Gains.of(5.0), near=near) for near in (None, 0.05)
    )
    np.testing.assert_allclose(damped, exact, rtol=1e-10)


def test_rows_are_what_the_arm_can_move():
    """A SCARA obeys x, y, z and the turn about z; an arm of six axes obeys all rows."""
    assert task_rows(SCARA) == (0, 1, 2, 5)
    assert task_rows(SIX) == (0, 1, 2, 3, 4, 5)
    assert task_rows(irb.load("irb1600")) == tuple(range(6))


def test_rows_can_be_chosen():
    tilted = SCARA.pose(POSE).homogeneous
    tilted[:3, :3] = Rotation.from_rotvec([0.2, 0.0, 0.0]).as_matrix() @ tilted[:3, :3]
    state = Measured(POSE, np.zeros(4))
    v = tcp_speed(state, tcp_hold(tilted)(0.0), SCARA, 1.0, rows=KEPT)
    np.testing.assert_allclose(v, 0.0, atol=1e-12)


def test_friction_and_lagrange_agree_with_the_law_of_six_axes():
    """The torque is Lagrange's of the acceleration that closes the task, and friction of the
    measured speed.
    """
    q, v = POSTURE, np.array([0.3, -0.2, 0.4, 0.5, -0.6, 0.2])
    pose = SIX.pose(POSTURE + 0.05).homogeneous
    goal = TcpReference(
        pose, np.array([0.1, 0.0, -0.1, 0.2, 0.0, 0.1]), np.array([0.5, -0.5, 0.2, 1.0, 0.0, -1.0])
    )
    tau = task_inverse_dynamics(Measured(q, v), goal, SIX, Gains.of(6.0), friction=True)
    error = tcp_error(SIX.pose(q), pose)
    wanted = goal.acceleration + 12.0 * (goal.twist - SIX.jacobian(q) @ v) + 36.0 * error
    a = SIX.inverse_acceleration(q, v, wanted)
    expected = oracles.lagrange(oracles.arm("irb2400_16"), q, v, a) + oracles.friction_2400(v)
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
