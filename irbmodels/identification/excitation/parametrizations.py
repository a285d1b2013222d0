"""Families of motions that are linear in their parameters: ``q = Q x``, ``v = V x``, ``a = A x`` at given times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite, positive
from ...errors import InputError
from ...model.types import Array
from ...trajectory import LAWS, FourierSeries, Trajectory, through
from ...trajectory.fourier import Maps


@runtime_checkable
class Family(Protocol):
    """Motions of one duration; their parameters are arrays ``(size, n)``, one column per axis."""

    @property
    def duration(self) -> float:
        """Of the motion [s]."""

    @property
    def size(self) -> int:
        """Number of parameters per axis."""

    @property
    def waves(self) -> int:
        """Half the number of times that an axis can turn back."""

    @property
    def name(self) -> str:
        """Such as ``Fourier, 5 harmonics``."""

    def maps(self, t: ArrayLike) -> Maps:
        """Return the matrices ``(N, size)`` that give position, speed, acceleration and jerk at times ``(N,)``."""

    def trajectory(self, x: ArrayLike) -> Trajectory:
        """Return the motion of parameters ``(size, n)``."""

    def still(self, q: Array) -> Array:
        """Return the parameters ``(size, n)`` of standing at ``q``."""

    def drawn(self, rng: np.random.Generator, n: int) -> Array:
        """Return parameters ``(size, n)`` that are N(0, 1), but do not shift the motion as a whole."""

    def reach(self, low: Array, high: Array, speed: Array) -> tuple[Array, Array]:
        """Return bounds of the parameters, ``(size, n)`` each, that every motion within ranges and speeds keeps."""


@dataclass(frozen=True)
class Fourier(FourierSeries):
    """Fourier series that start and end at rest; the first parameter is where."""

    @property
    def waves(self) -> int:
        """Number of harmonics."""
        return self.harmonics

    @property
    def name(self) -> str:
        """Its name."""
        return f"Fourier, {self.harmonics} harmonics"

    def still(self, q: Array) -> Array:
        """Return the parameters of standing at ``q``."""
        return np.vstack([q, np.zeros((self.size - 1, q.size))])

    def drawn(self, rng: np.random.Generator, n: int) -> Array:
        """Return coefficients N(0, 1), about 0."""
        return np.vstack([np.zeros(n), rng.normal(size=(self.size - 1, n))])

    def reach(self, low: Array, high: Array, speed: Array) -> tuple[Array, Array]:
        """Bound the coefficients: of a function within -1..1 none is above 4 / pi."""
        orders = np.concatenate([self.frequencies[:-1], self.frequencies[:-2]])
        most = 4.0 / np.pi * np.minimum(speed, orders[:, None] * 0.5 * (high - low))
        return np.vstack([low, -most]), np.vstack([high, most])


@dataclass(frozen=True)
class Freudenstein:
    """Freudenstein 1-3-5 moves from posture to posture (S002 eq. 13-15), resting at each.

    The postures are the parameters.
    """

    moves: int
    duration: float
    """Of all moves together [s]; each takes the same time."""

    def __post_init__(self) -> None:
        """Check both.

        Raises:
            InputError: if there is no move, or the duration is not positive.
        """
        if (
            isinstance(self.moves, bool)
            or not isinstance(self.moves, int | np.integer)
            or self.moves < 1
        ):
            raise InputError(f"an excitation by moves needs one or more, got {self.moves!r}")
        positive(self.duration, "the duration of all moves [s]")

    @property
    def size(self) -> int:
        """Number of postures."""
        return self.moves + 1

    @property
    def waves(self) -> int:
        """Number of moves: acceleration turns once in each."""
        return self.moves

    @property
    def name(self) -> str:
        """Its name."""
        return f"Freudenstein, {self.moves} move{'s' if self.moves > 1 else ''}"

    def maps(self, t: ArrayLike) -> Maps:
        """Return the matrices ``(N, size)`` at times ``(N,)`` within the motion.

        Raises:
            InputError: if the times are no finite numbers.
        """
        share = finite(t, np.shape(t), "times [s]").ravel() * (self.moves / self.duration)
        number = np.clip(share.astype(int), 0, self.moves - 1)
        law, rate = LAWS["freudenstein"], self.moves / self.duration
        found = []
        for order in range(4):
            rows, value = (
                np.zeros((share.size, self.size)),
                law.derivative(order, share - number) * rate**order,
            )
            rows[np.arange(share.size), number] = (1.0 if order == 0 else 0.0) - value
            rows[np.arange(share.size), number + 1] = value
            found.append(rows)
        return Maps(*found)

    def trajectory(self, x: ArrayLike) -> Trajectory:
        """Return the chain of moves."""
        return through(
            list(np.asarray(x, dtype=float)), "freudenstein", duration=self.duration / self.moves
        )

    def still(self, q: Array) -> Array:
        """Return the parameters of standing at ``q``."""
        return np.tile(q, (self.size, 1))

    def drawn(self, rng: np.random.Generator, n: int) -> Array:
        """Return postures N(0, 1), about 0."""
        return rng.normal(size=(self.size, n))

    def reach(self, low: Array, high: Array, speed: Array) -> tuple[Array, Array]:
        """Bound the postures by the ranges."""
        return np.tile(low, (self.size, 1)), np.tile(high, (self.size, 1))
