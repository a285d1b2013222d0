"""Commands of meshcat: a window that collects them, geometries of shapes, lights and floor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..model.shapes import Shape
from ..model.types import Array
from .shapes import READERS


class Window(ABC):
    """Receiver of the commands of meshcat's Python side."""

    def send(self, command: Any) -> None:
        """Take one meshcat command."""
        lowered = command.lower()
        for form in lowered.get("object", {}).get("geometries", ()):
            # its own viewer warns of this name in the console, once for each mesh
            if form["type"] == "_meshfile":
                form["type"] = "_meshfile_geometry"
        self.send_raw(lowered)

    @abstractmethod
    def send_raw(self, command: dict[str, Any]) -> None:
        """Take one command as it is; meshcat's Python side lower-cases property names."""


class Recorder(Window):
    """Window without a server, which collects the commands for a page."""

    def __init__(self) -> None:
        """Start with an empty page."""
        self.commands: list[bytes] = []

    def send_raw(self, command: dict[str, Any]) -> None:
        """Keep one command."""
        import umsgpack

        self.commands.append(umsgpack.packb(command))


def geometry_of(shape: Shape) -> tuple[Any, Array]:
    """Return meshcat's geometry of a shape, and the matrix from its axes to URDF's."""
    import meshcat.geometry as geometry

    if shape.kind == "box":
        return geometry.Box(list(shape.size)), np.eye(4)
    if shape.kind == "sphere":
        return geometry.Sphere(shape.size[0]), np.eye(4)
    if shape.kind == "cylinder":  # meshcat's stands along y, URDF's along z
        radius, length = shape.size
        along_z = np.eye(4)[[0, 2, 1, 3]] * [[1.0], [-1.0], [1.0], [1.0]]
        return geometry.Cylinder(length, radius), along_z
    assert shape.file is not None  # a mesh has one
    reader = getattr(geometry, READERS[shape.file.suffix.lower()])
    return reader.from_file(str(shape.file)), np.diag([*shape.size, 1.0])


def named_mesh(form: Any, material: Any, name: str) -> Any:
    """Return meshcat's mesh, its identifiers made from a name so that pages are reproducible."""
    import meshcat.geometry as geometry

    mesh = geometry.Mesh(form, material)
    for part, kind in ((form, "form"), (material, "material"), (mesh, "mesh")):
        part.uuid = f"{name}:{kind}"
    return mesh
