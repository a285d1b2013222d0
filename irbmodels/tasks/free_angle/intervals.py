"""Intervals of a tool's free angle at one pose, their ends, and the posture along each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite, number, numbers
from ...errors import InputError
from ...model.types import Array
from ...robot.robot import Robot
from .interval_ends import AT_SHOULDER, AT_WRIST, Ranges, postures
from .tool_circle import ToolCircle

BRANCHES = tuple(
    f"{arm}, {elbow}, axis 5 {wrist}"
    for arm in ("front", "back")
    for elbow in ("elbow up", "elbow down")
    for wrist in "+-"
)
"""Names of the branches, in the order of ``robot.inverse_kinematics``."""
ASIDE = 1e-6  # [rad] distance from a singularity at which a free axis is still determined


class End(NamedTuple):
    """The end of an interval."""

    kind: Literal["range", "reach", "shoulder", "elbow", "wrist", "circle"]
    """A bound of an axis, the reach, a singularity where branches meet, or the whole circle."""
    text: str
    axis: int | None = None
    """1-based, of a bound."""
    bound: float | None = None
    """In radians, as in :attr:`Robot.limits`."""

    def __str__(self) -> str:
        """Return it in words."""
        return self.text


@dataclass(frozen=True, eq=False, repr=False)
class Interval:
    """A range of the free angle on which one posture moves continuously and keeps every range.

    ``low`` is in [-pi, pi); ``high`` may be beyond pi, and more than a turn above ``low`` where an
    axis has room to wind.
    """

    low: float
    high: float
    branch: int
    """Slot of ``robot.inverse_kinematics``, 0 to 7; :attr:`name` has the words."""
    low_reason: End
    high_reason: End
    _all: FreeAngles
    _starts: Array
    """Beginnings of its pieces [rad], rising, ``(P,)``."""
    _known: Array
    """``A q`` within each piece, less than half a turn from all of it, ``(P, 6)``."""

    @property
    def name(self) -> str:
        """Branch in words."""
        return BRANCHES[self.branch]

    @property
    def length(self) -> float:
        """Width [rad]."""
        return self.high - self.low

    @property
    def full(self) -> bool:
        """True if it is the whole circle, without ends."""
        return self.low_reason.kind == "circle"

    def order(self) -> tuple[float, ...]:
        """Return the sort key of intervals: branch, ends, full turns; rounded against ties."""
        return (self.branch, round(self.low, 9), round(self.high, 9), *self._known[0].round(6))

    def holds(self, phi: float) -> list[float]:
        """Return all angles of the interval that are whole turns from ``phi``."""
        number(phi, "phi [rad]")
        if self.full:
            return [math.remainder(phi, math.tau)]
        turns = range(
            math.ceil((self.low - 1e-9 - phi) / math.tau),
            math.floor((self.high + 1e-9 - phi) / math.tau) + 1,
        )
        return [min(max(phi + math.tau * k, self.low), self.high) for k in turns]

    def q(self, phi: ArrayLike) -> Array:
        """Axis positions [rad] ``(..., 6)`` at angles ``(...)`` of the interval; continuous.

        A whole circle takes any angle; from one round to the next, an axis without range may be
        whole turns apart.

        Raises:
            InputError: if an angle is outside the interval.
        """
        angles = numbers(phi, "phi [rad]")
        if self.full and np.isfinite(angles).all():
            angles = wrap_angle(angles)
        elif not ((angles >= self.low - 1e-9) & (angles <= self.high + 1e-9)).all():
            outside = np.ravel(angles)[:3].round(9).tolist()
            raise InputError(
                f"phi = {outside} rad is outside the interval {self.low:.9g} .. {self.high:.9g} rad"
            )
        inside = np.clip(angles.ravel(), self.low, self.high)
        return self._all.postures(self, inside).reshape(*angles.shape, 6)

    def reference(self, phi: Array) -> Array:
        """Return ``A q`` less than half a turn from the posture at angles ``(N,)``."""
        angles = wrap_angle(phi) if self.full else phi
        return np.asarray(
            self._known[np.maximum(np.searchsorted(self._starts, angles, side="right") - 1, 0)]
        )

    def __repr__(self) -> str:
        """Return the interval in degrees."""
        ends = f"{math.degrees(self.low):.3f} .. {math.degrees(self.high):.3f} deg"
        return f"<Interval {ends}, {self.name}: {self.low_reason} .. {self.high_reason}>"


class FreeAngles(Sequence[Interval]):
    """All intervals of one pose, by branch and angle."""

    def __init__(self, robot: Robot, circle: ToolCircle, ranges: Ranges) -> None:
        """Begin without intervals."""
        self.robot, self.circle, self.ranges = robot, circle, ranges
        self.intervals: tuple[Interval, ...] = ()

    def __len__(self) -> int:
        """Return the number of intervals."""
        return len(self.intervals)

    @overload
    def __getitem__(self, index: int) -> Interval: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Interval, ...]: ...

    def __getitem__(self, index: int | slice) -> Interval | tuple[Interval, ...]:
        """Return one, or several."""
        return self.intervals[index]

    def __iter__(self) -> Iterator[Interval]:
        """Iterate over all."""
        return iter(self.intervals)

    def __repr__(self) -> str:
        """Return their number, or why there is none."""
        return f"<{len(self)} intervals{': ' if self.note else ''}{self.note}>"

    def pose(self, phi: ArrayLike) -> Array:
        """Return the pose turned by angles ``(...)`` [rad], shape ``(..., 4, 4)``."""
        angles = finite(phi, None, "phi [rad]")
        return self.circle.poses(angles.ravel()).reshape(*angles.shape, 4, 4)

    @cached_property
    def missing(self) -> float:
        """Distance of the pose beyond reach at the best angle [m]; 0 where one is within reach."""
        from scipy.optimize import minimize_scalar

        def beyond(phi: ArrayLike) -> Array:
            return np.asarray(
                self.robot.inverse_kinematics(self.circle.poses(np.atleast_1d(phi))).missing
            )

        if len(self):
            return 0.0
        grid = np.linspace(-math.pi, math.pi, 360, endpoint=False)
        values = beyond(grid)
        best = int(values.argmin())
        least = minimize_scalar(
            lambda phi: beyond(phi)[0],
            bounds=(grid[best] - 0.02, grid[best] + 0.02),
            method="bounded",
            options={"xatol": 1e-9},
        )
        return float(min(least.fun, values[best]))

    @cached_property
    def note(self) -> str:
        """The reason why there is no interval, at the best of 720 angles; empty if there is one."""
        if len(self):
            return ""
        if self.missing > 0.0:
            return f"out of reach at every angle, by {1000.0 * self.missing:.6g} mm at least"
        grid = np.linspace(-math.pi, math.pi, 720, endpoint=False)
        y = postures(self.robot, self.circle, grid) @ self.ranges.A.T
        y = y.reshape(-1, 6)[np.isfinite(y).all(axis=-1).ravel()]
        off = np.hstack([self.ranges.outside(y), self.ranges.outside_sums(y)])
        best = off[int(off.max(axis=1).argmin())] if len(off) else np.full(6, np.nan)
        worst = int(best.argmax())
        name, least = self.robot.limits.names()[worst], math.degrees(best[worst])
        return f"within reach, but out of range at every angle: {name} by {least:.3g} deg at best"

    def postures(self, interval: Interval, phi: Array) -> Array:
        """Return axis positions at angles ``(N,)`` of an interval."""
        y = postures(self.robot, self.circle, phi)[:, interval.branch] @ self.ranges.A.T
        y = nearest_turn(y, interval.reference(phi))
        free = ~np.isfinite(y).all(axis=1) | (self.circle.shoulder_margin(phi) < AT_SHOULDER)
        free |= np.abs(np.sin(y[:, 4] + self.circle.arm.wrist_at_home)) < AT_WRIST
        for i in np.flatnonzero(free & (interval.length > 4.0 * ASIDE)):
            y[i] = self._at_singularity(interval, float(phi[i]))
        return np.asarray(y @ np.linalg.inv(self.ranges.A).T)

    def _at_singularity(self, interval: Interval, phi: float) -> Array:
        """Return ``A q`` at a singularity, with the free axis as it is a little inside."""
        inside = np.array([min(max(phi, interval.low + ASIDE), interval.high - ASIDE)])
        if inside[0] == phi:  # on the way through
            return nearest_turn(
                postures(self.robot, self.circle, inside)[0, interval.branch] @ self.ranges.A.T,
                interval.reference(inside)[0],
            )
        beside = self.postures(interval, inside)[0]
        solutions = self.robot.inverse_kinematics(
            self.circle.poses(np.array([phi]))[0], near=beside
        )
        reference = beside @ self.ranges.A.T
        candidates = nearest_turn(solutions.q @ self.ranges.A.T, reference)
        best = np.abs(candidates - reference)[:, [0, 1, 2, 4]].max(axis=1).argmin()
        y = np.asarray(candidates[best])
        bend = y[4] + self.circle.arm.wrist_at_home
        if abs(math.sin(bend)) < AT_WRIST:
            shift = math.remainder(beside[3] - y[3], math.tau)
            y[[3, 5]] += shift * np.array([1.0, -math.copysign(1.0, math.cos(bend))])
            y = nearest_turn(y, reference)
        return y


def nearest_turn(y: Array, reference: Array) -> Array:
    """Return angles in the full turns nearest to a reference."""
    return np.asarray(y + math.tau * np.round((reference - y) / math.tau))


def wrap_angle(angle: Array) -> Array:
    """Return angles in [-pi, pi)."""
    return np.asarray((angle + math.pi) % math.tau - math.pi)
