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
from ..fits.nonlinear import StribeckEquations, stribeck_fit
from ..fits.regression import weighted_least_squares
from ..fits.streaming import Samples, accumulate
from ..fits.stribeck_search import search_stribeck_speeds
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
    if rotors is None:
        rotors = _identifies_rotors(samples, options, robot)
    linearization = None
    if friction == "stribeck":
        robot, linearization = _fit_speeds(samples, options, robot, law, rotors)
    fitted = () if linearization is None else linearization.axes
    base = options.base(robot, rotors, fitted if friction == "stribeck" else None)
    return ModelTerms(robot, base, linearization, _notes(robot, fitted, rotors))


def _identifies_rotors(samples: Samples, options: ModelSelection, robot: Robot) -> bool:
    base = options.base(robot, rotors=True)
    own = [i for i, name in enumerate(base.names) if name.startswith("J_")]
    if not own:
        return False
    try:
        fit = weighted_least_squares(accumulate(samples, TorqueEquations(robot, base)))
    except InputError:  # rotors and bodies are not separable
        return False
    return bool((fit.beta[own] > SURE * fit.deviation[own]).any())


def _fit_speeds(
    samples: Samples, options: ModelSelection, coulomb: Robot, law: Stribeck, rotors: bool
) -> tuple[Robot, StribeckEquations | None]:
    """Return the robot with the fitted Stribeck speeds, and the equations linearized there."""
    base = options.base(coulomb, rotors)
    moving = list(base.axes)
    previous = law.v_St[moving], (law.Fs - law.Fc)[moving]
    search = search_stribeck_speeds(samples, TorqueEquations(coulomb, base), previous)
    speeds, absent = np.full(coulomb.n, np.nan), np.zeros(coulomb.n, dtype=bool)
    speeds[moving], absent[moving] = search.speeds, search.absent
    identified = np.isfinite(speeds)
    static = np.where(identified, law.Fc + 1.0, np.where(absent, law.Fc, law.Fs))

    def robot_at(speeds: Array) -> Robot:
        v_St = np.where(identified, speeds, law.v_St)
        return coulomb.with_friction(Stribeck(static, law.Fc, law.Fv, v_St, law.measured_to))

    guess = robot_at(speeds)
    if not identified.any():
        return guess, None
    axes = np.flatnonzero(identified)
    equations = TorqueEquations(guess, options.base(guess, rotors, axes.tolist()))
    x = stribeck_fit(samples, equations, axes=(axes + 1).tolist()).beta
    speeds[axes] = x[len(equations.names) :]
    fitted = robot_at(speeds)
    linear = TorqueEquations(fitted, equations.base)
    return fitted, StribeckEquations(linear, x, tuple(axes.tolist()))


def _notes(robot: Robot, fitted: Sequence[int], rotors: bool) -> tuple[str, str]:
    law = robot.friction_model or frictionless(robot.n)
    kept = [axis for axis in np.flatnonzero(law.falls).tolist() if axis not in fitted]
    friction = ["friction: Coulomb and viscous"] + [
        f"Stribeck speeds of axis {', '.join(str(axis + 1) for axis in axes)} {origin}"
        for axes, origin in ((fitted, "fitted"), (kept, "those of the robot"))
        if axes
    ]
    return "; ".join(friction), f"rotor inertias are {'' if rotors else 'no '}parameters"
