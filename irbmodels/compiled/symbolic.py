"""The reduced dynamics of a mechanism as traced formulas in axis coordinates.

Newton-Euler with the matrix ``U = [w'] + [w]^2`` [Khalil & Dombre 2002, ch. 9], which serves force,
moment and the acceleration of the next origin alike.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ..model.springs import Spring
from .derivatives import jacobian
from .kinematic_formulas import Kinematics
from .spatial import (
    ORIGIN,
    Matrix,
    Motion,
    Vector,
    add,
    add_product,
    cross,
    dot,
    is_zero,
    solve_ldl,
    subtract,
    times,
    transpose,
    wrench,
    wrench_regressor,
)
from .spring_formulas import energies, unit_energies
from .trace import Scalar, exp, sign

FEW = 7
"""Axes up to which slopes of ``M`` give the Coriolis matrix in fewer operations than recursions.

They grow with the third power of the axes, recursions with the second: of arms with axes at right
angles the matrix takes 1175 operations instead of 1660 with six axes, 5755 and 5208 with ten.
"""


class Dynamics(Kinematics):
    """Formulas of one mechanism: kinematics, and dynamics with rotors, springs and friction."""

    @property
    def still(self) -> Vector:
        """Rates of a robot at rest."""
        return [0.0] * self.mechanism.n

    @property
    def gravity_vector(self) -> Vector:
        """Gravity in base axes."""
        return [self.number[name] for name in ("gx", "gy", "gz")]

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
        """Axis torques: rigid bodies, rotors, and springs and friction where there are any."""
        rigid = add(self.torques(self.v, self.a, self.gravity_vector), self.spring_torque())
        return add(add(rigid, times(self.rotor_inertia, self.a)), self.friction())

    @property
    def rotor_inertia(self) -> Matrix:
        """Inertia that the rotors add to the mass matrix."""
        axes = range(1, self.mechanism.n + 1)
        if not self.parametric:
            return [[self.number[f"IA{i}_{j}"] for j in axes] for i in axes]
        inertia: Matrix = [[0.0] * self.mechanism.n for _ in axes]
        for rotor, turns in enumerate(self._drive_axes, 1):
            add_product(inertia, turns, turns, self.number[f"IR{rotor}"])
        return inertia

    def friction(self) -> Vector:
        """Friction torques of the axes (S000 eq. 54 with further terms of a drive)."""
        law = self.mechanism.friction
        if law is None:
            return self.still
        torques = []
        for drive, speed in enumerate(times(self._drive_axes, self.v), 1):
            coulomb, drop, steepness, viscous = (
                self.number[f"{name}{drive}"] for name in ("FC", "FD", "KS", "FV")
            )
            dry = coulomb + drop * exp(-(steepness * (speed * speed)))
            torque = dry * sign(speed) + viscous * speed
            for name in self.mechanism.friction_kinds[3:]:
                if not is_zero(factor := self.number[f"{name}{drive}"]):
                    torque = torque + factor * self._friction_per_unit(name, drive, speed)
            torques.append(torque)
        return times(transpose(self._drive_axes), torques)

    def _friction_per_unit(self, name: str, drive: int, speed: Scalar) -> Scalar:
        """Torque of a drive per unit of one of its constants, at a speed of the drive."""
        formulas: dict[str, Callable[[], Scalar]] = {
            "FV": lambda: speed,
            "FC": lambda: sign(speed),
            "FD": lambda: exp(-(self.number[f"KS{drive}"] * (speed * speed))) * sign(speed),
            "FG": lambda: speed / (self.number[f"VG{drive}"] + abs(speed)),
            "AC": lambda: abs(sign(speed)),
            "AV": lambda: abs(speed),
            "MU": lambda: abs(self._loads[drive - 1]) * sign(speed),
        }
        return formulas[name]()

    @cached_property
    def _loads(self) -> Vector:
        """Static torques at the drives."""
        if self.mechanism.drive_axes is None:
            return self.gravity()
        return times(transpose(self._square("RI")), self.gravity())

    def gravity(self) -> Vector:
        """Axis torques that hold the robot still."""
        return add(self.weight(), self.spring_torque())

    def weight(self) -> Vector:
        """Axis torques that balance the weight of the bodies."""
        recursion = self.torques(self.still, self.still, self.gravity_vector)
        return self.trace.shortest([recursion], [self.weight_gradient()])[0]

    def spring_torque(self) -> Vector:
        """Axis torques that hold the springs: the gradient of their energy."""
        return jacobian([self.spring_energy()], self.q)[0] if self.mechanism.springs else self.still

    def spring_energy(self) -> Scalar:
        """Potential energy of the springs."""
        parts = (
            part
            for number, spring in enumerate(self.mechanism.springs, 1)
            for part in energies(spring, self.q[spring.axis - 1], self._numbers_of(number))
        )
        return sum(parts, start=0.0)

    def _numbers_of(self, spring: int) -> Callable[[str], Scalar]:
        """Return the function from names to numbers of a spring, 1-based."""
        return lambda name: self.number[f"{name}{spring}"]

    def coriolis_torque(self) -> Vector:
        """``C v``."""
        return self.torques(self.v, self.still, ORIGIN)

    def coriolis(self) -> Matrix:
        """Matrix of the Christoffel symbols: half the derivative of ``C v`` by v."""
        halves = [0.5 * x for x in self.v]
        if self.mechanism.n > FEW:
            return jacobian(self.torques(halves, self.still, ORIGIN), halves)
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
        rest = add(self.torques(self.v, self.still, self.gravity_vector), self.spring_torque())
        rest = add(rest, self.friction())
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
        return self.kinetic_energy(), self.potential_energy() + self.spring_energy()

    def kinetic_energy(self) -> Scalar:
        """Kinetic energy, rotors included."""
        kinetic = 0.5 * dot(self.v, times(self.rotor_inertia, self.v))
        motions = self.motions(self.v, self.still, ORIGIN)
        for link, motion, velocity in zip(self.links, motions, self.velocities(), strict=True):
            body, w = link.body, motion.w
            spin = times(body.tensor, w)
            kinetic += 0.5 * (dot(w, spin) + body.mass * dot(velocity, velocity)) + dot(
                cross(velocity, w), body.first
            )
        return kinetic

    def potential_energy(self) -> Scalar:
        """Potential energy of the bodies; 0 for a mass at the base's origin."""
        down, strength = self.gravity_vector, 1.0
        if sum(not is_zero(g) for g in down) == 1:  # along an axis: multiplied once, at the end
            strength = next(g for g in down if not is_zero(g))
            down = [0.0 if is_zero(g) else 1.0 for g in down]
        moment = dot(down, self.ground_moment)
        below: list[tuple[Vector, Scalar]] = []  # that direction in a link's axes, its origin's way
        for link in self.links:
            direction, way = below[link.parent] if link.parent >= 0 else (down, 0.0)
            way = way + dot(direction, link.position)
            direction = link.rotation.from_parent(direction)
            below.append((direction, way))
            moment = moment + (dot(direction, link.body.first) + link.body.mass * way)
        return -(strength * moment)

    @property
    def ground_moment(self) -> Vector:
        """First moment of what does not move, about the base's origin."""
        return [self.number[f"{name}0"] for name in ("MX", "MY", "MZ")]

    def weight_gradient(self) -> Vector:
        """:meth:`weight` as the gradient of the potential energy."""
        return jacobian([-dot(self.gravity_vector, self.first_moment())], self.q)[0]

    def first_moment(self) -> Vector:
        """Mass times centre of all bodies in the base, from the poses of the links."""
        moment = self.ground_moment
        for link, (rotation, origin) in zip(self.links, self.poses, strict=True):
            body = link.body
            moment = add(moment, add(times(rotation, body.first), [body.mass * x for x in origin]))
        return moment

    def velocities(self) -> list[Vector]:
        """Velocities of the joints' origins, in their own axes."""
        velocities: list[Vector] = []
        spins = [motion.w for motion in self.motions(self.v, self.still, ORIGIN)]
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
            rotation = self.tree_rotation(number)
            rows = wrench_regressor(
                Motion(*(times(rotation, x) for x in motion)),
                [times(rotation, w) for w in spins],
                [times(rotation, v) for v in speeds],
            )
            columns.append(rows)
        turns = times(self._drive_axes, self.a)
        columns.append(
            [
                [x * turn for x, turn in zip(row, turns, strict=True)]
                for row in transpose(self._drive_axes)
            ]
        )
        if self.mechanism.friction is not None:
            speeds = times(self._drive_axes, self.v)
            columns += [self._friction_columns(*drive) for drive in enumerate(speeds, 1)]
        columns += [self._spring_columns(i, s) for i, s in enumerate(self.mechanism.springs, 1)]
        return [[x for part in rows for x in part] for rows in zip(*columns, strict=True)]

    @property
    def _drive_axes(self) -> Matrix:
        n = self.mechanism.n
        if self.mechanism.drive_axes is None:
            return [[float(i == j) for j in range(n)] for i in range(n)]
        return self._square("RA")

    def _spring_columns(self, number: int, spring: Spring) -> Matrix:
        position = self.q[spring.axis - 1]
        units = unit_energies(spring, position, self._numbers_of(number))
        rows: Matrix = [[0.0] * len(units) for _ in range(self.mechanism.n)]
        rows[spring.axis - 1] = [slope for (slope,) in jacobian(units, [position])]
        return rows

    def _square(self, name: str) -> Matrix:
        axes = range(1, self.mechanism.n + 1)
        return [[self.number[f"{name}{i}_{j}"] for j in axes] for i in axes]

    def _friction_columns(self, drive: int, speed: Scalar) -> Matrix:
        """Columns of one drive: torques of the axes per unit of each of its parameters."""
        kinds = self.mechanism.friction_kinds
        own = [self._friction_per_unit(name, drive, speed) for name in kinds]
        return [[row[drive - 1] * x for x in own] for row in transpose(self._drive_axes)]
