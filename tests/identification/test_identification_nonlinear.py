from dataclasses import replace

import numpy as np
import pytest
from excited import SIGMA, random_states

import irbmodels as irb
from irbmodels import InputError
from irbmodels.identification.fits import (
    Samples,
    TorqueEquations,
    accumulate,
    stribeck_fit,
    weighted_least_squares,
)
from irbmodels.identification.fits.nonlinear import SpeedEquations, linearize
from irbmodels.identification.fits.stribeck_residuals import (
    Residuals,
    Split,
    add_split,
    friction_columns,
    speed_terms,
)
from irbmodels.model.friction import Stribeck
from irbmodels.robot.base_parameters import base_parameters


def guessing(robot, factor):
    """The robot with all Stribeck speeds off by a factor."""
    law = robot.friction_model
    return replace(
        robot,
        dynamic_model=replace(
            robot.dynamic_model, friction=Stribeck(law.Fs, law.Fc, law.Fv, factor * law.v_St)
        ),
    )


def at(robot, terms, speeds):
    """The robot with other speeds of some terms of its law."""
    law = robot.friction_model
    both = {"Fs-Fc": law.v_St.copy(), "Fd": law.v_d.copy()}
    for term, speed in zip(terms, speeds, strict=True):
        both[term.kind][term.axis] = speed
    return robot.with_friction(replace(law, v_St=both["Fs-Fc"], v_d=both["Fd"]))


def degressive(robot, axes):
    """The robot with degressive friction of some axes, 0-based, as large as Coulomb friction."""
    law, there = robot.friction_model, np.isin(np.arange(robot.n), axes)
    return robot.with_friction(
        replace(law, Fd=np.where(there, law.Fc, 0.0), v_d=np.linspace(0.2, 0.7, robot.n))
    )


@pytest.fixture(scope="module")
def arm():
    robot = irb.load("irb2400", tool="spindle")
    base = base_parameters(robot, friction=True)
    return robot, base, np.append(base.values(robot.parameter_vector()), robot.friction_model.v_St)


@pytest.mark.parametrize("factor", [0.4, 2.5])
def test_exact_torques_give_stribeck_speeds(arm, factor):
    """From guesses of v_St 2.5 times too small or too large all parameters come back to 1e-9."""
    robot, base, truth = arm
    logs = Samples.of(random_states(robot, 200), random_states(robot, 100, seed=1))
    fit = stribeck_fit(logs, TorqueEquations(guessing(robot, factor), base))
    np.testing.assert_allclose(fit.beta, truth, rtol=1e-9, atol=1e-9 * np.abs(truth).max())
    np.testing.assert_allclose(fit.beta[-6:], truth[-6:], rtol=1e-9)
    assert fit.names[-6:] == tuple(f"v_St_{axis}" for axis in range(1, 7))
    assert fit.units[-1] == "rad/s"


def test_exact_torques_give_degressive_speeds(arm):
    """From guesses of v_d off by a half all parameters come back, v_St of other axes with them."""
    robot = degressive(arm[0], (1, 4))
    base = base_parameters(robot, friction=True)
    law = robot.friction_model
    guess = robot.with_friction(replace(law, v_St=1.5 * law.v_St, v_d=1.5 * law.v_d))
    linearized = linearize(Samples.of(random_states(robot, 300)), TorqueEquations(guess, base))
    truth = np.concatenate([base.values(robot.parameter_vector()), law.v_St, law.v_d[[1, 4]]])
    assert linearized.fit.names[-2:] == ("v_d_2", "v_d_5")
    np.testing.assert_allclose(
        linearized.fit.beta, truth, rtol=1e-7, atol=1e-8 * np.abs(truth).max()
    )


def test_a_degressive_speed_that_nothing_tells_stays(arm):
    """Torques without degressive friction let v_d run away: it keeps its guess."""
    robot = arm[0]
    law = robot.friction_model
    linear = robot.with_friction(Stribeck(law.Fc, law.Fc, law.Fv, law.v_St))
    motion = random_states(linear, 300)
    noise = SIGMA * np.random.default_rng(0).normal(size=motion.tau.shape)
    samples = Samples.of(motion._replace(tau=motion.tau + noise))
    assumed = degressive(linear, (2,))
    rows = TorqueEquations(assumed, base_parameters(assumed, friction=True))
    assert linearize(samples, rows) is None


def test_some_axes_only(arm):
    """Axes 2 and 5 alone have two Stribeck speeds."""
    robot, _, _ = arm
    base = base_parameters(robot, (2, 5), friction=True)
    fit = stribeck_fit(
        Samples.of(random_states(robot, 200, axes=(2, 5))),
        TorqueEquations(guessing(robot, 1.5), base),
    )
    np.testing.assert_allclose(fit.beta[-2:], robot.friction_model.v_St[[1, 4]], rtol=1e-9)
    assert fit.names[-2:] == ("v_St_2", "v_St_5")


@pytest.mark.parametrize("axes", [None, (2, 5)])
@pytest.mark.parametrize("reach", [0.3, np.inf])
@pytest.mark.parametrize("rising", [(), (1, 2)])
def test_slow_samples_may_be_folded(arm, axes, reach, rising):
    """Squares of the residuals with the best linear parameters, their gradient and J'J are those of
    all samples, kept one by one, with derivatives of finite differences; so are the equations
    linearized at the same point.
    """
    robot = degressive(arm[0], rising)
    base = base_parameters(robot, friction=True) if rising else arm[1]
    motion = random_states(robot, 60)
    rows = TorqueEquations(robot, base)
    p, law = base.rank, robot.friction_model
    falling = np.arange(6) if axes is None else np.array(axes) - 1
    places = friction_columns(rows)
    assert places.tolist() == [
        [base.names.index(f"{kind}_{axis + 1}") for kind in ("Fv", "Fc", "Fs-Fc")]
        for axis in range(6)
    ]
    terms = [term for term in speed_terms(rows, "Fs-Fc") if term.axis in falling]
    terms += speed_terms(rows, "Fd")
    assert [term.axis for term in terms] == [*falling, *rising]
    assert [base.names[term.column] for term in terms] == [
        *(f"Fs-Fc_{axis + 1}" for axis in falling),
        *(f"Fd_{axis + 1}" for axis in rising),
    ]
    split = Split(6, rows.names, rows.units)
    half = motion.each(lambda x: x[:25]), motion.each(lambda x: x[25:])
    reaches = np.where(np.isin(np.arange(6), falling), reach, 0.0)
    reaches[list(rising)] = np.inf
    for part in half:
        add_split(split, [part], rows, reaches)
    for i in falling:
        slow = sum(len(part) for _, part in split.slow[i])
        assert slow == (np.abs(motion.v[:, i]) < reaches[i]).sum()
        assert (slow < 60) == (reaches[i] == 0.3)
    model = Residuals(split, terms)
    noise = np.arange(1.0, 7.0)
    rng = np.random.default_rng(0)
    own = [(law.v_St if term.kind == "Fs-Fc" else law.v_d)[term.axis] for term in terms]
    x = np.append(rng.normal(size=p), np.log(own * rng.uniform(0.5, 1.5, len(terms))))

    Y = np.array([robot.regressor(*s) for s in zip(motion.q, motion.v, motion.a, strict=True)])
    Y = base.reduced(Y)

    def residual(x):
        """Another way to the same torque, sample by sample."""
        others, more = Y.copy(), np.zeros(motion.tau.shape)
        for (axis, kind, _, column), speed in zip(terms, np.exp(x[p:]), strict=True):
            v = motion.v[:, axis]
            unit = np.exp(-((v / speed) ** 2)) * np.sign(v)
            more[:, axis] += x[column] * (unit if kind == "Fs-Fc" else v / (speed + np.abs(v)))
            others[:, axis, column] = 0.0
        return ((others @ x[:p] + more - motion.tau) / noise).ravel()

    def eliminated(logs):
        """All that is linear by least squares of all samples; torques are linear in it."""
        right = residual(np.append(np.zeros(p), logs))
        columns = np.transpose([residual(np.append(e, logs)) - right for e in np.eye(p)])
        beta = np.linalg.lstsq(columns, -right, rcond=None)[0]
        return columns, beta, columns @ beta + right

    logs, step = x[p:], 1e-5
    columns, beta, left = eliminated(logs)
    residuals, derivatives, best = model.eliminated(noise, logs)
    assert residuals.shape == (len(terms) + 1,)
    assert residuals @ residuals == pytest.approx(left @ left, rel=1e-11)
    np.testing.assert_allclose(best, beta, rtol=1e-8, atol=1e-8 * np.abs(beta).max())
    slopes = np.transpose(  # at the same beta, then what no other beta makes up for
        [
            residual(np.append(beta, logs + step * e)) - residual(np.append(beta, logs - step * e))
            for e in np.eye(len(terms))
        ]
    ) / (2.0 * step)
    slopes -= columns @ np.linalg.lstsq(columns, slopes, rcond=None)[0]
    scale = np.linalg.norm(slopes, axis=0)
    np.testing.assert_allclose(
        derivatives.T @ derivatives / np.outer(scale, scale),
        slopes.T @ slopes / np.outer(scale, scale),
        atol=1e-7,
    )
    gradient = [
        np.square(eliminated(logs + step * e)[2]).sum()
        - np.square(eliminated(logs - step * e)[2]).sum()
        for e in np.eye(len(terms))
    ]
    np.testing.assert_allclose(
        2.0 * derivatives.T @ residuals / scale,
        np.array(gradient) / (2.0 * step) / scale,
        atol=1e-6 * np.linalg.norm(left),
    )
    expected = residual(x)
    np.testing.assert_allclose(
        model.noise(x),
        noise * np.sqrt(np.square(expected.reshape(-1, 6)).sum(axis=0) / (60 - x.size / 6)),
        rtol=1e-12,
    )
    speeds = np.append(x[:p], np.exp(x[p:]))
    near = SpeedEquations(rows, speeds, tuple(terms))
    direct, fast = accumulate(Samples.of(motion), near), model.accumulated(speeds, near)
    assert (fast.samples, fast.names) == (direct.samples, direct.names)
    linear = accumulate(Samples.of(motion), TorqueEquations(at(robot, terms, np.exp(x[p:])), base))
    for one, other in ((fast, direct), (near.without_speeds(fast), linear)):
        assert one.names == other.names
        for i in range(6):
            size = np.linalg.norm(other.factors[i], axis=0) + 1.0
            np.testing.assert_allclose(
                one.factors[i].T @ one.factors[i] / np.outer(size, size),
                other.factors[i].T @ other.factors[i] / np.outer(size, size),
                atol=1e-13,
            )


def test_intervals_hold_the_truth(arm):
    """On 20 noisy logs 95 % intervals hold base parameters and Stribeck speeds as often as they
    say; noise is that of Tab. 6.
    """
    robot, base, truth = arm
    motion = random_states(robot, 600)
    rows, inside, errors, noises = TorqueEquations(guessing(robot, 1.5), base), [], [], []
    for k in range(20):
        noisy = motion._replace(
            tau=motion.tau + SIGMA * np.random.default_rng(k).normal(size=motion.tau.shape)
        )
        fit = stribeck_fit(Samples.of(noisy), rows)
        lower, upper = fit.intervals().T
        inside.append((lower <= truth) & (truth <= upper))
        errors.append(((fit.beta - truth) / fit.deviation)[-6:])
        noises.append(fit.noise)
    # of v_St: 3 sigma of 120 numbers
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(1.0, abs=0.2)
    assert 0.93 <= np.mean(inside) <= 0.97
    # of 20 times 600 samples 0.65 %, twice that; and 60 parameters that axes do not share equally:
    # 10 of 600 are 0.8 %
    np.testing.assert_allclose(np.mean(noises, axis=0), SIGMA, rtol=0.025)
    assert fit.degrees == 6 * 600 - truth.size


def test_with_the_right_speed_it_is_the_linear_fit(arm):
    """Estimates of the linear parameters agree with the fit that knows v_St, within what not
    knowing it costs.
    """
    robot, base, _ = arm
    motion = random_states(robot, 900)
    noisy = motion._replace(
        tau=motion.tau + SIGMA * np.random.default_rng(0).normal(size=motion.tau.shape)
    )
    rows = TorqueEquations(robot, base)
    joint, linear = (
        stribeck_fit(Samples.of(noisy), rows),
        weighted_least_squares(accumulate(Samples.of(noisy), rows)),
    )
    assert (joint.deviation[:-6] > 0.99 * linear.deviation).all()
    assert (np.abs(joint.beta[:-6] - linear.beta) < 3.0 * joint.deviation[:-6]).all()


def test_without_friction_there_is_nothing_to_fit(arm):
    """Base parameters without friction are refused, and so are arms without a law."""
    robot, _, _ = arm
    for bare in (robot, irb.load("irb1600")):
        rows = TorqueEquations(bare, base_parameters(bare))
        with pytest.raises(InputError, match="needs friction among the base parameters"):
            stribeck_fit(Samples.of(random_states(robot, 50)), rows)


def test_a_guess_that_is_far_off_is_told(arm):
    """A guess ten times too small does not reach the truth, and says so."""
    robot, base, _ = arm
    with pytest.raises(InputError, match="the guess is far off"):
        stribeck_fit(
            Samples.of(random_states(robot, 300)), TorqueEquations(guessing(robot, 0.1), base)
        )
