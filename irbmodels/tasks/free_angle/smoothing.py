"""A choice of angles made better without a grid: Newton's steps, damped, each angle within its interval.

Costs belong to one point each, turning and motion to two neighbours, so the matrix of a step is
tridiagonal. The derivative of a posture by the angle is ``J^-1`` times a turn about the tool's
axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.types import Array
from ...robot.robot import Robot
from .costs import Cost
from .intervals import FreeAngles, Interval, near

ROUNDS = 60
FINE = 1e-4  # [rad] of the angle, for differences of costs
CLOSE = 1e-7  # [rad] change of all angles at which it is done
FAR = 0.1  # [rad] largest change of an angle in one round
EDGE = 1e-6  # [rad] angles stay so far inside, where costs are still finite
ROOM = 0.9  # share of an allowed step from which on it costs
STIFF = 10.0  # what a step at its limit costs, per (1 - ROOM)^2


@dataclass(frozen=True, eq=False)
class Path:
    """What is to be made small: angles ``(N,)`` to postures to a number."""

    robot: Robot
    free: list[FreeAngles]
    intervals: list[Interval]
    """Which interval each angle stays in."""
    shift: Array
    """Whole turns between the angle along the path and in its interval [rad], ``(N,)``."""
    cost: Cost
    weights: Array
    """Of squared steps of the angle and of the axes [1/rad^2]."""
    steps: Array
    """Largest steps [rad], ``(N - 1, 6)``."""
    pinned: bool
    """Whether the first angle stays."""
    turned: float | None = None
    """Whole turns by which the last angle is ahead of the first [rad], where the path is closed.

    None where it is open.
    """

    def bounds(self) -> tuple[Array, Array]:
        """Return the smallest and largest angle of each point."""
        ends = [
            (-np.inf, np.inf)
            if i.full
            else (i.low + min(EDGE, i.length / 4), i.high - min(EDGE, i.length / 4))
            for i in self.intervals
        ]
        low, high = (np.array(ends) + self.shift[:, None]).T
        if self.turned is not None:
            low[0], high[0] = (
                max(low[0], low[-1] - self.turned),
                min(high[0], high[-1] - self.turned),
            )
            low[-1], high[-1] = low[0] + self.turned, high[0] + self.turned
        return low, high

    def postures(self, phi: Array) -> Array:
        """Return axis positions ``(N, 6)``."""
        inside = phi - self.shift
        poses = np.stack(
            [angles.circle.poses(inside[[k]])[0] for k, angles in enumerate(self.free)]
        )
        q = np.asarray(self.robot.inverse_kinematics(poses).q)[:, self.intervals[0].branch]
        A = self.free[0].ranges.A
        reference = np.concatenate(
            [interval.reference(inside[[k]]) for k, interval in enumerate(self.intervals)]
        )
        q = near(q @ A.T, reference) @ np.linalg.inv(A).T
        return np.asarray(np.where(self.free[0].ranges.bounded, q, np.unwrap(q, axis=0)))

    def rates(self, phi: Array, q: Array) -> Array:
        """Return ``dq/dphi``, ``(N, 6)``."""
        # the axis stays where it is
        turn = np.stack([angles.circle.pose[:3, :3] @ angles.circle.axis for angles in self.free])
        return np.nan_to_num(
            self.robot.inverse_velocity(q, np.concatenate([np.zeros_like(turn), turn], axis=1))
        )

    def total(self, phi: Array, q: Array) -> float:
        """Return mean cost, turning and motion; what limits of steps add is no part of it."""
        changes = self.weights[0] * np.diff(phi) ** 2 + self.weights[1] * (
            np.diff(q, axis=0) ** 2
        ).sum(axis=1)
        return float(self.cost(self.robot, q, phi).mean() + changes.sum())

    def crowding(self, q: Array) -> Array:
        """Return by how much steps exceed their room, as a share of it with its sign, ``(N - 1, 6)``."""
        share = np.diff(q, axis=0) / self.steps
        return np.asarray(np.sign(share) * np.maximum(np.abs(share) - ROOM, 0.0) / (1.0 - ROOM))

    def judged(self, phi: Array, q: Array) -> float:
        """Return the total with the cost of steps near their limits.

        Infinite beyond them, or where there is no posture.
        """
        if not np.isfinite(q).all() or (np.abs(np.diff(q, axis=0)) > self.steps + 1e-12).any():
            return np.inf
        return self.total(phi, q) + STIFF * float((self.crowding(q) ** 2).sum())


def smoothed(path: Path, start: Array) -> Array:
    """Return angles with a total no greater than that of the angles to start from."""
    low, high = path.bounds()
    phi, q = start.copy(), path.postures(start)
    value, damping, corner = path.judged(phi, q), 1e-6, 0.0
    for _ in range(ROUNDS):
        gradient, diagonal, beside = _model(path, phi, q)
        if path.turned is not None:  # the last angle goes with the first
            gradient[0], diagonal[0], corner = (
                gradient[0] + gradient[-1],
                diagonal[0] + diagonal[-1],
                float(beside[-1]),
            )
            gradient, diagonal, beside = gradient[:-1], diagonal[:-1], beside[:-1]
        n = len(gradient)
        held = ((phi[:n] <= low[:n]) & (gradient > 0.0)) | (
            (phi[:n] >= high[:n]) & (gradient < 0.0)
        )
        held[0] |= path.pinned
        free = ~held
        corner *= float(free[0] and free[-1])
        beside = beside * (free[1:] & free[:-1])
        downhill = np.where(free, -gradient, 0.0)
        while damping < 1e12:
            change = _solved(
                np.where(free, diagonal + damping * (1.0 + diagonal), 1.0), beside, corner, downhill
            )
            if path.turned is not None:
                change = np.append(change, change[0])
            change *= min(1.0, FAR / max(float(np.abs(change).max()), 1e-300))
            trial = np.clip(phi + change, low, high)
            postures = path.postures(trial)
            if (new := path.judged(trial, postures)) < value:
                break
            damping *= 8.0
        else:
            break
        done = np.abs(trial - phi).max() < CLOSE
        phi, q, value, damping = trial, postures, new, max(damping / 8.0, 1e-9)
        if done:
            break
    return phi if path.total(phi, q) <= path.total(start, path.postures(start)) else start


def _solved(diagonal: Array, beside: Array, corner: float, right: Array) -> Array:
    """Solve a positive tridiagonal system, with one more coupling of its first and last unknown (Sherman-Morrison)."""
    from scipy.linalg import solveh_banded

    banded = np.zeros((2, len(diagonal)))
    banded[0, 1:], banded[1] = beside, diagonal
    if corner == 0.0:
        return np.asarray(solveh_banded(banded if len(diagonal) > 1 else banded[1:], right))
    ends = np.zeros(len(diagonal))
    ends[0], ends[-1] = 1.0, -np.sign(corner)
    banded[1, [0, -1]] += abs(corner)  # what is taken off again adds the coupling
    plain, along = solveh_banded(banded, np.stack([right, ends], axis=1)).T
    return np.asarray(
        plain + abs(corner) * along * (ends @ plain) / (1.0 - abs(corner) * (ends @ along))
    )


def _model(path: Path, phi: Array, q: Array) -> tuple[Array, Array, Array]:
    """Return the gradient, and a tridiagonal matrix of curvatures that is positive: its diagonal, and beside it."""
    n, rates = len(phi), path.rates(phi, q)
    h = FINE / np.maximum(1.0, np.abs(rates).max(axis=1))
    here, ahead, behind = (
        path.cost(path.robot, q + s * h[:, None] * rates, phi + s * h) for s in (0.0, 1.0, -1.0)
    )
    gradient, diagonal = (
        (ahead - behind) / (2.0 * h * n),
        np.maximum((ahead - 2.0 * here + behind) / (h**2 * n), 0.0),
    )
    beside = np.zeros(n - 1)
    crowding = path.crowding(q)
    stiff = 1.0 / (path.steps * (1.0 - ROOM))
    pull = path.weights[1] * np.diff(q, axis=0) + STIFF * crowding * stiff
    hard = path.weights[1] + STIFF * (crowding != 0.0) * stiff**2
    for first, last, force, stiffness in (
        (
            np.ones((n - 1, 1)),
            np.ones((n - 1, 1)),
            path.weights[0] * np.diff(phi)[:, None],
            path.weights[0],
        ),
        (rates[:-1], rates[1:], pull, hard),
    ):
        gradient[1:] += 2.0 * (force * last).sum(axis=1)
        gradient[:-1] -= 2.0 * (force * first).sum(axis=1)
        diagonal[1:] += 2.0 * (stiffness * last**2).sum(axis=1)
        diagonal[:-1] += 2.0 * (stiffness * first**2).sum(axis=1)
        beside -= 2.0 * (stiffness * first * last).sum(axis=1)
    return gradient, diagonal, beside
