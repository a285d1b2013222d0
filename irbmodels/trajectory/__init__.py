"""Motions as functions of time."""

from .laws import ALPHA, freudenstein, through
from .motion import Motion

__all__ = ["ALPHA", "Motion", "freudenstein", "through"]
