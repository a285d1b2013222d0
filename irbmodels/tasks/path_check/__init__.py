"""Checks of a path, from CSV or RAPID: ranges, speeds, torques, singularities, collision, a box.

Power, energy and duty over the cycle are reported beside.
"""

from __future__ import annotations

from .check import PathCheck, check_path
from .criteria import Box
from .cycle import Cycle, Power
from .joint_segments import MoveTiming
from .program_loads import CarriedLoad
from .program_motion import ProgramMotion, programmed_motion
from .samples import Cut
from .violations import Finding

__all__ = [
    "Box",
    "CarriedLoad",
    "Cut",
    "Cycle",
    "Finding",
    "MoveTiming",
    "PathCheck",
    "Power",
    "ProgramMotion",
    "check_path",
    "programmed_motion",
]
