"""Evaluation of a set of parameters on logs that its fit has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from ...checks import as_list, numbers, short_repr
from ...errors import InputError, MissingData
from ...model import spring_geometry
from ...model.axis_springs import names_of
from ...model.axis_springs import parameters as spring_parameters
from ...model.friction import Stribeck
from ...model.tree import UNLIMITED
from ...model.types import Array
from ...robot.base_parameters import OF_BODY, BaseParameters
from ...robot.robot import Robot
from ...robot.torque_bands import band_half_width
from ...robot.torque_regressor import BodyColumns, TorqueRegressor, first_of_friction
from ...robot.uncertainty import ParameterUncertainty
from ...trajectory import Motion
from ...trajectory.torque_prediction import Accuracy
from ..fits.identified_parameters import IdentifiedParameters
from ..fits.prior import impossible_bodies
from ..fits.regression import Fit
from ..fits.torque_equations import blocks
from ..recordings.recording import Flag, Recording
from .levels import SIGNIFICANT, WEAK, limitations_of, unexplained_share
from .mistake_search import EvaluatedSet, search_mistakes
from .preparation import AVOID, check_logs
from .residuals import state_dependence, whiteness_test
from .verdict import BaseParameterEstimate, Coverage, PredictedTorques, Significance, Verdict

LEVEL = 0.95  # of bands along held-out logs
NO_FRICTION_LAW = "the robot has no friction law: friction remains in the residuals"


def evaluate(
    robot: Robot,
    held_out: Sequence[Recording],
    parameters: Array | None = None,
    *,
    base: BaseParameters | None = None,
    fit: Fit | None = None,
    identified: IdentifiedParameters | None = None,
    estimation: Sequence[Recording] = (),
    axes: Sequence[int] | None = None,
    notes: tuple[str, ...] = (),
    bodies: BodyColumns | None = None,
) -> Verdict:
    """Evaluate a set of parameters on logs.

    Args:
        robot: With the tool of the logs; its own parameters are the previous set.
        held_out: Logs not used by the fit, with ``v``, ``a``, ``tau`` (:func:`.prepare`).
        parameters: The set, in the order of ``parameter_vector()`` of ``identified.robot``, or else
            of the robot; default the robot's own, without a previous set to compare with.
        base: Base parameters of the fit, if there was one.
        fit: The fit, with the fitted Stribeck speeds after the base parameters.
        identified: Bodies, rotors and friction made of the fit.
        estimation: Logs of the fit.
        axes: Axes to evaluate, 1-based; default those of ``base``, or all.
        notes: Terms of friction and rotors in the fit.
        bodies: Columns of the regressor that the fit has computed.

    Raises:
        InputError: if logs are not prepared logs of this robot, no held-out sample is usable, or
            the set belongs to another robot.
    """
    held_out = check_logs(robot, held_out, "held out")
    estimation = check_logs(robot, estimation, "of the fit") if estimation else []
    fitted_robot = robot if identified is None else identified.robot
    own = fitted_robot.parameter_vector()
    chosen = own if parameters is None else numbers(parameters, f"a set of {robot.name}")
    if chosen.shape != own.shape:
        raise InputError(
            f"a set of {robot.name} has {own.size} parameters, got shape {chosen.shape}"
        )
    if not np.isfinite(chosen).all():
        raise InputError(
            f"a set of {robot.name} has finite numbers only, number"
            f" {int(np.argmin(np.isfinite(chosen)))} is not"
        )
    moving = base.axes if axes is None and base is not None else axis_indices(robot, axes)
    bodies = bodies or BodyColumns(fitted_robot)
    logs = _predict((robot, fitted_robot), held_out, moving, chosen, bodies)
    fitted = (
        _predict((robot, fitted_robot), estimation, moving, chosen, bodies) if estimation else ()
    )
    residuals = [part.measured - part.predicted for part in logs]
    whiteness, unexplained = whiteness_test(residuals), unexplained_share(logs, fitted)
    search = search_mistakes(
        EvaluatedSet(
            _with_found_springs(robot, identified), fitted_robot, moving, chosen, base, bodies
        ),
        usable_segments(held_out, moving),
        usable_segments(estimation, moving) if estimation else [],
        unexplained,
    )
    verdict = Verdict(
        robot=robot.name + (f" with {robot.tool.name}" if robot.tool else ""),
        axes=moving,
        units=tuple("N" if robot.limits.linear[axis] else "N m" for axis in moving),
        held_out=_accuracy(logs),
        estimation=_accuracy(fitted) if fitted else None,
        previous=None if parameters is None else _accuracy(logs, previous=True),
        whiteness=whiteness,
        dependence=state_dependence(residuals, _states(logs)),
        coverage=_coverage(fitted_robot, moving, fitted or logs),
        condition=None,
        estimates=(),
        unidentifiable=() if base is None else _unidentifiable(robot, base),
        impossible_bodies=None,
        impossible_in_prior=impossible_bodies(robot),
        negative_parameters=(),
        distance=None,
        flagged=_flagged([*estimation, *held_out], moving),
        samples=sum(len(part.measured) for part in fitted),
        held_samples=sum(len(part.measured) for part in logs),
        logs=logs,
        notes=notes or _friction_notes(robot, logs),
        unexplained=unexplained,
        mistakes=search.mistakes,
        visible=search.visible,
    )
    if identified is not None:
        independent = len(identified.beta) * max(1.0, float(whiteness.correlation_length.max()))
        verdict = replace(
            verdict,
            impossible_bodies=tuple(
                link for link, body in identified.inertials.items() if body.impossibilities()
            ),
            negative_parameters=_negative_parameters(identified),
            distance=identified.distance / np.sqrt(independent),
        )
    if fit is not None and base is not None:
        return with_fit(verdict, fit, _previous_values(robot, fitted_robot, base, fit.names))
    if parameters is None and robot.uncertainty is not None:
        with suppress(MissingData):  # mounted otherwise than while it was identified
            verdict = with_bands(verdict, robot, robot.uncertainty)
    return replace(verdict, limitations=limitations_of(verdict))


def with_fit(verdict: Verdict, fit: Fit, previous: Array) -> Verdict:
    """Return the verdict with the estimates of a fit.

    Args:
        verdict: On the same parameters.
        fit: With the fitted Stribeck speeds after the base parameters.
        previous: What the previous set has for these, ``(p,)``; NaN if unknown.
    """
    verdict = replace(verdict, condition=fit.condition, estimates=_estimates(fit, previous))
    return replace(verdict, limitations=limitations_of(verdict))


def with_bands(
    verdict: Verdict,
    robot: Robot,
    uncertainty: ParameterUncertainty,
    bodies: BodyColumns | None = None,
) -> Verdict:
    """Return the verdict with the 95 % band of a measurement along the held-out logs.

    Args:
        verdict: On the set that the uncertainty is of.
        robot: With the tool of the logs, and the friction law of the set.
        uncertainty: Of the set.
        bodies: Columns of the regressor that the fit has computed.

    Raises:
        MissingData: if torques depend on parameters that the uncertainty does not hold.
    """
    rows, regressor = list(verdict.axes), TorqueRegressor(robot, bodies)
    logs = []
    for part in verdict.logs:
        states = [np.asarray(getattr(part.motion, name), dtype=float) for name in ("q", "v", "a")]
        if part.motion.temperature is not None:
            states.append(part.motion.temperature)
        half = band_half_width(robot, uncertainty, states, LEVEL, noise=True, regressor=regressor)
        logs.append(part._replace(half_width=half[:, rows]))
    return replace(verdict, logs=tuple(logs))


def axis_indices(robot: Robot, axes: Sequence[int] | None) -> tuple[int, ...]:
    """Return axis numbers (1-based) as sorted indices (0-based); all by default.

    Raises:
        InputError: if an axis does not exist, or there is none.
    """
    if axes is None:
        return tuple(range(robot.n))
    message = f"axes of {robot.name} are numbers from 1 to {robot.n}"
    listed = as_list(axes, int | np.integer, f"{message}, a list of them")
    if not listed or not all(
        1 <= axis <= robot.n and not isinstance(axis, bool) for axis in listed
    ):
        raise InputError(f"{message}, got {short_repr(axes)}")
    return tuple(sorted({int(axis) - 1 for axis in listed}))


def usable_segments(recordings: Sequence[Recording], axes: Sequence[int]) -> list[Motion]:
    """Return the segments in which motions of these axes (0-based) can be used.

    Torques that cannot be are NaN: each is left out alone.

    Raises:
        InputError: if there are none, or none with a torque of an axis; the message counts the
            flags.
    """
    parts = [recording.usable(AVOID, [axis + 1 for axis in axes]) for recording in recordings]
    segments = [motion for motions, _ in parts for motion in motions]
    seen = [np.isfinite(np.asarray(motion.tau)).any(axis=0) for motion in segments]
    missing = [axis + 1 for axis in axes if not any(one[axis] for one in seen)]
    if missing:
        messages = "; ".join(finding.message for _, finding in parts)
        some = f"sample of axis {', '.join(map(str, missing))}" if segments else "sample"
        raise InputError(f"no {some} can be used: {messages}")
    return segments


def _predict(
    robots: tuple[Robot, Robot],
    recordings: Sequence[Recording],
    axes: tuple[int, ...],
    parameters: Array,
    bodies: BodyColumns,
) -> tuple[PredictedTorques, ...]:
    """Return measured torques and those of both sets, before and now, per usable segment."""
    before, now = robots
    segments, rows, own = [], list(axes), before.parameter_vector()
    regressors = [TorqueRegressor(robot, bodies) for robot in (now, before)]
    for motion in usable_segments(recordings, axes):
        predicted, previous = [], []
        start, start_before = (regressor.start() for regressor in regressors)
        for q, v, a, temperature in blocks(motion, now, "v", "a", "temperature"):
            states = q, v, a
            after = regressors[0].torque(*states, parameters, temperature, start)
            predicted.append(after[:, rows])
            earlier = regressors[1].torque(*states, own, temperature, start_before)
            previous.append(earlier[:, rows])
        segments.append(
            PredictedTorques(
                motion,
                np.asarray(motion.tau)[:, rows],
                np.concatenate(predicted),
                np.concatenate(previous),
            )
        )
    return tuple(segments)


def _friction_notes(robot: Robot, logs: Sequence[PredictedTorques]) -> tuple[str, ...]:
    """Return notes on the friction law of a set: a missing one, and its temperatures."""
    law = robot.friction_model
    if law is None:
        return (NO_FRICTION_LAW,)
    warm = np.flatnonzero(law.per_K).tolist()
    if not warm:
        return ()
    unknown = [np.full(np.shape(part.motion.q), np.nan) for part in logs]
    values = np.concatenate(
        [
            none if part.motion.temperature is None else part.motion.temperature
            for part, none in zip(logs, unknown, strict=True)
        ]
    )
    notes = []
    for axis in warm:
        seen = values[np.isfinite(values[:, axis]), axis]
        ends = f"{seen.min():.1f} to {seen.max():.1f} deg C" if seen.size else ""
        reference = f"{law.reference_temperature:g} deg C, the reference of its set"
        at = f"at the temperatures of the logs ({ends})" if ends else f"at {reference}"
        if not ends:
            at += f": the logs have no column temp{axis + 1}_degC"
        elif seen.size < len(values):
            at += f", and where they have none at {reference}"
        notes.append(f"axis {axis + 1}: viscous friction is taken {at}")
    return tuple(notes)


def _with_found_springs(robot: Robot, identified: IdentifiedParameters | None) -> Robot:
    """Return the previous set with the springs of a fit: without them its bodies seem others."""
    if identified is None or not identified.springs or _impossible_springs(identified):
        return robot
    return robot.with_springs(identified.springs)


def _states(logs: Sequence[PredictedTorques]) -> list[Array]:
    """Return q, v, a of all samples."""
    return [
        np.concatenate([np.asarray(getattr(part.motion, name)) for part in logs])
        for name in ("q", "v", "a")
    ]


def _previous_values(
    before: Robot, now: Robot, base: BaseParameters, names: Sequence[str]
) -> Array:
    """Base parameters of the previous set, then other parameters of its law; NaN if unknown.

    Springs of the fit begin with those of the previous set.
    """
    law, first = before.friction_model, first_of_friction(now)
    own = before.parameter_vector()
    whole = np.concatenate([own[:first], now.parameter_vector()[first:]])
    if now.friction_model is not None:
        kinds = now.friction_model.kinds
        known = np.full((now.n, len(kinds)), np.nan)
        if law is not None:
            known[:, [kinds.index(kind) for kind in law.kinds if kind in kinds]] = (
                law.parameters().reshape(now.n, -1)[:, [kind in kinds for kind in law.kinds]]
            )
        whole[first : first + known.size] = np.nan_to_num(known).ravel()
        unknown = np.isnan(known).ravel()
    else:
        unknown = np.zeros(0, dtype=bool)
    springs = whole.size - spring_parameters(now.springs).size
    kept = spring_parameters(before.springs)
    whole[springs:] = np.nan
    whole[springs : springs + kept.size] = kept
    unknown_springs = np.isnan(whole)
    values = base.values(np.nan_to_num(whole))
    values[(base.grouping[:, unknown_springs] != 0.0).any(axis=1)] = np.nan
    for i, column in enumerate(base.columns):
        if 0 <= column - first < unknown.size and unknown[column - first]:
            values[i] = np.nan
    return np.concatenate([values, [_speed_of(law, name) for name in names[base.rank :]]])


def _speed_of(law: Stribeck | None, name: str) -> float:
    """Return a parameter of a law by its name, such as ``v_St_2``; NaN if it is unknown.

    The geometry of springs is unknown: they were found.
    """
    kind, axis = name.rsplit("_", 1)
    if law is None or kind in spring_geometry.KINDS:
        return float(np.nan)
    there = {"v_St": law.Fs - law.Fc, "v_d": law.Fd, "per_K": law.per_K}[kind][int(axis) - 1]
    return float(getattr(law, kind)[int(axis) - 1]) if there else float(np.nan)


def _accuracy(logs: Sequence[PredictedTorques], *, previous: bool = False) -> Accuracy:
    """Eq. 75 to 77 of S000 over all samples."""
    measured = np.concatenate([part.measured for part in logs])
    errors = measured - np.concatenate(
        [part.previous if previous else part.predicted for part in logs]
    )
    rmse = np.sqrt(np.nanmean(np.square(errors), axis=0))
    average = np.nanmean(np.abs(measured), axis=0)
    share = np.divide(100.0 * rmse, average, out=np.full(rmse.shape, np.inf), where=average > 0.0)
    return Accuracy(np.nanmean(np.abs(errors), axis=0), rmse, average, share)


def _estimates(fit: Fit, previous: Array) -> tuple[BaseParameterEstimate, ...]:
    relative = np.full(fit.beta.shape, np.inf)
    np.divide(fit.deviation, np.abs(fit.beta), out=relative, where=fit.beta != 0.0)
    levels: tuple[Significance, ...] = ("significant", "weak", "insignificant")
    level = np.searchsorted([SIGNIFICANT, WEAK], relative)
    numbers = np.column_stack([fit.beta, fit.deviation, fit.intervals(), previous]).tolist()
    return tuple(
        BaseParameterEstimate(name, unit, estimate, deviation, low, high, before, levels[i])
        for name, unit, (estimate, deviation, low, high, before), i in zip(
            fit.names, fit.units, numbers, level, strict=True
        )
    )


def _unidentifiable(robot: Robot, base: BaseParameters) -> tuple[str, ...]:
    """Parameters of bodies with mass that are in no base parameter."""
    model, grouped = robot.model, np.any(base.grouping, axis=0).tolist()
    return tuple(
        f"{kind}_{name.removeprefix('joint_')}"
        for i, name in enumerate(list(model.names)[1:])
        if model.inertias[i + 1].mass
        for kind, has_influence in zip(OF_BODY, grouped[10 * i : 10 * i + 10], strict=True)
        if not has_influence
    )


def _negative_parameters(identified: IdentifiedParameters) -> tuple[str, ...]:
    law = identified.robot.friction_model
    kinds = ("Fv", "Fc", "Fs-Fc") if law is None else law.kinds
    never_negative = ~np.isin(kinds, ("dFc", "dFv"))
    friction = np.argwhere((identified.friction < 0.0) & never_negative).tolist()
    rotors = np.flatnonzero(identified.rotors < 0.0)
    return (
        *(f"{kinds[k]}_{axis + 1}" for axis, k in friction),
        *(f"J_{axis + 1}" for axis in rotors),
        *_impossible_springs(identified),
    )


def _impossible_springs(identified: IdentifiedParameters) -> tuple[str, ...]:
    """Names of the coefficients of springs that cannot exist on the range of their axes."""
    lower, upper = identified.robot.limits.envelope()
    return tuple(
        name
        for spring in identified.springs
        if spring.problem(float(lower[spring.axis - 1]), float(upper[spring.axis - 1]))
        for name in names_of([spring])
    )


def _coverage(robot: Robot, axes: tuple[int, ...], logs: Sequence[PredictedTorques]) -> Coverage:
    limits, law = robot.limits, robot.friction_model
    q, v, a = _states(logs)
    seen = np.ones(v.shape, dtype=bool)
    seen[:, list(axes)] = ~np.isnan(np.concatenate([part.measured for part in logs]))
    speed = np.abs(v).max(axis=0)
    slow = np.full(robot.n, np.nan)
    if law is not None:
        slow = (seen & (np.abs(v) < 2.0 * law.v_St)).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
        slow = np.where(law.falls, slow, np.nan)
    rows, _, lower, upper = limits.axis_ranges
    bounded = upper - lower < UNLIMITED
    coverage = Coverage(
        low=q.min(axis=0),
        high=q.max(axis=0),
        span=np.ptp(q @ rows.T, axis=0) / np.where(bounded, upper - lower, np.nan),
        speed=speed,
        speed_share=speed / np.where(np.isfinite(limits.velocity), limits.velocity, np.nan),
        acceleration=np.abs(a).max(axis=0),
        slow=slow,
    )
    return Coverage(*(column[list(axes)] for column in coverage))


def _flagged(recordings: Sequence[Recording], axes: tuple[int, ...]) -> dict[str, float]:
    """Share of the samples with each flag that occurs.

    Torques of an axis at rest are in no fit, and steps of their resolution look like outliers.
    """
    flags = np.concatenate([recording.flags[:, list(axes)] for recording in recordings])
    resting = (flags & Flag.AT_REST) != 0
    flags = np.where(resting, flags & ~np.uint16(Flag.TORQUE_OUTLIER), flags)
    counts = {str(flag.name): ((flags & flag) != 0).any(axis=1).sum() for flag in Flag}
    return {name: int(count) / len(flags) for name, count in counts.items() if count}
