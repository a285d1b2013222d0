"""CAD of a SCARA with an inner arm, an outer arm above it and a quill, after the IRB 930.

Lengths come from the tables, proportions are ours: a SCARA is drawn in units in which it weighs
60 kg at the same mean density, and scaled at the end. The quill grows with the payload besides.
Units in base axes at home: x forward, y left, z up, arms along x.

Tables give the height of ``tool0`` in one of two ways. Those of the IRB 930 say where frames 1 and
2 lie, and put ``tool0`` inside the outer arm. On the shaft it is the upper edge of the black ring:
at q3 = 0 flush with the ring at the top of the cover, below the arm when lowered. The flange a
gripper sits on is 250 further down. Tables with all of the height in ``d1`` give that of the
flange, as the IRB 910SC's do; the arms then lie above it as on an IRB 930.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold

from ..errors import InputError
from ..model.types import Array
from ..tables.description import Description
from .body import AIR, ALUMINIUM, GEAR, MOTOR, PLASTIC, STEEL, Body, Part
from .lengths import first_variant
from .shapes import (
    Axis,
    Point,
    arc,
    block,
    bolts,
    disc,
    hull,
    lathe,
    mirrored,
    plain,
    skinned,
    union,
)

MASS, PAYLOAD, REACH = 60.0, 12.0, 1050.0  # [kg, kg, mm] of an IRB 930, drawn in millimetres
INNER, OUTER, FLANGE = 123.5, 168.7, 250.0  # heights: base to outer arm, to its top, to the flange
WALL = 9.0  # of the castings
SKIN = 3.0  # of the plastic cover
SHAFT = 16.0  # radius of the quill
LEAST_BASE = 210.0  # height of connectors and of the joint of axis 1 above them
LEAST_INNER = 200.0  # between the hubs of axes 1 and 2
LEAST_OUTER = 230.0  # for three motors and the quill's nuts in a row


@dataclass(frozen=True)
class Arm:
    """Lengths of one SCARA, in units of the drawing."""

    inner: float
    """Length of the inner arm: axis 2 from axis 1."""
    outer: float
    """Length of the outer arm: quill from axis 2."""
    base: float
    """Height of the base's top, where the inner arm sits."""
    split: float
    """Height of the inner arm's top, where the outer arm sits."""
    top: float
    """Height of the ring where the quill leaves the outer arm."""
    stroke: float
    """Way of the quill down from q3 = 0."""
    quill: float
    """Thickness of the quill over that of an IRB 930."""

    @classmethod
    def of(cls, robot: Description, size: float, quill: float) -> Arm:
        """Read the tables; one unit is ``size`` millimetres."""
        joints, stroke = robot.kinematics.joints, robot.limits.axes["axis_3"].range_mm
        base, inner, outer = (joints[f"joint_{n}"].d_mm / size for n in (1, 2, 3))
        if inner == outer == 0.0:
            inner, outer = INNER, OUTER
            base += FLANGE - INNER - OUTER
        way = 300.0 if stroke is None else stroke[1] - stroke[0]
        lengths = joints["joint_2"].a_mm / size, joints["joint_3"].a_mm / size
        heights = base, base + inner, base + inner + outer
        return cls(*lengths, *heights, way / size, quill)

    @property
    def reach(self) -> float:
        """Distance of the quill from axis 1."""
        return self.inner + self.outer


def bodies(robot: Description) -> dict[str, Body]:
    """Return the links of a SCARA at home, in millimetres.

    Sections and quill of a family are those of its first variant.

    Raises:
        InputError: if there is no room for a base, or the arms are too short for their hubs.
    """
    ratings = first_variant(robot).limits.ratings
    mass = ratings.mass_kg or usual_mass(ratings.payload_kg, ratings.reach_mm)
    size = (mass / MASS) ** (1.0 / 3.0)
    quill = max(1.0, ratings.payload_kg / mass / (PAYLOAD / MASS)) ** 0.25
    arm = Arm.of(robot, size, quill)
    for what, length, least in (
        ("axis 3 lies too low", arm.base, LEAST_BASE),
        ("the inner arm is too short", arm.inner, LEAST_INNER),
        ("the outer arm is too short", arm.outer, LEAST_OUTER),
    ):
        if length < least:
            raise InputError(
                f"{robot.name}: {what} for a SCARA of {mass:.0f} kg, by"
                f" {(least - length) * size:.0f} mm"
            )
    drawn = {
        "base_link": _base(arm),
        "link_1": _inner_arm(arm),
        "link_2": _outer_arm(arm),
        "link_3": _collar(arm),
        "link_4": _shaft(arm),
    }
    return {name: body.scaled(size) for name, body in drawn.items()}


def usual_mass(payload: float, reach: float) -> float:
    """Return the mass [kg] of SCARAs of a payload [kg] and reach [mm]: it grows with their root.

    Two robots stand behind it: the 60 kg that are assumed for an IRB 930, and the base of an IRB
    910SC-3/0.55, 8.361 kg in a controller's parameters, which is 0.43 of the arm as drawn: 19.6 kg,
    and 21.7 by the root.
    """
    return float(MASS * (payload / PAYLOAD * reach / REACH) ** 0.5)


def _base(arm: Arm) -> Body:
    """Foot plate, column from square to round, and a box with connectors behind.

    Motor and reducer of axis 1 are inside the column.
    """
    top = arm.base
    lid = min(178.0, top - 94.0)  # of the box with connectors
    corners = [(x, y) for x in (-148.0, 118.0) for y in (-92.0, 92.0)]
    foot = hull(*(_turned(26.0, 0.0, 24.0, at) for at in corners))
    sunk = union(
        *(union(plain(7.0, -1.0, 30.0, at=at), plain(13.0, 16.0, 30.0, at=at)) for at in corners)
    )

    def column(wall: float) -> Manifold:
        feet = [
            disc(46.0 - wall, 18.0, 56.0, at=(x, y), edge=10.0)
            for x in (-82.0, 54.0)
            for y in (-38.0, 38.0)
        ]
        return hull(*feet, disc(93.0 - wall, top - 70.0, top - 20.0 - wall, edge=4.0))

    def box(wall: float) -> Manifold:
        return block(
            (-205.0 + wall, -60.0),
            (-68.0 + wall, 68.0 - wall),
            (20.0 + wall, lid - wall),
            edge=16.0,
        )

    rim = [*arc((99.0, top - 30.0), 7.0, -30.0, 0.0), *arc((99.0, top - 17.0), 7.0, 0.0, 90.0)]
    drum = lathe([(0.0, top - 52.0), (92.0, top - 52.0), *rim, (0.0, top - 10.0)])
    panel = block((-210.0, -195.0), (-56.0, 56.0), (44.0, lid - 20.0), edge=4.0)
    upper, lower = lid - 56.0, lid - 102.0
    places = ((21.0, (-24.0, upper)), (21.0, (26.0, upper)), (14.0, (-32.0, lower)))
    plugs = [_turned(r, -234.0, -205.0, at, axis="x") for r, at in places]
    ports = [plain(8.0, -224.0, -205.0, "x", at=(y, lower - 4.0)) for y in (2.0, 22.0, 42.0)]
    seam = plain(98.0, top - 12.0, top - 1.0)
    casting = union(column(0.0), box(0.0), drum)
    parts = (
        Part(plain(85.0, top - 66.0, top - 8.0), GEAR),
        Part(plain(52.0, 60.0, top - 66.0), MOTOR),
        Part(union(panel, seam, *plugs), PLASTIC, "black"),
        Part(union(*ports), ALUMINIUM, "grey"),
        Part(union(column(WALL), box(WALL)), AIR),
        Part(casting, ALUMINIUM, "orange"),
        Part(foot - sunk, ALUMINIUM, "grey"),
    )
    return Body(parts, (foot, union(column(0.0), drum, seam), union(box(0.0), *plugs)))


def _inner_arm(arm: Arm) -> Body:
    """Two hubs, the tapered beam between them, and a dress tube.

    It ends in swivels on axes 1 and 2, so it need not bend.
    """
    low, high, length = arm.base + 1.0, arm.split - 4.0, arm.inner

    def beam(wall: float) -> Manifold:
        ends = [(0.0, 90.0, high - 12.0), (length, 76.0, high - 16.0)]
        return hull(
            *(
                disc(r - wall, low + 10.0 + wall, z - wall, at=(x, 0.0), edge=20.0)
                for x, r, z in ends
            )
        )

    pocket = hull(
        *(disc(24.0, 68.0, 130.0, "y", at=(k * length, low + 55.0), edge=8.0) for k in (0.28, 0.72))
    )
    shoulder = disc(106.0, low, high - 2.0, edge=16.0)
    elbow = disc(90.0, low + 6.0, high, at=(length, 0.0), edge=14.0)
    plate = block(
        (0.24 * length, 0.76 * length), (-42.0, 42.0), (high - 20.0, high - 8.0), edge=5.0
    )
    screws = union(
        *(
            plain(5.0, high - 9.0, high - 5.5, at=(k * length, y))
            for k in (0.28, 0.5, 0.72)
            for y in (-33.0, 33.0)
        )
    )
    start, end = arm.split + 26.0, arm.top + 92.0
    cap = union(
        _turned(66.0, high - 4.0, high + 6.0), _turned(40.0, high + 4.0, start + 2.0, edge=4.0)
    )
    hose = _hose((0.0, start), (length, end), arm.top + 330.0)
    clamp = _turned(34.0, arm.top + 74.0, end + 4.0, (length, 0.0), edge=4.0)
    seals = (
        _turned(56.0, low + 1.0, low + 8.0, (length, 0.0)),
        plain(76.0, high - 2.0, arm.split + 1.0, at=(length, 0.0)),
    )
    ends = (
        plain(106.0 - WALL, low + WALL, high - 2.0 - WALL),
        plain(90.0 - WALL, low + 6.0 + WALL, high - WALL, at=(length, 0.0)),
    )
    casting = union(beam(0.0) - mirrored(pocket), shoulder, elbow)
    parts = (
        Part(union(cap, plate, clamp, *seals), PLASTIC, "black"),
        Part(
            skinned(hose),
            PLASTIC._replace(name="corrugated tube with cables", density=1000.0),
            "black",
        ),
        Part(
            union(screws, bolts(10, 86.0, 6.0, high - 4.0, high + 1.0, phase=18.0)), STEEL, "grey"
        ),
        Part(
            union(beam(WALL), *ends) - mirrored(hull(pocket, pocket.translate((0.0, -WALL, 0.0)))),
            AIR,
        ),
        Part(casting, ALUMINIUM, "orange"),
    )
    tube = union(cap, skinned(hose[:40])), skinned(hose[36:79]), union(skinned(hose[75:]), clamp)
    return Body(parts, (union(beam(0.0), elbow), shoulder, *tube))


def _hose(start: Point, end: Point, height: float, rings: int = 38) -> list[Array]:
    """Return a corrugated tube in the plane y = 0 as circles, 3 a ring.

    It is upright at both ends (x, z) and drawn towards ``height``.
    """
    t = np.linspace(0.0, 1.0, 401)[:, None]
    corners = np.array([start, (start[0], height), (end[0], height), end])
    curve = (
        (1 - t) ** 3 * corners[0]
        + 3 * t * (1 - t) ** 2 * corners[1]
        + 3 * t * t * (1 - t) * corners[2]
        + t**3 * corners[3]
    )
    steps = np.diff(curve, axis=0)
    way = np.concatenate(([0.0], np.cumsum(np.sqrt((steps * steps).sum(axis=1)))))

    def circle(k: float, radius: float) -> Array:
        place = min(int(np.searchsorted(way, way[-1] * k / rings)), len(steps) - 1)
        (x, z), (dx, dz) = (
            curve[place].round(6),
            (steps[place] / (way[place + 1] - way[place])).round(6),
        )
        return np.array(
            [(x + u * dz, v, z - u * dx) for u, v in arc((0.0, 0.0), radius, 22.5, 360.0, 15)]
        )

    form = ((0.0, 20.0), (0.3, 23.5), (0.7, 23.5))  # of a ring: groove and ridge
    return [
        *(circle(k + along, radius) for k in range(rings) for along, radius in form),
        circle(float(rings), 20.0),
    ]


def _outer_arm(arm: Arm) -> Body:
    """Casting with motor and reducer of axis 2 and the nuts of the quill; tall plastic cover."""
    low, seam, high, k = arm.split + 2.0, arm.split + 76.0, arm.top + 62.0, arm.quill
    hub, middle, at = (arm.inner, 0.0), (arm.inner + 0.42 * arm.outer, 0.0), (arm.reach, 0.0)

    def tray(wall: float) -> Manifold:
        rear = disc(92.0 - wall, low + wall, seam, at=hub, edge=14.0)
        return hull(rear, disc(66.0 * k - wall, low + 14.0 + wall, seam, at=at, edge=18.0))

    def cover(wall: float) -> Manifold:
        rear = disc(88.0 - wall, seam, high - wall, at=hub, edge=24.0)
        top = disc(77.0 - wall, seam, high - 4.0 - wall, at=middle, edge=24.0)
        return hull(rear, top, disc(62.0 * k - wall, seam, arm.top - 14.0 - wall, at=at, edge=14.0))

    def along(start: float, end: float, z: Point, edge: float) -> Manifold:
        return block(
            (arm.inner + start * arm.outer, arm.inner + end * arm.outer), (-120.0, 120.0), z, edge
        )

    grille = union(
        *(
            along(-0.25, -0.08, (seam + z, seam + z + 7.0), 0.0)
            for z in (45.0, 60.0, 75.0, 90.0, 105.0, 120.0)
        )
    )
    window = along(0.14, 0.62, (seam + 32.0, high - 46.0), 24.0)
    recess = union(
        window - cover(2.0), along(0.2, 0.84, (low + 26.0, seam - 14.0), 14.0) - tray(6.0)
    )
    panel = (window ^ cover(1.0)) - cover(5.0)
    band = hull(
        disc(86.0, seam - 3.0, seam + 3.0, at=hub, edge=0.1),
        disc(60.0 * k, seam - 3.0, seam + 3.0, at=at, edge=0.1),
    )
    collar = _turned(36.0 * k, arm.top - 24.0, arm.top, at, edge=3.0)
    swivel = _turned(44.0, high - 4.0, high + 10.0, hub, edge=4.0)
    gland = union(
        _turned(40.0 * k, low + 4.0, low + 30.0, at, edge=3.0),
        _turned(28.0 * k, low - 34.0, low + 10.0, at, edge=3.0),
    )
    bore, seat = (
        plain(SHAFT * k + 1.0, low - 40.0, arm.top + 1.0, at=at),
        plain(46.0 * k, arm.top - 12.0, high, at=at),
    )
    nuts = union(
        plain(34.0 * k, low + 20.0, low + 64.0, at=at),
        plain(34.0 * k, arm.top - 84.0, arm.top - 26.0, at=at),
    )
    motors = [
        plain(33.0, seam - 20.0, seam + 110.0, at=(arm.inner + k * arm.outer, 0.0))
        for k in (0.36, 0.6)
    ]
    parts = (
        Part(bore, AIR),
        Part(plain(75.0, low + 8.0, low + 56.0, at=hub), GEAR),
        Part(union(plain(50.0, low + 56.0, high - 30.0, at=hub), *motors), MOTOR),
        Part(nuts, GEAR),
        Part(
            union(band, collar, swivel, gland, panel, grille ^ cover(-1.0)) - bore, PLASTIC, "black"
        ),
        Part(union(tray(WALL), cover(SKIN)), AIR),
        Part(cover(0.0) - bore - seat - recess, PLASTIC, "orange"),
        Part(tray(0.0) - bore - recess, ALUMINIUM, "orange"),
    )
    behind, nose = cover(0.0).split_by_plane((-1.0, 0.0, 0.0), 46.0 * k - arm.reach)
    return Body(
        parts,
        (tray(0.0), behind, union(nose.trim_by_plane((0.0, 0.0, -1.0), -arm.top), collar), gland),
    )


def _collar(arm: Arm) -> Body:
    """Stop above the arm, which slides with the quill and does not turn.

    It meets the cover at the end of the stroke.
    """
    low, at, k = arm.top + arm.stroke + 2.0, (arm.reach, 0.0), arm.quill
    lug = block(
        (arm.reach + 20.0 * k, arm.reach + 42.0 * k), (-9.0, 9.0), (low, low + 20.0), edge=3.0
    )
    ring = union(
        _turned(28.0 * k, low, low + 20.0, at),
        lug,
        plain(4.0, -13.0, 13.0, "y", at=(arm.reach + 34.0 * k, low + 10.0)),
    )
    ring -= plain(SHAFT * k + 0.5, low - 1.0, low + 21.0, at=at)
    return Body((Part(ring, ALUMINIUM, "grey"),), (ring,))


def _shaft(arm: Arm) -> Body:
    """Hollow splined shaft with a flange below, a black ring at tool0 and a cap above."""
    at, foot, top = (arm.reach, 0.0), arm.top - FLANGE, arm.top + arm.stroke + 36.0
    k, radius = arm.quill, SHAFT * arm.quill
    bar = plain(radius, foot, top, at=at)
    splines = bolts(3, radius + 1.0, 2.5, foot + 50.0, arm.top - 8.0, at=at)
    flange = union(
        _turned(32.0 * k, foot, foot + 14.0, at),
        _turned(22.0 * k, foot + 10.0, foot + 38.0, at, edge=4.0),
    )
    tapped = bolts(4, 26.0 * k, 3.0 * k, foot - 1.0, foot + 15.0, at=at, phase=45.0)
    holes = union(plain(radius - 3.0, foot - 1.0, top + 20.0, at=at), tapped)
    ring = plain(radius + 0.5, arm.top - 6.0, arm.top, at=at) - plain(
        radius - 1.0, foot, top, at=at
    )
    cap = _turned(20.0 * k, top - 10.0, top + 8.0, at)
    parts = (
        Part(union(ring, cap), PLASTIC, "black"),
        Part(union(bar, flange) - holes - splines, STEEL, "grey"),
    )
    return Body(parts, (bar, flange))


def _turned(
    radius: float,
    low: float,
    high: float,
    at: Point = (0.0, 0.0),
    axis: Axis = "z",
    edge: float = 2.0,
) -> Manifold:
    """Return a cylinder with bevelled rims, as a lathe makes it."""
    rim = [(radius - edge, low), (radius, low + edge), (radius, high - edge), (radius - edge, high)]
    return lathe([(0.0, low), *rim, (0.0, high)], axis, at)
