"""Torque equations linearized at the geometry of springs that were found in the samples."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...model import spring_geometry
from ...model.springs import Spring
from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Blocks
from .nonlinear import SpeedEquations
from .torque_equations import TorqueEquations, blocks


@dataclass(frozen=True, eq=False)
class GeometryEquations:
    """Equations in what others hold, and in rest, pivot and gas column of springs behind it.

    Fits of them have the covariance of all together: of stiffness, weight and geometry.
    """

    others: TorqueEquations | SpeedEquations
    springs: tuple[Spring, ...]
    """Elements whose geometry is a parameter, with estimated coefficients."""
    known: Collection[int] = ()
    """Axes, 1-based, of which the pivots are known: of a gas only the column is a parameter."""

    def kinds_of(self, spring: Spring) -> tuple[str, ...]:
        """Return the kinds of geometry that are parameters of an element."""
        return spring_geometry.kinds_of(spring, spring.axis in self.known)

    @property
    def linear(self) -> TorqueEquations:
        """Those without speeds and geometry."""
        return self.others if isinstance(self.others, TorqueEquations) else self.others.linear

    @cached_property
    def x(self) -> Array:
        """Where they touch; 0 for what they are linear in."""
        first = (
            np.zeros(len(self.others.names))
            if isinstance(self.others, TorqueEquations)
            else self.others.x
        )
        own = (spring_geometry.values_of(one, self.kinds_of(one)) for one in self.springs)
        return np.concatenate([first, *own])

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the others, then such as ``rest_2``."""
        own = (f"{kind}_{spring.axis}" for spring in self.springs for kind in self.kinds_of(spring))
        return (*self.others.names, *own)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the same."""
        linear = self.linear.robot.limits.linear
        own = (
            spring_geometry.KINDS[kind][int(linear[spring.axis - 1])]
            for spring in self.springs
            for kind in self.kinds_of(spring)
        )
        return (*self.others.units, *own)

    @property
    def size(self) -> int:
        """Number of axes that move."""
        return self.others.size

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield ``Y`` ``(N, size, p)`` and the right-hand side ``(N, size)`` [N m, N]."""
        axes, p = self.linear.base.axes, len(self.others.names)
        for piece in pieces:
            states = blocks(piece, self.linear.robot)
            for (Y, y), (q,) in zip(self.others([piece]), states, strict=True):
                whole = np.concatenate([Y, np.zeros((*y.shape, self.x.size - p))], axis=-1)
                right, first = y.copy(), p
                for spring in self.springs:
                    position, kinds = q[:, spring.axis - 1], self.kinds_of(spring)
                    slopes = spring_geometry.slopes(spring, position, kinds)
                    own = np.s_[first : first + slopes.shape[1]]
                    i, first = axes.index(spring.axis - 1), own.stop
                    whole[:, i, own] = slopes
                    right[:, i] += slopes @ self.x[own]
                yield whole, right
