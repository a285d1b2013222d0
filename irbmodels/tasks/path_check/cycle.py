"""Power, energy and duty of the axes over one cycle of a path, at the arm side of the gears."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...model.types import Array, Mask
from ...trajectory.differentiation import REST, WINDOW
from .samples import Samples

_RATE = REST / WINDOW  # [deg/s, mm/s] an axis that moves slower stands still, as in motion files
GEAR_LIFE = 3.0
"""Exponent of torque in the life of a gear: of the wave generator's bearing ``L50 = Ln (nN / n)
(TN / T)^3`` [Harmonic Drive AG, Engineering Data CSD-2A 1019659 11/2014, p. 20]."""


class Power(NamedTuple):
    """Mechanical power and energy of each axis ``(n,)``, or of all together ``()``."""

    peak: Array
    """Largest power that the drive puts in [W]."""
    braking: Array
    """Largest regenerative power, that the arm gives back to the drive [W]; not negative."""
    driven: Array
    """Energy that the drive puts in over the cycle [J]."""
    regenerated: Array
    """Energy that the arm gives back over the cycle [J]; not negative.

    A drive stores it, feeds other axes with it, or burns it in a bleeder resistor: not known here.
    """

    @property
    def net(self) -> Array:
        """Energy that stays in the arm [J]: friction, a cut, and what the arm was lifted by."""
        return self.driven - self.regenerated


class Cycle(NamedTuple):
    """Power, energy and duty of the axes; NaN where masses are unknown."""

    duration: float
    """[s]"""
    axes: Power
    """Of each axis ``(n,)``."""
    together: Power
    """Of the sum of the axes at each instant ``()``: drives on one DC link share their energy."""
    friction: Array
    """Energy that friction turns into heat, per axis ``(n,)`` [J]; 0 without friction data."""
    moving: Array
    """Share of the time in which the axis moves ``(n,)``; NaN of a single posture."""
    rms_torque: Array
    """Root mean square of the torque ``(n,)`` [N m, N], what holds the arm at rest included."""
    equivalent_torque: Array
    """Steady torque that costs a gear as much life, ``(n,)`` [N m, N].

    ``(integral |tau|^3 |v| dt / integral |v| dt)^(1/3)`` by :data:`GEAR_LIFE`; NaN of an axis that
    never moves.
    """

    @property
    def mean(self) -> Array:
        """Mean mechanical power of each axis ``(n,)`` [W]."""
        return self.axes.net / (self.duration or math.nan)

    @property
    def friction_power(self) -> Array:
        """Mean friction loss of each axis ``(n,)`` [W]: heat in motor, gear and bearings."""
        return self.friction / (self.duration or math.nan)


class CycleIntegrals:
    """Running integrals over time, by the trapezoidal rule between samples.

    Power between two samples is a line; where it changes its sign, its two parts are triangles.
    """

    def __init__(self, linear: Mask) -> None:
        """Begin for axes that are linear or not ``(n,)``."""
        n = len(linear)
        self._still = _RATE * np.where(linear, 1e-3, math.radians(1.0))
        self._duration = 0.0
        # columns: the axes, and their sum
        self._extremes = np.zeros((2, n + 1))
        self._energies = np.zeros((2, n + 1))
        self._friction, self._moving, self._squares = np.zeros((3, n))
        self._life, self._way = np.zeros((2, n))
        self._last: tuple[Array, ...] | None = None

    def add(self, samples: Samples) -> None:
        """Take the next samples."""
        power = np.column_stack([samples.power, samples.total_power])
        speed, torque = np.abs(samples.v), samples.parts.total
        loss = samples.parts.friction * samples.v
        columns: tuple[Array, ...] = (samples.t, power, speed, torque, loss)
        if self._last is not None:
            pairs = zip(self._last, columns, strict=True)
            columns = tuple(np.concatenate([last, column]) for last, column in pairs)
        self._last = tuple(column[-1:] for column in columns)
        t, power, speed, torque, loss = columns
        dt = np.diff(t)[:, None]
        self._duration += float(dt.sum())
        signed = np.stack([power, -power])
        self._extremes = np.maximum(self._extremes, signed.max(axis=1))
        self._energies += np.stack([_positive_part(one, dt) for one in signed])
        self._friction += _trapezoids(loss, dt)
        self._squares += _trapezoids(torque**2, dt)
        self._life += _trapezoids(np.abs(torque) ** GEAR_LIFE * speed, dt)
        self._way += _trapezoids(speed, dt)
        moving = np.maximum(speed[:-1], speed[1:]) > self._still
        self._moving += (moving * dt).sum(axis=0)

    def result(self) -> Cycle:
        """Return power, energy and duty of the samples so far."""
        time = self._duration or math.nan
        parts = [part + 0.0 for part in (*self._extremes, *self._energies)]  # no -0
        way = np.where(self._way > 0.0, self._way, math.nan)
        return Cycle(
            self._duration,
            Power(*(part[:-1] for part in parts)),
            Power(*(part[-1] for part in parts)),
            self._friction,
            self._moving / time,
            np.sqrt(self._squares / time),
            (self._life / way) ** (1.0 / GEAR_LIFE),
        )


def _trapezoids(values: Array, dt: Array) -> Array:
    """Return the integral of values ``(N, n)`` over steps ``(N - 1, 1)``."""
    total: Array = (0.5 * (values[:-1] + values[1:]) * dt).sum(axis=0)
    return total


def _positive_part(values: Array, dt: Array) -> Array:
    """Return the integral of the part of lines between values ``(N, n)`` that is above 0."""
    first, second = np.maximum(values[:-1], 0.0), np.maximum(values[1:], 0.0)
    size = np.abs(values[:-1]) + np.abs(values[1:])
    crossed = values[:-1] * values[1:] < 0.0
    share = np.divide(first + second, size, out=np.ones_like(size), where=crossed)
    total: Array = (0.5 * (first + second) * share * dt).sum(axis=0)
    return total
