"""A robot from a file of any format: URDF, MJCF, SDF."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from ...checks import as_path
from ...errors import FileError, UrdfError, warn
from ...files import read_text
from ...robot.robot import Robot, from_urdf, from_urdf_text
from .mjcf import mjcf_to_urdf
from .sdf import sdf_to_urdf

FORMATS = {"robot": "URDF", "mujoco": "MJCF", "sdf": "SDF"}
"""Format by root element."""
SUFFIXES = {".urdf": "URDF", ".mjcf": "MJCF", ".sdf": "SDF", ".world": "SDF"}


def from_file(path: str | Path, parameters: str | Path | None = None) -> Robot:
    """Return a robot from a URDF, an MJCF (MuJoCo) or an SDF (Gazebo, Drake) file.

    Joints that follow others (``<mimic>``, chained or not; in MJCF linear equalities of joints or
    fixed tendons) are no axes; where motors of an MJCF move joints by fixed tendons, the tendons
    are, such as axis 3 of a parallelogram arm that ``export`` wrote. Gravity is the file's, where
    it says one; so is the pose of an SDF model, in which the robot is mounted (MJCF's worldbody is
    the base), and viscous and Coulomb friction (SDF's and URDF's ``<dynamics>``, MJCF's ``damping``
    and ``frictionloss``, of tendons and actuators too) and MJCF's ``armature``, as rotor inertias.
    Contacts and MJCF's shapes are left behind; a warning names springs, damping that is no multiple
    of speed, and friction of what several axes turn together, unless drives can
    (``robot.drive_axes``). ``.urdf``, ``.mjcf`` and ``.sdf`` say what a file is; of another, the
    root element.

    Args:
        path: The file.
        parameters: File with a set of parameters in place of its own (:func:`.from_urdf`).

    Raises:
        FileError: if a file cannot be read.
        TableError: if the file of parameters breaks the format, or is of another robot.
        UrdfError: if it is none of these, not a tree of joints that turn or slide, or has negative
            friction.
        MissingExtra: for MJCF, if MuJoCo is not installed.
    """
    file = as_path(path, "a file")
    if file.is_dir():
        raise FileError(f"{path}: is a folder, not a file")
    kind = SUFFIXES.get(file.suffix.lower()) or _kind(file)
    if kind == "URDF":
        return from_urdf(file, parameters)
    try:
        if kind == "SDF":
            converted = sdf_to_urdf(read_text(file), file.resolve().parent)
        else:
            read_text(file)  # which says what is wrong with the file
            converted = mjcf_to_urdf(file)
    except UrdfError as err:
        raise UrdfError(f"{path}: {err}") from err
    robot = from_urdf_text(
        converted.urdf, file, converted.friction, converted.rotors, converted.sums, parameters
    )
    if converted.left_out:
        names = ", ".join(converted.left_out[:3]) + (
            f" and {len(converted.left_out) - 3} more" if len(converted.left_out) > 3 else ""
        )
        lost = (
            f"{path}: springs, damping that is no multiple of speed, compensated gravity and fluids"
            f" are left out: {names}"
        )
        warn(lost)
    if converted.gravity is not None:
        robot = robot.with_gravity(converted.gravity)
    return robot.mounted(converted.world_from_base)


def _kind(path: Path) -> str:
    try:
        root = ElementTree.fromstring(read_text(path))
    except ElementTree.ParseError as err:
        raise UrdfError(f"{path}: not XML: {err}") from err
    if root.tag not in FORMATS:
        raise UrdfError(
            f"{path}: the root element is <{root.tag}>, not <robot> (URDF), <mujoco> (MJCF) or"
            " <sdf>"
        )
    return FORMATS[root.tag]
