"""Extremes of a TCP with all axes free.

No set of arcs bounds it: the extremes are searched for from many postures.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..model.limits import Limits
from ..model.types import Array
from .arm_geometry import Arm

_SAMPLES, _STARTS = 50_000, 6
_UPRIGHT = 1e-9  # sine of the angle between axis 1 and the vertical that is rounding


class TcpExtremes(NamedTuple):
    """Extremes of a TCP within all ranges [m], heights above the base or in the world."""

    reach: float
    """Largest distance from axis 1."""
    top: float
    """Largest height: along axis 1 above the base, or z of the world."""
    bottom: float
    """Smallest height."""
    postures: Array
    """Axis positions that have them [rad, m], one row for each of the three, shape ``(3, n)``.

    Axis 1 at 0, or next to it, unless it leans against the vertical of the world.
    """


def tcp_extremes(arm: Arm, limits: Limits, world_from_base: Array | None = None) -> TcpExtremes:
    """Return the extremes of a TCP with every axis free within its range, the coupled one included.

    The best of 50000 seeded postures are improved (L-BFGS-B; with bounds of sums SLSQP) to a
    micrometer. This is not proven as
    the arcs of a workspace are: another maximum between the samples would be missed.

    Args:
        arm: Its geometry.
        limits: Its ranges.
        world_from_base: Pose of the base ``(4, 4)`` in the world that heights are in; default along
            axis 1.
    """
    from scipy.optimize import LinearConstraint, minimize

    # the ranges make a box of what they bound: q3 - q2 for instance
    ranges, sums = limits.axis_ranges, limits.A[limits.n :]
    A_inverse = ranges.inverse.T
    # no axis has more postures
    low, high = (np.clip(ends, -math.tau, math.tau) for ends in (ranges.lower, ranges.upper))
    up, level = np.array([0.0, 0.0, 1.0]), 0.0  # of heights, in the arm's axes
    if world_from_base is not None:
        up = arm.arm_from_base @ world_from_base[2, :3]
        level = float(world_from_base[2, 3] + up[:2] @ arm.origin_in_arm[:2])
    if leans := bool(np.hypot(up[0], up[1]) > _UPRIGHT):
        low[0], high[0] = max(low[0], -math.pi), min(high[0], math.pi)
    else:
        low[0] = high[0] = min(max(0.0, low[0]), high[0])
    samples = np.random.default_rng(0).uniform(low, high, (_SAMPLES, len(low)))
    samples = limits.moved_inside(samples @ A_inverse) @ ranges.A.T if len(sums) else samples
    beside = LinearConstraint(
        sums @ ranges.inverse, limits.lower[limits.n :], limits.upper[limits.n :]
    )
    method: dict[str, Any] = {"constraints": beside, "method": "SLSQP"} if len(sums) else {}

    def objective(bounded: Array, number: int) -> Array:
        """Return distance from axis 1, height or depth [m]: the one to maximise."""
        angles = arm.axis_map.angles(bounded @ A_inverse)
        x, y, z = np.moveaxis(arm.in_plane(angles), -1, 0)
        height = level + up[2] * z
        if leans:
            c, s = np.cos(angles[..., 0]), np.sin(angles[..., 0])
            height = height + up[0] * (c * x - s * y) + up[1] * (s * x + c * y)
        return np.asarray((np.hypot(x, y), height, -height)[number])

    best = []
    for number in range(3):
        starts = samples[np.argsort(objective(samples, number))[-_STARTS:]]
        bounds = list(zip(low.tolist(), high.tolist(), strict=True))
        runs = [
            minimize(
                lambda b, k=number: -objective(b, k), start, bounds=bounds, tol=1e-15, **method
            )
            for start in starts
        ]
        best.append(min(runs, key=lambda run: float(run.fun)))
    reach, top, bottom = (-float(run.fun) for run in best)
    return TcpExtremes(reach, top, -bottom, np.array([run.x for run in best]) @ A_inverse)
