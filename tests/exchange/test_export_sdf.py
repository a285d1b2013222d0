"""SDF: what Drake and this package's own reader make of the folder, against the robot that it was
written from.
"""

import re
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
import shipped

import irbmodels as irb
from irbmodels.exchange.read.from_file import from_file
from irbmodels.exchange.write import Options, export
from irbmodels.exchange.write.urdf import urdf_of
from irbmodels.model.tree import tree_from_urdf

# of the largest torque: what carriers of 1e-6 kg change (measured 1.6e-8 and 4.3e-8)
CARRIERS = 1e-7
TWO_LINKS = """<robot name="two links">
  <link name="world"/>
  <link name="arm"><inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.1 0.2 0.3"/></geometry><material name="red"/></visual>
    <collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision></link>
  <link name="plate"><inertial><origin xyz="0 0.1 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 2"/><geometry><sphere radius="0.1"/></geometry></visual></link>
  <link name="wheel"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="slide"/>
  <material name="red"><color rgba="1 0 0 0.5"/></material>
  <joint name="arm" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/></joint>
  <joint name="fixed" type="fixed"><origin xyz="0 0 0.5" rpy="0.1 1.5707963267948966 0.3"/>
    <parent link="arm"/><child link="plate"/></joint>
  <joint name="turn" type="continuous"><origin xyz="0.2 0 0"/><parent link="plate"/><child link="wheel"/><axis xyz="1 1 0"/>
    <mimic joint="slider" multiplier="2" offset="0.1"/></joint>
  <joint name="slider" type="prismatic"><parent link="arm"/><child link="slide"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" velocity="0" effort="0"/><mimic joint="arm" multiplier="-0.5" offset="0.2"/></joint>
</robot>"""


def robot_of(name):
    return irb.load(name, tool="spindle" if name.startswith("irb2400") else None)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a function that exports a robot with its default options, once."""
    done = {}

    def write(name):
        if name not in done:
            done[name] = export(
                robot_of(name), "sdf", tmp_path_factory.mktemp("sdf") / name, Options()
            )
        return done[name]

    return write


def drake_plant(path):
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(1e-3)
    parsing.Parser(plant).AddModels(str(path))
    plant.Finalize()
    return plant


def settled(plant, robot, q):
    """Drake's joints after 50 ms of falling from axis positions, less what the coupling makes of
    its axes.
    """
    from pydrake.systems.analysis import Simulator

    coupling, simulator = robot.whole_tree.coupling, Simulator(plant)
    names = plant.GetPositionNames(add_model_instance_prefix=False, always_add_suffix=False)
    rows = [coupling.joints.index(name) for name in names]
    axes = [names.index(axis) for axis in coupling.axes]
    plant.SetPositions(simulator.get_mutable_context(), coupling.position(np.array(q))[rows])
    simulator.AdvanceTo(0.05)
    after = plant.GetPositions(simulator.get_context())
    assert abs(after[axes] - q).max() > 1e-3  # it falls
    return after - coupling.position(after[axes])[rows]


def drake_torque(plant, context, q, v, a):
    from pydrake.multibody.tree import MultibodyForces

    plant.SetPositions(context, q)
    plant.SetVelocities(context, v)
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    return plant.CalcInverseDynamics(context, a, forces)


@pytest.mark.parametrize("name", shipped.EXAMPLES)
def test_drake_agrees(name, written):
    """Pose, torque, mass, limits and the number of followers are those of the robot; carriers
    change less than 1e-7.
    """
    robot, plant = robot_of(name), drake_plant(written(name)[0])
    names = plant.GetPositionNames(add_model_instance_prefix=False, always_add_suffix=False)
    coupling, context = robot.whole_tree.coupling, plant.CreateDefaultContext()
    rows = [coupling.joints.index(joint) for joint in names]
    G, n = coupling.G[rows], len(coupling.joints) - robot.n
    with_carriers = robot_with_carriers(robot)
    for q, v, a in np.random.default_rng(1).uniform(-0.3, 0.3, (3, 3, robot.n)):
        tau = G.T @ drake_torque(plant, context, G @ q, G @ v, G @ a)
        expected = robot.inverse_dynamics(q, v, a, friction=False)
        size = np.abs(expected).max()
        np.testing.assert_allclose(tau, with_carriers(q, v, a), rtol=0, atol=1e-9 * size)
        np.testing.assert_allclose(tau, expected, rtol=0, atol=(CARRIERS if n else 1e-9) * size)
        for frame in ("tcp", "tool0", "flange", "base"):
            pose = plant.GetFrameByName(frame).CalcPoseInWorld(context).GetAsMatrix4()
            np.testing.assert_allclose(pose, robot.pose(q, frame).homogeneous, rtol=0, atol=1e-9)
    mass = sum(inertia.mass for inertia in robot.whole_tree.model.inertias)
    assert plant.CalcTotalMass(context) == pytest.approx(mass, abs=1e-6 * (n + 1))
    assert plant.num_constraints() == n
    low, high = robot.limits.envelope()
    axes = [names.index(axis) for axis in robot.axes]
    np.testing.assert_allclose(plant.GetPositionLowerLimits()[axes], low, rtol=1e-12)
    np.testing.assert_allclose(plant.GetPositionUpperLimits()[axes], high, rtol=1e-12)
    np.testing.assert_allclose(
        plant.GetVelocityUpperLimits()[axes], robot.limits.velocity, rtol=1e-12
    )
    efforts = [effort_of(plant, plant.GetJointByName(axis)) for axis in robot.axes]
    np.testing.assert_allclose(efforts, robot.limits.effort, rtol=1e-12)


def effort_of(plant, joint):
    actuators = [plant.get_joint_actuator(index) for index in plant.GetJointActuatorIndices()]
    return next(
        actuator.effort_limit() for actuator in actuators if actuator.joint().name() == joint.name()
    )


def robot_with_carriers(robot):
    """Return inverse dynamics of the robot's URDF with carriers of 1e-6 kg."""
    tree = tree_from_urdf(urdf_of(robot, Options()))
    G = tree.coupling.G
    return lambda q, v, a: G.T @ pin.rnea(tree.model, tree.model.createData(), G @ q, G @ v, G @ a)


def test_followers_follow_in_drake(written):
    """Falling for 0.1 s, the bars keep to their axes, and nothing of the robot is asked whether it
    meets itself.
    """
    pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 1e-3)
    Parser(plant).AddModels(str(written("irb2400_16")[0]))
    plant.Finalize()
    simulator = Simulator(builder.Build())
    assert scene.model_inspector().num_geometries() > 40
    assert not scene.model_inspector().GetCollisionCandidates()
    simulator.AdvanceTo(0.1)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    names = plant.GetPositionNames(add_model_instance_prefix=False, always_add_suffix=False)
    q = dict(zip(names, plant.GetPositions(context), strict=True))
    assert abs(q["joint_3"]) > 0.03
    coupling = robot_of("irb2400_16").whole_tree.coupling
    for joint, value in zip(
        coupling.joints, coupling.G @ [q[axis] for axis in coupling.axes], strict=True
    ):
        assert q[joint] == pytest.approx(value, abs=1e-6), joint


def test_the_folder_is_a_gazebo_model(written):
    """model.config names model.sdf 1.11; every mesh it names is there; links are what moves, the
    rest are frames.
    """
    first, *others = written("irb2400_16")
    config = ElementTree.parse(first.parent / "model.config").getroot()
    assert (config.findtext("sdf"), config.find("sdf").get("version")) == ("model.sdf", "1.11")
    model = ElementTree.parse(first).getroot().find("model")
    uris = {uri.text for uri in model.iter("uri")}
    assert uris
    assert all((first.parent / uri).is_file() for uri in uris)
    assert {first.parent / uri for uri in uris} <= set(others)
    bodies = {link.get("name") for link in model.iterfind("link")}
    assert {"base_link", "link_6", "link_carrier", "link_rod"} <= bodies
    assert {"base", "flange", "tool0", "tcp"} == {
        frame.get("name") for frame in model.iterfind("frame")
    }
    assert model.findtext("self_collide") == "false"
    world = model.find("joint[@type='fixed']")
    assert (world.findtext("parent"), world.findtext("child")) == ("world", "base_link")
    mimics = {
        joint.get("name"): joint.find("axis/mimic")
        for joint in model.iterfind("joint")
        if joint.find("axis/mimic") is not None
    }
    message = {
        name: (mimic.get("joint"), float(mimic.findtext("multiplier")))
        for name, mimic in mimics.items()
    }
    assert message == {
        "joint_carrier": ("joint_2", -1.0), "joint_crank": ("joint_3", 1.0),
        "joint_rod_carrier": ("joint_3", -1.0), "joint_rod": ("joint_2", 1.0),
    }  # fmt: skip
    colour = model.find("link[@name='link_1']/visual[2]/material/diffuse").text
    assert colour == "1.0 0.43 0.05 1.0"


def test_package_paths_and_serial_tree(tmp_path):
    """On request meshes are named by model://FOLDER/, and the arm is an open chain whose joint_3 is
    q3 - q2.
    """
    path = export(
        robot_of("irb2400"), "sdf", tmp_path / "arm", Options(coupling="serial", meshes="package")
    )[0]
    model = ElementTree.parse(path).getroot().find("model")
    assert all(uri.text.startswith("model://arm/meshes/") for uri in model.iter("uri"))
    assert not list(model.iter("mimic"))
    assert float(model.findtext("joint[@name='joint_3']/axis/limit/lower")) == np.radians(-60.0)


@pytest.mark.filterwarnings("ignore:.*eft out:irbmodels.PhysicsWarning")
def test_mounting_and_payload_are_written(tmp_path):
    """world.sdf has a robot on a wall where it is mounted, under gravity in axes of the world; tool
    made in code and payload are in the masses.
    """
    turn = pin.rpy.rpyToMatrix(0.0, np.pi / 2 - 1e-9, 0.4)
    tool = irb.Tool(
        "probe",
        pin.SE3(turn, np.array([0.1, 0.2, 0.3])),
        irb.payload(2.0, [0.1, 0, 0], 0.1 * np.eye(3)),
    )
    robot = (
        irb.load("irb1600", tool=tool)
        .with_payload(irb.payload(1.5, [0, 0.1, 0]))
        .mounted(pin.SE3(pin.rpy.rpyToMatrix(0.3, 1.2, -0.4), np.array([1.5, -0.6, 2.2])))
    )
    export(robot, "sdf", tmp_path, Options())
    back = from_file(tmp_path / "world.sdf")
    q, v, a = np.random.default_rng(2).uniform(-1, 1, (3, 6))
    np.testing.assert_array_equal(back.gravity_in_world, [0.0, 0.0, -9.81])
    np.testing.assert_allclose(
        back.world_from_base.homogeneous, robot.world_from_base.homogeneous, rtol=0, atol=1e-15
    )
    np.testing.assert_allclose(back.gravity_vector, robot.gravity_vector, rtol=0, atol=1e-15)
    np.testing.assert_allclose(
        back.pose(q).homogeneous, robot.pose(q).homogeneous, rtol=0, atol=1e-12
    )
    expected = robot.inverse_dynamics(q, v, a, friction=False)
    np.testing.assert_allclose(
        back.inverse_dynamics(q, v, a, friction=False),
        expected,
        rtol=0,
        atol=1e-12 * np.abs(expected).max(),
    )


@pytest.mark.filterwarnings("ignore:.*eft out:irbmodels.PhysicsWarning")
def test_drake_has_a_mounted_robot_where_it_stands(tmp_path):
    """Its tool0 in the world is base frame times pose in the base; model.sdf stays at the origin."""
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.plant import MultibodyPlant

    turn = pin.rpy.rpyToMatrix(0.3, 1.2, -0.4)
    base = pin.SE3(turn, np.array([1.5, -0.6, 2.2])).homogeneous
    robot, q = irb.load("irb1600").mounted(base), [0.1, 0.2, -0.3, 0.4, 0.5, -0.6]
    export(robot, "sdf", tmp_path, Options())
    for file, stands in (("world.sdf", base), ("model.sdf", np.eye(4))):
        plant = MultibodyPlant(1e-3)
        parsing.Parser(plant).AddModels(str(tmp_path / file))
        plant.Finalize()
        context = plant.CreateDefaultContext()
        names = plant.GetPositionNames(add_model_instance_prefix=False, always_add_suffix=False)
        plant.SetPositions(context, [q[robot.axes.index(name)] for name in names])
        pose = plant.GetFrameByName("tool0").CalcPoseInWorld(context).GetAsMatrix4()
        expected = stands @ robot.pose(q, "tool0").homogeneous
        np.testing.assert_allclose(pose, expected, rtol=0, atol=1e-12)


def test_any_urdf_becomes_sdf(tmp_path):
    """Of a URDF with a root called world, names used twice, chained mimics and a fixed body between
    joints, all is kept.
    """
    (tmp_path / "two.urdf").write_text(TWO_LINKS, encoding="utf-8")
    robot = irb.from_urdf(tmp_path / "two.urdf")
    path = export(robot, "sdf", tmp_path / "two", Options())[0]
    back, q, v, a = from_file(path), [0.3], [0.4], [-0.5]
    assert back.axes == ("arm_joint",)
    rows = [list(back.model.names).index(joint) - 1 for joint in ("arm_joint", "slider", "turn")]
    np.testing.assert_allclose(back.coupling[0][rows, 0], [1.0, -0.5, -1.0], rtol=1e-15)
    np.testing.assert_allclose(back.coupling[1][rows], [0.0, 0.2, 0.5], rtol=1e-15)
    for frame in ("plate", "wheel", "slide"):
        np.testing.assert_allclose(
            back.pose(q, frame).homogeneous, robot.pose(q, frame).homogeneous, rtol=0, atol=1e-15
        )
    torques = (one.inverse_dynamics(q, v, a, friction=False) for one in (back, robot))
    np.testing.assert_allclose(*torques, rtol=1e-12)
    for bound in ("lower", "upper", "velocity", "effort"):
        np.testing.assert_allclose(
            getattr(back.limits, bound), getattr(robot.limits, bound), rtol=1e-15
        )
    text = path.read_text(encoding="utf-8")
    # Drake's own tags alone
    path.write_text(re.sub(r"<mimic .*?</mimic>", "", text, flags=re.DOTALL), encoding="utf-8")
    drake = from_file(path)
    np.testing.assert_allclose(drake.coupling[0], back.coupling[0], rtol=1e-15)
    np.testing.assert_allclose(drake.coupling[1], back.coupling[1], rtol=1e-15)
    path.write_text(text, encoding="utf-8")
    plant = drake_plant(path)
    assert (plant.num_positions(), plant.num_constraints()) == (3, 2)
    np.testing.assert_allclose(settled(plant, back, [0.3]), 0.0, rtol=0, atol=1e-6)
    document = ElementTree.fromstring(back.urdf())
    assert document.find("link[@name='arm']/visual/material/color").get("rgba") == "1.0 0.0 0.0 0.5"
    assert document.find("link[@name='arm']/collision/geometry/cylinder").attrib == {
        "radius": "0.1",
        "length": "0.4",
    }


@pytest.mark.parametrize(
    ("robot", "options", "message"),
    [
        (lambda: irb.load("irb1600"), Options(carrier_kg=0.0), "should be above 0"),
        (lambda: irb.load("irb1600"), Options(meshes="here"), "no style of mesh paths 'here'"),
        (lambda: irb.load("irb1600"), Options(coupling="parallelogram"), "no coupling of irb1600"),
        (
            lambda: irb.load("irb2400", parameters="obal2025_printed"),
            Options(),
            "refuse impossible bodies: link_",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::irbmodels.errors.PhysicsWarning")
def test_what_cannot_be_sdf_is_refused_in_one_line(robot, options, message, tmp_path):
    """Nothing is written then."""
    with pytest.raises(irb.IrbError, match=message) as refusal:
        export(robot(), "sdf", tmp_path, options)
    assert "\n" not in str(refusal.value)
    assert not list(tmp_path.rglob("*.*"))
