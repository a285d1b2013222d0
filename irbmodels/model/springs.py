"""Springs, balancers and torque offsets: forces of one axis each that follow from a potential.

All act in axis coordinates. With the potential energy ``U(q)`` a motor bears ``dU/dq`` beside the
weight. ``U`` is linear in the coefficients of an element, which are parameters of the regressor;
pivots, lengths and exponents are given.

A pulling element runs from a pivot ``b`` on the body before the axis to a pivot ``a`` on the body
after it. Both are points of the plane perpendicular to the axis, from the axis; a positive motion
turns the first coordinate towards the second, and ``a`` is where it stands at ``q = 0``. Their
distance, by the cosine rule::

    L^2 = |a|^2 + |b|^2 - 2 (a1 b1 + a2 b2) cos q - 2 (a1 b2 - a2 b1) sin q
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_int, finite, number
from ..errors import InputError
from .types import Array

Plane = tuple[float, float]
"""Point in the plane perpendicular to an axis, from the axis [m]."""


class Coefficient(NamedTuple):
    """A factor of the potential energy."""

    field: str
    """Attribute of the element."""
    name: str
    """Name of the parameter, before the number of the axis."""
    unit: str
    unit_linear: str
    """Unit for a linear axis."""


@dataclass(frozen=True)
class Spring(ABC):
    """A conservative element of one axis."""

    axis: int
    """Axis that it loads, 1-based as on the controller."""

    coefficients: ClassVar[tuple[Coefficient, ...]]
    """Factors that the torque is linear in."""
    rotary: ClassVar[bool] = False
    """True for elements that only an axis that turns can have."""

    def __post_init__(self) -> None:
        """Keep plain numbers.

        Raises:
            InputError: if one is no finite number, or the axis no number from 1.
        """
        for field in fields(self):
            what, value = f"{field.name} of a {type(self).__name__}", getattr(self, field.name)
            checked: object
            if field.name == "axis":
                checked = as_int(value, what, 1)
            elif field.type == "Plane":
                checked = tuple(finite(value, (2,), f"{what} [m]").tolist())
            else:
                checked = number(value, what)
            object.__setattr__(self, field.name, checked)

    @property
    def values(self) -> Array:
        """Coefficients, shape ``(c,)``."""
        return np.array([getattr(self, item.field) for item in self.coefficients])

    def with_values(self, values: ArrayLike) -> Spring:
        """Return the element with other coefficients, shape ``(c,)``."""
        what = f"coefficients of a {type(self).__name__}"
        given = finite(values, (len(self.coefficients),), what)
        named = zip(self.coefficients, given.tolist(), strict=True)
        return replace(self, **{item.field: value for item, value in named})

    def torque(self, q: ArrayLike) -> Array:
        """Torque ``dU/dq`` that holds the element at axis positions ``(...)`` [N m, N]."""
        return np.asarray(self.unit_torques(np.asarray(q, dtype=float)) @ self.values)

    def energy(self, q: ArrayLike) -> Array:
        """Potential energy ``U`` at axis positions ``(...)`` [J]."""
        return np.asarray(self.unit_energies(np.asarray(q, dtype=float)) @ self.values)

    def stiffness(self, q: ArrayLike) -> Array:
        """Slope of the torque at axis positions ``(...)`` [N m/rad, N/m]."""
        return np.asarray(self.unit_stiffness(np.asarray(q, dtype=float)) @ self.values)

    @abstractmethod
    def unit_energies(self, q: Array) -> Array:
        """Energy per unit of each coefficient at positions ``(...)``, shape ``(..., c)``."""

    @abstractmethod
    def unit_torques(self, q: Array) -> Array:
        """Torque per unit of each coefficient at positions ``(...)``, shape ``(..., c)``."""

    @abstractmethod
    def unit_stiffness(self, q: Array) -> Array:
        """Slope of :meth:`unit_torques`, shape ``(..., c)``."""

    @abstractmethod
    def constants(self) -> dict[str, float]:
        """Numbers of the formulas in machine code, by name."""

    def problem(self, lower: float, upper: float) -> str:
        """Return the reason why no such element exists on a range of the axis; empty if it may."""
        del lower, upper
        return ""

    def bounds(self, lower: float, upper: float) -> Array:
        """Return rows whose products with coefficients of an element that exists are not negative.

        Args:
            lower: Range of the axis [rad, m].
            upper: Its other end.

        Returns:
            Shape ``(m, c)``.
        """
        del lower, upper
        return np.zeros((0, len(self.coefficients)))


@dataclass(frozen=True)
class TorqueOffset(Spring):
    """A constant torque of a drive beyond mechanics, ``U = o q``."""

    offset: float
    """Torque that holding the axis takes besides, at any position [N m, N]."""

    coefficients: ClassVar = (Coefficient("offset", "offset", "N m", "N"),)

    def unit_energies(self, q: Array) -> Array:
        """``q``."""
        return q[..., None]

    def unit_torques(self, q: Array) -> Array:
        """1."""
        return np.ones((*q.shape, 1))

    def unit_stiffness(self, q: Array) -> Array:
        """0."""
        return np.zeros((*q.shape, 1))

    def constants(self) -> dict[str, float]:
        """The torque."""
        return {"UO": self.offset}


@dataclass(frozen=True)
class TorsionSpring(Spring):
    """A spring along the axis, ``U = k (q - q_rest)^2 / 2``."""

    k: float
    """Stiffness [N m/rad, N/m]."""
    rest: float
    """Position at which it bears nothing [rad, m]."""

    coefficients: ClassVar = (Coefficient("k", "k_torsion", "N m/rad", "N/m"),)

    def unit_energies(self, q: Array) -> Array:
        """``(q - q_rest)^2 / 2``."""
        return 0.5 * np.square(q - self.rest)[..., None]

    def unit_torques(self, q: Array) -> Array:
        """``q - q_rest``."""
        return (q - self.rest)[..., None]

    def unit_stiffness(self, q: Array) -> Array:
        """1."""
        return np.ones((*q.shape, 1))

    def constants(self) -> dict[str, float]:
        """Stiffness and position of rest."""
        return {"UK": self.k, "UQ": self.rest}

    def problem(self, lower: float, upper: float) -> str:
        """Return a line about a stiffness that is negative."""
        return f"its stiffness k = {self.k:g} is negative" if self.k < 0.0 else ""

    def bounds(self, lower: float, upper: float) -> Array:
        """The stiffness."""
        del lower, upper
        return np.ones((1, 1))


@dataclass(frozen=True)
class PullingElement(Spring):
    """An element between two pivots; its force is positive where it pulls them together."""

    before: Plane
    """Pivot on the body before the axis, ``b`` [m]."""
    after: Plane
    """Pivot on the body after the axis, ``a``, where it is at ``q = 0`` [m]."""
    length: float
    """Distance of the pivots at which the force is ``F0`` [m]."""
    F0: float
    """Force at that length [N]."""

    rotary: ClassVar[bool] = True

    def distance(self, q: ArrayLike) -> Array:
        """Distance ``L`` of the pivots at axis positions ``(...)`` [m]."""
        angle = np.asarray(q, dtype=float)
        both, cosine, sine = self.cosine_rule
        square = both - cosine * np.cos(angle) - sine * np.sin(angle)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))  # rounding, where pivots meet

    def force(self, q: ArrayLike) -> Array:
        """Force at axis positions ``(...)`` [N], positive where it pulls."""
        return np.asarray(self._unit_forces(self.distance(q) - self.length) @ self.values)

    @property
    def cosine_rule(self) -> tuple[float, float, float]:
        """``s``, ``c`` and ``d`` of ``L^2 = s - c cos q - d sin q`` [m^2]."""
        (b1, b2), (a1, a2) = self.before, self.after
        square = a1 * a1 + a2 * a2 + b1 * b1 + b2 * b2
        return square, 2.0 * (a1 * b1 + a2 * b2), 2.0 * (a1 * b2 - a2 * b1)

    def unit_torques(self, q: Array) -> Array:
        """Forces times lever arm ``dL/dq``."""
        length, lever, _ = self._lever(q)
        return self._unit_forces(length - self.length) * lever[..., None]

    def unit_stiffness(self, q: Array) -> Array:
        """Slope of the forces times the lever arm's square, and forces times its slope."""
        length, lever, slope = self._lever(q)
        stroke = length - self.length
        by_force = self._unit_slopes(stroke) * np.square(lever)[..., None]
        return np.asarray(by_force + self._unit_forces(stroke) * slope[..., None])

    def _lever(self, q: Array) -> tuple[Array, Array, Array]:
        """``L``, ``dL/dq`` and its slope."""
        _, cosine, sine = self.cosine_rule
        length = self.distance(q)
        lever = 0.5 * (cosine * np.sin(q) - sine * np.cos(q)) / length
        bend = 0.5 * (cosine * np.cos(q) + sine * np.sin(q))
        return length, lever, (bend - np.square(lever)) / length

    @abstractmethod
    def _unit_forces(self, stroke: Array) -> Array:
        """Force per unit of each coefficient."""

    @abstractmethod
    def _unit_slopes(self, stroke: Array) -> Array:
        """Their slopes by the length."""

    def constants(self) -> dict[str, float]:
        """Numbers of the cosine rule, length and force."""
        names = ("UA", "UC", "US"), self.cosine_rule
        return {**dict(zip(*names, strict=True)), "UL": self.length, "UF": self.F0}

    def problem(self, lower: float, upper: float) -> str:
        """Return a line about pivots that meet, or on the axis, or what the force law forbids."""
        shortest, longest = self.lengths(lower, upper)
        radii = math.hypot(*self.before), math.hypot(*self.after)
        if min(radii) <= 1e-6 * max(radii):
            return "a pivot is on the axis, which then has no lever arm anywhere"
        if self.length < 0.0:
            return f"its length of {self.length:g} m is no distance"
        if shortest <= 1e-6 * math.hypot(*self.before, *self.after):
            return "its pivots meet within the range of the axis, where its direction is open"
        return self._problem(shortest, longest)

    def lengths(self, lower: float, upper: float) -> tuple[float, float]:
        """Return the least and the largest distance of the pivots on a range of the axis [m]."""
        _, cosine, sine = self.cosine_rule
        nearest = math.atan2(sine, cosine)
        if upper - lower >= 2.0 * math.pi:  # every angle of a turn
            lower, upper = nearest, nearest + math.pi
        first = math.ceil((lower - nearest) / math.pi)
        last = math.floor((upper - nearest) / math.pi)
        at = np.array([lower, upper, *(nearest + math.pi * np.arange(first, last + 1))])
        span = self.distance(at)
        return float(span.min()), float(span.max())

    @abstractmethod
    def _problem(self, shortest: float, longest: float) -> str:
        """Return what the force law forbids between two lengths."""


@dataclass(frozen=True)
class CoilSpring(PullingElement):
    """A coil spring that pulls with ``F0 + k (L - length)``."""

    k: float
    """Stiffness [N/m]."""

    coefficients: ClassVar = (
        Coefficient("F0", "F0_spring", "N", "N"),
        Coefficient("k", "k_spring", "N/m", "N/m"),
    )

    def unit_energies(self, q: Array) -> Array:
        """Stroke, and half its square."""
        stroke = self.distance(q) - self.length
        return np.stack([stroke, 0.5 * np.square(stroke)], axis=-1)

    def _unit_forces(self, stroke: Array) -> Array:
        return np.stack([np.ones_like(stroke), stroke], axis=-1)

    def _unit_slopes(self, stroke: Array) -> Array:
        return np.stack([np.zeros_like(stroke), np.ones_like(stroke)], axis=-1)

    def constants(self) -> dict[str, float]:
        """Stiffness besides."""
        return super().constants() | {"UK": self.k}

    def bounds(self, lower: float, upper: float) -> Array:
        """The stiffness, and the force at the least length."""
        shortest, _ = self.lengths(lower, upper)
        return np.array([[0.0, 1.0], [1.0, shortest - self.length]])

    def _problem(self, shortest: float, longest: float) -> str:
        if self.k < 0.0:
            return f"its stiffness k = {self.k:g} N/m is negative"
        least = self.F0 + self.k * (shortest - self.length)
        if least < 0.0:
            return (
                f"a coil that pulls would push with {-least:.4g} N at its least length of"
                f" {shortest:.4g} m"
            )
        return ""


@dataclass(frozen=True)
class GasSpring(PullingElement):
    """A gas or hydraulic cylinder with its accumulator, ``F = F0 (1 - (L - length) / c)^-kappa``.

    The gas has the volume ``A c`` at ``length``, with the area ``A`` of the piston, and the force
    ``p0 A``. One that is compressed as the element gets longer pulls: ``c`` and ``F0`` are
    positive; a strut whose gas is compressed as it gets shorter pushes: both are negative. ``kappa
    = 1`` is gas at the temperature around it, 1.4 nitrogen too fast to exchange heat.
    """

    column: float
    """Length ``c`` of the gas, volume by area of the piston [m]."""
    exponent: float
    """``kappa``."""

    coefficients: ClassVar = (Coefficient("F0", "F0_gas", "N", "N"),)

    def unit_energies(self, q: Array) -> Array:
        """Work of compression from ``length``: ``int (1 - s / c)^-kappa ds``."""
        left = 1.0 - (self.distance(q) - self.length) / self.column
        power = self.exponent - 1.0
        if power == 0.0:
            return np.asarray(-self.column * np.log(left)[..., None])
        return np.asarray(self.column / power * (left**-power - 1.0)[..., None])

    def _unit_forces(self, stroke: Array) -> Array:
        return np.asarray(((1.0 - stroke / self.column) ** -self.exponent)[..., None])

    def _unit_slopes(self, stroke: Array) -> Array:
        left = 1.0 - stroke / self.column
        return np.asarray((self.exponent / self.column * left ** (-self.exponent - 1.0))[..., None])

    def constants(self) -> dict[str, float]:
        """One by the length of the gas, and the exponent less 1, besides."""
        return super().constants() | {"UG": 1.0 / self.column, "UE": self.exponent - 1.0}

    def __post_init__(self) -> None:
        """Keep plain numbers.

        Raises:
            InputError: if the gas has no length, or the exponent is below 1.
        """
        super().__post_init__()
        if self.column == 0.0 or self.exponent < 1.0:
            raise InputError(
                "a GasSpring needs a column other than 0 m and an exponent of 1 or more, got"
                f" {self.column:g} and {self.exponent:g}"
            )

    def bounds(self, lower: float, upper: float) -> Array:
        """The force in the direction in which the gas gives it."""
        del lower, upper
        return np.array([[math.copysign(1.0, self.column)]])

    def _problem(self, shortest: float, longest: float) -> str:
        if self.F0 * self.column < 0.0:
            return (
                f"its force F0 = {self.F0:g} N and the length of its gas {self.column:g} m need one"
                " sign: both positive where it pulls, both negative where it pushes"
            )
        worst = longest if self.column > 0.0 else shortest
        if (worst - self.length) / self.column >= 1.0:
            return f"at {worst:.4g} m between its pivots its gas is compressed to nothing"
        return ""
