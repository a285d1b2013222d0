"""CAD of arms whose third motor moves the upper arm by a parallelogram: IRB 2400, 1400, 4400.

That motor stands at the shoulder, opposite to the one of axis 2.

Lengths, the crank's included, are the robot's own. Everything else is drawn for the IRB 2400 and
grows with the cube root of mass: an arm is drawn in units in which it weighs 380 kg at the same
mean density, and scaled at the end. Forearm and wrist grow with the payload besides. The column
gets as low as the base needs below it, and its trunk as the crank needs to turn above.

Side by side along y, so that nothing meets in any posture: motor and reducer of axis 2, right cheek
(-165 to -80), lower arm (-70 to 70), crank and lever (74 to 98), rod (102 to 132), left cheek (142
to 200), reducer and motor of axis 3.
"""

from __future__ import annotations

import math

import numpy as np
from manifold3d import Manifold

from ..errors import InputError
from ..tables.building import limits_of
from ..tables.description import Description
from .balancer import Balancer, balance_parts
from .body import AIR, ALUMINIUM, GEAR, IRON, MOTOR, STEEL, Body, Part
from .lengths import Lengths, first_variant
from .parallel_places import BASE, HUB, RING, TRUNK, UNDER_CRANK, Arm
from .parallel_wrist import flange, forearm, wrist
from .shapes import Point, arc, block, bolts, disc, hull, lathe, mirrored, motor, plain, union

MASS = 380.0  # [kg] of an IRB 2400, which is drawn in millimetres
CRANK = 180.0  # of an IRB 2400
LIGHT = 16.0 / MASS  # payload over mass up to which the wrist is the IRB 2400's
CRANK_SIDES = (74.0, 98.0)
ROD_SIDES = (102.0, 132.0)
BEHIND = 352.0  # end of two motors of the wrist behind axis 3
SHORT = 265.0  # where they pass the pivot of a balancer on a folded arm
CYLINDER = (48.0, 22.0)  # radii of the balancer and its rod, which move in the lower arm's plane
PIN_END = 137.0
FOLD = (0.906, 0.423)  # sine and cosine of 65 deg, by which the forearm folds to the lower arm
CLEAR = 130.0  # height of the housing over axis 3 from which the folded lower arm is clear of it
TABLE = 68.0  # from the joint of axis 1 to the least height of the trunk's top
FOREARM = (365.0, 190.0)  # least length: housing and taper, and the wrist times its thickness


def bodies(robot: Description) -> dict[str, Body]:
    """Return the links of a robot with a parallelogram, in millimetres of its base at home.

    Stand, sections and wrist of a family are those of its first variant.
    """
    linkage = robot.kinematics.parallelogram
    if linkage is None:
        raise InputError(f"{robot.name} has no parallelogram")
    ratings, mass = first_variant(robot).limits.ratings, stated_mass(robot)
    lengths, dip = Lengths.read(robot), crank_dip(robot)
    if mass is None:
        variants = [Description(name, robot.folder) for name in robot.kinematics.variants]
        shortest = min(Lengths.read(variant).d4 for variant in variants)
        mass = likely_mass(lengths, linkage.crank_mm, ratings.payload_kg, shortest, dip)
    payload, balancer = ratings.payload_kg, Balancer.of(robot)
    return parallel_arm(lengths, linkage.crank_mm, payload, mass, dip, balancer)


def crank_dip(robot: Description) -> float:
    """Return how far the pin of the crank gets below axis 2, over the length of the crank.

    At 0 of axis 3 it is level, behind axis 2; the range of q3 itself counts.
    """
    low = float(np.degrees(limits_of(first_variant(robot)).envelope()[0][2]))
    return 1.0 if low <= -90.0 else max(0.0, -math.sin(math.radians(low)))


def likely_mass(
    lengths: Lengths, crank: float, payload: float, shortest: float, dip: float = 1.0
) -> float:
    """Return the mass [kg] in whose size an arm is drawn where its own is unknown.

    It grows with the crank, as far as axis 2 is high enough and the wrist fits on the forearm.

    Args:
        lengths: Lengths of its axes.
        crank: Length of the crank [mm].
        payload: Rated payload [kg].
        shortest: Shortest forearm of the family, from axis 3 to the wrist centre [mm].
        dip: See :func:`crank_dip`.
    """
    room = (
        lengths.d1 / (BASE + TABLE + TRUNK),
        (lengths.d1 - dip * crank) / (BASE + TABLE + UNDER_CRANK),
    )
    size = max(min(crank / CRANK, *room), 0.5 * crank / CRANK)
    while size > 0.5 * crank / CRANK and size * least_forearm(size, payload) > shortest:
        size *= 0.99
    return MASS * size**3


def least_forearm(size: float, payload: float) -> float:
    """Return the least length of a forearm in units of the drawing, by size and payload [kg]."""
    return FOREARM[0] + FOREARM[1] * wrist_size(payload, MASS * size**3)


def wrist_size(payload: float, mass: float) -> float:
    """Return the thickness of forearm and wrist over that of an IRB 2400."""
    return float(max(1.0, payload / mass / LIGHT) ** 0.25)


def stated_mass(robot: Description) -> float | None:
    """Return the first mass [kg] of a family's variants that is not assumed; None without one."""
    for name in robot.kinematics.variants:
        limits = Description(name, robot.folder).limits
        row = limits.ratings
        if row.mass_kg is not None and limits.sources[row.source_of("mass_kg")].grade != "assumed":
            return row.mass_kg
    return None


def parallel_arm(
    lengths: Lengths,
    crank: float,
    payload: float,
    mass: float | None = None,
    dip: float = 1.0,
    balancer: Balancer | None = None,
) -> dict[str, Body]:
    """Return the links of an arm with a parallelogram, in millimetres of its base at home.

    Args:
        lengths: Lengths of its axes.
        crank: Length of crank and lever [mm].
        payload: Rated payload [kg]. The section of forearm and wrist grows with the root of payload
            over mass, where that is above the IRB 2400's.
        mass: Mass of the robot [kg]; default :func:`likely_mass`. Stand, arms, bars and motors
            grow with its cube root.
        dip: See :func:`crank_dip`.
        balancer: Balancing cylinder of axis 2 [mm], where there is one.

    Raises:
        InputError: if axis 2 lies too low for the crank to turn above a base, or the forearm is too
            short for its wrist.
    """
    if mass is None:
        mass = likely_mass(lengths, crank, payload, lengths.d4, dip)
    size = (mass / MASS) ** (1.0 / 3.0)
    moved = balancer and balancer.scaled(1.0 / size)
    arm = Arm(*lengths.in_units(size), crank / size, wrist_size(payload, mass), dip, moved)
    lack = arm.foot + TABLE - arm.trunk
    if lack > 1e-6:
        raise InputError(
            f"axis 2 at {lengths.d1:g} mm lies too low for a crank of {crank:g} mm to turn above"
            f" the base of an arm of {mass:.0f} kg: it needs {lengths.d1 + lack * size:.0f} mm"
        )
    wrist_of = f"the wrist of an arm of {mass:.0f} kg with {payload:g} kg"
    for what, length, least in (
        ("a forearm", lengths.d4, FOREARM[0] + FOREARM[1] * arm.wrist_size),
        ("a flange", lengths.d6, 8.0 + HUB * arm.wrist_size),
    ):
        if length < least * size:
            raise InputError(
                f"{what} of {length:g} mm is too short for {wrist_of}: it needs"
                f" {least * size:.0f} mm"
            )
    drawn = {
        "base_link": base(arm),
        "link_1": column(arm),
        "link_2": lower_arm(arm),
        "link_3": elbow_housing(arm),
        "link_4": forearm(arm),
        "link_5": wrist(arm),
        "link_6": flange(arm),
        "link_crank": crank_lever(arm),
        "link_rod": rod(arm),
    }
    return {name: body.scaled(size) for name, body in drawn.items()}


def cavity(solid: Manifold, wall: float) -> Manifold:
    """Return the hollow of a convex casting: its form, one wall smaller on each side."""
    x0, y0, z0, x1, y1, z1 = solid.bounding_box()
    middle = ((x0 + x1) / 2.0, (y0 + y1) / 2.0, (z0 + z1) / 2.0)
    shrink = tuple(1.0 - 2.0 * wall / size for size in (x1 - x0, y1 - y0, z1 - z0))
    back = (-middle[0], -middle[1], -middle[2])
    return solid.translate(back).scale((shrink[0], shrink[1], shrink[2])).translate(middle)


def base(arm: Arm) -> Body:
    """Foot with four bolt holes, flared pedestal with ribs, rim of axis 1, connector box behind."""
    top = arm.foot
    corners = [(x, y) for x in (-235.0, 235.0) for y in (-235.0, 235.0)]
    plate = hull(*(disc(62.0, 0.0, 36.0, at=corner, edge=8.0) for corner in corners))
    holes = union(
        *(
            plain(14.0, -1.0, 50.0, at=corner) + plain(30.0, 28.0, 50.0, at=corner)
            for corner in corners
        )
    )
    bend = min(120.0, top - 50.0)  # where the flare ends
    radius = 90.0 * (bend - 36.0) / 84.0
    flare = arc((210.0 + radius, bend), radius, 238.0, 180.0, 5)
    skin = [
        (0.0, 10.0),
        (262.0, 10.0),
        (262.0, 36.0),
        *flare,
        (210.0, top - 50.0),
        (0.0, top - 50.0),
    ]
    pedestal = lathe(skin)
    ledge = arc((222.0, top - 50.0), 10.0, -90.0, 0.0) + arc((222.0, top - 13.0), 10.0, 0.0, 90.0)
    rim = lathe([(0.0, top - 60.0), *ledge, (0.0, top - 3.0)])
    inner = hull(
        plain(11.0, 30.0, 34.0, at=(205.0, 0.0)),
        plain(11.0, top - 62.0, top - 58.0, at=(200.0, 0.0)),
    )
    web = hull(inner, plain(11.0, 30.0, 34.0, at=(278.0, 0.0)))
    ribs = union(
        *(web.rotate((0.0, 0.0, turn)) for turn in (45.0, 90.0, 135.0, 225.0, 270.0, 315.0, 0.0))
    )
    box = block((-345.0, -150.0), (-125.0, 125.0), (30.0, top - 62.0), edge=16.0)
    panel = block((-353.0, -340.0), (-108.0, 108.0), (44.0, top - 76.0), edge=5.0)
    middle = (30.0 + top - 62.0) / 2.0
    plugs = [
        disc(min(r, middle - 34.0), -376.0, -350.0, "x", (y, middle), edge=4.0)
        for r, y in ((32.0, -62.0), (32.0, 18.0), (18.0, 78.0))
    ]
    screws = bolts(12, 206.0, 7.0, top - 6.0, top - 0.5)
    posts = [plain(40.0, 0.0, 22.0, at=corner) for corner in corners]
    under = hull(*posts) - union(*posts)
    hollow = [
        (0.0, 0.0),
        (245.0, 0.0),
        (198.0, 66.0),
        (198.0, top - 50.0),
        (212.0, top - 40.0),
        (212.0, top - 16.0),
    ]
    return Body(
        (
            Part(disc(145.0, top - 66.0, top - 4.0), GEAR),
            Part(lathe([*hollow, (0.0, top - 16.0)]), AIR),
            Part(under, AIR),
            Part(cavity(box, 7.0), AIR),
            Part(union(*plugs, screws), ALUMINIUM, "black"),
            Part(union(plate, pedestal, rim, ribs, box) - holes, IRON, "orange"),
            Part(panel, ALUMINIUM, "grey"),
        ),
        (plate, pedestal + rim, union(box, *plugs)),
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
    walls = [cheek(arm, right_side - 165.0, right_side - 80.0), cheek(arm, 142.0, 200.0)]
    right = walls[0] + disc(132.0, right_side - 215.0, right_side - 150.0, "y", arm.shoulder, 10.0)
    left = (
        walls[1]
        + disc(132.0, 185.0, 238.0, "y", arm.shoulder, 10.0)
        - plain(50.0, 130.0, 156.0, "y", arm.shoulder)
    )
    rings = plain(97.0, right_side - 231.0, right_side - 205.0, "y", arm.shoulder) + plain(
        97.0, 230.0, 254.0, "y", arm.shoulder
    )
    motors = [
        motor(84.0, start, end, "y", arm.shoulder, box=-130.0)
        for start, end in ((right_side - 230.0, right_side - 405.0), (252.0, 418.0))
    ]
    screws = [
        bolts(12, 115.0, 7.0, low, low + 20.0, "y", arm.shoulder, 15.0)
        for low in (right_side - 220.0, 223.0)
    ]
    behind = (-122.0, right_side - 152.0)
    seat = disc(88.0, min(foot + 66.0, top - 46.0), top - 16.0, at=behind, edge=10.0)
    shelf = hull(seat, disc(80.0, foot + 20.0, foot + 50.0, at=(-60.0, right_side - 110.0)))
    first = motor(70.0, top - 18.0, top + 167.0, "z", behind, box=200.0)
    drives = disc(100.0, right_side - 205.0, right_side - 120.0, "y", arm.shoulder) + disc(
        100.0, 150.0, 215.0, "y", arm.shoulder
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


def lower_arm(arm: Arm) -> Body:
    """Slender casting, a pocket on each side, a broad hub at axis 2, a narrower one at axis 3."""
    low, high = arm.shoulder, arm.elbow
    shank = hull(disc(102.0, -50.0, 50.0, "y", low, 16.0), disc(70.0, -44.0, 44.0, "y", high, 14.0))
    root = hull(
        disc(110.0, -64.0, 64.0, "y", low, 18.0),
        disc(86.0, -46.0, 46.0, "y", (low[0], low[1] + 190.0), 14.0),
    )
    head = hull(
        disc(80.0, -56.0, 56.0, "y", high, 14.0),
        disc(66.0, -42.0, 42.0, "y", (high[0], high[1] - 120.0), 14.0),
    )
    hubs = disc(112.0, -70.0, 70.0, "y", low, 10.0) + disc(82.0, -60.0, 60.0, "y", high, 10.0)
    ends = ((low[0], low[1] + 235.0), (high[0], high[1] - 165.0))
    pocket = hull(
        disc(58.0, 36.0, 90.0, "y", ends[0], 12.0), disc(42.0, 34.0, 90.0, "y", ends[1], 12.0)
    )
    screws = bolts(8, 94.0, 6.0, 60.0, 73.0, "y", low, 22.5)
    deeper = hull(pocket.translate((0.0, -10.0, 0.0)), pocket)
    return Body(
        (
            Part(
                union(*(cavity(form, 9.0) for form in (shank, root, head))) - mirrored(deeper), AIR
            ),
            Part(disc(98.0, -56.0, 56.0, "y", low) + disc(68.0, -48.0, 48.0, "y", high), AIR),
            Part(screws, STEEL, "black"),
            Part(union(shank, root, head, hubs) - mirrored(pocket), IRON, "orange"),
        ),
        (root + disc(112.0, -70.0, 70.0, "y", low), shank, head),
    )


def lever(arm: Arm, centre: Point, hub: float) -> Manifold:
    """Return the bar from ``centre`` to the pin behind it: of crank and of upper arm."""
    tip, (inner, outer) = (centre[0] - arm.crank, centre[1]), CRANK_SIDES
    ends = ((0.78 * hub, centre), (34.0, tip))
    bar = hull(*(disc(radius, inner + 3.0, outer - 3.0, "y", at, edge=5.0) for radius, at in ends))
    return union(
        bar,
        disc(hub, inner, outer, "y", centre, edge=6.0),
        disc(40.0, inner, outer, "y", tip, edge=6.0),
    )


def pin(arm: Arm, centre: Point) -> Manifold:
    """Return the pin from the end of a lever through the eye of the rod, with its head."""
    at = (centre[0] - arm.crank, centre[1])
    return plain(17.0, CRANK_SIDES[0] + 4.0, PIN_END, "y", at) + disc(
        23.0, ROD_SIDES[1] + 0.5, PIN_END, "y", at, edge=2.0
    )


def crank_lever(arm: Arm) -> Body:
    """Lever on a hollow shaft, which comes from reducer 3 through the plane of the rod."""
    bar = lever(arm, arm.shoulder, 80.0)
    shaft = disc(46.0, 90.0, 150.0, "y", arm.shoulder, edge=3.0)
    bore = disc(34.0, 80.0, 145.0, "y", arm.shoulder)
    return Body(
        (
            Part(pin(arm, arm.shoulder), STEEL, "grey"),
            Part(bore, AIR),
            Part(bar + shaft, IRON, "orange"),
        ),
        (bar, shaft),
    )


def rod(arm: Arm) -> Body:
    """Long bar of the parallelogram, grooved, with an eye at each end."""
    inner, outer = ROD_SIDES
    x, low, high = arm.a1 - arm.crank, arm.shoulder[1], arm.elbow[1]
    eyes = [disc(38.0, inner, outer, "y", (x, z), edge=6.0) for z in (low, high)]
    bar = hull(*(disc(23.0, inner + 4.0, outer - 4.0, "y", (x, z), edge=6.0) for z in (low, high)))
    ends = (low + 75.0, high - 75.0)
    groove = hull(*(disc(12.0, outer - 10.0, outer + 20.0, "y", (x, z), edge=5.0) for z in ends))
    holes = union(*(plain(18.0, inner - 1.0, outer + 1.0, "y", (x, z)) for z in (low, high)))
    return Body((Part(union(bar, *eyes) - groove - holes, STEEL, "orange"),), (bar, *eyes))


def folded(arm: Arm) -> Manifold:
    """Return the room of the lower arm about axis 3 where it is folded forward and backward."""
    x, z = arm.elbow

    def end(along: float) -> Manifold:
        return disc(81.0, -62.0, 62.0, "y", (x + along * FOLD[0], z - abs(along) * FOLD[1]))

    return hull(end(0.0), end(-220.0)) + hull(end(0.0), end(220.0))


def elbow_housing(arm: Arm) -> Body:
    """Lugs on the lower arm's head, housing of the wrist drives, lever of the parallelogram.

    The three motors of the wrist stand behind.
    """
    x, axis, k = arm.a1, arm.wrist[1], arm.tube
    low = max(axis - 30.0, arm.elbow[1] + 90.0)  # of two motors, above the rod
    behind = BEHIND if arm.balancer is None else SHORT
    front = disc(96.0 * k, x + 165.0, x + 190.0, "x", arm.forearm, edge=12.0)
    house = hull(
        block((x - 150.0, x + 5.0), (-126.0, 126.0), (axis - 78.0, axis + 108.0), edge=34.0),
        block((x + 45.0, x + 115.0), (-108.0, 108.0), (axis - 80.0, axis + 92.0), edge=38.0),
        front,
    )
    plate = block((x - 178.0, x - 146.0), (-132.0, 132.0), (axis - 82.0, axis + 114.0), edge=12.0)
    ring = disc(RING * k, x + 184.0, x + 212.0, "x", arm.forearm, edge=8.0)
    lug = hull(
        disc(88.0, 64.0, 98.0, "y", arm.elbow, edge=10.0),
        block((x - 95.0, x + 92.0), (64.0, 98.0), (axis - 40.0, axis + 20.0), edge=12.0),
    )
    head = disc(94.0, -64.0, 64.0, "y", arm.elbow, edge=4.0)
    room = head if arm.a3 > CLEAR else head + folded(arm)
    corners = [(y, axis + up) for y in (-116.0, 116.0) for up in (-64.0, 96.0)]
    heads = union(*(plain(7.0, x - 182.0, x - 170.0, "x", corner) for corner in corners))
    motors = [
        motor(51.0, x - 176.0, x - 20.0 - behind, "x", (0.0, axis + 56.0), box=180.0),
        motor(48.0, x - 176.0, x - behind, "x", (76.0, low), box=90.0),
        motor(48.0, x - 176.0, x - behind, "x", (-76.0, low), box=-90.0),
    ]
    caps = mirrored(disc(46.0, 94.0, 110.0, "y", arm.elbow, edge=6.0))
    casting = union(house, plate, ring, mirrored(lug), lever(arm, arm.elbow, 80.0)) - room
    return Body(
        (
            Part(union(*motors), MOTOR, "black"),
            Part(disc(70.0 * k, x + 130.0, x + 205.0, "x", arm.forearm), GEAR),
            Part(cavity(house, 11.0) - head.scale((1.0, 1.2, 1.0)), AIR),
            Part(pin(arm, arm.elbow), STEEL, "grey"),
            Part(caps + heads, ALUMINIUM, "black"),
            Part(casting, ALUMINIUM, "orange"),
        ),
        (
            house + plate + ring,
            lug,
            lug.mirror((0.0, 1.0, 0.0)),
            lever(arm, arm.elbow, 80.0),
            union(*motors),
        ),
    )
