"""Robot and drives of an arm with elastic joints, matrices between links and motors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import as_instance, as_list, broadcast, short_repr
from ...errors import InputError
from ...model.friction import Stribeck
from ...model.mechanism import Mechanism, mechanism_of
from ...model.motors import Motors
from ...model.types import Array
from ...robot.dynamics import Wrench
from ...robot.robot import Robot
from ..drives import DriveCoordinates
from .drive import Drive, motors_of_drives
from .springs import Springs

# of the largest torque: rounding of 0, which would move an axis to one side of its backlash
_ROUNDING = 1e-13


class Equilibrium(NamedTuple):
    """Motor positions and torques that hold the links still, shape ``(..., n)`` each."""

    theta: Array
    """Motor positions in axis coordinates [rad, m]."""
    torque: Array
    """Motor torques in axis coordinates [N m, N]."""


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleModel:
    """Robot and drives in axis coordinates.

    :class:`FlexibleRobot` adds its dynamics, linear models and simulation.

    Raises:
        InputError: if there is not one drive per axis, or the robot carries rotors already: the
            drives bring them.
    """

    robot: Robot
    drives: Sequence[Drive | None]
    friction: Stribeck | bool = True
    """Friction of the motors in axis coordinates: True for the robot's, False, or another law."""

    def __post_init__(self) -> None:
        """Check that robot and drives go together."""
        robot = as_instance(self.robot, Robot, "a flexible robot is made of an irbmodels.Robot")
        drives = check_drives(robot, self.drives)
        if robot.rotors.any():
            raise InputError(
                f"{robot.name} has rotors in use already; the drives bring them, so leave"
                " with_rotors out"
            )
        if not isinstance(self.friction, bool | Stribeck):
            raise InputError(
                "friction is True (the robot's), False (none) or an irbmodels.Stribeck, not"
                f" {short_repr(self.friction)}"
            )
        if self.friction_law is not None and self.friction_law.Fc.shape != (robot.n,):
            raise InputError(
                f"the friction law needs {robot.n} axes, not {self.friction_law.Fc.size}"
            )
        object.__setattr__(self, "drives", drives)
        _ = self.motors

    @property
    def n(self) -> int:
        """Number of axes."""
        return self.robot.n

    @cached_property
    def elastic(self) -> NDArray[np.intp]:
        """Indices of the elastic axes, from 0, shape ``(m,)``."""
        return np.flatnonzero([drive is not None and drive.elastic for drive in self.drives])

    @cached_property
    def motors(self) -> Motors:
        """The map between axes and motors; ``motors.torque(tau)`` are torques at the shafts.

        Unknown motors answer NaN.
        """
        return motors_of_drives(self.drives)

    @cached_property
    def springs(self) -> Springs:
        """The springs of the elastic axes."""
        return Springs.of([drive for drive in self.drives if drive is not None and drive.elastic])

    @cached_property
    def rotor_inertia(self) -> Array:
        """``B``: inertia of the rotors in axis coordinates [kg m^2], shape ``(n, n)``.

        Diagonal unless a wrist is coupled.
        """
        return self._reflected("rotor_inertia")

    @cached_property
    def viscous(self) -> Array:
        """Viscous friction of the motors in axis coordinates [N m s/rad], shape ``(n, n)``."""
        return self._reflected("viscous")

    @cached_property
    def rigid(self) -> Robot:
        """The limit of infinite stiffness: a robot with the rotors and all friction.

        Raises:
            InputError: if a link that other drives turn too has friction in its bearing, which
                acts on its axis and not on a drive.
        """
        on_axes = (self.drive_axes != np.eye(self.n)).any(axis=1) & (self.bearing != 0.0)
        if on_axes.any():
            raise InputError(
                f"friction in the bearing of axis {int(np.argmax(on_axes)) + 1} brakes the axis,"
                " which several drives turn: the friction of a Robot acts on drives"
            )
        viscous = self.motors.reflected(self._drive_values("viscous"))
        rotors = self.motors.reflected(self._drive_values("rotor_inertia"))
        robot = self.robot.with_rotors(rotors).with_drives(self.drive_axes)
        return robot.with_friction(_with_viscous(self.friction_law, viscous + self.bearing))

    @cached_property
    def friction_law(self) -> Stribeck | None:
        """The law of the motors beside the drives' viscous friction; None where there is none."""
        if isinstance(self.friction, Stribeck):
            return self.friction
        return self.robot.friction_model if self.friction else None

    def friction_torque(self, q: Array, speed: Array) -> Array:
        """Torques in axis coordinates of the motors' law, shape ``(..., n)``; 0 without one.

        Args:
            q: Positions of the links, whose static torques load the motors.
            speed: Speeds of the motors in axis coordinates.
        """
        law = self.friction_law
        if law is None:
            return np.zeros_like(speed)
        drives, load = DriveCoordinates(self.drive_axes), None
        if law.needs_load:
            load = drives.drive_torque(self.robot.gravity(q))
        return drives.axis_torque(law.torque(drives.drives(speed), load))

    @cached_property
    def bearing(self) -> Array:
        """Viscous friction of the links' bearings [N m s/rad], shape ``(n,)``."""
        return self._drive_values("bearing")

    @cached_property
    def mechanism(self) -> Mechanism:
        """Joints and bodies of the links."""
        return mechanism_of(self.robot.dynamic_model)

    def bias(self, of_links: Array, x: Array, x_dot: Array) -> Array:
        """Torques of springs, dampers, viscous friction and ``of_links``, ``(n + m,)``.

        Args:
            of_links: Coriolis and gravity torque, shape ``(n,)``.
            x: Positions of the links, then of the elastic axes' motors, shape ``(n + m,)``.
            x_dot: Their speeds.
        """
        n, elastic = self.n, self.elastic
        load = self.springs.torque(x[n:] - x[elastic])
        load += self.springs.damping * (x_dot[n:] - x_dot[elastic])
        result = self._viscous @ x_dot
        result[:n] += of_links
        result[elastic] -= load
        result[n:] += load
        return result

    def equilibrium(self, q: ArrayLike, *, wrench: Wrench | None = None) -> Equilibrium:
        """Motor positions and torques that hold the links still.

        An unloaded axis rests in the middle of its backlash.

        Args:
            q: Positions of the links [rad, m], shape ``(..., n)``.
            wrench: What the world exerts ON the robot, as in ``robot.inverse_dynamics``.

        Raises:
            InputError: if a shape is wrong, or one state is not finite or far outside every range.
        """
        position = self.robot.states.position(q)
        torque = self.robot.gravity(position)
        if wrench is not None:
            position, torque = broadcast(
                position, torque - self.robot.external_torque(position, wrench)
            )
        largest = np.abs(torque).max(axis=-1, keepdims=True)
        torque = np.where(np.abs(torque) > _ROUNDING * largest, torque, 0.0)
        theta = position.copy()
        theta[..., self.elastic] += self.springs.deflection(torque[..., self.elastic])
        return Equilibrium(theta, torque)

    def motor_values(self, links: Array, motors: Array) -> Array:
        """Positions or speeds of all motors, of rigid axes those of the links, ``(..., n)``."""
        result = links.copy()
        result[..., self.elastic] = motors[..., self.elastic]
        return result

    def inertia(self, M: Array) -> Array:
        """Mass matrices ``(..., n + m, n + m)`` of ``(q, theta)`` from those of the links."""
        size = self.n + self.elastic.size
        result = np.zeros((*M.shape[:-2], size, size))
        result[..., : self.n, : self.n] = M
        result += self._rotors
        return result

    def _drive_values(self, name: str) -> Array:
        return np.array([0.0 if drive is None else getattr(drive, name) for drive in self.drives])

    def _reflected(self, name: str) -> Array:
        """``N' diag(x) N`` of the motor-side values of a parameter."""
        values, turns = self.motors.reflected(self._drive_values(name)), self.motors.drive_axes
        result: Array = (turns.T * values) @ turns
        return result

    @cached_property
    def _viscous(self) -> Array:
        result: Array = self.motor_positions.T @ self.viscous @ self.motor_positions
        result[: self.n, : self.n] += np.diag(self.bearing)
        return result

    @cached_property
    def _rotors(self) -> Array:
        return self.motor_positions.T @ self.rotor_inertia @ self.motor_positions

    @cached_property
    def drive_axes(self) -> Array:
        """Turns of each motor per turn of each axis, in turns of axis i, shape ``(n, n)``.

        Those of the drives where their gears are known, else the robot's.
        """
        turns = self.motors.drive_axes
        return np.where(self.motors.known[:, None], turns, self.robot.drive_axes)

    @cached_property
    def drive_positions(self) -> Array:
        """Links of elastic axes and motors of all from links and motors of elastic axes.

        Each motor, ``(n + m, n + m)``, in the place of its own coordinate: friction acts on it.
        """
        n, elastic = self.n, self.elastic
        motors = self.drive_axes @ self.motor_positions
        result = np.eye(n + elastic.size)
        result[n:] = motors[elastic]
        rigid = np.setdiff1d(np.arange(n), elastic)
        result[rigid] = motors[rigid]
        return result

    @cached_property
    def motor_positions(self) -> Array:
        """``theta`` of all axes from ``(q, theta of the elastic axes)``, shape ``(n, n + m)``."""
        n, m = self.n, self.elastic.size
        result = np.zeros((n, n + m))
        result[:, :n] = np.diag(np.isin(np.arange(n), self.elastic, invert=True).astype(float))
        result[self.elastic, n + np.arange(m)] = 1.0
        return result


def check_drives(robot: Robot, drives: Sequence[Drive | None]) -> tuple[Drive | None, ...]:
    """Return drives that go with a robot.

    Raises:
        InputError: if they are not one Drive or None per axis.
    """
    what = f"{robot.name} needs {robot.n} drives, one Drive or None per axis"
    given = tuple(as_list(drives, Drive | None, what))
    if len(given) != robot.n:
        raise InputError(f"{what}; got {len(given)}")
    return given


def _with_viscous(law: Stribeck | None, coefficients: Array) -> Stribeck | None:
    if law is not None:
        return replace(law, Fv=law.Fv + coefficients)
    none = np.zeros_like(coefficients)
    return (
        Stribeck(none, none, coefficients, np.ones_like(coefficients))
        if coefficients.any()
        else None
    )
