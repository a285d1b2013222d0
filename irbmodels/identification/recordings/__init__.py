"""Logs of a robot: read, checked, marked, aligned, filtered; and synthetic ones."""

from .filtering import Filtered, butterworth, low_passed, savitzky_golay, smoothing_spline
from .log_reader import read_recording
from .outliers import at_rest, outliers, saturated
from .recording import Finding, Flag, Recording
from .synthetic import Sensors, as_logged, exact_run, followed, synthetic_recording
from .time_alignment import Delay, delay, merged, resampled, shifted

__all__ = [
    "Delay",
    "Filtered",
    "Finding",
    "Flag",
    "Recording",
    "Sensors",
    "as_logged",
    "at_rest",
    "butterworth",
    "delay",
    "exact_run",
    "followed",
    "low_passed",
    "merged",
    "outliers",
    "read_recording",
    "resampled",
    "saturated",
    "savitzky_golay",
    "shifted",
    "smoothing_spline",
    "synthetic_recording",
]
