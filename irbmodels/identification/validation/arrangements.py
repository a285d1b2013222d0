"""Another sign, order or unit of columns of a log that explains its torques much better."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from ...model.types import Array, Mask
from .mistakes import Blocks, Mistake, friction_columns
from .stretch_equations import solve_normal, spread

FEW = 400  # blocks, of which every arrangement is tried
# of the squared errors that another arrangement of the axes leaves at most, if it is the right one:
# wrong ones leave 0.78 and more on clean logs of ten arms, right ones up to 0.48 but for a KUKA KR
# 300 and a TX40, whose bodies are hardly known
ARRANGED = 0.5
# of the squared errors of friction alone that are left at most of the axes put right
EXPLAINED = 0.8
TORQUE_UNITS = (1e3, 1e-3)  # N m in a column of kN m, and of mN m
# [rad] as read, that half of the axes travel at least: positions in degrees that span less move
# most axes by less than 6.3 deg, which is no motion for an identification
TURN = 2.0 * np.pi
SMALLEST = 1e-12  # squared error relative to the torque: rounding
HALVES = (slice(0, None, 2), slice(1, None, 2))

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
    blocks = thinned_blocks(blocks)
    own = friction_columns(blocks)
    none = np.zeros((*blocks.q.shape, 1))
    alone = _Halves(np.concatenate([own, none], axis=2), blocks.tau).errors(blocks.tau)
    as_logged = _Halves(columns_of(blocks), blocks.tau)
    tried = []
    for mistake, other in _arrangements(blocks, axes, linear):
        is_logged = other.q is blocks.q  # torques alone differ
        halves = as_logged if is_logged else _Halves(columns_of(other), other.tau)
        errors = halves.errors(other.tau)
        changed = list(mistake.axes or axes)
        # another unit may just make predictions small: they have to explain torques
        if _mean(errors[changed]) < EXPLAINED * _mean(alone[changed]):
            tried.append((_mean(errors[list(axes)]), mistake))
    error, best = min(tried, key=lambda one: one[0], default=(np.inf, None))
    usual = _mean(as_logged.errors(blocks.tau)[list(axes)])
    return best if error < ARRANGED * usual else None


def thinned_blocks(blocks: Blocks) -> Blocks:
    """Return a few blocks all over the logs."""
    step = max(1, len(blocks.q) // FEW)
    return Blocks(*(part[::step] for part in blocks))


def torque_error(blocks: Blocks, columns: Array, axes: Mask) -> float:
    """Return the squared error of a fit relative to the torque, geometric mean of axes.

    Args:
        blocks: Few of them.
        columns: Of free parameters ``(N, n, p)``; the last is the known part.
        axes: That count, ``(n,)``.
    """
    return _mean(_Halves(columns, blocks.tau).errors(blocks.tau)[axes])


def _arrangements(
    blocks: Blocks, axes: Sequence[int], linear: Mask
) -> Iterator[tuple[Mistake, Blocks]]:
    """Yield mistakes, with the blocks of a log in which each is put right."""
    n = blocks.q.shape[1]
    radians = np.where(linear, 1.0, np.radians(1.0))
    rotary = [i for i in axes if not linear[i]]
    if rotary and np.median(np.ptp(blocks.q[:, rotary], axis=0)) > TURN:
        q, v, a = (part * radians for part in (blocks.q, blocks.v, blocks.a))
        yield Mistake("degrees", (), np.nan, np.nan), blocks._replace(q=q, v=v, a=a)
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


class _Halves:
    """Columns of free parameters at states, and their products on every second block."""

    def __init__(self, columns: Array, tau: Array) -> None:
        """Multiply columns ``(N, n, p + 1)``, the known part last, where axes have torques."""
        self.seen, self.known = np.isfinite(tau), columns[:, :, -1]
        rows = np.where(self.seen[:, :, None], columns[:, :, :-1], 0.0).transpose(1, 0, 2)
        parts = [rows[:, half] for half in HALVES]
        # A column of length c in a half, and C in the other, adds s^2 C^2 / c^2 to the squared
        # errors of the prediction of the other, by noise of deviation s: where a half hardly meets
        # a Stribeck peak more than all noise has, N s^2. Such columns are left out.
        lengths = np.stack([np.square(part).sum(axis=(0, 1)) for part in parts])
        kept = len(tau) * lengths.min(axis=0) > lengths.max(axis=0)
        self.rows = [part[:, :, kept] for part in parts]
        # of each axis, once: weights of axes are all that changes
        self.grams = [part.swapaxes(1, 2) @ part for part in self.rows]

    def errors(self, tau: Array) -> Array:
        """Return squared errors of a fit relative to the torque of each axis; NaN without a torque.

        Every second block is predicted by a fit of the others: few blocks are fitted by any
        columns.
        """
        size = spread(tau)
        rest = np.where(self.seen, tau - self.known, 0.0).T[:, :, None]
        sides = [
            part.swapaxes(1, 2) @ rest[:, half]
            for part, half in zip(self.rows, HALVES, strict=True)
        ]
        count = np.maximum(self.seen.sum(axis=0), 1)
        left = size
        for _ in range(2):
            squares = np.square(np.where(left > 0.0, 1.0 / np.where(left > 0.0, left, 1.0), 0.0))
            errors = np.zeros_like(size)
            fitted = zip(self.grams, sides, self.rows[::-1], HALVES[::-1], strict=True)
            for gram, side, others, half in fitted:
                x = solve_normal(np.tensordot(squares, gram, 1), squares @ side[:, :, 0])
                errors += np.square(rest[:, half, 0] - others @ x).sum(axis=1)
            left = np.maximum(np.sqrt(errors / count), np.sqrt(SMALLEST) * size)
        known = size > 0.0
        share = np.full(size.shape, np.nan)
        share[known] = np.square(left[known] / size[known])
        return share


def _mean(errors: Array) -> float:
    """Return the geometric mean; infinite without a number."""
    known = errors[np.isfinite(errors)]
    return float(np.exp(np.log(known).mean())) if known.size else np.inf
