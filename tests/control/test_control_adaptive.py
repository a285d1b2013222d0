"""Slotine-Li: the regressor, the energy that falls, and what is learnt."""

import numpy as np
import oracles
import pytest
from closed_loop import integrated
from drives import COUPLED, every_term

import irbmodels as irb
from irbmodels.control import (
    AdaptiveGains,
    AdaptiveMemory,
    AxisReference,
    Measured,
    adaptive,
    adaptive_step,
    follow,
    tracking_regressor,
)
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.trajectory import through

ROBOT = irb.load("irb930")
BASE = base_parameters(ROBOT)
TRUE = BASE.values(ROBOT.parameter_vector())
START = np.array([0.3, -0.8, -0.1, 0.5])
REFERENCE = follow(
    through([START, [-0.6, 1.1, -0.25, -1.0], [0.8, 0.3, -0.05, 1.0], START], duration=0.8)
)
SLOPE, KD = np.array([6.0, 7.0, 8.0, 9.0]), 10.0 * np.diag(ROBOT.mass_matrix(START))
GAMMA = np.array([20.0, 10.0, 10.0, 10.0, 50.0, 0.01, 0.01, 0.001])
GAINS = AdaptiveGains(SLOPE, KD, GAMMA)
STATE, GOAL, HALF = Measured(START, np.ones(4)), REFERENCE(0.3), AdaptiveMemory(0.5 * TRUE)


@pytest.mark.parametrize("name", ["irb930_12_105", "irb2400_16", "irb1400"])
def test_regressor_is_christoffel_in_the_second_speed(name):
    """Its product with the parameters is M a_r + C(q, v) v_r + g + F(v), C from the Christoffel
    symbols of Lagrange's oracle.
    """
    robot, arm = irb.load(name), oracles.arm(name, bars=oracles.has_bars(name))
    for (q, v, a_r), (_, v_r, _) in zip(
        oracles.states(name, 3), oracles.states(name, 3, seed=8), strict=True
    ):
        tau = tracking_regressor(robot, q, v, v_r, a_r) @ robot.parameter_vector()
        C = oracles.christoffel(oracles.mass_matrix_slopes(arm, q), v)
        expected = oracles.mass_matrix(arm, q) @ a_r + C @ v_r + oracles.gravity_torque(arm, q)
        expected = expected + (oracles.friction_2400(v) if "2400" in name else 0.0)
        # complex steps of M
        np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


def test_regressor_has_friction_of_coupled_drives():
    """With ``v_r = v`` it is inverse dynamics, of a law with every term and a load."""
    robot = irb.load("irb1600").with_drives(COUPLED).with_friction(every_term())
    for q, v, a in oracles.states(robot.name, 3):
        tau = tracking_regressor(robot, q, v, v, a) @ robot.parameter_vector()
        np.testing.assert_allclose(tau, robot.inverse_dynamics(q, v, a), rtol=1e-9, atol=1e-9)


def closed_loop(beta, duration, rtol=1e-10):
    """Integrate arm, parameters and the work of kd in continuous time; return them over time."""

    def slope(t, x):
        step = adaptive_step(
            Measured(x[:4], x[4:8]), REFERENCE(t), ROBOT, GAINS, BASE, AdaptiveMemory(x[8:16])
        )
        a = ROBOT.forward_dynamics(x[:4], x[4:8], step.tau, friction=False)
        return np.concatenate([x[4:8], a, step.rate, [step.s @ (KD * step.s)]])

    off = np.array([0.05, -0.05, 0.01, 0.1])
    x = np.concatenate([START + off, np.zeros(4), beta, [0.0]])
    return integrated(slope, x, duration, rtol)


def test_energy_falls_by_s_kd_s():
    """V = 1/2 s' M s + 1/2 (b - beta)' Gamma^-1 (b - beta) falls by the integral of s' kd s,
    whatever was known at the start.
    """
    sol = closed_loop(0.3 * TRUE, 0.1)

    def energy(t):
        x, (q_d, v_d, _) = sol(t), REFERENCE(t)
        s = v_d - x[4:8] + SLOPE * (q_d - x[:4])
        return 0.5 * s @ ROBOT.mass_matrix(x[:4]) @ s + 0.5 * np.sum((TRUE - x[8:16]) ** 2 / GAMMA)

    for t in (0.02, 0.06, 0.1):
        assert energy(t) == pytest.approx(energy(0.0) - sol(t)[16], abs=1e-8 * energy(0.0))
    assert sol(0.1)[16] > 0.01 * energy(0.0)


def test_error_goes_to_zero_from_nothing_known():
    """With all parameters zero at the start the error falls below a fiftieth of what it was on the
    way.
    """
    sol = closed_loop(np.zeros(8), 5.0, rtol=1e-5)
    error = [np.abs(REFERENCE(t).q - sol(t)[:4]).max() for t in np.linspace(0.0, 5.0, 251)]
    assert max(error[:100]) > 0.05
    assert max(error[-20:]) < 0.02 * max(error[:100])
    # at rest gravity still shows the mass of axis 3
    assert sol(5.0)[8 + 4] == pytest.approx(TRUE[4], rel=0.01)


def test_with_true_parameters_the_law_is_computed_torque_with_its_own_gains():
    """Without an error the torque is that of the reference, and nothing is learnt."""
    goal = REFERENCE(0.4)
    step = adaptive_step(
        Measured(goal.q, goal.v), goal, ROBOT, GAINS, BASE, AdaptiveMemory.of(BASE, ROBOT)
    )
    np.testing.assert_allclose(
        step.tau, ROBOT.inverse_dynamics(*goal, friction=False), rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(step.rate, 0.0, atol=1e-12)
    np.testing.assert_allclose(step.s, 0.0, atol=1e-15)


def test_sampled_law_steps_along_the_rate():
    """A sample returns the torque of the memory it was given, and a memory one Euler step further;
    nothing is kept inside.
    """
    step = adaptive_step(STATE, GOAL, ROBOT, GAINS, BASE, HALF)
    for _ in range(2):
        tau, grown = adaptive(STATE, GOAL, ROBOT, GAINS, BASE, HALF, 0.004)
        np.testing.assert_array_equal(tau, step.tau)
        np.testing.assert_allclose(grown.parameters, 0.5 * TRUE + 0.004 * step.rate, rtol=1e-12)


def test_masses_of_the_model_do_not_enter():
    """The model gives lengths and gravity only: one with other masses gives the same torque from
    the same memory.
    """
    other = irb.load("irb930", parameters="cad_scaled")
    first, second = (
        adaptive_step(STATE, GOAL, model, GAINS, BASE, HALF) for model in (ROBOT, other)
    )
    np.testing.assert_allclose(second.tau, first.tau, rtol=1e-12)
    assert np.abs(AdaptiveMemory.of(BASE, other).parameters - TRUE).max() > 0.1


def test_friction_is_learnt_too():
    """With friction columns in the base the law's energy balance holds on an arm with friction,
    whose parameters it adapts.
    """
    robot = irb.load("irb2400")
    base = base_parameters(robot, friction=True)
    true = base.values(robot.parameter_vector())
    q, v, a = oracles.states("irb2400_16", 1, seed=6)[0]
    goal = AxisReference(q + 0.1, v + 0.2, a)
    gains = AdaptiveGains(5.0, 100.0, 2.0)
    beta = 0.7 * true
    step = adaptive_step(Measured(q, v), goal, robot, gains, base, AdaptiveMemory(beta))
    acceleration = robot.forward_dynamics(q, v, step.tau)
    s_rate = goal.a - acceleration + 5.0 * (goal.v - v)
    falls = (
        step.s @ robot.mass_matrix(q) @ s_rate
        + step.s @ robot.coriolis(q, v) @ step.s
        - (true - beta) @ step.rate / 2.0
    )
    assert falls == pytest.approx(-100.0 * step.s @ step.s, rel=1e-9)
