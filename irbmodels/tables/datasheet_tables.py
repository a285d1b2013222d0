"""Tables of a family made of its data sheet: kinematics.yaml and limits.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .datasheet import Arm, Build, DataSheet
from .writing import Tables, plain


class MdhForm(NamedTuple):
    """Modified DH row of a build: angles [deg], and names of lengths, "" for 0."""

    alpha: float
    a: str
    d: str
    theta0: float


_SIX = (
    MdhForm(0, "", "d1_mm", 0),
    MdhForm(-90, "a1_mm", "", -90),
    MdhForm(0, "a2_mm", "d3_mm", 0),
    MdhForm(-90, "a3_mm", "d4_mm", 0),
    MdhForm(90, "", "", 180),
    MdhForm(90, "", "", 0),
)
# axis 3 is positive upwards; axis 4 and the tool look down
_SCARA = (
    MdhForm(0, "", "d1_mm", 0),
    MdhForm(0, "a1_mm", "d2_mm", 0),
    MdhForm(0, "a2_mm", "d3_mm", 0),
    MdhForm(180, "", "", 0),
)
FORMS: dict[Build, tuple[tuple[MdhForm, ...], MdhForm]] = {
    "serial": (_SIX, MdhForm(0, "", "d6_mm", 0)),
    "parallelogram": (_SIX, MdhForm(0, "", "d6_mm", 0)),
    "scara": (_SCARA, MdhForm(0, "", "", 0)),
}
"""Rows of the joints, and of tool0."""
SLIDE = "joint_3"  # of a SCARA


def tables_of_datasheet(sheet: DataSheet, arms: Sequence[Arm]) -> Tables:
    """Return kinematics and limits of a family: rows of the first variant, and what differs.

    A table names the sources that it cites, and no others.
    """
    first, *others = arms
    base = {} if sheet.base is None else {"base": plain(sheet.base)}
    kinematics: dict[str, Any] = {"joints": _joints(first), "tool0": _tool0(first)}
    if first.build == "parallelogram":
        crank = {"crank_mm": plain(first.length("crank_mm"))}
        kinematics["parallelogram"] = crank | {"source": first.lengths.source_of("crank_mm")}
    limits = _limits(first) | base
    kinematics["variants"], limits["variants"] = {first.name: {}}, {first.name: {}}
    for arm in others:
        joints = _different(kinematics["joints"], _joints(arm))
        kinematics["variants"][arm.name] = {"joints": joints} if joints else {}
        own = _limits(arm)
        axes = _different(limits["axes"], own.pop("axes"))
        changed = {key: row for key, row in own.items() if limits.get(key) != row}
        limits["variants"][arm.name] = ({"axes": axes} if axes else {}) | changed
    return {
        "kinematics": {"sources": _cited(sheet, kinematics), **kinematics},
        "limits": {"sources": _cited(sheet, limits), **limits},
    }


def _limits(arm: Arm) -> dict[str, Any]:
    handling = {} if arm.handling is None else {"handling": plain(arm.handling)}
    return {"axes": plain(arm.axes), "ratings": plain(arm.ratings), **handling}


def _joints(arm: Arm) -> dict[str, dict[str, Any]]:
    rows = {
        f"joint_{number + 1}": _row(arm, form, None if arm.zero is None else number)
        for number, form in enumerate(FORMS[arm.build][0])
    }
    if arm.build == "scara":
        rows[SLIDE] = {"type": "prismatic", **rows[SLIDE]}
    return rows


def _tool0(arm: Arm) -> dict[str, Any]:
    return _row(arm, FORMS[arm.build][1], None)


def _row(arm: Arm, form: MdhForm, zero: int | None) -> dict[str, Any]:
    """Return an MDH row, each number with its source; those of the form have that of ``d1``.

    Args:
        arm: Variant of the data sheet.
        form: Of the row.
        zero: Place of its ``theta0`` in the zero posture of the data sheet, None for the form's.
    """
    numbers = {"alpha_deg": form.alpha, "a_mm": arm.length(form.a), "d_mm": arm.length(form.d)}
    of_form = arm.lengths.source_of("d1_mm")
    sources = {"alpha_deg": of_form}
    for key, name in (("a_mm", form.a), ("d_mm", form.d)):
        known = bool(name) and getattr(arm.lengths, name) is not None
        sources[key] = arm.lengths.source_of(name) if known else of_form
    numbers["theta0_deg"], sources["theta0_deg"] = form.theta0, of_form
    if zero is not None and arm.zero is not None:
        numbers["theta0_deg"] = arm.zero.theta0_deg[zero]
        sources["theta0_deg"] = arm.zero.source_of("theta0_deg")
    same = len(set(sources.values())) == 1
    return {key: plain(float(value)) for key, value in numbers.items()} | {
        "source": of_form if same else sources
    }


def _different(
    rows: Mapping[str, Mapping[str, Any]], own: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    return {name: row for name, row in own.items() if rows.get(name) != row}


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
