"""Commands with a robot that is mounted elsewhere than at the origin of the world."""

import re

import numpy as np
import pinocchio as pin
import pytest
from test_cli import page_data

import irbmodels as irb

HUNG = "500,0,3000,0,1,0,0"  # the base 3 m above the floor, turned about x
POSTURE = "0,20,10,0,30,0"


def numbers_of(printed, head):
    line = next(line for line in printed.splitlines() if line.startswith(head))
    return [float(word) for word in line[len(head) :].split()]


def test_pose_in_the_world_and_postures_of_it(run):
    """The commands pose and ik are inverse in the world; of a ceiling y and z change their signs."""
    arguments = ("irb2400", "--tool", "spindle", "--mounted", HUNG)
    code, base, _ = run("pose", *arguments, "--q-deg", POSTURE)
    assert code == 0
    assert "tcp in base at" in base
    code, world, _ = run("pose", *arguments, "--q-deg", POSTURE, "--reference", "world")
    assert code == 0
    assert "tcp in world at" in world
    x, y, z = numbers_of(base, "position [mm]")
    there = numbers_of(world, "position [mm]")
    np.testing.assert_allclose(there, [500 + x, -y, 3000 - z], rtol=0, atol=1e-4)
    pose = ",".join(map(str, [*there, *numbers_of(world, "quaternion q1..q4")]))
    for options in (("--pose", pose, "--reference", "world"), ("--target", _target(pose))):
        code, printed, err = run("ik", *arguments, *options, "--near", POSTURE)
        assert code == 0, err
        row = next(line.split() for line in printed.splitlines() if re.match(r" *\*?1 ", line))
        np.testing.assert_allclose(
            [float(word) for word in row[1:7]], [0, 20, 10, 0, 30, 0], rtol=0, atol=1e-3
        )
    assert run("ik", *arguments, "--pose", pose)[0] == 1  # in the base it is out of reach


def _target(pose):
    x, y, z, *quaternion = pose.split(",")
    return f"[[{x},{y},{z}],[{','.join(quaternion)}],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]"


def test_path_and_rapid_take_targets_in_the_world(run, tmp_path):
    """A target on the floor's pose is out of reach for a hung robot; that of its own world is not."""
    robot = irb.load("irb2400")
    q = robot.from_controller([0, 20, 10, 0, 30, 0])
    file = tmp_path / "part.mod"
    for mounted, reached in ((HUNG, True), ("0,0,0,1,0,0,0", False)):
        over = np.diag([1.0, -1.0, -1.0, 1.0])
        over[:3, 3] = [0.5, 0.0, 3.0]
        pose = irb.rapid.Pose.of(robot.mounted(over).pose(q, reference="world"))
        conf = ",".join(map(str, robot.configuration(q)[:4]))
        target = f"[{pose.trans},{pose.rot},[{conf}],[9E9,9E9,9E9,9E9,9E9,9E9]]"
        text = f"MODULE m\nCONST robtarget p:={target};\nPROC main()\nMoveJ p,v500,fine,tool0;\n"
        file.write_text(text + "ENDPROC\nENDMODULE\n", encoding="utf-8")
        code, printed, _ = run("rapid", file, "--robot", "irb2400", "--mounted", mounted)
        assert code == 0
        assert ("no solution" not in printed) is reached
        code, printed, err = run("path", file, "--robot", "irb2400", "--mounted", mounted)
        assert ("out of reach" not in printed + err) is reached, printed + err
    code, _, err = run("rapid", file, "--mounted", HUNG)
    assert (code, "they need --robot" in err) == (2, True)


def test_torque_path_and_view_of_a_mounted_robot(run, tmp_path):
    """A still motion on the ceiling needs the torques of the ceiling; the page has the robot there."""
    robot, over = irb.load("irb2400"), np.diag([1.0, -1.0, -1.0])
    q = robot.from_controller([0, 20, 10, 0, 30, 0])
    still = irb.Motion(np.arange(3.0), np.tile(q, (3, 1)), np.zeros((3, 6)), np.zeros((3, 6)))
    motion, table = tmp_path / "m.csv", tmp_path / "tau.csv"
    irb.write_motion(motion, still, robot)
    code, _, err = run("torque", "irb2400", motion, "--mounted", HUNG, "-o", table)
    assert code == 0, err
    rows = np.genfromtxt(table, delimiter=",", names=True)
    torques = [rows[f"tau{i}_total_Nm"][0] for i in range(1, 7)]
    np.testing.assert_allclose(torques, robot.mounted(over).gravity(q), rtol=0, atol=1e-3)
    assert torques[1] * robot.gravity(q)[1] < 0
    height = 3000.0 - 1000.0 * robot.pose(q).translation[2]
    box = f"-9000,9000,-9000,9000,{height - 1:.6f},{height + 1:.6f}"
    for options, kept in ((("--mounted", HUNG), 0), ((), 1)):
        code, _, err = run("path", motion, "--robot", "irb2400", "--box", box, *options)
        assert code == kept, err
    page = tmp_path / "v.html"
    code, _, err = run("view", "irb2400", "--mounted", HUNG, "--save", page)
    assert code == 0, err
    assert page_data(page)["camera"]["target"][2] > 1.5


@pytest.mark.parametrize(
    ("mounted", "message"),
    [
        ("0,0,3000", "--mounted '0,0,3000': a pose is x,y,z in mm and a quaternion"),
        ("0,0,3000,0,2,0,0", "the quaternion has length 2, not 1; the scalar q1 comes first"),
        ("0,0,nan,0,1,0,0", "seven numbers"),
    ],
)
def test_what_is_no_mounting_is_refused(run, mounted, message):
    code, _, err = run("pose", "irb2400", "--mounted", mounted)
    assert code == 2
    assert message in err
    code, _, err = run("pose", "irb2400", "--reference", "tool")
    assert code == 2


def test_working_range_and_export_of_a_mounted_robot(run, tmp_path):
    """Heights of the ceiling in the world; a URDF below a link world."""
    code, printed, err = run("workspace", "irb2400", "--mounted", HUNG, "--reference", "world")
    assert code == 0, err
    bottom = 1000.0 * irb.load("irb2400").workspace().extremes().bottom
    row = next(line for line in printed.splitlines() if "largest z" in line)
    assert float(row.split()[-1]) == pytest.approx(3000.0 - bottom, abs=0.06)
    assert "z in the world" in printed
    code, _, err = run("workspace", "irb2400", "--mounted", HUNG, "-o", tmp_path / "w.svg")
    assert code == 0, err
    code, _, err = run("export", "irb2400", "--to", "urdf", "--mounted", HUNG, "-o", tmp_path)
    assert code == 0, err
    read = irb.from_urdf(tmp_path / "irb2400_16.urdf")
    np.testing.assert_allclose(
        read.pose(np.zeros(6), "base_link").translation, [0.5, 0.0, 3.0], rtol=0, atol=1e-12
    )


WOBJ = 'PERS wobjdata w:=[FALSE,FALSE,"STN1",[[0,0,0],[1,0,0,0]],[[0,0,100],[1,0,0,0]]];\n'
UNIT_AT = "1200,300,200,0.965925826,0,0,0.258819045"  # 30 deg about z


def test_a_unit_of_a_cell_stands_where_its_pose_says(run, tmp_path):
    """A target on the positioner's table: base frame of the unit, table, object frame, target."""
    unit = irb.from_urdf(irb.urdf_path("positioner"))
    c, s = np.cos(np.radians(30.0)), np.sin(np.radians(30.0))
    stands = np.array([[c, -s, 0, 1.2], [s, c, 0, 0.3], [0, 0, 1, 0.2], [0, 0, 0, 1]])
    up = np.eye(4)
    up[2, 3] = 0.1
    table = stands @ unit.pose(np.radians([10.0, 20.0])).homogeneous @ up
    robot = irb.load("irb2400")
    q = robot.from_controller([20, 20, 10, 0, 40, 0])
    inside = np.linalg.inv(table) @ robot.pose(q).homogeneous
    pose = irb.rapid.Pose.of(pin.SE3(inside))
    conf = ",".join(map(str, robot.configuration(q)[:4]))
    target = f"[{pose.trans},{pose.rot},[{conf}],[10,20,9E9,9E9,9E9,9E9]]"
    file = tmp_path / "cell.mod"
    text = f"MODULE m\n{WOBJ}CONST robtarget p:={target};\nENDMODULE\n"
    file.write_text(text, encoding="utf-8")
    words = ("rapid", file, "--robot", "irb2400", "--wobj", "w", "--unit")
    code, printed, err = run(*words, f"STN1=positioner@{UNIT_AT}")
    assert code == 0, err
    starred = next(line for line in printed.splitlines() if line.startswith("  *"))
    shown = [float(word) for word in starred.split()[1:7]]
    np.testing.assert_allclose(shown, [20, 20, 10, 0, 40, 0], rtol=0, atol=1e-3)
    code, printed, _ = run(*words, "STN1=positioner")
    assert not any(line.split()[1:4] == starred.split()[1:4] for line in printed.splitlines())


@pytest.mark.parametrize(
    ("units", "message"),
    [
        (("STN1=positioner@0,0,200",), "--unit STN1 '0,0,200': a pose is x,y,z in mm and a quat"),
        (("STN1",), "--unit 'STN1' is not NAME=ROBOT, such as STN1=positioner, or NAME=ROBOT@pose"),
        (("STN1=@0,0,200,1,0,0,0",), "is not NAME=ROBOT"),
        (("A=positioner", "A=positioner"), "there is a unit A already"),
        (("A=some@where.urdf",), "some@where.urdf"),
    ],
)
def test_units_that_are_none_are_refused(run, tmp_path, units, message):
    (tmp_path / "m.mod").write_text("MODULE m\nENDMODULE\n", encoding="utf-8")
    options = [word for unit in units for word in ("--unit", unit)]
    code, _, err = run("rapid", tmp_path / "m.mod", "--robot", "irb2400", *options)
    assert code == 2
    assert message in err
