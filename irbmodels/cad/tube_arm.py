"""CAD of collaborative arms: tubes between round joints, after the CRB 15000-5/0.95.

The lower arm is a tube on the right side, between the shoulder's drum and the elbow's; the forearm
is one in the middle, which ends beside axis 5. Axis 6 passes axis 5. Lengths are the robot's own;
sections are ours, for the 28 kg of a CRB 15000-5, and grow with the cube root of the mass.
Millimetres of that arm, in base axes at home: x forward, y left, z up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from manifold3d import Manifold

from ..errors import InputError
from ..tables.description import Description
from .body import AIR, ALUMINIUM, GEAR, STEEL, Body, Part
from .lengths import Lengths, Ratings, drawn_ratings
from .shapes import Axis, Point, arc, bolts, disc, hull, plain, union

MASS = 28.0  # [kg] of a CRB 15000-5/0.95, which is drawn in millimetres
GAP = 3.0  # seam between links
DRUM = 72.0  # radius of the shoulder
SIDE = -136.0  # y of the lower arm
WALL = 6.0  # of tubes and drums
ELBOW, WRIST = 62.0, 50.0  # radii of the drums of axes 3 and 4, and of axes 5 and 6
LEAST = 270.0  # of the forearm: drums of axes 4 and 5, and the bend between them


@dataclass(frozen=True)
class Places:
    """Where the axes are, in units of the drawing."""

    axis_2: Point
    """(x, z)"""
    axis_3: Point
    axis_4: Point
    """(y, z)"""
    axis_5: Point
    """(x, z)"""
    axis_6: Point
    """(y, z)"""
    flange: float
    """x of its face."""


def usual_mass(payload: float, reach: float) -> float:
    """Return the mass [kg] of collaborative arms of a payload [kg] and reach [mm].

    It grows with the square root of their product: from the CRB 15000-5, of 28 kg, that gives the
    51 and 48 kg of -10 and -12 within 5 %.
    """
    return MASS * float((payload * reach / (5.0 * 950.0)) ** 0.5)


def bodies(robot: Description) -> Mapping[str, Body]:
    """Return the links of an arm, in millimetres of its base at home.

    Raises:
        InputError: if the forearm is too short for its joints.
    """
    ratings = drawn_ratings(robot, usual_mass, lambda one: (_size(one.mass),))
    return tube_arm(Lengths.read(robot), -robot.kinematics.joints["joint_6"].a_mm, ratings)


def tube_arm(lengths: Lengths, rise: float, ratings: Ratings) -> Mapping[str, Body]:
    """Return the links of an arm whose axis 6 passes ``rise`` [mm] above axis 5.

    Raises:
        InputError: if the forearm is too short for its joints.
    """
    size = _size(ratings.mass)
    a1, d1, a2, a3, d4, d6 = lengths.in_units(size)
    if d4 < LEAST:
        raise InputError(
            f"a forearm of {lengths.d4:g} mm is too short for the joints of a collaborative arm of"
            f" {ratings.mass:g} kg: it needs {LEAST * size:.0f} mm"
        )
    elbow, wrist = d1 + a2, d1 + a2 + a3
    s = Places(
        (a1, d1), (a1, elbow), (0.0, wrist), (a1 + d4, wrist), (0.0, wrist + rise / size),
        a1 + d4 + d6,
    )  # fmt: skip
    links = base(s), turret(s), lower_arm(s), elbow_joint(s), forearm(s), wrist_joint(s), flange(s)
    names = ("base_link", *(f"link_{n}" for n in range(1, 7)))
    return {name: body.scaled(size) for name, body in zip(names, links, strict=True)}


def base(s: Places) -> Body:
    """Foot and column of axis 1."""
    top = s.axis_2[1] - DRUM - 26.0
    foot = disc(92.0, 0.0, 22.0, edge=6.0) - bolts(4, 82.0, 5.5, -1.0, 30.0, phase=45.0)
    column = hull(disc(82.0, 14.0, 40.0), disc(76.0, top - 30.0, top - GAP))
    return _link([foot, column], plain(70.0, -10.0, top - 40.0), plain(58.0, top - 36.0, top - 6.0))


def turret(s: Places) -> Body:
    """Column of axis 1, which bends into the drum of axis 2."""
    (x, z), low = s.axis_2, s.axis_2[1] - DRUM - 26.0
    stand = disc(76.0, low, low + 24.0, edge=8.0)
    column = disc(64.0, low + 6.0, low + 40.0, edge=10.0)  # beside it the lower arm turns
    drum = disc(DRUM, SIDE + 64.0 + GAP, 78.0, "y", (x, z), edge=16.0)
    seam = plain(DRUM - 5.0, SIDE + 64.0, SIDE + 64.0 + GAP, "y", (x, z))
    reducer = plain(56.0, SIDE + 66.0, SIDE + 96.0, "y", (x, z))
    return _link(
        [stand, hull(column, drum)], _inside(DRUM, SIDE + 98.0, 70.0, "y", (x, z)), reducer, seam
    )


def lower_arm(s: Places) -> Body:
    """Tube beside the plane of the arm, a drum at either end."""
    (x, low), (u, high) = s.axis_2, s.axis_3
    shoulder = disc(DRUM, SIDE - 64.0, SIDE + 64.0, "y", s.axis_2, edge=18.0)
    elbow = disc(ELBOW + 2.0, SIDE - 60.0, SIDE + 64.0, "y", s.axis_3, edge=16.0)
    tube = hull(
        disc(60.0, low + 20.0, low + 60.0, at=(x, SIDE), edge=10.0),
        disc(54.0, high - 60.0, high - 20.0, at=(u, SIDE), edge=10.0),
    )
    air = union(
        plain(46.0, low + 40.0, high - 40.0, at=(x, SIDE)),
        _inside(DRUM, SIDE - 56.0, SIDE + 4.0, "y", s.axis_2),
        _inside(ELBOW, SIDE - 52.0, SIDE + 6.0, "y", s.axis_3),
    )
    reducers = union(
        plain(54.0, SIDE + 8.0, SIDE + 60.0, "y", s.axis_2),
        plain(46.0, SIDE + 10.0, SIDE + 60.0, "y", s.axis_3),
    )
    seam = plain(ELBOW - 4.0, SIDE + 62.0, SIDE + 64.0 + GAP, "y", s.axis_3)
    return _link([shoulder, elbow, tube], air, reducers, seam)


def elbow_joint(s: Places) -> Body:
    """Drum of axis 3, which bends into that of axis 4."""
    x, end = s.axis_3[0], s.axis_3[0] + 86.0
    drum = disc(ELBOW, SIDE + 64.0 + GAP, 66.0, "y", s.axis_3, edge=14.0)
    along = disc(58.0, x - 62.0, end - GAP, "x", s.axis_4, edge=14.0)
    knee = hull(drum, disc(54.0, x - 56.0, x + 50.0, "x", s.axis_4, edge=14.0))
    seam = plain(50.0, end - GAP, end, "x", s.axis_4)
    reducer = plain(42.0, end - 40.0, end - 6.0, "x", s.axis_4)
    air = union(
        _inside(ELBOW, SIDE + 100.0, 58.0, "y", s.axis_3),
        plain(48.0, x - 54.0, end - 44.0, "x", s.axis_4),
    )
    return _link([knee, along], air, reducer, seam)


def forearm(s: Places) -> Body:
    """Tube along axis 4, which bends to the left and ends in a drum at axis 5."""
    start, (x, z) = s.axis_3[0] + 86.0, s.axis_5
    bend = x - 130.0
    tube = hull(
        disc(56.0, start, start + 30.0, "x", s.axis_4, edge=8.0),
        disc(50.0, bend - 20.0, bend, "x", s.axis_4, edge=8.0),
    )
    drum = disc(WRIST, WRIST + 3.0, 124.0, "y", s.axis_5, edge=12.0)
    side = hull(disc(48.0, bend - 24.0, bend, "x", (0.0, z), edge=8.0), drum)
    # where link 5 turns
    room = plain(WRIST + 24.0, -90.0, WRIST, "y", s.axis_5)
    reducer = plain(38.0, WRIST + 6.0, 88.0, "y", s.axis_5)
    seam = plain(WRIST - 5.0, WRIST, WRIST + 3.0, "y", s.axis_5)
    air = plain(42.0, start + 8.0, bend - 10.0, "x", s.axis_4) + _inside(
        WRIST, 90.0, 116.0, "y", s.axis_5
    )
    return _link([tube, side - room], air, reducer, seam)


def wrist_joint(s: Places) -> Body:
    """Drum of axis 5, which bends up into that of axis 6."""
    x, end = s.axis_5[0], s.flange - 26.0
    hub = disc(WRIST, -WRIST - 6.0, WRIST - GAP, "y", s.axis_5, edge=12.0)
    head = disc(WRIST - 4.0, x - 56.0, end, "x", s.axis_6, edge=12.0)
    neck = hull(hub, disc(WRIST - 6.0, x - 44.0, x + 36.0, "x", s.axis_6, edge=12.0))
    reducer = plain(32.0, end - 40.0, end - 4.0, "x", s.axis_6)
    air = _inside(WRIST, -WRIST + 4.0, WRIST - 10.0, "y", s.axis_5) + plain(
        38.0, x - 48.0, end - 44.0, "x", s.axis_6
    )
    return _link([neck, head], air, reducer)


def flange(s: Places) -> Body:
    """Tool flange with a centring recess and four threads."""
    end = s.flange
    plate = disc(31.5, end - 26.0 + GAP, end, "x", s.axis_6, edge=2.0)
    threads = union(
        *(plain(3.0, end - 10.0, end + 1.0, "x", at) for at in arc(s.axis_6, 25.0, 45.0, 315.0))
    )
    recess = plain(15.75, end - 6.0, end + 1.0, "x", s.axis_6)
    return Body((Part(plate - threads - recess, STEEL, "grey"),), (plate,))


def _link(
    shells: list[Manifold], air: Manifold, drive: Manifold, seam: Manifold | None = None
) -> Body:
    """Return a hollow casting with a drive inside; its seam is black."""
    seams = [] if seam is None else [Part(seam, STEEL, "black")]
    casting = Part(union(*shells), ALUMINIUM, "grey")
    return Body((Part(drive, GEAR), Part(air, AIR), *seams, casting), tuple(shells))


def _inside(radius: float, low: float, high: float, axis: Axis, at: Point) -> Manifold:
    return plain(radius - WALL, low, high, axis, at)


def _size(mass: float) -> float:
    """Return the size of sections over those of a CRB 15000-5."""
    return float((mass / MASS) ** (1.0 / 3.0))
