"""Friction experiment: one axis at constant speeds, both ways, at least gravity (S000 7).

At constant speed ``u = friction + gravity`` (eq. 70); gravity is the same both ways at the same
place (eq. 71), friction changes its sign, so that half the difference is friction (eq. 73).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_int, positive
from ...errors import InputError
from ...model.types import Array
from ...robot.robot import Robot
from ...trajectory import Motion
from ...trajectory.rounding import sample_times, snap
from ...trajectory.time_laws import time_law
from .posture import gravity_torque, least_gravity_posture, stroke_postures

# [rad, m] that a slow axis moves at constant speed, beyond presliding of teeth and balls
SLIDE = 2e-3
STEADY = 1.0  # [s] that a fast axis moves at constant speed
ACCELERATION = 1.0  # [rad/s^2, m/s^2] of the ramps
PAUSE = 0.5  # [s] at rest before each stroke
_NOTHING = 1e-3  # [N m, N] of gravity that counts as none


def grid_of_s000() -> Array:
    """Speeds of eq. 74 [rad/s], ascending, shape ``(2725,)``.

    Steps of 1e-5 from 1e-5, 2e-4 from 0.015, 1e-3 from 0.2 to 0.5.
    """
    parts = [np.arange(1, 1500) * 1e-5, 0.015 + np.arange(925) * 2e-4, 0.2 + np.arange(301) * 1e-3]
    return np.concatenate(parts)


def coarse_grid(slowest: float = 1e-4, fastest: float = 0.5, count: int = 30) -> Array:
    """Speeds in a geometric series [rad/s, m/s], ascending, shape ``(count,)``.

    Raises:
        InputError: if they are not positive and growing, or fewer than 5: the law has four
            parameters.
    """
    if not (0.0 < slowest < fastest < np.inf and count >= 5):
        raise InputError(
            f"a grid needs 0 < slowest < fastest and 5 speeds or more, not {slowest!r},"
            f" {fastest!r}, {count!r}"
        )
    return np.geomspace(slowest, fastest, count)


def grid_within(
    robot: Robot,
    axis: int,
    slowest: float = 1e-4,
    fastest: float = 0.5,
    count: int = 30,
    *,
    steady: float = STEADY,
    acceleration: float = ACCELERATION,
) -> Array:
    """Speeds of :func:`coarse_grid` for an axis, the fastest within its limits.

    It is at most ``fastest``, the speed limit, and the speed whose stroke, with both ramps, is half
    the range of the axis: the other half is left to find a posture with little gravity.

    Args:
        robot: The robot.
        axis: 1-based.
        slowest: [rad/s, m/s].
        fastest: [rad/s, m/s]; default that of S000.
        count: Number of speeds.
        steady: Time at constant speed [s], as for :func:`friction_plan`.
        acceleration: Of the ramps [rad/s^2, m/s^2].

    Raises:
        InputError: if a number is not positive, there are fewer than 5 speeds, or the slowest is
            above the fastest that fits.
    """
    i, a = as_int(axis, "axis", 1, robot.n) - 1, positive(acceleration, "acceleration of the ramps")
    limits, time = robot.limits, positive(steady, "steady [s]")
    rows = np.abs(limits.A[:, i]) > 0.0  # of its own range, and of sums that it is part of
    width = float(np.min((limits.upper - limits.lower)[rows] / np.abs(limits.A[rows, i])))
    fits = 0.5 * (np.sqrt((a * time) ** 2 + 2.0 * a * width) - a * time)
    most = min(positive(fastest, "the fastest speed"), float(limits.velocity[i]), fits)
    return coarse_grid(slowest, most, count)


@dataclass(frozen=True, eq=False)
class FrictionPlan:
    """Strokes of one axis about a posture; forward and back at each speed."""

    robot: Robot
    axis: int
    """1-based."""
    posture: Array
    """Axis positions at the middle of the strokes [rad, m], shape ``(n,)``."""
    speeds: Array
    """[rad/s, m/s], shape ``(S,)``."""
    travel: Array
    """At constant speed [rad, m], shape ``(S,)``."""
    acceleration: float
    """Of the ramps [rad/s^2, m/s^2]."""
    pause: float
    """At rest before each stroke [s]."""
    gravity: Array
    """Gravity torque on the axis along the longest stroke [N m, N], shape ``(SAMPLES,)``.

    NaN where no masses are known.
    """

    @property
    def stroke(self) -> Array:
        """Stroke at each speed with both ramps [rad, m], shape ``(S,)``."""
        return np.asarray(self.travel + np.square(self.speeds) / self.acceleration, dtype=float)

    @property
    def seconds(self) -> Array:
        """Time of one stroke at each speed without the pause [s], shape ``(S,)``."""
        return np.asarray(
            self.travel / self.speeds + 2.0 * self.speeds / self.acceleration, dtype=float
        )

    @property
    def between(self) -> Array:
        """Time to move to the start of the strokes at each speed [s], shape ``(S,)``.

        0 for the first, and for equal strokes.
        """
        way = 0.5 * np.abs(np.diff(self.stroke, prepend=self.stroke[0]))
        return np.asarray(
            np.sqrt(time_law("quintic").peaks.acceleration * way / self.acceleration), dtype=float
        )

    @property
    def duration(self) -> float:
        """Duration [s]: strokes, pauses, and moves from one stroke's start to the next."""
        return float((2.0 * (self.seconds + self.pause) + self.between).sum())

    def motion(self, rate: float = 250.0) -> Motion:
        """Return the planned motion: samples with speeds and accelerations.

        Between strokes the axis rests.

        Raises:
            InputError: if the rate is not positive, or gives more than fifty million samples.
        """
        if not (0.0 < rate < np.inf) or self.duration * rate > 5e7:
            raise InputError(
                f"a rate [Hz] is positive and {self.duration:.4g} s hold at most 5e7 samples of it,"
                f" not {rate!r}"
            )
        t = sample_times(self.duration, rate)
        values, start, last = np.zeros((3, len(t))), 0.0, -0.5 * self.stroke[0]
        for speed, seconds, between, stroke in zip(
            self.speeds, self.seconds, self.between, self.stroke, strict=True
        ):
            inside = t >= start
            values[:, inside] = self._transfer(
                snap(t[inside] - start, (0.0, between), self.duration),
                between,
                last,
                -0.5 * stroke,
            )
            start += between
            for sign in (1.0, -1.0):
                inside = t >= start
                x = snap(t[inside] - start - self.pause, (0.0, seconds), self.duration)
                values[:, inside] = (
                    self._stroke_profile(np.clip(x, 0.0, seconds), speed, seconds, stroke) * sign
                )
                values[0, inside] -= 0.5 * sign * stroke
                start += self.pause + seconds
            last = -0.5 * stroke
        q = np.tile(self.posture, (len(t), 1))
        q[:, self.axis - 1] += values[0]
        v, a = np.zeros_like(q), np.zeros_like(q)
        v[:, self.axis - 1], a[:, self.axis - 1] = values[1], values[2]
        return Motion(t, q, v, a)

    def _transfer(self, x: Array, seconds: float, start: float, end: float) -> Array:
        """Position, speed, acceleration on the way from one start to another."""
        if seconds == 0.0:
            return np.outer([end, 0.0, 0.0], np.ones_like(x))
        law, share = time_law("quintic"), np.clip(x / seconds, 0.0, 1.0)
        values = np.stack([(end - start) * law.derivative(k, share) / seconds**k for k in range(3)])
        values[0] += start
        return np.asarray(values, dtype=float)

    def _stroke_profile(self, x: Array, speed: float, seconds: float, stroke: float) -> Array:
        """Way, speed, acceleration at times ``x`` within a stroke."""
        a, ramp = self.acceleration, speed / self.acceleration
        left = seconds - x
        up, down = x < ramp, left < ramp
        way = np.where(
            up,
            0.5 * a * x**2,
            np.where(down, stroke - 0.5 * a * left**2, 0.5 * speed * ramp + speed * (x - ramp)),
        )
        rate = np.where(up, a * x, np.where(down, a * left, speed))
        moving = (x > 0.0) & (left > 0.0)
        return np.stack([way, rate, np.where(moving & up, a, np.where(moving & down, -a, 0.0))])

    def __str__(self) -> str:
        """Return speeds, duration, strokes and gravity in one line."""
        posture = ", ".join(f"{value:.4g}" for value in self.robot.to_controller(self.posture))
        unit, torque = ("m", "N") if self.robot.limits.linear[self.axis - 1] else ("rad", "N m")
        hours, minutes = self.duration / 3600.0, self.duration / 60.0
        duration = f"{hours:.2f} h" if hours > 1.0 else f"{minutes:.1f} min"
        gravity = "no gravity on the axis"
        if np.isnan(self.gravity).any():
            gravity = "gravity, which is unknown, cancels by eq. 73"
        elif np.abs(self.gravity).max() > _NOTHING:
            ends = f"{self.gravity.min():.3g} .. {self.gravity.max():.3g}"
            gravity = f"gravity {ends} {torque} stays, and cancels by eq. 73"
        grid = (
            f"{len(self.speeds)} speeds {self.speeds[0]:.4g} .. {self.speeds[-1]:.4g} {unit}/s,"
            f" both ways, {duration}"
        )
        return (
            f"axis {self.axis} of {self.robot.name}: {grid}, strokes up to {self.stroke.max():.3g}"
            f" {unit} about ({posture}); {gravity}"
        )


def friction_plan(
    robot: Robot,
    axis: int,
    speeds: ArrayLike | None = None,
    *,
    posture: ArrayLike | None = None,
    slide: float = SLIDE,
    steady: float = STEADY,
    acceleration: float = ACCELERATION,
    pause: float = PAUSE,
) -> FrictionPlan:
    """Plan the experiment for one axis.

    Each stroke moves at least ``slide`` and for at least ``steady`` at constant speed. Without
    ``posture`` the other axes stand where gravity on the tested axis is least along its longest
    stroke; for axes that lie flat, 2 and 3, some stays, and is stated. The robot does not touch
    itself there; obstacles around it, the floor too, are not known here: check the posture.

    Args:
        robot: With its tool and payload.
        axis: 1-based.
        speeds: [rad/s, m/s], positive; default :func:`coarse_grid`. :func:`grid_of_s000` is the
            paper's.
        posture: Axis positions at the middle of the strokes [rad, m], shape ``(n,)``.
        slide: Shortest way at constant speed [rad, m].
        steady: Shortest time at constant speed [s].
        acceleration: Of the ramps [rad/s^2, m/s^2].
        pause: At rest before each stroke [s].

    Raises:
        MissingData: if no speeds are given, and the speed limit of the axis is unknown; or no
            posture, and no masses are known.
        InputError: if there is no such axis, it turns the drives of other axes too, a speed is
            above its limit, or the strokes do not fit into its range.
    """
    as_int(axis, "axis", 1, robot.n)
    turned = 1 + np.flatnonzero(robot.drive_axes[:, axis - 1])
    if turned.size > 1:
        raise InputError(
            f"axis {axis} of {robot.name} turns drives {', '.join(map(str, turned))}: its strokes"
            " measure the friction of all of them; identify tells them apart from a log of all axes"
        )
    positive(slide, "slide [rad, m]")
    positive(steady, "steady [s]")
    positive(acceleration, "acceleration of the ramps [rad/s^2, m/s^2]")
    positive(pause, "pause [s]")
    if speeds is None:
        robot.limits.need_speeds(
            robot.name, "a plan without speeds", np.arange(1, robot.n + 1) == axis
        )
    wanted = np.unique(np.asarray(coarse_grid() if speeds is None else speeds, dtype=float))
    if wanted.ndim != 1 or not wanted.size or not (np.isfinite(wanted).all() and wanted[0] > 0.0):
        raise InputError("speeds are positive numbers [rad/s, m/s]")
    limit = float(robot.limits.velocity[axis - 1])
    if wanted[-1] > limit:
        raise InputError(
            f"{wanted[-1]:.4g} is above the speed limit of axis {axis}, {limit:.4g} [rad/s, m/s]"
        )
    travel = np.maximum(slide, steady * wanted)
    half = 0.5 * float((travel + np.square(wanted) / acceleration).max())
    if posture is None:
        robot.dynamic_model.need_masses()
        middle = least_gravity_posture(robot, axis - 1, half)
    else:
        middle = robot.states.one(posture)
    ends = stroke_postures(middle, axis - 1, half)
    outside = [violation for end in ends[[0, -1]] for violation in robot.limits.violations(end)]
    if outside:
        raise InputError(
            f"strokes of {2.0 * half:.4g} [rad, m] do not fit: {outside[0]}; fewer fast speeds, a"
            " shorter 'steady'"
        )
    gravity = np.full(len(ends), np.nan)
    if robot.dynamic_model.has_masses:
        gravity = gravity_torque(robot, ends, axis - 1)
    return FrictionPlan(robot, axis, middle, wanted, travel, acceleration, pause, gravity)
