"""How much of each limit a trajectory uses, and which one binds when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, as_int, short_repr
from ..errors import InputError
from ..model.types import Array
from .timing_bounds import RobotDynamics
from .trajectory import Trajectory, bounds

BINDS = 0.98  # share of a limit from which on it counts as binding


@dataclass(frozen=True, eq=False)
class LimitShares:
    """Shares of limits along a trajectory, 1 at a limit."""

    t: Array
    """Times [s], shape ``(N,)``, equal steps."""
    shares: Mapping[str, Array]
    """``(N, n)`` by quantity: ``speed``; ``torque``, ``acceleration`` and ``jerk`` if asked for."""

    @property
    def largest(self) -> dict[str, Array]:
        """Largest share of each axis by quantity, ``(n,)`` each."""
        return {name: values.max(axis=0) for name, values in self.shares.items()}

    @property
    def binding(self) -> dict[str, Array]:
        """Share of the time in which each limit is used by 98 % or more, ``(n,)`` each."""
        return {name: (values >= BINDS).mean(axis=0) for name, values in self.shares.items()}

    @property
    def fullest(self) -> tuple[str, int, float]:
        """Quantity, axis (1-based) and share of the limit that is used most."""
        largest = self.largest
        name = max(largest, key=lambda one: float(np.nan_to_num(largest[one]).max()))
        axis = int(np.argmax(np.nan_to_num(largest[name])))
        return name, axis + 1, float(largest[name][axis])


def limit_shares(
    trajectory: Trajectory,
    robot: RobotDynamics,
    *,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
    torque: bool = True,
    friction: bool = True,
    samples: int = 1000,
) -> LimitShares:
    """Return the shares of a robot's speeds and torques that a trajectory uses.

    Args:
        trajectory: Motion of its axes.
        robot: With tool and payload. A limit that is unknown is infinite, and never used.
        acceleration: Largest axis accelerations [rad/s^2, m/s^2], one for all or ``(n,)``.
        jerk: Largest jerks [rad/s^3, m/s^3].
        torque: Whether its masses are known, and torques are asked for.
        friction: Whether friction is part of the torques.
        samples: Number of times.

    Raises:
        InputError: if the trajectory is no trajectory, or one of another robot, a bound is not
            positive, or a jerk is asked of a motion whose acceleration jumps.

    Example:
        >>> import irbmodels as irb
        >>> from irbmodels.trajectory import limit_shares, move
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> ends = robot.from_controller([[0, 0, 0, 0, 30, 0], [40, 25, 20, 30, 45, 60]])
        >>> shares = limit_shares(move(*ends, duration=1.0), robot)
        >>> shares.largest["speed"].round(3)
        array([0.533, 0.333, 0.267, 0.167, 0.083, 0.267])
    """
    as_instance(trajectory, Trajectory, "limits are those of a Trajectory")
    if not isinstance(robot, RobotDynamics):
        raise InputError(f"limits are those of an irbmodels.Robot, not {short_repr(robot)}")
    n = len(robot.limits.velocity)
    if trajectory.n != n:
        raise InputError(f"the trajectory has {trajectory.n} axes, {robot.name} has {n}")
    t = np.linspace(0.0, trajectory.duration, as_int(samples, "samples", 2, 1_000_000))
    state = trajectory.at(t)
    used = {"speed": (state.v, robot.limits.velocity)}
    if torque:
        tau = robot.inverse_dynamics(state.q, state.v, state.a, friction=friction)
        used["torque"] = tau, robot.limits.effort
    if acceleration is not None:
        used["acceleration"] = state.a, bounds(acceleration, n, "acceleration")
    if jerk is not None:
        if state.jerk is None:
            raise InputError("the acceleration of this motion jumps: it has no jerk")
        used["jerk"] = state.jerk, bounds(jerk, n, "jerk")
    return LimitShares(t, {name: np.abs(values) / bound for name, (values, bound) in used.items()})
