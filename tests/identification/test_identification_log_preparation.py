"""Delay of torques and bandwidth, as logs show them: known ones are found, and none where none is."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from excited import COUNT, SIGMA

import irbmodels as irb
from irbmodels.errors import InputError
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import prepare, prepare_logs
from irbmodels.identification.validation.bandwidth import (
    _held_out,
    select_bandwidth,
    spectral_limit,
)
from irbmodels.identification.validation.log_preparation import excerpt
from irbmodels.identification.validation.plain_fit import KnownRows, PlainEquations, identifiable
from irbmodels.identification.validation.preparation import filter_marked, mark
from irbmodels.identification.validation.torque_delay import (
    TorqueDelay,
    estimate_torque_delay,
    long_run_variance,
)
from irbmodels.trajectory.fourier import FourierSeries

RATE = 125.0
MIXED = np.array([0.0, 2.3, 11.0, 0.0, 2.3, 11.0]) * 1e-3


@cache
def truth():
    return irb.load("irb2400", tool="spindle")


@cache
def prior():
    return irb.load("irb2400", tool="spindle", parameters="jia2018")


@cache
def equations():
    return PlainEquations.of(prior(), None, None)


@cache
def with_other_friction(change):
    """The truth with friction that the fit has no term for."""
    law = truth().friction_model
    terms = {
        "degressive": {"Fd": 0.8 * law.Fc, "v_d": np.full(6, 0.5)},
        "asymmetric": {"dFc": 0.3 * law.Fc, "dFv": 0.3 * law.Fv},
    }
    return truth().with_friction(replace(law, **terms[change]))


def motion(seed, duration):
    """Times of a random Fourier series within limits, and its motion at any times."""
    series, rng = FourierSeries(5, duration), np.random.default_rng(seed)
    x = rng.normal(size=(series.size, 6))
    x[0] = 0.0
    low, high = truth().limits.envelope()
    low, high = np.maximum(low, -2.5), np.minimum(high, 2.5)
    most = series.amplitudes(x)
    x *= np.minimum(
        0.45 * (high - low) / most.offset,
        0.9 * np.minimum(truth().limits.velocity, 10.0) / most.speed,
    )
    x[0] = 0.5 * (low + high)

    def at(t):
        maps = series.maps(t)
        return maps.q @ x, maps.v @ x, maps.a @ x

    return np.arange(0.0, duration, 1.0 / RATE), at, rng


def torques(q, v, a, robot=None):
    """Torques of the truth by Pinocchio, a few at a time: nothing is compiled."""
    arm = robot or truth()
    return np.concatenate(
        [arm.inverse_dynamics(*(x[i : i + 900] for x in (q, v, a))) for i in range(0, len(q), 900)]
    )


def log(seed, delays, duration=10.0, times=None, noise=SIGMA):
    """A log whose torques are exact ones of earlier times, per axis, with noise."""
    t, at, rng = motion(seed, duration)
    t = t if times is None else times
    tau = np.empty((len(t), 6))
    for delay in np.unique(delays):
        late = np.asarray(delays) == delay
        tau[:, late] = torques(*at(t - delay))[:, late]
    q = np.round(at(t)[0] / COUNT) * COUNT
    return Recording(t, q, tau=tau + noise * rng.normal(size=tau.shape), source=f"log {seed}")


def estimated(recording, n=6):
    """The delay, once more where the first is corrected."""
    marked = mark(recording)
    found = estimate_torque_delay(equations(), [filter_marked(marked, 10.0)])
    late = found.late(n)
    if not late.any():
        return found
    return estimate_torque_delay(equations(), [filter_marked(marked, 10.0, late)]).later(late)


# --- delay


@pytest.mark.parametrize(
    ("delays", "logs"), [(MIXED, 30), (np.zeros(6), 12)], ids=["mixed", "none"]
)
def test_delays_are_found_within_their_deviations(delays, logs):
    """Of 30 logs, each axis of its own delay: never farther off than three standard deviations,
    and these are as large as the errors.
    """
    found = [estimated(log(seed, delays)) for seed in range(logs)]
    z = np.array([(one.seconds - delays) / one.deviation for one in found])
    assert np.abs(z).max() < 3.0
    assert (np.abs(z.mean(axis=0)) < 3.0 / np.sqrt(logs)).all()
    assert 0.8 < z.std() < 1.2
    sharp = np.median([one.deviation for one in found], axis=0)
    assert sharp[0] < 5e-4  # s, of a step of 8 ms
    clocks = sum(one.one_clock for one in found)
    assert clocks >= logs - 1 if not delays.any() else clocks == 0
    corrected = np.array([one.late(6) for one in found])
    if delays.any():
        assert (np.abs(corrected[:, 2] - 0.011) < 4.0 * sharp[2]).sum() >= 29
    else:
        assert (corrected != 0.0).any(axis=1).sum() <= 1


@pytest.mark.parametrize("change", ["degressive", "asymmetric", "elastic"])
def test_what_a_model_lacks_is_no_delay(change):
    """Friction of another shape and elastic gears, which turn motors ahead of the arm: of four
    logs none is corrected, and errors are as large as deviations say.
    """
    stiffness = np.array([40.0, 30.0, 25.0, 3.0, 2.5, 1.5]) * 1e4  # N m/rad
    z = []
    for seed in range(4):
        t, at, rng = motion(seed, 10.0)
        states = at(t)
        elastic = change == "elastic"
        tau = torques(*states, robot=None if elastic else with_other_friction(change))
        q = states[0] + (tau / stiffness if elastic else 0.0)
        raw = Recording(t, q, tau=tau + SIGMA * rng.normal(size=tau.shape))
        found = estimated(raw)
        assert not found.late(6).any()
        z.append(found.seconds / found.deviation)
    assert np.sqrt(np.mean(np.square(z))) < 1.5


def test_delay_at_unequal_steps():
    """Steps of 10 and 12 ms: 5.2 ms on all axes are found as one clock, and corrected."""
    steps = np.where(np.random.default_rng(0).random(1000) < 0.33, 0.012, 0.010)
    raw = log(3, np.full(6, 0.0052), duration=12.0, times=np.cumsum(steps))
    ready = prepare_logs(prior(), [raw], [raw], bandwidth=10.0)
    assert ready.delay.one_clock
    assert abs(ready.delay.common - 0.0052) < 3.0 * ready.delay.common_deviation < 0.0015
    np.testing.assert_array_equal(ready.late, np.full(6, ready.delay.common))
    (finding,) = ready.findings
    assert finding.message.startswith("torques are logged later than positions by 5.")
    assert "corrected: axis 1 by 5." in finding.advice
    np.testing.assert_array_equal(ready.held_out[0].q, ready.estimation[0].q)
    np.testing.assert_array_equal(ready.estimation[0].tau, raw.tau)
    whole = prepare(raw, 10.0, late=ready.delay.common)
    np.testing.assert_array_equal(ready.estimation[0].q, whole.q)


def test_a_correction_must_not_cost_reversals():
    """Torques 5 ms early, but dry friction that reverses 12 ms late, as in gears that deform
    before they slide: said, and not corrected.
    """
    t, at, rng = motion(5, 10.0)
    states = at(t + 0.005)
    rigid = np.concatenate(
        [
            truth().inverse_dynamics(*(x[i : i + 900] for x in states), friction=False)
            for i in range(0, len(t), 900)
        ]
    )
    tau = rigid + truth().friction(at(t - 0.012)[1]) + SIGMA * rng.normal(size=rigid.shape)
    raw = Recording(t, at(t)[0], tau=tau)
    ready = prepare_logs(prior(), [raw], bandwidth=10.0)
    assert ready.delay.late(6).any()
    assert not ready.late.any()
    assert "correcting it helps no axis: nothing is corrected" in ready.findings[0].advice


def test_own_delays_are_corrected_on_their_axes():
    """Motion is that of the median delay; the torque of an axis that differs is moved to it."""
    delays = np.array([0.0, 0.0, 0.02, 0.0, 0.0, 0.0])
    raw = log(4, delays, noise=0.2 * SIGMA)
    ready = prepare_logs(prior(), [raw], bandwidth=10.0)
    assert not ready.delay.one_clock
    assert np.flatnonzero(ready.late).tolist() == [2]
    assert ready.late[2] == pytest.approx(0.02, abs=5e-4)
    assert "corrected: axis 3 by" in ready.findings[0].advice
    np.testing.assert_array_equal(ready.estimation[0].tau[:, 0], raw.tau[:, 0])
    exact = log(4, np.zeros(6), noise=0.0).tau[:, 2]
    late = log(4, delays, noise=0.0)
    moved = prepare(late, 10.0, late=delays).tau[:, 2]
    good = np.isfinite(moved) & ~prepare(late, 10.0).has(irb_rest())[:, 2]
    # between samples a reversal is a ramp of 8 ms; elsewhere splines are exact
    assert np.median(np.abs(moved - exact)[good]) < 0.01
    assert np.median(np.abs(late.tau[:, 2] - exact)[good]) > 0.5


def irb_rest():
    from irbmodels.identification.recordings import Flag

    return Flag.AT_REST


def test_a_given_delay_is_taken():
    """Nothing is estimated; nonsense is refused."""
    raw = log(5, np.zeros(6))
    ready = prepare_logs(prior(), [raw], bandwidth=8.0, late=0.003)
    assert (ready.bandwidth, ready.delay, ready.findings) == (8.0, None, ())
    np.testing.assert_array_equal(ready.estimation[0].q, prepare(raw, 8.0, late=0.003).q)
    for late in (np.nan, [0.0, 1.0], "much"):
        with pytest.raises(InputError, match="the delay of torques"):
            prepare_logs(prior(), [raw], bandwidth=8.0, late=late)
    short = raw.select(slice(0, 40))
    ready = prepare_logs(prior(), [raw], [], bandwidth=10.0)
    assert not ready.late.any()
    with pytest.raises(InputError, match="no stretch of this recording"):
        prepare_logs(prior(), [short], bandwidth=10.0)


def test_delays_that_are_none_are_not_corrected():
    """More than 50 ms is no clock; axes that differ share a mean that is less sure."""
    far = TorqueDelay.of([0, 1], np.array([0.09, 0.091]), np.array([0.001, 0.001]))
    assert far.one_clock
    assert not far.late(2).any()
    apart = TorqueDelay.of([0, 2], np.array([0.0, 0.01]), np.array([0.001, 0.001]))
    assert not apart.one_clock
    np.testing.assert_allclose(apart.late(3), [0.0, 0.0, 0.01])
    assert apart.common == pytest.approx(0.005)
    # chi square of 50 at one degree of freedom
    assert apart.common_deviation == pytest.approx(0.001 / np.sqrt(2.0) * np.sqrt(50.0))
    assert apart.later(np.array([0.001, 0.0, 0.001])).seconds.tolist() == pytest.approx(
        [0.001, 0.011]
    )


# --- bandwidth


def chosen(*logs):
    return select_bandwidth(equations(), [mark(one) for one in logs])


def test_ten_hertz_unless_another_is_better():
    """A good log keeps the usual bandwidth, and the reason names what was tried."""
    actual = chosen(log(6, np.zeros(6)))
    assert actual.hertz == 10.0
    assert actual.reason.startswith("usual; 6.67")


def test_noise_of_positions_asks_for_less():
    """A resolution of 2 mrad: accelerations of 10 Hz are noise, and held-out torques say so."""
    raw = log(7, np.zeros(6))
    noisy = raw.q + 2e-3 * np.random.default_rng(1).normal(size=raw.q.shape)
    actual = chosen(raw.changed(q=noisy))
    assert 2.0 <= actual.hertz < 10.0
    assert actual.reason.startswith("predicts held-out stretches better than")


def test_a_fast_motion_asks_for_more():
    """12 to 17 Hz of 5 mrad, in positions and torques alike: they need a wider filter."""
    t, at, rng = motion(8, 10.0)
    q, v, a = at(t)
    w = 2.0 * np.pi * np.arange(12.0, 18.0)
    wave = w * t[:, None] + np.arange(6)
    q, v, a = (
        q + 5e-3 * np.sin(wave),
        v + 5e-3 * w * np.cos(wave),
        a - 5e-3 * w * w * np.sin(wave),
    )
    tau = torques(q, v, a) + SIGMA * rng.normal(size=q.shape)
    actual = chosen(Recording(t, q, tau=tau))
    assert actual.hertz > 14.0


def test_torques_of_a_slow_clock_carry_little():
    """Held for ten samples of 125 Hz, torques are those of 12.5 Hz: 0.4 of it is the most."""
    raw = log(9, np.zeros(6))
    held = raw.tau[(np.arange(len(raw)) // 10) * 10]
    actual = chosen(raw.changed(tau=held))
    assert actual.hertz <= 5.0 * 1.01


@pytest.mark.parametrize("edge", [3.0, 8.0, 20.0])
def test_the_spectrum_ends_where_noise_begins(edge):
    """Lines up to a frequency over white noise of 1e-4: the limit lies within 1 Hz above it."""
    t, rng = np.arange(4000) / RATE, np.random.default_rng(2)
    lines = np.arange(0.5, edge + 0.01, 0.5)
    q = np.sin(2.0 * np.pi * t[:, None] * lines + rng.uniform(0.0, 6.0, lines.size)).sum(axis=1)
    q = 0.02 * q + 1e-4 * rng.normal(size=t.size)
    limit = spectral_limit(Recording(t, np.column_stack([q, 0.0 * t])), [0, 1])
    assert edge < limit < edge + 2.5  # the main lobe of the window is 2.2 Hz wide


def test_a_fast_log_says_what_it_says_at_a_quarter_of_its_rate():
    """2 kHz and 500 Hz of one motion: one bandwidth; a long one is looked at in stretches."""
    t, at, _ = motion(10, 6.0)
    fine = np.arange(0.0, 6.0, 5e-4)
    tau = np.column_stack([np.interp(fine, t, column) for column in torques(*at(t)).T])
    rng = np.random.default_rng(6)
    fast = Recording(fine, at(fine)[0], tau=tau + 3.0 * SIGMA * rng.normal(size=tau.shape))
    both = [
        prepare_logs(prior(), [log], late=0.0) for log in (fast, fast.select(slice(0, None, 4)))
    ]
    assert both[0].bandwidth == both[1].bandwidth
    assert both[0].findings == both[1].findings
    assert len(both[0].estimation[0]) == 12_000
    part = excerpt(fast, 1200)
    assert len(part) == 1200
    assert len(list(part.segments())) == 12
    assert (part.t[0], part.t[-1]) == pytest.approx((0.0, fine[-4]))


# --- parts of both


def test_sums_of_coloured_samples_vary_as_they_say():
    """AR(1) of 0.8: the variance of a sum is 1 / (1 - 0.8)^2 per sample, less what 60 lags miss."""
    rng, sums, said = np.random.default_rng(4), [], []
    for _ in range(40):
        x = rng.normal(size=(4000, 3))
        for k in range(1, len(x)):
            x[k] += 0.8 * x[k - 1]
        sums.append(x.sum(axis=0))
        said.append(long_run_variance(x, 60))
    assert np.mean(said) / 4000 == pytest.approx(25.0, rel=0.1)
    # 120 draws: 13 %
    assert np.var(sums) == pytest.approx(np.mean(said), rel=0.4)
    white = rng.normal(size=(4000, 200))
    assert np.mean(long_run_variance(white, 5)) >= 4000.0


def test_errors_are_compared_on_the_same_torques():
    """Torques that either lacks are in neither; errors are those of NumPy on the rest."""
    rng = np.random.default_rng(5)
    Y = rng.normal(size=(300, 2, 4))
    y = Y @ [1.0, -1.0, 2.0, 0.5] + [0.1, 0.3] * rng.normal(size=(300, 2))
    one, two = (np.where(rng.random((300, 2)) < 0.2, np.nan, y) for _ in range(2))
    first, second = KnownRows([(Y, one)]).on_the_same(KnownRows([(Y, two)]))
    for rows in (first, second):
        np.testing.assert_array_equal(np.isnan(rows.blocks[0][1]), np.isnan(one) | np.isnan(two))
    np.testing.assert_array_equal(first.errors(), second.errors())
    np.testing.assert_allclose(first.errors(), [0.1, 0.3], rtol=0.15)
    doubled = KnownRows([(np.concatenate([Y, Y[..., :1]], axis=2), one)])
    assert len(identifiable(doubled.accumulated())[1]) == 4


@pytest.mark.parametrize("doubled", [False, True])
def test_errors_of_a_bandwidth_are_those_on_stretches_left_out(doubled):
    """Each of eight stretches is predicted by NumPy's least squares on the seven others."""
    rng = np.random.default_rng(6)
    blocks = []
    for _ in range(8):
        Y = rng.normal(size=(12, 1, 5))
        blocks.append((Y, Y @ rng.normal(size=5) + rng.normal(size=(12, 1))))
    given = [(np.concatenate([Y, Y[..., :1]], axis=2) if doubled else Y, y) for Y, y in blocks]
    expected = []
    for k, (Y, y) in enumerate(blocks):
        rest = [block for i, block in enumerate(blocks) if i != k]
        rows, sides = (np.concatenate(part)[:, 0] for part in zip(*rest, strict=True))
        x = np.linalg.lstsq(rows, sides, rcond=None)[0]
        expected.append([np.log(np.sqrt(np.mean(np.square(y[:, 0] - Y[:, 0] @ x))))])
    errors, condition = _held_out(KnownRows(given))
    np.testing.assert_allclose(errors, expected, atol=1e-9)
    whole = np.concatenate([Y[:, 0] for Y, _ in blocks])
    assert condition == pytest.approx(np.linalg.cond(whole / np.linalg.norm(whole, axis=0)))
