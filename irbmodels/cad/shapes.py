"""Vocabulary of the CAD: solids of revolution, rounded blocks, bolts, motors. Millimetres.

``axis`` is the direction a solid extends in, ``at`` its position in the two other coordinates, in
the order x, y, z: ``disc(40, 0, 90, "y", at=(100, 615))`` is a cylinder of radius 40 from y = 0 to
90 about the line x = 100, z = 615.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import manifold3d as m3
import numpy as np
from manifold3d import Manifold

from ..model.types import Array

Axis = Literal["x", "y", "z"]
Point = tuple[float, float]

CORNER = 3  # facets of a rounded edge
# of a full turn, up to a radius
_FACETS = ((9.0, 8), (12.0, 12), (25.0, 16), (60.0, 24), (135.0, 32), (math.inf, 48))


def union(*solids: Manifold) -> Manifold:
    """Return the solids as one."""
    return Manifold.batch_boolean(list(solids), m3.OpType.Add)


def hull(*solids: Manifold) -> Manifold:
    """Return the smallest convex solid around all: castings flow from one form into the next."""
    return Manifold.batch_hull(list(solids))


def mirrored(solid: Manifold) -> Manifold:
    """Return the solid and its mirror image in the plane y = 0, as one."""
    return union(solid, solid.mirror((0.0, 1.0, 0.0)))


def cavity(solid: Manifold, wall: float) -> Manifold:
    """Return the hollow of a convex casting: its form, one wall smaller on each side."""
    x0, y0, z0, x1, y1, z1 = solid.bounding_box()
    middle = ((x0 + x1) / 2.0, (y0 + y1) / 2.0, (z0 + z1) / 2.0)
    shrink = tuple(1.0 - 2.0 * wall / size for size in (x1 - x0, y1 - y0, z1 - z0))
    back = (-middle[0], -middle[1], -middle[2])
    return solid.translate(back).scale((shrink[0], shrink[1], shrink[2])).translate(middle)


def placed(solid: Manifold, axis: Axis, at: Point = (0.0, 0.0)) -> Manifold:
    """Return a solid made along z, turned to extend along ``axis`` and moved to ``at``.

    Its x stays x, or becomes -z.
    """
    if axis == "z":
        return solid.translate((at[0], at[1], 0.0))
    if axis == "y":
        return solid.rotate((-90.0, 0.0, 0.0)).translate((at[0], 0.0, at[1]))
    return solid.rotate((0.0, 90.0, 0.0)).translate((0.0, at[0], at[1]))


def arc(centre: Point, radius: float, start: float, end: float, count: int = CORNER) -> list[Point]:
    """Return points of an arc from ``start`` to ``end`` [deg].

    Digits that depend on the processor are cut off.
    """
    angles = [math.radians(start + (end - start) * k / count) for k in range(count + 1)]
    return [
        (round(centre[0] + radius * math.cos(a), 9), round(centre[1] + radius * math.sin(a), 9))
        for a in angles
    ]


def facets(radius: float) -> int:
    """Return the facets of a full turn: small things need fewer."""
    return next(count for largest, count in _FACETS if radius <= largest)


def lathe(profile: Sequence[Point], axis: Axis = "z", at: Point = (0.0, 0.0)) -> Manifold:
    """Turn a profile of (radius, height) points about ``axis``.

    They are counted from the axis outward and upward.
    """
    section = m3.CrossSection([np.asarray(profile, dtype=float)])
    turns = facets(max(radius for radius, _ in profile))
    return placed(Manifold.revolve(section, circular_segments=turns), axis, at)


def skinned(rings: Sequence[Array]) -> Manifold:
    """Return the solid between rings of equally many points, ``(n, 3)`` each.

    They turn left, seen from the last one back.
    """
    count = len(rings[0])
    top = (len(rings) - 1) * count
    faces = [(0, j + 1, j) for j in range(1, count - 1)] + [
        (top, top + j, top + j + 1) for j in range(1, count - 1)
    ]
    for low in range(0, top, count):
        for a, b in ((low + j, low + (j + 1) % count) for j in range(count)):
            faces += [(a, b, b + count), (a, b + count, a + count)]
    return Manifold(m3.Mesh64(np.concatenate(rings), np.array(faces, dtype=np.uint64)))


def rod(radius: float, start: Point, end: Point, y: float) -> Manifold:
    """Return a cylinder between two points (x, z) of the plane at ``y``."""
    along = np.subtract(end, start) / math.dist(start, end)
    circle = np.array(arc((0.0, 0.0), radius, 0.0, 345.0, 23))

    def ring(point: Point) -> Array:
        x, z = point[0] - circle[:, 1] * along[1], point[1] + circle[:, 1] * along[0]
        return np.round(np.column_stack([x, y + circle[:, 0], z]), 9)

    return skinned([ring(start), ring(end)])


def disc(
    radius: float,
    low: float,
    high: float,
    axis: Axis = "z",
    at: Point = (0.0, 0.0),
    edge: float = 6.0,
) -> Manifold:
    """Return a cylinder from ``low`` to ``high`` with rims rounded by ``edge``."""
    low, high = min(low, high), max(low, high)
    edge = min(edge, 0.9 * radius, 0.499 * (high - low))
    count = CORNER if edge > 9.0 else 2
    rim = arc((radius - edge, low + edge), edge, -90.0, 0.0, count) + arc(
        (radius - edge, high - edge), edge, 0.0, 90.0, count
    )
    return lathe([(0.0, low), *rim, (0.0, high)], axis, at)


def plain(
    radius: float, low: float, high: float, axis: Axis = "z", at: Point = (0.0, 0.0)
) -> Manifold:
    """Return a cylinder with sharp rims: bores, bolts."""
    low, high = min(low, high), max(low, high)
    return placed(
        Manifold.cylinder(high - low, radius, radius, facets(radius)).translate((0.0, 0.0, low)),
        axis,
        at,
    )


def sector(radii: Point, half: float, sides: Point, at: Point) -> Manifold:
    """Return a sector of a ring about an axis along y, open ``half`` [deg] to each side of -x.

    Args:
        radii: Inner and outer.
        half: Less than 180.
        sides: Both y.
        at: Axis (x, z).
    """
    inner, outer = radii
    count = max(2, round(half / 4.0))
    outline = arc((0.0, 0.0), outer, 180.0 - half, 180.0 + half, count)
    outline += arc((0.0, 0.0), inner, 180.0 + half, 180.0 - half, count)
    plate = m3.CrossSection([np.array(outline)]).extrude(sides[1] - sides[0])
    return placed(plate.translate((0.0, 0.0, sides[0])), "y", at)


def cone(
    low_radius: float,
    high_radius: float,
    low: float,
    high: float,
    axis: Axis = "z",
    at: Point = (0.0, 0.0),
) -> Manifold:
    """Return a truncated cone."""
    turns = facets(max(low_radius, high_radius))
    return placed(
        Manifold.cylinder(high - low, low_radius, high_radius, turns).translate((0.0, 0.0, low)),
        axis,
        at,
    )


def block(x: Point, y: Point, z: Point, edge: float = 15.0) -> Manifold:
    """Return a box between the given bounds with edges rounded by ``edge``; 0 leaves them sharp."""
    low, high = np.array([x[0], y[0], z[0]]), np.array([x[1], y[1], z[1]])
    if edge == 0.0:
        return Manifold.cube(tuple(high - low)).translate(tuple(low))
    edge = min(edge, 0.49 * float((high - low).min()))
    ball = Manifold.sphere(edge, 4 * CORNER)
    near, far = low + edge, high - edge
    return hull(
        *(
            ball.translate((a, b, c))
            for a in (near[0], far[0])
            for b in (near[1], far[1])
            for c in (near[2], far[2])
        )
    )


def bolts(
    count: int,
    circle: float,
    radius: float,
    low: float,
    high: float,
    axis: Axis = "z",
    at: Point = (0.0, 0.0),
    phase: float = 0.0,
) -> Manifold:
    """Return bolts (or holes) on a circle of radius ``circle``, the first at ``phase`` [deg]."""
    places = arc((0.0, 0.0), circle, phase, phase + 360.0 * (count - 1) / count, count - 1)
    return union(
        *(placed(plain(radius, low, high).translate((x, y, 0.0)), axis, at) for x, y in places)
    )


def motor(
    radius: float, start: float, end: float, axis: Axis, at: Point, box: float = 90.0
) -> Manifold:
    """Return a servo motor from its flange at ``start`` to its end cap at ``end``.

    It is a can with ribs, a cap and a connector box. The box is on the side that ``box`` [deg]
    says, counted about the axis.
    """
    length, side = abs(end - start), 1.0 if end > start else -1.0
    can = [
        disc(radius, 0.0, 0.72 * length, edge=5.0),
        disc(0.93 * radius, 0.66 * length, length, edge=0.22 * radius),
    ]
    rib = block(
        (-0.99 * radius, 0.99 * radius), (-6.0, 6.0), (0.06 * length, 0.64 * length), edge=0.0
    )
    ribs = [
        rib.translate((0.0, offset * radius, 0.0)).rotate((0.0, 0.0, turn))
        for offset in (-0.45, 0.45)
        for turn in (0.0, 90.0)
    ]
    connector = block(
        (0.6 * radius, 1.25 * radius),
        (-0.48 * radius, 0.48 * radius),
        (0.3 * length, 0.62 * length),
        edge=8.0,
    )
    whole = union(*can, *ribs, connector.rotate((0.0, 0.0, box)))
    return placed(
        (whole if side > 0.0 else whole.mirror((0.0, 0.0, 1.0))).translate((0.0, 0.0, start)),
        axis,
        at,
    )
