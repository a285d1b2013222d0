"""Arms with elastic joints (S003 section 3.3): motors and links have states of their own."""

from .drawings import bode_figure, map_figure
from .drive import Drive, drives_of
from .feedforward import Feedforward
from .linear import LinearModel, OneAxis, identified
from .model import Equilibrium
from .robot import FlexibleEnergy, FlexibleRobot

__all__ = [
    "Drive",
    "Equilibrium",
    "Feedforward",
    "FlexibleEnergy",
    "FlexibleRobot",
    "LinearModel",
    "OneAxis",
    "bode_figure",
    "drives_of",
    "identified",
    "map_figure",
]
