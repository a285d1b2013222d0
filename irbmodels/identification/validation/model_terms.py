"""Selection of model terms: friction law and rotor inertias, as far as samples identify them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError, MissingData, UnknownName
from ...model.friction import Stribeck, frictionless
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
    asked: ModelSelection,
    friction: Friction = "stribeck",
    rotors: bool | None = None,
) -> ModelTerms:
    """Choose the terms.

    Args:
        samples: Of the fit.
        asked: Robot, axes that move, and where the others stand.
        friction: ``stribeck``: Coulomb and viscous friction, and Fs - Fc with Stribeck speeds of
            axes whose samples tell them; others keep what the robot has, unless samples show that
            it is not there. ``own``: Fs - Fc of every axis, at the robot's speeds. ``coulomb``:
            without Fs - Fc.
        rotors: True for rotor inertias; default: if samples tell one of them apart from
            bodies, and it is positive.

    Raises:
        UnknownName: if there is no such friction.
        MissingData: if the robot has no law of its own.
        InputError: if samples do not tell the parameters apart.
    """
    if friction not in FRICTION:
        raise UnknownName("friction", friction, FRICTION)
    if asked.robot.friction_model is None and friction == "own":
        raise MissingData(
            f"{asked.robot.name} has no friction law of its own: take stribeck or coulomb"
        )
    law = asked.robot.friction_model or frictionless(asked.robot.n)
    without = asked.robot.with_friction(Stribeck(law.Fc, law.Fc, law.Fv, law.v_St, law.measured_to))
    robot = asked.robot if friction == "own" else without
    with_rotors = _shows_rotors(samples, asked, robot) if rotors is None else rotors
    if friction != "stribeck":
        return ModelTerms(
            robot, asked.base(robot, with_rotors), None, tuple(_said(robot, (), with_rotors))
        )
    robot, tangent = _with_speeds(samples, asked, without, law, with_rotors)
    fitted = () if tangent is None else tangent.axes
    base = asked.base(robot, with_rotors, fitted)
    return ModelTerms(robot, base, tangent, tuple(_said(robot, fitted, with_rotors)))


def _shows_rotors(samples: Samples, asked: ModelSelection, robot: Robot) -> bool:
    base = asked.base(robot, rotors=True)
    own = [i for i, name in enumerate(base.names) if name.startswith("J_")]
    if not own:
        return False
    try:
        fit = weighted_least_squares(accumulate(samples, TorqueEquations(robot, base)))
    except InputError:  # they do not tell rotors from bodies
        return False
    return bool((fit.beta[own] > SURE * fit.deviation[own]).any())


def _with_speeds(
    samples: Samples, asked: ModelSelection, without: Robot, law: Stribeck, rotors: bool
) -> tuple[Robot, StribeckEquations | None]:
    """Return the robot with the fitted Stribeck speeds, and the equations linearized there."""
    base = asked.base(without, rotors)
    moving, found = list(base.axes), np.full(without.n, np.nan)
    believed = law.v_St[moving], (law.Fs - law.Fc)[moving]
    falls = search_stribeck_speeds(samples, TorqueEquations(without, base), believed)
    found[moving] = falls.speeds
    told, absent = np.isfinite(found), np.zeros(without.n, dtype=bool)
    absent[moving] = falls.absent
    static = np.where(told, law.Fc + 1.0, np.where(absent, law.Fc, law.Fs))
    guess = Stribeck(static, law.Fc, law.Fv, np.where(told, found, law.v_St), law.measured_to)
    if not told.any():
        return without.with_friction(guess), None
    axes = np.flatnonzero(told)
    rows = TorqueEquations(
        without.with_friction(guess),
        asked.base(without.with_friction(guess), rotors, axes.tolist()),
    )
    x = stribeck_fit(samples, rows, axes=(axes + 1).tolist()).beta
    found[axes] = x[len(rows.names) :]
    fitted = without.with_friction(
        Stribeck(guess.Fs, law.Fc, law.Fv, np.where(told, found, law.v_St), law.measured_to)
    )
    return fitted, StribeckEquations(TorqueEquations(fitted, rows.base), x, tuple(axes.tolist()))


def _said(robot: Robot, fitted: Sequence[int], rotors: bool) -> list[str]:
    law = robot.friction_model or frictionless(robot.n)
    kept = [axis for axis in np.flatnonzero(law.falls).tolist() if axis not in fitted]
    found = ["friction: Coulomb and viscous"]
    for axes, how in ((fitted, "fitted"), (kept, "those of the robot")):
        if axes:
            found.append(
                f"Stribeck speeds of axis {', '.join(str(axis + 1) for axis in axes)} {how}"
            )
    return [
        "; ".join(found),
        "rotor inertias are parameters" if rotors else "rotor inertias are no parameters",
    ]
