"""A motion through waypoints: postures and poses, lines and arcs of the TCP with rounded corners.

Between postures and poses the axes move, along a line or an arc the TCP; the motion rests where one
kind follows the other, and at corners without a zone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_list, as_pose, number
from ..errors import InputError
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory import (
    Chain,
    Move,
    PosePath,
    Trajectory,
    arc,
    axis_path,
    jerk_limited,
    joined,
    line,
    move,
    time_optimal,
)
from ..trajectory.path_move import PathMove, along, within_torque
from .path_check.ik_following import ik_along_path, postures_at

__all__ = ["FASTEST", "JERK_LIMITED", "PlannedMotion", "Timing", "Waypoint", "move_through"]

# [m] between postures of a line or an arc: the spline through them keeps the TCP within 1e-6 m
_STEP = 1e-3
_FEWEST, _MOST = 200, 5000
JERK_LIMITED, FASTEST = "jerk-limited", "fastest"


class Waypoint(NamedTuple):
    """Where a motion goes next, and how."""

    kind: Literal["posture", "pose", "line", "arc"]
    """The axes move to a posture or to a pose; the TCP moves along a line or an arc."""
    goal: Any
    """Axis positions [rad, m] of a posture, else the pose of the TCP in the base."""
    via: Any = None
    """Position on an arc [m], in the base."""


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How the parts of a motion are timed: bounds, or a duration of each."""

    law: str = "freudenstein"
    """Name of a time law, ``jerk-limited`` or ``fastest``."""
    duration: float | None = None
    """Of each part [s], for a time law."""
    velocity: ArrayLike | None = None
    """Largest axis speeds [rad/s, m/s], ``(n,)``; default the robot's, unless a duration is given.
    """
    acceleration: ArrayLike | None = None
    """Largest axis accelerations [rad/s^2, m/s^2], ``(n,)``; default none."""
    jerk: ArrayLike | None = None
    """Largest jerks [rad/s^3, m/s^3], ``(n,)``."""
    torque: ArrayLike | None = None
    """Largest torques [N m, N], ``(n,)``; default the robot's efforts, unless a duration is given.
    """
    tcp_speed: float | None = None
    """Of lines and arcs by a time law [m/s]."""


class PlannedMotion(NamedTuple):
    """A motion through waypoints."""

    trajectory: Trajectory
    deviations: tuple[float, ...]
    """Distance [m] at which the TCP passes each corner between lines and arcs; 0 where it stops."""
    gap: float | None
    """Share by which a fastest timing is above the lower bound of every timing; else None."""


def move_through(
    robot: Robot, waypoints: Sequence[Waypoint], timing: Timing, zone: float = 0.0
) -> PlannedMotion:
    """Plan a motion through waypoints, from rest to rest.

    Torques bound it where the robot's masses are known. A pose is reached in the posture within the
    ranges that is next to the one before it, the first one next to all axes at 0. Lines and arcs
    are followed on the branch of the inverse kinematics that they start on. The fastest timing of
    several postures runs through all of them, on a smooth curve; by a time law, or limited in jerk,
    the motion rests at each.

    Args:
        robot: With its tool.
        waypoints: The first is a posture or a pose: the start.
        timing: Bounds, or durations.
        zone: Distance from each corner between lines and arcs at which its blend begins [m]; 0
            keeps the corner, and stops there.

    Raises:
        InputError: if there are fewer than two waypoints, the first is a line, a pose is out of
            reach, a line passes a singularity or leaves a range, or bounds do not go with the law.
        UnknownName: if there is no such law.
        MissingData: if the speed limit of an axis is unknown, and no bounds are given.
        MissingExtra: without ruckig or toppra, for jerk-limited moves or the fastest timing.
    """
    number(zone, "the zone of corners [m]", 0.0)
    points = as_list(waypoints, Waypoint, "a motion goes through a list of Waypoints")
    if len(points) < 2:
        raise InputError(
            "a motion needs at least two waypoints: where it starts, and where it goes"
        )
    if points[0].kind not in ("posture", "pose"):
        raise InputError(f"the first waypoint is where the motion starts, not a {points[0].kind}")
    planner = _Planner(robot, timing, zone)
    q = planner.posture(points[0], np.zeros(robot.n), 1)
    group: list[Any] = [q]
    by_tcp = False
    for place, point in enumerate(points[1:], start=2):
        tool = point.kind in ("line", "arc")
        if tool != by_tcp and len(group) > 1:
            q = planner.finish(group, by_tcp)
            group = [q]
        by_tcp = tool
        if tool:
            group.append((place, point))
        else:
            group.append(planner.posture(point, group[-1], place))
    planner.finish(group, by_tcp)
    parts = planner.parts
    gaps = [part.gap for part in parts if hasattr(part, "gap")]
    trajectory = parts[0] if len(parts) == 1 else Chain(parts)
    _check_ranges(robot, trajectory)
    return PlannedMotion(trajectory, tuple(planner.deviations), max(gaps, default=None))


def _check_ranges(robot: Robot, trajectory: Trajectory) -> None:
    """Refuse a motion that leaves a range, as a curve through postures may."""
    t = np.linspace(0.0, trajectory.duration, 1000)
    q = trajectory.at(t).q
    outside = np.flatnonzero(~robot.limits.in_range(q))
    if outside.size:
        k = int(outside[0])
        raise InputError(
            f"the motion leaves a range at t = {t[k]:.4g} s: {robot.limits.violations(q[k])[0]}"
        )


class _Planner:
    def __init__(self, robot: Robot, timing: Timing, zone: float) -> None:
        self.robot, self.timing, self.zone = robot, timing, zone
        self.parts: list[Any] = []
        self.deviations: list[float] = []
        self.velocity = timing.velocity
        if timing.velocity is None and timing.duration is None:
            robot.limits.need_speeds(robot.name, "a motion without its own bounds of speed")
            self.velocity = robot.limits.velocity
        fast = timing.law in (JERK_LIMITED, FASTEST)
        if fast and timing.duration is not None:
            raise InputError(f"a {timing.law} motion is the shortest within bounds: no duration")
        if timing.law == JERK_LIMITED and (timing.acceleration is None or timing.jerk is None):
            raise InputError("a jerk-limited motion needs bounds of acceleration and jerk")
        if fast and timing.tcp_speed is not None:
            raise InputError("a speed of the TCP goes with a time law")
        if timing.torque is not None and (timing.law == JERK_LIMITED or timing.duration):
            raise InputError("bounds of torque go with the fastest timing, or a time law")

    def posture(self, point: Waypoint, near: Array, place: int) -> Array:
        """Return the posture of a waypoint, next to another one, within the ranges.

        Raises:
            InputError: if it is out of a range, or there is none.
        """
        robot = self.robot
        if point.kind == "posture":
            q = robot.states.one(point.goal)
            if broken := robot.limits.violations(q):
                raise InputError(f"waypoint {place}: {broken[0]}")
            return q
        solutions: Any = robot.inverse_kinematics(point.goal, in_range=True, near=near)
        if not solutions:
            raise InputError(
                f"waypoint {place}: no posture within the ranges reaches this pose"
                f"{f': {solutions.note}' if solutions.note else ''}"
            )
        return np.asarray(solutions[0].q)

    def finish(self, group: list[Any], by_tcp: bool) -> Array:
        """Time a group of postures, or of lines and arcs, and return where it ends."""
        if by_tcp:
            return self._along_paths(group[0], group[1:])
        timing = self.timing
        if timing.law == FASTEST:
            self._fastest(axis_path(np.array(group)))
        elif timing.law == JERK_LIMITED:
            assert timing.acceleration is not None
            assert timing.jerk is not None
            self.parts += [
                jerk_limited(
                    start,
                    end,
                    velocity=self._speeds(),
                    acceleration=timing.acceleration,
                    jerk=timing.jerk,
                )
                for start, end in pairwise(group)
            ]
        else:
            for start, end in pairwise(group):
                part = move(
                    start,
                    end,
                    timing.law,
                    duration=timing.duration,
                    velocity=self.velocity,
                    acceleration=timing.acceleration,
                    jerk=timing.jerk,
                )
                self.parts.append(self._slowed(part))
        return np.asarray(group[-1])

    def _along_paths(self, q: Array, legs: list[tuple[int, Waypoint]]) -> Array:
        """Follow lines and arcs from a posture, and return the posture at their end."""
        timing = self.timing
        if timing.law == JERK_LIMITED or timing.jerk is not None:
            raise InputError(
                "lines and arcs take a time law or the fastest timing; bounds of jerk are for moves"
                " between postures"
            )
        pose: Any = self.robot.pose(q)
        paths: list[PosePath] = []
        for _, point in legs:
            goal = point.goal
            paths.append(line(pose, goal) if point.kind == "line" else arc(pose, point.via, goal))
            pose = pin.SE3(as_pose(goal, "a pose in [m]"))
        first, last = legs[0][0], legs[-1][0]
        if self.zone > 0.0 and len(paths) > 1:
            whole = joined(paths, self.zone)
            self.deviations += whole.deviations
            return self._follow(whole, q, f"the path to waypoints {first} to {last}")
        self.deviations += [0.0] * (len(paths) - 1)
        for (place, _), path in zip(legs, paths, strict=True):
            q = self._follow(path, q, f"the path to waypoint {place}")
        return q

    def _follow(self, path: PosePath, q: Array, what: str) -> Array:
        """Follow one path without corners, and return the posture at its end."""
        timing, limits = self.timing, self.robot.limits
        joints = ik_along_path(self.robot, path, q)
        if joints.missing:
            raise InputError(
                f"{what} leaves the reach after {1000.0 * joints.s[-1]:.1f} mm of"
                f" {1000.0 * path.length:.1f} mm"
            )
        if joints.jumps:
            jump = joints.jumps[0]
            raise InputError(
                f"{what} passes a singularity after {1000.0 * jump.s:.1f} mm: axis {jump.axis + 1}"
                f" would turn by {np.degrees(jump.angle):.0f} deg at once"
            )
        count = int(np.clip(np.ceil(path.length / _STEP), _FEWEST, _MOST))
        s = np.linspace(0.0, path.length, count + 1)
        postures = postures_at(self.robot, joints, path.poses(s), s)
        inside = limits.in_range(postures)
        if not inside.all():
            k = int(np.argmin(inside))
            raise InputError(
                f"{what} leaves a range after {1000.0 * s[k]:.1f} mm:"
                f" {limits.violations(postures[k])[0]}"
            )
        axes = axis_path(postures, s)
        if timing.law == FASTEST:
            self._fastest(axes)
        else:
            part = along(
                axes,
                timing.law,
                duration=timing.duration,
                velocity=self.velocity,
                acceleration=timing.acceleration,
                speed=timing.tcp_speed,
            )
            self.parts.append(self._slowed(part))
        return np.asarray(postures[-1])

    def _fastest(self, path: Any) -> None:
        timing, robot = self.timing, self.robot
        about: dict[str, Any] = {
            "velocity": self.velocity,
            "acceleration": timing.acceleration,
        }
        if robot.dynamic_model.has_masses:
            known = robot.friction_model is not None
            part = time_optimal(path, robot, torque=timing.torque, friction=known, **about)
        elif timing.acceleration is None:
            raise InputError(
                f"no masses of {robot.name} are known: its fastest timing needs bounds of"
                " acceleration"
            )
        else:
            part = time_optimal(path, None, **about)
        self.parts.append(part)

    def _slowed(self, part: Move | PathMove) -> Move | PathMove:
        """Return a part by a time law that keeps torques too, unless its duration is given."""
        timing = self.timing
        if timing.duration is not None or not self.robot.dynamic_model.has_masses:
            return part
        known = self.robot.friction_model is not None
        return within_torque(part, self.robot, timing.torque, friction=known)

    def _speeds(self) -> ArrayLike:
        assert self.velocity is not None
        return self.velocity
