"""Where a tool that turns about its own axis meets a condition on axes 1 to 3: roots of trigonometric polynomials.

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
from .arm_lines import Lines

# a double root leaves the unit circle by the root of rounding, 1e-8; this is far beyond, and
# harmless
ON_CIRCLE = 1e-4
EPSILON = 4e-15  # [m] of a place that comes out of some ten operations
NEGLIGIBLE = 1e-14  # a coefficient this small beside the largest is rounding


class Circle(NamedTuple):
    """Poses of a TCP that turns about an axis of its own, and the circle of the wrist centre in the arm's frame."""

    pose: Array
    """``base_from_tcp`` at ``phi = 0``, ``(4, 4)``."""
    axis: Array
    """Unit vector in the frame of the TCP."""
    point: ComplexArray
    """Polynomials of x, y, z of the wrist centre [m], ``(3, 3)``."""
    lines: Lines

    def poses(self, phi: Array) -> Array:
        """Return the poses turned by angles ``(N,)``, shape ``(N, 4, 4)``."""
        poses = np.tile(self.pose, (len(phi), 1, 1))
        poses[:, :3, :3] = self.pose[:3, :3] @ turns(self.axis, phi)
        return poses

    def squared(self) -> ComplexArray:
        """Return the polynomial of ``X^2``."""
        x, y, _ = self.point
        return np.asarray(np.convolve(x, x) + np.convolve(y, y) - _constant(self.lines.d**2, 2))

    def shoulder(self, phi: Array) -> Array:
        """Return how much farther the wrist centre is from axis 1 than it must be at least [m], negative where no posture is."""
        # not from its square, which loses half the digits
        radius = np.hypot(*(value(part, phi) for part in self.point[:2]))
        return np.asarray(radius - abs(self.lines.d))

    def ahead(self, phi: float, q1: float) -> float:
        """Return ``X``: how far the wrist centre is ahead of axis 1, as the arm looks at ``q1``.

        Negative behind it [m].
        """
        x, y, _ = (float(value(part, np.array([phi]))[0]) for part in self.point)
        return x * math.cos(q1) + y * math.sin(q1)

    def ahead_or_behind(self, phi: Array) -> Array:
        """Return ``|X|`` [m], 0 where the wrist centre is too near to axis 1."""
        gap = self.shoulder(phi)
        return np.asarray(np.sqrt(np.maximum(gap, 0.0) * (gap + 2.0 * abs(self.lines.d))))

    def stretch(self, phi: Array, side: float) -> Array:
        """Return how far the arm is from being stretched or folded, ahead (``side`` 1) or behind (-1) of axis 1 [m]."""
        lines = self.lines
        reach = np.hypot(side * self.ahead_or_behind(phi) - lines.a1, value(self.point[2], phi))
        return np.asarray(
            np.minimum(lines.long + lines.short - reach, reach - abs(lines.long - lines.short))
        )

    def rounding(self, phi: Array) -> Array:
        """Return what rounding leaves open of the directions of the arm, which near a singularity hang on small lengths."""
        bend = np.sqrt(np.abs([self.stretch(phi, 1.0), self.stretch(phi, -1.0)])).min(axis=0)
        return np.asarray(
            EPSILON / np.maximum(np.minimum(self.ahead_or_behind(phi), bend), EPSILON)
        )


def circle_of(lines: Lines, pose: Array, axis: Array) -> Circle:
    """Return the circle for one pose."""
    along = axis * (axis @ lines.wrist)
    parts = np.stack([along, lines.wrist - along, np.cross(axis, lines.wrist)])
    parts = parts @ pose[:3, :3].T
    parts[0] += pose[:3, 3] - lines.origin
    still, cosine, sine = parts @ lines.base_from_arm
    points = np.asarray(
        np.stack([cosine + 1j * sine, 2.0 * still, cosine - 1j * sine], axis=1) / 2.0,
        dtype=np.complex128,
    )
    return Circle(pose, axis, points, lines)


def turns(axis: Array, phi: Array) -> Array:
    """Return rotations about a unit vector, ``(N, 3, 3)`` (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    s, c = np.sin(phi)[:, None, None], np.cos(phi)[:, None, None]
    return np.asarray(np.eye(3) + s * K + (1.0 - c) * (K @ K))


def value(polynomial: ComplexArray, phi: Array) -> Array:
    """Return a polynomial's values at angles."""
    degree = len(polynomial) // 2
    return np.asarray(
        (np.exp(1j * np.multiply.outer(phi, np.arange(-degree, degree + 1))) @ polynomial).real
    )


def slope(polynomial: ComplexArray) -> ComplexArray:
    """Return the derivative of a polynomial."""
    degree = len(polynomial) // 2
    return np.asarray(1j * np.arange(-degree, degree + 1) * polynomial)


def roots(polynomial: ComplexArray) -> Array:
    """Return the angles in [-pi, pi) where a polynomial is zero.

    Double ones twice, none where it is zero everywhere.
    """
    kept = np.where(np.abs(polynomial) > NEGLIGIBLE * np.abs(polynomial).max(), polynomial, 0.0)
    z = np.roots(kept[::-1])  # kept is symmetric: highest and lowest vanish together
    return np.asarray(np.angle(z[np.abs(np.abs(z) - 1.0) < ON_CIRCLE]))


def plane(circle: Circle, angle: float) -> Array:
    """Return where axis 1 stands at an angle, ahead or behind [rad]."""
    x, y, _ = circle.point
    return roots(y * math.cos(angle) - x * math.sin(angle) - _constant(circle.lines.d, 1))


def about(circle: Circle, ex: float, ez: float, radius: float) -> Array:
    """Return where the wrist centre is at a distance from a point of the arm's plane, ahead or behind of axis 1."""
    square, z = circle.squared(), circle.point[2] - _constant(ez, 1)
    rest = square + np.convolve(z, z) + _constant(ex**2 - radius**2, 2)
    if abs(ex) < 1e-9:
        return roots(rest)
    return _sharpened(
        roots(np.convolve(rest, rest) - 4.0 * ex**2 * _padded(square, 4)), rest, square, ex
    )


def _sharpened(phi: Array, rest: ComplexArray, square: ComplexArray, ex: float) -> Array:
    """Take Newton's steps on the equation before it was squared, which has a double root less."""
    for _ in range(3):
        root = np.sqrt(np.maximum(value(square, phi), 0.0))
        first = value(rest, phi)
        # X is on the side that makes both sides of the equation equal
        side = np.where(first * ex >= 0.0, 1.0, -1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            change = (first - 2.0 * ex * side * root) / (
                value(slope(rest), phi) - ex * side * value(slope(square), phi) / root
            )
        phi = phi - np.where(np.abs(change) < 1e-6, change, 0.0)
    return phi


def near_axis_1(circle: Circle) -> Array:
    """Return where the wrist centre is nearest to axis 1 or farthest, and where it is as near as it can come."""
    square = circle.squared()
    return np.concatenate([roots(slope(square)), roots(square)])


def _constant(number: float, degree: int) -> ComplexArray:
    result = np.zeros(2 * degree + 1, dtype=complex)
    result[degree] = number
    return result


def _padded(polynomial: ComplexArray, degree: int) -> ComplexArray:
    return np.pad(polynomial, degree - len(polynomial) // 2)
