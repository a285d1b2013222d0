"""Expressions as one would write them on paper: turns about parallel lines add up before sines are taken.

A frame on parallel axes turns by the sum of their angles: after ``q2`` and ``q3 - q2`` the upper
arm of a parallelogram has turned by ``q3``. The kernels' recursion cannot know; what is read by
people should.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from ...compiled.symbolic import SX, Dynamics, Matrix, Vector, add, dot, matrix, times


class PaperDynamics(Dynamics):
    """The same functions of the same constants, shorter for the eye."""

    def poses(self) -> list[tuple[Matrix, Vector]]:
        """Rotation and origin of every joint's frame in the base."""
        return [([list(row) for row in turn], list(place)) for turn, place in self._poses]

    @cached_property
    def _poses(self) -> list[tuple[Matrix, Vector]]:
        found: list[tuple[Matrix, Vector]] = []
        # rotation before its own turns about z; their row and offset
        turns: list[tuple[Matrix, Vector, SX]] = []
        n = self.mechanism.n
        for number, (joint, link) in enumerate(
            zip(self.mechanism.joints, self.links, strict=True), 1
        ):
            fixed, still = link.turn.fixed, [0.0] * n
            row, offset = (still, 0.0) if link.slides else (link.row, self._number[f"q0_{number}"])
            place = link.place
            if link.parent >= 0:
                below, origin = found[link.parent]
                place = add(origin, times(below, place))
                parallel = joint.rotation[2, 2] if abs(joint.rotation[2, 2]) == 1.0 else 0.0
                before, turned, from_zero = turns[link.parent] if parallel else (below, still, 0.0)
                # Rz(x) F = F Rz(x) where F keeps z, and F Rz(-x) where it turns z over
                fixed = product(before, fixed)
                row, offset = (
                    add(row, [parallel * x for x in turned]),
                    offset + parallel * from_zero,
                )
            turns.append((fixed, row, offset))
            angle = dot(row, [self.q[i] for i in range(n)]) + offset
            c, s = ca.cos(angle), ca.sin(angle)
            found.append(([[x * c + y * s, y * c - x * s, z] for x, y, z in fixed], place))
        return found

    def jacobian(self) -> SX:
        """Jacobian at the frame's origin in base axes, ``(6, n)``: the position's derivative, and the axes."""
        _, point = self._frame()
        spin = ca.SX(3, self.mechanism.n)
        for link, (turn, _) in zip(self.links, self.poses(), strict=True):
            if not link.slides:
                spin += matrix([[row[2] * factor for factor in link.row] for row in turn])
        return ca.vertcat(ca.jacobian(ca.vertcat(*point), self.q), spin)

    def gravity(self) -> SX:
        """Axis torques that hold the robot still: the slope of the potential energy."""
        _, potential = self.energies()
        return ca.gradient(ca.SX(potential), self.q)


def product(a: Matrix, b: Matrix) -> Matrix:
    """Matrix product."""
    columns = list(zip(*b, strict=True))
    return [[dot(row, column) for column in columns] for row in a]
