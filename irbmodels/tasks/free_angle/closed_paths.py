"""The best sequence of postures that ends at the angle it began with, whole turns aside: branch and bound.

Of a set of angles, the best sequence that begins anywhere in it and ends anywhere in it costs no
more than the best closed one that begins in it. Where it is not closed itself, the set is parted
between its two ends and each part is asked again, the one with the lower bound first. What is found
first is the best of all closed sequences.
"""

from __future__ import annotations

import heapq
import itertools

import numpy as np

from ...model.types import Array, IntArray
from ...robot.robot import Robot
from .dynamic_programming import BrokenPath, Grid, weighed_sequence
from .interval_ends import TURN
from .intervals import FreeAngles

SAME = 1e-9  # [rad] what rounding may part two angles that are whole turns apart


def closed_sequence(
    robot: Robot,
    free: list[FreeAngles],
    grids: list[Grid],
    steps: Array,
    window: float,
    weights: Array,
) -> list[int]:
    """Return the candidate of each pose that the best closed sequence takes.

    The first and the last pose are the same.

    Raises:
        BrokenPath: if no sequence goes all the way, or none comes back to its angle.
    """
    first, last = (_labels(grids[k]) for k in (0, -1))
    count = itertools.count()  # parts of equal bounds in the order in which they were found
    parts: list[tuple[float, int, IntArray, list[int]]] = []

    def ask(labels: IntArray) -> None:
        begin, end = (np.flatnonzero(np.isin(known, labels)) for known in (first, last))
        if not len(end):
            return
        inner = [_only(grids[0], begin), *grids[1:-1], _only(grids[-1], end)]
        bound, found = weighed_sequence(robot, free, inner, steps, window, weights)
        heapq.heappush(
            parts,
            (bound, next(count), labels, [int(begin[found[0]]), *found[1:-1], int(end[found[-1]])]),
        )

    ask(np.unique(first))
    whole = parts[0][3] if parts else []
    while parts:
        _, _, labels, found = heapq.heappop(parts)
        low, high = sorted((int(first[found[0]]), int(last[found[-1]])))
        if low == high:
            return found
        for part in (labels[labels <= low], labels[labels > low]):
            try:
                ask(part)
            except BrokenPath:  # none begins and ends in this part
                continue
    angles = [(grid.phi[i], grid.q[i]) for grid, i in zip(grids, whole, strict=False)]
    phi, q = (
        np.unwrap([angle for angle, _ in angles]),
        np.array([posture for _, posture in angles]).reshape(-1, 6),
    )
    raise BrokenPath(len(grids) - 1, "no choice comes back to the angle that it began with", phi, q)


def _labels(grid: Grid) -> IntArray:
    """Return a whole number for each candidate: the same for one branch and angle, whole turns aside; rising with both."""
    turn = round(TURN / SAME)
    angle = np.round(np.mod(grid.phi, TURN) / SAME).astype(np.int64) % turn
    return np.asarray(grid.branch.astype(np.int64) * turn + angle)


def _only(grid: Grid, kept: IntArray) -> Grid:
    return Grid(
        grid.interval[kept], grid.branch[kept], grid.phi[kept], grid.q[kept], grid.cost[kept]
    )
