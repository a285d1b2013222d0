"""Limits of tool and payload together, on the mounting flange: mass, wrist torques, inertia."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .inertia import Inertial

_G = 9.81  # [m/s^2], as of robots on the floor
UNITS = {"M4": "N m", "M5": "N m", "M6": "N m", "J5": "kg m^2", "J6": "kg m^2"}
"""Quantities of a load that a wrist is rated for, besides its mass."""


class LoadShare(NamedTuple):
    """One quantity of a load beside its limit."""

    axis: int | None
    """1-based, as on the controller; None for the mass."""
    quantity: str
    """``load``, ``M4`` ... ``J6``."""
    value: float
    limit: float
    """Infinite where none is known."""
    unit: str
    assumed: bool
    """True if the limit itself is only assumed."""

    @property
    def share(self) -> float:
        """Share of the limit; NaN where that is unknown."""
        return self.value / self.limit if math.isfinite(self.limit) else math.nan


class LoadLimits(NamedTuple):
    """Rated payload, and what a load diagram states of a six-axis arm's wrist."""

    mass: float
    """Rated payload [kg]."""
    mass_assumed: bool = False
    wrist: Mapping[str, float] = {}
    """Largest of the quantities of :data:`UNITS`; what is absent is unknown, and not checked."""
    assumed: frozenset[str] = frozenset()
    """Those of them that are only assumed."""
    d6: float | None = None
    """Distance from axis 5 to tool0, along axis 6 [m].

    None of an arm whose axes 4, 5 and 6 do not meet in a point.
    """

    def shares(self, load: Inertial) -> list[LoadShare]:
        """Return every quantity of a load, given in the axes of tool0, beside its limit.

        With the centre of mass ``z`` along and ``l`` beside axis 6, from tool0, and moments of
        inertia about it: ``J5 = m ((z + d6)^2 + l^2) + max(Jx, Jy)``, ``J6 = m l^2 + Jz`` [ABB,
        Product specification IRB 120, 3HAC035960-001 Rev T, p. 23]. ``M4``, ``M5``, ``M6`` are the
        static torques of its weight about axes 4, 5 and 6 in the worst posture of the wrist on a
        robot on the floor: the weight times the distance of the centre from the wrist centre
        (axes 4 and 5), and from axis 6.
        """
        rows = [LoadShare(None, "load", load.mass, self.mass, "kg", self.mass_assumed)]
        if self.d6 is None:
            return rows
        beside, along = math.hypot(*load.com[:2]), float(load.com[2]) + self.d6
        x, y, z = np.diagonal(load.tensor).tolist()
        weight, away = load.mass * _G, math.hypot(beside, along)
        values = {
            **dict.fromkeys(("M4", "M5"), weight * away),
            "M6": weight * beside,
            "J5": load.mass * away**2 + max(x, y),
            "J6": load.mass * beside**2 + z,
        }
        for name, value in values.items():
            limit = self.wrist.get(name, math.inf)
            axis, assumed = int(name[1]), name in self.assumed
            rows.append(LoadShare(axis, name, value, limit, UNITS[name], assumed))
        return rows
