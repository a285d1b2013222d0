"""Files of columns: text (CSV), Parquet, HDF5, MATLAB, and logs of clients."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...errors import FileError, MotionError
from ...model.types import Array
from ...trajectory.motion_files import is_parquet, open_parquet
from .array_files import SUFFIXES, read_arrays
from .client_logs import is_program_log, read_program_log, with_client_names
from .long_tables import wide_table
from .table import Table
from .text_tables import no_rows, read_text


def read_table(path: str | Path) -> Table:
    """Read a file whole.

    Raises:
        FileError: if it cannot be read.
        MissingExtra: for Parquet without pyarrow, or HDF5 without h5py.
        MotionError: if it is no table, has no rows, a row of another length, or a name twice.
    """
    file = Path(path)
    if file.is_dir():
        raise FileError(f"{file}: is a folder; name one file in it")
    if is_parquet(file):
        table = _from_parquet(file)
    elif file.suffix.lower() in SUFFIXES:
        columns, words = read_arrays(file)
        count = len(next(iter(columns.values())))
        table = Table(file, [*columns, *words], columns, words, 1 + np.arange(count))
    elif is_program_log(file):
        table = read_program_log(file)
    else:
        table = _from_text(file)
    table = with_client_names(wide_table(table))
    for name in table.names:
        if table.names.count(name) > 1:
            raise MotionError(
                f"{file}: row 1, column {name!r} stands there {table.names.count(name)} times;"
                " rename all but one"
            )
    return table


def _from_text(file: Path) -> Table:
    names, values, first, words, texts = read_text(file)
    columns = {
        name: column for name, column in zip(names, values.T, strict=True) if name not in words
    }
    return Table(file, names, columns, words, first + np.arange(len(values)), texts)


def _from_parquet(file: Path) -> Table:
    with open_parquet(file) as stream:
        table = stream.read()
    import pyarrow as pa

    if table.num_rows == 0:
        raise no_rows(file)
    columns: dict[str, Array] = {}
    words: dict[str, tuple[int, str]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
            values = column.cast(pa.float64()).to_numpy()
            columns[name] = np.where(np.isfinite(values), values, np.nan)
        else:
            words[name] = (1, str(column[0]))
    return Table(file, list(table.column_names), columns, words, 1 + np.arange(table.num_rows))


def close_to(name: str, names: Sequence[str]) -> str:
    """Return the hint of a message on a missing name that resembles another, in any case."""
    from difflib import get_close_matches

    lowered = {word.lower(): word for word in names}
    close = get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    return f", {lowered[close[0]]!r} comes close" if close else ""
