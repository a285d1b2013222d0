"""Base of a serial arm after the IRB 1600, and the room that the lower arm leaves it."""

from __future__ import annotations

import math

from .body import AIR, GEAR, IRON, PLASTIC, STEEL, Body, Part
from .serial_places import ARM, LEAN, Places
from .shapes import block, bolts, disc, hull, mirrored, plain, union

PIECE = 77.0  # half the width of the collision piece of the lower arm near axis 3
CLEAR = 10.0  # between base and lower arm
SHORTEST = 200.0  # by which the connector box is shorter at most: its panel stands behind the drum


def room(s: Places, height: float, bar: float = 62.0) -> float:
    """Return the radius about axis 1 that the lower arm leaves free below a height.

    Where axis 2 has swung it farthest; infinite if it stays above. ``bar`` is half its width
    between its ends: of the drawing, or of its collision piece.
    """
    angle = math.radians(s.swing.axis_2)
    along, down = math.sin(angle), math.cos(angle)
    length, free = s.axis_3[1] - s.axis_2[1], math.inf
    for step in range(41):
        part = step / 40.0
        half = max(100.0 - 106.0 * part, bar)  # of the lower arm, from its round end on
        x = s.axis_2[0] + part * length * along + half * down
        z = s.axis_2[1] + part * length * down - half * along
        if z < height:
            free = min(free, math.hypot(x, abs(ARM) - 46.0 - LEAN * part))
    return free - CLEAR


def moved_in(free: float, back: float, side: float, around: float = 0.0) -> float:
    """Return by how much a corner has to move towards axis 1 to stay within a radius.

    It is ``back`` behind axis 1 and ``side`` beside it, with a radius ``around`` it.
    """
    far = max(free - around, side)
    return max(0.0, back - math.sqrt(far * far - side * side)) if far < math.inf else 0.0


def base(s: Places) -> Body:
    """Foot with four pads to bolt down, drum of axis 1, connector box behind.

    Foot and box reach as far back as the lower arm lets, where axis 1 has turned it round.
    """
    top, middle = s.deck, 0.5 * s.deck
    # by how much foot and box are shorter than those of an IRB 1600
    f = moved_in(room(s, 35.0, PIECE), 335.0, 165.0, 52.0)
    b = min(
        max(
            moved_in(room(s, top), 390.0, 128.0),
            moved_in(room(s, middle + 20.0, PIECE), 418.0, 88.0),
        ),
        SHORTEST,
    )
    corners = [(x, y) for x in (-335.0 + f, 150.0) for y in (-165.0, 165.0)]
    foot = hull(*(disc(52.0, 0.0, 26.0, at=corner, edge=5.0) for corner in corners))
    waist = hull(
        *(disc(52.0, 0.0, 44.0, at=(x, y)) for x in (-290.0 + f, 100.0) for y in (-118.0, 118.0))
    )
    drum = union(plain(172.0, 20.0, top - 2.0), disc(188.0, top - 34.0, top - 2.0, edge=10.0))
    rear = block((-382 + b, -90), (-128, 128), (12, top - 12), edge=16)
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
    frame = block((-387 + b, -370 + b), (-112, 112), (24, top - 24), edge=0.0)
    panel = block((-390 + b, -380 + b), (-100, 100), (34, top - 34), edge=3)
    plugs = [
        block((-418 + b, -380 + b), (y - 26, y + 26), (middle - 20, middle + 20), edge=0.0)
        for y in (-62.0, 6.0)
    ]
    plugs += [plain(15.0, -408.0 + b, -380.0 + b, "x", at=(y, middle)) for y in (53.0, 85.0)]
    lids = mirrored(block((-330 + b, -170 + 0.5 * b), (122, 133), (40, top - 30), edge=0.0))
    air = union(
        plain(150.0, -1.0, top - 24.0),
        block((-366 + b, -100), (-112, 112), (-20, top - 28), edge=12),
    )
    air += hull(
        *(plain(40.0, -1.0, 14.0, at=(x, y)) for x in (-300.0 + f, 115.0) for y in (-130.0, 130.0))
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
