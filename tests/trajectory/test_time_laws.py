import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from grouped import together
from hypothesis import given, settings
from hypothesis import strategies as st
from misuse import refused_in_one_line
from scipy.integrate import quad

import irbmodels as irb
from irbmodels.trajectory import (
    LAWS,
    Chain,
    Motion,
    jerk_limited,
    move,
    s_curve,
    through,
    trapezoid,
)

ROBOT = irb.load("irb2400")
DATA = Path(__file__).resolve().parents[1] / "data" / "freudenstein_135.json"
MANY = {
    **LAWS,
    "bang-bang": trapezoid(0.5),
    "long cruise": trapezoid(0.1),
    "s_curve 0.4 0.2": s_curve(0.4, 0.2),
}
PRINTED = {  # written out by hand, independent of how the package makes them
    "cubic": lambda x: 3 * x**2 - 2 * x**3,
    "quintic": lambda x: 10 * x**3 - 15 * x**4 + 6 * x**5,
    "septic": lambda x: 35 * x**4 - 84 * x**5 + 70 * x**6 - 20 * x**7,
    "cycloidal": lambda x: x - np.sin(2 * np.pi * x) / (2 * np.pi),
    "trapezoid": lambda x: np.where(
        x < 1 / 3, 2.25 * x**2, np.where(x > 2 / 3, 1 - 2.25 * (1 - x) ** 2, 1.5 * x - 0.25)
    ),
}
PEAKS = {  # extremes by hand; of 1-3-5 as in the errata of S002
    "freudenstein": (2.0, 240 * np.pi / 149, 900 * np.pi**2 / 149),
    "cubic": (1.5, 6.0, np.inf),
    "quintic": (15 / 8, 10 / np.sqrt(3), 60.0),
    "septic": (35 / 16, 84 * np.sqrt(5) / 25, 52.5),
    "cycloidal": (2.0, 2 * np.pi, 4 * np.pi**2),
    "trapezoid": (1.5, 4.5, np.inf),
    "bang-bang": (2.0, 4.0, np.inf),
    "long cruise": (1 / 0.9, 1 / 0.09, np.inf),
    "s_curve": (1.5, 9.0, 54.0),  # 1/(1-b), 1/((1-b) b (1-r)), divided by b r
    "s_curve 0.4 0.2": (1 / 0.6, 1 / (0.6 * 0.4 * 0.8), 1 / (0.6 * 0.4 * 0.8 * 0.08)),
}


def test_freudenstein_equals_independent_samples():
    """Position, speed and acceleration equal the reference samples of the corrected 1-3-5 law."""
    samples = json.loads(DATA.read_text(encoding="utf-8"))["freudenstein_135"]["samples"]
    rows = np.array(samples["rows"])
    start, stroke, duration = samples["q0"], samples["h"], samples["T"]
    state = move([start], [start + stroke], "freudenstein", duration=duration).at(
        rows[:, 0] * duration
    )
    for column, values in zip((1, 2, 3), state[:3], strict=True):
        # samples are printed with 12 digits
        np.testing.assert_allclose(values[:, 0], rows[:, column], atol=1e-11)


def test_freudenstein_is_the_corrected_series():
    """The law is that of the errata of S002, alpha = 1125/1192, in all four derivatives."""
    t = np.linspace(0.0, 1.0, 41)
    x, alpha = 2 * np.pi * t, 1125 / 1192
    law = LAWS["freudenstein"]
    expected = [
        t - alpha / (2 * np.pi) * (np.sin(x) + np.sin(3 * x) / 54 + np.sin(5 * x) / 1250),
        1 - alpha * (np.cos(x) + np.cos(3 * x) / 18 + np.cos(5 * x) / 250),
        2 * np.pi * alpha * (np.sin(x) + np.sin(3 * x) / 6 + np.sin(5 * x) / 50),
        4 * np.pi**2 * alpha * (np.cos(x) + np.cos(3 * x) / 2 + np.cos(5 * x) / 10),
    ]
    for order, values in enumerate(expected):
        # rounding of sums of such size
        np.testing.assert_allclose(law.derivative(order, t), values, atol=1e-12 * 10**order)


@pytest.mark.parametrize("name", PRINTED)
def test_laws_are_the_printed_ones(name):
    """Polynomials, cycloid and trapezoid equal the formulas written out."""
    x = np.linspace(0.0, 1.0, 101)
    np.testing.assert_allclose(LAWS[name].position(x), PRINTED[name](x), atol=1e-14)


@together("name", MANY)
def test_each_derivative_integrates_to_the_one_before(name):
    """Numerical quadrature of jerk, acceleration and speed gives acceleration, speed and
    position.
    """
    law = MANY[name]
    breaks = [float(b) for b in getattr(law, "breaks", (0.0, 0.5))]
    breaks = sorted({*breaks, *(1.0 - b for b in breaks)})
    for order in (1, 2, 3):
        for begin, end in pairwise(breaks):
            # within one piece: jumps are at its ends
            inner = begin + 1e-9 * (end - begin), end - 1e-9 * (end - begin)
            area, _ = quad(lambda x: float(law.derivative(order, x)), *inner, epsabs=1e-11)
            difference = law.derivative(order - 1, inner[1]) - law.derivative(order - 1, inner[0])
            assert area == pytest.approx(difference, abs=1e-9)


@together("name", MANY)
def test_laws_go_from_rest_to_rest_without_a_jump(name):
    """Position runs from 0 to 1, speed is exactly 0 at both ends, and neither jumps at a joint of
    pieces.
    """
    law = MANY[name]
    assert law.position([0.0, 1.0]).tolist() == [0.0, 1.0]
    assert law.speed([0.0, 1.0]).tolist() == [0.0, 0.0]
    for joint in getattr(law, "breaks", (0.5,))[1:]:
        for order in (0, 1, 2) if law.smooth else (0, 1):
            around = law.derivative(order, [joint - 1e-12, joint + 1e-12])
            assert around[1] == pytest.approx(around[0], abs=1e-9)  # a slope of 1e2 over 2e-12
    np.testing.assert_allclose(law.position(0.37) + law.position(0.63), 1.0, atol=1e-15)


@together("name", MANY)
def test_peaks_follow_from_the_law(name):
    """Peaks equal the closed forms, and no sample of a dense grid is above them."""
    law = MANY[name]
    np.testing.assert_allclose(law.peaks, PEAKS[name], rtol=1e-12)
    x = np.linspace(0.0, 1.0, 20001)
    for order, peak in enumerate(law.peaks, start=1):
        assert np.abs(law.derivative(order, x)).max() <= peak * (1 + 1e-12)
        assert np.isinf(peak) or np.abs(law.derivative(order, x)).max() > peak * (1 - 1e-3)


def test_stated_peaks_of_the_requirement():
    """2 h / T, 5.0603 h / T^2 and 59.615 h / T^3 for the 1-3-5 law, as printed."""
    peaks = LAWS["freudenstein"].peaks
    assert (round(peaks.speed, 12), round(peaks.acceleration, 4), round(peaks.jerk, 3)) == (
        2.0,
        5.0603,
        59.615,
    )


@together("law", LAWS)
@together("bound", ["velocity", "acceleration", "jerk"])
def test_one_axis_just_reaches_its_bound(law, bound):
    """With one kind of bound the slowest axis reaches it exactly, and no axis exceeds it on a fine
    grid.
    """
    if bound == "jerk" and np.isinf(LAWS[law].peaks.jerk):
        with pytest.raises(irb.InputError, match=r"acceleration of law .* jumps"):
            move([0.0], [1.0], law, jerk=1.0)
        return
    limit = np.array([0.5, 0.2, 3.0])
    made = move([0.1, -0.3, 0.0], [1.4, -0.6, 0.2], law, **{bound: limit})
    # peaks at sixths of the duration are among them
    state = made.at(np.linspace(0.0, made.duration, 24001))
    used = (
        np.abs({"velocity": state.v, "acceleration": state.a, "jerk": state.jerk}[bound]).max(
            axis=0
        )
        / limit
    )
    assert used.max() == pytest.approx(1.0, abs=1e-6)  # the peak lies between samples 5e-5 apart
    assert (used <= 1.0 + 1e-12).all()


def test_all_bounds_are_kept_and_the_tightest_decides():
    """Of three bounds the tightest sets the duration: the longest of the three single ones."""
    start, end = [0.0, 1.0], [1.0, -1.5]
    kinds = {"velocity": 1.0, "acceleration": 4.0, "jerk": 9.0}
    single = [
        move(start, end, "quintic", **{kind: value}).duration for kind, value in kinds.items()
    ]
    assert move(start, end, "quintic", **kinds).duration == max(single)
    assert len(set(single)) == 3


def test_axes_are_synchronised_on_a_straight_stroke():
    """All axes start and end together, on the straight line between the postures."""
    made = move([0.0, 1.0, 0.5], [1.0, -1.0, 0.5], "septic", duration=2.0)
    state = made.at(np.linspace(0.0, 2.0, 11))
    np.testing.assert_allclose(state.q[:, 1], 1.0 - 2.0 * state.q[:, 0], atol=1e-15)
    assert (state.q[:, 2] == 0.5).all()
    assert (state.v[1:-1, 0] > 0.0).all()


def test_state_has_the_leading_axes_of_t():
    """One time gives (n,), an array of times its own leading axes."""
    made = move([0.0, 1.0], [1.0, 2.0], duration=1.0)
    assert made.at(0.3).q.shape == (2,)
    assert made.at(np.full((3, 4), 0.3)).jerk.shape == (3, 4, 2)


def test_through_visits_every_posture_and_rests_there():
    """A chain passes its postures at whole multiples of the duration, at rest, without a jump."""
    postures = [[0.0, 1.0], [0.5, -1.0], [2.0, 0.0]]
    chain = through(postures, duration=2.0)
    motion = chain.sample(100.0)
    assert chain.joints == (2.0,)
    assert len(motion.t) == 401
    np.testing.assert_allclose(motion.q[[0, 200, 400]], postures, atol=1e-12)
    assert (motion.v[[0, 200, 400]] == 0.0).all()
    # peak speed times the time step
    assert np.abs(np.diff(motion.q, axis=0)).max() < 2.0 * 2.0 / 2.0 / 100.0 * 1.01


def test_through_takes_the_bounds_of_each_move():
    """With bounds each move has its own shortest duration."""
    chain = through([[0.0], [1.0], [5.0]], "cycloidal", velocity=2.0)
    assert chain.duration == pytest.approx(2.0 * 1.0 / 2.0 + 2.0 * 4.0 / 2.0)
    assert chain.at(chain.joints[0]).q[0] == 1.0


def test_chain_joins_any_kinds_and_gives_jerk_where_all_have_it():
    """Parts of different kinds follow each other; what starts elsewhere is refused."""
    first = move([0.0], [1.0], duration=1.0)
    second = jerk_limited([1.0], [0.0], velocity=1.0, acceleration=2.0, jerk=8.0)
    chain = Chain([first, second])
    assert chain.duration == 1.0 + second.duration
    t = 1.0 + second.duration / 3.0
    assert chain.at(t).q == pytest.approx(second.at(second.duration / 3.0).q, abs=1e-14)
    assert chain.at(0.25).jerk == first.at(0.25).jerk
    # where it jumps, the later value
    assert chain.at(1.0).jerk == second.at(0.0).jerk != first.at(1.0).jerk
    with pytest.raises(irb.InputError, match="position jumps from part 1 to part 2"):
        Chain([first, first])


def test_samples_end_where_the_trajectory_ends():
    """Samples come at the rate, and the last one is at the end, on the grid or not."""
    on = move([0.0], [1.0], duration=0.3).sample(10.0)
    np.testing.assert_allclose(on.t, [0.0, 0.1, 0.2, 0.3], atol=1e-15)
    off = move([0.0], [1.0], duration=0.25).sample(10.0)
    np.testing.assert_allclose(off.t, [0.0, 0.1, 0.2, 0.25], atol=1e-15)
    assert off.q[-1] == 1.0
    assert isinstance(off, Motion)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(MANY)), st.floats(0.01, 3.0), st.floats(0.1, 3.0),
    st.one_of(st.floats(3.0, 2000.0), st.sampled_from([100.0, 250.0, 1000.0])), st.floats(-3e-16, 3e-16),
)  # fmt: skip
def test_every_law_rests_exactly_at_both_ends(name, stroke, speed, rate, noise):
    """The last sample is the end itself, at rest; an axis that rounding alone moves stands still at
    every time.
    """
    start = np.array([0.3, -1.0, 0.7])
    end = start + np.array([stroke, -0.4 * stroke, noise])
    swing = move(start, end, MANY[name], velocity=speed)
    motion = swing.sample(rate)
    assert motion.t[-1] == swing.duration
    np.testing.assert_array_equal([motion.q[0], motion.q[-1]], [start, end])
    assert not motion.v[[0, -1]].any()
    assert not motion.v[:, 2].any()
    assert motion.v[1:-1, :2].all()
    np.testing.assert_array_equal(ROBOT.friction(np.tile(motion.v[-1], 2)), 0.0)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(MANY)),
    st.floats(0.05, 2.0),
    st.floats(0.05, 2.0),
    st.integers(-4, 4),
    st.integers(1, 12),
)
def test_times_off_a_rest_by_rounding_are_at_rest(name, first, second, ulps, times):
    """Ends and joints of chains, of chains of chains too, are met by times that are off by
    rounding.
    """
    law = MANY[name]
    parts = ([0.0], [1.0], first), ([1.0], [0.2], second), ([0.2], [0.0], first)
    out, on, back = (move(start, end, law, duration=time) for start, end, time in parts)
    way = Chain([out, on])
    # rounding of its end is far more than that of a move's duration
    wait = move([0.0], [0.0], duration=1e4 * second)
    swing = Chain([Chain([way, back]), *[wait, way, back] * times])
    assert len(swing.joints) == 3 * times
    rests = np.array([0.0, first, first + second, *swing.joints, swing.duration])
    assert not swing.at(rests + ulps * np.spacing(swing.duration)).v.any()
    assert swing.at(0.5 * first).v.all()


def test_a_law_rests_at_shares_that_rounding_moves():
    """A share of a duration just short of 1, or beyond it, is 1; none is taken for a time after the
    end.
    """
    for law in MANY.values():
        for x in (1.0 - 2e-16, 1.0 + 1e-10, 2e-16, -1e-10):
            assert law.speed(x) == 0.0
            assert law.position(x) == round(x)
        assert law.speed(1e-9) > 0.0


def test_csv_comes_back(tmp_path):
    """What write_motion writes of samples, open_motion reads: nine digits of every number."""
    robot = irb.load("irb930")
    motion = move([0.0, 0.1, -0.1, 0.0], [0.5, -0.4, -0.2, 1.0], "quintic", duration=0.35).sample(
        250.0
    )
    irb.write_motion(tmp_path / "m.csv", motion, robot)
    back = irb.open_motion(tmp_path / "m.csv", robot).read()
    for wrote, read in zip(motion[:4], back[:4], strict=True):
        np.testing.assert_allclose(read, wrote, rtol=1e-8, atol=1e-12)


@together(
    "wrong, message",
    [
        *(
            (
                lambda wrong=wrong: move([0.0], [1.0], duration=wrong),
                "duration of a move .* positive",
            )
            for wrong in (0.0, -1.0, float("nan"), float("inf"), "2")
        ),
        (lambda: move([0.0], [float("nan")], duration=1.0), "end needs .* finite"),
        (lambda: move([0.0, 1.0], [1.0], duration=1.0), r"end needs \(2,\)"),
        (lambda: move(0.0, 1.0, duration=1.0), r"start needs shape \(n,\)"),
        (lambda: move([0.0], [1.0]), "either a duration"),
        (lambda: move([0.0], [1.0], duration=1.0, velocity=1.0), "either a duration"),
        (lambda: move([0.0], [1.0], velocity=0.0), "velocity must be positive"),
        (lambda: move([0.0], [1.0], velocity=[1.0, 2.0]), "velocity needs one number, or 1"),
        (lambda: move([0.0], [0.0], velocity=1.0), "same posture"),
        (lambda: trapezoid(0.6), "blend is a share"),
        (lambda: s_curve(0.3, 0.0), "rounding is a share"),
        (lambda: through([[0.0]], duration=1.0), "two postures"),
        (lambda: Chain([]), "list of trajectories"),
        *(
            (lambda rate=rate: move([0.0], [1.0], duration=1.0).sample(rate), "rate .* positive")
            for rate in (0.0, -5.0, float("nan"))
        ),
        (lambda: move([0.0], [1.0], duration=1.0).sample(1e12), "more than"),
        (lambda: move([0.0], [1.0], duration=1.0).at(1.1), "t = 1.1 s is not within"),
        (
            lambda: move([0.0], [1.0], duration=1.0).at([0.5, float("nan")]),
            "t = nan s is not within",
        ),
        (lambda: move([0.0], [1.0], duration=1.0).at(-0.1), "t = -0.1 s is not within"),
    ],
)
def test_wrong_input_is_one_clear_line(wrong, message):
    refused_in_one_line(wrong, message)


def test_unknown_law_names_the_nearest():
    """A misspelt law is answered with the one that comes close."""
    with pytest.raises(irb.errors.UnknownName, match="did you mean 'quintic'"):
        move([0.0], [1.0], "quintik", duration=1.0)
