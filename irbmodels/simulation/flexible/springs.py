"""Torques between motors and links as functions of their deflection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...model.types import Array
from .drive import Drive


class Springs(NamedTuple):
    """Springs of axes, arm side: ``k u + h u^3``, ``u`` beyond half the backlash, ``(m,)`` each.

    A deflection is the position of a motor less that of its link, in axis coordinates.
    """

    stiffness: Array
    hardening: Array
    backlash: Array
    damping: Array

    @staticmethod
    def of(drives: Sequence[Drive]) -> Springs:
        """Return the springs of elastic drives."""
        return Springs(
            *(
                np.array([getattr(drive, name) for drive in drives], dtype=float)
                for name in Springs._fields
            )
        )

    def beyond(self, deflection: Array) -> Array:
        """Deflection beyond the dead zone [rad]."""
        return np.sign(deflection) * np.maximum(np.abs(deflection) - 0.5 * self.backlash, 0.0)

    def torque(self, deflection: Array) -> Array:
        """Torque on the links [N m]; the motors feel the opposite."""
        u = self.beyond(deflection)
        return self.stiffness * u + self.hardening * u**3

    def slope(self, deflection: Array) -> Array:
        """Derivative of the torque [N m/rad]; 0 inside the dead zone."""
        tangent = self.stiffness + 3.0 * self.hardening * self.beyond(deflection) ** 2
        return np.where(np.abs(deflection) >= 0.5 * self.backlash, tangent, 0.0)

    def energy(self, deflection: Array) -> Array:
        """Energy that each spring stores [J]."""
        u = self.beyond(deflection)
        return 0.5 * self.stiffness * u**2 + 0.25 * self.hardening * u**4

    def deflection(self, torque: Array) -> Array:
        """Deflection under a torque [rad]; 0 without torque.

        The root of the cubic in closed form (one real root, since no spring softens).
        """
        hardens = self.hardening > 0.0
        h = np.where(hardens, self.hardening, 1.0)
        steep = np.sqrt(self.stiffness / (3.0 * h))
        root = 2.0 * steep * np.sinh(np.arcsinh(1.5 * torque / (self.stiffness * steep)) / 3.0)
        elastic = np.where(hardens, root, torque / self.stiffness)
        return elastic + 0.5 * self.backlash * np.sign(torque)

    def deflection_series(self, torque: Array) -> Array:
        """Taylor coefficients of the deflection from those of the torque, ``(order, ..., m)``."""
        result, first = np.zeros_like(torque), self.deflection(torque[0])
        result[0] = self.beyond(first)
        slope = self.stiffness + 3.0 * self.hardening * result[0] ** 2
        # coefficient k of k u + h u^3, in which coefficient k of u stands with the slope
        for k in range(1, len(torque)):
            square = [sum(result[i] * result[j - i] for i in range(j + 1)) for j in range(k + 1)]
            cube = sum(square[j] * result[k - j] for j in range(k + 1))
            result[k] = (torque[k] - self.hardening * cube) / slope
        result[0] = first
        return result
