"""Comparison of an exported file, loaded in the tools of its format, with the robot."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pinocchio as pin

from ...errors import MissingExtra
from ...model.tree import UNLIMITED
from ...model.types import Array
from ...robot.robot import Robot
from .check import states
from .engines import ENGINES, Engine, load_engine, quiet

_STATES = 20
SINGLE = 1e-6  # [m] tolerance for a tool in single precision
DOUBLE = 1e-9
TOOLS = {"urdf": tuple(ENGINES), "ros2": tuple(ENGINES), "mjcf": ("mujoco",), "sdf": ("drake",)}
CARRIERS = {"joint_3": "joint_carrier", "joint_rod": "joint_rod_carrier"}
"""Joints whose files may have them merged with the carrier that they stand on."""
LOST_ALWAYS = {
    ("urdf", "mujoco"): "mass of the base",
    ("urdf", "pybullet"): "mass of the base, half the digits of a pose",
    ("urdf", "yourdfpy"): "dynamics",
    ("mjcf", "mujoco"): "Stribeck peak of friction",
}
LOST_WITHOUT_MASSES = {
    "mujoco": "masses: it makes them up from shapes",
    "pybullet": "masses: it makes each link 1 kg; half the digits of a pose",
}
LOST_OF_LINKAGES = {  # treatment of mimic joints
    ("urdf", "pinocchio"): "mimic, unless asked for",
    ("urdf", "mujoco"): "mimic is a soft spring",
    ("urdf", "drake"): "mimic, but for a discrete plant",
    ("urdf", "pybullet"): "mimic",
    ("urdf", "roboticstoolbox"): "mimic",
    ("mjcf", "mujoco"): "bars follow softly",
    ("sdf", "drake"): "mimic, but for a discrete plant",
}


Outcome = Literal["agrees", "DIFFERS", "cannot be asked", "not installed"]


class Verdict(NamedTuple):
    """Differences between the file in a tool and the robot; NaN where one of them has no answer."""

    format: str
    tool: str
    pose: float
    """Largest difference of the TCP's homogeneous matrix, lengths in m."""
    torque: float
    """Largest difference of the axis torques, relative to the largest."""
    mass: float
    """Difference of the total mass [kg]."""
    ranges: float
    """Largest difference of an axis range [rad, m]."""
    tolerance: float
    """Of pose and torque."""
    loses: str
    """Properties that this tool does not keep."""

    @property
    def installed(self) -> bool:
        """True if the tool is installed."""
        return not np.isnan(self.pose)

    @property
    def outcome(self) -> Outcome:
        """Outcome of the comparison."""
        if not self.installed:
            return "not installed"
        if np.isinf(self.pose):
            return "cannot be asked"
        return "agrees" if self.holds else "DIFFERS"

    @property
    def holds(self) -> bool:
        """True if poses, torques and ranges agree, or the tool is not installed."""
        differences = (
            self.pose > self.tolerance,
            self.torque > self.tolerance,
            self.ranges > DOUBLE,
        )
        return not any(differences)


def verify(robot: Robot, to: str, file: Path) -> list[Verdict]:
    """Load an exported file in each of its tools and compare.

    Args:
        robot: The exported robot.
        to: The format.
        file: First file that :func:`irbmodels.exchange.write.export` returned.

    Returns:
        One verdict per tool; where none is installed, they prove nothing (:func:`proven`).
    """
    return [_verdict(robot, to, tool, file.resolve()) for tool in TOOLS[to]]


def proven(verdicts: Sequence[Verdict]) -> bool:
    """Return whether one tool at least agrees, and none of those that are installed does not."""
    outcomes = {verdict.outcome for verdict in verdicts} - {"not installed"}
    return outcomes == {"agrees"}


def _verdict(robot: Robot, to: str, tool: str, file: Path) -> Verdict:
    tolerance = SINGLE if tool == "pybullet" else DOUBLE
    kind, text = "urdf" if to == "ros2" else to, file.read_text(encoding="utf-8")
    linked = "link_crank" in robot.whole_tree.frames
    merged = {name for name in CARRIERS.values() if linked and name not in text}
    opened = CARRIERS["joint_3"] in merged
    lost = [LOST_ALWAYS.get((kind, tool))]
    if not robot.dynamic_model.has_masses:  # a URDF: the other formats are refused
        lost = [LOST_WITHOUT_MASSES.get(tool, lost[0])]
    if linked and (kind == "mjcf" or not opened):
        lost.append(LOST_OF_LINKAGES.get((kind, tool)))
    if opened and "link_crank" not in text and (stand_in := _stand_in(robot)) is not robot:
        robot = stand_in
        lost.append(f"bars: set {robot.parameters}")
    if kind == "urdf" and tool == "roboticstoolbox" and not robot.world_from_base.isIdentity(0.0):
        lost.append("mounting in torques: give gravity in base axes")
    if to == "sdf":  # its world.sdf has the base frame
        robot = robot.mounted(np.eye(4))
    if to != "mjcf":  # the only one that has rotors and springs
        robot = robot.with_rotors(np.zeros(robot.n))
        lost += ["springs"] if robot.springs else []
    if robot.springs:  # torques are those of bodies and rotors
        robot = robot.with_springs(None)
    try:
        with quiet(), _resolved(file, text) as readable:
            engine = load_engine(tool, readable)
            differences = _differences(robot, engine, merged)
    except MissingExtra:
        return Verdict(to, tool, np.nan, np.nan, np.nan, np.nan, tolerance, "not installed")
    except Exception as err:  # whatever an engine raises at a file it cannot read
        problem = (
            f"cannot be asked: {type(err).__name__} {' '.join(str(err).split())[:120]}".rstrip()
        )
        return Verdict(to, tool, np.inf, np.nan, np.nan, np.nan, tolerance, problem)
    if engine.refuses and robot.dynamic_model.has_masses:
        lost.append(f"{engine.refuses}: refused")
    return Verdict(to, tool, *differences, tolerance, "; ".join(filter(None, lost)))


def _stand_in(robot: Robot) -> Robot:
    """Return the robot with the set for the open chain, itself where bars have no mass."""
    chosen = (
        None
        if robot.description is None
        else robot.description.inertials.sets[str(robot.parameters)]
    )
    return (
        robot if chosen is None or chosen.serial is None else robot.with_parameters(chosen.serial)
    )


def _differences(
    robot: Robot, engine: Engine, merged: set[str]
) -> tuple[float, float, float, float]:
    """Return the largest differences of pose, torque, mass and ranges."""
    rows, offset = _joints_from_axes(robot, engine.joints, merged)
    opened = CARRIERS["joint_3"] in merged
    standing = robot.with_gravity([0.0, 0.0, -9.81])
    with_torque = engine.torque is not None and robot.dynamic_model.has_masses
    pose, torque = 0.0, 0.0 if with_torque else np.nan
    for q, v, a in states(robot, _STATES):
        theirs = engine.pose(rows @ q + offset)
        pose = max(
            pose,
            float(np.abs(theirs - np.asarray(standing.pose(q[None], reference="world"))[0]).max()),
        )
        if with_torque and engine.torque is not None:
            tau = rows.T @ engine.torque(rows @ q + offset, rows @ v, rows @ a)
            ours = standing.inverse_dynamics(q, v, a, friction=False)
            torque = max(torque, float(np.abs(tau - ours).max() / max(np.abs(ours).max(), 1e-9)))
    mass = abs(engine.mass - _mass(robot)) if robot.dynamic_model.has_masses else np.nan
    return pose, torque, mass, _range_difference(robot, engine, opened)


def _joints_from_axes(
    robot: Robot, joints: tuple[str, ...], merged: set[str]
) -> tuple[Array, Array]:
    """Return rows and offset of ``q_joints = rows @ q + offset`` for the joints of a file.

    Without its carrier ``joint_3`` is the angle between the arms, ``joint_rod`` that between crank
    and rod.
    """
    coupling = robot.whole_tree.coupling
    known = {
        name: (row, shift)
        for name, row, shift in zip(coupling.joints, coupling.G, coupling.q0, strict=True)
    }
    for joint, carrier in CARRIERS.items():
        if carrier in merged:
            row, shift = known[carrier]
            known[joint] = known[joint][0] + row, shift
    rows, offset = zip(*(known[name] for name in joints), strict=True)
    return np.array(rows), np.array(offset)


def _mass(robot: Robot) -> float:
    model = robot.whole_tree.model
    # the base hangs on the universe
    return float(pin.computeTotalMass(model) + model.inertias[0].mass)


def _range_difference(robot: Robot, engine: Engine, opened: bool) -> float:
    model, limits = robot.whole_tree.model, robot.limits
    ends = zip(model.lowerPositionLimit, model.upperPositionLimit, strict=True)
    wanted = dict(zip(list(model.names)[1:], ends, strict=True))
    if opened:
        eye = np.eye(robot.n)
        wanted["joint_3"] = limits.sum_range(eye[2] - eye[1])
    pairs = [
        pair
        for name, bounds in zip(engine.joints, engine.ranges, strict=True)
        if name in robot.axes
        for pair in zip(bounds, wanted[name], strict=True)
    ]
    bounded = (pair for pair in pairs if min(map(abs, pair)) < UNLIMITED)
    return max((float(abs(one - other)) for one, other in bounded), default=0.0)


@contextlib.contextmanager
def _resolved(file: Path, text: str) -> Iterator[Path]:
    """Yield a file that every tool reads, with plain paths in place of ``package://``."""
    if "package://" not in text:
        yield file
        return
    package = next(
        (folder for folder in file.parents if (folder / "package.xml").is_file()), file.parent
    )
    plain = file.with_name(f".{file.stem}.urdf")
    try:
        plain.write_text(
            text.replace(f"package://{package.name}/", f"{package}/"), encoding="utf-8"
        )
        yield plain
    finally:
        plain.unlink(missing_ok=True)
