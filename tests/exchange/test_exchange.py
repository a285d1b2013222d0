"""Exported files in their own tools: all agree, a file with one wrong number is found out, and the
page says the same.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import shipped

import irbmodels as irb
from irbmodels import cli
from irbmodels.errors import MissingExtra
from irbmodels.exchange.verify import exports as verify
from irbmodels.exchange.write import FORMATS
from irbmodels.report.tables import verdict_cells

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

FIRST = {irb.describe(family).name for family in ("irb930", "irb1400", "irb1600", "irb2400")}


def missing(name, file):
    """Stand for an engine that is not installed."""
    raise MissingExtra(name, "dev")


@pytest.mark.parametrize("name", shipped.EXAMPLES)
def test_every_file_of_every_variant_is_the_robot_in_every_tool(name, tmp_path, monkeypatch):
    """Poses and torques to 1e-9 (PyBullet's poses 1e-6), ranges, and the mass where the tool keeps
    that of the base.

    Other formats of the other variants are compared in the test of each format.
    """
    monkeypatch.chdir(tmp_path)
    robot = irb.load(name)
    for to in FORMATS if name in FIRST else ("urdf",):
        file = irb.export(robot, to, tmp_path / to)[0]
        for verdict in verify.verify(robot, to, file):
            assert verdict.installed, verdict
            assert verdict.holds, verdict
            silent = verdict.tool == "yourdfpy" or verdict.loses.endswith("torque: refused")
            assert np.isnan(verdict.torque) == silent
            assert verdict.mass < 1e-6 or "mass of the base" in verdict.loses, verdict


@pytest.mark.filterwarnings("ignore:.*eft out:irbmodels.PhysicsWarning")
def test_a_robot_with_all_it_may_carry_is_the_same(tmp_path):
    """A tool made in code, a payload, another gravity of one's own and rotors change nothing of the
    agreement.
    """
    spindle = irb.load_tool("spindle")
    tool = irb.Tool("own", spindle.tcp, spindle.load)
    robot = (
        irb.load("irb2400", parameters="cad")
        .with_tool(tool)
        .with_payload(irb.payload(2.0, com=[0.0, 0.01, 0.05]))
    )
    robot = (
        robot.with_gravity([1.0, 0.0, -9.0])
        .mounted(np.diag([1.0, -1.0, -1.0]))
        .with_rotors([1.0] * 6)
    )
    for to in FORMATS:
        assert all(
            verdict.holds
            for verdict in verify.verify(robot, to, irb.export(robot, to, tmp_path / to)[0])
        )


@pytest.mark.parametrize(
    ("to", "pattern", "wrong"),
    [
        ("urdf", r'(<mass value=")26.5(")', r"\g<1>26.6\2"),
        ("urdf", r'(upper=")1.919862[0-9]*(")', r"\g<1>1.9\2"),
        ("mjcf", r'(<site name="tcp"[^>]*pos=")[-0-9.e]+', r"\g<1>0.001"),
        ("mjcf", r'(<inertial[^>]*mass=")25[.0-9]*(")', r"\g<1>26\2"),
        ("sdf", r"(<mass>)26.5(</mass>)", r"\g<1>26.6\2"),
        ("ros2", r'(<origin rpy="[^"]*" xyz=")0.705', r"\g<1>0.706"),
    ],
)
def test_one_wrong_number_is_found_out(to, pattern, wrong, tmp_path):
    """A mass, a bound, a place or an inertia that is off makes a verdict that does not hold."""
    robot = irb.load("irb2400")
    file = irb.export(robot, to, tmp_path)[0]
    text = file.read_text(encoding="utf-8")
    assert re.search(pattern, text), "the test needs another number to break"
    file.write_text(re.sub(pattern, wrong, text, count=1), encoding="utf-8")
    assert any(not verdict.holds for verdict in verify.verify(robot, to, file))


@pytest.mark.parametrize(
    ("name", "to", "options"),
    [
        ("irb1400", "mjcf", irb.Options("serial")),
        ("irb1400", "sdf", irb.Options("serial")),
        ("irb930", "urdf", irb.Options(meshes="package")),
        ("irb930", "urdf", irb.Options(meshes="absolute")),
        ("irb2400", "ros2", irb.Options()),
    ],
)
def test_options_and_relative_folders_change_nothing(name, to, options, tmp_path, monkeypatch):
    """Whatever is asked for, and from wherever: the file is the robot."""
    monkeypatch.chdir(tmp_path)
    robot = irb.load(name)
    folder = "somewhere" if options.meshes == "package" else "some where"
    verdicts = verify.verify(robot, to, irb.export(robot, to, folder, options)[0])
    assert all(verdict.holds and verdict.installed for verdict in verdicts), verdicts


ODD = """<robot name="">
  <link name="base_link"/><link name="mount"/>
  <link name="l1"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rot"><inertial><mass value="0"/><inertia ixx="0.5" iyy="0.5" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tcp"/>
  <joint name="fx" type="fixed"><parent link="base_link"/><child link="mount"/></joint>
  <joint name="j" type="revolute"><parent link="mount"/><child link="l1"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="fy" type="fixed"><parent link="l1"/><child link="rot"/><origin xyz="0.3 0 0"/></joint>
  <joint name="fz" type="fixed"><parent link="l1"/><child link="tcp"/><origin xyz="0.5 0 0"/></joint>
</robot>"""


def test_an_odd_urdf_goes_everywhere(tmp_path):
    """Frames before the first axis, inertia without mass, one axis, no name: the same robot in
    MuJoCo, Drake and a table.
    """
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "odd.urdf").write_text(ODD, encoding="utf-8")
    robot = irb.from_file(tmp_path / "in" / "odd.urdf")
    assert robot.inverse_dynamics([0.0], [0.0], [1.0], friction=False) == pytest.approx([1.5])
    for to in ("mjcf", "sdf"):
        verdicts = verify.verify(robot, to, irb.export(robot, to, tmp_path / to)[0])
        assert all(verdict.holds for verdict in verdicts), verdicts
    assert irb.write_tables(robot, "matlab", tmp_path / "m")
    with pytest.raises(irb.InputError, match="comes from"):
        irb.export(robot, "urdf", tmp_path / "in")
    with pytest.raises(irb.InputError, match="needs a folder"):
        irb.export(robot, "mjcf", "")
    with pytest.raises(irb.InputError, match="a file is a path"):
        irb.from_file(None)


def test_friction_of_a_urdf_goes_everywhere(tmp_path):
    """A URDF with friction is the same robot in every tool; read again from any format it has that
    friction, once.
    """
    text = (
        irb.load("irb930").urdf().replace("<axis ", '<dynamics damping="3" friction="0.5"/><axis ')
    )
    (tmp_path / "rubbing.urdf").write_text(text, encoding="utf-8")
    robot = irb.from_file(tmp_path / "rubbing.urdf")
    np.testing.assert_array_equal(
        [robot.friction_model.Fv, robot.friction_model.Fc], [[3.0] * 4, [0.5] * 4]
    )
    for to in ("urdf", "mjcf", "sdf"):
        path = irb.export(robot, to, tmp_path / to)[0]
        verdicts = verify.verify(robot, to, path)
        assert all(verdict.holds for verdict in verdicts), verdicts
        assert irb.from_file(path).friction_model.same_as(robot.friction_model)


def test_a_tool_that_cannot_read_a_file_says_so(tmp_path):
    """Its verdict does not hold, and the others are heard all the same."""
    robot = irb.load("irb930")
    file = irb.export(robot, "urdf", tmp_path)[0]
    file.write_text(
        file.read_text(encoding="utf-8")
        .replace('name="tcp"', 'name="tip"')
        .replace('link="tcp"', 'link="tip"')
    )
    verdicts = verify.verify(robot, "urdf", file)
    assert all(
        not verdict.holds and verdict.loses.startswith("cannot be asked") for verdict in verdicts
    )
    assert len(verdicts) == 6


def test_an_arm_without_masses_is_compared_by_its_poses(tmp_path):
    """Every tool loads its URDF; two make masses up, and that is said."""
    robot = irb.load("irb1100_4_58")
    file = irb.export(robot, "urdf", tmp_path)[0]
    verdicts = {verdict.tool: verdict for verdict in verify.verify(robot, "urdf", file)}
    assert verify.proven(list(verdicts.values()))
    assert len(verdicts) == 6
    assert np.isnan([(verdict.torque, verdict.mass) for verdict in verdicts.values()]).all()
    made_up = {tool for tool, verdict in verdicts.items() if verdict.loses.startswith("masses")}
    assert made_up == {"mujoco", "pybullet"}
    rows = [verdict_cells(verdict) for verdict in verdicts.values()]
    assert {cell for _, _, _, *cells, _, _ in rows for cell in cells} == {"-"}
    sister = irb.load("irb1100_4_475")
    assert {verdict.outcome for verdict in verify.verify(sister, "urdf", file)} == {"DIFFERS"}


def test_a_comparison_with_nothing_is_no_proof(tmp_path, monkeypatch, capsys):
    """--verify and check of a URDF end with 1 where no tool is installed, or none reads the file,
    and say so.
    """
    file = irb.export(irb.load("irb930"), "urdf", tmp_path / "arm")[0]

    def broken(name, file):
        raise ValueError("not my kind of file")

    for engine, words in (
        (missing, "6 tools: 6 not installed"),
        (broken, "6 tools: 6 cannot be asked"),
    ):
        monkeypatch.setattr(verify, "load_engine", engine)
        for arguments in (
            ["export", "irb930", "--to", "urdf", "-o", str(tmp_path / "new"), "--verify"],
            ["check", str(file)],
        ):
            assert cli.main(arguments) == 1
            printed = capsys.readouterr()
            assert f"nothing was compared; {words}" in printed.err
            assert "nan" not in printed.out


def test_one_tool_is_enough_for_a_proof(tmp_path, monkeypatch, capsys):
    """Tools that are not installed are counted, and break nothing."""
    load = verify.load_engine

    def only(name, file):
        return load(name, file) if name == "pinocchio" else missing(name, file)

    monkeypatch.setattr(verify, "load_engine", only)
    assert cli.main(["export", "irb930", "--to", "urdf", "-o", str(tmp_path), "--verify"]) == 0
    assert "6 tools: 1 agrees, 5 not installed" in capsys.readouterr().err


def test_a_refused_export_leaves_no_folder(tmp_path):
    """What was made for it goes again."""
    with pytest.raises(irb.InputError):
        irb.export(irb.load("irb930"), "mjcf", tmp_path / "a" / "b", irb.Options(meshes="package"))
    assert not list(tmp_path.iterdir())


def test_a_tool_that_is_not_there_proves_nothing(tmp_path, monkeypatch):
    """It is named as not installed, and neither agrees nor breaks."""
    monkeypatch.setattr(verify, "load_engine", missing)
    robot = irb.load("irb930")
    (verdict,) = verify.verify(robot, "mjcf", irb.export(robot, "mjcf", tmp_path)[0])
    assert not verdict.installed
    assert verdict.holds
    assert verdict.loses == "not installed"


def test_the_page_says_what_the_tools_say(monkeypatch, capsys):
    """The tables of docs/howto/exchange.md are those that the script writes."""
    import exchange_table

    monkeypatch.setattr(sys, "argv", ["exchange_table", "--check"])
    assert exchange_table.main() == 0, capsys.readouterr().out


def test_export_from_the_command_line(tmp_path, capsys):
    """One folder, one line, a table with --verify; and back from the file into another format."""
    model, again = tmp_path / "scara" / "model.sdf", ["-o", str(tmp_path / "mj"), "--verify"]
    to_sdf = ["export", "irb930", "--to", "sdf", "-o", str(model.parent), "--verify"]
    assert cli.main(to_sdf) == 0
    shown = capsys.readouterr()
    assert "drake" in shown.out
    assert "agrees" in shown.out
    assert shown.err.startswith(f"wrote {model} and ")
    assert cli.main(["export", str(model), "--to", "mjcf", *again]) == 0
    assert cli.main(["tables", "irb930", "--as", "json", "-o", str(tmp_path / "t")]) == 0
    assert len(list((tmp_path / "t").iterdir())) == 1


def test_a_difference_is_exit_code_1(tmp_path, monkeypatch, capsys):
    """--verify that finds a difference says which tool differs."""
    monkeypatch.setattr(verify, "_differences", lambda *_: (1e-3, 0.0, 0.0, 0.0))
    assert cli.main(["export", "irb930", "--to", "mjcf", "-o", str(tmp_path), "--verify"]) == 1
    assert "DIFFERS" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:set 'obal2025_printed'")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["irb930", "--to", "mjfc"], "no export format 'mjfc'; did you mean 'mjcf'"),
        (["irb930", "--to", "urdf", "--coupling", "parallel"], "did you mean 'parallelogram'"),
        (["irb930", "--to", "urdf", "--meshes", "near"], "no style of mesh paths 'near'"),
        (["irb931", "--to", "urdf"], "no robot 'irb931'"),
        (["nothing.sdf", "--to", "urdf"], "nothing.sdf"),
        (
            ["irb2400", "--to", "mjcf", "--parameters", "obal2025_printed"],
            "MuJoCo refuses irb2400_16",
        ),
    ],
)
def test_a_mistake_is_one_line(arguments, words, tmp_path, monkeypatch, capsys):
    """Exit code 2, one line, no file."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", *arguments, "-o", "out"]) == 2
    stderr = capsys.readouterr().err
    lines = [line for line in stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1
    assert words in stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(("to", "kept"), [("mjcf", "scene.xml"), ("sdf", "model.sdf")])
def test_two_robots_in_one_folder_are_refused(to, kept, tmp_path):
    """Before anything is written; the same robot with a tool replaces its own files."""
    irb.export(irb.load("irb2400"), to, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(irb.InputError, match="is of another robot: export to another folder"):
        irb.export(irb.load("irb120"), to, tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    irb.export(irb.load("irb2400", tool="spindle"), to, tmp_path)
    assert kept in [path.name for path in tmp_path.iterdir()]


def test_a_mesh_of_another_urdf_is_not_replaced(tmp_path):
    """Two URDFs whose meshes have one name: the second may not change what the first shows."""
    text = (
        '<robot name="{0}"><link name="a"><visual><geometry><mesh filename="part.obj"/></geometry>'
        '</visual></link><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
        '<child link="b"/></joint></robot>'
    )
    for name, x in (("one", 0), ("two", 1)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "part.obj").write_text(f"v {x} 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n")
        (tmp_path / name / "arm.urdf").write_text(text.format(name))
    arms = [irb.from_urdf(tmp_path / name / "arm.urdf") for name in ("one", "two")]
    for _ in range(2):
        irb.export(arms[0], "urdf", tmp_path / "out")
    with pytest.raises(irb.InputError, match=r"one\.urdf is of another robot"):
        irb.export(arms[1], "urdf", tmp_path / "out")
    assert not (tmp_path / "out" / "two.urdf").exists()
    assert (tmp_path / "out/meshes/part.obj").read_text().startswith("v 0 0 0")
