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
from irbmodels.identification.fits.nonlinear import _Residuals, _split
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


def test_fast_samples_may_be_folded(arm):
    """Residuals and their Jacobian are those of all samples, kept one by one, and of finite
    differences.
    """
    robot, base, _ = arm
    motion = random_states(robot, 60)
    rows = TorqueEquations(robot, base)
    p = base.rank
    places = np.array(
        [
            [base.names.index(f"{kind}_{axis}") for kind in ("Fv", "Fc", "Fs-Fc")]
            for axis in range(1, 7)
        ]
    )
    noise = np.arange(1.0, 7.0)
    tight, all_slow = (
        _Residuals(_split([motion], rows, places, reach * np.ones(6)), places, noise)
        for reach in (0.3, np.inf)
    )
    for i in range(6):
        assert len(tight.split.slow[i]) == (np.abs(motion.v[:, i]) < 0.3).sum() < 60
        assert len(all_slow.split.slow[i]) == 60
    rng = np.random.default_rng(0)
    x = np.append(rng.normal(size=p), np.log(robot.friction_model.v_St * rng.uniform(0.5, 1.5, 6)))
    residual, jacobian = all_slow.residual(x), all_slow.jacobian(x)
    np.testing.assert_allclose(
        np.square(tight.residual(x)).sum(), np.square(residual).sum(), rtol=1e-10
    )
    np.testing.assert_allclose(
        tight.jacobian(x).T @ tight.jacobian(x), jacobian.T @ jacobian, rtol=1e-8, atol=1e-8
    )
    np.testing.assert_allclose(
        tight.jacobian(x).T @ tight.residual(x), jacobian.T @ residual, rtol=1e-8, atol=1e-6
    )
    step = 1e-6
    differences = [
        (all_slow.residual(x + step * e) - all_slow.residual(x - step * e)) / (2.0 * step)
        for e in np.eye(x.size)
    ]
    np.testing.assert_allclose(np.transpose(differences), jacobian, rtol=1e-6, atol=1e-6)
    # another way to the same torque
    law = Stribeck(np.zeros(6), np.zeros(6), np.zeros(6), np.exp(x[p:]))
    Y = base.reduced(
        np.array([robot.regressor(*s) for s in zip(motion.q, motion.v, motion.a, strict=True)])
    )
    Y[..., places[:, 2]] = 0.0
    drop = np.exp(-np.square(motion.v / law.v_St)) * np.sign(motion.v) * x[places[:, 2]]
    expected = ((Y @ x[:p] + drop - motion.tau) / noise).T
    np.testing.assert_allclose(
        all_slow.residual(x).reshape(6, -1)[:, :60], expected, rtol=1e-9, atol=1e-9
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
