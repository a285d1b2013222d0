"""Paths in joint space: a smooth curve through postures, by a path coordinate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import finite, numbers
from ..errors import InputError
from ..model.types import Array
from .rounding import ROUNDING, hold_resting_axes


class PathPoint(NamedTuple):
    """Axis positions at some ``s`` and their derivatives by it, ``(..., n)``."""

    q: Array
    slope: Array
    """``dq/ds``."""
    curvature: Array
    """``d2q/ds2``."""


class AxisPath:
    """A cubic spline through postures, twice continuously differentiable.

    Through two it is a straight line.
    """

    def __init__(self, s: Array, q: Array) -> None:
        """Take what :func:`axis_path` has checked."""
        from scipy.interpolate import CubicSpline  # few need it

        self.knots, self.n = s, q.shape[1]
        self.length = float(s[-1])
        self._splines: list[Any] = [CubicSpline(s, q)]
        self._splines += [self._splines[0].derivative(order) for order in (1, 2)]

    def __repr__(self) -> str:
        """Return axes, postures and length."""
        return (
            f"<AxisPath of {self.n} axes through {len(self.knots)} postures, length"
            f" {self.length:.4g}>"
        )

    def at(self, s: ArrayLike) -> PathPoint:
        """Return positions and their derivatives at ``s`` between 0 and :attr:`length`.

        Raises:
            InputError: if an ``s`` is not finite or not on the path.
        """
        position = numbers(s, "s")
        slack = ROUNDING * self.length
        off = ~((position >= -slack) & (position <= self.length + slack))
        if off.any():
            raise InputError(
                f"s = {float(position[off].flat[0]):g} is not on the path: 0 .. {self.length:g}"
            )
        return PathPoint(*(np.asarray(spline(position)) for spline in self._splines))

    def reversals(self) -> Array:
        """Every ``s`` inside the path at which an axis turns back."""
        roots = np.concatenate(
            [
                np.ravel(self._splines[0].derivative().roots(extrapolate=False)[i])
                for i in range(self.n)
            ]
        )
        # NaN, of an axis that rests, is in no range
        inside: Array = np.unique(roots[(roots > 0.0) & (roots < self.length)])
        return inside


def axis_path(q: ArrayLike, s: ArrayLike | None = None) -> AxisPath:
    """Return the smooth path through postures.

    Args:
        q: Postures ``(K, n)`` [rad, m]: waypoints, or the inverse kinematics of a :class:`PosePath`
            along it, on one branch.
        s: Path coordinate of each, growing from 0, ``(K,)``: the distance along a PosePath. Default
            the length of the straight strokes between the postures.

    Raises:
        InputError: if there are fewer than two postures, two in a row are the same, or ``s`` does
            not grow from 0.
    """
    shape = numbers(q, "postures of a path").shape
    if len(shape) != 2 or shape[0] < 2 or shape[1] < 1:
        raise InputError(f"a path needs postures of shape (K, n), at least two, got {shape}")
    postures = hold_resting_axes(finite(q, shape, "postures of a path"))
    strokes = np.linalg.norm(np.diff(postures, axis=0), axis=1)
    if s is None and not (strokes > 0.0).all():
        raise InputError(
            f"postures {int(np.argmin(strokes)) + 1} and {int(np.argmin(strokes)) + 2} of the path"
            " are the same"
        )
    distance = (
        np.append(0.0, np.cumsum(strokes))
        if s is None
        else finite(s, shape[:1], "s of the postures")
    )
    if distance[0] != 0.0 or not (np.diff(distance) > 0.0).all():
        raise InputError("s of a path starts at 0 and grows from posture to posture")
    if not strokes.any():
        raise InputError("all postures of the path are the same")
    return AxisPath(distance, postures)
