import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from excited import SIGMA, excitation, inner, measured, random_states
from scipy import optimize

import irbmodels as irb
from irbmodels import InputError, MissingExtra, UnknownName
from irbmodels.identification.fits import (
    Samples,
    TorqueEquations,
    accumulate,
    consistent_fit,
    weighted_least_squares,
)
from irbmodels.identification.fits.pseudo import pseudo_inertia
from irbmodels.robot.base_parameters import base_parameters

LINKS = tuple(f"link_{i}" for i in range(1, 7))


@pytest.fixture(scope="module")
def arm():
    """The true arm; the same with the CAD of S001 as its prior; base parameters; and a noisy log of
    the truth.
    """
    truth = irb.load("irb2400", tool="spindle")
    prior = irb.load("irb2400", tool="spindle", parameters="jia2018")
    base = base_parameters(prior, friction=True)
    return truth, prior, base, excitation(truth)


def fitted(arm, seed=0):
    _, prior, base, motion = arm
    log = inner(measured(motion, np.random.default_rng(seed)))
    return weighted_least_squares(accumulate(Samples.of(log), TorqueEquations(prior, base)))


@pytest.fixture(scope="module")
def fit(arm):
    return fitted(arm)


def test_every_repeat_is_a_body_and_predicts_as_well(arm):
    """In 8 noisy repeats every link is possible, friction opposes motion, and held-out torques are
    met within 10 %.
    """
    truth, prior, base, _ = arm
    held = excitation(truth, seed=77)
    Y = base.reduced(truth.regressor(held.q, held.v, held.a))
    for seed in range(8):
        actual = fitted(arm, seed)
        result = consistent_fit(actual, prior, base)
        assert tuple(result.inertials) == LINKS
        for link, body in result.inertials.items():
            assert body.impossibilities() == [], link
        assert (result.friction >= 0.0).all()
        measured_tau = held.tau + SIGMA * np.random.default_rng(1000 + seed).normal(
            size=held.tau.shape
        )
        errors = [
            np.sqrt(np.mean(np.square((Y @ beta - measured_tau) / SIGMA)))
            for beta in (result.beta, actual.beta)
        ]
        assert errors[0] < 1.1 * errors[1]
        # as far off as the noise of the fit: the prior does not fight data
        assert result.distance < 2.0 * np.sqrt(base.rank)
        np.testing.assert_allclose(
            result.distance, np.linalg.norm(actual.factor[:-1, :-1] @ (result.beta - actual.beta))
        )


def test_a_wrong_prior_gives_way_to_exact_torques(arm):
    """Exact torques leave nothing of a wrong prior in what they tell."""
    truth, prior, base, _ = arm
    exact = weighted_least_squares(
        accumulate(Samples.of(random_states(truth, 300)), TorqueEquations(prior, base))
    )
    result = consistent_fit(exact, prior, base)
    want = base.values(truth.parameter_vector())
    # kg m^2: the prior is wrong
    assert np.abs(base.values(prior.parameter_vector()) - want).max() > 0.5
    # counted as noise of 1e-5 of the torque
    np.testing.assert_allclose(result.beta, want, atol=1e-4 * np.abs(want).max())
    again = random_states(truth, 20, seed=5)
    np.testing.assert_allclose(
        truth.regressor(again.q, again.v, again.a) @ result.vector, again.tau, atol=0.05
    )


def test_an_unphysical_fit_becomes_physical(arm, fit):
    """Where the unconstrained fit wants what no body has, the result is at the border, not
    beyond.
    """
    _, prior, base, _ = arm
    wrong = fit.beta.copy()
    wrong[base.names.index(next(name for name in base.names if name.startswith("Izz_6")))] = -0.05
    factor = 30.0 * np.eye(len(wrong) + 1)
    result = consistent_fit(replace(fit, beta=wrong, factor=factor), prior, base, doubt=5.0)
    assert all(body.impossibilities() == [] for body in result.inertials.values())
    assert (
        result.beta[base.names.index(next(name for name in base.names if name.startswith("Izz_6")))]
        > 0.0
    )


def test_friction_that_drives_is_not_just_cut_off(arm, fit):
    """Where the fit wants negative friction, the other parameters make up for it: nearer than the
    fit with a 0 put in.
    """
    _, prior, base, _ = arm
    wrong, index = fit.beta.copy(), base.names.index("Fc_1")
    wrong[index] = -5.0
    cut = wrong.copy()
    cut[index] = 0.0
    result = consistent_fit(replace(fit, beta=wrong), prior, base, doubt=10.0)
    assert result.friction[0, 1] == pytest.approx(0.0, abs=1e-4)
    assert result.distance < 0.9 * np.linalg.norm(fit.factor[:-1, :-1] @ (cut - wrong))


def test_it_is_the_least_of_what_the_docstring_says(arm, fit):
    """Small possible moves of one body, in any direction, make misfit plus divergence larger."""
    _, prior, base, _ = arm
    doubt = 0.5
    result = consistent_fit(fit, prior, base, doubt=doubt)
    bare = prior.with_tool(None).parameter_vector()
    carried = prior.parameter_vector() - bare

    def cost(own):
        misfit = fit.factor[:-1, :-1] @ (base.values(own + carried) - fit.beta)
        far = 0.0
        for i in range(6):
            X = np.linalg.solve(
                pseudo_inertia(bare[10 * i : 10 * i + 10]),
                pseudo_inertia(own[10 * i : 10 * i + 10]),
            )
            far += np.trace(X) - np.linalg.slogdet(X)[1] - 4.0
        return 0.5 * misfit @ misfit + far / doubt**2

    own = result.vector - carried
    slope = optimize.approx_fprime(own[:60], lambda x: cost(np.append(x, own[60:])), 1e-7)
    at_prior = optimize.approx_fprime(bare[:60], lambda x: cost(np.append(x, own[60:])), 1e-7)
    curvature = np.maximum(
        np.abs(
            np.diag(base.grouping.T @ fit.factor[:-1, :-1].T @ fit.factor[:-1, :-1] @ base.grouping)
        )[:60],
        1.0,
    )
    assert (
        np.abs(slope / np.sqrt(curvature)).max()
        < 1e-3 * np.abs(at_prior / np.sqrt(curvature)).max()
    )
    assert cost(own) < cost(bare)


def test_doubt_says_how_far_the_prior_is_left(arm, fit):
    """A trusted prior stays; a doubted one gives way, and the fit is met better."""
    _, prior, base, _ = arm
    trusting, doubting = (consistent_fit(fit, prior, base, doubt=doubt) for doubt in (1e-5, 10.0))
    bare = prior.with_tool(None).parameter_vector()[:60]
    last = (prior.parameter_vector() - prior.with_tool(None).parameter_vector())[:60]
    moved = [np.linalg.norm(result.vector[:60] - last - bare) for result in (trusting, doubting)]
    assert moved[0] < 0.1 * moved[1]
    assert doubting.distance < 0.5 * trusting.distance


def test_bounds_are_kept(arm, fit):
    """Masses and centres of mass stay where they are told to, and only there."""
    _, prior, base, _ = arm
    free = consistent_fit(fit, prior, base)
    mass, com = free.inertials["link_3"].mass, free.inertials["link_2"].com
    box = (com + np.array([0.01, -1.0, -1.0]), com + np.array([0.05, 1.0, 1.0]))
    bound = consistent_fit(
        fit, prior, base, masses={"link_3": (mass - 5.0, mass - 2.0)}, centers={"link_2": box}
    )
    assert bound.inertials["link_3"].mass == pytest.approx(mass - 2.0, abs=1e-4)
    assert com[0] + 0.01 - 1e-6 < bound.inertials["link_2"].com[0] < com[0] + 0.012
    assert all(body.impossibilities() == [] for body in bound.inertials.values())
    above = consistent_fit(
        fit,
        prior,
        base,
        masses={"link_3": (mass + 2.0, mass + 5.0)},
        centers={"link_2": (com - 1.0, com - 0.01)},
    )
    assert above.inertials["link_3"].mass == pytest.approx(mass + 2.0, abs=1e-4)
    assert (above.inertials["link_2"].com <= com - 0.01 + 1e-5).all()


def test_it_comes_back_as_tables(arm, fit, tmp_path):
    """An overlay with the set loads, without the tool in link 6, and gives the torques of the
    set.
    """
    _, prior, base, _ = arm
    result = consistent_fit(fit, prior, base)
    path = result.write(tmp_path / "specimen.yaml", "mine", "12 logs of a test")
    robot = irb.load("irb2400", tool="spindle", overlays=[path])
    assert robot.parameters == "mine"
    np.testing.assert_allclose(robot.parameter_vector(), result.vector, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(robot.friction_model.v_St, prior.friction_model.v_St)
    table = robot.description.inertials
    assert (
        table.sources[table.sets["mine"].links["link_3"].source_of("mass_kg")].grade == "identified"
    )


def test_friction_that_was_not_fitted_is_not_written(tmp_path):
    """Base parameters without friction leave the robot its own."""
    robot = irb.load("irb2400")
    base = base_parameters(robot)
    fit = weighted_least_squares(
        accumulate(Samples.of(random_states(robot, 150)), TorqueEquations(robot, base))
    )
    result = consistent_fit(fit, robot, base)
    assert np.isnan(result.friction).all()
    again = irb.load("irb2400", overlays=[result.write(tmp_path / "own.yaml", "mine", "a test")])
    np.testing.assert_array_equal(
        again.friction_model.parameters(), robot.friction_model.parameters()
    )
    np.testing.assert_allclose(again.parameter_vector(), result.vector, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["irb1400", "irb930"])
def test_other_arms(name, tmp_path):
    """Bars with mass and rotors are bodies and numbers like others; a SCARA's too."""
    robot = irb.load(name).with_rotors(np.arange(1.0, 1.0 + irb.load(name).n))
    base = base_parameters(robot, rotors=True)
    motion = random_states(robot, 150)
    noisy = motion._replace(
        tau=motion.tau + 0.5 * np.random.default_rng(0).normal(size=motion.tau.shape)
    )
    fit = weighted_least_squares(accumulate(Samples.of(noisy), TorqueEquations(robot, base)))
    result = consistent_fit(fit, robot, base)
    assert ("link_crank" in result.inertials) == (name == "irb1400")
    assert all(body.impossibilities() == [] for body in result.inertials.values())
    assert result.rotors.min() >= 0.0
    assert result.distance < 2.0 * np.sqrt(base.rank)
    again = irb.load(name, overlays=[result.write(tmp_path / "own.yaml", "mine", "a test")])
    np.testing.assert_allclose(
        again.with_rotors(result.rotors).parameter_vector(),
        result.vector,
        rtol=1e-9,
        atol=1e-12,
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"doubt": 0.0}, InputError, "doubt"),
        ({"masses": {"link_7": (1.0, 2.0)}}, UnknownName, "link_7"),
        ({"masses": {"link_3": (2.0, 1.0)}}, InputError, "must grow"),
        ({"masses": {"link_3": (-2.0, 1.0)}}, InputError, "must grow"),
        ({"centers": {"link_3": ([0.0] * 3, [-1.0] * 3)}}, InputError, "not lower, then upper"),
        ({"masses": {"link_3": (0.0, 0.0)}}, InputError, "no set of bodies"),
    ],
)
def test_bounds_that_cannot_be(arm, fit, arguments, error, message):
    """Bounds without sense, of unknown links, or that no body keeps are one clear line."""
    _, prior, base, _ = arm
    with pytest.raises(error, match=message):
        consistent_fit(fit, prior, base, **arguments)


def test_a_prior_that_is_no_body(arm, fit):
    """The impossible set of the paper is refused as prior."""
    _, _, base, _ = arm
    with pytest.warns(irb.PhysicsWarning):
        printed = irb.load("irb2400", tool="spindle", parameters="obal2025_printed")
    with pytest.raises(InputError, match="parameters that no body has"):
        consistent_fit(fit, printed, base)


def test_the_fit_belongs_to_the_base(arm, fit):
    """Another base is refused."""
    _, prior, _, _ = arm
    with pytest.raises(InputError, match="which are not the"):
        consistent_fit(fit, prior, base_parameters(prior))


def test_a_set_is_a_yaml_file(arm, fit, tmp_path):
    """A file of another suffix is refused."""
    _, prior, base, _ = arm
    result = consistent_fit(fit, prior, base)
    with pytest.raises(InputError, match=r"\.yaml"):
        result.write(tmp_path / "own.txt", "mine", "a test")


def test_the_extra_is_named(arm, fit, monkeypatch):
    """Without the solver the message says what to install."""
    _, prior, base, _ = arm
    monkeypatch.setattr(
        "irbmodels.errors.find_spec", lambda name: None if name == "clarabel" else object()
    )
    with pytest.raises(MissingExtra, match="identify"):
        consistent_fit(fit, prior, base)


@pytest.mark.parametrize(
    ("change", "possible"),
    [
        ({}, True),
        ({0: -2.0}, False),  # mass
        ({4: 0.5}, False),  # Ixx above Iyy + Izz about the centre
        ({5: 0.2}, False),  # a product that leaves no positive tensor
        ({1: 1.5}, False),  # centre too far out for the moments about the origin
    ],
)
def test_the_survey_knows_bodies(change, possible, monkeypatch):
    """scripts/identification_coverage.py, which tries the solver's bodies in 200 repeats, tells
    those that cannot exist.
    """
    path = Path(__file__).resolve().parents[2] / "scripts" / "identification_coverage.py"
    monkeypatch.setattr("sys.path", list(sys.path))
    spec = importlib.util.spec_from_file_location("identification_coverage", path)
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "identification_coverage", script)
    spec.loader.exec_module(script)
    body = np.array([2.0, 0.2, 0.0, 0.0, 0.1, 0.0, 0.14, 0.0, 0.0, 0.12])  # 2 kg, 0.1 m out on x
    for place, number in change.items():
        body[place] = number
    assert script.is_possible(body) == possible
    assert script.is_possible(np.zeros(10))


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_friction_by_direction_drives_no_axis(arm, sign):
    """Estimates of dFc beyond Fc, and of mu below 0, end at the edge of a passive law; Fc gives way
    where it is less sure.
    """
    truth = arm[0]
    law, one = truth.friction_model, np.eye(6)
    further = {"dFc": 0.5 * law.Fc * one[0], "mu": 0.1 * one[1], "dFv": -0.5 * law.Fv * one[2]}
    robot = truth.with_friction(replace(law, **further))
    base = base_parameters(robot, friction=True)
    rows = TorqueEquations(robot, base)
    motion = random_states(robot, 400)
    noise = SIGMA * np.random.default_rng(0).normal(size=motion.tau.shape)
    samples = Samples.of(motion._replace(tau=motion.tau + noise))
    fit = weighted_least_squares(accumulate(samples, rows))
    place = base.names.index
    wrong = fit.beta.copy()
    wrong[place("dFc_1")], wrong[place("mu_2")] = sign * 2.0 * law.Fc[0], -0.1
    result = consistent_fit(replace(fit, beta=wrong), robot, base)
    kinds = robot.friction_model.kinds
    values = {kind: result.friction[:, kinds.index(kind)] for kind in kinds}
    assert sign * values["dFc"][0] > 0.0
    assert abs(values["dFc"][0]) == pytest.approx(values["Fc"][0], rel=1e-3)
    assert values["mu"][1] == pytest.approx(0.0, abs=1e-4)
    assert values["dFv"][2] < 0.0
    law = robot.friction_model.with_parameters(np.nan_to_num(result.friction).ravel())
    robot.with_friction(law)  # refuses what drives
