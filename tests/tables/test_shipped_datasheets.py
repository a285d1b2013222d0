"""Shipped data sheets: reach of the lengths, sources of all numbers, what is unknown."""

import numpy as np
import pytest
import shipped
from arm_facts import REACH
from grouped import together

import irbmodels as irb
from irbmodels.tables.datasheet import datasheet_path, datasheets, read_datasheet
from irbmodels.tables.datasheet_tables import tables_of_datasheet


@pytest.fixture(scope="module")
def arms():
    """Every variant of every shipped sheet."""
    sheets = (read_datasheet(datasheet_path(name), name) for name in datasheets())
    return {arm.name: arm for _, variants in sheets for arm in variants}


def test_all_arms_are_there(arms):
    """27 families, 64 variants, each with a name of its own."""
    assert len(datasheets()) == 27
    assert set(arms) == set(REACH)


@together("name", REACH)
def test_lengths_give_the_reach(arms, name):
    """That of a dense search to 0.1 mm, and the catalogue's to 6 mm, which its rounding explains."""
    arm = arms[name]
    assert arm.reach == pytest.approx(REACH[name], abs=0.1)
    assert abs(arm.reach - arm.ratings.reach_mm) < 6.0


SPEEDS = {  # [deg/s], typed from the sources that the rows name
    "irb7600_150_350": (100, 60, 60, 100, 100, 190),
    "irb7600_340_280": (75, 50, 55, 100, 100, 160),
    "irb6640_180_255": (100, 90, 90, 190, 140, 190),
    "irb6640_185_280": (100, 90, 90, 170, 120, 190),
    "irb6640_235_255": (100, 90, 90, 170, 120, 190),
    "irb1200_5_90": (288, 240, 297, 400, 405, 600),
    "irb1200_7_70": (288, 240, 297, 400, 405, 600),
    "irb1300_11_90": (243, 228, 300, 500, 420, 720),
    "crb15000_10_152": (120, 120, 125, 200, 200, 200),
    "crb15000_12_127": (120, 120, 125, 200, 200, 200),
}


@together("name", SPEEDS)
def test_speeds_of_the_sources(name):
    """Those that drafts, other variants or nothing stood for; graded published."""
    robot = irb.load(name)
    np.testing.assert_allclose(np.degrees(robot.limits.velocity), SPEEDS[name], rtol=1e-12)
    assert not robot.limits.velocity_assumed.any()


@pytest.mark.parametrize(
    ("q_deg", "target"),
    [
        ((-13.4393, 43.6787, 12.5946, -11.6275, -87.029, 7.42441), (2450, -433.0127, 1000)),
        ((29.9929, 48.8333, 1.53404, 84.3822, -82.855, 37.0358), (2233.8003, 512.5135, 694.3001)),
    ],
)
def test_the_6640_rests_where_robotstudio_does(q_deg, target):
    """Axes of the 180/2.55 at rest on the last robtarget of two programs of
    hehonglu123/ABB_Primitive_Study@9215d887: six digits of an angle are 2 um, half a millimetre of
    d4 is 500.
    """
    flange = irb.load("irb6640_180_255").pose(np.radians(q_deg))
    tcp = 1000.0 * flange.translation + flange.rotation @ [75.0, 0.0, 493.30127]
    np.testing.assert_allclose(tcp, target, atol=0.005)


def test_what_is_assumed_says_so():
    """Speeds of motors that were not found, masses of sisters, the T variants' lengths."""
    for family, variant, axis in (
        ("irb6700", "irb6700_205_280", "axis_1"),
        ("irb4600", "irb4600_45_205", "axis_6"),
    ):
        sheet, arms = read_datasheet(datasheet_path(family), family)
        row = next(arm for arm in arms if arm.name == variant).axes[axis]
        assert sheet.sources[row.source_of("speed_deg_s")].grade == "assumed"
    sheet, (_, fast) = read_datasheet(datasheet_path("irb140"), "irb140")
    assert sheet.sources[fast.lengths.source_of("a2_mm")].grade == "assumed"
    assert sheet.sources[fast.axes["axis_1"].source_of("speed_deg_s")].grade == "published"
    assert sheet.sources[fast.ratings.source_of("mass_kg")].grade == "assumed"


def test_unknown_masses_stay_unknown(arms):
    """A sister's mass is not taken over."""
    unknown = {name for name, arm in arms.items() if arm.ratings.mass_kg is None}
    assert unknown == set(shipped.MASSES_UNKNOWN)


@pytest.mark.parametrize("name", shipped.MASSES_UNKNOWN)
def test_what_needs_an_unknown_mass_says_so(name):
    """No torques, energies or efforts, not a sister's either; poses, ranges and shapes are there."""
    robot = irb.load(name)
    zeros = np.zeros(robot.n)
    assert np.isinf(robot.limits.effort).all()
    assert robot.pose(zeros).translation[0] > 0.3
    assert not irb.collides(robot, zeros)
    for ask in (
        lambda: robot.gravity(zeros),
        lambda: robot.mass_matrix(zeros),
        lambda: robot.inverse_dynamics(zeros, zeros, zeros, friction=False),
        lambda: robot.forward_dynamics(zeros, zeros, zeros, friction=False),
        lambda: robot.energy(zeros, zeros),
        lambda: robot.with_payload(irb.payload(1.0)).gravity(zeros),
    ):
        with pytest.raises(irb.MissingData, match=f"no masses of {name} are known"):
            ask()


def test_load_diagrams_are_of_the_variants_that_state_them(arms):
    """A sister has none of it."""
    stated = {name for name, arm in arms.items() if arm.handling is not None}
    known = {name for name in arms if irb.describe(name).limits.handling is not None}
    assert known == stated
    assert stated == {
        *("irb120_3_58", "irb140_6_81", "irb2600_20_165", "irb4400_60_196", "irb4400_l30_243")
    }


def test_a_shipped_sheet_is_named_by_its_family(tmp_path):
    """A wrong name lists the known ones."""
    with pytest.raises(irb.UnknownName, match=r"no data sheet 'irb6701'.*irb6700"):
        irb.new_robot("mine", folder=tmp_path / "mine", datasheet="irb6701")


def test_an_offset_wrist_is_a_length_of_row_6():
    """Axis 6 above axis 5 is behind it along the x of row 6; a spherical wrist has 0."""
    for family, a_mm in (("crb15000", -80), ("irb1200", 0)):
        tables = tables_of_datasheet(*read_datasheet(datasheet_path(family), family))
        assert tables["kinematics"]["joints"]["joint_6"]["a_mm"] == a_mm
