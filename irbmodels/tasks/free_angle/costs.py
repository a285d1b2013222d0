"""Costs of postures by which a free angle is chosen; they add up and take weights.

A cost is a function of a robot, postures ``(K, 6)`` and angles ``(K,)`` that returns ``(K,)``
numbers, none negative. Each of those here is about 1 where a posture is worth avoiding, and near 0
where it is good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...checks import as_callable as checked_function
from ...checks import as_instance, number, numbers, positive, short_repr
from ...errors import InputError
from ...model.tree import UNLIMITED
from ...model.types import Array, Mask
from ...robot.robot import Robot

Function = Callable[[Robot, Array, Array], Array]

LARGEST = 1e6  # bound of a cost, so that sums of infinite ones can still be compared


@dataclass(frozen=True)
class Cost:
    """A sum of weighted costs: ``range_margin() + 0.5 * manipulability() + Cost.of(mine)``."""

    terms: tuple[tuple[str, float, Function], ...]

    def __post_init__(self) -> None:
        """Check every term.

        Raises:
            InputError: if one is no name, weight and function.
        """
        for term in as_instance(
            self.terms, tuple, "terms of a cost are a tuple of (name, weight, function)"
        ):
            if not (
                isinstance(term, tuple)
                and len(term) == 3
                and isinstance(term[0], str)
                and callable(term[2])
            ):
                raise InputError(
                    f"a term of a cost is (name, weight, function), not {short_repr(term)};"
                    " Cost.of(function) makes one"
                )
            number(term[1], "the weight of a cost", 0.0)

    @classmethod
    def of(cls, function: Function, name: str = "") -> Cost:
        """Make a cost of a function ``(robot, q (K, 6), phi (K,)) -> (K,)``."""
        if isinstance(function, Cost):
            return function
        checked_function(function, "a cost is a function of robot, q (K, 6) and phi (K,)")
        as_instance(name, str, "the name of a cost is a text")
        return cls(((name or getattr(function, "__name__", "cost"), 1.0, function),))

    def __add__(self, other: Cost) -> Cost:
        """Return the sum of both."""
        return Cost(self.terms + Cost.of(other).terms)

    def __mul__(self, weight: float) -> Cost:
        """Return the cost with another weight."""
        number(weight, "the weight of a cost", 0.0)
        return Cost(
            tuple((name, weight * factor, function) for name, factor, function in self.terms)
        )

    __rmul__ = __mul__

    def parts(self, robot: Robot, q: Array, phi: Array) -> dict[str, Array]:
        """Return the weighted values of each term, ``(K,)`` each.

        Raises:
            InputError: if a function returns another shape, or numbers below 0.
        """
        q, phi = numbers(q, "q"), numbers(phi, "phi")
        if phi.ndim != 1 or q.shape != (
            *phi.shape,
            as_instance(robot, Robot, "a cost is asked of an irbmodels.Robot").n,
        ):
            raise InputError(
                f"a cost is asked of q (K, {robot.n}) and phi (K,), not {q.shape} and {phi.shape}"
            )
        parts: dict[str, Array] = {}
        for name, weight, function in self.terms:
            values = numbers(function(robot, q, phi), f"cost {name}")
            if values.shape != phi.shape or not (values >= 0.0).all():
                raise InputError(
                    f"cost {name} needs {phi.shape} numbers that are not negative, got"
                    f" {values.shape}"
                )
            parts[name] = parts.get(name, 0.0) + np.minimum(weight * values, LARGEST)
        return parts

    def __call__(self, robot: Robot, q: Array, phi: Array) -> Array:
        """Return the sum ``(K,)``."""
        return np.asarray(np.sum(list(self.parts(robot, q, phi).values()), axis=0))


def range_margin() -> Cost:
    """Nearness to the ends of the ranges: 0 with all axes in the middle, infinite at a bound.

    The coupled range is included.

    Mean over the ranges of ``(upper - lower)^2 / (4 (upper - y) (y - lower)) - 1`` (Zghal, Dubey &
    Euler 1990); 1 with each axis at 15 % of its range from a bound.
    """

    def nearness(robot: Robot, q: Array, phi: Array) -> Array:
        below, above, bounded = _margins(robot, q)
        half = (below + above)[..., bounded] / 2.0
        with np.errstate(divide="ignore"):
            each = half**2 / np.maximum(below[..., bounded] * above[..., bounded], 0.0) - 1.0
        return np.asarray(np.maximum(each, 0.0).sum(axis=-1) / len(bounded))

    return Cost.of(nearness, "range margin")


def singularity_distance(wrist: float = 0.2, elbow: float = 0.2, shoulder: float = 0.1) -> Cost:
    """Nearness to singularities: sum of ``(near / distance)^2`` of wrist, elbow and shoulder.

    Args:
        wrist: Distance [rad] at which the wrist alone costs 1.
        elbow: The same of the stretched or folded arm [rad].
        shoulder: The same of the wrist centre from axis 1 [m].

    Raises:
        MissingData: when it is asked of an arm of another shape; there :func:`manipulability`
            serves.
    """
    distances = {"wrist [rad]": wrist, "elbow [rad]": elbow, "shoulder [m]": shoulder}
    nears = [
        number(value, f"the distance from the singularity of the {name}", 0.0)
        for name, value in distances.items()
    ]

    def nearness(robot: Robot, q: Array, phi: Array) -> Array:
        with np.errstate(divide="ignore"):
            terms = np.square(np.array(nears)[:, None] / robot.singularities(q)[:3])
        return np.asarray(np.minimum(terms.sum(axis=0), LARGEST))

    return Cost.of(nearness, "singularity distance")


def manipulability(reference: float = 0.05) -> Cost:
    """Lack of manipulability: ``(reference / w)^2`` with Yoshikawa's ``w = |det J|`` [m^3].

    Args:
        reference: The ``w`` [m^3] that costs 1.
    """
    near = positive(reference, "reference manipulability [m^3]")

    def lack(robot: Robot, q: Array, phi: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(
                np.minimum((near / np.abs(np.linalg.det(robot.jacobian(q)))) ** 2, LARGEST)
            )

    return Cost.of(lack, "manipulability")


def margins(robot: Robot, q: Array) -> Array:
    """Return the distance to the nearer end of each range [rad], shape ``(..., m)``.

    Bounds of sums are included. Negative outside, infinite where there is no range.
    """
    below, above, bounded = _margins(robot, q)
    return np.asarray(np.where(bounded, np.minimum(below, above), np.inf))


def _margins(robot: Robot, q: Array) -> tuple[Array, Array, Mask]:
    limits = robot.limits
    y = q @ limits.A.T
    return (
        y - limits.lower,
        limits.upper - y,
        (limits.lower > -UNLIMITED) & (limits.upper < UNLIMITED),
    )
