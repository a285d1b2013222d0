"""Rounds of a step, evaluated in NumPy: what they solve for is what the dual solve finds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from grouped import together
from programs import evaluate
from scipy.optimize import linprog

import irbmodels as irb
from irbmodels.compiled.trace import Trace, where
from irbmodels.simulation import Plant
from irbmodels.simulation.mechanics import Stops
from irbmodels.simulation.step.guess import (
    PASSED_HIGH,
    PASSED_LOW,
    TIED,
    first_guess,
    row_contact,
)
from irbmodels.simulation.step.program import (
    BEYOND,
    FAILED,
    SOLVED,
    UNSOLVED,
    Law,
    step_program,
)
from irbmodels.simulation.step.ranges import UNCOUPLED, UNSUPPORTED, Ranges
from irbmodels.simulation.stiction import LOW, STILL, solve_stiction

STEP, COUNT = 1e-3, 64
LIMIT = 30  # rounds; a tenth of it is common


def given_terms(trace, constant, q, v, a):
    """Return a mass matrix that is an input, and torques with a bias that is one too."""
    n = len(q)
    M, h = trace.input("M", n * n), trace.input("h", n)
    rows = [M[n * i : n * (i + 1)] for i in range(n)]
    inertial = [sum(m * x for m, x in zip(row, a, strict=True)) for row in rows]
    return rows, [bias + torque for bias, torque in zip(h, inertial, strict=True)], None


def walls(A, lower, upper):
    """Return the stops of ``A q``."""
    stops = Stops(irb.load("irb2400"))
    stops.set_ranges(np.asarray(A, dtype=float), np.asarray(lower), np.asarray(upper))
    return stops


def constants_of(law, stops, max_speed):
    """Return constants by name; Fc, Fs - Fc, -1/v_St^2 and Fv are ``(n, N)`` each."""
    arrays = dict(zip(("Fc", "drop", "exponent", "Fv"), law, strict=True))
    arrays |= {"lower": stops.lower, "upper": stops.upper}
    values = {"dt": STEP, "max_speed": max_speed, "max_move": max_speed * STEP}
    for name, array in arrays.items():
        values |= {f"{name}{i}": value for i, value in enumerate(array, 1)}
    return values


def solve_rounds(stops, M, h, tau, q, v, law, guess, max_speed=np.inf):
    """Return the states ``(N, 3 n + 1)`` after rounds until all are solved, and their number.

    Mass matrices are ``(N, n, n)``, the law's Fc, Fs - Fc, ``-1 / v_St^2`` and Fv ``(4, n, N)``,
    all else ``(N, n)``.
    """
    program = step_program(Ranges.of(stops), Law(True, True), given_terms)
    constants, count = constants_of(law, stops, max_speed), len(q)
    state = np.hstack([q, v, guess, np.zeros((count, 1))])
    for number in range(1, LIMIT + 1):
        with np.errstate(all="ignore"):
            inputs = {"state": state, "tau": tau, "M": M.reshape(count, -1), "h": h}
            state = np.where(
                (state[:, -1:] == UNSOLVED) | (number == 1),
                evaluate(program, constants, **inputs)["state"],
                state,
            )
        if not (state[:, -1] == UNSOLVED).any():
            break
    return state, number


def solve_by_plant(stops, M, h, tau, q, v, law):
    """Return position and speed of one state as the plant finds them, by the dual solve."""
    Fc, drop, exponent, Fv = law
    A = M + np.diag(STEP * Fv)
    right = M @ v + STEP * (tau - h)
    bound = STEP * (Fc + drop * np.exp(exponent * v * v))
    touched = stops.touched(q, v)
    while True:
        x = solve_stiction(A, right, bound, stops.rows[touched]).x
        ahead = q + 0.5 * STEP * (v + x)
        passed = (stops.gaps(ahead) < 0.0) & ~touched
        if not passed.any():
            return stops.clamp(ahead, touched & (stops.rows @ x <= 1e-9)), x
        touched |= passed


def random_states(rng, n, coupled):
    """Return random states, many of them less than 1e-9 from ends of their ranges, leaning,
    leaving, hitting: stops, M, h, tau, q, v and law of friction.
    """
    A = np.eye(n)
    if coupled:
        A[2, 1] = rng.choice([-1.0, 1.0, 0.5, -0.7])
    lower, upper = rng.uniform(-2.0, -1.0, n), rng.uniform(1.0, 2.0, n)
    place = rng.uniform(lower, upper, (COUNT, n))
    rate = rng.uniform(-1.0, 1.0, (COUNT, n)) * rng.integers(0, 2, (COUNT, n))
    at = rng.integers(0, 5, (COUNT, n))
    gap = 5e-10 * rng.integers(0, 2, (COUNT, n))
    place = np.where(at == 0, lower + gap, np.where(at == 1, upper - gap, place))
    rate = np.where((at < 2) & (rng.random((COUNT, n)) < 0.8), 0.0, rate)
    q, v = (np.linalg.solve(A, x.T).T for x in (place, rate))
    roots = rng.normal(size=(COUNT, n, n))
    M = roots @ roots.transpose(0, 2, 1) + 0.5 * np.eye(n)
    scale = np.array([300.0, 300.0, -1.0, 1000.0])[:, None, None]
    law = rng.uniform(0.1, 1.0, (4, n, COUNT)) * rng.integers(0, 2, (1, n, COUNT)) * scale
    h, tau = rng.uniform(-300.0, 300.0, (2, COUNT, n))
    return walls(A, lower, upper), M, h, tau, q, v, law


@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("guessed", [False, True])
def test_rounds_end_where_the_dual_solve_does(coupled, guessed):
    """Random states with many stops, from a random guess too, end as by the plant's solve: a guess
    decides only the number of rounds.

    The dual solve knows neither pairs nor guesses.
    """
    rng, kept, led, slid = np.random.default_rng(8), 0, 0, 0
    for _ in range(40):
        stops, M, h, tau, q, v, law = random_states(rng, 4, coupled)
        guess = rng.integers(-1, 2, q.shape) if guessed else first_guess(v.T, Ranges.of(stops)).T
        state, _ = solve_rounds(stops, M, h, tau, q, v, law, guess)
        assert (state[:, -1] == SOLVED).all()
        end, x = state[:, :4], state[:, 4:8]
        wanted = [
            solve_by_plant(stops, *(array[s] for array in (M, h, tau, q, v)), law[..., s])
            for s in range(COUNT)
        ]
        places, speeds = (np.array(rows) for rows in zip(*wanted, strict=True))
        # speeds up to 10, conditions up to 1e2
        np.testing.assert_allclose(x, speeds, rtol=0, atol=1e-11)
        np.testing.assert_allclose(end, places, rtol=0, atol=1e-12)
        assert ((x == 0.0) == (speeds == 0.0)).mean() > 0.999
        touched = np.array([stops.touched(*pair) for pair in zip(q, v, strict=True)])
        leans = touched & (x @ stops.rows.T <= 1e-9)
        np.testing.assert_allclose(stops.gaps(end)[leans], 0.0, rtol=0, atol=1e-14)
        kept += leans.sum()
        led += ((x != 0.0) & (v == 0.0)).sum()
        slid += ((leans[:, 2] | leans[:, 6]) & (x[:, 1] != 0.0) & (x[:, 2] != 0.0)).sum()
    assert kept > 500
    assert led > 100
    assert slid > 30 or not coupled


@together("guess", [-1.0, 0.0, 1.0])
@together("side", [-1.0, 1.0])
@together(
    "gap, v, force, after",
    [
        # too weak to close the gap within the step: what counts is that the stop is touched
        (8e-10, 0.0, 1e-4, None),
        (5e-9, 0.0, 1e-4, 5e-8),  # not touched, nor reached
        # leaving when it is pulled back: half a step on the way out, half on the way back
        (0.0, -0.1, 300.0, 0.05),
        (0.0, 0.1, 0.0, None),  # an impact
        (0.0, 0.0, -1e-4, -5e-8),  # pulled off
    ],
)
def test_what_touches_a_stop(guess, side, gap, v, force, after):
    """2 kg within 1e-9 m of a stop, that do not leave, end on it exactly and at rest; else they
    move freely.
    """
    one = np.ones((1, 1))
    state, _ = solve_rounds(
        walls([[1.0]], [-1.0], [1.0]),
        2.0 * one[None],
        0.0 * one,
        side * force * one,
        side * (1.0 - gap) * one,
        side * v * one,
        np.zeros((4, 1, 1)),
        guess * one,
    )
    q, speed, _, status = state[0]
    assert status == SOLVED
    if after is None:
        assert (q, speed) == (side, 0.0)
    else:
        np.testing.assert_allclose(speed, side * after, rtol=1e-9)
        np.testing.assert_allclose(side * q, 1.0 - gap + 0.5e-3 * (v + after), rtol=0, atol=3e-16)


@pytest.mark.parametrize("ends", [0, 3])
def test_primal_rounds_and_dual_pivoting_agree(ends):
    """The factors of what moves find what the dual solve finds, from any guess, with and without
    stops of single axes.
    """
    rng, n, count = np.random.default_rng(11), 5, 100
    roots, r = rng.normal(size=(count, n, n)), rng.uniform(-2, 2, (count, n))
    b = rng.uniform(0.2, 1.5, (count, n)) * rng.integers(0, 2, (count, n))
    A = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(n)
    low = rng.integers(0, 2, (count, n)) == 0
    # at an end of the ranges that have some
    lower, upper = (np.where(np.arange(n) < ends, end, end * np.inf) for end in (-1.0, 1.0))
    q = np.where(np.arange(n) < ends, np.where(low, -1.0, 1.0), 0.0)
    law = np.array([b.T / STEP, 0.0 * b.T, 0.0 * b.T, 0.0 * b.T])
    state, _ = solve_rounds(
        walls(np.eye(n), lower, upper),
        A,
        0.0 * r,
        r / STEP,
        q,
        0.0 * r,
        law,
        rng.integers(-1, 2, r.shape),
    )
    for s in range(count):
        D = np.eye(n)[:ends] * np.where(low[s, :ends], 1.0, -1.0)[:, None]
        x, wanted = state[s, n : 2 * n], solve_stiction(A[s], r[s], b[s], D).x
        np.testing.assert_allclose(x, wanted, rtol=0, atol=1e-9)
        assert ((x == 0.0) == (wanted == 0.0)).all()


def test_a_state_that_cannot_go_on_stays():
    """Torques that are not finite, and a step too large, fail, and fail again; positions and speeds
    stay.
    """
    n = 2
    q, v = np.zeros((5, n)), np.full((5, n), 0.1)
    tau = np.array([[0.0, 0.0], [np.nan, 0.0], [0.0, np.inf], [1e3, 0.0], [1e300, 1e300]])
    args = (
        walls(np.eye(n), [-np.inf] * n, [np.inf] * n),
        np.broadcast_to(np.eye(n), (5, n, n)),
        0.0 * q,
    )
    law = np.zeros((4, n, 5))
    state, _ = solve_rounds(*args, tau, q, v, law, 0.0 * q, max_speed=0.5)
    assert state[:, -1].tolist() == [SOLVED, FAILED, FAILED, FAILED, FAILED]
    np.testing.assert_array_equal(state[1:, : 2 * n], np.hstack([q, v])[1:])
    program = step_program(Ranges.of(args[0]), Law(True, True), given_terms)
    again = evaluate(
        program,
        constants_of(law, args[0], 0.5),
        state=state,
        tau=np.zeros_like(tau),
        M=args[1].reshape(5, -1),
        h=args[2],
    )["state"]
    np.testing.assert_array_equal(again[1:, -1], FAILED)
    np.testing.assert_array_equal(again[1:, : 2 * n], state[1:, : 2 * n])


def test_a_range_of_three_axes_is_left_to_the_plant():
    """A state that touches or passes it has a status of its own; one elsewhere is solved."""
    A = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, -1.0, 1.0]])
    q = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0 - 1e-5], [0.0, 0.0, 0.5]])
    v = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    state, _ = solve_rounds(
        walls(A, [-1.0] * 3, [1.0] * 3),
        np.broadcast_to(np.eye(3), (3, 3, 3)),
        0.0 * q,
        0.0 * q,
        q,
        v,
        np.zeros((4, 3, 3)),
        -np.sign(v),
    )
    assert state[:, -1].tolist() == [BEYOND, BEYOND, SOLVED]
    np.testing.assert_array_equal(state[:2, :6], np.hstack([q, v])[:2])


@pytest.mark.parametrize("f", [1.0, -0.7])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_stop_bears_the_least_that_friction_leaves(f, side):
    """Two axes that stand at the stop of their range: the push of the stop is the smallest for
    which a linear program finds friction within its law.
    """
    rng, stood = np.random.default_rng(3), 0
    stops = walls([[1.0, 0.0], [-f, 1.0]], [-2.0, -1.0], [2.0, 1.0])
    program = step_program(Ranges.of(stops), Law(True, True), given_terms, impulses=True)
    Fc, tau = rng.uniform(0.1, 1.0, (2, COUNT)), rng.uniform(-2.0, 2.0, (COUNT, 2))
    law = np.array([Fc, 0.0 * Fc, 0.0 * Fc, 0.0 * Fc])
    state = np.tile([0.0, side, 0.0, 0.0, 0.0, 0.0, SOLVED], (COUNT, 1))
    given = {"M": np.tile(np.eye(2).ravel(), (COUNT, 1)), "h": np.zeros((COUNT, 2))}
    constants = constants_of(law, stops, np.inf)
    result = evaluate(program, constants, state=state, tau=tau, **given)
    for s in np.flatnonzero((result["state"][:, -1] == SOLVED) & (np.abs(tau) > Fc.T).any(axis=1)):
        # friction of both, and the push k along (-f, 1): what they exert balances the torques
        balance = np.array([[1.0, 0.0, -side * f], [0.0, 1.0, side]])
        bounds = [(-Fc[0, s], Fc[0, s]), (-Fc[1, s], Fc[1, s]), (0.0, None)]
        least = linprog([0.0, 0.0, 1.0], A_eq=balance, b_eq=tau[s], bounds=bounds)
        if (result["state"][s, 2:4] != 0.0).any():
            continue
        stop = result["stop"][s] / STEP
        np.testing.assert_allclose(stop, -side * least.x[2] * np.array([-f, 1.0]), atol=1e-9)
        np.testing.assert_allclose(result["friction"][s] / STEP, tau[s] + stop, atol=1e-9)
        stood += 1
    assert stood > 5


def test_a_pair_at_two_stops_leaves_open_which_bears_what():
    """Its step is solved, but the impulses are left to the dual solve."""
    stops = walls([[1.0, 0.0], [-1.0, 1.0]], [-1.0] * 2, [1.0] * 2)
    given = {"M": np.eye(2).reshape(1, 4), "h": np.zeros((1, 2)), "tau": np.full((1, 2), 5.0)}
    state = np.array([[1.0, 2.0, 0.0, 0.0, 0.0, 0.0, SOLVED]])
    constants = constants_of(np.ones((4, 2)) * [[1.0], [0.0], [0.0], [0.0]], stops, np.inf)
    for impulses, status in ((False, SOLVED), (True, BEYOND)):
        program = step_program(Ranges.of(stops), Law(True, True), given_terms, impulses)
        assert evaluate(program, constants, state=state, **given)["state"][0, -1] == status


def step_of_one(v, force, mass, law, max_speed, guess):
    """Return the state of an axis without stops after one round."""
    stops = walls([[1.0]], [-np.inf], [np.inf])
    program = step_program(Ranges.of(stops), Law(True, True), given_terms)
    return evaluate(
        program,
        constants_of(np.reshape(law, (4, 1)), stops, max_speed),
        state=np.array([[0.0, v, guess, SOLVED]]),
        tau=np.array([[force]]),
        M=np.array([[mass]]),
        h=np.zeros((1, 1)),
    )["state"][0]


def test_a_wrong_guess_is_no_failure():
    """Speeds that a wrong guess gives may be too large: the axis sticks in the next round."""
    _, v, guess, status = step_of_one(0.0, 0.0, 0.1, [300.0, 0, 0, 0], 0.5, float(LOW))
    assert (v, guess, status) == (0.0, STILL, UNSOLVED)


def test_a_large_move_before_the_speed_falls_is_a_failure():
    """The bound holds for the way of the whole step, half of which is at the speed before it."""
    assert step_of_one(0.8, -700.0, 1.0, [0.0] * 4, 0.5, float(LOW))[-1] == SOLVED
    assert step_of_one(1.0, -900.0, 1.0, [0.0] * 4, 0.5, float(LOW))[-1] == FAILED


def test_a_throw_that_a_stop_ends_is_no_failure():
    """A speed at which the axis would pass its stop counts only where the stop is not in its way."""
    one = np.ones((1, 1))
    given = (one[None], 0.0 * one, 1e3 * one, 0.0 * one, 0.0 * one, np.zeros((4, 1, 1)), -one)
    for upper, status in ((1e-4, SOLVED), (1.0, FAILED)):
        state, _ = solve_rounds(walls([[1.0]], [-1.0], [upper]), *given, max_speed=0.5)
        assert state[0, -1] == status
        assert state[0, 0] == (upper if status == SOLVED else 0.0)


@pytest.mark.parametrize(("v", "force", "guess"), [(1.0, -200.0, LOW), (1.0, -600.0, STILL)])
def test_an_axis_that_slows_down_is_expected_to_come_to_rest(v, force, guess):
    """The guess for the next step is that the speed goes on as in this one, up to rest."""
    state = step_of_one(v, force, 1.0, [1.0, 0, 0, 0], np.inf, float(LOW))
    np.testing.assert_allclose(state[1], v + 1e-3 * (force - 1.0))
    assert state[2:].tolist() == [guess, SOLVED]


def test_a_guess_keeps_what_was_passed_and_tied():
    """Each combination of ends passed before, pair tied, and mode is read from its number."""
    stops = walls([[1.0, 0.0], [-1.0, 1.0]], [-1.0] * 2, [1.0] * 2)
    ranges, trace = Ranges.of(stops), Trace()
    code = trace.input("code", 1)[0]
    contact = row_contact(code, ranges, 1, 0.0, 0.0, {"lower2": -1.0, "upper2": 1.0}.get)
    masks = [contact.passed_low, contact.passed_high, contact.tied, contact.low, contact.high]
    program = trace.program("read", {"z": ((5,), [where(mask, 1.0, 0.0) for mask in masks])})
    for mode, low, high, tied in itertools.product((-1, 0, 1), *[(0, 1)] * 3):
        number = mode + PASSED_LOW * low + PASSED_HIGH * high + TIED * tied
        read = evaluate(program, {}, code=[[number]])["z"][0]
        assert read.tolist() == [low, high, tied, low, high]


def test_ranges_of_two_axes_are_found():
    """A range of its own, one of two axes, two that share an axis, and one of three are told
    apart.
    """
    stops = Plant(irb.load("irb2400")).stops
    actual = Ranges.of(stops)
    assert actual.other == (UNCOUPLED, UNCOUPLED, 1, UNCOUPLED, UNCOUPLED, UNCOUPLED)
    assert actual.pairs == [(2, 1)]
    assert actual.factor(2) == 1.0
    for place, share, other in (
        ((3, 1), -1.0, [UNCOUPLED, UNCOUPLED, UNSUPPORTED, UNSUPPORTED, UNCOUPLED, UNCOUPLED]),
        ((2, 0), 1.0, [UNCOUPLED, UNCOUPLED, UNSUPPORTED, UNCOUPLED, UNCOUPLED, UNCOUPLED]),
    ):
        stops.A = Plant(irb.load("irb2400")).stops.A.copy()
        stops.A[place] = share
        assert list(Ranges.of(stops).other) == other
        assert not Ranges.of(stops).pairs
    stops.A = np.diag([1.0, 2.0, 1.0, 1.0, 1.0, 1.0])
    assert Ranges.of(stops).other == (UNCOUPLED, UNSUPPORTED, *[UNCOUPLED] * 4)
    stops.set_ranges(stops.A, np.full(6, -np.inf), np.full(6, np.inf))
    assert Ranges.of(stops).other == (UNCOUPLED,) * 6
