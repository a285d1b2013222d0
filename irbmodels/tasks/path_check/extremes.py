"""Extremes along a path, piece by piece, and a selection of samples that keeps them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array, IntArray
from .samples import Samples

_TRACE = 4096  # samples kept for figures
_SHARES = ("used", "speed", "torque")
_SIGNED = ("v", "tau", "power", "total_power")
_SINGULARITIES = ("wrist", "elbow", "shoulder")


def _nearness(distance: Array) -> Array:
    return -np.abs(distance)


_PER_AXIS: dict[str, Callable[[Array], Array]] = {
    "margin": np.negative,
    "acceleration": np.positive,
    **dict.fromkeys(_SHARES, np.positive),
}
_SCALARS: dict[str, Callable[[Array], Array]] = {
    "smallest": np.negative,
    "manipulability": np.negative,
    "deflection": np.positive,
    **dict.fromkeys(_SINGULARITIES, _nearness),
}
"""Quantities of :class:`Samples`, each with the function whose largest value is the worst."""


class Extreme(NamedTuple):
    """The worst value of a quantity, per axis or one alone, and where it is."""

    value: Array
    time: Array
    """[s]"""
    line: IntArray
    """Of the program, or row of the file; 0 for a motion made in code."""


class PerLine(NamedTuple):
    """One move of a program: its worst values, over all axes."""

    line: int
    start: float
    end: float
    used: float
    """Share of a half range; more than 1 is outside."""
    used_axis: int
    """1-based"""
    speed: float
    speed_axis: int
    torque: float
    torque_axis: int
    wrist: float
    elbow: float
    shoulder: float


class Trace(NamedTuple):
    """Samples for figures. Where several became one, each column has the worst of them."""

    t: Array
    used: Array
    speed: Array
    torque: Array
    v: Array
    """Speeds [rad/s, m/s]."""
    tau: Array
    """Torques [N m, N], a cut's included."""
    power: Array
    """[W]"""
    total_power: Array
    wrist: Array
    elbow: Array
    shoulder: Array
    tcp: Array
    lines: IntArray


class Extremes:
    """Running extremes."""

    def __init__(self, drive_axes: Array, by_line: bool) -> None:
        """Begin for axes by their drives, ``robot.drive_axes``."""
        n, self._drive_axes = len(drive_axes), drive_axes
        self.rows, self.start, self.duration = 0, np.nan, 0.0
        self._worst = {
            name: _Worst(n if name in _PER_AXIS else 1, badness)
            for name, badness in (_PER_AXIS | _SCALARS).items()
        }
        self.peaks, self.fastest_drive = np.zeros((5, n)), np.zeros(n)
        self._friction, self._all_causes = np.zeros(n), np.zeros(n)
        self._by_line = by_line
        self._lines: dict[int, tuple[float, float, Array, Array]] = {}
        share, none, tcp = np.zeros((0, n)), np.zeros(0), np.zeros((0, 3))
        lines = np.zeros(0, dtype=np.int64)
        columns: list[Any] = [none, *[share] * 6, *[none] * 4, tcp, lines]
        self._kept = [Trace(*columns)]
        self._width = 1

    def add(self, samples: Samples) -> None:
        """Take the next samples."""
        t = samples.t
        self.start = t[0] if self.rows == 0 else self.start
        self.duration = float(t[-1] - self.start)
        self.rows += len(t)
        of_drives = np.abs(samples.v @ self._drive_axes.T).max(axis=0)
        self.fastest_drive = np.maximum(self.fastest_drive, of_drives)
        for name, worst in self._worst.items():
            values = getattr(samples, name)
            if values is not None:
                worst.add(values.reshape(len(t), -1), t, samples.lines)
        sizes = np.abs(np.stack(samples.parts))
        self.peaks = np.maximum(self.peaks, sizes.max(axis=1))
        self._friction += sizes[3].sum(axis=0)
        self._all_causes += sizes[:4].sum(axis=(0, 1))
        if self._by_line:
            self._add_lines(samples)
        piece = Trace(*(getattr(samples, name) for name in Trace._fields))
        self._kept.append(_thinned(piece, self._width))
        while sum(len(piece.t) for piece in self._kept) > _TRACE:
            self._kept, self._width = [_thinned(self.trace(), 2)], 2 * self._width

    def worst(self, name: str) -> Extreme:
        """Return the worst of a quantity of :class:`Samples`; NaN where it was never known."""
        return self._worst[name].extreme

    def friction_share(self) -> Array:
        """Sum of ``|friction|`` by that of all causes, per axis; 0 where nothing acts."""
        none = np.zeros_like(self._all_causes)
        return np.divide(self._friction, self._all_causes, out=none, where=self._all_causes > 0.0)

    def per_line(self) -> tuple[PerLine, ...]:
        """Return the moves in the order of time."""
        moves = []
        for line, (start, end, shares, distances) in self._lines.items():
            # NaN is unknown, and of no axis the worst where another is known
            axes = np.where(np.isnan(shares), -np.inf, shares).argmax(axis=1)
            most = shares[np.arange(len(axes)), axes]
            worst = zip(most.tolist(), (axes + 1).tolist(), strict=True)
            moves.append(PerLine(line, start, end, *sum(worst, ()), *distances.tolist()))
        return tuple(sorted(moves, key=lambda move: move.start))

    def trace(self) -> Trace:
        """Return the samples for figures."""
        return Trace(*(np.concatenate(column) for column in zip(*self._kept, strict=True)))

    def _add_lines(self, samples: Samples) -> None:
        edges = np.flatnonzero(np.diff(samples.lines)) + 1
        for part in np.split(np.arange(len(samples.t)), edges):
            line, end = int(samples.lines[part[0]]), float(samples.t[part[-1]])
            shares = np.array([getattr(samples, name)[part].max(axis=0) for name in _SHARES])
            distances = np.array(
                [np.abs(getattr(samples, name)[part]).min() for name in _SINGULARITIES]
            )
            start, _, most, least = self._lines.get(
                line, (float(samples.t[part[0]]), end, shares, distances)
            )
            self._lines[line] = start, end, np.maximum(most, shares), np.minimum(least, distances)


class _Worst:
    """The worst of a quantity so far, per axis."""

    def __init__(self, n: int, badness: Callable[[Array], Array]) -> None:
        self._badness, self._most = badness, np.full(n, -np.inf)
        self.extreme = Extreme(np.full(n, np.nan), np.full(n, np.nan), np.zeros(n, dtype=np.int64))

    def add(self, values: Array, t: Array, lines: IntArray) -> None:
        """Take values ``(N, n)``."""
        badness, columns = self._badness(values), np.arange(values.shape[1])
        at = np.argmax(badness, axis=0)
        most = badness[at, columns]
        worse = (most > self._most) | np.isnan(self.extreme.time)
        new = values[at, columns], t[at], lines[at]
        self.extreme = Extreme(
            *(np.where(worse, x, y) for x, y in zip(new, self.extreme, strict=True))
        )
        self._most = np.where(worse, most, self._most)


def _thinned(trace: Trace, width: int) -> Trace:
    """Return one sample for each ``width``, the last maybe for fewer: the worst of each column."""
    if width == 1:
        return trace
    first = np.arange(0, len(trace.t), width)

    columns = trace._asdict()
    thinned = {name: values[first] for name, values in columns.items()}
    thinned |= {name: np.maximum.reduceat(columns[name], first) for name in _SHARES}
    thinned |= {name: _far_from_zero(columns[name], first) for name in _SIGNED}
    thinned |= {name: _next_to_zero(columns[name], first) for name in _SINGULARITIES}
    return Trace(**thinned)


def _far_from_zero(values: Array, first: NDArray[np.intp]) -> Array:
    """Return of each group the value farthest from 0."""
    low, high = np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)
    return np.where(np.abs(low) > np.abs(high), low, high)


def _next_to_zero(values: Array, first: NDArray[np.intp]) -> Array:
    """Return of each group the value next to 0, and 0 where it was crossed in between."""
    low, high = np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)
    nearest = np.where(np.abs(low) < np.abs(high), low, high)
    return np.where((low < 0.0) & (high > 0.0), 0.0, nearest)
