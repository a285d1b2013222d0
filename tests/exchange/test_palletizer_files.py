"""Files of palletizers with masses, of arms and of bars, in other tools; what a sheet must not say."""

import numpy as np
import pytest
import yaml

import irbmodels as irb
from irbmodels.exchange.verify.check import check
from irbmodels.exchange.verify.exports import proven, verify
from irbmodels.exchange.write.tables import TABLE_FORMATS, tables, tables_text
from irbmodels.identification.excitation import Bounds
from irbmodels.identification.excitation.bounds import MotionLimits
from irbmodels.identification.excitation.parametrizations import Fourier
from irbmodels.identification.excitation.problem import ExcitationProblem
from irbmodels.identification.excitation.regressor import BaseRegressor
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.robot.collision import random_postures
from irbmodels.tables.datasheet import datasheet_path
from irbmodels.tables.description import LEVEL_BARS

BARS = ("link_crank", "link_rod", *LEVEL_BARS)


@pytest.fixture(scope="module")
def heavy(tmp_path_factory):
    """Folder of an IRB 760 at 2300 kg, a number of no known source."""
    folder = tmp_path_factory.mktemp("palletizer")
    sheet = yaml.safe_load(datasheet_path("irb760").read_text(encoding="utf-8"))
    sheet["ratings"]["mass_kg"], sheet["ratings"]["source"]["mass_kg"] = 2300, "catalogue"
    (folder / "sheet.yaml").write_text(yaml.safe_dump(sheet), encoding="utf-8")
    return irb.new_robot("heavy", folder=folder / "heavy", datasheet=folder / "sheet.yaml")


def test_both_derivations_and_engines_agree(heavy):
    """Torques of arm and bars by Euler-Lagrange and Newton-Euler, and by what is installed."""
    robot = irb.load(heavy)
    assert sum(row.mass_kg for row in robot.description.inertials.sets["cad"].links.values()) == (
        pytest.approx(2300.0, abs=1e-3)
    )
    agreements = check(robot)
    assert {one.against for one in agreements} >= {"Newton-Euler", "Euler-Lagrange", "MDH product"}
    for one in agreements:
        assert not one.difference > one.tolerance, one


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("to", ["urdf", "sdf", "mjcf"])
def test_exports_agree(heavy, tmp_path, to, light):
    """Poses and torques of files; bars without data weigh nothing in the motion of the arm."""
    if light:
        path = heavy / "inertials.yaml"
        text = path.read_text(encoding="utf-8")
        table = yaml.safe_load(text)
        for bar in BARS:
            del table["sets"]["cad"]["links"][bar]
        path.write_text(yaml.safe_dump(table), encoding="utf-8")
    try:
        robot = irb.load(heavy)
        assert ("link_rod" in robot.description.inertials.sets["cad"].links) != light
        verdicts = verify(robot, to, irb.export(robot, to, tmp_path / "out")[0])
        assert proven(verdicts), verdicts
    finally:
        if light:
            path.write_text(text, encoding="utf-8")


def test_an_mjcf_comes_back(heavy, tmp_path):
    """Poses, torques and bounds, q3 - q2 among them, of what was written."""
    pytest.importorskip("mujoco")
    robot = irb.load(heavy)
    back = irb.from_file(irb.export(robot, "mjcf", tmp_path / "out")[0])
    q, v, a = np.random.default_rng(2).uniform(-0.3, 0.3, (3, 4))
    np.testing.assert_allclose(back.pose(q).homogeneous, robot.pose(q).homogeneous, atol=1e-12)
    tau = robot.inverse_dynamics(q, v, a, friction=False)
    again = back.inverse_dynamics(q, v, a, friction=False)
    np.testing.assert_allclose(again, tau, atol=1e-9)  # of 4000 N m
    for rows in ("A", "lower", "upper"):
        np.testing.assert_allclose(getattr(back.limits, rows), getattr(robot.limits, rows))


def test_bars_are_of_the_only_tree(heavy):
    """No open chain keeps level; a set with bars stands alone."""
    with pytest.raises(irb.UnknownName, match="coupling"):
        irb.load(heavy, coupling="serial")
    robot = irb.load(heavy)
    with pytest.raises(irb.MissingData, match="keep its tool level"):
        robot.reactions(np.zeros(4), np.zeros(4), np.zeros(4))


def test_kernels_are_the_reference(heavy):
    """Machine code of arrays of states, and Pinocchio one by one."""
    pytest.importorskip("llvmlite")
    robot, rng = irb.load(heavy), np.random.default_rng(1)
    q = np.array(list(random_postures(robot.limits, 100, seed=1)))
    v, a = rng.normal(size=(2, *q.shape))
    kernels = robot.compiled(friction=False)
    states = zip(q, v, a, strict=True)
    torque = np.array([robot.inverse_dynamics(*state, friction=False) for state in states])
    np.testing.assert_allclose(kernels.inverse_dynamics(q.T, v.T, a.T).T, torque, atol=1e-9)
    np.testing.assert_allclose(kernels.forward_dynamics(q.T, v.T, torque.T).T, a, atol=1e-9)
    mass = np.array([robot.mass_matrix(one) for one in q])
    np.testing.assert_allclose(np.moveaxis(kernels.mass_matrix(q.T), -1, 0), mass, atol=1e-9)
    poses = np.array([robot.pose(one).homogeneous for one in q])
    np.testing.assert_allclose(np.moveaxis(kernels.pose(q.T), -1, 0), poses, atol=1e-12)


def test_tables_name_what_turns_the_passive_joint():
    """Every format is written; DH rows cite lengths, and no lever of a rod."""
    robot = irb.load("irb660")
    for fmt in TABLE_FORMATS:
        assert tables_text(robot, fmt)
    mdh, dh, *_ = tables(robot, ["mdh", "dh"])
    for table, last in ((mdh, [""]), (dh, [])):
        turned = [row[table.columns.index("variable")] for row in table.rows]
        assert turned == ["q1", "q2", "q3 - q2", "- q3", "q4", *last]
        assert "rods" not in str(table.rows)


def test_excitation_keeps_the_bound_between_both_arms(heavy):
    """Random motions go up to a range or the bound of q3 - q2, and not beyond."""
    robot = irb.load(heavy)
    base = base_parameters(robot, friction=False)
    limits = MotionLimits(robot, Bounds(collision=False))
    problem = ExcitationProblem(
        Fourier(3, 10.0), base, BaseRegressor(robot, base), limits, limits.middle
    )
    for seed in range(5):
        x = problem.random_start(np.random.default_rng(seed))
        q, _, _ = problem.states(x, problem.fine)
        assert robot.limits.in_range(q).all()
        used = np.ptp(np.concatenate([q, q[:, 2:3] - q[:, 1:2]], axis=1), axis=0)
        assert (used / np.ptp([robot.limits.lower, robot.limits.upper], axis=0)).max() > 0.5


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("level_mm: 450,", "", "lengths.level_mm: missing: a palletizer arm needs it"),
        ("level_mm: 450,", "level_mm: 0,", "lengths.level_mm: 0 is not positive"),
        ("crank_mm: 500,", "crank_mm: 500, d4_mm: 3,", "a palletizer arm has no such length"),
        ("bound_of: q3 - q2, bound_deg: [-70, 70], ", "", "axes.axis_3.range_of: missing"),
        ("level_mm: 450,", "level_mm: 90,", "no lever of a parallelogram whose lower arm has 1280"),
        ("crank_mm: 500,", "crank_mm: 1300,", "no lever of a parallelogram whose lower arm has"),
        (
            "bound_deg: [-70, 70]",
            "bound_deg: [200, 260]",
            "leaves no posture: ranges of axes 2 and",
        ),
        (
            "variants:",
            "zero: {theta0_deg: [0, -90, 90, 90], source: ranges}\nvariants:",
            "zero: a pa",
        ),
        ("a3_mm: 1350", "a3_mm: 1250", "give 3081.6 mm: one of them is wrong"),
        ("axis_4:", "axis_6:", "axes.axis_4: missing: a palletizer arm has axis_1"),
    ],
)
def test_a_sheet_that_is_wrong_is_refused_by_key(tmp_path, old, new, problem):
    """One line with the key."""
    text = datasheet_path("irb760").read_text(encoding="utf-8")
    assert old in text
    text = text.replace(old, new, 1)
    if "bound_of" in old:
        text = text.replace(", bound_deg: coupling", "")
    if old.startswith("level_mm") and not new:
        text = text.replace(", level_mm: rods", "")
    if "d4_mm" in new:
        text = text.replace("crank_mm: rods", "crank_mm: rods, d4_mm: rods")
    path = tmp_path / "irb760.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(irb.TableError, match=r"irb760\.yaml") as err:
        irb.new_robot("wrong", folder=tmp_path / "wrong", datasheet=path)
    assert problem in str(err.value)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"alpha_deg": 1}, "level: needs alpha_deg 0 and d_mm 0"),
        (
            {"theta0_deg": 2},
            "level.theta0_deg: those of joint_2, joint_3 and level add up to 2, not 0",
        ),
        ({"upper_pin_mm": [0, 0]}, "level.upper_pin_mm: a rod of no parallelogram"),
    ],
)
def test_a_level_row_that_is_wrong_is_refused(heavy, tmp_path, row, problem):
    """Of kinematics.yaml, in one line."""
    table = yaml.safe_load((heavy / "kinematics.yaml").read_text(encoding="utf-8"))
    table["level"] |= row
    for name in ("limits", "inertials", "shapes"):
        text = (heavy / f"{name}.yaml").read_text(encoding="utf-8")
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "kinematics.yaml").write_text(yaml.safe_dump(table), encoding="utf-8")
    with pytest.raises(irb.TableError) as err:
        irb.load(tmp_path)
    assert problem in str(err.value)
