"""Check of a fitted resonance against the frequency response of torque and speed.

An estimate of a frequency response near a light damped resonance is blurred by its window. So the
model is not drawn as a formula beside it: its simulated speed goes through the same estimate as the
measured one, and the blur is the same. A wrong model shows as coherence between the torque and the
residual; that of unrelated signals is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array, Mask
from .fit import FlexibleFit, Value
from .frequency_response import Spectrum, excited_band, spectrum
from .model import LOGARITHMIC
from .samples import OneAxisData

_CHANCE = 0.01  # that a right model is flagged, over all frequencies together
_VAGUE = 0.2  # relative deviation from which a parameter is hardly known
_CLOSE = 0.98  # correlation from which two parameters are hardly separable
_ROUNDING = 1e-9  # of the speed: a residual below it is rounding
_MATTERS = 0.1  # of the measured response: a smaller error of the model is tolerated


class ResonanceCheck(NamedTuple):
    """Measured and simulated response from torque to speed of the motor, by the same estimate."""

    measured: Spectrum
    simulated: Spectrum
    missed: Array
    """Coherence of torque and residual, shape ``(F,)``."""
    threshold: float
    """Coherence that unrelated signals exceed somewhere in the excited band once in 100 checks."""
    band: tuple[float, float]
    """Band in which the torque explains the speed [Hz]."""
    antiresonance: tuple[float, float]
    """Lowest response near the model's antiresonance: measured and simulated [Hz].

    NaN outside the band.
    """
    resonance: tuple[float, float]
    """Highest response above it."""
    findings: tuple[str, ...]
    """Bands of disagreement, and resonances that were not excited."""
    agrees: bool
    """True if both resonances were excited and nothing disagrees."""


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
        f"torque and speed agree with the model, but not at {part}" for part in _bands(f, bad)
    ]
    dips = _extreme(measured, simulated, fit.antiresonance, band, np.argmin)
    peaks = _extreme(measured, simulated, fit.resonance, band, np.argmax)
    for name, pair, value in (
        ("antiresonance", dips, fit.antiresonance),
        ("resonance", peaks, fit.resonance),
    ):
        if np.isnan(pair[0]):
            findings.append(
                f"the {name} at {value.value:.2f} Hz lies outside what was excited:"
                f" {_band_text(band)}"
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
    measured: Spectrum,
    simulated: Spectrum,
    near: Value,
    band: tuple[float, float],
    pick: Callable[[Array], Any],
) -> tuple[float, float]:
    f = measured.frequency
    if not band[0] <= near.value <= band[1]:
        return np.nan, np.nan
    around = np.flatnonzero((f > near.value / 1.15) & (f < near.value * 1.15))
    if around.size < 3:
        return np.nan, np.nan
    first, second = (around[pick(np.abs(one.response[around]))] for one in (measured, simulated))
    return float(f[first]), float(f[second])


def _bands(f: Array, bad: Mask) -> list[str]:
    ends = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]]).astype(int)))
    return [f"{f[start]:.3g} .. {f[stop - 1]:.3g} Hz" for start, stop in ends.reshape(-1, 2)]


def _band_text(band: tuple[float, float]) -> str:
    return "nothing" if np.isnan(band[0]) else f"{band[0]:.3g} .. {band[1]:.3g} Hz"


def findings_of(fit: FlexibleFit) -> tuple[str, ...]:
    """Parameters that the samples of a fit determine badly or not at all."""
    findings = [*_excitation_findings(fit)]
    relative = fit.deviation / np.maximum(np.abs(fit.values), np.finfo(float).tiny)
    zero = 1e-9 * np.sqrt(fit.axis.drive.stiffness * fit.axis.inertia)
    for name, value, share in zip(fit.names, fit.values, relative, strict=True):
        if name not in LOGARITHMIC and value < zero:
            findings.append(
                f"{name} ended at its bound, 0: these samples show none; its deviation is that"
                " without the bound"
            )
        elif share > _VAGUE:
            findings.append(
                f"{name} is known to {100.0 * share:.0f} % only (one standard deviation)"
            )
    findings += [
        f"{fit.names[j]} and {fit.names[i]} are hardly separable: their correlation is"
        f" {fit.correlation[i, j]:+.3f}"
        for i, j in np.argwhere(np.abs(np.tril(fit.correlation, -1)) > _CLOSE)
    ]
    exact = fit.noise[0] < _ROUNDING * fit.data.speed.std()
    if fit.data.highpass is None and not exact and not fit.whiteness().white:
        findings.append(
            "the residual is not white: the deviations account for its colour, but unmodelled"
            " dynamics are no noise"
        )
    if fit.agreeing[0] < 2 <= fit.agreeing[1]:
        findings.append(
            f"only {fit.agreeing[0]} of {fit.agreeing[1]} starts ended here: give initial, or"
            " excite more"
        )
    return tuple(findings)


def _excitation_findings(fit: FlexibleFit) -> list[str]:
    try:
        _, top = excited_band(spectrum(fit.data, fit.data.speed))
    except InputError:
        return ["there are too few samples to see which frequencies were excited"]
    dip, peak = fit.antiresonance.value, fit.resonance.value
    if np.isnan(top):
        return ["the torque explains the speed at no frequency: nothing here is sure"]
    if top < dip:
        return [
            f"excitation ends at {top:.3g} Hz, below the antiresonance at {dip:.3g} Hz: sure is the"
            " inertia of motor and link together; k, and how it parts into Jm and Ja, is"
            " extrapolated"
        ]
    if top < peak:
        return [
            f"excitation ends at {top:.3g} Hz, between antiresonance and resonance ({peak:.3g} Hz):"
            " sure is k / Ja; Jm is extrapolated"
        ]
    return []
