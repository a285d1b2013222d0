"""The phase plane of ``s`` and ``ds/dt``: times, and TOPP-RA's profile under linear bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.types import Array
from .axis_path import PathPoint
from .trajectory import State

# sizes of x that TOPP-RA sees; its solver fails at one now and then, not at all
_SCALES = (30.0, 300.0, 3.0, 1000.0, 1.0)


def interval_durations(s: Array, x: Array) -> Array:
    """Durations of the intervals."""
    rate = np.sqrt(x)
    with np.errstate(divide="ignore"):
        durations: Array = 2.0 * np.diff(s) / (rate[1:] + rate[:-1])
    return durations


def motion_at(point: PathPoint, rate: Array, gain: Array) -> State:
    """Return the motion at points of a path for ``ds/dt`` and ``d2s/dt2``, ``(N,)`` each."""
    rate, gain = rate[:, None], gain[:, None]
    return State(point.q, point.slope * rate, point.curvature * rate**2 + point.slope * gain)


def toppra_profile(
    s: Array, a: Array, b: Array, c: Array, top: Array, length: float, reference: float
) -> Array | None:
    """Return TOPP-RA's fastest profile of ``a u + b x + c <= 0`` and ``x <= top``, or None."""
    import logging

    import toppra
    from toppra.constraint import LinearConstraint

    count = a.shape[1]

    class Rows(LinearConstraint):  # type: ignore[misc]
        def __init__(self, scale: float) -> None:
            super().__init__()
            self.scale, self.identical = scale, True

        def get_dof(self) -> int:
            return 1

        def compute_constraint_params(self, path: Any, gridpoints: Any) -> tuple[Any, ...]:
            speeds = np.column_stack([np.zeros(len(s)), np.minimum(top * self.scale, 1e7)])
            return (
                a / (self.scale * length),
                b / self.scale,
                c,
                np.eye(count),
                np.zeros(count),
                None,
                speeds,
            )

    class Straight(toppra.interpolator.AbstractGeometricPath):  # type: ignore[misc]
        """The path itself is in the rows; TOPP-RA only asks for its interval."""

        dof = 1
        path_interval = np.array([0.0, 1.0])
        waypoints = None

        def __call__(self, points: Any, order: int = 0) -> Any:
            return (
                np.atleast_1d(points)[:, None]
                if order == 0
                else np.full((np.size(points), 1), float(order == 1))
            )

    points = s / length
    points[-1] = 1.0
    logger = logging.getLogger("toppra")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # its messages become one error of ours
    try:
        for scale in np.array(_SCALES) / reference:
            solver = toppra.algorithm.TOPPRA(
                [Rows(scale)], Straight(), gridpoints=points, solver_wrapper="seidel"
            )
            _, rate, _ = solver.compute_parameterization(0.0, 0.0)
            if rate is not None and (rate[1:-1] > 0.0).all():  # false for NaN
                return np.asarray(np.square(rate) / scale)
    finally:
        logger.setLevel(level)
    return None
