"""A small picture of a robot, for a cell of a notebook: outlines of its parts as SVG."""

from __future__ import annotations

import html

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, QhullError

from ..model.rotations import rotation_x, rotation_z
from ..model.shapes import Shape, corners, mesh_of
from ..model.types import Array
from ..robot.robot import Robot
from .shapes import drawable_shapes

_HEIGHT = 280  # [px]
_SMALLEST = 0.01  # part that is drawn, of the size of the robot
# axes of the picture (right, up, towards the viewer) from those of the world
_VIEW = rotation_x(np.radians(-74.0))[:3, :3] @ rotation_z(np.radians(-43.0))[:3, :3]
_ROUND = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)


def sketch(robot: Robot) -> str:
    """Return the robot with all axes at 0, as a notebook shows it: HTML of some 10 kB.

    Each part of a mesh is drawn as its convex outline, the nearer ones over the farther.
    """
    shapes, lost = drawable_shapes(robot, "visual")
    outlines = []
    for shape in shapes:
        pose = robot.pose(np.zeros(robot.n), shape.link, reference="world").homogeneous
        red, green, blue = (round(100.0 * min(max(part, 0.0), 1.0)) for part in shape.colour[:3])
        for part in _parts(shape):
            points = (part @ pose[:3, :3].T + pose[:3, 3]) @ _VIEW.T * 1000.0
            try:
                outline = points[ConvexHull(points[:, :2]).vertices, :2] * [1.0, -1.0]
            except QhullError:  # seen edge-on
                continue
            corner_list = " ".join(f"{x:.0f},{y:.0f}" for x, y in outline)
            text = f'<polygon points="{corner_list}" fill="rgb({red}% {green}% {blue}%)"/>'
            outlines.append((float(points[:, 2].mean()), outline, text))
    outlines.sort(key=lambda outline: outline[0])
    caption = [repr(robot)]
    if lost:
        caption.append(f"shown without {', '.join(dict.fromkeys(lost))}")
    caption.append("3D: irb.Actor(robot) in this cell (1.5 MB), irb.view(robot) in the browser")
    lines = "<br>".join(map(html.escape, caption))
    return f"<div>{_svg(robot.name, outlines)}<p>{lines}</p></div>"


def _svg(name: str, outlines: list[tuple[float, Array, str]]) -> str:
    if not outlines:
        return ""
    points = np.concatenate([outline for _, outline, _ in outlines])
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    least = _SMALLEST * size.max()
    polygons = "".join(
        text for _, outline, text in outlines if np.ptp(outline, axis=0).max() > least
    )
    box = " ".join(f"{value:.0f}" for value in (*low, *size))
    return (
        f'<svg role="img" aria-label="{html.escape(name)}" viewBox="{box}" height="{_HEIGHT}"'
        f' stroke="#0004" style="max-width: 100%">{polygons}</svg>'
    )


def _parts(shape: Shape) -> list[Array]:
    """Return points of each part of a shape in its link [m], ``(N, 3)``; solids are not joined."""
    if shape.kind == "box":
        return [corners(shape)]
    parts = _mesh_parts(shape) if shape.kind == "mesh" else [_round_points(*shape.size)]
    rotation, position = shape.placement[:3, :3], shape.placement[:3, 3]
    return [points @ rotation.T + position for points in parts]


def _mesh_parts(shape: Shape) -> list[Array]:
    mesh = mesh_of(shape)
    corner_rows = (mesh.tri_indices(i) for i in range(mesh.num_tris))
    triangles = np.array([(row[0], row[1], row[2]) for row in corner_rows])
    points, same = np.unique(np.round(mesh.vertices(), 6), axis=0, return_inverse=True)
    a, b, c = same.reshape(-1)[triangles].T
    ends = np.concatenate([a, b]), np.concatenate([b, c])
    graph = coo_array((np.ones(2 * len(a)), ends), shape=(len(points), len(points)))
    count, labels = connected_components(graph, directed=False)
    return [points[labels == k] for k in range(count)]


def _round_points(radius: float, length: float = 0.0) -> Array:
    """Return points of a cylinder along z, or of a sphere without ``length``."""
    if length:
        heights, radii = np.array([-0.5, 0.5]) * length, np.full(2, radius)
    else:
        angles = np.linspace(-0.5, 0.5, 9) * np.pi
        heights, radii = radius * np.sin(angles), radius * np.cos(angles)
    z = np.broadcast_to(heights[:, None], (len(heights), len(_ROUND)))
    x, y = np.outer(radii, np.cos(_ROUND)), np.outer(radii, np.sin(_ROUND))
    return np.stack([x, y, z], axis=-1).reshape(-1, 3)
