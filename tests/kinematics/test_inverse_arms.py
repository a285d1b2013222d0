"""Arms of the same shapes that nobody sells, other trees, tools."""

import numpy as np
import pinocchio as pin
import pytest
from inverse_cases import CLOSE, apart, least_sine, postures, same_sets
from own_arms import arm_urdf, urdf, written

import irbmodels as irb


@pytest.mark.parametrize("seed", range(12))
def test_arms_of_that_shape_by_urdf(seed, tmp_path):
    """Any base, signs of axes, offsets to the side, in front and behind: all solutions close, the
    posture is among them.
    """
    rng = np.random.default_rng(seed)
    a1, a2, a3, d4, side = rng.uniform([-0.3, 0.3, -0.2, 0.3, -0.3], [0.3, 0.9, 0.2, 0.9, 0.3])
    base = rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3)
    signs = rng.choice([-1, 1], 6)
    robot = irb.from_urdf(
        written(
            arm_urdf(a1, a2, a3, d4, side if seed % 3 else 0.0, signs=signs, base=base), tmp_path
        )
    )
    Q = rng.uniform(-np.pi, np.pi, (40, 6))
    T = np.array([robot.pose(q).homogeneous for q in Q])
    solutions = robot.inverse_kinematics(T)
    assert np.nanmin(apart("own", solutions.q, Q[:, None]), axis=1).max() < 1e-7
    for i, slot in np.argwhere(solutions.valid):
        assert np.abs(robot.pose(solutions.q[i, slot]).homogeneous - T[i]).max() < CLOSE
    assert (solutions.valid.sum(axis=1) >= 2).all()
    # axis 5 where axes 4 and 6 are in line, nearest to 0: positive is above it
    in_line = -0.5 * signs[4]
    for slots, sign in ((solutions.q[:, ::2, 4], 1.0), (solutions.q[:, 1::2, 4], -1.0)):
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
        solutions = centre.inverse_kinematics(T)
        assert len(solutions) == 0
        assert solutions.missing == pytest.approx(0.25 - near_axis, abs=1e-12)
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
            (
                {"r": "revolute", "p": "prismatic"}[letter],
                rng.uniform(0.2, 0.5, 3),
                (flip, 0, rng.uniform(-1, 1)),
                (0, 0, up),
            )
        )
    robot = irb.from_urdf(
        written(urdf([*joints, ("fixed", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), (1, 0, 0))]), tmp_path)
    )
    slide = order.index("p")
    for q in rng.uniform(-np.pi, np.pi, (40, 4)):
        solutions = robot.inverse_kinematics(robot.pose(q))
        assert len(solutions) == 2
        off = solutions.q - q
        off -= 2.0 * np.pi * np.round(off / (2.0 * np.pi)) * (np.arange(4) != slide)
        assert np.abs(off).max(axis=1).min() < 1e-9
        for solution in solutions:
            assert (
                np.abs(robot.pose(solution.q).homogeneous - robot.pose(q).homogeneous).max() < CLOSE
            )


def test_both_trees_of_a_parallelogram_give_the_same():
    """The solutions are in controller axes on either tree, and from the URDF with mimic joints."""
    q = np.array([0.3, 0.4, 0.2, 0.5, 0.6, 0.7])
    robot = irb.load("irb2400", coupling="serial")
    expected = robot.inverse_kinematics(robot.pose(q)).q
    for other in (
        irb.load("irb2400", coupling="parallelogram"),
        irb.from_urdf(irb.urdf_path("irb2400", "parallelogram")),
    ):
        assert same_sets("irb2400", other.inverse_kinematics(robot.pose(q)).q, expected, 1e-9)
        assert other.configuration(q) == robot.configuration(q)


def test_tool_and_flange_give_the_same():
    """Solutions of a tool's pose are those of the flange's."""
    rng = np.random.default_rng(8)
    for name in ("irb2400_16", "irb1600_6_120", "irb930_12_105"):
        robot = irb.load(name)
        turn = pin.exp3(rng.normal(size=3))
        tooled = robot.with_tool(
            irb.Tool("own", pin.SE3(turn, rng.uniform(-0.5, 0.5, 3)), irb.payload(1.0))
        )
        for q in postures(name, 20, seed=9):
            a, b = (
                tooled.inverse_kinematics(tooled.pose(q)),
                robot.inverse_kinematics(robot.pose(q)),
            )
            assert len(a) == len(b)
            assert (apart(name, a.q, b.q) * max(least_sine(name, q[None])[0], 1e-6) < 1e-11).all()
