"""One step of :mod:`..plant` for a block of states, in loops over states that become SIMD code.

Which axes stick and slip is guessed, solved for, and checked. The guess is that most axes go on as
they did: those that move in their direction, those that stand sticking, those at a stop in contact
with it. There is exactly one solution (:mod:`..stiction`): one that passes every check is it,
wherever the guess came from.

- An axis at the stop of its own range sticks with any force that the stop can exert, beside its
  friction.
- Axis i at a stop of ``q_i - f q_j`` moves with axis j, ``x_i = f x_j``: it is eliminated from the
  equations, and adds its inertia, load and friction to those of j. Where both stand, some force of
  the stop must let the friction of both hold them.
"""

from __future__ import annotations

import math
from math import exp

import numpy as np

from ...model.types import Array
from ..mechanics import CONTACT
from .states import STICK, UNCOUPLED, UNSUPPORTED, BatchStops, States, Work


def row_values(rows: Array, i: int, x: Array, start: int, size: int, result: Array) -> None:
    """Write row ``i`` of ``A x`` of ``size`` states from ``start`` to ``result``."""
    for s in range(size):
        result[s] = 0.0
    for j in range(len(x)):
        factor, xj = rows[i, j], x[j, start : start + size]
        for s in range(size if factor != 0.0 else 0):
            result[s] += factor * xj[s]


def guess_slip(
    start: int, size: int, states: States, stops: BatchStops, dt: float, work: Work
) -> bool:
    """Set up the equations of ``size`` states from ``start``, guess which axes stick and slip.

    Returns:
        True if any is near a stop.
    """
    r, b, slip, wrong = work.r, work.b, work.slip, work.wrong
    stop, n = start + size, len(r)
    place, near = np.zeros(size), np.zeros(size)
    for s in range(size):
        wrong[s] = 0.0
    for i in range(n):
        vi, tau, h = states.v[i, start:stop], states.tau[i, start:stop], states.h[i, start:stop]
        Fc, drop = states.law[0, i, start:stop], states.law[1, i, start:stop]
        exponent, ri, bi, wi = states.law[2, i, start:stop], r[i], b[i], slip[i]
        for s in range(size):
            ri[s] = dt * (tau[s] - h[s])
            bi[s] = dt * (Fc[s] + drop[s] * exp(exponent[s] * vi[s] * vi[s]))
            # as LOW, HIGH, STILL
            wi[s] = -1.0 if vi[s] > 0.0 or bi[s] == 0.0 else 1.0 if vi[s] < 0.0 else 0.0
        for j in range(n):
            Mij, vj = states.M[i, j, start:stop], states.v[j, start:stop]
            for s in range(size):
                ri[s] += Mij[s] * vj[s]
    for i in range(n):
        # one for rounding
        lower, upper = stops.ends[i] + 2.0 * CONTACT, -stops.ends[n + i] - 2.0 * CONTACT
        if lower == -np.inf and upper == np.inf:
            continue
        row_values(stops.rows, i, states.q, start, size, place)
        for s in range(size):
            near[s] += 0.0 if lower < place[s] < upper else 1.0
    return bool(near.any())


def guess_contacts(start: int, size: int, states: States, stops: BatchStops, work: Work) -> None:
    """Determine which stops of a block are touched, guess which axes move together."""
    b, slip, low, high = work.b, work.slip, work.low_stop, work.high_stop
    tied, wrong, stop, n = work.tied, work.wrong, start + size, len(work.b)
    place, rate = np.zeros(size), np.zeros(size)
    for i in range(n):
        lower, upper, other = stops.ends[i], -stops.ends[n + i], stops.other[i]
        wi, lo, hi, ti = slip[i], low[i], high[i], tied[i]
        row_values(stops.rows, i, states.q, start, size, place)
        row_values(stops.rows, i, states.v, start, size, rate)
        for s in range(size):
            ti[s] = 0.0
            lo[s] = np.inf if place[s] - lower <= CONTACT and rate[s] <= CONTACT else 0.0
            hi[s] = np.inf if upper - place[s] <= CONTACT and rate[s] >= -CONTACT else 0.0
            touched = lo[s] + hi[s] > 0.0
            wrong[s] += 1.0 if touched and other == UNSUPPORTED else 0.0
            wi[s] = 0.0 if touched and other == UNCOUPLED else wi[s]
    for i in range(n):
        j = stops.other[i]
        if j < 0:
            continue
        bi, bj, wi, wj, lo, hi, ti = b[i], b[j], slip[i], slip[j], low[i], high[i], tied[i]
        vj = states.v[j, start:stop]
        for s in range(size):
            touched = lo[s] + hi[s] > 0.0
            moving = abs(vj[s]) > CONTACT or bi[s] + bj[s] == 0.0
            together = wi[s] != 0.0 and wj[s] != 0.0 and moving
            ti[s] = stops.factor[i] if touched and together else 0.0
            wi[s] = 0.0 if touched and not together else wi[s]
            wj[s] = 0.0 if touched and not together else wj[s]


def solve_block(
    start: int, size: int, states: States, stops: BatchStops, dt: float, near: bool, work: Work
) -> None:
    """Solve for the speeds of a block, as guessed, by Cholesky factors without the axes that stand.

    Where no state is ``near`` a stop the arrays of stops are neither written nor read.
    """
    r, b, slip, tied, L, x, scale = work.r, work.b, work.slip, work.tied, work.L, work.x, work.scale
    stop, n = start + size, len(x)
    for i in range(n):
        xi, ri, bi, wi, Lii, Fv = x[i], r[i], b[i], slip[i], L[i, i], states.law[3, i, start:stop]
        for j in range(i + 1):
            Mij, Lij = states.M[i, j, start:stop], L[i, j]
            for s in range(size):
                Lij[s] = Mij[s]
        for s in range(size):
            xi[s] = ri[s] + wi[s] * bi[s]
            Lii[s] += dt * Fv[s]
    for i in range(n):
        j = stops.other[i]
        if j < 0 or not near:
            continue
        xi, xj, ti, Lii, Ljj, Lij = x[i], x[j], tied[i], L[i, i], L[j, j], L[max(i, j), min(i, j)]
        for s in range(size):
            xj[s] += ti[s] * xi[s]
            Ljj[s] += ti[s] * (2.0 * Lij[s] + ti[s] * Lii[s])
        for k in range(n):
            Lik, Ljk = L[max(i, k), min(i, k)], L[max(j, k), min(j, k)]
            for s in range(size if k != j else 0):
                Ljk[s] += ti[s] * Lik[s]
    for i in range(n):
        xi, wi, si, ti, Lii = x[i], slip[i], scale[i], tied[i], L[i, i]
        for j in range(i):
            Lij, xj, sj = L[i, j], x[j], scale[j]
            for k in range(j):
                Lik, Ljk = L[i, k], L[j, k]
                for s in range(size):
                    Lij[s] -= Lik[s] * Ljk[s]
            for s in range(size):
                e = Lij[s] * sj[s]
                Lij[s] = e
                Lii[s] -= e * e
                xi[s] -= e * xj[s]
        for s in range(size):
            si[s] = (1.0 if wi[s] != 0.0 else 0.0) / math.sqrt(Lii[s])  # 0 leaves an axis out
        for s in range(size if near else 0):
            si[s] = si[s] if ti[s] == 0.0 else 0.0
        for s in range(size):
            xi[s] *= si[s]
    for i in range(n - 1, -1, -1):
        xi, si = x[i], scale[i]
        for j in range(i + 1, n):
            Lji, xj = L[j, i], x[j]
            for s in range(size):
                xi[s] -= Lji[s] * xj[s]
        for s in range(size):
            xi[s] *= si[s]
    for i in range(n):
        if stops.other[i] >= 0 and near:
            xi, xj, ti = x[i], x[stops.other[i]], tied[i]
            for s in range(size):
                xi[s] += ti[s] * xj[s]


def check_slip(
    start: int,
    size: int,
    states: States,
    stops: BatchStops,
    dt: float,
    max_move: float,
    near: bool,
    work: Work,
) -> None:
    """Mark states of a block that were guessed wrongly, and write the positions at the end."""
    r, b, slip, x, q_end, wrong = work.r, work.b, work.slip, work.x, work.q_end, work.wrong
    stop, n = start + size, len(x)
    for i in range(n):
        xi, ri, bi, wi, end = x[i], r[i], b[i], slip[i], q_end[i]
        qi, vi, Fv = states.q[i, start:stop], states.v[i, start:stop], states.law[3, i, start:stop]
        for j in range(n):
            Mij, xj = states.M[i, j, start:stop], x[j]
            for s in range(size):
                ri[s] -= Mij[s] * xj[s]
        for s in range(size):
            ri[s] -= dt * Fv[s] * xi[s]
            reversed_ = wi[s] * xi[s] > 0.0 and bi[s] != 0.0
            leaves = wi[s] == 0.0 and abs(ri[s]) > bi[s] * STICK and not near
            wrong[s] += 1.0 if reversed_ or leaves or not abs(dt * xi[s]) <= max_move else 0.0
            end[s] = qi[s] + 0.5 * dt * (vi[s] + xi[s])
    place = np.zeros(size)
    for i in range(n):
        lower, upper = stops.ends[i], -stops.ends[n + i]
        if near or (lower == -np.inf and upper == np.inf):
            continue
        row_values(stops.rows, i, q_end, 0, size, place)
        for s in range(size):
            wrong[s] += 1.0 if place[s] < lower or place[s] > upper else 0.0


def check_contacts(size: int, stops: BatchStops, work: Work) -> None:
    """Mark states whose friction and stops cannot exert the guess, and put axes on their stops."""
    r, b, slip, low, high, tied = (
        work.r,
        work.b,
        work.slip,
        work.low_stop,
        work.high_stop,
        work.tied,
    )
    q_end, wrong, n = work.q_end, work.wrong, len(work.r)
    for i in range(n):
        j, ri, bi, wi, lo, hi, ti = stops.other[i], r[i], b[i], slip[i], low[i], high[i], tied[i]
        if not stops.shared[i]:
            for s in range(size):
                leaves = ri[s] > bi[s] * STICK + hi[s] or -ri[s] > bi[s] * STICK + lo[s]
                wrong[s] += 1.0 if wi[s] == 0.0 and leaves else 0.0
        if j < 0:
            continue
        f, rj, bj, wj, loj, hij = stops.factor[i], r[j], b[j], slip[j], low[j], high[j]
        for s in range(size):  # bounds of the stop's impulse on axis i; -f times it acts on axis j
            most, least = lo[s], -hi[s]
            if wi[s] == 0.0:
                most, least = min(most, bi[s] * STICK - ri[s]), max(least, -bi[s] * STICK - ri[s])
            if wj[s] == 0.0:
                one, two = (
                    (rj[s] + bj[s] * STICK + loj[s]) / f,
                    (rj[s] - bj[s] * STICK - hij[s]) / f,
                )
                most, least = min(most, max(one, two)), max(least, min(one, two))
            needed = -ri[s] - wi[s] * bi[s]
            pulls = not -hi[s] <= needed <= lo[s]
            wrong[s] += 1.0 if (pulls if ti[s] != 0.0 else least > most) else 0.0
    place = np.zeros(size)
    for i in range(n):
        lower, upper, lo, hi = stops.ends[i], -stops.ends[n + i], low[i], high[i]
        row_values(stops.rows, i, q_end, 0, size, place)
        for s in range(size):
            touched = lo[s] + hi[s] > 0.0
            wrong[s] += 1.0 if not touched and (place[s] < lower or place[s] > upper) else 0.0
            place[s] = lower - place[s] if lo[s] > 0.0 else upper - place[s] if hi[s] > 0.0 else 0.0
        for j in range(n):
            factor, end = stops.inverse[j, i], q_end[j]
            for s in range(size if factor != 0.0 else 0):
                end[s] += factor * place[s]
