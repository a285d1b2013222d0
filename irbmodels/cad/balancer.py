"""Cylinder and rod of a balancer, drawn as at home; both turn and slide within link 1."""

from __future__ import annotations

import math
from typing import NamedTuple

from manifold3d import Manifold

from ..model.springs import CoilSpring
from ..tables.description import Description
from .body import STEEL, Part
from .shapes import Point, rod, union

ENGAGED = 0.12  # of the length at home: what is left of the rod in the cylinder where it is longest


class Balancer(NamedTuple):
    """Spring or cylinder between link 1 and the lower arm; pivots (x, z) in base axes at home."""

    name: str
    on_column: Point
    on_arm: Point
    longest: float
    """Distance of the pivots where it is largest in the range of axis 2."""

    def scaled(self, factor: float) -> Balancer:
        """Return it with lengths ``factor`` times as large."""
        column, arm = ((factor * x, factor * z) for x, z in (self.on_column, self.on_arm))
        return Balancer(self.name, column, arm, factor * self.longest)

    @classmethod
    def of(cls, robot: Description) -> Balancer | None:
        """Read it from springs.yaml [mm]; None if axis 2 has none with pivots."""
        joints, ends = robot.kinematics.joints, robot.limits.axes["axis_2"].range_deg
        x, z = joints["joint_2"].a_mm, joints["joint_1"].d_mm
        for name, row in robot.springs.elements.items():
            if row.axis == "axis_2" and row.before_mm is not None and row.after_mm is not None:
                assert ends is not None
                line = CoilSpring(2, row.before_mm, row.after_mm, length=0.0, F0=0.0, k=0.0)
                _, longest = line.lengths(*(math.radians(end) for end in ends))
                # a positive axis 2 turns forward towards down: the second coordinate is -z
                column, arm = ((x + u, z - v) for u, v in (row.before_mm, row.after_mm))
                return cls(name, column, arm, longest)
        return None


def balance_parts(
    balancer: Balancer, y: float, ends: tuple[float, float], radii: tuple[float, float]
) -> tuple[tuple[Part, ...], Manifold]:
    """Return cylinder and rod as parts that move within link 1, and the solid of the cylinder.

    Args:
        balancer: In units of the drawing.
        y: Plane that it moves in.
        ends: Back and front of the cylinder along the line of the pivots, from the one on link 1,
            in parts of their distance at home.
        radii: Of cylinder and rod.
    """
    (x, z), (u, v) = balancer.on_column, balancer.on_arm
    home = math.dist(balancer.on_column, balancer.on_arm)
    back, front = ends

    def along(part: float) -> Point:
        return x + part * (u - x), z + part * (v - z)

    can = union(
        rod(radii[0], along(back), along(front), y),
        rod(1.1 * radii[0], along(front - 0.04), along(front + 0.06), y),
    )
    tail = 1.0 - (balancer.longest / home - front + ENGAGED)
    piston = rod(radii[1], along(tail), along(1.0), y)
    return (
        Part(can, STEEL, "black", f"{balancer.name}_cylinder"),
        Part(piston, STEEL, "grey", f"{balancer.name}_rod"),
    ), can
