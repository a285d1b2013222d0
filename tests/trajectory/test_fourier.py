import numpy as np
import pytest
from grouped import together
from misuse import refused_in_one_line

from irbmodels.trajectory import Coefficients, FourierSeries


def drawn(harmonics=5, duration=8.0, n=3, seed=0):
    series = FourierSeries(harmonics, duration)
    return series, np.random.default_rng(seed).normal(size=(series.size, n))


@pytest.mark.parametrize("harmonics", [2, 3, 5, 8])
def test_series_is_the_sum_it_says(harmonics):
    """The motion equals q0 + sum a_l / (w l) sin(w l t) - b_l / (w l) cos(w l t), summed term by
    term.
    """
    series, x = drawn(harmonics)
    q0, a, b = series.coefficients(x)
    t = np.linspace(0.0, 8.0, 37)
    expected = np.tile(q0, (37, 1))
    for i in range(harmonics):
        w = 2 * np.pi / 8.0 * (i + 1)
        expected += np.outer(np.sin(w * t), a[i]) / w - np.outer(np.cos(w * t), b[i]) / w
    np.testing.assert_allclose(series.trajectory(x).at(t).q, expected, atol=1e-13)


@pytest.mark.parametrize("harmonics", [2, 3, 6])
def test_series_starts_and_ends_at_rest(harmonics):
    """Offset from q0, speed and acceleration are 0 at both ends; near them they come from there,
    not from a jump.
    """
    series, x = drawn(harmonics)
    state = series.trajectory(x).at([0.0, 8.0])
    np.testing.assert_array_equal(state.q, np.tile(x[0], (2, 1)))
    assert not state.v.any()
    assert not state.a.any()
    assert np.abs(state.jerk).min() > 0.1  # or nothing would ever move
    near = series.trajectory(x).at([1e-6, 8.0 - 1e-6])
    size = np.abs(state.jerk).max()
    assert np.abs(near.a).max() < 1.1e-6 * size
    assert np.abs(near.v).max() < 1e-12 * size + 1e-14
    assert np.abs(near.q - x[0]).max() < 1e-15 * (1 + size)
    times = [
        0.0,
        np.nextafter(8.0, 0.0),
        np.nextafter(8.0, 9.0),
        np.nextafter(16.0, 0.0),
        np.nextafter(24.0, 30.0),
    ]
    assert not (series.maps(times).v @ x).any()


def test_derivatives_are_derivatives():
    """Speed, acceleration and jerk equal central differences of what stands before them."""
    series, x = drawn()
    motion = series.trajectory(x)
    t, step = np.linspace(0.1, 7.9, 50), 1e-5  # error: step^2 times a derivative of at most 1e3
    after, before, here = motion.at(t + step), motion.at(t - step), motion.at(t)
    for order in range(3):
        np.testing.assert_allclose(
            (after[order] - before[order]) / (2 * step), here[order + 1], atol=1e-6
        )


def test_motion_is_linear_in_the_parameters():
    """The matrices give position, speed, acceleration and jerk of any parameters, one column per
    parameter.
    """
    series, x = drawn()
    t = np.linspace(0.0, 8.0, 21)
    maps, state = series.maps(t), series.trajectory(x).at(t)
    for matrix, values in zip(maps, state, strict=True):
        assert matrix.shape == (21, series.size)
        np.testing.assert_allclose(matrix @ x, values, atol=1e-12)
    assert np.linalg.matrix_rank(maps.q) == series.size  # no parameter is idle


def test_parameters_and_coefficients_are_one_to_one():
    """Coefficients of parameters give the parameters back, and meet the three end conditions."""
    series, x = drawn(7)
    actual = series.coefficients(x)
    np.testing.assert_allclose(series.parameters(actual), x, atol=1e-15)
    order = np.arange(1, 8)[:, None]
    for left in (
        actual.a.sum(axis=0),
        (actual.b / order).sum(axis=0),
        (actual.b * order).sum(axis=0),
    ):
        np.testing.assert_allclose(left, 0.0, atol=1e-13)


def test_amplitudes_bound_the_motion():
    """No sample is above the bounds, and a series of two harmonics comes within half of them."""
    series, x = drawn(2)
    bounds, state = series.amplitudes(x), series.trajectory(x).at(np.linspace(0.0, 8.0, 4001))
    for bound, values in zip(bounds, (state.q - x[0], *state[1:]), strict=True):
        reached = np.abs(values).max(axis=0)
        assert (reached <= bound * (1 + 1e-12)).all()
        assert (reached > 0.5 * bound).all()


def test_series_repeats():
    """Times beyond the period are those within it, for records of many periods."""
    series, _ = drawn()
    for whole, part in zip(
        series.maps([1.0, 9.0, 17.0]), series.maps([1.0, 1.0, 1.0]), strict=True
    ):
        # 17 s / 8 s leaves a few digits of rounding
        np.testing.assert_allclose(whole, part, atol=1e-11)


@together(
    "wrong, message",
    [
        (lambda: FourierSeries(1, 2.0), "number of harmonics .* at least 2"),
        (lambda: FourierSeries(2.5, 2.0), "number of harmonics .* at least 2"),
        (lambda: FourierSeries(3, 0.0), "duration of a series"),
        (lambda: FourierSeries(3, float("nan")), "duration of a series"),
        (lambda: FourierSeries(3, 2.0).trajectory(np.zeros((5, 2))), r"needs \(4, 2\)"),
        (lambda: FourierSeries(3, 2.0).trajectory(np.zeros(4)), "one column per axis"),
        (lambda: FourierSeries(3, 2.0).trajectory(np.full((4, 2), np.nan)), "finite"),
        (lambda: FourierSeries(3, 2.0).maps([0.0, np.inf]), r"times \[s\] needs"),
        (
            lambda: FourierSeries(2, 2.0).parameters(
                Coefficients(np.zeros(1), np.ones((2, 1)), np.zeros((2, 1)))
            ),
            "does not rest at its ends: sum a_l",
        ),
        (
            lambda: FourierSeries(2, 2.0).parameters(
                Coefficients(np.zeros(1), np.zeros((2, 1)), np.array([[2.0], [-1.0]]))
            ),
            "does not rest at its ends: sum b_l / l is",
        ),
        (
            lambda: FourierSeries(2, 2.0).parameters(
                Coefficients(np.zeros(1), np.zeros((2, 1)), np.array([[1.0], [-2.0]]))
            ),
            "does not rest at its ends: sum l b_l is",
        ),
    ],
)
def test_wrong_input_is_one_clear_line(wrong, message):
    refused_in_one_line(wrong, message)
