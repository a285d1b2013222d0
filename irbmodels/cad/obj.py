"""OBJ files: small, the same bytes from every run, one colour each.

With normals where they are looked at.
"""

from __future__ import annotations

import numpy as np
from manifold3d import Manifold

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
    faces = [
        " ".join(f"{v}//{n}" for v, n in zip(*face, strict=True))
        for face in zip((at + 1).tolist(), (towards + 1).reshape(-1, 3).tolist(), strict=True)
    ]
    return _text(("v", _rows(points, _PLACE)), ("vn", _rows(directions, _DIRECTION)), ("f", faces))


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
    faces = [" ".join(map(str, face)) for face in (at[mesh.tri_verts] + 1).tolist()]
    return _text(("v", _rows(points, _PLACE)), ("f", faces))


def _moved(points: Array, link_from_base: Array) -> Array:
    return np.asarray(points / 1000.0 @ link_from_base[:3, :3].T + link_from_base[:3, 3])


def _distinct(rows: Array, digits: int) -> tuple[Array, IntArray]:
    """Return the distinct rows, rounded and sorted, and where each row is among them.

    Halves, such as 131.355 mm, are rounded twice: the first time takes away what a processor may
    add to them.
    """
    unique, where = np.unique(
        np.round(np.round(rows, 9), digits) + 0.0, axis=0, return_inverse=True
    )
    return unique, where.ravel()


def _rows(values: Array, digits: int) -> list[str]:
    return [
        " ".join(f"{value:.{digits}f}".rstrip("0").rstrip(".") for value in row) for row in values
    ]


def _text(*groups: tuple[str, list[str]]) -> str:
    return "".join(f"{name} {row}\n" for name, rows in groups for row in rows)
