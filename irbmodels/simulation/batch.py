"""One step of :mod:`.plant` for many states at once, as machine code.

Most axes go on as they did: those that move in their direction, those that stand holding. Blocks of states are solved with
that guess, in loops over states that are vectorised; states for which it is wrong, or that meet a stop, go one by one.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from functools import cache
from math import exp
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from ..errors import require
from . import stiction
from .one_step import moved, slide, solve, step_one
from .stiction import balance, settle

Array = NDArray[np.float64]

BLOCK = 64  # states whose factors stay in the first-level cache

_HEAD = """import math
import numpy as np
from numba import njit
Array = Modes = object
from irbmodels.compiled.elementary import exp
BLOCK = {BLOCK}
LOW, STILL, HIGH = {LOW}, {STILL}, {HIGH}
_GIVE, _ROUNDS, _ROUNDING = {_GIVE}, {_ROUNDS}, {_ROUNDING}
"""
_TYPES = {
    "moved": "f8[::1](f8[:, ::1], f8[::1], f8[::1])",
    "solve": "f8[:, ::1](f8[:, ::1], f8[:, ::1])",
    "settle": "f8[::1](f8[:, ::1], f8[::1], f8[::1], f8[::1], i1[::1])",
    "balance": "UniTuple(f8[::1], 2)(f8[:, ::1], f8[::1], f8[::1], f8[:, ::1], i1[::1])",
    "slide": "void(f8[:, ::1], f8[::1], f8[::1], i1[::1], f8[::1], f8[:, ::1])",
    "step_one": "b1(i8, f8[:, :, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, :, ::1], f8[:, ::1], f8[:, ::1], f8,"
    " f8)",
    "step_all": "void(f8[:, :, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, :, ::1], f8[:, ::1], f8[:, ::1], f8,"
    " f8, b1[::1])",
}


def step_all(
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
    bad: Array,
) -> None:
    """Move every state by one step, in place.

    Args:
        M: Mass matrices in the middle of the step, ``(n, n, N)``.
        h: Coriolis and gravity torques there, ``(n, N)``.
        tau: Motor torques, ``(n, N)``.
        q: Positions, changed in place, ``(n, N)``.
        v: Speeds, changed in place, ``(n, N)``.
        law: Fc, Fs - Fc, ``-1 / v_St^2`` and Fv, ``(4, n, N)``.
        rows: Rows of the stops, and their ends in the last column, ``(2 n, n + 1)``.
        inverse: Inverse of the upper half of the rows, ``(n, n)``.
        dt: Step [s].
        farthest: Largest move of an axis in a step.
        bad: States that are left alone; those whose step is too large are added, ``(N,)``.
    """
    n, count = q.shape
    L = np.zeros((n, n, BLOCK))
    r, b, x = np.zeros((n, BLOCK)), np.zeros((n, BLOCK)), np.zeros((n, BLOCK))
    ahead, way, scale = np.zeros((n, BLOCK)), np.zeros((n, BLOCK)), np.zeros((n, BLOCK))
    entry, diagonal, wrong = np.zeros(BLOCK), np.zeros(BLOCK), np.zeros(BLOCK)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        for s in range(size):
            wrong[s] = 0.0
        for i in range(n):
            speed, load, weight = v[i, start : start + size], tau[i, start : start + size], h[i, start : start + size]
            Fc, drop, steepness = (
                law[0, i, start : start + size],
                law[1, i, start : start + size],
                law[2, i, start : start + size],
            )
            ri, bi, wi = r[i], b[i], way[i]
            for s in range(size):
                ri[s] = dt * (load[s] - weight[s])
                bi[s] = dt * (Fc[s] + drop[s] * exp(steepness[s] * speed[s] * speed[s]))
                wi[s] = -1.0 if speed[s] > 0.0 or bi[s] == 0.0 else 1.0 if speed[s] < 0.0 else 0.0  # as LOW, HIGH, STILL
            for j in range(n):
                Mij, other = M[i, j, start : start + size], v[j, start : start + size]
                for s in range(size):
                    ri[s] += Mij[s] * other[s]
        for i in range(n):
            Mii, Fv, xi, ri, bi, wi, si = (
                M[i, i, start : start + size],
                law[3, i, start : start + size],
                x[i],
                r[i],
                b[i],
                way[i],
                scale[i],
            )
            for s in range(size):
                xi[s] = ri[s] + wi[s] * bi[s]
                diagonal[s] = Mii[s] + dt * Fv[s]
            for j in range(i):
                Mij, Lij, xj, sj = M[i, j, start : start + size], L[i, j], x[j], scale[j]
                for s in range(size):
                    entry[s] = Mij[s]
                for k in range(j):
                    Lik, Ljk = L[i, k], L[j, k]
                    for s in range(size):
                        entry[s] -= Lik[s] * Ljk[s]
                for s in range(size):
                    e = entry[s] * sj[s]
                    Lij[s] = e
                    diagonal[s] -= e * e
                    xi[s] -= e * xj[s]
            for s in range(size):
                si[s] = (1.0 if wi[s] != 0.0 else 0.0) / math.sqrt(diagonal[s])  # 0 leaves out an axis that holds
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
            xi, ri, bi, wi, ai = x[i], r[i], b[i], way[i], ahead[i]
            place, speed = q[i, start : start + size], v[i, start : start + size]
            for s in range(size):
                entry[s] = ri[s]
            for j in range(n):
                Mij, xj = M[i, j, start : start + size], x[j]
                for s in range(size):
                    entry[s] -= Mij[s] * xj[s]
            for s in range(size):
                turned = wi[s] * xi[s] > 0.0 and bi[s] != 0.0
                leaves = wi[s] == 0.0 and abs(entry[s]) > bi[s] * (1.0 + 1e-12)
                near = abs(dt * xi[s]) <= farthest
                wrong[s] += 1.0 if turned or leaves or not near else 0.0
                ai[s] = place[s] + 0.5 * dt * (speed[s] + xi[s])
        for i in range(n):
            lower, upper = rows[i, n], -rows[n + i, n]
            for s in range(size):
                entry[s] = 0.0
            for j in range(n):
                share, aj = rows[i, j], ahead[j]
                for s in range(size):
                    entry[s] += share * aj[s]
            for s in range(size):
                wrong[s] += 1.0 if entry[s] < lower or entry[s] > upper else 0.0
        for s in range(size):
            if bad[start + s]:
                continue
            if wrong[s] != 0.0:
                bad[start + s] = not step_one(start + s, M, h, tau, q, v, law, rows, inverse, dt, farthest)
                continue
            for i in range(n):
                q[i, start + s], v[i, start + s] = ahead[i, s], x[i, s]


@cache
def machine_code() -> ModuleType:
    """Return a module with :func:`step_all` as machine code, from the cache or compiled.

    Raises:
        MissingExtra: without casadi and numba.
    """
    for package in ("numba", "casadi"):
        require(package, "fast")
    from ..compiled.cache import kernel_module

    head = _HEAD.format(
        BLOCK=BLOCK,
        **{name: getattr(stiction, name) for name in ("LOW", "STILL", "HIGH", "_GIVE", "_ROUNDS", "_ROUNDING")},
    )
    written = [(function, inspect.getsource(function)) for function in (solve, moved, settle, balance, slide, step_one, step_all)]
    parts = [f'@njit("{_TYPES[f.__name__]}", cache=CACHE, nogil=True, error_model="numpy")\n{text}' for f, text in written]
    text = head + "\n\n".join(parts)
    key = hashlib.sha256(text.encode()).hexdigest()
    return kernel_module(f"simulation {key}", "steps of a batch", lambda: text)
