"""Where the axes of a serial arm are, in the units of its drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .balancer import Balancer
from .lengths import Lengths, Swing
from .shapes import Point

GAP = 4.0  # between links
ARM = -192.0  # middle of the lower arm at axis 2
LEAN = 28.0  # by which it is nearer to the middle plane at axis 3
FIXED = 0.523  # share of the forearm that does not turn with axis 4


class Stand(NamedTuple):
    """Height of a base."""

    share: float
    """Of the height of axis 2."""
    lowest: float
    above: float
    """Least height of axis 2 over the base."""


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
    swing: Swing
    """Largest angles for which links leave room."""
    balancer: Balancer | None = None

    @classmethod
    def of(
        cls,
        lengths: Lengths,
        size: float,
        swing: Swing,
        wrist: float = 1.0,
        *,
        stand: Stand,
        balancer: Balancer | None = None,
    ) -> Places:
        """Find them from the lengths; a unit is ``size`` millimetres."""
        a1, d1, a2, a3, d4, flange = lengths.in_units(size)
        shoulder, elbow, wrist_centre = (a1, d1), (a1, d1 + a2), (a1 + d4, d1 + a2 + a3)
        return cls(
            shoulder,
            elbow,
            (0.0, wrist_centre[1]),
            wrist_centre,
            a1 + FIXED * d4,
            flange,
            wrist,
            min(max(stand.share * d1, stand.lowest), d1 - stand.above),
            swing,
            balancer and balancer.scaled(1.0 / size),
        )
