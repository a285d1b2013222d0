"""Families made from a data sheet, whole or not at all."""

import os
import time

import numpy as np
import pytest
from sheets import sheet_text

import irbmodels as irb
from irbmodels.cad.family import stale_files, write_family
from irbmodels.cli import main
from irbmodels.exchange.doctor import examine
from irbmodels.exchange.verify.check import check
from irbmodels.tables.datasheet import read_datasheet

PARALLELOGRAM = """\
schema: 1
title: an arm with bars
build: parallelogram
sources: {x: {ref: catalogue, grade: published}}
lengths: {d1_mm: 615, a1_mm: 100, a2_mm: 705, a3_mm: 135, d4_mm: 755, d6_mm: 85, crank_mm: 180, source: x}
axes:
  axis_1: {range_deg: [-165, 165], speed_deg_s: 150, source: x}
  axis_2: {range_deg: [-100, 110], speed_deg_s: 120, source: x}
  axis_3: {range_deg: [-60, 65], range_of: q3 - q2, speed_deg_s: 120, source: x}
  axis_4: {range_deg: [-200, 200], speed_deg_s: 225, source: x}
  axis_5: {range_deg: [-120, 120], speed_deg_s: 250, source: x}
  axis_6: {range_deg: [-400, 400], speed_deg_s: 330, source: x}
ratings: {payload_kg: 16, reach_mm: 1550, mass_kg: 380, source: x}
"""
SCARA = """\
schema: 1
title: a SCARA
build: scara
sources: {x: {ref: catalogue, grade: published}}
lengths: {d1_mm: 272, a1_mm: 300, d2_mm: 123.5, a2_mm: 250, d3_mm: 168.7, source: x}
axes:
  axis_1: {range_deg: [-140, 140], speed_deg_s: 415, source: x}
  axis_2: {range_deg: [-150, 150], speed_deg_s: 659, source: x}
  axis_3: {range_mm: [-180, 0], speed_mm_s: 1020, source: x}
  axis_4: {range_deg: [-400, 400], speed_deg_s: 2400, source: x}
ratings: {payload_kg: 3, reach_mm: 550, source: x}
"""


def made(tmp_path, text, name="arm"):
    """The folder made of a data sheet."""
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text(text, encoding="utf-8")
    return irb.new_robot(name, folder=tmp_path / name, datasheet=sheet)


def contents(folder):
    """Bytes of every file below a folder."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_small_arm_is_made_whole(tmp_path):
    """Its mass is the catalogue's, all derivations and engines agree, and the doctor finds nothing."""
    folder = made(tmp_path, sheet_text("small"))
    robot = irb.load(folder)
    bodies = robot.description.inertials.sets["cad"].links
    assert sum(row.mass_kg for row in bodies.values()) == pytest.approx(25.0, abs=1e-3)
    assert all(one.holds for one in check(robot))
    assert not examine(folder / "arm.urdf")
    assert (robot.limits.effort < 500.0).all()
    assert robot.limits.effort_assumed.all()
    other = irb.from_urdf(folder / "arm.urdf")
    q = np.array([0.2, -0.4, 0.3, 1.0, 0.5, -2.0])
    np.testing.assert_allclose(other.gravity(q), robot.gravity(q), atol=1e-9)
    assert not irb.collides(robot, q)
    assert {path.name for path in folder.iterdir()} == {
        *("README.md", "arm.srdf", "arm.urdf", "datasheet.yaml", "inertials.yaml"),
        *("kinematics.yaml", "limits.yaml", "meshes", "shapes.yaml"),
    }


def test_the_same_sheet_makes_the_same_bytes(tmp_path):
    """In another folder of the same name, too."""
    one = made(tmp_path, sheet_text("small"))
    (tmp_path / "again").mkdir()
    two = made(tmp_path / "again", sheet_text("small"))
    assert contents(one) == contents(two)


def test_an_arm_of_unknown_mass_has_looks_and_no_torques(tmp_path):
    """Poses, working range and collisions answer; gravity says what is missing, README too."""
    folder = made(tmp_path, sheet_text("short_forearm"))
    robot = irb.load(folder)
    assert robot.workspace() is not None
    assert not irb.collides(robot, np.zeros(6))
    with pytest.raises(irb.MissingData, match="no masses of arm are known"):
        robot.gravity(np.zeros(6))
    assert "Mass of `arm`" in (folder / "README.md").read_text(encoding="utf-8")
    assert 'effort="0"' in (folder / "arm.urdf").read_text(encoding="utf-8")


def test_arms_with_bars_and_scaras_are_made_too(tmp_path):
    """Bars carry mass and close; a SCARA slides."""
    bars = irb.load(made(tmp_path, PARALLELOGRAM, "bars"))
    assert bars.description.couplings == ("parallelogram", "serial")
    assert all(one.holds for one in check(bars))
    q = bars.from_controller([0, 30, -20, 0, 0, 0])
    assert bars.in_range(q)
    assert not bars.in_range(bars.from_controller([0, 60, -10, 0, 0, 0]))  # q3 - q2 = -70
    scara = irb.load(made(tmp_path, SCARA, "scara"))
    down = scara.pose(scara.from_controller([0, 0, -100, 0]))
    np.testing.assert_allclose(down.translation, [0.55, 0.0, 0.4642], atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mass_kg: 25", "mass_kg: -25", "is not positive"),
        ("d4_mm: 302", "d4_mm: 30", "ratings.reach_mm"),
        ("d6_mm: 72", "d6_mm: -72", "lengths.d6_mm: -72 is not positive"),
        ("payload_kg: 3", "payload_kg: 25", "25 kg, but arm weighs 25 kg"),
        ("schema: 1", "schema: 1\nunknown: mass", "'mass' should be a list of texts"),
        ("d1_mm: 290", "d1_mm: 29", "a height of axis 2 of 29 mm is too short for an arm of 25 kg"),
    ],
)
def test_what_cannot_be_made_leaves_nothing_behind(tmp_path, old, new, said, capsys):
    """One line, exit code 2, no folder; the one that was there stays."""
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text(sheet_text("small").replace(old, new), encoding="utf-8")
    target = tmp_path / "there"
    target.mkdir()
    assert main(["new", "arm", "--datasheet", str(sheet), "-o", str(target)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert said in lines[0]
    assert {path.name for path in tmp_path.iterdir()} == {"sheet.yaml", "there"}
    assert not list(target.iterdir())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "is a folder, a device or a pipe, not a file"),
        (b"\x89PNG\r\n\x1a\n", "byte 1 is not UTF-8; save the file in UTF-8"),
        (sheet_text("small").encode("utf-16"), "is text in UTF-16; save it in UTF-8"),
        (b"", "the file is empty"),
        (b"a: " + b"[" * 50_000, "nests deeper than 50 levels"),
        (100_000_000, "has 100000000 bytes; a table has at most 2000000"),
    ],
)
def test_what_is_no_data_sheet_is_refused_at_once(tmp_path, content, said, capsys):
    """One line with its name, exit code 2, and no folder."""
    sheet = tmp_path / "sheet.yaml"
    if content is None:
        sheet.mkdir()
    elif isinstance(content, int):
        sheet.touch()
        os.truncate(sheet, content)
    else:
        sheet.write_bytes(content)
    start = time.process_time()
    assert main(["new", "arm", "--datasheet", str(sheet), "-o", str(tmp_path / "arm")]) == 2
    assert time.process_time() - start < 1.0
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert str(sheet) in line
    assert not (tmp_path / "arm").exists()


def test_lengths_without_room_for_a_link_are_refused(tmp_path):
    """A link that comes out empty is named, and no folder is left."""
    text = sheet_text("large").replace("d6_mm: 135", "d6_mm: 1350")
    with pytest.raises(irb.InputError, match="arm: no room for link_4 between the axes of an arm"):
        made(tmp_path, text)
    assert not (tmp_path / "arm").exists()


@pytest.mark.parametrize("given", ["sheet.txt", "./irb120", "/dev/null", "."])
def test_a_path_of_another_kind_is_told_how_one_of_a_sheet_ends(tmp_path, given):
    """It is no family's name, and the known ones are listed."""
    with pytest.raises(irb.InputError, match=r"known: .*irb6700.*a path that ends in \.yaml"):
        irb.new_robot("arm", folder=tmp_path / "arm", datasheet=given)


def test_a_failure_while_writing_leaves_nothing_behind(tmp_path, monkeypatch):
    """Neither the folder nor the one that it was written in."""
    from irbmodels.cad import family

    def stop(*arguments):
        raise irb.FileError("disk full")

    monkeypatch.setattr(family, "write", stop)
    with pytest.raises(irb.FileError, match="disk full"):
        made(tmp_path, sheet_text("small"))
    assert {path.name for path in tmp_path.iterdir()} == {"sheet.yaml"}


def test_a_robot_is_like_one_or_has_a_sheet(tmp_path):
    """Both or none are refused, and so is a folder that holds anything."""
    for more in ({}, {"like": "irb1600", "datasheet": "sheet.yaml"}):
        with pytest.raises(irb.InputError, match="give one of both"):
            irb.new_robot("arm", folder=tmp_path / "arm", **more)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text(sheet_text("small"), encoding="utf-8")
    with pytest.raises(irb.InputError, match="is not an empty folder"):
        irb.new_robot("arm", folder=tmp_path / "full", datasheet=sheet)


def test_the_command_prints_the_reach_of_the_lengths(tmp_path, capsys):
    """Against the stated one, and what to do next."""
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text(sheet_text("small"), encoding="utf-8")
    assert main(["new", "arm", "--datasheet", str(sheet), "-o", str(tmp_path / "arm")]) == 0
    said = capsys.readouterr().err
    assert "arm: lengths give a reach of 580.0 mm, stated are 580 mm" in said
    assert "irbmodels view" in said


def test_a_variant_of_unknown_mass_has_no_assumed_efforts(tmp_path):
    """Those of a sister follow from the sister's mass and lengths."""
    text = sheet_text("small").replace("mass_kg: 25, ", "")
    fast = "axes: {axis_4: {speed_deg_s: 420, source: x}}"
    text += f"variants:\n  slow: {{ratings: {{mass_kg: 25, source: x}}}}\n  fast: {{{fast}}}\n"
    folder = made(tmp_path, text)
    slow, fast = (irb.load(folder / name) for name in ("slow", "fast"))
    assert np.isfinite(slow.limits.effort).all()
    assert np.isinf(fast.limits.effort).all()
    np.testing.assert_array_equal(fast.limits.lower, slow.limits.lower)
    assert np.abs(slow.gravity([0, 0.5, 0, 0, 0, 0])).max() > 10.0
    with pytest.raises(irb.MissingData, match="no masses of fast are known"):
        fast.gravity(np.zeros(6))


def test_a_changed_sheet_changes_the_family(tmp_path):
    """Its tables are stale until they are written again, efforts by the rule follow, and then
    nothing differs; the variant keeps the name that it was made with.
    """
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text(sheet_text("small"), encoding="utf-8")
    folder = irb.new_robot("arm", folder=tmp_path / "other", datasheet=sheet)
    steps = ("tables", "inertials", "limits", "urdf")
    assert stale_files(folder) == ()
    before = irb.load(folder / "arm")
    own = folder / "datasheet.yaml"
    text = own.read_text(encoding="utf-8")
    assert "payload_kg: 3" in text
    own.write_text(text.replace("payload_kg: 3", "payload_kg: 5"), encoding="utf-8")
    assert [path.name for path in stale_files(folder, ["tables"])] == ["limits.yaml"]
    write_family(folder, steps=steps)
    assert stale_files(folder, steps) == ()
    after = irb.load(folder / "arm")
    assert after.description.limits.ratings.payload_kg == 5
    assert (after.limits.effort[1:3] > before.limits.effort[1:3]).all()


def test_a_folder_with_a_data_sheet_alone_is_a_family(tmp_path):
    """It gets every file, and the same bytes as that of a new robot."""
    made_so = made(tmp_path, sheet_text("small"))
    folder = tmp_path / "again" / "arm"
    folder.mkdir(parents=True)
    (folder / "datasheet.yaml").write_bytes((made_so / "datasheet.yaml").read_bytes())
    write_family(folder)
    assert contents(folder) == contents(made_so)


def test_a_readme_written_by_hand_stays(tmp_path):
    """One without the line that says it is written; the other is written anew."""
    folder = made(tmp_path, sheet_text("small"))
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Sources", "Origins"), encoding="utf-8")
    assert stale_files(folder, ["readme"]) == (path,)
    write_family(folder, steps=["readme"])
    assert path.read_text(encoding="utf-8") == text
    path.write_text("# by hand\n", encoding="utf-8")
    assert stale_files(folder, ["readme"]) == write_family(folder, steps=["readme"]) == ()
    assert path.read_text(encoding="utf-8") == "# by hand\n"


def test_an_arm_may_count_its_axes_from_another_zero(tmp_path):
    """The same arm, its axes 2, 3 and 5 counted from 20, -30 and 10 deg of ABB's posture: its reach,
    meshes, masses and efforts are the same, and its poses and torques at the same posture.
    """
    text = sheet_text("middle")
    turned = [0.0, 20.0, -30.0, 0.0, 10.0, 0.0]
    zero = "zero: {theta0_deg: [0, -70, -30, 0, 190, 0], source: x}\nratings:"
    other = text.replace("ratings:", zero)
    for old, new in (
        ("-95, 155", "-115, 135"),
        ("-180, 75", "-150, 105"),
        ("-115, 115", "-125, 105"),
    ):
        assert old in other
        other = other.replace(f"[{old}]", f"[{new}]")
    (tmp_path / "other").mkdir()
    folders = made(tmp_path, text), made(tmp_path / "other", other)
    one, two = (irb.load(folder) for folder in folders)
    sheets = [read_datasheet(folder / "datasheet.yaml") for folder in folders]
    assert sheets[0][1][0].reach == pytest.approx(sheets[1][1][0].reach, abs=1e-9)
    drawn = [
        {path: text for path, text in contents(f).items() if path.suffix == ".obj"} for f in folders
    ]
    assert drawn[0].keys() == drawn[1].keys()
    assert (folders[0] / "inertials.yaml").read_bytes() == (
        folders[1] / "inertials.yaml"
    ).read_bytes()
    np.testing.assert_array_equal(one.limits.effort, two.limits.effort)
    for q in np.random.default_rng(4).uniform(one.limits.lower, one.limits.upper, (20, 6)):
        same = q - np.radians(turned)
        np.testing.assert_allclose(two.pose(same).homogeneous, one.pose(q).homogeneous, atol=1e-12)
        np.testing.assert_allclose(two.gravity(same), one.gravity(q), atol=1e-9)
        assert irb.collides(one, q) == irb.collides(two, same)
    assert drawn[0] == drawn[1]
