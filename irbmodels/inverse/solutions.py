"""What the inverse kinematics answers: the postures of one pose as a sequence, those of many poses as arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..arms import Scara, SixAxis
from ..configuration import Configuration, configuration_of
from .branches import ELBOW, INSIDE, SHOULDER, WRIST

Array = NDArray[np.float64]


class Flags(NamedTuple):
    """Singularities that a posture is on, within 1e-12 rad or m: bool, or arrays of it."""

    wrist: Any
    """Axes 4 and 6 are in line: axis 4 is free, and kept as in ``near``, else 0."""
    elbow: Any
    """The arm is stretched or folded: both postures of the elbow are one. Where it folds to a point, axis 2 is kept too."""
    shoulder: Any
    """The wrist centre is on axis 1, which is free, and kept as in ``near``, else 0; front and back are one."""

    def __str__(self) -> str:
        """Name those that are set."""
        return ", ".join(name for name, flag in zip(self._fields, self, strict=True) if flag)


class Solution:
    """One posture."""

    __slots__ = ("_arm", "_bits", "distance", "q")

    def __init__(self, arm: SixAxis | Scara, q: Array, bits: int, distance: float | None) -> None:
        """Keep what is known; the rest is worked out when it is asked for."""
        self._arm, self._bits = arm, bits
        self.q = q
        """Axis positions [rad, m], shape ``(n,)``."""
        self.distance = distance
        """From the seed: root of the summed squares of the times [s] that the axes need at their rated speeds."""

    @property
    def configuration(self) -> Configuration:
        """ABB's confdata."""
        return configuration_of(self._arm, self.q)

    @property
    def flags(self) -> Flags:
        """Singularities it is on."""
        return flags_of(self._bits)

    @property
    def in_range(self) -> bool:
        """Whether every range is kept, the coupled one of axis 3 included."""
        return bool(self._bits & INSIDE)

    def __repr__(self) -> str:
        """Show it in SI units."""
        on = f", on the {self.flags} singularity" if any(self.flags) else ""
        return f"<Solution q={np.round(self.q, 6).tolist()} {self.configuration}{on}{'' if self.in_range else ', out of range'}>"


class Branches(NamedTuple):
    """All branches of an array of poses, each in its own slot."""

    q: Array
    """``(..., 8, 6)``, of a SCARA ``(..., 2, 4)`` [rad, m]; NaN where a pose has no solution in a slot."""
    valid: NDArray[np.bool_]
    """``(..., slots)``."""
    flags: Flags
    """Arrays ``(..., slots)``."""
    in_range: NDArray[np.bool_]
    """``(..., slots)``."""
    missing: Array
    """``(...)`` [m] how far the pose is beyond reach, 0 where it is not, inf where a SCARA's tool would have to lean."""


class Solutions(Sequence[Solution]):
    """The postures of one pose, nearest to the seed first; empty where there is none, and then :attr:`note` says why."""

    __slots__ = ("_arm", "_bits", "distances", "missing", "note", "q")

    def __init__(self, arm: SixAxis | Scara, q: Array, bits: Any, missing: float, note: str, distances: Array | None) -> None:
        """Keep arrays; solutions are made when they are asked for."""
        self._arm, self._bits = arm, bits
        self.q, self.missing, self.note, self.distances = q, missing, note, distances

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.q)

    @overload
    def __getitem__(self, index: int) -> Solution: ...

    @overload
    def __getitem__(self, index: slice) -> list[Solution]: ...

    def __getitem__(self, index: int | slice) -> Solution | list[Solution]:
        """Return one solution, or several."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        distance = None if self.distances is None else float(self.distances[index])
        return Solution(self._arm, self.q[index], int(self._bits[index]), distance)

    def __iter__(self) -> Iterator[Solution]:
        """Run over all, in order."""
        distances = [None] * len(self.q) if self.distances is None else self.distances.tolist()
        return map(Solution, itertools.repeat(self._arm), self.q, self._bits.tolist(), distances)

    def __repr__(self) -> str:
        """Say how many there are, or why there is none."""
        return f"<{len(self)} solutions{': ' if self.note else ''}{self.note}>"


def flags_of(bits: Any) -> Flags:
    """Return which singularities bits tell, of one solution or of arrays."""
    return Flags((bits & WRIST) != 0, (bits & ELBOW) != 0, (bits & SHOULDER) != 0)
