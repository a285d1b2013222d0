"""Newton's method for possible bodies near a prior: the problem of :mod:`.lmi` without its bounds.

``-log det`` of the divergence is a barrier of its own, so that bodies stay possible; scalars have a
logarithmic one that fades. Where no body is as extreme as the bounds of :mod:`.lmi` this is its
solution, since the problem is convex, in some milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...model.types import Array
from .pseudo import BASIS, parameters_of

# weights of the barrier of scalars, in units of the misfit's variance; the last moves an estimate
# by less than a thousandth of its deviation
BARRIERS = (1.0, 1e-2, 1e-4, 1e-6, 1e-8)
STEPS = 60  # of each weight; ten are usual
DECREMENT = 1e-12  # of the objective, by which another step would lower it


@dataclass(frozen=True, eq=False)
class NearestBodies:
    """``min 1/2 |A z - b|^2 + weight sum of tr X - log det X`` under ``G s + h > 0``.

    ``z`` has ten parameters per body, then the scalars ``s``; ``X`` is the pseudo-inertia of a body
    in units of its prior, ``L X L'``.
    """

    A: Array
    """Shape ``(r, 10 bodies + scalars)``."""
    b: Array
    roots: Sequence[Array]
    """``L`` of the prior of each body, lower triangular, shape ``(4, 4)``."""
    weight: float
    G: Array
    """Shape ``(inequalities, scalars)``."""
    h: Array
    inside: Array
    """Scalars that keep the inequalities, to start from."""

    @cached_property
    def units(self) -> Array:
        """``X`` per unit of each parameter, shape ``(bodies, 10, 4, 4)``."""
        inverses = [np.linalg.inv(root) for root in self.roots]
        return np.array([[half @ one @ half.T for one in BASIS] for half in inverses])

    def solution(self) -> Array | None:
        """Return ``z``, or None if the method does not converge."""
        z = np.concatenate([*(parameters_of(root @ root.T) for root in self.roots), self.inside])
        for barrier in BARRIERS if len(self.h) else BARRIERS[-1:]:
            found = self._minimum(z, barrier)
            if found is None:
                return None
            z = found
        return z

    @property
    def _first(self) -> int:
        return 10 * len(self.roots)

    def _divergence(self, z: Array) -> tuple[float, Array, Array] | None:
        """Sum of ``tr X - log det X`` with gradient and Hessian blocks; None outside."""
        x = z[: self._first].reshape(-1, 10)
        X = np.einsum("bk,bkij->bij", x, self.units)
        try:
            half = np.linalg.cholesky(X)
        except np.linalg.LinAlgError:
            return None
        value = float(np.trace(X, axis1=1, axis2=2).sum())
        value -= 2.0 * float(np.log(np.diagonal(half, axis1=1, axis2=2)).sum())
        turned = np.linalg.inv(X)[:, None] @ self.units
        slope = np.trace(self.units - turned, axis1=2, axis2=3)
        return value, slope, np.einsum("bkij,blji->bkl", turned, turned)

    def _value(self, z: Array, barrier: float) -> float:
        slack, bodies = self.G @ z[self._first :] + self.h, self._divergence(z)
        if bodies is None or (slack <= 0.0).any():
            return np.inf
        misfit = self.A @ z - self.b
        return float(
            0.5 * misfit @ misfit + self.weight * bodies[0] - barrier * np.log(slack).sum()
        )

    def _minimum(self, z: Array, barrier: float) -> Array | None:
        curvature = self.A.T @ self.A
        value = self._value(z, barrier)
        for _ in range(STEPS):
            bodies, slack = self._divergence(z), self.G @ z[self._first :] + self.h
            if bodies is None:
                return None
            gradient, hessian = self.A.T @ (self.A @ z - self.b), curvature.copy()
            gradient[: self._first] += self.weight * bodies[1].ravel()
            for i, block in enumerate(bodies[2]):
                part = slice(10 * i, 10 * i + 10)
                hessian[part, part] += self.weight * block
            gradient[self._first :] -= barrier * self.G.T @ (1.0 / slack)
            hessian[self._first :, self._first :] += (
                barrier * (self.G.T / np.square(slack)) @ self.G
            )
            size = np.sqrt(np.diagonal(hessian))
            try:
                half = np.linalg.cholesky(hessian / size[:, None] / size)
            except np.linalg.LinAlgError:
                return None
            step = -np.linalg.solve(half.T, np.linalg.solve(half, gradient / size)) / size
            decrement = -float(gradient @ step)
            if decrement < DECREMENT * max(1.0, abs(value)):
                return z
            length = 1.0
            while not (after := self._value(z + length * step, barrier)) <= (
                value - 0.1 * length * decrement
            ):
                length *= 0.5
                if length < 1e-10:  # rounding of the objective
                    return z if decrement < 1e-6 * max(1.0, abs(value)) else None
            z, value = z + length * step, after
        return None
