"""Moves from posture to posture by a time law, all axes starting and ending together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_list, positive
from ..errors import InputError
from ..model.types import Array
from .rounding import displacement
from .time_laws import TimeLaw, time_law
from .trajectory import Chain, State, Trajectory, bounds, posture


class Move(Trajectory):
    """One straight stroke in the space of the axes."""

    def __init__(self, start: Array, end: Array, law: TimeLaw, duration: float) -> None:
        """Take what :func:`move` has checked."""
        self.start, self.end, self.law, self.duration, self.n = (
            start,
            end,
            law,
            duration,
            start.size,
        )
        self.stroke = displacement(start, end)

    def lasting(self, duration: float) -> Move:
        """Return the same move in another duration [s]."""
        return Move(self.start, self.end, self.law, positive(duration, "the duration of a move"))

    def _at(self, t: Array) -> State:
        x = t / self.duration
        q, v, a, jerk = (
            self.stroke * (self.law.derivative(k, x) / self.duration**k)[:, None] for k in range(4)
        )
        return State(np.where((x == 1.0)[:, None], self.end, self.start + q), v, a, jerk)


def move(
    start: ArrayLike,
    end: ArrayLike,
    law: str | TimeLaw = "freudenstein",
    *,
    duration: float | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
) -> Move:
    """Move from one posture to another, from rest to rest.

    Either the duration is given, or it is the shortest in which every axis keeps the bounds that
    are given: one axis just reaches one of them, the others are slowed down to take as long.

    Args:
        start: Axis positions [rad, m], shape ``(n,)``.
        end: Axis positions, same shape.
        law: Name of a time law (``irbmodels.trajectory.LAWS``), or a law.
        duration: [s].
        velocity: Largest axis speeds [rad/s, m/s], one for all or ``(n,)``.
        acceleration: Largest axis accelerations [rad/s^2, m/s^2].
        jerk: Largest jerks [rad/s^3, m/s^3].

    Raises:
        UnknownName: if there is no such law.
        InputError: if the duration is not positive, neither or both of duration and bounds are
            given, a bound is not positive, or a jerk is to be kept by a law whose acceleration
            jumps.

    Example:
        >>> from irbmodels.trajectory import move
        >>> motion = move([0.0, 0.0], [1.0, -0.5], duration=2.0)
        >>> motion.at(1.0)[0]
        array([ 0.5 , -0.25])
    """
    first, chosen = posture(start, what="start"), time_law(law)
    last = posture(end, first.size, "end")
    stroke = displacement(first, last)
    all_bounds = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk}
    given = {name: value for name, value in all_bounds.items() if value is not None}
    if (duration is None) != bool(given):
        raise InputError(
            "a move needs either a duration [s] or bounds of velocity, acceleration or jerk, not"
            " both"
        )
    if duration is not None:
        return Move(first, last, chosen, positive(duration, "the duration of a move [s]"))
    if "jerk" in given and not chosen.smooth:
        raise InputError(
            f"the acceleration of law {chosen.name!r} jumps: it keeps no bound of jerk; take"
            " 'quintic' or 's_curve'"
        )
    shortest = 0.0
    for order, (name, peak) in enumerate(
        zip(("velocity", "acceleration", "jerk"), chosen.peaks, strict=True), start=1
    ):
        if name in given:
            largest = float((np.abs(stroke) / bounds(given[name], first.size, name)).max())
            shortest = max(shortest, (peak * largest) ** (1.0 / order))
    if not shortest > 0.0:
        raise InputError(
            "start and end are the same posture, or no bound is finite: give a duration"
        )
    return Move(first, last, chosen, shortest)


def through(
    postures: Sequence[ArrayLike],
    law: str | TimeLaw = "freudenstein",
    *,
    duration: float | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
) -> Chain:
    """Chain moves through postures, resting at each; the arguments are those of each :func:`move`.

    Args:
        postures: At least two.
        law: Time law of each move.
        duration: Of each move [s].
        velocity: Largest axis speeds.
        acceleration: Largest axis accelerations.
        jerk: Largest jerks.

    Raises:
        InputError: if there are fewer than two postures, or as :func:`move`.

    Example:
        >>> from irbmodels.trajectory import through
        >>> motion = through([[0.0], [1.0], [0.5]], duration=1.0)
        >>> motion.duration
        2.0
    """
    waypoints = as_list(postures, object, "a motion needs a list of postures")
    if len(waypoints) < 2:
        raise InputError("a motion needs at least two postures")
    return Chain(
        [
            move(
                start,
                end,
                law,
                duration=duration,
                velocity=velocity,
                acceleration=acceleration,
                jerk=jerk,
            )
            for start, end in pairwise(waypoints)
        ]
    )
