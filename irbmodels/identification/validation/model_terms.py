"""Selection of model terms: friction law and rotor inertias, as far as samples identify them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError, MissingData, UnknownName
from ...model.friction import Stribeck, frictionless
from ...model.types import Array
from ...robot.base_parameters import BaseParameters, base_parameters
from ...robot.robot import Robot
from ..fits.accumulator import Accumulator
from ..fits.nonlinear import StribeckEquations, linearize
from ..fits.regression import weighted_least_squares
from ..fits.streaming import Samples, accumulate
from ..fits.stribeck_search import CandidateEquations, search_candidates
from ..fits.torque_equations import TorqueEquations

Friction = Literal["stribeck", "own", "coulomb"]
FRICTION: tuple[Friction, ...] = get_args(Friction)
# standard deviations by which one rotor inertia must be positive, or samples say nothing of rotors
SURE = 5.0


class ModelTerms(NamedTuple):
    """The robot whose law says which friction there is, and its base parameters."""

    robot: Robot
    base: BaseParameters
    linearization: StribeckEquations | None
    """Equations with the Stribeck speeds, where these were fitted."""
    notes: tuple[str, ...]
    """The selected terms, in words."""
    total: Accumulator
    """Of the samples in the torque equations of this robot and these base parameters."""
    total_with_speeds: Accumulator | None
    """In the equations with the Stribeck speeds."""


class ModelSelection(NamedTuple):
    """Options of the selection of terms."""

    robot: Robot
    axes: Sequence[int] | None
    held: ArrayLike | None
    seed: int

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
            falling=numbers,
            held=self.held,
            seed=self.seed,
        )


def select_terms(
    samples: Samples,
    options: ModelSelection,
    friction: Friction = "stribeck",
    rotors: bool | None = None,
) -> ModelTerms:
    """Select the terms of friction and rotors.

    Args:
        samples: Of the fit.
        options: Robot, axes that move, and where the others stand.
        friction: ``stribeck``: Coulomb and viscous friction, and Fs - Fc with Stribeck speeds of
            axes whose samples tell them; others keep what the robot has, unless samples show that
            it is not there. ``own``: Fs - Fc of every axis, at the robot's speeds. ``coulomb``:
            without Fs - Fc.
        rotors: True for rotor inertias; default: if samples separate one of them from
            bodies, and it is positive.

    Raises:
        UnknownName: if there is no such friction.
        MissingData: if the robot has no law of its own.
        InputError: if samples cannot separate the parameters.
    """
    if friction not in FRICTION:
        raise UnknownName("friction", friction, FRICTION)
    if options.robot.friction_model is None and friction == "own":
        raise MissingData(
            f"{options.robot.name} has no friction law of its own: take stribeck or coulomb"
        )
    law = options.robot.friction_model or frictionless(options.robot.n)
    coulomb = Stribeck(law.Fc, law.Fc, law.Fv, law.v_St, law.measured_to)
    robot = options.robot if friction == "own" else options.robot.with_friction(coulomb)
    base = options.base(robot, rotors is not False)
    rows, moving = TorqueEquations(robot, base), list(base.axes)
    searched = friction == "stribeck"
    total = accumulate(samples, CandidateEquations(rows, law.v_St[moving]) if searched else rows)
    if rotors is None:
        rotors = _identifies_rotors(total.select(range(base.rank)))
        if not rotors:
            base = options.base(robot, rotors=False)
            total = _without_rotors(total, rows, base)
    if not searched:
        return ModelTerms(robot, base, None, _notes(robot, (), rotors), total, None)
    search = search_candidates(total, (law.Fs - law.Fc)[moving])
    speeds, absent = np.full(robot.n, np.nan), np.zeros(robot.n, dtype=bool)
    speeds[moving], absent[moving] = search.speeds, search.absent
    identified = np.isfinite(speeds)
    static = np.where(identified, law.Fc + 1.0, np.where(absent, law.Fc, law.Fs))

    def robot_at(speeds: Array) -> Robot:
        v_St = np.where(identified, speeds, law.v_St)
        return robot.with_friction(Stribeck(static, law.Fc, law.Fv, v_St, law.measured_to))

    axes = np.flatnonzero(identified).tolist()
    guess = robot_at(speeds)
    base = options.base(guess, rotors, axes)
    if not axes:
        total = accumulate(samples, TorqueEquations(guess, base))
        return ModelTerms(guess, base, None, _notes(guess, (), rotors), total, None)
    linearized = linearize(samples, TorqueEquations(guess, base), axes=[axis + 1 for axis in axes])
    x = linearized.fit.beta
    speeds[axes] = x[base.rank :]
    fitted = robot_at(speeds)
    equations = StribeckEquations(TorqueEquations(fitted, base), x, tuple(axes))
    return ModelTerms(
        fitted,
        base,
        equations,
        _notes(fitted, axes, rotors),
        equations.without_speeds(linearized.total),
        linearized.total,
    )


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
    known = TorqueEquations(rows.robot, base).known - rows.known
    matrix[: rows.base.rank, -1] -= rows.base.grouping @ known
    return total.change_columns(
        matrix,
        [*base.names, *(total.names[i] for i in more)],
        [*base.units, *(total.units[i] for i in more)],
    )


def _notes(robot: Robot, fitted: Sequence[int], rotors: bool) -> tuple[str, str]:
    law = robot.friction_model or frictionless(robot.n)
    kept = [axis for axis in np.flatnonzero(law.falls).tolist() if axis not in fitted]
    friction = ["friction: Coulomb and viscous"] + [
        f"Stribeck speeds of axis {', '.join(str(axis + 1) for axis in axes)} {origin}"
        for axes, origin in ((fitted, "fitted"), (kept, "those of the robot"))
        if axes
    ]
    return "; ".join(friction), f"rotor inertias are {'' if rotors else 'no '}parameters"
