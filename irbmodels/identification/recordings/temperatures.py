"""Temperatures of drives: columns ``temp1_degC ..`` of a log, one per axis that has a sensor."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ...model.types import Array

TEMPERATURE = re.compile(r"temp([1-9]\d?)_degC")
"""Names of columns, with the number of the axis."""
# [deg C] windings of class H end at 180 [IEC 60085], and 200 K is colder than any drive works
HOTTEST = 200.0


def implausible_temperature(columns: Mapping[str, Array]) -> tuple[int, str, str] | None:
    """Return the first temperature that is none in [deg C]: its sample, its column, and why."""
    for name, values in columns.items():
        if TEMPERATURE.fullmatch(name) and (values > HOTTEST).any():
            i = int(np.argmax(values > HOTTEST))
            advice = f"columns={{{name!r}: {{'column': 'its name', 'offset': -273.15}}}}"
            return i, name, f"{values[i]:g} deg C is no temperature of a drive; of kelvin {advice}"
    return None


def drive_temperatures(t: Array, columns: Mapping[str, Array], n: int) -> Array | None:
    """Return temperatures of drives [deg C], ``(N, n)``; None if there is none.

    NaN for axes without a column, or with none but empty cells. Single empty cells lie on straight
    lines between their neighbours, those at the ends are like the nearest: temperatures of drives
    change within minutes.

    Args:
        t: Times [s], shape ``(N,)``.
        columns: By their names, others included.
        n: Number of axes.
    """
    result = np.full((len(t), n), np.nan)
    for axis in range(n):
        values = columns.get(f"temp{axis + 1}_degC")
        if values is not None and (known := np.isfinite(values)).any():
            result[:, axis] = np.interp(t, t[known], values[known])
    return None if np.isnan(result).all() else result
