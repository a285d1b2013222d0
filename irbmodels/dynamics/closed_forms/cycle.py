"""Speeds, accelerations and torques of a SCARA at the cycle time that S004 prints, 0.38 s.

Every result is assumed: S004 prints no motion with it.

Assumed is the cycle that makers of SCARAs quote: 25 mm up, 300 mm across, 25 mm down and the same
way back, 0.38 s in all. The tool runs across on a straight line. Each of the six legs starts and
ends at rest with a trapezoidal speed, all with the same acceleration. In the corners a share
``overlap`` of the rising and sinking time runs while the tool already moves across: 0 means a stop
in each corner, 1 that rising and sinking take no time of their own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array
from .irb930 import Scara

PRINTED = 0.38  # [s] S004 section 1
RISE, SPAN = 0.025, 0.300  # [m] of the cycle that makers quote
_SAMPLES = 4000  # of the way across; a peak between two of them is missed by less than 1e-3 of it


class CyclePeaks(NamedTuple):
    """Largest magnitudes during the cycle, per axis in SI units, shape ``(4,)``; grade: assumed."""

    v: Array
    a: Array
    tau: Array
    """Without friction; of axis 3 with gravity."""


def cycle_time(
    acceleration: float,
    *,
    overlap: float,
    speed: float = math.inf,
    rise: float = RISE,
    span: float = SPAN,
) -> float:
    """Duration of the cycle there and back [s].

    Args:
        acceleration: Of the tool along each leg [m/s^2].
        overlap: Share of rising and sinking, 0 to 1, that runs while the tool moves across.
        speed: Largest speed of the tool [m/s]; without it no leg is long enough to meet one.
        rise: Height of the cycle [m].
        span: Width of the cycle [m].

    Raises:
        InputError: if a length, speed or acceleration is not positive, the overlap is not a share,
            or with it the tool would sink before it has risen.
    """
    for value, what in (
        (acceleration, "acceleration"),
        (speed, "speed"),
        (rise, "rise"),
        (span, "span"),
    ):
        if not value > 0.0:
            raise InputError(f"a cycle needs a positive {what}, got {value!r}")
    if not 0.0 <= overlap <= 1.0:
        raise InputError(f"overlap is a share, 0 to 1, not {overlap!r}")
    across, up = _leg(span, acceleration, speed), _leg(rise, acceleration, speed)
    if 2.0 * overlap * up > across:
        raise InputError(
            f"with overlap {overlap:g} the tool sinks before it has risen: {up:.3g} s up,"
            f" {across:.3g} s across"
        )
    return 2.0 * (across + 2.0 * (1.0 - overlap) * up)


def tool_acceleration(
    duration: float = PRINTED,
    *,
    overlap: float,
    speed: float = math.inf,
    rise: float = RISE,
    span: float = SPAN,
) -> float:
    """Acceleration of the tool [m/s^2] with which :func:`cycle_time` is ``duration``.

    Arguments as there. Grade: assumed.

    Raises:
        InputError: as :func:`cycle_time`, or if no acceleration is enough at this speed.
    """
    from scipy.optimize import brentq

    if not 0.0 < duration < math.inf:
        raise InputError(f"a cycle needs a positive duration, got {duration!r} s")
    cycle_time(1.0, overlap=0.0, speed=speed, rise=rise, span=span)  # checks the other numbers
    least = 2.0 * (span + 2.0 * (1.0 - overlap) * rise) / speed
    if duration <= least:
        raise InputError(
            f"at {speed:g} m/s the cycle takes more than {least:.3g} s, whatever the acceleration"
        )

    def missed(exponent: float) -> float:
        return (
            cycle_time(math.exp(exponent), overlap=overlap, speed=speed, rise=rise, span=span)
            - duration
        )

    low = math.log(span / duration**2)  # so slow that one way across takes the whole time
    high = low + 1.0
    while missed(high) > 0.0:
        high += 1.0
    return math.exp(brentq(missed, low, high, xtol=1e-14))


def cycle_peaks(
    scara: Scara,
    acceleration: float,
    *,
    speed: float = math.inf,
    rise: float = RISE,
    span: float = SPAN,
    distance: float | None = None,
) -> CyclePeaks:
    """Peak speed, acceleration and torque of each axis in the cycle; the tool does not turn.

    Args:
        scara: The arm with its load.
        acceleration: Of the tool along each leg [m/s^2], for example from
            :func:`tool_acceleration`.
        speed: Largest speed of the tool [m/s].
        rise: Height of the cycle [m].
        span: Width of the cycle [m].
        distance: From axis 1 to the middle of the way across [m], which runs square to it; default
            where the elbow makes a right angle.

    Raises:
        InputError: if a length, speed or acceleration is not positive, or an end of the way is out
            of reach.
    """
    cycle_time(acceleration, overlap=0.0, speed=speed, rise=rise, span=span)  # checks the numbers
    middle = math.hypot(scara.a1, scara.a2) if distance is None else distance
    ends = math.hypot(middle, span / 2.0)
    if not abs(scara.a1 - scara.a2) < middle <= ends < scara.a1 + scara.a2:
        raise InputError(f"a way across of {span:g} m at {middle:g} m from axis 1 is out of reach")
    duration = _leg(span, acceleration, speed)
    peaks = np.zeros((3, 4))
    for t in (np.arange(_SAMPLES) + 0.5) * (duration / _SAMPLES):
        y, vy, ay = _along(span, acceleration, speed, float(t))
        q, v, a = _axes(scara, np.array([middle, y - span / 2.0]), vy, ay)
        peaks = np.maximum(peaks, np.abs([v, a, scara.inverse_dynamics(q, v, a)]))
    peaks[:, 2] = (
        min(math.sqrt(acceleration * rise), speed),
        acceleration,
        scara.m34 * (abs(scara.g) + acceleration),
    )
    return CyclePeaks(*peaks)


def _leg(length: float, acceleration: float, speed: float) -> float:
    """Duration of a leg from rest to rest [s]."""
    if acceleration * length <= speed**2:
        return 2.0 * math.sqrt(length / acceleration)
    return length / speed + speed / acceleration


def _along(
    length: float, acceleration: float, speed: float, t: float
) -> tuple[float, float, float]:
    """Position [m], speed and acceleration on a leg at time ``t``."""
    duration, top = _leg(length, acceleration, speed), min(speed, math.sqrt(acceleration * length))
    ramp = top / acceleration
    if t < ramp:
        return acceleration * t * t / 2.0, acceleration * t, acceleration
    if t > duration - ramp:
        left = duration - t
        return length - acceleration * left * left / 2.0, acceleration * left, -acceleration
    return top * (t - ramp / 2.0), top, 0.0


def _axes(scara: Scara, position: Array, vy: float, ay: float) -> tuple[Array, Array, Array]:
    """Positions, speeds and accelerations of axes for a tool that moves along y without turning.

    The elbow is to the right.
    """
    x, y = position
    second = math.acos((x * x + y * y - scara.a1**2 - scara.a2**2) / (2.0 * scara.a1 * scara.a2))
    first = math.atan2(y, x) - math.atan2(
        scara.a2 * math.sin(second), scara.a1 + scara.a2 * math.cos(second)
    )
    both = first + second
    inner = scara.a1 * np.array([math.cos(first), math.sin(first)])
    outer = scara.a2 * np.array([math.cos(both), math.sin(both)])
    aside = np.array([[0.0, -1.0], [1.0, 0.0]])
    J = aside @ np.column_stack([inner + outer, outer])
    v = np.linalg.solve(J, [0.0, vy])
    inward = -inner * v[0] ** 2 - outer * (v[0] + v[1]) ** 2  # dJ/dt v
    a = np.linalg.solve(J, np.array([0.0, ay]) - inward)
    q = np.array([first, second, 0.0, both])
    return q, np.array([*v, 0.0, v.sum()]), np.array([*a, 0.0, a.sum()])
