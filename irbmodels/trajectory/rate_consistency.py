"""Consistency of rates with their quantities: speeds with positions, accelerations with speeds.

Over some seconds the integral of a rate and the change of its quantity are the same curve, whatever
noise, resolution and delay of a signal are; a wrong unit or sign is a factor between them. Single
samples do not show it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..errors import MotionError, warn
from ..model.types import Array
from . import Motion

DEG_PER_RAD = float(np.degrees(1.0))  # between radians and degrees
GAP = 1.5  # steps: a longer one has lost a sample
MIXED = 0.1  # relative distance from a factor between units within which they are mixed up
UNLIKE = 0.2  # share of the rate that noise and delay do not explain
CLEAR = 0.9  # correlation from which a factor between two curves is significant
_CHANGE = 1e-6  # [rad, m] root mean square of a quantity that changes
_MIN_SAMPLES = 8  # samples, of which hardly any two curves are alike by chance
# [deg, mm, and per s]: 20 times the noise of an axis at rest; of a shorter way it may be the most
_LITTLE = 0.1
# A rate that from sample to sample changes by its own size is noise, or seen less than six times a
# period: the integral by trapezoids is another curve then, of another sign even. Where it changes
# by a tenth, the integral is right within a percent.
_COARSE, _FINE = 1.0, 0.1
_UNITS = {("v", False): "rad/s", ("v", True): "m/s", ("a", False): "rad/s^2", ("a", True): "m/s^2"}


class Ratio(NamedTuple):
    """Least-squares factor between a quantity and the integral of its rate."""

    factor: float
    """Change of the quantity over the integral of its rate."""
    correlation: float
    """Of the two curves, without sign."""

    def unit_factor(self, linear: bool) -> float:
        """Return the factor between deg and rad, or mm and m, that the curves differ by; else 0."""
        unit = 1e3 if linear else DEG_PER_RAD
        near = (
            factor for factor in (unit, 1.0 / unit) if abs(abs(self.factor) / factor - 1.0) < MIXED
        )
        return next(near, 0.0) if self.correlation > CLEAR else 0.0

    @property
    def inconsistent(self) -> bool:
        """True if the one is not the rate of the other, or hidden in noise."""
        return self.correlation < CLEAR or abs(self.factor - 1.0) > UNLIKE


def ratio(x: Array, rate: Array, dt: Array) -> Ratio | None:
    """Compare a quantity of one axis with the integral of its rate.

    Args:
        x: Samples of the quantity, shape ``(N,)``.
        rate: Of its rate, in SI units as ``x``.
        dt: Times between them [s], shape ``(N - 1,)``; 0 where the way between two is unknown.

    Returns:
        None where there are too few samples, or one of the two does not change.
    """
    if len(x) < 3 or not rate.any():
        return None
    change = np.append(0.0, np.cumsum((dt > 0.0) * np.diff(x)))
    integral = np.append(0.0, np.cumsum(0.5 * dt * (rate[1:] + rate[:-1])))
    change, integral = change - change.mean(), integral - integral.mean()
    (xx, xy), (_, yy) = np.array([change, integral]) @ np.array([change, integral]).T
    if xx < _CHANGE**2 * len(x) or yy == 0.0:
        return None
    return Ratio(float(xy / yy), float(abs(xy) / np.sqrt(xx * yy)))


def check_rates(
    pieces: Iterator[Motion],
    quantities: Sequence[str],
    names: Mapping[str, Sequence[str]],
    linear: Sequence[bool],
    source: str,
) -> Iterator[Motion]:
    """Yield pieces of a motion whose rates are consistent with the quantities.

    A piece is refused where both curves are the same but for a factor between units, or for the
    sign: noise, resolution, delay and too few samples leave no such curves. Another factor only
    gives a warning. A short piece after longer ones, the rest of a file, shows too little of a
    curve, and is not checked.

    Args:
        pieces: With speeds, and some seconds long: over hours the smallest bias of a speed
            integrates to a long way.
        quantities: Those of ``v`` and ``a`` that were given, not derived.
        names: Of the columns of ``q``, ``v`` and ``a``.
        linear: Per axis whether it is linear.
        source: File, as the message begins.

    Raises:
        MotionError: names the column, the factor, and the unit or the sign that it looks like.
    """
    warned: set[str] = set()
    longest, n = 0, len(linear)
    for motion in pieces:
        longest = max(longest, len(motion.t))
        pairs = {"v": ("q", motion.q, motion.v), "a": ("v", motion.v, motion.a)}
        for quantity, axis in itertools.product(quantities, range(n)):
            of, values, rates = pairs[quantity]
            if values is None or rates is None or 2 * len(motion.t) < longest:
                continue
            fit = _significant(motion.t, values[:, axis], rates[:, axis], linear[axis])
            column, other = names[quantity][axis], names[of][axis]
            if fit is None:
                continue
            what = (
                f"{source}: column {column!r}: {other!r} changes {fit.factor:.4g} times as fast"
                " as it says"
            )
            if advice := _advice(fit, _UNITS[quantity, linear[axis]], other, linear[axis]):
                raise MotionError(f"{what}, from t = {motion.t[0]:.6g} s on: {advice}")
            if column not in warned:
                warn(f"{what}; is it of another axis, or of the motor?")
                warned.add(column)
        yield motion


def _significant(t: Array, x: Array, rate: Array, linear: bool) -> Ratio | None:
    """Return the ratio where it is not 1, and neither noise nor too few samples explain it."""
    if len(t) < _MIN_SAMPLES or np.ptp(x) < _LITTLE * (1e-3 if linear else 1.0 / DEG_PER_RAD):
        return None
    steps = np.diff(t)
    fit = ratio(x, rate, np.where(steps < GAP * np.median(steps), steps, 0.0))
    if fit is None or fit.correlation <= CLEAR or not fit.inconsistent:
        return None
    change = np.sqrt(np.square(np.diff(rate)).sum() / np.square(rate).sum())
    opposite = abs(fit.factor + 1.0) <= UNLIKE
    return fit if fit.unit_factor(linear) or change < (_COARSE if opposite else _FINE) else None


def _advice(fit: Ratio, unit: str, other: str, linear: bool) -> str:
    """Return the unit or sign that a rate seems to have; empty for any other factor."""
    sign = " with the opposite sign" if fit.factor < 0.0 else ""
    factor = fit.unit_factor(linear)
    if factor > 1.0:
        return f"it looks like {unit}{sign}"
    if factor > 0.0:
        return f"{other!r} looks like {'m' if linear else 'rad'}{sign}"
    return "its sign is the opposite" if abs(fit.factor + 1.0) <= UNLIKE else ""
