"""Selection of springs beside friction and rotors, and the notes on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...checks import as_instance, as_int
from ...errors import InputError, UnknownName
from ...model import spring_geometry
from ...model.axis_springs import names_of, parameters
from ...model.springs import Spring
from ...model.types import Array
from ...robot.robot import Robot
from ...robot.torque_regressor import BodyColumns
from ..fits.nonlinear import SpeedEquations
from ..fits.regression import floor_noise, weighted_least_squares
from ..fits.spring_candidates import SPRING_KINDS, SpringCandidates, SpringKind, known_pivots
from ..fits.spring_equations import GeometryEquations
from ..fits.spring_selection import DEGREES, SpringChoice, choose_springs, unasked
from ..fits.streaming import Samples, accumulate
from ..fits.stretch_sums import sum_stretches
from .chosen_friction import STRETCHES
from .model_terms import SURE, Friction, ModelSelection, ModelTerms, select_terms
from .spring_text import position_text, spring_text

MOVES = 3  # of a geometry after the search; one is usual
NEAR = 0.1  # of a deviation: what moves less counts as solved
Springs = bool | Mapping[int, SpringKind]
"""True for a choice on all axes, False for none, or kinds by axis, 1-based, that are asked for."""


def select_model(
    samples: Samples,
    options: ModelSelection,
    friction: Friction = "auto",
    rotors: bool | None = None,
    springs: Springs = True,
) -> ModelTerms:
    """Select the terms of friction and rotors, and springs of axes whose residuals ask for one.

    Coefficients of springs that the robot has are fitted where samples tell them, with their
    geometry as it is; such an axis gets no other. Where tables have the pivots of one whose force
    they lack, a spring that is found is between them.

    Args:
        samples: Of the fit.
        options: Robot, axes that move, and where the others stand.
        friction: As of :func:`.select_terms`.
        rotors: As of the same.
        springs: True for a choice by cross-validation on each axis; False for none, those of the
            robot being known; or kinds by axis, 1-based, which these have whatever they gain.

    Raises:
        UnknownName: if there is no such kind.
        InputError: if samples cannot separate the parameters, or cannot tell a spring that was
            asked for.
    """
    asked = _asked(springs, options.robot, options.axes)
    if springs is False:
        return select_terms(samples, options, friction, rotors)
    own: tuple[str, ...] = ()
    if options.robot.springs:
        own_elements = _identifiable(samples, options, friction, rotors)
        options = options._replace(springs=own_elements)
        own = tuple(_own_notes(options.robot, own_elements))
    terms = select_terms(samples, options, friction, rotors)
    fit = weighted_least_squares(terms.total)
    weights = 1.0 / np.square(floor_noise(terms.total, fit.noise))
    known = {spring.axis - 1 for spring in options.robot.springs}
    kinds = {axis: SPRING_KINDS for axis in terms.base.axes if axis not in known}
    few = SpringCandidates.of(terms.equations, samples, 1 + max(DEGREES))
    sums = sum_stretches(samples, few, STRETCHES)
    without = [unasked(sums, few, weights, axis) for axis in kinds]
    choices = tuple(one for one in without if one is not None)
    if asked or len(choices) < len(kinds):
        rows = SpringCandidates.of(terms.equations, samples)
        sums = sum_stretches(samples, rows, STRETCHES)
        choices = choose_springs(sums, rows, weights, kinds, asked)
    found = [one.spring for one in choices if one.spring is not None]
    if found:
        bodies = terms.equations.bodies
        terms = _with_springs(samples, options, friction, rotors, found, bodies)
        # found beside friction and noise of an axis without a spring: move them to where they leave
        # least beside what is chosen now
        for _ in range(MOVES):
            others = _moved(found, terms, options.robot.limits.envelope())
            if others == found:
                break
            found = others
            terms = _with_springs(samples, options, friction, rotors, found, bodies)
    final = {spring.axis - 1: spring for spring in found}
    notes = [_note(one, final[one.axis], options.robot) for one in choices if one.axis in final]
    return terms._replace(notes=(*terms.notes, *own, *notes), springs=choices)


def hidden_springs(terms: ModelTerms) -> tuple[int, ...] | None:
    """Return axes, 0-based, whose springs samples do not tell from weight.

    None if none was looked for.
    """
    if not terms.springs:
        return None
    return tuple(one.axis for one in terms.springs if one.spring is None and not one.identifiable)


def range_notes(terms: ModelTerms) -> Iterator[str]:
    """Yield a line per axis on which a spring may hide: the range that the logs move over."""
    for one in terms.springs:
        if one.axis in (hidden_springs(terms) or ()):
            linear = bool(terms.robot.limits.linear[one.axis])
            low, high = (position_text(x, linear) for x in one.moved)
            yield (
                f"axis {one.axis + 1} moves from {low} to {high} in the logs: over this range a"
                " spring, an offset and the weight of bodies cannot be told apart"
            )


def _asked(springs: Springs, robot: Robot, axes: Sequence[int] | None) -> dict[int, SpringKind]:
    """Return kinds by axis, 0-based, that are asked for."""
    if isinstance(springs, bool):
        return {}
    given = as_instance(springs, Mapping, "springs are True, False, or kinds by axis: {2: 'gas'}")
    moving = range(1, robot.n + 1) if axes is None else axes
    asked: dict[int, SpringKind] = {}
    for axis, kind in given.items():
        number = as_int(axis, "an axis with a spring", 1)
        if number not in moving:
            raise InputError(f"a spring is asked for on axis {number}, which does not move")
        if kind not in SPRING_KINDS:
            raise UnknownName("kind of spring", str(kind), SPRING_KINDS)
        if any(spring.axis == number for spring in robot.springs):
            raise InputError(f"a spring is asked for on axis {number}, which has one: it is fitted")
        if kind in ("coil", "gas") and robot.limits.linear[number - 1]:
            raise InputError(f"a {kind} is asked for on axis {number}, which slides")
        line = known_pivots(robot).get(number - 1)
        if kind in ("coil", "gas") and line is not None and line.kind != kind:
            raise InputError(
                f"a {kind} is asked for on axis {number}, whose pivots in the tables are of a"
                f" {line.kind}"
            )
        asked[number - 1] = kind
    return asked


def _identifiable(
    samples: Samples, options: ModelSelection, friction: Friction, rotors: bool | None
) -> tuple[int, ...]:
    """Return which coefficients of the robot's springs the samples tell, from 0.

    Their deviation is a fifth at most of what they are, or of what they were.
    """
    own = parameters(options.robot.springs)
    every = options._replace(springs=range(own.size))
    try:
        terms = select_terms(samples, every, "own" if friction == "own" else "coulomb", rotors)
        fit = weighted_least_squares(terms.total)
    except InputError:  # not separable from bodies and friction
        return ()
    first = options.robot.parameter_vector().size - own.size
    fitted = []
    for k, value in enumerate(own.tolist()):
        column = (
            first + k + terms.robot.parameter_vector().size - options.robot.parameter_vector().size
        )
        if column in terms.base.columns:
            i = terms.base.columns.index(column)
            if max(abs(value), abs(fit.beta[i])) > SURE * fit.deviation[i]:
                fitted.append(k)
    return tuple(fitted)


def _with_springs(
    samples: Samples,
    options: ModelSelection,
    friction: Friction,
    rotors: bool | None,
    found: Sequence[Spring],
    bodies: BodyColumns | None,
) -> ModelTerms:
    """Return the terms beside springs that were found, whose geometry is a parameter too."""
    own, count = options.robot.springs, parameters(options.robot.springs).size
    sprung = options._replace(
        robot=options.robot.with_springs([*own, *found]),
        springs=(*options.springs, *range(count, count + parameters(found).size)),
    )
    terms = select_terms(samples, sprung, friction, rotors, bodies)
    known = {axis + 1 for axis in known_pivots(options.robot)}
    shaped = tuple(one for one in found if spring_geometry.kinds_of(one, one.axis in known))
    if not shaped:
        return terms
    speeds = terms.linearization
    others = speeds if isinstance(speeds, SpeedEquations) else terms.equations
    equations = GeometryEquations(others, shaped, known)
    return terms._replace(linearization=equations, total_with_speeds=accumulate(samples, equations))


def _moved(found: list[Spring], terms: ModelTerms, limits: tuple[Array, Array]) -> list[Spring]:
    """Return springs where the equations with their geometry are solved, as far as they exist.

    The same where all geometry is within a tenth of its deviation.
    """
    equations, total = terms.linearization, terms.total_with_speeds
    if not isinstance(equations, GeometryEquations) or total is None:
        return found
    fit = weighted_least_squares(total)
    values = dict(zip(fit.names, fit.beta.tolist(), strict=True))
    first = len(equations.others.names)
    if (np.abs(fit.beta - equations.x)[first:] <= NEAR * fit.deviation[first:]).all():
        return found
    moved = []
    for spring in found:
        kinds = equations.kinds_of(spring)
        shape = [values[f"{kind}_{spring.axis}"] for kind in kinds]
        other = spring_geometry.changed(spring, kinds, shape)
        own = zip(names_of([other]), other.values.tolist(), strict=True)
        other = other.with_values([values.get(name, value) for name, value in own])
        low, high = (float(end[spring.axis - 1]) for end in limits)
        moved.append(spring if other.problem(low, high) else other)
    return moved


def _own_notes(robot: Robot, fitted: Sequence[int]) -> Iterator[str]:
    names = names_of(robot.springs)
    for what, some in (
        ("fitted", [names[k] for k in fitted]),
        ("as the robot has them", [name for k, name in enumerate(names) if k not in fitted]),
    ):
        if some:
            yield f"springs of the robot: {', '.join(some)} {what}"


def _note(choice: SpringChoice, spring: Spring, robot: Robot) -> str:
    """Return what a spring is, over which range the logs tell it, and what it gains."""
    linear, known = bool(robot.limits.linear[choice.axis]), choice.axis in known_pivots(robot)
    unit = "N" if linear else "N m"
    low, high = (position_text(x, linear) for x in choice.moved)
    torque = spring.torque(np.linspace(*choice.moved, 100))
    without = choice.trials[0].rmse
    with_it = next(one.rmse for one in choice.trials if one.spring is choice.spring)
    what = spring_text(spring, linear, known)
    return (
        f"axis {choice.axis + 1}: {what}, fitted: {torque.min():.3g} to"
        f" {torque.max():.3g} {unit} from {low} to {high} in the logs; RMSE {without:.3g} {unit} on"
        f" stretches left out, {with_it:.3g} {unit} with it"
    )
