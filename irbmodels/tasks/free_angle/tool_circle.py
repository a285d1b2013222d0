"""Angles at which a tool that turns about its axis meets a bound of axes 1 to 3.

The wrist centre then moves on a circle. A range of axis 1 holds it to a plane; ranges of axes 2 and
3, and the reach, to a circle in the arm's plane, ``(X - ex)^2 + (z - ez)^2 = l^2`` with ``X =
+-sqrt(x^2 + y^2 - d^2)``. Squared, that is a polynomial of degree 4 in ``cos phi`` and ``sin phi``,
whose roots are eigenvalues.

A real trigonometric polynomial is kept as its coefficients of ``z^-k .. z^k`` with ``z = exp(i
phi)``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...model.types import Array, ComplexArray
from .arm_lines import ArmLines

# far beyond the distance 1e-8 of a double root from the unit circle by rounding
ON_CIRCLE = 1e-4
EPSILON = 4e-15  # [m] rounding of a position after some ten operations
NEGLIGIBLE = 1e-14  # a coefficient this small beside the largest is rounding


class ToolCircle(NamedTuple):
    """Poses of a TCP turned about its axis, and the circle of the wrist centre in the arm."""

    pose: Array
    """``base_from_tcp`` at ``phi = 0``, ``(4, 4)``."""
    axis: Array
    """Unit vector in the frame of the TCP."""
    point: ComplexArray
    """Polynomials of x, y, z of the wrist centre [m], ``(3, 3)``."""
    arm: ArmLines

    def poses(self, phi: Array) -> Array:
        """Return the poses turned by angles ``(N,)``, shape ``(N, 4, 4)``."""
        poses = np.tile(self.pose, (len(phi), 1, 1))
        poses[:, :3, :3] = self.pose[:3, :3] @ rotations_about(self.axis, phi)
        return poses

    def squared(self) -> ComplexArray:
        """Return the polynomial of ``X^2``."""
        x, y, _ = self.point
        return np.asarray(np.convolve(x, x) + np.convolve(y, y) - _constant(self.arm.d**2, 2))

    def shoulder_margin(self, phi: Array) -> Array:
        """Return the distance of the wrist centre from axis 1 beyond the least possible one [m]."""
        # not from its square, which loses half the digits
        radius = np.hypot(*(evaluate(part, phi) for part in self.point[:2]))
        return np.asarray(radius - abs(self.arm.d))

    def forward_distance(self, phi: float, q1: float) -> float:
        """Return ``X``: distance of the wrist centre ahead of axis 1 at ``q1`` [m], signed."""
        x, y, _ = (float(evaluate(part, np.array([phi]))[0]) for part in self.point)
        return x * math.cos(q1) + y * math.sin(q1)

    def horizontal_distance(self, phi: Array) -> Array:
        """Return ``|X|`` [m], 0 where the wrist centre is too near to axis 1."""
        gap = self.shoulder_margin(phi)
        return np.asarray(np.sqrt(np.maximum(gap, 0.0) * (gap + 2.0 * abs(self.arm.d))))

    def elbow_margin(self, phi: Array, side: float) -> Array:
        """Return the distance from stretched or folded [m], ahead (``side`` 1) or behind (-1)."""
        arm = self.arm
        reach = np.hypot(
            side * self.horizontal_distance(phi) - arm.a1, evaluate(self.point[2], phi)
        )
        return np.asarray(
            np.minimum(
                arm.lower_arm_length + arm.forearm_length - reach,
                reach - abs(arm.lower_arm_length - arm.forearm_length),
            )
        )

    def rounding_error(self, phi: Array) -> Array:
        """Return the rounding error of directions of the arm [rad], large near a singularity."""
        bend = np.sqrt(np.abs([self.elbow_margin(phi, 1.0), self.elbow_margin(phi, -1.0)])).min(
            axis=0
        )
        return np.asarray(
            EPSILON / np.maximum(np.minimum(self.horizontal_distance(phi), bend), EPSILON)
        )


def tool_circle(arm: ArmLines, pose: Array, axis: Array) -> ToolCircle:
    """Return the circle for one pose."""
    along = axis * (axis @ arm.wrist)
    parts = np.stack([along, arm.wrist - along, np.cross(axis, arm.wrist)])
    parts = parts @ pose[:3, :3].T
    parts[0] += pose[:3, 3] - arm.origin
    still, cosine, sine = parts @ arm.base_from_arm
    points = np.asarray(
        np.stack([cosine + 1j * sine, 2.0 * still, cosine - 1j * sine], axis=1) / 2.0,
        dtype=np.complex128,
    )
    return ToolCircle(pose, axis, points, arm)


def rotations_about(axis: Array, phi: Array) -> Array:
    """Return rotations about a unit vector, ``(N, 3, 3)`` (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    s, c = np.sin(phi)[:, None, None], np.cos(phi)[:, None, None]
    return np.asarray(np.eye(3) + s * K + (1.0 - c) * (K @ K))


def evaluate(polynomial: ComplexArray, phi: Array) -> Array:
    """Return the values of a polynomial at angles."""
    degree = len(polynomial) // 2
    return np.asarray(
        (np.exp(1j * np.multiply.outer(phi, np.arange(-degree, degree + 1))) @ polynomial).real
    )


def derivative(polynomial: ComplexArray) -> ComplexArray:
    """Return the derivative of a polynomial."""
    degree = len(polynomial) // 2
    return np.asarray(1j * np.arange(-degree, degree + 1) * polynomial)


def roots(polynomial: ComplexArray) -> Array:
    """Return the roots of a polynomial in [-pi, pi), double ones twice; of zero none."""
    kept = np.where(np.abs(polynomial) > NEGLIGIBLE * np.abs(polynomial).max(), polynomial, 0.0)
    z = np.roots(kept[::-1])  # kept is symmetric: highest and lowest vanish together
    return np.asarray(np.angle(z[np.abs(np.abs(z) - 1.0) < ON_CIRCLE]))


def axis_1_angles(circle: ToolCircle, angle: float) -> Array:
    """Return the angles at which axis 1 is at ``angle`` [rad], wrist centre ahead or behind."""
    x, y, _ = circle.point
    return roots(y * math.cos(angle) - x * math.sin(angle) - _constant(circle.arm.d, 1))


def angles_at_distance(circle: ToolCircle, ex: float, ez: float, radius: float) -> Array:
    """Return the angles at which the wrist centre is ``radius`` [m] from ``(ex, ez)``."""
    square, z = circle.squared(), circle.point[2] - _constant(ez, 1)
    rest = square + np.convolve(z, z) + _constant(ex**2 - radius**2, 2)
    if abs(ex) < 1e-9:
        return roots(rest)
    return _refine_roots(
        roots(np.convolve(rest, rest) - 4.0 * ex**2 * np.pad(square, 2)), rest, square, ex
    )


def _refine_roots(phi: Array, rest: ComplexArray, square: ComplexArray, ex: float) -> Array:
    """Return the roots after Newton steps on the equation before squaring."""
    for _ in range(3):
        root = np.sqrt(np.maximum(evaluate(square, phi), 0.0))
        first = evaluate(rest, phi)
        # X is on the side that makes both sides of the equation equal
        side = np.where(first * ex >= 0.0, 1.0, -1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            change = (first - 2.0 * ex * side * root) / (
                evaluate(derivative(rest), phi)
                - ex * side * evaluate(derivative(square), phi) / root
            )
        phi = phi - np.where(np.abs(change) < 1e-6, change, 0.0)
    return phi


def nearest_to_axis_1(circle: ToolCircle) -> Array:
    """Return the angles at extreme and least possible distances of wrist centre and axis 1."""
    square = circle.squared()
    return np.concatenate([roots(derivative(square)), roots(square)])


def _constant(number: float, degree: int) -> ComplexArray:
    result = np.zeros(2 * degree + 1, dtype=complex)
    result[degree] = number
    return result
