"""The free angle along a path: dynamic programming on a grid, then smoothing.

The objective, with ``s`` from 0 to 1 along the path, is

``mean of cost(q, phi) + turning * integral of (dphi/ds)^2 + motion * integral of |dq/ds|^2``.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import (
    as_bool,
    as_instance,
    finite,
    number,
    numbers,
    per_axis,
    positive,
    short_repr,
)
from ...errors import InputError, MissingData
from ...model.types import Array
from ...robot.robot import Robot
from .arm_lines import arm_lines
from .closed_paths import closed_sequence
from .costs import Cost, Function, margins, range_margin, singularity_distance
from .dynamic_programming import best_sequence, candidate_grid, closing_candidates, start_candidate
from .feasible_angles import branch_slots, is_rigid, solve_free_angles, unit_axis
from .intervals import BRANCHES
from .smoothing import SmoothingProblem, smooth

GRID = math.radians(5.0)
STEP = math.radians(30.0)
FINEST = math.radians(0.5)
SAME = 1e-9  # [m, 1] largest difference between the ends of a closed path


class Choice(NamedTuple):
    """The free angle along a path."""

    phi: Array
    """Angle of each pose [rad], without jumps, shape ``(N,)``."""
    q: Array
    """Axis positions [rad], shape ``(N, 6)``."""
    poses: Array
    """Poses turned by ``phi``, shape ``(N, 4, 4)``."""
    branch: int
    """Slot of ``robot.inverse_kinematics``, the same all along; ``BRANCHES`` has the words."""
    costs: dict[str, Array]
    """Costs along the path ``(N,)``, and ``turning`` and ``motion`` of each step ``(N - 1,)``."""
    total: float
    """Value of the objective."""
    coarse: Array
    """The choice on the grid, before smoothing [rad], shape ``(N,)``."""
    range_margin: float
    """Smallest distance of an axis from an end of its range [rad]."""
    wrist: float
    """Smallest distance from the wrist's singularity [rad]; NaN if unknown, as the next two."""
    elbow: float
    """From the stretched or folded arm [rad]."""
    shoulder: float
    """Of the wrist centre from axis 1 [m]."""

    def __repr__(self) -> str:
        """Return branch, angles and smallest distances in one line."""
        angles = f"phi {math.degrees(self.phi.min()):.1f} .. {math.degrees(self.phi.max()):.1f} deg"
        margin, wrist = math.degrees(self.range_margin), math.degrees(self.wrist)
        return (
            f"<Choice of {len(self.phi)} points: {BRANCHES[self.branch]}, {angles}, at least"
            f" range {margin:.1f} deg, wrist {wrist:.1f} deg>"
        )


def choose_angle(
    robot: Robot,
    poses: ArrayLike,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    *,
    cost: Cost | Function | None = None,
    turning: float = 0.02,
    motion: float = 0.02,
    times: ArrayLike | None = None,
    max_step: ArrayLike = STEP,
    max_turn: float | None = None,
    start: ArrayLike | None = None,
    branch: int | Collection[int] | None = None,
    grid: float = GRID,
    closed: bool = False,
) -> Choice:
    """Choose the free angle of a symmetric tool along a path, its branch and full turns of axes.

    Of all feasible intervals (:func:`feasible_angles`) the middles, the neighbourhood of the ends,
    and a grid are candidates. The best sequence of them is found by dynamic programming, so it is
    the best of the grid; no step changes the branch or is larger than the axes may move. From there
    the angles are improved continuously within their intervals: a local optimum, never worse.

    Args:
        robot: Six axes with a spherical wrist.
        poses: ``base_from_tcp`` at ``phi = 0``, shape ``(N, 4, 4)``.
        axis: Axis of symmetry through the TCP, in its frame.
        cost: Cost of a posture, a :class:`Cost` or a function ``(robot, q (K, 6), phi (K,)) ->
            (K,)``; default ``range_margin() + singularity_distance()``, without the latter where
            the robot has no closed forms for it.
        turning: Weight of turning the tool [1/rad^2].
        motion: Weight of moving the axes [1/rad^2].
        times: Times of the poses [s], shape ``(N,)``: steps then keep the axes' rated speeds.
        max_step: Largest step of an axis between two poses [rad], one number or one per axis.
        max_turn: Largest step of the angle on the grid [rad]; default three grid points, or two
            turns in the whole path if more.
        start: Posture to begin with ``(6,)`` [rad], on the first pose at some angle; default free.
        branch: Only these branches.
        grid: Distance of grid points [rad]; made finer, down to 0.5 deg, where half the smallest
            step allowed is less.
        closed: Whether the path ends where it begins, and the angle has to: the first and the last
            pose are the same, and so are the angles there, whole turns aside. Axes may come back
            whole turns away, where their ranges have room for it.

    Raises:
        BrokenPath: an InputError with ``index`` and ``reason``, where there is no such choice.
        InputError: if an argument has a wrong shape, ``start`` is not on the first pose, a closed
            path is open, or a cost returns nonsense.
        MissingData: as :func:`feasible_angles`.
    """
    as_instance(robot, Robot, "an angle is chosen for an irbmodels.Robot")
    path = _poses(poses, as_bool(closed, "closed, whether the path ends where it begins,"))
    direction = unit_axis(axis)
    named = {"turning": turning, "motion": motion}
    weights = np.array(
        [number(value, f"the weight of {name}", 0.0) for name, value in named.items()]
    )
    positive(grid, "grid [rad]")
    cost_function = Cost.of(cost) if cost is not None else _default(robot)
    arm, n = arm_lines(robot), len(path)
    steps = _steps(robot, n, times, max_step)
    distance = float(np.clip(steps.min() / 2.0 if n > 1 else grid, min(FINEST, grid), grid))
    if closed:
        # so that angles whole turns apart are grid points of both
        distance = math.tau / math.ceil(math.tau / distance)
    window = max(3.01 * distance, 2.0 * math.tau / max(n - 1, 1))
    if max_turn is not None:
        window = positive(max_turn, "max_turn [rad]")
    slots = branch_slots(branch)
    free = [solve_free_angles(robot, arm, pose, direction, slots) for pose in path]
    grids = [candidate_grid(robot, angles, distance, cost_function) for angles in free]
    if start is not None:
        grids[0] = start_candidate(
            robot, free[0], finite(start, (6,), "start [rad]"), cost_function
        )
        if closed:
            grids[-1] = closing_candidates(robot, free[-1], grids[0], cost_function)
    sequence = closed_sequence if closed else best_sequence
    weights = weights * (n - 1)
    _, chosen = sequence(robot, free, grids, steps, min(window, math.pi), weights)
    phi = np.array([grid.phi[i] for grid, i in zip(grids, chosen, strict=True)])
    intervals = [free[k][int(grids[k].interval[i])] for k, i in enumerate(chosen)]
    coarse = np.unwrap(phi)
    coarse -= math.tau * np.round(coarse[0] / math.tau)
    winding = None
    if closed:
        winding = math.tau * float(np.round((coarse[-1] - coarse[0]) / math.tau))
        coarse[-1] = coarse[0] + winding  # rounding aside, it is
    fixed = start is not None
    problem = SmoothingProblem(
        robot, free, intervals, coarse - phi, cost_function, weights, steps, fixed, winding
    )
    return _choice(problem, smooth(problem, coarse), coarse)


def _poses(value: ArrayLike, closed: bool) -> Array:
    poses = numbers(value, "poses of a path")
    if (
        poses.ndim != 3
        or poses.shape[1:] != (4, 4)
        or not len(poses)
        or not np.isfinite(poses).all()
    ):
        raise InputError(f"a path is finite poses (N, 4, 4), got shape {poses.shape}")
    for i, pose in enumerate(poses):
        if not is_rigid(pose):
            raise InputError(f"pose {i} is no rigid motion (a rotation, and 0, 0, 0, 1 below)")
    if closed:
        gap = float(np.abs(poses[-1] - poses[0]).max())
        if len(poses) < 3 or gap > SAME:
            raise InputError(
                "a closed path has three poses or more, and its last pose is its first;"
                f" here are {len(poses)}, and those differ by {gap:.3g} m or rad"
            )
        poses[-1] = poses[0]
    return poses


def _default(robot: Robot) -> Cost:
    try:
        robot.singularities(np.zeros(robot.n))
    except MissingData:
        return range_margin()
    return range_margin() + singularity_distance()


def _steps(robot: Robot, n: int, times: ArrayLike | None, max_step: ArrayLike) -> Array:
    """Return the largest move of each axis in each step, ``(N - 1, 6)``."""
    largest = per_axis(max_step, 6, "max_step [rad]")
    if not (largest > 0.0).all():
        raise InputError(
            f"max_step [rad] is one positive number, or one per axis, not {short_repr(largest)}"
        )
    steps = np.tile(largest, (n - 1, 1))
    if times is None:
        return steps
    instants = finite(times, (n,), "times [s]")
    stalled = np.flatnonzero(np.diff(instants) <= 0.0)
    if stalled.size:
        raise InputError(f"times must grow; they do not at point {stalled[0] + 1}")
    return np.asarray(np.minimum(steps, np.diff(instants)[:, None] * robot.limits.velocity))


def _choice(problem: SmoothingProblem, phi: Array, coarse: Array) -> Choice:
    robot, q = problem.robot, problem.postures(phi)
    costs = problem.cost.parts(robot, q, phi)
    costs["turning"] = problem.weights[0] * np.diff(phi) ** 2
    costs["motion"] = problem.weights[1] * (np.diff(q, axis=0) ** 2).sum(axis=1)
    try:
        distances = [float(np.abs(distance).min()) for distance in robot.singularities(q)[:3]]
    except MissingData:
        distances = [math.nan] * 3
    poses = np.stack([angles.pose(x) for angles, x in zip(problem.free, phi, strict=True)])
    branch, least = problem.intervals[0].branch, float(margins(robot, q).min())
    return Choice(phi, q, poses, branch, costs, problem.total(phi, q), coarse, least, *distances)
