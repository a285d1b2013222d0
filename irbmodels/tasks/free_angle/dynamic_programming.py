"""The best sequence of postures on a grid in the feasible intervals: dynamic programming."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...errors import InputError
from ...model.types import Array, IntArray
from ...robot.robot import Robot
from .costs import Cost
from .interval_ends import postures
from .intervals import FreeAngles, nearest_turn, wrap_angle

# [rad] grid points nearest to the ends of an interval are so far inside, or a quarter of it
EDGE = 0.02


class BrokenPath(InputError):
    """A path along which no posture moves continuously: index, reason, and choice before."""

    def __init__(self, index: int, reason: str, phi: Array, q: Array) -> None:
        """Take the best choice up to the point before."""
        self.index, self.reason, self.phi, self.q = index, reason, phi, q
        super().__init__(
            f"no continuous choice of the free angle: it breaks at point {index}: {reason}"
        )


class Grid(NamedTuple):
    """Postures to choose from at one pose."""

    interval: IntArray
    branch: IntArray
    phi: Array
    q: Array
    cost: Array

    def take(self, indices: IntArray) -> Grid:
        """Return some of the candidates."""
        return Grid(
            self.interval[indices],
            self.branch[indices],
            self.phi[indices],
            self.q[indices],
            self.cost[indices],
        )


def candidate_grid(robot: Robot, angles: FreeAngles, distance: float, cost: Cost) -> Grid:
    """Return candidates of one pose."""
    phi: list[Array] = [np.empty(0)]
    for interval in angles:
        inset = 0.0 if interval.full else min(EDGE, interval.length / 4.0)
        low, high = interval.low + inset, interval.high - inset
        inner = distance * np.arange(math.ceil(low / distance), math.floor(high / distance) + 1)
        if not interval.full:
            inner = np.unique(np.array([*inner, low, (low + high) / 2.0, high]))
        phi.append(np.asarray(inner, dtype=float))
    number = np.repeat(np.arange(len(angles)), [len(inner) for inner in phi[1:]])
    return candidates(robot, angles, number, np.concatenate(phi), cost)


def candidates(robot: Robot, angles: FreeAngles, number: IntArray, phi: Array, cost: Cost) -> Grid:
    """Return postures at angles that rise interval by interval; singular ones are left out."""
    branch = np.array([interval.branch for interval in angles], dtype=int)[number]
    A, q = angles.ranges.A, np.empty((0, 6))
    if len(phi):
        references = [interval.reference(phi[number == i]) for i, interval in enumerate(angles)]
        q = postures(robot, angles.circle, phi)[np.arange(len(phi)), branch]
        q = nearest_turn(q @ A.T, np.concatenate(references)) @ np.linalg.inv(A).T
    there = np.isfinite(q).all(axis=1)
    q, phi = q[there], phi[there]
    return Grid(number[there], branch[there], phi, q, cost(robot, q, phi))


def start_candidate(robot: Robot, angles: FreeAngles, start: Array, cost: Cost) -> Grid:
    """Return a grid of one candidate, the posture ``start``."""
    pose: Any = robot.pose(start)
    turn = angles.circle.pose[:3, :3].T @ pose.rotation
    sine = angles.circle.axis @ pin.unSkew((turn - turn.T) / 2.0)
    phi = math.atan2(sine, (np.trace(turn) - 1.0) / 2.0)
    off = float(np.abs(angles.pose(phi) - pose.homogeneous).max())
    if off > 1e-6:
        raise InputError(
            f"start is not on the first pose at any angle: it is {off:.3g} m or rad off at best"
        )
    for i, interval in enumerate(angles):
        for lifted in interval.holds(phi):
            q = interval.q(lifted)
            if np.abs(q - start).max() < 1e-5:
                value = cost(robot, q[None], np.array([lifted]))
                branch = np.array([interval.branch])
                return Grid(np.array([i]), branch, np.array([lifted]), q[None], value)
    raise InputError(
        "start is on the first pose, but out of range, on a singularity, or not of these branches"
    )


def closing_candidates(robot: Robot, angles: FreeAngles, first: Grid, cost: Cost) -> Grid:
    """Return the candidates at angle and branch of ``first``, in every full turn of the axes."""
    lifted = [
        (i, phi)
        for i, interval in enumerate(angles)
        if interval.branch == first.branch[0]
        for phi in interval.holds(float(first.phi[0]))
    ]
    number, phi = zip(*lifted, strict=True)
    return candidates(robot, angles, np.array(number), np.array(phi), cost)


def best_sequence(
    robot: Robot,
    free: list[FreeAngles],
    grids: list[Grid],
    steps: Array,
    window: float,
    weights: Array,
) -> tuple[float, list[int]]:
    """Return the cost of the best sequence, and the candidate of each pose that it takes.

    Raises:
        BrokenPath: if there is none.
    """
    n = len(grids)
    totals, parents = [grids[0].cost / n], [np.full(len(grids[0].phi), -1)]
    for k in range(n):
        if not len(grids[k].phi):
            reason = free[k].note or "every posture is on a singularity"
            raise broken_path(k, reason, grids, _back(totals[:k], parents[:k]))
        if k == 0:
            continue
        before, after = grids[k - 1], grids[k]
        i, j = _neighbours(before, after, window)
        change = after.q[j] - before.q[i]
        change = np.where(free[k].ranges.bounded, change, wrap_angle(change))
        alive = np.isfinite(totals[-1][i]) & (np.abs(change) <= steps[k - 1] + 1e-12).all(axis=1)
        i, j, change = i[alive], j[alive], change[alive]
        turned = wrap_angle(after.phi[j] - before.phi[i])
        total = totals[-1][i] + weights[0] * turned**2 + weights[1] * (change**2).sum(axis=1)
        best = np.full(len(after.phi), np.inf)
        np.minimum.at(best, j, total)
        if not np.isfinite(best).any():
            reason = _nearest(before, after, totals[-1], steps[k - 1], window)
            raise broken_path(k, reason, grids, _back(totals, parents))
        parent = np.full(len(after.phi), -1)
        first = total == best[j]
        parent[j[first]] = i[first]
        totals.append(best + after.cost / n)
        parents.append(parent)
    return float(totals[-1].min()), _back(totals, parents)


def _neighbours(before: Grid, after: Grid, window: float) -> tuple[IntArray, IntArray]:
    """Return pairs of candidates of one branch whose angles are near, whole turns aside."""
    apart = 100.0  # between branches, beyond any angle
    keys = apart * before.branch + wrap_angle(before.phi)
    order = np.argsort(keys)
    keys, wanted = keys[order], apart * after.branch + wrap_angle(after.phi)
    first, second = [], []
    for turn in (-math.tau, 0.0, math.tau):
        low = np.searchsorted(keys, wanted + turn - window, side="left")
        count = np.searchsorted(keys, wanted + turn + window, side="right") - low
        second.append(np.repeat(np.arange(len(wanted)), count))
        offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        first.append(order[np.repeat(low, count) + offset])
    return np.concatenate(first), np.concatenate(second)


def _back(totals: list[Array], parents: list[IntArray]) -> list[int]:
    chosen = [int(total.argmin()) for total in totals[-1:]]
    for parent in parents[:0:-1]:
        chosen.append(int(parent[chosen[-1]]))
    return chosen[::-1]


def broken_path(k: int, reason: str, grids: list[Grid], chosen: list[int]) -> BrokenPath:
    """Return the error that a path breaks at point ``k``, with the candidates chosen before."""
    phi = np.unwrap([grid.phi[i] for grid, i in zip(grids, chosen, strict=False)])
    q = [grid.q[i] for grid, i in zip(grids, chosen, strict=False)]
    return BrokenPath(k, reason, phi, np.array(q).reshape(-1, 6))


def _nearest(before: Grid, after: Grid, totals: Array, steps: Array, window: float) -> str:
    """Return in words how far the nearest posture is from those reached at the point before."""
    reached = np.flatnonzero(np.isfinite(totals))
    least, needed = math.inf, ""
    for i in reached[np.argsort(totals[reached])][:500]:  # the best of them are enough
        same = np.flatnonzero(after.branch == before.branch[i])
        if not len(same):
            continue
        share = np.abs(after.q[same] - before.q[i]) / steps
        j = int(share.max(axis=1).argmin())
        if share[j].max() < least:
            axis, least = int(share[j].argmax()), float(share[j].max())
            step = math.degrees(abs(float(after.q[same[j], axis] - before.q[i, axis])))
            turn = math.degrees(abs(float(wrap_angle(after.phi[same[j]] - before.phi[i]))))
            needed = (
                f"axis {axis + 1} by {step:.3g} deg, of {math.degrees(steps[axis]):.3g} deg allowed"
            )
            if least <= 1.0:
                needed = (
                    f"the angle by {turn:.3g} deg, of {math.degrees(window):.3g} deg that max_turn"
                    " allows"
                )
    return (
        f"the nearest posture of the same branch needs {needed}"
        if needed
        else "no posture of a branch that gets here is in range"
    )
