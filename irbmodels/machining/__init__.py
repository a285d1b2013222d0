"""Milling with a robot: the force of a cut, and what it asks of the axes."""

from .cutting import CuttingForce, Milling
from .loads import ProcessLoad, deflected, deflection_cost, process_load, process_wrench, torque_cost

__all__ = [
    "CuttingForce",
    "Milling",
    "ProcessLoad",
    "deflected",
    "deflection_cost",
    "process_load",
    "process_wrench",
    "torque_cost",
]
