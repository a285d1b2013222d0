"""The free angle of a tool that is symmetric about its axis: a spindle, a welding gun, a nozzle."""

from .angle_along_path import Choice, choose_angle
from .costs import Cost, manipulability, range_margin, singularity_distance
from .dynamic_programming import BrokenPath
from .feasible_angles import feasible_angles
from .intervals import BRANCHES, End, FreeAngles, Interval

__all__ = [
    "BRANCHES",
    "BrokenPath",
    "Choice",
    "Cost",
    "End",
    "FreeAngles",
    "Interval",
    "choose_angle",
    "feasible_angles",
    "manipulability",
    "range_margin",
    "singularity_distance",
]
