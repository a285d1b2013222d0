"""Closed forms of S003's parallelogram arm, S004's SCARA and S004's recursion, corrected."""

from .cycle import CyclePeaks, cycle_peaks, cycle_time, tool_acceleration
from .irb930 import Scara
from .irb1400 import MainAxes
from .recursion import JointLoads, joint_loads

__all__ = [
    "CyclePeaks",
    "JointLoads",
    "MainAxes",
    "Scara",
    "cycle_peaks",
    "cycle_time",
    "joint_loads",
    "tool_acceleration",
]
