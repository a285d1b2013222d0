"""A stretch of time in which no axis changes between holding, slipping up and slipping down, and no stop is met or left.

There the motion is smooth: holding axes and leaning stops ``C a = 0`` leave ``a = N b`` with ``N' M
N b = N' r``, and the torques that hold follow from what is left over, ``C' k = r - M a``. Guards
say when a stretch ends: each is positive in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.friction import Stribeck
from ..model.types import Array
from .world import PULL, Modes, World

# of Fs, by which a holding torque exceeds it before the axis leaves: the solve then sees that it
# must
BREAK = 1e-9
BACKWARD = 1e-12  # [rad/s, m/s] by which a slipping axis turns before it is taken to stand
INSIDE = 1e-11  # [rad, m] by which a stop is met before it counts
# [rad, rad/s] or relative: far less than the width of any law, far more than rounding
_DIFFERENCE = 1e-8
_RANK = 1e-12  # of a row of the ranges, which are whole numbers
# Stribeck speeds: half the width of the peak (exp(-25) is left), and what one step may pass of it
_PEAK, _SEEN = 5.0, 2.0


_NOTHING = np.zeros(0)


class Motion(NamedTuple):
    """What acts at one time, arrays ``(n,)``."""

    a: Array
    friction: Array
    stop: Array
    """What the stops exert on the axes."""
    tau: Array
    """Motor torques."""
    held: Array
    """Torques of the holding axes, then those with which the leaning stops PULL."""


class Phase:
    """The smooth motion between two events.

    The state is ``q, v``, internal states of the law, work, and what was lost.
    """

    def __init__(self, world: World, modes: Modes) -> None:
        """Prepare the bases of what moves and of what is held."""
        self.world, self.modes, self.n = world, modes, world.mechanics.n
        held = np.vstack([np.eye(self.n)[modes.holds], world.stops.rows[modes.leans]])
        self._holding = int(modes.holds.sum())
        self._leaning = self._holding < len(held)
        self._free, self._basis = np.flatnonzero(~modes.holds), np.eye(self.n)
        if self._leaning:
            _, sizes, turned = np.linalg.svd(held)
            self._basis = turned[int((sizes > _RANK).sum()) :].T
            # an axis that is held stays exactly where it is
            self._basis[np.abs(self._basis) < _RANK] = 0.0
        self._block = np.ix_(self._free, self._free)
        self._holders = np.linalg.pinv(held.T)
        self._others = np.flatnonzero(~modes.leans & np.isfinite(world.stops.ends))
        self._slides = np.flatnonzero(modes.signs)
        law = world.law if isinstance(world.law, Stribeck) else world.law.law
        self._signed = (
            modes.signs * law.Fc,
            modes.signs * (law.Fs - law.Fc),
            -1.0 / np.square(law.v_St),
        )

    def motion(self, t: float, y: Array) -> Motion:
        """Return what acts."""
        a, rubbing, tau, _, _, M, right = self._accelerated(t, y)
        held, stop = self._holders @ (right - M @ a), np.zeros(self.n)
        rubbing[self.modes.holds] += held[: self._holding]
        if self._leaning:
            stop -= held[self._holding :] @ self.world.stops.rows[self.modes.leans]
        return Motion(a, rubbing, stop, tau, held)

    def rate(self, t: float, y: Array) -> Array:
        """Rate of the state; what holds does no work."""
        n, v = self.n, y[self.n : 2 * self.n]
        a, rubbing, _, push, z_rate, _, _ = self._accelerated(t, y)
        rate = np.empty_like(y)
        rate[:n], rate[n : 2 * n], rate[2 * n : -2] = v, a, z_rate
        rate[-2], rate[-1] = push.dot(v), rubbing.dot(v)
        return rate

    def slopes(self, t: float, y: Array) -> Array:
        """Derivative of the rate by the state, by differences.

        SciPy's own widen the steps of what has no effect without end.
        """
        rate, result = self.rate(t, y), np.zeros((len(y), len(y)))
        for i in range(len(y) - 2):  # nothing depends on work and losses
            ahead = y.copy()
            ahead[i] += _DIFFERENCE * max(1.0, abs(y[i]))
            result[:, i] = (self.rate(t, ahead) - rate) / (ahead[i] - y[i])
        return result

    def _accelerated(self, t: float, y: Array) -> tuple[Array, ...]:
        """Accelerations, friction of what slips, motor torques, these with the wrench, rate of z, ``M``, and ``r``."""
        n, world = self.n, self.world
        q, v = y[:n], y[n : 2 * n]
        M, h = world.mechanics.terms(q, v)
        tau, push = world.push(t, q, v)
        law, z_rate = world.law, y[2 * n : -2]
        if isinstance(law, Stribeck):
            coulomb, drop, steepness = self._signed  # eq. 54, with the sign of the stretch
            rubbing = coulomb + drop * np.exp(steepness * v * v) + law.Fv * v
        else:
            rubbing, z_rate = law.torque(v, z_rate)
        right = push - h - rubbing
        if self._leaning:
            N = self._basis
            a = N @ _solved(N.T @ M @ N, N.T @ right) if N.shape[1] else np.zeros(n)
        elif self._holding:
            a = np.zeros(n)
            if len(self._free):
                a[self._free] = _solved(M[self._block], right[self._free])
        else:
            a = _solved(M, right)
        return a, rubbing, tau, push, z_rate, M, right

    def guards(self, t: float, y: Array) -> Array:
        """Values that are positive as long as the stretch lasts: of slipping axes, holding ones, leaning and other stops."""
        n, modes, world = self.n, self.modes, self.world
        held = self.motion(t, y).held if len(self._holders) else _NOTHING
        return np.concatenate(
            [
                modes.signs[self._slides] * y[n : 2 * n][self._slides] + BACKWARD,
                (1.0 + BREAK) * world.static[modes.holds] - np.abs(held[: self._holding]),
                PULL - held[self._holding :],
                world.stops.gaps(y[:n])[self._others] + INSIDE,
            ]
        )

    def finer(self, y: Array, later: Array) -> float:
        """Return the share of a step, 1 or less, that passes no Stribeck curve of a slipping axis too fast to be seen.

        At higher speeds the curve is flat, and an integrator that steps across its peak has no sign
        of it.
        """
        if not isinstance(self.world.law, Stribeck) or not len(self._slides):
            return 1.0
        width = self.world.law.v_St[self._slides]
        ends = np.sort(
            [y[self.n : 2 * self.n][self._slides], later[self.n : 2 * self.n][self._slides]], axis=0
        )
        passed = np.minimum(ends[1], _PEAK * width) - np.maximum(ends[0], -_PEAK * width)
        share = _SEEN * width[passed > _SEEN * width] / (ends[1] - ends[0])[passed > _SEEN * width]
        return float(max(0.9 * share.min(initial=1.0 / 0.9), 0.05))

    def concerned(self, fired: list[int]) -> tuple[list[int], list[int]]:
        """Return the axes that come to rest, and the stops that are met, at guards that are passed."""
        first = len(self._slides) + len(self._holders)  # of the guards of stops
        return (
            [int(self._slides[i]) for i in fired if i < len(self._slides)],
            [int(self._others[i - first]) for i in fired if i >= first],
        )

    def relieved(self, t: float, y: Array) -> Phase:
        """Return the stretch in which no holder bears more than it can.

        Where friction and a stop hold the same motion, their shares are not determined; those of
        least squares may be too much for the axis, whose friction then is Fs (it slips, by
        nothing), or negative for the stop, which then has no part. Half the margin of the guard is
        too much already: where it has just fired, the solve alone would find the same modes again.
        """
        held = self.motion(t, y).held if len(self._holders) else _NOTHING
        much = np.flatnonzero(
            np.abs(held[: self._holding])
            > (1.0 + 0.5 * BREAK) * self.world.static[self.modes.holds]
        )
        pulling = np.flatnonzero(held[self._holding :] > PULL)
        if not len(much) and not len(pulling):
            return self
        holds, signs, leans = (
            self.modes.holds.copy(),
            self.modes.signs.copy(),
            self.modes.leans.copy(),
        )
        axes = np.flatnonzero(holds)[much]
        holds[axes], signs[axes] = False, np.sign(held[much])
        leans[np.flatnonzero(leans)[pulling]] = False
        return Phase(self.world, Modes(holds, signs, leans)).relieved(t, y)


def _solved(M: Array, right: Array) -> Array:
    from scipy.linalg.lapack import dposv  # a third of the time of NumPy's, which checks more

    _, x, info = dposv(M, right)
    if info:
        return np.full_like(right, np.nan)
    result: Array = x
    return result
