"""Motion files (CSV): read in pieces of bounded memory, with missing speeds and accelerations derived.

Columns: ``t`` [s], ``q1_deg ..``; optional ``v1_deg_s ..``, ``a1_deg_s2 ..``, ``tau1_Nm ..``. A linear axis has
``q3_mm``, ``v3_mm_s``, ``a3_mm_s2``, ``tau3_N``. Unknown columns are named and ignored.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from .errors import FileError, MotionError, UnknownName
from .files import replacing
from .robot import Robot
from .trajectory import Motion

Array = NDArray[np.float64]

ROWS = 8192  # per piece
WINDOW = 0.08  # [s] of the derivative filter: passes about 20 Hz
_ORDER = 3
_FEWEST = 5  # rows, and samples of the filter


class _Group(NamedTuple):
    """Columns of one quantity: their names, and the factor to SI units per axis."""

    names: list[str]
    factor: Array


def _groups(robot: Robot) -> dict[str, _Group]:
    linear = robot.limits.linear
    angle, length = np.radians(1.0), 1e-3
    scale = np.where(linear, length, angle)

    def names(letter: str, rotary: str, straight: str) -> list[str]:
        return [f"{letter}{i + 1}_{straight if flag else rotary}" for i, flag in enumerate(linear)]

    return {
        "q": _Group(names("q", "deg", "mm"), scale),
        "v": _Group(names("v", "deg_s", "mm_s"), scale),
        "a": _Group(names("a", "deg_s2", "mm_s2"), scale),
        "tau": _Group(names("tau", "Nm", "N"), np.ones(robot.n)),
    }


@dataclass(frozen=True)
class MotionFile:
    """A motion file whose header has been read and found to fit a robot."""

    path: Path
    robot: Robot
    columns: dict[str, list[int]]
    """Column numbers of ``t`` and of each quantity that the file has."""
    header: list[str]
    ignored: tuple[str, ...]
    delimiter: str

    @property
    def size(self) -> int:
        """Size of the file [bytes], for progress."""
        return self.path.stat().st_size

    def motions(self, window: float = WINDOW, advance: Callable[[int], object] = lambda _: None) -> Iterator[Motion]:
        """Yield the motion piece by piece, each with ``v`` and ``a``; memory does not grow with the file.

        Speeds and accelerations that the file does not have come from a Savitzky-Golay filter: a cubic over ``window``,
        symmetric in time, one-sided at the two ends. Positions stay as they are.

        Args:
            window: Length of the filter [s].
            advance: Called with the number of bytes read.

        Raises:
            MotionError: names row and column of a cell that is no finite number, a time that does not grow, a position
                far outside every range; or says why speeds cannot be derived.
        """
        pieces = self._pieces(advance)
        return pieces if {"v", "a"} <= self.columns.keys() else _derived(pieces, window, self.path)

    def _pieces(self, advance: Callable[[int], object]) -> Iterator[Motion]:
        with _opened(self.path) as stream:
            stream.readline()
            row, last = 2, -np.inf
            while lines := _without_blank_end(list(islice(stream, ROWS))):
                table = self._numbers(lines, row)
                t = table[:, self.columns["t"][0]]
                self._check_times(t, last, row)
                yield self._motion(table, t, row)
                row, last = row + len(lines), t[-1]
                advance(sum(map(len, lines)))
            if row == 2:
                raise MotionError(f"{self.path}: the file has a header and no rows")

    def _numbers(self, lines: list[str], row: int) -> Array:
        used = sorted({index for indices in self.columns.values() for index in indices})
        table = np.full((len(lines), len(self.header)), np.nan)
        try:
            regular = all(line.count(self.delimiter) == len(self.header) - 1 for line in lines)
            if regular and not any(line.isspace() for line in lines):
                table[:, used] = np.loadtxt(lines, delimiter=self.delimiter, usecols=used, comments=None, ndmin=2)
        except ValueError:
            pass  # the search below finds the cell and names it
        if not np.isfinite(table[:, used]).all():
            self._find_bad_cell(lines, row, used)
        return table

    def _find_bad_cell(self, lines: list[str], row: int, used: list[int]) -> None:
        for number, line in enumerate(lines, start=row):
            cells = next(csv.reader([line], delimiter=self.delimiter), [])
            if len(cells) != len(self.header):
                raise MotionError(f"{self.path}: row {number} has {len(cells)} cells, the header has {len(self.header)}")
            for index in used:
                if not _is_finite(cells[index]):
                    name = self.header[index]
                    raise MotionError(f"{self.path}: row {number}, column {name!r}: {cells[index]!r} is not a finite number")
        raise MotionError(f"{self.path}: rows {row} to {row + len(lines) - 1} cannot be read; are cells quoted?")

    def _check_times(self, t: Array, last: float, row: int) -> None:
        steps = np.diff(t, prepend=last)
        if not (steps > 0.0).all():
            i = int(np.flatnonzero(~(steps > 0.0))[0])
            before = t[i - 1] if i else last
            raise MotionError(f"{self.path}: row {row + i}, column 't': {t[i]:.10g} s does not come after {before:.10g} s")

    def _motion(self, table: Array, t: Array, row: int) -> Motion:
        groups = _groups(self.robot)
        values = {name: table[:, index] * groups[name].factor for name, index in self.columns.items() if name != "t"}
        far = np.abs(values["q"]) > 3.0 * self.robot.limits.largest()
        if far.any():
            i, axis = (int(k) for k in np.argwhere(far)[0])
            name = groups["q"].names[axis]
            shown = table[i, self.columns["q"][axis]]
            raise MotionError(
                f"{self.path}: row {row + i}, column {name!r}: {shown:g} is more than three times the largest limit of the robot"
            )
        return Motion(t, values["q"], values.get("v"), values.get("a"), values.get("tau"))


def open_motion(path: str | Path, robot: Robot) -> MotionFile:
    """Read the header of a motion file.

    Raises:
        FileError: if the file cannot be read.
        MotionError: if a column is missing, repeated, or a group of columns is not whole.
    """
    file = Path(path)
    with _opened(file) as stream:
        first = stream.readline()
    delimiter = ";" if first.count(";") > first.count(",") else ","
    header = [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter), [])]
    if "t" not in header:
        raise MotionError(f"{file}: column 't' [s] is missing (columns: {', '.join(header) or 'none'})")
    columns = {"t": [header.index("t")]}
    for quantity, group in _groups(robot).items():
        present = [name for name in group.names if name in header]
        missing = [name for name in group.names if name not in header]
        if missing and (present or quantity == "q"):
            near = UnknownName("column", missing[0], header)
            raise MotionError(f"{file}: column {missing[0]!r} is missing: {near}")
        if present:
            columns[quantity] = [header.index(name) for name in group.names]
    known = {header[index] for indices in columns.values() for index in indices}
    for name in known:
        if header.count(name) > 1:
            raise MotionError(f"{file}: column {name!r} stands there {header.count(name)} times")
    return MotionFile(file, robot, columns, header, tuple(name for name in header if name not in known), delimiter)


def write_motion(path: str | Path, motion: Motion, robot: Robot) -> None:
    """Write a motion as CSV in the controller's units; what is None is left out.

    Raises:
        FileError: if the file cannot be written; then nothing is.
    """
    header, blocks = ["t"], [motion.t[:, None]]
    for quantity, group in _groups(robot).items():
        values = getattr(motion, quantity)
        if values is not None:
            header += group.names
            blocks.append(values / group.factor)
    with replacing(path) as temporary:
        np.savetxt(temporary, np.hstack(blocks), delimiter=",", fmt="%.9g", header=",".join(header), comments="")


def _opened(path: Path) -> TextIO:
    try:
        return path.open(encoding="utf-8-sig", errors="replace", newline="")
    except OSError as err:
        raise FileError(f"{path}: {err.strerror or err}") from err


def _without_blank_end(lines: list[str]) -> list[str]:
    while lines and len(lines) < ROWS and lines[-1].isspace():
        lines.pop()
    return lines


def _is_finite(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False


def _derived(pieces: Iterator[Motion], window: float, path: Path) -> Iterator[Motion]:
    """Fill in ``v`` and ``a``; the result does not depend on how the file is cut into pieces."""
    first = next(pieces)
    if len(first.t) < _FEWEST:
        raise MotionError(f"{path}: {len(first.t)} rows are too few to derive speeds; give v and a, or at least {_FEWEST} rows")
    step = float(first.t[-1] - first.t[0]) / (len(first.t) - 1)
    samples = max(_FEWEST, 2 * round(window / step / 2.0) + 1)
    half = samples // 2
    held, done = first, 0  # samples not yet given out, and how many at their start only serve as neighbors
    for piece in pieces:
        held = _joined(held, piece)
        ready = len(held.t) - half
        if ready > done and len(held.t) >= samples:
            yield _cut(_differentiated(held, step, samples, path), done, ready)
            keep = max(ready - half - 1, 0)  # a whole window stays, for the end of the file
            held, done = _cut(held, keep, len(held.t)), ready - keep
    yield _cut(_differentiated(held, step, samples, path), done, len(held.t))


def _differentiated(motion: Motion, step: float, samples: int, path: Path) -> Motion:
    from scipy.signal import savgol_filter  # imported here: half a second that most users never need

    uneven = np.abs(np.diff(motion.t) - step) > 0.1 * step
    if uneven.any():
        i = int(np.flatnonzero(uneven)[0])
        here, usual = 1e3 * (motion.t[i + 1] - motion.t[i]), 1e3 * step
        raise MotionError(
            f"{path}: the time step after t = {motion.t[i]:.10g} s is {here:.4g} ms, not {usual:.4g} ms as on average;"
            " speeds can be derived only at a steady step: give v and a"
        )
    size = min(samples, len(motion.t) - 1 + len(motion.t) % 2)  # odd, and no longer than a short file

    def slope(values: Array, order: int) -> Array:
        return np.asarray(savgol_filter(values, size, _ORDER, deriv=order, delta=step, axis=0, mode="interp"))

    v = slope(motion.q, 1) if motion.v is None else motion.v
    a = motion.a if motion.a is not None else slope(motion.q, 2) if motion.v is None else slope(motion.v, 1)
    return motion._replace(v=v, a=a)


def _joined(first: Motion, second: Motion) -> Motion:
    pairs = zip(first, second, strict=True)
    return Motion(*(None if x is None or y is None else np.concatenate([x, y]) for x, y in pairs))  # type: ignore[arg-type]


def _cut(motion: Motion, start: int, stop: int) -> Motion:
    return Motion(*(None if x is None else x[start:stop] for x in motion))  # type: ignore[arg-type]
