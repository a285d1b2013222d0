"""Time-optimal timing of a path under bounds of speed, acceleration and torque with friction.

With ``x = (ds/dt)^2`` and ``u = d2s/dt2`` the rigid torques are linear, ``m(s) u + c(s) x + g(s)``,
and TOPP-RA (Pham and Pham
2018) finds the fastest profile ``x(s)``; viscous and Stribeck friction are not linear in ``x``.
They are put between two straight lines that touch them at the fastest profile known, ``X(s)``, and
bound them on all of ``0..X``:

* the line that makes the bounds wider gives a profile above every admissible one, and with it the
  next ``X``: repeated, it falls to the fastest profile, and its time is a lower bound. The bounds
  are kept in the middle of each interval of the grid, which is right to second order;
* the line that makes them narrower gives a profile that is admissible. The bounds are kept at both
  ends of each interval, over which ``u`` is constant; the result is checked against the robot's own
  inverse dynamics in between, and the bounds are narrowed where it is beyond them. That a constant
  ``u`` cannot follow friction within an interval is most of the gap.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_bool, as_instance, as_int, short_repr
from ..errors import InputError, require
from ..model.limits import Limits
from ..model.types import Array
from .axis_path import AxisPath
from .phase_plane import interval_durations, motion_at
from .timing_bounds import RobotDynamics, timing_problem
from .trajectory import State, Trajectory


class TimeOptimal(Trajectory):
    """A path with its fastest timing: ``d2s/dt2`` is constant between grid points of ``s``."""

    def __init__(self, path: AxisPath, s: Array, x: Array, lower_bound: float) -> None:
        """Integrate ``ds/dt = sqrt(x)``."""
        self.path, self.n = path, path.n
        self.lower_bound = lower_bound
        """Lower bound of every such timing [s], to second order in the step of the grid."""
        self.s, self.x = s, x
        """Grid points of the path coordinate, and ``(ds/dt)^2`` at each."""
        self._gain = np.diff(x) / (2.0 * np.diff(s))
        self.times = np.append(0.0, np.cumsum(interval_durations(s, x)))
        """Times [s] at which the grid points are passed."""
        self.duration = float(self.times[-1])

    def __repr__(self) -> str:
        """Return the duration, and its share above the lower bound."""
        return (
            f"<TimeOptimal of {self.n} axes: {self.duration:.4g} s, {100.0 * self.gap:.2g} % above"
            " the bound>"
        )

    @property
    def gap(self) -> float:
        """Share by which the duration is above the lower bound."""
        return self.duration / self.lower_bound - 1.0

    def _at(self, t: Array) -> State:
        number = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self._gain) - 1)
        since, gain = t - self.times[number], self._gain[number]
        first = np.sqrt(self.x[number])
        rate = np.where(
            t >= self.duration, np.sqrt(self.x[-1]), np.maximum(first + gain * since, 0.0)
        )
        s = np.clip(
            self.s[number] + since * (first + 0.5 * gain * since),
            self.s[number],
            self.s[number + 1],
        )
        return motion_at(self.path.at(s), rate, gain)


def time_optimal(
    path: AxisPath,
    robot: RobotDynamics | None = None,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    friction: bool = True,
    intervals: int = 300,
) -> TimeOptimal:
    """Return the fastest timing of a path, from rest to rest.

    Args:
        path: In the space of the axes.
        robot: Its torques are kept; None keeps only bounds of acceleration and speed.
        velocity: Largest axis speeds [rad/s, m/s], one for all or ``(n,)``; default the robot's.
        acceleration: Largest axis accelerations [rad/s^2, m/s^2]; default none.
        torque: Largest axis torques [N m, N]; default the robot's efforts.
        friction: Whether friction is part of the torques. A robot without friction data says so and
            adds nothing.
        intervals: Of the grid; grid points are added where an axis turns back. More of them make
            the gap to the bound smaller.

    Returns:
        The timing, with a lower bound of every time in which the bounds can be kept.

    Raises:
        MissingData: if a speed limit of the robot is unknown, and no bounds of velocity are given.
        InputError: if the path is one of another robot, leaves a range (the coupled one too), a
            bound is not positive, or no timing keeps them.
        MissingExtra: without toppra.
    """
    require("toppra", "motion")
    as_instance(path, AxisPath, "a timing is one of an AxisPath, as axis_path makes it")
    if robot is not None and not isinstance(robot, RobotDynamics):
        raise InputError(
            f"the torques of a timing are those of an irbmodels.Robot, not {short_repr(robot)}"
        )
    as_bool(friction, "friction, whether it is part of the torques,")
    as_int(intervals, "the number of intervals of a grid", 10, 100_000)
    if robot is None and (torque is not None or acceleration is None):
        raise InputError(
            "a timing without a robot has no torques, and needs bounds of acceleration"
        )
    if robot is not None:
        _check_ranges(path, robot.limits)
    problem = timing_problem(
        path, robot, velocity, acceleration, torque, friction, _grid(path, int(intervals))
    )
    upper = problem.fastest()
    profile = problem.admissible(upper)
    return TimeOptimal(path, problem.s, profile, float(interval_durations(problem.s, upper).sum()))


def _check_ranges(path: AxisPath, limits: Limits) -> None:
    """Refuse a path that leaves a range, also where its spline overshoots."""
    n = len(limits.velocity)
    if path.n != n:
        raise InputError(f"the path has {path.n} axes, the robot {n}")
    bounded = AxisPath(path.knots, path.at(path.knots).q @ limits.A.T)
    s = np.union1d(path.knots, bounded.reversals())  # extremes are nowhere else
    q = path.at(s).q
    outside = np.flatnonzero(~limits.in_range(q))
    if len(outside):
        first = int(outside[0])
        raise InputError(
            f"the path leaves a range at s = {s[first]:.4g}: {limits.violations(q[first])[0]}"
        )


def _grid(path: AxisPath, intervals: int) -> Array:
    """Grid points, closer at the ends, where the motion is slow.

    One wherever an axis turns back, and at waypoints if few.
    """
    regular = 0.5 * path.length * (1.0 - np.cos(np.pi * np.linspace(0.0, 1.0, intervals + 1)))
    near = 0.02 * path.length / intervals
    knots = path.knots if len(path.knots) < intervals / 4 else path.knots[:0]
    added = np.unique(np.concatenate([path.reversals(), knots]))
    added = added[(added > near) & (added < path.length - near)]
    added = added[np.append(True, np.diff(added) > near)[: len(added)]]
    kept = [point for point in regular if not (np.abs(added - point) < near).any()]
    return np.unique(np.concatenate([kept, added]))
