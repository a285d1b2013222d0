"""Time laws: the share of a stroke as a function of the share ``x`` of its duration, 0 to 1.

A stroke ``h`` in ``T`` has the speed ``h / T``, the acceleration ``h / T^2`` and the jerk ``h /
T^3`` times those of its law.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike

from ..checks import as_int, number, numbers, short_repr
from ..errors import InputError, UnknownName
from ..model.types import Array, Mask
from .rounding import snap

_SMOOTH = 1e-9  # a jump of the acceleration of a law that is less comes from rounding


class Peaks(NamedTuple):
    """Largest absolute values of a law's speed, acceleration and jerk."""

    speed: float
    acceleration: float
    jerk: float
    """Infinite where the acceleration jumps, at the ends too: the axis rests before and after."""


class TimeLaw(ABC):
    """A time law. Each value is a function of ``x`` in 0..1, any shape."""

    name: str

    def derivative(self, order: int, x: ArrayLike) -> Array:
        """Return the position (0), or its derivative by ``x`` of an order up to 3.

        Where it jumps, the later value.

        Every law here slows down as it sped up; from the far end it is computed backwards, so that
        it rests there exactly. An ``x`` that is off an end by rounding only is that end.

        Raises:
            InputError: if the order is none of 0 to 3, or an ``x`` is not within 0..1.
        """
        as_int(order, "the order of a derivative", 0, 3)
        share = numbers(x, "x")
        off = ~((share >= -_SMOOTH) & (share <= 1.0 + _SMOOTH))
        if off.any():
            raise InputError(f"x = {float(share[off].flat[0]):g} is no share of a duration: 0 .. 1")
        share = snap(np.clip(share, 0.0, 1.0), (0.0, 1.0), 1.0)
        back = share > 0.5
        value = self._first_half(order, np.where(back, 1.0 - share, share), back)
        if order % 2:
            return value
        return np.where(back, (1.0 if order == 0 else 0.0) - value, value)

    @abstractmethod
    def _first_half(self, order: int, x: Array, back: Mask) -> Array:
        """Do the same for ``x`` up to 0.5; where it jumps, the earlier value if time runs back."""

    @abstractmethod
    def _candidates(self, order: int) -> Array:
        """Every ``x`` up to 0.5 at which the derivative of an order can be largest."""

    @property
    @abstractmethod
    def smooth(self) -> bool:
        """True if the acceleration is continuous, and 0 at both ends."""

    def position(self, x: ArrayLike) -> Array:
        """Share of the stroke."""
        return self.derivative(0, x)

    def speed(self, x: ArrayLike) -> Array:
        """First derivative by ``x``."""
        return self.derivative(1, x)

    def acceleration(self, x: ArrayLike) -> Array:
        """Second derivative by ``x``."""
        return self.derivative(2, x)

    def jerk(self, x: ArrayLike) -> Array:
        """Third derivative by ``x``."""
        return self.derivative(3, x)

    @cached_property
    def peaks(self) -> Peaks:
        """Largest absolute values, found at the zeros of the next derivative."""
        speed, acceleration, jerk = (
            float(np.abs(self.derivative(k, self._candidates(k))).max()) for k in (1, 2, 3)
        )
        return Peaks(speed, acceleration, jerk if self.smooth else np.inf)

    def __repr__(self) -> str:
        """Return the name."""
        return f"<TimeLaw {self.name}>"


@dataclass(frozen=True, repr=False)
class _PiecewisePolynomial(TimeLaw):
    """Polynomials one after another, up to the middle."""

    name: str
    breaks: tuple[float, ...]
    """0, where one piece ends and the next begins, and 0.5."""
    parts: tuple[Polynomial, ...]
    """One per piece, of ``x`` less its start."""

    def _first_half(self, order: int, x: Array, back: Mask) -> Array:
        inner = self.breaks[1:-1]
        number = np.where(
            back, np.searchsorted(inner, x, side="left"), np.searchsorted(inner, x, side="right")
        )
        starts = np.array(self.breaks)[number]
        pieces = [part.deriv(order) for part in self.parts]
        return np.select(
            [number == i for i in range(len(pieces))], [piece(x - starts) for piece in pieces]
        )

    def _candidates(self, order: int) -> Array:
        candidates = []
        for start, stop, part in zip(self.breaks, self.breaks[1:], self.parts, strict=False):
            roots = part.deriv(order + 1).roots() if part.degree() > order + 1 else np.zeros(0)
            inside = roots.real[
                (np.abs(roots.imag) < 1e-6) & (roots.real >= 0.0) & (roots.real <= stop - start)
            ]
            candidates += [start, *(start + inside)]
        return np.append(candidates, 0.5)

    @property
    def smooth(self) -> bool:
        ends = [
            0.0,
            *(
                float(part.deriv(2)(width))
                for part, width in zip(self.parts, np.diff(self.breaks), strict=True)
            ),
        ]
        # in the middle it changes its sign
        starts = [*(float(part.deriv(2)(0.0)) for part in self.parts), 0.0]
        return bool(np.abs(np.subtract(ends, starts)).max() < _SMOOTH)


@dataclass(frozen=True, repr=False)
class _SineSeries(TimeLaw):
    """``x - sum of b_k sin(2 pi k x)``: at rest at both ends where ``2 pi sum of k b_k`` is 1."""

    name: str
    orders: tuple[int, ...]
    weights: tuple[float, ...]
    """``b_k``."""

    def _first_half(self, order: int, x: Array, back: Mask) -> Array:
        rates = 2.0 * np.pi * np.array(self.orders)
        # 1 - cos of a small angle as a square: near its end it is no difference of rounded ones
        if order == 1:
            speed: Array = (
                2.0
                * np.square(np.sin(0.5 * rates * x[..., None]))
                @ (np.array(self.weights) * rates)
            )
            return speed
        wave, sign = {0: (np.sin, 1.0), 2: (np.sin, -1.0), 3: (np.cos, -1.0)}[order]
        waves: Array = sign * wave(rates * x[..., None]) @ (np.array(self.weights) * rates**order)
        return (x if order == 0 else 0.0) - waves

    def _candidates(self, order: int) -> Array:
        """With ``z = exp(2 pi i x)`` the next derivative is a polynomial in z.

        A root off the circle does no harm.
        """
        top, turned = max(self.orders), 1j ** (order + 1)
        polynomial = np.zeros(2 * top + 1, dtype=complex)
        for k, weight in zip(self.orders, self.weights, strict=True):
            size = weight * float(k) ** (order + 1)
            polynomial[top + k] += size * turned  # 2 i sin(k x + (order + 1) pi / 2)
            polynomial[top - k] -= size / turned
        roots = np.polynomial.polynomial.polyroots(polynomial)
        return np.append(np.abs(np.angle(roots)) / (2.0 * np.pi), [0.0, 0.5])

    @property
    def smooth(self) -> bool:
        return True


def _polynomial(name: str, rests: int) -> TimeLaw:
    """Return the integral of ``(x (1 - x))^rests``, scaled to 1, at rest at both ends."""
    rate = Polynomial([0.0, 1.0, -1.0]) ** rests
    whole = rate.integ()
    return _PiecewisePolynomial(name, (0.0, 0.5), (whole / whole(1.0),))


def _freudenstein() -> TimeLaw:
    """Return the law with acceleration ``sin x + sin 3x / 6 + sin 5x / 50`` (S002 eq. 13-15).

    Misprints corrected: integrated twice, the weights are divided by k^2; their sum times k puts
    the speed at the ends to 0.
    """
    orders, of_acceleration = np.array([1.0, 3.0, 5.0]), np.array([1.0, 1.0 / 6.0, 1.0 / 50.0])
    weights = of_acceleration / orders**2
    weights /= 2.0 * np.pi * (orders @ weights)
    return _SineSeries("freudenstein", (1, 3, 5), tuple(weights.tolist()))


def _constant_jerk(
    name: str, widths: Sequence[float], jerks: Sequence[float], accelerations: Sequence[float]
) -> TimeLaw:
    """Return the law of pieces of constant jerk that start at given accelerations."""
    parts, breaks = [], [0.0]
    q = v = 0.0
    for width, jerk, a in zip(widths, jerks, accelerations, strict=True):
        if width > 0.0:
            part = Polynomial([q, v, a / 2.0, jerk / 6.0])
            parts.append(part)
            breaks.append(breaks[-1] + width)
            q, v = float(part(width)), float(part.deriv()(width))
    return _PiecewisePolynomial(
        name, (*breaks[:-1], 0.5), tuple(part / (2.0 * q) for part in parts)
    )


def trapezoid(blend: float = 1.0 / 3.0) -> TimeLaw:
    """Return the law with constant acceleration, constant speed, constant deceleration.

    Peaks: speed ``1 / (1 - blend)``, acceleration ``1 / (blend (1 - blend))``.

    Args:
        blend: Share of the duration of each ramp; 0.5 leaves no part with constant speed
            (bang-bang).

    Raises:
        InputError: if the share is not above 0 and at most 0.5.
    """
    share = _share(blend, "blend")
    return _constant_jerk("trapezoid", [share, 0.5 - share], [0.0, 0.0], [1.0, 0.0])


def s_curve(blend: float = 1.0 / 3.0, rounding: float = 0.5) -> TimeLaw:
    """Return the law with seven segments of constant jerk: trapezoids of acceleration.

    Args:
        blend: Share of the duration in which it speeds up; as long it slows down.
        rounding: Share of that time in which the acceleration grows; as long it falls. 0.5 leaves
            none with constant acceleration.

    Raises:
        InputError: if a share is not above 0 and at most 0.5.
    """
    share, rounded = _share(blend, "blend"), _share(rounding, "rounding")
    short = rounded * share
    widths = [short, share - 2.0 * short, short, 0.5 - share]
    return _constant_jerk(
        "s_curve", widths, [1.0 / short, 0.0, -1.0 / short, 0.0], [0.0, 1.0, 1.0, 0.0]
    )


def _share(value: float, what: str) -> float:
    if not 0.0 < number(value, f"{what}, a share,") <= 0.5:
        raise InputError(f"{what} is a share above 0 and at most 0.5, got {short_repr(value)}")
    return float(value)


LAWS: dict[str, TimeLaw] = {
    law.name: law
    for law in (
        _freudenstein(),
        _polynomial("cubic", 1),
        _polynomial("quintic", 2),
        _polynomial("septic", 3),
        _SineSeries("cycloidal", (1,), (0.5 / np.pi,)),
        trapezoid(),
        s_curve(),
    )
}
"""Laws by name; ``trapezoid(...)`` and ``s_curve(...)`` make others."""


def time_law(law: str | TimeLaw) -> TimeLaw:
    """Return a law by its name, or the law itself.

    Raises:
        UnknownName: if there is none of that name.
        InputError: if it is neither a name nor a law.
    """
    if isinstance(law, TimeLaw):
        return law
    if not isinstance(law, str):
        raise InputError(f"a law is a name ({', '.join(LAWS)}) or a TimeLaw, not {short_repr(law)}")
    if law not in LAWS:
        raise UnknownName("law", law, LAWS)
    return LAWS[law]
