import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from drives import COUPLED, every_term
from grouped import together
from misuse import refused_in_one_line
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, linprog

import irbmodels as irb
from irbmodels.trajectory import axis_path, line, time_optimal


def free(velocity, effort):
    """Return limits of axes whose ranges have no ends."""
    n = len(velocity)
    ends, none = np.full(n, np.inf), np.zeros(n, dtype=bool)
    return irb.Limits(
        -ends,
        ends.copy(),
        np.array(velocity),
        np.array(effort),
        np.eye(n),
        none,
        *(none.copy() for _ in range(3)),
    )


class Stribeck:
    """An arm with viscous, Coulomb and Stribeck friction."""

    name = "arm"

    def friction(self, v, q=None):
        """Return the friction at speeds ``v``."""
        dry = self.coulomb + self.drop * np.exp(-((v / self.stribeck) ** 2))
        return self.viscous * v + dry * np.sign(v)


class Slide(Stribeck):
    """One axis: mass, a constant load, and friction; nothing of the package."""

    def __init__(
        self, torque, load=0.0, viscous=0.0, coulomb=0.0, drop=0.0, stribeck=1.0, velocity=50.0
    ):
        self.load, self.viscous, self.coulomb = load, viscous, coulomb
        self.drop, self.stribeck = drop, stribeck
        self.limits = free([velocity], [torque])

    def inverse_dynamics(self, q, v, a, *, friction=True):
        """Torque of a mass of 2 kg."""
        return 2.0 * a + self.load + (self.friction(v) if friction else 0.0)


class TwoArms(Stribeck):
    """A planar arm with two axes of equal links in a vertical plane, written out by hand, with
    Stribeck friction.
    """

    viscous, coulomb = np.array([3.0, 1.5]), np.array([2.0, 1.0])
    drop, stribeck = np.array([2.5, 1.0]), np.array([0.08, 0.1])
    limits = free([3.0, 4.0], [60.0, 22.0])

    def inverse_dynamics(self, q, v, a, *, friction=True):
        """Torques of the textbook, point masses of 4 kg at the ends of links of 0.5 m."""
        q, v, a = (np.moveaxis(np.asarray(x, dtype=float), -1, 0) for x in (q, v, a))
        m, length, g = 4.0, 0.5, 9.81
        c2, s2 = np.cos(q[1]), np.sin(q[1])
        m11, m12, m22 = m * length**2 * (3 + 2 * c2), m * length**2 * (1 + c2), m * length**2
        h = m * length**2 * s2
        g2 = m * g * length * np.cos(q[0] + q[1])
        tau = np.stack(
            [
                m11 * a[0]
                + m12 * a[1]
                - h * (2 * v[0] * v[1] + v[1] ** 2)
                + 2 * m * g * length * np.cos(q[0])
                + g2,
                m12 * a[0] + m22 * a[1] + h * v[0] ** 2 + g2,
            ],
            axis=-1,
        )
        return tau + (self.friction(np.moveaxis(v, 0, -1)) if friction else 0.0)


CURVE = [[-0.9, 0.6], [-0.2, 1.1], [0.5, 0.7], [0.8, 1.2]]


def used(arm, actual, count=10):
    """Largest shares of torque and speed on a grid many times finer, and at both ends, where v and
    friction are exactly 0.
    """
    t = np.sort(np.random.default_rng(0).uniform(0.0, actual.duration, count * len(actual.s)))
    t[0], t[-1] = 0.0, actual.duration
    q, v, a, _ = actual.at(t)
    return np.abs(arm.inverse_dynamics(q, v, a) / arm.limits.effort).max(), np.abs(
        v / arm.limits.velocity
    ).max()


@pytest.mark.parametrize("velocity", [None, 1.5])
def test_one_axis_with_an_acceleration_is_bang_bang(velocity):
    """The time is 2 sqrt(h / A), or h / V + V / A where the speed is reached: to the share of the
    bounds that is used.
    """
    actual = time_optimal(axis_path([[0.3], [2.3]]), velocity=velocity, acceleration=4.0)
    exact = 2.0 * np.sqrt(2.0 / 4.0) if velocity is None else 2.0 / 1.5 + 1.5 / 4.0
    assert (
        exact <= actual.duration < exact * (1 + 1e-4)
    )  # a share of 5e-5 of the bound is kept free
    # the grid's step where the speed is just reached
    assert actual.lower_bound == pytest.approx(exact, rel=3e-5)


def test_a_load_makes_starting_and_stopping_unequal():
    """With a constant load accelerations are (tau - G) / I and (tau + G) / I; the time follows by
    hand.
    """
    start, stop = (12.0 - 4.0) / 2.0, (12.0 + 4.0) / 2.0
    top = np.sqrt(2.0 * 3.0 / (1.0 / start + 1.0 / stop))
    actual = time_optimal(axis_path([[0.0], [3.0]]), Slide(12.0, load=4.0))
    assert actual.duration == pytest.approx(top / start + top / stop, rel=1e-4)
    other = time_optimal(axis_path([[3.0], [0.0]]), Slide(12.0, load=4.0))
    assert other.duration == pytest.approx(actual.duration, rel=1e-6)


@pytest.mark.parametrize(("viscous", "coulomb"), [(4.0, 0.0), (0.5, 0.0), (4.0, 3.0)])
def test_viscous_and_coulomb_friction_meet_the_closed_form(viscous, coulomb):
    """Speeding up and braking at full torque against friction are exponentials; their times
    bracketed from both sides.
    """

    # from 0 to speed, or from speed to 0: time and way of I v' = torque - Fv v
    def phase(torque, speed):
        end = torque / viscous
        time = -2.0 / viscous * np.log(1.0 - speed / end)
        return abs(time), abs(end * time - 2.0 / viscous * speed)

    def way(speed):
        return phase(12.0 - coulomb, speed)[1] + phase(-12.0 - coulomb, speed)[1] - 3.0

    top = brentq(way, 1e-3, (12.0 - coulomb) / viscous * (1 - 1e-12))
    exact = phase(12.0 - coulomb, top)[0] + phase(-12.0 - coulomb, top)[0]
    arm = Slide(12.0, viscous=viscous, coulomb=coulomb)
    gaps = []
    for intervals in (100, 400):
        actual = time_optimal(axis_path([[0.0], [3.0]]), arm, intervals=intervals)
        assert actual.lower_bound == pytest.approx(exact, rel=5e-4 * 100 / intervals)
        assert exact < actual.duration
        assert max(used(arm, actual)) <= 1.0
        gaps.append(actual.gap)
    assert gaps[1] < 0.35 * gaps[0]  # first order in the step
    assert gaps[1] < 3e-3


def fastest_by_integration(arm, path):
    """Time of the phase-plane profile that full torque gives from both ends: an oracle without
    grid, LP or lines.
    """

    def gain(s, rate, sign):
        q, slope, curvature = path.at(s)
        rest = arm.inverse_dynamics(q, slope * rate, curvature * rate**2)
        m = arm.inverse_dynamics(q, 0 * q, slope, friction=False) - arm.inverse_dynamics(
            q, 0 * q, 0 * q, friction=False
        )
        ends = np.array([(-arm.limits.effort - rest) / m, (arm.limits.effort - rest) / m])
        low, high = ends.min(axis=0).max(), ends.max(axis=0).min()
        return high if sign > 0 else low

    def fall(sign):
        span = (0.0, path.length) if sign > 0 else (path.length, 0.0)

        def rhs(s, x):
            return [2.0 * gain(min(max(s, 0.0), path.length), np.sqrt(max(x[0], 1e-12)), sign)]

        return solve_ivp(
            rhs, span, [1e-10], rtol=1e-8, atol=1e-12, dense_output=True, max_step=path.length / 400
        ).sol

    up, down = fall(1), fall(-1)
    # s closer at the ends: the integrand there is 1 / sqrt
    theta = (np.arange(20_000) + 0.5) * np.pi / 20_000
    s = 0.5 * path.length * (1.0 - np.cos(theta))
    x = np.minimum(up(s)[0], down(s)[0])
    slope = path.at(s).slope
    x = np.minimum(x, np.square(arm.limits.velocity / np.maximum(np.abs(slope), 1e-12)).min(axis=1))
    return float((0.5 * path.length * np.sin(theta) / np.sqrt(x)).sum() * np.pi / 20_000)


@pytest.mark.parametrize("stribeck", [0.05, 0.5])
def test_stribeck_friction_meets_the_integrated_profile(stribeck):
    """With friction that falls and rises the exact time lies between bound and result, by
    integration of the same law.
    """
    arm = Slide(12.0, load=1.0, viscous=2.0, coulomb=1.0, drop=3.0, stribeck=stribeck)
    path = axis_path([[0.0], [3.0]])
    exact = fastest_by_integration(arm, path)
    actual = time_optimal(path, arm, intervals=400)
    assert actual.lower_bound < exact * (1 + 2e-4)  # the bound's own grid error
    assert exact < actual.duration < exact * (1 + 5e-3)
    assert max(used(arm, actual)) <= 1.0


def test_two_axes_meet_the_integrated_profile():
    """A straight stroke of two coupled axes with Stribeck friction and gravity: the exact time lies
    within the gap.
    """
    arm, path = TwoArms(), axis_path([[-0.9, 0.6], [0.4, 1.4]])
    exact = fastest_by_integration(arm, path)
    actual = time_optimal(path, arm, intervals=400)
    assert actual.lower_bound < exact * (1 + 2e-4)
    assert exact * (1 - 1e-6) < actual.duration < exact * (1 + 5e-3)
    without = time_optimal(path, arm, friction=False)
    assert without.duration < 0.98 * actual.lower_bound


def test_curved_path_meets_a_linear_programme():
    """On a curve the profile that HiGHS finds highest, with bounds at both ends of each of 600
    intervals, takes as long.
    """
    path, bound = (
        axis_path([[0.0, 0.0], [1.0, 0.4], [1.2, -0.5], [0.3, -0.8]]),
        np.array([3.0, 2.0]),
    )
    speed = np.array([1.5, 1.2])
    count = 600
    s = 0.5 * path.length * (1.0 - np.cos(np.pi * np.linspace(0.0, 1.0, count + 1)))
    _, slope, curvature = path.at(s)
    step = np.diff(s)
    rows, right = [], []
    for i in range(count):
        for k in (i, i + 1):
            for axis in range(2):
                for sign in (1.0, -1.0):
                    row = np.zeros(count + 1)
                    row[i] -= slope[k, axis] / (2 * step[i])
                    row[i + 1] += slope[k, axis] / (2 * step[i])
                    row[k] += curvature[k, axis]
                    rows.append(sign * row)
                    right.append(bound[axis])
    top = np.square(speed / np.maximum(np.abs(slope), 1e-9)).min(axis=1)
    top[[0, -1]] = 0.0
    best = linprog(
        -np.ones(count + 1),
        np.array(rows),
        right,
        bounds=[(0.0, high) for high in top],
        method="highs",
    )
    rate = np.sqrt(np.maximum(best.x, 0.0))
    exact = float((2 * step / (rate[1:] + rate[:-1])).sum())
    actual = time_optimal(path, velocity=speed, acceleration=bound, intervals=600)
    assert actual.duration == pytest.approx(exact, rel=1e-3)  # two grids of 600 intervals
    assert actual.lower_bound <= exact


@pytest.mark.parametrize("intervals", [60, 300])
def test_all_bounds_are_kept_between_the_grid_points(intervals):
    """On a curve on which both axes turn back, torques with friction and speeds stay within on a
    much finer grid.
    """
    arm = TwoArms()
    actual = time_optimal(axis_path(CURVE), arm, intervals=intervals)
    torque, speed = used(arm, actual, 100)
    assert torque <= 1.0
    assert speed <= 1.0
    assert torque > 0.999  # and are used


def test_an_axis_at_rest_bounds_the_speed_of_a_drive_that_turns_with_it():
    """Drive 2 turns with axis 1, and its viscous friction loads axis 2, which holds still: axis 1
    runs at the speed at which that takes all that axis 2 has, and no slower.
    """
    D, viscous, effort = np.array([[1.0, 0.0], [3.0, 1.0]]), np.array([0.0, 2.0]), [100.0, 6.0]

    def friction(v, q=None):
        return (viscous * (v @ D.T)) @ D

    arm = SimpleNamespace(
        name="arm",
        limits=free([50.0, 50.0], effort),
        friction=friction,
        inverse_dynamics=lambda q, v, a, *, friction=True: (
            2.0 * a + (viscous * (v @ D.T)) @ D * friction
        ),
    )
    actual = time_optimal(axis_path([[0.0, 0.0], [20.0, 0.0]]), arm, intervals=200)
    fastest = effort[1] / (viscous[1] * D[1, 0])
    speed = actual.at(np.linspace(0.0, actual.duration, 2001)).v[:, 0].max()
    assert 0.999 * fastest < speed <= fastest
    assert actual.duration == pytest.approx(20.0 / fastest, rel=2e-3)
    assert actual.lower_bound <= actual.duration


def test_friction_of_coupled_drives_with_every_term_is_kept():
    """Drives that turn with two axes, and rub more under load: bounds are kept, and used."""
    law = every_term()
    robot = irb.load("irb1600").with_drives(COUPLED).with_friction(replace(law, mu=4.0 * law.mu))
    path = axis_path([[0.0] * 6, [0.3, 0.4, -0.2, 0.5, 0.6, 0.0], [0.6, 0.1, 0.2, 0.5, -0.3, 0.4]])
    actual = time_optimal(path, robot, intervals=60)
    torque, speed = used(robot, actual, 30)
    assert max(torque, speed) <= 1.0
    assert max(torque, speed) > 0.99
    assert actual.lower_bound <= actual.duration < 1.05 * actual.lower_bound
    plain = time_optimal(path, robot.with_friction(replace(law, mu=0.0 * law.mu)), intervals=60)
    assert plain.duration < actual.duration


def test_what_narrowing_does_not_repair_is_run_slower(monkeypatch):
    """With a single round of narrowing, which is not enough on this curve, the whole motion is
    slowed until all is kept.
    """
    arm, path = TwoArms(), axis_path(CURVE)
    repaired = time_optimal(path, arm, intervals=60)
    monkeypatch.setattr("irbmodels.trajectory.timing_bounds._REPAIRS", 1)
    slower = time_optimal(path, arm, intervals=60)
    assert max(used(arm, slower, 100)) <= 1.0
    assert repaired.duration < slower.duration < 1.2 * repaired.duration


def test_a_path_that_goes_back_on_itself_turns_at_rest():
    """There and back on one axis: full acceleration, full deceleration through the turn, full
    acceleration again.
    """
    actual = time_optimal(axis_path([[0.0], [1.0], [0.0]]), acceleration=4.0)
    # first order in the step at the turn
    assert actual.duration == pytest.approx(4.0 * np.sqrt(1.0 / 4.0), rel=2e-3)
    assert actual.lower_bound == pytest.approx(4.0 * np.sqrt(1.0 / 4.0), rel=1e-4)
    assert actual.at(np.linspace(0.0, actual.duration, 10001)).q.max() == pytest.approx(
        1.0, abs=1e-6
    )


@pytest.mark.parametrize(
    "postures",
    [[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [0.6, 0.9], [1.2, 0.9], [2.0, 0.0]]],
)
def test_friction_changes_its_sign_where_an_axis_turns_back(postures):
    """Each side of a turn has the friction of its own direction: bound and time stay close although
    the turn decides.
    """
    coulomb, load = np.array([0.5, 4.0]), np.array([0.0, -6.0])
    arm = SimpleNamespace(
        name="arm",
        limits=free([50.0, 50.0], [12.0, 12.0]),
        friction=lambda v, q: coulomb * np.sign(v),
        inverse_dynamics=lambda q, v, a, *, friction=True: (
            2.0 * a + load + (coulomb * np.sign(v) if friction else 0.0)
        ),
    )
    actual = time_optimal(axis_path(postures), arm, intervals=100)
    # 4e-2 with the sign of the grid point itself, which is rounding; 1.5e-2 with none at the turn
    assert actual.gap < 6e-3


def test_a_bound_of_acceleration_is_kept_besides():
    """Accelerations are kept together with torques, and make the motion slower."""
    arm, path = TwoArms(), axis_path(CURVE)
    free = time_optimal(path, arm)
    actual = time_optimal(path, arm, acceleration=[6.0, 8.0])
    a = actual.at(np.linspace(0.0, actual.duration, 20011)).a
    assert (np.abs(a).max(axis=0) <= [6.0, 8.0]).all()
    assert np.abs(a / [6.0, 8.0]).max() > 0.999
    assert max(used(arm, actual)) <= 1.0
    assert actual.duration > free.duration


def test_finer_grids_close_in_from_both_sides():
    """With more intervals the time falls, the bound stays below every time found, and the gap
    shrinks.
    """
    arm, path = TwoArms(), axis_path(CURVE)
    actual = [time_optimal(path, arm, intervals=count) for count in (75, 150, 300, 600)]
    best = min(one.duration for one in actual)
    assert [one.duration for one in actual] == sorted(
        (one.duration for one in actual), reverse=True
    )
    assert all(one.lower_bound < best for one in actual)
    assert actual[-1].gap < 0.2 * actual[0].gap
    assert actual[-1].gap == pytest.approx(actual[-1].duration / actual[-1].lower_bound - 1.0)


def test_an_axis_that_rounding_moves_stands_still():
    """Postures of an inverse kinematics differ by rounding where an axis stands; its speed is 0, as
    all are at the ends.
    """
    q = np.array([[0.1, 0.3, -0.2], [0.5, 0.3 + 3e-16, 0.3], [0.9, 0.3 - 3e-16, 0.1]])
    actual = time_optimal(axis_path(q), velocity=1.0, acceleration=3.0, intervals=60)
    motion = actual.sample(300.0)
    assert not motion.v[:, 1].any()
    assert not motion.v[[0, -1]].any()
    assert not actual.at([np.spacing(1.0), np.nextafter(actual.duration, 0.0)]).v.any()


def test_motion_follows_the_path_from_rest_to_rest():
    """Every position is on the path, waypoints are passed, speed is exactly 0 at both ends, v and a
    are derivatives of q.
    """
    path = axis_path(CURVE)
    actual = time_optimal(path, TwoArms())
    state = actual.at([0.0, actual.duration])
    np.testing.assert_allclose(state.q, [CURVE[0], CURVE[-1]], atol=1e-12)
    assert not state.v.any()
    assert state.jerk is None
    q = actual.at(np.linspace(0.0, actual.duration, 20001)).q
    for waypoint in CURVE:
        # 4 rad/s times half a step of 0.1 ms
        assert np.linalg.norm(q - waypoint, axis=1).min() < 1e-3
    step = 1e-7
    t = 0.5 * (actual.times[3:-4] + actual.times[4:-3])
    after, before, here = actual.at(t + step), actual.at(t - step), actual.at(t)
    np.testing.assert_allclose((after.q - before.q) / (2 * step), here.v, atol=1e-6)
    np.testing.assert_allclose((after.v - before.v) / (2 * step), here.a, atol=1e-5)


@pytest.mark.parametrize("name", ["irb2400", "irb1400", "irb930"])
def test_robots_keep_their_own_limits(name, monkeypatch):
    """A motion of a real arm through random postures keeps its speeds and efforts, friction
    included where it is known.
    """
    # compiling would take longer than the test
    monkeypatch.setattr("irbmodels.compiled.dispatch.WORTH", np.inf)
    robot, rng = irb.load(name), np.random.default_rng(7)
    low, high = robot.limits.envelope()
    drawn = 0.4 * rng.uniform(low, high, (60, robot.n))
    postures = drawn[robot.limits.in_range(drawn)][:4]
    known = robot.friction_model is not None
    actual = time_optimal(axis_path(postures), robot, friction=known, intervals=60)
    t = np.sort(rng.uniform(0.0, actual.duration, 2000))
    q, v, a, _ = actual.at(t)
    assert (
        np.abs(robot.inverse_dynamics(q, v, a, friction=known) / robot.limits.effort).max() <= 1.0
    )
    assert np.abs(v / robot.limits.velocity).max() <= 1.0
    assert 0.0 < actual.gap < 0.02


def test_a_cartesian_line_keeps_the_tcp_on_it(monkeypatch):
    """Inverse kinematics along a PosePath gives an axis path by its distance; the TCP stays on the
    line as it is run.
    """
    monkeypatch.setattr("irbmodels.compiled.dispatch.WORTH", np.inf)
    robot = irb.load("irb2400")
    q = robot.from_controller([10, 20, 10, 20, 40, 0])
    start = robot.pose(q).homogeneous
    end = start.copy()
    end[:3, 3] += [0.1, -0.4, 0.2]
    path = line(start, end)
    s = np.linspace(0.0, path.length, 41)
    postures = [q]
    for pose in path.poses(s[1:]):
        solutions = robot.inverse_kinematics(pose, near=postures[-1])
        postures.append(
            min((one.q for one in solutions), key=lambda other: np.abs(other - postures[-1]).max())
        )
    actual = time_optimal(axis_path(postures, s), robot, intervals=60)
    p = robot.pose(actual.at(np.linspace(0.0, actual.duration, 200)).q)[:, :3, 3]
    along = (end - start)[:3, 3] / path.length
    away = p - start[:3, 3] - np.outer((p - start[:3, 3]) @ along, along)
    assert np.abs(away).max() < 1e-6  # of a spline through 41 postures


def test_axis_path_is_a_smooth_curve_through_its_postures():
    """The path passes its postures at the lengths of the strokes, with derivatives that are
    derivatives.
    """
    path = axis_path(CURVE)
    np.testing.assert_allclose(
        path.knots[1:], np.cumsum(np.linalg.norm(np.diff(CURVE, axis=0), axis=1)), rtol=1e-15
    )
    np.testing.assert_allclose(path.at(path.knots).q, CURVE, atol=1e-14)
    s, step = np.linspace(0.1, path.length - 0.1, 20), 1e-5
    before, here, after = (path.at(s + shift) for shift in (-step, 0.0, step))
    np.testing.assert_allclose((after.q - before.q) / (2 * step), here.slope, atol=1e-8)
    np.testing.assert_allclose((after.slope - before.slope) / (2 * step), here.curvature, atol=1e-8)
    turns = path.reversals()
    assert len(turns) > 0
    assert np.abs(path.at(turns).slope).min(axis=1).max() < 1e-12


@together(
    "wrong, message",
    [
        (lambda: axis_path([[0.0, 1.0]]), "at least two"),
        (lambda: axis_path([0.0, 1.0]), r"shape \(K, n\)"),
        (lambda: axis_path([[0.0], [np.nan]]), "finite"),
        (lambda: axis_path([[0.0], [1.0], [1.0]]), "postures 2 and 3 of the path are the same"),
        (lambda: axis_path([[0.0], [1.0]], [0.0, -1.0]), "starts at 0 and grows"),
        (lambda: axis_path([[0.0], [1.0]], [0.5, 1.0]), "starts at 0 and grows"),
        (lambda: axis_path([[1.0], [1.0]], [0.0, 1.0]), "all postures of the path are the same"),
        (
            lambda: time_optimal(axis_path([[0.0] * 3, [1.0] * 3]), TwoArms()),
            "the path has 3 axes, the robot 2",
        ),
        (lambda: time_optimal(axis_path([[0.0], [1.0]])), "needs bounds of acceleration"),
        (
            lambda: time_optimal(axis_path([[0.0], [1.0]]), velocity=1.0),
            "needs bounds of acceleration",
        ),
        (
            lambda: time_optimal(axis_path([[0.0], [1.0]]), acceleration=-1.0),
            "acceleration must be positive",
        ),
        (
            lambda: time_optimal(axis_path([[0.0], [1.0]]), acceleration=1.0, torque=1.0),
            "without a robot has no torques",
        ),
        (
            lambda: time_optimal(axis_path([[0.0], [1.0]]), acceleration=1.0, intervals=5),
            "a whole number, 10 to 100000, got 5",
        ),
        (lambda: time_optimal(axis_path([[0.0], [1.0]]), acceleration=np.inf), "nothing bounds"),
        (
            lambda: time_optimal(axis_path([[0.0], [1.0]]), acceleration=np.inf, velocity=1.0),
            "nothing bounds the acceleration",
        ),
        (
            lambda: time_optimal(
                axis_path([[0, 0], [1, 0]]), acceleration=[np.inf, 1], velocity=1.0
            ),
            "nothing bounds the accel",
        ),
        (
            lambda: time_optimal(axis_path([[0.0] * 2, [1.0] * 2]), TwoArms(), torque=np.inf),
            "nothing bounds the acceleration",
        ),
        (
            lambda: time_optimal(axis_path([[0.0], [1.0]]), Slide(3.0, load=4.0)),
            "axis 1 cannot hold the arm at s = .* 4, .* 3 N m",
        ),
        (
            lambda: time_optimal(axis_path([[0.0], [1.0]]), Slide(3.0, load=2.0, coulomb=2.0)),
            "at rest axis 1 needs 67%",
        ),
        (
            lambda: time_optimal(
                axis_path([[0.0], [1.0]]), Slide(3.0, velocity=np.inf), velocity=np.inf
            ),
            "finite bounds of velocity",
        ),
        (
            lambda: time_optimal(axis_path([[0.0], [1.0]]), Slide(3.0, velocity=np.inf)),
            "needs the speed limit of axis 1 of arm, which is unknown; give your own: speed_deg_s",
        ),
    ],
)
def test_wrong_input_is_one_clear_line(wrong, message):
    refused_in_one_line(wrong, message)


def test_without_toppra_the_extra_is_named(monkeypatch):
    """A missing package is answered with the extra that brings it."""
    monkeypatch.setattr(irb.errors, "find_spec", lambda name: None)
    with pytest.raises(irb.errors.MissingExtra, match=r"irbmodels\[motion\]"):
        time_optimal(axis_path([[0.0], [1.0]]), acceleration=1.0)


def test_a_path_out_of_range_is_refused():
    """Also where only the spline overshoots between postures in range, and where only the coupled
    range of q3 - q2 is left.
    """
    robot = irb.load("irb2400")
    # q3 - q2 = -70 deg, each alone in its range
    outside = ([0, 0, 0, 0, 30, 0], [0, 60, -10, 0, 30, 0])
    with pytest.raises(
        irb.InputError, match=r"the path leaves a range at s = .*: axis 3: q3 - q2 = -70 deg"
    ):
        time_optimal(axis_path([robot.from_controller(q) for q in outside]), robot)
    over = [robot.from_controller([angle, 0, 0, 0, 30, 0]) for angle in (0, 179, 179.9, 179)]
    assert all(not robot.violations(q) for q in over)
    with pytest.raises(irb.InputError, match=r"axis 1: q1 = -?[0-9.]+ deg is outside"):
        time_optimal(axis_path(over), robot)


def test_a_path_whose_coupled_axes_alone_overshoot_is_refused():
    """q2 and q3 fall from waypoint to waypoint and turn back nowhere out of range; q3 - q2, within
    -60 .. 65 deg at all of them, leaves that range between two.
    """
    robot = irb.load("irb2400")
    q2, q3 = (99, 11, -22, -37), (160, 68, -76, -80)
    waypoints = [robot.from_controller([0, *pair, 0, 30, 0]) for pair in zip(q2, q3, strict=True)]
    path = axis_path(waypoints)
    turns = path.at(np.union1d(path.knots, path.reversals())).q
    assert not any(robot.violations(q) for q in turns)
    between = path.at(np.linspace(0.0, path.length, 2001)).q
    coupled = np.degrees(between[:, 2] - between[:, 1])
    extreme = coupled[np.abs(coupled - 2.5).argmax()]
    with pytest.raises(irb.InputError, match="leaves a range") as caught:
        time_optimal(path, robot)
    said = re.search(r"axis 3: q3 - q2 = (-?[0-9.]+) deg", str(caught.value))
    assert float(said[1]) == pytest.approx(extreme, abs=0.01)
