"""Lengths of a serial arm, and where its axes are in the units of its drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..tables.description import Description
from .shapes import Point

GAP = 4.0  # between links
FIXED = 0.523  # share of the forearm that does not turn with axis 4


@dataclass(frozen=True)
class Lengths:
    """Lengths of one arm [mm], named as in docs/conventions.md."""

    a1: float
    d1: float
    a2: float
    a3: float
    d4: float
    d6: float

    @classmethod
    def of(cls, robot: Description) -> Lengths:
        """Read them from the tables."""
        rows = robot.kinematics.joints
        one, two, three, four = (rows[f"joint_{n}"] for n in (1, 2, 3, 4))
        flange = rows["joint_6"].d_mm + robot.kinematics.tool0.d_mm
        return cls(two.a_mm, one.d_mm, three.a_mm, four.a_mm, four.d_mm, flange)


class Balancer(NamedTuple):
    """Pivots (x, z) of a cylinder that pulls at the lower arm, in base axes at home."""

    on_column: Point
    on_arm: Point

    def scaled(self, factor: float) -> Balancer:
        """Return the pivots ``factor`` times as far from the base."""
        return Balancer(*((factor * x, factor * z) for x, z in self))

    @classmethod
    def of(cls, robot: Description) -> Balancer | None:
        """Read it from springs.yaml [mm]; None if axis 2 has none with pivots."""
        rows = robot.kinematics.joints
        x, z = rows["joint_2"].a_mm, rows["joint_1"].d_mm
        for row in robot.springs.elements.values():
            if row.axis == "axis_2" and row.before_mm is not None and row.after_mm is not None:
                # a positive axis 2 turns forward towards down: the second coordinate is -z
                return cls(*((x + u, z - v) for u, v in (row.before_mm, row.after_mm)))
        return None


@dataclass(frozen=True)
class Places:
    """Where the axes of one arm are, and how thick its wrist is; in units of the drawing."""

    axis_2: Point
    """Shoulder (x, z)."""
    axis_3: Point
    """Elbow (x, z)."""
    axis_4: Point
    """Line of the forearm (y, z)."""
    axis_5: Point
    """Wrist centre (x, z)."""
    joint_4: float
    """Where along x the turning part of the forearm begins."""
    flange: float
    """From the wrist centre to the face of the flange."""
    wrist: float
    """Thickness of forearm and wrist over that of an IRB 1600."""
    deck: float
    """Height of the base, where axis 1 turns."""
    balancer: Balancer | None = None

    @classmethod
    def of(
        cls,
        lengths: Lengths,
        size: float,
        wrist: float = 1.0,
        *,
        stand: float,
        balancer: Balancer | None = None,
    ) -> Places:
        """Find them from the lengths; a unit is ``size`` millimetres.

        ``stand`` is the height of the base over that of axis 2.
        """
        a1, d1, a2 = lengths.a1 / size, lengths.d1 / size, lengths.a2 / size
        a3, d4 = lengths.a3 / size, lengths.d4 / size
        z4, flange = d1 + a2 + a3, lengths.d6 / size
        elbow, end = (a1, d1 + a2), (a1 + d4, z4)
        joint_4, pivots = a1 + FIXED * d4, balancer and balancer.scaled(1.0 / size)
        return cls((a1, d1), elbow, (0.0, z4), end, joint_4, flange, wrist, stand * d1, pivots)
