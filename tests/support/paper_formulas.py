"""Formulas of S000 (doi 10.2478/ama-2025-0064) and S001 (Jia's report), named after their
equations.

``eq_N_printed`` is what stands in S000, ``eq_N`` what is right; where there is no ``_printed`` the
paper is right. Equations of S001 are ``s001_eq_N``; its formulas without a number have the names
that it gives the results. Angles are in rad, lengths in m. What is wrong, and how it was shown:
docs/background/errata.md.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

RIGHT = np.pi / 2
# [m] S000 Tab. 2, where D6 is d7; ABB's drawing
D1, A1, A2, A3, D4, D6 = 0.615, 0.100, 0.705, 0.135, 0.755, 0.085
TOOL = np.array([0.240, 0.0, 0.162])  # [m] S000 eq. 69: x_T, y_T, z_T

Array = np.ndarray


def script(name: str) -> ModuleType:
    """Return a script of this project as a module."""
    path = Path(__file__).resolve().parents[2] / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def trig(q: Array) -> tuple[Array, Array]:
    """Return cosines and sines, counted from 1 as in the papers."""
    return np.concatenate([[np.nan], np.cos(q)]), np.concatenate([[np.nan], np.sin(q)])


# --- S000, kinematics


def eq_1(alpha: float, a: float, theta: float, d: float) -> Array:
    """Modified DH transform as a product of four; alpha and a carry the index i - 1."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    turn_x = np.array([[1, 0, 0, 0], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1]])
    turn_z = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    along_x, along_z = np.eye(4), np.eye(4)
    along_x[0, 3], along_z[2, 3] = a, d
    return turn_x @ along_x @ turn_z @ along_z


def eq_1_printed(alpha: float, a: float, theta: float, d: float) -> Array:
    """The same with ``Rot_{x, alpha_i} - 1``: the matrix less the identity."""
    turn = eq_1(alpha, 0.0, 0.0, 0.0)
    return (turn - np.eye(4)) @ eq_1(0.0, a, theta, d)


def eq_2(alpha: float, a: float, theta: float, d: float) -> Array:
    """Modified DH transform, written out."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[c, -s, 0, a], [s * ca, c * ca, -sa, -d * sa], [s * sa, c * sa, ca, d * ca], [0, 0, 0, 1]]
    )


def eq_3(q: Array) -> Array:
    """T from B to 1."""
    c, s = trig(q)
    return np.array([[c[1], -s[1], 0, 0], [s[1], c[1], 0, 0], [0, 0, 1, D1], [0, 0, 0, 1]])


def eq_4(q: Array) -> Array:
    """T from 1 to 2."""
    c, s = trig(q)
    return np.array([[s[2], c[2], 0, A1], [0, 0, 1, 0], [c[2], -s[2], 0, 0], [0, 0, 0, 1]])


def eq_5(q: Array) -> Array:
    """T from 2 to 3."""
    c, s = np.cos(q[1] - q[2]), np.sin(q[1] - q[2])
    return np.array([[c, s, 0, A2], [-s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def eq_6_printed(q: Array) -> Array:
    """T from 3 to 4, with ``+s4`` in entry (1, 2)."""
    c, s = trig(q)
    return np.array([[c[4], s[4], 0, A3], [0, 0, 1, D4], [-s[4], -c[4], 0, 0], [0, 0, 0, 1]])


def eq_6(q: Array) -> Array:
    """T from 3 to 4."""
    c, s = trig(q)
    return np.array([[c[4], -s[4], 0, A3], [0, 0, 1, D4], [-s[4], -c[4], 0, 0], [0, 0, 0, 1]])


def eq_7(q: Array) -> Array:
    """T from 4 to 5."""
    c, s = trig(q)
    return np.array([[-c[5], s[5], 0, 0], [0, 0, -1, 0], [-s[5], -c[5], 0, 0], [0, 0, 0, 1]])


def eq_8(q: Array) -> Array:
    """T from 5 to 6."""
    c, s = trig(q)
    return np.array([[c[6], -s[6], 0, 0], [0, 0, -1, 0], [s[6], c[6], 0, 0], [0, 0, 0, 1]])


def eq_9(q: Array) -> Array:
    """T from 6 to 7, the flange."""
    return np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, D6], [0, 0, 0, 1]])


def eq_11_printed(angle: float) -> Array:
    """Rotation about y, with ``-c`` in entry (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, -c]])


def eq_11(angle: float) -> Array:
    """Rotation about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def eq_12(tool: Array = TOOL) -> Array:
    """T from 7 to the TCP."""
    x, y, z = tool
    return np.array([[0, 0, 1, x], [0, 1, 0, y], [-1, 0, 0, z], [0, 0, 0, 1]])


def eq_15(q: Array) -> float:
    """R11."""
    c, s = trig(q)
    return s[1] * s[4] * s[5] - c[1] * c[3] * c[5] + c[1] * c[4] * s[3] * s[5]


def eq_16(q: Array) -> float:
    """R12."""
    c, s = trig(q)
    first = c[1] * c[6] * s[3] * s[4] - c[4] * c[6] * s[1] + c[1] * c[3] * s[5] * s[6]
    return first + c[5] * s[1] * s[4] * s[6] + c[1] * c[4] * c[5] * s[3] * s[6]


def eq_17(q: Array) -> float:
    """R13."""
    c, s = trig(q)
    first = c[1] * s[3] * s[4] * s[6] - c[1] * c[3] * c[6] * s[5] - c[5] * c[6] * s[1] * s[4]
    return first - c[4] * s[1] * s[6] - c[1] * c[4] * c[5] * c[6] * s[3]


def eq_18(q: Array) -> float:
    """R21."""
    c, s = trig(q)
    return c[4] * s[1] * s[3] * s[5] - c[3] * c[5] * s[1] - c[1] * s[4] * s[5]


def eq_19_printed(q: Array) -> float:
    """R22, whose third term has s1 twice."""
    c, s = trig(q)
    first = c[1] * c[4] * c[6] - c[1] * c[5] * s[4] * s[6] + c[6] * s[1] * s[3] * s[1]
    return first + c[3] * s[1] * s[5] * s[6] + c[4] * c[5] * s[1] * s[3] * s[6]


def eq_19(q: Array) -> float:
    """R22."""
    c, s = trig(q)
    first = c[1] * c[4] * c[6] - c[1] * c[5] * s[4] * s[6] + c[6] * s[1] * s[3] * s[4]
    return first + c[3] * s[1] * s[5] * s[6] + c[4] * c[5] * s[1] * s[3] * s[6]


def eq_20(q: Array) -> float:
    """R23."""
    c, s = trig(q)
    first = c[1] * c[4] * s[6] + c[1] * c[5] * c[6] * s[4] - c[3] * c[6] * s[1] * s[5]
    return first + s[1] * s[3] * s[4] * s[6] - c[4] * c[5] * c[6] * s[1] * s[3]


def eq_21(q: Array) -> float:
    """R31."""
    c, s = trig(q)
    return c[5] * s[3] + c[3] * c[4] * s[5]


def eq_22_printed(q: Array) -> float:
    """R32, whose first term has s6 for s4."""
    c, s = trig(q)
    return c[3] * c[6] * s[6] - s[3] * s[5] * s[6] + c[3] * c[4] * c[5] * s[6]


def eq_22(q: Array) -> float:
    """R32."""
    c, s = trig(q)
    return c[3] * c[6] * s[4] - s[3] * s[5] * s[6] + c[3] * c[4] * c[5] * s[6]


def eq_23(q: Array) -> float:
    """R33."""
    c, s = trig(q)
    return c[3] * s[4] * s[6] + c[6] * s[3] * s[5] - c[3] * c[4] * c[5] * c[6]


def eq_24(q: Array, tool: Array = TOOL) -> float:
    """Return x of the TCP; the brackets that it writes out are -R11, R13 and R12."""
    c, s = trig(q)
    x, y, z = tool
    arm = A1 * c[1] + D4 * c[1] * c[3] + A2 * c[1] * s[2] + A3 * c[1] * s[3]
    return arm - (D6 + z) * eq_15(q) + x * eq_17(q) + y * eq_16(q)


def eq_25_printed(q: Array, tool: Array = TOOL) -> float:
    """Return y of the TCP, with c1 for s1 in the last term of y_T."""
    c, s = trig(q)
    return eq_25(q, tool) + tool[1] * c[4] * c[5] * (c[1] - s[1]) * s[3] * s[6]


def eq_25(q: Array, tool: Array = TOOL) -> float:
    """Return y of the TCP; the brackets that it writes out are -R21, R23 and R22."""
    c, s = trig(q)
    x, y, z = tool
    arm = A1 * s[1] + D4 * c[3] * s[1] + A2 * s[1] * s[2] + A3 * s[1] * s[3]
    return arm - (D6 + z) * eq_18(q) + x * eq_20(q) + y * eq_19(q)


def eq_26_printed(q: Array, tool: Array = TOOL) -> float:
    """Return z of the TCP, without a term in d4; the brackets that it writes out are R31, R33 and
    R32.
    """
    c, _ = trig(q)
    x, y, z = tool
    return D1 + A2 * c[2] + A3 * c[3] - (D6 + z) * eq_21(q) + x * eq_23(q) + y * eq_22(q)


def eq_26(q: Array, tool: Array = TOOL) -> float:
    """Return z of the TCP."""
    _, s = trig(q)
    return eq_26_printed(q, tool) - D4 * s[3]


def eq_36(q: Array) -> float:
    """Left side of the second condition of singularity, term by term."""
    c, s = trig(q)
    c2, s2, c3, s3 = c[2], s[2], c[3], s[3]
    plus = c2 * s3 * A1 * A3 + (c2 * c3 + s2 * s3) * A1 * D4 + (c3 * c2**2 + s2 * s3 * c2) * A2 * A3
    plus += (s3 + c2 * c3 * s2) * A2 * D4 + c2 * A3**2 + (s2 + 2 * c2 * c3 * s3) * A3 * D4
    plus += (c2 * c3**2 + s2 * s3 * c3) * (D4**2 - A3**2)
    return plus - c3 * s2 * A1 * A3 - c3 * A2 * A3 - c2**2 * s3 * A2 * D4 - 2 * c3**2 * s2 * A3 * D4


def elbow(q: Array) -> float:
    """Distance of the wrist centre from the line through axes 2 and 3: 0 with the arm stretched or
    folded.
    """
    return A3 * np.sin(q[2] - q[1]) + D4 * np.cos(q[2] - q[1])


def shoulder(q: Array) -> float:
    """Distance of the wrist centre from axis 1."""
    return A1 + A2 * np.sin(q[1]) + A3 * np.sin(q[2]) + D4 * np.cos(q[2])


# --- S000, dynamics


class Body(NamedTuple):
    """Mass, centre of mass and tensor about it, in the frame of link ``link`` (7: the tool, in
    frame 7).
    """

    link: int
    mass: float
    com: Array
    tensor: Array


class Motion(NamedTuple):
    """Of frames 1..6 in their own axes: T from i-1 to i and R from B to i, then omega, epsilon, a
    of the origin.
    """

    step: list[Array]
    turn: list[Array]
    spin: list[Array]
    twist: list[Array]
    rise: list[Array]


def eq_46(velocity: Array, spin: Array, body: Body, turn: Array) -> float:
    """Kinetic energy of one link; v of its centre and omega in base axes."""
    return 0.5 * body.mass * velocity @ velocity + 0.5 * eq_46_rotation(spin, body, turn)


def eq_46_printed(velocity: Array, spin: Array, body: Body, turn: Array) -> float:
    """The same, with the factor 1/2 on the first term only."""
    return 0.5 * body.mass * velocity @ velocity + eq_46_rotation(spin, body, turn)


def eq_46_rotation(spin: Array, body: Body, turn: Array) -> float:
    """``w' R I R' w``."""
    return spin @ turn @ body.tensor @ turn.T @ spin


def eq_48(centres: list[Array], masses: list[float], g: Array) -> float:
    """Potential energy ``sum m g' o``: g must point up."""
    return sum(mass * g @ centre for mass, centre in zip(masses, centres, strict=True))


def eq_54(v: Array, law: Array) -> Array:
    """Friction at speeds v; the rows of ``law`` are F_S, F_C, F_v and omega_St (Tab. 5)."""
    static, coulomb, viscous, speed = law
    return (coulomb + (static - coulomb) * np.exp(-(np.abs(v / speed) ** 2))) * np.sign(
        v
    ) + viscous * v


def eq_55_printed(q: Array, v: Array, law: Array) -> Array:
    """The same with positions in the exponent."""
    static, coulomb, viscous, speed = law
    return (coulomb + (static - coulomb) * np.exp(-(np.abs(q / speed) ** 2))) * np.sign(
        v
    ) + viscous * v


def eq_57_printed(tau: Array) -> Array:
    """Motor torques: the z components of all tau_i."""
    return tau[:, 2]


def eq_57(tau: Array) -> Array:
    """Motor torques of the arm with parallelogram: motor 3 stands on link 1 and pushes back on
    it.
    """
    return tau[:, 2] - np.array([0.0, tau[2, 2], 0.0, 0.0, 0.0, 0.0])


def eq_64_printed(turn: Array) -> Array:
    """Gravity in the axes of a link, with R from link to base."""
    return -turn @ np.array([0.0, 0.0, 9.81])


def eq_64(turn: Array) -> Array:
    """Gravity in the axes of a link: base axes to link axes is the transpose."""
    return -turn.T @ np.array([0.0, 0.0, 9.81])


def eq_65_66(q: Array, v: Array, a: Array) -> Motion:
    """Motion of every link, from the transforms of eq. 3-9 (6 corrected) and theta3 = q3 - q2."""
    steps = [eq(q) for eq in (eq_3, eq_4, eq_5, eq_6, eq_7, eq_8)]
    rate, growth = v.copy(), a.copy()
    rate[2], growth[2] = v[2] - v[1], a[2] - a[1]
    pose, spin, twist, rise = np.eye(4), np.zeros(3), np.zeros(3), np.zeros(3)
    motion = Motion(steps, [], [], [], [])
    for step, speed, gain in zip(steps, rate, growth, strict=True):
        arm, pose = pose[:3, :3] @ step[:3, 3], pose @ step
        rise = rise + np.cross(twist, arm) + np.cross(spin, np.cross(spin, arm))
        turn, z = pose[:3, :3], pose[:3, 2]
        twist = twist + z * gain + np.cross(spin, z * speed)
        spin = spin + z * speed
        for series, value in zip(
            motion[1:], (turn, turn.T @ spin, turn.T @ twist, turn.T @ rise), strict=True
        ):
            series.append(value)
    return motion


def eq_58_63(
    motion: Motion, bodies: list[Body], gravity: list[Array], rubbing: Array | None = None
) -> Array:
    """Moments tau_1..tau_6, each in the axes of its link, by the recursion from the tool inwards;
    shape ``(6, 3)``.

    ``gravity`` is g_1..g_6 (eq. 64). ``rubbing`` adds friction inside, as eq. 61 prints it. The
    text's r_c and a_c (eq. 59, 62) are read as r_S and a_S.
    """
    steps = [*motion.step, eq_9(np.zeros(6))]
    moments, force, moment = [], np.zeros(3), np.zeros(3)
    by_link = {body.link: body for body in bodies}
    for i in range(7, 0, -1):
        body, k = by_link[i], min(i, 6) - 1  # frame 7 is fixed to link 6 and parallel to it
        spin, twist = motion.spin[k], motion.twist[k]
        com = body.com if i < 7 else body.com + steps[6][:3, 3]
        # eq. 68
        a_com = motion.rise[k] + np.cross(twist, com) + np.cross(spin, np.cross(spin, com))
        own = body.tensor @ twist + np.cross(spin, body.tensor @ spin)
        if i == 7:
            force = body.mass * (a_com - gravity[k])  # eq. 62
            moment = own - np.cross(force, body.com)  # eq. 63
            continue
        carried, carried_moment = steps[i][:3, :3] @ force, steps[i][:3, :3] @ moment
        force = body.mass * a_com + carried - body.mass * gravity[k]  # eq. 60
        # eq. 61, with r^{i+1} of eq. 67 in the next line
        moment = own + carried_moment - np.cross(force, body.com)
        moment = moment + np.cross(carried, body.com - steps[i][:3, 3])
        if rubbing is not None:
            moment = moment + np.array([0.0, 0.0, rubbing[k]])
        moments.append(moment)
    return np.array(moments[::-1])


def eq_60_at_rest(motion: Motion, bodies: list[Body], sign: float) -> Array:
    """Force f_1 at rest, in the axes of link 1; ``sign`` is that of f_{i+1} in eq. 58 solved for
    f_i.
    """
    force, gravity = np.zeros(3), [eq_64(turn) for turn in motion.turn]
    by_link = {body.link: body for body in bodies}
    for i in range(6, 0, -1):
        outer = motion.step[i][:3, :3] @ force if i < 6 else -by_link[7].mass * gravity[5]
        force = sign * outer - by_link[i].mass * gravity[i - 1]
    return force


def eq_73(ahead: Array, back: Array) -> Array:
    """Friction from the torques of equal speeds to both sides in the same position."""
    return (ahead - back) / 2.0


def eq_74() -> Array:
    """Speeds of the friction experiment [rad/s]: three ranges, the last one closed."""
    return np.concatenate(
        [np.arange(1, 1500) * 1e-5, 0.015 + np.arange(925) * 2e-4, 0.2 + np.arange(301) * 1e-3]
    )


def eq_75(error: Array) -> float:
    """MAE."""
    return float(np.mean(np.abs(error)))


def eq_76_printed(error: Array) -> float:
    """RMSE with the square outside the sum."""
    return float(np.sqrt(np.sum(error) ** 2 / error.size))


def eq_76(error: Array) -> float:
    """RMSE."""
    return float(np.sqrt(np.sum(error**2) / error.size))


# --- S001, kinematics: q are its own joint angles

S001_D1, S001_A1 = 0.435, 0.205  # [m] Table 1


def s001_eq_3_10(theta: float, d: float, a: float, alpha: float) -> Array:
    """Classic DH transform (3.10 of its textbook)."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    )


def table_1(q: Array, d1: float = D1, a1: float = A1) -> list[Array]:
    """A1..A6 from eq. 3.10 and Table 1 of S001."""
    rows = [(q[0], d1, a1, -RIGHT), (q[1], 0, A2, 0), (q[2] - RIGHT, 0, A3, -RIGHT)]
    rows += [(q[3], D4, 0, RIGHT), (q[4], 0, 0, -RIGHT), (q[5], D6, 0, 0)]
    return [s001_eq_3_10(*row) for row in rows]


def axis_positions(q: Array) -> Array:
    """Controller's axis positions for S001's joint angles, which are those of an open chain without
    offsets.
    """
    return np.array([q[0], q[1] + RIGHT, q[1] + q[2], q[3], q[4], q[5] - np.pi])


def a_printed(q: Array) -> list[Array]:
    """A1..A6 as printed, with the row that A6 lost taken from the report's program."""
    c, s = trig(q)
    return [
        np.array(
            [[c[1], 0, -s[1], A1 * c[1]], [s[1], 0, c[1], A1 * s[1]], [0, -1, 0, 0], [0, 0, 0, 1]]
        ),
        np.array(
            [[c[2], -s[2], 0, A2 * c[2]], [s[2], c[2], 0, A2 * s[2]], [0, 0, 0, 0], [0, 0, 0, 1]]
        ),
        np.array(
            [[s[3], 0, c[3], A3 * c[3]], [-c[3], 0, s[3], A3 * s[3]], [0, -1, 0, 0], [0, 0, 0, 1]]
        ),
        np.array([[c[4], 0, s[4], 0], [s[4], 0, -c[4], 0], [0, -1, 0, D4], [0, 0, 0, 1]]),
        np.array([[c[5], 0, -s[5], 0], [s[5], 0, c[5], 0], [0, -1, 0, 0], [0, 0, 0, 1]]),
        np.array([[c[6], -s[6], 0, 0], [s[6], c[6], 0, 0], [0, 0, 1, D6], [0, 0, 0, 1]]),
    ]


def a_matrices(q: Array) -> list[Array]:
    """A1..A6 with the five wrong entries put right."""
    c, s = trig(q)
    matrices = a_printed(q)
    matrices[0][2, 3] = D1
    matrices[1][2, 2] = 1.0
    matrices[2][:2, 3] = A3 * s[3], -A3 * c[3]
    matrices[3][2, 1] = 1.0
    return matrices


def r_printed(q: Array) -> Array:
    """Rotation of T from 0 to 6 as printed; the entries that are labelled r23 by mistake stand in
    their places.
    """
    c, s = trig(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    r = np.empty((3, 3))
    for row, first in ((0, c[1]), (1, s[1])):
        bracket = first * c23 * s[5] - first * c[4] * c[5] * s23
        r[row, 0] = -c[6] * bracket - first * s[4] * s[6] * s23
        r[row, 1] = s[6] * bracket - first * c[6] * s[4] * s23
        r[row, 2] = -first * c[5] * c23 - first * c[4] * s[5] * s23
    bracket = s[5] * s23 + c[4] * c[5] * c23
    r[2] = (
        c[6] * bracket - c23 * s[4] * s[6],
        -s[6] * bracket - c23 * s[4] * c[6],
        c[5] * s23 - c[4] * s[5] * c23,
    )
    return r


def r_matrix(q: Array) -> Array:
    """Rotation of T from 0 to 6: that of the arm times that of the wrist."""
    c, s = trig(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    arm = np.array(
        [[c[1] * s23, s[1], c[1] * c23], [s[1] * s23, -c[1], s[1] * c23], [c23, 0, -s23]]
    )
    wrist = [
        [c[4] * c[5] * c[6] - s[4] * s[6], -c[4] * c[5] * s[6] - s[4] * c[6], -c[4] * s[5]],
        [s[4] * c[5] * c[6] + c[4] * s[6], -s[4] * c[5] * s[6] + c[4] * c[6], -s[4] * s[5]],
        [s[5] * c[6], -s[5] * s[6], c[5]],
    ]
    return arm @ np.array(wrist)


def d_printed(q: Array, r: Array, a1: float = A1) -> Array:
    """Position of frame 6 as printed, with a rotation ``r`` for its r13, r23, r33."""
    c, s = trig(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    reach = a1 + A2 * c[2] + (D4 + A3) * c23
    return np.array([c[1] * reach, s[1] * reach, -D4 * s23 - A2 * s[2] - A3 * s23]) + D6 * r[:, 2]


def d_vector(q: Array, r: Array) -> Array:
    """Position of frame 6."""
    c, s = trig(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    reach = A1 + A2 * c[2] + A3 * s23 + D4 * c23
    return (
        np.array([c[1] * reach, s[1] * reach, D1 - A2 * s[2] + A3 * c23 - D4 * s23]) + D6 * r[:, 2]
    )


def o_printed(q: Array, r: Array) -> Array:
    """Origins o1..o6 as printed, one per row."""
    c, s = trig(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    one = [A1 * c[1], A1 * s[1], 0]
    two = [A1 * c[1] + A2 * c[1] * c[2], A1 * c[1] + A2 * s[1] * c[2], -A2 * s[2]]
    three = [
        two[0] + A3 * c[1] * c23,
        A1 * s[1] + A2 * s[1] * c[2] + A3 * s[1] * c23,
        -A2 * s[2] - A3 * s23,
    ]
    four = [
        three[0] + D4 * c[1] * c23,
        A1 * s[1] + A2 * s[1] * c[2] + A3 * c[1] * s23 + D4 * s[1] * c23,
        0,
    ]
    four[2] = -A2 * s[2] - (A3 + D4) * s23
    return np.array([one, two, three, four, four, four + D6 * r[:, 2]])


def o_vectors(q: Array, r: Array) -> Array:
    """Origins o1..o6."""
    c, s = trig(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    one = np.array([A1 * c[1], A1 * s[1], D1])
    two = one + A2 * np.array([c[1] * c[2], s[1] * c[2], -s[2]])
    three = two + A3 * np.array([c[1] * s23, s[1] * s23, c23])
    four = three + D4 * np.array([c[1] * c23, s[1] * c23, -s23])
    return np.array([one, two, three, four, four, four + D6 * r[:, 2]])


def z_printed(q: Array) -> Array:
    """Axes z0..z5 as printed, one per row: constants."""
    del q
    return np.array([[0, 0, 1.0], [1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]])


def z_vectors(q: Array, r: Array) -> Array:
    """Axes z0..z5, one per row."""
    c, s = trig(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    across = [-s[1], c[1], 0]
    forearm = [c[1] * c23, s[1] * c23, -s23]
    bend = [s[4] * c[1] * s23 - s[1] * c[4], s[4] * s[1] * s23 + c[1] * c[4], s[4] * c23]
    return np.array([[0, 0, 1], across, across, forearm, bend, r[:, 2]])


def jacobian_printed(q: Array, r: Array) -> Array:
    """J as printed, column by column; its first column has three rows, with ``s1 - (...)`` read as
    it stands.
    """
    c, s = trig(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    sideways = A1 * s[1] + A2 * s[1] * c[2] + A3 * c[1] * s23 + D4 * s[1] * c23 + D6 * r[1, 2]
    outer = A3 * c[1] * s23 + D4 * s[1] * c23 + D6 * r[1, 2]
    down = D4 * s23 - D6 * r[2, 2] + A3 * s23
    columns = [
        [s[1] - sideways, c[1] + sideways, 0],
        [0, A2 * s[2] + down, A2 * s[1] * c[2] + outer],
        [0, down, outer],
        [-D6 * r[1, 2] - D4 * s[1] * c23, D6 * r[0, 2] + D4 * c[1] * c23, 0],
        [-D6 * r[1, 2], D6 * r[0, 2], 0],
        [-D6 * r[1, 2], D6 * r[0, 2], 0],
    ]
    return np.vstack([np.array(columns).T, z_printed(q).T])


def s001_eq_4_77(z: Array, o: Array) -> Array:
    """Geometric Jacobian ``z x (o6 - o)`` over ``z`` (4.77 and 4.79 of its textbook); o0 = 0."""
    origins = np.vstack([np.zeros(3), o[:5]])
    return np.vstack([np.cross(z, o[5] - origins).T, z.T])


# --- S001, planar arm with three joints


# mass, length, centre of mass from the joint, inertia (S001 Table 2)
Links = tuple[tuple[float, float, float, float], ...]


def s001_eq_7_printed(links: Links) -> Array:
    """Sum of the inertia matrices of eq. 7."""
    (_, _, _, I1), (_, _, _, I2), (_, _, _, I3) = links
    first, second = (
        np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0]]),
        np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0]]),
    )
    return I1 * first + I2 * second + I3 * np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]])


def s001_eq_11_inertia_printed(links: Links) -> Array:
    """Last matrix of eq. 11 of S001."""
    (_, _, _, I1), (_, _, _, I2), (_, _, _, I3) = links
    return np.array([[I1 + I2 + I3, I2, I3], [I2, I2, 0], [I3, 0, I3]])


def s001_eq_11_inertia(links: Links) -> Array:
    """The same: all three links turn with joint 1, the last two with joint 2."""
    (_, _, _, I1), (_, _, _, I2), (_, _, _, I3) = links
    return np.array([[I1 + I2 + I3, I2 + I3, I3], [I2 + I3, I2 + I3, I3], [I3, I3, I3]])


def s001_eq_12_printed(links: Links, q: Array) -> Array:
    """D with the entries listed under eq. 15."""
    (m1, l1, lc1, I1), (m2, l2, lc2, I2), (m3, _, lc3, I3) = links
    c2, c3, c23 = np.cos(q[1]), np.cos(q[2]), np.cos(q[1] + q[2])
    d11 = m1 * lc1**2 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2**2 + 2 * l1 * lc2 * c2) + I1 + I2 + I3
    d11 += m3 * (l1**2 + l2**2 + lc3**2 + 2 * l1 * l2 * c2 + 2 * l1 * lc3 * c23 + 2 * l2 * lc3 * c3)
    d12 = (
        m2 * (lc2**2 + l1 * lc2 * c2)
        + m3 * (l1 * l2 * c2 + l1 * lc3 * c23 + l2**2 + 2 * l2 * lc3 * c3 + lc3**2)
        + I2
    )
    d13 = m3 * (l1 * lc3 * c23 + l2 * lc3 * c3 + lc3**2) + I3
    d22 = m2 * lc2**2 + m3 * (l2**2 + lc3**2 + 2 * l2 * lc3 * c3) + I2
    d23 = m3 * (l2 * lc3 * c3 + lc3**2)
    d33 = m3 * c3**2 + I3
    return np.array([[d11, d12, d13], [d12, d22, d23], [d13, d23, d33]])


def s001_eq_12(links: Links, q: Array) -> Array:
    """D."""
    (m1, l1, lc1, _), (m2, l2, lc2, _), (m3, _, lc3, _) = links
    c2, c3, c23 = np.cos(q[1]), np.cos(q[2]), np.cos(q[1] + q[2])
    d11 = m1 * lc1**2 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * c2)
    d11 += m3 * (l1**2 + l2**2 + lc3**2 + 2 * l1 * l2 * c2 + 2 * l1 * lc3 * c23 + 2 * l2 * lc3 * c3)
    d12 = m2 * (lc2**2 + l1 * lc2 * c2) + m3 * (
        l1 * l2 * c2 + l1 * lc3 * c23 + l2**2 + 2 * l2 * lc3 * c3 + lc3**2
    )
    d13 = m3 * (l1 * lc3 * c23 + l2 * lc3 * c3 + lc3**2)
    d22 = m2 * lc2**2 + m3 * (l2**2 + lc3**2 + 2 * l2 * lc3 * c3)
    d23 = m3 * (l2 * lc3 * c3 + lc3**2)
    d33 = m3 * lc3**2
    return np.array([[d11, d12, d13], [d12, d22, d23], [d13, d23, d33]]) + s001_eq_11_inertia(links)


def s001_eq_17_printed(links: Links, q: Array) -> dict[str, float]:
    """Christoffel symbols c_ijk as printed; c_ijk = c_jik."""
    (_, l1, _, _), (m2, l2, lc2, _), (m3, _, lc3, _) = links
    s2, s3, s23 = np.sin(q[1]), np.sin(q[2]), np.sin(q[1] + q[2])
    return {
        "111": 0.0,
        "121": -m2 * l1 * lc2 * s2 - m3 * l1 * l2 * s2 - m3 * l1 * l2 * s23,
        "131": -m3 * l2 * lc3 * s23 - m3 * l2 * lc3 * s3,
        "221": -m2 * l1 * lc2 * s2 - m3 * l1 * l2 * s2 - m3 * l1 * lc3 * s23,
        "231": -1.5 * m3 * l1 * lc3 * s23 - m3 * l2 * lc3 * s3,
        "331": -m3 * l1 * lc3 * s23 - m3 * l2 * lc3 * s3,
        "112": m2 * l1 * lc2 * s2 + m3 * l1 * l2 * s2 + l1 * lc3 * s23,
        "122": 0.0,
        "132": -0.5 * m3 * l1 * lc3 * s23 - m3 * l2 * lc3 * s3,
        "222": 0.0,
        "232": 0.0,
        "332": -m3 * l2 * lc3 * s3,
        "113": m3 * l1 * lc3 * s23 + m3 * l2 * lc3 * s2,
        "123": m3 * l2 * lc3 * s3,
        "223": m3 * l2 * lc3 * s3,
        "133": 0.0,
        "233": 0.0,
        "333": -m3 * np.sin(2 * q[2]),
    }


def s001_eq_17(links: Links, q: Array) -> dict[str, float]:
    """Christoffel symbols c_ijk; all of them are sums of A, B and E."""
    (_, l1, _, _), (m2, l2, lc2, _), (m3, _, lc3, _) = links
    A = (m2 * lc2 + m3 * l2) * l1 * np.sin(q[1])
    B = m3 * l1 * lc3 * np.sin(q[1] + q[2])
    E = m3 * l2 * lc3 * np.sin(q[2])
    wrong = {
        "121": -A - B,
        "131": -B - E,
        "231": -B - E,
        "112": A + B,
        "132": -E,
        "232": -E,
        "113": B + E,
        "333": 0.0,
    }
    return s001_eq_17_printed(links, q) | wrong


def s001_eq_18_printed(symbols: dict[str, float], v: Array) -> Array:
    """C as printed: c211 and c311 where c221 and c331 belong."""
    C = s001_eq_18(symbols, v)
    C[0, 1] += (symbols["121"] - symbols["221"]) * v[1]
    C[0, 2] += (symbols["131"] - symbols["331"]) * v[2]
    return C


def s001_eq_18(symbols: dict[str, float], v: Array) -> Array:
    """C: c_kj is the sum of c_ijk v_i over i."""
    symbols = symbols | {f"{j}{i}{k}": value for (i, j, k), value in symbols.items()}
    return np.array(
        [
            [sum(symbols[f"{i}{j}{k}"] * v[i - 1] for i in (1, 2, 3)) for j in (1, 2, 3)]
            for k in (1, 2, 3)
        ]
    )


def p_3_printed(links: Links, q: Array, g: float) -> float:
    """Potential energy of link 3 as printed."""
    (_, l1, _, _), (_, l2, _, _), (m3, _, lc3, _) = links
    return m3 * g * (l1 * np.sin(q[0]) + l2 * np.sin(q[1]) + lc3 * np.sin(q.sum()))


def p_3(links: Links, q: Array, g: float) -> float:
    """Potential energy of link 3."""
    (_, l1, _, _), (_, l2, _, _), (m3, _, lc3, _) = links
    return m3 * g * (l1 * np.sin(q[0]) + l2 * np.sin(q[0] + q[1]) + lc3 * np.sin(q.sum()))


def s001_eq_19_potential(links: Links, q: Array, g: float) -> float:
    """Potential energy of all links (S001 eq. 19)."""
    (m1, l1, lc1, _), (m2, l2, lc2, _), (m3, _, lc3, _) = links
    first = (m1 * lc1 + m2 * l1 + m3 * l1) * g * np.sin(q[0])
    return first + (m2 * lc2 + m3 * l2) * g * np.sin(q[0] + q[1]) + m3 * lc3 * g * np.sin(q.sum())


def s001_eq_21_22(links: Links, q: Array, g: float) -> Array:
    """Gravity torques g1, g2, g3 (S001 eq. 21, 22 and the line below)."""
    (m1, l1, lc1, _), (m2, l2, lc2, _), (m3, _, lc3, _) = links
    g3 = m3 * lc3 * g * np.cos(q.sum())
    g2 = (m2 * lc2 + m3 * l2) * g * np.cos(q[0] + q[1]) + g3
    return np.array([(m1 * lc1 + m2 * l1 + m3 * l1) * g * np.cos(q[0]) + g2, g2, g3])
