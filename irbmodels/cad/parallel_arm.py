"""CAD of arms whose third motor moves the upper arm by a parallelogram: IRB 2400, 1400, 4400.

That motor stands at the shoulder, opposite to the one of axis 2.

Lengths, the crank's included, are the robot's own. Everything else is drawn for the IRB 2400 and
grows with the cube root of mass: an arm is drawn in units in which it weighs 380 kg at the same
mean density, and scaled at the end. Forearm and wrist grow with the payload besides. The column
gets as low as the base needs below it, and its trunk as the crank needs to turn above.

Side by side along y, so that nothing meets in any posture: motor and reducer of axis 2, right cheek
(-165 to -80), lower arm (-70 to 70), crank and lever (74 to 98), rod (102 to 132), left cheek (142
to 200), reducer and motor of axis 3. With a counterweight, which turns with the crank outside all:
left cheek (80 to 130), crank and lever (134 to 158), rod (162 to 192), counterweight (244 to 394);
the motor of axis 3 then lies behind the left cheek. Such an arm is mirrored in the end: the crank
of the IRB 4400 is on its right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from manifold3d import Manifold

from ..errors import InputError
from ..tables.building import limits_of
from ..tables.description import Description
from .balancer import Balancer
from .body import AIR, ALUMINIUM, GEAR, IRON, MOTOR, STEEL, Body, Part
from .lengths import Lengths, first_variant
from .parallel_bars import crank_lever, crank_masses, elbow_lever, pin, rod
from .parallel_column import column
from .parallel_places import BASE, HUB, RING, TRUNK, UNDER_CRANK, Arm
from .parallel_wrist import flange, forearm, wrist
from .shapes import arc, block, bolts, cavity, disc, hull, lathe, mirrored, motor, plain, union

MASS = 380.0  # [kg] of an IRB 2400, which is drawn in millimetres
CRANK = 180.0  # of an IRB 2400
LIGHT = 16.0 / MASS  # payload over mass up to which the wrist is the IRB 2400's
BEHIND = 352.0  # end of two motors of the wrist behind axis 3
SHORT = 265.0  # where they pass the pivot of a balancer on a folded arm
FOLD = (0.906, 0.423)  # sine and cosine of 65 deg, by which the forearm folds to the lower arm
CLEAR = 130.0  # height of the housing over axis 3 from which the folded lower arm is clear of it
TABLE = 68.0  # from the joint of axis 1 to the least height of the trunk's top
FOREARM = (365.0, 190.0)  # least length: housing and taper, and the wrist times its thickness


def bodies(robot: Description) -> Mapping[str, Body]:
    """Return the links of a robot with a parallelogram, in millimetres of its base at home.

    Stand, sections and wrist of a family are those of its first variant.
    """
    linkage = robot.kinematics.parallelogram
    if linkage is None:
        raise InputError(f"{robot.name} has no parallelogram")
    ratings, mass = first_variant(robot).limits.ratings, stated_mass(robot)
    lengths, dip, crank = Lengths.read(robot), crank_dip(robot), robot.limits.crank
    heavy = None if crank is None else crank.mass_kg
    if mass is None:
        variants = [Description(name, robot.folder) for name in robot.kinematics.variants]
        shortest = min(Lengths.read(variant).d4 for variant in variants)
        mass = likely_mass(lengths, linkage.crank_mm, ratings.payload_kg, shortest, dip)
        mass += heavy or 0.0
    payload, balancer = ratings.payload_kg, Balancer.of(robot)
    return parallel_arm(lengths, linkage.crank_mm, payload, mass, dip, balancer, heavy)


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
    crank_mass: float | None = None,
) -> Mapping[str, Body]:
    """Return the links of an arm with a parallelogram, in millimetres of its base at home.

    Args:
        lengths: Lengths of its axes.
        crank: Length of crank and lever [mm].
        payload: Rated payload [kg]. The section of forearm and wrist grows with the root of payload
            over mass, where that is above the IRB 2400's.
        mass: Mass of the robot [kg]; default :func:`likely_mass`. Stand, arms, bars and motors
            grow with its cube root, a crank with a counterweight left out.
        dip: See :func:`crank_dip`.
        balancer: Balancing cylinder of axis 2 [mm], where there is one.
        crank_mass: Mass of the crank with its counterweight [kg], where it has one.

    Raises:
        InputError: if axis 2 lies too low for the crank to turn above a base, the forearm is too
            short for its wrist, or no counterweight makes the crank that heavy.
    """
    if mass is None:
        mass = likely_mass(lengths, crank, payload, lengths.d4, dip) + (crank_mass or 0.0)
    light = mass - (crank_mass or 0.0)
    size = (light / MASS) ** (1.0 / 3.0)
    moved = balancer and balancer.scaled(1.0 / size)
    heavy = None if crank_mass is None else crank_mass / size**3
    thick = wrist_size(payload, light)
    arm = Arm(*lengths.in_units(size), crank / size, thick, dip, moved, crank_mass=heavy)
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
    if crank_mass is not None:
        least, most = (size**3 * kg for kg in crank_masses(arm))
        if not least < crank_mass < most:
            raise InputError(
                f"a crank of {crank:g} mm of an arm of {mass:.0f} kg weighs {least:.0f} kg without"
                f" a counterweight, and {most:.0f} kg with the largest that fits: not"
                f" {crank_mass:g} kg"
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
    if crank_mass is not None:
        drawn = {name: body.mirrored() for name, body in drawn.items()}
    return {name: body.scaled(size) for name, body in drawn.items()}


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
    casting = union(house, plate, ring, mirrored(lug), elbow_lever(arm)) - room
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
            elbow_lever(arm),
            union(*motors),
        ),
    )
