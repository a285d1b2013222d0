"""Base class of paths of a pose: a length, and the pose at any distance with its derivatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import numbers
from ..errors import InputError
from ..model.types import Array

# [m/rad] what a turn on the spot counts; ABB's v1000 has 1000 mm/s and 500 deg/s, which is 0.115
# m/rad
TURN = 0.1
ROUNDING = 1e-9  # [m, 1] what two ends that meet may differ, and s may lie outside its path


class Along(NamedTuple):
    """A path at some ``s``: the leading axes are those of ``s``."""

    poses: Array
    """Poses in the base, ``(..., 4, 4)``."""
    twists: Array
    """First derivative by ``s``, ``(..., 6)``: linear [1], then angular [rad/m], base axes."""
    accelerations: Array
    """Second derivative by ``s``, ``(..., 6)``: of the position, and of the angular rate."""


class PosePath(ABC):
    """A path of a pose as a function of the distance ``s`` between 0 and :attr:`length`.

    ``s`` is the distance that the point has gone [m]; of a turn on the spot it is 0.1 m per radian.
    At a corner that has no blend, ``s`` belongs to what comes after it.
    """

    length: float
    """Length of the path [m]; of a turn on the spot 0.1 m/rad times its angle."""
    stops: tuple[float, ...] = ()
    """Distances [m] inside the path at which the twist jumps: a motion has to stand still there."""
    deviations: tuple[float, ...] = ()
    """Distance [m] of the path from each corner between two of its parts: 0 without a blend."""

    def __repr__(self) -> str:
        """Return kind, length and stops."""
        stops = f", stops at {', '.join(f'{s:.4g}' for s in self.stops)} m" if self.stops else ""
        return (
            f"<PosePath: {type(self).__name__.lstrip('_').lower()} of {self.length:.4g} m{stops}>"
        )

    def at(self, s: ArrayLike) -> Along:
        """Return poses with their first and second derivatives by ``s``.

        Raises:
            InputError: if an ``s`` is not finite or not on the path.
        """
        distance = numbers(s, "s")
        off = ~((distance >= -ROUNDING) & (distance <= self.length + ROUNDING))
        if off.any():
            raise InputError(
                f"s = {float(distance[off].flat[0]):g} m is not on the path: 0 .. {self.length:g} m"
            )
        along = self._along(np.clip(distance, 0.0, self.length).ravel())
        return Along(*(part.reshape(*distance.shape, *part.shape[1:]) for part in along))

    def poses(self, s: ArrayLike) -> Array:
        """Poses in the base, ``(..., 4, 4)``."""
        return self.at(s).poses

    def twists(self, s: ArrayLike) -> Array:
        """First derivative by ``s``, ``(..., 6)``: linear [1], then angular [rad/m], base axes."""
        return self.at(s).twists

    def accelerations(self, s: ArrayLike) -> Array:
        """Second derivative by ``s``, ``(..., 6)``: linear [1/m], angular [rad/m^2], base axes."""
        return self.at(s).accelerations

    @abstractmethod
    def _along(self, s: Array) -> Along:
        """Do the same for ``s`` ``(K,)`` that are known to be on the path."""
