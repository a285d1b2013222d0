"""Plain torque equations of a few samples: they choose what a log is prepared with, not a set.

Bodies, rotors, Coulomb and viscous friction, and further shapes of friction and an offset per axis,
so that a shape of friction that a law lacks is not taken for a property of the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...errors import InputError
from ...model.friction import frictionless
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.torque_regressor import BodyColumns
from ...trajectory import Motion
from ..fits.accumulator import Accumulator
from ..fits.payload import identifiable_columns
from ..fits.regression import weighted_least_squares
from ..fits.torque_equations import TorqueEquations
from ..recordings.recording import TORQUE_FLAGS, Recording
from .evaluation import usable_segments
from .model_terms import ModelSelection
from .preparation import AVOID

# speeds at which a shape of friction levels off, of the RMS of an axis' speed
LEVELS = (0.1, 0.5)


@dataclass(frozen=True, eq=False)
class PlainEquations:
    """Torque equations with Coulomb and viscous friction of axes that move."""

    robot: Robot
    base: BaseParameters

    @staticmethod
    def of(robot: Robot, axes: Sequence[int] | None, held: Array | None) -> PlainEquations:
        """Return the equations of a robot whose axes (1-based) move, others held."""
        law = robot.friction_model or frictionless(robot.n)
        plain = robot.with_friction(replace(law, Fs=law.Fc))
        return PlainEquations(plain, ModelSelection(plain, axes, held, 0).base(plain, True))

    @cached_property
    def bodies(self) -> BodyColumns:
        """Columns of the robot's bodies, compiled once for all motions."""
        return BodyColumns(self.robot)

    def rows(self, motion: Motion) -> tuple[Array, Array]:
        """Return ``Y`` ``(N, size, p)`` and ``y`` ``(N, size)`` of one motion."""
        parts = list(TorqueEquations(self.robot, self.base, self.bodies)([motion]))
        Y, y = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Y, y

    @property
    def jumps(self) -> tuple[int, ...]:
        """Columns that jump where an axis reverses: dry friction."""
        return tuple(
            k for k, name in enumerate(self.base.names) if name.startswith(("Fc_", "dFc_", "mu_"))
        )

    def shapes(self, v: Array, rms: Array) -> Array:
        """Return further shapes of friction of moving axes, ``(N, size, shapes * size)``.

        Args:
            v: Speeds of all axes, ``(N, n)``.
            rms: Of the speeds of an axis over the log, ``(n,)``.
        """
        moving = list(self.base.axes)
        w, scale = v[:, moving], rms[moving]
        columns = [np.ones_like(w), w * np.abs(w)]
        columns += [np.tanh(w / (part * scale)) for part in LEVELS]
        size, count = len(moving), len(columns)
        result = np.zeros((len(v), size, count * size))
        for i in range(size):
            result[:, i, count * i : count * (i + 1)] = np.stack(
                [column[:, i] for column in columns], axis=1
            )
        return result


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Equations that lie in memory, a block per stretch of a log."""

    blocks: Sequence[tuple[Array, Array]]

    @property
    def names(self) -> tuple[str, ...]:
        """Numbers of the columns."""
        return tuple(map(str, range(self.blocks[0][0].shape[2])))

    @property
    def units(self) -> tuple[str, ...]:
        """None."""
        return ("",) * len(self.names)

    @property
    def size(self) -> int:
        """Equations per sample."""
        return int(self.blocks[0][1].shape[1])

    def accumulated(self) -> Accumulator:
        """Return the factors of all blocks."""
        total = Accumulator(self.size, self.names, self.units)
        for Y, y in self.blocks:
            total.add(Y, y)
        return total

    def on_the_same(self, other: KnownRows) -> tuple[KnownRows, KnownRows]:
        """Return both with the torques only that both have."""
        gone = [
            np.isnan(y) | np.isnan(z)
            for (_, y), (_, z) in zip(self.blocks, other.blocks, strict=True)
        ]
        one, two = (
            KnownRows(
                [
                    (Y, np.where(none, np.nan, y))
                    for (Y, y), none in zip(rows.blocks, gone, strict=True)
                ]
            )
            for rows in (self, other)
        )
        return one, two

    def errors(self) -> Array:
        """Return the RMSE of a weighted fit of each axis [N m, N], shape ``(size,)``."""
        total, _ = identifiable(self.accumulated())
        squares = total.residual_squares(weighted_least_squares(total).beta)
        return np.asarray(np.sqrt(squares / np.maximum(total.counts, 1.0)), dtype=float)


def identifiable(total: Accumulator) -> tuple[Accumulator, list[int]]:
    """Return factors without columns that are zero, or sums of others, and the columns kept.

    Raises:
        InputError: if there is no equation.
    """
    if not total.counts.any():
        raise InputError("no torque can be used")
    kept = identifiable_columns(total.combined_factor()[:-1, :-1])[0]
    return total if len(kept) == total.p else total.select(kept), kept


def stretches(segments: Sequence[Motion], most: int, fewest: int) -> list[Motion]:
    """Return segments of ``fewest`` samples or more, or stretches all over them.

    Args:
        segments: Of logs, in the order of time.
        most: Samples in all; of more, sixteen stretches are taken.
        fewest: Samples of a stretch.
    """
    long = [motion for motion in segments if len(motion.t) >= fewest]
    if sum(len(motion.t) for motion in long) <= most:
        return long
    size = max(fewest, most // 16)
    parts = [(motion, k) for motion in long for k in range(0, len(motion.t) - fewest + 1, size)]
    chosen = np.linspace(0, len(parts) - 1, min(len(parts), most // size)).round().astype(int)
    return [_part(*parts[int(k)], size) for k in chosen]


def _part(motion: Motion, start: int, size: int) -> Motion:
    return motion.each(lambda x: x[start : start + size])


def thinned(
    equations: PlainEquations, logs: Sequence[Recording], most: int, parts: int = 1
) -> KnownRows:
    """Return equations of the same samples all over logs, whatever these were filtered with.

    Args:
        equations: Of the robot, for the axes that move.
        logs: Prepared logs.
        most: Samples.
        parts: Blocks, one after the other in time.

    Raises:
        InputError: if no sample can be used.
    """
    moving = list(equations.base.axes)
    usable_segments(logs, moving)
    stride = max(1, -(-sum(map(len, logs)) // most))
    motions = [_thinned(log, moving, stride) for log in logs]
    columns = zip(*(motion[:5] for motion in motions), strict=True)  # plain: at any temperature
    motion = Motion(*(np.concatenate(x) for x in columns))
    Y, y = equations.rows(motion)
    return KnownRows(list(zip(np.array_split(Y, parts), np.array_split(y, parts), strict=True)))


def _thinned(log: Recording, axes: Sequence[int], stride: int) -> Motion:
    """Return every ``stride``-th sample, what cannot be used masked."""
    bad = np.asarray(log.has(AVOID & ~TORQUE_FLAGS)[:, axes].any(axis=1), dtype=bool)
    masked = log.has(AVOID & TORQUE_FLAGS) | bad[:, None]
    known = np.asarray(np.isfinite(log.q).all(axis=1), dtype=bool)[:, None]
    q, v, a = (np.where(known, np.asarray(x), 0.0)[::stride] for x in (log.q, log.v, log.a))
    return Motion(log.t[::stride], q, v, a, np.where(masked, np.nan, np.asarray(log.tau))[::stride])
