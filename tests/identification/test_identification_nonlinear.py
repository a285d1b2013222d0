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
from irbmodels.identification.fits.nonlinear import StribeckEquations
from irbmodels.identification.fits.stribeck_residuals import (
    Residuals,
    Split,
    add_split,
    friction_columns,
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


def at(robot, axes, speeds):
    """The robot with other Stribeck speeds of some axes, 0-based."""
    law = robot.friction_model
    v_St = law.v_St.copy()
    v_St[axes] = speeds
    return robot.with_friction(Stribeck(law.Fs, law.Fc, law.Fv, v_St))


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


@pytest.mark.parametrize("axes", [None, (2, 5)])
@pytest.mark.parametrize("reach", [0.3, np.inf])
def test_slow_samples_may_be_folded(arm, axes, reach):
    """Squares of the residuals, their gradient and J'J are those of all samples, kept one by one,
    with a Jacobian of finite differences; so are the equations linearized at the same point.
    """
    robot, base, _ = arm
    motion = random_states(robot, 60)
    rows = TorqueEquations(robot, base)
    p, law = base.rank, robot.friction_model
    falling = np.arange(6) if axes is None else np.array(axes) - 1
    places = friction_columns(rows, falling.tolist())
    assert places.tolist() == [
        [
            base.names.index(f"{kind}_{axis + 1}") if kind != "Fs-Fc" or axis in falling else -1
            for kind in ("Fv", "Fc", "Fs-Fc")
        ]
        for axis in range(6)
    ]
    split = Split(6, rows.names, rows.units)
    half = motion.each(lambda x: x[:25]), motion.each(lambda x: x[25:])
    reaches = np.where(np.isin(np.arange(6), falling), reach, 0.0)
    for part in half:
        add_split(split, [part], rows, places, reaches)
    for i in falling:
        slow = sum(len(part) for _, part in split.slow[i])
        assert slow == (np.abs(motion.v[:, i]) < reach).sum()
        assert (slow < 60) == (reach == 0.3)
    model = Residuals(split, places)
    noise = np.arange(1.0, 7.0)
    rng = np.random.default_rng(0)
    x = np.append(
        rng.normal(size=p), np.log(law.v_St[falling] * rng.uniform(0.5, 1.5, falling.size))
    )

    Y = np.array([robot.regressor(*s) for s in zip(motion.q, motion.v, motion.a, strict=True)])
    Y, drops = base.reduced(Y), friction_columns(rows)[:, 2]

    def residual(x):
        """Another way to the same torque, sample by sample."""
        speeds = law.v_St.copy()
        speeds[falling] = np.exp(x[p:])
        unit = Stribeck(np.ones(6), np.zeros(6), np.zeros(6), speeds)
        others = Y.copy()
        others[:, np.arange(6), drops] = 0.0
        drop = np.array([unit.torque(v) for v in motion.v]) * x[drops]
        return ((others @ x[:p] + drop - motion.tau) / noise).ravel()

    step = 1e-6
    jacobian = np.transpose(
        [(residual(x + step * e) - residual(x - step * e)) / (2.0 * step) for e in np.eye(x.size)]
    )
    actual, expected = model.residual(noise, x), residual(x)
    assert actual.size < expected.size
    folded = model.jacobian(noise, x)
    assert actual @ actual == pytest.approx(expected @ expected, rel=1e-12)
    scale = np.linalg.norm(jacobian, axis=0)
    np.testing.assert_allclose(
        folded.T @ folded / np.outer(scale, scale),
        jacobian.T @ jacobian / np.outer(scale, scale),
        atol=1e-8,
    )
    np.testing.assert_allclose(
        folded.T @ actual / scale, jacobian.T @ expected / scale, atol=1e-8 * np.abs(expected).max()
    )
    np.testing.assert_allclose(
        model.noise(x),
        noise * np.sqrt(np.square(expected.reshape(-1, 6)).sum(axis=0) / (60 - x.size / 6)),
        rtol=1e-12,
    )
    speeds = np.append(x[:p], np.exp(x[p:]))
    near = StribeckEquations(rows, speeds, tuple(falling.tolist()))
    direct, fast = accumulate(Samples.of(motion), near), model.accumulated(speeds, near)
    assert (fast.samples, fast.names) == (direct.samples, direct.names)
    linear = accumulate(
        Samples.of(motion), TorqueEquations(at(robot, falling, np.exp(x[p:])), base)
    )
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
