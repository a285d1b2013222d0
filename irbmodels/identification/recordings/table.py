"""Columns of a file, and the rows that they stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array

Rows = NDArray[np.intp]
"""Rows of a file by their numbers in it, ``(N,)``: the header of a text file is in row 1."""


class Table(NamedTuple):
    """Columns of a file."""

    path: Path
    names: list[str]
    columns: dict[str, Array]
    """Those that hold numbers, and holes as NaN."""
    words: Mapping[str, tuple[int, str]]
    """Columns that hold something else: the first row of it, and what it is."""
    rows: Rows
    texts: Mapping[str, Sequence[str]] = {}
    """Of columns that name signals or joints: the texts, whose places the columns hold."""
