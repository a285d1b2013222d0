"""Linear least squares: estimates with their covariance, from triangular factors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance, finite
from ...errors import InputError
from ...model.types import Array, Mask
from .accumulator import Accumulator, positive_weights

# smallest singular value of unit columns; exact data of a rich motion have 1e-2, what is not
# excited 1e-15
EXCITED = 1e-9
EXACT = 1e-12  # of the largest torque: noise below it is rounding, and no weight


@dataclass(frozen=True, eq=False)
class Fit:
    """Estimated parameters, and how sure they are."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    beta: Array
    """Estimates, shape ``(p,)``."""
    covariance: Array
    """Of the estimates, shape ``(p, p)``."""
    noise: Array
    """Standard deviation of the residual of each equation [N m, N], shape ``(size,)``."""
    weights: Array
    """Of the equations, shape ``(size,)``."""
    samples: int
    counts: Array
    """Equations of each axis, shape ``(size,)``: fewer than samples where torques are masked."""
    degrees: float
    """Of freedom: independent equations less parameters."""
    factor: Array
    """Triangular factor of the weighted ``[Y y]``, shape ``(p + 1, p + 1)``."""

    @property
    def condition(self) -> float:
        """Of the weighted regressor with columns of unit length."""
        factor = self.factor[:-1, :-1]
        return float(np.linalg.cond(factor / np.linalg.norm(factor, axis=0)))

    @property
    def deviation(self) -> Array:
        """Standard deviation of each estimate, shape ``(p,)``."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)), dtype=float)

    def intervals(self, level: float = 0.95) -> Array:
        """Return the confidence interval of each parameter, shape ``(p, 2)`` (Student's t)."""
        half = self._quantile(level) * self.deviation
        return np.stack([self.beta - half, self.beta + half], axis=1)

    def __str__(self) -> str:
        """Return a line per parameter: estimate, half width of its 95 % interval, unit, name.

        A star where 0 is outside.
        """
        half, star = self.intervals()[:, 1] - self.beta, np.where(self.significant(), "*", " ")
        lines = zip(self.beta, half, star, self.units, self.names, strict=True)
        return "\n".join(
            f"{value:12.5g} +- {width:<9.2g} {mark} {unit:9} {name}"
            for value, width, mark, unit, name in lines
        )

    def significant(self, level: float = 0.95) -> Mask:
        """For each parameter whether its interval leaves 0 out, shape ``(p,)``."""
        return np.asarray(np.abs(self.beta) > self._quantile(level) * self.deviation, dtype=bool)

    def band(self, Y: ArrayLike, level: float = 0.95, *, noise: bool = False) -> Array:
        """Half width of the confidence band of ``Y beta``, shape of ``Y`` without its last axis.

        Args:
            Y: Regressors ``(..., size, p)``, as of :class:`Equations`.
            level: Confidence.
            noise: True for a band that holds a new measurement, with its noise, instead of the
                model.

        Raises:
            InputError: if the shape is wrong.
        """
        left = np.asarray(Y, dtype=float)
        if left.shape[-2:] != (self.noise.size, self.beta.size):
            raise InputError(
                f"regressors of this fit have shape (..., {self.noise.size}, {self.beta.size}), got"
                f" {left.shape}"
            )
        variance = np.einsum("...p,pq,...q->...", left, self.covariance, left) + (
            np.square(self.noise) if noise else 0.0
        )
        return np.asarray(self._quantile(level) * np.sqrt(variance), dtype=float)

    def _quantile(self, level: float) -> float:
        from scipy.special import stdtrit

        if not 0.0 < level < 1.0:
            raise InputError(f"a confidence level lies between 0 and 1, got {level!r}")
        return float(stdtrit(self.degrees, 0.5 + 0.5 * level))


def least_squares(
    total: Accumulator, weights: ArrayLike | None = None, noise: ArrayLike | None = None
) -> Fit:
    """Fit with given weights.

    The covariance takes the noise of each equation as white.

    Args:
        total: From :func:`.accumulate`.
        weights: Of the equations of a sample, shape ``(size,)``; default 1.
        noise: Standard deviation of each, where it is known; default that of its residuals.

    Raises:
        InputError: if there are too few samples, or the motion does not excite a parameter; the
            message names it.
    """
    as_instance(
        total, Accumulator, "a fit is one of the sums that accumulate(samples, rows) returns"
    )
    equations = float(total.counts.sum())
    degrees = equations - total.p
    if degrees <= 0.0:
        raise InputError(
            f"{total.samples} samples of {total.size} equations are too few for {total.p}"
            " parameters"
        )
    used = np.ones(total.size) if weights is None else positive_weights(weights, (total.size,))
    whole = total.combined_factor(used)
    inverse = invert_factor(whole[:-1, :-1], total.names)
    beta = inverse @ whole[:-1, -1]
    deviations = (
        residual_noise(total.residual_squares(beta), total.counts, total.p)
        if noise is None
        else finite(noise, (total.size,), "noise")
    )
    covariance = sandwich_covariance(inverse, total, np.square(used * deviations))
    return Fit(
        total.names,
        total.units,
        beta,
        covariance,
        deviations,
        used,
        total.samples,
        total.counts,
        degrees,
        whole,
    )


def residual_noise(squares: Array, counts: Array, p: int) -> Array:
    """Return the standard deviation of the residuals of each axis, shape ``(size,)``.

    Each axis gives its share of the degrees of freedom that ``p`` parameters take.

    Args:
        squares: Sums of squared residuals, shape ``(size,)``.
        counts: Equations of each axis, shape ``(size,)``.
        p: Number of parameters.
    """
    shares = np.divide(counts.sum(), counts, out=np.zeros(len(counts)), where=counts > 0.0)
    variance = squares * shares / (counts.sum() - p)
    return np.asarray(np.sqrt(variance), dtype=float)


def weighted_least_squares(total: Accumulator, passes: int = 1) -> Fit:
    """Fit with each axis weighted by the inverse variance of its residuals [Gautier 1997].

    Args:
        total: From :func:`.accumulate`.
        passes: Number of updates of the weights; they hardly change after the first one.
    """
    fit = least_squares(total)
    for _ in range(passes):
        fit = least_squares(total, 1.0 / np.square(floor_noise(total, fit.noise)))
    return fit


def floor_noise(total: Accumulator, noise: Array) -> Array:
    """Return the noise of each equation, at least the rounding of the largest right-hand side."""
    largest = float(np.sqrt(np.square(total.factors[:, :, -1]).sum(axis=1).max() / total.samples))
    return np.asarray(np.maximum(noise, EXACT * largest or 1.0), dtype=float)


def sandwich_covariance(inverse: Array, total: Accumulator, shares: Array) -> Array:
    """Return ``A^-1 B A^-1``, ``A^-1 = inverse inverse'``, ``B = sum shares_i Y_i' Y_i``."""
    inner = np.zeros((total.p, total.p))
    for share, factor in zip(shares, total.factors, strict=True):
        turned = factor[:, :-1] @ inverse
        inner += share * (turned.T @ turned)
    result: Array = inverse @ inner @ inverse.T
    return result


def invert_factor(factor: Array, names: tuple[str, ...]) -> Array:
    """Inverse of a triangular factor.

    Raises:
        InputError: if a column is 0, or nearly a sum of others.
    """
    from scipy.linalg import svd
    from scipy.linalg.lapack import dtrtri

    length = np.linalg.norm(factor, axis=0)
    without_effect = [name for name, size in zip(names, length, strict=True) if size == 0.0]
    if without_effect:
        raise InputError(f"these samples do not depend on {', '.join(without_effect)}")
    unit = factor / length
    inverse, singular = dtrtri(unit)
    # the inverse of the smallest singular value, up to sqrt(p)
    if singular or not np.linalg.norm(inverse) < 1.0 / EXCITED:
        mixed = np.flatnonzero(np.abs(svd(unit)[2][-1]) > 0.1)
        confounded = ", ".join(names[i] for i in mixed)
        raise InputError(
            f"these samples cannot separate: {confounded}; excite them, or take fewer parameters"
        )
    result: Array = np.triu(inverse) / length[:, None]
    return result
