import any_arms
import numpy as np
import pytest
from excited import torques

import irbmodels as irb
from irbmodels import InputError, UnknownName
from irbmodels.identification.fits import (
    Load,
    Samples,
    TorqueEquations,
    accumulate,
    identify_gains,
    known_load,
    load_from_two_logs,
    weighted_least_squares,
    with_blocks,
    with_gain_deviations,
)
from irbmodels.identification.recordings import Drives
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.trajectory import Motion

GAIN = np.array([12.0, -9.0, 5.0])  # [N m/A] of swing, shoulder and elbow
PAYLOAD = irb.payload(3.0, [0.1, 0.05, 0.02], np.diag([0.02, 0.03, 0.025]))


@pytest.fixture(scope="module")
def arm():
    return any_arms.truth()


def smooth(arm, count, seed):
    """A motion of sums of sines, a sample every 10 ms."""
    rng, t = np.random.default_rng(seed), 0.01 * np.arange(count)
    w, phase = rng.uniform(0.8, 3.0, (5, 1, arm.n)), rng.uniform(0.0, 6.28, (5, 1, arm.n))
    size = rng.uniform(0.2, 0.5, (5, 1, arm.n))
    angle = w * t[:, None] + phase
    q, v, a = (
        (size * factor).sum(axis=0)
        for factor in (np.sin(angle), w * np.cos(angle), -w * w * np.sin(angle))
    )
    return Motion(t, q, v, a, torques(arm, q, v, a))


def coloured(rng, shape, memory=12):
    """Noise of deviation 1 whose neighbours are alike over some samples."""
    white = rng.normal(size=(shape[0] + memory, shape[1]))
    return np.stack(
        [np.convolve(x, np.ones(memory) / np.sqrt(memory), "valid")[: shape[0]] for x in white.T],
        axis=1,
    )


@pytest.fixture(scope="module")
def motions(arm):
    """Motions without and with the payload, torques by Pinocchio."""
    return smooth(arm, 1600, 1), smooth(arm.with_payload(PAYLOAD), 1600, 2)


def in_amperes(motion, noise=0.0):
    return motion._replace(tau=motion.tau / GAIN + noise)


def test_a_known_payload_tells_every_gain_exactly(arm, motions):
    """Without noise the gains come out with their signs, with the rest of the payload as far as
    these axes tell it.
    """
    for payload in (
        known_load(3.0, frame="tcp"),
        known_load(3.0, PAYLOAD.com, PAYLOAD.tensor, frame="tcp"),
    ):
        logs = [Samples.of(in_amperes(motion)) for motion in motions]
        found = identify_gains(*logs, arm, payload)
        np.testing.assert_allclose(found.gain, GAIN, rtol=1e-6)
        assert found.load.mass == 3.0
        np.testing.assert_allclose(found.load.com, PAYLOAD.com, atol=1e-6)
        assert (found.deviation < 1e-5).all()


@pytest.mark.parametrize("seed", range(3))
def test_logs_without_the_payload_tell_no_gain(arm, motions, seed):
    """Two logs of the bare arm leave every gain open, and that is said."""
    rng = np.random.default_rng(seed)
    logs = [
        Samples.of(in_amperes(motion, 0.05 * rng.normal(size=motion.tau.shape)))
        for motion in (motions[0], smooth(arm, 1600, 4))
    ]
    with pytest.raises(InputError, match=r"without it|second log alone"):
        identify_gains(*logs, arm, known_load(3.0, frame="tcp"))


def test_intervals_hold_where_noise_is_coloured(arm, motions):
    """Of 40 pairs of logs with coloured noise 90 to 99 % of the intervals of gains, and of the mass
    from the true gains, hold the truth; those of white noise hold far less of them.
    """
    rng, inside, masses, white = np.random.default_rng(5), [], [], []
    amperes = np.array([0.1, 0.15, 0.1])
    known = known_load(3.0, PAYLOAD.com, PAYLOAD.tensor, frame="tcp")
    base = base_parameters(arm, friction=True)
    rows, beta = TorqueEquations(arm, base), base.values(arm.parameter_vector())
    for _ in range(40):
        logs = [in_amperes(motion, amperes * coloured(rng, motion.tau.shape)) for motion in motions]
        found = identify_gains(*(Samples.of(log) for log in logs), arm, known)
        inside.append(np.abs(found.gain / GAIN - 1.0) < 2.07 * found.deviation)
        turned = [Samples.of(log._replace(tau=log.tau * GAIN)) for log in logs]
        low, high = load_from_two_logs(*turned, arm, "tcp").mass_interval()
        masses.append(low < 3.0 < high)
        plain = weighted_least_squares(accumulate(turned[0], rows))
        white.append(
            [
                (np.abs(fit.intervals()[:, 1] - fit.beta) > np.abs(fit.beta - beta)).mean()
                for fit in (plain, with_blocks(plain, turned[0], rows))
            ]
        )
    assert 0.88 <= np.mean(inside) <= 0.99
    assert 0.88 <= np.mean(masses) <= 1.0
    few, blocks = np.mean(white, axis=0)
    assert few < 0.6
    assert 0.93 <= blocks <= 0.98


def test_deviations_of_what_is_known_are_carried(arm, motions):
    """A mass known to 2 % leaves all gains uncertain by 2 % together; gains uncertain by 2 %
    together leave the mass uncertain by 2 %. One gain moves the mass as its deviation says.
    """
    logs = [Samples.of(in_amperes(motion)) for motion in motions]
    found = identify_gains(*logs, arm, known_load(3.0, mass_deviation=0.06, frame="tcp"))
    np.testing.assert_allclose(found.deviation, 0.02, rtol=1e-3)
    np.testing.assert_allclose(found.covariance / found.covariance[0, 0], 1.0, rtol=1e-3)
    assert found.load.mass_deviation == pytest.approx(0.06)
    drives = found.drives()
    turned = [Samples.of(m._replace(tau=drives.torques(m.tau / GAIN))) for m in motions]
    load = load_from_two_logs(*turned, arm, "tcp", drives)
    assert load.mass_deviation == pytest.approx(0.06, rel=1e-3)
    shoulder = Drives.unknown(3).with_gains(GAIN, np.diag([0.0, 1e-3, 0.0]) ** 2)
    noisy = np.random.default_rng(2).normal(size=(2, 1600, 3)) * 0.05
    pairs = [
        [
            Samples.of(m._replace(tau=(m.tau + e) * factor))
            for m, e in zip(motions, noisy, strict=True)
        ]
        for factor in (np.ones(3), np.array([1.0, 1.001, 1.0]))
    ]
    one, other = (load_from_two_logs(*pair, arm, "tcp").mass for pair in pairs)
    with_gain = load_from_two_logs(*pairs[0], arm, "tcp", shoulder).mass_deviation
    without = load_from_two_logs(*pairs[0], arm, "tcp").mass_deviation
    assert np.sqrt(with_gain**2 - without**2) == pytest.approx(abs(other - one), rel=0.05)


def test_an_axis_that_does_not_feel_the_payload_is_not_told(arm):
    """Logs that keep swing still and level tell nothing of its gain."""
    still = []
    for motion, robot in zip(
        (smooth(arm, 400, 3), smooth(arm, 400, 4)), (arm, arm.with_payload(PAYLOAD)), strict=True
    ):
        q, v, a = (x * [0.0, 1.0, 1.0] for x in (motion.q, motion.v, motion.a))
        tau = torques(robot, q, v, a) * [0.0, 1.0, 1.0]
        tau[:, 0] = 1e-3 * np.random.default_rng(0).normal(size=400)
        still.append(Samples.of(in_amperes(Motion(motion.t, q, v, a, tau))))
    found = identify_gains(*still, arm, known_load(3.0, frame="tcp"))
    assert np.isnan(found.gain[0])
    np.testing.assert_allclose(found.gain[1:], GAIN[1:], rtol=1e-5)
    assert np.isnan(found.covariance[0]).all()


def test_a_known_load_is_what_a_body_has():
    """Ten parameters about the frame, with the deviations of their derivatives."""
    load = known_load(
        2.0, [0.1, 0.2, -0.1], np.diag([0.01, 0.02, 0.03]), mass_deviation=0.1, com_deviation=0.01
    )
    about = np.diag([0.01, 0.02, 0.03]) + 2.0 * (
        0.06 * np.eye(3) - np.outer([0.1, 0.2, -0.1], [0.1, 0.2, -0.1])
    )
    entries = about[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    np.testing.assert_allclose(load.parameters, [2.0, 0.2, 0.4, -0.2, *entries], atol=1e-12)
    rng = np.random.default_rng(1)
    draws = []
    for _ in range(4000):
        m, c = 2.0 + 0.1 * rng.normal(), [0.1, 0.2, -0.1] + 0.01 * rng.normal(size=3)
        draws.append([m, *(m * c), m * (c[1] ** 2 + c[2] ** 2), -m * c[0] * c[1]])
    # the tensor about the centre does not depend on mass and centre
    np.testing.assert_allclose(load.inertia_deviation, 0.0, atol=1e-6)
    root = 1e-3 * rng.normal(size=(10, 10))
    scattered = load.parameters + rng.normal(size=(4000, 10)) @ root.T
    tensors = [Load("tool0", one, np.zeros((10, 10))).inertia for one in scattered]
    spread = Load("tool0", load.parameters, root @ root.T).inertia_deviation
    np.testing.assert_allclose(spread, np.std(tensors, axis=0), rtol=0.06)
    sizes = np.sqrt(np.diagonal(load.covariance)[:6])
    np.testing.assert_allclose(np.std(draws, axis=0), sizes, rtol=0.06)
    part = known_load(2.0, frame="tcp")
    assert part.mass == 2.0
    assert np.isnan(part.parameters[1:]).all()


def test_what_cannot_be_is_refused(arm, motions):
    """Loads, frames, drives and samples that do not fit."""
    for arguments, message in (
        ({"mass": 0.0}, "positive"),
        ({"mass": 1.0, "mass_deviation": -1.0}, "not be negative"),
        ({"mass": 1.0, "inertia": np.eye(3)}, "give com as well"),
    ):
        with pytest.raises(InputError, match=message):
            known_load(**arguments)
    one, other = (Samples.of(motion) for motion in motions)
    with pytest.raises(UnknownName):
        load_from_two_logs(one, other, arm, "base")
    with pytest.raises(InputError, match="drives of 4 axes"):
        load_from_two_logs(one, other, arm, "tcp", Drives.unknown(4))
    short = Samples.of(motions[0].each(lambda x: x[:5]))
    with pytest.raises(InputError, match="too few"):
        load_from_two_logs(short, short, arm, "tcp")
    rows = TorqueEquations(arm, base_parameters(arm, friction=True))
    few = Samples.of(motions[0].each(lambda x: x[:23]))
    fit = weighted_least_squares(accumulate(few, rows))
    with pytest.raises(InputError, match="23 samples make no 24 blocks"):
        with_blocks(fit, few, rows)


def test_blocks_are_those_of_fits_without_them(arm, motions):
    """The covariance is that of 24 fits by numpy, each without one block of equal length; where
    segments are cut does not matter, and a masked torque counts nothing.
    """
    rng, motion = np.random.default_rng(3), motions[0].each(lambda x: x[:480])
    log = motion._replace(tau=motion.tau + coloured(rng, motion.tau.shape))
    log.tau[100:130, 1] = np.nan
    rows = TorqueEquations(arm, base_parameters(arm, friction=True))
    fit = weighted_least_squares(accumulate(Samples.of(log), rows))
    actual = with_blocks(fit, Samples.of(log), rows)
    Y, y = (np.concatenate(parts) for parts in zip(*rows([log]), strict=True))
    estimates = []
    for k in range(24):
        kept = np.ones(480, dtype=bool)
        kept[20 * k : 20 * (k + 1)] = False
        left, right = Y[kept] * np.sqrt(fit.weights)[:, None], y[kept] * np.sqrt(fit.weights)
        told = ~np.isnan(right)
        estimates.append(np.linalg.lstsq(left[told], right[told], rcond=None)[0])
    apart = np.array(estimates) - fit.beta
    np.testing.assert_allclose(actual.covariance, apart.T @ apart * 23.0 / 24.0, rtol=1e-6)
    assert actual.degrees == 23.0
    pieces = [log.each(lambda x, k=k: x[40 * k : 40 * (k + 1)]) for k in range(12)]
    cut = with_blocks(fit, Samples.of(*pieces), rows)
    np.testing.assert_allclose(cut.covariance, actual.covariance, rtol=1e-9)


def test_currents_of_coupled_drives(arm, motions):
    """Where drives turn with other axes as well, currents are those of torques at the drives, and
    gains and payload come out as before.
    """
    turns = np.array([[1.0, 0.3, 0.0], [0.0, 1.0, 0.2], [0.0, -0.4, 1.0]])
    coupled = arm.with_drives(turns)
    logs = []
    for motion, robot in zip(motions, (coupled, coupled.with_payload(PAYLOAD)), strict=True):
        tau = torques(robot.with_friction(None), motion.q, motion.v, motion.a)
        at_drives = tau @ np.linalg.inv(turns)  # tau = D' u
        w = motion.v @ turns.T
        at_drives += any_arms.Fc * np.sign(w) + any_arms.Fv * w
        logs.append(motion._replace(tau=at_drives / GAIN))
    found = identify_gains(
        *(Samples.of(log) for log in logs), coupled, known_load(3.0, frame="tcp")
    )
    np.testing.assert_allclose(found.gain, GAIN, rtol=1e-6)
    ratios = np.array([100.0, 80.0, -50.0])[:, None] * turns
    nan = np.full(3, np.nan)
    drives = Drives(ratio=ratios, gain=GAIN, gain_deviation=np.zeros(3), rotor=nan)
    turned = [Samples.of(log._replace(tau=drives.torques(log.tau))) for log in logs]
    load = load_from_two_logs(*turned, coupled, "tcp")
    assert load.mass == pytest.approx(3.0, rel=1e-6)
    np.testing.assert_allclose(load.com, PAYLOAD.com, atol=1e-6)


def test_a_gain_moves_estimates_as_its_deviation_says(arm, motions):
    """Deviations by one gain are the moves of fits by numpy to torques of a drive that is off by a
    thousandth; a common error of all gains scales every parameter.
    """
    rng, turns = np.random.default_rng(1), np.eye(3)
    turns[2, 1] = -0.4
    coupled = arm.with_drives(turns)
    q, v, a = motions[0].q, motions[0].v, motions[0].a
    tau = torques(coupled, q, v, a) + 0.3 * rng.normal(size=q.shape)
    rows = TorqueEquations(coupled, base_parameters(coupled, friction=True))

    def fitted(tau):
        (Y, y) = (
            np.concatenate(part) for part in zip(*rows([motions[0]._replace(tau=tau)]), strict=True)
        )
        return np.linalg.lstsq(
            (Y * np.sqrt(fit.weights)[:, None]).reshape(-1, Y.shape[2]),
            (y * np.sqrt(fit.weights)).ravel(),
            rcond=None,
        )[0]

    samples = Samples.of(motions[0]._replace(tau=tau))
    fit = weighted_least_squares(accumulate(samples, rows))
    for drive in range(3):
        own = np.diag(1e-6 * (np.arange(3) == drive))
        more = with_gain_deviations(fit, samples, rows, own, turns).covariance - fit.covariance
        at_drives = tau @ np.linalg.inv(turns)
        at_drives[:, drive] *= 1.001
        move = fitted(at_drives @ turns) - fitted(tau)
        scale = np.sqrt(np.diagonal(fit.covariance))
        np.testing.assert_allclose(
            more / np.outer(scale, scale), np.outer(move / scale, move / scale), atol=1e-6
        )
    common = with_gain_deviations(fit, samples, rows, np.full((3, 3), 4e-4), turns)
    added = common.covariance - fit.covariance
    np.testing.assert_allclose(added, 4e-4 * np.outer(fit.beta, fit.beta), rtol=1e-5, atol=1e-12)
    with pytest.raises(InputError, match=r"covariance of gains needs shape \(3, 3\)"):
        with_gain_deviations(fit, samples, rows, np.eye(2))
