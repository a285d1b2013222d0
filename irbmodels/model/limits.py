"""Limits of axes: ranges and bounds of sums of axes (those of a parallelogram), speeds, efforts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import numbers, states
from ..errors import InputError, MissingData
from .equality import ByValue
from .inertia import Inertial
from .load_limits import LoadLimits
from .tree import UNLIMITED
from .types import Array, IntArray, Mask

Values = TypeVar("Values", bound=NDArray[Any])

ROUNDING = 1e-9  # [rad, m, N m] a bound typed in degrees is kept although q3 - q2 rounds


class Violation(NamedTuple):
    """One bound that a state does not keep."""

    axis: int | None
    """1-based, as on the controller; None for a load as a whole."""
    quantity: str
    """Quantity out of bounds: ``q2``, ``q3 - q2``, ``v4``, ``tau1``.

    Of tool and payload ``load``, ``M4``, ``M5``, ``M6``, ``J5``, ``J6``.
    """
    value: float
    """In SI units, as the bounds."""
    lower: float
    upper: float
    unit: str
    """``rad``, ``m``, ``rad/s``, ``m/s``, ``N m``, ``N``; of a load ``kg`` and ``kg m^2``, too."""
    assumed: bool
    """True if the bound itself is only assumed."""

    def __str__(self) -> str:
        """Return value and bounds in the controller's degrees and millimetres."""
        shown = self.unit.replace("rad", "deg").replace("m/s", "mm/s") if self.unit != "m" else "mm"
        factor = (
            math.degrees(1.0) if "rad" in self.unit else 1000.0 if shown.startswith("mm") else 1.0
        )
        value, lower, upper = (
            f"{factor * number:.6g}" for number in (self.value, self.lower, self.upper)
        )
        bounds = "assumed bounds" if self.assumed else "bounds"
        whose = "" if self.axis is None else f"axis {self.axis}: "
        return (
            f"{whose}{self.quantity} = {value} {shown} is outside its {bounds} {lower} .. {upper}"
            f" {shown}"
        )


class AxisRanges(NamedTuple):
    """One range per axis, ``lower <= A q <= upper`` with an invertible ``A``."""

    A: Array
    """``(n, n)``"""
    inverse: Array
    """Of ``A``."""
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class Limits(ByValue):
    """Bounds in SI units.

    Positions are bounded row by row: ``lower <= A q <= upper``. Speeds and efforts are those of the
    ``n`` axes.
    """

    lower: Array
    """``(m,)``"""
    upper: Array
    velocity: Array
    """``(n,)``; infinite where unknown, as are efforts: it bounds nothing."""
    effort: Array
    A: Array
    """``(m, n)`` of -1, 0 and 1: first one row per axis, its range, which form an invertible
    matrix; then bounds of sums of axes beside these ranges, if there are any.

    The range of axis 3 of a parallelogram arm may be one of ``q3 - q2``, or one of ``q3`` with a
    bound on ``q3 - q2`` beside it. See docs/background/conventions.md.
    """
    linear: Mask
    """``(n,)``"""
    range_assumed: Mask
    """``(m,)``"""
    velocity_assumed: Mask
    """``(n,)``; False where unknown."""
    effort_assumed: Mask
    load: LoadLimits | None = None
    """Limits of the load; None where nothing is known."""

    def __post_init__(self) -> None:
        """Make the shared arrays read-only."""
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    @property
    def n(self) -> int:
        """Number of axes."""
        return len(self.velocity)

    @property
    def assumed(self) -> dict[str, Mask]:
        """Axes of which a limit is only assumed, ``(n,)`` each, by ``range, speed, torque``."""
        return {
            "range": self.by_axis(self.range_assumed),
            "speed": self.velocity_assumed,
            "torque": self.effort_assumed,
        }

    def load_violations(self, load: Inertial | None) -> list[Violation]:
        """Return every bound that a load, in the axes of tool0, does not keep; None is no load."""
        if load is None or self.load is None:
            return []
        return [
            Violation(row.axis, row.quantity, row.value, 0.0, row.limit, row.unit, row.assumed)
            for row in self.load.shares(load)
            if row.value > row.limit * (1.0 + ROUNDING)
        ]

    def need_speeds(self, name: str, purpose: str, axes: Mask | None = None) -> None:
        """Refuse what cannot be done without the speed limit of every axis.

        Args:
            name: Of the robot.
            purpose: What is refused.
            axes: Those that matter, ``(n,)``; None for all.

        Raises:
            MissingData: if the speed limit of one of them is unknown.
        """
        unknown = np.isinf(self.velocity) & (True if axes is None else axes)
        if unknown.any():
            raise MissingData(
                f"{purpose} needs the speed limit of {format_axes(unknown)} of {name}, which is"
                " unknown; give your own: speed_deg_s in an overlay or in the data sheet of an arm"
                " of your own (docs/howto/own_robot.md), <limit velocity> in a URDF"
            )

    @cached_property
    def axis_ranges(self) -> AxisRanges:
        """Ranges of the axes alone, without the bounds of sums beside them."""
        A = self.A[: self.n]
        return AxisRanges(
            A, np.asarray(np.linalg.inv(A)), self.lower[: self.n], self.upper[: self.n]
        )

    @cached_property
    def row_axes(self) -> IntArray:
        """Axis from 0 that each row bounds, ``(m,)``: of a sum that of the highest number."""
        sums = [int(np.flatnonzero(row)[-1]) for row in self.A[self.n :]]
        return np.array([*range(self.n), *sums])

    def envelope(self) -> tuple[Array, Array]:
        """Smallest and largest value each single axis position can take, shape ``(n,)`` each.

        Bounds of sums beside the ranges narrow it.
        """
        _, inverse, lower, upper = self.axis_ranges
        up, down = np.maximum(inverse, 0.0), np.minimum(inverse, 0.0)
        low, high = up @ lower + down @ upper, up @ upper + down @ lower
        return self._narrowed(low, high) if len(self.A) > self.n else (low, high)

    def _narrowed(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Narrow ends ``(n,)`` of single axes by every row until none does.

        Exact for rows of one axis and of one difference or sum of the same two axes.
        """
        for _ in range(2 * len(self.A)):  # each pass carries a bound across one row
            before = low.copy(), high.copy()
            for row, least, most in zip(self.A, self.lower, self.upper, strict=True):
                for axis in np.flatnonzero(row):
                    others = np.delete(np.arange(self.n), axis)
                    smallest, largest = sum_ends(row[others], low[others], high[others])
                    ends = sorted(((least - largest) / row[axis], (most - smallest) / row[axis]))
                    low[axis], high[axis] = max(low[axis], ends[0]), min(high[axis], ends[1])
            if (before[0] == low).all() and (before[1] == high).all():
                break
        return low, high

    def row_of(self, total: Array) -> tuple[int, float] | None:
        """Return the row that bounds a sum ``total @ q``, and its sign in the sum; None: no row."""
        for sign in (1.0, -1.0):
            rows = np.flatnonzero((sign * total == self.A).all(axis=1))
            if rows.size:
                return int(rows[0]), sign
        return None

    def sum_range(self, total: Array) -> tuple[float, float]:
        """Return the smallest and largest value of a sum ``total @ q`` by its row and envelope."""
        low, high = sum_ends(total, *self.envelope())
        if (row := self.row_of(total)) is not None:
            k, sign = row
            ends = sorted((sign * float(self.lower[k]), sign * float(self.upper[k])))
            low, high = max(low, ends[0]), min(high, ends[1])
        return low, high

    def by_axis(self, values: Values) -> Values:
        """Return the largest of the values of the rows of each axis, ``(..., n)`` of ``(..., m)``.

        A bound of a sum is one of :attr:`row_axes`.
        """
        result = cast(Values, values[..., : self.n].copy())
        for k in range(self.n, len(self.A)):
            axis = self.row_axes[k]
            result[..., axis] = np.maximum(result[..., axis], values[..., k])
        return result

    @cached_property
    def middle(self) -> Array:
        """Posture inside every bound, ``(n,)``; 0 where an axis has no range.

        In the middle of every range; where sums are bounded besides, in the middle of what is left
        for each axis by those before it.
        """
        A, _, lower, upper = self.axis_ranges
        endless = (np.abs(lower) >= UNLIMITED) | (np.abs(upper) >= UNLIMITED)
        low, high = (np.where(endless, 0.0, ends) for ends in (lower, upper))
        q: Array = np.asarray(np.linalg.solve(A, 0.5 * (low + high)))
        coupled = np.flatnonzero((self.A[self.n :] != 0.0).any(axis=0))
        if len(coupled):
            low, high = self.envelope()
            for axis in coupled:
                q[axis] = low[axis] = high[axis] = 0.5 * (low[axis] + high[axis])
                low, high = self._narrowed(low, high)
        return q

    def moved_inside(self, q: Array) -> Array:
        """Return positions ``(..., n)`` that keep the range of every axis, inside all bounds.

        Where one breaks a bound of a sum, the axes of such sums are moved towards :attr:`middle`,
        on to the bound. Without such bounds the positions are returned as they are.
        """
        rows = self.A[self.n :]
        if not len(rows):
            return q
        coupled = (rows != 0.0).any(axis=0)
        away = np.where(coupled, q - self.middle, 0.0)
        by_row, centre = away @ rows.T, rows @ self.middle
        end = np.where(by_row > 0.0, self.upper[self.n :], self.lower[self.n :]) - centre
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(by_row != 0.0, end / by_row, 1.0).min(axis=-1, initial=1.0)
        return np.asarray(q - (1.0 - share)[..., None] * away)

    def keep_sums(self, q: Array) -> Mask:
        """Return whether positions ``(..., n)`` keep the bounds of sums beside the ranges."""
        values, rows = q @ self.A[self.n :].T, slice(self.n, None)
        kept = (values >= self.lower[rows] - ROUNDING) & (values <= self.upper[rows] + ROUNDING)
        return np.asarray(np.all(kept, axis=-1))

    def in_range(self, q: ArrayLike) -> Mask:
        """Return whether positions ``(..., n)`` keep every bound, as ``(...)``; NaN never does."""
        values = states(q, self.n, "axis positions") @ self.A.T
        kept = (values >= self.lower - ROUNDING) & (values <= self.upper + ROUNDING)
        return np.asarray(np.all(kept, axis=-1))

    def violations(
        self, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None
    ) -> list[Violation]:
        """Return every bound that one state ``(n,)`` does not keep; NaN keeps none.

        Raises:
            InputError: if a shape is wrong.
        """
        violations = self._outside(
            self.A @ self._one(q, "axis positions"),
            self.lower,
            self.upper,
            self.range_assumed,
            self.names(),
            ("m", "rad"),
        )
        if v is not None:
            names = [f"v{i + 1}" for i in range(self.n)]
            violations += self._outside(
                self._one(v, "axis speeds"),
                -self.velocity,
                self.velocity,
                self.velocity_assumed,
                names,
                ("m/s", "rad/s"),
            )
        if tau is not None:
            names = [f"tau{i + 1}" for i in range(self.n)]
            violations += self._outside(
                self._one(tau, "torques"),
                -self.effort,
                self.effort,
                self.effort_assumed,
                names,
                ("N", "N m"),
            )
        return violations

    def largest(self) -> Array:
        """Largest position of any axis of the same kind (rotary, linear), shape ``(n,)``."""
        low, high = self.envelope()
        size = np.maximum(np.abs(low), np.abs(high))
        return np.array([size[self.linear == kind].max() for kind in self.linear])

    def names(self) -> list[str]:
        """Return the quantity that each row bounds, ``(m,)``: ``q2``, ``q3 - q2``."""
        return [combination(row) for row in self.A]

    def _one(self, value: ArrayLike, what: str) -> Array:
        array = numbers(value, what)
        if array.shape != (self.n,):
            raise InputError(f"{what} of one state need shape ({self.n},), got {array.shape}")
        return array

    def _outside(
        self,
        values: Array,
        low: Array,
        high: Array,
        assumed: Mask,
        names: list[str],
        units: tuple[str, str],
    ) -> list[Violation]:
        axes = self.row_axes
        bad = ~((values >= low - ROUNDING) & (values <= high + ROUNDING))
        return [
            Violation(
                int(axes[i]) + 1,
                names[i],
                float(values[i]),
                float(low[i]),
                float(high[i]),
                units[not self.linear[axes[i]]],
                bool(assumed[i]),
            )
            for i in np.flatnonzero(bad)
        ]


def sum_ends(row: Array, low: Array, high: Array) -> tuple[float, float]:
    """Return the smallest and largest value of ``row @ q`` with ``q`` between ``low`` and ``high``.

    Args:
        row: Factors, ``(n,)``; one of 0 counts nothing, also where an end is infinite.
        low: Lower ends, ``(n,)``.
        high: Upper ends, ``(n,)``.
    """
    used = np.flatnonzero(row)
    ends = row[used, None] * np.stack([low, high], axis=1)[used]
    return float(ends.min(axis=1).sum()), float(ends.max(axis=1).sum())


def format_axes(flags: Mask) -> str:
    """Return ``axis 3``, ``axes 1 and 3`` or ``axes 1, 2 and 3``."""
    numbers = [str(i + 1) for i in np.flatnonzero(flags)]
    if len(numbers) < 2:
        return f"axis {''.join(numbers)}"
    return f"axes {', '.join(numbers[:-1])} and {numbers[-1]}"


def combination(row: Array) -> str:
    """Return a sum of axis positions in words, ``q3 - q2``, for the factor (1, 0 or -1) of each."""
    plus, minus = (
        [f"q{i + 1}" for i in np.flatnonzero(np.sign(row) == sign)[::-1]] for sign in (1, -1)
    )
    return " - ".join([" + ".join(plus), *minus]).strip()
