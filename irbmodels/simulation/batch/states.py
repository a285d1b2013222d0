"""Arrays over many states, and hard stops, in the form that the machine code of a batch takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model.types import Array, IntArray
from ..mechanics import Stops

UNCOUPLED, UNSUPPORTED = -1, -2
"""Of :attr:`BatchStops.other`: a range of one axis; one of more axes, or of axes coupled twice."""

STICK = 1.0 + 1e-12  # of the largest friction, up to which an axis sticks


class States(NamedTuple):
    """States of N arms of n axes, and the terms of their equations of motion."""

    M: Array
    """Mass matrices in the middle of the step, ``(n, n, N)``."""
    h: Array
    """Coriolis and gravity torques there, ``(n, N)``."""
    tau: Array
    """Motor torques, ``(n, N)``."""
    q: Array
    """Positions, changed in place, ``(n, N)``."""
    v: Array
    """Speeds, changed in place, ``(n, N)``."""
    law: Array
    """Fc, Fs - Fc, ``-1 / v_St^2`` and Fv, ``(4, n, N)``."""


class BatchStops(NamedTuple):
    """Hard stops: ``A q > lower``, ``-A q > -upper``."""

    rows: Array
    """``A`` and ``-A``, ``(2 n, n)``."""
    ends: Array
    """Their values at the ends, ``(2 n,)``."""
    inverse: Array
    """Inverse of ``A``, ``(n, n)``."""
    other: IntArray
    """Axis j of a range of ``q_i - f q_j``, else UNCOUPLED or UNSUPPORTED, ``(n,)``."""
    factor: Array
    """That ``f``, ``(n,)``."""
    shared: IntArray
    """1 for axes that are i or j of such a range, ``(n,)``."""


class Work(NamedTuple):
    """Work space for a block of B states, ``(n, B)`` unless stated."""

    r: Array
    """Momentum and impulse of the load; then the impulse that friction and stops balance."""
    b: Array
    """Largest impulse of dry friction."""
    slip: Array
    """Its direction: -1 for an axis that moves up, 1 down, 0 where it sticks."""
    low_stop: Array
    """Largest impulse of the lower stop of a range: infinity where it is touched, else 0."""
    high_stop: Array
    """The same of the upper stop."""
    tied: Array
    """``f`` where axis i moves with axis j of its range, else 0."""
    L: Array
    """Matrices, then their Cholesky factors, ``(n, n, B)``."""
    scale: Array
    """Inverse of the diagonals; 0 leaves an axis out."""
    x: Array
    """Speeds at the end of the step."""
    q_end: Array
    """Positions there."""
    wrong: Array
    """More than 0 where the guess was wrong, ``(B,)``."""


def batch_stops(stops: Stops) -> BatchStops:
    """Return stops in the form of the machine code, with the pairs of axes that ranges couple."""
    A, n = stops.A, len(stops.A)
    axes = [np.flatnonzero(row) for row in A]
    pairs = [
        (i, int(pair[pair != i][0]))
        for i, pair in enumerate(axes)
        if len(pair) == 2 and A[i, i] == 1.0
    ]
    counts = np.bincount(np.ravel(pairs).astype(int), minlength=n)
    other = np.where((np.eye(n) == A).all(axis=1), UNCOUPLED, UNSUPPORTED)
    factor, shared = np.zeros(n), np.zeros(n, np.int64)
    for i, j in pairs:
        if counts[i] == 1 and counts[j] == 1:
            other[i], factor[i], shared[[i, j]] = j, -A[i, j], 1
    inverse: Array = np.asarray(np.linalg.inv(A), dtype=float)
    return BatchStops(stops.rows, stops.ends, inverse, other, factor, shared)
