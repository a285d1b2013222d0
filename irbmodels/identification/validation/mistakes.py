"""Usual mistakes in a log, or its set: a shifted zero, a gain, a delay, a payload, a wrong sign.

Each is a change of few parameters that turns predicted torques into measured ones. It is fitted to
block means of the residual, beside friction of its own per axis, which may have changed since; its
deviation is that of a jackknife over stretches of time, so that model errors count as errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...model.types import Array, Mask
from ...trajectory import Motion
from .stretch_equations import Eliminated, StretchSums, axis_weights

BLOCK = 0.05  # [s] of samples that count as one: longer than noise remembers, shorter than motion
MOST = 1500  # blocks in use
STRETCHES = 6  # of time, that the jackknife leaves out
FEWEST = 10  # blocks per stretch of the jackknife with a torque of an axis
STEP = 1e-4  # [rad, m] of differences by a position
ROUNDING = 1e-8  # [1/rad, 1/m] of the torque: a smaller slope is that of rounding
# deviations. Clean logs of nine arms reach 3.8 where a size is plausible, but for 5.3 of a gain
# below what is unexplained (a Panda); that of an AR5 reaches 9 by a delay of 21 ms, one sample,
# which is not understood. Shifts by 3 deg and gains of 10 % that show mostly reach 6
SURE = 5.0
ZERO, LARGEST_ZERO = np.deg2rad(1.0), np.deg2rad(20.0)  # beyond it no shift is linear
ZERO_LINEAR, LARGEST_ZERO_LINEAR = 0.005, 0.1  # [m]
GAIN = 0.05
# [s]: cycles of controllers are shorter, and what is longer than a block is no slope of a torque
LATE, LARGEST_LATE = 0.005, 0.05
# of the squared residuals on stretches left out that a mistake explains at least: a model that
# misses a term leaves residuals in which small zeros seem sure. Clean logs of nine arms name none
# at 0.005, spoilt ones explain 0.08 and more
SHARE = 0.03
REVERSED = -1.5  # relative error of a gain below which its sign is wrong
ALIKE = (
    2.0  # deviations that a zero keeps beside that of another axis, if the two can be told apart
)

Predict = Callable[[Array, Array, Array], Array]
Kind = Literal[
    "zero",
    "gain",
    "payload",
    "late",
    "sign",
    "torque sign",
    "swap",
    "degrees",
    "torque unit",
    "unit",
    "robot",
    "mounting",
]


class Mistake(NamedTuple):
    """Change that explains residuals."""

    kind: Kind
    axes: tuple[int, ...]
    """0-based; of a zero several where the log does not tell which; of a payload those that measure
    it; none of a unit of the whole log.
    """
    estimate: float
    """Shift [rad, m], relative error of the gain, delay [s], or mass [kg].

    For a unit or another robot what torques are of those of the robot's bodies; for a mounting the
    angle between gravity and that of the robot [rad]; else NaN.
    """
    deviation: float
    gravity: tuple[float, float, float] | None = None
    """Of a mounting [m/s^2], in axes of the base; its length errs as masses do."""


class Visible(NamedTuple):
    """Smallest mistakes that logs would show, ``(n,)`` each; infinite where none of any size is."""

    zeros: Array
    """[rad, m]."""
    gains: Array
    """Relative errors."""


class Segment(NamedTuple):
    """Usable segment of a log, and what a set says of it, ``(N, n)`` each."""

    motion: Motion
    direction: Array
    """Of Coulomb friction of the drives along the motion (:class:`.FrictionDirection`)."""
    predicted: Array
    """Torques of the set along the motion."""


class Blocks(NamedTuple):
    """States at the middle of blocks, and means over them, ``(N, n)`` each."""

    q: Array
    v: Array
    a: Array
    tau: Array
    """Mean torques; NaN where one is left out, or the axis reverses inside the block."""
    direction: Array
    """Mean direction of Coulomb friction of the drives."""
    predicted: Array
    """Mean torques of the set along the motion."""
    rate: Array
    """Mean rate of these torques [N m/s, N/s]."""
    residual: Array
    """Mean of measured torques less those of the set along the motion.

    NaN where one is left out, or the axis reverses and its friction turns round at once: a law
    without presliding does not say what torques are then.
    """


def blocks_of(segments: Sequence[Segment], gradual: Mask) -> Blocks:
    """Return block means of logs, at most some thousand.

    Args:
        segments: Of the logs.
        gradual: Axes ``(n,)`` whose friction turns round over a distance.
    """
    kept: list[tuple[Array, ...]] = []
    for motion, direction, predicted in segments:
        size = block_size(motion)
        if not size:
            continue
        count = len(motion.t) // size
        rate = np.gradient(predicted, np.asarray(motion.t), axis=0)
        columns = motion.q, motion.v, motion.a, motion.tau, direction, predicted, rate
        q, v, a, tau, direction, predicted, rate = (
            np.asarray(column)[: count * size].reshape(count, size, -1) for column in columns
        )
        steady = (np.sign(v) == np.sign(v[:, :1])).all(axis=1)
        residual = np.where(steady | gradual, (tau - predicted).mean(axis=1), np.nan)
        tau = np.where(steady, tau.mean(axis=1), np.nan)
        # of an even number of samples two are in the middle: one of them is half a step late
        low, high = (size - 1) // 2, size // 2
        q, v, a = (0.5 * (part[:, low] + part[:, high]) for part in (q, v, a))
        direction, predicted, rate = (part.mean(axis=1) for part in (direction, predicted, rate))
        kept.append((q, v, a, tau, direction, predicted, rate, residual))
    joined = [np.concatenate(column) for column in zip(*kept, strict=True)]
    step = max(1, len(joined[0]) // MOST)
    return Blocks(*(column[::step] for column in joined))


def block_size(motion: Motion) -> int:
    """Return the number of samples of a block; 0 for a segment shorter than one."""
    if len(motion.t) < 4:
        return 0
    size = max(4, round(BLOCK / float(np.median(np.diff(motion.t)))))
    return size if len(motion.t) >= size else 0


class ResidualEquations(NamedTuple):
    """Normal equations of residuals: friction per axis, and columns of each mistake in question."""

    known: Eliminated
    """With friction eliminated."""
    places: dict[tuple[Kind, tuple[int, ...]], list[int]]
    """Columns of each mistake."""
    linear: Mask

    @staticmethod
    def of(
        blocks: Blocks, predict: Predict, load_columns: Predict, linear: Mask, axes: Sequence[int]
    ) -> ResidualEquations:
        """Return those of a set along logs, from torques and columns of a body.

        Torques that come late are those of the states before, with the friction of these states.

        Args:
            blocks: Of the logs.
            predict: Torques ``(N, n)`` of the set at ``q, v, a``.
            load_columns: Columns ``(N, n, 4)`` of mass and first moment of the last body.
            linear: Per axis whether it is linear.
            axes: 0-based, in question.
        """
        n, own, residual = blocks.q.shape[1], friction_columns(blocks), np.array(blocks.residual)
        residual[:, np.isfinite(residual).sum(axis=0) <= FEWEST * STRETCHES] = np.nan
        slopes, gains = position_slopes(predict, blocks), blocks.predicted[:, :, None] * np.eye(n)
        candidates: dict[tuple[Kind, tuple[int, ...]], Array] = {
            **{("zero", (j,)): slopes[:, :, j : j + 1] for j in axes},
            **{("gain", (j,)): gains[:, :, j : j + 1] for j in axes},
            ("payload", tuple(axes)): load_columns(blocks.q, blocks.v, blocks.a),
            ("late", tuple(axes)): -blocks.rate[:, :, None],
        }
        places, first = {}, own.shape[2]
        for key, columns in candidates.items():
            places[key] = list(range(first, first + columns.shape[2]))
            first += columns.shape[2]
        everything = np.concatenate([own, *candidates.values()], axis=2)
        sums = StretchSums.of(everything, residual, axis_weights(own, residual), STRETCHES)
        known = Eliminated.of(sums, list(range(own.shape[2])))
        return ResidualEquations(known, places, linear)

    def mistakes(self, payload: float) -> list[Mistake]:
        """Return mistakes that explain residuals, the one that explains most first."""
        known, places, mistakes = self.known, dict(self.places), []
        without = known.estimate([]).cost
        while places:
            fits = {key: known.estimate(columns) for key, columns in places.items()}
            best = min(fits, key=lambda key: fits[key].cost)
            fit = fits[best]
            mistake = Mistake(*best, float(fit.value[0]), float(fit.deviation[0]))
            certain = abs(mistake.estimate) > SURE * mistake.deviation
            if not certain or fit.cost > (1.0 - SHARE) * without:
                break
            if is_plausible(mistake, self.linear, payload):
                zeros = {key[1][0]: place for key, place in places.items() if key[0] == "zero"}
                mistakes.append(with_alike(mistake, known, zeros))
            without = fit.cost
            known = Eliminated.of(known.sums, [*known.taken, *places.pop(best)])
        return [
            one._replace(kind="torque sign", estimate=np.nan)
            if one.kind == "gain" and one.estimate < REVERSED
            else one
            for one in mistakes
        ]

    def visible(self) -> Visible:
        """Return the smallest zeros and gains that are sure, and explain enough."""
        n, least = len(self.linear), SHARE * self.known.estimate([]).cost
        visible = Visible(np.full(n, np.inf), np.full(n, np.inf))
        for (kind, axes), columns in self.places.items():
            length = self.known.length(columns[0])
            if kind in ("zero", "gain") and length > 0.0:
                smallest = smallest_visible(
                    kind,
                    float(self.known.estimate(columns).deviation[0]),
                    bool(self.linear[axes[0]]),
                    float(np.sqrt(least) / length),
                )
                (visible.zeros if kind == "zero" else visible.gains)[axes[0]] = smallest
        return visible


def smallest_visible(kind: Kind, deviation: float, linear: bool, least: float = 0.0) -> float:
    """Return the smallest zero or gain that counts with such a deviation, and is ``least``."""
    low, high = bounds(kind, linear)
    size = max(low, SURE * deviation, least)
    return size if deviation > 0.0 and size <= high else np.inf


def with_alike(mistake: Mistake, known: Eliminated, zeros: dict[int, list[int]]) -> Mistake:
    """Return a shifted zero with all axes whose zeros the log cannot tell from it.

    Args:
        mistake: Any; others than zeros come back as they are.
        known: Normal equations.
        zeros: Columns of zeros, by axis.
    """
    if mistake.kind != "zero":
        return mistake
    (axis,) = mistake.axes
    alike = [axis]
    for other, columns in zeros.items():
        if other == axis or not known.length(columns[0]) > 0.0:
            continue
        beside = Eliminated.of(known.sums, [*known.taken, *columns])
        fit = beside.estimate(zeros[axis])
        alone = beside.length(zeros[axis][0]) > 0.0
        if not alone or abs(fit.value[0]) < ALIKE * fit.deviation[0]:
            alike.append(other)
    return mistake._replace(axes=tuple(alike))


def position_slopes(predict: Predict, blocks: Blocks) -> Array:
    """Return by how much torques ``(N, n)`` change per shift of each axis' zero, ``(N, n, n)``.

    The log reads the position plus the shift.
    """
    n = blocks.q.shape[1]
    slopes = np.zeros((*blocks.q.shape, n))
    for j in range(n):
        step = STEP * (np.arange(n) == j)
        more, less = (predict(blocks.q + s * step, blocks.v, blocks.a) for s in (1.0, -1.0))
        slope = (less - more) / (2.0 * STEP)
        if np.abs(slope).max(initial=0.0) > ROUNDING * np.abs(more).max(initial=0.0):
            slopes[:, :, j] = slope
    return slopes


def bounds(kind: Kind, linear: bool) -> tuple[float, float]:
    """Return the sizes from and up to which a zero, gain or delay counts."""
    if kind == "zero":
        return (ZERO_LINEAR, LARGEST_ZERO_LINEAR) if linear else (float(ZERO), float(LARGEST_ZERO))
    return (LATE, LARGEST_LATE) if kind == "late" else (GAIN, np.inf)


def is_plausible(mistake: Mistake, linear: Mask, payload: float) -> bool:
    """Return True for a size that counts."""
    size = abs(mistake.estimate)
    if mistake.kind == "payload":
        return size >= payload
    low, high = bounds(mistake.kind, bool(linear[mistake.axes[0]]))
    return low <= size <= high


def friction_columns(blocks: Blocks) -> Array:
    """Return columns of Coulomb and viscous friction and of an offset per axis, ``(N, n, 3 n)``."""
    N, n = blocks.v.shape
    columns = np.zeros((N, n, 3 * n))
    axes = np.arange(n)
    for k, values in enumerate((blocks.direction, blocks.v, np.ones_like(blocks.v))):
        columns[:, axes, 3 * axes + k] = values
    return columns
