"""Identification: equations, fit, physically consistent bodies, verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from ...checks import as_bool, as_instance, as_int
from ...errors import InputError, MissingData, UnknownName, require, warn
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.uncertainty import ParameterUncertainty
from ..fits.accumulator import Accumulator, Equations
from ..fits.block_covariance import with_blocks
from ..fits.gain_deviations import with_gain_deviations
from ..fits.identified_parameters import IdentifiedParameters
from ..fits.lmi import consistent_fit
from ..fits.prior import impossible_bodies, possible_prior
from ..fits.regression import Fit, least_squares, weighted_least_squares
from ..fits.robust import huber
from ..fits.streaming import Samples
from ..recordings.drives import Drives
from ..recordings.recording import Recording
from .body_plausibility import implausible_bodies
from .evaluation import axis_indices, evaluate, usable_segments, with_bands, with_fit
from .model_terms import Friction, ModelSelection
from .parameter_files import nearest_parameters
from .preparation import check_logs, held_positions
from .spring_terms import Springs, hidden_springs, range_notes, select_model
from .verdict import Verdict

Method = Literal["consistent", "huber", "wls", "ls"]
METHODS: tuple[Method, ...] = get_args(Method)
# that white noise remembers as much on any axis: then the covariance accounts for the memory
UNLIKELY = 0.01


class NotIdentifiable(InputError):
    """Samples without a usable part, or that do not identify the parameters."""


@dataclass(frozen=True, eq=False)
class Identification:
    """A fit, the set that was made of it, and the verdict."""

    base: BaseParameters
    fit: Fit
    """Of the sums; bodies were made of it."""
    fit_with_speeds: Fit
    """The fit with fitted speeds of friction laws, and geometry of springs, after the base
    parameters; used by the verdict."""
    parameters: IdentifiedParameters
    verdict: Verdict


def check_method(method: str) -> None:
    """Raise :class:`UnknownName` or :class:`MissingExtra` for an unknown or unavailable method."""
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    if method == "consistent":
        require("cvxpy", "identify")
        require("clarabel", "identify")


def identify(
    robot: Robot,
    estimation: Sequence[Recording],
    held_out: Sequence[Recording],
    *,
    axes: Sequence[int] | None = None,
    method: Method = "consistent",
    friction: Friction = "auto",
    rotors: bool | None = None,
    springs: Springs = True,
    seed: int = 0,
    drives: Drives | None = None,
) -> Identification:
    """Fit a set of parameters, friction included, and judge it.

    Args:
        robot: With the tool of the logs; its own set is the prior, and the one to compare with. In
            place of bodies that cannot exist the nearest ones are the prior, with a warning.
        estimation: Prepared logs (:func:`.prepare`) for the fit.
        held_out: Prepared logs for the verdict.
        axes: Axes that move and count, 1-based; default all. Others stand at the median of their
            positions.
        method: ``consistent``: weighted least squares, and the nearest set of bodies that can
            exist. ``huber``, ``wls``, ``ls``: robust, weighted, plain; and the nearest set with
            exactly these sums, whether bodies can have it or not.
        friction: ``auto``: Coulomb and viscous friction, and further terms per axis that
            cross-validation asks for. ``stribeck``: of these Fs - Fc alone. ``own``: the terms of
            the robot's law at its speeds. ``coulomb``: none (:func:`.select_terms`).
        rotors: True for rotor inertias; default: if samples separate one of them
            from bodies.
        springs: True for springs, balancers and offsets on axes whose residuals ask for one, by
            cross-validation; False for none; or kinds by axis, 1-based, that are asked for, such as
            ``{2: "gas"}`` (:func:`.select_model`). Those that the robot has are fitted but for
            False.
        seed: Of the random states that find the sums.
        drives: Whose gains made torques of the logs' currents: their deviations go into those of
            the estimates.

    Raises:
        InputError: if logs are no prepared logs of this robot, the drives are those of another, an
            axis that should stand moves, or the seed is no whole number.
        UnknownName: if there is no such method, or friction.
        MissingData: if the robot has no law of its own, and ``own`` is asked for.
        NotIdentifiable: if no sample can be used, samples do not identify the base parameters, or
            no possible bodies have them.
        MissingExtra: for ``consistent`` without cvxpy and clarabel.
    """
    check_method(method)
    if drives is not None and as_instance(drives, Drives, "drives are Drives").n != robot.n:
        raise InputError(f"drives of {drives.n} axes are not those of {robot.name}, {robot.n}")
    estimation = check_logs(robot, estimation, "of the fit")
    held_out = check_logs(robot, held_out, "held out")
    as_int(seed, "the seed")
    if rotors is not None:
        as_bool(rotors, "rotors")
    moving = axis_indices(robot, axes)
    impossible = impossible_bodies(robot)
    prior = _prior(robot, impossible) if method == "consistent" else None
    held = None if axes is None else held_positions(robot, estimation, moving)
    try:
        samples = Samples.of(*usable_segments(estimation, moving))
        usable_segments(held_out, moving)
        selection = ModelSelection(robot, axes, held, seed)
        terms = select_model(samples, selection, friction, rotors, springs)
        base, equations = terms.base, terms.equations
        fit = _linear_fit(samples, equations, terms.total, method)
    except (UnknownName, MissingData):
        raise
    except InputError as err:
        raise NotIdentifiable(str(err)) from None
    try:
        if method == "consistent":
            parameters = consistent_fit(fit, terms.robot, base, prior=prior)
        else:
            parameters = nearest_parameters(fit, terms.robot, base)
    except InputError as err:
        why = str(err).partition(":")[0]  # the rest is advice on the solver
        suspects = (
            f"the prior is impossible too in {', '.join(impossible)}: load another set, repair the"
            " URDF, or log"
            if impossible
            else "is the tool another one, a payload missing, the arm mounted another way, a unit"
            " or sign wrong? Else log"
        )
        raise NotIdentifiable(
            f"no physically possible bodies move so ({why}); {suspects} more motion; method wls"
            " needs no solver"
        ) from None
    final_fit: Fit = fit
    final_equations: Equations = equations
    # uncertain Stribeck speeds make the base parameters less certain
    if terms.linearization is not None and method != "huber":
        assert terms.total_with_speeds is not None
        final_equations = terms.linearization
        final_fit = least_squares(terms.total_with_speeds, fit.weights, fit.noise)
        speeds = terms.linearization.x[base.rank :]
        final_fit = replace(final_fit, beta=np.append(fit.beta, speeds))
    hidden = hidden_springs(terms)
    unlikely = implausible_bodies(parameters.inertials, robot, hidden)
    verdict = evaluate(
        robot,
        held_out,
        parameters.vector,
        base=base,
        fit=final_fit,
        identified=parameters,
        estimation=estimation,
        notes=(*terms.notes, *unlikely, *(range_notes(terms) if unlikely else ())),
        bodies=equations.bodies,
    )
    judged = final_fit
    if method != "huber" and (verdict.whiteness.p < UNLIKELY / len(base.axes)).any():
        final_fit = with_blocks(final_fit, samples, final_equations)
    if drives is not None and drives.gain_deviation.any():
        within = np.ix_(base.axes, base.axes)
        final_fit = with_gain_deviations(
            final_fit,
            samples,
            final_equations,
            drives.gain_covariance[within],
            terms.robot.drive_axes[within],
        )
    if final_fit is not judged:
        previous = np.array([estimate.previous for estimate in verdict.estimates])
        verdict = with_fit(verdict, final_fit, previous)
    uncertainty = ParameterUncertainty.of(
        final_fit.covariance,
        names=final_fit.names,
        degrees=final_fit.degrees,
        axes=base.axes,
        noise=final_fit.noise,
        correlation_time=verdict.whiteness.correlation_length * estimation[0].step,
        gravity=terms.robot.gravity_vector,
        held=held,
    )
    names = () if terms.linearization is None else terms.linearization.names
    warm = tuple(axis for axis in base.axes if f"per_K_{axis + 1}" in names)
    parameters = replace(parameters, uncertainty=uncertainty, warm=warm)
    verdict = with_bands(verdict, _with_fitted_law(parameters), uncertainty, equations.bodies)
    chosen = {one.axis + 1 for one in terms.springs if one.spring is not None}
    verdict = replace(
        verdict,
        friction=terms.choices,
        springs=terms.springs,
        sprung=tuple(spring for spring in parameters.springs if spring.axis in chosen),
    )
    return Identification(base, fit, final_fit, parameters, verdict)


def _with_fitted_law(parameters: IdentifiedParameters) -> Robot:
    """Return the robot of a set with the friction that was fitted; without, if that drives it."""
    robot, law = parameters.robot, parameters.robot.friction_model
    if law is None:
        return robot
    own = law.parameters().reshape(robot.n, -1)
    fitted = np.where(np.isnan(parameters.friction), own, parameters.friction)
    # a term at the edge of its bounds stays one: the covariance has it
    fitted[(own != 0.0) & (fitted == 0.0)] = np.finfo(float).tiny
    try:
        return robot.with_friction(law.with_parameters(fitted.ravel()))
    except InputError:
        return robot


def _prior(robot: Robot, impossible: dict[str, str]) -> Array:
    """Return the bodies of the prior, ten numbers each.

    The nearest possible ones stand for impossible ones; the caller of the caller is warned.
    """
    try:
        prior = possible_prior(robot)
    except InputError as err:
        raise NotIdentifiable(
            f"{err}: load another set, repair the URDF, or take method wls"
        ) from None
    if not impossible:
        return prior
    link, reason = next(iter(impossible.items()))
    others = f" (and {len(impossible) - 1} more)" if len(impossible) > 1 else ""
    warn(
        f"no body can be {link} of {robot.name}{others}: {reason}; the nearest one stands for it as"
        " prior"
    )
    return prior


def _linear_fit(samples: Samples, equations: Equations, total: Accumulator, method: Method) -> Fit:
    if method == "huber":
        return huber(samples, equations)
    return least_squares(total) if method == "ls" else weighted_least_squares(total)
