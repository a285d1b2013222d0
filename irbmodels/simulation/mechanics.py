"""What a simulation asks of a robot, without the checks of values that a query of a user's makes at every call."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import finite
from ..dynamics import equations_of_motion as dynamics
from ..errors import InputError
from ..kinematics import frames as kinematics
from ..model.friction import Stribeck
from ..model.limits import ROUNDING
from ..model.types import Array, Mask
from ..robot.robot import Robot

# times the speed limit: no arm turns so fast, and torques that drive it there are in another unit
FASTEST = 100.0
CONTACT = 1e-9  # [rad, m, and per s] within which a stop is touched


class Mechanics:
    """Mass matrix, Coriolis and gravity torque, and the pull of a wrench, for one state at a time: Pinocchio."""

    def __init__(self, robot: Robot) -> None:
        """Take a robot."""
        self.robot, self.n = robot, robot.n
        self._model = robot.dynamic_model
        self._rest = np.zeros(robot.n)
        self._tcp = robot.find_frame("tcp")[:2]
        self.axes = np.arange(robot.n) + 1
        """1-based axis of each coordinate."""
        limit = robot.limits.velocity
        self.fastest: Array = np.where(limit > 0.0, FASTEST * limit, np.inf)
        """Speed beyond which a simulation gives up, shape ``(n,)``.

        Infinite for an axis without a limit.
        """

    def terms(self, q: Array, v: Array) -> tuple[Array, Array]:
        """``M`` and ``h = C v + g`` of ``M a + h = tau - friction + J' w``."""
        return dynamics.mass_matrix(self._model, q), dynamics.inverse_dynamics(
            self._model, q, v, self._rest
        )

    def pose(self, q: Array) -> pin.SE3:
        """Pose of the TCP in the base."""
        return kinematics.pose(*self._tcp, q)

    def pull(self, q: Array, wrench: Array) -> Array:
        """``J' w`` of a wrench at the TCP in base axes."""
        result: Array = kinematics.jacobian(*self._tcp, q).T @ wrench
        return result


class Stops:
    """Ends of the ranges as walls, the coupled range of a parallelogram included: rows of ``A q`` between bounds."""

    def __init__(self, robot: Robot, there: bool = True) -> None:
        """Take a robot's ranges; without stops no row has a bound."""
        limits, none = robot.limits, np.full(robot.n, np.inf)
        self.A, self._inverse = limits.A, np.linalg.inv(limits.A)
        self.lower: Array = limits.lower if there else -none
        self.upper: Array = limits.upper if there else none
        self.rows = np.vstack([self.A, -self.A])
        """Lower ends first; positive is off the stop."""
        self.ends = np.concatenate([self.lower, -self.upper])
        """Values of the rows at the ends; not finite where there is none."""

    def gaps(self, q: Array) -> Array:
        """How far each end is away [rad, m], shape ``(..., 2 n)``, in the order of :attr:`rows`."""
        result: Array = q @ self.rows.T - self.ends
        return result

    def touched(self, q: Array, v: Array) -> Mask:
        """Say which stops are touched and not being left, shape ``(2 n,)``."""
        result: Mask = (self.gaps(q) <= CONTACT) & (self.rows @ v <= CONTACT)
        return result

    def within(self, q: Array, at: Mask | None = None) -> Array:
        """Return the position with every range kept, and at the stops that are flagged."""
        value = self.A @ q
        kept = np.clip(value, self.lower, self.upper)
        if at is not None:
            low, high = np.split(at, 2)
            kept = np.where(low, self.lower, np.where(high, self.upper, kept))
        return q if (kept == value).all() else q + self._inverse @ (kept - value)

    @staticmethod
    def axis(row: int, n: int) -> int:
        """1-based axis that a row bounds."""
        return row % n + 1


def checked_robot(robot: object) -> None:
    """Raise InputError unless it is a robot."""
    if not isinstance(robot, Robot):
        raise InputError(
            f"a simulation needs a robot, such as irbmodels.load('irb2400'), not {robot!r}"
        )


def positive(value: object, what: str) -> None:
    """Raise InputError unless it is a finite number above zero."""
    if not isinstance(value, Real) or not 0.0 < float(value) < np.inf:
        raise InputError(f"{what} is a positive number, not {value!r}")


class Start(NamedTuple):
    """A state that a simulation may begin with."""

    q: Array
    v: Array


def checked_start(
    robot: Robot, stops: Stops, q: ArrayLike, v: ArrayLike | None, t: float = 0.0
) -> Start:
    """Return position and speed of one state.

    A position that rounding puts outside a range is put on its end.

    Raises:
        InputError: if a shape is wrong, a value is not finite, a range is not kept, or an axis
            moves through its stop.
    """
    if not isinstance(t, Real) or not isfinite(t):
        raise InputError(f"the time of a start is a finite number [s], not {t!r}")
    position = robot.states.one(q).copy()
    speed = (
        np.zeros(robot.n)
        if v is None
        else finite(v, (robot.n,), f"v of {robot.name} at t = {t:g} s")
    )
    gaps = stops.gaps(position)
    if (gaps < -ROUNDING).any():
        raise InputError(
            f"the start at t = {t:g} s is out of range:"
            f" {'; '.join(map(str, robot.limits.violations(position)))}"
        )
    rates = stops.rows @ speed
    through = np.flatnonzero((gaps <= ROUNDING) & (rates < -ROUNDING))
    if through.size:
        row = int(through[0])
        name = robot.limits.names()[row % robot.n]
        raise InputError(
            f"the start at t = {t:g} s moves through a stop: {name} stands at its end, and goes on"
            f" at {-rates[row]:g}/s"
        )
    return Start(stops.within(position), speed)


def law_of(robot: Robot, friction: Stribeck | bool) -> Stribeck:
    """Return the Stribeck law in use; one of zeros where there is none.

    Raises:
        InputError: if a law is something else, has another number of axes, or a value that cannot
            be.
    """
    chosen = robot.friction_model if friction is True else friction
    if chosen is None or chosen is False:
        none = np.zeros(robot.n)
        return Stribeck(none, none, none, np.ones(robot.n))
    if not isinstance(chosen, Stribeck):
        raise InputError(
            f"friction is True (the robot's), False (none) or an irbmodels.Stribeck, not {chosen!r}"
        )
    for name in ("Fs", "Fc", "Fv", "v_St"):
        values = finite(getattr(chosen, name), (robot.n,), f"{name} of the friction law")
        if (values < 0.0).any() or (name == "v_St" and not values.all()):
            raise InputError(f"{name} of the friction law must be positive, not {values.tolist()}")
    return chosen


def dry_level(law: Stribeck, v: Array) -> Array:
    """Dry part of the law without its sign, ``Fc + (Fs - Fc) exp(-(v / v_St)^2)``."""
    result: Array = law.Fc + (law.Fs - law.Fc) * np.exp(-np.square(v / law.v_St))
    return result


def effort_of(robot: Robot, limit: ArrayLike | None) -> Array | None:
    """Return bounds of the motor torque, or None.

    Raises:
        InputError: if they are not one positive number per axis.
    """
    if limit is None:
        return None
    try:
        bounds = np.array(limit, dtype=float)
    except (TypeError, ValueError):
        bounds = np.zeros(0)
    if bounds.shape != (robot.n,) or not (bounds > 0.0).all():
        raise InputError(
            f"torque_limit needs {robot.n} positive numbers [N m, N], such as robot.limits.effort,"
            f" not {limit!r}"
        )
    return bounds
