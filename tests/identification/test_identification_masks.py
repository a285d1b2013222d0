"""Torques that are left out alone: every fit is that of the equations which are there, by NumPy."""

import numpy as np
import pytest
from excited import random_states
from scipy import stats

import irbmodels as irb
from irbmodels.errors import InputError
from irbmodels.identification.fits import (
    Accumulator,
    Samples,
    TorqueEquations,
    accumulate,
    huber,
    least_squares,
    load_from_torques,
    stribeck_fit,
    weighted_least_squares,
    with_autocorrelation,
    with_filter,
)
from irbmodels.identification.recordings import Flag, Recording
from irbmodels.identification.validation import state_dependence, whiteness_test
from irbmodels.robot.base_parameters import base_parameters

NOISE = np.array([4.0, 8.0, 3.0, 1.0, 0.7, 0.5])
P = 3


class Line:
    """Two equations ``y = Y beta`` per sample: the time of a piece numbers its samples."""

    names, units, size = ("a", "b", "c"), ("", "", ""), 2

    def __init__(self, Y, y):
        self.Y, self.y = Y, y

    def __call__(self, pieces):
        """Yield the equations of the samples that the times name."""
        for piece in pieces:
            chosen = piece.t.astype(int)
            yield self.Y[chosen], self.y[chosen]


def problem(count=400, seed=0):
    """Two equations of different noise, a third of the one and a twentieth of the other masked."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(count, 2, P))
    y = Y @ [1.0, -2.0, 0.5] + [0.1, 0.7] * rng.normal(size=(count, 2))
    there = rng.random((count, 2)) > [0.33, 0.05]
    return Y, np.where(there, y, np.nan), there


def samples_of(count, parts=4):
    """The numbers of the samples as logs of their own."""
    number = np.arange(float(count))
    pieces = [irb.Motion(part, part[:, None], None, None, None) for part in np.split(number, parts)]
    return Samples.of(*pieces)


@pytest.fixture(scope="module")
def arm():
    """An arm, its base parameters, and states with noisy torques of which some are left out."""
    robot = irb.load("irb2400")
    base = base_parameters(robot, friction=True)
    states, rng = random_states(robot, 700), np.random.default_rng(1)
    tau = states.tau + NOISE * rng.normal(size=states.tau.shape)
    masked = rng.random(tau.shape) < [0.0, 0.3, 0.05, 0.2, 0.5, 0.1]
    return robot, base, states._replace(tau=np.where(masked, np.nan, tau))


def test_weighted_fit_is_that_of_the_equations_that_are_there(arm):
    """Estimates, noise, degrees of freedom and covariance by NumPy's least squares on the rows."""
    robot, base, motion = arm
    fit = weighted_least_squares(accumulate(Samples.of(motion), TorqueEquations(robot, base)))
    Y, there = base.reduced(robot.regressor(motion.q, motion.v, motion.a)), ~np.isnan(motion.tau)

    def solved(weights):
        roots = np.broadcast_to(np.sqrt(weights), there.shape)[there]
        return np.linalg.lstsq(Y[there] * roots[:, None], motion.tau[there] * roots, rcond=None)[0]

    def noise(beta):
        squares = np.square(np.where(there, motion.tau - Y @ beta, 0.0)).sum(axis=0)
        return np.sqrt(squares / (there.sum(axis=0) * (1.0 - base.rank / there.sum())))

    weights = 1.0 / np.square(noise(solved(np.ones(6))))
    expected = solved(weights)
    np.testing.assert_allclose(fit.beta, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(fit.noise, noise(expected), rtol=1e-8)
    np.testing.assert_array_equal(fit.counts, there.sum(axis=0))
    assert fit.degrees == there.sum() - base.rank
    rows = Y[there]
    share = np.broadcast_to(weights, there.shape)[there]
    variance = np.broadcast_to(np.square(noise(expected)), there.shape)[there]
    inverse = np.linalg.inv((rows * share[:, None]).T @ rows)
    middle = (rows * (share**2 * variance)[:, None]).T @ rows
    np.testing.assert_allclose(fit.deviation, np.sqrt(np.diag(inverse @ middle @ inverse)), 1e-6)


def test_masked_equations_change_nothing(arm):
    """Masked rows behind others leave the factor of these alone, to the last bit."""
    robot, base, motion = arm
    rows = TorqueEquations(robot, base)
    clean = random_states(robot, 512)
    more = motion._replace(tau=np.full(motion.tau.shape, np.nan))
    alone = accumulate(Samples.of(clean), rows)
    total = accumulate(Samples.of(clean, more), rows)
    np.testing.assert_array_equal(total.factors, alone.factors)
    assert total.counts.tolist() == alone.counts.tolist() == [512] * 6


def test_an_axis_without_a_torque_is_no_equation():
    """Its counts are 0; the others give the fit."""
    Y, y, there = problem()
    y = np.column_stack([y[:, 0], np.full(len(y), np.nan)])
    fit = weighted_least_squares(Accumulator(2, Line.names, Line.units).add(Y, y))
    good = there[:, 0]
    np.testing.assert_allclose(fit.beta, np.linalg.lstsq(Y[good, 0], y[good, 0], rcond=None)[0])
    assert fit.counts.tolist() == [good.sum(), 0]
    assert fit.degrees == good.sum() - P
    with pytest.raises(InputError, match="are too few for 3"):
        least_squares(Accumulator(2, Line.names, Line.units).add(Y, np.full(y.shape, np.nan)))
    with pytest.raises(InputError, match="finite numbers only, and NaN on the right"):
        Accumulator(2, Line.names, Line.units).add(Y, np.full(y.shape, np.inf))


def test_huber_sees_what_is_there():
    """The estimate is that of the same equations stacked: it minimizes Huber's loss of them."""
    Y, y, there = problem()
    y[there[:, 0].nonzero()[0][:8], 0] += 30.0
    fit, k = huber(samples_of(400), Line(Y, y)), 1.345
    size = ((y - Y @ fit.beta) / fit.noise)[there]
    pull = np.clip(size, -k, k) / np.broadcast_to(fit.noise, there.shape)[there]
    # the gradient of the loss, in units of what one row moves it
    assert np.abs(Y[there].T @ pull).max() < 1e-3 * np.abs(Y[there]).max() / fit.noise.min()
    np.testing.assert_allclose(fit.beta, [1.0, -2.0, 0.5], atol=0.05)
    expected = 1.0 - 2.0 * k * stats.norm.pdf(k) + (k * k - 1.0) * 2.0 * stats.norm.sf(k)
    degrees = there.sum(axis=0) * (1.0 - P / there.sum())
    clipped = np.square(np.clip(np.where(there, (y - Y @ fit.beta) / fit.noise, 0.0), -k, k))
    np.testing.assert_allclose(clipped.sum(axis=0) / degrees, expected, rtol=1e-4)
    clean, samples = Line(*problem(3000)[:2]), samples_of(3000)
    plain = weighted_least_squares(accumulate(samples, clean))
    # 95 % as efficient where the noise is Gaussian
    ratio = np.square(huber(samples, clean).deviation / plain.deviation)
    np.testing.assert_allclose(ratio, 1.0 / 0.95, rtol=0.06)


def test_stribeck_speeds_of_what_is_there(arm):
    """Masked torques leave the fit where the others alone would: each axis on its own rows."""
    robot, base, _ = arm
    states, rng = random_states(robot, 900), np.random.default_rng(2)
    masked = rng.random(states.tau.shape) < 0.3
    fit = stribeck_fit(
        Samples.of(states._replace(tau=np.where(masked, np.nan, states.tau))),
        TorqueEquations(robot.with_friction(_guess(robot)), base),
    )
    speeds = robot.friction_model.v_St
    np.testing.assert_allclose(fit.beta[base.rank :], speeds, rtol=1e-6)
    np.testing.assert_array_equal(fit.counts, (~masked).sum(axis=0))


def _guess(robot):
    law = robot.friction_model
    return type(law)(law.Fs, law.Fc, law.Fv, 1.3 * law.v_St, law.measured_to)


def test_covariance_of_coloured_noise_with_holes():
    """Of masked equations, ``Y' Gamma Y`` takes the rows that are there, by a dense matrix."""
    Y, y, there = problem(240)
    samples, rows = samples_of(240, 1), Line(Y, y)
    taps = np.array([0.25, 0.5, 0.25])
    plain = weighted_least_squares(accumulate(samples, rows))
    fit = with_filter(plain, samples, rows, taps)
    H = sum(tap * np.eye(242, 240, -k) for k, tap in enumerate(taps))
    A = sum(w * (Y[there[:, i], i].T @ Y[there[:, i], i]) for i, w in enumerate(plain.weights))
    B = np.zeros((P, P))
    for i, (weight, noise) in enumerate(zip(plain.weights, fit.noise, strict=True)):
        passed = H @ np.where(there[:, i, None], Y[:, i], 0.0)
        B += (weight * noise) ** 2 * passed.T @ passed
    expected = np.linalg.inv(A) @ B @ np.linalg.inv(A)
    np.testing.assert_allclose(fit.covariance, expected, rtol=1e-9)


def test_intervals_of_coloured_noise_with_holes_hold_the_truth():
    """AR(1) noise, torques missing in runs: 95 % intervals hold 95 % (300 draws, 3 parameters)."""
    rng, inside, sizes, count = np.random.default_rng(5), [], [], 1500
    t = np.arange(count) / 40.0
    for _ in range(300):
        phase = rng.uniform(0.0, 6.0, (2, P))
        Y = np.sin(t[:, None, None] * (1.0 + 0.3 * np.arange(P)) + phase)
        noise = rng.normal(size=(count, 2))
        for k in range(1, count):
            noise[k] += 0.7 * noise[k - 1]
        runs = np.repeat(rng.random((count // 50, 2)) < 0.4, 50, axis=0)
        rows, samples = Line(Y, np.where(runs, np.nan, Y @ np.ones(P) + noise)), samples_of(count)
        fit = weighted_least_squares(accumulate(samples, rows))
        coloured = with_autocorrelation(fit, samples, rows, 8)
        low, high = coloured.intervals().T
        sizes.append(coloured.noise)
        inside += ((low <= 1.0) & (high >= 1.0)).tolist()
    assert 0.92 < np.mean(inside) < 0.98  # three deviations of 900 are 2.2 %
    np.testing.assert_allclose(np.mean(sizes, axis=0), 1.0 / np.sqrt(1.0 - 0.7**2), rtol=0.02)


def test_a_load_from_torques_with_holes():
    """Exact torques, a third of them missing, give the load itself."""
    robot = irb.load("irb2400")
    states = random_states(irb.load("irb2400", tool="spindle"), 60)
    masked = np.random.default_rng(3).random(states.tau.shape) < 0.33
    load = load_from_torques(
        Samples.of(states._replace(tau=np.where(masked, np.nan, states.tau))), robot
    )
    assert load.mass == pytest.approx(12.7, rel=1e-8)  # S000 Tab. 4
    np.testing.assert_allclose(load.com, [-0.0383, 0.0, 0.1293], atol=1e-8)


def test_a_flag_leaves_out_what_it_spoils():
    """Positions are in all torques, a torque is its own: rows and pairs, and the message counts."""
    count = 100
    log = Recording(
        np.arange(count) * 0.004, np.ones((count, 3)), tau=np.arange(3.0 * count).reshape(-1, 3)
    )
    pair = np.zeros((count, 3), dtype=bool)
    pair[10:20, 0] = pair[15:30, 1] = pair[15:20, 2] = True
    log = log.with_flag(pair, Flag.AT_REST).with_flag(
        np.eye(count, 3, -60, dtype=bool), Flag.POSITION_OUTLIER
    )
    motions, finding = log.usable(Flag.AT_REST | Flag.POSITION_OUTLIER)
    kept = np.concatenate([part.t for part in motions])
    gone = np.isin(np.arange(count), [15, 16, 17, 18, 19, 60, 61, 62])
    np.testing.assert_allclose(kept, log.t[~gone])
    tau = np.concatenate([part.tau for part in motions])
    np.testing.assert_array_equal(np.isnan(tau), pair[~gone])
    np.testing.assert_array_equal(tau[~pair[~gone]], log.tau[~gone][~pair[~gone]])
    assert finding.message == (
        "8 of 100 samples left out, and 15 torques of single axes (3 POSITION_OUTLIER, 30 AT_REST)"
    )
    (motion,) = log.usable(Flag.AT_REST, axes=[3])[0][1:]
    assert np.isfinite(motion.tau).all()


def test_tests_of_residuals_skip_holes():
    """Correlations count pairs that are there, by sums over them; bins have means of these."""
    rng = np.random.default_rng(7)
    e = rng.normal(size=(300, 2))
    e[rng.random(e.shape) < 0.2] = np.nan
    actual = whiteness_test([e[:180], e[180:]], lags=3)
    for i in range(2):
        x = e[:, i] - np.nanmean(e[:, i])
        count = np.isfinite(x).sum()
        for lag in (1, 2, 3):
            products = [part[lag:] * part[:-lag] for part in (x[:180], x[180:])]
            pairs = sum(np.isfinite(part).sum() for part in products)
            expected = sum(np.nansum(part) for part in products) / np.nansum(x * x)
            assert actual.autocorrelation[lag - 1, i] == pytest.approx(expected, rel=1e-12)
            assert actual.bound[lag - 1, i] == pytest.approx(1.96 * np.sqrt(pairs) / count)
    x = rng.uniform(-1.0, 1.0, (2000, 1))
    whole = np.sin(3.0 * x) + 0.3 * rng.normal(size=(2000, 1))
    holes = np.where(rng.random((2000, 1)) < 0.3, np.nan, whole)
    both = state_dependence([np.column_stack([whole, holes])], [x], lags=1)
    good = np.isfinite(holes[:, 0])
    alone = state_dependence([holes[good]], [x[good]], lags=1)
    np.testing.assert_allclose(both.explained[1], alone.explained[0], rtol=0.01)  # other bins
    whole_alone = state_dependence([whole], [x], lags=1)
    np.testing.assert_allclose(both.explained[0], whole_alone.explained[0], rtol=1e-12)
