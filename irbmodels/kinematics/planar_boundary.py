"""The exact region that the end of two links reaches in their plane: outlines of circular arcs, not a cloud of points.

With ranges for both angles the region's edge consists of arcs on which one joint stands at an end
of its range, or on which the second link is stretched or folded (there the map from angles to
points folds). All such arcs are cut where they meet; a piece is edge where one of its sides can be
reached and the other cannot, which the closed-form inverse of the two links tells.
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

TURN = 2.0 * math.pi
_MEET = 1e-9  # [m] points this near a circle are on it
# [m] points this near each other are one: where circles touch, rounding moves their meeting by 1e-8
_SAME = 1e-7


class Arc(NamedTuple):
    """Circular arc of an outline.

    The region lies to its left on the way from ``start`` to ``end``.
    """

    center: tuple[float, float]
    """In the plane [m]."""
    radius: float
    start: float
    """Polar angle about the center [rad], counterclockwise from the plane's first axis.

    Runs clockwise if ``end`` is smaller.
    """
    end: float
    joint: int
    """Which of the two angles stands still, 0 or 1."""
    value: float
    """Where it stands [rad]: at an end of its range, or at 0 or half a turn (stretched, folded)."""

    def points(self, angle: ArrayLike) -> Array:
        """Return the points at polar angles, shape ``(..., 2)``."""
        t = np.asarray(angle, dtype=float)
        return np.array(self.center) + self.radius * np.stack([np.cos(t), np.sin(t)], axis=-1)

    def sampled(self, step: float = math.radians(1.0)) -> Array:
        """Return points along the arc, both ends included, shape ``(m, 2)``, at most ``step`` [rad] apart."""
        return self.points(
            np.linspace(self.start, self.end, 2 + int(abs(self.end - self.start) / step))
        )

    @property
    def length(self) -> float:
        """Length [m]."""
        return self.radius * abs(self.end - self.start)

    def holds(self, angle: float) -> bool:
        """Whether the arc passes through a polar angle."""
        low, high = sorted((self.start, self.end))
        slack = _MEET / self.radius
        return (angle - low + slack) % TURN <= high - low + 2.0 * slack

    def area(self) -> float:
        """Its share of the area to the left of a closed outline [m^2], ``1/2 (x dy - y dx)``."""
        (x, y), r, t, u = self.center, self.radius, self.start, self.end
        return (
            0.5
            * r
            * (r * (u - t) + x * (math.sin(u) - math.sin(t)) - y * (math.cos(u) - math.cos(t)))
        )

    def moment(self) -> float:
        """Its share of the first moment of that area about the second axis [m^3], ``1/2 x^2 dy``."""
        x, r = self.center[0], self.radius

        def integral(t: float) -> float:
            s, c = math.sin(t), math.cos(t)
            return 0.5 * r * (x * x * s + x * r * (t + s * c) + r * r * (s - s**3 / 3.0))

        return integral(self.end) - integral(self.start)

    def extremes(self) -> list[Array]:
        """Return both ends, and where the arc is farthest right, up, left and down."""
        quarters = [0.5 * math.pi * k for k in range(4)]
        return [
            self.points(t) for t in (self.start, self.end, *(t for t in quarters if self.holds(t)))
        ]

    def mirrored(self) -> Arc:
        """Return the arc on the other side of the second axis, run the other way round."""
        x, y = self.center
        return self._replace(center=(-x, y), start=math.pi - self.start, end=math.pi - self.end)


class TwoLinks(NamedTuple):
    """Two links in a plane: ``base + inner u(t1) + outer u(t1 + t2)``, ``u`` the unit vector at a polar angle."""

    base: tuple[float, float]
    inner: float
    outer: float
    ranges: tuple[tuple[float, float], tuple[float, float]]
    """Of ``t1`` and ``t2`` [rad]; whole turns may be added to either."""

    def point(self, t1: ArrayLike, t2: ArrayLike) -> Array:
        """Return the end of the second link, shape ``(..., 2)``."""
        a, b = (
            np.asarray(t1, dtype=float),
            np.asarray(t1, dtype=float) + np.asarray(t2, dtype=float),
        )
        links = self.inner * np.stack([np.cos(a), np.sin(a)], -1) + self.outer * np.stack(
            [np.cos(b), np.sin(b)], -1
        )
        return np.array(self.base) + links

    def solve(self, points: Array) -> tuple[Array, Array]:
        """Return both pairs of angles that reach points ``(..., 2)``, shape ``(..., 2)`` each.

        NaN out of reach or range.
        """
        away = points - np.array(self.base)
        cosine = (np.sum(away**2, axis=-1) - self.inner**2 - self.outer**2) / (
            2.0 * self.inner * self.outer
        )
        bend = np.arccos(np.clip(cosine, -1.0, 1.0))
        bend = np.where(np.abs(cosine) <= 1.0 + 1e-12, bend, np.nan)[..., None] * np.array(
            [1.0, -1.0]
        )
        lean = np.arctan2(self.outer * np.sin(bend), self.inner + self.outer * np.cos(bend))
        t1, allowed = _wrapped(
            np.arctan2(away[..., 1], away[..., 0])[..., None] - lean, self.ranges[0]
        )
        t2, bendable = _wrapped(bend, self.ranges[1])
        reached = allowed & bendable
        return np.where(reached, t1, np.nan), np.where(reached, t2, np.nan)

    def contains(self, points: Array) -> Mask:
        """Whether points ``(..., 2)`` can be reached within both ranges, shape ``(...)``."""
        reached: Mask = np.isfinite(self.solve(points)[0])
        inside: Mask = np.any(reached, axis=-1)
        return inside

    def candidates(self) -> list[Arc]:
        """Return every arc that may be edge, whole."""
        (low, high), (low2, high2) = self.ranges
        (x, y), found = self.base, []
        bent = {
            low2,
            high2,
            *(
                k * math.pi
                for k in range(math.ceil(low2 / math.pi), math.floor(high2 / math.pi) + 1)
            ),
        }
        for t2 in sorted(bent):
            along, across = self.inner + self.outer * math.cos(t2), self.outer * math.sin(t2)
            lean = math.atan2(across, along)
            found.append(
                Arc(
                    (x, y),
                    math.hypot(along, across),
                    low + lean,
                    min(high, low + TURN) + lean,
                    1,
                    t2,
                )
            )
        for t1 in (low, high):
            elbow = (x + self.inner * math.cos(t1), y + self.inner * math.sin(t1))
            found.append(Arc(elbow, self.outer, t1 + low2, t1 + min(high2, low2 + TURN), 0, t1))
        return [arc for arc in found if arc.radius > _SAME and arc.length > _SAME]

    def corners(self) -> Array:
        """Return the points at which candidate arcs end or touch, exactly, shape ``(m, 2)``."""
        first, (low2, high2) = np.array(self.ranges[0]), self.ranges[1]
        bent = [
            low2,
            high2,
            *(
                k * math.pi
                for k in range(math.ceil(low2 / math.pi), math.floor(high2 / math.pi) + 1)
            ),
        ]
        return np.concatenate([self.point(first, t2) for t2 in bent])

    def outlines(self) -> list[list[Arc]]:
        """Return the closed outlines of the region, each a list of arcs.

        Holes are outlines that run clockwise.
        """
        return loops(edges(self.candidates(), self.contains, self.corners()))


def edges(candidates: Sequence[Arc], inside: Inside, known: Array) -> list[Arc]:
    """Cut arcs where they meet, and return the pieces that have the region on one side only, it to their left.

    Args:
        candidates: Arcs among which every edge of the region is.
        inside: Which points ``(m, 2)`` belong to the region.
        known: Points where arcs meet that are known better than their intersection can be computed
            (they touch there).
    """
    points = [np.asarray(point) for point in known]
    for i, one in enumerate(candidates):
        for other in candidates[:i]:
            for point in _meetings(one, other):
                if all(math.dist(point, old) > _SAME for old in points):
                    points.append(point)
    pieces: list[Arc] = []
    for arc in candidates:
        for piece in _cut(arc, points):
            middle = piece.points((piece.start + piece.end) / 2.0)
            if not any(_same_piece(piece, middle, kept) for kept in pieces):
                pieces.append(piece)
    found = []
    for piece in pieces:
        angle = (piece.start + piece.end) / 2.0
        outward = np.array([math.cos(angle), math.sin(angle)])
        step = min(1e-6, 0.01 * piece.length) * outward
        within, beyond = inside(piece.points(angle) + np.array([-step, step])).tolist()
        if within != beyond:
            found.append(piece if within else piece._replace(start=piece.end, end=piece.start))
    return found


def loops(pieces: Sequence[Arc]) -> list[list[Arc]]:
    """Chain edges to closed outlines, and join those that continue each other on one circle."""
    left, found = list(pieces), []
    while left:
        loop = [left.pop(0)]
        while True:
            tip = loop[-1].points(loop[-1].end)
            gaps = [float(np.hypot(*(arc.points(arc.start) - tip))) for arc in left]
            closing = float(np.hypot(*(loop[0].points(loop[0].start) - tip)))
            if not gaps or closing <= min(gaps):
                break
            loop.append(left.pop(int(np.argmin(gaps))))
        found.append(_joined(loop))
    return found


def _joined(loop: list[Arc]) -> list[Arc]:
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
    same = math.dist(one.center, other.center) < _SAME and abs(one.radius - other.radius) < _SAME
    return same and (one.end > one.start) == (other.end > other.start)


def _same_piece(piece: Arc, middle: Array, kept: Arc) -> bool:
    """Whether two pieces of one circle are the same: ends of a range may lie symmetrically about the stretched link."""
    if math.dist(piece.center, kept.center) > _SAME or abs(piece.radius - kept.radius) > _SAME:
        return False
    return bool(np.hypot(*(kept.points((kept.start + kept.end) / 2.0) - middle)) < _SAME)


def _cut(arc: Arc, points: Sequence[Array]) -> list[Arc]:
    """Cut an arc at those of the points that lie on it."""
    angles = {arc.start, arc.end}
    for point in points:
        x, y = point - np.array(arc.center)
        if abs(math.hypot(x, y) - arc.radius) < _MEET:
            angle = arc.start + (math.atan2(y, x) - arc.start) % TURN
            if angle < arc.end:
                angles.add(angle)
    steps = sorted(angles)
    long_enough = _SAME / arc.radius
    return [
        arc._replace(start=low, end=high)
        for low, high in pairwise(steps)
        if high - low > long_enough
    ]


def _meetings(one: Arc, other: Arc) -> list[Array]:
    """Return where two arcs of different circles meet."""
    apart = math.dist(one.center, other.center)
    if (
        not max(abs(one.radius - other.radius) - _MEET, _MEET)
        < apart
        < one.radius + other.radius + _MEET
    ):
        return []
    along = (apart**2 + one.radius**2 - other.radius**2) / (2.0 * apart)
    across = math.sqrt(max(one.radius**2 - along**2, 0.0))
    toward = (np.array(other.center) - np.array(one.center)) / apart
    sideways = np.array([-toward[1], toward[0]])
    found = [
        np.array(one.center) + along * toward + sign * across * sideways for sign in (1.0, -1.0)
    ]
    return [
        point
        for point in found
        if all(arc.holds(math.atan2(*(point - arc.center)[::-1])) for arc in (one, other))
    ]


def _wrapped(angle: Array, span: tuple[float, float]) -> tuple[Array, Mask]:
    """Return angles moved by whole turns to at or above the low end of a range, and whether they are within it."""
    low, high = span
    slack = 1e-12  # [rad]
    moved = low + np.mod(angle - low + slack, TURN) - slack
    return moved, moved <= high + slack
