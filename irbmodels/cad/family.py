"""Everything that follows from the data sheet of a family, or from its tables, written beside it.

from irbmodels.cad.family import write_family

write_family("my_arm", steps=["meshes"])

Raises on import:
    MissingExtra: if manifold3d or trimesh, of the extra ``cad``, is not installed.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ..checks import as_list, as_path
from ..errors import FileError, InputError, UnknownName, require
from ..tables.description import Description

require("manifold3d", "cad")
require("trimesh", "cad")

from .efforts import limits_file  # noqa: E402
from .family_readme import readme_file  # noqa: E402
from .inertial_sets import inertials_file  # noqa: E402
from .meshes import mesh_files  # noqa: E402
from .output import Files, differing, family_of, write  # noqa: E402
from .srdf import srdf_files  # noqa: E402
from .table_files import table_files  # noqa: E402


def urdf_files(robots: Sequence[Description]) -> Files:
    """Return the URDF of every variant, and of its open chain where it has a parallelogram.

    Paths of meshes are relative to the file; no tool is mounted.
    """
    return {
        Path(f"{robot.name}{'_serial' if coupling != robot.couplings[0] else ''}.urdf"): robot.urdf(
            coupling
        )
        for robot in robots
        for coupling in robot.couplings
    }


STEPS: Mapping[str, Callable[[Sequence[Description]], Files]] = {
    "tables": table_files,
    "meshes": mesh_files,
    "inertials": inertials_file,
    "limits": limits_file,
    "urdf": urdf_files,
    "srdf": srdf_files,
    "readme": readme_file,
}
"""What is written of a family, each from the data sheet, the tables and what stands before it."""


def write_family(
    robot: str | Path | Description,
    folder: str | Path | None = None,
    steps: Iterable[str] = tuple(STEPS),
) -> tuple[Path, ...]:
    """Write what follows from the data sheet of a family, or from its tables where it has none.

    Args:
        robot: Folder with datasheet.yaml, or with kinematics.yaml and limits.yaml; a shipped
            robot's name; or tables of a variant, whose whole family is written.
        folder: New folder for a copy of the tables and all that is written; default the folder of
            the tables. Its name is the family's.
        steps: Some of ``tables`` (kinematics.yaml and limits.yaml, of a family with a data sheet),
            ``meshes`` (with shapes.yaml), ``inertials``, ``limits`` (efforts of rows whose source
            is ``rule``), ``urdf``, ``srdf`` and ``readme`` (unless written by hand), in this order.

    Returns:
        Paths of the files.

    Raises:
        UnknownName: if there is no such robot or step.
        InputError: if the CAD has no build for the robot or cannot draw its lengths, or ``folder``
            is not empty.
        TableError: if a table breaks the format.
        FileError: if a file cannot be written.
    """
    chosen = _checked(steps)
    robots = family_of(robot)
    if folder is not None:
        robots = _copied(robots, as_path(folder, "the folder of a family").resolve())
    return tuple(path for step in chosen for path in write(STEPS[step](robots), robots[0].folder))


def stale_files(
    robot: str | Path | Description, steps: Iterable[str] = tuple(STEPS)
) -> tuple[Path, ...]:
    """Return the files of a family that :func:`write_family` would change, add or remove.

    Raises:
        As :func:`write_family`.
    """
    robots = family_of(robot)
    return tuple(
        path
        for step in _checked(steps)
        for path in differing(STEPS[step](robots), robots[0].folder)
    )


def _checked(steps: Iterable[str]) -> list[str]:
    """Return steps in the order in which they need each other."""
    asked = as_list(steps, str, "steps are a list of names")
    for step in asked:
        if step not in STEPS:
            raise UnknownName("step of a family", step, STEPS)
    return [step for step in STEPS if step in asked]


def _copied(robots: Sequence[Description], folder: Path) -> tuple[Description, ...]:
    """Return the variants of a copy of the tables."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not an empty folder; choose another one")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(robots[0].folder.glob("*.yaml")):
            shutil.copyfile(path, folder / path.name)
    except OSError as err:
        raise FileError(f"cannot write {folder}: {err.strerror or err}") from err
    return tuple(Description(robot.name, folder) for robot in robots)
