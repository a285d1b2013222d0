"""Postures on and next to singularities, poses on and beyond the edge of the workspace."""

from functools import cache

import numpy as np
import oracles
import pinocchio as pin
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from inverse_cases import CLOSE, EPS, ROBOTS, apart, forward, least_sine
from own_arms import arm_urdf, written

import irbmodels as irb

DELTAS = st.one_of(st.just(0.0), st.floats(-12.0, -3.0).map(lambda e: 10.0**e))
ANGLES = st.floats(-3.0, 3.0)
THREE = pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb1400"])


def check_at(name, q, delta, which, spread=1.0):
    """All solutions close; with the posture as seed the first is that posture; flags tell the
    singularity and no other.
    """
    T, robot = forward(name, q[None])[0], ROBOTS[name]
    for seed in (None, q):
        solutions = robot.inverse_kinematics(T, near=seed)
        assert len(solutions) > 0
        assert np.isfinite(solutions.q).all()
        assert np.abs(forward(name, solutions.q) - T).max() < CLOSE
    # of the elbow, where lengths are told to 1e-12 m
    touching = 3e-6 if which == "elbow" and delta < 1e-5 else 1e-9
    assert apart(name, solutions.q, q).min() < spread * (touching + EPS / max(delta, 1e-12))
    flagged = [getattr(solution.flags, which) for solution in solutions]
    if delta == 0.0:
        assert any(flagged)
    if delta > 1e-5:
        assert not any(flagged)
    batch = robot.inverse_kinematics(T[None], near=q)
    assert batch.valid.sum() == len(solutions)


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
    """The arm stretched and folded, and beside: no solution is lost by rounding, and both elbows
    are one on the edge.
    """
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
    posture[2] = (
        forearm - np.arctan2(d4, a3) - (0.0 if name in oracles.PARALLELOGRAM else posture[1])
    )
    rest = abs(np.sin(posture[4]) * np.sin(forearm - posture[1]))
    assume(rest > 1e-3)
    check_at(name, posture, delta, "shoulder", 1.0 / rest)


@settings(max_examples=60, deadline=None)
@given(q=st.tuples(*[ANGLES] * 3), delta=DELTAS, side=st.sampled_from([1, -1]), over=st.booleans())
def test_at_the_elbow_singularity_of_the_scara(q, delta, side, over):
    """Both arms in line."""
    check_at(
        "irb930_12_105",
        np.array([q[0], side * (np.pi - delta if over else delta), -0.1, q[2]]),
        delta,
        "elbow",
        1.0 / 0.07,
    )


@THREE
@settings(max_examples=60, deadline=None)
@given(
    direction=ANGLES,
    turn=ANGLES,
    beyond=st.floats(-12.0, 0.5).map(lambda e: 10.0**e),
    out=st.booleans(),
)
def test_beyond_the_edge(name, direction, turn, beyond, out):
    """A wrist centre outside the reach, or in the hole around axis 2, is missed by as much; within
    1e-10 m it is answered.
    """
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
    robot = at_wrist(name)
    solutions = robot.inverse_kinematics(T)
    if missing > 2e-10:
        assert len(solutions) == 0
        assert solutions.missing == pytest.approx(missing, abs=1e-14, rel=1e-9)
        assert solutions.note == f"out of reach by {1000.0 * solutions.missing:.6g} mm"
        assert robot.inverse_kinematics(T[None]).missing[0] == solutions.missing
        assert not robot.inverse_kinematics(T[None]).valid.any()
    elif missing < 0.5e-10:
        assert len(solutions) > 0
        assert solutions.missing == 0.0
        assert (
            max(np.abs(robot.pose(solution.q).homogeneous - T).max() for solution in solutions)
            < CLOSE
        )


@cache
def at_wrist(name):
    """Return the robot with its TCP at the wrist centre."""
    tcp = pin.SE3(np.eye(3), np.array([0, 0, -wrist(name)]))
    return irb.load(name).with_tool(irb.Tool("wrist", tcp, irb.payload(1.0)))


def wrist(name):
    """Return the distance of the wrist centre below tool0 [m]."""
    return oracles.DIMENSIONS[name][5]


def test_free_axes_are_kept_or_zero():
    """On a singularity the free axis is the seed's, or 0 without one, or the posture whose other
    axes follow.
    """
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
    assert all(s.flags == (False, False, True, False) for s in still)
    assert (np.abs(still.q[:, 0]) < 1e-12).all()
    np.testing.assert_allclose(kept.q[:, 0], 0.9, atol=1e-12)
    np.testing.assert_allclose(kept[0].q, q, atol=1e-9)


def test_arm_folded_to_a_point():
    """With arms of equal length the wrist centre can be on axis 2: axis 2 is then free, and
    kept.
    """
    robot = irb.from_urdf(
        written(arm_urdf(a2=0.6, a3=0.0, d4=0.6).replace('"0.01 -0.1 0.6"', '"0 -0.1 0.6"'))
    )
    q = np.array([0.3, 0.4, np.pi / 2, 0.5, 0.6, 0.7])  # the forearm back along the lower arm
    solutions = robot.inverse_kinematics(robot.pose(q), near=q)
    assert solutions[0].flags.elbow
    assert np.abs(solutions[0].q - q).max() < 1e-9
    free = robot.inverse_kinematics(robot.pose(q))
    assert any(abs(solution.q[1]) < 1e-12 for solution in free)
    for solution in free:
        assert np.abs(robot.pose(solution.q).homogeneous - robot.pose(q).homogeneous).max() < CLOSE
