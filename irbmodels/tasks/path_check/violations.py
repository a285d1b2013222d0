"""What a path does not keep, as stretches of time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ...model.limits import Violation
from ...model.types import Array, IntArray, Mask

MOST = 10_000  # findings that are kept; a noisy file has a new one every few samples


class Finding(NamedTuple):
    """One stretch of a path on which one bound is not kept, or one move that cannot be made."""

    kind: str
    """``load``, ``range``, ``speed``, ``acceleration``, ``torque``, ``box``, ``collision``.

    Of a program ``reach``, ``configuration``, ``jump``; nearness to a singularity is ``wrist``,
    ``elbow`` or ``shoulder``.
    """
    start: float
    """Time of its first sample [s]."""
    end: float
    """Time of its last sample [s]."""
    line: int | None
    """Of the program, or row of the file, 1-based; None for a motion made in code."""
    time: float
    """Of its worst sample [s]."""
    axis: int | None
    """1-based, as on the controller; None for what is not an axis'."""
    quantity: str
    """``q3 - q2``, ``v4``, ``TCP z`` ..."""
    value: float
    """Of the worst sample, in SI units."""
    lower: float
    upper: float
    unit: str
    q: Array | None = None
    """Posture of the worst sample [rad, m]."""
    assumed: bool = False
    """Whether the bound itself is only assumed."""
    text: str = ""
    """What to say where the numbers do not say it."""

    def __str__(self) -> str:
        """Say when, where in the program, what and how much."""
        times = (
            f"t = {self.start:.4g} s"
            if self.end == self.start
            else f"t = {self.start:.4g} .. {self.end:.4g} s"
        )
        line = "" if self.line is None else f"line {self.line}, "
        return f"{line}{times}: {self.what}"

    @property
    def what(self) -> str:
        """What is not kept, and by how much, in the controller's degrees and millimetres."""
        if self.text:
            return self.text
        if self.axis is not None:
            return str(
                Violation(
                    self.axis,
                    self.quantity,
                    self.value,
                    self.lower,
                    self.upper,
                    self.unit,
                    self.assumed,
                )
            )
        low, high = (f"{1000.0 * bound:.6g}" for bound in (self.lower, self.upper))
        return f"{self.quantity} = {1000.0 * self.value:.6g} mm is outside {low} .. {high} mm"


def overloaded(row: Violation, start: float, duration: float) -> Finding:
    """Return a bound on tool and payload that does not hold all along a path."""
    bounds = row.value, row.lower, row.upper, row.unit
    return Finding(
        "load",
        start,
        start + duration,
        None,
        start,
        row.axis,
        row.quantity,
        *bounds,
        assumed=row.assumed,
        text=str(row),
    )


class Watch(NamedTuple):
    """One bound along some samples."""

    kind: str
    axis: int | None
    quantity: str
    value: Array
    """``(N,)``"""
    excess: Array
    """``(N,)``: how far the value is beyond its bounds; positive where they are not kept."""
    lower: float
    upper: float
    unit: str
    assumed: bool = False


def outside(
    kind: str, axis: int | None, quantity: str, value: Array, bounds: tuple[float, float], unit: str
) -> Watch:
    """Return what watches that values ``(N,)`` keep two bounds."""
    lower, upper = (float(bound) for bound in bounds)
    return Watch(
        kind, axis, quantity, value, np.maximum(lower - value, value - upper), lower, upper, unit
    )


class Stretches:
    """Collects findings piece by piece; one that goes on in the next piece stays one."""

    def __init__(self, tolerance: float, by_line: bool) -> None:
        """Begin.

        ``tolerance`` is what a bound may be exceeded by; ``by_line`` parts a stretch where the line
        changes.
        """
        self._tolerance, self._by_line = tolerance, by_line
        self._found: list[Finding] = []
        self._worst: list[float] = []
        self._open: dict[tuple[str, int | None, str], int] = {}
        self.more = 0
        """How many were too many to be kept."""

    def add(self, watches: Iterable[Watch], t: Array, q: Array, lines: IntArray | None) -> None:
        """Take the watches of the next samples."""
        still: dict[tuple[str, int | None, str], int] = {}
        for watch in watches:
            key = watch.kind, watch.axis, watch.quantity
            for first, last in _runs(
                watch.excess > self._tolerance, lines if self._by_line else None
            ):
                worst = first + int(np.argmax(watch.excess[first : last + 1]))
                line = None if lines is None else int(lines[first])
                one = Finding(
                    watch.kind, float(t[first]), float(t[last]), line, float(t[worst]), watch.axis, watch.quantity,
                    float(watch.value[worst]), watch.lower, watch.upper, watch.unit, q[worst].copy(), watch.assumed,
                )  # fmt: skip
                number = self._open.get(key) if first == 0 else None
                if number is not None and (not self._by_line or self._found[number].line == line):
                    self._lengthen(number, one, float(watch.excess[worst]))
                elif len(self._found) < MOST:
                    number = len(self._found)
                    self._found.append(one)
                    self._worst.append(float(watch.excess[worst]))
                else:
                    number, self.more = None, self.more + 1
                if last == len(t) - 1 and number is not None:
                    still[key] = number
        self._open = still

    def _lengthen(self, number: int, one: Finding, worst: float) -> None:
        old = self._found[number]
        if worst > self._worst[number]:
            self._worst[number] = worst
            self._found[number] = one._replace(start=old.start, line=old.line)
        else:
            self._found[number] = old._replace(end=one.end)

    def result(self) -> list[Finding]:
        """Return what was found, in the order of time."""
        return sorted(self._found, key=lambda one: (one.start, one.axis or math.inf))


def _runs(bad: Mask, lines: IntArray | None) -> Iterator[tuple[int, int]]:
    """Yield first and last sample of each run, parted where the line changes."""
    places = np.flatnonzero(bad)
    if not len(places):
        return
    breaks = np.diff(places) > 1
    if lines is not None:
        breaks |= np.diff(lines[places]) != 0
    ends = np.flatnonzero(breaks)
    yield from zip(
        places[np.append(0, ends + 1)].tolist(),
        places[np.append(ends, len(places) - 1)].tolist(),
        strict=True,
    )
