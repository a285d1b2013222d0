"""kinematics.yaml, limits.yaml and springs.yaml of a family, written from its data sheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..tables.datasheet import Arm, read_datasheet
from ..tables.datasheet_tables import tables_of_datasheet
from ..tables.description import Description
from ..tables.reader import read
from ..tables.schema import LimitsTable
from ..tables.writing import plain, table_text
from .efforts import RULE, RULE_SOURCE, follows_rule
from .output import SHEET, Files

HEADERS = {
    "kinematics": "Modified DH rows (Craig), T = Rx(alpha) Tx(a) Rz(theta0 + q) Tz(d).",
    "limits": "Ranges, speeds, efforts and ratings.",
    "springs": "Balancers; numbers that are absent are unknown.",
}
WRITTEN = "Written from datasheet.yaml: change numbers there."


def table_files(robots: Sequence[Description]) -> Files:
    """Return the tables that the data sheet of a family states; none without a data sheet.

    Efforts that are to follow the rule keep the number that limits.yaml has, and are 1 where it has
    none: the step ``limits`` derives them. Variants whose mass is unknown have none of their own,
    nor has an axis whose speed is unknown.

    Raises:
        TableError: if the data sheet breaks the format, or limits.yaml, which is there already.
    """
    folder = robots[0].folder
    if not (folder / SHEET).is_file():
        return {}
    sheet, arms = read_datasheet(folder / SHEET, robots[0].name)
    tables = tables_of_datasheet(sheet, arms)
    _assume_efforts(tables["limits"], arms, _derived(folder / "limits.yaml"))
    return {
        Path(f"{name}.yaml"): table_text(table, f"{HEADERS[name]} {WRITTEN}")
        for name, table in tables.items()
    }


def _derived(file: Path) -> dict[tuple[str, str], float]:
    """Return the efforts by the rule that are there, by (variant or '', axis)."""
    if not file.is_file():
        return {}
    table = read(file, LimitsTable)
    rows = {"": table.axes} | {name: own.axes for name, own in table.variants.items()}
    return {
        (variant, axis): row.effort_N_m or row.effort_N or 1.0
        for variant, axes in rows.items()
        for axis, row in axes.items()
        if follows_rule(row)
    }


def _assume_efforts(
    limits: dict[str, Any], arms: Sequence[Arm], derived: dict[tuple[str, str], float]
) -> None:
    """Add the effort by the rule to rows of variants whose mass is known, where none is stated.

    The rule needs the speed of the axis. A variant of unknown mass beside them has its rows
    without.
    """
    shared = {axis: dict(row) for axis, row in limits["axes"].items()}
    for arm in (arm for arm in arms if arm.ratings.mass_kg is not None):
        own = limits["variants"][arm.name].get("axes", {})
        for axis, row in (limits["axes"] | own).items():
            linear = "range_mm" in row
            name, speed = ("effort_N", "speed_mm_s") if linear else ("effort_N_m", "speed_deg_s")
            if name in row or speed not in row:
                continue
            numbers = [key for key in row if key not in ("source", "range_of", "bound_of")]
            source = row.pop("source")
            sources = dict.fromkeys(numbers, source) if isinstance(source, str) else source
            effort = derived.get((arm.name if axis in own else "", axis), 1.0)
            row |= {name: plain(effort), "source": {**sources, name: RULE}}
            limits["sources"][RULE] = RULE_SOURCE
    for arm in (arm for arm in arms if arm.ratings.mass_kg is None):
        changed = {axis: row for axis, row in shared.items() if row != limits["axes"][axis]}
        if changed:
            own = limits["variants"][arm.name]
            own["axes"] = changed | own.get("axes", {})
