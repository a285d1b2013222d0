"""Straight pieces of an arm in the plane of its working range, as data sheets draw them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.types import Array
from .arm_geometry import Arm, Palletizer, Scara


class PlanarLink(NamedTuple):
    """A length of a table that lies in the plane."""

    name: str
    """Of the length in the MDH table, as ``a2``."""
    angle: int | None
    """Which of the arm's angles turns it; None of one that stays upright."""
    along: float
    """Towards the direction of that angle, upward where none turns it [m]."""
    across: float = 0.0
    """A quarter turn from there, ahead where none turns it [m]."""


def planar_links(arm: Arm) -> list[PlanarLink]:
    """Return the pieces from the base to the point whose working range :mod:`.workspace` draws."""
    lower, fore = arm.lower_arm_length, arm.forearm_length
    if isinstance(arm, Scara):
        return [PlanarLink("a1", 0, lower), PlanarLink("a2", 1, fore)]
    base = [
        PlanarLink("d1", None, float(arm.origin_in_arm[2])),
        PlanarLink("a1", None, 0.0, arm.a1),
        PlanarLink("a2", 1, lower),
    ]
    if isinstance(arm, Palletizer):
        return [
            *base,
            PlanarLink("a3", 2, fore),
            PlanarLink("a4", None, 0.0, arm.a4),
            PlanarLink("d5", None, arm.height),
        ]
    ahead, up = arm.elbow_foot
    return [*base, PlanarLink("a3", 2, up, ahead), PlanarLink("d4", 2, fore - up, -ahead)]


def planar_nodes(arm: Arm, x: Array) -> Array:
    """Return the ends of the pieces at the arm's angles ``(n,)`` in its plane [m], ``(k, 2)``.

    Ahead of axis 1 and above the base; of a SCARA x and y of the arm's frame.
    """
    steps = [np.zeros(2)]
    for _, angle, along, across in planar_links(arm):
        t = 0.0 if angle is None else np.pi / 2 - x[angle] if isinstance(arm, Scara) else x[angle]
        c, s = np.cos(t), np.sin(t)
        steps.append(np.array([along * s + across * c, along * c - across * s]))
    return np.cumsum(steps, axis=0)
