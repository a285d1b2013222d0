"""Impedance: mass, spring and damper at the TCP, with and without a force sensor."""

import numpy as np
import oracles
import pytest
from closed_loop import closed, linear
from scipy.linalg import expm

import irbmodels as irb
from irbmodels.control import (
    Impedance,
    Measured,
    TcpReference,
    follow,
    impedance,
    tcp_error,
    tcp_hold,
    tcp_of,
)
from irbmodels.trajectory import move

SCARA, SIX = irb.load("irb930"), irb.load("irb1600")
POSE = SCARA.from_controller([20.0, -60.0, -100.0, 30.0])
POSTURE = SIX.from_controller([20.0, 10.0, 15.0, 30.0, 45.0, -60.0])
KEPT = [0, 1, 2, 5]
REST = np.zeros(4)
PUSH = np.array([20.0, -15.0, 30.0, 0.0, 0.0, 3.0])
K, D, H = np.array([[800, 600, 1500, 40], [160, 120, 200, 6], [8, 6, 10, 0.5]])


def test_with_a_force_sensor_the_tcp_is_the_mass_that_was_asked_for():
    """Under a constant force H d'' + D d' + K d = w holds along a motion of the reference to
    1e-8.
    """
    goal = tcp_of(follow(move(POSE, POSE + np.array([0.2, -0.3, -0.05, 0.4]), duration=0.8)), SCARA)
    deviation = pushed(goal, Impedance(K, D, H), PUSH, 0.4)
    for t in (0.05, 0.2, 0.4):
        expected = [
            linear(k / h, d / h, [0.0], [0.0], t, w / h)[0]
            for k, d, h, w in zip(K, D, H, PUSH[KEPT], strict=True)
        ]
        np.testing.assert_allclose(deviation(t), expected, rtol=0, atol=1e-8)


def test_matrices_couple_the_directions():
    """Full matrices of stiffness, damping and inertia give the coupled equation, by its matrix
    exponential.
    """
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
    k, d, h = (turn @ np.diag(x) @ turn.T for x in (K, D, H))
    deviation = pushed(tcp_hold(SCARA.pose(POSE)), Impedance(k, d, h), PUSH, 0.2)
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.linalg.solve(h, k), -np.linalg.solve(h, d)]])
    rest = np.concatenate([np.linalg.solve(k, PUSH[KEPT]), np.zeros(4)])
    for t in (0.05, 0.2):
        expected = (rest - expm(A * t) @ rest)[:4]
        np.testing.assert_allclose(deviation(t), expected, rtol=0, atol=1e-8)


def equation(robot, q, v, goal, tau, push, rows):
    """Return d, d', d'' of the rows, and the arm's inertia there, from forward dynamics under
    ``tau`` and ``push``.
    """
    a = robot.forward_dynamics(q, v, tau, friction=False, wrench=push)
    d = -tcp_error(robot.pose(q), goal.pose)
    rate = robot.jacobian(q) @ v - goal.twist
    second = robot.jacobian(q) @ a + robot.jacobian_rate(q, v) @ v - goal.acceleration
    J = robot.jacobian(q)[rows]
    inverse = J @ np.linalg.solve(robot.mass_matrix(q), J.T)
    return d[rows], rate[rows], second[rows], np.linalg.inv(inverse)


def pushed(goal, wanted, push, duration, **options):
    """Deviation of the TCP over time under a constant force, which is measured with an inertia."""
    seen = None if wanted.inertia is None else push
    sol = closed(
        SCARA,
        lambda t, q, v: impedance(Measured(q, v, seen), goal(t), SCARA, wanted),
        POSE,
        REST,
        duration,
        wrench=push,
        **options,
    )
    return lambda t: -tcp_error(SCARA.pose(sol(t)[:4]), goal(t).pose)[KEPT]


@pytest.mark.parametrize(
    ("robot", "q", "rows"), [(SCARA, POSE, KEPT), (SIX, POSTURE, list(range(6)))]
)
def test_three_equations(robot, q, rows):
    """Own inertia: L d'' + D d' + K d = w; with inertia H d'' + D d' + K d = w, and without a
    sensor H L^-1 w instead of w.
    """
    rng = np.random.default_rng(3)
    n = len(rows)
    k, d, h = rng.uniform(100.0, 500.0, n), rng.uniform(20.0, 50.0, n), rng.uniform(2.0, 5.0, n)
    v, push = 0.3 * rng.normal(size=n), np.zeros(6)
    push[rows] = 20.0 * rng.normal(size=n)
    moving = (robot.jacobian(q) @ rng.normal(size=n) for _ in range(2))
    goal = TcpReference(robot.pose(q + 0.05).homogeneous, *moving)
    for inertia, wrench in ((None, None), (None, push), (h, push), (h, None)):
        tau = impedance(Measured(q, v, wrench), goal, robot, Impedance(k, d, inertia))
        off, rate, second, own = equation(robot, q, v, goal, tau, push, rows)
        mass = own if inertia is None else np.diag(h)
        force = (
            np.diag(h) @ np.linalg.solve(own, push[rows])
            if (inertia is not None and wrench is None)
            else push[rows]
        )
        np.testing.assert_allclose(
            mass @ second + d * rate + k * off, force, rtol=0, atol=1e-8 * np.abs(k).max()
        )


def test_a_steady_force_is_answered_by_the_spring():
    """Without a force sensor and at rest the TCP is moved by force over stiffness."""
    # axis 4 has 4.5e-4 kg m^2
    soft = Impedance([800.0, 600.0, 1500.0, 0.4], [250.0, 220.0, 120.0, 0.02])
    push = np.array([20.0, -15.0, 30.0, 0.0, 0.0, 0.05])
    moved = pushed(tcp_hold(SCARA.pose(POSE)), soft, push, 4.0, rtol=1e-7)(4.0)
    np.testing.assert_allclose(moved, push[KEPT] / soft.stiffness, rtol=0, atol=1e-6)


def test_it_holds_itself_against_gravity_alone():
    """At its reference, at rest, without a force the torque is gravity's; friction is added where
    asked for.
    """
    robot = irb.load("irb2400")
    pose = robot.pose(POSTURE)
    tau = impedance(
        Measured(POSTURE, np.zeros(6)), tcp_hold(pose)(0.0), robot, Impedance(500.0, 50.0)
    )
    expected = oracles.gravity_torque(oracles.arm("irb2400_16"), POSTURE)
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    v = np.full(6, 0.1)
    for wanted in (Impedance(500.0, 50.0), Impedance(500.0, 50.0, 5.0)):
        without, with_friction = (
            impedance(Measured(POSTURE, v), tcp_hold(pose)(0.0), robot, wanted, friction=which)
            for which in (False, True)
        )
        np.testing.assert_allclose(
            with_friction - without, oracles.friction_2400(v), rtol=0, atol=1e-9
        )
