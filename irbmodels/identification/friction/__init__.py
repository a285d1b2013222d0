"""Friction as S000 measures it: plan of constant speeds, RAPID module, levels of torque, fit."""

from .fit import FrictionFit
from .fitting import fit_friction, friction_overlay, friction_table
from .levels import FrictionPoints, friction_points, moved_axis
from .module import friction_module
from .plan import FrictionPlan, coarse_grid, friction_plan, grid_of_s000, grid_within

__all__ = [
    "FrictionFit",
    "FrictionPlan",
    "FrictionPoints",
    "coarse_grid",
    "fit_friction",
    "friction_module",
    "friction_overlay",
    "friction_plan",
    "friction_points",
    "friction_table",
    "grid_of_s000",
    "grid_within",
    "moved_axis",
]
