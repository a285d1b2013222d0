"""The plant of a sampled loop: against the error-controlled simulation, and at steps that would
break an explicit one.
"""

from __future__ import annotations

import numpy as np
import pytest
from simulated import posture

import irbmodels as irb
from irbmodels.simulation import Plant, SimulationError, simulate


@pytest.fixture(autouse=True, params=["NumPy", "machine code"])
def solver(request, monkeypatch):
    """Advance by either solver from the first step on."""
    worth = np.inf if request.param == "NumPy" else 0
    monkeypatch.setattr("irbmodels.simulation.plant.WORTH", worth)
    return request.param


def test_the_error_falls_with_the_step(arm):
    """Through sticking and slipping the plant approaches the simulation with events, by its
    step.
    """
    start = np.array([0.4, -0.3, 0.2, 0.5, 0.8, 0.5])
    torque = arm.gravity(posture(arm)) + np.array([40.0, 0, -30, 12, 0, 15])
    wanted = simulate(
        arm, posture(arm), start, duration=0.4, torque=torque, every=0.4, rtol=1e-8, atol=1e-9
    )
    assert {event.kind for event in wanted.events} >= {"sticks"}
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        plant = Plant(arm, step=step)
        state = plant.start(posture(arm), start)
        for _ in range(100):
            state = plant.advance(state, torque, 0.004)
        assert state.sticks.tolist() == (wanted.v[-1] == 0.0).tolist()
        errors.append(np.abs(state.q - wanted.q[-1]).max())
    assert errors[0] < 5e-3
    assert 1.6 < errors[0] / errors[1] < 2.5
    assert 1.6 < errors[1] / errors[2] < 2.5


def test_an_axis_holds_to_the_bit_and_leaves_at_Fs(arm):
    """Loaded up to Fs for many samples the arm does not move at all; a little above, axis 6 does,
    whatever the sign.
    """
    plant, held, law = Plant(arm), arm.gravity(posture(arm)), arm.friction_model
    for sign in (-1.0, 1.0):
        state = plant.start(posture(arm))
        for share in np.linspace(0.0, 0.999, 25):
            state = plant.advance(state, held + sign * share * law.Fs, 0.004)
        assert (state.q == posture(arm)).all()
        assert state.sticks.all()
        np.testing.assert_allclose(state.friction, sign * 0.999 * law.Fs, rtol=0, atol=1e-9)
        state = plant.advance(
            state, held + sign * np.array([0, 0, 0, 0, 0, 1.01 * law.Fs[5]]), 0.004
        )
        assert sign * state.v[5] > 0.0
        assert not state.sticks[5]


def test_friction_of_any_size_is_stable(arm):
    """With a hundred times the viscous friction, at 4 ms, speeds only fall; explicit steps would
    double them each time.
    """
    law = arm.friction_model
    thick = irb.Stribeck(law.Fs, law.Fc, 100.0 * law.Fv, law.v_St)
    assert (0.004 * thick.Fv / np.diag(arm.mass_matrix(posture(arm))) > 2.0).any()
    plant = Plant(arm.with_gravity([0, 0, 0]), friction=thick, step=0.004)
    state, speeds = plant.start(posture(arm), [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]), [np.ones(6)]
    for _ in range(100):
        state = plant.advance(state, np.zeros(6), 0.004)
        speeds.append(np.abs(state.v))
    energy = [v @ arm.mass_matrix(posture(arm)) @ v for v in speeds]
    assert energy[1] < energy[0]
    assert state.sticks.all()
    assert np.isfinite(speeds).all()


def test_friction_takes_energy_out_in_every_step(arm):
    """What friction does in a step is never positive: it acts against the speed at the end of the
    step.
    """
    plant, rng = Plant(arm, step=0.004), np.random.default_rng(3)
    state = plant.start(posture(arm), rng.uniform(-0.5, 0.5, 6))
    held = arm.gravity(posture(arm))
    for _ in range(100):
        state = plant.advance(
            state, held + rng.uniform(-80.0, 80.0, 6) * [1, 1, 1, 0.3, 0.6, 0.3], 0.004
        )
        assert (state.friction * state.v >= 0.0).all()
        assert (
            np.abs(state.friction)
            <= arm.friction_model.Fs + arm.friction_model.Fv * np.abs(state.v) + 1e-9
        ).all()


def test_a_step_obeys_the_equation_of_motion(arm):
    """One step satisfies M a + h + friction = tau + stops + J' w in its middle, with one step per
    sample.
    """
    plant, v = Plant(arm, step=1e-3), np.array([0.3, -0.2, 0.4, 0.5, -0.6, 0.7])
    wrench, tau = (
        np.array([50.0, 20.0, -30.0, 1.0, 2.0, 3.0]),
        np.array([60.0, -190, -250, 10, -30, 5]),
    )
    state = plant.advance(plant.start(posture(arm), v), tau, 1e-3, wrench)
    middle = posture(arm) + 0.5e-3 * v
    h = arm.inverse_dynamics(middle, v, np.zeros(6), friction=False)
    wanted = tau + arm.jacobian(middle).T @ wrench - h - state.friction
    np.testing.assert_allclose(arm.mass_matrix(middle) @ state.a, wanted, rtol=0, atol=1e-9)
    np.testing.assert_allclose(state.q, posture(arm) + 0.5e-3 * (v + state.v), rtol=0, atol=1e-15)
    dry = arm.friction_model.torque(v) - arm.friction_model.Fv * v
    np.testing.assert_allclose(state.friction, dry + arm.friction_model.Fv * state.v, rtol=1e-12)
    np.testing.assert_allclose(state.t, 1e-3)


def test_stops_are_walls(arm):
    """Driven against the ends of axis 6 and of q3 - q2 the arm stays inside, leans, and comes off
    when it is pulled back.
    """
    held = arm.gravity(posture(arm))
    for axis, push, row in (
        (5, 40.0, np.eye(6)[5]),
        (5, -40.0, np.eye(6)[5]),
        (1, 250.0, [0, -1, 1, 0, 0, 0]),
    ):
        plant = Plant(arm)
        start = posture(arm) + (
            np.sign(push) * np.radians(395.0) * np.eye(6)[5] if axis == 5 else 0.0
        )
        state, leaning = plant.start(start), 0
        for _ in range(150):
            state = plant.advance(state, held + push * np.eye(6)[axis], 0.004)
            assert arm.in_range(state.q)
            leaning += np.abs(state.stop).max() > 1.0
        assert leaning > 20
        ends = np.array([plant.stops.lower, plant.stops.upper])
        gap = np.abs(np.asarray(row) @ state.q - ends).min()
        assert gap < 1e-9
        if axis == 5:
            weight = arm.gravity(state.q)[5] - held[5]
            np.testing.assert_allclose(
                state.stop[5] + push, state.friction[5] + weight, rtol=0, atol=1e-3
            )  # others still move a bit
            for _ in range(50):
                state = plant.advance(state, held - push * np.eye(6)[5], 0.004)
            assert np.abs(state.q[5]) < np.radians(399.0)
    state = Plant(arm, stops=False).start([0.0, 3.0, 0, 0, 0, 0])
    assert not arm.in_range(state.q)


def test_an_impact_ends_at_the_stop_and_the_axis_stands_there_to_the_bit(arm):
    """An axis whose step would go through its stop is at the stop after that step, and stays while
    it is pressed.
    """
    law = arm.friction_model
    for way in (-1.0, 1.0):
        plant = Plant(arm)
        end = way * np.radians(400.0)
        start = np.where(np.arange(6) == 5, end - way * 4e-4, posture(arm))
        tau = arm.gravity(start) + way * np.array([0, 0, 0, 0, 0, law.Fs[5] + 10.0])
        # 0.4 mm of 0.5 rad/s in 1 ms: beyond the end
        state = plant.start(start, way * np.array([0, 0, 0, 0, 0, 0.5]))
        for _ in range(20):
            state = plant.advance(state, tau, 1e-3)
            assert state.q[5] == end
            assert state.v[5] == 0.0
        np.testing.assert_allclose(state.friction[5], way * law.Fs[5], rtol=1e-9)
        # gravity of a turned tool, axes that hold
        np.testing.assert_allclose(state.stop[5], -way * 10.0, rtol=0, atol=0.5)


def test_a_position_is_put_back_into_its_own_range(arm):
    """What an axis 2 beyond its end is put back by leaves q3 - q2 as it was."""
    stops = Plant(arm).stops
    q = np.radians([0.0, 111.0, 111.0 - 60.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(
        np.degrees(stops.clamp(q)), [0.0, 110.0, 50.0, 0.0, 0.0, 0.0], rtol=0, atol=1e-9
    )


def test_torques_are_cut_to_their_limits(arm):
    """A torque beyond the given limit acts as the limit, and the state says what was applied."""
    limit = arm.limits.effort / 3.0
    plant, free = Plant(arm, torque_limit=limit), Plant(arm)
    tau = 2.0 * limit * np.array([1, -1, 1, -1, 1, -1])
    cut = plant.advance(plant.start(posture(arm)), tau, 0.004)
    np.testing.assert_array_equal(cut.tau, np.clip(tau, -limit, limit))
    np.testing.assert_array_equal(cut.q, free.advance(free.start(posture(arm)), cut.tau, 0.004).q)


def test_without_data_there_is_no_friction():
    """A robot without friction data moves under the smallest torque; a given law makes it hold."""
    robot = irb.load("irb1600")
    q, torque = np.array([0.0, 0.2, 0.1, 0.0, 0.3, 0.0]), np.array([1.0, 0, 0, 0, 0, 0])
    held = robot.gravity(q)
    free = Plant(robot).advance(Plant(robot).start(q), held + torque, 0.004)
    assert free.v[0] > 0.0
    np.testing.assert_allclose(free.friction, 0.0)
    law = irb.Stribeck(*(np.full(6, value) for value in (3.0, 2.0, 1.0, 0.01)))
    plant = Plant(robot, friction=law)
    assert (plant.advance(plant.start(q), held + torque, 0.004).v == 0.0).all()


def test_a_state_is_not_changed(arm):
    """A state can be gone on from twice, with the same answer."""
    plant = Plant(arm)
    state = plant.start(posture(arm), np.full(6, 0.2))
    first, second = (plant.advance(state, np.zeros(6), 0.004) for _ in range(2))
    np.testing.assert_array_equal(first.q, second.q)
    np.testing.assert_array_equal(state.q, posture(arm))
    guess = plant.advance(state._replace(active_set=-state.active_set), np.zeros(6), 0.004)
    np.testing.assert_allclose(guess.q, first.q, rtol=1e-14)


def test_what_cannot_be_is_refused(arm):
    """NaN torques and too large steps name the time; wrong times, limits and laws are refused
    before.
    """
    plant = Plant(arm)
    state = plant.start(posture(arm), t=1.5)
    with pytest.raises(SimulationError, match=r"at t = 1\.5 s: tau needs"):
        plant.advance(state, [np.nan] * 6, 0.004)
    with pytest.raises(SimulationError, match=r"at t = 1\.5 s: wrench"):
        plant.advance(state, np.zeros(6), 0.004, wrench=[1.0])
    coarse = Plant(arm, step=0.1)
    with pytest.raises(
        SimulationError,
        match=r"at t = 2 s: a step of 100 ms is too large: axis 6 would move by [\d.]+ rad",
    ):
        coarse.advance(coarse.start(posture(arm), t=2.0), [0, -200, -260, 0, -20, 100.0], 0.1)
    for dt in (1e9, 100.1):
        with pytest.raises(
            irb.InputError, match=r"dt = .* s in steps of 0.001 s are more than 100,000 steps"
        ):
            plant.advance(state, np.zeros(6), dt)
    for dt in (0.0, -1.0, np.nan, np.inf, "a", None):
        with pytest.raises(irb.InputError, match=r"dt \[s\] must be a positive finite number"):
            plant.advance(state, np.zeros(6), dt)
    with pytest.raises(irb.InputError, match=r"step \[s\] must be a positive finite number"):
        Plant(arm, step=0.0)
    with pytest.raises(irb.InputError, match="torque_limit needs 6 positive"):
        Plant(arm, torque_limit=[-1.0] * 6)
    with pytest.raises(irb.InputError, match="v_St of the friction law must be positive"):
        Plant(arm, friction=irb.Stribeck(*np.zeros((4, 6))))
    with pytest.raises(irb.InputError, match="Fs of the friction law needs"):
        Plant(arm, friction=irb.Stribeck(*np.ones((4, 3))))
    with pytest.raises(irb.InputError, match="moves through a stop: q6 stands at its end"):
        plant.start(np.radians([0, 0, 0, 0, 0, -400.0]), [0, 0, 0, 0, 0, -0.1])
    assert (plant.start(np.radians([0, 0, 0, 0, 0, -400.0]) - 1e-10).q >= arm.limits.lower).all()
    with pytest.raises(
        irb.InputError, match=r"step \[s\] must be a positive finite number, got 'a'"
    ):
        Plant(arm, step="a")
    with pytest.raises(irb.InputError, match="needs a robot"):
        Plant("irb2400")
    with pytest.raises(irb.InputError, match="goes on from a State of 6 axes"):
        plant.advance(Plant(irb.load("irb930")).start(np.zeros(4)), np.zeros(6), 0.004)
    with pytest.raises(irb.InputError, match=r"the time of a start .* must be a finite number"):
        plant.start(posture(arm), t=np.nan)
    with pytest.raises(irb.InputError, match=r"torque_limit .* is not an array of numbers"):
        Plant(arm, torque_limit="a")


def test_a_torque_that_throws_the_arm_at_its_stops_in_one_step_is_refused(arm):
    """Stops end the step, but no axis crosses its range within a millisecond."""
    plant = Plant(arm)
    with pytest.raises(
        irb.simulation.SimulationError, match=r"a step of 1 ms is too large: axis . would move by"
    ):
        plant.advance(plant.start(posture(arm)), np.full(6, 1e12), 0.004)
