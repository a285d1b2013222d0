"""Families of motions that are linear in their parameters.

``q = Q x``, ``v = V x``, ``a = A x`` at given times; parameters are ``(size, n)``, a column per
axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_int, finite, positive
from ...model.types import Array
from ...trajectory import LAWS, FourierSeries, Trajectory, through
from ...trajectory.fourier import Maps


@dataclass(frozen=True)
class Fourier(FourierSeries):
    """Fourier series that start and end at rest, at the position of the first parameter."""

    @property
    def cycles(self) -> int:
        """Half the number of times that an axis can reverse: the number of harmonics."""
        return self.harmonics

    @property
    def name(self) -> str:
        """Name with the number of harmonics."""
        return f"Fourier, {self.harmonics} harmonics"

    def at_rest(self, q: Array) -> Array:
        """Return the parameters of standing at ``q``."""
        return np.vstack([q, np.zeros((self.size - 1, q.size))])

    def random(self, rng: np.random.Generator, n: int) -> Array:
        """Return coefficients N(0, 1), about 0."""
        return np.vstack([np.zeros(n), rng.normal(size=(self.size - 1, n))])

    def parameter_bounds(self, low: Array, high: Array, speed: Array) -> tuple[Array, Array]:
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
        """Check number and duration.

        Raises:
            InputError: if there is no move, or the duration is not positive.
        """
        as_int(self.moves, "moves of an excitation", 1)
        positive(self.duration, "the duration of all moves [s]")

    @property
    def size(self) -> int:
        """Number of postures."""
        return self.moves + 1

    @property
    def cycles(self) -> int:
        """Half the number of reversals that are sampled: acceleration reverses once in a move."""
        return self.moves

    @property
    def name(self) -> str:
        """Name with the number of moves."""
        return f"Freudenstein, {self.moves} move{'s' if self.moves > 1 else ''}"

    def maps(self, t: ArrayLike) -> Maps:
        """Return the matrices ``(N, size)`` at times ``(N,)`` within the motion.

        Raises:
            InputError: if the times are no finite numbers.
        """
        share = finite(t, np.shape(t), "times [s]").ravel() * (self.moves / self.duration)
        number = np.clip(share.astype(int), 0, self.moves - 1)
        law, rate = LAWS["freudenstein"], self.moves / self.duration
        maps = np.zeros((4, share.size, self.size))
        for order, rows in enumerate(maps):
            value = law.derivative(order, share - number) * rate**order
            rows[np.arange(share.size), number] = (1.0 if order == 0 else 0.0) - value
            rows[np.arange(share.size), number + 1] = value
        return Maps(*maps)

    def trajectory(self, x: ArrayLike) -> Trajectory:
        """Return the chain of moves."""
        return through(
            list(np.asarray(x, dtype=float)), "freudenstein", duration=self.duration / self.moves
        )

    def at_rest(self, q: Array) -> Array:
        """Return the parameters of standing at ``q``."""
        return np.tile(q, (self.size, 1))

    def random(self, rng: np.random.Generator, n: int) -> Array:
        """Return postures N(0, 1), about 0."""
        return rng.normal(size=(self.size, n))

    def parameter_bounds(self, low: Array, high: Array, speed: Array) -> tuple[Array, Array]:
        """Bound the postures by the ranges."""
        return np.tile(low, (self.size, 1)), np.tile(high, (self.size, 1))


Family = Fourier | Freudenstein
"""Families of motions of one duration that a search knows."""
