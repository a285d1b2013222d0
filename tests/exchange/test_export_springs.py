"""Springs in exported files: forces that MuJoCo computes, and notes on what a format leaves out."""

import mujoco
import numpy as np
import pytest
import yaml

import irbmodels as irb
from irbmodels.exchange.verify.check import check
from irbmodels.exchange.verify.exports import verify
from irbmodels.exchange.write import Options, export
from irbmodels.model import axis_springs
from irbmodels.tables.schema import SpringRow
from irbmodels.tables.spring_rows import spring_of

OFFSETS = (irb.TorqueOffset(1, -4.0), irb.TorqueOffset(3, 2.5), irb.TorqueOffset(3, 1.0))
TORSION = (
    irb.TorsionSpring(1, 300.0, 0.2),
    irb.TorsionSpring(3, 200.0, -0.4),
    irb.TorsionSpring(3, 100.0, 0.1),
)
COILS = (
    irb.CoilSpring(2, before=(-0.35, -0.3), after=(0.3, 0.05), length=0.3, F0=4e3, k=3e3),
    irb.CoilSpring(2, before=(-0.3, 0.1), after=(0.2, -0.1), length=0.5, F0=900.0, k=2e3),
    irb.CoilSpring(5, before=(0.1, 0.2), after=(-0.1, 0.05), length=0.2, F0=50.0, k=100.0),
)
GAS = irb.GasSpring(
    2, before=(-0.02, -0.8), after=(0.2, 0.0), length=0.6, F0=3e3, column=0.58, exponent=1.0
)
OWN = """<robot name="own"><link name="base"/><link name="post"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="arm">
<inertial><origin xyz="0.5 0.1 0"/><mass value="4"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
ixz="0" iyz="0"/></inertial></link><joint name="turn" type="revolute"><origin xyz="0.1 0.2 0.3"
rpy="0.3 -0.5 0.7"/><parent link="base"/><child link="post"/><axis xyz="0.6 0.0 0.8"/><limit
lower="-1" upper="1" effort="900" velocity="9"/></joint><joint name="tilt" type="revolute"><origin
xyz="0.2 -0.1 0.4" rpy="-0.2 0.9 0.1"/><parent link="post"/><child link="arm"/><axis xyz="0 -1
0"/><limit lower="-1" upper="1" effort="900" velocity="9"/></joint></robot>"""


def own_arm(tmp_path):
    """An arm whose axes are along no axis of a frame."""
    file = tmp_path / "own.urdf"
    file.write_text(OWN)
    return irb.from_urdf(file)


def in_mujoco(robot, folder):
    """Return a robot's MJCF as a model without constraints, and the text of the file."""
    (file, *_) = export(robot, "mjcf", folder, Options())
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.actuator_ctrllimited[:] = model.actuator_forcelimited[:] = 0
    assert model.nu == robot.n
    return model, file.read_text()


def left_over(robot, model, q):
    """Return what motors at the robot's gravity torque, springs and weight leave, on its axes."""
    data = mujoco.MjData(model)
    rows = dict(zip(robot.axes, robot.limits.A, strict=True))
    rows |= {"joint_crank": np.eye(6)[2], "joint_rod": np.eye(6)[1] - np.eye(6)[2]}
    maps = np.array([rows[model.joint(i).name][: robot.n] for i in range(model.njnt)])
    data.qpos[:] = maps @ q
    data.ctrl[:] = robot.gravity(q)
    mujoco.mj_forward(model, data)
    return maps.T @ (data.qfrc_bias - data.qfrc_passive - data.qfrc_actuator)


@pytest.mark.parametrize("name", ["irb2400", "irb1600", "own"])
def test_mujoco_computes_the_same_torques(name, tmp_path):
    """Offsets, torsion springs (of the tendon of a parallelogram's axis 3 too) and coils between
    two bodies: at rest under the robot's own gravity torque nothing is left, to 1e-9 of a
    thousand N m.
    """
    rng = np.random.default_rng(1)
    if name == "own":
        coil = irb.CoilSpring(2, before=(0.3, 0.5), after=(-0.2, 0.4), length=0.2, F0=90.0, k=70.0)
        robot = own_arm(tmp_path).with_springs([coil, *OFFSETS[:1], *TORSION[:1]])
    else:
        robot = irb.load(name).with_springs((*OFFSETS, *TORSION, *COILS))
    q = rng.uniform(-0.5, 0.5, robot.n)
    assert np.abs(robot.gravity(q) - robot.with_springs(None).gravity(q)).max() > 10.0
    model, text = in_mujoco(robot, tmp_path)
    left = left_over(robot, model, q)
    np.testing.assert_allclose(left, 0.0, atol=1e-9)
    assert "LEFT OUT" not in text


def test_controls_of_the_home_posture_hold_it(tmp_path):
    """The key frame's controls are the torques of the springs that are in the file."""
    robot = irb.load("irb1600").with_springs((*OFFSETS, *COILS))
    (file, *_) = export(robot, "mjcf", tmp_path, Options())
    model = mujoco.MjModel.from_xml_path(str(file))
    q = np.clip(np.zeros(6), *robot.limits.envelope())
    np.testing.assert_allclose(model.key_ctrl[0], robot.gravity(q), atol=1e-9)
    effort, offset = robot.limits.effort[0], OFFSETS[0].offset
    assert model.actuator("axis_1").forcerange.tolist() == [-effort - offset, effort - offset]
    assert model.actuator("axis_1").ctrlrange.tolist() == [-effort, effort]


def test_what_mjcf_has_not_is_named(tmp_path):
    """Constant pulls, and coils and gas at an axis that several joints turn."""
    constant = irb.CoilSpring(2, (-0.35, -0.3), (0.3, 0.05), length=0.3, F0=4e3, k=0.0)
    elbow = irb.CoilSpring(3, (-0.35, -0.3), (0.3, 0.05), length=0.3, F0=4e3, k=3e3)
    gas = irb.GasSpring(3, (-0.02, -0.8), (0.2, 0.0), 0.6, 3e3, column=0.58, exponent=1.0)
    robot = irb.load("irb2400").with_springs((gas, constant, elbow))
    (file, *_) = export(robot, "mjcf", tmp_path, Options())
    text = file.read_text()
    assert text.count("LEFT OUT, MJCF has no such spring") == 3
    assert "GasSpring(axis=3" in text
    assert "<spatial" not in text


STRUT = irb.GasSpring(
    2, before=(-0.6793, 0.1415), after=(0.1217, -0.0284), length=0.82, F0=-2e4, column=-0.5,
    exponent=1.3,
)  # fmt: skip


@pytest.mark.parametrize(("gas", "share"), [(GAS, 0.01), (STRUT, 0.002)])
def test_gas_is_a_tendon_of_cubic_force_and_of_a_stated_error(gas, share, tmp_path):
    """MuJoCo holds axis 2 with the torque of the robot to the error that the file states, which is
    reached, over the whole range; a strut that pushes keeps its sign.
    """
    robot = irb.load("irb140").with_springs([gas])
    low, high = (float(end[1]) for end in robot.limits.envelope())
    model, text = in_mujoco(robot, tmp_path)
    q2 = np.linspace(low, high, 91)
    left = np.array([left_over(robot, model, np.eye(6)[1] * angle) for angle in q2])
    np.testing.assert_allclose(np.delete(left, 1, axis=1), 0.0, atol=1e-9)
    worst = np.abs(left[:, 1]).max()
    stated = float(text.partition("differs by at most ")[2].partition(" N m")[0])
    assert 0.98 * stated < worst < 1.01 * stated
    assert worst < share * np.abs(gas.torque(q2)).max()
    cubic = gas.torque(q2) + left[:, 1]  # no stronger or weaker one would be nearer
    assert abs(cubic @ left[:, 1]) < 0.02 * np.linalg.norm(cubic) * np.linalg.norm(left[:, 1])
    assert "has since 3.7" in text


def test_a_free_length_of_minus_one_metre_is_kept(tmp_path):
    """MuJoCo takes -1 for "as at the start"; a strong preload may lead there."""
    coil = irb.CoilSpring(2, (-0.35, -0.3), (0.3, 0.05), length=0.25, F0=1250.0, k=1000.0)
    robot = irb.load("irb1600").with_springs([coil])
    left = left_over(robot, in_mujoco(robot, tmp_path)[0], np.full(6, 0.2))
    np.testing.assert_allclose(left, 0.0, atol=1e-9)


@pytest.mark.parametrize("to", ["urdf", "sdf", "ros2"])
def test_formats_without_springs_say_so(to, tmp_path):
    """A warning, and a line in the file, with axis and numbers of each."""
    robot = irb.load("irb2400").with_springs((*OFFSETS[:1], GAS))
    with pytest.warns(irb.PhysicsWarning, match=r"TorqueOffset\(axis=1, offset=-4.0\); GasSpring"):
        files = export(robot, to, tmp_path, Options())
    if to == "ros2":
        text = next(tmp_path.rglob("README.md")).read_text()
        assert "Gravity, springs" in text
    else:
        assert "Springs are left out" in files[0].read_text()
    (side_car,) = tmp_path.rglob("*_springs.yaml")
    rows = yaml.safe_load(side_car.read_text())["elements"]
    axes, linear = robot.description.axes, robot.description.linear
    read = [spring_of(SpringRow(**row), axes, linear) for row in rows.values()]
    assert [type(one) for one in read] == [irb.TorqueOffset, irb.GasSpring]
    for one, own in zip(read, robot.springs, strict=True):
        assert float(one.torque(0.3)) == pytest.approx(float(own.torque(0.3)), rel=1e-12)
        if to == "sdf":
            (verdict,) = verify(robot, to, files[0])
            assert verdict.outcome in ("agrees", "not installed")


@pytest.mark.parametrize("to", ["urdf", "mjcf", "sdf"])
def test_files_name_springs_of_unknown_force(to, tmp_path, recwarn):
    """A comment with part, axis and numbers, and no table of what is not known."""
    files = export(irb.load("irb1400"), to, tmp_path, Options())
    text = files[0].read_text()
    assert "No torque holds the balancing springs of axis 2, of which before_mm, after_mm" in text
    assert not list(tmp_path.rglob("*springs.yaml"))
    assert not [one for one in recwarn if "spring" in str(one.message)]


def test_check_holds_springs_to_their_energy(monkeypatch):
    """``irbmodels check`` compares bodies with other derivations, springs with differences of their
    energy.
    """
    monkeypatch.setattr("irbmodels.exchange.verify.check.PEERS", ())
    robot = irb.load("irb2400").with_springs((*OFFSETS, *TORSION, *COILS, GAS))
    agreements = check(robot)
    assert agreements[0].quantity == "torque of springs"
    assert all(one.difference <= one.tolerance for one in agreements)
    torque = axis_springs.torque
    monkeypatch.setattr(axis_springs, "torque", lambda *args: 1.001 * torque(*args))
    assert not check(robot)[0].holds
