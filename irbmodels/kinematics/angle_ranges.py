"""What the ranges of the axes leave of an angle of the arm: of the lower arm against the vertical, or of the elbow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.limits import Limits, combination
from ..model.types import Array
from .arm_geometry import Scara, SixAxis


class Span(NamedTuple):
    """Range ``low .. high`` of ``angle = row q + zero`` [rad, m].

    The angle (or slide) is one of an arm's normal form.
    """

    row: Array
    zero: float
    low: float
    high: float
    bound: tuple[int, float] | None
    """Number of the range that alone bounds it, and the sign with which it counts.

    None where several ranges do.
    """

    @property
    def name(self) -> str:
        """What axes say of it: ``q2``, ``q3 - q2``."""
        return combination(self.row * self.sign)

    @property
    def sign(self) -> float:
        """With which the axis of the highest number counts."""
        return float(np.sign(self.row[np.flatnonzero(self.row)[-1]]))

    def told(self, angle: float) -> float:
        """Return the value of :attr:`name` at an angle."""
        return self.sign * (angle - self.zero)


def span(arm: SixAxis | Scara, limits: Limits, of: dict[int, float]) -> Span:
    """Return what the ranges leave of a sum of the normal form's angles.

    Args:
        arm: With its law from these to axis positions.
        limits: Ranges, the coupled one included.
        of: Factor of each angle ``x`` by number, from 0.
    """
    factors = np.zeros(len(arm.axis_map.h))
    factors[list(of)] = list(of.values())
    row: Array = factors @ np.linalg.inv(arm.axis_map.H)
    by_range = row @ np.linalg.inv(limits.A)  # of what each range bounds: q3 - q2 for instance
    used = np.flatnonzero(np.abs(by_range) > 0.5)
    ends = by_range[used, None] * np.stack([limits.lower, limits.upper], axis=1)[used]
    zero = -float(row @ arm.axis_map.h)
    low, high = float(ends.min(axis=1).sum()), float(ends.max(axis=1).sum())
    bound = (int(used[0]), float(by_range[used[0]])) if len(used) == 1 else None
    return Span(np.rint(row), zero, low + zero, high + zero, bound)
