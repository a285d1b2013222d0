"""Regressor of a robot for arrays of states, kept apart by what it is of.

Columns of bodies and rotors are those of the model without friction and springs: machine code of
them serves every friction law that is tried, and what was computed for the states of a log is kept
for the next pass. Friction and springs are few formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations_of_motion import parameter_vector
from ..model import axis_springs
from ..model.presliding import FrictionDirection, friction_direction
from ..model.types import Array
from .base import RobotBase
from .evaluator import BoundQuery

KEPT = 20_000  # states whose columns are kept: 60 MB for six axes


class BodyColumns:
    """Columns of bodies and rotors of a robot, whatever its friction and springs."""

    def __init__(self, robot: RobotBase) -> None:
        """Compute nothing yet."""
        self.model = replace(robot.dynamic_model, friction=None, springs=())
        self._query = BoundQuery("regressor", self.model, robot.states)
        self._kept: dict[tuple[int, ...], tuple[Array, ...]] = {}
        self._count = 0

    def __call__(self, q: Array, v: Array, a: Array) -> Array:
        """Return them at states ``(N, n)``; kept for states that lie in the same memory."""
        key = (len(q), *(x.ctypes.data for x in (q, v, a)))
        if key not in self._kept:
            columns = self._query(self.model, q, v, a)
            if self._count + len(q) > KEPT:
                return columns
            self._count += len(q)
            self._kept[key] = columns, q, v, a  # the states too, so that their memory stays theirs
        return self._kept[key][0]

    def __getstate__(self) -> dict[str, object]:
        """Leave what is kept behind: another process has other memory."""
        return self.__dict__ | {"_kept": {}, "_count": 0}

    def at_rest(self, q: Array) -> Array:
        """Return them at positions ``(N, n)`` without motion: those of the weight."""
        rest = np.zeros_like(q)
        return self._query(self.model, q, rest, rest)


class TorqueRegressor:
    """``robot.regressor`` for arrays of states ``(N, n)``."""

    def __init__(self, robot: RobotBase, bodies: BodyColumns | None = None) -> None:
        """Take the robot, and columns of its bodies that others use too."""
        self.robot, self.bodies = robot, bodies or BodyColumns(robot)
        self._loads: dict[tuple[int, int], tuple[Array, Array]] = {}

    def __call__(self, q: Array, v: Array, a: Array, temperature: Array | None = None) -> Array:
        """Return the regressor of steady sliding, shape ``(N, n, p)``.

        At temperatures of the drives [deg C], shape ``(N, n)``; NaN and None are the reference of
        the friction law.
        """
        parts = self.parts(q, v, a, temperature)
        return np.concatenate(parts, axis=-1) if len(parts) > 1 else parts[0]

    def torque(
        self,
        q: Array,
        v: Array,
        a: Array,
        parameters: Array,
        temperature: Array | None = None,
        direction: Callable[[Array, Array], Array] | None = None,
    ) -> Array:
        """Return the product of :meth:`parts` and parameters ``(p,)``, shape ``(N, n)``."""
        return product(self.parts(q, v, a, temperature, direction), parameters)

    def parts(
        self,
        q: Array,
        v: Array,
        a: Array,
        temperature: Array | None = None,
        direction: Callable[[Array, Array], Array] | None = None,
    ) -> list[Array]:
        """Return the columns of bodies and rotors, of friction, and of springs.

        Args:
            q: Positions [rad, m], shape ``(N, n)``.
            v: Speeds.
            a: Accelerations.
            temperature: As of a call.
            direction: Of Coulomb friction along the motion that the states continue
                (:meth:`start`); default that of steady sliding.
        """
        model = self.robot.dynamic_model
        parts, law = [self.bodies(q, v, a)], model.friction
        if law is not None:
            D, load = model.drive_axes, self.load(q) if law.needs_load else None
            along = None if direction is None else direction(q, v)
            own = law.regressor(v @ D.T, load, temperature, along)
            parts.append(D.T @ own if model.has_coupled_drives else own)
        if model.springs:
            parts.append(axis_springs.regressor(model.springs, q))
        return parts

    def start(self) -> FrictionDirection | None:
        """Return the direction of Coulomb friction along a motion that starts, if it varies."""
        model = self.robot.dynamic_model
        return friction_direction(model.friction, model.drive_axes)

    def load(self, q: Array) -> Array:
        """Static torques at the drives, of weight and springs, at positions ``(N, n)``."""
        model, key = self.robot.dynamic_model, (len(q), q.ctypes.data)
        if key not in self._loads:
            own = parameter_vector(model)[: first_of_friction(self.robot)]
            held = self.bodies.at_rest(q) @ own + axis_springs.torque(model.springs, q)
            self._loads[key] = np.asarray(held @ model.loads_per_torque.T), q
        return self._loads[key][0]

    def __getstate__(self) -> dict[str, object]:
        """Leave what is kept behind, as its columns do."""
        return self.__dict__ | {"_loads": {}}


def chosen_columns(parts: Sequence[Array], columns: NDArray[np.intp]) -> Array:
    """Return columns of a regressor in parts, in its order, shape ``(N, n, columns)``."""
    taken, first = [], 0
    for part in parts:
        own = columns - first
        taken.append(np.take(part, own[(own >= 0) & (own < part.shape[-1])], axis=-1))
        first += part.shape[-1]
    return np.concatenate(taken, axis=-1)


def product(parts: Sequence[Array], parameters: Array) -> Array:
    """Return the product of a regressor in parts and parameters ``(p,)``, shape ``(N, n)``."""
    total, first = np.zeros(parts[0].shape[:-1]), 0
    for part in parts:
        own = parameters[first : first + part.shape[-1]]
        if own.any():
            total += part @ own
        first += part.shape[-1]
    return total


def first_of_friction(robot: RobotBase) -> int:
    """Return the first column of friction in the regressor of a robot."""
    return 10 * (int(robot.dynamic_model.tree.model.njoints) - 1) + robot.n
