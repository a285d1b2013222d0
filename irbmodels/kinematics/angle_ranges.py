"""Ranges of an arm's angles, as the ranges of the axes leave them: lower arm, elbow, wrist."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.limits import Limits, combination, sum_ends
from ..model.types import Array
from .arm_geometry import Arm


class AngleRange(NamedTuple):
    """Range ``low .. high`` of ``angle = row q + zero`` [rad, m].

    The angle (or slide) is one of an arm's normal form.
    """

    row: Array
    zero: float
    low: float
    high: float
    bound: tuple[int, float] | None
    """Row of the limits that alone bounds it, and the sign with which it counts.

    None where several do.
    """

    @property
    def name(self) -> str:
        """Name of the sum of axis positions: ``q2``, ``q3 - q2``."""
        return combination(self.row * self.sign)

    @property
    def sign(self) -> float:
        """Sign with which the axis of the highest number counts."""
        return float(np.sign(self.row[np.flatnonzero(self.row)[-1]]))

    def axis_value(self, angle: float) -> float:
        """Return the value of :attr:`name` at an angle."""
        return self.sign * (angle - self.zero)


def angle_range(arm: Arm, limits: Limits, factors: dict[int, float]) -> AngleRange:
    """Return the range that axis ranges leave of a sum of the normal form's angles.

    Args:
        arm: Geometry, with the map from these angles to axis positions.
        limits: Ranges, the coupled one included.
        factors: Factor of each angle ``x`` in the sum, by its number from 0.
    """
    row, zero = axis_sum(arm, factors)
    _, inverse, lower, upper = limits.axis_ranges
    by_range = np.rint(row @ inverse)  # of what each range bounds: q3 - q2 for instance
    low, high = sum_ends(by_range, lower, upper)
    used = np.flatnonzero(by_range)
    bound = (int(used[0]), float(by_range[used[0]])) if len(used) == 1 else None
    if len(limits.A) > limits.n:  # bounds of sums leave less
        ends, bound = limits.sum_range(row), limits.row_of(row)
        low, high = max(low, ends[0]), min(high, ends[1])
    return AngleRange(row, zero, low + zero, high + zero, bound)


def axis_sum(arm: Arm, factors: dict[int, float]) -> tuple[Array, float]:
    """Return factors of the axis positions, and a constant, in a sum of the normal form's angles.

    Arguments as of :func:`angle_range`.
    """
    weights = np.zeros(len(arm.axis_map.h))
    weights[list(factors)] = list(factors.values())
    row: Array = weights @ np.linalg.inv(arm.axis_map.H)
    return np.rint(row), -float(row @ arm.axis_map.h)
