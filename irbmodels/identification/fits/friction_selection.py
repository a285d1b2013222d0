"""Choice of friction terms per drive by cross-validation on whole stretches of the logs.

Per drive terms are added one by one, each time the one that leaves least on stretches which its fit
has not seen; two at once where none is sure alone, for what either leaves hides the other, such as
an offset and a change with temperature. Of the models on this way the simplest is chosen whose
error is within one standard error of the best [Hastie, Tibshirani & Friedman, The Elements of
Statistical Learning, 7.10]; the standard error is that of the difference, stretch by stretch, since
all models meet the same ones.

A term counts only if its law cannot drive an axis, and if its coefficient is as sure as the number
of candidates asks for. The spread of coefficients over fits with one stretch left out says how sure
it is [Efron, The Jackknife, 1982]: errors that last do not make it too sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array, Mask
from .friction_candidates import (
    DEGRESSIVE_SPEEDS,
    PRESLIDING_DISTANCES,
    STRIBECK_SPEEDS,
    WARMTH,
    Candidate,
    FrictionCandidates,
)
from .stretch_sums import (
    ROUNDING,
    Projected,
    StretchSums,
    coefficients,
    left_out_squares,
    project,
)
from .stribeck_residuals import friction_columns

MOST = 4  # terms of one drive
SWEEPS = 3  # over all drives; two are enough but for drives that load each other
ALPHA = 0.05  # probability that some candidate of a drive seems to be there, and is not
# of the RMSE of an axis; terms that gain less are not worth having, but for the fall from Fs to Fc,
# which few samples show and stick-slip depends on
NEGLIGIBLE = 0.005
# samples that must be as slow as a Stribeck speed, or as near to a reversal as a presliding
# distance, or these may be any
SLOW = 20.0
# where the best one is an end of its row, samples do not tell it; the slowest v_d softens a sign
ENDS = {
    "Fs-Fc": {float(STRIBECK_SPEEDS[0]), float(STRIBECK_SPEEDS[-1])},
    "Fd": {float(DEGRESSIVE_SPEEDS[-1])},
    "presliding": {float(PRESLIDING_DISTANCES[0]), float(PRESLIDING_DISTANCES[-1])},
}
# of Fc: less than that presliding makes up for a v_d between two of the row (0.05 of Fc), while
# gears of measured arms have 0.5 and more
LEAST_SHARE = 0.2
NOT_NEGATIVE = ("Fs-Fc", "Fd", "mu", "presliding")
APART = 0.05  # of a unit column: the part that no other column has

Model = tuple[int, ...]


class Trial(NamedTuple):
    """A model of the friction of one drive, beside Coulomb and viscous friction."""

    terms: tuple[Candidate, ...]
    error: float
    """Weighted mean square on stretches left out, over that without further terms."""
    deviation: float
    """Standard error of its difference to the best model."""
    rmse: float
    """On stretches left out, of the torque of its axis [N m, N]."""


class FrictionChoice(NamedTuple):
    """Terms of the friction of one drive, and what was tried."""

    terms: tuple[Candidate, ...]
    """The chosen ones; none where Coulomb and viscous friction are enough."""
    trials: tuple[Trial, ...]
    """From simple to rich; the first has no further terms."""
    denied: bool
    """A fall from Fs to Fc was believed, and samples say a smaller one, surely."""
    presliding: float
    """Share of Fc that turns round over the distance of that term; 0 without it."""


def choose_friction(
    sums: StretchSums,
    rows: FrictionCandidates,
    weights: Array,
    kinds: Sequence[str],
    believed: Array,
) -> tuple[FrictionChoice, ...]:
    """Choose terms drive by drive, until no choice changes.

    Args:
        sums: Of ``rows``.
        rows: Equations with candidates.
        weights: Of the equations, shape ``(size,)``.
        kinds: Kinds of terms that may be chosen.
        believed: Fs - Fc at the last candidate speed that somebody believes in, shape ``(size,)``;
            it is no candidate itself but where speeds are known.
    """
    drives = _Drives(sums, rows, weights)
    models: list[Model] = [()] * rows.rows.size
    choices: list[FrictionChoice] = []
    known: dict[tuple[int, tuple[Model, ...]], tuple[Model, FrictionChoice]] = {}
    for _ in range(SWEEPS):
        before, choices = list(models), []
        for i, belief in enumerate(believed.tolist()):
            key = i, tuple(models[:i] + models[i + 1 :])
            if key not in known:
                known[key] = drives.beside(i, models).choose(kinds, belief)
            models[i], choice = known[key]
            choices.append(choice)
        if models == before:
            break
    return tuple(choices)


class _Drives:
    """Drives of one robot, each with its candidates, beside models of the others."""

    def __init__(self, sums: StretchSums, rows: FrictionCandidates, weights: Array) -> None:
        """Weigh the sums."""
        self.sums, self.rows, self.weights = sums, rows, weights
        self._places = friction_columns(rows.rows)[:, :2]
        self._products = sums.weighted(weights, np.arange(rows.width))

    def beside(self, i: int, models: Sequence[Model]) -> _Drive:
        """Return a drive beside the models of the others."""
        others = [self.rows.of_drive(m)[list(one)] for m, one in enumerate(models) if m != i]
        always = np.concatenate([np.arange(self.rows.rows.base.rank), *others])
        columns = np.concatenate([always, self.rows.of_drive(i), [self.rows.width]])
        products = self._products[:, columns[:, None], columns]
        return _Drive(self.sums, self.rows, self.weights, i, always, self._places[i], products)


@dataclass(eq=False)
class _Drive:
    """Candidates of one drive beside everything else, chosen terms of other drives included."""

    sums: StretchSums
    rows: FrictionCandidates
    weights: Array
    i: int
    always: NDArray[np.intp]
    places: NDArray[np.intp]
    """Columns of Fv and Fc."""
    products: Array
    """Weighted, of the columns that are always there, candidates and torques, per stretch."""

    @cached_property
    def terms(self) -> tuple[Candidate, ...]:
        return self.rows.terms[self.i]

    @cached_property
    def parts(self) -> Projected:
        return project(self.products, self.always.size)

    @cached_property
    def possible(self) -> Mask:
        """Candidates that samples tell from everything else; of falls those with slow samples."""
        whole = np.diagonal(self.products.sum(axis=0))[self.always.size : -1]
        own = np.diagonal(self.parts.whole)[:-1]
        slow = self.weights[self.i] * SLOW
        falls = np.array([term.kind in ("Fs-Fc", "presliding") for term in self.terms])
        return np.asarray((own > APART**2 * whole) & (whole > np.where(falls, slow, 0.0)))

    def choose(self, kinds: Sequence[str], belief: float) -> tuple[Model, FrictionChoice]:
        last = [k for k, term in enumerate(self.terms) if term.kind == "Fs-Fc"][-1]
        way = self._way(
            [
                k
                for k, term in enumerate(self.terms)
                if term.kind in kinds and self.possible[k] and (k != last or self.rows.speeds_known)
            ]
        )
        losses, trials = self._trials(way)
        best = int(losses.mean(axis=1).argmin())
        apart = losses - losses[best]
        enough = apart.mean(axis=1) <= standard_error(apart)
        for k, model in enumerate(way):
            little = trials[k].rmse <= (1.0 + NEGLIGIBLE) * trials[best].rmse
            enough[k] |= little and self._falls(model) == self._falls(way[best])
        model = way[int(np.argmax(enough))]
        falls = self._falls(model)
        denied = False
        if "Fs-Fc" in kinds and belief > 0.0 and self.possible[last] and not falls:
            value, deviation = (part[0, -1] for part in self._coefficients([(*model, last)]))
            denied = bool(value + self._sure * deviation < belief)
        friction = self._friction(model, self._coefficients([model])[0][0])
        share = friction["presliding"] / friction["Fc"] if "presliding" in friction else 0.0
        terms = tuple(self.terms[k] for k in model)
        return model, FrictionChoice(terms, trials, denied, share)

    def _falls(self, model: Model) -> bool:
        return any(self.terms[k].kind == "Fs-Fc" for k in model)

    def _way(self, offered: list[int]) -> list[Model]:
        """Models with one term more each, from none; with two more where no single one is sure."""
        linear = [k for k in offered if np.isnan(self.terms[k].scale)]
        pairs = [(k, m) for k in linear for m in offered if k < m or m not in linear]
        way: list[Model] = [()]
        for _ in range(MOST):
            model = self._best([(*way[-1], k) for k in offered])
            model = model or self._best([(*way[-1], *pair) for pair in pairs])
            if not model:
                break
            way.append(model)
        return way

    def _best(self, models: Sequence[Model]) -> Model:
        """Return the sure model that leaves least, none of its terms at an end; else none."""
        kinds = {model: [self.terms[k].kind for k in model] for model in models}
        options = self._sure_and_passive(
            [model for model in models if len(set(kinds[model])) == len(model) <= MOST]
        )
        while options:
            left = left_out_squares(self.parts, np.array(options)).sum(axis=0)
            option = options[int(left.argmin())]
            terms = [self.terms[k] for k in option]
            ends = {term.kind for term in terms if term.scale in ENDS.get(term.kind, ())}
            if not ends:
                return option
            options = [other for other in options if not ends.intersection(kinds[other])]
        return ()

    def _trials(self, way: list[Model]) -> tuple[Array, tuple[Trial, ...]]:
        """Weighted squares per sample of each model on each stretch, and their trials."""
        own = np.zeros_like(self.weights)
        own[self.i] = 1.0
        columns = np.append(self.always, self.rows.of_drive(self.i))
        axis = self.parts.at(self.sums.weighted(own, columns))
        counts = self.sums.counts
        floor = ROUNDING * self.products[:, -1, -1].sum() / len(counts)
        losses, squares = [], []
        for model in way:
            chosen = np.array([model], dtype=np.intp)
            losses.append((left_out_squares(self.parts, chosen)[:, 0] + floor) * len(counts))
            squares.append(left_out_squares(axis, chosen).sum())
        loss = np.array(losses) / counts.sum()
        first, best = loss[0].mean(), loss.mean(axis=1).argmin()
        deviations = standard_error(loss - loss[best])
        return loss, tuple(
            Trial(
                tuple(self.terms[k] for k in model),
                float(errors.mean() / first),
                float(deviation / first),
                float(np.sqrt(max(square, 0.0) / max(counts[:, self.i].sum(), 1.0))),
            )
            for model, errors, deviation, square in zip(way, loss, deviations, squares, strict=True)
        )

    @cached_property
    def _sure(self) -> float:
        """Standard deviations by which a coefficient differs from 0 [Bonferroni]."""
        from scipy.special import stdtrit

        tried = len(STRIBECK_SPEEDS) if self.rows.speeds_known else 0  # before these were known
        tests = 2.0 * (len(self.terms) + tried)
        return float(stdtrit(len(self.sums.counts) - 1, 1.0 - ALPHA / tests))

    def _coefficients(self, models: Sequence[Model]) -> tuple[Array, Array]:
        """Coefficients of all stretches together, and their jackknife deviations.

        Args:
            models: As many terms in each.

        Returns:
            Shapes ``(models, terms)``.
        """
        chosen, count = np.array(models, dtype=np.intp), len(self.sums.counts)
        left_out = coefficients(self.parts.fitted, chosen)
        spread = np.square(left_out - left_out.mean(axis=0)).sum(axis=0)
        whole = coefficients(self.parts.whole[None], chosen)[0]
        return whole, np.sqrt((count - 1) / count * spread)

    def _sure_and_passive(self, models: Sequence[Model]) -> list[Model]:
        """Return the models whose coefficients are sure, and whose law cannot drive an axis."""
        if not models:
            return []
        values, deviations = self._coefficients(models)
        sure = np.all(np.abs(values) > self._sure * deviations, axis=1).tolist()
        tried = zip(models, values, sure, strict=True)
        return [model for model, own, is_sure in tried if is_sure and self._is_passive(model, own)]

    def _is_passive(self, model: Model, values: Array) -> bool:
        friction = self._friction(model, values)
        presliding = friction.get("presliding", 0.0)
        return bool(
            min(friction.get(kind, 0.0) for kind in NOT_NEGATIVE) >= 0.0
            and friction.get("mu", 0.0) < 1.0
            and friction["Fc"] >= abs(friction.get("dFc", 0.0)) + presliding
            and friction["Fv"] >= abs(friction.get("dFv", 0.0))
            # friction that changes with temperature is there
            and (WARMTH not in friction or friction["Fv"] + friction.get("Fd", 0.0) > 0.0)
            and ("presliding" not in friction or presliding >= LEAST_SHARE * friction["Fc"])
        )

    def _friction(self, model: Model, values: Array) -> dict[str, float]:
        """Coefficients of a model by kind, with those of Fv and Fc beside it."""
        shares = self.parts.shares
        always = shares[self.places, -1] - shares[self.places][:, list(model)] @ values
        kinds = ("Fv", "Fc", *(self.terms[k].kind for k in model))
        return dict(zip(kinds, [*always.tolist(), *values.tolist()], strict=True))


def standard_error(differences: Array) -> Array:
    """Of the mean over stretches, shape ``(models,)``."""
    return np.asarray(differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1]))
