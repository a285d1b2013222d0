"""One interface to other engines: TCP pose, torque, mass and ranges of the same file.

The caller gives mimic joints their positions as well; only yourdfpy moves such joints by itself.
Engines are references to compare with, not dependencies: each is imported when it is loaded.
"""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from ...errors import MissingExtra, UnknownName
from ...model.shapes import link_of
from ...model.types import Array


class Engine(NamedTuple):
    """A file loaded in one engine; joint coordinates, gravity 9.81 m/s^2 down, no friction."""

    name: str
    joints: tuple[str, ...]
    """Names of its joints in the order of its coordinates."""
    pose: Callable[[Array], Array]
    """Homogeneous matrix of ``tcp`` in the base, from joint positions."""
    torque: Callable[[Array, Array, Array], Array] | None
    """Inverse dynamics from joint positions, speeds and accelerations.

    None where the engine has none.
    """
    mass: float = float("nan")
    """Total mass that the engine has read [kg]."""
    ranges: Array = np.empty((0, 2))
    """Lower and upper bound per joint [rad, m], shape ``(n, 2)``; infinite where it has none."""
    coupling: str = ""
    """Treatment of mimic joints."""
    refuses: str = ""
    """Quantity that it computes for other files, and refuses for this one."""


def load_engine(name: str, file: Path) -> Engine:
    """Load a URDF in an engine; MuJoCo takes an MJCF too, Drake an SDF.

    Raises:
        UnknownName: if there is no such engine.
        MissingExtra: if it is not installed.
    """
    if name not in ENGINES:
        raise UnknownName("engine", name, ENGINES)
    try:
        return ENGINES[name](file)
    except ImportError as err:
        raise MissingExtra(name, "dev") from err


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress what engines print from C++."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept, nowhere = [os.dup(1), os.dup(2)], os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        yield
    finally:
        for stream, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, stream)
            os.close(copy)
        os.close(nowhere)


def _mujoco(urdf: Path) -> Engine:
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(urdf))
    # inverse dynamics of the bodies alone; MuJoCo makes an equality of each mimic
    bit = mujoco.mjtDisableBit
    model.opt.disableflags |= (
        bit.mjDSBL_LIMIT
        | bit.mjDSBL_CONTACT
        | bit.mjDSBL_EQUALITY
        | bit.mjDSBL_FRICTIONLOSS
        | bit.mjDSBL_SPRING
    )
    model.dof_damping[:], model.tendon_damping[:] = 0.0, 0.0
    model.opt.gravity[:] = [0.0, 0.0, -9.81]
    data = mujoco.MjData(model)
    site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, "tcp")
    # MuJoCo fuses links that do not move with their parent
    spec = _fixed_below(urdf, "tcp") if site < 0 else None

    def pose(q: Array) -> Array:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        matrix = np.eye(4)
        if spec is None:
            matrix[:3, :3], matrix[:3, 3] = data.site_xmat[site].reshape(3, 3), data.site_xpos[site]
            return matrix
        body = model.body(spec[0]).id
        matrix[:3, :3], matrix[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
        return np.asarray(matrix @ spec[1])

    def torque(q: Array, v: Array, a: Array) -> Array:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_inverse(model, data)
        return np.array(data.qfrc_inverse)

    ranges = np.where(model.jnt_limited[:, None] > 0, model.jnt_range, [-np.inf, np.inf])
    names = tuple(model.joint(i).name for i in range(model.njnt))
    return Engine(
        "mujoco", names, pose, torque, float(model.body_mass.sum()), ranges, "soft constraint"
    )


def _drake(urdf: Path) -> Engine:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex, MultibodyForces

    plant: Any = MultibodyPlant(0.0)
    Parser(plant).AddModels(urdf)
    carried = {
        int(plant.get_joint(index).child_body().index()) for index in plant.GetJointIndices()
    }
    # 0 is the world; an SDF may have fixed the base to it
    for base in range(1, plant.num_bodies()):
        if base not in carried:
            plant.WeldFrames(plant.world_frame(), plant.get_body(BodyIndex(base)).body_frame())
    for joint in map(plant.get_joint, plant.GetJointIndices()):
        joint.set_default_damping_vector(np.zeros(joint.num_velocities()))
    plant.Finalize()
    context, tcp = plant.CreateDefaultContext(), plant.GetFrameByName("tcp")

    def pose(q: Array) -> Array:
        plant.SetPositions(context, q)
        return np.asarray(tcp.CalcPoseInWorld(context).GetAsMatrix4())

    def torque(q: Array, v: Array, a: Array) -> Array:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        gravity = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, gravity)
        return np.asarray(plant.CalcInverseDynamics(context, a, gravity))

    names = plant.GetPositionNames(add_model_instance_prefix=False, always_add_suffix=False)
    ranges = np.stack([plant.GetPositionLowerLimits(), plant.GetPositionUpperLimits()], axis=1)
    mass = float(plant.CalcTotalMass(context))
    return Engine(
        "drake", tuple(names), pose, torque, mass, ranges, "constraint of a discrete plant only"
    )


class _Connection:
    """A physics server of PyBullet in this process, which ends with the last reference to this.

    Each takes 30 MB, and a process may have 1024 of them.
    """

    def __init__(self) -> None:
        import pybullet

        self.number = pybullet.connect(pybullet.DIRECT)
        weakref.finalize(self, pybullet.disconnect, self.number).atexit = False


def _pybullet(urdf: Path) -> Engine:
    import pybullet

    connection = _Connection()
    client = connection.number
    flags = (
        pybullet.URDF_USE_INERTIA_FROM_FILE
        | pybullet.URDF_IGNORE_VISUAL_SHAPES
        | pybullet.URDF_IGNORE_COLLISION_SHAPES
    )
    pybullet.setGravity(0.0, 0.0, -9.81, physicsClientId=client)
    body = pybullet.loadURDF(str(urdf), useFixedBase=True, flags=flags, physicsClientId=client)
    joints = [
        pybullet.getJointInfo(body, i, physicsClientId=client)
        for i in range(pybullet.getNumJoints(body, physicsClientId=client))
    ]
    moving = {info[0]: info[1].decode() for info in joints if info[2] != pybullet.JOINT_FIXED}
    tcp = next(info[0] for info in joints if info[12] == b"tcp")

    def pose(q: Array) -> Array:
        client = connection.number
        for joint, value in zip(moving, q, strict=True):
            pybullet.resetJointState(body, joint, float(value), physicsClientId=client)
        state = pybullet.getLinkState(
            body, tcp, computeForwardKinematics=True, physicsClientId=client
        )
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = (
            np.reshape(pybullet.getMatrixFromQuaternion(state[5]), (3, 3)),
            state[4],
        )
        return matrix

    def torque(q: Array, v: Array, a: Array) -> Array:
        client = connection.number
        state = (q.tolist(), v.tolist(), a.tolist())
        return np.array(pybullet.calculateInverseDynamics(body, *state, physicsClientId=client))

    refuses = ""
    try:
        with quiet():
            torque(*np.zeros((3, len(moving))))
    except SystemError:  # it asks for tensors symmetric to the last bit after a rotation of its own
        refuses = "torque"
    mass = sum(
        pybullet.getDynamicsInfo(body, i, physicsClientId=client)[0] for i in range(-1, len(joints))
    )
    ranges = np.array([info[8:10] for info in joints if info[0] in moving])
    return Engine(
        "pybullet",
        tuple(moving.values()),
        pose,
        None if refuses else torque,
        float(mass),
        ranges,
        "ignored",
        refuses,
    )


def _yourdfpy(urdf: Path) -> Engine:
    import yourdfpy

    model = yourdfpy.URDF.load(str(urdf), load_meshes=False)
    base = model.base_link

    def pose(q: Array) -> Array:
        model.update_cfg(q)
        return np.asarray(model.get_transform("tcp", base))

    mass = sum(
        link.inertial.mass
        for link in model.robot.links
        if link.inertial is not None and link.inertial.mass
    )
    ranges = np.array([[joint.limit.lower, joint.limit.upper] for joint in model.actuated_joints])
    return Engine(
        "yourdfpy", tuple(model.actuated_joint_names), pose, None, float(mass), ranges, "exact"
    )


def _pinocchio(urdf: Path) -> Engine:
    import pinocchio as pin

    model: Any = pin.buildModelFromUrdf(str(urdf))
    data, tcp = model.createData(), model.getFrameId("tcp")
    model.gravity = pin.Motion(np.array([0.0, 0.0, -9.81]), np.zeros(3))

    def pose(q: Array) -> Array:
        pin.framesForwardKinematics(model, data, q)
        return np.array(data.oMf[tcp].homogeneous)

    def torque(q: Array, v: Array, a: Array) -> Array:
        return np.array(pin.rnea(model, data, q, v, a))

    ranges = np.stack([model.lowerPositionLimit, model.upperPositionLimit], axis=1)
    mass = pin.computeTotalMass(model) + model.inertias[0].mass  # the base hangs on the universe
    return Engine(
        "pinocchio",
        tuple(model.names)[1:],
        pose,
        torque,
        float(mass),
        ranges,
        "ignored (mimic=False)",
    )


def _roboticstoolbox(urdf: Path) -> Engine:
    import roboticstoolbox
    from roboticstoolbox.models.URDF.URDFRobot import URDF_file

    links, name, _ = URDF_file(str(urdf))
    robot: Any = roboticstoolbox.Robot(links, name=name)
    moving = sorted((link for link in robot.links if link.isjoint), key=lambda link: link.jindex)
    for link in moving:
        link.B, link.Tc = 0.0, [0.0, 0.0]
    joint_of = {
        link_of(tag, "child"): str(tag.get("name"))
        for tag in ElementTree.parse(urdf).iterfind("joint")
    }

    def pose(q: Array) -> Array:
        return np.asarray(robot.fkine(q, end="tcp").A)

    def torque(q: Array, v: Array, a: Array) -> Array:
        return np.asarray(robot.rne(q, v, a, gravity=gravity))

    # its Newton-Euler recursion leaves out fixed joints before the first that moves: gravity in the
    # axes of the link that carries that one
    still: Any = robot.fkine(np.zeros(len(moving)), end=moving[0].parent)
    gravity = still.R.T @ [0.0, 0.0, -9.81]
    mass = float(sum(link.m for link in robot.links))
    names = tuple(joint_of[link.name] for link in moving)
    return Engine("roboticstoolbox", names, pose, torque, mass, np.asarray(robot.qlim).T, "ignored")


# share no code with this package
PEERS = ("mujoco", "drake", "pybullet", "yourdfpy", "roboticstoolbox")
ENGINES: dict[str, Callable[[Path], Engine]] = {
    "pinocchio": _pinocchio,
    "mujoco": _mujoco,
    "drake": _drake,
    "pybullet": _pybullet,
    "yourdfpy": _yourdfpy,
    "roboticstoolbox": _roboticstoolbox,
}


def _fixed_below(urdf: Path, frame: str) -> tuple[str, Array]:
    """Return the moving link that carries ``frame``, and the pose of ``frame`` in it."""
    import pinocchio as pin

    model: Any = pin.buildModelFromUrdf(str(urdf))
    placed = model.frames[model.getFrameId(frame)]
    joint = model.names[placed.parentJoint]
    tags = ElementTree.parse(urdf).iterfind("joint")
    link = next(link_of(tag, "child") for tag in tags if tag.get("name") == joint)
    return link, np.asarray(placed.placement.homogeneous)
