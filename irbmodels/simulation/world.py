"""Everything that acts on a robot, and what it comes to where axes stand and stops are touched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..model.friction import Stribeck
from ..model.types import Array, Mask
from .inputs import Drive, Load
from .mechanics import CONTACT, Mechanics, Stops
from .smooth_friction import SmoothLaw
from .stiction import LOW, settled

AT_REST = 1e-12  # [rad/s, m/s]: a speed after an impact that is only rounding
PULL = 1e-8  # [N m, N] by which a stop would have to pull before it lets go
SLOW = 1e-3  # [rad/s, m/s]: slower impacts end in rest, and so do bounces


class Modes(NamedTuple):
    """Which axes hold, which way the others slip, and which stops are leant on."""

    holds: Mask
    """``(n,)``"""
    signs: Array
    """``(n,)``; 0 for an axis that holds, or has no dry friction."""
    leans: Mask
    """``(2 n,)``, in the order of ``Stops.rows``."""


@dataclass(frozen=True, eq=False)
class World:
    """Everything that acts on a robot."""

    mechanics: Mechanics
    law: Stribeck | SmoothLaw
    stops: Stops
    drive: Drive
    load: Load
    rebound: float
    """Share of the speed with which an axis leaves a stop that it hits."""

    @cached_property
    def static(self) -> Array:
        """Fs per axis, shape ``(n,)``; 0 where nothing sticks."""
        return self.law.Fs if isinstance(self.law, Stribeck) else np.zeros(self.mechanics.n)

    def push(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Motor torques without and with what the wrench adds, shape ``(n,)`` each."""
        tau = self.drive(t, q, v)
        if not self.load.there:
            return tau, tau
        return tau, tau + self.mechanics.pull(q, self.load(t, lambda: self.mechanics.pose(q)))

    def decided(self, t: float, q: Array, v: Array, z: Array) -> Modes:
        """Say which axes at rest hold and which touched stops are leant on, all at once."""
        rough, bound = np.zeros(len(v), dtype=bool), np.zeros_like(v)
        if isinstance(self.law, Stribeck):
            # the level at one speed may be 0 all the same
            rough = (self.law.Fs > 0.0) | (self.law.Fc > 0.0)
            bound, rubbing = np.where(v == 0.0, self.law.Fs, 0.0), self.law.torque(v)
        else:
            rubbing, _ = self.law.torque(v, z)
        M, h = self.mechanics.terms(q, v)
        _, push = self.push(t, q, v)
        rows = self.stops.rows
        touched = np.flatnonzero((self.stops.gaps(q) <= CONTACT) & (np.abs(rows @ v) <= CONTACT))
        found = settled(M, push - h - rubbing, bound, rows[touched])
        state = found.state[: len(q)]
        # LOW slips upwards; where Fs = 0 nothing holds
        starts = np.where(bound > 0.0, -state.astype(float), np.where(found.x < 0.0, -1.0, 1.0))
        signs = np.where(rough, np.where(v == 0.0, starts, np.sign(v)), 0.0)
        holds, leans = rough & (signs == 0.0), np.zeros(len(rows), dtype=bool)
        # axes that all hold need no stop
        needed = (rows[touched][:, ~holds] != 0.0).any(axis=1) | (found.stop > PULL)
        leans[touched] = (found.state[len(q) :] != LOW) & needed
        return Modes(holds, signs, leans)

    def after_impact(self, q: Array, v: Array, holds: Mask) -> Array:
        """Speeds after the stops that are met have acted.

        Friction is bounded and has no part in it.

        A slow impact ends in rest: axes that held go on holding, and every stop that is met is
        leant on. Friction would undo its kicks within some microseconds, in which axes and stops
        kick each other again and again.
        """
        rows = self.stops.rows
        met = self.stops.touched(q, v)
        M, _ = self.mechanics.terms(q, v)
        if (rows[met] @ v).min(initial=0.0) >= -SLOW:
            still = np.vstack([np.eye(len(v))[holds], rows[met]])
            by_impulse = np.linalg.solve(M, still.T)
            after: Array = v - by_impulse @ (
                np.linalg.pinv(still @ by_impulse, hermitian=True) @ (still @ v)
            )
            after[holds] = 0.0
        else:
            # by speeds instead of accelerations
            plastic = settled(M, M @ v, np.zeros_like(v), rows[met]).x
            # Moreau's law: energy never grows for shares up to one
            after = plastic + self.rebound * (plastic - v)
        after[np.abs(after) <= AT_REST] = 0.0
        return after
