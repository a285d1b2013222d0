"""Rigid simulation with true stiction, hard stops, and results in named columns."""

from .laws import LuGre, Regularised
from .plant import Plant, State
from .rigid import simulate
from .rollouts import Rollouts, rollouts
from .run import Event, Run, SimulationError, run_of

__all__ = [
    "Event",
    "LuGre",
    "Plant",
    "Regularised",
    "Rollouts",
    "Run",
    "SimulationError",
    "State",
    "rollouts",
    "run_of",
    "simulate",
]
