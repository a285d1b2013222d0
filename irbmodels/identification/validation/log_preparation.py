"""Preparation of the logs of an identification, with the bandwidth and the delay that they show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite, positive
from ...errors import InputError
from ...model.types import Array
from ...robot.robot import Robot
from ..recordings.recording import Finding, Recording
from ..recordings.sample_flags import speed_noise
from .bandwidth import select_bandwidth
from .evaluation import axis_indices
from .plain_fit import PlainEquations, thinned
from .preparation import BANDWIDTH, filter_marked, held_positions, mark, prepare
from .torque_delay import TorqueDelay, estimate_torque_delay

MOST = 3000  # samples on which a correction is tried
# [Hz] and samples of all logs that are looked at for bandwidth and delay: of 5 kHz for an hour, a
# tenth and twelve stretches
FASTEST, LONGEST, STRETCHES = 500.0, 60_000, 12
GAIN = 0.001  # of the error: what a correction must take off it
OWN_GAIN = 0.005  # of a single axis, which may have another reason to look late


class PreparedLogs(NamedTuple):
    """Logs with flags, filtered, and how."""

    estimation: list[Recording]
    held_out: list[Recording]
    bandwidth: float
    """Of the filter of positions [Hz]."""
    late: Array
    """Corrected delay of the torques of each axis [s], shape ``(n,)``."""
    delay: TorqueDelay | None
    """As estimated; None where it is given, or cannot be."""
    findings: tuple[Finding, ...]
    """On bandwidth and delay."""


def prepare_logs(
    robot: Robot,
    estimation: Sequence[Recording],
    held_out: Sequence[Recording] = (),
    *,
    axes: Sequence[int] | None = None,
    bandwidth: float | None = None,
    late: ArrayLike | None = None,
) -> PreparedLogs:
    """Prepare logs (:func:`.prepare`) as those of the fit ask for; held-out ones likewise.

    Args:
        robot: Of the logs.
        estimation: Logs of the fit, as read.
        held_out: Logs for the verdict, as read; they have no part in the choice.
        axes: Axes that move, 1-based; default all.
        bandwidth: Of the filter of positions [Hz]; default :func:`.select_bandwidth`.
        late: Delay of torques against positions [s], one or ``(n,)``; default what
            :func:`.estimate_torque_delay` finds, where it is sure and lowers the error of a fit.

    Raises:
        MotionError: if a log has no torques.
        InputError: if one is too short for the filter, or an argument is no number.
    """
    moving = axis_indices(robot, axes)
    if bandwidth is not None:
        positive(bandwidth, "the bandwidth [Hz]")
    delays = np.zeros(robot.n)
    if late is not None:
        shape = (robot.n,) if np.ndim(late) else ()
        what = f"the delay of torques [s], one or {robot.n},"
        delays = np.broadcast_to(finite(late, shape, what), (robot.n,))
    findings: list[Finding] = []
    delay, equations = None, None
    if bandwidth is None or late is None:
        equations = _equations(robot, estimation, axes, moving)
    chosen = BANDWIDTH if bandwidth is None else float(bandwidth)
    flagged: list[Recording | None] = [None] * len(estimation)
    if equations is not None:
        flagged = [mark(log) for log in estimation]
        marked = [excerpt(log, LONGEST // len(flagged)) for log in flagged if log is not None]
        if bandwidth is None:
            choice = select_bandwidth(equations, marked)
            chosen = choice.hertz
            findings.append(Finding(f"bandwidth {chosen:.3g} Hz: {choice.reason}"))
        if late is None:
            delay, delays, finding = _delay(equations, marked, chosen, robot.n)
            findings.append(finding)
    return PreparedLogs(
        [
            prepare(log, chosen, late=delays, marked=known)
            for log, known in zip(estimation, flagged, strict=True)
        ],
        [prepare(log, chosen, late=delays) for log in held_out],
        chosen,
        delays,
        delay,
        tuple(findings),
    )


def _equations(
    robot: Robot, logs: Sequence[Recording], axes: Sequence[int] | None, moving: Sequence[int]
) -> PlainEquations | None:
    """Return plain equations, or None where axes that should stand move, which the fit refuses."""
    if any(log.n != robot.n or log.tau is None for log in logs):
        return None
    try:
        held = None if axes is None else held_positions(robot, logs, moving)
        return PlainEquations.of(robot, axes, held)
    except InputError:
        return None


def excerpt(log: Recording, most: int) -> Recording:
    """Return samples up to a rate, and of many stretches all over the log."""
    thin = log.select(slice(None, None, max(1, int(1.0 / (FASTEST * log.step)))))
    if len(thin) <= most:
        return thin
    size = max(most // STRETCHES, 1)
    starts = np.linspace(0, len(thin) - size, STRETCHES).round().astype(int)
    return thin.select((starts[:, None] + np.arange(size)).ravel())


def _delay(
    equations: PlainEquations, marked: Sequence[Recording], hertz: float, n: int
) -> tuple[TorqueDelay | None, Array, Finding]:
    """Return delays as estimated, what is corrected ``(n,)`` [s], and both in words."""
    none = np.zeros(n)
    try:
        plain = [filter_marked(log, hertz) for log in marked]
        found = estimate_torque_delay(equations, plain)
        late = found.late(n)
        if not late.any():
            return found, none, Finding(str(found), "not significant, nothing is corrected")
        gains = _gains(equations, marked, plain, hertz, late)
        helps = gains > OWN_GAIN
        if found.one_clock:
            helps = np.full(n, gains[list(found.axes)].mean() > GAIN)
        if not (helps & (late != 0.0)).any():
            advice = "correcting it helps no axis: nothing is corrected"
            return found, none, Finding(str(found), advice)
        # Gauss-Newton: what a first order has left
        found = estimate_torque_delay(
            equations, [filter_marked(log, hertz, late) for log in marked]
        ).later(late)
    except InputError as err:
        return None, none, Finding(f"delay of torques against positions not estimated: {err}")
    corrected = np.where(helps, found.late(n), 0.0)
    words = ", ".join(
        f"axis {i + 1} by {1e3 * corrected[i]:.2f} ms (RMSE {-100.0 * gains[i]:+.1f} %)"
        for i in found.axes
        if corrected[i]
    )
    return found, corrected, Finding(str(found), f"corrected: {words or 'nothing'}")


def _gains(
    equations: PlainEquations,
    marked: Sequence[Recording],
    plain: Sequence[Recording],
    hertz: float,
    late: Array,
) -> Array:
    """Return what correcting delays takes off the error of each axis, relative, ``(n,)``."""
    known, gains, moving = thinned(equations, plain, MOST), np.zeros(late.size), equations.base.axes
    noises = [speed_noise(one, log, hertz) for one, log in zip(plain, marked, strict=True)]
    for seconds in np.unique(late[late != 0.0]):
        moved = [
            filter_marked(log, hertz, seconds, noise)
            for log, noise in zip(marked, noises, strict=True)
        ]
        trial = thinned(equations, moved, MOST)
        # near rest a delay decides which torques are left out: neither these nor the rest may lose
        ratios = [
            after.errors() / np.maximum(before.errors(), 1e-30)
            for before, after in ((known, trial), known.on_the_same(trial))
        ]
        share = np.zeros(late.size)
        share[list(moving)] = 1.0 - np.max(ratios, axis=0)
        gains = np.where(late == seconds, share, gains)
    return gains
