from itertools import pairwise

import numpy as np
import pytest
from excited import RATE, excitation, inner, low_pass, measured, random_states
from scipy import linalg
from scipy.signal import butter, sosfiltfilt

import irbmodels as irb
from irbmodels import InputError
from irbmodels.identification.fits import (
    Samples,
    TorqueEquations,
    accumulate,
    weighted_least_squares,
    with_autocorrelation,
    with_filter,
)
from irbmodels.robot.base_parameters import base_parameters

CUTOFF = 10.0  # [Hz]


@pytest.fixture(scope="module")
def arm():
    robot = irb.load("irb930")
    return robot, TorqueEquations(robot, base_parameters(robot))


def response(length=401):
    """What the zero-phase filter makes of a single 1."""
    return sosfiltfilt(butter(4, CUTOFF, fs=RATE, output="sos"), np.eye(1, length, length // 2)[0])


def cut(motion, *at):
    """Samples of one log that comes in pieces."""
    ends = [0, *at, len(motion.t)]
    return Samples(
        [motion], lambda whole: [whole.each(lambda x: x[i:j]) for i, j in pairwise(ends)]
    )


def short(robot, count=120, seed=0):
    return measured(excitation(robot), np.random.default_rng(seed)).each(
        lambda x: x[100 : 100 + count]
    )


def stacked(rows, motion, fit):
    """Weighted regressor ``(N, size, p)`` and scores ``(N, p)`` of one log, at once."""
    (Y, y) = (np.concatenate(part) for part in zip(*rows([motion]), strict=True))
    return Y, np.einsum("nip,ni->np", Y, fit.weights * (y - Y @ fit.beta))


def by_spectrum(Y, e, weights, lags, rounds=2):
    """Covariance by the double sum over all pairs and the integral over the spectrum, a matrix at a
    time.
    """
    bread, grid = np.linalg.inv(np.einsum("nip,i,niq->pq", Y, weights, Y)), 2**15
    covariance = np.zeros_like(bread)
    for _ in range(rounds):
        meat, power = np.zeros_like(bread), []
        for i, weight in enumerate(weights):
            pairs = np.outer(e[:, i], e[:, i]) + Y[:, i] @ covariance @ Y[:, i].T
            r = np.array([np.trace(pairs, lag) for lag in range(lags + 1)]) / len(e)
            ahead = np.linalg.solve(linalg.toeplitz(r[:-1]), r[1:])
            gain = np.abs(np.fft.fft([1.0, *-ahead], grid)) ** -2 * (r[0] - ahead @ r[1:])
            spectrum = np.fft.fft(Y[:, i], grid, axis=0)
            meat += (
                weight**2 * np.einsum("f,fp,fq->pq", gain, spectrum.conj(), spectrum).real / grid
            )
            power.append(r[0])
        covariance = bread @ meat @ bread
    return covariance, np.sqrt(power)


@pytest.mark.parametrize("lags", [1, 7])
def test_residuals_tell_the_spectrum(arm, lags):
    """The covariance is the integral of the regressor's spectrum times that of an autoregression,
    however the log is cut.
    """
    robot, rows = arm
    log = short(robot)
    motion = log._replace(tau=low_pass(log.tau, 40.0))
    fit = weighted_least_squares(accumulate(Samples.of(motion), rows))
    Y, y = (np.concatenate(part) for part in zip(*rows([motion]), strict=True))
    expected, noise = by_spectrum(Y, y - Y @ fit.beta, fit.weights, lags)
    for samples in (Samples.of(motion), cut(motion, 3, 50, 51)):
        actual = with_autocorrelation(fit, samples, rows, lags)
        np.testing.assert_allclose(
            actual.covariance, expected, rtol=1e-5, atol=1e-8 * np.abs(expected).max()
        )
        np.testing.assert_allclose(actual.noise, noise, rtol=1e-7)
        assert actual.degrees == 120 / lags
        np.testing.assert_array_equal(actual.beta, fit.beta)


def test_white_noise_is_found_to_be_white(arm):
    """Raw torques have the covariance and noise of independent samples, up to how well residuals
    tell them.
    """
    robot, rows = arm
    samples = Samples.of(inner(measured(excitation(robot), np.random.default_rng(0))))
    fit = weighted_least_squares(accumulate(samples, rows))
    actual = with_autocorrelation(fit, samples, rows, 1)
    # 3 sigma of sqrt(4 * 1 / 2450), halved by the root
    np.testing.assert_allclose(actual.deviation, fit.deviation, rtol=0.06)
    # 8 sums may take more of one axis: 8 / 2450, halved
    np.testing.assert_allclose(actual.noise, fit.noise, rtol=0.005)


def test_nothing_is_left_of_exact_torques(arm):
    """Residuals of rounding, or exact zeros, give a covariance of nothing, and no number that is
    not one.
    """
    robot, rows = arm
    motion = short(robot)
    zero = motion._replace(tau=0.0 * motion.tau)
    fit = weighted_least_squares(accumulate(Samples.of(zero), rows))
    covariance = with_autocorrelation(fit, Samples.of(zero), rows, 4).covariance
    np.testing.assert_allclose(
        covariance, 0.0, atol=1e-30
    )  # columns of no parameter are 0 up to rounding: 1e-17 squared, and less
    exact = random_states(robot, 120)
    fit = weighted_least_squares(accumulate(Samples.of(exact), rows))
    actual = with_autocorrelation(fit, Samples.of(exact), rows, 4)
    assert np.isfinite(actual.deviation).all()
    assert actual.deviation.max() < 1e-9


def test_logs_do_not_remember_each_other(arm):
    """Two logs in two files are not one log: no lag crosses from one to the other."""
    robot, rows = arm
    one, two = short(robot), short(robot, seed=1)
    fit = weighted_least_squares(accumulate(Samples.of(one, two), rows))
    apart = with_autocorrelation(fit, Samples.of(one, two), rows, 9).covariance
    swapped = with_autocorrelation(fit, Samples.of(two, one), rows, 9).covariance
    joined = with_autocorrelation(
        fit, Samples.of(type(one).joined([one, two._replace(t=two.t + one.t[-1])])), rows, 9
    ).covariance
    np.testing.assert_allclose(apart, swapped, rtol=1e-9, atol=1e-12 * np.abs(apart).max())
    assert np.abs(joined - apart).max() > 1e-3 * np.abs(apart).max()


def test_a_filter_is_a_matrix(arm):
    """The covariance is that of noise ``H w`` with the filter's whole matrix H, however the log is
    cut.
    """
    robot, rows = arm
    motion, taps = short(robot), np.array([0.1, 0.6, 0.25, 0.05])
    fit = weighted_least_squares(accumulate(Samples.of(motion), rows))
    Y, _ = stacked(rows, motion, fit)
    count, share = len(Y), np.square(taps).sum()
    # white noise before and after counts too
    H = sum(tap * np.eye(count + 3, count, -k) for k, tap in enumerate(taps))
    squares = np.square(fit.noise) * fit.degrees / (share * count * robot.n - fit.beta.size)
    weights = np.square(fit.weights) * squares
    meat = sum(w * (H @ Y[:, i]).T @ (H @ Y[:, i]) for i, w in enumerate(weights))
    bread = np.linalg.inv(np.einsum("nip,i,niq->pq", Y, fit.weights, Y))
    expected = bread @ meat @ bread
    for samples in (Samples.of(motion), cut(motion, 1, 3, 60)):
        actual = with_filter(fit, samples, rows, taps)
        np.testing.assert_allclose(
            actual.covariance, expected, rtol=1e-7, atol=1e-10 * np.abs(expected).max()
        )
        np.testing.assert_allclose(actual.noise**2, squares, rtol=1e-12)
        assert actual.degrees == pytest.approx(share * count * robot.n - fit.beta.size, rel=1e-12)
        np.testing.assert_array_equal(actual.beta, fit.beta)


def test_no_filter_changes_nothing(arm):
    """A filter that passes everything leaves the covariance of white noise."""
    robot, rows = arm
    motion = short(robot)
    fit = weighted_least_squares(accumulate(Samples.of(motion), rows))
    actual = with_filter(fit, Samples.of(motion), rows, [1.0])
    np.testing.assert_allclose(
        actual.covariance, fit.covariance, rtol=1e-9, atol=1e-12 * np.abs(fit.covariance).max()
    )
    assert actual.degrees == fit.degrees


def test_filtered_torques_ruin_intervals_and_the_filter_mends_them(arm):
    """After a 10 Hz zero-phase filter 95 % intervals hold the truth in less than half of all cases;
    accounted for, in 95 %.

    Without knowing the filter, its residuals tell what it did, and as many hold.
    """
    robot, rows = arm
    truth, motion = rows.base.values(robot.parameter_vector()), excitation(robot)
    held = {"plain": [], "filter": [], "autocorrelation": []}
    for k in range(100):
        log = measured(motion, np.random.default_rng(k))
        samples = Samples.of(inner(log._replace(tau=low_pass(log.tau, CUTOFF))))
        fit = weighted_least_squares(accumulate(samples, rows))
        actual = {
            "plain": fit,
            "filter": with_filter(fit, samples, rows, response()),
            "autocorrelation": with_autocorrelation(fit, samples, rows, round(RATE / CUTOFF)),
        }
        for name, each in actual.items():
            lower, upper = each.intervals().T
            held[name].append((lower <= truth) & (truth <= upper))
    share = {name: np.mean(inside) for name, inside in held.items()}
    assert share["plain"] < 0.5
    assert 0.93 <= share["filter"] <= 0.97
    assert 0.93 <= share["autocorrelation"] <= 0.97


@pytest.mark.parametrize(
    ("taps", "message"),
    [([0.5, 0.4], "sum up to 1"), ([[1.0], [np.nan]], "taps"), ([0.002] * 500, "too few")],
)
def test_taps_are_a_low_pass(arm, taps, message):
    """Taps that scale the torque, are no numbers, or leave nothing are refused."""
    robot, rows = arm
    motion = short(robot)
    fit = weighted_least_squares(accumulate(Samples.of(motion), rows))
    with pytest.raises(InputError, match=message):
        with_filter(fit, Samples.of(motion), rows, taps)


@pytest.mark.parametrize("lags", [0, -3, 2.5])
def test_lags_are_a_number_of_samples(arm, lags):
    """Zero lags, or a share of one, are refused."""
    robot, rows = arm
    motion = short(robot)
    fit = weighted_least_squares(accumulate(Samples.of(motion), rows))
    with pytest.raises(InputError, match="lags is a positive number"):
        with_autocorrelation(fit, Samples.of(motion), rows, lags)


def test_more_lags_than_samples(arm):
    """A log of 120 samples does not tell what 120 samples remember."""
    robot, rows = arm
    motion = short(robot)
    fit = weighted_least_squares(accumulate(Samples.of(motion), rows))
    with pytest.raises(InputError, match="120 samples are too few for a memory of 120"):
        with_autocorrelation(fit, Samples.of(motion), rows, 120)


def test_a_fit_of_other_equations_is_refused(arm):
    """A fit of two axes has no covariance from the equations of four."""
    robot, rows = arm
    motion = random_states(robot, 60, axes=(1, 2))
    fewer = TorqueEquations(robot, base_parameters(robot, (1, 2)))
    fit = weighted_least_squares(accumulate(Samples.of(motion), fewer))
    for method, argument in ((with_filter, [1.0]), (with_autocorrelation, 3)):
        with pytest.raises(InputError, match="which are not the"):
            method(fit, Samples.of(motion), rows, argument)
