"""Comparison of a robot with two independent derivations and every installed engine."""

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...dynamics import oracles
from ...dynamics.oracles import Bar, Chain, DriveFriction
from ...errors import InputError, MissingData, MissingExtra
from ...model.types import Array
from ...robot.robot import Robot
from ...tables.description import Coupling, Description
from ...trajectory import Motion
from .engines import PEERS, Engine, load_engine

_STATES = 50  # random states per comparison
# [kg]; weighs 1e-10 of the largest torque at most, and MuJoCo warns of singular inertias from 1e-11
# kg down
_CARRIER = 1e-9


class Agreement(NamedTuple):
    """Largest difference of one quantity between the robot and a reference."""

    quantity: str
    against: str
    difference: float
    """Absolute for poses [m], relative to the largest entry else.

    NaN where nothing was compared, infinite where a result is not finite.
    """
    tolerance: float
    """Expected rounding in double precision (single precision inside PyBullet)."""

    @property
    def compared(self) -> bool:
        """True if there was something to compare with."""
        return not np.isnan(self.difference)

    @property
    def holds(self) -> bool:
        """True unless the two differ; an engine that is not installed does not differ."""
        return not self.difference > self.tolerance


class TcpPath(NamedTuple):
    """The TCP along a motion."""

    position: Array
    """[m], base axes, ``(N, 3)``."""
    angle: Array
    """Angle of its rotation from the base [rad], ``(N,)``."""
    velocity: Array
    """[m/s], base axes, ``(N, 3)``."""


def chain_of(robot: Robot) -> Chain:
    """Return the robot as numbers of its tables, from which the oracles compute.

    Raises:
        MissingData: for a robot from a URDF.
    """
    if robot.description is None:
        raise MissingData(f"{robot.name} comes from a URDF; the oracles work on tables")
    rows = robot.description.inertials.sets[str(robot.parameters)].links
    table = robot.dh("modified")
    links = [joint.replace("joint", "link") for joint in robot.description.chain]
    bodies = [[rows[link].inertial()] if rows else [] for link in links]
    tcp = table.tool0
    if robot.tool is not None:
        bodies[-1].append(robot.tool.load.moved(table.tool0[:3, :3], table.tool0[:3, 3]))
        tcp = table.tool0 @ robot.tool.tcp.homogeneous
    if robot.payload is not None:
        bodies[-1].append(robot.payload.moved(tcp[:3, :3], tcp[:3, 3]))
    places = _places_of_bars(robot.description)
    bars = [Bar(rows[name].inertial(), *place) for name, place in places.items() if name in rows]
    law = robot.friction_model
    friction = None
    if law is not None:
        columns = [getattr(law, name).tolist() for name in DriveFriction._fields]
        friction = tuple(DriveFriction(*row) for row in zip(*columns, strict=True))
    groups = tuple(map(tuple, bodies))
    return Chain(
        table,
        groups,
        tuple(bars),
        robot.gravity_vector,
        friction,
        robot.rotors,
        robot.drive_axes,
        tcp,
    )


def _places_of_bars(robot: Description) -> dict[str, tuple[int, Array, int, int]]:
    """Return parallel link, pin [m], and the links that the pin counts from and turns with."""
    tables = robot.kinematics
    if tables.parallelogram is None:
        return {}
    back, level = -tables.parallelogram.crank_mm / 1000.0, tables.level
    pin = np.array([0.0, back, 0.0] if level is None else [back, 0.0, 0.0])
    places = {"link_crank": (2, np.zeros(3), 1, 2), "link_rod": (1, pin, 1, 2)}
    if level is None:
        return places
    # link_level, whose axes are ahead and down, is the fourth of the chain
    lower, upper = (
        np.array([ahead, -up, 0.0]) / 1000.0
        for ahead, up in (level.lower_pin_mm, level.upper_pin_mm)
    )
    return places | {
        "link_carrier": (3, np.zeros(3), 2, 3),
        "link_lower_rod": (1, lower, 1, 3),
        "link_upper_rod": (2, upper, 2, 3),
    }


def states(robot: Robot, count: int, seed: int = 0) -> Iterator[tuple[Array, Array, Array]]:
    """Yield random states ``(q, v, a)``.

    Positions over all ranges, speeds up to half their limits, accelerations up to 5 rad/s^2
    (m/s^2).
    """
    rng, limits = np.random.default_rng(seed), robot.limits
    _, inverse, *both = limits.axis_ranges
    low, high = (
        np.clip(ends, -np.pi, np.pi) if robot.description is None else ends for ends in both
    )
    low, high = np.minimum(low, high), np.maximum(low, high)
    speed = np.where(np.isfinite(limits.velocity), limits.velocity, 1.0)
    for _ in range(count):
        q = limits.moved_inside(inverse @ rng.uniform(low, high))
        yield q, rng.uniform(-0.5, 0.5, robot.n) * speed, rng.uniform(-5.0, 5.0, robot.n)


def check(robot: Robot) -> list[Agreement]:
    """Compare the robot with Euler-Lagrange, Newton-Euler and every engine.

    Of the engines those that are installed answer. Of an arm whose masses are unknown only poses
    are compared.

    Raises:
        MissingData: for a robot that has no tables.
    """
    agreements: list[Agreement] = []
    if robot.springs:  # neither oracles nor engines have any
        agreements += _springs_against_energy(robot)
        robot = robot.with_springs(None)
    agreements += _against_oracles(robot, chain_of(robot))
    assert robot.description is not None  # chain_of refuses it
    if robot.description.inertials.sets[str(robot.parameters)].impossible:
        return [
            *agreements,
            *(Agreement("refused: impossible inertias", name, np.nan, np.nan) for name in PEERS),
        ]
    # a URDF contains no tool made in code
    from_tables = (
        robot if robot.tool and robot.tool.path else robot.with_load(payload=robot.payload)
    )
    for name in PEERS:
        tolerance = 1e-6 if name == "pybullet" else 1e-9
        try:
            agreements += _against_engine(from_tables, _in_engine(from_tables, name), tolerance)
        except MissingExtra:
            agreements.append(Agreement("not installed", name, np.nan, tolerance))
    return agreements


def reference_motion(robot: Robot, duration: float = 3.0, rate: float = 100.0) -> Motion:
    """Return S001's motion of constant axis speeds from zero (section 4.2).

    Speeds are (0.5, -0.3, -0.2, 0.2, 0.1, 0.1) rad/s.
    """
    t = np.arange(round(duration * rate) + 1) / rate
    speed = np.array([0.5, -0.3, -0.2, 0.2, 0.1, 0.1])[: robot.n] * np.where(
        robot.limits.linear, 0.1, 1.0
    )
    return Motion(t, np.outer(t, speed), np.tile(speed, (len(t), 1)), np.zeros((len(t), robot.n)))


def tcp_paths(robot: Robot, motion: Motion, engine: str = "mujoco") -> dict[str, TcpPath]:
    """Return the TCP along a motion from the MDH table, the robot (Pinocchio) and an engine.

    The velocity of the closed form and of the engine is the central difference of their own
    positions.

    Raises:
        InputError: if the motion has no speeds.
        MissingExtra: if the engine is not installed.
    """
    if motion.v is None:
        raise InputError("the TCP's velocity needs a motion with speeds")
    table, speed = robot.dh("modified"), motion.v
    tcp = np.eye(4) if robot.tool is None else robot.tool.tcp.homogeneous

    def closed_form(q: Array) -> Array:
        return np.asarray(table.frames(q)[-1] @ tcp)

    peer = _in_engine(robot, engine)
    # of a tool that the URDF does not contain
    tool_tcp = tcp if robot.tool is None or robot.tool.path is None else np.eye(4)
    paths = {
        "closed form": _path(closed_form, motion.q, speed),
        "pinocchio": _path(lambda q: _tcp(robot, q), motion.q, speed),
        engine: _path(lambda q: peer.pose(q) @ tool_tcp, motion.q, speed),
    }
    velocity = np.einsum("kij,kj->ki", robot.jacobian(motion.q), speed)[:, :3]
    return paths | {"pinocchio": paths["pinocchio"]._replace(velocity=velocity)}


def _in_engine(robot: Robot, name: str) -> Engine:
    """Load the robot's tree in an engine that takes axis positions.

    A tool made in code is left out.

    Raises:
        MissingExtra: if the engine is not installed.
    """
    assert robot.description is not None
    names = list(robot.model.names)[1:]  # the first is the universe
    coupling: Coupling = "parallelogram" if "joint_crank" in names else "serial"
    tool = robot.tool.path if robot.tool else None
    text = robot.description.urdf(
        coupling, robot.parameters, tool, carrier_kg=_CARRIER, looks=False
    )
    if not robot.dynamic_model.has_masses:
        text = _with_carriers(text)
    with tempfile.TemporaryDirectory() as folder:
        urdf = Path(folder) / "robot.urdf"
        urdf.write_text(text, encoding="utf-8")
        engine = load_engine(name, urdf)
    rows = [names.index(joint) for joint in engine.joints]
    G, q0 = (array[rows] for array in robot.coupling)
    tree_torque = engine.torque

    def pose(q: Array) -> Array:
        return engine.pose(G @ q + q0)

    def torque(q: Array, v: Array, a: Array) -> Array:
        assert tree_torque is not None
        return np.asarray(G.T @ tree_torque(G @ q + q0, G @ v, G @ a))

    asked = None if tree_torque is None else torque
    return Engine(name, robot.axes, pose, asked, refuses=engine.refuses)


def _with_carriers(text: str) -> str:
    """Return a URDF whose links all have a mass, which MuJoCo asks of those that move."""
    root = ElementTree.fromstring(text)
    for link in root.iter("link"):
        if link.find("inertial") is None:
            inertial = ElementTree.SubElement(link, "inertial")
            ElementTree.SubElement(inertial, "mass", value="1")
            moments = dict.fromkeys(("ixx", "iyy", "izz"), "1")
            products = dict.fromkeys(("ixy", "ixz", "iyz"), "0")
            ElementTree.SubElement(inertial, "inertia", moments | products)
    return ElementTree.tostring(root, encoding="unicode")


def _path(pose: Callable[[Array], Array], positions: Array, speed: Array) -> TcpPath:
    # [s]; the error of the central difference is far below what a plot shows
    step = 1e-5
    poses = np.stack([pose(q) for q in positions])
    ahead, behind = (
        np.stack([pose(q)[:3, 3] for q in positions + sign * step * speed]) for sign in (1.0, -1.0)
    )
    angle = np.arccos(
        np.clip((np.trace(poses[:, :3, :3], axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0)
    )
    return TcpPath(poses[:, :3, 3], angle, (ahead - behind) / (2.0 * step))


def _against_oracles(robot: Robot, chain: Chain) -> Iterator[Agreement]:
    rng = np.random.default_rng(1)
    worst = dict.fromkeys(("Euler-Lagrange", "Newton-Euler", "M", "C", "G", "pose"), 0.0)
    for q, v, a in states(robot, _STATES):
        closed = chain.table.frames(q)[-2] @ chain.tcp
        worst["pose"] = max(worst["pose"], _distance(_tcp(robot, q), closed))
        if not robot.dynamic_model.has_masses:
            continue
        wrench = rng.uniform(-50.0, 50.0, 6)
        tau = robot.inverse_dynamics(
            q, v, a, friction=robot.friction_model is not None, wrench=wrench
        )
        terms = oracles.lagrange_terms(chain, q, v)
        pairs = {
            "Euler-Lagrange": (tau, oracles.euler_lagrange(chain, q, v, a, wrench)),
            "Newton-Euler": (tau, oracles.newton_euler(chain, q, v, a, wrench)),
            "M": (robot.mass_matrix(q), terms.M),
            "C": (robot.coriolis(q, v), terms.C),
            "G": (robot.gravity(q), terms.G),
        }
        for name, (ours, theirs) in pairs.items():
            worst[name] = max(worst[name], _relative(ours, theirs))
    yield Agreement("TCP pose", "MDH product", worst["pose"], 1e-12)
    if not robot.dynamic_model.has_masses:
        return
    yield Agreement("torque", "Newton-Euler", worst["Newton-Euler"], 1e-10)
    yield Agreement("torque", "Euler-Lagrange", worst["Euler-Lagrange"], 1e-10)
    for name, what in (("M", "mass matrix"), ("C", "Coriolis matrix"), ("G", "gravity torque")):
        yield Agreement(what, "Euler-Lagrange", worst[name], 1e-10)


def _springs_against_energy(robot: Robot) -> Iterator[Agreement]:
    """Yield the agreement of the springs' torque with differences of their energy."""
    bare, worst, step = robot.with_springs(None), 0.0, 1e-4  # [rad, m]

    def stored(q: Array, v: Array) -> float:
        return float(robot.energy(q, v).potential - bare.energy(q, v).potential)

    for q, v, _ in states(robot, _STATES):
        steps = step * np.eye(robot.n)
        slope = np.array([stored(q + one, v) - stored(q - one, v) for one in steps]) / (2.0 * step)
        worst = max(worst, _relative(robot.gravity(q) - bare.gravity(q), slope))
    yield Agreement("torque of springs", "differences of energy", worst, 1e-6)


def _against_engine(robot: Robot, engine: Engine, tolerance: float) -> Iterator[Agreement]:
    bare = (
        robot.with_gravity([0.0, 0.0, -9.81])
        .mounted(np.eye(3))
        .with_payload(None)
        .with_rotors(np.zeros(robot.n))
    )
    pose, torque, with_torque = 0.0, 0.0, robot.dynamic_model.has_masses
    for q, v, a in states(robot, _STATES):
        pose = max(pose, _distance(engine.pose(q), _tcp(bare, q)))
        if with_torque and engine.torque is not None:
            torque = max(
                torque,
                _relative(bare.inverse_dynamics(q, v, a, friction=False), engine.torque(q, v, a)),
            )
    yield Agreement("TCP pose", engine.name, pose, tolerance)
    if with_torque and engine.torque is not None:
        yield Agreement("torque", engine.name, torque, tolerance)
    if with_torque and engine.refuses:
        yield Agreement(f"{engine.refuses}: refused", engine.name, np.nan, tolerance)


def _tcp(robot: Robot, q: Array) -> Array:
    pose: Array = np.asarray(robot.pose(q[None]))[0]
    return pose


def _relative(ours: Array, theirs: Array) -> float:
    size = float(np.abs(theirs).max())
    return _distance(ours, theirs) / size if size > 1e-9 else _distance(ours, theirs)


def _distance(ours: Array, theirs: Array) -> float:
    """Largest difference; infinite where a result is not finite, so that it is no agreement."""
    largest = float(np.abs(ours - theirs).max())
    return largest if np.isfinite(largest) else np.inf
