"""Friction terms that can be chosen, and the robot that has those which were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...model.friction import FURTHER, SCALE_OF, Stribeck
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.torque_regressor import first_of_friction
from ..fits.friction_candidates import WARMTH
from ..fits.friction_selection import FrictionChoice
from ..fits.regression import Fit
from .parameter_files import nearest_parameters

SEARCHED = {
    "auto": ("Fs-Fc", "Fd", "dFc", "dFv", "mu", "presliding"),
    "stribeck": ("Fs-Fc",),
}
"""Kinds of terms that are chosen from."""
# of a log; ten left-out errors give a standard error to a quarter, and each stretch of a log of a
# minute holds several motions of all axes
STRETCHES = 10


def has_term(choice: FrictionChoice, kind: str) -> bool:
    """True if a term of this kind was chosen."""
    return any(term.kind == kind for term in choice.terms)


def with_choices(
    robot: Robot,
    law: Stribeck,
    base: BaseParameters,
    choices: Sequence[FrictionChoice],
    fit: Fit,
) -> Robot:
    """Return the robot with the chosen terms, not zero where they are to be fitted.

    Friction that depends on the load has that of the fitted bodies.
    """
    Fc, Fv, drop = law.Fc.copy(), law.Fv.copy(), law.Fs - law.Fc
    values: dict[str, Any] = {
        name: np.full(robot.n, FURTHER[name]) for name in FURTHER if name != WARMTH
    }
    values |= {"v_St": law.v_St.copy(), "per_K": law.per_K}
    values["reference_temperature"] = law.reference_temperature
    for axis, choice in zip(base.axes, choices, strict=True):
        if choice.denied:
            drop[axis] = 0.0
        sizes = {"mu": 0.1, "presliding": choice.presliding}
        for kind, scale in choice.terms:
            if kind in SCALE_OF:
                values[SCALE_OF[kind]][axis] = scale
            if kind == "Fs-Fc":
                drop[axis] = 1.0
            elif kind != WARMTH:
                values[kind][axis] = sizes.get(kind, 1.0)
            Fc[axis], Fv[axis] = max(Fc[axis], 1.0), max(Fv[axis], 1.0)
    guess = Stribeck(Fc + drop, Fc, Fv, measured_to=law.measured_to, **values)
    chosen = robot.with_friction(guess)
    if guess.needs_load:
        carried = robot.parameter_vector() - robot.with_load().parameter_vector()
        coulomb = robot.with_friction(Stribeck(law.Fc, law.Fc, law.Fv, law.v_St))
        own = nearest_parameters(fit, coulomb, base).vector[: first_of_friction(robot) - robot.n]
        chosen = chosen.with_bodies(own - carried[: own.size])
    return chosen
