"""One step of :mod:`.plant` for one state of a batch, written so that numba turns it into machine code.

Where no stop is met the least-index pivoting of :mod:`.stiction` runs on the matrix itself instead of its inverse: axes that hold
are left out of a Cholesky factor, of which one is mostly enough.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .stiction import HIGH, LOW, STILL, Modes, balance

Array = NDArray[np.float64]


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


def slide(A: Array, r: Array, b: Array, modes: Modes, x: Array, L: Array) -> None:
    """Solve ``A x = r - b Sgn(x)``; ``modes`` holds a guess, ``L`` is work space, the result goes into ``x``."""
    n = len(r)
    for _ in range(3**n):
        for i in range(n):
            if modes[i] == STILL:
                L[i, i] = 0.0  # the inverse of the diagonal is kept; an axis that is left out has none
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
            if b[i] == 0.0:
                continue
            if modes[i] == STILL:
                needed = r[i]
                for j in range(n):
                    needed -= A[i, j] * x[j]
                if abs(needed) > b[i] * (1.0 + 1e-12):
                    modes[i], done = LOW if needed > 0.0 else HIGH, False
            elif modes[i] * x[i] > 0.0:
                modes[i], done = STILL, False
            if not done:
                break
        if done:
            break


def step_one(
    s: int,
    M: Array,
    h: Array,
    tau: Array,
    q: Array,
    v: Array,
    law: Array,
    rows: Array,
    inverse: Array,
    dt: float,
    farthest: float,
) -> bool:
    """Move state ``s`` by one step, whatever holds, slips or leans, and say whether the step was small enough."""
    n = len(q)
    A, L = np.zeros((n, n)), np.zeros((n, n))
    r, b, x, ahead, modes = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, np.int8)
    touched = np.zeros(2 * n, np.bool_)
    for i in range(n):
        speed, total = v[i, s], 0.0
        for j in range(n):
            total += M[i, j, s] * v[j, s]
            A[i, j] = M[i, j, s]
        A[i, i] += dt * law[3, i, s]
        r[i] = total + dt * (tau[i, s] - h[i, s])
        b[i] = dt * (law[0, i, s] + law[1, i, s] * math.exp(law[2, i, s] * speed * speed))
        modes[i] = LOW if speed > 0.0 or b[i] == 0.0 else HIGH if speed < 0.0 else STILL
    slide(A, r, b, modes, x, L)
    met = 0
    while True:
        more = 0
        for i in range(n):
            ahead[i] = q[i, s] + 0.5 * dt * (v[i, s] + x[i])
            if not abs(dt * x[i]) <= farthest:
                return False
        for k in range(2 * n):
            gap = -rows[k, n]
            for i in range(n):
                gap += rows[k, i] * ahead[i]
            if gap < 0.0 and not touched[k]:
                touched[k] = True
                more += 1
        if more == 0:
            break
        met += more
        D, state, place = np.zeros((met, n)), np.zeros(n + met, np.int8), 0
        for i in range(n):
            state[i] = modes[i]
        for k in range(2 * n):
            if touched[k]:
                for i in range(n):
                    D[place, i] = rows[k, i]
                place += 1
        found = balance(A, r, b, D, state)[0]
        for i in range(n):
            x[i] = found[i]
    for k in range(2 * n if met else 0):  # put back what the step took through a stop
        gap = -rows[k, n]
        for i in range(n):
            gap += rows[k, i] * ahead[i]
        if gap < 0.0:
            for i in range(n):
                ahead[i] -= inverse[i, k % n] * gap if k < n else -inverse[i, k % n] * gap
    for i in range(n):
        q[i, s], v[i, s] = ahead[i], x[i]
    return True
