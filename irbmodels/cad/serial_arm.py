"""CAD of serial arms, after the IRB 1600.

A low base, a leaning column, a plate-like lower arm on the right side, a hollow forearm in the
middle. Places come from the tables; proportions are ours. Millimetres in base axes at home: x
forward, y left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass

from manifold3d import Manifold

from ..tables.description import Description
from .body import AIR, ALUMINIUM, GEAR, IRON, MOTOR, PLASTIC, STEEL, Body, Part
from .shapes import (
    Point,
    arc,
    block,
    bolts,
    cone,
    disc,
    hull,
    lathe,
    mirrored,
    motor,
    placed,
    plain,
    union,
)

RIGHT, LEFT = -140.0, 104.0  # faces of the shoulder: to the lower arm, to the motor of axis 2
ELBOW = -112.0  # right face of the elbow; the lower arm is outside of it
GAP = 4.0  # between links


@dataclass(frozen=True)
class Places:
    """Where the axes of one arm are [mm]."""

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

    @classmethod
    def of(cls, robot: Description) -> Places:
        """Find them from the tables."""
        rows = robot.kinematics.joints
        a1, d1, a2 = rows["joint_2"].a_mm, rows["joint_1"].d_mm, rows["joint_3"].a_mm
        a3, d4 = rows["joint_4"].a_mm, rows["joint_4"].d_mm
        z4, flange = d1 + a2 + a3, rows["joint_6"].d_mm + robot.kinematics.tool0.d_mm
        return cls((a1, d1), (a1, d1 + a2), (0.0, z4), (a1 + d4, z4), a1 + 0.523 * d4, flange)

    @property
    def deck(self) -> float:
        """Height of the base, where the column begins to turn."""
        return 0.27 * self.axis_2[1]


def small_motor(start: float, at: Point) -> Manifold:
    """Return a motor of the wrist, from its square flange at x = ``start`` backward."""
    can = lathe([(0, 0), (36, 0), (36, 62), (33, 65), (33, 88), *arc((23, 88), 10, 0, 90), (0, 98)])
    foot = block((-34, 34), (-34, 34), (-2, 9), edge=0.0)
    plug = block((-46, -26), (-13, 13), (36, 60), edge=0.0)
    return placed(union(can, foot, plug).mirror((0.0, 0.0, 1.0)), "x", at).translate(
        (start, 0.0, 0.0)
    )


def bodies(robot: Description) -> dict[str, Body]:
    """Return the links of a serial arm of this make."""
    s = Places.of(robot)
    links = (base(s), column(s), lower_arm(s), upper_arm(s), forearm(s), wrist(s), flange(s))
    return dict(
        zip(
            ("base_link", "link_1", "link_2", "link_3", "link_4", "link_5", "link_6"),
            links,
            strict=True,
        )
    )


def base(s: Places) -> Body:
    """Foot with four pads to bolt down, drum of axis 1, connector box behind."""
    top = s.deck
    corners = [(x, y) for x in (-335.0, 150.0) for y in (-165.0, 165.0)]
    foot = hull(*(disc(52.0, 0.0, 26.0, at=corner, edge=5.0) for corner in corners))
    waist = hull(
        *(disc(52.0, 0.0, 44.0, at=(x, y)) for x in (-290.0, 100.0) for y in (-118.0, 118.0))
    )
    drum = union(plain(172.0, 20.0, top - 2.0), disc(188.0, top - 34.0, top - 2.0, edge=10.0))
    rear = block((-382, -90), (-128, 128), (12, top - 12), edge=16)
    pads = union(*(plain(29.0, 0.0, 33.0, at=corner) for corner in corners))
    holes = union(
        *(
            plain(11.0, -1.0, 60.0, at=corner) + plain(22.0, 28.0, 60.0, at=corner)
            for corner in corners
        )
    )
    rib = hull(
        block((-9, 9), (150, 172), (20, top - 38), edge=0.0),
        block((-9, 9), (190, 214), (18, 30), edge=0.0),
    )
    ribs = union(*(rib.rotate((0.0, 0.0, turn)) for turn in (-125.0, -55.0, -90.0, 0.0, -180.0)))
    frame = block((-387, -370), (-112, 112), (24, top - 24), edge=0.0)
    panel = block((-390, -380), (-100, 100), (34, top - 34), edge=3)
    middle = 0.5 * top
    plugs = [
        block((-418, -380), (y - 26, y + 26), (middle - 20, middle + 20), edge=0.0)
        for y in (-62.0, 6.0)
    ]
    plugs += [plain(15.0, -408.0, -380.0, "x", at=(y, middle)) for y in (53.0, 85.0)]
    lids = mirrored(block((-330, -170), (122, 133), (40, top - 30), edge=0.0))
    air = union(
        plain(150.0, -1.0, top - 24.0), block((-366, -100), (-112, 112), (-20, top - 28), edge=12)
    )
    air += hull(
        *(plain(40.0, -1.0, 14.0, at=(x, y)) for x in (-300.0, 115.0) for y in (-130.0, 130.0))
    )
    reducer = union(plain(118.0, top - 60.0, top - 20.0), plain(60.0, top - 80.0, top - 60.0))
    casting = (
        union(foot, hull(waist, plain(150.0, 60.0, 62.0)), drum, rear, pads, ribs, frame, lids)
        - holes
    )
    race = union(
        plain(166.0, top - 4.0, top + 1.0),
        bolts(16, 176.0, 6.5, top - 6.0, top + 3.0, "z", (0.0, 0.0)),
    )
    parts = (
        Part(reducer, GEAR),
        Part(panel + union(*plugs), PLASTIC, "black"),
        Part(race, STEEL, "black"),
        Part(air, AIR),
        Part(casting, IRON, "orange"),
    )
    return Body(parts, (foot, hull(drum, waist, ribs), hull(rear, frame, lids, *plugs)))


def column(s: Places) -> Body:
    """Turning column that leans forward and ends in the shoulder.

    Motor 1 stands behind, motor 2 is on the left.
    """
    low, place, (x, z) = s.deck + GAP, (-104.0, -62.0), s.axis_2
    ring = disc(188.0, low, low + 44.0, edge=10.0)
    barrel = disc(106.0, RIGHT, LEFT, "y", at=s.axis_2, edge=14.0)
    waist = disc(150.0, low + 30.0, low + 70.0, edge=14.0)
    torso = hull(waist, disc(94.0, RIGHT + 24.0, LEFT - 20.0, "y", at=s.axis_2, edge=14.0))
    shelf = hull(
        disc(84.0, low + 60.0, low + 104.0, at=place, edge=12.0),
        disc(150.0, low + 30.0, low + 60.0, edge=12.0),
    )
    spine = hull(
        disc(30.0, low + 40.0, low + 96.0, at=(-118.0, 66.0), edge=12.0),
        disc(30.0, low + 40.0, low + 96.0, at=(-60.0, 90.0), edge=12.0),
        block((x - 112, x - 40), (32, 80), (z - 70, z + 10), edge=16),
    )
    hub = disc(90.0, LEFT - 4.0, LEFT + 16.0, "y", at=s.axis_2, edge=5.0)
    collar = disc(96.0, RIGHT - 1.0, RIGHT + 20.0, "y", at=s.axis_2, edge=5.0)
    pocket = hull(
        disc(38.0, 118.0, 320.0, "y", at=(0.62 * x, z - 120.0), edge=10.0),
        disc(38.0, 118.0, 320.0, "y", at=(0.28 * x, z - 205.0), edge=10.0),
    )
    drive_1 = motor(60.0, low + 104.0, low + 282.0, "z", place, box=180.0)
    drive_2 = motor(72.0, LEFT + 16.0, LEFT + 166.0, "y", s.axis_2, box=180.0)
    screws = union(
        bolts(12, 81.0, 5.5, LEFT + 10.0, LEFT + 20.0, "y", s.axis_2),
        bolts(8, 72.0, 5.5, low + 100.0, low + 109.0, "z", place),
    )
    seam = plain(88.0, RIGHT - 4.0, RIGHT, "y", s.axis_2)
    reducer = plain(84.0, RIGHT + 8.0, RIGHT + 96.0, "y", s.axis_2)
    air = hull(
        plain(132.0, low + 15.0, low + 58.0), plain(86.0, RIGHT + 32.0, LEFT - 28.0, "y", s.axis_2)
    )
    air += plain(70.0, low + 40.0, low + 92.0, at=place)
    parts = (
        Part(reducer + plain(70.0, low + 2.0, low + 40.0), GEAR),
        Part(drive_1 + drive_2, MOTOR, "black"),
        Part(screws + seam, STEEL, "black"),
        Part(air, AIR),
        Part(union(ring, torso - pocket, barrel, shelf, spine, hub, collar), IRON, "orange"),
    )
    return Body(
        parts,
        (hull(ring, waist), hull(torso, barrel, collar, hub), hull(shelf, drive_1), spine, drive_2),
    )


def lower_arm(s: Places) -> Body:
    """Slim arm beside the column: two round ends, a bar between them, pockets in both faces.

    The bar leans towards the elbow.
    """

    def slab(
        radius: float, part: float, outer: float, inner: float, edge: float = 12.0
    ) -> Manifold:
        """Return a disc at a part of the way from axis 2 to axis 3.

        ``outer`` and ``inner`` are distances of its faces from the middle of the arm.
        """
        middle = -192.0 + 28.0 * part
        at = (
            (1.0 - part) * s.axis_2[0] + part * s.axis_3[0],
            (1.0 - part) * s.axis_2[1] + part * s.axis_3[1],
        )
        return disc(radius, middle - outer, middle + inner, "y", at, edge)

    low, high = slab(100.0, 0.0, 44.0, 46.0), slab(80.0, 1.0, 44.0, 46.0)
    bar = hull(slab(62.0, 0.0, 40.0, 40.0, 16.0), slab(56.0, 1.0, 40.0, 40.0, 16.0))
    flare = hull(slab(95.0, 0.0, 38.0, 38.0, 16.0), slab(60.0, 0.36, 40.0, 40.0, 16.0))
    neck = hull(slab(58.0, 0.72, 40.0, 40.0, 16.0), slab(75.0, 1.0, 38.0, 38.0, 16.0))
    ends = (0.30, 0.76)
    outside = hull(*(slab(38.0 - 6.0 * part, part, 60.0, -29.0, 3.0) for part in ends))
    inside = hull(*(slab(38.0 - 6.0 * part, part, -29.0, 60.0, 3.0) for part in ends))
    covers = slab(66.0, 0.0, 50.0, 0.0, 5.0) + slab(54.0, 1.0, 50.0, 0.0, 5.0)
    caps = plain(34.0, -246.0, -200.0, "y", s.axis_2) + plain(28.0, -218.0, -180.0, "y", s.axis_3)
    screws = bolts(12, 83.0, 5.5, -240.0, -230.0, "y", s.axis_2) + bolts(
        10, 67.0, 5.0, -212.0, -202.0, "y", s.axis_3
    )
    air = hull(slab(36.0, 0.3, 16.0, 16.0), slab(30.0, 0.76, 16.0, 16.0))
    air += slab(50.0, 0.0, 26.0, 26.0) + slab(40.0, 1.0, 26.0, 26.0)
    parts = (
        Part(caps, PLASTIC, "black"),
        Part(screws, STEEL, "black"),
        Part(air, AIR),
        Part(union(low, high, bar, flare, neck, covers) - outside - inside, ALUMINIUM, "orange"),
    )
    return Body(
        parts,
        (
            hull(low, slab(66.0, 0.0, 54.0, 0.0)),
            hull(flare, neck),
            hull(high, slab(54.0, 1.0, 54.0, 0.0)),
        ),
    )


def upper_arm(s: Places) -> Body:
    """Elbow in the middle plane, with the fixed tube of the forearm in front.

    Motor 3 is on the left, motors of the wrist are behind.
    """
    x, z = s.axis_3[0], s.axis_4[1]
    joint = disc(84.0, ELBOW, 96.0, "y", at=s.axis_3, edge=12.0)
    seam = plain(70.0, ELBOW - 6.0, ELBOW, "y", s.axis_3)
    house = hull(
        block((x - 118, x + 60), (-96, 96), (z - 74, z + 62), edge=26),
        block((x - 100, x + 70), (-80, 80), (z - 80, z + 76), edge=26),
        disc(70.0, x + 110.0, x + 150.0, "x", s.axis_4),
    )
    knee = hull(joint, block((x - 84, x + 84), (ELBOW + 10.0, 90), (z - 60, z + 10), edge=24))
    end = s.joint_4 - GAP
    tube = hull(
        disc(70.0, x + 100.0, x + 130.0, "x", s.axis_4),
        disc(62.0, end - 30.0, end - 8.0, "x", s.axis_4),
    )
    rim = disc(68.0, end - 34.0, end - 2.0, "x", s.axis_4, edge=6.0)
    back = block((x - 130, x - 108), (-88, 88), (z - 78, z + 70), edge=8)
    places = ((-42.0, z + 24.0), (42.0, z + 24.0), (0.0, z - 42.0))
    drives = [small_motor(x - 128.0, place) for place in places]
    hub = disc(74.0, 90.0, 110.0, "y", at=s.axis_3, edge=5.0)
    drive_3 = motor(58.0, 110.0, 226.0, "y", s.axis_3, box=180.0)
    bore = plain(24.0, x - 110.0, end, "x", s.axis_4)
    screws = bolts(10, 66.0, 5.0, 104.0, 114.0, "y", s.axis_3) + bolts(
        12, 60.0, 4.5, end - 4.0, end + 2.0, "x", s.axis_4
    )
    lid = block((x - 66, x + 56), (-62, 62), (z + 70, z + 81), edge=5)
    air = hull(
        block((x - 104, x + 56), (-78, 78), (z - 58, z + 48), edge=20),
        plain(50.0, x + 100, x + 120, "x", s.axis_4),
    )
    parts = (
        Part(plain(66.0, ELBOW + 8.0, ELBOW + 84.0, "y", s.axis_3), GEAR),
        Part(
            plain(56.0, end - 64.0, end - 4.0, "x", s.axis_4)
            + plain(34.0, x - 100.0, end - 60.0, "x", s.axis_4)
            - bore,
            GEAR,
        ),
        Part(union(drive_3, *drives), MOTOR, "black"),
        Part(screws + seam, STEEL, "black"),
        Part(air + cone(54.0, 46.0, x + 110.0, end - 10.0, "x", s.axis_4), AIR),
        Part(union(knee, house, tube, rim, back, hub, lid), ALUMINIUM, "orange"),
    )
    return Body(
        parts, (hull(house, back, lid), hull(knee, hub), tube + rim, drive_3, hull(*drives))
    )


def forearm(s: Places) -> Body:
    """Turning, hollow tube of axis 4 that flattens into the fork of the wrist."""
    start, (x, z) = s.joint_4, s.axis_5
    rim = disc(65.0, start, start + 26.0, "x", s.axis_4, edge=6.0)
    tube = hull(
        disc(58.0, start + 10.0, start + 40.0, "x", s.axis_4),
        disc(47.0, x - 120.0, x - 90.0, "x", s.axis_4),
    )
    fork = hull(
        disc(50.0, start + 50.0, start + 80.0, "x", s.axis_4),
        *(
            block((x - 120, x - 60), (-56, 56), (z - 41, z + 41), edge=16),
            disc(41.0, -56.0, 56.0, "y", at=s.axis_5, edge=8.0),
        ),
    )
    slot = disc(s.flange + 13.0, -36.0, 36.0, "y", at=s.axis_5, edge=8.0)
    bore = plain(26.0, start - 1.0, x, "x", s.axis_4)
    ends = ((33.0, s.axis_5), (26.0, (x - 118.0, z)))
    plates = mirrored(
        hull(*(disc(radius, 50.0, 61.0, "y", at=at, edge=4.0) for radius, at in ends))
    )
    caps = mirrored(plain(24.0, 58.0, 64.0, "y", at=s.axis_5))
    screws = mirrored(bolts(3, 25.0, 3.5, 58.0, 63.0, "y", at=(x - 112.0, z)))
    air = hull(
        plain(48.0, start + 16.0, start + 40.0, "x", s.axis_4),
        plain(37.0, x - 130.0, x - 100.0, "x", s.axis_4),
    )
    shafts = (
        mirrored(plain(30.0, 36.0, 52.0, "y", at=s.axis_5))
        + plain(34.0, start + 8.0, x - 90.0, "x", s.axis_4)
        - bore
    )
    belts = mirrored(block((x - 150, x + 24), (40, 49), (z - 20, z + 20), edge=4))
    parts = (
        Part(shafts, GEAR),
        Part(caps, PLASTIC, "black"),
        Part(screws + plain(56.0, start - GAP, start + 2.0, "x", s.axis_4) - bore, STEEL, "black"),
        Part(air + belts, AIR),
        Part(union(rim, tube, fork, plates) - slot - bore, ALUMINIUM, "orange"),
    )
    prong = (fork + plates) ^ block((x - 150, x + 100), (36, 80), (z - 80, z + 80), edge=0.0)
    shell = hull(tube, rim) + (
        fork ^ block((start, x - s.flange - 14), (-80, 80), (z - 80, z + 80), edge=0.0)
    )
    return Body(parts, (shell, prong, prong.mirror((0.0, 1.0, 0.0))))


def wrist(s: Places) -> Body:
    """Hub of axis 5 with the neck of axis 6."""
    x, _ = s.axis_5
    hub = disc(38.0, -33.0, 33.0, "y", at=s.axis_5, edge=8.0)
    neck = hull(
        disc(31.0, x + 10.0, x + 0.6 * s.flange, "x", s.axis_4, edge=5.0),
        disc(30.0, -26.0, 26.0, "y", at=s.axis_5),
    )
    ring = disc(33.0, x + 0.52 * s.flange, x + 0.72 * s.flange, "x", s.axis_4, edge=3.0)
    parts = (
        Part(plain(24.0, x - 14.0, x + 0.6 * s.flange, "x", s.axis_4), GEAR),
        Part(union(hub, neck, ring), ALUMINIUM, "orange"),
    )
    return Body(parts, (hub, hull(neck, ring)))


def flange(s: Places) -> Body:
    """Tool flange with a centring recess, four threads and a pin hole."""
    end = s.axis_5[0] + s.flange
    back = end - 0.26 * s.flange
    plate = disc(25.0, back, end, "x", s.axis_4, edge=1.5) + plain(
        29.5, back, end - 7.0, "x", s.axis_4
    )
    spots = arc((0.0, s.axis_5[1]), 20.0, 45.0, 315.0)
    threads = union(*(plain(3.0, end - 10.0, end + 1.0, "x", spot) for spot in spots))
    holes = threads + plain(12.5, end - 6.0, end + 1.0, "x", s.axis_4)
    return Body((Part(plate - holes, STEEL, "grey"),), (plate,))
