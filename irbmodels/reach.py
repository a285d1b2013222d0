"""How far a TCP comes with all axes free: no set of arcs bounds it, so its extremes are searched for from many postures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arms import Scara, SphericalArm
from .limits import Limits

Array = NDArray[np.float64]

_SAMPLES, _POLISHED = 50_000, 6


class TcpExtremes(NamedTuple):
    """Extremes of a TCP within all ranges [m], base axes."""

    reach: float
    """Largest distance from axis 1."""
    top: float
    """Largest height."""
    bottom: float
    """Smallest height."""
    postures: Array
    """Axis positions that have them [rad, m], one row for each of the three, shape ``(3, n)``; axis 1 at 0, or next to it."""


def tcp_extremes(arm: SphericalArm | Scara, limits: Limits, tcp: Array) -> TcpExtremes:
    """Return how far and high a TCP comes with every axis free within its range, the coupled one included.

    The best of 50000 seeded postures are led uphill (L-BFGS-B) to a micrometer. This is not proven as the arcs of a workspace
    are: another hill between the samples would be missed.

    Args:
        arm: Its shape.
        limits: Its ranges.
        tcp: TCP in tool0 [m], shape ``(3,)``.
    """
    from scipy.optimize import minimize

    back = np.linalg.inv(limits.A).T  # the ranges make a box of what they bound: q3 - q2 for instance
    low, high = limits.lower.copy(), limits.upper.copy()
    low[0] = high[0] = min(max(0.0, low[0]), high[0])
    samples = np.random.default_rng(0).uniform(low, high, (_SAMPLES, len(low)))

    def height(bounded: Array, what: int) -> Array:
        """Return what is to be as large as possible: distance from axis 1, height, depth."""
        x, y, z = _tcp(arm, bounded @ back, tcp)
        value: Array = (np.hypot(x, y), z, -z)[what]
        return value

    found = []
    for what in range(3):
        starts = samples[np.argsort(height(samples, what))[-_POLISHED:]]
        bounds = list(zip(low.tolist(), high.tolist(), strict=True))
        runs = [minimize(lambda b, what=what: -height(b, what), start, bounds=bounds, tol=1e-15) for start in starts]
        found.append(min(runs, key=lambda run: float(run.fun)))
    reach, top, bottom = (-float(run.fun) for run in found)
    return TcpExtremes(reach, top, -bottom, np.array([run.x for run in found]) @ back)


def _tcp(arm: SphericalArm | Scara, q: Array, tcp: Array) -> tuple[Array, Array, Array]:
    """Return the TCP in base axes turned with axis 1 [m], for ``(..., n)``."""
    c, s = np.cos(q), np.sin(q)
    if isinstance(arm, Scara):
        lean = q[..., 1] - q[..., 3]
        x = arm.a1 + arm.a2 * c[..., 1] + tcp[0] * np.cos(lean) + tcp[1] * np.sin(lean)
        y = arm.a2 * s[..., 1] + tcp[0] * np.sin(lean) - tcp[1] * np.cos(lean)
        return x, y, arm.height + q[..., 2] - tcp[2]
    out, left, up = arm.d6 + tcp[2], tcp[1], -tcp[0]  # from the wrist center in flange axes: x out of it
    left, up = c[..., 5] * left - s[..., 5] * up, s[..., 5] * left + c[..., 5] * up
    out, up = c[..., 4] * out + s[..., 4] * up, c[..., 4] * up - s[..., 4] * out
    left, up = c[..., 3] * left - s[..., 3] * up, s[..., 3] * left + c[..., 3] * up
    out, up = arm.d4 + out, arm.a3 + up
    lean = q[..., 1] + arm.arm_to_arm(q)
    x = arm.a1 + arm.a2 * s[..., 1] + out * np.cos(lean) + up * np.sin(lean)
    return x, left, arm.d1 + arm.a2 * c[..., 1] - out * np.sin(lean) + up * np.cos(lean)
