"""A robot of one's own: a copy of a shipped one's tables, or a family made from its data sheet."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from ..errors import FileError, InputError
from ..tables.datasheet import datasheet_path, read_datasheet
from ..tables.description import Description
from ..tables.writing import copy_robot, new_folder
from .output import SHEET


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
        datasheet: Data sheet (docs/howto/own_robot.md): a file, or the name of a shipped one.

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
    _, arms = read_datasheet(file, name)
    from .family import write_family  # needs the extra cad

    parent = target.parent / f".{target.name}-{secrets.token_hex(4)}"
    made = parent / target.name
    try:
        made.mkdir(parents=True)
        shutil.copyfile(file, made / SHEET)
        write_family(Description(arms[0].name, made))
        if target.exists():
            target.rmdir()
        made.rename(target)
    except OSError as err:
        raise FileError(f"cannot write {target}: {err.strerror or err}") from err
    finally:
        shutil.rmtree(parent, ignore_errors=True)
    return target
