"""The command rapid."""

import re

import numpy as np
from rapid_modules import MANUAL

import irbmodels as irb
from irbmodels import rapid

CELL = f"""MODULE cell
  PERS tooldata tGun:=[TRUE,[[97.4,0,223.1],[0.923880,0,0.382683,0]],[5,[23,0,75],[1,0,0,0],0,0,0]];
  PERS wobjdata wStn:=[FALSE,FALSE,"STN1",[[0,0,0],[1,0,0,0]],[[0,0,120],[1,0,0,0]]];
  CONST robtarget pHome:=[[940,0,1455],[0.707107,0,0.707107,0],[0,0,0,0],[0,0,9E9,9E9,9E9,9E9]];
  CONST robtarget far{{1}}:=[{MANUAL.replace("600,", "6000,")}];
  CONST robtarget twin:=pHome;
  CONST robtarget lost:=far{{9}};
  CONST jointtarget low:=[[0,120,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
ENDMODULE
"""


def test_command_lists_declarations_and_postures(tmp_path, run):
    """Every declaration with its line; every posture, what is programmed, out of range, near a
    singularity, out of reach.
    """
    file = tmp_path / "cell.mod"
    file.write_text(CELL)
    code, out, _ = run("rapid", file)
    assert code == 0
    assert out.splitlines()[:2] == [
        "cell: 7 declarations",
        CELL.splitlines()[1].replace("  PERS", "     2  PERS"),
    ]
    code, out, _ = run("rapid", file, "--robot", "irb2400")
    lines = out.splitlines()
    assert lines[0] == "pHome: 7 solutions, 3 in range"
    assert re.fullmatch(
        r"  \*( +0\.000){6} \[0,0,0,0\]\? 0\.000 deg from the wrist singularity", lines[1]
    )
    assert "far{1}: no solution: out of reach" in out
    assert "twin: 7 solutions, 3 in range" in out
    assert "lost: far{9} has to be computed, and is left out" in out
    assert re.search(
        r"low: .*q2 = 120 deg is outside its bounds -100 \.\. 110 deg; axis 3: q3 - q2 = -120",
        lines[-2],
    )
    assert len(re.findall(r"q3 - q2 = -159\.724 deg is outside", out)) == 4
    file.write_text(CELL.replace("[0,0,0,0],[0,0,9E9", "[0,0,4,0],[0,0,9E9"))
    lines = run("rapid", file, "--robot", "irb2400")[1].splitlines()
    assert lines[0] == "pHome: 9 solutions, 4 in range"
    assert lines[1].startswith(
        "  *     0.000     0.000     0.000     0.000     0.000   360.000 [0,0,4,0]?"
    )


def test_command_takes_tool_object_and_unit(tmp_path, run):
    """The tool of the module by name in any case; the object that a unit carries; what is missing
    is said in its line.
    """
    file = tmp_path / "cell.mod"
    file.write_text(CELL)
    robot = irb.load("irb2400", tool=rapid.read(CELL)["tGun"])
    pose = rapid.read(CELL)["pHome"].pose()
    actual = robot.inverse_kinematics(pose)
    _, out, _ = run("rapid", file, "--robot", "irb2400", "--tool", "TGUN")
    assert f"{np.degrees(actual[0].q[1]):9.3f}" in out
    _, out, _ = run("rapid", file, "--robot", "irb2400", "--wobj", "wstn")
    assert out.startswith("pHome: the work object moves with STN1; units needs it (none is given)")
    _, out, _ = run(
        "rapid", file, "--robot", "irb2400", "--wobj", "wstn", "--unit", "stn1=positioner"
    )
    assert out.startswith("pHome: no solution: out of reach by")
    for words, reason in (
        (("--robot", "irb2400", "--wobj", "pHome"), "no wobjdata 'pHome'"),
        (("--robot", "irb2400", "--tool", "pHome"), "no tool 'pHome'"),
        (("--tool", "tGun"), "they need --robot"),
    ):
        code, _, err = run("rapid", file, *words)
        assert code == 2
        assert reason in err
    file.write_text("MODULE m\nVAR num x=1;\nENDMODULE")
    assert run("rapid", file)[::2] == (
        2,
        f"error: {file}: line 2, column 10: found '='; a value is given with ':='\n",
    )
