"""Frequency responses of torque and speed [Welch 1967; Bendat & Piersol 2010, ch. 9]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array, ComplexArray
from .samples import OneAxisData

_SEGMENTS = 15  # with half of each shared by the next one: some 14 independent averages
_SHORTEST = 32  # samples of a segment
_EXCITED = 0.5  # coherence from which half of the speed comes from the torque
_SHARED = 1.0 / 36.0  # squared correlation of Hann windows that overlap by half


class Spectrum(NamedTuple):
    """Estimated response from one signal to another, without 0 Hz and Nyquist's frequency."""

    frequency: Array
    """[Hz], shape ``(F,)``."""
    response: ComplexArray
    """Cross spectrum over the power of the first signal (H1)."""
    coherence: Array
    """Share of the second signal that the first one explains, 0 to 1."""
    power: Array
    """Density of the first signal [its unit squared / Hz]."""
    averages: float
    """Number of independent segments."""

    @property
    def resolution(self) -> float:
        """Half the width of a bin's window [Hz].

        Hann's is 1.44 bins wide at half its power.
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
            Longer ones resolve frequencies better, and have more noise at each of them.

    Raises:
        InputError: if the segment is too short, or there are fewer than 4.
    """
    from scipy.signal import csd, welch

    count = len(data)
    size = 2 * count // (_SEGMENTS + 1) if segment is None else round(segment / data.step)
    if not _SHORTEST <= size <= 2 * count // 5:
        low, high = _SHORTEST * data.step, (2 * count // 5) * data.step
        name = "the default" if segment is None else f"{segment:g} s"
        raise InputError(
            f"segments for spectra of {count} samples last {low:.3g} to {high:.3g} s; {name} is"
            f" {size} samples"
        )
    options = {
        "fs": 1.0 / data.step,
        "window": "hann",
        "nperseg": size,
        "noverlap": size // 2,
        "detrend": "constant",
    }
    f, cross = csd(data.torque, answer, **options)
    _, power = welch(data.torque, **options)
    _, answer_power = welch(answer, **options)
    f, cross, power, answer_power = (values[1:-1] for values in (f, cross, power, answer_power))
    segments = (count - size // 2) // (size - size // 2)
    averages = segments / (1.0 + 2.0 * _SHARED * (segments - 1) / segments)
    tiny = np.finfo(float).tiny
    coherence = np.abs(cross) ** 2 / np.maximum(power * answer_power, tiny)
    return Spectrum(f, cross / np.maximum(power, tiny), np.minimum(coherence, 1.0), power, averages)


def excited_band(response: Spectrum) -> tuple[float, float]:
    """Lowest and highest frequency [Hz] at which the torque explains the speed.

    NaN if there is none. The torque needs 1e-6 of its largest power too: below that even exact
    samples show only leakage.
    """
    excited = response.power > 1e-6 * response.power.max()
    inside = response.frequency[excited & (response.coherence > _EXCITED)]
    return (float(inside[0]), float(inside[-1])) if inside.size else (np.nan, np.nan)
