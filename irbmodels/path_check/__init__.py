"""Checks of a path before it runs: ranges, speeds, torques, singularities, collision, a Cartesian box; from CSV or RAPID."""

from __future__ import annotations

from .checking import PathCheck, check_path
from .findings import Finding
from .programmed import Programmed, programmed_motion
from .samples import Cut
from .strokes import Timing
from .watches import NEAR, NEAR_AXIS, Box

__all__ = ["NEAR", "NEAR_AXIS", "Box", "Cut", "Finding", "PathCheck", "Programmed", "Timing", "check_path", "programmed_motion"]
