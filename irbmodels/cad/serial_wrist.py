"""Turning forearm, wrist and flange of a serial arm, after the IRB 1600.

Sections grow with ``Places.wrist``, lengths along the forearm with those of the arm.
"""

from __future__ import annotations

from .body import AIR, ALUMINIUM, GEAR, PLASTIC, STEEL, Body, Part
from .serial_places import GAP, Places
from .shapes import arc, block, bolts, disc, hull, mirrored, plain, union

COLLAR = 80.0  # of the turning forearm before its fork
FORK = 120.0  # from the wrist centre back to where the fork begins


def forearm(s: Places) -> Body:
    """Turning, hollow tube of axis 4 that flattens into the fork of the wrist."""
    start, (x, z), k = s.joint_4, s.axis_5, s.wrist
    rim = disc(65.0 * k, start, start + 26.0, "x", s.axis_4, edge=6.0)
    tube = hull(
        disc(58.0 * k, start + 10.0, start + 40.0, "x", s.axis_4),
        disc(47.0 * k, x - 120.0 * k, x - 90.0 * k, "x", s.axis_4),
    )
    fork = hull(
        disc(50.0 * k, start + 50.0, start + 80.0, "x", s.axis_4),
        *(
            block(
                (x - FORK * k, x - 60.0 * k),
                (-56.0 * k, 56.0 * k),
                (z - 41.0 * k, z + 41.0 * k),
                edge=16,
            ),
            disc(41.0 * k, -56.0 * k, 56.0 * k, "y", at=s.axis_5, edge=8.0),
        ),
    )
    slot = disc(s.flange + 13.0, -36.0 * k, 36.0 * k, "y", at=s.axis_5, edge=8.0)
    bore = plain(26.0 * k, start - 1.0, x, "x", s.axis_4)
    ends = ((33.0 * k, s.axis_5), (26.0 * k, (x - 118.0 * k, z)))
    plates = mirrored(
        hull(*(disc(radius, 50.0 * k, 61.0 * k, "y", at=at, edge=4.0) for radius, at in ends))
    )
    caps = mirrored(plain(24.0 * k, 58.0 * k, 64.0 * k, "y", at=s.axis_5))
    screws = mirrored(bolts(3, 25.0 * k, 3.5, 58.0 * k, 63.0 * k, "y", at=(x - 112.0 * k, z)))
    air = hull(
        plain(48.0 * k, start + 16.0, start + 40.0, "x", s.axis_4),
        plain(37.0 * k, x - 130.0 * k, x - 100.0 * k, "x", s.axis_4),
    )
    shafts = (
        mirrored(plain(30.0 * k, 36.0 * k, 52.0 * k, "y", at=s.axis_5))
        + plain(34.0 * k, start + 8.0, x - 90.0 * k, "x", s.axis_4)
        - bore
    )
    belts = mirrored(
        block(
            (x - 150.0 * k, x + 24.0 * k),
            (40.0 * k, 49.0 * k),
            (z - 20.0 * k, z + 20.0 * k),
            edge=4,
        )
    )
    parts = (
        Part(shafts, GEAR),
        Part(caps, PLASTIC, "black"),
        Part(
            screws + plain(56.0 * k, start - GAP, start + 2.0, "x", s.axis_4) - bore, STEEL, "black"
        ),
        Part(air + belts, AIR),
        Part(union(rim, tube, fork, plates) - slot - bore, ALUMINIUM, "orange"),
    )
    prong = (fork + plates) ^ block(
        (x - 150.0 * k, x + 100.0 * k), (36.0 * k, 80.0 * k), (z - 80.0 * k, z + 80.0 * k), edge=0.0
    )
    shell = hull(tube, rim) + (
        fork
        ^ block(
            (start, x - s.flange - 14),
            (-80.0 * k, 80.0 * k),
            (z - 80.0 * k, z + 80.0 * k),
            edge=0.0,
        )
    )
    return Body(parts, (shell, prong, prong.mirror((0.0, 1.0, 0.0))))


def wrist_hub(s: Places) -> Body:
    """Hub of axis 5 with the neck of axis 6."""
    x, k = s.axis_5[0], s.wrist
    hub = disc(38.0 * k, -33.0 * k, 33.0 * k, "y", at=s.axis_5, edge=8.0)
    neck = hull(
        disc(31.0 * k, x + 10.0, x + 0.6 * s.flange, "x", s.axis_4, edge=5.0),
        disc(30.0 * k, -26.0 * k, 26.0 * k, "y", at=s.axis_5),
    )
    ring = disc(33.0 * k, x + 0.52 * s.flange, x + 0.72 * s.flange, "x", s.axis_4, edge=3.0)
    parts = (
        Part(plain(24.0 * k, x - 14.0 * k, x + 0.6 * s.flange, "x", s.axis_4), GEAR),
        Part(union(hub, neck, ring), ALUMINIUM, "orange"),
    )
    return Body(parts, (hub, hull(neck, ring)))


def flange(s: Places) -> Body:
    """Tool flange with a centring recess, four threads and a pin hole."""
    end, k = s.axis_5[0] + s.flange, s.wrist
    back = end - 0.26 * s.flange
    plate = disc(25.0 * k, back, end, "x", s.axis_4, edge=1.5) + plain(
        29.5 * k, back, end - 7.0, "x", s.axis_4
    )
    spots = arc((0.0, s.axis_5[1]), 20.0 * k, 45.0, 315.0)
    threads = union(*(plain(3.0 * k, end - 10.0, end + 1.0, "x", spot) for spot in spots))
    holes = threads + plain(12.5 * k, end - 6.0, end + 1.0, "x", s.axis_4)
    return Body((Part(plate - holes, STEEL, "grey"),), (plate,))
