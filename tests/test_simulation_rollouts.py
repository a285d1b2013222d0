"""Many simulations at once: state by state what the plant does, sticking, slipping and leaning."""

from __future__ import annotations

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.simulation import Plant, SimulationError, rollouts
from irbmodels.simulation.one_step import moved, slide, solve
from irbmodels.simulation.stiction import settled


@pytest.fixture(scope="module")
def arm() -> irb.Robot:
    """Return the IRB 2400 with the spindle."""
    return irb.load("irb2400", tool="spindle")


def starts(arm: irb.Robot, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return states near their stops too, and torques of the size of the friction."""
    rng = np.random.default_rng(5)
    q = arm.from_controller([0.0, 20.0, 10.0, 0.0, 30.0, 0.0]) + rng.uniform(-0.4, 0.4, (count, 6))
    v = rng.uniform(-0.5, 0.5, (count, 6)) * rng.integers(0, 2, (count, 6))
    q[::3, 5], v[::3, 5] = np.radians(400.0) - 1e-3, 0.6
    q[1::3, 2], v[1::3, 1:3] = q[1::3, 1] + np.radians(-60.0) + 1e-3, [0.4, -0.2]
    return q, v, arm.gravity(q) + rng.uniform(-70.0, 70.0, (count, 6)) * [1, 1, 1, 0.4, 0.7, 0.4]


def by_plant(robot: irb.Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the end of one simulation by the plant, and the largest torque of a stop."""
    plant = Plant(robot, step=1e-3)
    state, most = plant.start(q, v), 0.0
    for _ in range(steps):
        state = plant.advance(state, tau, 1e-3)
        most = max(most, np.abs(state.stop).max())
    return state.q, state.v, most


def test_every_state_is_what_the_plant_makes_of_it(arm):
    """Positions and speeds equal the plant's after 100 steps, among them axes that hold and ones that lean on stops."""
    q, v, tau = starts(arm, 12)
    found = rollouts(arm, q, v, duration=0.1, torque=tau, every=0.05)
    assert found.q.shape == found.v.shape == (12, 3, 6)
    np.testing.assert_array_equal(found.q[:, 0], q)
    np.testing.assert_allclose(found.t, [0.0, 0.05, 0.1])
    leaning = 0
    for i in range(12):
        position, speed, most = by_plant(arm, q[i], v[i], tau[i], 100)
        np.testing.assert_allclose(found.q[i, -1], position, rtol=0, atol=1e-10)  # two solvers, rounding over 100 steps
        np.testing.assert_allclose(found.v[i, -1], speed, rtol=0, atol=1e-8)
        assert ((found.v[i, -1] == 0.0) == (speed == 0.0)).all()
        leaning += most > 1.0
    assert leaning > 2
    assert (found.v[:, -1] == 0.0).any()
    assert np.isnan(found.failed).all()
    assert arm.in_range(found.q).all()


def test_each_state_may_have_its_own_robot(arm):
    """With other payloads per state each moves as its own robot does."""
    loaded = arm.with_payload(irb.payload(6.0, [0.0, 0.0, 0.1]))
    q, v, tau = starts(arm, 4)
    found = rollouts([arm, loaded, loaded, arm], q, v, duration=0.05, torque=tau, every=0.05)
    for i, robot in enumerate((arm, loaded, loaded, arm)):
        np.testing.assert_allclose(found.q[i, -1], by_plant(robot, q[i], v[i], tau[i], 50)[0], rtol=0, atol=1e-10)


def test_torques_of_time_and_state(arm):
    """A function gets time and all states, and its torques are cut to their limits."""
    q, v, tau = starts(arm, 3)
    seen = []

    def torque(t, positions, speeds):
        seen.append((t, positions.shape, speeds.shape))
        return tau

    limit = np.abs(tau).max(axis=0) / 2.0
    found = rollouts(arm, q, v, duration=0.02, torque=torque, torque_limit=limit, every=0.02)
    assert seen[0] == (0.0, (3, 6), (3, 6))
    assert len(seen) == 20
    cut = rollouts(arm, q, v, duration=0.02, torque=np.clip(tau, -limit, limit), every=0.02)
    np.testing.assert_array_equal(found.q, cut.q)


def test_a_state_that_fails_leaves_the_others_alone(arm):
    """NaN torques or a step too large end their own simulation, with its time; the others go on."""
    q, v, tau = starts(arm, 3)
    fast = v.copy()
    fast[2] = [0, 0, 0, 0, 0, 300.0]

    def torque(t, positions, speeds):
        return np.where((np.arange(3) == 1)[:, None] & (t > 0.0095), np.nan, tau)

    found = rollouts(arm, q, fast, duration=0.02, torque=torque, stops=False, every=0.01)
    assert np.isnan(found.failed[0])
    np.testing.assert_allclose(found.failed[1:], [0.01, 0.0])
    assert np.isfinite(found.q[0]).all()
    assert np.isnan(found.q[1:, -1]).all()
    assert np.isfinite(found.q[1, 1]).all()
    alone = rollouts(arm, q[:1], v[:1], duration=0.02, torque=tau[:1], stops=False, every=0.01)
    np.testing.assert_array_equal(found.q[0], alone.q[0])


def test_pivoting_on_the_matrix_and_on_its_inverse_agree():
    """The Cholesky of what moves finds what the dual solve finds, from any guess."""
    rng = np.random.default_rng(11)
    for _ in range(100):
        root, r, b = rng.normal(size=(5, 5)), rng.uniform(-2, 2, 5), rng.uniform(0.2, 1.5, 5) * rng.integers(0, 2, 5)
        A = root @ root.T + 0.1 * np.eye(5)
        x, modes = np.zeros(5), rng.integers(-1, 2, 5).astype(np.int8)
        modes[b == 0.0] = -1
        slide(A, r, b, modes, x, np.zeros((5, 5)))
        wanted = settled(A, r, b, np.zeros((0, 5))).x
        np.testing.assert_allclose(x, wanted, rtol=0, atol=1e-9)
        assert ((x == 0.0) == (wanted == 0.0)).all()
        np.testing.assert_allclose(solve(A, root), np.linalg.solve(A, root), rtol=0, atol=1e-8)
        np.testing.assert_allclose(moved(A, r, b), A @ r + b, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros((2, 5))}, r"shape \(N, 6\) or \(6,\)"),
        ({"q": np.full((2, 6), np.nan)}, "finite"),
        ({"q": [[0, 0, 0, 0, 0, 0], [0, 3.0, 0, 0, 0, 0]]}, "start 1 is out of range: axis 2"),
        ({"duration": 0.0015}, "no whole number of steps"),
        ({"step": -1.0}, r"step \[s\] is a positive number"),
        ({"step": "a"}, r"step \[s\] is a positive number"),
        ({"step": 1e-12}, "more than 10,000,000 steps"),
        ({"q": [1.0]}, r"q of rollouts is finite and of shape \(N, 6\)"),
        ({"q": [[0.0] * 6, [0.0]]}, "q of rollouts is not an array of numbers"),
        ({"v": "a"}, "v of rollouts is not an array of numbers"),
        ({"v": np.zeros((3, 6))}, "do not go together"),
        ({"torque": "a"}, "torques of rollouts are not an array of numbers"),
        ({"robot": "irb2400"}, "needs a robot"),
        ({"torque": np.zeros((3, 6))}, "torques of rollouts have shape"),
        ({"torque": [np.nan] * 6}, "finite"),
        ({"torque_limit": [1.0]}, "torque_limit"),
        ({"robot": []}, "one robot, or one per state"),
        ({"robot": [irb.load("irb930"), irb.load("irb2400")]}, "same axes"),
    ],
)
def test_bad_input_is_refused(arm, change, message):
    """What cannot be is refused in one line."""
    given = {"robot": arm, "q": np.zeros((2, 6)), "duration": 0.01, "every": 0.01, **change}
    with pytest.raises(irb.InputError, match=message):
        rollouts(given.pop("robot"), given.pop("q"), **given)


@pytest.mark.parametrize(
    "torque", [lambda t, q, v: 1 / 0 if t > 0.0045 else np.zeros(6), lambda t, q, v: np.zeros(6 - (t > 0.0045))]
)
def test_a_function_that_fails_names_its_time(arm, torque):
    """What a torque function raises, or a wrong shape, is told with the time of the step."""
    with pytest.raises(SimulationError, match=r"at t = 0\.005 s: the function torque fails: (ZeroDivisionError|InputError)"):
        rollouts(arm, np.zeros((2, 6)), duration=0.01, every=0.01, torque=torque)
