"""drives.yaml: rows of variants, friction on the motor side, and numbers of ABB's controllers."""

import shutil

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.report.tables import info_tables
from irbmodels.simulation.flexible import Drive, FlexibleRobot, drives_of
from irbmodels.tables.description import data_folder
from irbmodels.tables.reader import read
from irbmodels.tables.schema import DrivesTable

DRIVES = """\
sources: {made: {ref: made for a test, grade: derived}}
axes:
  axis_6: {gear_ratio: 50.0, source: made}
  axis_1: {stiffness_N_m_rad: 9.0e+04, source: made}
variants:
  irb1600_10_145:
    axes:
      axis_1: {coulomb_N_m: 0.7, source: made}
      axis_2: {stiffness_N_m_rad: 8.0e+04, coulomb_N_m: 0.5, source: made}
"""
LONG, SHORT = "irb1600_10_145", "irb1600_6_120"


@pytest.fixture
def family(tmp_path):
    """The tables of the IRB 1600 with made-up drives."""
    folder = tmp_path / "family"
    shutil.copytree(data_folder() / "irb1600", folder)
    (folder / "drives.yaml").write_text(DRIVES)
    return folder


def test_rows_of_a_variant_stand_for_it_alone(family):
    """Its own row replaces the shared one; axes are in their order."""
    long, short = (irb.describe(family / name).drives.axes for name in (LONG, SHORT))
    assert list(short) == ["axis_1", "axis_6"]
    assert list(long) == ["axis_1", "axis_2", "axis_6"]
    assert (short["axis_1"].stiffness_N_m_rad, short["axis_1"].coulomb_N_m) == (9e4, None)
    assert (long["axis_1"].stiffness_N_m_rad, long["axis_1"].coulomb_N_m) == (None, 0.7)


def test_rows_of_a_variant_are_merged_with_an_overlay(family, tmp_path):
    """Rows of other variants do not come along."""
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        f"robot: {LONG}\nabout: a test\nsources: {{mine: {{ref: a test, grade: measured}}}}\n"
        "drives: {axes: {axis_2: {coulomb_N_m: 0.6, source: mine}}}\n"
    )
    table = irb.load(family / LONG, overlays=[overlay]).description.drives
    assert table.variants == {}
    assert (table.axes["axis_2"].coulomb_N_m, table.axes["axis_2"].stiffness_N_m_rad) == (0.6, 8e4)


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("  irb1600_10_145:", "  irb1600_10_154:", "variants: no variant 'irb1600_10_154'"),
        ("      axis_2:", "      axis_7:", "axes: no axis 'axis_7'"),
        ("coulomb_N_m: 0.5", "coulomb_N_m: -0.5", r"axes\.axis_2\.coulomb_N_m: -0\.5 should be"),
        ("coulomb_N_m: 0.5", "coulomb: 0.5", r"axis_2: no key 'coulomb'"),
    ],
)
def test_rows_that_are_none_are_refused(family, before, after, problem):
    (family / "drives.yaml").write_text(DRIVES.replace(before, after))
    with pytest.raises(irb.TableError, match=rf"drives\.yaml: .*{problem}"):
        irb.load(family / LONG)


def test_friction_on_the_motor_side_is_in_no_torque(family):
    """Without a law on the arm side there is none; info shows the number and where it acts."""
    robot, bare = irb.load(family / LONG), irb.load(LONG)
    q, v, a = np.random.default_rng(0).uniform(-0.5, 0.5, (3, 6))
    assert robot.dynamic_model.friction is None
    with pytest.raises(irb.MissingData, match="friction"):
        robot.friction(v)
    with pytest.warns(irb.PhysicsWarning, match="no friction data: friction adds nothing"):
        torque = robot.inverse_dynamics(q, v, a)
    np.testing.assert_array_equal(torque, bare.inverse_dynamics(q, v, a, friction=False))
    (table,) = [one for one in info_tables(robot.description) if "drives" in str(one.title)]
    assert "Coulomb in no torque" in str(table.title)
    shown = [row for row in table.rows if row[0] == "2"]
    assert shown[0][4:] == ("80000", "", "0.5", "made")


def test_a_stiffness_of_the_tables_takes_an_assumed_rotor(family):
    """It makes an axis elastic with its own grade; only rotor and gear are assumed."""
    robot = irb.load(family / LONG)
    with pytest.raises(irb.MissingData, match="axis_2 has a stiffness, but no rotor"):
        FlexibleRobot.of(robot)
    rotor = Drive(rotor_inertia=5e-4, gear_ratio=100.0, viscous=0.01)
    arm = FlexibleRobot.of(robot, [None, rotor, *[None] * 4])
    assert "elastic axes 2 (derived); rigid" in repr(arm)
    assert arm.drives[1] == Drive(8e4, 5e-4, 100.0, 0.01, grade="derived")
    assert arm.drives[5] == Drive(gear_ratio=50.0, grade="derived")
    for wrong, words in (
        (Drive(7e4, 5e-4, 100.0), "know the stiffness of axis 2"),
        (Drive(gear_ratio=100.0), "needs the inertia of its rotor"),
    ):
        with pytest.raises(irb.InputError, match=words):
            FlexibleRobot.of(robot, [None, wrong, *[None] * 4])
    with pytest.raises(irb.InputError, match="know the drive of axis 6"):
        drives_of(robot, [None, rotor, None, None, None, rotor])


def test_a_held_motor_leaves_the_stiffness_of_the_table(family):
    """A force at rest deflects axis 2 by its moment over the stiffness and gravity's slope."""
    robot, q = irb.load(family / LONG), np.array([0.2, 0.3, -0.4, 0.5, 0.6, 0.0])
    assumed = [None, Drive(rotor_inertia=1e-3), *[None] * 4]
    response = FlexibleRobot.of(robot, assumed).frequency_response(
        q, 0.0, source="wrench", motors="held"
    )
    step = np.array([0.0, 1e-5, 0.0, 0.0, 0.0, 0.0])
    moved = robot.pose(q + step).translation - robot.pose(q - step).translation
    slope = (robot.gravity(q + step) - robot.gravity(q - step))[1]
    arm, k = moved / 2e-5, 8e4 + slope / 2e-5
    np.testing.assert_allclose(response[:3, :3].real, np.outer(arm, arm) / k, rtol=1e-6, atol=1e-15)


# Compliances as printed, of two IRB 4600-40/2.55, an IRB 1200-5/0.9 and an IRB 6660-205/1.90
# [rad/(N m)], axes 2 to 6
COMPLIANCE = {
    ("irb4600", "irb4600_40_255"): [
        (6.88999e-7, 2.31077e-6, 1.60689e-5, 1.4542e-5, 3.6732e-5),
        (6.94655e-7, 2.30809e-6, 1.55376e-5, 1.36702e-5, 4.44984e-5),
    ],
    ("irb1200", "irb1200_5_90"): [(1.14261e-5, 2.63876e-5, 1.12739e-4, 5.28109e-5, 2.2463e-4)],
    ("irb6660", "irb6660_205_190"): [(4.98678e-7, 5.66955e-7, 2.80915e-6, 4.10684e-6, 1.61199e-6)],
}
LEVELS = {
    ("irb120", "irb120_3_58"): (0.09, 0.09, 0.07, 0.025, 0.025, 0.025),
    ("irb1200", "irb1200_5_90"): (0.18, 0.14, 0.14, 0.07, 0.06, 0.02),
    ("irb4600", "irb4600_40_255"): (0.7, 1.05, 0.6, 0.18, 0.45, 0.48),
    ("irb6660", "irb6660_205_190"): (0.8, 1.5, 1.5, 0.4, 0.7, 0.3),
    ("irb6700", "irb6700_205_280"): (1.17, 2.27, 2.39, 0.42, 0.61, 0.41),
    ("irb910sc", "irb910sc_3_55"): (0.06, 0.086, 0.042, 0.021),
}


def shipped(family):
    return read(data_folder() / family / "drives.yaml", DrivesTable)


def test_shipped_arms_have_the_rows_of_their_own_variant():
    """Sisters have none; the stiffness of an IRB 1200 makes it elastic with assumed rotors."""
    for (family, variant), levels in LEVELS.items():
        for name in (name for name in irb.robots() if irb.describe(name).family == family):
            rows = irb.describe(name).drives.axes
            expected = levels if name == variant else ()
            assert tuple(row.coulomb_N_m for row in rows.values()) == expected
            assert bool(irb.describe(name).drives.sources) is bool(expected)  # none that it lacks
    robot = irb.load("irb1200_5_90")
    with pytest.raises(irb.MissingData, match="axis_2 has a stiffness, but no rotor inertia"):
        FlexibleRobot.of(robot)
    arm = FlexibleRobot.of(robot, [None, *[Drive(rotor_inertia=0.5)] * 5])
    held = arm.frequency_response(np.zeros(6), 0.0, source="wrench", motors="held").real
    stiffness = 1.0 / np.array(COMPLIANCE["irb1200", "irb1200_5_90"][0])
    J, step = robot.jacobian(np.zeros(6))[:3, 1:], 1e-6
    slope = [
        (robot.gravity(step * one) - robot.gravity(-step * one))[1:] / (2 * step)
        for one in np.eye(6)[1:]
    ]
    expected = J @ np.linalg.solve(np.diag(stiffness) + np.array(slope).T, J.T)
    np.testing.assert_allclose(held[:3, :3], expected, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize(("family", "variant"), COMPLIANCE)
def test_stiffness_is_the_inverse_of_the_mean_compliance(family, variant):
    """Where two robots were measured the source says how far they differ; the unit is inferred."""
    table = shipped(family)
    assert (table.axes, list(table.variants)) == ({}, [variant])
    rows = list(table.variants[variant].axes.values())
    known = np.array([row.stiffness_N_m_rad or np.nan for row in rows])
    assert np.isnan(known[0])
    printed = np.array(COMPLIANCE[family, variant])
    np.testing.assert_allclose(known[1:] * printed.mean(axis=0), 1.0, rtol=5e-6)
    source = table.sources[rows[1].source_of("stiffness_N_m_rad")]
    assert source.grade == "derived"
    assert "unit, rad/(N m), is inferred" in source.how
    if len(printed) > 1:
        differ = 100.0 * np.ptp(printed, axis=0) / printed.mean(axis=0)
        assert ", ".join(f"{x:.2g}" for x in differ[:-1]) + f" and {differ[-1]:.2g}" in source.how


@pytest.mark.parametrize(("family", "variant"), LEVELS)
def test_friction_levels_are_those_of_one_variant(family, variant):
    table = shipped(family)
    assert (table.axes, list(table.variants)) == ({}, [variant])
    rows = table.variants[variant].axes
    assert list(rows) == [f"axis_{i}" for i in range(1, len(rows) + 1)]
    assert tuple(row.coulomb_N_m for row in rows.values()) == LEVELS[family, variant]
    source = table.sources[rows["axis_1"].source_of("coulomb_N_m")]
    assert source.grade == "published"
    assert "is inferred from name and size" in source.how
