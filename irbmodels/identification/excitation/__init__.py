"""Motions that make parameters identifiable."""

from .bounds import Bounds
from .design import Excitation, compare, optimal_excitation, random_excitation
from .drawings import excitation_figure
from .parametrizations import Fourier, Freudenstein

__all__ = [
    "Bounds",
    "Excitation",
    "Fourier",
    "Freudenstein",
    "compare",
    "excitation_figure",
    "optimal_excitation",
    "random_excitation",
]
