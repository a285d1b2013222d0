"""Milling with a robot: the force of a cut, and the axis torques and deflection by it."""

from .costs import deflection_cost, torque_cost
from .cutting import CuttingForce, Milling
from .loads import ProcessLoad, deflected, process_load, process_torque, process_wrench

__all__ = [
    "CuttingForce",
    "Milling",
    "ProcessLoad",
    "deflected",
    "deflection_cost",
    "process_load",
    "process_torque",
    "process_wrench",
    "torque_cost",
]
