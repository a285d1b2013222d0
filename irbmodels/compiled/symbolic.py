"""The reduced dynamics of a mechanism as CasADi expressions in axis coordinates.

Newton-Euler with the matrix ``U = [w'] + [w]^2`` [Khalil & Dombre 2002, ch. 9], which serves force,
moment and the acceleration of the next origin alike; products of constants 0, 1 and -1 fold while
the expressions are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca

from ..model.mechanism import INERTIALS, Mechanism

SX = Any  # casadi.SX, or a float where it folded
Vector = list[SX]
Matrix = list[Vector]
ORIGIN = [0.0, 0.0, 0.0]
IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


class Turn(NamedTuple):
    """How a joint's frame stands in its parent's: a constant rotation, then a turn about z."""

    fixed: Matrix
    cos: SX
    sin: SX

    def inward(self, x: Vector) -> Vector:
        """Return a vector of this frame in the parent's axes."""
        turned = [self.cos * x[0] - self.sin * x[1], self.sin * x[0] + self.cos * x[1], x[2]]
        return [dot(row, turned) for row in self.fixed]

    def outward(self, x: Vector) -> Vector:
        """Return a vector of the parent's axes in this frame's."""
        x, y, z = (dot(column, x) for column in zip(*self.fixed, strict=True))
        return [self.cos * x + self.sin * y, self.cos * y - self.sin * x, z]


class Body(NamedTuple):
    """Inertials about a joint's origin, in its axes."""

    mass: SX
    first: Vector
    tensor: Matrix

    @staticmethod
    def of(ten: Sequence[SX]) -> Body:
        """Return the body of ten parameters, in the order of :data:`~.mechanism.INERTIALS`."""
        m, x, y, z, xx, xy, yy, xz, yz, zz = ten
        return Body(m, [x, y, z], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def turned(self, turn: Matrix) -> Body:
        """Return the body in other axes, whose rotation from there to its own is ``turn``."""
        back = [list(column) for column in zip(*turn, strict=True)]
        half = [times(back, list(column)) for column in zip(*self.tensor, strict=True)]
        tensor = [times(back, list(column)) for column in zip(*half, strict=True)]
        return Body(self.mass, times(back, self.first), tensor)

    def plus(self, other: Body) -> Body:
        """Return both bodies as one."""
        tensor = [add(a, b) for a, b in zip(self.tensor, other.tensor, strict=True)]
        return Body(self.mass + other.mass, add(self.first, other.first), tensor)


class Link(NamedTuple):
    """A joint as expressions."""

    parent: int
    slides: bool
    turn: Turn
    place: Vector
    """Its origin in the parent's axes; of a sliding joint that depends on q."""
    body: Body
    row: Vector


class Motion(NamedTuple):
    """How a link moves, in its own axes at its origin."""

    w: Vector
    dw: Vector
    acceleration: Vector
    """Of the origin, less gravity."""

    @property
    def U(self) -> Matrix:
        """``[w'] + [w]^2``: what takes a point of the link to its acceleration relative to the origin."""
        (x, y, z), (dx, dy, dz) = self.w, self.dw
        xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
        return [
            [-yy - zz, xy - dz, xz + dy],
            [xy + dz, -xx - zz, yz - dx],
            [xz - dy, yz + dx, -xx - yy],
        ]


class Dynamics:
    """Expressions of one mechanism. ``q``, ``v`` and ``a`` are columns ``(n, 1)``; so are torques.

    Numbers of the mechanism are symbols, :attr:`constants` by name. Of a mechanism of ``unreduced_mechanism_of``
    the bodies, rotors and friction may come from a column of :attr:`parameters` instead, in the
    order of ``robot.parameter_vector()``.
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

    # --- kinematics
    # ------------------------------------------------------------------------------------------------

    @cached_property
    def links(self) -> list[Link]:
        """All joints, the base's first."""
        links = []
        for number, joint in enumerate(self.mechanism.joints, 1):
            row = [self._number[f"G{number}_{axis}"] for axis in range(1, self.mechanism.n + 1)]
            position = dot(row, elements(self.q)) + self._number[f"q0_{number}"]
            fixed, place = self._placed(str(number))
            if joint.prismatic:
                turn, place = (
                    Turn(fixed, 1.0, 0.0),
                    add(place, [fixed[k][2] * position for k in range(3)]),
                )
            else:
                turn = Turn(fixed, ca.cos(position), ca.sin(position))
            body = Body.of([self._number[f"{name}{number}"] for name in INERTIALS])
            if self._rotors is not None:  # parameters are about the axes that the tree has there
                body = body.turned(self._turned(number))
            links.append(Link(joint.parent, joint.prismatic, turn, place, body, row))
        return links

    def _placed(self, name: str) -> tuple[Matrix, Vector]:
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
        moved: list[Motion] = []
        base = Motion(ORIGIN, ORIGIN, [-g for g in gravity])
        for link in self.links:
            below = moved[link.parent] if link.parent >= 0 else base
            speed, push = self.along(link, v), self.along(link, a)
            w, dw = link.turn.outward(below.w), link.turn.outward(below.dw)
            acceleration = link.turn.outward(add(below.acceleration, times(below.U, link.place)))
            if link.slides:
                coriolis = [2.0 * w[1] * speed, -2.0 * w[0] * speed, push]
                moved.append(Motion(w, dw, add(acceleration, coriolis)))
            else:
                moved.append(
                    Motion(
                        [w[0], w[1], w[2] + speed],
                        add(dw, [w[1] * speed, -w[0] * speed, push]),
                        acceleration,
                    )
                )
        return moved

    # --- dynamics
    # --------------------------------------------------------------------------------------------------

    def torques(self, v: SX, a: SX, gravity: Vector) -> Vector:
        """Axis torques of the rigid bodies, by Newton-Euler."""
        links = self.links
        loads = [
            load(link.body, motion)
            for link, motion in zip(links, self.motions(v, a, gravity), strict=True)
        ]
        result: Vector = [0.0] * self.mechanism.n
        for number in reversed(range(len(links))):
            link, (force, moment) = links[number], loads[number]
            own = force[2] if link.slides else moment[2]
            result = [total + factor * own for total, factor in zip(result, link.row, strict=True)]
            if link.parent >= 0:
                force, moment = link.turn.inward(force), link.turn.inward(moment)
                below_force, below_moment = loads[link.parent]
                loads[link.parent] = (
                    add(below_force, force),
                    add(below_moment, add(moment, cross(link.place, force))),
                )
        return result

    def inverse_dynamics(self) -> SX:
        """Axis torques: rigid bodies, rotors, and friction where the mechanism has it."""
        rigid = ca.vertcat(*self.torques(self.v, self.a, self.gravity_vector))
        return rigid + self.rotor_inertia @ self.a + self.friction()

    @property
    def rotor_inertia(self) -> SX:
        """What rotors add to the mass matrix."""
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
        """Matrix of the Christoffel symbols: half the derivative of ``C v``, which is quadratic in v."""
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
            M = pushed(M, link.row, link.row, own, 1.0)
            below = number
            while links[below].parent >= 0:
                step = links[below]
                force, moment = step.turn.inward(force), step.turn.inward(moment)
                moment = add(moment, cross(step.place, force))
                below = step.parent
                own = force[2] if links[below].slides else moment[2]
                M = pushed(M, links[below].row, link.row, own, 1.0)
                M = pushed(M, link.row, links[below].row, own, 1.0)
            if link.parent >= 0:
                composite[link.parent] = composite[link.parent].plus(carried(link, body))
        return matrix(M) + self.rotor_inertia

    def forward_dynamics(self) -> SX:
        """Axis accelerations under ``tau``: ``M a = tau - h``, by ``L D L'``."""
        zero = ca.SX(self.mechanism.n, 1)
        rest = ca.vertcat(*self.torques(self.v, zero, self.gravity_vector)) + self.friction()
        return ca.vertcat(*solved(self.mass_matrix(), elements(self.tau - rest)))

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
        for link, motion, velocity, (turn, place) in zip(
            self.links, motions, velocities, self.poses(), strict=True
        ):
            body, w = link.body, motion.w
            spin = times(body.tensor, w)
            kinetic += 0.5 * (dot(w, spin) + body.mass * dot(velocity, velocity)) + dot(
                cross(velocity, w), body.first
            )
            moment = add(moment, add(times(turn, body.first), [body.mass * x for x in place]))
        return kinetic, -dot(self.gravity_vector, moment)

    def velocities(self) -> list[Vector]:
        """Velocities of the joints' origins, in their own axes."""
        found: list[Vector] = []
        spins = [motion.w for motion in self.motions(self.v, ca.SX(self.mechanism.n, 1), ORIGIN)]
        for link in self.links:
            below = (
                ORIGIN
                if link.parent < 0
                else add(found[link.parent], cross(spins[link.parent], link.place))
            )
            own = link.turn.outward(below)
            found.append(add(own, [0.0, 0.0, self.along(link, self.v)]) if link.slides else own)
        return found

    def regressor(self) -> SX:
        """Matrix whose product with the parameters is the torque.

        Columns as in :func:`irbmodels.dynamics.equations_of_motion.regressor`. Entry by entry it is
        the power that a unit of a parameter takes per unit of an axis rate: partial velocities of
        the body times what its motion weighs.
        """
        n = self.mechanism.n
        moved = self.motions(self.v, self.a, self.gravity_vector)
        partial: list[tuple[list[Vector], list[Vector]]] = []
        columns: list[SX] = []
        for number, (link, motion) in enumerate(zip(self.links, moved, strict=True), 1):
            zero = [ORIGIN] * n
            spins, speeds = partial[link.parent] if link.parent >= 0 else (zero, zero)
            speeds = [
                link.turn.outward(add(v, cross(w, link.place)))
                for v, w in zip(speeds, spins, strict=True)
            ]
            spins = [link.turn.outward(w) for w in spins]
            along: Vector = link.row
            if link.slides:
                speeds = [add(v, [0.0, 0.0, rate]) for v, rate in zip(speeds, along, strict=True)]
            else:
                spins = [add(w, [0.0, 0.0, rate]) for w, rate in zip(spins, along, strict=True)]
            partial.append((spins, speeds))
            turned = self._turned(number)
            weights = weighed(
                Motion(
                    times(turned, motion.w),
                    times(turned, motion.dw),
                    times(turned, motion.acceleration),
                ),
                [times(turned, w) for w in spins],
                [times(turned, v) for v in speeds],
            )
            columns.append(matrix(weights))
        columns.append(self._rotor_axes.T @ ca.diag(self._rotor_axes @ self.a))
        if self.mechanism.friction is not None:
            columns.append(ca.diagcat(*(self._rubbing(axis) for axis in range(1, n + 1))))
        return ca.horzcat(*columns)

    def _turned(self, number: int) -> Matrix:
        return [[self._number[f"RT{number}_{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]

    @property
    def _rotor_axes(self) -> SX:
        axes = range(1, self.mechanism.n + 1)
        return matrix([[self._number[f"RA{i}_{j}"] for j in axes] for i in axes])

    def _rubbing(self, axis: int) -> SX:
        speed = self.v[axis - 1]
        sign = ca.sign(speed)
        return ca.horzcat(
            speed, sign, ca.exp(-(self._number[f"KS{axis}"] * (speed * speed))) * sign
        )

    # --- kinematics of a frame
    # -------------------------------------------------------------------------------------

    def poses(self) -> list[tuple[Matrix, Vector]]:
        """Rotation and origin of every joint's frame in the base."""
        found: list[tuple[Matrix, Vector]] = []
        for link in self.links:
            axes = [link.turn.inward(unit) for unit in IDENTITY]  # columns, in the parent's axes
            place = link.place
            if link.parent >= 0:
                below, origin = found[link.parent]
                axes, place = (
                    [times(below, column) for column in axes],
                    add(origin, times(below, place)),
                )
            found.append(([list(row) for row in zip(*axes, strict=True)], place))
        return found

    def pose(self) -> SX:
        """Homogeneous matrix of the mechanism's frame in the base, ``(4, 4)``."""
        return matrix(
            [[*row, x] for row, x in zip(*self._frame(), strict=True)] + [[0.0, 0.0, 0.0, 1.0]]
        )

    def _frame(self) -> tuple[Matrix, Vector]:
        if self.mechanism.frame is None:
            raise ValueError("this mechanism has no frame")
        turn, place = self._placed("E")
        if self.mechanism.frame.joint < 0:
            return turn, place
        below, origin = self.poses()[self.mechanism.frame.joint]
        axes = [times(below, list(column)) for column in zip(*turn, strict=True)]
        return [list(row) for row in zip(*axes, strict=True)], add(origin, times(below, place))

    def jacobian(self) -> SX:
        """Jacobian at the frame's origin in base axes, ``(6, n)``, linear rows first."""
        n = self.mechanism.n
        _, point = self._frame()
        total = ca.SX(6, n)
        for link, (turn, place) in zip(self.links, self.poses(), strict=True):
            axis = [row[2] for row in turn]
            column = (
                [*axis, *ORIGIN]
                if link.slides
                else [*cross(axis, add(point, [-x for x in place])), *axis]
            )
            total += ca.vertcat(*column) @ ca.horzcat(*link.row)
        return total

    def pose_and_jacobian(self) -> tuple[SX, SX]:
        """Both, with the subexpressions that they share."""
        return self.pose(), self.jacobian()

    def hessian(self) -> SX:
        """Derivative of :meth:`jacobian`, ``(6 n, n)``: row ``n i + j`` belongs to entry (i, j)."""
        return ca.jacobian(ca.vec(self.jacobian().T), self.q)


# --- vectors of numbers and expressions
# ------------------------------------------------------------------------------


def elements(column: SX) -> Vector:
    """Return the entries of a column."""
    return [column[i] for i in range(column.shape[0])]


def matrix(rows: Matrix) -> SX:
    """Return rows as one matrix."""
    return ca.vertcat(*(ca.horzcat(*row) for row in rows))


def dot(a: Sequence[SX], b: Sequence[SX]) -> SX:
    """Inner product."""
    total: SX = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def add(a: Vector, b: Vector) -> Vector:
    """Sum."""
    return [x + y for x, y in zip(a, b, strict=True)]


def times(rows: Matrix, x: Vector) -> Vector:
    """Matrix times vector."""
    return [dot(row, x) for row in rows]


def cross(a: Vector, b: Vector) -> Vector:
    """Cross product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def pushed(M: Matrix, rows: Vector, columns: Vector, value: SX, sign: float) -> Matrix:
    """Add ``rows' value columns``."""
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            if not (_zero(r) or _zero(c)):
                M[i][j] = M[i][j] + r * c * value * sign
    return M


def _zero(x: SX) -> bool:
    return isinstance(x, float) and x == 0.0


def load(body: Body, motion: Motion) -> tuple[Vector, Vector]:
    """Force and moment at its origin that a body's motion takes."""
    U, (wx, wy, wz), (dx, dy, dz) = motion.U, motion.w, motion.dw
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.tensor
    force = add([body.mass * a for a in motion.acceleration], times(U, body.first))
    turning = [  # w' and w x J w, sorted by parameter so that the entries of U appear
        xx * dx + (zz - yy) * (wy * wz) - xy * U[2][0] + xz * U[1][0] + yz * (U[1][1] - U[2][2]),
        yy * dy + (xx - zz) * (wx * wz) + xy * U[2][1] - yz * U[0][1] + xz * (U[2][2] - U[0][0]),
        zz * dz + (yy - xx) * (wx * wy) - xz * U[1][2] + yz * U[0][2] + xy * (U[0][0] - U[1][1]),
    ]
    return force, add(turning, cross(body.first, motion.acceleration))


def weighed(motion: Motion, spins: list[Vector], speeds: list[Vector]) -> Matrix:
    """Torques that a unit of each of a body's ten parameters takes, one row per partial velocity (spin, speed)."""
    U, (wx, wy, wz), (dx, dy, dz), a = motion.U, motion.w, motion.dw, motion.acceleration
    columns = list(zip(*U, strict=True))
    moments = [  # of the tensor's entries, in the order of INERTIALS
        [dx, wx * wz, -wx * wy],
        [-U[2][0], U[2][1], U[0][0] - U[1][1]],
        [-wy * wz, dy, wx * wy],
        [U[1][0], U[2][2] - U[0][0], -U[1][2]],
        [U[1][1] - U[2][2], -U[0][1], U[0][2]],
        [wy * wz, -wx * wz, dz],
    ]
    rows = []
    for spin, speed in zip(spins, speeds, strict=True):
        arm = cross(a, spin)
        first = [dot(speed, column) + x for column, x in zip(columns, arm, strict=True)]
        rows.append([dot(speed, a), *first, *(dot(spin, moment) for moment in moments)])
    return rows


def carried(link: Link, body: Body) -> Body:
    """Return what a link carries as a body of its parent's frame."""
    inward, p, m = link.turn.inward, link.place, body.mass
    first = inward(body.first)
    half = [
        inward(list(row))
        for row in zip(
            *[inward(list(column)) for column in zip(*body.tensor, strict=True)], strict=True
        )
    ]
    weight = [f + 0.5 * m * x for f, x in zip(first, p, strict=True)]
    shift = [p[i] * weight[i] for i in range(3)]
    tensor = [
        [half[i][j] - p[i] * weight[j] - p[j] * weight[i] for j in range(3)] for i in range(3)
    ]
    for i in range(3):  # the trace less what would cancel
        tensor[i][i] = half[i][i] + 2.0 * (shift[(i + 1) % 3] + shift[(i + 2) % 3])
    return Body(m, [f + m * x for f, x in zip(first, p, strict=True)], tensor)


def solved(M: SX, right: Vector) -> Vector:
    """Solve ``M x = right`` by ``L D L'`` from the last row up, which keeps the branches of a tree apart."""
    n = len(right)
    H = [[M[i, j] for j in range(n)] for i in range(n)]
    x = list(right)
    inverse: Vector = [0.0] * n
    for k in reversed(range(n)):
        inverse[k] = 1.0 / H[k][k]
        for i in reversed(range(k)):
            factor = H[k][i] * inverse[k]
            for j in range(i + 1):
                H[i][j] = H[i][j] - factor * H[k][j]
            x[i] = x[i] - factor * x[k]
            H[k][i] = factor
    for k in range(n):
        x[k] = x[k] * inverse[k] - dot(H[k][:k], x[:k])
    return x
