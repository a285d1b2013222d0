"""The free angle of a symmetric tool: intervals against dense sampling, and choices against trying
everything.
"""

import itertools
import math
import re

import numpy as np
import pytest
from grouped import together
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from misuse import refused_in_one_line
from scipy.optimize import brentq

import irbmodels as irb
from irbmodels.tasks.free_angle import (
    BrokenPath,
    Cost,
    choose_angle,
    feasible_angles,
    manipulability,
    range_margin,
    singularity_distance,
)
from irbmodels.tasks.free_angle.closed_paths import closed_sequence
from irbmodels.tasks.free_angle.dynamic_programming import best_sequence, candidates
from irbmodels.tasks.free_angle.smoothing import _solve_cyclic

TURN = 2.0 * np.pi
NAMES = ("irb2400", "irb1400", "irb1600", "bare", "urdf", "serial", "beside", "lopsided", "endless")


@pytest.fixture(scope="module")
def arms(tmp_path_factory):
    """Return arms of all kinds: parallelogram and serial, from tables and URDFs, an offset
    shoulder, wrists unlike ABB's.
    """
    folder = tmp_path_factory.mktemp("arms")
    text = re.sub(
        r"<(visual|collision)>.*?</\1>",
        "",
        irb.urdf_path("irb1600").read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    changes = {
        "beside": ('xyz="0.475 0.0 0.0"', 'xyz="0.475 0.0 0.12"'),
        "lopsided": (
            'lower="-3.490658503988659" upper="3.490658503988659"',
            'lower="-3.3" upper="2.1"',
        ),
        "endless": (
            'lower="-6.981317007977318" upper="6.981317007977318"',
            'lower="-1e9" upper="1e9"',
        ),
    }
    for name, (old, new) in changes.items():
        assert old in text
        changed = text.replace(old, new)
        if name == "lopsided":
            changed = changed.replace(
                'lower="-6.981317007977318" upper="6.981317007977318"', 'lower="-5.2" upper="4.3"'
            )
            changed = changed.replace(
                'lower="-2.007128639793479" upper="2.007128639793479"', 'lower="-2.3" upper="1.1"'
            )
        (folder / f"{name}.urdf").write_text(changed, encoding="utf-8")
    return {
        **{name: irb.load(name, tool="spindle") for name in NAMES[:3]},
        "bare": irb.load("irb1600"),
        "urdf": irb.from_urdf(irb.urdf_path("irb2400")),
        "serial": irb.from_urdf(irb.urdf_path("irb1400", coupling="serial")),
        **{name: irb.from_urdf(folder / f"{name}.urdf") for name in changes},
    }


def posture(robot, rng, most=3.0):
    """Return a random posture in range."""
    y = rng.uniform(np.maximum(robot.limits.lower, -most), np.minimum(robot.limits.upper, most))
    return np.linalg.solve(robot.limits.A, y)


def counted(robot, actual, phi):
    """Count postures in range at angles by brute force, every branch and full turn on its own,
    ``(N, 8)``.
    """
    y = robot.inverse_kinematics(actual.pose(phi)).q @ robot.limits.A.T
    endless = np.abs(robot.limits.lower) > 1e8
    low, high = robot.limits.lower, robot.limits.upper
    turns = np.maximum(np.floor((high - y) / TURN) - np.ceil((low - y) / TURN) + 1.0, 0.0)
    return np.where(np.isfinite(y).all(axis=-1), np.where(endless, 1.0, turns).prod(axis=-1), 0.0)


def assert_complete(robot, pose, axis, samples=20_000):
    """Compare intervals with brute force at every sample; return them."""
    actual = feasible_angles(robot, pose, axis)
    phi = -np.pi + TURN * (np.arange(samples) + 0.5) / samples
    count, at_end = np.zeros((samples, 8)), np.zeros(samples, dtype=bool)
    for interval in actual:
        if interval.full:
            count[:, interval.branch] += 1
            continue
        inside = np.floor((interval.high - phi) / TURN) - np.ceil((interval.low - phi) / TURN) + 1.0
        count[:, interval.branch] += np.maximum(inside, 0.0)
        for end in (interval.low, interval.high):
            # a sample on an end belongs to either side
            at_end |= np.abs((phi - end + np.pi) % TURN - np.pi) < 1e-7
    np.testing.assert_array_equal(count[~at_end], counted(robot, actual, phi)[~at_end])
    return actual


def assert_sound(robot, actual):
    """Postures of each interval give the pose, keep the ranges, move continuously, and stop at what
    is named.
    """
    for interval in actual:
        assert -np.pi <= interval.low < np.pi
        assert interval.low < interval.high
        phi = np.linspace(interval.low, interval.high, 30)
        q = interval.q(phi)
        np.testing.assert_allclose(robot.pose(q), actual.pose(phi), atol=1e-9)
        assert robot.in_range(q).all()
        middle = (phi[1:-1] + 1e-7, phi[1:-1] - 1e-7)
        ahead, behind = (
            interval.q(np.clip(angles, interval.low, interval.high)) for angles in middle
        )
        # a jump would be half a turn; axes turn 1e4 times faster at most
        assert np.abs(ahead - behind).max() < 1e-3
        for angle, end in (
            (interval.low, interval.low_reason),
            (interval.high, interval.high_reason),
        ):
            if end.kind == "range":
                y = robot.limits.A @ interval.q(angle)
                bounds = robot.limits.lower[end.axis - 1], robot.limits.upper[end.axis - 1]
                assert end.bound in bounds
                assert abs(y[end.axis - 1] - end.bound) < 1e-8
                assert f"axis {end.axis}" in str(end)


@pytest.mark.parametrize("name", NAMES)
def test_no_interval_is_missing_and_none_invented(name, arms):
    """At each of 20000 angles as many intervals hold as there are postures in range, every branch
    and full turn counted.
    """
    robot, rng = arms[name], np.random.default_rng(len(name))
    for i in range(6):
        axis = (0.0, 0.0, 1.0) if i % 2 else rng.normal(size=3)
        assert_sound(robot, assert_complete(robot, robot.pose(posture(robot, rng)), axis))


@pytest.mark.parametrize("bend", [0.0, 20.0, 45.0, 90.0])
def test_bent_tools_lose_nothing(bend, arms):
    """The same for a spindle that leans against the flange by any angle."""
    for i, name in enumerate(("irb2400", "irb1600")):
        robot, rng = arms[name], np.random.default_rng(i)
        axis = (math.sin(math.radians(bend)), 0.1, math.cos(math.radians(bend)))
        assert_sound(robot, assert_complete(robot, robot.pose(posture(robot, rng)), axis, 5_000))


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    share=st.lists(st.floats(0.01, 0.99), min_size=6, max_size=6),
    axis=st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda a: np.linalg.norm(a) > 0.1),
)
def test_any_posture_is_in_an_interval(share, axis, arms):
    """The posture that a pose was made from is found again at the angle 0, to the turn."""
    robot = arms["irb2400"]
    y = robot.limits.lower + np.array(share) * (robot.limits.upper - robot.limits.lower)
    q = np.linalg.solve(robot.limits.A, y)
    near = robot.singularities(q)
    actual = feasible_angles(robot, robot.pose(q), axis)
    # nearer, angles are less exact than 1e-9
    if min(abs(float(near.wrist)), abs(float(near.shoulder))) > 1e-4:
        off = [np.abs(i.q(phi) - q).max() for i in actual for phi in i.holds(0.0)]
        assert min(off) < 1e-9


def touching(robot, axis_number, upper, rng, inside):
    """Return a posture at which a range is kept by ``inside``, at an extreme of its axis over the
    free angle.
    """
    i, limits = axis_number - 1, robot.limits
    bound = (limits.upper if upper else limits.lower)[i] + (-inside if upper else inside)
    while True:
        y, other = (
            robot.limits.A @ posture(robot, rng),
            int(rng.choice([a for a in range(1, 5) if a != i])),
        )

        def rate(value, y=y, other=other):
            y = y.copy()
            y[i], y[other] = bound, value
            q = np.linalg.solve(limits.A, y)
            twist = np.concatenate([np.zeros(3), np.asarray(robot.pose(q).rotation)[:, 2]])
            return float(limits.A[i] @ np.linalg.solve(robot.jacobian(q), twist))

        grid = np.linspace(limits.lower[other] + 0.05, limits.upper[other] - 0.05, 40)
        slopes = np.array([rate(value) for value in grid])
        good = np.flatnonzero(
            (slopes[1:] * slopes[:-1] < 0.0) & (np.abs(slopes[1:] - slopes[:-1]) < 0.5)
        )
        if not len(good):
            continue
        y[i], y[other] = bound, brentq(rate, grid[good[0]], grid[good[0] + 1], xtol=1e-15)
        q = np.linalg.solve(limits.A, y)
        if robot.in_range(q) == (inside > 0.0) and abs(math.sin(q[4])) > 0.1:
            return q


@pytest.mark.parametrize("inside", [1e-6, 1e-8])
@pytest.mark.parametrize("axis_number", [1, 2, 3, 4, 5, 6])
def test_tiny_intervals_and_gaps_are_found(axis_number, inside, arms):
    """Where an axis comes into its range by 1e-6 or 1e-8 rad and leaves it again there is an
    interval; or a gap.
    """
    robot, rng, seen = arms["irb2400"], np.random.default_rng(axis_number), set()
    for _ in range(40):
        upper = bool(rng.integers(2))
        for depth in (inside, -inside):
            q = touching(robot, axis_number, upper, rng, depth)
            actual = feasible_angles(robot, robot.pose(q))
            here = [i for i in actual for phi in i.holds(0.0) if np.abs(i.q(phi) - q).max() < 1e-7]
            assert len(here) == (depth > 0.0), (q, depth, here)
            for interval in here:
                if interval.length < 0.05:
                    assert {interval.low_reason.axis, interval.high_reason.axis} == {axis_number}
                    seen.add("interval")
            ends = [e for i in actual for e in (i.low, i.high) if 0.0 < abs(e) < 0.03]
            seen |= {"gap"} if depth < 0.0 and len(ends) >= 2 else set()
        # axis 1 of this arm only comes in from afar
        if seen == {"interval", "gap"} or (axis_number == 1 and "gap" in seen):
            return
    pytest.fail(f"only {seen} were met")


def test_a_full_circle_is_one_interval_without_ends(arms):
    """A tool near axis 6 may turn all round where its axis has room."""
    robot = arms["endless"]
    actual = feasible_angles(robot, robot.pose(robot.from_controller([10, 10, 10, 20, 50, 0])))
    (interval,) = [i for i in actual if i.branch == 0]
    assert interval.full
    assert (interval.low, interval.high) == (-math.pi, math.pi)
    assert interval.q([0.0, TURN]).shape == (2, 6)
    robot = arms["irb2400"]  # axes come back to where they began
    q = robot.from_controller([0, 20, 10, 0, 60, 0])
    axis = np.linalg.inv(robot.pose(q).rotation) @ robot.pose(q, frame="link_4").rotation[:, 2]
    actual = feasible_angles(robot, robot.pose(q), axis + 0.0)
    for interval in actual:
        if interval.full:
            np.testing.assert_allclose(interval.q(-np.pi), interval.q(np.pi - 1e-12), atol=1e-9)


def test_an_interval_across_pi_is_one(arms):
    """Turning the pose by some angle turns all intervals by it, over the end of the circle too."""
    robot = arms["irb2400"]
    first = feasible_angles(robot, robot.pose(robot.from_controller([0, 20, 10, 0, 30, 0])))
    second = feasible_angles(robot, first.pose(3.0))
    assert len(first) == len(second)
    lengths = [sorted(round(i.length, 9) for i in actual) for actual in (first, second)]
    assert lengths[0] == lengths[1]
    assert any(i.high > np.pi for i in second)
    moved = sorted(round((i.low - 3.0 + np.pi) % TURN, 8) for i in first)
    assert moved == sorted(round((i.low + np.pi) % TURN, 8) for i in second)


def test_axis_6_as_the_tools_axis(arms):
    """Then only axis 6 moves, through all of its range, one interval for each posture of the other
    axes.
    """
    robot = arms["bare"]
    q = robot.from_controller([10, 20, 10, 30, 40, 50])
    for sense in (1.0, -1.0):
        actual = assert_complete(robot, robot.pose(q), (0.0, 0.0, sense), 2_000)
        assert_sound(robot, actual)
        for interval in actual:
            assert interval.length == pytest.approx(math.radians(800.0), abs=1e-8)
            assert (
                np.abs(
                    np.ptp(interval.q(np.linspace(interval.low, interval.high, 50)), axis=0)[:5]
                ).max()
                < 1e-12
            )
    assert_sound(
        robot,
        assert_complete(
            robot, robot.pose(robot.from_controller([10, 20, 10, 0, 0, 50])), (0.0, 0.0, 1.0), 2_000
        ),
    )


def test_a_wrist_centre_that_stays(arms):
    """An axis of symmetry through the wrist centre leaves axes 1 to 3 where they are."""
    robot = arms["irb2400"]
    q = robot.from_controller([10, 20, 10, 30, 40, 50])
    actual = assert_complete(
        robot, robot.pose(q), robot.pose(q).actInv(robot.pose(q, frame="link_5").translation), 5_000
    )
    assert_sound(robot, actual)
    assert (
        np.ptp(actual[0].q(np.linspace(actual[0].low, actual[0].high, 20)), axis=0)[:3].max()
        < 1e-12
    )


@pytest.mark.parametrize("off", [0.0, 1e-10, 1e-7, 1e-5, 1e-3])
def test_the_wrists_singularity_on_the_way(off, arms):
    """Passed exactly it ends intervals, and both branches meet in one posture; passed by they go
    on.
    """
    robot = arms["irb2400"]
    q = robot.from_controller([10, 20, 10, 30, 0, 50])
    q[4] = off
    actual = assert_complete(robot, robot.pose(q), (0.0, 0.0, 1.0))
    ends = [end for i in actual for end in (i.low_reason, i.high_reason) if end.kind == "wrist"]
    assert bool(ends) == (off < 3e-10)
    for interval in actual:
        phi = np.linspace(interval.low, interval.high, 400)
        np.testing.assert_allclose(robot.pose(interval.q(phi)), actual.pose(phi), atol=1e-9)
    if off == 0.0:
        last = [i.q(i.high) for i in actual if i.high_reason.kind == "wrist"]
        first = [i.q(i.low) for i in actual if i.low_reason.kind == "wrist"]
        # told 1e-6 rad beside it
        assert min(np.abs(a - b).max() for a, b in itertools.product(last, first)) < 1e-5


def test_the_shoulders_singularity_on_the_way(arms):
    """Where the wrist centre crosses axis 1, front and back meet."""
    robot = arms["irb2400"]

    def shoulder(q3):
        return float(robot.singularities(np.array([0.2, -0.6, q3, 0.3, 0.4, 0.5])).shoulder)

    q3 = brentq(shoulder, -1.7, 0.5, xtol=1e-15)
    for off, met in ((0.0, True), (1e-3, False)):
        q = np.array([0.2, -0.6, q3 + off, 0.3, 0.4, 0.5])
        actual = assert_complete(robot, robot.pose(q), (0.0, 0.0, 1.0))
        assert any(i.low_reason.kind == "shoulder" for i in actual) == met
        assert_sound(robot, actual)


def test_reach_ends_where_the_arm_is_stretched(arms):
    """An end by reach is the elbow's singularity: both elbows are one posture there."""
    robot, rng, seen = arms["bare"], np.random.default_rng(1), 0
    for _ in range(20):
        actual = feasible_angles(robot, robot.pose(posture(robot, rng)), (0.0, 1.0, 0.3))
        for interval in actual:
            if interval.high_reason.kind == "reach":
                seen += 1
                # root of 1e-12 m
                assert abs(float(robot.singularities(interval.q(interval.high)).elbow)) < 1e-5
                assert np.isnan(
                    robot.inverse_kinematics(actual.pose([interval.high + 1e-6])).q[
                        0, interval.branch
                    ]
                ).all()
    assert seen > 5


def test_an_unreachable_pose_says_by_how_much(arms):
    """No interval, and the least distance beyond reach over all angles."""
    robot = arms["irb2400"]
    pose = robot.pose(np.zeros(6))
    pose.translation = np.array([3.0, 0.2, 1.0])
    actual = feasible_angles(robot, pose)
    least = robot.inverse_kinematics(actual.pose(np.linspace(-np.pi, np.pi, 20_000))).missing.min()
    assert not actual
    assert actual.missing == pytest.approx(least, abs=1e-7)
    assert actual.missing <= least
    assert f"{1000.0 * actual.missing:.6g} mm" in actual.note
    pose.translation = robot.pose(np.zeros(6)).translation * [1.0, 1.0, -0.6]
    actual = feasible_angles(robot, pose)
    assert not actual
    assert "out of range" in actual.note


def test_what_cannot_be_asked_says_so(arms):
    """Wrong arms, poses, axes, branches and angles are refused in one line."""
    robot = arms["irb2400"]
    pose = robot.pose(np.zeros(6))
    scara = irb.load("irb930")
    with pytest.raises(irb.MissingData, match="4 axes"):
        feasible_angles(scara, scara.pose(np.zeros(4)))
    with pytest.raises(irb.InputError, match="direction"):
        feasible_angles(robot, pose, (0.0, 0.0, 0.0))
    with pytest.raises(irb.InputError, match="rigid"):
        feasible_angles(robot, 2.0 * np.eye(4))
    with pytest.raises(irb.UnknownName, match="branch"):
        feasible_angles(robot, pose, branch=8)
    interval = feasible_angles(robot, pose)[0]
    with pytest.raises(irb.InputError, match="outside the interval"):
        interval.q(interval.high + 0.1)
    assert {i.branch for i in feasible_angles(robot, pose, branch=[0, 1])} <= {0, 1}


# --- along a path


def oval(n=60, tilt=20.0):
    """Return poses of a mill around an oval, leaning outwards, its x along the path."""
    s = np.linspace(0.0, TURN, n)
    along = np.stack([-0.3 * np.sin(s), 0.6 * np.cos(s), 0.0 * s], axis=1)
    along /= np.linalg.norm(along, axis=1)[:, None]
    z = -math.sin(math.radians(tilt)) * np.cross(along, [0.0, 0.0, 1.0]) - [
        0.0,
        0.0,
        math.cos(math.radians(tilt)),
    ]
    poses = np.tile(np.eye(4), (n, 1, 1))
    poses[:, :3, 0], poses[:, :3, 1], poses[:, :3, 2] = along, np.cross(z, along), z
    poses[:, :3, 3] = np.stack([0.95 + 0.3 * np.cos(s), 0.6 * np.sin(s), 0.45 + 0.0 * s], axis=1)
    return poses


@pytest.fixture(scope="module")
def choice(arms):
    return choose_angle(arms["irb2400"], oval())


def test_a_choice_is_on_the_path_and_in_range(choice, arms):
    """Postures give the turned poses, keep ranges, stay on one branch, and their costs add up to
    the total.
    """
    robot, n = arms["irb2400"], len(choice.phi)
    np.testing.assert_allclose(robot.pose(choice.q), choice.poses, atol=1e-9)
    turn = np.swapaxes(oval()[:, :3, :3], 1, 2) @ choice.poses[:, :3, :3]
    np.testing.assert_allclose(turn[:, 1, 0], np.sin(choice.phi), atol=1e-12)
    np.testing.assert_allclose(turn[:, 2, 2], 1.0, atol=1e-12)
    assert robot.in_range(choice.q).all()
    assert np.abs(np.diff(choice.q, axis=0)).max() < math.radians(30.0)
    costs = dict(choice.costs)
    steps = costs.pop("turning").sum() + costs.pop("motion").sum()
    assert choice.total == pytest.approx(sum(part.sum() for part in costs.values()) / n + steps)
    assert steps == pytest.approx(
        0.02 * (n - 1) * ((np.diff(choice.phi) ** 2).sum() + (np.diff(choice.q, axis=0) ** 2).sum())
    )
    y = choice.q @ robot.limits.A.T
    assert choice.range_margin == pytest.approx(
        np.minimum(y - robot.limits.lower, robot.limits.upper - y).min()
    )
    assert choice.wrist == pytest.approx(np.abs(robot.singularities(choice.q).wrist).min())


def every_sequence(grids, most, window):
    """Return the total of every sequence of candidates, one axis per grid; infinite where a step
    is not allowed.
    """
    total = sum(np.ix_(*(grid.cost for grid in grids))) / len(grids)
    for k, (a, b) in enumerate(itertools.pairwise(grids)):
        turned = np.remainder(b.phi - a.phi[:, None] + np.pi, TURN) - np.pi
        moved = b.q - a.q[:, None]
        allowed = (np.abs(turned) <= window) & (np.abs(moved).max(axis=-1) <= most)
        allowed &= a.branch[:, None] == b.branch
        cost = np.where(allowed, 0.02 * turned**2 + 0.03 * (moved**2).sum(axis=-1), np.inf)
        total = total + cost.reshape(*cost.shape, *[1] * (len(grids) - k - 2))
    return total


def test_the_grid_is_searched_to_the_end(arms):
    """Dynamic programming finds what trying every sequence finds."""
    robot, cost = arms["irb2400"], range_margin() + singularity_distance()
    rng = np.random.default_rng(0)
    for trial in range(5):
        free = [feasible_angles(robot, pose) for pose in oval(40)[10 + 3 * trial :: 2][:4]]
        grids = []
        for angles in free:
            number = np.sort(rng.integers(0, len(angles), 12))
            phi = np.array([rng.uniform(angles[i].low, angles[i].high) for i in number])
            grids.append(candidates(robot, angles, number, phi, cost))
        steps, weights, window = np.full((3, 6), 1.5), np.array([0.02, 0.03]), 2.5
        total = every_sequence(grids, 1.5, window)
        if np.isinf(total).all():
            with pytest.raises(BrokenPath):
                best_sequence(robot, free, grids, steps, window, weights)
            continue
        best, chosen = best_sequence(robot, free, grids, steps, window, weights)
        assert best == pytest.approx(total.min(), rel=1e-12)
        assert tuple(chosen) == np.unravel_index(total.argmin(), total.shape)


def test_smoothing_improves_and_smooths(choice, arms):
    """The chosen curve costs less than the grid's, and bends far less than it and than the best
    angle of each point alone.
    """
    robot, cost = arms["irb2400"], range_margin() + singularity_distance()
    q = [feasible_angles(robot, pose, branch=choice.branch) for pose in oval()]
    alone = []
    for actual in q:
        phi = [np.linspace(i.low, i.high, 73)[1:-1] for i in actual]
        values = [cost(robot, i.q(p), p) for i, p in zip(actual, phi, strict=True)]
        best = min(range(len(actual)), key=lambda k: values[k].min())
        alone.append(phi[best][values[best].argmin()])
    bends = [
        np.abs(np.diff(curve, 2)).max() for curve in (choice.phi, choice.coarse, np.unwrap(alone))
    ]
    assert bends[0] < 0.5 * bends[1]
    assert bends[0] < 0.5 * bends[2]
    assert np.abs(choice.phi - choice.coarse).max() < math.radians(45.0)


def test_a_choice_is_stationary(arms):
    """No single angle of a smoothed choice can be moved to gain anything: it is a local optimum, as
    a derivative tells.
    """
    robot, poses = arms["irb2400"], oval(12)
    chosen = choose_angle(robot, poses, max_step=2.0, max_turn=1.0)
    cost = range_margin() + singularity_distance()

    def total(phi):
        q = []
        for pose, angle, near in zip(poses, phi, chosen.q, strict=True):
            turned = pose @ np.block(
                [
                    [
                        np.array(
                            [
                                [math.cos(angle), -math.sin(angle)],
                                [math.sin(angle), math.cos(angle)],
                            ]
                        ),
                        np.zeros((2, 2)),
                    ],
                    [np.zeros((2, 2)), np.eye(2)],
                ]
            )
            q.append(
                min(
                    (s.q for s in robot.inverse_kinematics(turned, turns=True)),
                    key=lambda x: np.abs(x - near).max(),
                )
            )
        q = np.array(q)
        return cost(robot, q, phi).mean() + 0.02 * 11 * (
            (np.diff(phi) ** 2).sum() + (np.diff(q, axis=0) ** 2).sum()
        )

    assert total(chosen.phi) == pytest.approx(chosen.total, rel=1e-9)
    for k in range(12):
        h = 1e-4 * np.eye(12)[k]
        slope = (total(chosen.phi + h) - total(chosen.phi - h)) / 2e-4
        assert abs(slope) < 1e-4  # of a total about 1 per rad


def test_a_path_that_only_turning_can_follow(arms):
    """Poses that turn by three rounds about the tool's axis exceed axis 6 at any constant angle,
    but not with the angle free.
    """
    robot, n = arms["bare"], 60
    pose = robot.pose(robot.from_controller([10, 20, 10, 30, 40, 0])).homogeneous
    poses = np.tile(pose, (n, 1, 1))
    for k, angle in enumerate(np.linspace(0.0, 3.0 * TURN, n)):
        c, s = math.cos(angle), math.sin(angle)
        poses[k, :3, :3] = pose[:3, :3] @ [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    with pytest.raises(BrokenPath):
        choose_angle(robot, poses, max_turn=1e-9)
    chosen = choose_angle(robot, poses, turning=1e-4, motion=0.1, max_turn=1.0)
    assert robot.in_range(chosen.q).all()
    assert np.ptp(chosen.phi) > TURN
    assert np.ptp(chosen.q[:, 5]) < TURN


def test_a_break_says_where_and_why(arms):
    """A pose out of reach, and a jump of the path, are named by their index, with what was chosen
    until then.
    """
    robot, poses = arms["irb2400"], oval(20)
    poses[13, :3, 3] += [2.0, 0.0, 0.0]
    with pytest.raises(
        BrokenPath, match=r"point 13: out of reach at every angle, by \d+"
    ) as caught:
        choose_angle(robot, poses, max_step=1.5, max_turn=1.0)
    assert caught.value.index == 13
    assert caught.value.phi.shape == (13,)
    np.testing.assert_allclose(robot.pose(caught.value.q)[:, :3, 3], poses[:13, :3, 3], atol=1e-9)
    assert isinstance(caught.value, irb.InputError)
    poses = np.concatenate([oval(40)[:8], oval(40)[20:28]])
    with pytest.raises(
        BrokenPath, match=r"point 8: the nearest posture .* needs axis \d by .* deg"
    ) as caught:
        choose_angle(robot, poses)
    assert caught.value.index == 8


def test_times_bound_the_speeds(arms):
    """With times no axis exceeds its rated speed, where a choice without them does."""
    robot, poses = arms["irb2400"], oval(24)
    times = np.linspace(0.0, 1.6, 24)
    speeds = [
        np.abs(np.diff(c.q, axis=0)).max(axis=0) / (times[1] - times[0]) / robot.limits.velocity
        for c in (
            choose_angle(robot, poses, turning=0.0, motion=0.0, times=times),
            choose_angle(robot, poses, turning=0.0, motion=0.0),
        )
    ]
    assert speeds[0].max() <= 1.0 + 1e-9
    assert speeds[1].max() > 1.1
    with pytest.raises(BrokenPath):
        choose_angle(robot, poses, times=np.linspace(0.0, 0.2, 24))


def test_a_start_is_kept(arms):
    """A path may begin at a posture, and that is its first."""
    robot, poses = arms["irb2400"], oval(30)
    actual = feasible_angles(robot, poses[0], branch=1)
    start = actual[0].q((actual[0].low + actual[0].high) / 2.0)
    chosen = choose_angle(robot, poses, start=start)
    np.testing.assert_allclose(chosen.q[0], start, atol=1e-9)
    assert chosen.branch == 1
    with pytest.raises(irb.InputError, match="not on the first pose"):
        choose_angle(robot, poses, start=start + 0.1 * np.eye(6)[0])


def test_costs_plug_in(arms):
    """A function of one's own decides, weights scale, and parts are told by name."""
    robot, poses = arms["irb2400"], oval(15)

    def upright(robot, q, phi):
        return q[:, 5] ** 2

    chosen = choose_angle(
        robot, poses, cost=upright, turning=0.0, motion=1e-6, max_step=3.0, max_turn=3.0
    )
    other = choose_angle(robot, poses, turning=0.0, motion=1e-6, max_step=3.0, max_turn=3.0)
    assert (chosen.q[:, 5] ** 2).mean() < 1e-3 < 0.1 < (other.q[:, 5] ** 2).mean()
    assert set(chosen.costs) == {"upright", "turning", "motion"}
    q, phi = posture(robot, np.random.default_rng(2))[None], np.zeros(1)
    both = 2.0 * range_margin() + Cost.of(upright) * 0.5
    np.testing.assert_allclose(
        both(robot, q, phi), 2.0 * range_margin()(robot, q, phi) + 0.5 * upright(robot, q, phi)
    )
    det = abs(np.linalg.det(robot.jacobian(q[0])))
    assert manipulability(0.1)(robot, q, phi)[0] == pytest.approx((0.1 / det) ** 2)
    near = robot.singularities(q[0])
    wanted = (0.3 / near.wrist) ** 2 + (0.4 / near.elbow) ** 2 + (0.5 / near.shoulder) ** 2
    assert singularity_distance(0.3, 0.4, 0.5)(robot, q, phi)[0] == pytest.approx(wanted)
    low, high, A = robot.limits.lower, robot.limits.upper, robot.limits.A
    y = low + 0.25 * (high - low)
    assert range_margin()(robot, np.linalg.solve(A, y)[None], phi)[0] == pytest.approx(1.0 / 3.0)
    assert range_margin()(robot, np.linalg.solve(A, (low + high) / 2.0)[None], phi)[
        0
    ] == pytest.approx(0.0, abs=1e-12)
    for bad in (
        lambda robot, q, phi: -np.ones(len(phi)),
        lambda robot, q, phi: np.ones(3),
        lambda robot, q, phi: np.nan * phi,
    ):
        with pytest.raises(irb.InputError, match="not negative"):
            choose_angle(robot, poses, cost=bad)
    with pytest.raises(irb.InputError, match="weight"):
        -1.0 * range_margin()


def test_paths_that_are_none_are_refused(arms):
    """Shapes, times and steps are checked."""
    robot, poses = arms["irb2400"], oval(15)
    for wrong, word in ((poses[0], "N, 4, 4"), (2.0 * poses, "pose 0")):
        with pytest.raises(irb.InputError, match=word):
            choose_angle(robot, wrong)
    with pytest.raises(irb.InputError, match="point 3"):
        choose_angle(robot, poses, times=[0, 1, 2, 2, *range(3, 14)])
    with pytest.raises(irb.InputError, match="max_step"):
        choose_angle(robot, poses, max_step=-1.0)
    with pytest.raises(irb.InputError, match=r"weight of turning must be .* at least 0"):
        choose_angle(robot, poses, turning=-1.0)


def test_a_path_of_one_pose():
    """There is nothing to smooth, and the angle is the best of its intervals."""
    robot = irb.load("irb2400", tool="spindle")
    pose = robot.pose(robot.from_controller([0, 20, 10, 0, 30, 0])).homogeneous
    actual = choose_angle(robot, [pose])
    np.testing.assert_allclose(
        robot.pose(actual.q[0]).homogeneous, actual.poses[0], rtol=0, atol=1e-9
    )
    assert actual.range_margin > 0.0
    with pytest.raises(irb.MissingData, match="has 4 axes"):
        choose_angle(irb.load("irb930"), [pose])


# --- closed paths


def test_the_best_closed_sequence_is_found(arms):
    """Branch and bound finds what trying every sequence finds that ends at the angle and branch it
    began with.
    """
    robot, cost = arms["irb2400"], range_margin() + singularity_distance()
    rng, open_ones = np.random.default_rng(1), 0
    steps, weights, window = np.full((3, 6), 2.5), np.array([0.02, 0.03]), 2.5
    for trial in range(6):
        poses = oval(40)[10 + 2 * trial :: 2][:3]
        free = [feasible_angles(robot, pose) for pose in (*poses, poses[0])]
        grids = []
        for angles in free[:3]:
            number = np.sort(rng.integers(0, len(angles), 11))
            phi = np.array([rng.uniform(angles[i].low, angles[i].high) for i in number])
            grids.append(candidates(robot, angles, number, phi, cost))
        grids.append(grids[0])
        total = every_sequence(grids, 2.5, window)
        first, last = (grids[k] for k in (0, -1))
        turn = np.remainder(last.phi - first.phi[:, None] + np.pi, TURN) - np.pi
        closes = (np.abs(turn) < 1e-9) & (last.branch == first.branch[:, None])
        closed = np.where(closes[:, None, None, :], total, np.inf)
        if np.isinf(closed).all():
            with pytest.raises(BrokenPath):
                closed_sequence(robot, free, grids, steps, window, weights)
            continue
        open_ones += closed.min() > total.min()
        best, chosen = closed_sequence(robot, free, grids, steps, window, weights)
        assert best == pytest.approx(closed.min(), rel=1e-12)
        assert tuple(chosen) == np.unravel_index(closed.argmin(), closed.shape)
    assert open_ones  # where the best sequence of all is closed anyway, nothing is shown


def loop_of(robot, n=9, radius=0.05):
    """Return poses around a small circle, the last one the first."""
    s = np.linspace(0.0, TURN, n)
    poses = np.tile(
        robot.pose(robot.from_controller([10, 20, 10, 30, 40, 0])).homogeneous, (n, 1, 1)
    )
    poses[:, 1, 3] += radius * np.sin(s)
    poses[:, 2, 3] += radius * (np.cos(s) - 1.0)
    return poses


def test_a_closed_path_comes_back_to_its_angle(arms):
    """Angle and pose at the end are those at the start; no choice on a grid of other angles that
    closes costs less.
    """
    robot, poses = arms["bare"], loop_of(arms["bare"])
    options = {"max_step": 2.0, "max_turn": 1.5}
    free = choose_angle(robot, poses, **options)
    chosen = choose_angle(robot, poses, closed=True, **options)
    assert math.remainder(chosen.phi[-1] - chosen.phi[0], TURN) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(chosen.poses[-1], chosen.poses[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(robot.pose(chosen.q), chosen.poses, rtol=0, atol=1e-9)
    assert chosen.total >= free.total - 1e-9
    cost, n = range_margin() + singularity_distance(), len(poses)
    angles, turned = np.radians(np.arange(-180.0, 180.0, 6.0)), np.tile(np.eye(4), (60, 1, 1))
    turned[:, 0, 0] = turned[:, 1, 1] = np.cos(angles)
    turned[:, 1, 0], turned[:, 0, 1] = np.sin(angles), -np.sin(angles)
    # (60, 8, 6) each
    every = [np.asarray(robot.inverse_kinematics(pose @ turned).q) for pose in poses]
    best = math.inf
    for branch in range(8):
        own = np.array([actual[:, branch] for actual in every])  # (n, 60, 6)
        worth = np.where(robot.in_range(own), 0.0, math.inf)
        worth[np.isfinite(worth)] = (
            cost(robot, own[np.isfinite(worth)], np.zeros(int(np.isfinite(worth).sum()))) / n
        )
        change = own[1:, None] - own[:-1, :, None]
        turn = np.remainder(angles - angles[:, None] + math.pi, TURN) - math.pi
        step = (n - 1) * 0.02 * (turn**2 + (change**2).sum(axis=-1))
        step = np.where(
            (np.abs(change).max(axis=-1) <= 2.0) & (np.abs(turn) <= 1.5), step, math.inf
        )
        for first in range(60):  # Bellman from one angle back to it
            value = np.where(np.arange(60) == first, worth[0], math.inf)
            for k in range(1, n):
                value = (value[:, None] + step[k - 1]).min(axis=0) + worth[k]
            best = min(best, value[first])
    assert chosen.total <= best + 1e-9
    assert chosen.total > 0.9 * best  # and the grid of 6 deg is near it


def test_a_closed_choice_is_stationary_at_its_seam(arms):
    """The angle at the seam is as good as its neighbours: choosing again from a point further on
    costs the same.
    """
    robot, poses = arms["bare"], loop_of(arms["bare"])
    options = {"max_step": 2.0, "max_turn": 1.5, "turning": 0.1, "motion": 0.0, "closed": True}
    # made up, with one best angle
    flat = Cost.of(lambda robot, q, phi: np.square(np.sin((phi - 0.4) / 2.0)) + 0.2)
    chosen = choose_angle(robot, poses, cost=flat, **options)
    np.testing.assert_allclose(np.remainder(chosen.phi, TURN), 0.4, rtol=0, atol=1e-5)
    started = choose_angle(robot, poses, cost=flat, start=chosen.q[0], **options)
    assert math.remainder(started.phi[-1] - started.phi[0], TURN) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(started.q[0], chosen.q[0], rtol=0, atol=1e-6)


def test_a_cyclic_system_is_solved():
    """Tridiagonal with a corner of either sign, against NumPy's dense solver."""
    rng = np.random.default_rng(3)
    for n in (2, 3, 8):
        for corner in (0.0, 0.7, -0.7):
            diagonal, beside, right = (
                rng.uniform(4.0, 5.0, n),
                rng.uniform(-1.0, 1.0, n - 1),
                rng.normal(size=n),
            )
            dense = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
            dense[0, -1], dense[-1, 0] = dense[0, -1] + corner, dense[-1, 0] + corner
            np.testing.assert_allclose(
                _solve_cyclic(diagonal, beside, corner, right),
                np.linalg.solve(dense, right),
                rtol=1e-12,
            )


def test_a_path_that_cannot_close_says_so(arms):
    """A tool that is turned by half a round within one axis' reach cannot come back where every
    step is small.
    """
    robot, poses = arms["bare"], loop_of(arms["bare"])
    with pytest.raises(
        irb.InputError,
        match="a closed path has three poses or more, and its last pose is its first; here are 8",
    ):
        choose_angle(robot, poses[:-1], closed=True)
    with pytest.raises(irb.InputError, match=r"closed, whether .* is True or False, not 'yes'"):
        choose_angle(robot, poses, closed="yes")
    wanted = np.linspace(-1.0, 1.0, len(poses))
    pulled = Cost.of(lambda robot, q, phi: np.zeros(len(phi)))
    grids = []
    free = [feasible_angles(robot, pose) for pose in poses]
    for angles, phi in zip(free, wanted, strict=True):
        number = np.array(
            [i for i, one in enumerate(angles) if one.low < phi < one.high], dtype=int
        )
        grids.append(candidates(robot, angles, number, np.full(len(number), phi), pulled))
    with pytest.raises(
        BrokenPath, match="no choice comes back to the angle that it began with"
    ) as caught:
        closed_sequence(
            robot, free, grids, np.full((len(poses) - 1, 6), 2.0), 1.0, np.array([0.1, 0.1])
        )
    assert caught.value.index == len(poses) - 1


MISUSED = {
    "no robot": ({"robot": "irb1600"}, "an angle is chosen for an irbmodels.Robot, not 'irb1600'"),
    "poses of rags": ({"poses": [[1, 2], [3]]}, "poses of a path is not an array of numbers"),
    "branch in words": (
        {"branch": "front"},
        "branches are whole numbers, one or several, not 'front'",
    ),
    "no branches": ({"branch": []}, "branches are whole numbers, one or several, not"),
    "a flag for a branch": (
        {"branch": True},
        "branches are whole numbers, one or several, not True",
    ),
    "branch 9": ({"branch": 9}, "no branch 9"),
    "turning in words": (
        {"turning": "a"},
        "the weight of turning must be a finite number, at least 0, got 'a'",
    ),
    "no grid": ({"grid": 0.0}, r"grid \[rad\] must be a positive finite number, got 0.0"),
    "max_turn as a flag": (
        {"max_turn": True},
        r"max_turn \[rad\] must be a positive finite number, got True",
    ),
    "max_step in words": ({"max_step": "a"}, r"max_step \[rad\] is not an array of numbers"),
    "max_step of two": (
        {"max_step": [1.0, 2.0]},
        r"max_step \[rad\] needs one number, or 6, one per axis",
    ),
    "a cost of 5": (
        {"cost": 5},
        r"a cost is a function of robot, q \(K, 6\) and phi \(K,\), not 5",
    ),
    "a cost of words": (
        {"cost": lambda robot, q, phi: "a"},
        "cost <lambda> is not an array of numbers",
    ),
}


@together("name", MISUSED)
def test_misuse_is_one_clear_line(arms, name):
    changed, message = MISUSED[name]
    arguments = {"robot": arms["bare"], "poses": loop_of(arms["bare"], 4), **changed}
    refused_in_one_line(lambda: choose_angle(**arguments), message)


def test_misused_costs_and_intervals_are_one_clear_line(arms):
    """Costs and intervals say what they take."""
    interval = feasible_angles(arms["bare"], loop_of(arms["bare"])[0])[0]
    for call, message in (
        (
            lambda: Cost((("a", 1.0, 5),)),
            r"a term of a cost is \(name, weight, function\), not \('a', 1.0, 5\)",
        ),
        (lambda: Cost([]), "terms of a cost are a tuple"),
        (lambda: Cost.of(len, 5), "the name of a cost is a text, not 5"),
        (
            lambda: range_margin() * "a",
            "the weight of a cost must be a finite number, at least 0, got 'a'",
        ),
        (
            lambda: range_margin()(arms["bare"], np.zeros(6), np.zeros(1)),
            r"asked of q \(K, 6\) and phi \(K,\), not \(6,\)",
        ),
        (
            lambda: singularity_distance(wrist=-1.0),
            r"singularity of the wrist \[rad\] must be a finite number, at least 0",
        ),
        (
            lambda: manipulability("a"),
            r"reference manipulability \[m\^3\] must be a positive finite number",
        ),
        (lambda: interval.q("a"), r"phi \[rad\] is not an array of numbers"),
        (lambda: interval.holds("a"), r"phi \[rad\] must be a finite number, got 'a'"),
        (
            lambda: feasible_angles("irb1600", np.eye(4)),
            "free angles are those of an irbmodels.Robot, not 'irb1600'",
        ),
        (
            lambda: feasible_angles(arms["bare"], np.eye(4), branch="a"),
            "branches are whole numbers",
        ),
    ):
        refused_in_one_line(call, message)
