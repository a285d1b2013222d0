"""Volume and bounds of the shapes of a link: boxes, cylinders, spheres, readable meshes.

Only bounds are wanted, so a mesh counts as its convex hull (:mod:`irbmodels.model.hulls`).
"""

from __future__ import annotations

import math
import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ...model.hulls import LARGEST_MESH, hull_of, is_readable, mesh_vertices
from ...model.mesh_paths import mesh_candidates
from ...model.types import Array
from .findings import Severity
from .xml import Tag, number, numbers, shown

MESH_BUDGET = 256 << 20  # [bytes] of one URDF
_SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")
_PACKAGE = ("package://", "model://")


class Solid(NamedTuple):
    """Bounds of one shape in its link's frame."""

    volume: float
    """[m^3]; 0 for a flat mesh."""
    low: Array
    high: Array
    """Corners of a box around it [m]."""


class Unmeasured(Exception):
    """A shape without usable sizes: severity, kind, value and reason of the finding."""

    def __init__(self, severity: Severity, what: str, value: str, reason: str) -> None:
        self.words = severity, what, value, reason


class Measure:
    """Measures the shapes of one URDF; its meshes lie in or around ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bytes: dict[str, int] = {}

    def solid(self, shape: Tag) -> Solid | None:
        """Return the bounds of a ``<visual>`` or ``<collision>``.

        None for a mesh of another format, or a very large one.

        Raises:
            Unmeasured: if it has no usable geometry, or its mesh is missing or damaged.
        """
        geometry, origin = shape.first("geometry"), shape.first("origin")
        tag = (
            next((tag for tag in geometry.inside if tag.name in _SHAPES), None)
            if geometry
            else None
        )
        if tag is None:
            raise Unmeasured(
                "error",
                "bad geometry",
                "no shape",
                "a visual or collision needs a box, cylinder, sphere or mesh",
            )
        solid = self._mesh(tag) if tag.name == "mesh" else _primitive(tag)
        if solid is None:
            return None
        (x0, y0, z0), (x1, y1, z1) = solid.low, solid.high
        corners = np.array([[x, y, z] for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)])
        xyz, rpy = (numbers(origin.get(key), 3) if origin else None for key in ("xyz", "rpy"))
        placed = corners @ pin.rpy.rpyToMatrix(*(rpy or (0.0, 0.0, 0.0))).T + (
            xyz or (0.0, 0.0, 0.0)
        )
        return Solid(solid.volume, placed.min(axis=0), placed.max(axis=0))

    def _mesh(self, tag: Tag) -> Solid | None:
        name = tag.get("filename") or ""
        scale = numbers(tag.get("scale"), 3) if tag.get("scale") is not None else [1.0, 1.0, 1.0]
        if scale is None or 0.0 in scale:
            raise Unmeasured(
                "error",
                "bad geometry",
                f"scale {shown(tag.get('scale'))}",
                "three numbers other than 0 are needed",
            )
        path = next(filter(os.path.isfile, mesh_candidates(name, self._folder)), None)
        if path is None:
            where = "this folder or one above it" if name.startswith(_PACKAGE) else "that place"
            raise Unmeasured(
                "warning", "missing mesh", shown(name, 100), f"no such file in {where}"
            )
        path, stat = os.path.realpath(path), os.stat(path)
        if not is_readable(Path(path)):
            return None
        self._bytes[path] = stat.st_size
        if stat.st_size > LARGEST_MESH or sum(self._bytes.values()) > MESH_BUDGET:
            return None
        solid = _mesh_bounds(path, stat.st_mtime_ns, stat.st_size)
        if solid is None:
            raise Unmeasured(
                "warning",
                "damaged mesh",
                shown(name, 100),
                "no three vertices, or some that are not finite",
            )
        ends = np.array([solid.low, solid.high]) * scale
        return Solid(solid.volume * abs(math.prod(scale)), ends.min(axis=0), ends.max(axis=0))


def _sizes(tag: Tag, *keys: str) -> list[float]:
    values = (
        numbers(tag.get("size"), 3) if keys == ("size",) else [number(tag.get(key)) for key in keys]
    )
    if values is None or not all(0.0 < value < math.inf for value in values):
        value = ", ".join(f"{key} {shown(tag.get(key))}" for key in keys)
        finite = values is not None and all(map(math.isfinite, values))
        raise Unmeasured(
            "warning" if finite else "error",
            "bad geometry",
            value,
            f"the sizes of a {tag.name} are positive",
        )
    return values


def _primitive(tag: Tag) -> Solid:
    if tag.name == "box":
        half = 0.5 * np.array(_sizes(tag, "size"))
        volume = 8.0 * float(np.prod(half))
    elif tag.name == "sphere":
        radius = _sizes(tag, "radius")[0]
        half, volume = np.full(3, radius), 4.0 / 3.0 * math.pi * radius * radius * radius
    else:
        radius, length = _sizes(tag, "radius", "length")
        ends = radius if tag.name == "capsule" else 0.0
        half = np.array([radius, radius, 0.5 * length + ends])
        volume = math.pi * radius * radius * (length + 4.0 / 3.0 * ends)
    return Solid(volume, -half, half)


@lru_cache(maxsize=1024)
def _mesh_bounds(path: str, changed: int, size: int) -> Solid | None:
    """Hull volume and bounds of a mesh file, None if it cannot be read.

    ``changed`` and ``size`` distinguish versions of the file in the cache.
    """
    del changed, size
    vertices = mesh_vertices(Path(path))
    if vertices is None:
        return None
    hull = hull_of(vertices)
    volume = 0.0 if hull is None else hull.volume
    return Solid(volume, vertices.min(axis=0), vertices.max(axis=0))
