"""A path of the axes followed by a time law from rest to rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, positive
from ..errors import InputError
from ..model.types import Array
from .axis_path import AxisPath
from .joint_moves import Move
from .phase_plane import motion_at
from .time_laws import TimeLaw, time_law
from .timing_bounds import RobotDynamics
from .trajectory import State, Trajectory, bounds

_SAMPLES = 1000  # at which bounds are kept
_INSIDE = 1.0 + 1e-4  # share of the duration added for what lies between them
_SLOWEST = 60.0  # times the duration that is tried to keep torques
_EXACT = 1e-4  # share of the duration to which the shortest is found


class PathMove(Trajectory):
    """A path whose coordinate goes from 0 to its length by a time law."""

    def __init__(self, path: AxisPath, law: TimeLaw, duration: float) -> None:
        """Take what :func:`along` has checked."""
        self.path, self.law, self.duration, self.n = path, law, duration, path.n

    def lasting(self, duration: float) -> PathMove:
        """Return the same move in another duration [s]."""
        return PathMove(self.path, self.law, positive(duration, "the duration of a move"))

    def _at(self, t: Array) -> State:
        x, length = t / self.duration, self.path.length
        s, rate, gain = (
            length * self.law.derivative(order, x) / self.duration**order for order in range(3)
        )
        return motion_at(self.path.at(np.clip(s, 0.0, length)), rate, gain)


def along(
    path: AxisPath,
    law: str | TimeLaw = "freudenstein",
    *,
    duration: float | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    speed: float | None = None,
) -> PathMove:
    """Follow a path by a time law, from rest to rest.

    Either the duration is given, or it is the shortest in which every axis keeps the bounds that
    are given.

    Args:
        path: Path of the axes, by :func:`.axis_path`.
        law: Name of a time law (``irbmodels.trajectory.LAWS``), or a law.
        duration: [s].
        velocity: Largest axis speeds [rad/s, m/s], one for all or ``(n,)``.
        acceleration: Largest axis accelerations [rad/s^2, m/s^2].
        speed: Largest rate of the path coordinate [1/s]; of a path of the TCP, by its distance,
            the TCP's speed [m/s].

    Raises:
        UnknownName: if there is no such law.
        InputError: if it is no path, neither or both of duration and bounds are given, or one is
            not positive.

    Example:
        >>> from irbmodels.trajectory import along, axis_path
        >>> motion = along(axis_path([[0.0, 0.0], [1.0, 0.5]]), "quintic", velocity=0.5)
        >>> round(motion.duration, 2), motion.at(motion.duration).q
        (3.75, array([1. , 0.5]))
    """
    as_instance(path, AxisPath, "what is followed is an AxisPath, as axis_path makes it")
    chosen = time_law(law)
    bounded = not all(bound is None for bound in (velocity, acceleration, speed))
    if (duration is None) != bounded:
        raise InputError(
            "a move along a path needs either a duration [s] or bounds of velocity, acceleration or"
            " speed, not both"
        )
    if duration is not None:
        return PathMove(path, chosen, positive(duration, "the duration of a move [s]"))
    unit = PathMove(path, chosen, 1.0).at(np.linspace(0.0, 1.0, _SAMPLES))
    shortest = 0.0
    if speed is not None:
        shortest = chosen.peaks.speed * path.length / positive(speed, "the speed along a path")
    if velocity is not None:
        share = np.abs(unit.v) / bounds(velocity, path.n, "velocity")
        shortest = max(shortest, _INSIDE * float(share.max()))
    if acceleration is not None:
        share = np.abs(unit.a) / bounds(acceleration, path.n, "acceleration")
        shortest = max(shortest, _INSIDE * float(np.sqrt(share.max())))
    if not shortest > 0.0:
        raise InputError("no bound of this path is finite: give a duration")
    return PathMove(path, chosen, shortest)


def within_torque(
    move: Move | PathMove,
    robot: RobotDynamics,
    torque: ArrayLike | None = None,
    *,
    friction: bool = True,
) -> Move | PathMove:
    """Return a move, slowed down as far as the torques of its axes need.

    Args:
        move: A move by a time law.
        robot: With tool and payload.
        torque: Largest torques [N m, N], one for all or ``(n,)``; default the robot's efforts.
        friction: Whether friction is part of the torques.

    Raises:
        InputError: if a bound is not positive, or no duration up to 60 times as long keeps them:
            gravity or friction alone take more.
    """
    bound = bounds(robot.limits.effort if torque is None else torque, move.n, "torque")

    def shares(duration: float) -> Array:
        state = move.lasting(duration).at(np.linspace(0.0, duration, _SAMPLES))
        tau = robot.inverse_dynamics(state.q, state.v, state.a, friction=friction)
        largest: Array = np.abs(tau / bound).max(axis=0)
        return largest

    low, high = move.duration, move.duration
    while (used := shares(high)).max() > 1.0:
        if high > _SLOWEST * move.duration:
            axis = int(np.argmax(used))
            raise InputError(
                f"however slow, this move takes {used[axis]:.0%} of the torque that axis"
                f" {axis + 1} may use"
            )
        low, high = high, 1.5 * high
    while high - low > _EXACT * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if shares(middle).max() <= 1.0 else (middle, high)
    return move if high == move.duration else move.lasting(high)
