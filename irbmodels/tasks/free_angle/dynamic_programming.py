"""The best sequence of postures on a grid that is laid into the feasible intervals of each pose: dynamic programming."""

from __future__ import annotations

import math
from typing import NamedTuple, NoReturn

import numpy as np

from ...errors import InputError
from ...model.types import Array, IntArray
from ...robot.robot import Robot
from .costs import Cost
from .interval_ends import TURN, postures
from .intervals import FreeAngles, near, wrapped

# [rad] grid points nearest to the ends of an interval are so far inside, or a quarter of it
EDGE = 0.02


class BrokenPath(InputError):
    """A path along which no posture moves continuously: where it breaks, why, and how far it was followed."""

    def __init__(self, index: int, reason: str, phi: Array, q: Array) -> None:
        """Keep the best choice up to the point before."""
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


def laid(robot: Robot, angles: FreeAngles, distance: float, cost: Cost) -> Grid:
    """Return candidates of one pose."""
    number: list[IntArray] = [np.empty(0, dtype=int)]
    phi: list[Array] = [np.empty(0)]
    for i, interval in enumerate(angles):
        inset = 0.0 if interval.full else min(EDGE, interval.length / 4.0)
        low, high = interval.low + inset, interval.high - inset
        inner = distance * np.arange(math.ceil(low / distance), math.floor(high / distance) + 1)
        if not interval.full:
            inner = np.unique(np.array([*inner, low, (low + high) / 2.0, high]))
        number.append(np.full(len(inner), i))
        phi.append(np.asarray(inner, dtype=float))
    return candidates(robot, angles, np.concatenate(number), np.concatenate(phi), cost)


def candidates(robot: Robot, angles: FreeAngles, number: IntArray, phi: Array, cost: Cost) -> Grid:
    """Return postures at angles that rise interval by interval, without those that a singularity leaves open."""
    branch = np.array([interval.branch for interval in angles], dtype=int)[number]
    A, q = angles.ranges.A, np.empty((0, 6))
    if len(phi):
        references = [interval.reference(phi[number == i]) for i, interval in enumerate(angles)]
        found = postures(robot, angles.circle, phi)[np.arange(len(phi)), branch]
        q = near(found @ A.T, np.concatenate(references)) @ np.linalg.inv(A).T
    there = np.isfinite(q).all(axis=1)
    number, branch, phi, q = number[there], branch[there], phi[there], q[there]
    return Grid(number, branch, phi, q, cost(robot, q, phi))


def begun(robot: Robot, angles: FreeAngles, start: Array, cost: Cost) -> Grid:
    """Return the one candidate that a given posture is."""
    base, now, axis = (
        angles.circle.pose,
        np.asarray(getattr(robot.pose(start), "homogeneous", None)),
        angles.circle.axis,
    )
    turn = base[:3, :3].T @ now[:3, :3]
    sine = axis @ (turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]) / 2.0
    phi = math.atan2(sine, (np.trace(turn) - 1.0) / 2.0)
    off = float(np.abs(angles.pose(phi) - now).max())
    if off > 1e-6:
        raise InputError(
            f"start is not on the first pose at any angle: it is {off:.3g} m or rad off at best"
        )
    for i, interval in enumerate(angles):
        for lifted in interval.holds(phi):
            q = interval.q(lifted)
            if np.abs(q - start).max() < 1e-5:
                value = cost(robot, q[None], np.array([lifted]))
                return Grid(
                    np.array([i]), np.array([interval.branch]), np.array([lifted]), q[None], value
                )
    raise InputError(
        "start is on the first pose, but out of range, on a singularity, or not of these branches"
    )


def returned(robot: Robot, angles: FreeAngles, first: Grid, cost: Cost) -> Grid:
    """Return the candidates at the one angle of ``first``, of its branch, in every full turn of the axes."""
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
) -> list[int]:
    """Return the candidate of each pose that the best sequence takes."""
    return weighed_sequence(robot, free, grids, steps, window, weights)[1]


def weighed_sequence(
    robot: Robot,
    free: list[FreeAngles],
    grids: list[Grid],
    steps: Array,
    window: float,
    weights: Array,
) -> tuple[float, list[int]]:
    """Return what the best sequence costs, and the candidate of each pose that it takes.

    Raises:
        BrokenPath: if there is none.
    """
    n = len(grids)
    totals, parents = [grids[0].cost / n], [np.full(len(grids[0].phi), -1)]
    for k in range(n):
        if not len(grids[k].phi):
            _break(k, free[k].note or "every posture is on a singularity", grids, parents, totals)
        if k == 0:
            continue
        before, after = grids[k - 1], grids[k]
        i, j = _neighbours(before, after, window)
        change = after.q[j] - before.q[i]
        change = np.where(free[k].ranges.bounded, change, wrapped(change))
        alive = np.isfinite(totals[-1][i]) & (np.abs(change) <= steps[k - 1] + 1e-12).all(axis=1)
        i, j, change = i[alive], j[alive], change[alive]
        turned = wrapped(after.phi[j] - before.phi[i])
        total = totals[-1][i] + weights[0] * turned**2 + weights[1] * (change**2).sum(axis=1)
        best = np.full(len(after.phi), np.inf)
        np.minimum.at(best, j, total)
        if not np.isfinite(best).any():
            _break(
                k,
                _nearest(robot, before, after, totals[-1], steps[k - 1], window),
                grids,
                parents,
                totals,
            )
        parent = np.full(len(after.phi), -1)
        first = total == best[j]
        parent[j[first]] = i[first]
        totals.append(best + after.cost / n)
        parents.append(parent)
    return float(totals[-1].min()), _back(totals, parents)


def _neighbours(before: Grid, after: Grid, window: float) -> tuple[IntArray, IntArray]:
    """Return pairs of candidates of one branch whose angles are near, whole turns aside."""
    apart = 100.0  # between branches, beyond any angle
    keys = apart * before.branch + wrapped(before.phi)
    order = np.argsort(keys)
    keys, wanted = keys[order], apart * after.branch + wrapped(after.phi)
    first, second = [], []
    for turn in (-TURN, 0.0, TURN):
        low = np.searchsorted(keys, wanted + turn - window, side="left")
        count = np.searchsorted(keys, wanted + turn + window, side="right") - low
        second.append(np.repeat(np.arange(len(wanted)), count))
        offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        first.append(order[np.repeat(low, count) + offset])
    return np.concatenate(first), np.concatenate(second)


def _back(totals: list[Array], parents: list[IntArray]) -> list[int]:
    chosen = [int(totals[-1].argmin())]
    for parent in parents[:0:-1]:
        chosen.append(int(parent[chosen[-1]]))
    return chosen[::-1]


def _break(
    k: int, reason: str, grids: list[Grid], parents: list[IntArray], totals: list[Array]
) -> NoReturn:
    chosen = _back(totals[:k], parents[:k]) if k else []
    phi = np.unwrap([grids[i].phi[c] for i, c in enumerate(chosen)])
    raise BrokenPath(
        k, reason, phi, np.array([grids[i].q[c] for i, c in enumerate(chosen)]).reshape(-1, 6)
    )


def _nearest(
    robot: Robot, before: Grid, after: Grid, totals: Array, steps: Array, window: float
) -> str:
    """Say how far the nearest posture is from those that can be reached at the point before."""
    reached = np.flatnonzero(np.isfinite(totals))
    least, said = math.inf, ""
    for i in reached[np.argsort(totals[reached])][:500]:  # the best of them tell enough
        same = np.flatnonzero(after.branch == before.branch[i])
        if not len(same):
            continue
        share = np.abs(after.q[same] - before.q[i]) / steps
        j = int(share.max(axis=1).argmin())
        if share[j].max() < least:
            axis, least = int(share[j].argmax()), float(share[j].max())
            step = math.degrees(abs(float(after.q[same[j], axis] - before.q[i, axis])))
            turn = math.degrees(abs(float(wrapped(after.phi[same[j]] - before.phi[i]))))
            said = (
                f"axis {axis + 1} by {step:.3g} deg, of {math.degrees(steps[axis]):.3g} deg allowed"
            )
            if least <= 1.0:
                said = (
                    f"the angle by {turn:.3g} deg, of {math.degrees(window):.3g} deg that max_turn"
                    " allows"
                )
    return (
        f"the nearest posture of the same branch needs {said}"
        if said
        else "no posture of a branch that gets here is in range"
    )
