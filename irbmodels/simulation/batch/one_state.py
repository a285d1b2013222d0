"""One step of :mod:`.plant` for one state of a batch, written so that numba turns it into machine code.

Where no stop is met the least-index pivoting of :mod:`.stiction` runs on the matrix itself instead
of its inverse: axes that hold are left out of a Cholesky factor, of which one is mostly enough.
"""

from __future__ import annotations

import math

import numpy as np

from ...model.types import Array, Mask
from ..mechanics import CONTACT
from ..stiction import HIGH, LOW, STILL, ActiveSet, balance
from .states import HELD, ODD, OWN, States, Walls


def solve(K: Array, right: Array) -> Array:
    """Return ``K^-1 right`` for a small positive definite ``K``, in place of NumPy's, which calls LAPACK."""
    n, m = right.shape
    left, x = K.copy(), right.copy()
    for i in range(n):
        inverse = 1.0 / left[i, i]
        for j in range(i + 1, n):
            factor = left[j, i] * inverse
            if factor != 0.0:
                for k in range(i, n):
                    left[j, k] -= factor * left[i, k]
                for k in range(m):
                    x[j, k] -= factor * x[i, k]
    for i in range(n - 1, -1, -1):
        inverse = 1.0 / left[i, i]
        for k in range(m):
            total = x[i, k]
            for j in range(i + 1, n):
                total -= left[i, j] * x[j, k]
            x[i, k] = total * inverse
    return x


def moved(W: Array, force: Array, w: Array) -> Array:
    """Return ``W force + w``."""
    result = w.copy()
    for i in range(len(w)):
        for j in range(len(force)):
            result[i] += W[i, j] * force[j]
    return result


def slide(
    A: Array, r: Array, b: Array, up: Array, down: Array, modes: ActiveSet, x: Array, L: Array
) -> None:
    """Solve ``A x = r - b Sgn(x) + up - down``, where stops of single axes may exert ``up`` and ``down``.

    Args:
        A: Symmetric positive definite matrix, shape ``(n, n)``.
        r: Right-hand side, shape ``(n,)``.
        b: Largest dry friction, shape ``(n,)``.
        up: Infinity where an axis is at its lower stop, which moves up or not at all; else 0, shape
            ``(n,)``.
        down: The same of upper stops.
        modes: Where to start, changed in place; STILL or away from the stop for an axis that is at
            one.
        x: Gets the result, shape ``(n,)``.
        L: Work space, shape ``(n, n)``.
    """
    n = len(r)
    for _ in range(3**n):
        for i in range(n):
            if modes[i] == STILL:
                # the inverse of the diagonal is kept; an axis that is left out has none
                L[i, i] = 0.0
                for j in range(i):
                    L[i, j] = 0.0
                x[i] = 0.0
                continue
            right, diagonal = r[i] + modes[i] * b[i], A[i, i]
            for j in range(i):
                entry = A[i, j]
                for k in range(j):
                    entry -= L[i, k] * L[j, k]
                entry *= L[j, j]
                L[i, j] = entry
                diagonal -= entry * entry
                right -= entry * x[j]
            L[i, i] = 1.0 / math.sqrt(diagonal)
            x[i] = right * L[i, i]
        for i in range(n - 1, -1, -1):
            entry = x[i]
            for j in range(i + 1, n):
                entry -= L[j, i] * x[j]
            x[i] = entry * L[i, i]
        done = True
        for i in range(n):
            if b[i] + up[i] + down[i] == 0.0:
                continue
            if modes[i] == STILL:
                needed = r[i]
                for j in range(n):
                    needed -= A[i, j] * x[j]
                if needed > b[i] * HELD + down[i]:
                    modes[i], done = LOW, False
                elif -needed > b[i] * HELD + up[i]:
                    modes[i], done = HIGH, False
            elif modes[i] * x[i] > 0.0:
                modes[i], done = STILL, False
            if not done:
                break
        if done:
            break


def lean(
    A: Array, r: Array, b: Array, touched: Mask, walls: Walls, modes: ActiveSet, x: Array, L: Array
) -> bool:
    """Solve as :func:`slide` with the stops that are touched, ``(2 n,)``.

    False where they are more than it can solve for.

    Where the solution without the stop of a range of ``q_i - f q_j`` goes through it, that with it
    lies on it: both axes move together, with their inertia, load and friction added up.
    """
    n, pair = len(r), -1
    up, down = np.zeros(n), np.zeros(n)
    for i in range(n):
        low, high = touched[i], touched[n + i]
        if walls.other[i] == OWN:
            up[i], down[i] = np.inf if low else 0.0, np.inf if high else 0.0
            if (low and modes[i] == HIGH) or (high and modes[i] == LOW):
                modes[i] = STILL
        elif low or high:
            if walls.other[i] == ODD or pair >= 0:
                return False
            pair = i
    for i in range(n):
        # nothing holds it, whatever did in the last round
        if modes[i] == STILL and b[i] + up[i] + down[i] == 0.0:
            modes[i] = LOW
    slide(A, r, b, up, down, modes, x, L)
    if pair < 0:
        return True
    i, j, f = pair, walls.other[pair], walls.factor[pair]
    rate = x[i] - f * x[j]
    if not (touched[i] and rate < 0.0) and not (touched[n + i] and rate > 0.0):
        return True
    B, right, bound = A.copy(), r.copy(), b.copy()
    B[j] += f * A[i]
    B[:, j] += f * A[:, i]
    B[j, j] += f * f * A[i, i]
    right[j] += f * r[i]
    bound[j] += abs(f) * b[i]
    bound[i], modes[i] = np.inf, STILL
    slide(B, right, bound, up, down, modes, x, L)
    x[i] = f * x[j]
    return True


def step_one(s: int, states: States, walls: Walls, dt: float, farthest: float) -> bool:
    """Move state ``s`` by one step, whatever holds, slips or leans, and say whether the step was small enough."""
    M, q, v, law, rows = states.M, states.q, states.v, states.law, walls.rows
    n = len(q)
    A, L = np.zeros((n, n)), np.zeros((n, n))
    r, b, x, ahead, modes = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, np.int8)
    touched, met = np.zeros(2 * n, np.bool_), 0
    for i in range(n):
        speed, total = v[i, s], 0.0
        for j in range(n):
            total += M[i, j, s] * v[j, s]
            A[i, j] = M[i, j, s]
        A[i, i] += dt * law[3, i, s]
        r[i] = total + dt * (states.tau[i, s] - states.h[i, s])
        b[i] = dt * (law[0, i, s] + law[1, i, s] * math.exp(law[2, i, s] * speed * speed))
        modes[i] = LOW if speed > 0.0 or b[i] == 0.0 else HIGH if speed < 0.0 else STILL
    for k in range(2 * n):
        gap, rate = -walls.ends[k], 0.0
        for i in range(n):
            gap += rows[k, i] * q[i, s]
            rate += rows[k, i] * v[i, s]
        touched[k] = gap <= CONTACT and rate <= CONTACT
        met += touched[k]
    while True:
        if not lean(A, r, b, touched, walls, modes, x, L):
            D, state, place = np.zeros((met, n)), np.zeros(n + met, np.int8), 0
            state[:n] = modes
            for k in range(2 * n):
                if touched[k]:
                    D[place] = rows[k]
                    place += 1
            x = balance(A, r, b, D, state)[0]
        for i in range(n):
            ahead[i] = q[i, s] + 0.5 * dt * (v[i, s] + x[i])
            if not abs(dt * x[i]) <= farthest:
                return False
        more = 0
        for k in range(2 * n):
            gap = -walls.ends[k]
            for i in range(n):
                gap += rows[k, i] * ahead[i]
            if gap < 0.0 and not touched[k]:
                touched[k] = True
                more += 1
        if more == 0:
            break
        met += more
    for k in range(2 * n):
        gap, rate = -walls.ends[k], 0.0
        for i in range(n):
            gap += rows[k, i] * ahead[i]
            rate += rows[k, i] * x[i]
        # at its stop: the step would have gone through
        if touched[k] and (gap < 0.0 or rate <= CONTACT):
            for i in range(n):
                ahead[i] -= (
                    walls.inverse[i, k % n] * gap if k < n else -walls.inverse[i, k % n] * gap
                )
    for i in range(n):
        q[i, s], v[i, s] = ahead[i], x[i]
    return True
