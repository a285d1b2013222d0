"""Frequency responses without a model: what torque and speed say by themselves [Welch 1967.

Bendat & Piersol 2010, ch. 9].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array, ComplexArray
from .samples import OneAxisData

_SEGMENTS = 15  # with half of each shared by the next one: some 14 independent averages
_SHORTEST = 32  # samples of a segment
_SHARED = 1.0 / 36.0  # squared correlation of Hann windows that overlap by half


class Spectrum(NamedTuple):
    """Estimate of the response from one signal to another, without that at 0 Hz and at Nyquist's frequency."""

    frequency: Array
    """[Hz], shape ``(F,)``."""
    response: ComplexArray
    """Cross spectrum over the power of the first signal (H1)."""
    coherence: Array
    """How much of the second signal the first one explains, 0 to 1."""
    power: Array
    """Density of the first signal [its unit squared / Hz]."""
    averages: float
    """How many independent segments there are."""

    @property
    def resolution(self) -> float:
        """Half the width of what a frequency gathers [Hz].

        The window of Hann is 1.44 bins wide at half its power.
        """
        return 0.72 * float(self.frequency[1] - self.frequency[0])

    def threshold(self, level: float) -> float:
        """Coherence that unrelated signals exceed with this probability."""
        return float(1.0 - level ** (1.0 / (self.averages - 1.0)))


def spectrum(data: OneAxisData, answer: Array, segment: float | None = None) -> Spectrum:
    """Estimate the response from the torque of ``data`` to ``answer``, shape ``(N,)``.

    Args:
        data: Gives the torque.
        answer: Signal at the same times.
        segment: Length of a segment [s]; default such that there are 15 that overlap by half.
            Longer ones tell frequencies better apart, and the response at each of them worse.

    Raises:
        InputError: if the segment is too short, or there are fewer than 4.
    """
    from scipy.signal import csd, welch

    count = len(data)
    size = 2 * count // (_SEGMENTS + 1) if segment is None else round(segment / data.step)
    if not _SHORTEST <= size <= 2 * count // 5:
        low, high = _SHORTEST * data.step, (2 * count // 5) * data.step
        told = "the default" if segment is None else f"{segment:g} s"
        raise InputError(
            f"segments for spectra of {count} samples last {low:.3g} to {high:.3g} s; {told} is"
            f" {size} samples"
        )
    options = {
        "fs": 1.0 / data.step,
        "window": "hann",
        "nperseg": size,
        "noverlap": size // 2,
        "detrend": "constant",
    }
    f, through = csd(data.torque, answer, **options)
    _, power = welch(data.torque, **options)
    _, answered = welch(answer, **options)
    inner = slice(1, -1)
    segments = (count - size // 2) // (size - size // 2)
    averages = segments / (1.0 + 2.0 * _SHARED * (segments - 1) / segments)
    f, through, power, answered = f[inner], through[inner], power[inner], answered[inner]
    tiny = np.finfo(float).tiny
    coherence = np.abs(through) ** 2 / np.maximum(power * answered, tiny)
    return Spectrum(
        f, through / np.maximum(power, tiny), np.minimum(coherence, 1.0), power, averages
    )


EXCITED = 0.5  # coherence from which half of the speed comes from the torque


def excited_band(found: Spectrum) -> tuple[float, float]:
    """Lowest and highest frequency [Hz] at which the torque explains the speed.

    NaN if there is none.

    The torque must be there too, with 1e-6 of its largest power: below that even exact samples show
    only leakage.
    """
    counts = (found.coherence > EXCITED) & (found.power > 1e-6 * found.power.max())
    inside = found.frequency[counts]
    return (float(inside[0]), float(inside[-1])) if inside.size else (np.nan, np.nan)
