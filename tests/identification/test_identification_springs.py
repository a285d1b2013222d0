"""Springs as parameters of a fit, as known parts of the torque, and in the file of a set."""

import numpy as np
import pytest
import yaml
from excited import SIGMA, excitation, inner, measured

import irbmodels as irb
from irbmodels.identification.fits import (
    Samples,
    TorqueEquations,
    accumulate,
    consistent_fit,
    weighted_least_squares,
)
from irbmodels.robot.base_parameters import base_parameters

TRUE = (
    irb.CoilSpring(2, before=(-0.5, 0.0), after=(-0.15, 0.0), length=0.35, F0=4e3, k=2e4),
    irb.GasSpring(
        3, before=(-0.3, 0.5), after=(0.1, 0.15), length=0.5, F0=3e3, column=0.4, exponent=1.2
    ),
    irb.TorqueOffset(4, 3.0),
    irb.TorsionSpring(6, 15.0, 0.0),
)
NAMES = ("F0_spring_2", "k_spring_2", "F0_gas_3", "offset_4", "k_torsion_6")


@pytest.fixture(scope="module")
def truth():
    return irb.load("irb2400").with_springs(TRUE)


@pytest.fixture(scope="module")
def log(truth):
    """Two periods of an excitation with noise in angles and torques."""
    rng = np.random.default_rng(0)
    return [inner(measured(excitation(truth, seed=seed), rng)) for seed in (1, 2)]


def fitted(log, robot, springs):
    base = base_parameters(robot, friction=True, springs=springs)
    return weighted_least_squares(accumulate(Samples.of(*log), TorqueEquations(robot, base))), base


@pytest.fixture(scope="module")
def guess(truth):
    """The robot that somebody believes in: every coefficient another one."""
    values = ([3e3, 1e4], [2e3], [0.5], [5.0])
    return truth.with_springs(
        [spring.with_values(value) for spring, value in zip(TRUE, values, strict=True)]
    )


@pytest.fixture(scope="module")
def result(log, guess):
    fit, base = fitted(log, guess, True)
    return fit, base, consistent_fit(fit, guess, base)


def test_coefficients_are_found(result):
    """Each within five deviations of the truth, which tell it from nothing."""
    fit, base, _ = result
    for name, true in zip(NAMES, [4e3, 2e4, 3e3, 3.0, 15.0], strict=True):
        i = next(k for k, one in enumerate(base.names) if one.split(" ")[0] == name)
        assert base.names[i] == name
        assert abs(fit.beta[i] - true) < 5.0 * fit.deviation[i]
        assert fit.deviation[i] < 0.2 * true


def test_unseen_torques_are_predicted(result, truth):
    """Of another motion within a third of the noise; without springs far from it."""
    fit, base, _ = result
    other = excitation(truth, seed=5)
    Y = base.reduced(truth.regressor(other.q, other.v, other.a))
    error = np.sqrt(np.mean(np.square(Y @ fit.beta - other.tau), axis=0))
    assert (error < SIGMA / 3.0).all()


def test_known_springs_are_part_of_the_torque(log, truth):
    """Springs that are no parameters are subtracted with the coefficients of the robot: torques
    without them and a robot without them lead to the same fit.
    """
    known, base = fitted(log, truth, False)
    assert not any("spring" in name or "offset" in name for name in base.names)
    bare = truth.with_springs(None)
    without = []
    for piece in log:
        springs = truth.gravity(piece.q) - bare.gravity(piece.q)
        without.append(type(piece)(piece.t, piece.q, piece.v, piece.a, piece.tau - springs))
    alone, _ = fitted(without, bare, False)
    np.testing.assert_allclose(known.beta, alone.beta, rtol=1e-6, atol=1e-6)


def test_a_set_brings_its_springs(result, guess, tmp_path):
    """Fitted numbers are identified, pivots as they were given; loaded, the robot has them."""
    fit, base, found = result
    path = found.write(tmp_path / "set.yaml", "mine", "two logs of a test")
    robot = irb.load("irb2400", parameters=path)
    for one, other in zip(robot.springs, found.springs, strict=True):
        assert type(one) is type(other)
        np.testing.assert_allclose(one.values, other.values, rtol=1e-12)
        q = np.array([0.1, -0.4])
        np.testing.assert_allclose(one.torque(q), other.torque(q), rtol=1e-11)
    np.testing.assert_allclose(robot.parameter_vector(), found.vector, rtol=1e-9, atol=1e-9)
    i = base.names.index("F0_spring_2")
    assert abs(found.springs[0].F0 - TRUE[0].F0) < 5.0 * fit.deviation[i]
    assert found.springs[0].F0 != guess.springs[0].F0
    row, sources = robot.description.springs.elements["coil_2"], robot.description.springs.sources
    grades = [sources[row.source_of(name)].grade for name in ("F0_N", "before_mm")]
    assert grades == ["identified", "assumed"]


def test_springs_of_tables_keep_their_rows(log, tmp_path):
    """Of a spring of an overlay only what was fitted is written; the set goes on top of it."""
    element = {
        "axis": "axis_2", "kind": "coil", "before_mm": [-500, 0], "after_mm": [-150, 0],
        "length_mm": 350, "F0_N": 3000, "k_N_m": 10000, "source": "sheet",
    }  # fmt: skip
    table = {
        "about": "a test", "robot": "irb2400_16", "sources": {"sheet": {"ref": "x", "grade": "published"}},
        "springs": {"elements": {"balancer": element}},
    }  # fmt: skip
    file = tmp_path / "sheet.yaml"
    file.write_text(yaml.safe_dump(table, sort_keys=False))
    prior = irb.load("irb2400", overlays=[file])
    prior = prior.with_springs([*prior.springs, *TRUE[1:]])
    fit, base = fitted(log, prior, True)
    found = consistent_fit(fit, prior, base)
    path = found.write(tmp_path / "set.yaml", "mine", "two logs of a test")
    rows = yaml.safe_load(path.read_text())["springs"]["elements"]
    assert list(rows) == ["balancer", "gas_3", "offset_4", "torsion_6"]
    assert set(rows["balancer"]) == {"F0_N", "k_N_m", "source"}
    robot = irb.load("irb2400", overlays=[file], parameters=path)
    np.testing.assert_allclose(
        [spring.values[0] for spring in robot.springs],
        [spring.values[0] for spring in found.springs],
        rtol=1e-12,
    )
    assert len(robot.springs) == 4


def test_a_robot_from_a_file_takes_its_springs_from_its_set(truth, tmp_path):
    """Of a URDF, which has no springs: the set beside it brings them, fitted numbers and pivots."""
    file = irb.urdf_path("irb2400", "serial")
    robot = irb.from_urdf(file).with_friction(truth.friction_model)
    guess = robot.with_springs([TRUE[0].with_values([3e3, 1e4]), TRUE[2].with_values([0.5])])
    actual = robot.with_springs([TRUE[0], TRUE[2]])
    log = [inner(measured(excitation(actual, seed=3), np.random.default_rng(3)))]
    fit, base = fitted(log, guess, True)
    found = consistent_fit(fit, guess, base)
    path = found.write(tmp_path / "set.yaml", "mine", "a log of a test")
    springs = irb.from_urdf(file, parameters=path).springs
    assert springs == found.springs
    assert pytest.approx(4e3, rel=0.2) == springs[0].F0
    assert springs[0].before == TRUE[0].before
    assert springs[1].offset == pytest.approx(3.0, abs=0.5)


def test_a_consistent_set_has_springs_that_exist(log, truth):
    """Torques that fall with the position of axis 6 are those of no torsion spring: least squares
    has a negative stiffness, the consistent set none.
    """
    robot = truth.with_springs([irb.TorsionSpring(6, 1.0, 0.0)])
    falling = [piece._replace(tau=piece.tau - 30.0 * piece.q * np.eye(6)[5]) for piece in log]
    fit, base = fitted(falling, robot, True)
    assert fit.beta[base.names.index("k_torsion_6")] < -10.0
    (spring,) = consistent_fit(fit, robot, base).springs
    assert 0.0 <= spring.k < 0.5
