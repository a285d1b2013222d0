"""Turning forearm, wrist and flange of an arm with a parallelogram, after the IRB 2400.

Sections grow with ``Arm.wrist_size``.
"""

from __future__ import annotations

from .body import AIR, ALUMINIUM, GEAR, STEEL, Body, Part
from .parallel_places import Arm
from .shapes import arc, block, bolts, disc, hull, lathe, mirrored, plain, union


def forearm(arm: Arm) -> Body:
    """Tube that turns about axis 4, tapered towards the wrist, with the fork that holds axis 5."""
    start, (end, axis), k, back = arm.a1 + 215.0, arm.wrist, arm.wrist_size, arm.tube
    length = end - start
    rim = 100.0 * back
    collar = [*arc((rim - 8.0, 8.0), 8.0, -90.0, 0.0), (rim, 26.0), (rim - 3.0, 34.0)]
    taper = [
        (88.0 * back, 52.0),
        (83.0 * back, 85.0),
        (78.0 * back, 150.0),
        (64.0 * k, length - 190.0 * k),
        (64.0 * k, length - 165.0 * k),
    ]
    nose = [
        (70.0 * k, length - 150.0 * k),
        *arc((64.0 * k, length - 128.0 * k), 8.0 * k, 0.0, 90.0),
    ]
    tube = lathe(
        [(0.0, 0.0), *collar, *taper, *nose, (0.0, length - 120.0 * k)], "x", arm.forearm
    ).translate((start, 0.0, 0.0))
    bore = [
        (0.0, 0.0),
        (78.0 * back, 0.0),
        (74.0 * back, 60.0),
        (55.0 * k, length - 190.0 * k),
        (55.0 * k, length - 110.0 * k),
        (0.0, length - 110.0 * k),
    ]
    yoke = hull(
        disc(68.0 * k, end - 158.0 * k, end - 140.0 * k, "x", arm.forearm, edge=6.0),
        block(
            (end - 135.0 * k, end - 70.0 * k),
            (-90.0 * k, 90.0 * k),
            (axis - 56.0 * k, axis + 56.0 * k),
            edge=16.0 * k,
        ),
    )
    prong = hull(
        disc(54.0 * k, 52.0 * k, 90.0 * k, "y", arm.wrist, edge=10.0 * k),
        block(
            (end - 120.0 * k, end - 70.0 * k),
            (52.0 * k, 90.0 * k),
            (axis - 56.0 * k, axis + 56.0 * k),
            edge=14.0 * k,
        ),
    )
    room = disc(101.0 * k, -52.0 * k, 52.0 * k, "y", arm.wrist, edge=10.0 * k)
    covers = mirrored(disc(45.0 * k, 86.0 * k, 99.0 * k, "y", arm.wrist, edge=6.0 * k))
    shafts = disc(24.0 * k, start, end - 130.0 * k, "x", arm.forearm)
    gears = mirrored(
        hull(
            disc(38.0 * k, 56.0 * k, 82.0 * k, "y", arm.wrist),
            disc(34.0 * k, 56.0 * k, 82.0 * k, "y", (end - 90.0 * k, axis)),
        )
    )
    return Body(
        (
            Part(union(shafts, gears), GEAR),
            Part(lathe(bore, "x", arm.forearm).translate((start, 0.0, 0.0)), AIR),
            Part(covers, ALUMINIUM, "black"),
            Part(union(tube, yoke, mirrored(prong)) - room, ALUMINIUM, "orange"),
        ),
        (
            tube,
            yoke.trim_by_plane((-1.0, 0.0, 0.0), 104.0 * k - end),
            prong,
            prong.mirror((0.0, 1.0, 0.0)),
        ),
    )


def wrist(arm: Arm) -> Body:
    """Hub in the fork, turning about axis 5, with the bearing of axis 6."""
    face, k = arm.wrist[0] + arm.d6 - arm.plate - 1.0, arm.wrist_size
    hub = disc(49.0 * k, -50.0 * k, 50.0 * k, "y", arm.wrist, edge=10.0)
    front = disc(43.0 * k, face - 24.0, face - 8.0, "x", arm.forearm)
    neck = hull(disc(44.0 * k, -42.0 * k, 42.0 * k, "y", arm.wrist, edge=10.0), front)
    seat = disc(46.0 * k, face - 16.0, face, "x", arm.forearm, edge=5.0)
    gear = disc(28.0 * k, -40.0 * k, 40.0 * k, "y", arm.wrist)
    return Body(
        (Part(gear, GEAR), Part(union(hub, neck, seat), ALUMINIUM, "orange")), (hub, neck + seat)
    )


def flange(arm: Arm) -> Body:
    """Mounting flange with its centring bore and six threaded holes."""
    face, k = arm.wrist[0] + arm.d6, arm.wrist_size
    plate = disc(40.0 * k, face - arm.plate, face, "x", arm.forearm, edge=2.5)
    bores = plain(12.5 * k, face - 8.0, face + 1.0, "x", arm.forearm) + bolts(
        6, 31.5 * k, 4.0 * k, face - 12.0, face + 1.0, "x", arm.forearm
    )
    return Body((Part(plate - bores, STEEL, "grey"),), (plate,))
