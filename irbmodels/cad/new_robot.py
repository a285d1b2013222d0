"""A robot of one's own: a copy of a shipped one's tables, or a family made from its data sheet."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import FileError, InputError
from ..tables.datasheet import Arm, DataSheet, datasheet_path, read_datasheet
from ..tables.datasheet_tables import tables_of_datasheet
from ..tables.writing import Tables, copy_robot, new_folder, write_tables
from .family_readme import readme

HEADER = "Written from datasheet.yaml by irbmodels new; change numbers there."
# what torque limits of arms follow, of which none is published
EFFORTS = {
    "ref": "no torque limit of this robot is published",
    "grade": "assumed",
    "how": (
        "bound, not a data sheet value: largest gravity torque inside the ranges, with the rated"
        " payload 100 mm before and 100 mm beside the flange centre, plus the largest inertia of"
        " the axis times its speed limit reached in 0.25 s; rounded up to two digits"
    ),
}


def new_robot(
    name: str,
    like: str | None = None,
    folder: str | Path | None = None,
    *,
    datasheet: str | Path | None = None,
) -> Path:
    """Write the folder of a robot of one's own.

    With ``like`` the tables of a shipped robot, every number marked as a copy, to be filled in.
    With ``datasheet`` a whole family: kinematics, limits, meshes, collision pieces, inertials at
    the catalogue mass, assumed efforts, SRDF, URDF and README; the same bytes for the same sheet.
    Where the mass of the robot is unknown it has no inertials.

    Args:
        name: Name of the robot, or of the family.
        like: Shipped robot of the same build.
        folder: Folder to make; it must not exist, or be empty. Default ``name``.
        datasheet: Data sheet (docs/own_robot.md): a file, or the name of a shipped one.

    Returns:
        The folder; ``irbmodels.load(folder)`` loads it, or ``folder/VARIANT`` if there are several.

    Raises:
        InputError: if both or none of ``like`` and ``datasheet`` are given, the folder holds
            anything, the name is none, or lengths cannot be drawn.
        UnknownName: if there is no robot ``like``, or no such data sheet.
        TableError: if the data sheet breaks the format, or its numbers are of no arm.
        MissingExtra: for a data sheet, if the extra ``cad`` is not installed.
        FileError: if the folder cannot be written; nothing is left half-written.
    """
    if (like is None) == (datasheet is None):
        raise InputError("a new robot is like a shipped one, or has a data sheet: give one of both")
    if like is not None:
        return copy_robot(name, like, name if folder is None else folder)
    target = new_folder(name, name if folder is None else folder).resolve()
    file = datasheet_path(str(datasheet))
    sheet, arms = read_datasheet(file, name)
    from .family import write_family  # needs the extra cad

    parent = target.parent / f".{target.name}-{secrets.token_hex(4)}"
    made = parent / target.name
    try:
        made.mkdir(parents=True)
        shutil.copyfile(file, made / "datasheet.yaml")
        write_tables(made, _tables(sheet, arms), HEADER)
        write_family(made)
        (made / "README.md").write_text(readme(name, sheet, arms), encoding="utf-8")
        if target.exists():
            target.rmdir()
        made.rename(target)
    except OSError as err:
        raise FileError(f"cannot write {target}: {err.strerror or err}") from err
    finally:
        shutil.rmtree(parent, ignore_errors=True)
    return target


def _tables(sheet: DataSheet, arms: Sequence[Arm]) -> Tables:
    """Return the tables that the rest of a family is made from; efforts are to be derived.

    Rows of variants whose mass is unknown have none.
    """
    tables = tables_of_datasheet(sheet, arms)
    limits = tables["limits"]
    own_rows = {name: own.get("axes", {}) for name, own in limits["variants"].items()}
    for arm in (arm for arm in arms if arm.ratings.mass_kg is not None):
        limits["sources"]["rule"] = EFFORTS
        for row in (limits["axes"] | own_rows[arm.name]).values():
            _assume_effort(row)
    unknown = {"about": "to be derived", "links": {}}
    tables["inertials"] = {"sources": {}, "default": "unknown", "sets": {"unknown": unknown}}
    tables["shapes"] = {"links": {}}
    return tables


def _assume_effort(row: dict[str, Any]) -> None:
    """Mark the effort of an axis as one of the rule, unless the data sheet states it."""
    name = "effort_N" if "range_mm" in row else "effort_N_m"
    if name in row:
        return
    numbers = [key for key in row if key not in ("source", "range_of")]
    source = row.pop("source")
    sources = dict.fromkeys(numbers, source) if isinstance(source, str) else source
    row |= {name: 1, "source": {**sources, name: "rule"}}
