"""Extent of a tool along base or world axes: its TCP, and collision shapes where it has any."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kinematics.frames import Reference
from ..model.shapes import Shape, corners, mesh_of, shapes_of
from ..model.types import Array
from ..model.urdf import parse_urdf
from .robot import Robot

LINKS = ("tool0", "tcp")
"""Links that carry nothing but the tool."""


class Ball(NamedTuple):
    """A sphere, or the round part of a cylinder about ``axis``, by its centres and radius."""

    centres: Array
    """In tool0 [m], ``(k, 3)``."""
    radius: float
    axis: Array | None
    """Of a cylinder, in tool0; None for a sphere."""


class ToolExtent:
    """The tool's collision shapes, or only its TCP."""

    def __init__(self, robot: Robot, reference: Reference = "base") -> None:
        """Collect the shapes of a robot's tool; convex pieces stand for their corners.

        ``reference`` is the frame, ``base`` or ``world``, that coordinates are in.
        """
        self._robot, self._reference = robot, reference
        shapes = (
            []
            if robot.tool is None
            else shapes_of(parse_urdf(robot.urdf()), robot.folder, "collision")
        )
        points, self._balls = [np.zeros((0, 3))], []
        for shape in (shape for shape in shapes if shape.link in LINKS):
            moved = _in_tool0(robot, shape.link) @ shape.placement
            if shape.kind in ("box", "mesh"):
                local = (
                    _corners(shape)
                    if shape.kind == "mesh"
                    else corners(shape._replace(placement=np.eye(4)))
                )
                points.append(local @ moved[:3, :3].T + moved[:3, 3])
            else:
                self._balls.append(_ball(shape, moved))
        self._points = np.vstack(points)

    @property
    def name(self) -> str:
        """Parts that the extent includes."""
        return "TCP and tool" if len(self._points) or self._balls else "TCP"

    def ends(self, q: Array, tcp: Array) -> tuple[Array, Array]:
        """Return lowest and highest coordinates [m], ``(N, 3)`` each, at postures ``(N, n)``.

        ``tcp`` are positions of the TCP there, ``(N, 3)``.
        """
        low, high = tcp.copy(), tcp.copy()
        if self.name == "TCP":
            return low, high
        poses = np.asarray(self._robot.pose(q, "tool0", reference=self._reference))
        for i in range(3):
            row, origin = poses[:, i, :3], poses[:, i, 3]
            for begin in range(0, len(self._points), 256):  # keeps the products small
                reach = row @ self._points[begin : begin + 256].T
                low[:, i] = np.minimum(low[:, i], origin + reach.min(axis=1))
                high[:, i] = np.maximum(high[:, i], origin + reach.max(axis=1))
            for ball in self._balls:
                reach, wide = row @ ball.centres.T, ball.radius * np.ones(len(row))
                if ball.axis is not None:
                    wide = ball.radius * np.sqrt(np.maximum(1.0 - (row @ ball.axis) ** 2, 0.0))
                low[:, i] = np.minimum(low[:, i], origin + reach.min(axis=1) - wide)
                high[:, i] = np.maximum(high[:, i], origin + reach.max(axis=1) + wide)
        return low, high


def _in_tool0(robot: Robot, link: str) -> Array:
    if link == "tool0" or robot.tool is None:
        return np.eye(4)
    return np.asarray(robot.tool.tcp.homogeneous)


def _corners(shape: Shape) -> Array:
    """Return the corners of a mesh's convex hull: no other point is farther in any direction."""
    from scipy.spatial import ConvexHull  # few need it

    points = np.asarray(mesh_of(shape).vertices())
    return np.asarray(points[ConvexHull(points).vertices])


def _ball(shape: Shape, moved: Array) -> Ball:
    radius, *length = shape.size
    if not length:
        return Ball(moved[None, :3, 3], radius, None)
    axis = moved[:3, 2]
    return Ball(moved[:3, 3] + 0.5 * length[0] * np.outer([-1.0, 1.0], axis), radius, axis)
