"""One step of :mod:`.plant` for a block of states: guessed, solved and checked in loops over states that become SIMD code.

The guess is that most axes go on as they did: those that move in their direction, those that stand
holding, those at a stop leaning on it. There is exactly one solution (:mod:`.stiction`): one that
passes every check is it, wherever the guess came from.

- An axis at the stop of its own range holds with any force that the stop can exert, beside its
  friction.
- Axis i at a stop of ``q_i - f q_j`` moves with axis j, ``x_i = f x_j``: it is left out of the
  equations, and adds its inertia, load and friction to those of j. Where both stand, some force of
  the stop must let the friction of both hold them.
"""

from __future__ import annotations

import math
from math import exp

import numpy as np

from ..mechanics import CONTACT
from .states import HELD, ODD, OWN, States, Walls, Work


def guessed(start: int, size: int, states: States, walls: Walls, dt: float, work: Work) -> bool:
    """Write down the equations of ``size`` states from ``start``, and which axes hold and slip.

    Say whether any is at a stop.
    """
    r, b, way, wrong = work.r, work.b, work.way, work.wrong
    stop, n = start + size, len(r)
    place, near = np.zeros(size), np.zeros(size)
    for s in range(size):
        wrong[s] = 0.0
    for i in range(n):
        vi, load, weight = (
            states.v[i, start:stop],
            states.tau[i, start:stop],
            states.h[i, start:stop],
        )
        Fc, drop, steepness = (
            states.law[0, i, start:stop],
            states.law[1, i, start:stop],
            states.law[2, i, start:stop],
        )
        ri, bi, wi = r[i], b[i], way[i]
        for s in range(size):
            ri[s] = dt * (load[s] - weight[s])
            bi[s] = dt * (Fc[s] + drop[s] * exp(steepness[s] * vi[s] * vi[s]))
            # as LOW, HIGH, STILL
            wi[s] = -1.0 if vi[s] > 0.0 or bi[s] == 0.0 else 1.0 if vi[s] < 0.0 else 0.0
        for j in range(n):
            Mij, vj = states.M[i, j, start:stop], states.v[j, start:stop]
            for s in range(size):
                ri[s] += Mij[s] * vj[s]
    for i in range(n):
        # one for rounding
        lower, upper = walls.ends[i] + 2.0 * CONTACT, -walls.ends[n + i] - 2.0 * CONTACT
        if lower == -np.inf and upper == np.inf:
            continue
        for s in range(size):
            place[s] = 0.0
        for j in range(n):
            share, qj = walls.rows[i, j], states.q[j, start:stop]
            for s in range(size if share != 0.0 else 0):
                place[s] += share * qj[s]
        for s in range(size):
            near[s] += 0.0 if lower < place[s] < upper else 1.0
    return bool(near.any())


def leaning(start: int, size: int, states: States, walls: Walls, work: Work) -> None:
    """Write down which axes of a block lean, and which move together."""
    b, way, up, down, tied, wrong = work.b, work.way, work.up, work.down, work.tied, work.wrong
    stop, n = start + size, len(b)
    place, rate = np.zeros(size), np.zeros(size)
    for i in range(n):
        lower, upper, other = walls.ends[i], -walls.ends[n + i], walls.other[i]
        wi, ui, di, ti = way[i], up[i], down[i], tied[i]
        for s in range(size):
            place[s], rate[s], ti[s] = 0.0, 0.0, 0.0
        for j in range(n):
            share, qj, vj = walls.rows[i, j], states.q[j, start:stop], states.v[j, start:stop]
            for s in range(size if share != 0.0 else 0):
                place[s] += share * qj[s]
                rate[s] += share * vj[s]
        for s in range(size):
            ui[s] = np.inf if place[s] - lower <= CONTACT and rate[s] <= CONTACT else 0.0
            di[s] = np.inf if upper - place[s] <= CONTACT and rate[s] >= -CONTACT else 0.0
            leans = ui[s] + di[s] > 0.0
            wrong[s] += 1.0 if leans and other == ODD else 0.0
            wi[s] = 0.0 if leans and other == OWN else wi[s]
    for i in range(n):
        j = walls.other[i]
        if j < 0:
            continue
        bi, bj, wi, wj, ui, di, ti, vj = (
            b[i],
            b[j],
            way[i],
            way[j],
            up[i],
            down[i],
            tied[i],
            states.v[j, start:stop],
        )
        for s in range(size):
            leans = ui[s] + di[s] > 0.0
            together = (
                wi[s] != 0.0 and wj[s] != 0.0 and (abs(vj[s]) > CONTACT or bi[s] + bj[s] == 0.0)
            )
            ti[s] = walls.factor[i] if leans and together else 0.0
            wi[s] = 0.0 if leans and not together else wi[s]
            wj[s] = 0.0 if leans and not together else wj[s]


def solved(
    start: int, size: int, states: States, walls: Walls, dt: float, near: bool, work: Work
) -> None:
    """Solve for the speeds of a block, as guessed, by Cholesky factors from which axes that stand are left out.

    Where no state is ``near`` a stop nothing is written down of them, nor looked at.
    """
    r, b, way, tied, L, x, scale = work.r, work.b, work.way, work.tied, work.L, work.x, work.scale
    stop, n = start + size, len(x)
    for i in range(n):
        xi, ri, bi, wi, Lii, Fv = x[i], r[i], b[i], way[i], L[i, i], states.law[3, i, start:stop]
        for j in range(i + 1):
            Mij, Lij = states.M[i, j, start:stop], L[i, j]
            for s in range(size):
                Lij[s] = Mij[s]
        for s in range(size):
            xi[s] = ri[s] + wi[s] * bi[s]
            Lii[s] += dt * Fv[s]
    for i in range(n):
        j = walls.other[i]
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
        xi, wi, si, ti, Lii = x[i], way[i], scale[i], tied[i], L[i, i]
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
        if walls.other[i] >= 0 and near:
            xi, xj, ti = x[i], x[walls.other[i]], tied[i]
            for s in range(size):
                xi[s] += ti[s] * xj[s]


def checked(
    start: int,
    size: int,
    states: States,
    walls: Walls,
    dt: float,
    farthest: float,
    near: bool,
    work: Work,
) -> None:
    """Say where a block was guessed wrongly, and write down the positions at the end of the step."""
    r, b, way, x, ahead, wrong = work.r, work.b, work.way, work.x, work.ahead, work.wrong
    stop, n = start + size, len(x)
    for i in range(n):
        xi, ri, bi, wi, ai = x[i], r[i], b[i], way[i], ahead[i]
        qi, vi, Fv = states.q[i, start:stop], states.v[i, start:stop], states.law[3, i, start:stop]
        for j in range(n):
            Mij, xj = states.M[i, j, start:stop], x[j]
            for s in range(size):
                ri[s] -= Mij[s] * xj[s]
        for s in range(size):
            ri[s] -= dt * Fv[s] * xi[s]
            turned = wi[s] * xi[s] > 0.0 and bi[s] != 0.0
            leaves = wi[s] == 0.0 and abs(ri[s]) > bi[s] * HELD and not near
            wrong[s] += 1.0 if turned or leaves or not abs(dt * xi[s]) <= farthest else 0.0
            ai[s] = qi[s] + 0.5 * dt * (vi[s] + xi[s])
    entry = np.zeros(size)
    for i in range(n):
        lower, upper = walls.ends[i], -walls.ends[n + i]
        if near or (lower == -np.inf and upper == np.inf):
            continue
        for s in range(size):
            entry[s] = 0.0
        for j in range(n):
            share, aj = walls.rows[i, j], ahead[j]
            for s in range(size if share != 0.0 else 0):
                entry[s] += share * aj[s]
        for s in range(size):
            wrong[s] += 1.0 if entry[s] < lower or entry[s] > upper else 0.0


def borne(size: int, walls: Walls, work: Work) -> None:
    """Say where friction and stops of a block cannot exert what was guessed, and put what leans exactly on its stop."""
    r, b, way, up, down, tied = work.r, work.b, work.way, work.up, work.down, work.tied
    ahead, wrong, n = work.ahead, work.wrong, len(work.r)
    for i in range(n):
        j, ri, bi, wi, ui, di, ti = walls.other[i], r[i], b[i], way[i], up[i], down[i], tied[i]
        if not walls.shared[i]:
            for s in range(size):
                leaves = ri[s] > bi[s] * HELD + di[s] or -ri[s] > bi[s] * HELD + ui[s]
                wrong[s] += 1.0 if wi[s] == 0.0 and leaves else 0.0
        if j < 0:
            continue
        f, rj, bj, wj, uj, dj = walls.factor[i], r[j], b[j], way[j], up[j], down[j]
        for s in range(size):  # what the stop exerts on axis i, and -f times on axis j
            most, least = ui[s], -di[s]
            if wi[s] == 0.0:
                most, least = min(most, bi[s] * HELD - ri[s]), max(least, -bi[s] * HELD - ri[s])
            if wj[s] == 0.0:
                one, two = (rj[s] + bj[s] * HELD + uj[s]) / f, (rj[s] - bj[s] * HELD - dj[s]) / f
                most, least = min(most, max(one, two)), max(least, min(one, two))
            needed = -ri[s] - wi[s] * bi[s]
            pulls = not -di[s] <= needed <= ui[s]
            wrong[s] += 1.0 if (pulls if ti[s] != 0.0 else least > most) else 0.0
    entry = np.zeros(size)
    for i in range(n):
        lower, upper, ui, di = walls.ends[i], -walls.ends[n + i], up[i], down[i]
        for s in range(size):
            entry[s] = 0.0
        for j in range(n):
            share, aj = walls.rows[i, j], ahead[j]
            for s in range(size if share != 0.0 else 0):
                entry[s] += share * aj[s]
        for s in range(size):
            leans = ui[s] + di[s] > 0.0
            wrong[s] += 1.0 if not leans and (entry[s] < lower or entry[s] > upper) else 0.0
            entry[s] = lower - entry[s] if ui[s] > 0.0 else upper - entry[s] if di[s] > 0.0 else 0.0
        for j in range(n):
            share, aj = walls.inverse[j, i], ahead[j]
            for s in range(size if share != 0.0 else 0):  # what leans is exactly at its stop
                aj[s] += share * entry[s]
