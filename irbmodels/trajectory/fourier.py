"""Finite Fourier series that start and end at rest, for excitation.

Swevers et al. 1997, IEEE T-RA 13(5), eq. 13:
``q(t) = q0 + sum over l = 1..L of a_l / (w l) sin(w l t) - b_l / (w l) cos(w l t)``, ``w = 2 pi /
T``. Three conditions, ``sum a_l = 0``, ``sum b_l / l = 0`` and ``sum l b_l = 0``, put speed, offset
from ``q0`` and acceleration to 0 at both ends. What is left, ``q0, a_1 .. a_{L-1}, b_1 ..
b_{L-2}``, are the parameters: everything is linear in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, as_int, finite, numbers, positive
from ..errors import InputError
from ..model.types import Array
from .rounding import snap
from .trajectory import State, Trajectory

_TOLERANCE = 1e-9  # [rad/s, m/s] of coefficients by which an end condition may be missed


class Maps(NamedTuple):
    """Matrices ``(N, P)`` that give the motion of one axis at N times from its P parameters."""

    q: Array
    v: Array
    a: Array
    jerk: Array


class Coefficients(NamedTuple):
    """Coefficients of the series, per axis."""

    q0: Array
    """Position at both ends [rad, m], shape ``(n,)``."""
    a: Array
    """Of the sines of the position [rad/s, m/s], shape ``(L, n)``."""
    b: Array
    """Of the cosines."""


class Amplitudes(NamedTuple):
    """Bounds of a series, shape ``(n,)`` each: sums of the amplitudes of its harmonics."""

    offset: Array
    """Of ``|q - q0|`` [rad, m]."""
    speed: Array
    acceleration: Array
    jerk: Array


@dataclass(frozen=True)
class FourierSeries:
    """All series with so many harmonics of one period."""

    harmonics: int
    """L, at least 2."""
    duration: float
    """T [s], one period."""

    def __post_init__(self) -> None:
        """Check both.

        Raises:
            InputError: if there are fewer than two harmonics, or the duration is not positive.
        """
        as_int(self.harmonics, "the number of harmonics of a series at rest at both ends", 2)
        positive(self.duration, "the duration of a series [s]")

    @property
    def size(self) -> int:
        """Number of parameters per axis, P = 2 L - 2."""
        return 2 * self.harmonics - 2

    @property
    def frequencies(self) -> Array:
        """Angular frequencies ``w l`` [rad/s], shape ``(L,)``."""
        return np.arange(1.0, self.harmonics + 1.0) * (2.0 * np.pi / self.duration)

    def maps(self, t: ArrayLike) -> Maps:
        """Return the matrices that give position, speed, acceleration and jerk at times ``(N,)``.

        The series is periodic.

        Raises:
            InputError: if the times are no finite numbers.
        """
        time = finite(t, None, "times [s]").ravel()
        share = snap(time / self.duration % 1.0, (0.0, 1.0), 1.0) % 1.0
        rates = self.frequencies
        turned = 2.0 * np.pi * share[:, None] * np.arange(1, self.harmonics + 1)
        sine, cosine = np.sin(turned), np.cos(turned)
        one, none = np.ones((time.size, 1)), np.zeros((time.size, 1))
        rows = [
            np.hstack([one, sine / rates, -cosine / rates]),
            np.hstack([none, cosine, sine]),
            np.hstack([none, -sine * rates, cosine * rates]),
            np.hstack([none, -cosine * rates**2, -sine * rates**2]),
        ]
        matrices = [matrix @ self._from_parameters for matrix in rows]
        # exactly: a rest that rounding moves would rub
        matrices[0][share == 0.0] = np.eye(1, self.size)
        matrices[1][share == 0.0] = matrices[2][share == 0.0] = 0.0
        return Maps(*matrices)

    def coefficients(self, x: ArrayLike) -> Coefficients:
        """Return the coefficients of parameters ``(P, n)``, one column per axis."""
        whole = self._from_parameters @ self._checked(x)
        return Coefficients(whole[0], whole[1 : 1 + self.harmonics], whole[1 + self.harmonics :])

    def parameters(self, coefficients: Coefficients) -> Array:
        """Return the parameters ``(P, n)`` of coefficients.

        Raises:
            InputError: if their shapes are wrong, or the series would not rest at its ends.
        """
        count = self.harmonics
        given = as_instance(
            coefficients, Coefficients, "parameters are those of Coefficients(q0, a, b)"
        )
        q0 = numbers(given.q0, "q0")
        n = q0.size
        q0 = finite(q0, (n,), "q0")
        a, b = (finite(part, (count, n), name) for name, part in zip("ab", given[1:], strict=True))
        order = np.arange(1, count + 1)
        missed = {
            "sum a_l": a.sum(axis=0),
            "sum b_l / l": (b.T / order).sum(axis=1),
            "sum l b_l": (b.T * order).sum(axis=1),
        }
        for name, left in missed.items():
            if np.abs(left).max(initial=0.0) > _TOLERANCE:
                raise InputError(
                    f"the series does not rest at its ends: {name} is {left.tolist()}, and must"
                    " be 0"
                )
        return np.vstack([q0, a[:-1], b[:-2]])

    def amplitudes(self, x: ArrayLike) -> Amplitudes:
        """Return bounds of offset, speed, acceleration and jerk for parameters ``(P, n)``."""
        _, a, b = self.coefficients(x)
        rates, size = self.frequencies[:, None], np.hypot(a, b)
        return Amplitudes(*((size * rates**power).sum(axis=0) for power in (-1, 0, 1, 2)))

    def trajectory(self, x: ArrayLike) -> Fourier:
        """Return one period of the series of parameters ``(P, n)``."""
        return Fourier(self, self._checked(x))

    @cached_property
    def _from_parameters(self) -> Array:
        """Matrix ``(1 + 2 L, P)`` from parameters to ``q0, a, b`` that meet the end conditions."""
        count, size = self.harmonics, self.size
        order = np.arange(1.0, count + 1.0)
        matrix = np.zeros((1 + 2 * count, size))
        matrix[:count, :count] = np.eye(count)  # q0, a_1 .. a_{L-1}
        matrix[count, 1:count] = -1.0
        matrix[1 + count : 2 * count - 1, count:] = np.eye(count - 2)
        ends = np.array([1.0 / order, order])
        matrix[2 * count - 1 :, count:] = -np.linalg.solve(ends[:, -2:], ends[:, :-2])
        return matrix

    def _checked(self, x: ArrayLike) -> Array:
        values = numbers(x, "parameters of a series")
        if values.ndim != 2:
            raise InputError(
                f"parameters of a series need shape ({self.size}, n), one column per axis, got"
                f" {values.shape}"
            )
        return finite(values, (self.size, values.shape[1]), "parameters of a series")


class Fourier(Trajectory):
    """One period of a series."""

    def __init__(self, series: FourierSeries, x: Array) -> None:
        """Take what :meth:`FourierSeries.trajectory` has checked."""
        self.series, self.x, self.duration, self.n = series, x, series.duration, x.shape[1]

    def _at(self, t: Array) -> State:
        return State(*(matrix @ self.x for matrix in self.series.maps(t)))
