"""Usual mistakes in a log or its set: a shifted zero, a gain, a payload, a wrong sign, a swap.

Each is a change of few parameters that turns predicted torques into measured ones. It is fitted to
block means of the residual, beside friction of its own per axis, which may have changed since; its
deviation is that of a jackknife over stretches of time, so that model errors count as errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from ...model.types import Array, Mask
from ...trajectory import Motion

BLOCK = 0.05  # [s] of samples that count as one: longer than noise remembers, shorter than motion
MOST = 1500  # blocks in use
FEW = 400  # of them, where every arrangement of the axes is tried
STRETCHES = 6  # of time, that the jackknife leaves out
STEP = 1e-4  # [rad, m] of differences by a position
SURE = 5.0  # deviations; residuals of eight clean logs reach 3.8 where a size is plausible
ZERO, LARGEST_ZERO = np.deg2rad(1.0), np.deg2rad(20.0)  # beyond it no shift is linear
ZERO_LINEAR, LARGEST_ZERO_LINEAR = 0.005, 0.1  # [m]
GAIN = 0.05
# of the squared residuals on stretches left out that a mistake explains at least: a model that
# misses a term leaves residuals in which small zeros seem sure
SHARE = 0.03
REVERSED = -1.5  # relative error of a gain below which its sign is wrong
# of the squared errors that another arrangement of the axes leaves at most, if it is the right one
ARRANGED = 0.5

Predict = Callable[[Array, Array, Array], Array]
Kind = Literal["zero", "gain", "payload", "sign", "swap", "unit", "robot"]


class Mistake(NamedTuple):
    """Change that explains residuals."""

    kind: Kind
    axes: tuple[int, ...]
    """0-based; for a payload those that measure it; none for a unit."""
    estimate: float
    """Shift [rad, m], relative error of the gain, or mass [kg]; NaN for signs and swaps.

    For a unit or another robot what torques are of those of the robot's bodies.
    """
    deviation: float


class Blocks(NamedTuple):
    """States at the middle of blocks, and mean torques there.

    NaN where a torque is left out, or friction changes its sign inside the block.
    """

    q: Array
    v: Array
    a: Array
    tau: Array


def blocks_of(segments: Sequence[Motion]) -> Blocks:
    """Return block means of logs, at most some thousand."""
    kept: list[list[Array]] = [[], [], [], []]
    for motion in segments:
        size = block_size(motion)
        if not size:
            continue
        count = len(motion.t) // size
        q, v, a, tau = (
            np.asarray(getattr(motion, name))[: count * size].reshape(count, size, -1)
            for name in ("q", "v", "a", "tau")
        )
        steady = (np.sign(v) == np.sign(v[:, :1])).all(axis=1)
        middle = size // 2
        means = np.where(steady, tau.mean(axis=1), np.nan)
        for column, values in zip(
            kept, (q[:, middle], v[:, middle], a[:, middle], means), strict=True
        ):
            column.append(values)
    joined = [np.concatenate(column) for column in kept]
    step = max(1, len(joined[0]) // MOST)
    return Blocks(*(column[::step] for column in joined))


def block_size(motion: Motion) -> int:
    """Return the number of samples of a block; 0 for a segment shorter than one."""
    if len(motion.t) < 4:
        return 0
    size = max(4, round(BLOCK / float(np.median(np.diff(motion.t)))))
    return size if len(motion.t) >= size else 0


def find_mistakes(
    blocks: Blocks,
    predict: Predict,
    load_columns: Predict,
    linear: Mask,
    payload: float,
    sure: float = SURE,
    share: float = SHARE,
) -> list[Mistake]:
    """Return mistakes that explain residuals, the one that explains most first.

    Args:
        blocks: Of the logs.
        predict: Torques ``(N, n)`` of the set at ``q, v, a``.
        load_columns: Columns ``(N, n, 4)`` of mass and first moment of the last body.
        linear: Per axis whether it is linear.
        payload: The smallest that counts [kg].
        sure: Deviations from which one counts.
        share: Of the squared residuals that it explains at least.
    """
    q, v, a, tau = blocks
    predicted, n = predict(q, v, a), q.shape[1]
    residual = tau - predicted
    seen = np.isfinite(residual) & (np.isfinite(residual).sum(axis=0) > 10 * STRETCHES)
    own = friction_columns(v)
    weights = seen / _deviation(residual, own, seen)
    candidates: list[tuple[Kind, tuple[int, ...], Array]] = []
    for j in range(n):
        step = np.zeros(n)
        step[j] = STEP
        slope = (predict(q + step, v, a) - predict(q - step, v, a)) / (2.0 * STEP)
        # the log reads q + shift
        candidates.append(("zero", (j,), -slope[:, :, None]))
        column = np.zeros((*residual.shape, 1))
        column[:, j, 0] = predicted[:, j]
        candidates.append(("gain", (j,), column))
    candidates.append(("payload", tuple(range(n)), load_columns(q, v, a)))
    y, mistakes = np.where(seen, residual, 0.0) * weights, []
    columns = own
    without, _, _ = _jackknifed(own * weights[:, :, None], y)
    while candidates:
        fits = [
            _jackknifed(np.concatenate([extra, columns], axis=2) * weights[:, :, None], y)
            for _, _, extra in candidates
        ]
        best = int(np.argmin([cost for cost, _, _ in fits]))
        kind, axes, extra = candidates.pop(best)
        cost, estimate, deviation = fits[best]
        mistake = Mistake(kind, axes, estimate, deviation)
        if not abs(estimate) > sure * deviation or cost > (1.0 - share) * without:
            break
        without = cost
        columns = np.concatenate([extra, columns], axis=2)
        if _is_plausible(mistake, linear, payload):
            mistakes.append(mistake)
    return [
        one._replace(kind="sign", estimate=np.nan)
        if one.kind == "gain" and one.estimate < REVERSED
        else one
        for one in mistakes
    ]


def _is_plausible(mistake: Mistake, linear: Mask, payload: float) -> bool:
    size = abs(mistake.estimate)
    if mistake.kind == "gain":
        return size >= GAIN
    if mistake.kind == "payload":
        return size >= payload
    if linear[mistake.axes[0]]:
        return ZERO_LINEAR <= size <= LARGEST_ZERO_LINEAR
    return bool(ZERO <= size <= LARGEST_ZERO)


def find_arrangement(blocks: Blocks, columns_of: Callable[[Blocks], Array]) -> Mistake | None:
    """Return another sign of an axis, or swap of two, that explains torques much better.

    Args:
        blocks: Of the logs.
        columns_of: Columns ``(N, n, p)`` of free parameters at the states of blocks; the last is
            the known part.
    """
    n, step = blocks.q.shape[1], max(1, len(blocks.q) // FEW)
    blocks = Blocks(*(part[::step] for part in blocks))
    arrangements: list[tuple[Kind, tuple[int, ...]]] = [
        *(("sign", (i,)) for i in range(n)),
        *(("swap", pair) for pair in combinations(range(n), 2)),
    ]
    costs = []
    for kind, axes in arrangements:
        order, signs = np.arange(n), np.ones(n)
        if kind == "sign":
            signs[axes[0]] = -1.0
        else:
            order[list(axes)] = order[list(axes)[::-1]]
        costs.append(_error(Blocks(*(signs * part[:, order] for part in blocks)), columns_of))
    best = int(np.argmin(costs))
    if costs[best] < ARRANGED * _error(blocks, columns_of):
        return Mistake(*arrangements[best], np.nan, np.nan)
    return None


def _error(blocks: Blocks, columns_of: Callable[[Blocks], Array]) -> float:
    """Geometric mean over axes of the squared errors of a fit, relative to their torques."""
    columns, tau = columns_of(blocks), blocks.tau
    seen = np.isfinite(tau)
    known, free = columns[:, :, -1], columns[:, :, :-1]
    y = np.where(seen, tau - known, 0.0)
    spread = np.array([np.std(tau[rows, i]) for i, rows in enumerate(seen.T)])
    # products of each axis, once: weights of axes are all that changes
    rows = np.where(seen[:, :, None], free, 0.0).transpose(1, 0, 2)
    grams = rows.swapaxes(1, 2) @ rows
    sides = (rows.swapaxes(1, 2) @ y.T[:, :, None])[:, :, 0]
    weights = 1.0 / np.square(np.maximum(spread, 1e-12))
    for _ in range(2):
        x = _solve(np.tensordot(weights, grams, 1), weights @ sides)
        rest = y.T - rows @ x
        variance = np.square(rest).sum(axis=1) / np.maximum(seen.sum(axis=0), 1)
        weights = 1.0 / np.maximum(variance, 1e-12 * np.square(spread))
    return float(np.exp(np.log(np.maximum(variance / np.square(spread), 1e-12)).mean()))


def friction_columns(v: Array) -> Array:
    """Return columns of Coulomb and viscous friction and of an offset per axis, ``(N, n, 3 n)``."""
    N, n = v.shape
    columns = np.zeros((N, n, 3 * n))
    axes = np.arange(n)
    for k, values in enumerate((np.sign(v), v, np.ones_like(v))):
        columns[:, axes, 3 * axes + k] = values
    return columns


def _deviation(residual: Array, own: Array, seen: Mask) -> Array:
    """Standard deviation of the residual of each axis beside columns of its own."""
    rest = np.ones(residual.shape[1])
    for i, rows in enumerate(seen.T):
        if rows.any():
            X, y = own[rows, i, 3 * i : 3 * i + 3], residual[rows, i]
            rest[i] = max(np.std(y - X @ np.linalg.lstsq(X, y, rcond=None)[0]), 1e-9)
    return rest


def _jackknifed(X: Array, y: Array) -> tuple[float, float, float]:
    """Squared errors on stretches left out, the first coefficient, and its deviation."""
    parts = np.array_split(np.arange(len(X)), STRETCHES)
    rows = [(X[k].reshape(-1, X.shape[2]), y[k].ravel()) for k in parts]
    grams = np.array([block.T @ block for block, _ in rows])
    sides = np.array([block.T @ side for block, side in rows])
    squares = np.array([np.square(y[k]).sum() for k in parts])
    cost, firsts = 0.0, []
    for gram, side, square in zip(grams, sides, squares, strict=True):
        x = _solve(grams.sum(axis=0) - gram, sides.sum(axis=0) - side)
        cost += square - 2.0 * x @ side + x @ gram @ x
        firsts.append(x[0])
    spread = np.square(np.array(firsts) - np.mean(firsts)).sum()
    estimate = _solve(grams.sum(axis=0), sides.sum(axis=0))[0]
    deviation = np.sqrt((STRETCHES - 1) / STRETCHES * spread)
    return float(cost), float(estimate), float(deviation)


def _solve(gram: Array, side: Array) -> Array:
    scale = np.sqrt(np.maximum(np.diagonal(gram), 1e-300))
    solution = np.linalg.lstsq(gram / np.outer(scale, scale), side / scale, rcond=1e-9)[0]
    return np.asarray(solution / scale)
