"""Structure of hard stops: which ends there are, and which axes a range couples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..mechanics import Stops

UNCOUPLED, UNSUPPORTED = -1, -2
"""Of :attr:`Ranges.other`: a range of one axis; one of more axes, or of axes coupled twice."""


class Ranges(NamedTuple):
    """Structure of the stops of ``A q``; their places are data."""

    A: tuple[tuple[float, ...], ...]
    """One row per axis, then those of bounded sums, ``(m, n)``."""
    inverse: tuple[tuple[float, ...], ...]
    """Of the first ``n`` rows."""
    lower: tuple[bool, ...]
    """True for each row with a lower end."""
    upper: tuple[bool, ...]
    other: tuple[int, ...]
    """Axis j of a range of ``q_i - f q_j``, else UNCOUPLED or UNSUPPORTED; of sums UNSUPPORTED."""

    @staticmethod
    def of(stops: Stops) -> Ranges:
        """Return the structure of stops, with the pairs of axes that ranges couple."""
        n = stops.A.shape[1]
        A, lower, upper = stops.A[:n], np.isfinite(stops.lower), np.isfinite(stops.upper)
        free = ~(lower | upper)[:n]
        axes = [np.flatnonzero(row) for row in np.where(free[:, None], np.eye(n), A)]
        pairs = [
            (i, int(pair[pair != i][0]))
            for i, pair in enumerate(axes)
            if len(pair) == 2 and A[i, i] == 1.0
        ]
        counts = np.bincount(np.ravel(pairs).astype(int), minlength=n)
        single = (np.eye(n) == A).all(axis=1) | free
        other = np.where(single, UNCOUPLED, UNSUPPORTED)
        for i, j in pairs:
            if counts[i] == 1 and counts[j] == 1:
                other[i] = j
        inverse = np.linalg.inv(A).tolist()
        other = np.pad(other, (0, len(stops.A) - n), constant_values=UNSUPPORTED)
        return Ranges(
            tuple(map(tuple, stops.A.tolist())),
            tuple(map(tuple, inverse)),
            tuple(lower.tolist()),
            tuple(upper.tolist()),
            tuple(other.tolist()),
        )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Axes i and j of each range of ``q_i - f q_j``."""
        return [(i, j) for i, j in enumerate(self.other) if j >= 0]

    def factor(self, i: int) -> float:
        """Return f of a range of ``q_i - f q_j``."""
        return -self.A[i][self.other[i]]
