"""OBJ files: small, the same bytes from every run, one colour each.

With normals where they are looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from ..model.types import Array, IntArray

_SHARP = 50.0  # [deg] a sharper edge is drawn as an edge
_FINE = 0.1  # [mm] what a visual may differ from the solid
_COARSE = 2.0  # [mm] what a collision piece may differ from its hull, if it is not too fine
_MOST = 700  # faces of a collision piece, as engines take few
# cosine between the normal of a corner and its face below which the face's own is taken
_GRAZING = 0.3
_PLACE, _DIRECTION = 5, 2  # digits of a position [m], of a normal


def visual(solid: Manifold, link_from_base: Array) -> str:
    """Return a solid [mm, base axes] as OBJ in metres in its link's frame, with normals."""
    mesh = solid.simplify(_FINE).calculate_normals(0, _SHARP).to_mesh64(normal_idx=0)
    points, at = _distinct(_moved(mesh.vert_properties[:, :3], link_from_base), _PLACE)
    at = at[mesh.tri_verts]
    open_ = (at != np.roll(at, 1, axis=1)).all(axis=1)  # rounding has closed the others
    at, corners = at[open_], mesh.tri_verts[open_]
    normals = (mesh.vert_properties[:, 3:6] @ link_from_base[:3, :3].T)[corners]
    own = np.cross(points[at[:, 1]] - points[at[:, 0]], points[at[:, 2]] - points[at[:, 0]])
    own = (own / np.linalg.norm(own, axis=1, keepdims=True))[:, None, :]
    normals = np.where((normals * own).sum(axis=2, keepdims=True) < _GRAZING, own, normals)
    directions, towards = _distinct(normals.reshape(-1, 3), _DIRECTION)
    faces = np.stack([at, towards.reshape(-1, 3)], axis=2) + 1
    places, normal_lines = _rows("v", points, _PLACE), _rows("vn", directions, _DIRECTION)
    return places + normal_lines + _lines("f %d//%d %d//%d %d//%d\n", faces)


def convex(solid: Manifold, link_from_base: Array) -> str:
    """Return the convex hull of a solid [mm, base axes] as OBJ in metres in its link's frame."""
    coarse, within = solid.hull(), _COARSE
    while True:
        places = coarse.simplify(within).to_mesh64().vert_properties[:, :3]
        rounded, _ = _distinct(_moved(places, link_from_base), _PLACE)
        # of the places in the file: it is convex to the last digit
        mesh = Manifold.hull_points(rounded).to_mesh64()
        if len(mesh.tri_verts) < _MOST:
            break
        within *= 1.5
    points, at = _distinct(mesh.vert_properties[:, :3], _PLACE)
    return _rows("v", points, _PLACE) + _lines("f %d %d %d\n", at[mesh.tri_verts] + 1)


def _moved(points: Array, link_from_base: Array) -> Array:
    return np.asarray(points / 1000.0 @ link_from_base[:3, :3].T + link_from_base[:3, 3])


def _distinct(rows: Array, digits: int) -> tuple[Array, IntArray]:
    """Return the distinct rows, rounded and sorted, and where each row is among them.

    Halves, such as 131.355 mm, are rounded twice: the first time takes away what a processor may
    add to them.
    """
    rounded = np.round(np.round(rows, 9), digits) + 0.0
    order = np.lexsort(rounded.T[::-1])  # numpy.unique compares rows in three times the time
    ordered = rounded[order]
    first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    where = np.empty(len(rows), dtype=np.intp)
    where[order] = np.cumsum(first) - 1
    return ordered[first], where


def _rows(name: str, values: Array, digits: int) -> str:
    """Return a line for each row of three values, without zeros at their ends."""
    different, where = np.unique(values, return_inverse=True)  # most stand in several rows
    texts = [f"{value:.{digits}f}".rstrip("0").rstrip(".") for value in different.tolist()]
    return _lines(f"{name} %s %s %s\n", np.array(texts, dtype=object)[where])


def _lines(form: str, values: NDArray[Any]) -> str:
    """Return a line for each row of values."""
    return form * len(values) % tuple(values.ravel().tolist())
