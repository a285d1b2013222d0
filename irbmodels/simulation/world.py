"""Everything that acts on a robot, and the contact state of resting axes and touched stops."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..model.friction import Stribeck
from ..model.types import Array, Mask
from .inputs import TorqueSource, WrenchSource
from .mechanics import CONTACT, Mechanics, Stops, has_dry_friction
from .smooth_friction import SmoothLaw, parameters_of
from .stiction import LOW, solve_stiction

AT_REST = 1e-12  # [rad/s, m/s]: a speed after an impact that is only rounding
PULL = 1e-8  # [N m, N] by which a stop would have to pull before its contact opens
SLOW = 1e-3  # [rad/s, m/s]: slower impacts end in rest, and so do bounces


class Modes(NamedTuple):
    """Contact state: drives that stick, directions of those that slip, stops in contact."""

    sticking: Mask
    """``(n,)``"""
    signs: Array
    """Sign of the slip, ``(n,)``; 0 for a drive that sticks, or has no dry friction."""
    in_contact: Mask
    """``(2 m,)``, in the order of ``Stops.rows``."""


@dataclass(frozen=True, eq=False)
class World:
    """Everything that acts on a robot, in the coordinates of its drives."""

    mechanics: Mechanics
    law: Stribeck | SmoothLaw
    stops: Stops
    motors: TorqueSource
    wrench: WrenchSource
    rebound: float
    """Coefficient of restitution of the stops."""

    @cached_property
    def friction_parameters(self) -> dict[str, list[float]]:
        """Parameters of friction by their names, with the drives that it acts on."""
        turns = self.mechanics.coordinates.turns.tolist()
        return {**parameters_of(self.law), "drives": turns}

    @cached_property
    def _needs_load(self) -> bool:
        law = self.law if isinstance(self.law, Stribeck) else self.law.law
        return law.needs_load

    def load(self, x: Array) -> Array | None:
        """Static torques at the drives, shape ``(n,)``; None unless friction depends on them."""
        return self.mechanics.static_torque(x) if self._needs_load else None

    def static_friction(self, x: Array) -> Array:
        """Largest friction of a drive at rest, off ``dFc``, shape ``(n,)``; 0 where none sticks."""
        if not isinstance(self.law, Stribeck):
            return np.zeros(self.mechanics.n)
        load = self.load(x)
        return self.law.Fs if load is None else self.law.Fs + self.law.mu * np.abs(load)

    def applied_torque(self, t: float, x: Array, u: Array) -> tuple[Array, Array]:
        """Motor torques along the axes, and at the drives those of motors and wrench, ``(n,)``."""
        frame = self.mechanics.coordinates
        tau = self.motors(t, frame.axes(x), frame.axes(u))
        applied = frame.drive_torque(tau)
        if not self.wrench.present:
            return tau, applied
        wrench = self.wrench(t, lambda: self.mechanics.pose(x))
        return tau, applied + self.mechanics.external_torque(x, wrench)

    def resolve_contacts(self, t: float, q: Array, v: Array, z: Array) -> Modes:
        """Determine which drives at rest stick, and which touched stops stay in contact."""
        has_dry, bound = np.zeros(len(v), dtype=bool), np.zeros_like(v)
        if isinstance(self.law, Stribeck):
            # the level at one speed may be 0 all the same
            has_dry = has_dry_friction(self.law)
            bound = np.where(v == 0.0, self.static_friction(q), 0.0)
            friction = self.law.torque(v, self.load(q)) + np.where(v == 0.0, self.law.dFc, 0.0)
        else:
            friction, _ = self.law.torque(v, z, self.load(q))
        M, h = self.mechanics.terms(q, v)
        _, applied = self.applied_torque(t, q, v)
        rows = self.stops.rows
        touched = np.flatnonzero((self.stops.gaps(q) <= CONTACT) & (np.abs(rows @ v) <= CONTACT))
        solution = solve_stiction(M, applied - h - friction, bound, rows[touched])
        state = solution.state[: len(q)]
        # LOW slips upwards; where Fs = 0 nothing sticks
        onset = np.where(bound > 0.0, -state.astype(float), np.where(solution.x < 0.0, -1.0, 1.0))
        signs = np.where(has_dry, np.where(v == 0.0, onset, np.sign(v)), 0.0)
        sticking, in_contact = has_dry & (signs == 0.0), np.zeros(len(rows), dtype=bool)
        # axes that all stick need no stop
        needed = (rows[touched][:, ~sticking] != 0.0).any(axis=1) | (solution.stop > PULL)
        in_contact[touched] = (solution.state[len(q) :] != LOW) & needed
        return Modes(sticking, signs, in_contact)

    def after_impact(self, q: Array, v: Array, sticking: Mask) -> Array:
        """Speeds after the impulses of the stops that are hit.

        Friction is bounded and has no part in it.

        A slow impact ends in rest: axes that stuck go on sticking, and every stop that is hit stays
        in contact. Friction would undo its kicks within some microseconds, in which axes and stops
        kick each other again and again.
        """
        rows = self.stops.rows
        hit = self.stops.touched(q, v)
        M, _ = self.mechanics.terms(q, v)
        if (rows[hit] @ v).min(initial=0.0) >= -SLOW:
            constraints = np.vstack([np.eye(len(v))[sticking], rows[hit]])
            by_impulse = np.linalg.solve(M, constraints.T)
            after: Array = v - by_impulse @ (
                np.linalg.pinv(constraints @ by_impulse, hermitian=True) @ (constraints @ v)
            )
            after[sticking] = 0.0
        else:
            # by speeds instead of accelerations
            plastic = solve_stiction(M, M @ v, np.zeros_like(v), rows[hit]).x
            # Moreau's law: energy never grows for coefficients up to one
            after = plastic + self.rebound * (plastic - v)
        after[np.abs(after) <= AT_REST] = 0.0
        return after
