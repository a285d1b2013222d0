"""CAD of small serial arms whose motors are inside, after the proportions of the IRB 120.

A box for a base, a turret that ends in a drum at the shoulder, a lower arm whose two cheeks embrace
shoulder and elbow, a tube with the wrist. Places come from the tables; proportions are ours.
Millimetres in base axes at home, in the size of an IRB 120: x forward, y left, z up.
"""

from __future__ import annotations

import math

from manifold3d import Manifold

from .body import AIR, ALUMINIUM, GEAR, MOTOR, PLASTIC, STEEL, Body, Part
from .lengths import Lengths, Need, Swing
from .serial_places import FIXED, Places, Stand
from .shapes import arc, block, bolts, disc, hull, mirrored, plain, union

MASS = 25.0  # [kg] of an IRB 120, which is drawn in millimetres
STAND = Stand(0.5, 80.0, above=98.0)  # the drum over the ring below it
GAP = 2.0  # between links
WEB = 26.0  # radius of the web of the lower arm
TUBE = 36.0  # of the turning forearm before its fork
DRUM = 56.0  # radius of shoulder and elbow
NECK = 25.0  # its radius before the flange, which is smaller
INNER, OUTER = 54.0, 80.0  # faces of the cheeks, from the middle


def needs(lengths: Lengths, swing: Swing) -> tuple[Need, ...]:
    """Return the least lengths of the drawing."""
    bent, turning = math.radians(swing.axis_5), 1.0 - FIXED
    folded = NECK * math.sin(bent) + 3.0, -lengths.d6 * math.cos(bent)
    return (
        Need("a height of axis 2 of", lengths.d1, STAND.lowest + STAND.above),
        Need("a lower arm of", lengths.a2, 2.0 * (DRUM + WEB) + 8.0, min(0.0, lengths.a3)),
        Need("a forearm of", lengths.d4, (50.0 + TUBE) / turning),
        Need("a forearm of", lengths.d4, (folded[0] + TUBE) / turning, -folded[1] / turning),
        Need("a flange of", lengths.d6, 44.0),
    )


def links(s: Places) -> tuple[Body, ...]:
    """Return the bodies from the base to the flange."""
    return base(s), turret(s), lower_arm(s), upper_arm(s), forearm(s), wrist(s), flange(s)


def base(s: Places) -> Body:
    """Box with rounded corners on a foot plate, connectors behind."""
    top = s.deck
    foot = block((-104, 90), (-90, 90), (0, 16), edge=6)
    house = block((-98, 84), (-84, 84), (8, top - 16), edge=22) + disc(80.0, 20.0, top - GAP)
    corners = [(x, y) for x in (-90.0, 76.0) for y in (-76.0, 76.0)]
    holes = union(*(plain(6.0, -1.0, 30.0, at=corner) for corner in corners))
    panel = block((-106, -94), (-66, 66), (26, top - 40), edge=3)
    middle = 0.5 * top - 6.0
    plugs = [plain(11.0, -116.0, -104.0, "x", at=(y, middle)) for y in (-40.0, -10.0, 16.0, 42.0)]
    air = block((-88, 74), (-74, 74), (-20, top - 48), edge=14)
    drive = plain(30.0, 16.0, top - 46.0)
    reducer = plain(52.0, top - 44.0, top - GAP)
    seam = plain(76.0, top - 3.0, top)
    parts = (
        Part(drive, MOTOR),
        Part(reducer, GEAR),
        Part(panel + union(*plugs), PLASTIC, "black"),
        Part(seam, STEEL, "black"),
        Part(air, AIR),
        Part(union(foot, house) - holes, ALUMINIUM, "orange"),
    )
    return Body(parts, (foot, hull(house, panel, *plugs)))


def turret(s: Places) -> Body:
    """Turret on axis 1 that ends in the drum of axis 2."""
    low = s.deck
    ring = disc(82.0, low, low + 40.0, edge=9.0)
    drum = disc(DRUM, -INNER + GAP, INNER - GAP, "y", at=s.axis_2, edge=8.0)
    neck = hull(disc(INNER - GAP, low + 24.0, low + 44.0, edge=9.0), drum)
    air = hull(
        plain(58.0, low + 12.0, low + 40.0),
        plain(DRUM - 12.0, -INNER + 12.0, INNER - 12.0, "y", s.axis_2),
    )
    drive = plain(24.0, -INNER + 14.0, INNER - 14.0, "y", s.axis_2)
    reducer = plain(46.0, -INNER + GAP, -INNER + 34.0, "y", s.axis_2)
    seams = mirrored(plain(48.0, INNER - GAP, INNER, "y", s.axis_2))
    parts = (
        Part(drive, MOTOR),
        Part(reducer, GEAR),
        Part(seams, STEEL, "black"),
        Part(air, AIR),
        Part(union(ring, neck), ALUMINIUM, "orange"),
    )
    return Body(parts, (ring, neck))


def lower_arm(s: Places) -> Body:
    """Two cheeks from shoulder to elbow, and a web between them."""

    def slab(radius: float, part: float, inner: float, outer: float, edge: float = 9.0) -> Manifold:
        (x2, z2), (x3, z3) = s.axis_2, s.axis_3
        at = (x2 + part * (x3 - x2), z2 + part * (z3 - z2))
        return disc(radius, inner, outer, "y", at, edge)

    length = s.axis_3[1] - s.axis_2[1]
    low = max(0.0, s.axis_3[1] - s.axis_4[1])  # by which the forearm is below the elbow
    near, far = (DRUM + WEB) / length, 1.0 - (DRUM + WEB + 8.0 + low) / length
    cheek = hull(slab(DRUM, 0.0, INNER, OUTER - 6.0), slab(0.88 * DRUM, 1.0, INNER, OUTER - 8.0))
    shell = hull(
        slab(0.72 * DRUM, 0.12, INNER + 6.0, OUTER), slab(0.66 * DRUM, 0.88, INNER + 6.0, OUTER)
    )
    ends = min(near, 0.5 * (near + far)), max(far, 0.5 * (near + far))
    web = hull(*(slab(WEB, part, -INNER, INNER, 8.0) for part in ends))
    air = hull(*(slab(18.0, part, -INNER + 8.0, INNER - 8.0, 6.0) for part in ends))
    side = hull(*(slab(0.6 * DRUM, part, INNER + 7.0, OUTER - 7.0, 6.0) for part in (0.0, 1.0)))
    caps = mirrored(
        disc(28.0, OUTER - 6.0, OUTER + 3.0, "y", s.axis_2, edge=2.0)
        + disc(25.0, OUTER - 8.0, OUTER + 3.0, "y", s.axis_3, edge=2.0)
    )
    screws = mirrored(
        bolts(8, 42.0, 2.5, OUTER - 8.0, OUTER - 4.0, "y", s.axis_2)
        + bolts(8, 37.0, 2.5, OUTER - 10.0, OUTER - 6.0, "y", s.axis_3)
    )
    drive = plain(22.0, INNER + 2.0, OUTER - 8.0, "y", s.axis_3) + plain(
        24.0, INNER + 2.0, OUTER - 8.0, "y", s.axis_2
    )
    body = union(mirrored(union(cheek, shell)), web)
    parts = (
        Part(caps, PLASTIC, "black"),
        Part(screws, STEEL, "black"),
        Part(mirrored(drive), GEAR),
        Part(union(mirrored(side), air), AIR),
        Part(body, ALUMINIUM, "orange"),
    )
    left = hull(
        cheek,
        shell,
        disc(28.0, OUTER, OUTER + 3.0, "y", s.axis_2, edge=1.0),
        disc(25.0, OUTER, OUTER + 3.0, "y", s.axis_3, edge=1.0),
    )
    return Body(parts, (left, left.mirror((0.0, 1.0, 0.0)), web))


def upper_arm(s: Places) -> Body:
    """Drum of the elbow, housing of the wrist's motors, and the fixed part of the tube."""
    x, z = s.axis_3[0], s.axis_4[1]
    drum = disc(0.88 * DRUM, -INNER + GAP, INNER - GAP, "y", at=s.axis_3, edge=8.0)
    house = hull(
        block((x - 46, x + 50), (-50, 50), (z - 44, z + 46), edge=20),
        disc(46.0, x + 60.0, x + 80.0, "x", s.axis_4, edge=8.0),
    )
    knee = hull(drum, block((x - 40, x + 40), (-48, 48), (z - 30, z + 10), edge=16))
    end = s.joint_4 - GAP
    tube = hull(
        disc(46.0, x + 50.0, x + 70.0, "x", s.axis_4), disc(43.0, end - 20.0, end, "x", s.axis_4)
    )
    air = hull(
        block((x - 36, x + 40), (-40, 40), (z - 32, z + 36), edge=14),
        plain(34.0, end - 26.0, end - 18.0, "x", s.axis_4),
    )
    lid = block((x - 30, x + 34), (-34, 34), (z + 42, z + 50), edge=4)
    cap = disc(34.0, x - 52.0, x - 40.0, "x", s.axis_4, edge=4.0)
    drives = union(
        *(plain(17.0, x - 34.0, x + 36.0, "x", at=(y, z)) for y in (-20.0, 20.0)),
        plain(22.0, -30.0, 30.0, "y", s.axis_3),
    )
    reducers = plain(40.0, INNER - 30.0, INNER - GAP, "y", s.axis_3) + plain(
        34.0, end - 24.0, end, "x", s.axis_4
    )
    seams = mirrored(plain(40.0, INNER - GAP, INNER, "y", s.axis_3))
    parts = (
        Part(drives, MOTOR),
        Part(reducers, GEAR),
        Part(cap, PLASTIC, "black"),
        Part(seams, STEEL, "black"),
        Part(air, AIR),
        Part(union(knee, house, tube, lid), ALUMINIUM, "orange"),
    )
    return Body(parts, (knee, hull(house, lid, cap), tube))


def forearm(s: Places) -> Body:
    """Turning part of the tube, which ends in the fork of the wrist.

    It ends where flange and neck come to when axis 5 is at the end of its range.
    """
    start, (x, z), bent = s.joint_4, s.axis_5, math.radians(s.swing.axis_5)
    end = x - max(50.0, NECK * math.sin(bent) - s.flange * math.cos(bent) + 3.0)
    tube = hull(
        disc(43.0, start, start + 16.0, "x", s.axis_4, edge=6.0),
        disc(38.0, end - 16.0, end, "x", s.axis_4, edge=6.0),
    )
    prong = hull(
        disc(30.0, 25.0, 38.0, "y", at=s.axis_5, edge=5.0),
        disc(26.0, 22.0, 36.0, "y", at=(end - 8.0, z), edge=5.0),
    )
    bridge = hull(
        disc(38.0, end - 20.0, end - 8.0, "x", s.axis_4, edge=6.0),
        disc(26.0, -36.0, 36.0, "y", at=(end - 2.0, z), edge=5.0),
    )
    slot = disc(x - end - 6.0, -25.0, 25.0, "y", at=s.axis_5, edge=4.0)
    caps = mirrored(disc(19.0, 36.0, 41.0, "y", at=s.axis_5, edge=2.0))
    air = hull(
        plain(33.0, start + 8.0, start + 20.0, "x", s.axis_4),
        plain(27.0, end - 20.0, end - 10.0, "x", s.axis_4),
    )
    shafts = mirrored(plain(20.0, 25.0, 38.0, "y", at=s.axis_5)) + plain(
        16.0, start + 4.0, end - 10.0, "x", s.axis_4
    )
    seam = plain(38.0, start - GAP, start + 1.0, "x", s.axis_4)
    parts = (
        Part(shafts, GEAR),
        Part(caps, PLASTIC, "black"),
        Part(seam, STEEL, "black"),
        Part(air, AIR),
        Part(union(tube, mirrored(prong), bridge) - slot, ALUMINIUM, "orange"),
    )
    side = prong + disc(19.0, 36.0, 41.0, "y", at=s.axis_5, edge=2.0)
    return Body(parts, (hull(tube, bridge - slot), side, side.mirror((0.0, 1.0, 0.0))))


def wrist(s: Places) -> Body:
    """Hub of axis 5 with the neck of axis 6."""
    x, _ = s.axis_5
    end = x + s.flange
    hub = disc(29.0, -23.0, 23.0, "y", at=s.axis_5, edge=5.0)
    neck = hull(
        disc(25.0, end - 18.0, end - 12.0, "x", s.axis_4, edge=3.0),
        disc(26.0, -22.0, 22.0, "y", at=s.axis_5, edge=4.0),
    )
    parts = (
        Part(plain(16.0, x - 8.0, end - 14.0, "x", s.axis_4), GEAR),
        Part(union(hub, neck), ALUMINIUM, "orange"),
    )
    return Body(parts, (hub, neck))


def flange(s: Places) -> Body:
    """Tool flange with a centring recess and four threads."""
    end = s.axis_5[0] + s.flange
    plate = disc(20.0, end - 11.0, end, "x", s.axis_4, edge=1.5)
    spots = arc((0.0, s.axis_5[1]), 15.75, 45.0, 315.0)
    threads = union(*(plain(2.5, end - 8.0, end + 1.0, "x", spot) for spot in spots))
    recess = plain(10.0, end - 4.0, end + 1.0, "x", s.axis_4)
    return Body((Part(plate - threads - recess, STEEL, "grey"),), (plate,))
