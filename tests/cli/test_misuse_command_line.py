"""Misuses of the command line: each is refused in one clear line with exit code 2 and changes no
file, or answered rightly.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import irbmodels as irb
from irbmodels import cli

PROGRAM = """MODULE Cell
  PERS tooldata gun:=[TRUE,[[0,0,100],[1,0,0,0]],[2,[0,0,50],[1,0,0,0],0,0,0]];
  CONST robtarget p10:=[[1000,0,1200],[0.70711,0,0.70711,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  CONST robtarget p20:=[[5000,200,1200],[0.70711,0,0.70711,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  PROC main()
    MoveJ p10,v500,fine,gun;
    MoveL p20,v500,fine,gun;
  ENDPROC
ENDMODULE
"""
HEADER = "t," + ",".join(f"q{i}_deg" for i in range(1, 7))
ROWS = [
    ",".join(f"{x:.5f}" for x in (t, *(5 * i * (1 - np.cos(2 * t)) for i in range(1, 7))))
    for t in np.arange(50) / 100.0
]
ARM = """<robot name="{name}"><link name="ground"/><link name="upper"><visual><geometry><mesh filename="{mesh}" scale="{scale}"/>
</geometry></visual><inertial><origin xyz=".2 0 .05"/>{mass}<inertia ixx=".1" iyy="{iyy}" izz=".1" ixy="0" ixz="0" iyz="0"/>
</inertial></link><joint name="a" type="revolute"><parent link="ground"/><child link="upper"/><origin xyz="{place}"/>
<axis xyz="{axis}"/><limit lower="{lower}" upper="2" effort="9" velocity="3"/></joint></robot>
"""
GOOD = {
    "name": "one",
    "mesh": "gone.stl",
    "scale": "1 1 1",
    "mass": '<mass value="2"/>',
    "iyy": ".1",
    "place": "0 0 .3",
}
GOOD |= {"axis": "0 1 0", "lower": "-2"}
OVERLAY = """robot: irb2400
sources:
  mine: {ref: data sheet, grade: published, licence: facts only}
limits:
  axes:
    joint_1: {speed_deg_s: 100, source: mine}
"""


def arm(**changes):
    return ARM.format(**GOOD | changes)


FILES = {
    "prog.mod": PROGRAM,
    "data.mod": "MODULE Data\nENDMODULE\n",
    "ok.csv": "\n".join([HEADER, *ROWS]) + "\n",
    "one.urdf": arm(),
    "o.yaml": OVERLAY,
    "bad mass.urdf": arm(mass='<mass value="1,5"/>'),
    "nan.urdf": arm(mass='<mass value="nan"/>'),
    "no mass.urdf": arm(mass=""),
    "tensor.urdf": arm(iyy="1e400"),
    "axis.urdf": arm(axis="0 1"),
    "place.urdf": arm(place="0 0 a"),
    "limit.urdf": arm(lower=""),
    "scale.urdf": arm(scale="1 2"),
    "tab.yaml": "\t" + OVERLAY,
    "python.yaml": "!!python/object/apply:os.system ['touch hacked']\n",
    "bare.csv": "\n".join(ROWS),
    "comma.csv": "\n".join([HEADER, *ROWS]).replace(",", ";").replace(".", ","),
    "again.csv": "\n".join([HEADER, *ROWS[:20], *ROWS[19:]]),
    "single.csv": f"{HEADER}\n{ROWS[0]}\n",
    "five.csv": "\n".join(line.rpartition(",")[0] for line in (HEADER, *ROWS)),
    "huge.csv": "\n".join([HEADER, *ROWS[:20], "0.2,1e300,0,0,0,0,0"]),
    "rad.csv": "\n".join([HEADER.replace("deg", "rad"), *ROWS]),
    "cut.mod": PROGRAM[:-24],
    "naïve name's.csv": "\r\n".join(
        ["\ufeff" + HEADER.replace(",", ";"), *(row.replace(",", ";") for row in ROWS)]
    ),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    (tmp_path / "utf16.csv").write_bytes(FILES["ok.csv"].encode("utf-16"))
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "link.csv").symlink_to("ok.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PATH = ("path", "prog.mod", "--robot", "irb2400")
CSV = ("path", "ok.csv", "--robot", "irb2400")
INPUT = "is an input of this command; write to another file"
IK = ("ik", "irb2400", "--pose", "1200,0,1000,0,0,1,0")

REFUSED = [
    # outputs that would destroy an input, or cannot be written: before any work
    ((*PATH, "--report", "prog.mod"), f"prog.mod {INPUT}"),
    ((*PATH, "-o", "./prog.mod"), f"prog.mod {INPUT}"),
    ((*PATH, "--with", "data.mod", "-o", "data.mod"), f"data.mod {INPUT}"),
    ((*CSV, "--report", "ok.csv"), f"ok.csv {INPUT}"),
    ((*CSV, "--overlay", "o.yaml", "-o", "o.yaml"), f"o.yaml {INPUT}"),
    (("path", "link.csv", "--robot", "irb2400", "-o", "ok.csv"), f"ok.csv {INPUT}"),
    (("torque", "one.urdf", "ok.csv", "-o", "one.urdf"), f"one.urdf {INPUT}"),
    (("equations", "one.urdf", "--what", "pose", "-o", "one.urdf"), f"one.urdf {INPUT}"),
    (("urdf", "irb2400", "--overlay", "o.yaml", "-o", "o.yaml"), f"o.yaml {INPUT}"),
    (
        (*PATH, "--report", "x.html", "-o", "folder.csv/../x.html"),
        "cannot be both the report and the table",
    ),
    (
        ("torque", "irb2400", "ok.csv", "-o", "x.png", "--figure", "./x.png"),
        "x.png cannot be both the output and the figure",
    ),
    ((*PATH, "--report", "folder.csv"), "cannot write 'folder.csv': it is a folder, not a file"),
    (
        (*PATH, "--report", "/dev/full"),
        "cannot write '/dev/full': it is a device or pipe, not a file",
    ),
    ((*PATH, "--report", "nowhere/x.html"), "nowhere/x.html: there is no folder"),
    (
        ("torque", "irb2400", "ok.csv", "--figure", "nowhere/x.png"),
        "nowhere/x.png: there is no folder",
    ),
    # options that would be ignored or read as something else
    (
        (*PATH, "--window", "0.1"),
        "--window and --rest derive speeds of a motion; prog.mod is a RAPID module",
    ),
    ((*CSV, "--ramp", "0.5"), "--ramp, --step and --keep-speed are for RAPID modules"),
    ((*PATH, "--unit", "STN1"), "--unit 'STN1' is not NAME=ROBOT"),
    ((*PATH, "--unit", "=irb930"), "--unit '=irb930' is not NAME=ROBOT"),
    (
        ("rapid", "prog.mod", "--robot", "irb2400", "--unit", "STN1="),
        "--unit 'STN1=' is not NAME=ROBOT",
    ),
    (
        (*PATH, "--acceleration", "-5,5,5,5,5,5"),
        "--acceleration '-5,5,5,5,5,5': limits are positive and finite",
    ),
    (
        (*PATH, "--acceleration", "5,5,nan,5,5,5"),
        "--acceleration '5,5,nan,5,5,5': limits are positive and finite",
    ),
    ((*PATH, "--cut", "1,2,3", "--cut-lines", "900"), "no move stands in line 900"),
    ((*PATH, "--routine", "nope"), "no routine 'nope' (known: main)"),
    ((*IK, "--conf", "0,0,0,0,0"), "a configuration is four whole numbers (cf1, cf4, cf6, cfx)"),
    ((*IK, "--conf", ""), "a configuration is four whole numbers (cf1, cf4, cf6, cfx)"),
    (("ik", "irb2400", "--target", "[]"), "the text of a target is a robtarget"),
    (("pose", "irb2400", "--q-deg", "0;0;0;0;0;0"), "is not a comma separated list of numbers"),
    (("pose", "irb2400", "--payload", "1,1e9,0,0"), "are these mm?"),
    # URDFs whose body Pinocchio's reader would leave out in silence, or refuse without saying where
    (
        ("pose", "bad mass.urdf"),
        "bad mass.urdf: link 'upper': value of <mass> is '1,5'; it needs a finite number",
    ),
    (
        ("torque", "nan.urdf", "ok.csv"),
        "nan.urdf: link 'upper': value of <mass> is 'nan'; it needs a finite number",
    ),
    (
        ("check", "no mass.urdf"),
        "no mass.urdf: link 'upper': <inertial> has no <mass>; it needs both",
    ),
    (
        ("pose", "tensor.urdf"),
        "tensor.urdf: link 'upper': iyy of <inertia> is '1e400'; it needs a finite number",
    ),
    (
        ("pose", "axis.urdf"),
        "axis.urdf: joint 'a': xyz of <axis> is '0 1'; it needs 3 finite numbers",
    ),
    (
        ("pose", "place.urdf"),
        "place.urdf: joint 'a': xyz of <origin> is '0 0 a'; it needs 3 finite numbers",
    ),
    (
        ("pose", "limit.urdf"),
        "limit.urdf: joint 'a': lower of <limit> is ''; it needs a finite number",
    ),
    (("doctor", "ok.csv"), "ok.csv: not XML"),
    # tables
    (
        ("pose", "irb2400", "--overlay", "tab.yaml"),
        "a tab or another character that cannot start any token at line 1, column 1",
    ),
    (
        ("pose", "irb2400", "--overlay", "python.yaml"),
        "could not determine a constructor for the tag",
    ),
    (
        ("new", "my arm", "--like", "irb1600"),
        "'my arm' is no name for a robot: letters, digits, _ and -",
    ),
    # motions
    (("torque", "irb2400", "folder.csv"), "'folder.csv' is a folder, not a motion file"),
    (("torque", "irb2400", ""), "is a folder, not a motion file"),
    (("torque", "irb2400", "/dev/null"), "/dev/null is not a regular file"),
    (("torque", "irb2400", "utf16.csv"), "utf16.csv: is text in UTF-16; save it in UTF-8"),
    (("torque", "irb2400", "bare.csv"), "bare.csv: column 't' [s] is missing"),
    (
        ("torque", "irb2400", "comma.csv"),
        "row 2, column 't': '0,00000' is not a finite number; write a decimal point",
    ),
    (("torque", "irb2400", "again.csv"), "row 22, column 't': 0.19 s does not come after 0.19 s"),
    (
        ("torque", "irb2400", "single.csv"),
        (
            "single.csv: too few rows to derive speeds: 1, and 5 are needed; give v and a, or more"
            " rows"
        ),
    ),
    (("torque", "irb2400", "five.csv"), "five.csv: column 'q6_deg' is missing"),
    (
        ("torque", "irb2400", "huge.csv"),
        "row 22, column 'q1_deg': 1e+300 is more than three times the largest limit",
    ),
    (("torque", "irb2400", "rad.csv"), "rad.csv: column 'q1_deg' is missing (columns: t, q1_rad"),
    # RAPID
    (("rapid", "cut.mod"), "cut.mod: line 5, column 3: PROC is not closed: ENDPROC is missing"),
    (("rapid", "one.urdf"), "one.urdf holds no RAPID module, which begins with MODULE and a name"),
]


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("arguments", "words"), REFUSED, ids=[" ".join(case[0]) for case in REFUSED]
)
def test_a_misuse_is_refused_in_one_line(folder, capfd, arguments, words):
    """Exit code 2, one line of less than 260 characters on stderr, C++ libraries included, and
    every file as it was.
    """
    before = contents(folder)
    code = cli.main(list(arguments))
    out, err = capfd.readouterr()
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert len(err) < 260
    assert contents(folder) == before


def test_a_target_out_of_reach_is_named_by_its_line(folder, capfd):
    code = cli.main(list(PATH))
    err = capfd.readouterr().err
    assert code == 1
    assert "line 7, t = " in err
    assert "out of reach" in err


def test_a_motion_as_windows_writes_it_is_read(folder, capfd):
    """With mark, semicolons, Windows line ends, and a name with space, quote and umlaut: the
    torques of the plain file.
    """
    shown = []
    for name in ("ok.csv", "naïve name's.csv"):
        assert cli.main(["torque", "irb2400", name]) == 0
        shown.append(capfd.readouterr().out)
    assert shown[0] == shown[1]


def test_shapes_do_not_change_what_a_urdf_weighs(folder, capfd):
    """A wrong scale concerns the picture alone: nothing is written to stderr, and gravity is that
    of the right file.
    """
    robots = [irb.from_urdf(name) for name in ("one.urdf", "scale.urdf")]
    assert capfd.readouterr().err == ""
    torques = [robot.gravity([0.3]) for robot in robots]
    np.testing.assert_array_equal(*torques)
    assert abs(torques[0][0]) > 3.0


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="only Linux has a device that is always full"
)
@pytest.mark.parametrize(
    "arguments", [["list"], ["pose", "irb1600"], ["--help"], ["urdf", "irb1600"]], ids=" ".join
)
def test_a_full_disk_is_one_line(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "irbmodels.cli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "error: cannot write the output: No space left on device\n"


@pytest.mark.parametrize(("arguments", "code"), [("info irb9999", 2), ("pose irb1600", 0)])
def test_closed_streams_change_no_exit_code(arguments, code):
    """A program that is started without stdout and stderr, as by some services, ends as with
    them.
    """
    command = f"exec '{sys.executable}' -m irbmodels.cli {arguments} >&- 2>&-"
    assert (
        subprocess.run(["/bin/sh", "-c", command], env=dict(os.environ), check=False).returncode
        == code
    )
