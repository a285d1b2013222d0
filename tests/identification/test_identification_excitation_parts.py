from itertools import islice

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

import irbmodels as irb
from irbmodels.identification.excitation import Bounds
from irbmodels.identification.excitation.bounds import (
    SHARPNESS,
    LinearConstraints,
    MotionLimits,
    _critical_samples,
)
from irbmodels.identification.excitation.parametrizations import Fourier, Freudenstein
from irbmodels.identification.excitation.problem import ExcitationProblem
from irbmodels.identification.excitation.regressor import (
    BaseRegressor,
    condition,
    log_condition_gradient,
    log_det,
    log_det_gradient,
)
from irbmodels.identification.excitation.search import optimise, remove_collisions
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.tasks.path_check import Box

BOX = Box((-0.5, -1.5, 0.1), (1.9, 1.5, 2.6))


def made(name, family, friction=False, **bounds):
    """A problem and a random motion of it, up to the first limit."""
    robot = irb.load(name)
    base = base_parameters(robot, friction=friction)
    limits = MotionLimits(robot, Bounds(**{"collision": False, **bounds}))
    problem = ExcitationProblem(family, base, BaseRegressor(robot, base), limits, limits.middle)
    return problem, problem.random_start(np.random.default_rng(5))


def along(function, x, direction, step=1e-6):
    """Central difference along a direction."""
    return (function(x + step * direction) - function(x - step * direction)) / (2.0 * step)


CASES = [
    ("irb1600", Fourier(4, 5.0), {}),
    ("irb2400", Freudenstein(3, 4.0), {"acceleration": np.arange(5.0, 11.0), "box": BOX}),
    ("irb1400", Fourier(3, 4.0), {"box": BOX}),
    ("irb930", Fourier(3, 3.0), {"acceleration": [3.0, 9.0, 1.0, 7.0]}),
]


@pytest.mark.parametrize(
    ("name", "family", "bounds"), CASES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_gradients_are_differences(name, family, bounds):
    """Gradients of both criteria, and of the room below every limit, are what central differences
    say, by each parameter.
    """
    problem, x = made(name, family, **bounds)
    rng = np.random.default_rng(6)
    for smooth in (
        lambda Y: log_condition_gradient(Y, 2.0),
        lambda Y: log_condition_gradient(Y, 16.0),
        lambda Y: log_det_gradient(Y, 1.0),
    ):
        _, slope = problem.objective(x, smooth)
        for _ in range(3):
            d = rng.normal(size=x.shape)
            # differences of step 1e-6 leave 1e-10 of rounding and 1e-12 of curvature, times
            # condition
            assert (slope * d).sum() == pytest.approx(
                along(lambda x: problem.objective(x, smooth)[0], x, d), rel=1e-5, abs=1e-6
            )
    slopes = problem.constraint_jacobian(x)
    for _ in range(3):
        d = rng.normal(size=x.shape)
        np.testing.assert_allclose(
            (slopes * d).sum(axis=(1, 2)), along(problem.constraints, x, d), rtol=2e-5, atol=2e-6
        )


def test_gradient_with_friction():
    """With friction among the parameters the gradient is still exact, where no speed changes its
    sign.
    """
    problem, x = made("irb2400", Fourier(3, 5.0), friction=True)
    assert problem.base.rank > 36
    d = np.random.default_rng(1).normal(size=x.shape)
    _, slope = problem.objective(x, lambda Y: log_condition_gradient(Y, 4.0))
    difference = along(
        lambda x: problem.objective(x, lambda Y: log_condition_gradient(Y, 4.0))[0], x, d, 1e-8
    )
    # step 1e-8 leaves 1e-8 of rounding
    assert (slope * d).sum() == pytest.approx(difference, rel=1e-3, abs=1e-4)


Y = np.random.default_rng(0).normal(size=(200, 12)) * np.geomspace(1.0, 100.0, 12)


def test_smooth_condition_closes_in():
    """It lies above the true one, by less than the rank's logarithm by the power."""
    true = np.log(np.linalg.cond(Y / np.linalg.norm(Y, axis=0)))
    assert np.log(condition(Y)) == pytest.approx(true, rel=1e-12)
    powers = np.array([2.0, 8.0, 32.0])
    gaps = np.array([log_condition_gradient(Y, power).value - true for power in powers])
    assert 0.0 < gaps[2] < gaps[1] < gaps[0]
    assert (gaps < np.log(12) / powers).all()


def test_information_is_the_determinant():
    """Its logarithm per parameter; the one per sample differs by a constant."""
    sign, whole = np.linalg.slogdet(Y.T @ Y)
    assert sign == 1.0
    assert log_det_gradient(Y, 1.0).value == pytest.approx(-whole / 12, rel=1e-12)
    assert log_det(Y, 50) == pytest.approx(whole - 12 * np.log(50), rel=1e-12)


def test_a_lost_parameter_is_infinite():
    """Where a column is a sum of others; the search still gets numbers."""
    dependent = Y[:60, :5].copy()
    dependent[:, 3] = dependent[:, 0] - dependent[:, 1]
    assert condition(dependent) > 1e14
    value, gradient = log_condition_gradient(dependent, 8.0)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("family", [Fourier(4, 3.0), Freudenstein(3, 4.5)], ids=["series", "moves"])
def test_maps_are_the_trajectory(family):
    """The maps of a family give the states of its trajectory, which are derivatives of each other;
    standing still stands.
    """
    rng = np.random.default_rng(0)
    t, x = np.linspace(0.0, family.duration, 41), rng.normal(size=(family.size, 2))
    state = family.trajectory(x).at(t)
    maps = family.maps(t)
    for rows, values in zip(maps, state, strict=True):
        np.testing.assert_allclose(rows @ x, values, atol=1e-9 * np.abs(values).max())
    inner, step = rng.uniform(0.01, family.duration - 0.01, 20), 1e-6
    after, before = family.maps(inner + step), family.maps(inner - step)
    for i in range(3):
        slope = (after[i] - before[i]) / (2.0 * step)
        np.testing.assert_allclose(
            slope, family.maps(inner)[i + 1], atol=1e-7 * np.abs(maps[i + 1]).max() + 1e-7
        )
    q = rng.normal(size=2)
    np.testing.assert_allclose(maps.q @ family.at_rest(q), np.tile(q, (41, 1)), atol=1e-12)
    assert np.abs(maps.v @ family.at_rest(q)).max() < 1e-12


def test_draws_are_normal():
    """Draws are N(0, 1), and do not move the rest of a series."""
    rng = np.random.default_rng(0)
    x = Fourier(5, 3.0).random(rng, 2000)
    assert np.abs(x[0]).max() == 0.0
    for draws in (x[1:], Freudenstein(4, 3.0).random(rng, 2000)):
        assert draws.std() == pytest.approx(1.0, abs=0.02)  # of 10 000 draws or more


def test_shares_are_those_of_the_limits():
    """At the ends of range, speed, acceleration, torque and box the shares are 1, for the coupled
    range too.
    """
    robot = irb.load("irb2400", tool="spindle")
    acceleration = np.arange(5.0, 11.0)
    limits = MotionLimits(robot, Bounds(collision=False, acceleration=acceleration, box=BOX))
    np.testing.assert_allclose(
        robot.limits.A @ limits.middle, 0.5 * (robot.limits.lower + robot.limits.upper), atol=1e-12
    )
    rng = np.random.default_rng(2)
    up = rng.random((40, 6)) < 0.5
    q = np.linalg.solve(robot.limits.A, np.where(up, robot.limits.upper, robot.limits.lower).T).T
    v, a = rng.choice([-1.0, 1.0], (2, 40, 6)) * [[robot.limits.velocity], [acceleration]]
    by = {one.kind: one.values for one in limits.shares(q, v, a)}
    assert list(by) == ["range", "speed", "acceleration", "torque", "box"]
    np.testing.assert_allclose(by["range"], np.where(up, 1.0, -1.0), atol=1e-12)
    np.testing.assert_allclose(by["speed"] * robot.limits.velocity, v)
    np.testing.assert_allclose(by["acceleration"] * acceleration, a)
    inside = 0.4 * q
    tau = np.array([robot.inverse_dynamics(*state) for state in zip(inside, v, a, strict=True)])
    shares = {one.kind: one.values for one in limits.shares(inside, v, a)}
    np.testing.assert_allclose(
        shares["torque"] * robot.limits.effort, tau, atol=1e-9 * np.abs(tau).max()
    )
    place = np.array([robot.pose(state).translation for state in inside])
    low, high = np.array(BOX.lower), np.array(BOX.upper)
    np.testing.assert_allclose(low + 0.5 * (shares["box"] + 1.0) * (high - low), place, atol=1e-9)
    # the tool reaches farther
    assert (limits.largest_shares(inside, v, a)["box"] >= np.abs(shares["box"]).max(axis=0)).all()


@pytest.mark.parametrize("criterion", ["condition", "logdet"])
def test_the_best_iterate_is_that_of_the_criterion(criterion, monkeypatch):
    """Of iterates that keep the limits the search returns the best by its own criterion, and
    reports the condition number of each.
    """
    problem, _ = made("irb930", Fourier(3, 3.0))
    rng, shown = np.random.default_rng(0), []
    motions = [problem.random_start(rng) for _ in range(20)]
    beyond = problem.centre + 3.0 * (motions[0] - problem.centre)

    def iterates(objective, first, *, callback, **_):
        for x in [*motions, beyond]:
            callback(x[:, list(problem.base.axes)].ravel())

    monkeypatch.setattr("scipy.optimize.minimize", iterates)
    best = optimise(problem, motions[3], 2.0, 5, criterion, shown.append)
    Y = [problem.regressor.stacked(*problem.states(x, problem.coarse)) for x in [*motions, beyond]]
    units = [each / np.linalg.norm(each, axis=0) for each in Y]
    np.testing.assert_allclose(shown, [np.linalg.cond(each) for each in units], rtol=1e-9)
    values = {
        "condition": shown[:-1],
        "logdet": [-np.linalg.slogdet(each.T @ each)[1] for each in Y[:-1]],
    }
    places = {name: int(np.argmin(value)) for name, value in values.items()}
    assert places["condition"] != places["logdet"]
    np.testing.assert_array_equal(best, motions[places[criterion]])


def test_smooth_maximum_is_just_above():
    """The smooth maximum of a share is above the true one, by at most log(2 N) over its sharpness;
    weights are its slopes.
    """
    problem, x = made("irb930", Fourier(3, 3.0))
    for one in problem.limits.shares(*problem.states(x, problem.coarse)):
        top, weights = one.smooth_maximum()
        gap = top - np.abs(one.values).max(axis=0)
        assert (gap > 0.0).all()
        assert (gap <= np.log(2 * len(one.values)) / SHARPNESS + 1e-12).all()
        assert (np.abs(weights).sum(axis=0) <= 1.0 + 1e-12).all()


def near_postures(limits, low, high, room):
    """Random postures whose room, a function of them, lies between two values."""
    ends = limits.robot.limits
    rng = np.random.default_rng(0)
    postures = rng.uniform(0.9 * ends.lower, 0.9 * ends.upper, (400, ends.lower.size))
    return (q for q in postures if low < room(q) < high)


def distances(robot):
    """Distance between the nearest links as a function of the posture."""
    return lambda q: irb.clearance(robot, q).distance


def test_constraints_keep_links_apart():
    """Beyond one the nearest links are 10 mm apart to first order; samples far from contact have
    none.
    """
    robot = irb.load("irb140")
    limits, distance = MotionLimits(robot, Bounds()), distances(robot)
    near = np.array(list(islice(near_postures(limits, 0.002, 0.045, distance), 4)))
    rest = np.tile(limits.middle, (4, 1))
    postures, t = np.stack([near, rest], axis=1).reshape(8, 6), np.arange(8.0)
    (constraint,) = limits.linear_constraints(t, postures)
    np.testing.assert_array_equal(constraint.times, t[::2])
    for q, normal, offset in zip(near, constraint.normals, constraint.offsets, strict=True):
        assert normal @ q + offset == pytest.approx(distance(q) - 0.01, abs=1e-9)
        step = 1e-5 * normal / np.linalg.norm(normal)
        # the nearest points slide along curved links: their distance follows the normal to a part
        # in ten
        expected = pytest.approx(1e-5 * np.linalg.norm(normal), rel=0.1)
        assert distance(q + step) - distance(q) == expected
    assert limits.linear_constraints(t[1::2], rest) == []


def test_constraints_between_two_links_that_move():
    """The normal is the difference of how both links move, where neither stands still."""
    robot = irb.load("irb2400", tool="spindle")
    limits, fixed = MotionLimits(robot, Bounds()), {"base_link", "", "link_1"}
    q = next(
        q
        for q in near_postures(limits, 0.002, 0.045, distances(robot))
        if not fixed & set(irb.clearance(robot, q).links)
    )
    (constraint,) = limits.linear_constraints(np.array([1.0]), q[None])
    normal = constraint.normals[0]
    step = 1e-5 * normal / np.linalg.norm(normal)
    change = irb.clearance(robot, q + step).distance - irb.clearance(robot, q).distance
    # nearest points slide, as above
    assert change == pytest.approx(1e-5 * np.linalg.norm(normal), rel=0.1)


def test_room_beyond_constraints():
    """Room is what is left of the share that may be used, and how far a motion is beyond each obstacle;
    its slopes are differences.
    """
    problem, x = made("irb930", Fourier(3, 3.0))
    rng = np.random.default_rng(3)
    obstacle = LinearConstraints(
        np.array([0.4, 1.7, 2.2]), rng.normal(size=(3, 4)), rng.normal(size=3)
    )
    room = problem.constraints(x, [obstacle])
    beyond = [
        normal @ problem.family.trajectory(x).at([t]).q[0] + offset
        for t, normal, offset in zip(*obstacle, strict=True)
    ]
    np.testing.assert_allclose(room[-3:], beyond, atol=1e-9)
    top = np.concatenate(
        [
            np.abs(one.values).max(axis=0)
            for one in problem.limits.shares(*problem.states(x, problem.coarse))
        ]
    )
    assert (room[:-3] <= 0.99 - top).all()
    slopes, d = problem.constraint_jacobian(x, [obstacle]), rng.normal(size=x.shape)
    np.testing.assert_allclose(
        (slopes * d).sum(axis=(1, 2))[-3:],
        along(lambda x: problem.constraints(x, [obstacle]), x, d)[-3:],
        rtol=1e-6,
    )


def test_constraints_keep_a_tool_inside():
    """Beyond one the tool stays 1 % of half the box away from its side; it follows the extent of
    the tool.
    """
    robot = irb.load("irb2400", tool="spindle")
    limits, rest = MotionLimits(robot, Bounds(collision=False, box=BOX)), np.zeros((1, 6))

    def room(q):
        return 0.99 - limits.largest_shares(q[None], rest, rest)["box"].max()

    for q in islice(near_postures(limits, 0.002, 0.045, room), 5):
        constraints = limits.linear_constraints(np.array([3.0]), q[None])
        nearest = min(constraints, key=lambda one: one.normals[0] @ q + one.offsets[0])
        beyond = nearest.normals[0] @ q + nearest.offsets[0]
        assert beyond == pytest.approx(room(q) - 0.01, abs=1e-9)
        assert nearest.times.tolist() == [3.0]
        moved = 1e-5 * np.random.default_rng(1).normal(size=6)
        # curvature of a metre: 1e-10
        assert nearest.normals[0] @ moved == pytest.approx(room(q + moved) - room(q), abs=1e-8)


def test_few_samples_stand_for_a_run():
    """Of samples in a row that are near, six and the nearest are chosen, both ends among them;
    single ones are too.
    """
    room = np.ones(60)
    room[10:41] = 0.04
    room[23], room[50], room[59] = 0.001, 0.049, 0.051
    assert _critical_samples(room).tolist() == [10, 16, 22, 23, 28, 34, 40, 50]
    assert _critical_samples(np.ones(4)).tolist() == []


def test_clear_is_apart_and_inside():
    """A posture is clear where its links are a millimetre apart and its tool is in the box; one of
    many is enough to be not.
    """
    robot = irb.load("irb1600")
    limits, distance = MotionLimits(robot, Bounds()), distances(robot)
    # towards contact along one line, to where links are 0.5 mm and 2 mm apart
    far, touching = limits.middle, next(near_postures(limits, -1.0, -0.01, distance))
    shares = np.linspace(0.0, 1.0, 201)
    gaps = np.array([distance(far + share * (touching - far)) for share in shares])
    for gap, clear in ((0.0005, False), (0.002, True)):
        first = int(np.argmax(gaps < gap))
        share = brentq(
            lambda share: distance(far + share * (touching - far)) - gap,
            *shares[[first - 1, first]],
        )
        q = far + share * (touching - far)
        assert distance(q) == pytest.approx(gap, abs=1e-6)
        assert limits.is_clear(np.array([far, q])) is clear
    assert not limits.is_clear(np.array([far, touching, far]))
    arm = irb.load("irb2400", tool="spindle")
    boxed = MotionLimits(arm, Bounds(collision=False, box=BOX))
    rest = np.zeros((1, 6))
    out = next(
        near_postures(
            boxed,
            -1.0,
            -0.01,
            lambda q: 0.99 - boxed.largest_shares(q[None], rest, rest)["box"].max(),
        )
    )
    assert boxed.is_clear(boxed.middle[None])
    assert not boxed.is_clear(np.array([boxed.middle, out]))


@pytest.mark.parametrize("speed", [3.0, 1e6], ids=["slow", "fast"])
@pytest.mark.parametrize("family", [Fourier(4, 5.0), Freudenstein(3, 5.0)], ids=["series", "moves"])
def test_parameter_bounds_hold_every_motion(family, speed):
    """No motion within ranges and speeds has parameters beyond the bounds, by linear programming;
    the bounds are not far off.
    """
    low, high = np.array([-1.0]), np.array([2.0])
    maps = family.maps(np.linspace(0.0, 5.0, 401))
    rows = np.vstack([maps.q, -maps.q, maps.v, -maps.v])
    sides = np.concatenate([np.full(401, high[0]), np.full(401, -low[0]), np.full(802, speed)])
    shares = []
    for sign, bounds in zip(
        (-1.0, 1.0), family.parameter_bounds(low, high, np.array([speed])), strict=True
    ):
        for i, bound in enumerate(bounds[:, 0]):
            actual = linprog(
                -sign * np.eye(family.size)[i], A_ub=rows, b_ub=sides, bounds=(None, None)
            )
            assert actual.status == 0
            shares.append(actual.x[i] / bound)
    assert max(shares) <= 1.0 + 1e-5  # HiGHS keeps each row to 1e-7 of numbers that reach 1e6
    assert min(shares[0], shares[1]) > 0.7


def test_a_motion_through_a_link_grows_again():
    """A move through a link is made smaller until it is clear, and then tells more again along
    what it comes near to.
    """
    problem, _ = made("irb140", Freudenstein(1, 2.0), collision=True)
    robot, fine = problem.limits.robot, problem.fine
    x = problem.random_start(np.random.default_rng(1))
    assert irb.collides(robot, fine.q @ x).any()
    conditions = []
    small = problem.shrink_to_limits(x)
    grown = remove_collisions(problem, x, 60, "condition", conditions.append)
    assert problem.value(grown, "condition") < 0.5 * problem.value(small, "condition")
    assert len(conditions) > 10
    for motion in (small, grown):
        assert not irb.collides(robot, fine.q @ motion).any()
        assert min(irb.clearance(robot, q).distance for q in fine.q @ motion) >= 0.001
        shares = problem.limits.largest_shares(*problem.states(motion, fine))
        assert max(share.max() for share in shares.values()) <= 0.99 + 1e-8
    conditions.clear()
    # a clear motion stays
    again = remove_collisions(problem, small, 60, "condition", conditions.append)
    np.testing.assert_allclose(again, small, atol=1e-9)
    assert conditions == []
