"""The shapes that a URDF gives its links, to look at and to collide with."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin

from ..errors import FileError, UrdfError
from .mesh_paths import mesh_candidates
from .types import Array

Kind = Literal["box", "cylinder", "sphere", "mesh"]
Look = Literal["visual", "collision"]

LOOKS: tuple[Look, ...] = ("visual", "collision")

UNCOLOURED = (0.7, 0.7, 0.7, 1.0)


class LostShape(NamedTuple):
    """A shape of a URDF that cannot be read."""

    link: str
    reason: str
    """Mesh that is not there, as the URDF names it, or what is wrong with another shape."""


class Shape(NamedTuple):
    """One visual or collision shape of a link."""

    link: str
    kind: Kind
    size: tuple[float, ...]
    """[m] of a box its sides, of a cylinder radius and length (along z), of a sphere its radius.

    Of a mesh its scale.
    """
    placement: Array
    """Pose in the link, ``(4, 4)``."""
    colour: tuple[float, float, float, float]
    """Red, green, blue, opacity from 0 to 1."""
    file: Path | None = None
    """Of a mesh."""
    label: str = ""
    """Name of the tag itself, not of its link."""


def mesh_of(shape: Shape) -> Any:
    """Return the mesh of a shape as coal loads it, scaled.

    Raises:
        FileError: if the file holds no mesh.
    """
    import coal

    try:
        mesh = coal.MeshLoader().load(str(shape.file), np.array(shape.size))
    except (ValueError, RuntimeError) as err:
        raise FileError(
            f"link {shape.link!r}: {shape.file} holds no mesh that can be read"
        ) from err
    if not mesh.num_vertices:
        raise FileError(f"link {shape.link!r}: {shape.file} holds an empty mesh")
    return mesh


def mesh_bounds(shape: Shape) -> Array:
    """Return the lowest and highest coordinates of a mesh in its own axes [m], ``(2, 3)``.

    Raises:
        FileError: if the file holds no mesh.
    """
    assert shape.file is not None  # a mesh has one
    return _bounds(shape.link, shape.file, shape.size, shape.file.stat().st_mtime_ns)


@lru_cache(maxsize=1024)
def _bounds(link: str, file: Path, scale: tuple[float, ...], _changed: int) -> Array:
    mesh = mesh_of(Shape(link, "mesh", scale, np.eye(4), UNCOLOURED, file))
    points = np.asarray(mesh.vertices())
    bounds = np.array([points.min(axis=0), points.max(axis=0)])
    bounds.setflags(write=False)
    return bounds


def corners(shape: Shape) -> Array:
    """Return the corners of a box around a shape in its link's frame [m], shape ``(8, 3)``."""
    if shape.kind == "mesh":
        low, high = mesh_bounds(shape)
    else:
        radius, *length = shape.size
        half = {
            "box": shape.size,
            "sphere": (2 * radius,) * 3,
            "cylinder": (2 * radius, 2 * radius, *length),
        }[shape.kind]
        high = 0.5 * np.array(half)
        low = -high
    ends = np.array(
        [
            [x, y, z, 1.0]
            for x in (low[0], high[0])
            for y in (low[1], high[1])
            for z in (low[2], high[2])
        ]
    )
    return np.asarray((ends @ shape.placement.T)[:, :3])


def shapes_of(
    document: Element, folder: Path, what: Look, lost: list[LostShape] | None = None
) -> list[Shape]:
    """Return the shapes of a URDF.

    Args:
        document: Its root element.
        folder: Where the file is; mesh paths start there, and packages are looked for above.
        what: Shapes to look at or to collide with.
        lost: List to add each shape to that cannot be read, which is then left out; without one it
            is an error.

    Raises:
        FileError: if a mesh file does not exist.
        UrdfError: if a shape has no sizes, or is of a kind that URDF does not know.
    """
    # one named inside a link counts too
    materials = [*document.iterfind("material"), *document.iterfind("link/visual/material")]
    colours = {
        str(m.get("name")): m.find("color")
        for m in materials
        if m.get("name") and m.find("color") is not None
    }
    shapes = []
    for link in document.iterfind("link"):
        for shape in link.iterfind(what):
            tag = shape.find("geometry/*")
            if tag is None:
                continue
            name, material = str(link.get("name")), shape.find("material")
            own = None if material is None else material.find("color")
            named = None if material is None else colours.get(str(material.get("name")))
            try:
                placement = placement_of(shape.find("origin"))
                colour = _colour(named if own is None else own)
                kind, size = _sizes(tag, name)
                file, label = _file(tag, name, folder), shape.get("name", "")
                shapes.append(Shape(name, kind, size, placement, colour, file, label))
            except (FileError, UrdfError) as err:
                if lost is None:
                    raise
                is_file = isinstance(err, FileError)
                lost.append(LostShape(name, str(tag.get("filename")) if is_file else str(err)))
    return shapes


def link_of(joint: Element, end: Literal["parent", "child"]) -> str:
    """Return the name of the link at one end of a ``<joint>``."""
    tag = joint.find(end)
    return "" if tag is None else str(tag.get("link"))


def placement_of(origin: Element | None) -> Array:
    """Return the pose ``(4, 4)`` that an ``<origin>`` gives; identity where there is none."""
    xyz, rpy = (_numbers(origin, key, "0 0 0", 3) for key in ("xyz", "rpy"))
    return np.asarray(pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.array(xyz)).homogeneous)


def _sizes(tag: Element, link: str) -> tuple[Kind, tuple[float, ...]]:
    try:
        if tag.tag == "box":
            return "box", tuple(_numbers(tag, "size", "", 3))
        if tag.tag == "cylinder":
            return "cylinder", (float(tag.attrib["radius"]), float(tag.attrib["length"]))
        if tag.tag == "sphere":
            return "sphere", (float(tag.attrib["radius"]),)
        if tag.tag == "mesh":
            return "mesh", tuple(_numbers(tag, "scale", "1 1 1", 3))
    except (KeyError, ValueError) as err:
        raise UrdfError(f"link {link!r} has a <{tag.tag}> without its sizes: {err}") from None
    raise UrdfError(f"link {link!r} has a <{tag.tag}>, which is no shape of URDF")


def _file(tag: Element, link: str, folder: Path) -> Path | None:
    if tag.tag != "mesh":
        return None
    name = str(tag.get("filename"))
    for path in map(Path, mesh_candidates(name, folder)):
        if path.is_file():
            return path
    raise FileError(
        f"link {link!r} has the mesh {name}, which is not there (looked in and above {folder})"
    )


def _colour(tag: Element | None) -> tuple[float, float, float, float]:
    red, green, blue, opacity = (
        UNCOLOURED if tag is None else _numbers(tag, "rgba", "0.7 0.7 0.7 1", 4)
    )
    return float(red), float(green), float(blue), float(opacity)


def _numbers(tag: Element | None, key: str, default: str, count: int) -> list[float]:
    text = default if tag is None else tag.get(key, default)
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        raise UrdfError(f"{key}={text!r} should be {count} numbers")
    return values
