"""From logs as they were read to samples for a fit and samples that are held out: marked, cut, filtered."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError, MotionError
from ..recordings.clocks import resampled
from ..recordings.filtering import butterworth
from ..recordings.marks import at_rest, outliers, saturated
from ..recordings.recording import STEADY, UNUSABLE, Finding, Flag, Recording

HELD = 0.25  # of each log is held out unless logs are: its end, which the fit never sees
BANDWIDTH = 10.0  # [Hz] of positions: above what an arm does in a motion that identifies, below its first resonance
AVOID = UNUSABLE | Flag.AT_REST  # a fit with dry friction sees no rest


class Halves(NamedTuple):
    """Two parts of a log."""

    estimation: Recording
    held_out: Recording


def prepared(recording: Recording, bandwidth: float = BANDWIDTH) -> Recording:
    """Return a log with outliers, saturation and rest marked, positions filtered, and speeds and accelerations from them.

    Torques stay as they are, but for those that lie beside a time which wanders: then the log is brought to a steady rate.

    Args:
        recording: As it was read.
        bandwidth: Of the filter of positions [Hz].

    Raises:
        MotionError: if there are no torques.
        InputError: if the filter cannot run.
    """
    if recording.tau is None:
        raise MotionError(f"{recording.source}: no torques: columns tau1_Nm .. are missing")
    steady = recording if _is_steady(recording) else resampled(recording, 1.0 / recording.step)
    try:
        return butterworth(at_rest(saturated(outliers(steady))), bandwidth).recording
    except InputError as err:
        raise InputError(f"{recording.source}: {err}") from None


def halves(recording: Recording, share: float = HELD) -> Halves:
    """Return a log cut in two: what comes first, and its last ``share``, which is held out.

    Raises:
        InputError: if the share does not lie between 0 and 1, or a part has no sample.
    """
    if not 0.0 < share < 1.0:
        raise InputError(f"the share of a log that is held out lies between 0 and 1, not {share!r}")
    place = int(np.searchsorted(recording.t, recording.t[-1] - share * (recording.t[-1] - recording.t[0])))
    if not 0 < place < len(recording):
        raise InputError(f"{recording.source}: {len(recording)} samples are too few to hold some of them out")
    told = Finding(f"the last {share:.0%} of the log, from t = {recording.t[place]:.4g} s on, is held out")
    return Halves(recording.taken(slice(0, place)).told(told), recording.taken(slice(place, len(recording))).told(told))


def _is_steady(recording: Recording) -> bool:
    for part in recording.stretches():
        t = recording.t[part]
        if np.abs(t - np.linspace(t[0], t[-1], len(t))).max() > STEADY * recording.step:
            return False
    return True
