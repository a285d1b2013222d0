"""Stribeck friction per axis (S000 eq. 54), in axis coordinates: each motor stands before its own gearbox."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import finite
from .description import Description
from .errors import InputError

Array = NDArray[np.float64]

ANY_SPEED = 1.0  # stands for a Stribeck speed that has no influence


@dataclass(frozen=True, eq=False)
class Stribeck:
    """``(Fc + (Fs - Fc) exp(-(v / v_St)^2)) sgn(v) + Fv v`` with ``sgn(0) = 0``; arrays of shape ``(n,)``, arm side."""

    Fs: Array
    """Static friction [N m, N]."""
    Fc: Array
    """Coulomb friction [N m, N]."""
    Fv: Array
    """Viscous friction [N m s/rad, N s/m]."""
    v_St: Array
    """Stribeck speed [rad/s, m/s]; without influence where ``Fs = Fc``."""
    measured_to: float | None = None
    """Speed up to which it was measured [rad/s, m/s]; beyond it the law is extrapolation."""

    def __post_init__(self) -> None:
        """Keep read-only copies."""
        for name in ("Fs", "Fc", "Fv", "v_St"):
            array = np.array(getattr(self, name), dtype=float)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def falls(self) -> NDArray[np.bool_]:
        """For each axis whether dry friction falls from Fs to Fc with speed, shape ``(n,)``; where not, ``v_St`` says nothing."""
        return np.asarray(self.Fs != self.Fc, dtype=bool)

    def same_as(self, other: Stribeck) -> bool:
        """Whether both laws have the same numbers."""
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ("Fs", "Fc", "Fv", "v_St"))

    def torque(self, v: Array) -> Array:
        """Friction torque at speeds ``v``, shape ``(..., n)``: positive where it opposes a positive speed."""
        if v.ndim == 1:  # on six numbers this loop takes half the time of the formula below
            one_state = []
            for speed, (coulomb, drop, steepness, viscous) in zip(v.tolist(), self._rows, strict=True):
                dry = math.copysign(coulomb + drop * math.exp(steepness * speed * speed), speed) if speed else 0.0
                one_state.append(dry + viscous * speed)
            return np.array(one_state)
        result: Array = (self.Fc + (self.Fs - self.Fc) * np.exp(-np.square(v / self.v_St))) * np.sign(v) + self.Fv * v
        return result

    @cached_property
    def _rows(self) -> list[tuple[float, float, float, float]]:
        steepness = -1.0 / np.square(self.v_St)
        return list(zip(self.Fc.tolist(), (self.Fs - self.Fc).tolist(), steepness.tolist(), self.Fv.tolist(), strict=True))

    def derivative(self, v: ArrayLike) -> Array:
        """``d torque / d v``, shape ``(..., n)``; at ``v = 0`` it is ``Fv``, the slope of the continuous part."""
        speed = np.asarray(v, dtype=float)
        ratio = speed / self.v_St
        falling = -2.0 * (self.Fs - self.Fc) / self.v_St * np.abs(ratio) * np.exp(-np.square(ratio))
        result: Array = self.Fv + falling
        return result

    def parameters(self) -> Array:
        """``Fv, Fc, Fs - Fc`` per axis, axis after axis, shape ``(3 n,)``; the torque is linear in them."""
        return np.stack([self.Fv, self.Fc, self.Fs - self.Fc], axis=1).ravel()

    def regressor(self, v: Array) -> Array:
        """Matrix that gives the torque from :meth:`parameters` at one state, shape ``(n, 3 n)``; ``v_St`` is fixed."""
        n = len(self.Fc)
        result = np.zeros((n, 3 * n))
        stribeck = np.exp(-np.square(v / self.v_St)) * np.sign(v)
        for i, columns in enumerate(np.stack([v, np.sign(v), stribeck], axis=1)):
            result[i, 3 * i : 3 * i + 3] = columns
        return result


def frictionless(n: int) -> Stribeck:
    """Return the law of ``n`` axes without friction."""
    return Stribeck(np.zeros(n), np.zeros(n), np.zeros(n), np.full(n, ANY_SPEED))


def checked_law(law: Stribeck, n: int) -> Stribeck:
    """Return a law that ``n`` axes can have.

    Raises:
        InputError: if it is no law, of other axes, or would drive an axis.
    """
    if not isinstance(law, Stribeck):
        raise InputError(f"a friction law is an irbmodels.Stribeck, not {law!r}")
    static, coulomb, viscous, stribeck = (
        finite(getattr(law, name), (n,), f"{name} of the friction law") for name in ("Fs", "Fc", "Fv", "v_St")
    )
    wrong = np.flatnonzero((static < coulomb) | (coulomb < 0.0) | (viscous < 0.0) | (stribeck <= 0.0))
    if wrong.size:
        raise InputError(
            f"friction of axis {wrong[0] + 1} would drive it: needs Fs >= Fc >= 0, Fv >= 0 and v_St > 0, got"
            f" Fs {static[wrong[0]]:g}, Fc {coulomb[wrong[0]]:g}, Fv {viscous[wrong[0]]:g}, v_St {stribeck[wrong[0]]:g}"
        )
    return law


def friction_of(description: Description) -> Stribeck | None:
    """Return a robot's friction law, or None where nobody has published any."""
    table = description.friction
    if table.default is None:
        return None
    chosen = table.sets[table.default]
    rows = [row.values(linear) for row, linear in zip(chosen.axes.values(), description.linear, strict=True)]
    static, coulomb, viscous, stribeck = np.array(rows, dtype=float).T.copy()
    stribeck[np.isnan(stribeck)] = ANY_SPEED
    return Stribeck(static, coulomb, viscous, stribeck, chosen.measured_to_rad_s)
