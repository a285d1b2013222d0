"""Inverse kinematics and configuration data of arms made from data sheets: against lengths typed
apart, a search from many starts, and the definition of cfx by points of the arm.
"""

import arm_facts
import numpy as np
import pytest
from grouped import together
from sheets import write_sheet

import irbmodels as irb

CLOSE = 1e-9  # [m, rad] what is asked of every solution
QUARTER = np.pi / 2.0


def residual(name, q, T):
    """Largest distance [m] and angle [rad] between the poses at q and T, by the typed lengths."""
    found = arm_facts.poses(name, q)
    turn = arm_facts.rotation_vector(found[:, :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2))
    return np.abs(found[:, :3, 3] - T[:, :3, 3]).max(), np.linalg.norm(turn, axis=1).max()


@together("name", arm_facts.LENGTHS)
def test_every_answer_closes_and_the_posture_is_among_them(name):
    """Of postures over all ranges; what moves the pose by less is lost near a singularity."""
    q = arm_facts.positions(name, 1000, seed=1)
    T = arm_facts.poses(name, q)
    branches = irb.load(name).inverse_kinematics(T)
    pose, slot = np.argwhere(branches.valid).T
    assert max(residual(name, branches.q[pose, slot], T[pose])) < CLOSE
    off = np.abs(arm_facts.wrapped(branches.q - q[:, None])).max(axis=-1)
    own = np.where(branches.valid, off, np.inf).argmin(axis=1)
    rows = np.arange(len(q))
    assert off[rows, own].max() < 1e-7
    assert branches.in_range[rows, own].all()


@pytest.mark.parametrize("name", arm_facts.SCARA_ARMS)
def test_every_answer_of_a_scara_closes(name):
    """Both, and the posture is one of them."""
    robot = irb.load(name)
    q = np.random.default_rng(1).uniform(robot.limits.lower, robot.limits.upper, (1000, 4))
    T = robot.pose(q)
    branches = robot.inverse_kinematics(T)
    pose, slot = np.argwhere(branches.valid).T
    assert np.abs(robot.pose(branches.q[pose, slot]) - T[pose]).max() < CLOSE
    off = np.abs(branches.q - q[:, None])
    off[..., [0, 1, 3]] = np.abs(arm_facts.wrapped(off[..., [0, 1, 3]]))
    assert off.max(axis=-1).min(axis=1).max() < 1e-7


def search(lengths, T, starts, steps=40):
    """Chain angles ``(n, 6)`` of the postures for a pose that damped Newton steps from many starts
    find.
    """
    weight = np.repeat([1000.0 / (lengths[2] + lengths[4]), 1.0], 3)  # lengths against angles

    def miss(x):
        R, p, J, _ = arm_facts.chain(lengths, x)
        turn = arm_facts.rotation_vector(T[:3, :3] @ np.swapaxes(R, 1, 2))
        return weight * np.concatenate([T[:3, 3] - p, turn], axis=1), weight[:, None] * J

    x, damping, found = starts.copy(), np.full(len(starts), 1e-2), []
    error, J = miss(x)
    for _ in range(steps):
        transposed = np.swapaxes(J, 1, 2)
        normal = transposed @ J + damping[:, None, None] * np.eye(6)
        step = np.linalg.solve(normal, transposed @ error[..., None])[..., 0]
        step /= np.maximum(1.0, np.abs(step).max(axis=1, keepdims=True))  # at most 1 rad
        tried, tried_J = miss(x + step)
        better = (tried**2).sum(axis=1) < (error**2).sum(axis=1)
        x[better] += step[better]
        error[better], J[better] = tried[better], tried_J[better]
        damping = np.where(better, np.maximum(0.2 * damping, 1e-12), np.minimum(5 * damping, 1e3))
        done = (error**2).sum(axis=1) < 1e-20
        found += list(arm_facts.wrapped(x[done]))
        x, error, J, damping = x[~done], error[~done], J[~done], damping[~done]
        if not len(x):
            break
    return np.array(found).reshape(-1, 6)


def distances(one, other):
    """Largest angle between every row of one and of other, without full turns ``(n, m)``."""
    return np.abs(arm_facts.wrapped(one[:, None] - other[None])).max(axis=-1)


@pytest.mark.parametrize("name", arm_facts.LENGTHS)
def test_a_search_finds_nothing_that_is_missing(name):
    """From 128 starts over full turns; it finds nearly all that the closed form says."""
    q = arm_facts.positions(name, 4, seed=2)
    starts = np.random.default_rng(3).uniform(-np.pi, np.pi, (128, 6))
    robot, known, hit = irb.load(name), 0, 0
    for T in arm_facts.poses(name, q):
        closed = arm_facts.chain_angles(name, robot.inverse_kinematics(T).q)
        apart = distances(search(arm_facts.LENGTHS[name], T, starts), closed)
        assert apart.min(axis=1).max() < 1e-5
        known, hit = known + len(closed), hit + int((apart.min(axis=0) < 1e-5).sum())
    assert hit >= 0.9 * known > 0


MADE = {  # lengths with d3 [mm] of arms that nobody sells; ranges of axes 4 and 6 are several turns
    "aside": (400, 0, 450, 40, 450, 80, 60),
    "elbow_below": (500, 150, 600, -90, 650, 85, 0),
    "both": (600, 120, 500, -150, 700, 100, -110),
}
MADE_RANGES = np.radians([[-170, -150, -220, -400, -125, -750], [170, 150, 130, 400, 120, 750]])


@pytest.mark.parametrize("name", MADE)
def test_arms_of_data_sheets_with_offsets(name, tmp_path):
    """Aside, and elbows on either side: all answers close, none is missing, cfx is that of points,
    and pose and configuration give the posture in its turns.
    """
    robot = irb.load(write_sheet(tmp_path, name, MADE[name], np.degrees(MADE_RANGES).T))
    q = np.random.default_rng(6).uniform(*MADE_RANGES, (200, 6))
    R, p, _, origins = arm_facts.chain(MADE[name], q)
    T = np.tile(np.eye(4), (len(q), 1, 1))
    T[:, :3, :3], T[:, :3, 3] = R, p
    np.testing.assert_allclose(robot.pose(q), T, rtol=0, atol=1e-12)
    starts = np.random.default_rng(7).uniform(-np.pi, np.pi, (128, 6))
    for pose in T[:4]:
        closed = robot.inverse_kinematics(pose).q
        assert distances(search(MADE[name], pose, starts), closed).min(axis=1).max() < 1e-5
    for one, pose, points in zip(q[:60], T, origins, strict=False):
        assert robot.configuration(one)[:4] == configuration(one, points)
        back = robot.inverse_kinematics(pose, configuration=robot.configuration(one))
        assert np.abs(back.q - one).max(axis=1).min() < 1e-7
        assert len(back) == 1
        assert np.abs(robot.pose(back.q[0]).homogeneous - pose).max() < CLOSE


def configuration(q, origins):
    """cf1, cf4, cf6 and cfx of a serial arm by the quarters of its axes, and by points of it."""
    _, shoulder, elbow, _, wrist, _ = origins
    ahead = np.array([np.cos(q[0]), np.sin(q[0]), 0.0])
    beside = np.array([-np.sin(q[0]), np.cos(q[0]), 0.0])
    forward = np.cross(elbow - shoulder, wrist - elbow) @ beside
    cfx = 4 * (wrist @ ahead < 0.0) + 2 * (forward < 0.0) + (q[4] < 0.0)
    return (*np.floor(q[[0, 3, 5]] / QUARTER), cfx)


@together("name", arm_facts.FIRST)
def test_configuration_is_that_of_points_and_quadrants(name):
    """cf1, cf4 and cf6 are quarters of axes 1, 4 and 6, beyond a full turn too. cfx of a serial arm:
    4 for the wrist centre behind axis 1, 2 for it behind the lower arm, 1 for a negative axis 5; of
    one with bars the quarter of axis 2.
    """
    robot, q = irb.load(name), arm_facts.positions(name, 300, seed=4)
    _, _, _, origins = arm_facts.chain(arm_facts.LENGTHS[name], arm_facts.chain_angles(name, q))
    seen = set()
    for one, points in zip(q, origins, strict=True):
        expected = configuration(one, points)
        if name in arm_facts.BARS:
            expected = (*expected[:3], np.floor(one[1] / QUARTER))
        assert robot.configuration(one)[:4] == expected
        seen.add(expected)
    assert len({cfx for *_, cfx in seen}) >= (2 if name in arm_facts.BARS else 6)
    assert max(cf6 for _, _, cf6, _ in seen) >= 3


@pytest.mark.parametrize("name", [*arm_facts.FIRST, "irb910sc_3_55"])
def test_configuration_leads_back_to_the_posture(name):
    """Pose and configuration give the posture in its full turns; of an arm without bars alone."""
    robot = irb.load(name)
    if name in arm_facts.LENGTHS:
        q = arm_facts.positions(name, 30, seed=5)
    else:
        q = np.random.default_rng(5).uniform(robot.limits.lower, robot.limits.upper, (30, 4))
    for one, T in zip(q, robot.pose(q), strict=True):
        configuration = robot.configuration(one)
        back = robot.inverse_kinematics(T, configuration=configuration)
        assert np.abs(back.q - one).max(axis=1).min() < 1e-7
        assert len(back) == 1 or name in arm_facts.BARS
        listed = robot.inverse_kinematics(T, turns=True, in_range=True)
        assert np.abs(listed.q - one).max(axis=1).min() < 1e-7
