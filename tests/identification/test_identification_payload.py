from dataclasses import replace

import numpy as np
import pytest
from excited import SIGMA, random_states

import irbmodels as irb
from irbmodels import InputError, MissingData, UnknownName
from irbmodels.identification.fits import Samples, load_from_torques
from irbmodels.identification.recordings import Drives
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.robot.uncertainty import ParameterUncertainty

# S000 Tab. 4: kg, m, kg m^2 about the centre
SPINDLE = (12.7, [-0.0383, 0.0, 0.1293], np.diag([0.269, 0.274, 0.193]))


@pytest.fixture(scope="module")
def arms():
    return irb.load("irb2400"), irb.load("irb2400", tool="spindle")


def test_the_spindle_comes_out_of_the_torques(arms):
    """Torques of the arm with the spindle, less those of the bare arm, give S000 Tab. 4."""
    bare, armed = arms
    load = load_from_torques(Samples.of(random_states(armed, 100)), bare)
    assert load.frame == "tool0"
    assert load.mass == pytest.approx(SPINDLE[0], rel=1e-10)
    np.testing.assert_allclose(load.com, SPINDLE[1], atol=1e-11)
    np.testing.assert_allclose(load.inertia, SPINDLE[2], atol=1e-10)
    body = load.payload()
    again = irb.Tool("found", irb.load("irb2400", tool="spindle").tool.tcp, body)
    q = np.full(6, 0.3)
    np.testing.assert_allclose(bare.with_tool(again).gravity(q), armed.gravity(q), atol=1e-8)


@pytest.mark.parametrize("name", ["irb2400", "irb1400", "irb1600"])
def test_a_payload_on_the_tcp(name):
    """A payload on the spindle's TCP is told in its own frame; the spindle belongs to the robot."""
    armed = irb.load(name, tool="spindle")
    payload = irb.payload(
        4.0, [0.05, -0.02, 0.1], [[0.03, 0.002, 0.0], [0.002, 0.04, -0.001], [0.0, -0.001, 0.02]]
    )
    load = load_from_torques(
        Samples.of(random_states(armed.with_payload(payload), 100)), armed, "tcp"
    )
    assert load.mass == pytest.approx(4.0, rel=1e-9)
    np.testing.assert_allclose(load.com, payload.com, atol=1e-9)
    np.testing.assert_allclose(load.inertia, payload.tensor, atol=1e-9)


def test_still_poses_tell_the_centre_and_not_the_inertia(arms):
    """At rest mass and centre of mass are told, the inertia is NaN; the payload is then a point."""
    bare, armed = arms
    motion = random_states(armed, 40)
    none = np.zeros_like(motion.q)
    still = motion._replace(v=none, a=none, tau=np.array([armed.gravity(q) for q in motion.q]))
    load = load_from_torques(Samples.of(still), bare)
    assert load.mass == pytest.approx(12.7, rel=1e-10)
    np.testing.assert_allclose(load.com, SPINDLE[1], atol=1e-11)
    assert np.isnan(load.inertia).all()
    assert np.isnan(load.parameters[4:]).all()
    assert not load.payload().tensor.any()


def test_a_scara_tells_four_of_ten():
    """Axes that are all vertical tell mass, the place of the centre across them, and the inertia
    about them.
    """
    bare = irb.load("irb930")
    carrying = bare.with_payload(irb.payload(5.0, [0.02, 0.03, 0.05], np.diag([0.02, 0.03, 0.025])))
    load = load_from_torques(Samples.of(random_states(carrying, 60)), bare, "tcp")
    assert load.parameters[0] == pytest.approx(5.0, rel=1e-9)
    np.testing.assert_allclose(load.parameters[1:3], [0.1, 0.15], atol=1e-9)
    assert load.parameters[9] == pytest.approx(0.025 + 5.0 * (0.02**2 + 0.03**2), rel=1e-9)
    assert np.isnan(load.parameters[3:9]).all()
    with pytest.raises(MissingData, match="do not tell mz"):
        load.payload()


def test_only_sums_are_told_of_what_goes_together():
    """About axes held still some parameters are told only in sums: those are NaN, and the others
    are right.
    """
    bare = irb.load("irb1600")
    carrying = bare.with_payload(irb.payload(5.0, [0.02, 0.03, 0.05], np.diag([0.02, 0.03, 0.025])))
    load = load_from_torques(Samples.of(random_states(carrying, 60, axes=(1,))), bare, "tcp")
    known = np.isfinite(load.parameters)
    assert not known.all()
    body = irb.payload(5.0, [0.02, 0.03, 0.05], np.diag([0.02, 0.03, 0.025]))
    first, about = (
        body.mass * body.com,
        body.tensor + body.mass * (body.com @ body.com * np.eye(3) - np.outer(body.com, body.com)),
    )
    ten = np.array(
        [
            body.mass,
            *first,
            *(about[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))),
        ]
    )
    np.testing.assert_allclose(load.parameters[known], ten[known], atol=1e-8)


def test_deviations_say_how_far_it_is_off(arms):
    """Over 60 noisy logs the errors of mass and centre are as large as their deviations say."""
    _, armed = arms
    motion, errors = random_states(armed, 60), []
    for seed in range(60):
        bare = irb.load("irb2400")  # a new one each time, which compiles nothing
        noisy = motion._replace(
            tau=motion.tau + SIGMA * np.random.default_rng(seed).normal(size=motion.tau.shape)
        )
        load = load_from_torques(Samples.of(noisy), bare)
        errors.append(
            [
                (load.mass - 12.7) / load.mass_deviation,
                *((load.com - SPINDLE[1]) / load.com_deviation),
            ]
        )
    np.testing.assert_allclose(np.std(errors, axis=0), 1.0, atol=0.3)  # 3 sigma of 60 repeats


def test_other_frames_are_refused(arms):
    """A load is on tool0 or on the TCP."""
    bare, armed = arms
    with pytest.raises(UnknownName, match="link_3"):
        load_from_torques(Samples.of(random_states(armed, 20)), bare, "link_3")
    with pytest.raises(InputError, match="too few"):
        load_from_torques(Samples.of(random_states(armed, 1)), bare)


def test_what_the_set_of_the_arm_leaves_open_is_in_the_deviations(arms):
    """An error of the arm's own parameters along one direction, and one of a gain, move the load
    as far as their shares of its deviations say.
    """
    bare, armed = arms
    rng, motion = np.random.default_rng(4), random_states(armed, 300)
    noisy = motion._replace(tau=motion.tau + 0.5 * SIGMA * rng.normal(size=motion.tau.shape))
    base = base_parameters(bare, friction=True)
    e = 1e-3 * rng.normal(size=base.rank)
    known = ParameterUncertainty.of(
        np.outer(e, e),
        names=base.names,
        degrees=100.0,
        axes=base.axes,
        noise=np.ones(6),
        correlation_time=np.ones(6),
    )
    unsure = replace(bare, _bare=replace(bare._bare, uncertainty=known))
    off = base.reduced(bare.regressor(motion.q, motion.v, motion.a)) @ e
    plain = load_from_torques(Samples.of(noisy), bare)
    moved = load_from_torques(Samples.of(noisy._replace(tau=noisy.tau - off)), bare)
    doubtful = load_from_torques(Samples.of(noisy), unsure)
    np.testing.assert_array_equal(doubtful.parameters, plain.parameters)
    added, move = doubtful.covariance - plain.covariance, moved.parameters - plain.parameters
    scale = np.sqrt(np.diagonal(plain.covariance))
    np.testing.assert_allclose(
        added / np.outer(scale, scale), np.outer(move / scale, move / scale), rtol=0.05, atol=1e-3
    )
    drives = Drives.unknown(6).with_gains(np.ones(6), np.full((6, 6), 1e-4))
    common = load_from_torques(Samples.of(noisy), bare, drives=drives)
    assert common.mass_deviation**2 - plain.mass_deviation**2 == pytest.approx(
        (0.01 * plain.mass) ** 2, rel=1e-6
    )
    tilted = unsure.mounted([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    still = bare.mounted([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    one, other = (load_from_torques(Samples.of(noisy), robot) for robot in (tilted, still))
    np.testing.assert_array_equal(one.covariance, other.covariance)
