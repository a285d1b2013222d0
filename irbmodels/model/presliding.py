"""Coulomb friction that turns round over a distance after a reversal: presliding, by Dahl's law.

Asperities and teeth bend before they slide: after a reversal friction follows the displacement, and
reaches the level of sliding a micrometre to some milliradians on. Dahl's state ``z``
[A solid friction model, 1968; Armstrong-Helouvry et al., Automatica 30 (1994) 1083] is that
direction, between -1 and 1: ``dz = (sgn(w) - z) |dx| / x_p``. It depends on the way so far, so
that only a motion has it; a single state is taken to slide steadily, ``z = sgn(w)``.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .friction import Stribeck
from .types import Array


class DahlState:
    """State ``z`` of drives along a motion, which is given in pieces in the order of time.

    It is 0 until a drive moves, which is taken to slide then.
    """

    def __init__(self, distance: Array) -> None:
        """Take distances ``x_p`` [rad, m], shape ``(..., n)``: a state for each."""
        self.distance = distance
        self._state = np.zeros(distance.shape)
        self._sign = np.zeros(distance.shape[-1])
        self._place: Array | None = None

    def __call__(self, x: Array, w: Array) -> Array:
        """Return the states at the next positions and speeds ``(N, n)``, shape ``(N, ..., n)``."""
        result = np.empty((len(x), *self.distance.shape))
        if not len(x):
            return result
        before = x[:1] if self._place is None else self._place
        way = np.cumsum(np.abs(np.diff(x, axis=0, prepend=before)), axis=0)
        self._place = x[-1:].copy()
        for i in range(x.shape[1]):
            sign = _directions(self._sign[i], w[:, i])
            ends = [0, *(np.flatnonzero(np.diff(sign)) + 1).tolist(), len(sign)]
            state, last, passed = self._state[..., i], self._sign[i], 0.0
            for start, stop in pairwise(ends):
                if last == 0.0:
                    state = np.full(state.shape, sign[start])
                since = way[start:stop, i].reshape(-1, *[1] * state.ndim) - passed
                part = sign[start] + (state - sign[start]) * np.exp(-since / self.distance[..., i])
                result[start:stop, ..., i] = part
                state, last, passed = part[-1], sign[start], way[stop - 1, i]
            self._state[..., i], self._sign[i] = state, last
        return result


def _directions(before: float, w: Array) -> Array:
    """Signs of speeds ``(N,)``; at rest that of the motion before."""
    sign = np.sign(w)
    last = np.maximum.accumulate(np.where(sign != 0.0, np.arange(len(w)), -1))
    return np.where(last >= 0, sign[np.maximum(last, 0)], before)


class FrictionDirection:
    """Direction that Coulomb friction of a law has along a motion, between -1 and 1."""

    def __init__(self, law: Stribeck, drive_axes: Array) -> None:
        """Take the law, and the turns of drives per turn of axes ``(n, n)``."""
        self.law, self._turns, self._state = law, drive_axes.T, DahlState(law.x_p)

    def __call__(self, q: Array, v: Array) -> Array:
        """Return it at the next positions and speeds of the axes, shape ``(N, n)`` each."""
        return np.asarray(np.sign(v @ self._turns) + self._change(q, v))

    def torque_change(self, q: Array, v: Array) -> Array:
        """Return what torques of the axes exceed those of steady sliding by [N m, N], ``(N, n)``.

        At the next positions and speeds, instead of the direction.
        """
        return np.asarray((self.law.Fc * self._change(q, v)) @ self._turns.T)

    def _change(self, q: Array, v: Array) -> Array:
        w = v @ self._turns
        return np.asarray(self.law.presliding * (self._state(q @ self._turns, w) - np.sign(w)))


def friction_direction(law: Stribeck | None, drive_axes: Array) -> FrictionDirection | None:
    """Return the direction along a motion that starts, None where a law needs no such thing."""
    if law is None or not law.presliding.any():
        return None
    return FrictionDirection(law, drive_axes)
