"""Robots read from URDF, MJCF and SDF: saved and loaded they are the same, and other programs agree
on files written by hand.
"""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import oracles
import pinocchio as pin
import pytest
import shipped
from drives import COUPLED, every_term

import irbmodels as irb
from irbmodels.exchange.read.from_file import from_file
from irbmodels.exchange.urdf_parts import set_origin
from irbmodels.exchange.write import Options, export

SDF = """<?xml version="1.0"?><sdf version="1.11"><world name="w"><gravity>0.5 0 -9.8</gravity>
<model name="hand"><pose>1 2 3 0.2 0.3 0.4</pose>
  <joint name="stand" type="fixed"><parent>world</parent><child>mark</child></joint>
  <frame name="mark" attached_to="base"><pose>0.1 0 0 0 0.5 0</pose></frame>
  <link name="base"><pose>0 0 0.2 0 0 0.7</pose></link>
  <link name="upper"><pose relative_to="base" degrees="true">0.1 0.2 0.5 30 20 10</pose>
    <inertial><pose>0.1 0.02 0.03 0.3 0.2 0.1</pose><mass>3</mass>
      <inertia><ixx>0.3</ixx><iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy></inertia></inertial></link>
  <joint name="lift" type="revolute"><pose relative_to="mark">0 0.3 0.1 0.1 0.2 0.3</pose>
    <parent>mark</parent><child>upper</child><axis><xyz expressed_in="base">0 1 1</xyz>
      <limit><lower>-1</lower><upper>2</upper><effort>50</effort><velocity>3</velocity></limit></axis></joint>
  <link name="ram"><pose relative_to="push" rotation_format="quat_xyzw">0 0 0.3 0 0 0.6 0.8</pose>
    <inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
  <joint name="push" type="prismatic"><pose relative_to="upper">0.2 0 0 0 0 0.4</pose><parent>upper</parent><child>ram</child>
    <axis><xyz>1 0 0</xyz><limit><effort>-1</effort></limit>
      <mimic joint="lift"><multiplier>0.5</multiplier><offset>0.1</offset><reference>0.2</reference></mimic></axis></joint>
  <joint name="spin" type="continuous"><parent>ram</parent><child>tool</child><axis><xyz>0 0 2</xyz></axis></joint>
  <link name="tool"><pose relative_to="ram">0.1 0 0 0 0 0</pose></link>
  <frame name="tip" attached_to="spin"><pose>0 0 0.4 0 0.1 0</pose></frame>
</model></world></sdf>"""

MJCF = """<mujoco model="hand"><compiler angle="degree" autolimits="true"/><option gravity="0.5 0 -9.8"/>
<default><joint armature="0.02"/></default>
<worldbody><body name="stand" pos="0 0 1" euler="0 0 30"><geom size="0.1" contype="0" conaffinity="0"/>
  <body name="shoulder" pos="0.1 0 0.2" euler="10 20 30">
    <joint name="pan" axis="0 0 1" pos="0.1 0.2 0" range="-90 120" actuatorfrcrange="-50 40"/>
    <joint name="tilt" axis="0 1 1" pos="0 0.1 0.3" ref="20"/>
    <inertial pos="0.1 0.02 0.03" mass="3" fullinertia="0.3 0.2 0.25 0.01 0.02 0.03"/>
    <body name="slider" pos="0.3 0 0"><joint name="slide" type="slide" axis="1 0 0" ref="0.1" range="-0.5 0.5" armature="0.3"/>
      <inertial pos="0 0.1 0" mass="2" diaginertia="0.1 0.2 0.15" euler="0 40 0"/>
      <body name="roll"><joint name="roll" axis="1 0 0"/><inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.1 0.1"/>
        <site name="tip" pos="0 0 0.4" euler="0 15 0"/></body></body></body></body></worldbody>
<equality><joint joint1="slide" joint2="tilt" polycoef="0.03 0.5 0 0 0"/></equality>
<actuator><motor joint="roll" gear="20" forcerange="-2 3"/></actuator></mujoco>"""


def close(value, expected):
    np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(("attribute", "height"), [("", 0.6), (' canonical_link="high"', -0.6)])
def test_the_model_s_frame_belongs_to_its_canonical_link(attribute, height, tmp_path):
    """The first link unless another is named (SDF 1.11, canonical_link): the arm stands on the one
    that the world holds by a frame of the model.
    """
    inertial = "<inertial><mass>1</mass></inertial>"
    text = f"""<sdf version="1.11"><model name="two"{attribute}><frame name="mark"/>
<joint name="stand" type="fixed"><parent>world</parent><child>mark</child></joint>
<link name="low">{inertial}</link><link name="high"><pose>0 0 0.6 0 0 0</pose>{inertial}</link>
<joint name="turn" type="revolute"><parent>low</parent><child>high</child>
<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
</model></sdf>"""
    if attribute:
        text = text.replace("<parent>low</parent><child>high", "<parent>high</parent><child>low")
    (tmp_path / "two.sdf").write_text(text)
    robot = from_file(tmp_path / "two.sdf")
    base, moved = ("high", "low") if attribute else ("low", "high")
    np.testing.assert_array_equal(robot.pose([0.3], base).homogeneous, np.eye(4))
    assert robot.pose([0.0], moved).translation[2] == pytest.approx(height)
    turned = robot.pose([0.3], moved).rotation
    np.testing.assert_allclose(turned, pin.rpy.rpyToMatrix(0.3, 0.0, 0.0), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "to"),
    [
        *((name, to) for name in shipped.EXAMPLES for to in ("urdf", "mjcf")),
        *((name, "sdf") for name in oracles.NAMES),  # Drake reads those of the other families
    ],
)
def test_saved_and_loaded_is_the_same(name, to, tmp_path):
    """Poses, mass matrix, torques, gravity and limits come back to 1e-12; carriers weigh nothing
    again.
    """
    if to == "mjcf":
        pytest.importorskip("mujoco")
    robot = irb.load(name, tool="spindle" if name.startswith("irb2400") else None)
    options = Options(
        meshes="relative" if to == "mjcf" else "absolute", carrier_kg=0.0 if to == "urdf" else None
    )
    path = export(robot, to, tmp_path, options)[0]
    back = from_file(path)
    if to == "mjcf" and robot.friction_model is not None:
        law, v = robot.friction_model, np.random.default_rng(5).normal(size=(20, robot.n))
        known = robot.with_friction(replace(law, Fs=law.Fc))  # MuJoCo has no Stribeck peak
        close(back.friction(v), known.friction(v))
    assert back.axes == robot.axes
    for q, v, a in np.random.default_rng(3).uniform(-0.3, 0.3, (2, 3, robot.n)):
        close(back.pose(q).homogeneous, robot.pose(q).homogeneous)
        for frame in {"link_3", "link_crank", "link_rod"} & set(robot.frames):
            close(back.pose(q, frame).homogeneous, robot.pose(q, frame).homogeneous)
        close(back.mass_matrix(q), robot.mass_matrix(q))
        close(back.gravity(q), robot.gravity(q))
        close(
            back.inverse_dynamics(q, v, a, friction=False),
            robot.inverse_dynamics(q, v, a, friction=False),
        )
    ours = robot.limits
    if to == "mjcf":  # bounds of sums too
        np.testing.assert_array_equal(back.limits.A, ours.A)
        low, high = ours.lower, ours.upper
    else:
        low, high = ours.envelope()
    np.testing.assert_allclose(back.limits.lower, low, rtol=1e-12)
    np.testing.assert_allclose(back.limits.upper, high, rtol=1e-12)
    np.testing.assert_allclose(back.limits.effort, ours.effort, rtol=1e-12)
    if to != "mjcf":  # which has no speeds
        np.testing.assert_allclose(back.limits.velocity, ours.velocity, rtol=1e-12)


def test_sdf_by_hand_agrees_with_drake(tmp_path):
    """Frames of frames, links off their joints, axes of another frame, degrees, quaternions: Drake
    places all of it alike.
    """
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    path = tmp_path / "hand.sdf"
    path.write_text(SDF, encoding="utf-8")
    robot = from_file(path)
    assert robot.axes == ("lift", "spin")
    G, q0 = robot.coupling
    np.testing.assert_allclose(G, [[1, 0], [0.5, 0], [0, 1]], atol=1e-15)
    np.testing.assert_allclose(q0, [0, 0, 0], atol=1e-15)  # 0.1 - 0.5 * 0.2
    np.testing.assert_allclose([robot.limits.lower[0], robot.limits.upper[0]], [-1, 2])
    np.testing.assert_allclose(robot.limits.velocity, [3, np.inf])
    np.testing.assert_allclose(robot.limits.effort, [50, np.inf])
    plant = MultibodyPlant(1e-3)
    plant.mutable_gravity_field().set_gravity_vector([0.5, 0, -9.8])
    parsing.Parser(plant).AddModels(str(path))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    names = plant.GetPositionNames(add_model_instance_prefix=False, always_add_suffix=False)
    rows = [("lift", "push", "spin").index(name) for name in names]
    q, v, a = np.array([[0.4, -0.7], [0.5, 0.6], [-0.3, 0.2]])
    plant.SetPositions(context, (G @ q)[rows])
    plant.SetVelocities(context, (G @ v)[rows])
    base = plant.GetFrameByName("base").CalcPoseInWorld(context).GetAsMatrix4()
    for frame in ("mark", "upper", "ram", "tool", "tip"):
        pose = plant.GetFrameByName(frame).CalcPoseInWorld(context).GetAsMatrix4()
        close(base @ robot.pose(q, frame).homogeneous, pose)
        close(robot.pose(q, frame, reference="world").homogeneous, pose)
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    close(
        robot.inverse_dynamics(q, v, a, friction=False),
        G[rows].T @ plant.CalcInverseDynamics(context, (G @ a)[rows], forces),
    )


def test_models_that_move_in_the_world(tmp_path):
    """Where joints carry links in the world itself, or hold two of them, the world is the root; a
    link of that name is a link.
    """
    links = "".join(
        f'<link name="{name}"><pose>{x} 0 0 0 0 0</pose></link>' for x, name in enumerate("ab")
    )
    joints = JOINT.format("revolute", "world", "a") + JOINT.format("fixed", "world", "b").replace(
        '"j"', '"k"'
    )
    for model in (links + joints, '<link name="world"/>' + links + joints):
        path = tmp_path / "m.sdf"
        path.write_text(
            f'<sdf><model name="m"><pose>0 0 5 0 0 0</pose>{model}</model></sdf>', encoding="utf-8"
        )
        robot = from_file(path)
        assert {"world", "a", "b"} <= set(robot.frames)
        height = 5.0 if model.startswith('<link name="a"') else 0.0
        np.testing.assert_allclose(robot.pose([0.3], "b").translation, [1, 0, height], atol=1e-15)


def test_mjcf_by_hand_agrees_with_mujoco(tmp_path):
    """Two joints of one body off its origin, references, an equality, armature, tensors: MuJoCo
    itself computes the same.
    """
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "hand.xml"
    path.write_text(MJCF, encoding="utf-8")
    robot = from_file(path)
    assert robot.axes == ("pan", "tilt", "roll")
    G, q0 = robot.coupling
    np.testing.assert_allclose(G, [[1, 0, 0], [0, 1, 0], [0, 0.5, 0], [0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(q0, [0, 0, 0.1 + 0.03 - 0.5 * np.radians(20.0), 0], atol=1e-15)
    np.testing.assert_allclose(robot.limits.effort, [50, np.inf, 60])
    np.testing.assert_allclose(
        [robot.limits.lower[0], robot.limits.upper[0]], np.radians([-90, 120]), rtol=1e-15
    )
    np.testing.assert_allclose(robot.rotors, [0.02, 0.02 + 0.3 * 0.25, 0.02], rtol=1e-12)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_EQUALITY | mujoco.mjtDisableBit.mjDSBL_LIMIT
    )
    data = mujoco.MjData(model)
    q, v, a = np.random.default_rng(4).uniform(-0.4, 0.4, (3, 3))
    data.qpos[:], data.qvel[:], data.qacc[:] = G @ q + q0, G @ v, G @ a
    mujoco.mj_inverse(model, data)
    for name in ("stand", "shoulder", "slider", "roll"):
        pose, body = robot.pose(q, name), data.body(name)
        close(pose.translation, body.xpos)
        close(pose.rotation, body.xmat.reshape(3, 3))
    close(robot.pose(q, "tip").translation, data.site("tip").xpos)
    close(robot.inverse_dynamics(q, v, a, friction=False), G.T @ data.qfrc_inverse)


def test_rotors_on_tendons_come_back(tmp_path):
    """The rotor of axis 3 of a parallelogram turns with q3, not with a joint of the open chain: M
    has it where it belongs.
    """
    pytest.importorskip("mujoco")
    robot = irb.load("irb2400").with_rotors([10.0, 8.0, 6.0, 1.0, 0.5, 0.2])
    back = from_file(export(robot, "mjcf", tmp_path, Options())[0])
    q = np.random.default_rng(8).uniform(-0.3, 0.3, robot.n)
    close(back.mass_matrix(q), robot.mass_matrix(q))


def test_friction_of_coupled_drives_comes_back(tmp_path):
    """Dry and viscous friction of a wrist whose drives turn with two axes, through MJCF's tendons;
    terms that MJCF has no place for are named.
    """
    pytest.importorskip("mujoco")
    law = every_term()
    turns = COUPLED.copy()
    turns[0, 0] = -0.5  # geared
    robot = irb.load("irb1600").with_rotors([3.0, 2.0, 1.0, 0.3, 0.2, 0.1]).with_drives(turns)
    path = export(robot.with_friction(law), "mjcf", tmp_path, Options())[0]
    back, v = from_file(path), np.random.default_rng(6).normal(size=(20, 6))
    close(
        back.friction(v),
        robot.with_friction(irb.Stribeck(law.Fc, law.Fc, law.Fv, law.v_St)).friction(v),
    )
    close(back.mass_matrix(np.zeros(6)), robot.mass_matrix(np.zeros(6)))
    text = path.read_text()
    assert "LEFT OUT of friction, kept in custom/: its terms Fd, dFc, dFv, mu." in text
    assert 'name="friction_mu" data="0.0 0.03 0.02 0.1 0.05 0.08"' in text


def test_parts_that_turn_together_are_drives(tmp_path):
    """Friction and a rotor of a tendon of two joints, and friction of one of them: three parts that
    two axes turn, of which dry friction of two can be kept.
    """
    pytest.importorskip("mujoco")
    a = np.array([0.5, -3.0])
    text = TENDONS.replace(
        'name="two" armature="0.4"', 'name="two" armature="0.4" frictionloss="2"'
    )
    robot = from_file(_written(tmp_path, text.replace(' armature="0.3"', "")))
    v = np.random.default_rng(7).normal(size=(20, 2))
    close(robot.friction(v), 2.0 * np.sign(v @ a)[:, None] * a)
    bare = from_file(
        _written(tmp_path, text.replace(' armature="0.4"', "").replace(' armature="0.3"', ""))
    )
    close(robot.mass_matrix([0.1, 0.2]) - bare.mass_matrix([0.1, 0.2]), 0.4 * np.outer(a, a))
    damped = text.replace('name="ja"', 'name="ja" frictionloss="3"', 1).replace(
        ' armature="0.3"', ""
    )
    three = from_file(_written(tmp_path, damped))
    close(three.friction(v), 2.0 * np.sign(v @ a)[:, None] * a + np.sign(v) * [3.0, 0.0])
    four = damped.replace('name="jb"', 'name="jb" frictionloss="1"', 1)
    with pytest.warns(irb.PhysicsWarning, match="friction of what .* turn together is left out"):
        rest = from_file(_written(tmp_path, four))
    close(rest.mass_matrix([0.1, 0.2]) - bare.mass_matrix([0.1, 0.2]), 0.4 * np.outer(a, a))


def _written(folder, text):
    path = folder / f"made{len(list(folder.iterdir()))}.xml"
    path.write_text(text, encoding="utf-8")
    return path


TENDONS = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="a"><joint name="ja" axis="0 0 1"/><inertial pos="1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
  <body name="b"><joint name="jb" axis="0 1 0" ref="0.2"/><inertial pos="1 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body></body>
  <body name="c"><joint name="jc" axis="1 0 1" pos="0.1 0 0" armature="0.3" limited="true" range="-1 1"/>
    <inertial pos="0 0 1" mass="3" diaginertia="0.1 0.1 0.1"/></body></worldbody>
<tendon><fixed name="one"><joint joint="jc" coef="2"/><joint joint="ja" coef="0.1"/></fixed>
  <fixed name="two" armature="0.4"><joint joint="ja" coef="0.5"/><joint joint="jb" coef="-3"/></fixed></tendon>
<equality><tendon tendon1="one" tendon2="two" polycoef="0.1 0.7 0 0 0"/></equality></mujoco>"""


def test_a_joint_may_follow_several(tmp_path):
    """An equality of fixed tendons makes one joint a sum of others; poses and torques, rotors
    included, are MuJoCo's.
    """
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "tendons.xml"
    path.write_text(TENDONS, encoding="utf-8")
    robot, model = from_file(path), mujoco.MjModel.from_xml_path(str(path))
    assert robot.axes == ("ja", "jb")
    assert (robot.limits.upper > 1e8).all()  # the range of a sum is none of its parts
    factors, offset = np.array([0.125, -1.05]), 0.05 + 1.05 * 0.2
    G = np.vstack([np.eye(2), factors])
    model.opt.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_EQUALITY | mujoco.mjtDisableBit.mjDSBL_LIMIT
    )
    data = mujoco.MjData(model)
    q, v, a = np.array([[0.4, -0.7], [0.5, 0.6], [-0.3, 0.2]])
    data.qpos[:], data.qvel[:], data.qacc[:] = G @ q + [0, 0, offset], G @ v, G @ a
    mujoco.mj_inverse(model, data)
    for name in "abc":
        close(robot.pose(q, name).translation, data.body(name).xpos)
        close(robot.pose(q, name).rotation, data.body(name).xmat.reshape(3, 3))
    close(robot.inverse_dynamics(q, v, a, friction=False), G.T @ data.qfrc_inverse)


DRIVEN = """<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
  <body name="a"><joint name="ja" axis="0 0 1" range="-1 1"/><inertial pos="1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
  <body name="b" pos="1 0 0"><joint name="jb" axis="0 1 0" ref="0.2" range="-2 1"/><inertial pos="1 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
  <body name="c" pos="0 0 1"><joint name="jc" axis="1 0 1" pos="0.1 0 0" armature="0.3" damping="0.2"/>
    <inertial pos="0 0 1" mass="3" diaginertia="0.1 0.1 0.1"/>
  <body name="d" pos="0 0 1"><joint name="jd" axis="1 0 0"/><inertial pos="0 1 0" mass="4" diaginertia="0.1 0.1 0.1"/>
  </body></body></body></body></worldbody>
<tendon><fixed name="one" range="-3 2"><joint joint="jb" coef="1"/><joint joint="ja" coef="-1"/></fixed>
  <fixed name="two" armature="0.4"><joint joint="ja" coef="0.5"/><joint joint="jc" coef="-3"/></fixed>
  <fixed name="three" range="-0.5 0.7"><joint joint="jd" coef="1"/><joint joint="jb" coef="1"/></fixed></tendon>
<equality><joint joint1="jc" joint2="jb" polycoef="0.1 0.7 0 0 0"/></equality>
<actuator><motor joint="ja"/><motor tendon="one" gear="2" forcerange="-3 4"/><motor joint="jd"/></actuator></mujoco>"""


def test_what_motors_drive_are_the_axes(tmp_path):
    """A tendon that a motor drives in place of a joint is an axis, with ranges of both; what
    follows the joint, rotors and damping are MuJoCo's.
    """
    mujoco = pytest.importorskip("mujoco")
    path = _written(tmp_path, DRIVEN)
    robot, model = from_file(path), mujoco.MjModel.from_xml_path(str(path))
    assert robot.axes == ("ja", "jb", "jd")
    # jb = one + ja, jc = 0.1 + 0.7 (jb - 0.2)
    G = np.array([[1, 0, 0], [1, 1, 0], [0.7, 0.7, 0], [0, 0, 1]])
    model.opt.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_EQUALITY | mujoco.mjtDisableBit.mjDSBL_LIMIT
    )
    data = mujoco.MjData(model)
    q, v, a = np.array([[0.4, -0.7, 0.3], [0.5, 0.6, 0.1], [-0.3, 0.2, 0.4]])
    data.qpos[:], data.qvel[:], data.qacc[:] = G @ q + [0, 0, 0.1 - 0.14, 0], G @ v, G @ a
    mujoco.mj_inverse(model, data)
    for name in "abcd":
        close(robot.pose(q, name).translation, data.body(name).xpos)
        close(robot.pose(q, name).rotation, data.body(name).xmat.reshape(3, 3))
    close(robot.inverse_dynamics(q, v, a), G.T @ data.qfrc_inverse)
    np.testing.assert_allclose(robot.limits.effort, [np.inf, 8.0, np.inf])
    rows = zip(robot.limits.names(), robot.limits.lower, robot.limits.upper, strict=True)
    assert list(rows) == [
        ("q1", -1.0, 1.0),
        ("q2", -3.0, 2.0),
        ("q3 + q2 + q1", -0.5, 0.7),  # jd has no range of its own
        ("q2 + q1", -2.0, 1.0),
    ]


def test_tendons_of_fewer_motors_are_no_axes(tmp_path):
    """A finger whose two joints one motor bends keeps its joints as axes."""
    pytest.importorskip("mujoco")
    bent = DRIVEN.replace('<motor joint="ja"/>', "")
    robot = from_file(_written(tmp_path, bent))
    np.testing.assert_allclose(robot.coupling[0], [[1, 0, 0], [0, 1, 0], [0, 0.7, 0], [0, 0, 1]])


DAMPED = """<mujoco><compiler angle="degree"/><default><joint damping="0.5" frictionloss="0.3"/></default><worldbody>
  <body><joint name="a" axis="0 0 1"/><inertial pos="1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
    <body pos="1 0 0"><joint name="b" axis="0 1 1" damping="2"/><inertial pos="0 1 0" mass="2" diaginertia="0.1 0.2 0.1"/>
      <body pos="0 0 1"><joint name="c" type="slide" axis="1 0 1" damping="0" frictionloss="4"/>
        <inertial pos="0 1 0" mass="3" diaginertia="0.1 0.2 0.1"/></body></body></body>
  <body><joint name="d" axis="1 0 0" damping="0"/><inertial pos="0 0 1" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody>
<tendon><fixed name="t" damping="0.7" frictionloss="0.2"><joint joint="d" coef="-3"/></fixed></tendon>
<actuator><motor joint="b" gear="3" armature="0.1" damping="0.4"/><motor tendon="t" gear="-2" damping="0.1"/></actuator>
{}</mujoco>"""


def test_friction_and_rotors_of_mjcf_are_those_of_mujoco(tmp_path):
    """Damping, dry friction and armature of joints, tendons and actuators, defaults included:
    MuJoCo's torques are the same.
    """
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "damped.xml"
    path.write_text(DAMPED.format(""), encoding="utf-8")
    robot, model = from_file(path), mujoco.MjModel.from_xml_path(str(path))
    assert "viscous and Coulomb friction" in repr(robot)
    model.opt.solver, model.opt.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, 1e-15
    data = mujoco.MjData(model)
    for signs in ([1, 1, 1, 1], [-1, 1, -1, -1]):
        q, v, a = np.random.default_rng(7).uniform(0.2, 0.9, (3, 4)) * [
            np.ones(4),
            signs,
            np.ones(4),
        ]
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_inverse(model, data)
        # MuJoCo's own is a soft constraint
        dry = np.array([0.3, 0.3, 4.0, 0.3 + 3.0 * 0.2]) * signs
        viscous = data.qfrc_passive.copy()
        theirs = data.qfrc_inverse + data.qfrc_constraint + dry
        close(robot.inverse_dynamics(q, v, a), theirs)
        close(robot.friction(v), dry - viscous)
        close(robot.forward_dynamics(q, v, theirs), a)


def test_friction_that_several_axes_share_is_left_out_with_one_warning(tmp_path):
    """A tendon of two axes couples their friction, which no law per axis holds; two that cancel
    each other's do not.
    """
    pytest.importorskip("mujoco")
    path = tmp_path / "shared.xml"
    tendon = (
        '<tendon><fixed {}="5"><joint joint="a" coef="{}"/><joint joint="b"'
        ' coef="2"/></fixed></tendon>'
    )
    path.write_text(DAMPED.format(tendon.format("damping", 1)), encoding="utf-8")
    with pytest.warns(
        irb.PhysicsWarning, match="friction of what a, b turn together is left out"
    ) as raised:
        robot = from_file(path)
    assert len(raised) == 1
    np.testing.assert_allclose(robot.friction_model.Fv, [0.5, 2 + 9 * 0.4, 0, 9 * (0.7 + 4 * 0.1)])
    path.write_text(
        DAMPED.format(tendon.format("damping", 1) + tendon.format("damping", -1)), encoding="utf-8"
    )
    np.testing.assert_allclose(from_file(path).friction_model.Fv, [10.5, 42 + 3.6, 0, 9.9])
    path.write_text(DAMPED.format(tendon.format("frictionloss", 1)), encoding="utf-8")
    with pytest.warns(irb.PhysicsWarning, match="friction of what a, b turn together"):
        np.testing.assert_allclose(from_file(path).friction_model.Fc, [0.3, 0.3, 4, 0.9])


def test_springs_are_left_out_with_one_warning(tmp_path):
    """Springs of joints and tendons, and spatial tendons that brake, are named."""
    path, tag = (
        tmp_path / "s.sdf",
        "<dynamics><damping>3</damping><friction>0.5</friction>{}</dynamics><limit><lower>-1</lower>",
    )
    text = SDF.replace(
        "<limit><lower>-1</lower>", tag.format("<spring_stiffness>4</spring_stiffness>"), 1
    )
    path.write_text(
        text.replace(
            "<xyz>1 0 0</xyz>", "<xyz>1 0 0</xyz><dynamics><friction>8</friction></dynamics>"
        ),
        encoding="utf-8",
    )
    with pytest.warns(
        irb.PhysicsWarning,
        match="springs, damping that is no multiple of speed, .* are left out: lift",
    ):
        robot = from_file(path)
    np.testing.assert_allclose(
        [robot.friction_model.Fv, robot.friction_model.Fc], [[3, 0], [0.5 + 0.5 * 8, 0]]
    )
    with pytest.warns(irb.PhysicsWarning, match="Left out of model.sdf"):
        again = export(robot, "sdf", tmp_path / "again", Options())[0]
    assert from_file(again).friction_model.same_as(robot.friction_model)
    pytest.importorskip("mujoco")
    path = tmp_path / "springs.xml"
    path.write_text(
        DAMPED.replace('"a" axis', '"a" stiffness="3" axis').format(""), encoding="utf-8"
    )
    with pytest.warns(irb.PhysicsWarning, match="are left out: a$"):
        from_file(path)


@pytest.mark.parametrize("flag", ["gravity", "damper", "spring", "frictionloss"])
def test_what_a_model_switches_off_is_zero(tmp_path, flag):
    """Flags of MuJoCo hold for the robot: torques are those of mj_inverse."""
    mujoco = pytest.importorskip("mujoco")
    text = f"""<mujoco><option gravity="0 0 -9.8" timestep="1e-6"><flag {flag}="disable"/></option><worldbody><body>
      <joint name="a" axis="0 1 0" damping="2" {'stiffness="5"' if flag == "spring" else ""} frictionloss="3"/>
      <inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
    (tmp_path / "m.xml").write_text(text, encoding="utf-8")
    robot, model = from_file(tmp_path / "m.xml"), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = 0.4, 0.7, -0.3
    mujoco.mj_inverse(model, data)
    np.testing.assert_allclose(
        robot.inverse_dynamics([0.4], [0.7], [-0.3]), data.qfrc_inverse, rtol=0, atol=1e-9
    )


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("<body>", '<body name="up" gravcomp="1">', "gravity compensation of up$"),
        ("<option", '<option viscosity="0.1"', "the fluid$"),
        ("<option", '<option density="1.2"', "the fluid$"),
    ],
)
def test_other_forces_of_mujoco_are_named(tmp_path, old, new, lost):
    """What a compensated body or a fluid adds is no part of the robot, and a warning says so."""
    pytest.importorskip("mujoco")
    text = """<mujoco><option timestep="0.001"/><worldbody><body><joint axis="0 1 0"/>
      <inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
    (tmp_path / "m.xml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.warns(
        irb.PhysicsWarning, match=f"compensated gravity and fluids are left out: {lost}"
    ):
        from_file(tmp_path / "m.xml")


def test_read_robots_are_whole(tmp_path):
    """A robot from SDF gives its URDF with shapes, collides, and can be exported again."""
    robot = irb.load("irb1600")
    path = export(robot, "sdf", tmp_path / "one", Options())[0]
    back = from_file(path)
    assert back.urdf().count("<visual>") == robot.urdf().count("<visual>")
    q = robot.from_controller([0, 0, 0, 0, 30, 0])
    assert irb.collides(back, q) == irb.collides(robot, q)
    again = from_file(export(back, "sdf", tmp_path / "two", Options())[0])
    close(again.pose(q).homogeneous, robot.pose(q).homogeneous)
    close(again.mass_matrix(q), robot.mass_matrix(q))


def test_root_element_says_what_an_xml_is(tmp_path):
    """Without a telling suffix URDF and SDF are recognised by their root element."""
    for name, text in (
        ("a.xml", irb.urdf_path("irb1600").read_text(encoding="utf-8")),
        ("b.txt", SDF),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert from_file(tmp_path / "a.xml").n == 6
    assert from_file(tmp_path / "b.txt").n == 2


@pytest.mark.parametrize(
    "pitch", [0.3, np.pi / 2, np.pi / 2 - 1e-9, -np.pi / 2 + 1e-7, np.pi / 2 - 1e-15]
)
def test_roll_pitch_yaw_come_back_at_the_poles(pitch):
    """The rotation of the angles found is the one given, to 1e-15, near a pitch of 90 deg too."""
    rotation, other = (pin.rpy.rpyToMatrix(*rpy) for rpy in ([0.4, pitch, -2.1], [0.3, 0.2, 0.1]))
    rotation = other.T @ (other @ rotation)  # rounded, as products are
    set_origin(tag := ElementTree.Element("joint"), pin.SE3(rotation, np.zeros(3)))
    rpy = map(float, tag.find("origin").get("rpy").split())
    np.testing.assert_allclose(pin.rpy.rpyToMatrix(*rpy), rotation, rtol=0, atol=2e-15)


LINKS = '<link name="a"/><link name="b"/>'
JOINT = '<joint name="j" type="{}"><parent>{}</parent><child>{}</child><axis/></joint>'


TURNS = LINKS + JOINT.format("revolute", "a", "b")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("<oops", "not XML"),
        ("<robot/>", "the root element is <robot>, not <sdf>"),
        ("<sdf/>", "holds 0 models"),
        ("<sdf><include><uri>model://x</uri></include></sdf>", "includes 'model://x'"),
        ("", "the model has no link"),
        ("<model name='n'/>" + LINKS, "models within a model"),
        (LINKS + '<frame name="a"/>', "two parts of the model are called 'a'"),
        (LINKS + JOINT.format("ball", "a", "b"), "joint 'j' is 'ball'"),
        (LINKS, "roots: a, b"),
        (LINKS + JOINT.format("fixed", "a", "b"), "no joint of this URDF moves"),
        (LINKS + JOINT.format("revolute", "a", "c"), "nothing in the model is called 'c'"),
        (TURNS + JOINT.format("revolute", "a", "b").replace('"j"', '"k"'), "both carry 'b'"),
        (LINKS + JOINT.format("revolute", "a", "world"), "carries the world"),
        (LINKS.replace("/>", "><pose relative_to='b'/></link>", 1).replace('"b"/>', '"b"><pose relative_to="a"/></link>')
         + JOINT.format("revolute", "a", "b"), "poses go in a circle"),
        (TURNS.replace("<axis/>", ""), "has no <axis>"),
        (TURNS.replace("<axis/>", "<axis><xyz>0 0</xyz></axis>"), "should be 3 numbers"),
        (TURNS.replace("<axis/>", "<axis><limit><lower>x</lower></limit></axis>"), "no number"),
        (TURNS.replace("<axis/>", '<axis><mimic joint="j"/></axis>'), "in a circle"),
        (TURNS.replace("<axis/>", '<axis/><d:mimic xmlns:d="http://drake.mit.edu" joint="j" offset="x"/>'), "two numbers"),
        ('<link name="a"/><link name="b"><inertial auto="true"/></link>'
         + JOINT.format("revolute", "a", "b"), "computed from shapes"),
    ],
)  # fmt: skip
def test_sdf_that_is_no_tree_is_refused_in_one_line(model, words, tmp_path):
    path = tmp_path / "m.sdf"
    path.write_text(
        model
        if model.startswith(("<oops", "<robot", "<sdf"))
        else f"<sdf><model name='m'>{model}</model></sdf>"
    )
    with pytest.raises(irb.UrdfError, match=words) as refusal:
        from_file(path)
    assert str(refusal.value).startswith(str(path))
    assert "\n" not in str(refusal.value)


HINGE = (
    '<body name="a"><geom size="1"/><joint name="j" {}/><body name="b"><geom size="1"/><joint'
    ' name="k"/></body></body>'
)
HINGED = f"<worldbody>{HINGE.format('')}</worldbody>"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("<oops", "MuJoCo cannot read this"),
        ("<worldbody>" + HINGE.format('type="ball"') + "</worldbody>", "joint 'j' is 'ball'"),
        ('<worldbody><body><freejoint name="f"/><geom size="1"/></body></worldbody>', "joint 'f' is 'free'"),
        (HINGED + '<equality><joint joint1="j" joint2="k" polycoef="0 1 1 0 0"/></equality>',
         "no straight line"),
        (HINGED + '<equality><joint joint1="j"/></equality>', "no straight line"),
        ('<worldbody><site name="s"/><body name="a"><geom size="1"/><joint name="j"/><site name="t"/></body></worldbody><tendon>'
         '<spatial name="u"><site site="s"/><site site="t"/></spatial></tendon><equality><tendon tendon1="u"/></equality>',
         "tendon 'u' is spatial"),
        (HINGED + '<equality><connect name="c" body1="a" body2="b" anchor="0 0 0"/></equality>',
         "equality c is a 'connect'"),
    ],
)  # fmt: skip
def test_mjcf_that_is_no_tree_is_refused_in_one_line(model, words, tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "m.mjcf"
    path.write_text(
        model if model.startswith("<oops") else f"<mujoco>{model}</mujoco>", encoding="utf-8"
    )
    with pytest.raises(irb.UrdfError, match=words) as refusal:
        from_file(path)
    assert "\n" not in str(refusal.value)


def test_files_that_cannot_be_read(tmp_path):
    """A missing file, a folder and another kind of XML are said in one line."""
    (tmp_path / "x.xml").write_text("<html/>", encoding="utf-8")
    for path, words in (
        (tmp_path / "no.sdf", "No such file"),
        (tmp_path, "is a folder"),
        (tmp_path / "x.xml", "root element is <html>"),
    ):
        with pytest.raises(irb.IrbError, match=words):
            from_file(path)
