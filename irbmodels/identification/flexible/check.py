"""Is the fitted resonance there? The model against what torque and speed say without it.

An estimate of a frequency response near a light damped resonance is blurred by its window. So the
model is not drawn as a formula beside it: its simulated speed goes through the same estimate as the
measured one, and the blur is the same. What the model misses shows as coherence between the torque
and the residual; unrelated signals have some too, and how much is known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array, Mask
from . import model as law
from .fit import FlexibleFit, Value
from .frequency_response import Spectrum, excited_band, spectrum
from .samples import OneAxisData

_CHANCE = 0.01  # that a right model is flagged, over all frequencies together
_VAGUE = 0.2  # relative deviation from which a parameter is hardly known
_CLOSE = 0.98  # correlation from which two parameters are hardly told apart
_ROUNDING = 1e-9  # of the speed: a residual below it is no noise
_MATTERS = 0.1  # of the measured response: what a model may miss there and still be of use


class ResonanceCheck(NamedTuple):
    """Measured and simulated response from torque to speed of the motor, by the same estimate."""

    measured: Spectrum
    simulated: Spectrum
    missed: Array
    """Coherence of torque and residual, shape ``(F,)``."""
    threshold: float
    """What unrelated signals exceed somewhere in the excited band once in 100 checks."""
    band: tuple[float, float]
    """Where the torque explains the speed [Hz]."""
    antiresonance: tuple[float, float]
    """Lowest response near the model's antiresonance: measured and simulated [Hz].

    NaN outside the band.
    """
    resonance: tuple[float, float]
    """Highest response above it."""
    findings: tuple[str, ...]
    """Where they disagree, and what was not excited."""
    agrees: bool
    """Whether both resonances were excited and nothing disagrees."""


def resonance_check(
    fit: FlexibleFit, data: OneAxisData | None = None, segment: float | None = None
) -> ResonanceCheck:
    """Compare a fit with the frequency response that samples have without any model.

    Args:
        fit: Two-mass model of one axis.
        data: Samples to compare with; default the estimation data.
        segment: Length of the segments of :func:`.spectrum` [s]; default as there.

    Raises:
        InputError: if the data have another gear ratio, or segments are too short or too few.
    """
    data = fit.data if data is None else data
    model = fit.simulated(data)[:, 0]
    measured, simulated, left = (
        spectrum(data, y, segment) for y in (data.speed, model, data.speed - model)
    )
    f, band = measured.frequency, excited_band(measured)
    inside = (f >= band[0]) & (f <= band[1])
    threshold = measured.threshold(_CHANCE / max(int(inside.sum()), 1))
    apart = np.abs(left.response) > _MATTERS * np.abs(measured.response)
    bad = inside & (left.coherence > threshold) & apart
    findings = [
        f"torque and speed agree with the model, but not at {stretch}"
        for stretch in _stretches(f, bad)
    ]
    dips = _extreme(measured, simulated, fit.antiresonance, band, np.argmin)
    peaks = _extreme(measured, simulated, fit.resonance, band, np.argmax)
    for name, pair, value in (
        ("antiresonance", dips, fit.antiresonance),
        ("resonance", peaks, fit.resonance),
    ):
        if np.isnan(pair[0]):
            findings.append(
                f"the {name} at {value.value:.2f} Hz lies outside what was excited: {_told(band)}"
            )
        elif abs(pair[0] - pair[1]) > 2.0 * measured.resolution + 3.0 * value.deviation:
            findings.append(
                f"the {name} shows at {pair[0]:.2f} Hz; that of the model at {pair[1]:.2f} Hz"
            )
    return ResonanceCheck(
        *(measured, simulated, left.coherence, threshold, band, dips, peaks),
        tuple(findings),
        not findings,
    )


def _extreme(
    measured: Spectrum, simulated: Spectrum, near: Value, band: tuple[float, float], pick: object
) -> tuple[float, float]:
    f = measured.frequency
    if not band[0] <= near.value <= band[1]:
        return np.nan, np.nan
    around = np.flatnonzero((f > near.value / 1.15) & (f < near.value * 1.15))
    if around.size < 3:
        return np.nan, np.nan
    found = (f[around[pick(np.abs(one.response[around]))]] for one in (measured, simulated))  # type: ignore[operator]
    first, second = (float(x) for x in found)
    return first, second


def _stretches(f: Array, bad: Mask) -> list[str]:
    ends = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]]).astype(int)))
    return [f"{f[start]:.3g} .. {f[stop - 1]:.3g} Hz" for start, stop in ends.reshape(-1, 2)]


def _told(band: tuple[float, float]) -> str:
    return "nothing" if np.isnan(band[0]) else f"{band[0]:.3g} .. {band[1]:.3g} Hz"


def statements(fit: FlexibleFit) -> tuple[str, ...]:
    """What the samples of a fit do not tell."""
    told = [*_of_band(fit)]
    relative = fit.deviation / np.maximum(np.abs(fit.values), np.finfo(float).tiny)
    for name, value, share in zip(fit.names, fit.values, relative, strict=True):
        if name not in law.LOGARITHMIC and value < 1e-9 * np.sqrt(
            fit.axis.drive.stiffness * fit.axis.inertia
        ):
            told.append(
                f"{name} ended at its bound, 0: these samples show none; its deviation is that"
                " without the bound"
            )
        elif share > _VAGUE:
            told.append(f"{name} is known to {100.0 * share:.0f} % only (one standard deviation)")
    correlation = fit.correlation
    for i, first in enumerate(fit.names):
        for j, second in enumerate(fit.names[:i]):
            if abs(correlation[i, j]) > _CLOSE:
                told.append(
                    f"{second} and {first} are hardly told apart: their correlation is"
                    f" {correlation[i, j]:+.3f}"
                )
    exact = fit.noise[0] < _ROUNDING * fit.data.speed.std()
    if fit.data.highpass is None and not exact and not fit.whiteness().white:
        told.append(
            "the residual is not white: the deviations account for its colour, but unmodelled"
            " dynamics are no noise"
        )
    if fit.agreeing[0] < 2 <= fit.agreeing[1]:
        told.append(
            f"only {fit.agreeing[0]} of {fit.agreeing[1]} starts ended here: give initial, or"
            " excite more"
        )
    return tuple(told)


def _of_band(fit: FlexibleFit) -> list[str]:
    try:
        _, top = excited_band(spectrum(fit.data, fit.data.speed))
    except InputError:
        return ["there are too few samples to see which frequencies were excited"]
    dip, peak = fit.antiresonance.value, fit.resonance.value
    if np.isnan(top):
        return ["the torque explains the speed at no frequency: nothing here is sure"]
    if top < dip:
        told = f"excitation ends at {top:.3g} Hz, below the antiresonance at {dip:.3g} Hz"
        return [
            f"{told}: sure is the inertia of motor and link together; k, and how it parts into Jm"
            " and Ja, is extrapolated"
        ]
    if top < peak:
        told = (
            f"excitation ends at {top:.3g} Hz, between antiresonance and resonance ({peak:.3g} Hz)"
        )
        return [f"{told}: sure is k / Ja; Jm is extrapolated"]
    return []
