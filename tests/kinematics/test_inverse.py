"""All solutions close, none is lost or missing; printed and golden rows; the same sets as a
peer.
"""

import json
from pathlib import Path

import numpy as np
import oracles
import pytest
from inverse_cases import (
    CLOSE,
    EPS,
    SAME,
    apart,
    arm,
    forward,
    least_sine,
    postures,
    ranges_kept,
    same_sets,
)

import irbmodels as irb

DATA = Path(__file__).resolve().parents[1] / "data"
PRINTED = 5e-4  # S003 prints four decimals, and its inputs too


@pytest.mark.parametrize("name", oracles.NAMES)
def test_every_solution_closes_and_none_is_lost(name):
    """For 20 000 random postures all solutions lead back to the pose, the posture is among them, and
    in_range is right.
    """
    robot, Q = arm(name), postures(name, 20_000)
    T = forward(name, Q)
    solutions = robot.inverse_kinematics(T)
    assert solutions.q.shape == ((20_000, 8, 6) if robot.n == 6 else (20_000, 2, 4))
    assert not solutions.missing.any()
    assert np.array_equal(np.isnan(solutions.q).any(axis=-1), ~solutions.valid)
    pose, slot = np.nonzero(solutions.valid)
    for part in np.array_split(np.arange(pose.size), 8):
        there = forward(name, solutions.q[pose[part], slot[part]])
        assert np.abs(there - T[pose[part]]).max() < CLOSE
    nearest = np.nanmin(apart(name, solutions.q, Q[:, None]), axis=1)
    assert (nearest * least_sine(name, Q)).max() < EPS
    kept = ranges_kept(name, solutions.q)
    assert np.array_equal(solutions.in_range, kept & solutions.valid)
    assert kept.any(axis=1).all()


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_filtered_solutions_are_those_in_range(name):
    """in_range leaves what keeps every range, and takes nothing else away; one pose and arrays
    alike.
    """
    robot, Q = arm(name), postures(name, 60, seed=1)
    T = forward(name, Q)
    every, inside = robot.inverse_kinematics(T), robot.inverse_kinematics(T, in_range=True)
    assert np.array_equal(inside.valid, every.valid & ranges_kept(name, every.q))
    for pose, q, all_q, kept in zip(T, inside.q, every.q, inside.valid, strict=True):
        one, whole = robot.inverse_kinematics(pose, in_range=True), robot.inverse_kinematics(pose)
        assert np.abs(one.q - q[kept]).max() < 1e-12
        assert all(solution.in_range for solution in one)
        assert len(whole) == np.isfinite(all_q[:, 0]).sum()


def led(name, T, Q):
    """Lead positions (N, n) to poses (N, 4, 4) by Levenberg and Marquardt with numerical slopes;
    also what is left.
    """

    def off(q):
        return (forward(name, q) - T)[:, :3].reshape(len(q), -1)

    n, damping = Q.shape[1], np.full(len(Q), 1e-2)
    left = off(Q)
    for _ in range(60):
        J = np.stack([(off(Q + 1e-7 * e) - off(Q - 1e-7 * e)) / 2e-7 for e in np.eye(n)], axis=-1)
        normal = np.swapaxes(J, 1, 2) @ J + damping[:, None, None] * np.eye(n)
        tried = Q - np.linalg.solve(normal, np.swapaxes(J, 1, 2) @ left[..., None])[..., 0]
        after = off(tried)
        better = (after**2).sum(axis=1) < (left**2).sum(axis=1)
        Q, left = np.where(better[:, None], tried, Q), np.where(better[:, None], after, left)
        damping = np.where(better, damping / 5.0, np.minimum(damping * 4.0, 1e3))
    return Q, np.abs(left).max(axis=1)


@pytest.mark.parametrize("name", [*SAME, "irb930_12_105"])
def test_none_is_missing(name):
    """For 80 poses, whatever a search from 24 random starts finds is among the solutions, and it
    finds nearly all of them.
    """
    robot, rng, starts = arm(name), np.random.default_rng(3), 24
    T = forward(name, postures(name, 80, seed=4))
    ours = robot.inverse_kinematics(T)
    Q, left = led(
        name, np.repeat(T, starts, axis=0), rng.uniform(-np.pi, np.pi, (80 * starts, robot.n))
    )
    ended, pose = left < 1e-11, np.repeat(np.arange(80), starts)
    assert ended.mean() > 0.5
    # one row each, a column for each branch
    table = apart(name, ours.q[pose[ended]], Q[ended][:, None])
    assert np.nanmin(table, axis=1).max() < 1e-6
    seen = np.zeros(ours.valid.shape, dtype=bool)
    seen[pose[ended], np.nanargmin(table, axis=1)] = True
    assert seen.sum() > 0.9 * ours.valid.sum()


@pytest.mark.parametrize("name", SAME)
def test_same_sets_as_py_opw(name):
    """py-opw-kinematics on the serial angles (r3 = q3 - q2) finds the same postures."""
    opw = pytest.importorskip("py_opw_kinematics")
    from scipy.spatial.transform import RigidTransform

    d1, a1, a2, a3, d4, d6 = oracles.DIMENSIONS[name]
    lengths = {"a1": a1, "a2": -a3, "b": 0.0, "c1": d1, "c2": a2, "c3": d4, "c4": d6}
    peer = opw.Robot(
        opw.KinematicModel(**lengths, offsets=(0, 0, -np.pi / 2, 0, 0, 0)), degrees=False
    )
    robot = irb.load(name)
    for q in postures(name, 100, seed=5):
        T = robot.pose(q).homogeneous
        theirs = np.array(peer.inverse(RigidTransform.from_matrix(T)))
        if name in oracles.PARALLELOGRAM:
            theirs[:, 2] += theirs[:, 1]
        assert same_sets(name, robot.inverse_kinematics(T).q, theirs, 1e-8)


def test_printed_rows_of_s003_in_their_order():
    """ikin1 and ikin2 of the IRB 1400: four arms, and two wrists of the first, as printed."""
    printed = json.loads((DATA / "irb1400.json").read_text())["irb1400"]["printed"]
    robot, R = irb.load("irb1400"), np.array(printed["ikin2"]["R"])
    u, _, v = np.linalg.svd(R)  # printed with four decimals
    T = np.eye(4)
    T[:3, :3] = u @ v
    T[:3, 3] = np.array(printed["ikin1"]["pwcp"]) + 0.085 * T[:3, 2]
    solutions = robot.inverse_kinematics(T[None])
    assert solutions.valid.all()
    phi = solutions.q[0]
    theta = np.column_stack(
        [
            phi[:, 0],
            phi[:, 1] - np.pi / 2,
            phi[:, 2] - phi[:, 1],
            phi[:, 3],
            phi[:, 4],
            phi[:, 5] + np.pi,
        ]
    )
    assert (apart("irb1400", theta[::2, :3], np.array(printed["ikin1"]["rows"])) < PRINTED).all()
    assert (apart("irb1400", theta[:2, 3:], np.array(printed["ikin2"]["rows"])) < PRINTED).all()


def test_golden_postures():
    """The sets of the golden files: IRB 1400 in controller axes, the SCARA of S004; poses of the
    others lead back.
    """
    golden = json.loads((DATA / "irb1400.json").read_text())["irb1400"]
    robot = irb.load("irb1400")
    for row in golden["kinematics"]:
        assert same_sets(
            "irb1400", robot.inverse_kinematics(nearest_rigid(row["T"])).q, row["ik_phi"], 1e-6
        )
    robot = irb.load("irb930_12_105")
    for row in json.loads((DATA / "irb930.json").read_text())["irb930"]["configs"]:
        # S004 counts axis 3 down
        T, theirs = nearest_rigid(row["T"]), np.array(row["ik"]) * [1, 1, -1, 1]
        T[2, 3] += 0.272 + 0.1235 + 0.1687 + 0.1  # base height, and S004's d4
        assert same_sets("irb930_12_105", robot.inverse_kinematics(T).q, theirs, 1e-7)
    robot = irb.load("irb2400", tool="spindle")
    for row in json.loads((DATA / "irb2400.json").read_text())["configs"]:
        solutions = robot.inverse_kinematics(nearest_rigid(row["T_tcp"]), near=row["q"])
        # nearer to the wrist singularity twelve digits do not tell axis 4
        if abs(np.sin(row["q"][4])) > 1e-5:
            assert apart("irb2400_16", solutions[0].q, np.array(row["q"])) < 1e-6
        assert np.abs(robot.pose(solutions.q) - nearest_rigid(row["T_tcp"])).max() < CLOSE
    robot = irb.load("irb1600_6_120")
    for row in json.loads((DATA / "irb1600.json").read_text())["irb1600"]["configs"]:
        assert (
            apart(
                "irb1600", robot.inverse_kinematics(nearest_rigid(row["T"])).q, np.array(row["q"])
            ).min()
            < 1e-6
        )


def nearest_rigid(rows):
    """Return a printed pose with an exact rotation; golden numbers have twelve digits."""
    T = np.array(rows, dtype=float)
    u, _, v = np.linalg.svd(T[:3, :3])
    T[:3, :3] = u @ v
    return T
