"""The equations of the torques: one per moving axis and sample, linear in the base parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...checks import as_instance
from ...errors import InputError
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.torque_regressor import (
    BodyColumns,
    TorqueRegressor,
    chosen_columns,
    product,
)
from ...trajectory import Motion
from .accumulator import BLOCK, Blocks


@dataclass(frozen=True, eq=False)
class BaseParameterEquations:
    """Base of all equations in the base parameters of a robot."""

    robot: Robot
    """Lengths, tool and gravity as in the experiment."""
    base: BaseParameters

    def __post_init__(self) -> None:
        """Check that robot and base parameters go together.

        Raises:
            InputError: if one is none, or the base parameters are those of a robot with other
                parameters.
        """
        size = (
            as_instance(self.robot, Robot, "equations are those of an irbmodels.Robot")
            .parameter_vector()
            .size
        )
        count = as_instance(
            self.base, BaseParameters, "base parameters are those of base_parameters(robot)"
        ).grouping.shape[1]
        if count != size:
            raise InputError(
                f"base parameters of {count} parameters are of another robot: {self.robot.name} has"
                f" {size}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The sums of parameters."""
        return self.base.names

    @property
    def units(self) -> tuple[str, ...]:
        """Of the sums."""
        return self.base.units


class States(NamedTuple):
    """States of a block of samples, shape ``(N, n)`` each."""

    q: Array
    """[rad, m]."""
    v: Array
    """[rad/s, m/s]."""
    temperature: Array
    """Of the drives [deg C]; NaN where it is unknown."""


@dataclass(frozen=True, eq=False)
class TorqueEquations(BaseParameterEquations):
    """``tau = Y(q, v, a) beta`` on the axes that move.

    What is not in ``beta`` keeps the value it has in the robot. A torque of NaN is masked: no
    equation of its axis at that sample.

    The pieces need ``v``, ``a`` and ``tau``; axes that are not identified must stand where
    ``base_parameters`` held them.
    """

    bodies: BodyColumns | None = None
    """Columns of the robot's bodies that other equations use too."""

    @property
    def size(self) -> int:
        """Number of axes that move."""
        return len(self.base.axes)

    @cached_property
    def known(self) -> Array:
        """Parameters that no sum holds, shape ``(p,)``; 0 elsewhere."""
        free = self.base.grouping.any(axis=0)
        return np.where(free, 0.0, self.robot.parameter_vector())

    @cached_property
    def regressor(self) -> TorqueRegressor:
        """Of the robot, for arrays of states."""
        return TorqueRegressor(self.robot, self.bodies)

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield ``Y`` ``(N, size, rank)`` and the right-hand side ``(N, size)`` [N m, N]."""
        for Y, y, _ in self.with_states(pieces):
            yield Y, y

    def with_states(self, pieces: Iterable[Motion]) -> Iterator[tuple[Array, Array, States]]:
        """Yield the same, with the states that they are of."""
        columns, every = np.array(self.base.columns), self.size == self.robot.n
        moving = slice(None) if every else np.array(self.base.axes)
        needed = ("v", "a", "tau", "temperature")
        for piece in pieces:
            direction = self.regressor.start()
            for q, v, a, tau, temperature in blocks(piece, self.robot, *needed, masked=True):
                parts = self.regressor.parts(q, v, a, temperature, direction)
                rest = (tau - product(parts, self.known))[:, moving]
                yield chosen_columns(parts, columns)[:, moving], rest, States(q, v, temperature)


def blocks(
    piece: Motion, robot: Robot, *needed: str, length: int = BLOCK, masked: bool = False
) -> Iterable[list[Array]]:
    """Cut ``q`` and what else is needed of a piece into blocks; ``masked`` torques may be NaN.

    Temperatures are NaN where they are unknown.

    Raises:
        InputError: if the piece is of another robot, or lacks something.
    """
    if "temperature" in needed and piece.temperature is None:
        piece = piece._replace(temperature=np.full(np.shape(piece.q), np.nan))
    for name in needed:
        if getattr(piece, name) is None:
            raise InputError(
                f"these samples have no {name}, which this estimate of {robot.name} needs"
            )
    arrays = [np.asarray(getattr(piece, name), dtype=float) for name in ("q", *needed)]
    for name, array in zip(("q", *needed), arrays, strict=True):
        if array.ndim != 2 or array.shape != (arrays[0].shape[0], robot.n):
            raise InputError(
                f"{name} of {robot.name} needs shape ({arrays[0].shape[0]}, {robot.n}), got"
                f" {array.shape}"
            )
        may_lack = name == "temperature" or (masked and name == "tau")
        bad = np.isinf(array) if may_lack else ~np.isfinite(array)
        if bad.any():
            first = int(np.argwhere(bad)[0, 0])
            raise InputError(
                f"{name} is not finite at sample {first} of a piece: leave such samples out"
            )
    return (
        [array[start : start + length] for array in arrays]
        for start in range(0, arrays[0].shape[0], length)
    )
