"""The shapes of a robot that can be drawn, and the names of those that cannot."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..errors import FileError
from ..model.shapes import UNCOLOURED, Look, LostShape, Shape, mesh_of, shapes_of
from ..model.urdf import parse_urdf
from ..robot.robot import Robot

READERS = {".obj": "ObjMeshGeometry", ".stl": "StlMeshGeometry", ".dae": "DaeMeshGeometry"}
"""meshcat's classes by suffix."""


def drawable_shapes(robot: Robot, look: Look) -> tuple[list[Shape], list[str]]:
    """Return visual or collision shapes that can be drawn; collision ones if no visual one can.

    Returns:
        The shapes; then missing or unreadable meshes by name, and errors of other shapes.
    """
    lost: list[LostShape] = []
    shapes = [
        shape
        for shape in shapes_of(parse_urdf(robot.urdf()), robot.folder, look, lost)
        if _is_drawable(shape, lost)
    ]
    folder = f"{robot.folder.resolve()}{os.sep}"
    if look == "visual" and not shapes:
        shapes = drawable_shapes(robot, "collision")[0]
    return shapes, [one.reason.removeprefix(folder) for one in lost]


def _is_drawable(shape: Shape, lost: list[LostShape]) -> bool:
    if shape.file is None or _is_mesh(
        shape.link, shape.file, shape.size, shape.file.stat().st_mtime_ns
    ):
        return True
    lost.append(LostShape(shape.link, str(shape.file)))
    return False


@lru_cache(maxsize=1024)
def _is_mesh(link: str, file: Path, scale: tuple[float, ...], _changed: int) -> bool:
    """Return whether a file holds a mesh of a format that the page reads."""
    try:
        mesh_of(Shape(link, "mesh", scale, np.eye(4), UNCOLOURED, file))
    except FileError:
        return False
    return file.suffix.lower() in READERS
