"""Filters: exact where they must be, as wide as they say, not late, honest at ends and holes."""

import numpy as np
import pytest
from grouped import together
from scipy.signal import savgol_coeffs

import irbmodels as irb
from irbmodels.identification.recordings import (
    Flag,
    Recording,
    butterworth,
    filtering,
    low_pass,
    savitzky_golay,
    smoothing_spline,
)
from irbmodels.identification.recordings.filtering import _half_power as half_power
from irbmodels.identification.recordings.sample_flags import flag_uncertain_sign, speed_noise

STEP = 0.004
T = np.arange(3000) * STEP
FILTERS = [savitzky_golay, butterworth, smoothing_spline]


def of(*columns, **more):
    return Recording(T, np.column_stack(columns), **more)


def inner(recording):
    return ~recording.has(Flag.EDGE)[:, 0]


@pytest.mark.parametrize("apply", FILTERS)
@pytest.mark.parametrize("cutoff", [4.0, 10.0, 35.0])
def test_the_bandwidth_is_what_a_sine_shows(apply, cutoff):
    """At the three frequencies it names, q, v, a of a sine are down to 0.707, and not shifted; the
    first is the cutoff.
    """
    widths = apply(of(np.sin(T)), cutoff).bandwidth
    assert widths[0] == pytest.approx(
        cutoff, rel=0.15 if apply is savitzky_golay else 0.01
    )  # a window is a whole number of samples
    for k, width in enumerate(widths):
        w = 2.0 * np.pi * width
        filtered = apply(of(np.sin(w * T + 0.4)), cutoff).recording
        good = inner(filtered)
        got = (filtered.q, filtered.v, filtered.a)[k][good, 0]
        ideal = [np.sin(w * T + 0.4), w * np.cos(w * T + 0.4), -w * w * np.sin(w * T + 0.4)][k][
            good
        ]
        quarter = [np.cos(w * T + 0.4), -w * np.sin(w * T + 0.4), -w * w * np.cos(w * T + 0.4)][k][
            good
        ]
        # the grid of frequencies: 1 / 40000
        assert got @ ideal / (ideal @ ideal) == pytest.approx(np.sqrt(0.5), abs=3e-3)
        # no phase, but for a record of no whole number of waves
        assert abs(got @ quarter / (quarter @ quarter)) < 2e-3


@pytest.mark.parametrize("apply", FILTERS)
def test_a_slow_motion_passes(apply):
    """Half a hertz through 20 Hz: position, speed and acceleration of a sine to a thousandth."""
    w = np.pi
    filtered = apply(of(np.sin(w * T)), 20.0).recording
    good = inner(filtered)
    for got, ideal in (
        (filtered.q, np.sin(w * T)),
        (filtered.v, w * np.cos(w * T)),
        (filtered.a, -w * w * np.sin(w * T)),
    ):
        np.testing.assert_allclose(got[good, 0], ideal[good], atol=1e-3 * np.abs(ideal).max())


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize("cutoff", [1.5, 4.0, 12.0, 35.0, 110.0])
def test_the_window_of_savitzky_golay_is_the_nearest(order, cutoff, monkeypatch):
    """Of all windows it has the bandwidth nearest to the cutoff, the shortest of equals; few are
    tried, which takes the time.
    """
    tried = []
    monkeypatch.setattr(
        filtering,
        "_half_power",
        lambda kernel, k: tried.append(len(kernel)) or half_power(kernel, k),
    )
    chosen = savitzky_golay(of(np.sin(T)), cutoff, order=order).bandwidth[0] * STEP
    assert len(tried) < 30  # bisected twice; then position, speed, acceleration
    sizes = range(order + 1 + order % 2, tried[-1] + 8, 2)
    errors = [abs(half_power(savgol_coeffs(size, order), 0) - cutoff * STEP) for size in sizes]
    assert sizes[int(np.argmin(errors))] == tried[-1]
    assert chosen == pytest.approx(half_power(savgol_coeffs(tried[-1], order), 0))


def test_savitzky_golay_keeps_its_polynomials():
    """A cubic, and its derivatives, pass a filter of order 3 exactly, at the ends too; a quartic
    does not.
    """
    x = T - 5.0
    log = of(x**3 - 2.0 * x, x**4)
    filtered = savitzky_golay(log, 5.0).recording
    np.testing.assert_allclose(filtered.q[:, 0], x**3 - 2.0 * x, atol=1e-9)
    np.testing.assert_allclose(filtered.v[:, 0], 3.0 * x**2 - 2.0, atol=1e-7)
    np.testing.assert_allclose(filtered.a[:, 0], 6.0 * x, atol=1e-5)
    assert np.abs(filtered.q[:, 1] - x**4).max() > 1e-5


def test_noise_of_the_derivative_falls_with_the_cutoff():
    """A quarter of the cutoff leaves an eighth of the noise of the speed, and a 32nd of that of the
    acceleration.
    """
    noise = np.random.default_rng(0).normal(size=3000)
    for apply in FILTERS:
        wide, narrow = (apply(of(noise), cutoff).recording for cutoff in (40.0, 10.0))
        good = inner(narrow)
        # 3000 samples, other windows
        assert np.std(narrow.v[good]) / np.std(wide.v[good]) == pytest.approx(0.25**1.5, rel=0.3)
        assert np.std(narrow.a[good]) / np.std(wide.a[good]) == pytest.approx(0.25**2.5, rel=0.3)


@pytest.mark.parametrize("apply", FILTERS)
def test_torques_stay_raw_unless_asked(apply):
    """Raw torques to the last bit by default; filtered ones lose their noise and not their
    course.
    """
    noise = np.random.default_rng(1).normal(size=3000)
    log = of(np.sin(T), tau=(10.0 * np.sin(T) + noise)[:, None])
    np.testing.assert_array_equal(apply(log, 10.0).recording.tau, log.tau)
    filtered = apply(log, 3.0, torque=True).recording
    good = inner(filtered)
    assert np.std(filtered.tau[good, 0] - 10.0 * np.sin(T[good])) < 0.3


@pytest.mark.parametrize("apply", FILTERS)
def test_ends_and_holes(apply):
    """Samples near ends and holes are flagged; single lost positions are bridged and flagged;
    nothing is dropped.
    """
    q = np.sin(2.0 * T)
    q[700], q[1500:1600] = np.nan, np.nan
    log = of(q).with_flag(np.arange(3000) == 2200, Flag.POSITION_OUTLIER)
    actual = apply(log, 15.0)
    result = actual.recording
    assert len(result) == 3000
    assert result.has(Flag.NO_POSITION)[1500:1600].all()
    np.testing.assert_array_equal(np.flatnonzero(result.has(Flag.INTERPOLATED)), [700, 2200])
    edge = round(actual.edge / STEP)
    flagged = np.flatnonzero(result.has(Flag.EDGE))
    expected = [
        np.arange(edge),
        np.arange(1500 - edge, 1500),
        np.arange(1600, 1600 + edge),
        np.arange(3000 - edge, 3000),
    ]
    np.testing.assert_array_equal(flagged, np.concatenate(expected))
    good = ~result.has(Flag.EDGE | Flag.NO_POSITION)[:, 0]
    # the bridge is a straight line
    np.testing.assert_allclose(result.v[good, 0], 2.0 * np.cos(2.0 * T[good]), atol=5e-3)
    words = "\n".join(map(str, result.findings))
    assert f"{4 * edge} samples near ends and holes flagged EDGE, {edge} at each" in words
    assert "2 positions replaced by straight lines" in words
    assert "(-3 dB)" in words


@pytest.mark.parametrize(("missing", "bridged"), [(5, True), (6, False)])
def test_holes_of_up_to_five_samples_are_bridged(missing, bridged):
    """A longer one stays a hole, of all axes, since a filter runs on whole samples; how many are
    lost is said.
    """
    q = np.column_stack([np.sin(2.0 * T), np.cos(2.0 * T)])
    q[700 : 700 + missing, 1] = np.nan
    result = butterworth(Recording(T, q), 15.0).recording
    np.testing.assert_array_equal(
        np.flatnonzero(result.has(Flag.NO_POSITION)[:, 0]), [] if bridged else np.arange(700, 706)
    )
    assert np.isfinite(result.q[702]).all() == bridged
    assert result.has(Flag.INTERPOLATED)[:, 1].sum() == (5 if bridged else 0)
    assert not result.has(Flag.INTERPOLATED)[:, 0].any()
    assert not (result.has(Flag.NO_POSITION) & np.isfinite(result.q)).any()
    assert any("6 samples are in holes" in str(finding) for finding in result.findings) != bridged


def test_stretches_too_short_to_filter_are_counted():
    """Forty samples between two holes are lost with them, and said."""
    q = np.sin(2.0 * T)
    q[1000:1010] = q[1050:1060] = np.nan
    result = butterworth(of(q), 10.0).recording
    assert any(
        "60 samples are in holes, or in stretches too short to filter" in str(finding)
        for finding in result.findings
    )
    assert result.has(Flag.NO_POSITION)[1000:1060].all()


def test_a_filtered_torque_with_a_hole_is_none():
    """Filtered torques of an axis that lacks one in a stretch are missing there; those of the other
    axis are not.
    """
    tau = np.column_stack([np.sin(T), np.cos(T)])
    tau[700, 0] = np.nan
    result = butterworth(of(np.sin(T), np.cos(T), tau=tau), 10.0, torque=True).recording
    assert np.isnan(result.tau[:, 0]).all()
    assert result.has(Flag.NO_TORQUE)[:, 0].all()
    np.testing.assert_allclose(result.tau[200:-200, 1], np.cos(T)[200:-200], atol=1e-4)


def test_a_lost_sample_ends_a_stretch():
    """Where time jumps, the filter starts anew: a step there does not smear."""
    keep = np.arange(3000) != 1000
    q = np.where(T[1000] > T, 0.0, 1.0)
    result = savitzky_golay(Recording(T[keep], q[keep, None]), 10.0).recording
    assert np.abs(result.v).max() < 1e-9


@together("apply", FILTERS)
@together("cutoff", [0.0, -1.0, 125.0, np.nan])
def test_a_cutoff_that_is_none_is_refused(apply, cutoff):
    """At most half the rate, and positive."""
    with pytest.raises(irb.InputError, match="below half the rate of 250 Hz"):
        apply(of(np.sin(T)), cutoff)


def test_what_cannot_be_filtered_is_refused():
    """A rate that wanders, too few samples, no order."""
    t = T + 0.003 * np.sin(0.01 * np.arange(3000))
    with pytest.raises(irb.InputError, match=r"wanders: resample\(recording, 250\)"):
        savitzky_golay(Recording(t, np.zeros((3000, 1))), 10.0)
    with pytest.raises(irb.InputError, match="no stretch of this recording has"):
        butterworth(Recording(T[:40], np.zeros((40, 1))), 2.0)
    with pytest.raises(irb.InputError, match="order of the polynomial"):
        savitzky_golay(of(T), 10.0, order=1)
    with pytest.raises(irb.InputError, match="order of a Butterworth"):
        butterworth(of(T), 10.0, order=0)


def test_the_low_pass_is_three_decibels_down_after_both_passes():
    """0.707 at the cutoff, 1 below, 0 above."""
    for f, gain in ((1.0, 1.0), (10.0, np.sqrt(0.5)), (60.0, 0.0)):
        wave = np.sin(2.0 * np.pi * f * T)
        assert low_pass(wave, 10.0, 250.0) @ wave / (wave @ wave) == pytest.approx(gain, abs=2e-3)


@pytest.mark.parametrize("deviation", [2e-6, 2e-5])
def test_speeds_of_unsure_sign_are_marked_as_rest(deviation):
    """Of white noise the mark reaches to five deviations of the filtered speed; no sample of the
    wrong sign lacks it.
    """
    t, rng = np.arange(0.0, 40.0, 0.004), np.random.default_rng(0)
    # so slow that samples lie close about standstill
    q = np.stack([0.02 * np.sin(0.4 * t), 0.03 * np.cos(0.3 * t)], axis=1)
    true = np.stack([0.008 * np.cos(0.4 * t), -0.009 * np.sin(0.3 * t)], axis=1)
    raw = Recording(
        t, q + deviation * rng.normal(size=q.shape), tau=np.zeros_like(q), linear=(False, False)
    )
    filtered = butterworth(raw, 10.0).recording
    marked = flag_uncertain_sign(filtered, speed_noise(filtered, raw, 10.0))
    inner = ~filtered.has(Flag.EDGE)
    rest, noise = marked.has(Flag.AT_REST), (filtered.v - true)[inner].std()
    wrong = np.sign(filtered.v) != np.sign(true)
    assert wrong[inner].any()
    assert rest[wrong & inner].all()
    reach = np.abs(filtered.v[rest]).max()
    assert 4.0 * noise < reach < 6.0 * noise
    assert not (rest & (np.abs(true) > 8.0 * noise) & inner).any()
    assert flag_uncertain_sign(raw, [0.0, 0.0]) is raw  # no speeds, no signs
