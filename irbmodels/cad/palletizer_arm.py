"""CAD of palletizers: four axes, two linkages, a tool that stays level.

Stand, lower arm, crank and rod are those of :mod:`.parallel_arm`, its right cheek moved out. The
upper arm is a fork, between whose legs the lower arm folds and the wrist hangs. The rods that keep
level run on the right. Lengths are the robot's own; sections are ours, in units in which an IRB
2400 weighs 380 kg.

Side by side along y: right cheek (-263 to -178), rods that keep level (-166 to -140), plate and
lever of the wrist (-132 to -102), legs of the fork (-98 to -66, 66 to 98), lower arm and wrist
between; on the left the rest of :mod:`.parallel_arm`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from manifold3d import Manifold

from ..errors import InputError
from ..tables.description import Description
from .body import AIR, ALUMINIUM, GEAR, IRON, MOTOR, STEEL, Body, Part
from .lengths import Lengths
from .parallel_arm import MASS, base, crank_dip, likely_mass, lower_arm, stated_mass
from .parallel_bars import crank_lever, lever, pin, rod
from .parallel_column import column
from .parallel_places import Arm
from .shapes import Point, bolts, cavity, disc, hull, mirrored, motor, plain, union

GAP = 98.0  # by which the right cheek is moved out
LEGS = (66.0, 98.0)
PLATE = (-132.0, -102.0)
RODS = (-166.0, -140.0)
PINS = (-172.0, -104.0)
SHAFT = 34.0  # radius; the lower rod passes it at 57 or more, less half its width
BEAM = 0.76  # of the upper arm, where a tube joins the legs: the folded lower arm is clear of it
DRUM = 58.0  # radius of the drive of axis 4, which hangs between the legs
LEAST = 150.0  # from the passive axis down to the flange and ahead: hub, drum and flange


@dataclass(frozen=True)
class Places:
    """Where joints and pins are, in units of the drawing: (x, z)."""

    elbow: Point
    wrist: Point
    axis_4: float
    """x of axis 4."""
    face: float
    """Height of the flange."""
    base_pin: Point
    plate_pins: tuple[Point, Point]
    """Of the lower and of the upper rod."""
    wrist_pin: Point


def bodies(robot: Description) -> dict[str, Body]:
    """Return the links of a palletizer, in millimetres of its base at home.

    Raises:
        InputError: if its lengths cannot be drawn.
    """
    tables = robot.kinematics
    rows, linkage, level = tables.joints, tables.parallelogram, tables.level
    if linkage is None or level is None:
        raise InputError(f"{robot.name} has no linkages of a palletizer")
    down = rows["joint_4"].d_mm + tables.tool0.d_mm
    first, second, third, fourth = rows.values()
    lengths = Lengths(second.a_mm, first.d_mm, third.a_mm, 0.0, level.a_mm, down)
    payload, dip = robot.limits.ratings.payload_kg, crank_dip(robot)
    mass = stated_mass(robot) or likely_mass(lengths, linkage.crank_mm, payload, math.inf, dip)
    size = (mass / MASS) ** (1.0 / 3.0)
    for what, length, least in (
        ("d5_mm", down, LEAST * 0.9),
        ("a4_mm", fourth.a_mm, DRUM),
    ):
        if length < least * size:
            raise InputError(
                f"{what} {length:g} mm is too short for the wrist of a palletizer of {mass:.0f} kg:"
                f" it needs {least * size:.0f} mm"
            )
    arm = Arm(*lengths.in_units(size), linkage.crank_mm / size, dip=dip, gap=GAP)

    def shifted(point: Point, by: tuple[float, float]) -> Point:
        return point[0] + by[0] / size, point[1] + by[1] / size

    wrist = arm.elbow[0] + arm.d4, arm.elbow[1]
    s = Places(
        arm.elbow,
        wrist,
        wrist[0] + fourth.a_mm / size,
        wrist[1] - arm.d6,
        shifted(arm.shoulder, level.lower_pin_mm),
        (shifted(arm.elbow, level.lower_pin_mm), shifted(arm.elbow, level.upper_pin_mm)),
        shifted(wrist, level.upper_pin_mm),
    )
    drawn = {
        "base_link": base(arm),
        "link_1": stand(arm, s),
        "link_2": lower_arm(arm),
        "link_3": upper_arm(arm, s),
        "link_level": wrist_house(s),
        "link_4": flange(s),
        "link_crank": crank_lever(arm),
        "link_rod": rod(arm),
        "link_carrier": plate(s),
        "link_lower_rod": bar(s.base_pin, s.plate_pins[0]),
        "link_upper_rod": bar(s.plate_pins[1], s.wrist_pin),
    }
    return {name: body.scaled(size) for name, body in drawn.items()}


def stand(arm: Arm, s: Places) -> Body:
    """Column of axis 1; its right cheek holds the pin of the lower rod, and the shaft of axis 2."""
    body = column(arm)
    foot = hull(
        disc(40.0, -190.0, RODS[0] - 3.0, "y", s.base_pin, edge=4.0),
        disc(60.0, -190.0, RODS[0] - 10.0, "y", arm.shoulder, edge=4.0),
    )
    bolt = plain(17.0, -180.0, RODS[1] + 5.0, "y", s.base_pin)
    shaft = plain(SHAFT, -190.0, -71.0, "y", arm.shoulder)
    parts = (*body.parts, Part(bolt + shaft, STEEL, "grey"), Part(foot, IRON, "orange"))
    return Body(parts, (*body.pieces, foot, shaft, bolt))


def upper_arm(arm: Arm, s: Places) -> Body:
    """Fork on axis 3 with the lever of the parallelogram, joined before the wrist."""
    low, high = LEGS
    leg = hull(disc(84.0, low, high, "y", s.elbow, 10.0), disc(56.0, low, high, "y", s.wrist, 10.0))
    at = (s.elbow[0] + BEAM * arm.d4, s.elbow[1])
    beam = disc(36.0, -low - 6.0, low + 6.0, "y", at, edge=3.0)
    caps = mirrored(disc(46.0, 96.0, 101.0, "y", s.wrist, edge=2.0))
    bores = plain(34.0, -101.0, -60.0, "y", s.wrist) + plain(34.0, -101.0, -60.0, "y", s.elbow)
    legs = mirrored(leg)
    hubs = mirrored(disc(60.0, 61.0, low + 2.0, "y", s.elbow, edge=2.0))
    casting = union(legs, hubs, beam, lever(arm, arm.elbow, 80.0)) - bores
    hollow = mirrored(cavity(leg, 8.0))
    parts = (
        Part(pin(arm, arm.elbow), STEEL, "grey"),
        Part(hollow, AIR),
        Part(caps - bores, ALUMINIUM, "black"),
        Part(casting, IRON, "orange"),
    )
    pieces = (leg, leg.mirror((0.0, 1.0, 0.0)), beam, lever(arm, arm.elbow, 80.0))
    return Body(parts, pieces)


def wrist_house(s: Places) -> Body:
    """House on the passive axis, lever of the upper rod beside it, drive of axis 4 ahead."""
    at = (s.axis_4, 0.0)
    hub = disc(54.0, -62.0, 62.0, "y", s.wrist, edge=8.0)
    top = s.wrist[1] + 34.0
    drum = disc(DRUM, s.face + 26.0, top, at=at, edge=8.0)
    neck = hull(
        disc(50.0, -52.0, 52.0, "y", s.wrist, edge=8.0),
        disc(DRUM - 4.0, s.face + 60.0, top - 4.0, at=at, edge=8.0),
    )
    shaft = plain(32.0, PLATE[1] - 4.0, -55.0, "y", s.wrist)
    arm = hull(
        disc(50.0, *PLATE, "y", s.wrist, edge=5.0), disc(34.0, *PLATE, "y", s.wrist_pin, edge=5.0)
    )
    drive = motor(44.0, top - 4.0, top + 130.0, "z", at, box=180.0)
    parts = (
        Part(drive, MOTOR, "black"),
        Part(plain(46.0, s.face + 34.0, s.face + 100.0, at=at), GEAR),
        Part(plain(17.0, *PINS, "y", s.wrist_pin), STEEL, "grey"),
        Part(union(hub, drum, neck, shaft, arm), IRON, "orange"),
    )
    return Body(parts, (hub + neck, drum, arm, shaft, drive))


def flange(s: Places) -> Body:
    """Mounting flange of axis 4, which faces down."""
    at, face = (s.axis_4, 0.0), s.face
    disc_ = disc(52.0, face, face + 23.0, at=at, edge=3.0)
    holes = bolts(6, 40.0, 5.0, face - 1.0, face + 14.0, at=at)
    recess = plain(24.0, face - 1.0, face + 6.0, at=at)
    return Body((Part(disc_ - holes - recess, STEEL, "grey"),), (disc_,))


def plate(s: Places) -> Body:
    """Triangular plate on axis 3 between both rods."""
    eyes = [disc(60.0, *PLATE, "y", s.elbow, edge=5.0)]
    eyes += [disc(36.0, *PLATE, "y", at, edge=5.0) for at in s.plate_pins]
    shaft = plain(32.0, PLATE[1] - 4.0, -62.0, "y", s.elbow)
    pins = union(*(plain(17.0, *PINS, "y", at) for at in s.plate_pins))
    cap = disc(40.0, PLATE[0] - 6.0, PLATE[0] + 2.0, "y", s.elbow, edge=3.0)
    web = hull(*eyes)
    parts = (
        Part(pins, STEEL, "grey"),
        Part(cap, ALUMINIUM, "black"),
        Part(web + shaft, IRON, "orange"),
    )
    return Body(parts, (web, shaft))


def bar(start: Point, end: Point) -> Body:
    """Rod between two pins, an eye at each end."""
    low, high = RODS
    eyes = [disc(34.0, low, high, "y", at, edge=5.0) for at in (start, end)]
    shank: Manifold = hull(
        *(disc(19.0, low + 3.0, high - 3.0, "y", at, edge=5.0) for at in (start, end))
    )
    holes = union(*(plain(18.0, low - 1.0, high + 1.0, "y", at) for at in (start, end)))
    return Body((Part(union(shank, *eyes) - holes, STEEL, "orange"),), (shank, *eyes))
