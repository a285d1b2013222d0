"""From the log of strokes at constant speeds to friction at each speed (S000 eq. 70-73).

Segments of constant speed (:mod:`.constant_speed_segments`) are found in the positions alone. A
segment forwards and one backwards at the same speed and over the same positions give friction as
half the difference of their torques; what is the same both ways, gravity, is a polynomial of the
position and cancels (eq. 73), at equal positions, not only on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...checks import as_instance, as_int
from ...errors import InputError
from ...model.types import Array
from ..recordings.recording import Finding, Flag, Recording
from .constant_speed_segments import FINEST, Segment, constant_speed_segments, position_noise

_SAME = 0.05  # by how much the speeds of a pair may differ
_OVERLAP = 0.3  # of the longer segment that the two must have in common
_NEXT = 20  # segments among which the way back is looked for
_ORDER = 6  # of the polynomial for gravity: its error over 0.75 rad is 1e-8 of the largest torque
_PER_COEFFICIENT = 20  # samples per coefficient of it
_ALONE = 0.1  # of the way of the tested axis: an axis that moves more is not held


@dataclass(frozen=True, eq=False)
class FrictionPoints:
    """Friction of one axis at speeds; arrays ``(M,)``, ascending in speed."""

    axis: int
    """1-based."""
    linear: bool
    speed: Array
    """[rad/s, m/s], positive: the mean of both ways."""
    forward: Array
    """Torque ``u+`` at the middle of the positions both ways have in common [N m, N]."""
    backward: Array
    """Torque ``u-`` there."""
    friction: Array
    """``(u+ - u-) / 2`` (eq. 73) [N m, N]."""
    deviation: Array
    """Its standard deviation from the noise of the torques, with its autocorrelation."""
    position: Array
    """Middle of the positions [rad, m]."""
    samples: NDArray[np.intp]
    conditions: dict[str, Array]
    """Means of the log's other columns (temperature, load ...) at each point."""
    findings: tuple[Finding, ...] = ()
    synthetic: bool = False

    @property
    def gravity(self) -> Array:
        """Mean of both ways, ``(u+ + u-) / 2`` [N m, N]: gravity and asymmetric friction."""
        return np.asarray(0.5 * (self.forward + self.backward), dtype=float)


def friction_points(
    recording: Recording,
    axis: int,
    speeds: Sequence[float] | Array | None = None,
    *,
    tolerance: float | None = None,
) -> FrictionPoints:
    """Extract friction at each speed from the log of a :func:`friction_plan`, or of such strokes.

    Args:
        recording: With torques, arm side. Samples that are flagged (saturated, outliers,
            interpolated) do not count.
        axis: 1-based.
        speeds: Planned speeds [rad/s, m/s]: those without a pair are then named. Without them
            segments are paired by their own speeds.
        tolerance: See :func:`constant_speed_segments`.

    Returns:
        One point per pair of neighbouring strokes; the findings name the samples left out.

    Raises:
        InputError: if there are no torques, or no pair of segments at one speed both ways over the
            same positions.
    """
    as_instance(recording, Recording, "friction is read from a Recording")
    as_int(axis, "an axis of a log", 1, recording.n)
    if recording.tau is None or not np.isfinite(recording.tau[:, axis - 1 : axis]).any():
        raise InputError(
            f"friction of axis {axis} needs its torques: column tau{axis}_Nm; EGM has none, test"
            " signals do"
        )
    findings = []
    resolution = position_noise(recording.q[:, axis - 1]) if tolerance is None else float(tolerance)
    moving = [
        segment
        for segment in constant_speed_segments(recording, axis, tolerance)
        if abs(segment.travel) > 4.0 * resolution
    ]
    pairs, single = _pair(recording, axis, moving)
    rows, used = [], []
    for pair in pairs:
        point = _point(recording, axis, pair)
        if point is None:
            findings.append(_left_out(recording, pair[0], "has too few samples without flags"))
        else:
            rows.append(point)
            used.append(pair)
    least = 0.5 * min((segment.size for pair in used for segment in pair), default=0)
    findings += [
        _left_out(recording, segment, "has no counterpart the other way at its speed and positions")
        for segment in single
        if segment.size >= least
    ]
    ramps = [segment.size for segment in single if segment.size < least]
    if ramps:
        findings.append(
            Finding(
                f"{len(ramps)} short straight pieces, of ramps or stick-slip, are in no pair",
                "left out",
                samples=sum(ramps),
            )
        )
    if not rows:
        raise InputError(
            f"axis {axis} has no two segments of one speed, forwards and backwards over the same"
            f" positions, among {len(moving)} segments of constant speed; see friction_plan, or"
            " give a tolerance above the noise of the positions"
        )
    order = np.argsort([row[0] for row in rows])
    speed, forward, backward, friction, deviation, position, samples = np.array(rows)[order].T
    conditions = {
        name: np.array([_mean(values, pair) for pair in used])[order]
        for name, values in recording.extra.items()
    }
    if speeds is not None:
        findings += _missing_speeds(speed, np.asarray(speeds, dtype=float))
    return FrictionPoints(
        axis,
        recording.linear[axis - 1],
        *(speed, forward, backward, friction, deviation, position),
        samples.astype(np.intp),
        conditions,
        tuple(findings),
        recording.synthetic,
    )


def moved_axis(recording: Recording) -> int:
    """Return the axis that a log of a friction test moves, 1-based.

    Raises:
        InputError: if none moves, or another one by more than a tenth of its way.
    """
    as_instance(recording, Recording, "a log of a friction test is a Recording")
    known = np.where(np.isfinite(recording.q), recording.q, np.nan)
    ways = np.nanmax(known, axis=0) - np.nanmin(known, axis=0)
    axis = int(np.argmax(ways))
    others = np.delete(ways, axis)
    if not ways[axis] > FINEST or (others > _ALONE * ways[axis]).any():
        moved = ", ".join(f"{way:.3g}" for way in ways)
        raise InputError(
            "a log of a friction test moves one axis and holds the others, as friction_plan does;"
            f" in this one axes 1 to {recording.n} move {moved} [rad, m]"
        )
    return axis + 1


def _missing_speeds(speed: Array, planned: Array) -> list[Finding]:
    near = np.abs(speed[None] / planned[:, None] - 1.0).min(axis=1) < _SAME
    missing = ", ".join(f"{value:.4g}" for value in planned[~near][:8])
    what = f"{int((~near).sum())} of {planned.size} planned speeds were not held: {missing}"
    return [Finding(what, "stick-slip, noise, or strokes that were too short")] if missing else []


Pair = tuple[Segment, Segment]


def _pair(
    recording: Recording, axis: int, segments: list[Segment]
) -> tuple[list[Pair], list[Segment]]:
    """Pair each segment with one of the next that runs back over the same positions.

    The one forwards comes first.
    """
    q, left = recording.q[:, axis - 1], list(segments)
    pairs: list[Pair] = []
    single = []
    while left:
        one = left.pop(0)
        match = max(left[:_NEXT], key=lambda other: _overlap(q, one, other), default=None)
        if match is None or _overlap(q, one, match) < _OVERLAP:
            single.append(one)
        else:
            left.remove(match)
            pairs.append((one, match) if one.speed > 0.0 else (match, one))
    return pairs, single


def _overlap(q: Array, one: Segment, other: Segment) -> float:
    """Share of the longer travel that two at one speed and opposite ways have in common; else 0."""
    if one.speed * other.speed >= 0.0 or abs(abs(other.speed / one.speed) - 1.0) > _SAME:
        return 0.0
    low, high = _common_range(q, (one, other))
    return (high - low) / max(abs(one.travel), abs(other.travel))


def _common_range(q: Array, pair: Pair) -> tuple[float, float]:
    ranges = np.sort([q[[segment.start, segment.stop - 1]] for segment in pair])
    return float(ranges[:, 0].max()), float(ranges[:, 1].min())


def _point(recording: Recording, axis: int, pair: Pair) -> tuple[float, ...] | None:
    """Speed, u+, u-, friction, its deviation, position, samples of a pair.

    Least squares on both segments together. None if too few samples are usable.
    """
    assert recording.tau is not None
    flags = Flag.NO_TORQUE | Flag.TORQUE_OUTLIER | Flag.SATURATED | Flag.INTERPOLATED
    bad = recording.has(flags)[:, axis - 1]
    q, tau = recording.q[:, axis - 1], recording.tau[:, axis - 1]
    low, high = _common_range(q, pair)
    slack = 1e-9 * max(abs(low), abs(high), 1.0)
    usable = ~bad & (q >= low - slack) & (q <= high + slack)
    taken = [
        segment.start + np.flatnonzero(usable[segment.start : segment.stop]) for segment in pair
    ]
    count = min(len(index) for index in taken)
    if count < 3:
        return None
    order = int(np.clip(count // _PER_COEFFICIENT, 0 if count < 6 else 1, _ORDER))
    middle, half = 0.5 * (low + high), max(0.5 * (high - low), FINEST)
    index = np.concatenate(taken)
    sign = np.repeat([1.0, -1.0], [len(part) for part in taken])
    x = np.clip((q[index] - middle) / half, -1.0, 1.0)
    Y = np.column_stack([sign, np.polynomial.chebyshev.chebvander(x, order)])
    beta, _, rank, _ = np.linalg.lstsq(Y, tau[index], rcond=None)
    residual = tau[index] - Y @ beta
    variance = float(residual @ residual) / max(len(index) - rank, 1)
    inflation = _variance_inflation(np.split(residual, [len(taken[0])]))
    deviation = float(np.sqrt(variance * inflation * np.linalg.pinv(Y.T @ Y)[0, 0]))
    friction = float(beta[0])
    gravity = float(np.polynomial.chebyshev.chebval(0.0, beta[1:]))
    speed = 0.5 * (pair[0].speed - pair[1].speed)
    torques = gravity + friction, gravity - friction, friction, deviation
    return speed, *torques, middle, float(len(index))


def _variance_inflation(parts: list[Array]) -> float:
    """Variance of a mean over that of independent samples [Bayley, Hammersley 1946].

    For an autoregression of first order.
    """
    power, count = sum(float(part @ part) for part in parts), sum(map(len, parts))
    rho = sum(float(part[1:] @ part[:-1]) for part in parts) / power if power > 0.0 else 0.0
    rho = min(rho, 0.99) if rho > 2.0 / np.sqrt(count) else 0.0
    return (1.0 + rho) / (1.0 - rho)


def _mean(values: Array, pair: Pair) -> float:
    samples = np.concatenate([values[segment.start : segment.stop] for segment in pair])
    return float(samples[np.isfinite(samples)].mean()) if np.isfinite(samples).any() else np.nan


def _left_out(recording: Recording, segment: Segment, why: str) -> Finding:
    times = f"{recording.t[segment.start]:.4g} .. {recording.t[segment.stop - 1]:.4g} s"
    return Finding(
        f"the segment {times} at {segment.speed:.4g} [rad/s, m/s] {why}",
        "left out",
        segment.start,
        samples=segment.size,
    )
