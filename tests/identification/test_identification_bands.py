from dataclasses import replace

import any_arms
import numpy as np
import pytest
import verdict_cases as cases
import yaml
from excited import random_states, torques

import irbmodels as irb
from irbmodels import InputError, MissingData, PhysicsWarning, TableError
from irbmodels.identification.fits import (
    Accumulator,
    TorqueEquations,
    stribeck_fit,
    weighted_least_squares,
)
from irbmodels.identification.fits.streaming import Samples
from irbmodels.identification.recordings import Drives
from irbmodels.identification.validation import (
    identify,
    prepare,
    split_recording,
    write_parameter_set,
)
from irbmodels.identification.validation.evaluation import evaluate
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.robot.torque_bands import TorqueSlopes, band_half_width
from irbmodels.robot.uncertainty import ParameterUncertainty, record_of_uncertainty

NOISE = np.array([3.0, 1.0, 2.0, 0.3])  # [N m, N] of the axes of a SCARA


@pytest.fixture(scope="module")
def scara():
    """A SCARA with dry and viscous friction."""
    dry = np.array([6.0, 3.0, 8.0, 0.5])
    return irb.load("irb930").with_friction(irb.Stribeck(dry, dry, 0.3 * dry, np.ones(4)))


@pytest.fixture(scope="module")
def set_file(tmp_path_factory):
    """File of a set that was identified, and the identification."""
    found = cases.identified(cases.prior(), cases.log(1))
    file = tmp_path_factory.mktemp("set") / "specimen.yaml"
    return write_parameter_set(file, found.parameters, found.verdict, "simulated"), found


@pytest.fixture(scope="module")
def specimen(set_file):
    """The robot with that set."""
    return irb.load("irb2400", tool="spindle", parameters=set_file[0])


def states(robot, count, seed):
    """Random states of a robot, ``(count, n)`` each."""
    motion = random_states(robot, count, seed)
    return motion.q, motion.v, motion.a


def uncertainty_of(fit, axes, **more):
    return ParameterUncertainty.of(
        fit.covariance,
        names=fit.names,
        degrees=fit.degrees,
        axes=axes,
        noise=fit.noise,
        correlation_time=np.full(len(axes), 0.004),
        **more,
    )


def test_bands_of_two_hundred_fits_hold_the_torque(scara):
    """Of 200 short logs with noise of their own, 94 to 96 % of the bands hold the true torque of
    other states, and those with noise a new measurement; bands at 50 % hold half of them.
    """
    rng, log = np.random.default_rng(7), random_states(scara, 60, seed=3)
    base = base_parameters(scara, friction=True)
    Y = base.reduced(scara.regressor(log.q, log.v, log.a))
    new = states(scara, 25, seed=11)
    exact = torques(scara, *new)
    rows = TorqueEquations(scara, base)
    inside = []
    for _ in range(200):
        total = Accumulator(4, rows.names, rows.units)
        total.add(Y, log.tau + NOISE * rng.normal(size=log.tau.shape))
        fit = weighted_least_squares(total)
        model = base.reduced(scara.regressor(*new)) @ fit.beta
        measured = exact + NOISE * rng.normal(size=exact.shape)
        known = uncertainty_of(fit, base.axes)
        halves = [
            band_half_width(scara, known, new, level, noise)
            for level, noise in ((0.95, False), (0.95, True), (0.5, False))
        ]
        truth = (exact, measured, exact)
        inside.append(
            [np.abs(one - model) <= half for one, half in zip(truth, halves, strict=True)]
        )
    shares = np.mean(inside, axis=(0, 2))  # level, axis
    assert 0.94 <= shares[0].mean() <= 0.96
    assert 0.94 <= shares[1].mean() <= 0.96
    assert 0.47 <= shares[2].mean() <= 0.53
    assert (shares[:2] > 0.90).all()


def test_a_stribeck_speed_widens_the_band():
    """The band of a fit with Stribeck speeds is that of derivatives of Pinocchio's torques by
    each of its parameters, one after the other.
    """
    law = irb.Stribeck([9.0, 4.0, 8.0, 0.5], [6.0, 3.0, 8.0, 0.5], np.ones(4), [0.2, 0.1, 1.0, 1.0])
    robot = irb.load("irb930").with_friction(law)
    rng, log = np.random.default_rng(0), random_states(robot, 400, seed=4)
    base = base_parameters(robot, friction=True)
    noisy = log._replace(tau=log.tau + 0.1 * NOISE * rng.normal(size=log.tau.shape))
    fit = stribeck_fit(Samples.of(noisy), TorqueEquations(robot, base))
    assert fit.names[-2:] == ("v_St_1", "v_St_2")
    fitted = replace(law, v_St=np.array([*fit.beta[-2:], 1.0, 1.0]))
    robot = robot.with_friction(fitted)
    q, v, a = states(robot, 30, seed=5)
    slopes = [base.reduced(robot.regressor(q, v, a))]
    for i in range(2):
        step = 1e-5 * (np.arange(4) == i)
        ends = [
            torques(robot.with_friction(replace(fitted, v_St=fitted.v_St + s * step)), q, v, a)
            for s in (1.0, -1.0)
        ]
        slopes.append(((ends[0] - ends[1]) / 2e-5)[..., None])
    whole = np.concatenate(slopes, axis=-1)
    deviation = np.sqrt(np.einsum("nip,pq,niq->ni", whole, fit.covariance, whole))
    half = band_half_width(robot, uncertainty_of(fit, base.axes), (q, v, a), 0.95, False)
    np.testing.assert_allclose(half, 1.962 * deviation, rtol=2e-3)
    assert (np.abs(whole[:, :2, -2:]).max(axis=(0, 1)) > 1.0).all()


def test_speeds_of_coupled_drives_widen_the_band_of_both_axes():
    """Drive 6 turns with axis 5: by hand, the band is that of differences of D' f(D v) by the
    Stribeck speeds of drives 5 and 6, the speed of a degressive term of drive 6, and Fc of drive 5.
    """
    D = np.eye(6)
    D[5, 4] = -0.8
    one = np.ones(6)
    law = irb.Stribeck(5.0 * one, 3.0 * one, one, 0.3 * one, Fd=2.0 * one, v_d=0.2 * one)
    robot = irb.load("irb1600").with_friction(law).with_drives(D)
    names = ("Fc_5", "v_St_6", "v_d_6", "v_St_5")
    root = np.random.default_rng(0).normal(size=(4, 4))
    known = ParameterUncertainty.of(
        root @ root.T,
        names=names,
        degrees=1e9,
        axes=tuple(range(6)),
        noise=one,
        correlation_time=one,
        gravity=robot.gravity_vector,
    )

    def torque(v, Fc=3.0, v_St=(0.3, 0.3), v_d=0.2):
        w5, w6 = v[:, 4], v[:, 5] - 0.8 * v[:, 4]
        five = (Fc + (5.0 - Fc) * np.exp(-((w5 / v_St[0]) ** 2))) * np.sign(w5)
        six = 2.0 * np.exp(-((w6 / v_St[1]) ** 2)) * np.sign(w6) + 2.0 * w6 / (v_d + np.abs(w6))
        return np.stack([five - 0.8 * six, six], axis=1)

    q, v, a = states(robot, 700, seed=5)
    v = 0.3 * v
    fall = np.stack([np.sign(v[:, 4]), 0.0 * v[:, 4]], axis=1)  # Fc with Fs - Fc as it is
    h = 1e-6
    slopes = np.stack(
        [
            fall,
            (torque(v, v_St=(0.3, 0.3 + h)) - torque(v, v_St=(0.3, 0.3 - h))) / (2.0 * h),
            (torque(v, v_d=0.2 + h) - torque(v, v_d=0.2 - h)) / (2.0 * h),
            (torque(v, v_St=(0.3 + h, 0.3)) - torque(v, v_St=(0.3 - h, 0.3))) / (2.0 * h),
        ],
        axis=2,
    )
    deviation = np.sqrt(np.square(slopes @ root).sum(axis=2))
    half = band_half_width(robot, known, (q, v, a), 0.95, False)
    np.testing.assert_allclose(half[:, 4:], 1.959964 * deviation, rtol=1e-5)
    np.testing.assert_array_equal(half[:, :4], 0.0)
    some = replace(known, axes=(4, 5), noise=one[:2], correlation_time=one[:2])
    of_some = band_half_width(robot, some, (q, v, a), 0.95, False)
    np.testing.assert_array_equal(of_some[:, 4:], half[:, 4:])
    assert np.isnan(of_some[:, :4]).all()


def test_a_file_keeps_the_covariance(set_file, specimen):
    """Covariance, degrees of freedom and noise come back to the digits of the file; torques of the
    true arm lie in the band.
    """
    _, found = set_file
    before, after = found.parameters.uncertainty, specimen.uncertainty
    assert after.names == before.names == found.fit_with_speeds.names
    np.testing.assert_allclose(before.covariance, found.fit_with_speeds.covariance, rtol=1e-9)
    size = np.sqrt(np.diagonal(before.covariance))
    np.testing.assert_allclose(
        after.covariance / np.outer(size, size),
        before.covariance / np.outer(size, size),
        atol=1e-5,
    )
    np.testing.assert_allclose(after.noise, found.fit_with_speeds.noise, rtol=1e-5)
    new = states(cases.truth(), 40, seed=6)
    lower, upper = specimen.inverse_dynamics_band(*new)
    np.testing.assert_allclose(0.5 * (lower + upper), specimen.inverse_dynamics(*new), rtol=1e-9)
    exact = torques(cases.truth(), *new)
    assert ((lower <= exact) & (exact <= upper)).mean() > 0.8  # one log, one draw of its noise
    one = specimen.inverse_dynamics_band(*(state[3] for state in new))
    np.testing.assert_allclose(one.upper, upper[3], rtol=1e-9)
    grid = specimen.inverse_dynamics_band(*(state.reshape(2, 20, 6) for state in new))
    np.testing.assert_allclose(grid.lower.reshape(40, 6), lower, rtol=1e-12)
    wider = specimen.inverse_dynamics_band(*new, level=0.99, noise=True)
    assert (wider.upper - wider.lower > 2.0 * 2.5758 * after.noise).all()


def test_tool_and_payload_are_known(specimen):
    """Another load moves the band and leaves its width; another set has a covariance of its own,
    or none.
    """
    new = states(cases.truth(), 5, seed=8)
    plain = specimen.inverse_dynamics_band(*new)
    with pytest.warns(PhysicsWarning, match="was identified with tool spindle"):
        bare = specimen.with_tool(None)
    for other in (bare, specimen.with_payload(irb.payload(5.0, [0.0, 0.1, 0.2]))):
        band = other.inverse_dynamics_band(*new)
        np.testing.assert_allclose(
            0.5 * (band.lower + band.upper), other.inverse_dynamics(*new), rtol=1e-9, atol=1e-9
        )
        np.testing.assert_allclose(band.upper - band.lower, plain.upper - plain.lower, rtol=1e-9)
    assert specimen.with_parameters("jia2018").uncertainty is None


def test_where_no_band_is_known_it_is_said(specimen):
    """Sets without covariance, other friction and another mounting have no band."""
    q = np.zeros(6)
    for robot, message in (
        (irb.load("irb2400"), "have no covariance"),
        (specimen.with_friction(irb.load("irb2400").friction_model), "have no covariance"),
        (specimen.with_rotors(np.ones(6)), "have no covariance"),
        (specimen.mounted([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]), "identified under gravity along"),
    ):
        with pytest.raises(MissingData, match=message):
            robot.inverse_dynamics_band(q, q, q)
    with pytest.raises(InputError, match="confidence level lies between 0 and 1"):
        specimen.inverse_dynamics_band(q, q, q, level=1.0)
    ceiling = specimen.mounted(np.diag([1.0, -1.0, -1.0]))
    assert np.isfinite(ceiling.inverse_dynamics_band(q, q, q).lower).all()


def test_rotors_of_the_drives_are_none_of_a_set():
    """Rotors from the table of drives in place of those of the set have no covariance."""
    arm = irb.load("irb1400")
    known = ParameterUncertainty.of(
        np.eye(1),
        names=("mx_2",),
        degrees=9.0,
        axes=(1,),
        noise=np.ones(1),
        correlation_time=np.ones(1),
    )
    arm = replace(arm, _bare=replace(arm._bare, uncertainty=known))
    assert arm.uncertainty is known
    with pytest.warns(PhysicsWarning, match="no rotor inertia is known"):
        other = arm.with_rotors()
    assert other.uncertainty is None


def test_axes_that_stood_have_no_band(scara):
    """The band is that of the axes that moved, while the others stay where they stood."""
    held = np.array([0.0, 0.0, 0.1, 0.4])
    base = base_parameters(scara, [1, 2], friction=True, held=held)
    p = base.rank
    known = ParameterUncertainty.of(
        np.eye(p),
        names=base.names,
        degrees=1e6,
        axes=base.axes,
        noise=np.ones(2),
        correlation_time=np.ones(2),
        held=held,
    )
    q, v, a = (np.array(state) for state in states(scara, 4, seed=2))
    q[:, 2:], v[:, 2:], a[:, 2:] = held[2:], 0.0, 0.0
    q[1, 3] += 0.02
    v[2, 2] = 0.1
    a[3, 2] = 0.1
    half = band_half_width(scara, known, (q, v, a), 0.95, False)
    np.testing.assert_array_equal(np.isnan(half), [[0, 0, 1, 1], *[[1] * 4] * 3])
    Y = scara.regressor(q[0], v[0], a[0])[:2, list(base.columns)]
    np.testing.assert_allclose(half[0, :2], 1.95996 * np.linalg.norm(Y, axis=1), rtol=1e-5)


def test_a_term_that_vanished_on_every_axis_has_no_torque(tmp_path):
    """The regressor has no column of it, and its deviation widens no band. Axis 1 is a slide, so
    that the first column, of a mass, is not 0.
    """
    body = (
        '<inertial><mass value="2"/><origin xyz="0.1 0 0.2"/><inertia ixx="0.1" iyy="0.2" izz="0.2"'
        ' ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    joint = (
        '<joint name="j{0}" type="{1}"><parent link="l{2}"/><child link="l{0}"/><axis xyz="{3}"/>'
        '<limit lower="-1" upper="1" velocity="1" effort="99"/></joint><link name="l{0}">{4}</link>'
    )
    (tmp_path / "slide.urdf").write_text(
        '<robot name="slide"><link name="l0"/>'
        + joint.format(1, "prismatic", 0, "0 0 1", body)
        + joint.format(2, "revolute", 1, "0 1 0", body)
        + "</robot>"
    )
    ones = np.ones(2)
    slide = irb.from_urdf(tmp_path / "slide.urdf").with_friction(irb.Stribeck(*[ones] * 4))
    base = base_parameters(slide, friction=True)
    size = 1.0 + np.arange(base.rank)
    words = {"degrees": 1e6, "axes": base.axes, "noise": ones, "correlation_time": ones}
    known = ParameterUncertainty.of(np.diag(size**2), names=base.names, **words)
    more = ParameterUncertainty.of(
        np.diag(np.append(size, 1e3) ** 2), names=(*base.names, "mu_2"), **words
    )
    new = np.random.default_rng(2).uniform(-1.0, 1.0, (3, 5, 2))
    half = band_half_width(slide, known, new, 0.95, False)
    np.testing.assert_allclose(band_half_width(slide, more, new, 0.95, False), half, rtol=1e-12)
    slopes = TorqueSlopes(slide, more)(*new)
    assert not slopes[..., -1].any()
    np.testing.assert_array_equal(slopes[..., :-1], TorqueSlopes(slide, known)(*new))
    with pytest.raises(MissingData, match="holds Fc_9, which its model"):
        TorqueSlopes(slide, replace(more, names=(*base.names, "Fc_9")))


def test_a_singular_covariance_is_kept():
    """A covariance of less rank than parameters has a factor too."""
    root = np.random.default_rng(0).normal(size=(5, 2)) * [[1e-6], [1.0], [10.0], [1e3], [0.0]]
    covariance = root @ root.T
    known = ParameterUncertainty.of(
        covariance,
        names=tuple("abcde"),
        degrees=9.0,
        axes=(0,),
        noise=np.ones(1),
        correlation_time=np.ones(1),
    )
    assert np.array_equal(known.factor, np.tril(known.factor))
    np.testing.assert_allclose(known.covariance, covariance, rtol=1e-9, atol=1e-20)
    assert len(record_of_uncertainty(known)["covariance_factor"][3]) == 4


def test_a_verdict_says_how_many_samples_are_in_the_band(set_file, specimen):
    """Of held-out samples of the same arm about 95 % of each axis lie in the band, in the
    identification and when its file is validated.
    """
    _, found = set_file
    assert (np.abs(found.verdict.inside - 0.95) < 0.03).all()
    held = [prepare(split_recording(cases.log(seed))[1]) for seed in (1,)]
    again = evaluate(specimen, held)
    np.testing.assert_allclose(again.inside, found.verdict.inside, atol=2e-3)
    residual = np.concatenate([part.measured - part.predicted for part in again.logs])
    half = np.concatenate([part.half_width for part in again.logs])
    for i, share in enumerate(again.inside):
        told = ~np.isnan(residual[:, i])
        assert share == pytest.approx((np.abs(residual) < half)[told, i].mean())
    assert evaluate(cases.prior(), held).inside is None
    tilted = specimen.mounted([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    assert evaluate(tilted, held).inside is None


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("covariance_factor", [[1.0]], "rows of 1 to"),
        ("noise", [1.0], "6 numbers, one per axis"),
        ("correlation_time_s", [1.0], "6 numbers, one per axis"),
        ("degrees", 0.0, "a positive number"),
        ("axes", [2, 1, 3, 4, 5, 6], "numbers of axes from 1, growing"),
    ],
)
def test_numbers_of_a_file_that_do_not_fit_are_refused(set_file, tmp_path, key, value, message):
    """The file and the key are named."""
    table = yaml.safe_load(set_file[0].read_text())
    table["identified"]["uncertainty"][key] = value
    file = tmp_path / "broken.yaml"
    file.write_text(yaml.safe_dump(table))
    with pytest.raises(TableError, match=message) as refused:
        irb.load("irb2400", tool="spindle", parameters=file)
    assert f"identified.uncertainty.{key}" in str(refused.value)


def test_deviations_of_gains_are_in_a_set():
    """Torques from gains uncertain by 3 % together leave a torque of the model uncertain by as
    much, in its band too.
    """
    log = any_arms.log(1)
    arm, (first, last) = any_arms.truth(), split_recording(log)
    drives = Drives.unknown(3).with_gains(np.full(3, 9.0), np.full((3, 3), 9e-4))
    sets = [
        identify(
            arm,
            [prepare(first)],
            [prepare(last)],
            method="wls",
            friction="coulomb",
            drives=known,
        )
        for known in (None, drives)
    ]
    new = states(arm, 20, seed=3)
    tau = arm.inverse_dynamics(*new)
    halves = [band_half_width(arm, one.parameters.uncertainty, new, 0.95, False) for one in sets]
    added = np.sqrt(halves[1] ** 2 - halves[0] ** 2) / 1.96
    np.testing.assert_allclose(added, 0.03 * np.abs(tau), rtol=0.1, atol=0.03)
    estimates = [one.verdict.estimates for one in sets]
    assert all(b.deviation > a.deviation for a, b in zip(*estimates, strict=True))
    with pytest.raises(InputError, match="drives of 4 axes"):
        identify(arm, [prepare(first)], [prepare(last)], drives=Drives.unknown(4))
