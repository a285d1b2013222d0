"""The free angle of a tool that is symmetric about its axis: a spindle, a welding gun, a nozzle."""

from .angles import feasible_angles
from .choice import Choice, choose_angle
from .costs import Cost, manipulability, range_margin, singularity_distance
from .intervals import BRANCHES, End, FreeAngles, Interval
from .sequence import BrokenPath

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
