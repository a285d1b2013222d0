"""Export of a robot: one module per format, each writes a self-contained folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from ...checks import as_choice, as_instance, as_path
from ...errors import FileError, InputError, warn
from ...robot.robot import Robot
from ...tables.description import COUPLINGS, Coupling
from .springs import note_on_springs, notes_on_losses

CARRIER_KG = 1e-9  # with 1e-12 kg m^2; MuJoCo warns from 1e-11 kg down
FORMATS = ("urdf", "mjcf", "sdf", "ros2")
MESHES = ("relative", "absolute", "package")

# of files that an export might replace
_SUFFIXES = {"urdf": (".urdf",), "mjcf": (".xml", ".mjcf"), "sdf": (".sdf",)}


class Options(NamedTuple):
    """Options of an export."""

    coupling: Coupling | None = None
    """Tree of a parallelogram arm; None is the one that suits the tool best."""
    meshes: str = "relative"
    """Mesh paths of a URDF: relative to the file, absolute, or package://NAME."""
    carrier_kg: float | None = None
    """Mass of each massless carrier or bar.

    None is what suits the tool best: 1e-9 kg in URDF and SDF, which no torque notices in nine
    digits, and 10 g in MJCF, taken off the links beside them.
    """


PLAIN = Options()


def export(robot: Robot, to: str, folder: str | Path, options: Options = PLAIN) -> list[Path]:
    """Write a robot, with its tool, for another tool.

    URDF, SDF and ROS 2 have no springs: a warning and a comment in the file name them, and
    ``NAME_springs.yaml`` beside it has their numbers. They have no rotors either, URDF no gravity,
    and of SDF only ``world.sdf`` has gravity and mounting: warnings and comments say so.

    Args:
        robot: A robot from tables, or from a URDF.
        to: ``urdf``, ``mjcf`` (MuJoCo), ``sdf`` (Gazebo, Drake) or ``ros2`` (a description
            package).
        folder: Folder to write into; it is made. Files of the same name are replaced, others stay;
            those of another robot are not replaced.
        options: Coupling, mesh paths, carriers.

    Returns:
        The files written, the one to load first.

    Raises:
        UnknownName: if there is no such format or coupling.
        InputError: if an option does not go with the format, or the folder has files of the same
            names of another robot.
        FileError: if a file cannot be written.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> [file.name for file in irb.export(robot, "urdf", "arm")][:1]
        ['irb2400_16.urdf']
    """
    as_instance(robot, Robot, "what is exported is an irbmodels.Robot")
    as_choice(to, FORMATS, "export format")
    as_instance(options, Options, "options of an export are irbmodels.Options(coupling=...)")
    if options.coupling is not None:
        as_choice(options.coupling, COUPLINGS, "coupling")
    if not str(as_path(folder, "the folder to export to")) or not folder:
        raise InputError("an export needs a folder to write into")
    target = Path(folder).expanduser()
    losses = list(notes_on_losses(robot, to))
    for note in [note_on_springs(robot), *losses] if to != "mjcf" and robot.springs else losses:
        warn(f"{to} of {robot.name}: {note}")
    own = robot.path is not None and robot.path.suffix.lower() in _SUFFIXES.get(to, ())
    if own and robot.folder == target.resolve():
        raise InputError(f"{target} is where {robot.name} comes from; choose another folder")
    made = [above for above in (target, *target.parents) if not above.exists()]
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise FileError(f"cannot make the folder {target}: {err.strerror or err}") from err
    write: Callable[[Robot, Path, Options], list[Path]] = import_module(f".{to}", __name__).write
    try:
        return write(robot if robot.name else replace(robot, name="robot"), target, options)
    except BaseException:
        for above in made:
            with suppress(OSError):  # something is in it
                above.rmdir()
        raise
