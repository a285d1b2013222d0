"""Springs whose coefficients a fit of torques holds, and their rows in the file of a set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...model.axis_springs import parameters
from ...model.spring_geometry import kinds_of
from ...model.springs import PullingElement, Spring
from ...model.types import Array, Mask
from ...robot.robot import Robot
from ...tables.schema import SpringRow
from ...tables.spring_rows import KINDS, line_of_pivots, spring_of, spring_rows

SOURCES = {
    "given": {"ref": "given in Python", "grade": "assumed"},
    "convention": {
        "ref": "chosen beside fitted numbers: torques tell no size of the pivots, and no exponent",
        "grade": "assumed",
    },
}
"""Sources of numbers that are not fitted and in no table."""


def fitted_springs(vector: Array, seen: Mask, robot: Robot) -> tuple[Spring, ...]:
    """Return a robot's springs with the coefficients that a fit holds, the others as they are.

    Args:
        vector: In the order of ``robot.parameter_vector()``.
        seen: True for parameters that a sum of the fit holds.
        robot: The robot.
    """
    own = parameters(robot.springs)
    first = vector.size - own.size
    values = np.where(seen[first:], vector[first:], own)
    ends = np.cumsum([len(spring.coefficients) for spring in robot.springs])
    parts = np.split(values, ends[:-1]) if len(ends) else []
    return tuple(
        spring.with_values(part) for spring, part in zip(robot.springs, parts, strict=True)
    )


def add_springs(
    overlay: dict[str, Any], robot: Robot, fitted: Sequence[Spring], geometry: Sequence[str] = ()
) -> None:
    """Add springs to the tables of a set, fitted numbers with the source ``fit``.

    Of a spring that the robot's tables have, only the numbers that were fitted are written; of one
    of unknown force that was found between pivots of the tables, all but the pivots.

    Args:
        overlay: Tables of the set.
        robot: Of the fit.
        fitted: Its springs as they were fitted.
        geometry: Names of fitted parameters, those of geometry such as ``rest_2`` among them.
    """
    rows = dict(_rows(robot, fitted, set(geometry)))
    if not rows:
        return
    overlay["springs"] = {"elements": rows}
    named = {source for row in rows.values() for source in row["source"].values()}
    for name in sorted(named & set(SOURCES)):
        overlay["sources"][name] = SOURCES[name]


def _rows(
    robot: Robot, fitted: Sequence[Spring], geometry: set[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    described = robot.description
    axes = robot.axes if described is None else described.axes
    linear = robot.limits.linear.tolist()
    elements = {} if described is None else described.springs.elements
    known = {name: spring_of(row, axes, linear) for name, row in elements.items()}
    whole = spring_rows(fitted, axes, linear)
    for (name, row), before, after in zip(whole.items(), robot.springs, fitted, strict=True):
        fields = KINDS[row["kind"]].fields(linear[before.axis - 1])
        changed = {
            fields[item.field]
            for item in before.coefficients
            if getattr(before, item.field) != getattr(after, item.field)
        }
        in_tables = next((one for one, spring in known.items() if spring == before), None)
        if in_tables is not None:
            known.pop(in_tables)
            if changed:
                own = {field: row[field] for field in sorted(changed)}
                yield in_tables, own | {"source": dict.fromkeys(sorted(changed), "fit")}
            continue
        kinds = [kind for kind in kinds_of(after) if f"{kind}_{after.axis}" in geometry]
        if kinds:
            changed |= {fields[kind.partition("_")[0]] for kind in kinds}
            changed |= {fields[item.field] for item in before.coefficients}
        between = _between_known_pivots(after, elements, axes)
        other = "convention" if kinds or between is not None else "given"
        sources = {field: "fit" if field in changed else other for field in fields.values()}
        if between is not None:
            law = sorted(set(fields.values()) - {"before_mm", "after_mm"})
            own = {field: row[field] for field in law}
            yield between, own | {"source": {field: sources[field] for field in law}}
            continue
        while name in elements:
            name = f"{name}_given"
        yield name, row | {"source": sources}


def _between_known_pivots(
    spring: Spring, elements: Mapping[str, SpringRow], axes: Sequence[str]
) -> str | None:
    """Return the name of the row of unknown force whose pivots an element has."""
    if not isinstance(spring, PullingElement):
        return None
    for name, row in elements.items():
        line = line_of_pivots(row, axes)
        if line is not None and (line.axis, line.before, line.after) == (
            spring.axis,
            spring.before,
            spring.after,
        ):
            return name
    return None
