"""Possible ends of intervals: a posture meets a bound, loses its pose, or passes a singularity."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...model.limits import ROUNDING
from ...model.tree import UNLIMITED
from ...model.types import Array, IntArray, Mask
from ...robot.robot import Robot
from .chebyshev_roots import Spans, chebyshev_roots, expand
from .tool_circle import ToolCircle, angles_at_distance, axis_1_angles, nearest_to_axis_1

SAME = 1e-10  # [rad] ends nearer than this are one
# sine of the wrist angle below which axis 4 turned for axis 6 moves the tool by less than 1e-9 rad
AT_WRIST = 3e-10
# [m] the wrist centre is on axis 1, or as near as it can come, where inverse kinematics leaves axis
# 1 as it is
AT_SHOULDER = 1e-12
AT_ELBOW = 1e-12  # [m] the arm is stretched or folded


class Ranges(NamedTuple):
    """Ranges of ``y = A q``, wider than typed by half of what ``robot.in_range`` allows.

    Infinite where there are none.
    """

    A: Array
    lower: Array
    upper: Array
    sums: Array
    """Factors of ``y`` in the sums that are bounded besides, ``(k, n)``."""
    sum_lower: Array
    """``(k,)``"""
    sum_upper: Array

    def keep_sums(self, y: Array) -> Mask:
        """Return whether ``(..., n)``, full turns counted, keep the bounds of sums."""
        values = y @ self.sums.T
        kept = (values >= self.sum_lower) & (values <= self.sum_upper)
        return np.asarray(kept.all(axis=-1))

    @property
    def bounded(self) -> Mask:
        """True per axis with a range; the others are endless, without full turns of their own."""
        return np.asarray(np.isfinite(self.lower) & np.isfinite(self.upper))

    def boundary_angles(self, axis: int, period: float = math.tau) -> list[float]:
        """Return bounds and angles between them [rad], at most half a turn apart."""
        bounds = [bound for bound in (self.lower[axis], self.upper[axis]) if np.isfinite(bound)]
        angles: list[float] = []
        for angle in np.add.outer(bounds or [0.0], (0.0, math.pi)).ravel().tolist():
            if all(abs(math.remainder(angle - other, period)) > 1e-12 for other in angles):
                angles.append(angle)
        return angles

    def outside(self, y: Array) -> Array:
        """Return the excess of the first axes ``(..., n)`` in their best turn [rad], signed."""
        bounded = self.bounded[: y.shape[-1]]
        low, high = np.where(bounded, np.array([self.lower, self.upper])[:, : len(bounded)], 0.0)
        return np.asarray(np.where(bounded, _excess(y, low, high), -np.inf))

    def outside_sums(self, y: Array) -> Array:
        """Return the same of the bounds of sums, ``(..., k)``, for ``y`` of all axes."""
        return _excess(y @ self.sums.T, self.sum_lower, self.sum_upper)


def widened_ranges(robot: Robot) -> Ranges:
    """Return the ranges of a robot, widened by half the tolerance of ``robot.in_range``."""
    limits, n = robot.limits, robot.n
    A, inverse, *_ = limits.axis_ranges
    lower = np.where(limits.lower <= -UNLIMITED, -np.inf, limits.lower - ROUNDING / 2.0)
    upper = np.where(limits.upper >= UNLIMITED, np.inf, limits.upper + ROUNDING / 2.0)
    return Ranges(A, lower[:n], upper[:n], limits.A[n:] @ inverse, lower[n:], upper[n:])


def _excess(y: Array, low: Array, high: Array) -> Array:
    """Return how far angles are beyond ranges in their best turn [rad], negative inside."""
    off = y - (low + high) / 2.0
    return np.asarray(np.abs(off - math.tau * np.round(off / math.tau)) - (high - low) / 2.0)


def postures(robot: Robot, circle: ToolCircle, phi: Array) -> Array:
    """Return all branches at angles ``(N,)``, shape ``(N, 8, 6)``, NaN where there is none."""
    return np.asarray(robot.inverse_kinematics(circle.poses(phi)).q)


def midpoints(phi: Array) -> Array:
    """Return the middle of each arc between sorted angles of a circle, the last arc closing it."""
    return np.asarray((phi + np.append(phi[1:], phi[0] + math.tau)) / 2.0)


def interval_ends(robot: Robot, circle: ToolCircle, ranges: Ranges) -> Array:
    """Return the angles, sorted in [-pi, pi), -pi always among them."""
    phi = merge_angles(arm_ends(circle, ranges))
    q = postures(robot, circle, midpoints(phi))[:, ::2]  # the wrist's two branches share the arm
    spans, branch = _spans(circle, ranges, phi, q)
    return merge_angles([phi, wrist_ends(robot, circle, ranges, spans, branch)])


def merge_angles(parts: list[Array]) -> Array:
    """Return angles in [-pi, pi), sorted, each once, -pi among them."""
    angles = np.concatenate([[-math.pi], *parts])
    whole = math.tau * np.floor(angles / math.tau + 0.5)
    outside = (angles < -math.pi) | (angles >= math.pi)
    angles = np.sort(np.where(outside, angles - whole, angles))
    kept = np.append(True, np.diff(angles) > SAME) & (angles < math.pi - SAME)
    return np.asarray(angles[kept])


def arm_ends(circle: ToolCircle, ranges: Ranges) -> list[Array]:
    """Return the angles where axes 1 to 3 meet a bound, the arm its reach or the shoulder."""
    arm, lower_arm, forearm = circle.arm, circle.arm.lower_arm_length, circle.arm.forearm_length
    elbow_angles = [
        arm.lower_arm_at_home + arm.lower_arm_sign * angle for angle in ranges.boundary_angles(1)
    ]
    # centre in the arm's plane (x, z) and radius of each circle that the wrist centre meets
    circles = [(arm.a1, 0.0, lower_arm + forearm), (arm.a1, 0.0, abs(lower_arm - forearm))]
    circles += [
        (arm.a1 + lower_arm * math.sin(angle), lower_arm * math.cos(angle), forearm)
        for angle in elbow_angles
    ]
    sums = zip(arm.sums_between_arms, ranges.sum_lower, ranges.sum_upper, strict=True)
    for between_arms, angles in (
        (arm.range_between_arms, ranges.boundary_angles(2)),
        *((between, [float(low), float(high)]) for between, low, high in sums),
    ):
        for angle in angles:
            turned = arm.forearm_at_home + angle
            if between_arms:
                bend = math.cos(turned - arm.lower_arm_at_home)
                square = lower_arm**2 + forearm**2 + 2.0 * lower_arm * forearm * bend
                circles.append((arm.a1, 0.0, math.sqrt(max(square, 0.0))))
            else:
                ahead, above = forearm * math.sin(turned), forearm * math.cos(turned)
                circles.append((arm.a1 + ahead, above, lower_arm))
    return [
        nearest_to_axis_1(circle),
        *(axis_1_angles(circle, angle) for angle in ranges.boundary_angles(0)),
        *(angles_at_distance(circle, *bound) for bound in circles),
    ]


def wrist_ends(
    robot: Robot, circle: ToolCircle, ranges: Ranges, spans: Spans, branch: IntArray
) -> Array:
    """Return the angles where axes 4 to 6 meet a bound, or axes 4 and 6 are in line, on spans.

    ``sin(x5) sin(q4 - bound)``, ``cos(x5) - cos(bound)`` and ``sin(x5) sin(q6 - bound)`` are smooth
    through the wrist's singularity, however sharply axes 4 and 6 turn near it, and serve both
    branches of the wrist.
    """
    fourth, sixth = (ranges.boundary_angles(axis, math.pi) for axis in (3, 5))
    # a branch has half a turn of axis 5
    fifth = [bound for bound in (ranges.lower[4], ranges.upper[4]) if np.isfinite(bound)]
    fifth = [bound + circle.arm.wrist_at_home for bound in fifth]
    # coefficients of sin(x5) (cos q4, sin q4), cos(x5), sin(x5) (cos q6, sin q6), 1
    mix = np.array(
        [
            *([-math.sin(angle), math.cos(angle), 0.0, 0.0, 0.0, 0.0] for angle in fourth),
            *([0.0, 0.0, 1.0, 0.0, 0.0, -math.cos(angle)] for angle in fifth),
            *([0.0, 0.0, 0.0, -math.sin(angle), math.cos(angle), 0.0] for angle in sixth),
        ]
    )

    def evaluate(span: IntArray, phi: Array) -> Array:
        q = postures(robot, circle, phi)[np.arange(len(phi)), 2 * branch[span]]
        bend = q[:, 4] + circle.arm.wrist_at_home
        fourth, sixth = (np.stack([np.cos(q[:, i]), np.sin(q[:, i])], axis=1) for i in (3, 5))
        s = np.sin(bend)[:, None]
        return np.asarray(np.nan_to_num(np.hstack([s * fourth, np.cos(bend)[:, None], s * sixth])))

    pieces = expand(spans, evaluate, circle.rounding_error)
    if not len(pieces.span):
        return np.empty(0)
    terms = mix[:, :5] @ pieces.terms
    terms[:, :, 0] += mix[:, 5]
    row, t, rate = chebyshev_roots(terms.reshape(-1, terms.shape[-1]))
    piece, function = row // len(mix), row % len(mix)
    # one step of Newton on the functions themselves
    x, span = pieces.middle[piece] + pieces.half[piece] * np.cos(t), pieces.span[piece]
    phi = spans.angle(span, x)
    if not len(phi):
        return phi
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = rate / (-pieces.half[piece] * np.sin(t) * spans.rate(span, x))
        values = (evaluate(span, phi) * mix[function, :5]).sum(axis=1) + mix[function, 5]
        change = values / slope
    return np.asarray(phi - np.where(np.abs(change) < 1e-7, change, 0.0))


def _spans(circle: ToolCircle, ranges: Ranges, phi: Array, q: Array) -> tuple[Spans, IntArray]:
    """Return the spans on which axes 1 to 3 are in range, and the arm branch ``0..3`` of each."""
    alive = np.asarray((ranges.outside((q @ ranges.A.T)[..., :3]) <= 0.0).all(axis=-1))
    ends = np.append(phi, math.pi)
    nearest = np.minimum(circle.elbow_margin(phi, 1.0), circle.elbow_margin(phi, -1.0))
    singular: Mask = np.asarray((circle.shoulder_margin(phi) < AT_SHOULDER) | (nearest < AT_ELBOW))
    spans: list[list[float]] = []
    branches: list[int] = []
    for branch, i in zip(*np.nonzero(alive.T), strict=True):
        if spans and branches[-1] == branch and spans[-1][1] == ends[i] and not singular[i]:
            spans[-1][1] = ends[i + 1]
        else:
            spans.append([ends[i], ends[i + 1]])
            branches.append(branch)
    low, high = np.array(spans).reshape(-1, 2).T
    return Spans(low, high), np.array(branches, dtype=int)
