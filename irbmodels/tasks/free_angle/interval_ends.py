"""Every angle at which a posture can meet a bound, lose its pose, or pass a singularity."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...model.limits import ROUNDING
from ...model.tree import UNLIMITED
from ...model.types import Array, IntArray, Mask
from ...robot.robot import Robot
from . import tool_circle as on
from .chebyshev_roots import Pieces, Runs, expanded, zeros
from .tool_circle import Circle

SAME = 1e-10  # [rad] cuts nearer than this are one
# sine of the wrist angle below which axis 4 turned for axis 6 moves the tool by less than 1e-9 rad
AT_WRIST = 3e-10
AT_SHOULDER = (
    # [m] the wrist centre is on axis 1, or as near as it can come, where inverse kinematics leaves
    # axis 1 as it is
    1e-12
)
AT_ELBOW = 1e-12  # [m] the arm is stretched or folded
TURN = 2.0 * math.pi


class Ranges(NamedTuple):
    """Ranges of ``y = A q``, wider than typed by half of what ``robot.in_range`` allows.

    Infinite where there are none.
    """

    A: Array
    lower: Array
    upper: Array

    @property
    def bounded(self) -> Mask:
        """Which axes have ranges.

        The others turn without end, and have no full turns of their own.
        """
        return np.asarray(np.isfinite(self.lower) & np.isfinite(self.upper))

    def cuts(self, axis: int, period: float = TURN) -> list[float]:
        """Return angles [rad], the bounds among them, at most half a turn apart: no full turn is lost between two of them."""
        bounds = [
            float(bound) for bound in (self.lower[axis], self.upper[axis]) if np.isfinite(bound)
        ] or [0.0]
        found: list[float] = []
        for angle in (bound + turn for bound in bounds for turn in (0.0, math.pi)):
            if all(abs(math.remainder(angle - other, period)) > 1e-12 for other in found):
                found.append(angle)
        return found

    def outside(self, y: Array) -> Array:
        """Return how far angles ``(..., n)`` of the first axes are outside in their best full turn [rad]; negative within."""
        n = y.shape[-1]
        bounded = self.bounded[:n]
        low, high = (np.where(bounded, bound[:n], 0.0) for bound in (self.lower, self.upper))
        middle = (low + high) / 2.0
        off = np.abs(y - middle - TURN * np.round((y - middle) / TURN)) - (high - low) / 2.0
        return np.asarray(np.where(bounded, off, -np.inf))


def ranges_of(robot: Robot) -> Ranges:
    """Return the ranges of a robot."""
    limits = robot.limits
    lower = np.where(limits.lower <= -UNLIMITED, -np.inf, limits.lower - ROUNDING / 2.0)
    upper = np.where(limits.upper >= UNLIMITED, np.inf, limits.upper + ROUNDING / 2.0)
    return Ranges(np.asarray(limits.A), lower, upper)


def postures(robot: Robot, circle: Circle, phi: Array) -> Array:
    """Return all branches at angles ``(N,)``, shape ``(N, 8, 6)``, NaN where there is none."""
    return np.asarray(robot.inverse_kinematics(circle.poses(phi)).q)


def middles(phi: Array) -> Array:
    """Return the middle of each stretch between sorted angles of a circle, the last stretch closing it."""
    return np.asarray((phi + np.append(phi[1:], phi[0] + TURN)) / 2.0)


def cuts_of(robot: Robot, circle: Circle, ranges: Ranges) -> Array:
    """Return the angles, sorted in [-pi, pi), -pi always among them."""
    arm = merged(arm_cuts(circle, ranges))
    q = postures(robot, circle, middles(arm))[:, ::2]  # the wrist's two branches share the arm
    runs, branch = _runs(circle, ranges, arm, q)
    return merged([arm, wrist_cuts(robot, circle, ranges, runs, branch)])


def merged(parts: list[Array]) -> Array:
    """Return angles in [-pi, pi), sorted, each once, -pi among them."""
    angles = np.concatenate([[-math.pi], *parts])
    angles = np.sort(
        np.where(
            (angles < -math.pi) | (angles >= math.pi),
            angles - TURN * np.floor(angles / TURN + 0.5),
            angles,
        )
    )
    kept = np.append(True, np.diff(angles) > SAME) & (angles < math.pi - SAME)
    return np.asarray(angles[kept])


def arm_cuts(circle: Circle, ranges: Ranges) -> list[Array]:
    """Return where axes 1 to 3 meet a bound, the arm its reach, and the wrist centre comes nearest to axis 1."""
    lines = circle.lines
    found = [on.near_axis_1(circle)]
    found += [on.plane(circle, angle) for angle in ranges.cuts(0)]
    found += [
        on.about(circle, lines.a1, 0.0, reach)
        for reach in (lines.long + lines.short, abs(lines.long - lines.short))
    ]
    for angle in ranges.cuts(1):
        lower = lines.lower_at_home + lines.lower_sense * angle
        found.append(
            on.about(
                circle,
                lines.a1 + lines.long * math.sin(lower),
                lines.long * math.cos(lower),
                lines.short,
            )
        )
    for angle in ranges.cuts(2):
        fore = lines.fore_at_home + angle
        if lines.between:
            bend = fore - lines.lower_at_home
            radius = math.sqrt(
                max(
                    lines.long**2
                    + lines.short**2
                    + 2.0 * lines.long * lines.short * math.cos(bend),
                    0.0,
                )
            )
            found.append(on.about(circle, lines.a1, 0.0, radius))
        else:
            found.append(
                on.about(
                    circle,
                    lines.a1 + lines.short * math.sin(fore),
                    lines.short * math.cos(fore),
                    lines.long,
                )
            )
    return found


def wrist_cuts(robot: Robot, circle: Circle, ranges: Ranges, runs: Runs, branch: IntArray) -> Array:
    """Return where axes 4 to 6 meet a bound, or axes 4 and 6 are in line, on runs of an arm branch each.

    ``sin(x5) sin(q4 - bound)``, ``cos(x5) - cos(bound)`` and ``sin(x5) sin(q6 - bound)`` are smooth
    through the wrist's singularity, however sharply axes 4 and 6 turn near it, and serve both
    branches of the wrist.
    """
    fourth, sixth = ranges.cuts(3, math.pi), ranges.cuts(5, math.pi)
    # a branch has half a turn of it
    fifth = [float(bound) for bound in (ranges.lower[4], ranges.upper[4]) if np.isfinite(bound)]
    bounds = np.array([*fourth, *(bound + circle.lines.wrist_at_home for bound in fifth), *sixth])
    mix = np.zeros((len(bounds), 5))
    n, m = len(fourth), len(fourth) + len(fifth)
    mix[:n, 0], mix[:n, 1] = -np.sin(bounds[:n]), np.cos(bounds[:n])
    mix[n:m, 2] = 1.0
    mix[m:, 3], mix[m:, 4] = -np.sin(bounds[m:]), np.cos(bounds[m:])
    constant = np.zeros(len(bounds))
    constant[n:m] = -np.cos(bounds[n:m])

    def smooth(run: IntArray, phi: Array) -> Array:
        q = postures(robot, circle, phi)[np.arange(len(phi)), 2 * branch[run]]
        bend = q[:, 4] + circle.lines.wrist_at_home
        s = np.sin(bend)
        parts = [
            s * np.cos(q[:, 3]),
            s * np.sin(q[:, 3]),
            np.cos(bend),
            s * np.cos(q[:, 5]),
            s * np.sin(q[:, 5]),
        ]
        return np.asarray(np.nan_to_num(np.stack(parts, axis=1)))

    pieces = expanded(runs, smooth, circle.rounding)
    if not len(pieces.run):
        return np.empty(0)
    terms = mix @ pieces.terms
    terms[:, :, 0] += constant
    row, t, rate = zeros(terms.reshape(-1, terms.shape[-1]))
    return _sharpened(
        runs,
        pieces,
        row // len(bounds),
        t,
        rate,
        lambda run, phi: smooth(run, phi) @ mix.T + constant,
        row % len(bounds),
    )


def _sharpened(
    runs: Runs,
    pieces: Pieces,
    piece: IntArray,
    t: Array,
    rate: Array,
    functions: object,
    which: IntArray,
) -> Array:
    """Return the angles of roots after one step of Newton on the functions themselves."""
    x = pieces.middle[piece] + pieces.half[piece] * np.cos(t)
    run = pieces.run[piece]
    phi = runs.angle(run, x)
    if not len(phi):
        return phi
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = rate / (-pieces.half[piece] * np.sin(t) * runs.rate(run, x))
        change = functions(run, phi)[np.arange(len(phi)), which] / slope  # type: ignore[operator]
    return np.asarray(phi - np.where(np.abs(change) < 1e-7, change, 0.0))


def _runs(circle: Circle, ranges: Ranges, phi: Array, q: Array) -> tuple[Runs, IntArray]:
    """Return the stretches on which an arm branch ``(P, 4)`` keeps the ranges of axes 1 to 3, and which branch it is."""
    alive = np.asarray((ranges.outside((q @ ranges.A.T)[..., :3]) <= 0.0).all(axis=-1))
    ends = np.append(phi, math.pi)
    nearest = np.minimum(circle.stretch(phi, 1.0), circle.stretch(phi, -1.0))
    torn: Mask = np.asarray((circle.shoulder(phi) < AT_SHOULDER) | (nearest < AT_ELBOW))
    low: list[float] = []
    high: list[float] = []
    branch: list[int] = []
    for b in range(alive.shape[1]):
        for i in np.flatnonzero(alive[:, b]):
            if low and branch[-1] == b and high[-1] == ends[i] and not torn[i]:
                high[-1] = ends[i + 1]
            else:
                low.append(ends[i])
                high.append(ends[i + 1])
                branch.append(b)
    return Runs(np.array(low), np.array(high)), np.array(branch, dtype=int)
