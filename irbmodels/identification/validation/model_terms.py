"""Selection of model terms: friction law and rotor inertias, as far as samples identify them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError, MissingData, UnknownName
from ...model.friction import Stribeck, frictionless
from ...robot.base_parameters import BaseParameters, base_parameters
from ...robot.robot import Robot
from ...robot.torque_regressor import BodyColumns
from ..fits.accumulator import Accumulator
from ..fits.friction_candidates import WARMTH, FrictionCandidates
from ..fits.friction_selection import FrictionChoice, choose_friction
from ..fits.nonlinear import Linearized, SpeedEquations, linearize
from ..fits.regression import floor_noise, weighted_least_squares
from ..fits.spring_equations import GeometryEquations
from ..fits.spring_selection import SpringChoice
from ..fits.streaming import Samples, accumulate
from ..fits.stretch_sums import sum_stretches
from ..fits.temperature import (
    drive_temperatures,
    fit_temperature,
    with_values,
)
from ..fits.torque_equations import TorqueEquations
from .chosen_friction import SEARCHED, STRETCHES, has_term, with_choices
from .temperature_terms import at_temperatures, beside_temperature, temperature_notes

Friction = Literal["auto", "stribeck", "own", "coulomb"]
FRICTION: tuple[Friction, ...] = get_args(Friction)
# standard deviations by which one rotor inertia must be positive, else rotors are not identifiable
SURE = 5.0


class ModelTerms(NamedTuple):
    """The robot, whose law defines the terms of friction, and its base parameters."""

    robot: Robot
    base: BaseParameters
    linearization: SpeedEquations | GeometryEquations | None
    """Equations with the speeds of the law and the geometry of springs, where these were fitted."""
    notes: tuple[str, ...]
    """The selected terms, in words."""
    total: Accumulator
    """Of the samples in the torque equations of this robot and these base parameters."""
    total_with_speeds: Accumulator | None
    """In the equations with speeds and geometry."""
    equations: TorqueEquations
    """Of this robot and these base parameters."""
    choices: tuple[FrictionChoice, ...] = ()
    """Per moving axis what was tried; none where no friction was chosen from."""
    springs: tuple[SpringChoice, ...] = ()
    """Per axis that may have a spring what was tried."""


class ModelSelection(NamedTuple):
    """Options of the selection of terms."""

    robot: Robot
    axes: Sequence[int] | None
    held: ArrayLike | None
    seed: int
    springs: Collection[int] = ()
    """Coefficients of the robot's springs that are parameters, from 0; others are known."""

    def base(
        self, robot: Robot, rotors: bool, falling: Sequence[int] | None = None
    ) -> BaseParameters:
        """Return base parameters with friction; Fs - Fc only of the axes ``falling``, 0-based."""
        numbers = None if falling is None else [axis + 1 for axis in falling]
        return base_parameters(
            robot,
            self.axes,
            friction=True,
            rotors=rotors,
            springs=self.springs,
            falling=numbers,
            held=self.held,
            seed=self.seed,
        )


def select_terms(
    samples: Samples,
    options: ModelSelection,
    friction: Friction = "auto",
    rotors: bool | None = None,
    bodies: BodyColumns | None = None,
) -> ModelTerms:
    """Select the terms of friction and rotors.

    Args:
        samples: Of the fit.
        options: Robot, axes that move, and where the others stand.
        friction: ``auto``: Coulomb and viscous friction, and further terms per axis that
            cross-validation on stretches of the logs asks for: Fs - Fc with a Stribeck speed,
            degressive, asymmetric and load-dependent friction, presliding, and where the
            temperature of a drive is known and varies, viscous friction that changes with it.
            ``stribeck``: of these Fs - Fc alone. Of both, axes whose samples do not tell Fs - Fc
            keep what the robot has, unless samples show that it is not there. ``own``: the terms of
            the robot's law at its speeds. ``coulomb``: Coulomb and viscous friction.
        rotors: True for rotor inertias; default: if samples separate one of them from
            bodies, and it is positive.
        bodies: Columns of the regressor that are known already.

    Raises:
        UnknownName: if there is no such friction.
        MissingData: if the robot has no law of its own.
        InputError: if samples cannot separate the parameters.
    """
    if friction not in FRICTION:
        raise UnknownName("friction", friction, FRICTION)
    if options.robot.friction_model is None and friction == "own":
        raise MissingData(
            f"{options.robot.name} has no friction law of its own: take {_alternatives()}"
        )
    law = options.robot.friction_model or frictionless(options.robot.n)
    warmth = drive_temperatures(samples)
    if friction == "auto":  # what samples do not tell of temperature stays as it is
        asked = np.isin(np.arange(law.Fv.size) + 1, options.axes or np.arange(law.Fv.size) + 1)
        law = replace(law, per_K=np.where(warmth.vary & asked, 0.0, law.per_K))
    elif friction != "own":
        law = replace(law, per_K=np.zeros(options.robot.n), reference_temperature=None)
    coulomb = Stribeck(
        law.Fc,
        law.Fc,
        law.Fv,
        law.v_St,
        law.measured_to,
        per_K=law.per_K,
        reference_temperature=law.reference_temperature,
    )
    robot = options.robot if friction == "own" else options.robot.with_friction(coulomb)
    base, bodies = options.base(robot, rotors is not False), bodies or BodyColumns(robot)
    rows = TorqueEquations(robot, base, bodies)
    total = accumulate(samples, rows)
    if rotors is None:
        rotors = _identifies_rotors(total)
        if not rotors:
            base = options.base(robot, rotors=False)
            fewer = TorqueEquations(robot, base, bodies)
            # a nearly dependent column may be kept only where rotors are no parameters
            among = set(base.columns) <= set(rows.base.columns)
            total = _without_rotors(total, rows, base) if among else accumulate(samples, fewer)
            rows = fewer
    if friction not in SEARCHED:
        return ModelTerms(robot, base, None, _notes(robot, (), rotors), total, None, rows)
    moving, warm = list(base.axes), list[int]()
    if friction == "auto" and warmth.vary[moving].any():
        law, rows, warm = at_temperatures(
            samples,
            options.robot,
            lambda robot, falling: options.base(robot, bool(rotors), falling),
            law,
            rows,
            total,
            warmth,
        )
        total = accumulate(samples, rows) if warm else total
    fit, believed = weighted_least_squares(total), law
    choices: tuple[FrictionChoice, ...] = ()
    alone: tuple[TorqueEquations, Linearized | None] | None = None
    weights = 1.0 / np.square(floor_noise(total, fit.noise))
    for speeds_known in (False, True):
        candidates = FrictionCandidates(
            rows, believed.v_St[moving], fit.beta, speeds_known=speeds_known
        )
        sums = sum_stretches(samples, candidates, STRETCHES)
        choices = choose_friction(
            sums,
            candidates,
            weights,
            SEARCHED[friction],
            (law.Fs - law.Fc)[moving],
        )
        crowded = [one for one in choices if len(one.terms) > 1 and one.terms[0].kind == "Fs-Fc"]
        if speeds_known or not crowded:
            break
        # a Stribeck speed between two of the row may look like a further term: fit it first
        falls = tuple(
            choice._replace(terms=tuple(term for term in choice.terms if term.kind == "Fs-Fc"))
            for choice in choices
        )
        guess = with_choices(options.robot, law, base, falls, fit)
        alone = _linearized(samples, options, rotors, guess, falls, rows)
        if alone[1] is not None:
            believed = _refined(*alone)[0].robot.friction_model or law
    choices = tuple(
        beside_temperature(one) if axis in warm else one
        for axis, one in zip(moving, choices, strict=True)
    )
    guess = with_choices(options.robot, law, base, choices, fit)
    if warm or alone is None or not _is_of(alone[0], believed, guess, choices):
        alone = _linearized(samples, options, rotors, guess, choices, rows, warm)
    rows, equations, linearized = _refined(*alone)
    return ModelTerms(
        rows.robot,
        rows.base,
        equations,
        (
            *_notes(rows.robot, choices, rotors, base.axes),
            *temperature_notes(rows.robot, warm, warmth, moving if friction == "auto" else ()),
        ),
        accumulate(samples, rows)
        if linearized is None or equations is None
        else equations.without_speeds(linearized),
        linearized,
        rows,
        choices,
    )


def _refined(
    rows: TorqueEquations, linearized: Linearized | None
) -> tuple[TorqueEquations, SpeedEquations | None, Accumulator | None]:
    """Return equations at fitted speeds and changes with temperature, and those linearized there.

    The latter, and the sums of samples in them, are None where nothing of this was fitted.
    """
    if linearized is None:
        return rows, None, None
    terms, x = linearized.equations.terms, linearized.equations.x
    fitted = with_values(rows, terms, x[rows.base.rank :])
    return fitted, SpeedEquations(fitted, x, terms), linearized.total


def _linearized(
    samples: Samples,
    options: ModelSelection,
    rotors: bool,
    guess: Robot,
    choices: Sequence[FrictionChoice],
    rows: TorqueEquations,
    warm: Sequence[int] = (),
) -> tuple[TorqueEquations, Linearized | None]:
    """Return the equations of chosen terms, and their fit with speeds of the law.

    And with changes of the drives of axes ``warm`` (0-based) with temperature.
    """
    falling = [
        axis for axis, one in zip(rows.base.axes, choices, strict=True) if has_term(one, "Fs-Fc")
    ]
    equations = TorqueEquations(guess, options.base(guess, rotors, falling), rows.bodies)
    if not warm:
        return equations, linearize(samples, equations)
    try:
        return equations, fit_temperature(samples, equations, warm)
    except InputError:  # speeds that samples do not tell stay as they were tried
        return equations, fit_temperature(samples, equations, warm, speeds_known=True)


def _is_of(
    rows: TorqueEquations, fitted: Stribeck, guess: Robot, choices: Sequence[FrictionChoice]
) -> bool:
    """True if equations, once fitted to a law, are those of chosen terms at its speeds."""
    law = guess.friction_model
    names = {
        f"Fs-Fc_{axis + 1}"
        for axis, one in zip(rows.base.axes, choices, strict=True)
        if has_term(one, "Fs-Fc")
    }
    return (
        law is not None
        and fitted.same_as(law)
        and names == {name for name in rows.names if name.startswith("Fs-Fc")}
    )


def _alternatives() -> str:
    return ", ".join(name for name in FRICTION if name != "own")


def _identifies_rotors(total: Accumulator) -> bool:
    """True if the samples separate a rotor inertia from bodies, and it is positive."""
    own = [i for i, name in enumerate(total.names) if name.startswith("J_")]
    if not own:
        return False
    try:
        fit = weighted_least_squares(total)
    except InputError:  # rotors and bodies are not separable
        return False
    return bool((fit.beta[own] > SURE * fit.deviation[own]).any())


def _without_rotors(total: Accumulator, rows: TorqueEquations, base: BaseParameters) -> Accumulator:
    """Return the factors of equations in which rotor inertias are known instead of parameters.

    Args:
        total: Of equations that begin with the columns of ``rows``.
        rows: With rotor inertias among the parameters.
        base: Without. Rotors come after the bodies in the regressor, so its columns are among those
            with rotors.
    """
    kept = [rows.base.columns.index(column) for column in base.columns]
    more = range(rows.base.rank, total.p)
    matrix = np.eye(total.p + 1)[:, [*kept, *more, total.p]]
    known = TorqueEquations(rows.robot, base, rows.bodies).known - rows.known
    matrix[: rows.base.rank, -1] -= rows.base.grouping @ known
    return total.change_columns(
        matrix,
        [*base.names, *(total.names[i] for i in more)],
        [*base.units, *(total.units[i] for i in more)],
    )


def _notes(
    robot: Robot,
    choices: Sequence[FrictionChoice],
    rotors: bool,
    axes: Sequence[int] = (),
) -> tuple[str, ...]:
    law = robot.friction_model or frictionless(robot.n)
    terms: dict[str, list[int]] = {}
    for axis, choice in zip(axes, choices, strict=True):
        for kind, _ in choice.terms:
            terms.setdefault(kind, []).append(axis)
    fitted = terms.get("Fs-Fc", [])
    kept = [axis for axis in np.flatnonzero(law.falls).tolist() if axis not in fitted]
    friction = ["friction: Coulomb and viscous"] + [
        f"{what} of axis {_listed(some)} {origin}"
        for some, what, origin in (
            (fitted, "Stribeck speeds", "fitted"),
            (kept, "Stribeck speeds", "those of the robot"),
            *((terms.get(kind, []), what, "fitted") for kind, what in _WORDS.items()),
        )
        if some
    ]
    return "; ".join(friction), f"rotor inertias are {'' if rotors else 'no '}parameters"


_WORDS = {
    "Fd": "degressive viscous friction",
    "dFc": "Coulomb friction by direction",
    "dFv": "viscous friction by direction",
    "mu": "load-dependent friction",
    WARMTH: "change of viscous friction with temperature",
    "presliding": "presliding",
}


def _listed(axes: Sequence[int]) -> str:
    return ", ".join(str(axis + 1) for axis in axes)
