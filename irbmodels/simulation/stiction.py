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


solve = np.linalg.solve


def row_motion(W: Array, force: Array, w: Array) -> Array:
    """Return ``W force + w``."""
    result: Array = W @ force + w
    return result


def pivot_forces(W: Array, w: Array, low: Array, high: Array, state: ActiveSet) -> Array:
    """Return forces within bounds that agree with the motion ``W force + w`` they cause.

    A force at its lower bound lets its row move up, at its upper bound down, between the bounds not
    at all. Rows whose bounds are equal stay as they are. It runs as machine code too
    (:mod:`.batch`), with other ``solve`` and ``row_motion``.

    Args:
        W: Motion per force, symmetric and positive definite, shape ``(m, m)``.
        w: Motion without forces, shape ``(m,)``.
        low: Lower bounds, finite, shape ``(m,)``.
        high: Upper bounds, shape ``(m,)``.
        state: Initial guess, LOW, STILL or HIGH per row; changed in place.
    """
    m = len(w)
    force, K, right = np.zeros(m), np.zeros((m, m)), np.zeros((m, 1))
    for _ in range(3**m):  # more states there are not
        for i in range(m):
            force[i] = low[i] if state[i] == LOW else high[i] if state[i] == HIGH else 0.0
        at_bounds = row_motion(W, force, w)
        for i in range(m):
            right[i, 0] = -at_bounds[i] if state[i] == STILL else force[i]
            for j in range(m):
                K[i, j] = (
                    W[i, j] if state[i] == STILL and state[j] == STILL else 1.0 if i == j else 0.0
                )
        solution = solve(K, right)
        for i in range(m):
            force[i] = solution[i, 0]
        motion = row_motion(W, force, w)
        slack, margin = 0.0, 0.0
        for i in range(m):
            slack = max(slack, _ROUNDING * abs(w[i]))
            margin = max(margin, _ROUNDING * abs(force[i]))
        done = True
        for i in range(m):
            if low[i] == high[i]:
                continue
            if (state[i] == LOW and motion[i] < -slack) or (state[i] == HIGH and motion[i] > slack):
                state[i], done = STILL, False
            elif state[i] == STILL and force[i] > high[i] + margin:
                state[i], done = HIGH, False
            elif state[i] == STILL and force[i] < low[i] - margin:
                state[i], done = LOW, False
            if not done:
                break
        if done:
            break
    return force


def solve_contacts(M: Array, r: Array, b: Array, D: Array, state: ActiveSet) -> tuple[Array, Array]:
    """Return ``x`` and forces of :func:`solve_stiction`; the guess ``state`` is changed in place.

    It runs as machine code too.
    """
    n, k = len(r), len(D)
    m = n + k
    right = np.zeros((n, m + 1))
    for i in range(n):
        right[i, i], right[i, m] = 1.0, r[i]
        for j in range(k):
            right[i, n + j] = D[j, i]
    by_axis = solve(M, right)  # motion of each axis per force, and without
    W, w, softened, shifted = np.zeros((m, m)), np.zeros(m), np.zeros((m, m)), np.zeros(m)
    for i in range(m):
        for j in range(m + 1):
            entry = by_axis[i, j] if i < n else 0.0
            for axis in range(n if i >= n else 0):
                entry += D[i - n, axis] * by_axis[axis, j]
            if j < m:
                W[i, j] = softened[i, j] = entry
            else:
                w[i] = shifted[i] = entry
    low, high, force, x = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(n)
    for i in range(n):
        low[i], high[i] = -b[i], b[i]
        if b[i] == 0.0:
            state[i] = LOW
    for i in range(n, m):
        high[i] = np.inf
        softened[i, i] *= 1.0 + _COMPLIANCE
    for _ in range(_ROUNDS if k else 1):
        for i in range(n, m):
            shifted[i] = w[i] - _COMPLIANCE * W[i, i] * force[i]
        before = force
        force = pivot_forces(softened, shifted, low, high, state)
        change, largest = 0.0, 0.0
        for i in range(m):
            change = max(change, abs(force[i] - before[i]))
            largest = max(largest, abs(force[i]))
        if change <= 1e-12 * largest:
            break
    motion = row_motion(W, force, w)
    for i in range(n):
        if state[i] != STILL:
            x[i] = motion[i]
    for _ in range(k):  # an axis that a stop holds alone rests exactly; one may only after another
        for i in range(n, m):
            moving, last = 0, 0
            for axis in range(n):
                if D[i - n, axis] * x[axis] != 0.0:
                    moving, last = moving + 1, axis
            if state[i] == STILL and moving == 1:
                x[last] = 0.0
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
