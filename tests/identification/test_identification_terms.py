"""Friction and rotors that nobody has told: found in samples, written, and loaded again."""

import warnings
from functools import cache

import numpy as np
import pytest
from excited import excitation, random_states, torques
from grouped import together

import irbmodels as irb
from irbmodels import InputError, MissingData
from irbmodels.identification.fits import (
    Samples,
    TorqueEquations,
    accumulate,
    stribeck_fit,
    weighted_least_squares,
)
from irbmodels.identification.fits.friction_candidates import STRIBECK_SPEEDS, FrictionCandidates
from irbmodels.identification.fits.friction_selection import choose_friction
from irbmodels.identification.fits.stretch_sums import sum_stretches
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import (
    evaluate,
    identify,
    nearest_parameters,
    prepare,
    split_recording,
    write_parameter_set,
)
from irbmodels.identification.validation.model_terms import ModelSelection, select_terms
from irbmodels.model.friction import frictionless
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.trajectory import Motion

NOISE = 0.002  # of the effort limits


@cache
def nominal(name):
    return irb.load(name)


def law_for(robot, v_St=0.02, drop=0.5, size=0.04):
    """Friction in shares of what the axes can do; no robot but the 2400 has a published law."""
    coulomb = size * robot.limits.effort
    speeds = np.broadcast_to(np.asarray(v_St, dtype=float), (robot.n,))
    return irb.Stribeck((1.0 + drop) * coulomb, coulomb, 0.5 * coulomb, speeds)


def rotors_of(robot):
    """Half of what the mass matrix has in a bent posture."""
    low, high = robot.limits.envelope()
    return 0.5 * np.diag(robot.mass_matrix(np.clip(0.3 * low + 0.1, low, high)))


def samples_of(robot, count=1500, slowest=0.02):
    """Random states, a third of them slow, with exact torques of Pinocchio's recursion, friction
    and rotors added here.
    """
    motion = random_states(robot.with_friction(None).with_rotors(np.zeros(robot.n)), count)
    motion.v[::3] *= slowest
    return with_torques(robot, motion)


def with_torques(robot, motion):
    bare = robot.with_friction(None).with_rotors(np.zeros(robot.n))
    law = robot.friction_model or frictionless(robot.n)
    dry = (law.Fc + (law.Fs - law.Fc) * np.exp(-((motion.v / law.v_St) ** 2))) * np.sign(motion.v)
    tau = (
        torques(bare, motion.q, motion.v, motion.a)
        + dry
        + law.Fv * motion.v
        + motion.a * robot.rotors
    )
    return motion._replace(tau=tau)


def log_of(robot, seed, duration=12.0):
    """A recording with noise on torques; positions, speeds and accelerations are exact."""
    motion = with_torques(robot, excitation(robot.with_friction(None), duration, seed=seed))
    noise = NOISE * robot.limits.effort * np.random.default_rng(seed).normal(size=motion.q.shape)
    linear = tuple(bool(one) for one in robot.limits.linear)
    return Recording(motion.t, motion.q, tau=motion.tau + noise, linear=linear)


def fitted(robot, *logs, **words):
    parts = [split_recording(log) for log in logs]
    return identify(
        robot,
        [prepare(first) for first, _ in parts],
        [prepare(last) for _, last in parts],
        **words,
    )


def chosen(robot, samples, v_St=None, drop=None, kinds=("Fs-Fc",)):
    """What is chosen for each axis of a robot without a friction law, and what is believed."""
    without = robot.with_friction(frictionless(robot.n))
    rows = TorqueEquations(without, base_parameters(without, friction=True))
    fit = weighted_least_squares(accumulate(samples, rows))
    candidates = FrictionCandidates(rows, np.ones(robot.n) if v_St is None else v_St, fit.beta)
    return choose_friction(
        sum_stretches(samples, candidates, 10),
        candidates,
        1.0 / fit.noise**2,
        kinds,
        np.zeros(robot.n) if drop is None else drop,
    )


def speeds_of(choices):
    """The Stribeck speed of each axis, NaN where none is chosen."""
    return np.array([next((speed for _, speed in one.terms), np.nan) for one in choices])


@pytest.mark.parametrize("name", ["irb1600", "irb930"])
def test_exact_samples_give_a_law_that_nobody_told(name):
    """Each axis' own Stribeck speed, and all sums with it, come back to 1e-7 from exact torques;
    the robot has no law.
    """
    robot = nominal(name)
    true = robot.with_friction(law_for(robot, np.linspace(0.008, 0.05, robot.n)))
    samples = Samples.of(samples_of(true))
    terms = select_terms(samples, ModelSelection(robot, None, None, 0))
    np.testing.assert_allclose(terms.robot.friction_model.v_St, true.friction_model.v_St, rtol=1e-7)
    fit = weighted_least_squares(accumulate(samples, terms.linearization))
    exact = np.append(terms.base.values(true.parameter_vector()), true.friction_model.v_St)
    np.testing.assert_allclose(fit.beta, exact, rtol=1e-7, atol=1e-8 * np.abs(exact).max())
    assert fit.names[-1] == f"v_St_{robot.n}"
    assert fit.units[-robot.n :] == tuple("m/s" if one else "rad/s" for one in robot.limits.linear)
    assert terms.notes[0].endswith(
        f"Stribeck speeds of axis {', '.join(str(i + 1) for i in range(robot.n))} fitted"
    )


def test_speeds_are_told_axis_by_axis():
    """An axis without a fall, one without slow samples, and one that falls beyond the row of speeds
    have none.
    """
    robot = nominal("irb930")
    law = law_for(robot, [0.02, 0.02, 0.02, 2.0])
    law = irb.Stribeck([law.Fc[0], *law.Fs[1:]], law.Fc, law.Fv, law.v_St)
    true = robot.with_friction(law)
    motion = samples_of(true)
    motion.v[:, 1] += np.where(motion.v[:, 1] < 0.0, -0.2, 0.2)
    motion = with_torques(true, motion)
    noisy = motion.tau + NOISE * robot.limits.effort * np.random.default_rng(0).normal(
        size=motion.tau.shape
    )
    samples = Samples.of(motion._replace(tau=noisy))
    actual = chosen(robot, samples)
    assert np.isnan(speeds_of(actual)[[0, 1, 3]]).all()
    step = np.log(STRIBECK_SPEEDS[1] / STRIBECK_SPEEDS[0])
    assert abs(np.log(speeds_of(actual)[2] / 0.02)) < step
    assert not any(one.denied for one in actual)
    believed = chosen(robot, samples, np.full(4, 0.02), 0.5 * law.Fc)
    assert [one.denied for one in believed] == [True, False, False, True]


def dahl(motion, axis, distance):
    """Dahl's state, sample by sample, of a drive that slides at first."""
    z = [np.sign(motion.v[0, axis])]
    for step, v in zip(np.diff(motion.q[:, axis]), motion.v[1:, axis], strict=True):
        z.append(np.sign(v) + (z[-1] - np.sign(v)) * np.exp(-abs(step) / distance))
    return np.array(z)


def test_candidates_are_terms_of_the_friction_law():
    """Every column is the torque of the law with that term alone, and a coefficient of 1; the load
    is the weight of the fitted bodies.
    """
    robot = nominal("irb930").with_friction(frictionless(4))
    rows = TorqueEquations(robot, base_parameters(robot, friction=True))
    motion = samples_of(robot, 200)
    believed = np.array([0.01, 0.02, 0.05, 0.5])
    candidates = FrictionCandidates(rows, believed, rows.base.values(robot.parameter_vector()))
    blocks = list(candidates([motion]))
    plain = np.concatenate([Y for Y, _ in rows([motion])])
    load = np.array([robot.gravity(q) for q in motion.q])
    zero, one = np.zeros(4), np.ones(4)
    for axis, terms in enumerate(candidates.terms):
        Y = np.concatenate([own[axis] for own, _ in blocks])
        np.testing.assert_array_equal(Y[:, : rows.base.rank], plain[:, axis])
        assert Y.shape[1] == rows.base.rank + len(terms) == candidates.columns[axis].size
        assert sum(term.scale == believed[axis] for term in terms) == 1
        for column, (kind, speed) in zip(Y[:, rows.base.rank :].T, terms, strict=True):
            if kind == "presliding":
                late = dahl(motion, axis, speed) - np.sign(motion.v[:, axis])
                expected = late
                np.testing.assert_allclose(column, expected, rtol=1e-12, atol=1e-12)
                continue
            unit = irb.Stribeck(
                one if kind == "Fs-Fc" else zero,
                zero,
                zero,
                np.full(4, speed) if kind == "Fs-Fc" else one,
                v_d=np.full(4, speed) if kind == "Fd" else one,
                **({} if kind == "Fs-Fc" else {kind: one}),
            )
            expected = np.array(
                [unit.torque(v, g)[axis] for v, g in zip(motion.v, load, strict=True)]
            )
            np.testing.assert_allclose(column, expected, rtol=1e-9, atol=1e-9)


def test_a_fall_that_samples_deny_is_dropped(tmp_path):
    """The robot's law has Fs = 3 Fc on axis 2, the truth has no fall there: the set says Fs = Fc;
    elsewhere it keeps its own.
    """
    robot = nominal("irb930")
    true = robot.with_friction(law_for(robot, drop=0.0))
    own = law_for(robot, drop=0.0)
    believed = robot.with_friction(
        irb.Stribeck(own.Fc * [1.0, 3.0, 1.0, 1.0], own.Fc, own.Fv, own.v_St)
    )
    actual = fitted(believed, log_of(true, 1), log_of(true, 2))
    assert actual.verdict.level in ("reference", "good"), actual.verdict.reasons
    law = irb.load(
        "irb930",
        parameters=write_parameter_set(
            tmp_path / "s.yaml", actual.parameters, actual.verdict, "a log"
        ),
    ).friction_model
    assert not law.falls.any()
    np.testing.assert_allclose(law.Fc, true.friction_model.Fc, rtol=0.05)


def test_each_axis_has_its_own_best_speed():
    """Speeds that differ tenfold between axes are found each to the next of the row, whatever the
    others' misfit.
    """
    robot = nominal("irb930")
    true = robot.with_friction(law_for(robot, [0.004, 0.04, 0.1, 0.015]))
    motion = samples_of(true, slowest=np.array([0.004, 0.04, 0.1, 0.015]))
    noisy = motion.tau + NOISE * robot.limits.effort * np.random.default_rng(0).normal(
        size=motion.tau.shape
    )
    speeds = speeds_of(chosen(robot, Samples.of(motion._replace(tau=noisy))))
    step = np.log(STRIBECK_SPEEDS[1] / STRIBECK_SPEEDS[0])
    assert (np.abs(np.log(speeds / true.friction_model.v_St)) < 1.5 * step).all()


def test_subsets_of_axes_add_up(tmp_path):
    """Axes 1 and 2 first, 3 and 4 from there: the last file holds both, loads as what was judged,
    and names its sources.
    """
    robot = nominal("irb930")
    true = robot.with_friction(law_for(robot, drop=0.0))
    loaded, friction = robot, []
    for name, moving in (("first", [1.0, 1.0, 0.0, 0.0]), ("second", [0.0, 0.0, 1.0, 1.0])):
        whole = excitation(robot, 12.0, seed=3)
        motion = Motion(
            whole.t,
            whole.q[0] + (whole.q - whole.q[0]) * moving,
            whole.v * moving,
            whole.a * moving,
            None,
        )
        motion = with_torques(true, motion)
        noise = NOISE * robot.limits.effort * np.random.default_rng(1).normal(size=motion.q.shape)
        log = Recording(
            motion.t, motion.q, tau=motion.tau + noise, linear=(False, False, True, False)
        )
        actual = fitted(loaded, log, axes=[i + 1 for i in range(4) if moving[i]])
        path = write_parameter_set(
            tmp_path / f"{name}.yaml", actual.parameters, actual.verdict, name
        )
        loaded = irb.load("irb930", parameters=path)
        np.testing.assert_allclose(
            loaded.parameter_vector(), actual.parameters.vector, rtol=1e-12, atol=1e-12
        )
        friction.append(loaded.friction_model.Fc)
    np.testing.assert_array_equal(friction[1][:2], friction[0][:2])
    np.testing.assert_allclose(friction[1], true.friction_model.Fc, rtol=0.05)
    table = loaded.description.friction
    rows = table.sets[table.default].axes
    refs = [
        table.sources[rows[f"axis_{i}"].source_of("Fc_N" if i == 3 else "Fc_N_m")].ref
        for i in (1, 3)
    ]
    assert refs == ["first", "second"]


@pytest.mark.parametrize("name", ["irb2400", "irb1400"])
def test_a_set_made_from_another_prior_holds_all_of_it(name, tmp_path):
    """Only axes 4 to 6 move: the file has the other bodies of the prior that was named, not of the
    robot's default set.
    """
    default = irb.load(name)
    sets = default.description.inertials.sets
    other = next(
        key for key, entry in sets.items() if key != default.parameters and not entry.impossible
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.PhysicsWarning)
        prior = irb.load(name, parameters=other)
        bare = prior.with_friction(None)
        base = base_parameters(bare, (4, 5, 6))
        samples = Samples.of(random_states(bare, 300, axes=(4, 5, 6)))
        actual = nearest_parameters(
            weighted_least_squares(accumulate(samples, TorqueEquations(bare, base))), bare, base
        )
        mine = irb.load(name, parameters=actual.write(tmp_path / "mine.yaml", "mine", "samples"))
    np.testing.assert_allclose(
        mine.with_friction(None).parameter_vector(), actual.vector, rtol=1e-9, atol=1e-12
    )


def test_an_axis_that_is_not_told_keeps_its_own_speed():
    """Only axis 4 of the 2400 is slow in the samples: its wrong speed is mended, the others stay,
    and are not fitted.
    """
    true = irb.load("irb2400")
    motion = random_states(true.with_friction(None), 1500)
    motion.v[:] += np.where(motion.v < 0.0, -0.3, 0.3)
    motion.v[::2, 3] *= 0.02
    samples = Samples.of(with_torques(true, motion))
    own = true.friction_model
    wrong = true.with_friction(
        irb.Stribeck(own.Fs, own.Fc, own.Fv, 3.0 * own.v_St, measured_to=0.4)
    )
    terms = select_terms(samples, ModelSelection(wrong, None, None, 0))
    assert [term.axis for term in terms.linearization.terms] == [3]
    np.testing.assert_allclose(terms.robot.friction_model.v_St[3], own.v_St[3], rtol=1e-7)
    np.testing.assert_array_equal(
        np.delete(terms.robot.friction_model.v_St, 3), np.delete(3.0 * own.v_St, 3)
    )
    kept = "Stribeck speeds of axis 1, 2, 3, 5, 6 those of the robot"
    assert (
        terms.notes[0] == f"friction: Coulomb and viscous; Stribeck speeds of axis 4 fitted; {kept}"
    )
    assert terms.robot.friction_model.measured_to == 0.4


def test_samples_without_slow_ones_leave_a_law_as_it_is():
    """Where no axis is slow no Stribeck speed is fitted: the robot keeps the fall that it has, and
    that is said.
    """
    true = irb.load("irb2400")
    motion = random_states(true.with_friction(None), 600)
    motion.v[:] += np.where(motion.v < 0.0, -0.3, 0.3)
    terms = select_terms(
        Samples.of(with_torques(true, motion)), ModelSelection(true, None, None, 0)
    )
    assert terms.linearization is None
    assert terms.robot.friction_model.same_as(true.friction_model)
    assert (
        terms.notes[0]
        == "friction: Coulomb and viscous; Stribeck speeds of axis 1, 2, 3, 4, 5, 6 those of the"
        " robot"
    )
    assert not any(name.startswith("Fs-Fc") for name in terms.base.names)


def test_sums_are_those_of_where_the_others_stand():
    """Axes 2 and 3 move, the wrist stands bent: sums of the true parameters as they add up there
    explain the torques.
    """
    robot = nominal("irb1600")
    true = robot.with_friction(law_for(robot, drop=0.0))
    held, moves = (
        np.array([0.4, 0.0, 0.0, 0.7, -1.1, 0.3]),
        np.array([0.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
    )

    def standing(motion):
        return with_torques(
            true,
            Motion(
                motion.t, np.where(moves, motion.q, held), motion.v * moves, motion.a * moves, None
            ),
        )

    samples = Samples.of(standing(samples_of(true)))
    terms = select_terms(samples, ModelSelection(robot, [2, 3], held, 0), "coulomb")
    fit = weighted_least_squares(accumulate(samples, TorqueEquations(terms.robot, terms.base)))
    exact = terms.base.values(true.parameter_vector())
    np.testing.assert_allclose(fit.beta, exact, rtol=1e-7, atol=1e-9 * np.abs(exact).max())

    # the same from a log, which says itself where they stand
    motion = standing(excitation(robot, 12.0))
    noise = NOISE * robot.limits.effort * np.random.default_rng(0).normal(size=motion.q.shape)
    actual = fitted(
        robot,
        Recording(motion.t, motion.q, tau=motion.tau + noise),
        axes=[2, 3],
        friction="coulomb",
    )
    exact = actual.base.values(true.parameter_vector())
    assert (np.abs(actual.fit.beta - exact) < 5.0 * actual.fit.deviation).all()


def test_friction_may_be_named():
    """``own`` keeps the robot's speeds, ``coulomb`` has none, and a robot without a law has no own
    one.
    """
    robot = nominal("irb930")
    true = robot.with_friction(law_for(robot))
    samples = Samples.of(samples_of(true))
    assert not select_terms(
        samples, ModelSelection(robot, None, None, 0), "coulomb"
    ).robot.friction_model.falls.any()
    own = select_terms(samples, ModelSelection(true, None, None, 0), "own")
    assert own.linearization is None
    np.testing.assert_array_equal(own.robot.friction_model.v_St, true.friction_model.v_St)
    with pytest.raises(
        MissingData, match=r"irb930.* has no friction law of its own: take auto, stribeck, coulomb"
    ):
        select_terms(samples, ModelSelection(robot, None, None, 0), "own")
    with pytest.raises(irb.UnknownName, match="coulomb"):
        select_terms(samples, ModelSelection(robot, None, None, 0), "coulom")
    for axes in ((5,), (1, 5)):  # none of them, one of them
        with pytest.raises(InputError, match="needs friction among the base parameters"):
            stribeck_fit(
                samples, TorqueEquations(true, base_parameters(true, friction=True)), axes=axes
            )


@pytest.mark.parametrize("name", ["irb1600", "irb930"])
def test_rotors_are_found_where_there_are_any(name):
    """With rotors there are as many sums more as the 1600 has in the literature (40 and 36);
    without them, none.
    """
    robot = nominal(name)
    bare = robot.with_friction(law_for(robot, drop=0.0))
    for rotors, more in ((rotors_of(robot), 4 if name == "irb1600" else 3), (np.zeros(robot.n), 0)):
        samples = Samples.of(samples_of(bare.with_rotors(rotors)))
        base = select_terms(samples, ModelSelection(robot, None, None, 0), "coulomb").base
        assert sum(one.startswith("J_") for one in base.names) == more
    assert not select_terms(
        samples, ModelSelection(robot, None, None, 0), "coulomb", rotors=False
    ).base.names.count("J_4")
    assert any(
        one.startswith("J_")
        for one in select_terms(
            samples, ModelSelection(robot, None, None, 0), "coulomb", rotors=True
        ).base.names
    )


@together("friction", ["auto", "coulomb", "own"])
@together("drop", [0.0, 0.5])
@together("rotors", [None, False, True])
def test_what_is_folded_is_the_equations_of_the_terms(friction, drop, rotors):
    """Sums over the samples, taken along while terms are chosen, are those of one pass with the
    chosen ones; the believed rotor inertias, which the truth has not, are known or parameters.
    """
    robot = nominal("irb1600")
    true = robot.with_friction(law_for(robot, drop=drop))
    believed = true.with_rotors(rotors_of(robot))
    motion = samples_of(true, 600)
    noise = NOISE * robot.limits.effort * np.random.default_rng(0).normal(size=motion.q.shape)
    samples = Samples.of(motion._replace(tau=motion.tau + noise))
    terms = select_terms(samples, ModelSelection(believed, None, None, 0), friction, rotors)
    assert any(name.startswith("J_") for name in terms.base.names) == bool(rotors)
    pairs = [(terms.total, TorqueEquations(terms.robot, terms.base))]
    assert (terms.linearization is None) == (terms.total_with_speeds is None)
    if terms.linearization is not None:
        pairs.append((terms.total_with_speeds, terms.linearization))
    assert len(pairs) == 1 + (friction == "auto" and drop > 0.0)
    for actual, equations in pairs:
        expected = accumulate(samples, equations)
        assert (actual.names, actual.units) == (expected.names, expected.units)
        assert actual.samples == expected.samples
        for one, other in zip(actual.factors, expected.factors, strict=True):
            size = np.linalg.norm(other, axis=0) + 1e-4 * np.linalg.norm(other)
            np.testing.assert_allclose(
                one.T @ one / np.outer(size, size),
                other.T @ other / np.outer(size, size),
                atol=1e-10,
            )


@pytest.mark.parametrize("name", ["irb1600", "irb930"])
def test_a_set_of_a_robot_without_a_law_predicts_like_the_truth(name, tmp_path):
    """Logs with friction and rotors give a good set; loaded, it has both, and the torques of
    the truth.
    """
    robot = nominal(name)
    true = robot.with_friction(law_for(robot)).with_rotors(rotors_of(robot))
    actual = fitted(robot, log_of(true, 1), log_of(true, 2))
    assert actual.verdict.level in ("reference", "good"), actual.verdict.reasons
    assert (actual.verdict.held_out.rmse < 1.1 * NOISE * robot.limits.effort).all()
    assert all(
        np.isnan(one.previous) and not one.changed
        for one in actual.verdict.estimates
        if one.name.startswith(("F", "v_St"))
    )
    path = write_parameter_set(
        tmp_path / "mine.yaml", actual.parameters, actual.verdict, "a simulated log"
    )
    mine = irb.load(name, parameters=path)
    np.testing.assert_allclose(
        mine.parameter_vector(), actual.parameters.vector, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(
        mine.friction_model.v_St, actual.parameters.robot.friction_model.v_St, rtol=1e-15
    )
    assert mine.rotors.any()
    # the file's bound is one of rotary axes
    fastest = actual.verdict.coverage.speed[~robot.limits.linear]
    assert mine.friction_model.measured_to == pytest.approx(fastest.min(), rel=1e-12)
    other = with_torques(true, excitation(robot, seed=5))
    off = np.array(
        [
            mine.inverse_dynamics(*state)
            for state in zip(other.q[::25], other.v[::25], other.a[::25], strict=True)
        ]
    )
    assert (
        np.sqrt(np.mean((off - other.tau[::25]) ** 2, axis=0)) < NOISE * robot.limits.effort
    ).all()
    again = robot.with_parameters(path)
    np.testing.assert_array_equal(again.rotors, mine.rotors)
    assert not again.with_parameters(robot.parameters).rotors.any()


def test_axes_that_stood_still_are_said_to_be_assumed(tmp_path):
    """Of the 930 only axes 2 and 3 move: the file has their friction, and zeros of grade
    ``assumed`` for the others.
    """
    robot = nominal("irb930")
    true = robot.with_friction(law_for(robot, drop=0.0))
    motion = excitation(robot, 12.0)
    still = np.array([0.0, 1.0, 1.0, 0.0])
    motion = with_torques(
        true,
        Motion(
            motion.t,
            motion.q[0] + (motion.q - motion.q[0]) * still,
            motion.v * still,
            motion.a * still,
            None,
        ),
    )
    noise = NOISE * robot.limits.effort * np.random.default_rng(0).normal(size=motion.q.shape)
    log = Recording(motion.t, motion.q, tau=motion.tau + noise, linear=(False, False, True, False))
    actual = fitted(robot, log, axes=[2, 3])
    mine = irb.load(
        "irb930",
        parameters=write_parameter_set(
            tmp_path / "mine.yaml", actual.parameters, actual.verdict, "two axes"
        ),
    )
    # where nothing falls no speed is stated
    assert "v_St" not in (tmp_path / "mine.yaml").read_text()
    friction = mine.description.friction
    rows = friction.sets[friction.default].axes
    grades = [
        friction.sources[rows[f"axis_{i}"].source_of("Fc_N" if i == 3 else "Fc_N_m")].grade
        for i in range(1, 5)
    ]
    assert grades == ["assumed", "identified", "identified", "assumed"]
    np.testing.assert_allclose(
        mine.friction_model.Fc[[1, 2]], true.friction_model.Fc[[1, 2]], rtol=0.05
    )
    assert not mine.friction_model.Fc[[0, 3]].any()
    assert not mine.friction_model.falls.any()


def test_rotors_of_a_plain_fit_may_be_impossible(tmp_path):
    """Least squares with rotors where there are none leave a negative one: a reason, and no
    file.
    """
    robot = nominal("irb930")
    true = robot.with_friction(law_for(robot, drop=0.0)).with_rotors(np.zeros(4))
    actual = fitted(robot, log_of(true, 3), method="ls", friction="coulomb", rotors=True)
    negative = [name for name in actual.verdict.negative_parameters if name.startswith("J_")]
    assert negative
    assert any(
        f"{negative[0]} is negative" in reason or negative[0] in reason
        for reason in actual.verdict.reasons
    )
    with pytest.raises(InputError, match="friction or a rotor would drive the axis"):
        write_parameter_set(tmp_path / "mine.yaml", actual.parameters, actual.verdict, "nothing")
    assert not list(tmp_path.iterdir())


def test_a_motion_that_tells_no_rotor_is_no_error():
    """At constant speeds no torque depends on a rotor: asked for by nobody, there is none."""
    robot = nominal("irb930").with_friction(None)
    true = robot.with_friction(law_for(robot, drop=0.0)).with_rotors(rotors_of(robot))
    motion = samples_of(true)
    motion.a[:] = 0.0
    base = select_terms(
        Samples.of(with_torques(true, motion)), ModelSelection(robot, None, None, 0), "coulomb"
    ).base
    assert not any(name.startswith("J_") for name in base.names)


def test_judging_without_a_law_says_so():
    """A robot without friction is judged as it is, and the verdict says that what rubs stays in the
    residuals.
    """
    robot = nominal("irb930")
    judged = evaluate(robot, [prepare(log_of(robot, 1))])
    assert judged.notes == ("the robot has no friction law: friction remains in the residuals",)
    assert evaluate(robot.with_friction(frictionless(4)), [prepare(log_of(robot, 1))]).notes == ()
    # the same from logs, no matter of the motion
    with pytest.raises(MissingData, match="no friction law of its own"):
        fitted(robot, log_of(robot, 1), friction="own")


def test_columns_that_depend_only_beside_rotors_are_kept_without_them(monkeypatch):
    """Where rotors drop out of the parameters, equations may have a column that they had not beside
    rotors: a spring's that is nearly dependent, here those of viscous friction.
    """
    robot = nominal("irb1600").with_friction(law_for(nominal("irb1600")))
    samples = Samples.of(samples_of(robot))
    options, own = ModelSelection(robot, None, None, 0), ModelSelection.base
    plain = select_terms(samples, options, "coulomb", False)

    def fewer(self, arm, rotors):
        return (
            base_parameters(arm, friction=False, rotors=True) if rotors else own(self, arm, False)
        )

    monkeypatch.setattr(ModelSelection, "base", fewer)
    terms = select_terms(samples, options, "coulomb")
    assert terms.base.columns == plain.base.columns
    np.testing.assert_allclose(
        weighted_least_squares(terms.total).beta,
        weighted_least_squares(plain.total).beta,
        rtol=1e-9,
    )
