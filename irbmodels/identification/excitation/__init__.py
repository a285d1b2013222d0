"""Motions that tell parameters apart."""

from .bounds import Bounds
from .design import Excitation, compare, fourier_excitation, freudenstein_excitation, random_excitation
from .drawings import excitation_figure

__all__ = [
    "Bounds",
    "Excitation",
    "compare",
    "excitation_figure",
    "fourier_excitation",
    "freudenstein_excitation",
    "random_excitation",
]
