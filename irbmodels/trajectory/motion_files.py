"""Motion files (CSV, Parquet), read in pieces of bounded memory; missing rates are derived.

Columns: ``t`` [s], ``q1_deg ..``; optional ``v1_deg_s ..``, ``a1_deg_s2 ..``, ``tau1_Nm ..``. A
linear axis has ``q3_mm``, ``v3_mm_s``, ``a3_mm_s2``, ``tau3_N``. Unknown columns are named and
ignored. A file ``*.parquet`` has the same columns.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import numpy as np

from ..checks import as_instance, as_path
from ..errors import FileError, InputError, MotionError, require
from ..files import refuse_utf16, replacing
from ..model.types import Array
from ..robot.robot import Robot
from . import Motion
from .differentiation import REST, check_filter, with_rates
from .motion import checked_motion, implausible_values
from .rate_consistency import check_rates

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile


ROWS = 8192  # per piece
# [rad/s, m/s] rounding of a rest, of which friction would take the sign: no axis creeps so slowly
_STILL = 1e-9
_UNITS = {
    "q": ("deg", "mm"),
    "v": ("deg_s", "mm_s"),
    "a": ("deg_s2", "mm_s2"),
    "tau": ("Nm", "N"),
}
"""Units of rotary and linear axes in names of columns."""


class Columns(NamedTuple):
    """Columns of one quantity: their names, and the factor to SI units per axis."""

    names: list[str]
    factor: Array


def columns_and_factors(quantity: str, linear: Sequence[bool]) -> Columns:
    """Return the columns of ``q``, ``v``, ``a`` or ``tau``, and the factor to SI units per axis."""
    units = [_UNITS[quantity][flag] for flag in linear]
    names = [f"{quantity}{i}_{unit}" for i, unit in enumerate(units, start=1)]
    angle, length = (1.0, 1.0) if quantity == "tau" else (np.radians(1.0), 1e-3)
    return Columns(names, np.where(linear, length, angle))


def _all_columns(robot: Robot) -> dict[str, Columns]:
    linear = robot.limits.linear.tolist()
    return {quantity: columns_and_factors(quantity, linear) for quantity in _UNITS}


@dataclass(frozen=True)
class MotionFile:
    """A motion file whose header fits a robot."""

    path: Path
    robot: Robot
    columns: dict[str, list[int]]
    """Column numbers of ``t`` and of each quantity that the file has."""
    header: list[str]
    ignored: dict[str, str]
    """Unknown columns, each with the known name next to it, or an empty text."""
    delimiter: str

    @property
    def size(self) -> int:
        """Size of the file [bytes], for progress."""
        return self.path.stat().st_size

    @property
    def derived(self) -> bool:
        """True if speeds or accelerations are not in the file."""
        return bool(self.missing)

    @property
    def missing(self) -> tuple[str, ...]:
        """``speeds`` and ``accelerations`` where they are not in the file, and so derived."""
        names = {"v": "speeds", "a": "accelerations"}
        return tuple(name for quantity, name in names.items() if quantity not in self.columns)

    def motions(
        self,
        window: float | None = None,
        rest: float = REST,
        advance: Callable[[int], object] = lambda _: None,
    ) -> Iterator[Motion]:
        """Yield the motion piece by piece, each with ``v`` and ``a``, in bounded memory.

        Speeds and accelerations that the file does not have come from a Savitzky-Golay filter: a
        cubic over ``window``, symmetric in time, one-sided at the two ends. An axis that moves less
        than ``rest`` within the window, or would at its derived speed, stands still and has no
        friction. Speeds of the file below 1e-9 rad/s or m/s, the rounding of a rest, are 0.
        Positions stay as they are.

        Args:
            window: Length of the filter [s]; default 80 ms, at least five samples, at most the
                file.
            rest: Move within the window [deg, mm] that is noise; more than the noise of the log,
                less than its slowest motion.
            advance: Called with the number of bytes read.

        Raises:
            MotionError: names row and column of a cell that is no finite number, a time that does
                not grow, a position or speed far outside every limit, a column of speeds or
                accelerations that has another unit or sign than the positions; or says why speeds
                cannot be derived.
        """
        check_filter(window, rest, advance)
        pieces = self._pieces(advance)
        linear = self.robot.limits.linear
        if self.derived:
            noise = rest * np.where(linear, 1e-3, np.radians(1.0))
            pieces = with_rates(pieces, window, noise, str(self.path))
        given = [quantity for quantity in ("v", "a") if quantity in self.columns]
        names = {quantity: columns.names for quantity, columns in _all_columns(self.robot).items()}
        return check_rates(pieces, given, names, linear.tolist(), str(self.path))

    def read(self) -> Motion:
        """Return the whole motion at once, as :meth:`motions` yields it piece by piece."""
        return Motion.joined(list(self.motions()))

    @property
    def _used(self) -> list[int]:
        """Numbers of the columns that are read, ascending."""
        return sorted({index for indices in self.columns.values() for index in indices})

    def _pieces(self, advance: Callable[[int], object]) -> Iterator[Motion]:
        last, row = -np.inf, 0
        read = self._from_parquet if is_parquet(self.path) else self._from_text
        for row, table, size in read():
            t = table[:, self.columns["t"][0]]
            self._check_times(t, last, row)
            yield self._motion(table, t, row)
            last = t[-1]
            advance(size)
        if not row:
            raise MotionError(f"{self.path}: the file has a header and no rows")

    def _from_text(self) -> Iterator[tuple[int, Array, int]]:
        """Yield number of the first row (the header is row 1), numbers, and characters read."""
        with _opened(self.path) as stream:
            stream.readline()
            row = 2
            while lines := _without_blank_end(list(islice(stream, ROWS))):
                yield row, self._numbers(lines, row), sum(map(len, lines))
                row += len(lines)

    def _from_parquet(self) -> Iterator[tuple[int, Array, int]]:
        """Yield the same of a Parquet file; its first row is row 1."""
        used = self._used
        with open_parquet(self.path) as file:
            row, share = 1, self.size / max(file.metadata.num_rows, 1)
            for batch in file.iter_batches(ROWS, columns=[self.header[index] for index in used]):
                table = np.full((batch.num_rows, len(self.header)), np.nan)
                for index in used:
                    name = self.header[index]
                    column = batch.column(name)
                    try:
                        table[:, index] = column.cast("double").to_numpy(zero_copy_only=False)
                    except (ValueError, NotImplementedError):
                        raise MotionError(
                            f"{self.path}: column {name!r} holds no numbers: {column.type}"
                        ) from None
                bad = np.argwhere(~np.isfinite(table[:, used]))
                if len(bad):
                    i, name = row + int(bad[0, 0]), self.header[used[int(bad[0, 1])]]
                    raise MotionError(
                        f"{self.path}: row {i}, column {name!r}: there is no finite number"
                    )
                yield row, table, round(share * batch.num_rows)
                row += batch.num_rows

    def _numbers(self, lines: list[str], row: int) -> Array:
        used, commas = self._used, len(self.header) - 1
        table = np.full((len(lines), len(self.header)), np.nan)
        regular = all(line.count(self.delimiter) == commas for line in lines)
        # what numpy cannot read stays NaN, and the slow reader below names the bad cell
        if regular and not any(line.isspace() for line in lines):
            with suppress(ValueError):
                table[:, used] = np.loadtxt(
                    lines,
                    delimiter=self.delimiter,
                    usecols=used,
                    comments=None,
                    quotechar='"',
                    ndmin=2,
                )
        if not np.isfinite(table[:, used]).all():
            table[:, used] = self._cell_by_cell(lines, row, used)
        return table

    def _cell_by_cell(self, lines: list[str], row: int, used: list[int]) -> Array:
        """Return the numbers of lines that numpy cannot read, as with commas in quotes.

        Raises:
            MotionError: names the first bad cell.
        """
        table = np.empty((len(lines), len(used)))
        for number, line in enumerate(lines, start=row):
            cells = next(csv.reader([line], delimiter=self.delimiter), [])
            if len(cells) != len(self.header):
                raise MotionError(
                    f"{self.path}: row {number} has {len(cells)} cells, the header has"
                    f" {len(self.header)}"
                )
            for column, index in enumerate(used):
                name, cell = self.header[index], cells[index]
                if not _is_finite(cell):
                    hint = "; write a decimal point" if _is_finite(cell.replace(",", ".")) else ""
                    raise MotionError(
                        f"{self.path}: row {number}, column {name!r}: {cell!r} is not a finite"
                        f" number{hint}"
                    )
                table[number - row, column] = float(cell)
        return table

    def _check_times(self, t: Array, last: float, row: int) -> None:
        steps = np.diff(t, prepend=last)
        if not (steps > 0.0).all():
            i = int(np.flatnonzero(~(steps > 0.0))[0])
            before = t[i - 1] if i else last
            raise MotionError(
                f"{self.path}: row {row + i}, column 't': {t[i]:.10g} s does not come after"
                f" {before:.10g} s"
            )

    def _motion(self, table: Array, t: Array, row: int) -> Motion:
        columns = _all_columns(self.robot)
        values = {
            name: table[:, indices] * columns[name].factor
            for name, indices in self.columns.items()
            if name != "t"
        }
        if "v" in values:
            values["v"][np.abs(values["v"]) <= _STILL] = 0.0
        motion = Motion(t, **values)
        for i, axis, quantity, bound in implausible_values(motion, self.robot.limits):
            name, value = columns[quantity].names[axis], table[i, self.columns[quantity][axis]]
            raise MotionError(
                f"{self.path}: row {row + i}, column {name!r}: {value:g} is more than {bound} of"
                " the robot"
            )
        return motion


def open_motion(path: str | Path, robot: Robot) -> MotionFile:
    """Read the header of a motion file: CSV, or Parquet by its ending ``.parquet``.

    Raises:
        FileError: if the file cannot be read.
        MissingExtra: for Parquet without pyarrow.
        MotionError: if a column is missing, repeated, or a group of columns is not whole.
    """
    file = as_path(path, "a motion file")
    as_instance(robot, Robot, "a motion file is read for an irbmodels.Robot")
    if file.is_dir():
        raise FileError(f"{str(path)!r} is a folder, not a motion file")
    if file.exists() and not file.is_file():
        raise FileError(
            f"{file} is not a regular file: a motion is read twice, so save a pipe to a file first"
        )
    header, delimiter = _header(file)
    listed = "".join(letter if letter.isprintable() else "?" for letter in ", ".join(header))
    listed = listed[:200] or "none"
    if "t" not in header:
        raise MotionError(f"{file}: column 't' [s] is missing (columns: {listed})")
    columns = {"t": [header.index("t")]}
    unused = []
    for quantity, (names, _) in _all_columns(robot).items():
        missing = [name for name in names if name not in header]
        if missing and (quantity == "q" or len(missing) < len(names)):
            raise MotionError(f"{file}: column {missing[0]!r} is missing (columns: {listed})")
        unused += missing
        if not missing:
            columns[quantity] = [header.index(name) for name in names]
    known = {header[index] for indices in columns.values() for index in indices}
    for name in known:
        if header.count(name) > 1:
            raise MotionError(f"{file}: column {name!r} stands there {header.count(name)} times")
    ignored = {
        name: next(iter(get_close_matches(name, unused, n=1, cutoff=0.6)), "")
        for name in header
        if name not in known
    }
    return MotionFile(file, robot, columns, header, ignored, delimiter)


def write_motion(path: str | Path, motion: Motion, robot: Robot) -> None:
    """Write a motion as CSV, or Parquet by its ending, in the controller's units.

    What is None is left out.

    Raises:
        InputError: if the motion is one of another robot, its times do not grow, or a value is not
            finite.
        FileError: if the file cannot be written; then nothing is.
        MissingExtra: for Parquet without pyarrow.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
        >>> from irbmodels.trajectory import move
        >>> motion = move(0.0 * q, q, duration=1.0).sample(100.0)
        >>> irb.write_motion("motion.csv", motion, robot)
        >>> irb.open_motion("motion.csv", robot).read().q.shape
        (101, 6)
    """
    as_path(path, "a motion file")
    as_instance(motion, Motion, "what is written is an irbmodels.Motion")
    as_instance(robot, Robot, "a motion is one of an irbmodels.Robot")
    motion = checked_motion(motion, "a motion file", (), robot.n, robot.name, least=1)
    header, blocks = ["t"], [motion.t[:, None]]
    for quantity, columns in _all_columns(robot).items():
        values = getattr(motion, quantity)
        if values is not None:
            header += columns.names
            blocks.append(values / columns.factor)
    write_columns(path, dict(zip(header, np.hstack(blocks).T, strict=True)), digits=9)


def write_columns(path: str | Path, columns: Mapping[str, Array], digits: int) -> None:
    """Write columns of one length to a CSV file, with so many digits, or a Parquet file.

    Raises:
        FileError: if the file cannot be written; then nothing is.
        MissingExtra: for Parquet without pyarrow.
    """
    with replacing(path) as temporary:
        if not is_parquet(Path(path)):
            names = (
                '"' + name.replace('"', '""') + '"' if set(name) & {",", '"'} else name
                for name in columns
            )
            np.savetxt(
                temporary,
                np.column_stack(list(columns.values())),
                delimiter=",",
                fmt=f"%.{digits}g",
                header=",".join(names),
                comments="",
                encoding="utf-8",
            )
            return
        require("pyarrow", "logs")
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.table(dict(columns)), temporary)


@contextmanager
def table_stream(output: str | Path | None, source: Path | None) -> Iterator[TextIO | None]:
    """Open a table to write, which appears when the block ends well; None without an output.

    Args:
        output: File to write.
        source: Motion file that is read meanwhile.

    Raises:
        InputError: if ``output`` is no path, or is the motion file itself.
        FileError: if it cannot be written.
    """
    if output is None:
        yield None
        return
    file = as_path(output, "the table to write")
    if source is not None and file.exists() and file.samefile(source):
        raise InputError(f"{output} is the motion itself; write the table to another file")
    with replacing(output) as temporary, temporary.open("w", encoding="utf-8") as stream:
        yield stream


def _header(file: Path) -> tuple[list[str], str]:
    """Return the names of the columns, and their delimiter in a text file."""
    if is_parquet(file):
        with open_parquet(file) as table:
            return list(table.schema_arrow.names), ","
    with _opened(file) as stream:
        first = stream.readline()
    delimiter = max(",;\t", key=first.count)
    return [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter), [])], delimiter


def is_parquet(file: Path) -> bool:
    """Return whether the name of a file is that of a Parquet file."""
    return file.suffix.lower() == ".parquet"


def open_parquet(file: Path) -> ParquetFile:
    """Open a Parquet file.

    Raises:
        FileError: if it cannot be read.
        MotionError: if it is no Parquet file.
        MissingExtra: without pyarrow.
    """
    require("pyarrow", "logs")
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(file)
    except OSError as err:
        raise FileError(f"{file}: {err.strerror or err}") from None
    except pa.ArrowException as err:
        raise MotionError(f"{file} is no Parquet file: {err}") from None


def _opened(path: Path) -> TextIO:
    try:
        with path.open("rb") as stream:
            refuse_utf16(path, stream.read(8))
        return path.open(encoding="utf-8-sig", errors="replace", newline="")
    except FileError:
        raise
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
