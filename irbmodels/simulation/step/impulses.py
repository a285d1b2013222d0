"""Impulses of friction and stops in a step that is solved.

Where friction alone can hold what a stop would hold too, it does, and the stop has the smallest
part.
"""

from __future__ import annotations

from typing import NamedTuple

from ...compiled.masks import Mask, all_of, any_of, negated
from ...compiled.trace import Scalar, where
from .guess import Guess, Vector
from .ranges import Ranges


class Impulses(NamedTuple):
    """Impulses on the axes."""

    friction: Vector
    """Of dry friction, positive against a positive speed."""
    stop: Vector
    undetermined: Mask
    """Where a pair stands at its stop and at one of its own: which bears what is left open."""


def impulses(guess: Guess, ranges: Ranges, b: Vector, exerted: Vector) -> Impulses:
    """Return the impulses of a solution.

    Args:
        guess: It was solved for.
        ranges: Hard stops.
        b: Largest impulse of dry friction.
        exerted: What friction and stops exert together, as friction.
    """
    stop: Vector = [0.0] * len(b)
    undetermined: Mask = False
    for i, j in ranges.pairs:
        low, touched = guess.contacts[i].low, guess.contacts[i].touched
        f = ranges.factor(i)
        tied = -(exerted[i] + guess.modes[i] * b[i])
        # the least that leaves both to their friction
        spread, middle = b[j] * abs(1.0 / f), exerted[j] * (1.0 / f)
        up = _largest(0.0, -b[i] - exerted[i], middle - spread)
        down = -_largest(0.0, exerted[i] - b[i], -middle - spread)
        stands = negated(any_of(guess.moves[i], guess.moves[j]))
        push = where(guess.tied[i], tied, where(stands, where(low, up, down), 0.0))
        push = where(touched, push, 0.0)
        stop[i], stop[j] = push, -f * push
        own = any_of(guess.low[j], guess.high[j])
        undetermined = any_of(undetermined, all_of(touched, stands, own))
    friction: Vector = []
    for a, most in enumerate(b):
        total = exerted[a] + stop[a]
        within = -_largest(-_largest(total, -most), -most)
        friction.append(where(guess.moves[a], -(guess.modes[a] * most), within))
        at_stop = any_of(guess.low[a], guess.high[a])
        stop[a] = stop[a] + where(at_stop, friction[a] - total, 0.0)
    return Impulses(friction, stop, undetermined)


def _largest(first: Scalar, *others: Scalar) -> Scalar:
    for other in others:
        first = where(first < other, other, first)
    return first
