"""One axis of three masses and two springs, from torque and motor speed (S003 3.3.2)."""

from .check import ResonanceCheck, resonance_check
from .drawings import angle_figure, data_figure, residual_figure, response_figure, validation_figure
from .fit import FlexibleFit
from .fitting import flexible_fit
from .frequency_response import Spectrum, excited_band, spectrum
from .samples import Highpass, OneAxisData

__all__ = [
    "FlexibleFit",
    "Highpass",
    "OneAxisData",
    "ResonanceCheck",
    "Spectrum",
    "angle_figure",
    "data_figure",
    "excited_band",
    "flexible_fit",
    "residual_figure",
    "resonance_check",
    "response_figure",
    "spectrum",
    "validation_figure",
]
