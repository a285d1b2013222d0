from itertools import pairwise

import numpy as np
import pytest
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels.trajectory import LAWS, Chain, State, jerk_limited, s_curve

LIMITS = {"velocity": [1.0, 0.8], "acceleration": [2.0, 3.0], "jerk": [9.0, 7.0]}


def states(seed):
    rng = np.random.default_rng(seed)
    drawn = zip(*(rng.uniform(-size, size, (2, 2)) for size in (2.0, 0.6, 0.5)), strict=True)
    return [State(*state) for state in drawn]


@pytest.mark.parametrize("seed", range(8))
def test_move_goes_from_state_to_state_within_all_bounds(seed):
    """Both states are met, in all three, and no sample of a fine grid exceeds speed, acceleration
    or jerk.
    """
    start, end = states(seed)
    move = jerk_limited(start, end, **LIMITS)
    first, last = move.at(0.0), move.at(move.duration)
    just_before = move.at(move.duration * (1 - 1e-9))
    for k in range(3):
        np.testing.assert_allclose(first[k], start[k], atol=1e-12)
        np.testing.assert_array_equal(last[k], end[k])
        # the same without the end being set
        np.testing.assert_allclose(just_before[k], end[k], atol=1e-6)
    state = move.at(np.linspace(0.0, move.duration, 20001))
    for values, bound in zip(state[1:], LIMITS.values(), strict=True):
        assert (np.abs(values).max(axis=0) <= np.array(bound) * (1 + 1e-9)).all()


@pytest.mark.parametrize("seed", range(4))
def test_each_derivative_is_the_derivative_of_the_one_before(seed):
    """Position, speed and acceleration are continuous, and integrate to each other by the trapezoid
    rule.
    """
    move = jerk_limited(*states(seed), **LIMITS)
    t = np.linspace(0.0, move.duration, 100001)
    state = move.at(t)
    for low, high in pairwise(state):
        area = np.cumsum((high[1:] + high[:-1]) / 2 * np.diff(t)[:, None], axis=0)
        np.testing.assert_allclose(
            low[1:] - low[0], area, atol=2e-3 if high is state.jerk else 1e-6
        )  # jumps of 18 in one step


def test_rest_to_rest_is_the_s_curve_in_its_shortest_time():
    """A long stroke of one axis has the seven segments of the textbook: T = h / V + V / A + A / J,
    and is our S-curve.
    """
    stroke, V, A, J = 3.0, 1.0, 2.0, 8.0
    move = jerk_limited([0.0], [stroke], velocity=V, acceleration=A, jerk=J)
    T = stroke / V + V / A + A / J
    assert move.duration == pytest.approx(T, abs=1e-12)
    law = s_curve((V / A + A / J) / T, (A / J) / (V / A + A / J))
    x = np.linspace(0.0, 1.0, 101)
    np.testing.assert_allclose(move.at(x * T).q[:, 0], stroke * law.position(x), atol=1e-9)
    assert LAWS["s_curve"].name == law.name


def test_axes_arrive_together():
    """An axis with a short way takes as long as the other: it moves to the very end."""
    move = jerk_limited([0.0, 0.0], [2.0, 0.01], **LIMITS)
    late = move.at(0.9 * move.duration)
    assert (late.q < [2.0, 0.01]).all()


def test_an_axis_that_rounding_moves_stands_still():
    """Of two axes whose ends are equal but for rounding neither moves; the other one rests exactly
    at both ends.
    """
    end = np.array([0.7, 0.3 + 3e-16, -0.2])
    moved = jerk_limited([0.1, 0.3, -0.2], end, velocity=1.0, acceleration=3.0, jerk=20.0)
    motion = moved.sample(333.0)
    assert not motion.v[:, 1:].any()
    assert not motion.v[[0, -1]].any()
    assert not moved.at([np.spacing(1.0), np.nextafter(moved.duration, 0.0)]).v.any()
    np.testing.assert_array_equal(motion.q[-1], end)
    with pytest.raises(irb.InputError, match="same state"):
        jerk_limited([0.3], [0.3 + 3e-16], velocity=1.0, acceleration=3.0, jerk=20.0)


def test_many_waypoints_are_a_chain():
    """Moves with chosen speeds at the waypoints follow each other without stopping, without a call
    of a server.
    """
    middle = State(np.array([0.5, 0.2]), np.array([0.4, 0.1]), np.zeros(2))
    chain = Chain(
        [jerk_limited([0.0, 0.0], middle, **LIMITS), jerk_limited(middle, [1.0, 0.0], **LIMITS)]
    )
    np.testing.assert_allclose(chain.at(chain.joints[0]).v, [0.4, 0.1], atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_extremes_are_those_of_a_dense_grid(seed):
    """The smallest and largest positions, turning points between samples included."""
    start, end = states(seed)
    move = jerk_limited(start, end, **LIMITS)
    q = move.at(np.linspace(0.0, move.duration, 100001)).q
    low, high = move.extremes()
    np.testing.assert_allclose(low, q.min(axis=0), atol=1e-8)  # a parabola within 1e-5 s of its top
    np.testing.assert_allclose(high, q.max(axis=0), atol=1e-8)


def test_a_range_is_respected():
    """A start that is too fast to turn before the end of the range is refused; Ruckig alone would
    leave it.
    """
    start = State(np.array([0.9]), np.array([1.0]), np.zeros(1))
    limits = {"velocity": 1.0, "acceleration": 2.0, "jerk": 9.0}
    free = jerk_limited(start, [0.5], **limits)
    assert free.extremes()[1][0] > 1.0
    with pytest.raises(
        irb.InputError, match=r"axis 1 would go 0.5 .. 1.\d+ and leave its range -1 .. 1"
    ):
        jerk_limited(start, [0.5], **limits, lower=[-1.0], upper=[1.0])
    with pytest.raises(
        irb.InputError, match=r"axis 1 would go -1.\d+ .. -0.5 and leave its range -1"
    ):
        jerk_limited(State(-start.q, -start.v, start.a), [-0.5], **limits, lower=[-1.0])
    assert jerk_limited(start, [0.5], **limits, upper=[2.0]).duration == free.duration


def test_a_start_beyond_the_bounds_is_brought_within_them():
    """A start faster than allowed slows down, and stays below from then on."""
    move = jerk_limited(
        State(np.array([0.0]), np.array([2.0]), np.zeros(1)),
        [5.0],
        velocity=1.0,
        acceleration=2.0,
        jerk=9.0,
    )
    state = move.at(np.linspace(0.0, move.duration, 20001))
    assert state.v[0] == 2.0
    assert state.v[5000:].max() <= 1.0 + 1e-9
    assert np.abs(np.diff(state.v, axis=0)).max() <= 2.0 * move.duration / 20000 * 1.001


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: jerk_limited([0.0], [1.0], velocity=1.0, acceleration=2.0, jerk=0.0),
            "jerk must be positive",
        ),
        (
            lambda: jerk_limited([0.0], [1.0], velocity=float("inf"), acceleration=2.0, jerk=1.0),
            "velocity needs .* finite",
        ),
        (
            lambda: jerk_limited([0.0], [0.0], velocity=1.0, acceleration=2.0, jerk=1.0),
            "same state",
        ),
        (
            lambda: jerk_limited([0.0], [0.0, 1.0], velocity=1.0, acceleration=2.0, jerk=1.0),
            r"end needs \(1,\)",
        ),
        (
            lambda: jerk_limited([np.nan], [0.0], velocity=1.0, acceleration=2.0, jerk=1.0),
            "start needs .* finite",
        ),
        (
            lambda: jerk_limited(
                [0.0],
                State(np.ones(1), np.array([2.0]), np.zeros(1)),
                velocity=1.0,
                acceleration=2.0,
                jerk=1.0,
            ),
            "no move keeps these bounds: .*velocity",
        ),
    ],
)
def test_wrong_input_is_one_clear_line(wrong, message):
    refused_in_one_line(wrong, message)


def test_without_ruckig_the_extra_is_named(monkeypatch):
    """A missing package is answered with the extra that brings it."""
    monkeypatch.setattr(irb.errors, "find_spec", lambda name: None)
    with pytest.raises(irb.errors.MissingExtra, match=r"irbmodels\[motion\]"):
        jerk_limited([0.0], [1.0], velocity=1.0, acceleration=2.0, jerk=1.0)
