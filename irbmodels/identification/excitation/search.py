"""The search for a motion that excites: SLSQP with exact gradients from several starts, then clear of what touches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array
from .bounds import Cuts
from .problem import Task
from .regressor import condition, criterion_of

# of the smooth condition number: 32 is above the true one of 36 columns by at most 12 %
POWERS = (2.0, 8.0, 32.0)
DRAWS = 5  # random motions, the best of which is a start
ROUNDS = 15  # of growing along what would touch or leave the box
PER_ROUND = 15  # iterations after new cuts
# of its reach that a parameter first moves by in a round, so that cuts of the first order hold
TRUST = 0.1
WIDER, TIGHTER = 1.5, 0.4  # trust after a round that succeeded, or did not
GAIN = 1e-3  # of the criterion, below which a round is the last
SETTLED = 1e-7  # change of the criterion at which SLSQP stops
# of a share that a search may miss a limit by; what is missed is scaled away in the end
SLACK = 0.005

Told = Callable[[float], object]
"""What is told the condition number after each iteration."""


class Step(NamedTuple):
    """Where a search stands."""

    start: int
    """0-based."""
    iteration: int
    """In this start."""
    condition: float
    """Of the stacked base regressor with columns of unit length."""


class Found(NamedTuple):
    """What a search found."""

    x: Array
    """Parameters of the family, ``(size, n)``, verified."""
    start: int
    """Number of the start it comes from."""
    history: tuple[tuple[float, ...], ...]
    """Condition numbers by iteration, for each start."""


def search(
    task: Task,
    *,
    criterion: str,
    starts: int,
    iterations: int,
    seed: int,
    progress: Callable[[Step], object] = lambda _: None,
) -> Found:
    """Search from several random starts; the best motion that keeps every limit wins.

    What touches is cut away only from motions that could still win.

    Raises:
        UnknownName: if there is no such criterion.
        InputError: if a count is not positive, or no start leads to a motion without collision.
    """
    criterion_of(criterion)  # says so, where there is none
    for what, count in (("starts", starts), ("iterations", iterations)):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InputError(f"{what} of a search are 1 or more, got {count!r}")
    history: list[list[float]] = [[] for _ in range(starts)]

    def told(start: int) -> Told:
        def tell(value: float) -> None:
            history[start].append(value)
            progress(Step(start, len(history[start]), value))

        return tell

    ends = []
    for start in range(starts):
        rng = np.random.default_rng([seed, start])
        x = min((task.start(rng) for _ in range(DRAWS)), key=lambda x: task.value(x, criterion))
        for power in POWERS:
            x = solved(task, x, power, iterations, criterion, told(start))
        ends.append((task.value(x, criterion), start, x))
    best: tuple[float, int, Array] | None = None
    for value, start, x in sorted(ends, key=lambda end: end[:2]):
        if best is not None and best[0] <= value:
            break
        found = freed(task, x, iterations, criterion, told(start))
        if found is not None and (best is None or task.value(found, criterion) < best[0]):
            best = task.value(found, criterion), start, found
    if best is None:
        raise InputError(
            f"none of {starts} starts led to a motion without collision: take more starts, another"
            " posture, or a shorter stroke"
        )
    return Found(best[2], best[1], tuple(tuple(values) for values in history))


def solved(
    task: Task,
    x: Array,
    power: float,
    iterations: int,
    criterion: str,
    told: Told,
    cuts: Sequence[Cuts] = (),
    trust: float = np.inf,
) -> Array:
    """Return the best motion that SLSQP passes through, of those that keep the limits nearly.

    No parameter moves by more than ``trust`` of what motions within the ranges and speeds can
    reach.
    """
    from scipy.optimize import minimize

    judge, axes, limits = criterion_of(criterion), list(task.base.axes), task.limiting.robot.limits
    reach = task.family.reach(*limits.envelope(), limits.velocity)
    low, high = (end[:, axes].ravel() for end in reach)
    here = np.clip(x[:, axes].ravel(), low, high)
    with np.errstate(invalid="ignore"):
        step = np.nan_to_num(trust * (high - low), nan=np.inf, posinf=np.inf)
    ends = np.maximum(low, here - step), np.minimum(high, here + step)

    def judged(x: Array) -> tuple[float, float, Array]:
        Y = task.regressor.stacked(*task.states(x, task.coarse))
        return max(SLACK, -float(task.room(x, cuts).min())), judge.exact(Y), x

    best = judged(x)

    def whole(z: Array) -> Array:
        full = task.centre.copy()
        full[:, axes] = z.reshape(-1, len(axes))
        return full

    def objective(z: Array) -> tuple[float, Array]:
        value, slope = task.objective(whole(z), lambda Y: judge.smooth(Y, power))
        return value, slope[:, axes].ravel()

    def iterated(z: Array) -> None:
        nonlocal best
        found = judged(whole(z))
        if found[:2] < best[:2]:
            best = found
        told(condition(task.regressor.stacked(*task.states(found[2], task.coarse))))

    minimize(
        objective,
        here,
        jac=True,
        bounds=list(zip(*ends, strict=True)),
        method="SLSQP",
        constraints={
            "type": "ineq",
            "fun": lambda z: task.room(whole(z), cuts),
            "jac": lambda z: task.room_slope(whole(z), cuts)[:, :, axes].reshape(-1, z.size),
        },
        options={"maxiter": iterations, "ftol": SETTLED},
        callback=iterated,
    )
    return best[2]


def freed(task: Task, x: Array, iterations: int, criterion: str, told: Told) -> Array | None:
    """Return a motion near to this one that touches nothing and stays in the box, verified.

    None if no way was found.

    A motion through a link cannot be pushed out of it: where it enters it is pushed back, where it
    leaves on, and it stays. So it is made smaller until it is free, and then grows along what it
    comes near to, each step verified [Schulman et al. 2014, whose steps go from the other side].
    """
    inside = task.kept(x)
    if inside is None or task.limiting.free(task.fine.q @ x):
        return inside
    value, trust = task.value(inside, criterion), TRUST
    cuts = task.limiting.cuts(task.times, task.fine.q @ inside)
    for _ in range(ROUNDS):
        moved = solved(
            task, inside, POWERS[-1], min(iterations, PER_ROUND), criterion, told, cuts, trust
        )
        moved = task.scaled(moved - task.centre, task.fine, most=1.0)
        there = task.value(moved, criterion)
        gain = value - there
        if gain <= 0.0 or not task.limiting.free(task.fine.q @ moved):
            trust *= TIGHTER
            continue
        inside, value, trust = moved, there, trust * WIDER
        if gain < GAIN * abs(value):
            break
        cuts = task.limiting.cuts(task.times, task.fine.q @ inside)
    return inside
