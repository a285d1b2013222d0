"""The bounds of a path in its phase plane, and the profiles above and below which they are kept.

See :mod:`irbmodels.trajectory.time_optimal` for the method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, MissingData
from ..model.limits import Limits
from ..model.types import Array
from .axis_path import AxisPath
from .phase_plane import interval_durations, motion_at, toppra_profile
from .trajectory import bounds

_ITERATIONS = 60  # of the upper profile; it converges in 5 to 20
_CONVERGED = 1e-6  # share of the time
_REPAIRS = 30  # rounds of narrowing
# share of a bound that is used: between two checked points it may be passed by a fifth of the rest
_INSIDE = 1.0 - 5e-5
_SLOWEST = 1e-9  # [rad/s, m/s] an axis that has just begun to move
# share of an interval: so near to a grid point friction still has the sign that it has within the
# interval
_NEAR = 1e-6
_WITHIN = np.array(
    [
        _NEAR,
        1e-3,
        0.01,
        0.03,
        0.06,
        0.1,
        *np.linspace(0.15, 0.85, 15),
        0.9,
        0.94,
        0.97,
        0.99,
        0.999,
        1.0 - _NEAR,
    ]
)
"""Points in each interval, as shares of its time, at which a profile is checked."""
_SPEEDS = np.unique(
    np.concatenate(
        [
            np.geomspace(1e-5, 0.99, 90),
            np.linspace(0.02, 0.98, 49),
            1.0 - np.geomspace(1e-5, 0.02, 12),
        ]
    )
)
"""Shares of the largest speed at which friction is compared with a straight line."""


@runtime_checkable
class RobotDynamics(Protocol):
    """The methods of a robot that a timing needs: any ``irbmodels.Robot``."""

    @property
    def name(self) -> str:
        """Name for messages."""

    @property
    def limits(self) -> Limits:
        """Bounds of speeds and torques."""

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, friction: bool = ...
    ) -> Array:
        """Return the torques of motions ``(N, n)``."""

    def friction(self, v: ArrayLike, q: ArrayLike) -> Array:
        """Return the friction at speeds ``(..., n)`` and positions ``(N, n)``."""


class _Linear(NamedTuple):
    """``of_u u + of_x x + constant`` of each axis in each interval, shape ``(N, n)``."""

    of_u: Array
    of_x: Array
    constant: Array


class _CollocationPoint(NamedTuple):
    """One point in each interval of the grid."""

    share: float
    """0 at its beginning, 1 at its end: there ``x`` has grown by ``share`` of ``2 u ds``."""
    q: Array
    """Axis positions, ``(N, n)``."""
    slope: Array
    """``dq/ds`` just inside the interval, the sign of friction where an axis turns back."""
    torque: _Linear
    acceleration: _Linear


class _Line(NamedTuple):
    """``of_x x + constant``, shape ``(N, n)``."""

    of_x: Array
    constant: Array


@dataclass
class TimingProblem:
    """A path on a grid, with what bounds its timing."""

    path: AxisPath
    robot: RobotDynamics | None
    with_friction: bool
    friction: Callable[[Array, Array], Array] | None
    s: Array
    """Grid points ``(N + 1,)``."""
    velocity: Array
    torque: Array
    acceleration: Array
    """Bounds of the axes ``(n,)``."""
    points: tuple[_CollocationPoint, _CollocationPoint, _CollocationPoint]
    """Beginning, middle and end of each interval."""

    @cached_property
    def fastest_by_speed(self) -> Array:
        """Largest ``x`` at each grid point that the speeds of the axes allow."""
        slope = np.maximum(np.abs(self.path.at(self.s).slope), 1e-100)
        fastest: Array = np.square(self.velocity / slope)
        lowest: Array = fastest.min(axis=1)
        return lowest

    @cached_property
    def reference(self) -> float:
        """Size of ``x`` on this path."""
        with np.errstate(divide="ignore"):
            by_torque = (self.torque / np.abs(self.points[1].torque.of_u)).min(axis=1)
            by_gain = (self.acceleration / np.abs(self.points[1].acceleration.of_u)).min(axis=1)
        gain = float(np.median(np.minimum(by_torque, by_gain)))
        size = min(float(np.median(self.fastest_by_speed)), gain * self.path.length)
        if not 0.0 < size < np.inf:
            raise InputError(
                "nothing bounds the speed along this path: give finite bounds of velocity,"
                " acceleration or torque"
            )
        return size

    def fastest(self) -> Array:
        """Profile that no admissible one exceeds at any grid point."""
        top = np.minimum(self.fastest_by_speed, 1e6 * self.reference)
        last = 0.0
        for _ in range(_ITERATIONS):
            x = self._solve(top, wide=True)
            duration = float(interval_durations(self.s, x).sum())
            if self.friction is None or duration - last < _CONVERGED * duration:
                break
            top, last = np.minimum(top, x * (1.0 + 1e-6) + 1e-9 * self.reference), duration
        return x

    def admissible(self, upper: Array) -> Array:
        """Profile below ``upper`` that the robot's own inverse dynamics finds within all bounds.

        Raises:
            InputError: if none is found.
        """
        count, n = len(self.s) - 1, self.path.n
        shares = np.full((2, count, n), _INSIDE)
        top = np.minimum(
            self.fastest_by_speed * _INSIDE**2, np.maximum(upper, 1e-9 * self.reference)
        )
        for _ in range(_REPAIRS):
            x = self._solve(top, wide=False, shares=shares)
            speed, torque, acceleration = self._utilization(x)
            if max(speed.max(), torque.max(), acceleration.max()) <= 1.0:
                return x
            shares /= np.maximum(1.0, np.array([torque, acceleration]) / _INSIDE)
            slower = np.maximum(1.0, speed.max(axis=1) / _INSIDE) ** 2
            top = top / np.maximum(np.append(slower, 1.0), np.append(1.0, slower))
        return self._slow_down(x)

    def _slow_down(self, x: Array) -> Array:
        """Return the profile of a slower motion, which helps unless friction grows at low speed."""
        for factor in np.geomspace(1.0001, 4.0, 60):
            slow: Array = x / factor**2
            if max(part.max() for part in self._utilization(slow)) <= 1.0:
                return slow
        raise InputError(self._explain_infeasibility())

    def _utilization(self, x: Array) -> tuple[Array, Array, Array]:
        """Largest shares of speed, torque and acceleration within each interval, ``(N, n)``."""
        widths, gain = interval_durations(self.s, x), np.diff(x) / (2.0 * np.diff(self.s))
        since = _WITHIN[:, None] * widths
        first = np.sqrt(x[:-1])
        rate = np.maximum(first + gain * since, 0.0)
        # exactly at rest, where there is no friction; elsewhere its sign is open at a grid point
        rate[[0, -1], [0, -1]] = 0.0
        s = np.clip(self.s[:-1] + since * (first + 0.5 * gain * since), self.s[:-1], self.s[1:])
        motion = motion_at(self.path.at(s.ravel()), rate.ravel(), np.tile(gain, len(since)))
        tau = np.zeros_like(motion.v)
        if self.robot is not None:
            tau = self.robot.inverse_dynamics(
                motion.q, motion.v, motion.a, friction=self.with_friction
            )
        used = (motion.v / self.velocity, tau / self.torque, motion.a / self.acceleration)
        speed, torque, acceleration = (
            np.abs(part).reshape(*since.shape, self.path.n).max(axis=0) for part in used
        )
        return speed, torque, acceleration

    def _lines(self, point: _CollocationPoint, top: Array) -> tuple[_Line, _Line]:
        """Lines above and below friction for ``x`` from 0 to ``top``, equal to it at ``top``."""
        none = np.zeros_like(point.slope)
        if self.friction is None:
            return _Line(none, none), _Line(none, none)
        most = ((1.0 - point.share) * top[:-1] + point.share * top[1:])[:, None]
        speed = point.slope * np.sqrt(most)
        barely = np.sign(point.slope) * _SLOWEST
        moving = np.abs(speed) > _SLOWEST
        last = self.friction(np.where(moving, speed, barely), point.q)
        slower = _SPEEDS[:, None, None] * speed
        moves = np.abs(slower) > _SLOWEST
        risen = last - self.friction(np.where(moves, slower, barely), point.q)
        secants = risen / ((1.0 - np.square(_SPEEDS))[:, None, None] * most)
        # drives that turn together rub an axis at rest, too
        turning = moving.any(axis=-1, keepdims=True)
        flattest, steepest = (
            np.where(turning, pick(axis=0), 0.0) for pick in (secants.min, secants.max)
        )
        return _Line(flattest, last - flattest * most), _Line(steepest, last - steepest * most)

    def _solve(self, top: Array, *, wide: bool, shares: Array | None = None) -> Array:
        """Fastest profile under ``top`` with friction lines that make bounds wider, or narrower."""
        torques, gains = (1.0, 1.0) if shares is None else shares
        lines = [self._lines(point, top)[:: -1 if wide else 1] for point in self.points]
        none = _Line(*np.zeros_like(lines[0][0]))
        rows = []
        for which, sign in enumerate((1.0, -1.0)):
            with_friction = [
                (point.torque, pair[which]) for point, pair in zip(self.points, lines, strict=True)
            ]
            rows += self._rows(with_friction, sign, self.torque, torques, wide)
            rows += self._rows(
                [(point.acceleration, none) for point in self.points],
                sign,
                self.acceleration,
                gains,
                wide,
            )
        a, b, c = (np.hstack(parts) for parts in zip(*rows, strict=True))
        profile = toppra_profile(self.s, a, b, c, top, self.path.length, self.reference)
        if profile is None:
            raise InputError(self._explain_infeasibility())
        return profile

    def _rows(
        self,
        parts: list[tuple[_Linear, _Line]],
        sign: float,
        bound: Array,
        share: Array | float,
        wide: bool,
    ) -> list[tuple[Array, Array, Array]]:
        """Coefficients ``(N + 1, n)`` of ``a u + b x + c <= 0``, ``x`` at the begin of intervals.

        In the middle of an interval a bound is right to second order, but where an axis hardly
        feels ``u`` (a zero-inertia point) such a grid rings; there, and for what is to be
        admissible, it is kept at both ends.
        """
        if not np.isfinite(bound).any():
            return []
        step = np.diff(self.s)[:, None]
        of_x = [part.of_x + line.of_x for part, line in parts]
        first, last = parts[0][0].of_u, parts[-1][0].of_u
        felt = np.where(first * last > 0.0, np.minimum(np.abs(first), np.abs(last)), 0.0)
        calm = wide & (2.0 * step * np.abs(of_x).max(axis=0) < felt)
        rows = []
        for point, (part, line), slope in zip(self.points, parts, of_x, strict=True):
            used = calm if point.share == 0.5 else ~calm
            if not used.any():
                continue
            a = sign * (part.of_u + 2.0 * point.share * step * slope) / bound
            c = sign * (part.constant + line.constant) / bound - share
            masked = (
                np.where(used, values, unused)
                for values, unused in ((a, 0.0), (sign * slope / bound, 0.0), (c, -1.0))
            )
            rows.append(tuple(np.vstack([values, np.zeros((1, len(bound)))]) for values in masked))
        return rows  # type: ignore[return-value]

    def _explain_infeasibility(self) -> str:
        """Return why there is no timing."""
        needed = np.abs(self.points[0].torque.constant)
        holding = needed / self.torque
        i, axis = np.unravel_index(int(np.argmax(holding)), holding.shape)
        if holding[i, axis] < 1.0:
            return (
                f"no timing of this path keeps the torques; at rest axis {axis + 1} needs"
                f" {holding[i, axis]:.0%} of its own"
            )
        return (
            f"axis {axis + 1} cannot hold the arm at s = {self.s[i]:.4g} of the path:"
            f" that takes {needed[i, axis]:.4g}, and its bound is {self.torque[axis]:.4g} N m"
        )


def timing_problem(
    path: AxisPath,
    robot: RobotDynamics | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    torque: ArrayLike | None,
    friction: bool,
    s: Array,
) -> TimingProblem:
    """Return the problem of :func:`irbmodels.trajectory.time_optimal` on the grid ``s``.

    Raises:
        MissingData: if speed limits of the robot are unknown, and no bounds are given.
        InputError: if the path is one of another robot, a bound is not positive, or friction has no
            bound of speed.
    """
    n = path.n
    unbounded = np.full(n, np.inf)
    moves = np.abs(path.at(s).slope).max(axis=0) > 0.0
    if velocity is None and robot is not None:
        robot.limits.need_speeds(robot.name, "a timing without bounds of velocity", moves)
        velocity = robot.limits.velocity
    speeds = unbounded if velocity is None else bounds(velocity, n, "velocity")
    gains = unbounded if acceleration is None else bounds(acceleration, n, "acceleration")
    efforts = (
        unbounded
        if robot is None
        else bounds(robot.limits.effort if torque is None else torque, n, "torque")
    )
    if not (np.isfinite(gains) & moves).any() and not np.isfinite(efforts).any():
        raise InputError(
            "nothing bounds the acceleration along this path: give finite bounds of acceleration or"
            " torque"
        )
    law = _friction_of(robot, n) if robot is not None and friction else None
    if law is not None and not np.isfinite(speeds[moves]).all():
        raise InputError("friction that depends on speed needs finite bounds of velocity")
    points = (
        _collocate(path, robot, s, 0.0),
        _collocate(path, robot, s, 0.5),
        _collocate(path, robot, s, 1.0),
    )
    return TimingProblem(path, robot, friction, law, s, speeds, efforts, gains, points)


def _collocate(
    path: AxisPath, robot: RobotDynamics | None, grid: Array, share: float
) -> _CollocationPoint:
    s = grid[:-1] + share * np.diff(grid)
    on_path = path.at(s)
    none = np.zeros_like(on_path.q)
    torque = _Linear(none, none, none)
    if robot is not None:
        holding = robot.inverse_dynamics(on_path.q, none, none, friction=False)
        of_u = robot.inverse_dynamics(on_path.q, none, on_path.slope, friction=False) - holding
        of_x = (
            robot.inverse_dynamics(on_path.q, on_path.slope, on_path.curvature, friction=False)
            - holding
        )
        torque = _Linear(of_u, of_x, holding)
    inside = path.at(s + _NEAR * (1.0 - 2.0 * share) * np.diff(grid)).slope
    acceleration = _Linear(on_path.slope, on_path.curvature, none)
    return _CollocationPoint(share, on_path.q, inside, torque, acceleration)


def _friction_of(robot: RobotDynamics, n: int) -> Callable[[Array, Array], Array] | None:
    try:
        robot.friction(np.zeros(n), np.zeros(n))
    except MissingData:
        return None
    return robot.friction
