"""Whether a set of parameters can be trusted: what it predicts in logs that it has not seen, and what the logs could tell.

Each reason against a set is a number that passes a threshold below; without a reason, the set is trustworthy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base_parameters import OF_BODY, BaseParameters
from ...errors import InputError
from ...prediction import Accuracy
from ...robot import Robot
from ...trajectory import Motion
from ..fits.lmi import Consistent
from ..fits.regression import Fit
from ..fits.torques import blocks
from ..recordings.recording import Flag, Recording
from .preparing import AVOID
from .reasons import POOR, SURE, reasons_against
from .residuals import Dependence, Whiteness, dependence, whiteness

Array = NDArray[np.float64]
State = Literal["determined", "poor", "open"]


class Predicted(NamedTuple):
    """A stretch of a log, and the torques of the axes that count, by a set and by the one before."""

    motion: Motion
    tau: Array
    """Measured, ``(N, size)``."""
    model: Array
    before: Array


class Sum(NamedTuple):
    """A sum of parameters that torques depend on."""

    name: str
    unit: str
    estimate: float
    deviation: float
    low: float
    """Ends of the 95 % interval."""
    high: float
    previous: float
    state: State
    """``determined``: to 10 %; ``poor``: its interval leaves 0 out, hardly; ``open``: it may as well be 0."""

    @property
    def moved(self) -> bool:
        """Whether its interval leaves the previous value out."""
        return not self.low <= self.previous <= self.high


class Coverage(NamedTuple):
    """What the logs cover of each axis, shape ``(size,)`` each, SI."""

    low: Array
    high: Array
    span: Array
    """Share of the range, of what the range is one of."""
    speed: Array
    """Largest."""
    speed_share: Array
    acceleration: Array
    slow: Array
    """Share of the samples below twice the Stribeck speed; NaN without a friction law."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Verdict:
    """What is to be known about a set before it is used."""

    robot: str
    axes: tuple[int, ...]
    """That count, 0-based; arrays ``(size,)`` are in their order."""
    units: tuple[str, ...]
    """Of their torques."""
    held_out: Accuracy
    estimation: Accuracy | None
    before: Accuracy | None
    """Of the previous set, on what is held out."""
    whiteness: Whiteness
    """Of the residuals on what is held out, as is the dependence."""
    dependence: Dependence
    coverage: Coverage
    condition: float | None
    """Of the weighted regressor with unit columns; None without a fit."""
    sums: tuple[Sum, ...]
    silent: tuple[str, ...]
    """Parameters on which no torque of these axes depends."""
    bodies: tuple[str, ...] | None
    """Links of the set that no body can be; None without a fit."""
    driving: tuple[str, ...]
    """Parameters of friction that are negative, so that it would drive the axis."""
    distance: float | None
    """By how many standard deviations, per sum, the set is off the unconstrained fit."""
    flagged: dict[str, float]
    """Share of the samples with each flag on an axis that counts."""
    samples: int
    held_samples: int
    logs: tuple[Predicted, ...]
    """What is held out."""
    reasons: tuple[str, ...] = ()

    @property
    def trustworthy(self) -> bool:
        """Whether nothing speaks against the set."""
        return not self.reasons

    def residual(self) -> Array:
        """Measured less predicted torques of what is held out, ``(N, size)``."""
        return np.concatenate([part.tau - part.model for part in self.logs])

    def state(self, quantity: str) -> Array:
        """``q``, ``v`` or ``a`` of what is held out, ``(N, n)``."""
        return np.concatenate([np.asarray(getattr(part.motion, quantity)) for part in self.logs])


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
) -> Verdict:
    """Judge a set of parameters by logs.

    Args:
        robot: With the tool of the logs; its own parameters are the previous set.
        held_out: Logs that no estimate has seen, with ``v``, ``a``, ``tau`` (:func:`.prepared`).
        parameters: The set, in the order of ``robot.parameter_vector()``; default the robot's own, with nothing to compare.
        base: What was fitted, if anything was.
        fit: And the fit.
        found: And the bodies that were made of it.
        estimation: And the logs of the fit.
        axes: Axes that count, 1-based; default those of ``base``, or all.

    Raises:
        InputError: if no sample of what is held out can be used, or the set has another size.
    """
    own = robot.parameter_vector()
    chosen = own if parameters is None else np.asarray(parameters, dtype=float)
    if chosen.shape != own.shape:
        raise InputError(f"a set of {robot.name} has {own.size} parameters, got shape {chosen.shape}")
    given = range(robot.n) if base is None else base.axes
    moving = tuple(given) if axes is None else tuple(sorted({int(axis) - 1 for axis in axes}))
    if not moving or not set(moving) <= set(range(robot.n)):
        raise InputError(f"axes of {robot.name} are numbers from 1 to {robot.n}, got {axes!r}")
    logs = _predicted(robot, held_out, moving, chosen)
    fitted = _predicted(robot, estimation, moving, chosen) if estimation else ()
    residuals = [part.tau - part.model for part in logs]
    white = whiteness(residuals)
    states = [np.concatenate([np.asarray(getattr(part.motion, name)) for part in logs]) for name in ("q", "v", "a")]
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
        coverage=_coverage(robot, moving, fitted or logs),
        condition=None if fit is None else fit.condition,
        sums=() if fit is None or base is None else _sums(fit, base.values(own)),
        silent=() if base is None else _silent(robot, base),
        bodies=None if found is None else tuple(k for k, body in found.inertials.items() if body.impossibilities()),
        driving=() if found is None else _driving(found),
        distance=None if found is None else found.distance / np.sqrt(len(found.beta) * max(1.0, float(white.memory.max()))),
        flagged=_flagged(everything, moving),
        samples=sum(len(part.tau) for part in fitted),
        held_samples=sum(len(part.tau) for part in logs),
        logs=logs,
    )
    return replace(result, reasons=tuple(reasons_against(result)))


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


def _predicted(robot: Robot, recordings: Sequence[Recording], axes: tuple[int, ...], parameters: Array) -> tuple[Predicted, ...]:
    both, rows = np.stack([parameters, robot.parameter_vector()], axis=1), list(axes)
    found = []
    for motion in usable(recordings, axes):
        cut = [robot.regressor(q, v, a)[:, rows] @ both for q, v, a in blocks(motion, robot, "v", "a")]
        model = np.concatenate(cut)
        found.append(Predicted(motion, np.asarray(motion.tau)[:, rows], model[..., 0], model[..., 1]))
    return tuple(found)


def _accuracy(logs: Sequence[Predicted], *, before: bool = False) -> Accuracy:
    """Eq. 75 to 77 of S000 over all samples."""
    measured = np.concatenate([part.tau for part in logs])
    off = measured - np.concatenate([part.before if before else part.model for part in logs])
    rmse, average = np.sqrt(np.square(off).mean(axis=0)), np.abs(measured).mean(axis=0)
    share = np.divide(100.0 * rmse, average, out=np.full(rmse.shape, np.inf), where=average > 0.0)
    return Accuracy(np.abs(off).mean(axis=0), rmse, average, share)


def _sums(fit: Fit, previous: Array) -> tuple[Sum, ...]:
    ends = fit.intervals()
    rows = zip(fit.names, fit.units, fit.beta.tolist(), fit.deviation.tolist(), ends.tolist(), previous.tolist(), strict=True)
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
            found += [f"{kind}_{body}" for kind, shows in zip(OF_BODY, columns, strict=True) if not shows]
    return tuple(found)


def _driving(found: Consistent) -> tuple[str, ...]:
    kinds = ("Fv", "Fc", "Fs-Fc")
    return tuple(f"{kinds[k]}_{axis + 1}" for axis, k in np.argwhere(found.friction < 0.0).tolist())


def _coverage(robot: Robot, axes: tuple[int, ...], logs: Sequence[Predicted]) -> Coverage:
    rows, limits = list(axes), robot.limits
    q, v, a = (np.concatenate([np.asarray(getattr(part.motion, name)) for part in logs]) for name in ("q", "v", "a"))
    bounded = q @ limits.A.T
    law = robot.friction_model
    slow = np.full(robot.n, np.nan) if law is None else (np.abs(v) < 2.0 * law.v_St).mean(axis=0)
    speed = np.abs(v).max(axis=0)
    span = np.ptp(bounded, axis=0) / (limits.upper - limits.lower)
    columns = (q.min(axis=0), q.max(axis=0), span, speed, speed / limits.velocity, np.abs(a).max(axis=0), slow)
    return Coverage(*(column[rows] for column in columns))


def _flagged(recordings: Sequence[Recording], axes: tuple[int, ...]) -> dict[str, float]:
    total, found = sum(len(recording) for recording in recordings), {}
    for flag in Flag:
        count = sum(int(recording.has(flag)[:, list(axes)].any(axis=1).sum()) for recording in recordings)
        if count:
            found[str(flag.name)] = count / total
    return found
