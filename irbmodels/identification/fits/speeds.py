"""How fast the dry friction of each axis falls, where nobody has said it: a search over Stribeck speeds in one pass.

Next to the columns of its regressor each axis carries ``exp(-(v / v_St)^2) sgn(v)`` for a row of speeds ``v_St``. Triangular
factors of all of them hold what least squares with any choice among these speeds would leave.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...trajectory import Motion
from .accumulator import Accumulator, Blocks, folded
from .nonlinear import places_of
from .regression import weighted
from .streaming import Samples, accumulated
from .torques import TorqueRows

Array = NDArray[np.float64]

SPEEDS = np.geomspace(1e-3, 0.3, 17)  # [rad/s, m/s]; S000 Tab. 5 has 0.003 to 0.018 rad/s, a factor of 1.4 lies between two
SLOW = 20.0  # samples that must be as slow as a Stribeck speed, or it may be any
APART = 0.05  # of a unit column: the part that no other column of its axis has
SURE = 5.0  # standard deviations of Fs - Fc: residuals that are no white noise make a fit too sure, and 17 speeds are tried


def stribeck_speeds(samples: Samples, rows: TorqueRows) -> Array:
    """Return the Stribeck speed of each moving axis [rad/s, m/s] to the next of :data:`SPEEDS`, shape ``(size,)``.

    NaN where samples do not tell it: too few are slow, ``Fs - Fc`` is not clearly positive, or the best is an end of the row.

    Args:
        samples: Samples, slow and fast.
        rows: Equations with Fv and Fc of each moving axis among the base parameters, and no Fs - Fc.

    Raises:
        InputError: if friction is not among them, or samples do not tell the other parameters apart.
    """
    places = places_of(rows)
    if (places[:, :2] < 0).any() or (places[:, 2] >= 0).any():
        raise InputError("a search of Stribeck speeds needs Fv and Fc among the base parameters, and no Fs - Fc")
    total = accumulated(samples, _Candidates(rows, places))
    p, none = len(rows.names), np.full(rows.size, -1)
    possible = _possible(total, p)
    left = np.full((SPEEDS.size, rows.size), np.inf)
    without = _chosen(total, p, none)
    start = weighted(without)
    left_without = without.squares(start.beta)
    for k in range(SPEEDS.size):
        choice = np.where(possible[k], k, -1)
        if possible[k].any():
            trial = _chosen(total, p, choice)
            left[k] = np.where(possible[k], trial.squares(_solved(trial, start.weights)), np.inf)
    best = np.where(np.isfinite(left).any(axis=0) & (left.min(axis=0) < left_without), np.argmin(left, axis=0), -1)
    best[(best == 0) | (best == SPEEDS.size - 1)] = -1
    if (best < 0).all():
        return np.full(rows.size, np.nan)
    fit = weighted(_chosen(total, p, best))
    falls = fit.beta[p:] > SURE * fit.deviation[p:]
    speeds = np.full(rows.size, np.nan)
    axes = np.flatnonzero(best >= 0)[falls]
    speeds[axes] = SPEEDS[best[axes]]
    return speeds


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The rows with a column per speed, each axis its own."""

    rows: TorqueRows
    places: NDArray[np.intp]

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.rows.names, *(f"at {speed:g}" for speed in SPEEDS))

    @property
    def units(self) -> tuple[str, ...]:
        return (*self.rows.units, *("N m",) * SPEEDS.size)

    @property
    def size(self) -> int:
        return self.rows.size

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        own = np.arange(self.size)
        for Y, y in self.rows(pieces):
            v, sign = Y[:, own, self.places[:, 0]], Y[:, own, self.places[:, 1]]
            falling = np.exp(-np.square(v[..., None] / SPEEDS)) * sign[..., None]
            yield np.concatenate([Y, falling], axis=-1), y


def _possible(total: Accumulator, p: int) -> NDArray[np.bool_]:
    """For each speed and axis whether enough samples are so slow, and the column is no sum of others: ``(speeds, size)``."""
    columns = total.factors[:, :, p:-1]
    whole, own = np.square(columns).sum(axis=1), np.zeros((total.size, SPEEDS.size))
    for i, factor in enumerate(total.factors):
        others = factor[:p, :p]
        used = np.flatnonzero(others.any(axis=0))
        basis = np.linalg.qr(factor[:, used])[0]
        own[i] = np.square(columns[i] - basis @ (basis.T @ columns[i])).sum(axis=0)
    return np.asarray((whole > SLOW) & (own > APART**2 * whole), dtype=bool).T


def _chosen(total: Accumulator, p: int, choice: NDArray[np.intp]) -> Accumulator:
    """Return the factors of the base columns and, for each axis with a choice, of one column more that is its alone."""
    falling = np.flatnonzero(choice >= 0)
    names = [*total.names[:p], *(f"Fs-Fc of equation {i + 1}" for i in falling)]
    result = Accumulator(total.size, names, [*total.units[:p], *("N m" for _ in falling)])
    result.samples = total.samples
    for i, factor in enumerate(total.factors):
        block = np.zeros((len(factor), len(names) + 1))
        block[:, :p], block[:, -1] = factor[:, :p], factor[:, -1]
        if choice[i] >= 0:
            block[:, p + int(np.searchsorted(falling, i))] = factor[:, p + choice[i]]
        result.factors[i] = folded(result.factors[i], block)
    return result


def _solved(total: Accumulator, weights: Array) -> Array:
    whole = total.together(weights)
    size = np.linalg.norm(whole[:, :-1], axis=0)
    scale = np.where(size > 0.0, size, 1.0)
    return np.asarray(np.linalg.lstsq(whole[:-1, :-1] / scale, whole[:-1, -1], rcond=1e-10)[0] / scale, dtype=float)
