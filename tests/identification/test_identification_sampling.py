"""Unequal steps, stamps that jitter, lost samples, late torques, coarse torques at rest."""

import numpy as np
import pytest

from irbmodels.errors import InputError
from irbmodels.identification.recordings import (
    Flag,
    Recording,
    butterworth,
    flag_outliers,
    flag_saturation,
    resample,
)
from irbmodels.identification.validation import prepare

FREQUENCIES = np.array([0.4, 1.1, 2.3])  # [Hz]
W = 2.0 * np.pi * FREQUENCIES


def motion(t):
    """Positions, speeds and accelerations of two axes at any times, ``(N, 2)`` each."""
    phase = np.array([[0.3, 1.0, 2.0], [1.5, 0.2, 0.9]])
    wave = np.asarray(t)[:, None, None] * W + phase
    return (
        (np.sin(wave) / W).sum(axis=2),
        np.cos(wave).sum(axis=2),
        (-W * np.sin(wave)).sum(axis=2),
    )


def unequal(count=2400, seed=0):
    """Times of steps of 10 ms, and of 12 ms where a controller skipped one of its 2 ms."""
    rng = np.random.default_rng(seed)
    return np.append(0.0, np.cumsum(np.where(rng.random(count - 1) < 0.33, 0.012, 0.010)))


def log_at(t, stamps=None, noise=2e-5, seed=1):
    rng = np.random.default_rng(seed)
    q = motion(t)[0] + noise * rng.normal(size=(len(t), 2))
    return Recording(t if stamps is None else stamps, q, tau=rng.normal(size=q.shape))


def errors(filtered, t):
    """Largest error of q, v, a away from the ends, over the largest value."""
    good = ~filtered.has(Flag.EDGE)[:, 0]
    assert good.mean() > 0.9
    return [
        np.abs(got[good] - true[good]).max() / np.abs(true).max()
        for got, true in zip((filtered.q, filtered.v, filtered.a), motion(t), strict=True)
    ]


def told(recording):
    return "\n".join(map(str, recording.findings))


def test_unequal_steps_keep_times_and_torques():
    """Motion at the log's own times, torques to the last bit, and words for it."""
    t = unequal()
    log = log_at(t)
    ready = prepare(log)
    np.testing.assert_array_equal(ready.t, t)
    np.testing.assert_array_equal(ready.tau, log.tau)
    # 1e-4 of the filter's own passband at 2.3 of 10 Hz; noise of 2e-5 rad in the acceleration
    q, v, a = errors(ready, t)
    assert (q, v, a) < (5e-4, 1e-3, 1e-2)
    assert a < 1e-2
    assert log.sampling == "about 93.8 Hz, unequal steps of 10 to 12 ms"
    assert "about 93.8 Hz, unequal steps of 10 to 12 ms: positions are filtered" in told(ready)
    expected = "resampled to 100 Hz from about 93.8 Hz, unequal steps of 10 to 12 ms"
    assert expected in told(resample(log, 100.0))
    assert Recording(np.arange(9) * 0.004, np.zeros((9, 1))).sampling == "250 Hz"


def test_a_fast_axis_at_unequal_steps_has_no_outliers():
    """Positions are looked at as logged: none is one, and a wrong one is found where it is."""
    t = unequal()
    log = log_at(t)
    assert not prepare(log).has(Flag.POSITION_OUTLIER).any()
    q = log.q.copy()
    q[700, 1] += 0.15
    found = prepare(log.changed(q=q)).has(Flag.POSITION_OUTLIER)
    np.testing.assert_array_equal(np.argwhere(found), [[700, 1]])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_stamps_that_jitter_are_told_from_unequal_steps(seed):
    """Even samples with bad stamps are taken as even, uneven ones with good stamps as stamped."""
    even, rng = np.arange(900) / 30.0, np.random.default_rng(seed)
    stamps = even + 0.004 * rng.uniform(-1.0, 1.0, even.size)
    jittered = butterworth(log_at(even, stamps), 6.0).recording
    assert max(errors(jittered, even)) < 0.02
    assert "stamps wander by" in told(jittered)
    uneven = butterworth(log_at(stamps), 6.0).recording
    assert max(errors(uneven, stamps)) < 0.02
    assert "unequal steps of" in told(uneven)
    assert max(errors(butterworth(log_at(even, stamps), 6.0).recording, stamps)) > 0.02


def test_stamps_that_jitter_are_right_in_the_long_run_where_rows_are_lost():
    """One row in 40 is lost and leaves no gap to speak of: rows that are counted are up to 14
    steps off, while stamps are 0.3 ms off at most.
    """
    rng = np.random.default_rng(3)
    t = 0.001 * np.cumsum(rng.choice([1, 2], 12000, p=[0.975, 0.025]))
    stamps = t + 3e-4 * rng.uniform(-1.0, 1.0, t.size)
    filtered = butterworth(log_at(t, stamps), 6.0).recording
    assert "unequal steps of" in told(filtered)
    assert max(errors(filtered, t)) < 0.02


@pytest.mark.parametrize("late", [0.0023, 0.011, -0.0052])
@pytest.mark.parametrize("t", [np.arange(3000) * 0.004, unequal()], ids=["even", "unequal"])
def test_late_torques_meet_their_motion(t, late):
    """At a time stand motion of ``late`` before it and the torque as logged; edges are the same."""
    log = log_at(t)
    ready, plain = prepare(log, late=late), prepare(log)
    assert max(errors(ready, t - late)) < 1e-2
    np.testing.assert_array_equal(ready.tau, log.tau)
    np.testing.assert_array_equal(ready.has(Flag.EDGE), plain.has(Flag.EDGE))
    assert f"torques are taken as logged {1e3 * late:.3g} ms later than positions" in told(ready)
    with pytest.raises(InputError, match="a delay of torques is a time"):
        butterworth(log, 10.0, late=np.nan)


def test_short_gaps_are_gone_through():
    """One to three lost samples in a row end no stretch; four do."""
    t = np.arange(3000) * 0.004
    keep = np.ones(3000, dtype=bool)
    keep[500] = keep[1000:1002] = keep[1500:1503] = False
    edges = butterworth(log_at(t[keep]), 10.0).recording.has(Flag.EDGE)[:, 0]
    assert edges.sum() == 100  # 50 at each end
    assert max(errors(butterworth(log_at(t[keep]), 10.0).recording, t[keep])) < 1e-2
    keep[2000:2004] = False
    filtered = butterworth(log_at(t[keep]), 10.0).recording
    assert filtered.has(Flag.EDGE)[:, 0].sum() == 200
    assert max(errors(filtered, t[keep])) < 1e-2


def test_torques_that_stand_anywhere_stand_at_no_limit():
    """Coarse torques of an axis that holds itself, and torques held between the samples of a
    slower clock; a clipped one is still found.
    """
    rng, t = np.random.default_rng(4), np.arange(3000) * 0.004
    hold = np.repeat(rng.normal(size=30), 100)
    coarse = 0.5 * np.round(2.0 * (20.0 * hold + 0.1 * rng.normal(size=3000)))
    slow = np.repeat(30.0 * np.sin(t[::6]), 6)
    clipped = np.clip(coarse + rng.normal(size=3000), -25.0, 25.0)
    log = Recording(t, np.zeros((3000, 3)), tau=np.column_stack([coarse, slow, clipped]))
    flagged = flag_saturation(log).has(Flag.SATURATED).sum(axis=0)
    assert flagged[:2].tolist() == [0, 0]
    assert flagged[2] == (np.abs(clipped) == 25.0).sum() > 100


def test_coarse_torques_at_rest_are_no_outliers():
    """Constant runs that flicker by one step of resolution, some steps split by a conversion."""
    rng, step = np.random.default_rng(3), 0.37
    tau = step * (np.round(rng.normal(0.0, 0.28, 4000)) + 40.0)
    tau[1000] += 1e-5  # a sum that is rounded otherwise
    t = np.arange(4000) * 0.004
    log = Recording(t, np.zeros((4000, 1)), tau=tau[:, None])
    assert not flag_outliers(log).has(Flag.TORQUE_OUTLIER).any()
    tau[2000] += 12.0 * step
    found = flag_outliers(log.changed(tau=tau[:, None])).has(Flag.TORQUE_OUTLIER)
    np.testing.assert_array_equal(np.argwhere(found), [[2000, 0]])
