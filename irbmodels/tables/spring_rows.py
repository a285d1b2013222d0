"""Rows of springs, balancers and torque offsets: checked, made into elements, and written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import TableError
from ..model.axis_springs import check_springs
from ..model.springs import (
    CoilSpring,
    GasSpring,
    PullingElement,
    Spring,
    TorqueOffset,
    TorsionSpring,
)
from ..model.types import Array, Mask
from .reader import check_known
from .schema import SpringRow

_PIVOTS = {"before": "before_mm", "after": "after_mm", "length": "length_mm", "F0": "F0_N"}


class Kind(NamedTuple):
    """Element of a row, and the fields of the row by the arguments of the element."""

    element: type[Spring]
    rotary: dict[str, str]
    linear: dict[str, str]
    """Empty where a linear axis cannot have one."""

    def fields(self, linear: bool) -> dict[str, str]:
        """Return the fields for a linear or a rotary axis."""
        return self.linear if linear else self.rotary


KINDS = {
    "offset": Kind(TorqueOffset, {"offset": "offset_N_m"}, {"offset": "offset_N"}),
    "torsion": Kind(
        TorsionSpring,
        {"k": "k_N_m_rad", "rest": "rest_deg"},
        {"k": "k_N_m", "rest": "rest_mm"},
    ),
    "coil": Kind(CoilSpring, _PIVOTS | {"k": "k_N_m"}, {}),
    "gas": Kind(GasSpring, _PIVOTS | {"column": "column_mm", "exponent": "exponent"}, {}),
}
_FIELDS = {
    name for kind in KINDS.values() for name in (*kind.rotary.values(), *kind.linear.values())
}


def check_spring(
    row: SpringRow, axes: Sequence[str], linear: Sequence[bool], file: Path, key: str
) -> None:
    """Check that a row has the numbers of its kind, in the units of its axis, and no others.

    Those that are absent are unknown.

    Raises:
        TableError: if not.
    """
    check_known("axis", [row.axis], axes, file, f"{key}.axis")
    slides = linear[axes.index(row.axis)]
    wanted = KINDS[row.kind].fields(slides)
    if not wanted:
        raise TableError(file, key, f"a {row.kind} needs an axis that turns; {row.axis} slides")
    given = {name for name in _FIELDS if getattr(row, name) is not None}
    if wrong := given - set(wanted.values()):
        kind = f"a {row.kind} of {'a linear' if slides else 'a rotary'} axis"
        raise TableError(
            file, key, f"{kind} has {', '.join(wanted.values())}; see {', '.join(sorted(wrong))}"
        )


def numbers_of(row: SpringRow, linear: bool) -> dict[str, Any]:
    """Return the numbers of a row by their fields; None where one is unknown."""
    return {name: getattr(row, name) for name in KINDS[row.kind].fields(linear).values()}


def unknown_numbers(row: SpringRow, linear: bool) -> list[str]:
    """Return the fields of a row that are unknown."""
    return [name for name, value in numbers_of(row, linear).items() if value is None]


def existing_spring(
    row: SpringRow, axes: Sequence[str], lower: Array, upper: Array, linear: Mask
) -> Spring | None:
    """Return the element of a checked row, None if a number of it is unknown.

    Args:
        row: The row.
        axes: Names of the axes.
        lower: Ranges of the axes [rad, m], shape ``(n,)``.
        upper: Their other ends.
        linear: True for axes that slide.

    Raises:
        InputError: if it cannot exist on the range of its axis; of unknown forces pivots decide.
    """
    element = spring_of(row, axes, linear.tolist())
    made = line_of_pivots(row, axes) if element is None else element
    check_springs([] if made is None else [made], lower, upper, linear)
    return element


def line_of_pivots(row: SpringRow, axes: Sequence[str]) -> PullingElement | None:
    """Return an element without force between the pivots of a row, None where one is unknown."""
    if row.before_mm is None or row.after_mm is None:
        return None
    before, after = (_si(pivot, "_mm") for pivot in (row.before_mm, row.after_mm))
    return CoilSpring(axes.index(row.axis) + 1, before, after, length=0.0, F0=0.0, k=0.0)


def spring_of(row: SpringRow, axes: Sequence[str], linear: Sequence[bool]) -> Spring | None:
    """Return the element of a row, None if a number of it is unknown.

    Raises:
        InputError: if it has impossible numbers.
    """
    place = axes.index(row.axis)
    if None in numbers_of(row, linear[place]).values():
        return None
    fields = KINDS[row.kind].fields(linear[place])
    given = {name: _si(getattr(row, field), field) for name, field in fields.items()}
    return KINDS[row.kind].element(axis=place + 1, **given)


def spring_rows(
    springs: Sequence[Spring], axes: Sequence[str], linear: Sequence[bool]
) -> dict[str, dict[str, Any]]:
    """Return elements as rows without sources, by names such as ``coil_2``.

    Args:
        springs: The elements.
        axes: Names of the axes of the robot.
        linear: True for axes that slide.
    """
    rows: dict[str, dict[str, Any]] = {}
    for spring in springs:
        kind = next(name for name, kind in KINDS.items() if isinstance(spring, kind.element))
        name = base = f"{kind}_{spring.axis}"
        count = 1
        while name in rows:
            count += 1
            name = f"{base}_{count}"
        row: dict[str, Any] = {"axis": axes[spring.axis - 1], "kind": kind}
        for argument, field in KINDS[kind].fields(linear[spring.axis - 1]).items():
            row[field] = _written(getattr(spring, argument), field)
        rows[name] = row
    return rows


def _si(value: Any, field: str) -> Any:
    if isinstance(value, tuple | list):
        return tuple(_si(x, field) for x in value)
    if field.endswith("_mm"):
        return value / 1000.0
    return math.radians(value) if field.endswith("_deg") else value


def _written(value: Any, field: str) -> Any:
    """Return the number of a field; the inverse of :func:`_si`."""
    if isinstance(value, tuple):
        return [_written(x, field) for x in value]
    if field.endswith("_mm"):
        return value * 1000.0
    return math.degrees(value) if field.endswith("_deg") else value
