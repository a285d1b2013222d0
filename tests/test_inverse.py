"""Inverse kinematics: every posture, none missing, none lost at a singularity; against formulas, golden numbers and a peer."""

import itertools
import json
import logging
import pickle
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import oracles
import pinocchio as pin
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from own_arms import arm_urdf, urdf, written

import irbmodels as irb
from irbmodels.inverse import branches, machine, solver

DATA = Path(__file__).resolve().parent / "data"
CLOSE = 1e-9  # [m, rad] what is asked of every solution
PRINTED = 5e-4  # S003 prints four decimals, and its inputs too
EPS = 2e-14  # rounding of a pose with lengths of some metres; over the sine of an angle it is what a posture can be off
TOOLS = {"irb2400_16": oracles.SPINDLE_TCP}
SAME = ("irb2400_16", "irb1400", "irb1600_6_120", "irb1600_10_145")


def about(axis, angle, v):
    """Return vectors (3, N) turned about axis 0, 1 or 2 by angles (N,)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s, result = np.cos(angle), np.sin(angle), v.copy()
    result[i], result[j] = c * v[i] - s * v[j], s * v[i] + c * v[j]
    return result


def forward(name, Q):
    """Poses (N, 4, 4) of the TCP from the formula of FACTS 1, axis by axis, for positions (N, n) as the controller shows them."""
    tcp, q = TOOLS.get(name, np.eye(4)), np.asarray(Q, dtype=float).T
    T = np.zeros((q.shape[1], 4, 4))
    T[:, 3, 3] = 1.0
    for k in range(4):
        v = np.repeat(tcp[:3, k : k + 1], q.shape[1], axis=1)
        step = 1.0 if k == 3 else 0.0  # points move, directions do not
        if name in oracles.SCARA_ARMS:
            inner, outer = oracles.SCARA_ARMS[name]
            v = about(0, np.full(q.shape[1], np.pi), about(2, q[3], v))
            v[0] += step * outer
            v[2] += step * (q[2] + 0.272 + 0.1235 + 0.1687)
            v = about(2, q[1], v)
            v[0] += step * inner
            T[:, :3, k] = about(2, q[0], v).T
            continue
        d1, a1, a2, a3, d4, d6 = oracles.DIMENSIONS[name]
        v = about(0, q[5], about(1, np.full(q.shape[1], np.pi / 2), v))
        v[0] += step * d6
        v = about(0, q[3], about(1, q[4], v))
        v[0] += step * d4
        v[2] += step * a3
        v = about(1, q[2] - q[1] if name in oracles.PARALLELOGRAM else q[2], v)
        v[2] += step * a2
        v = about(1, q[1], v)
        v[0] += step * a1
        v[2] += step * d1
        T[:, :3, k] = about(2, q[0], v).T
    return T


def arm(name):
    return irb.load(name, tool="spindle" if name in TOOLS else None)


def postures(name, count, seed=0):
    """Random positions inside the ranges, the coupled one of axis 3 included."""
    key = name if name in oracles.RANGES else oracles.FAMILY[name]
    low, high = np.array(oracles.RANGES[key], dtype=float).T
    values = np.random.default_rng(seed).uniform(low, high, (count, len(low)))
    if name in oracles.PARALLELOGRAM:
        values[:, 2] += values[:, 1]
    if name in oracles.SCARA_ARMS:
        return np.column_stack([np.radians(values[:, :2]), values[:, 2] / 1000.0, np.radians(values[:, 3])])
    return np.radians(values)


def ranges_kept(name, Q):
    """Whether positions (..., n) keep the ranges typed in oracles, to 1e-9."""
    shown = np.degrees(Q)
    if name in oracles.SCARA_ARMS:
        shown[..., 2] = 1000.0 * Q[..., 2]
    if name in oracles.PARALLELOGRAM:
        shown[..., 2] -= shown[..., 1]
    low, high = np.array(oracles.RANGES[name if name in oracles.RANGES else oracles.FAMILY[name]], dtype=float).T
    return ((shown >= low - 1e-6) & (shown <= high + 1e-6)).all(axis=-1)


def apart(name, a, b):
    """Largest difference of positions, without full turns; a slide has none."""
    off = a - b
    turned = off - 2.0 * np.pi * np.round(off / (2.0 * np.pi))
    if name in oracles.SCARA_ARMS:
        turned[..., 2] = off[..., 2]
    return np.abs(turned).max(axis=-1)


def same_sets(name, ours, theirs, tolerance):
    """Whether two lists of positions hold the same postures."""
    if len(ours) != len(theirs):
        return False
    table = apart(name, np.asarray(ours)[:, None], np.asarray(theirs)[None])
    return bool((table.min(axis=0) <= tolerance).all() and (table.min(axis=1) <= tolerance).all())


@pytest.mark.parametrize("name", oracles.NAMES)
def test_every_solution_closes_and_none_is_lost(name):
    """For 1e5 random postures all solutions lead back to the pose, the posture is among them, and ranges are told right."""
    robot, Q = arm(name), postures(name, 100_000)
    T = forward(name, Q)
    found = robot.inverse_kinematics(T)
    assert found.q.shape == ((100_000, 8, 6) if robot.n == 6 else (100_000, 2, 4))
    assert not found.missing.any()
    assert np.array_equal(np.isnan(found.q).any(axis=-1), ~found.valid)
    pose, slot = np.nonzero(found.valid)
    for part in np.array_split(np.arange(pose.size), 8):
        there = forward(name, found.q[pose[part], slot[part]])
        assert np.abs(there - T[pose[part]]).max() < CLOSE
    nearest = np.nanmin(apart(name, found.q, Q[:, None]), axis=1)
    assert (nearest * least_sine(name, Q)).max() < EPS
    kept = ranges_kept(name, found.q)
    assert np.array_equal(found.in_range, kept & found.valid)
    assert kept.any(axis=1).all()


def least_sine(name, Q):
    """Product of what errors are divided by on their way outwards: distance from axis 1 over 1 m, sines of elbow and wrist."""
    if name in oracles.SCARA_ARMS:
        return np.abs(np.sin(Q[:, 1]))
    _, a1, a2, a3, d4, _ = oracles.DIMENSIONS[name]
    forearm = Q[:, 2] if name in oracles.PARALLELOGRAM else Q[:, 1] + Q[:, 2]
    forearm = forearm + np.arctan2(d4, a3)
    ahead = a1 + a2 * np.sin(Q[:, 1]) + np.hypot(a3, d4) * np.sin(forearm)
    return np.prod(np.minimum(np.abs([np.sin(Q[:, 4]), np.sin(forearm - Q[:, 1]), ahead]), 1.0), axis=0)


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_filtered_solutions_are_those_in_range(name):
    """in_range leaves what keeps every range, and takes nothing else away; one pose and arrays alike."""
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
    """Lead positions (N, n) to poses (N, 4, 4) by Levenberg and Marquardt with numerical slopes; also what is left."""

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
    """For 200 poses, whatever a search from 24 random starts finds is among the solutions, and it finds nearly all of them."""
    robot, rng, starts = arm(name), np.random.default_rng(3), 24
    T = forward(name, postures(name, 200, seed=4))
    ours = robot.inverse_kinematics(T)
    Q, left = led(name, np.repeat(T, starts, axis=0), rng.uniform(-np.pi, np.pi, (200 * starts, robot.n)))
    ended, pose = left < 1e-11, np.repeat(np.arange(200), starts)
    assert ended.mean() > 0.5
    table = apart(name, ours.q[pose[ended]], Q[ended][:, None])  # one row each, a column for each branch
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
    peer = opw.Robot(opw.KinematicModel(**lengths, offsets=(0, 0, -np.pi / 2, 0, 0, 0)), degrees=False)
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
    found = robot.inverse_kinematics(T[None])
    assert found.valid.all()
    phi = found.q[0]
    theta = np.column_stack([phi[:, 0], phi[:, 1] - np.pi / 2, phi[:, 2] - phi[:, 1], phi[:, 3], phi[:, 4], phi[:, 5] + np.pi])
    assert (apart("irb1400", theta[::2, :3], np.array(printed["ikin1"]["rows"])) < PRINTED).all()
    assert (apart("irb1400", theta[:2, 3:], np.array(printed["ikin2"]["rows"])) < PRINTED).all()


def test_golden_postures():
    """The sets of the golden files: IRB 1400 in controller axes, the SCARA of S004; poses of the others lead back."""
    golden = json.loads((DATA / "irb1400.json").read_text())["irb1400"]
    robot = irb.load("irb1400")
    for row in golden["kinematics"]:
        assert same_sets("irb1400", robot.inverse_kinematics(nearest_rigid(row["T"])).q, row["ik_phi"], 1e-6)
    robot = irb.load("irb930_12_105")
    for row in json.loads((DATA / "irb930.json").read_text())["irb930"]["configs"]:
        T, theirs = nearest_rigid(row["T"]), np.array(row["ik"]) * [1, 1, -1, 1]  # S004 counts axis 3 down
        T[2, 3] += 0.272 + 0.1235 + 0.1687 + 0.1  # base height, and S004's d4
        assert same_sets("irb930_12_105", robot.inverse_kinematics(T).q, theirs, 1e-7)
    robot = irb.load("irb2400", tool="spindle")
    for row in json.loads((DATA / "irb2400.json").read_text())["configs"]:
        found = robot.inverse_kinematics(nearest_rigid(row["T_tcp"]), near=row["q"])
        if abs(np.sin(row["q"][4])) > 1e-5:  # nearer to the wrist singularity twelve digits do not tell axis 4
            assert apart("irb2400_16", found[0].q, np.array(row["q"])) < 1e-6
        assert np.abs(robot.pose(found.q) - nearest_rigid(row["T_tcp"])).max() < CLOSE
    robot = irb.load("irb1600_6_120")
    for row in json.loads((DATA / "irb1600.json").read_text())["irb1600"]["configs"]:
        assert apart("irb1600", robot.inverse_kinematics(nearest_rigid(row["T"])).q, np.array(row["q"])).min() < 1e-6


def nearest_rigid(rows):
    """Return a printed pose with an exact rotation; golden numbers have twelve digits."""
    T = np.array(rows, dtype=float)
    u, _, v = np.linalg.svd(T[:3, :3])
    T[:3, :3] = u @ v
    return T


# --- singularities and the edge of the workspace -------------------------------------------------------------------------

DELTAS = st.one_of(st.just(0.0), st.floats(-12.0, -3.0).map(lambda e: 10.0**e))
ANGLES = st.floats(-3.0, 3.0)
THREE = pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb1400"])
ROBOTS = {name: arm(name) for name in ("irb2400_16", "irb1600_6_120", "irb1400", "irb930_12_105")}


def check_at(name, q, delta, which, spread=1.0):
    """All solutions close; with the posture as seed the first is that posture; flags tell the singularity and no other."""
    T, robot = forward(name, q[None])[0], ROBOTS[name]
    for seed in (None, q):
        found = robot.inverse_kinematics(T, near=seed)
        assert len(found) > 0
        assert np.isfinite(found.q).all()
        assert np.abs(forward(name, found.q) - T).max() < CLOSE
    touching = 3e-6 if which == "elbow" and delta < 1e-5 else 1e-9  # of the elbow, where lengths are told to 1e-12 m
    assert apart(name, found.q, q).min() < spread * (touching + EPS / max(delta, 1e-12))
    flagged = [getattr(solution.flags, which) for solution in found]
    if delta == 0.0:
        assert any(flagged)
    if delta > 1e-5:
        assert not any(flagged)
    batch = robot.inverse_kinematics(T[None], near=q)
    assert batch.valid.sum() == len(found)


@THREE
@settings(max_examples=60, deadline=None)
@given(q=st.tuples(*[ANGLES] * 6), delta=DELTAS, side=st.sampled_from([1, -1]), over=st.booleans())
def test_at_the_wrist_singularity(name, q, delta, side, over):
    """Axis 5 at 0 and 180 deg and beside: axis 4 of the seed is kept."""
    posture = np.array(q)
    posture[4] = side * (np.pi - delta if over else delta)
    rest = least_sine(name, (posture * [1, 1, 1, 1, 0, 1] + [0, 0, 0, 0, 1.57, 0])[None])[0]
    assume(rest > 1e-3)
    check_at(name, posture, delta, "wrist", 1.0 / rest)


@THREE
@settings(max_examples=60, deadline=None)
@given(q=st.tuples(*[ANGLES] * 6), delta=DELTAS, side=st.sampled_from([1, -1]), over=st.booleans())
def test_at_the_elbow_singularity(name, q, delta, side, over):
    """The arm stretched and folded, and beside: no solution is lost by rounding, and both elbows are one on the edge."""
    _, a1, a2, a3, d4, _ = oracles.DIMENSIONS[name]
    posture, bend = np.array(q), side * delta + (np.pi if over else 0.0)
    relative = bend - np.arctan2(d4, a3)
    posture[2] = relative + (posture[1] if name in oracles.PARALLELOGRAM else 0.0)
    reach = a2 + np.hypot(a3, d4) * np.cos(bend)
    rest = abs(np.sin(posture[4])) * min(abs(a1 + reach * np.sin(posture[1])), 1.0)
    assume(rest > 1e-3)
    check_at(name, posture, delta, "elbow", 1.0 / (rest * min(abs(reach), 1.0)))


@THREE
@settings(max_examples=60, deadline=None)
@given(q=st.tuples(*[ANGLES] * 6), delta=DELTAS, side=st.sampled_from([1, -1]), up=st.booleans())
def test_at_the_shoulder_singularity(name, q, delta, side, up):
    """The wrist centre on axis 1 and beside: axis 1 of the seed is kept."""
    _, a1, a2, a3, d4, _ = oracles.DIMENSIONS[name]
    posture, forearm = np.array(q), q[2]
    lean = (side * delta - a1 - np.hypot(a3, d4) * np.sin(forearm)) / a2
    assume(abs(lean) < 0.99)
    posture[1] = np.pi - np.arcsin(lean) if up else np.arcsin(lean)
    posture[2] = forearm - np.arctan2(d4, a3) - (0.0 if name in oracles.PARALLELOGRAM else posture[1])
    rest = abs(np.sin(posture[4]) * np.sin(forearm - posture[1]))
    assume(rest > 1e-3)
    check_at(name, posture, delta, "shoulder", 1.0 / rest)


@settings(max_examples=60, deadline=None)
@given(q=st.tuples(*[ANGLES] * 3), delta=DELTAS, side=st.sampled_from([1, -1]), over=st.booleans())
def test_at_the_elbow_singularity_of_the_scara(q, delta, side, over):
    """Both arms in line."""
    check_at("irb930_12_105", np.array([q[0], side * (np.pi - delta if over else delta), -0.1, q[2]]), delta, "elbow", 1.0 / 0.07)


@THREE
@settings(max_examples=60, deadline=None)
@given(direction=ANGLES, turn=ANGLES, beyond=st.floats(-12.0, 0.5).map(lambda e: 10.0**e), out=st.booleans())
def test_beyond_the_edge(name, direction, turn, beyond, out):
    """A wrist centre outside the reach, or in the hole around axis 2, is missed by as much; within 1e-10 m it is answered."""
    d1, a1, a2, a3, d4, _ = oracles.DIMENSIONS[name]
    forearm = np.hypot(a3, d4)
    away = a2 + forearm + beyond if out else abs(a2 - forearm) - beyond
    assume(away > 0.0)
    height, radius = d1 + away * np.cos(direction), a1 + away * np.sin(direction)
    assume(radius > 1e-3)
    T = np.eye(4)
    T[:3, 3] = radius * np.cos(turn), radius * np.sin(turn), height
    nearer = np.hypot(radius + a1, height - d1)  # the same point with the back to it
    missing = min(beyond, max(nearer - a2 - forearm, abs(a2 - forearm) - nearer, 0.0))
    robot = irb.load(name).with_tool(irb.Tool("wrist", pin.SE3(np.eye(3), np.array([0, 0, -wrist(name)])), irb.payload(1.0)))
    found = robot.inverse_kinematics(T)
    if missing > 2e-10:
        assert len(found) == 0
        assert found.missing == pytest.approx(missing, abs=1e-14, rel=1e-9)
        assert found.note == f"out of reach by {1000.0 * found.missing:.6g} mm"
        assert robot.inverse_kinematics(T[None]).missing[0] == found.missing
        assert not robot.inverse_kinematics(T[None]).valid.any()
    elif missing < 0.5e-10:
        assert len(found) > 0
        assert found.missing == 0.0
        assert max(np.abs(robot.pose(solution.q).homogeneous - T).max() for solution in found) < CLOSE


def wrist(name):
    """Return the distance of the wrist centre below tool0 [m]."""
    return oracles.DIMENSIONS[name][5]


def test_free_axes_are_kept_or_zero():
    """On a singularity the free axis is the seed's, or 0 without one, or the posture whose other axes follow."""
    robot = ROBOTS["irb2400_16"]
    q = np.array([0.4, 0.2, 0.3, 1.1, 0.0, -0.7])
    T = robot.pose(q)
    (still,) = [s for s in robot.inverse_kinematics(T) if s.flags.wrist]
    np.testing.assert_allclose(still.q, [0.4, 0.2, 0.3, 0.0, 0.0, 0.4], atol=1e-9)
    (kept,) = [s for s in robot.inverse_kinematics(T, near=q) if s.flags.wrist]
    np.testing.assert_allclose(kept.q, q, atol=1e-9)
    robot = ROBOTS["irb1400"]
    forearm = 0.3
    lower = np.arcsin((-0.150 - np.hypot(0.120, 0.720) * np.sin(forearm)) / 0.600)
    q = np.array([0.9, lower, forearm - np.arctan2(0.720, 0.120), 0.4, 0.5, 0.6])
    T = robot.pose(q)
    still, kept = robot.inverse_kinematics(T), robot.inverse_kinematics(T, near=q)
    assert len(still) == len(kept) == 4  # front and back are one
    assert all(s.flags == (False, False, True) for s in still)
    assert (np.abs(still.q[:, 0]) < 1e-12).all()
    np.testing.assert_allclose(kept.q[:, 0], 0.9, atol=1e-12)
    np.testing.assert_allclose(kept[0].q, q, atol=1e-9)


def test_arm_folded_to_a_point():
    """With arms of equal length the wrist centre can be on axis 2: axis 2 is then free, and kept."""
    robot = irb.from_urdf(written(arm_urdf(a2=0.6, a3=0.0, d4=0.6).replace('"0.01 -0.1 0.6"', '"0 -0.1 0.6"')))
    q = np.array([0.3, 0.4, np.pi / 2, 0.5, 0.6, 0.7])  # the forearm back along the lower arm
    found = robot.inverse_kinematics(robot.pose(q), near=q)
    assert found[0].flags.elbow
    assert np.abs(found[0].q - q).max() < 1e-9
    free = robot.inverse_kinematics(robot.pose(q))
    assert any(abs(solution.q[1]) < 1e-12 for solution in free)
    for solution in free:
        assert np.abs(robot.pose(solution.q).homogeneous - robot.pose(q).homogeneous).max() < CLOSE


# --- other arms of the same shapes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_arms_of_that_shape_by_urdf(seed, tmp_path):
    """Any base, signs of axes, offsets to the side, in front and behind: all solutions close, the posture is among them."""
    rng = np.random.default_rng(seed)
    a1, a2, a3, d4, side = rng.uniform([-0.3, 0.3, -0.2, 0.3, -0.3], [0.3, 0.9, 0.2, 0.9, 0.3])
    base = rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3)
    signs = rng.choice([-1, 1], 6)
    robot = irb.from_urdf(written(arm_urdf(a1, a2, a3, d4, side if seed % 3 else 0.0, signs=signs, base=base), tmp_path))
    Q = rng.uniform(-np.pi, np.pi, (40, 6))
    T = np.array([robot.pose(q).homogeneous for q in Q])
    found = robot.inverse_kinematics(T)
    assert np.nanmin(apart("own", found.q, Q[:, None]), axis=1).max() < 1e-7
    for i, slot in np.argwhere(found.valid):
        assert np.abs(robot.pose(found.q[i, slot]).homogeneous - T[i]).max() < CLOSE
    assert (found.valid.sum(axis=1) >= 2).all()
    in_line = -0.5 * signs[4]  # axis 5 where axes 4 and 6 are in line, nearest to 0: positive is above it
    for slots, sign in ((found.q[:, ::2, 4], 1.0), (found.q[:, 1::2, 4], -1.0)):
        assert (sign * np.sin(slots - in_line)[np.isfinite(slots)] > -1e-12).all()
    # beside the reach of the side offset nothing is found, and it is said by how much
    T[:, :3, 3] += 10.0
    assert (robot.inverse_kinematics(T).missing > 5.0).all()


def test_inside_the_cylinder_of_a_side_offset(tmp_path):
    """A wrist centre nearer to axis 1 than the arm's side offset is missed by the rest."""
    robot = irb.from_urdf(written(arm_urdf(a1=0.0, side=0.25), tmp_path))
    centre = robot.with_tool(irb.Tool("wrist", wrist_in_tool(robot), irb.payload(1.0)))
    arm = centre._inverse.arm
    np.testing.assert_allclose(arm.wrist, 0.0, atol=1e-12)
    assert abs(arm.d) == pytest.approx(0.25)
    for near_axis in (0.1, 0.2499):
        T = np.eye(4)
        T[:3, 3] = [near_axis, 0.0, 0.9]
        found = centre.inverse_kinematics(T)
        assert len(found) == 0
        assert found.missing == pytest.approx(0.25 - near_axis, abs=1e-12)
    T[0, 3] = 0.25
    on = centre.inverse_kinematics(T)
    assert len(on) == 4
    assert all(solution.flags.shoulder for solution in on)
    assert max(np.abs(centre.pose(solution.q).homogeneous - T).max() for solution in on) < CLOSE


def wrist_in_tool(robot):
    """Return the pose of the wrist centre in tool0."""
    return pin.SE3(np.eye(3), robot._inverse.arm.wrist)


@pytest.mark.parametrize("order", ["rrpr", "prrr", "rprr", "rrrp"])
def test_scaras_by_urdf(order, tmp_path):
    """The slide may be anywhere, and axes may point up or down."""
    rng = np.random.default_rng(7)
    joints = [("fixed", rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), (1, 0, 0))]
    for letter in order:
        up = rng.choice([-1.0, 1.0])
        flip = rng.choice([0.0, np.pi])
        joints.append(
            ({"r": "revolute", "p": "prismatic"}[letter], rng.uniform(0.2, 0.5, 3), (flip, 0, rng.uniform(-1, 1)), (0, 0, up))
        )
    robot = irb.from_urdf(written(urdf([*joints, ("fixed", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), (1, 0, 0))]), tmp_path))
    slide = order.index("p")
    for q in rng.uniform(-np.pi, np.pi, (40, 4)):
        found = robot.inverse_kinematics(robot.pose(q))
        assert len(found) == 2
        off = found.q - q
        off -= 2.0 * np.pi * np.round(off / (2.0 * np.pi)) * (np.arange(4) != slide)
        assert np.abs(off).max(axis=1).min() < 1e-9
        for solution in found:
            assert np.abs(robot.pose(solution.q).homogeneous - robot.pose(q).homogeneous).max() < CLOSE


def test_both_trees_of_a_parallelogram_give_the_same():
    """The solutions are in controller axes on either tree, and from the URDF with mimic joints."""
    q = np.array([0.3, 0.4, 0.2, 0.5, 0.6, 0.7])
    robot = irb.load("irb2400", coupling="serial")
    expected = robot.inverse_kinematics(robot.pose(q)).q
    for other in (irb.load("irb2400", coupling="parallelogram"), irb.from_urdf(irb.urdf_path("irb2400", "parallelogram"))):
        assert same_sets("irb2400", other.inverse_kinematics(robot.pose(q)).q, expected, 1e-9)
        assert other.configuration(q) == robot.configuration(q)


def test_tool_and_flange_give_the_same():
    """Solutions of a tool's pose are those of the flange's."""
    rng = np.random.default_rng(8)
    for name in ("irb2400_16", "irb1600_6_120", "irb930_12_105"):
        robot = irb.load(name)
        turn = pin.exp3(rng.normal(size=3))
        tooled = robot.with_tool(irb.Tool("own", pin.SE3(turn, rng.uniform(-0.5, 0.5, 3)), irb.payload(1.0)))
        for q in postures(name, 20, seed=9):
            a, b = tooled.inverse_kinematics(tooled.pose(q)), robot.inverse_kinematics(robot.pose(q))
            assert len(a) == len(b)
            assert (apart(name, a.q, b.q) * max(least_sine(name, q[None])[0], 1e-6) < 1e-11).all()


# --- what is asked and answered ------------------------------------------------------------------------------------------


def test_solutions_are_sorted_by_time_from_the_seed():
    """The seed's own posture comes first; distances are times at rated speed, with axis 6 in the seed's full turn."""
    robot = ROBOTS["irb2400_16"]
    q = robot.from_controller([20, 10, 15, 100, 40, 370])
    found = robot.inverse_kinematics(robot.pose(q), near=q, in_range=True)
    np.testing.assert_allclose(found[0].q, q, atol=1e-9)
    assert found[0].distance < 1e-9
    assert [s.distance for s in found] == sorted(s.distance for s in found)
    for solution in found:
        wanted = np.linalg.norm((solution.q - q) / robot.limits.velocity)
        assert solution.distance == pytest.approx(wanted)
    assert robot.inverse_kinematics(robot.pose(q))[0].distance is None
    plain = robot.inverse_kinematics(robot.pose(q), in_range=True)
    assert np.abs(plain.q[:, 5]).max() <= np.pi
    batch = robot.inverse_kinematics(robot.pose(q).homogeneous[None], near=q)
    assert np.abs(batch.q[0] - q).max(axis=1).min() < 1e-9


def test_axis_three_of_the_1600_is_shown_in_its_range():
    """-235 to 55 deg: -200 deg is shown as such, not as 160, whether or not there is a seed."""
    robot = ROBOTS["irb1600_6_120"]
    q = robot.from_controller([10, 20, -200, 30, 40, 50])
    for seed in (None, np.zeros(6), q):
        found = robot.inverse_kinematics(robot.pose(q), near=seed, in_range=True)
        assert np.abs(found.q - q).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("seed", [-390.0, 390.0, 900.0, -900.0])
def test_seeds_at_and_beyond_the_end_of_a_range(seed):
    """Axis 6 is shown in the turn in range that is nearest to the seed, also where the nearest of all is not in range."""
    robot = ROBOTS["irb2400_16"]
    q = robot.from_controller([20, 10, 15, 100, 40, 0])
    for turn in range(-150, 180, 30):
        q[5], near = np.radians(turn), q.copy()
        near[5] = np.radians(seed)
        T = robot.pose(q)
        shown = max if seed > 0 else min
        expected = shown(value for value in (turn - 360, turn, turn + 360) if abs(value) <= 400)
        T = T.homogeneous[None]
        for found in (robot.inverse_kinematics(T, near=near).q, robot._inverse._solve(T, near, None).q):
            same = np.abs(found[0, :, :5] - q[:5]).max(axis=1) < 1e-9
            assert np.degrees(found[0, same, 5]) == pytest.approx([expected])


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_full_turns(name):
    """With turns every posture inside the ranges is listed once, and nothing else changes."""
    robot = ROBOTS[name]
    for q in postures(name, 5, seed=10):
        base = robot.inverse_kinematics(robot.pose(q), in_range=True)
        found = robot.inverse_kinematics(robot.pose(q), in_range=True, turns=True)
        expected = []
        steps = [(0,) if linear else (-2, -1, 0, 1, 2) for linear in robot.limits.linear]
        for solution in base:
            every = solution.q + 2.0 * np.pi * np.array(list(itertools.product(*steps)))
            expected += list(every[ranges_kept(name, every)])
        assert len(found) == len(expected)
        table = np.abs(found.q[:, None] - np.array(expected)[None]).max(axis=-1)
        assert (table.min(axis=0) < 1e-9).all()
        assert (table.min(axis=1) < 1e-9).all()
        assert all(solution.in_range for solution in found)


def test_axes_without_a_range_are_listed_once(tmp_path):
    """Full turns of a continuous joint are endless, and one of them is enough."""
    text = arm_urdf().replace('type="revolute"', 'type="continuous"').replace('lower="-18" upper="18" ', "")
    robot = irb.from_urdf(written(text, tmp_path))
    q = np.array([0.3, 0.4, 0.2, 0.5, 0.6, 0.7])
    assert len(robot.inverse_kinematics(robot.pose(q), turns=True)) == len(robot.inverse_kinematics(robot.pose(q)))


def test_sequence():
    """Solutions can be counted, sliced, run over and shown; arrays keep their leading axes."""
    robot = ROBOTS["irb2400_16"]
    q = np.array([0.3, 0.4, 0.2, 0.5, 0.6, 0.7])
    found = robot.inverse_kinematics(robot.pose(q))
    assert repr(found) == f"<{len(found)} solutions>"
    assert [s.q.tolist() for s in found] == [s.q.tolist() for s in found[:]] == found.q.tolist()
    assert found[-1].q.tolist() == found.q[-1].tolist()
    assert ["out of range" in repr(s) for s in found] == [not s.in_range for s in found]
    assert not all(s.in_range for s in found)
    assert repr(found[0]).startswith("<Solution q=[0.3")
    T = robot.pose(np.tile(q, (2, 3, 1)))
    many = robot.inverse_kinematics(T)
    assert many.q.shape == (2, 3, 8, 6)
    assert many.valid.shape == many.flags.wrist.shape == many.in_range.shape == (2, 3, 8)
    assert many.missing.shape == (2, 3)
    np.testing.assert_allclose(many.q[1, 2][many.valid[1, 2]], found.q, atol=1e-12)
    assert robot.inverse_kinematics(np.zeros((0, 4, 4))).q.shape == (0, 8, 6)
    far = pin.SE3(np.eye(3), np.array([5.0, 0.0, 0.0]))
    none = robot.inverse_kinematics(far, in_range=True, turns=True, near=q)
    assert not none
    assert repr(none) == f"<0 solutions: {none.note}>"


def test_reasons_for_none():
    """An empty answer says why."""
    robot = ROBOTS["irb2400_16"]
    q = robot.from_controller([0, 20, 120, 0, 30, 0])  # q3 - q2 = 100 deg
    T = robot.pose(q)
    assert robot.inverse_kinematics(T, in_range=True).note == f"none of {len(robot.inverse_kinematics(T))} solutions is in range"
    scara = ROBOTS["irb930_12_105"]
    pose = scara.pose(np.zeros(4))
    leaning = pin.SE3(pose.rotation @ pin.exp3(np.array([0.1, 0.0, 0.0])), pose.translation)
    found = scara.inverse_kinematics(leaning)
    assert found.missing == np.inf
    assert found.note == "the tool would have to lean by 5.73 deg, and the axes of a SCARA are parallel"
    assert scara.inverse_kinematics(leaning.homogeneous[None]).missing[0] == np.inf
    upside_down = pin.SE3(np.eye(3), pose.translation)
    assert "lean by 180 deg" in scara.inverse_kinematics(upside_down).note


@pytest.mark.parametrize(
    ("pose", "message"),
    [
        ("here", "a pose is a pin.SE3, or numbers of shape (4, 4) or (..., 4, 4): could not convert"),
        (np.eye(3), "a pose is a pin.SE3, or numbers of shape (4, 4) or (..., 4, 4), got (3, 3)"),
        (np.zeros((2, 3, 4)), "a pose is a pin.SE3, or numbers of shape (4, 4) or (..., 4, 4), got (2, 3, 4)"),
        (1.0, "got ()"),
        (np.full((4, 4), np.nan), "the pose is not finite"),
        (np.diag([1.0, 1.0, 1.0, np.inf]), "the pose is not finite"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "the pose is no rigid motion"),
        (np.diag([1.0, 1.0, 1.0001, 1.0]), "the pose is no rigid motion"),
        (np.diag([2.0, 0.5, 1.0, 1.0]), "the pose is no rigid motion"),
        (np.diag([1.0, 1.0, 1.0, 2.0]), "the pose is no rigid motion"),
        (np.eye(4) + np.outer([0, 0, 0, 1], [0, 0.1, 0, 0]), "the pose is no rigid motion"),
        (np.zeros((4, 4)), "the pose is no rigid motion"),
        (np.diag([0.0, 0.0, 0.0, 1.0]), "the pose is no rigid motion"),
        (np.eye(4) + np.outer([0, 0, 0, 1], [0.1, 0, 0, 0]), "the pose is no rigid motion"),
        (np.eye(4) + np.outer([0, 0, 0, 1], [0, 0, 0.1, 0]), "the pose is no rigid motion"),
        (np.stack([np.eye(4), np.diag([-1.0, 1, 1, 1])]), "pose 1: the pose is no rigid motion"),
    ],
)
@pytest.mark.parametrize("name", ["irb2400_16", "irb930_12_105"])
def test_wrong_poses(name, pose, message):
    """One line says what is wrong, whether machine code is in use or not."""
    if name == "irb2400_16" and find_spec("numba") and find_spec("casadi"):
        compiled(ROBOTS[name])
    for robot in (ROBOTS[name], irb.load(name)):
        with pytest.raises(irb.InputError) as caught:
            robot.inverse_kinematics(pose)
        assert str(caught.value).startswith(message) or message.startswith("got")
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_wrong_arguments():
    """Seeds are checked as positions are, and turns are for one pose."""
    robot = ROBOTS["irb2400_16"]
    with pytest.raises(irb.InputError, match="full turns are listed for one pose"):
        robot.inverse_kinematics(np.eye(4)[None], turns=True)
    with pytest.raises(irb.InputError, match=r"needs shape \(6,\)"):
        robot.inverse_kinematics(np.eye(4), near=[0, 0])
    with pytest.raises(irb.InputError, match="not finite"):
        robot.inverse_kinematics(np.eye(4), near=[np.nan] * 6)


def test_nan_stays_in_its_own_sample():
    """Beside a sample that is not finite all others are as without it."""
    for name in ("irb2400_16", "irb930_12_105"):
        robot = ROBOTS[name]
        T = forward(name, postures(name, 1200, seed=11))
        clean = robot.inverse_kinematics(T)
        for place, value in (((3, 0, 0), np.nan), ((1190, 1, 3), np.nan), ((700, 2, 2), np.inf), ((701, 3, 1), np.nan)):
            T[place] = value
        found, lost = robot.inverse_kinematics(T), [3, 700, 701, 1190]
        assert np.isnan(found.q[lost]).all()
        assert np.isnan(found.missing[lost]).all()
        assert not found.valid[lost].any()
        others = np.delete(np.arange(1200), lost)
        assert np.array_equal(found.q[others], clean.q[others], equal_nan=True)
        assert np.array_equal(found.missing[others], clean.missing[others])


def bent(link, old, new):
    """Return an arm with the axis of one joint bent by 5.71 deg, or the place of one joint changed."""
    return arm_urdf().replace(f'{old}"/><parent link="{link}"', f'{new}"/><parent link="{link}"')


SHOULDER, STEP = ("revolute", (0, 0, 0.3), (0.5, 0, 0), (0, 1, 0)), ("revolute", (1, 0, 0.3), (0, 0, 0), (0, 0, 1))
SLIDE = ("prismatic", (0, 0, 0), (0, 0.2, 0), (0, 0, 1))
UPRIGHT, STILL = ("prismatic", (0, 0, 0), (0, 0, 0), (0, 0, 1)), ("revolute", (0, 0, 0), (0, 0, 0), (0, 0, 1))
ONE_LINE = arm_urdf(a2=0.0, signs=(1, 1, -1, 1, 1, 1)).replace('xyz="0.01 -0.1 0.0"', 'xyz="0 -0.1 0.0"')
ON_AXIS_3 = arm_urdf(a3=0.0, d4=0.2).replace('xyz="0.2 0.05 0.0"', 'xyz="0 0 0"')
OTHERS = [
    (arm_urdf(wrist=(0, 0, 0.05)), "its wrist is not spherical: axes 4, 5 and 6 miss one point by"),
    (arm_urdf(tilt=0.1), "axes 1 and 2 are 5.73 deg off a right angle"),
    (bent("l3", "0.0 1.0 0.0", "0.1 1.0 0.0"), "axes 2 and 3 are 5.71 deg off parallel"),
    (bent("l5", "0.0 1.0 0.0", "0.1 1.0 0.0"), "axes 4 and 5 are 5.71 deg off a right angle"),
    (bent("l6", "1.0 0.0 0.0", "1.0 0.1 0.0"), "axes 5 and 6 are 5.71 deg off a right angle"),
    (ONE_LINE, "its axes 2 and 3 are one line"),
    (ON_AXIS_3, "its wrist centre is on axis 3"),
    (urdf([SHOULDER] * 7), "7 turning and 0 sliding joints move its TCP"),
    (urdf([SHOULDER] * 5 + [SLIDE]), "5 turning and 1 sliding joints move its TCP"),
    (urdf([STEP, STEP, SLIDE, STEP]), "axes 1 and 3 are 11.5 deg off parallel"),
    (urdf([STEP, STEP, UPRIGHT, STILL]), "two of its axes are one line"),
]


@pytest.mark.parametrize(("text", "message"), OTHERS)
def test_arms_of_another_shape(text, message, tmp_path):
    """MissingData says in what the arm differs."""
    robot = irb.from_urdf(written(text, tmp_path))
    with pytest.raises(irb.MissingData) as caught:
        robot.inverse_kinematics(np.eye(4))
    assert str(caught.value).startswith(f"own has no closed-form inverse kinematics: {message}")
    assert str(caught.value).endswith("(closed forms are for six axes with a spherical wrist, and for the SCARA)")


def test_axes_by_a_ratio_are_refused(tmp_path):
    """Where a full turn of a joint is no full turn of an axis, solutions cannot be wrapped."""
    text = arm_urdf().replace("</robot>", '<link name="g"/><joint name="j9" type="revolute"><parent link="l4"/><child link="g"/>')
    text += '<axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint></robot>'
    text = text.replace(
        '<joint name="j4" type="revolute">', '<joint name="j4" type="revolute"><mimic joint="j9" multiplier="0.5"/>'
    )
    with pytest.raises(irb.MissingData, match="by a ratio that is no whole number"):
        irb.from_urdf(written(text, tmp_path)).inverse_kinematics(np.eye(4))


# --- machine code --------------------------------------------------------------------------------------------------------


def compiled(robot):
    """Return the closed form of a robot with machine code in use."""
    pytest.importorskip("numba")
    pytest.importorskip("casadi")
    found = robot._inverse
    assert found._machine.ready(machine.WORTH)
    return found


def test_constants_of_the_kernel_are_those_of_the_reference():
    """What counts as singular, reachable and rigid is one number."""
    compiled(ROBOTS["irb2400_16"])
    module = machine.module()
    assert (module.TOUCH, module.REACH, module.RIGID) == (branches.TOUCH, branches.REACH, branches.RIGID)


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "own"])
@pytest.mark.parametrize("seeded", [False, True])
def test_machine_code_is_the_reference(name, seeded, tmp_path):
    """Same bits and positions on random poses, singular ones, unreachable ones, and with a seed."""
    if name == "own":
        base, signs = ((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), (1, -1, 1, -1, -1, 1)
        robot = irb.from_urdf(written(arm_urdf(side=0.1, base=base, signs=signs), tmp_path))
    else:
        robot = ROBOTS[name]
    Q = np.random.default_rng(12).uniform(-3.0, 3.0, (1003, 6))
    Q[:300, 4] = 0.0
    Q[200:400, 4] = np.pi
    if name in oracles.DIMENSIONS:  # stretched arms, and folded ones
        _, _, _, a3, d4, _ = oracles.DIMENSIONS[name]
        Q[600:800, 2] = (Q[600:800, 1] if name in oracles.PARALLELOGRAM else 0.0) - np.arctan2(d4, a3)
        Q[700:800, 2] += np.pi
    T = np.array([robot.pose(q).homogeneous for q in Q])
    T[500:600, :3, 3] *= 1.5
    found, near = compiled(robot), np.array([0.5, -0.2, 0.3, 2.0, 0.4, 5.0]) if seeded else None
    reference, (ours, rigid) = found._solve(T, near, None), found._machine.rows(T, *found._constants_for(near, None))
    assert rigid.all()
    assert np.array_equal(ours.bits, reference.bits)
    np.testing.assert_allclose(ours.missing, reference.missing, rtol=0, atol=1e-14)
    q = np.where(np.isnan(ours.q), 0.0, apart(name, ours.q, reference.q)[..., None])
    assert np.array_equal(np.isnan(ours.q), np.isnan(reference.q))
    assert (np.nanmax(q, axis=(1, 2)) < 1e-7).all()
    turns = np.abs(ours.q - reference.q) > 1.0  # rounding may show half a turn with either sign
    assert np.nanmax(np.abs(np.abs(ours.q[turns]) - np.pi), initial=0.0) < 1e-7 or seeded
    assert turns.mean() < 0.05
    for pose, expected, bits in list(zip(T, ours.q, ours.bits, strict=True))[::50]:
        count, one, flags, _ = found._machine.one(pose, *((None, None) if near is None else found._constants_for(near, None)))
        assert np.array_equal(one, expected[bits > 0])
        assert np.array_equal(flags, bits[bits > 0])
        assert count == len(one)


def test_machine_code_at_a_folded_arm():
    """The kernel keeps axis 2 of the seed too."""
    robot = irb.from_urdf(written(arm_urdf(a2=0.6, a3=0.0, d4=0.6).replace('"0.01 -0.1 0.6"', '"0 -0.1 0.6"')))
    q = np.array([0.3, 0.4, np.pi / 2, 0.5, 0.6, 0.7])
    compiled(robot)
    found = robot.inverse_kinematics(robot.pose(q), near=q)
    assert found[0].flags.elbow
    assert np.abs(found[0].q - q).max() < 1e-9


def test_without_machine_code_numpy_answers(monkeypatch):
    """Where numba is not installed the answers are the same."""
    monkeypatch.setattr(machine, "installed", lambda: False)
    robot, other = irb.load("irb1400"), ROBOTS["irb1400"]
    T = forward("irb1400", postures("irb1400", 2000, seed=13))
    a, b = robot.inverse_kinematics(T), other.inverse_kinematics(T)
    assert robot._inverse._machine._one is None
    assert np.array_equal(a.valid, b.valid)
    assert np.nanmax(np.abs(a.q - b.q)) < 1e-8


def test_machine_code_waits_until_it_is_worth_it(caplog):
    """A thousand poses, in an array or one by one, bring machine code; fewer do not."""
    pytest.importorskip("numba")
    pytest.importorskip("casadi")
    robot = irb.load("irb1400")
    T = robot.pose(np.zeros(6))
    with caplog.at_level(logging.ERROR, "irbmodels"):
        for _ in range(machine.WORTH - 1):
            robot.inverse_kinematics(T)
        assert robot._inverse._machine._one is None
        before = robot.inverse_kinematics(T, near=np.full(6, 0.1)).q
        assert robot._inverse._machine._one is not None
    np.testing.assert_allclose(robot.inverse_kinematics(T, near=np.full(6, 0.1)).q, before, atol=1e-9)


def test_robots_can_be_pickled_afterwards():
    """Machine code is left behind, and found again."""
    robot = ROBOTS["irb2400_16"]
    compiled(robot)
    other = pickle.loads(pickle.dumps(robot))
    T = robot.pose(np.full(6, 0.3))
    np.testing.assert_allclose(other.inverse_kinematics(T).q, robot.inverse_kinematics(T).q, atol=1e-12)
    assert isinstance(pickle.loads(pickle.dumps(robot._inverse)), solver.InverseKinematics)


def test_arctangent_is_right_to_the_last_digits():
    """Within 4 units in the last place in every octant, at 0 and at the edges; the loops over it are vectorised."""
    mpmath = pytest.importorskip("mpmath")
    numba = pytest.importorskip("numba")
    compiled(ROBOTS["irb2400_16"])
    function, flags = machine.module().atan2, machine.module().FLAGS

    @numba.njit(fastmath=flags, error_model="numpy")
    def run(y, x, out):
        for i in range(x.size):
            out[i] = function(y[i], x[i])

    rng = np.random.default_rng(14)
    angles = np.concatenate([rng.uniform(-np.pi, np.pi, 3000), np.arange(-16, 17) * np.pi / 8])
    angles = np.concatenate([angles, 10.0 ** rng.uniform(-15, -1, 300), np.pi / 2 + 10.0 ** rng.uniform(-15, -1, 300)])
    x, y = np.cos(angles), np.sin(angles)
    x, y = np.concatenate([x, [0, 0, 1, -1, 0, 1e-300, 1e150]]), np.concatenate([y, [0, 1, 0, 0, -1, 1e-300, -1e150]])
    out = np.empty_like(x)
    run(y, x, out)
    exact = [
        mpmath.atan2(mpmath.mpf(float(b)), mpmath.mpf(float(a))) if a or b else mpmath.mpf(0) for a, b in zip(x, y, strict=True)
    ]
    near = np.array([float(value) for value in exact])
    off = np.array([float(mpmath.mpf(float(a)) - b) for a, b in zip(out, exact, strict=True)])
    assert (np.abs(off) <= 4.0 * np.spacing(np.abs(near))).all()
    with np.errstate(all="ignore"):
        run(np.array([np.nan, 1.0]), np.array([1.0, np.nan]), out[:2])
    assert np.isnan(out[:2]).all()


# --- command line --------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(capsys):
    from irbmodels.cli import main

    def call(*arguments):
        code = main(list(arguments))
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def test_ik_command(run):
    """The table has the posture in degrees with its configuration; what is out of range says which bound it breaks."""
    pose = "940,0,1455,0.70711,0,0.70711,0"
    code, told, _ = run("ik", "irb2400", "--pose", pose, "--near", "0,0,0,0,0,0")
    assert code == 0
    rows = [line.split() for line in told.splitlines() if line[:4].strip().isdigit()]
    assert rows[0][:7] == ["1", *["0.0000"] * 6]
    assert rows[0][7:] == ["[0,0,0,0]?", "wrist", "inside", "0.0000"]
    assert "q3 - q2 = -159.7 not in -60 .. 65 deg" in told
    code, told, _ = run("ik", "irb2400", "--pose", pose, "--in-range", "--conf", "0,0,0,0")
    assert code == 0
    assert len([line for line in told.splitlines() if line[:4].strip().isdigit()]) == 1
    code, told, _ = run("ik", "irb2400", "--pose", "900,100,1400,0,1,0,0", "--tool", "spindle", "--turns")
    assert len([line for line in told.splitlines() if line[:4].strip().isdigit()]) == 16
    code, told, _ = run("ik", "irb930", "--pose", "700,100,400,0,1,0,0")
    assert "q3 mm" in told
    assert "-164.2000" in told


HOME = "815,0,961.5,0.70711,0,0.70711,0"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("irb1600", "--pose", "3000,0,0,1,0,0,0"), 1, "no solution: out of reach by "),
        (("irb1600", "--pose", "3000,0,0,1,0,0"), 2, "error: --pose '3000,0,0,1,0,0': a pose is x,y,z in mm"),
        (("irb1600", "--pose", "a,0,0,1,0,0,0"), 2, "seven numbers"),
        (("irb1600", "--pose", "0,0,inf,1,0,0,0"), 2, "seven numbers"),
        (("irb1600", "--pose", "0,0,0,1,1,0,0"), 2, "the quaternion has length 1.41421, not 1"),
        (
            ("irb1600", "--pose", HOME, "--conf", "0,0,0,9"),
            2,
            "cfx of this kind of arm is 0 to 7, not 9",
        ),
        (("irb1600", "--pose", "815,50,961.5,0.70711,0,0.70711,0", "--conf", "3,0,0,0"), 1, "has the configuration [3,0,0,0]"),
        (("irb1600", "--pose", HOME, "--near", "0,0"), 2, "needs shape"),
        (("positioner", "--pose", HOME), 2, "has no closed-form inverse kinematics"),
    ],
)
def test_ik_command_refuses(run, arguments, code, message):
    """One line on stderr: exit code 1 for no solution, 2 for a mistake."""
    got, out, told = run("ik", *arguments)
    assert (got, out) == (code, "")
    assert message in told
    assert told.count("\n") == 1
