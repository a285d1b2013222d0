"""Column of an arm with a parallelogram: turntable, cheeks, drives of axes 1 to 3, balancer."""

from __future__ import annotations

from typing import NamedTuple

from manifold3d import Manifold

from .balancer import balance_parts
from .body import AIR, ALUMINIUM, GEAR, IRON, MOTOR, STEEL, Body, Part
from .parallel_places import Arm
from .shapes import (
    Point,
    arc,
    block,
    bolts,
    cavity,
    disc,
    hull,
    lathe,
    mirrored,
    motor,
    plain,
    union,
)

CYLINDER = (48.0, 22.0)  # radii of the balancer and its rod, which move in the lower arm's plane


class ThirdDrive(NamedTuple):
    """Where the drive of axis 3 is."""

    motor: tuple[float, float, float, float]
    """Radius, both ends in y, and side of its connector box [deg]."""
    at: Point
    ring: tuple[float, float, float]
    """Radius and sides of its seat."""
    gear: Point
    """Sides of the reducer, in the cheek."""
    bolts: float
    """y where those of the reducer begin."""
    pocket: Point
    """Sides of the room for the shaft of the crank in the cheek."""

    @classmethod
    def of(cls, arm: Arm) -> ThirdDrive:
        """Return it outside the left cheek, or behind it.

        It is behind where the crank with its counterweight turns outside; a gear stage in the
        cheek then leads to the reducer.
        """
        if arm.crank_mass is None:
            motor, ring = (84.0, 252.0, 418.0, -130.0), (97.0, 230.0, 254.0)
            return cls(motor, arm.shoulder, ring, (150.0, 215.0), 223.0, (130.0, 156.0))
        low, high = arm.cheek
        behind = (arm.a1 - 270.0, arm.trunk + 14.0)
        motor, ring = (72.0, low + 32.0, 236.0, 90.0), (80.0, low + 20.0, low + 34.0)
        gear, pocket = (low + 4.0, high - 4.0), (high - 12.0, high + 2.0)
        return cls(motor, behind, ring, gear, high - 15.0, pocket)


def left_side(arm: Arm, third: ThirdDrive) -> Manifold:
    """Return what holds the drive of axis 3 on the left cheek."""
    if arm.crank_mass is None:
        return disc(132.0, 185.0, 238.0, "y", arm.shoulder, 10.0)
    (x, z), (low, _) = arm.shoulder, arm.cheek
    return hull(
        disc(92.0, low, low + 22.0, "y", third.at, edge=8.0),
        disc(120.0, low, low + 22.0, "y", (x - 20.0, z - 130.0), edge=8.0),
    )


def cheek(arm: Arm, low: float, high: float) -> Manifold:
    """Return a wall beside the lower arm, from the trunk up to axis 2, between two y."""
    x, top = arm.a1, arm.trunk
    return hull(
        disc(152.0, low, high, "y", arm.shoulder, edge=18.0),
        block((x - 145.0, x + 112.0), (low, high), (top - 56.0, top + 2.0), edge=18.0),
    )


def bracket(arm: Arm) -> Manifold:
    """Return the two cheeks that hold the balancing cylinder behind the trunk."""
    assert arm.balancer is not None
    x, top = arm.a1, arm.trunk
    y = CYLINDER[0] + 4.0
    cheek_of = hull(
        disc(34.0, y, y + 14.0, "y", arm.balancer.on_column, edge=4.0),
        block((x - 172.0, x - 60.0), (y, y + 14.0), (top - 50.0, top - 6.0), edge=4.0),
    )
    pivot = plain(16.0, -y - 10.0, y + 10.0, "y", arm.balancer.on_column)
    return mirrored(cheek_of) + pivot


def column(arm: Arm) -> Body:
    """Turntable, trunk and two cheeks with motors 2 and 3.

    Motor 1 stands upright behind the right cheek.
    """
    x, foot, top = arm.a1, arm.foot, arm.trunk
    table_edge = arc((223.0, foot + 18.0), 12.0, -60.0, 0.0) + arc(
        (223.0, foot + 46.0), 12.0, 0.0, 90.0
    )
    table = lathe([(0.0, foot), (214.0, foot), *table_edge, (0.0, foot + 58.0)])
    right_side = -arm.gap
    upper = block((x - 180.0, x + 128.0), (right_side - 165.0, 198.0), (top - 56.0, top), edge=26.0)
    trunk = hull(disc(212.0, foot + 50.0, min(foot + 78.0, top), edge=14.0), upper)
    dome = disc(66.0, top - 18.0, top + 40.0, edge=14.0)
    gland = plain(44.0, top + 32.0, top + 62.0)
    third = ThirdDrive.of(arm)
    walls = [cheek(arm, right_side - 165.0, right_side - 80.0), cheek(arm, *arm.cheek)]
    right = walls[0] + disc(132.0, right_side - 215.0, right_side - 150.0, "y", arm.shoulder, 10.0)
    left = walls[1] + left_side(arm, third) - plain(50.0, *third.pocket, "y", arm.shoulder)
    rings = plain(97.0, right_side - 231.0, right_side - 205.0, "y", arm.shoulder) + plain(
        *third.ring, "y", third.at
    )
    radius, start, end, box = third.motor
    motors = [
        motor(84.0, right_side - 230.0, right_side - 405.0, "y", arm.shoulder, box=-130.0),
        motor(radius, start, end, "y", third.at, box),
    ]
    screws = [
        bolts(12, 115.0, 7.0, low, low + 20.0, "y", arm.shoulder, 15.0)
        for low in (right_side - 220.0, third.bolts)
    ]
    behind = (-122.0, right_side - 152.0)
    seat = disc(88.0, min(foot + 66.0, top - 46.0), top - 16.0, at=behind, edge=10.0)
    shelf = hull(seat, disc(80.0, foot + 20.0, foot + 50.0, at=(-60.0, right_side - 110.0)))
    first = motor(70.0, top - 18.0, top + 167.0, "z", behind, box=200.0)
    drives = disc(100.0, right_side - 205.0, right_side - 120.0, "y", arm.shoulder) + disc(
        100.0, *third.gear, "y", arm.shoulder
    )
    moving: tuple[Part, ...] = ()
    pieces: tuple[Manifold, ...] = (table + trunk, dome + gland, right, left, shelf + first)
    held = Manifold()
    if arm.balancer is not None:
        held = bracket(arm)
        moving, can = balance_parts(arm.balancer, 0.0, (-0.05, 0.44), CYLINDER)
        pieces = (*pieces, hull(held), hull(can))
    return Body(
        (
            *moving,
            Part(union(*motors, first), MOTOR, "black"),
            Part(drives + disc(112.0, foot + 4.0, foot + 50.0), GEAR),
            Part(union(*(cavity(form, 12.0) for form in (trunk, shelf, *walls))), AIR),
            Part(plain(205.0, foot + 14.0, foot + 60.0), AIR),
            Part(union(*screws, gland), STEEL, "black"),
            Part(union(table, trunk, dome, right, left, shelf, held), IRON, "orange"),
            Part(rings, ALUMINIUM, "grey"),
        ),
        (*pieces, *motors),
    )
