"""The torques between motors and links as functions of how far they are apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...model.types import Array
from .drive import Drive


class Springs(NamedTuple):
    """Springs of several axes, arm side: ``k u + h u^3`` of the deflection ``u`` beyond half the backlash; ``(m,)`` each."""

    stiffness: Array
    hardening: Array
    backlash: Array
    damping: Array

    @staticmethod
    def of(drives: Sequence[Drive]) -> Springs:
        """Return the springs of elastic drives."""
        names = ("stiffness", "hardening", "backlash", "damping")
        return Springs(
            *(np.array([getattr(drive, name) for drive in drives], dtype=float) for name in names)
        )

    def beyond(self, apart: Array) -> Array:
        """Deflection beyond the dead zone [rad], of motors that are ``apart`` ahead of their links."""
        return np.sign(apart) * np.maximum(np.abs(apart) - 0.5 * self.backlash, 0.0)

    def torque(self, apart: Array) -> Array:
        """Torque on the links [N m]; the motors feel the opposite."""
        u = self.beyond(apart)
        return self.stiffness * u + self.hardening * u**3

    def slope(self, apart: Array) -> Array:
        """Derivative of the torque [N m/rad]; 0 inside the dead zone."""
        tangent = self.stiffness + 3.0 * self.hardening * self.beyond(apart) ** 2
        return np.where(np.abs(apart) >= 0.5 * self.backlash, tangent, 0.0)

    def energy(self, apart: Array) -> Array:
        """Energy that each spring stores [J]."""
        u = self.beyond(apart)
        return 0.5 * self.stiffness * u**2 + 0.25 * self.hardening * u**4

    def apart(self, torque: Array) -> Array:
        """How far the motors stand ahead of their links where the springs carry ``torque`` [rad].

        0 without torque.

        The root of the cubic in closed form (one real root, since no spring softens).
        """
        hardens = self.hardening > 0.0
        h = np.where(hardens, self.hardening, 1.0)
        steep = np.sqrt(self.stiffness / (3.0 * h))
        root = 2.0 * steep * np.sinh(np.arcsinh(1.5 * torque / (self.stiffness * steep)) / 3.0)
        return np.where(hardens, root, torque / self.stiffness) + 0.5 * self.backlash * np.sign(
            torque
        )

    def apart_series(self, torque: Array) -> Array:
        """The same for Taylor coefficients of the torque in time, the order first.

        Shape ``(order, ..., m)``.
        """
        result = np.zeros_like(torque)
        first = self.apart(torque[0])
        slope = self.stiffness + 3.0 * self.hardening * self.beyond(first) ** 2
        result[0] = self.beyond(first)
        # coefficient k of k u + h u^3, in which coefficient k of u stands with the slope
        for k in range(1, len(torque)):
            square = [sum(result[i] * result[j - i] for i in range(j + 1)) for j in range(k + 1)]
            cube = sum(square[j] * result[k - j] for j in range(k + 1))
            result[k] = (torque[k] - self.hardening * cube) / slope
        result[0] = first
        return result
