from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.stats
from two_masses import Joint, N, axis_of, recorded, sines

from irbmodels.errors import InputError
from irbmodels.identification.flexible import (
    OneAxisData,
    angle_figure,
    data_figure,
    excited_band,
    flexible_fit,
    residual_figure,
    resonance_check,
    response_figure,
    spectrum,
    validation_figure,
)
from irbmodels.identification.flexible.noise import autocorrelation, noise_model, whiteness

STEP = 0.002
COUNT = 4000
S003 = Joint()


def data_of(torque, states, seed, level=0.5):
    noise = level * np.random.default_rng(seed).standard_normal(len(torque))
    return OneAxisData(
        STEP * np.arange(len(torque)),
        torque,
        states[:, 1] + noise,
        N,
        angle=states[:, 0],
        synthetic=True,
    )


@pytest.fixture(scope="module")
def s003():
    torque = sines(COUNT, STEP)
    return torque, recorded(S003, torque, STEP)[:, :, 0]


@pytest.fixture(scope="module")
def fit(s003):
    return flexible_fit(data_of(*s003, 1), axis_of(S003))


def test_a_right_model_agrees(s003, fit):
    """A right model is flagged once in 100 checks: of 20, at most 2."""
    flagged = sum(not resonance_check(fit, data_of(*s003, seed)).agrees for seed in range(20, 40))
    assert flagged <= 2
    check = resonance_check(fit)
    dip, peak = S003.frequencies
    for name, true in (("antiresonance", dip), ("resonance", peak)):
        seen, model = getattr(check, name)
        assert seen == pytest.approx(true, abs=2.0 * check.measured.resolution)
        assert model == pytest.approx(true, abs=2.0 * check.measured.resolution)


@pytest.mark.parametrize(("name", "factor"), [("k", 1.06), ("Ja", 0.92), ("Jm", 1.1), ("fm", 1.6)])
def test_a_wrong_model_is_flagged(s003, fit, name, factor):
    wrong = replace(fit, axis=axis_of(S003._replace(**{name: factor * getattr(S003, name)})))
    check = resonance_check(wrong)
    assert not check.agrees
    assert any("but not at" in line and line.endswith("Hz") for line in check.findings)


def test_another_arm_is_flagged(s003, fit):
    """Data of an arm with 1.5 times the inertia: both resonances show elsewhere."""
    torque, _ = s003
    heavy = S003._replace(Ja=1.5 * S003.Ja)
    check = resonance_check(fit, data_of(torque, recorded(heavy, torque, STEP)[:, :, 0], 2))
    assert any(line.startswith("the resonance shows at") for line in check.findings)


def test_resonances_outside_the_excitation_are_findings(fit):
    """Torques up to 12 Hz do not show what is at 18 and 24 Hz; the response up to there agrees."""
    torque = sines(COUNT, STEP, high=12.0)
    check = resonance_check(
        fit, data_of(torque, recorded(S003, torque, STEP)[:, :, 0], 3, level=0.2)
    )
    assert check.band[1] == pytest.approx(12.0, abs=2.5)  # two bins of 1 Hz leak
    names = [line.split(" at ")[0] for line in check.findings]
    assert names == ["the antiresonance", "the resonance"]
    assert "outside what was excited" in check.findings[0]
    assert not check.agrees


def test_frequency_response_is_that_of_the_axis(s003):
    """Off the resonances Welch's estimate is the response of the sampled model to a held torque,
    within 5 %.
    """
    torque, states = s003
    result = spectrum(data_of(torque, states, 1, level=0.0), states[:, 1])
    A, B, C, _, _ = scipy.signal.cont2discrete(axis_of(S003).three_states(), STEP)
    z = np.exp(2j * np.pi * result.frequency * STEP)
    response = np.array([(C @ np.linalg.solve(one * np.eye(3) - A, B)).item() for one in z])
    for low, high in ((4.0, 13.0), (32.0, 55.0)):
        chosen = (result.frequency > low) & (result.frequency < high)
        # leakage of the window
        assert (np.abs(result.response / response - 1.0)[chosen] < 0.05).all()
        assert (result.coherence[chosen] > 0.98).all()
    # Welch 1967 for Hann, half shared
    assert result.averages == pytest.approx(15.0 / (1.0 + 2.0 * 14.0 / 15.0 / 36.0))
    low, high = excited_band(result)
    assert low < 2.0
    # without noise the window leaks over some bins of 1 Hz
    assert high == pytest.approx(60.0, abs=6.0)


def test_unrelated_signals_exceed_the_threshold_as_often_as_it_says():
    """White noise has coherence above the threshold at 5 % of the frequencies (4.0 to 6.2 %: 10000
    alike).
    """
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(40):
        data = OneAxisData(
            STEP * np.arange(COUNT), rng.standard_normal(COUNT), rng.standard_normal(COUNT), N
        )
        result = spectrum(data, data.speed)
        shares.append((result.coherence > result.threshold(0.05)).mean())
    assert 0.040 < np.mean(shares) < 0.062


def test_segments_must_fit(s003, fit):
    data = data_of(*s003, 1)
    with pytest.raises(InputError, match=r"last 0.064 to 3.2 s; 6 s is 3000 samples"):
        resonance_check(fit, data, segment=6.0)
    with pytest.raises(InputError, match=r"0.01 s is 5 samples"):
        spectrum(data, data.speed, 0.01)
    finer = resonance_check(fit, data, segment=2.0)
    assert finer.measured.resolution == pytest.approx(0.36)


def test_whiteness_of_white_noise_is_uniform():
    """The p of Ljung and Box over 300 white series is uniform; of slightly coloured noise it is
    0.
    """
    rng = np.random.default_rng(1)
    p = [whiteness(rng.standard_normal(1000)).p for _ in range(300)]
    assert scipy.stats.kstest(p, "uniform").pvalue > 0.001
    coloured = whiteness(scipy.signal.lfilter([1.0], [1.0, -0.3], rng.standard_normal(1000)))
    assert coloured.p < 1e-6
    assert not coloured.white
    assert coloured.autocorrelation[0] == pytest.approx(0.3, abs=0.1)
    assert coloured.bound == pytest.approx(2.576 / np.sqrt(1000), rel=1e-3)


def test_autocorrelation_is_the_mean_product():
    x = np.random.default_rng(2).standard_normal(300)
    result = autocorrelation(x, 5)
    np.testing.assert_allclose(
        result, [(x[: 300 - k] * x[k:]).sum() / 300 for k in range(6)], atol=1e-14
    )


def test_noise_model_is_found():
    """An autoregression of order 2 comes back; white noise has order 0 nearly always."""
    rng = np.random.default_rng(3)
    result = noise_model(scipy.signal.lfilter([0.5], [1.0, -1.6, 0.7], rng.standard_normal(20000)))
    assert result.coefficients[:3] == pytest.approx([1.0, -1.6, 0.7], abs=0.05)
    assert result.variance == pytest.approx(0.25, rel=0.05)
    assert sum(noise_model(rng.standard_normal(1000)).coefficients.size > 1 for _ in range(20)) <= 2
    assert noise_model(np.zeros(200)).variance == 0.0


def test_filtered_rows_have_the_covariance_of_the_noise():
    """The square of filtered rows is ``rows' R rows`` with the dense covariance of the
    autoregression, away from the ends.
    """
    noise = scipy.signal.lfilter(
        [0.5], [1.0, -1.6, 0.7], np.random.default_rng(4).standard_normal(3000)
    )
    result = noise_model(noise)
    pulse = scipy.signal.lfilter([1.0], result.coefficients, np.eye(1, 400)[0])
    R = result.variance * scipy.linalg.toeplitz(
        [(pulse[: 400 - k] * pulse[k:]).sum() for k in range(400)]
    )
    rows = np.zeros((400, 3))
    rows[100:300] = np.random.default_rng(5).standard_normal((200, 3))
    shaped = result.filtered(rows)
    np.testing.assert_allclose(shaped.T @ shaped, rows.T @ R @ rows, rtol=1e-9, atol=1e-9)


def test_figures_show_what_was_found(s003, fit):
    torque = sines(2000, STEP, seed=4)
    raw = data_of(torque, recorded(S003, torque, STEP)[:, :, 0], 6)
    _, validation = raw.prepared(0.1, highpass=2.5).split()
    figure = data_figure([raw, validation], ["raw", "validation"], ("torque", "speed", "angle"))
    assert len(figure.axes) == 6
    assert figure.axes[0].get_title() == "raw (synthetic)"
    np.testing.assert_array_equal(figure.axes[3].lines[0].get_ydata(), validation.speed)
    panel = validation_figure(fit, validation).axes[0]
    measured, simulated, difference = (line.get_ydata() for line in panel.lines)
    np.testing.assert_allclose(difference, measured - simulated, atol=1e-9)
    assert np.std(difference) < 0.6
    assert panel.lines[1].get_label().endswith(f"{fit.percentage(validation)[0]:.1f} %")
    panel = angle_figure(fit, validation, span=(2.5, 3.5)).axes[0]
    assert panel.lines[0].get_ydata().size == 501
    assert float(panel.lines[1].get_label().split()[-2]) > 98.0
    check = resonance_check(fit)
    gain, phase, _ = response_figure(fit, check).axes
    np.testing.assert_allclose(
        gain.lines[0].get_ydata(), 20 * np.log10(np.abs(check.measured.response))
    )
    assert {line.get_xdata()[0] for line in gain.lines[3:5]} == {
        fit.antiresonance.value,
        fit.resonance.value,
    }
    assert [panel.get_ylabel() for panel in (gain, phase)] == [
        "gain [dB, (rad/s)/(N m)]",
        "phase [deg]",
    ]
    left, right = residual_figure(fit, 30).axes
    assert "p = " in left.get_legend_handles_labels()[1][0]
    np.testing.assert_allclose(
        np.abs(right.lines[1].get_ydata()), fit.antiresonance.value, rtol=1e-6
    )
    with pytest.raises(InputError, match="needs data with the angle"):
        angle_figure(fit, replace(validation, angle=None))
    with pytest.raises(InputError, match="as many titles"):
        data_figure([raw], ["a", "b"])
    with pytest.raises(InputError, match="not all of these data have arm_speed"):
        data_figure([raw], ["a"], ("arm_speed",))
    with pytest.raises(InputError, match=r"nothing lies in 50 \.\. 51 s"):
        validation_figure(fit, validation, (50.0, 51.0))
