"""Smooth motion between events: no axis starts or ends to stick, no contact opens or closes.

Sticking axes and stops in contact are constraints ``C a = 0``, which leave ``a = N b`` with ``N' M
N b = N' r``; the constraint torques follow from what is left over, ``C' k = r - M a``. Guards say
when a phase ends: each is positive in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.friction import Stribeck
from ..model.types import Array
from .mechanics import viscous_slope
from .world import PULL, Modes, World

# of Fs, by which a constraint torque exceeds it before the axis leaves: the solve then sees that it
# must
BREAK = 1e-9
BACKWARD = 1e-12  # [rad/s, m/s] by which a slipping axis turns before it is taken to stand
INSIDE = 1e-11  # [rad, m] by which a stop is passed before it counts as hit
# [rad, rad/s] or relative: far less than the width of any law, far more than rounding
_DIFFERENCE = 1e-8
_RANK = 1e-12  # of a row of the ranges, which are whole numbers
# Stribeck speeds: half the width of the peak (exp(-25) is left), and what one step may pass of it
_PEAK, _SEEN = 5.0, 2.0


class Loads(NamedTuple):
    """Accelerations and torques at one time, arrays ``(n,)``."""

    a: Array
    friction: Array
    stop: Array
    """Torques of the stops on the axes."""
    tau: Array
    """Motor torques."""
    constraint: Array
    """Torques of the sticking axes, then those with which the stops in contact PULL."""


class SmoothPhase:
    """The smooth motion between two events.

    The state is ``q, v``, internal states of the law, work, and dissipated energy.
    """

    def __init__(self, world: World, modes: Modes) -> None:
        """Prepare the bases of free motion and of constraints."""
        self.world, self.modes, self.n = world, modes, world.mechanics.n
        constraints = np.vstack(
            [np.eye(self.n)[modes.sticking], world.stops.rows[modes.in_contact]]
        )
        self._n_sticking = int(modes.sticking.sum())
        self._has_contact = self._n_sticking < len(constraints)
        self._free, self._basis = np.flatnonzero(~modes.sticking), np.eye(self.n)
        if self._has_contact:
            _, sizes, directions = np.linalg.svd(constraints)
            self._basis = directions[int((sizes > _RANK).sum()) :].T
            # an axis that sticks stays exactly where it is
            self._basis[np.abs(self._basis) < _RANK] = 0.0
        self._block = np.ix_(self._free, self._free)
        self._constraint_pinv = np.linalg.pinv(constraints.T)
        self._open_stops = np.flatnonzero(~modes.in_contact & np.isfinite(world.stops.ends))
        self._slipping = np.flatnonzero(modes.signs)
        law = world.law if isinstance(world.law, Stribeck) else world.law.law
        self._dry_friction = (
            modes.signs * law.Fc + law.dFc,
            modes.signs * (law.Fs - law.Fc),
            -1.0 / np.square(law.v_St),
        )

    def loads(self, t: float, y: Array) -> Loads:
        """Accelerations, and torques of friction, stops and motors."""
        a, friction, tau, _, _, M, right = self._forward_dynamics(t, y)
        constraint, stop = self._constraint_pinv @ (right - M @ a), np.zeros(self.n)
        friction[self.modes.sticking] += constraint[: self._n_sticking]
        if self._has_contact:
            stop -= constraint[self._n_sticking :] @ self.world.stops.rows[self.modes.in_contact]
        return Loads(a, friction, stop, tau, constraint)

    def derivative(self, t: float, y: Array) -> Array:
        """Time derivative of the state; constraints do no work."""
        v = y[self.n : 2 * self.n]
        a, friction, _, applied, z_rate, _, _ = self._forward_dynamics(t, y)
        return np.concatenate([v, a, z_rate, [applied.dot(v), friction.dot(v)]])

    def jacobian(self, t: float, y: Array) -> Array:
        """Jacobian of :meth:`derivative` by forward differences.

        SciPy's own widen the steps of what has no effect without end.
        """
        rate, result = self.derivative(t, y), np.zeros((len(y), len(y)))
        for i in range(len(y) - 2):  # nothing depends on work and losses
            ahead = y.copy()
            ahead[i] += _DIFFERENCE * max(1.0, abs(y[i]))
            result[:, i] = (self.derivative(t, ahead) - rate) / (ahead[i] - y[i])
        return result

    def _forward_dynamics(self, t: float, y: Array) -> tuple[Array, ...]:
        """Accelerations, slip friction, motor torques, applied torques, rate of z, ``M``, ``r``."""
        n, world = self.n, self.world
        q, v = y[:n], y[n : 2 * n]
        M, h = world.mechanics.terms(q, v)
        tau, applied = world.applied_torque(t, q, v)
        law, z_rate = world.law, y[2 * n : -2]
        if isinstance(law, Stribeck):
            coulomb, drop, exponent = self._dry_friction  # with the signs of this phase
            friction = coulomb + drop * np.exp(exponent * v * v) + viscous_slope(law, v) * v
            if (load := world.load(q)) is not None:
                friction += self.modes.signs * law.mu * np.abs(load)
        else:
            friction, z_rate = law.torque(v, z_rate, world.load(q))
        right = applied - h - friction
        if self._has_contact:
            N = self._basis
            a = N @ _solve(N.T @ M @ N, N.T @ right) if N.shape[1] else np.zeros(n)
        elif self._n_sticking:
            a = np.zeros(n)
            if len(self._free):
                a[self._free] = _solve(M[self._block], right[self._free])
        else:
            a = _solve(M, right)
        return a, friction, tau, applied, z_rate, M, right

    def _constraint_torques(self, t: float, y: Array) -> tuple[Array, Array]:
        """Torques of sticking axes, and those with which stops in contact pull."""
        if not len(self._constraint_pinv):
            return np.zeros(0), np.zeros(0)
        torques = self.loads(t, y).constraint
        return torques[: self._n_sticking], torques[self._n_sticking :]

    def guards(self, t: float, y: Array) -> Array:
        """Values, positive throughout a phase, of slipping and sticking axes, then of stops."""
        n, modes, world = self.n, self.modes, self.world
        sticking, pulling = self._constraint_torques(t, y)
        return np.concatenate(
            [
                modes.signs[self._slipping] * y[n : 2 * n][self._slipping] + BACKWARD,
                (1.0 + BREAK) * self._static_friction(y) - np.abs(sticking),
                PULL - pulling,
                world.stops.gaps(y[:n])[self._open_stops] + INSIDE,
            ]
        )

    def _static_friction(self, y: Array) -> Array:
        """Largest friction of the sticking drives."""
        if not self._n_sticking:
            return np.zeros(0)
        return self.world.static_friction(y[: self.n])[self.modes.sticking]

    def step_fraction(self, y: Array, later: Array) -> float:
        """Return the share of a step, 1 or less, that does not jump across a Stribeck peak.

        At higher speeds the curve is flat, and an integrator that steps across its peak has no sign
        of it.
        """
        if not isinstance(self.world.law, Stribeck) or not len(self._slipping):
            return 1.0
        width = self.world.law.v_St[self._slipping]
        slow, fast = np.sort([x[self.n : 2 * self.n][self._slipping] for x in (y, later)], axis=0)
        passed = np.minimum(fast, _PEAK * width) - np.maximum(slow, -_PEAK * width)
        unseen = passed > _SEEN * width
        share = _SEEN * width[unseen] / (fast - slow)[unseen]
        return float(max(0.9 * share.min(initial=1.0 / 0.9), 0.05))

    def events_at(self, fired: list[int]) -> tuple[list[int], list[int]]:
        """Return the axes that come to rest and the stops that are hit, from the passed guards."""
        first = len(self._slipping) + len(self._constraint_pinv)  # of the guards of stops
        return (
            [int(self._slipping[i]) for i in fired if i < len(self._slipping)],
            [int(self._open_stops[i - first]) for i in fired if i >= first],
        )

    def release_overloaded(self, t: float, y: Array) -> SmoothPhase:
        """Return the phase in which no constraint bears more than it can.

        Where friction and a stop constrain the same motion, their shares are not determined; those
        of least squares may be too much for the axis, whose friction then is Fs (it slips, by
        nothing), or negative for the stop, which then has no part. Half the margin of the guard is
        too much already: where it has just fired, the solve alone would find the same modes again.
        """
        sticking, signs = self.modes.sticking.copy(), self.modes.signs.copy()
        in_contact = self.modes.in_contact.copy()
        torques, pulling = self._constraint_torques(t, y)
        overloaded = np.abs(torques) > (1.0 + 0.5 * BREAK) * self._static_friction(y)
        if not overloaded.any() and not (pulling > PULL).any():
            return self
        axes = np.flatnonzero(sticking)[overloaded]
        sticking[axes], signs[axes] = False, np.sign(torques[overloaded])
        in_contact[np.flatnonzero(in_contact)[pulling > PULL]] = False
        return SmoothPhase(self.world, Modes(sticking, signs, in_contact)).release_overloaded(t, y)


def _solve(M: Array, right: Array) -> Array:
    from scipy.linalg.lapack import dposv  # a third of the time of NumPy's, which checks more

    _, x, info = dposv(M, right)
    if info:
        return np.full_like(right, np.nan)
    result: Array = x
    return result
