"""From the log of strokes at constant speeds to friction at each speed (S000 eq. 70-73).

Stretches of constant speed (:mod:`.friction_stretches`) are found in the positions alone. A stretch
forwards and one backwards at the same speed and over the same places give friction as half the
difference of their torques; what is the same both ways, gravity, is a polynomial of the position
and cancels (eq. 73), at equal positions, not only on average.
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
from .constant_speed_segments import FINEST, Stretch, position_noise, stretches

_SAME = 0.05  # by how much the speeds of a pair may differ
_OVERLAP = 0.3  # of the longer stretch that the two must have in common
_NEXT = 20  # stretches among which the way back is looked for
_ORDER = 6  # of the polynomial for gravity: its rest over 0.75 rad is 1e-8 of the largest torque
_AT_ONCE = 20  # samples per coefficient of it


@dataclass(frozen=True, eq=False)
class FrictionPoints:
    """Friction of one axis at speeds; arrays ``(M,)``, ascending in speed."""

    axis: int
    """1-based."""
    linear: bool
    speed: Array
    """[rad/s, m/s], positive: the mean of both ways."""
    forward: Array
    """Torque ``u+`` at the middle of the places both ways have in common [N m, N]."""
    backward: Array
    """Torque ``u-`` there."""
    friction: Array
    """``(u+ - u-) / 2`` (eq. 73) [N m, N]."""
    deviation: Array
    """Its standard deviation from the noise of the torques, their dependence from sample to sample accounted for."""
    position: Array
    """Where that is [rad, m]."""
    samples: NDArray[np.intp]
    conditions: dict[str, Array]
    """Means of the log's other columns (temperature, load ...) at each point."""
    findings: tuple[Finding, ...] = ()
    synthetic: bool = False

    @property
    def gravity(self) -> Array:
        """What both ways have in common, ``(u+ + u-) / 2`` [N m, N]: gravity, and whatever friction is not symmetric."""
        return np.asarray(0.5 * (self.forward + self.backward), dtype=float)


def friction_points(
    recording: Recording,
    axis: int,
    speeds: Sequence[float] | Array | None = None,
    *,
    tolerance: float | None = None,
) -> FrictionPoints:
    """Extract friction at each speed from the log of a :func:`friction_plan`, or of any motion that holds such strokes.

    Args:
        recording: With torques, arm side. Samples that are flagged (saturated, outliers,
            interpolated) do not count.
        axis: 1-based.
        speeds: What was planned [rad/s, m/s]: speeds of which no pair is found are then named.
            Without them stretches are paired by their own speeds.
        tolerance: See :func:`stretches`.

    Returns:
        One point per pair of neighbouring strokes; what could not be used is in the findings.

    Raises:
        InputError: if there are no torques, or no pair of stretches at one speed both ways over the
            same places.
    """
    as_int(
        axis,
        "an axis of a log",
        1,
        as_instance(recording, Recording, "friction is read from a Recording").n,
    )
    if recording.tau is None or not np.isfinite(recording.tau[:, axis - 1 : axis]).any():
        raise InputError(
            f"friction of axis {axis} needs its torques: column tau{axis}_Nm; EGM has none, test"
            " signals do"
        )
    pieces, findings = stretches(recording, axis, tolerance), []
    resolution = position_noise(recording.q[:, axis - 1]) if tolerance is None else float(tolerance)
    moving = [piece for piece in pieces if abs(piece.travel) > 4.0 * resolution]
    pairs, single = _paired(recording, axis, moving)
    rows, used = [], []
    for one, other in pairs:
        point = _point(recording, axis, one, other)
        if point is None:
            findings.append(_left(recording, one, "has too few samples without flags"))
        else:
            rows.append(point)
            used.append((one, other))
    least = 0.5 * min((piece.stop - piece.start for pair in used for piece in pair), default=0)
    ramps = [piece for piece in single if piece.stop - piece.start < least]
    findings += [
        _left(recording, piece, "has no counterpart the other way at its speed and places")
        for piece in single
        if piece not in ramps
    ]
    if ramps:
        count = sum(piece.stop - piece.start for piece in ramps)
        findings.append(
            Finding(
                f"{len(ramps)} short straight pieces, of ramps or stick-slip, are in no pair",
                "left out",
                samples=count,
            )
        )
    if not rows:
        raise InputError(
            f"axis {axis} has no two stretches of one speed, forwards and backwards over the same"
            f" places, among {len(moving)} stretches of constant speed; see friction_plan, or give"
            " a tolerance above the noise of the positions"
        )
    order = np.argsort([row[0] for row in rows])
    speed, forward, backward, friction, deviation, position, samples = np.array(rows)[order].T
    conditions = {
        name: np.array([_mean(values, pair) for pair in used])[order]
        for name, values in recording.more.items()
    }
    if speeds is not None:
        findings += _not_held(speed, np.asarray(speeds, dtype=float))
    return FrictionPoints(
        axis,
        recording.linear[axis - 1],
        *(speed, forward, backward, friction, deviation, position),
        samples.astype(np.intp),
        conditions,
        tuple(findings),
        recording.synthetic,
    )


def _not_held(speed: Array, planned: Array) -> list[Finding]:
    near = np.abs(speed[None] / planned[:, None] - 1.0).min(axis=1) < _SAME
    lost = ", ".join(f"{value:.4g}" for value in planned[~near][:8])
    what = f"{int((~near).sum())} of {planned.size} planned speeds were not held: {lost}"
    return [Finding(what, "stick-slip, noise, or strokes that were too short")] if lost else []


def _paired(
    recording: Recording, axis: int, pieces: list[Stretch]
) -> tuple[list[tuple[Stretch, Stretch]], list[Stretch]]:
    """Pair each stretch with one of the next that runs back over the same places.

    The one forwards comes first.
    """
    q, left, pairs, single = recording.q[:, axis - 1], list(pieces), [], []
    while left:
        one = left.pop(0)
        match = max(left[:_NEXT], key=lambda other: _shared(q, one, other), default=None)
        if match is None or _shared(q, one, match) < _OVERLAP:
            single.append(one)
        else:
            left.remove(match)
            pairs.append((one, match) if one.speed > 0.0 else (match, one))
    return pairs, single


def _shared(q: Array, one: Stretch, other: Stretch) -> float:
    """Share of the longer way of two that both go, at one speed and opposite ways; else 0."""
    if one.speed * other.speed >= 0.0 or abs(abs(other.speed / one.speed) - 1.0) > _SAME:
        return 0.0
    low, high = _common(q, one, other)
    return (high - low) / max(abs(one.travel), abs(other.travel))


def _common(q: Array, one: Stretch, other: Stretch) -> tuple[float, float]:
    ranges = [np.sort(q[[piece.start, piece.stop - 1]]) for piece in (one, other)]
    return float(max(r[0] for r in ranges)), float(min(r[1] for r in ranges))


def _point(
    recording: Recording, axis: int, one: Stretch, other: Stretch
) -> tuple[float, ...] | None:
    """Speed, u+, u-, friction, its deviation, position, samples of a pair.

    Least squares on both stretches together.
    """
    assert recording.tau is not None
    bad = recording.has(Flag.NO_TORQUE | Flag.TORQUE_OUTLIER | Flag.SATURATED | Flag.INTERPOLATED)[
        :, axis - 1
    ]
    q, tau = recording.q[:, axis - 1], recording.tau[:, axis - 1]
    low, high = _common(q, one, other)
    slack = 1e-9 * max(abs(low), abs(high), 1.0)
    taken = []
    for piece in (one, other):
        index = np.arange(piece.start, piece.stop)
        taken.append(index[~bad[index] & (q[index] >= low - slack) & (q[index] <= high + slack)])
    count = min(len(index) for index in taken)
    if count < 3:
        return None
    order = int(np.clip(count // _AT_ONCE, 0 if count < 6 else 1, _ORDER))
    middle, half = 0.5 * (low + high), max(0.5 * (high - low), FINEST)
    x = [(q[index] - middle) / half for index in taken]
    sign = [np.ones(len(taken[0])), -np.ones(len(taken[1]))]
    Y = np.vstack(
        [
            np.column_stack([s, np.polynomial.chebyshev.chebvander(np.clip(k, -1.0, 1.0), order)])
            for s, k in zip(sign, x, strict=True)
        ]
    )
    y = np.concatenate([tau[index] for index in taken])
    beta, _, rank, _ = np.linalg.lstsq(Y, y, rcond=None)
    rest = y - Y @ beta
    variance = float(rest @ rest) / max(len(y) - rank, 1)
    dependence = _dependence(np.split(rest, [len(taken[0])]))
    deviation = float(np.sqrt(variance * dependence * np.linalg.pinv(Y.T @ Y)[0, 0]))
    friction = float(beta[0])
    gravity = float(np.polynomial.chebyshev.chebval(0.0, beta[1:]))
    speed = 0.5 * (one.speed - other.speed)
    return speed, gravity + friction, gravity - friction, friction, deviation, middle, float(len(y))


def _dependence(parts: list[Array]) -> float:
    """How many times larger the variance of a mean is than of independent samples.

    Of first order [Bayley, Hammersley 1946].
    """
    power, count = sum(float(part @ part) for part in parts), sum(map(len, parts))
    rho = sum(float(part[1:] @ part[:-1]) for part in parts) / power if power > 0.0 else 0.0
    return (
        (1.0 + rho) / (1.0 - rho)
        if 2.0 / np.sqrt(count) < rho < 0.99
        else 199.0
        if rho >= 0.99
        else 1.0
    )


def _mean(values: Array, pair: tuple[Stretch, Stretch]) -> float:
    found = np.concatenate([values[piece.start : piece.stop] for piece in pair])
    return float(found[np.isfinite(found)].mean()) if np.isfinite(found).any() else np.nan


def _left(recording: Recording, piece: Stretch, why: str) -> Finding:
    times = f"{recording.t[piece.start]:.4g} .. {recording.t[piece.stop - 1]:.4g} s"
    return Finding(
        f"the stretch {times} at {piece.speed:.4g} [rad/s, m/s] {why}",
        "left out",
        piece.start,
        samples=piece.stop - piece.start,
    )
