"""Preparation of logs with currents whose gains are still to be identified."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...robot.robot import Robot
from ..fits.payload import Load
from ..fits.streaming import Samples
from ..fits.two_logs import DriveGains, identify_gains
from ..recordings.drives import Drives, torques_from_currents
from ..recordings.recording import Finding, Recording
from .evaluation import usable_segments
from .log_preparation import PreparedLogs, prepare_logs
from .preparation import BANDWIDTH


def prepare_current_logs(
    robot: Robot,
    unloaded: Sequence[Recording],
    loaded: Sequence[Recording],
    payload: Load,
    *,
    drives: Drives | None = None,
    bandwidth: float | None = None,
    late: ArrayLike | None = None,
) -> PreparedLogs:
    """Prepare logs of currents without and with a known payload, for :func:`.identify_gains`.

    Currents of unknown gains are no torques, which would show bandwidth and delay. Gains from logs
    at 10 Hz without a delay make torques of them, and :func:`.prepare_logs` chooses from these.
    Where they do not determine a gain, the logs stay so.

    Args:
        robot: With the tool of both logs, without the payload.
        unloaded: Logs without it, as read, with currents ``current1_A`` ..
        loaded: Logs with it.
        payload: From :func:`.known_load`.
        drives: Whose couplings hold.
        bandwidth: Of the filter of positions [Hz]; default as chosen.
        late: Delay of torques against positions [s], one or ``(n,)``; default as chosen.

    Returns:
        The logs with currents [A] in place of torques: ``estimation`` are those without the
        payload, ``held_out`` those with it.

    Raises:
        MotionError: if a log lacks the currents of an axis.
        InputError: as :func:`.prepare_logs` and :func:`.identify_gains`.
    """
    logs = [[torques_from_currents(log) for log in part] for part in (unloaded, loaded)]
    first = prepare_logs(
        robot,
        *logs,
        bandwidth=BANDWIDTH if bandwidth is None else bandwidth,
        late=0.0 if late is None else late,
    )
    if bandwidth is not None and late is not None:
        return first
    try:
        gains = _gains(robot, first, payload)
        if not np.isfinite(gains.gain).all():
            raise InputError("the payload does not determine the gains of all axes")
        found = gains.drives(drives)
        torques = [[torques_from_currents(log, found) for log in part] for part in logs]
        shown = prepare_logs(robot, *torques, bandwidth=bandwidth, late=late)
    except InputError as err:
        words = f"bandwidth {first.bandwidth:.3g} Hz and delays are not chosen from the logs: {err}"
        return first._replace(findings=(*first.findings, Finding(words)))
    chosen = prepare_logs(robot, *logs, bandwidth=shown.bandwidth, late=shown.late)
    return chosen._replace(delay=shown.delay, findings=shown.findings)


def _gains(robot: Robot, logs: PreparedLogs, payload: Load) -> DriveGains:
    every = range(robot.n)
    before, after = (
        Samples.of(*usable_segments(part, every)) for part in (logs.estimation, logs.held_out)
    )
    return identify_gains(before, after, robot, payload)
