"""Samples of a motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Motion(NamedTuple):
    """Samples of a motion in SI units: ``t`` ``(N,)``, the others ``(N, n)``; what is not known is None."""

    t: Array
    q: Array
    v: Array | None = None
    a: Array | None = None
    tau: Array | None = None

    def each(self, change: Callable[[Array], Array]) -> Motion:
        """Return the motion with one change made to every array that is there."""
        return Motion(change(self.t), change(self.q), *(None if x is None else change(x) for x in self[2:]))

    @staticmethod
    def joined(pieces: Sequence[Motion]) -> Motion:
        """Return pieces one after another; what one of them lacks, the whole lacks."""
        t, q = np.concatenate([piece.t for piece in pieces]), np.concatenate([piece.q for piece in pieces])
        rest = (_concatenated(column) for column in zip(*(piece[2:] for piece in pieces), strict=True))
        return Motion(t, q, *rest)


def _concatenated(column: Sequence[Array | None]) -> Array | None:
    known = [x for x in column if x is not None]
    return np.concatenate(known) if len(known) == len(column) else None
