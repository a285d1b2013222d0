"""PID per axis: its error equation, and what anti-windup does."""

from functools import partial

import numpy as np
import pytest
from closed_loop import integrated
from scipy.linalg import expm

import irbmodels as irb
from irbmodels.control import AxisReference, Measured, PidGains, PidMemory, hold, pid, run_loop

ROBOT = irb.load("irb930")
START = ROBOT.from_controller([20.0, -60.0, -100.0, 30.0])
REST = np.zeros(4)


def torque(q, v, gains, integral, goal=START):
    return pid(
        Measured(q, v), AxisReference(goal, REST, REST), ROBOT, gains, PidMemory(integral), 0.0
    )


def test_error_equation_of_one_axis():
    """Axis 3, whose inertia is constant, has m e''' + kd e'' + kp e' + ki e = 0: gravity is
    integrated away.
    """
    m = ROBOT.mass_matrix(START)[2, 2]
    kp, ki, kd = 90.0 * m, 200.0 * m, 20.0 * m
    gains = PidGains([0.0, 0.0, kp, 0.0], [0.0, 0.0, ki, 0.0], [0.0, 0.0, kd, 0.0])

    def slope(t, x):
        q, v = START + np.array([0.0, 0.0, x[0], 0.0]), np.array([0.0, 0.0, x[1], 0.0])
        tau, _ = torque(q, v, gains, np.array([0.0, 0.0, x[2], 0.0]))
        return [x[1], ROBOT.forward_dynamics(q, v, tau, friction=False)[2], -ki * x[0]]

    weight = ROBOT.gravity(START)[2]
    sol = integrated(slope, np.array([-0.02, 0.0, 0.0]), 4.0)
    A = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-ki / m, -kp / m, -kd / m]])
    # e, e', e'' of an integral that starts empty
    first = np.array([0.02, 0.0, (weight - kp * 0.02) / m])
    for t in (0.1, 0.5, 1.0, 2.0, 4.0):
        assert -sol(t)[0] == pytest.approx((expm(A * t) @ first)[0], abs=1e-8)
    assert sol(4.0)[2] == pytest.approx(weight, rel=0.01)


def test_torque_is_the_sum_of_three_parts():
    """The kp, ki and kd parts add up, and the memory grows by ki e T."""
    gains = PidGains([1.0, 2.0, 3.0, 4.0], 10.0, 5.0)
    reference = AxisReference(START + 0.1, REST + 0.3, REST + 9.0)
    tau, memory = pid(
        Measured(START, REST + 0.1), reference, ROBOT, gains, PidMemory(np.arange(4.0)), 0.02
    )
    np.testing.assert_allclose(memory.integral, np.arange(4.0) + 10.0 * 0.1 * 0.02, rtol=1e-12)
    np.testing.assert_allclose(
        tau, 0.1 * np.arange(1.0, 5.0) + memory.integral + 5.0 * 0.2, rtol=1e-12
    )


def test_an_axis_at_its_limit_stops_winding():
    """At the limit an error that pushes further is not integrated, one that leads out is; other
    axes go on.
    """
    gains = PidGains(100.0, 50.0, 0.0, limit=[5.0, 5.0, 50.0, 5.0])
    reference = AxisReference(START + np.array([0.2, -0.2, 0.2, 0.01]), REST, REST)
    tau, memory = pid(Measured(START, REST), reference, ROBOT, gains, PidMemory(REST), 0.01)
    np.testing.assert_allclose(tau, [5.0, -5.0, 20.1, 1.005])
    np.testing.assert_allclose(memory.integral, [0.0, 0.0, 0.1, 0.005])
    full = PidMemory(np.array([9.0, -9.0, 0.0, 0.0]))
    back = AxisReference(START + np.array([-0.01, 0.01, 0.0, 0.0]), REST, REST)
    tau, memory = pid(Measured(START, REST), back, ROBOT, gains, full, 0.01)
    np.testing.assert_allclose(tau, [5.0, -5.0, 0.0, 0.0])
    np.testing.assert_allclose(memory.integral, [9.0 - 0.005, -9.0 + 0.005, 0.0, 0.0])


def test_anti_windup_shortens_the_overshoot():
    """After a step that saturates, the arm overshoots less than half as far as with the limit
    outside the law.
    """
    limit = np.array([60.0, 30.0, 250.0, 2.0])
    goal = START + np.array([0.8, 0.0, 0.0, 0.0])
    m = np.diag(ROBOT.mass_matrix(START))
    overshoot = {}
    for name, inside in (("with", limit), ("without", np.inf)):
        law = partial(pid, gains=PidGains(64.0 * m, 150.0 * m, 18.0 * m, inside))
        free = {"saturation": limit, "friction": False, "stops": False}
        memory = PidMemory(ROBOT.gravity(START))
        run = run_loop(ROBOT, law, hold(goal), 1.5, start=START, memory=memory, **free)
        overshoot[name] = (run.q[:, 0] - goal[0]).max()
        assert run.q[-1, 0] - goal[0] < overshoot[name]  # past the peak
    assert overshoot["with"] < 0.5 * overshoot["without"]


def test_empty_memory():
    np.testing.assert_array_equal(PidMemory.empty(4).integral, REST)
