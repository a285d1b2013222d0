"""Recursive least squares in square-root information form, with exponential forgetting.

The information ``R' R`` decays towards that of the prior, not towards nothing [Milek & Kraus 1995,
stabilised forgetting]: an arm that stands still for hours forgets what it knew, and never blows up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite
from ...errors import InputError
from ...model.types import Array
from .accumulator import update_factor


class RecursiveLeastSquares:
    """Estimate ``beta`` of ``y = Y beta + noise`` that is up to date after each sample."""

    def __init__(
        self, beta: ArrayLike, deviation: ArrayLike, noise: ArrayLike, forgetting: float = 1.0
    ) -> None:
        """Start from what is known before.

        Args:
            beta: First guess, shape ``(p,)``.
            deviation: Its standard deviations, shape ``(p,)``.
            noise: Standard deviation of each equation of a sample, shape ``(size,)``.
            forgetting: Weight that a sample keeps when the next one comes, above 0; 1 forgets
                nothing, and ``1 - 1 / N`` remembers some N samples.

        Raises:
            InputError: if a shape is wrong, a deviation not positive, or the forgetting not above 0
                and up to 1.
        """
        guess = finite(beta, (np.size(beta),), "beta")
        spread = finite(deviation, guess.shape, "deviation")
        self.noise = finite(noise, (np.size(noise),), "noise")
        if (spread <= 0.0).any() or (self.noise <= 0.0).any():
            raise InputError("deviations and noise must be positive")
        if not 0.0 < forgetting <= 1.0:
            raise InputError(f"forgetting is above 0 and up to 1, got {forgetting!r}")
        self.forgetting = float(forgetting)
        p = guess.size
        self._prior = np.zeros((p + 1, p + 1))
        self._prior[:p, :p], self._prior[:p, p] = np.diag(1.0 / spread), guess / spread
        self._factor = self._prior.copy()

    def add(self, Y: ArrayLike, y: ArrayLike) -> Array:
        """Add a sample ``Y`` ``(size, p)``, ``y`` ``(size,)``, and return the estimate ``(p,)``.

        Raises:
            InputError: if a shape is wrong or a number is not finite; the estimate stays.
        """
        left = finite(Y, (self.noise.size, self._prior.shape[0] - 1), "Y")
        right = finite(y, self.noise.shape, "y")
        rows = np.column_stack([left, right]) / self.noise[:, None]
        if self.forgetting < 1.0:
            rows = np.vstack([np.sqrt(1.0 - self.forgetting) * self._prior, rows])
        self._factor = update_factor(np.sqrt(self.forgetting) * self._factor, rows)
        return self.beta

    @property
    def beta(self) -> Array:
        """The estimate, shape ``(p,)``."""
        return np.asarray(self._half() @ self._factor[:-1, -1], dtype=float)

    @property
    def covariance(self) -> Array:
        """Inverse of the information, shape ``(p, p)``: a covariance where nothing is forgotten."""
        half = self._half()
        result: Array = half @ half.T
        return result

    def _half(self) -> Array:
        from scipy.linalg.lapack import dtrtri

        return np.triu(dtrtri(self._factor[:-1, :-1])[0])  # the prior keeps it far from singular
