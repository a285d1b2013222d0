"""External inputs of a simulation: motor torques, a wrench at the TCP, and changes of the robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from numbers import Real

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import finite, number, positive
from ..errors import InputError
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory import Motion
from .run import SimulationError

TorqueInput = Callable[[float, Array, Array], ArrayLike] | Motion | ArrayLike | None
"""Function of time, position and speed; samples, each held until the next; or a constant."""
WrenchInput = Callable[[float, pin.SE3], ArrayLike] | ArrayLike | None
"""Function of time and TCP pose, or a constant: force [N], moment [N m], base axes."""
Switches = Sequence[tuple[float, Robot]]
"""Times [s], and the robot from then on: with another payload, or another tool."""

# [s]: where a function drives and everything sticks, no rate tells an integrator that it changes
MAX_FUNCTION_STEP = 0.02


class TorqueSource:
    """Motor torques as a function of time and state, within their limits."""

    def __init__(self, robot: Robot, torque: TorqueInput, limit: Array | None) -> None:
        """Take any form of torques.

        Raises:
            InputError: if they have the wrong shape, are not finite, or a motion has none.
        """
        self._n, self._limit = robot.n, limit
        self._function: Callable[[float, Array, Array], ArrayLike] | None = None
        self._held = np.zeros(robot.n)
        self.times = np.zeros(0)
        """Start times of the samples [s]."""
        if isinstance(torque, Motion):
            if torque.tau is None:
                raise InputError("a motion that drives a simulation needs torques")
            self.times = finite(torque.t, (len(torque.t),), "t")
            self._samples = finite(torque.tau, (len(torque.t), robot.n), "tau")
            if not (np.diff(self.times) > 0.0).all() or not len(self.times):
                raise InputError("times of torque samples must grow")
        elif callable(torque):
            self._function = torque
        elif torque is not None:
            self._held = finite(torque, (robot.n,), f"tau of {robot.name}")
        self.is_function = self._function is not None
        """True if the torques may change at any time."""

    def hold_sample(self, t: float) -> None:
        """Hold the sample valid from ``t``: the first also before its time, the last for ever."""
        if len(self.times):
            index = int(np.searchsorted(self.times, t + 1e-12, "right")) - 1
            self._held = self._samples[max(index, 0)]

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Torques [N m, N].

        Raises:
            SimulationError: if the function fails, or returns something else than ``n`` finite
                numbers.
        """
        tau = self._held
        if (function := self._function) is not None:
            tau = _call(t, "torque", lambda: function(t, q.copy(), v.copy()), self._n)
        if self._limit is None:
            return tau
        return np.minimum(np.maximum(tau, -self._limit), self._limit)


class WrenchSource:
    """The wrench at the TCP as a function of time and pose."""

    def __init__(self, wrench: WrenchInput) -> None:
        """Take a constant or a function.

        Raises:
            InputError: if a constant is not six finite numbers.
        """
        self.present = wrench is not None
        self._function = wrench if callable(wrench) else None
        self.is_function = self._function is not None
        """True if the wrench may change at any time."""
        self._constant = np.zeros(6)
        if wrench is not None and not callable(wrench):
            self._constant = finite(wrench, (6,), "wrench (force, moment)")

    def __call__(self, t: float, pose: Callable[[], pin.SE3]) -> Array:
        """Force and moment [N, N m]; ``pose`` is only evaluated for a function.

        Raises:
            SimulationError: if the function fails, or returns something else than six finite
                numbers.
        """
        if (function := self._function) is None:
            return self._constant
        return _call(t, "wrench", lambda: function(t, pose()), 6)


def sorted_switches(robot: Robot, switches: Switches, duration: float) -> list[tuple[float, Robot]]:
    """Return the changes in the order of time.

    Raises:
        InputError: if a time is none or after the end, or a robot has other axes or drives.
    """
    if not isinstance(switches, Sequence):
        raise InputError(
            "switches are pairs of a time [s] and a robot, such as [(1.5, other)], not"
            f" {switches!r}"
        )
    for switch in switches:
        t, other = switch if isinstance(switch, Sequence) and len(switch) == 2 else (None, switch)
        if (
            not isinstance(other, Robot)
            or other.axes != robot.axes
            or not np.array_equal(other.drive_axes, robot.drive_axes)
            or not isinstance(t, Real)
            or not (0.0 <= t < np.inf)
        ):
            raise InputError(
                f"a switch is a time [s] and a robot with the axes and drives of {robot.name}, not"
                f" {switch!r}"
            )
        if t > duration:
            raise InputError(
                f"a switch at {t:g} s is after the end of the simulation at {duration:g} s"
            )
    return sorted(((float(t), other) for t, other in switches), key=lambda switch: switch[0])


def check_settings(
    duration: float, every: float, rtol: float, atol: float, max_step: float, rebound: float
) -> None:
    """Raise InputError unless times and tolerances are positive and the rebound is from 0 to 1.

    Only a step may be infinite.
    """
    for what, value in (("duration", duration), ("every", every), ("rtol", rtol), ("atol", atol)):
        positive(value, what)
    if not isinstance(max_step, float) or max_step != np.inf:
        positive(max_step, "max_step")
    number(rebound, "rebound, the share of its speed with which an axis leaves a stop,", 0.0, 1.0)


def longest_step(max_step: float, torque: TorqueSource, wrench: WrenchSource) -> float:
    """Return the longest step [s]: ``max_step``, and if infinite 20 ms where a function drives."""
    driven = torque.is_function or wrench.is_function
    return MAX_FUNCTION_STEP if max_step == np.inf and driven else max_step


def _call(t: float, what: str, function: Callable[[], ArrayLike], size: int) -> Array:
    try:
        # a copy: the function may use its array again
        value = np.array(function(), dtype=float)
    except Exception as err:  # a user's function may raise anything; the samples so far are kept
        raise SimulationError(t, f"the function {what} fails: {err!r}") from err
    if value.shape != (size,) or not isfinite(value.dot(value)):
        raise SimulationError(t, f"{what} needs {size} finite numbers, got {value.tolist()}")
    return value
