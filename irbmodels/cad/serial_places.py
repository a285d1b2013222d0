"""Lengths of a serial arm, and where its axes are in the units of its drawing."""

from __future__ import annotations

from dataclasses import dataclass

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

    @classmethod
    def of(cls, lengths: Lengths, size: float, wrist: float) -> Places:
        """Find them from the lengths; a unit is ``size`` millimetres."""
        a1, d1, a2 = lengths.a1 / size, lengths.d1 / size, lengths.a2 / size
        a3, d4 = lengths.a3 / size, lengths.d4 / size
        z4, flange = d1 + a2 + a3, lengths.d6 / size
        elbow, end = (a1, d1 + a2), (a1 + d4, z4)
        return cls((a1, d1), elbow, (0.0, z4), end, a1 + FIXED * d4, flange, wrist)

    @property
    def deck(self) -> float:
        """Height of the base, where the column begins to turn."""
        return 0.27 * self.axis_2[1]
