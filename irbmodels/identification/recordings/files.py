"""Tables of numbers in CSV and Parquet files, holes included, and how a recording stands in them."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import FileError, MotionError, require
from ...files import replacing
from ...logs import names_and_factors
from .recording import QUANTITIES, Recording

Array = NDArray[np.float64]

PARQUET = ".parquet"
_HOLES = frozenset(("", "nan", "-nan", "inf", "-inf", "+inf", "na", "n/a", "null", "none", "-", "1.#qnan", "#n/a"))
"""What programs write where they have no number, in lower case."""


class Table(NamedTuple):
    """Columns of a file."""

    path: Path
    names: list[str]
    columns: dict[str, Array]
    """Those that hold numbers, and holes as NaN."""
    words: dict[str, tuple[int, str]]
    """Columns that hold something else: the first row of it, and what it is."""
    first: int
    """Number of the first row of numbers: 2 in a CSV file, whose header is row 1; 1 in a Parquet file."""


def read_table(path: str | Path) -> Table:
    """Read a file whole.

    Raises:
        FileError: if it cannot be read.
        MissingExtra: for Parquet without pyarrow.
        MotionError: if it is no table, has a row of another length, or a name twice.
    """
    file = Path(path)
    table = _from_parquet(file) if file.suffix.lower() == PARQUET else _from_csv(file)
    for name in table.names:
        if table.names.count(name) > 1:
            raise MotionError(f"{file}: row 1, column {name!r} stands there {table.names.count(name)} times; rename all but one")
    if not table.columns or not len(next(iter(table.columns.values()))):
        raise MotionError(f"{file}: there are no rows of numbers; was the log closed before it was written?")
    return table


def _from_csv(file: Path) -> Table:
    try:
        lines = file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError as err:
        raise FileError(f"{file}: {err.strerror or err}") from None
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise MotionError(f"{file}: the file is empty")
    delimiter = max(",;\t", key=lines[0].count)
    if len(lines) == 1:
        raise MotionError(f"{file}: there are no rows of numbers; was the log closed before it was written?")
    names = [cell.strip() for cell in next(csv.reader([lines[0]], delimiter=delimiter), [])]
    if any(_is_number(name) for name in names):
        raise MotionError(f"{file}: row 1 holds numbers; put a header before it, such as t,q1_deg,..,tau1_Nm,..")
    try:
        cells = np.loadtxt(lines[1:], delimiter=delimiter, comments=None, quotechar='"', ndmin=2, dtype=float)
        if cells.shape == (len(lines) - 1, len(names)):
            return Table(
                file, names, {name: np.where(np.isfinite(x), x, np.nan) for name, x in zip(names, cells.T, strict=True)}, {}, 2
            )
    except ValueError:
        pass  # there are holes, words or rows of another length: slowly then
    columns, words = _cell_by_cell(file, lines[1:], names, delimiter)
    return Table(file, names, columns, words, 2)


def _cell_by_cell(
    file: Path, lines: list[str], names: list[str], delimiter: str
) -> tuple[dict[str, Array], dict[str, tuple[int, str]]]:
    values = np.full((len(lines), len(names)), np.nan)
    words: dict[str, tuple[int, str]] = {}
    for i, line in enumerate(lines):
        cells = next(csv.reader([line], delimiter=delimiter), [])
        if len(cells) != len(names):
            last = "; the last row may be cut off: remove it" if i == len(lines) - 1 else "; is a comma a decimal point there?"
            raise MotionError(f"{file}: row {i + 2} has {len(cells)} cells, the header has {len(names)}{last}")
        for j, cell in enumerate(cells):
            if _is_number(cell):
                values[i, j] = float(cell)
            elif cell.strip().lower() not in _HOLES:
                words.setdefault(names[j], (i + 2, cell))
    values[~np.isfinite(values)] = np.nan
    return {name: column for name, column in zip(names, values.T, strict=True) if name not in words}, words


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return cell.strip().lower() not in _HOLES


def _from_parquet(file: Path) -> Table:
    require("pyarrow", "logs")
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(file)
    except OSError as err:
        raise FileError(f"{file}: {err.strerror or err}") from None
    except pa.ArrowException as err:
        raise MotionError(f"{file} is no Parquet file: {err}") from None
    columns: dict[str, Array] = {}
    words: dict[str, tuple[int, str]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type) or pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
            values = column.cast(pa.float64()).to_numpy()
            columns[name] = np.where(np.isfinite(values), values, np.nan)
        else:
            words[name] = (1, str(column[0]) if len(column) else "")
    return Table(file, list(table.column_names), columns, words, 1)


def write_recording(path: str | Path, recording: Recording) -> None:
    """Write a recording; see :meth:`Recording.save`."""
    columns = dict(_columns(recording))
    with replacing(path) as temporary:
        if Path(path).suffix.lower() == PARQUET:
            require("pyarrow", "logs")
            import pyarrow as pa
            from pyarrow import parquet

            parquet.write_table(pa.table(columns), temporary)
        else:
            header = ",".join(f'"{name}"' if "," in name else name for name in columns)
            np.savetxt(temporary, np.column_stack(list(columns.values())), delimiter=",", fmt="%.12g", header=header, comments="")


def _columns(recording: Recording) -> Iterator[tuple[str, Array]]:
    yield "t", recording.t
    for quantity in QUANTITIES:
        values: Array | None = getattr(recording, quantity)
        if values is not None:
            names, factor = names_and_factors(quantity, recording.linear)
            yield from zip(names, (values / factor).T, strict=True)
    if recording.flags.any():
        yield from ((f"flags{i + 1}", column.astype(float)) for i, column in enumerate(recording.flags.T))
    if recording.synthetic:
        yield "synthetic", np.ones(len(recording))
    yield from recording.more.items()


def close_to(name: str, names: Sequence[str]) -> str:
    """Return what a message says of a name that is missing, where another comes close."""
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=1, cutoff=0.5)
    return f", {close[0]!r} comes close" if close else ""
