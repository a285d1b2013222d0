"""One step of :mod:`..plant` for one state of a batch, written for numba.

Where no stop of a coupled range is touched, the least-index pivoting of :mod:`..stiction` runs on
the matrix itself instead of its inverse: axes that stick are left out of a Cholesky factor, of
which one is mostly enough. Else it is the plant's solve, :func:`..stiction.solve_contacts`.
"""

from __future__ import annotations

import math

import numpy as np

from ...model.types import Array
from ..mechanics import CONTACT
from ..stiction import HIGH, LOW, STILL, ActiveSet, solve_contacts
from .states import STICK, UNCOUPLED, BatchStops, States


def solve(K: Array, right: Array) -> Array:
    """Return ``K^-1 right`` of a small positive definite ``K``, by elimination without pivoting."""
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


def row_motion(W: Array, force: Array, w: Array) -> Array:
    """Return ``W force + w``."""
    result = w.copy()
    for i in range(len(w)):
        for j in range(len(force)):
            result[i] += W[i, j] * force[j]
    return result


def pivot_speeds(
    A: Array, r: Array, b: Array, low: Array, high: Array, modes: ActiveSet, x: Array, L: Array
) -> None:
    """Solve ``A x = r - b Sgn(x) + low - high``, with impulses of stops of single axes.

    Args:
        A: Symmetric positive definite matrix, shape ``(n, n)``.
        r: Right-hand side, shape ``(n,)``.
        b: Largest dry friction, shape ``(n,)``.
        low: Infinity where an axis is at its lower stop, which moves up or not at all; else 0,
            shape ``(n,)``.
        high: The same of upper stops.
        modes: Initial guess, changed in place; STILL or away from the stop for an axis that is at
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
            if b[i] + low[i] + high[i] == 0.0:
                continue
            if modes[i] == STILL:
                needed = r[i]
                for j in range(n):
                    needed -= A[i, j] * x[j]
                if needed > b[i] * STICK + high[i]:
                    modes[i], done = LOW, False
                elif -needed > b[i] * STICK + low[i]:
                    modes[i], done = HIGH, False
            elif modes[i] * x[i] > 0.0:
                modes[i], done = STILL, False
            if not done:
                break
        if done:
            break


def step_one(s: int, states: States, stops: BatchStops, dt: float, max_move: float) -> bool:
    """Advance state ``s`` by one step; return False if an axis moves too far."""
    M, q, v, law, rows = states.M, states.q, states.v, states.law, stops.rows
    n = len(q)
    A, L = np.zeros((n, n)), np.zeros((n, n))
    r, b, x, q_end, modes = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, np.int8)
    low, high = np.zeros(n), np.zeros(n)
    touched = np.zeros(2 * n, np.bool_)
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
        gap, rate = -stops.ends[k], 0.0
        for i in range(n):
            gap += rows[k, i] * q[i, s]
            rate += rows[k, i] * v[i, s]
        touched[k] = gap <= CONTACT and rate <= CONTACT
    passed = True
    while passed:
        coupled = False
        for i in range(n):
            if stops.other[i] == UNCOUPLED:
                low[i], high[i] = np.inf if touched[i] else 0.0, np.inf if touched[n + i] else 0.0
                if (touched[i] and modes[i] == HIGH) or (touched[n + i] and modes[i] == LOW):
                    modes[i] = STILL
            else:
                coupled = coupled or touched[i] or touched[n + i]
        if coupled:
            D = rows[touched]
            state = np.zeros(n + len(D), np.int8)
            state[:n] = modes
            x = solve_contacts(A, r, b, D, state)[0]
        else:
            pivot_speeds(A, r, b, low, high, modes, x, L)
        for i in range(n):
            q_end[i] = q[i, s] + 0.5 * dt * (v[i, s] + x[i])
            if not abs(dt * x[i]) <= max_move:
                return False
        passed = False
        for k in range(2 * n):
            gap = -stops.ends[k]
            for i in range(n):
                gap += rows[k, i] * q_end[i]
            if gap < 0.0 and not touched[k]:
                touched[k], passed = True, True
    for k in range(2 * n):
        gap, rate = -stops.ends[k], 0.0
        for i in range(n):
            gap += rows[k, i] * q_end[i]
            rate += rows[k, i] * x[i]
        # at its stop: the step would have gone through
        if touched[k] and (gap < 0.0 or rate <= CONTACT):
            side = 1.0 if k < n else -1.0
            for i in range(n):
                q_end[i] -= side * stops.inverse[i, k % n] * gap
    for i in range(n):
        q[i, s], v[i, s] = q_end[i], x[i]
    return True
