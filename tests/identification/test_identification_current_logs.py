"""Bandwidth and delay of logs with currents of unknown gains."""

import any_arms as arms
import numpy as np
import pytest

import irbmodels as irb
from irbmodels.identification.fits import Samples, identify_gains, known_load
from irbmodels.identification.validation import prepare_current_logs, prepare_logs, usable_segments

GAIN = np.array([12.0, -9.0, 5.0])  # [N m/A]
COM = (0.05, 0.0, 0.02)
KNOWN = known_load(3.0, COM, frame="tcp")


def late(log, samples):
    """The log with torques so many samples later, 5 ms each."""
    last = len(log) - samples
    moved = log.select(slice(samples, None))
    return moved.changed(tau=np.array(log.tau)[:last])


def of_currents(log):
    currents = {f"current{i + 1}_A": x for i, x in enumerate((log.tau / GAIN).T)}
    return log.changed(tau=None, extra=currents)


@pytest.fixture(scope="module")
def logs():
    """Torques without and with a payload, 10 ms late."""
    carrying = arms.truth().with_payload(irb.payload(3.0, COM))
    return [late(arms.log(seed, robot=robot), 2) for seed, robot in ((1, None), (2, carrying))]


def gains_of(prepared):
    parts = (prepared.estimation, prepared.held_out)
    samples = [Samples.of(*usable_segments(part, range(3))) for part in parts]
    return identify_gains(*samples, arms.truth(), KNOWN)


def test_currents_choose_what_torques_would(logs):
    """Bandwidth and delay are those that the torques show; with the delay gains are the true ones,
    and residuals those of the sensors.
    """
    by_torque = prepare_logs(arms.truth(), [logs[0]])
    pair = [[of_currents(log)] for log in logs]
    prepared = prepare_current_logs(arms.truth(), *pair, KNOWN)
    assert prepared.bandwidth == by_torque.bandwidth
    np.testing.assert_allclose(prepared.late, 0.010, atol=5e-4)
    np.testing.assert_allclose(prepared.late, by_torque.late, atol=1e-4)
    assert any("corrected: axis 1 by" in str(finding) for finding in prepared.findings)
    known = gains_of(prepared)
    np.testing.assert_allclose(known.gain, GAIN, rtol=0.02)
    np.testing.assert_allclose(known.noise, arms.SIGMA / np.abs(GAIN), rtol=0.05)
    at_once = gains_of(prepare_current_logs(arms.truth(), *pair, KNOWN, late=0.0))
    assert (at_once.noise > 1.1 * known.noise).any()


def test_what_is_given_is_taken(logs):
    """Bandwidth and delays as they are; one of them leaves the other to the logs."""
    pair = [[of_currents(log)] for log in logs]
    delays = [0.0, 0.010, 0.010]
    given = prepare_current_logs(arms.truth(), *pair, KNOWN, bandwidth=8.0, late=delays)
    assert (given.bandwidth, given.late.tolist(), given.findings) == (8.0, delays, ())
    other = prepare_current_logs(arms.truth(), *pair, KNOWN, bandwidth=8.0)
    assert other.bandwidth == 8.0
    np.testing.assert_allclose(other.late, 0.010, atol=5e-4)


def test_logs_that_tell_no_gain_are_prepared_as_usual(logs):
    """Both logs without the payload: nothing is chosen, and a finding says why."""
    pair = [[of_currents(logs[0])], [of_currents(late(arms.log(3), 2))]]
    prepared = prepare_current_logs(arms.truth(), *pair, KNOWN)
    assert (prepared.bandwidth, prepared.late.any()) == (10.0, False)
    assert "bandwidth 10 Hz and delays are not chosen from the logs: " in str(prepared.findings[-1])
