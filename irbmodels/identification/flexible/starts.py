"""Initial models of a flexible joint that resemble the frequency response of the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array, ComplexArray
from ...simulation.flexible import OneAxis
from .frequency_response import spectrum
from .model import axis_of
from .samples import OneAxisData

_RATIOS = (1.05, 1.2, 1.4, 1.8, 3.0)  # resonance over antiresonance
_DAMPED = (0.01, 0.1, 0.4)  # friction of the motor over its inertia, in units of the antiresonance
_COUNT = 40  # antiresonances of the grid
_REFINED = 8  # candidates that are refined, the most similar ones
_TRACE = 0.01  # damping of every candidate, so that none is singular on the grid of frequencies
_SAME = 0.01  # relative difference of what is one model


def starts(data: OneAxisData, count: int) -> list[OneAxis]:
    """Return up to ``count`` different models, the most similar first.

    Candidates have their antiresonance and resonance on a grid. Their scale is estimated by least
    squares of relative errors, weighted by the coherence; the best are refined by a search, since a
    resonance is narrow in samples.
    """
    from scipy.optimize import least_squares

    measured = spectrum(data, data.speed)
    f = measured.frequency
    coherence = np.clip(measured.coherence, 0.0, 0.999)
    weight = np.sqrt(coherence / (1.0 - coherence)) / np.maximum(
        np.abs(measured.response), np.finfo(float).tiny
    )
    weight *= measured.power > 1e-6 * measured.power.max()
    target, s = weight * measured.response, 2j * np.pi * f
    dip, ratio, damped = np.meshgrid(
        2.0 * np.pi * np.geomspace(f[0], 0.9 * f[-1], _COUNT), _RATIOS, _DAMPED, indexing="ij"
    )
    x = np.log(np.array([np.ones_like(dip), ratio**2 - 1.0, dip, damped * dip]).reshape(4, -1, 1))
    candidates = weight * _response(x, s)
    power = (np.abs(candidates) ** 2).sum(axis=1)
    scale = (candidates.conj() * target).real.sum(axis=1) / power
    error = (np.abs(target - scale[:, None] * candidates) ** 2).sum(axis=1)
    x[0, :, 0] = -np.log(np.maximum(scale, np.finfo(float).tiny))

    def residual(one: Array) -> Array:
        difference = weight * _response(one[:, None], s) - target
        return np.concatenate([difference.real, difference.imag])

    best = [i for i in np.argsort(error) if scale[i] > 0.0][:_REFINED]
    refined = (least_squares(residual, x[:, i, 0], max_nfev=60) for i in best)
    chosen: list[Array] = []
    for one in sorted(refined, key=lambda solution: solution.cost):
        if len(chosen) < count and not any(np.abs(one.x - other).max() < _SAME for other in chosen):
            chosen.append(one.x)
    return [_axis(np.exp(one), data.gear_ratio) for one in chosen]


def _response(x: Array, s: NDArray[Any]) -> ComplexArray:
    """Response from torque to speed.

    ``x`` are logarithms of rotor inertia, link over rotor, antiresonance [rad/s], friction over
    rotor.
    """
    Jm, share, dip, friction = np.exp(np.clip(x, -40.0, 40.0))
    own = s**2 + _TRACE * dip * s + dip**2
    whole = s**2 + (_TRACE * dip * s + dip**2) * (1.0 + share)
    return np.asarray(own / (Jm * (s * whole + friction * own)), dtype=complex)


def _axis(values: Array, gear_ratio: float) -> OneAxis:
    Jm, share, dip, friction = (float(x) for x in values)
    Ja = share * Jm * gear_ratio**2
    return axis_of(
        {"Jm": Jm, "Ja": Ja, "k": dip**2 * Ja, "fm": friction * Jm, "d": 0.0, "fa": 0.0}, gear_ratio
    )
