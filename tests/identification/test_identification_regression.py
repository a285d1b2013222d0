import numpy as np
import oracles
import pytest
from excited import SIGMA, excitation, inner, measured, random_states, torques
from grouped import together
from scipy import linalg, stats

import irbmodels as irb
from irbmodels import InputError
from irbmodels.identification.fits import (
    Accumulator,
    Samples,
    TorqueEquations,
    accumulate,
    least_squares,
    weighted_least_squares,
)
from irbmodels.robot.base_parameters import base_parameters

STATES = 150  # 600 equations and more for 63 parameters at most; below 1000 nothing is compiled


def total_of(robot, base, motion):
    return accumulate(Samples.of(motion), TorqueEquations(robot, base))


def off(fit, base, truth):
    """Largest error, each relative to the largest true value of its unit."""
    units = np.array(base.units)
    scale = np.array([np.abs(truth[units == unit]).max() for unit in units])
    return np.abs((fit.beta - truth) / scale).max()


@pytest.fixture(scope="module")
def arm():
    robot = irb.load("irb2400", tool="spindle")
    return robot, base_parameters(robot, friction=True)


# --- recovery


@together("name", oracles.NAMES)
@together("with_friction", [False, True])
def test_exact_torques_give_the_exact_base_parameters(name, with_friction):
    """Bars with mass, a tool on the flange, rotors and friction: Pinocchio's torques give every sum
    back to 1e-9.
    """
    robot = irb.load(name, tool=None if name.startswith("irb930") else "spindle")
    robot = robot.with_rotors(np.linspace(6.0, 1.0, robot.n))
    if with_friction and robot.friction_model is None:
        robot = rubbing(robot)
    base = base_parameters(robot, rotors=True, friction=with_friction)
    # with friction, where the robot has some: what is not fitted is known
    motion = random_states(robot, STATES)
    fit = weighted_least_squares(total_of(robot, base, motion))
    assert off(fit, base, base.values(robot.parameter_vector())) < 1e-9
    assert fit.condition < 200.0
    assert len(fit.names) == base.rank
    again = random_states(robot, 20, seed=9)
    known = robot.regressor(again.q, again.v, again.a) @ np.where(
        base.grouping.any(axis=0), 0.0, robot.parameter_vector()
    )
    explained = base.reduced(robot.regressor(again.q, again.v, again.a)) @ fit.beta + known
    np.testing.assert_allclose(explained, again.tau, atol=1e-9 * np.abs(again.tau).max())


def rubbing(robot):
    """The robot with some friction; nobody has published that of these arms."""
    from dataclasses import replace

    from irbmodels.model.friction import Stribeck

    one = np.linspace(1.0, 0.5, robot.n)
    law = Stribeck(30.0 * one, 20.0 * one, 8.0 * one, 0.01 * one)
    return replace(robot, dynamic_model=replace(robot.dynamic_model, friction=law))


@pytest.mark.parametrize(
    ("name", "axes"),
    [("irb2400", (4, 5, 6)), ("irb1600", (2, 3)), ("irb1400", (1, 2, 3)), ("irb930", (1, 3))],
)
def test_some_axes_only(name, axes):
    """Axes that move give their own base parameters, while the others stand still."""
    robot = irb.load(name)
    base = base_parameters(robot, axes)
    motion = random_states(robot, STATES, axes=axes)
    fit = weighted_least_squares(total_of(robot, base, motion))
    assert fit.noise.shape == (len(axes),)
    assert off(fit, base, base.values(robot.parameter_vector())) < 1e-9


def test_another_gravity_and_mounting():
    """A robot under the ceiling is identified as it hangs."""
    robot = irb.load("irb1600").mounted(np.diag([1.0, -1.0, -1.0]))
    base = base_parameters(robot)
    assert (
        off(
            weighted_least_squares(total_of(robot, base, random_states(robot, STATES))),
            base,
            base.values(robot.parameter_vector()),
        )
        < 1e-9
    )


# --- weights and covariance


def small(seed=0, count=400, sigma=(1.0, 20.0)):
    """Two equations per sample with noise of different size, three parameters."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(count, 2, 3))
    truth = np.array([3.0, -2.0, 0.5])
    return Y, Y @ truth + np.array(sigma) * rng.normal(size=(count, 2)), truth


def fit_small(method, seed=0, **arguments):
    Y, y, _ = small(seed)
    return method(Accumulator(2, ("a", "b", "c"), ("", "", "")).add(Y, y), **arguments)


def test_plain_fit_is_numpys_least_squares():
    """Estimates are those of lstsq; the covariance knows that the second equation is noisier."""
    Y, y, _ = small()
    fit = fit_small(least_squares)
    flat = Y.reshape(-1, 3)
    np.testing.assert_allclose(
        fit.beta, np.linalg.lstsq(flat, y.ravel(), rcond=None)[0], rtol=1e-12
    )
    residual = y - Y @ fit.beta
    np.testing.assert_allclose(
        fit.noise, np.sqrt(np.square(residual).sum(axis=0) / (400 - 3 / 2)), rtol=1e-12
    )
    bread = np.linalg.inv(flat.T @ flat)
    meat = sum(s**2 * Y[:, i].T @ Y[:, i] for i, s in enumerate(fit.noise))
    np.testing.assert_allclose(fit.covariance, bread @ meat @ bread, rtol=1e-10)
    unit = flat / np.linalg.norm(flat, axis=0)
    np.testing.assert_allclose(fit.condition, np.linalg.cond(unit), rtol=1e-10)
    assert fit.degrees == 797
    assert fit.samples == 400


def test_weighted_fit_is_whitened_least_squares():
    """Weights are the inverse residual variances of the plain fit: as if each equation were divided
    by its noise.
    """
    Y, y, truth = small()
    noise = fit_small(least_squares).noise
    fit = fit_small(weighted_least_squares)
    white = (Y / noise[:, None]).reshape(-1, 3), (y / noise).ravel()
    np.testing.assert_allclose(fit.beta, np.linalg.lstsq(*white, rcond=None)[0], rtol=1e-12)
    np.testing.assert_allclose(fit.weights, 1.0 / noise**2, rtol=1e-12)
    assert (np.abs(fit.beta - truth) < 4.0 * fit.deviation).all()
    # the quiet equation tells 20 times more
    assert fit.deviation.max() < 0.2 * fit_small(least_squares).deviation.min()
    again = fit_small(weighted_least_squares, passes=30)
    np.testing.assert_allclose(again.weights, 1.0 / again.noise**2, rtol=1e-10)  # settled


def test_known_noise_replaces_that_of_the_residuals():
    """Doubling a known noise doubles every standard deviation."""
    one, two = (
        fit_small(least_squares, noise=factor * np.array([1.0, 20.0])) for factor in (1.0, 2.0)
    )
    np.testing.assert_allclose(two.deviation, 2.0 * one.deviation, rtol=1e-12)
    np.testing.assert_array_equal(one.noise, [1.0, 20.0])


def test_intervals_are_students():
    """Ends are estimate and t-quantile times deviation; significance says whether 0 is outside."""
    Y, y, _ = small(count=4)
    fit = weighted_least_squares(Accumulator(2, ("a", "b", "c"), ("", "", "")).add(Y, y))
    quantile = stats.t.ppf(0.975, 5)
    np.testing.assert_allclose(
        fit.intervals()[:, 1] - fit.beta, quantile * np.sqrt(np.diag(fit.covariance)), rtol=1e-12
    )
    np.testing.assert_allclose(fit.intervals(0.5).mean(axis=1), fit.beta, rtol=1e-12)
    lower, upper = fit.intervals(0.9).T
    np.testing.assert_array_equal(fit.significant(0.9), (lower > 0.0) | (upper < 0.0))
    assert set(fit.significant(0.9)) == {True, False}


def test_a_fit_prints_as_a_table(arm):
    """Each parameter is a line with its estimate, half interval, unit and name; stars mark what is
    not 0.
    """
    robot, base = arm
    motion = random_states(robot, STATES)
    noisy = motion._replace(
        tau=motion.tau + SIGMA * np.random.default_rng(0).normal(size=motion.tau.shape)
    )
    fit = weighted_least_squares(total_of(robot, base, noisy))
    lines = str(fit).splitlines()
    assert len(lines) == base.rank
    for line, name, unit, value, star in zip(
        lines, fit.names, fit.units, fit.beta, fit.significant(), strict=True
    ):
        assert line.endswith(name)
        assert f" {unit} " in line
        assert float(line.split()[0]) == pytest.approx(value, rel=1e-4)
        assert (" * " in line) == star


def test_band_is_the_spread_of_the_model():
    """The band of Y beta is what estimates drawn from the covariance spread it; noise widens that
    of a measurement.
    """
    fit = fit_small(weighted_least_squares)
    rng = np.random.default_rng(5)
    Y = rng.normal(size=(4, 2, 3))
    draws = rng.multivariate_normal(fit.beta, fit.covariance, 40_000)
    spread = np.std(np.einsum("nip,kp->kni", Y, draws), axis=0)
    quantile = stats.t.ppf(0.975, fit.degrees)
    # 4 sigma of 40 000 draws is 0.014
    np.testing.assert_allclose(fit.band(Y), quantile * spread, rtol=0.03)
    np.testing.assert_allclose(
        fit.band(Y, noise=True), np.hypot(fit.band(Y), quantile * fit.noise), rtol=1e-12
    )


def test_exact_data_need_no_noise():
    """Exact equations have weights all the same, and a covariance of rounding."""
    Y, _, truth = small()
    y = Y @ truth
    y[:, 1] = Y[:, 1] @ truth
    fit = weighted_least_squares(Accumulator(2, ("a", "b", "c"), ("", "", "")).add(Y, y))
    np.testing.assert_allclose(fit.beta, truth, rtol=1e-12)
    assert np.isfinite(fit.weights).all()
    assert fit.deviation.max() < 1e-12


# --- an approach published elsewhere


def figaroh(W, tau, n):
    """Base parameters and weighted least squares as FIGAROH publishes them: QR without pivoting,
    twice, then one reweighting.

    Written anew from the procedure: columns of norm below 1e-6 leave; those with |R_ii| > 1e-6 are
    base columns; ordinary least squares; then the rows of each joint divided by the norm of their
    residual over (rows - base parameters) [Gautier 1997].
    """
    kept = np.flatnonzero(np.linalg.norm(W, axis=0) > 1e-6)
    diagonal = np.abs(np.diag(np.linalg.qr(W[:, kept])[1]))
    index = kept[diagonal > 1e-6]
    Q, R = np.linalg.qr(W[:, index])
    ordinary = linalg.solve_triangular(R, Q.T @ tau)
    residual = (tau - W[:, index] @ ordinary).reshape(-1, n)
    sigma = np.linalg.norm(residual, axis=0) / (len(residual) - len(index))
    scale = np.tile(1.0 / sigma, len(residual))
    return index, ordinary, np.linalg.pinv(scale[:, None] * W[:, index]) @ (scale * tau)


@pytest.mark.parametrize("name", ["irb2400", "irb1400"])
def test_figarohs_approach_gives_the_same(name):
    """On the same noisy data FIGAROH's estimates, written in our sums, are ours to 1e-6, unweighted
    and weighted.
    """
    robot = irb.load(name)
    base = base_parameters(robot, friction=robot.friction_model is not None)
    motion = random_states(robot, 250, seed=2)
    motion = motion._replace(
        tau=motion.tau + SIGMA * np.random.default_rng(3).normal(size=motion.tau.shape)
    )
    W = robot.regressor(motion.q, motion.v, motion.a)
    unasked = ~base.grouping.any(axis=0)
    W = np.where(unasked, 0.0, W).reshape(-1, W.shape[-1])
    index, ordinary, reweighted = figaroh(W, motion.tau.ravel(), robot.n)
    total = total_of(robot, base, motion)
    for theirs, ours in (
        (ordinary, least_squares(total)),
        (reweighted, weighted_least_squares(total)),
    ):
        whole = np.zeros(W.shape[1])
        whole[index] = theirs
        np.testing.assert_allclose(
            base.values(whole), ours.beta, atol=1e-6 * np.abs(ours.beta).max(), rtol=1e-6
        )


# --- what cannot be


def test_a_motion_that_tells_nothing_is_refused_by_name(arm):
    """Standing still excites no inertia: the message names what is missing."""
    robot, base = arm
    motion = random_states(robot, 100)
    still = motion._replace(
        v=0.0 * motion.v,
        a=0.0 * motion.a,
        tau=torques(robot, motion.q, 0.0 * motion.v, 0.0 * motion.a),
    )
    with pytest.raises(InputError, match=r"do not depend on.*Fv_1"):
        weighted_least_squares(total_of(robot, base, still))


def test_parameters_that_go_together_are_named():
    """Two columns that are always alike cannot be told apart."""
    Y, y, _ = small()
    Y[..., 2] = -3.0 * Y[..., 0]
    with pytest.raises(InputError, match="cannot separate: a, c"):
        least_squares(Accumulator(2, ("a", "b", "c"), ("", "", "")).add(Y, y))


@pytest.mark.parametrize(("apart", "words"), [(1e-6, True), (1e-11, False)])
def test_how_nearly_alike_columns_may_be(apart, words):
    """Columns that differ by 1e-6 are told apart, with 1e6 times the deviation; by 1e-11 they are
    not.
    """
    Y, y, _ = small()
    Y[..., 2] = Y[..., 0] + apart * Y[..., 2]
    total = Accumulator(2, ("a", "b", "c"), ("", "", "")).add(Y, y)
    if words:
        assert 1e5 < least_squares(total).condition < 1e7
    else:
        with pytest.raises(InputError, match="a, c"):
            least_squares(total)


def test_torques_of_nothing():
    """Zeros everywhere are fitted by zeros, and no weight becomes infinite."""
    Y, y, _ = small()
    fit = weighted_least_squares(Accumulator(2, ("a", "b", "c"), ("", "", "")).add(Y, 0.0 * y))
    np.testing.assert_array_equal(fit.beta, 0.0)
    np.testing.assert_array_equal(fit.covariance, 0.0)


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_samples(count):
    """Fewer equations than parameters are refused."""
    Y, y, _ = small(count=count)
    with pytest.raises(InputError, match="too few"):
        least_squares(Accumulator(2, ("a", "b", "c"), ("", "", "")).add(Y, y))


def test_as_many_equations_as_parameters():
    """An exact solution leaves nothing that could tell the noise: it is refused."""
    Y, y, _ = small(count=2)
    square = Accumulator(2, ("a", "b", "c", "d"), ("", "", "", "")).add(
        np.concatenate([Y, np.square(Y[..., :1])], axis=2), y
    )
    with pytest.raises(InputError, match="2 samples of 2 equations are too few for 4"):
        least_squares(square)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tau": None}, "no tau"),
        ({"a": None}, "no a"),
        ({"q": np.zeros((STATES, 5))}, r"needs shape \(150, 6\)"),
        ({"v": np.full((STATES, 6), np.nan)}, "v is not finite at sample 0"),
    ],
)
def test_samples_of_another_kind(arm, change, message):
    """Missing or broken columns are one clear line."""
    robot, base = arm
    with pytest.raises(InputError, match=message):
        total_of(robot, base, random_states(robot, STATES)._replace(**change))


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, np.nan])
def test_a_level_is_a_share(level):
    """95 is no confidence level; 0.95 is."""
    with pytest.raises(InputError, match="between 0 and 1"):
        fit_small(weighted_least_squares).intervals(level)


def test_a_band_needs_its_own_regressor():
    """Regressors of other parameters are refused."""
    with pytest.raises(InputError, match="shape"):
        fit_small(weighted_least_squares).band(np.zeros((5, 2, 4)))


# --- intervals


def test_intervals_hold_the_truth_as_often_as_they_say(arm):
    """Of 100 noisy logs 93 to 97 % of all 95 % intervals hold the true base parameters, friction
    included.

    Noise: 2^20 counts per turn on the arm side, positions filtered at 10 Hz, torques raw with the
    errors of S000 Tab. 6, 250 Hz.
    """
    robot, base = arm
    truth = base.values(robot.parameter_vector())
    rows, motion = TorqueEquations(robot, base), excitation(robot)
    held, inside = 0, np.zeros((100, base.rank), dtype=bool)
    for k in range(100):
        fit = weighted_least_squares(
            accumulate(Samples.of(inner(measured(motion, np.random.default_rng(k)))), rows)
        )
        lower, upper = fit.intervals().T
        inside[k] = (lower <= truth) & (truth <= upper)
        held += np.abs(fit.noise / SIGMA - 1.0).max() < 0.1
    assert 0.93 <= inside.mean() <= 0.97
    assert inside.mean(axis=0).min() > 0.88  # each parameter on its own: 3.2 sigma of 100 repeats
    assert held == 100  # and the noise of each axis is found
