"""Possible bodies near a prior that fit best: a cone program, and a bound on what its answer lacks.

The program is convex and has a solution, whatever the data. An answer is taken for what it is, not
for what the solver says of it: by the multipliers of its constraints the minimum is not far below
[Boyd & Vandenberghe 2004, ch. 5 and 9].
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...model.inertia import ball_moment
from ...model.types import Array
from .pseudo import BASIS, parameters_of

# smallest eigenvalue of X: no direction of a body shrinks to less than 1 % of the prior's
FLOOR = 1e-4
# trace of second moments [kg m^2] of 1 kg of lead: nothing is more compact
MARGIN = 1e-6
LEAD = 3.0 * ball_moment(1.0) * (1.0 + MARGIN)
# share of the objective, at least 1, between an answer and the minimum: base parameters are within
# 0.5 % of their distance to the unconstrained fit, or within 0.005 of their deviation
ACCURACY = 1e-5
ATTEMPTS = 12  # one is usual, two where bodies are far from their prior
# objective as the solver gets it, at most: larger ones end in rounding
LARGEST = 1e3
# more than double precision yields as a rule, so that the solver stops where rounding stops it
TOLERANCES = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-10}
ROUNDING = 1e-14  # of the largest singular value: scalars that only count together
_OF_ENTRIES = np.column_stack([parameters_of(element) for element in np.eye(16).reshape(16, 4, 4)])
_SYMMETRIC = np.array(
    [
        (np.outer(a, b) + np.outer(b, a)) / np.sqrt(2.0 + 2.0 * (a @ b))
        for i, a in enumerate(np.eye(4))
        for b in np.eye(4)[i:]
    ]
)
"""Orthonormal basis of symmetric matrices, shape ``(10, 4, 4)``."""


class Answer(NamedTuple):
    """Parameters with Lagrange multipliers of their constraints."""

    z: Array
    floor: Array
    """Of ``X - FLOOR``, shape ``(bodies, 4, 4)``."""
    lead: Array
    """Of the density, shape ``(bodies,)``."""
    rows: Array
    """Of ``C z + h``, shape ``(inequalities,)``."""


@dataclass(frozen=True, eq=False)
class NearestBodies:
    """``min 1/2 |A z - b|^2 + weight sum of D`` under ``C z + h >= 0``, ``X >= FLOOR``, and lead.

    ``z`` has ten parameters per body, then scalars; ``X`` is the pseudo-inertia of a body in units
    of its prior, ``L X L'``, and ``D = tr X - log det X - 4``. No body is denser than lead.
    """

    A: Array
    """Shape ``(r, 10 bodies + scalars)``."""
    b: Array
    roots: Sequence[Array]
    """``L`` of the prior of each body, lower triangular, shape ``(4, 4)``."""
    weight: float
    C: Array
    """Shape ``(inequalities, 10 bodies + scalars)``."""
    h: Array

    @property
    def _first(self) -> int:
        """Index of the first scalar."""
        return 10 * len(self.roots)

    @cached_property
    def _priors(self) -> Array:
        return np.array([parameters_of(root @ root.T) for root in self.roots])

    @cached_property
    def _sizes(self) -> Array:
        """Mass, and trace of the second moments about the origin, of each prior."""
        return np.column_stack([self._priors[:, 0], _second_moments(self._priors)])

    @cached_property
    def _units(self) -> Array:
        """``X`` per unit of each parameter, shape ``(bodies, 10, 4, 4)``."""
        inverses = [np.linalg.inv(root) for root in self.roots]
        return np.array([[half @ one @ half.T for one in BASIS] for half in inverses])

    def _in_units(self, z: Array) -> Array:
        """``X`` of each body, shape ``(bodies, 4, 4)``."""
        x = z[: self._first].reshape(-1, 10)
        return np.asarray(np.einsum("bk,bkij->bij", x, self._units), dtype=float)

    def solution(self) -> Answer:
        """Return an answer whose objective exceeds the minimum by a share of ``ACCURACY`` at most.

        Raises:
            InputError: if no attempt gives one.
        """
        misfit = self.A[:, : self._first] @ self._priors.ravel() - self.b
        size, largest, least = 0.5 * float(misfit @ misfit), LARGEST, np.inf
        near = np.tile(np.eye(4), (len(self.roots), 1, 1))
        for _ in range(ATTEMPTS):
            answer = self._answer(largest / max(largest, size), near)
            if answer is None:
                largest *= 0.03  # what rounding does is another then
                continue
            excess, size = self.excess(answer)
            if excess <= ACCURACY:
                return answer
            least = min(least, excess)
            # objective and bodies far from the prior are the units of the next attempt
            values, axes = np.linalg.eigh(self._in_units(answer.z))
            near = axes * np.sqrt(np.maximum(values, FLOOR))[:, None, :]
        raise InputError(
            f"the solver stays a share of {least:.1g} above the minimum, more than {ACCURACY:g}"
        )

    def _answer(self, scale: float, near: Array) -> Answer | None:
        """Return what the solver finds; None if it finds nothing.

        Args:
            scale: Factor of the objective.
            near: ``K`` of each body, shape ``(bodies, 4, 4)``: the unknown is ``Y`` in ``X = K Y
                K'``.
        """
        cp: Any = import_module("cvxpy")

        scalars = cp.Variable(self.A.shape[1] - self._first)
        parts, floors, leads, powers, divergence = [], [], [], [], 0.0
        inverses = np.linalg.inv(near)
        for root, K, inverse, sizes in zip(self.roots, near, inverses, self._sizes, strict=True):
            above, power, (mass, second) = cp.Variable((4, 4), symmetric=True), cp.Variable(), sizes
            Y = above + FLOOR * inverse @ inverse.T
            part = _OF_ENTRIES @ np.kron(root @ K, root @ K) @ cp.vec(Y, order="C")
            share, first = part[0] / mass, part[1:4] / np.sqrt(mass * second)
            ball = LEAD * np.power(mass, 5.0 / 3.0) / second
            moments = 0.5 * cp.sum(part[[4, 6, 9]]) / second
            parts.append(part)
            floors.append(above >> 0.0)
            # share^(5/3) as a cone of its own: towers of second-order cones end in rounding
            powers.append(cp.PowCone3D(power, cp.Constant(1.0), share, 0.6))
            leads.append(cp.quad_over_lin(first, share) + ball * power <= moments)
            divergence = divergence + cp.sum(cp.multiply(K.T @ K, Y)) - cp.log_det(Y)
        z = cp.hstack([*parts, scalars])
        rows = [self.C @ z + self.h >= 0.0] if len(self.h) else []
        misfit = np.sqrt(scale) * (self.A @ z - self.b)
        objective = 0.5 * cp.sum_squares(misfit) + scale * self.weight * divergence
        program = cp.Problem(cp.Minimize(objective), [*floors, *leads, *powers, *rows])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of an accuracy that is bounded here
            try:
                program.solve(solver="CLARABEL", **TOLERANCES)
            except cp.SolverError:
                return None
        if program.status not in ("optimal", "optimal_inaccurate"):
            return None
        floor = np.array([one.dual_value for one in floors])
        return Answer(
            np.array(z.value),
            inverses.transpose(0, 2, 1) @ floor @ inverses / scale,
            np.array([one.dual_value for one in leads], dtype=float).ravel() / scale,
            rows[0].dual_value / scale if rows else np.zeros(0),
        )

    def excess(self, answer: Answer) -> tuple[float, float]:
        """Bound what the objective of an answer exceeds the minimum by, and return the objective.

        The minimum is at least that of the Lagrangian. Its slope ``g`` at ``z`` is split into
        ``A' A d``, which lowers the misfit by ``|A d|^2 / 2`` at most, and the rest, in units of
        ``weight`` and ``X`` a matrix of eigenvalues ``s`` per body, which lowers the divergence by
        ``weight sum of s - log(1 + s)`` at most.

        Returns:
            Share of the objective, of 1 at least, infinite where the bodies are impossible or
            nothing is known; the objective.
        """
        z, (mass, second) = answer.z, self._sizes.T
        x, X, misfit = z[: self._first].reshape(-1, 10), self._in_units(z), self.A @ z - self.b
        share, first = x[:, 0] / mass, x[:, 1:4] / np.sqrt(mass * second)[:, None]
        ball = LEAD * np.power(mass, 5.0 / 3.0) / second * np.power(np.abs(share), 5.0 / 3.0)
        spread = np.square(first).sum(axis=1) / share
        density = _second_moments(x) / second - spread - ball
        divergence = np.trace(X, axis1=1, axis2=2) - np.linalg.slogdet(X)[1] - 4.0
        objective = 0.5 * float(misfit @ misfit) + self.weight * float(divergence.sum())
        if np.linalg.eigvalsh(X).min() < 0.5 * FLOOR or (density < -0.5 * MARGIN * ball).any():
            return np.inf, objective
        # multipliers of inequalities are positive
        values, axes = np.linalg.eigh(answer.floor)
        floor = (axes * np.maximum(values, 0.0)[:, None, :]) @ axes.transpose(0, 2, 1)
        lead, rows = np.maximum(answer.lead, 0.0), np.maximum(answer.rows, 0.0)
        half = np.linalg.inv(np.linalg.cholesky(X))
        turned = half[:, None] @ self._units @ half.transpose(0, 2, 1)[:, None]
        slope = self.weight * np.trace(self._units - turned, axis1=2, axis2=3)
        slope -= np.einsum("bij,bkij->bk", floor, self._units)
        slope[:, 0] -= lead * (spread - 5.0 / 3.0 * ball) / share / mass
        slope[:, 1:4] += (2.0 * lead / share / np.sqrt(mass * second))[:, None] * first
        slope[:, [4, 6, 9]] -= (0.5 * lead / second)[:, None]
        gradient = self.A.T @ misfit - self.C.T @ rows
        gradient[: self._first] += slope.ravel()
        curvature = np.zeros((len(x), 10, len(z)))
        for i, block in enumerate(np.einsum("bkij,lij->blk", turned, _SYMMETRIC)):
            curvature[i, :, 10 * i : 10 * i + 10] = np.sqrt(self.weight) * block
        whole = np.concatenate([self.A, curvature.reshape(-1, len(z))])
        size = np.linalg.norm(whole, axis=0)
        _, singular, V = np.linalg.svd(whole / size, full_matrices=False)
        sure = singular > ROUNDING * singular[0]
        along = V[sure] @ (gradient / size) / np.square(singular[sure])
        d = along @ V[sure] / size
        s = np.linalg.eigvalsh(half @ self._in_units(d) @ half.transpose(0, 2, 1))
        if s.min() <= -1.0:
            return np.inf, objective
        lacking = (
            0.5 * float(np.square(self.A @ d).sum())
            + self.weight * float((s - np.log1p(s)).sum())
            + float(np.abs((floor * (X - FLOOR * np.eye(4))).sum(axis=(1, 2))).sum())
            + float(np.abs(lead * density).sum())
            + float(np.abs(rows * (self.C @ z + self.h)).sum())
        )
        return lacking / max(1.0, objective), objective


def _second_moments(bodies: Array) -> Array:
    """Trace of the second moments about the origin, of ten parameters each."""
    return 0.5 * np.asarray(bodies[:, [4, 6, 9]].sum(axis=1))
