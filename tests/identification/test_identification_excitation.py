from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels.dynamics import equations_of_motion
from irbmodels.errors import InputError
from irbmodels.identification.excitation import (
    Bounds,
    Fourier,
    Freudenstein,
    compare,
    excitation_figure,
    optimal_excitation,
    random_excitation,
)
from irbmodels.rapid import read, values_of
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.tasks.path_check import Box, check_path
from irbmodels.trajectory import FourierSeries, RapidLog

ARM, SCARA = irb.load("irb1600"), irb.load("irb930")
QUICK = {"starts": 1, "iterations": 8}
FREE = Bounds(collision=False)


@pytest.fixture(scope="module")
def optimum():
    """A series for the paper's arm, with default settings: fewer iterations would end before
    collisions, through which this start runs, are removed as well as they can.
    """
    return optimal_excitation(ARM, starts=1, seed=3)


@pytest.fixture(scope="module")
def quick():
    """A series for the SCARA."""
    return optimal_excitation(SCARA, **QUICK)


def tree_states(robot, motion):
    """Coupling, and states of the tree for those of the axes, one by one."""
    G, q0 = robot.coupling
    return G, zip(motion.q @ G.T + q0, motion.v @ G.T, motion.a @ G.T, strict=True)


def stacked(robot, base, motion):
    """Pinocchio's regressor one state at a time, bodies only, projected by the coupling."""
    model, (G, states) = robot.model, tree_states(robot, motion)
    data, columns = model.createData(), list(base.columns)
    return np.concatenate(
        [(G.T @ pin.computeJointTorqueRegressor(model, data, *one))[:, columns] for one in states]
    )


def unit_condition(Y):
    """Condition number with columns of unit length."""
    return np.linalg.cond(Y / np.linalg.norm(Y, axis=0))


def torques(robot, motion):
    """Pinocchio's torques one state at a time, without friction."""
    model, (G, states) = robot.model, tree_states(robot, motion)
    data = model.createData()
    return np.array([G.T @ pin.rnea(model, data, *state) for state in states])


def largest_share(robot, motion, acceleration=np.inf):
    """Largest share of any limit along a motion, by code of its own."""
    limits = robot.limits
    middle, half = 0.5 * (limits.upper + limits.lower), 0.5 * (limits.upper - limits.lower)
    shares = (
        (motion.q @ limits.A.T - middle) / half,
        motion.v / limits.velocity,
        torques(robot, motion) / limits.effort,
    )
    return max(np.abs(part).max() for part in (*shares, motion.a / acceleration))


def test_condition_and_determinant_are_those_of_pinocchio(optimum):
    Y = stacked(ARM, optimum.base, optimum.motion)
    assert Y.shape == (6 * len(optimum.motion.t), 36)
    # both from singular values, condition 3
    assert optimum.condition == pytest.approx(unit_condition(Y), rel=1e-9)
    assert optimum.logdet == pytest.approx(
        np.linalg.slogdet(Y.T @ Y / len(optimum.motion.t))[1], rel=1e-9
    )
    values = np.linalg.svd(Y / np.linalg.norm(Y, axis=0), compute_uv=False)
    np.testing.assert_allclose(optimum.singular_values, values, rtol=1e-9)


def test_search_beats_random_series_five_times(optimum):
    """The condition number is at most a fifth of the median of 100 random series scaled up to the
    first limit.
    """
    series, rng, conditions = FourierSeries(5, 5.0), np.random.default_rng(7), []
    limits, t = ARM.limits, np.linspace(0.0, 5.0, 101)
    q_map, v_map, a_map, _ = series.maps(t)
    middle = 0.5 * (limits.upper + limits.lower)  # A is the identity
    for _ in range(100):
        x = rng.normal(size=(series.size, 6))
        x[0] = 0.0
        q, v, a = q_map @ x, v_map @ x, a_map @ x
        most = max((np.abs(q) / (limits.upper - middle)).max(), (np.abs(v) / limits.velocity).max())
        motion = irb.trajectory.Motion(
            t, middle + 0.99 / most * q, 0.99 / most * v, 0.99 / most * a
        )
        while (np.abs(torques(ARM, motion)) > limits.effort).any():
            scaled = (0.98 * part for part in (motion.q - middle, motion.v, motion.a))
            motion = irb.trajectory.Motion(t, middle + next(scaled), *scaled)
        conditions.append(unit_condition(stacked(ARM, optimum.base, motion)))
    assert optimum.condition <= 0.2 * np.median(conditions)
    assert np.median(conditions) > 100.0  # 131 was measured before, with other draws
    assert optimum.condition < 4.0


def test_limits_hold_in_between(optimum):
    """Ranges, speeds and torques are kept on a grid ten times finer than the one that was
    verified.
    """
    motion = optimum.sample(10.0 * optimum.rate)
    assert len(motion.t) == 10 * (len(optimum.motion.t) - 1) + 1
    assert 0.97 < largest_share(ARM, motion) <= 1.0
    assert max(share.max() for share in optimum.shares.values()) <= 0.99 + 1e-9
    assert np.abs(motion.v[[0, -1]]).max() == np.abs(motion.a[[0, -1]]).max() == 0.0


def test_path_check_finds_nothing(optimum):
    check = check_path(ARM, optimum.sample(40.0), collision=True)
    assert optimum.collision_free
    assert check.findings == ()
    # of fewer samples
    np.testing.assert_allclose(check.torque.value, optimum.shares["torque"], rtol=0.05, atol=2e-3)


def test_collisions_are_removed(optimum):
    """The same start, not asked to avoid collision, runs through the base; asked, it does not, and
    stays nearly as good.
    """
    careless = optimal_excitation(ARM, starts=1, iterations=20, seed=3, bounds=FREE)
    q = careless.sample(40.0).q
    depth = min(irb.clearance(ARM, posture).distance for posture in q[irb.collides(ARM, q)])
    assert depth < -0.1  # where pushing each sample out by itself leads nowhere
    assert not careless.collision_free
    assert not irb.collides(ARM, optimum.sample(10.0 * optimum.rate).q).any()
    assert optimum.condition < 1.2 * careless.condition


def test_same_seed_same_motion(quick):
    """The same seed gives the same bits, another seed another motion."""
    again, other = optimal_excitation(SCARA, **QUICK), optimal_excitation(SCARA, **QUICK, seed=1)
    assert np.array_equal(quick.x, again.x)
    for name in ("condition", "logdet", "history"):
        assert getattr(quick, name) == getattr(again, name)
    assert not np.array_equal(quick.x, other.x)


def test_progress_is_reported_and_kept():
    steps = []
    one = optimal_excitation(SCARA, starts=2, iterations=4, bounds=FREE, progress=steps.append)
    for i, history in enumerate(one.history):
        mine = [step for step in steps if step.start == i]
        assert [step.condition for step in mine] == list(history)
        assert [step.iteration for step in mine] == list(range(1, len(history) + 1))
    assert one.history[0][-1] < one.history[0][0]
    assert one.start in (0, 1)


def test_more_starts_are_no_worse():
    one, three = (optimal_excitation(SCARA, starts=k, iterations=4, bounds=FREE) for k in (1, 3))
    assert three.condition <= one.condition


def test_criteria_pull_apart(quick):
    """What is made for information has more of it, and a worse condition number."""
    other = optimal_excitation(SCARA, criterion="logdet", **QUICK)
    assert other.criterion == "logdet"
    assert other.logdet > quick.logdet + 1.0
    assert other.condition > quick.condition


def test_more_moves_tell_more():
    """One Freudenstein move is a straight line; the search makes the best of it, and several moves
    far more.
    """
    one, four = (
        optimal_excitation(ARM, Freudenstein(k, 1.5 * k), bounds=FREE, **QUICK) for k in (1, 4)
    )
    random = [
        random_excitation(ARM, Freudenstein(1, 1.5), seed=seed, bounds=FREE).condition
        for seed in range(5)
    ]
    assert 5.0 * four.condition < one.condition < 0.2 * min(random)
    for k, excitation in ((1, one), (4, four)):
        motion = excitation.sample(1000.0)
        assert largest_share(ARM, motion) <= 1.0
        assert excitation.condition == pytest.approx(
            unit_condition(stacked(ARM, excitation.base, excitation.motion)), rel=1e-6
        )
        rests = excitation.trajectory.at(1.5 * np.arange(k + 1))
        assert np.abs(rests.v).max() == 0.0
        np.testing.assert_allclose(rests.q, excitation.x, atol=1e-12)
        line = excitation.x[1] - excitation.x[0]
        part = motion.q[motion.t <= 1.5] - excitation.x[0]
        assert np.abs(part - np.outer(part @ line, line) / (line @ line)).max() < 1e-9  # straight


def test_random_series_is_scaled_draws():
    """A random series is N(0, 1) draws times one scale, the largest before the first limit."""
    one = random_excitation(ARM, seed=3, bounds=FREE)
    middle = 0.5 * (ARM.limits.upper + ARM.limits.lower)
    np.testing.assert_allclose(one.x[0], middle, atol=1e-12)
    scales = one.x[1:] / np.random.default_rng(3).normal(size=one.x[1:].shape)
    np.testing.assert_allclose(scales, scales[0, 0], rtol=1e-12)
    assert largest_share(ARM, one.motion) == pytest.approx(0.99, abs=1e-4)
    for share in (0.2, 0.6, 0.9):
        x = np.vstack([one.x[:1], share * one.x[1:]])
        assert largest_share(ARM, FourierSeries(5, 5.0).trajectory(x).sample(100.0)) < 0.99


@pytest.mark.parametrize("share", [0.2, 0.8])
def test_random_series_reaches_a_limit_from_any_posture(share):
    """Nearer to one end of the ranges than to the other the scale is still the largest."""
    limits = SCARA.limits
    posture = limits.lower + share * (limits.upper - limits.lower)
    one = random_excitation(SCARA, seed=2, posture=posture, bounds=FREE)
    assert largest_share(SCARA, one.motion) == pytest.approx(0.99, abs=1e-4)
    np.testing.assert_allclose(one.x[0], posture, atol=1e-12)


def test_random_series_keeps_clear_of_itself():
    """Where a random series touches the robot, it is made smaller until it does not."""
    robot = irb.load("irb1200_5_90")
    near = np.radians([0.0, 100.0, 20.0, 0.0, 0.0, 0.0])
    free = random_excitation(robot, seed=1, posture=near, bounds=FREE)
    assert irb.collides(robot, free.sample(20.0).q).any()
    clear = random_excitation(robot, seed=1, posture=near)
    assert not irb.collides(robot, clear.motion.q).any()
    np.testing.assert_allclose(clear.x[0], near, atol=1e-12)
    shrunk = (clear.x[1:] / free.x[1:]).ravel()
    assert np.ptp(shrunk) < 1e-9
    assert shrunk[0] < 1.0


def test_acceleration_limits_are_kept():
    limit = np.array([3.0, 4.0, 0.5, 8.0])
    one = optimal_excitation(SCARA, bounds=replace(FREE, acceleration=limit), **QUICK)
    assert 0.95 < np.abs(one.sample(2000.0).a / limit).max() <= 1.0
    assert largest_share(SCARA, one.sample(2000.0), limit) <= 1.0


def test_coupled_range_and_friction():
    """A parallelogram's coupled range and torques with friction are kept; the box holds the whole
    tool.
    """
    robot = irb.load("irb2400", tool="spindle")
    box = Box((0.2, -0.9, 0.2), (2.0, 0.9, 2.4))
    one = optimal_excitation(
        robot, Fourier(3, 5.0), bounds=Bounds(box=box, collision=False, share=0.95), **QUICK
    )
    motion = one.sample(190.0)
    check = check_path(robot, motion, box=box)
    assert [str(finding) for finding in check.findings] == []
    assert check.box_scope == "TCP and tool"
    assert robot.in_range(motion.q).all()
    assert max(share.max() for share in one.shares.values()) <= 0.95 + 1e-9
    tau = torques(robot, motion) + robot.friction(motion.v)
    assert np.abs(tau / robot.limits.effort).max(axis=0) == pytest.approx(
        one.shares["torque"], abs=0.02
    )  # of other samples


def test_some_axes_alone():
    """With the base parameters of some axes, the others stand where they were held."""
    held = SCARA.from_controller([20.0, 0.0, -100.0, 30.0])
    base = base_parameters(SCARA, (1, 2), held=held, rotors=True)
    one = optimal_excitation(SCARA, base=base, posture=held, **QUICK)
    motion = one.motion
    assert np.ptp(motion.q[:, 2:], axis=0).max() < 1e-12
    np.testing.assert_allclose(motion.q[0, 2:], held[2:], atol=1e-12)
    assert np.ptp(motion.q[:, :2], axis=0).min() > 0.5
    states = zip(*motion[1:4], strict=True)
    regressors = [equations_of_motion.regressor(SCARA.dynamic_model, *state) for state in states]
    Y = np.concatenate([base.reduced(one) for one in regressors])
    assert one.condition == pytest.approx(unit_condition(Y), rel=1e-9)


def test_rapid_module_reads_back(quick):
    """The RAPID module holds the motion: its targets are the samples, and its times add up to the
    duration.
    """
    text = quick.rapid("Excite", "tGripper", rate=20.0)
    module = read(text)
    targets = [target.q(SCARA) for target in values_of(module, "jointtarget").values()]
    np.testing.assert_allclose(targets, quick.sample(20.0).q, atol=1e-11)  # a billionth of a degree
    assert sum(module["seconds"]) == pytest.approx(5.0, abs=1e-9)
    assert "PROC runExcite()" in text
    assert ",tGripper;" in text
    assert len(values_of(read(quick.rapid()), "jointtarget")) == 51  # 10 Hz
    logging = quick.rapid("Excite", log=RapidLog(file="one.csv"))
    assert 'Open "HOME:"\\File:="one.csv",log\\Write;' in logging
    moves = [line for line in logging.splitlines() if "MoveAbsJ" in line]
    assert moves == [line for line in quick.rapid("Excite").splitlines() if "MoveAbsJ" in line]


def test_table_has_a_row_each(quick):
    other = random_excitation(SCARA, bounds=FREE)
    lines = compare([quick, other]).splitlines()
    assert len(lines) == 4
    assert lines[2].startswith(
        f"| Fourier, 5 harmonics | condition | 5 | {quick.condition:.3g} | {quick.logdet:.1f} | "
    )
    assert "random Fourier, 5 harmonics, seed 0" in lines[3]
    assert lines[3].endswith("99% |")
    assert not other.collision_free
    assert quick.collision_free
    _, kind, axis = max(
        (share, kind, i) for kind, shares in quick.shares.items() for i, share in enumerate(shares)
    )
    assert quick.fullest.startswith(f"{kind} of axis {axis + 1}, ")


def test_figure_shows_each(quick):
    other = random_excitation(SCARA, bounds=FREE)
    axes = [
        axis
        for part in excitation_figure([quick, other], random=[20.0, 50.0, 90.0, np.inf]).subfigs
        for axis in part.axes
    ]
    assert [len(axis.lines) for axis in axes] == [4, 4, 2, 3]
    np.testing.assert_allclose(
        axes[0].lines[0].get_ydata()[0], SCARA.to_controller(quick.motion.q[0])[0]
    )
    assert [line.get_label() for line in axes[0].lines] == [f"axis {k}" for k in (1, 2, 3, 4)]
    np.testing.assert_array_equal(axes[2].lines[1].get_ydata(), other.singular_values)
    conditions = [quick.condition, other.condition, 50.0]
    assert [line.get_xdata()[0] for line in axes[3].lines] == conditions
    with pytest.raises(InputError, match="2 to 5"):
        excitation_figure([quick])


@together(
    "wrong, message",
    [
        ({"criterion": "cond"}, "criterion 'cond'"),
        ({"starts": 0}, "starts of a search must be a whole number, at least 1, got 0"),
        ({"family": None}, "a family of motions is a Fourier"),
        ({"base": "all"}, "base parameters are those that"),
        ({"bounds": 0.5}, r"bounds of an excitation are Bounds"),
        ({"iterations": 0}, "iterations of a search must be"),
        ({"posture": [0.0, 0.0, 0.0]}, "posture"),
        ({"posture": [0.0, 0.0, 30.0, 0.0]}, "range limit"),
        ({"base": base_parameters(ARM)}, "not those of irb930"),
        ({"bounds": Bounds(acceleration=[1.0, 2.0, -1.0, 1.0])}, "positive"),
        ({"bounds": Bounds(acceleration=[1.0])}, "acceleration"),
        ({"bounds": Bounds(box=Box((5.0, 5.0, 5.0), (6.0, 6.0, 6.0)))}, "box limit"),
    ],
)
def test_arguments_of_a_search_are_checked(wrong, message):
    refused_in_one_line(lambda: optimal_excitation(SCARA, **{**QUICK, **wrong}), message)


EFFORT = SCARA.limits.effort
STUCK = SCARA.with_friction(
    irb.Stribeck([0.0, 1.1 * EFFORT[1], 0.0, 0.0], np.zeros(4), np.zeros(4), np.full(4, 0.01))
)
ONE_WAY = SCARA.with_friction(  # less than the limit forwards, more than it backwards
    irb.Stribeck(
        *np.outer([0.7, 0.7, 0.0, 1.0], [0.0, EFFORT[1], 0.0, 0.0]).clip(1e-9),
        dFc=[0.0, -0.5 * EFFORT[1], 0.0, 0.0],
    )
)
TOO_MUCH = rf"friction of axis 2 of irb930.* takes .* its effort limit is {EFFORT[1]:g}"


@together(
    "call, message",
    [
        (lambda: random_excitation(SCARA, None), "a family of motions is a Fourier"),
        (lambda: random_excitation(None), "what is excited is an irbmodels"),
        (lambda: random_excitation(STUCK, bounds=FREE), TOO_MUCH),
        (lambda: optimal_excitation(STUCK, bounds=FREE), TOO_MUCH),
        (lambda: random_excitation(ONE_WAY, bounds=FREE), TOO_MUCH),
        (lambda: Bounds(share=1.2), "at most 1"),
        (lambda: Bounds(box=Box((0.0, 0.0, 1.0), (1.0, 1.0, 1.0))), "empty"),
        (lambda: Freudenstein(0, 1.0), "moves .* must be a whole number, at least 1, got 0"),
        (lambda: Freudenstein(1, -1.0), "positive"),
        (lambda: Fourier(1, 5.0), "number of harmonics .* at least 2"),
        (lambda: Fourier(5, -1.0), "positive"),
        (lambda: compare([]), "one excitation or more"),
    ],
)
def test_misuse_is_one_clear_line(call, message):
    refused_in_one_line(call, message)


def test_a_posture_that_touches_is_refused():
    limits = ARM.limits
    postures = np.random.default_rng(0).uniform(0.9 * limits.lower, 0.9 * limits.upper, (300, 6))
    touching = next(q for q in postures if irb.collides(ARM, q))
    with pytest.raises(InputError, match="touches itself"):
        optimal_excitation(ARM, posture=touching, **QUICK)


def test_a_robot_without_limits_is_refused(tmp_path):
    body = (
        "<inertial><mass value='1'/><origin xyz='0.1 0 0'/>"
        "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
    )
    links = f"<link name='base'/><link name='arm'>{body}</link><link name='hand'>{body}</link>"
    joints = "".join(
        f"<joint name='to_{child}' type='continuous'><parent link='{parent}'/>"
        f"<child link='{child}'/><origin xyz='0.3 0 0'/><axis xyz='0 1 0'/></joint>"
        for parent, child in (("base", "arm"), ("arm", "hand"))
    )
    path = tmp_path / "free.urdf"
    path.write_text(f"<robot name='free'>{links}{joints}</robot>", encoding="utf-8")
    with pytest.raises(irb.MissingData, match="the speed limit of axes 1 and 2 of free"):
        optimal_excitation(irb.from_urdf(path), bounds=FREE, **QUICK)
