"""The arms of the IRB 14000 against poses of RobotStudio and of a robot, and by properties of seven axes."""

import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin
import pytest

import irbmodels as irb
from irbmodels import rapid

ARMS = ("irb14000_left", "irb14000_right")
SIDE = {"irb14000_left": 1.0, "irb14000_right": -1.0}
CHAIN = [0, 1, 6, 2, 3, 4, 5]  # axes 1, 2, 7, 3, 4, 5, 6: from base to flange
# Joint positions along the chain [deg], flange [mm], roll, pitch, yaw [deg], arm angle counted from z
# and from y [deg], of an IRB 14050, the same arm on a foot of its own: RobotStudio, by
# rpiRobotics/yumi-ik@efa14eab, unit_tests/compare_to_robotstudio.m (BSD-3); two decimals
ROBOTSTUDIO = (
    ((0, 0, 0, 0, 0, 0, 0), (341.5, 0, 598), (0, 90, 0), (0, 90)),
    ((20, 20, 20, 20, 20, 20, 20), (292.46, 234.73, 348.75), (148.67, 16.13, 175.45), (6.86, 105.54)),
    ((30, 30, 30, 30, 30, 30, 30), (165.49, 290.86, 255.37), (157.34, -19.80, -175.99), (14.50, 99.26)),
    ((-40, -40, -40, -40, -40, -40, -40), (-219.17, 12.62, 796.12), (13.67, -3.39, -152.29), (106.67, 15.68)),
    ((-80, -80, -80, -80, -80, -80, -80), (-126.60, 499.23, 441.88), (5.30, 17.08, 34.27), (99.01, -26)),
    ((104, -31, 1, -18, -55, 117, 69), (32.02, 91.43, 763.94), (157.59, 43.43, 170.70), (19.58, -165.56)),
    ((162, 1, -23, -88, 241, 98, -44), (45.84, 32.22, 846.74), (-98.58, 43.30, -76.21), (80.07, -131.03)),
    ((-20, -139, -144, 77, -263, 128, -104), (-47.12, -136.89, 270.77), (-106.88, -60.36, 122.56), (139.68, -15.92)),
    ((67, -142, 121, 78, -38, 113, -194), (-100.23, 3.25, 338.01), (43.05, -59.81, 44.29), (-146.69, 119.74)),
    ((-58, -138, -35, 70, -283, 133, 207), (-123.66, 141.01, 425.04), (-118.25, -37.89, -10.09), (165.86, 50.38)),
)  # fmt: skip
FOOT = 306.0 - 166.0  # [mm] its axis 1 starts lower by this
# rax_1 .. rax_6, axis 7 [deg], flange [mm], quaternion wxyz; a controller's, of a robot whose arms
# are calibrated: BerkeleyAutomation/yumipy@060b3aa0, yumi_constants.py (L_RAISED, L_FORWARD,
# R_FORWARD), with a tool frame that is not stated
RECORDED = (
    ("irb14000_left", (5.5, -99.46, 20.52, -21.03, 67, -22.31, 110.11),
     (-7.3, 399.02, 318.28), (0.54882, 0.07398, 0.82585, -0.10630)),
    ("irb14000_left", (-21.71, -142.45, 43.82, 31.14, 10.43, -40.67, 106.63),
     (138.85, 215.43, 197.74), (0.55491, 0.07064, 0.82274, -0.1009)),
    ("irb14000_right", (9.66, -133.36, 34.69, -13.19, 28.85, 28.81, -110.18),
     (70.58, -265.19, 197.75), (-0.52425, 0.0648, -0.84133, -0.11454)),
)  # fmt: skip


def rotation(wxyz):
    """Return the matrix of a quaternion, normalised."""
    w, x, y, z = np.array(wxyz) / np.linalg.norm(wxyz)
    return pin.Quaternion(w, x, y, z).matrix()


def angle(one, other):
    """Return the angle between two rotations [deg]."""
    return np.degrees(np.linalg.norm(pin.log3(one.T @ other)))


def positions(name, count, seed=0):
    """Return random positions within the ranges, which stand here again [deg], in [rad]."""
    ends = [168.5, 0, 0, 290, 0, 229, 168.5]
    low, high = -np.array(ends, float), np.array(ends, float)
    low[[1, 2, 4]], high[[1, 2, 4]] = (-143.5, -123.5, -88), (43.5, 80, 138)
    np.testing.assert_allclose(np.degrees(irb.load(name).limits.lower), low)
    np.testing.assert_allclose(np.degrees(irb.load(name).limits.upper), high)
    return np.radians(np.random.default_rng(seed).uniform(low, high, (count, 7)))


@pytest.mark.parametrize("name", ARMS)
def test_poses_of_robotstudio(name):
    """Ten poses of the arm alone, from the frame that its axis 1 stands on, to the printed digit."""
    robot = irb.load(name)
    stand = robot.pose(np.zeros(7), "arm_base").homogeneous
    turn = pin.utils.rotate("z", np.radians(-41.2 * SIDE[name]))  # its axis 1 counts from there
    for along, place, rpy, _ in ROBOTSTUDIO:
        q = np.empty(7)
        q[CHAIN] = along
        pose = np.linalg.inv(stand) @ robot.pose(np.radians(q)).homogeneous
        moved = turn.T @ pose[:3, 3] * 1000.0 + [0.0, 0.0, FOOT]
        np.testing.assert_allclose(moved, place, atol=0.0051)  # printed to 0.01 mm
        printed = pin.rpy.rpyToMatrix(*np.radians(rpy))
        assert angle(turn.T @ pose[:3, :3], printed) < 0.0087  # three angles of 0.005 deg


@pytest.mark.parametrize("name", ARMS)
def test_home_of_both_arms(name):
    """The robtarget that RobotStudio teaches at the home posture, in every digit it writes; its arm
    angle as far as those of its quaternion tell, 1e-9 or 2e-7 deg on each of three directions.
    """
    robot, side = irb.load(name), SIDE[name]
    pose = robot.pose(robot.from_controller([0, -130, 30, 0, 40, 0, 135 * side]))
    place = [-9.578368507, 182.609892723 * side, 198.627808149]
    np.testing.assert_allclose(pose.translation * 1000.0, place, atol=2e-9)
    turned = (0.066010726, 0.842420918 * side, -0.111214912, 0.523068661 * side)
    assert angle(pose.rotation, rotation(turned)) < 2e-7
    q = robot.from_controller([0, -130, 30, 0, 40, 0, 135 * side])
    assert np.degrees(robot.arm_angle(q)) == pytest.approx(101.964427132 * side, abs=6e-7)


def test_arm_angles_of_robotstudio(tmp_path):
    """Of the arm alone, with z and with y of its foot as reference: 20 values to the printed digit.

    The arm is set up so that the reference of an IRB 14000, level along y to the plane x z, is z or
    y of the foot.
    """
    text = irb.urdf_path("irb14000_left").read_text(encoding="utf-8")
    # foot from the axes of the world: z, and y, of the foot along -y of the world
    for reference, rpy in enumerate(((np.pi / 2.0, 0.0, 0.0), (np.pi, 0.0, 0.0))):
        tree = ET.fromstring(text)
        for joint in tree.iterfind("joint"):
            if joint.get("name") == "base_link-arm_base":
                joint.find("origin").set("xyz", "0 2 0")
                joint.find("origin").set("rpy", " ".join(map(str, rpy)))
            if joint.get("name") == "joint_1":  # its axis counts from the foot's x
                joint.find("origin").set("rpy", "0 0 0")
        (tmp_path / "arm.urdf").write_text(ET.tostring(tree, encoding="unicode"))
        robot = irb.from_urdf(tmp_path / "arm.urdf")
        for along, _, _, printed in ROBOTSTUDIO:
            found = np.degrees(robot.arm_angle(np.radians(along)))
            assert abs((found - printed[reference] + 180.0) % 360.0 - 180.0) < 0.0051


@pytest.mark.parametrize(("name", "q", "place", "turned"), RECORDED)
def test_poses_recorded_on_a_controller(name, q, place, turned):
    """Within 4 mm and 5 deg of a robot whose arms stand where they were calibrated, whatever its
    tool frame turned about the flange's axis; a wrong sign of an axis misses by 36 deg and more.
    """
    robot = irb.load(name)
    pose = robot.pose(robot.from_controller(q))
    assert np.linalg.norm(pose.translation * 1000.0 - place) < 4.0
    tilt = pose.rotation[:, 2] @ rotation(turned)[:, 2]
    assert np.degrees(np.arccos(tilt)) < 5.0


@pytest.mark.parametrize("name", ARMS)
def test_axes_are_the_controllers(name):
    """rax_1 .. rax_6, then axis 7, whose joint stands third in the tree and in the URDF; yourdfpy
    reads the same arm.
    """
    yourdfpy = pytest.importorskip("yourdfpy")
    reader = yourdfpy.URDF.load(str(irb.urdf_path(name)), load_meshes=False)
    robot = irb.load(name)
    assert robot.axes == tuple(f"joint_{i}" for i in range(1, 8))
    along = tuple(f"joint_{i + 1}" for i in CHAIN)
    assert tuple(robot.model.names)[1:] == along
    other = irb.from_urdf(irb.urdf_path(name))
    assert other.axes == along
    for q in positions(name, 5):
        expected = robot.pose(q, "tool0").homogeneous
        np.testing.assert_allclose(other.pose(q[CHAIN], "tool0").homogeneous, expected, atol=1e-15)
        reader.update_cfg(dict(zip(robot.axes, q, strict=True)))
        np.testing.assert_allclose(reader.get_transform("tool0", "base_link"), expected, atol=1e-12)
        for convention in ("modified", "standard"):
            frames = robot.dh(convention).frames(q)
            np.testing.assert_allclose(frames[-1], expected, atol=1e-14)
    speeds = np.degrees(robot.limits.velocity)
    np.testing.assert_allclose(speeds, [180, 180, 180, 400, 400, 400, 180])
    (found,) = robot.violations(np.radians([0, 0, 0, 0, 0, 0, 169.0]))
    assert str(found) == "axis 7: q7 = 169 deg is outside its bounds -168.5 .. 168.5 deg"


def test_arms_are_mirror_images():
    """Axes 1, 4, 6 and 7 of the other sign: the poses are mirrored in the plane y = 0."""
    left, right = map(irb.load, ARMS)
    mirror, signs = np.diag([1.0, -1.0, 1.0]), np.array([-1, 1, 1, -1, 1, -1, -1])
    for q in positions("irb14000_left", 20):
        one, other = left.pose(q), right.pose(signs * q)
        np.testing.assert_allclose(other.translation, mirror @ one.translation, atol=1e-15)
        np.testing.assert_allclose(other.rotation, mirror @ one.rotation @ mirror, atol=1e-14)


@pytest.mark.parametrize("name", ARMS)
def test_jacobian_is_the_derivative_of_the_pose(name):
    """By central differences of the DH product, and one motion leaves the tool where it is."""
    robot, step = irb.load(name), 1e-6
    for q in positions(name, 5, seed=1):
        J, expected = robot.jacobian(q), np.empty((6, 7))
        here = robot.dh().frames(q)[-1]
        for k, unit in enumerate(np.eye(7)):
            ahead, back = (robot.dh().frames(q + s * step * unit)[-1] for s in (1.0, -1.0))
            expected[:3, k] = (ahead - back)[:3, 3] / (2.0 * step)
            spin = (ahead - back)[:3, :3] @ here[:3, :3].T / (2.0 * step)
            expected[3:, k] = spin[2, 1], spin[0, 2], spin[1, 0]
        np.testing.assert_allclose(J, expected, atol=1e-9)
        idle = np.linalg.svd(J)[2][-1]
        moved = robot.pose(q + 1e-4 * idle).homogeneous - robot.pose(q).homogeneous
        assert np.abs(moved).max() < 1e-7 < np.abs(1e-4 * idle).max()
        singular = np.linalg.svd(J, compute_uv=False)
        assert robot.measures(q).manipulability == pytest.approx(np.prod(singular), rel=1e-9)


@pytest.mark.parametrize("name", ARMS)
def test_jointtargets_hold_axis_7_in_eax_a(name):
    """Written and read, by a robot of the tables and by one of the URDF, whose joint_7 is third."""
    robot, read = irb.load(name), irb.from_urdf(irb.urdf_path(name))
    text = "[[10,-130,30,20,40,-50],[135,9E+09,9E+09,9E+09,9E+09,7]]"
    target = rapid.read_value(text, rapid.JointTarget)
    q = target.q(robot)
    np.testing.assert_allclose(robot.to_controller(q), [10, -130, 30, 20, 40, -50, 135], atol=1e-12)
    assert str(rapid.JointTarget.of(robot, q, rapid.ExtJoint(eax_f=7))) == text
    assert robot.rapid_axes == (1, 2, 3, 4, 5, 6, 7)
    assert read.rapid_axes == (1, 2, 7, 3, 4, 5, 6)
    np.testing.assert_array_equal(target.q(read), q[CHAIN])
    assert rapid.JointTarget.of(read, q[CHAIN]).robax == target.robax
    with pytest.raises(irb.InputError, match="states no eax_a, which is axis 7 of the robot"):
        rapid.read_value(text.replace("135", "9E9"), rapid.JointTarget).q(robot)
    with pytest.raises(irb.InputError, match="eax_a is axis 7 of irb14000"):
        rapid.JointTarget.of(robot, q, rapid.ExtJoint(eax_a=0))


def test_dynamics_are_unknown():
    """One line says that the masses are."""
    robot = irb.load("irb14000")
    for ask in (robot.gravity, robot.mass_matrix):
        with pytest.raises(irb.MissingData, match="no masses of irb14000_right are known"):
            ask(np.zeros(7))
