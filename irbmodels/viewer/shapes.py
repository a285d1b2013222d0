"""The shapes of a robot that can be drawn, and the names of those that cannot."""

from __future__ import annotations

import os
from contextlib import suppress

from ..errors import FileError
from ..model.shapes import Look, LostShape, Shape, mesh_bounds, shapes_of
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
    """Return whether a shape is no mesh, or one in a format that the page reads."""
    if shape.file is None:
        return True
    with suppress(FileError):
        mesh_bounds(shape)
        if shape.file.suffix.lower() in READERS:
            return True
    lost.append(LostShape(shape.link, str(shape.file)))
    return False
