"""Loads of a program: tooldata and GripLoad beside the limits of the wrist."""

import pytest
from path_programs import joints

import irbmodels as irb
from irbmodels import rapid
from irbmodels.rapid.constants import visible_values
from irbmodels.report.path import check_record, check_tables
from irbmodels.tasks.path_check import check_path, programmed_motion

HOME, AWAY = joints(0, 0, 0, 0, 30, 0), joints(20, 0, 0, 0, 30, 0)
MODULE = f"""MODULE Pick
  PERS tooldata tGrip:=[TRUE,[[0,0,120],[1,0,0,0]],[2.5,[10,0,60],[1,0,0,0],0.01,0.01,0.005]];
  PERS tooldata tTwo:=[TRUE,[[0,0,50],[1,0,0,0]],[1,[0,0,30],[1,0,0,0],0,0,0]];
  PERS tooldata tOld:=[TRUE,[[0,0,120],[1,0,0,0]],[-1,[0,0,0],[1,0,0,0],0,0,0]];
  PERS loaddata lPart:=[3,[60,0,50],[1,0,0,0],0.02,0.02,0.01]; PERS wobjdata wTable:=wobj0;
  PROC main()
    MoveAbsJ {HOME}, v1000, fine, tGrip;
    MoveAbsJ {AWAY}, v1000, fine, tGrip\\WObj:=wTable;
    GripLoad lPart;
    MoveAbsJ {HOME}, v1000, fine, tGrip;
    GripLoad load0;
    MoveAbsJ {AWAY}, v1000, fine, tGrip;
    GripLoad lNone;
    MoveAbsJ {HOME}, v1000, fine, tTwo;
    GripLoad load0;
    MoveAbsJ {AWAY}, v1000, fine, tOld;
  ENDPROC
ENDMODULE
"""


def programmed(robot, text=MODULE):
    module = rapid.read(text)
    moves = rapid.sequence_of(module)
    return programmed_motion(robot, moves, loads=visible_values(module, "loaddata"))


def test_tools_with_what_they_grip_are_held_against_the_wrist():
    """By hand: 5.5 kg, its centre at (2.5 * 10 + 3 * 60) / 5.5 mm beside and (2.5 * 60 + 3 * 170)
    / 5.5 + 65 mm before axis 5, of 8.58 N m at axes 4 and 5; at the line and the times of the move.
    """
    robot = irb.load("irb140")
    program = programmed(robot)
    assert [(one.name, one.line) for one in program.loads] == [
        ("tGrip", 7),
        ("tGrip with lPart", 10),
    ]
    beside, along = (2.5 * 10 + 3 * 60) / 5.5, (2.5 * 60 + 3 * 170) / 5.5 + 65
    torque = 5.5 * 9.81e-3 * (beside**2 + along**2) ** 0.5
    check = check_path(robot, program)
    found = [one for one in check.findings if one.kind == "load"]
    move = next(one for one in program.timings if one.line == 10)
    assert [(one.line, one.axis, one.start, one.end) for one in found] == [
        (10, 4, move.start, move.end),
        (10, 5, move.start, move.end),
    ]
    assert found[0].value == pytest.approx(torque)
    assert found[0].what == (
        f"tGrip with lPart: axis 4: M4 = {torque:.6g} N m is outside its bounds 0 .. 8.58 N m"
    )
    notes = "\n".join(program.notes)
    assert "line 13: load lNone is not checked: it has no value in the program" in notes
    assert "line 16: load of tool tOld is not checked: mass -1 kg" in notes
    table = next(table for table in check_tables(check, robot) if "flange" in table.title)
    assert [row[0] for row in table.rows] == ["tGrip", "tGrip with lPart"]
    assert table.rows[1][2] == f"{torque:.4g} of 8.58 ({100 * torque / 8.58:.0f} %)"
    shares = check_record(check, robot)["loads"][1]["shares"]
    assert shares[1]["share"] == pytest.approx(torque / 8.58)
    assert shares[0] == {
        "axis": None, "quantity": "load", "value": 5.5, "limit": 6.0, "unit": "kg",
        "assumed": False, "share": pytest.approx(5.5 / 6.0),
    }  # fmt: skip


def test_a_load_that_the_robot_has_itself_is_checked_once():
    """The program's tool on the robot is one load; its own payload goes with the program's tools
    until the first GripLoad.
    """
    tool = rapid.tool_of(rapid.values_of(rapid.read(MODULE), "tooldata")["tGrip"], "tGrip")
    one = check_path(irb.load("irb140", tool=tool), programmed(irb.load("irb140", tool=tool)))
    assert [load.name for load in one.loads] == ["tGrip", "tGrip with lPart"]
    robot = irb.load("irb140").with_payload(irb.payload(1.0))
    names = [load.name for load in check_path(robot, programmed(robot)).loads]
    assert names == ["tool0 with payload", "tGrip with payload", "tGrip with lPart", "tGrip"]


def test_no_limits_no_table():
    robot = irb.from_urdf(irb.urdf_path("irb140"))
    check = check_path(robot, programmed(robot))
    assert not any(one.kind == "load" for one in check.findings)
    assert not any("flange" in table.title for table in check_tables(check, robot))


def test_a_branch_carries_what_is_gripped_before_it():
    """What one branch grips is not in the other, and after them both are carried."""
    head = MODULE[: MODULE.index("  PROC main()")]
    text = f"""{head}  PROC main()
    IF DInput(diPart)=1 THEN
      GripLoad lPart;
    ELSE
      MoveAbsJ {HOME}, v1000, fine, tTwo;
    ENDIF
    MoveAbsJ {AWAY}, v1000, fine, tGrip;
  ENDPROC
ENDMODULE
"""
    loads = programmed(irb.load("irb140"), text).loads
    assert [one.name for one in loads] == ["tTwo", "tGrip with lPart", "tGrip"]


def test_a_stationary_tool_loads_the_flange_with_its_gripper():
    """Its tload is that of the gripper, in tool0, and a payload's frame is the object that it holds
    (ABB, Basic Characteristics RAPID, 7-tooldata-2, 7-loaddata-1). By hand: the frame is 200 mm
    along and 100 mm beside, so that the part's centre (60, 0, 50) is at (160, 0, 250).
    """
    still = "[FALSE,[[900,0,700],[1,0,0,0]],[2,[0,0,40],[1,0,0,0],0,0,0]]"
    held = '[TRUE,TRUE,"",[[0,0,200],[1,0,0,0]],[[100,0,0],[1,0,0,0]]]'
    head = MODULE[: MODULE.index("  PROC main()")]
    text = f"""{head}  PERS tooldata tGun:={still};
  PERS wobjdata wHeld:={held};
  PROC main()
    MoveAbsJ {HOME}, v1000, fine, tGun\\WObj:=wHeld;
    GripLoad lPart;
    MoveAbsJ {AWAY}, v1000, fine, tGun\\WObj:=wHeld;
    GripLoad load0;
    MoveAbsJ {HOME}, v1000, fine, tGun;
  ENDPROC
ENDMODULE
"""
    program = programmed(irb.load("irb140"), text)
    gripper, both = program.loads
    assert (gripper.name, both.name) == ("tGun", "tGun with lPart")
    assert gripper.body.mass == 2.0
    assert gripper.body.com == pytest.approx([0, 0, 0.04])
    assert both.body.mass == 5.0
    assert both.body.com == pytest.approx([3 * 0.16 / 5, 0, (2 * 0.04 + 3 * 0.25) / 5])
    assert any(
        "load of tool tGun is not checked: it is stationary, and the robot does not hold wobj0"
        in note
        for note in program.notes
    )


def test_a_payload_hangs_at_the_tcp_of_a_tool_of_unknown_mass():
    """Its own load is noted, and what it grips is (60, 0, 120 + 50) mm before the flange."""
    head = MODULE[: MODULE.index("  PROC main()")]
    move = f"MoveAbsJ {HOME}, v1000, fine, tOld;"
    text = f"{head} PROC main()\n GripLoad lPart;\n {move}\n {move}\n ENDPROC\nENDMODULE"
    program = programmed(irb.load("irb140"), text)
    (load,) = program.loads
    assert (load.name, load.body.mass) == ("tOld with lPart", 3.0)
    assert load.body.com == pytest.approx([0.06, 0.0, 0.17])
    assert sum("load of tool tOld is not checked" in note for note in program.notes) == 1
