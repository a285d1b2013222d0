"""Search for an exciting motion: SLSQP with exact gradients from several starts, then clearance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ...checks import as_int
from ...errors import InputError
from ...model.types import Array
from .bounds import LinearConstraints
from .problem import ExcitationProblem
from .regressor import condition, criterion_of

# of the smooth condition number: 32 is above the true one of 36 columns by at most 12 %
POWERS = (2.0, 8.0, 32.0)
DRAWS = 5  # random motions, the best of which is a start
ROUNDS = 15  # of growing along links that would touch, or the box
PER_ROUND = 15  # iterations after new linear constraints
# of its bounds that a parameter first moves by in a round, so that linear constraints hold
TRUST = 0.1
WIDER, TIGHTER = 1.5, 0.4  # trust region after a round that succeeded, or did not
GAIN = 1e-3  # of the criterion, below which a round is the last
TOLERANCE = 1e-7  # change of the criterion at which SLSQP stops
# of a share that a search may exceed a limit by; the verified motion is scaled back within it
SLACK = 0.005

Report = Callable[[float], object]
"""Called with the condition number after each iteration."""


class Step(NamedTuple):
    """State of a search."""

    start: int
    """0-based."""
    iteration: int
    """In this start."""
    condition: float
    """Of the stacked base regressor with columns of unit length."""


class SearchResult(NamedTuple):
    """Best motion of a search, and its course."""

    x: Array
    """Parameters of the family, ``(size, n)``, verified."""
    start: int
    """Number of the start it comes from."""
    history: tuple[tuple[float, ...], ...]
    """Condition numbers by iteration, for each start."""


def search(
    problem: ExcitationProblem,
    *,
    criterion: str,
    starts: int,
    iterations: int,
    seed: int,
    progress: Callable[[Step], object] = lambda _: None,
) -> SearchResult:
    """Search from several random starts; the best motion that keeps every limit wins.

    Collisions are removed only from motions that could still win.

    Raises:
        UnknownName: if there is no such criterion.
        InputError: if a count is not positive, or no start leads to a motion without collision.
    """
    criterion_of(criterion)
    as_int(starts, "starts of a search", 1)
    as_int(iterations, "iterations of a search", 1)
    history: list[list[float]] = [[] for _ in range(starts)]

    def report(start: int, value: float) -> None:
        history[start].append(value)
        progress(Step(start, len(history[start]), value))

    ends = []
    for start in range(starts):
        rng = np.random.default_rng([seed, start])
        draws = [problem.random_start(rng) for _ in range(DRAWS)]
        x = min(draws, key=lambda x: problem.value(x, criterion))
        for power in POWERS:
            x = optimise(problem, x, power, iterations, criterion, partial(report, start))
        ends.append((problem.value(x, criterion), start, x))
    best: tuple[float, int, Array] | None = None
    for value, start, x in sorted(ends, key=lambda end: end[:2]):
        if best is not None and best[0] <= value:
            break
        clear = remove_collisions(problem, x, iterations, criterion, partial(report, start))
        if clear is not None and (best is None or problem.value(clear, criterion) < best[0]):
            best = problem.value(clear, criterion), start, clear
    if best is None:
        raise InputError(
            f"none of {starts} starts led to a motion without collision: take more starts, another"
            " posture, or a shorter stroke"
        )
    return SearchResult(best[2], best[1], tuple(map(tuple, history)))


def optimise(
    problem: ExcitationProblem,
    x: Array,
    power: float,
    iterations: int,
    criterion: str,
    report: Report,
    obstacles: Sequence[LinearConstraints] = (),
    trust: float = np.inf,
) -> Array:
    """Return the best of SLSQP's iterates, of those that keep the limits within ``SLACK``.

    No parameter moves by more than ``trust`` of its bounds' width.
    """
    from scipy.optimize import minimize

    chosen, axes = criterion_of(criterion), list(problem.base.axes)
    limits = problem.limits.robot.limits
    ends = problem.family.parameter_bounds(*limits.envelope(), limits.velocity)
    low, high = (end[:, axes].ravel() for end in ends)
    first = np.clip(x[:, axes].ravel(), low, high)
    with np.errstate(invalid="ignore"):
        step = np.nan_to_num(trust * (high - low), nan=np.inf, posinf=np.inf)

    def regressor(x: Array) -> Array:
        return problem.regressor.stacked(*problem.states(x, problem.coarse))

    def rated(x: Array) -> tuple[float, float, Array, float]:
        excess, Y = -float(problem.constraints(x, obstacles).min()), regressor(x)
        shown = condition(Y)
        exact = shown if chosen.exact is condition else chosen.exact(Y)
        return max(SLACK, excess), exact, x, shown

    best = rated(x)

    def parameters(z: Array) -> Array:
        full = problem.centre.copy()
        full[:, axes] = z.reshape(-1, len(axes))
        return full

    def objective(z: Array) -> tuple[float, Array]:
        value, slope = problem.objective(parameters(z), lambda Y: chosen.smooth(Y, power))
        return value, slope[:, axes].ravel()

    def jacobian(z: Array) -> Array:
        slopes = problem.constraint_jacobian(parameters(z), obstacles)
        return slopes[:, :, axes].reshape(-1, z.size)

    def iterated(z: Array) -> None:
        nonlocal best
        candidate = rated(parameters(z))
        if candidate[:2] < best[:2]:
            best = candidate
        report(candidate[3])

    minimize(
        objective,
        first,
        jac=True,
        bounds=list(
            zip(np.maximum(low, first - step), np.minimum(high, first + step), strict=True)
        ),
        method="SLSQP",
        constraints={
            "type": "ineq",
            "fun": lambda z: problem.constraints(parameters(z), obstacles),
            "jac": jacobian,
        },
        options={"maxiter": iterations, "ftol": TOLERANCE},
        callback=iterated,
    )
    return best[2]


def remove_collisions(
    problem: ExcitationProblem, x: Array, iterations: int, criterion: str, report: Report
) -> Array | None:
    """Return a motion near to this one that touches nothing and stays in the box, verified.

    None if no way was found.

    A motion through a link cannot be pushed out of it: where it enters it is pushed back, where it
    leaves on, and it stays. So it is made smaller until it is clear, and then grows along what it
    comes near to, each step verified [Schulman et al. 2014, whose steps go from the other side].
    """
    clear = problem.shrink_to_limits(x)
    if clear is None or problem.limits.is_clear(problem.fine.q @ x):
        return clear
    value, trust = problem.value(clear, criterion), TRUST
    obstacles = problem.limits.linear_constraints(problem.times, problem.fine.q @ clear)
    last = POWERS[-1], min(iterations, PER_ROUND), criterion, report
    for _ in range(ROUNDS):
        moved = optimise(problem, clear, *last, obstacles, trust)
        moved = problem.scale_to_limits(moved - problem.centre, problem.fine, most=1.0)
        moved_value = problem.value(moved, criterion)
        gain = value - moved_value
        if gain <= 0.0 or not problem.limits.is_clear(problem.fine.q @ moved):
            trust *= TIGHTER
            continue
        clear, value, trust = moved, moved_value, trust * WIDER
        if gain < GAIN * abs(value):
            break
        obstacles = problem.limits.linear_constraints(problem.times, problem.fine.q @ clear)
    return clear
