"""From tables to a model: limits, friction, motors and rotors of a robot, and tools."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.errors import TableError


@together("name", oracles.NAMES)
def test_ranges_are_those_of_the_sources(name):
    """Lower and upper bounds in SI units, on the coupled angle where the arm has a
    parallelogram.
    """
    limits = irb.load(name).limits
    np.testing.assert_allclose(
        np.column_stack([limits.lower, limits.upper]), oracles.ranges(name), rtol=1e-15
    )
    expected = np.eye(len(limits.lower))
    if name in oracles.PARALLELOGRAM:
        expected[2, 1] = -1
    np.testing.assert_array_equal(limits.A, expected)
    assert limits.linear.tolist() == [row[4] for row in oracles.rows(name)]


@together("name", oracles.NAMES)
def test_effort_bounds_are_positive_and_say_that_they_are_assumed(name):
    """No torque limit is published: each is assumed, save the 930's push-down force of 250 N
    (S004).
    """
    limits = irb.load(name).limits
    assert (limits.effort > 0).all()
    assert limits.effort_assumed.tolist() == [not row[4] for row in oracles.rows(name)]
    if "930" in name:
        assert limits.effort[2] == 250.0


def test_known_and_assumed_ranges_and_speeds():
    """What has a source and what has none differ: the 930's speeds and half of its ranges are
    assumed.
    """
    known, scara = irb.load("irb2400").limits, irb.load("irb930").limits
    assert not known.range_assumed.any()
    assert not known.velocity_assumed.any()
    assert scara.range_assumed.tolist() == [True, False, False, True]
    assert scara.velocity_assumed.all()


@pytest.mark.parametrize(("reach", "ends"), [("120", (-63.0, 110.0)), ("145", (-90.0, 120.0))])
def test_axis_2_of_the_1600_has_one_edition(reach, ends):
    """That of ABB's product specification, whatever the payload; the others are named beside it."""
    for payload in (6, 10):
        limits = irb.describe(f"irb1600_{payload}_{reach}").limits
        row = limits.axes["axis_2"]
        source = limits.sources[row.source_of("range_deg")]
        assert row.range_deg == ends
        assert source.grade == "published"
        assert "3HAC023604-001 Rev AQ" in source.ref
        for other in ("data sheet of 2007 ends axis 2 at 136", "RobotComponents@8eaaf1a2 has -90"):
            assert other in str(source.how)


def test_speed_range_of_the_measurement_is_known():
    """Faster than 0.5 rad/s the law is extrapolation, and says so (S000 section 6)."""
    assert irb.load("irb2400").friction_model.measured_to == 0.5


def test_friction_of_a_linear_axis_is_in_newtons(copied):
    """A SCARA's axis 3 takes its friction in N and m/s; the others in N m and rad/s."""
    turning = "{Fs_N_m: 3, Fc_N_m: 2, Fv_N_m_s: 1, v_St_rad_s: 0.01, source: made}"
    sliding = "{Fs_N: 30, Fc_N: 20, Fv_N_s_m: 10, v_St_m_s: 0.02, source: made}"
    rows = "\n".join(f"      axis_{i}: {sliding if i == 3 else turning}" for i in range(1, 5))
    table = (
        "default: made\nsources: {made: {ref: made up, grade: assumed}}\nsets:\n  made:\n   "
        f" axes:\n{rows}\n"
    )
    folder = copied("irb930", "friction.yaml", "sources: {}\nsets: {}\n", table)
    robot = irb.load(folder / "irb930_12_105")
    np.testing.assert_allclose(robot.friction([0.5, -0.5, 0.4, 0]), [2.5, -2.5, 24.0, 0.0])
    q, v, a = oracles.states("irb930_12_105", 1)[0]
    added = robot.inverse_dynamics(q, v, a) - robot.inverse_dynamics(q, v, a, friction=False)
    np.testing.assert_allclose(added, robot.friction(v), atol=1e-12)


@pytest.mark.parametrize("static", [2, 3])
def test_a_table_needs_no_stribeck_speed_where_friction_does_not_fall(copied, static):
    """Rows with Fs = Fc may leave v_St out; others may not, and the message says so."""
    row = "{Fs_N_m: %d, Fc_N_m: 2, Fv_N_m_s: 1, source: made}"
    rows = "\n".join(f"      axis_{i}: {row % (static if i == 4 else 2)}" for i in range(1, 7))
    table = (
        "default: made\nsources: {made: {ref: made up, grade: assumed}}\nsets:\n  made:\n   "
        f" axes:\n{rows}\n"
    )
    folder = copied("irb1400", "friction.yaml", "sources: {}\nsets: {}\n", table)
    if static == 2:
        law = irb.load(folder / "irb1400").friction_model
        np.testing.assert_allclose(law.torque(np.full(6, -0.5)), np.full(6, -2.5))
    else:
        with pytest.raises(
            TableError, match=r"axis_4: a rotary axis needs Fs, Fc, Fv and, unless Fs = Fc, v_St"
        ):
            irb.load(folder / "irb1400")


def test_irb_1400_knows_its_first_motor_only():
    """S003: 118.461539 motor turns per turn of axis 1; what is unknown is NaN, never 0."""
    motors = irb.load("irb1400").motors
    assert motors.known.tolist() == [True, False, False, False, False, False]
    assert motors.position([1.0, 1, 1, 1, 1, 1])[0] == pytest.approx(118.461539, abs=1e-12)
    assert motors.torque(np.full(6, 118.461539))[0] == pytest.approx(1.0, abs=1e-12)
    for answer in (
        motors.position(np.ones(6)),
        motors.torque(np.ones(6)),
        motors.axis_torque(np.ones(6)),
    ):
        assert np.isnan(answer[1:]).all()
    assert not irb.load("irb2400").motors.known.any()


def test_rotors_of_the_table_warn_of_the_missing():
    """The 1400's table gives 5.9e-4 * 118.461539^2 on axis 1 and says whose are missing."""
    with pytest.warns(irb.PhysicsWarning, match="axis_2, axis_3, axis_4, axis_5, axis_6"):
        robot = irb.load("irb1400").with_rotors()
    np.testing.assert_allclose(robot.rotors, [5.9e-4 * 118.461539**2, 0, 0, 0, 0, 0], rtol=1e-12)


def test_a_table_may_couple_a_wrist(copied):
    """turned_by in drives.yaml: motor 5 turns -1.5 times per turn of axis 4."""
    folder = copied(
        "irb1400",
        "drives.yaml",
        "  axis_1:\n",
        """  axis_4: {gear_ratio: 80.0, source: norrlof1999}
  axis_5: {gear_ratio: 70.0, turned_by: {axis_4: -1.5}, source: norrlof1999}
  axis_1:
""",
    )
    np.testing.assert_allclose(
        irb.load(folder).motors.velocity([0, 0, 0, 2.0, 1.0, 0])[3:5], [160.0, 67.0]
    )


def test_spindle_is_tab_4_with_the_tcp_of_eq_69():
    """12.7 kg at (-38.3, 0, 129.3) mm, moments 0.269, 0.274, 0.193 kg m^2, TCP at (240, 0, 162) mm
    turned by Ry(90).
    """
    spindle = irb.load_tool("spindle")
    assert spindle.name == "spindle"
    assert spindle.grade == "identified"
    assert spindle.load.mass == 12.7
    np.testing.assert_allclose(spindle.load.com, [-0.0383, 0, 0.1293], rtol=1e-15)
    np.testing.assert_array_equal(spindle.load.tensor, np.diag([0.269, 0.274, 0.193]))
    np.testing.assert_allclose(spindle.tcp.homogeneous, oracles.SPINDLE_TCP, atol=1e-15)


def test_tool_of_a_file(tmp_path):
    """A tool table of one's own is read by its path, with roll, pitch and yaw as in URDF."""
    path = tmp_path / "gripper.yaml"
    path.write_text(
        "sources: {scale: {ref: weighed, grade: measured}}\n"
        "tcp: {xyz_mm: [1, 2, 3], rpy_deg: [30, 40, 50], source: scale}\n"
        "load: {mass_kg: 2.5, com_mm: [10, -20, 30], source: scale,\n"
        "       inertia_kg_m2: {xx: 0.02, yy: 0.03, zz: 0.025, xy: 0.001, xz: -0.002, yz: 0.003}}\n"
    )
    tool = irb.load_tool(path)
    roll, pitch, yaw = np.radians([30, 40, 50])
    expected = (
        oracles.shift(0.001, 0.002, 0.003)
        @ oracles.rotation(2, yaw)
        @ oracles.rotation(1, pitch)
        @ oracles.rotation(0, roll)
    )
    np.testing.assert_allclose(tool.tcp.homogeneous, expected, atol=1e-15)
    assert (tool.name, tool.source, tool.grade) == ("gripper", "weighed", "measured")
    np.testing.assert_array_equal(
        tool.load.tensor, [[0.02, 0.001, -0.002], [0.001, 0.03, 0.003], [-0.002, 0.003, 0.025]]
    )
    robot, q = irb.load("irb1600", tool=path), oracles.states("irb1600_6_120", 1)[0, 0]
    bare = irb.load("irb1600").pose(q, "tool0").homogeneous
    np.testing.assert_allclose(robot.pose(q).homogeneous, bare @ expected, atol=1e-14)
    assert irb.describe("irb1600").urdf(tool=path).count('<mass value="2.5"/>') == 1


def test_rpy_of_a_tool_may_be_left_out(tmp_path):
    """Without rpy_deg the TCP has the axes of tool0, in Python and in the URDF."""
    path = tmp_path / "pin.yaml"
    path.write_text(
        "sources: {here: {ref: drawn, grade: assumed}}\ntcp: {xyz_mm: [0, 0, 100], source: here}\n"
        "load: {mass_kg: 1, com_mm: [0, 0, 50], source: here,\n"
        "       inertia_kg_m2: {xx: 0.01, yy: 0.01, zz: 0.01, xy: 0, xz: 0, yz: 0}}\n"
    )
    np.testing.assert_array_equal(irb.load_tool(path).tcp.rotation, np.eye(3))
    assert 'xyz="0.0 0.0 0.1"' in irb.describe("irb1600").urdf(tool=path)


def test_impossible_load_is_refused(tmp_path):
    """A tool that no body can be names file, row and reason."""
    path = tmp_path / "magic.yaml"
    path.write_text(
        "sources: {here: {ref: drawn, grade: assumed}}\ntcp: {xyz_mm: [0, 0, 100], source: here}\n"
        "load: {mass_kg: 1, com_mm: [0, 0, 50], source: here,\n"
        "       inertia_kg_m2: {xx: 0.01, yy: 0.01, zz: 0.05, xy: 0, xz: 0, yz: 0}}\n"
    )
    with pytest.raises(irb.TableError, match=r"magic\.yaml: load: .*triangle inequality"):
        irb.load_tool(path)


def test_a_load_without_moments_is_a_point_mass(tmp_path):
    """As payload() and RAPID take it; a mass below zero is none, and the URDF with it is the robot
    with it.
    """
    path = tmp_path / "pin.yaml"
    text = (
        "sources: {here: {ref: drawn, grade: assumed}}\ntcp: {xyz_mm: [0, 0, 100], source: here}\n"
        "load: {mass_kg: 0.5, com_mm: [10, 0, 50], source: here,\n"
        "       inertia_kg_m2: {xx: 0, yy: 0, zz: 0, xy: 0, xz: 0, yz: 0}}\n"
    )
    path.write_text(text)
    tool, q = irb.load_tool(path), np.full(6, 0.3)
    assert (tool.load.mass, tool.load.tensor.any()) == (0.5, False)
    in_code = irb.load(
        "irb1600", tool=irb.Tool("pin", tool.tcp, irb.payload(0.5, [0.01, 0.0, 0.05]))
    )
    np.testing.assert_allclose(
        irb.load("irb1600", tool=path).gravity(q), in_code.gravity(q), rtol=1e-12
    )
    (tmp_path / "a.urdf").write_text(irb.describe("irb1600").urdf(tool=path))
    np.testing.assert_allclose(
        irb.from_urdf(tmp_path / "a.urdf").gravity(q), in_code.gravity(q), rtol=1e-9
    )
    path.write_text(text.replace("mass_kg: 0.5", "mass_kg: -0.5"))
    with pytest.raises(irb.TableError, match="load: mass"):
        irb.load_tool(path)


def test_a_table_in_metres_is_doubted_and_one_in_micrometres_refused(tmp_path):
    """Numbers of a table are mm: a tool within 3 mm of the flange is warned of, one of 100 m names
    the table.
    """
    path = tmp_path / "pin.yaml"
    text = (
        "sources: {here: {ref: drawn, grade: assumed}}\ntcp: {xyz_mm: [0, 0, TCP], source: here}\n"
        "load: {mass_kg: 1, com_mm: [0, 0, COM], source: here,\n"
        "       inertia_kg_m2: {xx: 0.01, yy: 0.01, zz: 0.01, xy: 0, xz: 0, yz: 0}}\n"
    )
    path.write_text(text.replace("TCP", "0.2").replace("COM", "0.1"))
    with pytest.warns(
        irb.PhysicsWarning,
        match=r"pin\.yaml: TCP and centre of mass are within 3 mm of the flange: .* mm, not m",
    ):
        irb.load_tool(path)
    path.write_text(text.replace("TCP", "200000").replace("COM", "50"))
    with pytest.raises(
        irb.TableError, match=r"pin\.yaml: tcp of tool 'pin' is 200 m from the flange"
    ):
        irb.load_tool(path)
    path.write_text(text.replace("TCP", "0").replace("COM", "0"))
    assert irb.load_tool(path).load.mass == 1.0
    path.write_text(text.replace("TCP", "0").replace("COM", "50"))
    assert irb.load_tool(path).load.mass == 1.0


@pytest.mark.parametrize(
    ("name", "problem"),
    [("spindel", "did you mean 'spindle'"), ("nowhere.yaml", "no tool file 'nowhere.yaml'")],
)
def test_unknown_tool_names_the_known_ones(name, problem):
    """A misspelt tool is told the nearest name; a missing file its path."""
    with pytest.raises(irb.UnknownName, match=problem):
        irb.load_tool(name)
    with pytest.raises(irb.UnknownName, match=problem):
        irb.load("irb2400", tool=name)
