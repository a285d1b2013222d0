"""Search for Stribeck speeds of the axes, without a first guess, in one pass over the samples.

Next to the columns of its regressor each axis carries ``exp(-(v / v_St)^2) sgn(v)`` for a row of
speeds ``v_St``. Triangular factors of all of them hold what least squares with any choice among
these speeds would leave.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...model.types import Array, Mask
from ...trajectory import Motion
from .accumulator import Accumulator, Blocks, update_factor
from .regression import weighted_least_squares
from .streaming import Samples, accumulate
from .stribeck_residuals import friction_columns
from .torque_equations import TorqueEquations

# [rad/s, m/s]; S000 Tab. 5 has 0.003 to 0.018 rad/s, a factor of 1.4 lies between two
SPEEDS = np.geomspace(1e-3, 0.3, 17)
SLOW = 20.0  # samples that must be as slow as a Stribeck speed, or it may be any
LEAST = -700.0  # exponents below it give 0
APART = 0.05  # of a unit column: the part that no other column of its axis has
SWEEPS = 5  # over all axes; two or three are enough
# standard deviations of Fs - Fc: residuals that are no white noise make a fit too sure, and 17
# speeds are tried
SURE = 5.0


class StribeckSearch(NamedTuple):
    """Stribeck effect in the samples, per moving axis."""

    speeds: Array
    """Stribeck speed [rad/s, m/s] to the next of :data:`SPEEDS`, shape ``(size,)``.

    NaN where samples do not tell it: too few are slow, ``Fs - Fc`` is not clearly positive, or the
    best is an end of the row.
    """
    absent: Mask
    """Where a fall was expected, and samples deny it: they say a smaller one, surely."""


@dataclass(frozen=True, eq=False)
class CandidateEquations:
    """Torque equations with a column per candidate speed, each axis its own."""

    rows: TorqueEquations
    """With Fv and Fc of each moving axis among the base parameters, and no Fs - Fc."""
    believed: Array
    """A further speed of each axis, the last candidate, shape ``(size,)``."""

    def __post_init__(self) -> None:
        """Check the parameters.

        Raises:
            InputError: if friction is not among them, or Fs - Fc is.
        """
        places = friction_columns(self.rows)
        if (places[:, :2] < 0).any() or (places[:, 2] >= 0).any():
            raise InputError(
                "a search of Stribeck speeds needs Fv and Fc among the base parameters, and no Fs -"
                " Fc"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The sums of parameters, and the candidates."""
        return (*self.rows.names, *(f"at {speed:g}" for speed in SPEEDS), "at what is believed")

    @property
    def units(self) -> tuple[str, ...]:
        """Of the same."""
        return (*self.rows.units, *("N m",) * (SPEEDS.size + 1))

    @property
    def size(self) -> int:
        """Number of axes that move."""
        return self.rows.size

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield ``Y`` ``(N, size, p)`` and the right-hand side ``(N, size)`` [N m, N]."""
        own, places = np.arange(self.size), friction_columns(self.rows)
        factors = -1.0 / np.square(
            np.column_stack([np.tile(SPEEDS, (self.size, 1)), self.believed])
        )
        for Y, y in self.rows(pieces):
            v, sign = Y[:, own, places[:, 0]], Y[:, own, places[:, 1]]
            exponents = np.square(v)[..., None] * factors
            # most exponentials are 0, and those that underflow take ten times as long
            falling = np.exp(exponents, out=np.zeros_like(exponents), where=exponents > LEAST)
            yield np.concatenate([Y, falling * sign[..., None]], axis=-1), y


def search_stribeck_speeds(
    samples: Samples, rows: TorqueEquations, expected: tuple[Array, Array] | None = None
) -> StribeckSearch:
    """Look for the fall of dry friction of each moving axis.

    Axis by axis the speed is taken that leaves least of the torques of all axes, until none
    changes.

    Args:
        samples: Samples, slow and fast.
        rows: Equations with Fv and Fc of each moving axis among the base parameters, and no Fs -
            Fc.
        expected: Stribeck speed and Fs - Fc that somebody believes in, shape ``(size,)`` each.

    Raises:
        InputError: if friction is not among them, or samples do not tell the other parameters
            apart.
    """
    believed, drop = (np.ones(rows.size), np.zeros(rows.size)) if expected is None else expected
    return search_candidates(accumulate(samples, CandidateEquations(rows, believed)), drop)


def search_candidates(total: Accumulator, drop: Array) -> StribeckSearch:
    """Return what :func:`search_stribeck_speeds` does.

    Args:
        total: Of the samples in :class:`CandidateEquations`.
        drop: Fs - Fc that somebody believes in, shape ``(size,)``.

    Raises:
        InputError: if samples do not tell the other parameters apart.
    """
    p = total.p - SPEEDS.size - 1
    possible = _possible(total, p)
    weights = weighted_least_squares(_chosen(total, p, np.full(total.size, -1))).weights
    best = _searched(total, p, possible[:-1], weights)
    best[(best == 0) | (best == SPEEDS.size - 1)] = -1
    speeds = np.full(total.size, np.nan)
    if (best >= 0).any():
        fit = weighted_least_squares(_chosen(total, p, best))
        axes = np.flatnonzero(best >= 0)[fit.beta[p:] > SURE * fit.deviation[p:]]
        speeds[axes] = SPEEDS[best[axes]]
    asked = possible[-1] & np.isnan(speeds)
    absent = np.zeros(total.size, dtype=bool)
    if asked.any():
        fit = weighted_least_squares(
            _chosen(total, p, np.where(np.isnan(speeds), np.where(asked, SPEEDS.size, -1), best))
        )
        shows = np.flatnonzero(np.isfinite(speeds) | asked)
        absent[shows] = asked[shows] & (fit.beta[p:] + SURE * fit.deviation[p:] < drop[shows])
    return StribeckSearch(speeds, absent)


def _searched(total: Accumulator, p: int, possible: Mask, weights: Array) -> NDArray[np.intp]:
    """Return the number of the best speed of each axis, -1 where none is possible or helps."""

    def left(choice: NDArray[np.intp]) -> float:
        trial = _chosen(total, p, choice)
        return float(weights @ trial.residual_squares(_solved(trial, weights)))

    best = np.full(total.size, -1)
    least = left(best)
    for _ in range(SWEEPS):
        before = best.copy()
        for i in range(total.size):
            for k in np.flatnonzero(possible[:, i]):
                other = best.copy()
                other[i] = k
                misfit = left(other)
                if misfit < least:
                    best, least = other, misfit
        if np.array_equal(best, before):
            break
    return best


def _possible(total: Accumulator, p: int) -> Mask:
    """Return which candidates have enough slow samples and are identifiable: ``(speeds, size)``."""
    columns = total.factors[:, :, p:-1]
    whole, own = np.square(columns).sum(axis=1), np.zeros(columns.shape[::2])
    for i, factor in enumerate(total.factors):
        others = factor[:p, :p]
        used = np.flatnonzero(others.any(axis=0))
        basis = np.linalg.qr(factor[:, used])[0]
        own[i] = np.square(columns[i] - basis @ (basis.T @ columns[i])).sum(axis=0)
    return np.asarray((whole > SLOW) & (own > APART**2 * whole), dtype=bool).T


def _chosen(total: Accumulator, p: int, choice: NDArray[np.intp]) -> Accumulator:
    """Return the factors of the base columns and the chosen candidate of each axis."""
    falling = np.flatnonzero(choice >= 0)
    names = [*total.names[:p], *(f"Fs-Fc of equation {i + 1}" for i in falling)]
    result = Accumulator(total.size, names, [*total.units[:p], *("N m" for _ in falling)])
    result.samples, result.counts = total.samples, total.counts.copy()
    for i, factor in enumerate(total.factors):
        block = np.zeros((len(factor), len(names) + 1))
        block[:, :p], block[:, -1] = factor[:, :p], factor[:, -1]
        if choice[i] >= 0:
            block[:, p + int(np.searchsorted(falling, i))] = factor[:, p + choice[i]]
        result.factors[i] = update_factor(result.factors[i], block)
    return result


def _solved(total: Accumulator, weights: Array) -> Array:
    whole = total.combined_factor(weights)
    size = np.linalg.norm(whole[:, :-1], axis=0)
    scale = np.where(size > 0.0, size, 1.0)
    return np.asarray(
        np.linalg.lstsq(whole[:-1, :-1] / scale, whole[:-1, -1], rcond=1e-10)[0] / scale,
        dtype=float,
    )
