"""The CRB 15000 as shipped: poses and extremes as ABB prints them, and what follows from postures."""

import numpy as np
import pinocchio as pin
import pytest
from test_inverse_offset_wrist import GOFA, LONG, apart, mdh_pose

import irbmodels as irb
from irbmodels import rapid
from irbmodels.report.workspace_drawing import workspace_tables
from irbmodels.tasks.path_check import check_path, programmed_motion

TWELVE = {"d1": 0.338, "a1": 0.0, "a2": 0.707, "a3": 0.110, "d4": 0.534, "d6": 0.101, "a5": 0.080}
"""CRB 15000-12/1.27 [m]."""
ARMS = {  # lengths, range of axis 1 [deg], largest joint torques of the manual 3HAC077389-001 [N m]
    "crb15000_5_95": (GOFA, 180, [175.44, 175.44, 90.6, 18.72, 21.44, 9.2]),
    "crb15000_10_152": (LONG, 270, [450, 400, 160, 60, 60, 60]),
    "crb15000_12_127": (TWELVE, 270, [390, 400, 160, 60, 60, 60]),
}
# x and z of the flange [mm] at axes 2, 3 and 5 [deg], as ABB's working range of the
# CRB 15000-12/1.27 has them: work-r-labs/robots, library/ABB/CRB15000_12kg_127_v1 (MIT)
DRAWN_12 = [
    (635, 1235, 0, 0, 0),
    (0, 1719, 0, -78.4, 26.7),
    (1381, 338, 90, -78.4, 26.7),
    (0, -1043, 180, -78.4, 26.7),
    (-1381, 338, -90, -78.4, 26.7),
    (-674, -369, 180, 11.6, 26.7),
    (-193, 277, 180, 85, 26.7),
    (674, -369, 180, -168.4, 26.7),
    (371, 194, 180, -225, 26.7),
]


@pytest.fixture(scope="module")
def robot():
    """The shipped arm."""
    return irb.load("crb15000")


@pytest.mark.parametrize("name", ARMS)
def test_poses_are_those_of_the_lengths(name):
    """Tables, tree, ranges and torques against modified DH rows and numbers typed apart."""
    (lengths, first, efforts), robot = ARMS[name], irb.load(name)
    q = np.random.default_rng(0).uniform(robot.limits.lower, robot.limits.upper, (200, 6))
    np.testing.assert_allclose(robot.pose(q), mdh_pose(lengths, q), atol=1e-12)
    np.testing.assert_allclose(
        np.degrees([robot.limits.lower, robot.limits.upper]),
        [[-first, -180, -225, -180, -180, -270], [first, 180, 85, 180, 180, 270]],
    )
    assert robot.limits.effort.tolist() == efforts


def test_points_of_abbs_working_range():
    """Flange of the -12 at nine postures, to what whole millimetres and tenths of a degree leave."""
    arm = irb.load("crb15000_12_127")
    for x, z, q2, q3, q5 in DRAWN_12:
        flange = 1000.0 * arm.pose(np.radians([0, q2, q3, 0, q5, 0])).translation
        np.testing.assert_allclose(flange, [x, 0.0, z], atol=2.5)


def test_extremes_are_those_of_the_manual(robot):
    """Flange 1055 mm from axis 1, 1320 up, 790 down: product manual 3HAC077389-001; the catalogue's
    0.95 m is the distance of axis 6 with the wrist held straight. 1632 and 1381 mm of -10 and -12.
    """
    ends = robot.tcp_extremes()
    np.testing.assert_allclose(
        [ends.reach, ends.top, ends.bottom], [1.055, 1.320, -0.790], atol=1e-3
    )
    for name, reach in (("crb15000_10_152", 1.632), ("crb15000_12_127", 1.381)):
        assert irb.load(name).tcp_extremes().reach == pytest.approx(reach, abs=1e-3)
    center = robot.workspace().extremes()  # of the crossing of axes 4 and 5
    assert center.reach == pytest.approx(0.444 + np.hypot(0.470, 0.110), abs=1e-9)
    assert robot.workspace().uncertainty == 0.0


def test_the_tcp_in_the_plane_of_the_arm(robot):
    """Radius about axis 1, and height, of any posture are those of its pose."""
    q = np.random.default_rng(6).uniform(robot.limits.lower, robot.limits.upper, (50, 6))
    arm, place = robot.workspace().arm, robot.pose(q)[:, :3, 3]
    ahead, beside, up = arm.in_plane(arm.axis_map.angles(q)).T
    np.testing.assert_allclose(np.hypot(ahead, beside), np.hypot(*place.T[:2]), atol=1e-12)
    np.testing.assert_allclose(up, place[:, 2], atol=1e-12)


def test_the_table_of_the_working_range_has_no_other_reach(robot):
    """That of the catalogue counts to axis 6, and singular postures have no list."""
    titles = [table.title for table in workspace_tables(robot)]
    assert titles == [robot.name, "positions", "arcs"]
    assert "stated reach" not in str(workspace_tables(robot)[0].rows)


@pytest.mark.parametrize("name", ARMS)
def test_every_posture_in_range_comes_back(name):
    """With its own configuration data, which choose it again; no pose has an odd number."""
    robot = irb.load(name)
    q = np.random.default_rng(1).uniform(robot.limits.lower, robot.limits.upper, (300, 6))
    found = robot.inverse_kinematics(robot.pose(q), in_range=True)
    distance = np.where(found.valid, apart(found.q, q[:, None]), np.inf).min(axis=1)
    assert distance.max() < 1e-6
    assert not (robot.inverse_kinematics(robot.pose(q)).valid.sum(axis=1) % 2).any()
    for one in q[:40]:
        chosen = robot.inverse_kinematics(
            robot.pose(one), configuration=robot.configuration(one)[:4], near=one
        )
        assert min(np.abs(chosen.q - one).max(axis=1)) < 1e-6


def test_some_postures_share_their_configuration(robot):
    """In one pose of fourteen: four numbers do not tell up to sixteen postures apart."""
    q = np.random.default_rng(0).uniform(robot.limits.lower, robot.limits.upper, (300, 6))
    found, alike = robot.inverse_kinematics(robot.pose(q)), 0
    for postures, valid in zip(found.q, found.valid, strict=True):
        known = [robot.configuration(one)[:4] for one in postures[valid]]
        alike += len(set(known)) < len(known)
    assert alike / 300 == pytest.approx(0.071, abs=0.02)


def test_configuration_counts_at_the_crossing_of_axes_4_and_5(robot):
    """cf1, cf4, cf6 are quadrants; bits of cfx: axis 5, the elbow, the crossing behind axis 1."""
    rng = np.random.default_rng(2)
    for q in rng.uniform(robot.limits.lower, robot.limits.upper, (200, 6)):
        found, r = robot.configuration(q), q[1] + q[2]
        lower = 0.444 * np.array([np.sin(q[1]), np.cos(q[1])])
        fore = np.array(
            [0.470 * np.cos(r) + 0.110 * np.sin(r), 0.110 * np.cos(r) - 0.470 * np.sin(r)]
        )
        ahead, inside = (lower + fore)[0], lower[1] * fore[0] - lower[0] * fore[1]
        bits = (q[4] < 0.0) + 2 * (inside < 0.0) + 4 * (ahead < 0.0)
        assert found[:4] == (*np.floor(q[[0, 3, 5]] / (0.5 * np.pi)), bits)
        assert not found.sure  # no document was seen that says so of an offset wrist


def test_merged_postures_where_the_determinant_is_zero(robot):
    """On a root of det J two postures are one, and the pose has them marked."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        a, b = rng.uniform(-1.5, 1.5, (2, 6))
        while robot.singularities(a).determinant * robot.singularities(b).determinant > 0.0:
            b = rng.uniform(-1.5, 1.5, 6)
        for _ in range(200):
            middle = 0.5 * (a + b)
            same = robot.singularities(a).determinant * robot.singularities(middle).determinant
            a, b = (middle, b) if same > 0.0 else (a, middle)
        on = [one for one in robot.inverse_kinematics(robot.pose(a)) if one.flags.merged]
        assert min(apart(one.q, a) for one in on) < 1e-5
        assert str(on[0].flags) == "merged"


def test_why_there_is_none(robot):
    """Out of reach by so much, or within reach and turned as the wrist never is."""
    far = robot.pose(np.zeros(6)).homogeneous.copy()
    far[0, 3] += 2.0
    found = robot.inverse_kinematics(far)
    # the wrist centre is at best 80 mm nearer than axis 6
    beyond = np.hypot(0.471 + 2.0, 0.899 - 0.08 - 0.265) - 0.444 - np.hypot(0.470, 0.110)
    assert abs(found.missing - beyond) < 0.08
    assert found.note.startswith("out of reach by")
    turn = pin.Quaternion(np.array([0.065, 0.317, 0.867, 0.379])).normalized().matrix()
    none = robot.inverse_kinematics(pin.SE3(turn, np.array([0.6286, -0.4858, -0.2438])))
    assert none.missing == np.inf
    assert none.note.startswith("the wrist would be within reach, but not with this orientation")


def test_a_program_with_robtargets_is_checked(robot):
    """A straight line keeps its pose and its posture; confdata choose the first one."""
    q = np.radians([10.0, 20.0, -10.0, 15.0, 60.0, 20.0])
    pose = robot.pose(q)
    text = robtarget(pose, robot.configuration(q))
    there = robtarget(pose, robot.configuration(q), (0.0, 60.0, -40.0))
    program = rapid.sequence_of(
        rapid.read(
            f"MODULE M\nPROC main()\nMoveJ {text},v100,fine,tool0;\nMoveL {there},v100,fine,tool0;\n"
            "ENDPROC\nENDMODULE\n"
        )
    )
    found = programmed_motion(robot, program)
    np.testing.assert_allclose(found.motion.q[0], q, atol=1e-5)
    points = robot.pose(found.motion.q)[:, :3, 3]
    line = points[-1] - points[0]
    off = np.cross(points - points[0], line / np.linalg.norm(line))
    assert np.abs(off).max() < 1e-5
    assert np.linalg.norm(line) == pytest.approx(np.hypot(0.06, 0.04), abs=1e-5)
    assert check_path(robot, found).kept is not None


def robtarget(pose, configuration, shift=(0.0, 0.0, 0.0)):
    """Text of a robtarget."""
    x, y, z = 1000.0 * pose.translation + shift
    R = pose.rotation
    w = 0.5 * np.sqrt(max(1.0 + np.trace(R), 1e-12))
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4.0 * w)
    turn = ",".join(f"{value:.9f}" for value in (w, *axis))
    confdata = ",".join(str(value) for value in configuration[:4])
    return f"[[{x:.6f},{y:.6f},{z:.6f}],[{turn}],[{confdata}],[9E9,9E9,9E9,9E9,9E9,9E9]]"


def test_masses_and_torques(robot):
    """The robot weighs 28 kg in both sets; largest torques are the manual's."""
    for name in ("cad_scaled", "cad"):
        chosen = irb.load("crb15000", parameters=name)
        bodies = chosen.dynamic_model.tree.model.inertias
        assert sum(body.mass for body in bodies) == pytest.approx(28.0, abs=1e-3)
    np.testing.assert_allclose(robot.limits.effort, [175.44, 175.44, 90.6, 18.72, 21.44, 9.2])
