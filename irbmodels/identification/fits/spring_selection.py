"""Choice of springs per axis by cross-validation on whole stretches of the logs.

An axis is a candidate where a polynomial of its own position lowers the error on stretches that the
fit has not seen. Then a constant torque, a torsion spring, a coil and a gas spring between pivots
are tried, the geometry of the last two by a grid and a local search on the stretches of the fit.
The simplest is taken whose error is within one standard error of the best, as terms of friction are
(:mod:`.friction_selection`).

An element counts only where the samples tell its torque from everything else: over a small range of
an axis a spring, the weight of its bodies and an offset are one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.springs import Spring
from ...model.types import Array
from .friction_selection import NEGLIGIBLE, standard_error
from .spring_candidates import SpringCandidates, SpringKind, families
from .spring_fits import AxisFits, Fitted
from .stretch_sums import StretchSums

WORTH = 1.05  # RMSE of an axis without an element over that with it
# degrees of polynomials of a position that show whether an axis asks for a spring: those above
# run away on a stretch that goes beyond the others
DEGREES = (0, 1, 2, 3)


class SpringTrial(NamedTuple):
    """An element of one axis that was tried."""

    spring: Spring | None
    """None for the axis without one."""
    error: float
    """Weighted mean square on stretches left out, over that without an element."""
    deviation: float
    """Standard error of its difference to the best."""
    rmse: float
    """On stretches left out, of the torque of the axis [N m, N]."""


class SpringChoice(NamedTuple):
    """Spring of one axis, and what was tried."""

    axis: int
    """0-based."""
    spring: Spring | None
    """The chosen one; None where there is none."""
    trials: tuple[SpringTrial, ...]
    """From simple to rich; the first is without. Only it where nothing asks for an element."""
    identifiable: bool
    """The samples tell a torsion spring of the axis from weight, friction and offset."""
    moved: tuple[float, float]
    """Range of the axis in the logs [rad, m]."""


def choose_springs(
    sums: StretchSums,
    rows: SpringCandidates,
    weights: Array,
    kinds: Mapping[int, Sequence[SpringKind]],
    asked: Mapping[int, SpringKind],
) -> tuple[SpringChoice, ...]:
    """Choose the springs of axes, the one that gains most first, until no other gains.

    Args:
        sums: Of ``rows``.
        rows: Equations with polynomials of positions.
        weights: Of the equations, shape ``(size,)``.
        kinds: Kinds that may be chosen by axis, 0-based; axes that are not named have none.
        asked: Kinds that an axis has whatever cross-validation says.

    Raises:
        InputError: if samples do not tell an element that is asked for.
    """
    chosen: dict[int, SpringChoice] = {}

    def fits(axis: int) -> AxisFits:
        others = {other: one.spring for other, one in chosen.items() if one.spring is not None}
        return AxisFits(sums, rows, weights, axis, others)

    linear = rows.rows.robot.limits.linear
    for axis, kind in asked.items():
        chosen[axis] = _asked(fits(axis), kind, bool(linear[axis]))
    while True:
        tried = {
            axis: _choice(fits(axis), some, bool(linear[axis]))
            for axis, some in kinds.items()
            if axis not in chosen
        }
        gains = {
            axis: min(trial.error for trial in one.trials)
            for axis, one in tried.items()
            if one.spring is not None
        }
        if not gains:
            return tuple(one for _, one in sorted((tried | chosen).items()))
        best = min(gains, key=gains.__getitem__)
        chosen[best] = tried[best]


def unasked(
    sums: StretchSums, rows: SpringCandidates, weights: Array, axis: int
) -> SpringChoice | None:
    """Return that an axis, 0-based, has no spring; None if a polynomial of its position gains.

    Few polynomials are enough for it, and cost less than those that hold the torque of elements.
    """
    fits = AxisFits(sums, rows, weights, axis, {})
    losses, rmse = _polynomials(fits)
    if any(_gains(losses, rmse, k) for k in range(1, len(losses))):
        return None
    trial = SpringTrial(None, 1.0, 0.0, float(rmse[0]))
    return SpringChoice(axis, None, (trial,), fits.identifiable, fits.place.moved)


def _polynomials(fits: AxisFits) -> tuple[Array, Array]:
    """Return losses and RMSE without an element and with polynomials of the position."""
    return fits.losses([[fits.none], *([fits.polynomial(degree)] for degree in DEGREES)])


def _choice(fits: AxisFits, kinds: Sequence[SpringKind], linear: bool) -> SpringChoice:
    """Return the simplest element within one standard error of the best, if it gains enough.

    And if no polynomial gains as much over it again: then something else depends on the position.
    """
    free, free_rmse = _polynomials(fits)
    elements: list[Fitted] = []
    if any(_gains(free, free_rmse, k) for k in range(1, len(free))):
        found = (
            fits.best(family)
            for family in families(linear, fits.place.known)
            if family.kind in kinds
        )
        elements = [one for one in found if one is not None]
    losses, rmse, trials = _trials(fits, elements)
    best = int(losses.mean(axis=1).argmin())
    apart = losses - losses[best]
    enough = apart.mean(axis=1) <= standard_error(apart)
    enough |= rmse <= (1.0 + NEGLIGIBLE) * rmse[best]
    k = int(np.argmax(enough))
    spring = elements[k - 1].spring if k and _gains(losses, rmse, k) else None
    for other, other_rmse in zip(free, free_rmse, strict=True):
        if _gains(np.array([losses[k], other]), np.array([rmse[k], other_rmse]), 1):
            spring = None
    return SpringChoice(fits.axis, spring, trials, fits.identifiable, fits.place.moved)


def _asked(fits: AxisFits, kind: SpringKind, linear: bool) -> SpringChoice:
    """Return the best element of one kind, whatever it gains."""
    found = (
        fits.best(one, sure=False) for one in families(linear, fits.place.known) if one.kind == kind
    )
    elements = [one for one in found if one is not None]
    if not elements:
        low, high = fits.place.moved
        raise InputError(
            f"these samples do not tell a spring of kind {kind} on axis {fits.axis + 1}, which"
            f" moves from {low:.3g} to {high:.3g} {'m' if linear else 'rad'}, from weight, friction"
            " and offset: log more of its range, or ask for another kind"
        )
    losses, _, trials = _trials(fits, elements)
    best = elements[int(losses[1:].mean(axis=1).argmin())]
    return SpringChoice(fits.axis, best.spring, trials, fits.identifiable, fits.place.moved)


def _trials(
    fits: AxisFits, elements: Sequence[Fitted]
) -> tuple[Array, Array, tuple[SpringTrial, ...]]:
    """Return losses and RMSE without an element and with each, and what is reported of them."""
    losses, rmse = fits.losses([[fits.none], *(one.columns for one in elements)])
    means = losses.mean(axis=1)
    deviations = standard_error(losses - losses[means.argmin()])
    springs = [None, *(one.spring for one in elements)]
    numbers = zip((means / means[0]).tolist(), (deviations / means[0]).tolist(), rmse, strict=True)
    trials = (
        SpringTrial(one, *row[:2], float(row[2])) for one, row in zip(springs, numbers, strict=True)
    )
    return losses, rmse, tuple(trials)


def _gains(losses: Array, rmse: Array, k: int) -> bool:
    """True if a model gains surely, and enough, over the first one."""
    gain = losses[:1] - losses[k : k + 1]
    return bool(gain.mean() > standard_error(gain)[0] and rmse[0] > WORTH * rmse[k])
