"""The URDFs in other engines: MuJoCo on the open chain, all on both trees, Pinocchio's own mimic
joints.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together
from peers import require_peer

import irbmodels as irb
from irbmodels.exchange.verify import engines

MUJOCO = 1e-9  # of the largest torque: MuJoCo turns every tensor to its principal axes first
EXCHANGE = 1e-7  # of the largest torque: four carriers of 1e-6 kg in some 100 kg of arm
EXACT = 1e-12  # of the largest torque
BARS = ("link_carrier", "link_crank", "link_rod_carrier", "link_rod")
SHIPPED = [(name, coupling) for name in oracles.NAMES for coupling in irb.describe(name).couplings]


def in_mujoco(spec: mujoco.MjSpec) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return a URDF in MuJoCo: bodies only, without contacts, limits or damping, under stated
    gravity.
    """
    spec.compiler.fusestatic, spec.compiler.discardvisual = False, True
    model = spec.compile()
    model.opt.gravity[:] = [0.0, 0.0, -9.81]
    model.opt.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    )
    return model, mujoco.MjData(model)


def joint_from_axis(name: str) -> np.ndarray:
    """Return the map from axis positions to the joints of the open chain."""
    result = np.eye(len(oracles.rows(name)))
    if name in oracles.PARALLELOGRAM:
        result[2, 1] = -1.0
    return result


def compare_in_mujoco(name: str, spec: mujoco.MjSpec, robot: irb.Robot) -> None:
    """Compare the TCP's pose and the torques of ten states."""
    (model, data), A = in_mujoco(spec), joint_from_axis(name)
    assert model.nq == robot.n
    for q, v, a in oracles.states(name, 10):
        data.qpos, data.qvel, data.qacc = A @ q, A @ v, A @ a
        mujoco.mj_inverse(model, data)
        pose, expected = robot.pose(q), robot.inverse_dynamics(q, v, a, friction=False)
        np.testing.assert_allclose(data.body("tcp").xpos, pose.translation, rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            data.body("tcp").xmat.reshape(3, 3), pose.rotation, rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(
            A.T @ data.qfrc_inverse, expected, rtol=0, atol=MUJOCO * np.abs(expected).max()
        )


@together("name", oracles.NAMES)
def test_serial_urdf_in_mujoco(name):
    """The committed open chain stands and moves in MuJoCo as Robot says."""
    spec = mujoco.MjSpec.from_file(str(irb.urdf_path(name, "serial")))
    compare_in_mujoco(name, spec, irb.load(name, parameters=oracles.open_chain(name)))


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_urdf_with_the_spindle_in_mujoco(name):
    """The spindle's load and TCP are in the URDF that is built with it."""
    text = irb.describe(name).urdf("serial", tool="spindle", looks=False)
    compare_in_mujoco(name, mujoco.MjSpec.from_string(text), irb.load(name, tool="spindle"))


@pytest.mark.parametrize(("name", "coupling"), SHIPPED)
def test_mujoco_loads_the_committed_file_from_anywhere(name, coupling, tmp_path, monkeypatch):
    """As it is, in any working directory, with every mesh that the file names: to look at and to
    collide with.
    """
    path = irb.urdf_path(name, coupling)
    tags = list(ElementTree.parse(path).getroot().iter("geometry"))
    monkeypatch.chdir(tmp_path)
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.ngeom == len(tags)
    named = {
        Path(tag.find("mesh").get("filename")).stem for tag in tags if tag.find("mesh") is not None
    }
    assert {model.mesh(i).name for i in range(model.nmesh)} == named
    assert len(named) > 2 * model.nbody


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_parallelogram_urdf_is_read_by_mujoco(name):
    """MuJoCo takes the carriers' 1e-6 kg for bodies, and every mimic for an equality."""
    model, _ = in_mujoco(mujoco.MjSpec.from_file(str(irb.urdf_path(name))))
    assert (model.nq, model.neq) == (10, 4)


def test_mujoco_refuses_the_printed_tensors():
    """Tab. 3 as printed is no set of bodies to another engine either."""
    text = irb.describe("irb2400").urdf("serial", inertials="obal2025_printed", looks=False)
    with pytest.raises(ValueError, match="inertia"):
        in_mujoco(mujoco.MjSpec.from_string(text))


def mimic_model(path: str) -> pin.Model:
    """Return the committed parallelogram URDF with Pinocchio's mimic joints."""
    return pin.buildModelFromUrdf(path, mimic=True)


def without_stand_ins(model: pin.Model, name: str) -> pin.Model:
    """Return the model with weightless carriers, and bars where the table has no bars, as inside
    Robot.
    """
    for bar in set(BARS) - set(oracles.weighed(name)):
        joint = model.frames[model.getFrameId(bar)].parentJoint
        model.inertias[joint] = pin.Inertia.Zero()
    return model


@pytest.mark.parametrize("carriers", ["exchange", "massless"])
@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_parallelogram_urdf_with_mimic_joints(name, carriers):
    """Six coordinates; forward kinematics, RNEA and CRBA of the mimic model are those of Robot."""
    model, robot = mimic_model(str(irb.urdf_path(name))), irb.load(name)
    assert model.nq == 6
    model, tolerance = (
        (model, EXCHANGE) if carriers == "exchange" else (without_stand_ins(model, name), EXACT)
    )
    for q, v, a in oracles.states(name, 10, seed=1):
        data = model.createData()  # a fresh one per call, see the trap below
        pin.framesForwardKinematics(model, data, q)
        for frame in ("tcp", "link_4", "link_rod"):
            pose = data.oMf[model.getFrameId(frame)].homogeneous
            np.testing.assert_allclose(robot.pose(q, frame).homogeneous, pose, rtol=0, atol=1e-12)
        expected = robot.inverse_dynamics(q, v, a, friction=False)
        tau = pin.rnea(model, model.createData(), q, v, a)
        np.testing.assert_allclose(tau, expected, rtol=0, atol=tolerance * np.abs(expected).max())
        M = robot.mass_matrix(q)
        actual = pin.crba(model, model.createData(), q)
        np.testing.assert_allclose(actual, M, rtol=0, atol=tolerance * np.abs(M).max())


def test_crba_of_a_mimic_model_adds_to_what_is_there():
    """The trap: on a mimic model ``pin.crba`` adds to ``data.M``, so a second call on the same Data
    is wrong.
    """
    model, robot = (
        without_stand_ins(mimic_model(str(irb.urdf_path("irb2400"))), "irb2400_16"),
        irb.load("irb2400"),
    )
    q, data = oracles.states("irb2400_16", 1)[0, 0], model.createData()
    M = robot.mass_matrix(q)
    first, second = pin.crba(model, data, q).copy(), pin.crba(model, data, q).copy()
    np.testing.assert_allclose(first, M, rtol=0, atol=EXACT * M.max())
    assert np.abs(second - M).max() > 0.1 * M.max()


def test_robot_asks_the_unreduced_tree_twice_without_harm():
    """Robot's mass matrix is the same on the second call: its tree has no mimic joints."""
    robot, q = irb.load("irb2400", coupling="parallelogram"), oracles.states("irb2400_16", 1)[0, 0]
    np.testing.assert_array_equal(robot.mass_matrix(q), robot.mass_matrix(q))
    assert robot.model.nq == 10


@pytest.mark.parametrize("engine", engines.ENGINES)
@pytest.mark.parametrize("name", oracles.NAMES)
def test_every_engine_agrees_on_the_committed_serial_file(name, engine):
    """MuJoCo, Drake, PyBullet and yourdfpy: TCP within 1e-9 m and torque within 1e-9 of the largest
    (PyBullet 1e-6).
    """
    require_peer(engine)
    robot = irb.load(name, parameters=oracles.open_chain(name))
    A = robot.dh().A
    peer, bound = (
        engines.load_engine(engine, irb.urdf_path(name, "serial")),
        1e-6 if engine == "pybullet" else 1e-9,
    )
    for q, v, a in oracles.states(name, 5, seed=11):
        np.testing.assert_allclose(peer.pose(A @ q), robot.pose(q).homogeneous, atol=bound)
        if peer.torque is not None:
            tau = robot.inverse_dynamics(q, v, a, friction=False)
            np.testing.assert_allclose(
                A.T @ peer.torque(A @ q, A @ v, A @ a), tau, atol=bound * np.abs(tau).max()
            )


def test_a_server_of_pybullet_ends_with_the_last_function_that_asks_it():
    """Pose or torque alone keeps it; a session may have 1024, of 30 MB each."""
    pybullet = require_peer("pybullet")

    def servers():
        return sum(pybullet.isConnected(number) for number in range(1024))

    before, q = servers(), np.zeros(6)
    peer = engines.load_engine("pybullet", irb.urdf_path("irb2400", "serial"))
    pose, torque = peer.pose, peer.torque
    del peer, pose
    assert servers() == before + 1
    assert np.abs(torque(q, q, q)).max() > 100.0
    del torque
    assert servers() == before


@pytest.mark.parametrize("engine", engines.ENGINES)
@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_every_engine_agrees_on_the_committed_parallelogram_file(name, engine):
    """Each names its joints; their turns written out, TCP and torques are those of the drawing, but
    for the carriers.
    """
    require_peer(engine)
    turns = {
        "joint_carrier": [0, -1, 0],
        "joint_crank": [0, 0, 1],
        "joint_rod_carrier": [0, 0, -1],
        "joint_rod": [0, 1, 0],
    }
    turns = {f"joint_{i + 1}": np.eye(6)[i] for i in range(6)} | {
        joint: np.r_[row, 0, 0, 0] for joint, row in turns.items()
    }
    arm, peer = oracles.arm(name), engines.load_engine(engine, irb.urdf_path(name))
    assert len(peer.joints) == (6 if engine == "yourdfpy" else 10)
    G = np.array([turns[joint] for joint in peer.joints])
    for q, v, a in oracles.states(name, 5, seed=15):
        np.testing.assert_allclose(
            peer.pose(G @ q), oracles.tip_pose(arm, q), atol=1e-6 if engine == "pybullet" else 1e-9
        )
        if peer.torque is not None:
            tau = oracles.newton_euler(arm, q, v, a)
            np.testing.assert_allclose(
                G.T @ peer.torque(G @ q, G @ v, G @ a),
                tau,
                rtol=0,
                atol=EXCHANGE * np.abs(tau).max(),
            )


def test_mujoco_is_asked_without_its_equalities():
    """Also where the bars do not close, each joint's torque is that of the open tree: a mimic
    pushes nothing.
    """
    path = irb.urdf_path("irb2400")
    model, peer, rng = (
        pin.buildModelFromUrdf(str(path)),
        engines.load_engine("mujoco", path),
        np.random.default_rng(16),
    )
    order = [model.joints[model.getJointId(joint)].idx_v for joint in peer.joints]
    q, v, a = rng.uniform(-1.0, 1.0, (3, 10))
    tau = pin.rnea(model, model.createData(), q, v, a)
    actual = peer.torque(q[order], v[order], a[order])
    np.testing.assert_allclose(actual, tau[order], rtol=0, atol=MUJOCO * np.abs(tau).max())


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_mujoco_makes_an_equality_of_each_mimic(name):
    """The parallelogram file has four equalities that hold on q_tree = G q + q0, and the same wrist
    there.
    """
    model = mujoco.MjModel.from_xml_path(str(irb.urdf_path(name)))
    data, robot = mujoco.MjData(model), irb.load(name, coupling="parallelogram")
    G, q0 = robot.coupling
    joints = [model.joint(joint).qposadr[0] for joint in robot.dynamic_model.tree.coupling.joints]
    for q, _, _ in oracles.states(name, 5, seed=12):
        data.qpos[joints] = G @ q + q0
        mujoco.mj_forward(model, data)
        assert model.neq == 4
        residual = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        assert len(residual) == 4
        np.testing.assert_allclose(residual, 0.0, atol=1e-12)
        for link in ("link_6", "link_rod"):
            np.testing.assert_allclose(
                data.body(link).xpos, robot.pose(q, link).translation, atol=1e-9
            )


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_drake_makes_a_coupler_of_each_mimic(name):
    """A discrete plant has four couplers, and the TCP on q_tree = G q + q0 is the robot's."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(1e-3)
    Parser(plant).AddModels(irb.urdf_path(name))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base_link"))
    plant.Finalize()
    assert plant.num_constraints() == 4
    robot, context = irb.load(name, coupling="parallelogram"), plant.CreateDefaultContext()
    G, q0 = robot.coupling
    for q, _, _ in oracles.states(name, 5, seed=13):
        for joint, value in zip(robot.dynamic_model.tree.coupling.joints, G @ q + q0, strict=True):
            plant.GetJointByName(joint).set_angle(context, value)
        pose = plant.GetFrameByName("tcp").CalcPoseInWorld(context).GetAsMatrix4()
        np.testing.assert_allclose(pose, robot.pose(q).homogeneous, atol=1e-9)


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_yourdfpy_moves_six_axes_and_the_bars_follow(name):
    """Six actuated joints that are the controller's axes; TCP and rod where the robot has them."""
    import yourdfpy

    model, robot = yourdfpy.URDF.load(str(irb.urdf_path(name)), load_meshes=False), irb.load(name)
    assert list(model.actuated_joint_names) == [f"joint_{i}" for i in range(1, 7)]
    for q, _, _ in oracles.states(name, 5, seed=14):
        model.update_cfg(q)
        for link in ("tcp", "link_rod", "link_crank"):
            np.testing.assert_allclose(
                model.get_transform(link, "base_link"), robot.pose(q, link).homogeneous, atol=1e-9
            )
