"""Momentum observer: a first-order filter of the true external torque; collisions by a
threshold.
"""

from functools import partial

import numpy as np
import oracles
import pytest
from closed_loop import integrated

import irbmodels as irb
from irbmodels.control import (
    Gains,
    Measured,
    ObserverMemory,
    collision,
    computed_torque,
    follow,
    momentum,
    momentum_observer,
    momentum_rate,
    residuals,
    run_loop,
)
from irbmodels.trajectory import Motion, move

ROBOT = irb.load("irb930")
START, END = np.array([0.3, -0.8, -0.1, 0.5]), np.array([-0.6, 1.1, -0.25, -1.0])
REFERENCE = follow(move(START, END, duration=0.6))
K = np.array([20.0, 30.0, 40.0, 50.0])
PUSH = np.array([30.0, -20.0, 15.0, 0.0, 0.0, 0.01])  # axis 4 has 4.5e-4 kg m^2


@pytest.mark.parametrize("name", ["irb930_12_105", "irb2400_16"])
def test_rate_is_that_of_the_momentum(name):
    """Tau + C' v - g - F is the slope of M v along the motion, M of Lagrange's oracle; with C v it
    is not.
    """
    robot, arm = irb.load(name), oracles.arm(name)
    q, v, a = oracles.states(name, 1, seed=2)[0]
    friction = "2400" in name
    tau = robot.inverse_dynamics(q, v, a, friction=friction)
    h = 1e-6
    ahead, behind = (
        (oracles.mass_matrix(arm, q + s * h * v + 0.5 * h**2 * a) @ (v + s * h * a))
        for s in (1.0, -1.0)
    )
    slope = (ahead - behind) / (2.0 * h)
    np.testing.assert_allclose(
        momentum(Measured(q, v), robot), oracles.mass_matrix(arm, q) @ v, rtol=1e-9, atol=1e-12
    )
    rate = momentum_rate(Measured(q, v), tau, robot, friction=friction)
    # central difference
    np.testing.assert_allclose(rate, slope, rtol=0, atol=1e-7 * np.abs(slope).max())
    wrong = rate - robot.coriolis(q, v).T @ v + robot.coriolis(q, v) @ v
    assert np.abs(wrong - slope).max() > 0.1


def test_residual_converges_exponentially_to_the_external_torque():
    """Under a constant external torque r = (1 - e^(-K t)) tau_ext to 1e-8, while the arm moves
    under control.
    """
    torque = np.array([12.0, -7.0, 30.0, 0.4])

    def slope(t, x):
        q, v, integral = x[:4], x[4:8], x[8:]
        state = Measured(q, v)
        tau = computed_torque(state, REFERENCE(t), ROBOT, Gains.of(8.0))
        residual = K * (momentum(state, ROBOT) - integral)
        a = ROBOT.forward_dynamics(q, v, tau + torque, friction=False)
        return np.concatenate([v, a, momentum_rate(state, tau, ROBOT) + residual])

    v = np.array([0.3, -0.2, 0.1, 0.5])
    sol = integrated(slope, np.concatenate([START, v, momentum(Measured(START, v), ROBOT)]), 0.25)
    for t in (0.0, 0.02, 0.1, 0.25):
        x = sol(t)
        residual = K * (momentum(Measured(x[:4], x[4:8]), ROBOT) - x[8:])
        np.testing.assert_allclose(
            residual, (1.0 - np.exp(-K * t)) * torque, rtol=0, atol=1e-8 * 30.0
        )


def test_samples_are_the_backward_euler_filter():
    """In samples r_k = (r_{k-1} + K T tau_ext) / (1 + K T), exactly so where the momentum is that
    of a constant torque.
    """
    q, period, external = START, 0.004, np.array([0.0, 0.0, 25.0, 0.0])
    hold = ROBOT.gravity(q)
    m = ROBOT.mass_matrix(q)[2, 2]
    memory = ObserverMemory.at(Measured(q, np.zeros(4)), ROBOT)
    expected = 0.0
    for k in range(1, 60):
        # axis 3 alone: no Coriolis, M and g constant
        v = np.array([0.0, 0.0, 25.0 / m * k * period, 0.0])
        residual, memory = momentum_observer(Measured(q, v), hold, ROBOT, K, memory, period)
        expected = (expected + 40.0 * period * 25.0) / (1.0 + 40.0 * period)
        np.testing.assert_allclose(residual, [0.0, 0.0, expected, 0.0], rtol=0, atol=1e-10)
    assert expected == pytest.approx(external[2], rel=1e-3)


def test_a_sample_adds_the_mean_of_both_its_ends():
    """From sample to sample the model's rate is the mean of its values at both: the trapezoidal
    rule, checked by hand.
    """
    state = [
        Measured(START + 0.05 * k, np.array([1.0, -2.0, 0.3, 4.0]) * (1.0 + 0.2 * k))
        for k in range(2)
    ]
    tau, period = np.array([5.0, -3.0, 20.0, 0.1]), 0.01
    memory = ObserverMemory.at(state[0], ROBOT)
    residual, grown = momentum_observer(state[1], tau, ROBOT, K, memory, period)
    mean = 0.5 * sum(momentum_rate(one, tau, ROBOT) for one in state)
    gained = momentum(state[1], ROBOT) - momentum(state[0], ROBOT) - period * mean
    np.testing.assert_allclose(residual, K * gained / (1.0 + period * K), rtol=1e-9)
    np.testing.assert_array_equal(grown.residual, residual)


PUSHED = 0.3  # [s]


@pytest.fixture(scope="module")
def pushed():
    """A run in which the world begins to push the TCP, and its residuals."""
    run = run_loop(
        ROBOT,
        partial(computed_torque, gains=Gains.of(15.0)),
        REFERENCE,
        0.6,
        period=0.001,
        wrench=lambda t: PUSH if t >= PUSHED else np.zeros(6),
        friction=False,
    )
    return run, residuals(run.motion, ROBOT, 100.0)


def test_residual_along_a_run_follows_the_push(pushed):
    """Along a simulated run the residual is below a threshold until the push begins, then tends to
    J' w.
    """
    run, residual = pushed
    external = ROBOT.jacobian(run.q[-1]).T @ PUSH
    before, size = np.abs(residual[run.t < 0.299]).max(axis=0), np.abs(external)
    # what sampling at 1 ms leaves of a motion without a push
    assert (before < 0.05 * size.max()).all()
    np.testing.assert_allclose(residual[-1], external, rtol=0, atol=0.05 * size.max())


def test_collision_is_detected_in_the_time_that_the_filter_takes(pushed):
    """The first sample beyond the threshold, and its axis: after -ln(1 - threshold / torque) / K of
    the push.
    """
    run, residual = pushed
    threshold = np.array([4.0, 4.0, 8.0, 1.5])
    hit = collision(run.t, residual, threshold)
    assert hit is not None
    k = round(hit.time / 0.001)
    assert np.abs(residual[:k]).max(axis=0).tolist() <= threshold.tolist()
    assert (np.abs(residual[k]) > threshold).any()
    assert hit.axis == np.argmax(np.abs(residual[k]) / threshold) + 1
    np.testing.assert_array_equal(hit.residual, residual[k])
    torque = np.abs(ROBOT.jacobian(run.q[300]).T @ PUSH)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.nanmin(-np.log(1.0 - np.minimum(threshold / torque, 1.0)) / 100.0)
    assert hit.time - PUSHED == pytest.approx(expected, abs=0.003)
    assert collision(run.t, residual, 1e3) is None


def test_friction_is_taken_off_or_stays_in_the_residual():
    """On an IRB 2400 at a steady slow motion the residual is zero with friction in the model, else
    minus the friction.
    """
    robot = irb.load("irb2400")
    t = np.arange(0.0, 0.5, 0.002)
    v = np.full(6, 0.05)
    q = np.zeros(6) + np.outer(t, v)
    tau = robot.inverse_dynamics(q, np.broadcast_to(v, q.shape), np.zeros_like(q))
    motion = Motion(t, q, np.broadcast_to(v, q.shape), np.zeros_like(q), tau)
    with_it, without = (
        residuals(motion, robot, 40.0, friction=True)[-1],
        residuals(motion, robot, 40.0)[-1],
    )
    np.testing.assert_allclose(with_it, 0.0, atol=0.3)  # torque held over 2 ms of a moving arm
    np.testing.assert_allclose(without, -oracles.friction_2400(v), rtol=0, atol=0.3)
