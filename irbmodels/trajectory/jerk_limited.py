"""Time-optimal moves under bounds of speed, acceleration and jerk between any two states.

By Ruckig (Berscheid and Kroeger 2021).

Ruckig's community version computes one state to the next here. With waypoints in between it would
send them to its makers' server, which nothing here does: chain moves, ``Chain([jerk_limited(p, q),
jerk_limited(q, r)])``, with speeds of your choice at the waypoints. Its field ``max_position`` is
silently ignored; ranges are checked here on the exact extremes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import finite, short_repr
from ..errors import InputError, require
from ..model.types import Array
from .rounding import displacement
from .trajectory import State, Trajectory, bounds, posture

_TOLERANCE = 1e-6  # share by which Ruckig may miss its target; it promises 1e-8 in position


class JerkLimited(Trajectory):
    """A move whose jerk is constant between switching times, which each axis has of its own."""

    def __init__(
        self, start: Array, end: Array, times: Array, jerks: Array, duration: float
    ) -> None:
        """Integrate the jerks.

        Args:
            start: Position, speed, acceleration, ``(3, n)``.
            end: The same at the end, where they are exact.
            times: Durations of the pieces ``(n, k)`` [s].
            jerks: Jerk in each piece ``(n, k)``.
            duration: [s].
        """
        self.duration, self.n, self._end = duration, start.shape[1], end
        self._starts = np.cumsum(times, axis=1) - times
        self._jerks = jerks
        self._states = np.empty((3, *times.shape))
        state = start
        for k in range(times.shape[1]):
            self._states[:, :, k] = state
            state = np.array(_integrate(state, jerks[:, k], times[:, k]))

    def extremes(self) -> tuple[Array, Array]:
        """Smallest and largest position of each axis, shape ``(n,)`` each."""
        q, v, a = self._states
        # where there is no such root, the time is not within the piece
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(a * a - 2.0 * self._jerks * v)
            turning = [-v / a, (-a + root) / self._jerks, (-a - root) / self._jerks]
        widths = np.diff(
            np.append(self._starts, np.full((self.n, 1), self.duration), axis=1), axis=1
        )
        values = [q, self._end[0][:, None]]
        for t in turning:
            inside = np.where((t > 0.0) & (t < widths), t, 0.0)
            values.append(_integrate(self._states, self._jerks, inside)[0])
        return np.min(np.hstack(values), axis=1), np.max(np.hstack(values), axis=1)

    def _at(self, t: Array) -> State:
        values = np.empty((4, t.size, self.n))
        for axis, starts in enumerate(self._starts):
            number = np.searchsorted(starts, t, side="right") - 1
            jerk = self._jerks[axis, number]
            values[:3, :, axis] = _integrate(
                self._states[:, axis, number], jerk, t - starts[number]
            )
            values[3, :, axis] = jerk
        values[:3, t >= self.duration] = self._end[:, None, :]
        return State(*values)


def jerk_limited(
    start: ArrayLike | State,
    end: ArrayLike | State,
    *,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    jerk: ArrayLike,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
) -> JerkLimited:
    """Move from one state to another in the shortest time that the bounds allow.

    All axes arrive together.

    A start beyond a bound is first brought within it.

    Args:
        start: Axis positions ``(n,)`` [rad, m] at rest, or a :class:`State` with speeds and
            accelerations.
        end: The same.
        velocity: Largest axis speeds [rad/s, m/s], one for all or ``(n,)``.
        acceleration: Largest axis accelerations [rad/s^2, m/s^2].
        jerk: Largest jerks [rad/s^3, m/s^3].
        lower: Smallest axis positions that may be passed ``(n,)``; None is no bound.
        upper: Largest.

    Raises:
        InputError: if a bound is not positive and finite, the end is beyond one, or the move would
            leave its range.
        MissingExtra: without ruckig.

    Example:
        >>> from irbmodels.trajectory import jerk_limited
        >>> motion = jerk_limited([0.0], [1.0], velocity=[1.0], acceleration=[4.0], jerk=[40.0])
        >>> round(motion.duration, 3)
        1.35
    """
    require("ruckig", "motion")
    import ruckig

    first = _state(start, "start")
    n = first.shape[1]
    last = _state(end, "end", n)
    still = ~(first[1:].any(axis=0) | last[1:].any(axis=0)) & (
        displacement(first[0], last[0]) == 0.0
    )
    aim = np.where(still, first, last)
    if np.array_equal(first, aim):
        raise InputError("start and end are the same state: a move needs a way")
    limits = ruckig.InputParameter(n)
    for name, value in (("velocity", velocity), ("acceleration", acceleration), ("jerk", jerk)):
        setattr(limits, f"max_{name}", finite(bounds(value, n, name), (n,), name).tolist())
    for which, state in (("current", first), ("target", aim)):
        for name, values in zip(("position", "velocity", "acceleration"), state, strict=True):
            setattr(limits, f"{which}_{name}", values.tolist())
    trajectory = ruckig.Trajectory(n)
    try:
        result = ruckig.Ruckig(n).calculate(limits, trajectory)
    # ValueError: a failure that its Python side has no name for
    except (ruckig.RuckigError, ValueError) as err:
        raise InputError(
            f"no move keeps these bounds: {short_repr(' '.join(str(err).split()))}"
        ) from None
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise InputError(f"no move found between these states: {result.name}")
    profiles = trajectory.profiles[0]
    times = np.array([[*profile.brake.t, *profile.t] for profile in profiles])
    jerks = np.array([[*profile.brake.j, *profile.j] for profile in profiles])
    jerks[times == 0.0] = 0.0
    moved = JerkLimited(first, last, times, jerks, float(trajectory.duration))
    _check(moved, last, lower, upper)
    return moved


def _check(
    moved: JerkLimited, last: Array, lower: ArrayLike | None, upper: ArrayLike | None
) -> None:
    """Check that the pieces arrive, and stay within the range."""
    just_before = np.nextafter(moved.duration, 0.0)
    reached = np.array(moved._at(np.array([just_before]))[:3])[:, 0]
    if not np.allclose(reached, last, rtol=_TOLERANCE, atol=_TOLERANCE):
        raise InputError(
            "no move found: these bounds are so far apart that rounding misses the end; take lower"
            " ones"
        )
    least, most = moved.extremes()
    low = np.full(moved.n, -np.inf) if lower is None else posture(lower, moved.n, "lower")
    high = np.full(moved.n, np.inf) if upper is None else posture(upper, moved.n, "upper")
    slack = _TOLERANCE * np.maximum(1.0, np.abs(last[0]))
    for i in np.flatnonzero((least < low - slack) | (most > high + slack)):
        raise InputError(
            f"axis {i + 1} would go {least[i]:.6g} .. {most[i]:.6g} and leave its range"
            f" {low[i]:.6g} .. {high[i]:.6g}; start or end slower, or allow more acceleration and"
            " jerk"
        )


def _state(value: ArrayLike | State, what: str, n: int | None = None) -> Array:
    if not isinstance(value, State):
        q = posture(value, n, what)
        return np.array([q, np.zeros_like(q), np.zeros_like(q)])
    q = posture(value.q, n, what)
    return np.array(
        [
            q,
            posture(value.v, q.size, f"speed at the {what}"),
            posture(value.a, q.size, f"acceleration at the {what}"),
        ]
    )


def _integrate(state: Array, jerk: Array, t: Array) -> tuple[Array, Array, Array]:
    q, v, a = state
    return (
        q + t * (v + t * (a / 2.0 + t * jerk / 6.0)),
        v + t * (a + t * jerk / 2.0),
        a + t * jerk,
    )
