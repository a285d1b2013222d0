"""Workspace of an arm: exact outlines in its own plane, extremes, area, volume, dexterity.

The plane of a six-axis arm contains axis 1 and rotates with it: x forward, z up. It shows the wrist
center, or a TCP whose wrist axes are fixed and which stays in that plane. A SCARA's plane is the
horizontal one, seen from above; it shows the TCP.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import states
from ..errors import MissingData, UnknownName
from ..model.types import Array, Mask
from .arm_geometry import Arm, Scara, SixAxis
from .frames import Reference, in_world
from .planar_boundary import SIDES, Arc, TwoLinks, edges

Measure = Literal["manipulability", "dexterity"]

IN_PLANE = 1e-9  # [m]
_ALIKE = 1e-6  # [rad]


class Extremes(NamedTuple):
    """Extremes of a workspace in the arm's plane [m], in base axes; exact."""

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
    """Values there of what the ranges bound [rad]: q2 and q3 (or q3 - q2 of a parallelogram arm).

    q1 and q2 of a SCARA.
    """


class PlanarJointRange(NamedTuple):
    """Range ``low .. high`` [rad] of an angle of the plane, ``t = sign u + zero``."""

    row: int
    """Of the limits, from 0, which bounds ``u``: that of axis 3 is the range of ``q3 - q2`` or of
    ``q3``; beyond the axes are bounds of sums."""
    sign: float
    zero: float
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends of the range [rad]."""
        return self.low, self.high

    def value(self, t: ArrayLike) -> Array:
        """Return ``u`` at angles ``t`` of the plane."""
        return np.asarray(self.sign * (np.asarray(t, dtype=float) - self.zero))

    def contains(self, angle: Array) -> Mask:
        """Return whether angles are within the range, full turns aside."""
        slack = 1e-12  # [rad]
        beyond_low = np.mod(angle - self.low + slack, math.tau)
        return np.asarray(beyond_low <= self.high - self.low + 2.0 * slack)


@dataclass(frozen=True, eq=False)
class Workspace:
    """Region that wrist center or TCP reaches within the ranges of its axes; lengths in [m].

    The plane's second coordinate of a six-axis arm counts from the base along axis 1.
    """

    arm: Arm
    links: TwoLinks
    azimuth: PlanarJointRange
    """Of the arm's plane; of a SCARA's first arm."""
    link_ranges: tuple[PlanarJointRange | None, ...]
    """Of both links, the angles ``t1`` and ``t2``, and of ``t1 + t2``.

    None for the one that no row of the limits bounds.
    """
    wrist_ranges: tuple[PlanarJointRange, PlanarJointRange] | None = None
    """Of the fourth and fifth axis, where they are alone in their ranges."""
    heights: tuple[float, float] | None = None
    """Of a SCARA's TCP."""
    world_from_base: Array = field(default_factory=lambda: np.eye(4))
    """Pose of the base in the world that the robot is mounted in, ``(4, 4)``."""
    uncertainty: float = 0.0
    """Largest distance of a calibrated arm's TCP from where the regular arm next to it has it [m].

    Found by 4096 seeded postures within the ranges, and how far beside its plane the point is:
    arcs, outlines and areas are the regular arm's, in its plane.
    """

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
        one, two = sorted(row for row, _ in self._axis_ranges)
        return one + 1, two + 1

    @property
    def _axis_ranges(self) -> list[tuple[int, int]]:
        """Row and place in ``link_ranges`` of the ranges of both axes, not of bounds of sums."""
        rows = [(joint.row, i) for i, joint in enumerate(self.link_ranges) if joint is not None]
        return sorted(rows)[:2]

    def ranges_at(self, t1: ArrayLike, t2: ArrayLike) -> tuple[Array, Array]:
        """Return what the two axes' ranges bound, q2 and q3 - q2 for instance [rad].

        Args:
            t1: Angles of the first link in the plane [rad].
            t2: Angles of the second link against the first [rad].
        """
        return self._values((t1, t2, np.add(t1, t2)))

    def _values(self, angles: Sequence[ArrayLike]) -> tuple[Array, Array]:
        """Return what the two axes' ranges bound at ``t1``, ``t2`` and ``t1 + t2`` [rad]."""
        joints = [(self.link_ranges[i], angles[i]) for _, i in self._axis_ranges]
        one, two = (joint.value(t) for joint, t in joints if joint is not None)
        return one, two

    def home(self) -> Array:
        """Return the point of the plane where all axes are at zero [m], shape ``(2,)``."""
        zero = [math.nan if joint is None else joint.zero for joint in self.link_ranges]
        if math.isnan(zero[1]):
            zero[1] = zero[2] - zero[0]
        return self.links.point(*zero[:2])

    def fixed_row(self, arc: Arc) -> tuple[int, float]:
        """Return the row of the limits, from 0, that is at an end on an arc, and its value [rad].

        Where the arm is stretched or folded it is that of the angle between its links.
        """
        joint = self.link_ranges[arc.joint]
        if joint is None:  # no row bounds the angle between the links
            return -1, arc.value
        return joint.row, float(joint.value(arc.value))

    def corners(self) -> list[list[Corner]]:
        """Return the corners of every outline, in its order."""
        return [
            [self._corner(arc, loop[i - 1]) for i, arc in enumerate(loop)] if len(loop) > 1 else []
            for loop in self.outlines
        ]

    def _corner(self, arc: Arc, before: Arc) -> Corner:
        """Return the corner at which an arc starts."""
        point = arc.points(arc.start)
        # rounding may leave the corner itself a hair out of range
        (a, b), (c, d) = self.links.ranges
        widened = self.links._replace(ranges=((a - 1e-9, b + 1e-9), (c - 1e-9, d + 1e-9)))
        if self.links.slopes is not None:
            low, high = self.links.slopes
            widened = widened._replace(slopes=(low - 2e-9, high + 2e-9))
        t1, t2 = widened.solve(point)
        pairs = np.stack([t1, t2, t1 + t2], axis=-1)
        misfit = [
            sum(abs(math.sin((pair[one.joint] - one.value) / 2.0)) for one in (arc, before))
            for pair in pairs.tolist()
        ]
        angles = pairs[int(np.nanargmin(misfit))].tolist()
        # known exactly where it stands, which a stretched arm gives only to 1e-8
        for one in (arc, before):
            if abs(angles[one.joint] - one.value) < _ALIKE:
                angles[one.joint] = one.value
        first, second = self._values(angles)
        return Corner((float(point[0]), float(point[1])), (float(first), float(second)))

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
        """Volume of the region in space [m^3], by arcs.

        What axis 1 reaches both ahead and turned round counts once.
        """
        if self.heights is not None:
            return self.area() * (self.heights[1] - self.heights[0])
        width = min(self.azimuth.high - self.azimuth.low, math.tau)
        # azimuths that axis 1 reaches ahead and turned round
        both = math.tau if width == math.tau else 2.0 * max(0.0, width - math.pi)
        ahead = self.links.candidates()
        behind = [arc.mirror() for arc in ahead]
        corners = self.links.corners()

        def moment(arcs: Sequence[Arc], sides: Sequence[float]) -> float:
            def inside(points: Array) -> Mask:
                reached = [self.links.contains(points * np.array([side, 1.0])) for side in sides]
                return np.asarray(np.any(reached, axis=0) & (points[..., 0] > 0.0))

            cut = [
                arc if arc.end > arc.start else arc._replace(start=arc.end, end=arc.start)
                for arc in arcs
            ]
            on_axis = np.array([[0.0, y] for arc in cut for y in arc.crossings()]).reshape(-1, 2)
            known = np.concatenate([corners, corners * np.array([-1.0, 1.0]), on_axis])
            return sum(arc.moment() for arc in edges(cut, inside, known))

        alone = width - both
        total = both * moment([*ahead, *behind], SIDES.tolist()) if both else 0.0
        return total + alone * (moment(ahead, (1.0,)) + moment(behind, (-1.0,))) if alone else total

    def in_plane(self, points: ArrayLike) -> Mask:
        """Return whether points ``(..., 2)`` of the arm's plane [m] are reached, as ``(...)``."""
        return self.links.contains(states(points, 2, "points of the arm's plane [m]"))

    def contains(self, points: ArrayLike, reference: Reference = "base") -> Mask:
        """Return whether points ``(..., 3)`` in ``base`` or ``world`` [m] are reached, ``(...)``.

        The range of axis 1 counts.
        """
        array = self._from_axis_1(points, reference)
        if self.heights is not None:
            low, high = self.heights
            level = (array[..., 2] >= low - IN_PLANE) & (array[..., 2] <= high + IN_PLANE)
            return self.in_plane(array[..., :2]) & level
        sides = [allowed & self.in_plane(flat) for flat, allowed in self._sides(array)]
        return sides[0] | sides[1]

    def _sides(self, points: Array) -> list[tuple[Array, Mask]]:
        """Return points in the arm's plane with axis 1 towards them, and turned round.

        The masks tell where axis 1 can.
        """
        radius = np.hypot(points[..., 0], points[..., 1])
        azimuth = np.arctan2(points[..., 1], points[..., 0])
        return [
            (
                np.stack([side * radius, points[..., 2]], axis=-1),
                self.azimuth.contains(angle) | (radius < IN_PLANE),
            )
            for side, angle in zip(SIDES, (azimuth, azimuth + math.pi), strict=True)
        ]

    def _from_axis_1(self, points: ArrayLike, reference: Reference) -> Array:
        """Return points ``(..., 3)`` as the arm counts them: from axis 1, along it."""
        array = states(points, 3, "points [m]")
        if in_world(reference):
            array = (array - self.world_from_base[:3, 3]) @ self.world_from_base[:3, :3]
        rotated = array @ self.arm.arm_from_base.T
        return np.asarray(rotated - self.arm.origin_in_arm * np.array([1.0, 1.0, 0.0]))

    def measure_at(
        self,
        points: ArrayLike,
        measure: Measure = "manipulability",
        directions: int = 200,
        reference: Reference = "base",
    ) -> Array:
        """Return a map: one number per point [m], shape ``(...)`` for ``(..., 3)``.

        NaN out of reach.

        Args:
            points: Positions of the wrist center (TCP of a SCARA).
            measure: ``manipulability``: the largest ``|det|`` of the linear Jacobian over all
                postures within the ranges, [m^3] (a SCARA's in its plane, [m^2]). ``dexterity``:
                the share of the tool's directions that axes 4 and 5 reach there in any of them, 0
                to 1, sampled.
            directions: Number of directions to try, spread evenly over the sphere.
            reference: Frame of the points, ``base`` or ``world``.

        Raises:
            MissingData: for the dexterity of a SCARA, whose tool always points down.
        """
        array = self._from_axis_1(points, reference)
        if measure not in ("manipulability", "dexterity"):
            raise UnknownName("measure", measure, ("manipulability", "dexterity"))
        lengths = self.links.inner * self.links.outer
        if measure == "dexterity" and not isinstance(self.arm, SixAxis):
            kind = "SCARA" if isinstance(self.arm, Scara) else "palletizer"
            raise MissingData(
                f"the tool of a {kind} always points down: there is no dexterity to map"
            )
        if isinstance(self.arm, Scara):
            t2 = self.links.solve(array[..., :2])[1]
            reached = self.contains(points, reference)[..., None]
            return _largest(lengths * np.abs(np.sin(np.where(reached, t2, np.nan))))
        postures = [
            (flat, *(np.where(allowed[..., None], t, np.nan) for t in self.links.solve(flat)))
            for flat, allowed in self._sides(array)
        ]
        if measure == "dexterity":
            return self._dexterity([t1 + t2 for _, t1, t2 in postures], directions)
        determinants = [lengths * np.abs(np.sin(t2) * flat[..., :1]) for flat, _, t2 in postures]
        return _largest(np.concatenate(determinants, axis=-1))

    def _dexterity(self, sides: list[Array], count: int) -> Array:
        """Return the share of directions that axes 4 and 5 reach.

        Args:
            sides: Angles of the line from axis 3 to the wrist center, with axis 1 ahead and turned
                round.
            count: Number of directions.
        """
        assert isinstance(self.arm, SixAxis)
        if self.wrist_ranges is None:
            raise MissingData(
                "no ranges bound axes 4 and 5 each alone: there is no dexterity to map"
            )
        k = np.arange(count) + 0.5
        # Fibonacci's sphere
        up, around = 1.0 - 2.0 * k / count, math.pi * (1.0 + math.sqrt(5.0)) * k
        level = np.sqrt(1.0 - up**2)
        wanted = np.stack([level * np.cos(around), level * np.sin(around), up], axis=-1)
        reached = np.zeros((*sides[0].shape[:-1], count), dtype=bool)
        # turned round, forward and left of the arm change sign
        for side, angles in zip(SIDES, sides, strict=True):
            # of the forearm above the horizontal; its z is along it, its x below
            for angle in np.moveaxis(angles, -1, 0):
                c, s, none = np.cos(angle), np.sin(angle), np.zeros_like(angle)
                below = np.stack([side * s, none, -c], -1) @ wanted.T
                along = np.stack([side * c, none, s], -1) @ wanted.T
                across = np.broadcast_to(side * wanted[:, 1], along.shape)
                tool = np.stack([below, across, along], axis=-1) @ self.arm.C.T
                u, v, w = np.moveaxis(tool, -1, 0)  # (c4 s5, s4 s5, c5)
                for sign in SIDES:
                    x4, x5 = np.arctan2(sign * v, sign * u), sign * np.arccos(np.clip(w, -1.0, 1.0))
                    fourth, fifth = self.wrist_ranges
                    reached |= fourth.contains(x4) & fifth.contains(x5)
        in_reach = np.isfinite(np.concatenate(sides, axis=-1)).any(axis=-1)
        return np.where(in_reach, reached.mean(axis=-1), np.nan)

    def grid(self, step: float = 0.05) -> Array:
        """Return a grid around everything that is reached, shape ``(nx, ny, nz, 3)``.

        Its points are ``step`` [m] apart, in base axes.
        """
        ends = self.extremes()
        across = np.arange(-ends.reach, ends.reach + step, step)
        low, high = self.heights if self.heights is not None else (ends.bottom, ends.top)
        heights = np.arange(low, high + step, step)
        return np.stack(np.meshgrid(across, across, heights, indexing="ij"), axis=-1)


def _largest(values: Array) -> Array:
    """Return the largest number along the last axis, NaN where there is none."""
    known = np.isfinite(values)
    largest = np.where(known, values, -np.inf).max(axis=-1)
    return np.where(known.any(axis=-1), largest, np.nan)
