"""The reduced dynamics of a mechanism as traced formulas in axis coordinates.

Newton-Euler with the matrix ``U = [w'] + [w]^2`` [Khalil & Dombre 2002, ch. 9], which serves force,
moment and the acceleration of the next origin alike.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ..model.mechanism import INERTIALS, Mechanism
from .derivatives import jacobian
from .spatial import (
    IDENTITY,
    ORIGIN,
    Body,
    JointRotation,
    Matrix,
    Motion,
    Vector,
    add,
    add_product,
    cross,
    dot,
    solve_ldl,
    subtract,
    times,
    transpose,
    wrench,
    wrench_regressor,
)
from .trace import Scalar, Trace, cos, exp, sign, sin

FEW = 7
"""Axes up to which slopes of ``M`` give the Coriolis matrix in fewer operations than recursions.

They grow with the third power of the axes, recursions with the second: of arms with axes at right
angles the matrix takes 1175 operations instead of 1660 with six axes, 5755 and 5208 with ten.
"""


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
    """Formulas of one mechanism in a trace of their own.

    Vectors over the axes are lists of ``n`` values, matrices lists of rows. Numbers of the
    mechanism are constants of the trace by name, those that belong to its structure floats. Of a
    mechanism of ``unreduced_mechanism_of`` the bodies, rotors and friction may come from the input
    :attr:`parameters` instead, in the order of ``robot.parameter_vector()``.
    """

    def __init__(self, mechanism: Mechanism, parameters: bool = False) -> None:
        """Start a trace; inputs are declared as they are first read."""
        self.mechanism = mechanism
        self.trace = Trace()
        n, bodies = mechanism.n, 10 * len(mechanism.joints)
        self.parameter_count = bodies + n + (0 if mechanism.friction is None else 3 * n)
        self.parametric = parameters
        self._still = [0.0] * n

    def _input(self, name: str) -> Vector:
        return list(self.trace.input(name, self.mechanism.n))

    @cached_property
    def q(self) -> Vector:
        """Axis positions."""
        return self._input("q")

    @cached_property
    def v(self) -> Vector:
        """Axis speeds."""
        return self._input("v")

    @cached_property
    def a(self) -> Vector:
        """Axis accelerations."""
        return self._input("a")

    @cached_property
    def tau(self) -> Vector:
        """Axis torques."""
        return self._input("tau")

    @cached_property
    def parameters(self) -> Vector:
        """Inertials, rotors and friction of the axes."""
        return list(self.trace.input("parameters", self.parameter_count))

    @cached_property
    def _number(self) -> dict[str, Scalar]:
        """Numbers of the mechanism by name: values where they are no part of the structure."""
        numbers: dict[str, Scalar] = dict(self.mechanism.constants)
        numbers |= {name: self.trace.constant(name) for name in self.mechanism.free}
        if self.parametric:
            n, values = self.mechanism.n, iter(self.parameters)
            for number in range(1, len(self.mechanism.joints) + 1):
                numbers |= {f"{name}{number}": next(values) for name in INERTIALS}
            numbers |= {f"IR{axis}": next(values) for axis in range(1, n + 1)}
            for axis in range(1, n + 1 if self.mechanism.friction is not None else 1):
                numbers |= {f"{name}{axis}": next(values) for name in ("FV", "FC", "FD")}
        return numbers

    @cached_property
    def links(self) -> list[Link]:
        """All joints, the base's first."""
        links = []
        for number, joint in enumerate(self.mechanism.joints, 1):
            row = [self._number[f"G{number}_{axis}"] for axis in range(1, self.mechanism.n + 1)]
            position = dot(row, self.q) + self._number[f"q0_{number}"]
            fixed, origin = self._placement(str(number))
            if joint.prismatic:
                rotation = JointRotation(fixed, 1.0, 0.0)
                origin = add(origin, [row[2] * position for row in fixed])
            else:
                rotation = JointRotation(fixed, cos(position), sin(position))
            body = Body.of([self._number[f"{name}{number}"] for name in INERTIALS])
            if self.parametric:  # parameters are about the axes that the tree has there
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

    def motions(self, v: Vector, a: Vector, gravity: Vector) -> list[Motion]:
        """Propagate speeds and accelerations outwards."""
        motions: list[Motion] = []
        base = Motion(ORIGIN, ORIGIN, [-g for g in gravity])
        for link in self.links:
            below = motions[link.parent] if link.parent >= 0 else base
            rate, rate_dot = dot(link.row, v), dot(link.row, a)
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

    def torques(self, v: Vector, a: Vector, gravity: Vector) -> Vector:
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

    def inverse_dynamics(self) -> Vector:
        """Axis torques: rigid bodies, rotors, and friction where the mechanism has it."""
        rigid = self.torques(self.v, self.a, self.gravity_vector)
        return add(add(rigid, times(self.rotor_inertia, self.a)), self.friction())

    @property
    def rotor_inertia(self) -> Matrix:
        """Inertia that the rotors add to the mass matrix."""
        axes = range(1, self.mechanism.n + 1)
        if not self.parametric:
            return [[self._number[f"IA{i}_{j}"] for j in axes] for i in axes]
        inertia: Matrix = [[0.0] * self.mechanism.n for _ in axes]
        for rotor, turns in enumerate(self._rotor_axes, 1):
            add_product(inertia, turns, turns, self._number[f"IR{rotor}"])
        return inertia

    def friction(self) -> Vector:
        """Friction torques (S000 eq. 54)."""
        if self.mechanism.friction is None:
            return self._still
        torques = []
        for axis, speed in enumerate(self.v, 1):
            coulomb, drop, steepness, viscous = (
                self._number[f"{name}{axis}"] for name in ("FC", "FD", "KS", "FV")
            )
            dry = coulomb + drop * exp(-(steepness * (speed * speed)))
            torques.append(dry * sign(speed) + viscous * speed)
        return torques

    def gravity(self) -> Vector:
        """Axis torques that hold the robot still."""
        return self.torques(self._still, self._still, self.gravity_vector)

    def coriolis_torque(self) -> Vector:
        """``C v``."""
        return self.torques(self.v, self._still, ORIGIN)

    def coriolis(self) -> Matrix:
        """Matrix of the Christoffel symbols: half the derivative of ``C v`` by v."""
        halves = [0.5 * x for x in self.v]
        if self.mechanism.n > FEW:
            return jacobian(self.torques(halves, self._still, ORIGIN), halves)
        return self._christoffel(halves)

    def _christoffel(self, rates: Vector) -> Matrix:
        """``dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i``, summed over ``k`` with rates."""
        M, axes = self.mass_matrix(), range(self.mechanism.n)
        pairs = [(i, j) for i in axes for j in axes if i <= j]
        slopes = dict(zip(pairs, jacobian([M[i][j] for i, j in pairs], self.q), strict=True))
        slopes |= {(j, i): slope for (i, j), slope in slopes.items()}
        return [
            [
                dot([slopes[i, j][k] + slopes[i, k][j] - slopes[j, k][i] for k in axes], rates)
                for j in axes
            ]
            for i in axes
        ]

    def mass_matrix(self) -> Matrix:
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
            add_product(M, link.row, link.row, own)
            below = number
            while links[below].parent >= 0:
                step = links[below]
                force, moment = step.rotation.to_parent(force), step.rotation.to_parent(moment)
                moment = add(moment, cross(step.position, force))
                below = step.parent
                own = force[2] if links[below].slides else moment[2]
                add_product(M, links[below].row, link.row, own, symmetric=True)
            if link.parent >= 0:
                composite[link.parent] = composite[link.parent].plus(
                    body.in_parent(link.rotation, link.position)
                )
        return [add(row, rotors) for row, rotors in zip(M, self.rotor_inertia, strict=True)]

    def forward_dynamics(self) -> Vector:
        """Axis accelerations under ``tau``: ``M a = tau - h``, by ``L D L'``."""
        rest = add(self.torques(self.v, self._still, self.gravity_vector), self.friction())
        return solve_ldl(self.mass_matrix(), subtract(self.tau, rest))

    def inverse_dynamics_derivatives(self) -> tuple[Matrix, Matrix, Matrix]:
        """Derivatives of :meth:`inverse_dynamics` with respect to q, v and a, ``(n, n)`` each."""
        tau, M = self.inverse_dynamics(), self.mass_matrix()
        if self.mechanism.n > FEW:
            return jacobian(tau, self.q), jacobian(tau, self.v), M
        friction = jacobian(self.friction(), self.v)
        rows = zip(self._christoffel(self.v), friction, strict=True)
        return jacobian(tau, self.q), [add(rigid, dry) for rigid, dry in rows], M

    def energy(self) -> tuple[Scalar, Scalar]:
        """Kinetic and potential energy."""
        return self.kinetic_energy(), self.potential_energy()

    def kinetic_energy(self) -> Scalar:
        """Kinetic energy, rotors included."""
        kinetic = 0.5 * dot(self.v, times(self.rotor_inertia, self.v))
        motions = self.motions(self.v, self._still, ORIGIN)
        for link, motion, velocity in zip(self.links, motions, self.velocities(), strict=True):
            body, w = link.body, motion.w
            spin = times(body.tensor, w)
            kinetic += 0.5 * (dot(w, spin) + body.mass * dot(velocity, velocity)) + dot(
                cross(velocity, w), body.first
            )
        return kinetic

    def potential_energy(self) -> Scalar:
        """Potential energy; 0 for a mass at the base's origin."""
        moment: Vector = [self._number[f"{name}0"] for name in ("MX", "MY", "MZ")]
        for link, (rotation, origin) in zip(self.links, self.poses(), strict=True):
            body = link.body
            moment = add(moment, add(times(rotation, body.first), [body.mass * x for x in origin]))
        return -dot(self.gravity_vector, moment)

    def velocities(self) -> list[Vector]:
        """Velocities of the joints' origins, in their own axes."""
        velocities: list[Vector] = []
        spins = [motion.w for motion in self.motions(self.v, self._still, ORIGIN)]
        for link in self.links:
            below = (
                ORIGIN
                if link.parent < 0
                else add(velocities[link.parent], cross(spins[link.parent], link.position))
            )
            own = link.rotation.from_parent(below)
            velocities.append(add(own, [0.0, 0.0, dot(link.row, self.v)]) if link.slides else own)
        return velocities

    def regressor(self) -> Matrix:
        """Matrix whose product with the parameters is the torque.

        Columns as in :func:`irbmodels.dynamics.equations_of_motion.regressor`. Entry by entry it is
        the power that a unit of a parameter takes per unit of an axis rate: partial velocities of
        the body times the wrench of its motion.
        """
        n = self.mechanism.n
        motions = self.motions(self.v, self.a, self.gravity_vector)
        partial: list[tuple[list[Vector], list[Vector]]] = []
        columns: list[Matrix] = []
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
            columns.append(rows)
        turns = times(self._rotor_axes, self.a)
        columns.append(
            [
                [x * turn for x, turn in zip(row, turns, strict=True)]
                for row in transpose(self._rotor_axes)
            ]
        )
        if self.mechanism.friction is not None:
            columns += [self._friction_columns(axis) for axis in range(1, n + 1)]
        return [[x for part in rows for x in part] for rows in zip(*columns, strict=True)]

    def _tree_rotation(self, number: int) -> Matrix:
        return [[self._number[f"RT{number}_{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]

    @property
    def _rotor_axes(self) -> Matrix:
        axes = range(1, self.mechanism.n + 1)
        return [[self._number[f"RA{i}_{j}"] for j in axes] for i in axes]

    def _friction_columns(self, axis: int) -> Matrix:
        speed = self.v[axis - 1]
        drop = exp(-(self._number[f"KS{axis}"] * (speed * speed)))
        rows: Matrix = [[0.0] * 3 for _ in range(self.mechanism.n)]
        rows[axis - 1] = [speed, sign(speed), drop * sign(speed)]
        return rows

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

    def pose(self) -> Matrix:
        """Homogeneous matrix of the mechanism's frame in the base, ``(4, 4)``."""
        rows = [[*row, x] for row, x in zip(*self._frame(), strict=True)]
        return [*rows, [0.0, 0.0, 0.0, 1.0]]

    def _frame(self) -> tuple[Matrix, Vector]:
        if self.mechanism.frame is None:
            raise ValueError("this mechanism has no frame")
        fixed, offset = self._placement("E")
        if self.mechanism.frame.joint < 0:
            return fixed, offset
        rotation, origin = self.poses()[self.mechanism.frame.joint]
        axes = [times(rotation, column) for column in transpose(fixed)]
        return transpose(axes), add(origin, times(rotation, offset))

    def jacobian(self) -> Matrix:
        """Jacobian at the frame's origin in base axes, ``(6, n)``, linear rows first."""
        n = self.mechanism.n
        _, point = self._frame()
        total: Matrix = [[0.0] * n for _ in range(6)]
        for link, (rotation, origin) in zip(self.links, self.poses(), strict=True):
            axis = [row[2] for row in rotation]
            column = (
                [*axis, *ORIGIN] if link.slides else [*cross(axis, subtract(point, origin)), *axis]
            )
            add_product(total, column, link.row, 1.0)
        return total

    def pose_and_jacobian(self) -> tuple[Matrix, Matrix]:
        """Both, with the subexpressions that they share."""
        return self.pose(), self.jacobian()

    def hessian(self) -> Matrix:
        """Derivative of :meth:`jacobian`, ``(6 n, n)``: row ``n i + j`` belongs to entry (i, j)."""
        return jacobian([x for row in self.jacobian() for x in row], self.q)
