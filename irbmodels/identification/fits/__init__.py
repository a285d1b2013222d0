"""Estimates of inertial parameters, of friction with them, and of loads, with their covariance."""

from .accumulator import Accumulator, Equations
from .autocorrelation import with_autocorrelation, with_filter
from .block_covariance import with_blocks
from .energy_equations import EnergyEquations
from .friction_candidates import FrictionCandidates
from .friction_selection import FrictionChoice, choose_friction
from .gain_deviations import with_gain_deviations
from .identified_parameters import IdentifiedParameters
from .lmi import consistent_fit
from .nonlinear import stribeck_fit
from .payload import Load, load_from_torques
from .recursive import RecursiveLeastSquares
from .regression import Fit, least_squares, weighted_least_squares
from .robust import huber
from .sensor import SensorFit, load_from_sensor
from .streaming import Samples, accumulate, from_files, on_dask
from .stretch_sums import sum_stretches
from .torque_equations import TorqueEquations
from .two_logs import DriveGains, identify_gains, known_load, load_from_two_logs

__all__ = [
    "Accumulator",
    "DriveGains",
    "EnergyEquations",
    "Equations",
    "Fit",
    "FrictionCandidates",
    "FrictionChoice",
    "IdentifiedParameters",
    "Load",
    "RecursiveLeastSquares",
    "Samples",
    "SensorFit",
    "TorqueEquations",
    "accumulate",
    "choose_friction",
    "consistent_fit",
    "from_files",
    "huber",
    "identify_gains",
    "known_load",
    "least_squares",
    "load_from_sensor",
    "load_from_torques",
    "load_from_two_logs",
    "on_dask",
    "stribeck_fit",
    "sum_stretches",
    "weighted_least_squares",
    "with_autocorrelation",
    "with_blocks",
    "with_filter",
    "with_gain_deviations",
]
