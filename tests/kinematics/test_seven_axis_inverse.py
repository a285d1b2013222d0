"""Postures of the IRB 14000's arms at a position of axis 7."""

import numpy as np
import pytest

import irbmodels as irb

ARMS = ("irb14000_left", "irb14000_right")
CHAIN = [0, 1, 6, 2, 3, 4, 5]  # axes 1, 2, 7, 3, 4, 5, 6: from base to flange
# standard DH of the arm along the chain (a, d [m], alpha, theta [deg]), from arm_base, by M. Asgari et
# al., Mechanism and Machine Theory 205 (2025) 105884, with axis 1 turned as the left arm's home has it
ROWS = (
    (-0.030, 0.166, -90, -41.2), (0.030, 0.0, 90, 0), (0.0405, 0.2515, -90, 0),
    (0.0405, 0.0, -90, -90), (0.027, 0.265, -90, 180), (-0.027, 0.0, 90, 0), (0.0, 0.036, 0, 0),
)  # fmt: skip


def flange(q):
    """Return poses ``(K, 4, 4)`` of the left flange in arm_base, for axes 1 to 7 ``(K, 7)``."""
    pose = np.broadcast_to(np.eye(4), (len(q), 4, 4))
    for (a, d, alpha, theta), angle in zip(ROWS, q[:, CHAIN].T, strict=True):
        c, s = np.cos(angle + np.radians(theta)), np.sin(angle + np.radians(theta))
        ca, sa, one, zero = np.cos(np.radians(alpha)), np.sin(np.radians(alpha)), 1 + 0 * c, 0 * c
        rows = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s]]
        rows += [[zero, sa * one, ca * one, d * one], [zero, zero, zero, one]]
        pose = pose @ np.moveaxis(np.array(rows), -1, 0)
    return pose


def turned(q):
    """Return angles within half a turn."""
    return (q + np.pi) % (2.0 * np.pi) - np.pi


def distinct(q):
    """Return postures, the first of each that are the same to 1e-5 rad but for full turns."""
    result = []
    for one in q:
        if all(np.abs(turned(one - other)).max() > 1e-5 for other in result):
            result.append(one)
    return np.array(result)


def searched(goal, axis_7, starts, rng):
    """Return the postures of a pose of the flange that Gauss-Newton's method finds from anywhere.

    With Jacobians by differences of the DH product, 60 steps of at most 0.5 rad.
    """
    q = rng.uniform(-np.pi, np.pi, (starts, 7))
    q[:, 6] = axis_7
    for _ in range(60):
        here = flange(q)[:, :3].reshape(starts, 12)
        J = [flange(q + 1e-7 * unit)[:, :3].reshape(starts, 12) - here for unit in np.eye(7)[:6]]
        J = np.stack(J, axis=-1) / 1e-7
        weighted = np.swapaxes(J, 1, 2)
        error = (goal[:3].reshape(12) - here)[..., None]
        step = np.linalg.solve(weighted @ J + 1e-12 * np.eye(6), weighted @ error)[..., 0]
        q[:, :6] += (
            step * np.minimum(1.0, 0.5 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        )
    return distinct(q[np.abs(flange(q) - goal).max(axis=(1, 2)) < 1e-9])


@pytest.mark.parametrize(("name", "anywhere"), [(ARMS[0], False), (ARMS[1], True)])
def test_every_posture_comes_back(name, anywhere):
    """One of 300 in and out of range is not missed, none is answered twice, all have the pose."""
    robot, rng = irb.load(name), np.random.default_rng(7)
    ends = np.pi * np.ones(7)
    low, high = (-ends, ends) if anywhere else (robot.limits.lower, robot.limits.upper)
    for axis_7 in rng.uniform(low[6], high[6], 6):
        q = rng.uniform(low, high, (50, 7))
        q[:, 6] = axis_7
        poses = robot.pose(q)
        branches = robot.inverse_kinematics(poses, axis_7=axis_7)
        for i in range(len(q)):
            found = branches.q[i][branches.valid[i]]
            assert np.abs(turned(found - q[i])).max(axis=1).min() < 1e-6
            assert len(distinct(found)) == len(found)
            frames = [robot.dh().frames(one)[-1] for one in found]
            assert np.abs(frames - poses[i]).max() < 1e-10
            np.testing.assert_array_equal(
                branches.in_range[i][branches.valid[i]], robot.in_range(found)
            )


@pytest.mark.parametrize("axis_7", [0.0, 1.5707963267948966, -2.3])
def test_none_is_missed_that_a_search_finds(axis_7):
    """Of a pose with axes 2 and 3 parallel, at right angles, and neither: 500 starts."""
    robot, rng = irb.load("irb14000_left"), np.random.default_rng(3)
    q = np.append(rng.uniform(-1.5, 1.5, 6), axis_7)
    wanted = searched(flange(q[None])[0], axis_7, 500, rng)
    found = robot.inverse_kinematics(robot.pose(q), axis_7=axis_7).q
    assert len(wanted) == len(found) >= 4
    for one in wanted:
        assert np.abs(turned(found - one)).max(axis=1).min() < 1e-6


def test_plane_and_singular_postures():
    """At 0 all axes but 1, 4, 6, 7 are parallel: found, with axis 4 where the seed has it."""
    robot = irb.load("irb14000_left")
    zero = robot.pose(np.zeros(7))
    (first, *_) = robot.inverse_kinematics(zero, axis_7=0.0, near=np.zeros(7))
    np.testing.assert_allclose(first.q, 0.0, atol=1e-9)
    assert first.flags.wrist
    near = np.array([0, 0, 0, 0.4, 0, 0, 0])
    (first, *_) = robot.inverse_kinematics(zero, axis_7=0.0, near=near)
    np.testing.assert_allclose(first.q, [0, 0, 0, 0.4, 0, -0.4, 0], atol=1e-9)
    q = np.radians([60.0, -100.0, 40.0, 0.0, 60.0, -150.0, 0.0])  # axes 2, 3 and 5 parallel
    found = robot.inverse_kinematics(robot.pose(q), axis_7=0.0, in_range=True, near=q)
    np.testing.assert_allclose(found[0].q, q, atol=1e-9)
    # regular, but the eliminant vanishes at its pose but for rounding, which decides what it gives
    q, rng = np.radians([-45, -90, -135, 0, -90, 135, 180]), np.random.default_rng(0)
    poses = np.tile(robot.pose(q).homogeneous, (20, 1, 1))
    poses[:, :3, 3] += 1e-16 * rng.normal(size=(20, 3))
    branches = robot.inverse_kinematics(poses, axis_7=q[6])
    away = np.where(branches.valid[..., None], np.abs(turned(branches.q - q)), 9.0)
    assert away.max(axis=-1).min(axis=-1).max() < 1e-9


def test_one_answer_in_other_words():
    """Tool, mounting, the URDF's order of axes, full turns, and no posture at all."""
    robot = irb.load("irb14000_right", tool="spindle")
    q = robot.from_controller([10, -100, 20, 200, 40, 60, -90])
    here = {"axis_7": q[6], "near": q}
    np.testing.assert_allclose(robot.inverse_kinematics(robot.pose(q), **here)[0].q, q, atol=1e-9)
    every = robot.inverse_kinematics(robot.pose(q), turns=True, in_range=True, **here)
    assert len(every) > len(robot.inverse_kinematics(robot.pose(q), in_range=True, **here))
    np.testing.assert_array_equal(every.q[:, 6], q[6])
    read, bare = irb.from_urdf(irb.urdf_path("irb14000_right")), irb.load("irb14000_right")
    theirs = read.inverse_kinematics(bare.pose(q), axis_7=q[6])
    ours = bare.inverse_kinematics(bare.pose(q), axis_7=q[6])
    np.testing.assert_allclose(theirs.q, ours.q[:, CHAIN], atol=1e-9)
    assert "cf1" not in str(ours)
    away = robot.pose(q).homogeneous.copy()
    away[0, 3] += 3.0
    nowhere = robot.inverse_kinematics(away, axis_7=0.5)
    assert not nowhere
    assert nowhere.note == "out of reach, or not with this orientation, with axis 7 at 28.6479 deg"


REFUSED = (
    ({}, irb.MissingData, "a pose leaves one free: give axis_7"),
    ({"axis_7": "home"}, irb.InputError, "axis 7 must be a finite number, got 'home'"),
    ({"axis_7": np.inf}, irb.InputError, "axis 7 must be a finite number"),
    ({"axis_7": 0.1, "configuration": (0, 0, 0, 4)}, irb.MissingData, "cfx of an arm of seven"),
)


@pytest.mark.parametrize(("asked", "error", "says"), REFUSED)
def test_what_is_refused(asked, error, says):
    """In one line: no axis 7, one that is none, configuration data, robtargets, other arms."""
    robot = irb.load("irb14000_left")
    pose = robot.pose(np.zeros(7))
    with pytest.raises(error, match=says):
        robot.inverse_kinematics(pose, **asked)
    target = "[[0,0,0],[1,0,0,0],[0,0,0,4],[101,9E9,9E9,9E9,9E9,9E9]]"
    with pytest.raises(irb.InputError, match="states its arm angle"):
        robot.inverse_kinematics(target, axis_7=0.1)
    with pytest.raises(irb.MissingData, match="irb120_3_58 is no arm of seven turning axes"):
        irb.load("irb120").inverse_kinematics(pose, axis_7=0.1)
