"""Coordinates of drives, in which dry friction acts along one coordinate at a time.

With ``x = D q`` the equations of motion keep their form: ``M`` becomes ``D^-T M D^-1``, torques
become ``D^-T tau``, and the rows of the stops ``A D^-1``. A drive that sticks has a speed of
exactly zero, also where the axes that it turns move with another drive.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..model.types import Array

_ROUNDING = 1e-14  # of an inverse: whole numbers, 0 above all, are the structure of stops


class DriveCoordinates:
    """Positions ``D q``, speeds ``D v`` and torques of the drives of axes.

    Where ``D`` is the identity, every method returns its argument.
    """

    def __init__(self, turns: Array) -> None:
        """Take ``D``: turns of each drive per turn of each axis, shape ``(n, n)``."""
        self.turns = turns
        self.coupled = not np.array_equal(turns, np.eye(len(turns)))
        """False where each drive turns its own axis alone."""
        self.inverse: Array = _without_rounding(np.linalg.inv(turns)) if self.coupled else turns
        """Turns of each axis per turn of each drive."""

    def drives(self, axes: Array) -> Array:
        """Positions or speeds of the drives from those of the axes, shape ``(..., n)``."""
        return axes @ self.turns.T if self.coupled else axes

    def axes(self, drives: Array) -> Array:
        """Positions, speeds or accelerations of the axes from those of the drives."""
        return drives @ self.inverse.T if self.coupled else drives

    def drive_torque(self, torque: Array) -> Array:
        """Torques at the drives from those along the axes, shape ``(..., n)``."""
        return torque @ self.inverse if self.coupled else torque

    def axis_torque(self, torque: Array) -> Array:
        """Torques along the axes from those at the drives, shape ``(..., n)``."""
        return torque @ self.turns if self.coupled else torque

    def mass_matrix(self, M: Array) -> Array:
        """Mass matrix of the drives from that of the axes, shape ``(n, n)``."""
        return self.inverse.T @ M @ self.inverse if self.coupled else M


def _without_rounding(matrix: NDArray[np.floating]) -> Array:
    whole = np.round(matrix)
    result: Array = np.where(np.abs(matrix - whole) < _ROUNDING, whole, matrix)
    return result
