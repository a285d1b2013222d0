"""Tables of a family made of its data sheet: kinematics.yaml, limits.yaml, springs.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .balancers import spring_row
from .datasheet import WITH_PARALLELOGRAM, Arm, DataSheet
from .forms import FORMS, LEVEL, SEVEN_AXIS_CHAIN, SLIDE, MdhForm
from .writing import Tables, plain

PINS = ("lower_pin_mm", "upper_pin_mm")
# of the IRB 660: about square to lower and upper arm in the middle of the ranges that palletizers
# share (lower arm -42 to 85 deg, upper arm 70 to 210 deg from the vertical), so that 25 deg are
# left at their ends, where a parallelogram holds worst
LEVEL_DEG = (-68.0, 50.0)


def tables_of_datasheet(sheet: DataSheet, arms: Sequence[Arm]) -> Tables:
    """Return the tables of a family: rows of the first variant, and what differs.

    They are kinematics and limits, and springs of an arm that has a balancer. A table names the
    sources that it cites, and no others.
    """
    first, *others = arms
    parts = {"base": sheet.base, "crank": sheet.crank}
    masses = {name: plain(row) for name, row in parts.items() if row is not None}
    kinematics, limits = _kinematics(first), _limits(first) | masses
    own_rows = {arm.name: (_kinematics(arm), _limits(arm)) for arm in others}
    for table, number in ((kinematics, 0), (limits, 1)):
        table["variants"] = {first.name: {}} | {
            name: _different(table, own[number]) for name, own in own_rows.items()
        }
    if any(arm.handling is None for arm in others) and "handling" in limits:
        # else variants without a load diagram would have the first one's
        limits["variants"][first.name] = {"handling": limits.pop("handling")}
    tables = {"kinematics": kinematics, "limits": limits}
    if sheet.balancers:
        springs, others_of = _springs(first), {arm.name: _springs(arm) for arm in others}
        changed = {
            name: own for name, rows in others_of.items() if (own := _different(springs, rows))
        }
        tables["springs"] = springs | ({"variants": changed} if changed else {})
    return {name: {"sources": _cited(sheet, table), **table} for name, table in tables.items()}


def _springs(arm: Arm) -> dict[str, Any]:
    rows = {name: plain(spring_row(row, arm.shoulder)) for name, row in arm.balancers.items()}
    return {"elements": rows}


def _kinematics(arm: Arm) -> dict[str, Any]:
    rows = _rows(arm)
    tool0 = rows.pop("tool0")
    table: dict[str, Any] = {"joints": rows, "tool0": tool0}
    if arm.build in WITH_PARALLELOGRAM:
        source = arm.lengths.source_of("crank_mm")
        table["parallelogram"] = {"crank_mm": plain(arm.length("crank_mm")), "source": source}
    if arm.build == "palletizer":
        table["level"] = _level(arm)
    if arm.arm_base is not None:
        table["arm_base"] = plain(arm.arm_base)
    return table


def _level(arm: Arm) -> dict[str, Any]:
    """Return the row of the joint that keeps the tool level, with the pins of its rods."""
    row = _row(arm, LEVEL, None)
    sources = row.pop("source")
    sources = dict.fromkeys(row, sources) if isinstance(sources, str) else sources
    angles = np.radians(arm.lengths.level_deg or LEVEL_DEG)
    for name, angle in zip(PINS, angles, strict=True):
        place = arm.length("level_mm") * np.array([np.sin(angle), np.cos(angle)])
        row[name] = np.round(place, 1).tolist()
        sources[name] = arm.lengths.source_of("level_mm")
    return row | {"source": sources}


def _limits(arm: Arm) -> dict[str, Any]:
    handling = {} if arm.handling is None else {"handling": plain(arm.handling)}
    return {"axes": plain(arm.axes), "ratings": plain(arm.ratings), **handling}


def _rows(arm: Arm) -> dict[str, dict[str, Any]]:
    """Return the MDH rows of joints and tool0, each number with its source."""
    joints, tool0 = FORMS[arm.build]
    thetas: Sequence[float | None] = [None] * len(joints)
    if arm.zero is not None:
        thetas = arm.zero.theta0_deg
    chain = SEVEN_AXIS_CHAIN if arm.build == "seven_axis" else range(1, len(joints) + 1)
    rows = {
        f"joint_{number}": _row(arm, form, theta0)
        for number, form, theta0 in zip(chain, joints, thetas, strict=True)
    }
    if arm.build == "scara":
        rows[SLIDE] = {"type": "prismatic", **rows[SLIDE]}
    return rows | {"tool0": _row(arm, tool0, None)}


def _row(arm: Arm, form: MdhForm, theta0: float | None) -> dict[str, Any]:
    """Return an MDH row; what the build fixes has the source of the first length of the row.

    Args:
        arm: Variant of the data sheet.
        form: Of the row.
        theta0: Angle of the zero posture that the data sheet states, None for the form's.
    """
    stated = [name for name in (form.a, form.d, form.of, "d1_mm") if _states(arm, name)]
    source = arm.lengths.source_of(stated[0])
    along = -arm.length(form.a) if form.back else arm.length(form.a)
    numbers = {"alpha_deg": form.alpha, "a_mm": along + 0.0, "d_mm": arm.length(form.d)}
    sources = dict.fromkeys((*numbers, "theta0_deg"), source)
    for key, name in (("a_mm", form.a), ("d_mm", form.d)):
        if _states(arm, name):
            sources[key] = arm.lengths.source_of(name)
    if theta0 is not None and arm.zero is not None:
        sources["theta0_deg"] = arm.zero.source_of("theta0_deg")
    numbers["theta0_deg"] = form.theta0 if theta0 is None else theta0
    same = len(set(sources.values())) == 1
    return {key: plain(float(value)) for key, value in numbers.items()} | {
        "source": source if same else sources
    }


def _states(arm: Arm, name: str) -> bool:
    return bool(name) and getattr(arm.lengths, name) is not None


def _different(table: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of a variant that are not the shared ones."""
    different: dict[str, Any] = {}
    for key, rows in own.items():
        if key in ("joints", "axes", "elements"):
            rows = {name: row for name, row in rows.items() if table[key][name] != row}
        if rows and table.get(key) != rows:
            different[key] = rows
    return different


def _cited(sheet: DataSheet, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sources that rows of a table name, in the order of the data sheet."""
    names: set[str] = set()
    rows: list[Any] = [table]
    while rows:
        row = rows.pop()
        if isinstance(row, Mapping):
            named = row.get("source")
            names |= {named} if isinstance(named, str) else set((named or {}).values())
            rows += [item for key, item in row.items() if key != "source"]
    return {name: plain(source) for name, source in sheet.sources.items() if name in names}
