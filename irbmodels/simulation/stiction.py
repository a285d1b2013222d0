"""Dry friction as a set-valued law: sticking and slipping axes and stops, solved all at once.

At zero speed an axis sticks as long as the torque it needs is within Fs; what it needs depends,
through M, on what the others do. With ``x`` the accelerations (or the speeds at the end of a step),
friction of at most ``b`` and stops ``D x >= 0``,

    M x = r - b Sgn(x) + D' k,    k >= 0,  k (D x) = 0

are the conditions of the smallest value of the strictly convex ``x' M x / 2 - r' x + b' |x|``
within the stops: there is exactly one ``x``. It is found by pivoting on the forces (Murty's least
index), which ends: as a function of one force the motion along its row grows, all others being
solved for, so that in each solution of the first k rows row k + 1 leaves each of its three states
(lower bound, motionless, upper bound) at most once [Judice and Pires 1994, Computers & Operations
Research 21].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.types import Array

ActiveSet = NDArray[np.int8]

# force at its lower bound; motion zero and force between; force at its upper bound
LOW, STILL, HIGH = -1, 0, 1
# compliance of a stop, of the diagonal; proximal rounds that undo it, mostly four
_COMPLIANCE, _ROUNDS = 1e-4, 200
_ROUNDING = 1e-13  # of the largest entry: what does not count as a violation


def pivot_forces(W: Array, w: Array, low: Array, high: Array, state: ActiveSet) -> Array:
    """Return forces within bounds that agree with the motion ``W force + w`` they cause.

    A force at its lower bound lets its row move up, at its upper bound down, between the bounds not
    at all. Rows whose bounds are equal stay as they are.

    Args:
        W: Motion per force, symmetric and positive definite, shape ``(m, m)``.
        w: Motion without forces, shape ``(m,)``.
        low: Lower bounds, finite, shape ``(m,)``.
        high: Upper bounds, shape ``(m,)``.
        state: Initial guess, LOW, STILL or HIGH per row; changed in place.
    """
    slack, free, force = _ROUNDING * np.abs(w).max(initial=0.0), low != high, low
    for _ in range(3 ** len(w)):  # more states there are not
        still = state == STILL
        rows = np.flatnonzero(still)
        force = np.where(still, 0.0, np.where(state == LOW, low, high))
        motion = W @ force + w
        if rows.size:
            force[rows] = np.linalg.solve(W[rows[:, None], rows], -motion[rows])
            motion = W @ force + w
        margin = _ROUNDING * np.abs(force).max(initial=0.0)
        beyond = (force > high + margin) | (force < low - margin)
        wrong = np.flatnonzero(np.where(still, beyond, state * motion > slack) & free)
        if not wrong.size:
            break
        row = wrong[0]
        state[row] = STILL if not still[row] else HIGH if force[row] > high[row] else LOW
    return force


def solve_contacts(M: Array, r: Array, b: Array, D: Array, state: ActiveSet) -> tuple[Array, Array]:
    """Return ``x`` and forces of :func:`solve_stiction`; ``state`` is changed in place."""
    n, k = len(r), len(D)
    m = n + k
    # motion of each axis, then of each stop, per force and without
    rows = np.concatenate([np.eye(n), D])
    by_row = rows @ np.linalg.solve(M, np.concatenate([rows.T, r[:, None]], axis=1))
    W, w = by_row[:, :m], by_row[:, m]
    low, high = np.concatenate([-b, np.zeros(k)]), np.concatenate([b, np.full(k, np.inf)])
    state[:n][b == 0.0] = LOW
    compliance = _COMPLIANCE * np.diag(W) * (np.arange(m) >= n)
    softened, force = W + np.diag(compliance), np.zeros(m)
    for _ in range(_ROUNDS if k else 1):
        before = force
        force = pivot_forces(softened, w - compliance * before, low, high, state)
        if np.abs(force - before).max() <= 1e-12 * np.abs(force).max():
            break
    x = np.where(state[:n] == STILL, 0.0, (W @ force + w)[:n])
    for _ in range(k):  # an axis that a stop holds alone rests exactly; one may only after another
        for row in D[state[n:] == STILL]:
            moving = np.flatnonzero(row * x)
            if moving.size == 1:
                x[moving] = 0.0
    return x, force


class StictionSolution(NamedTuple):
    """Motion and forces of axes with dry friction, within stops."""

    x: Array
    """Accelerations, or speeds at the end of a step, ``(n,)``; exactly 0 where an axis sticks."""
    friction: Array
    """Torque, or impulse, that dry friction exerts on each axis, shape ``(n,)``."""
    stop: Array
    """Force, or impulse, of each stop along its row of ``D``, shape ``(k,)``."""
    state: ActiveSet
    """Of each axis, then each stop: LOW for an axis that slips up, HIGH down, STILL sticks."""


def solve_stiction(
    M: Array, r: Array, b: Array, D: Array, guess: ActiveSet | None = None
) -> StictionSolution:
    """Solve ``M x = r - b Sgn(x) + D' k`` with ``D x >= 0``, ``k >= 0``, ``k (D x) = 0``.

    Where friction alone can hold what a stop would hold too, it does, and the stop has no part:
    their rows depend on each other, so that stops are solved for as the limit of compliant ones
    (proximal points [Rockafellar 1976, SIAM J. Control 14]).

    Args:
        M: Symmetric positive definite matrix, shape ``(n, n)``.
        r: Right-hand side, shape ``(n,)``.
        b: Largest dry friction per axis, shape ``(n,)``; 0 where there is none.
        D: Rows of the stops that are touched, shape ``(k, n)``; positive is off the stop.
        guess: Of the result's ``state``; default that everything sticks.
    """
    n = len(r)
    state = np.zeros(n + len(D), np.int8) if guess is None else guess.astype(np.int8)
    x, force = solve_contacts(M, r, b, D, state)
    return StictionSolution(x, force[:n], force[n:], state)
