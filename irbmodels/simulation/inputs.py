"""What drives a simulation from outside: motor torques, a wrench at the TCP, and changes of the robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from numbers import Real

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import finite
from ..errors import InputError
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory import Motion
from .mechanics import positive
from .run import SimulationError

TorqueInput = Callable[[float, Array, Array], ArrayLike] | Motion | ArrayLike | None
"""Function of time, position and speed; samples, each held until the next; or a constant."""
WrenchInput = Callable[[float, pin.SE3], ArrayLike] | ArrayLike | None
"""Function of time and TCP pose, or a constant: force [N], moment [N m], base axes."""
Switches = Sequence[tuple[float, Robot]]
"""Times [s], and the robot from then on: with another payload, or another tool."""

# [s] of a step where a function drives: while everything holds, no rate tells an integrator that it
# changes
LONGEST = 0.02


class Drive:
    """Motor torques as a function of time and state, within their limits."""

    def __init__(self, robot: Robot, torque: TorqueInput, limit: Array | None) -> None:
        """Take any form of torques.

        Raises:
            InputError: if they have the wrong shape, are not finite, or a motion has none.
        """
        self._n, self._limit = robot.n, limit
        self._function: Callable[[float, Array, Array], ArrayLike] | None = None
        self._held = np.zeros(robot.n)
        self.by_function = callable(torque) and not isinstance(torque, Motion)
        """Whether the torques may change at any time."""
        self.times = np.zeros(0)
        """Where samples begin [s]."""
        if isinstance(torque, Motion):
            if torque.tau is None:
                raise InputError("a motion that drives a simulation needs torques")
            self.times, self._samples = (
                finite(torque.t, (len(torque.t),), "t"),
                finite(torque.tau, (len(torque.t), robot.n), "tau"),
            )
            if not (np.diff(self.times) > 0.0).all() or not len(self.times):
                raise InputError("times of torque samples must grow")
        elif callable(torque):
            self._function = torque
        elif torque is not None:
            self._held = finite(torque, (robot.n,), f"tau of {robot.name}")

    def begin(self, t: float) -> None:
        """Hold the sample that is valid from ``t`` on.

        The first also before its time, the last for ever.
        """
        if len(self.times):
            self._held = self._samples[
                max(int(np.searchsorted(self.times, t + 1e-12, "right")) - 1, 0)
            ]

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Torques [N m, N].

        Raises:
            SimulationError: if the function fails, or returns something else than ``n`` finite
                numbers.
        """
        tau = self._held
        if self._function is not None:
            tau = _called(
                t,
                "torque",
                lambda function: function(t, q.copy(), v.copy()),
                self._function,
                self._n,
            )
        return (
            tau if self._limit is None else np.minimum(np.maximum(tau, -self._limit), self._limit)
        )


class Load:
    """The wrench at the TCP."""

    def __init__(self, robot: Robot, wrench: WrenchInput) -> None:
        """Take a constant or a function.

        Raises:
            InputError: if a constant is not six finite numbers.
        """
        self._function = wrench if callable(wrench) else None
        self.there = wrench is not None
        self.by_function = callable(wrench)
        """Whether the wrench may change at any time."""
        self._constant = (
            None
            if wrench is None or callable(wrench)
            else finite(wrench, (6,), "wrench (force, moment)")
        )
        self._n = robot.n

    def __call__(self, t: float, pose: Callable[[], pin.SE3]) -> Array:
        """Force and moment [N, N m]; ``pose`` is only asked for where a function needs it.

        Raises:
            SimulationError: if the function fails, or returns something else than six finite
                numbers.
        """
        if self._function is None:
            constant: Array = np.zeros(6) if self._constant is None else self._constant
            return constant
        return _called(t, "wrench", lambda function: function(t, pose()), self._function, 6)


def checked_switches(
    robot: Robot, switches: Switches, duration: float
) -> list[tuple[float, Robot]]:
    """Return the changes in the order of time.

    Raises:
        InputError: if a time is none or after the end, or a robot has other axes.
    """
    if not isinstance(switches, Sequence):
        raise InputError(
            "switches are pairs of a time [s] and a robot, such as [(1.5, other)], not"
            f" {switches!r}"
        )
    for switch in switches:
        pair = switch if isinstance(switch, Sequence) and len(switch) == 2 else (None, switch)
        t, other = pair
        if (
            not isinstance(other, Robot)
            or other.axes != robot.axes
            or not isinstance(t, Real)
            or not (0.0 <= t < np.inf)
        ):
            raise InputError(
                f"a switch is a time [s] and a robot with the axes of {robot.name}, not {switch!r}"
            )
        if t > duration:
            raise InputError(
                f"a switch at {t:g} s is after the end of the simulation at {duration:g} s"
            )
    return sorted(((float(t), other) for t, other in switches), key=lambda switch: switch[0])


def check_numbers(
    duration: float, every: float, rtol: float, atol: float, max_step: float, rebound: float
) -> None:
    """Raise InputError unless times and tolerances are positive, and a rebound is a share.

    Only a step may be infinite.
    """
    for what, value in (("duration", duration), ("every", every), ("rtol", rtol), ("atol", atol)):
        positive(value, what)
    if max_step != np.inf:
        positive(max_step, "max_step")
    if not isinstance(rebound, Real) or not 0.0 <= rebound <= 1.0:
        raise InputError(f"rebound is a share between 0 and 1, not {rebound!r}")


def longest_step(asked: float, drive: Drive, load: Load) -> float:
    """Return the longest step [s]: what was asked for, and where that is no bound but a function drives, 20 ms."""
    return LONGEST if asked == np.inf and (drive.by_function or load.by_function) else asked


def _called(
    t: float, what: str, call: Callable[..., ArrayLike], function: object, size: int
) -> Array:
    try:
        # a copy: the function may use its array again
        value = np.array(call(function), dtype=float)
    except Exception as err:  # a user's function may raise anything; the samples so far are kept
        raise SimulationError(t, f"the function {what} fails: {err!r}") from err
    if value.shape != (size,) or not isfinite(value.dot(value)):
        raise SimulationError(t, f"{what} needs {size} finite numbers, got {value.tolist()}")
    return value
