"""Bounds beyond which one position, speed or acceleration is taken for another unit, multiples of a robot's limits.

Arrays of states pass none of them. What comes in is checked by the square of its norm first, which
costs next to nothing; only what is not surely near goes through the rules of here.
"""

from __future__ import annotations

import sys
from functools import cached_property

import numpy as np

from ..dynamics import equations_of_motion as dynamics
from ..errors import InputError, warn
from ..model.limits import Limits
from ..model.model import Model
from ..model.types import Array

FARTHEST = 3.0  # times the largest position limit of the same kind
# times its own speed limit: arms that fall for 3 s, without friction or stops, keep within 17
FASTEST = 20.0
STRONGEST = 10.0  # times its own effort; the same arms keep within 3
_POSTURES = 32


class Guards:
    """The bounds of one robot."""

    def __init__(self, name: str, model: Model, limits: Limits) -> None:
        """Take what they follow from."""
        self._name, self._model, self._limits = name, model, limits
        self._doubted = False

    @cached_property
    def _farthest(self) -> Array:
        return FARTHEST * self._limits.largest()

    @cached_property
    def _fastest(self) -> Array:
        return FASTEST * self._limits.velocity

    @cached_property
    def _strongest(self) -> Array:
        """Torque of inertia, or none where efforts do not even hold the arm: URDFs have a 1 there that means nothing."""
        held = np.abs([dynamics.gravity(self._model, q) for q in self._postures]).max(axis=0)
        plausible = bool((held <= self._limits.effort).all())
        return STRONGEST * self._limits.effort if plausible else np.full_like(held, np.inf)

    @cached_property
    def _postures(self) -> Array:
        """Some postures within the ranges, or within a turn where they are endless."""
        low, high = (np.clip(end, -np.pi, np.pi) for end in self._limits.envelope())
        return np.random.default_rng(0).uniform(low, high, (_POSTURES, low.size))

    @cached_property
    def squares(self) -> tuple[float, float, float]:
        """Squares of the norms of q, v and a within which no axis is beyond its bound.

        Always finite.
        """
        inertia = np.max(
            [np.linalg.norm(dynamics.mass_matrix(self._model, q), axis=1) for q in self._postures],
            axis=0,
        )
        weakest = np.divide(
            self._strongest, inertia, out=np.full_like(inertia, np.inf), where=inertia > 0.0
        )
        least = self._farthest.min(), self._fastest.min(), weakest.min()
        far, fast, strong = (min(float(bound), sys.float_info.max**0.5) ** 2 for bound in least)
        return far, fast, strong

    def check_position(self, q: Array, what: str, shown: Array | None = None) -> None:
        """Refuse one position that is not finite or too far; ``shown`` is how the controller would show it.

        Raises:
            InputError: with the axis, and the unit that was probably meant.
        """
        self.check_finite(q, what)
        axis = _worst(q, self._farthest)
        if abs(q[axis]) > self._farthest[axis]:
            unit, other = ("m", "mm") if self._limits.linear[axis] else ("rad", "deg")
            value = f"{q[axis]:g} {unit}" if shown is None else f"{shown[axis]:g} {other}"
            advice = f"; are these {other}? use robot.from_controller(...)" if shown is None else ""
            raise InputError(
                f"{what}{axis + 1} = {value} of {self._name} is more than three times the largest"
                f" limit{advice}"
            )

    def check_speed(self, v: Array, what: str) -> None:
        """Refuse one state's speeds that are not finite, or of an axis that is too fast.

        Raises:
            InputError: as :meth:`check_position`.
        """
        self.check_finite(v, what)
        axis = _worst(v, self._fastest)
        if abs(v[axis]) > self._fastest[axis]:
            unit, other, limit = self._units(axis, "/s")
            raise InputError(
                f"{what}{axis + 1} = {v[axis]:g} {unit} of {self._name} is more than {FASTEST:g}"
                f" times its speed limit, {self._limits.velocity[axis]:.4g} {unit}; are these"
                f" {other}? {limit}"
            )

    def check_acceleration(self, a: Array, q: Array, what: str) -> None:
        """Refuse one state's accelerations that are not finite, or whose torque of inertia ``M a`` is too large.

        Raises:
            InputError: as :meth:`check_position`.
        """
        self.check_finite(a, what)
        if q.ndim > 1:
            return
        torque = dynamics.mass_matrix(self._model, q) @ a
        axis = _worst(torque, self._strongest)
        if abs(torque[axis]) > self._strongest[axis]:
            newton = "N" if self._limits.linear[axis] else "N m"
            _, other, advice = self._units(axis, "/s^2")
            raise InputError(
                f"{what} of {self._name} needs {abs(torque[axis]):.4g} {newton} at axis {axis + 1},"
                f" more than {STRONGEST:g} times its effort, {self._limits.effort[axis]:.4g}"
                f" {newton}; are these {other}? {advice}"
            )

    def check_finite(self, values: Array, what: str) -> None:
        """Refuse NaN and infinity.

        Raises:
            InputError: if one is there.
        """
        if not np.isfinite(values).all():
            raise InputError(f"{what} of {self._name} is not finite: {values.tolist()}")

    def doubt(self, q: Array, as_shown: Array) -> None:
        """Warn once of a position in whole numbers that is out of range in radians, and in range as degrees (``as_shown``).

        Whoever leaves the range on purpose hardly does so in whole radians, beyond half a turn.
        """
        if self._doubted or (q % 1.0).any() or np.abs(q).max() <= np.pi:
            return
        if self._limits.in_range(q) or not self._limits.in_range(as_shown):
            return
        self._doubted = True
        advice = "are these degrees? use robot.from_controller(...)"
        message = (
            f"q = {q.tolist()} of {self._name} is out of range, and in range as the controller"
            f" counts; {advice}"
        )
        warn(message)

    def _units(self, axis: int, rate: str) -> tuple[str, str, str]:
        """Unit of an axis, the one that was probably meant, and what makes one of the other."""
        if self._limits.linear[axis]:
            return f"m{rate}", f"mm{rate}", "divide them by 1000"
        return f"rad{rate}", f"deg{rate}", "use np.radians(...)"


def _worst(values: Array, bounds: Array) -> int:
    return int(np.argmax(np.abs(values) / bounds))
