"""Evaluation of a set of parameters by logs that its fit has not seen.

Each reason against a set is a number that passes a threshold of :mod:`.criteria`; without a reason,
the set is trustworthy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...checks import as_list, numbers, short_repr
from ...errors import InputError
from ...model.types import Array
from ...robot.base_parameters import OF_BODY, BaseParameters
from ...robot.robot import Robot
from ...trajectory import Motion
from ...trajectory.torque_prediction import Accuracy
from ..fits.consistent import Consistent
from ..fits.prior import impossible_bodies
from ..fits.regression import Fit
from ..fits.torque_equations import blocks
from ..recordings.recording import Flag, Recording
from .criteria import POOR, SURE, reasons_against
from .preparation import AVOID, logs_of
from .residuals import dependence, whiteness
from .verdict import Coverage, Predicted, State, Sum, Verdict


def judge(
    robot: Robot,
    held_out: Sequence[Recording],
    parameters: Array | None = None,
    *,
    base: BaseParameters | None = None,
    fit: Fit | None = None,
    found: Consistent | None = None,
    estimation: Sequence[Recording] = (),
    axes: Sequence[int] | None = None,
    told: tuple[str, ...] = (),
) -> Verdict:
    """Judge a set of parameters by logs.

    Args:
        robot: With the tool of the logs; its own parameters are the previous set.
        held_out: Logs that no estimate has seen, with ``v``, ``a``, ``tau`` (:func:`.prepared`).
        parameters: The set, in the order of ``parameter_vector()`` of ``found.robot``, or else of
            the robot; default the robot's own, with nothing to compare.
        base: What was fitted, if anything was.
        fit: And the fit, with Stribeck speeds after the sums where these were fitted.
        found: And the bodies that were made of it.
        estimation: And the logs of the fit.
        axes: Axes that count, 1-based; default those of ``base``, or all.
        told: Which friction and rotors the set has.

    Raises:
        InputError: if logs are no prepared logs of this robot, no held-out sample can be used, or
            the set is another's.
    """
    held_out = logs_of(robot, held_out, "held out")
    estimation = logs_of(robot, estimation, "of the fit") if estimation else []
    now = robot if found is None else found.robot
    own = now.parameter_vector()
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
    moving = base.axes if axes is None and base is not None else axes_of(robot, axes)
    logs = _predicted(robot, now, held_out, moving, chosen)
    fitted = _predicted(robot, now, estimation, moving, chosen) if estimation else ()
    residuals = [part.tau - part.model for part in logs]
    white = whiteness(residuals)
    states = [
        np.concatenate([np.asarray(getattr(part.motion, name)) for part in logs])
        for name in ("q", "v", "a")
    ]
    everything = (*estimation, *held_out)
    result = Verdict(
        robot=robot.name + (f" with {robot.tool.name}" if robot.tool else ""),
        axes=moving,
        units=tuple("N" if robot.limits.linear[axis] else "N m" for axis in moving),
        held_out=_accuracy(logs),
        estimation=_accuracy(fitted) if fitted else None,
        before=None if parameters is None else _accuracy(logs, before=True),
        whiteness=white,
        dependence=dependence(residuals, states),
        coverage=_coverage(now, moving, fitted or logs),
        condition=None if fit is None else fit.condition,
        sums=(
            ()
            if fit is None or base is None
            else _sums(fit, _previous(robot, now, base, fit.names))
        ),
        silent=() if base is None else _silent(robot, base),
        bodies=(
            None
            if found is None
            else tuple(k for k, body in found.inertials.items() if body.impossibilities())
        ),
        impossible=impossible_bodies(robot),
        driving=() if found is None else _driving(found),
        distance=(
            None
            if found is None
            else found.distance / np.sqrt(len(found.beta) * max(1.0, float(white.memory.max())))
        ),
        flagged=_flagged(everything, moving),
        samples=sum(len(part.tau) for part in fitted),
        held_samples=sum(len(part.tau) for part in logs),
        logs=logs,
        told=told
        or (
            ()
            if robot.friction_model
            else ("no friction law is known of this robot: what rubs stays in the residuals",)
        ),
    )
    return replace(result, reasons=tuple(reasons_against(result)))


def axes_of(robot: Robot, axes: Sequence[int] | None) -> tuple[int, ...]:
    """Return axes by number (1-based) as places (0-based), in order; all by default.

    Raises:
        InputError: if one does not exist, or none is named.
    """
    if axes is None:
        return tuple(range(robot.n))
    what = f"axes of {robot.name} are numbers from 1 to {robot.n}"
    named = as_list(axes, int | np.integer, f"{what}, a list of them")
    if not named or not all(1 <= axis <= robot.n and not isinstance(axis, bool) for axis in named):
        raise InputError(f"{what}, got {short_repr(axes)}")
    return tuple(sorted({int(axis) - 1 for axis in named}))


def usable(recordings: Sequence[Recording], axes: Sequence[int]) -> list[Motion]:
    """Return the stretches without a flag on any of the axes (0-based).

    Raises:
        InputError: if there are none; the message says what is flagged.
    """
    found, told = [], []
    for recording in recordings:
        motions, finding = recording.usable(AVOID, [axis + 1 for axis in axes])
        found += motions
        told.append(finding.what)
    if not found:
        raise InputError(f"no sample can be used: {'; '.join(told)}")
    return found


def _predicted(
    before: Robot,
    now: Robot,
    recordings: Sequence[Recording],
    axes: tuple[int, ...],
    parameters: Array,
) -> tuple[Predicted, ...]:
    found, rows, own = [], list(axes), before.parameter_vector()
    for motion in usable(recordings, axes):
        model, previous = [], []
        for q, v, a in blocks(motion, now, "v", "a"):
            whole = now.regressor(q, v, a)[:, rows]
            model.append(whole @ parameters)
            previous.append((whole if now is before else before.regressor(q, v, a)[:, rows]) @ own)
        found.append(
            Predicted(
                motion,
                np.asarray(motion.tau)[:, rows],
                np.concatenate(model),
                np.concatenate(previous),
            )
        )
    return tuple(found)


def _previous(before: Robot, now: Robot, base: BaseParameters, names: Sequence[str]) -> Array:
    """The sums of the previous set, and the Stribeck speeds named after them.

    NaN where it has none.
    """
    sums, law, other = (
        base.values(now.parameter_vector()),
        before.friction_model,
        now.friction_model,
    )
    first = now.parameter_vector().size - 3 * now.n
    if other is not None:
        own = np.full((now.n, 3), np.nan) if law is None else law.parameters().reshape(-1, 3)
        for place, column in enumerate(base.columns):
            if column >= first:
                sums[place] = own.flat[column - first]
    known = np.full(before.n, np.nan) if law is None else np.where(law.falls, law.v_St, np.nan)
    speeds = [known[int(name.removeprefix("v_St_")) - 1] for name in names[base.rank :]]
    return np.concatenate([sums, speeds])


def _accuracy(logs: Sequence[Predicted], *, before: bool = False) -> Accuracy:
    """Eq. 75 to 77 of S000 over all samples."""
    measured = np.concatenate([part.tau for part in logs])
    off = measured - np.concatenate([part.before if before else part.model for part in logs])
    rmse, average = np.sqrt(np.square(off).mean(axis=0)), np.abs(measured).mean(axis=0)
    share = np.divide(100.0 * rmse, average, out=np.full(rmse.shape, np.inf), where=average > 0.0)
    return Accuracy(np.abs(off).mean(axis=0), rmse, average, share)


def _sums(fit: Fit, previous: Array) -> tuple[Sum, ...]:
    ends = fit.intervals()
    rows = zip(
        fit.names,
        fit.units,
        fit.beta.tolist(),
        fit.deviation.tolist(),
        ends.tolist(),
        previous.tolist(),
        strict=True,
    )
    found = []
    for name, unit, estimate, deviation, (low, high), before in rows:
        relative = deviation / abs(estimate) if estimate else np.inf
        state: State = "determined" if relative <= SURE else "poor" if relative <= POOR else "open"
        found.append(Sum(name, unit, estimate, deviation, low, high, before, state))
    return tuple(found)


def _silent(robot: Robot, base: BaseParameters) -> tuple[str, ...]:
    """Of bodies that weigh, the parameters in no sum."""
    model, found = robot.model, []
    for i, name in enumerate(list(model.names)[1:]):
        if model.inertias[i + 1].mass:
            body = name.removeprefix("joint_")
            columns = np.any(base.grouping[:, 10 * i : 10 * i + 10], axis=0).tolist()
            found += [
                f"{kind}_{body}" for kind, shows in zip(OF_BODY, columns, strict=True) if not shows
            ]
    return tuple(found)


def _driving(found: Consistent) -> tuple[str, ...]:
    kinds = ("Fv", "Fc", "Fs-Fc")
    rubbing = [f"{kinds[k]}_{axis + 1}" for axis, k in np.argwhere(found.friction < 0.0).tolist()]
    return (*rubbing, *(f"J_{axis + 1}" for axis in np.flatnonzero(found.rotors < 0.0)))


def _coverage(robot: Robot, axes: tuple[int, ...], logs: Sequence[Predicted]) -> Coverage:
    rows, limits = list(axes), robot.limits
    q, v, a = (
        np.concatenate([np.asarray(getattr(part.motion, name)) for part in logs])
        for name in ("q", "v", "a")
    )
    bounded = q @ limits.A.T
    law = robot.friction_model
    slow = (
        np.full(robot.n, np.nan)
        if law is None
        else np.where(law.falls, (np.abs(v) < 2.0 * law.v_St).mean(axis=0), np.nan)
    )
    speed = np.abs(v).max(axis=0)
    span = np.ptp(bounded, axis=0) / (limits.upper - limits.lower)
    columns = (
        q.min(axis=0),
        q.max(axis=0),
        span,
        speed,
        speed / limits.velocity,
        np.abs(a).max(axis=0),
        slow,
    )
    return Coverage(*(column[rows] for column in columns))


def _flagged(recordings: Sequence[Recording], axes: tuple[int, ...]) -> dict[str, float]:
    total, found = sum(len(recording) for recording in recordings), {}
    for flag in Flag:
        count = sum(
            int(recording.has(flag)[:, list(axes)].any(axis=1).sum()) for recording in recordings
        )
        if count:
            found[str(flag.name)] = count / total
    return found
