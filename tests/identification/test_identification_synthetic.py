"""Synthetic logs: what the sensors do to a run is what was asked, and nothing else; every log says
that it is synthetic.
"""

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.identification.recordings import (
    Flag,
    Sensors,
    estimate_delay,
    exact_run,
    read_recording,
    simulate_log,
    simulate_tracking,
    synthetic_recording,
)
from irbmodels.simulation import run_of
from irbmodels.simulation.flexible import Drive, FlexibleRobot
from irbmodels.trajectory import Motion, move

START, END = np.array([0.0, 0.1, 0.0, 0.0, 0.5, 0.0]), np.array([0.5, 0.4, 0.3, 0.4, 0.9, 0.8])


@pytest.fixture(scope="module")
def robot():
    return irb.load("irb2400")


@pytest.fixture(scope="module")
def run(robot):
    """Two seconds of something smooth, finely sampled, with torques that are no model's."""
    t = np.arange(0.0, 4.0, 0.0005)
    q = 0.3 * np.sin(t[:, None] + np.arange(6))
    return run_of(robot, Motion(t, q, None, None, 20.0 * np.sin(3.0 * t[:, None]) + np.arange(6)))


def test_ideal_sensors_show_the_run(run):
    """Without noise the log is the run at its own rate, labelled synthetic, and says from what."""
    log = simulate_log(run, Sensors(rate=200.0))
    assert log.step == pytest.approx(0.005)
    np.testing.assert_allclose(log.q, 0.3 * np.sin(log.t[:, None] + np.arange(6)), atol=1e-7)
    np.testing.assert_allclose(
        log.tau, 20.0 * np.sin(3.0 * log.t[:, None]) + np.arange(6), atol=1e-4
    )
    assert log.synthetic
    assert str(log.findings[0]).startswith("synthetic: simulated irb2400_16, Sensors(rate=200.0")
    assert log.v is None


def test_encoders_count(run):
    """Positions are whole counts from an offset, half a count from the truth at most, evenly so."""
    counts = np.array([2**12, 2**13, 2**14, 2**15, 2**16, 2**17])
    log = simulate_log(run, Sensors(counts=counts))
    size = 2.0 * np.pi / counts
    for axis in range(6):
        values = np.unique(log.q[:, axis])
        np.testing.assert_allclose(
            np.diff(values) / size[axis], np.round(np.diff(values) / size[axis]), atol=1e-6
        )
    off = (log.q - 0.3 * np.sin(log.t[:, None] + np.arange(6))) / size
    assert np.abs(off - np.round(off.mean(axis=0))).max() < 1.01
    # uniform over a count
    assert np.std(off, axis=0) == pytest.approx(np.sqrt(1.0 / 12.0), rel=0.1)


def test_noise_of_torques_is_as_large_as_asked(run):
    """Per axis, white, without mean; another seed is other noise, the same seed the same."""
    noise = np.array([1.0, 2.0, 0.5, 0.1, 0.2, 0.3])
    log, exact = (
        simulate_log(run, Sensors(torque_noise=noise), seed=3),
        simulate_log(run, Sensors()),
    )
    off = log.tau - exact.tau
    np.testing.assert_allclose(off.std(axis=0), noise, rtol=0.1)  # 1000 samples: 2 % each
    assert (np.abs(off.mean(axis=0)) < 0.15 * noise).all()
    assert (np.abs((off[1:] * off[:-1]).mean(axis=0)) < 0.15 * noise**2).all()
    np.testing.assert_array_equal(
        simulate_log(run, Sensors(torque_noise=noise), seed=3).tau, log.tau
    )
    assert (simulate_log(run, Sensors(torque_noise=noise), seed=4).tau != log.tau).any()


def test_the_delay_of_torques_is_what_a_correlation_finds(run):
    """Torques 6.5 ms late; positions are not."""
    log, exact = simulate_log(run, Sensors(torque_delay=0.0065)), simulate_log(run, Sensors())
    late = estimate_delay(log.tau[5:, 0], exact.tau[5:, 0], 0.004, most=0.1)
    # straight lines between the run's samples
    assert late.seconds == pytest.approx(0.0065, abs=2e-5)
    np.testing.assert_array_equal(log.q, exact.q)


def test_resolution_limit_loss_and_spikes(run):
    """Each does what its name says."""
    log = simulate_log(run, Sensors(torque_step=0.25, torque_limit=[15.0] * 6))
    np.testing.assert_allclose(log.tau / 0.25, np.round(log.tau / 0.25))
    assert np.abs(log.tau).max() == 15.0
    lost = simulate_log(run, Sensors(lost=0.1))
    assert 0.05 < 1.0 - len(lost) / 1000.0 < 0.15
    assert (np.diff(lost.t) > 0.0079).any()
    spiky = simulate_log(run, Sensors(spikes=0.01, torque_noise=0.1))
    hit = np.abs(spiky.tau - simulate_log(run, Sensors(torque_noise=0.1)).tau) > 1.0
    assert 0.005 < hit.mean() < 0.015
    jitter = simulate_log(run, Sensors(jitter=0.0003))
    assert np.std(np.diff(jitter.t)) == pytest.approx(np.sqrt(2.0) * 0.0003, rel=0.1)


def test_speeds_are_differences_of_readings(run):
    """As a controller has them: noise of counts times the rate."""
    log = simulate_log(run, Sensors(counts=2**14, speed=True))
    np.testing.assert_allclose(log.v[1:], np.diff(log.q, axis=0) * 250.0)


def test_the_torques_of_the_model_follow_its_own_equation(robot):
    """The fast way: inverse dynamics along the motion, friction included."""
    motion = move(START, END, duration=1.0).sample(250.0)
    log = synthetic_recording(robot, motion, controller=False)
    np.testing.assert_allclose(
        log.tau, robot.inverse_dynamics(motion.q, motion.v, motion.a), atol=1e-9
    )
    assert "torques by the model" in log.source
    with pytest.raises(irb.InputError, match="needs its controller"):
        synthetic_recording(robot, motion, controller=False, friction=robot.friction_model)


def test_a_controller_follows_with_true_stiction(robot):
    """It stays near the motion; at rest the arm holds exactly, although the torque is not that of
    gravity.
    """
    moving = move(START, END, duration=0.6).sample(500.0)
    rest = Motion(
        np.arange(1, 60) * 0.002 + 0.6,
        *(np.tile(x[-1], (59, 1)) for x in (moving.q, moving.v, moving.a)),
    )
    motion = Motion.joined([moving._replace(tau=None), rest])
    # bare, axis 6 is lighter than any real one, and its friction wins
    robot = robot.with_rotors([8.0, 8.0, 8.0, 1.0, 1.0, 1.0])
    run = simulate_tracking(robot, motion, model=robot.with_payload(irb.payload(3.0)))
    wanted = np.stack([np.interp(run.t, motion.t, column) for column in motion.q.T], axis=1)
    assert 1e-4 < np.abs(run.q - wanted).max() < 0.02
    still = run.v == 0.0
    assert still[-10:].any()
    pushed = np.abs(run.tau - robot.gravity(run.q))[-1]
    assert (pushed <= robot.friction_model.Fs + 1e-6)[still[-1]].all()
    assert pushed[still[-1]].max() > 0.1
    log = simulate_log(run, Sensors(counts=2**20))
    assert log.synthetic
    assert not log.has(Flag.NO_TORQUE).any()


def test_encoders_of_an_elastic_arm_sit_on_its_motors():
    """Positions in the log are those of the motors, ahead of the links by torque over stiffness."""
    drives = [Drive(6e4, 8.0, damping=400.0), *[None] * 5]
    arm = FlexibleRobot(irb.load("irb1400"), drives)
    motion = move(START, START + 0.05 * np.eye(6)[0], duration=0.15).sample(500.0)
    run = simulate_tracking(arm, motion)
    log = simulate_log(run, Sensors(rate=500.0))
    np.testing.assert_allclose(log.q[:, 0], np.interp(log.t, run.t, run["theta"][:, 0]), atol=1e-12)
    assert np.abs(log.q[:, 0] - np.interp(log.t, run.t, run.q[:, 0])).max() > 1e-4
    with pytest.raises(irb.InputError, match="needs its controller"):
        synthetic_recording(arm, motion, controller=False)


def test_files_say_synthetic(tmp_path, robot, run):
    """In CSV and Parquet a column says so, and a reader of the file knows."""
    for ending in ("csv", "parquet"):
        simulate_log(run).save(tmp_path / f"log.{ending}")
        assert read_recording(tmp_path / f"log.{ending}", robot).synthetic
    assert (tmp_path / "log.csv").read_text().splitlines()[0].endswith(",synthetic")


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"rate": 0.0}, "rate of sensors"),
        ({"lost": 0.9}, "lost of sensors"),
        ({"torque_delay": -0.1}, "torque_delay of sensors"),
        ({"jitter": 0.002}, "a jitter of 0.002 s"),
        ({"torque_noise": [1.0, 2.0]}, "torque_noise of sensors"),
        ({"torque_noise": -1.0}, "noise must not be negative"),
        ({"counts": 0.0}, "counts are positive"),
    ],
)
def test_sensors_that_cannot_be_are_refused(run, what, words):
    """One clear line each."""
    with pytest.raises(irb.InputError, match=words):
        simulate_log(run, Sensors(**what))


def test_motions_without_rates_are_refused(robot):
    """Torques need speeds and accelerations."""
    motion = Motion(np.arange(5.0), np.zeros((5, 6)))
    with pytest.raises(irb.InputError, match="needs a motion with speeds"):
        exact_run(robot, motion)
    with pytest.raises(irb.InputError, match="needs speeds"):
        simulate_tracking(robot, motion)
    with pytest.raises(irb.InputError, match="bandwidth and period"):
        simulate_tracking(robot, Motion(np.arange(5.0), *[np.zeros((5, 6))] * 3), bandwidth=0.0)
    with pytest.raises(irb.InputError, match="needs torques"):
        simulate_log(run_of(robot, motion))
