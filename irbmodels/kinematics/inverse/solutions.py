"""Solutions of the inverse kinematics: postures of one pose as a sequence, of many as arrays."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple, overload

import numpy as np

from ...errors import NoSolution
from ...model.limits import Limits
from ...model.types import Array, Mask, Vector
from ..arm_geometry import Arm
from ..configuration import UNSURE, Configuration, configuration_of
from ..seven_axis import HeldAxis
from .closed_form import ELBOW, INSIDE, MERGED, SHOULDER, WRIST


class Flags(NamedTuple):
    """Singularities that a posture is on, within 1e-12 rad or m: bool, or arrays of it."""

    wrist: Any
    """Axes 4 and 6 are in line: axis 4 is free, and kept as in ``near``, else 0."""
    elbow: Any
    """The arm is stretched or folded: both postures of the elbow are one.

    Where it folds to a point, axis 2 is kept too.
    """
    shoulder: Any
    """The wrist centre is on axis 1, which is free, and kept as in ``near``, else 0.

    Front and back are one.
    """
    merged: Any
    """Two postures of an arm without a spherical wrist are one, within 1e-6 rad or so.

    Its singularities are surfaces that belong to no part of it; nothing is free there.
    """

    def __str__(self) -> str:
        """Name those that are set."""
        return ", ".join(name for name, flag in zip(self._fields, self, strict=True) if flag)


@dataclass(slots=True, eq=False, repr=False)
class Solution:
    """One posture."""

    _arm: Arm | HeldAxis
    q: Vector
    """Axis positions [rad, m], shape ``(n,)``."""
    _bits: int
    distance: float | None
    """From the seed: root of the summed squares of the axes' times [s] at their rated speeds."""
    programmed: bool = False
    """True if it has the configuration of the robtarget; False for a pose, which has none."""

    @property
    def configuration(self) -> Configuration:
        """ABB's confdata.

        Raises:
            MissingData: if the arm has seven axes.
        """
        return configuration_of(self._arm, self.q)

    @property
    def flags(self) -> Flags:
        """Singularities it is on."""
        return flags_of(self._bits)

    @property
    def in_range(self) -> bool:
        """True if every range is kept, the coupled one of axis 3 included."""
        return bool(self._bits & INSIDE)

    def __repr__(self) -> str:
        """Show it in SI units."""
        on = f", on the {self.flags} singularity" if any(self.flags) else ""
        named = "" if isinstance(self._arm, HeldAxis) else f" {self.configuration}"
        return (
            f"<Solution q={np.round(self.q, 6).tolist()}"
            f"{named}{on}{'' if self.in_range else ', out of range'}>"
        )


class Branches(NamedTuple):
    """All branches of an array of poses, each in its own slot."""

    q: Array
    """``(..., 8, 6)``, of a SCARA ``(..., 2, 4)`` [rad, m].

    NaN where a pose has no solution in a slot.
    """
    valid: Mask
    """``(..., slots)``."""
    flags: Flags
    """Arrays ``(..., slots)``."""
    in_range: Mask
    """``(..., slots)``."""
    missing: Array
    """``(...)`` [m]: distance of the pose beyond reach, 0 where it is within.

    inf where a SCARA's tool would have to lean.
    """


@dataclass(slots=True, eq=False, repr=False)
class Solutions(Sequence[Solution]):
    """The postures of one pose, nearest to the seed first, those that a robtarget programs before.

    Printed, they are a table in degrees and mm. Where there is none, :attr:`note` says why, and so
    does the error of ``[0]``.
    """

    _arm: Arm | HeldAxis
    _limits: Limits
    q: Array
    """Axis positions [rad, m], shape ``(k, n)``."""
    _bits: Any
    missing: float
    """Distance of the pose beyond reach [m]."""
    note: str
    distances: Array | None
    """From the seed, shape ``(k,)``; see :attr:`Solution.distance`."""
    programmed: int = 0
    """Number of those, from the first on, that have the configuration of the robtarget."""

    def __len__(self) -> int:
        """Return their number."""
        return len(self.q)

    @overload
    def __getitem__(self, index: int) -> Solution: ...

    @overload
    def __getitem__(self, index: slice) -> list[Solution]: ...

    def __getitem__(self, index: int | slice) -> Solution | list[Solution]:
        """Return one solution, or several.

        Raises:
            NoSolution: if there is none of that number; where there is none at all, it says why.
        """
        count = len(self)
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(count))]
        if not -count <= index < count:
            raise NoSolution(
                f"there is no solution {index}, but 0 to {count - 1}"
                if count
                else f"no solution: {self.note}"
            )
        distance = None if self.distances is None else float(self.distances[index])
        return Solution(
            self._arm,
            self.q[index],
            int(self._bits[index]),
            distance,
            index % count < self.programmed,
        )

    def __iter__(self) -> Iterator[Solution]:
        """Run over all, in order."""
        distances = [None] * len(self.q) if self.distances is None else self.distances.tolist()
        programmed = [k < self.programmed for k in range(len(self.q))]
        return map(
            Solution,
            itertools.repeat(self._arm),
            self.q,
            self._bits.tolist(),
            distances,
            programmed,
        )

    def __repr__(self) -> str:
        """Show their number, or why there is none."""
        return f"<{len(self)} solutions{': ' if self.note else ''}{self.note}>"

    def __str__(self) -> str:
        """Return a table of the postures, and below it the ranges that they exceed."""
        if not len(self):
            return f"no solution: {self.note}"
        heads, rows, below = self.table()
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in (heads, *rows)
        ]
        return "\n".join([*(line.rstrip() for line in lines), *below])

    def _repr_html_(self) -> str:
        """Return the same table for a notebook."""
        if not len(self):
            return f"<p>{escape(str(self))}</p>"
        heads, rows, below = self.table()
        lines = [("th", heads), *(("td", row) for row in rows)]
        table = "".join(
            f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in line)}</tr>"
            for tag, line in lines
        )
        return f"<table>{table}</table><p>{'<br>'.join(map(escape, below))}</p>"

    def table(self) -> tuple[list[str], list[list[str]], list[str]]:
        """Return heads, a row of text per posture in degrees and mm, and notes for below."""
        linear = self._limits.linear
        seeded = ["distance s"] if self.distances is not None else []
        heads = [
            "",
            *(f"q{i} {'mm' if slides else 'deg'}" for i, slides in enumerate(linear.tolist(), 1)),
        ]
        configured = not isinstance(self._arm, HeldAxis)
        heads += [*(["cf1,cf4,cf6,cfx"] if configured else []), "singular", "range", *seeded]
        below = [self.note] if self.note else []
        if self.programmed:
            below = ["; ".join(["* as programmed", *below])]
        rows = []
        for number, one in enumerate(self, 1):
            shown = np.where(linear, 1000.0 * one.q, np.degrees(one.q)).round(4) + 0.0
            state = "inside" if one.in_range else "OUTSIDE"
            distance = [] if one.distance is None else [f"{one.distance:.4f}"]
            mark = f"{'*' if one.programmed else ''}{number}"
            cells = [f"{value:.4f}" for value in shown.tolist()]
            cells += [str(one.configuration)] if configured else []
            rows.append([mark, *cells, str(one.flags), state, *distance])
            if not one.in_range:
                below.append(f"{number}: {broken_ranges(self._limits, one.q)}")
        if configured and any(not one.configuration.sure for one in self):
            below.append(UNSURE)
        return heads, rows, below


def broken_ranges(limits: Limits, q: Array) -> str:
    """Return the ranges that a posture does not keep, in degrees and mm."""
    parts = []
    for one in limits.violations(q):
        factor, unit = (1000.0, "mm") if one.unit == "m" else (math.degrees(1.0), "deg")
        value, low, high = (factor * number for number in (one.value, one.lower, one.upper))
        beyond = max(low - value, value - high)
        digits = min(max(1, 1 - math.floor(math.log10(beyond))), 9)  # that tell it from the bound
        parts.append(f"{one.quantity} = {value:.{digits}f} not in {low:.6g} .. {high:.6g} {unit}")
    return "; ".join(parts)


def flags_of(bits: Any) -> Flags:
    """Return the singularities in the bits of one solution, or of arrays."""
    return Flags(*((bits & bit) != 0 for bit in (WRIST, ELBOW, SHOULDER, MERGED)))
