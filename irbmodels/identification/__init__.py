"""Identification: logs, excitation, friction, fits of inertial parameters, elastic joints.

Fits are imported from here; the modules beside them by their names: ``data_reading``, ``data_marks``, ``data_clocks``,
``filtering`` and ``synthetic`` for logs, ``excitation``, ``friction``, ``friction_plan``, ``flexible``, ``verdict``.
"""

from .accumulator import Accumulator, Rows
from .autocorrelation import with_autocorrelation, with_filter
from .consistent import Consistent, consistent
from .data import Finding, Flag, Recording
from .data_reading import read_recording
from .energy import EnergyRows
from .nonlinear import stribeck_fit
from .payload import Load, load_from_torques
from .recursive import Recursive
from .regression import Fit, least_squares, weighted
from .robust import huber
from .sensor import SensorFit, load_from_sensor
from .streaming import Samples, accumulated, from_files, on_dask
from .torques import TorqueRows

__all__ = [
    "Accumulator",
    "Consistent",
    "EnergyRows",
    "Finding",
    "Fit",
    "Flag",
    "Load",
    "Recording",
    "Recursive",
    "Rows",
    "Samples",
    "SensorFit",
    "TorqueRows",
    "accumulated",
    "consistent",
    "from_files",
    "huber",
    "least_squares",
    "load_from_sensor",
    "load_from_torques",
    "on_dask",
    "read_recording",
    "stribeck_fit",
    "weighted",
    "with_autocorrelation",
    "with_filter",
]
