import numpy as np
import pytest
from scipy.optimize import linprog

import irbmodels as irb
from irbmodels.identification.excitation import Bounds
from irbmodels.identification.excitation.bounds import SHARPNESS, Cuts, Limiting, _nearest
from irbmodels.identification.excitation.parametrizations import Fourier, Freudenstein
from irbmodels.identification.excitation.problem import Task
from irbmodels.identification.excitation.regressor import (
    BaseRegressor,
    condition,
    condition_slope,
    information_slope,
    log_det,
)
from irbmodels.identification.excitation.search import POWERS, freed, solved
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.tasks.path_check import Box

BOX = Box((-0.5, -1.5, 0.1), (1.9, 1.5, 2.6))


def made(name, family, friction=False, **bounds):
    """A task and a motion of it, drawn up to the first limit."""
    robot = irb.load(name)
    base = base_parameters(robot, friction=friction)
    limiting = Limiting(robot, Bounds(collision=False, **bounds))
    task = Task(family, base, BaseRegressor(robot, base), limiting, limiting.middle)
    return task, task.start(np.random.default_rng(5))


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
    task, x = made(name, family, **bounds)
    rng = np.random.default_rng(6)
    for smooth in (
        lambda Y: condition_slope(Y, 2.0),
        lambda Y: condition_slope(Y, 16.0),
        lambda Y: information_slope(Y, 1.0),
    ):
        _, slope = task.objective(x, smooth)
        for _ in range(3):
            d = rng.normal(size=x.shape)
            # differences of step 1e-6 leave 1e-10 of rounding and 1e-12 of curvature, times
            # condition
            assert (slope * d).sum() == pytest.approx(
                along(lambda x: task.objective(x, smooth)[0], x, d), rel=1e-5, abs=1e-6
            )
    slopes = task.room_slope(x)
    for _ in range(3):
        d = rng.normal(size=x.shape)
        np.testing.assert_allclose(
            (slopes * d).sum(axis=(1, 2)), along(task.room, x, d), rtol=2e-5, atol=2e-6
        )


def test_gradient_with_friction():
    """With friction among the parameters the gradient is still exact, where no speed changes its
    sign.
    """
    task, x = made("irb2400", Fourier(3, 5.0), friction=True)
    assert task.base.rank > 36
    d = np.random.default_rng(1).normal(size=x.shape)
    _, slope = task.objective(x, lambda Y: condition_slope(Y, 4.0))
    difference = along(
        lambda x: task.objective(x, lambda Y: condition_slope(Y, 4.0))[0], x, d, 1e-8
    )
    # step 1e-8 leaves 1e-8 of rounding
    assert (slope * d).sum() == pytest.approx(difference, rel=1e-3, abs=1e-4)


def test_smooth_condition_closes_in():
    """The smooth condition number lies above the true one, by less than the rank's logarithm by the
    power.
    """
    Y = np.random.default_rng(0).normal(size=(200, 12)) * np.geomspace(1.0, 100.0, 12)
    true = np.log(np.linalg.cond(Y / np.linalg.norm(Y, axis=0)))
    assert np.log(condition(Y)) == pytest.approx(true, rel=1e-12)
    gaps = [condition_slope(Y, power).value - true for power in (2.0, 8.0, 32.0)]
    assert 0.0 < gaps[2] < gaps[1] < gaps[0]
    assert all(gap < np.log(12) / power for gap, power in zip(gaps, (2.0, 8.0, 32.0), strict=True))


def test_information_is_the_determinant():
    """The other criterion is the determinant's logarithm per parameter, and the one per sample
    differs by a constant.
    """
    Y = np.random.default_rng(0).normal(size=(200, 12)) * np.geomspace(1.0, 100.0, 12)
    sign, whole = np.linalg.slogdet(Y.T @ Y)
    assert sign == 1.0
    assert information_slope(Y, 1.0).value == pytest.approx(-whole / 12, rel=1e-12)
    assert log_det(Y, 50) == pytest.approx(whole - 12 * np.log(50), rel=1e-12)


def test_a_lost_parameter_is_infinite():
    """Where a column is a sum of others the condition number is infinite, and the search still gets
    numbers.
    """
    Y = np.random.default_rng(0).normal(size=(60, 5))
    Y[:, 3] = Y[:, 0] - Y[:, 1]
    assert condition(Y) > 1e14
    found = condition_slope(Y, 8.0)
    assert np.isfinite(found.value)
    assert np.isfinite(found.gradient).all()


@pytest.mark.parametrize("family", [Fourier(4, 3.0), Freudenstein(3, 4.5)], ids=["waves", "moves"])
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
    np.testing.assert_allclose(maps.q @ family.still(q), np.tile(q, (41, 1)), atol=1e-12)
    assert np.abs(maps.v @ family.still(q)).max() < 1e-12


def test_draws_are_normal():
    """Draws are N(0, 1), and do not move the rest of a series."""
    x = Fourier(5, 3.0).drawn(np.random.default_rng(0), 2000)
    assert np.abs(x[0]).max() == 0.0
    assert x[1:].std() == pytest.approx(1.0, abs=0.02)  # of 14 000 draws
    assert Freudenstein(4, 3.0).drawn(np.random.default_rng(0), 2000).std() == pytest.approx(
        1.0, abs=0.02
    )


def test_shares_are_those_of_the_limits():
    """At the ends of range, speed, acceleration, torque and box the shares are 1, for the coupled
    range too.
    """
    robot = irb.load("irb2400", tool="spindle")
    limits, acceleration = robot.limits, np.arange(5.0, 11.0)
    limiting = Limiting(robot, Bounds(collision=False, acceleration=acceleration, box=BOX))
    np.testing.assert_allclose(
        limits.A @ limiting.middle, 0.5 * (limits.lower + limits.upper), atol=1e-12
    )
    rng = np.random.default_rng(2)
    up = rng.random((40, 6)) < 0.5
    q = np.linalg.solve(limits.A, np.where(up, limits.upper, limits.lower).T).T
    v, a = rng.choice([-1.0, 1.0], (2, 40, 6)) * [[limits.velocity], [acceleration]]
    by = {one.kind: one.values for one in limiting.shares(q, v, a)}
    assert list(by) == ["range", "speed", "acceleration", "torque", "box"]
    np.testing.assert_allclose(by["range"], np.where(up, 1.0, -1.0), atol=1e-12)
    np.testing.assert_allclose(by["speed"] * limits.velocity, v)
    np.testing.assert_allclose(by["acceleration"] * acceleration, a)
    inside = 0.4 * q
    tau = np.array([robot.inverse_dynamics(*state) for state in zip(inside, v, a, strict=True)])
    shares = {one.kind: one.values for one in limiting.shares(inside, v, a, slopes=False)}
    np.testing.assert_allclose(shares["torque"] * limits.effort, tau, atol=1e-9 * np.abs(tau).max())
    place = np.array([robot.pose(state).translation for state in inside])
    low, high = np.array(BOX.lower), np.array(BOX.upper)
    np.testing.assert_allclose(low + 0.5 * (shares["box"] + 1.0) * (high - low), place, atol=1e-9)
    # the tool reaches farther
    assert (limiting.worst(inside, v, a)["box"] >= np.abs(shares["box"]).max(axis=0)).all()


def test_smooth_maximum_is_just_above():
    """The smooth maximum of a share is above the true one, by at most log(2 N) over its sharpness;
    weights are its slopes.
    """
    task, x = made("irb930", Fourier(3, 3.0))
    for one in task.limiting.shares(*task.states(x, task.coarse)):
        top, weights = one.largest()
        gap = top - np.abs(one.values).max(axis=0)
        assert (gap > 0.0).all()
        assert (gap <= np.log(2 * len(one.values)) / SHARPNESS + 1e-12).all()
        assert (np.abs(weights).sum(axis=0) <= 1.0 + 1e-12).all()


def near_postures(limiting, count, low, high, room):
    """Random postures whose room, as told by a function, lies between two values."""
    limits = limiting.robot.limits
    postures = np.random.default_rng(0).uniform(
        0.9 * limits.lower, 0.9 * limits.upper, (400, limits.lower.size)
    )
    return np.array([q for q in postures if low < room(q) < high][:count])


def test_cuts_keep_links_apart():
    """Beyond a cut the nearest links are 10 mm apart to first order; samples far from contact have
    none.
    """
    robot = irb.load("irb1600")
    limiting = Limiting(robot, Bounds())
    near = near_postures(limiting, 4, 0.002, 0.045, lambda q: irb.clearance(robot, q).distance)
    assert len(near) == 4
    rest = np.tile(limiting.middle, (4, 1))
    postures, t = np.stack([near, rest], axis=1).reshape(8, 6), np.arange(8.0)
    (cut,) = limiting.cuts(t, postures)
    np.testing.assert_array_equal(cut.times, t[::2])
    for q, normal, offset in zip(near, cut.normals, cut.offsets, strict=True):
        before = irb.clearance(robot, q).distance
        assert normal @ q + offset == pytest.approx(before - 0.01, abs=1e-9)
        step = 1e-5 * normal / np.linalg.norm(normal)
        # the nearest points slide along curved links: their distance follows the normal to a part
        # in ten
        assert irb.clearance(robot, q + step).distance - before == pytest.approx(
            1e-5 * np.linalg.norm(normal), rel=0.1
        )
    assert limiting.cuts(t[1::2], rest) == []


def test_cuts_between_two_links_that_move():
    """The normal of a cut is the difference of how both links move, where neither stands still."""
    robot = irb.load("irb2400", tool="spindle")
    limiting, still = Limiting(robot, Bounds()), {"base_link", ""}
    near = near_postures(limiting, 400, 0.002, 0.045, lambda q: irb.clearance(robot, q).distance)
    q = next(
        q
        for q in near
        if not still & set(irb.clearance(robot, q).links)
        and "link_1" not in irb.clearance(robot, q).links
    )
    (cut,) = limiting.cuts(np.array([1.0]), q[None])
    step = 1e-5 * cut.normals[0] / np.linalg.norm(cut.normals[0])
    change = irb.clearance(robot, q + step).distance - irb.clearance(robot, q).distance
    # nearest points slide, as above
    assert change == pytest.approx(1e-5 * np.linalg.norm(cut.normals[0]), rel=0.1)


def test_room_beyond_cuts():
    """Room is what is left of the share that may be used, and how far a motion is beyond each cut;
    its slopes are differences.
    """
    task, x = made("irb930", Fourier(3, 3.0))
    rng = np.random.default_rng(3)
    cut = Cuts(np.array([0.4, 1.7, 2.2]), rng.normal(size=(3, 4)), rng.normal(size=3))
    room = task.room(x, [cut])
    beyond = [
        normal @ task.family.trajectory(x).at([t]).q[0] + offset
        for t, normal, offset in zip(*cut, strict=True)
    ]
    np.testing.assert_allclose(room[-3:], beyond, atol=1e-9)
    top = np.concatenate(
        [
            np.abs(one.values).max(axis=0)
            for one in task.limiting.shares(*task.states(x, task.coarse))
        ]
    )
    assert (room[:-3] <= 0.99 - top).all()
    slopes, d = task.room_slope(x, [cut]), rng.normal(size=x.shape)
    np.testing.assert_allclose(
        (slopes * d).sum(axis=(1, 2))[-3:],
        along(lambda x: task.room(x, [cut]), x, d)[-3:],
        rtol=1e-6,
    )


def test_cuts_keep_a_tool_inside():
    """Beyond a cut the tool stays 1 % of half the box away from its side, and the cut follows how
    far the tool reaches.
    """
    robot = irb.load("irb2400", tool="spindle")
    limiting = Limiting(robot, Bounds(collision=False, box=BOX))

    def room(q):
        return 0.99 - limiting.worst(q[None], np.zeros((1, 6)), np.zeros((1, 6)))["box"].max()

    for q in near_postures(limiting, 5, 0.002, 0.045, room):
        cuts = limiting.cuts(np.array([3.0]), q[None])
        beyond = [float(cut.normals[0] @ q + cut.offsets[0]) for cut in cuts]
        assert min(beyond) == pytest.approx(room(q) - 0.01, abs=1e-9)
        cut = cuts[int(np.argmin(beyond))]
        assert cut.times.tolist() == [3.0]
        moved = 1e-5 * np.random.default_rng(1).normal(size=6)
        # curvature of a metre: 1e-10
        assert cut.normals[0] @ moved == pytest.approx(room(q + moved) - room(q), abs=1e-8)


def test_few_samples_speak_for_a_stretch():
    """Of samples in a row that are near, six and the nearest are chosen, both ends among them;
    single ones are too.
    """
    room = np.ones(60)
    room[10:41] = 0.04
    room[23], room[50], room[59] = 0.001, 0.049, 0.051
    chosen = _nearest(room)
    assert chosen.tolist() == [10, 16, 22, 23, 28, 34, 40, 50]
    assert _nearest(np.ones(4)).tolist() == []


def test_free_is_apart_and_inside():
    """A posture is free where its links are a millimetre apart and its tool is in the box; one of
    many is enough to be not.
    """
    robot = irb.load("irb1600")
    limiting = Limiting(robot, Bounds())
    # towards contact along one line, to where links are 0.5 mm and 2 mm apart
    far, touching = (
        limiting.middle,
        near_postures(limiting, 1, -1.0, -0.01, lambda q: irb.clearance(robot, q).distance)[0],
    )
    for gap, free in ((0.0005, False), (0.002, True)):
        share = np.array(
            [
                irb.clearance(robot, far + s * (touching - far)).distance
                for s in np.linspace(0.0, 1.0, 201)
            ]
        )
        low = (int(np.argmax(share < gap)) - 1) / 200.0
        high = low + 1.0 / 200.0
        for _ in range(40):
            middle = 0.5 * (low + high)
            inside = irb.clearance(robot, far + middle * (touching - far)).distance > gap
            low, high = (middle, high) if inside else (low, middle)
        q = far + low * (touching - far)
        assert irb.clearance(robot, q).distance == pytest.approx(gap, abs=1e-6)
        assert limiting.free(np.array([far, q])) is free
    assert not limiting.free(np.array([far, touching, far]))
    arm = irb.load("irb2400", tool="spindle")
    boxed = Limiting(arm, Bounds(collision=False, box=BOX))
    out = near_postures(
        boxed, 1, -1.0, -0.01, lambda q: 0.99 - np.abs(boxed._reach(q[None])).max()
    )[0]
    assert boxed.free(boxed.middle[None])
    assert not boxed.free(np.array([boxed.middle, out]))


@pytest.mark.parametrize("speed", [3.0, 1e6], ids=["slow", "fast"])
@pytest.mark.parametrize("family", [Fourier(4, 5.0), Freudenstein(3, 5.0)], ids=["series", "moves"])
def test_reach_holds_every_motion(family, speed):
    """No motion within ranges and speeds has parameters beyond the bounds, by linear programming;
    the bounds are not far off.
    """
    low, high = np.array([-1.0]), np.array([2.0])
    maps = family.maps(np.linspace(0.0, 5.0, 401))
    rows = np.vstack([maps.q, -maps.q, maps.v, -maps.v])
    sides = np.concatenate([np.full(401, high[0]), np.full(401, -low[0]), np.full(802, speed)])
    shares = []
    for sign, bounds in zip((-1.0, 1.0), family.reach(low, high, np.array([speed])), strict=True):
        for i, bound in enumerate(bounds[:, 0]):
            found = linprog(
                -sign * np.eye(family.size)[i], A_ub=rows, b_ub=sides, bounds=(None, None)
            )
            assert found.status == 0
            shares.append(found.x[i] / bound)
    assert max(shares) <= 1.0 + 1e-5  # HiGHS keeps each row to 1e-7 of numbers that reach 1e6
    assert min(shares[0], shares[1]) > 0.7


def test_a_motion_through_a_link_grows_again():
    """A move that runs through a link is made smaller until it is free, and then tells more again
    along what it comes near to.
    """
    robot = irb.load("irb1600")
    base, limiting = base_parameters(robot), Limiting(robot, Bounds())
    task, told = (
        Task(Freudenstein(1, 3.0), base, BaseRegressor(robot, base), limiting, limiting.middle),
        [],
    )
    rng = np.random.default_rng([2, 2])
    x = min((task.start(rng) for _ in range(5)), key=lambda x: task.value(x, "condition"))
    for power in POWERS:
        x = solved(task, x, power, 60, "condition", lambda _: None)
    assert irb.collides(robot, task.fine.q @ x).any()
    small, grown = task.kept(x), freed(task, x, 60, "condition", told.append)
    assert task.value(grown, "condition") < 0.5 * task.value(small, "condition")
    for motion in (small, grown):
        assert not irb.collides(robot, task.fine.q @ motion).any()
        assert min(irb.clearance(robot, q).distance for q in task.fine.q @ motion) >= 0.001
        assert (
            max(share.max() for share in limiting.worst(*task.states(motion, task.fine)).values())
            <= 0.99 + 1e-8
        )
    assert len(told) > 10
    told.clear()
    # what is free already stays
    np.testing.assert_allclose(freed(task, small, 60, "condition", told.append), small, atol=1e-9)
    assert told == []
