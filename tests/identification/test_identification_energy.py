from itertools import pairwise

import numpy as np
import pytest
from excited import SIGMA, excitation, inner

import irbmodels as irb
from irbmodels import InputError
from irbmodels.identification.fits import (
    EnergyEquations,
    Samples,
    TorqueEquations,
    accumulate,
    least_squares,
    weighted_least_squares,
)
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.trajectory import Motion


@pytest.fixture(scope="module")
def arm():
    robot = irb.load("irb930")
    return robot, base_parameters(robot), excitation(robot, 5.0), excitation(robot, 5.0, seed=4)


def split_recording(motion):
    """The motion at half its rate."""
    return motion.each(lambda x: x[::2])


def test_exact_energies_give_the_base_parameters(arm):
    """Without any acceleration the base parameters come back, up to Simpson's error: the 4th power
    of the step.
    """
    robot, base, *motions = arm
    truth, errors = base.values(robot.parameter_vector()), []
    for thinned in (motions, [split_recording(motion) for motion in motions]):
        logs = Samples.of(*(motion._replace(a=None) for motion in thinned))
        fit = least_squares(accumulate(logs, EnergyEquations(robot, base, 10)))
        errors.append(np.abs(fit.beta - truth).max() / np.abs(truth).max())
    assert errors[0] < 1e-6
    assert 10.0 < errors[1] / errors[0] < 40.0  # 16 for Simpson, give or take where windows end


def test_energy_and_torques_agree(arm):
    """On the same noisy log both equations give the same parameters within their intervals; those
    of the torques are narrower.
    """
    robot, base, one, two = arm
    rng = np.random.default_rng(0)
    logs = Samples.of(
        *(m._replace(tau=m.tau + SIGMA[:4] * rng.normal(size=m.tau.shape)) for m in (one, two))
    )
    by_torque = weighted_least_squares(accumulate(logs, TorqueEquations(robot, base)))
    by_energy = least_squares(accumulate(logs, EnergyEquations(robot, base, 10, by_torque.noise)))
    far = np.abs(by_energy.beta - by_torque.beta) / np.hypot(
        by_energy.deviation, by_torque.deviation
    )
    assert far.max() < 4.0
    assert (by_torque.deviation < by_energy.deviation).all()
    # in units of the noise of the torques; Simpson's weights add 5 %
    assert by_energy.noise[0] == pytest.approx(1.0, abs=0.1)


def test_friction_is_the_work_that_is_lost():
    """Viscous, Coulomb and Stribeck friction come out of the energy balance."""
    robot = irb.load("irb2400", tool="spindle")
    base = base_parameters(robot, friction=True)
    motion = inner(excitation(robot))
    fit = least_squares(
        accumulate(
            Samples.of(motion, inner(excitation(robot, seed=8))), EnergyEquations(robot, base, 10)
        )
    )
    truth = base.values(robot.parameter_vector())
    rubbing = [i for i, name in enumerate(base.names) if name.startswith(("Fv", "Fc"))]
    np.testing.assert_allclose(
        fit.beta[rubbing], truth[rubbing], rtol=0.05, atol=0.3
    )  # kinks at reversals: first order in the step
    known = base_parameters(robot)
    rigid = least_squares(accumulate(Samples.of(motion), EnergyEquations(robot, known, 10)))
    heavy = np.abs(known.values(robot.parameter_vector())).argmax()
    assert rigid.beta[heavy] == pytest.approx(
        known.values(robot.parameter_vector())[heavy], rel=0.05
    )


def test_cutting_into_pieces_changes_nothing(arm):
    """Windows run across the pieces of a log; a rest shorter than a window is left out."""
    robot, base, motion, _ = arm
    motion, rows = motion.each(lambda x: x[:203]), EnergyEquations(robot, base, 6)
    ends = [0, 1, 5, 100, 101, 180, 203]
    pieces = [motion.each(lambda x: x[i:j]) for i, j in pairwise(ends)]
    (Y, y), (Z, z) = (
        [np.concatenate(part) for part in zip(*rows(given), strict=True)]
        for given in ([motion], pieces)
    )
    assert Y.shape == ((203 - 1) // 6, 1, base.rank)
    np.testing.assert_allclose(Z, Y, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(z, y, rtol=1e-12, atol=1e-12)


def test_each_row_is_an_energy_balance(arm):
    """Work is the gain of energy, by the robot's own energies."""
    robot, base, motion, _ = arm
    Y, y = next(iter(EnergyEquations(robot, base, 20)([motion.each(lambda x: x[:101])])))
    energy = [sum(robot.energy(motion.q[k], motion.v[k])) for k in range(0, 101, 20)]
    gained = Y[:, 0] @ base.values(robot.parameter_vector())
    np.testing.assert_allclose(gained, np.diff(energy), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(y[:, 0], gained, rtol=1e-5, atol=1e-6)  # Simpson's rule at 250 Hz


def test_standing_still_says_nothing(arm):
    """Windows in which nothing moves are left out, not divided by their noise of 0."""
    robot, base, _, _ = arm
    still = Motion(
        np.arange(41) / 250.0, np.zeros((41, 4)), np.zeros((41, 4)), None, np.ones((41, 4))
    )
    Y, y = next(iter(EnergyEquations(robot, base, 10, SIGMA[:4])([still])))
    assert Y.shape == (0, 1, base.rank)
    assert y.shape == (0, 1)


def test_masked_torques_of_a_moving_axis_cost_their_windows(arm):
    """The two windows of ten steps around sample 40, which they share, and the one of sample 77 are
    left out; all others are as they were.
    """
    robot, base, motion, _ = arm
    motion = motion.each(lambda x: x[:201])
    rows = EnergyEquations(robot, base, 10)
    Y, y = next(iter(rows([motion])))
    tau = np.array(motion.tau)
    tau[40, 1] = tau[77, 0] = np.nan
    left, work = next(iter(rows([motion._replace(tau=tau)])))
    kept = np.delete(np.arange(20), [3, 4, 7])
    np.testing.assert_array_equal(left, Y[kept])
    np.testing.assert_array_equal(work, y[kept])


@pytest.mark.parametrize(("path", "count"), [(0.9e-4, 5), (1.1e-4, 4)])
def test_masked_torques_of_an_axis_at_rest_cost_nothing(arm, path, count):
    """Its work is less than noise: the sum over the others is that of the log without its motion."""
    robot, base, _, _ = arm
    t = np.arange(51) / 250.0
    v = np.zeros((51, 4))
    v[:, 0], v[20:30, 1] = 0.5, path / 10 * 250.0
    q = np.zeros((51, 4))
    q[:, 0] = 0.5 * t
    tau = np.tile([3.0, 0.0, 0.0, 0.0], (51, 1))
    tau[:, 1] = np.where(np.arange(51) == 25, np.nan, 0.0)
    _, work = next(iter(EnergyEquations(robot, base, 10)([Motion(t, q, v, None, tau)])))
    np.testing.assert_allclose(work[:, 0], 3.0 * 0.5 * 0.04, rtol=1e-12)
    assert len(work) == count


@pytest.mark.parametrize("window", [0, 3, -2, 2.0])
def test_a_window_is_even(arm, window):
    """Simpson's rule takes an even number of steps."""
    robot, base, _, _ = arm
    with pytest.raises(InputError, match="even number"):
        EnergyEquations(robot, base, window)


def test_times_grow(arm):
    """A log whose time stands still is refused."""
    robot, base, motion, _ = arm
    with pytest.raises(InputError, match="times must grow"):
        list(EnergyEquations(robot, base, 10)([motion._replace(t=0.0 * motion.t)]))
