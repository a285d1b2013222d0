"""Covariance from blocks of time: the jackknife, for which residuals need not be white.

What a model lacks stays in its residuals as long as a move lasts. Estimates without one block at a
time, each longer than that, scatter as those of other logs would [Quenouille 1949; Tukey 1958]:
``(B - 1) / B sum (beta_b - beta)(beta_b - beta)'``, with ``B - 1`` degrees of freedom. Without a
block the estimate moves by ``-(A - A_b)^-1 s_b``, ``A_b`` and ``s_b`` being the block's part of the
normal equations: one pass gives all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Equations, without_masked
from .regression import Fit, invert_factor
from .streaming import Samples

# of all samples: of two minutes one has 5 s, and Student's t of 23 degrees is 6 % wider than a
# normal distribution
BLOCKS = 24
_FINER = 4  # parts per block of which blocks are made
_LEVERAGE = 1.0 - 1e-6  # of a block that determines a parameter all alone


class Part(NamedTuple):
    """Share of some samples in the normal equations ``Y' W Y beta = Y' W y``."""

    size: int
    """Number of samples."""
    score: Array
    """``Y' W residual``, shape ``(p,)``."""
    normal: Array
    """``Y' W Y``, shape ``(p, p)``."""

    def joined(self, other: Part) -> Part:
        """Return the share of both."""
        return Part(self.size + other.size, self.score + other.score, self.normal + other.normal)


@dataclass(frozen=True, eq=False)
class Parts:
    """Shares of consecutive samples, about ``length`` of them each."""

    parts: tuple[Part, ...]
    length: float

    def merge(self, other: Parts) -> Parts:
        """Return both in their order, short ones joined where they meet."""
        parts = list(self.parts)
        for part in other.parts:
            if parts and parts[-1].size + part.size <= self.length:
                parts[-1] = parts[-1].joined(part)
            else:
                parts.append(part)
        return replace(self, parts=tuple(parts))

    def blocks(self, count: int = BLOCKS) -> list[Part]:
        """Return so many blocks with about as many samples each; fewer of very few parts."""
        ends = np.cumsum([part.size for part in self.parts])
        middles = ends - 0.5 * np.array([part.size for part in self.parts])
        result: dict[int, Part] = {}
        for place, part in zip((middles * count / ends[-1]).astype(int), self.parts, strict=True):
            result[place] = result[place].joined(part) if place in result else part
        return list(result.values())


def normal_parts(
    samples: Samples, rows: Equations, beta: Array, weights: Array, total: int
) -> Parts:
    """Return the shares of samples in a fit's normal equations, in one pass.

    Args:
        samples: The samples of the fit.
        rows: Its equations.
        beta: Its estimates, ``(p,)``.
        weights: Of the equations of a sample, ``(size,)``.
        total: Number of samples that blocks are made of, those of other logs included.
    """
    length = max(1, total // (_FINER * BLOCKS))
    return samples.reduce(partial(_parts, rows=rows, beta=beta, weights=weights, length=length))


def jackknife(inverse: Array, blocks: list[Part], columns: NDArray[np.int_] | None = None) -> Array:
    """Return the covariance of estimates without one block at a time, ``(p, p)``.

    Args:
        inverse: ``A^-1 = inverse inverse'`` of all blocks together, ``(p, p)``.
        blocks: Their shares.
        columns: Parameters that are estimated; default all.
    """
    kept = slice(None) if columns is None else columns
    moves = []
    for block in blocks:
        leverage = inverse.T @ block.normal[kept][:, kept] @ inverse
        values, vectors = np.linalg.eigh(leverage)
        rest = 1.0 - np.minimum(values, _LEVERAGE)
        moves.append(vectors @ ((vectors.T @ (inverse.T @ block.score[kept])) / rest))
    turned = np.array(moves) @ inverse.T
    result: Array = turned.T @ turned * ((len(blocks) - 1.0) / len(blocks))
    return result


def with_blocks(fit: Fit, samples: Samples, rows: Equations) -> Fit:
    """Return the fit with covariance and degrees of freedom from 24 blocks of time.

    Args:
        fit: From :func:`.weighted_least_squares` or :func:`.least_squares`.
        samples: The samples of the fit.
        rows: Its equations.

    Raises:
        InputError: if there are fewer samples than blocks.
    """
    if fit.samples < BLOCKS:
        raise InputError(f"{fit.samples} samples make no {BLOCKS} blocks of time")
    blocks = normal_parts(samples, rows, fit.beta, fit.weights, fit.samples).blocks()
    inverse = invert_factor(fit.factor[:-1, :-1], fit.names)
    return replace(fit, covariance=jackknife(inverse, blocks), degrees=len(blocks) - 1.0)


def _parts(
    pieces: Iterable[Motion], rows: Equations, beta: Array, weights: Array, length: int
) -> Parts:
    total = Parts((), float(length))
    for whole in rows(pieces):
        Y, y = without_masked(*whole)
        for start in range(0, len(y), length):
            left = Y[start : start + length] * np.sqrt(weights)[:, None]
            left = left.reshape(-1, beta.size)
            right = (y[start : start + length] * np.sqrt(weights)).ravel()
            part = Part(min(length, len(y) - start), left.T @ (right - left @ beta), left.T @ left)
            total = total.merge(Parts((part,), float(length)))
    return total
