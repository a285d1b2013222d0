"""Tables of numbers in CSV and Parquet files, holes included."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import FileError, MotionError
from ...model.types import Array
from ...trajectory.motion_files import is_parquet, open_parquet

_HOLES = frozenset(("", "na", "n/a", "null", "none", "-", "1.#qnan", "#n/a"))
"""Texts for a missing number, in lower case, besides ``nan`` and ``inf``, which Python reads."""
_NO_TEXT = {
    b"\x1f\x8b": "is packed by gzip; unpack it",
    b"PK\x03\x04": "is an Excel workbook or a zip archive; save its sheet as CSV",
    b"PAR1": "is a Parquet file; let its name end in .parquet",
    b"\xff\xfe": "is text in UTF-16; save it in UTF-8",
    b"\xfe\xff": "is text in UTF-16; save it in UTF-8",
}
"""First bytes of files that are no CSV."""


class Table(NamedTuple):
    """Columns of a file."""

    path: Path
    names: list[str]
    columns: dict[str, Array]
    """Those that hold numbers, and holes as NaN."""
    words: dict[str, tuple[int, str]]
    """Columns that hold something else: the first row of it, and what it is."""
    first: int
    """Number of the first row of numbers: 2 in a CSV file, whose header is row 1.

    1 in a Parquet file.
    """


def read_table(path: str | Path) -> Table:
    """Read a file whole.

    Raises:
        FileError: if it cannot be read.
        MissingExtra: for Parquet without pyarrow.
        MotionError: if it is no table, has no rows, a row of another length, or a name twice.
    """
    file = Path(path)
    if file.is_dir():
        raise FileError(f"{file}: is a folder; name one file in it")
    table = _from_parquet(file) if is_parquet(file) else _from_csv(file)
    for name in table.names:
        if table.names.count(name) > 1:
            raise MotionError(
                f"{file}: row 1, column {name!r} stands there {table.names.count(name)} times;"
                " rename all but one"
            )
    return table


def _refuse_no_rows(file: Path, rows: int) -> None:
    if rows == 0:
        raise MotionError(
            f"{file}: there are no rows of numbers; was the log closed before it was written?"
        )


def _from_csv(file: Path) -> Table:
    lines = _text(file).splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise MotionError(f"{file}: the file is empty")
    delimiter = max(",;\t", key=lines[0].count)
    _refuse_no_rows(file, len(lines) - 1)
    names = [cell.strip() for cell in next(csv.reader([lines[0]], delimiter=delimiter), [])]
    if any(is_number(name) for name in names):
        raise MotionError(
            f"{file}: row 1 holds numbers; put a header before it, such as t,q1_deg,..,tau1_Nm,.."
        )
    if len(names) == 1:
        raise MotionError(
            f"{file}: row 1 is {lines[0][:60]!r}, one cell; it should name the columns, parted by"
            " commas, semicolons or tabs"
        )
    try:
        cells = np.loadtxt(
            lines[1:], delimiter=delimiter, comments=None, quotechar='"', ndmin=2, dtype=float
        )
        if cells.shape == (len(lines) - 1, len(names)):
            return Table(
                file,
                names,
                {
                    name: np.where(np.isfinite(x), x, np.nan)
                    for name, x in zip(names, cells.T, strict=True)
                },
                {},
                2,
            )
    except ValueError:
        pass  # there are holes, words or rows of another length: slowly then
    columns, words = _cell_by_cell(file, lines[1:], names, delimiter)
    return Table(file, names, columns, words, 2)


def _text(file: Path) -> str:
    """Return the text of a file in UTF-8, or else in Windows-1252."""
    try:
        raw = file.read_bytes()
    except OSError as err:
        raise FileError(f"{file}: {err.strerror or err}") from None
    for start, what in _NO_TEXT.items():
        if raw.startswith(start):
            raise MotionError(f"{file}: {what}")
    place = raw.find(b"\0")
    if place >= 0:
        row = raw.count(b"\n", 0, place) + 1
        raise MotionError(
            f"{file}: row {row} holds a zero byte, which no text has; is it damaged, or another"
            " format? save it as CSV in UTF-8"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def _cell_by_cell(
    file: Path, lines: list[str], names: list[str], delimiter: str
) -> tuple[dict[str, Array], dict[str, tuple[int, str]]]:
    values = np.full((len(lines), len(names)), np.nan)
    words: dict[str, tuple[int, str]] = {}
    for i, line in enumerate(lines):
        cells = next(csv.reader([line], delimiter=delimiter), [])
        if len(cells) != len(names):
            why = _uneven(cells, len(names), i == len(lines) - 1)
            raise MotionError(
                f"{file}: row {i + 2} has {len(cells)} cells, the header has {len(names)}; {why}"
            )
        for j, cell in enumerate(cells):
            if is_number(cell):
                values[i, j] = float(cell)
            elif cell.strip().lower() not in _HOLES:
                words.setdefault(names[j], (i + 2, cell))
    values[~np.isfinite(values)] = np.nan
    return {
        name: column for name, column in zip(names, values.T, strict=True) if name not in words
    }, words


def _uneven(cells: list[str], expected: int, last: bool) -> str:
    """Return what to do about a row of another length than the header."""
    if not cells:
        return "it is empty: remove it"
    if last and len(cells) < expected:
        return "the last row may be cut off: remove it"
    if len(cells) < expected:
        return "are cells lost there? leave a cell empty where there is no number"
    return (
        "is there a comma too many at its end?"
        if not any(cells[expected:])
        else "is a comma a decimal point there?"
    )


def is_number(cell: str) -> bool:
    """Return whether a cell holds a number, ``nan`` and ``inf`` included."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python takes 1_000 for a number


def _from_parquet(file: Path) -> Table:
    with open_parquet(file) as stream:
        table = stream.read()
    import pyarrow as pa

    _refuse_no_rows(file, table.num_rows)
    columns: dict[str, Array] = {}
    words: dict[str, tuple[int, str]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
            values = column.cast(pa.float64()).to_numpy()
            columns[name] = np.where(np.isfinite(values), values, np.nan)
        else:
            words[name] = (1, str(column[0]))
    return Table(file, list(table.column_names), columns, words, 1)


def close_to(name: str, names: Sequence[str]) -> str:
    """Return the hint of a message on a missing name that resembles another, in any case."""
    from difflib import get_close_matches

    lowered = {word.lower(): word for word in names}
    close = get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    return f", {lowered[close[0]]!r} comes close" if close else ""
