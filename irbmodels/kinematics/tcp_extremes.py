"""How far a TCP comes with all axes free: no set of arcs bounds it, so its extremes are searched for from many postures."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..model.limits import Limits
from ..model.types import Array
from .arm_geometry import Scara, SixAxis

_SAMPLES, _POLISHED = 50_000, 6


class TcpExtremes(NamedTuple):
    """Extremes of a TCP within all ranges [m], base axes."""

    reach: float
    """Largest distance from axis 1."""
    top: float
    """Largest height, along axis 1."""
    bottom: float
    """Smallest height."""
    postures: Array
    """Axis positions that have them [rad, m], one row for each of the three, shape ``(3, n)``.

    Axis 1 at 0, or next to it.
    """


def tcp_extremes(arm: SixAxis | Scara, limits: Limits) -> TcpExtremes:
    """Return how far and high a TCP comes with every axis free within its range, the coupled one included.

    The best of 50000 seeded postures are led uphill (L-BFGS-B) to a micrometer. This is not proven
    as the arcs of a workspace are: another hill between the samples would be missed.

    Args:
        arm: Its shape.
        limits: Its ranges.
    """
    from scipy.optimize import minimize

    # the ranges make a box of what they bound: q3 - q2 for instance
    back = np.linalg.inv(limits.A).T
    # no axis has more postures
    low, high = (np.clip(ends, -math.tau, math.tau) for ends in (limits.lower, limits.upper))
    low[0] = high[0] = min(max(0.0, low[0]), high[0])
    samples = np.random.default_rng(0).uniform(low, high, (_SAMPLES, len(low)))

    def height(bounded: Array, what: int) -> Array:
        """Return what is to be as large as possible: distance from axis 1, height, depth."""
        x, y, z = np.moveaxis(arm.in_plane(arm.axis_map.angles(bounded @ back)), -1, 0)
        value: Array = (np.hypot(x, y), z, -z)[what]
        return value

    found = []
    for what in range(3):
        starts = samples[np.argsort(height(samples, what))[-_POLISHED:]]
        bounds = list(zip(low.tolist(), high.tolist(), strict=True))
        runs = [
            minimize(lambda b, what=what: -height(b, what), start, bounds=bounds, tol=1e-15)
            for start in starts
        ]
        found.append(min(runs, key=lambda run: float(run.fun)))
    reach, top, bottom = (-float(run.fun) for run in found)
    return TcpExtremes(reach, top, -bottom, np.array([run.x for run in found]) @ back)
