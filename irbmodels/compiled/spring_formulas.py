"""Potential energy of springs, balancers and torque offsets as traced formulas.

Torques follow as derivatives, so that one formula serves energy, torque, regressor and slopes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..model.springs import CoilSpring, GasSpring, Spring, TorqueOffset, TorsionSpring
from .spatial import Vector, is_zero
from .trace import Scalar, cos, exp, log, sin, sqrt

Numbers = Callable[[str], Scalar]
"""Function from the name of a number of the element to its value."""

COEFFICIENTS: Mapping[type[Spring], tuple[str, ...]] = {
    TorqueOffset: ("UO",),
    TorsionSpring: ("UK",),
    CoilSpring: ("UF", "UK"),
    GasSpring: ("UF",),
}
"""Names of the factors of the energy, in the order of ``Spring.coefficients``."""


def unit_energies(spring: Spring, q: Scalar, number: Numbers) -> Vector:
    """Energy per unit of each coefficient of an element at a position of its axis."""
    if isinstance(spring, TorqueOffset):
        return [q]
    if isinstance(spring, TorsionSpring):
        return [_half_square(q - number("UQ"))]
    square = number("UA") - (number("UC") * cos(q) + number("US") * sin(q))
    stroke = sqrt(square) - number("UL")
    if isinstance(spring, CoilSpring):
        return [stroke, _half_square(stroke)]
    by_column, power = number("UG"), number("UE")
    left = 1.0 - by_column * stroke
    if is_zero(power):
        return [-(log(left) / by_column)]
    return [(exp(-(power * log(left))) - 1.0) / (by_column * power)]


def energies(spring: Spring, q: Scalar, number: Numbers) -> Vector:
    """Summands of the potential energy of an element."""
    names = COEFFICIENTS[type(spring)]
    units = unit_energies(spring, q, number)
    return [number(name) * unit for name, unit in zip(names, units, strict=True)]


def _half_square(x: Scalar) -> Scalar:
    return 0.5 * (x * x)
