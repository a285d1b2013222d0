"""RAPID of palletizers: the last axis is axis 6, as the controller counts; programs are driven."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from arm_facts import PALLETIZERS

import irbmodels as irb
from irbmodels import rapid
from irbmodels.identification.friction.module import friction_module
from irbmodels.identification.friction.plan import friction_plan
from irbmodels.identification.recordings import read_recording
from irbmodels.rapid import JointTarget, read_value
from irbmodels.tasks.path_check import check_path, programmed_motion

POSES = Path(__file__).parents[1] / "data" / "palletizer_poses.yaml"
NINES = "[9E9,9E9,9E9,9E9,9E9,9E9]"


@pytest.mark.parametrize("name", PALLETIZERS)
def test_the_last_axis_is_axis_6(name):
    """Axes 4 and 5 are locked in the controller; so too for a URDF without tables."""
    for robot in (irb.load(name), irb.from_urdf(irb.urdf_path(name))):
        assert robot.rapid_axes == (1, 2, 3, 6)
        target = JointTarget.of(robot, robot.from_controller([10, 20, 30, 40]))
        assert target.robax.values == (10, 20, 30, 0, 0, 40)
        np.testing.assert_allclose(np.degrees(target.q(robot)), [10, 20, 30, 40])
        wrong = read_value(f"[[10,20,30,40,0,0],{NINES}]", JointTarget)
        with pytest.raises(irb.InputError, match="4 axes, rax_1, rax_2, rax_3, rax_6"):
            wrong.q(robot)


def test_a_friction_module_moves_and_logs_axis_6():
    """The plan counts axes from 1 to 4, its module as the controller does."""
    plan = friction_plan(irb.load("irb660"), 4, steady=1.5, posture=np.zeros(4))
    text = friction_module(plan)
    assert "TestSignDefine 3,torqueSignal,ROB_1,6,0;" in text
    assert "target.robax.rax_6:=middle.robax.rax_6+half{i};" in text
    assert [f"now.robax.rax_{k}," in text for k in range(1, 7)] == [True] * 3 + [False] * 3
    assert rapid.read(text)["middle"].q(plan.robot).shape == (4,)


def test_a_program_of_robotstudios_poses():
    """Joints that RobotStudio states, and MoveJ to the poses that it states for them."""
    rows = yaml.safe_load(POSES.read_text(encoding="utf-8"))["irb760"]["poses"]
    moves, wanted = [], []
    for joints, xyz, quaternion in rows:
        q1, q2, q3, q4 = joints
        x, y, z = xyz
        cf1, cf6 = (int(np.floor(angle / 90.0)) for angle in (q1, q4))
        pose = f"[{x},{y},{z}],{quaternion},[{cf1},0,{cf6},0],{NINES}".replace(" ", "")
        moves += [
            f"MoveAbsJ [[{q1},{q2},{q3},0,0,{q4}],{NINES}],v1000,fine,tool0;",
            "MoveAbsJ home,v1000,fine,tool0;",
            f"MoveJ [{pose}],v1000,fine,tool0;",
        ]
        wanted += [joints, [0, 0, 0, 0], joints]
    home = f"CONST jointtarget home:=[[0,0,0,0,0,0],{NINES}];"
    lines = ["MODULE Main", home, "PROC main()", *moves, "ENDPROC", "ENDMODULE"]
    robot = irb.load("irb760")
    made = programmed_motion(robot, rapid.sequence_of(rapid.read("\n".join(lines))))
    assert not made.findings
    ends = [np.flatnonzero(made.lines == line)[-1] for line in range(4, 4 + len(wanted))]
    off = np.degrees(made.motion.q[ends]) - wanted
    # joints are printed with two decimals, and from 100 deg on with none
    assert np.abs(off[:, :3]).max() < 0.06
    assert np.abs(off[:, 3]).max() < 0.51
    assert not check_path(robot, made).findings


def test_configuration_is_noted_and_ranges_choose():
    """Targets of a RobotStudio cell have [0,0,0,0] where axis 1 is negative: no finding, a note."""
    text = f"""MODULE Main
PROC main()
MoveJ [[1445,-1540,1400],[0,0,1,0],[0,0,0,0],{NINES}],v2000,fine,tool0;
MoveL [[1445,-1540,1100],[0,0,1,0],[0,0,0,0],{NINES}],v2000,fine,tool0;
ENDPROC
ENDMODULE"""
    made = programmed_motion(irb.load("irb760"), rapid.sequence_of(rapid.read(text)))
    assert not made.findings
    reached = "no posture has the configuration [0,0,0,0]; it is reached as [-1,0,-1,0]?"
    assert f"line 3: MoveJ has a target of which {reached}" in made.notes
    assert any("line 4: MoveL ends in the configuration [-1,0,-1,0]" in n for n in made.notes)
    q1, _, _, q4 = np.degrees(made.motion.q[-1])
    assert q1 == pytest.approx(np.degrees(np.arctan2(-1540, 1445)))
    assert q4 == pytest.approx(q1)  # [0,0,1,0] is the yaw of axis 1 at 0


@pytest.mark.parametrize("names", ["feedBack.joints.{}", "J{}", "position ROB_1 {}"])
def test_logs_count_the_last_axis_as_the_controller_does(tmp_path, names):
    """Joint 6 of EGM, of an open client and of test signals; 4 and 5 are 0 and no axis."""
    t = np.arange(0.0, 2.0, 0.004)
    shown = np.outer(np.sin(t), [10, 20, 30, 0, 0, 40])
    heads = ["timestamp", "cmdnum", *(names.format(i) for i in range(1, 7))]
    if names[0] != "J":
        heads[:2] = ["t", "note"]
    rows = np.column_stack([t, 0.0 * t, shown])
    path = tmp_path / "log.csv"
    np.savetxt(path, rows, delimiter=",", header=",".join(heads), comments="")
    log = read_recording(path, irb.load("irb760"))
    np.testing.assert_allclose(np.degrees(log.q), shown[:, [0, 1, 2, 5]], atol=1e-9)
