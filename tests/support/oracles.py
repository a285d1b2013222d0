"""Laws of motion in plain numpy, from the papers' corrected formulas: they share no code with the
package.

Everything is computed in base axes, on a list of joints whose variables are ``gain @ q``; complex
``q`` passes through, so derivatives are taken by complex steps. Lengths are typed here from the
sources, not read from the tables.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml

URDF = Path(__file__).resolve().parents[2] / "urdf"
GRAVITY = np.array([0.0, 0.0, -9.81])  # [m/s^2]
STEP = 1e-30  # of a complex step: no cancellation, so it may be as small as one likes

FAMILY = {
    "irb2400_10": "irb2400",
    "irb2400_16": "irb2400",
    "irb1400": "irb1400",
    "irb1600_6_120": "irb1600",
    "irb1600_6_145": "irb1600",
    "irb1600_10_120": "irb1600",
    "irb1600_10_145": "irb1600",
    "irb930_12_105": "irb930",
    "irb930_22_105": "irb930",
    "irb930_12_085": "irb930",
}
NAMES = tuple(FAMILY)
SIX_AXIS = tuple(name for name in NAMES if "930" not in name)
PARALLELOGRAM = ("irb2400_10", "irb2400_16", "irb1400")
DIMENSIONS = {  # d1, a1, a2, a3, d4, d6 [m]
    "irb2400_10": (0.615, 0.100, 0.705, 0.135, 0.755, 0.085),
    "irb2400_16": (0.615, 0.100, 0.705, 0.135, 0.755, 0.085),
    "irb1400": (0.475, 0.150, 0.600, 0.120, 0.720, 0.085),
    "irb1600_6_120": (0.4865, 0.150, 0.475, 0.0, 0.600, 0.065),
    "irb1600_6_145": (0.4865, 0.150, 0.700, 0.0, 0.600, 0.065),
    "irb1600_10_120": (0.4865, 0.150, 0.475, 0.0, 0.600, 0.065),
    "irb1600_10_145": (0.4865, 0.150, 0.700, 0.0, 0.600, 0.065),
}
CRANK = {"irb2400_10": 0.180, "irb2400_16": 0.180, "irb1400": 0.1532}  # [m]
SCARA_ARMS = {
    "irb930_12_105": (0.560, 0.490),
    "irb930_22_105": (0.560, 0.490),
    "irb930_12_085": (0.360, 0.490),
}  # [m]
SPINDLE = (12.7, (-0.0383, 0.0, 0.1293), np.diag([0.269, 0.274, 0.193]))  # S000 Tab. 4, in tool0
# S000 eq. 12 and 69
SPINDLE_TCP = np.array([[0, 0, 1, 0.240], [0, 1, 0, 0], [-1, 0, 0, 0.162], [0, 0, 0, 1.0]])


RANGES = {  # degrees (mm for the linear axis); axis 3 of a parallelogram arm is a range of q3 - q2
    "irb2400": [(-180, 180), (-100, 110), (-60, 65), (-200, 200), (-120, 120), (-400, 400)],
    "irb1400": [(-170, 170), (-70, 70), (-70, 70), (-150, 150), (-115, 115), (-300, 300)],
    "irb1600_6_120": [(-180, 180), (-63, 110), (-235, 55), (-200, 200), (-115, 115), (-400, 400)],
    "irb1600_6_145": [(-180, 180), (-90, 120), (-245, 65), (-200, 200), (-115, 115), (-400, 400)],
    "irb1600_10_120": [(-180, 180), (-63, 110), (-235, 55), (-200, 200), (-115, 115), (-400, 400)],
    "irb1600_10_145": [(-180, 180), (-90, 120), (-245, 65), (-200, 200), (-115, 115), (-400, 400)],
    "irb930": [(-150, 150), (-145, 145), (-300, 0), (-400, 400)],
}


class Joint(NamedTuple):
    """Joint on joint number ``parent`` (-1: base), whose variable turns about, or slides along, its
    own z.
    """

    parent: int
    origin: np.ndarray
    slides: bool
    gain: np.ndarray


class Body(NamedTuple):
    """Mass, centre of mass and tensor about it, in the frame of a joint."""

    joint: int
    mass: float
    com: np.ndarray
    tensor: np.ndarray


class Arm(NamedTuple):
    """Joints, each after its parent; ``tip`` is tool0 or a TCP in the frame of joint ``wrist``."""

    joints: list[Joint]
    bodies: list[Body]
    wrist: int
    tip: np.ndarray


def rotation(axis: int, angle: complex) -> np.ndarray:
    """Return the homogeneous rotation about axis 0, 1 or 2."""
    c, s = np.cos(angle), np.sin(angle)
    result = np.eye(4, dtype=np.result_type(c, float))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result[i, i], result[i, j], result[j, i], result[j, j] = c, -s, s, c
    return result


def shift(x: complex, y: complex, z: complex) -> np.ndarray:
    """Return the homogeneous translation."""
    result = np.eye(4, dtype=np.result_type(x, y, z, float))
    result[:3, 3] = x, y, z
    return result


def mdh(alpha: float, a: float, d: complex, theta: complex) -> np.ndarray:
    """Return Craig's transform of one modified DH row (S000 eq. 1)."""
    return rotation(0, alpha) @ shift(a, 0, 0) @ rotation(2, theta) @ shift(0, 0, d)


def standard_dh(alpha: float, a: float, d: complex, theta: complex) -> np.ndarray:
    """Return the classic DH transform (S003 eq. 2.23)."""
    return rotation(2, theta) @ shift(0, 0, d) @ shift(a, 0, 0) @ rotation(0, alpha)


def rows(name: str) -> list[tuple[float, float, float, float, bool]]:
    """Return alpha, a, d, theta0, slides of every joint [rad, m] (S000 Tab. 2; CAD as URDF for the
    SCARA).
    """
    right = np.pi / 2
    if name in SCARA_ARMS:
        inner, outer = SCARA_ARMS[name]
        return [
            (0, 0, 0.272, 0, False),
            (0, inner, 0.1235, 0, False),
            (0, outer, 0.1687, 0, True),
            (np.pi, 0, 0, 0, False),
        ]
    d1, a1, a2, a3, d4, _ = DIMENSIONS[name]
    return [
        (0, 0, d1, 0, False),
        (-right, a1, 0, -right, False),
        (0, a2, 0, 0, False),
        (-right, a3, d4, 0, False),
        (right, 0, 0, np.pi, False),
        (right, 0, 0, 0, False),
    ]


def inertials(name: str, tables: Path | None = None) -> dict:
    """Return a robot's table of inertials, read as plain YAML; nobody may change it."""
    file = (tables or URDF / FAMILY[name]) / "inertials.yaml"
    return plain_yaml(file.read_text(encoding="utf-8"))


@lru_cache(maxsize=64)
def plain_yaml(text: str) -> dict:
    """Return what libyaml reads in a text, apart from the package's own reader."""
    return yaml.load(text, Loader=yaml.CSafeLoader)


def weighed(
    name: str, parameters: str | None = None, tables: Path | None = None
) -> dict[str, dict]:
    """Return the rows of every body of a set, default the table's own, those of the bars with mass
    included.
    """
    table = inertials(name, tables)
    chosen = table["sets"][parameters or table["default"]]
    return chosen["links"] | chosen.get("variants", {}).get(name, {}).get("links", {})


def has_bars(name: str, parameters: str | None = None) -> bool:
    """Whether crank or rod of a set have mass: such a set exists only on the tree with the
    parallelogram.
    """
    return bool({"link_crank", "link_rod"} & set(weighed(name, parameters)))


def open_chain(name: str) -> str:
    """Return the name of the set of a robot's serial URDF: what stands for its default set, or that
    set itself.
    """
    table = inertials(name)
    return table["sets"][table["default"]].get("serial", table["default"])


def arm(
    name: str, parameters: str | None = None, tables: Path | None = None, bars: bool = False
) -> Arm:
    """Return a robot with typed lengths and the inertials of its table, read as plain YAML.

    Crank and rod are joints too where they have mass, or where ``bars`` asks for them: the crank
    turns by q3, the rod by q2, as the drawing of a parallelogram says.
    """
    lengths, links = rows(name), weighed(name, parameters, tables)
    gains = np.eye(len(lengths))
    if name in PARALLELOGRAM:
        gains[2, 1] = -1.0  # S000: theta3 = q3 - q2
    joints = [
        Joint(i - 1, mdh(alpha, a, d, theta0), slides, gains[i])
        for i, (alpha, a, d, theta0, slides) in enumerate(lengths)
    ]
    places = {f"link_{i}": i - 1 for i in range(1, len(joints) + 1)}
    if bars or {"link_crank", "link_rod"} & set(links):
        unit = np.eye(6)
        joints.append(Joint(0, joints[1].origin, False, unit[2]))
        joints.append(Joint(6, shift(0, -CRANK[name], 0), False, unit[1] - unit[2]))
        places |= {"link_crank": 6, "link_rod": 7}
    tip = shift(0, 0, 0) if name in SCARA_ARMS else shift(0, 0, DIMENSIONS[name][5])
    bodies = [Body(places[link], *inertial(row)) for link, row in links.items() if link in places]
    return Arm(joints, bodies, len(lengths) - 1, tip)


def inertial(row: dict) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre of mass [m] and tensor of a table row."""
    i = row["inertia_kg_m2"]
    tensor = [[i["xx"], i["xy"], i["xz"]], [i["xy"], i["yy"], i["yz"]], [i["xz"], i["yz"], i["zz"]]]
    return row["mass_kg"], np.array(row["com_mm"]) / 1000.0, np.array(tensor, dtype=float)


def carrying(
    robot: Arm, mass: float, com: np.ndarray, tensor: np.ndarray, tip: np.ndarray | None = None
) -> Arm:
    """Return the arm with a body in the axes of its tip; then the tip moves on by ``tip``."""
    turn = robot.tip[:3, :3]
    body = Body(robot.wrist, mass, turn @ com + robot.tip[:3, 3], turn @ tensor @ turn.T)
    return robot._replace(
        bodies=[*robot.bodies, body], tip=robot.tip @ (np.eye(4) if tip is None else tip)
    )


def poses(robot: Arm, q: np.ndarray) -> list[np.ndarray]:
    """Return the pose of every joint's frame in the base."""
    poses: list[np.ndarray] = []
    for joint in robot.joints:
        variable = joint.gain @ q
        moved = shift(0, 0, variable) if joint.slides else rotation(2, variable)
        poses.append(
            (poses[joint.parent] if joint.parent >= 0 else np.eye(4)) @ joint.origin @ moved
        )
    return poses


def tip_pose(robot: Arm, q: np.ndarray) -> np.ndarray:
    """Return the pose of tool0 or TCP."""
    return poses(robot, q)[robot.wrist] @ robot.tip


def jacobian(robot: Arm, frames: list[np.ndarray], joint: int, point: np.ndarray) -> np.ndarray:
    """Return the ``(6, n)`` Jacobian of a point [base axes] that moves with a joint's frame: z x (p
    - o), z (S000 eq. 33).
    """
    result = np.zeros((6, len(robot.joints[0].gain)), dtype=np.result_type(point, frames[0]))
    while joint >= 0:
        z, origin, link = frames[joint][:3, 2], frames[joint][:3, 3], robot.joints[joint]
        column = np.r_[z, np.zeros(3)] if link.slides else np.r_[np.cross(z, point - origin), z]
        result += np.outer(column, link.gain)
        joint = link.parent
    return result


def mass_matrix(robot: Arm, q: np.ndarray) -> np.ndarray:
    """Return ``sum m Jv' Jv + Jw' R I R' Jw`` (S000 eq. 50)."""
    frames, total = poses(robot, q), 0.0
    for body in robot.bodies:
        frame = frames[body.joint]
        turn = frame[:3, :3]
        J = jacobian(robot, frames, body.joint, turn @ body.com + frame[:3, 3])
        total = total + body.mass * J[:3].T @ J[:3] + J[3:].T @ turn @ body.tensor @ turn.T @ J[3:]
    return total


def potential(robot: Arm, q: np.ndarray, gravity: np.ndarray = GRAVITY) -> complex:
    """Return ``-sum m g' r`` [J]."""
    frames = poses(robot, q)
    return -sum(
        body.mass * gravity @ (frames[body.joint][:3, :3] @ body.com + frames[body.joint][:3, 3])
        for body in robot.bodies
    )


def mass_matrix_slopes(robot: Arm, q: np.ndarray) -> np.ndarray:
    """Return ``dM_ij / dq_k`` by complex steps, shape ``(n, n, n)``."""
    steps = 1j * STEP * np.eye(len(q))
    return np.stack([mass_matrix(robot, q + step).imag / STEP for step in steps], axis=-1)


def gravity_torque(robot: Arm, q: np.ndarray, gravity: np.ndarray = GRAVITY) -> np.ndarray:
    """Return the gradient of the potential energy by complex steps."""
    return np.array(
        [np.imag(potential(robot, q + step, gravity)) / STEP for step in 1j * STEP * np.eye(len(q))]
    )


def christoffel(slopes: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return ``C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k`` (S000 eq. 51)."""
    return 0.5 * (
        slopes @ v + np.einsum("ikj,k->ij", slopes, v) - np.einsum("jki,k->ij", slopes, v)
    )


def lagrange(
    robot: Arm, q: np.ndarray, v: np.ndarray, a: np.ndarray, gravity: np.ndarray = GRAVITY
) -> np.ndarray:
    """Return ``M a + C v + dP/dq`` from the energies alone."""
    C = christoffel(mass_matrix_slopes(robot, q), v)
    return mass_matrix(robot, q) @ a + C @ v + gravity_torque(robot, q, gravity)


def newton_euler(
    robot: Arm,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    gravity: np.ndarray = GRAVITY,
    wrench: np.ndarray | None = None,
) -> np.ndarray:
    """Return axis torques link by link (S000 eq. 57-67, corrected); ``wrench`` acts ON the tip,
    force first, base axes.
    """
    frames, count = poses(robot, q), len(robot.joints)
    spin, turning, pushing = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3))
    still = (np.zeros(3), np.zeros(3), -gravity, np.zeros(3))
    for i, joint in enumerate(robot.joints):
        p = joint.parent
        w, dw, acc, origin = (
            (spin[p], turning[p], pushing[p], frames[p][:3, 3]) if p >= 0 else still
        )
        z, arm_to = frames[i][:3, 2], frames[i][:3, 3] - origin
        rate, rise = joint.gain @ v, joint.gain @ a
        pushing[i] = acc + np.cross(dw, arm_to) + np.cross(w, np.cross(w, arm_to))
        spin[i], turning[i] = w, dw
        if joint.slides:
            pushing[i] += 2.0 * np.cross(w, z * rate) + z * rise
        else:
            spin[i], turning[i] = w + z * rate, dw + z * rise + np.cross(w, z * rate)
    force, moment = np.zeros((count, 3)), np.zeros((count, 3))
    for body in robot.bodies:
        i, turn = body.joint, frames[body.joint][:3, :3]
        lever, tensor = turn @ body.com, turn @ body.tensor @ turn.T
        push = body.mass * (
            pushing[i] + np.cross(turning[i], lever) + np.cross(spin[i], np.cross(spin[i], lever))
        )
        force[i] += push
        moment[i] += (
            tensor @ turning[i] + np.cross(spin[i], tensor @ spin[i]) + np.cross(lever, push)
        )
    if wrench is not None:
        lever = frames[robot.wrist][:3, :3] @ robot.tip[:3, 3]
        force[robot.wrist] -= wrench[:3]
        moment[robot.wrist] -= wrench[3:] + np.cross(lever, wrench[:3])
    tau = np.zeros(len(q))
    for i in reversed(range(count)):
        joint, z = robot.joints[i], frames[i][:3, 2]
        tau += joint.gain * (z @ (force[i] if joint.slides else moment[i]))
        if joint.parent >= 0:
            force[joint.parent] += force[i]
            moment[joint.parent] += moment[i] + np.cross(
                frames[i][:3, 3] - frames[joint.parent][:3, 3], force[i]
            )
    return tau


def ranges(name: str) -> np.ndarray:
    """Return the typed ranges in rad and m, shape ``(n, 2)``."""
    table = np.array(RANGES[next(key for key in RANGES if name.startswith(key))], dtype=float)
    return np.where(
        np.array([row[4] for row in rows(name)])[:, None], table / 1000.0, np.radians(table)
    )


def friction_2400(v: np.ndarray) -> np.ndarray:
    """Return Stribeck friction of the IRB 2400 (S000 eq. 54 and Tab. 5)."""
    static = np.array([36.3, 39.2, 25.3, 19.2, 39.7, 17.5])
    coulomb = np.array([24.2, 31.2, 16.9, 7.9, 13.7, 8.8])
    viscous = np.array([11.85, 8.323, 9.3613, 7.1228, 7.2654, 2.323])
    speed = np.array([0.0085, 0.0031, 0.0094, 0.0175, 0.0176, 0.0162])
    return (coulomb + (static - coulomb) * np.exp(-((v / speed) ** 2))) * np.sign(v) + viscous * v


def states(name: str, count: int, seed: int = 0) -> np.ndarray:
    """Return ``count`` random states q, v, a of a robot, shape ``(count, 3, n)``; the SCARA's axis
    3 within its 0.3 m.
    """
    slides = np.array([row[4] for row in rows(name)])
    spread = np.array([2.5, 2.0, 5.0])[:, None] * np.where(slides, 0.1, 1.0)
    drawn = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3, slides.size)) * spread
    drawn[:, 0, slides] = -np.abs(drawn[:, 0, slides])
    return drawn
