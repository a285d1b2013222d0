"""Springs that an axis may have, as columns beside those of the torque equations.

The torque of any of them is a smooth function of the position of its axis. Chebyshev polynomials
over the range of the logs hold all of them: one pass through the samples sums their products, and
the torque of an element of whatever geometry is a combination of these columns.

Torques of an axis tell of a pulling element the ratio of the distances of its pivots from the axis,
and the angle between the pivots; not its size. Here the pivot before the axis is the farther one,
1 m from the axis on the first coordinate of its plane. Where tables have the pivots of an element
whose force they do not have, these are its geometry, and the constants of its law alone are fitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ...model.springs import CoilSpring, GasSpring, Plane, Spring, TorqueOffset, TorsionSpring
from ...model.types import Array
from ...robot.robot import Robot
from ...tables.spring_rows import line_of_pivots
from ...trajectory import Motion
from .streaming import Samples
from .torque_equations import TorqueEquations

SpringKind = Literal["offset", "torsion", "coil", "gas"]
SPRING_KINDS: tuple[SpringKind, ...] = get_args(SpringKind)
"""Kinds of elements from simple to rich."""
# polynomials that hold the torque of pivots as 1 to 0.5 over two thirds of a turn to 1e-4
COUNT = 24
# nearer pivots by farther ones: below the least a torque is nearly a sine, as that of a weight;
# above the largest a cylinder would be of hardly any length
RATIOS = (0.1, 0.9)
# longest column of gas by the stroke: there its force varies by a twentieth, as that of a constant
COLUMNS = (1.1, 20.0)
EXPONENT = 1.2  # between gas at the temperature around it (1) and one too fast for that (1.4)
_GRID_RATIOS = (0.15, 0.3, 0.5, 0.75)
_GRID_ANGLES = np.radians(np.arange(-180.0, 180.0, 20.0))
_GRID_COLUMNS = (1.3, 2.5, 8.0)


class Pivots(NamedTuple):
    """Pivots of an element of the tables whose force law is unknown."""

    kind: SpringKind
    before: Plane
    after: Plane


def known_pivots(robot: Robot) -> dict[int, Pivots]:
    """Return pivots of a robot's elements of unknown force, by axis, 0-based."""
    if robot.description is None:
        return {}
    rows, axes = robot.description.springs.elements, robot.description.axes
    lines = {name: line_of_pivots(rows[name], axes) for name in robot.unknown_springs}
    return {
        line.axis - 1: Pivots(rows[name].kind, line.before, line.after)
        for name, line in lines.items()
        if line is not None
    }


class Family(NamedTuple):
    """Elements of one kind at one axis, as functions of shape numbers."""

    kind: SpringKind
    bounds: tuple[tuple[float, float], ...]
    """Of the shape: ratio and angle [rad] of the pivots unless known, column of a gas by stroke."""
    grid: tuple[tuple[float, ...], ...]
    """Shapes from which a search starts."""
    pushes: bool = False


def families(linear: bool, pivots: Pivots | None = None) -> Iterator[Family]:
    """Yield the families of an axis, from simple to rich; with known pivots those of their kind."""
    yield Family("offset", (), ((),))
    yield Family("torsion", (), ((),))
    if linear:
        return
    if pivots is not None:
        if pivots.kind == "coil":
            yield Family("coil", (), ((),))
            return
        for pushes in (False, True):
            yield Family("gas", (COLUMNS,), tuple((one,) for one in _GRID_COLUMNS), pushes)
        return
    plane = [(ratio, angle) for ratio in _GRID_RATIOS for angle in _GRID_ANGLES.tolist()]
    turned = (-2.0 * np.pi, 2.0 * np.pi)
    yield Family("coil", (RATIOS, turned), tuple(plane))
    grid = tuple((*shape, column) for shape in plane for column in _GRID_COLUMNS)
    for pushes in (False, True):
        yield Family("gas", (RATIOS, turned, COLUMNS), grid, pushes)


class Place(NamedTuple):
    """An axis as springs see it [rad, m]."""

    axis: int
    """0-based."""
    moved: tuple[float, float]
    """Range in the logs."""
    allowed: tuple[float, float]
    """Range of the axis, within which an element must exist."""
    known: Pivots | None = None
    """Pivots that the element has, whatever its shape."""

    def element(self, family: Family, shape: Array | tuple[float, ...]) -> Spring:
        """Return the element of a shape with coefficients of 1."""
        number = self.axis + 1
        if family.kind == "offset":
            return TorqueOffset(number, 1.0)
        if family.kind == "torsion":
            return TorsionSpring(number, 1.0, 0.0)
        numbers = [float(x) for x in shape]
        if self.known is None:
            ratio, angle, *column = numbers
            after = (ratio * float(np.cos(angle)), ratio * float(np.sin(angle)))
            pivots = {"before": (1.0, 0.0), "after": after}
        else:
            pivots, column = {"before": self.known.before, "after": self.known.after}, numbers
        if family.kind == "coil":
            coil = CoilSpring(number, length=0.0, F0=1.0, k=1.0, **pivots)
            # forces at both ends of the range are represented best by one in their middle
            return CoilSpring(
                number, length=float(np.mean(coil.lengths(*self.moved))), F0=1.0, k=1.0, **pivots
            )
        gas = GasSpring(number, length=0.0, F0=1.0, column=1.0, exponent=EXPONENT, **pivots)
        short, long = gas.lengths(*self.allowed)
        sign = -1.0 if family.pushes else 1.0
        return GasSpring(
            number,
            length=long if family.pushes else short,
            F0=1.0,
            column=sign * column[0] * (long - short),
            exponent=EXPONENT,
            **pivots,
        )

    def columns(self, element: Spring) -> Array:
        """Return the columns of an element in those of the polynomials, ``(COUNT, c)``.

        Of a torsion spring the position, and a constant.
        """
        nodes = np.cos(np.pi * (np.arange(COUNT) + 0.5) / COUNT)
        low, high = self.moved
        q = 0.5 * (low + high) + 0.5 * (high - low) * nodes
        values = element.unit_torques(q)
        if isinstance(element, TorsionSpring):
            values = np.column_stack([values, np.ones_like(q)])
        to_series = np.polynomial.chebyshev.chebvander(nodes, COUNT - 1).T * (2.0 / COUNT)
        to_series[0] *= 0.5
        return np.asarray(to_series @ values)


@dataclass(frozen=True, eq=False)
class SpringCandidates:
    """Torque equations with Chebyshev polynomials of the position of each axis beside them."""

    rows: TorqueEquations
    places: tuple[Place, ...]
    """Of the moving axes."""
    count: int = COUNT
    """Polynomials per axis, of degrees 0, 1, 2 ..."""

    @classmethod
    def of(cls, rows: TorqueEquations, samples: Samples, count: int = COUNT) -> SpringCandidates:
        """Return them over the range of the samples."""
        limits, axes = rows.robot.limits, rows.base.axes
        ends = [
            (np.min(piece.q, axis=0), np.max(piece.q, axis=0))
            for log in samples.logs
            for piece in samples.read(log)
        ]
        low = np.min([first for first, _ in ends], axis=0)
        high = np.max([last for _, last in ends], axis=0)
        lower, upper = limits.envelope()
        known = known_pivots(rows.robot)
        return cls(
            rows,
            tuple(
                Place(
                    axis,
                    (float(low[axis]), float(high[axis])),
                    (float(min(lower[axis], low[axis])), float(max(upper[axis], high[axis]))),
                    known.get(axis),
                )
                for axis in axes
            ),
            count,
        )

    @cached_property
    def columns(self) -> tuple[NDArray[np.intp], ...]:
        """Columns that each equation has: base parameters, and polynomials of its own axis."""
        rank = self.rows.base.rank
        return tuple(np.append(np.arange(rank), self.of_axis(i)) for i in range(len(self.places)))

    def of_axis(self, i: int) -> NDArray[np.intp]:
        """Columns of the polynomials of one moving axis."""
        return self.rows.base.rank + self.count * i + np.arange(self.count)

    @property
    def width(self) -> int:
        """Number of base parameters and polynomials together."""
        return self.rows.base.rank + self.count * len(self.places)

    def __call__(self, pieces: Iterable[Motion]) -> Iterable[tuple[list[Array], Array]]:
        """Yield per equation the columns it has, ``(N, L)``, and ``y`` ``(N, size)``."""
        middle = np.array([0.5 * sum(place.moved) for place in self.places])
        half = np.array([0.5 * (place.moved[1] - place.moved[0]) for place in self.places])
        axes = list(self.rows.base.axes)
        for Y, y, (q, *_) in self.rows.with_states(pieces):
            x = (q[:, axes] - middle) / np.where(half > 0.0, half, 1.0)
            series = np.polynomial.chebyshev.chebvander(x, self.count - 1)
            yield [np.hstack([Y[:, i], series[:, i]]) for i in range(len(axes))], y
