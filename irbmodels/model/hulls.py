"""Convex hulls of shapes: their volume, and how far a point lies outside of them.

A mesh counts as its convex hull: that needs no closed surface, and no body inside the mesh is
larger. STL and OBJ are read here in a few lines of bounded work; on damaged files the loader behind
Pinocchio takes minutes. Other formats take that loader.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import FileError
from .shapes import UNCOLOURED, Shape, mesh_of
from .types import Array

LARGEST_MESH = 32 << 20  # [bytes]
# every so many vertices are enough for a volume that is compared with orders of magnitude
_HULL_POINTS = 20_000
# corners of round shapes: a cylinder's hull loses 0.2 % of its volume, a sphere's 1.5 %
_CIRCLE, _SPHERE = 64, 600
# bounded: the longest word sets the size of an array
_POINT = rb"[ \t]+(\S{1,40})[ \t]+(\S{1,40})[ \t]+(\S{1,40})(?!\S)"
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


class Hull(NamedTuple):
    """Convex hull of points in one stated frame."""

    volume: float
    """[m^3]."""
    size: float
    """Diagonal of the box around it, along the axes of the frame [m]."""
    normals: Array
    """Outward unit normals of its faces, ``(k, 3)``."""
    offsets: Array
    """[m]; a point ``p`` inside has ``normals @ p + offsets <= 0``, ``(k,)``."""

    def outside(self, point: Array) -> float:
        """Return how far a point lies beyond the farthest face plane [m], 0 inside.

        Opposite a face that is its distance from the hull, else a little less.
        """
        return max(0.0, float((self.normals @ point + self.offsets).max()))


def hull_of(points: Array) -> Hull | None:
    """Return the convex hull of points ``(N, 3)`` [m]; None if they lie in one plane."""
    # imported here: a robot without meshes does not need it
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points[:: len(points) // _HULL_POINTS + 1])
    except (QhullError, ValueError):
        return None
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    return Hull(float(hull.volume), size, hull.equations[:, :3], hull.equations[:, 3])


def shape_points(shape: Shape) -> Array:
    """Return points whose convex hull is that of a shape, in its link's frame [m], ``(N, 3)``.

    Raises:
        FileError: if its file holds no mesh that can be read, or one of more than 32 MB.
    """
    if shape.kind == "mesh":
        points = _mesh_points(shape)
    elif shape.kind == "box":
        points = 0.5 * np.array(shape.size) * _SIGNS
    elif shape.kind == "sphere":
        points = shape.size[0] * _sphere_points()
    else:
        radius, length = shape.size
        angles = 2.0 * math.pi * np.arange(_CIRCLE) / _CIRCLE
        circle = radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(_CIRCLE)])
        end = np.array([0.0, 0.0, 0.5 * length])
        points = np.concatenate([circle - end, circle + end])
    return np.asarray(points @ shape.placement[:3, :3].T + shape.placement[:3, 3])


_SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def _sphere_points() -> Array:
    """Return points spread evenly on the unit sphere, on Fibonacci's spiral."""
    k = np.arange(_SPHERE) + 0.5
    z, angle = 1.0 - 2.0 * k / _SPHERE, math.pi * (1.0 + math.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z * z)
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), z])


def _mesh_points(shape: Shape) -> Array:
    assert shape.file is not None
    if not is_readable(shape.file):
        return np.asarray(mesh_of(shape).vertices(), dtype=float)
    if shape.file.stat().st_size > LARGEST_MESH:
        raise FileError(f"link {shape.link!r}: {shape.file} is larger than {LARGEST_MESH >> 20} MB")
    vertices = mesh_vertices(shape.file)
    if vertices is None:
        raise FileError(f"link {shape.link!r}: {shape.file} holds no mesh that can be read")
    return vertices * shape.size


def is_readable(path: Path) -> bool:
    """Return whether :func:`mesh_vertices` reads meshes of this format."""
    return path.suffix.lower() in _READERS


def is_mesh(path: Path) -> bool:
    """Return whether a file holds a mesh that can be read."""
    if is_readable(path):
        return mesh_vertices(path) is not None
    try:
        mesh_of(Shape("", "mesh", (1.0, 1.0, 1.0), np.eye(4), UNCOLOURED, path))
    except FileError:
        return False
    return True


def mesh_vertices(path: Path) -> Array | None:
    """Return the vertices of an STL or OBJ file, ``(N, 3)``.

    None if it cannot be read, or has no three vertices, or some that are not finite.
    """
    try:
        vertices = _READERS[path.suffix.lower()](path.read_bytes())
    except (OSError, ValueError):
        return None
    return vertices if len(vertices) >= 3 and np.isfinite(vertices).all() else None


def _stl(data: bytes) -> Array:
    count = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + 50 * count:
        corners = np.frombuffer(data, _TRIANGLE, count, 84)["corners"]
        return corners.reshape(-1, 3).astype(float)
    return (
        np.array(re.findall(rb"\bvertex" + _POINT, data), dtype=bytes).reshape(-1, 3).astype(float)
    )


def _obj(data: bytes) -> Array:
    return (
        np.array(re.findall(rb"(?m)^[ \t]*v" + _POINT, data), dtype=bytes)
        .reshape(-1, 3)
        .astype(float)
    )


_READERS: dict[str, Callable[[bytes], Array]] = {".stl": _stl, ".obj": _obj}
