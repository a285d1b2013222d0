import numpy as np
import pytest

import irbmodels as irb
from irbmodels.base_parameters import base_parameters
from irbmodels.identification.excitation import Bounds
from irbmodels.identification.excitation.bounds import SHARPNESS, Limiting
from irbmodels.identification.excitation.families import Moves, Waves
from irbmodels.identification.excitation.regressor import BaseRegressor, condition, condition_slope, information_slope, log_det
from irbmodels.identification.excitation.task import Task
from irbmodels.path_check import Box

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
    ("irb1600", Waves(4, 5.0), {}),
    ("irb2400", Moves(3, 4.0), {"acceleration": np.arange(5.0, 11.0), "box": BOX}),
    ("irb1400", Waves(3, 4.0), {"box": BOX}),
    ("irb930", Waves(3, 3.0), {"acceleration": [3.0, 9.0, 1.0, 7.0]}),
]


@pytest.mark.parametrize(("name", "family", "bounds"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_gradients_are_differences(name, family, bounds):
    """Gradients of both criteria, and of the room below every limit, are what central differences say, by each parameter."""
    task, x = made(name, family, **bounds)
    rng = np.random.default_rng(6)
    for smooth in (lambda Y: condition_slope(Y, 2.0), lambda Y: condition_slope(Y, 16.0), lambda Y: information_slope(Y, 1.0)):
        _, slope = task.objective(x, smooth)
        for _ in range(3):
            d = rng.normal(size=x.shape)
            # differences of step 1e-6 leave 1e-10 of rounding and 1e-12 of curvature, times condition
            assert (slope * d).sum() == pytest.approx(along(lambda x: task.objective(x, smooth)[0], x, d), rel=1e-5, abs=1e-6)
    slopes = task.room_slope(x)
    for _ in range(3):
        d = rng.normal(size=x.shape)
        np.testing.assert_allclose((slopes * d).sum(axis=(1, 2)), along(task.room, x, d), rtol=2e-5, atol=2e-6)


def test_gradient_with_friction():
    """With friction among the parameters the gradient is still exact, where no speed changes its sign."""
    task, x = made("irb2400", Waves(3, 5.0), friction=True)
    assert task.base.rank > 36
    d = np.random.default_rng(1).normal(size=x.shape)
    _, slope = task.objective(x, lambda Y: condition_slope(Y, 4.0))
    difference = along(lambda x: task.objective(x, lambda Y: condition_slope(Y, 4.0))[0], x, d, 1e-8)
    assert (slope * d).sum() == pytest.approx(difference, rel=1e-3, abs=1e-4)  # step 1e-8 leaves 1e-8 of rounding


def test_smooth_condition_closes_in():
    """The smooth condition number lies above the true one, by less than the rank's logarithm by the power."""
    Y = np.random.default_rng(0).normal(size=(200, 12)) * np.geomspace(1.0, 100.0, 12)
    true = np.log(np.linalg.cond(Y / np.linalg.norm(Y, axis=0)))
    assert np.log(condition(Y)) == pytest.approx(true, rel=1e-12)
    gaps = [condition_slope(Y, power).value - true for power in (2.0, 8.0, 32.0)]
    assert 0.0 < gaps[2] < gaps[1] < gaps[0]
    assert all(gap < np.log(12) / power for gap, power in zip(gaps, (2.0, 8.0, 32.0), strict=True))


def test_information_is_the_determinant():
    """The other criterion is the determinant's logarithm per parameter, and the one per sample differs by a constant."""
    Y = np.random.default_rng(0).normal(size=(200, 12)) * np.geomspace(1.0, 100.0, 12)
    sign, whole = np.linalg.slogdet(Y.T @ Y)
    assert sign == 1.0
    assert information_slope(Y, 1.0).value == pytest.approx(-whole / 12, rel=1e-12)
    assert log_det(Y, 50) == pytest.approx(whole - 12 * np.log(50), rel=1e-12)


def test_a_lost_parameter_is_infinite():
    """Where a column is a sum of others the condition number is infinite, and the search still gets numbers."""
    Y = np.random.default_rng(0).normal(size=(60, 5))
    Y[:, 3] = Y[:, 0] - Y[:, 1]
    assert condition(Y) > 1e14
    found = condition_slope(Y, 8.0)
    assert np.isfinite(found.value)
    assert np.isfinite(found.gradient).all()


@pytest.mark.parametrize("family", [Waves(4, 3.0), Moves(3, 4.5)], ids=["waves", "moves"])
def test_maps_are_the_trajectory(family):
    """The maps of a family give the states of its trajectory, which are derivatives of each other; standing still stands."""
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
        np.testing.assert_allclose(slope, family.maps(inner)[i + 1], atol=1e-7 * np.abs(maps[i + 1]).max() + 1e-7)
    q = rng.normal(size=2)
    np.testing.assert_allclose(maps.q @ family.still(q), np.tile(q, (41, 1)), atol=1e-12)
    assert np.abs(maps.v @ family.still(q)).max() < 1e-12


def test_draws_are_normal():
    """Draws are N(0, 1), and do not move the rest of a series."""
    x = Waves(5, 3.0).drawn(np.random.default_rng(0), 2000)
    assert np.abs(x[0]).max() == 0.0
    assert x[1:].std() == pytest.approx(1.0, abs=0.02)  # of 14 000 draws
    assert Moves(4, 3.0).drawn(np.random.default_rng(0), 2000).std() == pytest.approx(1.0, abs=0.02)


def test_shares_are_those_of_the_limits():
    """At the ends of range, speed, acceleration, torque and box the shares are 1, for the coupled range too."""
    robot = irb.load("irb2400", tool="spindle")
    limits, acceleration = robot.limits, np.arange(5.0, 11.0)
    limiting = Limiting(robot, Bounds(collision=False, acceleration=acceleration, box=BOX))
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
    assert (limiting.worst(inside, v, a)["box"] >= np.abs(shares["box"]).max(axis=0)).all()  # the tool reaches farther


def test_smooth_maximum_is_just_above():
    """The smooth maximum of a share is above the true one, by at most log(2 N) over its sharpness; weights are its slopes."""
    task, x = made("irb930", Waves(3, 3.0))
    for one in task.limiting.shares(*task.states(x, task.coarse)):
        top, weights = one.largest()
        gap = top - np.abs(one.values).max(axis=0)
        assert (gap > 0.0).all()
        assert (gap <= np.log(2 * len(one.values)) / SHARPNESS + 1e-12).all()
        assert (np.abs(weights).sum(axis=0) <= 1.0 + 1e-12).all()


def test_cuts_push_links_apart():
    """A cut is missed where links touch, and one step along it frees them to first order."""
    robot = irb.load("irb1600")
    limiting = Limiting(robot, Bounds())
    postures = np.random.default_rng(0).uniform(0.9 * robot.limits.lower, 0.9 * robot.limits.upper, (400, 6))
    touching = postures[limiting.touching(postures)][:4]
    assert len(touching) == 4
    (cut,) = limiting.cuts(np.arange(4.0), touching)
    for q, normal, offset in zip(touching, cut.normals, cut.offsets, strict=True):
        before = irb.clearance(robot, q).distance
        assert normal @ q + offset == pytest.approx(max(before - 0.01, -0.04), abs=1e-9)  # 10 mm apart, 40 mm at a time
        step = 1e-5 * normal / np.linalg.norm(normal)
        # the nearest points slide along curved links: their depth follows the normal to a part in ten
        assert irb.clearance(robot, q + step).distance - before == pytest.approx(1e-5 * np.linalg.norm(normal), rel=0.1)


def test_cuts_bring_a_tool_back():
    """A cut of the box is missed where the tool leaves it, and follows how far the tool reaches."""
    robot = irb.load("irb2400", tool="spindle")
    limiting = Limiting(robot, Bounds(collision=False, box=BOX))
    postures = np.random.default_rng(0).uniform(0.5 * robot.limits.lower, 0.5 * robot.limits.upper, (60, 6))
    out = postures[limiting.leaving(postures)][:5]
    cuts = limiting.cuts(np.arange(5.0), out)
    assert len(cuts) == 6
    room = np.array([(cut.normals * out).sum(axis=1) + cut.offsets for cut in cuts])
    worst = np.array([limiting.worst(q[None], np.zeros((1, 6)), np.zeros((1, 6)))["box"].max() for q in out])
    np.testing.assert_allclose(room.min(axis=0), np.maximum(0.99 - 0.01 - worst, -0.04), atol=1e-9)
    cut = cuts[int(np.argmin(room[:, 0]))]  # of the side on which the first one is farthest out
    moved = 1e-5 * np.random.default_rng(1).normal(size=6)
    after = limiting.worst((out[0] + moved)[None], np.zeros((1, 6)), np.zeros((1, 6)))["box"].max()
    assert cut.normals[0] @ moved == pytest.approx(worst[0] - after, abs=1e-8)  # curvature of a metre: 1e-10
