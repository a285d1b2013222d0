"""Milling: the force of a cut, its torques on the axes, the deflection of springs, and costs of
postures.
"""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from misuse import refused_in_one_line
from scipy.integrate import quad
from scipy.optimize import root

import irbmodels as irb
from irbmodels.tasks.free_angle import choose_angle
from irbmodels.tasks.milling import (
    CuttingForce,
    Milling,
    deflected,
    deflection_cost,
    process_load,
    process_torque,
    process_wrench,
    torque_cost,
)
from irbmodels.trajectory import Motion

STIFFNESS = np.array([4e5, 5e5, 3e5, 4e4, 5e4, 2e4])  # made up


@pytest.fixture(scope="module")
def robot():
    return irb.load("irb2400", tool="spindle")


def cut(**changed):
    """Return a cut of 8 mm by 1 mm, 0.1 mm per tooth, with pressures of the size of aluminium's."""
    numbers = {"diameter": 0.008, "teeth": 2, "depth": 1e-3, "width": 3e-3, "feed_per_tooth": 1e-4}
    return Milling(**{**numbers, "pressure": (7e8, 2.5e8, 1e8), "edge": (9e3, 6e3, 2e3), **changed})


@together("side", ["climb", "conventional"])
@together("width", [0.5e-3, 3e-3, 4e-3, 6.5e-3, 8e-3])
def test_the_mean_is_the_average_over_a_turn(side, width):
    """Closed form against quadrature of the tooth that is engaged."""
    milling = cut(width=width, side=side, teeth=3)
    low, high = milling.engaged
    spacing = math.tau / 3  # what one tooth does in a whole turn, three do in a third of it
    corners = sorted(np.mod([low, high], spacing).tolist())
    for k, mean in enumerate(milling.mean()):
        average = (
            quad(
                lambda t, k=k: float(milling.over_a_turn(t)[k]),
                0.0,
                spacing,
                points=corners,
                epsabs=1e-12,
            )[0]
            / spacing
        )
        assert mean == pytest.approx(average, rel=1e-8, abs=1e-9)


def test_the_work_of_a_turn_is_the_pressure_on_what_is_removed():
    """Without edge forces the torque over a turn does the work Kt times the volume cut: depth,
    width, feed per tooth, teeth.
    """
    for side in ("climb", "conventional"):
        milling = cut(edge=(0.0, 0.0, 0.0), side=side)
        removed = milling.depth * milling.width * milling.feed_per_tooth * milling.teeth
        assert -milling.mean().torque * math.tau == pytest.approx(7e8 * removed, rel=1e-12)


def test_sides_of_a_cut():
    """The tool is held back in a slot; a tangential force alone pulls it forward in climb, and
    pushes it away from the wall.
    """
    slot = cut(width=0.008, edge=(0.0, 0.0, 0.0))
    assert slot.mean().feed < 0.0
    assert slot.mean() == pytest.approx(
        cut(width=0.008, edge=(0.0, 0.0, 0.0), side="conventional").mean(), abs=1e-12
    )
    pure = {"pressure": (7e8, 0.0, 0.0), "edge": (0.0, 0.0, 0.0)}
    climb, against = cut(**pure).mean(), cut(**pure, side="conventional").mean()
    assert climb.feed == pytest.approx(-against.feed)
    assert climb.feed > 0.0
    assert climb.across == pytest.approx(against.across)
    assert climb.across < 0.0
    assert cut(pressure=(0.0, 0.0, 1e8), edge=(0.0, 0.0, 0.0)).mean()[:2] == (0.0, 0.0)


@together(
    "changed, message",
    [
        ({"width": 9e-3}, "wider than its cutter"),
        ({"teeth": 0}, "teeth of a cutter must be a whole number, at least 1, got 0"),
        ({"depth": math.nan}, "depth of a cut .* must be a positive finite number, got nan"),
        ({"pressure": (1e8, 2e8)}, "pressure of a cut .* needs \\(3,\\) finite numbers"),
        ({"edge": (1.0, 2.0, math.inf)}, "edge of a cut .* needs \\(3,\\) finite numbers"),
        ({"side": "down"}, "a cut is climb or conventional, not 'down'"),
        ({"diameter": 8.0}, "lengths of a cut are in metres"),
        ({"diameter": "8"}, "diameter of a cut .* must be a positive finite number, got '8'"),
        ({"pressure": 5.0}, "pressure of a cut .* needs \\(3,\\) finite numbers"),
        ({"teeth": 2.5}, "teeth of a cutter must be a whole number, at least 1, got 2.5"),
    ],
)
def test_a_cut_that_cannot_be(changed, message):
    refused_in_one_line(lambda: cut(**changed), message)


def motion_of(robot, n=5):
    rng = np.random.default_rng(4)
    q = np.array([robot.from_controller([10, 20, 15, 30, 40, 50])] * n) + rng.uniform(
        -0.1, 0.1, (n, 6)
    )
    return Motion(
        np.arange(n) * 0.1, q, rng.uniform(-0.5, 0.5, (n, 6)), rng.uniform(-0.5, 0.5, (n, 6))
    )


def test_wrench_in_the_frame_of_the_cut(robot):
    """Feed along the TCP's motion, axial along its z; turned by hand."""
    q = robot.from_controller([10, 20, 15, 30, 40, 50])
    R = robot.pose(q).rotation
    wrench = process_wrench(
        robot, q, 2.0 * R @ [0.6, 0.8, 0.0], CuttingForce(10.0, 20.0, 30.0, -2.0)
    )
    x, y = np.array([0.6, 0.8, 0.0]), np.array([-0.8, 0.6, 0.0])
    expected = np.concatenate([R @ (10.0 * x + 20.0 * y + [0.0, 0.0, 30.0]), R @ [0.0, 0.0, -2.0]])
    np.testing.assert_allclose(wrench, expected, rtol=0, atol=1e-12)
    with pytest.raises(irb.InputError, match="along the tool's axis"):
        process_wrench(robot, q, R[:, 2], CuttingForce(1.0, 0.0, 0.0))
    with pytest.raises(irb.InputError, match="feed of sample 1 is zero"):
        process_wrench(
            robot, np.array([q, q]), [R[:, 0], [0.0, 0.0, 0.0]], CuttingForce(1.0, 0.0, 0.0)
        )


def test_axis_torques_of_a_cut_are_those_of_inverse_dynamics(robot):
    """The motion's torque with the wrench handed to inverse dynamics; a slower feed has the same
    wrench, standing still none.
    """
    motion = motion_of(robot)
    motion.v[3] = 0.0
    actual = process_load(robot, motion, CuttingForce(-80.0, -120.0, 40.0, -0.5))
    for i in range(5):
        J = robot.jacobian(motion.q[i])
        whole = robot.inverse_dynamics(
            motion.q[i], motion.v[i], motion.a[i], wrench=actual.wrench[i]
        )
        np.testing.assert_allclose(actual.total[i], whole, rtol=0, atol=1e-9)
        np.testing.assert_allclose(actual.share[i], np.abs(whole) / robot.limits.effort, rtol=1e-9)
        if i == 3:
            assert not actual.wrench[i].any()
        else:
            feed = (J @ motion.v[i])[:3]
            force = robot.pose(motion.q[i]).rotation.T @ actual.wrench[i, :3]
            assert force[2] == pytest.approx(40.0)
            assert np.linalg.norm(force) == pytest.approx(math.sqrt(80.0**2 + 120.0**2 + 40.0**2))
            assert actual.wrench[i, :3] @ feed < 40.0 * abs(
                feed @ robot.pose(motion.q[i]).rotation[:, 2]
            )  # held back
    slow = process_load(
        robot, motion._replace(v=0.5 * motion.v), CuttingForce(-80.0, -120.0, 40.0, -0.5)
    )
    np.testing.assert_allclose(slow.wrench, actual.wrench, rtol=0, atol=1e-9)


def test_deflection_is_where_springs_and_force_are_in_balance(robot):
    """Where the slopes of the TCP's own height in the force hold the springs; equal to what is
    linear in the force.
    """
    motion = motion_of(robot, 1)
    actual = process_load(robot, motion, CuttingForce(-8.0, -12.0, 4.0), STIFFNESS)
    force, q = actual.wrench[0, :3], motion.q[0]

    def unbalance(bent):
        slopes = [
            robot.pose(q + bent + h).translation - robot.pose(q + bent - h).translation
            for h in 1e-5 * np.eye(6)
        ]
        return STIFFNESS * bent - np.array(slopes) @ force / 2e-5

    best = root(unbalance, np.zeros(6), tol=1e-12).x
    moved = robot.pose(q + best)
    np.testing.assert_allclose(
        actual.deflection[0, :3],
        moved.translation - robot.pose(q).translation,
        rtol=5e-4,
        atol=1e-9,
    )
    turned = robot.pose(q).rotation @ pin.log3(robot.pose(q).rotation.T @ moved.rotation)
    np.testing.assert_allclose(actual.deflection[0, 3:], turned, rtol=5e-4, atol=1e-9)
    assert 1e-5 < np.linalg.norm(actual.deflection[0, :3]) < 1e-4


def test_an_axis_without_a_spring_does_not_give(robot):
    """Infinite stiffness takes an axis out; half of it doubles the deflection; work is positive."""
    q = robot.from_controller([10, 20, 15, 30, 40, 50])
    J, w = robot.jacobian(q), np.array([10.0, 20.0, 30.0, 1.0, 2.0, 3.0])
    only = np.full(6, np.inf)
    only[1] = 2e5
    np.testing.assert_allclose(deflected(J, w, only), J[:, 1] * (J[:, 1] @ w) / 2e5, rtol=1e-12)
    np.testing.assert_allclose(
        deflected(J, w, STIFFNESS / 2.0), 2.0 * deflected(J, w, STIFFNESS), rtol=1e-12
    )
    assert deflected(J, w, STIFFNESS) @ w > 0.0
    with pytest.raises(irb.InputError, match="one positive number per axis"):
        deflected(J, w, STIFFNESS[:5])
    with pytest.raises(irb.InputError, match="one positive number per axis"):
        deflected(J, w, -STIFFNESS)


def test_costs_of_postures(robot):
    """Largest share of gravity and cut together; deflection over what is allowed.

    The feed stays where the path has it.
    """
    force, feed = CuttingForce(-80.0, -120.0, 40.0), np.array([0.6, 0.8, 0.0])
    q, phi = motion_of(robot).q, np.linspace(-2.0, 2.0, 5)
    share = torque_cost(force, feed)(robot, q, phi)
    bent = deflection_cost(force, STIFFNESS, 2e-4, feed)(robot, q, phi)
    for i, one in enumerate(q):
        # of the pose that the tool is turned from
        path = robot.pose(one).rotation @ pin.exp3(np.array([0.0, 0.0, -phi[i]]))
        w = process_wrench(robot, one, path @ feed, force)
        held = robot.inverse_dynamics(one, np.zeros(6), np.zeros(6), wrench=w, friction=False)
        assert share[i] == pytest.approx((np.abs(held) / robot.limits.effort).max())
        assert bent[i] == pytest.approx(
            np.linalg.norm(deflected(robot.jacobian(one), w, STIFFNESS)[:3]) / 2e-4
        )
    with pytest.raises(irb.InputError, match=r"allowed deflection .* must be a positive"):
        deflection_cost(force, STIFFNESS, 0.0)


def test_a_free_angle_is_chosen_for_its_stiffness(robot):
    """Along a straight cut the choice by deflection gives way less than one that only looks at
    ranges.
    """
    start = robot.pose(robot.from_controller([0, 20, 20, 0, 40, 0])).homogeneous
    poses = np.repeat(start[None], 8, axis=0)
    poses[:, :3, 3] += np.linspace(0.0, 0.1, 8)[:, None] * start[:3, 0]
    force = CuttingForce(-80.0, -120.0, 40.0)
    cost = deflection_cost(force, STIFFNESS, 1e-4)
    stiff, free = choose_angle(robot, poses, cost=cost), choose_angle(robot, poses)
    assert cost(robot, stiff.q, stiff.phi).mean() < 0.95 * cost(robot, free.q, free.phi).mean()
    np.testing.assert_allclose(robot.pose(stiff.q)[:, :3, 3], poses[:, :3, 3], rtol=0, atol=1e-9)


def test_loads_without_a_force_or_a_speed():
    """A motion without speeds."""
    robot = irb.load("irb2400")
    with pytest.raises(irb.InputError, match="needs a motion with speeds"):
        process_load(robot, Motion(np.zeros(1), np.zeros((1, 6))), CuttingForce(1.0, 0.0, 0.0))
    with pytest.raises(
        irb.InputError,
        match=r"a force is a CuttingForce, as Milling\(...\).mean\(\) returns it, not Milling",
    ):
        process_load(robot, motion_of(robot), cut())
    with pytest.raises(irb.InputError, match=r"a cutting force .* needs .4,. finite numbers"):
        process_load(robot, motion_of(robot), CuttingForce(math.nan, 1.0, 2.0))


ROBOT, FORCE = irb.load("irb2400"), CuttingForce(-80.0, -120.0, 40.0)
STILL = np.radians([0, 20, 20, 0, 40, 0])
MISUSED = {
    "angle in words": (lambda: cut().over_a_turn("a"), r"angle \[rad\] is not an array of numbers"),
    "side as an array": (lambda: cut(side=np.zeros(3)), "a cut is climb or conventional, not"),
    "depth as a flag": (
        lambda: cut(depth=True),
        r"depth of a cut \[m\] must be a positive finite number, got True",
    ),
    "pressures in words": (
        lambda: cut(pressure=("a", "b", "c")),
        "pressure of a cut .* is not an array of numbers",
    ),
    "wrench of no robot": (
        lambda: process_wrench("irb2400", STILL, [1, 0, 0], FORCE),
        "a cut is one of an irbmodels.Robot",
    ),
    "wrench of a number": (
        lambda: process_wrench(ROBOT, STILL, [1, 0, 0], 80.0),
        "a force is a CuttingForce, .* not 80.0",
    ),
    "feed of two": (
        lambda: process_wrench(ROBOT, STILL, [1, 0], FORCE),
        r"feed needs \(3,\) finite numbers",
    ),
    "feed of others": (
        lambda: process_wrench(ROBOT, STILL, np.ones((2, 3)) @ np.diag([1, 2, 0]), None),
        "a force is a",
    ),
    "load of a list": (
        lambda: process_load(ROBOT, [1.0], FORCE),
        "a process load needs a Motion, not",
    ),
    "load of another": (
        lambda: process_load(ROBOT, Motion(np.arange(2.0), *np.zeros((3, 2, 4))), FORCE),
        r"q of a motion of irb2400_16 needs shape \(2, 6\), got \(2, 4\)",
    ),
    "cuts of one": (
        lambda: process_torque(ROBOT, STILL[None], STILL[None], FORCE, cuts=np.array([1])),
        r"cuts need one True or False per sample, shape \(1,\)",
    ),
    "speed of one": (
        lambda: process_torque(ROBOT, STILL[None], STILL, FORCE),
        r"v needs \(1, 6\) finite numbers",
    ),
    "one posture": (
        lambda: process_torque(ROBOT, STILL, STILL, FORCE),
        r"q needs shape \(N, 6\), got \(6,\)",
    ),
    "J of a word": (lambda: deflected("J", np.ones(6), STIFFNESS), "J is not an array of numbers"),
    "J of a vector": (
        lambda: deflected(np.ones(6), np.ones(6), STIFFNESS),
        r"J needs shape \(..., 6, n\)",
    ),
    "wrench at nan": (
        lambda: deflected(np.ones((6, 6)), np.full(6, np.nan), STIFFNESS),
        r"wrench .* needs \(6,\) finite",
    ),
    "cost of no force": (lambda: torque_cost(80.0), "a force is a CuttingForce, .* not 80.0"),
    "cost of no feed": (
        lambda: torque_cost(FORCE, (0, 0, 0)),
        "the feed needs a direction, got 0, 0, 0",
    ),
    "cost of a spring": (
        lambda: deflection_cost(FORCE, 1e5, 1e-4),
        "a stiffness needs one positive number per axis",
    ),
    "cost in words": (
        lambda: deflection_cost(FORCE, STIFFNESS, "a"),
        "the allowed deflection .* got 'a'",
    ),
}


@together("name", MISUSED)
def test_misuse_is_one_clear_line(name):
    refused_in_one_line(*MISUSED[name])
