"""The reduced dynamics of a mechanism as CasADi expressions in axis coordinates.

Newton-Euler with the matrix ``U = [w'] + [w]^2`` [Khalil & Dombre 2002, ch. 9], which serves force,
moment and the acceleration of the next origin alike.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import casadi as ca

from ..model.mechanism import INERTIALS, Mechanism
from .spatial import (
    IDENTITY,
    ORIGIN,
    SX,
    Body,
    JointRotation,
    Matrix,
    Motion,
    Vector,
    add,
    add_product,
    cross,
    dot,
    elements,
    matrix,
    solve_ldl,
    times,
    transpose,
    wrench,
    wrench_regressor,
)


class Link(NamedTuple):
    """A joint as expressions."""

    parent: int
    slides: bool
    rotation: JointRotation
    position: Vector
    """Its origin in the parent's axes; of a sliding joint that depends on q."""
    body: Body
    row: Vector


class Dynamics:
    """Expressions of one mechanism. ``q``, ``v`` and ``a`` are columns ``(n, 1)``; so are torques.

    Numbers of the mechanism are symbols, :attr:`constants` by name. Of a mechanism of
    ``unreduced_mechanism_of`` the bodies, rotors and friction may come from a column of
    :attr:`parameters` instead, in the order of ``robot.parameter_vector()``.
    """

    def __init__(self, mechanism: Mechanism, parameters: bool = False) -> None:
        """Name the constants and write down the joints."""
        self.mechanism = mechanism
        n, bodies = mechanism.n, 10 * len(mechanism.joints)
        self.parameter_count = bodies + n + (0 if mechanism.friction is None else 3 * n)
        self.parameters = ca.SX.sym("parameters", self.parameter_count if parameters else 0)
        self.q, self.v, self.a, self.tau = (ca.SX.sym(name, n) for name in ("q", "v", "a", "tau"))
        self.constants = {name: ca.SX.sym(name) for name in mechanism.free}
        self._number: dict[str, SX] = mechanism.constants() | self.constants
        if parameters:
            values = iter(elements(self.parameters))
            for number in range(1, len(mechanism.joints) + 1):
                self._number |= {f"{name}{number}": next(values) for name in INERTIALS}
            self._rotors: Vector | None = [next(values) for _ in range(n)]
            for axis in range(1, n + 1 if mechanism.friction is not None else 1):
                self._number |= {f"{name}{axis}": next(values) for name in ("FV", "FC", "FD")}
        else:
            self._rotors = None

    @cached_property
    def links(self) -> list[Link]:
        """All joints, the base's first."""
        links = []
        for number, joint in enumerate(self.mechanism.joints, 1):
            row = [self._number[f"G{number}_{axis}"] for axis in range(1, self.mechanism.n + 1)]
            position = dot(row, elements(self.q)) + self._number[f"q0_{number}"]
            fixed, origin = self._placement(str(number))
            if joint.prismatic:
                rotation = JointRotation(fixed, 1.0, 0.0)
                origin = add(origin, [row[2] * position for row in fixed])
            else:
                rotation = JointRotation(fixed, ca.cos(position), ca.sin(position))
            body = Body.of([self._number[f"{name}{number}"] for name in INERTIALS])
            if self._rotors is not None:  # parameters are about the axes that the tree has there
                body = body.rotated(self._tree_rotation(number))
            links.append(Link(joint.parent, joint.prismatic, rotation, origin, body, row))
        return links

    def _placement(self, name: str) -> tuple[Matrix, Vector]:
        fixed = [[self._number[f"R{name}_{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]
        return fixed, [self._number[f"p{name}{axis}"] for axis in "xyz"]

    @property
    def gravity_vector(self) -> Vector:
        """Gravity in base axes."""
        return [self._number[name] for name in ("gx", "gy", "gz")]

    def along(self, link: Link, rates: SX) -> SX:
        """Return the rate of a link's joint that axis rates give."""
        return dot(link.row, elements(rates))

    def motions(self, v: SX, a: SX, gravity: Vector) -> list[Motion]:
        """Propagate speeds and accelerations outwards."""
        motions: list[Motion] = []
        base = Motion(ORIGIN, ORIGIN, [-g for g in gravity])
        for link in self.links:
            below = motions[link.parent] if link.parent >= 0 else base
            rate, rate_dot = self.along(link, v), self.along(link, a)
            w, dw = link.rotation.from_parent(below.w), link.rotation.from_parent(below.dw)
            acceleration = link.rotation.from_parent(
                add(below.acceleration, times(below.U, link.position))
            )
            if link.slides:
                coriolis = [2.0 * w[1] * rate, -2.0 * w[0] * rate, rate_dot]
                motions.append(Motion(w, dw, add(acceleration, coriolis)))
            else:
                motions.append(
                    Motion(
                        [w[0], w[1], w[2] + rate],
                        add(dw, [w[1] * rate, -w[0] * rate, rate_dot]),
                        acceleration,
                    )
                )
        return motions

    def torques(self, v: SX, a: SX, gravity: Vector) -> Vector:
        """Axis torques of the rigid bodies, by Newton-Euler."""
        links = self.links
        loads = [
            wrench(link.body, motion)
            for link, motion in zip(links, self.motions(v, a, gravity), strict=True)
        ]
        result: Vector = [0.0] * self.mechanism.n
        for number in reversed(range(len(links))):
            link, (force, moment) = links[number], loads[number]
            own = force[2] if link.slides else moment[2]
            result = [total + factor * own for total, factor in zip(result, link.row, strict=True)]
            if link.parent >= 0:
                force, moment = link.rotation.to_parent(force), link.rotation.to_parent(moment)
                below_force, below_moment = loads[link.parent]
                loads[link.parent] = (
                    add(below_force, force),
                    add(below_moment, add(moment, cross(link.position, force))),
                )
        return result

    def inverse_dynamics(self) -> SX:
        """Axis torques: rigid bodies, rotors, and friction where the mechanism has it."""
        rigid = ca.vertcat(*self.torques(self.v, self.a, self.gravity_vector))
        return rigid + self.rotor_inertia @ self.a + self.friction()

    @property
    def rotor_inertia(self) -> SX:
        """Inertia that the rotors add to the mass matrix."""
        n = self.mechanism.n
        if self._rotors is not None:
            return self._rotor_axes.T @ ca.diag(ca.vertcat(*self._rotors)) @ self._rotor_axes
        return matrix(
            [[self._number[f"IA{i}_{j}"] for j in range(1, n + 1)] for i in range(1, n + 1)]
        )

    def friction(self) -> SX:
        """Friction torques (S000 eq. 54)."""
        if self.mechanism.friction is None:
            return ca.SX(self.mechanism.n, 1)
        torques = []
        for axis, speed in enumerate(elements(self.v), 1):
            coulomb, drop, steepness, viscous = (
                self._number[f"{name}{axis}"] for name in ("FC", "FD", "KS", "FV")
            )
            dry = coulomb + drop * ca.exp(-(steepness * (speed * speed)))
            torques.append(dry * ca.sign(speed) + viscous * speed)
        return ca.vertcat(*torques)

    def gravity(self) -> SX:
        """Axis torques that hold the robot still."""
        still = ca.SX(self.mechanism.n, 1)
        return ca.vertcat(*self.torques(still, still, self.gravity_vector))

    def coriolis_torque(self) -> SX:
        """``C v``."""
        return ca.vertcat(*self.torques(self.v, ca.SX(self.mechanism.n, 1), ORIGIN))

    def coriolis(self) -> SX:
        """Matrix of the Christoffel symbols: half the derivative of ``C v`` by v."""
        return 0.5 * ca.jacobian(self.coriolis_torque(), self.v)

    def mass_matrix(self) -> SX:
        """``M``, rotors included, from composite bodies [Featherstone 2008, ch. 6]."""
        links = self.links
        composite = [link.body for link in links]
        n = self.mechanism.n
        M: Matrix = [[0.0] * n for _ in range(n)]
        for number in reversed(range(len(links))):
            link, body = links[number], composite[number]
            if link.slides:
                force: Vector = [0.0, 0.0, body.mass]
                moment = cross(body.first, [0.0, 0.0, 1.0])
            else:
                force, moment = cross([0.0, 0.0, 1.0], body.first), [row[2] for row in body.tensor]
            own = force[2] if link.slides else moment[2]
            M = add_product(M, link.row, link.row, own, 1.0)
            below = number
            while links[below].parent >= 0:
                step = links[below]
                force, moment = step.rotation.to_parent(force), step.rotation.to_parent(moment)
                moment = add(moment, cross(step.position, force))
                below = step.parent
                own = force[2] if links[below].slides else moment[2]
                M = add_product(M, links[below].row, link.row, own, 1.0)
                M = add_product(M, link.row, links[below].row, own, 1.0)
            if link.parent >= 0:
                composite[link.parent] = composite[link.parent].plus(
                    body.in_parent(link.rotation, link.position)
                )
        return matrix(M) + self.rotor_inertia

    def forward_dynamics(self) -> SX:
        """Axis accelerations under ``tau``: ``M a = tau - h``, by ``L D L'``."""
        zero = ca.SX(self.mechanism.n, 1)
        rest = ca.vertcat(*self.torques(self.v, zero, self.gravity_vector)) + self.friction()
        return ca.vertcat(*solve_ldl(self.mass_matrix(), elements(self.tau - rest)))

    def inverse_dynamics_derivatives(self) -> tuple[SX, SX, SX]:
        """Derivatives of :meth:`inverse_dynamics` with respect to q, v and a, ``(n, n)`` each."""
        tau = self.inverse_dynamics()
        return ca.jacobian(tau, self.q), ca.jacobian(tau, self.v), self.mass_matrix()

    def energy(self) -> tuple[SX, SX]:
        """Kinetic and potential energy; potential energy is 0 for a mass at the base's origin."""
        kinetic = 0.5 * ca.dot(self.v, self.rotor_inertia @ self.v)
        motions = self.motions(self.v, ca.SX(self.mechanism.n, 1), ORIGIN)
        moment: Vector = [self._number[f"{name}0"] for name in ("MX", "MY", "MZ")]
        velocities = self.velocities()
        for link, motion, velocity, (rotation, origin) in zip(
            self.links, motions, velocities, self.poses(), strict=True
        ):
            body, w = link.body, motion.w
            spin = times(body.tensor, w)
            kinetic += 0.5 * (dot(w, spin) + body.mass * dot(velocity, velocity)) + dot(
                cross(velocity, w), body.first
            )
            moment = add(moment, add(times(rotation, body.first), [body.mass * x for x in origin]))
        return kinetic, -dot(self.gravity_vector, moment)

    def velocities(self) -> list[Vector]:
        """Velocities of the joints' origins, in their own axes."""
        velocities: list[Vector] = []
        spins = [motion.w for motion in self.motions(self.v, ca.SX(self.mechanism.n, 1), ORIGIN)]
        for link in self.links:
            below = (
                ORIGIN
                if link.parent < 0
                else add(velocities[link.parent], cross(spins[link.parent], link.position))
            )
            own = link.rotation.from_parent(below)
            velocities.append(
                add(own, [0.0, 0.0, self.along(link, self.v)]) if link.slides else own
            )
        return velocities

    def regressor(self) -> SX:
        """Matrix whose product with the parameters is the torque.

        Columns as in :func:`irbmodels.dynamics.equations_of_motion.regressor`. Entry by entry it is
        the power that a unit of a parameter takes per unit of an axis rate: partial velocities of
        the body times the wrench of its motion.
        """
        n = self.mechanism.n
        motions = self.motions(self.v, self.a, self.gravity_vector)
        partial: list[tuple[list[Vector], list[Vector]]] = []
        columns: list[SX] = []
        for number, (link, motion) in enumerate(zip(self.links, motions, strict=True), 1):
            zero = [ORIGIN] * n
            spins, speeds = partial[link.parent] if link.parent >= 0 else (zero, zero)
            speeds = [
                link.rotation.from_parent(add(v, cross(w, link.position)))
                for v, w in zip(speeds, spins, strict=True)
            ]
            spins = [link.rotation.from_parent(w) for w in spins]
            along: Vector = link.row
            if link.slides:
                speeds = [add(v, [0.0, 0.0, rate]) for v, rate in zip(speeds, along, strict=True)]
            else:
                spins = [add(w, [0.0, 0.0, rate]) for w, rate in zip(spins, along, strict=True)]
            partial.append((spins, speeds))
            rotation = self._tree_rotation(number)
            rows = wrench_regressor(
                Motion(*(times(rotation, x) for x in motion)),
                [times(rotation, w) for w in spins],
                [times(rotation, v) for v in speeds],
            )
            columns.append(matrix(rows))
        columns.append(self._rotor_axes.T @ ca.diag(self._rotor_axes @ self.a))
        if self.mechanism.friction is not None:
            columns.append(ca.diagcat(*(self._friction_row(axis) for axis in range(1, n + 1))))
        return ca.horzcat(*columns)

    def _tree_rotation(self, number: int) -> Matrix:
        return [[self._number[f"RT{number}_{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]

    @property
    def _rotor_axes(self) -> SX:
        axes = range(1, self.mechanism.n + 1)
        return matrix([[self._number[f"RA{i}_{j}"] for j in axes] for i in axes])

    def _friction_row(self, axis: int) -> SX:
        speed = self.v[axis - 1]
        sign = ca.sign(speed)
        return ca.horzcat(
            speed, sign, ca.exp(-(self._number[f"KS{axis}"] * (speed * speed))) * sign
        )

    def poses(self) -> list[tuple[Matrix, Vector]]:
        """Rotation and origin of every joint's frame in the base."""
        poses: list[tuple[Matrix, Vector]] = []
        for link in self.links:
            axes = [
                link.rotation.to_parent(unit) for unit in IDENTITY
            ]  # columns, in the parent's axes
            origin = link.position
            if link.parent >= 0:
                rotation, below = poses[link.parent]
                axes = [times(rotation, column) for column in axes]
                origin = add(below, times(rotation, origin))
            poses.append((transpose(axes), origin))
        return poses

    def pose(self) -> SX:
        """Homogeneous matrix of the mechanism's frame in the base, ``(4, 4)``."""
        return matrix(
            [[*row, x] for row, x in zip(*self._frame(), strict=True)] + [[0.0, 0.0, 0.0, 1.0]]
        )

    def _frame(self) -> tuple[Matrix, Vector]:
        if self.mechanism.frame is None:
            raise ValueError("this mechanism has no frame")
        fixed, offset = self._placement("E")
        if self.mechanism.frame.joint < 0:
            return fixed, offset
        rotation, origin = self.poses()[self.mechanism.frame.joint]
        axes = [times(rotation, column) for column in transpose(fixed)]
        return transpose(axes), add(origin, times(rotation, offset))

    def jacobian(self) -> SX:
        """Jacobian at the frame's origin in base axes, ``(6, n)``, linear rows first."""
        n = self.mechanism.n
        _, point = self._frame()
        total = ca.SX(6, n)
        for link, (rotation, origin) in zip(self.links, self.poses(), strict=True):
            axis = [row[2] for row in rotation]
            column = (
                [*axis, *ORIGIN]
                if link.slides
                else [*cross(axis, add(point, [-x for x in origin])), *axis]
            )
            total += ca.vertcat(*column) @ ca.horzcat(*link.row)
        return total

    def pose_and_jacobian(self) -> tuple[SX, SX]:
        """Both, with the subexpressions that they share."""
        return self.pose(), self.jacobian()

    def hessian(self) -> SX:
        """Derivative of :meth:`jacobian`, ``(6 n, n)``: row ``n i + j`` belongs to entry (i, j)."""
        return ca.jacobian(ca.vec(self.jacobian().T), self.q)
