"""Balancers of a data sheet: springs and cylinders between link_1 and the lower arm."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..errors import InputError, TableError
from .reader import Row
from .schema import SpringRow
from .spring_rows import check_spring, existing_spring

AXIS = "axis_2"
_LAWS = {
    "coil": ("length_mm", "F0_N", "k_N_m"),
    "gas": ("length_mm", "F0_N", "column_mm", "exponent"),
}
_PIVOTS = ("link_1_pivot_mm", "link_2_pivot_mm")


@dataclass(frozen=True, kw_only=True)
class BalancerRow(Row):
    """Spring or cylinder between link_1 and link_2, the lower arm, which relieves axis 2.

    A number that is absent is unknown: the balancer is then in no torque.
    """

    kind: Literal["coil", "gas"]
    """Gas is a hydraulic cylinder with its accumulator, too."""
    link_1_pivot_mm: tuple[float, float] | None = None
    """(x, z) from the origin of the base, on the floor below axis 1, at 0 of all axes."""
    link_2_pivot_mm: tuple[float, float] | None = None
    """(x, z) from axis 2, at 0 of all axes."""
    length_mm: float | None = None
    """Distance of the pivots at which the force is F0."""
    F0_N: float | None = None
    """Positive where it pulls the pivots together."""
    k_N_m: float | None = None
    """Stiffness of a coil."""
    column_mm: float | None = None
    """Length of the gas at ``length_mm``: volume by area of the piston."""
    exponent: float | None = None

    @property
    def unknown(self) -> list[str]:
        """Numbers of its kind that are absent."""
        return [name for name in (*_PIVOTS, *_LAWS[self.kind]) if getattr(self, name) is None]


def spring_row(row: BalancerRow, shoulder: tuple[float, float]) -> dict[str, Any]:
    """Return the row of springs.yaml.

    Its plane is (x, -z) from axis 2, since a positive axis 2 turns forward towards down.

    Args:
        row: Of the data sheet.
        shoulder: Axis 2 (x, z) in base axes at home [mm].
    """
    numbers: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, origin, key in zip(
        _PIVOTS, (shoulder, (0.0, 0.0)), ("before_mm", "after_mm"), strict=True
    ):
        pivot = getattr(row, name)
        if pivot is not None:  # without digits that a subtraction leaves
            ahead, down = pivot[0] - origin[0], origin[1] - pivot[1]
            numbers[key] = [round(ahead, 6) + 0.0, round(down, 6) + 0.0]
            sources[key] = row.source_of(name)
    for name in dict.fromkeys(name for law in _LAWS.values() for name in law):
        if getattr(row, name) is not None:
            numbers[name], sources[name] = getattr(row, name), row.source_of(name)
    source = row.source if isinstance(row.source, str) else sources
    return {"axis": AXIS, "kind": row.kind, **numbers, "source": source}


def check_balancer(
    row: BalancerRow,
    shoulder: tuple[float, float],
    range_deg: tuple[float, float],
    file: Path,
    key: str,
) -> None:
    """Check that a balancer has the numbers of its kind, and exists over a range of axis 2.

    Raises:
        TableError: if not.
    """
    made = spring_row(row, shoulder)
    made |= {name: tuple(made[name]) for name in ("before_mm", "after_mm") if name in made}
    spring = SpringRow(**made)
    check_spring(spring, (AXIS,), (False,), file, key)
    lower, upper = (np.array([radians(end)]) for end in range_deg)
    try:
        existing_spring(spring, (AXIS,), lower, upper, np.array([False]))
    except InputError as err:
        raise TableError(file, key, str(err)) from None
