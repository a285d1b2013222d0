"""Regressor of a robot for arrays of states, kept apart by what it is of.

Columns of bodies and rotors are those of the robot without friction and springs: machine code of
them serves every friction law that is tried, and what was computed for the states of a log is kept
for the next pass. Friction and springs are few formulas.
"""

from __future__ import annotations

import numpy as np

from ...model import axis_springs
from ...model.types import Array
from ...robot.robot import Robot

KEPT = 20_000  # states whose columns are kept: 60 MB for six axes


class BodyColumns:
    """Columns of bodies and rotors of a robot, whatever its friction and springs."""

    def __init__(self, robot: Robot) -> None:
        """Compute nothing yet."""
        self.robot = robot.with_friction(None).with_springs(None)
        self._kept: dict[tuple[int, ...], tuple[Array, ...]] = {}
        self._count = 0

    def __call__(self, q: Array, v: Array, a: Array) -> Array:
        """Return them at states ``(N, n)``; kept for states that lie in the same memory."""
        key = (len(q), *(x.ctypes.data for x in (q, v, a)))
        if key not in self._kept:
            columns = self.robot.regressor(q, v, a)
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
        return self.robot.regressor(q, rest, rest)


class TorqueRegressor:
    """``robot.regressor`` for arrays of states ``(N, n)``."""

    def __init__(self, robot: Robot, bodies: BodyColumns | None = None) -> None:
        """Take the robot, and columns of its bodies that others use too."""
        self.robot, self.bodies = robot, bodies or BodyColumns(robot)

    def __call__(self, q: Array, v: Array, a: Array) -> Array:
        """Return the regressor, shape ``(N, n, p)``."""
        parts, law = [self.bodies(q, v, a)], self.robot.friction_model
        if law is not None:
            model = self.robot.dynamic_model
            D, load = model.drive_axes, self._load(q) if law.needs_load else None
            own = law.regressor(v @ D.T, load)
            parts.append(D.T @ own if model.has_coupled_drives else own)
        if springs := self.robot.dynamic_model.springs:
            parts.append(np.stack([axis_springs.regressor(springs, one) for one in q]))
        return np.concatenate(parts, axis=-1) if len(parts) > 1 else parts[0]

    def _load(self, q: Array) -> Array:
        """Static torques at the drives, of weight and springs, ``(N, n)``."""
        model = self.robot.dynamic_model
        own = self.robot.parameter_vector()[: first_of_friction(self.robot)]
        held = self.bodies.at_rest(q) @ own + axis_springs.torque(model.springs, q)
        return np.asarray(held @ model.loads_per_torque.T)


def first_of_friction(robot: Robot) -> int:
    """Return the first column of friction in the regressor of a robot."""
    return 10 * (int(robot.dynamic_model.tree.model.njoints) - 1) + robot.n
