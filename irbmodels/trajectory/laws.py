"""Motions between postures as functions of time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from .motion import Motion

Array = NDArray[np.float64]

ALPHA = 1125.0 / 1192.0  # makes the end velocity 0 exactly; S002 prints 0.9438


def freudenstein(start: ArrayLike, end: ArrayLike, duration: float, t: ArrayLike) -> Motion:
    """Move between two postures by the Freudenstein 1-3-5 law (S002 eq. 13-15, with its misprints corrected).

    Peaks: speed ``2 h / T``, acceleration ``240 pi / 149 h / T^2`` for a stroke ``h`` in ``T``; both are 0 at the ends.

    Args:
        start: Axis positions at ``t = 0`` [rad, m], shape ``(n,)``.
        end: Axis positions at ``t = duration``.
        duration: ``T`` [s].
        t: Times between 0 and ``duration`` [s], shape ``(N,)``.

    Raises:
        InputError: if the duration is not positive.
    """
    if not duration > 0.0:
        raise InputError(f"a motion needs a positive duration, got {duration!r} s")
    first, time = np.asarray(start, dtype=float), np.asarray(t, dtype=float)
    stroke = np.asarray(end, dtype=float) - first
    x = (2.0 * np.pi / duration * time)[:, None]
    position = time[:, None] / duration - ALPHA / (2.0 * np.pi) * (np.sin(x) + np.sin(3 * x) / 54 + np.sin(5 * x) / 1250)
    speed = (1.0 - ALPHA * (np.cos(x) + np.cos(3 * x) / 18 + np.cos(5 * x) / 250)) / duration
    acceleration = 2.0 * np.pi * ALPHA / duration**2 * (np.sin(x) + np.sin(3 * x) / 6 + np.sin(5 * x) / 50)
    return Motion(time, first + stroke * position, stroke * speed, stroke * acceleration)


def through(postures: Sequence[ArrayLike], duration: float, rate: float) -> Motion:
    """Chain Freudenstein moves of ``duration`` [s] each through the postures, sampled at ``rate`` [Hz].

    Raises:
        InputError: if there are fewer than two postures.
    """
    if len(postures) < 2:
        raise InputError("a motion needs at least two postures")
    moves = len(postures) - 1
    t = np.arange(round(moves * duration * rate) + 1) / rate
    move = np.minimum((t / duration).astype(int), moves - 1)
    parts = [freudenstein(postures[i], postures[i + 1], duration, t[move == i] - i * duration) for i in range(moves)]
    q, v, a = (np.concatenate([part[k] for part in parts]) for k in (1, 2, 3))
    return Motion(t, q, v, a)
