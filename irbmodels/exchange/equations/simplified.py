"""Expressions simplified for reading: angles about parallel axes are added before sines are taken.

A frame on parallel axes turns by the sum of their angles: after ``q2`` and ``q3 - q2`` the upper
arm of a parallelogram has turned by ``q3``, which the recursion of the kernels does not use.
"""

from __future__ import annotations

from functools import cached_property

from ...compiled.derivatives import jacobian
from ...compiled.spatial import Matrix, Vector, add, add_product, dot, times, transpose
from ...compiled.symbolic import Dynamics
from ...compiled.trace import Scalar, cos, sin


class SimplifiedDynamics(Dynamics):
    """The same functions of the same constants in shorter expressions."""

    def poses(self) -> list[tuple[Matrix, Vector]]:
        """Return rotation and origin of every joint's frame in the base."""
        return [([list(row) for row in rotation], list(origin)) for rotation, origin in self._poses]

    @cached_property
    def _poses(self) -> list[tuple[Matrix, Vector]]:
        poses: list[tuple[Matrix, Vector]] = []
        # constant rotation before a joint's own angle about z; row and offset of that angle
        angles: list[tuple[Matrix, Vector, Scalar]] = []
        n = self.mechanism.n
        zeros = [0.0] * n
        for number, (joint, link) in enumerate(
            zip(self.mechanism.joints, self.links, strict=True), 1
        ):
            fixed, origin = link.rotation.fixed, link.position
            row, offset = (zeros, 0.0) if link.slides else (link.row, self._number[f"q0_{number}"])
            if link.parent >= 0:
                rotation, below = poses[link.parent]
                origin = add(below, times(rotation, origin))
                parallel = joint.rotation[2, 2] if abs(joint.rotation[2, 2]) == 1.0 else 0.0
                if parallel:
                    # Rz(x) F = F Rz(x) where F keeps z, and F Rz(-x) where it turns z over
                    rotation, row_below, offset_below = angles[link.parent]
                    row = add(row, [parallel * x for x in row_below])
                    offset = offset + parallel * offset_below
                fixed = product(rotation, fixed)
            angles.append((fixed, row, offset))
            angle = dot(row, self.q) + offset
            c, s = cos(angle), sin(angle)
            poses.append(([[x * c + y * s, y * c - x * s, z] for x, y, z in fixed], origin))
        return poses

    def jacobian(self) -> Matrix:
        """Return the Jacobian at the frame's origin in base axes, ``(6, n)``."""
        _, point = self._frame()
        spin: Matrix = [[0.0] * self.mechanism.n for _ in range(3)]
        for link, (rotation, _) in zip(self.links, self.poses(), strict=True):
            if not link.slides:
                add_product(spin, [row[2] for row in rotation], link.row, 1.0)
        return [*jacobian(point, self.q), *spin]

    def gravity(self) -> Vector:
        """Return the gravity torques, the gradient of the potential energy."""
        return jacobian([self.potential_energy()], self.q)[0]


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return a matrix product."""
    return [times(transpose(b), row) for row in a]
