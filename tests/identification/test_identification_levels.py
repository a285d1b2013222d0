"""Levels of sets, and usual mistakes that are found in logs and named."""

from dataclasses import replace

import numpy as np
import pytest
import verdict_cases as cases
from spoilt import spoilt

import irbmodels as irb
from irbmodels.identification.recordings import Flag, Recording
from irbmodels.identification.validation import evaluate, mistakes, prepare, split_recording
from irbmodels.identification.validation.levels import (
    BOUNDS,
    accuracy_level,
    unexplained_share,
    visibility_text,
)
from irbmodels.identification.validation.mistakes import Segment, blocks_of
from irbmodels.identification.validation.verdict import LEVELS, PredictedTorques
from irbmodels.model.inertia import Inertial
from irbmodels.trajectory import Motion
from irbmodels.trajectory.fourier import FourierSeries


def judged(kind=None, axis=0, size=0.0, robot=None, seed=2):
    """The true set on a spoilt log."""
    log = cases.log(seed)
    return evaluate(
        robot or cases.truth(), [prepare(spoilt(log, kind, axis, size) if kind else log)]
    )


def part_of(rate, noise, error, seconds=40.0):
    """Torques of one axis that a model errs on by a slow sine, with white noise per sample."""
    t = np.arange(0.0, seconds, 1.0 / rate)
    tau = 100.0 * np.sin(1.3 * t)[:, None]
    slow = error * np.sqrt(2.0) * np.sin(2.0 * t)[:, None]
    measured = tau + slow + noise * np.random.default_rng(int(rate)).normal(size=tau.shape)
    motion = Motion(t, np.zeros_like(tau), np.zeros_like(tau), np.zeros_like(tau), measured)
    return PredictedTorques(motion, measured, tau, tau)


@pytest.mark.parametrize("rate", [100.0, 500.0, 5000.0])
def test_a_share_is_one_at_any_rate(rate):
    """The same error of 8 N m beside noise of one density, which has more variance per sample at a
    higher rate; the torque's deviation is 70.7 N m.
    """
    noise = 3.0 * np.sqrt(rate / 100.0)
    (share,) = unexplained_share([part_of(rate, noise, 8.0)])
    assert share == pytest.approx(8.0 / (100.0 / np.sqrt(2.0)), rel=0.05)
    (none,) = unexplained_share([part_of(rate, noise, 0.0)])
    assert none < 0.01


def test_the_variance_of_noise_is_taken_off_once():
    """A constant error of 8 N m beside white noise whose means over 50 ms, 5 samples, have a
    standard deviation of 8 N m too: 8000 means tell the share to 2 %.
    """
    t = np.arange(0.0, 400.0, 0.01)
    tau = 100.0 * np.sin(1.3 * t)[:, None]
    noise = 8.0 * np.sqrt(5.0) * np.random.default_rng(0).normal(size=tau.shape)
    motion = Motion(t, *(np.zeros_like(tau) for _ in range(3)), tau + 8.0 + noise)
    (share,) = unexplained_share([PredictedTorques(motion, tau + 8.0 + noise, tau, tau)])
    # the torques whose deviation counts are the measured ones
    assert share == pytest.approx(8.0 / np.hypot(100.0 / np.sqrt(2.0), 8.0), rel=0.04)


def test_noise_alone_is_a_reference():
    """A right model is one however noisy the torques are; without predictions nothing is known."""
    (share,) = unexplained_share([part_of(250.0, 20.0, 0.0)])
    assert accuracy_level(share) == "reference"
    assert [accuracy_level(x) for x in (0.0, *(1.01 * np.array(BOUNDS)), np.nan)] == [
        *LEVELS,
        "wrong",
    ]


def test_blocks_in_which_an_axis_reverses_hold_no_torque_of_it():
    """Friction has two signs there: the torque of that axis is left out, those of others stay."""
    t = np.arange(0.0, 1.0, 0.01)
    v = np.column_stack([np.where(t < 0.52, 1.0, -1.0), np.ones_like(t)])
    segment = Segment(Motion(t, v, v, v, 3.0 * v), np.sign(v), 2.0 * v)
    blocks = blocks_of([segment], np.array([False, False]))
    assert np.isnan(blocks.tau[:, 0]).tolist() == [k == 10 for k in range(20)]
    assert np.isnan(blocks.residual[:, 0]).tolist() == [k == 10 for k in range(20)]
    np.testing.assert_array_equal(blocks.tau[:, 1], 3.0)
    np.testing.assert_array_equal(blocks.tau[:10, 0], 3.0)
    np.testing.assert_array_equal(blocks.tau[11:, 0], -3.0)


def test_the_right_set_on_a_good_log_is_good():
    verdict = judged()
    assert verdict.mistakes == ()
    assert verdict.level in ("reference", "good")
    assert set(verdict.levels) <= {"reference", "good"}


@pytest.mark.parametrize(
    ("kind", "axis", "size", "named"),
    [
        ("zero", 1, np.deg2rad(3.0), "axis 2: its zero is shifted by"),
        ("zero", 2, np.deg2rad(-3.0), "axis 3: its zero is shifted by -"),
        ("gain", 1, 1.1, "axis 2: measured torques are 1.1 "),
        ("gain", 2, 0.9, "axis 3: measured torques are 0.9"),
        ("sign", 2, 0.0, "axis 3: its sign is reversed"),
        ("torque sign", 5, 0.0, "axis 6: the sign of its torque is reversed"),
        ("swap", 1, 0.0, "axes 2 and 3 are swapped"),
        ("swap", 3, 0.0, "axes 4 and 5 are swapped"),
        ("gain", 2, 1e-3, "axis 3: its torque is in another unit than those of others"),
    ],
)
def test_mistakes_are_wrong_and_named(kind, axis, size, named):
    verdict = judged(kind, axis, size)
    assert verdict.level == "wrong"
    assert verdict.levels[axis] == "wrong"
    assert verdict.reasons[0].startswith(named), verdict.reasons
    if kind in ("zero", "gain") and size > -1.0 and size != 1e-3:
        wanted = size if kind == "zero" else size - 1.0
        found = verdict.mistakes[0]
        assert abs(found.estimate - wanted) < max(4.0 * found.deviation, 0.2 * abs(wanted))


def test_late_torques_are_wrong_and_measured():
    """Torques 20 ms late against the true set; a clean log shows no delay."""
    verdict = judged("late", 0, 0.02)
    (mistake,) = (one for one in verdict.mistakes if one.kind == "late")
    assert mistake.estimate == pytest.approx(0.02, abs=0.001)
    words = f"torques are {1e3 * mistake.estimate:.2g} +- {2e3 * mistake.deviation:.2g} ms later"
    assert verdict.reasons[0].startswith(words), verdict.reasons
    assert "ms later than positions" in verdict.reasons[0]


def test_degrees_are_named():
    """Nothing else than positions in degrees makes torques of these positions."""
    log = cases.log(2)
    verdict = evaluate(cases.truth(), [prepare(log.changed(q=np.degrees(log.q)))])
    assert verdict.mistakes[0].kind == "degrees"
    assert verdict.reasons[0] == "positions are in degrees, and read as radians"


def test_axes_in_question_alone_are_searched():
    """A zero of axis 3 is named where its torque counts; axes left out have no mistakes."""
    log = prepare(spoilt(cases.log(2), "gain", 2, 1.1))
    verdict = evaluate(cases.truth(), [log], axes=[2, 3])
    assert [(one.kind, one.axes) for one in verdict.mistakes] == [("gain", (2,))]
    assert evaluate(cases.truth(), [log], axes=[1, 2]).mistakes == ()


def test_logs_say_what_they_would_show():
    """Smallest zeros and gains: shifts of that size are named, of half of it are not."""
    verdict = judged()
    zeros, gains = verdict.visible
    # no torque depends on the position of an axis that stands upright
    assert np.isinf(zeros[0])
    assert np.deg2rad(1.0) <= zeros[1] < np.deg2rad(3.0)
    assert 0.05 <= gains[1] < 0.1
    text = visibility_text(verdict)
    assert text.startswith("these logs would show a wrong zero of axis 2")
    assert "the zero of axis 1" in text.partition("could not be seen")[2]
    assert judged("zero", 1, 1.3 * zeros[1]).mistakes[0].kind == "zero"
    assert judged("zero", 1, 0.5 * zeros[1]).mistakes == ()


def test_a_payload_that_was_not_given_is_wrong():
    """A fifth of the rated 16 kg."""
    payload = Inertial.of(3.2, [0.0, 0.0, 0.1], 0.02 * np.eye(3))
    bare = cases.truth()
    loaded = bare.with_payload(payload)
    log = cases.log(2)
    motion = prepare(log)
    added = loaded.inverse_dynamics(motion.q, motion.v, motion.a) - bare.inverse_dynamics(
        motion.q, motion.v, motion.a
    )
    verdict = evaluate(bare, [prepare(cases.plus(log, np.nan_to_num(added)))])
    assert verdict.level == "wrong"
    (mistake,) = (one for one in verdict.mistakes if one.kind == "payload")
    assert mistake.estimate == pytest.approx(3.2, abs=max(0.5, 4.0 * mistake.deviation))
    assert "kg more on the flange than the robot carries" in verdict.reasons[0]


def test_another_robot_is_wrong():
    """The tables of an IRB 1600 against a log of an IRB 2400."""
    other = irb.load("irb1600").with_friction(cases.truth().friction_model)
    assert judged(robot=other).level == "wrong"


@pytest.mark.parametrize(("kind", "axis"), [("sign", 2), ("swap", 1)])
def test_an_identification_names_wrong_axes(kind, axis):
    """No set of this arm moves so, whatever is fitted."""
    first, last = split_recording(spoilt(cases.log(1), kind, axis))
    actual = cases.identify(cases.prior(), [prepare(first)], [prepare(last)])
    assert actual.verdict.level == "wrong"
    assert actual.verdict.levels[axis] == "wrong"
    assert f"{axis + 1}" in actual.verdict.reasons[0]


def test_clipped_torques_are_poor():
    assert LEVELS.index(judged("clipped", 1, 0.6).level) >= LEVELS.index("poor")


def test_outliers_count_where_an_axis_moves():
    """Torques at rest are in no fit: a tenth of a log that flickers there holds no level down."""
    log = prepare(cases.log(2))
    tenth = np.zeros(log.flags.shape, dtype=bool)
    tenth[: len(log) // 10, 1] = True
    flickering = log.with_flag(tenth, Flag.TORQUE_OUTLIER)
    assert any(
        "are torque outliers" in one for one in evaluate(cases.truth(), [flickering]).reasons
    )
    resting = flickering.with_flag(tenth, Flag.AT_REST)
    assert not any("outliers" in one for one in evaluate(cases.truth(), [resting]).reasons)


def test_a_log_in_short_pieces_says_that_nothing_is_known():
    """Every tenth sample, 40 ms, is no motion that could be judged: blocks have 50 ms."""
    log = prepare(cases.log(2))
    tenth = np.zeros(log.flags.shape, dtype=bool)
    tenth[::10] = True
    verdict = evaluate(cases.truth(), [log.with_flag(tenth, Flag.EDGE)])
    assert verdict.mistakes == ()
    assert verdict.level == "wrong"
    assert verdict.reasons[0] == (
        "axis 1: no stretch of 0.05 s on held-out logs has its torque: nothing is known"
    )


def gradual_torques(arm, t, at, seconds):
    """Torques of states ``seconds`` before times ``t`` on a grid of 1 ms, with Dahl's state."""
    fine = np.arange(t[0] - 0.05, t[-1] + 1e-3, 1e-3)
    (q, v, a), law = at(fine), arm.friction_model
    w = np.sign(v)
    z = np.array(w)
    for k in range(1, len(fine)):
        z[k] = w[k] + (z[k - 1] - w[k]) * np.exp(-np.abs(q[k] - q[k - 1]) / law.x_p)
    level = law.Fc + (law.Fs - law.Fc) * np.exp(-np.square(v / law.v_St))
    tau = arm.inverse_dynamics(q, v, a, friction=False) + level * w + law.Fv * v
    tau += law.Fc * law.presliding * (z - w)
    return tau[np.rint((t - seconds - fine[0]) * 1e3).astype(int)]


@pytest.mark.parametrize("presliding", [0.0, 0.7])
@pytest.mark.parametrize("rate", [100.0, 500.0])
def test_delays_against_a_set_are_within_their_deviations(rate, presliding, monkeypatch):
    """Of 0 to 20 ms, friction that turns round over a distance included."""
    monkeypatch.setattr(mistakes, "LATE", 0.003)
    law = replace(
        cases.truth().friction_model, presliding=np.full(6, presliding), x_p=np.full(6, 2e-3)
    )
    arm, series = cases.truth().with_friction(law), FourierSeries(5, 10.0)
    rng, limits = np.random.default_rng(1), arm.limits
    x = rng.normal(size=(series.size, 6))
    x[0], most = 0.0, series.amplitudes(x)
    low, high = (np.clip(end, -2.5, 2.5) for end in limits.envelope())
    x *= np.minimum(0.45 * (high - low) / most.offset, 0.9 * limits.velocity / most.speed)
    x[0] = 0.5 * (low + high)

    def at(t):
        maps = series.maps(t)
        return maps.q @ x, maps.v @ x, maps.a @ x

    t = np.arange(0.0, 10.0, 1.0 / rate)
    for seconds in (0.0, 0.005, 0.01, 0.02):
        tau = gradual_torques(arm, t, at, seconds) + cases.SIGMA * rng.normal(size=(len(t), 6))
        found = evaluate(arm, [prepare(Recording(t, at(t)[0], tau=tau), 15.0)]).mistakes
        late = [one for one in found if one.kind == "late"]
        assert len(late) == len(found) == bool(seconds)
        for one in late:
            assert abs(one.estimate - seconds) < 3.0 * one.deviation < 0.005
