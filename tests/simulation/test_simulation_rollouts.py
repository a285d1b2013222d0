"""Many simulations at once: state by state what the plant does, sticking, slipping and leaning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from grouped import together
from scipy.optimize import linprog

import irbmodels as irb
from irbmodels.simulation import Plant, SimulationError, rollouts
from irbmodels.simulation.step.kernel import ROUNDS


def starts(arm: irb.Robot, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return states near their stops too, and torques of the size of the friction."""
    rng = np.random.default_rng(5)
    q = arm.from_controller([0.0, 20.0, 10.0, 0.0, 30.0, 0.0]) + rng.uniform(-0.4, 0.4, (count, 6))
    v = rng.uniform(-0.5, 0.5, (count, 6)) * rng.integers(0, 2, (count, 6))
    q[::3, 5], v[::3, 5] = np.radians(400.0) - 1e-3, 0.6
    q[1::3, 2], v[1::3, 1:3] = q[1::3, 1] + np.radians(-60.0) + 1e-3, [0.4, -0.2]
    return q, v, arm.gravity(q) + rng.uniform(-70.0, 70.0, (count, 6)) * [1, 1, 1, 0.4, 0.7, 0.4]


def by_plant(
    robot: irb.Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the end of one simulation by the plant, and the largest torque of a stop."""
    plant = Plant(robot, step=1e-3)
    state, most = plant.start(q, v), 0.0
    for _ in range(steps):
        state = plant.advance(state, tau, 1e-3)
        most = max(most, np.abs(state.stop).max())
    return state.q, state.v, most


def test_every_state_is_what_the_plant_makes_of_it(arm):
    """Positions and speeds equal the plant's after 100 steps, among them axes that hold and ones
    that lean on stops.
    """
    q, v, tau = starts(arm, 12)
    actual = rollouts(arm, q, v, duration=0.1, torque=tau, every=0.05)
    assert actual.q.shape == actual.v.shape == (12, 3, 6)
    np.testing.assert_array_equal(actual.q[:, 0], q)
    np.testing.assert_allclose(actual.t, [0.0, 0.05, 0.1])
    leaning = 0
    for i in range(12):
        position, speed, most = by_plant(arm, q[i], v[i], tau[i], 100)
        # two solvers, rounding over 100 steps
        np.testing.assert_allclose(actual.q[i, -1], position, rtol=0, atol=1e-10)
        np.testing.assert_allclose(actual.v[i, -1], speed, rtol=0, atol=1e-8)
        assert ((actual.v[i, -1] == 0.0) == (speed == 0.0)).all()
        leaning += most > 1.0
    assert leaning > 2
    assert (actual.v[:, -1] == 0.0).any()
    assert np.isnan(actual.failed).all()
    assert arm.in_range(actual.q).all()


def test_each_state_may_have_its_own_robot(arm):
    loaded = arm.with_payload(irb.payload(6.0, [0.0, 0.0, 0.1]))
    q, v, tau = starts(arm, 4)
    actual = rollouts([arm, loaded, loaded, arm], q, v, duration=0.05, torque=tau, every=0.05)
    for i, robot in enumerate((arm, loaded, loaded, arm)):
        np.testing.assert_allclose(
            actual.q[i, -1], by_plant(robot, q[i], v[i], tau[i], 50)[0], rtol=0, atol=1e-10
        )


def test_torques_of_time_and_state(arm):
    """A function gets time and all states, and its torques are cut to their limits."""
    q, v, tau = starts(arm, 3)
    seen = []

    def torque(t, positions, speeds):
        seen.append((t, positions.shape, speeds.shape))
        return tau

    limit = np.abs(tau).max(axis=0) / 2.0
    actual = rollouts(arm, q, v, duration=0.02, torque=torque, torque_limit=limit, every=0.02)
    assert seen[0] == (0.0, (3, 6), (3, 6))
    assert len(seen) == 20
    cut = rollouts(arm, q, v, duration=0.02, torque=np.clip(tau, -limit, limit), every=0.02)
    np.testing.assert_array_equal(actual.q, cut.q)


def test_a_state_that_fails_leaves_the_others_alone(arm):
    """NaN torques or a step too large end their own simulation, with its time; the others go on."""
    q, v, tau = starts(arm, 3)
    fast = v.copy()
    fast[2] = [0, 0, 0, 0, 0, 300.0]

    def torque(t, positions, speeds):
        return np.where((np.arange(3) == 1)[:, None] & (t > 0.0095), np.nan, tau)

    actual = rollouts(arm, q, fast, duration=0.02, torque=torque, stops=False, every=0.01)
    assert np.isnan(actual.failed[0])
    np.testing.assert_allclose(actual.failed[1:], [0.01, 0.0])
    assert np.isfinite(actual.q[0]).all()
    assert np.isnan(actual.q[1:, -1]).all()
    assert np.isfinite(actual.q[1, 1]).all()
    alone = rollouts(arm, q[:1], v[:1], duration=0.02, torque=tau[:1], stops=False, every=0.01)
    np.testing.assert_array_equal(actual.q[0], alone.q[0])


def leaning(arm: irb.Robot, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return states after 0.7 s under torques that press most arms against their stops, and the
    torques.
    """
    rng = np.random.default_rng(2)
    q = arm.from_controller([0.0, 20.0, 10.0, 0.0, 30.0, 0.0]) + rng.uniform(-0.2, 0.2, (count, 6))
    tau = arm.gravity(q) + rng.uniform(-1.0, 1.0, (count, 6)) * [300, 300, 300, 60, 80, 60]
    actual = rollouts(
        arm, q, rng.uniform(-0.5, 0.5, (count, 6)), duration=0.7, torque=tau, every=0.7
    )
    return actual.q[:, -1], actual.v[:, -1], tau


def needs(arm: irb.Robot, q, v, tau, after) -> tuple[np.ndarray, np.ndarray]:
    """Return, of a step of 1 ms by Pinocchio, what friction and stops exerted, and the largest
    friction by the step's law.
    """
    middle, law = q + 0.5e-3 * v, arm.friction_model
    h = arm.inverse_dynamics(middle, v, np.zeros(6), friction=False)
    exerted = arm.mass_matrix(middle) @ (after - v) - 1e-3 * (tau - h - law.Fv * after)
    return exerted, 1e-3 * (law.Fc + (law.Fs - law.Fc) * np.exp(-((v / law.v_St) ** 2)))


def test_arms_that_lean_obey_friction_and_stops(arm):
    """One step of 200 arms, nearly all on stops: what acts on each is friction within its law and
    stops that only push.

    Shares no code with the solve: these are the conditions of a strictly convex problem, which no
    other speeds can satisfy. The impulses of friction and stops are found by a linear program,
    whose smallest violation must be rounding.
    """
    q, v, tau = leaning(arm, 200)
    actual = rollouts(arm, q, v, duration=1e-3, torque=tau, every=1e-3)
    after, A, limits = actual.v[:, -1], arm.limits.A, arm.limits
    gaps, beyond = (
        np.hstack([x @ A.T - limits.lower, limits.upper - x @ A.T]) for x in (q, actual.q[:, -1])
    )
    rows = np.vstack([A, -A])
    touched = (gaps < 1e-9) & (v @ rows.T < 1e-9)
    assert touched.any(axis=1).mean() > 0.7
    # ends of q3 - q2, where axes 2 and 3 move together or hold together
    assert touched[:, [2, 8]].sum() > 50
    both = 0
    for i in range(200):
        exerted, most = needs(arm, q[i], v[i], tau[i], after[i])
        met = rows[touched[i] | (beyond[i] < 1e-9)]
        rates = met @ after[i]
        assert (rates > -1e-12).all()
        # friction f and pushes k: f + D' k = exerted, |f| <= most, f = -most sgn(v) where it slips,
        # k = 0 where a stop is left
        low = np.where(after[i] > 1e-12, -most, np.where(after[i] < -1e-12, most, -most))
        high = np.where(after[i] > 1e-12, -most, np.where(after[i] < -1e-12, most, most))
        bounds = [
            *zip(low, high, strict=True),
            *((0.0, 0.0 if rate > 1e-9 else None) for rate in rates),
            (0.0, None),
        ]
        equal = np.hstack([np.eye(6), met.T])
        over, under = np.hstack([equal, -np.ones((6, 1))]), np.hstack([-equal, -np.ones((6, 1))])
        least = linprog(
            [*np.zeros(equal.shape[1]), 1.0],
            np.vstack([over, under]),
            np.append(exerted, -exerted),
            bounds=bounds,
        )
        assert least.fun < 1e-9  # of impulses up to 0.3 N m s
        both += (least.x[6:-1] > 1e-4).any() and (np.abs(after[i]) > 1e-3).any()
    assert both > 50


def test_arms_that_lean_are_what_the_plant_makes_of_them(arm):
    """One step of arms that lean is the plant's, which solves them one by one, to 1e-12, and the
    same axes hold.
    """
    q, v, tau = leaning(arm, 60)
    plant, actual = (
        Plant(arm, step=1e-3),
        rollouts(arm, q, v, duration=1e-3, torque=tau, every=1e-3),
    )
    stops = 0
    for i in range(60):
        state = plant.advance(plant.start(q[i], v[i]), tau[i], 1e-3)
        np.testing.assert_allclose(actual.q[i, -1], state.q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            actual.v[i, -1], state.v, rtol=0, atol=1e-12 * max(1.0, np.abs(state.v).max())
        )
        assert ((actual.v[i, -1] == 0.0) == state.sticks).all()
        stops += np.abs(state.stop).max() > 1.0
    assert stops > 40


def count_by_plant(monkeypatch) -> list[None]:
    """Return a list that grows with each step of one state by the plant."""
    steps: list[None] = []
    solve = Plant.solve_step

    def counted(*args):
        steps.append(None)
        return solve(*args)

    monkeypatch.setattr(Plant, "solve_step", counted)
    return steps


@pytest.mark.parametrize("rounds", [0, ROUNDS])
def test_arms_that_lean_need_few_rounds_and_the_plant_never(arm, monkeypatch, rounds):
    """Arms that lean, hold and slip as before are solved with the first guess: at most one in ten
    is not. Further rounds solve the others, to what the plant makes of them.
    """
    q, v, tau = leaning(arm, 200)
    expected = rollouts(arm, q, v, duration=1e-3, torque=tau, every=1e-3)
    steps = count_by_plant(monkeypatch)
    monkeypatch.setattr("irbmodels.simulation.batch.batch.ROUNDS", rounds)
    actual = rollouts(arm, q, v, duration=1e-3, torque=tau, every=1e-3)
    assert 0 < len(steps) <= 20 if rounds == 0 else not steps
    np.testing.assert_allclose(actual.q, expected.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(actual.v, expected.v, rtol=0, atol=1e-10)


def test_a_range_of_three_axes_goes_by_the_plant(arm, monkeypatch):
    """Arms that meet a stop which bounds three axes are what the plant makes of them, to the bit
    where it takes the step; the others do not wait for it.
    """
    limits, model = arm.limits, arm.dynamic_model
    A = limits.A.copy()
    A[2, 0] = 0.1
    coupled = replace(arm, dynamic_model=replace(model, limits=replace(limits, A=A)))
    q = np.tile(arm.from_controller([0.0, 20.0, 10.0, 0.0, 30.0, 0.0]), (3, 1))
    q[:2, 2] += limits.upper[2] - (q @ A.T)[:2, 2] - [1e-4, 1e-3]
    v = np.zeros((3, 6))
    v[:2, 2] = 0.3
    tau = arm.gravity(q)
    expected = [by_plant(coupled, q[i], v[i], tau[i], 20) for i in range(3)]
    assert [most > 0.0 for _, _, most in expected] == [True, True, False]
    steps = count_by_plant(monkeypatch)
    actual = rollouts(coupled, q, v, duration=0.02, torque=tau, every=0.02)
    assert 0 < len(steps) <= 40
    for i, (position, speed, _) in enumerate(expected):
        np.testing.assert_allclose(actual.q[i, -1], position, rtol=0, atol=1e-12)
        np.testing.assert_allclose(actual.v[i, -1], speed, rtol=0, atol=1e-10)


@together(
    "change, message",
    [
        ({"q": np.zeros((2, 5))}, r"shape \(N, 6\) or \(6,\)"),
        ({"q": np.full((2, 6), np.nan)}, "finite"),
        ({"q": [[0, 0, 0, 0, 0, 0], [0, 3.0, 0, 0, 0, 0]]}, "start 1 is out of range: axis 2"),
        ({"duration": 0.0015}, "no whole number of steps"),
        ({"step": -1.0}, r"step \[s\] must be a positive finite number"),
        ({"step": "a"}, r"step \[s\] must be a positive finite number"),
        ({"step": 1e-12}, "more than 10,000,000 steps"),
        ({"q": [1.0]}, r"q of rollouts is finite and of shape \(N, 6\)"),
        ({"q": [[0.0] * 6, [0.0]]}, "q of rollouts is not an array of numbers"),
        ({"v": "a"}, "v of rollouts is not an array of numbers"),
        ({"v": np.zeros((3, 6))}, "do not go together"),
        ({"torque": "a"}, "torque of rollouts is not an array of numbers"),
        ({"robot": "irb2400"}, "needs a robot"),
        ({"torque": np.zeros((3, 6))}, "torques of rollouts have shape"),
        ({"torque": [np.nan] * 6}, "finite"),
        ({"torque_limit": [1.0]}, "torque_limit"),
        ({"robot": []}, "one robot, or one per state"),
        ({"robot": [irb.load("irb930"), irb.load("irb2400")]}, "same axes"),
    ],
)
def test_bad_input_is_refused(arm, change, message):
    given = {"robot": arm, "q": np.zeros((2, 6)), "duration": 0.01, "every": 0.01, **change}
    with pytest.raises(irb.InputError, match=message):
        rollouts(given.pop("robot"), given.pop("q"), **given)


@pytest.mark.parametrize(
    "torque",
    [
        lambda t, q, v: 1 / 0 if t > 0.0045 else np.zeros(6),
        lambda t, q, v: np.zeros(6 - (t > 0.0045)),
    ],
)
def test_a_function_that_fails_names_its_time(arm, torque):
    """What a torque function raises, or a wrong shape, is told with the time of the step."""
    with pytest.raises(
        SimulationError,
        match=r"at t = 0\.005 s: the function torque fails: (ZeroDivisionError|InputError)",
    ):
        rollouts(arm, np.zeros((2, 6)), duration=0.01, every=0.01, torque=torque)


def test_torques_of_a_state_are_those_of_each_step(arm):
    """A damper sees the speeds of every step, however rarely samples are taken."""
    q, v, _ = starts(arm, 3)

    def damper(t, positions, speeds):
        return arm.gravity(positions) - 40.0 * speeds

    seldom, often = (
        rollouts(arm, q, v, duration=0.02, torque=damper, every=every) for every in (0.01, 0.001)
    )
    np.testing.assert_array_equal(seldom.q, often.q[:, ::10])
