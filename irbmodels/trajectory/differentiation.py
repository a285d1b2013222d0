"""Speeds and accelerations of sampled positions: a Savitzky-Golay filter over pieces of a motion, with an arm at rest at rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import InputError, MotionError
from ..model.types import Array
from .motion import Motion

WINDOW = 0.08  # [s] of the derivative filter: passes about 20 Hz
# [deg, mm] an axis that moves less than this within the filter's window stands still: resolver
# noise is less
REST = 0.005
_ORDER = 3
_FEWEST = 5  # rows, and samples of the filter
_COARSEST = 0.25  # [s] time step; nothing can be said of an arm that is seen four times a second


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
    # samples not yet given out, and how many at their start only serve as neighbors
    held, done = next(pieces), 0
    if len(held.t) < _FEWEST:
        raise MotionError(
            f"{path}: too few rows to derive speeds: {len(held.t)}, and {_FEWEST} are needed; give"
            " v and a, or more rows"
        )
    step = float(held.t[-1] - held.t[0]) / (len(held.t) - 1)
    if step > _COARSEST and window is None:
        raise MotionError(
            f"{path}: a time step of {step:.4g} s is too coarse to derive speeds (is t in"
            " milliseconds?); give v and a, or a window"
        )
    samples = samples_of(window, step)
    half = samples // 2
    for piece in pieces:
        held = Motion.joined([held, piece])
        ready = len(held.t) - half
        if ready > done and len(held.t) >= samples:
            yield _cut(_differentiated(held, step, samples, rest, path), done, ready)
            keep = max(ready - half - 1, 0)  # a whole window stays, for the end of the file
            held, done = _cut(held, keep, len(held.t)), ready - keep
    if window is not None and samples > len(held.t):
        raise MotionError(
            f"{path}: a window of {window:g} s is {samples} samples; the file has {len(held.t)}"
            " rows"
        )
    yield _cut(_differentiated(held, step, samples, rest, path), done, len(held.t))


def samples_of(window: float | None, step: float) -> int:
    """Return the odd number of samples of the derivative filter at a time step [s].

    Raises:
        InputError: if a window that was asked for is no time, or holds fewer samples than a cubic
            needs.
    """
    if window is None:
        return max(_FEWEST, 2 * round(WINDOW / step / 2.0) + 1)
    if not (0.0 < window < 1e6 * step):
        raise InputError(f"a window of {window!r} s is no filter for a time step of {step:.4g} s")
    samples = 2 * round(window / step / 2.0) + 1
    if samples < _FEWEST:
        raise InputError(
            f"a window of {window:g} s is {samples} samples; a cubic needs {_FEWEST},"
            f" {_FEWEST * step:.4g} s"
        )
    return samples


def _differentiated(motion: Motion, step: float, samples: int, rest: Array, path: str) -> Motion:
    """Fill in what is missing; ``rest`` is the move [rad, m] that does not count, per axis."""
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

    v = motion.v
    if v is None:
        v = slope(motion.q, 1)
        moved = maximum_filter1d(motion.q, size, axis=0) - minimum_filter1d(motion.q, size, axis=0)
        v[(moved <= rest) | (np.abs(v) * size * step <= rest)] = 0.0
    a = (
        motion.a
        if motion.a is not None
        else slope(motion.q, 2)
        if motion.v is None
        else slope(motion.v, 1)
    )
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


def _cut(motion: Motion, start: int, stop: int) -> Motion:
    return motion.each(lambda x: x[start:stop])
