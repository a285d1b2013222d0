"""Extremes along a path, gathered piece by piece, and a selection of samples in which none of them is lost."""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array, IntArray
from ...trajectory import Motion
from .samples import Samples

_SHARES = ("used", "speed", "acceleration", "torque")
_SINGULAR = ("wrist", "elbow", "shoulder")
_TRACE = 4096  # samples kept for figures


class Nearest(NamedTuple):
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
    wrist: Array
    elbow: Array
    shoulder: Array
    tcp: Array
    lines: IntArray


class Totals:
    """Running extremes."""

    def __init__(self, n: int, by_line: bool) -> None:
        """Begin for ``n`` axes."""
        self.rows, self.start, self.duration = 0, np.nan, 0.0
        self._worst = {name: _Worst(n) for name in ("margin", *_SHARES)}
        self._worst |= {
            name: _Worst(1) for name in (*_SINGULAR, "smallest", "manipulability", "deflection")
        }
        self.peaks, self.fastest = np.zeros((5, n)), np.zeros(n)
        self._rubbing, self._all = np.zeros(n), np.zeros(n)
        self._by_line = by_line
        self._lines: dict[int, PerLine] = {}
        self._kept: list[Trace] = []
        share, distance, tcp = np.zeros((0, n)), np.zeros(0), np.zeros((0, 3))
        lines = np.zeros(0, dtype=np.int64)
        self._none = Trace(distance, share, share, share, distance, distance, distance, tcp, lines)
        self._width = 1

    def add(self, motion: Motion, samples: Samples, lines: IntArray | None) -> None:
        """Take the next samples."""
        t = motion.t
        rows = np.zeros(len(t), dtype=np.int64) if lines is None else lines
        self.start = t[0] if self.rows == 0 else self.start
        self.duration = float(t[-1] - self.start)
        self.rows += len(t)
        assert motion.v is not None
        self.fastest = np.maximum(self.fastest, np.abs(motion.v).max(axis=0))
        for name, worst in self._worst.items():
            values = getattr(samples, name)
            if values is None:
                continue
            columns = values if values.ndim == 2 else values[:, None]
            badness = (
                columns
                if name in (*_SHARES, "deflection")
                else -np.abs(columns)
                if name in _SINGULAR
                else -columns
            )
            worst.add(columns, badness, t, rows)
        sizes = np.abs(np.stack(samples.parts))
        self.peaks = np.maximum(self.peaks, sizes.max(axis=1))
        self._rubbing += sizes[3].sum(axis=0)
        self._all += sizes[:4].sum(axis=(0, 1))
        if self._by_line:
            self._take_lines(t, samples, rows)
        self._keep(t, samples, rows)

    def worst(self, name: str) -> Nearest:
        """Return the worst of a quantity of :class:`Samples`; NaN where it was never known."""
        return self._worst[name].found

    def friction_share(self) -> Array:
        """Sum of ``|friction|`` by that of all causes, per axis; 0 where nothing acts."""
        return np.divide(
            self._rubbing, self._all, out=np.zeros_like(self._all), where=self._all > 0.0
        )

    def per_line(self) -> tuple[PerLine, ...]:
        """Return the moves in the order of time."""
        return tuple(sorted(self._lines.values(), key=lambda one: one.start))

    def trace(self) -> Trace:
        """Return the samples for figures."""
        return _joined(self._kept or [self._none])

    def _take_lines(self, t: Array, samples: Samples, rows: IntArray) -> None:
        edges = np.flatnonzero(np.diff(rows)) + 1
        for part in np.split(np.arange(len(t)), edges):
            used, speed, torque = samples.used[part], samples.speed[part], samples.torque[part]
            at = [int(np.argmax(x.max(axis=0))) for x in (used, speed, torque)]
            line = int(rows[part[0]])
            one = PerLine(
                line, float(t[part[0]]), float(t[part[-1]]), float(used[:, at[0]].max()), at[0] + 1,
                float(speed[:, at[1]].max()), at[1] + 1, float(torque[:, at[2]].max()), at[2] + 1,
                *(float(np.abs(x[part]).min()) for x in (samples.wrist, samples.elbow, samples.shoulder)),
            )  # fmt: skip
            self._lines[line] = one if line not in self._lines else _worse(self._lines[line], one)

    def _keep(self, t: Array, samples: Samples, rows: IntArray) -> None:
        names = ("used", "speed", "torque", *_SINGULAR, "tcp")
        columns = [getattr(samples, name) for name in names]
        self._kept.append(_thinned(Trace(*[t, *columns, rows]), self._width))
        while sum(len(piece.t) for piece in self._kept) > _TRACE:
            self._kept, self._width = [_thinned(_joined(self._kept), 2)], 2 * self._width


class _Worst:
    """The worst of a quantity so far, per axis."""

    def __init__(self, n: int) -> None:
        self._badness = np.full(n, -np.inf)
        self.found = Nearest(np.full(n, np.nan), np.full(n, np.nan), np.zeros(n, dtype=np.int64))

    def add(self, values: Array, badness: Array, t: Array, rows: IntArray) -> None:
        """Take values ``(N, n)``, the largest ``badness`` of which is kept."""
        at, columns = np.argmax(badness, axis=0), np.arange(values.shape[1])
        worse = (badness[at, columns] > self._badness) | np.isnan(self.found.time)
        new = values[at, columns], t[at], rows[at]
        self.found = Nearest(*(np.where(worse, x, y) for x, y in zip(new, self.found, strict=True)))
        self._badness = np.where(worse, badness[at, columns], self._badness)


def _worse(a: PerLine, b: PerLine) -> PerLine:
    """Return what a move that lies in two pieces comes to."""
    used, speed, torque = (
        max(a, b, key=_by_used),
        max(a, b, key=_by_speed),
        max(a, b, key=_by_torque),
    )
    return a._replace(
        end=b.end,
        used=used.used,
        used_axis=used.used_axis,
        speed=speed.speed,
        speed_axis=speed.speed_axis,
        torque=torque.torque,
        torque_axis=torque.torque_axis,
        wrist=min(a.wrist, b.wrist),
        elbow=min(a.elbow, b.elbow),
        shoulder=min(a.shoulder, b.shoulder),
    )


_by_used, _by_speed, _by_torque = (attrgetter(name) for name in ("used", "speed", "torque"))


def _joined(pieces: list[Trace]) -> Trace:
    return Trace(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def _thinned(trace: Trace, width: int) -> Trace:
    """Return one sample for each ``width``, the last maybe for fewer: the worst of each column."""
    if width == 1:
        return trace
    first = np.arange(0, len(trace.t), width)
    most = np.maximum.reduceat
    return Trace(
        t=trace.t[first],
        used=most(trace.used, first),
        speed=most(trace.speed, first),
        torque=most(trace.torque, first),
        wrist=_nearest(trace.wrist, first),
        elbow=_nearest(trace.elbow, first),
        shoulder=_nearest(trace.shoulder, first),
        tcp=trace.tcp[first],
        lines=trace.lines[first],
    )


def _nearest(values: Array, first: NDArray[np.intp]) -> Array:
    """Return of each group the value next to 0, and 0 where it was crossed in between."""
    low, high = np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)
    return np.where(
        (low < 0.0) & (high > 0.0), 0.0, np.where(np.abs(low) < np.abs(high), low, high)
    )
