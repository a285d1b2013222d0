"""The best closed sequence of postures, whole turns of the angle aside: branch and bound.

Of a set of angles, the best sequence that begins anywhere in it and ends anywhere in it costs no
more than the best closed one that begins in it. Where it is not closed itself, the set is split
between its two ends and each part is searched again, the one with the lower bound first. The first
closed sequence of that search is the best of all.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import math

import numpy as np

from ...model.types import Array, IntArray
from ...robot.robot import Robot
from .dynamic_programming import BrokenPath, Grid, best_sequence, broken_path
from .intervals import FreeAngles

SAME = 1e-9  # [rad] rounding of two angles that are whole turns apart


def closed_sequence(
    robot: Robot,
    free: list[FreeAngles],
    grids: list[Grid],
    steps: Array,
    window: float,
    weights: Array,
) -> tuple[float, list[int]]:
    """Return the cost of the best closed sequence, and the candidate of each pose that it takes.

    The first and the last pose are the same.

    Raises:
        BrokenPath: if no sequence goes all the way, or none comes back to its angle.
    """
    first, last = (_labels(grids[k]) for k in (0, -1))
    count = itertools.count()  # parts of equal bounds in the order in which they were found
    parts: list[tuple[float, int, IntArray, list[int]]] = []

    def search(labels: IntArray) -> None:
        begin, end = (np.flatnonzero(np.isin(known, labels)) for known in (first, last))
        if not len(end):
            return
        inner = [grids[0].take(begin), *grids[1:-1], grids[-1].take(end)]
        bound, chosen = best_sequence(robot, free, inner, steps, window, weights)
        chosen = [int(begin[chosen[0]]), *chosen[1:-1], int(end[chosen[-1]])]
        heapq.heappush(parts, (bound, next(count), labels, chosen))

    search(np.unique(first))
    whole = parts[0][3] if parts else []
    while parts:
        bound, _, labels, chosen = heapq.heappop(parts)
        low, high = sorted((int(first[chosen[0]]), int(last[chosen[-1]])))
        if low == high:
            return bound, chosen
        for part in (labels[labels <= low], labels[labels > low]):
            with contextlib.suppress(BrokenPath):  # none begins and ends in this part
                search(part)
    reason = "no choice comes back to the angle that it began with"
    raise broken_path(len(grids) - 1, reason, grids, whole)


def _labels(grid: Grid) -> IntArray:
    """Return a number per candidate, equal for equal branch and angle, rising with both."""
    turn = round(math.tau / SAME)
    angle = np.round(np.mod(grid.phi, math.tau) / SAME).astype(np.int64) % turn
    return np.asarray(grid.branch.astype(np.int64) * turn + angle)
