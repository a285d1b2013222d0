"""Choice of friction terms by cross-validation: against refits stretch by stretch, and on logs of
laws that are known.
"""

import pickle
from functools import cache

import numpy as np
import pytest
import verdict_cases as cases
from excited import excitation
from scipy.interpolate import CubicSpline

import irbmodels as irb
from irbmodels.dynamics import equations_of_motion as dynamics
from irbmodels.identification.fits import (
    FrictionCandidates,
    Samples,
    TorqueEquations,
    accumulate,
    friction_selection,
    sum_stretches,
    weighted_least_squares,
)
from irbmodels.identification.fits.stretch_sums import left_out_squares, project
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import (
    evaluate,
    identify,
    prepare,
    split_recording,
    usable_segments,
    write_parameter_set,
)
from irbmodels.identification.validation.model_terms import ModelSelection, select_terms
from irbmodels.model.friction import Stribeck, frictionless
from irbmodels.report.identification.page import report_html
from irbmodels.report.identification.tables import friction_rows
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.robot.torque_regressor import TorqueRegressor
from irbmodels.trajectory import Motion

NOISE = 0.002  # of the effort limits


@cache
def arm(**law):
    """An IRB 1600 with Coulomb and viscous friction, and further terms of some axes."""
    robot = irb.load("irb1600")
    size, terms = 0.04 * robot.limits.effort, {}
    for name, values in law.items():
        unit = 1.0 if name in ("mu", "v_d", "v_St") else size
        terms[name] = np.array(values) * unit
    v_St, drop = terms.pop("v_St", np.ones(6)), terms.pop("drop", np.zeros(6))
    return robot.with_friction(Stribeck(size + drop, size, size, v_St, **terms))


def log_of(robot, seed, duration=10.0):
    """A recording with white noise; torques are Pinocchio's, friction is written out here."""
    motion = excitation(robot.with_friction(None), duration, seed=seed)
    law, v = robot.friction_model, motion.v
    bare = robot.with_friction(None).dynamic_model
    weight = np.array([dynamics.gravity(bare, q) for q in motion.q])
    dry = law.Fc + (law.Fs - law.Fc) * np.exp(-((v / law.v_St) ** 2)) + law.mu * np.abs(weight)
    tau = motion.tau + dry * np.sign(v) + law.Fv * v + law.Fd * v / (law.v_d + np.abs(v))
    tau += law.dFc + law.dFv * np.abs(v)
    noise = NOISE * robot.limits.effort * np.random.default_rng(seed).normal(size=tau.shape)
    return Recording(motion.t, motion.q, tau=tau + noise)


def chosen_terms(prior, *logs):
    """Names of the further terms per axis."""
    samples = Samples.of(*usable_segments([prepare(log) for log in logs], range(prior.n)))
    terms = select_terms(samples, ModelSelection(prior, None, None, 0))
    return [[kind for kind, _ in choice.terms] for choice in terms.choices], terms


def test_sums_of_stretches_are_refits():
    """What a model leaves on a stretch is what least squares of all other samples, one by one,
    leaves there.
    """
    rng, count, stretches = np.random.default_rng(0), 203, 7
    always, candidates = rng.normal(size=(count, 4)), rng.normal(size=(count, 3))
    y = rng.normal(size=count) + always @ [1.0, -2.0, 0.5, 3.0] + candidates[:, 1]
    number = np.arange(count) * stretches // count
    whole = np.column_stack([always, candidates, y])
    sums = np.array([whole[number == k].T @ whole[number == k] for k in range(stretches)])
    models = np.array([[0, 1], [1, 2]])
    actual = left_out_squares(project(sums, 4), models)
    for k in range(stretches):
        for m, model in enumerate(models):
            columns = np.column_stack([always, candidates[:, model]])
            fit = np.linalg.lstsq(columns[number != k], y[number != k], rcond=None)[0]
            left = np.square(y[number == k] - columns[number == k] @ fit).sum()
            assert actual[k, m] == pytest.approx(left, rel=1e-9)


def test_stretches_hold_equally_many_samples_without_masked_torques():
    """Sums over logs, cut where stretches end, are those of the samples; a masked torque leaves
    out its own equation.
    """
    robot = arm().with_friction(frictionless(6))
    rows = TorqueEquations(robot, base_parameters(robot, friction=True))
    motion = excitation(robot, 2.0)
    motion = motion.each(lambda x: x[10:-10])
    motion.tau[100:130, 2] = np.nan
    candidates = FrictionCandidates(rows, np.full(6, 0.01), np.ones(rows.base.rank))
    parts = [motion.each(lambda x, a=a, b=b: x[a:b]) for a, b in ((0, 170), (170, 480))]
    sums = sum_stretches(Samples.of(*parts), candidates, 4)
    np.testing.assert_array_equal(sums.counts.sum(axis=1), [720 - 20, 720 - 10, 720, 720])
    blocks = list(candidates([motion]))
    for axis in (2, 4):
        own = np.concatenate([block[axis] for block, _ in blocks])
        whole = np.column_stack([own, motion.tau[:, axis] - (blocks[0][1][0] * 0.0)[axis]])
        keep = ~np.isnan(whole[:, -1])
        expected = whole[keep].T @ whole[keep]
        total = sums.products[axis].sum(axis=0)
        size = np.sqrt(np.diagonal(expected)) + 1e-12
        np.testing.assert_allclose(
            total / np.outer(size, size), expected / np.outer(size, size), atol=1e-11
        )


def test_terms_that_hide_each_other_are_found():
    """Friction by direction whose constant part and part with the speed cancel on average: neither
    is sure beside what the other leaves.
    """
    true = arm(dFc=(0.0, 0.0, 0.5, 0.0, 0.0, 0.0), dFv=(0.0, 0.0, -0.25, 0.0, 0.0, 0.0))
    chosen, _ = chosen_terms(irb.load("irb1600"), log_of(true, 1))
    assert chosen == [[], [], ["dFc", "dFv"], [], [], []]


def test_terms_that_are_there_are_found():
    """Degressive friction, friction that grows with the load, and Coulomb friction that differs by
    direction are chosen on the axes that have them, and on no others; coefficients come back.
    """
    true = arm(
        Fd=(3.0, 0.0, 0.0, 0.0, 2.0, 0.0),
        v_d=(0.3, 1.0, 1.0, 1.0, 0.2, 1.0),
        mu=(0.0, 0.15, 0.0, 0.0, 0.0, 0.0),
        dFc=(0.0, 0.0, 0.5, 0.0, 0.0, 0.0),
    )
    prior = irb.load("irb1600")
    parts = [split_recording(log_of(true, seed)) for seed in (1, 2)]
    fit = identify(prior, [prepare(one) for one, _ in parts], [prepare(one) for _, one in parts])
    law, expected = fit.parameters.robot.friction_model, true.friction_model
    assert law.kinds == ("Fv", "Fc", "Fs-Fc", "Fd", "dFc", "mu")
    found = np.nan_to_num(fit.parameters.friction)
    there = np.array([expected.Fd, expected.dFc, expected.mu]).T
    np.testing.assert_array_equal(found[:, 3:] != 0.0, there != 0.0)
    np.testing.assert_allclose(found[1, 5], 0.15, rtol=0.05)
    np.testing.assert_allclose(found[2, 4], expected.dFc[2], rtol=0.05)
    v = np.linspace(0.1, 2.0, 50)[:, None] * [[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]]
    own = law.with_parameters(found.ravel())
    np.testing.assert_allclose(
        own.torque(v, np.zeros_like(v))[:, [0, 4]],
        expected.torque(v, np.zeros_like(v))[:, [0, 4]],
        rtol=0.03,
    )
    assert (fit.verdict.held_out.rmse < 1.1 * NOISE * true.limits.effort).all()
    assert "degressive viscous friction of axis 1, 5 fitted" in fit.verdict.notes[0]
    assert "load-dependent friction of axis 2 fitted" in fit.verdict.notes[0]


SHARE = np.array([0.6, 0.0, 0.0, 0.0, 0.8, 0.0])
DISTANCE = np.array([3e-3, 1.0, 1.0, 1.0, 1e-3, 1.0])


def presliding_log(robot, seed):
    """A log whose friction follows Dahl's equation, by small steps of Euler's along a spline."""
    motion, fine = excitation(robot.with_friction(None), 10.0, seed=seed), 20
    law = robot.friction_model
    t = np.linspace(motion.t[0], motion.t[-1], fine * (len(motion.t) - 1) + 1)
    v = CubicSpline(motion.t, motion.q)(t, 1)
    z = [np.sign(motion.v[0])]
    for speed in v[:-1]:
        z.append(z[-1] + (t[1] - t[0]) * (speed - np.abs(speed) * z[-1]) / DISTANCE)
    late = SHARE * (np.array(z)[::fine] - np.sign(motion.v))
    tau = motion.tau + law.Fc * (np.sign(motion.v) + late) + law.Fv * motion.v
    noise = NOISE * robot.limits.effort * np.random.default_rng(seed).normal(size=tau.shape)
    return Recording(motion.t, motion.q, tau=tau + noise)


def test_friction_that_turns_round_late_is_found(tmp_path):
    """Share and distance of two axes, no other; unseen torques are right to the noise; the set
    says it again from its file, and without presliding is worse.
    """
    prior, noise = irb.load("irb1600"), NOISE * irb.load("irb1600").limits.effort
    parts = [split_recording(presliding_log(arm(), seed)) for seed in (1, 2)]
    estimation, held_out = ([prepare(one[k]) for one in parts] for k in (0, 1))
    fit = identify(prior, estimation, held_out)
    law = fit.parameters.robot.friction_model
    assert [[kind for kind, _ in choice.terms] for choice in fit.verdict.friction] == [
        ["presliding"], [], [], [], ["presliding"], [],
    ]  # fmt: skip
    np.testing.assert_allclose(law.presliding, SHARE, atol=0.1)
    # a factor of 1.9 lies between two that are tried
    assert (np.abs(np.log(law.x_p / DISTANCE)) < np.log(1.5)).all()
    assert (fit.verdict.held_out.rmse < 1.1 * noise).all()
    assert "presliding of axis 1, 5 fitted" in fit.verdict.notes[0]
    path = write_parameter_set(tmp_path / "set.yaml", fit.parameters, fit.verdict, "a log")
    again = evaluate(irb.load("irb1600", parameters=path), held_out)
    np.testing.assert_allclose(again.held_out.rmse, fit.verdict.held_out.rmse, rtol=1e-6)
    own = identify(prior, estimation, held_out, friction="coulomb").verdict.held_out.rmse
    assert (own[[0, 4]] > 1.5 * noise[[0, 4]]).all()
    kept = identify(irb.load("irb1600", parameters=path), estimation, held_out, friction="own")
    np.testing.assert_allclose(kept.verdict.held_out.rmse, fit.verdict.held_out.rmse, rtol=1e-2)


@pytest.mark.parametrize("drop", [0.0, 0.5])
def test_logs_of_a_simpler_law_have_no_further_terms(drop):
    """Of 24 axes with Coulomb and viscous friction, or Stribeck's law, one may have a term that is
    not there.
    """
    true = arm(drop=(drop,) * 6, v_St=(0.02,) * 6) if drop else arm()
    more = 0
    for seed in range(4):
        terms, _ = chosen_terms(irb.load("irb1600"), log_of(true, seed), log_of(true, 10 + seed))
        more += sum(bool(set(kinds) - {"Fs-Fc"}) for kinds in terms)
    assert more <= 1


def test_the_simplest_model_within_onestandard_error_is_taken(monkeypatch):
    """Without the test of coefficients, fewer terms that are not there are chosen than by the
    least error alone.
    """
    monkeypatch.setattr(friction_selection, "ALPHA", 35.0)  # zero standard deviations
    monkeypatch.setattr(friction_selection, "NEGLIGIBLE", 0.0)
    logs = [(log_of(arm(), seed), log_of(arm(), 10 + seed)) for seed in range(2)]

    def count():
        found = [chosen_terms(irb.load("irb1600"), *pair)[0] for pair in logs]
        return sum(len(kinds) for terms in found for kinds in terms)

    within = count()
    monkeypatch.setattr(friction_selection, "standard_error", lambda x: np.zeros(len(x)))
    assert within < count()


def test_measured_like_logs_of_the_published_law_have_stribecks_terms_alone():
    """The IRB 2400 of S000 with its encoders and the noise of Tab. 6, positions filtered."""
    terms, _ = chosen_terms(cases.prior(), cases.log(1), cases.log(2))
    assert {kind for kinds in terms for kind in kinds} == {"Fs-Fc"}
    assert sum(map(len, terms)) >= 4


def test_a_term_that_drives_is_not_chosen():
    """Friction that falls with speed, as negative degressive friction would have it, and a load
    that lowers friction leave a passive law; so does a constant torque beyond Coulomb friction.
    """
    base = arm(Fd=(0.0,) * 6)
    motion = excitation(base.with_friction(None), 10.0, seed=3)
    law, v = base.friction_model, motion.v
    weight = np.array(
        [dynamics.gravity(base.with_friction(None).dynamic_model, q) for q in motion.q]
    )
    tau = motion.tau + law.Fc * np.sign(v) + 3.0 * law.Fv * v
    tau[:, 0] -= 2.0 * law.Fc[0] * v[:, 0] / (0.3 + np.abs(v[:, 0]))
    tau[:, 1] -= 0.02 * np.abs(weight[:, 1]) * np.sign(v[:, 1])
    tau[:, 2] += 2.0 * law.Fc[2]
    noise = NOISE * base.limits.effort * np.random.default_rng(0).normal(size=tau.shape)
    log = Recording(motion.t, motion.q, tau=tau + noise)
    terms, selected = chosen_terms(irb.load("irb1600"), log)
    assert "Fd" not in terms[0]
    assert "mu" not in terms[1]
    assert "dFc" not in terms[2]
    fit = weighted_least_squares(selected.total)
    values = dict(zip(selected.base.names, fit.beta, strict=True))
    for kind, names in (("Fd", "Fd_"), ("mu", "mu_"), ("drop", "Fs-Fc_")):
        assert all(value >= 0.0 for name, value in values.items() if name.startswith(names)), kind


def test_a_drive_that_two_axes_turn_has_its_terms_once():
    """Motor 6 turns with axis 5: its degressive friction loads both axes, and is one term of drive
    6.
    """
    D = np.eye(6)
    D[5, 4] = -0.8
    robot = irb.load("irb1600").with_drives(D)
    size = 0.04 * robot.limits.effort
    law = Stribeck(
        size, size, size, np.ones(6), Fd=3.0 * size * [0, 0, 0, 0, 0, 1.0], v_d=np.full(6, 0.3)
    )
    motion = excitation(robot.with_friction(None), 10.0, seed=4)
    w = motion.v @ D.T
    drives = law.Fc * np.sign(w) + law.Fv * w + law.Fd * w / (law.v_d + np.abs(w))
    tau = motion.tau + drives @ D
    noise = NOISE * robot.limits.effort * np.random.default_rng(0).normal(size=tau.shape)
    terms, selected = chosen_terms(robot, Recording(motion.t, motion.q, tau=tau + noise))
    assert terms == [[], [], [], [], [], ["Fd"]]
    fit = weighted_least_squares(
        accumulate(
            Samples.of(Motion(motion.t, motion.q, motion.v, motion.a, tau)), selected.equations
        )
    )
    assert fit.beta[selected.base.names.index("Fd_6")] == pytest.approx(law.Fd[5], rel=0.3)
    # what a speed of the row leaves, where no search refines it
    assert (fit.noise < 0.02 * size).all()


def test_bodies_may_be_given():
    """A robot with the bodies of another has its gravity; tool and payload stay."""
    robot = irb.load("irb1600", tool=None).with_payload(irb.payload(3.0, (0.0, 0.0, 0.1)))
    bare = robot.with_load()
    count = 10 * (robot.model.njoints - 1)
    lighter = robot.with_bodies(0.5 * bare.parameter_vector()[:count])
    q = np.linspace(0.1, 0.6, 6)
    carried = robot.gravity(q) - bare.gravity(q)
    np.testing.assert_allclose(lighter.gravity(q), 0.5 * bare.gravity(q) + carried, atol=1e-10)
    with pytest.raises(irb.InputError, match="parameters of the 6 bodies"):
        robot.with_bodies(np.ones(7))


def test_a_report_says_what_was_tried():
    """Each axis has a row per model on its way, from none, with one chosen; the page shows them."""
    verdict = cases.good().verdict
    rows = list(friction_rows(verdict))
    for axis, choice in enumerate(verdict.friction, start=1):
        own = [row for row in rows if row[0] == str(axis)]
        assert len(own) == len(choice.trials)
        assert own[0][1:3] == ("none", "1.0000")
        assert [row[6] for row in own].count("yes") == 1
    assert any("Fs-Fc at 0.0" in row[1] and row[6] for row in rows)
    assert "How friction was chosen" in report_html(verdict)


def test_columns_are_those_of_the_robots_regressor():
    """Kept apart and kept for later, columns are those of one query, springs and coupled drives
    included; what lies elsewhere in memory is computed anew.
    """
    D = np.eye(6)
    D[5, 4] = -0.8
    law = arm(mu=(0.1,) * 6, Fd=(1.0,) * 6, v_d=(0.3,) * 6).friction_model
    robot = irb.load("irb1600").with_drives(D).with_friction(law)
    robot = robot.with_springs([irb.TorsionSpring(2, 300.0, 0.2)])
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 8, 6))
    regressor = TorqueRegressor(robot)
    expected = np.array([robot.regressor(*state) for state in zip(q, v, a, strict=True)])
    for _ in range(2):
        np.testing.assert_allclose(regressor(q, v, a), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        regressor(q[4:].copy(), v[4:].copy(), a[4:].copy()), expected[4:], rtol=1e-9, atol=1e-9
    )
    other = pickle.loads(pickle.dumps(regressor))
    np.testing.assert_allclose(other(q + 0.1, v, a)[0], regressor(q + 0.1, v, a)[0], rtol=1e-12)
