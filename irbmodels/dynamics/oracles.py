"""Two independent derivations of the equation of motion, to check everything faster against.

Euler-Lagrange from energies (S000 eq. 45-52) and link-by-link Newton-Euler in the modified DH
frames of the paper (S000 eq. 57-68), both corrected (docs/background/errata.md, 0-13 to 0-20 and
0-34). Plain numpy on the tables: no Pinocchio, no URDF. Slow and readable on purpose.

Both have the bars of a parallelogram in closed form: the crank turns about axis 2 and
stays parallel to link_3, the rod hangs on the crank's end and stays parallel to link_2. So a bar
moves with the origin of link_2, turns with one of the two links, and needs no joint of its own. The
bars that keep the tool of a palletizer level are alike; its passive joint is one of the chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.dh import DHTable
from ..model.inertia import Inertial
from ..model.types import Array

RealOrComplex = NDArray[Any]  # real, or complex where a complex step passes through

_STEP = 1e-30  # [rad, m] of the complex step: exact derivatives, no cancellation
_LOWER, _UPPER = 1, 2  # indices of link_2 and link_3, the two arms of a parallelogram


class Bar(NamedTuple):
    """Bar of a linkage, in a frame parallel to that of one link."""

    body: Inertial
    parallel_to: int
    """Index of the link parallel to the bar's frame: link_3 for the crank, link_2 for the rod."""
    pin: Array
    """Origin of the bar's frame from that of link ``start`` [m], in the axes of link ``turned``."""
    start: int = _LOWER
    """Index of a link whose origin, on axis 2 or 3, the pin counts from."""
    turned: int = _UPPER
    """Index of the link with which the pin turns: link_3 for those of the crank."""


class DriveFriction(NamedTuple):
    """Friction law of one drive (:class:`irbmodels.Stribeck`)."""

    Fs: float
    Fc: float
    Fv: float
    v_St: float
    Fd: float
    v_d: float
    dFc: float
    dFv: float
    mu: float


class Chain(NamedTuple):
    """A serial chain with masses in modified DH frames, driven through ``theta = A q + theta0``."""

    table: DHTable
    bodies: tuple[tuple[Inertial, ...], ...]
    """Bodies fixed to each link, in its frame; tool and payload are with the last link."""
    bars: tuple[Bar, ...]
    """Crank and rod of a parallelogram, where they have mass of their own."""
    gravity: Array
    """[m/s^2], base axes."""
    friction: tuple[DriveFriction, ...] | None
    rotors: Array
    """Inertia on the arm side of each motor [kg m^2, kg], shape ``(n,)``."""
    drive_axes: Array
    """Row i: turns of drive i per turn of each axis, ``(n, n)``; identity without coupled wrist."""
    tcp: Array
    """Pose of the TCP in the last link, ``(4, 4)``."""


class LagrangeTerms(NamedTuple):
    """Terms of ``M a + C v + G`` (eq. 49)."""

    M: Array
    C: Array
    G: Array


def euler_lagrange(
    chain: Chain, q: Array, v: Array, a: Array, wrench: Array | None = None
) -> Array:
    """Axis torques [N m, N] from energies: ``M a + C v + G + F(v) - J' w``."""
    M, C, G = lagrange_terms(chain, q, v)
    tau = M @ a + C @ v + G + friction(chain, v, G)
    if wrench is not None:
        frames = _frames(chain.table, q)
        linear, angular = _jacobian(
            chain.table, frames, len(frames) - 1, (frames[-1] @ chain.tcp)[:3, 3]
        )
        tau = tau - linear.T @ wrench[:3] - angular.T @ wrench[3:]
    return tau


def lagrange_terms(chain: Chain, q: Array, v: Array) -> LagrangeTerms:
    """Mass matrix (eq. 50), Coriolis matrix of Christoffel symbols (eq. 51), gravity (eq. 52)."""
    n = len(q)
    shifted = [q + 1j * _STEP * np.eye(n)[k] for k in range(n)]
    # dM[i, j, k] = dM_ij / dq_k
    dM = np.stack([_mass_matrix(chain, x).imag / _STEP for x in shifted], axis=2)
    C = 0.5 * np.einsum("kji,i->kj", dM + dM.transpose(0, 2, 1) - dM.transpose(2, 1, 0), v)
    G = np.array([_potential_energy(chain, x).imag / _STEP for x in shifted])
    return LagrangeTerms(_mass_matrix(chain, q), C, G)


def newton_euler(chain: Chain, q: Array, v: Array, a: Array, wrench: Array | None = None) -> Array:
    """Axis torques [N m, N] link by link.

    Outward: angular velocity and acceleration of each link and the acceleration of its origin, in
    its own axes. Inward: the force and moment on its inboard joint. The motors are where the axes
    are: ``u = A' tau``, so that ``u_2 = tau_2 - tau_3`` through a parallelogram. What a bar needs
    is shared out by virtual work: its force at the origin of the link that its pin counts from, the
    moment of that force about it to the link with which the pin turns, and the moment about the
    bar's own pin to the link that it is parallel to. Friction is internal to a joint: it joins at
    the end and never runs through the recursion.
    """
    table = chain.table
    n = len(table.A)
    variables, speed, rate = table.joint_variables(q), table.A @ v, table.A @ a
    step = [_row(table, i, variables[i]) for i in range(n)]
    z = np.array([0.0, 0.0, 1.0])
    # the base accelerates against gravity
    omega, epsilon, origin = np.zeros(3), np.zeros(3), -chain.gravity
    moving = []
    for i in range(n):
        R, offset = step[i][:3, :3].T, step[i][:3, 3]
        origin = R @ (origin + np.cross(epsilon, offset) + np.cross(omega, np.cross(omega, offset)))
        omega, epsilon = R @ omega, R @ epsilon
        if table.prismatic[i]:
            origin = origin + 2.0 * speed[i] * np.cross(omega, z) + rate[i] * z
        else:
            epsilon = epsilon + np.cross(omega, speed[i] * z) + rate[i] * z
            omega = omega + speed[i] * z
        moving.append((omega, epsilon, origin))
    # needed at the origin of each link, in its axes
    force, moment = np.zeros((n, 3)), np.zeros((n, 3))
    for i, bodies in enumerate(chain.bodies):
        for body in bodies:
            body_force, body_moment = _body_wrench(body, *moving[i])
            force[i] += body_force
            moment[i] += body_moment
    turns = [frame[:3, :3] for frame in _frames(table, q)]
    for bar in chain.bars:
        # from the axes of the pin, and of the bar, to those of the link that the pin counts from
        turn, R = (turns[bar.start].T @ turns[link] for link in (bar.turned, bar.parallel_to))
        omega, epsilon, _ = moving[bar.turned]
        pin = moving[bar.start][2] + turn @ (
            np.cross(epsilon, bar.pin) + np.cross(omega, np.cross(omega, bar.pin))
        )
        bar_force, bar_moment = _body_wrench(bar.body, *moving[bar.parallel_to][:2], R.T @ pin)
        force[bar.start] += R @ bar_force
        moment[bar.turned] += np.cross(bar.pin, turn.T @ R @ bar_force)
        moment[bar.parallel_to] += bar_moment
    if wrench is not None:
        R = _frames(table, q)[-1][:3, :3].T
        force[-1] -= R @ wrench[:3]
        moment[-1] -= R @ wrench[3:] + np.cross(chain.tcp[:3, 3], R @ wrench[:3])
    tau = np.zeros(n)
    for i in reversed(range(n)):
        tau[i] = z @ (force[i] if table.prismatic[i] else moment[i])
        if i > 0:
            R, offset = step[i][:3, :3], step[i][:3, 3]
            force[i - 1] += R @ force[i]
            moment[i - 1] += R @ moment[i] + np.cross(offset, R @ force[i])
    rotors = chain.drive_axes.T @ (chain.rotors * (chain.drive_axes @ a))
    rigid = np.asarray(table.A.T @ tau + rotors)
    if chain.friction is None:
        return rigid
    held = newton_euler(chain._replace(friction=None), q, 0.0 * v, 0.0 * a)
    return rigid + friction(chain, v, held)


def friction(chain: Chain, v: Array, held: Array) -> Array:
    """Friction torque [N m, N] drive by drive (eq. 54 and further terms), projected to the axes.

    ``held`` are the axis torques that hold the robot still; ``D' u = held`` of the drives.
    """
    D, result = chain.drive_axes, np.zeros(len(v))
    for i, law in enumerate(chain.friction or ()):
        speed = D[i] @ v
        if speed == 0.0:
            continue
        way = 1.0 if speed > 0.0 else -1.0
        load = np.linalg.solve(D.T, held)[i] if law.mu else 0.0
        level = law.Fc + way * law.dFc + law.mu * abs(load)
        peak = (law.Fs - law.Fc) * np.exp(-((speed / law.v_St) ** 2))
        rising = law.Fd / (1.0 + law.v_d / abs(speed)) + (law.Fv + way * law.dFv) * abs(speed)
        result += D[i] * way * (level + peak + rising)
    return result


def energy(chain: Chain, q: Array, v: Array) -> tuple[float, float]:
    """Kinetic and potential energy [J]."""
    return float(0.5 * v @ _mass_matrix(chain, q) @ v), float(_potential_energy(chain, q))


def _body_wrench(
    body: Inertial, omega: Array, epsilon: Array, origin: Array
) -> tuple[Array, Array]:
    """Force and moment at a frame's origin that move a body fixed to it, in its axes.

    ``origin`` is the acceleration of the frame's origin.
    """
    com = origin + np.cross(epsilon, body.com) + np.cross(omega, np.cross(omega, body.com))
    force, gyroscopic = body.mass * com, np.cross(omega, body.tensor @ omega)
    return force, np.cross(body.com, force) + body.tensor @ epsilon + gyroscopic


def _row(table: DHTable, i: int, variable: Any) -> RealOrComplex:
    """Transform of one modified DH row, written out (eq. 2)."""
    theta, d = (table.theta[i], variable) if table.prismatic[i] else (variable, table.d[i])
    ca, sa, c, s = np.cos(table.alpha[i]), np.sin(table.alpha[i]), np.cos(theta), np.sin(theta)
    return np.array(
        [
            [c, -s, 0.0, table.a[i]],
            [s * ca, c * ca, -sa, -d * sa],
            [s * sa, c * sa, ca, d * ca],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def _frames(table: DHTable, q: RealOrComplex) -> list[RealOrComplex]:
    variables, pose, result = table.A @ q + table.offsets, np.eye(4), []
    for i in range(len(table.A)):
        pose = pose @ _row(table, i, variables[i])
        result.append(pose)
    return result


def _jacobian(
    table: DHTable, frames: list[RealOrComplex], link: int, point: RealOrComplex
) -> tuple[RealOrComplex, RealOrComplex]:
    """Linear and angular Jacobian ``(3, n)`` of a point of a link by axes (eq. 32 times A)."""
    n = len(frames)
    linear, angular = np.zeros((3, n), dtype=point.dtype), np.zeros((3, n), dtype=point.dtype)
    for i in range(link + 1):
        z = frames[i][:3, 2]
        if table.prismatic[i]:
            linear[:, i] = z
        else:
            linear[:, i], angular[:, i] = np.cross(z, point - frames[i][:3, 3]), z
    return linear @ table.A, angular @ table.A


def _levers(chain: Chain) -> Iterator[tuple[Inertial, int, list[tuple[int, Array]]]]:
    """Yield each body, the link at whose origin its levers start, and levers to its centre of mass.

    Each lever is in a link's axes, the last in those of the body itself.
    """
    for link, bodies in enumerate(chain.bodies):
        yield from ((body, link, [(link, body.com)]) for body in bodies)
    yield from (
        (bar.body, bar.start, [(bar.turned, bar.pin), (bar.parallel_to, bar.body.com)])
        for bar in chain.bars
    )


def _mass_matrix(chain: Chain, q: RealOrComplex) -> RealOrComplex:
    frames = _frames(chain.table, q)
    jacobians = [
        _jacobian(chain.table, frames, link, frame[:3, 3]) for link, frame in enumerate(frames)
    ]
    M = (chain.drive_axes.T * chain.rotors) @ chain.drive_axes + np.zeros(
        (len(q), len(q)), dtype=q.dtype
    )
    for body, start, levers in _levers(chain):
        last = levers[-1][0]
        linear, R, angular = jacobians[start][0], frames[last][:3, :3], jacobians[last][1]
        for link, lever in levers:
            arm = frames[link][:3, :3] @ lever
            linear = linear + np.cross(jacobians[link][1], arm, axisa=0, axisc=0)
        M = M + body.mass * linear.T @ linear + angular.T @ R @ body.tensor @ R.T @ angular
    return M


def _potential_energy(chain: Chain, q: RealOrComplex) -> Any:
    frames = _frames(chain.table, q)
    centres = [
        (
            body.mass,
            frames[start][:3, 3] + sum(frames[link][:3, :3] @ lever for link, lever in levers),
        )
        for body, start, levers in _levers(chain)
    ]
    return -sum(mass * (chain.gravity @ centre) for mass, centre in centres)
