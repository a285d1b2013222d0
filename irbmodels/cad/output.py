"""Generated files of a family: its variants, where the files stand, and writing them."""

from __future__ import annotations

from pathlib import Path

from ..checks import as_instance
from ..errors import FileError
from ..files import write_text
from ..tables.datasheet import read_datasheet
from ..tables.description import Description, aliases, data_folder, describe, robots
from ..tables.reader import read
from ..tables.schema import KinematicsTable

SHEET = "datasheet.yaml"
"""Data sheet of a family, in its folder."""
Files = dict[Path, str]
"""Texts by path below the folder of a family; what is below ``meshes`` is an OBJ file."""


def family_of(robot: str | Path | Description) -> tuple[Description, ...]:
    """Return every variant of a family, in the order of its data sheet, or of kinematics.yaml.

    Args:
        robot: Tables of a variant, its name or alias, or a folder with tables or a data sheet. A
            data sheet of one arm that states no variants has that of kinematics.yaml, and before it
            is written the name of the folder.

    Raises:
        UnknownName: if there is no such robot.
        TableError: if the data sheet or kinematics.yaml breaks the format.
    """
    if isinstance(robot, Description):
        folder, names = robot.folder, [robot.name]
    else:
        kinds = "a robot is its tables, a name or a folder"
        path, shipped = Path(as_instance(robot, str | Path, kinds)), (*robots(), *aliases())
        several = str(robot) not in shipped and any(
            (path / name).is_file() for name in ("kinematics.yaml", SHEET)
        )
        folder = path.resolve() if several else describe(robot).folder
        names = [folder.name]
    if (folder / "kinematics.yaml").is_file():
        names = list(read(folder / "kinematics.yaml", KinematicsTable).variants)
    if (folder / SHEET).is_file():
        _, arms = read_datasheet(folder / SHEET, names[0])
        names = [arm.name for arm in arms]
    return tuple(Description(name, folder) for name in names)


def target(folder: Path, path: Path) -> Path:
    """Return where a file of a family stands; meshes of shipped ones are beside ``urdf``."""
    shipped = folder.parent == data_folder() and path.parts[0] == "meshes"
    return (data_folder().parent if shipped else folder) / path


def write(files: Files, folder: Path) -> tuple[Path, ...]:
    """Write files of a family, each entirely or not at all, and return their paths.

    Meshes beside them that are none of them are removed: links or colours that a robot no longer
    has.

    Raises:
        FileError: if a file cannot be written.
    """
    written = tuple(target(folder, path) for path in files)
    for path, text in zip(written, files.values(), strict=True):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise FileError(f"cannot write {path}: {err.strerror or err}") from err
        write_text(path, text)
    for path in _left_over(written):
        path.unlink()
    return written


def differing(files: Files, folder: Path) -> tuple[Path, ...]:
    """Return what is absent or has another text on disk, and the meshes that are left over."""
    texts = {target(folder, path): text for path, text in files.items()}
    return (
        *(path for path, text in texts.items() if not _holds(path, text)),
        *_left_over(tuple(texts)),
    )


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def _left_over(files: tuple[Path, ...]) -> list[Path]:
    folders = {path.parent for path in files if path.suffix == ".obj"}
    return sorted(path for folder in folders for path in folder.glob("*.obj") if path not in files)
