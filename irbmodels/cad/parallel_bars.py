"""Crank with its counterweight, and rod of an arm with a parallelogram, after the IRB 2400."""

from __future__ import annotations

import math

from manifold3d import Manifold

from .body import AIR, IRON, STEEL, Body, Part
from .parallel_places import Arm
from .shapes import Point, disc, hull, plain, sector, union

WEIGHT_SIDES = (244.0, 418.0)  # beside the turntable (235), as far out as an IRB 2400's motor 3
BOX_TOP = -56.0  # height over the joint of axis 1 that is clear of the base's connector box
HALF = 26.0  # [deg] of the sector to each side of the crank
WEB = (12.0, 10.0)  # thickness, and [deg] to each side
HUB = 54.0


def lever(arm: Arm, centre: Point, hub: float) -> Manifold:
    """Return the bar from ``centre`` to the pin behind it: of crank and of upper arm."""
    tip, (inner, outer) = (centre[0] - arm.crank, centre[1]), arm.crank_sides
    ends = ((0.78 * hub, centre), (34.0, tip))
    bar = hull(*(disc(radius, inner + 3.0, outer - 3.0, "y", at, edge=5.0) for radius, at in ends))
    return union(
        bar,
        disc(hub, inner, outer, "y", centre, edge=6.0),
        disc(40.0, inner, outer, "y", tip, edge=6.0),
    )


def elbow_lever(arm: Arm) -> Manifold:
    """Return the lever of the upper arm, on a hub as far out as the crank."""
    bar = lever(arm, arm.elbow, 80.0)
    if arm.crank_mass is None:
        return bar
    return bar + disc(76.0, 94.0, arm.crank_sides[0] + 6.0, "y", arm.elbow, edge=4.0)


def pin(arm: Arm, centre: Point) -> Manifold:
    """Return the pin from the end of a lever through the eye of the rod, with its head."""
    at, outer = (centre[0] - arm.crank, centre[1]), arm.rod_sides[1]
    return plain(17.0, arm.crank_sides[0] + 4.0, outer + 5.0, "y", at) + disc(
        23.0, outer + 0.5, outer + 5.0, "y", at, edge=2.0
    )


def crank_lever(arm: Arm) -> Body:
    """Lever on a hollow shaft, which comes from reducer 3 through the plane of the rod.

    With a counterweight the reducer is on the other side of the lever, and a web at the end of the
    shaft holds a sector of steel, as far behind axis 2 as there is room, that makes the crank as
    heavy as it is.
    """
    if arm.crank_mass is not None:
        least, most = crank_masses(arm)
        full, outer = (arm.crank_mass - least) / (most - least), weight_radius(arm)
        weight = counterweight(arm, math.sqrt(outer**2 - full * (outer**2 - HUB**2)))
        crank = bare_crank(arm)
        return Body((*crank.parts, Part(weight, STEEL, "black")), (*crank.pieces, weight))
    return on_shaft(arm, (90.0, 150.0), (34.0, 80.0, 145.0))


def on_shaft(arm: Arm, sides: Point, bore: tuple[float, float, float]) -> Body:
    """Return the lever of the crank with its pin on a shaft, whose bore has a radius and sides."""
    bar = lever(arm, arm.shoulder, 80.0)
    shaft = disc(46.0, *sides, "y", arm.shoulder, edge=3.0)
    hollow = disc(*bore, "y", arm.shoulder)
    return Body(
        (
            Part(pin(arm, arm.shoulder), STEEL, "grey"),
            Part(hollow, AIR),
            Part(bar + shaft, IRON, "orange"),
        ),
        (bar, shaft),
    )


def bare_crank(arm: Arm) -> Body:
    """Return a crank with the web that holds its counterweight, and none on it."""
    (low, _), (thick, half), at = WEIGHT_SIDES, WEB, arm.shoulder
    inside = arm.crank_sides[0]
    body = on_shaft(arm, (inside - 13.0, low + 10.0), (38.0, inside - 34.0, low))
    outer = weight_radius(arm)
    end = sector((outer - thick, outer), half, (low, low + thick), at)
    web = hull(disc(HUB, low, low + thick, "y", at, edge=4.0), end)
    return Body((*body.parts, Part(web, IRON, "orange")), (*body.pieces, web))


def weight_radius(arm: Arm) -> float:
    """Return the outer radius of a counterweight, which turns past the base."""
    return arm.shoulder[1] - arm.foot - BOX_TOP


def counterweight(arm: Arm, inner: float) -> Manifold:
    """Return the sector on the web, from a radius outwards."""
    low, high = WEIGHT_SIDES
    radii = (inner, weight_radius(arm))
    return sector(radii, HALF, (low + WEB[0], high), arm.shoulder)


def crank_masses(arm: Arm) -> tuple[float, float]:
    """Return what a crank weighs without counterweight and with the largest.

    In [kg], as heavy as one unit were a millimetre.
    """
    alone = bare_crank(arm).weighed().mass
    return alone, alone + STEEL.density * 1e-9 * counterweight(arm, HUB).volume()


def rod(arm: Arm) -> Body:
    """Long bar of the parallelogram, grooved, with an eye at each end."""
    inner, outer = arm.rod_sides
    x, low, high = arm.a1 - arm.crank, arm.shoulder[1], arm.elbow[1]
    eyes = [disc(38.0, inner, outer, "y", (x, z), edge=6.0) for z in (low, high)]
    bar = hull(*(disc(23.0, inner + 4.0, outer - 4.0, "y", (x, z), edge=6.0) for z in (low, high)))
    ends = (low + 75.0, high - 75.0)
    groove = hull(*(disc(12.0, outer - 10.0, outer + 20.0, "y", (x, z), edge=5.0) for z in ends))
    holes = union(*(plain(18.0, inner - 1.0, outer + 1.0, "y", (x, z)) for z in (low, high)))
    return Body((Part(union(bar, *eyes) - groove - holes, STEEL, "orange"),), (bar, *eyes))
