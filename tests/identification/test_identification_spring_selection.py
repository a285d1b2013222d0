"""Springs that nobody has told: found in samples, estimated with everything else, written, and none
where there is none.

Torques of elements are formulas of this file: pressure times area times lever arm of a cylinder,
stiffness times stretch of a coil, lever arms by the cross product of pivot and direction.
"""

import re
from functools import cache

import numpy as np
import pytest
import verdict_cases as cases
import yaml
from excited import excitation, torques

import irbmodels as irb
from irbmodels.identification.fits import (
    Samples,
    least_squares,
    spring_fits,
    sum_stretches,
    weighted_least_squares,
)
from irbmodels.identification.fits.spring_candidates import (
    SPRING_KINDS,
    Place,
    SpringCandidates,
    families,
)
from irbmodels.identification.fits.spring_equations import GeometryEquations
from irbmodels.identification.fits.stretch_sums import project
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import (
    identify,
    prepare,
    split_recording,
    usable_segments,
    write_parameter_set,
)
from irbmodels.identification.validation.model_terms import ModelSelection
from irbmodels.identification.validation.spring_terms import select_model
from irbmodels.model.friction import Stribeck
from irbmodels.report.identification.page import report_html
from irbmodels.report.identification.tables import spring_rows
from irbmodels.robot.torque_bands import TorqueSlopes
from irbmodels.robot.torque_regressor import first_of_friction

NOISE = 0.002  # of the effort limits
FAR, NEAR, ANGLE = 0.7, 0.25, 0.1  # distances of the pivots from the axis [m], angle between them


@cache
def arm(name="irb1600", drop=0.0):
    """An arm with Coulomb and viscous friction, or Stribeck's."""
    robot = irb.load(name)
    size = 0.04 * robot.limits.effort
    return robot.with_friction(Stribeck((1.0 + drop) * size, size, size, np.full(robot.n, 0.02)))


def pivots(q):
    """Where both pivots are, and the unit vector from the moving one to the other, ``(N, 2)``."""
    fixed = np.array([FAR, 0.0])
    moving = NEAR * np.column_stack([np.cos(q + ANGLE), np.sin(q + ANGLE)])
    line = fixed - moving
    return moving, line / np.linalg.norm(line, axis=1)[:, None], np.linalg.norm(line, axis=1)


def held(q, force):
    """Torque that a motor bears against a force that pulls the moving pivot to the fixed one."""
    moving, direction, length = pivots(q)
    cross = moving[:, 0] * direction[:, 1] - moving[:, 1] * direction[:, 0]
    return -force(length) * cross


def gas(q):
    """A cylinder of 19.6 cm2 whose rod is drawn out against nitrogen: ``p V^1.2`` is constant."""
    area, pressure, volume = 19.6e-4, 31e5, 1.2e-3

    def force(length):
        left = volume - area * (length - 0.45)
        return pressure * (volume / left) ** 1.2 * area

    return held(q, force)


def coil(q):
    """A coil of 2 kN/m that is stretched from 0.1 m."""
    return held(q, lambda length: 2000.0 * (length - 0.1))


def log_of(robot, seed, extra=None, axis=2, duration=20.0, size=1.0, noise=NOISE):
    """A recording with white noise; torques are Pinocchio's, friction and springs this file's."""
    motion = excitation(robot.with_friction(None), duration, seed=seed)
    if size != 1.0:  # around where the motion starts
        q = motion.q[0] + size * (motion.q - motion.q[0])
        motion = with_torques(robot, motion._replace(q=q, v=size * motion.v, a=size * motion.a))
    law, v = robot.friction_model, motion.v
    dry = law.Fc + (law.Fs - law.Fc) * np.exp(-((v / law.v_St) ** 2))
    tau = motion.tau + dry * np.sign(v) + law.Fv * v
    if extra is not None:
        tau[:, axis - 1] += extra(motion.q[:, axis - 1])
    tau += noise * robot.limits.effort * np.random.default_rng(seed).normal(size=tau.shape)
    linear = tuple(bool(one) for one in robot.limits.linear)
    return Recording(motion.t, motion.q, tau=tau, linear=linear)


def with_torques(robot, motion):
    """The motion with torques of its states."""
    bare = robot.with_friction(None)
    return motion._replace(tau=torques(bare, motion.q, motion.v, motion.a))


def samples_of(*logs):
    """What a fit reads of logs."""
    return Samples.of(*usable_segments([prepare(log) for log in logs], range(logs[0].n)))


def selected(robot, *logs, **words):
    """Terms and springs that are chosen."""
    return select_model(samples_of(*logs), ModelSelection(robot, None, None, 0), **words)


@cache
def fitted(extra, axis, springs=True):
    """What two logs of an IRB 1600 with a further torque on one axis give."""
    parts = [split_recording(log_of(arm(), seed, extra, axis)) for seed in (1, 2)]
    first, last = ([prepare(part[k]) for part in parts] for k in (0, 1))
    return identify(irb.load("irb1600"), first, last, springs=springs)


def errors_of_bodies(result):
    """Errors of base parameters of bodies in standard deviations."""
    base, fit = result.base, result.fit_with_speeds
    whole = np.zeros(base.grouping.shape[1])
    first = first_of_friction(arm())
    whole[:first] = arm().parameter_vector()[:first]
    bodies = [k for k, column in enumerate(base.columns) if column < first]
    return ((fit.beta[: base.rank] - base.values(whole)) / fit.deviation[: base.rank])[bodies]


def test_a_gas_spring_is_found_with_its_geometry():
    """Pivots, gas and force of a cylinder on axis 2 come back, the held-out torques are met within
    10 % of the noise, and bodies lie within their intervals; without the spring nothing of it is.
    """
    result = fitted(gas, 2)
    (spring,) = result.parameters.springs
    assert isinstance(spring, irb.GasSpring)
    assert np.hypot(*spring.after) / np.hypot(*spring.before) == pytest.approx(
        NEAR / FAR, rel=0.005
    )
    assert np.arctan2(*spring.after[::-1]) == pytest.approx(ANGLE, abs=0.002)
    q = np.linspace(-0.6, 2.0, 50)
    np.testing.assert_allclose(spring.torque(q), gas(q), atol=2e-3 * np.abs(gas(q)).max())
    assert (result.verdict.held_out.rmse < 1.1 * NOISE * arm().limits.effort).all()
    assert np.abs(errors_of_bodies(result)).max() < 4.0
    assert not any("unlikely" in note for note in result.verdict.notes)
    assert not result.verdict.mistakes
    without = fitted(gas, 2, springs=False)
    assert without.verdict.held_out.rmse[1] > 50.0 * NOISE * arm().limits.effort[1]
    assert np.abs(errors_of_bodies(without)).max() > 5.0
    masses = [one.parameters.inertials["link_2"].mass for one in (result, without)]
    own = irb.load("irb1600").with_load().model.inertias[2].mass
    assert masses[0] == pytest.approx(own, rel=0.05)
    assert masses[1] > 2.0 * own
    assert any("a spring or balancer" in note for note in without.verdict.notes)


def test_a_coil_is_found_and_its_size_is_a_convention():
    """Of a coil on axis 3 the ratio and angle of its pivots are told; forces are those at pivots of
    which the farther one is at 1 m.
    """
    result = fitted(coil, 3)
    (spring,) = result.parameters.springs
    assert isinstance(spring, irb.CoilSpring)
    assert np.hypot(*spring.after) == pytest.approx(NEAR / FAR, rel=0.01)
    assert np.arctan2(*spring.after[::-1]) == pytest.approx(ANGLE, abs=0.005)
    assert spring.before == (1.0, 0.0)
    assert spring.k == pytest.approx(2000.0 * FAR**2, rel=0.01)
    assert (result.verdict.held_out.rmse < 1.1 * NOISE * arm().limits.effort).all()
    assert np.abs(errors_of_bodies(result)).max() < 4.0


def pushed(length):
    """Pull of a strut of 50 mm bore with 1.2 l of nitrogen at 75 bar where it is 0.82 m long."""
    area, volume = np.pi * 0.025**2, 1.2e-3
    return -75e5 * (volume / (volume - area * (0.82 - length))) ** 1.2 * area


# axis 2 and both pivots (x, z) in base axes at 0 [m] as public files of the drawings have them
KNOWN = {
    "irb4400_60_196": ((0.2, 0.68), (-0.4793, 0.5385), (0.3217, 0.7084), pushed),
    "irb6640_235_255": (
        (0.32, 0.78),
        (-0.3647, 0.6345),
        (0.1, 0.7128),
        lambda length: 12e3 + 1e4 * length,
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_between_pivots_of_the_tables_only_the_law_is_fitted(name, tmp_path):
    """A strut and a coil by virtual work: force times change of the distance of two points. What the
    law has of its own comes back in newtons: the force of the gas, and of the coil that at length 0;
    its stiffness pulls as a weight does. It completes the row of the tables; loaded with it the
    robot lacks no balancer, and gravity is that of bodies and balancer over the range.
    """
    axis, column, lug, force = KNOWN[name]

    def distance(q):
        x, z = np.subtract(lug, axis)
        moved = np.stack([x * np.cos(q) + z * np.sin(q), z * np.cos(q) - x * np.sin(q)], axis=-1)
        return np.linalg.norm(axis + moved - column, axis=-1)

    def virtual_work(q):
        return force(distance(q)) * (distance(q + 1e-6) - distance(q - 1e-6)) / 2e-6

    logs = [split_recording(log_of(arm(name), seed, virtual_work)) for seed in (1, 2)]
    first, last = ([prepare(log[k]) for log in logs] for k in (0, 1))
    result = identify(irb.load(name), first, last)
    (spring,) = result.parameters.springs
    low, high = (float(end[1]) for end in arm(name).limits.envelope())
    q = np.linspace(low, high, 50)
    if isinstance(spring, irb.GasSpring):
        assert spring.force(q) == pytest.approx(force(distance(q)), rel=0.01)
    else:
        assert spring.F0 - spring.k * spring.length == pytest.approx(force(0.0), rel=0.02)
    assert (result.verdict.held_out.rmse < 1.1 * NOISE * arm(name).limits.effort).all()
    assert not {"after_x_2", "after_y_2"} & set(result.fit_with_speeds.names)
    assert any("between the pivots of the tables" in note for note in result.verdict.notes)
    path = write_parameter_set(
        tmp_path / "set.yaml", result.parameters, result.verdict, "two logs of a test"
    )
    ((row, numbers),) = yaml.safe_load(path.read_text())["springs"]["elements"].items()
    assert row == "balancer"
    assert {"before_mm", "after_mm"}.isdisjoint(numbers)
    loaded = irb.load(name, parameters=path)
    assert not loaded.unknown_springs
    states = np.zeros((50, 6))
    states[:, 1] = states[:, 2] = q
    expected = arm(name).gravity(states)[:, 1] + virtual_work(q)
    largest = np.abs(virtual_work(q)).max()
    np.testing.assert_allclose(loaded.gravity(states)[:, 1], expected, atol=0.01 * largest)


def test_a_kind_that_is_not_that_of_the_tables_is_refused():
    """Their pivots are of a gas strut."""
    robot = irb.load("irb4400_60_196")
    with pytest.raises(irb.InputError, match=r"a coil is asked for on axis 2, .* are of a gas$"):
        selected(robot, log_of(arm(), 1, duration=5.0), springs={2: "coil"})


@pytest.mark.parametrize("force", [-800.0, 300.0])
def test_a_stiffness_that_weight_explains_is_one_with_which_a_coil_pulls(force):
    """Beside the torque of a constant force it adds what a weight has, a sine of the position, and
    the force at the least length, by the law of cosines, is zero for one that would push.
    """
    place = Place(1, (-2.4, 2.4), (-2.6, 2.6))
    (family,) = (one for one in families(linear=False) if one.kind == "coil")
    element = place.element(family, (0.3, 0.5))
    coil = spring_fits._with_values(element, np.array([force]), place)
    q = np.linspace(-2.4, 2.4, 50)
    added = coil.torque(q) - element.with_values([force, 0.0]).torque(q)
    weight = np.column_stack([np.sin(q), np.cos(q)])
    share = np.linalg.lstsq(weight, added, rcond=None)[0]
    np.testing.assert_allclose(weight @ share, added, atol=1e-9)
    least = np.sqrt(1.0 + 0.3**2 - 2.0 * 0.3)  # at q = -0.5
    assert coil.F0 + coil.k * (least - coil.length) == pytest.approx(max(force, 0.0), abs=1e-9)


def test_deviations_of_geometry_and_force_are_those_of_the_errors():
    """Over ten pairs of logs of the cylinder, errors of its force, pivot and gas column are as
    large as their deviations say. The truth is taken at pivots of which the farther is at 1 m.
    """
    scale, errors = 1.0 / FAR, []
    for seed in range(140, 160, 2):
        # of a tenth of the noise errors of filtered positions, 1e-5 rad, would be seen
        logs = [log_of(arm(), seed + k, gas, noise=10.0 * NOISE) for k in (0, 1)]
        terms = selected(irb.load("irb1600"), *logs)
        weights = weighted_least_squares(terms.total).weights
        fit, (spring,) = least_squares(terms.total_with_speeds, weights), terms.robot.springs
        length = spring.length / scale  # at which force and column are
        truth = {
            "after_x_2": scale * NEAR * np.cos(ANGLE),
            "after_y_2": scale * NEAR * np.sin(ANGLE),
            "column_2": scale * (1.2e-3 / 19.6e-4 - (length - 0.45)),
            "F0_gas_2": gas_force_at(length) / scale,
        }
        at = [fit.names.index(name) for name in truth]
        errors.append((fit.beta[at] - list(truth.values())) / fit.deviation[at])
        np.testing.assert_allclose(
            terms.linearization.x[-3:], fit.beta[-3:], atol=0.3 * fit.deviation[-3:].min()
        )
    size = np.sqrt(np.square(errors).mean(axis=0))
    assert ((size > 0.5) & (size < 1.6)).all()


def gas_force_at(length):
    """Force of :func:`gas` at a length [N]."""
    return 31e5 * (1.2e-3 / (1.2e-3 - 19.6e-4 * (length - 0.45))) ** 1.2 * 19.6e-4


def test_a_torque_offset_beyond_coulomb_friction_is_found():
    """A constant torque of an axis of twice its Coulomb friction, which no friction by direction
    may have, is an offset; a smaller one is Coulomb friction by direction, as no sample at rest
    tells both apart.
    """
    size = arm().friction_model.Fc[2]
    for share, expected in ((2.0, "offset_3"), (0.5, "dFc_3")):
        terms = selected(
            irb.load("irb1600"), log_of(arm(), 3, lambda q, c=share: c * size + 0 * q, 3)
        )
        names = [name for name in terms.base.names if name.startswith(("offset", "dFc"))]
        assert names == [expected]
        fit_of = terms.total.combined_factor()
        beta = np.linalg.solve(fit_of[:-1, :-1], fit_of[:-1, -1])
        assert beta[terms.base.names.index(expected)] == pytest.approx(share * size, rel=0.02)


def test_a_torsion_spring_is_found_in_measured_like_logs():
    """Of 800 N m/rad on axis 2 of the IRB 2400 of S000 with its encoders and noise; stiffness and
    rest come back within their intervals, and the robot that has it gets no other.
    """
    spring = irb.TorsionSpring(2, 800.0, 0.2)
    logs = [
        cases.plus(log, np.outer(800.0 * (log.q[:, 1] - 0.2), np.eye(6)[1]))
        for log in (cases.log(1), cases.log(2))
    ]
    terms = selected(cases.prior(), *logs)
    (found,) = terms.robot.springs
    assert isinstance(found, irb.TorsionSpring)
    assert (found.axis, found.k) == (2, pytest.approx(800.0, rel=0.02))
    assert found.rest == pytest.approx(0.2, abs=0.02)
    fit = weighted_least_squares(terms.total_with_speeds)
    for name, value in (("k_torsion_2", 800.0), ("rest_2", 0.2)):
        low, high = fit.intervals(0.999)[fit.names.index(name)]
        assert low < value < high
    terms = selected(cases.prior().with_springs([spring]), *logs)
    assert len(terms.robot.springs) == 1
    assert "k_torsion_2" in terms.base.names


def test_axes_without_a_spring_have_none():
    """None of 48 axes of logs without a spring gets one, with Stribeck's law or without."""
    found = []
    for seed in range(2):
        for name, drop in (("irb1600", 0.0), ("irb2400", 0.5), ("irb1400", 0.0), ("irb1600", 0.5)):
            log = log_of(arm(name, drop), 20 + seed, duration=10.0)
            terms = selected(irb.load(name), log)
            found += [one.spring for one in terms.springs]
            assert terms.springs
            assert not any("spring" in note for note in terms.notes)
    assert len(found) == 48
    assert not any(found)


def test_a_spring_that_weight_explains_is_not_claimed():
    """A coil on axis 2 that pulls in proportion to its length, as those of balanced lamps do, has
    the torque of a weight.
    """
    extra = lambda q: held(q, lambda length: 3000.0 * length)  # noqa: E731
    terms = selected(irb.load("irb1600"), log_of(arm(), 1, extra), log_of(arm(), 2, extra))
    assert not any(one.spring for one in terms.springs)


def test_an_element_that_leaves_what_a_polynomial_explains_is_not_claimed():
    """Of the cylinder over a quarter of a turn a constant torque alone is told from weight: it
    gains much, and leaves what is no offset's.
    """
    terms = selected(irb.load("irb1600"), log_of(arm(), 1, gas, duration=10.0))
    (trials,) = [one.trials for one in terms.springs if len(one.trials) > 1]
    assert isinstance(trials[-1].spring, irb.TorqueOffset)
    assert trials[-1].rmse < 0.85 * trials[0].rmse
    assert not any(one.spring for one in terms.springs)


def test_over_a_small_range_no_spring_is_claimed():
    """Axis 2 moves over a sixth of a turn less: what the cylinder does there a weight does, and the
    note says the range. Asked for, it is refused with what to do.
    """
    parts = [split_recording(log_of(arm(), seed, gas, size=0.2)) for seed in (1, 2)]
    first, last = ([prepare(part[k]) for part in parts] for k in (0, 1))
    robot = irb.load("irb1600")
    result = identify(robot, first, last)
    assert not result.parameters.springs
    notes = "\n".join(result.verdict.notes)
    assert re.search("has axis [1-6, ]*2[1-6, ]* a spring or balancer", notes)
    assert "axis 2 moves from" in notes
    assert "cannot be told apart" in notes
    with pytest.raises(irb.InputError, match="do not tell a spring of kind gas on axis 2, which"):
        identify(robot, first, last, springs={2: "gas"})


@pytest.mark.parametrize(
    ("springs", "message"),
    [
        ({7: "gas"}, "axis 7, which does not move"),
        ({2: "rubber"}, "no kind of spring 'rubber'"),
        ({0: "gas"}, "an axis with a spring"),
        ("gas", "springs are True, False, or kinds by axis"),
        ({3: "coil"}, "a coil is asked for on axis 3, which slides"),
    ],
)
def test_springs_that_no_axis_has_are_refused(springs, message):
    """One line says what is wrong."""
    name = "irb930" if springs == {3: "coil"} else "irb1600"
    part = prepare(log_of(arm(name), 1, duration=4.0))
    with pytest.raises(irb.IrbError, match=message):
        identify(irb.load(name), [part], [part], springs=springs)


def test_springs_of_the_robot_are_fitted_with_their_geometry():
    """A robot that has the cylinder with half its force: the force is estimated, pivots stay, and
    no other spring is chosen; with springs=False it is known, and wrong.
    """
    table = irb.GasSpring(
        2, (FAR, 0.0), (NEAR * np.cos(ANGLE), NEAR * np.sin(ANGLE)),
        length=0.45, F0=0.5 * 31e5 * 19.6e-4, column=1.2e-3 / 19.6e-4, exponent=1.2,
    )  # fmt: skip
    robot = irb.load("irb1600").with_springs([table])
    parts = [split_recording(log_of(arm(), seed, gas)) for seed in (1, 2)]
    first, last = ([prepare(part[k]) for part in parts] for k in (0, 1))
    result = identify(robot, first, last)
    (spring,) = result.parameters.springs
    assert (spring.before, spring.after, spring.length) == (table.before, table.after, table.length)
    assert pytest.approx(31e5 * 19.6e-4, rel=1e-3) == spring.F0
    assert any("springs of the robot: F0_gas_2 fitted" in note for note in result.verdict.notes)
    known = identify(robot, first, last, springs=False)
    assert known.parameters.springs == (table,)
    assert known.verdict.held_out.rmse[1] > 20.0 * result.verdict.held_out.rmse[1]


def test_a_coefficient_that_samples_do_not_tell_stays():
    """Over a small range the force of the robot's cylinder is not told from weight: it stays."""
    table = irb.GasSpring(
        2, (FAR, 0.0), (NEAR, 0.0), length=0.45, F0=6076.0, column=0.61, exponent=1.2
    )
    robot = irb.load("irb1600").with_springs([table])
    terms = selected(robot, log_of(arm(), 1, gas, size=0.1, duration=5.0))
    assert "F0_gas_2" not in terms.base.names
    assert any("F0_gas_2 as the robot has them" in note for note in terms.notes)
    assert terms.robot.springs == (table,)


def test_a_set_with_a_found_spring_is_written_and_loaded(tmp_path):
    """Fitted numbers have the source of the fit, the size of the pivots that of a convention; the
    loaded robot has torques and bands of the set, with the covariance of the geometry.
    """
    result = fitted(gas, 2)
    path = write_parameter_set(
        tmp_path / "set.yaml", result.parameters, result.verdict, "two logs of a test"
    )
    ((name, row),) = yaml.safe_load(path.read_text())["springs"]["elements"].items()
    assert name == "gas_2"
    fit = {field for field, source in row["source"].items() if source == "fit"}
    assert fit == {"after_mm", "F0_N", "column_mm"}
    assert {row["source"][field] for field in ("before_mm", "length_mm", "exponent")} == {
        "convention"
    }
    robot = irb.load("irb1600", parameters=path)
    np.testing.assert_allclose(
        robot.parameter_vector(), result.parameters.vector, rtol=1e-9, atol=1e-9
    )
    assert {"after_x_2", "after_y_2", "column_2"} <= set(robot.uncertainty.names)
    q = np.tile(np.array([0.1, 0.4, -0.3, 0.2, 0.5, 0.1]), (3, 1))
    q[:, 1] += [0.0, 0.5, 1.0]
    band = robot.inverse_dynamics_band(q, 0.0 * q, 0.0 * q)
    assert np.isfinite(band.upper).all()


def test_bands_have_the_slopes_of_the_geometry():
    """Derivatives of torques by pivot and gas column are differences of whole robots' torques."""
    result = fitted(gas, 2)
    robot = result.parameters.robot.with_springs(result.parameters.springs)
    uncertainty = result.parameters.uncertainty
    q = np.linspace(-0.3, 0.9, 4)[:, None] * np.ones(6)
    slopes = TorqueSlopes(robot, uncertainty)(q, 0.0 * q, 0.0 * q)
    (spring,) = robot.springs
    x, y = spring.after
    step = 1e-5
    for field, low, high in (
        ("after_x_2", {"after": (x - step, y)}, {"after": (x + step, y)}),
        ("after_y_2", {"after": (x, y - step)}, {"after": (x, y + step)}),
        ("column_2", {"column": spring.column - step}, {"column": spring.column + step}),
    ):
        torques = [
            robot.with_springs([spring_with(spring, change)]).gravity(q) for change in (high, low)
        ]
        expected = (torques[0] - torques[1]) / (2.0 * step)
        np.testing.assert_allclose(
            slopes[..., uncertainty.names.index(field)], expected, rtol=1e-6, atol=1e-5
        )


def spring_with(spring, change):
    """A gas spring with another number."""
    fields = {
        name: getattr(spring, name)
        for name in ("axis", "before", "after", "length", "F0", "column", "exponent")
    }
    return irb.GasSpring(**(fields | change))


def test_linearized_equations_are_the_torque_to_second_order():
    """``Y beta - y`` of the equations linearized at the geometry is the residual of the element
    whose geometry is another, but for the square of the change.
    """
    terms = selected(irb.load("irb1600"), log_of(arm(), 1, gas))
    assert isinstance(terms.linearization, GeometryEquations)
    (motion,) = samples_of(log_of(arm(), 1, gas)).logs[:1]
    part = motion.each(lambda x: x[200:300])
    Y, y = next(iter(terms.linearization([part])))
    Z, z = next(iter(terms.equations([part])))
    (spring,) = terms.robot.springs
    x = terms.linearization.x[-3:]
    beta = np.linalg.lstsq(Z.reshape(-1, Z.shape[2]), z.ravel(), rcond=None)[0]
    beta[terms.base.names.index("F0_gas_2")] = spring.F0
    change = np.array([1e-4, -2e-4, 1e-4])
    linear = Y @ np.append(beta, x + change) - y
    other = spring_with(spring, {"after": tuple(x[:2] + change[:2]), "column": x[2] + change[2]})
    exact = Z @ beta - z
    exact[:, 1] += other.torque(part.q[:, 1]) - spring.torque(part.q[:, 1])
    moved = np.abs(exact - (Z @ beta - z)).max()
    np.testing.assert_allclose(linear, exact, atol=5e-3 * moved)


@pytest.mark.parametrize("kind", SPRING_KINDS)
def test_polynomials_hold_the_torque_of_every_shape(kind):
    """The columns of an element are its torques over 230 degrees, to 3e-3 of the largest, unless
    its pivots nearly meet or its gas is pressed to a quarter.
    """
    robot = arm()
    candidates = SpringCandidates.of(
        selected(irb.load("irb1600"), log_of(arm(), 1, duration=6.0), springs=False).equations,
        samples_of(log_of(arm(), 1, duration=6.0)),
    )
    place = candidates.places[1]._replace(moved=(-1.5, 2.5), allowed=(-1.6, 2.6))
    q = np.linspace(-1.5, 2.5, 301)
    series = np.polynomial.chebyshev.chebvander((q - 0.5) / 2.0, 23)
    for family in families(bool(robot.limits.linear[1])):
        if family.kind != kind:
            continue
        for shape in family.grid[:: max(1, len(family.grid) // 20)]:
            element = place.element(family, shape)
            columns = series @ place.columns(element)
            expected = element.unit_torques(q)
            size = np.abs(expected).max(axis=0)
            own = columns[:, : expected.shape[1]]
            if not shape or (shape[0] <= 0.5 and shape[-1] != 1.3):
                assert (np.abs(own - expected).max(axis=0) < 3e-3 * size).all(), (family, shape)


def test_sums_of_polynomials_are_fits_of_samples():
    """What least squares of samples leaves with a torsion spring on axis 5 is what the sums say."""
    log = log_of(arm(), 5, lambda q: 10.0 * (q - 0.2), 5, duration=8.0)
    samples = samples_of(log)
    terms = selected(irb.load("irb1600"), log, springs=False)
    rows = SpringCandidates.of(terms.equations, samples)
    sums = sum_stretches(samples, rows, 4)
    base = terms.base.rank
    columns = np.arange(base + 24 * 6)
    weights = np.ones(6)
    parts = project(sums.weighted(weights, columns), base)
    at = 24 * 4 + np.arange(2)  # a constant and the position of axis 5
    whole = parts.whole[np.ix_(at, at)]
    values = np.linalg.solve(whole, parts.whole[at, -1])
    left = parts.whole[-1, -1] - parts.whole[at, -1] @ values
    Y = np.concatenate([Y for piece in samples.logs for Y, _ in terms.equations([piece])])
    y = np.concatenate([y for piece in samples.logs for _, y in terms.equations([piece])])
    q = np.concatenate([np.asarray(piece.q) for piece in samples.logs])
    own = np.zeros((len(q), 6, 2))
    own[:, 4] = np.column_stack([np.ones(len(q)), q[:, 4]])
    design = np.concatenate([Y, own], axis=2).reshape(-1, base + 2)
    seen = np.isfinite(y.ravel())
    rest = np.linalg.lstsq(design[seen], y.ravel()[seen], rcond=None)[1]
    assert left == pytest.approx(float(rest[0]), rel=1e-5)


def test_a_report_shows_what_was_tried():
    """Rows of the axis with a spring, one of them chosen, a figure of its torque; none elsewhere."""
    verdict = fitted(gas, 2).verdict
    rows = list(spring_rows(verdict))
    assert {row[0] for row in rows} == {"2"}
    assert [row[1] for row in rows if row[6]] == [row[1] for row in rows if "gas spring" in row[1]]
    assert "How springs were chosen" in report_html(verdict)
    assert "How springs were chosen" not in report_html(fitted(gas, 2, springs=False).verdict)
