"""Speeds and accelerations of sampled positions: a Savitzky-Golay filter over pieces of a motion.

Axes at rest keep a speed of exactly 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..checks import as_callable, number, positive
from ..errors import InputError, MotionError
from ..model.types import Array
from .motion import Motion

WINDOW = 0.08  # [s] of the derivative filter: passes about 20 Hz
# [deg, mm] an axis that moves less than this within the filter's window stands still: resolver
# noise is less
REST = 0.005
_ORDER = 3
_MIN_SAMPLES = 5  # rows, and samples of the filter
COARSEST = 0.25
"""[s] largest time step of a motion whose speeds are derived."""


def with_rates(
    pieces: Iterator[Motion], window: float | None, rest: Array, path: str
) -> Iterator[Motion]:
    """Yield a motion with ``v`` and ``a``, derived where they are None.

    The result does not depend on the pieces that come in.

    Args:
        pieces: One motion in pieces of at least one sample, with times that grow.
        window: Length of the filter [s]; default 80 ms, at least five samples, at most the motion.
        rest: Move [rad, m] within the window below which an axis stands still, shape ``(n,)``.
        path: Name of the motion in messages.

    Raises:
        MotionError: if samples are too few or too coarse, the time step is not steady, or the
            window is longer than the motion.
        InputError: if the window is no time, or holds fewer samples than a cubic needs.
    """
    # samples not yet yielded, and how many at their start only serve as neighbors
    kept, done = next(pieces), 0
    if len(kept.t) < _MIN_SAMPLES:
        raise MotionError(
            f"{path}: too few rows to derive speeds: {len(kept.t)}, and {_MIN_SAMPLES} are needed;"
            " give v and a, or more rows"
        )
    step = float(kept.t[-1] - kept.t[0]) / (len(kept.t) - 1)
    if step > COARSEST and window is None:
        raise MotionError(
            f"{path}: a time step of {step:.4g} s is too coarse to derive speeds (is t in"
            " milliseconds?); give v and a, or a window"
        )
    samples = filter_length(window, step)
    half = samples // 2
    for piece in pieces:
        kept = Motion.joined([kept, piece])
        ready = len(kept.t) - half
        if ready > done and len(kept.t) >= samples:
            yield _differentiate(kept, step, samples, rest, path).slice(done, ready)
            first = max(ready - half - 1, 0)  # a whole window stays, for the end of the file
            kept, done = kept.slice(first), ready - first
    if window is not None and samples > len(kept.t):
        raise MotionError(
            f"{path}: a window of {window:g} s is {samples} samples; the file has {len(kept.t)}"
            " rows"
        )
    yield _differentiate(kept, step, samples, rest, path).slice(done)


def check_filter(window: float | None, rest: float, advance: Callable[[int], object]) -> None:
    """Check the options of the derivative filter.

    Raises:
        InputError: if the window [s] is not positive, ``rest`` [deg, mm] is negative, or
            ``advance`` is no function.
    """
    if window is not None:
        positive(window, "window, the length of the derivative filter [s],")
    number(rest, "rest [deg, mm]", 0.0)
    as_callable(advance, "advance is a function of a number of bytes")


def filter_length(window: float | None, step: float) -> int:
    """Return the odd number of samples of the derivative filter at a time step [s].

    Raises:
        InputError: if a window that was asked for is no time, or holds fewer samples than a cubic
            needs.
    """
    if window is None:
        return max(_MIN_SAMPLES, 2 * round(WINDOW / step / 2.0) + 1)
    if not (0.0 < window < 1e6 * step):
        raise InputError(f"a window of {window!r} s is no filter for a time step of {step:.4g} s")
    samples = 2 * round(window / step / 2.0) + 1
    if samples < _MIN_SAMPLES:
        raise InputError(
            f"a window of {window:g} s is {samples} samples; a cubic needs {_MIN_SAMPLES},"
            f" {_MIN_SAMPLES * step:.4g} s"
        )
    return samples


def _differentiate(motion: Motion, step: float, samples: int, rest: Array, path: str) -> Motion:
    """Return the motion with ``v`` and ``a``; ``rest`` is the noise per axis [rad, m]."""
    # imported here: half a second that most users never need
    from scipy.ndimage import maximum_filter1d, minimum_filter1d
    from scipy.signal import savgol_filter

    _check_steps(motion.t, step, path)
    # odd, and no longer than a short file
    size = min(samples, len(motion.t) - 1 + len(motion.t) % 2)

    def slope(values: Array, order: int) -> Array:
        return np.asarray(
            savgol_filter(values, size, _ORDER, deriv=order, delta=step, axis=0, mode="interp")
        )

    v, a = motion.v, motion.a
    if a is None:
        a = slope(motion.q, 2) if v is None else slope(v, 1)
    if v is None:
        v = slope(motion.q, 1)
        moved = maximum_filter1d(motion.q, size, axis=0) - minimum_filter1d(motion.q, size, axis=0)
        v[(moved <= rest) | (np.abs(v) * size * step <= rest)] = 0.0
    return motion._replace(v=v, a=a)


def _check_steps(t: Array, step: float, path: str) -> None:
    """Refuse a lost sample or another rate; time stamps that are only rounded may wander."""
    steps, mean = np.diff(t), float(t[-1] - t[0]) / (len(t) - 1)
    wandering = np.abs(t - np.linspace(t[0], t[-1], len(t))).max()
    if max(np.abs(steps - step).max(), wandering) > 0.5 * step or abs(mean - step) > 0.05 * step:
        i = int(np.argmax(np.abs(steps - step)))
        raise MotionError(
            f"{path}: the time step after t = {t[i]:.10g} s is {1e3 * steps[i]:.4g} ms, on average"
            f" it is {1e3 * step:.4g} ms; speeds can be derived only at a steady step: give v and a"
        )
