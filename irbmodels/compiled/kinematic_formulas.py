"""Kinematics of a mechanism as traced formulas in axis coordinates.

A frame on parallel axes turns by the sum of their angles: after ``q2`` and ``q3 - q2`` the upper
arm of a parallelogram has turned by ``q3``. Angles are added before sines are taken.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ..model.mechanism import INERTIALS, Mechanism
from .derivatives import jacobian
from .spatial import (
    ORIGIN,
    Body,
    JointRotation,
    Matrix,
    Vector,
    add,
    add_product,
    cross,
    dot,
    product,
    subtract,
    times,
)
from .spring_formulas import COEFFICIENTS
from .trace import Scalar, Trace, cos, sin


class Link(NamedTuple):
    """A joint as formulas."""

    parent: int
    slides: bool
    rotation: JointRotation
    position: Vector
    """Its origin in the parent's axes; of a sliding joint that depends on q."""
    body: Body
    row: Vector


class Kinematics:
    """Formulas of one mechanism in a trace of their own.

    Vectors over the axes are lists of ``n`` values, matrices lists of rows. Numbers of the
    mechanism are constants of the trace by name, those that belong to its structure floats. Of a
    mechanism of ``unreduced_mechanism_of`` the bodies, rotors, friction and springs may come from
    the input :attr:`parameters` instead, in the order of ``robot.parameter_vector()``.
    """

    def __init__(self, mechanism: Mechanism, parameters: bool = False) -> None:
        """Start a trace; inputs are declared as they are first read."""
        self.mechanism = mechanism
        self.trace = Trace()
        n, bodies = mechanism.n, 10 * len(mechanism.joints)
        self.parameter_count = bodies + n + len(mechanism.friction_kinds) * n
        self.parameter_count += sum(len(spring.coefficients) for spring in mechanism.springs)
        self.parametric = parameters

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
        """Inertials, rotors, friction and springs."""
        return list(self.trace.input("parameters", self.parameter_count))

    @cached_property
    def number(self) -> dict[str, Scalar]:
        """Numbers of the mechanism by name: values where they are no part of the structure."""
        numbers: dict[str, Scalar] = dict(self.mechanism.constants)
        numbers |= {name: self.trace.constant(name) for name in self.mechanism.free}
        if self.parametric:
            n, values = self.mechanism.n, iter(self.parameters)
            for number in range(1, len(self.mechanism.joints) + 1):
                numbers |= {f"{name}{number}": next(values) for name in INERTIALS}
            numbers |= {f"IR{axis}": next(values) for axis in range(1, n + 1)}
            kinds = self.mechanism.friction_kinds
            for axis in range(1, n + 1):
                numbers |= {f"{name}{axis}": next(values) for name in kinds}
            for number, spring in enumerate(self.mechanism.springs, 1):
                numbers |= {f"{name}{number}": next(values) for name in COEFFICIENTS[type(spring)]}
        return numbers

    @cached_property
    def links(self) -> list[Link]:
        """All joints, the base's first."""
        links = []
        for number, joint in enumerate(self.mechanism.joints, 1):
            row = [self.number[f"G{number}_{axis}"] for axis in range(1, self.mechanism.n + 1)]
            position = dot(row, self.q) + self.number[f"q0_{number}"]
            fixed, origin = self.placement(str(number))
            if joint.prismatic:
                rotation = JointRotation(fixed, 1.0, 0.0)
                origin = add(origin, [row[2] * position for row in fixed])
            else:
                rotation = JointRotation(fixed, cos(position), sin(position))
            body = Body.of([self.number[f"{name}{number}"] for name in INERTIALS])
            if self.parametric:  # parameters are about the axes that the tree has there
                body = body.rotated(self.tree_rotation(number))
            links.append(Link(joint.parent, joint.prismatic, rotation, origin, body, row))
        return links

    def placement(self, name: str) -> tuple[Matrix, Vector]:
        """Return constant rotation and origin of a joint, or of the frame E."""
        fixed = [[self.number[f"R{name}_{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]
        return fixed, [self.number[f"p{name}{axis}"] for axis in "xyz"]

    def tree_rotation(self, number: int) -> Matrix:
        """Return the rotation from a joint's axes to those that the tree has there."""
        return [[self.number[f"RT{number}_{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]

    @cached_property
    def poses(self) -> list[tuple[Matrix, Vector]]:
        """Rotation and origin of every joint's frame in the base."""
        poses: list[tuple[Matrix, Vector]] = []
        # constant rotation before a joint's own angle about z; row and offset of that angle
        angles: list[tuple[Matrix, Vector, Scalar]] = []
        zeros = [0.0] * self.mechanism.n
        for number, (joint, link) in enumerate(
            zip(self.mechanism.joints, self.links, strict=True), 1
        ):
            fixed, origin = link.rotation.fixed, link.position
            row, offset = (zeros, 0.0) if link.slides else (link.row, self.number[f"q0_{number}"])
            before: Matrix | None = None
            if link.parent >= 0:
                before, below = poses[link.parent]
                origin = add(below, times(before, origin))
                parallel = joint.rotation[2, 2].item()
                # a cosine would hide 1e-7 rad
                if abs(parallel) == 1.0 and not joint.rotation[:2, 2].any():
                    # Rz(x) F = F Rz(x) where F keeps z, and F Rz(-x) where it turns z over
                    rotation, row_below, offset_below = angles[link.parent]
                    row = add(row, [parallel * x for x in row_below])
                    offset = offset + parallel * offset_below
                    fixed, before = product(rotation, fixed), None
            angle = dot(row, self.q) + offset
            c, s = cos(angle), sin(angle)
            turned = [[x * c + y * s, y * c - x * s, z] for x, y, z in fixed]
            angles.append((fixed if before is None else product(before, fixed), row, offset))
            poses.append((turned if before is None else product(before, turned), origin))
        return poses

    def frame(self) -> tuple[Matrix, Vector]:
        """Rotation and origin of the mechanism's frame in the base.

        Raises:
            ValueError: if it has none.
        """
        if self.mechanism.frame is None:
            raise ValueError("this mechanism has no frame")
        fixed, offset = self.placement("E")
        if self.mechanism.frame.joint < 0:
            return fixed, offset
        rotation, origin = self.poses[self.mechanism.frame.joint]
        return product(rotation, fixed), add(origin, times(rotation, offset))

    def pose(self) -> Matrix:
        """Homogeneous matrix of the mechanism's frame in the base, ``(4, 4)``."""
        rows = [[*row, x] for row, x in zip(*self.frame(), strict=True)]
        return [*rows, [0.0, 0.0, 0.0, 1.0]]

    def jacobian(self) -> Matrix:
        """Jacobian at the frame's origin in base axes, ``(6, n)``, linear rows first."""
        by_axes, by_point, angular = self._jacobians
        return self.trace.shortest(by_axes + angular, by_point + angular)

    @cached_property
    def _jacobians(self) -> tuple[Matrix, Matrix, Matrix]:
        """Linear rows from the joints' axes, and as derivatives of the point; angular rows."""
        _, point = self.frame()
        rows: Matrix = [[0.0] * self.mechanism.n for _ in range(6)]
        for link, (rotation, origin) in zip(self.links, self.poses, strict=True):
            axis = [row[2] for row in rotation]
            column = (
                [*axis, *ORIGIN] if link.slides else [*cross(axis, subtract(point, origin)), *axis]
            )
            add_product(rows, column, link.row, 1.0)
        return rows[:3], jacobian(point, self.q), rows[3:]

    def pose_and_jacobian(self) -> tuple[Matrix, Matrix]:
        """Both, with the subexpressions that they share."""
        return self.pose(), self.jacobian()

    def hessian(self) -> Matrix:
        """Derivative of :meth:`jacobian`, ``(6 n, n)``: row ``n i + j`` belongs to entry (i, j)."""
        by_axes, by_point, angular = (
            jacobian([x for row in rows for x in row], self.q) for rows in self._jacobians
        )
        return self.trace.shortest(by_axes + angular, by_point + angular)
