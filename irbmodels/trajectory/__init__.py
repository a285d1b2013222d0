"""Motions as functions of time, and the paths they follow."""

from .axis_path import AxisPath, axis_path
from .cartesian_path import arc, joined, line
from .fourier import Coefficients, Fourier, FourierSeries
from .jerk_limited import JerkLimited, jerk_limited
from .joint_moves import Move, move, through
from .limit_shares import LimitShares, limit_shares
from .motion import Motion
from .path_move import PathMove, along, within_torque
from .pose_path import Along, PosePath
from .rapid_log import RapidLog, log_task
from .rapid_module import rapid_module
from .time_laws import LAWS, Peaks, TimeLaw, s_curve, trapezoid
from .time_optimal import TimeOptimal, time_optimal
from .trajectory import Chain, State, Trajectory

__all__ = [
    "LAWS",
    "Along",
    "AxisPath",
    "Chain",
    "Coefficients",
    "Fourier",
    "FourierSeries",
    "JerkLimited",
    "LimitShares",
    "Motion",
    "Move",
    "PathMove",
    "Peaks",
    "PosePath",
    "RapidLog",
    "State",
    "TimeLaw",
    "TimeOptimal",
    "Trajectory",
    "along",
    "arc",
    "axis_path",
    "jerk_limited",
    "joined",
    "limit_shares",
    "line",
    "log_task",
    "move",
    "rapid_module",
    "s_curve",
    "through",
    "time_optimal",
    "trapezoid",
    "within_torque",
]
