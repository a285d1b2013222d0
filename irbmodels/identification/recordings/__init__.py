"""Logs of a robot: read, checked, marked, aligned, filtered; and synthetic ones."""

from .column_names import ColumnSource, column_sources
from .drives import Drives, read_drives, torques_from_currents, write_drives
from .filtering import Filtered, butterworth, low_pass, savitzky_golay, smoothing_spline
from .log_reader import read_recording
from .recording import Finding, Flag, Recording
from .sample_flags import flag_outliers, flag_rest, flag_saturation
from .synthetic import Sensors, exact_run, simulate_log, simulate_tracking, synthetic_recording
from .time_alignment import Delay, estimate_delay, merge_recordings, resample, shift_signal

__all__ = [
    "ColumnSource",
    "Delay",
    "Drives",
    "Filtered",
    "Finding",
    "Flag",
    "Recording",
    "Sensors",
    "butterworth",
    "column_sources",
    "estimate_delay",
    "exact_run",
    "flag_outliers",
    "flag_rest",
    "flag_saturation",
    "low_pass",
    "merge_recordings",
    "read_drives",
    "read_recording",
    "resample",
    "savitzky_golay",
    "shift_signal",
    "simulate_log",
    "simulate_tracking",
    "smoothing_spline",
    "synthetic_recording",
    "torques_from_currents",
    "write_drives",
]
