"""Where the axes of an arm with a parallelogram are in the units of its drawing."""

from __future__ import annotations

from dataclasses import dataclass

from .balancer import Balancer
from .lengths import Lengths
from .shapes import Point

HUB = 50.0  # from axis 5 to the back of the flange
RING = 103.0  # radius of the elbow's housing where the forearm begins
COLUMN = 380.0  # from the joint of axis 1 up to axis 2, where that leaves room for the base
BASE = 140.0  # least height of the joint of axis 1: reducer, foot and connector box
TRUNK = 252.0  # from the top of the trunk up to axis 2
UNDER_CRANK = 56.0  # from the top of the trunk to the pin above it: eye of the rod and air


@dataclass(frozen=True)
class Arm(Lengths):
    """Lengths, crank and thickness of the wrist, in units of the drawing."""

    crank: float
    wrist_size: float = 1.0
    """Thickness of forearm and wrist over that of an IRB 2400."""
    dip: float = 1.0
    """How far the pin of the crank gets below axis 2, over the length of the crank."""
    balancer: Balancer | None = None
    gap: float = 0.0
    """Room between lower arm and right cheek, over that of an IRB 2400."""
    crank_mass: float | None = None
    """Of the crank with its counterweight [kg], as heavy as one unit were a millimetre."""

    @property
    def cheek(self) -> tuple[float, float]:
        """Left cheek in y: outside the rod, or inside the crank that has a counterweight."""
        return (142.0, 200.0) if self.crank_mass is None else (80.0, 130.0)

    @property
    def crank_sides(self) -> tuple[float, float]:
        """Crank, and lever of the upper arm, in y."""
        return (74.0, 98.0) if self.crank_mass is None else (134.0, 158.0)

    @property
    def rod_sides(self) -> tuple[float, float]:
        """Rod in y."""
        return self.crank_sides[1] + 4.0, self.crank_sides[1] + 34.0

    @property
    def foot(self) -> float:
        """Height of the joint of axis 1."""
        return max(self.d1 - COLUMN, BASE)

    @property
    def trunk(self) -> float:
        """Height of the trunk's top, above which the crank turns."""
        return self.d1 - max(TRUNK, self.dip * self.crank + UNDER_CRANK)

    @property
    def shoulder(self) -> Point:
        """Axis 2 in x and z."""
        return (self.a1, self.d1)

    @property
    def elbow(self) -> Point:
        """Axis 3 in x and z."""
        return (self.a1, self.d1 + self.a2)

    @property
    def wrist(self) -> Point:
        """Axis 5 in x and z."""
        return (self.a1 + self.d4, self.d1 + self.a2 + self.a3)

    @property
    def forearm(self) -> Point:
        """Axis 4 in y and z."""
        return (0.0, self.wrist[1])

    @property
    def tube(self) -> float:
        """Thickness of the forearm where it begins: the wrist's, as far as the folded arm lets."""
        return min(self.wrist_size, max(0.7, (self.a3 - 4.0) / RING))

    @property
    def plate(self) -> float:
        """Thickness of the flange, whose back stays clear of the hub of axis 5."""
        return min(23.0, self.d6 - HUB * self.wrist_size)
