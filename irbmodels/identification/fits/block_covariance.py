"""Covariance from blocks of time, which no assumption on the colour of residuals enters.

What a model lacks stays in its residuals as long as a move lasts. Their products with the
regressor, summed over blocks longer than that, are independent: the covariance of the estimates is
``A^-1 (sum s_b s_b') A^-1`` [Liang & Zeger 1986], with as many degrees of freedom as blocks less
one [Ibragimov & Mueller 2010].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Equations
from .regression import Fit, invert_factor
from .streaming import Samples

# of all samples: of two minutes one has 5 s, and Student's t of 23 degrees is 6 % wider than a
# normal distribution; blocks of 100 correlation times hold the truth as often as they say
BLOCKS = 24
_PART = 32  # samples whose sum is kept, of which blocks are made


@dataclass(frozen=True, eq=False)
class Scores:
    """Sums of ``Y' W residual`` over consecutive samples."""

    sums: Array
    """Shape ``(K, p)``."""
    counts: Array
    """Of the samples, shape ``(K,)``."""

    def merge(self, other: Scores) -> Scores:
        """Return both, in their order."""
        return Scores(
            np.concatenate([self.sums, other.sums]), np.concatenate([self.counts, other.counts])
        )

    def blocks(self, count: int) -> Array:
        """Return the sums of consecutive blocks with about as many samples each, ``(count, p)``."""
        ends = np.cumsum(self.counts)
        places = ((ends - 0.5 * self.counts) * count / ends[-1]).astype(int)
        result = np.zeros((count, self.sums.shape[1]))
        np.add.at(result, places, self.sums)
        return result


def score(samples: Samples, rows: Equations, beta: Array, weights: Array) -> Scores:
    """Return the scores of a fit's residuals in one pass.

    Args:
        samples: The samples of the fit.
        rows: Its equations.
        beta: Its estimates, ``(p,)``.
        weights: Of the equations of a sample, ``(size,)``.
    """
    return samples.reduce(partial(_scores, rows=rows, beta=beta, weights=weights))


def block_covariance(inverse: Array, blocks: Array) -> Array:
    """Return ``A^-1 (sum s_b s_b') A^-1`` with ``A^-1 = inverse inverse'``, ``(p, p)``.

    Args:
        inverse: Of the triangular factor of the weighted regressor, ``(p, p)``.
        blocks: Scores of the blocks, ``(count, p)``, which sum up to 0.
    """
    count = len(blocks)
    turned = blocks @ inverse
    result: Array = inverse @ (turned.T @ turned) @ inverse.T * (count / (count - 1.0))
    return result


def with_blocks(fit: Fit, samples: Samples, rows: Equations, blocks: int = BLOCKS) -> Fit:
    """Return the fit with covariance and degrees of freedom from blocks of time.

    Args:
        fit: From :func:`.weighted_least_squares` or :func:`.least_squares`.
        samples: The samples of the fit.
        rows: Its equations.
        blocks: Number of blocks; each should last longer than residuals are alike.

    Raises:
        InputError: if there are less than two blocks, or fewer samples than blocks.
    """
    if blocks < 2 or fit.samples < blocks:
        raise InputError(f"{fit.samples} samples make no {blocks} blocks; 2 is the least number")
    scores = score(samples, rows, fit.beta, fit.weights).blocks(blocks)
    inverse = invert_factor(fit.factor[:-1, :-1], fit.names)
    return replace(fit, covariance=block_covariance(inverse, scores), degrees=blocks - 1.0)


def _scores(pieces: Iterable[Motion], rows: Equations, beta: Array, weights: Array) -> Scores:
    sums, counts = [np.zeros((0, beta.size))], [np.zeros(0)]
    for Y, y in rows(pieces):
        own = np.einsum("nip,ni->np", Y, (y - Y @ beta) * weights)
        starts = np.arange(0, len(own), _PART)
        sums.append(np.add.reduceat(own, starts, axis=0))
        counts.append(np.diff(np.append(starts, len(own))).astype(float))
    return Scores(np.concatenate(sums), np.concatenate(counts))
