"""Other physics engines on the same URDF, each behind two questions: where is the TCP, what torque does a motion need.

A ``<mimic>`` is left to the caller, who gives every joint its own position; only yourdfpy moves such joints by itself. They
are peers to check against, not dependencies: each is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import MissingExtra, UnknownName

Array = NDArray[np.float64]


class Engine(NamedTuple):
    """A URDF loaded in one engine; joint coordinates, gravity 9.81 m/s^2 down, no friction."""

    name: str
    joints: tuple[str, ...]
    """Names of the joints whose coordinates it takes, in its own order."""
    pose: Callable[[Array], Array]
    """Homogeneous matrix of ``tcp`` in ``base_link``, from joint positions."""
    torque: Callable[[Array, Array, Array], Array] | None
    """Inverse dynamics from joint positions, speeds and accelerations; None where the engine has none."""


def load_engine(name: str, urdf: Path) -> Engine:
    """Load a URDF in an engine.

    Raises:
        UnknownName: if there is no such engine.
        MissingExtra: if it is not installed.
    """
    if name not in ENGINES:
        raise UnknownName("engine", name, ENGINES)
    try:
        return ENGINES[name](urdf)
    except ImportError as err:
        raise MissingExtra(name, "dev") from err


def _mujoco(urdf: Path) -> Engine:
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(urdf))
    bit = mujoco.mjtDisableBit  # nothing but joints is to push; MuJoCo makes an equality of each mimic
    model.opt.disableflags |= bit.mjDSBL_LIMIT | bit.mjDSBL_CONTACT | bit.mjDSBL_EQUALITY
    data = mujoco.MjData(model)
    spec = _fixed_below(urdf, "tcp")  # MuJoCo fuses links that do not move with their parent

    def pose(q: Array) -> Array:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        matrix = np.eye(4)
        body = model.body(spec[0]).id
        matrix[:3, :3], matrix[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
        return np.asarray(matrix @ spec[1])

    def torque(q: Array, v: Array, a: Array) -> Array:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_inverse(model, data)
        return np.array(data.qfrc_inverse)

    return Engine("mujoco", tuple(model.joint(i).name for i in range(model.njnt)), pose, torque)


def _drake(urdf: Path) -> Engine:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant: Any = MultibodyPlant(0.0)
    Parser(plant).AddModels(urdf)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base_link"))
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
    return Engine("drake", tuple(names), pose, torque)


def _pybullet(urdf: Path) -> Engine:
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    pybullet.setGravity(0.0, 0.0, -9.81, physicsClientId=client)
    flags = pybullet.URDF_USE_INERTIA_FROM_FILE
    body = pybullet.loadURDF(str(urdf), useFixedBase=True, flags=flags, physicsClientId=client)
    joints = [
        pybullet.getJointInfo(body, i, physicsClientId=client) for i in range(pybullet.getNumJoints(body, physicsClientId=client))
    ]
    moving = {info[0]: info[1].decode() for info in joints if info[2] != pybullet.JOINT_FIXED}
    tcp = next(info[0] for info in joints if info[12] == b"tcp")

    def pose(q: Array) -> Array:
        for joint, value in zip(moving, q, strict=True):
            pybullet.resetJointState(body, joint, float(value), physicsClientId=client)
        state = pybullet.getLinkState(body, tcp, computeForwardKinematics=True, physicsClientId=client)
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = np.reshape(pybullet.getMatrixFromQuaternion(state[5]), (3, 3)), state[4]
        return matrix

    def torque(q: Array, v: Array, a: Array) -> Array:
        state = (q.tolist(), v.tolist(), a.tolist())
        return np.array(pybullet.calculateInverseDynamics(body, *state, physicsClientId=client))

    return Engine("pybullet", tuple(moving.values()), pose, torque)


def _yourdfpy(urdf: Path) -> Engine:
    import yourdfpy

    model = yourdfpy.URDF.load(str(urdf), load_meshes=False)

    def pose(q: Array) -> Array:
        model.update_cfg(q)
        return np.asarray(model.get_transform("tcp", "base_link"))

    return Engine("yourdfpy", tuple(model.actuated_joint_names), pose, None)


ENGINES: dict[str, Callable[[Path], Engine]] = {"mujoco": _mujoco, "drake": _drake, "pybullet": _pybullet, "yourdfpy": _yourdfpy}


def _fixed_below(urdf: Path, frame: str) -> tuple[str, Array]:
    """Return the moving link that carries ``frame``, and the pose of ``frame`` in it."""
    import pinocchio as pin

    model: Any = pin.buildModelFromUrdf(str(urdf))
    placed = model.frames[model.getFrameId(frame)]
    joint = model.names[placed.parentJoint]
    return str(joint).replace("joint", "link"), np.asarray(placed.placement.homogeneous)
