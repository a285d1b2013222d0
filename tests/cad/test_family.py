"""Files of a family: those that are committed, those of a copy, and those of an arm of one's own."""

import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import shipped
import trimesh
import yaml

import irbmodels as irb
from irbmodels.cad import meshes, positioner, spindle
from irbmodels.cad.builds import bodies, weighed
from irbmodels.cad.family import STEPS, stale_files, write_family
from irbmodels.cad.output import differing, family_of, write
from irbmodels.cad.srdf import srdf
from irbmodels.model.urdf import parse_urdf
from irbmodels.tables.description import data_folder

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = shipped.FAMILIES
QUICK = ("tables", "inertials", "limits", "urdf")


@pytest.mark.parametrize("family", FAMILIES)
def test_committed_files_are_what_is_written(family):
    """Writing a family again changes no byte (the SRDF of all: scripts/build_families.py)."""
    assert stale_files(data_folder() / family, ["meshes", *QUICK, "readme"]) == ()


def test_committed_files_of_no_robot_are_what_is_written():
    """Meshes of the positioner and of the spindle."""
    assert differing(positioner.files(), data_folder() / "positioner") == ()
    assert differing(spindle.files(), data_folder() / "tools") == ()


@pytest.mark.parametrize("name", ["irb1400", "irb930_12_105"])
def test_committed_srdf_is_what_is_written(name):
    """Writing it again changes nothing."""
    robot = irb.load(name)
    assert (robot.folder / f"{name}.srdf").read_text(encoding="utf-8") == srdf(robot)


def test_a_family_is_all_variants_of_a_folder():
    """By a name, an alias, a folder or the tables of one variant."""
    names = [name for name in irb.robots() if name.startswith("irb1600")]
    for robot in ("irb1600", names[-1], data_folder() / "irb1600", irb.describe(names[1])):
        assert [one.name for one in family_of(robot)] == names


def test_a_copy_is_written_elsewhere_with_the_same_bytes(tmp_path, monkeypatch):
    """Meshes and tables are those of the repository, URDFs but for the folder of their meshes; each
    link is drawn once, and each shape of it cut once.
    """
    calls = Counter()
    for name in ("bodies", "visual", "convex"):
        made = getattr(meshes, name)
        monkeypatch.setattr(
            meshes, name, lambda *given, name=name, made=made: calls.update([name]) or made(*given)
        )
    folder = tmp_path / "irb1400"
    written = write_family("irb1400", folder, steps=["meshes", *QUICK])
    shapes = irb.describe("irb1400").shapes
    assert calls == {
        "bodies": 1,
        "visual": sum(map(len, shapes.links.values())),
        "convex": sum(map(len, shapes.collision.values())),
    }
    assert {path for path in folder.rglob("*.*") if path.suffix != ".yaml"} < set(written)
    for path in written:
        below = path.relative_to(folder)
        own = ROOT / (below if below.parts[0] == "meshes" else Path("urdf", "irb1400", below))
        text = own.read_text(encoding="utf-8").replace('"../../meshes/', '"meshes/')
        assert path.read_text(encoding="utf-8") == text
    assert stale_files(folder, ["meshes", *QUICK]) == ()


def test_stale_files_are_named_and_mended(tmp_path):
    """A file that is changed, lost or left over."""
    folder = tmp_path / "irb930"
    write_family("irb930", folder, steps=["meshes"])
    changed, lost, extra = (
        folder / "meshes/irb930/visual" / f"{name}.obj"
        for name in ("link_1_black", "link_2_orange", "x")
    )
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace("v ", "v 1", 1), encoding="utf-8")
    lost.unlink()
    extra.write_text("v 0 0 0\n", encoding="utf-8")
    assert set(stale_files(folder, ["meshes"])) == {changed, lost, extra}
    assert extra.exists()
    write_family(folder, steps=["meshes"])
    assert not extra.exists()
    assert stale_files(folder, ["meshes"]) == ()


def test_each_step_follows_from_the_one_before(tmp_path):
    """A copy with another mass, its steps given in any order: links weigh that mass in tables and
    URDF, and efforts grow with them.
    """
    folder = tmp_path / "irb1600"
    write_family("irb1600", folder, steps=[])
    sheet = folder / "datasheet.yaml"
    text = sheet.read_text(encoding="utf-8")
    sheet.write_text(text.replace("mass_kg: 250", "mass_kg: 300"), encoding="utf-8")
    write_family(folder, steps=["urdf", "limits", "meshes", "inertials", "tables"])
    for robot in family_of(folder):
        tags = parse_urdf((folder / f"{robot.name}.urdf").read_text(encoding="utf-8"))
        masses = [float(tag.get("value")) for tag in tags.iter("mass")]
        assert sum(masses) == pytest.approx(300.0, rel=1e-4)
        effort = irb.load(folder / robot.name).limits.effort
        assert (effort >= irb.load(robot.name).limits.effort).all()
        assert effort[1] > 1.05 * irb.load(robot.name).limits.effort[1]


def long_arm(folder):
    """Write the tables of a copied 2400 with the lengths of a 2400L."""
    irb.new_robot("long_arm", "irb2400", folder)
    table = yaml.safe_load((folder / "kinematics.yaml").read_text(encoding="utf-8"))
    rows = table["joints"]
    rows["joint_3"]["a_mm"], rows["joint_4"]["a_mm"], rows["joint_4"]["d_mm"] = 855, 150, 870
    table["tool0"]["d_mm"] = 65
    text = yaml.safe_dump(table, sort_keys=False)
    (folder / "kinematics.yaml").write_text(text, encoding="utf-8")
    return folder


def test_an_arm_of_other_lengths(tmp_path):
    """Its meshes are its own, its URDF names them, and its tip is at tool0; another process writes
    the same bytes.
    """
    folder = long_arm(tmp_path / "long_arm")
    code = (
        "from irbmodels.cad.family import write_family; write_family('long_arm', steps=['meshes'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    robot = irb.load(folder)
    used = {
        (folder / tag.get("filename")).resolve() for tag in parse_urdf(robot.urdf()).iter("mesh")
    }
    assert used == set((folder.resolve() / "meshes").rglob("*.obj"))
    assert len(used) == 48
    tip = trimesh.load(folder / "meshes/long_arm/visual/link_6_grey.obj", process=False)
    # frame 6 is in the wrist centre, z out of the flange
    assert tip.bounds[1, 2] == pytest.approx(0.065, abs=1e-5)
    assert not irb.collides(robot, np.zeros(6))
    assert stale_files(folder, ["meshes"]) == ()


def test_inertials_of_an_arm_of_other_lengths(tmp_path):
    """Its links weigh what the catalogue says; the open chain of its set weighs as much and needs
    the same torques against gravity.
    """
    folder = long_arm(tmp_path / "long_arm")
    write_family(folder, steps=["inertials"])
    robot = irb.describe(folder)
    assert robot.inertials.default == "cad"
    for name in ("cad", "cad_lumped"):
        rows = robot.inertials.sets[name].links.values()
        assert sum(row.mass_kg for row in rows) == pytest.approx(380.0, rel=1e-4)
    q = irb.load(folder).limits.envelope()[0] * np.random.default_rng(0).uniform(size=(20, 6))
    bars, chain = (irb.load(folder, parameters=name).gravity(q) for name in ("cad", "cad_lumped"))
    np.testing.assert_allclose(bars, chain, atol=1e-6 * np.abs(bars).max())


def test_an_arm_of_unknown_mass(tmp_path):
    """It has shapes and a set without bodies, kinematics and no dynamics; what needs its mass says
    so.
    """
    folder = tmp_path / "unweighed"
    irb.new_robot("unweighed", "irb1600", folder)
    table = yaml.safe_load((folder / "limits.yaml").read_text(encoding="utf-8"))
    del table["ratings"]["mass_kg"]
    text = yaml.safe_dump(table, sort_keys=False)
    (folder / "limits.yaml").write_text(text, encoding="utf-8")
    write_family(folder)
    robot = irb.load(folder)
    assert robot.pose(np.zeros(6)).translation[0] > 0.5
    assert not irb.collides(robot, np.zeros(6))
    with pytest.raises(irb.MissingData, match="no masses of unweighed are known"):
        robot.gravity(np.zeros(6))
    with pytest.raises(irb.MissingData, match=r"limits.yaml has no ratings\.mass_kg"):
        weighed(irb.describe(folder))


def tables(folder, rows):
    """Write kinematics.yaml of an arm with other rows of joints."""
    table = yaml.safe_load((folder / "kinematics.yaml").read_text(encoding="utf-8"))
    table.pop("parallelogram", None)
    table["joints"] = {name: table["joints"]["joint_1"] | row for name, row in rows.items()}
    text = yaml.safe_dump(table, sort_keys=False)
    (folder / "kinematics.yaml").write_text(text, encoding="utf-8")


def test_an_arm_that_cannot_be_drawn_is_refused_in_one_line(tmp_path):
    """Lengths or axes that no build has end in a reason, and nothing is written."""
    folder = long_arm(tmp_path / "long_arm")
    table = folder / "kinematics.yaml"
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace("d_mm: 615", "d_mm: 200"), encoding="utf-8")
    with pytest.raises(irb.InputError, match="axis 2 at 200 mm lies too low"):
        write_family(folder, steps=["meshes"])
    tables(folder, {f"joint_{n}": {} for n in range(1, 6)})
    with pytest.raises(irb.InputError, match=r"^long_arm has 5 axes \(turning, .*\); drawn are"):
        bodies(irb.describe(folder))
    tables(folder, {"joint_1": {"type": "prismatic"}} | {f"joint_{n}": {} for n in range(2, 7)})
    with pytest.raises(irb.InputError, match=r"6 axes \(sliding, turning, "):
        write_family(folder, steps=["meshes"])
    assert not (folder / "meshes").exists()


def test_wrong_arguments(tmp_path):
    """A step, a robot or a folder that does not exist or is in use."""
    with pytest.raises(irb.UnknownName, match="no step of a family 'mesh'; did you mean 'meshes'"):
        write_family("irb930", tmp_path / "irb930", steps=["mesh"])
    assert not (tmp_path / "irb930").exists()
    with pytest.raises(irb.UnknownName, match="irb9300"):
        write_family("irb9300")
    with pytest.raises(irb.InputError, match="name or a folder, not 3"):
        write_family(3)
    (tmp_path / "file").write_text("in use", encoding="utf-8")
    with pytest.raises(irb.InputError, match="is not an empty folder"):
        write_family("irb930", tmp_path)
    with pytest.raises(irb.FileError, match=r"cannot write .*file"):
        write({Path("shapes.yaml"): ""}, tmp_path / "file")


def test_the_script_compares_and_says_what_differs(monkeypatch, capsys):
    """Exit code 0 where nothing differs, else 1 and the path."""
    main = runpy.run_path(str(ROOT / "scripts" / "build_families.py"))["main"]
    monkeypatch.setattr(sys, "argv", ["build_families.py", "tools", "--check"])
    assert (main(), capsys.readouterr().out) == (0, "")
    monkeypatch.setitem(STEPS, "limits", lambda robots: {Path("limits.yaml"): "another"})
    monkeypatch.setattr(
        sys, "argv", ["build_families.py", "irb930", "--steps", "limits", "--check"]
    )
    assert main() == 1
    assert capsys.readouterr().out.endswith("limits.yaml is not what this script writes\n")
