"""Springs of all axes of a robot: their names, sums over the axes, and checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..checks import as_list
from ..errors import InputError
from .springs import Spring
from .types import Array, Mask


def names_of(springs: Sequence[Spring]) -> list[str]:
    """Return the names of all coefficients, such as ``k_spring_2``, in the order of the regressor.

    A second element of one kind at an axis counts: ``k_spring_2.2``.
    """
    names: list[str] = []
    for spring in springs:
        for item in spring.coefficients:
            name = base = f"{item.name}_{spring.axis}"
            count = 1
            while name in names:
                count += 1
                name = f"{base}.{count}"
            names.append(name)
    return names


def units_of(spring: Spring, linear: bool) -> list[str]:
    """Return the units of the coefficients of an element at a rotary or linear axis."""
    return [item.unit_linear if linear else item.unit for item in spring.coefficients]


def torque(springs: Iterable[Spring], q: Array) -> Array:
    """Torques that hold all elements, at axis positions ``(..., n)`` [N m, N]."""
    total = np.zeros(q.shape)
    for spring in springs:
        total[..., spring.axis - 1] += spring.torque(q[..., spring.axis - 1])
    return total


def energy(springs: Iterable[Spring], q: Array) -> Array:
    """Potential energy of all elements at axis positions ``(..., n)`` [J]."""
    total = np.zeros(q.shape[:-1])
    for spring in springs:
        total += spring.energy(q[..., spring.axis - 1])
    return total


def stiffness(springs: Iterable[Spring], q: Array) -> Array:
    """Slopes of :func:`torque` at axis positions ``(..., n)``, a diagonal ``(..., n)``."""
    total = np.zeros(q.shape)
    for spring in springs:
        total[..., spring.axis - 1] += spring.stiffness(q[..., spring.axis - 1])
    return total


def regressor(springs: Sequence[Spring], q: Array) -> Array:
    """Matrices ``(..., n, c)`` from :func:`parameters` to torques at positions ``(..., n)``."""
    columns = np.zeros((*q.shape, sum(len(spring.coefficients) for spring in springs)))
    first = 0
    for spring in springs:
        last = first + len(spring.coefficients)
        columns[..., spring.axis - 1, first:last] = spring.unit_torques(q[..., spring.axis - 1])
        first = last
    return columns


def energy_regressor(springs: Sequence[Spring], q: Array) -> Array:
    """Rows ``(..., c)`` from :func:`parameters` to potential energies at positions ``(..., n)``."""
    rows = [spring.unit_energies(q[..., spring.axis - 1]) for spring in springs]
    return np.concatenate([np.zeros((*q.shape[:-1], 0)), *rows], axis=-1)


def parameters(springs: Sequence[Spring]) -> Array:
    """Coefficients of all elements, one after the other, shape ``(c,)``."""
    return np.concatenate([np.zeros(0), *(spring.values for spring in springs)])


def check_springs(
    springs: Iterable[Spring] | None, lower: Array, upper: Array, linear: Mask
) -> tuple[Spring, ...]:
    """Return elements that the axes of a robot can have.

    Args:
        springs: The elements; None for none.
        lower: Ranges of the axes [rad, m], shape ``(n,)``.
        upper: Their other ends.
        linear: True for axes that slide.

    Raises:
        InputError: if one is no element, of an axis that the robot has not, needs an axis that
            turns, or cannot exist: a coil that pushes, a gas without volume, pivots that meet.
    """
    if springs is None:
        return ()
    n = len(lower)
    chosen = as_list(springs, Spring, "springs are a list of irbmodels.CoilSpring and its like")
    for spring in chosen:
        kind = f"{type(spring).__name__} of axis {spring.axis}"
        if spring.axis > n:
            raise InputError(f"{kind}: the robot has {n} axes")
        place = spring.axis - 1
        if spring.rotary and linear[place]:
            raise InputError(f"{kind}: the axis slides, and pivots need one that turns")
        if problem := spring.problem(float(lower[place]), float(upper[place])):
            raise InputError(f"{kind}: {problem}")
    return tuple(chosen)
