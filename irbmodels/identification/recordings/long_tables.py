"""Long tables: a row per time and axis, or per time and signal, made wide: a row per time.

Axes stand in a column ``axis`` or ``joint``, signals in a column ``signal`` with their values in
``value``. Each row of the wide table has the number of the first row of the file with its time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import MotionError
from ...model.types import Array
from .header_words import header_meaning
from .table import Table

_AXES = ("axis", "axis number", "axis_number", "joint", "joint_index", "joint name", "joint_name")
_SIGNALS = ("signal", "signal name", "signal_name", "name", "variable", "channel", "quantity")
_VALUES = ("value", "values", "data")
_HELD = 0.5  # of the cells of the wide table: below it the signals have times of their own


def wide_table(table: Table) -> Table:
    """Return a long table as a wide one; any other as it is.

    Raises:
        MotionError: with the row, if an axis is no whole number, a value stands there twice, or
            signals have different times.
    """
    axis = _one_of(table, _AXES)
    signal = _one_of(table, _SIGNALS) if _one_of(table, _VALUES) else ""
    times = [
        name for name in table.names if (said := header_meaning(name)) and said.quantity == "t"
    ]
    if not (axis or signal in table.texts) or len(times) != 1 or times[0] not in table.columns:
        return table
    if signal not in table.texts and len(np.unique(table.columns[times[0]])) == len(table.rows):
        return table  # a wide one, with a column that names the axis that is tested
    keys = [name for name in (signal, axis) if name]
    kept = _one_of(table, _VALUES) if signal else ""
    values = [kept] if signal else [name for name in table.columns if name not in (*keys, *times)]
    if not values:
        return table
    t = table.columns[times[0]]
    known = np.isfinite(t)
    for name in keys:
        known &= np.isfinite(table.columns[name])
    if not known.all():
        row = table.rows[np.flatnonzero(~known)[0]]
        raise MotionError(f"{table.path}: row {row}: no time, axis or signal; remove the row")
    wide, first, place = np.unique(t, return_index=True, return_inverse=True)
    columns = {times[0]: wide}
    codes, groups = np.unique(
        np.column_stack([table.columns[name] for name in keys]), axis=0, return_inverse=True
    )
    for k, code in enumerate(codes):
        rows = np.flatnonzero(groups.ravel() == k)
        _refuse_repeated(table, place[rows], rows, times[0])
        label = [_label(table, name, float(x), rows) for name, x in zip(keys, code, strict=True)]
        for name in values:
            column = np.full(len(wide), np.nan)
            column[place[rows]] = table.columns[name][rows]
            columns[_name("" if signal else name, label)] = column
    _refuse_apart(table, list(columns.values())[1:])
    names = [*columns, *(name for name in table.words if name not in columns)]
    return Table(table.path, names, columns, table.words, table.rows[first])


def _one_of(table: Table, names: Sequence[str]) -> str:
    return next((name for name in table.columns if name.strip().lower() in names), "")


def _label(table: Table, name: str, code: float, rows: NDArray[np.intp]) -> str:
    """Return the text or the number that a signal or an axis is called by."""
    if name in table.texts:
        return table.texts[name][int(code)]
    if code != round(code) or not 0.0 <= code < 100.0:
        raise MotionError(
            f"{table.path}: row {table.rows[rows[0]]}, column {name!r}: {code:g} is no number of an"
            " axis"
        )
    return f"[{code:.0f}]"


def _name(value: str, labels: Sequence[str]) -> str:
    """Return the name of a wide column: ``tau_Nm[2]``, ``tau_Nm J2``, or that of the signal."""
    return " ".join(label for label in (value, *labels) if label).replace(" [", "[", 1)


def _refuse_repeated(
    table: Table, place: NDArray[np.intp], rows: NDArray[np.intp], time: str
) -> None:
    ordered = np.argsort(place, kind="stable")
    again = np.flatnonzero(np.diff(place[ordered]) == 0)
    if again.size:
        row, other = (table.rows[rows[ordered[again[0] + k]]] for k in (1, 0))
        raise MotionError(
            f"{table.path}: row {row}, column {time!r}: row {other} has the same time, and the same"
            " axis or signal; write times with more digits, or remove one"
        )


def _refuse_apart(table: Table, columns: Sequence[Array]) -> None:
    held = np.mean([np.isfinite(column).mean() for column in columns])
    if held < _HELD:
        raise MotionError(
            f"{table.path}: of the signals at each time only {held:.0%} have a value: they have"
            " times of their own; resample them to one clock"
        )
