"""Rigid simulation with true stiction, hard stops, and results in named columns."""

from .batch.rollouts import Rollouts, rollouts
from .plant import Plant, State
from .rigid import simulate
from .run import Event, Run, SimulationError, run_of
from .smooth_friction import LuGre, Regularised

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
