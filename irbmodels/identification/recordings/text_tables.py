"""Tables of numbers in text files, read in blocks of lines: delimiters, decimal commas, stamps.

Beside an array of the numbers a block of lines is all that is in memory.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from ...errors import FileError, MotionError
from ...model.types import Array
from .header_words import unit_row

_ROWS = 8192  # of a block
_MOST_TEXTS = 1000  # different ones in a column of signals or joints
_HOLES = frozenset(("", "na", "n/a", "null", "none", "-", "1.#qnan", "#n/a"))
"""Texts for a missing number, in lower case, besides ``nan`` and ``inf``, which Python reads."""
_NO_TEXT = {
    b"\x1f\x8b": "is packed by gzip; unpack it",
    b"PK\x03\x04": "is an Excel workbook or a zip archive; save its sheet as CSV",
    b"PAR1": "is a Parquet file; let its name end in .parquet",
    b"\x89HDF": "is an HDF5 file; let its name end in .h5",
    b"MATLAB": "is a MATLAB file; let its name end in .mat",
    b"\xff\xfe": "is text in UTF-16; save it in UTF-8",
    b"\xfe\xff": "is text in UTF-16; save it in UTF-8",
}
"""First bytes of files that are no CSV."""
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d[T ])?\d\d?:\d\d:\d\d([.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)?")
"""Date and time of ISO 8601, or the time alone."""
_TEXTS = re.compile(r"signal|signal[ _]?name|name|variable|channel|quantity|joint|joint[ _]?name")
"""Names of columns that name signals or joints in a long table."""


@dataclass
class _Layout:
    """Form of a text file, and what its cells have been so far."""

    file: Path
    names: list[str]
    delimiter: str | None
    """None: white space."""
    first: int
    """Number of the first row of numbers."""
    by_place: dict[int | str, Callable[[str], float]] = field(default_factory=dict)
    """Readers of columns of stamps and of texts."""
    texts: dict[str, dict[str, int]] = field(default_factory=dict)
    """Numbers that stand for the texts of a column."""
    words: dict[str, tuple[int, str]] = field(default_factory=dict)
    point: tuple[int, str] | None = None
    """First row with a decimal point, and the cell."""
    comma: tuple[int, str] | None = None

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line."""
        return line.split() if self.delimiter is None else _cells(line, self.delimiter)


def read_text(
    file: Path,
) -> tuple[list[str], Array, int, dict[str, tuple[int, str]], dict[str, list[str]]]:
    """Read a text file whole.

    Returns:
        Names of the columns, numbers ``(rows, columns)`` with NaN for holes, number of the first
        row, the first word of each column that has words, and the texts that the numbers of a
        column of signals or joints stand for.

    Raises:
        FileError: if it cannot be read.
        MotionError: with file and row, if it is no table of numbers.
    """
    _refuse_other_formats(file)
    try:
        with file.open(encoding="utf-8-sig", errors="surrogateescape") as stream:
            layout, ahead = _layout(file, stream)
            blocks, row = [], layout.first
            for lines, last in _blocks(ahead, stream):
                blocks.append(_block(layout, lines, row, last))
                row += len(lines)
    except OSError as err:
        raise FileError(f"{file}: {err.strerror or err}") from None
    if not blocks:
        raise no_rows(file)
    if layout.comma is not None and layout.point is not None:
        (i, one), (k, other) = sorted([layout.comma, layout.point])
        raise MotionError(
            f"{file}: row {i} has {one!r} and row {k} has {other!r}: only one of comma and point"
            " is decimal; remove those between thousands"
        )
    texts = {name: list(codes) for name, codes in layout.texts.items()}
    values = np.empty((row - layout.first, len(layout.names)))
    while blocks:  # each is freed as it is copied
        block = blocks.pop()
        row -= len(block)
        values[row - layout.first :][: len(block)] = block
    return layout.names, values, layout.first, layout.words, texts


def no_rows(file: Path) -> MotionError:
    """Return the refusal of a file without rows."""
    return MotionError(
        f"{file}: there are no rows of numbers; was the log closed before it was written?"
    )


def is_number(cell: str) -> bool:
    """Return whether a cell holds a number, ``nan`` and ``inf`` included."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python takes 1_000 for a number


def _refuse_other_formats(file: Path) -> None:
    try:
        with file.open("rb") as stream:
            start = stream.read(8)
    except OSError as err:
        raise FileError(f"{file}: {err.strerror or err}") from None
    for mark, what in _NO_TEXT.items():
        if start.startswith(mark):
            raise MotionError(f"{file}: {what}")


def _layout(file: Path, stream: TextIO) -> tuple[_Layout, list[str]]:
    """Return the form of a file, and the rows of numbers that were read to find it."""
    row, header, comment = 0, "", ""
    for row, line in enumerate(stream, start=1):
        _refuse_zero_bytes(file, line, row)
        header = line.strip("\n")
        if header.lstrip().startswith(("#", "%")):
            comment, header = header.lstrip("#% \t"), ""
        elif header.strip():
            break
        else:
            header = ""
    if not header and not comment:
        raise MotionError(f"{file}: the file is empty")
    if not header:
        raise no_rows(file)
    if comment and header and _are_numbers(header):
        header, ahead = comment, [line]
    else:
        ahead = [line for line in [stream.readline()] if line]
        row += 1
    header = _decoded(header)
    delimiter = _delimiter(header, ahead)
    layout = _Layout(file, [], delimiter, row)
    layout.names = [cell.strip() for cell in layout.cells(header)]
    if any(is_number(name) for name in layout.names):
        raise MotionError(
            f"{file}: row {row - 1} holds numbers; put a header before it, such as"
            " t,q1_deg,..,tau1_Nm,.."
        )
    if len(layout.names) < 2:
        raise MotionError(
            f"{file}: row {row - 1} is {header[:60]!r}, one cell; it should name the columns,"
            " parted by commas, semicolons or tabs"
        )
    if ahead and (named := unit_row(layout.names, layout.cells(_decoded(ahead[0]).strip("\n")))):
        layout.names, ahead = named, [line for line in [stream.readline()] if line]
        layout.first += 1
    if ahead:
        _find_converters(layout, layout.cells(_decoded(ahead[0]).strip("\n")))
    return layout, ahead


def _delimiter(header: str, ahead: Sequence[str]) -> str | None:
    """Return the delimiter: one that parts header and first row into as many cells."""
    known = sorted(",;\t", key=header.count, reverse=True)
    for delimiter in known:
        counts = [len(_cells(line, delimiter)) for line in (header, *ahead)]
        if min(counts) > 1 and len(set(counts)) == 1:
            return delimiter
    spaced = [len(line.split()) for line in (header, *ahead)]
    if header.count(known[0]) == 0 and ahead and min(spaced) > 1 and len(set(spaced)) == 1:
        return None
    return known[0]


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # a cell of more than 131072 letters
        return line.split(delimiter)


def _are_numbers(line: str) -> bool:
    cells = re.split(r"[;\t ]+" if ";" in line or "\t" in line else r"[, ]+", line.strip())
    return all(is_number(cell.replace(",", ".")) or cell.lower() in _HOLES for cell in cells)


def _find_converters(layout: _Layout, cells: list[str]) -> None:
    for i, (name, cell) in enumerate(zip(layout.names, cells, strict=False)):
        if _STAMP.fullmatch(cell.strip()):
            with suppress(ValueError):  # 25:00:00
                layout.by_place[i] = _stamp_converter(_seconds(cell.strip()))
        elif _TEXTS.fullmatch(name.lower()) and not is_number(cell) and cell.strip():
            layout.by_place[i] = _text_converter(layout.texts.setdefault(name, {}))


def _stamp_converter(start: float) -> Callable[[str], float]:
    """Return the reader of stamps in seconds after the first, which keeps microseconds."""
    return lambda cell: _seconds(cell.strip()) - start


def _seconds(stamp: str) -> float:
    """Return a stamp in seconds, of a date since 2000 [s], which a float holds to 0.2 us.

    Raises:
        ValueError: if it is none.
    """
    dated = stamp if "-" in stamp[:8] else f"2000-01-01T{stamp.rjust(8, '0')}"
    moment = datetime.fromisoformat(dated.replace(",", "."))
    return (moment - datetime(2000, 1, 1, tzinfo=moment.tzinfo)).total_seconds()


def _text_converter(codes: dict[str, int]) -> Callable[[str], float]:
    def code(cell: str) -> float:
        if len(codes) >= _MOST_TEXTS and cell not in codes:
            raise ValueError(cell)
        return float(codes.setdefault(_decoded(cell.strip()), len(codes)))

    return code


def _blocks(ahead: list[str], stream: TextIO) -> Iterator[tuple[list[str], bool]]:
    """Yield blocks of lines, and whether each is the last; without blank lines at the end."""
    blank: list[str] = []
    block = ahead
    while following := list(islice(stream, _ROWS)):
        block, blank = [*blank, *block], []
        while block and not block[-1].strip():
            blank.insert(0, block.pop())
        if all(not line.strip() for line in following):
            blank += following
            continue
        if block:
            yield block, False
        block = following
    block = [*blank, *block] if block and block[-1].strip() else block
    while block and not block[-1].strip():
        block.pop()
    if block:
        yield block, True


def _block(layout: _Layout, lines: list[str], row: int, last: bool) -> Array:
    """Return the numbers of a block of lines whose first has this number."""
    text = "".join(lines)
    if "\0" in text:
        for i, line in enumerate(lines):
            _refuse_zero_bytes(layout.file, line, row + i)
    commas = layout.delimiter != "," and "," in text
    if not (commas and "." in text) and '"' not in text:
        with suppress(ValueError):
            cells: Array = np.loadtxt(
                text.replace(",", ".").splitlines() if commas else lines,
                dtype=np.float64,
                delimiter=layout.delimiter,
                comments=None,
                ndmin=2,
                converters=layout.by_place or None,
            )
            if cells.shape == (len(lines), len(layout.names)):
                if commas:
                    layout.comma = layout.comma or (row, _cell_with(",", lines, layout))
                elif "." in text:
                    layout.point = layout.point or (row, _cell_with(".", lines, layout))
                cells[~np.isfinite(cells)] = np.nan
                return cells
    return _cell_by_cell(layout, lines, row, last)


def _cell_with(mark: str, lines: Sequence[str], layout: _Layout) -> str:
    line = next(line for line in lines if mark in line)
    return next((cell.strip() for cell in layout.cells(line) if mark in cell), "")


def _cell_by_cell(layout: _Layout, lines: list[str], row: int, last: bool) -> Array:
    """Return the numbers of lines with holes, words, quotes, or rows of another length."""
    values = np.full((len(lines), len(layout.names)), np.nan)
    for i, line in enumerate(lines):
        cells = layout.cells(line.strip("\r\n"))
        if len(cells) != len(layout.names):
            why = _uneven(cells, len(layout.names), last and i == len(lines) - 1)
            raise MotionError(
                f"{layout.file}: row {row + i} has {len(cells)} cells, the header has"
                f" {len(layout.names)}; {why}"
            )
        for j, cell in enumerate(cells):
            try:
                values[i, j] = _value(layout, j, cell, row + i)
            except ValueError:
                if cell.strip().lower() not in _HOLES:
                    layout.words.setdefault(layout.names[j], (row + i, _decoded(cell)))
    values[~np.isfinite(values)] = np.nan
    return values


def _value(layout: _Layout, j: int, cell: str, row: int) -> float:
    """Return the number of a cell of column ``j``.

    Raises:
        ValueError: if there is none.
    """
    if j in layout.by_place:
        return layout.by_place[j](cell)
    if is_number(cell):
        if "." in cell:
            layout.point = layout.point or (row, cell.strip())
        return float(cell)
    number = cell.replace(",", ".")
    if layout.delimiter != "," and cell.count(",") == 1 and is_number(number):
        layout.comma = layout.comma or (row, cell.strip())
        return float(number)
    raise ValueError(cell)


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


def _refuse_zero_bytes(file: Path, line: str, row: int) -> None:
    if "\0" in line:
        raise MotionError(
            f"{file}: row {row} holds a zero byte, which no text has; is it damaged, or another"
            " format? save it as CSV in UTF-8"
        )


def _decoded(text: str) -> str:
    """Return text whose bytes are no UTF-8 as that of Windows-1252."""
    if any("\udc80" <= letter <= "\udcff" for letter in text):
        return text.encode("utf-8", "surrogateescape").decode("cp1252", errors="replace")
    return text
