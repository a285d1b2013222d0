"""A user's own numbers of a spring that tables know in part, and the overlay that holds them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError, UnknownName
from .building import limits_of
from .description import Description
from .schema import SpringRow
from .spring_rows import existing_spring, line_of_pivots, numbers_of

_PAIRS = ("before_mm", "after_mm")


def part_of(robot: Description, name: str | None) -> str:
    """Return the name of a spring of a robot's tables; None for the only one.

    Raises:
        InputError: if there is none, or more than one to choose from.
        UnknownName: if there is none of that name.
    """
    parts = robot.springs.elements
    if not parts:
        raise InputError(
            f"{robot.name} has no spring or balancer in its tables; an overlay adds one: springs:"
            " {elements: {balancer: {axis: axis_2, kind: coil, ..., source: own}}}"
            " (docs/howto/springs.md)"
        )
    if name is None and len(parts) > 1:
        raise InputError(f"{robot.name} has {len(parts)} springs; say which: {', '.join(parts)}")
    if name is not None and name not in parts:
        raise UnknownName(f"spring of {robot.name}", name, parts)
    return next(iter(parts)) if name is None else name


def row_with(robot: Description, part: str, numbers: Iterable[str]) -> SpringRow:
    """Return the row of a spring with a user's numbers in it.

    Where pivots are known and ``length_mm`` is not, it is their distance at 0 of the axis.

    Args:
        robot: Tables.
        part: Name of the spring.
        numbers: Each ``NAME=NUMBER``; pivots ``NAME=NUMBER,NUMBER``.

    Raises:
        InputError: if one is none of its numbers, or the spring cannot exist on the range of its
            axis.
    """
    row = robot.springs.elements[part]
    linear = robot.linear[robot.axes.index(row.axis)]
    known = numbers_of(row, linear)
    given: dict[str, Any] = {}
    for text in numbers:
        name, equals, value = text.partition("=")
        if name not in known:
            raise UnknownName(f"number of the {part} of {robot.name}, a {row.kind},", name, known)
        if name in given:
            raise InputError(f"{text!r}: {name} is given twice")
        values = _floats(value) if equals else []
        wanted = 2 if name in _PAIRS else 1
        if len(values) != wanted:
            form = f"{name}=NUMBER{',NUMBER' if wanted == 2 else ''}"
            raise InputError(f"{text!r} is not {form}, with finite numbers")
        given[name] = tuple(values) if wanted == 2 else values[0]
    row = replace(row, **given)
    line = line_of_pivots(row, robot.axes)
    if line is not None and row.length_mm is None:
        row = replace(row, length_mm=round(1000.0 * float(line.distance(0.0)), 3))
    limits = limits_of(robot)
    try:
        existing_spring(row, robot.axes, *limits.envelope(), limits.linear)
    except InputError as err:
        raise InputError(f"{part} of {robot.name}: {err}") from None
    return row


def overlay_text(robot: Description, part: str, row: SpringRow) -> str:
    """Return an overlay that gives a spring of a robot the numbers of a row.

    Numbers that stay unknown are comments.
    """
    linear = robot.linear[robot.axes.index(row.axis)]
    own, title = robot.springs.elements.get(part), part.replace("_", " ")
    lines = [
        f"# {title.capitalize()} of {row.axis.replace('_', ' ')}, a {row.kind}, for --overlay;"
        " positive forces pull (docs/howto/springs.md).",
        f"robot: {robot.name}",
        f"about: own {title}",
        "sources:",
        '  own: {ref: "to be stated: paper, plate or measurement", grade: assumed}',
        "springs:",
        "  elements:",
        f"    {part}:",
    ]
    if own is None:
        lines += [f"      axis: {row.axis}", f"      kind: {row.kind}"]
    for name, value in numbers_of(row, linear).items():
        if value is None:
            lines.append(f"      # {name}: unknown; without it the {title} is in no torque")
        elif own is None or value != getattr(own, name):
            lines.append(f"      {name}: {_written(value)}")
    return "\n".join([*lines, "      source: own", ""])


def completing_command(robot: Description, part: str, unknown: Iterable[str]) -> str:
    """Return the command that gives a spring its unknown numbers, to be filled in."""
    missing = [name for name in unknown if name != "length_mm"]  # by default that at 0 of the axis
    blanks = " ".join(f"--set {name}={'X,Y' if name in _PAIRS else 'N'}" for name in missing)
    which = f" --part {part}" if len(robot.springs.elements) > 1 else ""
    return f"irbmodels balancer {robot.name}{which} {blanks} -o own.yaml"


def _floats(text: str) -> list[float]:
    """Return comma separated finite numbers, or an empty list if one is none."""
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        return []
    return values if np.isfinite(values).all() else []


def _written(value: float | tuple[float, float]) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return repr(float(value)).replace("e", ".0e") if "e" in repr(value) else f"{value:.15g}"
