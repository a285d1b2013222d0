"""Times of the rows of a log: clocks in two columns, rows out of order, stamps that repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import MotionError
from ...model.types import Array
from .recording import Finding
from .table import Table

# places by which a row may come late: messages overtake each other on a network
_LATE = 10
# rows per ascending run: below it a table is shuffled or runs backwards, above it logs follow
_RUN = 10
_DOUBLED = 0.01  # share of the rows whose stamp may repeat the one before
_EPOCH = 1e8  # [s]: a clock beyond three years counts from far away


def times_of(table: Table, time: Mapping[str, float]) -> Array:
    """Return the times [s] of the rows, from the first on where a clock counts from far away.

    Args:
        table: The file.
        time: One column of times, or whole seconds and their part, with factors to seconds.

    Raises:
        MotionError: if a row has no time.
    """
    parts = [table.columns[name] * factor for name, factor in time.items()]
    if len(parts) == 2:
        whole = max(parts, key=lambda part: np.nanmax(np.abs(part)))
        # seconds since 1970 would cost digits
        parts = [part - (part[0] if part is whole else 0.0) for part in parts]
    t: Array = np.sum(parts, axis=0)
    if not np.isfinite(t).all():
        row = table.rows[np.flatnonzero(~np.isfinite(t))[0]]
        raise MotionError(
            f"{table.path}: row {row}, column {next(iter(time))!r}: there is no time; remove the"
            " row"
        )
    return t - t.min() if np.abs(t).max(initial=0.0) > _EPOCH else t


def in_order(
    table: Table, t: Array, time: str, positions: Sequence[str]
) -> tuple[Table, Array, list[Finding]]:
    """Return a table and its times with rows in the order of time, each time once.

    Rows that came late, or a table that is shuffled or runs backwards, are sorted if the positions
    do not move farther then; of rows with one stamp the first is kept.

    Args:
        table: The file.
        t: Times of its rows [s].
        time: Name of their column.
        positions: Names of columns of positions.

    Raises:
        MotionError: with the row, if times go back otherwise, or too many repeat.
    """
    findings: list[Finding] = []
    back = np.flatnonzero(np.diff(t) < 0.0)
    if back.size:
        order = np.argsort(t, kind="stable")
        late = np.abs(order - np.arange(len(t))).max() <= _LATE
        if not (late or len(t) < _RUN * (back.size + 1)) or (
            _travel(table, order, positions) > 1.001 * _travel(table, slice(None), positions)
        ):
            raise _no_order(
                table, t, time, int(back[0]) + 1, "are two logs in one file? cut it there"
            )
        row = int(table.rows[back[0] + 1])
        findings.append(
            Finding("times go back here", "rows sorted by time", row, time, int(back.size))
        )
        table, t = _taken(table, order), t[order]
    again = np.flatnonzero(np.diff(t) <= 0.0) + 1
    if again.size:
        same = np.all([_equal(values, again) for values in table.columns.values()], axis=0)
        if (~same).sum() > max(1, _DOUBLED * len(t)):
            i = int(again[np.flatnonzero(~same)[0]])
            raise _no_order(table, t, time, i, "write times with more digits")
        for which, message in (
            (same, "rows stand there twice"),
            (~same, "rows have the time of another, with other values"),
        ):
            if which.any():
                row = int(table.rows[again[which][0]])
                text = f"{which.sum()} {message}"
                findings.append(
                    Finding(text, "the later ones are left out", row, time, which.sum())
                )
        kept = np.setdiff1d(np.arange(len(t)), again)
        table, t = _taken(table, kept), t[kept]
    return table, t, findings


def _no_order(table: Table, t: Array, time: str, i: int, advice: str) -> MotionError:
    return MotionError(
        f"{table.path}: row {table.rows[i]}, column {time!r}: {t[i]:.10g} s does not come after"
        f" {t[i - 1]:.10g} s; {advice}"
    )


def _travel(table: Table, order: NDArray[np.intp] | slice, positions: Sequence[str]) -> float:
    """Return the way that the positions go in an order of rows, each as a share of its span."""
    ways = [0.0]
    for name in positions:
        values = table.columns[name][order]
        values = values[np.isfinite(values)]
        if values.size and np.ptp(values) > 0.0:
            ways.append(float(np.abs(np.diff(values)).sum() / np.ptp(values)))
    return sum(ways)


def _equal(values: Array, again: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return whether values equal those of the row before, or are holes."""
    same: NDArray[np.bool_] = (values[again] == values[again - 1]) | np.isnan(values[again])
    return same


def _taken(table: Table, rows: NDArray[np.intp]) -> Table:
    columns = {name: values[rows] for name, values in table.columns.items()}
    return table._replace(columns=columns, rows=table.rows[rows])
