"""Estimates of inertial parameters, of friction with them, and of loads, with their covariance."""

from .accumulator import Accumulator, Rows
from .autocorrelation import with_autocorrelation, with_filter
from .consistent import Consistent
from .energy_equations import EnergyRows
from .lmi import consistent
from .nonlinear import stribeck_fit
from .payload import Load, load_from_torques
from .recursive import Recursive
from .regression import Fit, least_squares, weighted
from .robust import huber
from .sensor import SensorFit, load_from_sensor
from .streaming import Samples, accumulated, from_files, on_dask
from .stribeck_speeds import Falls, stribeck_speeds
from .torque_equations import TorqueRows

__all__ = [
    "Accumulator",
    "Consistent",
    "EnergyRows",
    "Falls",
    "Fit",
    "Load",
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
    "stribeck_fit",
    "stribeck_speeds",
    "weighted",
    "with_autocorrelation",
    "with_filter",
]
