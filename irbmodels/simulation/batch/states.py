"""What the machine code of :mod:`.batch` works on: arrays over many states, and the ends of the ranges as it has them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model.types import Array, IntArray
from ..mechanics import Stops

OWN, ODD = -1, -2
"""Of :attr:`Walls.other`: a range of one axis.

One that is neither of one axis nor of two that no other coupled range has.
"""

HELD = 1.0 + 1e-12  # of the largest friction: what still holds


class States(NamedTuple):
    """States of N arms of n axes, and what a step needs to know of each."""

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


class Walls(NamedTuple):
    """Ends of the ranges of ``A q``: ``A q > lower``, ``-A q > -upper``."""

    rows: Array
    """``A`` and ``-A``, ``(2 n, n)``."""
    ends: Array
    """Their values at the ends, ``(2 n,)``."""
    inverse: Array
    """Inverse of ``A``, ``(n, n)``."""
    other: IntArray
    """Axis j of a range of ``q_i - f q_j``, else OWN or ODD, ``(n,)``."""
    factor: Array
    """That ``f``, ``(n,)``."""
    shared: IntArray
    """1 for axes that are i or j of such a range, ``(n,)``."""


class Work(NamedTuple):
    """Work space for a block of B states; ``(n, B)`` where nothing else is said."""

    r: Array
    """Momentum and impulse of the load; then what friction and stops have to exert against."""
    b: Array
    """Largest impulse of dry friction."""
    way: Array
    """Its direction: -1 for an axis that moves up, 1 down, 0 where it holds."""
    up: Array
    """Largest impulse of the lower stop of a range: infinity where it is touched, else 0."""
    down: Array
    """The same of the upper stop."""
    tied: Array
    """``f`` where axis i moves with axis j of its range, else 0."""
    L: Array
    """Matrices, then their Cholesky factors, ``(n, n, B)``."""
    scale: Array
    """Inverse of the diagonals; 0 leaves an axis out."""
    x: Array
    """Speeds at the end of the step."""
    ahead: Array
    """Positions there."""
    wrong: Array
    """More than 0 where the guess was wrong, ``(B,)``."""


def walls_of(stops: Stops) -> Walls:
    """Return the ends of the ranges as machine code takes them, and which of them couple two axes."""
    A, n = stops.A, len(stops.A)
    places = [np.flatnonzero(row) for row in A]
    pairs = [
        (i, int(where[where != i][0]))
        for i, where in enumerate(places)
        if len(where) == 2 and A[i, i] == 1.0
    ]
    often = np.bincount(np.ravel(pairs).astype(int), minlength=n)
    other, factor, shared = (
        np.where((np.eye(n) == A).all(axis=1), OWN, ODD),
        np.zeros(n),
        np.zeros(n, np.int64),
    )
    for i, j in pairs:
        if often[i] == 1 and often[j] == 1:
            other[i], factor[i], shared[i], shared[j] = j, -A[i, j], 1, 1
    return Walls(
        stops.rows, stops.ends, np.array(np.linalg.inv(A), dtype=float), other, factor, shared
    )
