"""Vectors, rotations, bodies and their motion as traced values or floats.

Products of constants 0, 1 and -1 fold while the formulas are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .trace import Scalar

Vector = list[Scalar]
Matrix = list[Vector]
ORIGIN = [0.0, 0.0, 0.0]
IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Inner product."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total


def is_zero(x: Scalar) -> bool:
    """Return whether an entry is 0 by structure."""
    return x.__class__ is float and x == 0.0


def add(a: Vector, b: Vector) -> Vector:
    """Sum."""
    return [x + y for x, y in zip(a, b, strict=True)]


def subtract(a: Vector, b: Vector) -> Vector:
    """Difference."""
    return [x - y for x, y in zip(a, b, strict=True)]


def transpose(rows: Matrix) -> Matrix:
    """Transpose of a matrix."""
    return [list(column) for column in zip(*rows, strict=True)]


def times(rows: Matrix, x: Vector) -> Vector:
    """Matrix times vector."""
    return [dot(row, x) for row in rows]


def product(a: Matrix, b: Matrix) -> Matrix:
    """Product of two matrices."""
    return transpose([times(a, column) for column in transpose(b)])


def cross(a: Vector, b: Vector) -> Vector:
    """Cross product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def symmetric(rows: Matrix) -> Matrix:
    """Return a symmetric matrix with the entries above its diagonal below as well."""
    return [[rows[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]


class JointRotation(NamedTuple):
    """Rotation of a joint's frame in its parent's: a constant one, then an angle about z."""

    fixed: Matrix
    cos: Scalar
    sin: Scalar

    def to_parent(self, x: Vector) -> Vector:
        """Return a vector of this frame in the parent's axes."""
        turned = [self.cos * x[0] - self.sin * x[1], self.sin * x[0] + self.cos * x[1], x[2]]
        return [dot(row, turned) for row in self.fixed]

    def from_parent(self, x: Vector) -> Vector:
        """Return a vector of the parent's axes in this frame's."""
        x, y, z = (dot(column, x) for column in zip(*self.fixed, strict=True))
        return [self.cos * x + self.sin * y, self.cos * y - self.sin * x, z]

    def tensor_to_parent(self, tensor: Matrix) -> Matrix:
        """Return a symmetric tensor of this frame in the parent's axes."""
        if is_zero(self.sin):
            columns = [times(self.fixed, column) for column in tensor]
            return symmetric([times(self.fixed, row) for row in transpose(columns)])
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
        half = self.sin * (xx - yy) + (self.cos + self.cos) * xy
        across = self.sin * half
        x, y = self.cos * xz - self.sin * yz, self.sin * xz + self.cos * yz
        xx, xy, yy = xx - across, self.cos * half - xy, yy + across
        columns = [times(self.fixed, column) for column in ([xx, xy, x], [xy, yy, y], [x, y, zz])]
        return symmetric([times(self.fixed, row) for row in transpose(columns)])


class Body(NamedTuple):
    """Inertials about a joint's origin, in its axes."""

    mass: Scalar
    first: Vector
    tensor: Matrix

    @staticmethod
    def of(ten: Sequence[Scalar]) -> Body:
        """Return the body of ten parameters, in the order of :data:`~.mechanism.INERTIALS`."""
        m, x, y, z, xx, xy, yy, xz, yz, zz = ten
        return Body(m, [x, y, z], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def rotated(self, rotation: Matrix) -> Body:
        """Return the body in other axes, which ``rotation`` brings to its own."""
        inverse = transpose(rotation)
        half = [times(inverse, column) for column in transpose(self.tensor)]
        tensor = [times(inverse, column) for column in transpose(half)]
        return Body(self.mass, times(inverse, self.first), tensor)

    def in_parent(self, rotation: JointRotation, p: Vector) -> Body:
        """Return the body in the frame of a parent, where its own origin is at ``p``."""
        m, first = self.mass, rotation.to_parent(self.first)
        turned = rotation.tensor_to_parent(self.tensor)
        weight = [f + 0.5 * m * x for f, x in zip(first, p, strict=True)]
        shift = [p[i] * weight[i] for i in range(3)]
        tensor = symmetric(
            [
                [turned[i][j] - p[i] * weight[j] - p[j] * weight[i] for j in range(3)]
                for i in range(3)
            ]
        )
        for i in range(3):  # the trace less what would cancel
            tensor[i][i] = turned[i][i] + 2.0 * (shift[(i + 1) % 3] + shift[(i + 2) % 3])
        return Body(m, [f + m * x for f, x in zip(first, p, strict=True)], tensor)

    def plus(self, other: Body) -> Body:
        """Return both bodies as one."""
        tensor = [add(a, b) for a, b in zip(self.tensor, other.tensor, strict=True)]
        return Body(self.mass + other.mass, add(self.first, other.first), tensor)


class Motion(NamedTuple):
    """Motion of a link, in its own axes at its origin."""

    w: Vector
    dw: Vector
    acceleration: Vector
    """Of the origin, less gravity."""

    @property
    def U(self) -> Matrix:
        """``[w'] + [w]^2``: maps a point to its acceleration relative to the origin."""
        (x, y, z), (dx, dy, dz) = self.w, self.dw
        xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
        return [
            [-yy - zz, xy - dz, xz + dy],
            [xy + dz, -xx - zz, yz - dx],
            [xz - dy, yz + dx, -xx - yy],
        ]


def add_product(
    M: Matrix, rows: Vector, columns: Vector, value: Scalar, symmetric: bool = False
) -> None:
    """Add ``rows' value columns``, and its transpose where that is ``symmetric``, in place."""
    for i, r in enumerate(rows):
        if is_zero(r):
            continue
        for j, c in enumerate(columns):
            if is_zero(c):
                continue
            product = r * c * value
            M[i][j] = M[i][j] + product
            if symmetric:
                M[j][i] = M[j][i] + product


def wrench(body: Body, motion: Motion) -> tuple[Vector, Vector]:
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


def wrench_regressor(motion: Motion, spins: list[Vector], speeds: list[Vector]) -> Matrix:
    """Torques per unit of a body's ten parameters, one row per partial velocity (spin, speed)."""
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


def solve_ldl(M: Matrix, right: Vector) -> Vector:
    """Solve ``M x = right`` by ``L D L'`` from the last row up: branches stay separate."""
    n = len(right)
    H = [list(row) for row in M]
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
