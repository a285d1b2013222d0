import json
from pathlib import Path

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.trajectory import freudenstein, through

DATA = Path(__file__).resolve().parent / "data" / "freudenstein_135.json"


def test_freudenstein_equals_independent_samples():
    """Position, speed and acceleration equal the reference samples of the corrected 1-3-5 law."""
    samples = json.loads(DATA.read_text(encoding="utf-8"))["freudenstein_135"]["samples"]
    rows = np.array(samples["rows"])
    start, stroke, duration = samples["q0"], samples["h"], samples["T"]
    motion = freudenstein([start], [start + stroke], duration, rows[:, 0] * duration)
    for column, values in ((1, motion.q), (2, motion.v), (3, motion.a)):
        np.testing.assert_allclose(values[:, 0], rows[:, column], atol=1e-11)  # samples are printed with 12 digits


def test_freudenstein_peaks():
    """Speed peaks at 2 h / T in the middle, acceleration at 240 pi / 149 h / T^2 at a quarter."""
    motion = freudenstein([0.0], [1.0], 1.0, np.linspace(0.0, 1.0, 40001))
    assert motion.v.max() == pytest.approx(2.0, abs=1e-12)
    assert motion.a.max() == pytest.approx(240.0 * np.pi / 149.0, abs=1e-9)
    assert np.abs(motion.v[[0, -1]]).max() < 1e-15


def test_speed_and_acceleration_are_the_derivatives():
    """V and a are the time derivatives of q, by central differences."""
    t = np.linspace(0.1, 1.9, 50)
    step = 1e-5  # error of a central difference: step^2 times the third derivative, about 1e-8 here
    at = [freudenstein([0.3, -1.0], [1.0, 2.0], 2.0, t + shift) for shift in (-step, 0.0, step)]
    np.testing.assert_allclose((at[2].q - at[0].q) / (2 * step), at[1].v, atol=1e-7)
    np.testing.assert_allclose((at[2].v - at[0].v) / (2 * step), at[1].a, atol=1e-7)


def test_through_visits_every_posture_and_rests_there():
    """A chain passes its postures at whole multiples of the duration, at rest, without a jump."""
    postures = [[0.0, 1.0], [0.5, -1.0], [2.0, 0.0]]
    motion = through(postures, duration=2.0, rate=100.0)
    assert len(motion.t) == 401
    np.testing.assert_allclose(motion.q[[0, 200, 400]], postures, atol=1e-12)
    np.testing.assert_allclose(motion.v[[0, 200, 400]], 0.0, atol=1e-12)
    assert np.abs(np.diff(motion.q, axis=0)).max() < 2.0 * 2.0 / 2.0 / 100.0 * 1.01  # peak speed times the time step


@pytest.mark.parametrize("duration", [0.0, -1.0, float("nan")])
def test_duration_must_be_positive(duration):
    """A duration that is not positive is refused."""
    with pytest.raises(irb.InputError, match="positive duration"):
        freudenstein([0.0], [1.0], duration, [0.0])


def test_one_posture_is_no_motion():
    """A chain needs two postures."""
    with pytest.raises(irb.InputError, match="two postures"):
        through([[0.0]], 1.0, 10.0)
