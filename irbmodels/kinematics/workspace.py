"""What an arm reaches: exact outlines in its own plane with the coupled range, extremes, area, volume, and maps of dexterity.

The plane of a six-axis arm holds axis 1 and turns with it: x forward, z up. It shows the wrist
center, or a TCP whose wrist axes are held and which stays in that plane. A SCARA's plane is the
horizontal one, seen from above; it shows the TCP.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import finite, numbers, states
from ..errors import InputError, MissingData, UnknownName
from ..model.limits import Limits
from ..model.types import Array, Mask
from .angle_ranges import span
from .arm_geometry import Scara, SixAxis
from .planar_boundary import TURN, Arc, TwoLinks, edges

Measure = Literal["manipulability", "dexterity"]

_RIGHT = math.pi / 2
_IN_PLANE = 1e-9  # [m]
_ALIKE = 1e-6  # [rad]


class Extremes(NamedTuple):
    """How far a workspace goes in the arm's plane [m], in base axes; exact."""

    ahead: float
    """Largest x."""
    behind: float
    """Smallest x."""
    top: float
    """Largest z; y of a SCARA."""
    bottom: float
    """Smallest z; y of a SCARA."""
    reach: float
    """Largest distance from axis 1: the reach of a data sheet."""


class Corner(NamedTuple):
    """Point in which two arcs of an outline meet."""

    point: tuple[float, float]
    """In the arm's plane [m]."""
    axes: tuple[float, float]
    """Ranges' values there [rad]: q2 and q3 (q3 - q2 of a parallelogram arm).

    Q1 and q2 of a SCARA.
    """


class Dial(NamedTuple):
    """Range ``low .. high`` [rad] of an angle of the plane, ``t = sign u + zero``."""

    axis: int
    """Of the range, from 0: that of axis 3 bounds ``u = q3 - q2`` of a parallelogram arm."""
    sign: float
    zero: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Workspace:
    """Where wrist center or TCP can be within the ranges of the axes that carry it; lengths in [m].

    The plane's second coordinate of a six-axis arm counts from the base along axis 1.
    """

    arm: SixAxis | Scara
    links: TwoLinks
    azimuth: Dial
    """Of the arm's plane; of a SCARA's first arm."""
    dials: tuple[Dial, Dial]
    """Of both links: the angles ``t1`` and ``t2``."""
    wrist: tuple[Dial, Dial] | None = None
    """Of the fourth and fifth axis, where they are alone in their ranges."""
    heights: tuple[float, float] | None = None
    """Of a SCARA's TCP."""

    def __repr__(self) -> str:
        ends, v = self.extremes(), "y" if isinstance(self.arm, Scara) else "z"
        return (
            f"<Workspace: x {ends.behind:.3f} .. {ends.ahead:.3f} m, {v} {ends.bottom:.3f} .."
            f" {ends.top:.3f} m, reach {ends.reach:.3f} m, area {self.area():.3f} m^2, volume"
            f" {self.volume():.3f} m^3>"
        )

    @cached_property
    def outlines(self) -> list[list[Arc]]:
        """Closed outlines in the arm's plane, the region to the left of their arcs.

        Holes run clockwise.
        """
        return self.links.outlines()

    @property
    def axes(self) -> tuple[int, int]:
        """The two axes that move in the plane, 1-based."""
        one, two = self.dials
        return one.axis + 1, two.axis + 1

    def ranges_at(self, t1: ArrayLike, t2: ArrayLike) -> tuple[Array, Array]:
        """Return what the two axes' ranges bound, q2 and q3 - q2 for instance [rad], at angles of the plane."""
        one, two = (
            dial.sign * (np.asarray(t, dtype=float) - dial.zero)
            for dial, t in zip(self.dials, (t1, t2), strict=True)
        )
        return one, two

    def held(self, arc: Arc) -> tuple[int, float]:
        """Return which axis stands still on an arc, 1-based, and where [rad]."""
        dial = self.dials[arc.joint]
        return dial.axis + 1, dial.sign * (arc.value - dial.zero)

    def corners(self) -> list[list[Corner]]:
        """Return the corners of every outline, in its order."""
        found = []
        for loop in self.outlines:
            corners = []
            for arc in loop if len(loop) > 1 else []:
                point = arc.points(arc.start)
                # rounding may leave the corner itself a hair out of range
                pairs = np.stack(
                    self.links._replace(ranges=_widened(self.links.ranges)).solve(point), axis=-1
                )
                arcs = arc, loop[loop.index(arc) - 1]
                misfit = [
                    sum(abs(math.sin((pair[held.joint] - held.value) / 2.0)) for held in arcs)
                    for pair in pairs.tolist()
                ]
                angles = pairs[int(np.nanargmin(misfit))].tolist()
                # known exactly where it stands, which a stretched arm tells only to 1e-8
                for held in arcs:
                    if abs(angles[held.joint] - held.value) < _ALIKE:
                        angles[held.joint] = held.value
                one, two = self.ranges_at(*angles)
                corners.append(Corner((float(point[0]), float(point[1])), (float(one), float(two))))
            found.append(corners)
        return found

    def extremes(self) -> Extremes:
        """Return how far the outline goes; exact, where an arc has its own farthest point."""
        points = np.array(
            [point for loop in self.outlines for arc in loop for point in arc.extremes()]
        )
        (right, top), (left, bottom) = points.max(axis=0).tolist(), points.min(axis=0).tolist()
        reach = max(right, -left)
        if isinstance(self.arm, Scara):  # axis 1 is the center of the arcs on which axis 2 stands
            reach = max(arc.radius for arc in self.links.candidates() if arc.joint == 1)
        return Extremes(right, left, top, bottom, reach)

    def area(self) -> float:
        """Area of the region in the arm's plane [m^2], by arcs."""
        return sum(arc.area() for loop in self.outlines for arc in loop)

    def volume(self) -> float:
        """Volume of what is reached in space [m^3], by arcs: with axis 1 ahead and turned round, each part counted once."""
        if self.heights is not None:
            return self.area() * (self.heights[1] - self.heights[0])
        width = min(self.azimuth.high - self.azimuth.low, TURN)
        # azimuths that axis 1 reaches ahead and turned round
        both = TURN if width == TURN else 2.0 * max(0.0, width - math.pi)
        ahead = [arc for arc in self.links.candidates()]
        behind = [arc.mirrored() for arc in ahead]
        corners = self.links.corners()
        mirror = np.array([-1.0, 1.0])

        def moment(arcs: Sequence[Arc], sides: Sequence[float]) -> float:
            def inside(points: Array) -> Mask:
                reached = [self.links.contains(points * np.array([side, 1.0])) for side in sides]
                result: Mask = np.any(reached, axis=0) & (points[..., 0] > 0.0)
                return result

            cut = [_increasing(arc) for arc in arcs]
            known = np.concatenate([corners, corners * mirror, *(_crossings(arc) for arc in cut)])
            return sum(arc.moment() for arc in edges(cut, inside, known))

        alone = width - both
        total = both * moment([*ahead, *behind], (1.0, -1.0)) if both else 0.0
        return total + alone * (moment(ahead, (1.0,)) + moment(behind, (-1.0,))) if alone else total

    def in_plane(self, points: ArrayLike) -> Mask:
        """Whether points ``(..., 2)`` of the arm's plane [m] can be reached, shape ``(...)``."""
        return self.links.contains(states(points, 2, "points of the arm's plane [m]"))

    def contains(self, points: ArrayLike) -> Mask:
        """Whether points ``(..., 3)`` in base axes [m] can be reached, the range of axis 1 included, shape ``(...)``."""
        array = self._from_axis_1(points)
        if self.heights is not None:
            low, high = self.heights
            level = (array[..., 2] >= low - _IN_PLANE) & (array[..., 2] <= high + _IN_PLANE)
            return self.in_plane(array[..., :2]) & level
        sides = [allowed & self.in_plane(flat) for flat, allowed in self._sides(array)]
        return sides[0] | sides[1]

    def _sides(self, points: Array) -> list[tuple[Array, Mask]]:
        """Points in the arm's plane with axis 1 towards them, and turned round.

        And whether axis 1 can.
        """
        radius, azimuth = (
            np.hypot(points[..., 0], points[..., 1]),
            np.arctan2(points[..., 1], points[..., 0]),
        )
        found = []
        for side, turn in ((1.0, azimuth), (-1.0, azimuth + math.pi)):
            allowed = _within(self.azimuth, turn)
            found.append(
                (np.stack([side * radius, points[..., 2]], axis=-1), allowed | (radius < _IN_PLANE))
            )
        return found

    def _from_axis_1(self, points: ArrayLike) -> Array:
        """Return points ``(..., 3)`` in base axes as the arm counts them: from axis 1, and along it."""
        turned: Array = states(
            points, 3, "points [m]"
        ) @ self.arm.arm_from_base.T - self.arm.origin_in_arm * np.array([1.0, 1.0, 0.0])
        return turned

    def measured(
        self, points: ArrayLike, measure: Measure = "manipulability", directions: int = 200
    ) -> Array:
        """Return a map: one number per point in base axes [m], NaN out of reach, shape ``(...)`` for ``(..., 3)``.

        Args:
            points: Positions of the wrist center (TCP of a SCARA).
            measure: ``manipulability``: the largest ``|det|`` of the linear Jacobian over all
                postures within the ranges, [m^3] (a SCARA's in its plane, [m^2]). ``dexterity``:
                the share of the tool's directions that axes 4 and 5 reach there in any of them, 0
                to 1, sampled.
            directions: How many directions to try, spread evenly over the sphere.

        Raises:
            MissingData: for the dexterity of a SCARA, whose tool always points down.
        """
        array = self._from_axis_1(points)
        if measure not in ("manipulability", "dexterity"):
            raise UnknownName("measure", measure, ("manipulability", "dexterity"))
        if isinstance(self.arm, Scara):
            if measure == "dexterity":
                raise MissingData(
                    "the tool of a SCARA always points down: there is no dexterity to map"
                )
            t2 = np.where(
                self.contains(points)[..., None], self.links.solve(array[..., :2])[1], np.nan
            )
            return _largest(self.links.inner * self.links.outer * np.abs(np.sin(t2)))
        sides = []
        for flat, allowed in self._sides(array):
            t1, t2 = (np.where(allowed[..., None], t, np.nan) for t in self.links.solve(flat))
            if measure == "manipulability":
                sides.append(
                    self.links.inner * self.links.outer * np.abs(np.sin(t2) * flat[..., :1])
                )
            else:
                sides.append(t1 + t2)
        return (
            _largest(np.concatenate(sides, axis=-1))
            if measure == "manipulability"
            else self._share(sides, directions)
        )

    def _share(self, sides: list[Array], count: int) -> Array:
        """Share of directions that axes 4 and 5 reach.

        The line from axis 3 to the wrist center at given angles on each side.
        """
        assert isinstance(self.arm, SixAxis)
        if self.wrist is None:
            raise MissingData(
                "no ranges bound axes 4 and 5 each alone: there is no dexterity to map"
            )
        k = np.arange(count) + 0.5
        # Fibonacci's sphere
        up, around = 1.0 - 2.0 * k / count, math.pi * (1.0 + math.sqrt(5.0)) * k
        wanted = np.stack(
            [np.sqrt(1.0 - up**2) * np.cos(around), np.sqrt(1.0 - up**2) * np.sin(around), up],
            axis=-1,
        )
        reached = np.zeros((*sides[0].shape[:-1], count), dtype=bool)
        # turned round, forward and left of the arm change sign
        for side, angles in zip((1.0, -1.0), sides, strict=True):
            # of the forearm above the horizontal; its z is along it, its x below
            for angle in np.moveaxis(angles, -1, 0):
                c, s, none = np.cos(angle), np.sin(angle), np.zeros_like(angle)
                below, along = (
                    np.stack([side * s, none, -c], -1) @ wanted.T,
                    np.stack([side * c, none, s], -1) @ wanted.T,
                )
                across = np.broadcast_to(side * wanted[:, 1], along.shape)
                u, v, w = np.moveaxis(
                    np.stack([below, across, along], axis=-1) @ self.arm.C.T, -1, 0
                )  # (c4 s5, s4 s5, c5)
                for sign in (1.0, -1.0):
                    x5 = sign * np.arccos(np.clip(w, -1.0, 1.0))
                    reached |= _within(self.wrist[0], np.arctan2(sign * v, sign * u)) & _within(
                        self.wrist[1], x5
                    )
        share: Array = np.where(
            np.isfinite(np.concatenate(sides, axis=-1)).any(axis=-1), reached.mean(axis=-1), np.nan
        )
        return share

    def grid(self, step: float = 0.05) -> Array:
        """Return points of a cube's grid around everything that is reached, ``step`` [m] apart, shape ``(nx, ny, nz, 3)``."""
        found = self.extremes()
        low, high = self.heights if self.heights is not None else (found.bottom, found.top)
        span = [
            np.arange(start, end + step, step)
            for start, end in ((-found.reach, found.reach),) * 2 + ((low, high),)
        ]
        return np.stack(np.meshgrid(*span, indexing="ij"), axis=-1)


def workspace_of(arm: SixAxis | Scara, limits: Limits, wrist: ArrayLike | None = None) -> Workspace:
    """Return the workspace of an arm.

    Args:
        arm: Its shape, for the TCP.
        limits: Its ranges.
        wrist: Positions of axes 4 to 6 that are held [rad]: then the workspace is the TCP's.
            Default is the wrist center. Of a SCARA that of the tool's axis, default 0.

    Raises:
        InputError: if the TCP then lies beside the arm's plane: no outline in it is exact.
        MissingData: if ranges couple the arm's angles otherwise than those of a parallelogram do.
    """
    if isinstance(arm, Scara):
        tool, slide = span(arm, limits, {1: -1.0, 2: 1.0}), span(arm, limits, {3: 1.0})
        held = (
            0.0
            if wrist is None
            else float(
                finite(np.ravel(numbers(wrist, "wrist [rad]")), (1,), "wrist [rad], axis 4,")[0]
            )
        )
        x, y = arm.tcp_from_elbow(np.array(tool.sign * held + tool.zero)).tolist()
        first, second = (
            _dial(arm, limits, {0: 1.0}),
            _dial(arm, limits, {0: -1.0, 1: 1.0}, math.atan2(y, x)),
        )
        links = TwoLinks(
            (0.0, 0.0),
            arm.lower_arm_length,
            math.hypot(x, y),
            ((first.low, first.high), (second.low, second.high)),
        )
        level = float(arm.origin_in_arm[2]) + arm.height
        return Workspace(
            arm, links, first, (first, second), None, (level + slide.low, level + slide.high)
        )
    x, y, z = 0.0, arm.d, arm.forearm_length
    if wrist is not None:
        q = np.concatenate([np.zeros(3), finite(wrist, (3,), "wrist [rad], axes 4 to 6,")])
        x, y, z = arm.tcp_from_elbow(arm.axis_map.angles(q)).tolist()
    if abs(y) > _IN_PLANE:
        raise InputError(
            f"with these wrist axes the TCP is {1e3 * y:g} mm beside the arm's plane; no outline"
            " there is exact"
        )
    first = _dial(arm, limits, {1: -1.0}, _RIGHT)
    second = _dial(arm, limits, {1: 1.0, 2: -1.0}, -math.atan2(x, z))
    base = arm.a1, float(arm.origin_in_arm[2])
    links = TwoLinks(
        base,
        arm.lower_arm_length,
        math.hypot(x, z),
        ((first.low, first.high), (second.low, second.high)),
    )
    last = span(arm, limits, {3: 1.0}), span(arm, limits, {4: 1.0})
    own = all(one.bound is not None for one in last)
    bends = (_dial(arm, limits, {3: 1.0}), _dial(arm, limits, {4: 1.0})) if own else None
    return Workspace(arm, links, _dial(arm, limits, {0: 1.0}), (first, second), bends)


def _dial(arm: SixAxis | Scara, limits: Limits, of: dict[int, float], more: float = 0.0) -> Dial:
    """Return the dial of a sum of the arm's angles, ``more`` [rad] added."""
    found = span(arm, limits, of)
    if found.bound is None:
        raise MissingData(
            f"two ranges bound {found.name} together; outlines are for ranges that bound the arm's"
            " angles one by one"
        )
    axis, sign = found.bound
    low, high = found.low, found.high
    if not math.isfinite(high - low):  # it turns for ever
        low, high = -math.pi, math.pi
    return Dial(axis, sign, found.zero + more, low + more, high + more)


def _within(dial: Dial, angle: Array) -> Mask:
    slack = 1e-12  # [rad]
    result: Mask = np.mod(angle - dial.low + slack, TURN) <= dial.high - dial.low + 2.0 * slack
    return result


def _largest(values: Array) -> Array:
    known = np.isfinite(values)
    result: Array = np.where(
        known.any(axis=-1), np.where(known, values, -np.inf).max(axis=-1), np.nan
    )
    return result


def _increasing(arc: Arc) -> Arc:
    return arc if arc.end > arc.start else arc._replace(start=arc.end, end=arc.start)


def _crossings(arc: Arc) -> Array:
    """Return where an arc crosses axis 1, shape ``(m, 2)``."""
    if abs(arc.center[0]) > arc.radius:
        return np.zeros((0, 2))
    angle = math.acos(-arc.center[0] / arc.radius)
    return np.array([[0.0, arc.points(t)[1]] for t in (angle, -angle) if arc.holds(t)]).reshape(
        -1, 2
    )


def _widened(
    ranges: tuple[tuple[float, float], tuple[float, float]],
) -> tuple[tuple[float, float], tuple[float, float]]:
    (a, b), (c, d) = ranges
    return (a - 1e-9, b + 1e-9), (c - 1e-9, d + 1e-9)
