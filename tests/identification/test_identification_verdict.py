import re
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
import verdict_cases as cases
import yaml
from excited import SIGMA, excitation, torques
from grouped import together
from scipy import signal, stats

import irbmodels as irb
from irbmodels import FileError, InputError, PhysicsWarning, UnknownName
from irbmodels.errors import MotionError, TableError
from irbmodels.identification.fits import (
    Samples,
    TorqueEquations,
    accumulate,
    weighted_least_squares,
)
from irbmodels.identification.recordings import Flag, Sensors, synthetic_recording
from irbmodels.identification.validation import (
    NotIdentifiable,
    binned_mean,
    identify,
    limitations_of,
    nearest_parameters,
    prepare,
    split_recording,
    state_dependence,
    usable_segments,
    whiteness_test,
    write_parameter_set,
)
from irbmodels.identification.validation.evaluation import evaluate
from irbmodels.identification.validation.preparation import held_positions
from irbmodels.identification.validation.residuals import Whiteness
from irbmodels.identification.validation.verdict import Limitation
from irbmodels.report.identification import remarks

DEGREE = np.pi / 180.0


@pytest.fixture(scope="module")
def good():
    return cases.good()


@pytest.fixture(scope="module")
def held():
    """Prepared held-out parts of the good logs."""
    return [prepare(split_recording(cases.log(seed))[1]) for seed in (1, 2)]


# --- residuals


def test_whiteness_is_ljung_box():
    """Of one stretch, correlations are those of numpy's full correlation, and Q is Ljung and Box's
    formula.
    """
    e = np.random.default_rng(0).normal([1.0, -2.0], 1.0, (300, 2))
    actual = whiteness_test([e], lags=7)
    for i in range(2):
        x = e[:, i] - e[:, i].mean()
        r = np.correlate(x, x, "full")[300:307] / (x @ x)
        Q = 300 * 302 * sum(r[k - 1] ** 2 / (300 - k) for k in range(1, 8))
        np.testing.assert_allclose(actual.autocorrelation[:, i], r, rtol=1e-10)
        np.testing.assert_allclose(actual.statistic[i], Q, rtol=1e-10)
        np.testing.assert_allclose(actual.p[i], stats.chi2.sf(Q, 7), rtol=1e-9)
    expected = 1.96 * np.sqrt(300 - np.arange(1, 8)) / 300
    np.testing.assert_allclose(actual.bound, np.column_stack([expected, expected]))


def test_no_pair_spans_a_hole():
    """Two stretches give the correlations of pairs inside each, and count only these."""
    rng = np.random.default_rng(1)
    parts = [rng.normal(size=(n, 1)) for n in (40, 5, 60)]
    x = np.concatenate(parts)[:, 0]
    mean, actual = x.mean(), whiteness_test(parts, lags=6)
    for lag in range(1, 7):
        pairs = [
            ((a - mean) * (b - mean))
            for part in parts
            for a, b in zip(part[:-lag, 0], part[lag:, 0], strict=True)
        ]
        np.testing.assert_allclose(
            actual.autocorrelation[lag - 1, 0], sum(pairs) / np.square(x - mean).sum(), rtol=1e-12
        )
        np.testing.assert_allclose(actual.bound[lag - 1], 1.96 * np.sqrt(len(pairs)) / 105)


def test_white_noise_is_white_and_coloured_noise_is_not():
    """At 5 % the test errs in 5 % of 400 white series (3 standard deviations); AR(1) remembers (1 +
    r) / (1 - r) samples.
    """
    rng = np.random.default_rng(2)
    wrong = np.mean(whiteness_test([rng.normal(size=(400, 400))]).p < 0.05)
    assert abs(wrong - 0.05) < 3.0 * np.sqrt(0.05 * 0.95 / 400)
    ar = signal.lfilter([1.0], [1.0, -0.6], rng.normal(size=(200_000, 2)), axis=0)
    actual = whiteness_test([ar])
    assert (actual.p < 1e-9).all()
    # of 200 000 samples, correlations are right to 0.005
    np.testing.assert_allclose(actual.correlation_length, 1.6 / 0.4, rtol=0.05)


def test_exact_residuals_are_no_error():
    """Residuals of exactly zero have no correlation, and depend on nothing."""
    zero = np.zeros((100, 1))
    assert (whiteness_test([zero]).autocorrelation == 0.0).all()
    actual = state_dependence([zero], [np.random.default_rng(0).normal(size=(100, 1))])
    assert actual.explained[0, 0, 0] == 0.0
    assert actual.p[0, 0, 0] == 1.0


def test_dependence_is_the_adjusted_correlation_ratio():
    """Share and probability are those of a one-way analysis of variance over bins of equal size, by
    scipy.
    """
    rng = np.random.default_rng(3)
    x = rng.uniform(-1.0, 1.0, (2000, 2))
    e = 0.4 * np.sin(3.0 * x[:, :1]) + rng.normal(size=(2000, 1))
    actual = state_dependence([e], [x], lags=1)
    order = np.argsort(x[:, 0])
    groups = np.split(e[order, 0], 20)  # 20 bins of 100 samples
    F = stats.f_oneway(*groups)
    between = sum(100 * (g.mean() - e.mean()) ** 2 for g in groups)
    within = sum(np.square(g - g.mean()).sum() for g in groups)
    share = (between - 19 * within / 1980) / np.square(e - e.mean()).sum()
    np.testing.assert_allclose(actual.explained[0, 0, 0], share, rtol=1e-9)
    inside = whiteness_test(
        [np.concatenate([g - g.mean() for g in groups])[np.argsort(order), None]], 1
    ).correlation_length
    assert inside == 1.0  # so that the plain F test is the one
    np.testing.assert_allclose(actual.p[0, 0, 0], F.pvalue, rtol=1e-6)
    assert abs(actual.explained[0, 0, 0] - 0.08 * (1 - np.sin(6) / 6) / 1.08) < 0.03
    assert actual.explained[0, 0, 1] < 0.01
    assert actual.p[0, 0, 1] > 0.01


def test_slow_noise_is_no_dependence():
    """Noise with memory does not seem to depend on a slow motion; without its memory it would, in
    most series.
    """
    rng = np.random.default_rng(4)
    t = np.linspace(0.0, 6.0 * np.pi, 3000)
    x = np.stack([np.sin(t), np.cos(0.7 * t)], axis=1)
    noise = signal.lfilter([1.0], [1.0, -0.85], rng.normal(size=(3000, 60)), axis=0)
    assert (state_dependence([noise], [x]).p < 0.001).mean() < 0.05
    # one lag sees but a part of it
    assert (state_dependence([noise], [x], lags=1).p < 0.001).mean() > 0.1


def test_what_is_held_is_not_tested():
    """A quantity that stands still has no share and no probability, and is not counted as a
    test.
    """
    rng = np.random.default_rng(5)
    x = np.stack([rng.normal(size=200), np.full(200, 0.3)], axis=1)
    actual = state_dependence([rng.normal(size=(200, 3))], [x, x])
    assert np.isnan(actual.explained[:, :, 1]).all()
    assert actual.tests == 6
    mostly = np.where(np.arange(200) < 190, 0.0, 1.0)[:, None]
    assert np.isfinite(state_dependence([rng.normal(size=(200, 1))], [mostly]).p).all()


def test_curve_has_means_of_equal_bins():
    """Means and their standard deviations per bin are numpy's, as large as the memory makes
    them.
    """
    rng = np.random.default_rng(6)
    x, e = rng.normal(size=1000), rng.normal(size=1000)
    actual = binned_mean(e, x, memory=4.0)
    groups = np.split(np.argsort(x), 20)
    np.testing.assert_allclose(actual.at, [x[g].mean() for g in groups])
    np.testing.assert_allclose(actual.mean, [e[g].mean() for g in groups])
    np.testing.assert_allclose(actual.error, [2.0 * e[g].std() / np.sqrt(50) for g in groups])


# --- logs


def test_the_end_of_a_log_is_held_out():
    """The last quarter in time is held out, nothing is in both parts, and it is said."""
    log = cases.log(1)
    first, last = split_recording(log)
    assert len(first) + len(last) == len(log)
    assert first.t[-1] < last.t[0]
    np.testing.assert_allclose(last.t[0], 0.75 * log.t[-1], atol=log.step)
    assert "the last 25% of the log, from t = 9" in str(first.findings[-1])
    for share in (0.0, 1.0, np.nan, -0.1):
        with pytest.raises(InputError, match="between 0 and 1"):
            split_recording(log, share)
    with pytest.raises(InputError, match="too few"):
        split_recording(log.select(slice(0, 1)))


def test_a_log_is_prepared():
    """Positions and speeds are those of the motion, times and torques as logged, however unequal."""
    wanted, log = cases.motion(1), cases.log(1)
    ready = prepare(log)
    inner = slice(60, len(log) - 60)
    # rad/s of 2: noise of counts of 6e-6 rad at 10 Hz
    assert np.abs(ready.v[inner] - wanted.v[inner]).max() < 2e-3
    np.testing.assert_array_equal(ready.tau, log.tau)
    assert ready.has(Flag.AT_REST).any()
    uneven = cases.log(1, jitter=0.0007)
    shaky = prepare(uneven)
    np.testing.assert_array_equal(shaky.t, uneven.t)
    np.testing.assert_array_equal(shaky.tau, uneven.tau)
    with pytest.raises(MotionError, match="no torques"):
        prepare(log.changed(tau=None))
    with pytest.raises(InputError, match=r"simulated irb2400_16.*cutoff"):
        prepare(log, 200.0)


# --- a good log


def test_a_good_log_is_trusted(good):
    """From another prior, two logs of 12 s give a set that nothing speaks against, and that
    predicts better than the prior.
    """
    judged = good.verdict
    assert judged.level in ("reference", "good")
    assert judged.reasons == () == judged.mistakes
    assert (judged.held_out.rmse < 1.1 * SIGMA).all()
    assert (judged.held_out.rmse[:3] < 0.95 * judged.previous.rmse[:3]).all()
    assert judged.impossible_bodies == judged.negative_parameters == ()
    assert judged.samples + judged.held_samples < 6000 - 4 * 100
    assert judged.flagged["EDGE"] == pytest.approx(400 / 6000, abs=0.002)


def test_intervals_hold_the_truth(good):
    """Of 54 sums, and the Stribeck speeds that logs tell, 95 % intervals hold the true ones, but
    for bad luck of 1 in 10 000.
    """
    axes = [
        int(name.removeprefix("v_St_")) - 1 for name in good.fit_with_speeds.names[good.base.rank :]
    ]
    assert set(axes) >= {2, 3, 4, 5}
    exact = [
        *good.base.values(cases.truth().parameter_vector()),
        *cases.truth().friction_model.v_St[axes],
    ]
    inside = [
        one.low <= value <= one.high
        for one, value in zip(good.verdict.estimates, exact, strict=True)
    ]
    assert sum(inside) >= stats.binom.ppf(1e-4, len(exact), 0.95)


def test_errors_are_those_of_an_independent_engine(good, held):
    """MAE, RMSE, AVG and RMSE/AVG of the set are numpy's on torques by Pinocchio's recursion, state
    by state.
    """
    loaded = _loaded(good)
    measured, model = [], []
    for part in usable_segments(held, range(6)):
        measured.append(part.tau)
        model.append(torques(loaded, part.q, part.v, part.a))
    e, tau = np.concatenate(measured) - np.concatenate(model), np.concatenate(measured)
    accuracy = good.verdict.held_out
    assert 0 < np.isnan(e).sum() < 0.01 * e.size  # rests leave torques out
    np.testing.assert_allclose(accuracy.mae, np.nanmean(np.abs(e), axis=0), rtol=1e-9)
    np.testing.assert_allclose(accuracy.rmse, np.sqrt(np.nanmean(e**2, axis=0)), rtol=1e-9)
    np.testing.assert_allclose(accuracy.average, np.nanmean(np.abs(tau), axis=0), rtol=1e-12)
    np.testing.assert_allclose(accuracy.rmse_over_average, 100 * accuracy.rmse / accuracy.average)
    np.testing.assert_allclose(good.verdict.residual(), e, atol=1e-9)
    before = tau - np.concatenate(
        [torques(cases.prior(), *part[1:4]) for part in usable_segments(held, range(6))]
    )
    np.testing.assert_allclose(
        good.verdict.previous.rmse, np.sqrt(np.nanmean(before**2, axis=0)), rtol=1e-9
    )


_FILE = []


def _loaded(good):
    """The set of the good logs, written and loaded, once."""
    if not _FILE:
        import tempfile
        from pathlib import Path

        _FILE.append(
            write_parameter_set(
                Path(tempfile.mkdtemp()) / "mine.yaml", good.parameters, good.verdict, "two logs"
            )
        )
    return irb.load("irb2400", tool="spindle", parameters=_FILE[0])


def test_condition_and_states_of_the_sums(good):
    """The condition is numpy's of the weighted regressor with unit columns, those of Stribeck
    speeds by finite differences.
    """
    judged, base = good.verdict, good.base
    # an axis with more noise weighs less here, too
    np.testing.assert_array_equal(good.fit_with_speeds.weights, good.fit.weights)
    np.testing.assert_allclose(
        good.fit_with_speeds.weights, 1.0 / np.square(good.fit.noise), rtol=0.05
    )
    motions = usable_segments(
        [prepare(split_recording(cases.log(seed))[0]) for seed in (1, 2)], range(6)
    )
    robot, v = good.parameters.robot, np.concatenate([part.v for part in motions])
    Y = np.concatenate([base.reduced(robot.regressor(part.q, part.v, part.a)) for part in motions])
    for name, speed in zip(
        good.fit_with_speeds.names[base.rank :], good.fit_with_speeds.beta[base.rank :], strict=True
    ):
        axis, column = int(name.removeprefix("v_St_")) - 1, np.zeros((*v.shape, 1))
        ends = [np.exp(-np.square(v[:, axis] / (speed * (1.0 + h)))) for h in (1e-5, -1e-5)]
        drop = good.fit_with_speeds.beta[base.names.index(f"Fs-Fc_{axis + 1}")]
        column[:, axis, 0] = drop * np.sign(v[:, axis]) * (ends[0] - ends[1]) / (2e-5 * speed)
        Y = np.concatenate([Y, column], axis=-1)
    there = np.isfinite(np.concatenate([part.tau for part in motions]))
    stacked = (Y * np.sqrt(good.fit_with_speeds.weights)[:, None])[there]
    np.testing.assert_allclose(
        judged.condition, np.linalg.cond(stacked / np.linalg.norm(stacked, axis=0)), rtol=1e-6
    )
    for one, estimate, deviation in zip(
        judged.estimates, good.fit_with_speeds.beta, good.fit_with_speeds.deviation, strict=True
    ):
        ratio = deviation / abs(estimate)
        assert one.significance == (
            "significant" if ratio <= 0.1 else "weak" if ratio <= 0.5 else "insignificant"
        )
        assert one.changed == (abs(one.previous - estimate) > 0.5 * (one.high - one.low))
    assert {one.significance for one in judged.estimates} == {
        "significant",
        "weak",
        "insignificant",
    }
    assert {"Izz_1", "m_2"} & {one.name.split()[0] for one in judged.estimates} == {"Izz_1"}
    assert "m_1" in judged.unidentifiable
    assert "Izz_1" not in judged.unidentifiable


def test_coverage_is_that_of_the_samples(good):
    """Positions, speeds and accelerations are the extremes of the fit's samples; the range of axis
    3 is one of q3 - q2.
    """
    motions = usable_segments(
        [prepare(split_recording(cases.log(seed))[0]) for seed in (1, 2)], range(6)
    )
    q, v, a = (np.concatenate([getattr(part, name) for part in motions]) for name in "qva")
    cover = good.verdict.coverage
    np.testing.assert_array_equal(cover.low, q.min(axis=0))
    np.testing.assert_array_equal(cover.high, q.max(axis=0))
    np.testing.assert_array_equal(cover.acceleration, np.abs(a).max(axis=0))
    np.testing.assert_allclose(
        cover.speed_share,
        np.abs(v).max(axis=0) / (np.array([150, 150, 150, 360, 360, 450]) * DEGREE),
    )
    np.testing.assert_allclose(cover.span[2], np.ptp(q[:, 2] - q[:, 1]) / (125 * DEGREE))
    np.testing.assert_allclose(cover.span[0], np.ptp(q[:, 0]) / (360 * DEGREE))
    there = np.concatenate([np.isfinite(part.tau[:, 1]) for part in motions])
    np.testing.assert_allclose(cover.slow[1], np.mean(np.abs(v[there, 1]) < 2 * 0.0031))


# --- the file


def test_a_set_comes_back_with_the_same_torques(good, held):
    """Loaded by its path, the set gives the torques of the fit's consistent set to 1e-9, and its
    friction and grade.
    """
    robot = _loaded(good)
    part = usable_segments(held, range(6))[0]
    want = good.parameters.robot.regressor(part.q, part.v, part.a) @ good.parameters.vector
    np.testing.assert_allclose(robot.inverse_dynamics(part.q, part.v, part.a), want, atol=1e-9)
    np.testing.assert_allclose(robot.parameter_vector(), good.parameters.vector, atol=1e-12)
    np.testing.assert_allclose(robot.friction_model.Fc, good.parameters.friction[:, 1], rtol=1e-12)
    assert robot.friction_model.measured_to == pytest.approx(
        good.verdict.coverage.speed.min(), rel=1e-12
    )
    assert robot.parameters == "identified"
    row = robot.description.inertials.sets["identified"].links["link_3"]
    assert robot.description.inertials.sources[row.source_of("mass_kg")].grade == "identified"
    swapped = cases.prior().with_parameters(_FILE[0])
    np.testing.assert_allclose(swapped.parameter_vector(), robot.parameter_vector(), rtol=1e-12)
    assert swapped.description.overlays == ("mine",)
    back = swapped.with_parameters("jia2018")
    assert back.parameters == "jia2018"


def test_the_file_says_how_sure_it_is(good):
    """Estimates and standard deviations stand in the file under the names of their sums, and a
    reader finds them.
    """
    _loaded(good)
    identified = yaml.safe_load(_FILE[0].read_text())["identified"]
    assert identified["level"] == good.verdict.level
    assert identified["reasons"] == []
    # N m, Tab. 5 of S000
    assert identified["sums"]["Fc_2"] == [pytest.approx(31.2, abs=2.0), pytest.approx(0.3, abs=0.2)]
    assert list(identified["sums"]) == list(good.fit_with_speeds.names)


def test_a_set_goes_into_a_urdf(good, tmp_path):
    """The URDF of the loaded robot, read again without tables, needs the same torques but for
    friction.
    """
    robot = _loaded(good)
    path = tmp_path / "arm.urdf"
    path.write_text(robot.urdf())
    other, rng = irb.from_urdf(path), np.random.default_rng(0)
    q, v, a = rng.uniform(-1.0, 1.0, (3, 5, 6))
    want = robot.inverse_dynamics(q, v, a, friction=False)
    # carriers of 1e-6 kg
    np.testing.assert_allclose(other.inverse_dynamics(q, v, a, friction=False), want, atol=1e-3)


def test_a_doubtful_set_warns(good, tmp_path):
    """A set with reasons against it is written with them, and warns by path, by load and by
    with_parameters.
    """
    found = tuple(Limitation(text, "poor") for text in ("too slow", "too few"))
    doubtful = replace(good.verdict, limitations=found)
    path = write_parameter_set(tmp_path / "bad.yaml", good.parameters, doubtful, "a log")
    for keys in ({"parameters": path}, {"overlays": [path]}):
        with pytest.warns(PhysicsWarning, match=r"bad\.yaml is poor: too slow; too few"):
            irb.load("irb2400", tool="spindle", **keys)
    with pytest.warns(PhysicsWarning, match="is poor"):
        cases.truth().with_parameters(str(path))
    assert "POOR" in yaml.safe_load(path.read_text())["about"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda t: t.update(kinematics={"joints": {"joint_1": {"a_mm": 1.0, "source": "fit"}}}),
            "kinematics: is no part of a set",
        ),
        (lambda t: t["inertials"].pop("default"), "inertials.default: None is no set"),
        (lambda t: t["inertials"].update(default="other"), "inertials.default: 'other' is no set"),
        (lambda t: t["inertials"].update(sets=[1]), "inertials.default: 'identified' is no set"),
        (
            lambda t: t["identified"].update(trusted=True),
            "identified: no key 'trusted'",
        ),
        (
            lambda t: t["identified"].update(level="fine"),
            "identified.level: 'fine'",
        ),
        (
            lambda t: t["inertials"]["sets"]["identified"]["links"]["link_2"].update(mass_kg=-1.0),
            "mass -1 kg is not positive",
        ),
        (
            lambda t: t["inertials"]["sets"]["identified"].update(links=[1]),
            r"links: \[1\] should be a mapping",
        ),
        (
            lambda t: t["friction"].update(sets={"identified": 3}),
            "friction.sets.identified: 3 should be a mapping",
        ),
    ],
)
def test_a_broken_file_is_refused(good, tmp_path, change, problem):
    """Whatever is wrong in a file is said with its key."""
    _loaded(good)
    table = yaml.safe_load(_FILE[0].read_text())
    change(table)
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(table))
    with pytest.raises(TableError, match=problem):
        irb.load("irb2400", tool="spindle", parameters=path)


def test_a_file_may_hold_rotors(good, tmp_path):
    """Rotor inertias of a set's drives are those that with_rotors takes: motor side, times the
    ratio squared.
    """
    _loaded(good)
    table = yaml.safe_load(_FILE[0].read_text())
    rows = {
        f"axis_{i}": {"gear_ratio": 100.0, "rotor_inertia_kg_m2": 1e-4 * i, "source": "fit"}
        for i in range(1, 7)
    }
    path = tmp_path / "rotors.yaml"
    path.write_text(yaml.safe_dump(table | {"drives": {"axes": rows}}).replace("1e-04", "1.0e-04"))
    robot = irb.load("irb2400", tool="spindle", parameters=path)
    gained = robot.with_rotors().mass_matrix(np.zeros(6)) - robot.mass_matrix(np.zeros(6))
    np.testing.assert_allclose(gained, np.diag(np.arange(1.0, 7.0)), atol=1e-12)


def test_a_file_that_is_none_is_refused(good, tmp_path):
    """A path that does not exist, another suffix, friction that drives:
    each is one line.
    """
    with pytest.raises(FileError, match=r"none\.yaml"):
        irb.load("irb2400", parameters=str(tmp_path / "none.yaml"))
    with pytest.raises(UnknownName, match="parameter set of irb2400_16 'mine'"):
        irb.load("irb2400", parameters="mine")
    with pytest.raises(InputError, match=r"\.yaml file"):
        write_parameter_set(tmp_path / "set.json", good.parameters, good.verdict, "")
    with pytest.raises(InputError, match="Fc_4 is negative"):
        write_parameter_set(
            tmp_path / "set.yaml",
            good.parameters,
            replace(good.verdict, negative_parameters=("Fc_4",)),
            "",
        )
    assert list(tmp_path.iterdir()) == []


def test_a_set_says_whose_it_is(good, tmp_path):
    """The file names robot, tool and schema: another robot refuses it, and another tool warns until
    the right one is on.
    """
    _loaded(good)
    table = yaml.safe_load(_FILE[0].read_text())
    assert [table["schema"], table["robot"], table["tool"]] == [1, "irb2400_16", "spindle"]
    for name in ("irb1600", "irb2400_10", "irb930"):
        with pytest.raises(
            TableError, match=r"robot: the numbers are those of irb2400_16, not of irb"
        ):
            irb.load(name, parameters=_FILE[0])
    with pytest.warns(
        PhysicsWarning,
        match="mine.yaml was identified with tool spindle, and irb2400_16 has no tool",
    ):
        robot = irb.load("irb2400", parameters=_FILE[0])
    np.testing.assert_array_equal(
        robot.with_tool("spindle").gravity(np.ones(6)), _loaded(good).gravity(np.ones(6))
    )
    _loaded(good).with_payload(irb.payload(1.0)).with_tool("spindle").with_friction(None)
    with pytest.warns(PhysicsWarning, match="with tool spindle, and irb2400_16 has tool pen"):
        _loaded(good).with_tool(irb.Tool("pen", pin.SE3.Identity(), irb.payload(1.0)))
    with pytest.warns(PhysicsWarning, match="with tool spindle, and irb2400_16 has no tool"):
        irb.load("irb2400").with_parameters(_FILE[0])


# --- methods


@pytest.mark.parametrize("method", ["wls", "ls", "huber"])
def test_other_methods_keep_the_sums(good, method, tmp_path):
    """Without constraints the set has exactly the sums of the fit; what no body can be is named,
    said and written so.
    """
    actual = cases.identified(cases.prior(), cases.log(1), cases.log(2), method=method)
    beta, rank = actual.fit_with_speeds.beta, actual.base.rank
    np.testing.assert_allclose(
        actual.base.values(actual.parameters.vector), beta[:rank], rtol=1e-9, atol=1e-9
    )
    assert (
        np.abs(beta - good.fit_with_speeds.beta[: beta.size])
        < 5.0 * actual.fit_with_speeds.deviation
    ).all()
    assert (beta.size == rank) == (method == "huber")
    assert (actual.fit.weights == 1.0).all() == (method == "ls")
    assert actual.verdict.impossible_bodies
    assert actual.verdict.reasons == (
        f"physically impossible bodies: {', '.join(actual.verdict.impossible_bodies)}",
    )
    path = write_parameter_set(tmp_path / "set.yaml", actual.parameters, actual.verdict, "logs")
    with (
        pytest.warns(PhysicsWarning, match="physically impossible bodies"),
        pytest.warns(PhysicsWarning, match="impossible in"),
    ):
        robot = irb.load("irb2400", tool="spindle", parameters=path)
    np.testing.assert_allclose(robot.parameter_vector(), actual.parameters.vector, atol=1e-9)


def test_the_nearest_set_moves_least(good):
    """No other set with the same sums lies nearer to the prior, in units of what each body has."""
    actual = nearest_parameters(good.fit, cases.prior(), good.base)
    bare = cases.prior().with_tool(None).parameter_vector()
    own = actual.vector - (cases.prior().parameter_vector() - bare)
    size = np.ones(bare.size)
    for i in range(6):
        m, second = bare[10 * i], 0.5 * bare[[10 * i + 4, 10 * i + 6, 10 * i + 9]].sum()
        size[10 * i : 10 * i + 10] = [m, *[np.sqrt(m * second)] * 3, *[second] * 6]
    move, rng = (own - bare) / size, np.random.default_rng(0)
    null = np.linalg.svd(good.base.grouping * size)[2][good.base.rank :]
    assert len(null) > 10
    for _ in range(20):
        other = move + 1e-3 * rng.normal(size=len(null)) @ null
        assert np.linalg.norm(other) > np.linalg.norm(move)


def test_a_method_is_one_of_four(held):
    """An unknown method is refused with the known ones."""
    with pytest.raises(UnknownName, match="huber"):
        identify(cases.prior(), held, held, method="robust")


# --- bad logs


def test_too_little_motion_is_said():
    """Two per cent of a motion: condition number, range and speed speak against the set."""
    reasons = "\n".join(
        cases.identified(cases.truth(), cases.log(1, scale=(0.02,) * 6)).verdict.reasons
    )
    assert "the condition number is" in reasons
    assert (
        "axis 4: the logs cover 0.9% of the range, less than 10%" in reasons
        or "axis 4: the logs cover" in reasons
    )
    assert "of the rated speed, less than 10%" in reasons


def test_an_axis_that_stands_is_said():
    """An axis at rest has no sample; told that it stands, the others are identified, and its
    sums are left out.
    """
    scale = (1.0, 1.0, 1.0, 0.0, 1.0, 1.0)
    with pytest.raises(NotIdentifiable, match=r"no sample of axis 4 can be used: .*AT_REST"):
        cases.identified(cases.truth(), cases.log(1, scale=scale))
    actual = cases.identified(
        cases.truth(), cases.log(1, scale=scale), cases.log(2, scale=scale), axes=[1, 2, 3, 5, 6]
    )
    assert actual.verdict.level in ("reference", "good"), actual.verdict.reasons
    assert actual.verdict.axes == (0, 1, 2, 4, 5)
    assert "Fc_4" not in {one.name for one in actual.verdict.estimates}
    assert np.isnan(actual.parameters.friction[3]).all()


def test_a_wrong_tool_is_said():
    """A tool that was not there: bodies cannot have what the torques say.

    Told to a validation: gravity depends on q.
    """
    reasons = "\n".join(cases.identified(cases.truth(), cases.log(3, tool=False)).verdict.reasons)
    assert "standard deviations per base parameter from the unconstrained fit" in reasons
    judged = evaluate(cases.truth(), [prepare(cases.log(1, tool=False))])
    reasons = "\n".join(judged.reasons)
    assert judged.level == "wrong"
    assert "less on the flange than the robot carries" in reasons
    assert (
        judged.condition is judged.impossible_bodies is judged.previous is judged.estimation is None
    )
    assert not judged.estimates
    assert judged.samples == 0


def test_a_solver_that_gives_up_is_said(held, monkeypatch):
    """Where no bodies are found there is no set to judge, and the tool is suspected."""

    def gives_up(*_, **__):
        raise InputError("the solver gives up: Solver 'CLARABEL' failed. Try another solver")

    monkeypatch.setattr("irbmodels.identification.validation.pipeline.consistent_fit", gives_up)
    with pytest.raises(
        NotIdentifiable,
        match=(
            r"move so \(the solver gives up\); is the tool another one, .* method wls needs no"
            r" solver$"
        ),
    ):
        identify(cases.truth(), held, held)


TWO_AXES = """<robot name="two"><link name="base"/>
<link name="turret"><inertial><mass value="30"/><origin xyz="0.1 0 0.2"/>
  <inertia ixx="0.9" iyy="1" izz="0.8" ixy="0" ixz="0.1" iyz="0"/></inertial></link>
<link name="arm"><inertial><mass value="12"/><origin xyz="0.3 0.02 0.05"/>
  <inertia ixx="{0}" iyy="{1}" izz="{1}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="turret"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" velocity="3" effort="900"/><dynamics damping="20" friction="10"/></joint>
<joint name="lift" type="revolute"><parent link="turret"/><child link="arm"/><origin xyz="0.2 0 0.4"/><axis xyz="0 1 0"/>
  <limit lower="-2" upper="2" velocity="3" effort="900"/><dynamics damping="15" friction="8"/></joint></robot>"""


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Somebody's URDF of two axes, the same with a zero tensor as editors leave it, and prepared
    halves of a log of the first.
    """
    folder = tmp_path_factory.mktemp("two")
    for name, moments in (("true", (0.05, 0.4)), ("zeroed", (0, 0))):
        (folder / f"{name}.urdf").write_text(TWO_AXES.format(*moments), encoding="utf-8")
    true = irb.from_urdf(folder / "true.urdf")
    with pytest.warns(
        PhysicsWarning, match="what lift moves is impossible: tensor is not positive definite"
    ):
        zeroed = irb.from_urdf(folder / "zeroed.urdf")
    log = synthetic_recording(
        true,
        excitation(true, 12.0),
        Sensors(counts=2**20, torque_noise=[0.5, 0.5]),
        controller=False,
    )
    return true, zeroed, *([prepare(half)] for half in split_recording(log))


def test_a_prior_that_is_no_body_is_named_at_once(two):
    """Its nearest body stands for it: what the log tells is identified all the same, and the report
    names the link.
    """
    _, zeroed, estimation, held = two
    with pytest.warns(
        PhysicsWarning,
        match="no body can be arm of two: tensor is not .*; the nearest one stands for it",
    ):
        actual = identify(zeroed, estimation, held)
    assert tuple(actual.verdict.impossible_in_prior) == ("arm",)
    assert any(
        line.startswith("no body can be arm of the robot's own set: tensor")
        for line in remarks(actual.verdict)
    )
    assert not actual.verdict.impossible_bodies
    assert (actual.verdict.held_out.rmse < 0.55).all()  # the noise
    assert actual.verdict.level in ("reference", "good"), actual.verdict.reasons


def test_where_the_prior_is_impossible_nothing_else_is_blamed(two, good, monkeypatch):
    """A failed fit and a verdict name the link, and neither tool, payload nor sign."""
    true, zeroed, estimation, held = two

    def gives_up(*_, **__):
        raise InputError("the solver gives up: Solver 'CLARABEL' failed. Try another solver")

    judged = evaluate(zeroed, [one.changed(tau=one.tau + 40.0 * one.q) for one in held])
    assert any("the model misses a term" in reason for reason in judged.reasons)
    (reason,) = changed(good.verdict, distance=3.1, impossible_in_prior={"lift": "tensor is zero"})
    assert reason.endswith("the prior is impossible in lift; take another first")
    monkeypatch.setattr("irbmodels.identification.validation.pipeline.consistent_fit", gives_up)
    with (
        pytest.warns(PhysicsWarning, match="no body can be arm"),
        pytest.raises(
            NotIdentifiable,
            match="the prior is impossible too in arm: load another set, repair the URDF",
        ) as raised,
    ):
        identify(zeroed, estimation, held)
    for text in (str(raised.value), reason, *judged.reasons, *remarks(judged)):
        assert not re.search("tool|payload|sign", text)
    assert evaluate(true, held).impossible_in_prior == {}


def test_a_prior_without_mass_has_no_body_near(two, tmp_path):
    """It stops at once and by name: nothing is near to it."""
    _, _, estimation, held = two
    path = tmp_path / "light.urdf"
    path.write_text(
        TWO_AXES.format(0.05, 0.4).replace('value="12"', 'value="-12"'), encoding="utf-8"
    )
    with pytest.warns(
        PhysicsWarning, match="what lift moves is impossible: mass -12 kg is not positive"
    ):
        robot = irb.from_urdf(path)
    with pytest.raises(
        NotIdentifiable,
        match="arm of two weighs -12 kg: no body is near to it as prior: load another set",
    ):
        identify(robot, estimation, held)


def test_friction_that_is_no_friction_law_is_said():
    """Friction that changes with position lasts in what is left; intervals grow with its memory."""
    logs = [cases.plus(one, _gear(one)) for one in (cases.log(1), cases.log(2))]
    actual = cases.identified(cases.truth(), *logs)
    assert actual.verdict.levels == (*["reference"] * 3, "usable", *["reference"] * 2)
    assert actual.verdict.reasons[0].startswith("axis 4: 10")
    assert actual.verdict.whiteness.p[3] < 1e-6
    rows = TorqueEquations(cases.truth(), actual.base)
    plain = weighted_least_squares(
        accumulate(
            Samples.of(
                *usable_segments([prepare(split_recording(one)[0]) for one in logs], range(6))
            ),
            rows,
        )
    )
    coulomb = actual.base.names.index("Fc_4")
    assert actual.fit_with_speeds.deviation[coulomb] > 1.5 * plain.deviation[coulomb]
    estimates = actual.verdict.estimates
    assert [one.deviation for one in estimates] == actual.fit_with_speeds.deviation.tolist()
    assert [[one.low, one.high] for one in estimates] == actual.fit_with_speeds.intervals().tolist()
    previous = actual.base.values(cases.truth().parameter_vector())
    np.testing.assert_allclose([one.previous for one in estimates][: actual.base.rank], previous)


def test_a_spring_is_said():
    """A torque that a spring adds between two postures depends on position."""
    spring = [
        cases.plus(one, 80.0 * np.cos(4.0 * one.q) * (np.arange(6) == 1))
        for one in (cases.log(1), cases.log(2))
    ]
    reasons = "\n".join(cases.identified(cases.truth(), *spring).verdict.reasons)
    assert "axis 2:" in reasons
    assert "of the residual's variance depends on" in reasons


def _gear(recording):
    q4 = recording.q[:, 3]
    return 8.0 * (np.sign(np.gradient(q4)) * np.sin(2.0 * q4) ** 2)[:, None] * (np.arange(6) == 3)


def test_saturation_is_said():
    """Torques at a limit are left out, and their share speaks against the set."""
    limited = cases.log(1, torque_limit=(300, 330, 600, 90, 90, 90))
    judged = cases.identified(cases.truth(), limited).verdict
    assert any("are at a torque limit, more than 1%" in reason for reason in judged.reasons)
    assert judged.flagged["SATURATED"] > 0.01


def test_good_logs_are_rarely_doubted():
    """Of 6 other pairs of good logs, validated with the true set, none is doubted."""
    for seed in range(3, 9):
        judged = evaluate(cases.truth(), [prepare(cases.log(seed))])
        assert judged.level in ("reference", "good"), (seed, judged.reasons)


# --- thresholds


def changed(judged, **parts):
    """The verdict with single numbers changed: field.column of axis 2, or a field."""
    for key, value in parts.items():
        if "__" in key:
            field, column = key.split("__")
            array = np.array(getattr(getattr(judged, field), column))
            array[1] = value
            judged = replace(judged, **{field: getattr(judged, field)._replace(**{column: array})})
        else:
            judged = replace(judged, **{key: value})
    found = limitations_of(judged)
    return [one.message for one in found if one.level in ("usable", "poor", "wrong")]


@together(
    "key, fine, bad, words",
    [
        (
            "unexplained",
            np.full(6, 0.099),
            np.array([0.0, 0.101, 0.0, 0.0, 0.0, 0.0]),
            "axis 2: 10.1% of its torque are unexplained beyond noise, more than 10%",
        ),
        (
            "unexplained",
            np.full(6, 0.099),
            np.array([0.0, np.nan, 0.0, 0.0, 0.0, 0.0]),
            "axis 2: no stretch of 0.05 s on held-out logs has its torque",
        ),
        ("condition", 999.0, 1001.0, "the condition number is 1e+03, more than 100"),
        ("impossible_bodies", (), ("link_2",), "physically impossible bodies: link_2"),
        (
            "negative_parameters",
            (),
            ("Fc_4",),
            "negative friction or rotor inertia: Fc_4; no table takes that",
        ),
        (
            "distance",
            2.9,
            3.1,
            "physically possible bodies are 3.1 standard deviations per base parameter from",
        ),
        ("coverage__span", 0.11, 0.09, "axis 2: the logs cover 9.0% of the range, less than 10%"),
        (
            "coverage__speed_share",
            0.11,
            0.09,
            "axis 2: the logs cover 9.0% of the rated speed, less than 10%",
        ),
        (
            "flagged",
            {"SATURATED": 0.009},
            {"SATURATED": 0.011},
            "1.1% of the samples are at a torque limit, more than 1%",
        ),
        (
            "flagged",
            {"TORQUE_OUTLIER": 0.04},
            {"TORQUE_OUTLIER": 0.06},
            "6.0% of the samples are torque outliers, more than 5%",
        ),
    ],
)
def test_each_threshold_decides(good, key, fine, bad, words):
    """On one side of a threshold there is no reason, on the other one that says number and
    threshold.
    """
    assert changed(good.verdict, **{key: fine}) == []
    (reason,) = changed(good.verdict, **{key: bad})
    assert reason.startswith(words)


def test_comparisons_decide(good):
    """A held-out error 1.4 times that of the fit, or 1.1 times that of the previous set, speaks
    against it; less does not.
    """
    own = good.verdict.held_out.rmse[1]
    assert changed(good.verdict, estimation__rmse=own / 1.25) == []
    (reason,) = changed(good.verdict, estimation__rmse=own / 1.4)
    assert (
        reason
        == "axis 2: RMSE on held-out samples is 1.40 times that of the fit's own samples, more"
        " than 1.3"
    )
    assert changed(good.verdict, previous__rmse=own / 1.04) == []
    (reason,) = changed(good.verdict, previous__rmse=own / 1.1)
    assert (
        reason
        == "axis 2: RMSE on held-out samples is 1.10 times that of the previous set, more than 1.05"
    )
    assert changed(good.verdict, previous=None, estimation=None) == []


def test_dependence_decides(good):
    """What is large, sure and not small against the torque counts; without any of the three it does
    not.
    """
    judged = good.verdict

    def reasons(share, p, rmse):
        shares, ps = np.zeros((6, 3, 6)), np.ones((6, 3, 6))
        shares[1, 1, 4], ps[1, 1, 4] = share, p
        errors = np.array(judged.held_out.rmse)
        errors[1] = rmse
        accuracy = judged.held_out._replace(rmse=errors)
        return changed(
            judged,
            dependence=judged.dependence._replace(explained=shares, p=ps),
            held_out=accuracy,
            unexplained=np.full(6, 0.15) * (np.arange(6) == 1),
            previous=None,
            estimation=None,
        )

    average = judged.held_out.average[1]
    reason = reasons(0.25, 1e-6, 0.03 * average)[1]
    assert reason.startswith("axis 2: 25% of the residual's variance depends on v5 (")
    assert f"({0.015 * average:.2g} N m), more than 10%" in reason
    assert len(reasons(0.09, 1e-6, 0.05 * average)) == 1
    assert len(reasons(0.25, 1.1e-4, 0.03 * average)) == 1  # 0.01 / 108 tests
    assert len(reasons(0.25, 0.9e-4, 0.03 * average)) == 2
    assert len(reasons(0.25, 1e-6, 0.019 * average)) == 1


def test_axes_that_do_not_count_are_not_looked_at(held):
    """A flag on the torque of an axis leaves it out alone; of another axis, it is not counted."""
    limited = (np.arange(len(held[0])) < 300)[:, None] & (np.arange(6) == 3)
    bad = [held[0].with_flag(limited, Flag.SATURATED)]
    whole, two = evaluate(cases.truth(), bad), evaluate(cases.truth(), bad, axes=[2, 5])
    assert whole.flagged["SATURATED"] == pytest.approx(300 / len(held[0]))
    assert "SATURATED" not in two.flagged
    assert two.held_samples == whole.held_samples
    plain = evaluate(cases.truth(), [held[0]])
    left_out = np.isnan(whole.residual()).sum(axis=0) - np.isnan(plain.residual()).sum(axis=0)
    assert left_out[[0, 1, 2, 4, 5]].tolist() == [0] * 5
    assert 200 < left_out[3] <= 300  # some of them are edges, too


def test_input_of_a_verdict_is_checked(held):
    """Parameters of another size and axes that do not exist are refused."""
    with pytest.raises(InputError, match=r"has 84 parameters, got shape \(3,\)"):
        evaluate(cases.truth(), held, np.zeros(3))
    with pytest.raises(InputError, match="finite numbers only, number 2 is not"):
        evaluate(cases.truth(), held, np.where(np.arange(84) == 2, np.nan, 1.0))
    for axes in ([0, 7], [7], [], "1,2", [1.7], [True], 1):
        with pytest.raises(InputError, match="axes of irb2400_16 are numbers from 1 to 6"):
            evaluate(cases.truth(), held, axes=axes)
    assert evaluate(cases.truth(), held, axes=[2]).axes == (1,)
    assert isinstance(evaluate(cases.truth(), held, axes=[2]).whiteness, Whiteness)


@together(
    "change, message",
    [
        ({"estimation": []}, "there is no log of the fit"),
        ({"held_out": []}, "there is no log held out"),
        ({"estimation": "one.csv"}, "logs of the fit are a list of Recordings, not 'one.csv'"),
        ({"estimation": "raw"}, "logs of the fit need speeds, accelerations and torques"),
        ({"held_out": "raw"}, "logs held out need speeds, accelerations and torques"),
        ({"robot": "irb2400"}, "the robot is an irbmodels.Robot, not 'irb2400'"),
        ({"robot": "four"}, "the log has 6 axes, but irb930_12_105 has 4"),
        ({"axes": "1,2"}, "axes of irb2400_16 are numbers from 1 to 6, a list of them, not '1,2'"),
        ({"axes": [1.7]}, "axes of irb2400_16 are numbers from 1 to 6, a list of them, not 1.7"),
        ({"seed": -1}, "the seed must be a whole number, at least 0, got -1"),
        ({"seed": 1.5}, "the seed must be a whole number, at least 0, got 1.5"),
        ({"rotors": "yes"}, "rotors is True or False, not 'yes'"),
    ],
)
def test_input_of_an_identification_is_checked(held, change, message):
    """What is no log, of another robot, not prepared, no axis or no seed: one line."""
    words = {"robot": cases.truth(), "estimation": held, "held_out": held} | change
    for name, value in change.items():
        words[name] = (
            [cases.log(1)] if value == "raw" else irb.load("irb930") if value == "four" else value
        )
    with pytest.raises(InputError, match=re.escape(message)):
        identify(words.pop("robot"), words.pop("estimation"), words.pop("held_out"), **words)


def test_one_log_is_no_list_of_logs(held):
    """A recording has a length, and is no list all the same."""
    with pytest.raises(
        InputError, match="logs of the fit are a list of Recordings, not a single one"
    ):
        identify(cases.truth(), held[0], held)
    with pytest.raises(
        InputError, match="logs held out are a list of Recordings, not a single one"
    ):
        evaluate(cases.truth(), held[0])


def test_what_is_prepared_is_checked():
    """A log, a bandwidth and a share are what they are called."""
    for bandwidth in ("10", 0.0, np.nan, None):
        with pytest.raises(
            InputError, match=r"the bandwidth \[Hz\] must be a positive finite number"
        ):
            prepare(cases.log(1), bandwidth)
    for function in (prepare, split_recording):
        with pytest.raises(InputError, match=r"a log is a Recording, not 'one\.csv'"):
            function("one.csv")
    with pytest.raises(InputError, match="between 0 and 1, must be a finite number, got 'x'"):
        split_recording(cases.log(1), "x")


def test_other_axes_stand_where_they_are(held):
    """Axes that are not named and move are named with their movement, in all logs together; half a
    degree is standing.
    """
    robot, one = cases.truth(), held[0]

    def at(place, wave):
        q = one.q.copy()
        q[:, 3] = place + wave * np.sin(one.t)
        q[5, 3] = np.nan  # a sample that is not there does not move
        return one.changed(q=q)

    assert held_positions(robot, [at(0.3, 0.004)], (0, 1, 2, 4, 5))[3] == pytest.approx(
        0.3, abs=0.005
    )
    for logs in ([at(0.3, 0.1)], [at(0.3, 0.0), at(0.4, 0.0)]):
        reach = np.degrees(np.ptp(np.concatenate([np.delete(log.q[:, 3], 5) for log in logs])))
        with pytest.raises(InputError, match=rf"but axis 4 by {reach:.3g} deg moves"):
            identify(robot, logs, held, axes=[1, 2, 3, 5, 6])
    assert held_positions(robot, held, range(6)).shape == (6,)


def test_a_reference_of_many_lines_is_one(good, tmp_path):
    """What samples come from stands in a comment too, which no line break ends."""
    path = write_parameter_set(
        tmp_path / "set.yaml", good.parameters, good.verdict, "monday\n- tuesday: [\n"
    )
    assert path.read_text().splitlines()[0].endswith(": monday - tuesday: [")
    loaded = irb.load("irb2400", tool="spindle", parameters=path)
    np.testing.assert_array_equal(loaded.parameter_vector(), _loaded(good).parameter_vector())
