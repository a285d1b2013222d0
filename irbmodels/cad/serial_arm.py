"""CAD of serial arms, after the IRB 1600.

A low base, a leaning column, a plate-like lower arm on the right side, a hollow forearm in the
middle. Lengths are the robot's own. Everything else is drawn for the IRB 1600 and grows with the
cube root of the robot's mass: a robot is drawn in units in which it weighs 250 kg at the same mean
density, and scaled at the end. Forearm and wrist grow with the payload besides. Units in base axes
at home: x forward, y left, z up.
"""

from __future__ import annotations

from collections.abc import Mapping

from manifold3d import Manifold

from ..tables.description import Description
from . import compact_arm
from .balancer import Balancer, balance_parts
from .body import AIR, ALUMINIUM, GEAR, IRON, MOTOR, PLASTIC, STEEL, Body, Part
from .lengths import Lengths, Need, Ratings, Swing, drawn_ratings, fitted_size
from .serial_base import base
from .serial_places import ARM, FIXED, GAP, LEAN, Places, Stand
from .serial_wrist import COLLAR, FORK, flange, forearm, wrist_hub
from .shapes import (
    Point,
    arc,
    block,
    bolts,
    cone,
    disc,
    hull,
    lathe,
    motor,
    placed,
    plain,
    union,
)

RIGHT, LEFT = -140.0, 104.0  # faces of the shoulder: to the lower arm, to the motor of axis 2
ELBOW = -112.0  # right face of the elbow; the lower arm is outside of it
MASS = 250.0  # [kg] of an IRB 1600, which is drawn in millimetres
THICKEST = 1.5  # wrist, as of an IRB 6700-235/2.65
STAND = Stand(0.27, 80.0, above=152.0)  # shoulder over the ring that the lower arm passes
COMPACT = 90.0  # [kg]; between an IRB 1200 and an IRB 140
ORDINARY = Swing()
LIGHT = 0.04  # payload over mass up to which the wrist is the IRB 1600's: 10 kg of 250


def small_motor(start: float, at: Point) -> Manifold:
    """Return a motor of the wrist, from its square flange at x = ``start`` backward."""
    can = lathe([(0, 0), (36, 0), (36, 62), (33, 65), (33, 88), *arc((23, 88), 10, 0, 90), (0, 98)])
    foot = block((-34, 34), (-34, 34), (-2, 9), edge=0.0)
    plug = block((-46, -26), (-13, 13), (36, 60), edge=0.0)
    return placed(union(can, foot, plug).mirror((0.0, 0.0, 1.0)), "x", at).translate(
        (start, 0.0, 0.0)
    )


def bodies(robot: Description) -> Mapping[str, Body]:
    """Return the links of a serial arm, in millimetres of its base at home."""
    ratings = drawn_ratings(robot, usual_mass, sizes)
    return serial_arm(Lengths.read(robot), *ratings, Balancer.of(robot), Swing.of(robot))


def sizes(ratings: Ratings) -> tuple[float, float]:
    """Return the size of stand and arms over those of an IRB 1600, and of the wrist over that."""
    share = ratings.payload / ratings.mass
    return (ratings.mass / MASS) ** (1.0 / 3.0), min(max(1.0, share / LIGHT) ** 0.25, THICKEST)


def usual_mass(payload: float, reach: float) -> float:
    """Return the mass [kg] that serial arms of a payload [kg] and reach [mm] have.

    Least squares of logarithms over 21 variants of IRB 120, 140, 1200, 1600, 2600, 4600, 52, 6640
    and 6700, two of them IRB 1600, and the T variants of 120 and 140 counted: mass over this is
    0.59 to 1.72, its cube root, the size, 0.84 to 1.20.
    """
    return float(70.0 * payload**0.211 * (reach / 1000.0) ** 1.683)


def serial_arm(
    lengths: Lengths,
    payload: float,
    mass: float,
    balancer: Balancer | None = None,
    swing: Swing = ORDINARY,
) -> Mapping[str, Body]:
    """Return the links of a serial arm, in millimetres of its base at home.

    Args:
        lengths: Lengths of its axes.
        payload: Rated payload [kg]. The section of forearm and wrist grows with the fourth root of
            payload over mass, where that is above the IRB 1600's.
        mass: Mass of the robot [kg]. Stand, shoulder, arms and motors grow with its cube root;
            small arms have their motors inside, see :mod:`.compact_arm`.
        balancer: Pivots of the balancing cylinder of axis 2 [mm], where there is one.
        swing: Largest angles of axes for which base and wrist leave room.

    Raises:
        InputError: if a length is too short for an arm of that mass and payload.
    """
    names = ("base_link", *(f"link_{n}" for n in range(1, 7)))
    arm = f"an arm of {mass:.0f} kg with {payload:g} kg"
    if mass < COMPACT:
        size = (mass / compact_arm.MASS) ** (1.0 / 3.0)
        size = fitted_size(size, compact_arm.needs(lengths, swing), arm)
        links = compact_arm.links(Places.of(lengths, size, swing, stand=compact_arm.STAND))
        return {name: body.scaled(size) for name, body in zip(names, links, strict=True)}
    size, wrist = sizes(Ratings(payload, mass))
    size = fitted_size(size, needs(lengths, wrist), arm)
    s = Places.of(lengths, size, swing, wrist, stand=STAND, balancer=balancer)
    links = (base(s), column(s), lower_arm(s), upper_arm(s), forearm(s), wrist_hub(s), flange(s))
    return {name: body.scaled(size) for name, body in zip(names, links, strict=True)}


def needs(lengths: Lengths, wrist: float) -> tuple[Need, ...]:
    """Return the least lengths of the drawing of an arm with a wrist of some thickness."""
    return (
        Need("a height of axis 2 of", lengths.d1, STAND.lowest + STAND.above),
        Need("a lower arm of", lengths.a2, 200.0, min(0.0, lengths.a3)),
        Need("a forearm of", lengths.d4, (COLLAR + FORK * wrist) / (1.0 - FIXED)),
        Need("a flange of", lengths.d6, 54.0 * wrist),
    )


def bracket_and_lug(s: Places) -> tuple[Manifold, Manifold]:
    """Return what holds the balancer on the column, and on the lower arm."""
    assert s.balancer is not None
    (x, z), (u, v) = s.balancer.on_column, s.balancer.on_arm
    bracket = hull(
        disc(44.0, ARM - 20.0, RIGHT + 60.0, "y", at=(x, z), edge=8.0),
        disc(60.0, RIGHT + 10.0, RIGHT + 60.0, "y", at=(-60.0, s.deck + 110.0), edge=8.0),
    )
    lug = hull(
        disc(32.0, ARM - 34.0, ARM + 34.0, "y", at=(u, v), edge=6.0),
        disc(66.0, ARM - 34.0, ARM + 34.0, "y", at=s.axis_2, edge=6.0),
    )
    return bracket, lug


def column(s: Places) -> Body:
    """Turning column that leans forward and ends in the shoulder.

    Motor 1 stands behind, motor 2 is on the left.
    """
    low, (x, z) = s.deck + GAP, s.axis_2
    place = (-104.0 - 0.4 * max(0.0, 150.0 - x), -62.0)  # behind a shoulder that stands upright
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
    parts: tuple[Part, ...] = (
        Part(reducer + plain(70.0, low + 2.0, low + 40.0), GEAR),
        Part(drive_1 + drive_2, MOTOR, "black"),
        Part(screws + seam, STEEL, "black"),
        Part(air, AIR),
        Part(union(ring, torso - pocket, barrel, shelf, spine, hub, collar), IRON, "orange"),
    )
    pieces: tuple[Manifold, ...] = (
        hull(ring, waist),
        hull(torso, barrel, collar, hub),
        hull(shelf, drive_1),
        spine,
        drive_2,
    )
    if s.balancer is not None:
        bracket, _ = bracket_and_lug(s)
        moving, can = balance_parts(s.balancer, ARM, (-0.3, 0.62), (64.0, 26.0))
        parts = (*parts, *moving, Part(bracket, IRON, "orange"))
        pieces = (*pieces, hull(can), hull(bracket))
    return Body(parts, pieces)


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
        middle = ARM + LEAN * part
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
    lugs = () if s.balancer is None else (bracket_and_lug(s)[1],)
    air += slab(50.0, 0.0, 26.0, 26.0) + slab(40.0, 1.0, 26.0, 26.0)
    parts = (
        Part(caps, PLASTIC, "black"),
        Part(screws, STEEL, "black"),
        Part(air, AIR),
        Part(
            union(low, high, bar, flare, neck, covers, *lugs) - outside - inside,
            ALUMINIUM,
            "orange",
        ),
    )
    return Body(
        parts,
        (
            hull(low, slab(66.0, 0.0, 54.0, 0.0)),
            *lugs,
            hull(flare, neck),
            hull(high, slab(54.0, 1.0, 54.0, 0.0)),
        ),
    )


def upper_arm(s: Places) -> Body:
    """Elbow in the middle plane, with the fixed tube of the forearm in front.

    Motor 3 is on the left, motors of the wrist are behind.
    """
    x, z, k = s.axis_3[0], s.axis_4[1], s.wrist
    joint = disc(84.0, ELBOW, 96.0, "y", at=s.axis_3, edge=12.0)
    seam = plain(70.0, ELBOW - 6.0, ELBOW, "y", s.axis_3)
    house = hull(
        block((x - 118, x + 60), (-96, 96), (z - 74, z + 62), edge=26),
        block((x - 100, x + 70), (-80, 80), (z - 80, z + 76), edge=26),
        disc(70.0 * k, x + 110.0, x + 150.0, "x", s.axis_4),
    )
    knee = hull(joint, block((x - 84, x + 84), (ELBOW + 10.0, 90), (z - 60, z + 10), edge=24))
    end = s.joint_4 - GAP
    tube = hull(
        disc(70.0 * k, x + 100.0, x + 130.0, "x", s.axis_4),
        disc(62.0 * k, end - 30.0, end - 8.0, "x", s.axis_4),
    )
    rim = disc(68.0 * k, end - 34.0, end - 2.0, "x", s.axis_4, edge=6.0)
    back = block((x - 130, x - 108), (-88, 88), (z - 78, z + 70), edge=8)
    places = ((-42.0, z + 24.0), (42.0, z + 24.0), (0.0, z - 42.0))
    drives = [small_motor(x - 128.0, place) for place in places]
    hub = disc(74.0, 90.0, 110.0, "y", at=s.axis_3, edge=5.0)
    drive_3 = motor(58.0, 110.0, 226.0, "y", s.axis_3, box=180.0)
    bore = plain(24.0 * k, x - 110.0, end, "x", s.axis_4)
    screws = bolts(10, 66.0, 5.0, 104.0, 114.0, "y", s.axis_3) + bolts(
        12, 60.0 * k, 4.5, end - 4.0, end + 2.0, "x", s.axis_4
    )
    lid = block((x - 66, x + 56), (-62, 62), (z + 70, z + 81), edge=5)
    air = hull(
        block((x - 104, x + 56), (-78, 78), (z - 58, z + 48), edge=20),
        plain(50.0 * k, x + 100, x + 120, "x", s.axis_4),
    )
    parts = (
        Part(plain(66.0, ELBOW + 8.0, ELBOW + 84.0, "y", s.axis_3), GEAR),
        Part(
            plain(56.0 * k, end - 64.0, end - 4.0, "x", s.axis_4)
            + plain(34.0 * k, x - 100.0, end - 60.0, "x", s.axis_4)
            - bore,
            GEAR,
        ),
        Part(union(drive_3, *drives), MOTOR, "black"),
        Part(screws + seam, STEEL, "black"),
        Part(air + cone(54.0 * k, 46.0 * k, x + 110.0, end - 10.0, "x", s.axis_4), AIR),
        Part(union(knee, house, tube, rim, back, hub, lid), ALUMINIUM, "orange"),
    )
    return Body(
        parts, (hull(house, back, lid), hull(knee, hub), tube + rim, drive_3, hull(*drives))
    )
