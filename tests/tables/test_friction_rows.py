"""Friction in tables: every term of a law in rows, drives of a coupled wrist, and rows refused."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from drives import every_term

import irbmodels as irb
from irbmodels.exchange.write.tables import tables
from irbmodels.report.tables import friction_table
from irbmodels.tables.friction_rows import friction_row

TERMS = ("Fd", "v_d", "dFc", "dFv", "mu", "per_K", "presliding", "x_p")


def written(folder, law, name="irb1600_6_120", **options):
    """Write a law as an overlay of a robot."""
    linear = irb.load(name).limits.linear
    rows = {
        f"axis_{i + 1}": friction_row(law, i, bool(linear[i])) | {"source": "bench"}
        for i in range(len(linear))
    }
    overlay = {
        "schema": 1,
        "robot": name,
        "about": "friction of one arm",
        "sources": {"bench": {"ref": "bench", "grade": "identified"}},
        "friction": {"default": "bench", "sets": {"bench": {"axes": rows} | options}},
    }
    path = folder / f"bench{len(list(folder.iterdir()))}.yaml"
    path.write_text(yaml.safe_dump(overlay))
    return path


def heads(robot):
    """Heads of the columns of numbers in the terminal."""
    return tuple(friction_table(robot.description).heads[1:-1])


@pytest.mark.parametrize("name", ["irb1600_6_120", "irb930_12_105"])
def test_a_law_comes_back_from_its_rows(name, tmp_path):
    """Every term of rotary and linear axes; terms without influence are left out."""
    law = every_term(irb.load(name).n)
    path = written(tmp_path, law, name, measured_to_rad_s=2.0)
    robot = irb.load(name, overlays=[path])
    for field in ("Fs", "Fc", "Fv", *TERMS):
        np.testing.assert_array_equal(getattr(robot.friction_model, field), getattr(law, field))
    np.testing.assert_array_equal(robot.friction_model.v_St[law.falls], law.v_St[law.falls])
    assert robot.friction_model.measured_to == 2.0
    row = yaml.safe_load(path.read_text())["friction"]["sets"]["bench"]["axes"]["axis_2"]
    assert set(row) == {"Fs_N_m", "Fc_N_m", "Fv_N_m_s", "dFc_N_m", "mu", "source"}


def test_temperature_stands_in_a_set(tmp_path):
    """Fv_per_K with the reference temperature of the set."""
    law = irb.Stribeck(
        *np.ones((4, 6)), per_K=np.linspace(-0.02, 0.0, 6), reference_temperature=25.0
    )
    path = written(tmp_path, law, reference_temperature_degC=25.0)
    robot = irb.load("irb1600", overlays=[path])
    assert robot.friction_model.same_as(law)
    np.testing.assert_allclose(robot.at_temperature(35.0).friction_model.Fv[0], np.exp(-0.2))
    with pytest.raises(
        irb.TableError, match="Fv_per_K of axis_1 needs reference_temperature_degC of the set"
    ):
        irb.load("irb1600", overlays=[written(tmp_path, law)])


@pytest.mark.parametrize(
    ("name", "axis", "units"),
    [("irb1600_6_120", 0, ("N_m", "N_m_s")), ("irb930_12_105", 2, ("N", "N_s_m"))],
)
def test_a_new_law_of_an_axis_keeps_no_term_of_the_one_before(name, axis, units, tmp_path):
    """A row with Fs, Fc and Fv, in the units of a rotary or a linear axis, stands alone; one with a
    single number changes that one.
    """
    robot = irb.load(name)
    dry, viscous = units
    number = np.linspace(1.0, 2.0, robot.n)
    law = irb.Stribeck(
        number + 3,
        number + 2,
        number,
        number,
        Fd=number,
        v_d=number,
        dFc=0.1 * number,
        mu=0.01 * number,
    )
    first = written(tmp_path, law, name)
    other = (axis + 1) % robot.n
    (tmp_path / "second.yaml").write_text(
        f"""{{schema: 1, robot: {name}, about: a, sources: {{b: {{ref: b, grade: measured}}}},
friction: {{sets: {{bench: {{axes: {{
axis_{axis + 1}: {{Fs_{dry}: 5.0, Fc_{dry}: 5.0, Fv_{viscous}: 1.5, source: b}},
axis_{other + 1}: {{Fd_N_m: 7.0, source: b}}}}}}}}}}}}"""
    )
    law = irb.load(name, overlays=[first, tmp_path / "second.yaml"]).friction_model
    assert [law.Fs[axis], law.Fc[axis], law.Fv[axis]] == [5.0, 5.0, 1.5]
    assert not any(getattr(law, term)[axis] for term in ("Fd", "dFc", "mu"))
    assert [law.Fd[other], law.v_d[other]] == [7.0, number[other]]
    assert [law.Fc[other], law.mu[other]] == [number[other] + 2, 0.01 * number[other]]


def test_another_temperature_is_no_matter_of_axes_that_stay(tmp_path):
    """An overlay for one axis at 40 deg C would move the numbers of the others, which hold at 25."""
    law = irb.Stribeck(*np.ones((4, 6)), per_K=[-0.02] * 6, reference_temperature=25.0)
    first = written(tmp_path, law, reference_temperature_degC=25.0)
    text = """{schema: 1, robot: irb1600_6_120, about: a, sources: {b: {ref: b, grade: measured}},
friction: {sets: {bench: {reference_temperature_degC: 40.0, axes: {
axis_1: {Fs_N_m: 5.0, Fc_N_m: 5.0, Fv_N_m_s: 1.0, source: b}}}}}}"""
    (tmp_path / "second.yaml").write_text(text)
    with pytest.raises(irb.TableError, match="40 is not the 25 that Fv_per_K of axis_2 holds at"):
        irb.load("irb1600", overlays=[first, tmp_path / "second.yaml"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dFc_N_m": 9.5}, r"needs \|dFc\| <= Fc, or friction would drive the axis"),
        ({"Fd_N_m": -1.0}, "needs Fd >= 0 and v_d > 0, or friction would drive the axis"),
        ({"mu": 1.5}, "needs mu < 1, or friction would lock the axis"),
        ({"v_d_rad_s": None}, "degressive friction needs both Fd and v_d"),
        ({"x_p_rad": None}, "presliding needs both presliding and x_p"),
        ({"presliding": 1.2}, "needs presliding from 0 to 1 and x_p > 0, or friction would drive"),
        ({"dFc_N": 1.0}, "a rotary axis needs Fs, Fc, Fv and, unless Fs = Fc, v_St in its units"),
        ({"dFc_Nm": 1.0}, "no key 'dFc_Nm'; did you mean 'dFc_N_m'"),
    ],
)
def test_rows_that_no_drive_has_are_refused(change, words, tmp_path):
    """With file, set and axis."""
    path = written(tmp_path, every_term())
    overlay = yaml.safe_load(path.read_text())
    row = overlay["friction"]["sets"]["bench"]["axes"]["axis_1"] | change
    overlay["friction"]["sets"]["bench"]["axes"]["axis_1"] = {
        name: value for name, value in row.items() if value is not None
    }
    path.write_text(yaml.safe_dump(overlay))
    with pytest.raises(irb.TableError, match=rf"sets\.bench\.axes\.axis_1.*{words}"):
        irb.load("irb1600", overlays=[path])


def test_terms_have_columns_where_a_law_has_them(tmp_path):
    """In the terminal and in exported tables; S000's law is as it was."""
    robot = irb.load("irb1600", overlays=[written(tmp_path, every_term())])
    assert heads(robot) == (
        "Fs", "Fc", "Fv", "v_St", "Fd", "v_d", "dFc", "dFv", "mu", "presliding", "x_p",
    )  # fmt: skip
    table = tables(robot, ["friction"])[0]
    assert table.columns[1:12] == (
        "Fs", "Fc", "Fv", "v_St", "Fd", "v_d", "dFc", "dFv", "mu", "presliding", "x_p",
    )  # fmt: skip
    assert "mu |g|) sgn(v) + Fv v + dFc |sgn(v)| + dFv |v| + Fd v/(v_d + |v|) per axis" in (
        table.about
    )
    assert table.rows[0][5:12] == (6.0, 0.3, 1.5, -0.5, 0.0, 0.5, 1e-3)
    plain = tables(irb.load("irb2400"), ["friction"])[0]
    assert plain.columns[:6] == ("axis", "Fs", "Fc", "Fv", "v_St", "force_unit")
    assert heads(irb.load("irb2400")) == ("Fs", "Fc", "Fv", "v_St")


def test_a_table_couples_friction_as_it_couples_rotors(tmp_path):
    """turned_by in drives.yaml: friction of drive 5 brakes axis 4 as well."""
    text = """{schema: 1, robot: irb1600_6_120, about: a, sources: {b: {ref: b, grade: measured}},
drives: {axes: {axis_5: {gear_ratio: 70.0, turned_by: {axis_4: -35.0}, source: b}}}}"""
    (tmp_path / "wrist.yaml").write_text(text)
    law, v = every_term(), np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])
    law = irb.Stribeck(law.Fs, law.Fc, law.Fv, law.v_St)
    robot = irb.load("irb1600", overlays=[tmp_path / "wrist.yaml"]).with_friction(law)
    assert robot.drive_axes[4].tolist() == [0.0, 0.0, 0.0, -0.5, 1.0, 0.0]
    own = law.torque(np.array([0.1, -0.2, 0.3, 0.4, 0.5 - 0.5 * 0.4, -0.6]))
    own[3] -= 0.5 * own[4]
    np.testing.assert_allclose(robot.friction(v), own, rtol=1e-14)
    np.testing.assert_array_equal(robot.with_drives(np.eye(6)).friction(v), law.torque(v))
