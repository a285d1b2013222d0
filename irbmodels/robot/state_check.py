"""Checks of the states that a robot is asked about: shapes, finite values, and their units.

One position, speed or acceleration beyond a stated multiple of the robot's limits is taken for
another unit; arrays pass every bound, with NaN in place of infinity. The square of a norm is
compared first, which costs next to nothing; only what is not surely near is looked at by axis.
"""

from __future__ import annotations

import math
import sys
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..checks import broadcast, nan_for_infinity, numbers
from ..dynamics import equations_of_motion as dynamics
from ..errors import InputError, warn
from ..model.model import Model
from ..model.types import Array

FARTHEST = 3.0  # times the largest position limit of the same kind
# times its own speed limit: arms that fall for 3 s, without friction or stops, keep within 17
FASTEST = 20.0
STRONGEST = 10.0  # times its own effort; the same arms keep within 3
_POSTURES = 32
_DOUBLE = np.dtype(np.float64)


class StateCheck:
    """Checks of states of one robot: each method returns its argument as an array of floats.

    Methods raise InputError for a wrong shape, and for one state that is not finite or beyond its
    bound; the message names the axis and the unit that was probably meant.
    """

    def __init__(self, name: str, model: Model) -> None:
        """Take the robot's name for messages, and the model that bounds follow from."""
        self.name, self.n = name, model.n
        self._model, self._limits = model, model.limits
        self._warned_of_degrees = False

    def position(self, q: ArrayLike, what: str = "q") -> Array:
        """Return positions ``(n,)`` or ``(..., n)``; warn once if they look like degrees."""
        array = self._shaped(q, what)
        if array.ndim == 1:
            # cheap, and nearly every call passes; false for NaN
            if not array.dot(array) <= self._farthest_square:
                self._check_position(array, what)
            if array is not q:  # typed, or integers
                self._doubt_radians(array)
        return array

    def velocity(self, v: ArrayLike, what: str = "v") -> Array:
        """Return speeds ``(n,)`` or ``(..., n)``."""
        array = self._shaped(v, what)
        if array.ndim == 1 and not array.dot(array) <= self.squares[1]:
            self._check_velocity(array, what)
        return array

    def acceleration(self, a: ArrayLike, q: Array) -> Array:
        """Return accelerations; those of one state are judged by the inertia at ``q``."""
        array = self._shaped(a, "a")
        if array.ndim == 1 and not array.dot(array) <= self.squares[2]:
            self._check_acceleration(array, q)
        return array

    def finite(self, value: ArrayLike, what: str) -> Array:
        """Return torques, or anything else per axis that must only be finite."""
        array = self._shaped(value, what)
        if array.ndim == 1 and not array.dot(array) <= sys.float_info.max:
            self._check_finite(array, what)
        return array

    def motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> list[Array]:
        """Return positions, speeds and accelerations with the same leading axes."""
        position = self.position(q)
        return broadcast(position, self.velocity(v), self.acceleration(a, position))

    def one(self, q: ArrayLike, what: str = "q") -> Array:
        """Return the position of one state, ``(n,)``."""
        return self._single(self.position(q, what), what)

    def one_velocity(self, v: ArrayLike, what: str = "v") -> Array:
        """Return the speeds of one state, ``(n,)``."""
        return self._single(self.velocity(v, what), what)

    def one_motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Array, Array, Array]:
        """Return position, speeds and accelerations of one state, ``(n,)`` each."""
        position = self.one(q)
        return position, self.one_velocity(v), self._single(self.acceleration(a, position), "a")

    def from_controller(self, position: ArrayLike) -> Array:
        """Return ``q`` [rad, m] for positions as the controller shows them [deg, mm]."""
        shown = self._shaped(position, "position")
        q = self._in_si(shown)
        if q.ndim == 1:
            self._check_position(q, "q", shown)
        return q

    @cached_property
    def squares(self) -> tuple[float, float, float]:
        """Squares of the norms of q, v and a within which no axis is beyond its bound, finite."""
        inertia = np.max(
            [np.linalg.norm(dynamics.mass_matrix(self._model, q), axis=1) for q in self._postures],
            axis=0,
        )
        weakest = np.divide(
            self._strongest, inertia, out=np.full_like(inertia, np.inf), where=inertia > 0.0
        )
        return self._farthest_square, _finite_square(self._fastest), _finite_square(weakest)

    @cached_property
    def _farthest_square(self) -> float:
        return _finite_square(self._farthest)

    @cached_property
    def _farthest(self) -> Array:
        return FARTHEST * self._limits.largest()

    @cached_property
    def _fastest(self) -> Array:
        return FASTEST * self._limits.velocity

    @cached_property
    def _strongest(self) -> Array:
        """Largest torque of inertia per axis; infinite where efforts do not even hold the arm.

        URDFs state efforts of 1 that mean nothing.
        """
        held = np.abs([dynamics.gravity(self._model, q) for q in self._postures]).max(axis=0)
        plausible = bool((held <= self._limits.effort).all())
        return STRONGEST * self._limits.effort if plausible else np.full_like(held, np.inf)

    @cached_property
    def _postures(self) -> Array:
        """Some postures within the ranges, or within a turn where they are endless."""
        low, high = (np.clip(end, -np.pi, np.pi) for end in self._limits.envelope())
        return np.random.default_rng(0).uniform(low, high, (_POSTURES, low.size))

    def _shaped(self, value: ArrayLike, what: str) -> Array:
        """Return one state, or an array of states with NaN for infinity."""
        array = (
            value
            if type(value) is np.ndarray and value.dtype is _DOUBLE
            else numbers(value, f"{what} of {self.name}")
        )
        if array.ndim == 0 or array.shape[-1] != self.n:
            raise InputError(
                f"{what} of {self.name} needs shape ({self.n},) or (..., {self.n}), got"
                f" {array.shape}"
            )
        return array if array.ndim == 1 else nan_for_infinity(array)

    def _single(self, array: Array, what: str) -> Array:
        if array.ndim != 1:
            raise InputError(f"{what} of {self.name} needs shape ({self.n},), got {array.shape}")
        return array

    def _in_si(self, shown: Array) -> Array:
        return np.where(self._limits.linear, shown / 1000.0, np.radians(shown))

    def _check_finite(self, values: Array, what: str) -> None:
        if not np.isfinite(values).all():
            raise InputError(f"{what} of {self.name} is not finite: {values.tolist()}")

    def _check_position(self, q: Array, what: str, shown: Array | None = None) -> None:
        """Refuse one position that is too far; ``shown`` is how the controller would show it."""
        self._check_finite(q, what)
        axis = _worst(q, self._farthest)
        if abs(q[axis]) > self._farthest[axis]:
            unit, other = ("m", "mm") if self._limits.linear[axis] else ("rad", "deg")
            value = f"{q[axis]:g} {unit}" if shown is None else f"{shown[axis]:g} {other}"
            advice = f"; are these {other}? use robot.from_controller(...)" if shown is None else ""
            raise InputError(
                f"{what}{axis + 1} = {value} of {self.name} is more than three times the largest"
                f" limit{advice}"
            )

    def _check_velocity(self, v: Array, what: str) -> None:
        self._check_finite(v, what)
        axis = _worst(v, self._fastest)
        if abs(v[axis]) > self._fastest[axis]:
            unit, other, advice = self._units(axis, "/s")
            raise InputError(
                f"{what}{axis + 1} = {v[axis]:g} {unit} of {self.name} is more than {FASTEST:g}"
                f" times its speed limit, {self._limits.velocity[axis]:.4g} {unit}; are these"
                f" {other}? {advice}"
            )

    def _check_acceleration(self, a: Array, q: Array) -> None:
        """Refuse one state's accelerations whose torque of inertia ``M a`` is too large."""
        self._check_finite(a, "a")
        if q.ndim > 1:
            return
        torque = dynamics.mass_matrix(self._model, q) @ a
        axis = _worst(torque, self._strongest)
        if abs(torque[axis]) > self._strongest[axis]:
            newton = "N" if self._limits.linear[axis] else "N m"
            _, other, advice = self._units(axis, "/s^2")
            raise InputError(
                f"a of {self.name} needs {abs(torque[axis]):.4g} {newton} at axis {axis + 1},"
                f" more than {STRONGEST:g} times its effort, {self._limits.effort[axis]:.4g}"
                f" {newton}; are these {other}? {advice}"
            )

    def _doubt_radians(self, q: Array) -> None:
        """Warn once of a position in whole numbers out of range in radians, in range as degrees.

        Whoever leaves the range on purpose hardly does so in whole radians, beyond half a turn.
        """
        if self._warned_of_degrees or (q % 1.0).any() or np.abs(q).max() <= np.pi:
            return
        if self._limits.in_range(q) or not self._limits.in_range(self._in_si(q)):
            return
        self._warned_of_degrees = True
        advice = "are these degrees? use robot.from_controller(...)"
        message = (
            f"q = {q.tolist()} of {self.name} is out of range, and in range as the controller"
            f" counts; {advice}"
        )
        warn(message)

    def _units(self, axis: int, rate: str) -> tuple[str, str, str]:
        """Unit of an axis, the one that was probably meant, and what makes one of the other."""
        if self._limits.linear[axis]:
            return f"m{rate}", f"mm{rate}", "divide them by 1000"
        return f"rad{rate}", f"deg{rate}", "use np.radians(...)"


def _finite_square(bounds: Array) -> float:
    least: float = min(float(bounds.min()), math.sqrt(sys.float_info.max))
    return least**2


def _worst(values: Array, bounds: Array) -> int:
    return int(np.argmax(np.abs(values) / bounds))
