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
    """27 families, 63 variants, each with a name of its own."""
    assert len(datasheets()) == 27
    assert set(arms) == set(REACH)


@together("name", REACH)
def test_lengths_give_the_reach(arms, name):
    """That of a dense search to 0.1 mm, and the catalogue's to 6 mm, which its rounding explains."""
    arm = arms[name]
    assert arm.reach == pytest.approx(REACH[name], abs=0.1)
    assert abs(arm.reach - arm.ratings.reach_mm) < 6.0


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
