"""Mistakes that a fit shows beside its own parameters, and bodies that are another robot's."""

import any_arms as arms
import numpy as np
import pinocchio as pin
import pytest
import verdict_cases as cases
from spoilt import spoilt

import irbmodels as irb
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import evaluate, identify, prepare, split_recording
from irbmodels.identification.validation.fit_mistakes import between_axes, check_bodies
from irbmodels.identification.validation.mistakes import Blocks
from irbmodels.identification.validation.stretch_equations import (
    Eliminated,
    StretchSums,
    solve_normal,
)
from irbmodels.model.inertia import Inertial
from irbmodels.robot.robot import from_urdf_text


def refit(kind, axis, size=0.0):
    """Verdict on a set that is identified from two spoilt logs, from another set as prior."""
    logs = [spoilt(cases.log(seed), kind, axis, size) for seed in (1, 2)]
    return cases.identified(cases.prior(), *logs).verdict


@pytest.mark.parametrize(
    ("kind", "axis", "size", "found"),
    [
        ("zero", 1, np.deg2rad(3.0), np.deg2rad(3.0)),
        ("zero", 2, np.deg2rad(3.0), np.deg2rad(3.0)),
        ("gain", 1, 1.1, 0.1),
        ("gain", 2, 1.1, 0.1),
        ("torque sign", 5, 0.0, np.nan),
    ],
)
def test_a_fit_shows_mistakes_beside_its_parameters(kind, axis, size, found):
    """Fitted bodies take up a part of them only; the axis is named, and the size is right."""
    verdict = refit(kind, axis, size)
    (mistake,) = verdict.mistakes
    assert mistake.axes == (axis,)
    assert verdict.levels[axis] == verdict.level == "wrong"
    np.testing.assert_allclose(mistake.estimate, found, rtol=0.15)


@pytest.mark.parametrize(
    ("kind", "axis", "size", "named"),
    [
        ("torque sign", 1, 0.0, "axis 2: the sign of its torque is reversed"),
        ("gain", 2, 1e-3, "axis 3: its torque is in another unit than those of others"),
        ("degrees", 0, 0.0, "positions are in degrees"),
    ],
)
def test_a_fit_names_units_and_signs_first(kind, axis, size, named):
    """No bodies of this arm explain such logs; those of the prior are not blamed."""
    log = cases.log(1)
    if kind == "degrees":  # positions alone, whose speeds and limits a reader refuses
        logs = [prepare(one.changed(q=np.degrees(one.q))) for one in split_recording(log)]
        verdict = identify(cases.prior(), [logs[0]], [logs[1]], method="wls").verdict
    else:
        verdict = refit(kind, axis, size)
    assert verdict.reasons[0].startswith(named), verdict.reasons


def test_a_subset_of_axes_shows_its_own_mistakes():
    """Axes 1 to 3 move; a gain of axis 3 is theirs, and axes that stand have none."""
    scale = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    for kind, named in ((None, []), ("gain", [("gain", (2,))])):
        log = cases.log(1, scale=scale)
        log = spoilt(log, kind, 2, 1.15) if kind else log
        verdict = cases.identified(cases.prior(), log, axes=[1, 2, 3], method="wls").verdict
        assert [(one.kind, one.axes) for one in verdict.mistakes] == named
        assert np.isinf(verdict.visible.gains[3:]).all()


def test_what_a_fit_cannot_see_is_said():
    """Shifts that turn fitted bodies as a whole: of the first axis, and of the last."""
    visible = cases.good().verdict.visible
    assert np.isinf(visible.zeros[[0, 5]]).all()
    assert np.isfinite(visible.zeros[[1, 2]]).all()
    assert (visible.gains >= 0.05).all()


def test_the_interval_of_a_payload_holds_what_axes_disagree_on():
    """Masses of single axes by hand: random effects of DerSimonian & Laird in four lines."""
    rng = np.random.default_rng(4)
    own = np.zeros((400, 3, 3))
    own[:, range(3), range(3)] = 1.0
    load, size = rng.normal(size=(400, 3, 4)), np.array([1.0, 1.5, 4.0])
    rest = size * load[:, :, 0] + 0.1 * rng.normal(size=(400, 3))
    found, deviation = np.zeros(3), np.zeros(3)
    for i in range(3):
        columns = np.column_stack([load[:, i], np.ones(400)])
        parts = np.array_split(np.arange(400), 10)
        kept = [np.setdiff1d(np.arange(400), part) for part in parts]
        fits = [np.linalg.lstsq(columns[k], rest[k, i], rcond=None)[0][0] for k in kept]
        found[i] = np.linalg.lstsq(columns, rest[:, i], rcond=None)[0][0]
        deviation[i] = 3.0 * np.std(fits)
    w = deviation**-2.0
    scatter = (w * (found - np.average(found, weights=w)) ** 2).sum()
    effect = (scatter - 2.0) / (w.sum() - (w**2).sum() / w.sum())
    wanted = ((1.0 / (deviation**2 + effect)).sum()) ** -0.5
    assert between_axes(own, load, rest) == pytest.approx(wanted, rel=1e-6)
    assert wanted > 0.5


@pytest.mark.parametrize(
    ("masses", "smallest", "named"),
    [
        ((1.6, 1.6, 1.6), 1.0, True),
        ((1.0, 1.5, 2.2), 0.5, True),
        ((1.0, 1.5, 2.2), 1.0, False),  # 1.6 +- 0.7 kg: a heavier wrist, as far as axes tell
        ((1.6, 1.6, 1.6), 2.0, False),
    ],
)
def test_a_payload_is_named_where_all_of_its_interval_counts(masses, smallest, named):
    """Masses that single axes ask for are put in; their scatter is that of bodies that are off."""
    rng = np.random.default_rng(4)
    q, v, a, rate, shape = rng.normal(size=(5, 600, 3))
    predicted = 5.0 * shape
    load = rng.normal(size=(600, 3, 4))
    tau = predicted + np.array(masses) * load[:, :, 0] + 0.1 * rng.normal(size=(600, 3))
    blocks = Blocks(q, v, a, tau, np.sign(v), predicted, rate, tau - predicted)
    found = check_bodies(blocks, predicted, load, smallest)
    assert [one.kind for one in found] == ["payload"] * named


def test_a_right_fit_has_none():
    """From another set of the same robot, whose wrist weighs 3 kg more."""
    verdict = cases.good().verdict
    assert verdict.mistakes == ()


def test_a_unit_is_named():
    """Torques in kN m."""
    log = cases.log(1)
    verdict = evaluate(cases.truth(), [prepare(log.changed(tau=1e-3 * log.tau))])
    (mistake,) = verdict.mistakes
    assert (mistake.kind, verdict.level) == ("unit", "wrong")
    assert mistake.estimate == pytest.approx(1e-3, rel=0.1)
    assert verdict.reasons[0].startswith("torques are 0.001 times those of the robot")


def test_tables_of_another_robot_are_wrong():
    """A set that is fitted to an IRB 2400 from tables of an IRB 1400, whose wrist is like its."""
    first, last = split_recording(cases.log(1))
    logs = [prepare(first)], [prepare(last)]
    verdict = identify(irb.load("irb1400"), *logs, method="wls").verdict
    assert verdict.level == "wrong"
    assert verdict.mistakes


def test_a_payload_not_given_is_weighed_against_the_own_set():
    """A fifth of the rated 16 kg, which an identification takes for link 6."""
    payload, bare = Inertial.of(3.2, [0.0, 0.0, 0.1], 0.02 * np.eye(3)), cases.truth()
    logs = []
    for log in (cases.log(1), cases.log(2)):
        state = prepare(log)
        more = bare.with_payload(payload).inverse_dynamics(state.q, state.v, state.a)
        more = more - bare.inverse_dynamics(state.q, state.v, state.a)
        logs.append(cases.plus(log, np.nan_to_num(more)))
    verdict = cases.identified(bare, *logs).verdict
    (mistake,) = verdict.mistakes
    assert (mistake.kind, verdict.level) == ("payload", "wrong")
    assert mistake.estimate == pytest.approx(3.2, abs=max(0.4, 4.0 * mistake.deviation))


PAN = """<link name="camera"><inertial><origin xyz="0.05 0 0"/><mass value="0.5"/>
<inertia ixx="0.001" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="z_pan" type="continuous"><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
<parent link="column"/><child link="camera"/></joint>
<link name="tool0"/><joint name="flange" type="fixed"><origin xyz="0.3 0 0"/>
<parent link="stick"/><child link="tool0"/></joint></robot>"""


@pytest.mark.parametrize("is_fit", [False, True])
def test_a_payload_hangs_on_the_flange_and_not_on_the_last_joint(is_fit):
    """A camera turns on the column; its joint comes after those of the arm. Oracle: Pinocchio's own
    recursion on a model with 3 kg more in the stick.
    """
    friction = irb.Stribeck(*[np.array([4.0, 6.0, 2.0, 0.5])] * 2, np.ones(4), np.ones(4))
    arm = from_urdf_text(arms.urdf().replace("</robot>", PAN), "pan.urdf").with_friction(friction)
    assert arm.axes[-1] == "z_pan"
    heavy = arm.model
    stick = heavy.getJointId("elbow")
    heavy.inertias[stick] += pin.Inertia(3.0, np.array([0.35, 0.0, 0.02]), 0.02 * np.eye(3))
    data, logs = heavy.createData(), []
    for seed in (1, 2):
        rng, t = np.random.default_rng(seed), np.arange(0.0, 15.0, 0.005)
        w = rng.uniform(0.8, 3.0, (5, 1, 4))
        angle, size = (
            w * t[:, None] + rng.uniform(0.0, 6.28, (5, 1, 4)),
            rng.uniform(0.2, 0.4, w.shape),
        )
        q, v, a = (
            (size * x).sum(axis=0)
            for x in (np.sin(angle), w * np.cos(angle), -w * w * np.sin(angle))
        )
        tau = np.array([pin.rnea(heavy, data, *state) for state in zip(q, v, a, strict=True)])
        tau += arm.friction(v) + rng.normal(size=q.shape) * [0.4, 0.5, 0.2, 0.05]
        logs.append(prepare(Recording(t, q, tau=tau, source=f"{seed}", synthetic=True)))
    if is_fit:
        verdict = identify(arm, logs[:1], logs[1:], method="wls", rotors=False).verdict
    else:
        verdict = evaluate(arm, logs[1:])
    (mistake,) = verdict.mistakes
    assert mistake.kind == "payload"
    assert mistake.estimate == pytest.approx(3.0, abs=0.15)


def test_estimates_are_those_of_numpy():
    """Columns beside others, deviations by leaving out stretches, by numpy's least squares."""
    rng = np.random.default_rng(1)
    base, more = rng.normal(size=(200, 2, 3)), rng.normal(size=(200, 2, 2))
    rest = rng.normal(size=(200, 2)) + more @ [0.5, -0.2]
    rest[7, 1] = np.nan
    weights = np.array([1.0, 3.0])
    columns = np.concatenate([base, more], axis=2)
    found = Eliminated.of(StretchSums.of(columns, rest, weights), [0, 1, 2]).estimate([3, 4])
    seen = np.isfinite(rest)
    rows = columns * (weights * seen)[:, :, None]
    right = np.where(seen, rest, 0.0) * weights

    def fit(kept):
        return np.linalg.lstsq(rows[kept].reshape(-1, 5), right[kept].ravel(), rcond=None)[0]

    stretches = np.array_split(np.arange(200), 10)
    parts = np.array([fit(np.setdiff1d(np.arange(200), one)) for one in stretches])
    np.testing.assert_allclose(found.value, fit(np.arange(200))[3:], rtol=1e-9)
    np.testing.assert_allclose(found.deviation, 3.0 * parts.std(axis=0)[3:], rtol=1e-9)
    cost = sum(
        np.square(right[one] - rows[one] @ part).sum()
        for one, part in zip(stretches, parts, strict=True)
    )
    assert found.cost == pytest.approx(cost)


def test_parameters_that_equations_do_not_determine_are_zero():
    """Of equal columns each has its share, as in NumPy's least squares of least norm."""
    rng = np.random.default_rng(7)
    rows, sides = rng.normal(size=(60, 5)), rng.normal(size=(60, 2))
    for columns in ([0, 1, 2, 3, 4], [0, 1, 2, 2, 3]):
        X = rows[:, columns]
        X /= np.linalg.norm(X, axis=0)
        expected = np.linalg.lstsq(X, sides, rcond=1e-9)[0]
        np.testing.assert_allclose(solve_normal(X.T @ X, X.T @ sides), expected, atol=1e-9)
        one = solve_normal(X.T @ X, X.T @ sides[:, 0])
        np.testing.assert_allclose(one, expected[:, 0], atol=1e-9)
