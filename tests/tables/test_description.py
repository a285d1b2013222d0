"""Finding robots, resolving variants, and checks that need more than one table."""

from __future__ import annotations

import os
import re
import shutil

import numpy as np
import oracles
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.cad.output import family_of
from irbmodels.tables.description import data_folder, tool_path


def test_robots_are_those_of_the_tables():
    """Every variant of every folder of tables, and nothing else; 27 families, 64 variants."""
    folders = sorted(path.parent for path in data_folder().glob("*/kinematics.yaml"))
    variants = {robot.name: robot.family for folder in folders for robot in family_of(folder)}
    assert {name: irb.describe(name).family for name in irb.robots()} == variants
    assert set(oracles.NAMES) < set(irb.robots())
    assert (len(folders), len(variants), len(irb.robots())) == (27, 64, 64)
    assert irb.tools() == ("spindle",)


def test_the_name_of_a_family_is_one_of_its_variants():
    """That of its alias, or its only one's."""
    for family in {irb.describe(name).family for name in irb.robots()}:
        assert irb.describe(family).family == family
    assert irb.describe("irb2400").name == "irb2400_16"
    assert irb.describe("irb4400l").name == "irb4400_l30_243"
    with pytest.raises(irb.UnknownName):
        irb.describe("irb6700_300_270")


def test_alias_is_its_variant():
    """A short name gives the robot it stands for, under that robot's name."""
    for alias, variant in irb.aliases().items():
        assert irb.load(alias).name == irb.describe(alias).name == variant
        assert irb.urdf_path(alias) == irb.urdf_path(variant)


def test_data_lies_beside_the_checkout():
    """An editable install reads the checkout's own urdf folder, never a stale copy."""
    assert data_folder() == oracles.URDF.resolve()


@together("name", oracles.NAMES)
def test_folder_and_couplings_of_every_robot(name):
    """Family, axes, couplings and set names are what the catalogue says."""
    robot = irb.describe(name)
    assert robot.family == oracles.FAMILY[name]
    assert robot.axes == tuple(f"axis_{i}" for i in range(1, len(oracles.rows(name)) + 1))
    assert robot.couplings == (
        ("parallelogram", "serial") if name in oracles.PARALLELOGRAM else ("serial",)
    )
    assert robot.validation is not None if "2400" in name else robot.validation is None


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("irb2401", "did you mean 'irb2400'"),
        ("IRB1600", "did you mean 'irb1600'"),
        ("irb1600_6_12", "did you mean 'irb1600_6_120'"),
        ("zebra", r"known: irb2400, irb1400, .*crb15000; variants: irbmodels list\)$"),
    ],
)
def test_unknown_robot_names_the_nearest(asked, words):
    """A misspelt robot is told what comes close and what exists."""
    for find in (irb.load, irb.describe, irb.urdf_path):
        with pytest.raises(irb.UnknownName, match=words):
            find(asked)


def test_unknown_robot_is_a_lookup_error_with_a_plain_message():
    """UnknownName can be caught as LookupError and prints without quotes."""
    with pytest.raises(LookupError) as caught:
        irb.load("irb2401")
    assert str(caught.value).startswith("no robot 'irb2401'")
    assert isinstance(caught.value, irb.IrbError)


def test_folder_of_tables_is_a_robot(copied, monkeypatch):
    """A folder with one variant is loaded by its path, one with several by folder/variant, absolute
    or relative.
    """
    single, several = copied("irb1400"), copied("irb1600")
    assert irb.load(single).name == "irb1400"
    assert irb.load(str(several / "irb1600_10_145")).name == "irb1600_10_145"
    monkeypatch.chdir(single.parent)
    assert irb.load("irb1600/irb1600_10_145").name == "irb1600_10_145"
    assert irb.describe("./irb1600/irb1600_10_145").folder == several
    with pytest.raises(
        irb.InputError, match=r"describes 4 robots; name one of them: .*irb1600/irb1600_6_120"
    ):
        irb.load(several)
    with pytest.raises(irb.UnknownName, match="did you mean 'irb1600_6_120'"):
        irb.load(several / "irb1600_6_121")


def test_folder_without_tables_is_refused(tmp_path):
    """A folder that holds no kinematics.yaml says so."""
    for path in (tmp_path, tmp_path / "nothing", tmp_path / "nothing" / "variant"):
        with pytest.raises(irb.InputError, match=r"kinematics\.yaml does not exist"):
            irb.load(path)


def test_robot_in_a_folder_with_spaces(copied, tmp_path):
    """The path of a robot of one's own may hold spaces and quotes."""
    folder = shutil.copytree(copied("irb1400"), tmp_path / "my robot's tables" / "irb 1400")
    q = oracles.states("irb1400", 1)[0, 0]
    np.testing.assert_array_equal(
        irb.load(folder).pose(q).homogeneous, irb.load("irb1400").pose(q).homogeneous
    )


def test_own_variant_of_ones_own(copied):
    """A variant added to a copied folder takes the shared rows and its own."""
    row = "{alpha_deg: 0, a_mm: 555, d_mm: 0, theta0_deg: 0, source: dimensions}"
    folder = copied(
        "irb1600",
        "kinematics.yaml",
        "variants:\n",
        f"variants:\n  mine:\n    joints:\n      joint_3: {row}\n",
    )
    assert irb.load(folder / "mine").pose(np.zeros(6)).translation[2] == pytest.approx(
        0.4865 + 0.555
    )


def test_missing_table_is_a_file_error(copied):
    """A folder without limits.yaml says which file is missing."""
    folder = copied("irb1400")
    (folder / "limits.yaml").unlink()
    with pytest.raises(irb.FileError, match=r"limits\.yaml"):
        irb.load(folder)


def test_urdf_paths():
    """Parallelogram arms have a file and a serial twin; serial arms one file."""
    assert (
        irb.urdf_path("irb2400").name
        == irb.urdf_path("irb2400", "parallelogram").name
        == "irb2400_16.urdf"
    )
    assert irb.urdf_path("irb2400", "serial").name == "irb2400_16_serial.urdf"
    assert (
        irb.urdf_path("irb1600").name
        == irb.urdf_path("irb1600", "serial").name
        == "irb1600_6_120.urdf"
    )


def test_urdf_path_of_ones_own_robot_does_not_exist(copied):
    """Only shipped robots have a file; the message says how to write one."""
    with pytest.raises(irb.FileError, match="irbmodels urdf"):
        irb.urdf_path(str(copied("irb1400")))


@pytest.mark.parametrize("name", ["irb1600", "irb930"])
def test_serial_arms_have_no_parallelogram(name):
    """Asking a serial arm for a parallelogram is an error everywhere."""
    for ask in (
        irb.urdf_path,
        lambda robot, coupling: irb.load(robot, coupling=coupling),
        lambda r, c: irb.describe(r).urdf(c),
    ):
        with pytest.raises(
            irb.UnknownName, match=r"no coupling of .* 'parallelogram' \(known: serial\)"
        ):
            ask(name, "parallelogram")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"inertials": "obal2052"}, "did you mean 'obal2025'"),
        ({"tool": "spindel"}, "did you mean 'spindle'"),
        ({"coupling": "seriel"}, "did you mean 'serial'"),
    ],
)
def test_unknown_arguments_of_urdf_are_refused(arguments, words):
    """A misspelt set, tool or coupling stops before xacro would ignore it."""
    with pytest.raises(irb.UnknownName, match=words):
        irb.describe("irb2400").urdf(**arguments)


def test_tool_paths():
    """Shipped tools by name, others by their path."""
    assert tool_path("spindle") == oracles.URDF.resolve() / "tools" / "spindle.yaml"
    assert tool_path(os.path.relpath(oracles.URDF / "tools" / "spindle.yaml")) == tool_path(
        "spindle"
    )


def test_rotor_inertia_is_reflected_by_the_square_of_the_gear():
    """IRB 1400, axis 1: 5.9e-4 kg m^2 behind 118.461539 is 8.28 kg m^2; the other axes are unknown,
    and named.
    """
    with pytest.warns(
        irb.PhysicsWarning,
        match="no rotor inertia is known for axis_2, axis_3, axis_4, axis_5, axis_6",
    ) as caught:
        actual = irb.load("irb1400").with_rotors().rotors
    assert caught[0].filename == __file__
    assert actual[0] == pytest.approx(8.28, abs=5e-3)
    assert not actual[1:].any()
    with pytest.raises(irb.MissingData, match="no rotor inertia is known"):
        irb.load("irb2400").with_rotors()


BROKEN = {  # file, old text, new text, what the message must hold
    "joint out of order": (
        "irb1600",
        "kinematics.yaml",
        "  joint_2:",
        "  joint_7:",
        "kinematics.yaml: joints.joint_7: expected joint_2",
    ),
    "elbow out of plane": (
        "irb2400",
        "kinematics.yaml",
        "joint_3: {alpha_deg: 0,",
        "joint_3: {alpha_deg: 90,",
        "kinematics.yaml: parallelogram: joint_3 needs alpha_deg 0 and d_mm 0",
    ),
    "elbow set off": (
        "irb2400",
        "kinematics.yaml",
        "joint_3: {alpha_deg: 0, a_mm: 705, d_mm: 0",
        "joint_3: {alpha_deg: 0, a_mm: 705, d_mm: 5",
        "kinematics.yaml: parallelogram: joint_3 needs alpha_deg 0 and d_mm 0",
    ),
    "axis missing": (
        "irb1600",
        "limits.yaml",
        "  axis_6:",
        "  axis_7:",
        "limits.yaml: axes: axes are axis_1, axis_2",
    ),
    "empty range": (
        "irb1600",
        "limits.yaml",
        "[-63, 110]",
        "[110, -63]",
        "limits.yaml: axes.axis_2.range_deg: [110, -63] is empty",
    ),
    "range of one point": (
        "irb1600",
        "limits.yaml",
        "[-63, 110]",
        "[110, 110]",
        "limits.yaml: axes.axis_2.range_deg: [110, 110] is empty",
    ),
    "effort of 0": (
        "irb2400",
        "limits.yaml",
        "effort_N_m: 1500",
        "effort_N_m: 0",
        "limits.yaml: axes.axis_1.effort_N_m: 0 is not positive",
    ),
    "negative speed": (
        "irb1600",
        "limits.yaml",
        "speed_deg_s: 160",
        "speed_deg_s: -160",
        "limits.yaml: axes.axis_2.speed_deg_s: -160 is not positive",
    ),
    "speed of 0": (
        "irb1600",
        "limits.yaml",
        "speed_deg_s: 160",
        "speed_deg_s: 0.0",
        "limits.yaml: axes.axis_2.speed_deg_s: 0 is not positive",
    ),
    "rotary axis in mm": (
        "irb2400",
        "limits.yaml",
        "{range_deg: [-100, 110], speed_deg_s: 150, effort_N_m: 1100, source: {range_deg:",
        "{range_mm: [-100, 110], speed_deg_s: 150, effort_N_m: 1100, source: {range_mm:",
        "limits.yaml: axes.axis_2: a rotary axis needs range_deg: range_deg is missing",
    ),
    "linear axis in degrees": (
        "irb930",
        "limits.yaml",
        "{range_mm: [-300, 0], speed_mm_s: 1053, effort_N: 250, source: {range_mm:",
        "{range_deg: [-300, 0], speed_mm_s: 1053, effort_N: 250, source: {range_deg:",
        "limits.yaml: axes.axis_3: a linear axis needs range_mm",
    ),
    "speed of a rotary axis in mm": (
        "irb2400",
        "limits.yaml",
        "speed_deg_s: 150, effort_N_m: 1500, source: {range_deg: dwg, speed_deg_s:",
        "speed_mm_s: 150, effort_N_m: 1500, source: {range_deg: dwg, speed_mm_s:",
        "limits.yaml: axes.axis_1: a rotary axis needs range_deg, takes speed_deg_s and effort_N_m,"
        " and no speed_mm_s",
    ),
    "coupled range lost": (
        "irb2400",
        "limits.yaml",
        "range_of: q3 - q2, ",
        "",
        "limits.yaml: axes.axis_3.range_of: missing: with a parallelogram",
    ),
    "coupled range on a serial arm": (
        "irb1600",
        "limits.yaml",
        "axis_3: {range_deg: [-235, 55],",
        "axis_3: {range_deg: [-235, 55], range_of: q3 - q2,",
        "limits.yaml: axes.axis_3.range_of",
    ),
    "unknown default set": (
        "irb2400",
        "inertials.yaml",
        "default: obal2025",
        "default: obal2024",
        "inertials.yaml: default: no parameter set 'obal2024'; did you mean 'obal2025'",
    ),
    "unknown link": (
        "irb1600",
        "inertials.yaml",
        "      link_6:",
        "      link_7:",
        "inertials.yaml: sets.cad.links: no link 'link_7'",
    ),
    "bar of a serial arm": (
        "irb1600",
        "inertials.yaml",
        "      link_6:",
        "      link_rod:",
        "inertials.yaml: sets.cad.links: no link 'link_rod'",
    ),
    "unknown set for an open chain": (
        "irb1400",
        "inertials.yaml",
        "serial: cad_lumped",
        "serial: cad_lump",
        (
            "inertials.yaml: sets.cad.serial: no set without bars 'cad_lump'; did you mean"
            " 'cad_lumped'"
        ),
    ),
    "bars on an open chain": (
        "irb1400",
        "inertials.yaml",
        "serial: cad_lumped",
        "serial: cad",
        "inertials.yaml: sets.cad.serial: no set without bars 'cad'",
    ),
    "negative mass": (
        "irb1600",
        "inertials.yaml",
        "mass_kg: 74.8429926",
        "mass_kg: -74.8429926",
        "inertials.yaml: sets.cad_scaled.links.base_link: mass -74.843 kg is not positive",
    ),
    "no triangle": (
        "irb1600",
        "inertials.yaml",
        "zz: 0.000414459327",
        "zz: 0.000714459327",
        "inertials.yaml: sets.cad_scaled.links.link_5: principal moments break the triangle",
    ),
    "not positive definite": (
        "irb1600",
        "inertials.yaml",
        "xz: 0.104526312",
        "xz: 2.104526312",
        "inertials.yaml: sets.cad_scaled.links.base_link: tensor is not positive definite",
    ),
    "impossible body not listed": (
        "irb2400",
        "inertials.yaml",
        "[link_2, link_3, link_4, link_6]",
        "[link_2, link_3, link_4]",
        "sets.obal2025_printed.links.link_6: tensor is not positive definite",
    ),
    "possible body listed": (
        "irb2400",
        "inertials.yaml",
        "[link_2, link_3, link_4, link_6]",
        "[link_1, link_2, link_3, link_4, link_6]",
        "sets.obal2025_printed.impossible: link_1 is listed, but a body can have its numbers",
    ),
    "friction drives": (
        "irb2400",
        "friction.yaml",
        "Fs_N_m: 36.3",
        "Fs_N_m: 23.3",
        "friction.yaml: sets.obal2025.axes.axis_1: needs Fs >= Fc",
    ),
    "negative viscous friction": (
        "irb2400",
        "friction.yaml",
        "Fv_N_m_s: 8.323",
        "Fv_N_m_s: -8.323",
        "friction.yaml: sets.obal2025.axes.axis_2: needs Fs >= Fc",
    ),
    "negative Coulomb friction": (
        "irb2400",
        "friction.yaml",
        "Fc_N_m: 31.2",
        "Fc_N_m: -31.2",
        "friction.yaml: sets.obal2025.axes.axis_2: needs Fs >= Fc >= 0",
    ),
    "Stribeck speed of 0": (
        "irb2400",
        "friction.yaml",
        "v_St_rad_s: 0.0031",
        "v_St_rad_s: 0.0",
        "friction.yaml: sets.obal2025.axes.axis_2: needs Fs >= Fc >= 0, Fv >= 0 and v_St > 0",
    ),
    "friction of a linear axis": (
        "irb2400",
        "friction.yaml",
        "Fs_N_m: 36.3",
        "Fs_N: 36.3",
        "friction.yaml: sets.obal2025.axes.axis_1: a rotary axis needs Fs",
    ),
    "friction of five axes": (
        "irb2400",
        "friction.yaml",
        "      axis_6:",
        "      axis_7:",
        "friction.yaml: sets.obal2025.axes: axes are",
    ),
    "unknown friction set": (
        "irb2400",
        "friction.yaml",
        "default: obal2025",
        "default: obal",
        "friction.yaml: default: no friction set 'obal'",
    ),
    "unknown drive": (
        "irb1400",
        "drives.yaml",
        "  axis_1:",
        "  axis_9:",
        "drives.yaml: axes: no axis 'axis_9'",
    ),
    "misspelt variant of the limits": (
        "irb1600",
        "limits.yaml",
        "  irb1600_6_145:",
        "  irb1600_6_154:",
        "limits.yaml: variants: no variant 'irb1600_6_154'; did you mean",
    ),
    "misspelt variant of the inertials": (
        "irb1600",
        "inertials.yaml",
        "      irb1600_6_145:",
        "      irb1600_6_154:",
        "no variant 'irb1600_6_154'; did you mean",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_table_that_contradicts_itself_is_refused(case, copied):
    """Each error names file, key and problem, whichever query meets the table first."""
    family, file, old, new, words = BROKEN[case]
    folder = copied(family, file, old, new)
    variant = {
        "irb2400": "irb2400_16",
        "irb1400": "irb1400",
        "irb1600": "irb1600_6_120",
        "irb930": "irb930_12_105",
    }[family]
    with pytest.raises(irb.TableError, match=re.escape(words)) as caught:
        irb.load(folder / variant).with_rotors()
    assert caught.value.file == folder / file


def test_bad_table_stops_the_urdf_too(copied):
    """The URDF of a robot with an impossible table is not written."""
    folder = copied("irb2400", "limits.yaml", "effort_N_m: 1500", "effort_N_m: 0")
    with pytest.raises(irb.TableError, match="0 is not positive"):
        irb.describe(folder / "irb2400_16").urdf()


@pytest.mark.parametrize(
    "name", ["arm.urdf", "models/arm.URDF", "scene.xml", "arm.sdf", "arm.mjcf"]
)
def test_a_model_in_one_file_is_not_loaded_but_read(name):
    """Load and describe take robots with tables; they point to the function that reads a file."""
    for function in (irb.load, irb.describe):
        with pytest.raises(
            irb.InputError,
            match=rf"{name} is a model in one file, without tables; irbmodels.from_file",
        ):
            function(name)
