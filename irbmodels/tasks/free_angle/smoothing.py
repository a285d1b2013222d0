"""Smoothing of a choice of angles: damped Newton steps, each angle within its interval.

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
from .intervals import FreeAngles, Interval, nearest_turn

ITERATIONS = 60
DIFFERENCE = 1e-4  # [rad] of the angle, for differences of costs
TOLERANCE = 1e-7  # [rad] change of all angles at which it is done
LARGEST_CHANGE = 0.1  # [rad] largest change of an angle in one round
EDGE = 1e-6  # [rad] angles stay so far inside, where costs are still finite
ROOM = 0.9  # share of an allowed step from which on it costs
LIMIT_STIFFNESS = 10.0  # what a step at its limit costs, per (1 - ROOM)^2


@dataclass(frozen=True, eq=False)
class SmoothingProblem:
    """The objective as a function of the angles ``(N,)``."""

    robot: Robot
    free: list[FreeAngles]
    intervals: list[Interval]
    """Interval of each angle."""
    shift: Array
    """Whole turns between the angle along the path and in its interval [rad], ``(N,)``."""
    cost: Cost
    weights: Array
    """Of squared steps of the angle and of the axes [1/rad^2]."""
    steps: Array
    """Largest steps [rad], ``(N - 1, 6)``."""
    first_fixed: bool
    """True if the first angle is given."""
    winding: float | None = None
    """Whole turns from the first to the last angle [rad] of a closed path; None if it is open."""

    def bounds(self) -> tuple[Array, Array]:
        """Return the smallest and largest angle of each point."""
        inset = np.array([np.inf if i.full else -min(EDGE, i.length / 4) for i in self.intervals])
        low = np.array([i.low for i in self.intervals]) + self.shift - inset
        high = np.array([i.high for i in self.intervals]) + self.shift + inset
        if self.winding is not None:
            low[0] = max(low[0], low[-1] - self.winding)
            high[0] = min(high[0], high[-1] - self.winding)
            low[-1], high[-1] = low[0] + self.winding, high[0] + self.winding
        return low, high

    def postures(self, phi: Array) -> Array:
        """Return axis positions ``(N, 6)``."""
        inside, A = (phi - self.shift)[:, None], self.free[0].ranges.A
        poses = [free.circle.poses(angle) for free, angle in zip(self.free, inside, strict=True)]
        solutions = self.robot.inverse_kinematics(np.concatenate(poses))
        q = np.asarray(solutions.q)[:, self.intervals[0].branch]
        reference = np.concatenate(
            [interval.reference(x) for interval, x in zip(self.intervals, inside, strict=True)]
        )
        q = nearest_turn(q @ A.T, reference) @ np.linalg.inv(A).T
        return np.asarray(np.where(self.free[0].ranges.bounded, q, np.unwrap(q, axis=0)))

    def rates(self, phi: Array, q: Array) -> Array:
        """Return ``dq/dphi``, ``(N, 6)``."""
        # the axis stays where it is
        turn = np.stack([angles.circle.pose[:3, :3] @ angles.circle.axis for angles in self.free])
        return np.nan_to_num(
            self.robot.inverse_velocity(q, np.concatenate([np.zeros_like(turn), turn], axis=1))
        )

    def total(self, phi: Array, q: Array) -> float:
        """Return mean cost, turning and motion, without the cost of steps near their limits."""
        changes = self.weights[0] * np.diff(phi) ** 2 + self.weights[1] * (
            np.diff(q, axis=0) ** 2
        ).sum(axis=1)
        return float(self.cost(self.robot, q, phi).mean() + changes.sum())

    def limit_excess(self, q: Array) -> Array:
        """Return the excess of steps over ``ROOM``, a signed share of the rest, ``(N - 1, 6)``."""
        share = np.diff(q, axis=0) / self.steps
        return np.asarray(np.sign(share) * np.maximum(np.abs(share) - ROOM, 0.0) / (1.0 - ROOM))

    def objective(self, phi: Array, q: Array) -> float:
        """Return the total and the cost of steps near their limits; infinite where infeasible."""
        if not np.isfinite(q).all() or (np.abs(np.diff(q, axis=0)) > self.steps + 1e-12).any():
            return np.inf
        return self.total(phi, q) + LIMIT_STIFFNESS * float((self.limit_excess(q) ** 2).sum())


def smooth(problem: SmoothingProblem, start: Array) -> Array:
    """Return angles with a total no greater than that of the angles to start from."""
    low, high = problem.bounds()
    phi, q = start.copy(), problem.postures(start)
    value, damping, corner = problem.objective(phi, q), 1e-6, 0.0
    for _ in range(ITERATIONS):
        gradient, diagonal, beside = _quadratic_model(problem, phi, q)
        if problem.winding is not None:  # the last angle goes with the first
            gradient[0] += gradient[-1]
            diagonal[0] += diagonal[-1]
            corner = float(beside[-1])
            gradient, diagonal, beside = gradient[:-1], diagonal[:-1], beside[:-1]
        n = len(gradient)
        free = np.where(gradient > 0.0, phi[:n] > low[:n], (phi[:n] < high[:n]) | (gradient == 0.0))
        free[0] &= not problem.first_fixed
        corner *= float(free[0] and free[-1])
        beside = beside * (free[1:] & free[:-1])
        downhill = np.where(free, -gradient, 0.0)
        while damping < 1e12:
            damped = np.where(free, diagonal + damping * (1.0 + diagonal), 1.0)
            change = _solve_cyclic(damped, beside, corner, downhill)
            if problem.winding is not None:
                change = np.append(change, change[0])
            change *= min(1.0, LARGEST_CHANGE / max(float(np.abs(change).max()), 1e-300))
            trial = np.clip(phi + change, low, high)
            postures = problem.postures(trial)
            new = problem.objective(trial, postures)
            if new < value:
                break
            damping *= 8.0
        else:
            break
        done = np.abs(trial - phi).max() < TOLERANCE
        phi, q, value, damping = trial, postures, new, max(damping / 8.0, 1e-9)
        if done:
            break
    return phi if problem.total(phi, q) <= problem.total(start, problem.postures(start)) else start


def _solve_cyclic(diagonal: Array, beside: Array, corner: float, right: Array) -> Array:
    """Solve a positive cyclic tridiagonal system, by Sherman-Morrison for the corner."""
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


def _quadratic_model(problem: SmoothingProblem, phi: Array, q: Array) -> tuple[Array, Array, Array]:
    """Return gradient, and diagonal and upper diagonal of a positive tridiagonal Hessian."""
    n, rates = len(phi), problem.rates(phi, q)
    h = DIFFERENCE / np.maximum(1.0, np.abs(rates).max(axis=1))
    here, ahead, behind = (
        problem.cost(problem.robot, q + s * h[:, None] * rates, phi + s * h)
        for s in (0.0, 1.0, -1.0)
    )
    gradient = (ahead - behind) / (2.0 * h * n)
    diagonal = np.maximum((ahead - 2.0 * here + behind) / (h**2 * n), 0.0)
    beside = np.zeros(n - 1)
    limit_excess = problem.limit_excess(q)
    stiff = 1.0 / (problem.steps * (1.0 - ROOM))
    slope = problem.weights[1] * np.diff(q, axis=0) + LIMIT_STIFFNESS * limit_excess * stiff
    curvature = problem.weights[1] + LIMIT_STIFFNESS * (limit_excess != 0.0) * stiff**2
    turning, one = problem.weights[0], np.ones((n - 1, 1))
    # costs of steps of the angle, and of the axes
    for first, last, force, stiffness in (
        (one, one, turning * np.diff(phi)[:, None], turning),
        (rates[:-1], rates[1:], slope, curvature),
    ):
        gradient[1:] += 2.0 * (force * last).sum(axis=1)
        gradient[:-1] -= 2.0 * (force * first).sum(axis=1)
        diagonal[1:] += 2.0 * (stiffness * last**2).sum(axis=1)
        diagonal[:-1] += 2.0 * (stiffness * first**2).sum(axis=1)
        beside -= 2.0 * (stiffness * first * last).sum(axis=1)
    return gradient, diagonal, beside
