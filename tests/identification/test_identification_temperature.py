"""Friction that changes with temperature, fitted from logs of a formula that is written out here."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from excited import excitation, torques

import irbmodels as irb
from irbmodels import InputError, MotionError
from irbmodels.identification.fits import (
    FrictionCandidates,
    Samples,
    TorqueEquations,
    weighted_least_squares,
)
from irbmodels.identification.fits.nonlinear import SpeedEquations
from irbmodels.identification.fits.stribeck_residuals import SpeedTerm, speed_terms
from irbmodels.identification.fits.temperature import with_values
from irbmodels.identification.recordings import Recording, read_recording, resample
from irbmodels.identification.validation import (
    identify,
    prepare,
    split_recording,
    usable_segments,
    write_parameter_set,
)
from irbmodels.identification.validation.evaluation import evaluate
from irbmodels.identification.validation.mistake_search import at_reference
from irbmodels.identification.validation.model_terms import ModelSelection, select_terms
from irbmodels.model.friction import Stribeck
from irbmodels.report.identification.tables import friction_rows, remarks
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.robot.torque_bands import TorqueSlopes
from irbmodels.robot.torque_regressor import TorqueRegressor
from irbmodels.robot.uncertainty import ParameterUncertainty
from irbmodels.trajectory import Motion

PER_K = np.array([-0.02, -0.035, 0.0, -0.012, 0.0, 0.0])  # [1/K]
WARM = (0, 1, 3)  # axes whose friction changes
AT = 30.0  # [deg C] where Fv is SIZE
COLD, HOT = (18.0, 22.0), (38.0, 43.0)  # [deg C] from the first to the last sample of a log


@cache
def arm():
    return irb.load("irb1600")


@cache
def size():
    """Coulomb friction [N m], and viscous [N m s/rad] at 30 deg C."""
    return 0.04 * arm().limits.effort


@cache
def motion_of(seed, duration):
    return excitation(arm().with_friction(None), duration, seed=seed)


def friction(v, T, per_K, Fd=0.0, drop=0.0, D=None):
    """Dry friction, and viscous friction that falls with temperature, of drives on axes."""
    D = np.eye(6) if D is None else D
    w = v @ D.T
    viscous = size() * w + Fd * size() * w / (0.1 + np.abs(w))
    dry = size() * (1.0 + drop * np.exp(-((w / 0.02) ** 2))) * np.sign(w)
    return (dry + viscous * np.exp(per_K * (T - AT))) @ D


def log(seed, ends, per_K=PER_K, *, noise=0.01, motion=None, duration=10.0, axes=range(6), **law):
    """A recording whose temperatures go from one to another; ``axes`` have a column of them."""
    states = motion_of(seed if motion is None else motion, duration)
    T = np.linspace(*ends, len(states.t))[:, None] * np.ones(6)
    rng = np.random.default_rng(seed)
    disturbance = noise * arm().limits.effort * rng.normal(size=T.shape)
    tau = states.tau + friction(states.v, T, per_K, **law) + disturbance
    columns = {f"temp{axis + 1}_degC": T[:, axis] for axis in axes}
    return Recording(states.t, states.q, states.v, states.a, tau, columns)


def selected(*logs, robot=None, **words):
    """Selection of terms from logs whose motion is exact."""
    samples = Samples.of(*(recording.motion for recording in logs))
    return select_terms(samples, ModelSelection(robot or arm(), None, None, 0), **words)


def warm_axes(terms):
    return [i for i, one in enumerate(terms.choices) if any(t.kind == "per_K" for t in one.terms)]


@cache
def identified():
    """Set of a cold and a warm log, of which the ends are held out."""
    logs = [prepare(log(1, COLD, noise=0.005, duration=20.0).changed(v=None, a=None))]
    logs += [prepare(log(2, HOT, noise=0.005, duration=20.0).changed(v=None, a=None))]
    parts = [split_recording(one) for one in logs]
    return identify(arm(), [part.estimation for part in parts], [part.held_out for part in parts])


def test_a_cold_and_a_warm_log_tell_the_change_with_temperature():
    """Of axes that have it, no others; 95 % intervals hold what the logs were made with, and so do
    those of viscous friction at the reference temperature.
    """
    hits, wanted = [], dict(zip(WARM, PER_K[list(WARM)], strict=True))
    for seed in range(16):
        logs = [
            log(2 * seed + k, ends, motion=k, duration=5.0) for k, ends in enumerate((COLD, HOT))
        ]
        terms = selected(*logs)
        assert warm_axes(terms) == list(WARM)
        law = terms.robot.friction_model
        assert law.reference_temperature == 30.0
        fit = weighted_least_squares(terms.total_with_speeds)
        assert fit.names[-3:] == ("per_K_1", "per_K_2", "per_K_4")
        assert fit.units[-3:] == ("1/K",) * 3
        intervals = dict(zip(fit.names, fit.intervals(), strict=True))
        for axis in WARM:
            for name, value in (
                (f"per_K_{axis + 1}", wanted[axis]),
                (f"Fv_{axis + 1}", size()[axis]),
            ):
                low, high = intervals[name]
                hits.append(low <= value <= high)
        np.testing.assert_allclose(law.per_K[list(WARM)], fit.beta[-3:], rtol=1e-3)
    assert 0.90 <= np.mean(hits) <= 0.99  # 96 intervals: 95 +- 4.4 % two standard deviations


@pytest.mark.parametrize(
    "logs",
    [
        [(1, COLD), (2, HOT)],
        [(1, (20.0, 45.0))],
        [(1, (45.0, 20.0)), (2, (20.0, 20.0))],
    ],
)
def test_temperature_without_effect_is_no_term(logs):
    """Friction that does not change, whatever temperatures do."""
    terms = selected(*(log(seed, ends, 0.0 * PER_K) for seed, ends in logs))
    assert warm_axes(terms) == []
    assert not terms.robot.friction_model.per_K.any()
    assert terms.robot.friction_model.reference_temperature is None
    assert sum("does not change with temperature" in note for note in terms.notes) == 6


def test_temperatures_that_hardly_vary_change_no_number():
    """Constant ones, ones within 2 K, and none at all: the same fit to the last bit, without a
    candidate; the report says why.
    """
    without = selected(log(1, COLD, axes=()), log(2, COLD, axes=()))
    for ends in ((25.0, 25.0), (25.0, 26.9)):
        plain = log(1, COLD, axes=()), log(2, COLD, axes=())
        columns = {f"temp{i}_degC": np.linspace(*ends, len(plain[0])) for i in (1, 3)}
        terms = selected(*(one.changed(extra=columns) for one in plain))
        np.testing.assert_array_equal(terms.total.factors, without.total.factors)
        assert [one.trials for one in terms.choices] == [one.trials for one in without.choices]
        assert [note[:6] for note in terms.notes if "less than 2 K" in note] == ["axis 1", "axis 3"]
    assert not any("temperature" in note for note in without.notes)


def test_axes_without_a_column_have_no_term():
    """One axis has a sensor: the others are as they were, and one that lacks it in one log too."""
    terms = selected(log(1, COLD, axes=(0,)), log(2, HOT, axes=(0,)))
    assert warm_axes(terms) == [0]
    fit = weighted_least_squares(terms.total_with_speeds)
    assert abs(fit.beta[-1] - PER_K[0]) < 4.0 * fit.deviation[-1]
    terms = selected(log(1, COLD, axes=(0, 1)), log(2, HOT, axes=(0,)))
    assert warm_axes(terms) == [0]
    assert "axis 2: viscous friction is taken as constant: some samples have no temperature" in (
        terms.notes
    )


def test_further_terms_are_chosen_beside_the_change_with_temperature():
    """Fd has the same factor, Fs - Fc has none: all are found, their speeds and the change come
    back.
    """
    law = {"Fd": 1.0, "drop": 0.5, "noise": 0.005}
    terms = selected(*(log(k, ends, **law) for k, ends in ((1, COLD), (2, HOT))))
    assert warm_axes(terms) == list(WARM)
    assert all({"Fd", "Fs-Fc"} <= {term.kind for term in one.terms} for one in terms.choices)
    for one in terms.choices:
        assert one.terms in [trial.terms for trial in one.trials]
    fit = weighted_least_squares(terms.total_with_speeds)
    values = dict(zip(fit.names, zip(fit.beta, fit.deviation, strict=True), strict=True))
    for axis in WARM:
        for name, truth in ((f"per_K_{axis + 1}", PER_K[axis]), (f"v_St_{axis + 1}", 0.02)):
            value, deviation = values[name]
            assert abs(value - truth) < 4.0 * deviation


def test_candidates_of_temperature_are_its_first_order():
    """Of viscous friction and of degressive ones, from the middle of the temperatures; Fd and dFv
    change as much as a known per_K says.
    """
    law = Stribeck(*(size(), size(), size(), np.ones(6)), per_K=PER_K, reference_temperature=AT)
    robot = arm().with_friction(law)
    rows = TorqueEquations(robot, base_parameters(robot, friction=True))
    middle = np.array([40.0, np.nan, 35.0, np.nan, np.nan, np.nan])
    candidates = FrictionCandidates(rows, np.ones(6), np.ones(rows.base.rank), middle)
    rng = np.random.default_rng(5)
    q, v, a = rng.normal(size=(3, 30, 6))
    T = rng.uniform(10.0, 60.0, (30, 6))
    ((blocks, _),) = candidates([Motion(np.arange(30.0), q, v, a, v, T)])
    for axis in range(6):
        w, factor = v[:, axis], np.exp(PER_K[axis] * (T[:, axis] - AT))
        columns = dict(
            zip(candidates.terms[axis], blocks[axis][:, rows.base.rank :].T, strict=True)
        )
        warm = [term for term in columns if term.kind == "per_K"]
        assert len(warm) == (14 if axis in (0, 2) else 0)
        for term in warm:
            shape = w if np.isnan(term.scale) else w / (term.scale + np.abs(w))
            expected = (T[:, axis] - middle[axis]) * factor * shape
            np.testing.assert_allclose(columns[term], expected, rtol=1e-12)
        for term, column in columns.items():
            if term.kind == "Fd":
                expected = factor * w / (term.scale + np.abs(w))
                np.testing.assert_allclose(column, expected, rtol=1e-12)
            if term.kind == "dFv":
                np.testing.assert_allclose(column, factor * np.abs(w), rtol=1e-12)


def test_a_drive_that_two_axes_turn_has_one_change():
    """Motor 6 turns with axis 5: the temperature of drive 6 changes torques of both axes."""
    D = np.eye(6)
    D[5, 4] = -0.8
    per_K = np.array([0.0, 0.0, 0.0, 0.0, 0.0, -0.025])
    logs = [log(k, ends, per_K, D=D) for k, ends in ((1, COLD), (2, HOT))]
    terms = selected(*logs, robot=arm().with_drives(D))
    assert warm_axes(terms) == [5]
    fit = weighted_least_squares(terms.total_with_speeds)
    assert fit.names[-1] == "per_K_6"
    assert abs(fit.beta[-1] + 0.025) < 4.0 * fit.deviation[-1]


@pytest.mark.parametrize("coupled", [False, True])
def test_linearized_equations_are_derivatives_of_the_formula(coupled):
    """Columns of per_K, Fd and v_d are differences of the torques that the formula gives."""
    D = np.eye(6)
    D[5, 4] = -0.8 * coupled
    law = Stribeck(
        *(size(), size(), size(), np.ones(6)),
        Fd=[1.0, 0.0, 2.0, 0.0, 0.0, 0.0], v_d=[0.1, 1.0, 0.2, 1.0, 1.0, 1.0],
        per_K=[-0.02, 0.0, -0.01, 0.0, 0.0, 0.03], reference_temperature=AT,
    )  # fmt: skip
    robot = arm().with_drives(D).with_friction(law)
    rng, base = np.random.default_rng(3), base_parameters(robot, friction=True)
    q, v, a = rng.normal(size=(3, 40, 6))
    T = rng.uniform(10.0, 60.0, (40, 6))

    def torque(Fd, v_d, per_K):
        w = v @ D.T
        viscous = law.Fv * w + Fd * w / (v_d + np.abs(w))
        rigid = torques(robot.with_friction(None), q, v, a)
        return rigid + (law.Fc * np.sign(w) + viscous * np.exp(per_K * (T - AT))) @ D

    rows = TorqueEquations(robot, base)
    names = list(base.names)
    warm = [SpeedTerm(i, "Fv", i, names.index(f"Fv_{i + 1}")) for i in (0, 2, 5)]
    terms = (*speed_terms(rows, "Fd"), *warm)
    assert [term.name for term in terms] == ["v_d_1", "v_d_3", "per_K_1", "per_K_3", "per_K_6"]
    beta = base.values(robot.parameter_vector())
    values = np.array([0.1, 0.2, -0.02, -0.01, 0.03])
    equations = SpeedEquations(rows, np.concatenate([beta, values]), terms)
    own = [law.Fd, law.v_d, law.per_K]
    ((Y, y),) = equations([Motion(np.arange(40.0), q, v, a, torque(*own), T)])
    np.testing.assert_allclose(Y @ equations.x, y, atol=1e-9)
    for name, k, axis in (
        ("Fd_1", 0, 0), ("Fd_3", 0, 2), ("v_d_1", 1, 0), ("v_d_3", 1, 2),
        ("per_K_1", 2, 0), ("per_K_3", 2, 2), ("per_K_6", 2, 5),
    ):  # fmt: skip
        step = np.zeros((3, 6))
        step[k, axis] = 1e-5
        up, down = (torque(*(x + s * d for x, d in zip(own, step, strict=True))) for s in (1, -1))
        column = Y[:, :, equations.names.index(name)]
        np.testing.assert_allclose(column, (up - down) / 2e-5, atol=1e-6)
    moved = with_values(rows, terms, 2.0 * values).robot.friction_model
    np.testing.assert_array_equal(moved.per_K, 2.0 * law.per_K)
    np.testing.assert_array_equal(moved.v_d, law.v_d * [2.0, 1.0, 2.0, 1.0, 1.0, 1.0])


def test_a_set_is_written_and_predicts_at_the_temperature_of_each_sample(tmp_path):
    """Of a log that is colder than any of the fit: torques within the noise, the bands hold 95 %
    of them, and no mistake is seen in the log. Without its columns they are those of the reference
    temperature, which the verdict says.
    """
    found = identified()
    assert found.verdict.level == "reference"
    names = [one.name for one in found.verdict.estimates]
    estimates = dict(zip(names, found.verdict.estimates, strict=True))
    for axis in WARM:
        one = estimates[f"per_K_{axis + 1}"]
        assert one.low <= PER_K[axis] <= one.high
        assert np.isnan(one.previous)
    notes = "\n".join(remarks(found.verdict))
    assert "change of viscous friction with temperature of axis 1, 2, 4 fitted" in notes
    assert re.search(
        r"axis 2 \(18\.\d to 41\.\d deg C\): viscous friction changes by -3\.[45]", notes
    )
    assert any("per_K" in row[1] and row[-1] == "yes" for row in friction_rows(found.verdict))
    path = write_parameter_set(tmp_path / "set.yaml", found.parameters, found.verdict, "simulated")
    robot = irb.load("irb1600", parameters=path)
    row = robot.tables()["friction"]["sets"]["identified"]["axes"]["axis_2"]
    assert row["source"]["Fv_per_K"] == "set.fit"
    law = robot.friction_model
    assert law.reference_temperature == 30.0
    np.testing.assert_array_equal(law.per_K[[2, 4, 5]], 0.0)
    np.testing.assert_allclose(
        robot.at_temperature(10.0).friction_model.Fv[0], size()[0] * np.exp(0.4), rtol=0.02
    )
    cold = prepare(log(5, (8.0, 12.0), noise=0.005).changed(v=None, a=None))
    known, unknown = (evaluate(robot, [one]) for one in (cold, cold.changed(extra={})))
    noise = 0.005 * arm().limits.effort
    assert (known.held_out.rmse < 1.05 * noise).all()
    assert ((known.inside > 0.92) & (known.inside < 0.98)).all()
    cold_half, half = (np.concatenate([x.half_width for x in one.logs]) for one in (known, unknown))
    np.testing.assert_array_equal((cold_half > half).any(axis=0), np.isin(np.arange(6), WARM))
    wider = cold_half.mean(axis=0) > half.mean(axis=0)  # per_K counts too, far from its reference
    np.testing.assert_array_equal(wider, np.isin(np.arange(6), WARM))
    assert known.level == "reference"
    assert known.mistakes == ()
    assert (unknown.held_out.rmse[list(WARM)] > 2.0 * noise[list(WARM)]).all()
    assert known.notes[0].startswith("axis 1: viscous friction is taken at the temperatures of the")
    assert (
        "at 30 deg C, the reference of its set: the logs have no column temp4" in unknown.notes[2]
    )
    half = cold.changed(extra={"temp1_degC": cold["temp1_degC"]})
    assert [("no column" in note) for note in evaluate(robot, [half]).notes] == [False, True, True]
    some = evaluate(robot, [cold, cold.changed(extra={})]).notes[0]
    assert "and where they have none at 30 deg C" in some


def test_a_known_change_that_logs_do_not_tell_stays(tmp_path):
    """Logs without temperatures, and the terms of the robot alone, keep what it has."""
    found = identified()
    path = write_parameter_set(tmp_path / "set.yaml", found.parameters, found.verdict, "simulated")
    robot = irb.load("irb1600", parameters=path)
    terms = selected(log(1, (30.0, 30.0), axes=()), robot=robot)
    np.testing.assert_array_equal(terms.robot.friction_model.per_K, robot.friction_model.per_K)
    assert terms.robot.friction_model.reference_temperature == 30.0
    assert any("as the robot's own: no temperatures" in note for note in terms.notes)
    kept = found.parameters
    again = replace(kept, robot=terms.robot, warm=(0,)).write(tmp_path / "again.yaml", "b", "logs")
    rows = irb.load("irb1600", parameters=again).tables()["friction"]["sets"]["b"]["axes"]
    assert rows["axis_1"]["source"]["Fv_per_K"] == "again.fit"
    assert rows["axis_2"]["source"]["Fv_per_K"] == "again.undetermined"
    assert rows["axis_2"]["source"]["Fv_N_m_s"] == "again.fit"
    terms = selected(log(1, COLD), log(2, HOT), robot=robot, friction="own")
    fit = weighted_least_squares(terms.total)
    np.testing.assert_allclose(fit.noise, 0.01 * arm().limits.effort, rtol=0.05)
    # another temperature than that of the set is kept as reference
    shifted = log(1, (50.0, 55.0)), log(2, (60.0, 66.0))
    terms = selected(*shifted, robot=robot)
    assert terms.robot.friction_model.reference_temperature == 30.0
    assert warm_axes(terms) == list(WARM)


def test_mistakes_are_looked_for_in_torques_at_the_reference_temperature():
    """Parameters of the set, not those of the law that they are to replace, take out the change."""
    per_K, D = PER_K, np.eye(6)
    D[5, 4] = -0.8
    twice = Stribeck(
        *(2.0 * size(), 2.0 * size(), 2.0 * size(), np.ones(6)), Fd=size(),
        v_d=np.full(6, 0.1), per_K=per_K, reference_temperature=AT,
    )  # fmt: skip
    robot = arm().with_drives(D).with_friction(twice)
    own = robot.with_friction(replace(twice, Fs=size(), Fc=size(), Fv=size())).parameter_vector()
    states = motion_of(1, 5.0)
    T = np.linspace(5.0, 60.0, len(states.t))[:, None] * np.ones(6)
    warm = friction(states.v, T, per_K, Fd=1.0, D=D)
    back = at_reference(states._replace(tau=warm, temperature=T), robot, own)
    expected = friction(states.v, T, 0.0 * per_K, Fd=1.0, D=D)
    np.testing.assert_allclose(back.tau, expected, atol=1e-9)
    assert at_reference(states, robot, own) is states


def test_bands_widen_away_from_the_reference_temperature():
    """Slopes of torques by Fv, v_d and per_K at a temperature are differences of the formula."""
    law = Stribeck(
        *(size(), size(), size(), np.ones(6)), Fd=size(), v_d=np.full(6, 0.1),
        per_K=PER_K, reference_temperature=AT,
    )  # fmt: skip
    robot = arm().with_friction(law)
    names = ("Fv_1", "v_d_2", "per_K_2", "per_K_1")
    known = ParameterUncertainty.of(
        np.eye(4), names=names, degrees=100.0, axes=tuple(range(6)), noise=np.ones(6),
        correlation_time=np.ones(6),
    )  # fmt: skip
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 30, 6))
    T = rng.uniform(5.0, 60.0, (30, 6))
    slopes = TorqueSlopes(robot, known, TorqueRegressor(robot))(q, v, a, T)

    def viscous(Fv, v_d, k, axis):
        w = v[:, axis]
        return (Fv * w + size()[axis] * w / (v_d + np.abs(w))) * np.exp(k * (T[:, axis] - AT))

    for i, (axis, own, place) in enumerate(
        ((0, (size()[0], 0.1, -0.02), 0), (1, (size()[1], 0.1, -0.035), 1),
         (1, (size()[1], 0.1, -0.035), 2), (0, (size()[0], 0.1, -0.02), 2))
    ):  # fmt: skip
        step = 1e-6 * (np.arange(3) == place)
        difference = viscous(*(own + step), axis) - viscous(*(own - step), axis)
        expected = np.zeros((30, 6))
        expected[:, axis] = difference / 2e-6
        np.testing.assert_allclose(slopes[:, :, i], expected, rtol=1e-5, atol=1e-5)
    at_reference = TorqueSlopes(robot, known, TorqueRegressor(robot))(q, v, a)
    np.testing.assert_array_equal(at_reference[:, :, 2:], 0.0)


def test_samples_carry_temperatures():
    """Through filters, cuts, other rates and back; single empty cells lie on straight lines."""
    recording = log(1, COLD, axes=(0, 4))
    holes = recording["temp1_degC"].copy()
    holes[[0, 100, 101, 700]] = np.nan
    recording = recording.changed(v=None, a=None, extra={**recording.extra, "temp1_degC": holes})
    T = recording.temperature
    straight = np.linspace(*COLD, len(recording))
    np.testing.assert_allclose(T[1:, [0, 4]], straight[1:, None] * np.ones(2), atol=1e-12)
    assert T[0, 0] == T[1, 0]  # beyond the ends it is as at the nearest
    assert np.isnan(T[:, [1, 2, 3, 5]]).all()
    prepared = prepare(recording)
    parts = usable_segments([prepared], range(6))
    joined = Motion.joined(parts)
    at = np.searchsorted(recording.t, joined.t)
    np.testing.assert_array_equal(joined.temperature, T[at])
    slower = resample(recording, 100.0)
    np.testing.assert_allclose(
        slower.temperature[10:-10, 4], np.interp(slower.t, recording.t, straight)[10:-10]
    )
    again = Recording.of(recording.motion)
    np.testing.assert_array_equal(again.temperature, T)
    assert list(again.extra) == ["temp1_degC", "temp5_degC"]
    assert recording.changed(extra={"temp2_degC": np.full(len(recording), np.nan)}).temperature is (
        None
    )


def test_columns_of_temperatures_are_read(tmp_path):
    """Kelvin are refused in one line, empty cells and columns of other axes are found, and names
    that are nearly right are told.
    """
    recording = log(1, COLD, duration=5.0, axes=())
    T = np.linspace(20.0, 30.0, len(recording))
    holes = np.where(np.arange(len(T)) % 50, T, np.nan)
    columns = {"temp1_degC": holes, "temp2_degC": np.nan * T, "temp7_degC": T, "temperature3": T}
    recording.changed(extra=columns).save(tmp_path / "log.csv")
    read = read_recording(tmp_path / "log.csv", arm())
    found = {one.column: str(one) for one in read.findings if one.column.startswith("temp")}
    assert (
        "no number here, and in 25 rows of 1250 in all; taken on straight lines"
        in (found["temp1_degC"])
    )
    assert "1250 rows of 1250 in all; the drive is taken as one of unknown" in found["temp2_degC"]
    assert "is of an axis that irb1600_6_120 has not" in found["temp7_degC"]
    assert "--column temp3_degC=temperature3" in found["temperature3"]
    assert np.isfinite(read.temperature).any(axis=0).tolist() == [True] + [False] * 5
    path = tmp_path / "kelvin.csv"
    recording.changed(extra={"motor 1": T + 273.15}).save(path)
    with pytest.raises(MotionError) as caught:
        read_recording(path, arm(), {"temp1_degC": "motor 1"})
    assert str(caught.value) == (
        f"{path}: row 2, column 'motor 1': 293.15 deg C is no temperature of a drive; of kelvin"
        " columns={'temp1_degC': {'column': 'its name', 'offset': -273.15}}"
    )
    kelvin = {"temp1_degC": {"column": "motor 1", "offset": -273.15}}
    np.testing.assert_allclose(read_recording(path, arm(), kelvin).temperature[:, 0], T)
    with pytest.raises(
        InputError, match="sample 3 of this recording, column 'temp1_degC': 300 deg"
    ):
        recording.changed(extra={"temp1_degC": np.where(np.arange(len(T)) == 3, 300.0, T)})


def test_a_law_says_what_temperature_changes():
    """Viscous terms alone, and nothing where the temperature is unknown."""
    per_K = PER_K - 0.01
    law = Stribeck(
        *(size(), size(), size(), np.ones(6)), Fd=size(), v_d=np.full(6, 0.1), mu=np.full(6, 0.1),
        per_K=per_K, reference_temperature=AT,
    )  # fmt: skip
    rng = np.random.default_rng(1)
    w, load = rng.normal(size=(2, 20, 6))
    T = rng.uniform(0.0, 80.0, (20, 6))
    T[:, 5] = np.nan
    at_T = law.regressor(w, load, T) @ law.parameters()
    viscous = law.Fv * w + law.Fd * w / (0.1 + np.abs(w))
    change = np.nan_to_num(viscous * (np.exp(per_K * (T - AT)) - 1.0))
    np.testing.assert_allclose(at_T - law.torque(w, load), change, atol=1e-12)
    np.testing.assert_allclose(law.viscous_change(w, T), change, atol=1e-12)
    warm = law.at(55.0)
    at_55 = law.regressor(w, load, np.full((20, 6), 55.0)) @ law.parameters()
    np.testing.assert_allclose(at_55, warm.torque(w, load), rtol=1e-12)
