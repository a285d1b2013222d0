"""Dynamics of a robot without the checks of a query, its stops, and checks of settings."""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_instance, finite, number, numbers
from ..dynamics import equations_of_motion as dynamics
from ..errors import InputError
from ..kinematics import frames as kinematics
from ..model.friction import FURTHER, NAMES, SCALE_OF, Stribeck, frictionless
from ..model.limits import ROUNDING
from ..model.types import Array, Mask
from ..robot.robot import Robot
from .drives import DriveCoordinates

# times the speed limit: no arm turns so fast, and torques that drive it there are in another unit
MAX_SPEED_RATIO = 100.0
MAX_MOVE = 0.2  # [rad, m] per step: beyond it M and h of its middle say nothing of its ends
CONTACT = 1e-9  # [rad, m, and per s] within which a stop is touched


class Mechanics:
    """Mass matrix, Coriolis and gravity torque, and torque of a wrench, for one state.

    Positions, speeds and torques are those of :attr:`coordinates`.
    """

    def __init__(self, robot: Robot, coordinates: DriveCoordinates | None = None) -> None:
        """Take a robot, and the coordinates of other drives than its own."""
        self.robot, self.n = robot, robot.n
        self.coordinates = coordinates or DriveCoordinates(robot.drive_axes)
        self._model = robot.dynamic_model
        self._model.need_masses()
        self._rest = np.zeros(robot.n)
        self._tcp = robot.find_frame("tcp")[:2]
        self.axes = np.arange(robot.n) + 1
        """1-based axis of each coordinate."""
        self.max_speed: Array = MAX_SPEED_RATIO * robot.limits.velocity
        """Speed at which a simulation gives up, ``(n,)``; infinite for an axis without a limit."""

    def terms(self, x: Array, u: Array) -> tuple[Array, Array]:
        """``M`` and ``h = C u + g`` of ``M u' + h = tau - friction + J' w``."""
        frame = self.coordinates
        M, h = self.axis_terms(frame.axes(x), frame.axes(u))
        return frame.mass_matrix(M), frame.drive_torque(h)

    def pose(self, x: Array) -> pin.SE3:
        """Pose of the TCP in the base."""
        return self.axis_pose(self.coordinates.axes(x))

    def external_torque(self, x: Array, wrench: Array) -> Array:
        """``J' w`` of a wrench at the TCP in base axes."""
        frame = self.coordinates
        return frame.drive_torque(self.axis_external_torque(frame.axes(x), wrench))

    def static_torque(self, x: Array) -> Array:
        """Torques at the drives that hold the arm at rest, shape ``(n,)``."""
        frame = self.coordinates
        return frame.drive_torque(self.axis_static_torque(frame.axes(x)))

    def axis_terms(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Mass matrix, and Coriolis and gravity torque, of the axes."""
        return dynamics.mass_matrix(self._model, q), dynamics.inverse_dynamics(
            self._model, q, v, self._rest
        )

    def axis_static_torque(self, q: Array) -> Array:
        """Torques along the axes that hold the arm at rest, shape ``(n,)``."""
        return dynamics.inverse_dynamics(self._model, q, self._rest, self._rest)

    def axis_pose(self, q: Array) -> pin.SE3:
        """Pose of the TCP in the base, by the positions of the axes."""
        return kinematics.pose(*self._tcp, q)

    def axis_external_torque(self, q: Array, wrench: Array) -> Array:
        """Torques along the axes of a wrench at the TCP in base axes."""
        result: Array = kinematics.jacobian(*self._tcp, q).T @ wrench
        return result


class Stops:
    """Hard stops at the ends of ranges and of bounds of sums: bounds of ``A q``."""

    def __init__(self, robot: Robot, enabled: bool = True) -> None:
        """Take a robot's ranges; without stops no row has a bound."""
        limits = robot.limits
        none = np.full(len(limits.A), np.inf)
        ends = (limits.lower, limits.upper) if enabled else (-none, none)
        self.row_axes = limits.row_axes
        """Axis from 0 that each row bounds, ``(m,)``."""
        self.set_ranges(limits.A, *ends)

    def set_ranges(self, A: Array, lower: Array, upper: Array) -> None:
        """Bound ``A q`` by ``lower`` and ``upper``, ``(m,)``, the first ``n`` rows invertible."""
        self.A, self.lower, self.upper = A, lower, upper
        self._inverse = np.linalg.inv(A[: A.shape[1]])
        self.rows = np.vstack([A, -A])
        """Lower ends first; positive is off the stop."""
        self.ends = np.concatenate([lower, -upper])
        """Values of the rows at the ends; not finite where there is none."""

    def on_drives(self, coordinates: DriveCoordinates) -> Stops:
        """Return these stops as bounds of the positions of drives."""
        if not coordinates.coupled:
            return self
        result = copy(self)
        result.set_ranges(self.A @ coordinates.inverse, self.lower, self.upper)
        return result

    def gaps(self, q: Array) -> Array:
        """Distances to the ends [rad, m], shape ``(..., 2 m)``, in the order of :attr:`rows`."""
        result: Array = q @ self.rows.T - self.ends
        return result

    def touched(self, q: Array, v: Array) -> Mask:
        """Return the stops that are touched and not being left, shape ``(2 m,)``."""
        result: Mask = (self.gaps(q) <= CONTACT) & (self.rows @ v <= CONTACT)
        return result

    def clamp(self, q: Array, in_contact: Mask | None = None) -> Array:
        """Return the position clamped to its ranges, and put on the stops in contact."""
        value, m, n = self.A @ q, len(self.A), len(q)
        clamped = np.clip(value, self.lower, self.upper)
        if in_contact is not None:
            clamped = np.where(in_contact[m:], self.upper, clamped)
            clamped = np.where(in_contact[:m], self.lower, clamped)
        change = clamped - value
        if not change.any():
            return q
        if not change[n:].any():
            return q + self._inverse @ change[:n]
        held = change != 0.0
        if in_contact is not None:
            held |= in_contact[:m] | in_contact[m:]
        sums = n + np.flatnonzero(held[n:])
        axes = self.row_axes[sums]
        if held[axes].any() or len(set(axes.tolist())) < len(axes):
            # rows of a sum and of its axis depend on each other: the least change that keeps both
            return np.asarray(q + np.linalg.pinv(self.A[held]) @ change[held])
        rows = np.arange(n)
        rows[axes] = sums
        return np.asarray(q + np.linalg.solve(self.A[rows], change[rows]))

    def axis(self, row: int) -> int:
        """1-based axis that one of :attr:`rows` bounds."""
        return int(self.row_axes[row % len(self.A)]) + 1


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
        name = robot.limits.names()[row % len(stops.A)]
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
        return frictionless(robot.n)
    as_instance(
        law, Stribeck, "friction is True (the robot's), False (none) or an irbmodels.Stribeck"
    )
    for name in (*NAMES, *FURTHER):
        values = finite(getattr(law, name), (robot.n,), f"{name} of the friction law")
        scale, signed = name in SCALE_OF.values(), name in ("dFc", "dFv", "per_K")
        if not signed and ((values < 0.0).any() or (scale and not values.all())):
            raise InputError(f"{name} of the friction law must be positive, not {values.tolist()}")
    for name, least in (("dFc", np.minimum(law.Fs, law.Fc)), ("dFv", law.Fv)):
        if (np.abs(getattr(law, name)) > least).any():
            raise InputError(
                f"{name} of the friction law would drive an axis: {getattr(law, name).tolist()} is"
                f" more than the friction {least.tolist()} that it changes with the direction"
            )
    return law


def dry_friction(law: Stribeck, w: Array, load: Array | None = None) -> Array:
    """Dry friction without its sign, the mean of both directions.

    ``Fc + (Fs - Fc) exp(-(w / v_St)^2) + mu |load|``; it acts about the middle ``dFc``, so that a
    drive at rest bears ``dFc +- Fs``.
    """
    result: Array = law.Fc + (law.Fs - law.Fc) * np.exp(-np.square(w / law.v_St))
    if load is not None:
        result = result + law.mu * np.abs(load)
    return result


def viscous_slope(law: Stribeck, w: Array) -> Array:
    """Viscous friction over speed, ``Fv + dFv sgn(w) + Fd / (v_d + |w|)``; never negative."""
    if len(law.kinds) == 3:  # Fv, Fc and Fs - Fc alone
        return law.Fv
    result: Array = law.Fv + law.dFv * np.sign(w) + law.Fd / (law.v_d + np.abs(w))
    return result


def has_dry_friction(law: Stribeck) -> Mask:
    """Return the drives that have dry friction, shape ``(n,)``."""
    result: Mask = (law.Fs > 0.0) | (law.Fc > 0.0) | (law.mu > 0.0)
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
