"""Singularities in closed form against determinants and singular values of Pinocchio's Jacobian,
and motion through them.
"""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
from grouped import together
from own_arms import arm_urdf, urdf, written

import irbmodels as irb
from irbmodels.kinematics.singularities import damped_velocity, measures
from irbmodels.tasks.free_angle import feasible_angles

EXACT = 1e-12  # [m^3, -] sums of a dozen products up to 2
# [deg] how far each singularity is from the ranges of oracles.RANGES; 0: inside. stretched, folded,
# q5 = 180
OUTSIDE = {
    "irb2400_10": (79.8622 - 60.0, 100.1378 - 65.0, 60.0),  # docs/background/errata.md note A: 19.9
    "irb2400_16": (79.8622 - 60.0, 100.1378 - 65.0, 60.0),
    "irb1400": (80.5377 - 70.0, 99.4623 - 70.0, 65.0),
    "irb1600_6_120": (0.0, 35.0, 65.0),
    "irb1600_6_145": (0.0, 25.0, 65.0),
    "irb1600_10_120": (0.0, 35.0, 65.0),
    "irb1600_10_145": (0.0, 25.0, 65.0),
}


def in_range(name: str, count: int, seed: int = 0) -> np.ndarray:
    """Return random positions within the typed ranges, the coupled one of a parallelogram
    included.
    """
    span = oracles.ranges(name)
    q = np.random.default_rng(seed).uniform(span[:, 0], span[:, 1], (count, len(span)))
    if name in oracles.PARALLELOGRAM:
        q[:, 2] += q[:, 1]
    return q


def square(J: np.ndarray) -> np.ndarray:
    """Return the rows of a Jacobian that a robot's axes can move: of a SCARA vx, vy, vz, wz
    (S004).
    """
    return J if J.shape[-1] == 6 else J[..., [0, 1, 2, 5], :]


@together("name", oracles.NAMES)
@together("tool", [None, "spindle"])
def test_determinant_is_the_product_of_its_factors(name, tool):
    """The closed form is det J of Pinocchio's Jacobian, for any tool: in 300 positions, ranges
    ignored.
    """
    robot = irb.load(name, tool=tool)
    q = oracles.states(name, 300)[:, 0]
    J = np.array([robot.jacobian(one) for one in q])
    np.testing.assert_allclose(
        robot.singularities(q).determinant, np.linalg.det(square(J)), rtol=0, atol=EXACT
    )
    assert np.abs(np.linalg.det(square(J))).max() > 0.05


@pytest.mark.parametrize("name", oracles.SIX_AXIS)
def test_distances_lead_to_the_singularity(name):
    """Turning axis 5, or axis 3, by its distance makes J singular; the shoulder's is the wrist
    center's distance from axis 1.
    """
    robot = irb.load(name)
    for q in in_range(name, 50):
        found = robot.singularities(q)
        for axis, distance in ((4, found.wrist), (2, found.elbow)):
            assert abs(distance) <= np.pi / 2
            moved = q.copy()
            moved[axis] -= distance
            assert np.linalg.svd(robot.jacobian(moved), compute_uv=False)[-1] < 1e-12
        x, y, _ = robot.pose(q, "link_5").translation
        forward = np.cos(q[0]) * x + np.sin(q[0]) * y
        assert found.shoulder == pytest.approx(forward, abs=EXACT)
        assert np.hypot(x, y) == pytest.approx(abs(forward), abs=EXACT)


@pytest.mark.parametrize("name", oracles.SCARA_ARMS)
def test_a_scara_has_an_elbow_only(name):
    """Its elbow distance is that of q2 from 0 or half a turn; wrist and shoulder are infinitely
    far.
    """
    robot = irb.load(name)
    q = in_range(name, 50)
    found = robot.singularities(q)
    np.testing.assert_allclose(
        np.abs(np.sin(found.elbow)), np.abs(np.sin(q[:, 1])), rtol=0, atol=EXACT
    )
    assert (np.abs(found.elbow) <= np.pi / 2).all()
    assert np.isinf(found.wrist).all()
    assert np.isinf(found.shoulder).all()


@pytest.mark.parametrize("name", oracles.SIX_AXIS)
def test_ranges_say_which_singularities_can_happen(name):
    """The margins are those of the ranges, typed here; no position within the ranges comes nearer
    to the elbow's.
    """
    robot = irb.load(name)
    ways = robot.singular_postures()
    assert [way.kind for way in ways] == ["wrist", "wrist", "elbow", "elbow", "shoulder"]
    assert [way.edge for way in ways] == [
        "interior",
        "interior",
        "boundary",
        "boundary",
        "interior",
    ]
    stretched, folded, turned = OUTSIDE[name]
    assert np.degrees([way.outside for way in ways]) == pytest.approx(
        [0.0, turned, stretched, folded, 0.0], abs=1e-4
    )
    assert [way.reachable for way in ways] == [True, False, stretched == 0.0, False, True]
    nearest = np.abs(robot.singularities(in_range(name, 20000)).elbow).min()
    least = math.radians(min(stretched, folded))
    assert least - EXACT <= nearest < least + 0.01


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_10_145", "irb930_12_105"])
def test_reachable_ones_are_singular_and_others_not(name):
    """At the value of every wrist and elbow singularity within the ranges the smallest singular
    value of J is 0.
    """
    robot = irb.load(name)
    axis = {"wrist": 4, "elbow": 2 if robot.n == 6 else 1}
    for way in robot.singular_postures():
        for value in way.values if way.kind in axis else ():
            for q in in_range(name, 20):
                q[axis[way.kind]] = value + (
                    q[1] if name in oracles.PARALLELOGRAM and way.kind == "elbow" else 0.0
                )
                assert np.linalg.svd(robot.jacobian(q), compute_uv=False)[-1] < 1e-12
                assert bool(robot.in_range(q)) == way.reachable


@pytest.mark.parametrize("name", ["irb2400_16", "irb1400", "irb1600_6_120", "irb1600_10_145"])
def test_shoulder_heights_are_those_of_axis_1(name):
    """Positions within the ranges whose wrist center is on axis 1 lie at the heights stated, and
    come to their ends.
    """
    robot, (low, high) = irb.load(name), oracles.ranges(name)[2]
    way = robot.singular_postures()[-1]
    d1, a1, a2, a3, d4, _ = oracles.DIMENSIONS[name]
    heights = []
    # a1 + a2 sin q2 + a3 sin(q2 + r3) + d4 cos(q2 + r3) = 0, solved for q2
    for r3 in np.linspace(low, high, 20001):
        sine, cosine = a2 + a3 * np.cos(r3) - d4 * np.sin(r3), a3 * np.sin(r3) + d4 * np.cos(r3)
        size = np.hypot(sine, cosine)
        if size >= a1:
            for q2 in (np.arcsin(-a1 / size), np.pi - np.arcsin(-a1 / size)):
                q2 = (q2 - np.arctan2(cosine, sine) + np.pi) % (2 * np.pi) - np.pi
                if oracles.ranges(name)[1, 0] <= q2 <= oracles.ranges(name)[1, 1]:
                    heights.append(
                        d1 + a2 * np.cos(q2) + a3 * np.cos(q2 + r3) - d4 * np.sin(q2 + r3)
                    )
    heights = np.sort(heights)
    spans = np.array(way.values).reshape(-1, 2)
    within = [(heights >= start - 1e-9) & (heights <= end + 1e-9) for start, end in spans]
    assert np.any(within, axis=0).all()
    for inside, (start, end) in zip(within, spans, strict=True):
        assert heights[inside].min() == pytest.approx(start, abs=2e-3)
        assert heights[inside].max() == pytest.approx(end, abs=2e-3)
        assert np.diff(heights[inside]).max() < 5e-3  # no gap


@pytest.mark.parametrize("name", ["irb1600_10_145", "irb930_12_105"])
def test_a_stretched_arm_is_at_the_edge(name):
    """S004: with the elbow stretched the wrist center cannot go on outward; at the wrist
    singularity every direction is open.
    """
    robot = irb.load(name)
    space = robot.workspace()
    frame, plane = ("link_5", [0, 2]) if robot.n == 6 else ("tool0", [0, 1])
    q = np.zeros(robot.n)
    q[2 if robot.n == 6 else 1] = -np.pi / 2 if robot.n == 6 else 0.0
    around = (
        np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0, 2 * np.pi, 36, endpoint=False)])
        * 1e-3
    )
    stretched = robot.pose(q, frame).translation[plane] + around
    assert 16 <= space.in_plane(stretched).sum() <= 18
    q[2 if robot.n == 6 else 1] += 0.5
    assert space.in_plane(robot.pose(q, frame).translation[plane] + around).all()


@pytest.mark.parametrize("name", ["irb2400_16", "irb930_12_105"])
def test_measures_are_those_of_the_singular_values(name):
    """Manipulability is abs(det J); condition and smallest singular value are numpy's, one state or
    many.
    """
    robot = irb.load(name, tool="spindle")
    q = oracles.states(name, 12)[:, 0].reshape(3, 4, robot.n)
    found = robot.measures(q)
    assert found.condition.shape == (3, 4)
    for index in np.ndindex(3, 4):
        J, one = robot.jacobian(q[index]), robot.measures(q[index])
        assert one.manipulability == pytest.approx(abs(np.linalg.det(square(J))), rel=1e-9)
        assert one.condition == pytest.approx(np.linalg.cond(J), rel=1e-9)
        assert one.smallest == pytest.approx(np.linalg.norm(J, -2), rel=1e-9)
        assert one.smallest == pytest.approx(found.smallest[index], rel=1e-9)
        half = robot.measures(q[index], length=0.5)
        weighed = np.vstack([2.0 * J[:3], J[3:]])
        assert half.condition == pytest.approx(np.linalg.cond(weighed), rel=1e-9)
        # that of J itself, at any length
        assert half.manipulability == pytest.approx(one.manipulability, rel=1e-9)


def test_a_jacobian_without_inverse_has_infinite_condition():
    """Exactly singular: condition inf, no warning."""
    J = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    assert measures(J).condition == np.inf
    assert measures(J).smallest == 0.0


def test_damping_is_the_least_squares_formula():
    """``J' (J J' + lambda^2)^-1 twist`` with the damping that is returned; what is missed is the
    rest.
    """
    robot, rng = irb.load("irb2400", tool="spindle"), np.random.default_rng(3)
    q = in_range("irb2400_16", 200)
    q[:, 4] = rng.uniform(-0.2, 0.2, 200)
    twist = rng.normal(size=(200, 6))
    found = robot.damped_velocity(q, twist)
    assert 20 < np.count_nonzero(found.damping) < 200
    for one, wanted, v, missed, damping in zip(
        q, twist, found.v, found.missed, found.damping, strict=True
    ):
        J = robot.jacobian(one)
        smallest = np.linalg.svd(J, compute_uv=False)[-1]
        assert damping**2 == pytest.approx(
            max(0.0, 0.025**2 * (1.0 - (smallest / 0.05) ** 2)), abs=1e-15
        )
        expected = J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(6), wanted)
        np.testing.assert_allclose(v, expected, rtol=0, atol=1e-8)
        np.testing.assert_allclose(missed, wanted - J @ expected, rtol=0, atol=1e-8)
        if damping == 0.0:
            np.testing.assert_allclose(missed, 0.0, atol=1e-12)


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_damped_speeds_keep_their_bound(name):
    """From 1e-12 to 1 rad off each singularity the speed stays below 2/sqrt(3) abs(twist)/near;
    undamped it does not.
    """
    robot, rng = irb.load(name), np.random.default_rng(4)
    axis = 4 if robot.n == 6 else 1
    q = in_range(name, 400)
    q[:, axis] = np.geomspace(1e-12, 1.0, 400)
    twist = rng.normal(size=(400, 6))
    found = robot.damped_velocity(q, twist)
    speed = np.linalg.norm(found.v, axis=1)
    np.testing.assert_allclose(
        found.bound, 2.0 / np.sqrt(3.0) / 0.05 * np.linalg.norm(twist, axis=1), rtol=1e-12
    )
    assert (speed <= found.bound).all()
    assert robot.damped_velocity(q[0], twist[0], near=0.2).bound == pytest.approx(
        found.bound[0] / 4.0
    )
    assert (
        np.linalg.norm(np.linalg.pinv(robot.jacobian(q[100])) @ twist[100]) > 1e3 * found.bound[100]
    )


def test_the_bound_is_the_smallest_possible():
    """A Jacobian with the smallest singular value near/sqrt(3) comes to it, with a length other
    than 1 m too.
    """
    near, length = 0.1, 0.4
    J = np.diag([length, length, length, 1.0, 1.0, near / np.sqrt(3.0)])
    found = damped_velocity(J, [0, 0, 0, 0, 0, 1.0], near, length)
    assert np.linalg.norm(found.v) == pytest.approx(found.bound, rel=1e-12)
    for smallest in np.linspace(0.0, 0.2, 401):
        J[5, 5] = smallest
        assert np.linalg.norm(
            damped_velocity(J, [0, 0, 0, 0, 0, 1.0], near, length).v
        ) <= found.bound * (1.0 + 1e-12)
    assert damped_velocity(J, [length, 0, 0, 0, 0, 0], near, length).bound == pytest.approx(
        found.bound
    )


# --- a line through q5 = 0


def line(robot: irb.Robot, q: np.ndarray, shift: list[float], count: int = 301) -> np.ndarray:
    """Return poses from that of ``q`` along a straight line [m], the tool's direction kept."""
    poses = np.repeat(robot.pose(q).homogeneous[None], count, axis=0)
    poses[:, :3, 3] += np.linspace(0.0, 1.0, count)[:, None] * np.array(shift)
    return poses


def angle_between(one: np.ndarray, other: np.ndarray) -> float:
    """Return the angle of the rotation from one matrix to another."""
    turn = one.T @ other
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return float(np.arctan2(np.linalg.norm(skew), np.trace(turn) - 1.0))


@pytest.mark.parametrize(
    ("name", "tool"), [("irb2400", "spindle"), ("irb1400", None), ("irb1600_6_145", "spindle")]
)
@pytest.mark.parametrize("shift", [[0.1, 0.1, -0.4], [0.0, 0.0, -0.4], [-0.2, 0.02, -0.5]])
def test_a_line_passes_the_wrist_singularity(name, tool, shift):
    """The TCP stays on its line to 1e-12 m, the tool turns by less than the zone and only in it, no
    axis jumps.
    """
    robot = irb.load(name, tool=tool)
    start = robot.from_controller([5, 10, 5, 20, 12, 30])
    poses = line(robot, start, shift)
    found = robot.cross_wrist(poses, start)
    assert found.inside.any()
    assert not found.inside[[0, -1]].any()
    for q, wanted, turned, inside in zip(
        found.q, poses, found.orientation_error, found.inside, strict=True
    ):
        actual = robot.pose(q)
        np.testing.assert_allclose(actual.translation, wanted[:3, 3], rtol=0, atol=1e-12)
        assert turned == pytest.approx(angle_between(wanted[:3, :3], actual.rotation), abs=1e-12)
        assert turned <= (math.radians(5.0) if inside else 1e-12)
        assert inside or abs(q[4]) >= math.radians(5.0) - 1e-12
    assert found.orientation_error.max() > math.radians(0.3)
    swept = np.ptp(found.q[found.inside][:, [3, 5]], axis=0).max()
    assert swept < math.radians(92.0)  # of both wrists behind the zone the nearer one
    assert np.abs(np.diff(found.q, axis=0)).max() < math.radians(3.0)


def test_a_line_behind_the_robot_passes_too():
    """With the wrist center behind axis 1 the arm stays turned round."""
    robot = irb.load("irb2400")
    start = robot.from_controller([5, -80, -110, 20, 12, 30])
    assert robot.singularities(start).shoulder < -0.3
    poses = line(robot, start, [-0.02, 0.01, 0.15])
    found = robot.cross_wrist(poses, start)
    assert np.abs(found.q[:, 0] - start[0]).max() < 0.2
    for q, wanted in zip(found.q, poses, strict=True):
        np.testing.assert_allclose(robot.pose(q).translation, wanted[:3, 3], rtol=0, atol=1e-12)


def test_a_line_that_misses_the_singularity_is_met_exactly():
    """Nothing is turned when axis 5 stays outside the zone, and a smaller zone loses less."""
    robot = irb.load("irb2400", tool="spindle")
    start = robot.from_controller([5, 10, 5, 20, 40, 30])
    found = robot.cross_wrist(line(robot, start, [0.0, 0.1, -0.2]), start)
    assert not found.inside.any()
    assert found.orientation_error.max() < 1e-12
    start = robot.from_controller([5, 10, 5, 20, 12, 30])
    poses = line(robot, start, [-0.2, 0.02, -0.5], 2001)
    zones = [
        robot.cross_wrist(poses, start, math.radians(zone)).orientation_error.max()
        for zone in (2.0, 5.0, 10.0)
    ]
    assert zones[0] < zones[1] < zones[2]


def test_a_line_may_end_on_the_singularity():
    """Into q5 = 0 exactly, and out of it again: axis 4 stays."""
    robot = irb.load("irb1600")
    end = robot.from_controller([5, 10, 5, 20, 0, 30])
    poses = line(robot, end, [0.1, 0.1, -0.3])
    out = robot.cross_wrist(poses, end)
    np.testing.assert_allclose(out.q[0], end)
    back = robot.cross_wrist(poses[::-1], out.q[-1])
    assert abs(back.q[-1, 4]) < 1e-7
    assert out.orientation_error.max() <= math.radians(5.0)
    assert back.orientation_error[-1] < 1e-7


def test_a_crossing_refuses_what_it_cannot_follow():
    """A start that is elsewhere, a line out of reach, an arm without a wrist."""
    robot = irb.load("irb2400")
    start = robot.from_controller([5, 10, 5, 20, 12, 30])
    with pytest.raises(irb.InputError, match="the start is not on the first pose"):
        robot.cross_wrist(line(robot, start, [0.0, 0.0, 0.1]), start + 0.01)
    with pytest.raises(irb.InputError, match="mm is out of reach"):
        robot.cross_wrist(line(robot, start, [1.0, 0.0, 0.0]), start)
    with pytest.raises(irb.MissingData, match="no wrist to cross"):
        irb.load("irb930").cross_wrist(np.eye(4)[None], np.zeros(4))


# --- which arms


def own(seed, folder):
    """Return an arm with a spherical wrist of random lengths, sides and signs, on a base
    anywhere.
    """
    rng = np.random.default_rng(seed)
    a1, a2, a3, d4, side = rng.uniform([-0.3, 0.3, -0.2, 0.3, -0.3], [0.3, 0.9, 0.2, 0.9, 0.3])
    base = rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3)
    return (
        irb.from_urdf(
            written(arm_urdf(a1, a2, a3, d4, side, signs=rng.choice([-1, 1], 6), base=base), folder)
        ),
        rng,
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_closed_form_is_that_of_any_arm_of_the_shape(seed, tmp_path):
    """Base, signs of axes and offsets to the side anywhere: det J is Pinocchio's, and each factor
    is zero where it says so.
    """
    robot, rng = own(seed, tmp_path)
    q = rng.uniform(-np.pi, np.pi, (30, 6))
    found = robot.singularities(q)
    np.testing.assert_allclose(
        found.determinant, np.linalg.det(robot.jacobian(q)), rtol=0, atol=1e-13
    )
    for way in robot.singular_postures()[:4]:
        one = q[0].copy()
        axis = 4 if way.kind == "wrist" else 2  # ranges of three turns each way: all are reached
        assert way.reachable
        one[axis] = way.values[0]
        assert abs(getattr(robot.singularities(one), way.kind)) < 1e-12
        assert abs(np.linalg.det(robot.jacobian(one))) < 1e-13


def test_a_scara_of_ones_own_may_hang(tmp_path):
    """Upside down, an arm turning the other way: rows vx, vy, vz, wz of Pinocchio's Jacobian."""
    joints = [
        ("fixed", (0.1, 0.2, 2.0), (np.pi, 0, 0.4), (1, 0, 0)),
        ("revolute", (0, 0, 0.2), (0, 0, 0), (0, 0, 1)),
        ("revolute", (0.4, 0, 0), (0, 0, 0), (0, 0, -1)),
        ("prismatic", (0.3, 0.1, 0), (0, 0, 0), (0, 0, 1)),
        ("revolute", (0, 0, 0), (0, 0, 0), (0, 0, 1)),
        ("fixed", (0.1, 0, 0.1), (0, 0, 0), (1, 0, 0)),
    ]
    robot = irb.from_urdf(written(urdf(joints), tmp_path))
    q = np.random.default_rng(3).uniform(-1.5, 1.5, (20, 4))
    expected = np.linalg.det(robot.jacobian(q)[:, [0, 1, 2, 5]])
    np.testing.assert_allclose(robot.singularities(q).determinant, expected, rtol=0, atol=1e-14)


def test_a_parallelogram_from_a_urdf_has_the_same_distances():
    """Controller axes, from the file with mimic joints."""
    robot, file = irb.load("irb2400"), irb.from_urdf(irb.urdf_path("irb2400", "parallelogram"))
    q = oracles.states("irb2400_16", 20)[:, 0]
    for mine, theirs in zip(robot.singularities(q), file.singularities(q), strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=0, atol=1e-12)


def test_a_crossing_on_an_arm_of_ones_own(tmp_path):
    """A line through axis 5 in line keeps the TCP on it whatever the arm's base and signs."""
    robot, _ = own(5, tmp_path)
    in_line = min(robot.singular_postures()[0].values, key=abs)
    middle = np.array([0.3, 0.4, 0.5, 0.6, in_line + 0.01, 0.2])
    poses = np.repeat(robot.pose(middle).homogeneous[None], 401, axis=0)
    poses[:, :3, 3] += np.linspace(-0.03, 0.03, 401)[:, None] * [1.0, 0.5, -1.0]
    start = robot.inverse_kinematics(poses[0], near=middle)[0].q
    found = robot.cross_wrist(poses, start, zone=0.1)
    assert found.inside.any()
    assert found.orientation_error[~found.inside].max() < 1e-10
    for q, wanted in zip(found.q, poses, strict=True):
        np.testing.assert_allclose(robot.pose(q).translation, wanted[:3, 3], rtol=0, atol=1e-10)


def test_singularities_of_an_offset_wrist_have_no_factors(tmp_path):
    """An arm whose wrist axes miss one point has a determinant, and no distance from singularities
    of one part; what is named after them is refused.
    """
    robot = irb.from_urdf(written(arm_urdf(wrist=(0.0, 0.0, 0.01)), tmp_path))
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (5, 4, 6))
    found = robot.singularities(q)
    assert np.isnan(found[:3]).all()
    np.testing.assert_allclose(found.determinant, np.linalg.det(robot.jacobian(q)), atol=1e-12)
    assert np.ndim(robot.singularities(q[0, 0]).determinant) == 0
    with pytest.raises(irb.MissingData, match="the wrist is not spherical: singular postures"):
        robot.singular_postures()
    with pytest.raises(irb.MissingData, match="the wrist is not spherical: q5 = 0 is no singul"):
        robot.cross_wrist(robot.pose(q[0, :2]), q[0, 0])
    with pytest.raises(irb.MissingData, match="the wrist of own is not spherical: a free angle"):
        feasible_angles(robot, robot.pose(q[0, 0]))


def test_a_wrist_folded_back_keeps_its_posture(tmp_path):
    """Axis 5 half a turn on: axes 4 and 6 are one line there too, and turn against each other."""
    robot, _ = own(5, tmp_path)
    near, far = sorted(robot.singular_postures()[1].values, key=abs)[:2]
    q = np.array([0.3, 0.4, 0.5, 0.6, near, 0.2])
    np.testing.assert_allclose(
        robot.cross_wrist(robot.pose(q).homogeneous[None], q).q[0], q, rtol=0, atol=1e-9
    )
    assert abs(near - far) == pytest.approx(2.0 * np.pi)
