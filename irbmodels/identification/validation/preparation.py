"""Preparation of logs: flags, filters, and a split into estimation and held-out samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance, as_list, finite, number, positive
from ...errors import InputError, MotionError
from ...model.types import Array
from ...robot.robot import Robot
from ..recordings.filtering import butterworth
from ..recordings.plausibility import span
from ..recordings.recording import TORQUE_FLAGS, UNUSABLE, Finding, Flag, Recording
from ..recordings.sample_flags import (
    flag_outliers,
    flag_rest,
    flag_saturation,
    flag_uncertain_sign,
    speed_noise,
)
from ..recordings.unit_checks import travel_text

HELD = 0.25  # of each log is held out unless logs are: its end, which the fit never sees
# [Hz] of positions: above what an arm does in a motion that identifies, below its first resonance
BANDWIDTH = 10.0
AVOID = UNUSABLE | Flag.AT_REST  # a fit with dry friction sees no rest
# [rad, m] from end to end: what an axis does there changes torques by some 1 % of what they are
STANDS = 0.01


class Split(NamedTuple):
    """Two parts of a log."""

    estimation: Recording
    held_out: Recording


def prepare(
    recording: Recording,
    bandwidth: float = BANDWIDTH,
    *,
    late: ArrayLike = 0.0,
    marked: Recording | None = None,
) -> Recording:
    """Return a log with flags for outliers, saturation and rest, filtered, with ``v`` and ``a``.

    Times and torques stay as they are.

    Args:
        recording: As it was read.
        bandwidth: Of the filter of positions [Hz].
        late: Time by which torques are logged later than positions [s], one or ``(n,)``: ``q``,
            ``v``, ``a`` are those of ``t - late``. Of different ones these are of their median, and
            torques of other axes are moved by the difference, along cubic splines.
        marked: The same log with flags (:func:`mark`), where these are known.

    Raises:
        MotionError: if there are no torques.
        InputError: if it is no log, or too short for the filter.
    """
    as_instance(recording, Recording, "a log is a Recording")
    positive(bandwidth, "the bandwidth [Hz]")
    if recording.tau is None:
        raise MotionError(f"{recording.source}: no torques: columns tau1_Nm .. are missing")
    try:
        flagged = mark(recording) if marked is None else marked
        return filter_marked(flagged, bandwidth, late)
    except InputError as err:
        span = f"{recording.t[0]:.4g} to {recording.t[-1]:.4g} s"
        raise InputError(
            f"{recording.source}, from t = {span} (samples: {len(recording)}): {err}"
        ) from None


def mark(recording: Recording) -> Recording:
    """Return a log with flags for outliers, saturation and rest, as it was logged."""
    return flag_rest(flag_saturation(flag_outliers(recording)))


def filter_marked(
    marked: Recording, bandwidth: float, late: ArrayLike = 0.0, noise: Array | None = None
) -> Recording:
    """Return a marked log, filtered, with ``v`` and ``a``.

    Args:
        marked: From :func:`mark`.
        bandwidth: As of :func:`prepare`.
        late: As of the same.
        noise: Of the speeds after this filter (:func:`.speed_noise`), where it is known, ``(n,)``.
    """
    delays = np.broadcast_to(finite(late, np.shape(late), "a delay of torques [s]"), (marked.n,))
    common = float(np.median(delays))
    filtered = marked
    if noise is None:
        filtered = butterworth(marked, bandwidth).recording
        noise = speed_noise(filtered, marked, bandwidth)
    if common or filtered is marked:
        filtered = butterworth(marked, bandwidth, late=common).recording
    for axis in np.flatnonzero(delays != common).tolist():
        filtered = _with_earlier_torque(filtered, axis, float(delays[axis]) - common)
    return flag_uncertain_sign(filtered, noise)


def _with_earlier_torque(recording: Recording, axis: int, seconds: float) -> Recording:
    """Return the log with the torque of one axis moved to earlier times, along cubic splines."""
    from scipy.interpolate import make_interp_spline

    tau = np.array(recording.tau)
    at, moved = recording.t + seconds, np.full(len(tau), np.nan)
    for part in recording.segments(recording.has(TORQUE_FLAGS & ~Flag.AT_REST)[:, axis]):
        t = recording.t[part]
        inside = (at >= t[0]) & (at <= t[-1])
        if len(t) > 3 and inside.any():
            moved[inside] = make_interp_spline(t, tau[part, axis], k=3)(at[inside])
    tau[:, axis] = moved
    message = f"torques of axis {axis + 1} moved by {1e3 * seconds:.3g} ms to earlier times"
    return recording.changed(tau=tau).with_findings(Finding(message))


def split_recording(recording: Recording, share: float = HELD) -> Split:
    """Return a log cut in two: what comes first, and its last ``share``, which is held out.

    Raises:
        InputError: if it is no log, the share does not lie between 0 and 1, or a part has no
            sample.
    """
    as_instance(recording, Recording, "a log is a Recording")
    if not 0.0 < number(share, "the share of a log that is held out, between 0 and 1,") < 1.0:
        raise InputError(f"the share of a log that is held out lies between 0 and 1, not {share!r}")
    start = int(
        np.searchsorted(recording.t, recording.t[-1] - share * (recording.t[-1] - recording.t[0]))
    )
    if not 0 < start < len(recording):
        raise InputError(
            f"{recording.source}: {len(recording)} samples are too few to hold some of them out"
        )
    finding = Finding(
        f"the last {share:.0%} of the log, from t = {recording.t[start]:.4g} s on, is held out"
    )
    return Split(
        recording.select(slice(0, start)).with_findings(finding),
        recording.select(slice(start, len(recording))).with_findings(finding),
    )


def check_logs(robot: Robot, recordings: Iterable[Recording], what: str) -> list[Recording]:
    """Return logs as a list, when they are prepared logs of this robot.

    Args:
        robot: Any.
        recordings: Several.
        what: Purpose of the logs, for messages.

    Raises:
        InputError: if they are none, have other axes, or were not prepared.
    """
    as_instance(robot, Robot, "the robot is an irbmodels.Robot")
    # it has a length, and looks like a sequence
    several = [recordings] if isinstance(recordings, Recording) else recordings
    logs = as_list(several, Recording, f"logs {what} are a list of Recordings")
    if several is not recordings:
        raise InputError(f"logs {what} are a list of Recordings, not a single one: [recording]")
    if not logs:
        raise InputError(f"there is no log {what}")
    for log in logs:
        if log.n != robot.n:
            raise InputError(
                f"{log.source}: the log has {log.n} axes, but {robot.name} has {robot.n}"
            )
        if log.v is None or log.a is None or log.tau is None:
            raise InputError(
                f"{log.source}: logs {what} need speeds, accelerations and torques:"
                " prepare(recording) has them"
            )
    return logs


def held_positions(robot: Robot, recordings: Sequence[Recording], moving: Sequence[int]) -> Array:
    """Return the median positions [rad, m], ``(n,)``, if axes not in ``moving`` (0-based) rest.

    Raises:
        InputError: if one of them moves by more than 0.01 rad or m in all logs together.
    """
    q = np.concatenate([recording.q for recording in recordings])
    travel = span(q)
    unsteady = [i for i in range(robot.n) if i not in moving and travel[i] > STANDS]
    if unsteady:
        travels = ", ".join(
            f"axis {i + 1} by {travel_text(travel[i], robot.limits.linear[i], 3)}" for i in unsteady
        )
        raise InputError(
            f"axes other than {', '.join(str(axis + 1) for axis in moving)} must each stand at one"
            f" place in all logs of the fit, but {travels}"
            f" {'moves' if len(unsteady) == 1 else 'move'}"
        )
    return np.asarray(np.nanmedian(q, axis=0), dtype=float)
