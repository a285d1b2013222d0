"""Violations of bounds along a path, as segments of time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ...model.limits import ROUNDING, Violation
from ...model.types import Array, IntArray, Mask

MOST = 10_000  # findings that are kept; a noisy file has a new one every few samples


class Finding(NamedTuple):
    """One segment of a path on which one bound is not kept, or one move that cannot be made."""

    kind: str
    """``load``, ``range``, ``speed``, ``acceleration``, ``torque``, ``rms torque``, ``box``.

    ``collision`` is one of the robot with itself. Of a program ``reach``, ``configuration``,
    ``jump``; nearness to a singularity is ``wrist``, ``elbow`` or ``shoulder``.
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
    """True if the bound itself is only assumed."""
    text: str = ""
    """Description in place of the numbers."""

    def __str__(self) -> str:
        """Return line, times, quantity and amount as text."""
        line = "" if self.line is None else f"line {self.line}, "
        until = "" if self.end == self.start else f" .. {self.end:.4g}"
        return f"{line}t = {self.start:.4g}{until} s: {self.what}"

    @property
    def what(self) -> str:
        """The violated bound and the worst value, in the controller's degrees and millimetres."""
        if self.text:
            return self.text
        if self.axis is not None:
            bounds = self.value, self.lower, self.upper, self.unit
            return str(Violation(self.axis, self.quantity, *bounds, self.assumed))
        low, high = (f"{1000.0 * bound:.6g}" for bound in (self.lower, self.upper))
        return f"{self.quantity} = {1000.0 * self.value:.6g} mm is outside {low} .. {high} mm"


def overload_finding(
    row: Violation, start: float, end: float, line: int | None = None, name: str = ""
) -> Finding:
    """Return a bound that tool and payload do not keep, from a time to another.

    Those of a program have a name, and the line of the first move that carries them.
    """
    bounds = row.value, row.lower, row.upper, row.unit
    return Finding(
        "load",
        start,
        end,
        line,
        start,
        row.axis,
        row.quantity,
        *bounds,
        assumed=row.assumed,
        text=f"{name}: {row}" if name else str(row),
    )


def rms_findings(
    rms: Array, rated: Array, linear: Mask, start: float, end: float
) -> Iterator[Finding]:
    """Yield the axes whose root mean square torque ``(n,)`` is above their rated torque."""
    for i in np.flatnonzero(rms > rated * (1.0 + ROUNDING)).tolist():
        quantity, unit = f"rms of tau{i + 1}", "N" if linear[i] else "N m"
        bounds = float(rms[i]), 0.0, float(rated[i]), unit
        yield Finding("rms torque", start, end, None, start, i + 1, quantity, *bounds)


class Criterion(NamedTuple):
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


def bounds_criterion(
    kind: str, axis: int | None, quantity: str, value: Array, bounds: tuple[float, float], unit: str
) -> Criterion:
    """Return the criterion that values ``(N,)`` keep two bounds."""
    excess = np.maximum(bounds[0] - value, value - bounds[1])
    return Criterion(kind, axis, quantity, value, excess, *bounds, unit)


class FindingCollector:
    """Collects findings piece by piece; one that goes on in the next piece stays one."""

    def __init__(self, tolerance: float, by_line: bool) -> None:
        """Begin without findings.

        Args:
            tolerance: Excess that still counts as kept.
            by_line: Whether a change of the line ends a finding.
        """
        self._tolerance, self._by_line = tolerance, by_line
        self._findings: list[Finding] = []
        self._excess: list[float] = []
        self._open: dict[tuple[str, int | None, str], int] = {}
        self.more = 0
        """Number of findings beyond those that are kept."""

    def add(self, criteria: Iterable[Criterion], t: Array, q: Array, lines: IntArray) -> None:
        """Take the criteria of the next samples."""
        still_open: dict[tuple[str, int | None, str], int] = {}
        for criterion in criteria:
            key = criterion.kind, criterion.axis, criterion.quantity
            bad = criterion.excess > self._tolerance
            for first, last in _runs(bad, lines if self._by_line else None):
                worst = first + int(np.argmax(criterion.excess[first : last + 1]))
                excess, line = float(criterion.excess[worst]), int(lines[first]) or None
                finding = Finding(
                    criterion.kind, float(t[first]), float(t[last]), line, float(t[worst]),
                    criterion.axis, criterion.quantity, float(criterion.value[worst]),
                    criterion.lower, criterion.upper, criterion.unit, q[worst].copy(),
                    criterion.assumed,
                )  # fmt: skip
                index = self._open.get(key) if first == 0 else None
                if index is not None and not (self._by_line and self._findings[index].line != line):
                    self._extend(index, finding, excess)
                elif len(self._findings) < MOST:
                    index = len(self._findings)
                    self._findings.append(finding)
                    self._excess.append(excess)
                else:
                    index, self.more = None, self.more + 1
                if last == len(t) - 1 and index is not None:
                    still_open[key] = index
        self._open = still_open

    def _extend(self, index: int, finding: Finding, excess: float) -> None:
        old = self._findings[index]
        self._findings[index] = old._replace(end=finding.end)
        if excess > self._excess[index]:
            self._excess[index] = excess
            self._findings[index] = finding._replace(start=old.start, line=old.line)

    def result(self) -> list[Finding]:
        """Return the findings in the order of time."""
        return sorted(self._findings, key=lambda finding: (finding.start, finding.axis or math.inf))


def _runs(bad: Mask, lines: IntArray | None) -> Iterator[tuple[int, int]]:
    """Yield first and last sample of each run, split where the line changes."""
    indices = np.flatnonzero(bad)
    breaks = np.diff(indices) > 1
    if lines is not None:
        breaks |= np.diff(lines[indices]) != 0
    for run in np.split(indices, np.flatnonzero(breaks) + 1):
        if run.size:
            yield int(run[0]), int(run[-1])
