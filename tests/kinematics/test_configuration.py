"""ABB's configuration data: quadrants and their edges, cfx by kind of arm, and the way back to the
posture.
"""

import numpy as np
import pytest
from grouped import together

import irbmodels as irb

SHIPPED = ["irb2400", "irb1400", "irb1600_6_120", "irb1600_10_145", "irb930"]
ROBOTS = {name: irb.load(name) for name in SHIPPED}


def inside(robot, count, seed=0):
    """Random positions inside the ranges."""
    limits = robot.limits
    return (
        np.random.default_rng(seed).uniform(limits.lower, limits.upper, (count, robot.n))
        @ np.linalg.inv(limits.A).T
    )


@together(
    "degrees, quadrant",
    [
        (0, 0),
        (45, 0),
        (89.9, 0),
        (90, 1),
        (135, 1),
        (180, 2),
        (270, 3),
        (360, 4),
        (-0.1, -1),
        (-45, -1),
        (-90, -1),
    ],
)
def test_quadrants(degrees, quadrant):
    """floor(q / 90 deg): 0 for 0 to 90, 1 for 90 to 180, -1 for 0 to -90; rounding below 0 is 0."""
    robot = ROBOTS["irb2400"]
    for axis, field in ((0, "cf1"), (3, "cf4"), (5, "cf6")):
        shown = np.array([10.0, 10, 10, 10, 10, 10])
        shown[axis] = degrees if axis == 5 else np.clip(degrees, -360, 360)
        if shown[axis] == degrees:
            solutions = robot.configuration(robot.from_controller(shown))
            assert getattr(solutions, field) == quadrant
            others = {"cf1", "cf4", "cf6"} - {field}
            assert all(getattr(solutions, other) == 0 for other in others)


@pytest.mark.parametrize(
    ("degrees", "quadrant"),
    [(-90.1, -2), (-180, -2), (-270, -3), (-271, -4), (-1e-13, 0), (399, 4)],
)
def test_quadrants_below_zero_and_beyond_a_turn(degrees, quadrant):
    """The same for axis 6, which turns farther; what rounding leaves below 0 is 0."""
    robot = ROBOTS["irb2400"]
    assert robot.configuration(robot.from_controller([10, 10, 10, 10, 10, degrees])).cf6 == quadrant


@pytest.mark.parametrize(
    ("name", "sure"),
    [("irb1600_6_120", True), ("irb2400", False), ("irb1400", False), ("irb930", False)],
)
def test_what_is_sure(name, sure):
    """Cfx is sure for serial arms alone, and nothing is on an edge other than 0."""
    robot = ROBOTS[name]
    shown = np.full(robot.n, 10.0)
    assert robot.configuration(robot.from_controller(shown)).sure is sure
    assert robot.configuration(robot.from_controller(np.zeros(robot.n))).sure is sure
    shown[0] = 90.0
    assert robot.configuration(robot.from_controller(shown)).sure is False
    assert str(robot.configuration(robot.from_controller(shown))).endswith("]?")
    assert robot.configuration(robot.from_controller(shown - 1e-3)).sure is sure


def test_quadrant_of_axis_two_is_cfx_of_a_parallelogram_arm():
    """ABB's rule for other robots."""
    robot = ROBOTS["irb2400"]
    for q2, cfx in ((10, 0), (95, 1), (-10, -1), (-95, -2)):
        assert robot.configuration(robot.from_controller([0, q2, q2, 0, 10, 0])).cfx == cfx


def test_cfx_of_a_serial_arm_is_where_its_parts_are():
    """4: wrist centre behind axis 1; 2: behind the lower arm, seen along the arm's heading; 1: axis
    5 negative.
    """
    robot, seen = ROBOTS["irb1600_6_120"], set()
    for q in inside(robot, 400, 1):
        shoulder, elbow, wrist = (
            robot.pose(q, frame).translation for frame in ("link_2", "link_3", "link_5")
        )
        heading = np.array([np.cos(q[0]), np.sin(q[0]), 0.0])
        lower, forearm = elbow - shoulder, wrist - elbow
        # about +y: forward
        side = np.cross(lower, forearm) @ np.array([-np.sin(q[0]), np.cos(q[0]), 0.0])
        expected = 4 * (wrist @ heading < 0.0) + 2 * (side < 0.0) + (q[4] < 0.0)
        assert robot.configuration(q).cfx == expected
        seen.add(expected)
    assert len(seen) >= 6


def test_cfx_of_a_scara_is_the_side_of_its_elbow():
    """0 for a positive axis 2, 1 for a negative one; cf6 is 0."""
    robot = ROBOTS["irb930"]
    assert robot.configuration(robot.from_controller([100, 30, -100, -200]))[:4] == (1, -3, 0, 0)
    assert robot.configuration(robot.from_controller([-10, -30, -100, 200]))[:4] == (-1, 2, 0, 1)


@pytest.mark.parametrize("name", SHIPPED)
def test_configuration_leads_back_to_the_posture(name):
    """Pose and configuration give the posture, full turns of axes 4 and 6 included; of a serial arm
    and a SCARA no other.
    """
    robot = ROBOTS[name]
    alone = 0
    for q in inside(robot, 60, 2):
        solutions = robot.inverse_kinematics(robot.pose(q), configuration=robot.configuration(q))
        assert np.abs(solutions.q - q).max(axis=1).min() < 1e-6
        assert all(
            solution.configuration[:4] == robot.configuration(q)[:4] for solution in solutions
        )
        alone += len(solutions) == 1
        batch = robot.inverse_kinematics(
            robot.pose(q).homogeneous[None], configuration=robot.configuration(q)[:4]
        )
        assert batch.valid.sum() == len(solutions)
        np.testing.assert_allclose(batch.q[0][batch.valid[0]], solutions.q, atol=1e-12)
    assert alone == 60 or name in ("irb2400", "irb1400")
    assert alone > 30


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("axis", [0, 3, -1])
def test_on_an_edge_both_sides_are_right(name, axis):
    """At multiples of 90 deg the posture has either quadrant; a thousandth of a degree beside it
    one of them.
    """
    robot = ROBOTS[name]
    for q in inside(robot, 5, 3):
        for turn in (-90.0, 0.0, 90.0):
            q[axis] = np.radians(turn)
            if name == "irb930" and axis == -1:
                continue
            numbers = list(robot.configuration(q)[:4])
            place = {0: 0, 3: 1, -1: 2}[axis]
            for quadrant in (turn // 90, turn // 90 - 1):
                numbers[place] = int(quadrant)
                solutions = robot.inverse_kinematics(robot.pose(q), configuration=numbers)
                assert np.abs(solutions.q - q).max(axis=1).min() < 1e-6
            beside = q.copy()
            beside[axis] += 2e-5
            solutions = robot.inverse_kinematics(robot.pose(beside), configuration=numbers)
            assert all(np.abs(solutions.q - beside).max(axis=1) > 1e-6)


def test_singular_postures_have_either_cfx():
    """On the edge of a bit of cfx both numbers choose the posture."""
    robot = ROBOTS["irb1600_6_120"]
    q = robot.from_controller([10, 20, 10, 10, 0, 20])
    for cfx in (0, 1):
        assert (
            len(robot.inverse_kinematics(robot.pose(q), near=q, configuration=(0, 0, 0, cfx))) == 1
        )
    for cfx in (2, 3, 4, 5, 6, 7):
        other = robot.inverse_kinematics(robot.pose(q), near=q, configuration=(0, 0, 0, cfx))
        assert not len(other) or np.abs(other.q - q).max(axis=1).min() > 0.1


def test_a_turn_out_of_range_is_shown_and_filtered():
    """The configuration tells the full turn: axis 6 at 440 deg is no solution in range."""
    robot = ROBOTS["irb1600_6_120"]
    q = robot.from_controller([10, 20, 10, 10, 30, 80])
    wanted = robot.configuration(q)._replace(cf6=4)
    (solutions,) = robot.inverse_kinematics(robot.pose(q), configuration=wanted)
    assert np.degrees(solutions.q[5]) == pytest.approx(440.0)
    assert not solutions.in_range
    filtered = robot.inverse_kinematics(robot.pose(q), configuration=wanted, in_range=True)
    assert (
        filtered.note
        == "none of 1 solutions is in range; the nearest has q6 = 440.0 not in -400 .. 400 deg"
    )
    assert robot.inverse_kinematics(
        robot.pose(q), configuration=wanted._replace(cf1=1)
    ).note.startswith("none of 8 solutions has")
    (near,) = robot.inverse_kinematics(
        robot.pose(q), configuration=robot.configuration(q), turns=True, near=q
    )
    assert near.distance < 1e-9


@together(
    "name, value, message",
    [
        ("irb2400", 3, "a configuration is four whole numbers (cf1, cf4, cf6, cfx), not 3"),
        ("irb2400", (1, 2, 3), "four whole numbers"),
        ("irb2400", (1, 2, 3, 4, 5, 6), "four whole numbers"),
        ("irb2400", (1, 2, 3, 0.5), "four whole numbers"),
        ("irb2400", (1, 2, 3, np.nan), "four whole numbers"),
        ("irb2400", (1, 2, 9e9, 0), "four whole numbers"),
        ("irb2400", "abcd", "four whole numbers"),
        ("irb1600_6_120", (0, 0, 0, 8), "cfx of this kind of arm is 0 to 7, not 8"),
        ("irb1600_6_120", (0, 0, 0, -1), "cfx of this kind of arm is 0 to 7, not -1"),
        ("irb930", (0, 0, 0, 2), "cfx of this kind of arm is 0 to 1, not 2"),
    ],
)
def test_wrong_configurations(name, value, message):
    """One line says what a configuration is."""
    with pytest.raises(irb.InputError) as caught:
        ROBOTS[name].inverse_kinematics(np.eye(4), configuration=value)
    assert message in str(caught.value)


def test_arms_without_closed_form_have_no_configuration():
    """MissingData, as for the inverse kinematics."""
    robot = irb.from_urdf(irb.urdf_path("positioner"))
    with pytest.raises(irb.MissingData, match="has no inverse kinematics"):
        robot.configuration(np.zeros(robot.n))
