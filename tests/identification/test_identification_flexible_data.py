from dataclasses import replace

import numpy as np
import pytest
import scipy.signal
from grouped import together
from misuse import refused_in_one_line
from two_masses import Joint, N, recorded, sines

from irbmodels.identification.flexible import OneAxisData

STEP = 0.002


@pytest.fixture(scope="module")
def data():
    torque = sines(1200, STEP) + 0.3
    states = recorded(Joint(), torque, STEP)[:, :, 0]
    t = 7.0 + STEP * np.arange(1200)
    return OneAxisData(
        t,
        torque,
        states[:, 1],
        N,
        arm_speed=states[:, 3],
        angle=states[:, 0],
        synthetic=True,
        source="a test",
    )


def changed(data, name, at, value):
    array = getattr(data, name).copy()
    array[at] = value
    return replace(data, **{name: array})


@together(
    "change, message",
    [
        (
            lambda d: replace(d, t=d.t[:50], torque=d.torque[:50], speed=d.speed[:50]),
            "50 samples are too few",
        ),
        (
            lambda d: replace(d, torque=d.torque[:-1]),
            r"torque needs shape \(1200,\), got \(1199,\)",
        ),
        (
            lambda d: replace(d, speed=d.speed[:, None]),
            r"speed needs shape \(1200,\), got \(1200, 1\)",
        ),
        (lambda d: replace(d, t=d.t[:, None]), r"t needs shape \(N,\)"),
        (
            lambda d: replace(d, torque=["a"] * 1200),
            "torque is not an array of numbers",
        ),
        (
            lambda d: changed(d, "speed", [40, 90], np.nan),
            "speed has 2 of 1200 samples .* the first at index 40",
        ),
        (
            lambda d: changed(d, "torque", 7, np.inf),
            "torque has 1 of 1200 samples that are not finite",
        ),
        (
            lambda d: replace(d, torque=np.full(1200, 2.0)),
            "torque is constant: 2 in all 1200 samples",
        ),
        (lambda d: replace(d, speed=np.zeros(1200)), "speed is constant: 0"),
        (lambda d: replace(d, t=d.t[::-1]), "times must grow; at index 1 they do not"),
        (lambda d: changed(d, "t", 600, d.t[599]), "times must grow; at index 600"),
        (
            lambda d: replace(d, t=d.t + 0.006 * (np.arange(1200) > 500)),
            "not 0.002 s apart: a step of 0.008 s after t = 8 s",
        ),
        (
            lambda d: replace(d, t=7.0 + (STEP * np.arange(1200)) ** 1.02),
            "times wander by",
        ),
        (lambda d: replace(d, hold="cubic"), "no hold 'cubic'"),
        (lambda d: replace(d, gear_ratio=0.0), "the gear ratio, .* is 0"),
        (
            lambda d: replace(d, gear_ratio=True),
            "the gear ratio, turns of the motor .* must be a finite number",
        ),
        (
            lambda d: replace(d, gear_ratio=np.inf),
            "the gear ratio, turns of the motor .* must be a finite number",
        ),
        (
            lambda d: replace(d, speed=d.speed * 30 / np.pi * 3),
            "too fast for a motor in rad/s; is it in rpm",
        ),
        (
            lambda d: replace(d, torque=d.torque * N),
            "is it at the arm side. divide by the gear ratio",
        ),
        (
            lambda d: replace(d, arm_speed=d.arm_speed * N),
            "arm_speed times the gear ratio is .* it is that of the link",
        ),
        (
            lambda d: replace(d, arm_speed=np.degrees(d.arm_speed)),
            "arm_speed times the gear ratio",
        ),
        (lambda d: d.prepared(highpass=0.0), "cut-off between 0 and 250 Hz"),
        (lambda d: d.prepared(highpass=250.0), "cut-off between 0 and 250 Hz"),
        (
            lambda d: d.prepared(highpass=2.5, order=0),
            "order of the high-pass must be a whole number, 1 to 8, got 0",
        ),
        (
            lambda d: d.prepared(highpass=2.5).prepared(highpass=2.5),
            "went through a high-pass of 2.5 Hz already",
        ),
        (
            lambda d: d.prepared(start=-1.0),
            r"start, the time to leave out \[s\], must be .* at least 0, got -1.0",
        ),
        (lambda d: d.prepared(end=np.nan), "end, the time to leave out .* got nan"),
        (lambda d: d.prepared(start=1.2, end=1.1), "leaves too few samples"),
        (lambda d: d.split(1.0), "a share of 1.0"),
        (lambda d: d.split(0.05), "does not leave 100"),
    ],
)
def test_bad_samples_are_one_clear_line(data, change, message):
    refused_in_one_line(lambda: change(data), message)


def test_rounded_time_stamps_are_taken(data):
    """Milliseconds with jitter below half a step are only rounded."""
    jitter = 0.0004 * np.random.default_rng(0).uniform(-1.0, 1.0, 1200)
    assert replace(data, t=data.t + jitter).step == pytest.approx(STEP, rel=1e-3)


def test_arm_side_numbers_have_no_limits_of_a_motor(data):
    """A gear ratio of 1 makes the numbers arm-side ones, with other sizes."""
    arm = replace(
        data, torque=data.torque * 1000.0, speed=data.speed * 100.0, arm_speed=None, gear_ratio=1.0
    )
    assert arm.outputs == ("speed",)


def test_samples_cannot_be_changed(data):
    torque = data.torque.copy()
    one = replace(data, torque=torque)
    torque[0] = 99.0
    assert one.torque[0] == data.torque[0]
    with pytest.raises(ValueError, match="read-only"):
        one.speed[0] = 1.0


def test_high_pass_is_butterworths(data):
    """A tone at the cut-off comes out with 0.707 of its amplitude, one a decade below with 0.01
    (order 2), and torque alike.
    """
    t = STEP * np.arange(20000)
    for f, gain in ((2.5, np.sqrt(0.5)), (0.25, 0.01), (25.0, 1.0)):
        tone = np.sin(2 * np.pi * f * t)
        passed = OneAxisData(t, tone, 3.0 * tone, N).prepared(start=20.0, highpass=2.5)
        for signal, size in ((passed.torque, 1.0), (passed.speed, 3.0)):
            # whole periods; warping is 1e-4
            assert signal.std() * np.sqrt(2.0) == pytest.approx(gain * size, rel=0.01)
    passed = data.prepared(highpass=2.5, mean=False)
    for name in ("torque", "speed", "angle", "arm_speed"):
        b, a = scipy.signal.butter(2, 2.5, "highpass", fs=500.0)
        x = getattr(data, name)
        # a filter that has seen the first value for ever
        expected = scipy.signal.lfilter(b, a, x - x[0])
        np.testing.assert_allclose(getattr(passed, name), expected, atol=1e-8 * np.abs(x).max())


def test_preparation_trims_centres_and_says_so(data):
    """0.2 s are 100 samples; means are those of what is left; the times stay those of the log."""
    done = data.prepared(0.2, 0.4, highpass=2.5)
    assert len(done) == 900
    assert done.t[0] == pytest.approx(7.2)
    assert done.t[-1] == pytest.approx(7.0 + 999 * STEP)
    for name in ("torque", "speed", "arm_speed", "angle"):
        assert abs(getattr(done, name).mean()) < 1e-12 * np.abs(getattr(data, name)).max()
    assert done.notes == (
        "high-pass 2.5 Hz, Butterworth of order 2, on torque and measurements",
        "100 samples left out at the start, 200 at the end",
        "means removed",
    )
    assert done.highpass == (2.5, 2)
    raw = data.prepared(0.2, mean=False)
    np.testing.assert_array_equal(raw.speed, data.speed[100:])


def test_split_keeps_all_samples_in_order(data):
    """Estimation first, validation after; nothing is shared or lost."""
    first, second = data.split(0.25)
    assert len(first) == 300
    for name in ("t", "torque", "speed", "arm_speed", "angle"):
        np.testing.assert_array_equal(
            np.concatenate([getattr(first, name), getattr(second, name)]), getattr(data, name)
        )
    assert first.synthetic
    assert second.source == "a test"


def test_outputs_are_what_is_measured(data):
    """Columns in the order speed, arm speed, arm acceleration; the angle is none."""
    assert data.outputs == ("speed", "arm_speed")
    np.testing.assert_array_equal(data.measured, np.column_stack([data.speed, data.arm_speed]))
    assert (
        repr(data)
        == "<Synthetic data of one axis, a test: 1200 samples at 500 Hz, torque and speed,"
        " arm_speed>"
    )
