import base64
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from xml.etree import ElementTree

import numpy as np
import pytest
import shipped
from terminals import assert_nothing_is_cut

import irbmodels as irb
from irbmodels import cli
from irbmodels.cli import _program, shared
from irbmodels.kinematics.frames import REFERENCES
from irbmodels.robot.kinematics import AXES
from irbmodels.tasks.path_check.program_motion import RAMP, STEP
from irbmodels.trajectory import through
from irbmodels.trajectory.differentiation import REST
from irbmodels.trajectory.motion_files import write_motion

PROGRAM = """MODULE P
 PERS tooldata tGun:=[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,50],[1,0,0,0],0,0,0]];
 PROC main()
  MoveAbsJ [[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,tGun;
  MoveAbsJ [[30,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,tGun;
 ENDPROC
ENDMODULE
"""


@pytest.fixture
def motion_csv(tmp_path):
    robot = irb.load("irb2400", tool="spindle")
    motion = through(
        [np.zeros(6), robot.from_controller([20, 10, 5, 10, 30, 40])], duration=1.0
    ).sample(100.0)
    measured = robot.inverse_dynamics(motion.q, motion.v, motion.a)
    write_motion(tmp_path / "m.csv", motion._replace(tau=measured + 1.0), robot)
    return tmp_path / "m.csv"


def test_list_and_info(run):
    code, out, err = run("list")
    assert (code, err) == (0, "")
    assert all(name in out for name in shipped.ALL)
    code, out, _ = run("info", "irb2400")
    assert code == 0
    assert "q3 - q2" in out
    assert "[N m, N m s/rad, rad/s]" in out  # brackets are not markup


COMMANDS = {
    title: [name for names in modules.values() for name in names]
    for title, modules in cli.COMMANDS.items()
}
ALL = [name for names in COMMANDS.values() for name in names]
IK = ["ik", "irb2400", "--pose", "1200,0,1000,0,0,1,0"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        *(["info", name] for name in ("irb2400", "irb1400", "irb1600", "irb930")),
        ["pose", "irb2400", "--q-deg", "10.123,20,10,0,30,-170.5"],
        IK,
        [*IK, "--near", "0,0,0,0,0,0", "--turns"],
        *(["workspace", name] for name in ("irb2400", "irb930")),
        ["torque", "irb2400", "m.csv", "--tool", "spindle"],
        [
            "path",
            "m.csv",
            "--robot",
            "irb2400",
            "--tool",
            "spindle",
            "--acceleration",
            "5,5,5,5,5,5",
        ],
        ["friction", "irb2400"],
        ["jacobian", "irb2400", "--q-deg", "0,20,10,0,3,0"],
        ["friction-plan", "irb2400", "--axis", "1", "--count", "6"],
        ["move", "irb2400", "--via", "0,0,0,0,30,0", "--via", "10,0,0,0,30,0"],
        ["simulate", "irb2400", "--duration", "0.1"],
        ["check", "irb1600"],
        ["export", "irb930", "--to", "urdf", "-o", "arm", "--verify"],
        ["cache", "info"],
    ],
    ids=" ".join,
)
def test_nothing_is_cut_on_a_narrow_terminal(run, arguments, motion_csv, tmp_path, monkeypatch):
    """Numbers, sources and verdicts of each command are on terminals of 60, 80, 100 and 200
    columns.
    """
    shown = []
    monkeypatch.chdir(motion_csv.parent)
    monkeypatch.setattr(shared.out, "print", lambda text, **_: shown.append(text))
    assert run(*arguments)[0] in (0, 1)
    assert_nothing_is_cut(shown)


def test_rapid_targets_wrap_between_words(run, tmp_path, monkeypatch):
    frame = "[9E9,9E9,9E9,9E9,9E9,9E9]"
    (tmp_path / "p.mod").write_text(
        "MODULE p\n CONST robtarget"
        f" p10:=[[940,0,1455],[0.70711,0,0.70711,0],[0,0,0,0],{frame}];\nENDMODULE\n"
    )
    shown = []
    monkeypatch.setattr(shared.out, "print", lambda text, **_: shown.append(text))
    assert run("rapid", str(tmp_path / "p.mod"), "--robot", "irb2400")[0] == 0
    assert_nothing_is_cut(shown)


def test_the_width_of_a_terminal_is_asked_for(tmp_path):
    """A pipe has 200 columns, or as many as COLUMNS says."""
    code = "from irbmodels.cli.shared import out; print(out.width)"
    for columns, width in (({}, 200), ({"COLUMNS": "80"}, 80)):
        environment = {
            name: value for name, value in os.environ.items() if name != "COLUMNS"
        } | columns
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        assert done.stdout.strip() == str(width)


def test_summaries_of_commands_are_not_cut(run, monkeypatch):
    """Groups of commands by task in entire sentences, at 80 columns one line each; -h is --help,
    of a command too.
    """
    for columns in ("60", "80"):
        monkeypatch.setenv("COLUMNS", columns)
        for arguments in (["-h"], ["cache", "-h"]):
            code, out, _ = run(*arguments)
            assert code == 0
            assert "..." not in out.partition("\n")[2]
    assert run("pose", "-h") == run("pose", "--help")
    assert groups_of(run("-h")[1]) == COMMANDS
    lines = [line for line in run("-h")[1].splitlines() if line[2:].startswith(tuple(ALL))]
    assert len(lines) == len(ALL)
    assert all(line.endswith(".") and len(line) <= 80 for line in lines)


def groups_of(page):
    """Names of commands by title of their group."""
    _, *blocks = page.partition("Options:")[2].partition("Exit codes:")[0].split("\n\n")
    return {
        title.rstrip(":"): [line.split()[0] for line in lines]
        for title, *lines in (block.strip("\n").splitlines() for block in blocks if block.strip())
    }


def test_cache_without_a_verb_is_its_info(run):
    code, out, err = run("cache")
    assert (code, err) == (0, "")
    assert out == run("cache", "info")[1]
    assert "kernel" in out


def test_a_payload_weighs(run, motion_csv):
    """--payload of torque, check and pose is irb.payload: kg, and mm in the TCP frame."""
    robot = irb.load("irb2400", tool="spindle").with_payload(irb.payload(3.0, [0.1, 0.02, -0.05]))
    motion = irb.open_motion(motion_csv, robot).read()
    largest = np.abs(robot.inverse_dynamics(motion.q, motion.v, motion.a)).max(axis=0)
    code, out, _ = run(
        "torque", "irb2400", str(motion_csv), "--tool", "spindle", "--payload", "3,100,20,-50"
    )
    rows = [
        line.split()
        for line in out.split("rms torque")[0].splitlines()
        if line[:3].strip().isdigit()
    ]
    assert code == 0
    # two decimals
    np.testing.assert_allclose([float(row[5]) for row in rows], largest, atol=0.0051)
    assert run("check", "irb1600", "--payload", "3,100,20,-50")[0] == 0
    assert run("pose", "irb1600", "--payload", "3")[1] == run("pose", "irb1600")[1]


def test_path_and_view_carry_the_payload(run, motion_csv, tmp_path):
    """The peak torque of axis 3 grows by it; a page is written with it."""
    peaks = []
    for more in ([], ["--payload", "8,200,0,0"]):
        code, out, _ = run(
            "path", str(motion_csv), "--robot", "irb2400", "--tool", "spindle", *more
        )
        assert code in (0, 1)
        (row,) = (
            line for line in out.splitlines() if line.split()[:2] == ["3", "q3"] and "N m" in line
        )
        peaks.append(float(row.split("N m")[0].split()[-1]))
    assert peaks[1] > peaks[0] + 20.0
    page = tmp_path / "v.html"
    posture = ("--q-deg", "10,20,-100,0", "--payload", "2,0,0,50")
    code, _, err = run("view", "irb930", *posture, "--save", page)
    assert (code, err) == (0, f"wrote {page}\n")
    (actor,) = page_data(page)["actors"]
    assert np.degrees(actor["q"])[[0, 1, 3]] == pytest.approx([10.0, 20.0, 0.0])


TWO = """<robot name="two"><link name="ground"><inertial><mass value="3"/>{tensor}</inertial></link>
<link name="upper"><inertial><origin xyz=".2 0 .05"/><mass value="1"/>{tensor}</inertial></link>
<link name="fore"><inertial><origin xyz=".1 0 0"/><mass value=".5"/>{tensor}</inertial></link>
<joint name="a" type="revolute"><parent link="ground"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="9" velocity="3"/></joint>
<joint name="b" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz=".4 0 0"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="9" velocity="3"/></joint></robot>
""".format(tensor='<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/>')


def test_any_urdf_is_a_robot_of_pose_torque_and_check(run, tmp_path):
    """A URDF with names of its own: pose, torque, and a comparison with every engine."""
    file, motion = tmp_path / "two.urdf", tmp_path / "m.csv"
    file.write_text(TWO)
    robot = irb.from_urdf(file)
    write_motion(motion, through([np.zeros(2), np.full(2, 0.4)], duration=1.0).sample(100.0), robot)
    code, out, _ = run("pose", str(file), "--q-deg", "0,90")
    assert code == 0
    assert out.splitlines()[1].split()[2:] == ["400.0000", "0.0000", "0.0000"]
    assert run("torque", str(file), str(motion), "--payload", "2")[0] == 0
    code, out, err = run("check", str(file), "--payload", "2,0,0,50")
    assert code == 0, out
    assert "6 tools: 6 agree" in err
    code, _, err = run("check", str(file), "--figure", str(tmp_path / "f.png"))
    assert code == 2
    assert "has none" in err


@pytest.mark.parametrize("command", ["", *ALL])
def test_help_teaches(run, command):
    """--help of every command has its usage, and a line for each of its arguments."""
    code, out, _ = run(*command.split(), "--help")
    assert code == 0
    assert "Usage: irbmodels" in out
    assert len(out.splitlines()) > 5


def test_help_explains_arguments_and_defaults(run):
    out = " ".join(run("path", "-h")[1].split())
    assert "FILE RAPID module" in out
    assert f"assumed; default {RAMP:g}." in out
    assert f"samples of a program; default {STEP:g}." in out
    assert f"stands still; default {REST:g}." in out
    assert "[default: tcp]" in run("pose", "-h")[1]
    assert f"[{'|'.join(REFERENCES)}]" in run("pose", "-h")[1]
    assert f"[{'|'.join(AXES)}]" in run("jacobian", "-h")[1]


def test_every_command_is_in_the_module_that_is_imported_for_it():
    assert len(set(ALL)) == len(ALL)
    named = [pair for modules in cli.COMMANDS.values() for pair in modules.items()]
    for module in {module for module, _ in named}:
        app = import_module(f"irbmodels.cli.{module}").app
        assert set(app.commands) == {n for one, names in named for n in names if one == module}


def test_help_names_all_commands_after_one_of_them(run):
    """A module that is imported for one command does not hide, or move, those of others."""
    assert run("path")[0] == 2
    assert groups_of(run("--help")[1]) == COMMANDS
    assert "Did you mean 'pose'?" in run("poes", "irb2400")[2]


def test_pose(run):
    """The out pose is robot.pose, for degrees and for a negative first angle."""
    code, out, _ = run("pose", "irb2400", "--q-deg", "-10,20,10,0,30,0", "--tool", "spindle")
    robot = irb.load("irb2400", tool="spindle")
    position = robot.pose(robot.from_controller([-10, 20, 10, 0, 30, 0])).translation
    numbers = [float(word) for word in out.splitlines()[1].split()[2:]]
    assert code == 0
    np.testing.assert_allclose(numbers, 1000 * position, atol=5e-5)  # four out decimals


def test_urdf_to_terminal_and_file(run, tmp_path):
    """-o writes what is out, with meshes found from there, as --meshes says; coupling and tool
    are honoured.
    """
    code, out, _ = run("urdf", "irb2400", "--coupling", "serial", "--tool", "spindle")
    assert code == 0
    names = {joint.get("name") for joint in ElementTree.fromstring(out).iterfind("joint")}
    assert "joint_6" in names
    assert "joint_crank" not in names
    assert 'value="12.7"' in out
    assert run("urdf", "irb2400", "-o", str(tmp_path / "a.urdf"))[0] == 0
    out, data = run("urdf", "irb2400")[1], irb.urdf_path("irb2400").resolve().parents[2]
    assert out == irb.describe("irb2400").urdf()
    there = out.replace('filename="../../meshes/', f'filename="{data}/meshes/')
    assert there.count(str(data)) > 20
    assert (tmp_path / "a.urdf").read_text() == there
    assert (
        run("urdf", "irb2400", "-o", str(tmp_path / "b.urdf"), "--meshes", "package://irb")[0] == 0
    )
    assert (tmp_path / "b.urdf").read_text() == out.replace(
        "../../meshes/", "package://irb/meshes/"
    )


def test_serial_urdf_of_a_robot_whose_bars_weigh(run):
    """The open chain is written with the set that stands for the bars; asked for by its own name it
    is the same.
    """
    code, out, _ = run("urdf", "irb1400", "--coupling", "serial")
    assert code == 0
    assert out == run("urdf", "irb1400", "--coupling", "serial", "--parameters", "cad_lumped")[1]
    assert out == irb.urdf_path("irb1400", "serial").read_text(encoding="utf-8")


def test_torque_writes_predicts_and_compares(run, motion_csv, tmp_path):
    """With a constant error of 1 N m, MAE and RMSE are 1.00 on every axis; output and figure are
    there.
    """
    output, figure = tmp_path / "tau.csv", tmp_path / "f.png"
    code, out, err = run(
        "torque",
        "irb2400",
        str(motion_csv),
        "--tool",
        "spindle",
        "-o",
        str(output),
        "--figure",
        str(figure),
    )
    assert code == 0
    rows = [
        line.split()
        for line in out.split("model against measurement")[1].splitlines()
        if line[:3].strip().isdigit()
    ]
    assert [row[:3] for row in rows] == [[str(i + 1), "1.00", "1.00"] for i in range(6)]
    assert output.stat().st_size > 1000
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert "friction there is extrapolated" in err


def test_torque_says_what_it_assumes(run, tmp_path):
    """Unknown columns, derived speeds and missing friction are reported."""
    robot = irb.load("irb1600")
    motion = through([np.zeros(6), np.full(6, 0.2)], duration=1.0).sample(100.0)
    write_motion(tmp_path / "m.csv", motion._replace(v=None, a=None), robot)
    lines = (tmp_path / "m.csv").read_text().splitlines()
    (tmp_path / "m.csv").write_text(
        "\n".join([lines[0] + ",note", *(line + ",x" for line in lines[1:])])
    )
    code, _, err = run("torque", "irb1600", str(tmp_path / "m.csv"))
    assert code == 0
    assert "ignored column: note\n" in err
    many = [
        lines[0] + "".join(f",x{k}" for k in range(63)),
        *(line + ",1" * 63 for line in lines[1:]),
    ]
    (tmp_path / "m.csv").write_text("\n".join(many))
    _, _, err = run("torque", "irb1600", str(tmp_path / "m.csv"))
    assert [line for line in err.splitlines() if "ignored" in line] == [
        f"ignored columns: {', '.join(f'x{k}' for k in range(8))} ... and 55 more"
    ]
    assert "missing speeds and accelerations are derived by a cubic over 90 ms" in err


def test_torque_refuses_speeds_of_another_unit_and_says_what_it_derives(run, tmp_path):
    """Rad/s in a column of deg/s is exit code 2 and no file; of a file with speeds only
    accelerations are reported as derived.
    """
    robot = irb.load("irb2400")
    motion = through([np.zeros(6), np.full(6, 0.4)], duration=1.0).sample(100.0)
    path, output = tmp_path / "m.csv", tmp_path / "tau.csv"
    write_motion(path, motion._replace(v=np.radians(motion.v)), robot)
    code, out, err = run("torque", "irb2400", str(path), "-o", str(output))
    assert (code, out) == (2, "")
    assert "column 'v1_deg_s': 'q1_deg' changes 57.3 times as fast as it says" in " ".join(
        err.split()
    )
    assert "it looks like rad/s" in " ".join(err.split())
    assert not output.exists()
    write_motion(path, motion._replace(a=None), robot)
    code, _, err = run("torque", "irb2400", str(path))
    assert code == 0
    assert "missing accelerations are derived" in err
    assert "stands still" not in err
    assert "speeds" not in err.replace("speed limit", "")


def test_torque_says_what_is_assumed_and_overloaded(run, tmp_path):
    robot = irb.load("irb1400")
    write_motion(
        tmp_path / "m.csv",
        through([np.zeros(6), np.full(6, 0.2)], duration=1.0).sample(100.0),
        robot,
    )
    code, _, err = run("torque", "irb1400", str(tmp_path / "m.csv"), "--tool", "spindle")
    assert code == 0
    assert "masses and inertias of irb1400 (set cad) are assumed" in err
    assert "irb1400: balancing springs of axis 2 (coil) left out of every torque" in err
    assert "tool and payload weigh 12.7 kg; irb1400 is rated for 5 kg" in err


def test_the_motion_itself_is_never_overwritten(run, motion_csv):
    before = motion_csv.read_bytes()
    code, _, err = run("torque", "irb2400", str(motion_csv), "-o", str(motion_csv))
    assert code == 2
    assert "is an input of this command" in err
    assert motion_csv.read_bytes() == before
    same = str(motion_csv.with_name("x.png"))
    code, _, err = run("torque", "irb2400", str(motion_csv), "-o", same, "--figure", same)
    assert code == 2
    assert "cannot be both" in err


def test_no_arguments_print_the_help(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert "Ask a robot:" in out
    assert len(out.splitlines()) > 10


def test_check_compares_and_draws(run, tmp_path):
    code, out, _ = run("check", "irb1600", "--figure", str(tmp_path / "f.png"))
    assert code == 0
    assert "Newton-Euler" in out
    assert "DIFFERS" not in out
    assert (tmp_path / "f.png").stat().st_size > 10_000


def test_a_posture_out_of_range_is_noted(run):
    code, out, err = run("pose", "irb2400", "--q-deg", "0,80,0,0,0,0")
    assert code == 0
    assert "0 deg, 80 deg" in out
    assert err == "note: axis 3: q3 - q2 = -80 deg is outside its bounds -60 .. 65 deg\n"


@pytest.mark.parametrize(
    "words",
    [
        ("pose", "irb2400", "--q-deg", "{}"),
        ("jacobian", "irb2400", "--q-deg", "{}"),
        ("view", "irb2400", "--q-deg", "{}", "--save", "{folder}/page.html"),
        ("ik", "irb2400", "--pose", "1200,0,1000,0,0,1,0", "--near", "{}"),
        ("simulate", "irb2400", "--q-deg", "{}", "--no-stops", "--duration", "0.01"),
        ("workspace", "irb2400", "--wrist-deg", "0,200,0"),
    ],
)
def test_every_command_notes_positions_out_of_range(run, tmp_path, words):
    """200 deg of axis 2, or 5, by the option that gives it; in range nothing is noted."""
    for value in ("200", "20"):
        shown = f"0,{value},0,0,0,0"
        given = [word.format(shown, folder=tmp_path).replace("200", value) for word in words]
        notes = [line for line in run(*given)[2].splitlines() if line.startswith("note: axis")]
        assert any(f"= {value} deg is outside its bounds" in note for note in notes) == (
            value == "200"
        )


def test_an_impossible_set_warns_when_written(run, tmp_path):
    code, _, err = run(
        "urdf", "irb2400", "--parameters", "obal2025_printed", "-o", str(tmp_path / "x.urdf")
    )
    assert code == 0
    assert err.startswith("warning: set 'obal2025_printed'")


def test_friction(run, tmp_path):
    code, out, _ = run("friction", "irb2400", "--save", str(tmp_path / "f.svg"))
    assert code == 0
    assert "9.3613" in out
    assert (tmp_path / "f.svg").exists()


def page_data(path):
    """Return what a page knows of its robots."""
    text = path.read_text(encoding="utf-8")
    start = text.index("const page = ") + len("const page = ")
    return json.JSONDecoder().raw_decode(text[start:].replace("<\\/", "</"))[0]


def test_view_plays_motions_in_a_cell(run, motion_csv, tmp_path):
    """Two motions make a solid and a translucent robot, titled by robot, tool and motion; --also
    puts a positioner beside them; layers are on.
    """
    page = tmp_path / "v.html"
    motions = ["--motion", str(motion_csv), "--motion", str(motion_csv)]
    also = ["--also", "positioner@1250,0,-50,0,0,90", "--also", str(irb.urdf_path("irb1600"))]
    code, _, err = run(
        "view",
        "irb2400",
        "--tool",
        "spindle",
        *motions,
        *also,
        "--layer",
        "trace",
        "--save",
        str(page),
    )
    assert code == 0, err
    data = page_data(page)
    title = "irb2400_16 with spindle: m"
    named = [actor["name"] for actor in data["actors"]]
    assert named == [title, title, "positioner", "irb1600_6_120"]
    assert [actor["opacity"] for actor in data["actors"]] == [1.0, 0.4, 1.0, 1.0]
    assert [actor["motion"] is not None for actor in data["actors"]] == [True, True, False, False]
    assert data["layers"] == ["trace"]
    t = np.frombuffer(base64.b64decode(data["actors"][0]["motion"]["t"]))
    assert t[[0, -1]] == pytest.approx([0.0, 1.0])
    measured, tau = (
        np.frombuffer(base64.b64decode(data["actors"][0]["motion"][key]))
        for key in ("measured", "tau")
    )
    np.testing.assert_allclose(measured, tau + 1.0, atol=1e-5)  # nine out digits


def test_view_shows_both_arms_of_a_yumi(run, tmp_path):
    """The one that is named first; both on the same base; one that is named twice is there once."""
    page, hung = tmp_path / "v.html", "0,0,2500,0,1,0,0"
    seen = []
    for more in ((), ("--mounted", hung), ("--also", "irb14000_left@500,0,0")):
        code, _, err = run("view", "irb14000", *more, "--save", str(page))
        assert code == 0, err
        seen.append(page_data(page)["actors"])
    for actors in seen:
        assert [actor["name"] for actor in actors] == ["irb14000_right", "irb14000_left"]
    stands = [[actor["answers"]["world"] for actor in actors] for actors in seen]
    assert stands[0][0] == stands[0][1] == np.eye(4).tolist()
    assert stands[1][0] == stands[1][1] != stands[0][0]
    assert stands[2][1][0][3] == 0.5
    right, left = (
        irb.load(actor["name"]).pose(actor["q"]).translation for actor in (seen[0][0], seen[0][1])
    )
    assert right[0] > left[0] + 0.4  # the left one is at its home, out of the way
    code, _, err = run("view", "irb14000_left", "--save", str(page))
    assert page_data(page)["actors"][0]["name"] == "irb14000_left"


def test_view_takes_any_urdf(run, tmp_path):
    page = tmp_path / "v.html"
    code, _, err = run(
        "view", str(irb.urdf_path("irb1400", "serial")), "--tool", "spindle", "--save", str(page)
    )
    assert code == 0, err
    (actor,) = page_data(page)["actors"]
    assert [axis["label"] for axis in actor["axes"]] == [f"joint_{i}" for i in range(1, 7)]


def test_view_without_chromium_says_what_to_do(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = run("view", "irb930", "--png", str(tmp_path / "p.png"))
    assert code == 2
    assert err.count("\n") == 1
    assert "no working chromium" in err
    assert "--save" in err
    assert not list(tmp_path.iterdir())


def test_printed_set_warns_on_one_line(run, motion_csv):
    """The set as out is used, with a warning that names its impossible links."""
    code, _, err = run("torque", "irb2400", str(motion_csv), "--parameters", "obal2025_printed")
    assert code == 0
    warning = next(line for line in err.splitlines() if line.startswith("warning:"))
    assert "link_2, link_3, link_4, link_6" in warning


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["info", "irb2401"], "no robot 'irb2401'; did you mean 'irb2400'"),
        (["pose", "irb2400", "--tool", "spindel"], "no tool 'spindel'; did you mean 'spindle'"),
        (["pose", "irb2400", "--tool", "nothing.yaml"], "no tool file 'nothing.yaml'"),
        (["pose", "irb2400", "--frame", "tool"], "no frame 'tool'; did you mean 'tool0'"),
        (
            ["pose", "irb2400", "--q-deg", "1,2,3"],
            "--q-deg '1,2,3' needs 6 numbers, for axes 1 to 6 of irb2400_16; got 3",
        ),
        (
            ["view", "irb930", "--payload", "2,0", "--save", "x.html"],
            "--payload '2,0' is not MASS in kg, MASS,x,y,z",
        ),
        (
            ["torque", "irb2400", "nothing.csv", "--payload", "heavy"],
            "--payload 'heavy' is not MASS in kg, MASS,x,y,z",
        ),
        (["pose", "irb2400", "--payload", "-2"], "mass of a payload [kg] must be a positive"),
        (["check", "irb2400", "--payload", "1,0,0,inf"], "centre of mass"),
        (["identify", "m.csv", "--robot", "my.urdf"], "my.urdf: No such file"),
        *(
            ([*command.split(), *option.split()], message)
            for command in (
                "torque my.urdf m.csv",
                "check my.urdf",
                "export my.urdf --to urdf -o x",
                "codegen my.urdf --what v -o x",
            )
            for option, message in (
                ("--parameters cad", "my.urdf has no sets by name; --parameters 'cad' should be a"),
                ("--overlay x.yaml", "my.urdf has no tables; --overlay is for robots that do"),
            )
        ),
        (["pose", "irb2400", "--q-deg", "1,2,3,4,5,x"], "is not a comma separated list"),
        (["pose", "irb2400", "--q-deg", "1,2,3,4,5,nan"], "not finite"),
        (
            ["pose", "irb2400", "--q-deg", "0,0,0,0,0,99999"],
            "more than three times the largest limit",
        ),
        (["urdf", "irb2400", "--coupling", "paralel"], "did you mean 'parallelogram'"),
        (
            ["urdf", "irb1600", "--coupling", "parallelogram"],
            "no coupling of irb1600_6_120 'parallelogram'",
        ),
        (["urdf", "irb2400", "--parameters", "obal"], "did you mean 'obal2025'"),
        (["urdf", "irb2400", "--meshes", "nowhere"], "choose relative, absolute or package://NAME"),
        (["urdf", "irb2400", "-o", "/nowhere/x.urdf"], "cannot write /nowhere/x.urdf"),
        (["torque", "irb2400", "nothing.csv"], "nothing.csv: No such file"),
        (["torque", "irb2400"], "Missing ROBOT"),
        (["friction", "irb1600"], "irb1600_6_120 has no friction data"),
        (["friction", "irb2400", "--save", "x.pgn"], "did you mean 'png'"),
        (["torque", "irb2400", "nothing.csv", "--figure", "x"], "nothing.csv: No such file"),
        (["view", "irb2400", "--save", "x.png"], "the name of a page ends in .html"),
        (["view", "irb2400", "--png", "x.html"], "the name of a picture ends in .png"),
        (
            ["view", "irb2400", "--layer", "frame", "--save", "x.html"],
            "no layer 'frame'; did you mean 'frames'",
        ),
        (
            ["view", "irb2400", "--also", "irb930@1,2", "--save", "x.html"],
            "after @ come x,y,z in mm",
        ),
        (
            ["view", "irb2400", "--also", "irb931", "--save", "x.html"],
            "no robot 'irb931'; did you mean",
        ),
        (["view", "irb2400", "--motion", "no.csv", "--save", "x.html"], "no.csv: No such file"),
        (["view", "irb2400", "--motion", "no.csv", "--q-deg", "0,0,0,0,0,0"], "give one of them"),
        (["view", "nothing.urdf"], "nothing.urdf: No such file"),
        (["view", "irb1600", "--port", "80"], "port 80 is not a number from 1024"),
        (["urdf", "irb2400", "-o", "."], "it is a folder, not a file"),
        (["demo", "-o", "/dev/null/demo"], "cannot make the folder"),
        (["view", "irb2400", "--save", "/nowhere/p.html"], "cannot write"),
        (["nonsense"], "nonsense"),
        (["info", "irb2400", "--nonsense"], "nonsense"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(run, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*arguments)
    assert code == 2
    assert words in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_wrong_row_leaves_no_output(run, motion_csv, tmp_path):
    text = motion_csv.read_text().splitlines()
    cells = text[50].split(",")
    text[50] = ",".join([*cells[:2], "oops", *cells[3:]])
    motion_csv.write_text("\n".join(text))
    arguments = ["-o", str(tmp_path / "tau.csv"), "--figure", str(tmp_path / "f.png")]
    code, _, err = run("torque", "irb2400", str(motion_csv), *arguments)
    assert code == 2
    assert "row 51, column 'q2_deg': 'oops' is not a finite number" in err
    assert [path.name for path in tmp_path.iterdir()] == ["m.csv"]


def test_the_installed_command_ends_with_code_2():
    done = subprocess.run(
        [sys.executable, "-m", "irbmodels.cli", "info", "irb2401"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_version(run):
    assert run("--version")[1].strip() == f"irbmodels {irb.__version__}"


@pytest.mark.parametrize(
    "words",
    [
        ("pose", "--q-deg", "0,20,10,0,30,0", "--json"),
        ("friction", "--json"),
        ("path", "{}/p.mod", "--json"),
        ("rapid", "{}/p.mod", "--json"),
        ("torque", "{}/m.csv", "--json"),
    ],
)
def test_the_robot_comes_first_or_by_its_option(run, tmp_path, words):
    """``ROBOT`` before all, ``--robot ROBOT`` behind all and ``--robot=ROBOT``: the same output."""
    (tmp_path / "p.mod").write_text(PROGRAM)
    write_motion(
        tmp_path / "m.csv", through(np.eye(2, 6), duration=1.0).sample(50.0), irb.load("irb2400")
    )
    command, *rest = (word.format(tmp_path) for word in words)
    outputs = [
        run(command, *given)
        for given in (
            ("irb2400", *rest),
            (*rest, "--robot", "irb2400"),
            ("--robot=irb2400", *rest),
        )
    ]
    assert outputs[0][0] == 0, outputs[0][2]
    assert json.loads(outputs[0][1])
    assert outputs[0] == outputs[1] == outputs[2]


def test_every_command_of_a_robot_takes_it_both_ways():
    """None has the argument without the option, or the option without the argument."""
    program = _program()
    for name in program.list_commands(None):
        opts = [opt for one in program.get_command(None, name).params for opt in one.opts]
        assert opts.count("robot") == opts.count("--robot") <= 1, name


@pytest.mark.parametrize(
    "words", [("path", "p.mod"), ("path", "irb2400", "p.mod", "--robot", "irb120")]
)
def test_a_missing_or_second_robot_is_named_with_the_usage(run, words):
    code, _, err = run(*words)
    assert code == 2
    assert "Usage: irbmodels path [OPTIONS] ROBOT FILE (or --robot ROBOT)" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "given", [("0,20,10,0,30,-5",), ("0, 20, 10, 0, 30, -5",), ("0 20 10 0 30 -5",),
              ("0,", "20,", "10,", "0,", "30,", "-5")],
)  # fmt: skip
def test_blanks_in_a_list_do_no_harm(run, given):
    code, out, err = run("pose", "irb2400", "--q-deg", *given)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].endswith("at 0 deg, 20 deg, 10 deg, 0 deg, 30 deg, -5 deg")


@pytest.mark.parametrize(
    "words", [("export", "-o", "x"), ("tables", "-o", "x"), ("equations",), ("codegen", "-o", "x")]
)
def test_a_missing_option_lists_its_choices(run, words):
    code, _, err = run(words[0], "irb2400", *words[1:])
    assert code == 2
    assert re.search(r"Missing option '--\w+'\. Choose from: \w+, \w+, \w+", err)


@pytest.mark.parametrize("json_too", [(), ("--json",)])
@pytest.mark.parametrize(("box", "verdict"), [((), 0), (("--box", "0,1,0,1,0,1"), 1)])
def test_a_closed_pipe_is_no_verdict(tmp_path, box, verdict, json_too):
    """Behind ``| head`` the exit code is that of the check, and nothing is said of the pipe."""
    (tmp_path / "p.mod").write_text(PROGRAM)
    reading, writing = os.pipe()
    os.close(reading)
    words = ("path", "irb2400", tmp_path / "p.mod", *box, *json_too)
    done = subprocess.run(
        [sys.executable, "-m", "irbmodels.cli", *map(str, words)],
        stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    assert done.returncode == verdict
    assert "p.mod: 2 of 2 moves resolved" in done.stderr
    assert "Traceback" not in done.stderr
    assert "ipe" not in done.stderr


def test_a_tool_is_taken_by_name_out_of_a_rapid_file(run, tmp_path):
    """Any command; the names of other tooldata, and a file that is none, are refused in a line."""
    (tmp_path / "weld.mod").write_text(PROGRAM)
    tool = f"{tmp_path}/weld.mod:TGUN"
    poses = [
        json.loads(run("pose", "irb2400", "--tool", one, "--json")[1])["position_m"]
        for one in (tool, "[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,50],[1,0,0,0],0,0,0]]")
    ]
    assert poses[0] == poses[1]
    code, _, err = run("urdf", "irb2400", "--tool", tool, "-o", tmp_path / "arm.urdf")
    assert code == 0, err
    assert json.loads(run("pose", tmp_path / "arm.urdf", "--json")[1])["position_m"] == poses[0]
    for wrong, why in (
        (f"{tmp_path}/weld.mod:tGone", "no tooldata 'tGone'; did you mean 'tGun'?"),
        (f"{tmp_path}/weld.mod", "weld.mod:tGun"),
        (f"{tmp_path}/lost.mod:tGun", "lost.mod: No such file"),
    ):
        code, _, err = run("pose", "irb2400", "--tool", wrong)
        assert (code, len(err.splitlines())) == (2, 1)
        assert why in err
    code, _, err = run("urdf", "irb2400", "--tool", tool, "-o", tmp_path / "weld.mod")
    assert (code, "is an input" in err) == (2, True)


def test_help_behind_a_closed_pipe_is_no_verdict():
    """It ends with 0, as where it is read to its end."""
    reading, writing = os.pipe()
    os.close(reading)
    words = (sys.executable, "-m", "irbmodels.cli", "--help")
    done = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
