"""Dynamics of a robot without the checks of a query, its stops, and checks of settings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_instance, finite, number, numbers
from ..dynamics import equations_of_motion as dynamics
from ..errors import InputError
from ..kinematics import frames as kinematics
from ..model.friction import Stribeck
from ..model.limits import ROUNDING
from ..model.types import Array, Mask
from ..robot.robot import Robot

# times the speed limit: no arm turns so fast, and torques that drive it there are in another unit
MAX_SPEED_RATIO = 100.0
MAX_MOVE = 0.2  # [rad, m] per step: beyond it M and h of its middle say nothing of its ends
CONTACT = 1e-9  # [rad, m, and per s] within which a stop is touched


class Mechanics:
    """Mass matrix, Coriolis and gravity torque, and torque of a wrench, for one state."""

    def __init__(self, robot: Robot) -> None:
        """Take a robot."""
        self.robot, self.n = robot, robot.n
        self._model = robot.dynamic_model
        self._rest = np.zeros(robot.n)
        self._tcp = robot.find_frame("tcp")[:2]
        self.axes = np.arange(robot.n) + 1
        """1-based axis of each coordinate."""
        limit = robot.limits.velocity
        self.max_speed: Array = np.where(limit > 0.0, MAX_SPEED_RATIO * limit, np.inf)
        """Speed at which a simulation gives up, ``(n,)``; infinite for an axis without a limit."""

    def terms(self, q: Array, v: Array) -> tuple[Array, Array]:
        """``M`` and ``h = C v + g`` of ``M a + h = tau - friction + J' w``."""
        return dynamics.mass_matrix(self._model, q), dynamics.inverse_dynamics(
            self._model, q, v, self._rest
        )

    def pose(self, q: Array) -> pin.SE3:
        """Pose of the TCP in the base."""
        return kinematics.pose(*self._tcp, q)

    def external_torque(self, q: Array, wrench: Array) -> Array:
        """``J' w`` of a wrench at the TCP in base axes."""
        result: Array = kinematics.jacobian(*self._tcp, q).T @ wrench
        return result


class Stops:
    """Hard stops at the ends of the ranges, coupled ones included: bounds of ``A q``."""

    def __init__(self, robot: Robot, enabled: bool = True) -> None:
        """Take a robot's ranges; without stops no row has a bound."""
        limits, none = robot.limits, np.full(robot.n, np.inf)
        ends = (limits.lower, limits.upper) if enabled else (-none, none)
        self.set_ranges(limits.A, *ends)

    def set_ranges(self, A: Array, lower: Array, upper: Array) -> None:
        """Bound ``A q`` by ``lower`` and ``upper``."""
        self.A, self._inverse, self.lower, self.upper = A, np.linalg.inv(A), lower, upper
        self.rows = np.vstack([A, -A])
        """Lower ends first; positive is off the stop."""
        self.ends = np.concatenate([lower, -upper])
        """Values of the rows at the ends; not finite where there is none."""

    def gaps(self, q: Array) -> Array:
        """Distances to the ends [rad, m], shape ``(..., 2 n)``, in the order of :attr:`rows`."""
        result: Array = q @ self.rows.T - self.ends
        return result

    def touched(self, q: Array, v: Array) -> Mask:
        """Return the stops that are touched and not being left, shape ``(2 n,)``."""
        result: Mask = (self.gaps(q) <= CONTACT) & (self.rows @ v <= CONTACT)
        return result

    def clamp(self, q: Array, in_contact: Mask | None = None) -> Array:
        """Return the position clamped to its ranges, and put on the stops in contact."""
        value, n = self.A @ q, len(q)
        clamped = np.clip(value, self.lower, self.upper)
        if in_contact is not None:
            clamped = np.where(in_contact[n:], self.upper, clamped)
            clamped = np.where(in_contact[:n], self.lower, clamped)
        return q if (clamped == value).all() else q + self._inverse @ (clamped - value)

    @staticmethod
    def axis(row: int, n: int) -> int:
        """1-based axis that a row bounds."""
        return row % n + 1


def check_robot(robot: object) -> None:
    """Raise InputError unless it is a robot."""
    as_instance(robot, Robot, "a simulation needs a robot, such as irbmodels.load('irb2400')")


class StartState(NamedTuple):
    """Position and speed at the start of a simulation."""

    q: Array
    v: Array


def start_state(
    robot: Robot, stops: Stops, q: ArrayLike, v: ArrayLike | None, t: float = 0.0
) -> StartState:
    """Return position and speed of one state.

    A position that rounding puts outside a range is put on its end.

    Raises:
        InputError: if a shape is wrong, a value is not finite, a range is not kept, or an axis
            moves through its stop.
    """
    number(t, "the time of a start [s]")
    position = robot.states.one(q).copy()
    rest = np.zeros(robot.n)
    speed = rest if v is None else finite(v, (robot.n,), f"v of {robot.name} at t = {t:g} s")
    gaps, rates = stops.gaps(position), stops.rows @ speed
    if (gaps < -ROUNDING).any():
        raise InputError(
            f"the start at t = {t:g} s is out of range:"
            f" {'; '.join(map(str, robot.limits.violations(position)))}"
        )
    through = np.flatnonzero((gaps <= ROUNDING) & (rates < -ROUNDING))
    if through.size:
        row = int(through[0])
        name = robot.limits.names()[row % robot.n]
        raise InputError(
            f"the start at t = {t:g} s moves through a stop: {name} stands at its end, and goes on"
            f" at {-rates[row]:g}/s"
        )
    return StartState(stops.clamp(position), speed)


def friction_law(robot: Robot, friction: Stribeck | bool) -> Stribeck:
    """Return the Stribeck law in use; one of zeros where there is none.

    Raises:
        InputError: if a law is something else, has another number of axes, or a value out of its
            domain.
    """
    law = robot.friction_model if friction is True else friction
    if law is None or law is False:
        none = np.zeros(robot.n)
        return Stribeck(none, none, none, np.ones(robot.n))
    as_instance(
        law, Stribeck, "friction is True (the robot's), False (none) or an irbmodels.Stribeck"
    )
    for name in ("Fs", "Fc", "Fv", "v_St"):
        values = finite(getattr(law, name), (robot.n,), f"{name} of the friction law")
        if (values < 0.0).any() or (name == "v_St" and not values.all()):
            raise InputError(f"{name} of the friction law must be positive, not {values.tolist()}")
    return law


def dry_friction(law: Stribeck, v: Array) -> Array:
    """Dry part of the law without its sign, ``Fc + (Fs - Fc) exp(-(v / v_St)^2)``."""
    result: Array = law.Fc + (law.Fs - law.Fc) * np.exp(-np.square(v / law.v_St))
    return result


def torque_bounds(robot: Robot, limit: ArrayLike | None) -> Array | None:
    """Return bounds of the motor torque, or None.

    Raises:
        InputError: if they are not one positive number per axis.
    """
    if limit is None:
        return None
    bounds = numbers(limit, "torque_limit [N m, N]")
    if bounds.shape != (robot.n,) or not (bounds > 0.0).all():
        raise InputError(
            f"torque_limit needs {robot.n} positive numbers [N m, N], such as robot.limits.effort,"
            f" not {limit!r}"
        )
    return bounds
