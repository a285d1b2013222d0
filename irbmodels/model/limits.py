"""Limits of axes: ranges (the coupled one of a parallelogram included), speeds, efforts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import numbers, states
from ..errors import InputError
from .inertia import Inertial
from .types import Array, Mask

ROUNDING = 1e-9  # [rad, m, N m] a bound typed in degrees is kept although q3 - q2 rounds


class Violation(NamedTuple):
    """One bound that a state does not keep."""

    axis: int | None
    """1-based, as on the controller; None for a load as a whole."""
    quantity: str
    """Quantity out of bounds: ``q2``, ``q3 - q2``, ``v4``, ``tau1``.

    Of tool and payload ``load``, ``J5``, ``J6``.
    """
    value: float
    """In SI units, as the bounds."""
    lower: float
    upper: float
    unit: str
    """``rad``, ``m``, ``rad/s``, ``m/s``, ``N m`` or ``N``; of a load ``kg`` or ``kg m^2``."""
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


class LoadLimits(NamedTuple):
    """Limits of tool and payload together, on the mounting flange."""

    mass: float
    """Rated payload [kg]."""
    mass_assumed: bool = False
    inertia: tuple[float, float] | None = None
    """Largest ``J5``, ``J6`` [kg m^2] of a load diagram; None: unknown, and not checked."""
    inertia_assumed: bool = False
    d6: float = 0.0
    """Distance from axis 5 to tool0, along axis 6 [m]."""

    def violations(self, load: Inertial) -> list[Violation]:
        """Return every bound that a load, given in the axes of tool0, does not keep."""
        rows = [Violation(None, "load", load.mass, 0.0, self.mass, "kg", self.mass_assumed)]
        if self.inertia is not None:
            beside, along = float(load.com[0] ** 2 + load.com[1] ** 2), float(load.com[2]) + self.d6
            x, y, z = np.diagonal(load.tensor).tolist()
            values = load.mass * (along**2 + beside) + max(x, y), load.mass * beside + z
            for axis, value, bound in zip((5, 6), values, self.inertia, strict=True):
                rows.append(
                    Violation(axis, f"J{axis}", value, 0.0, bound, "kg m^2", self.inertia_assumed)
                )
        return [row for row in rows if row.value > row.upper * (1.0 + ROUNDING)]


@dataclass(frozen=True, eq=False)
class Limits:
    """Bounds in SI units, arrays of shape ``(n,)``.

    Ranges hold for ``A q``, which couples axes of a parallelogram.
    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array
    A: Array
    """``(n, n)``: the range of axis 3 of a parallelogram arm is one of ``q3 - q2``.

    See docs/conventions.md.
    """
    linear: Mask
    range_assumed: Mask
    velocity_assumed: Mask
    effort_assumed: Mask
    load: LoadLimits | None = None
    """Limits of the load; None where nothing is known."""

    def __post_init__(self) -> None:
        """Make the shared arrays read-only."""
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    def envelope(self) -> tuple[Array, Array]:
        """Smallest and largest value each single axis position can take, shape ``(n,)`` each."""
        inverse = np.linalg.inv(self.A)
        up, down = np.maximum(inverse, 0.0), np.minimum(inverse, 0.0)
        return up @ self.lower + down @ self.upper, up @ self.upper + down @ self.lower

    def in_range(self, q: ArrayLike) -> Mask:
        """Return whether positions ``(..., n)`` keep every range, as ``(...)``; NaN never does."""
        values = states(q, len(self.A), "axis positions") @ self.A.T
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
            names = [f"v{i + 1}" for i in range(len(self.A))]
            violations += self._outside(
                self._one(v, "axis speeds"),
                -self.velocity,
                self.velocity,
                self.velocity_assumed,
                names,
                ("m/s", "rad/s"),
            )
        if tau is not None:
            names = [f"tau{i + 1}" for i in range(len(self.A))]
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
        """Return the quantity that each range bounds: ``q2``, ``q3 - q2``."""
        return [combination(row) for row in self.A]

    def _one(self, value: ArrayLike, what: str) -> Array:
        array = numbers(value, what)
        if array.shape != (len(self.A),):
            raise InputError(f"{what} of one state need shape ({len(self.A)},), got {array.shape}")
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
        bad = ~((values >= low - ROUNDING) & (values <= high + ROUNDING))
        return [
            Violation(
                int(i) + 1,
                names[i],
                float(values[i]),
                float(low[i]),
                float(high[i]),
                units[not self.linear[i]],
                bool(assumed[i]),
            )
            for i in np.flatnonzero(bad)
        ]


def combination(row: Array) -> str:
    """Return a sum of axis positions in words, ``q3 - q2``, for the factor (1, 0 or -1) of each."""
    plus, minus = (
        [f"q{i + 1}" for i in np.flatnonzero(np.sign(row) == sign)[::-1]] for sign in (1, -1)
    )
    return " - ".join([" + ".join(plus), *minus]).strip()
