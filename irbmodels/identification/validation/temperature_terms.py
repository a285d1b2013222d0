"""Choice of drives whose viscous friction changes with temperature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...model.friction import Stribeck, frictionless
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ..fits.accumulator import Accumulator
from ..fits.friction_candidates import WARMTH, Candidate, FrictionCandidates
from ..fits.friction_selection import FrictionChoice, choose_friction
from ..fits.regression import floor_noise, weighted_least_squares
from ..fits.streaming import Samples
from ..fits.stretch_sums import sum_stretches
from ..fits.temperature import SPAN, DriveTemperatures, fit_temperature
from ..fits.torque_equations import TorqueEquations
from .chosen_friction import SEARCHED, STRETCHES, has_term, with_choices


def at_temperatures(
    samples: Samples,
    robot: Robot,
    base_of: Callable[[Robot, list[int]], BaseParameters],
    law: Stribeck,
    rows: TorqueEquations,
    total: Accumulator,
    warmth: DriveTemperatures,
) -> tuple[Stribeck, TorqueEquations, list[int]]:
    """Find the drives whose friction changes with temperature, and by how much about.

    To first order this change is a term beside the others; these are then chosen anew beside what
    it is in full, which they may have stood for.

    Args:
        samples: Of the fit.
        robot: Whose friction is chosen.
        base_of: Base parameters of a robot with Fs - Fc of these axes, 0-based.
        law: Of the robot, without what samples may tell of temperature.
        rows: Equations with Coulomb and viscous friction.
        total: Of the samples in these.
        warmth: Temperatures of the samples.

    Returns:
        The law and the equations with these changes, and the axes of the drives, 0-based.
    """
    fit, base = weighted_least_squares(total), rows.base
    moving = list(base.axes)
    middle = np.where(warmth.vary, warmth.middle, np.nan)[moving]
    candidates = FrictionCandidates(rows, law.v_St[moving], fit.beta, middle)
    choices = choose_friction(
        sum_stretches(samples, candidates, STRETCHES),
        candidates,
        1.0 / np.square(floor_noise(total, fit.noise)),
        (*SEARCHED["auto"], WARMTH),
        (law.Fs - law.Fc)[moving],
    )
    warm = [axis for axis, choice in zip(moving, choices, strict=True) if has_term(choice, WARMTH)]
    if not warm:
        return law, rows, warm
    if law.reference_temperature is None:
        law = replace(law, reference_temperature=round(float(warmth.middle[warm].mean())))
    guess = with_choices(robot, law, base, choices, fit)
    falling = [axis for axis, one in zip(moving, choices, strict=True) if has_term(one, "Fs-Fc")]
    equations = TorqueEquations(guess, base_of(guess, falling), rows.bodies)
    fitted = fit_temperature(samples, equations, warm, speeds_known=True).equations.linear.robot
    assert fitted.friction_model is not None
    assert rows.robot.friction_model is not None
    known: dict[str, Any] = {
        "per_K": fitted.friction_model.per_K,
        "reference_temperature": law.reference_temperature,
    }
    own = rows.robot.with_friction(replace(rows.robot.friction_model, **known))
    return replace(law, **known), replace(rows, robot=own), warm


def beside_temperature(choice: FrictionChoice) -> FrictionChoice:
    """Return a choice of terms that were tried beside a change with temperature, with that."""
    trials = (one._replace(terms=(Candidate(WARMTH), *one.terms)) for one in choice.trials)
    return choice._replace(terms=(Candidate(WARMTH), *choice.terms), trials=tuple(trials))


def temperature_notes(
    robot: Robot, warm: Sequence[int], warmth: DriveTemperatures, axes: Sequence[int]
) -> list[str]:
    """Return which temperatures the drives of axes had, and what they tell, in words."""
    law, notes = robot.friction_model or frictionless(robot.n), []
    for axis in axes:
        low, high = warmth.low[axis], warmth.high[axis]
        rate = f"changes by {100.0 * law.per_K[axis]:+.3g} % per K"
        if axis in warm:
            change = f"{rate}, and is that of its set at {law.reference_temperature:g} deg C"
        elif warmth.vary[axis]:
            change = "does not change with temperature as far as samples tell"
        elif not warmth.some[axis] and not law.per_K[axis]:
            continue
        else:
            why = f"less than {SPAN:g} K do not tell a change"
            if np.isnan(low):
                why = "some samples have no temperature" if warmth.some[axis] else "no temperatures"
            known = f"{rate} as the robot's own" if law.per_K[axis] else "is taken as constant"
            change = f"{known}: {why}"
        seen = "" if np.isnan(low) else f" ({low:.1f} to {high:.1f} deg C)"
        notes.append(f"axis {axis + 1}{seen}: viscous friction {change}")
    return notes
