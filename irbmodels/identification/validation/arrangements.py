"""Another sign, order or unit of columns of a log that explains its torques much better."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from ...model.types import Array, Mask
from .mistakes import Blocks, Mistake, friction_columns
from .stretch_equations import solve, spread

FEW = 400  # blocks, of which every arrangement is tried
# of the squared errors that another arrangement of the axes leaves at most, if it is the right one
ARRANGED = 0.5
# of the squared errors of friction alone that are left at most of the axes put right
EXPLAINED = 0.8
TORQUE_UNITS = (1e3, 1e-3)  # N m in a column of kN m, and of mN m
SMALLEST = 1e-12  # squared error relative to the torque: rounding

Columns = Callable[[Blocks], Array]


def find_arrangement(
    blocks: Blocks, columns_of: Columns, axes: Sequence[int], linear: Mask
) -> Mistake | None:
    """Return the sign, swap or unit that explains torques much better than the log as it is.

    Args:
        blocks: Of the logs.
        columns_of: Columns ``(N, n, p)`` of free parameters at the states of blocks; the last is
            the known part.
        axes: 0-based, in question.
        linear: Per axis whether it is linear.
    """
    step = max(1, len(blocks.q) // FEW)
    blocks = Blocks(*(part[::step] for part in blocks))
    own = friction_columns(blocks.v)
    none = np.zeros((*blocks.q.shape, 1))
    alone = _errors(blocks, np.concatenate([own, none], axis=2))
    tried = []
    for mistake, other in _arrangements(blocks, axes, linear):
        errors = _errors(other, columns_of(other))
        changed = list(mistake.axes or axes)
        # another unit may just make predictions small: they have to explain torques
        if _mean(errors[changed]) < EXPLAINED * _mean(alone[changed]):
            tried.append((_mean(errors[list(axes)]), mistake))
    error, best = min(tried, key=lambda one: one[0], default=(np.inf, None))
    usual = _mean(_errors(blocks, columns_of(blocks))[list(axes)])
    return best if error < ARRANGED * usual else None


def _arrangements(
    blocks: Blocks, axes: Sequence[int], linear: Mask
) -> Iterator[tuple[Mistake, Blocks]]:
    """Yield mistakes, with the blocks of a log in which each is put right."""
    n = blocks.q.shape[1]
    radians = np.where(linear, 1.0, np.radians(1.0))
    if not linear[list(axes)].all():
        one = np.ones(n)
        scales = (radians, radians, radians, one, radians)
        read = Blocks(*(part * x for x, part in zip(scales, blocks, strict=True)))
        yield Mistake("degrees", (), np.nan, np.nan), read
    for i in axes:
        signs = np.where(np.arange(n) == i, -1.0, 1.0)
        yield Mistake("sign", (i,), np.nan, np.nan), Blocks(*(signs * part for part in blocks))
        yield (
            Mistake("torque sign", (i,), np.nan, np.nan),
            blocks._replace(tau=signs * blocks.tau),
        )
        for factor in TORQUE_UNITS:
            other = blocks.tau * np.where(np.arange(n) == i, factor, 1.0)
            yield Mistake("torque unit", (i,), 1.0 / factor, np.nan), blocks._replace(tau=other)
    for pair in combinations(axes, 2):
        order = np.arange(n)
        order[list(pair)] = pair[::-1]
        yield (
            Mistake("swap", pair, np.nan, np.nan),
            Blocks(*(part[:, order] for part in blocks)),
        )


def _errors(blocks: Blocks, columns: Array) -> Array:
    """Return squared errors of a fit relative to the torque of each axis; NaN without a torque.

    Every second block is predicted by a fit of the others: few blocks are fitted by any columns.
    """
    size = spread(blocks.tau)
    seen = np.isfinite(blocks.tau)
    rest = np.where(seen, blocks.tau - columns[:, :, -1], 0.0).T
    rows = np.where(seen[:, :, None], columns[:, :, :-1], 0.0).transpose(1, 0, 2)
    halves = [slice(0, None, 2), slice(1, None, 2)]
    # products of each axis and half, once: weights of axes are all that changes
    sums = [_products(rows[:, half], rest[:, half]) for half in halves]
    count = np.maximum(seen.sum(axis=0), 1)
    left = size
    for _ in range(2):
        weights = np.where(left > 0.0, 1.0 / np.where(left > 0.0, left, 1.0), 0.0)
        errors = np.zeros_like(size)
        for fitted, half in zip(sums, reversed(halves), strict=True):
            x = solve(np.tensordot(np.square(weights), fitted, 1))
            errors += np.square(rest[:, half] - rows[:, half] @ x).sum(axis=1)
        left = np.maximum(np.sqrt(errors / count), np.sqrt(SMALLEST) * size)
    known = size > 0.0
    share = np.full(size.shape, np.nan)
    share[known] = np.square(left[known] / size[known])
    return share


def _products(rows: Array, rest: Array) -> Array:
    """Return normal equations of each axis, ``(n, p + 1, p + 1)``."""
    whole = np.concatenate([rows, rest[:, :, None]], axis=2)
    return np.asarray(whole.swapaxes(1, 2) @ whole)


def _mean(errors: Array) -> float:
    """Return the geometric mean; infinite without a number."""
    known = errors[np.isfinite(errors)]
    return float(np.exp(np.log(known).mean())) if known.size else np.inf
