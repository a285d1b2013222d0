"""Exact region that the end of two links reaches in their plane, its outlines circular arcs.

With ranges for both angles, and for their sum where it has one, the region's edge consists of arcs
on which one of them stands at an end of its range, or on which the second link is stretched or
folded (there the map from angles to points folds). All such arcs are cut where they meet; a piece
is edge where one of its sides can be reached and the other cannot, by the closed-form inverse of
the two links.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..model.types import Array, Mask

Inside = Callable[[Array], Mask]

SIDES = np.array([1.0, -1.0])  # both ways of an elbow, or of axis 1
_MEET = 1e-9  # [m] points this near a circle are on it
# [m] points this near each other are one: where circles touch, rounding moves their meeting by 1e-8
_SAME = 1e-7


class Arc(NamedTuple):
    """Circular arc of an outline.

    The region lies to its left on the way from ``start`` to ``end``.
    """

    center: tuple[float, float]
    """Of the circle, in the plane [m]."""
    radius: float
    start: float
    """Polar angle about the center [rad], counterclockwise from the plane's first axis.

    Runs clockwise if ``end`` is smaller.
    """
    end: float
    joint: int
    """Number of the angle that is fixed: 0 or 1, and 2 for the sum of both."""
    value: float
    """Its value [rad]: an end of its range, or 0 or half a turn (stretched, folded)."""

    def points(self, angle: ArrayLike) -> Array:
        """Return the points at polar angles, shape ``(..., 2)``."""
        return np.array(self.center) + self.radius * _unit(np.asarray(angle, dtype=float))

    def sample(self, step: float = math.radians(1.0)) -> Array:
        """Return points along the arc with both ends, shape ``(m, 2)``.

        They are at most ``step`` [rad] apart.
        """
        return self.points(
            np.linspace(self.start, self.end, 2 + int(abs(self.end - self.start) / step))
        )

    @property
    def length(self) -> float:
        """Length [m]."""
        return self.radius * abs(self.end - self.start)

    def spans(self, angle: float) -> bool:
        """Return whether the arc passes through a polar angle."""
        low, high = sorted((self.start, self.end))
        slack = _MEET / self.radius
        return (angle - low + slack) % math.tau <= high - low + 2.0 * slack

    def area(self) -> float:
        """Its share of the area to the left of a closed outline [m^2], ``1/2 (x dy - y dx)``."""
        (x, y), r, t, u = self.center, self.radius, self.start, self.end
        ends = x * (math.sin(u) - math.sin(t)) - y * (math.cos(u) - math.cos(t))
        return 0.5 * r * (r * (u - t) + ends)

    def moment(self) -> float:
        """Its share of that area's first moment about the second axis [m^3], ``1/2 x^2 dy``."""
        x, r = self.center[0], self.radius

        def integral(t: float) -> float:
            s, c = math.sin(t), math.cos(t)
            return 0.5 * r * (x * x * s + x * r * (t + s * c) + r * r * (s - s**3 / 3.0))

        return integral(self.end) - integral(self.start)

    def extremes(self) -> list[Array]:
        """Return both ends, and where the arc is farthest right, up, left and down."""
        quarters = [0.5 * math.pi * k for k in range(4)]
        angles = self.start, self.end, *filter(self.spans, quarters)
        return [self.points(t) for t in angles]

    def crossings(self) -> list[float]:
        """Return the second coordinates where the arc crosses the second axis [m]."""
        x, y = self.center
        if abs(x) > self.radius:
            return []
        angle = math.acos(-x / self.radius)
        return [y + self.radius * math.sin(t) for t in (angle, -angle) if self.spans(t)]

    def mirror(self) -> Arc:
        """Return the arc on the other side of the second axis, run the other way round."""
        x, y = self.center
        return self._replace(center=(-x, y), start=math.pi - self.start, end=math.pi - self.end)


class TwoLinks(NamedTuple):
    """Two links in a plane: ``base + inner u(t1) + outer u(t1 + t2)``, with unit vectors ``u``."""

    base: tuple[float, float]
    inner: float
    outer: float
    ranges: tuple[tuple[float, float], tuple[float, float]]
    """Of ``t1`` and ``t2`` [rad]; whole turns may be added to either."""
    slopes: tuple[float, float] | None = None
    """Range of ``t1 + t2`` [rad], the direction of the second link; None where it has none."""

    def point(self, t1: ArrayLike, t2: ArrayLike) -> Array:
        """Return the end of the second link, shape ``(..., 2)``."""
        one, other = np.asarray(t1, dtype=float), np.asarray(t2, dtype=float)
        return np.array(self.base) + self.inner * _unit(one) + self.outer * _unit(one + other)

    def solve(self, points: Array) -> tuple[Array, Array]:
        """Return both pairs of angles that reach points ``(..., 2)``, shape ``(..., 2)`` each.

        NaN out of reach or range.
        """
        offset = points - np.array(self.base)
        cosine = (np.sum(offset**2, axis=-1) - self.inner**2 - self.outer**2) / (
            2.0 * self.inner * self.outer
        )
        bend = np.arccos(np.clip(cosine, -1.0, 1.0))
        bend = np.where(np.abs(cosine) <= 1.0 + 1e-12, bend, np.nan)[..., None] * SIDES
        inner_offset = np.arctan2(self.outer * np.sin(bend), self.inner + self.outer * np.cos(bend))
        direction = np.arctan2(offset[..., 1], offset[..., 0])[..., None]
        t1, first = _wrap_into(direction - inner_offset, self.ranges[0])
        t2, second = _wrap_into(bend, self.ranges[1])
        reached = first & second
        if self.slopes is not None:
            reached &= self._keeps_slope(t1, t2)
        return np.where(reached, t1, np.nan), np.where(reached, t2, np.nan)

    def _keeps_slope(self, t1: Array, t2: Array) -> Mask:
        """Return whether ``t1 + t2`` keep their range, with full turns that both ranges allow."""
        assert self.slopes is not None
        low, high = self.slopes
        slack, total = 1e-12, t1 + t2  # [rad]
        # angles are at the low ends of their ranges, or up to a full turn above
        turns = sum(
            np.floor((ends[1] - t + slack) / math.tau)
            for t, ends in zip((t1, t2), self.ranges, strict=True)
        )
        needed = np.maximum(np.ceil((low - total - slack) / math.tau), 0.0)
        return np.asarray((needed <= turns) & (total + math.tau * needed <= high + slack))

    def contains(self, points: Array) -> Mask:
        """Return whether points ``(..., 2)`` are reached within all ranges, shape ``(...)``."""
        return np.asarray(np.isfinite(self.solve(points)[0]).any(axis=-1))

    def _bends(self) -> list[float]:
        """Return the angles ``t2`` at which the map to points folds, ends of its range first."""
        low, high = self.ranges[1]
        folds = range(math.ceil(low / math.pi), math.floor(high / math.pi) + 1)
        return [low, high, *(k * math.pi for k in folds)]

    def candidates(self) -> list[Arc]:
        """Return every arc that may be edge, whole."""
        (low, high), (low2, high2) = self.ranges
        (x, y), arcs = self.base, []
        for t2 in sorted(set(self._bends())):
            along, across = self.inner + self.outer * math.cos(t2), self.outer * math.sin(t2)
            angle, radius = math.atan2(across, along), math.hypot(along, across)
            arcs.append(Arc((x, y), radius, low + angle, min(high, low + math.tau) + angle, 1, t2))
        for t1 in (low, high):
            elbow = (x + self.inner * math.cos(t1), y + self.inner * math.sin(t1))
            end = t1 + min(high2, low2 + math.tau)
            arcs.append(Arc(elbow, self.outer, t1 + low2, end, 0, t1))
        for slope in self.slopes or ():
            end_of_inner = (x + self.outer * math.cos(slope), y + self.outer * math.sin(slope))
            end = min(high, low + math.tau)
            arcs.append(Arc(end_of_inner, self.inner, low, end, 2, slope))
        return [arc for arc in arcs if arc.radius > _SAME and arc.length > _SAME]

    def corners(self) -> Array:
        """Return the points at which candidate arcs end or touch, exactly, shape ``(m, 2)``."""
        first = np.array(self.ranges[0])
        corners = [self.point(first, t2) for t2 in self._bends()]
        for slope in self.slopes or ():
            second = np.array(self._bends())
            corners += [self.point(first, slope - first), self.point(slope - second, second)]
        return np.concatenate(corners)

    def outlines(self) -> list[list[Arc]]:
        """Return the closed outlines of the region, each a list of arcs.

        Holes are outlines that run clockwise.
        """
        return loops(edges(self.candidates(), self.contains, self.corners()))


def edges(candidates: Sequence[Arc], inside: Inside, known: Array) -> list[Arc]:
    """Cut arcs where they meet, and return the pieces that have the region on one side only.

    It is to their left.

    Args:
        candidates: Arcs among which every edge of the region is.
        inside: Function that returns which points ``(m, 2)`` belong to the region.
        known: Points where arcs meet that are known better than their intersection can be computed
            (they touch there).
    """
    points = [np.asarray(point) for point in known]
    for i, one in enumerate(candidates):
        for other in candidates[:i]:
            for point in _intersections(one, other):
                if all(math.dist(point, old) > _SAME for old in points):
                    points.append(point)
    pieces: list[Arc] = []
    for arc in candidates:
        for piece in _cut(arc, points):
            if not any(_same_piece(piece, kept) for kept in pieces):
                pieces.append(piece)
    result = []
    for piece in pieces:
        angle = (piece.start + piece.end) / 2.0
        step = min(1e-6, 0.01 * piece.length) * _unit(np.array(angle))
        within, beyond = inside(piece.points(angle) + np.array([-step, step])).tolist()
        if within != beyond:
            result.append(piece if within else piece._replace(start=piece.end, end=piece.start))
    return result


def loops(pieces: Sequence[Arc]) -> list[list[Arc]]:
    """Chain edges to closed outlines, and join those that continue each other on one circle."""
    left, outlines = list(pieces), []
    while left:
        loop = [left.pop(0)]
        while True:
            tip = loop[-1].points(loop[-1].end)
            gaps = [float(np.hypot(*(arc.points(arc.start) - tip))) for arc in left]
            closing = float(np.hypot(*(loop[0].points(loop[0].start) - tip)))
            if not gaps or closing <= min(gaps):
                break
            loop.append(left.pop(int(np.argmin(gaps))))
        outlines.append(_join(loop))
    return outlines


def _join(loop: list[Arc]) -> list[Arc]:
    """Return an outline with arcs that continue each other on one circle made one."""
    result = [loop[0]]
    for arc in loop[1:]:
        if _continues(result[-1], arc):
            result[-1] = result[-1]._replace(end=result[-1].end + arc.end - arc.start)
        else:
            result.append(arc)
    if len(result) > 1 and _continues(result[-1], result[0]):
        last = result.pop()
        result[0] = result[0]._replace(start=result[0].start - (last.end - last.start))
    return result


def _continues(one: Arc, other: Arc) -> bool:
    return _same_circle(one, other) and (one.end > one.start) == (other.end > other.start)


def _same_circle(one: Arc, other: Arc) -> bool:
    return math.dist(one.center, other.center) < _SAME and abs(one.radius - other.radius) < _SAME


def _same_piece(one: Arc, other: Arc) -> bool:
    """Return whether two pieces are the same.

    Ends of a range may lie symmetrically about the stretched link.
    """
    if not _same_circle(one, other):
        return False
    middles = [arc.points((arc.start + arc.end) / 2.0) for arc in (one, other)]
    return math.dist(*middles) < _SAME


def _cut(arc: Arc, points: Sequence[Array]) -> list[Arc]:
    """Cut an arc at those of the points that lie on it."""
    angles = {arc.start, arc.end}
    for point in points:
        x, y = point - np.array(arc.center)
        if abs(math.hypot(x, y) - arc.radius) < _MEET:
            angle = arc.start + (math.atan2(y, x) - arc.start) % math.tau
            if angle < arc.end:
                angles.add(angle)
    shortest = _SAME / arc.radius
    return [
        arc._replace(start=low, end=high)
        for low, high in pairwise(sorted(angles))
        if high - low > shortest
    ]


def _intersections(one: Arc, other: Arc) -> list[Array]:
    """Return the points where two arcs of different circles meet."""
    distance = math.dist(one.center, other.center)
    nearest = max(abs(one.radius - other.radius) - _MEET, _MEET)
    if not nearest < distance < one.radius + other.radius + _MEET:
        return []
    along = (distance**2 + one.radius**2 - other.radius**2) / (2.0 * distance)
    across = math.sqrt(max(one.radius**2 - along**2, 0.0))
    toward = (np.array(other.center) - np.array(one.center)) / distance
    normal = np.array([-toward[1], toward[0]])
    points = [np.array(one.center) + along * toward + sign * across * normal for sign in SIDES]
    return [
        point
        for point in points
        if all(arc.spans(math.atan2(*(point - arc.center)[::-1])) for arc in (one, other))
    ]


def _unit(angle: Array) -> Array:
    """Return unit vectors at polar angles ``(...)``, shape ``(..., 2)``."""
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _wrap_into(angle: Array, bounds: tuple[float, float]) -> tuple[Array, Mask]:
    """Return angles moved by full turns to the low end of a range or above it.

    The mask is True for those within the range.
    """
    low, high = bounds
    slack = 1e-12  # [rad]
    wrapped = low + np.mod(angle - low + slack, math.tau) - slack
    return wrapped, wrapped <= high + slack
