"""Which axes hold and which slip: against the conditions that define it, and against every
combination tried in turn.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.simulation.stiction import LOW, STILL, solve_stiction

NONE = np.zeros((0, 3))


def problem(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a random mass matrix with strong coupling, a drive of the size of the friction, and
    friction.
    """
    root = rng.normal(size=(n, n))
    return root @ root.T + 0.05 * np.eye(n), rng.uniform(-2.0, 2.0, n), rng.uniform(0.2, 1.5, n)


def by_trial(M: np.ndarray, r: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """Return every solution found by trying all ways in which the axes can hold, slip up and slip
    down.
    """
    actual = []
    for ways in product((-1, 0, 1), repeat=len(r)):
        way, moves = np.array(ways), np.array(ways) != 0
        x = np.zeros(len(r))
        x[moves] = np.linalg.solve(M[np.ix_(moves, moves)], (r - way * b)[moves])
        needed = r - M @ x
        if (x * way)[moves].min(initial=1.0) > 0.0 and (np.abs(needed) - b)[~moves].max(
            initial=-1.0
        ) <= 0.0:
            actual.append(x)
    return actual


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_one_combination_of_holding_and_slipping_is_right_and_found(n):
    """The solve finds the one combination, of all 3^n, that agrees with itself, whatever the guess
    it starts from.
    """
    rng = np.random.default_rng(n)
    for _ in range(12 if n == 6 else 40):
        M, r, b = problem(rng, n)
        wanted = by_trial(M, r, b)
        assert len(wanted) == 1
        for state in (None, rng.integers(-1, 2, n).astype(np.int8)):
            actual = solve_stiction(M, r, b, np.zeros((0, n)), state)
            # rounding of the solve, M is well conditioned
            np.testing.assert_allclose(actual.x, wanted[0], rtol=0, atol=1e-10)
            assert ((actual.x == 0.0) == (wanted[0] == 0.0)).all()


def test_an_axis_that_moves_takes_another_along():
    """An axis that would hold alone slips because M couples it to one that leaves, and the other
    way round.
    """
    M = np.array([[2.0, 0.9], [0.9, 0.5]])
    b, alone = np.array([1.0, 1.0]), np.array([10.0, 0.5])
    both = solve_stiction(M, alone, b, np.zeros((0, 2)))
    assert (both.x != 0.0).all()
    held = solve_stiction(M, np.array([1.5, 0.5]), b, np.zeros((0, 2)))
    assert held.x[1] == 0.0
    np.testing.assert_allclose(held.x[0], 0.5 / 2.0, rtol=1e-14)
    # what it holds: less by the pull of axis 1
    np.testing.assert_allclose(-held.friction[1], 0.5 - 0.9 * 0.25, rtol=1e-14)


def test_holding_axes_of_an_arm_carry_what_the_moving_one_does_to_them():
    """With axes 2 and 3 of the IRB 2400 holding, the others move by their block of M, and both hold
    what is left over.
    """
    robot = irb.load("irb2400", tool="spindle")
    q = robot.from_controller([10.0, 20.0, 15.0, 30.0, 40.0, 0.0])
    M, law = robot.mass_matrix(q), robot.friction_model
    r = np.array([80.0, 10.0, -5.0, 32.0, -47.0, 25.0])
    actual = solve_stiction(M, r, law.Fs, np.zeros((0, 6)))
    moves, holds = [0, 3, 4, 5], [1, 2]
    a = np.linalg.inv(M[np.ix_(moves, moves)]) @ (r - np.sign(r) * law.Fs)[moves]
    np.testing.assert_allclose(actual.x[moves], a, rtol=1e-10)
    assert (actual.x[holds] == 0.0).all()
    np.testing.assert_allclose(
        -actual.friction[holds], r[holds] - M[np.ix_(holds, moves)] @ a, rtol=1e-9
    )
    assert (np.abs(actual.friction[holds]) < law.Fs[holds]).all()


def test_stops_push_and_never_pull():
    """With stops, coupled and on the same axes as friction, all conditions of the set-valued
    problem hold.
    """
    rng = np.random.default_rng(7)
    leaning = 0
    for _ in range(300):
        M, r, b = problem(rng, 3)
        b *= rng.integers(0, 2, 3)
        rows = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 1.0], [0, 1.0, -1.0], [-1.0, 0, 0]])
        D = rows[rng.permutation(3 if rng.integers(2) else 2)]
        actual = solve_stiction(M, r, b, D)
        scale = np.abs(r).max()
        np.testing.assert_allclose(
            M @ actual.x, r + actual.friction + D.T @ actual.stop, rtol=0, atol=1e-9 * scale
        )
        assert (D @ actual.x >= -1e-9).all()
        # the limit of stops that give way is reached to 1e-16 of a few N m over 1e-4
        assert (actual.stop >= -1e-8).all()
        assert np.abs(actual.stop * (D @ actual.x)).max() < 1e-8
        assert (np.abs(actual.friction) <= b + 1e-12).all()
        moving = np.abs(actual.x) > 1e-9
        np.testing.assert_allclose(
            actual.friction[moving], -(np.sign(actual.x) * b)[moving], rtol=0, atol=1e-12
        )
        leaning += (actual.stop > 1e-6).any()
    assert leaning > 50


def test_friction_holds_first_and_the_stop_takes_the_rest():
    """Where friction and a stop hold the same axis, friction goes up to its limit and the stop has
    what is left.
    """
    M, D = np.diag([2.0, 1.0]), np.array([[-1.0, 0.0]])
    weak = solve_stiction(M, np.array([0.8, 0.0]), np.array([1.0, 1.0]), D)
    np.testing.assert_allclose([weak.friction[0], weak.stop[0]], [-0.8, 0.0], rtol=0, atol=1e-10)
    strong = solve_stiction(M, np.array([3.0, 0.0]), np.array([1.0, 1.0]), D)
    np.testing.assert_allclose(
        [strong.friction[0], strong.stop[0]], [-1.0, 2.0], rtol=0, atol=1e-10
    )
    away = solve_stiction(M, np.array([-3.0, 0.0]), np.array([1.0, 1.0]), D)
    np.testing.assert_allclose([away.x[0], away.stop[0]], [-1.0, 0.0], rtol=0, atol=1e-10)
    assert strong.state[2] == STILL
    assert away.state[2] == LOW


def test_exactly_the_largest_torque_still_holds():
    """At the very torque of Fs the axis holds; a billionth more and it leaves."""
    M, b = np.array([[3.0]]), np.array([0.7])
    assert solve_stiction(M, np.array([0.7]), b, np.zeros((0, 1))).x[0] == 0.0
    assert solve_stiction(M, np.array([0.7 * (1 + 1e-9)]), b, np.zeros((0, 1))).x[0] > 0.0
    assert solve_stiction(M, np.array([-0.7 * (1 + 1e-9)]), b, np.zeros((0, 1))).x[0] < 0.0


def test_without_friction_every_axis_moves():
    actual = solve_stiction(np.eye(3), np.array([1.0, 0.0, -1.0]), np.zeros(3), NONE)
    np.testing.assert_allclose(actual.x, [1.0, 0.0, -1.0])
    np.testing.assert_allclose(actual.friction, 0.0)
